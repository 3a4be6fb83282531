//! The tables of studies and of scores.

use crate::app::bench::score::millions;
use crate::app::bench::side_by_side::{geometric_means, shared_counts};
use crate::app::bench::study::{Study, Timing};
use crate::app::output::words;
use crate::app::rows::fields::{About, Ratio, Seconds};
use crate::app::rows::{Cell, Row};
use serde::Serialize;

/// A row of studies or of scores.
#[derive(Serialize)]
#[cfg_attr(feature = "packaging", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub(crate) enum StudyRow<'a> {
    Timing(TimingRow<'a>),
    Score(ScoreRow<'a>),
}

/// The times of a count in a study.
#[derive(Serialize)]
#[cfg_attr(feature = "packaging", derive(schemars::JsonSchema))]
pub(crate) struct TimingRow<'a> {
    /// The name of the study: that of its file or folder, after a number if others have the same. Absent if there is
    /// one study.
    #[serde(skip_serializing_if = "Option::is_none")]
    study: Option<&'a str>,
    /// The engine.
    engine: &'a str,
    /// The kernel: the implementation of the engine's inner loop.
    kernel: &'a str,
    /// N, the number of rows of the board.
    board: usize,
    /// The number of threads that were asked for.
    threads: usize,
    /// The median time of a whole count, from its start to the total; in a score, the time in which all threads together
    /// finish one count, each working on its own.
    seconds: Seconds,
    #[serde(flatten)]
    beside: Option<Beside>,
    /// The shortest time.
    fastest: Seconds,
    /// The longest time.
    slowest: Seconds,
    /// The interquartile range of the times, divided by the median.
    spread: Ratio,
    /// The median with one thread divided by this one; null if one thread was not timed.
    speed_up: Option<Ratio>,
    /// The share of the work that more threads do not make faster, the same for all rows of a count; null if it was
    /// timed with one number of threads only.
    serial_fraction: Option<Ratio>,
    /// The solutions divided by the median.
    solutions_per_second: About,
    /// The median CPU time of a count, of all CPUs together; null if the system does not report it.
    cpu_seconds: Option<Seconds>,
    /// The number of solutions.
    total: &'a str,
    /// The verdict, as of a count.
    verdict: &'a str,
    /// The start of the study, UTC in ISO 8601: `2026-11-21T11:17:23Z`.
    date: &'a str,
    /// The CPU's name for itself.
    cpu: &'a str,
    /// The number of logical CPUs that the process might use.
    logical_cpus: usize,
    /// The number of logical CPUs, also of those that the process might not use; null if the system did not report it.
    all_cpus: Option<usize>,
    /// The version of the program, and the commit it was built from.
    program_version: &'a str,
    /// The reasons to doubt the numbers of the study, in words.
    warnings: &'a [String],
}

/// A count of a study beside those of others.
#[derive(Clone, Copy, Serialize)]
#[cfg_attr(feature = "packaging", derive(schemars::JsonSchema))]
struct Beside {
    /// The speed relative to the first study that has this count. Absent if there is one study.
    times_as_fast: Ratio,
    /// The geometric mean of `times_as_fast` of this study over the counts that all studies have; null if there is none.
    /// Absent if there is one study.
    mean_times_as_fast: Option<Ratio>,
}

/// A score.
#[derive(Serialize)]
#[cfg_attr(feature = "packaging", derive(schemars::JsonSchema))]
pub(crate) struct ScoreRow<'a> {
    /// The name of the study: that of its file or folder, after a number if others have the same. Absent if there is
    /// one study.
    #[serde(skip_serializing_if = "Option::is_none")]
    study: Option<&'a str>,
    /// The solutions that all threads together count in a second.
    score: About,
    /// The score divided by the first one.
    times_as_fast: Ratio,
    /// The solutions that one thread counts in a second while the others rest.
    one_thread: About,
    /// The number of threads.
    threads: usize,
    /// The kernel: the implementation of the engine's inner loop.
    kernel: &'a str,
    /// `quotable`, `good to ±6%` or another number, or `only an impression`.
    quality: &'a str,
    /// The share by which the score may be wrong, as far as the reasons tell.
    error: f64,
    /// The reasons why the score is not quotable, in words; empty if it is.
    reasons: &'a [String],
    /// N, the number of rows of the board.
    board: usize,
    /// The number of logical CPUs that the process might use.
    logical_cpus: usize,
    /// The number of logical CPUs, also of those that the process might not use; null if the system did not report it.
    all_cpus: Option<usize>,
    /// The CPU's name for itself.
    cpu: &'a str,
    /// The operating system; null if it did not report its name.
    system: Option<&'a str>,
    /// The start of the study, UTC in ISO 8601: `2026-11-21T11:17:23Z`.
    date: &'a str,
    /// The version of the program, and the commit it was built from.
    program_version: &'a str,
}

/// Returns the rows of the scores if every study has one, otherwise the rows of the times.
pub(super) fn rows_of_studies(studies: &[Study]) -> Vec<StudyRow<'_>> {
    let is_of_scores = studies.iter().all(|study| study.score.is_some());
    if is_of_scores { scores(studies) } else { timings(studies) }
}

