//! A study: the JSON document of `nqueens bench`, which is written after a measurement and read by `--compare`.

use crate::app::bench::measurement::Measurement;
use crate::app::bench::statistics::{median, serial_fraction};
use crate::app::bench::{bounds, input};
use crate::app::machine::Machine;
use crate::app::rows::values::Solutions;
use crate::engine::Kernel;
use crate::{Board, Verdict};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::HashSet;
use std::path::Path;

/// The name and version of the document.
pub(crate) const SCHEMA: &str = "nqueens/bench/1";

/// The most pairs of an engine and a kernel in a study. Each is a column of the table of boards.
pub(super) const MOST_KERNELS: usize = 64;

/// A study: the measured times, and the conditions under which they were measured.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Study {
    #[serde(deserialize_with = "bounds::text")]
    pub(crate) schema: String,
    /// The start of the measurement in ISO 8601, UTC.
    #[serde(deserialize_with = "bounds::text")]
    pub(crate) date: String,
    #[serde(deserialize_with = "bounds::command")]
    pub(crate) command: String,
    pub(crate) program: Program,
    pub(crate) machine: Machine,
    /// The number of timed runs of each count.
    pub(crate) repetitions: usize,
    /// True if every thread stayed on a CPU of its own.
    pub(crate) pinned: bool,
    /// `None` in studies of version 0.1.0, which have `pinned` only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) pinning: Option<Pinning>,
    #[serde(deserialize_with = "timings")]
    pub(crate) rows: Vec<Timing>,
    #[serde(deserialize_with = "bounds::rows")]
    pub(crate) scaling: Vec<Scaling>,
    /// The reasons to doubt the times.
    #[serde(deserialize_with = "bounds::warnings")]
    pub(crate) warnings: Vec<String>,
}

/// The placement of threads on CPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Pinning {
    /// The system chose the CPUs.
    Off,
    /// Each thread had a CPU of its own.
    Own,
    /// Each thread was pinned to a CPU, and some shared one.
    Shared,
    /// The system did not allow pinning, and chose the CPUs.
    Refused,
}

impl Pinning {
    /// Returns the words for it.
    pub(crate) const fn in_words(self) -> &'static str {
        match self {
            Pinning::Off => "threads not pinned",
            Pinning::Own => "every thread on a CPU of its own",
            Pinning::Shared => "threads pinned, but some share a CPU",
            Pinning::Refused => "threads could not be pinned",
        }
    }
}

/// The program that counted.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Program {
    #[serde(deserialize_with = "bounds::text")]
    pub(crate) version: String,
    #[serde(default, deserialize_with = "bounds::optional_text")]
    pub(crate) commit: Option<String>,
    #[serde(default, deserialize_with = "bounds::optional_text")]
    pub(crate) compiler: Option<String>,
}

impl Program {
    /// Returns this program.
    fn this() -> Self {
        let known = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        Self {
            version: env!("NQUEENS_VERSION").to_owned(),
            commit: known(env!("NQUEENS_COMMIT")),
            compiler: known(env!("NQUEENS_COMPILER")),
        }
    }
}

/// The times of one count with one number of threads.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Timing {
    #[serde(deserialize_with = "bounds::text")]
    pub(crate) engine: String,
    #[serde(deserialize_with = "bounds::text")]
    pub(crate) kernel: String,
    #[serde(deserialize_with = "bounds::board")]
    pub(crate) board: usize,
    #[serde(deserialize_with = "bounds::threads")]
    pub(crate) threads: usize,
    #[serde(deserialize_with = "bounds::text")]
    pub(crate) plan: String,
    pub(crate) units: usize,
    #[serde(deserialize_with = "bounds::solutions")]
    pub(crate) total: Solutions,
    #[serde(deserialize_with = "bounds::text")]
    pub(crate) verdict: String,
    /// The median of `times`.
    #[serde(deserialize_with = "bounds::seconds")]
    pub(crate) seconds: f64,
    #[serde(deserialize_with = "bounds::seconds")]
    pub(crate) fastest: f64,
    #[serde(deserialize_with = "bounds::seconds")]
    pub(crate) slowest: f64,
    /// The interquartile range as a share of the median.
    #[serde(deserialize_with = "bounds::ratio")]
    pub(crate) spread: f64,
    /// The median CPU time of all threads together.
    #[serde(default, deserialize_with = "bounds::optional_ratio")]
    pub(crate) cpu_seconds: Option<f64>,
    /// The median with one thread divided by this one; `None` if one thread was not measured.
    #[serde(default, deserialize_with = "bounds::optional_speed_up")]
    pub(crate) speed_up: Option<f64>,
    /// The speed-up divided by the number of threads.
    #[serde(default, deserialize_with = "bounds::optional_ratio")]
    pub(crate) efficiency: Option<f64>,
    #[serde(deserialize_with = "bounds::speed")]
    pub(crate) solutions_per_second: f64,
    pub(crate) nodes: Option<u64>,
    #[serde(default, deserialize_with = "bounds::optional_speed")]
    pub(crate) nodes_per_second: Option<f64>,
    /// The wall-clock times in seconds, in chronological order.
    #[serde(deserialize_with = "bounds::times")]
    pub(crate) times: Vec<f64>,
}

