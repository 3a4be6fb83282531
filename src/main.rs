//! The `nqueens` program: [`nqueens::app`] is all of it.

fn main() -> std::process::ExitCode {
    nqueens::app::main()
}
