//! The options that mean the same in every command.

use crate::app::double_check::{self, Difference, DoubleCheck, DoubleCheckError, Partials, Route};
use crate::app::estimate::expected::seconds_if_more;
use crate::app::failure::Failure;
use crate::app::judged::solutions;
use crate::app::ledgers;
use crate::app::messages::say;
use crate::app::numbers::whole;
use crate::app::output::Format;
use crate::app::output::file::{self, Named, Output};
use crate::app::output::words::{self, long_time, plural};
use crate::app::terminal::progress::Bar;
use crate::app::{machine, terminal};
use crate::classic::textbook::METHODS;
use crate::engine::backtrack::MOST_SPLIT_ROWS;
use crate::engine::{self, Engine, Kernel, Plan, Settings, Symmetry};
use crate::ledger::{Contents, Found, Header, read_header};
use crate::run::{Count, Job, MOST_THREADS, Progress, Ready, RunError, Shard};
use crate::{Board, Cancel};
use clap::Args;
use clap::builder::{FalseyValueParser, PossibleValue, PossibleValuesParser, TypedValueParser};
use std::fmt;
use std::io::{IsTerminal, stderr};
use std::path::{Path, PathBuf};

/// A count that takes longer is one whose time a person wants to know first.
const MINUTE: f64 = 60.0;

/// By what means to count.
#[derive(Debug, Args)]
#[command(next_help_heading = "How to count")]
pub(crate) struct Means {
    /// The engine that counts: `auto` takes two-color for N = 16 to 28 (from 12 without AVX2), else backtrack
    #[arg(long, env = "NQUEENS_ENGINE", hide_env_values = true, value_name = "ENGINE", default_value = "auto", value_parser = engine_parser())]
    engine: Choice<&'static dyn Engine>,

    #[command(flatten)]
    kernel: KernelChoice,

    #[command(flatten)]
    threads: Threads,

    /// Which mirror images the backtracker leaves out: `auto` takes what suits the kernel
    ///
    /// Only the backtracker can be told, so `--engine auto` then takes it.
    #[arg(long, env = "NQUEENS_SYMMETRY", hide_env_values = true, value_name = "SYMMETRY", default_value = "auto", value_parser = symmetry_parser())]
    symmetry: Choice<Symmetry>,

    /// Make a unit of each placement of the first 1, 2 or 3 rows; with symmetry `edges` 0 to 2
    ///
    /// With symmetry `edges` these are the first of the rows that have no queen in the edge columns. Where the symmetry is left
    /// open, a number that suits only one of them chooses that one. More rows give more and smaller units. By default the
    /// fewest rows are split that keep 95% of the threads busy to the end, going by the expected work of all units and of the
    /// heaviest, and that make units of about a second at most; fewer where units would get so small that they cost more than
    /// that gains. Only the backtracker has such units, so `--engine auto` then takes it.
    #[arg(long, env = "NQUEENS_SPLIT_ROWS", hide_env_values = true, value_name = "ROWS",
        allow_negative_numbers = true, value_parser = whole(0..=MOST_SPLIT_ROWS as u64))]
    split_rows: Option<u64>,
}

impl Means {
    /// The count of `board` by these means.
    pub(crate) fn job(&self, board: Board) -> Job<'static> {
        self.job_with(board, self.settings())
    }

    /// The count of `board` that goes on with a ledger, or begins one: where these means leave it open, the plan is that of the
    /// ledger, and for a shard one that every machine comes to.
    pub(crate) fn job_to_keep(
        &self,
        board: Board,
        ledger: &Path,
        shard: Option<Shard>,
    ) -> Result<Job<'static>, Failure> {
        let settings = self.settings();
        let header = read_header(ledger).map_err(|error| Failure::from(RunError::Ledger(error)))?;
        let given = |header: &Header| {
            let engine = self.engine.0.or_else(|| engine::by_name(&header.engine))?;
            let same = engine.name() == header.engine && header.board == board;
            let fits = |plan: &Settings| {
                same && (settings.symmetry.is_none() || settings.symmetry == plan.symmetry)
                    && (settings.split_rows.is_none() || settings.split_rows == plan.split_rows)
            };
            let Settings { symmetry, split_rows, .. } = engine.settings_of_plan(&header.plan).filter(fits)?;
            let settings = Settings { symmetry, split_rows, ..settings };
            Some(Job { board, engine, threads: self.threads.number(), settings })
        };
        if let Some(job) = header.as_ref().and_then(given) {
            return Ok(job);
        }
        Ok(match shard {
            None => self.job_with(board, settings),
            Some(shard) => {
                let workers = THREADS_OF_A_MACHINE * shard.count();
                self.job_with(board, Settings { workers, same_everywhere: true, ..settings })
            }
        })
    }

    fn settings(&self) -> Settings {
        let split_rows = self.split_rows.map(|rows| rows as usize);
        Settings { kernel: self.kernel.named(), symmetry: self.symmetry.0, split_rows, ..Settings::default() }
    }

    fn job_with(&self, board: Board, settings: Settings) -> Job<'static> {
        let engine = self.engine.0.unwrap_or_else(|| engine::auto(board, &settings));
        Job { board, engine, threads: self.threads.number(), settings }
    }
}

