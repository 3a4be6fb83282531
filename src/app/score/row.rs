//! The rows of a score, and the line to quote.

use super::disturbance::Shares;
use super::work::{On, Part, Size, VERSION};
use crate::app::bench::measurement::Measurement;
use crate::app::machine::{Cpu, LogicalCpus, PhysicalCores};
use crate::app::output::words::plural;
use crate::app::rows::values::{Estimate, Ratio, Solutions, Time};
use crate::app::rows::{Cell, Row};
use serde::Serialize;
use std::fmt;

/// The conditions of a run, which all rows have.
#[derive(Clone, Debug)]
pub(super) struct Conditions {
    pub(super) size: Size,
    pub(super) date: String,
    pub(super) system: Option<String>,
    pub(super) shares: Shares,
    /// The reasons why there is no score.
    pub(super) disturbances: Vec<String>,
}

/// Millions of solutions per second, to four significant digits: there are no more that two runs have in common.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(super) struct Millions(f64);

impl Millions {
    fn of(solutions_per_second: f64) -> Self {
        let text = format!("{:.3e}", solutions_per_second / 1e6);
        Self(text.parse().expect("it is a number"))
    }
}

impl fmt::Display for Millions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A figure of a score.
#[derive(Debug, Default, Serialize)]
pub(super) struct ScoreRow {
    size: &'static str,
    work: &'static str,
    figure: &'static str,
    on: &'static str,
    board: usize,
    total: Solutions,
    verdict: String,
    /// `None` after a disturbance.
    score: Option<Millions>,
    disturbed: Option<String>,
    solutions_per_second: Estimate,
    #[serde(skip)]
    millions: Millions,
    seconds: Time,
    fastest: Time,
    slowest: Time,
    spread: Ratio,
    cpu_share: Option<Ratio>,
    repetitions: usize,
    threads: usize,
    engine: &'static str,
    kernel: &'static str,
    plan: String,
    units: usize,
    others: Option<Ratio>,
    stolen: Option<Ratio>,
    date: String,
    logical_cpus: LogicalCpus,
    physical_cores: PhysicalCores,
    cpu: Cpu,
    system: Option<String>,
    program_version: &'static str,
}

impl ScoreRow {
    pub(super) fn new(part: Part, measurement: &Measurement, conditions: &Conditions) -> Self {
        let Measurement { threads, count, .. } = measurement;
        let Conditions { size, date, system, shares, disturbances } = conditions;
        let summary = measurement.summary();
        let solutions_per_second = count.total as f64 / summary.median;
        let millions = Millions::of(solutions_per_second);
        Self {
            size: size.name(),
            work: VERSION,
            figure: part.figure.name(),
            on: part.on.name(),
            board: count.board.size(),
            total: Solutions(count.total),
            verdict: count.verdict().to_string(),
            score: disturbances.is_empty().then_some(millions),
            disturbed: (!disturbances.is_empty()).then(|| disturbances.join("; ")),
            solutions_per_second: Estimate(solutions_per_second),
            millions,
            seconds: Time(summary.median),
            fastest: Time(summary.fastest),
            slowest: Time(summary.slowest),
            spread: Ratio(summary.spread),
            cpu_share: measurement.cpu_share().map(Ratio),
            repetitions: measurement.samples.len(),
            threads: *threads,
            engine: count.engine,
            kernel: count.kernel.name(),
            plan: count.plan.clone(),
            units: count.units,
            others: shares.others.map(Ratio),
            stolen: shares.stolen.map(Ratio),
            date: date.clone(),
            logical_cpus: LogicalCpus,
            physical_cores: PhysicalCores,
            cpu: Cpu,
            system: system.clone(),
            program_version: env!("NQUEENS_VERSION"),
        }
    }
}

impl Row for ScoreRow {
    fn cells(&self) -> Vec<Cell> {
        vec![
            Cell::word("figure", 8, self.figure),
            Cell::number("threads", 7, self.threads),
            Cell::number("N", 2, self.board),
            Cell::word("kernel", 8, self.kernel),
            Cell::number("median", 8, self.seconds),
            Cell::number("spread", 6, format!("{:.1}%", 100.0 * self.spread.0)),
            Cell::number("million solutions/s", 19, self.millions),
        ]
    }
}

