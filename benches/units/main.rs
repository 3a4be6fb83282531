//! Measures how long a count takes, by a sample of its units, and how busy up to 384 threads would be.
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
//! `--against PROGRAM` measures the same units with another build of this benchmark and gives the ratio of the times,
//! this build's to the other's. `cargo bench --bench units --no-run` makes and names such a build. Both count in turn,
//! A B B A, and the faster time of each is taken. The partial counts must be equal, and so must the plans.
//!
//! `cargo bench --bench units -- 24 --gpu --sample 64` draws 64 units of the whole plan. All threads count
//! them with kernel `gpu`, and again with the CPU's best kernel. Times are on the clock. The GPU counts twice: only the
//! second time are all tables in its memory, as for most units of a whole count. The partial counts must be equal.
//! `whole` is the time that all units would take, extrapolated by work. The options of a trial may suit another
//! GPU better; `benches/gpu.sh` tries all of them, and `Trial` in `src/engine/two_color/gpu/mod.rs` explains them.
//!
//! The simulation plays a run through. A unit that was not timed takes the time/work of a timed one. The plan is taken
//! as serial, although the engine makes some of it in parallel.

mod build;
mod gpu;
mod sampling;

use build::{Build, Other, timed};
use nqueens::engine::Settings;
use nqueens::engine::two_color::internals::Trial;
use nqueens::estimate::Interval;
use nqueens::run::{default_threads, on_threads};
use nqueens::{Board, BoardError, Cancel, Job};
use sampling::{at_equal_steps, busy_share};
use std::collections::{BTreeSet, HashMap};
use std::process::ExitCode;

struct Options {
    board: Board,
    /// The most units of a part that are counted.
    sample: Option<usize>,
    threads: Option<usize>,
    gpu: bool,
    /// True if the CPU's kernel is left out.
    alone: bool,
    trial: Trial,
    against: Option<String>,
    /// True for the other build, which counts the units that it is asked for.
    answers: bool,
}

const USAGE: &str = "\
usage: cargo bench --bench units -- [N] [OPTIONS], which measures units of N rows, by default 17, on one CPU
  --sample K         at most K units of each part of the plan, and not all
  --threads T        with the tables of a count by T threads, by default 1
  --against PROGRAM  also with another build of this benchmark, and the ratio of the times
  --gpu              instead all threads count K units of the plan, by default 32, by kernel gpu and by the CPU's
  --alone            without the CPU's kernel
  --scratch MIB      a trial of kernel `gpu`: the room for stored survivors, for each thread, by default 512
  --panel SLOTS      a trial of panels of 32, 64, ... up to 512 slots, by default 512
  --ahead RECORDS    a trial of entries that are fetched so many records ahead, at most 15
  --by-panel         a trial of work-groups that begin panel by panel
  --bands            a trial of matrices in which each panel is a piece";

