//! The output for studies and scores: a table in one of the formats of [rows](crate::app::rows) and, in text, the means
//! below it. The JSON of a single study is the study itself, and the text of a single score is the line to quote.

use crate::app::bench::score::{millions, quoted};
use crate::app::bench::study::{Score, Study, Timing};
use crate::app::output::{Sink, printable, printable_json, words};
use crate::app::rows::{About, Cell, Format, Kind, Ratio, Report, Row, Seconds, row};
use serde::Serialize;
use std::collections::HashMap;
use std::io;

/// The name and version of the JSON document of several studies.
const KIND: Kind = Kind::Many("nqueens/compare/1");

/// Writes studies side by side, or one alone.
pub(crate) fn write(studies: &[Study], format: Format, mut output: impl Sink) -> io::Result<()> {
    let alone = match studies {
        [study] if format == Format::Json => Some(json(study)?),
        [study] if format == Format::Text => quoted(study).map(|line| printable(&line).into_owned()),
        _ => None,
    };
    if let Some(alone) = alone {
        writeln!(output, "{alone}")?;
        // An incomplete file is kept, because the study took long to measure.
        output.keep();
        return output.end();
    }
    let mut report = Report::open(format, KIND, output);
    report.fitted(&rows_of_studies(studies))?;
    if format == Format::Text
        && let Some((title, means)) = geometric_means(studies)
    {
        let mut best_first: Vec<_> = means.iter().zip(studies).collect();
        best_first.sort_by(|one, other| other.0.total_cmp(one.0));
        report.text(&format!("\n{title}, x first\n"))?;
        for (&mean, study) in best_first {
            report.text(&format!("{:>7}  {}\n", words::ratio(mean), printable(&study.name)))?;
        }
    }
    report.finish(true)
}

/// Returns a study as JSON, with each of its rows in one line.
fn json(study: &Study) -> serde_json::Result<String> {
    let rows = study.rows.iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>()?.join(",\n");
    let without = serde_json::to_string_pretty(&Study { rows: Vec::new(), ..study.clone() })?;
    // A string cannot contain this, because its quotation marks are escaped.
    let whole = without.replacen("\"rows\": []", &format!("\"rows\": [\n{rows}\n  ]"), 1);
    Ok(printable_json(&whole).into_owned())
}

/// The rows of one count, each with the number of its study.
type SharedCount<'a> = Vec<(usize, &'a Timing)>;

/// Returns the counts that at least two studies have, in the order of the first one.
///
/// Counts with different kernels are different counts, unless every study has only one kernel for each engine. Then
/// each kernel is the best of its machine, and the kernels do not matter.
pub(crate) fn shared_counts(studies: &[Study]) -> Vec<SharedCount<'_>> {
    let has_one_kernel = |study: &Study| {
        let mut kernels = HashMap::new();
        study.rows.iter().all(|row| *kernels.entry(&row.engine).or_insert(&row.kernel) == &row.kernel)
    };
    let one_kernel = studies.iter().all(has_one_kernel);
    let (mut counts, mut places) = (Vec::new(), HashMap::new());
    for (number, row) in
        studies.iter().enumerate().flat_map(|(number, study)| study.rows.iter().map(move |row| (number, row)))
    {
        let kernel = Some(&row.kernel).filter(|_| !one_kernel);
        let place = *places.entry((&row.engine, kernel, row.board, row.threads)).or_insert(counts.len());
        if place == counts.len() {
            counts.push(SharedCount::new());
        }
        // A repeated row of a study is ignored.
        if counts[place].last().is_none_or(|(other, _)| *other != number) {
            counts[place].push((number, row));
        }
    }
    counts.retain(|rows| rows.len() > 1);
    counts
}

/// Returns a title, and for each study the geometric mean of its speeds relative to the first study. The mean is over
/// the counts that all studies have; without such a count, returns `None`.
fn geometric_means(studies: &[Study]) -> Option<(String, Vec<f64>)> {
    let mut counts = shared_counts(studies);
    counts.retain(|rows| rows.len() == studies.len() && studies.iter().all(|study| study.score.is_none()));
    let mean = |index: usize| {
        let logarithms = counts.iter().map(|rows| (rows[0].1.seconds / rows[index].1.seconds).ln());
        (logarithms.sum::<f64>() / counts.len() as f64).exp()
    };
    let title = format!("geometric mean of {}", words::plural(counts.len(), "count"));
    (!counts.is_empty()).then(|| (title, (0..studies.len()).map(mean).collect()))
}

