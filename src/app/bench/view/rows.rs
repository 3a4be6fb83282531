//! The tables of a study as rows: by threads, by board, of a comparison, and of other programs.

use crate::app::bench::peers::{PeerTime, by_peer};
use crate::app::bench::study::{Study, Timing};
use crate::app::bench::view::{Series, Variable, View};
use crate::app::output::words;
use crate::app::rows::values::{Estimate, Ratio, Solutions, Time};
use crate::app::rows::{Cell, Row};
use serde::{Serialize, Serializer};

/// One count with one number of threads.
#[derive(Default, Serialize)]
pub(super) struct TimingRow<'a> {
    engine: &'a str,
    kernel: &'a str,
    board: usize,
    threads: usize,
    seconds: Time,
    spread: Ratio,
    speed_up: Option<Ratio>,
    efficiency: Option<Ratio>,
    solutions_per_second: Estimate,
    nodes_per_second: Option<Estimate>,
    fastest: Time,
    slowest: Time,
    cpu_seconds: Option<Time>,
    plan: &'a str,
    units: usize,
    total: Solutions,
    verdict: &'a str,
    nodes: Option<u64>,
    pinned: &'a str,
    date: &'a str,
    cpu: &'a str,
    program_version: &'a str,
    warnings: &'a [String],
}

impl<'a> TimingRow<'a> {
    /// Makes a row for each row of a study.
    pub(super) fn all(study: &'a Study) -> Vec<Self> {
        let row = |timing: &'a Timing| Self {
            engine: &timing.engine,
            kernel: &timing.kernel,
            board: timing.board,
            threads: timing.threads,
            seconds: Time(timing.seconds),
            spread: Ratio(timing.spread),
            speed_up: timing.speed_up.map(Ratio),
            efficiency: timing.efficiency.map(Ratio),
            solutions_per_second: Estimate(timing.solutions_per_second),
            nodes_per_second: timing.nodes_per_second.map(Estimate),
            fastest: Time(timing.fastest),
            slowest: Time(timing.slowest),
            cpu_seconds: timing.cpu_seconds.map(Time),
            plan: &timing.plan,
            units: timing.units,
            total: timing.total,
            verdict: &timing.verdict,
            nodes: timing.nodes,
            pinned: study.pinned(timing),
            date: &study.date,
            cpu: &study.machine.cpu,
            program_version: &study.program.version,
            warnings: &study.warnings,
        };
        study.rows.iter().map(row).collect()
    }
}

impl Row for TimingRow<'_> {
    fn cells(&self) -> Vec<Cell> {
        vec![
            Cell::word("engine", 9, self.engine),
            Cell::word("kernel", 8, self.kernel),
            Cell::number("N", 2, self.board),
            Cell::number("threads", 7, self.threads),
            Cell::number("median", 8, self.seconds),
            Cell::number("spread", 6, self.spread),
            Cell::optional("speed-up", 8, self.speed_up),
            // The bars below have it.
            Cell::optional("efficiency", 10, self.efficiency).except_in_text(),
            Cell::number("solutions/s", 15, self.solutions_per_second),
            Cell::optional("nodes/s", 13, self.nodes_per_second).except_in_text(),
        ]
    }
}

/// One count of one study, compared with the first study that has it.
#[derive(Default, Serialize)]
pub(crate) struct ComparisonRow<'a> {
    engine: &'a str,
    board: usize,
    threads: usize,
    study: &'a str,
    #[serde(skip)]
    name: &'a str,
    kernel: &'a str,
    seconds: Time,
    spread: Ratio,
    speed_up: Option<Ratio>,
    times_as_fast: Ratio,
    cpu: &'a str,
    program_version: &'a str,
    date: &'a str,
    warnings: &'a [String],
}

impl<'a> ComparisonRow<'a> {
    /// Makes the row of a count of a study with a name and a file. `first` is the median of the first study that has
    /// this count.
    pub(crate) fn of((name, file): (&'a str, &'a str), study: &'a Study, timing: &'a Timing, first: f64) -> Self {
        Self {
            engine: &timing.engine,
            board: timing.board,
            threads: timing.threads,
            study: file,
            name,
            kernel: &timing.kernel,
            seconds: Time(timing.seconds),
            spread: Ratio(timing.spread),
            speed_up: timing.speed_up.map(Ratio),
            times_as_fast: Ratio(first / timing.seconds),
            cpu: &study.machine.cpu,
            program_version: &study.program.version,
            date: &study.date,
            warnings: &study.warnings,
        }
    }
}

impl Row for ComparisonRow<'_> {
    fn cells(&self) -> Vec<Cell> {
        vec![
            Cell::word("engine", 9, self.engine),
            Cell::number("N", 2, self.board),
            Cell::number("threads", 7, self.threads),
            Cell::word("study", 16, self.name),
            Cell::word("kernel", 8, self.kernel),
            Cell::number("median", 8, self.seconds),
            Cell::number("spread", 6, self.spread),
            Cell::optional("speed-up", 8, self.speed_up),
            Cell::number("x first study", 13, self.times_as_fast),
        ]
    }
}

/// One board, with the time of each engine and kernel in a column of its own.
#[derive(Default, Serialize)]
pub(super) struct BoardRow {
    board: usize,
    total: Solutions,
    threads: usize,
    #[serde(flatten, serialize_with = "columns")]
    times: Vec<(String, Option<Time>)>,
    warnings: Vec<String>,
}

