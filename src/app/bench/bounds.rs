//! Bounds of files that are read: a study, and the times of other programs.
//!
//! Functions for `#[serde(deserialize_with)]`. Each refuses a value beyond a bound before memory is taken for more of
//! it, and the error names the line.

use crate::Board;
use crate::app::rows::values::Solutions;
use serde::Deserialize;
use serde::de::{Deserializer, Error, SeqAccess, Visitor};
use std::fmt;
use std::marker::PhantomData;

/// The largest study, in bytes.
pub(super) const MOST_BYTES: u64 = 8 << 20;
/// The most rows of a study.
const MOST_ROWS: usize = 4096;
/// The most times of a row.
const MOST_TIMES: usize = 1000;
/// The most warnings of a study, and the most caches of a CPU. Every row of CSV repeats the warnings.
const MOST_ITEMS: usize = 16;
/// The most features of a CPU.
const MOST_FEATURES: usize = 256;
/// The longest text, in bytes.
const LONGEST_TEXT: usize = 500;
/// The longest command line, in bytes. It may name many files.
const LONGEST_COMMAND: usize = 64 << 10;
/// More threads than any machine has.
const MOST_THREADS: usize = 1 << 20;
/// Times in seconds, from the resolution of a clock to 32 years.
const SECONDS: [f64; 2] = [1e-9, 1e9];
/// Quotients of two times.
const RATIO: [f64; 2] = [0.0, 1e18];
/// Quotients of two times that are drawn on a logarithmic scale.
const SPEED_UP: [f64; 2] = [1e-18, 1e18];
/// Serial fractions, which may be negative.
const FRACTION: [f64; 2] = [-1e18, 1e18];
/// Solutions or nodes per second.
const SPEED: [f64; 2] = [0.0, 1e60];

/// Declares a function for each name that reads a value of a type and checks it.
macro_rules! bounded {
    ($($name:ident: $type:ty, $check:expr;)*) => {$(
        pub(crate) fn $name<'de, D: Deserializer<'de>>(from: D) -> Result<$type, D::Error> {
            let value = <$type>::deserialize(from)?;
            let check: fn(&$type) -> Result<(), String> = $check;
            check(&value).map(|()| value).map_err(D::Error::custom)
        }
    )*};
}

bounded! {
    text: String, |text| at_most(text, LONGEST_TEXT);
    optional_text: Option<String>, |text| text.iter().try_for_each(|text| at_most(text, LONGEST_TEXT));
    command: String, |text| at_most(text, LONGEST_COMMAND);
    board: usize, |&size| Board::new(size).map(drop).map_err(|error| error.to_string());
    threads: usize, |&threads| number_of_threads(threads);
    optional_threads: Option<usize>, |threads| threads.iter().try_for_each(|&threads| number_of_threads(threads));
    seconds: f64, |&seconds| within(seconds, SECONDS, " seconds");
    ratio: f64, |&ratio| within(ratio, RATIO, "");
    optional_ratio: Option<f64>, |ratio| ratio.iter().try_for_each(|&ratio| within(ratio, RATIO, ""));
    optional_speed_up: Option<f64>, |ratio| ratio.iter().try_for_each(|&ratio| within(ratio, SPEED_UP, ""));
    fraction: f64, |&fraction| within(fraction, FRACTION, "");
    speed: f64, |&speed| within(speed, SPEED, "");
    optional_speed: Option<f64>, |speed| speed.iter().try_for_each(|&speed| within(speed, SPEED, ""));
}

fn at_most(text: &str, most: usize) -> Result<(), String> {
    if text.len() <= most { Ok(()) } else { Err(format!("a text of {} bytes, longer than {most}", text.len())) }
}

fn number_of_threads(threads: usize) -> Result<(), String> {
    if (1..=MOST_THREADS).contains(&threads) {
        return Ok(());
    }
    Err(format!("{threads} threads is out of range (1 to {MOST_THREADS})"))
}

fn within(number: f64, [least, most]: [f64; 2], unit: &str) -> Result<(), String> {
    if (least..=most).contains(&number) {
        return Ok(());
    }
    Err(format!("{number:e}{unit} is out of range ({least:e} to {most:e})"))
}

/// A time, as an element of a list.
#[derive(Deserialize)]
struct Seconds(#[serde(deserialize_with = "seconds")] f64);

/// A text, as an element of a list.
#[derive(Deserialize)]
struct Text(#[serde(deserialize_with = "text")] String);

pub(crate) fn times<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<f64>, D::Error> {
    Ok(list(from, MOST_TIMES)?.into_iter().map(|Seconds(seconds)| seconds).collect())
}

pub(crate) fn warnings<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    Ok(list(from, MOST_ITEMS)?.into_iter().map(|Text(text)| text).collect())
}

pub(crate) fn features<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    Ok(list(from, MOST_FEATURES)?.into_iter().map(|Text(text)| text).collect())
}

pub(crate) fn caches<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Vec<T>, D::Error> {
    list(from, MOST_ITEMS)
}

pub(crate) fn rows<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Vec<T>, D::Error> {
    list(from, MOST_ROWS)
}

