//! Gives the crate its version, the commit if it is built in a git checkout, and the compiler's version.

use std::path::Path;
use std::process::Command;

fn main() {
    // Not the sources: after a change of a command, the library would be compiled again.
    println!("cargo::rerun-if-changed=build.rs");
    let package = std::env::var("CARGO_PKG_VERSION").expect("cargo sets it");
    // The library by itself runs no other program.
    let is_program = std::env::var_os("CARGO_FEATURE_CLI").is_some();
    let commit = if is_program { commit() } else { None };
    let version = commit.as_ref().map_or(package.clone(), |commit| format!("{package} ({commit})"));
    println!("cargo::rustc-env=NQUEENS_VERSION={version}");
    println!("cargo::rustc-env=NQUEENS_COMMIT={}", commit.unwrap_or_default());
    if is_program {
        println!("cargo::rustc-env=NQUEENS_COMPILER={}", compiler().unwrap_or_default());
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
