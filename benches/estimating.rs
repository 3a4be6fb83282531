//! Measures random probes of the backtracking tree, and a visit of the whole tree for comparison.
//!
//! Both run on one thread. The time is that of one hundred probes; `estimate` makes a thousand by default.

use criterion::{BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use nqueens::classic::nodes_per_row;
use nqueens::run::on_threads;
use nqueens::tree::TreeEstimate;
use nqueens::{Board, Cancel};
use std::hint::black_box;
use std::time::Duration;

const QUESTION: &str = "How long do random probes of the backtracking tree take, compared with a visit of all of it?";

const PROBES: usize = 100;

fn question(_: &mut Criterion) {
    eprintln!("estimating: {QUESTION}");
}

fn probes(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group(format!("{PROBES} probes, 1 thread"));
    group.warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(3)).sample_size(10);
    group.throughput(Throughput::Elements(PROBES as u64));
    for size in [12, 16, 20, 24] {
        let board = Board::new(size).expect("a valid size");
        let probes = || TreeEstimate::probe(black_box(board), PROBES, 1, &Cancel::new(), &|_| ());
        group.bench_function(format!("N = {size}"), |bencher| {
            on_threads(1, || bencher.iter(probes)).expect("there is a thread");
        });
    }
    group.finish();
}

fn whole_trees(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("nodes in each row, 1 thread");
    group.warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(3)).sample_size(10);
    group.sampling_mode(SamplingMode::Flat);
    for size in [10, 12, 14] {
        let board = Board::new(size).expect("a valid size");
        let nodes = || nodes_per_row(black_box(board), &Cancel::new(), &|_| ());
        group.bench_function(BenchmarkId::from_parameter(format!("N = {size}")), |bencher| {
            on_threads(1, || bencher.iter(nodes)).expect("there is a thread");
        });
    }
    group.finish();
}

criterion_group!(benches, question, probes, whole_trees);
criterion_main!(benches);
