//! `nqueens compare`: studies or scores of several machines, or of several versions on one, side by side.

use crate::app::assessment::contradiction;
use crate::app::bench::options::{open, repeated, write};
use crate::app::bench::read;
use crate::app::bench::study::Study;
use crate::app::bench::view::{self, Form, NamedStudy, shared_counts};
use crate::app::failure::{Failure, shortened};
use crate::app::machine::short_name;
use crate::app::messages::warn;
use crate::app::options::OutputOptions;
use crate::app::output::printable;
use nqueens::Board;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The most characters at the beginning of a name, and at its end. Only one that is made to be long has more.
const MOST: usize = 30;

/// Show measurements of several machines or versions side by side
///
/// Every count that two studies have is compared with the first study that has it, and every score with the first one.
/// If a study has several kernels for an engine, only counts with the same kernel are compared; else those of the best
/// kernel of each machine. The geometric mean of a study is over the counts that all have. A single file is shown as it
/// was measured.
///
/// Studies are called by their CPU, and those with the same CPU by their file too, or its folder. The name of many
/// CPUs, such as AMD EPYC, is followed by the family, model and stepping: AMD EPYC 26-2-1.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens compare old.json new.json
  nqueens compare results/scores.csv laptop=score.json --output scores.svg
  nqueens compare old.json new.json --output page.html")]
#[command(mut_arg("output", repeated))]
pub(crate) struct Arguments {
    /// The files that `nqueens bench --output` wrote as JSON, or scores as CSV, each with its own name if it is given
    #[arg(value_name = "[NAME=]FILE", required = true, value_hint = clap::ValueHint::FilePath)]
    files: Vec<PathBuf>,

