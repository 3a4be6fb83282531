//! Checks that long computations stop soon after a request. These tests have their own process, because they measure
//! its CPU time.
#![cfg(unix)]

use nix::time::{ClockId, clock_gettime};
use nqueens::Cancelled;
use nqueens::classic::Method;
use nqueens::engine::{Engine, Kernel, PrepareError, Settings};
use nqueens::estimate::TreeEstimate;
use nqueens::machine::logical_cpus;
use nqueens::symmetry::{Symmetry, count_invariant};
use nqueens::{Board, Cancel, Job, RunError};
use std::io::Write;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Held by the running test, because the CPU time is that of the whole process.
static TURN: Mutex<()> = Mutex::new(());

/// The CPU seconds within which a command must stop, as the documents promise.
const LIMIT: f64 = 1.0;

/// The longest time for a stop on a machine that is busy with other programs. It ends a test that hangs.
const PATIENCE: Duration = Duration::from_secs(300);

/// Returns the CPU seconds of all threads of this process. Unlike elapsed time, this does not depend on other
/// processes.
fn cpu_seconds() -> f64 {
    Duration::from(clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID).expect("a process has a clock")).as_secs_f64()
}

/// Asks `work` to stop once it has taken `after` CPU seconds. Returns those that it takes until it has stopped; `None`
/// if `work` returns false because it was done before.
fn stopping(after: f64, work: impl FnOnce(&Cancel) -> bool + Send) -> Option<f64> {
    let cancel = Cancel::new();
    std::thread::scope(|scope| {
        let begun = cpu_seconds();
        let work = scope.spawn(|| work(&cancel));
        while cpu_seconds() - begun < after && !work.is_finished() {
            std::thread::sleep(Duration::from_millis(1));
        }
        cancel.cancel();
        let (asked, start) = (cpu_seconds(), Instant::now());
        while !work.is_finished() {
            if start.elapsed() > PATIENCE {
                // A thread cannot be ended, and a scope waits for it. The test harness captures what macros print.
                let _ = std::io::stderr().write_all(b"error: a computation does not stop\n");
                std::process::exit(1);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        work.join().unwrap().then(|| cpu_seconds() - asked)
    })
}

/// Runs a count that takes longer than these tests.
fn count(engine: Engine, size: usize, threads: usize, settings: Settings, cancel: &Cancel) -> bool {
    let job = Job::new(Board::new(size).unwrap()).engine(engine).threads(threads).settings(settings);
    let error = job.run_with(cancel, &()).unwrap_err();
    assert!(
        matches!(error, RunError::Cancelled { .. } | RunError::Prepare(PrepareError::Cancelled(Cancelled))),
        "{error}"
    );
    true
}

/// On an idle machine, the limit is one second for a few threads, and three seconds if many threads share a CPU.
#[test]
fn a_long_count_stops_soon_after_it_is_asked_to_with_few_threads_and_with_many() {
    let _turn = TURN.lock();
    // The two-color engine makes its plan first.
    let counts: [(Engine, usize, f64, f64); 4] = [
        (Engine::Backtrack, 3, 0.2, 1.0),
        (Engine::Backtrack, 256, 0.4, 3.0),
        (Engine::TwoColor, 3, 0.5, 1.0),
        (Engine::TwoColor, 16, 1.0, 3.0),
    ];
    for (engine, threads, moment, seconds) in counts {
        let stopping = stopping(moment, |cancel| count(engine, 23, threads, Settings::default(), cancel)).unwrap();
        let limit = seconds * threads.min(logical_cpus()) as f64;
        assert!(stopping < limit, "{}, {threads} threads: {stopping} of {limit} CPU seconds", engine.name());
    }
}

/// On one thread, from the first moments of the plan through tables and probe lists to units.
#[test]
fn a_count_of_a_large_board_stops_soon_whatever_it_is_at() {
    let _turn = TURN.lock();
    let stops = |engine: Engine, sizes: &[usize], settings: Settings, moments: &[f64]| {
        for (&size, &moment) in sizes.iter().flat_map(|size| moments.iter().map(move |moment| (size, moment))) {
            let stopping = stopping(moment, |cancel| count(engine, size, 1, settings, cancel)).unwrap();
            let name = engine.name();
            assert!(stopping < LIMIT, "{name}, N = {size}, {settings:?}: {stopping} CPU seconds after {moment}");
        }
    };
    let with = |kernel: &Kernel| Settings { kernel: Some(*kernel), ..Settings::default() };
    stops(Engine::TwoColor, &[28], Settings::default(), &[0.02, 0.1, 0.3, 1.2]);
    stops(Engine::TwoColor, &[28], Settings { exchanged: true, ..Settings::default() }, &[0.8]);
    for kernel in Engine::TwoColor.kernels() {
        stops(Engine::TwoColor, &[22], with(&kernel), &[0.3]);
        stops(Engine::TwoColor, &[26], with(&kernel), &[0.6]);
    }
    for kernel in Engine::Backtrack.kernels() {
        stops(Engine::Backtrack, &[32], with(&kernel), &[0.1]);
    }
}

#[test]
fn making_a_plan_stops_soon_after_it_is_asked_to() {
    let _turn = TURN.lock();
    let rows = Settings { split_rows: Some(3), ..Settings::default() };
    let plans: [(Engine, usize, Settings); 4] = [
        (Engine::TwoColor, 26, Settings::default()),
        (Engine::TwoColor, 28, Settings::default()),
        (Engine::TwoColor, 28, Settings { exchanged: true, ..Settings::default() }),
        (Engine::Backtrack, 32, rows),
    ];
    for (engine, size, settings) in plans {
        let prepare = |cancel: &Cancel| match engine.prepare(Board::new(size).unwrap(), &settings, cancel) {
            Ok(_) => false,
            Err(error) => {
                assert_eq!(error, PrepareError::Cancelled(Cancelled), "{}", engine.name());
                true
            }
        };
        let mut stopped = 0;
        for moment in (0..50).map(|moment| 0.005 + 0.3 * f64::from(moment)) {
            let Some(stopping) = stopping(moment, prepare) else { break };
            stopped += 1;
            // The plan is made by all CPUs.
            let limit = LIMIT / 4.0 * logical_cpus() as f64;
            assert!(stopping < limit, "{}, N = {size}: {stopping} CPU seconds after {moment}", engine.name());
        }
        assert!(stopped > 0, "{}: the plan takes longer than the first moment", engine.name());
    }
}

#[test]
fn other_searches_stop_soon_after_they_are_asked_to() {
    let _turn = TURN.lock();
    let board = |size| Board::new(size).unwrap();
    let stops = |name: &str, work: &(dyn Fn(&Cancel) -> Result<(), Cancelled> + Sync)| {
        let stopping = stopping(0.1, |cancel| work(cancel).is_err()).expect("it takes longer");
        assert!(stopping < LIMIT, "{name}: {stopping} CPU seconds");
    };
    stops("half turn", &|cancel| count_invariant(board(32), Symmetry::HalfTurn, cancel).map(drop));
    stops("estimate", &|cancel| TreeEstimate::probe(board(32), 1 << 24, 1, cancel, &|_| ()).map(drop));
    for &method in Method::ALL {
        stops(method.name(), &|cancel| method.effort(board(20), cancel).map(drop));
    }
}
