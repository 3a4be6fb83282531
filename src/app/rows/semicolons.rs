//! A format that only tests know. This format has only what a format needs, so that the tests see how little a new
//! format takes.

use super::{Column, Format, cells};

pub(super) const FORMAT: Format =
    Format { names: &["semicolons", "ssv"], help: "Cells between semicolons", document: |_, _| Box::new(line) };

fn line(row: &[Column]) -> String {
    cells(row).map(|(_, text)| text.unwrap_or("-")).collect::<Vec<_>>().join(";") + "\n"
}

#[cfg(test)]
mod tests {
    use crate::app::{Cli, parsed};
    use clap::CommandFactory;
    use nqueens::Cancel;
    use std::fs;

    #[test]
    fn a_new_format_is_one_file_and_one_line() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name).display().to_string();
        let written = |line: &str, file: &str| {
            parsed(&format!("{line} --quiet --output {}", at(file))).run(&Cancel::new()).unwrap();
            fs::read_to_string(at(file)).unwrap()
        };
        let (study, score) = ("bench --study --boards 6 --threads 1,2 --repetitions 1", "bench --duration 1ms");
        written(study, "study.json");
        written(score, "score.json");
        written(&format!("count 6 --ledger {}", at("6.jsonl")), "total");
        for (line, rows) in [
            ("count 6", 1),
            (study, 4),
            (score, 1),
            (&*format!("compare {}", at("study.json")), 4),
            (&*format!("compare {0} {0}", at("study.json")), 8),
            (&*format!("compare {0} {0}", at("score.json")), 2),
            (&*format!("status {}", at("6.jsonl")), 2),
        ] {
            for text in [written(line, "rows.ssv"), written(&format!("{line} --format semicolons"), "rows.txt")] {
                let cells: Vec<usize> = text.lines().map(|line| line.split(';').count()).collect();
                assert!(cells.len() == rows && cells.iter().all(|cells| *cells > 4), "{line}: {text}");
            }
        }
    }

    /// Every command that has another format of rows has this one.
    #[test]
    fn no_command_has_a_list_of_formats_of_its_own() {
        let program = Cli::command();
        let formats = program.get_subcommands().filter_map(|command| {
            let format = command.get_arguments().find(|argument| argument.get_id() == "format")?;
            Some(format.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect::<Vec<_>>())
        });
        let of_rows: Vec<_> = formats.filter(|names| names.iter().any(|name| name == "markdown")).collect();
        let has_this = |names: &Vec<String>| names.iter().any(|name| name == "semicolons");
        assert!(of_rows.len() > 8 && of_rows.iter().all(has_this), "{of_rows:?}");
    }
}
