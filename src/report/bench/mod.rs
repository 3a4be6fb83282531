//! A scaling study in each of its formats. One format is one file, and one line in [`write`].

mod axis;
mod boards;
pub(crate) mod html;
pub(crate) mod peers;
mod svg;
mod table;

pub(crate) use boards::Boards;
pub(crate) use peers::{Peer, Peers};
pub(crate) use table::{COLUMNS, SCHEMA, cells};

use super::chart::{self, Bar};
use super::words::{self, plural};
use super::{Cell, Column, Format, Layout, Rows, printable, printable_json};
use serde::{Deserialize, Serialize};
use std::io::{self, Write};

/// All that is known of a study: the JSON document.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) schema: String,
    /// When it began: UTC, as ISO 8601 has it.
    pub(crate) date: String,
    pub(crate) command: String,
    pub(crate) program: Program,
    pub(crate) machine: Machine,
    /// How often each count was timed, after one that was not.
    pub(crate) repetitions: usize,
    /// Whether every thread stayed on a CPU of its own.
    pub(crate) pinned: bool,
    pub(crate) rows: Vec<Row>,
    pub(crate) scaling: Vec<Scaling>,
    pub(crate) warnings: Vec<String>,
}

/// The program that counted.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Program {
    pub(crate) version: String,
    pub(crate) commit: Option<String>,
    pub(crate) compiler: Option<String>,
}

/// The machine it counted on. What the system did not say is missing.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Machine {
    pub(crate) cpu: String,
    pub(crate) architecture: String,
    /// The features of the CPU that some kernel uses, of those that it has.
    pub(crate) features: Vec<String>,
    pub(crate) caches: Vec<Cache>,
    pub(crate) logical_cpus: usize,
    pub(crate) physical_cores: usize,
    pub(crate) megahertz: Option<u64>,
    pub(crate) memory_bytes: Option<u64>,
    pub(crate) system: Option<String>,
    pub(crate) kernel: Option<String>,
}

/// A cache of a core.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Cache {
    pub(crate) level: u8,
    pub(crate) kind: String,
    pub(crate) bytes: u64,
}

/// A count with a number of threads, timed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Row {
    pub(crate) engine: String,
    pub(crate) kernel: String,
    pub(crate) board: usize,
    pub(crate) threads: usize,
    pub(crate) plan: String,
    pub(crate) units: usize,
    /// The number of solutions, as text: it may be beyond what a JSON number can hold.
    pub(crate) total: String,
    pub(crate) verdict: String,
    /// The median of all times.
    pub(crate) seconds: f64,
    pub(crate) fastest: f64,
    pub(crate) slowest: f64,
    /// The middle half of the times as a share of the median.
    pub(crate) spread: f64,
    /// The median of the time that all CPUs gave it together.
    pub(crate) cpu_seconds: Option<f64>,
    /// How many times as fast as with one thread; missing where that was not timed.
    pub(crate) speed_up: Option<f64>,
    /// The speed-up for each thread.
    pub(crate) efficiency: Option<f64>,
    pub(crate) solutions_per_second: f64,
    pub(crate) nodes: Option<u64>,
    pub(crate) nodes_per_second: Option<f64>,
    /// Every time, in the order in which they were taken.
    pub(crate) times: Vec<f64>,
}

/// How a count gets faster with threads.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Scaling {
    pub(crate) engine: String,
    pub(crate) kernel: String,
    pub(crate) board: usize,
    /// The share of the work that does not, by Amdahl's law fitted to the times.
    pub(crate) serial_fraction: f64,
}

impl Row {
    /// What is counted and by what means, but for the threads.
    pub(crate) fn subject(&self) -> (&str, &str, usize) {
        (&self.engine, &self.kernel, self.board)
    }

    /// The number of solutions; 0 where the text is no number.
    fn solutions(&self) -> u128 {
        self.total.parse().unwrap_or(0)
    }
}

