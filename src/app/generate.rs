//! `nqueens --generate PREFIX` (feature `packaging`): manual pages and completion scripts, made from the definitions of
//! the commands.

use crate::app::failure::Failure;
use clap_complete::Shell;
use clap_mangen::Man;
use std::fs;
use std::path::Path;

/// The completion scripts, where the shells look for them below `share`.
const SCRIPTS: [(&str, Shell); 5] = [
    ("bash-completion/completions/nqueens", Shell::Bash),
    ("elvish/lib/nqueens.elv", Shell::Elvish),
    ("fish/vendor_completions.d/nqueens.fish", Shell::Fish),
    ("powershell/nqueens.ps1", Shell::PowerShell),
    ("zsh/site-functions/_nqueens", Shell::Zsh),
];

/// The sections at the end of each manual page.
const SECTIONS: &str = include_str!("generate.roff");

/// Writes all pages and scripts below `prefix`, such as `/usr/local`.
pub(crate) fn run(prefix: &Path, program: clap::Command) -> Result<(), Failure> {
    // The pages of `help` and its commands would only repeat other pages.
    let mut program = program.disable_help_subcommand(true);
    program.build();
    let write = |file: &str, text: &[u8]| {
        let path = prefix.join("share").join(file);
        let made = path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&path, text));
        made.map_err(|error| Failure::Failed(format!("cannot write '{}': {error}", path.display())))
    };
    for (file, shell) in SCRIPTS {
        let mut script = Vec::new();
        clap_complete::generate(shell, &mut program, "nqueens", &mut script);
        write(file, &script)?;
    }
    write("man/man1/nqueens.1", page(&program)?.as_bytes())?;
    program
        .get_subcommands()
        .try_for_each(|command| write(&format!("man/man1/nqueens-{}.1", command.get_name()), page(command)?.as_bytes()))
}

/// Returns the manual page of a command.
fn page(command: &clap::Command) -> Result<String, Failure> {
    let usage = command.clone().render_usage().to_string().replace("Usage: ", "");
    let man = Man::new(command.clone().override_usage(usage)).date(env!("NQUEENS_DATE"));
    let mut page = Vec::new();
    man.source(concat!("nqueens ", env!("CARGO_PKG_VERSION"))).render(&mut page)?;
    let page = String::from_utf8_lossy(&page)
        .replacen("1  \"", "1 \"\" \"", 1) // the date, if it is unknown
        .replace("\n.br\n\n.br\n", "\n.sp\n")
        .replace(".SH EXTRA\nExamples:", ".SH EXAMPLES\n.nf");
    let page = match page.split_once("\n\n`nqueens help") {
        Some((examples, notes)) => format!("{examples}\n.fi\n.SH NOTES\n`nqueens help{notes}"),
        None => page + ".fi\n",
    };
    Ok(page + SECTIONS)
}
