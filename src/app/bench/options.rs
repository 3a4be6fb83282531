//! The options of `nqueens bench`.

use crate::app::bench::peers::PeerTime;
use crate::app::bench::study::Timing;
use crate::app::bench::view::{Form, Variable};
use crate::app::bench::{defaults, input, peers};
use crate::app::failure::Failure;
use crate::app::machine::default_threads;
use crate::app::numbers::{time, whole};
use crate::app::options::{Choice, ReportOptions, engine_parser, kernel_parser};
use crate::app::output::file::Output;
use crate::engine::{self, CountingEngine, Kernel, Settings};
use crate::run::{Job, MOST_THREADS, RunError, on_threads, prepare};
use crate::{Board, Cancel};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Measure how fast this machine counts, and how that grows with the number of threads
///
/// Every engine counts its boards with 1, 2, 4, ... threads, several times each. The counts take turns, so that
/// whatever else the machine does affects all of them alike. The table has the median of the times, their spread (the
/// interquartile range as a share of the median) and the speed-up over one thread; the bars show the speed-up, and in
/// per cent the efficiency (the speed-up for each thread). The serial fraction is the share of the work that more threads do not make
/// faster: Amdahl's law, fitted to the medians. By default all of this takes about a minute, and up to ten minutes with
/// hundreds of threads.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens bench
  nqueens bench --engine two-color --boards 18,20 --threads 1,2,4,8 --pin
  nqueens bench --export study.html --export study.json
  nqueens bench --boards 8-20 --time-limit 10s --by board --export times.svg
  nqueens bench --compare old.json new.json")]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(super) selection: Selection,

    /// The variable over which tables and charts show the times
    ///
    /// The JSON document of a study has all numbers in either case.
    #[arg(long, value_name = "VARIABLE", default_value = "threads", help_heading = "Output options")]
    pub(super) by: Variable,

    /// Also show the times of other programs from this CSV file
    ///
    /// Its columns are program, machine, threads, board, seconds and source; other columns, and lines that begin with
    /// #, are ignored. The times are drawn in a chart over the boards; text, Markdown and the page have them in a
    /// table. With --boards, only the times for these boards are shown.
    #[arg(long, value_name = "FILE", help_heading = "Output options")]
    peers: Option<PathBuf>,

    /// Also write the study to this file, whose name ends with .json, .csv, .md, .svg or .html; may be repeated
    ///
    /// The page (.html) holds the charts and all numbers, and needs no network. `-` is standard output, in the
    /// format of --format.
    #[arg(long, value_name = "FILE", help_heading = "Output options", value_parser = export)]
    export: Vec<Export>,

    /// Measure nothing, but compare these studies: JSON files that `nqueens bench --export FILE.json` wrote
    ///
    /// Every count that two of them have is compared with the first study that has it. If a study has several kernels
    /// for an engine, only counts with the same kernel are compared; else those of the best kernel of each machine.
    /// --engine, --kernel, --boards and --threads select what is shown. A single study is shown as it was measured.
    /// Studies are called by their CPU, and those with the same CPU by their file too.
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["repetitions", "time_limit", "pin"])]
    pub(super) compare: Vec<PathBuf>,

    #[command(flatten)]
    pub(super) printing: ReportOptions,
}