/// What the table and the charts of a study go by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum By {
    /// A row for each count with each number of threads, charts over the threads
    #[default]
    Threads,
    /// A row for each board with a column for each engine and kernel, with the most threads; a chart over the boards
    Board,
}

impl By {
    fn of(self, row: &Row) -> usize {
        match self {
            By::Threads => row.threads,
            By::Board => row.board,
        }
    }
}

/// A study, and how it is to be shown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View<'a> {
    pub(crate) record: &'a Record,
    pub(crate) by: By,
    /// The times of other programs, shown over the boards.
    pub(crate) peers: &'a [Peer],
}

/// Counts that differ in one thing only.
#[derive(Clone, Debug)]
struct Series<'a> {
    /// The engine and the kernel.
    means: String,
    /// And what else they have in common.
    name: String,
    rows: Vec<&'a Row>,
}

impl<'a> View<'a> {
    /// The counts that differ in what they go by alone; over the boards, those with the most threads.
    fn series(&self, by: By) -> Vec<Series<'a>> {
        let mut groups: Vec<Vec<&Row>> = Vec::new();
        let key = |row: &'a Row| (&row.engine, &row.kernel, (by == By::Threads).then_some(row.board));
        for row in &self.record.rows {
            match groups.iter_mut().find(|group| key(group[0]) == key(row)) {
                Some(group) => group.push(row),
                None => groups.push(vec![row]),
            }
        }
        let series = |mut rows: Vec<&'a Row>| {
            let means = format!("{} {}", rows[0].engine, rows[0].kernel);
            let most = rows.iter().map(|row| row.threads).max().unwrap_or(1);
            let common = match by {
                By::Threads => format!("N = {}", rows[0].board),
                By::Board => {
                    rows.retain(|row| row.threads == most);
                    plural(most, "thread")
                }
            };
            Series { name: format!("{means}, {common}"), means, rows }
        };
        groups.into_iter().map(series).collect()
    }
}

/// Several studies as one, to be drawn: the name of each stands before its engines, unless it is
/// alone. `None` where there are none.
pub(crate) fn together(studies: &[(&str, &Record)]) -> Option<Record> {
    let (_, first) = studies.first()?;
    let alone = studies.len() == 1;
    let warnings = if alone { first.warnings.clone() } else { Vec::new() };
    let mut drawn = Record { rows: Vec::new(), scaling: Vec::new(), warnings, ..(*first).clone() };
    for (name, record) in studies {
        let of_study = |engine: &str| if alone { engine.to_owned() } else { format!("{name}: {engine}") };
        drawn.rows.extend(record.rows.iter().map(|row| Row { engine: of_study(&row.engine), ..row.clone() }));
        let shown = |one: &&Scaling| {
            record.rows.iter().any(|row| row.subject() == (one.engine.as_str(), one.kernel.as_str(), one.board))
        };
        let scaling = record.scaling.iter().filter(shown);
        drawn.scaling.extend(scaling.map(|one| Scaling { engine: of_study(&one.engine), ..one.clone() }));
    }
    Some(drawn)
}

/// What a study can be written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Rows(Format),
    Svg,
    Html,
}

impl Kind {
    /// The extensions of file names, in words.
    pub(crate) const EXTENSIONS: &str = "json, csv, md, svg, html";

    pub(crate) fn of_extension(extension: &str) -> Option<Self> {
        match extension {
            "json" => Some(Kind::Rows(Format::Json)),
            "csv" => Some(Kind::Rows(Format::Csv)),
            "md" => Some(Kind::Rows(Format::Markdown)),
            "svg" => Some(Kind::Svg),
            "html" => Some(Kind::Html),
            _ => None,
        }
    }
}

