//! The output of the commands for people who learn and teach: `solve`, `trace`, `methods` and `estimate`.

use crate::run::{has, json, nqueens, ran, refusal, remarks, stdout};
use nqueens::classic::is_solution;
use nqueens::{Board, Setup, Solution, solutions};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};

/// Returns every solution of a board, found by the library.
fn all(size: usize) -> Vec<Solution> {
    solutions(Board::new(size).unwrap()).collect()
}

/// Returns the solution with these columns, and panics if they are none.
fn solution(columns: &[usize]) -> Solution {
    Solution::new(columns).unwrap_or_else(|error| panic!("{columns:?}: {error}"))
}

fn from_json(columns: &Value) -> Solution {
    let columns = columns.as_array().unwrap().iter().map(|column| column.as_u64().unwrap() as usize);
    solution(&columns.collect::<Vec<_>>())
}

/// Returns the solution in an SVG picture, whose squares are 40 units wide.
fn from_svg(group: &str) -> Solution {
    let number = |text: &str| text.split('"').next().unwrap().parse::<usize>().unwrap();
    let mut queens: Vec<(usize, usize)> = group
        .split("href=\"#queen\" x=\"")
        .skip(1)
        .map(|queen| (number(queen.split("y=\"").nth(1).unwrap()) / 40, number(queen) / 40))
        .collect();
    queens.sort_unstable();
    assert!(queens.iter().map(|&(row, _)| row).eq(0..queens.len()), "a queen in each row");
    solution(&queens.into_iter().map(|(_, column)| column).collect::<Vec<_>>())
}

#[test]
fn a_board_without_a_solution_is_reported_in_a_line() {
    for options in ["", "--all", "--fundamental", "--format json"] {
        let (code, printed, said) = ran(&format!("solve 3 {options}"));
        assert_eq!((code, said.lines().count()), (1, 1), "{options}: {said}");
        assert!(said.contains("has no solution") && !said.contains("error"), "{options}: {said}");
        // Without solutions, the document is still well formed.
        let document: Value = serde_json::from_str(&printed).unwrap_or_default();
        let expected = if options.contains("json") { (json!([]), json!(true)) } else { (Value::Null, Value::Null) };
        assert_eq!((&document["solutions"], &document["complete"]), (&expected.0, &expected.1), "{options}");
        assert_eq!(printed.is_empty(), document.is_null(), "{options}: {printed}");
    }
}

/// `setups.rs` has `count` read what `solve` writes.
#[test]
fn every_solution_parses_back_from_every_format() {
    for size in [1, 4, 5, 6, 7, 8] {
        let all = all(size);
        let print = |format: &str| stdout(&format!("solve {size} --all --format {format}"));
        let lists = all.iter().map(|solution| format!("{:?}\n", solution.columns().collect::<Vec<_>>()));
        let list = print("list");
        assert_eq!(list, lists.collect::<String>());
        let text = print("board");
        let boards = text.split("\n\n").map(|text| text.parse::<Setup>().unwrap());
        assert!(boards.eq(list.lines().map(|line| line.parse().unwrap())), "N = {size}");
        let headings = text.lines().filter(|line| line.starts_with("Solution"));
        assert!(headings.eq((1..=all.len()).map(|number| format!("Solution {number}"))), "{text}");

        let document: Value = serde_json::from_str(&print("json")).unwrap();
        assert_eq!((&document["schema"], &document["board"]), (&json!("nqueens/solutions/1"), &json!(size)));
        assert_eq!(document["complete"], true);
        let read = document["solutions"].as_array().unwrap().iter().enumerate().map(|(index, found)| {
            assert_eq!(found["number"], index + 1);
            from_json(&found["columns"])
        });
        assert!(read.eq(all.iter().copied()), "json, N = {size}");

        let picture = print("svg");
        assert!(picture.split("<g transform").skip(1).map(from_svg).eq(all.iter().copied()), "svg, N = {size}");
        let places: std::collections::BTreeSet<&str> =
            picture.split("<g transform").skip(1).map(|board| board.split('"').nth(1).unwrap()).collect();
        assert_eq!(places.len(), all.len(), "no two boards in one place");
    }
}

/// `src/symmetry.rs` tests that the orbits add up to all solutions.
#[test]
fn fundamental_solutions_have_their_orbits() {
    let document = json("solve 8 --fundamental --format json");
    for found in document["solutions"].as_array().unwrap() {
        let solution = from_json(&found["columns"]);
        assert!(solution.is_fundamental() && found["orbit_size"] == solution.orbit_size(), "{found}");
    }
    assert_eq!(remarks("solve 8 --all"), "92 solutions, which are all there are: as many as published\n");
    assert!(stdout("solve 8 --fundamental").starts_with("Solution 1 (orbit of 8)\nQ "));
    assert!(stdout("solve 8 --fundamental --format list").starts_with("[0, 4, 7, 5, 2, 6, 1, 3] orbit of 8\n["));
    assert!(stdout("solve 8 --fundamental --format svg").contains(">Solution 10 (orbit of 4)<"));
}

