//! Times the search for symmetric solutions, which the count up to symmetry (`--fundamental`) needs.
//!
//! P is the number of solutions that a half turn leaves unchanged, R that of the solutions that a quarter turn does.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use nqueens::symmetry::{Symmetry, count_invariant};
use nqueens::{Board, Cancel};
use std::hint::black_box;
use std::time::Duration;

const QUESTION: &str = "How long does the search for symmetric solutions take, which the fundamental count needs?";

fn question(_: &mut Criterion) {
    eprintln!("symmetric: {QUESTION}");
}

fn symmetric(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("symmetric solutions");
    group.warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2)).sample_size(10);
    for (name, symmetry, sizes) in [
        ("P, half turn", Symmetry::HalfTurn, [12, 14, 16, 18]),
        ("R, quarter turn", Symmetry::QuarterTurn, [16, 20, 24, 25]),
    ] {
        for size in sizes {
            let board = Board::new(size).expect("a valid size");
            group.bench_function(BenchmarkId::new(name, format!("N = {size}")), |bencher| {
                bencher.iter(|| count_invariant(black_box(board), symmetry, &Cancel::new()));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, question, symmetric);
criterion_main!(benches);
