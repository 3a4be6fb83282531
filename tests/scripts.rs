//! The scripts do what they say, and notice what they must.
#![cfg(all(feature = "cli", unix))]

use std::fs;
use std::process::{Command, Output};

fn reproduce_table(to: &str, published: &str) -> Output {
    Command::new("bash")
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/reproduce-table.sh"))
        .arg(to)
        .env("NQUEENS_PROGRAM", env!("CARGO_BIN_EXE_nqueens"))
        .env("PUBLISHED", published)
        .output()
        .expect("bash is installed")
}

const PUBLISHED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/results/published.csv");

#[test]
fn the_table_is_reproduced() {
    let output = reproduce_table("12", PUBLISHED);
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{stdout}");
    assert!(stdout.ends_with("every total, fundamental and quarter-turn count is the published one\n"), "{stdout}");
}

#[test]
fn any_difference_from_the_published_table_fails_and_is_named() {
    let table = fs::read_to_string(PUBLISHED).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("published.csv");
    for (right, wrong, named) in [
        ("\n8,92,12,0\n", "\n8,93,12,0\n", "N = 8: total computed 92, published 93"),
        ("\n8,92,12,0\n", "\n8,92,13,0\n", "N = 8: fundamental computed 12, published 13"),
        ("\n12,14200,1787,8\n", "\n12,14200,1787,9\n", "N = 12: quarter_turn computed 8, published 9"),
        ("\n12,14200,1787,8\n", "\n", "N = 12: no published total"),
    ] {
        assert!(table.contains(right));
        fs::write(&file, table.replace(right, wrong)).unwrap();
        let output = reproduce_table("12", file.to_str().unwrap());
        let stdout = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(1), "{stdout}");
        assert!(stdout.contains(named), "{stdout}");
    }
}

#[test]
fn a_bad_argument_is_refused() {
    // Nothing is published for N = 28.
    for to in ["many", "0", "28", "33", "100", "-1"] {
        let output = reproduce_table(to, PUBLISHED);
        assert_eq!(output.status.code(), Some(2), "{to}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("N from 1 to 27"), "{to}");
    }
}
