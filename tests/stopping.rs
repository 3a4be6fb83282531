//! How soon a long count stops. In a process of its own, because many threads leave no CPU to other tests.

use nqueens::cancel::Cancelled;
use nqueens::engine::backtrack::Backtrack;
use nqueens::engine::two_color::TwoColor;
use nqueens::engine::{Engine, PrepareError, Settings, SymmetryReduction};
use nqueens::{Board, Cancel, Job, RunError};
use std::time::{Duration, Instant};

#[test]
fn a_long_count_stops_soon_after_it_is_asked_to_with_few_threads_and_with_many() {
    let counts: [(&dyn Engine, usize, Duration); 4] = [
        (&Backtrack, 3, Duration::from_secs(1)),
        (&Backtrack, 256, Duration::from_secs(3)),
        (&TwoColor, 3, Duration::from_secs(1)),
        (&TwoColor, 16, Duration::from_secs(3)),
    ];
    for (engine, threads, limit) in counts {
        let cancel = Cancel::new();
        let stopping = std::thread::scope(|scope| {
            let count = scope.spawn(|| Job { engine, threads, ..Job::new(Board::new(23).unwrap()) }.run(&cancel, &()));
            std::thread::sleep(Duration::from_secs(1));
            cancel.cancel();
            let asked = Instant::now();
            assert!(matches!(count.join().unwrap(), Err(RunError::Cancelled { .. })));
            asked.elapsed()
        });
        assert!(stopping < limit, "{}, {threads} threads: {stopping:?}", engine.name());
    }
}

#[test]
fn making_a_plan_stops_soon_after_it_is_asked_to() {
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
