//! Studies side by side: of several machines, or of several versions on one.

use crate::Board;
use crate::app::assessment::contradiction;
use crate::app::bench::view::{
    self, By, Kind, Record, Row, SCHEMA, View, html, limits, machine_in_words, rows_as, together, write_besides,
    write_boards,
};
use crate::app::bench::{Arguments, What, input, put_out};
use crate::app::failure::Failure;
use crate::app::output::chart::{self, Bar};
use crate::app::output::words::plural;
use crate::app::output::{Cell, Column, Detail, Format, printable};
use std::collections::{HashMap, HashSet};
use std::io::{self, Write};
use std::path::Path;

const COLUMNS: &[Column<'_>] = &[
    Column { key: "engine", heading: "engine", width: 9, detail: Detail::Table },
    Column { key: "board", heading: "N", width: 2, detail: Detail::Table },
    Column { key: "threads", heading: "threads", width: 7, detail: Detail::Table },
    Column { key: "study", heading: "study", width: 16, detail: Detail::Table },
    Column { key: "kernel", heading: "kernel", width: 8, detail: Detail::Table },
    Column { key: "seconds", heading: "median", width: 8, detail: Detail::Table },
    Column { key: "spread", heading: "spread", width: 6, detail: Detail::Table },
    Column { key: "speed_up", heading: "speed-up", width: 8, detail: Detail::Table },
    Column { key: "times_as_fast", heading: "x first study", width: 13, detail: Detail::Table },
    Column::of_record("cpu"),
    Column::of_record("program_version"),
    Column::of_record("date"),
    Column::of_record("warnings"),
];

/// A study, and what it is called.
struct Named {
    name: String,
    record: Record,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let (output, files) = arguments.open()?;
    let studies = arguments.compare.iter().map(|path| read(path)).collect::<Result<Vec<_>, _>>()?;
    let mut studies = with_names_of_their_own(studies);
    for study in &mut studies {
        study.record.rows.retain(|row| arguments.what.asks_for(row));
    }
    let (studies, empty): (Vec<_>, Vec<_>) = studies.into_iter().partition(|study| !study.record.rows.is_empty());
    let groups = side_by_side(&studies);
    // A table of boards has room for what only one of them has.
    if groups.is_empty() && (arguments.by == By::Threads || studies.is_empty()) {
        let lacking = match (arguments.compare.len(), arguments.what.chooses()) {
            (1, _) => "this study has no such count; ask for other --engine, --kernel, --boards or --threads",
            (_, true) => {
                "these studies have no such count in common; ask for other --engine, --kernel, --boards or --threads"
            }
            (_, false) => "these studies have no count in common; measure the same boards and threads",
        };
        return Err(Failure::Usage(lacking.to_owned()));
    }
    let peers = arguments.peers()?;
    let named: Vec<(&str, &Record)> = studies.iter().map(|study| (study.name.as_str(), &study.record)).collect();
    let Some(drawn) = together(&named) else { return Ok(()) };
    let view = View { record: &drawn, by: arguments.by, peers: &peers, studies: &named };
    for warning in view.warnings() {
        arguments.printing.warn(format_args!("{warning}"));
    }
    let comparison = Comparison { groups, view };
    put_out(arguments.printing.format, output, files, |kind, out| comparison.write(kind, out))?;
    for (name, record) in &named {
        let words = machine_in_words(&record.machine);
        arguments.printing.remark(format_args!("{name}: {words}; nqueens {}, {}", record.program.version, record.date));
    }
    for study in &empty {
        arguments.printing.remark(format_args!("{}: it has no such count", study.name));
    }
    Ok(())
}

impl What {
    /// Whether a board of this size is to be shown.
    pub(super) fn shows_board(&self, size: usize) -> bool {
        self.boards.is_empty() || self.boards.iter().flat_map(|boards| &boards.0).any(|board| board.size() == size)
    }

    /// Whether only some counts are to be shown.
    fn chooses(&self) -> bool {
        !(self.engine.is_empty() && self.kernel.is_empty() && self.boards.is_empty() && self.threads.is_empty())
    }

    /// Whether the row is to be shown.
    fn asks_for(&self, row: &Row) -> bool {
        let engine = self.engine.iter().all(|engine| engine.0.is_none())
            || self.engine.iter().filter_map(|engine| engine.0).any(|engine| engine.name() == row.engine);
        let kernel = self.kernel.iter().all(|kernel| kernel.0.is_none())
            || self.kernel.iter().filter_map(|kernel| kernel.0).any(|kernel| kernel.name() == row.kernel);
        engine
            && kernel
            && self.shows_board(row.board)
            && (self.threads.is_empty() || self.threads.contains(&(row.threads as u64)))
    }
}

