//! `nqueens --generate KIND`: manual pages and completion scripts, made from the definitions of the commands.

use crate::app::failure::Failure;
use crate::app::help::GROUPS;
use crate::app::output::file::print;
use clap::ValueHint;
use clap_complete::Shell;
use clap_mangen::Man;
use std::str::FromStr;

/// A text for packagers.
#[derive(Clone, Debug)]
pub(crate) enum GeneratedText {
    /// The manual page of the program, or of the command of this name: `man` or `man-COMMAND`.
    Man(Option<String>),
    /// The completion script of a shell: `complete-SHELL`.
    Complete(Shell),
}

impl FromStr for GeneratedText {
    type Err = &'static str;

    fn from_str(kind: &str) -> Result<Self, Self::Err> {
        const RIGHT: &str = "give man, man-COMMAND or complete-SHELL (bash, elvish, fish, powershell, zsh)";
        match kind.split_once('-') {
            None if kind == "man" => Ok(GeneratedText::Man(None)),
            Some(("man", command)) => Ok(GeneratedText::Man(Some(command.to_owned()))),
            Some(("complete", shell)) => shell.parse().map(GeneratedText::Complete).map_err(|_| RIGHT),
            _ => Err(RIGHT),
        }
    }
}

/// The sections at the end of each manual page.
const SECTIONS: &str = include_str!("generate.roff");

/// Prints the text on standard output.
pub(crate) fn run(kind: &GeneratedText, program: clap::Command) -> Result<(), Failure> {
    // The pages of `help` and its commands would only repeat other pages.
    let mut program = program.disable_help_subcommand(true);
    program.build();
    // Generated in memory first, because the generator of completions panics on a write error.
    let mut text = Vec::new();
    match kind {
        GeneratedText::Complete(shell) => {
            clap_complete::generate(*shell, &mut program, "nqueens", &mut text);
            if *shell == Shell::Bash {
                text = with_files(&String::from_utf8_lossy(&text), &program).into_bytes();
            }
        }
        GeneratedText::Man(command) => {
            let page = match command {
                Some(name) => program.find_subcommand(name).ok_or_else(|| {
                    let names: Vec<_> = program.get_subcommands().map(clap::Command::get_name).collect();
                    Failure::Usage(format!("there is no command '{name}'; give one of {}", names.join(", ")))
                })?,
                None => &program,
            };
            let page = page.clone().override_usage(page.clone().render_usage().to_string().replace("Usage: ", ""));
            let man = Man::new(page).source(concat!("nqueens ", env!("CARGO_PKG_VERSION")));
            man.render(&mut text).map_err(|error| Failure::writing(&error))?;
            let in_groups = |page: String, (title, commands): &(&str, &[&str])| {
                let first = format!(".TP\nnqueens\\-{}(1)\n", commands[0]);
                page.replacen(&first, &format!(".SS {title}\n{first}"), 1)
            };
            let page = GROUPS.iter().fold(String::from_utf8_lossy(&text).into_owned(), in_groups);
            let page = page
                .replacen("1  \"", "1 \"\" \"", 1) // the empty date
                .replace(".SH EXTRA\nExamples:", ".SH EXAMPLES\n.nf")
                .replace("\n\n`nqueens help", "\n.fi\n.SH NOTES\n`nqueens help");
            text = (page + SECTIONS).into_bytes();
        }
    }
    print(&text)
}

/// Lets a completion script of bash complete files where a command takes them, unless a word begins with a dash. As it
/// is generated, it lists the options.
fn with_files(script: &str, program: &clap::Command) -> String {
    const SECTION: &str = "\n        nqueens__subcmd__";
    let takes_files = |command: &clap::Command| {
        command.get_positionals().any(|argument| argument.get_value_hint() != ValueHint::Unknown)
    };
    let sections = script.split(SECTION).map(|section| {
        let command = section.split_once(')').and_then(|(name, _)| program.find_subcommand(name));
        if !command.is_some_and(takes_files) {
            return section.to_owned();
        }
        let section = section.replace(" || ${COMP_CWORD} -eq 2 ]]", " ]]");
        section.replace("esac\n            COMPREPLY=( $(compgen -W \"${opts}\" -- \"${cur}\") )", "esac")
    });
    sections.collect::<Vec<_>>().join(SECTION)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn files_are_completed_where_a_command_takes_them() {
        let mut program = crate::app::Cli::command().disable_help_subcommand(true);
        program.build();
        let mut script = Vec::new();
        clap_complete::generate(Shell::Bash, &mut program, "nqueens", &mut script);
        let script = with_files(&String::from_utf8(script).unwrap(), &program);
        let options = "COMPREPLY=( $(compgen -W \"${opts}\" -- \"${cur}\") )";
        for (command, takes_files) in
            [("compare", true), ("status", true), ("merge", true), ("recheck", true), ("count", false)]
        {
            let (_, section) =
                script.split_once(&format!("\n        nqueens__subcmd__{command})\n            opts=")).unwrap();
            let section = section.split("\n        nqueens__").next().unwrap();
            assert_eq!(section.contains("${COMP_CWORD} -eq 2"), !takes_files, "{section}");
            assert_eq!(section.matches(options).count(), if takes_files { 1 } else { 2 }, "{section}");
        }
    }
}
