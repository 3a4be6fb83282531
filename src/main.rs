//! The `nqueens` program: a thin layer over the library. `cli` has a file for each command, `report` one for each format.

mod cli;
mod report;

fn main() -> std::process::ExitCode {
    cli::main()
}
