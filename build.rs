//! Gives the crate its version and day, the commit if it is built in a git checkout, and the compiler's version. Says
//! whether the build is optimized.

use std::path::Path;
use std::process::Command;

fn main() {
    // The sources are not listed, because then a change of a command would compile the library again.
    println!("cargo::rerun-if-changed=build.rs");
    let package = std::env::var("CARGO_PKG_VERSION").expect("cargo sets it");
    println!("cargo::rustc-check-cfg=cfg(unoptimized)");
    if std::env::var("OPT_LEVEL").is_ok_and(|level| level == "0") {
        println!("cargo::rustc-cfg=unoptimized");
    }
    // A build of the library alone runs no other program.
    let is_program = std::env::var_os("CARGO_FEATURE_CLI").is_some();
    let commit = if is_program { commit() } else { None };
    let version = commit.as_ref().map_or(package.clone(), |commit| format!("{package} ({commit})"));
    println!("cargo::rustc-env=NQUEENS_VERSION={version}");
    println!("cargo::rustc-env=NQUEENS_COMMIT={}", commit.clone().unwrap_or_default());
    if is_program {
        println!("cargo::rustc-env=NQUEENS_COMPILER={}", compiler().unwrap_or_default());
        println!("cargo::rustc-env=NQUEENS_DATE={}", date(commit.is_some()).unwrap_or_default());
    }
}

/// Returns the short hash of the commit that is checked out. Returns `None` if the package is a copy inside another
/// repository.
fn commit() -> Option<String> {
    let top = Path::new(&git(&["rev-parse", "--show-toplevel"])?).canonicalize().ok()?;
    let package = Path::new(&std::env::var("CARGO_MANIFEST_DIR").ok()?).canonicalize().ok()?;
    if top != package {
        return None;
    }
    // The commit changes with HEAD and with the branch that HEAD names.
    let branch = git(&["symbolic-ref", "--quiet", "HEAD"]);
    for name in ["HEAD", "logs/HEAD", "packed-refs"].into_iter().chain(branch.as_deref()) {
        let file = git(&["rev-parse", "--git-path", name])?;
        // Cargo would rebuild every time if the path did not exist.
        if Path::new(&file).exists() {
            println!("cargo::rerun-if-changed={file}");
        }
    }
    git(&["rev-parse", "--short=10", "HEAD"])
}

/// Returns the day of the version in CHANGELOG.md or, if the version has none yet, the day of the commit that is
/// checked out.
fn date(is_checkout: bool) -> Option<String> {
    let changes = std::fs::read_to_string("CHANGELOG.md").unwrap_or_default();
    let heading = changes.lines().find(|line| line.starts_with("## ")).unwrap_or_default();
    let day = heading.split_once('(').map_or("", |(_, end)| end.trim_end_matches(')'));
    if day.starts_with(|first: char| first.is_ascii_digit()) {
        return Some(day.to_owned());
    }
    if is_checkout { git(&["log", "-1", "--format=%cs"]) } else { None }
}

/// Returns the compiler's name and version.
fn compiler() -> Option<String> {
    said(Command::new(std::env::var_os("RUSTC")?).arg("--version"))
}

fn git(arguments: &[&str]) -> Option<String> {
    said(Command::new("git").args(arguments))
}

/// Returns the output of a program, or `None` if it fails.
fn said(command: &mut Command) -> Option<String> {
    let output = command.output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
