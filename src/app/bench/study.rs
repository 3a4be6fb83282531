//! A study: what `nqueens bench` measures.

use crate::app::bench::statistics::{median, quantile, serial_fraction, sorted};
use crate::app::machine::{self, MACHINE, Machine};
use nqueens::Count;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::ffi::OsString;

/// The name and version of the document.
pub(crate) const SCHEMA: &str = "nqueens/bench/2";

/// A study: the measured times, and the conditions under which they were measured.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Study {
    /// The name among other studies; empty if the study is alone.
    #[serde(skip)]
    pub(crate) name: String,
    pub(crate) schema: String,
    /// The start of the measurement in ISO 8601, UTC.
    pub(crate) date: String,
    /// The command line; each path in it is cut to its last part.
    pub(crate) command: String,
    pub(crate) program: Program,
    pub(crate) machine: Machine,
    /// The score; null with `--study`.
    pub(crate) score: Option<Score>,
    /// The number of timed runs of each count.
    pub(crate) repetitions: usize,
    /// One row for each engine, kernel, board and number of threads; of a score, those of all threads and of one.
    pub(crate) rows: Vec<Timing>,
    /// The reasons to doubt the times.
    pub(crate) warnings: Vec<String>,
}

/// The program that counted.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Program {
    /// The version of the program.
    pub(crate) version: String,
    /// The commit it was built from; null if it is not known.
    pub(crate) commit: Option<String>,
    /// The compiler; null if it is not known.
    pub(crate) compiler: Option<String>,
}

/// The score of a machine.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Score {
    /// The solutions that all threads together count in a second.
    pub(crate) solutions_per_second: f64,
    /// The solutions that one thread counts in a second, while the others rest.
    pub(crate) one_thread: f64,
    /// The number of threads.
    pub(crate) threads: usize,
    /// The kernel: the implementation of the engine's inner loop.
    pub(crate) kernel: String,
    /// The quality in words: `quotable`, `good to ±6%` or `only an impression`.
    pub(crate) quality: String,
    /// The share by which the score may be wrong, as far as the reasons tell.
    pub(crate) error: f64,
    /// The reasons why the score is not quotable.
    pub(crate) reasons: Vec<String>,
}

/// The times of one count with one number of threads.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Timing {
    /// The engine.
    pub(crate) engine: String,
    /// The kernel: the implementation of the engine's inner loop.
    pub(crate) kernel: String,
    /// The devices that counted; `None` if the CPU did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) device: Option<String>,
    /// N, the number of rows of the board.
    pub(crate) board: usize,
    /// The requested number of threads.
    pub(crate) threads: usize,
    /// The number of solutions, as a string because it can exceed 2⁵³.
    pub(crate) total: String,
    /// The verdict, as of a count.
    pub(crate) verdict: String,
    /// The median time of a whole count in seconds, from its start to the total; in a score, the time in which all
    /// threads together finish one count, each working on its own.
    pub(crate) seconds: f64,
    /// The shortest time in seconds.
    pub(crate) fastest: f64,
    /// The longest time in seconds.
    pub(crate) slowest: f64,
    /// The interquartile range as a share of the median. A single outlier does not make it large.
    pub(crate) spread: f64,
    /// The median CPU time of all threads together; `None` if the system does not report it.
    pub(crate) cpu_seconds: Option<f64>,
    /// The median with one thread divided by this one; `None` if one thread was not measured.
    pub(crate) speed_up: Option<f64>,
    /// The share of the work that more threads do not make faster, by Amdahl's law fitted to the medians of all numbers
    /// of threads; `None` with fewer than two.
    pub(crate) serial_fraction: Option<f64>,
    /// The solutions divided by the median.
    pub(crate) solutions_per_second: f64,
    /// The wall-clock times in seconds, in chronological order.
    pub(crate) times: Vec<f64>,
    /// The CPU times of the same runs.
    #[serde(skip)]
    pub(crate) cpu_times: Vec<f64>,
}

