//! Checks that `scripts/attack.sh` finds faults. Each faulty program is the real one behind a script that causes the
//! fault.
#![cfg(all(feature = "cli", target_os = "linux"))]

#[path = "common/needs.rs"]
mod needs;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

const PROGRAM: &str = env!("CARGO_BIN_EXE_nqueens");

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/attack.sh");

/// Returns true if Python is installed for the attack. Otherwise reports that the test is skipped.
fn can_attack() -> bool {
    if !needs::all_installed(&["python3"]) {
        return false;
    }
    let output = Command::new("bash").args([SCRIPT, "--help"]).output().expect("bash is installed");
    if output.status.code() == Some(2) {
        needs::missing(String::from_utf8_lossy(&output.stderr).trim().trim_start_matches("error: "));
    }
    output.status.success()
}

/// Runs the first rounds of one kind of attack on a program.
fn attack(program: &Path, kind: &str, folder: &Path) -> Output {
    let mut command = Command::new("bash");
    command.args([SCRIPT, "--seed", "1", "--only", kind, "--program"]).arg(program);
    // Most faults are found by any round; some are found only by a specific damage of a ledger.
    command.args(match kind {
        "outputs" => ["--minutes", "0.05"],
        "mutations" => ["--findings", "1"],
        _ => ["--round", "0"],
    });
    command.env("TMPDIR", folder).output().expect("bash is installed")
}

#[test]
fn a_wrong_program_is_found_out() {
    if !can_attack() {
        return;
    }
    for (what, kind, lines, named) in [
        ("a total is altered", "kills", r#"case $1 in count) "$real" "$@" | sed 's/^/1/' ;;"#, "wrong total"),
        (
            "a unit is dropped",
            "kills",
            r#"case $1 in count) "$real" "$@"; eval "sed -i '$ d' \"\${$#}\"" ;;"#,
            "not every unit",
        ),
        (
            "units of before are lost",
            "shards",
            r#"case $* in *"--shard "*) "$real" "$@"; eval "sed -i 3d \"\${$#}\"" ;;"#,
            "no shard",
        ),
        ("merge believes all", "shards", r#"case $1 in merge) "$real" "$@" || echo 1 ;;"#, "a total"),
        ("recheck agrees with all", "mutations", "case $1 in recheck) exit 0 ;;", "wrong partial counts agree"),
        ("it panics", "mutations", r#"case $1 in status) echo "thread 'main' panicked" >&2; exit 101 ;;"#, "panics"),
        (
            "it writes to what it reads",
            "mutations",
            r#"case $1 in merge) echo >> "$2"; "$real" "$@" ;;"#,
            "has written",
        ),
        ("it takes memory", "mutations", r"case $1 in status) python3 -c 'bytearray(300 << 20)' ;;", "MB"),
        (
            "it refuses what can be mended",
            "mutations",
            r#"case $1 in count) if [ -s "${!#}" ] && ! "$real" merge "${!#}" > /dev/null 2>&1; then echo "error: no" >&2; exit 1; fi
            exec "$real" "$@" ;;"#,
            "can be mended",
        ),
        (
            "it forgets what is below a damaged header",
            "mutations",
            r#"case $1 in count) if "$real" status "${!#}" 2>&1 | grep -qE "line 1( is|:)"; then mv "${!#}" "${!#}.bad"; fi
            exec "$real" "$@" ;;"#,
            "were good and are lost",
        ),
        (
            "it shows no number",
            "mutations",
            r#"case $1 in status) "$real" "$@"; code=$?; echo inf; exit $code ;;"#,
            "shows inf",
        ),
        (
            "it finds its total wrong",
            "commands",
            r#"case $1 in *) echo "error: came out as 1, but 2 is published; do not trust this number" >&2; exit 1 ;;"#,
            "its own count wrong",
        ),
        ("it is killed", "commands", r"case $1 in *) kill -SEGV $$ ;;", "as no document says"),
        (
            "control characters pass",
            "studies",
            r#"case $1 in bench) printf '\033[31m' >&2; "$real" "$@" ;;"#,
            "control character",
        ),
        (
            "files are left",
            "outputs",
            r#"case $* in *put*) "$real" "$@"; code=$?; : > left; exit $code ;;"#,
            "files are left",
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let wrong = folder.path().join("wrong");
        fs::write(&wrong, format!("#!/bin/bash\nreal={PROGRAM}\n{lines}\n*) exec \"$real\" \"$@\" ;; esac\n")).unwrap();
        fs::set_permissions(&wrong, fs::Permissions::from_mode(0o755)).unwrap();
        let output = attack(&wrong, kind, folder.path());
        let stdout = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(1), "{what}: {output:?}");
        let found = |line: &str| line.starts_with("FOUND ") && line.contains(named);
        assert!(stdout.starts_with("seed 1, ") && stdout.lines().any(found), "{what}: {stdout}");
    }
}

#[test]
fn a_bad_command_line_of_the_attack_is_refused_in_one_line() {
    if !can_attack() {
        return;
    }
    for arguments in
        [["--minutes", "0"], ["--minutes", "long"], ["--seed", "x"], ["--only", "nothing"], ["--bogus", "1"]]
    {
        let output = Command::new("bash").args([SCRIPT, "--program", PROGRAM]).args(arguments).output().unwrap();
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), message.lines().count()), (Some(2), 1), "{arguments:?}: {message}");
        assert!(message.starts_with("error: "), "{message}");
    }
}
