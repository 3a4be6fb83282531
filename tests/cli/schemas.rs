//! Compares the JSON documents with their schemas, by a test that is written in Python.

use crate::common;
use crate::common::needs::left_out;
use std::path::{Path, PathBuf};

#[test]
fn documents_are_as_their_schemas_say() {
    let program = env!("CARGO_BIN_EXE_nqueens");
    // `scripts/python.sh test` installs a Python below the target directory. Without it, that of this machine is used.
    let target = Path::new(program).ancestors().nth(2).expect("a target directory");
    let pythons = [target.join("python/tools/bin/python"), PathBuf::from("python3")];
    let has_packages = |python: &&PathBuf| {
        let imported = common::command(python).args(["-c", "import jsonschema, pytest"]).output();
        imported.is_ok_and(|output| output.status.success())
    };
    let Some(python) = pythons.iter().find(has_packages) else {
        left_out("Python lacks jsonschema or pytest; `bash scripts/python.sh test` installs them");
        return;
    };
    let mut test = common::command(python);
    test.args([
        "-m",
        "pytest",
        "-q",
        "--import-mode=importlib",
        "-p",
        "no:cacheprovider",
        "python/tests/test_schemas.py",
    ]);
    let output = test.current_dir(env!("CARGO_MANIFEST_DIR")).env("NQUEENS_PROGRAM", program).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}
