//! Measures each kernel on a whole board, on one thread, without making the plan.
//!
//! Compare every kernel with `scalar` in the same run. Absolute times depend on the machine, but ratios hardly do.

use criterion::{BenchmarkId, Criterion, SamplingMode, criterion_group, criterion_main};
use nqueens::engine::{ENGINES, Settings};
use nqueens::{Board, Cancel};
use std::hint::black_box;
use std::time::Duration;

const QUESTION: &str =
    "How long does a kernel take for N = 10, 14, 15 on one thread, without the plan and the threads around it?";

fn question(_: &mut Criterion) {
    eprintln!("kernels: {QUESTION}");
}

fn kernels(criterion: &mut Criterion) {
    for size in [10, 14, 15] {
        let board = Board::new(size).expect("a valid size");
        let mut group = criterion.benchmark_group(format!("kernels, N = {size}"));
        group.warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2)).sample_size(10);
        group.sampling_mode(SamplingMode::Flat);
        for engine in ENGINES {
            for kernel in engine.kernels() {
                let settings = Settings { kernel: Some(kernel), ..Settings::default() };
                let counter = engine.prepare(board, &settings, &Cancel::new()).expect("an engine has its kernels");
                let name = BenchmarkId::new(engine.name(), format!("{kernel}, {}", counter.plan().name()));
                group.bench_function(name, |bencher| {
                    let mut worker = counter.worker();
                    let cancel = Cancel::new();
                    bencher.iter(|| {
                        let partial = |unit| worker.count(black_box(unit), &cancel).expect("nobody cancels");
                        (0..counter.plan().units()).map(partial).sum::<u128>()
                    });
                });
            }
        }
        group.finish();
    }
}

criterion_group!(benches, question, kernels);
criterion_main!(benches);
