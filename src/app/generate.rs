//! `nqueens --generate KIND`: manual pages and completion scripts, made from the definitions of the commands.

use crate::app::failure::Failure;
use crate::app::output::file::print;
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
        GeneratedText::Complete(shell) => clap_complete::generate(*shell, &mut program, "nqueens", &mut text),
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
            let page = String::from_utf8_lossy(&text)
                .replacen("1  \"", "1 \"\" \"", 1) // the empty date
                .replace(".SH EXTRA\nExamples:", ".SH EXAMPLES\n.nf")
                .replace("\n\n`nqueens help", "\n.fi\n.SH NOTES\n`nqueens help");
            text = (page + SECTIONS).into_bytes();
        }
    }
    print(&text)
}
