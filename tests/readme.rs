//! The README's examples are run, and print what it says they print, but for times and what is of the machine.
#![cfg(feature = "cli")]

mod common;

const README: &str = include_str!("../README.md");

/// The commands of the README's console blocks, each with the lines that follow it.
fn examples() -> Vec<(&'static str, Vec<&'static str>)> {
    let mut examples: Vec<(&str, Vec<&str>)> = Vec::new();
    let mut in_block = false;
    for line in README.lines() {
        match line {
            "```console" => in_block = true,
            "```" => in_block = false,
            _ if !in_block => {}
            _ => match line.strip_prefix("$ ") {
                Some(command) => examples.push((command, Vec::new())),
                None => examples.last_mut().expect("a block begins with a command").1.push(line),
            },
        }
    }
    examples
}

/// A line without what differs from run to run and from machine to machine.
fn steady(line: &str) -> String {
    let of_the_machine =
        ["\"seconds\"", "\"kernel\"", "\"cpu\"", "\"logical_cpus\"", "\"physical_cores\"", "\"program_version\""];
    if let Some(key) = of_the_machine.iter().find(|key| line.trim_start().starts_with(*key)) {
        return (*key).to_owned();
    }
    // The line for people: the board and the verdict.
    if let (Some((board, _)), Some((_, verdict))) = (line.split_once(": "), line.split_once("; "))
        && line.starts_with("N = ")
    {
        return format!("{board}: {verdict}");
    }
    // Times have a decimal point. How many checks there are depends on how many threads there can be.
    let checks = line.contains(" checks passed");
    let steady = |word: &str| {
        let number = word.parse::<f64>().is_ok();
        if number && (checks || word.contains('.')) { "#".to_owned() } else { word.to_owned() }
    };
    line.split_whitespace().map(steady).collect::<Vec<_>>().join(" ")
}

#[test]
fn examples_print_what_the_readme_says() {
    let examples = examples();
    assert!(examples.len() >= 5, "the README has its examples");
    let dir = tempfile::tempdir().unwrap();
    for (command, lines) in examples {
        let arguments = command
            .strip_prefix("nqueens ")
            .or_else(|| command.strip_prefix("cargo run --release -- "))
            .unwrap_or_else(|| panic!("not a command of this program: {command}"));
        let output = common::nqueens().args(arguments.split_whitespace()).current_dir(&dir).output().unwrap();
        assert!(output.status.success(), "{command}");
        let printed = [output.stdout, output.stderr].concat();
        let printed = String::from_utf8(printed).unwrap();
        let printed: Vec<String> = printed.lines().map(steady).collect();
        let said: Vec<String> = lines.into_iter().map(steady).collect();
        assert_eq!(printed, said, "{command}");
    }
}

/// Only `cargo run` and the test script stand in the way of a reader with two minutes.
#[test]
fn the_first_command_counts_and_the_second_tests() {
    let commands: Vec<&str> =
        README.lines().filter(|line| line.starts_with("$ ") || line.starts_with("bash ")).collect();
    assert_eq!(commands[..2], ["$ cargo run --release -- count 16", "bash scripts/test.sh"]);
}

/// The library example is the one in the crate's documentation, where it is compiled and run.
#[test]
fn the_library_example_is_the_one_that_is_tested() {
    let example = README.split("```rust\n").nth(1).and_then(|rest| rest.split("```").next()).expect("an example");
    let documented: Vec<&str> = include_str!("../src/lib.rs")
        .lines()
        .filter_map(|line| line.strip_prefix("//!"))
        .map(|line| line.strip_prefix(' ').unwrap_or(line))
        .collect();
    assert!(documented.join("\n").contains(example.trim_end()), "{example}");
}

/// The table of times is what was measured, rounded.
#[test]
fn the_times_are_those_in_results() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/results/xeon-6-207-2cpu/table.csv");
    let mut measured = csv::Reader::from_path(path).unwrap();
    let fields: Vec<csv::StringRecord> = measured.records().map(Result::unwrap).collect();
    let section = README.split("## How far it goes").nth(1).and_then(|rest| rest.split("## ").next()).unwrap();
    let rows: Vec<Vec<&str>> = section
        .lines()
        .filter(|line| line.starts_with("| ") && !line.starts_with("| N "))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    assert!(rows.len() >= 5);
    for row in rows {
        let fields = fields.iter().find(|fields| &fields[0] == row[0]).expect("it was measured");
        assert_eq!(row[1].replace(',', ""), fields[1]);
        assert_eq!(row[2], format!("{:.3}", fields[3].parse::<f64>().unwrap()), "N = {}", row[0]);
    }
}