/// Returns the line to quote. `cpu` is the name of the CPU.
pub(super) fn quoted(rows: &[ScoreRow], cpu: &str) -> String {
    let values = |on: On, value: &dyn Fn(&ScoreRow) -> String| {
        rows.iter().filter(|row| row.on == on.name()).map(value).collect::<Vec<_>>().join(", ")
    };
    let all = values(On::All, &|row| format!("{} {}", row.figure, row.millions));
    let one = values(On::One, &|row| row.millions.to_string());
    let (size, threads, disturbed) =
        rows.first().map_or(("", 0, false), |row| (row.size, row.threads, row.disturbed.is_some()));
    let kind = if disturbed { "disturbed run, not comparable" } else { "score" };
    let (threads, version) = (plural(threads, "thread"), env!("CARGO_PKG_VERSION"));
    format!("nqueens {version} {kind}, {size}: {all} million solutions/s on {threads}; {one} on one thread; {cpu}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::count::row::tests::count;
    use crate::app::score::disturbance::tests::{PARTS, measurement};
    use crate::app::score::work::parts;
    use crate::published;
    use serde_json::json;
    use std::collections::BTreeSet;

    fn conditions(disturbances: &[&str]) -> Conditions {
        Conditions {
            size: Size::Small,
            date: "2026-01-02T03:04:05Z".to_owned(),
            system: None,
            shares: Shares { others: Some(0.0124), stolen: None, throttled: 0 },
            disturbances: disturbances.iter().map(ToString::to_string).collect(),
        }
    }

    fn rows(disturbances: &[&str]) -> Vec<ScoreRow> {
        let conditions = conditions(disturbances);
        let measurements = [measurement(4, &[8e-9, 7e-9, 9e-9], Some(0.5)), measurement(1, &[0.1], None)];
        std::iter::zip(PARTS, &measurements).map(|(part, one)| ScoreRow::new(part, one, &conditions)).collect()
    }

    #[test]
    fn a_score_has_four_digits() {
        let texts = [2_250_306_162.0, 1.234_56e13, 4_308_480.0, 999_960_000.0, 812.3].map(Millions::of);
        assert_eq!(texts.map(|score| score.to_string()), ["2250", "12350000", "4.308", "1000", "0.0008123"]);
        let numbers = texts.map(|score| serde_json::to_value(score).unwrap());
        assert_eq!(numbers[..3], [json!(2250.0), json!(12_350_000.0), json!(4.308)]);
    }

    #[test]
    fn the_score_is_the_total_in_the_median_time() {
        let row = serde_json::to_value(&rows(&[])[0]).unwrap();
        for (key, value) in [
            ("figure", json!("counting")),
            ("on", json!("all")),
            ("size", json!("small")),
            ("work", json!(VERSION)),
            ("total", json!("92")),
            ("verdict", json!("matches")),
            ("score", json!(11500.0)),
            ("disturbed", json!(null)),
            ("solutions_per_second", json!(11_500_000_000.0)),
            ("seconds", json!(8e-9)),
            ("cpu_share", json!(0.5)),
            ("threads", json!(4)),
            ("kernel", json!("scalar")),
            ("others", json!(0.012)),
            ("stolen", json!(null)),
        ] {
            assert_eq!(row[key], value, "{key}");
        }
    }

    /// The Phoronix Test Suite looks for this text, so that it finds no result if a total is wrong.
    #[test]
    fn the_profile_for_the_phoronix_test_suite_expects_these_rows_with_the_right_totals() {
        let scripts = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts");
        if !scripts.exists() {
            // The package has no scripts.
            return;
        }
        let folders = scripts.join("phoronix").read_dir().unwrap().map(|entry| entry.unwrap().path());
        let profiles: Vec<_> = folders.filter(|path| path.is_dir()).collect();
        assert_eq!(profiles.len(), 1, "{profiles:?}");
        let profile = std::fs::read_to_string(profiles[0].join("results-definition.xml")).unwrap();
        let conditions = conditions(&[]);
        let mut expected = BTreeSet::new();
        for size in [Size::Small, Size::Medium, Size::Large] {
            let (parts, jobs) = parts(size, 4);
            for (part, job) in std::iter::zip(parts, jobs) {
                let count = count(job.board.size(), published::total(job.board).unwrap());
                let row = ScoreRow::new(part, &Measurement { count, ..measurement(4, &[1.0], None) }, &conditions);
                let row = serde_json::to_string(&row).unwrap();
                let (begin, end) = (row.find("\"figure\"").unwrap(), row.find("\"score\":").unwrap());
                expected.insert(row[begin..end].to_owned() + "\"score\":");
            }
        }
        let texts = |name: &str| -> Vec<&str> {
            let (begin, end) = (format!("<{name}>"), format!("</{name}>"));
            profile.split(&begin).skip(1).map(|part| part.split_once(&end).unwrap().0).collect()
        };
        assert_eq!(texts("LineHint").into_iter().map(str::to_owned).collect::<BTreeSet<_>>(), expected);
        let templates: Vec<_> =
            texts("LineHint").iter().map(|hint| format!("{hint}#_RESULT_#,\"disturbed\":null")).collect();
        assert_eq!(texts("OutputTemplate"), templates);
    }

    #[test]
    fn a_disturbed_run_has_its_reasons_and_no_score_in_every_row() {
        for row in rows(&["too loud", "too hot"]) {
            let row = serde_json::to_value(row).unwrap();
            assert_eq!((&row["score"], &row["disturbed"]), (&json!(null), &json!("too loud; too hot")));
        }
    }

    #[test]
    fn the_line_to_quote_says_what_on_which_machine_and_is_no_score_after_a_disturbance() {
        assert_eq!(
            quoted(&rows(&[]), "Test CPU"),
            format!(
                "nqueens {} score, small: counting 11500 million solutions/s on 4 threads; 0.00092 on one \
                 thread; Test CPU",
                env!("CARGO_PKG_VERSION")
            )
        );
        let line = quoted(&rows(&["too loud"]), "Test CPU");
        assert!(line.contains("disturbed run, not comparable, small: ") && !line.contains("score"), "{line}");
    }
}