/// How many threads the plan of a shard is made for, whatever machines it comes to.
const THREADS_OF_A_MACHINE: usize = 32;

/// With which kernel to count.
#[derive(Debug, Args)]
pub(crate) struct KernelChoice {
    /// How the innermost loop uses the CPU: `auto` takes the widest vectors this CPU has
    ///
    /// Below N = 10 a count takes less than a millisecond with any of them, and the scalar one may be the fastest.
    #[arg(long, env = "NQUEENS_KERNEL", hide_env_values = true, value_name = "KERNEL", default_value = "auto", value_parser = kernel_parser())]
    kernel: Choice<Kernel>,
}

impl KernelChoice {
    /// The kernel that was named; `None` for `auto`.
    pub(crate) fn named(&self) -> Option<Kernel> {
        self.kernel.0
    }
}

/// How many threads to count with.
#[derive(Debug, Args)]
pub(crate) struct Threads {
    /// The number of threads [default: as many as this process has CPUs]
    ///
    /// By default one for each logical CPU that this process may use: its affinity mask, its control group's quota and
    /// what Slurm gave the task are respected.
    #[arg(long, short = 'j', env = "NQUEENS_THREADS", hide_env_values = true, value_name = "T",
        allow_negative_numbers = true, value_parser = whole(1..=MOST_THREADS as u64))]
    threads: Option<u64>,
}

impl Threads {
    pub(crate) fn number(&self) -> usize {
        self.threads.map_or_else(machine::default_threads, |threads| threads as usize)
    }
}

/// A choice by name; `None` is `auto`.
#[derive(Clone, Copy)]
pub(crate) struct Choice<T>(pub(crate) Option<T>);

impl<T> fmt::Debug for Choice<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "chosen" } else { "auto" })
    }
}

pub(crate) fn engine_parser() -> impl TypedValueParser<Value = Choice<&'static dyn Engine>> {
    let names = engine::ENGINES.iter().map(|engine| engine.name());
    choice_parser(names).map(|name| Choice(engine::by_name(&name)))
}

pub(crate) fn kernel_parser() -> impl TypedValueParser<Value = Choice<Kernel>> {
    let names = Kernel::ALL.iter().map(|kernel| kernel.name());
    choice_parser(names).map(|name| Choice(Kernel::ALL.iter().copied().find(|kernel| kernel.name() == name)))
}

fn symmetry_parser() -> impl TypedValueParser<Value = Choice<Symmetry>> {
    let help = |symmetry| match symmetry {
        Symmetry::Edges => "left and right, top and bottom: the queens of the edge columns come first",
        _ => "left and right: the first queen stands in the left half",
    };
    let auto =
        PossibleValue::new("auto").help("`edges` for the vector kernels from N = 13 on (portable: 11), else `mirror`");
    let others = Symmetry::ALL.iter().map(move |&symmetry| PossibleValue::new(symmetry.name()).help(help(symmetry)));
    PossibleValuesParser::new(std::iter::once(auto).chain(others))
        .map(|name| Choice(Symmetry::ALL.iter().copied().find(|symmetry| symmetry.name() == name)))
}

fn choice_parser(names: impl Iterator<Item = &'static str>) -> PossibleValuesParser {
    PossibleValuesParser::new(std::iter::once("auto").chain(names).map(PossibleValue::new))
}

/// Where to put the result, and what to say besides.
#[derive(Debug, Args)]
#[command(next_help_heading = "What to print")]
pub(crate) struct Destination {
    /// Write the result to this file instead of standard output; it is replaced when the result is whole
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Say nothing on standard error unless something is wrong
    #[arg(long, short, env = "NQUEENS_QUIET", hide_env_values = true, value_parser = FalseyValueParser::new())]
    quiet: bool,