#[test]
fn a_solution_of_a_board_that_is_too_large_to_search_is_constructed() {
    for size in [33, 34, 1000, 1_000_000] {
        let text = stdout(&format!("solve {size} --format list"));
        let columns: Vec<usize> =
            text.trim().trim_matches(['[', ']']).split(", ").map(|column| column.parse().unwrap()).collect();
        assert!(columns.len() == size && is_solution(&columns), "N = {size}");
    }
    assert_eq!(stdout("solve 64").lines().count(), 64);
    assert!(stdout("solve 65").starts_with("[1, 3, 5, "), "a large board is a list");
    assert_eq!(stdout("solve 65 --format board").lines().count(), 65, "unless it is asked for");
    assert_eq!(
        remarks("solve 1000"),
        "constructed (Pauls 1874), and checked: none of the 1000 queens attacks another\n"
    );
    let columns = &json("solve 40 --format json")["solutions"][0]["columns"];
    assert_eq!(columns.as_array().unwrap().len(), 40);
    assert_eq!(stdout("solve 40 --format svg").matches("href=\"#queen\"").count(), 40);
}

/// The solutions of 14 queens are listed in less memory than they have characters.
#[test]
#[cfg(target_os = "linux")]
fn memory_stays_flat_while_solutions_stream() {
    let script = "set -o pipefail; ulimit -v 16000; \"$0\" solve 14 --all --quiet | wc -c";
    let (code, bytes, said) = crate::run::bash(".", script);
    assert!(code == 0 && bytes.trim().parse::<u64>().unwrap() > 100_000_000, "{bytes}, {said}");
}

#[test]
fn a_trace_is_numbered_lines_that_end_at_the_solution_the_end_or_the_limit() {
    for (arguments, steps, last, said) in [
        ("trace 4", 43, "  43  solution   every row has a queen: solution 1", "43 steps, to the first solution\n"),
        ("trace 4 --until all", 109, "of row 0 is left to try: the search is over", "109 steps, the whole search\n"),
        ("trace 3", 34, "the search is over", "34 steps, the whole search: there is no solution\n"),
        ("trace 8 --limit 17", 17, "", "17 steps, cut there: the search goes on (--limit)\n"),
        ("trace 4 --limit 1 --quiet", 1, "   1  place      row 0, column 0 is free: a queen is placed there", ""),
    ] {
        let (code, text, remark) = ran(arguments);
        assert_eq!((code, text.lines().count(), &*remark), (0, steps, said), "{arguments}");
        let found = text.lines().last().unwrap();
        assert!(found.ends_with(last) && found.starts_with(&format!("{steps:4}  ")), "{arguments}: {found}");
    }
}

#[test]
fn a_trace_in_json_is_a_document_of_its_steps() {
    let document = json("trace 4 --format json");
    assert_eq!((&document["schema"], &document["board"]), (&json!("nqueens/trace/1"), &json!(4)));
    assert_eq!((&document["until"], &document["complete"]), (&json!("first"), &json!(true)));
    let steps = document["steps"].as_array().unwrap();
    assert_eq!(steps.len(), 43);
    assert_eq!(steps[0], json!({"step": 1, "kind": "place", "row": 0, "column": 0}));
    let conflict = json!({"step": 3, "kind": "conflict", "row": 1, "column": 0, "queen": 0, "line": "column"});
    assert_eq!(steps[2], conflict);
    assert_eq!(steps[42], json!({"step": 43, "kind": "solution", "number": 1}));
    let cut = json("trace 4 --until all --limit 5 --format json");
    assert_eq!((cut["steps"].as_array().unwrap().len(), &cut["complete"]), (5, &json!(false)));
}