/// Writes a study.
pub(crate) fn write(view: &View<'_>, kind: Kind, mut out: impl Write) -> io::Result<()> {
    match kind {
        Kind::Rows(Format::Json) => {
            writeln!(out, "{}", printable_json(&serde_json::to_string_pretty(view.record)?))?;
        }
        Kind::Rows(format) if view.by == By::Board => write_boards(view, format, &mut out)?,
        Kind::Rows(format) => {
            let rows = view.record.rows.iter().map(|row| cells(view.record, row));
            rows_as(format, SCHEMA, COLUMNS, rows, &mut out)?;
            if format == Format::Text {
                write!(out, "{}", bars(view))?;
            }
            write_peers(view, format, &mut out)?;
        }
        Kind::Svg => writeln!(out, "{}", svg::picture(view))?,
        Kind::Html => html::write(view, &mut out)?,
    }
    out.flush()
}

/// Writes the table of boards, and that of other programs.
pub(crate) fn write_boards(view: &View<'_>, format: Format, out: &mut impl Write) -> io::Result<()> {
    let boards = Boards::of(view);
    rows_as(format, SCHEMA, &boards.columns(), boards.rows.iter().cloned(), out)?;
    write_peers(view, format, out)
}

/// Writes the table of other programs, for people.
pub(crate) fn write_peers(view: &View<'_>, format: Format, out: &mut impl Write) -> io::Result<()> {
    if !view.peers.is_empty() && matches!(format, Format::Text | Format::Markdown) {
        writeln!(out)?;
        let peers = Peers::of(view.peers);
        rows_as(format, SCHEMA, &peers.columns(), peers.rows.iter().cloned(), out)?;
    }
    Ok(())
}

