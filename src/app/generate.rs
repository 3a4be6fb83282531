//! `nqueens --generate KIND`: manual pages and completion scripts, made from the definitions of the commands.

use crate::app::failure::Failure;
use crate::app::help;
use crate::app::output::file::Output;
use clap::ValueEnum;
use clap::builder::PossibleValuesParser;
use clap_complete::Shell;
use clap_mangen::Man;
use std::io::Write;

/// Returns a parser of the kinds of text: `man` and `man-COMMAND` for manual pages, `complete-SHELL` for completion
/// scripts.
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
    // The text is generated in memory first, because the generator of completions panics on a write error.
    let mut text = Vec::new();
    if let Some(Ok(shell)) = kind.strip_prefix("complete-").map(str::parse::<Shell>) {
        clap_complete::generate(shell, &mut program, "nqueens", &mut text);
    } else {
        let page = kind.strip_prefix("man-").and_then(|name| program.find_subcommand(name)).unwrap_or(&program);
        let page = page.clone().override_usage(page.clone().render_usage().to_string().replace("Usage: ", ""));
        let man = Man::new(page).date(env!("NQUEENS_DATE")).source(concat!("nqueens ", env!("CARGO_PKG_VERSION")));
        man.render(&mut text)?;
        let page = String::from_utf8_lossy(&text)
            .replacen("1  \"", "1 \"\" \"", 1) // the date, if it is unknown
            .replace("\n.br\n\n.br\n", "\n.sp\n")
            .replace(".SH EXTRA\nExamples:", ".SH EXAMPLES\n.nf");
        let page = match page.split_once("\n\n`nqueens help") {
            Some((examples, notes)) => format!("{examples}\n.fi\n.SH NOTES\n`nqueens help{notes}"),
            None => page + ".fi\n",
        };
        text = (page + SECTIONS).into_bytes();
    }
    let mut stdout = Output::stdout();
    stdout.write_all(&text).and_then(|()| stdout.flush()).map_err(Failure::from)
}