#[test]
fn a_method_and_a_board_can_be_traced() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("board.txt");
    std::fs::write(&file, "..Q.\n....\n....\n.*..\n").unwrap();
    for method in ["earlier-queens", "flag-arrays", "bit-masks"] {
        let document = json(&format!("trace --method {method} --until all --format json --board {}", file.display()));
        assert_eq!((&document["method"], &document["setup"]), (&json!(method), &json!("..Q./..../..../.*..")));
        // The only solution with this queen has its queen of row 3 in the column that is blocked.
        let kinds: Vec<&str> =
            document["steps"].as_array().unwrap().iter().map(|step| step["kind"].as_str().unwrap()).collect();
        assert_eq!((kinds.contains(&"solution"), kinds.last()), (false, Some(&"backtrack")), "{method}");
        let has = ["compare", "mark", "free"].map(|kind| kinds.contains(&kind));
        assert_eq!(has, ["earlier-queens", "flag-arrays", "bit-masks"].map(|name| name == method), "{method}");
    }
    let board = "    0 1 2 3\n  0 . . Q .\n  1 . x x x\n  2 x . x .\n  3 . * x .\n\n";
    let text = stdout(&format!("trace --method bit-masks --format boards --limit 2 --board {}", file.display()));
    assert!(text.ends_with(board), "the board after two steps: {text}");
}

/// Each step has its line and the board, and after an empty line the arrays, which `src/classic/trace.rs` tests.
#[test]
fn trace_prints_boards_and_arrays() {
    let text = stdout("trace 4 --until all --format boards");
    let plain = stdout("trace 4 --until all --format text");
    let steps: Vec<&str> = text.split_terminator("\n\n").collect();
    assert_eq!(steps.len(), 2 * plain.lines().count());
    for (state, line) in steps.chunks(2).zip(plain.lines()) {
        assert!(state[0].starts_with(line) && state[0].lines().count() == 6, "{}", state[0]);
        let arrays: Vec<&str> = state[1].lines().collect();
        assert!(arrays[1].starts_with("column ") && arrays[5].starts_with("row - column + 3"), "{}", state[1]);
    }
    let board: Vec<&str> = steps[2].lines().skip(1).collect();
    assert_eq!(board, ["    0 1 2 3", "  0 Q . . .", "  1 x x . .", "  2 x . x .", "  3 x . . x"]);
    assert_eq!(steps[3].lines().last(), Some("row - column + 3   . . . 1 . . ."));
}

#[test]
fn methods_measures_what_finishes_and_stops_the_rest() {
    let document = json("methods 7 --time-limit 500ms --format json");
    assert_eq!((&document["schema"], &document["complete"]), (&json!("nqueens/methods/1"), &json!(true)));
    let rows = document["rows"].as_array().unwrap();
    let row = |name: &str| rows.iter().find(|row| row["method"] == name).unwrap_or_else(|| panic!("no {name}"));
    let brute_force = row("brute-force");
    assert_eq!((&brute_force["solutions"], &brute_force["outcome"]), (&Value::Null, &json!("stopped")));
    // The limit begins before the clock of the method does, on a busy machine long before.
    assert!(brute_force["seconds"].as_f64() > Some(0.0) && brute_force["tests"].as_u64() > Some(0), "{brute_force}");
    assert!((1..85_900_584).contains(&brute_force["visited"].as_u64().unwrap()), "{brute_force}");
    for (name, visited, tests) in [
        ("one-per-row", json!(823_543), json!(2_463_327)),
        ("flag-arrays", json!(552), json!(3584)),
        ("bit-masks", json!(552), Value::Null),
        ("backtrack", json!(275), Value::Null),
        ("two-color", Value::Null, Value::Null),
    ] {
        let row = row(name);
        assert_eq!((&row["visited"], &row["tests"]), (&visited, &tests), "{name}");
        assert_eq!((&row["solutions"], &row["outcome"]), (&json!("40"), &json!("matches")), "{name}");
        assert!(row["seconds"].as_f64() > Some(0.0), "{name}");
    }
    let methods = "two-color,brute-force,bit-masks --method backtrack";
    let (_, text, said) = ran(&format!("methods 7 --time-limit 500ms --method {methods}"));
    assert!(text.lines().all(|line| line.chars().count() <= 80), "it fits a terminal: {text}");
    for row in rows.iter().filter(|row| !row["kernel"].is_null()) {
        let name = format!("\n{} {} ", row["method"].as_str().unwrap(), row["kernel"].as_str().unwrap());
        assert!(text.contains(&name), "{name} is missing: {text}");
    }
    assert_eq!(
        said,
        "two-color first makes tables, which pays from N = 12 to 16 on, by kernel\n\
         on one thread; all that finished found as many solutions as published\n"
    );
    let said = remarks("methods 9 --method brute-force --time-limit 10ms");
    assert!(said.ends_with("; none finished\n"), "{said}");
}

