//! Counts with every engine and kernel, from threads of all kinds, up to a given size.

mod fake_engine;
mod readme;

use fake_engine::FakeEngine;
use nqueens::classic::{Method, Trace, construct, is_solution};
use nqueens::symmetry::FundamentalCount;
use nqueens::engine::StopReason;
use nqueens::{Board, Cancel, Engine, Job, RunError, Verdict, solutions};
use rayon::prelude::*;
use std::ops::ControlFlow::Continue;
use std::thread;

/// A thread of a C library may have no more stack than this.
const SMALL_STACK: usize = 64 << 10;

/// Counts each board with every engine and kernel that can count it.
fn count(sizes: impl Iterator<Item = usize>) {
    for board in sizes.map(|size| Board::new(size).unwrap()) {
        for &engine in Engine::ALL {
            for kernel in engine.kernels() {
                let count = Job::new(board).engine(engine).kernel(kernel).run().unwrap();
                assert_eq!(count.verdict(), Verdict::Matches, "N = {board}, {engine}, {kernel}");
            }
        }
    }
}

/// Calls everything else.
fn rest() {
    let (board, cancel) = (Board::new(7).unwrap(), Cancel::new());
    assert_eq!(nqueens::count(7).unwrap(), 40);
    assert_eq!(solutions(board).count(), 40);
    assert_eq!(FundamentalCount::from_total(board, 40, &cancel).unwrap().unwrap().fundamental, 6);
    assert!(is_solution(&construct(10_000).unwrap()));
    assert!(Trace::new(board).map(|step| step.describe(board)).last().unwrap().ends_with("the search is over"));
    for &method in Method::ALL {
        assert_eq!(method.search(Board::new(5).unwrap(), |_| Continue(())).solutions, 10);
        assert!(method.expected_visits(board) > 100.0);
    }
    #[cfg(feature = "ledger")]
    count_in_shards();
}

#[cfg(feature = "ledger")]
fn count_in_shards() {
    use flate2::write::GzEncoder;
    use nqueens::ledger::{Run, merge, read};
    use std::io::Write;
    let folder =
        std::env::temp_dir().join(format!("nqueens-outside-{}-{:?}", std::process::id(), thread::current().id()));
    std::fs::create_dir_all(&folder).unwrap();
    let ledgers = ["0/2", "1/2"].map(|shard| {
        let path = folder.join(shard.replace('/', "-"));
        let job = Job::new(Board::new(12).unwrap()).engine(Engine::TwoColor);
        Run::open(&job, &path, shard.parse().unwrap(), &Cancel::new()).unwrap().count(&Cancel::new(), &()).unwrap();
        read(&path).unwrap()
    });
    assert_eq!(merge(&ledgers).unwrap().total, 14_200);
    // Another crate, with frames of its own, unpacks compressed files.
    let packed = folder.join("0.jsonl.gz");
    let pack = || {
        let mut packer = GzEncoder::new(std::fs::File::create(&packed).unwrap(), flate2::Compression::fast());
        packer.write_all(&std::fs::read(&ledgers[0].path).unwrap()).unwrap();
        packer.finish().unwrap();
    };
    // More stack is needed to pack a file than to unpack one.
    thread::scope(|scope| scope.spawn(pack).join()).unwrap();
    let unpack = || assert_eq!(read(&packed).unwrap().units, ledgers[0].units);
    thread::scope(|scope| {
        thread::Builder::new().stack_size(8 * SMALL_STACK).spawn_scoped(scope, unpack).unwrap().join()
    })
    .unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Provokes the errors of a count. In this build the first panic would end the process.
fn fail() {
    let run = |engine: &'static FakeEngine| {
        Job::new(Board::new(8).unwrap()).counted_by(engine).threads(2).run().unwrap_err()
    };
    assert!(matches!(run(FakeEngine::stopped(StopReason::Memory)), RunError::Memory { .. }));
    let lost = StopReason::Device { message: "lost".to_owned(), is_wrong: false };
    assert!(matches!(run(FakeEngine::stopped(lost)), RunError::Device { .. }));
    let odd = FakeEngine::counting(vec![2; 50], 0, |unit| unit as u128);
    assert!(matches!(run(odd), RunError::Impossible { factor: 2, .. }));
    let three = FakeEngine::counting(Vec::new(), 0, |unit| unit as u128);
    assert!(matches!(run(three), RunError::Sum(_)));
    let cancel = Cancel::new();
    cancel.cancel();
    let cancelled = Job::new(Board::new(20).unwrap()).run_with(&cancel, &()).unwrap_err();
    assert!(matches!(cancelled, RunError::Cancelled { .. }));
}

/// Counts 200 boards in parallel, in jobs of a pool that wait.
fn count_in_parallel() {
    let total = |size| nqueens::count(size).unwrap();
    assert!((0..200).into_par_iter().all(|index| Some(total(1 + index % 10)) == published(1 + index % 10)));
}

fn published(size: usize) -> Option<u128> {
    nqueens::published::total(Board::new(size).unwrap())
}

fn main() {
    let most: usize = std::env::args().nth(1).unwrap().parse().unwrap();
    count(1..=most);
    rest();
    fail();
    readme::run().unwrap();
    let all = || {
        count([8, 12].into_iter());
        rest();
    };
    thread::Builder::new().stack_size(SMALL_STACK).spawn(all).unwrap().join().unwrap();
    count_in_parallel();
    rayon::join(all, all);
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(SMALL_STACK).build().unwrap();
        pool.install(all);
        pool.install(count_in_parallel);
    }
}
