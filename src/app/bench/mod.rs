//! `nqueens bench`: a scaling study of this machine, and studies side by side.

mod comparison;
mod input;
mod pinning;
pub(crate) mod study;
pub(crate) mod view;
mod warnings;

use crate::app::assessment::contradicted;
use crate::app::bench::pinning::{Pinning, pinning};
use crate::app::bench::study::{BenchError, Measured, Study, Times, serial_fraction};
use crate::app::bench::view::{
    By, Kind, Machine, Peer, Pinned, Program, Record, Row, SCHEMA, Scaling, View, machine_in_words, peers, write,
};
use crate::app::failure::Failure;
use crate::app::machine::{self, Counters};
use crate::app::numbers::{time, whole};
use crate::app::options::{Choice, Printing, engine_parser, kernel_parser};
use crate::app::output::file::Output;
use crate::app::output::words::plural;
use crate::app::output::{Format, Sink};
use crate::app::session::Session;
use crate::app::threads;
use crate::engine::{self, ENGINES, Engine, Kernel, Settings};
use crate::run::{Job, MOST_THREADS, RunError};
use crate::{Board, Cancel};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Measure how fast this machine counts, and how that grows with the number of threads
///
/// Every engine counts every board with 1, 2, 4, ... threads, each several times and all of them in turn, so that whatever else
/// the machine does hits all alike. The table has the median of the times, their spread (the middle half of them as a share of
/// the median), the speed-up over one thread and how much of it there is for each thread (efficiency); the bars show the
/// speed-up. The serial fraction is the share of the work that does not get faster with more threads: Amdahl's law, fitted to
/// the medians. By default it takes about a minute.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens bench
  nqueens bench --engine two-color --boards 18,20 --threads 1,2,4,8 --pin
  nqueens bench --export study.html --export study.json
  nqueens bench --boards 8-20 --limit 10 --by board --export times.svg
  nqueens bench --compare old.json new.json")]
pub(crate) struct Arguments {
    #[command(flatten)]
    what: What,

    /// What the table and the charts go by
    ///
    /// The JSON of a study has every number of it in either case.
    #[arg(long, value_name = "WHAT", default_value = "threads", help_heading = "What to print")]
    by: By,

    /// Also show the times of other programs in this CSV file
    ///
    /// Its columns are program, machine, threads, board, seconds and source; others are passed over, and lines that begin with
    /// # too. The times stand in a chart over the boards, and in text, Markdown and the page in a table; with --boards those
    /// for these boards.
    #[arg(long, value_name = "FILE", help_heading = "What to print")]
    peers: Option<PathBuf>,

    /// Also write the study to this file: its name ends with .json, .csv, .md, .svg or .html; may be repeated
    ///
    /// The page (.html) has the charts and all numbers in it and needs no network. `-` is standard output, in the format of
    /// --format.
    #[arg(long, value_name = "FILE", help_heading = "What to print", value_parser = export)]
    export: Vec<Export>,

    /// Instead of measuring, put these studies side by side: the JSON files of `nqueens bench --export FILE.json`
    ///
    /// Every count that at least two of them have is compared with the first, whatever kernels the machines have. Where a study
    /// has several kernels for an engine, only counts with the same kernel are. --engine, --kernel, --boards and --threads
    /// choose what is shown. One study alone is shown anew.
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["repetitions", "limit", "pin"])]
    compare: Vec<PathBuf>,

    #[command(flatten)]
    printing: Printing,
}

/// What is to be measured.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "What to measure")]
struct What {
    /// Only these engines; may be repeated [default: all]
    #[arg(long, env = "NQUEENS_ENGINE", hide_env_values = true, value_name = "ENGINE", value_delimiter = ',', value_parser = engine_parser())]
    engine: Vec<Choice<&'static dyn Engine>>,

    /// Only these kernels; may be repeated [default: the best that this CPU has]
    #[arg(long, env = "NQUEENS_KERNEL", hide_env_values = true, value_name = "KERNEL", value_delimiter = ',', value_parser = kernel_parser())]
    kernel: Vec<Choice<Kernel>>,

