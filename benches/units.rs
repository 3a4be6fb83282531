//! Simulates how busy up to 384 threads would be.
//!
//! Every unit of a plan is counted and timed. Then the run is simulated for more threads than this machine has: each
//! free thread takes the next unit of the order in which `run` begins them. Before it comes the preparation, measured
//! on one thread: the plan, all of it taken as serial although the engine makes some of it in parallel, and the tables
//! that all threads share, divided evenly among the threads. A row's efficiency is the time of one thread for all of
//! it, divided by the time simulated and the number of threads.
//!
//! `cargo bench --bench units` uses N = 17, and `cargo bench --bench units -- 22` uses another board. With `--sample
//! 200` after it, 200 units are timed, evenly drawn from heavy to light, and each of the others is taken to miss its
//! work as one of those does. The engine is that of `auto`. Standard output is CSV.

use nqueens::engine::{self, Settings};
use nqueens::run::{logical_cpus, on_threads};
use nqueens::{Board, Cancel};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

const QUESTION: &str = "How busy would up to 384 threads be?";

/// The bytes of the tables that threads share, at most: as `run` has it on a machine with much memory.
const SHARED: u64 = 3 << 30;

fn main() {
    eprintln!("units: {QUESTION}");
    let numbers: Vec<usize> = std::env::args().skip(1).filter_map(|argument| argument.parse().ok()).collect();
    let board = Board::new(numbers.first().copied().unwrap_or(17)).expect("a valid size");
    let engine = engine::auto(board, &Settings::default());
    let never = &Cancel::new();
    let prepare = || engine.prepare(board, &Settings::default(), never).expect("it can be counted");
    let on_one = |work: &mut (dyn FnMut() + Send)| {
        let timed = || {
            let start = Instant::now();
            work();
            start.elapsed().as_secs_f64()
        };
        on_threads(1, timed).expect("there is a thread")
    };
    let mut plans: Vec<f64> = (0..9).map(|_| on_one(&mut || drop(prepare()))).collect();
    plans.sort_by(f64::total_cmp);
    let serial = plans[plans.len() / 2];
    let counter = prepare();
    let plan = counter.plan();
    let order = plan.longest_first();
    let parallel = on_one(&mut || counter.share(&order, SHARED, never).expect("nobody cancels"));

    // In the order of a run, so that units find the tables in the caches that they find there.
    let count = numbers.get(1).copied().unwrap_or(order.len()).clamp(1, order.len().max(1));
    let sample: Vec<usize> = (0..count.min(order.len())).map(|number| order[number * order.len() / count]).collect();
    let begun = AtomicUsize::new(0);
    let count_units = || {
        let mut worker = counter.worker();
        let mut times = Vec::new();
        while let Some(&unit) = sample.get(begun.fetch_add(1, Ordering::Relaxed)) {
            let start = Instant::now();
            worker.count(unit, never).expect("nobody cancels");
            times.push((unit, start.elapsed().as_secs_f64()));
        }
        times
    };
    let mut measured = vec![None; plan.units()];
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..logical_cpus()).map(|_| scope.spawn(count_units)).collect();
        for (unit, time) in threads.into_iter().flat_map(|thread| thread.join().expect("it counts")) {
            measured[unit] = Some(time);
        }
    });
    // A multiplier without a pattern, so that neighbours miss their work as different units do.
    let like = |unit: usize| sample[unit.wrapping_mul(0x9E37_79B9) / 64 % sample.len()];
    let by_weight = |unit: usize, like: usize| {
        measured[like].expect("it was timed") * plan.work(unit) as f64 / plan.work(like) as f64
    };
    let seconds: Vec<f64> =
        (0..plan.units()).map(|unit| measured[unit].unwrap_or_else(|| by_weight(unit, like(unit)))).collect();

    let units: f64 = seconds.iter().sum();
    let all = serial + parallel + units;
    let longest = seconds.iter().copied().fold(0.0, f64::max);
    eprintln!(
        "N = {board}, engine {}: {} units, {} timed, {units:.2} s together, the longest {longest:.3} s; plan \
         {serial:.4} s, shared tables {parallel:.3} s",
        engine.name(),
        seconds.len(),
        sample.len(),
    );
    println!("board,units,timed,threads,plan_seconds,tables_seconds,seconds,efficiency");
    for threads in [1_u32, 2, 4, 8, 16, 32, 64, 128, 192, 256, 384] {
        let prepared = Duration::from_secs_f64(serial + parallel / f64::from(threads));
        let mut free_at: BinaryHeap<Reverse<Duration>> = (0..threads).map(|_| Reverse(prepared)).collect();
        let mut end = prepared;
        for &unit in &order {
            let Reverse(free) = free_at.pop().expect("there is a thread");
            let done = free + Duration::from_secs_f64(seconds[unit]);
            end = end.max(done);
            free_at.push(Reverse(done));
        }
        let end = end.as_secs_f64();
        println!(
            "{board},{},{},{threads},{serial:.5},{:.5},{end:.3},{:.4}",
            seconds.len(),
            sample.len(),
            parallel / f64::from(threads),
            all / (end * f64::from(threads))
        );
    }
}
