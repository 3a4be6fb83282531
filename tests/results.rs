//! What is derived from the measurements in `results/` is what the program makes of them, and `refresh-results.sh` notices
//! what is not.
#![cfg(all(feature = "cli", unix))]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const TOP: &str = env!("CARGO_MANIFEST_DIR");

fn refresh(top: &Path, arguments: &[&str]) -> Output {
    Command::new("bash")
        .arg(top.join("scripts/refresh-results.sh"))
        .args(arguments)
        .env("NQUEENS_PROGRAM", env!("CARGO_BIN_EXE_nqueens"))
        .env("NQUEENS_KERNEL", "scalar")
        .output()
        .expect("bash is installed")
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

/// A copy of what the script looks at.
fn copied() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for folder in ["results", "scripts", "docs", "benches"] {
        copy(&Path::new(TOP).join(folder), &dir.path().join(folder));
    }
    for file in fs::read_dir(TOP).unwrap().map(|entry| entry.unwrap().path()) {
        if file.extension().is_some_and(|extension| extension == "md") {
            fs::copy(&file, dir.path().join(file.file_name().unwrap())).unwrap();
        }
    }
    dir
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn nothing_derived_is_stale() {
    let output = refresh(Path::new(TOP), &["--check"]);
    let told = stdout(&output) + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
}

#[test]
fn what_is_stale_is_named_and_mended() {
    let dir = copied();
    let readme = dir.path().join("README.md");
    let right = fs::read_to_string(&readme).unwrap();
    // The count of a row of the table.
    let wrong = right.replacen("| 14,772,512 |", "| 14,772,513 |", 1);
    assert_ne!(wrong, right, "the README has its table");
    fs::write(&readme, wrong).unwrap();
    let pictures = pictures(&dir.path().join("results"));
    fs::write(&pictures[0], "<svg/>").unwrap();
    let orphan = dir.path().join("results/orphan.svg");
    fs::write(&orphan, "<svg/>").unwrap();

    let output = refresh(dir.path(), &["--check"]);
    assert_eq!(output.status.code(), Some(1));
    let picture = pictures[0].strip_prefix(dir.path()).unwrap().display().to_string();
    for named in ["README.md is stale", &format!("{picture} is stale"), "results/orphan.svg is made by no command"] {
        assert!(stdout(&output).contains(named), "{named}: {}", stdout(&output));
    }
    fs::remove_file(orphan).unwrap();
    let output = refresh(dir.path(), &[]);
    assert_eq!((output.status.code(), stdout(&output)), (Some(0), format!("README.md\n{picture}\n")));
    assert_eq!(fs::read_to_string(&readme).unwrap(), right);
    assert!(refresh(dir.path(), &["--check"]).status.success());
    fs::write(dir.path().join("results/orphan.svg"), "<svg/>").unwrap();
    assert_eq!(
        refresh(dir.path(), &[]).status.code(),
        Some(1),
        "a picture that no command makes is a fault in either case"
    );
}

fn pictures(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut pictures = Vec::new();
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            pictures.extend(self::pictures(&path));
        } else if path.extension().is_some_and(|extension| extension == "svg") {
            pictures.push(path);
        }
    }
    pictures.sort();
    pictures
}

#[test]
fn a_block_that_cannot_be_made_is_an_error() {
    let dir = copied();
    let notes = dir.path().join("notes.md");
    for (block, error) in [
        ("<!-- nqueens bench --compare missing.json -->\n<!-- end -->\n", "this command failed"),
        ("<!-- bash elsewhere.sh -->\n<!-- end -->\n", "this command failed"),
        ("<!-- bash scripts/reproduce-table.sh 4 -->\n", "a block has no line '<!-- end -->'"),
    ] {
        fs::write(&notes, block).unwrap();
        let output = refresh(dir.path(), &["--check"]);
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && stderr.contains(error) && stderr.contains("notes.md"), "{block}: {stderr}");
    }
    assert_eq!(refresh(dir.path(), &["--chek"]).status.code(), Some(2));
}