/// Brute force has 4,426,165,368 candidates.
#[test]
fn methods_shows_the_short_ones_before_it_waits_for_a_long_one() {
    let mut command = crate::common::nqueens();
    command.args(["methods", "8", "--method", "brute-force,bit-masks,permutations"]);
    let mut child = command.stdout(std::process::Stdio::piped()).spawn().unwrap();
    let shown = BufReader::new(child.stdout.take().unwrap()).lines().take(3).collect::<Result<Vec<_>, _>>();
    child.kill().unwrap();
    child.wait().unwrap();
    let first = |line: &String| line.split_whitespace().next().unwrap().to_owned();
    assert_eq!(shown.unwrap().iter().map(first).collect::<Vec<_>>(), ["method", "permutations", "bit-masks"]);
    let (_, text, _) = ran("methods 8 --method brute-force,bit-masks --time-limit 200ms");
    let last: Vec<&str> = text.lines().last().unwrap().split_whitespace().collect();
    assert_eq!((last[0], &last[3..]), ("brute-force", &["-", "stopped"][..]), "{text}");
}

/// The nodes and solutions of a small board are known exactly; for a larger board they are estimated.
#[test]
fn estimate_gives_nodes_solutions_and_times() {
    let text = stdout("estimate 8");
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[0], ["quantity", "estimate", "low", "high", "published"]);
    assert_eq!(rows[1], ["nodes", "2,057", "2,057", "2,057", "-"]);
    assert_eq!(rows[2], ["solutions", "92", "92", "92", "92"]);
    assert!(rows[3..].iter().zip(["backtrack", "two-color"]).all(|(row, engine)| row[..2] == ["time,", engine]));
    assert_eq!(rows.len(), 5);

    let document = json("estimate 15 --threads 2 --kernel portable --format json");
    assert_eq!((&document["schema"], &document["complete"]), (&json!("nqueens/estimate/1"), &json!(true)));
    let rows = document["rows"].as_array().unwrap();
    let number = |row: &Value, key: &str| row[key].as_f64().unwrap();
    for (row, (quantity, truth)) in rows.iter().zip([("nodes", 171_129_071.0), ("solutions", 2_279_184.0)]) {
        assert_eq!((&row["quantity"], &row["engine"]), (&json!(quantity), &Value::Null));
        assert!((number(row, "estimate") / truth - 1.0).abs() < 0.1, "{row}");
        assert!(number(row, "low") < number(row, "estimate") && number(row, "estimate") < number(row, "high"), "{row}");
    }
    assert_eq!((&rows[0]["published"], &rows[1]["published"]), (&Value::Null, &json!("2279184")));
    for (row, engine) in rows[2..].iter().zip(["backtrack", "two-color"]) {
        has(row, &json!({"quantity": "time", "engine": engine, "kernel": "portable"}));
        has(row, &json!({"threads": 2, "outcome": "estimated"}));
        assert!(number(row, "estimate") > 0.0, "{row}");
    }
    let said = remarks("estimate 16 --threads 1");
    for part in [" KiB of memory for each thread, 0 KiB shared; ", " MiB of memory for ", " counted; ", " of CPU time"]
    {
        assert!(said.contains(part), "{said}");
    }
}

/// This holds for any number of CPUs. `src/run/expected.rs` tests the times.
#[test]
fn an_estimate_with_more_threads_than_cpus_is_for_another_machine() {
    let (_, document, said) = ran("estimate 17 --engine two-color --threads 1000 --format json");
    let document: Value = serde_json::from_str(&document).unwrap();
    let time = document["rows"].as_array().unwrap().last().unwrap();
    assert!(time["threads"].as_u64().unwrap() > 100, "{time}");
    assert_eq!(time["outcome"], "estimated");
    assert!(said.contains("times on 1000 threads, each on a CPU of its own like the "), "{said}");
}

#[test]
fn an_engine_that_cannot_count_the_board_says_so() {
    let (code, text, said) = ran("estimate 12 --kernel scalar");
    let row = |engine: &str| text.lines().find(|line| line.starts_with(&format!("time, {engine} "))).unwrap();
    assert!(code == 0 && row("two-color").contains("cannot") && !row("backtrack").contains("cannot"), "{text}");
    assert!(said.contains("two-color: engine two-color has no kernel scalar"), "{said}");
    let document = json("estimate 12 --kernel scalar --format json");
    let row = document["rows"].as_array().unwrap().last().unwrap();
    let outcome = row["outcome"].as_str().unwrap();
    assert!(outcome.starts_with("engine two-color has no kernel scalar") && row["estimate"].is_null(), "{row}");
    assert_eq!(row["engine"], "two-color");
    let elsewhere = if cfg!(target_arch = "x86_64") { "neon" } else { "avx2" };
    let (message, code) = refusal(&mut nqueens(&format!("estimate 8 --kernel {elsewhere}")));
    let named = format!("this CPU cannot execute kernel {elsewhere}; ");
    assert_eq!((code, message.contains(&named)), (2, true), "{message}");
}
