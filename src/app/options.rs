//! The options that mean the same in every command.

use crate::Board;
use crate::app::failure::Failure;
use crate::app::messages::say;
use crate::app::numbers::whole;
use crate::app::output::Format;
use crate::app::output::file::{self, Named, Output};
use crate::app::terminal::progress::Bar;
use crate::app::{terminal, threads};
use crate::classic::Method;
use crate::engine::backtrack::MOST_SPLIT_ROWS;
use crate::engine::{self, Engine, Kernel, Settings, SymmetryReduction};
use crate::run::{Job, MOST_THREADS};
use clap::Args;
use clap::builder::{FalseyValueParser, PossibleValue, PossibleValuesParser, TypedValueParser};
use std::fmt;
use std::io::{IsTerminal, stderr};
use std::path::PathBuf;

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
    symmetry: Choice<SymmetryReduction>,

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
    /// Returns the job to count `board`.
    pub(crate) fn job(&self, board: Board) -> Job {
        self.job_with(board, self.settings())
    }

    /// Returns the engine that is named; `None` for `auto`.
    pub(crate) fn named_engine(&self) -> Option<&'static dyn Engine> {
        self.engine.0
    }

    /// Returns the settings for the engine, where they are given.
    pub(crate) fn settings(&self) -> Settings {
        let split_rows = self.split_rows.map(|rows| rows as usize);
        Settings { kernel: self.kernel.named(), symmetry: self.symmetry.0, split_rows, ..Settings::default() }
    }

    /// Returns the job to count `board` with these settings.
    pub(crate) fn job_with(&self, board: Board, settings: Settings) -> Job {
        let engine = self.engine.0.unwrap_or_else(|| engine::auto(board, &settings));
        self.job_on(board, engine, settings)
    }

    /// Returns the job to count `board` with this engine and these settings.
    pub(crate) fn job_on(&self, board: Board, engine: &'static dyn Engine, settings: Settings) -> Job {
        Job::new(board).engine(engine).threads(self.threads.number()).settings(settings)
    }
}

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
        self.threads.map_or_else(threads::offered, |threads| threads as usize)
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

fn symmetry_parser() -> impl TypedValueParser<Value = Choice<SymmetryReduction>> {
    let help = |symmetry| match symmetry {
        SymmetryReduction::Edges => "left and right, top and bottom: the queens of the edge columns come first",
        _ => "left and right: the first queen stands in the left half",
    };
    let auto =
        PossibleValue::new("auto").help("`edges` for the vector kernels from N = 13 on (portable: 11), else `mirror`");
    let others =
        SymmetryReduction::ALL.iter().map(move |&symmetry| PossibleValue::new(symmetry.name()).help(help(symmetry)));
    PossibleValuesParser::new(std::iter::once(auto).chain(others))
        .map(|name| Choice(SymmetryReduction::ALL.iter().copied().find(|symmetry| symmetry.name() == name)))
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
    pub(crate) fn is_watched(&self) -> bool {
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
    Method::ALL.into_iter().map(|method| PossibleValue::new(method.name()).help(method.summary()))
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

    /// Returns the options that all commands with an output share.
    pub(crate) fn destination(&self) -> &Destination {
        &self.destination
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
