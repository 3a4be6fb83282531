//! How long a count would take on this machine, going by some of its units.

use crate::board::Board;
use crate::cancel::Cancel;
use crate::engine::{Counter, Kernel, Plan};
use crate::estimate::{Interval, student};
use crate::run::panics::Panics;
use crate::run::{Job, PreparedJob, RunError, memory, on_threads, threads_for, watched};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// How often the clock is looked at while units are counted.
const BEAT: Duration = Duration::from_millis(20);

/// Units are small enough to be samples when each thread is expected to count so many in the time there is.
const FEWEST_UNITS: f64 = 4.0;

/// What two runs of a count differ by on a machine that has other things to do.
const UNSTEADY: f64 = 0.1;

/// How much less is known when the units are of a board that is a row smaller.
const PER_ROW: f64 = 0.1;

/// For how long units are counted to learn whether a count takes long.
const GLANCE: Duration = Duration::from_millis(500);

/// What is expected of a count.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Expected {
    /// The name of the engine.
    pub engine: &'static str,
    /// Its kernel.
    pub kernel: Kernel,
    /// The number of threads: those asked for, or one for each unit where there are fewer units.
    pub threads: usize,
    /// The seconds from the start to the total.
    pub seconds: Interval,
    /// The number of units that were counted to find out.
    pub units: usize,
    /// The board whose units they are: that of the count or, where its units take too long, a smaller one.
    pub sampled: Board,
}

impl Job {
    /// Foretells how long [`run`](Job::run) would take. Units from the lightest to the heaviest are counted on all threads
    /// at once until the `budget` is spent, or all are; what takes twice as long is broken off. `progress` is told what
    /// share of the time is over.
    ///
    /// The interval holds what the units counted differ by, and what is not known when they are of a smaller board.
    ///
    /// # Errors
    /// As for [`run`](Job::run).
    pub(crate) fn expected(
        &self,
        budget: Duration,
        cancel: &Cancel,
        progress: &(dyn Fn(f64) + Sync),
    ) -> Result<Expected, RunError> {
        on_threads(self.threads, || {
            let start = Instant::now();
            let counter = self.prepare(cancel)?;
            self.foretell(&*counter, start.elapsed(), budget, cancel, progress)
        })?
    }

    /// Foretells, with the plan of the count made ready in the time given.
    fn foretell(
        &self,
        counter: &dyn Counter,
        prepared: Duration,
        budget: Duration,
        cancel: &Cancel,
        progress: &(dyn Fn(f64) + Sync),
    ) -> Result<Expected, RunError> {
        let threads = threads_for(self.threads, counter.plan().units());
        memory::suffices(counter, threads)?;
        let mut longest_unit = budget.as_secs_f64() / FEWEST_UNITS;
        let (sample, sampled) = loop {
            let (smaller, sampled) = self.with_short_units(counter, longest_unit, cancel)?;
            let sample = Sample::take(smaller.as_deref().unwrap_or(counter), threads, budget, cancel, progress)?;
            if cancel.is_cancelled() {
                return Err(RunError::Cancelled { done: 0, units: counter.plan().units() });
            }
            if sample.of == 0 || !sample.units.is_empty() {
                break (sample, sampled);
            }
            // They took longer than expected, all of them.
            longest_unit /= 8.0;
        };
        let times = sample.times_as_long();
        let rows_less = (self.board.size() - sampled.size()) as f64;
        let off = [times.off, UNSTEADY, PER_ROW * rows_less].iter().map(|off| off * off).sum::<f64>().sqrt();
        let estimate =
            prepared.as_secs_f64() + spread(counter, &counter.plan().heaviest_first(), threads) * times.ratio;
        Ok(Expected {
            engine: counter.plan().engine(),
            kernel: counter.kernel(),
            threads,
            seconds: Interval { estimate, low: estimate / (1.0 + off), high: estimate * (1.0 + off) },
            units: sample.units.len(),
            sampled,
        })
    }

