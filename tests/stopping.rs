//! How soon a long count stops. In a process of its own, because many threads leave no CPU to other tests.

use nqueens::{Board, Cancel, Job, RunError};
use std::time::{Duration, Instant};

#[test]
fn a_long_count_stops_soon_after_it_is_asked_to_with_few_threads_and_with_many() {
    for (threads, limit) in [(3, Duration::from_secs(1)), (256, Duration::from_secs(3))] {
        let cancel = Cancel::new();
        let stopping = std::thread::scope(|scope| {
            let count = scope.spawn(|| Job { threads, ..Job::new(Board::new(24).unwrap()) }.run(&cancel, &()));
            std::thread::sleep(Duration::from_secs(1));
            cancel.cancel();
            let asked = Instant::now();
            assert!(matches!(count.join().unwrap(), Err(RunError::Cancelled { .. })));
            asked.elapsed()
        });
        assert!(stopping < limit, "{threads} threads: {stopping:?}");
    }
}
