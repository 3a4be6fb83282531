//! A scaling study in each of its formats. One format is one file, and one line in [`write`].

mod axis;
mod boards;
pub(crate) mod html;
pub(crate) mod limits;
pub(crate) mod peers;
mod svg;
mod table;

pub(crate) use boards::Boards;
pub(crate) use peers::{Peer, Peers};
pub(crate) use table::{COLUMNS, SCHEMA, cells};

use crate::app::output::chart::{self, Bar};
use crate::app::output::words::{self, plural};
use crate::app::output::{Cell, Column, Format, Layout, Rows, markdown, printable, printable_json};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::io::{self, Write};

/// All that is known of a study: the JSON document.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Record {
    #[serde(deserialize_with = "limits::text")]
    pub(crate) schema: String,
    /// When it began: UTC, as ISO 8601 has it.
    #[serde(deserialize_with = "limits::text")]
    pub(crate) date: String,
    #[serde(deserialize_with = "limits::command")]
    pub(crate) command: String,
    pub(crate) program: Program,
    pub(crate) machine: Machine,
    /// How often each count was timed, after one that was not.
    pub(crate) repetitions: usize,
    /// Whether every thread stayed on a CPU of its own.
    pub(crate) pinned: bool,
    /// Where the threads ran, more exactly; studies of 0.1.0 do not say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) pinning: Option<Pinned>,
    #[serde(deserialize_with = "limits::rows")]
    pub(crate) rows: Vec<Row>,
    #[serde(deserialize_with = "limits::many")]
    pub(crate) scaling: Vec<Scaling>,
    #[serde(deserialize_with = "limits::warnings")]
    pub(crate) warnings: Vec<String>,
}

/// The CPUs that threads ran on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Pinned {
    /// Those that the system chose.
    Off,
    /// One of its own for each thread.
    Own,
    /// One for each thread, and for some threads the same one.
    Shared,
    /// Those that the system chose, because it did not let threads be pinned.
    Refused,
}

/// The program that counted.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Program {
    #[serde(deserialize_with = "limits::text")]
    pub(crate) version: String,
    #[serde(default, deserialize_with = "limits::text_if_any")]
    pub(crate) commit: Option<String>,
    #[serde(default, deserialize_with = "limits::text_if_any")]
    pub(crate) compiler: Option<String>,
}

/// The machine it counted on. What the system did not say is missing.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Machine {
    #[serde(deserialize_with = "limits::text")]
    pub(crate) cpu: String,
    #[serde(deserialize_with = "limits::text")]
    pub(crate) architecture: String,
    /// The features of the CPU that some kernel uses, of those that it has.
    #[serde(deserialize_with = "limits::features")]
    pub(crate) features: Vec<String>,
    #[serde(deserialize_with = "limits::few")]
    pub(crate) caches: Vec<Cache>,
    pub(crate) logical_cpus: usize,
    pub(crate) physical_cores: usize,
    pub(crate) megahertz: Option<u64>,
    pub(crate) memory_bytes: Option<u64>,
    #[serde(default, deserialize_with = "limits::text_if_any")]
    pub(crate) system: Option<String>,
    #[serde(default, deserialize_with = "limits::text_if_any")]
    pub(crate) kernel: Option<String>,
}

/// A cache of a core.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Cache {
    pub(crate) level: u8,
    #[serde(deserialize_with = "limits::text")]
    pub(crate) kind: String,
    pub(crate) bytes: u64,
}

/// A count with a number of threads, timed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Row {
    #[serde(deserialize_with = "limits::text")]
    pub(crate) engine: String,
    #[serde(deserialize_with = "limits::text")]
    pub(crate) kernel: String,
    #[serde(deserialize_with = "limits::board")]
    pub(crate) board: usize,
    #[serde(deserialize_with = "limits::threads")]
    pub(crate) threads: usize,
    #[serde(deserialize_with = "limits::text")]
    pub(crate) plan: String,
    pub(crate) units: usize,
    /// The number of solutions, as text: it may be beyond what a JSON number can hold.
    #[serde(deserialize_with = "limits::total")]
    pub(crate) total: String,
    #[serde(deserialize_with = "limits::text")]
    pub(crate) verdict: String,
    /// The median of all times.
    #[serde(deserialize_with = "limits::seconds")]
    pub(crate) seconds: f64,
    #[serde(deserialize_with = "limits::seconds")]
    pub(crate) fastest: f64,
    #[serde(deserialize_with = "limits::seconds")]
    pub(crate) slowest: f64,
    /// The middle half of the times as a share of the median.
    #[serde(deserialize_with = "limits::ratio")]
    pub(crate) spread: f64,
    /// The median of the time that all CPUs gave it together.
    #[serde(default, deserialize_with = "limits::ratio_if_any")]
    pub(crate) cpu_seconds: Option<f64>,
    /// How many times as fast as with one thread; missing where that was not timed.
    #[serde(default, deserialize_with = "limits::speed_up_if_any")]
    pub(crate) speed_up: Option<f64>,
    /// The speed-up for each thread.
    #[serde(default, deserialize_with = "limits::ratio_if_any")]
    pub(crate) efficiency: Option<f64>,
    #[serde(deserialize_with = "limits::speed")]
    pub(crate) solutions_per_second: f64,
    pub(crate) nodes: Option<u64>,
    #[serde(default, deserialize_with = "limits::speed_if_any")]
    pub(crate) nodes_per_second: Option<f64>,
    /// Every time, in the order in which they were taken.
    #[serde(deserialize_with = "limits::times")]
    pub(crate) times: Vec<f64>,
}