    /// The largest board up to that of the count whose units are expected to take no longer, and its plan made ready if it
    /// is a smaller one.
    fn with_short_units(
        &self,
        counter: &dyn Counter,
        longest: f64,
        cancel: &Cancel,
    ) -> Result<(Option<Box<dyn Counter>>, Board), RunError> {
        let short = |counter: &dyn Counter| counter.expected_seconds() <= longest * counter.plan().units() as f64;
        if short(counter) {
            return Ok((None, self.board));
        }
        for board in (1..self.board.size()).rev().filter_map(|size| Board::new(size).ok()) {
            let smaller = Job { board, ..self.clone() }.prepare(cancel)?;
            if short(&*smaller) || board.size() == 1 {
                return Ok((Some(smaller), board));
            }
        }
        Ok((None, self.board))
    }
}

impl PreparedJob {
    /// The seconds that counting these units is expected to take, where they are more than `many`: by some units of the plan where
    /// those are short, which takes half a second, or else by what they take on the machine that was measured. It is known at
    /// once that a count is short.
    pub(crate) fn seconds_if_more(&self, many: f64, units: &[usize], cancel: &Cancel) -> Option<f64> {
        let counter = &*self.counter;
        let threads = self.threads_for(units.len());
        let rough = spread(counter, units, threads);
        // This machine may be slower than the one that was measured.
        if 2.0 * rough < many {
            return None;
        }
        let short = counter.expected_seconds() / counter.plan().units() as f64 * FEWEST_UNITS <= GLANCE.as_secs_f64();
        let ratio = if short && memory::suffices(counter, threads).is_ok() {
            // Where no sample can be taken, the count will say why.
            let sample = self.pool.install(|| Sample::take(counter, threads, GLANCE, cancel, &|_| ())).ok();
            sample.filter(|sample| !sample.units.is_empty()).map_or(1.0, |sample| sample.times_as_long().ratio)
        } else {
            1.0
        };
        Some(rough * ratio).filter(|&seconds| seconds > many)
    }
}

/// The seconds that `threads` threads are expected to take for these units, on the machine that was measured.
fn spread(counter: &dyn Counter, units: &[usize], threads: usize) -> f64 {
    let plan = counter.plan();
    let all = plan.total_weight().max(1) as f64;
    counter.expected_seconds() * plan.work_and_idleness(units, threads) / (all * threads as f64)
}

/// Units that were counted.
struct Sample {
    /// For each the seconds expected on the machine that was measured, and those it took on this one.
    units: Vec<(f64, f64)>,
    /// The number of units that there are.
    of: usize,
}

/// How many times as long units take as expected, and by what share that may be off.
struct TimesAsLong {
    ratio: f64,
    off: f64,
}

impl Sample {
    /// Counts units on so many of the threads of the current pool.
    fn take(
        counter: &dyn Counter,
        threads: usize,
        budget: Duration,
        cancel: &Cancel,
        progress: &(dyn Fn(f64) + Sync),
    ) -> Result<Self, RunError> {
        let plan = counter.plan();
        let order = light_and_heavy(plan);
        let begun = AtomicUsize::new(0);
        let start = Instant::now();
        let stop = cancel.child();
        let panics = Panics::new(plan.board(), &stop);
        let count_units = |thread: usize, at: &mut Option<usize>| {
            let mut units = Vec::new();
            if thread >= threads {
                return units;
            }
            let mut worker = counter.worker();
            while start.elapsed() < budget && !stop.is_cancelled() {
                let Some(&unit) = order.get(begun.fetch_add(1, Ordering::Relaxed)) else { break };
                *at = Some(unit);
                let start = Instant::now();
                if worker.count(unit, &stop).is_err() {
                    break;
                }
                units.push((plan.weight(unit), start.elapsed().as_secs_f64()));
            }
            units
        };
        let look = || {
            let elapsed = start.elapsed();
            progress((elapsed.as_secs_f64() / budget.as_secs_f64()).min(1.0));
            if elapsed > 2 * budget {
                stop.cancel();
            }
        };
        let units =
            watched(BEAT, look, || rayon::broadcast(|context| panics.catch(|at| count_units(context.index(), at))))?;
        panics.none()?;
        let each = counter.expected_seconds() / plan.total_weight() as f64;
        let units =
            units.into_iter().flatten().flatten().map(|(weight, seconds)| (each * weight as f64, seconds)).collect();
        Ok(Self { units, of: plan.units() })
    }

