//! The views of a study: tables in the formats of [rows](crate::app::rows), a picture and a page.
//!
//! JSON is the study itself. A form is one file and one line in [`write`].

mod axis;
mod bars;
pub(crate) mod html;
mod labels;
pub(crate) mod rows;
pub(crate) mod shared;
mod svg;

use crate::app::bench::peers::PeerTime;
use crate::app::bench::study::{SCHEMA, Scaling, Study, Timing};
use crate::app::output::chart::{self, Bar};
use crate::app::output::words::plural;
use crate::app::output::{Format, printable, printable_json};
use crate::app::rows::{self as tables, Row};
use rows::{BoardRow, PeerRow, TimingRow};
use shared::SharedCount;
use std::collections::{HashMap, HashSet};
use std::io::{self, Write};

/// The variable over which tables and charts show the times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Variable {
    /// A row for each count with each number of threads, charts over the threads
    #[default]
    Threads,
    /// A row for each board with a column for each engine and kernel, with the most threads; a chart over the boards
    Board,
}

impl Variable {
    /// Returns the value of the variable.
    fn of(self, timing: &Timing) -> usize {
        match self {
            Variable::Threads => timing.threads,
            Variable::Board => timing.board,
        }
    }
}

/// A study or several, and how to show them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View<'a> {
    /// The study, or the studies [joined](joined).
    pub(crate) study: &'a Study,
    pub(crate) by: Variable,
    /// Times of other programs, shown over the boards.
    pub(crate) peers: &'a [PeerTime],
    /// The names and documents of the studies.
    pub(crate) studies: &'a [(&'a str, &'a Study)],
    /// The counts that several studies share.
    pub(crate) counts: &'a [SharedCount<'a>],
}

/// Times that differ in one variable only: a line of a chart.
#[derive(Clone, Debug)]
struct Series<'a> {
    /// The engine and its kernel.
    kernel: String,
    /// The engine, its kernel, and the value of the other variable.
    name: String,
    rows: Vec<&'a Timing>,
}

impl<'a> View<'a> {
    /// Returns texts of all studies, each text after the name of its study if there are several.
    fn of_studies(&self, texts: impl Fn(&Study) -> Vec<String>) -> Vec<String> {
        let several = self.studies.len() > 1;
        let named = |name: &str, text: String| if several { format!("{name}: {text}") } else { text };
        let of_study =
            |(name, study): &(&str, &Study)| texts(study).into_iter().map(|text| named(name, text)).collect::<Vec<_>>();
        self.studies.iter().flat_map(of_study).collect()
    }

    /// Returns the machine, the version and the date of each study, and its command.
    pub(crate) fn sources(&self) -> Vec<String> {
        self.of_studies(|Study { machine, program, date, command, .. }| {
            let cpus = plural(machine.logical_cpus, "logical CPU");
            let source = format!("{}, {cpus}, nqueens {}, {date}", machine.cpu, program.version);
            vec![source, format!("command: {command}")]
        })
    }

    /// Returns the warnings of each study.
    pub(crate) fn warnings(&self) -> Vec<String> {
        self.of_studies(|study| study.warnings.clone())
    }

    /// Groups the rows into series over a variable. A series over the boards has the rows with the most threads only.
    fn series(&self, by: Variable) -> Vec<Series<'a>> {
        let mut groups: Vec<Vec<&Timing>> = Vec::new();
        let mut places = HashMap::new();
        for row in &self.study.rows {
            let key = (&row.engine, &row.kernel, (by == Variable::Threads).then_some(row.board));
            let place = *places.entry(key).or_insert(groups.len());
            if place == groups.len() {
                groups.push(Vec::new());
            }
            groups[place].push(row);
        }
        let series = |mut rows: Vec<&'a Timing>| {
            let kernel = format!("{} {}", rows[0].engine, rows[0].kernel);
            let most = rows.iter().map(|row| row.threads).max().unwrap_or(1);
            let common = match by {
                Variable::Threads => format!("N = {}", rows[0].board),
                Variable::Board => {
                    rows.retain(|row| row.threads == most);
                    plural(most, "thread")
                }
            };
            Series { name: format!("{kernel}, {common}"), kernel, rows }
        };
        groups.into_iter().map(series).collect()
    }
}

