//! The options that several commands share.

use crate::app::bar::Bar;
use crate::app::failure::{Failure, refused};
use crate::app::output::file::{self, NamedPath, Output};
use crate::app::output::format_of_ending;
use crate::app::rows::Format;
use crate::app::{machine, messages, numbers};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use nqueens::{Board, DeviceSet, Engine, Job, Kernel, Setup};
use std::fmt;
use std::io::{IsTerminal, stderr};
use std::path::PathBuf;
use std::str::FromStr;

/// Returns the help of N.
pub(crate) fn size_of_board() -> String {
    format!("The size of the board, which is the number of queens: 1 to {}", Board::MAX_SIZE)
}

/// Options for the engine, the kernel and the threads.
#[derive(Debug, Args)]
#[command(next_help_heading = "Counting options")]
pub(crate) struct CountOptions {
    /// Count with this engine: `auto` uses the one that is expected to be faster on this machine
    #[arg(long, value_name = "ENGINE", default_value = "auto", hide_default_value = true,
        value_parser = choice(Engine::ALL))]
    pub(crate) engine: Choice<Engine>,

    /// Count with this kernel: `auto` is the fastest
    ///
    /// Small boards take less than a millisecond with any kernel, and the scalar kernel may be the fastest. Kernel and
    /// threads never change the units of a ledger: there, a kernel that the engine does not have is refused.
    #[arg(long, value_name = "KERNEL", default_value = "auto", hide_default_value = true,
        value_parser = choice(Kernel::ALL), conflicts_with = "device")]
    kernel: Choice<Kernel>,

    #[command(flatten)]
    pub(crate) device: DeviceOption,

    #[command(flatten)]
    pub(crate) threads: ThreadsOption,
}

impl CountOptions {
    /// Checks that these options let the backtracker count, which alone counts `so`.
    pub(crate) fn check_backtracks(&self, so: &str) -> Result<(), Failure> {
        let is_gpu = self.kernel == Some(Kernel::Gpu) || self.device.device.is_some();
        if is_gpu || self.engine == Some(Engine::TwoColor) {
            return refused(format!(
                "only engine backtrack counts {so}, and on no GPU; give --engine backtrack, and no --kernel gpu or --device"
            ));
        }
        Ok(())
    }

    /// Returns the job for a board.
    pub(crate) fn job(&self, setup: impl Into<Setup>) -> Job {
        let job = Job::new(setup).engine(self.engine);
        self.threads.limit(match self.device.device {
            Some(devices) => job.devices(devices),
            None => job.kernel(self.kernel),
        })
    }
}

/// Option for the devices that count.
#[derive(Debug, Args)]
pub(crate) struct DeviceOption {
    /// Count with kernel gpu, on these devices: numbers with commas between them, or '*' for all
    ///
    /// `nqueens devices` lists the numbers.
    #[arg(long, value_name = "DEVICES")]
    pub(crate) device: Option<DeviceSet>,
}

/// Option for the number of threads.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct ThreadsOption {
    /// Use this number of threads [default: all CPUs]
    ///
    /// By default, the program starts one thread for each logical CPU that this process may use. It respects the
    /// affinity mask, the quotas of the control groups, and the CPUs that Slurm, Grid Engine, PBS, LSF or HTCondor
    /// granted. One thread makes a count that would be over before others are started, such as that of 11 rows. A GPU
    /// gets at most 16, and as many as its memory has room for.
    #[arg(long, short = 'j', env = "NQUEENS_THREADS", hide_env_values = true, value_name = "T",
        allow_negative_numbers = true, value_parser = numbers::whole(1..=Job::MOST_THREADS as u64))]
    threads: Option<u64>,
}

impl ThreadsOption {
    /// Gives a job the threads that the person asked for, or else as most threads those that a batch system granted.
    fn limit(self, job: Job) -> Job {
        match (self.threads, machine::granted_threads) {
            (Some(threads), _) => job.threads(threads as usize),
            (None, granted) => granted().map_or(job.clone(), |granted| job.most_threads(granted)),
        }
    }

    pub(crate) fn number(self) -> usize {
        self.threads.map_or_else(machine::default_threads, |threads| threads as usize)
    }
}

/// A choice by name; `None` is `auto`. The alias hides the name `Option`, which clap would take for an option that may
/// be omitted.
pub(crate) type Choice<T> = Option<T>;

/// Returns a parser of `auto` and the names of all values.
pub(crate) fn choice<T>(all: &[T]) -> impl TypedValueParser<Value = Choice<T>>
where
    T: FromStr + ToString + Clone + Send + Sync + 'static,
{
    let names = all.iter().map(T::to_string);
    PossibleValuesParser::new(std::iter::once("auto".to_owned()).chain(names)).map(|name| name.parse().ok())
}

/// Options for the format, the output file and the messages. Most commands have the formats of rows.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output options")]
pub(crate) struct OutputOptions<F: ValueEnum + Send + Sync + 'static = Format> {
    /// Print the result in this format [default: that of the ending of FILE, else text]
    #[arg(long, short, value_name = "FORMAT")]
    pub(crate) format: Option<F>,

    /// Write the result to this file instead of standard output; its ending may choose the format
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Print nothing on standard error except warnings and errors
    #[arg(long, short)]
    quiet: bool,
}

impl<F: ValueEnum + Send + Sync + 'static> OutputOptions<F> {
    /// Opens the output, which must not be one of the files in `read`. A command opens its output before the work, so
    /// that a bad path fails early.
    pub(crate) fn open(&self, read: &[NamedPath<'_>]) -> Result<Output, Failure> {
        let output = self.output.as_deref().map_or_else(|| Ok(Output::stdout()), |path| file::open(path, read))?;
        self.chosen_format()?;
        Ok(output)
    }

    /// Returns the given format, or else the format for which the ending of the file stands, if any.
    pub(crate) fn chosen_format(&self) -> Result<Option<F>, Failure> {
        match &self.output {
            Some(path) if self.format.is_none() => format_of_ending(path),
            _ => Ok(self.format.clone()),
        }
    }

    /// Creates a progress bar for the work called `name`.
    pub(crate) fn bar(&self, name: String) -> Bar {
        // A terminal with `TERM=dumb` has no escape sequences.
        let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        Bar::new(name, self.is_watched() && !is_dumb)
    }

    /// Returns true if a person is likely to read standard error.
    pub(crate) fn is_watched(&self) -> bool {
        !self.quiet && stderr().is_terminal()
    }

    /// Prints a remark for people, unless `--quiet` is given.
    pub(crate) fn remark(&self, line: fmt::Arguments<'_>) {
        if !self.quiet {
            messages::say(line);
        }
    }
}

impl OutputOptions {
    /// Returns the format of the result. An ending that stands for no format of the command is refused when the output
    /// is opened.
    pub(crate) fn format(&self) -> Format {
        self.chosen_format().ok().flatten().unwrap_or(Format::Text)
    }
}
