//! Boards with given queens and blocked squares, and counts by square.

use crate::run::{ended, nqueens, ran, refused, stdout};
use serde_json::Value;
use std::fs;

/// The board of problem 1624 of CSES.
const CSES: &str = "........\n........\n..*.....\n........\n........\n.....**.\n...*....\n........\n";

/// Runs a command with a board on standard input. Returns its exit code and what it printed.
fn given(arguments: &str, board: &str) -> (i32, String, String) {
    ended(nqueens(arguments).write_stdin(board).output().unwrap())
}

#[test]
fn what_solve_prints_is_a_board_to_count() {
    for (arguments, board, printed) in [
        ("count --board -", CSES.to_owned(), "65\n"),
        ("count --board - --split-rows 3 --kernel portable -j 3", CSES.replace('*', "#"), "65\n"),
        ("count --board -", stdout("solve 8 -q"), "1\n"),
        ("count --board -", stdout("solve 20 -q"), "1\n"),
        ("count --board - --double-check", CSES.to_owned(), "65\n"),
        ("solve --board - --format list", "..Q.\n....\n....\n....".to_owned(), "[2, 0, 3, 1]\n"),
        ("solve --board -", stdout("solve 9 -q"), &stdout("solve 9 -q")),
        ("solve --board - --format list", "....\n....\n....\n....".to_owned(), "[1, 3, 0, 2]\n"),
        ("count --board - --by-square --format text", "..\n..\n".to_owned(), "row  0  1\n  0  0  0\n  1  0  0\n"),
        ("count --board -", stdout("solve 1 --all -q"), "1\n"),
        ("count --board -", stdout("solve 6 --fundamental -q"), "1\n"),
        ("count --board -", stdout("solve 6 --fundamental --format list -q"), "1\n"),
        ("count --board -", "\u{feff}..Q.\r\n....\r\n....\r\n....\r\n".to_owned(), "1\n"),
    ] {
        let (code, stdout, stderr) = given(arguments, &board);
        assert_eq!((code, &*stdout), (0, printed), "{arguments}: {stderr}");
        assert_eq!(stderr.lines().count(), 1, "{arguments}: {stderr}");
    }
    for (arguments, board, said) in [
        ("count --board -", CSES, "N = 8, 0 given queens, 4 blocked squares: "),
        ("count --board -", "....\n....\n....\n....", "N = 4, 0 given queens, 0 blocked squares: "),
        ("count --board - --by-square", CSES, "N = 8, 0 given queens, 4 blocked squares: 65 solutions in all, "),
        (
            "solve --board -",
            "Q*..\n....\n....\n....",
            "N = 4 with 1 given queen, 0 blocked squares in other rows has no solution",
        ),
        (
            "solve --board -",
            ".Q..\n*...\n....\n....",
            "N = 4, 1 given queen, 1 blocked square in other rows: the first; --all",
        ),
        ("solve --board - --all", CSES, "N = 8, 0 given queens, 4 blocked squares: 65 solutions, which are all"),
    ] {
        let (_, _, stderr) = given(arguments, board);
        assert!(stderr.starts_with(said), "{arguments}: {stderr}");
    }
    let (code, listed, said) = given("solve --board - --all --format list", CSES);
    assert!(code == 0 && listed.lines().count() == 65 && said.contains("no published number"), "{said}");
    let (code, _, said) = given("solve --board -", "Q..\n...\n...");
    assert!(
        code == 1 && said.contains("N = 3 with 1 given queen, 0 blocked squares in other rows has no solution"),
        "{said}"
    );
}

#[test]
fn what_is_no_board_is_refused_in_one_line() {
    for (arguments, board, part) in [
        ("count --board -", "", "'-' for '--board <FILE>': there is no board"),
        ("count --board -", &stdout("solve 4 --all -q"), "'-' for '--board <FILE>': there are 2 boards; give one"),
        ("count --board -", &format!("{}\n", ".".repeat(30)).repeat(30), "N = 30 takes years"),
        ("count --board -", &stdout("solve 4 -q --format json"), "row 0, column 0 is '{'; give . (free), "),
        (
            "count --board - --by-square --engine two-color",
            CSES,
            "by square, and on no GPU; give --engine backtrack, and",
        ),
        ("count --board - --engine two-color", CSES, "squares, and on no GPU; give --engine backtrack, and"),
        ("count --board - --kernel gpu", CSES, " no --kernel gpu or --device\n"),
        ("count --board - --device 0", CSES, " no --kernel gpu or --device\n"),
    ] {
        let (code, stdout, stderr) = given(arguments, board);
        assert!(code == 2 && stdout.is_empty() && stderr.lines().count() == 1, "{arguments}: {stderr}");
        assert!(stderr.contains(part), "{arguments}: {stderr}");
    }
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("x"), CSES).unwrap();
    fs::write(folder.path().join("utf-16"), b"\xff\xfe.\0").unwrap();
    refused(
        &folder,
        2,
        &[
            ("count --board utf-16", ["'utf-16' for '--board <FILE>'", "UTF-8"]),
            ("count 8 --by-square --kernel gpu", ["by square, and on no GPU", "no --kernel gpu"]),
            ("count 8 --board x", ["'[N]'", "'--board <FILE>'"]),
            ("count --board /nonexistent", ["/nonexistent", "give a file with a board"]),
            ("count --board x --fundamental", ["are not whole orbits", "omit --fundamental"]),
            ("solve --board x --fundamental", ["are not whole orbits", "omit --fundamental"]),
            ("count 8 --by-square --ledger x", ["--by-square", "--ledger"]),
            ("count 25 --by-square", ["N = 25 takes years", "at most 24"]),
            ("count 8 --by-square --output x.png", ["'x.png'", "text, json, csv"]),
        ],
    );
}

