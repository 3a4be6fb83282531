//! The options that mean the same in every command.

use super::failure::Failure;
use super::output::Output;
use super::progress::Bar;
use super::{terminal, threads};
use crate::report::Format;
use clap::Args;
use clap::builder::{FalseyValueParser, PossibleValue, PossibleValuesParser, TypedValueParser};
use nqueens::engine::backtrack::MOST_SPLIT_ROWS;
use nqueens::engine::{self, Engine, Kernel, Settings, Symmetry};
use nqueens::run::{Count, Job, MOST_THREADS};
use nqueens::search::textbook::METHODS;
use nqueens::{Board, Cancel};
use std::fmt;
use std::io::{Write, stderr};
use std::path::PathBuf;

/// By what means to count.
#[derive(Debug, Args)]
#[command(next_help_heading = "How to count")]
pub(crate) struct Means {
    /// The engine that counts: `auto` takes the fastest for the board
    #[arg(long, env = "NQUEENS_ENGINE", hide_env_values = true, value_name = "ENGINE", default_value = "auto", value_parser = engine_parser())]
    engine: Choice<&'static dyn Engine>,

    /// How the innermost loop uses the CPU: `auto` takes the best this CPU has
    #[arg(long, env = "NQUEENS_KERNEL", hide_env_values = true, value_name = "KERNEL", default_value = "auto", value_parser = kernel_parser())]
    kernel: Choice<Kernel>,

    #[command(flatten)]
    threads: Threads,

    /// Which mirror images the backtracker leaves out: `auto` takes what suits the kernel
    #[arg(long, env = "NQUEENS_SYMMETRY", hide_env_values = true, value_name = "SYMMETRY", default_value = "auto", value_parser = symmetry_parser())]
    symmetry: Choice<Symmetry>,

    /// Make a task of each placement of the first row (1), or the first two or three (2, 3)
    ///
    /// With `--symmetry edges`, tasks also fix the queens of the edge columns, and 0 to 2 of the other rows can be split. More
    /// rows give more and smaller tasks. By default the fewest rows are split that keep 95% of the threads busy to the end,
    /// going by the expected work of all tasks and of the heaviest, and that make tasks of about a second at most; fewer
    /// where tasks would get so small that they cost more than that gains.
    #[arg(long, env = "NQUEENS_SPLIT_ROWS", hide_env_values = true, value_name = "ROWS",
        value_parser = clap::value_parser!(u64).range(0..=MOST_SPLIT_ROWS as u64))]
    split_rows: Option<u64>,
}

impl Means {
    /// The count of `board` by these means.
    pub(crate) fn job(&self, board: Board) -> Job<'static> {
        let split_rows = self.split_rows.map(|rows| rows as usize);
        let settings = Settings { kernel: self.kernel.0, symmetry: self.symmetry.0, split_rows, ..Settings::default() };
        Job {
            board,
            engine: self.engine.0.unwrap_or_else(|| engine::auto(board, &settings)),
            threads: self.threads.number(),
            settings,
        }
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
        value_parser = clap::value_parser!(u64).range(1..=MOST_THREADS as u64))]
    threads: Option<u64>,
}

impl Threads {
    pub(crate) fn number(&self) -> usize {
        self.threads.map_or_else(threads::offered, |threads| threads as usize)
    }
}

/// A choice by name; `None` is `auto`.
#[derive(Clone, Copy)]
struct Choice<T>(Option<T>);

impl<T> fmt::Debug for Choice<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "chosen" } else { "auto" })
    }
}

fn engine_parser() -> impl TypedValueParser<Value = Choice<&'static dyn Engine>> {
    let names = engine::ENGINES.iter().map(|engine| engine.name());
    choice_parser(names).map(|name| Choice(engine::by_name(&name)))
}

fn kernel_parser() -> impl TypedValueParser<Value = Choice<Kernel>> {
    let names = Kernel::ALL.iter().map(|kernel| kernel.name());
    choice_parser(names).map(|name| Choice(Kernel::ALL.iter().copied().find(|kernel| kernel.name() == name)))
}

fn symmetry_parser() -> impl TypedValueParser<Value = Choice<Symmetry>> {
    let names = Symmetry::ALL.iter().map(|symmetry| symmetry.name());
    choice_parser(names).map(|name| Choice(Symmetry::ALL.iter().copied().find(|symmetry| symmetry.name() == name)))
}

fn choice_parser(names: impl Iterator<Item = &'static str>) -> PossibleValuesParser {
    PossibleValuesParser::new(std::iter::once("auto").chain(names).map(PossibleValue::new))
}

/// Where to put the result, and what to say besides.
#[derive(Debug, Args)]
#[command(next_help_heading = "What to print")]
pub(crate) struct Destination {
    /// Write the result to this file instead of standard output
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
    /// Opens the output; done first, so that a bad path costs nothing.
    pub(crate) fn open(&self) -> Result<Output, Failure> {
        Output::open(self.output.as_deref())
    }

    /// A progress bar for what is named.
    pub(crate) fn bar(&self, name: String) -> Bar {
        Bar::new(name, !self.quiet && !self.no_progress && terminal::can_draw())
    }

    /// A line for people.
    pub(crate) fn remark(&self, line: fmt::Arguments<'_>) {
        if !self.quiet {
            // A remark that nobody can read is not worth failing for.
            let _ = writeln!(stderr(), "{line}");
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
    /// Opens the output; done first, so that a bad path costs nothing.
    pub(crate) fn open(&self) -> Result<Output, Failure> {
        self.destination.open()
    }

    /// A progress bar for what is named.
    pub(crate) fn bar(&self, name: String) -> Bar {
        self.destination.bar(name)
    }

    /// Runs a count under a progress bar.
    pub(crate) fn count(&self, job: &Job<'_>, cancel: &Cancel) -> Result<Count, Failure> {
        let bar = self.bar(format!("N = {}", job.board));
        job.run(cancel, &bar).map_err(|error| match Failure::from(error) {
            Failure::Cancelled(message) => Failure::Cancelled(format!("N = {}: {message}", job.board)),
            failure => failure,
        })
    }

    /// A line for people.
    pub(crate) fn remark(&self, line: fmt::Arguments<'_>) {
        self.destination.remark(line);
    }
}
