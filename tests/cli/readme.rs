//! Checks that the commands in the README print the output shown there, except for measured values.

use crate::common;
use nqueens::engine::Kernel;

#[allow(dead_code, reason = "only times are of interest")]
#[path = "../../src/app/output/words.rs"]
mod words;

const README: &str = include_str!("../../README.md");

/// Returns the arguments of the program in each block for a shell, and the lines of the next block if that shows its
/// output.
fn examples() -> Vec<(Vec<&'static str>, Option<Vec<&'static str>>)> {
    let mut examples: Vec<(Vec<&str>, Option<Vec<&str>>)> = Vec::new();
    let (mut language, mut last) = (None, "");
    for line in README.lines() {
        match (language, line.strip_prefix("```")) {
            (None, Some(begun)) => {
                match begun {
                    "sh" => examples.push((Vec::new(), None)),
                    "text" if last == "sh" => examples.last_mut().expect("a block for a shell").1 = Some(Vec::new()),
                    _ => {}
                }
                language = Some(begun);
            }
            (Some(ended), Some(_)) => (language, last) = (None, ended),
            (Some("sh"), None) => {
                let command = line.split(" #").next().unwrap_or_default().trim_end();
                let of_a_build = command.strip_prefix("cargo run --release --locked -- ");
                let arguments = of_a_build.or_else(|| command.strip_prefix("nqueens "));
                examples.last_mut().expect("a block has begun").0.extend(arguments);
            }
            (Some("text"), None) if last == "sh" => {
                examples.last_mut().and_then(|example| example.1.as_mut()).expect("a block has begun").push(line);
            }
            _ => {}
        }
    }
    examples
}

/// Returns a line with `_` for each value that differs from run to run or from machine to machine, and with its cells
/// apart if it is of a table.
fn steady(line: &str) -> String {
    let cells = line.split("  ").filter(|cell| !cell.is_empty()).map(steady_cell);
    cells.collect::<Vec<_>>().join(" | ")
}

fn steady_cell(line: &str) -> String {
    let of_the_machine = ["cpu", "kernel", "program_version", "threads"];
    if let Some((key, _)) = line.trim_start().split_once(':')
        && of_the_machine.contains(&key.trim_matches('"'))
    {
        return key.trim_start().to_owned();
    }
    let bare = |word: &str| word.trim_matches([',', ';', '(', ')']).to_owned();
    let words: Vec<String> = line.split_whitespace().map(bare).collect();
    let is_time_unit = |word: &String| words::UNITS.iter().any(|(_, _, unit)| unit == word);
    let is_number = |word: &String| word.replace(',', "").parse::<f64>().is_ok();
    let is_whole = |word: &String| word.bytes().all(|byte| byte.is_ascii_digit() || byte == b',');
    // A whole number may be measured too if a measured value is in the same cell.
    let measured = words.iter().any(|word| is_time_unit(word) || is_number(word) && !is_whole(word));
    let steady = |word: String| match word {
        word if is_number(&word) && (measured || !is_whole(&word)) || is_time_unit(&word) => "_".to_owned(),
        word if Kernel::ALL.iter().any(|kernel| kernel.name() == word) => "_".to_owned(),
        // On a machine with one CPU there is one thread.
        word if word == "threads" => "thread".to_owned(),
        word => word,
    };
    let mut words: Vec<String> = words.into_iter().map(steady).collect();
    words.dedup_by(|next, word| next == "_" && word == "_");
    words.join(" ")
}

/// Commands of other programs are not run. A warning about a busy machine is allowed. If no output is shown, a smaller
/// board is counted, which takes less time.
#[test]
fn examples_print_what_the_readme_says() {
    let dir = tempfile::tempdir().unwrap();
    let (mut run, mut compared) = (0, 0);
    for (commands, shown) in examples() {
        let mut printed = Vec::new();
        for command in commands {
            let command = if shown.is_some() { command.to_owned() } else { command.replace("20", "14") };
            // More threads would take more CPU time in all.
            let mut nqueens = common::nqueens();
            nqueens.args(command.split_whitespace()).current_dir(&dir).env("NQUEENS_THREADS", "1");
            let output = nqueens.output().unwrap();
            assert!(output.status.success(), "{command}: {output:?}");
            printed.push(String::from_utf8([output.stdout, output.stderr].concat()).unwrap());
            run += 1;
        }
        if let Some(shown) = shown {
            let printed = printed.concat();
            let lines = printed.lines().filter(|line| !line.starts_with("warning: other programs"));
            let said: Vec<String> = shown.into_iter().map(steady).collect();
            assert_eq!(lines.map(steady).collect::<Vec<_>>(), said);
            compared += 1;
        }
    }
    assert!(run >= 8 && compared >= 1, "the README has {run} commands, and shows the output of {compared} blocks");
}
