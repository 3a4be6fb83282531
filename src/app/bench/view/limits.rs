//! The bounds of a study that is read from a file: each is checked before memory is taken for what is beyond it, and an error
//! names the line.

use crate::Board;
use crate::app::bench::view::Row;
use serde::Deserialize;
use serde::de::{Deserializer, Error, SeqAccess, Visitor};
use std::collections::HashSet;
use std::fmt;
use std::marker::PhantomData;

/// The bytes of the document.
pub(crate) const MOST_BYTES: u64 = 8 << 20;
/// The rows of a study, and those of a file of other programs' times.
pub(super) const MOST_ROWS: usize = 4096;
/// The pairs of an engine and a kernel. Each is a column of the table of boards.
const MOST_MEANS: usize = 64;
/// The times of a row.
const MOST_TIMES: usize = 1000;
/// The warnings, the caches and the features of a CPU. Every row of CSV repeats the warnings.
const MOST_TEXTS: usize = 16;
const MOST_FEATURES: usize = 256;
/// The bytes of a text, and of the command line, which may name many files.
pub(super) const MOST_TEXT: usize = 500;
const MOST_COMMAND: usize = 64 << 10;
/// More threads than any machine has.
pub(super) const MOST_THREADS: usize = 1 << 20;
/// No clock is finer, and no count waits for longer: it is 32 years.
const SECONDS: [f64; 2] = [1e-9, 1e9];
/// The ratio of two times.
const RATIO: [f64; 2] = [0.0, 1e18];
/// In either direction.
const SHARE: [f64; 2] = [-1e18, 1e18];
/// Solutions or nodes in a second.
const SPEED: [f64; 2] = [0.0, 1e60];

/// Returns a time that a count may have taken; else why it cannot be one.
pub(super) fn checked_seconds(seconds: f64) -> Result<f64, String> {
    checked(seconds, SECONDS, " seconds")
}

fn checked(number: f64, [least, most]: [f64; 2], unit: &str) -> Result<f64, String> {
    if (least..=most).contains(&number) {
        return Ok(number);
    }
    Err(format!("{number:e}{unit} is out of range ({least:e} to {most:e})"))
}

/// A time, in seconds.
#[derive(Deserialize)]
#[serde(try_from = "f64")]
struct Seconds(f64);

impl TryFrom<f64> for Seconds {
    type Error = String;

    fn try_from(seconds: f64) -> Result<Self, String> {
        checked_seconds(seconds).map(Seconds)
    }
}

/// A text of few words.
#[derive(Deserialize)]
#[serde(try_from = "String")]
struct Text(String);

impl TryFrom<String> for Text {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        no_longer(text, MOST_TEXT).map(Text)
    }
}

pub(super) fn no_longer(text: String, most: usize) -> Result<String, String> {
    if text.len() <= most { Ok(text) } else { Err(format!("a text of {} bytes; {most} are the most", text.len())) }
}

pub(super) fn seconds<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    Seconds::deserialize(from).map(|Seconds(seconds)| seconds)
}

pub(super) fn times<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<f64>, D::Error> {
    Ok(list::<D, Seconds>(from, MOST_TIMES)?.into_iter().map(|Seconds(seconds)| seconds).collect())
}

pub(super) fn ratio<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    number(from, RATIO)
}

pub(super) fn share<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    number(from, SHARE)
}

pub(super) fn speed<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    number(from, SPEED)
}

pub(super) fn ratio_if_any<'de, D: Deserializer<'de>>(from: D) -> Result<Option<f64>, D::Error> {
    number_if_any(from, RATIO)
}

/// A ratio that is drawn by its factors, so it is not 0.
pub(super) fn speed_up_if_any<'de, D: Deserializer<'de>>(from: D) -> Result<Option<f64>, D::Error> {
    number_if_any(from, [RATIO[1].recip(), RATIO[1]])
}

pub(super) fn speed_if_any<'de, D: Deserializer<'de>>(from: D) -> Result<Option<f64>, D::Error> {
    number_if_any(from, SPEED)
}

fn number<'de, D: Deserializer<'de>>(from: D, range: [f64; 2]) -> Result<f64, D::Error> {
    checked(f64::deserialize(from)?, range, "").map_err(D::Error::custom)
}

fn number_if_any<'de, D: Deserializer<'de>>(from: D, range: [f64; 2]) -> Result<Option<f64>, D::Error> {
    let number = Option::<f64>::deserialize(from)?;
    number.map(|number| checked(number, range, "")).transpose().map_err(D::Error::custom)
}

pub(super) fn board<'de, D: Deserializer<'de>>(from: D) -> Result<usize, D::Error> {
    let size = usize::deserialize(from)?;
    Board::new(size).map(|_| size).map_err(D::Error::custom)
}

pub(super) fn threads<'de, D: Deserializer<'de>>(from: D) -> Result<usize, D::Error> {
    let threads = usize::deserialize(from)?;
    if (1..=MOST_THREADS).contains(&threads) {
        return Ok(threads);
    }
    Err(D::Error::custom(format!("{threads} threads is out of range (1 to {MOST_THREADS})")))
}

