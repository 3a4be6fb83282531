//! `nqueens compare`: studies or scores of several machines, or of several versions on one, side by side.

use crate::app::bench::study::{SCHEMA, Study, summarize};
use crate::app::bench::tables::{self, shared_counts};
use crate::app::failure::{Failure, refused, shortened};
use crate::app::messages::warn;
use crate::app::options::OutputOptions;
use crate::app::output::file::NamedPath;
use crate::app::output::printable;
use crate::app::{assessment, text};
use nqueens::Board;
use serde_json::Value;
use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

/// A long name keeps this many characters at its beginning, and about as many at its end, so that a table fits a
/// terminal.
const MOST_CHARACTERS: usize = 11;

/// The largest file that is read, in bytes.
const MOST_BYTES: u64 = 8 << 20;
/// More threads than any machine has.
const MOST_THREADS: f64 = 1_048_576.0;

/// Show measurements of several machines or versions side by side
///
/// Every count that two studies have is compared with the first study that has it, and every score with the first one.
/// If a study has several kernels for an engine, only counts with the same kernel are compared; else those of the best
/// kernel of each machine. The geometric mean of a study is over the counts that all have. A single file is shown as it
/// was measured.
///
/// Studies are called by their files, or by their folders if files have the same name.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens compare old.json new.json
  nqueens compare server.json laptop.json
  nqueens compare old.json new.json --output both.csv")]
pub(crate) struct Arguments {
    /// The files that `nqueens bench --output` wrote as JSON
    #[arg(value_name = "FILE", required = true, value_hint = clap::ValueHint::FilePath)]
    files: Vec<PathBuf>,

    #[command(flatten)]
    printing: OutputOptions,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let files = &arguments.files;
    let inputs: Vec<NamedPath<'_>> = files.iter().map(|file| (file.as_path(), "the study")).collect();
    let output = arguments.printing.open(&inputs)?;
    let mut studies = files.iter().map(|file| read(file)).collect::<Result<Vec<_>, _>>()?;
    let scores = studies.iter().filter(|study| study.score.is_some()).count();
    if scores > 0 && scores < studies.len() {
        let right = "give files of `nqueens bench`, or files of `nqueens bench --study`, but not both";
        return refused(format!("scores do not compare with studies; {right}"));
    }
    if studies.len() > 1 && scores == 0 && shared_counts(&studies).is_empty() {
        return refused("these studies have no count in common; measure the same boards and threads");
    }
    // A study alone needs no name.
    if studies.len() > 1 {
        studies.iter_mut().zip(names(files)).for_each(|(study, name)| study.name = name);
    }
    tables::write(&studies, arguments.printing.format(), output)?;
    for study in &studies {
        let date = study.date.split('T').next().unwrap_or_default();
        let warnings = study.warnings().iter();
        warnings.for_each(|warning| warn(format_args!("{}measured on {date}: {warning}", study.prefix())));
        arguments.printing.remark(format_args!("{}{}", study.prefix(), study.source()));
    }
    Ok(())
}

/// Reads the study in a file, computes its statistics again from its times, and checks its totals against the published
/// ones.
///
/// # Errors
/// If the file is no study, if it has numbers that no study can have, or if a total is wrong.
fn read(path: &Path) -> Result<Study, Failure> {
    let shown = path.display();
    let studied = document(path).and_then(|study| check_numbers(&study).map(|()| study));
    let mut study = studied.map_err(|reason| {
        let right = "give files that `nqueens bench --output` wrote as JSON";
        Failure::Usage(format!("'{shown}' is not a study: {reason}; {right}"))
    })?;
    for row in &study.rows {
        let count = Board::new(row.board).ok().zip(row.total.parse().ok());
        if let Some(wrong) = count.and_then(|(board, total)| assessment::contradiction(board, total)) {
            return Err(Failure::Failed(format!("'{shown}': {wrong}")));
        }
    }
    summarize(&mut study.rows, &study.machine);
    Ok(study)
}

fn document(path: &Path) -> Result<Study, String> {
    // A pipe or a device may never begin or end.
    let metadata = path.metadata().map_err(|error| error.to_string())?;
    if !metadata.is_file() || metadata.len() > MOST_BYTES {
        return Err(format!("it is not a regular file of at most {MOST_BYTES} bytes"));
    }
    let bytes = fs::read(path).map_err(|error| error.to_string())?;
    let document: Value = serde_json::from_str(&text::text(&bytes)).map_err(|error| error.to_string())?;
    if document["schema"] != SCHEMA {
        return Err(format!("its schema is {}, not \"{SCHEMA}\"", document["schema"]));
    }
    serde_json::from_value(document).map_err(|error| error.to_string())
}

