//! `nqueens bench --compare`: studies of several machines, or of several versions on one, side by side.

use crate::Board;
use crate::app::assessment::contradiction;
use crate::app::bench::study::{Study, Timing};
use crate::app::bench::view::rows::ComparisonRow;
use crate::app::bench::view::{self, Form, Variable, View, html, joined, write_boards, write_notes, write_table};
use crate::app::bench::{Arguments, write};
use crate::app::failure::Failure;
use crate::app::output::chart::{self, Bar};
use crate::app::output::words::plural;
use crate::app::output::{Format, printable};
use std::collections::{HashMap, HashSet};
use std::io::{self, Write};
use std::path::Path;

/// The name and version of the JSON document.
const SCHEMA: &str = "nqueens/bench-comparison/1";

/// A study and its name, which is that of its file.
struct NamedStudy {
    name: String,
    study: Study,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { selection, printing, by, .. } = arguments;
    let outputs = arguments.open()?;
    let mut studies = arguments.compare.iter().map(|path| read(path)).collect::<Result<Vec<_>, _>>()?;
    number_equal_names(&mut studies);
    for NamedStudy { study, .. } in &mut studies {
        study.rows.retain(|row| selection.has(row));
    }
    let (studies, empty): (Vec<_>, Vec<_>) = studies.into_iter().partition(|named| !named.study.rows.is_empty());
    let groups = side_by_side(&studies);
    // A table of boards shows counts of one study alone too.
    if groups.is_empty() && (*by == Variable::Threads || studies.is_empty()) {
        let lacking = match (arguments.compare.len(), selection.is_restricted()) {
            (1, _) => "this study has no such count; ask for other --engine, --kernel, --boards or --threads",
            (_, true) => {
                "these studies have no such count in common; ask for other --engine, --kernel, --boards or --threads"
            }
            (_, false) => "these studies have no count in common; measure the same boards and threads",
        };
        return Err(Failure::Usage(lacking.to_owned()));
    }
    let peers = arguments.peers()?;
    let named: Vec<(&str, &Study)> = studies.iter().map(|named| (named.name.as_str(), &named.study)).collect();
    let Some(study) = joined(&named) else { return Ok(()) };
    let view = View { study: &study, by: *by, peers: &peers, studies: &named };
    for warning in view.warnings() {
        printing.warn(format_args!("{warning}"));
    }
    let comparison = Comparison { groups, view };
    write(printing.format, outputs, |form, out| comparison.write(form, out))?;
    for (name, Study { machine, program, date, .. }) in &named {
        printing.remark(format_args!("{name}: {}; nqueens {}, {date}", machine.in_words(), program.version));
    }
    for NamedStudy { name, .. } in &empty {
        printing.remark(format_args!("{name}: it has no such count"));
    }
    Ok(())
}

/// Reads a study and checks its totals against the published ones.
fn read(path: &Path) -> Result<NamedStudy, Failure> {
    let study = Study::read(path).map_err(|reason| {
        Failure::Usage(format!(
            "'{}' is not a study: {reason}; give files that `nqueens bench --export FILE.json` wrote",
            path.display()
        ))
    })?;
    for row in &study.rows {
        let board = Board::new(row.board).ok();
        if let Some(wrong) = board.and_then(|board| contradiction(board, row.total.0)) {
            return Err(Failure::Failed(format!("'{}': {wrong}", path.display())));
        }
    }
    let name = path.file_stem().map_or(String::new(), |stem| stem.to_string_lossy().into_owned());
    Ok(NamedStudy { name, study })
}

/// Appends numbers to equal names, which are those of files in different folders.
fn number_equal_names(studies: &mut [NamedStudy]) {
    for index in 1..studies.len() {
        let (before, these) = studies.split_at_mut(index);
        let name = these[0].name.clone();
        let mut number = 2;
        while before.iter().any(|named| named.name == these[0].name) {
            these[0].name = format!("{name} ({number})");
            number += 1;
        }
    }
}

/// A count that several studies have, with its row in each of them.
type Group<'a> = Vec<(&'a NamedStudy, &'a Timing)>;

/// Returns the counts that at least two studies have, or of a single study all, in the order of the first study.
///
/// If every study has one kernel for each engine, counts are the same whatever their kernels: the best ones of the
/// machines.
fn side_by_side(studies: &[NamedStudy]) -> Vec<Group<'_>> {
    let one_kernel = studies.iter().all(|NamedStudy { study, .. }| {
        let mut kernels = HashMap::new();
        study.rows.iter().all(|row| *kernels.entry(&row.engine).or_insert(&row.kernel) == &row.kernel)
    });
    let count = |row: &Timing| {
        let kernel = if one_kernel { String::new() } else { row.kernel.clone() };
        (row.board, row.engine.clone(), kernel, row.threads)
    };
    let mut places = HashMap::new();
    let mut groups: Vec<Group<'_>> = Vec::new();
    for named in studies {
        let mut seen = HashSet::new();
        for row in &named.study.rows {
            let place = *places.entry(count(row)).or_insert(groups.len());
            if place == groups.len() {
                groups.push(Vec::new());
            }
            // A repeated row of a study is ignored.
            if seen.insert(place) {
                groups[place].push((named, row));
            }
        }
    }
    let least = studies.len().min(2);
    groups.retain(|rows| rows.len() >= least);
    groups
}

/// The counts that studies have in common, and the view of all studies joined.
struct Comparison<'a> {
    groups: Vec<Group<'a>>,
    view: View<'a>,
}

impl<'a> Comparison<'a> {
    fn write(&self, form: Form, out: &mut dyn Write) -> io::Result<()> {
        match form {
            Form::Rows(format) if self.view.studies.len() > 1 => {
                if self.view.by == Variable::Board && format != Format::Json {
                    return write_boards(&self.view, format, out);
                }
                write_table(format, SCHEMA, &self.rows(), out)?;
                if format == Format::Text {
                    write!(out, "{}", self.bars())?;
                }
                write_notes(&self.view, format, out)
            }
            Form::Html if self.view.studies.len() > 1 => html::write_comparison(&self.view, &self.rows(), out),
            _ => view::write(&self.view, form, out),
        }
    }

    /// Returns the speed of each study relative to the first one as bars.
    fn bars(&self) -> String {
        let mut text = String::new();
        for group in &self.groups {
            let (first, row) = group[0];
            let (threads, seconds) = (plural(row.threads, "thread"), row.seconds);
            let title = format!("{}, N = {}, {threads}: times as fast as {}", row.engine, row.board, first.name);
            let bar = |(named, row): &(&NamedStudy, &Timing)| Bar {
                label: named.name.clone(),
                value: seconds / row.seconds,
                ideal: None,
            };
            let bars: Vec<Bar> = group.iter().map(bar).collect();
            text += &["\n", &printable(&title), "\n", &chart::bars(&bars)].concat();
        }
        text
    }

    /// Returns a row for each study of each group.
    fn rows(&self) -> Vec<ComparisonRow<'a>> {
        let rows = |group: &Group<'a>| -> Vec<ComparisonRow<'a>> {
            let first = group[0].1.seconds;
            group.iter().map(|(named, row)| ComparisonRow::of(&named.name, &named.study, row, first)).collect()
        };
        self.groups.iter().flat_map(rows).collect()
    }
}
