//! The tables of studies and of scores.

use super::{NamedStudy, shared_counts};
use crate::app::bench::score::millions;
use crate::app::bench::study::Timing;
use crate::app::output::words;
use crate::app::rows::Column;
use serde_json::Value;

/// Returns a row for each count of one study, or of each count that several have, a row for each study.
pub(super) fn timings(studies: &[NamedStudy]) -> Vec<Vec<Column>> {
    if let [alone] = studies {
        return alone.study.rows.iter().map(|row| timing(alone, row, None)).collect();
    }
    let counts = shared_counts(studies);
    let of_count = counts.iter().flat_map(|count| {
        let first = count.rows[0].1.seconds;
        count.rows.iter().map(move |&(study, row)| timing(&studies[study], row, Some(first)))
    });
    of_count.collect()
}

/// Returns the row of a count. `first` is the median of the first of several studies, with which this one is compared.
fn timing(NamedStudy { name, study }: &NamedStudy, row: &Timing, first: Option<f64>) -> Vec<Column> {
    // A comparison in text has no room for more than the times.
    let detail = |column: Column| if first.is_some() { column.except_in_text() } else { column };
    let serial = row.serial_fraction.map(|share| format!("{:.1}%", 100.0 * share.clamp(0.0, 1.0)));
    let mut columns = vec![
        Column::new("engine", &*row.engine).word("engine", 9),
        Column::new("kernel", &*row.kernel).word("kernel", 8),
        Column::new("board", row.board).number("N", 2),
        Column::new("threads", row.threads).number("threads", 7),
        Column::time("seconds", row.seconds).number("median", 7),
        Column::time("fastest", row.fastest).number("shortest", 8).except_in_text(),
        Column::time("slowest", row.slowest).number("longest", 7).except_in_text(),
        detail(Column::ratio("spread", row.spread).number("spread", 6)),
        detail(Column::ratio("speed_up", row.speed_up).number("speed-up", 8)),
        detail(Column::ratio("serial_fraction", row.serial_fraction).shown(serial).number("serial", 6)),
        detail(
            Column::estimate("solutions_per_second", row.solutions_per_second)
                .shown(words::estimated(row.solutions_per_second))
                .number("solutions/s", 11),
        ),
    ];
    if let Some(first) = first {
        columns.push(Column::ratio("times_as_fast", first / row.seconds).number("x first", 7));
        columns.push(Column::new("study", &**name).word("study", 0));
    }
    columns.extend([
        Column::time("cpu_seconds", row.cpu_seconds),
        Column::new("total", &*row.total),
        Column::new("verdict", &*row.verdict),
        Column::new("pinning", &*study.pinning),
        Column::new("date", &*study.date),
        Column::new("cpu", &*study.machine.cpu),
        Column::new("program_version", &*study.program.version),
        Column::new("warnings", study.warnings()),
    ]);
    columns
}

/// Returns a row for each score.
pub(super) fn scores(studies: &[NamedStudy]) -> Vec<Vec<Column>> {
    let first = studies[0].study.score.as_ref().map_or(1.0, |score| score.solutions_per_second);
    let row = |NamedStudy { name, study }: &NamedStudy| {
        let score = study.score.as_ref()?;
        let names = [("study", name)].into_iter().filter(|_| studies.len() > 1);
        let row = [
            Column::estimate("score", score.solutions_per_second)
                .shown(millions(score.solutions_per_second))
                .number("million solutions/s", 19),
            Column::ratio("times_as_fast", score.solutions_per_second / first).number("x first", 7),
            Column::estimate("one_thread", score.one_thread)
                .shown(millions(score.one_thread))
                .number("on one thread", 13),
            Column::new("threads", score.threads).number("threads", 7),
            Column::new("kernel", &*score.kernel).word("kernel", 8),
            Column::new("quality", &*score.quality).word("quality", 18),
            Column::new("error", score.error),
            Column::new("reasons", Value::from(score.reasons.clone())),
            Column::new("board", study.rows[0].board),
            Column::new("logical_cpus", study.machine.logical_cpus),
            Column::new("all_cpus", study.machine.all_cpus),
            Column::new("cpu", &*study.machine.cpu),
            Column::new("system", study.machine.system.clone()),
            Column::new("date", &*study.date),
            Column::new("program_version", &*study.program.version),
        ];
        Some(row.into_iter().chain(names.map(|(key, name)| Column::new(key, &**name).word(key, 0))).collect())
    };
    studies.iter().filter_map(row).collect()
}