    /// The sizes of the boards, as 16,18 or 8-12,14 [default: 16,18; with a scalar or portable kernel 14,16]
    #[arg(long, value_name = "N,...", value_delimiter = ',', allow_hyphen_values = true, value_parser = boards)]
    boards: Vec<Boards>,

    /// The numbers of threads [default: 1, 2, 4, ... and as many as this process has CPUs]
    #[arg(long, short = 'j', env = "NQUEENS_THREADS", hide_env_values = true, value_name = "T,...", value_delimiter = ',',
        allow_hyphen_values = true, value_parser = whole(1..=MOST_THREADS as u64))]
    threads: Vec<u64>,

    /// How often each count is timed, after one that is not
    #[arg(long, value_name = "R", default_value = "5", allow_negative_numbers = true, value_parser = whole(1..=1000))]
    repetitions: u64,

    /// Leave out what takes longer to warm up, and larger boards with the same engine, kernel and threads
    ///
    /// What takes more memory than is free is then left out too, and no error.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = time)]
    limit: Option<Duration>,

    /// Keep every thread on a CPU of its own, physical cores first
    ///
    /// With more threads than CPUs some share one, which the study then says.
    #[arg(long)]
    pin: bool,
}

/// Boards from one size to another.
#[derive(Clone, Debug)]
struct Boards(Vec<Board>);

fn boards(text: &str) -> Result<Boards, String> {
    let board = |text: &str| text.trim().parse::<Board>().map_err(|error| error.to_string());
    // A number below zero is not a range.
    let Some((from, to)) = text.split_once('-').filter(|(from, _)| !from.trim().is_empty()) else {
        return Ok(Boards(vec![board(text)?]));
    };
    let end = |text| board(text).map_err(|error| format!("{error}, or a range such as 8-12"));
    let (from, to) = (end(from)?, end(to)?);
    if from > to {
        return Err(format!("{from} is beyond {to}; give a range from small to large"));
    }
    Ok(Boards((from.size()..=to.size()).filter_map(|size| Board::new(size).ok()).collect()))
}

/// A file to write a study to, and as what; without a path standard output.
#[derive(Clone, Debug)]
struct Export {
    path: Option<PathBuf>,
    kind: Kind,
}

fn export(text: &str) -> Result<Export, String> {
    if text == "-" {
        return Ok(Export { path: None, kind: Kind::Svg });
    }
    let extension = Path::new(text).extension().and_then(|extension| extension.to_str());
    let kind = extension.and_then(Kind::of_extension);
    let kind = kind.ok_or_else(|| format!("the name must end with one of {}", Kind::EXTENSIONS))?;
    Ok(Export { path: Some(text.into()), kind })
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    if !arguments.compare.is_empty() {
        return Session::begin_brief()?.run(|_| comparison::run(arguments));
    }
    let session = Session::begin()?;
    let jobs = arguments.what.jobs(ENGINES)?;
    let files = arguments.open()?;
    let peers = arguments.peers()?;
    session.run(|cancel| outcome(arguments, jobs, &peers, files, cancel))
}

impl Arguments {
    /// The times of other programs to be shown.
    fn peers(&self) -> Result<Vec<Peer>, Failure> {
        let Some(path) = &self.peers else { return Ok(Vec::new()) };
        let refused = |reason: String| {
            let path = path.display();
            Failure::Usage(format!(
                "'{path}' has no times of other programs: {reason}; give a CSV file with the columns program, machine, \
                 threads, board, seconds and source"
            ))
        };
        let text = input::read(path, peers::MOST_BYTES).map_err(refused)?;
        let mut peers = peers::read(&text[..]).map_err(|reason| refused(input::clipped(&reason)))?;
        peers.retain(|peer| self.what.shows_board(peer.board));
        Ok(peers)
    }