/// Writes a table.
pub(crate) fn rows_as(
    format: Format,
    schema: &'static str,
    columns: &[Column<'_>],
    rows: impl IntoIterator<Item = Vec<Cell>>,
    out: &mut impl Write,
) -> io::Result<()> {
    let part: &mut dyn Write = out;
    let mut report = super::open(format, Layout { schema, rows: Rows::Many, columns }, part);
    rows.into_iter().try_for_each(|row| report.row(&row))?;
    report.finish(true)
}

/// The speed-up of each row as a bar, under the name of what is counted, with the serial fraction.
fn bars(view: &View<'_>) -> String {
    let mut text = String::new();
    let series = view.series(By::Threads).into_iter();
    for Series { name, rows, .. } in series.filter(|series| series.rows.len() > 1 && series.rows[0].speed_up.is_some())
    {
        let serial = serial_fraction(view.record, rows[0]);
        let serial = serial.map_or(String::new(), |serial| format!(": {serial}"));
        text += &["\n", &printable(&name), &serial, "\n"].concat();
        let bars: Vec<Bar> = rows
            .iter()
            .filter_map(|row| {
                let label = plural(row.threads, "thread");
                Some(Bar { label, value: row.speed_up?, ideal: Some(row.threads as f64) })
            })
            .collect();
        text.push_str(&chart::bars(&bars));
    }
    if !text.is_empty() {
        text.push_str("\n# speed-up, . what is missing to one for each thread\n");
    }
    text
}

/// The serial fraction of what the row counts, in words.
fn serial_fraction(record: &Record, row: &Row) -> Option<String> {
    let mut all = record.scaling.iter();
    let scaling = all.find(|one| (one.engine.as_str(), one.kernel.as_str(), one.board) == row.subject())?;
    // More threads than one each gain nothing by the law: a negative share is noise, or caches.
    let percent = (100.0 * scaling.serial_fraction).max(0.0);
    Some(format!("serial fraction {percent:.1}%"))
}

/// The machine in a line.
pub(crate) fn machine_in_words(machine: &Machine) -> String {
    let mut words = vec![
        machine.cpu.clone(),
        format!(
            "{} on {}",
            plural(machine.logical_cpus, "logical CPU"),
            plural(machine.physical_cores, "physical core")
        ),
    ];
    words.extend(machine.megahertz.map(|megahertz| format!("{megahertz} MHz")));
    let caches = machine.caches.iter().filter(|cache| cache.kind != "instructions");
    words.extend(caches.map(|cache| format!("L{} {} KiB", cache.level, words::grouped(cache.bytes >> 10))));
    words.extend(machine.memory_bytes.map(|bytes| format!("{:.1} GiB of memory", bytes as f64 / f64::from(1 << 30))));
    words.extend(machine.system.clone());
    words.extend(machine.kernel.as_ref().map(|kernel| format!("kernel {kernel}")));
    words.join(", ")
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Made-up times: `backtrack` with a tenth of its work serial, `two-color` without.
    pub(crate) fn record() -> Record {
        let row = |engine: &str, threads: usize, seconds: f64, speed_up: f64| Row {
            engine: engine.to_owned(),
            kernel: "avx2".to_owned(),
            board: 16,
            threads,
            plan: "mirror-1".to_owned(),
            units: 8,
            total: "14772512".to_owned(),
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
        Record {
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
            rows: vec![
                row("backtrack", 1, 1.0, 1.0),
                row("backtrack", 2, 0.55, 1.0 / 0.55),
                row("backtrack", 4, 0.325, 1.0 / 0.325),
                row("two-color", 1, 0.2, 1.0),
                row("two-color", 2, 0.1, 2.0),
                row("two-color", 4, 0.05, 4.0),
            ],
            scaling: vec![scaling("backtrack", 0.1), scaling("two-color", -0.001)],
            warnings: Vec::new(),
        }
    }

    pub(crate) fn written(kind: Kind) -> String {
        let mut out = Vec::new();
        let record = record();
        write(&View { record: &record, by: By::Threads, peers: &[] }, kind, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn text_is_a_table_and_bars_of_the_speed_up() {
        let text = written(Kind::Rows(Format::Text));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0].split_whitespace().collect::<Vec<_>>()[..4], ["engine", "kernel", "N", "threads"]);
        assert!(text.contains("\nbacktrack avx2, N = 16: serial fraction 10.0%\n"), "{text}");
        assert!(text.contains("\ntwo-color avx2, N = 16: serial fraction 0.0%\n"), "{text}");
        let bar = |start: &str| lines.iter().rfind(|line| line.starts_with(start)).copied().unwrap().to_owned();
        assert_eq!(bar("4 threads"), format!("4 threads  {}  4.00", "#".repeat(40)));
    }

    #[test]
    fn json_reads_back_as_it_was() {
        let read: Record = serde_json::from_str(&written(Kind::Rows(Format::Json))).unwrap();
        let written = record();
        assert_eq!((read.schema, read.command, read.date), (written.schema, written.command, written.date));
        assert_eq!(format!("{:?}", read.machine), format!("{:?}", written.machine));
        assert_eq!(format!("{:?}", read.scaling), format!("{:?}", written.scaling));
        let numbers = |rows: &[Row]| rows.iter().map(|row| (row.threads, row.seconds, row.nodes)).collect::<Vec<_>>();
        assert_eq!(numbers(&read.rows), numbers(&written.rows));
    }

    #[test]
    fn csv_has_a_line_for_each_row_and_the_machine_in_it() {
        let text = written(Kind::Rows(Format::Csv));
        let mut reader = ::csv::Reader::from_reader(text.as_bytes());
        let headers = reader.headers().unwrap().clone();
        let rows: Vec<_> = reader.records().map(Result::unwrap).collect();
        let column = |key: &str| headers.iter().position(|header| header == key).unwrap();
        assert_eq!(rows.len(), 6);
        assert_eq!((&rows[1][column("threads")], &rows[1][column("seconds")]), ("2", "0.550000000"));
        assert_eq!((&rows[5][column("nodes")], &rows[5][column("cpu")]), ("", "Test <CPU> & Co."));
    }

    #[test]
    fn a_machine_is_told_by_what_is_known_of_it() {
        let words = "Test <CPU> & Co., 4 logical CPUs on 2 physical cores, L1 48 KiB, 4.0 GiB of memory";
        assert_eq!(machine_in_words(&record().machine), words);
    }
}
