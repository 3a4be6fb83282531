//! The tables of studies and of scores.

use crate::app::bench::score::millions;
use crate::app::bench::side_by_side::{geometric_means, shared_counts};
use crate::app::bench::study::{Study, Timing};
use crate::app::output::words;
use crate::app::rows::Column;
use serde_json::Value;

/// Returns the rows of the scores if every study has one, otherwise the rows of the times.
pub(super) fn rows_of_studies(studies: &[Study]) -> Vec<Vec<Column>> {
    let is_of_scores = studies.iter().all(|study| study.score.is_some());
    if is_of_scores { scores(studies) } else { timings(studies) }
}

/// Returns a row for each count of a single study. If there are several studies, returns for each count that they share
/// a row for each study that has it.
fn timings(studies: &[Study]) -> Vec<Vec<Column>> {
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
fn timing(study: &Study, row: &Timing, others: Option<(f64, Option<f64>)>) -> Vec<Column> {
    // A comparison in text has no room for more than the times.
    let detail = |column: Column| if others.is_some() { column.except_in_text() } else { column };
    let serial = row.serial_fraction.map(|share| format!("{:.1}%", 100.0 * share.clamp(0.0, 1.0) + 0.0));
    let mut columns = Vec::new();
    if others.is_some() {
        columns.push(Column::new("study", &*study.name).word("study", 0));
    }
    columns.extend([
        Column::new("engine", &*row.engine).word("engine", 0),
        Column::new("kernel", &*row.kernel).word("kernel", 0),
        Column::new("board", row.board).number("N", 0),
        Column::new("threads", row.threads).number("threads", 0),
        Column::seconds("seconds", row.seconds).number("median", 0),
    ]);
    if let Some((first, mean)) = others {
        columns.push(Column::ratio("times_as_fast", first / row.seconds).number("x first", 0));
        columns.push(Column::ratio("mean_times_as_fast", mean));
    }
    columns.extend([
        detail(Column::seconds("fastest", row.fastest).number("min", 0)),
        detail(Column::seconds("slowest", row.slowest).number("max", 0)),
        Column::ratio("spread", row.spread).number("spread", 0).except_in_text(),
        detail(Column::ratio("speed_up", row.speed_up).number("speed-up", 0)),
        detail(Column::ratio("serial_fraction", row.serial_fraction).shown(serial).number("serial", 0)),
        Column::estimate("solutions_per_second", row.solutions_per_second)
            .shown(words::estimated(row.solutions_per_second))
            .number("solutions/s", 0)
            .except_in_text(),
        Column::seconds("cpu_seconds", row.cpu_seconds),
        Column::new("total", &*row.total),
        Column::new("verdict", &*row.verdict),
        Column::new("date", &*study.date),
        Column::new("cpu", &*study.machine.cpu),
        Column::new("logical_cpus", study.machine.logical_cpus),
        Column::new("all_cpus", study.machine.all_cpus),
        Column::new("program_version", &*study.program.version),
        Column::new("warnings", study.warnings()),
    ]);
    columns
}

fn scores(studies: &[Study]) -> Vec<Vec<Column>> {
    let first = studies[0].score.as_ref().map_or(1.0, |score| score.solutions_per_second);
    let row = |study: &Study| {
        let score = study.score.as_ref()?;
        let mut columns = Vec::new();
        if studies.len() > 1 {
            columns.push(Column::new("study", &*study.name).word("study", 0));
        }
        columns.extend([
            Column::estimate("score", score.solutions_per_second)
                .shown(millions(score.solutions_per_second))
                .number("M solutions/s", 0),
            Column::ratio("times_as_fast", score.solutions_per_second / first).number("x first", 0),
            Column::estimate("one_thread", score.one_thread).shown(millions(score.one_thread)).number("one thread", 0),
            Column::new("threads", score.threads).number("threads", 0).except_in_text(),
            Column::new("kernel", &*score.kernel).word("kernel", 0).except_in_text(),
            Column::new("quality", &*score.quality).word("quality", 0),
            Column::new("error", score.error),
            Column::new("reasons", Value::from(score.reasons.clone())),
            Column::new("board", study.rows[0].board),
            Column::new("logical_cpus", study.machine.logical_cpus),
            Column::new("all_cpus", study.machine.all_cpus),
            Column::new("cpu", &*study.machine.cpu),
            Column::new("system", study.machine.system.clone()),
            Column::new("date", &*study.date),
            Column::new("program_version", &*study.program.version),
        ]);
        Some(columns)
    };
    studies.iter().filter_map(row).collect()
}
