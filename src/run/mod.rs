//! Runs a job: spreads the units of a plan over threads and sums their partial counts.
//!
//! - [`Job`] names the board, the engine and the number of threads; [`Job::run`] counts.
//! - [`PreparedJob`] holds the plan and the started threads. It counts units.
//! - [`Observer`] follows a count.
//! - [`Sum`] adds up partial counts; [`Shard`] is a part of a plan for one of several machines.

#![deny(clippy::cast_possible_truncation, clippy::cast_sign_loss)]

mod by_square;
mod count;
mod counting;
mod error;
mod expected;
mod job;
pub(crate) mod memory;
mod observer;
mod panics;
mod pool;
pub(crate) mod recount;
mod route;
mod shard;
mod sum;
mod system;
mod threads;

pub use count::Count;
pub use counting::PreparedJob;
pub use error::{RunError, bytes_in_words};
pub use expected::TimeEstimate;
pub use job::Job;
#[cfg(feature = "ledger")]
pub(crate) use observer::part_of;
pub use observer::{EachUnit, Observer, UnitResult};
#[cfg(feature = "ledger")]
pub(crate) use panics::join;
pub(crate) use pool::watched;
pub use pool::{Pool, on_threads};
pub use route::Route;
#[cfg(feature = "ledger")]
pub(crate) use route::route_in_words;
pub use shard::Shard;
pub use sum::Sum;
#[cfg(feature = "ledger")]
pub(crate) use sum::total;
pub use threads::{cpu_model, cpus, default_threads, logical_cpus, process_cpu_time};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::cancel::Cancel;
    use crate::engine::{Engine, StopReason};
    use crate::fake_engine::FakeEngine;
    use crate::setup::Setup;
    use std::collections::HashSet;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Instant;

    fn job(size: usize) -> Job {
        Job::new(Board::new(size).unwrap())
    }

    #[test]
    fn thread_numbers_out_of_range_are_refused() {
        for threads in [0, Job::MOST_THREADS + 1] {
            let error = job(4).threads(threads).run().unwrap_err();
            let expected =
                format!("cannot count with {threads} threads; give a number from 1 to {}", Job::MOST_THREADS);
            assert_eq!(error.to_string(), expected);
        }
    }

    /// Remembers the finished units in order.
    #[derive(Default)]
    struct Seen(Mutex<Vec<usize>>);

    impl Observer for Seen {
        fn unit_done(&self, unit: &UnitResult) {
            self.0.lock().unwrap().push(unit.unit);
        }
    }

    #[test]
    fn observers_are_told_of_every_unit_once_and_of_the_share_that_is_done() {
        for threads in [1, 7] {
            let (seen, shares) = (Seen::default(), Mutex::new(Vec::new()));
            let share = |share: f64| shares.lock().unwrap().push(share);
            let count = job(10).threads(threads).run_with(&Cancel::new(), &seen).unwrap();
            job(10).threads(threads).run_with(&Cancel::new(), &share).unwrap();
            let mut seen = seen.0.into_inner().unwrap();
            seen.sort_unstable();
            assert_eq!(seen, (0..count.units).collect::<Vec<_>>());
            let shares = shares.into_inner().unwrap();
            assert!(shares.len() == count.units && shares.contains(&1.0), "{shares:?}");
            assert!(shares.is_sorted() || threads > 1, "{shares:?}");
        }
    }

    /// The thread that made the plan goes on to the units, and nobody else is woken in between.
    #[test]
    fn the_prepared_job_is_shown_by_the_thread_that_counts() {
        #[derive(Default)]
        struct Threads(Mutex<Vec<std::thread::ThreadId>>);
        impl Observer for Threads {
            fn prepared(&self, job: &PreparedJob) {
                assert_eq!((job.threads_for(50), job.plan().units()), (1, 50));
                self.0.lock().unwrap().push(std::thread::current().id());
            }
            fn unit_done(&self, _: &UnitResult) {
                self.0.lock().unwrap().push(std::thread::current().id());
            }
        }
        let (threads, engine) = (Threads::default(), FakeEngine::counting(Vec::new(), 0, |_| 3));
        job(8).threads(1).counted_by(engine).run_with(&Cancel::new(), &threads).unwrap();
        let threads = threads.0.into_inner().unwrap();
        assert!(threads.len() == 51 && !threads.contains(&std::thread::current().id()), "{threads:?}");
        assert_eq!(HashSet::<_>::from_iter(&threads).len(), 1);
    }

    #[test]
    fn units_are_begun_longest_first() {
        let seen = Seen::default();
        let job = job(13).engine(Engine::Backtrack).threads(1).split_rows(2);
        job.run_with(&Cancel::new(), &seen).unwrap();
        let order = job.prepare(&Cancel::new()).unwrap().units();
        assert_ne!(order, (0..order.len()).collect::<Vec<_>>(), "the order is not the trivial one");
        assert_eq!(seen.0.into_inner().unwrap(), order);
    }

    #[test]
    fn some_units_are_counted_and_none_twice_or_that_the_plan_lacks() {
        let engine = FakeEngine::counting(Vec::new(), 0, |unit| unit as u128);
        let prepared = job(8).threads(2).counted_by(engine).prepare(&Cancel::new()).unwrap();
        let count = |units: &[usize]| prepared.count_units(units, &Cancel::new(), &());
        assert_eq!(count(&[7, 49]).unwrap().so_far().unwrap(), (2, 56));
        for (units, wrong) in [([7, 7], 7), ([1, 50], 50)] {
            let refused = count(&units).unwrap_err().to_string();
            assert_eq!(refused, format!("unit {wrong} was counted twice, or does not exist"));
        }
    }

    #[test]
    fn a_panic_in_a_unit_stops_the_other_threads_within_theirs_and_is_an_error() {
        for threads in [1, 2, 7] {
            let (engine, cancel, start) = (FakeEngine::after(threads - 1, true), Cancel::new(), Instant::now());
            let error = job(8).threads(threads).counted_by(engine).run_with(&cancel, &()).unwrap_err();
            let RunError::Panicked { unit: Some((board, unit)), message } = &error else { panic!("{error}") };
            assert_eq!((board.size(), &**message), (8, &*format!("on purpose, in unit {unit}")));
            assert_eq!(error.to_string(), format!("unit {unit} of N = 8 panicked: on purpose, in unit {unit}"));
            assert!(start.elapsed() < FakeEngine::PATIENCE / 2, "{:?}", start.elapsed());
            assert!(!cancel.is_cancelled(), "only this count ends");
        }
    }

    #[cfg(feature = "ledger")]
    #[test]
    fn a_panic_leaves_what_is_in_the_ledger() {
        use crate::ledger::{LedgerError, Run, read};
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("panic.jsonl");
        let job = job(8).threads(1).counted_by(FakeEngine::after(3, false));
        let cancel = Cancel::new();
        let count = || Run::open(&job, &path, Shard::WHOLE, &cancel)?.count(&cancel, &());
        let error = count().unwrap_err();
        assert!(matches!(error, LedgerError::Run(RunError::Panicked { .. })), "{error}");
        assert_eq!(read(&path).unwrap().units.len(), 3);
        let total = count().unwrap().map(|count| count.total);
        assert_eq!(total, Some(50), "the next run goes on from there");
    }

    #[test]
    fn there_is_one_worker_for_each_thread_and_the_sum_is_divided() {
        let (pool, all) = (Pool::new(3).unwrap(), default_threads().min(50));
        let most = job(8).threads(Job::MOST_THREADS);
        let asked = [(job(8).threads(1), 1), (job(8).threads(7), 7), (most, 50), (job(8).most_threads(7), 7)];
        for (job, threads) in asked.into_iter().chain([(job(8).pool(&pool), 3), (job(8), all)]) {
            let engine = FakeEngine::counting(Vec::new(), 0, |unit| unit as u128);
            let count = job.counted_by(engine).run();
            // 0 + 1 + … + 49 = 1225 is not a multiple of 3.
            let error = count.unwrap_err();
            assert!(matches!(error, RunError::Sum(_)) && error.to_string().contains(" 1225, "), "{error}");
            assert_eq!(engine.workers(), threads);
        }
    }

    /// Unit 7 counts 7, which is not a multiple of 2.
    #[test]
    fn an_impossible_partial_count_is_an_error_and_is_told_to_nobody() {
        let weights = [vec![1; 7], vec![2], vec![1; 42]].concat();
        let engine = FakeEngine::counting(weights, 0, |unit| unit as u128);
        for threads in [1, 3] {
            let seen = Seen::default();
            let error = job(8).threads(threads).counted_by(engine).run_with(&Cancel::new(), &seen).unwrap_err();
            let expected = "unit 7 of N = 8 counted 7, which is not a multiple of 2";
            assert_eq!(error.to_string(), expected);
            assert!(!seen.0.into_inner().unwrap().contains(&7));
        }
    }

    #[test]
    fn a_worker_that_gets_no_memory_or_whose_device_fails_is_an_error() {
        let error = |stopped| job(8).threads(3).counted_by(FakeEngine::stopped(stopped)).run().unwrap_err();
        let RunError::Memory { message, .. } = error(StopReason::Memory) else { panic!("it lacks memory") };
        assert!(message.starts_with("N = 8 on 3 threads needs ") && message.contains("gives no more"), "{message}");
        let lost = StopReason::Device { message: "lost".to_owned(), is_wrong: false };
        assert!(matches!(error(lost), RunError::Device { message, is_wrong: false } if message == "lost"));
    }

    /// The panic of an observer resumes in the caller, no matter which thread told the observer of what.
    #[test]
    fn a_panic_of_an_observer_resumes_in_the_caller() {
        let faulty = EachUnit(|_: &UnitResult| panic!("on purpose"));
        let engine = FakeEngine::counting(Vec::new(), 0, |_| 3);
        for job in [job(8), job(8).threads(2).counted_by(engine)] {
            let cancel = Cancel::new();
            let run = || job.run_with(&cancel, &faulty).map(drop);
            let panic = catch_unwind(AssertUnwindSafe(run)).unwrap_err();
            assert_eq!(panic.downcast_ref(), Some(&"on purpose"));
            assert!(!cancel.is_cancelled(), "only this count ends");
        }
    }

    /// A count that is over in microseconds starts no threads.
    #[test]
    fn the_calling_thread_makes_quick_counts() {
        let named = Mutex::new(Vec::new());
        let observer = EachUnit(|_: &UnitResult| named.lock().unwrap().push(std::thread::current().id()));
        let count = |job: Job| job.run_with(&Cancel::new(), &observer).unwrap().threads;
        assert_eq!(count(job(8)), 1);
        assert_eq!(count(job(8).threads(7)), 1);
        let here = std::thread::current().id();
        assert!(named.lock().unwrap().drain(..).all(|thread| thread == here));
        assert_eq!(count(job(13).threads(2).engine(Engine::Backtrack)), 2);
        assert!(named.lock().unwrap().drain(..).all(|thread| thread != here));
        // Rows with one square left are no rows to fill.
        let queen = |size| Setup::new(Board::new(size).unwrap()).with_queen(0, 3).unwrap();
        for setup in [queen(8), queen(12)] {
            let job = Job::new(setup).threads(2);
            assert!(job.is_quick() && job.run().unwrap().total > 0);
            assert_eq!(count(job), 1);
            assert!(named.lock().unwrap().drain(..).all(|thread| thread == here));
        }
        assert!(!Job::new(queen(13)).is_quick());
        // An optimized search needs little stack.
        let count_all = || (1..=11).map(|size| job(size).run().unwrap().threads).max();
        let small = std::thread::Builder::new().stack_size(64 << 10).spawn(count_all).unwrap();
        assert_eq!(small.join().unwrap(), Some(1));
        let pool = Pool::new(2).unwrap();
        for size in [8, 13, 12] {
            assert_eq!(
                job(size).pool(&pool).run().unwrap().total,
                crate::published::total(Board::new(size).unwrap()).unwrap()
            );
        }
        assert_eq!(count(job(13).pool(&pool).engine(Engine::Backtrack)), 2);
        count(job(13).pool(&pool).engine(Engine::Backtrack));
        // On a busy machine one of the threads may count all.
        let threads: HashSet<_> = named.lock().unwrap().drain(..).collect();
        assert!(threads.len() <= 2, "the threads stay: {threads:?}");
    }

    #[test]
    fn a_count_that_takes_more_memory_than_there_is_is_refused() {
        let available = memory::available().expect("this system says how much memory there is");
        let engine = FakeEngine::counting(Vec::new(), available / 2, |_| 0);
        let error = job(8).threads(3).counted_by(engine).run().unwrap_err();
        let all = available / 2 * 3;
        let RunError::Memory { message, needed } = &error else { panic!("{error}") };
        let said = format!("on 3 threads needs about {} of memory", bytes_in_words(all));
        assert!(message.contains(&said) && *needed == all, "{error}");
        let message = error.to_string();
        assert!(message.ends_with("give fewer threads or free some"), "{message}");
        assert_eq!(engine.workers(), 0, "nothing was begun");
    }

    #[test]
    fn a_cancelled_count_says_how_far_it_came() {
        let (cancel, seen) = (Cancel::new(), AtomicUsize::new(0));
        let stop_after_three = EachUnit(|_: &UnitResult| {
            if seen.fetch_add(1, Ordering::Relaxed) == 2 {
                cancel.cancel();
            }
        });
        let job = job(14).engine(Engine::Backtrack).threads(1).split_rows(2);
        let error = job.run_with(&cancel, &stop_after_three).unwrap_err();
        assert!(matches!(error, RunError::Cancelled { done: 3, .. }), "{error}");
    }
}
