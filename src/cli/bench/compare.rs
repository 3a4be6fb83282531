//! Studies side by side: of several machines, or of several versions on one.

use super::super::failure::Failure;
use super::Arguments;
use crate::report::bench::{self, Kind, Record, Row, SCHEMA, html, machine_in_words, together};
use crate::report::chart::{self, Bar};
use crate::report::words::plural;
use crate::report::{self, Cell, Column, Detail, Format, Layout, Rows};
use std::fs;
use std::io::{self, Write};
use std::path::Path;

const COLUMNS: &[Column] = &[
    Column { key: "engine", heading: "engine", width: 9, detail: Detail::Table },
    Column { key: "board", heading: "N", width: 2, detail: Detail::Table },
    Column { key: "threads", heading: "threads", width: 7, detail: Detail::Table },
    Column { key: "study", heading: "study", width: 16, detail: Detail::Table },
    Column { key: "kernel", heading: "kernel", width: 8, detail: Detail::Table },
    Column { key: "seconds", heading: "median", width: 8, detail: Detail::Table },
    Column { key: "spread", heading: "spread", width: 6, detail: Detail::Table },
    Column { key: "speed_up", heading: "speed-up", width: 8, detail: Detail::Table },
    Column { key: "times_as_fast", heading: "x first", width: 7, detail: Detail::Table },
    Column::of_record("cpu"),
    Column::of_record("program_version"),
    Column::of_record("date"),
];

/// A study, and what it is called.
struct Named {
    name: String,
    record: Record,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let studies = arguments.compare.iter().map(|path| read(path)).collect::<Result<Vec<_>, _>>()?;
    let studies = with_names_of_their_own(studies);
    let rows = side_by_side(&studies);
    if rows.is_empty() {
        return Err(Failure::Usage(
            "these studies have no count in common; measure the same boards and threads".to_owned(),
        ));
    }
    let output = arguments.printing.open()?;
    let files = arguments.files()?;
    let format = arguments.printing.format;
    let written = write(&studies, &rows, format, output);
    for (file, kind) in files {
        let exported = match kind {
            Kind::Rows(format) => write(&studies, &rows, format, file),
            kind => draw(&studies, &rows, kind, file),
        };
        exported.map_err(|error| Failure::writing(&error))?;
    }
    written.map_err(|error| Failure::writing(&error))?;
    for Named { name, record } in &studies {
        let words = machine_in_words(&record.machine);
        arguments.printing.remark(format_args!("{name}: {words}; nqueens {}, {}", record.program.version, record.date));
    }
    Ok(())
}

/// Reads the document of a study.
fn read(path: &Path) -> Result<Named, Failure> {
    let refused = |reason: String| {
        Failure::Usage(format!(
            "'{}' is no study: {reason}; give files that `nqueens bench --export FILE.json` wrote",
            path.display()
        ))
    };
    let text = fs::read_to_string(path).map_err(|error| refused(error.to_string()))?;
    let document: serde_json::Value = serde_json::from_str(&text).map_err(|error| refused(error.to_string()))?;
    match document.get("schema").and_then(serde_json::Value::as_str) {
        Some(SCHEMA) => {}
        Some(other) => return Err(refused(format!("its schema is '{other}', not '{SCHEMA}'"))),
        None => return Err(refused("it has no schema".to_owned())),
    }
    let record: Record = serde_json::from_value(document).map_err(|error| refused(error.to_string()))?;
    let sound = |row: &Row| row.seconds > 0.0 && row.seconds.is_finite();
    if record.rows.is_empty() || !record.rows.iter().all(sound) {
        return Err(refused("it has no times".to_owned()));
    }
    let name = path.file_stem().map_or(String::new(), |stem| stem.to_string_lossy().into_owned());
    Ok(Named { name, record })
}

/// Files of the same name in different folders are numbered.
fn with_names_of_their_own(mut studies: Vec<Named>) -> Vec<Named> {
    for index in 1..studies.len() {
        let (before, these) = studies.split_at_mut(index);
        let name = these[0].name.clone();
        let mut number = 2;
        while before.iter().any(|study| study.name == these[0].name) {
            these[0].name = format!("{name} ({number})");
            number += 1;
        }
    }
    studies
}