/// The counts to measure or to show.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Measurement options")]
pub(super) struct Selection {
    /// Only these engines; may be repeated [default: all]
    #[arg(long, env = "NQUEENS_ENGINE", hide_env_values = true, value_name = "ENGINE", value_delimiter = ',',
        value_parser = engine_parser())]
    engine: Vec<Choice<&'static dyn CountingEngine>>,

    /// Only these kernels; may be repeated [default: the best that this CPU has]
    #[arg(long, env = "NQUEENS_KERNEL", hide_env_values = true, value_name = "KERNEL", value_delimiter = ',',
        value_parser = kernel_parser())]
    kernel: Vec<Choice<Kernel>>,

    /// The sizes of the boards, such as 16,18 or 8-12,14 [default: larger ones for more threads]
    ///
    /// By default each engine counts the smallest board that one thread is expected to count in 0.1 s or more, the next
    /// larger one, and so on until a board takes all threads 20 ms or more. A board is counted with those numbers of
    /// threads only for which it takes so long. The boards follow from engine, kernel, threads and CPUs alone, so that
    /// studies of different machines have counts in common.
    #[arg(long, value_name = "N,...", value_delimiter = ',', allow_hyphen_values = true, value_parser = boards)]
    boards: Vec<Boards>,

    /// The numbers of threads [default: 1, 2, 4, ... up to the number of CPUs]
    #[arg(long, short = 'j', env = "NQUEENS_THREADS", hide_env_values = true, value_name = "T,...",
        value_delimiter = ',', allow_hyphen_values = true, value_parser = whole(1..=MOST_THREADS as u64))]
    threads: Vec<u64>,

    /// The number of timed runs of each count, after one untimed run
    #[arg(long, value_name = "R", default_value = "5", allow_negative_numbers = true, value_parser = whole(1..=1000))]
    pub(super) repetitions: u64,

    /// Skip a count whose untimed run takes longer, and larger boards with the same engine, kernel and threads
    ///
    /// Counts that need more memory than is free are then skipped too; without a limit they are an error.
    #[arg(long, alias = "limit", value_name = "TIME", allow_hyphen_values = true, value_parser = time)]
    pub(super) time_limit: Option<Duration>,

    /// Keep every thread on a CPU of its own, physical cores first
    ///
    /// With more threads than CPUs some threads share a CPU, and the study says so.
    #[arg(long)]
    pub(super) pin: bool,
}

/// The boards from one size to another.
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

/// A file to write a study to and its form; standard output if it has no path.
#[derive(Clone, Debug)]
struct Export {
    path: Option<PathBuf>,
    form: Form,
}

fn export(text: &str) -> Result<Export, String> {
    if text == "-" {
        return Ok(Export { path: None, form: Form::Svg });
    }
    let extension = Path::new(text).extension().and_then(|extension| extension.to_str());
    let form = extension.and_then(Form::of_extension);
    let form = form.ok_or_else(|| format!("the name must end with one of {}", Form::EXTENSIONS))?;
    Ok(Export { path: Some(text.into()), form })
}

/// The open output and the open files of `--export`, each with its form.
pub(super) type Outputs<O = Output> = (O, Vec<(Output, Form)>);

impl Arguments {
    /// Reads the selected times of other programs.
    pub(super) fn peers(&self) -> Result<Vec<PeerTime>, Failure> {
        let Some(path) = &self.peers else { return Ok(Vec::new()) };
        let refused = |reason: String| {
            let path = path.display();
            Failure::Usage(format!(
                "'{path}' has no times of other programs: {reason}; give a CSV file with the columns program, machine, \
                 threads, board, seconds and source"
            ))
        };
        let text = input::read(path, peers::MOST_BYTES).map_err(refused)?;
        let mut times = peers::read(&text[..]).map_err(|reason| refused(input::clipped(&reason)))?;
        times.retain(|time| self.selection.has_board(time.board));
        Ok(times)
    }

    /// Opens the output and the files of `--export`. Called before anything is read or measured, so that a bad path
    /// costs nothing.
    pub(super) fn open(&self) -> Result<Outputs, Failure> {
        let studies = self.compare.iter().map(|path| (path.as_path(), "--compare"));
        let read: Vec<_> = studies.chain(self.peers.iter().map(|path| (path.as_path(), "--peers"))).collect();
        let files = self.export.iter().filter_map(|export| Some((export.path.as_deref()?, export.form)));
        let (paths, forms): (Vec<_>, Vec<_>) = files.map(|(path, form)| ((path, "--export"), form)).unzip();
        let (output, files) = self.printing.open_with(&read, &paths)?;
        Ok((output, files.into_iter().zip(forms).collect()))
    }
}

