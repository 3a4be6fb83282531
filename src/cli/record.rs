//! A finished count as the row that `count` and `table` report.

use super::failure::Failure;
use super::machine::cpu_name;
use crate::report::{Cell, Column, Detail};
use nqueens::run::{Count, logical_cpus, physical_cores};
use nqueens::symmetry::{Fundamental, FundamentalError};
use nqueens::{Cancel, Verdict, published};

/// The columns of [`Record::row`].
pub(crate) const COLUMNS: &[Column] = &[
    Column { key: "board", heading: "N", width: 2, detail: Detail::Table },
    Column { key: "total", heading: "total", width: 18, detail: Detail::Result },
    Column { key: "fundamental", heading: "fundamental", width: 17, detail: Detail::Result },
    Column { key: "seconds", heading: "seconds", width: 10, detail: Detail::Table },
    Column { key: "verdict", heading: "verdict", width: 13, detail: Detail::Table },
    Column::of_record("published"),
    Column::of_record("half_turn"),
    Column::of_record("quarter_turn"),
    Column::of_record("engine"),
    Column::of_record("kernel"),
    Column::of_record("plan"),
    Column::of_record("units"),
    Column::of_record("threads"),
    Column::of_record("logical_cpus"),
    Column::of_record("physical_cores"),
    Column::of_record("cpu"),
    Column::of_record("program_version"),
];

/// A finished count, and what it comes to.
#[derive(Debug)]
pub(crate) struct Record {
    count: Count,
    /// The count up to symmetry, where it was asked for and the total allows one.
    fundamental: Option<Fundamental>,
    /// What is wrong with the counts, both numbers in each.
    contradictions: Vec<String>,
}

impl Record {
    /// Judges a count without the count up to symmetry.
    pub(crate) fn of_total(count: Count) -> Self {
        let board = count.board;
        let contradictions = contradiction("total", &count, count.total, published::total(board)).into_iter().collect();
        Self { count, fundamental: None, contradictions }
    }

    /// Judges a count together with the count up to symmetry, for which it searches. A total that is no sum of whole
    /// orbits has none, and is wrong.
    pub(crate) fn with_fundamental(count: Count, cancel: &Cancel) -> Result<Self, Failure> {
        let board = count.board;
        let searched = Fundamental::count(board, count.total, cancel);
        let mut record = Self::of_total(count);
        match searched {
            Ok(counted) => {
                record.fundamental = Some(counted);
                let Fundamental { fundamental, quarter_turn, .. } = counted;
                record.contradictions.extend(
                    [
                        contradiction("fundamental", &record.count, fundamental, published::fundamental(board)),
                        contradiction("quarter-turn", &record.count, quarter_turn, published::quarter_turn(board)),
                    ]
                    .into_iter()
                    .flatten(),
                );
            }
            Err(FundamentalError::Cancelled(_)) => {
                let words = record.in_words();
                return Err(Failure::Cancelled(format!("{words}; stopped in the search for the symmetric ones")));
            }
            Err(error) => record.contradictions.push(error.to_string()),
        }
        Ok(record)
    }

    pub(crate) fn count(&self) -> &Count {
        &self.count
    }

    /// How the counts compare with the published ones: all of them, where there are several.
    pub(crate) fn verdict(&self) -> Verdict {
        if self.contradictions.is_empty() { self.count.verdict() } else { Verdict::Contradicts }
    }

    /// What is wrong with the counts; empty when nothing is.
    pub(crate) fn contradictions(&self) -> &[String] {
        &self.contradictions
    }

    /// The numbers, in words: what must not be lost when they cannot be written.
    pub(crate) fn in_words(&self) -> String {
        let fundamental =
            self.fundamental.map_or(String::new(), |counted| format!(", {} fundamental", counted.fundamental));
        format!("N = {}: {} solutions{fundamental}", self.count.board, self.count.total)
    }