    /// The ratio of the sums, and 95% bounds by the spread of the units about it: none where all have been counted.
    fn times_as_long(&self) -> TimesAsLong {
        let number = self.units.len() as f64;
        let (expected, taken) = self.units.iter().fold((0.0, 0.0), |sum, unit| (sum.0 + unit.0, sum.1 + unit.1));
        if expected == 0.0 {
            return TimesAsLong { ratio: 1.0, off: 0.0 };
        }
        let ratio = taken / expected;
        if self.units.len() == 1 && self.of > 1 {
            return TimesAsLong { ratio, off: 1.0 };
        }
        let squares: f64 = self.units.iter().map(|(expected, taken)| (taken - ratio * expected).powi(2)).sum();
        let not_counted = 1.0 - number / self.of as f64;
        let error = (not_counted * number * squares / (number - 1.0).max(1.0)).sqrt() / taken;
        TimesAsLong { ratio, off: student(self.units.len().max(2) - 1) * error }
    }
}

/// The units in an order in which the first few are like the whole, and the very first is the lightest, so that something
/// is soon known: of the units by weight the first, the one in the middle, those at the quarters, the eighths and so on.
pub(crate) fn light_and_heavy(plan: &Plan) -> Vec<usize> {
    let mut order: Vec<(u64, usize)> = (0_u64..).zip(plan.heaviest_first().into_iter().rev()).collect();
    let digits = (plan.units().max(1) as u64).next_power_of_two().trailing_zeros();
    order.sort_unstable_by_key(|&(rank, _)| if digits == 0 { 0 } else { rank.reverse_bits() >> (64 - digits) });
    order.into_iter().map(|(_, unit)| unit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::backtrack::Backtrack;
    use crate::engine::two_color::TwoColor;
    use crate::engine::{ENGINES, Settings};

    fn board(size: usize) -> Board {
        Board::new(size).unwrap()
    }

    fn job(size: usize) -> Job {
        Job { threads: 1, ..Job::new(board(size)) }
    }

    #[test]
    fn a_panic_in_a_unit_stops_the_others_and_is_an_error() {
        let engine = crate::run::tests::Panicking::after(1, true);
        let start = Instant::now();
        let job = job(8).threads(2).engine(engine);
        let error = job.expected(Duration::from_secs(60), &Cancel::new(), &|_| ()).unwrap_err();
        assert!(matches!(error, RunError::Panicked { unit: Some(_), .. }), "{error}");
        assert!(start.elapsed() < crate::run::tests::Panicking::PATIENCE / 2, "{:?}", start.elapsed());
    }

    fn expected(job: &Job, millis: u64) -> Expected {
        job.expected(Duration::from_millis(millis), &Cancel::new(), &|_| ()).unwrap()
    }

    /// To within what a busy machine does. A tenth of the units is counted, or all.
    #[test]
    fn what_is_expected_comes_true() {
        let scalar = Settings { kernel: Some(Kernel::Scalar), split_rows: Some(2), ..Settings::default() };
        for (job, millis) in [
            (Job { engine: &Backtrack, settings: scalar, ..job(14) }, 50),
            (Job { engine: &TwoColor, ..job(16) }, 2000),
            (Job { engine: &TwoColor, threads: 2, ..job(17) }, 50),
        ] {
            let expected = expected(&job, millis);
            let count = job.run(&Cancel::new(), &()).unwrap();
            let times = count.elapsed.as_secs_f64() / expected.seconds.estimate;
            assert!((0.2..5.0).contains(&times), "{times} times {expected:?}");
            assert_eq!(
                (expected.engine, expected.kernel, expected.threads),
                (count.engine, count.kernel, count.threads)
            );
            assert_eq!(expected.sampled, job.board);
            assert!(expected.units > 5 && (millis < 2000 || expected.units == count.units), "{expected:?}");
        }
    }

    #[test]
    fn every_board_that_can_be_counted_has_a_time() {
        for engine in ENGINES {
            for size in [1, 2, 3, 8, 20, 28] {
                let Interval { estimate, low, high } = expected(&Job { engine: *engine, ..job(size) }, 20).seconds;
                assert!(0.0 < low && low < estimate && estimate < high, "{}, N = {size}", engine.name());
                assert!(high.is_finite(), "{}, N = {size}", engine.name());
            }
        }
    }

    #[test]
    fn where_units_take_too_long_those_of_a_smaller_board_are_counted() {
        let expected = expected(&Job { engine: &Backtrack, ..job(28) }, 400);
        assert!((16..28).contains(&expected.sampled.size()) && expected.units > 0, "{expected:?}");
        // Some hundred years with AVX-512.
        assert!((1e8..1e13).contains(&expected.seconds.estimate), "{expected:?}");
    }

    #[test]
    fn only_long_counts_are_foretold_to_the_impatient() {
        let foretold = |size| {
            let ready = PreparedJob::new(&job(size), &Cancel::new()).unwrap();
            ready.seconds_if_more(60.0, &ready.counter.plan().heaviest_first(), &Cancel::new())
        };
        assert_eq!([8, 15, 16].map(foretold), [None, None, None]);
        assert!(foretold(26).unwrap() > 600.0);
    }

    /// As where a ledger has the others already.
    #[test]
    fn what_is_foretold_is_the_time_for_the_units_that_are_left() {
        let ready = PreparedJob::new(&job(26), &Cancel::new()).unwrap();
        let plan = ready.counter.plan();
        let all = plan.heaviest_first();
        let seconds = |units: &[usize]| spread(&*ready.counter, units, 4);
        let left = &all[all.len() / 2..];
        let share = left.iter().map(|&unit| plan.weight(unit)).sum::<u64>() as f64 / plan.total_weight() as f64;
        let ratio = seconds(left) / seconds(&all);
        assert!(share < 0.6 && (ratio / share - 1.0).abs() < 0.1, "{ratio}, {share}");
        let foretold = |units| ready.seconds_if_more(60.0, units, &Cancel::new());
        assert!(foretold(left).unwrap() < foretold(&all).unwrap());
        assert_eq!(foretold(&all[all.len() - 1..]), None);
    }

    #[test]
    fn it_stops_when_asked_and_refuses_what_cannot_be_counted() {
        let cancel = Cancel::new();
        cancel.cancel();
        let error = job(20).expected(Duration::from_secs(60), &cancel, &|_| ()).unwrap_err();
        assert!(matches!(error, RunError::Cancelled { done: 0, .. }), "{error}");
        let job = Job { engine: &TwoColor, ..job(29) };
        let error = job.expected(Duration::from_secs(1), &Cancel::new(), &|_| ()).unwrap_err();
        assert!(matches!(error, RunError::Prepare(_)), "{error}");
    }

    #[test]
    fn a_sample_is_as_sure_as_its_units_agree() {
        let off = |units: &[(f64, f64)], of| {
            let TimesAsLong { ratio, off } = Sample { units: units.to_vec(), of }.times_as_long();
            assert!((ratio - 2.0).abs() < 1e-12);
            off
        };
        let agreeing = [(1.0, 2.0), (3.0, 6.0)];
        let differing = [(1.0, 1.0), (3.0, 7.0)];
        assert!(off(&agreeing, 100) < 1e-12 && off(&differing, 100) > 0.5);
        assert!(off(&differing, 2) < 1e-12, "nothing is left to differ");
        assert!(off(&[(1.0, 2.0)], 2) > 0.9 && off(&[(1.0, 2.0)], 1) < 1e-12);
    }

    #[test]
    fn units_are_taken_from_all_weights() {
        let plan = Plan::new("test", board(8), "test".into(), vec![80, 10, 20, 70, 30, 60, 50, 40], 1);
        let weights: Vec<u64> = light_and_heavy(&plan).into_iter().map(|unit| plan.weight(unit)).collect();
        assert_eq!(weights, [10, 50, 30, 70, 20, 60, 40, 80]);
        let plan = Plan::new("test", board(8), "test".into(), vec![3, 1, 2], 1);
        assert_eq!(light_and_heavy(&plan), [1, 0, 2]);
        assert_eq!(light_and_heavy(&Plan::new("test", board(8), "test".into(), vec![5], 1)), [0]);
    }
}
