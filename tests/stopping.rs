//! A long count stops soon after it is asked to. In a process of its own, because its CPU time is measured.
#![cfg(unix)]

use nix::time::{ClockId, clock_gettime};
use nqueens::cancel::Cancelled;
use nqueens::engine::backtrack::Backtrack;
use nqueens::engine::two_color::TwoColor;
use nqueens::engine::{Engine, PrepareError, Settings, SymmetryReduction};
use nqueens::run::logical_cpus;
use nqueens::{Board, Cancel, Job, RunError};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Held by the test that runs: the CPU time is that of all.
static TURN: Mutex<()> = Mutex::new(());

/// The CPU time of all threads of this process. What else the machine has to do does not count.
fn cpu_time() -> Duration {
    Duration::from(clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID).expect("a process has a clock"))
}

/// On an idle machine the limits are a second for a few threads, and three where many share a CPU.
#[test]
fn a_long_count_stops_soon_after_it_is_asked_to_with_few_threads_and_with_many() {
    let _turn = TURN.lock();
    let counts: [(&'static dyn Engine, usize, u32); 4] =
        [(&Backtrack, 3, 1), (&Backtrack, 256, 3), (&TwoColor, 3, 1), (&TwoColor, 16, 3)];
    for (engine, threads, seconds) in counts {
        let cancel = Cancel::new();
        let stopping = std::thread::scope(|scope| {
            let count =
                scope.spawn(|| Job::new(Board::new(23).unwrap()).engine(engine).threads(threads).run(&cancel, &()));
            // By then it counts.
            let begun = cpu_time();
            while cpu_time() - begun < Duration::from_secs(1) {
                std::thread::sleep(Duration::from_millis(10));
            }
            cancel.cancel();
            let asked = cpu_time();
            assert!(matches!(count.join().unwrap(), Err(RunError::Cancelled { .. })));
            cpu_time() - asked
        });
        let busy = u32::try_from(threads.min(logical_cpus())).unwrap();
        let limit = Duration::from_secs(1) * seconds * busy;
        assert!(stopping < limit, "{}, {threads} threads: {stopping:?} of CPU time", engine.name());
    }
}

#[test]
fn making_a_plan_stops_soon_after_it_is_asked_to() {
    let _turn = TURN.lock();
    for (engine, settings) in [
        (&TwoColor as &dyn Engine, Settings::default()),
        (
            &Backtrack,
            Settings { symmetry: Some(SymmetryReduction::Mirror), split_rows: Some(3), ..Settings::default() },
        ),
    ] {
        let cancel = Cancel::new();
        let stopping = std::thread::scope(|scope| {
            let plan = scope.spawn(|| engine.prepare(Board::new(28).unwrap(), &settings, &cancel));
            std::thread::sleep(Duration::from_millis(5));
            cancel.cancel();
            let asked = Instant::now();
            assert_eq!(plan.join().unwrap().err(), Some(PrepareError::Cancelled(Cancelled)), "{}", engine.name());
            asked.elapsed()
        });
        assert!(stopping < Duration::from_secs(1), "{}: {stopping:?}", engine.name());
    }
}
