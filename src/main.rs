//! The `nqueens` program. It uses the library as any other program does.

mod app;

fn main() -> std::process::ExitCode {
    app::main()
}
