//! Measures how much a ledger slows down a count.
//!
//! The third pair has units of about ten microseconds, far smaller than those of a normal plan. It shows the cost of
//! one line.

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use nqueens::engine::backtrack::Backtrack;
use nqueens::engine::{Kernel, Settings};
use nqueens::ledger::Run;
use nqueens::run::{Shard, logical_cpus};
use nqueens::{Board, Cancel, Job};
use std::time::Duration;

const QUESTION: &str = "How much longer does a count with a ledger take?";

fn question(_: &mut Criterion) {
    eprintln!("ledger: {QUESTION}");
}

fn ledger(criterion: &mut Criterion) {
    let board = |size| Board::new(size).expect("a valid size");
    let small_units = Settings { kernel: Some(Kernel::Scalar), split_rows: Some(3), ..Settings::default() };
    let jobs = [
        ("N = 15", Job::new(board(15))),
        ("N = 16", Job::new(board(16))),
        ("N = 13 in small units", Job::new(board(13)).with_engine(&Backtrack).settings(small_units)),
    ];
    let mut group = criterion.benchmark_group(format!("with a ledger and without, {} threads", logical_cpus()));
    group.warm_up_time(Duration::from_secs(1)).measurement_time(Duration::from_secs(3)).sample_size(20);
    let directory = tempfile::tempdir().expect("there is room for files");
    let path = directory.path().join("ledger");
    for (name, job) in jobs {
        group.bench_function(format!("{name}, without"), |bencher| {
            bencher.iter(|| job.run().expect("it counts").total);
        });
        group.bench_function(format!("{name}, with"), |bencher| {
            // An existing ledger would be continued.
            let without_file = || drop(std::fs::remove_file(&path));
            let count = |()| {
                let run = Run::open(&job, &path, Shard::WHOLE, &Cancel::new()).expect("it is a new ledger");
                run.count(&Cancel::new(), &()).expect("it counts")
            };
            bencher.iter_batched(without_file, count, BatchSize::PerIteration);
        });
    }
    group.finish();
}

criterion_group!(benches, question, ledger);
criterion_main!(benches);
