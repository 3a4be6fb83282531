//! Measures a GPU and the CPU by a sample of the units of a board.
//!
//! `cargo bench --bench gpu -- 24 --sample 64` draws 64 units at equal steps of the cumulated work. All
//! threads of the CPU count them with kernel `gpu`, and again with the CPU's best kernel. Times are on the clock. The
//! GPU counts twice: only the second time are all tables in its memory, as for most units of a whole count. The partial
//! counts must be equal. `--threads T` takes other numbers of threads, and `--alone` leaves out the CPU.
//!
//! `--scratch` and `--define` try what may suit another GPU better; `src/engine/two_color/gpu/sweep.cl` says what can be
//! defined, and `benches/gpu.sh` tries all of it in ten minutes.
//!
//! Standard output is CSV. `whole` is the time that all units would take, extrapolated by work.

#[path = "units/sampling.rs"]
#[allow(dead_code, reason = "the benchmark `units` simulates threads, too")]
mod sampling;
use nqueens::engine::two_color::internals::Trial;
use nqueens::engine::{Engine, Kernel, Settings};
use nqueens::{Board, Cancel};
use sampling::at_equal_steps;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// The bytes that tables of units may take.
const TABLES: u64 = 8 << 30;

const USAGE: &str = "gpu -- N [--sample UNITS] [--threads T] [--alone] [--scratch MIB] [--define NAMES]
  --sample UNITS  the units that are counted; by default 32
  --threads T     by default one for each CPU
  --alone         without the CPU's kernel
  --scratch MIB   the room for stored survivors, for each thread; by default 512
  --define NAMES  for the kernels: BY_PANEL,BANDS,AHEAD=8";

fn execute() -> Result<(), String> {
    let (mut size, mut sample, mut threads, mut alone) = (20, 32, num_cpus::get(), false);
    let mut trial = Trial::MEASURED;
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    while let Some(argument) = arguments.next() {
        let mut number = || arguments.next().and_then(|text| text.parse().ok()).filter(|&number| number > 0);
        let missing = || format!("{argument}: give a number from 1");
        match &*argument {
            "--sample" => sample = number().ok_or_else(missing)?,
            "--threads" => threads = number().ok_or_else(missing)?,
            "--alone" => alone = true,
            "--scratch" => trial.scratch = (number().ok_or_else(missing)? as u64) << 20,
            "--define" => {
                let names = arguments.next().ok_or("--define: give names")?;
                trial.options = names.split(',').map(|name| format!(" -D {name}")).collect::<String>().leak();
            }
            option if option.starts_with('-') => return Err(format!("unknown option '{option}'; --help lists them")),
            text => size = text.parse().map_err(|_| format!("{text}: give the size of a board"))?,
        }
    }
    trial.begin();
    let board = Board::new(size).map_err(|error| error.to_string())?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(|error| error.to_string())?;
    println!("board,kernel,threads,units,counted,share_of_work,first_seconds,seconds,whole");
    let mut totals = Vec::new();
    for kernel in [Kernel::Gpu, Engine::TwoColor.kernels()[0]].into_iter().take(if alone { 1 } else { 2 }) {
        let settings = Settings { kernel: Some(kernel), ..Settings::default() };
        let cancel = Cancel::new();
        let counter =
            pool.install(|| Engine::TwoColor.prepare(board, &settings, &cancel)).map_err(|error| error.to_string())?;
        let plan = &counter.plan;
        let work: Vec<f64> = (0..plan.units()).map(|unit| plan.work(unit) as f64).collect();
        let mut drawn = at_equal_steps(&work, sample);
        drawn.dedup();
        let share = drawn.iter().map(|&unit| work[unit]).sum::<f64>() / work.iter().sum::<f64>();
        let mut times = Vec::new();
        pool.install(|| counter.tables(&drawn, TABLES).make(&cancel)).map_err(|error| error.to_string())?;
        for _ in 0..if kernel == Kernel::Gpu { 2 } else { 1 } {
            let start = Instant::now();
            let next = AtomicUsize::new(0);
            let partials = Mutex::new(vec![0; drawn.len()]);
            pool.broadcast(|_| {
                let mut worker = counter.worker().unwrap();
                loop {
                    let place = next.fetch_add(1, Ordering::Relaxed);
                    let Some(&unit) = drawn.get(place) else { break };
                    let partial = worker.count(unit, &cancel).expect("nothing cancels it");
                    partials.lock().expect("no thread has panicked")[place] = partial;
                }
            });
            let partials = partials.into_inner().expect("no thread has panicked");
            times.push(start.elapsed().as_secs_f64());
            totals.push(partials);
        }
        if totals.iter().any(|partials| *partials != totals[0]) {
            return Err(format!("the partial counts for N = {board} differ"));
        }
        let (first, seconds) = (times[0], times[times.len() - 1]);
        let (units, partials) = (plan.units(), drawn.len());
        println!(
            "{board},{kernel},{threads},{units},{partials},{share:.3e},{first:.3},{seconds:.3},{:.1}",
            seconds / share
        );
    }
    Ok(())
}

fn main() -> ExitCode {
    if std::env::args().any(|argument| argument == "--help" || argument == "-h") {
        println!("usage: cargo bench --bench {USAGE}");
        return ExitCode::SUCCESS;
    }
    match execute() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}