    /// Opens the output and the files to write to, before anything is read or measured: a bad path costs nothing.
    fn open(&self) -> Result<(Output, Vec<(Output, Kind)>), Failure> {
        let studies = self.compare.iter().map(|path| (path.as_path(), "--compare"));
        let read: Vec<_> = studies.chain(self.peers.iter().map(|path| (path.as_path(), "--peers"))).collect();
        let files = self.export.iter().filter_map(|export| Some((export.path.as_deref()?, export.kind)));
        let (paths, kinds): (Vec<_>, Vec<_>) = files.map(|(path, kind)| ((path, "--export"), kind)).unzip();
        let (output, files) = self.printing.open_with(&read, &paths)?;
        Ok((output, files.into_iter().zip(kinds).collect()))
    }
}

impl What {
    /// The counts to be timed, by any of these engines: those that differ in the number of threads alone side by side.
    fn jobs(&self, all: &[&'static dyn Engine]) -> Result<Vec<Job>, Failure> {
        let engines: Vec<Option<&dyn Engine>> = match &self.engine[..] {
            [] => all.iter().copied().map(Some).collect(),
            engines => engines.iter().map(|engine| engine.0.map(|engine| engine as &dyn Engine)).collect(),
        };
        let kernels: Vec<Option<Kernel>> = match &self.kernel[..] {
            [] => vec![None],
            kernels => kernels.iter().map(|kernel| kernel.0).collect(),
        };
        let mut jobs: Vec<Job> = Vec::new();
        for board in self.boards(&kernels) {
            for engine in &engines {
                for &kernel in &kernels {
                    let settings = Settings { kernel, ..Settings::default() };
                    let engine = engine.unwrap_or_else(|| engine::auto(board, &settings));
                    let settings = Settings { kernel: kernel.or(engine.kernels().first().copied()), ..settings };
                    let known = |job: &Job| {
                        job.engine.name() == engine.name() && job.settings == settings && job.board == board
                    };
                    let has_kernel = kernel.is_none_or(|kernel| engine.kernels().contains(&kernel));
                    let has_room = engine::check_board(engine, board);
                    if let (Err(error), false) = (&has_room, self.engine.is_empty()) {
                        return Err(Failure::Usage(error.to_string()));
                    }
                    if has_kernel && has_room.is_ok() && !jobs.iter().any(known) {
                        jobs.extend(
                            self.threads()
                                .into_iter()
                                .map(|threads| Job::new(board).engine(engine).threads(threads).settings(settings)),
                        );
                    }
                }
            }
        }
        if jobs.is_empty() {
            let has = all.iter().map(|engine| {
                let names: Vec<&str> = engine.kernels().iter().map(|kernel| kernel.name()).collect();
                format!("engine {} has {}", engine.name(), names.join(", "))
            });
            let has = has.collect::<Vec<_>>().join("; ");
            return Err(Failure::Usage(format!("no engine asked for has such a kernel on this CPU; {has}")));
        }
        Ok(jobs)
    }

    /// The boards, from small to large: unless they are given, those that take about a minute.
    fn boards(&self, kernels: &[Option<Kernel>]) -> Vec<Board> {
        let plain = |kernel: &Option<Kernel>| match kernel {
            Some(kernel) => matches!(kernel, Kernel::Scalar | Kernel::Portable),
            None => !Kernel::Avx2.is_supported(),
        };
        let sizes = if kernels.iter().any(plain) { [14, 16] } else { [16, 18] };
        let mut boards: Vec<Board> = self.boards.iter().flat_map(|boards| boards.0.iter().copied()).collect();
        if boards.is_empty() {
            boards = sizes.into_iter().filter_map(|size| Board::new(size).ok()).collect();
        }
        boards.sort_unstable();
        boards.dedup();
        boards
    }

    /// The numbers of threads, from small to large.
    fn threads(&self) -> Vec<usize> {
        let mut numbers: Vec<usize> = match &self.threads[..] {
            [] => doubling(threads::offered()),
            given => given.iter().map(|&threads| threads as usize).collect(),
        };
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }
}

/// 1, 2, 4, ... and the last.
fn doubling(last: usize) -> Vec<usize> {
    let powers = std::iter::successors(Some(1), |power| Some(2 * power));
    powers.take_while(|&power| power < last).chain([last]).collect()
}

/// Writes to `output` and all files. What can be written is, before it is said what cannot.
fn put_out(
    format: Format,
    mut output: impl Sink,
    files: Vec<(Output, Kind)>,
    write: impl Fn(Kind, &mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    let whole = |kind, out: &mut dyn Sink| {
        write(kind, &mut *out)?;
        out.keep();
        out.end()
    };
    let written = whole(Kind::Rows(format), &mut output);
    let exported: Vec<_> = files.into_iter().map(|(mut file, kind)| whole(kind, &mut file)).collect();
    exported.into_iter().chain([written]).collect::<Result<(), _>>().map_err(|error| Failure::writing(&error))
}

/// Measures, writes the study to `output` and `files`, and says what is to be thought of it.
fn outcome(
    arguments: &Arguments,
    jobs: Vec<Job>,
    peers: &[Peer],
    (output, files): (impl Sink, Vec<(Output, Kind)>),
    cancel: &Cancel,
) -> Result<(), Failure> {
    let Arguments { printing, what, .. } = arguments;
    let (pinning, mut warnings) = what.pinning();
    let (machine, date) = (machine::machine(), machine::date());
    warnings.extend(warnings::before(&machine, &jobs, machine::load()));
    let mut warned = 0;
    let mut warn = |warnings: &[String]| {
        warnings[warned..].iter().for_each(|warning| printing.warn(format_args!("{warning}")));
        warned = warnings.len();
    };
    warn(&warnings);

    let repetitions = what.repetitions as usize;
    let begin_thread = pinning.as_ref().map(|pinning| pinning.begin.clone());
    let study = Study { jobs, repetitions, limit: what.limit, begin_thread, cpu_time: machine::cpu_time };
    let before = Counters::now();
    let measured = {
        let bar = printing.bar("bench".to_owned());
        study.run(cancel, &|done, all| bar.share(done as f64 / all as f64)).map_err(failure)?
    };
    warnings.extend(warnings::after(&measured, Counters::now().since(before)));
    let pinned = what.pinned(pinning.as_ref(), &measured);
    if pinning.is_some() && pinned == Pinned::Refused {
        warnings.push("not every thread could be pinned, because CPUs were taken away; measure again".to_owned());
    }
    warn(&warnings);

    let record = record(&measured, Circumstances { machine, date, pinned, repetitions, warnings });
    let view = View { record: &record, by: arguments.by, peers, studies: &[("", &record)] };
    put_out(printing.format, output, files, |kind, out| write(&view, kind, out))?;
    if let Some(limit) = what.limit {
        for left_out in left_out(&study.jobs, &measured) {
            printing.remark(format_args!(
                "left out, because it takes longer than {} s or too much memory: {left_out}",
                limit.as_secs_f64()
            ));
        }
    }
    printing.remark(format_args!(
        "{}; each count {}, in turn, after one to warm up; {}{}",
        machine_in_words(&record.machine),
        plural(repetitions, "time"),
        if what.pin { [pinned.in_words(), "; "].concat() } else { String::new() },
        if record.rows.iter().all(|row| row.verdict == "matches") {
            "all counts match the published ones (OEIS A000170)"
        } else {
            "no count contradicts the published ones (OEIS A000170)"
        }
    ));
    Ok(())
}

/// The jobs that were not measured: of each engine, kernel and number of threads the smallest board, in words.
fn left_out(jobs: &[Job], measured: &[Measured]) -> Vec<String> {
    let was_measured = |job: &Job| {
        measured.iter().any(|one| {
            let kernel = job.settings.kernel.is_none_or(|kernel| kernel == one.count.kernel);
            kernel && (one.count.engine, one.count.board, one.threads) == (job.engine.name(), job.board, job.threads)
        })
    };
    let mut told: Vec<(&str, Option<Kernel>, usize)> = Vec::new();
    let mut words = Vec::new();
    for job in jobs.iter().filter(|job| !was_measured(job)) {
        let means = (job.engine.name(), job.settings.kernel, job.threads);
        if !told.contains(&means) {
            told.push(means);
            let kernel = job.settings.kernel.map_or(String::new(), |kernel| format!(" {kernel}"));
            let threads = plural(job.threads, "thread");
            words.push(format!("{}{kernel} from N = {} on, {threads}", job.engine.name(), job.board));
        }
    }
    words
}

impl What {
    /// The pinning of threads, where that is asked for and can be done, and the warnings about it.
    fn pinning(&self) -> (Option<Pinning>, Vec<String>) {
        match self.pin.then(pinning) {
            None => (None, Vec::new()),
            Some(Ok(pinning)) => (Some(pinning), Vec::new()),
            Some(Err(reason)) => {
                (None, vec![format!("threads cannot be pinned here: {reason}; they go where the system puts them")])
            }
        }
    }

    /// Where the threads of all counts were in the end.
    fn pinned(&self, pinning: Option<&Pinning>, measured: &[Measured]) -> Pinned {
        let most = measured.iter().map(|one| one.count.threads).max().unwrap_or(0);
        match pinning {
            None if self.pin => Pinned::Refused,
            None => Pinned::Off,
            Some(pinning) if !pinning.held() => Pinned::Refused,
            Some(pinning) if most > pinning.cpus => Pinned::Shared,
            Some(_) => Pinned::Own,
        }
    }
}

/// Why there is no study.
fn failure(error: BenchError) -> Failure {
    match error {
        BenchError::Contradiction { .. } => match contradicted(&[error.to_string()]) {
            Err(failure) => failure,
            Ok(()) => Failure::Failed(error.to_string()),
        },
        BenchError::Run { error: error @ (RunError::Prepare(_) | RunError::Threads { .. }), .. } => {
            Failure::from(error)
        }
        BenchError::Cancelled { .. } => Failure::Cancelled(error.to_string()),
        BenchError::Limit { .. } => Failure::Failed(format!("{error}; give smaller --boards, or a larger --limit")),
        error => Failure::Failed(error.to_string()),
    }
}

/// What was measured, where, when and how.
struct Circumstances {
    machine: Machine,
    date: String,
    pinned: Pinned,
    repetitions: usize,
    warnings: Vec<String>,
}

fn record(measured: &[Measured], circumstances: Circumstances) -> Record {
    let Circumstances { machine, date, pinned, repetitions, warnings } = circumstances;
    let told = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    let same = |one: &Measured, other: &Measured| subject(one) == subject(other);
    let (cores, cpus) = (machine.physical_cores, machine.logical_cpus);
    let scaling = measured.chunk_by(same).filter_map(|measured| scaling(measured, cores, cpus)).collect();
    Record {
        schema: SCHEMA.to_owned(),
        date,
        // Where the program lies is nobody's business.
        command: std::iter::once("nqueens".to_owned()).chain(std::env::args().skip(1)).collect::<Vec<_>>().join(" "),
        program: Program {
            version: env!("NQUEENS_VERSION").to_owned(),
            commit: told(env!("NQUEENS_COMMIT")),
            compiler: told(env!("NQUEENS_COMPILER")),
        },
        machine,
        repetitions,
        pinned: pinned == Pinned::Own,
        pinning: Some(pinned),
        rows: measured.chunk_by(same).flat_map(rows).collect(),
        scaling,
        warnings,
    }
}

fn subject(measured: &Measured) -> (&'static str, Kernel, Board) {
    (measured.count.engine, measured.count.kernel, measured.count.board)
}

/// The rows of counts that differ in the number of threads alone.
fn rows(measured: &[Measured]) -> Vec<Row> {
    let one_thread = measured.iter().find(|one| one.threads == 1).map(|one| one.times().median);
    let row = |one: &Measured| {
        let times = one.times();
        let speed_up = one_thread.map(|alone| alone / times.median);
        let cpu: Vec<f64> = one.samples.iter().filter_map(|sample| sample.cpu_seconds).collect();
        Row {
            engine: one.count.engine.to_owned(),
            kernel: one.count.kernel.to_string(),
            board: one.count.board.size(),
            threads: one.threads,
            plan: one.count.plan.clone(),
            units: one.count.units,
            total: one.count.total.to_string(),
            verdict: one.count.verdict().to_string(),
            seconds: times.median,
            fastest: times.fastest,
            slowest: times.slowest,
            spread: times.spread,
            cpu_seconds: (!cpu.is_empty()).then(|| Times::of(&cpu).median),
            speed_up,
            efficiency: speed_up.map(|speed_up| speed_up / one.threads as f64),
            solutions_per_second: one.count.total as f64 / times.median,
            nodes: one.nodes,
            nodes_per_second: one.nodes.map(|nodes| nodes as f64 / times.median),
            times: one.samples.iter().map(|sample| sample.seconds).collect(),
        }
    };
    measured.iter().map(row).collect()
}

/// The serial fraction of counts that differ in the number of threads alone: with no more threads than there are physical
/// cores, where that leaves two numbers of them, because two threads of one core share what makes it fast; else with no more
/// than there are CPUs, because threads that wait for each other say nothing of the work.
fn scaling(measured: &[Measured], cores: usize, cpus: usize) -> Option<Scaling> {
    let up_to = |most: usize| {
        let few = measured.iter().filter(|one| one.threads <= most);
        serial_fraction(&few.map(|one| (one.threads, one.times().median)).collect::<Vec<_>>())
    };
    let serial_fraction = up_to(cores.min(cpus)).or_else(|| up_to(cpus))?;
    let (engine, kernel, board) = subject(measured.first()?);
    Some(Scaling { engine: engine.to_owned(), kernel: kernel.to_string(), board: board.size(), serial_fraction })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::bench::study::Sample;
    use crate::app::faulty::Faulty;
    use crate::app::parsed;

    fn arguments(line: &str) -> Arguments {
        match parsed(line) {
            crate::app::Command::Bench(arguments) => arguments,
            other => panic!("not a study: {other:?}"),
        }
    }

    #[test]
    fn a_wrong_count_ends_the_study_and_is_named() {
        let arguments = arguments("bench --boards 9,10 --threads 1 --repetitions 2 --quiet");
        let jobs = arguments.what.jobs(&[&Faulty, ENGINES[0]]).unwrap();
        let mut out = Vec::new();
        let outcome = outcome(&arguments, jobs, &[], (&mut out, Vec::new()), &Cancel::new());
        let Err(Failure::Failed(message)) = outcome else { panic!("a contradiction must fail") };
        let named = "faulty, kernel scalar: 725 solutions for N = 10, but 724 is published";
        assert!(message.contains(named), "{message}");
        assert!(out.is_empty());
    }

    #[test]
    fn threads_beyond_the_cpus_say_nothing_of_the_serial_fraction() {
        let measured = |threads, seconds| Measured {
            threads,
            count: crate::app::count::row::tests::count(8, 92),
            nodes: None,
            samples: vec![Sample { seconds, cpu_seconds: None }],
        };
        let all = [measured(1, 8.0), measured(2, 4.0), measured(4, 3.0), measured(8, 90.0)];
        let of = |cores, cpus| scaling(&all, cores, cpus).map(|scaling| (1000.0 * scaling.serial_fraction).round());
        assert_eq!(of(2, 4), Some(0.0), "the cores are enough");
        assert_eq!(of(1, 2), Some(0.0), "with one core there are its CPUs");
        assert_eq!(of(2, 1), None, "this process has a part of the machine");
        assert!(of(1, 4).is_some_and(|serial| serial > 0.0));
    }

    #[test]
    fn where_threads_were_is_what_was_done() {
        let measured = |threads| {
            let count = crate::run::Count { threads, ..crate::app::count::row::tests::count(8, 92) };
            [Measured { threads, count, nodes: None, samples: Vec::new() }]
        };
        let plain = arguments("bench").what;
        assert_eq!(plain.pinned(None, &measured(8)), Pinned::Off);
        let asked = arguments("bench --pin").what;
        assert_eq!(asked.pinned(None, &measured(1)), Pinned::Refused);
        if let (Some(pinning), _) = asked.pinning() {
            assert_eq!(asked.pinned(Some(&pinning), &measured(pinning.cpus)), Pinned::Own);
            assert_eq!(asked.pinned(Some(&pinning), &measured(pinning.cpus + 1)), Pinned::Shared);
        }
    }

    #[test]
    fn threads_double_up_to_all() {
        assert_eq!(doubling(1), [1]);
        assert_eq!(doubling(2), [1, 2]);
        assert_eq!(doubling(6), [1, 2, 4, 6]);
        assert_eq!(doubling(64), [1, 2, 4, 8, 16, 32, 64]);
    }

    #[test]
    fn what_is_asked_for_is_measured_once() {
        let jobs = |line: &str| {
            let jobs = arguments(line).what.jobs(ENGINES).unwrap();
            let job = |job: &Job| format!("{} {} {}", job.board, job.engine.name(), job.threads);
            jobs.iter().map(job).collect::<Vec<_>>()
        };
        assert_eq!(
            jobs("bench --boards 9,8,9 --engine backtrack --engine auto --threads 2,1,2"),
            ["8 backtrack 1", "8 backtrack 2", "9 backtrack 1", "9 backtrack 2"]
        );
        assert_eq!(
            jobs("bench --boards 8 --kernel scalar --threads 1"),
            ["8 backtrack 1"],
            "two-color has no such kernel"
        );
        assert_eq!(jobs("bench --boards 8 --kernel scalar --kernel portable --threads 1").len(), 3);
        let refused = arguments("bench --boards 8 --engine two-color --kernel scalar").what.jobs(ENGINES);
        assert!(matches!(refused, Err(Failure::Usage(message)) if message.contains("backtrack has")));
    }

    #[test]
    fn a_board_beyond_an_engine_is_refused_where_the_engine_is_named() {
        let refused = arguments("bench --boards 8,30 --engine backtrack --engine two-color").what.jobs(ENGINES);
        let Err(Failure::Usage(message)) = refused else { panic!("it cannot be counted") };
        assert!(message.contains("two-color cannot count N = 30") && message.contains("at most 28"), "{message}");
        let jobs = arguments("bench --boards 8,30 --threads 1").what.jobs(ENGINES).unwrap();
        let jobs: Vec<_> = jobs.iter().map(|job| (job.board.size(), job.engine.name())).collect();
        assert_eq!(jobs, [(8, "backtrack"), (8, "two-color"), (30, "backtrack")]);
    }

    #[test]
    fn boards_are_given_one_by_one_or_as_ranges() {
        let sizes =
            |text: &str| boards(text).map(|boards| boards.0.iter().map(|board| board.size()).collect::<Vec<_>>());
        assert_eq!(sizes("16"), Ok(vec![16]));
        assert_eq!(sizes("8-11"), Ok(vec![8, 9, 10, 11]));
        assert_eq!(sizes("8-8"), Ok(vec![8]));
        for bad in ["", "x", "-3", "3-", "9-8", "8-33", "0-3", "8-9-10"] {
            assert!(sizes(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn what_a_file_is_to_be_is_told_by_its_name() {
        let kind = |text| export(text).map(|export| (export.path.is_some(), export.kind));
        assert_eq!(kind("a/b.html"), Ok((true, Kind::Html)));
        assert_eq!(kind("-").map(|(path, _)| path), Ok(false));
        for bad in ["study", "study.xml", "study.JSON5", ".json"] {
            assert!(kind(bad).is_err(), "{bad}");
        }
    }
}