/// Joins studies into one that can be drawn. The engines of several studies have the name of the study before theirs.
/// Returns `None` if there are no studies.
pub(crate) fn joined(studies: &[(&str, &Study)]) -> Option<Study> {
    let (_, first) = studies.first()?;
    let several = studies.len() > 1;
    let mut joined = Study { rows: Vec::new(), scaling: Vec::new(), ..(*first).clone() };
    for (name, study) in studies {
        let engine = |engine: &str| if several { format!("{name}: {engine}") } else { engine.to_owned() };
        joined.rows.extend(study.rows.iter().map(|row| Timing { engine: engine(&row.engine), ..row.clone() }));
        let subjects: HashSet<_> = study.rows.iter().map(Timing::subject).collect();
        let is_shown = |one: &&Scaling| subjects.contains(&(one.engine.as_str(), one.kernel.as_str(), one.board));
        let scaling = study.scaling.iter().filter(is_shown);
        joined.scaling.extend(scaling.map(|one| Scaling { engine: engine(&one.engine), ..one.clone() }));
    }
    Some(joined)
}

/// The form of a written study.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Rows(Format),
    Svg,
    Html,
}

impl Form {
    /// The extensions of file names, in words.
    pub(crate) const EXTENSIONS: &str = "json, csv, md, svg, html";

    /// Returns the form of files with this extension.
    pub(crate) fn of_extension(extension: &str) -> Option<Self> {
        match extension {
            "json" => Some(Form::Rows(Format::Json)),
            "csv" => Some(Form::Rows(Format::Csv)),
            "md" => Some(Form::Rows(Format::Markdown)),
            "svg" => Some(Form::Svg),
            "html" => Some(Form::Html),
            _ => None,
        }
    }
}

/// Writes a study.
pub(crate) fn write(view: &View<'_>, form: Form, out: &mut dyn Write) -> io::Result<()> {
    match form {
        Form::Rows(Format::Json) => {
            writeln!(out, "{}", printable_json(&serde_json::to_string_pretty(view.study)?))?;
        }
        Form::Rows(format) if view.by == Variable::Board => {
            write_wide(format, &BoardRow::all(view), BoardRow::KNOWN, out)?;
            write_notes(view, format, out)?;
        }
        Form::Rows(format) => {
            write_table(format, SCHEMA, &TimingRow::all(view.study), out)?;
            if format == Format::Text {
                write!(out, "{}", speed_up_bars(view))?;
            }
            write_notes(view, format, out)?;
        }
        Form::Svg => writeln!(out, "{}", svg::picture(view))?,
        Form::Html => html::write(view, out)?,
    }
    Ok(())
}

/// Writes a table of which all rows are known, and which has `known` columns and any number of others. Text is broken
/// into several tables that fit a terminal.
fn write_wide<R: Row>(format: Format, rows: &[R], known: usize, out: &mut dyn Write) -> io::Result<()> {
    match format {
        Format::Text => tables::text::write_wide(&rows.iter().map(Row::cells).collect::<Vec<_>>(), known, out),
        _ => write_table(format, SCHEMA, rows, out),
    }
}

/// Writes a table.
pub(crate) fn write_table<R: Row>(
    format: Format,
    schema: &'static str,
    rows: &[R],
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut report = tables::open(format, schema, tables::Kind::Many, out);
    rows.iter().try_for_each(|row| report.row(row))?;
    report.finish(true)
}

/// Writes the notes below a table for people: the table of other programs; in Markdown, which is copied without its
/// context, the sources; and the warnings.
pub(crate) fn write_notes(view: &View<'_>, format: Format, out: &mut dyn Write) -> io::Result<()> {
    if !matches!(format, Format::Text | Format::Markdown) {
        return Ok(());
    }
    if !view.peers.is_empty() {
        writeln!(out)?;
        write_wide(format, &PeerRow::all(view.peers), PeerRow::KNOWN, out)?;
    }
    let (sources, point) = if format == Format::Markdown { (view.sources(), "- ") } else { (Vec::new(), "") };
    let warnings = view.warnings().into_iter().map(|warning| format!("warning: {warning}"));
    for (index, note) in sources.into_iter().chain(warnings).enumerate() {
        let gap = if index == 0 { "\n" } else { "" };
        let note =
            if format == Format::Markdown { tables::markdown::escaped(&note) } else { printable(&note).into_owned() };
        writeln!(out, "{gap}{point}{note}")?;
    }
    Ok(())
}