impl BoardRow {
    /// The number of columns before those of the engines.
    pub(super) const KNOWN: usize = 3;

    /// Makes a row for each board of the shown studies, and where these differ in the number of threads, for each of
    /// those.
    pub(super) fn all(view: &View<'_>) -> Vec<Self> {
        let series = view.series(Variable::Board);
        let mut boards: Vec<_> = series.iter().flat_map(|series| &series.rows).copied().map(Self::key).collect();
        boards.sort_unstable();
        boards.dedup();
        let warnings = view.warnings();
        let row = |key: (usize, u128, usize)| {
            let time = |series: &Series<'_>| {
                let timing = series.rows.iter().find(|row| (row.board, row.threads) == (key.0, key.2));
                (series.kernel.clone(), timing.map(|timing| Time(timing.seconds)))
            };
            Self {
                board: key.0,
                total: Solutions(key.1),
                threads: key.2,
                times: series.iter().map(time).collect(),
                warnings: warnings.clone(),
            }
        };
        boards.into_iter().map(row).collect()
    }

    fn key(timing: &Timing) -> (usize, u128, usize) {
        (timing.board, timing.total.0, timing.threads)
    }
}

impl Row for BoardRow {
    fn cells(&self) -> Vec<Cell> {
        let known = [
            Cell::number("N", 2, self.board),
            Cell::number("solutions", 18, words::grouped(self.total.0)),
            Cell::number("threads", 7, self.threads),
        ];
        let time = |(heading, time): &(String, Option<Time>)| Cell::optional(heading.clone(), 9, *time);
        known.into_iter().chain(self.times.iter().map(time)).collect()
    }
}

/// One program on one machine, with its time for each board in a column of its own.
#[derive(Default, Serialize)]
pub(super) struct PeerRow<'a> {
    program: &'a str,
    machine: &'a str,
    threads: Option<usize>,
    #[serde(flatten, serialize_with = "columns")]
    times: Vec<(String, Option<f64>)>,
    source: String,
}

impl<'a> PeerRow<'a> {
    /// The number of columns before those of the boards.
    pub(super) const KNOWN: usize = 3;

    /// Makes a row for each program on each machine.
    pub(super) fn all(times: &'a [PeerTime]) -> Vec<Self> {
        let mut boards: Vec<usize> = times.iter().map(|time| time.board).collect();
        boards.sort_unstable();
        boards.dedup();
        let row = |group: Vec<&'a PeerTime>| {
            let time = |&board: &usize| {
                let time = group.iter().find(|time| time.board == board);
                (format!("N = {board}"), time.map(|time| time.seconds))
            };
            let mut sources: Vec<&str> = group.iter().map(|time| time.source.as_str()).collect();
            sources.sort_unstable();
            sources.dedup();
            Self {
                program: &group[0].program,
                machine: &group[0].machine,
                threads: group[0].threads,
                times: boards.iter().map(time).collect(),
                source: sources.join("; "),
            }
        };
        by_peer(times).into_iter().map(row).collect()
    }
}

impl Row for PeerRow<'_> {
    fn cells(&self) -> Vec<Cell> {
        let known = [
            Cell::word("program", 20, self.program),
            Cell::word("machine", 20, self.machine),
            Cell::optional("threads", 7, self.threads),
        ];
        let time =
            |(heading, seconds): &(String, Option<f64>)| Cell::optional(heading.clone(), 10, seconds.map(time_or_days));
        known
            .into_iter()
            .chain(self.times.iter().map(time))
            .chain([Cell::word("source", 0, &self.source).except_in_text()])
            .collect()
    }
}

/// Serializes columns whose names are known at run time.
fn columns<S: Serializer, T: Serialize>(columns: &[(String, T)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(columns.iter().map(|(name, value)| (name, value)))
}

/// Returns a time in the unit that suits it, up to days.
fn time_or_days(seconds: f64) -> String {
    match seconds {
        ..600.0 => words::time(seconds),
        ..7200.0 => format!("{:.1} min", seconds / 60.0),
        ..172_800.0 => format!("{:.1} h", seconds / 3600.0),
        _ => format!("{:.1} days", seconds / 86_400.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::bench::peers::tests::peer;

    #[test]
    fn times_of_other_programs_have_the_unit_that_suits_them() {
        let times = [0.0123, 135.0, 1223.0, 12_000.0, 2_455_104.768].map(time_or_days);
        assert_eq!(times, ["12.3 ms", "135.0 s", "20.4 min", "3.3 h", "28.4 days"]);
    }

    #[test]
    fn other_programs_have_a_row_each_and_boards_a_column() {
        let times = [peer("x", 16, 1.0), peer("y", 16, 2.0), peer("x", 17, 8.0)];
        let rows = PeerRow::all(&times);
        let cells: Vec<_> = rows.iter().map(Row::cells).collect();
        let headings: Vec<_> = cells[0].iter().map(Cell::heading).collect();
        assert_eq!(headings, ["program", "machine", "threads", "N = 16", "N = 17", "source"]);
        let texts = |row: usize| cells[row][3..].iter().map(Cell::text).collect::<Vec<_>>();
        assert_eq!(texts(0), ["1.0 s", "8.0 s", "a page on x"]);
        assert_eq!(texts(1), ["2.0 s", "-", "a page on y"]);
    }
}
