//! Checks that the commands in the README run, and print the output shown there, except for measured values.

use crate::run::{ended, nqueens};

const README: &str = include_str!("../../README.md");

/// Returns a text without times and threads, which differ from run to run and from machine to machine.
fn steady(text: &str) -> String {
    let line = |line: &str| match line.split_once(": ").zip(line.split_once("; ")) {
        Some(((board, _), (_, verdict))) => format!("{board}: {verdict}\n"),
        None => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

/// Commands of other programs are not run. A board of 14 rows takes less time than one of 20, and brute force is stopped.
#[test]
fn examples_print_what_the_readme_says() {
    let dir = tempfile::tempdir().unwrap();
    let (mut run, mut compared, mut printed) = (0, 0, String::new());
    for block in README.split("\n```").skip(1).step_by(2) {
        let (language, text) = block.split_once('\n').expect("a language and lines");
        match language {
            "sh" => {
                printed.clear();
                for line in text.lines() {
                    let of_a_build = line.strip_prefix("cargo run --release --locked -- ");
                    let Some(command) = of_a_build.or_else(|| line.strip_prefix("nqueens ")) else { continue };
                    let command = command.split(" #").next().unwrap_or_default().replace("20", "14");
                    let command = command.replace("methods 8", "methods 8 --time-limit 500ms");
                    // More threads would take more CPU time in all.
                    let mut nqueens = nqueens(&command);
                    let (code, stdout, stderr) =
                        ended(nqueens.current_dir(&dir).env("NQUEENS_THREADS", "1").output().unwrap());
                    assert_eq!(code, 0, "{command}: {stderr}");
                    printed += &(stdout + &stderr);
                    run += 1;
                }
            }
            "text" if !printed.is_empty() => {
                assert_eq!(steady(&printed), steady(text));
                compared += 1;
            }
            _ => printed.clear(),
        }
    }
    assert!(run >= 8 && compared >= 1, "the README has {run} commands, and shows the output of {compared} blocks");
}