/// A row of studies or of scores.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum StudyRow<'a> {
    Timing(TimingRow<'a>),
    Score(ScoreRow<'a>),
}

row! {
    /// The times of a count in a study.
    //
    // Beside other studies, `others` has the time of the first study that has this count, and the geometric mean of this
    // study's speeds.
    pub(crate) struct TimingRow<'a>(whole: &'a Study, row: &'a Timing, others: Option<(f64, Option<f64>)>) {
        /// The name of the study: that of its file or folder, after a number if others have the same. Absent if there
        /// is one study.
        #[serde(skip_serializing_if = "Option::is_none")]
        study: Option<&'a str> = others.map(|_| &*whole.name),
        /// The engine.
        engine: &'a str = &row.engine,
        /// The kernel: the implementation of the engine's inner loop.
        kernel: &'a str = &row.kernel,
        /// N, the number of rows of the board.
        board: usize = row.board,
        /// The number of threads that were asked for.
        threads: usize = row.threads,
        /// The median time of a whole count, from its start to the total; in a score, the time in which all threads
        /// together finish one count, each working on its own.
        seconds: Seconds = Seconds(row.seconds),
        #[serde(flatten)]
        beside: Option<Beside> = others.map(|(first, mean)| Beside::new(row, first, mean)),
        /// The shortest time.
        fastest: Seconds = Seconds(row.fastest),
        /// The longest time.
        slowest: Seconds = Seconds(row.slowest),
        /// The interquartile range of the times, divided by the median.
        spread: Ratio = Ratio(row.spread),
        /// The median with one thread divided by this one; null if one thread was not timed.
        speed_up: Option<Ratio> = row.speed_up.map(Ratio),
        /// The share of the work that more threads do not make faster, the same for all rows of a count; null if it was
        /// timed with one number of threads only.
        serial_fraction: Option<Ratio> = row.serial_fraction.map(Ratio),
        /// The solutions divided by the median.
        solutions_per_second: About = About(row.solutions_per_second),
        /// The median CPU time of a count, of all CPUs together; null if the system does not report it.
        cpu_seconds: Option<Seconds> = row.cpu_seconds.map(Seconds),
        /// The number of solutions.
        total: &'a str = &row.total,
        /// The verdict, as of a count.
        verdict: &'a str = &row.verdict,
        /// The start of the study, UTC in ISO 8601: `2026-11-21T11:17:23Z`.
        date: &'a str = &whole.date,
        /// The CPU's name for itself.
        cpu: &'a str = &whole.machine.cpu,
        /// The number of logical CPUs that the process might use.
        logical_cpus: usize = whole.machine.logical_cpus,
        /// The number of logical CPUs, also of those that the process might not use; null if the system did not report
        /// it.
        all_cpus: Option<usize> = whole.machine.all_cpus,
        /// The version of the program, and the commit it was built from.
        program_version: &'a str = &whole.program.version,
        /// The reasons to doubt the numbers of the study, in words.
        warnings: &'a [String] = whole.warnings(),
    }
}

row! {
    /// A count of a study beside those of others.
    struct Beside(row: &Timing, first: f64, mean: Option<f64>) {
        /// The speed relative to the first study that has this count. Absent if there is one study.
        times_as_fast: Ratio = Ratio(first / row.seconds),
        /// The geometric mean of `times_as_fast` of this study over the counts that all studies have; null if there is
        /// none. Absent if there is one study.
        mean_times_as_fast: Option<Ratio> = mean.map(Ratio),
    }
}

row! {
    /// A score.
    pub(crate) struct ScoreRow<'a>(whole: &'a Study, score: &'a Score, first: f64, is_alone: bool) {
        /// The name of the study: that of its file or folder, after a number if others have the same. Absent if there
        /// is one study.
        #[serde(skip_serializing_if = "Option::is_none")]
        study: Option<&'a str> = (!is_alone).then_some(&*whole.name),
        /// The solutions that all threads together count in a second.
        score: About = About(score.solutions_per_second),
        /// The score divided by the first one.
        times_as_fast: Ratio = Ratio(score.solutions_per_second / first),
        /// The solutions that one thread counts in a second while the others rest.
        one_thread: About = About(score.one_thread),
        /// The number of threads.
        threads: usize = score.threads,
        /// The kernel: the implementation of the engine's inner loop.
        kernel: &'a str = &score.kernel,
        /// `quotable`, `good to ±6%` or another number, or `only an impression`.
        quality: &'a str = &score.quality,
        /// The share by which the score may be wrong, as far as the reasons tell.
        error: f64 = score.error,
        /// The reasons why the score is not quotable, in words; empty if it is.
        reasons: &'a [String] = &score.reasons,
        /// N, the number of rows of the board.
        board: usize = whole.rows[0].board,
        /// The number of logical CPUs that the process might use.
        logical_cpus: usize = whole.machine.logical_cpus,
        /// The number of logical CPUs, also of those that the process might not use; null if the system did not report
        /// it.
        all_cpus: Option<usize> = whole.machine.all_cpus,
        /// The CPU's name for itself.
        cpu: &'a str = &whole.machine.cpu,
        /// The operating system; null if it did not report its name.
        system: Option<&'a str> = whole.machine.system.as_deref(),
        /// The start of the study, UTC in ISO 8601: `2026-11-21T11:17:23Z`.
        date: &'a str = &whole.date,
        /// The version of the program, and the commit it was built from.
        program_version: &'a str = &whole.program.version,
    }
}

