//! The option `--gpu`: all threads count units with kernel `gpu`, and again with the CPU's best kernel.

use crate::Options;
use crate::sampling::at_equal_steps;
use nqueens::Cancel;
use nqueens::engine::{Engine, Kernel, Settings};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// The bytes that tables of units may take.
const TABLES: u64 = 8 << 30;

/// Measures the kernels on all threads of the pool in which it is called.
pub(crate) fn measure(&Options { board, sample, alone, trial, .. }: &Options) -> Result<(), String> {
    trial.begin();
    println!("board,kernel,threads,units,counted,share_of_work,first_seconds,seconds,whole,sum");
    let mut totals = Vec::new();
    for kernel in [Kernel::Gpu, Engine::TwoColor.kernels()[0]].into_iter().take(if alone { 1 } else { 2 }) {
        let settings = Settings { kernel: Some(kernel), ..Settings::default() };
        let cancel = Cancel::new();
        let counter = Engine::TwoColor.prepare(board, &settings, &cancel).map_err(|error| error.to_string())?;
        let plan = &counter.plan;
        let work: Vec<f64> = (0..plan.units()).map(|unit| plan.work(unit) as f64).collect();
        let mut drawn = at_equal_steps(&work, sample.unwrap_or(32));
        drawn.dedup();
        let share = drawn.iter().map(|&unit| work[unit]).sum::<f64>() / work.iter().sum::<f64>();
        let mut times = Vec::new();
        counter.tables(&drawn, TABLES).make(&cancel).map_err(|error| error.to_string())?;
        for _ in 0..if kernel == Kernel::Gpu { 2 } else { 1 } {
            let start = Instant::now();
            let next = AtomicUsize::new(0);
            let partials = Mutex::new(vec![0; drawn.len()]);
            rayon::broadcast(|_| {
                let mut worker = counter.worker().unwrap();
                loop {
                    let place = next.fetch_add(1, Ordering::Relaxed);
                    let Some(&unit) = drawn.get(place) else { break };
                    let partial = worker.count(unit, &cancel).expect("nothing cancels it");
                    partials.lock().expect("no thread has panicked")[place] = partial;
                }
            });
            times.push(start.elapsed().as_secs_f64());
            totals.push(partials.into_inner().expect("no thread has panicked"));
        }
        if totals.iter().any(|partials| *partials != totals[0]) {
            return Err(format!("the partial counts for N = {board} differ"));
        }
        let (first, seconds) = (times[0], times[times.len() - 1]);
        let (threads, units, partials) = (rayon::current_num_threads(), plan.units(), drawn.len());
        println!(
            "{board},{kernel},{threads},{units},{partials},{share:.3e},{first:.3},{seconds:.3},{:.1},{}",
            seconds / share,
            totals[0].iter().sum::<u128>()
        );
    }
    Ok(())
}
