//! Many more threads than CPUs. In a process of its own, because it leaves no CPU to other tests.

use nqueens::{Board, Cancel, Job, RunError};
use std::time::{Duration, Instant};

#[test]
fn very_many_threads_can_be_had_and_stopped() {
    let cancel = Cancel::new();
    let stopping = std::thread::scope(|scope| {
        let count = scope.spawn(|| Job { threads: 256, ..Job::new(Board::new(24).unwrap()) }.run(&cancel, &()));
        std::thread::sleep(Duration::from_secs(1));
        cancel.cancel();
        let asked = Instant::now();
        assert!(matches!(count.join().unwrap(), Err(RunError::Cancelled { .. })));
        asked.elapsed()
    });
    assert!(stopping < Duration::from_secs(3), "{stopping:?}");
}