impl Timing {
    /// Returns a row without times for a count on `threads` threads.
    pub(super) fn new(count: &Count, threads: usize) -> Self {
        Self {
            engine: count.engine.to_string(),
            kernel: count.kernel.to_string(),
            device: count.device.clone(),
            board: count.board.size(),
            threads,
            total: count.total.to_string(),
            verdict: count.verdict().to_string(),
            ..Self::default()
        }
    }

    pub(super) fn push(&mut self, seconds: f64, cpu_seconds: Option<f64>) {
        self.times.push(seconds);
        self.cpu_times.extend(cpu_seconds);
    }

    pub(crate) fn name(&self) -> String {
        format!("{} {}, N = {}", self.engine, self.kernel, self.board)
    }

    /// Computes the statistics that need only the times of this row, of which there must be one.
    fn summarize(&mut self) {
        let sorted = sorted(&self.times);
        let [lower, median_time, upper] = [0.25, 0.5, 0.75].map(|share| quantile(&sorted, share));
        (self.fastest, self.seconds, self.slowest) = (sorted[0], median_time, sorted[sorted.len() - 1]);
        self.spread = (upper - lower) / median_time;
        if !self.cpu_times.is_empty() {
            self.cpu_seconds = Some(median(&self.cpu_times));
        }
        // A study from a file has this number already, but it is computed again.
        self.solutions_per_second = self.total.parse().unwrap_or(0.0) / self.seconds;
    }
}

/// Computes the statistics of rows that were measured on `machine`.
pub(crate) fn summarize(rows: &mut [Timing], machine: &Machine) {
    let mut counts: HashMap<String, Vec<(usize, f64)>> = HashMap::new();
    for row in &mut *rows {
        row.summarize();
        counts.entry(row.name()).or_default().push((row.threads, row.seconds));
    }
    // Two threads on one core share its execution units, and threads that wait for a CPU say nothing about the work. So
    // the law is fitted to the times of at most one thread a core or, if these are too few, one a CPU.
    let fitted = |times: &[(usize, f64)]| {
        let up_to = |most: usize| {
            let few: Vec<_> = times.iter().copied().filter(|(threads, _)| *threads <= most).collect();
            serial_fraction(&few)
        };
        up_to(machine.physical_cores.min(machine.logical_cpus)).or_else(|| up_to(machine.logical_cpus))
    };
    let alone = |times: &[(usize, f64)]| times.iter().find(|(threads, _)| *threads == 1).map(|&(_, seconds)| seconds);
    let of_count: HashMap<_, _> =
        counts.into_iter().map(|(name, times)| (name, (alone(&times), fitted(&times)))).collect();
    for row in rows {
        let (alone, serial_fraction) = of_count[&row.name()];
        row.speed_up = alone.map(|seconds| seconds / row.seconds);
        row.serial_fraction = serial_fraction;
    }
}

