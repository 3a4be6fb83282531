//! Checks that the commands in the README print the output shown there, except for measured values.

use crate::common;
use nqueens::engine::Kernel;

#[allow(dead_code, reason = "only times are of interest")]
#[path = "../../src/app/output/words.rs"]
mod words;

const README: &str = include_str!("../../README.md");

/// Returns the commands in the README's console blocks, each with its output lines.
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
                None => examples.last_mut().expect("a console block begins with a command").1.push(line),
            },
        }
    }
    examples
}

/// Returns a line without the parts that differ from run to run or from machine to machine: its cells, where it is of a
/// table, with `_` for each measured value.
fn steady(line: &str) -> String {
    let cells = line.split("  ").filter(|cell| !cell.is_empty()).map(steady_cell);
    cells.collect::<Vec<_>>().join(" | ")
}

#[test]
fn a_time_of_any_length_is_a_measured_value() {
    for seconds in (-30..90).map(|power| 2.3_f64.powi(power)).chain([1.0, 60.0, 3600.0, 86_400.0, 2_629_800.0]) {
        for time in [words::time(seconds), words::about_time(seconds), words::time(1.05 * seconds)] {
            assert_eq!(steady_cell(&time), "_", "{time}");
        }
    }
}

fn steady_cell(line: &str) -> String {
    let of_the_machine = ["cpu", "kernel", "logical_cpus", "physical_cores", "program_version", "threads"];
    if let Some((key, _)) = line.trim_start().split_once(':')
        && of_the_machine.contains(&key.trim_matches('"'))
    {
        return key.trim_start().to_owned();
    }
    let bare = |word: &str| word.trim_matches([',', ';', '(', ')']).to_owned();
    let words: Vec<String> = line.split_whitespace().map(bare).collect();
    let is_time_unit = |word: &String| {
        words::SHORT_UNITS.contains(&word.as_str())
            || words::UNITS.iter().any(|(unit, _)| unit.len() > 1 && *unit == word.trim_end_matches('s'))
    };
    let is_number = |word: &String| word.replace(',', "").parse::<f64>().is_ok();
    // Such as `13h`, or `8h` and `44m`.
    let is_time = |word: &str| {
        let unit = word.trim_start_matches(|letter: char| letter.is_ascii_digit());
        unit.len() < word.len() && !unit.is_empty() && unit.bytes().all(|letter| letter.is_ascii_lowercase())
    };
    let is_whole = |word: &String| word.bytes().all(|byte| byte.is_ascii_digit() || byte == b',');
    // A whole number beside a measured value may be measured too.
    let measured = words.iter().any(|word| is_time_unit(word) || is_number(word) && !is_whole(word));
    let steady = |word: String| match word {
        word if is_number(&word) && (measured || !is_whole(&word)) || is_time_unit(&word) => "_".to_owned(),
        word if is_time(&word) => "_".to_owned(),
        word if Kernel::ALL.iter().any(|kernel| kernel.name() == word) => "_".to_owned(),
        // On a machine with one CPU there is one thread.
        word if word == "threads" => "thread".to_owned(),
        word => word,
    };
    let mut words: Vec<String> = words.into_iter().map(steady).collect();
    words.dedup_by(|next, word| next == "_" && word == "_");
    words.join(" ")
}

/// Commands of other programs are not run. A busy machine may be warned of.
#[test]
fn examples_print_what_the_readme_says() {
    let dir = tempfile::tempdir().unwrap();
    let mut run = 0;
    for (command, lines) in examples() {
        let Some(arguments) =
            command.strip_prefix("nqueens ").or_else(|| command.strip_prefix("cargo run --release -- "))
        else {
            continue;
        };
        // Other threads would only take longer, all together.
        let mut nqueens = common::nqueens();
        nqueens.args(arguments.split_whitespace()).current_dir(&dir).env("NQUEENS_THREADS", "1");
        let output = nqueens.output().unwrap();
        assert!(output.status.success(), "{command}");
        let printed = [output.stdout, output.stderr].concat();
        let printed = String::from_utf8(printed).unwrap();
        let printed: Vec<String> =
            printed.lines().filter(|line| !line.starts_with("warning: other programs")).map(steady).collect();
        let said: Vec<String> = lines.into_iter().map(steady).collect();
        assert_eq!(printed, said, "{command}");
        run += 1;
    }
    assert!(run >= 3, "the README has examples in console blocks");
}
