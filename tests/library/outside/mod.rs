//! A crate outside the workspace that depends on the library, like a user's: with the default settings and the default
//! profile of cargo, except that a panic ends the process. What is an error and no bug must then still be a value.
//! The crate must count, and run the examples of README.md, in a build without optimization. The library for C is built
//! with it, so that both have one build of the library.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

const README: &str = include_str!("../../../README.md");

/// The manifest leaves out the symbols of a debugger, which take a third of the build, and what a second build would use.
/// Neither changes what runs.
const MANIFEST: &str = r#"[package]
name = "outside"
edition = "2024"

[features]
ledger = ["dep:flate2", "nqueens-count/ledger"]

[dependencies]
flate2 = { version = "1", default-features = false, features = ["rust_backend"], optional = true }
nqueens-c = { path = 'REPOSITORY/c' }
nqueens-count = { path = 'REPOSITORY', default-features = false }
rayon = "1"

[profile.dev]
debug = false
incremental = false
panic = "abort"

[workspace]
"#;

/// Writes a file, unless it already has this text: then nothing is built again.
fn write(path: &Path, text: &str) {
    if fs::read_to_string(path).ok().as_deref() != Some(text) {
        fs::write(path, text).unwrap();
    }
}

/// Writes the crate. Its module `readme` has the examples of README.md.
fn make() -> PathBuf {
    let repository = env!("CARGO_MANIFEST_DIR");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("outside");
    fs::create_dir_all(folder.join("src")).unwrap();
    write(&folder.join("Cargo.toml"), &MANIFEST.replace("REPOSITORY", repository));
    fs::copy(Path::new(repository).join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
    write(&folder.join("src/main.rs"), include_str!("program.rs"));
    write(&folder.join("src/fake_engine.rs"), include_str!("../../common/fake_engine.rs"));
    let examples: Vec<_> = README.split("```rust\n").skip(1).map(|block| block.split("```").next().unwrap()).collect();
    assert!(!examples.is_empty(), "README.md has an example of the library");
    let blocks: Vec<String> = examples.iter().map(|example| format!("{{\n{example}}}\n")).collect();
    let blocks = blocks.concat();
    let function = format!("pub fn run() -> Result<(), Box<dyn std::error::Error>> {{\n{blocks}Ok(())\n}}\n");
    write(&folder.join("src/readme.rs"), &function);
    folder
}

/// Builds the crate, and the library for C if the crate has no ledgers. Returns the folder with what was built. All
/// dependencies are there already, unless the tests were built elsewhere.
fn build(with_ledgers: bool) -> PathBuf {
    let folder = make();
    let run = |offline: &[&str]| {
        let mut cargo = Command::new(env!("CARGO"));
        crate::keeper::keep(&mut cargo);
        cargo.args(["build", "-p", "outside"]).args(offline).current_dir(&folder);
        cargo.args(if with_ledgers { ["--features", "ledger"] } else { ["-p", "nqueens-c"] });
        cargo.env("CARGO_TARGET_DIR", folder.join("target"));
        for (name, _) in std::env::vars_os() {
            if name == "RUST_MIN_STACK" || name.to_string_lossy().starts_with("CARGO_PROFILE_") {
                cargo.env_remove(name);
            }
        }
        cargo.output().unwrap()
    };
    let mut output = run(&["--offline"]);
    if String::from_utf8_lossy(&output.stderr).contains("--offline") {
        output = run(&[]);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && !said.contains("warning: "), "{said}");
    folder.join("target/debug")
}

/// The folder of one build for all tests. The library has no features, and must be built without a warning.
static BUILT: LazyLock<PathBuf> = LazyLock::new(|| build(false));

/// Runs a program that was built, and returns its exit code, its standard output and its standard error.
fn run(program: &mut Command) -> (Option<i32>, String, String) {
    crate::keeper::keep(program);
    let output = program.output().unwrap();
    let [stdout, stderr] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    (output.status.code(), stdout, stderr)
}

fn count(built: &Path, largest: &str) {
    let (code, stdout, stderr) = run(Command::new(built.join("outside")).arg(largest));
    assert_eq!(code, Some(0), "{stdout}{stderr}");
}

/// Ledgers need many more dependencies, and another build of the library.
#[test]
fn a_crate_outside_counts_in_a_debug_build() {
    count(&BUILT, "10");
}

#[test]
#[ignore = "slow"]
fn a_crate_outside_counts_to_16_with_and_without_ledgers() {
    count(&BUILT, "14");
    count(&build(true), "16");
}

/// Compiles a program in C with the library, and returns its path.
#[cfg(unix)]
fn compiled(source: &str) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(source);
    let (library, program) = (&*BUILT, BUILT.join(source.file_stem().unwrap()));
    let mut cc = Command::new("cc");
    cc.args(["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]).arg(source);
    cc.arg("-L").arg(library).arg("-lnqueens").arg(format!("-Wl,-rpath,{}", library.display()));
    assert_eq!(run(cc.arg("-o").arg(&program)), (Some(0), String::new(), String::new()));
    program
}

/// A program in C counts, is told what is wrong, and stops a count that would take hours.
#[cfg(unix)]
#[test]
fn a_program_in_c_counts_and_stops() {
    if !crate::needs::all_installed(&["cc"]) {
        return;
    }
    let program = compiled("c/count.c");
    let count = |arguments: &[&str]| run(Command::new(&program).args(arguments));
    let (code, stdout, stderr) = count(&["13"]);
    assert!((code, &*stdout) == (Some(0), "73712\n") && stderr.starts_with("matches, by "), "{stderr}");
    for (arguments, code, said) in [
        (&["0"][..], 2, "from 1 to 32"),
        (&["8", "0", "fast"], 2, "'fast' is no engine; give one of "),
        (&["20", "1", "backtrack"], 1, "stopped after "),
        (&[], 2, concat!("nqueens ", env!("CARGO_PKG_VERSION"), "\n")),
    ] {
        let (ended, stdout, stderr) = count(arguments);
        assert!((ended, &*stdout) == (Some(code), "") && stderr.contains(said), "{arguments:?}: {stderr}");
        assert_eq!(stderr.contains("% done)"), code == 1, "{arguments:?}: {stderr}");
    }
}

/// The exit code is the line of a check that fails.
#[cfg(unix)]
#[test]
fn a_job_of_c_may_be_null_and_counts_no_more_once_it_is_cancelled() {
    if crate::needs::all_installed(&["cc"]) {
        let program = compiled("tests/library/outside/jobs.c");
        assert_eq!(run(&mut Command::new(program)), (Some(0), String::new(), String::new()));
    }
}