/// Refuses a study with numbers that no study can have, because its statistics could not be computed.
fn check_numbers(study: &Study) -> Result<(), String> {
    let check = |name: &str, number: f64, range: RangeInclusive<f64>| {
        let (least, most) = range.clone().into_inner();
        let message = || format!("{name} is {number:?}, and must be from {least:?} to {most:?}");
        range.contains(&number).then_some(()).ok_or_else(message)
    };
    if study.rows.is_empty() || study.rows.iter().any(|row| row.times.is_empty()) {
        return Err("it has no times, or a row has none".to_owned());
    }
    check("cpu_quota", study.machine.cpu_quota.unwrap_or(1.0), 1e-3..=MOST_THREADS)?;
    for row in &study.rows {
        Board::new(row.board).map_err(|error| error.to_string())?;
        row.total.parse::<u128>().map_err(|_| format!("a total is not a number: N = {}", row.board))?;
        check("threads", row.threads as f64, 1.0..=MOST_THREADS)?;
        check("cpu_seconds", row.cpu_seconds.unwrap_or(0.0), 0.0..=1e18)?;
        // The range goes from the resolution of a clock to 32 years.
        row.times.iter().try_for_each(|&seconds| check("times", seconds, 1e-9..=1e9))?;
    }
    if let Some(score) = &study.score {
        check("threads", score.threads as f64, 1.0..=MOST_THREADS)?;
        check("error", score.error, 0.0..=1e18)?;
        check("solutions_per_second", score.solutions_per_second, 1.0..=1e30)?;
        check("one_thread", score.one_thread, 1.0..=1e30)?;
    }
    Ok(())
}

