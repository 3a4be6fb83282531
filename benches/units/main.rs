//! Measures how long a count takes, by a sample of its units, and how busy up to 10,000 threads would be.
//!
//! `cargo bench --bench units -- 22 --sample 8` draws 8 units of every part of the plan at equal steps of the cumulated
//! work, and counts each on one CPU. All times are CPU times. The time of a part is its work multiplied by the mean
//! time/work of its units; intervals are of 95%. Without `--sample` every unit is counted. Standard output is CSV.
//!
//! A count also makes tables that its units share. The benchmark makes and times the tables of a count by `--threads`
//! threads, by default 1. A thread also keeps tables from one unit to the next. With one thread, the unit before each
//! drawn unit in the count's order is therefore counted first, untimed. With several threads that unit rarely needs the
//! same tables; it is left out, and each unit makes its own.
//!
//! The simulation plays a run through. A unit that was not timed takes the time/work of a timed one. The plan is taken
//! as serial, although the engine makes some of it in parallel.

mod build;
mod sampling;

use build::{Build, timed};
use nqueens::engine::Settings;
use nqueens::estimate::Interval;
use nqueens::machine::on_threads;
use nqueens::{Board, Cancel, InputError, Job};
use sampling::{at_equal_steps, busy_share};
use std::collections::{BTreeSet, HashMap};
use std::process::ExitCode;

struct Options {
    board: Board,
    /// The most units of a part that are counted.
    sample: Option<usize>,
    threads: usize,
}

const USAGE: &str = "\
usage: cargo bench --bench units -- [N] [OPTIONS], which measures units of N rows, by default 17, on one CPU
  --sample K   at most K units of each part of the plan, and not all
  --threads T  with the tables of a count by T threads, by default 1";

fn options() -> Result<Options, String> {
    let board = Board::new(17).expect("a valid size");
    let mut options = Options { board, sample: None, threads: 1 };
    // `cargo bench` adds the option `--bench`.
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{argument} needs a value"));
        let number = |text: String, least| match text.parse() {
            Ok(number) if number >= least => Ok(number),
            _ => Err(format!("{argument} {text}: give a number from {least}")),
        };
        match &*argument {
            "--sample" => options.sample = Some(number(value()?, 2)?),
            "--threads" => options.threads = number(value()?, 1)?,
            option if option.starts_with('-') => return Err(format!("unknown option '{option}'; --help lists them")),
            size => options.board = size.parse().map_err(|error: InputError| error.to_string())?,
        }
    }
    Ok(options)
}

/// Keeps this process on the last CPU that it may use, because the first CPU often handles the interrupts.
fn pin() {
    #[cfg(target_os = "linux")]
    {
        use nix::{sched, unistd::Pid};
        let this = Pid::from_raw(0);
        let allowed = sched::sched_getaffinity(this).expect("the CPUs of this process");
        let last = (0..sched::CpuSet::count()).rev().find(|&cpu| allowed.is_set(cpu) == Ok(true));
        let mut one = sched::CpuSet::new();
        one.set(last.expect("a CPU")).and_then(|()| sched::sched_setaffinity(this, &one)).expect("a CPU of its own");
    }
}

fn in_words(Interval { estimate, low, high }: Interval) -> String {
    let (unit, name) = if estimate < 3600.0 { (1.0, "s") } else { (3600.0, "core-hours") };
    let places = (2.0 - (estimate / unit).log10().floor()).clamp(0.0, 9.0) as usize;
    format!("{:.places$} {name} ({:.places$} to {:.places$})", estimate / unit, low / unit, high / unit)
}

/// Returns three fields of CSV.
fn fields(Interval { estimate, low, high }: Interval) -> String {
    format!("{estimate:.6},{low:.6},{high:.6}")
}