/// Returns a row for each count of a single study. If there are several studies, returns for each count that they share
/// a row for each study that has it.
fn timings(studies: &[Study]) -> Vec<StudyRow<'_>> {
    if let [alone] = studies {
        return alone.rows.iter().map(|row| timing(alone, row, None)).collect();
    }
    let (counts, means) = (shared_counts(studies), geometric_means(studies));
    let mean = |study: usize| means.as_ref().map(|(_, means)| means[study]);
    let of_studies = counts.iter().flat_map(|rows| {
        let first = rows[0].1.seconds;
        rows.iter().map(move |&(study, row)| timing(&studies[study], row, Some((first, mean(study)))))
    });
    of_studies.collect()
}

/// Returns the row of a count. If there are several studies, `others` has the median time of the first study with this
/// count, and the geometric mean of `study`.
fn timing<'a>(study: &'a Study, row: &'a Timing, others: Option<(f64, Option<f64>)>) -> StudyRow<'a> {
    let beside = |(first, mean): (f64, Option<f64>)| Beside {
        times_as_fast: Ratio(first / row.seconds),
        mean_times_as_fast: mean.map(Ratio),
    };
    StudyRow::Timing(TimingRow {
        study: others.map(|_| &*study.name),
        engine: &row.engine,
        kernel: &row.kernel,
        board: row.board,
        threads: row.threads,
        seconds: Seconds(row.seconds),
        beside: others.map(beside),
        fastest: Seconds(row.fastest),
        slowest: Seconds(row.slowest),
        spread: Ratio(row.spread),
        speed_up: row.speed_up.map(Ratio),
        serial_fraction: row.serial_fraction.map(Ratio),
        solutions_per_second: About(row.solutions_per_second),
        cpu_seconds: row.cpu_seconds.map(Seconds),
        total: &row.total,
        verdict: &row.verdict,
        date: &study.date,
        cpu: &study.machine.cpu,
        logical_cpus: study.machine.logical_cpus,
        all_cpus: study.machine.all_cpus,
        program_version: &study.program.version,
        warnings: study.warnings(),
    })
}

fn scores<'a>(studies: &'a [Study]) -> Vec<StudyRow<'a>> {
    let first = studies[0].score.as_ref().map_or(1.0, |score| score.solutions_per_second);
    let row = |study: &'a Study| {
        let Study { name, score, machine, date, program, rows, .. } = study;
        let score = score.as_ref()?;
        Some(StudyRow::Score(ScoreRow {
            study: (studies.len() > 1).then_some(&**name),
            score: About(score.solutions_per_second),
            times_as_fast: Ratio(score.solutions_per_second / first),
            one_thread: About(score.one_thread),
            threads: score.threads,
            kernel: &score.kernel,
            quality: &score.quality,
            error: score.error,
            reasons: &score.reasons,
            board: rows[0].board,
            logical_cpus: machine.logical_cpus,
            all_cpus: machine.all_cpus,
            cpu: &machine.cpu,
            system: machine.system.as_deref(),
            date,
            program_version: &program.version,
        }))
    };
    studies.iter().filter_map(row).collect()
}

impl Row for StudyRow<'_> {
    fn cells(&self) -> Vec<Cell> {
        match self {
            StudyRow::Timing(timing) => timing.cells(),
            StudyRow::Score(score) => score.cells(),
        }
    }
}

impl TimingRow<'_> {
    fn cells(&self) -> Vec<Cell> {
        // A comparison in text has no room for more than the times.
        let detail = |cell: Cell| if self.beside.is_some() { cell.except_in_text() } else { cell };
        let serial = self.serial_fraction.map(|share| format!("{:.1}%", 100.0 * share.0.clamp(0.0, 1.0) + 0.0));
        let mut cells: Vec<Cell> = self.study.map(|study| Cell::word("study", 0, Some(study))).into_iter().collect();
        cells.extend([
            Cell::word("engine", 0, Some(self.engine)),
            Cell::word("kernel", 0, Some(self.kernel)),
            Cell::number("N", 0, Some(self.board)),
            Cell::number("threads", 0, Some(self.threads)),
            Cell::number("median", 0, Some(self.seconds)),
        ]);
        cells.extend(self.beside.map(|beside| Cell::number("x first", 0, Some(beside.times_as_fast))));
        cells.extend([
            detail(Cell::number("min", 0, Some(self.fastest))),
            detail(Cell::number("max", 0, Some(self.slowest))),
            Cell::number("spread", 0, Some(self.spread)).except_in_text(),
            detail(Cell::number("speed-up", 0, self.speed_up)),
            detail(Cell::number("serial", 0, serial)),
            Cell::number("solutions/s", 0, Some(words::estimated(self.solutions_per_second.0))).except_in_text(),
        ]);
        cells
    }
}

impl ScoreRow<'_> {
    fn cells(&self) -> Vec<Cell> {
        let mut cells: Vec<Cell> = self.study.map(|study| Cell::word("study", 0, Some(study))).into_iter().collect();
        cells.extend([
            Cell::number("M solutions/s", 0, Some(millions(self.score.0))),
            Cell::number("x first", 0, Some(self.times_as_fast)),
            Cell::number("one thread", 0, Some(millions(self.one_thread.0))),
            Cell::number("threads", 0, Some(self.threads)).except_in_text(),
            Cell::word("kernel", 0, Some(self.kernel)).except_in_text(),
            Cell::word("quality", 0, Some(self.quality)),
        ]);
        cells
    }
}