/// A number of solutions, as text.
pub(super) fn total<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let text = text(from)?;
    if text.parse::<u128>().is_ok() { Ok(text) } else { Err(D::Error::custom("a total that is no number")) }
}

pub(super) fn text<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    Text::deserialize(from).map(|Text(text)| text)
}

pub(super) fn text_if_any<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    Ok(Option::<Text>::deserialize(from)?.map(|Text(text)| text))
}

pub(super) fn command<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    no_longer(String::deserialize(from)?, MOST_COMMAND).map_err(D::Error::custom)
}

pub(super) fn warnings<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    Ok(list::<D, Text>(from, MOST_TEXTS)?.into_iter().map(|Text(text)| text).collect())
}

pub(super) fn features<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    Ok(list::<D, Text>(from, MOST_FEATURES)?.into_iter().map(|Text(text)| text).collect())
}

pub(super) fn few<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Vec<T>, D::Error> {
    list(from, MOST_TEXTS)
}

pub(super) fn many<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Vec<T>, D::Error> {
    list(from, MOST_ROWS)
}

pub(super) fn rows<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Row>, D::Error> {
    let rows: Vec<Row> = many(from)?;
    if rows.is_empty() {
        return Err(D::Error::custom("it has no times"));
    }
    let means: HashSet<(&str, &str)> = rows.iter().map(|row| (row.engine.as_str(), row.kernel.as_str())).collect();
    if means.len() > MOST_MEANS {
        return Err(D::Error::custom(format!("more than {MOST_MEANS} engines and kernels")));
    }
    Ok(rows)
}

/// Reads a list, and no further than to the most that it may hold.
fn list<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D, most: usize) -> Result<Vec<T>, D::Error> {
    struct List<T> {
        most: usize,
        items: PhantomData<T>,
    }

    impl<'de, T: Deserialize<'de>> Visitor<'de> for List<T> {
        type Value = Vec<T>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "a list of at most {}", self.most)
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Vec<T>, A::Error> {
            let mut items = Vec::new();
            while let Some(item) = seq.next_element()? {
                if items.len() == self.most {
                    return Err(A::Error::custom(format!("a list of more than {}", self.most)));
                }
                items.push(item);
            }
            Ok(items)
        }
    }

    from.deserialize_seq(List { most, items: PhantomData })
}

#[cfg(test)]
mod tests {
    use crate::app::bench::view::tests::record;
    use crate::app::bench::view::{Record, Row};
    use serde_json::{Value, json};

    fn read(change: impl FnOnce(&mut Value)) -> Result<Record, String> {
        let mut document = serde_json::to_value(record()).unwrap();
        change(&mut document);
        serde_json::from_str(&serde_json::to_string_pretty(&document).unwrap()).map_err(|error| error.to_string())
    }

    #[test]
    fn a_study_as_large_as_can_be_is_read() {
        let row = Row { times: vec![1.0; super::MOST_TIMES], threads: super::MOST_THREADS, ..record().rows[0].clone() };
        let record = read(|study| {
            study["rows"] = (0..super::MOST_ROWS).map(|_| serde_json::to_value(&row).unwrap()).collect();
            study["warnings"] = vec!["x".repeat(super::MOST_TEXT); super::MOST_TEXTS].into();
            study["rows"][0]["seconds"] = json!(1e9);
            study["rows"][0]["fastest"] = json!(1e-9);
        });
        assert_eq!(record.unwrap().rows.len(), super::MOST_ROWS);
    }

    #[test]
    fn what_is_beyond_a_bound_is_refused_with_its_line() {
        let row = || serde_json::to_value(&record().rows[0]).unwrap();
        let long = "x".repeat(super::MOST_TEXT + 1);
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
            ("/rows/1/engine", json!(long), "a text of 501 bytes"),
            ("/scaling/0/serial_fraction", json!(1e200), "1e200 is out of range"),
            ("/machine/cpu", json!(long), "a text of 501 bytes"),
            ("/machine/features", json!(vec!["x"; 257]), "more than 256"),
            ("/warnings", json!(vec!["x"; 17]), "more than 16"),
            ("/warnings/0", json!(long), "a text of 501 bytes"),
            ("/command", json!("x".repeat(1 << 17)), "a text of 131072 bytes"),
            ("/rows", json!([]), "it has no times"),
            ("/rows", (0..=super::MOST_ROWS).map(|_| row()).collect(), "more than 4096"),
        ] {
            let error = read(|study| *study.pointer_mut(place).unwrap() = value).unwrap_err();
            assert!(error.contains(reason) && error.contains(" at line "), "{place}: {error}");
        }
        let engines = (0..=super::MOST_MEANS).map(|engine| {
            let mut row = row();
            row["engine"] = engine.to_string().into();
            row
        });
        let error = read(|study| study["rows"] = engines.collect()).unwrap_err();
        assert!(error.contains("more than 64 engines and kernels"), "{error}");
    }
}
