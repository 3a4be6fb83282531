//! How long does a search for solutions take: for the first, for all of N = 10, and for one of a million rows?
//!
//! The iterator behind `solve` stands beside the textbook methods that visit nodes; the million rows need no search at all, and
//! checking them is measured beside making them.

use criterion::{BenchmarkId, Criterion, SamplingMode, criterion_group, criterion_main};
use nqueens::classic::textbook::{Listener, METHODS, Steps, Visits};
use nqueens::classic::{LARGEST_CONSTRUCTED, construct, is_solution, solutions};
use nqueens::{Board, Solution};
use std::hint::black_box;
use std::ops::ControlFlow;
use std::time::Duration;

const QUESTION: &str =
    "How long does a search for solutions take: for the first, for all of N = 10, and for one of a million rows?";

fn question(_: &mut Criterion) {
    eprintln!("searching: {QUESTION}");
}

fn first(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("the first solution");
    group.warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(2)).sample_size(20);
    group.sampling_mode(SamplingMode::Flat);
    for size in [8, 12, 16, 20, 24] {
        let board = Board::new(size).expect("a valid size");
        group.bench_function(format!("N = {size}"), |bencher| bencher.iter(|| solutions(black_box(board)).next()));
    }
    group.finish();
}

/// Lets a search come to its end.
struct Heedless;

impl Listener for Heedless {
    fn solution(&mut self, solution: &Solution) -> ControlFlow<()> {
        black_box(solution);
        ControlFlow::Continue(())
    }

    fn beat(&mut self, _steps: Steps) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

fn all(criterion: &mut Criterion) {
    let board = Board::new(10).expect("a valid size");
    let mut group = criterion.benchmark_group("all solutions of N = 10");
    group.warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(2)).sample_size(20);
    group.bench_function("solutions", |bencher| bencher.iter(|| solutions(black_box(board)).count()));
    for method in METHODS.iter().filter(|method| method.visits == Visits::Nodes) {
        group.bench_function(BenchmarkId::new("textbook", method.name), |bencher| {
            bencher.iter(|| method.search(black_box(board), &mut Heedless));
        });
    }
    group.finish();
}

fn a_million_rows(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("a solution of a million rows");
    group.warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(2)).sample_size(20);
    group.bench_function("made", |bencher| bencher.iter(|| construct(black_box(LARGEST_CONSTRUCTED))));
    let columns = construct(LARGEST_CONSTRUCTED).expect("it has a solution");
    group.bench_function("checked", |bencher| bencher.iter(|| is_solution(black_box(&columns))));
    group.finish();
}

criterion_group!(benches, question, first, all, a_million_rows);
criterion_main!(benches);
