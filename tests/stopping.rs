//! Checks that a long count stops soon after a request. These tests have their own process, because they measure its
//! CPU time.
#![cfg(unix)]

use nix::time::{ClockId, clock_gettime};
use nqueens::cancel::Cancelled;
use nqueens::engine::backtrack::Backtrack;
use nqueens::engine::two_color::TwoColor;
use nqueens::engine::{CountingEngine, PrepareError, Settings};
use nqueens::run::logical_cpus;
use nqueens::{Board, Cancel, Job, RunError};
use std::sync::Mutex;
use std::time::Duration;

/// Held by the running test, because the CPU time is that of the whole process.
static TURN: Mutex<()> = Mutex::new(());

/// Returns the CPU seconds of all threads of this process. Unlike elapsed time, this does not depend on other
/// processes.
fn cpu_seconds() -> f64 {
    Duration::from(clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID).expect("a process has a clock")).as_secs_f64()
}

/// On an idle machine, the limit is one second for a few threads, and three seconds if many threads share a CPU.
#[test]
fn a_long_count_stops_soon_after_it_is_asked_to_with_few_threads_and_with_many() {
    let _turn = TURN.lock();
    let counts: [(&'static dyn CountingEngine, usize, f64); 4] =
        [(&Backtrack, 3, 1.0), (&Backtrack, 256, 3.0), (&TwoColor, 3, 1.0), (&TwoColor, 16, 3.0)];
    for (engine, threads, seconds) in counts {
        let cancel = Cancel::new();
        let stopping = std::thread::scope(|scope| {
            let count = scope.spawn(|| {
                Job::new(Board::new(23).unwrap()).with_engine(engine).threads(threads).run_with(&cancel, &())
            });
            // The count has started by then.
            let begun = cpu_seconds();
            while cpu_seconds() - begun < 1.0 {
                std::thread::sleep(Duration::from_millis(10));
            }
            cancel.cancel();
            let asked = cpu_seconds();
            assert!(matches!(count.join().unwrap(), Err(RunError::Cancelled { .. })));
            cpu_seconds() - asked
        });
        let limit = seconds * threads.min(logical_cpus()) as f64;
        assert!(stopping < limit, "{}, {threads} threads: {stopping} of {limit} CPU seconds", engine.name());
    }
}

#[test]
fn making_a_plan_stops_soon_after_it_is_asked_to() {
    let _turn = TURN.lock();
    for (engine, settings) in [
        (&TwoColor as &dyn CountingEngine, Settings::default()),
        (&Backtrack, Settings { split_rows: Some(3), ..Settings::default() }),
    ] {
        let cancel = Cancel::new();
        let stopping = std::thread::scope(|scope| {
            let plan = scope.spawn(|| engine.prepare(Board::new(28).unwrap(), &settings, &cancel));
            std::thread::sleep(Duration::from_millis(5));
            cancel.cancel();
            let asked = cpu_seconds();
            assert_eq!(plan.join().unwrap().err(), Some(PrepareError::Cancelled(Cancelled)), "{}", engine.name());
            cpu_seconds() - asked
        });
        assert!(stopping < logical_cpus() as f64, "{}: {stopping} CPU seconds", engine.name());
    }
}