/// The counts that two studies at least have, each with those studies and their rows, in the order of the first.
///
/// Studies that have one kernel for each engine are compared whatever it is: the best one of each machine.
fn side_by_side(studies: &[Named]) -> Vec<Vec<(&Named, &Row)>> {
    let one_kernel = studies.iter().all(|study| {
        let rows = &study.record.rows;
        rows.iter().all(|row| rows.iter().all(|other| other.engine != row.engine || other.kernel == row.kernel))
    });
    let key = |row: &Row| {
        (row.board, row.engine.clone(), if one_kernel { String::new() } else { row.kernel.clone() }, row.threads)
    };
    let mut keys: Vec<_> = studies.iter().flat_map(|study| study.record.rows.iter().map(key)).collect();
    let mut seen = std::collections::HashSet::new();
    keys.retain(|key| seen.insert(key.clone()));
    let with = |wanted: &(usize, String, String, usize)| -> Vec<(&Named, &Row)> {
        let row = |study: &Named| study.record.rows.iter().position(|row| key(row) == *wanted);
        studies.iter().filter_map(|study| Some((study, &study.record.rows[row(study)?]))).collect()
    };
    let least = studies.len().min(2);
    keys.iter().map(with).filter(|rows| rows.len() >= least).collect()
}

/// Writes the table, and in text the bars.
fn write(studies: &[Named], groups: &[Vec<(&Named, &Row)>], format: Format, mut out: impl Write) -> io::Result<()> {
    let layout = Layout { schema: "nqueens/bench-comparison/1", rows: Rows::Many, columns: COLUMNS };
    let mut report = report::open(format, layout, &mut out);
    groups.iter().flatten().zip(firsts(groups)).try_for_each(|(row, first)| report.row(&cells(*row, first)))?;
    report.finish(true)?;
    drop(report);
    if format == Format::Text && studies.len() > 1 {
        for group in groups {
            let row = group[0].1;
            let (threads, first) = (plural(row.threads, "thread"), row.seconds);
            writeln!(out, "\n{}, N = {}, {threads}: times as fast as {}", row.engine, row.board, group[0].0.name)?;
            let bar = |(study, row): &(&Named, &Row)| Bar {
                label: study.name.clone(),
                value: first / row.seconds,
                ideal: None,
            };
            write!(out, "{}", chart::bars(&group.iter().map(bar).collect::<Vec<_>>()))?;
        }
    }
    out.flush()
}

/// Writes a picture of the studies, or the page with it.
fn draw(studies: &[Named], groups: &[Vec<(&Named, &Row)>], kind: Kind, mut out: impl Write) -> io::Result<()> {
    let named: Vec<(&str, &Record)> = studies.iter().map(|study| (study.name.as_str(), &study.record)).collect();
    let Some(drawn) = together(&named) else { return Ok(()) };
    if kind == Kind::Html {
        let rows: Vec<Vec<Cell>> =
            groups.iter().flatten().zip(firsts(groups)).map(|(row, first)| cells(*row, first)).collect();
        html::write_comparison(&named, &drawn, (COLUMNS, &rows), &mut out)?;
        return out.flush();
    }
    bench::write(&drawn, kind, out)
}

/// The seconds of the first study, for each row of each group.
fn firsts<'a>(groups: &'a [Vec<(&Named, &Row)>]) -> impl Iterator<Item = f64> + 'a {
    groups.iter().flat_map(|group| std::iter::repeat_n(group[0].1.seconds, group.len()))
}

/// A cell for each of [`COLUMNS`].
fn cells((study, row): (&Named, &Row), first: f64) -> Vec<Cell> {
    let record = &study.record;
    vec![
        Cell::Text(row.engine.clone()),
        Cell::Integer(row.board as u64),
        Cell::Integer(row.threads as u64),
        Cell::Text(study.name.clone()),
        Cell::Text(row.kernel.clone()),
        Cell::Time(row.seconds),
        Cell::Ratio(row.spread),
        row.speed_up.map_or(Cell::Missing, Cell::Ratio),
        Cell::Ratio(first / row.seconds),
        Cell::Text(record.machine.cpu.clone()),
        Cell::Text(record.program.version.clone()),
        Cell::Text(record.date.clone()),
    ]
}