/// How a count gets faster with threads.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Scaling {
    #[serde(deserialize_with = "limits::text")]
    pub(crate) engine: String,
    #[serde(deserialize_with = "limits::text")]
    pub(crate) kernel: String,
    #[serde(deserialize_with = "limits::board")]
    pub(crate) board: usize,
    /// The share of the work that does not, by Amdahl's law fitted to the times.
    #[serde(deserialize_with = "limits::share")]
    pub(crate) serial_fraction: f64,
}

impl Record {
    /// Where the threads ran.
    pub(crate) fn pinning(&self) -> Pinned {
        let shared = || self.rows.iter().any(|row| row.threads > self.machine.logical_cpus);
        self.pinning.unwrap_or(match self.pinned {
            false => Pinned::Off,
            true if shared() => Pinned::Shared,
            true => Pinned::Own,
        })
    }

    /// A word for the pinning of a row's threads: on CPUs of their own, shared ones, or none.
    fn pinned_of(&self, row: &Row) -> &'static str {
        match self.pinning() {
            Pinned::Own => "yes",
            Pinned::Shared if row.threads <= self.machine.logical_cpus => "yes",
            Pinned::Shared => "shared",
            Pinned::Off | Pinned::Refused => "no",
        }
    }
}

impl Pinned {
    pub(crate) const fn in_words(self) -> &'static str {
        match self {
            Pinned::Off => "threads not pinned",
            Pinned::Own => "every thread on a CPU of its own",
            Pinned::Shared => "threads pinned, but some share a CPU",
            Pinned::Refused => "threads could not be pinned",
        }
    }
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
    /// The studies that the record is made of, with their names; one alone needs none.
    pub(crate) studies: &'a [(&'a str, &'a Record)],
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
    /// A line for each text of each study, under the name of the study where there are several.
    fn of_studies(&self, texts: impl Fn(&Record) -> Vec<String>) -> Vec<String> {
        let several = self.studies.len() > 1;
        let named = |name: &str, text: String| if several { format!("{name}: {text}") } else { text };
        let of_study = |(name, record): &(&str, &Record)| {
            texts(record).into_iter().map(|text| named(name, text)).collect::<Vec<_>>()
        };
        self.studies.iter().flat_map(of_study).collect()
    }

    /// The machine, the version and the date of each study.
    pub(crate) fn sources(&self) -> Vec<String> {
        self.of_studies(|Record { machine, program, date, .. }| {
            let cpus = plural(machine.logical_cpus, "logical CPU");
            vec![format!("{}, {cpus}, nqueens {}, {date}", machine.cpu, program.version)]
        })
    }

    /// The warnings of each study.
    pub(crate) fn warnings(&self) -> Vec<String> {
        self.of_studies(|record| record.warnings.clone())
    }

    /// The counts that differ in what they go by alone; over the boards, those with the most threads.
    fn series(&self, by: By) -> Vec<Series<'a>> {
        let mut groups: Vec<Vec<&Row>> = Vec::new();
        let mut places = HashMap::new();
        for row in &self.record.rows {
            let key = (&row.engine, &row.kernel, (by == By::Threads).then_some(row.board));
            let place = *places.entry(key).or_insert(groups.len());
            if place == groups.len() {
                groups.push(Vec::new());
            }
            groups[place].push(row);
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
    let mut drawn = Record { rows: Vec::new(), scaling: Vec::new(), ..(*first).clone() };
    for (name, record) in studies {
        let of_study = |engine: &str| if alone { engine.to_owned() } else { format!("{name}: {engine}") };
        drawn.rows.extend(record.rows.iter().map(|row| Row { engine: of_study(&row.engine), ..row.clone() }));
        let subjects: HashSet<_> = record.rows.iter().map(Row::subject).collect();
        let shown = |one: &&Scaling| subjects.contains(&(one.engine.as_str(), one.kernel.as_str(), one.board));
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
            write_besides(view, format, &mut out)?;
        }
        Kind::Svg => writeln!(out, "{}", svg::picture(view))?,
        Kind::Html => html::write(view, &mut out)?,
    }
    out.flush()
}