impl Selection {
    /// Returns the selected counts by `all` engines. Those that differ in the number of threads alone are neighbours.
    pub(super) fn jobs(&self, all: &[&'static dyn CountingEngine]) -> Result<Vec<Job>, Failure> {
        let engines: Vec<Option<&'static dyn CountingEngine>> = match &self.engine[..] {
            [] => all.iter().copied().map(Some).collect(),
            engines => engines.iter().map(|engine| engine.0.map(|engine| engine as &dyn CountingEngine)).collect(),
        };
        let kernels: Vec<Option<Kernel>> = match &self.kernel[..] {
            [] => vec![None],
            kernels => kernels.iter().map(|kernel| kernel.0).collect(),
        };
        let threads = self.threads();
        let counts = |engine: Option<&'static dyn CountingEngine>| -> Result<_, Failure> {
            let counts: BTreeMap<Board, Vec<usize>> = if self.boards.is_empty() {
                default_counts(engine, &kernels, &threads, default_threads())?.into_iter().collect()
            } else {
                let boards = self.boards.iter().flat_map(|boards| boards.0.iter().copied());
                boards.map(|board| (board, threads.clone())).collect()
            };
            Ok((engine, counts))
        };
        let counts = engines.into_iter().map(counts).collect::<Result<Vec<_>, _>>()?;
        let boards: BTreeSet<Board> = counts.iter().flat_map(|(_, counts)| counts.keys().copied()).collect();
        let mut jobs: Vec<Job> = Vec::new();
        for board in boards {
            for (engine, counts) in &counts {
                let Some(threads) = counts.get(&board) else { continue };
                for &kernel in &kernels {
                    let (engine, settings) = engine_for(*engine, kernel, board);
                    let is_known = |job: &Job| {
                        job.engine.name() == engine.name() && job.settings == settings && job.board == board
                    };
                    let has_kernel = kernel.is_none_or(|kernel| engine.kernels().contains(&kernel));
                    let fits = engine::check_board(engine, board);
                    if let (Err(error), false) = (&fits, self.engine.is_empty()) {
                        return Err(Failure::Usage(error.to_string()));
                    }
                    if has_kernel && fits.is_ok() && !jobs.iter().any(is_known) {
                        jobs.extend(
                            threads.iter().map(|&threads| {
                                Job::new(board).with_engine(engine).threads(threads).settings(settings)
                            }),
                        );
                    }
                }
            }
        }
        if jobs.is_empty() {
            let kernels = all.iter().map(|engine| {
                let names: Vec<&str> = engine.kernels().iter().map(|kernel| kernel.name()).collect();
                format!("engine {} has {}", engine.name(), names.join(", "))
            });
            let kernels = kernels.collect::<Vec<_>>().join("; ");
            return Err(Failure::Usage(format!(
                "no engine selected has such a kernel on this CPU; give another --kernel: {kernels}"
            )));
        }
        Ok(jobs)
    }

    /// Returns the numbers of threads, from small to large.
    fn threads(&self) -> Vec<usize> {
        let numbers: BTreeSet<usize> = match &self.threads[..] {
            [] => powers_of_two_and(default_threads()).collect(),
            given => given.iter().map(|&threads| threads as usize).collect(),
        };
        numbers.into_iter().collect()
    }

    /// Returns true if boards of this size are selected.
    pub(super) fn has_board(&self, size: usize) -> bool {
        self.boards.is_empty() || self.boards.iter().flat_map(|boards| &boards.0).any(|board| board.size() == size)
    }

    /// Returns true if an option selects some counts only.
    pub(super) fn is_restricted(&self) -> bool {
        !(self.engine.is_empty() && self.kernel.is_empty() && self.boards.is_empty() && self.threads.is_empty())
    }

    /// Returns true if a row of a study is selected.
    pub(super) fn has(&self, row: &Timing) -> bool {
        let has_engine = self.engine.iter().all(|engine| engine.0.is_none())
            || self.engine.iter().filter_map(|engine| engine.0).any(|engine| engine.name() == row.engine);
        let has_kernel = self.kernel.iter().all(|kernel| kernel.0.is_none())
            || self.kernel.iter().filter_map(|kernel| kernel.0).any(|kernel| kernel.name() == row.kernel);
        let has_threads = self.threads.is_empty() || self.threads.contains(&(row.threads as u64));
        has_engine && has_kernel && self.has_board(row.board) && has_threads
    }
}

/// Returns the engine that counts a board with a kernel, and its settings. `None` is the engine that `auto` chooses, and
/// the best kernel.
fn engine_for(
    engine: Option<&'static dyn CountingEngine>,
    kernel: Option<Kernel>,
    board: Board,
) -> (&'static dyn CountingEngine, Settings) {
    let settings = Settings { kernel, ..Settings::default() };
    let engine = engine.unwrap_or_else(|| engine::auto(board, &settings));
    (engine, Settings { kernel: kernel.or(engine.kernels().first().copied()), ..settings })
}