impl Timing {
    /// Returns engine, kernel and board: all that `Scaling` is about.
    pub(crate) fn subject(&self) -> (&str, &str, usize) {
        (&self.engine, &self.kernel, self.board)
    }

    /// Makes a row of a measurement. `one_thread` is the median of the same count with one thread.
    fn of(measurement: &Measurement, one_thread: Option<f64>) -> Self {
        let Measurement { threads, count, samples } = measurement;
        let summary = measurement.summary();
        let speed_up = one_thread.map(|one_thread| one_thread / summary.median);
        let cpu_seconds: Option<Vec<f64>> = samples.iter().map(|sample| sample.cpu_seconds).collect();
        Self {
            engine: count.engine.to_owned(),
            kernel: count.kernel.to_string(),
            board: count.board.size(),
            threads: *threads,
            plan: count.plan.clone(),
            units: count.units,
            total: Solutions(count.total),
            verdict: count.verdict().to_string(),
            seconds: summary.median,
            fastest: summary.fastest,
            slowest: summary.slowest,
            spread: summary.spread,
            cpu_seconds: cpu_seconds.map(|seconds| median(&seconds)),
            speed_up,
            efficiency: speed_up.map(|speed_up| speed_up / *threads as f64),
            solutions_per_second: count.total as f64 / summary.median,
            nodes: count.nodes,
            nodes_per_second: count.nodes.map(|nodes| nodes as f64 / summary.median),
            times: measurement.seconds(),
        }
    }
}

/// Reads the rows of a study.
fn timings<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Timing>, D::Error> {
    let rows: Vec<Timing> = bounds::rows(from)?;
    if rows.is_empty() {
        return Err(D::Error::custom("it has no times"));
    }
    let kernels: HashSet<_> = rows.iter().map(|row| (&row.engine, &row.kernel)).collect();
    if kernels.len() > MOST_KERNELS {
        return Err(D::Error::custom(format!("more than {MOST_KERNELS} engines and kernels")));
    }
    Ok(rows)
}

/// The scaling of one count with the number of threads.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Scaling {
    #[serde(deserialize_with = "bounds::text")]
    pub(crate) engine: String,
    #[serde(deserialize_with = "bounds::text")]
    pub(crate) kernel: String,
    #[serde(deserialize_with = "bounds::board")]
    pub(crate) board: usize,
    /// The share of the work that more threads do not make faster, by Amdahl's law fitted to the medians.
    #[serde(deserialize_with = "bounds::fraction")]
    pub(crate) serial_fraction: f64,
}

impl Scaling {
    /// Fits the serial fraction of measurements of one count; `None` without two numbers of threads to fit it to.
    ///
    /// Uses the numbers of threads up to `cores`, if these are two at least, because two threads on one core share its
    /// execution units; else those up to `cpus`, because threads that wait for a CPU say nothing about the work.
    fn of(measurements: &[Measurement], cores: usize, cpus: usize) -> Option<Self> {
        let up_to = |most: usize| {
            let few = measurements.iter().filter(|one| one.threads <= most);
            serial_fraction(&few.map(|one| (one.threads, one.summary().median)).collect::<Vec<_>>())
        };
        let serial_fraction = up_to(cores.min(cpus)).or_else(|| up_to(cpus))?;
        let (engine, kernel, board) = subject(measurements.first()?);
        Some(Self { engine: engine.to_owned(), kernel: kernel.to_string(), board: board.size(), serial_fraction })
    }
}

/// The conditions of a measurement.
pub(super) struct Conditions {
    pub(super) machine: Machine,
    pub(super) date: String,
    pub(super) pinning: Pinning,
    pub(super) repetitions: usize,
    pub(super) warnings: Vec<String>,
}

