//! `nqueens bench --compare`: studies of several machines, or of several versions on one, side by side.

use crate::Board;
use crate::app::assessment::contradiction;
use crate::app::bench::study::{Study, Timing};
use crate::app::bench::view::rows::ComparisonRow;
use crate::app::bench::view::shared::{self, Place, SharedCount};
use crate::app::bench::view::{self, Form, Variable, View, html, joined, write_notes, write_table};
use crate::app::bench::{Arguments, write};
use crate::app::failure::Failure;
use crate::app::output::Format;
use std::collections::{HashMap, HashSet};
use std::io::{self, Write};
use std::path::Path;

/// The name and version of the JSON document.
const SCHEMA: &str = "nqueens/bench-comparison/1";

/// A study and its names.
struct NamedStudy {
    /// The name of its CPU, with that of the file if several studies have this CPU.
    name: String,
    /// The name of its file, without the extension.
    file: String,
    study: Study,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { selection, printing, by, .. } = arguments;
    let outputs = arguments.open()?;
    let mut studies = arguments.compare.iter().map(|path| read(path)).collect::<Result<Vec<_>, _>>()?;
    name(&mut studies);
    for NamedStudy { study, .. } in &mut studies {
        study.rows.retain(|row| selection.has(row));
    }
    let (studies, empty): (Vec<_>, Vec<_>) = studies.into_iter().partition(|named| !named.study.rows.is_empty());
    let counts = shared_counts(&studies);
    // A table of boards shows counts of one study alone too.
    if counts.is_empty() && (*by == Variable::Threads || studies.is_empty()) {
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
    let counts = if named.len() > 1 { counts } else { Vec::new() };
    let view = View { study: &study, by: *by, peers: &peers, studies: &named, counts: &counts };
    for warning in view.warnings() {
        printing.warn(format_args!("{warning}"));
    }
    let files: Vec<&str> = studies.iter().map(|named| named.file.as_str()).collect();
    write(printing.format, outputs, |form, out| match named.len() {
        1 => view::write(&view, form, out),
        _ => write_comparison(&view, &files, form, out),
    })?;
    for (file, (_, Study { machine, program, date, .. })) in files.iter().zip(&named) {
        printing.remark(format_args!("{file}: {}; nqueens {}, {date}", machine.in_words(), program.version));
    }
    for NamedStudy { file, .. } in &empty {
        printing.remark(format_args!("{file}: it has no such count"));
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
    let file = path.file_stem().map_or(String::new(), |stem| stem.to_string_lossy().into_owned());
    Ok(NamedStudy { name: String::new(), file, study })
}

/// Gives each study a name that no other has: that of its CPU, with that of its file if another has the same CPU.
fn name(studies: &mut [NamedStudy]) {
    number_equal(studies, |study| &mut study.file);
    let cpus: Vec<String> = studies.iter().map(|named| named.study.machine.short_name()).collect();
    for (named, cpu) in studies.iter_mut().zip(&cpus) {
        let is_alone = cpus.iter().filter(|other| *other == cpu).count() == 1;
        named.name = if is_alone { cpu.clone() } else { format!("{cpu} ({})", named.file) };
    }
    number_equal(studies, |study| &mut study.name);
}

/// Appends numbers to equal names, such as those of files in different folders.
fn number_equal(studies: &mut [NamedStudy], name: impl Fn(&mut NamedStudy) -> &mut String) {
    let mut taken = HashSet::new();
    for study in studies {
        let name = name(study);
        let (plain, mut number) = (name.clone(), 2);
        while !taken.insert(name.clone()) {
            *name = format!("{plain} ({number})");
            number += 1;
        }
    }
}

/// Returns the counts that at least two studies have with the same number of threads, or of a single study all, in the
/// order of the first study.
///
/// If every study has one kernel for each engine, counts are the same whatever their kernels: the best ones of the
/// machines.
fn shared_counts(studies: &[NamedStudy]) -> Vec<SharedCount<'_>> {
    let one_kernel = studies.iter().all(|NamedStudy { study, .. }| {
        let mut kernels = HashMap::new();
        study.rows.iter().all(|row| *kernels.entry(&row.engine).or_insert(&row.kernel) == &row.kernel)
    });
    let name = |row: &Timing| {
        let kernel = if one_kernel { String::new() } else { format!(" {}", row.kernel) };
        format!("{}{kernel}, N = {}", row.engine, row.board)
    };
    let mut places = HashMap::new();
    let mut counts: Vec<SharedCount<'_>> = Vec::new();
    for (number, NamedStudy { study, .. }) in studies.iter().enumerate() {
        let mut seen = HashSet::new();
        for row in &study.rows {
            let name = name(row);
            let place = *places.entry(name.clone()).or_insert(counts.len());
            if place == counts.len() {
                counts.push(SharedCount { name, board: row.board, rows: Vec::new() });
            }
            // A repeated row of a study is ignored.
            if seen.insert((place, row.threads)) {
                counts[place].rows.push((number, row));
            }
        }
    }
    let least = studies.len().min(2);
    counts.retain(|count| !count.by_threads(least).is_empty());
    counts
}

/// Writes the comparison of several studies.
fn write_comparison(view: &View<'_>, files: &[&str], form: Form, out: &mut dyn Write) -> io::Result<()> {
    match form {
        Form::Rows(format) if view.by == Variable::Threads || format == Format::Json => {
            if format == Format::Text {
                shared::write_text(view, out)?;
            } else {
                write_table(format, SCHEMA, &rows(view, files), out)?;
            }
            write_notes(view, format, out)
        }
        Form::Html => html::write_comparison(view, &rows(view, files), out),
        _ => view::write(view, form, out),
    }
}

/// Returns a row for each study of each count.
fn rows<'a>(view: &View<'a>, files: &[&'a str]) -> Vec<ComparisonRow<'a>> {
    let of_group = |group: &Vec<Place<'a>>| -> Vec<ComparisonRow<'a>> {
        let first = group[0].1.seconds;
        let row = |&(study, row): &Place<'a>| {
            let (name, document) = view.studies[study];
            ComparisonRow::of((name, files[study]), document, row, first)
        };
        group.iter().map(row).collect()
    };
    view.counts.iter().flat_map(|count| count.by_threads(2)).flat_map(|group| of_group(&group)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::bench::study::tests::study;
    use proptest::prelude::*;

    fn named(studies: &[(&str, &str)]) -> Vec<String> {
        let study = |(cpu, file): &(&str, &str)| {
            let mut study = study();
            study.machine.cpu = (*cpu).to_owned();
            NamedStudy { name: String::new(), file: (*file).to_owned(), study }
        };
        let mut studies: Vec<NamedStudy> = studies.iter().map(study).collect();
        name(&mut studies);
        studies.into_iter().map(|study| study.name).collect()
    }

    #[test]
    fn studies_are_called_by_their_cpu_and_if_need_be_by_their_file() {
        assert_eq!(named(&[("A(R) CPU", "x"), ("B", "y")]), ["A", "B"]);
        assert_eq!(named(&[("A", "old"), ("B", "b"), ("A", "new")]), ["A (old)", "B", "A (new)"]);
        assert_eq!(named(&[("A", "s"), ("A", "s")]), ["A (s)", "A (s (2))"]);
        assert_eq!(named(&[("A", "s")]), ["A"]);
    }

    proptest! {
        #[test]
        fn every_name_is_another(studies in proptest::collection::vec(("[AB]|A \\(x\\)", "[xy]|x \\(2\\)"), 1..6)) {
            let studies: Vec<(&str, &str)> = studies.iter().map(|(cpu, file)| (&**cpu, &**file)).collect();
            let names = named(&studies);
            prop_assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len(), "{:?}", names);
        }
    }
}
