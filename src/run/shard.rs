//! One of several equal parts of a plan, for one of several machines.

use crate::engine::Plan;
use std::fmt;
use std::str::FromStr;

/// The most shards that a plan can be dealt to.
pub const MOST_SHARDS: usize = 100_000;

/// A shard of a plan: number `index`, from 0, of `count`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Shard {
    index: usize,
    count: usize,
}

impl Shard {
    /// The whole plan as its only shard.
    pub const WHOLE: Shard = Shard { index: 0, count: 1 };

    /// Shard `index` of `count`; `None` where there is no such shard, or more than [`MOST_SHARDS`].
    pub fn new(index: usize, count: usize) -> Option<Self> {
        (index < count && count <= MOST_SHARDS).then_some(Self { index, count })
    }

    /// Its number, from 0.
    pub fn index(self) -> usize {
        self.index
    }

    /// The number of shards.
    pub fn count(self) -> usize {
        self.count
    }

    /// Returns true if a unit is one of this shard's: its number leaves the remainder `index` when it is divided by `count`.
    ///
    /// The work expected of units has no say in it. So a shard's units follow from the number of units alone, which every ledger
    /// is recognised by, and versions of the program that expect other work of a unit still agree on who counts it. Units that
    /// follow each other are alike, so that shards of 50 units and more have the same work to within a tenth or so.
    pub fn has(self, unit: usize) -> bool {
        unit % self.count == self.index
    }

    /// The number of its units in a plan of `units` units.
    pub fn size(self, units: usize) -> usize {
        units.saturating_sub(self.index).div_ceil(self.count)
    }

    /// Its units, heaviest first.
    pub fn units(self, plan: &Plan) -> Vec<usize> {
        let mut units = plan.heaviest_first();
        units.retain(|&unit| self.has(unit));
        units
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

/// What is wrong with a shard's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a shard is I/N: number I, from 0 to N - 1, of N shards, at most {MOST_SHARDS}; for instance 0/16 or 15/16")]
pub struct ShardError;

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Self, ShardError> {
        let (index, count) = text.split_once('/').ok_or(ShardError)?;
        let number = |text: &str| text.parse().map_err(|_| ShardError);
        Shard::new(number(index)?, number(count)?).ok_or(ShardError)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::cancel::Cancel;
    use crate::engine::{ENGINES, Settings};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_unit_is_in_one_shard(weights in prop::collection::vec(1_u64..100, 0..300), count in 1_usize..50) {
            let plan = Plan::new("test", Board::new(8).unwrap(), "test".into(), weights, 1);
            let mut units: Vec<usize> =
                (0..count).flat_map(|index| Shard::new(index, count).unwrap().units(&plan)).collect();
            units.sort_unstable();
            prop_assert_eq!(units, (0..plan.units()).collect::<Vec<_>>());
            for index in 0..count {
                let shard = Shard::new(index, count).unwrap();
                prop_assert_eq!(shard.size(plan.units()), shard.units(&plan).len());
            }
        }

        #[test]
        fn a_shard_is_read_as_it_is_written(index in 0_usize..2000, count in 1_usize..2000) {
            if let Some(shard) = Shard::new(index, count) {
                prop_assert_eq!(shard.to_string().parse(), Ok(shard));
            } else {
                prop_assert_eq!(format!("{index}/{count}").parse::<Shard>(), Err(ShardError));
            }
        }
    }

    #[test]
    fn what_is_no_shard_is_refused() {
        for text in ["", "3", "/", "3/", "/3", "3/3", "-1/3", "0/0", "1/2/3", "a/b", "0/100001"] {
            assert_eq!(text.parse::<Shard>(), Err(ShardError), "{text}");
        }
    }

    /// Ledgers that have been begun rest on this: another way to deal would leave their shards with units that they do not have.
    #[test]
    fn units_are_dealt_by_their_numbers_whatever_they_weigh() {
        for weights in [vec![3, 9, 1, 9, 5, 4, 2, 8], vec![8, 2, 4, 5, 9, 1, 9, 3]] {
            let plan = Plan::new("test", Board::new(8).unwrap(), "test".into(), weights, 1);
            let dealt = [0, 1, 2].map(|index| {
                let mut units = Shard::new(index, 3).unwrap().units(&plan);
                units.sort_unstable();
                units
            });
            assert_eq!(dealt, [vec![0, 3, 6], vec![1, 4, 7], vec![2, 5]]);
        }
    }

    #[test]
    fn a_shard_begins_with_its_heaviest_unit() {
        let plan = Plan::new("test", Board::new(8).unwrap(), "test".into(), vec![3, 9, 1, 9, 5, 4, 2, 8], 1);
        assert_eq!(Shard::new(0, 3).unwrap().units(&plan), [3, 0, 6]);
        assert_eq!(Shard::WHOLE.units(&plan), plan.heaviest_first());
    }

    /// The more units, the more even the shards: the heaviest is above the mean by no more than the inverse of the root of the
    /// number of its units.
    #[test]
    fn shards_are_even() {
        for &engine in ENGINES {
            for size in [12, 14, 16, 18] {
                let board = Board::new(size).unwrap();
                for settings in [Settings::default(), Settings { workers: 64, ..Settings::default() }] {
                    let counter = engine.prepare(board, &settings, &Cancel::new()).unwrap();
                    let plan = counter.plan();
                    let most = plan.units() / 20;
                    for count in (2..=most).step_by(1 + most / 10).chain([most].into_iter().filter(|&most| most > 1)) {
                        let mean = plan.total_weight() as f64 / count as f64;
                        for index in (0..count).step_by(1 + count / 20) {
                            let units = Shard::new(index, count).unwrap().units(plan);
                            let weight: u64 = units.iter().map(|&unit| plan.weight(unit)).sum();
                            let above = weight as f64 / mean - 1.0;
                            let bound = 1.0 / (units.len() as f64).sqrt();
                            assert!(above < bound, "N = {size}, {}, {index}/{count}: {above}", plan.name());
                        }
                    }
                }
            }
        }
    }
}