/// Writes the table of boards, and what belongs to it.
pub(crate) fn write_boards(view: &View<'_>, format: Format, out: &mut impl Write) -> io::Result<()> {
    let boards = Boards::of(view);
    rows_as(format, SCHEMA, &boards.columns(), boards.rows.iter().cloned(), out)?;
    write_besides(view, format, out)
}

/// Writes for people what stands below a table: that of other programs; where the numbers come from, in Markdown, which goes
/// from hand to hand; and what makes them doubtful.
pub(crate) fn write_besides(view: &View<'_>, format: Format, out: &mut impl Write) -> io::Result<()> {
    if !matches!(format, Format::Text | Format::Markdown) {
        return Ok(());
    }
    if !view.peers.is_empty() {
        writeln!(out)?;
        let peers = Peers::of(view.peers);
        rows_as(format, SCHEMA, &peers.columns(), peers.rows.iter().cloned(), out)?;
    }
    let (sources, point) = if format == Format::Markdown { (view.sources(), "- ") } else { (Vec::new(), "") };
    let warnings = view.warnings().into_iter().map(|warning| format!("warning: {warning}"));
    for (index, note) in sources.into_iter().chain(warnings).enumerate() {
        let gap = if index == 0 { "\n" } else { "" };
        let note = if format == Format::Markdown { markdown::plain(&note) } else { printable(&note).into_owned() };
        writeln!(out, "{gap}{point}{note}")?;
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
    let mut report = crate::app::output::open(format, Layout { schema, rows: Rows::Many, columns }, part);
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
    // By the law it is a share of the work: what is below 0 is noise, or caches.
    Some(match 100.0 * scaling.serial_fraction {
        100.0.. => "serial fraction 100%: more threads take no less time".to_owned(),
        percent => format!("serial fraction {:.1}%", percent.max(0.0)),
    })
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

    pub(crate) fn written(kind: Kind) -> String {
        let mut out = Vec::new();
        let record = record();
        let view = View { record: &record, by: By::Threads, peers: &[], studies: &[("", &record)] };
        write(&view, kind, &mut out).unwrap();
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
    fn threads_that_share_a_cpu_are_not_on_one_of_their_own() {
        let mut record = record();
        let said = |record: &Record| {
            let rows = record.rows[1..3].iter().map(|row| record.pinned_of(row));
            (record.pinning().in_words(), rows.collect::<Vec<_>>())
        };
        assert_eq!(said(&record), ("threads not pinned", vec!["no", "no"]));
        // As 0.1.0 wrote it, whatever was done.
        record.pinned = true;
        assert_eq!(said(&record), ("every thread on a CPU of its own", vec!["yes", "yes"]));
        record.machine.logical_cpus = 2;
        assert_eq!(said(&record), ("threads pinned, but some share a CPU", vec!["yes", "shared"]));
        (record.pinned, record.pinning) = (false, Some(Pinned::Refused));
        assert_eq!(said(&record), ("threads could not be pinned", vec!["no", "no"]));
    }

    #[test]
    fn more_than_all_of_the_work_is_no_share_of_it() {
        let mut record = record();
        let words = |record: &Record| serial_fraction(record, &record.rows[0]).unwrap();
        assert_eq!(words(&record), "serial fraction 10.0%");
        record.scaling[0].serial_fraction = 11.318;
        assert_eq!(words(&record), "serial fraction 100%: more threads take no less time");
    }

    #[test]
    fn every_format_says_what_makes_the_numbers_doubtful() {
        for format in [Format::Text, Format::Json, Format::Csv, Format::Markdown] {
            let text = written(Kind::Rows(format));
            // In Markdown as it is shown.
            let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("\\|", "|");
            assert!(text.contains("too <hot>") && text.contains("too | busy"), "{text}");
        }
        for kind in [Kind::Svg, Kind::Html] {
            let text = written(kind);
            assert!(text.contains("arning: too &lt;hot&gt;<"), "{text}");
        }
        let text = written(Kind::Rows(Format::Text));
        assert!(text.ends_with("\n\nwarning: too <hot>\nwarning: too | busy\n"), "{text}");
        let text = written(Kind::Rows(Format::Markdown));
        let source = "Test &lt;CPU&gt; &amp; Co., 4 logical CPUs, nqueens 1.2.3, 2026-01-02T03:04:05Z";
        assert!(
            text.ends_with(&format!("\n\n- {source}\n- warning: too &lt;hot&gt;\n- warning: too \\| busy\n")),
            "{text}"
        );
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
