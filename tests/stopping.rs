//! A long count stops soon after it is asked to. In a process of its own, because its CPU time is measured.
#![cfg(unix)]

use nix::time::{ClockId, clock_gettime};
use nqueens::engine::Engine;
use nqueens::engine::backtrack::Backtrack;
use nqueens::engine::two_color::TwoColor;
use nqueens::run::logical_cpus;
use nqueens::{Board, Cancel, Job, RunError};
use std::time::Duration;

/// The CPU time of all threads of this process. What else the machine has to do does not count.
fn cpu_time() -> Duration {
    Duration::from(clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID).expect("a process has a clock"))
}

/// On an idle machine the limits are a second for a few threads, and three where many share a CPU.
#[test]
fn a_long_count_stops_soon_after_it_is_asked_to_with_few_threads_and_with_many() {
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
