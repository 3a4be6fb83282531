//! Measures searches for solutions: for the first, for all of N = 10, and for one of a million rows.
//!
//! The iterator `solutions` is measured beside the textbook methods that backtrack. The million rows need no search:
//! writing the solution down is measured beside checking it.

use criterion::{BenchmarkId, Criterion, SamplingMode, criterion_group, criterion_main};
use nqueens::classic::{Method, construct, is_solution};
use nqueens::{Board, solutions};
use std::hint::black_box;
use std::ops::ControlFlow;
use std::time::Duration;

const QUESTION: &str =
    "How long does it take to find the first solution, all solutions for N = 10, and one for a million rows?";

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

fn all(criterion: &mut Criterion) {
    let board = Board::new(10).expect("a valid size");
    let mut group = criterion.benchmark_group("all solutions of N = 10");
    group.warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(2)).sample_size(20);
    group.bench_function("solutions", |bencher| bencher.iter(|| solutions(black_box(board)).count()));
    for method in Method::ALL.into_iter().filter(|method| method.is_backtracking()) {
        group.bench_function(BenchmarkId::new("textbook", method), |bencher| {
            let found = |solution: &_| {
                black_box(solution);
                ControlFlow::Continue(())
            };
            bencher.iter(|| method.search(black_box(board), found));
        });
    }
    group.finish();
}

const ROWS: usize = 1_000_000;

fn a_million_rows(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("a solution of a million rows");
    group.warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(2)).sample_size(20);
    group.bench_function("made", |bencher| bencher.iter(|| construct(black_box(ROWS))));
    let columns = construct(ROWS).expect("it has a solution");
    group.bench_function("checked", |bencher| bencher.iter(|| is_solution(black_box(&columns))));
    group.finish();
}

criterion_group!(benches, question, first, all, a_million_rows);
criterion_main!(benches);