    /// Show no progress bar (there is none anyway where standard error is not a terminal)
    #[arg(long, env = "NQUEENS_NO_PROGRESS", hide_env_values = true, value_parser = FalseyValueParser::new())]
    no_progress: bool,
}

impl Destination {
    /// Opens the output; done first, so that a bad path costs nothing. It must be none of the files that are read.
    pub(crate) fn open(&self, read: &[Named<'_>]) -> Result<Output, Failure> {
        Ok(self.open_with(read, &[])?.0)
    }

    /// Opens the output and the other files that a command writes.
    pub(crate) fn open_with(&self, read: &[Named<'_>], others: &[Named<'_>]) -> Result<(Output, Vec<Output>), Failure> {
        file::open(read, self.output.as_deref().map(|path| (path, "--output")), others)
    }

    /// A progress bar for what is named.
    pub(crate) fn bar(&self, name: String) -> Bar {
        Bar::new(name, !self.quiet && !self.no_progress && terminal::can_draw())
    }

    /// A line for people: something is wrong, but the work goes on.
    #[expect(clippy::unused_self, reason = "what is wrong is said even where the command is to be quiet")]
    pub(crate) fn warn(&self, line: fmt::Arguments<'_>) {
        say(format_args!("warning: {line}"));
    }

    /// Whether somebody sits before standard error and wants to hear of things.
    fn is_watched(&self) -> bool {
        !self.quiet && stderr().is_terminal()
    }

    /// A line for people.
    pub(crate) fn remark(&self, line: fmt::Arguments<'_>) {
        if !self.quiet {
            say(line);
        }
    }
}

/// The textbook methods as values of an option, with what they do.
pub(crate) fn method_values() -> impl Iterator<Item = PossibleValue> {
    METHODS.iter().map(|method| PossibleValue::new(method.name).help(method.summary))
}

/// What to put out, and where, for a command that reports rows.
#[derive(Debug, Args)]
#[command(next_help_heading = "What to print")]
pub(crate) struct Printing {
    /// The format of the result
    #[arg(long, short, env = "NQUEENS_FORMAT", hide_env_values = true, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: Format,

