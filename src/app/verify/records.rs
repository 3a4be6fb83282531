//! Units of records, counted again: the large boards, of which a whole count would take too long.

use super::checks::{Check, Subject};
use crate::Cancel;
use crate::app::failure::Failure;
use crate::app::recheck::choice::RandomOrder;
use crate::app::recheck::recount::{Recount, Recounted};
use crate::run::RunError;
use std::ops::ControlFlow;

/// The number of units of each record.
const UNITS: usize = 3;

/// The seed of the choice of units. Any number would do.
const SEED: u64 = 1;

/// Counts some units of each record again on `threads` threads, and calls `report` with each, passed or failed.
///
/// # Errors
/// Returns an error if `cancel` is set or `report` returns one.
pub(super) fn verify_records(
    records: &[Recount<'_>],
    threads: usize,
    cancel: &Cancel,
    mut report: impl FnMut(Check) -> Result<(), Failure>,
) -> Result<(), Failure> {
    for recount in records {
        let plan = recount.plan();
        let board = plan.board();
        let check = |unit, computed, published| Check {
            subject: Subject::Count {
                unit: Some(format!("unit {unit} of '{}'", recount.finished()[&unit].1.path.display())),
                engine: plan.engine(),
                kernel: recount.kernel(),
                plan: plan.name().to_owned(),
                exchanged: recount.is_exchanged(),
                threads,
            },
            board,
            computed,
            published,
        };
        let finished: Vec<usize> = recount.finished().keys().copied().collect();
        let order = RandomOrder::new(vec![1; finished.len()], SEED);
        let mut units: Vec<usize> = order.take(UNITS).map(|index| finished[index]).collect();
        let mut left = units.clone();
        let mut reported = Ok(());
        let each = |unit: &Recounted<'_>| {
            left.retain(|&other| other != unit.unit);
            reported = report(check(unit.unit, Ok(unit.again), unit.recorded));
            if reported.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        let counted = recount.count(&units, None, cancel, &(), each);
        reported?;
        match counted {
            Ok(()) => {}
            Err(error @ RunError::Cancelled { .. }) => return Err(error.into()),
            // As of any other count: the units that could not be counted are reported, and the rest goes on.
            Err(error) => {
                units.retain(|unit| left.contains(unit));
                for unit in units {
                    report(check(unit, Err(error.clone().into()), recount.finished()[&unit].0))?;
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::checks::Outcome;
    use super::*;
    use crate::app::faulty::Faulty;
    use crate::engine::{CountingEngine, ENGINES};
    use crate::ledger::{Contents, Run, read};
    use crate::run::Job;
    use crate::{Board, Shard};
    use std::slice::from_ref;

    /// Returns a record of N = 10.
    fn record(engine: &'static dyn CountingEngine) -> Contents {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("10.jsonl");
        let job = Job::new(Board::new(10).unwrap()).with_engine(engine);
        Run::open(&job, &path, Shard::WHOLE, &Cancel::new()).unwrap().count(&Cancel::new(), &()).unwrap();
        read(&path).unwrap()
    }

    fn checks(records: &[Contents]) -> Vec<Check> {
        let mut checks = Vec::new();
        let report = |check| {
            checks.push(check);
            Ok(())
        };
        let recount = |record| Recount::prepare(from_ref(record), 2, &Cancel::new()).unwrap();
        let recounts: Vec<Recount<'_>> = records.iter().map(recount).collect();
        verify_records(&recounts, 2, &Cancel::new(), report).unwrap();
        checks
    }

    #[test]
    fn some_units_of_every_record_are_counted_again() {
        let records = [record(ENGINES[0]), record(ENGINES[1])];
        let checks = checks(&records);
        assert_eq!(checks.len(), 2 * UNITS);
        assert!(checks.iter().all(|check| check.outcome() == Outcome::Passed));
        for (check, record) in checks.iter().zip(records.iter().flat_map(|record| [record; UNITS])) {
            let Subject::Count { unit: Some(unit), engine, .. } = &check.subject else { panic!("not of a unit") };
            assert!(*engine == record.header.engine && unit.ends_with("10.jsonl'"), "{unit}");
            assert!(record.units.values().any(|(_, line)| unit.starts_with(&format!("unit {} of ", line.unit))));
        }
    }

    /// The faulty engine counts a solution too many in unit 0.
    #[test]
    fn a_record_with_a_wrong_unit_fails() {
        let mut wrong = record(&Faulty);
        wrong.units.retain(|&unit, _| unit == 0);
        let checks = checks(&[wrong]);
        assert_eq!(checks.iter().map(Check::outcome).collect::<Vec<_>>(), [Outcome::Failed]);
        assert_eq!(checks[0].published, checks[0].computed.clone().unwrap() + 1);
    }

    #[test]
    fn what_is_stopped_is_no_check() {
        let (cancel, records) = (Cancel::new(), [record(ENGINES[0])]);
        let recounts = records.each_ref().map(|record| Recount::prepare(from_ref(record), 1, &cancel).unwrap());
        cancel.cancel();
        let outcome = verify_records(&recounts, 1, &cancel, |_| panic!("nothing was counted"));
        assert!(matches!(outcome, Err(Failure::Cancelled(_))));
    }
}
