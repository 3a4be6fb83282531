//! The README's examples are run, and print what it says they print, but for times and what is of the machine.
#![cfg(feature = "cli")]

mod common;

use nqueens::classic::Method;
use nqueens::engine::ENGINES;

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
    // A row of `compare`: what was visited, tested and found, but not the time.
    let words: Vec<&str> = line.split_whitespace().collect();
    if let [name, visited, tests, found, _, ..] = words[..]
        && (Method::ALL.iter().any(|method| method.name() == name)
            || ENGINES.iter().any(|engine| engine.name() == name))
    {
        return [name, visited, tests, found].join(" ");
    }
    // A row of `estimate`: what the time is of.
    if let ["time,", engine, ..] = words[..] {
        return format!("time, {engine}");
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

/// The largest board is in no table that is made from the measurements, but its time is from them.
#[test]
fn the_time_of_the_largest_board_is_that_in_results() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/results/xeon-6-167-2cpu/table.csv");
    let mut measured = csv::Reader::from_path(path).unwrap();
    let rows: Vec<csv::StringRecord> = measured.records().map(Result::unwrap).collect();
    let row = rows.iter().find(|row| &row[0] == "22").expect("it was measured");
    assert_eq!(&row[4], "matches");
    let said = format!("N = 22 took {:.1} s", row[3].parse::<f64>().unwrap());
    for text in [README, include_str!("../results/README.md")] {
        assert!(text.replace('\n', " ").contains(&said), "{said}");
    }
}

/// The tables of what the classic methods visit and take are what was measured.
#[test]
fn the_costs_of_the_methods_are_those_in_results() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/results/xeon-6-207-2cpu/methods.csv");
    let mut measured = csv::Reader::from_path(path).unwrap();
    let headers = measured.headers().unwrap().clone();
    let measured: Vec<csv::StringRecord> = measured.records().map(Result::unwrap).collect();
    let field = |record: &csv::StringRecord, name: &str| {
        record[headers.iter().position(|header| header == name).unwrap()].to_owned()
    };
    let number = |record: &csv::StringRecord, name: &str| field(record, name).parse::<f64>().ok();
    let docs = include_str!("../docs/methods.md");
    let cells =
        |line: &str| -> Vec<String> { line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect() };
    let mut checked = 0;
    for (section, next) in [("## What they visit", "## What they take"), ("## What they take", "## How the costs grow")]
    {
        let section = docs.split(section).nth(1).and_then(|rest| rest.split(next).next()).unwrap();
        let mut table = section.lines().filter(|line| line.starts_with('|'));
        let methods: Vec<String> = cells(table.next().unwrap());
        for row in table.skip(1).map(cells) {
            for (heading, cell) in methods.iter().zip(&row).skip(1) {
                // Some methods visit the same and share a column.
                for method in heading.split(", ").map(|method| method.trim_matches('`')) {
                    let record = measured
                        .iter()
                        .find(|record| record[0] == row[0] && record[1] == *method)
                        .unwrap_or_else(|| panic!("N = {}, {method} was not measured", row[0]));
                    let finished = field(record, "outcome") == "matches";
                    let (measured, tolerance) = if next == "## What they take" {
                        let visited = number(record, if finished { "visited" } else { "expected_visits" }).unwrap();
                        (visited, if visited < 1e15 { 1e-9 } else { 0.05 })
                    } else {
                        assert_eq!(cell.starts_with("about "), !finished, "N = {}, {method}", row[0]);
                        (number(record, if finished { "seconds" } else { "expected_seconds" }).unwrap(), 0.06)
                    };
                    let agrees = (of_docs(cell) / measured - 1.0).abs() < tolerance;
                    assert!(agrees, "N = {}, {method}: {cell} in the table, measured {record:?}", row[0]);
                    checked += 1;
                }
            }
        }
    }
    assert_eq!(checked, 9 * (6 + 8), "every board and every method");
}

/// A number of the tables: grouped, as a power of ten, or a time in seconds.
fn of_docs(cell: &str) -> f64 {
    let digits = |text: &str| text.replace(',', "").parse::<f64>().unwrap_or_else(|_| panic!("{cell} is no number"));
    if let Some((mantissa, power)) = cell.split_once(" \u{b7} 10") {
        let digit = |character| {
            "\u{2070}\u{b9}\u{b2}\u{b3}\u{2074}\u{2075}\u{2076}\u{2077}\u{2078}\u{2079}"
                .chars()
                .position(|c| c == character)
        };
        let power = power.chars().fold(0, |power, character| 10 * power + digit(character).expect("a small digit"));
        return digits(mantissa) * 10_f64.powi(power.try_into().unwrap());
    }
    let cell = cell.trim_start_matches("about ");
    let units = [
        (" ns", 1e-9),
        (" \u{b5}s", 1e-6),
        (" ms", 1e-3),
        (" s", 1.0),
        (" seconds", 1.0),
        (" minutes", 60.0),
        (" hours", 3600.0),
        (" days", 86_400.0),
        (" years", 31_557_600.0),
    ];
    let unit = units.iter().find_map(|(unit, seconds)| Some((cell.strip_suffix(unit)?, seconds)));
    unit.map_or_else(|| digits(cell), |(number, seconds)| digits(number) * seconds)
}
