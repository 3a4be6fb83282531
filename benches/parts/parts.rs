//! Measures the parts of the library, each on its own. `cargo bench -p nqueens-parts --bench parts -- kernels` runs only
//! the groups whose names contain this word.
//!
//! Absolute times depend on the machine, but the ratios of one run hardly do.

use criterion::measurement::WallTime;
use criterion::{
    BatchSize, BenchmarkGroup, BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group, criterion_main,
};
use nqueens::classic::{Method, construct, is_solution};
use nqueens::engine::Settings;
use nqueens::estimate::TreeEstimate;
use nqueens::ledger::Run;
use nqueens::machine::{logical_cpus, on_threads};
use nqueens::symmetry::{Symmetry, count_invariant};
use nqueens::{Board, Cancel, Engine, Job, Kernel, Pool, Setup, Shard, count, solutions};
use std::hint::black_box;
use std::ops::ControlFlow;
use std::time::Duration;

fn board(size: usize) -> Board {
    Board::new(size).expect("a valid size")
}

/// Begins a group of measurements of so many seconds each.
fn group<'a>(criterion: &'a mut Criterion, name: &str, seconds: u64, samples: usize) -> BenchmarkGroup<'a, WallTime> {
    let mut group = criterion.benchmark_group(name);
    let time = Duration::from_secs(seconds);
    group.warm_up_time(time / 4).measurement_time(time).sample_size(samples).sampling_mode(SamplingMode::Flat);
    group
}

/// Measures whole counts, with the plan and the thread pool, on one thread and on all. Their ratio is the speed-up for
/// the user.
fn counts(criterion: &mut Criterion) {
    let mut group = group(criterion, "counts, N = 14", 4, 20);
    let mut numbers = vec![1, logical_cpus()];
    numbers.dedup();
    for &engine in Engine::ALL {
        for &threads in &numbers {
            let name = BenchmarkId::new(engine.name(), format!("{threads} threads"));
            let job = Job::new(board(14)).engine(engine).threads(threads);
            group.bench_function(name, |bencher| bencher.iter(|| job.run().expect("it counts").total));
        }
    }
}

/// Measures counts that are over in microseconds: what a caller in a loop pays.
fn small_counts(criterion: &mut Criterion) {
    let mut group = group(criterion, "small counts", 2, 20);
    let queen = Setup::new(board(8)).with_queen(2, 3).expect("the square is free");
    group.bench_function("count(8)", |bencher| bencher.iter(|| count(black_box(8))));
    for (name, job) in [("N = 8, one thread", Job::new(board(8)).threads(1)), ("N = 8, a queen", Job::new(queen))] {
        group.bench_function(name, |bencher| bencher.iter(|| job.run().expect("it counts").total));
    }
    let job = Job::new(board(12));
    group.bench_function("N = 12, threads started", |bencher| bencher.iter(|| job.run().expect("it counts").total));
    let job = job.pool(&Pool::new(logical_cpus()).expect("threads start"));
    group.bench_function("N = 12, a pool", |bencher| bencher.iter(|| job.run().expect("it counts").total));
}

/// Measures each kernel on a whole board, on one thread, without the plan. Compare the kernels with `scalar`.
fn kernels(criterion: &mut Criterion) {
    for size in [10, 14, 15] {
        let mut group = group(criterion, &format!("kernels, N = {size}"), 2, 10);
        for engine in Engine::ALL {
            for kernel in engine.kernels() {
                let settings = Settings { kernel: Some(kernel), ..Settings::default() };
                let counter =
                    engine.prepare(board(size), &settings, &Cancel::new()).expect("an engine has its kernels");
                let name = BenchmarkId::new(engine.name(), format!("{kernel}, {}", counter.plan.name()));
                group.bench_function(name, |bencher| {
                    let (mut worker, cancel) = (counter.units.worker().unwrap(), Cancel::new());
                    bencher.iter(|| {
                        let partial = |unit| worker.count(black_box(unit), &cancel).expect("nobody cancels");
                        (0..counter.plan.units()).map(partial).sum::<u128>()
                    });
                });
            }
        }
    }
}

