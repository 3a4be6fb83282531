//! Checks that `scripts/refresh-results.py` generates tables and pictures from measurements, and reports those that are
//! out of date.

use crate::common;
use crate::common::needs::all_installed;
use crate::forge;
use crate::run::ended;
use std::fs;
use std::path::Path;

const TOP: &str = env!("CARGO_MANIFEST_DIR");

/// A page with a table and a picture that are generated from measurements.
const PAGE: &str = "The counts:

<!-- python3 scripts/results.py picture results/a.csv results/a.csv results/peers.csv --output results/a.svg -->
<!-- end -->

<!-- python3 scripts/results.py speed results/a.csv -->
<!-- end -->

The rest stays.
";

/// The measurements.
const MEASURED: &str = "program,threads,board,seconds,cpu_seconds,sampled,estimate
nqueens,1,16,0.5,0.5,,0.5
nqueens,1,17,2,2,,2
";

fn refresh(top: &Path, arguments: &[&str]) -> (i32, String, String) {
    let mut python = common::command("python3");
    ended(python.arg(top.join("scripts/refresh-results.py")).args(arguments).output().expect("Python starts"))
}

/// Creates a repository with the scripts, a measurement, and a page.
fn repository() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for folder in ["scripts", "results", "docs"] {
        fs::create_dir(dir.path().join(folder)).unwrap();
    }
    for script in ["refresh-results.py", "results.py"] {
        fs::copy(Path::new(TOP).join("scripts").join(script), dir.path().join("scripts").join(script)).unwrap();
    }
    fs::write(dir.path().join("results/a.csv"), MEASURED).unwrap();
    fs::copy(Path::new(TOP).join("results/peers.csv"), dir.path().join("results/peers.csv")).unwrap();
    fs::write(dir.path().join("docs/counts.md"), PAGE).unwrap();
    dir
}

#[test]
fn what_is_stale_is_named_and_mended() {
    if !all_installed(&["python3"]) {
        return;
    }
    let dir = repository();
    let at = |name: &str| dir.path().join(name);
    let read = |name: &str| fs::read_to_string(at(name)).unwrap();
    let both = "docs/counts.md\nresults/a.svg\n";
    assert_eq!(refresh(dir.path(), &[]), (0, both.to_owned(), String::new()));
    let right = read("docs/counts.md");
    assert!(
        right.contains("-->\n| N | this program |")
            && right.contains("\n| 16 | 500 ms |")
            && right.contains(" stays.\n"),
        "{right}"
    );
    assert!(read("results/a.svg").starts_with("<svg"));
    assert_eq!(refresh(dir.path(), &["--check"]).0, 0);

    fs::write(at("docs/counts.md"), right.replace("\n| 16 | 500 ms |", "\n| 16 | 501 ms |")).unwrap();
    fs::write(at("results/a.svg"), "<svg/>").unwrap();
    fs::write(at("results/orphan.svg"), "<svg/>").unwrap();
    let (code, said, _) = refresh(dir.path(), &["--check"]);
    assert_eq!(code, 1);
    for named in ["docs/counts.md is stale", "results/a.svg is stale", "results/orphan.svg is made by no command"] {
        assert!(said.contains(named), "{named}: {said}");
    }
    assert!(read("docs/counts.md").contains("\n| 16 | 501 ms |"), "--check changes nothing");
    // A picture that no command generates is an error in both modes.
    assert_eq!(refresh(dir.path(), &[]).0, 1);
    assert_eq!(read("docs/counts.md"), right);
    fs::remove_file(at("results/orphan.svg")).unwrap();
    assert_eq!(refresh(dir.path(), &["--check"]).0, 0);
}

#[test]
fn a_block_that_cannot_be_made_is_an_error() {
    if !all_installed(&["python3"]) {
        return;
    }
    let dir = repository();
    let notes = dir.path().join("notes.md");
    for (block, error) in [
        ("<!-- python3 scripts/results.py speed missing.csv -->\n<!-- end -->\n", "this command failed"),
        (
            "<!-- python3 scripts/results.py speed results/peers.csv -->\n<!-- end -->\n",
            "error: a file has no column 'cpu_seconds'",
        ),
        ("<!-- bash elsewhere.sh -->\n<!-- end -->\n", "this command failed"),
        ("<!-- python3 scripts/results.py speed results/a.csv -->\n", "a block has no line '<!-- end -->'"),
    ] {
        fs::write(&notes, block).unwrap();
        let (code, _, stderr) = refresh(dir.path(), &["--check"]);
        assert!(code != 0 && stderr.contains(error) && stderr.contains("notes.md"), "{block}: {stderr}");
    }
}

/// The archives are added up without the program that wrote them.
#[test]
fn an_archive_that_lacks_a_unit_is_no_record() {
    if !all_installed(&["python3"]) {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    for (units, code) in [(1, 0), (2, 1)] {
        let header = format!(r#"{{"board":4,"divisor":1,"units":{units}}}"#);
        let run = r#"{"run":{"begun":0,"kernel":"k"}}"#;
        let unit = r#"{"unit":{"unit":0,"partial":"2","cpu_seconds":1}}"#;
        fs::write(dir.path().join("4.jsonl.gz"), forge::gzip([&header, run, unit].join("\n"))).unwrap();
        let mut command = common::command("python3");
        command.arg(Path::new(TOP).join("scripts/results.py")).args(["records", "."]).current_dir(&dir);
        assert_eq!(command.output().unwrap().status.code(), Some(code));
    }
}