impl Study {
    /// Begins a study on this machine, dated now.
    pub(super) fn begin(repetitions: usize) -> Self {
        let known = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        Self {
            name: String::new(),
            schema: SCHEMA.to_owned(),
            date: machine::date_after(0.0).unwrap_or_default(),
            command: command(std::env::args_os().skip(1)),
            program: Program {
                version: env!("NQUEENS_VERSION").to_owned(),
                commit: known(env!("NQUEENS_COMMIT")),
                compiler: known(env!("NQUEENS_COMPILER")),
            },
            machine: MACHINE.clone(),
            score: None,
            repetitions,
            rows: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// Returns the reasons to doubt what was measured.
    pub(crate) fn warnings(&self) -> &[String] {
        self.score.as_ref().map_or(&self.warnings, |score| &score.reasons)
    }

    /// Returns the beginning of a line about the study: its name, if it has one.
    pub(crate) fn prefix(&self) -> String {
        if self.name.is_empty() { String::new() } else { format!("{}: ", self.name) }
    }

    /// Returns the machine, the version and the date in words.
    pub(crate) fn source(&self) -> String {
        let Self { machine, program, date, .. } = self;
        format!("{}, {}, nqueens {}, {date}", machine.cpu, machine.cpus_in_words(), program.version)
    }
}

/// Returns the command line of a study. Paths are private, so only the last part of each is in it.
fn command(words: impl Iterator<Item = OsString>) -> String {
    let public = |word: OsString| {
        let word = word.to_string_lossy().into_owned();
        match word.rsplit_once(['/', '\\']) {
            Some((path, name)) => path.split_once('=').map_or(String::new(), |(option, _)| format!("{option}=")) + name,
            None => word,
        }
    };
    std::iter::once("nqueens".to_owned()).chain(words.map(public)).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Returns a row of N = 16 with made-up times.
    pub(crate) fn timing(engine: &str, threads: usize, times: &[f64]) -> Timing {
        let mut row = Timing::new(&crate::app::count::counting::tests::count(16, 14_772_512), threads);
        (row.engine, row.kernel) = (engine.to_owned(), "avx2".to_owned());
        for &seconds in times {
            row.push(seconds, None);
        }
        row.summarize();
        row
    }

    /// Returns a study with made-up times: a tenth of the work of `backtrack` is serial, but no work of `two-color`.
    pub(crate) fn study() -> Study {
        let machine = Machine {
            cpu: "Test <CPU> & Co.".to_owned(),
            architecture: "x86_64".to_owned(),
            logical_cpus: 4,
            physical_cores: 2,
            all_cpus: None,
            cpu_quota: None,
            system: None,
        };
        let row = |(engine, threads, seconds): (&str, usize, f64)| timing(engine, threads, &[seconds; 3]);
        let mut rows: Vec<Timing> = [
            ("backtrack", 1, 1.0),
            ("backtrack", 2, 0.55),
            ("backtrack", 4, 0.325),
            ("two-color", 1, 0.2),
            ("two-color", 2, 0.1),
            ("two-color", 4, 0.05),
        ]
        .map(row)
        .to_vec();
        summarize(&mut rows, &machine);
        Study {
            name: String::new(),
            schema: SCHEMA.to_owned(),
            date: "2026-01-02T03:04:05Z".to_owned(),
            command: "nqueens bench --output <a>&b.csv".to_owned(),
            program: Program { version: "1.2.3".to_owned(), commit: None, compiler: None },
            machine,
            score: None,
            repetitions: 3,
            rows,
            warnings: vec!["too <hot>".to_owned(), "too | busy".to_owned()],
        }
    }

    /// Returns a score with made-up numbers.
    pub(crate) fn scored() -> Study {
        let score = Score {
            solutions_per_second: 2e9,
            one_thread: 1e9,
            threads: 2,
            kernel: "avx2".to_owned(),
            quality: "good to \u{b1}6%".to_owned(),
            error: 0.055,
            reasons: vec!["too loud".to_owned()],
        };
        Study { score: Some(score), ..study() }
    }

    #[test]
    fn threads_beyond_the_cpus_say_nothing_of_the_serial_fraction() {
        let of = |physical_cores, logical_cpus| {
            let mut rows =
                [(1, 8.0), (2, 4.0), (4, 3.0), (8, 90.0)].map(|(threads, time)| timing("a", threads, &[time]));
            summarize(&mut rows, &Machine { logical_cpus, physical_cores, ..study().machine });
            rows[3].serial_fraction.map(|serial| (1000.0 * serial).round())
        };
        assert_eq!(of(2, 4), Some(0.0), "the cores are enough");
        assert_eq!(of(1, 2), Some(0.0), "with one core there are its CPUs");
        assert_eq!(of(2, 1), None, "this process has a part of the machine");
        assert!(of(1, 4).is_some_and(|serial| serial > 0.0));
    }

    #[test]
    fn a_command_line_has_no_private_path() {
        let words =
            ["bench", "-o", "/home/me/a.json", "--output=/home/me/b.json", "C:\\me\\c.json", "--boards", "8-12"];
        let expected = "nqueens bench -o a.json --output=b.json c.json --boards 8-12";
        assert_eq!(command(words.into_iter().map(OsString::from)), expected);
    }
}
