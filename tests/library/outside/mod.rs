//! A crate outside the workspace that depends on the library, like a user's: with the default settings and the default
//! profile of cargo, but for one line: a panic ends the process. Whatever is an error and no bug is then still a value.
//! The crate must count, and run the examples of README.md, in a build without optimization.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const README: &str = include_str!("../../../README.md");

/// The manifest leaves out the symbols of a debugger: they change nothing that runs, and take a third of the build.
const MANIFEST: &str = r#"[package]
name = "outside"
edition = "2024"

[features]
ledger = ["nqueens-count/ledger"]

[dependencies]
nqueens-count = { path = REPOSITORY, default-features = false }
rayon = "1"

[profile.dev]
debug = false
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
    write(&folder.join("Cargo.toml"), &MANIFEST.replace("REPOSITORY", &format!("{repository:?}")));
    fs::copy(Path::new(repository).join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
    write(&folder.join("src/main.rs"), include_str!("program.rs"));
    write(&folder.join("src/fake_engine.rs"), include_str!("../../common/fake_engine.rs"));
    let examples: Vec<_> = README.split("```rust\n").skip(1).map(|block| block.split("```").next().unwrap()).collect();
    assert!(examples.len() >= 2, "README.md has examples of the library");
    let blocks: Vec<String> = examples.iter().map(|example| format!("{{\n{example}}}\n")).collect();
    let blocks = blocks.concat();
    let function = format!("pub fn run() -> Result<(), Box<dyn std::error::Error>> {{\n{blocks}Ok(())\n}}\n");
    write(&folder.join("src/readme.rs"), &function);
    folder
}

/// Runs cargo in the crate. All dependencies are there already, unless the tests were built elsewhere.
fn cargo(arguments: &[&str]) {
    let folder = make();
    let run = |offline: &[&str]| {
        let mut cargo = Command::new(env!("CARGO"));
        crate::keeper::keep(&mut cargo);
        cargo.args(arguments).args(offline).current_dir(&folder).env("CARGO_TARGET_DIR", folder.join("target"));
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
    let printed = |bytes| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{arguments:?}:\n{}{}", printed(&output.stdout), printed(&output.stderr));
}

/// Another build of the library, without ledgers, would only repeat this test.
#[test]
fn a_crate_outside_counts_in_a_debug_build() {
    cargo(&["run", "--features", "ledger", "--", "10"]);
}

#[test]
#[ignore = "slow"]
fn a_crate_outside_counts_to_16_with_and_without_ledgers() {
    cargo(&["run", "--features", "ledger", "--", "16"]);
    cargo(&["run", "--", "14"]);
}