fn execute(options: &Options) -> Result<(), String> {
    let Options { board, sample, threads, .. } = *options;
    let sample = sample.unwrap_or(usize::MAX);
    let engine = Job::new(board).chosen_engine().map_err(|error| error.to_string())?;
    let (counter, plan_seconds) = timed(|| engine.prepare(board, &Settings::default(), &Cancel::new()));
    let counter = counter.map_err(|error| error.to_string())?;
    let mut build = Build::new(&counter, threads);
    let plan = &counter.plan;
    let work_of = |unit: usize| plan.work(unit) as f64;
    let draw = |units: &[usize]| -> Vec<usize> {
        if units.len() <= sample {
            return units.to_vec();
        }
        let work: Vec<f64> = units.iter().map(|&unit| work_of(unit)).collect();
        at_equal_steps(&work, sample.min(units.len())).into_iter().map(|index| units[index]).collect()
    };
    let drawn: Vec<Vec<usize>> = build.parts.values().map(|units| draw(units)).collect();

    // The times divided by the work.
    let mut measured: HashMap<usize, f64> = HashMap::new();
    let each: BTreeSet<usize> = drawn.iter().flatten().copied().collect();
    for unit in build.order.clone().into_iter().filter(|unit| each.contains(unit)) {
        measured.insert(unit, build.count(unit) / work_of(unit));
    }

    eprintln!("N = {board}, engine {}, plan {}, kernel {}", engine.name(), plan.name(), counter.kernel);
    println!(
        "board,part,units,timed,threads,plan_seconds,tables_seconds,seconds,low,high,efficiency,work_share,time_per_work"
    );
    let before = plan_seconds + build.table_seconds;
    // Each term is a factor, and samples whose mean it multiplies.
    let mut terms: Vec<(f64, Vec<f64>)> = vec![(1.0, vec![before])];
    let mut seconds = vec![0.0; plan.units()];
    for ((part, units), drawn) in build.parts.iter().zip(&drawn) {
        let work: f64 = units.iter().map(|&unit| work_of(unit)).sum();
        let times: Vec<f64> = drawn.iter().map(|unit| measured[unit]).collect();
        for &unit in units {
            // The multiplier has no pattern, so that neighbours deviate from their work like different units.
            let like = times[unit.wrapping_mul(0x9E37_79B9) / 64 % times.len()];
            seconds[unit] = work_of(unit) * measured.get(&unit).unwrap_or(&like);
        }
        let term = if units.len() <= sample {
            (1.0, vec![drawn.iter().zip(&times).map(|(&unit, time)| time * work_of(unit)).sum()])
        } else {
            (work, times)
        };
        let time = Interval::estimate_sum([term.clone()]);
        let (share, per_work) = (work / plan.total_work() as f64, 1e9 * time.estimate / work);
        let number = units.iter().filter(|unit| measured.contains_key(unit)).count();
        let units = units.len();
        eprintln!(
            "part {part}: {number} of {units} units, {:.1}% of the work, time/work {per_work:.2}; {}",
            100.0 * share,
            in_words(time)
        );
        println!("{board},{part},{units},{number},1,,,{},,{share:.5},{per_work:.4}", fields(time));
        terms.push(term);
    }
    let time = Interval::estimate_sum(terms);
    eprintln!("the whole: {}; {before:.3} s of it for plan and tables", in_words(time));
    let seconds: Vec<f64> = build.order.iter().map(|&unit| seconds[unit]).collect();
    for threads in [1_u32, 2, 4, 8, 16, 32, 64, 128, 192, 256, 384, 1_000, 10_000] {
        let busy = busy_share(&seconds, plan_seconds, build.table_seconds, threads);
        let tables = build.table_seconds / f64::from(threads);
        let time =
            if threads == 1 { fields(time) } else { format!("{:.3},,", time.estimate / busy / f64::from(threads)) };
        println!(
            "{board},all,{},{},{threads},{plan_seconds:.5},{tables:.5},{time},{busy:.4},,",
            plan.units(),
            measured.len()
        );
        if [64, 1_000, 10_000].contains(&threads) {
            eprintln!("{threads} threads would be busy for {:.1}% of the time", 100.0 * busy);
        }
    }
    Ok(())
}

fn main() -> ExitCode {
    if std::env::args().any(|argument| argument == "--help" || argument == "-h") {
        println!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    let options = match options() {
        Ok(options) => options,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::from(2);
        }
    };
    pin();
    match on_threads(1, || execute(&options)).expect("there is a thread") {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
