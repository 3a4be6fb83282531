//! `scripts/versus.py`, which times programs with hyperfine.

use crate::common::needs::all_installed;
use crate::common::{self, program};
use crate::run::ended;
use std::path::Path;
use std::time::{Duration, Instant};

const TOP: &str = env!("CARGO_MANIFEST_DIR");

/// Returns the exit code of the script, its standard output and its standard error.
fn versus(arguments: &[&str], program: &str) -> (i32, String, String) {
    let mut command = common::command("python3");
    command.arg(Path::new(TOP).join("scripts/versus.py")).args(arguments);
    ended(command.env("NQUEENS_PROGRAM", program).output().expect("Python is installed"))
}

fn peers(arguments: &[&str]) -> (i32, String, String) {
    versus(arguments, env!("CARGO_BIN_EXE_nqueens"))
}

#[test]
fn peers_are_timed_beside_this_program_and_those_that_count_wrong_are_named() {
    if !all_installed(&["python3", "hyperfine", "cc"]) {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let peer = |name: &str, lines: &str| format!("{name}={} {{N}}", program(directory.path(), name, lines));
    let compiled = |name: &str| {
        let (source, path) = (Path::new(TOP).join(format!("benches/c/{name}.c")), directory.path().join(name));
        assert!(common::command("cc").arg("-O1").arg(source).arg("-o").arg(&path).status().unwrap().success());
        format!("C, {name}={} {{N}}", path.display())
    };
    let (recursive, iterative) = (compiled("recursive"), compiled("iterative"));
    let commas = peer("commas", "[ $1 = 9 ] && echo N=9: 352. || { sleep 1.1; echo 'Solutions:14,200 in 0.3 s' >&2; }");
    let fields = peer("fields", "[ $1 = 9 ] && echo 9,352,0.01 || echo \"12;14'200;0.01\"");
    // For the larger board, the output contains the digits, but not as a number of its own.
    let wrong = peer("wrong", "[ $1 = 9 ] && echo 352 || echo '142000 0.14200 x14200 -14200 1,014,200 14200.5 14,201'");
    let failing = peer("failing", "echo 352; [ $1 = 9 ] || { echo 14200; exit 3; }");
    let options = ["--boards", "12,9,13", "--rounds", "2", "--limit", "1"];
    let given = [&*recursive, &iterative, &commas, &fields, &wrong, &failing];
    let (code, table, said) = peers(&[&options[..], &given].concat());
    assert_eq!(code, 1, "{said}");
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let of_board = |board: &str| -> Vec<&str> {
        rows.iter().filter(|row| &row[3] == board).map(|row| row.get(0).unwrap()).collect()
    };
    let good = ["nqueens", "C, recursive", "C, iterative", "commas", "fields", "wrong", "failing"];
    assert_eq!((of_board("9"), of_board("12")), (good.to_vec(), good[..5].to_vec()), "{said}");
    assert_eq!(of_board("13"), good[..3], "{said}");
    for row in &rows {
        let number = |column: usize| -> f64 { row[column].parse().unwrap() };
        assert!(0.0 < number(5) && number(5) <= number(4) && number(4) <= number(6), "{row:?}");
        assert!(&row[0] != "nqueens" || &row[9] == "1.000", "{row:?}");
        assert!(row[10].starts_with("measured 20"), "{row:?}");
    }
    assert!(!table.contains(directory.path().to_str().unwrap()), "no path of this machine");
    assert!(said.contains("commas: N = 12 took more than 1 s; it is left out for larger boards"), "{said}");
    for part in
        ["wrong: N = 12: not the published count, 14200: ", "failing: N = 12: ", "exit code 3, last line '14200'"]
    {
        assert!(said.contains(part), "{said}");
    }
}

#[test]
fn what_cannot_be_compared_is_refused_in_one_line() {
    if !all_installed(&["python3", "hyperfine", "git"]) {
        return;
    }
    for (arguments, named) in [
        (&[][..], "NAME=COMMAND"),
        (&["peer=true"], "'peer=true' is not NAME=COMMAND"),
        (&["nqueens=true {N}"], "with a name of its own"),
        (&["gone=/no/such/program {N}"], "gone: there is no program '/no/such/program'"),
        (&["open=true \"{N}"], "true \"{N}' is not a command: no closing quotation"),
        (&["true=true {N}", "--limit", "nan"], "argument --limit"),
        (&["true=true {N}", "--boards", "8,28"], "no count is published for N = 28"),
        (&["true=true {N}", "--threads", "9999"], "--threads 9999"),
    ] {
        let (code, _, said) = peers(arguments);
        assert_eq!(code, 2, "{arguments:?}: {said}");
        assert!(said.lines().count() == 1 && said.contains(named), "{arguments:?}: {said}");
    }
    let folder = tempfile::tempdir().unwrap();
    let garbage = program(folder.path(), "garbage", "");
    std::fs::write(&garbage, "garbage").unwrap();
    for (own, expected, named) in
        [("/bin/true", 2, "is not nqueens"), ("/bin/false", 2, "is not nqueens"), (&garbage, 1, "Exec format error")]
    {
        let (code, _, said) = versus(&["true=true {N}", "--boards", "4"], own);
        assert_eq!(code, expected, "{own}: {said}");
        assert!(said.starts_with("error: ") && said.lines().count() == 1 && said.contains(named), "{own}: {said}");
    }
}

#[test]
fn a_peer_that_never_ends_or_never_stops_printing_is_ended() {
    if !all_installed(&["python3", "hyperfine"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    // The program that hangs is not the one that was started, and holds its output.
    let hangs = program(folder.path(), "hangs", "sleep 600; true");
    let prints = program(folder.path(), "prints", "exec yes");
    let given = [("hangs", &hangs), ("prints", &prints)].map(|(name, path)| format!("{name}={path} {{N}}"));
    let begun = Instant::now();
    let (code, rows, said) = peers(&["--boards", "4", "--rounds", "1", "--limit", "0.5", &given[0], &given[1]]);
    assert!(begun.elapsed() < Duration::from_secs(500), "the process ended by itself");
    assert!(code == 1 && rows.lines().count() == 2 && rows.contains("\nnqueens,"), "{rows}{said}");
    for part in ["hangs: N = 4: not the published count, 2: ", "it takes more than 5 s'", "it prints more than 64 MiB'"]
    {
        assert!(said.contains(part), "{said}");
    }
}
