//! Checks the requirements of tests that not every machine meets, and reports skipped tests.
#![allow(dead_code, reason = "not every test file needs all")]

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::sync::Mutex;

/// Returns true if all these programs are installed. `a|b` requires one of the two.
///
/// Otherwise reports that the calling test is skipped, and the test must return. If the environment variable
/// `NQUEENS_TEST_ALL` is set, the test fails instead. `scripts/test.sh` sets this variable after it has installed all
/// programs.
pub(crate) fn all_installed(programs: &[&str]) -> bool {
    match programs.iter().find(|names| !names.split('|').any(is_installed)) {
        None => true,
        Some(names) => {
            missing(&format!("{} is not installed", names.replace('|', " or ")));
            false
        }
    }
}

/// Reports that the calling test is skipped, or fails it if `NQUEENS_TEST_ALL` is set.
pub(crate) fn missing(why: &str) {
    let insists = std::env::var_os("NQUEENS_TEST_ALL").is_some_and(|value| !value.is_empty());
    assert!(!insists, "{why}, and NQUEENS_TEST_ALL is set; `bash scripts/test.sh` installs what is missing");
    left_out(&format!("{why}; `bash scripts/test.sh` installs it"));
}

/// Returns the name of the calling test.
fn test() -> String {
    std::thread::current().name().unwrap_or("a thread").to_owned()
}

/// Reports that the calling test is skipped, or a part of it. If more is missing, only the first reason is reported.
pub(crate) fn left_out(why: &str) {
    static TESTS: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    if TESTS.lock().expect("no test panics here").insert(test()) {
        say(&format!("left out: {}::{}: {why}", env!("CARGO_CRATE_NAME"), test()));
    }
}

/// Writes a line to standard error that is visible even if the test passes, because libtest captures only the output of
/// macros.
pub(crate) fn say(line: &str) {
    std::io::stderr().write_all(format!("{line}\n").as_bytes()).expect("standard error takes a line");
}

pub(crate) fn is_installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    // Daemons are in /usr/sbin, which is not in every user's path.
    let mut folders = std::env::split_paths(&path).chain([Path::new("/usr/sbin").to_owned()]);
    folders.any(|folder| folder.join(program).is_file())
}