    /// A cell for each of [`COLUMNS`].
    pub(crate) fn row(&self) -> Vec<Cell> {
        let Count { board, total, engine, kernel, ref plan, units, threads, elapsed } = self.count;
        let fundamental = self.fundamental;
        vec![
            Cell::Integer(board.size() as u64),
            Cell::Count(total),
            Cell::count(fundamental.map(|counted| counted.fundamental)),
            Cell::Seconds(elapsed.as_secs_f64()),
            Cell::Text(self.verdict().to_string()),
            Cell::count(published::total(board)),
            Cell::count(fundamental.map(|counted| counted.half_turn)),
            Cell::count(fundamental.map(|counted| counted.quarter_turn)),
            Cell::Text(engine.to_owned()),
            Cell::Text(kernel.to_string()),
            Cell::Text(plan.clone()),
            Cell::Integer(units as u64),
            Cell::Integer(threads as u64),
            Cell::Integer(logical_cpus() as u64),
            Cell::Integer(physical_cores() as u64),
            Cell::Text(cpu_name()),
            Cell::Text(env!("NQUEENS_VERSION").to_owned()),
        ]
    }
}

/// Both numbers, where they differ.
fn contradiction(name: &str, count: &Count, computed: u128, published: Option<u128>) -> Option<String> {
    let published = published.filter(|_| Verdict::of(computed, published) == Verdict::Contradicts)?;
    Some(format!("the {name} count for N = {} came out as {computed}, but {published} is published", count.board))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use nqueens::Board;
    use nqueens::engine::Kernel;
    use std::time::Duration;

    /// What an engine might come up with.
    pub(crate) fn count(size: usize, total: u128) -> Count {
        Count {
            board: Board::new(size).unwrap(),
            total,
            engine: "test",
            kernel: Kernel::Scalar,
            plan: "test-1".into(),
            units: 4,
            threads: 1,
            elapsed: Duration::from_millis(1500),
        }
    }

    #[test]
    fn right_and_unpublished_counts_contradict_nothing() {
        for (size, total, verdict) in [(8, 92, Verdict::Matches), (28, 8, Verdict::NotPublished)] {
            let record = Record::of_total(count(size, total));
            assert_eq!((record.verdict(), record.contradictions()), (verdict, &[][..]));
        }
        let record = Record::with_fundamental(count(12, 14_200), &Cancel::new()).unwrap();
        assert_eq!((record.verdict(), record.contradictions()), (Verdict::Matches, &[][..]));
        assert_eq!(record.in_words(), "N = 12: 14200 solutions, 1787 fundamental");
    }

    #[test]
    fn a_wrong_total_is_named_beside_the_published_one() {
        let record = Record::of_total(count(8, 93));
        assert_eq!(record.verdict(), Verdict::Contradicts);
        assert_eq!(record.contradictions(), ["the total count for N = 8 came out as 93, but 92 is published"]);
    }

    #[test]
    fn a_wrong_total_of_whole_orbits_contradicts_the_fundamental_count_too() {
        let record = Record::with_fundamental(count(8, 100), &Cancel::new()).unwrap();
        assert_eq!(record.verdict(), Verdict::Contradicts);
        assert_eq!(record.contradictions().len(), 2);
        assert_eq!(record.contradictions()[1], "the fundamental count for N = 8 came out as 13, but 12 is published");
    }

    #[test]
    fn a_total_of_no_whole_orbits_is_still_reported() {
        let record = Record::with_fundamental(count(8, 93), &Cancel::new()).unwrap();
        assert_eq!(record.row()[1..3], [Cell::Count(93), Cell::Missing]);
        assert_eq!(record.row()[4], Cell::Text("contradicts".into()));
        assert!(record.contradictions()[0].contains("came out as 93, but 92 is published"));
        assert!(record.contradictions()[1].contains("not a whole number of orbits"));
    }

    #[test]
    fn numbers_differ_or_do_not() {
        let count = count(12, 14_200);
        assert_eq!(contradiction("quarter-turn", &count, 8, Some(8)), None);
        assert_eq!(contradiction("quarter-turn", &count, 8, None), None);
        assert!(contradiction("quarter-turn", &count, 9, Some(8)).unwrap().contains("quarter-turn count for N = 12"));
    }
}
