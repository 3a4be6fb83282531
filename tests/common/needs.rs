//! Requirements of tests that not every machine meets, and the reports of tests that are left out.

use std::io::Write;
use std::path::Path;

/// Returns true if all these programs are installed. One of several with the same use is written `a|b`.
///
/// Otherwise reports that the calling test is left out, and the test must return; or fails it, if the environment
/// variable `NQUEENS_TEST_ALL` is set, as `scripts/test.sh` does when it has installed them all.
#[allow(dead_code, reason = "not every test file needs programs")]
pub(crate) fn all_installed(programs: &[&str]) -> bool {
    match programs.iter().find(|names| !names.split('|').any(is_installed)) {
        None => true,
        Some(names) => {
            missing(&format!("{} is not installed", names.replace('|', " or ")));
            false
        }
    }
}

/// Reports that the calling test is left out for want of something that can be installed, or fails it where
/// `NQUEENS_TEST_ALL` is set.
#[allow(dead_code, reason = "not every test file needs programs")]
pub(crate) fn missing(why: &str) {
    let insists = std::env::var_os("NQUEENS_TEST_ALL").is_some_and(|value| !value.is_empty());
    assert!(!insists, "{why}, and NQUEENS_TEST_ALL is set; `bash scripts/test.sh` installs what is missing");
    left_out(&format!("{why}; `bash scripts/test.sh` installs it"));
}

/// Reports that the calling test is left out.
#[allow(dead_code, reason = "not every test file leaves one out")]
pub(crate) fn left_out(why: &str) {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    say(&format!("left out: {}::{test}: {why}", env!("CARGO_CRATE_NAME")));
}

/// Writes a line to standard error, where it is seen even if the test passes: libtest captures only what the macros
/// print.
pub(crate) fn say(line: &str) {
    std::io::stderr().write_all(format!("{line}\n").as_bytes()).expect("standard error takes a line");
}

fn is_installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    // Daemons are in /usr/sbin, which is not in the path of every user.
    let mut folders = std::env::split_paths(&path).chain([Path::new("/usr/sbin").to_owned()]);
    folders.any(|folder| folder.join(program).is_file())
}