    #[command(flatten)]
    destination: Destination,
}

impl Printing {
    /// Opens the output; done first, so that a bad path costs nothing. It must be none of the files that are read.
    pub(crate) fn open(&self, read: &[Named<'_>]) -> Result<Output, Failure> {
        self.destination.open(read)
    }

    /// Opens the output and the other files that a command writes.
    pub(crate) fn open_with(&self, read: &[Named<'_>], others: &[Named<'_>]) -> Result<(Output, Vec<Output>), Failure> {
        self.destination.open_with(read, others)
    }

    /// A progress bar for what is named.
    pub(crate) fn bar(&self, name: String) -> Bar {
        self.destination.bar(name)
    }

    /// Runs a count under a progress bar.
    pub(crate) fn count(&self, job: &Job<'_>, cancel: &Cancel) -> Result<Count, Failure> {
        let bar = self.bar(format!("N = {}", job.board));
        let following = Following { bar: &bar, destination: &self.destination, path: None, cancel };
        job.run(cancel, &following).map_err(|error| Failure::of_count(job.board, error))
    }

    /// Runs a count, or a shard of one, with a ledger, and says what was found in it.
    pub(crate) fn count_in_ledger(
        &self,
        job: &Job<'_>,
        path: &Path,
        shard: Shard,
        cancel: &Cancel,
    ) -> Result<Option<Count>, Failure> {
        let name = if shard == Shard::WHOLE { String::new() } else { format!(", shard {shard}") };
        let bar = self.bar(format!("N = {}{name}", job.board));
        let following = Following { bar: &bar, destination: &self.destination, path: Some(path), cancel };
        let recorded = job.run_recorded(path, shard, cancel, &following);
        Ok(recorded.map_err(|error| Failure::of_count(job.board, error))?.count)
    }

    /// Runs a count under a progress bar, and keeps its partial counts for a second one.
    pub(crate) fn first_count(&self, job: &Job<'_>, cancel: &Cancel) -> Result<(Count, Partials), Failure> {
        let bar = self.bar(format!("N = {}", job.board));
        let following = Following { bar: &bar, destination: &self.destination, path: None, cancel };
        double_check::count(job, cancel, &following).map_err(|error| Failure::of_count(job.board, error))
    }

    /// Makes a count again by another route, under a progress bar, and says whether the two agree. Where there is no second
    /// count, the first is not lost.
    pub(crate) fn second_count(
        &self,
        first: &(Count, Partials),
        threads: usize,
        cancel: &Cancel,
    ) -> Result<Result<DoubleCheck, Difference>, Failure> {
        let Count { board, total, .. } = first.0;
        let bar = self.bar(format!("N = {board} again"));
        let lost = |error: &dyn fmt::Display| format!("N = {board}: {}; not double-checked: {error}", solutions(total));
        match Route::after(&first.0).check(first, threads, cancel, &bar) {
            Ok(confirmed) => Ok(Ok(confirmed)),
            Err(DoubleCheckError::Differs(difference)) => Ok(Err(*difference)),
            Err(DoubleCheckError::Run(error @ RunError::Cancelled { .. })) => Err(Failure::Cancelled(lost(&error))),
            Err(error) => Err(Failure::Failed(lost(&error))),
        }
    }

    /// A line for people: something is wrong, but the work goes on.
    pub(crate) fn warn(&self, line: fmt::Arguments<'_>) {
        self.destination.warn(line);
    }

    /// A line for people.
    pub(crate) fn remark(&self, line: fmt::Arguments<'_>) {
        self.destination.remark(line);
    }
}

/// Tells a count that is too long to be lost: of a large board, or one for which many seconds are expected.
fn is_worth_a_ledger(board: Board, seconds: Option<f64>) -> bool {
    board.size() >= 22 || seconds.is_some_and(|seconds| seconds >= 10.0 * MINUTE)
}

/// Follows a count: a person is told if it will take long, and what was found in its ledger, before the bar begins.
struct Following<'a> {
    bar: &'a Bar,
    destination: &'a Destination,
    /// The ledger, where there is one.
    path: Option<&'a Path>,
    cancel: &'a Cancel,
}

impl Progress for Following<'_> {
    fn resumed(&self, plan: &Plan, found: &Found) {
        let path = self.path.expect("only a ledger is found").display();
        if found.unlocked {
            self.destination
                .warn(format_args!("'{path}' cannot be locked on this file system; let no other run use it"));
        }
        let Some(contents) = &found.contents else { return };
        if contents.torn > 0 {
            self.destination.remark(format_args!("'{path}': the last line was not written to its end, and is dropped"));
        }
        if let (Some(damage), Some(bad)) = (ledgers::damage(contents), &found.set_aside) {
            let bad = bad.display();
            self.destination
                .warn(format_args!("{damage}; the file is set aside as '{bad}', and the good lines are kept"));
        }
        let Contents { header, runs, units, .. } = contents;
        let (done, all) = contents.work(plan);
        self.destination.remark(format_args!(
            "'{path}': {} of {} are finished, {} of the work, from {}",
            units.len(),
            plural(header.shard_units(), "unit"),
            words::percent(done, all),
            plural(runs.len(), "run"),
        ));
    }

    fn ready(&self, ready: &Ready, left: &[usize]) {
        if !self.destination.is_watched() {
            return;
        }
        let (counter, plan) = (ready.counter(), ready.counter().plan());
        let seconds = seconds_if_more(ready, MINUTE, left, self.cancel);
        if let Some(seconds) = seconds {
            let threads = plural(ready.threads_for(left.len()), "thread");
            let (time, engine, kernel) = (long_time(seconds), plan.engine(), counter.kernel());
            let line = format!("N = {}: about {time} expected ({engine}, {kernel}, {threads})", plan.board());
            self.destination.remark(format_args!("{line}"));
        }
        if self.path.is_none() && is_worth_a_ledger(plan.board(), seconds) {
            let n = plan.board();
            self.destination
                .remark(format_args!("`nqueens count {n} --ledger {n}.jsonl` would keep what is counted if it stops"));
        }
    }

    fn begin(&self, plan: &Plan, units: &[usize], left: &[usize]) {
        self.bar.begin(plan, units, left);
    }

    fn unnamed(&self, path: &Path, reason: &str) {
        self.destination.warn(format_args!(
            "the folder of '{}' cannot be brought to the disk: {reason}; if the machine goes down now, a new ledger may have \
             lost its name",
            path.display()
        ));
    }

    fn unit_done(&self, plan: &Plan, unit: usize) {
        self.bar.unit_done(plan, unit);
    }
}