impl Study {
    /// Makes the study of measurements. Those that differ in the number of threads alone are neighbours.
    pub(super) fn of(measurements: &[Measurement], conditions: Conditions) -> Self {
        let Conditions { machine, date, pinning, repetitions, warnings } = conditions;
        let counts = || measurements.chunk_by(|one, other| subject(one) == subject(other));
        let timings = |measurements: &[Measurement]| {
            let one_thread = measurements.iter().find(|one| one.threads == 1).map(|one| one.summary().median);
            measurements.iter().map(|one| Timing::of(one, one_thread)).collect::<Vec<_>>()
        };
        let scaling = |measurements| Scaling::of(measurements, machine.physical_cores, machine.logical_cpus);
        Self {
            schema: SCHEMA.to_owned(),
            date,
            // Without the path of the executable, which is private.
            command: std::iter::once("nqueens".to_owned())
                .chain(std::env::args().skip(1))
                .collect::<Vec<_>>()
                .join(" "),
            program: Program::this(),
            repetitions,
            pinned: pinning == Pinning::Own,
            pinning: Some(pinning),
            rows: counts().flat_map(timings).collect(),
            scaling: counts().filter_map(scaling).collect(),
            machine,
            warnings,
        }
    }

    /// Reads a study from a file.
    ///
    /// # Errors
    /// If the file is not a study within the [`bounds`]; the reason in one line.
    pub(super) fn read(path: &Path) -> Result<Self, String> {
        /// The kind of a document.
        #[derive(Deserialize)]
        struct Document {
            schema: Option<String>,
        }

        let text = input::read(path, bounds::MOST_BYTES)?;
        if !text.trim_ascii_start().starts_with(b"{") {
            return Err("it is not a JSON object".to_owned());
        }
        let refused = |error: serde_json::Error| input::clipped(&error.to_string());
        let document: Document = serde_json::from_slice(&text).map_err(refused)?;
        match document.schema.as_deref() {
            Some(SCHEMA) => serde_json::from_slice(&text).map_err(refused),
            Some(other) => Err(format!("its schema is '{}', not '{SCHEMA}'", input::clipped(other))),
            None => Err("it has no schema".to_owned()),
        }
    }

    /// Returns the placement of the threads on CPUs.
    pub(crate) fn pinning(&self) -> Pinning {
        let is_shared = || self.rows.iter().any(|row| row.threads > self.machine.logical_cpus);
        self.pinning.unwrap_or(match self.pinned {
            false => Pinning::Off,
            true if is_shared() => Pinning::Shared,
            true => Pinning::Own,
        })
    }

    /// Returns a word for the CPUs of a row's threads: `yes` if pinned to CPUs of their own, `shared`, or `no`.
    pub(crate) fn pinned(&self, row: &Timing) -> &'static str {
        match self.pinning() {
            Pinning::Own => "yes",
            Pinning::Shared if row.threads <= self.machine.logical_cpus => "yes",
            Pinning::Shared => "shared",
            Pinning::Off | Pinning::Refused => "no",
        }
    }

    /// Returns the words for the serial fraction of a row's count; `None` if there is none.
    pub(crate) fn serial_fraction(&self, row: &Timing) -> Option<String> {
        let mut all = self.scaling.iter();
        let scaling = all.find(|one| (one.engine.as_str(), one.kernel.as_str(), one.board) == row.subject())?;
        // A share of the work is neither negative nor above 1: the rest is noise, or caches.
        Some(match 100.0 * scaling.serial_fraction {
            100.0.. => "serial fraction 100%: more threads take no less time".to_owned(),
            percent => format!("serial fraction {:.1}%", percent.max(0.0)),
        })
    }

    /// Returns true if every total is the published one.
    pub(super) fn matches(&self) -> bool {
        self.rows.iter().all(|row| row.verdict == Verdict::Matches.to_string())
    }
}

