//! Measures the preparation of a board by an engine, before the first unit can be counted.
//!
//! The preparation runs on one thread, with the best kernel. More threads hardly shorten this part of a count.

use criterion::{BenchmarkId, Criterion, SamplingMode, criterion_group, criterion_main};
use nqueens::engine::{ENGINES, Settings};
use nqueens::run::on_threads;
use nqueens::{Board, Cancel};
use std::hint::black_box;
use std::time::Duration;

const QUESTION: &str = "How long does an engine take to prepare a board, before it can count the first unit?";

fn question(_: &mut Criterion) {
    eprintln!("preparing: {QUESTION}");
}

fn preparing(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("preparing, 1 thread");
    group.warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(1)).sample_size(10);
    group.sampling_mode(SamplingMode::Flat);
    for engine in ENGINES {
        for size in 12..=20 {
            let board = Board::new(size).expect("a valid size");
            let prepare =
                || engine.prepare(black_box(board), &Settings::default(), &Cancel::new()).expect("it can be counted");
            group.bench_function(BenchmarkId::new(engine.name(), format!("N = {size}")), |bencher| {
                on_threads(1, || bencher.iter_with_large_drop(prepare)).expect("there is a thread");
            });
        }
    }
    group.finish();
}

criterion_group!(benches, question, preparing);
criterion_main!(benches);