/// Returns a different name for each study: the name of its file or, if two of these are the same, of its folder. If
/// two of those are the same too, returns the names of the files with numbers.
fn names(files: &[PathBuf]) -> Vec<String> {
    let called = |part: fn(&Path) -> Option<&OsStr>| {
        let name = |file: &PathBuf| {
            let part = part(file).or(file.file_stem()).unwrap_or_default().to_string_lossy();
            shortened(&printable(&part), MOST_CHARACTERS)
        };
        files.iter().map(name).collect::<Vec<String>>()
    };
    let are_different = |names: &Vec<String>| names.iter().collect::<HashSet<_>>().len() == names.len();
    let by_file = called(Path::file_stem);
    let by_folder = called(|file| file.parent()?.file_name());
    let numbered = by_file.iter().enumerate().map(|(place, name)| format!("{} {name}", place + 1)).collect();
    [by_file, by_folder].into_iter().find(are_different).unwrap_or(numbered)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::bench::study::tests::{scored, study};
    use crate::app::fuzz::{at, damage, fuzz, one_of};
    use crate::app::output::printable::tests::is_harmless;
    use crate::app::rows::Format;
    use clap::ValueEnum;
    use nqueens::random::SplitMix64;
    use serde_json::json;

    /// Returns an absurd value: a text that would be markup, an attribute, a formula, a row of a table, an escape or
    /// the end of a script, or a number at an edge.
    fn absurd(random: &mut SplitMix64) -> Value {
        let values = [
            json!("<owned a='1'>\" owned=\"1\" ' owned='1"),
            json!("</script><owned></style>--><owned>]]><!--"),
            json!("=owned()"),
            json!("+owned | owned \n| owned\r\n\n# `owned` [owned](owned)"),
            json!("&lt;owned&gt;&#60;owned&#62;&owned;"),
            json!("\u{1b}]0;owned\u{7}\u{9b}31m\u{202e}\u{2028}\u{0}\u{7f}\u{ffff}"),
            json!("x".repeat(2000)),
            json!(""),
            json!(0),
            json!(-1),
            json!(1),
            json!(1e308),
            json!(5e-324),
            json!(-0.0),
            json!(u64::MAX),
            json!(i64::MIN),
            json!([]),
            json!([1e-9, 1e9, 1e9]),
            json!(null),
            json!(true),
            json!({"owned": "<owned>"}),
        ];
        one_of(random, &values).clone()
    }

    /// Changes, removes or repeats a value somewhere in a document.
    fn mutate(random: &mut SplitMix64, value: &mut Value) {
        match value {
            Value::Array(items) if !items.is_empty() && random.below(8) > 0 => {
                let place = at(random, items.len());
                match random.below(16) {
                    0 => drop(items.remove(place)),
                    1 => items.extend_from_within(place..=place),
                    _ => mutate(random, &mut items[place]),
                }
            }
            Value::Object(members) if !members.is_empty() && random.below(8) > 0 => {
                let names: Vec<String> = members.keys().cloned().collect();
                let name = one_of(random, &names);
                if random.below(32) == 0 {
                    members.remove(name);
                } else {
                    mutate(random, &mut members[name]);
                }
            }
            // A text usually becomes a text, so that the document is still a study.
            value => {
                let was_text = value.is_string();
                *value = absurd(random);
                if was_text && !value.is_string() && random.below(4) > 0 {
                    *value = json!("<owned>");
                }
            }
        }
    }

    /// Asserts that a view of studies is harmless and well formed, and has no NaN.
    fn judge(format: Format, text: &str) {
        assert!(is_harmless(text), "{format:?}: {text:?}");
        if format == Format::Csv {
            let mut reader = ::csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
            for record in reader.records() {
                let starts = |cell: &str| cell.starts_with(['=', '+', '@']);
                assert!(!record.unwrap().iter().any(starts), "{text}");
            }
        }
        if format == Format::Json {
            serde_json::from_str::<Value>(text).expect("it is JSON");
        }
        let is_nan = |word: &str| ["NaN", "inf", "-inf"].contains(&word);
        assert!(!text.split([' ', '\n', ',', '|', '"']).any(is_nan), "{format:?}: {text}");
    }

    #[test]
    fn fuzz_studies_and_scores() {
        let folder = tempfile::tempdir().unwrap();
        let documents = [study(), scored()].map(|study| serde_json::to_value(study).unwrap());
        let shown = std::cell::Cell::new(0);
        fuzz(1000, |random| {
            let document = one_of(random, &documents);
            let mut studies = Vec::new();
            for name in ["a.json", "b.json"].into_iter().take(1 + at(random, 2)) {
                let mut document = document.clone();
                for _ in 0..random.below(6) {
                    mutate(random, &mut document);
                }
                let mut bytes = document.to_string().into_bytes();
                if random.below(10) == 0 {
                    damage(random, &mut bytes);
                }
                let path = folder.path().join(name);
                std::fs::write(&path, bytes).unwrap();
                match read(&path) {
                    Ok(study) => studies.push(Study { name: study.machine.cpu.clone() + name, ..study }),
                    Err(Failure::Usage(_) | Failure::Failed(_)) => {}
                    Err(other) => panic!("{other:?}"),
                }
            }
            let scores = studies.iter().filter(|study| study.score.is_some()).count();
            let is_comparable =
                scores == studies.len() || scores == 0 && (studies.len() == 1 || !shared_counts(&studies).is_empty());
            if studies.is_empty() || !is_comparable {
                return;
            }
            shown.set(shown.get() + 1);
            for &format in Format::value_variants() {
                let mut text = Vec::new();
                tables::write(&studies, format, &mut text).unwrap();
                judge(format, &String::from_utf8(text).unwrap());
            }
        });
        assert!(shown.get() > 100, "{} of the studies were shown", shown.get());
    }

    #[test]
    fn studies_are_called_by_their_file_or_its_folder_or_have_numbers() {
        let named = |files: &[&str]| names(&files.iter().map(PathBuf::from).collect::<Vec<_>>());
        assert_eq!(named(&["r/old.json", "r/new.json"]), ["old", "new"]);
        assert_eq!(named(&["r/1/s.json", "r/2/s.json"]), ["1", "2"]);
        assert_eq!(named(&["s.json", "r/s.json"]), ["s", "r"]);
        assert_eq!(named(&["a/r/s.json", "b/r/s.json"]), ["1 s", "2 s"]);
    }

    #[test]
    fn a_study_that_was_written_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("study.json");
        let written = scored();
        fs::write(&path, serde_json::to_string(&written).unwrap()).unwrap();
        // The last digit of a float may differ.
        assert_eq!(format!("{:.6?}", read(&path).unwrap()), format!("{written:.6?}"));
    }
}
