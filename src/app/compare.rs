//! `nqueens compare`: studies or scores of several machines, or of several versions on one, side by side.

use crate::app::assessment::contradiction;
use crate::app::bench::options::{Destination, warn, write};
use crate::app::bench::study::Study;
use crate::app::bench::view::{self, Named, shared_counts};
use crate::app::failure::Failure;
use nqueens::Board;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Show measurements of several machines or versions side by side
///
/// Every count that two studies have is compared with the first study that has it, and every score with the first one.
/// If a study has several kernels for an engine, only counts with the same kernel are compared; else those of the best
/// kernel of each machine. A single file is shown as it was measured. Studies are called by their CPU, and those with
/// the same CPU by their file too, or its folder.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens compare old.json new.json
  nqueens compare a/score.json b/score.json --output scores.svg
  nqueens compare old.json new.json --output page.html")]
pub(crate) struct Arguments {
    /// The files that `nqueens bench --output FILE.json` wrote
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    #[command(flatten)]
    destination: Destination,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { files, destination } = arguments;
    let outputs = destination.open(files)?;
    let studies = files.iter().map(|file| read(file)).collect::<Result<Vec<_>, _>>()?;
    let scores = studies.iter().filter(|study| study.score.is_some()).count();
    if scores > 0 && scores < studies.len() {
        let right = "give files of `nqueens bench`, or files of `nqueens bench --study`, but not both";
        return Err(Failure::Usage(format!("scores do not compare with studies; {right}")));
    }
    let cpus: Vec<String> = studies.iter().map(|study| study.machine.short_name()).collect();
    let name = |place| if studies.len() > 1 { name(&cpus, files, place) } else { String::new() };
    let names: Vec<String> = (0..studies.len()).map(name).collect();
    let shown: Vec<Named> = names.into_iter().zip(studies).map(|(name, study)| Named { name, study }).collect();
    if shown.len() > 1 && scores == 0 && shared_counts(&shown).is_empty() {
        let right = "measure the same boards and threads";
        return Err(Failure::Usage(format!("these studies have no count in common; {right}")));
    }
    write(outputs, |form, out| view::write(&shown, form, out))?;
    warn_of(&shown);
    for named in &shown {
        destination.remark(format_args!("{}{}", named.prefix(), named.study.source()));
    }
    Ok(())
}

/// Prints what makes the numbers doubtful.
fn warn_of(studies: &[Named]) {
    let versions: BTreeSet<&str> = studies.iter().map(|named| named.study.program.version.as_str()).collect();
    if versions.len() > 1 {
        let of_study = |Named { name, study }: &Named| format!("{name} {}", study.program.version);
        let versions: Vec<String> = studies.iter().map(of_study).collect();
        warn(format_args!(
            "the versions of nqueens differ, and a difference may be theirs, not the machines': {}",
            versions.join(", ")
        ));
    }
    for named in studies {
        let warnings = named.study.warnings().iter();
        warnings.for_each(|warning| warn(format_args!("{}{warning}", named.prefix())));
    }
}

/// Reads a study and checks its totals against the published ones.
fn read(path: &Path) -> Result<Study, Failure> {
    let shown = path.display();
    let study = Study::read(path).map_err(|reason| {
        let right = "give files that `nqueens bench --output FILE.json` wrote";
        Failure::Usage(format!("'{shown}' is not a study: {reason}; {right}"))
    })?;
    for row in &study.rows {
        let count = Board::new(row.board).ok().zip(row.total.parse().ok());
        if let Some(wrong) = count.and_then(|(board, total)| contradiction(board, total)) {
            return Err(Failure::Failed(format!("'{shown}': {wrong}")));
        }
    }
    Ok(study)
}

/// Returns the name of the study at a place: that of its CPU; if others have the same, also that of its file, or as much of
/// its path as tells it apart; and if that is the same too, its place.
fn name(cpus: &[String], files: &[PathBuf], place: usize) -> String {
    let called = |place: usize, parts: usize| {
        let path = files[place].with_extension("");
        let all: Vec<_> = path.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
        let end = all[all.len().saturating_sub(parts)..].join("/");
        if parts == 0 { cpus[place].clone() } else { format!("{} ({end})", cpus[place]) }
    };
    let is_alone = |parts: &usize| {
        let others = (0..cpus.len()).filter(|other| *other != place);
        others.map(|other| called(other, *parts)).all(|other| other != called(place, *parts))
    };
    (0..4).find(is_alone).map_or_else(|| format!("{} ({})", cpus[place], place + 1), |parts| called(place, parts))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(studies: &[(&str, &str)]) -> Vec<String> {
        let cpus: Vec<String> = studies.iter().map(|(cpu, _)| (*cpu).to_owned()).collect();
        let files: Vec<PathBuf> = studies.iter().map(|(_, file)| PathBuf::from(file)).collect();
        (0..studies.len()).map(|place| name(&cpus, &files, place)).collect()
    }

    #[test]
    fn studies_are_called_by_their_cpu_and_if_need_be_by_their_file_or_its_folder() {
        assert_eq!(named(&[("A", "x.json"), ("B", "y.json")]), ["A", "B"]);
        assert_eq!(named(&[("A", "old.json"), ("B", "b"), ("A", "new.json")]), ["A (old)", "B", "A (new)"]);
        assert_eq!(named(&[("A", "r/1/s.json"), ("A", "r/2/s.json")]), ["A (1/s)", "A (2/s)"]);
        assert_eq!(named(&[("A", "s.json"), ("A", "s.json")]), ["A (1)", "A (2)"]);
    }
}