fn subject(measurement: &Measurement) -> (&'static str, Kernel, Board) {
    (measurement.count.engine, measurement.count.kernel, measurement.count.board)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::app::bench::measurement::Sample;
    use crate::app::machine::Cache;

    /// A study with made-up times: a tenth of the work of `backtrack` is serial, none of that of `two-color`.
    pub(crate) fn study() -> Study {
        let row = |engine: &str, threads: usize, seconds: f64, speed_up: f64| Timing {
            engine: engine.to_owned(),
            kernel: "avx2".to_owned(),
            board: 16,
            threads,
            plan: "mirror-1".to_owned(),
            units: 8,
            total: Solutions(14_772_512),
            verdict: "matches".to_owned(),
            seconds,
            fastest: 0.9 * seconds,
            slowest: 1.2 * seconds,
            spread: 0.05,
            cpu_seconds: None,
            speed_up: Some(speed_up),
            efficiency: Some(speed_up / threads as f64),
            solutions_per_second: 14_772_512.0 / seconds,
            nodes: (engine == "backtrack").then_some(1_000_000),
            nodes_per_second: (engine == "backtrack").then_some(1e6 / seconds),
            times: vec![seconds; 3],
        };
        let scaling = |engine: &str, serial_fraction| Scaling {
            engine: engine.to_owned(),
            kernel: "avx2".to_owned(),
            board: 16,
            serial_fraction,
        };
        Study {
            schema: SCHEMA.to_owned(),
            date: "2026-01-02T03:04:05Z".to_owned(),
            command: "nqueens bench --export <a>&b.html".to_owned(),
            program: Program { version: "1.2.3".to_owned(), commit: None, compiler: None },
            machine: Machine {
                cpu: "Test <CPU> & Co.".to_owned(),
                architecture: "x86_64".to_owned(),
                features: vec!["avx2".to_owned()],
                caches: vec![Cache { level: 1, kind: "data".to_owned(), bytes: 48 << 10 }],
                logical_cpus: 4,
                physical_cores: 2,
                megahertz: None,
                memory_bytes: Some(1 << 32),
                system: None,
                kernel: None,
            },
            repetitions: 3,
            pinned: false,
            pinning: None,
            rows: vec![
                row("backtrack", 1, 1.0, 1.0),
                row("backtrack", 2, 0.55, 1.0 / 0.55),
                row("backtrack", 4, 0.325, 1.0 / 0.325),
                row("two-color", 1, 0.2, 1.0),
                row("two-color", 2, 0.1, 2.0),
                row("two-color", 4, 0.05, 4.0),
            ],
            scaling: vec![scaling("backtrack", 0.1), scaling("two-color", -0.001)],
            warnings: vec!["too <hot>".to_owned(), "too | busy".to_owned()],
        }
    }

    #[test]
    fn threads_beyond_the_cpus_say_nothing_of_the_serial_fraction() {
        let measurement = |threads, seconds| Measurement {
            threads,
            count: crate::app::count::row::tests::count(8, 92),
            samples: vec![Sample { seconds, cpu_seconds: None }],
        };
        let all = [measurement(1, 8.0), measurement(2, 4.0), measurement(4, 3.0), measurement(8, 90.0)];
        let of = |cores, cpus| Scaling::of(&all, cores, cpus).map(|scaling| (1000.0 * scaling.serial_fraction).round());
        assert_eq!(of(2, 4), Some(0.0), "the cores are enough");
        assert_eq!(of(1, 2), Some(0.0), "with one core there are its CPUs");
        assert_eq!(of(2, 1), None, "this process has a part of the machine");
        assert!(of(1, 4).is_some_and(|serial| serial > 0.0));
    }

    #[test]
    fn threads_that_share_a_cpu_are_not_on_one_of_their_own() {
        let mut study = study();
        let said = |study: &Study| {
            let rows = study.rows[1..3].iter().map(|row| study.pinned(row));
            (study.pinning().in_words(), rows.collect::<Vec<_>>())
        };
        assert_eq!(said(&study), ("threads not pinned", vec!["no", "no"]));
        // As 0.1.0 wrote it, whatever was done.
        study.pinned = true;
        assert_eq!(said(&study), ("every thread on a CPU of its own", vec!["yes", "yes"]));
        study.machine.logical_cpus = 2;
        assert_eq!(said(&study), ("threads pinned, but some share a CPU", vec!["yes", "shared"]));
        (study.pinned, study.pinning) = (false, Some(Pinning::Refused));
        assert_eq!(said(&study), ("threads could not be pinned", vec!["no", "no"]));
    }

    #[test]
    fn more_than_all_of_the_work_is_no_share_of_it() {
        let mut study = study();
        let words = |study: &Study| study.serial_fraction(&study.rows[0]).unwrap();
        assert_eq!(words(&study), "serial fraction 10.0%");
        study.scaling[0].serial_fraction = 11.318;
        assert_eq!(words(&study), "serial fraction 100%: more threads take no less time");
    }

    #[test]
    fn a_study_that_was_written_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("study.json");
        let written = study();
        std::fs::write(&path, serde_json::to_string(&written).unwrap()).unwrap();
        // The last digit of a float may differ.
        assert_eq!(format!("{:.6?}", Study::read(&path).unwrap()), format!("{written:.6?}"));
    }
}
