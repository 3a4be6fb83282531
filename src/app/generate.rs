//! `nqueens --generate KIND`: manual pages and completion scripts, made from the definitions of the commands.

use crate::app::failure::Failure;
use crate::app::help;
use crate::app::output::file::print;
use clap::builder::PossibleValuesParser;
use clap::{ValueEnum, ValueHint};
use clap_complete::Shell;
use clap_mangen::Man;

/// Returns the texts for packagers: `man` and `man-COMMAND` for manual pages, `complete-SHELL` for completion scripts.
pub(super) fn kinds() -> PossibleValuesParser {
    let pages = help::GROUPS.iter().flat_map(|(_, commands)| *commands).map(|name| format!("man-{name}"));
    let scripts = Shell::value_variants().iter().map(|shell| format!("complete-{shell}"));
    PossibleValuesParser::new(std::iter::once("man".to_owned()).chain(pages).chain(scripts))
}

/// The sections at the end of each manual page.
const SECTIONS: &str = include_str!("generate.roff");

/// Prints the text of one of the `kinds` on standard output.
pub(crate) fn run(kind: &str, program: clap::Command) -> Result<(), Failure> {
    // The pages of `help` and its commands would only repeat other pages.
    let mut program = program.disable_help_subcommand(true);
    program.build();
    // Generated in memory first, because the generator of completions panics on a write error.
    let mut text = Vec::new();
    if let Some(Ok(shell)) = kind.strip_prefix("complete-").map(str::parse::<Shell>) {
        clap_complete::generate(shell, &mut program, "nqueens", &mut text);
        if shell == Shell::Bash {
            text = with_files(&String::from_utf8_lossy(&text), &program).into_bytes();
        }
    } else {
        let page = kind.strip_prefix("man-").and_then(|name| program.find_subcommand(name)).unwrap_or(&program);
        let page = page.clone().override_usage(page.clone().render_usage().to_string().replace("Usage: ", ""));
        let man = Man::new(page).date(env!("NQUEENS_DATE")).source(concat!("nqueens ", env!("CARGO_PKG_VERSION")));
        man.render(&mut text).map_err(|error| Failure::writing(&error))?;
        let in_groups = |page: String, (title, commands): &(&str, &[&str])| {
            let first = format!(".TP\nnqueens\\-{}(1)\n", commands[0]);
            page.replacen(&first, &format!(".SS {title}\n{first}"), 1)
        };
        let page = help::GROUPS.iter().fold(String::from_utf8_lossy(&text).into_owned(), in_groups);
        let page = page
            .replacen("1  \"", "1 \"\" \"", 1) // the date, where it is unknown
            .replace("\n.br\n\n.br\n", "\n.sp\n")
            .replace(".SH EXTRA\nExamples:", ".SH EXAMPLES\n.nf");
        let page = match page.split_once("\n\n`nqueens help") {
            Some((examples, notes)) => format!("{examples}\n.fi\n.SH NOTES\n`nqueens help{notes}"),
            None => page + ".fi\n",
        };
        text = (page + SECTIONS).into_bytes();
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