/// Returns the default boards of an engine, with their numbers of threads. They follow from the times that its plans
/// expect on a reference machine with the slowest of `kernels`, so that they are the same on all machines that have
/// these kernels and as many CPUs and threads.
fn default_counts(
    engine: Option<&'static dyn CountingEngine>,
    kernels: &[Option<Kernel>],
    threads: &[usize],
    cpus: usize,
) -> Result<Vec<(Board, Vec<usize>)>, Failure> {
    let seconds = |board: Board| -> Result<Option<f64>, RunError> {
        let mut slowest = None;
        for &kernel in kernels {
            let (engine, settings) = engine_for(engine, kernel, board);
            let has_kernel = settings.kernel.is_some_and(|kernel| engine.kernels().contains(&kernel));
            if has_kernel && engine::check_board(engine, board).is_ok() {
                let job = Job::new(board).with_engine(engine).threads(1).settings(settings);
                let counter = prepare(&job, &Cancel::new())?;
                let units: Vec<usize> = (0..counter.plan().units()).collect();
                let seconds = counter.expected_seconds() + counter.table_seconds(&units, u64::MAX);
                slowest = Some(slowest.unwrap_or(0.0_f64).max(seconds));
            }
        }
        Ok(slowest)
    };
    Ok(on_threads(default_threads(), || defaults::boards(threads, cpus, seconds))??)
}

/// Returns 1, 2, 4, ... and `last`.
fn powers_of_two_and(last: usize) -> impl Iterator<Item = usize> {
    let powers = std::iter::successors(Some(1), |power| Some(2 * power));
    powers.take_while(move |&power| power < last).chain([last])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::bench::tests::arguments;
    use crate::engine::ENGINES;

    #[test]
    fn threads_double_up_to_all() {
        for (last, numbers) in [(1, &[1][..]), (2, &[1, 2]), (6, &[1, 2, 4, 6]), (64, &[1, 2, 4, 8, 16, 32, 64])] {
            assert_eq!(powers_of_two_and(last).collect::<Vec<_>>(), numbers);
        }
    }

    #[test]
    fn what_is_asked_for_is_measured_once() {
        let jobs = |line: &str| {
            let jobs = arguments(line).selection.jobs(ENGINES).unwrap();
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
        let refused = arguments("bench --boards 8 --engine two-color --kernel scalar").selection.jobs(ENGINES);
        assert!(matches!(refused, Err(Failure::Usage(message)) if message.contains("backtrack has")));
    }

    #[test]
    fn by_default_every_machine_counts_the_same_small_boards_and_larger_ones_with_more_threads() {
        for engine in ENGINES.iter().copied().map(Some).chain([None]) {
            for kernel in [None, Some(Kernel::Portable)] {
                let counts = |cpus: usize| {
                    let threads: Vec<usize> = powers_of_two_and(cpus).collect();
                    default_counts(engine, &[kernel], &threads, cpus).unwrap()
                };
                let (few, many) = (counts(2), counts(64));
                assert_eq!(few.len(), 2, "{few:?}");
                assert!(few.iter().zip(&many).all(|(few, many)| few.0 == many.0), "{few:?} {many:?}");
                assert!(few.iter().all(|(_, threads)| *threads == [1, 2]), "{few:?}");
                assert!(
                    many.last().is_some_and(|(board, threads)| *board >= few[1].0 && threads.len() == 7),
                    "{many:?}"
                );
                assert!(many[0].1.len() < 7, "{many:?}");
            }
        }
        // A kernel that only one engine has.
        let jobs = arguments("bench --kernel scalar --threads 1").selection.jobs(ENGINES).unwrap();
        assert!(jobs.len() == 2 && jobs.iter().all(|job| job.engine.name() == "backtrack"), "{jobs:?}");
    }

    #[test]
    fn a_board_beyond_an_engine_is_refused_where_the_engine_is_named() {
        let refused = arguments("bench --boards 8,30 --engine backtrack --engine two-color").selection.jobs(ENGINES);
        let Err(Failure::Usage(message)) = refused else { panic!("it cannot be counted") };
        assert!(message.contains("two-color cannot count N = 30") && message.contains("at most 28"), "{message}");
        let jobs = arguments("bench --boards 8,30 --threads 1").selection.jobs(ENGINES).unwrap();
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
        let form = |text| export(text).map(|export| (export.path.is_some(), export.form));
        assert_eq!(form("a/b.html"), Ok((true, Form::Html)));
        assert_eq!(form("-").map(|(path, _)| path), Ok(false));
        for bad in ["study", "study.xml", "study.JSON5", ".json"] {
            assert!(form(bad).is_err(), "{bad}");
        }
    }
}