    #[command(flatten)]
    destination: OutputOptions<Form>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { files, destination } = arguments;
    let (names, files): (Vec<_>, Vec<_>) = files.iter().map(|word| named_file(word)).unzip();
    let outputs = open(destination, &files)?;
    let is_named = names[0].is_some();
    let (mut studies, mut bases, mut paths) = (Vec::new(), Vec::new(), Vec::new());
    for (name, file) in names.into_iter().zip(files) {
        for study in read(&file)? {
            let base = name.clone().unwrap_or_else(|| short_name(&study.machine.cpu));
            bases.push(shortened(&printable(&base), MOST));
            paths.push(file.clone());
            studies.push(study);
        }
    }
    let scores = studies.iter().filter(|study| study.score.is_some()).count();
    if scores > 0 && scores < studies.len() {
        let right = "give files of `nqueens bench`, or files of `nqueens bench --study`, but not both";
        return Err(Failure::Usage(format!("scores do not compare with studies; {right}")));
    }
    // A study alone needs no name.
    let has_names = is_named || studies.len() > 1;
    let name = |place| if has_names { name(&bases, &paths, place) } else { String::new() };
    let called = |(place, study)| NamedStudy { name: name(place), study };
    let shown: Vec<NamedStudy> = studies.into_iter().enumerate().map(called).collect();
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

/// Returns the name and the file of a word `NAME=FILE`. A file whose name has a `=` is a file.
fn named_file(word: &Path) -> (Option<String>, PathBuf) {
    let named = word.to_str().filter(|_| !word.exists()).and_then(|word| word.split_once('='));
    match named.filter(|(name, _)| !name.trim().is_empty()) {
        Some((name, file)) => (Some(name.trim().to_owned()), file.into()),
        None => (None, word.to_owned()),
    }
}

/// Prints what makes the numbers doubtful.
fn warn_of(studies: &[NamedStudy]) {
    let versions: BTreeSet<&str> = studies.iter().map(|named| named.study.program.version.as_str()).collect();
    if versions.len() > 1 {
        let of_study = |NamedStudy { name, study }: &NamedStudy| format!("{name} {}", study.program.version);
        let versions: Vec<String> = studies.iter().map(of_study).collect();
        warn(format_args!(
            "the versions of nqueens differ, and a difference may be theirs, not the machines': {}",
            versions.join(", ")
        ));
    }
    for named in studies {
        let date = named.study.date.split('T').next().unwrap_or_default();
        let warnings = named.study.warnings().iter();
        warnings.for_each(|warning| warn(format_args!("{}measured on {date}: {warning}", named.prefix())));
    }
}

/// Reads the studies of a file and checks their totals against the published ones.
fn read(path: &Path) -> Result<Vec<Study>, Failure> {
    let shown = path.display();
    let studies = read::read(path).map_err(|reason| {
        let right = "give files that `nqueens bench --output` wrote, as JSON or CSV";
        Failure::Usage(format!("'{shown}' is not a study: {reason}; {right}"))
    })?;
    for row in studies.iter().flat_map(|study| &study.rows) {
        let count = Board::new(row.board).ok().zip(row.total.parse().ok());
        if let Some(wrong) = count.and_then(|(board, total)| contradiction(board, total)) {
            return Err(Failure::Failed(format!("'{shown}': {wrong}")));
        }
    }
    Ok(studies)
}

/// Returns the name of the study at a place: that of its CPU or its own; if others have the same, before it that of its
/// file, of its folder, or as much of its path as tells it apart; and if that is the same too, its place.
fn name(names: &[String], files: &[PathBuf], place: usize) -> String {
    let called = |place: usize, &(skipped, parts): &(usize, usize)| {
        let path = files[place].with_extension("");
        let all: Vec<_> = path.components().rev().map(|part| part.as_os_str().to_string_lossy()).collect();
        let parts: Vec<_> = all.iter().skip(skipped).take(parts).rev().map(|part| &**part).collect();
        if parts.is_empty() {
            names[place].clone()
        } else {
            format!("{} ({})", shortened(&parts.join("/"), MOST), names[place])
        }
    };
    let is_alone = |parts: &(usize, usize)| {
        let others = (0..names.len()).filter(|other| *other != place);
        others.map(|other| called(other, parts)).all(|other| other != called(place, parts))
    };
    let form = [(0, 0), (0, 1), (1, 1), (0, 2), (0, 3)].into_iter().find(is_alone);
    form.map_or_else(|| format!("{} ({})", place + 1, names[place]), |form| called(place, &form))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::bench::study::tests::{scored, study};
    use crate::app::fuzz::{at, damage, fuzz, one_of};
    use crate::app::output::Format;
    use crate::app::output::printable::tests::is_harmless;
    use clap::ValueEnum;
    use nqueens::random::SplitMix64;
    use serde_json::{Value, json};

    /// Texts that would be markup, an attribute, a formula, a row of a table, an escape or the end of a script, and
    /// numbers at the edges.
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
            // A text becomes a text, as a rule, so that the document is still a study.
            value => {
                let was_text = value.is_string();
                *value = absurd(random);
                if was_text && !value.is_string() && random.below(4) > 0 {
                    *value = json!("<owned>");
                }
            }
        }
    }

    /// Returns the elements of a document of XML or HTML, each without the values of its attributes.
    ///
    /// # Panics
    /// If `is_xml`, and an element or a reference is not well formed.
    fn elements(document: &str, is_xml: bool) -> Vec<String> {
        let (mut elements, mut open) = (Vec::new(), Vec::new());
        for part in document.split('<').skip(1) {
            let mut quoted = false;
            let end = part.find(|c: char| {
                quoted ^= c == '"';
                c == '>' && !quoted
            });
            let (element, text) = part.split_at(end.expect("an element ends"));
            let element: String = element.split('"').step_by(2).collect();
            if is_xml {
                assert!(!element.contains(['&', '\'']) && !element.starts_with(['!', '?']), "{element}");
                let references = part.split('&').skip(1);
                for reference in references {
                    assert!(["lt;", "gt;", "amp;", "quot;"].iter().any(|known| reference.starts_with(known)), "{text}");
                }
                match element.strip_prefix('/') {
                    Some(name) => assert_eq!(open.pop().as_deref(), Some(name), "{document}"),
                    None if element.ends_with('/') => {}
                    None => open.push(element.split_whitespace().next().unwrap().to_owned()),
                }
            }
            elements.push(element);
        }
        assert!(open.is_empty(), "{open:?} are not closed");
        elements
    }

    /// Returns what a view of studies must not be.
    fn judge(form: Form, text: &str) {
        assert!(is_harmless(text), "{form:?}: {text:?}");
        let is_marked_up = |text: &str| text.replace("\\<", "").contains("<owned");
        match form {
            Form::Svg | Form::Html => {
                let is_xml = form == Form::Svg;
                let elements = elements(text, is_xml);
                assert!(elements.iter().all(|element| !element.contains("owned")), "{form:?}: {text}");
                let numbers = text.split('"').skip(1).step_by(2).filter(|_| is_xml);
                numbers.for_each(|number| assert!(!["NaN", "inf"].iter().any(|nan| number.contains(nan)), "{text}"));
            }
            Form::Rows(Format::Csv) => {
                let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
                for record in reader.records() {
                    let starts = |cell: &str| cell.starts_with(['=', '+', '@']);
                    assert!(!record.unwrap().iter().any(starts), "{text}");
                }
            }
            Form::Rows(Format::Json) => drop(serde_json::from_str::<Value>(text).expect("it is JSON")),
            Form::Rows(Format::Markdown) => assert!(!is_marked_up(text), "{text}"),
            Form::Rows(_) => {}
        }
        let is_nan = |word: &str| ["NaN", "inf", "-inf"].contains(&word);
        assert!(form == Form::Html || !text.split([' ', '\n', ',', '|', '"']).any(is_nan), "{form:?}: {text}");
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
                    Ok(read) => {
                        let named = |study: Study| NamedStudy {
                            name: format!("{} ({name})", short_name(&study.machine.cpu)),
                            study,
                        };
                        studies.extend(read.into_iter().map(named));
                    }
                    Err(Failure::Usage(_) | Failure::Failed(_)) => {}
                    Err(other) => panic!("{other:?}"),
                }
            }
            let scores = studies.iter().filter(|named| named.study.score.is_some()).count();
            let is_comparable =
                scores == studies.len() || scores == 0 && (studies.len() == 1 || !shared_counts(&studies).is_empty());
            if studies.is_empty() || !is_comparable {
                return;
            }
            shown.set(shown.get() + 1);
            for &form in Form::value_variants() {
                let mut text = Vec::new();
                view::write(&studies, form, &mut text).unwrap();
                judge(form, &String::from_utf8(text).unwrap());
            }
        });
        assert!(shown.get() > 100, "{} of the studies were shown", shown.get());
    }

    fn named(studies: &[(&str, &str)]) -> Vec<String> {
        let cpus: Vec<String> = studies.iter().map(|(cpu, _)| (*cpu).to_owned()).collect();
        let files: Vec<PathBuf> = studies.iter().map(|(_, file)| PathBuf::from(file)).collect();
        (0..studies.len()).map(|place| name(&cpus, &files, place)).collect()
    }

    #[test]
    fn studies_are_called_by_their_cpu_and_if_need_be_by_their_file_or_its_folder() {
        assert_eq!(named(&[("A", "x.json"), ("B", "y.json")]), ["A", "B"]);
        assert_eq!(named(&[("A", "old.json"), ("B", "b"), ("A", "new.json")]), ["old (A)", "B", "new (A)"]);
        assert_eq!(named(&[("A", "r/1/s.json"), ("A", "r/2/s.json")]), ["1 (A)", "2 (A)"]);
        assert_eq!(named(&[("A", "r/s.json"), ("A", "r/t/s.json")]), ["r (A)", "t (A)"]);
        assert_eq!(named(&[("A", "a/r/s.json"), ("A", "b/r/s.json")]), ["a/r/s (A)", "b/r/s (A)"]);
        assert_eq!(named(&[("A", "s.json"), ("A", "s.json")]), ["1 (A)", "2 (A)"]);
    }
}
