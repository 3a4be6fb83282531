//! How soon a long count stops. In a process of its own, because many threads leave no CPU to other tests.

use nqueens::engine::Engine;
use nqueens::engine::backtrack::Backtrack;
use nqueens::engine::two_color::TwoColor;
use nqueens::{Board, Cancel, Job, RunError};
use std::time::{Duration, Instant};

#[test]
fn a_long_count_stops_soon_after_it_is_asked_to_with_few_threads_and_with_many() {
    let counts: [(&'static dyn Engine, usize, Duration); 4] = [
        (&Backtrack, 3, Duration::from_secs(1)),
        (&Backtrack, 256, Duration::from_secs(3)),
        (&TwoColor, 3, Duration::from_secs(1)),
        (&TwoColor, 16, Duration::from_secs(3)),
    ];
    for (engine, threads, limit) in counts {
        let cancel = Cancel::new();
        let stopping = std::thread::scope(|scope| {
            let count =
                scope.spawn(|| Job::new(Board::new(23).unwrap()).engine(engine).threads(threads).run(&cancel, &()));
            std::thread::sleep(Duration::from_secs(1));
            cancel.cancel();
            let asked = Instant::now();
            assert!(matches!(count.join().unwrap(), Err(RunError::Cancelled { .. })));
            asked.elapsed()
        });
        assert!(stopping < limit, "{}, {threads} threads: {stopping:?}", engine.name());
    }
}
