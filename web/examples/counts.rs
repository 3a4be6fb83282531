//! Counts by the library as any crate does, on one thread and perhaps without a clock. `scripts/web.sh test` runs this
//! in Node, as WebAssembly of a browser and of WASI.

use nqueens::{Board, Cancel, Engine, Job, Pool, RunError, Setup, Verdict, solutions};
use std::time::Duration;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cancel = Cancel::new();
    for (size, total) in [(1, 1), (8, 92), (12, 14_200), (14, 365_596), (16, 14_772_512)] {
        assert_eq!(nqueens::count(size)?, total);
    }
    for engine in [Engine::Backtrack, Engine::TwoColor] {
        for kernel in engine.kernels() {
            let job = Job::new(Board::new(13)?).engine(engine).kernel(kernel).threads(4);
            let count = job.run_with(&cancel, &|share: f64| assert!(share <= 1.0))?;
            assert_eq!((count.total, count.verdict()), (73_712, Verdict::Matches));
            assert_eq!(count.double_check(4, &cancel, &())?.len(), 1);
        }
    }
    assert_eq!(Job::new(Setup::new(Board::new(8)?).with_queen(0, 3)?).run()?.total, 18);
    let stops = Cancel::new();
    let stopped = Job::new(Board::new(14)?).run_with(&stops, &|_: f64| stops.cancel());
    assert!(matches!(stopped, Err(RunError::Cancelled { .. })) && stops.wait(Duration::MAX));
    assert!(!cancel.wait(Duration::from_millis(1)));
    assert_eq!(Job::new(Board::new(4)?).by_square(&cancel, &())?[0], [0, 1, 1, 0]);
    assert_eq!(solutions(Board::new(8)?).count(), 92);
    assert!(Pool::new(1).is_ok() || cfg!(target_family = "wasm"));
    Ok(())
}
