//! Simulates how busy up to 256 threads would be.
//!
//! Every unit of a plan is counted and timed. Then the run is simulated for more threads than this machine has: each
//! free thread takes the heaviest unit left, as in `run`. The preparation is not included.
//!
//! `cargo bench --bench units` uses N = 17, and `cargo bench --bench units -- 22` uses another board. The engine is
//! that of `auto`. Standard output is CSV.

use nqueens::engine::{self, Settings};
use nqueens::run::logical_cpus;
use nqueens::{Board, Cancel};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

const QUESTION: &str = "How busy would up to 256 threads be?";

fn main() {
    eprintln!("units: {QUESTION}");
    let size = std::env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(17);
    let board = Board::new(size).expect("a valid size");
    let engine = engine::auto(board, &Settings::default());
    let counter = engine.prepare(board, &Settings::default(), &Cancel::new()).expect("it can be counted");
    let order = counter.plan().heaviest_first();

    let begun = AtomicUsize::new(0);
    let count_units = || {
        let mut worker = counter.worker();
        let mut times = Vec::new();
        while let Some(&unit) = order.get(begun.fetch_add(1, Ordering::Relaxed)) {
            let start = Instant::now();
            worker.count(unit, &Cancel::new()).expect("nobody cancels");
            times.push((unit, start.elapsed().as_secs_f64()));
        }
        times
    };
    let mut seconds = vec![0.0; counter.plan().units()];
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..logical_cpus()).map(|_| scope.spawn(count_units)).collect();
        for (unit, time) in threads.into_iter().flat_map(|thread| thread.join().expect("it counts")) {
            seconds[unit] = time;
        }
    });

    let total: f64 = seconds.iter().sum();
    let heaviest = seconds.iter().copied().fold(0.0, f64::max);
    eprintln!(
        "N = {board}, engine {}: {} units, {total:.2} s together, the longest {heaviest:.3} s",
        engine.name(),
        seconds.len()
    );
    println!("board,units,threads,seconds,efficiency");
    for threads in [1, 2, 4, 8, 16, 32, 64, 128, 256] {
        let mut free_at = vec![0.0; threads];
        for &unit in &order {
            let first = free_at.iter_mut().min_by(|a: &&mut f64, b| a.total_cmp(b)).expect("there is a thread");
            *first += seconds[unit];
        }
        let end = free_at.into_iter().fold(0.0, f64::max);
        println!("{board},{},{threads},{end:.3},{:.4}", seconds.len(), total / (end * threads as f64));
    }
}