/// Reads the document of a study.
fn read(path: &Path) -> Result<Named, Failure> {
    let record = record(path).map_err(|reason| {
        Failure::Usage(format!(
            "'{}' is not a study: {reason}; give files that `nqueens bench --export FILE.json` wrote",
            path.display()
        ))
    })?;
    for row in &record.rows {
        let board = Board::new(row.board).ok();
        if let Some(wrong) = board.zip(row.total.parse().ok()).and_then(|(board, total)| contradiction(board, total)) {
            return Err(Failure::Failed(format!("'{}': {wrong}", path.display())));
        }
    }
    let name = path.file_stem().map_or(String::new(), |stem| stem.to_string_lossy().into_owned());
    Ok(Named { name, record })
}

fn record(path: &Path) -> Result<Record, String> {
    /// The kind of the document; the rest is passed over.
    #[derive(serde::Deserialize)]
    struct Document {
        schema: Option<String>,
    }

    let text = input::read(path, limits::MOST_BYTES)?;
    if !text.trim_ascii_start().starts_with(b"{") {
        return Err("it is not a JSON object".to_owned());
    }
    let refused = |error: serde_json::Error| input::clipped(&error.to_string());
    let document: Document = serde_json::from_slice(&text).map_err(refused)?;
    match document.schema.as_deref() {
        Some(SCHEMA) => serde_json::from_slice(&text).map_err(refused),
        Some(other) => Err(format!("its schema is '{}', not '{SCHEMA}'", input::clipped(other))),
        None => Err("it has no schema".to_owned()),
    }
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
        let mut kernels = HashMap::new();
        study.record.rows.iter().all(|row| *kernels.entry(&row.engine).or_insert(&row.kernel) == &row.kernel)
    });
    let key = |row: &Row| {
        (row.board, row.engine.clone(), if one_kernel { String::new() } else { row.kernel.clone() }, row.threads)
    };
    let mut places = HashMap::new();
    let mut groups: Vec<Vec<(&Named, &Row)>> = Vec::new();
    for study in studies {
        let mut seen = HashSet::new();
        for row in &study.record.rows {
            let place = *places.entry(key(row)).or_insert(groups.len());
            if place == groups.len() {
                groups.push(Vec::new());
            }
            // A study has a count once.
            if seen.insert(place) {
                groups[place].push((study, row));
            }
        }
    }
    let least = studies.len().min(2);
    groups.retain(|rows| rows.len() >= least);
    groups
}

/// What is to be written.
struct Comparison<'a> {
    /// The counts that stand side by side.
    groups: Vec<Vec<(&'a Named, &'a Row)>>,
    /// All studies as one.
    view: View<'a>,
}

impl Comparison<'_> {
    fn write(&self, kind: Kind, mut out: impl Write) -> io::Result<()> {
        match kind {
            _ if self.view.studies.len() == 1 => view::write(&self.view, kind, &mut out)?,
            Kind::Rows(format) if self.view.by == By::Board && format != Format::Json => {
                write_boards(&self.view, format, &mut out)?;
            }
            Kind::Rows(format) => {
                rows_as(format, "nqueens/bench-comparison/1", COLUMNS, self.rows(), &mut out)?;
                if format == Format::Text {
                    write!(out, "{}", self.bars())?;
                }
                write_besides(&self.view, format, &mut out)?;
            }
            Kind::Html => html::write_comparison(&self.view, (COLUMNS, &self.rows().collect::<Vec<_>>()), &mut out)?,
            Kind::Svg => view::write(&self.view, kind, &mut out)?,
        }
        out.flush()
    }

    /// How many times as fast as the first study each is, as bars.
    fn bars(&self) -> String {
        let mut text = String::new();
        for group in &self.groups {
            let (first, row) = group[0];
            let (threads, seconds) = (plural(row.threads, "thread"), row.seconds);
            let title = format!("{}, N = {}, {threads}: times as fast as {}", row.engine, row.board, first.name);
            text += &["\n", &printable(&title), "\n"].concat();
            let bar = |(study, row): &(&Named, &Row)| Bar {
                label: study.name.clone(),
                value: seconds / row.seconds,
                ideal: None,
            };
            text += &chart::bars(&group.iter().map(bar).collect::<Vec<_>>());
        }
        text
    }

    /// A row for each count of each study.
    fn rows(&self) -> impl Iterator<Item = Vec<Cell>> {
        self.groups.iter().flat_map(|group| {
            let first = group[0].1.seconds;
            group.iter().map(move |row| cells(*row, first))
        })
    }
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
        Cell::List(record.warnings.clone()),
    ]
}