/// Reads a number of solutions, which is a string because it may pass 2^53.
pub(crate) fn solutions<'de, D: Deserializer<'de>>(from: D) -> Result<Solutions, D::Error> {
    let total = text(from)?.parse().map_err(|_| D::Error::custom("a total that is no number"))?;
    Ok(Solutions(total))
}

/// Reads a list, but no further than to the item after `most` items.
fn list<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D, most: usize) -> Result<Vec<T>, D::Error> {
    struct List<T>(usize, PhantomData<T>);

    impl<'de, T: Deserialize<'de>> Visitor<'de> for List<T> {
        type Value = Vec<T>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "a list of at most {}", self.0)
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Vec<T>, A::Error> {
            let mut items = Vec::new();
            while let Some(item) = seq.next_element()? {
                if items.len() == self.0 {
                    return Err(A::Error::custom(format!("a list of more than {}", self.0)));
                }
                items.push(item);
            }
            Ok(items)
        }
    }

    from.deserialize_seq(List(most, PhantomData))
}

#[cfg(test)]
mod tests {
    use crate::app::bench::study::tests::study;
    use crate::app::bench::study::{MOST_KERNELS, Study, Timing};
    use serde_json::{Value, json};

    fn read(change: impl FnOnce(&mut Value)) -> Result<Study, String> {
        let mut document = serde_json::to_value(study()).unwrap();
        change(&mut document);
        serde_json::from_str(&serde_json::to_string_pretty(&document).unwrap()).map_err(|error| error.to_string())
    }

    #[test]
    fn a_study_as_large_as_can_be_is_read() {
        let row =
            Timing { times: vec![1.0; super::MOST_TIMES], threads: super::MOST_THREADS, ..study().rows[0].clone() };
        let read = read(|study| {
            study["rows"] = (0..super::MOST_ROWS).map(|_| serde_json::to_value(&row).unwrap()).collect();
            study["warnings"] = vec!["x".repeat(super::LONGEST_TEXT); super::MOST_ITEMS].into();
            study["rows"][0]["seconds"] = json!(1e9);
            study["rows"][0]["fastest"] = json!(1e-9);
        });
        assert_eq!(read.unwrap().rows.len(), super::MOST_ROWS);
    }

    #[test]
    fn what_is_beyond_a_bound_is_refused_with_its_line() {
        let row = || serde_json::to_value(&study().rows[0]).unwrap();
        let long = "x".repeat(super::LONGEST_TEXT + 1);
        for (place, value, reason) in [
            ("/rows/1/seconds", json!(1e308), "1e308 seconds is out of range (1e-9 to 1e9)"),
            ("/rows/1/fastest", json!(5e-324), "5e-324 seconds is out of range (1e-9 to 1e9)"),
            ("/rows/1/slowest", json!(0), "0e0 seconds is out of range (1e-9 to 1e9)"),
            ("/rows/1/times", json!([1.0, -1.0]), "-1e0 seconds is out of range (1e-9 to 1e9)"),
            ("/rows/1/times", json!(vec![1; super::MOST_TIMES + 1]), "more than 1000"),
            ("/rows/1/speed_up", json!(0), "0e0 is out of range"),
            ("/rows/1/speed_up", json!(1e19), "1e19 is out of range"),
            ("/rows/1/efficiency", json!(-1), "-1e0 is out of range"),
            ("/rows/1/spread", json!(1e200), "1e200 is out of range"),
            ("/rows/1/cpu_seconds", json!(1e200), "1e200 is out of range"),
            ("/rows/1/solutions_per_second", json!(1e200), "1e200 is out of range"),
            ("/rows/1/nodes_per_second", json!(-1), "-1e0 is out of range"),
            ("/rows/1/board", json!(33), "from 1 to 32"),
            ("/rows/1/board", json!(0), "from 1 to 32"),
            ("/rows/1/threads", json!(0), "0 threads is out of range (1 to 1048576)"),
            ("/rows/1/threads", json!(1_u64 << 40), "1099511627776 threads is out of range"),
            ("/rows/1/total", json!("many"), "no number"),
            ("/rows/1/engine", json!(long), "a text of 501 bytes, longer than 500"),
            ("/scaling/0/serial_fraction", json!(1e200), "1e200 is out of range"),
            ("/machine/cpu", json!(long), "a text of 501 bytes, longer than 500"),
            ("/machine/features", json!(vec!["x"; 257]), "more than 256"),
            ("/warnings", json!(vec!["x"; 17]), "more than 16"),
            ("/warnings/0", json!(long), "a text of 501 bytes, longer than 500"),
            ("/command", json!("x".repeat(1 << 17)), "a text of 131072 bytes"),
            ("/rows", json!([]), "it has no times"),
            ("/rows", (0..=super::MOST_ROWS).map(|_| row()).collect(), "more than 4096"),
        ] {
            let error = read(|study| *study.pointer_mut(place).unwrap() = value).unwrap_err();
            assert!(error.contains(reason) && error.contains(" at line "), "{place}: {error}");
        }
        let engines = (0..=MOST_KERNELS).map(|engine| {
            let mut row = row();
            row["engine"] = engine.to_string().into();
            row
        });
        let error = read(|study| study["rows"] = engines.collect()).unwrap_err();
        assert!(error.contains("more than 64 engines and kernels"), "{error}");
    }
}