fn options() -> Result<Options, String> {
    let board = Board::new(17).expect("a valid size");
    let trial = Trial::MEASURED;
    let mut options =
        Options { board, sample: None, threads: None, gpu: false, alone: false, trial, against: None, answers: false };
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
            "--threads" => options.threads = Some(number(value()?, 1)?),
            "--against" => options.against = Some(value()?),
            "--gpu" => options.gpu = true,
            "--alone" => options.alone = true,
            "--scratch" => options.trial.scratch = number(value()?, 1)? as u64 * (1 << 20),
            "--panel" => options.trial.panel = number(value()?, 32)?,
            "--ahead" => options.trial.ahead = number(value()?, 1)?,
            "--by-panel" => options.trial.by_panel = true,
            "--bands" => options.trial.bands = true,
            "--answer" => options.answers = true,
            option if option.starts_with('-') => return Err(format!("unknown option '{option}'; --help lists them")),
            size => options.board = size.parse().map_err(|error: BoardError| error.to_string())?,
        }
    }
    if options.gpu && options.against.is_some() {
        return Err("--gpu and --against: give one of them".to_owned());
    }
    let Trial { panel, ahead, .. } = options.trial;
    if !panel.is_multiple_of(32) || panel > 512 || ahead > 15 {
        return Err("give --panel a multiple of 32 up to 512, and --ahead at most 15".to_owned());
    }
    if !options.gpu && (options.alone || options.trial != trial) {
        return Err("the options of a GPU need --gpu".to_owned());
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

/// Returns a time in words, and its ratio to the other build's.
fn in_words(Interval { estimate, low, high }: Interval, ratio: Option<Interval>) -> String {
    let (unit, name) = if estimate < 3600.0 { (1.0, "s") } else { (3600.0, "core-hours") };
    let places = (2.0 - (estimate / unit).log10().floor()).clamp(0.0, 9.0) as usize;
    let time = format!("{:.places$} {name} ({:.places$} to {:.places$})", estimate / unit, low / unit, high / unit);
    ratio.map_or(time.clone(), |Interval { estimate, low, high }| {
        format!("{time}, {estimate:.3} ({low:.3} to {high:.3}) of the other's")
    })
}

/// Returns three fields of CSV, which are empty without an interval.
fn fields(interval: Option<Interval>) -> String {
    interval.map_or(",,".to_owned(), |Interval { estimate, low, high }| format!("{estimate:.6},{low:.6},{high:.6}"))
}

/// A factor, and samples whose mean it multiplies. Each sample has the time of the other build, 0 if there is none, and
/// of this build.
type Term = (f64, Vec<(f64, f64)>);

/// Returns the time of this build, and its ratio to the other build's time if that is not 0.
fn estimates(terms: &[Term]) -> (Interval, Option<Interval>) {
    let own = |(factor, times): &Term| (*factor, times.iter().map(|times| times.1).collect());
    let has_other = terms.iter().flat_map(|term| &term.1).any(|times| times.0 > 0.0);
    (Interval::estimate_sum(terms.iter().map(own)), has_other.then(|| Interval::estimate_ratio(terms)))
}

fn execute(options: &Options) -> Result<(), String> {
    let Options { board, sample, threads, .. } = *options;
    let (sample, threads) = (sample.unwrap_or(usize::MAX), threads.unwrap_or(1));
    let engine = Job::new(board).chosen_engine().map_err(|error| error.to_string())?;
    let (counter, plan_seconds) = timed(|| engine.prepare(board, &Settings::default(), &Cancel::new()));
    let counter = counter.map_err(|error| error.to_string())?;
    let mut build = Build::new(&counter, threads, plan_seconds);
    if options.answers {
        build.answer();
        return Ok(());
    }
    let plan = &counter.plan;
    let work_of = |unit: usize| plan.work(unit) as f64;
    let mut other = options.against.as_ref().map(|program| Other::start(program, &build)).transpose()?;
    let draw = |units: &[usize]| -> Vec<usize> {
        if units.len() <= sample {
            return units.to_vec();
        }
        let work: Vec<f64> = units.iter().map(|&unit| work_of(unit)).collect();
        at_equal_steps(&work, sample.min(units.len())).into_iter().map(|index| units[index]).collect()
    };
    let drawn: Vec<Vec<usize>> = build.parts.values().map(|units| draw(units)).collect();

    // The times of the other build and of this one, divided by the work.
    let mut measured: HashMap<usize, (f64, f64)> = HashMap::new();
    let each: BTreeSet<usize> = drawn.iter().flatten().copied().collect();
    for unit in build.order.clone().into_iter().filter(|unit| each.contains(unit)) {
        let times = match &mut other {
            Some(other) => other.compare(&mut build, unit)?,
            None => (0.0, build.count(unit).0),
        };
        measured.insert(unit, (times.0 / work_of(unit), times.1 / work_of(unit)));
    }

    eprintln!("N = {board}, engine {}, plan {}, kernel {}", engine.name(), plan.name(), counter.kernel);
    println!(
        "board,part,units,timed,threads,plan_seconds,tables_seconds,seconds,low,high,efficiency,ratio,ratio_low,\
         ratio_high,work_share,time_per_work"
    );
    let before = (other.as_ref().map_or(0.0, |other| other.before), plan_seconds + build.table_seconds);
    let mut terms: Vec<Term> = vec![(1.0, vec![before])];
    let mut seconds = vec![0.0; plan.units()];
    for ((part, units), drawn) in build.parts.iter().zip(&drawn) {
        let work: f64 = units.iter().map(|&unit| work_of(unit)).sum();
        let times: Vec<(f64, f64)> = drawn.iter().map(|unit| measured[unit]).collect();
        for &unit in units {
            // The multiplier has no pattern, so that neighbours deviate from their work like different units.
            let like = times[unit.wrapping_mul(0x9E37_79B9) / 64 % times.len()];
            seconds[unit] = work_of(unit) * measured.get(&unit).unwrap_or(&like).1;
        }
        let term = if units.len() <= sample {
            let sum = drawn.iter().zip(&times).map(|(&unit, times)| (times.0 * work_of(unit), times.1 * work_of(unit)));
            (1.0, vec![sum.fold((0.0, 0.0), |sum, times| (sum.0 + times.0, sum.1 + times.1))])
        } else {
            (work, times)
        };
        let (time, ratio) = estimates(std::slice::from_ref(&term));
        let (share, per_work) = (work / plan.total_work() as f64, 1e9 * time.estimate / work);
        let number = units.iter().filter(|unit| measured.contains_key(unit)).count();
        let units = units.len();
        eprintln!(
            "part {part}: {number} of {units} units, {:.1}% of the work, time/work {per_work:.2}; {}",
            100.0 * share,
            in_words(time, ratio)
        );
        let (time, ratio) = (fields(Some(time)), fields(ratio));
        println!("{board},{part},{units},{number},1,,,{time},,{ratio},{share:.5},{per_work:.4}");
        terms.push(term);
    }
    let (time, ratio) = estimates(&terms);
    eprintln!("the whole: {}; {:.3} s of it for plan and tables", in_words(time, ratio), before.1);
    let seconds: Vec<f64> = build.order.iter().map(|&unit| seconds[unit]).collect();
    for threads in [1_u32, 2, 4, 8, 16, 32, 64, 128, 192, 256, 384] {
        let busy = busy_share(&seconds, plan_seconds, build.table_seconds, threads);
        let tables = build.table_seconds / f64::from(threads);
        let (time, ratio) = if threads == 1 {
            (fields(Some(time)), fields(ratio))
        } else {
            (format!("{:.3},,", time.estimate / busy / f64::from(threads)), fields(None))
        };
        println!(
            "{board},all,{},{},{threads},{plan_seconds:.5},{tables:.5},{time},{busy:.4},{ratio},,",
            plan.units(),
            measured.len()
        );
        if [16, 64, 384].contains(&threads) {
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
    let measured = if options.gpu {
        on_threads(options.threads.unwrap_or_else(default_threads), || gpu::measure(&options))
    } else {
        pin();
        on_threads(1, || execute(&options))
    };
    match measured.expect("there is a thread") {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
