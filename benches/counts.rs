//! Measures a whole count, including the plan and the thread pool, with one thread and with all threads.
//!
//! The ratio of the two times is the speed-up for the user.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use nqueens::engine::ENGINES;
use nqueens::run::logical_cpus;
use nqueens::{Board, Job};
use std::time::Duration;

const QUESTION: &str = "How long does a whole count of N = 14 take, with one thread and with all?";

fn question(_: &mut Criterion) {
    eprintln!("counts: {QUESTION}");
}

fn counts(criterion: &mut Criterion) {
    let board = Board::new(14).expect("a valid size");
    let mut group = criterion.benchmark_group("counts, N = 14");
    group.warm_up_time(Duration::from_secs(1)).measurement_time(Duration::from_secs(4)).sample_size(20);
    let mut numbers = vec![1, logical_cpus()];
    numbers.dedup();
    for &engine in ENGINES {
        for &threads in &numbers {
            let name = BenchmarkId::new(engine.name(), format!("{threads} threads"));
            let job = Job::new(board).with_engine(engine).threads(threads);
            let count = || job.run().expect("it counts").total;
            group.bench_function(name, |bencher| bencher.iter(count));
        }
    }
    group.finish();
}

criterion_group!(benches, question, counts);
criterion_main!(benches);
