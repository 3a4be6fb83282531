//! Shards: equal parts of a plan, each for one machine.

use crate::engine::Plan;
use crate::names::{InputError, stored_as_text};
use std::fmt;
use std::str::FromStr;

/// A shard of a plan: number `index`, counted from 0, of `count` shards.
///
/// ```
/// use nqueens::Shard;
///
/// let shard: Shard = "1/4".parse()?;
/// assert_eq!((shard.index(), shard.count()), (1, 4));
/// assert!(shard.has(5) && !shard.has(6), "the units whose number leaves the remainder 1");
/// # Ok::<(), nqueens::InputError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shard {
    index: usize,
    count: usize,
}

impl Shard {
    /// The whole plan as its only shard.
    pub const WHOLE: Shard = Shard { index: 0, count: 1 };

    /// The largest number of shards of a plan.
    pub const MOST: usize = 100_000;

    /// Returns shard `index` of `count`.
    ///
    /// # Errors
    /// When `index` is not below `count`, or `count` is above 100,000.
    pub fn new(index: usize, count: usize) -> Result<Self, InputError> {
        Self::of(index, count).ok_or_else(|| Self::refused(format_args!("{index}/{count}")))
    }

    fn of(index: usize, count: usize) -> Option<Self> {
        (index < count && count <= Self::MOST).then_some(Self { index, count })
    }

    fn refused(given: impl fmt::Display) -> InputError {
        let right = format_args!(
            "I/N, number I, from 0 to N - 1, of N shards, at most {}; the first of 16 is 0/16, the last 15/16, so \
             subtract 1 from the index of an array that begins at 1",
            Self::MOST
        );
        InputError::no("shard", given, right)
    }

    /// Returns the number of this shard, from 0.
    pub fn index(self) -> usize {
        self.index
    }

    /// Returns the number of shards.
    pub fn count(self) -> usize {
        self.count
    }

    /// Returns true if the unit belongs to this shard, which is the case if `unit % count == index`.
    ///
    /// The expected work of the units is not considered. A shard's units therefore follow from the number of units
    /// alone, which every ledger records. Versions of the program that expect different work still agree on the units
    /// of a shard. Units with neighbouring numbers need similar work, so shards of 50 or more units differ by about a
    /// tenth at most.
    pub fn has(self, unit: usize) -> bool {
        unit % self.count == self.index
    }

    /// Returns the number of units that this shard has in a plan of `units` units.
    pub fn size(self, units: usize) -> usize {
        units.saturating_sub(self.index).div_ceil(self.count)
    }

    /// Returns the units of this shard, longest first.
    pub fn units(self, plan: &Plan) -> Vec<usize> {
        let mut units = plan.longest_first();
        units.retain(|&unit| self.has(unit));
        units
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

stored_as_text!(Shard);

impl FromStr for Shard {
    type Err = InputError;

    fn from_str(text: &str) -> Result<Self, InputError> {
        let numbers = text.split_once('/').and_then(|(index, count)| index.parse().ok().zip(count.parse().ok()));
        numbers.and_then(|(index, count)| Self::of(index, count)).ok_or_else(|| Self::refused(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::cancel::Cancel;
    use crate::engine::Engine;
    use crate::fuzz::{fuzz, list, within};

    #[test]
    fn fuzz_every_unit_is_in_one_shard() {
        fuzz(256, |random| {
            let work = list(random, 0..300, |random| within(random, 1..100) as u64);
            let count = within(random, 1..50);
            let plan = Plan::new(Engine::Backtrack, Board::new(8).unwrap(), "test".into(), work, 1);
            let shards: Vec<Shard> = (0..count).map(|index| Shard::new(index, count).unwrap()).collect();
            let mut units: Vec<usize> = shards.iter().flat_map(|shard| shard.units(&plan)).collect();
            units.sort_unstable();
            assert!(units.into_iter().eq(0..plan.units()));
            assert!(shards.iter().all(|shard| shard.size(plan.units()) == shard.units(&plan).len()));
        });
    }

    #[test]
    fn a_shard_is_read_as_it_is_written_and_what_is_none_is_refused() {
        for text in ["0/1", "3/64", "99999/100000"] {
            assert_eq!(text.parse().map(|shard: Shard| shard.to_string()), Ok(text.to_owned()));
            assert_eq!(
                text.parse().map(|shard: Shard| format!("{}/{}", shard.index(), shard.count())),
                Ok(text.to_owned())
            );
        }
        for text in ["", "3", "/", "3/", "/3", "3/3", "-1/3", "0/0", "1/2/3", "a/b", "0/100001"] {
            let refused = text.parse::<Shard>().unwrap_err().to_string();
            assert!(refused.starts_with(&format!("'{text}' is no shard; give I/N")), "{refused}");
        }
    }

    /// More units make shards more even: the longest exceeds the mean by less than the inverse square root of its
    /// number of units.
    #[test]
    fn shards_are_even() {
        for &engine in Engine::ALL {
            for size in [12, 14, 16, 18] {
                let board = Board::new(size).unwrap();
                for settings in engine.variants() {
                    let counter = engine.prepare(board, &settings, &Cancel::new()).unwrap();
                    let plan = &counter.plan;
                    let most = plan.units() / 20;
                    for count in (2..=most).step_by(1 + most / 10).chain([most].into_iter().filter(|&most| most > 1)) {
                        let mean = plan.total_work() as f64 / count as f64;
                        for index in (0..count).step_by(1 + count / 20) {
                            let units = Shard::new(index, count).unwrap().units(plan);
                            let work: u64 = plan.work_of(units.iter().copied());
                            let above = work as f64 / mean - 1.0;
                            let bound = 1.0 / (units.len() as f64).sqrt();
                            assert!(above < bound, "N = {size}, {}, {index}/{count}: {above}", plan.name());
                        }
                    }
                }
            }
        }
    }
}
