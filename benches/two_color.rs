//! Measures the innermost loops of the two-color engine, and a whole count in comparison with the scalar backtracker.
//!
//! The times are per record and 512 build placements (`dot`, `scatter`), per build placement (`filter`), per plane of 512
//! build placements (`slice`), per chunk of 64 slots (`pack`) and per entry of a table (`pair table`). Most are constants
//! of the engine's cost model.

use criterion::{BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use nqueens::engine::backtrack::Backtrack;
use nqueens::engine::two_color::TwoColor;
use nqueens::engine::two_color::bench::loops;
use nqueens::engine::{CountingEngine, Kernel, Settings};
use nqueens::{Board, Cancel, Job};
use std::time::Duration;

const QUESTION: &str = "How long do the innermost loops of the two-color engine take, and how does a whole count compare with the \
    scalar backtracker?";

fn question(_: &mut Criterion) {
    eprintln!("two_color: {QUESTION}");
}

fn innermost_loops(criterion: &mut Criterion) {
    for kernel in TwoColor.kernels() {
        let mut group = criterion.benchmark_group(format!("two-color loops, {kernel}"));
        group.measurement_time(Duration::from_secs(1)).warm_up_time(Duration::from_millis(300)).sample_size(20);
        loops(kernel, &mut |name, items, run| {
            group.throughput(Throughput::Elements(items));
            group.bench_function(name, |bencher| bencher.iter(&mut *run));
        });
        group.finish();
    }
}

fn whole_counts(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("two-color against scalar, 1 thread");
    group.warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2)).sample_size(10);
    group.sampling_mode(SamplingMode::Flat);
    let mut bench = |engine: &'static dyn CountingEngine, kernel, size| {
        let settings = Settings { kernel: Some(kernel), ..Settings::default() };
        let job = Job::new(Board::new(size).expect("a valid size")).with_engine(engine).threads(1).settings(settings);
        let name = BenchmarkId::new(format!("{}, {kernel}", engine.name()), format!("N = {size}"));
        group.bench_function(name, |bencher| bencher.iter(|| job.run(&Cancel::new(), &()).expect("it counts").total));
    };
    for size in [14, 15] {
        bench(&Backtrack, Kernel::Scalar, size);
    }
    for kernel in TwoColor.kernels() {
        bench(&TwoColor, kernel, 14);
        bench(&TwoColor, kernel, 16);
    }
    for size in [17, 18] {
        bench(&TwoColor, TwoColor.kernels()[0], size);
    }
    group.finish();
}

criterion_group!(benches, question, innermost_loops, whole_counts);
criterion_main!(benches);