/// Measures the preparation of a board, before the first unit can be counted, with the best kernel. More threads hardly
/// shorten it.
fn preparing(criterion: &mut Criterion) {
    let mut group = group(criterion, "preparing, 1 thread", 1, 10);
    for engine in Engine::ALL {
        for size in 12..=20 {
            let prepare = || engine.prepare(black_box(board(size)), &Settings::default(), &Cancel::new());
            group.bench_function(BenchmarkId::new(engine.name(), format!("N = {size}")), |bencher| {
                on_threads(1, || bencher.iter_with_large_drop(prepare)).expect("there is a thread");
            });
        }
    }
}

/// Measures the search for symmetric solutions, which `--fundamental` needs.
fn symmetric(criterion: &mut Criterion) {
    let mut group = group(criterion, "symmetric solutions", 2, 10);
    for (name, symmetry, sizes) in
        [("half turn", Symmetry::HalfTurn, [12, 14, 16, 18]), ("quarter turn", Symmetry::QuarterTurn, [16, 20, 24, 25])]
    {
        for size in sizes {
            group.bench_function(BenchmarkId::new(name, format!("N = {size}")), |bencher| {
                bencher.iter(|| count_invariant(black_box(board(size)), symmetry, &Cancel::new()));
            });
        }
    }
}

/// Measures searches for the first solution, and for all by the iterator and by the textbook methods that backtrack. A
/// million rows need no search: a solution is written down and checked.
fn searching(criterion: &mut Criterion) {
    let mut first = group(criterion, "searching for the first solution", 2, 20);
    for size in [8, 12, 16, 20, 24] {
        let search = || solutions(black_box(board(size))).next();
        first.bench_function(format!("N = {size}"), |bencher| bencher.iter(search));
    }
    first.finish();
    let mut all = group(criterion, "searching for all solutions of N = 10", 2, 20);
    all.bench_function("solutions", |bencher| bencher.iter(|| solutions(black_box(board(10))).count()));
    for method in Method::ALL.iter().copied().filter(|method| method.is_backtracking()) {
        all.bench_function(BenchmarkId::new("textbook", method), |bencher| {
            let found = |solution: &_| {
                black_box(solution);
                ControlFlow::Continue(())
            };
            bencher.iter(|| method.search(black_box(board(10)), found));
        });
    }
    all.finish();
    let mut large = group(criterion, "searching in a million rows", 2, 20);
    large.bench_function("made", |bencher| bencher.iter(|| construct(black_box(1_000_000))));
    let columns = construct(1_000_000).expect("it has a solution");
    large.bench_function("checked", |bencher| bencher.iter(|| is_solution(black_box(&columns))));
}

/// Measures random probes of the backtracking tree, of which `estimate` makes a thousand.
fn estimating(criterion: &mut Criterion) {
    const PROBES: usize = 100;
    let mut probes = group(criterion, "estimating by 100 probes, 1 thread", 3, 10);
    probes.throughput(Throughput::Elements(PROBES as u64));
    for size in [12, 16, 20, 24] {
        let probe = || TreeEstimate::probe(black_box(board(size)), PROBES, 1, &Cancel::new(), &|_| ());
        probes.bench_function(format!("N = {size}"), |bencher| {
            on_threads(1, || bencher.iter(probe)).expect("there is a thread");
        });
    }
}

/// Measures counts with and without a ledger. The units of the third pair take about ten microseconds, far less than
/// usual: it shows the cost of one line.
fn ledger(criterion: &mut Criterion) {
    let small = Job::new(board(13)).engine(Engine::Backtrack).kernel(Kernel::Scalar).split_rows(3);
    let jobs = [("N = 15", Job::new(board(15))), ("N = 16", Job::new(board(16))), ("N = 13 in small units", small)];
    let mut group = group(criterion, "with a ledger and without", 3, 20);
    let directory = tempfile::tempdir().expect("there is room for files");
    let path = directory.path().join("ledger");
    for (name, job) in jobs {
        group.bench_function(format!("{name}, without"), |bencher| bencher.iter(|| job.run().expect("it counts")));
        group.bench_function(format!("{name}, with"), |bencher| {
            // Without this, an existing ledger would be continued.
            let without_file = || drop(std::fs::remove_file(&path));
            let count = |()| {
                let run = Run::open(&job, &path, Shard::WHOLE, &Cancel::new()).expect("it is a new ledger");
                run.count(&Cancel::new(), &()).expect("it counts")
            };
            bencher.iter_batched(without_file, count, BatchSize::PerIteration);
        });
    }
}

criterion_group!(benches, counts, small_counts, kernels, preparing, symmetric, searching, estimating, ledger);
criterion_main!(benches);