/// Draws the speed-ups of each count as bars, under its name and serial fraction.
fn speed_up_bars(view: &View<'_>) -> String {
    let mut text = String::new();
    let series = view.series(Variable::Threads).into_iter();
    for Series { name, rows, .. } in series.filter(|series| series.rows.len() > 1 && series.rows[0].speed_up.is_some())
    {
        let serial = view.study.serial_fraction(rows[0]).map_or(String::new(), |serial| format!(": {serial}"));
        let bar = |row: &&Timing| {
            let label = plural(row.threads, "thread");
            Some(Bar { label, value: row.speed_up?, ideal: Some(row.threads as f64) })
        };
        let bars: Vec<Bar> = rows.iter().filter_map(bar).collect();
        text += &["\n", &printable(&name), &serial, "\n", &chart::bars(&bars)].concat();
    }
    if !text.is_empty() {
        text.push_str("\n# speed-up, . what is missing to one for each thread, % efficiency\n");
    }
    text
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::app::bench::study::tests::study;

    pub(crate) fn written(form: Form) -> String {
        let mut out = Vec::new();
        let study = study();
        let view = View { study: &study, by: Variable::Threads, peers: &[], studies: &[("", &study)], counts: &[] };
        write(&view, form, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn text_is_a_table_and_bars_of_the_speed_up() {
        let text = written(Form::Rows(Format::Text));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0].split_whitespace().collect::<Vec<_>>()[..4], ["engine", "kernel", "N", "threads"]);
        assert!(text.contains("\nbacktrack avx2, N = 16: serial fraction 10.0%\n"), "{text}");
        assert!(text.contains("\ntwo-color avx2, N = 16: serial fraction 0.0%\n"), "{text}");
        let bar = |start: &str| lines.iter().rfind(|line| line.starts_with(start)).copied().unwrap().to_owned();
        assert_eq!(bar("4 threads"), format!("4 threads  {}  4.00  100%", "#".repeat(40)));
    }

    #[test]
    fn every_format_says_what_makes_the_numbers_doubtful() {
        for format in [Format::Text, Format::Json, Format::Csv, Format::Markdown] {
            let text = written(Form::Rows(format));
            // In Markdown as it is shown.
            let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("\\|", "|");
            assert!(text.contains("too <hot>") && text.contains("too | busy"), "{text}");
        }
        for form in [Form::Svg, Form::Html] {
            let text = written(form);
            assert!(text.contains("arning: too &lt;hot&gt;<"), "{text}");
        }
        let text = written(Form::Rows(Format::Text));
        assert!(text.ends_with("\n\nwarning: too <hot>\nwarning: too | busy\n"), "{text}");
        let text = written(Form::Rows(Format::Markdown));
        let source = "Test &lt;CPU&gt; &amp; Co., 4 logical CPUs, nqueens 1.2.3, 2026-01-02T03:04:05Z";
        assert!(
            text.ends_with(&format!("\n\n- {source}\n- command: nqueens bench --export &lt;a&gt;&amp;b.html\n- warning: too &lt;hot&gt;\n- warning: too \\| busy\n")),
            "{text}"
        );
    }

    #[test]
    fn csv_has_a_line_for_each_row_and_the_machine_in_it() {
        let text = written(Form::Rows(Format::Csv));
        let mut reader = ::csv::Reader::from_reader(text.as_bytes());
        let headers = reader.headers().unwrap().clone();
        let rows: Vec<_> = reader.records().map(Result::unwrap).collect();
        let column = |key: &str| headers.iter().position(|header| header == key).unwrap();
        assert_eq!(rows.len(), 6);
        assert_eq!((&rows[1][column("threads")], &rows[1][column("seconds")]), ("2", "0.55"));
        assert_eq!((&rows[5][column("nodes")], &rows[5][column("cpu")]), ("", "Test <CPU> & Co."));
    }
}