#[test]
fn tables_add_up_and_squares_are_a_picture() {
    let sum =
        |numbers: &mut dyn Iterator<Item = &str>| numbers.map(|number| number.parse::<u128>().unwrap()).sum::<u128>();
    let squares = stdout("count 9 --by-square --format csv -q");
    assert!(squares.starts_with("row,0,1,2,3,4,5,6,7,8,board,setup,total,verdict,seconds,engine,"), "{squares}");
    for row in squares.lines().skip(1) {
        assert_eq!(sum(&mut row.split(',').skip(1).take(9)), 352, "{squares}");
        assert!(row.contains(",9,,352,matches,") && row.contains(",backtrack,"), "{row}");
    }
    let (_, table, _) = given("count --board - --by-square --format json", "..Q.\n....\n....\n....");
    let table: Value = serde_json::from_str(&table).unwrap();
    let row = &table["rows"][0];
    assert_eq!([&row["setup"], &row["total"], &row["2"]], ["..Q./..../..../....", "1", "1"], "{table}");
    let (code, _, said) = ran("count 8 --by-square");
    assert!(code == 0 && said.contains("92 solutions in all") && said.contains("matches the published"), "{said}");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("squares.svg");
    nqueens("count 8 --by-square -q -o").arg(&path).assert().success();
    let picture = fs::read_to_string(&path).unwrap();
    assert_eq!(picture.matches("<title>").count(), 64);
    assert!(picture.contains("<title>row 2, column 1: 14</title>"), "{picture}");
}

#[test]
fn a_ledger_of_a_board_is_merged_and_counted_again() {
    let folder = tempfile::tempdir().unwrap();
    let board = folder.path().join("board.txt");
    fs::write(&board, CSES).unwrap();
    let run = |arguments: &str| {
        let output = nqueens(arguments).current_dir(folder.path()).output().unwrap();
        (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
    };
    for shard in ["0/2", "1/2"] {
        let file = shard.replace('/', "-");
        assert_eq!(run(&format!("count --board board.txt --shard {shard} --ledger {file}.jsonl -q")).0, 0);
    }
    assert_eq!(run("merge 0-2.jsonl 1-2.jsonl -q"), (0, "65\n".to_owned()));
    assert_eq!(run("merge 0-2.jsonl 1-2.jsonl --fundamental -q").0, 2);
    assert_eq!(run("recheck --all 0-2.jsonl 1-2.jsonl -q").0, 0);
    assert_eq!(run("count 8 --shard 0/2 --ledger 0-2.jsonl -q").0, 2);
    let (_, shown) = run("status 0-2.jsonl 1-2.jsonl");
    assert!(shown.contains("plan whole-1:"), "{shown}");
    // A board that cannot be filled has no units.
    fs::write(&board, "**\n..\n").unwrap();
    assert_eq!(run("count --board board.txt --ledger none.jsonl -q"), (0, "0\n".to_owned()));
    for arguments in ["recheck --all none.jsonl", "recheck none.jsonl"] {
        let (code, stdout, said) = ended(nqueens(arguments).current_dir(folder.path()).output().unwrap());
        assert!(code == 0 && stdout.contains("nothing, because there is no unit"), "{stdout} {said}");
    }
    let (_, merged) = run("merge 0-2.jsonl 1-2.jsonl -q --format json");
    let merged: Value = serde_json::from_str(&merged).unwrap();
    let plan = format!("whole-1:{}", CSES.trim_end().replace('\n', "/"));
    assert!(merged["plan"] == *plan && merged["verdict"] == "not published", "{merged}");
}