/// Returns the rows of the scores if every study has one, otherwise the rows of the times. A single study has a row for
/// each of its counts; of several, each count that they share has a row for each study that has it.
fn rows_of_studies(studies: &[Study]) -> Vec<StudyRow<'_>> {
    let scores: Option<Vec<&Score>> = studies.iter().map(|study| study.score.as_ref()).collect();
    if let Some(scores) = scores {
        let first = scores[0].solutions_per_second;
        let row = |(study, score)| StudyRow::Score(ScoreRow::new(study, score, first, studies.len() == 1));
        return studies.iter().zip(scores).map(row).collect();
    }
    if let [alone] = studies {
        return alone.rows.iter().map(|row| StudyRow::Timing(TimingRow::new(alone, row, None))).collect();
    }
    let (counts, means) = (shared_counts(studies), geometric_means(studies));
    let mean = |study: usize| means.as_ref().map(|(_, means)| means[study]);
    let rows_of_counts = counts.iter().flat_map(|rows| {
        let first = rows[0].1.seconds;
        rows.iter().map(move |&(study, row)| TimingRow::new(&studies[study], row, Some((first, mean(study)))))
    });
    rows_of_counts.map(StudyRow::Timing).collect()
}

impl Row for StudyRow<'_> {
    fn cells(&self) -> Vec<Cell> {
        let (study, cells) = match self {
            StudyRow::Timing(timing) => (timing.study, timing.cells()),
            StudyRow::Score(score) => (score.study, score.cells()),
        };
        study.map(|study| Cell::word("study", 0, Some(study))).into_iter().chain(cells).collect()
    }
}

impl TimingRow<'_> {
    fn cells(&self) -> Vec<Cell> {
        // A comparison in text has no room for more than the times.
        let detail = |cell: Cell| if self.beside.is_some() { cell.except_in_text() } else { cell };
        let serial = self.serial_fraction.map(|share| format!("{:.1}%", 100.0 * share.0.clamp(0.0, 1.0) + 0.0));
        let mut cells = vec![
            Cell::word("engine", 0, Some(self.engine)),
            Cell::word("kernel", 0, Some(self.kernel)),
            Cell::number("N", 0, Some(self.board)),
            Cell::number("threads", 0, Some(self.threads)),
            Cell::number("median", 0, Some(self.seconds)),
        ];
        cells.extend(self.beside.as_ref().map(|beside| Cell::number("x first", 0, Some(beside.times_as_fast))));
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
        vec![
            Cell::number("M solutions/s", 0, Some(millions(self.score.0))),
            Cell::number("x first", 0, Some(self.times_as_fast)),
            Cell::number("one thread", 0, Some(millions(self.one_thread.0))),
            Cell::number("threads", 0, Some(self.threads)).except_in_text(),
            Cell::word("kernel", 0, Some(self.kernel)).except_in_text(),
            Cell::word("quality", 0, Some(self.quality)),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::bench::study::tests::{study, timing};

    #[test]
    fn the_mean_of_a_study_is_that_of_the_counts_that_all_have() {
        let times = |seconds: &[f64]| {
            let rows = seconds.iter().zip(1..).map(|(&time, threads)| timing("a", threads, &[time])).collect();
            Study { rows, ..study() }
        };
        let mut studies = vec![times(&[8.0, 4.0, 1.0]), times(&[2.0, 4.0])];
        assert_eq!(geometric_means(&studies).unwrap(), ("geometric mean of 2 counts".to_owned(), vec![1.0, 2.0]));
        studies.push(times(&[16.0]));
        assert_eq!(geometric_means(&studies).unwrap().1, [1.0, 4.0, 0.5]);
        studies.push(times(&[]));
        assert_eq!(geometric_means(&studies), None);
    }
}
