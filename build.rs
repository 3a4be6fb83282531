//! Hands the program its version: that of the package and, in a git checkout of it, the commit.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var_os("CARGO_FEATURE_CLI").is_none() {
        return;
    }
    let package = std::env::var("CARGO_PKG_VERSION").expect("cargo sets it");
    let version = commit().map_or(package.clone(), |commit| format!("{package} ({commit})"));
    println!("cargo::rustc-env=NQUEENS_VERSION={version}");
}

/// The short hash of the commit that is checked out, unless this is a copy of the package inside another repository.
fn commit() -> Option<String> {
    let top = Path::new(&git(&["rev-parse", "--show-toplevel"])?).canonicalize().ok()?;
    let package = Path::new(&std::env::var("CARGO_MANIFEST_DIR").ok()?).canonicalize().ok()?;
    if top != package {
        return None;
    }
    // The log of HEAD grows with every commit and checkout. A path that is missing would rebuild every time.
    let log = git(&["rev-parse", "--git-path", "logs/HEAD"])?;
    if Path::new(&log).exists() {
        println!("cargo::rerun-if-changed={log}");
    }
    git(&["rev-parse", "--short=10", "HEAD"])
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
