//! Runs a test with many random cases, which follow from a seed.
#![allow(dead_code, reason = "not every test needs all")]

use nqueens::random::SplitMix64;
use std::ops::Range;

/// Words for any place of a command line, between bars. No word is the path of a file elsewhere.
const WORDS: &str = "| |0|-1|1|2|+3|007|1.5|1e3|0x10|8|33|99|256|65536|4294967296|18446744073709551616|nan|inf|1e308|\
    340282366920938463463374607431768211456|abc|auto|text|é|\u{202e}|\u{1b}[31m|a\nb|\t|--|-|-x|=|--help|--help=1|\
    --no-such-option|no-such-command|.|nothing/|nothing/..|0/1|1/1|0/0|0/99999|1-3|3-1|1,,2|6-8,10|90s|5 minutes|$(id)";

pub(crate) fn word(random: &mut SplitMix64) -> &'static str {
    let words: Vec<_> = WORDS.split('|').collect();
    words[at(random, words.len())]
}

/// Runs a test with `cases` cases, each with its own random numbers.
///
/// The environment variable `NQUEENS_TEST_SEED` is the seed of the first case, by default 1; each next seed is larger
/// by 1. `NQUEENS_TEST_TIMES` multiplies the number of cases. The seed of a case that fails is printed.
pub(crate) fn fuzz(cases: u64, test: impl Fn(&mut SplitMix64)) {
    let setting = |name: &str, default| match std::env::var(name) {
        Ok(number) => number.parse().unwrap_or_else(|_| panic!("{name} is a whole number, not '{number}'")),
        Err(_) => default,
    };
    let (seed, times): (u64, u64) = (setting("NQUEENS_TEST_SEED", 1), setting("NQUEENS_TEST_TIMES", 1));
    for case in 0..cases * times {
        let case = Case { seed: seed.wrapping_add(case) };
        test(&mut SplitMix64::new(case.seed));
    }
}

/// A case, which prints its seed if it panics.
struct Case {
    seed: u64,
}

impl Drop for Case {
    fn drop(&mut self) {
        if std::thread::panicking() {
            println!("NQUEENS_TEST_SEED={} begins with the case that fails", self.seed);
        }
    }
}

/// Returns one of some things at random.
pub(crate) fn one_of<'a, T>(random: &mut SplitMix64, things: &'a [T]) -> &'a T {
    &things[at(random, things.len())]
}

/// Returns an index below `end`, which is not 0.
pub(crate) fn at(random: &mut SplitMix64, end: usize) -> usize {
    random.below(u32::try_from(end).expect("few things")) as usize
}

/// Returns a number in this range, which is not empty.
pub(crate) fn within(random: &mut SplitMix64, range: Range<usize>) -> usize {
    range.start + at(random, range.len())
}

/// Returns a list whose length is in this range.
pub(crate) fn list<T>(
    random: &mut SplitMix64,
    lengths: Range<usize>,
    mut item: impl FnMut(&mut SplitMix64) -> T,
) -> Vec<T> {
    (0..within(random, lengths)).map(|_| item(random)).collect()
}

/// Returns a number from 0 up to 1.
pub(crate) fn share(random: &mut SplitMix64) -> f64 {
    random.next_u64() as f64 / 2_f64.powi(64)
}

/// Returns a text of any characters, many of which control a terminal or mean something in a format.
pub(crate) fn text(random: &mut SplitMix64) -> String {
    let special: Vec<char> =
        "=+-@|`<&\\\t\n\r\"', .0aé\u{a0}\u{ad}\u{200b}\u{202e}\u{2028}\u{feff}\u{e0041}".chars().collect();
    let character = |random: &mut SplitMix64| match random.below(3) {
        0 => *one_of(random, &special),
        1 => char::from(random.below(0xa0) as u8),
        _ => {
            // Few characters have a large number.
            let bound = 0x11_0000 >> random.below(13);
            char::from_u32(random.below(bound)).unwrap_or('?')
        }
    };
    list(random, 0..30, character).into_iter().collect()
}

/// Damages bytes in one of the ways in which files are damaged: changes, removes, repeats or inserts some.
pub(crate) fn damage(random: &mut SplitMix64, bytes: &mut Vec<u8>) {
    if bytes.is_empty() {
        return bytes.push(random.below(256) as u8);
    }
    let from = at(random, bytes.len());
    let most = (bytes.len() - from).min(1 << random.below(11));
    let part = from..from + 1 + at(random, most);
    match random.below(8) {
        0..3 => bytes[from] ^= 1 << random.below(8),
        3 => bytes.truncate(from),
        4 => drop(bytes.drain(part)),
        5 => bytes[part].fill(*one_of(random, &[0, 0xff, b'\n', b'9'])),
        6 => bytes.extend_from_within(part),
        _ => {
            let noise: Vec<u8> = part.map(|_| random.below(256) as u8).collect();
            drop(bytes.splice(from..from, noise));
        }
    }
}
