//! The method of the two-color engine in a few small steps, from the plain one up, and what each step gains:
//! `cargo run --release --example two_color [N]` counts all boards up to N rows with each step.
//!
//! To try an idea of your own, copy the last step, change the copy, and add its `mod` and its line in `STEPS`.
//! `docs/two-color.md` has what the engine does beyond these steps.

pub(crate) mod bits;
pub(crate) mod halves;
pub(crate) mod plain;
pub(crate) mod symmetry;

use nqueens::{Board, Verdict, published};
use std::io::{self, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// A function that returns the number of solutions of a board with so many rows.
type Count = fn(usize) -> u64;

/// The names and the functions of the steps. On boards of 14 rows or more, each is faster than the one before.
pub(crate) const STEPS: &[(&str, Count)] =
    &[("plain", plain::count), ("halves", halves::count), ("bits", bits::count), ("symmetry", symmetry::count)];

/// A step leaves out the boards that would take it longer.
const LIMIT: Duration = Duration::from_secs(10);

/// With one row more, any step takes at most so many times as long.
const GROWTH: u32 = 9;

fn main() -> ExitCode {
    let most = match rows(std::env::args().nth(1)) {
        Ok(most) => most,
        Err(message) => {
            eprintln!("error: {message}");
            return ExitCode::from(2);
        }
    };
    match table(most, &mut io::stdout()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Returns the number of rows of the largest board.
pub(crate) fn rows(argument: Option<String>) -> Result<usize, String> {
    let Some(argument) = argument else { return Ok(16) };
    let rows = argument.parse().ok().filter(|rows| (1..=18).contains(rows));
    rows.ok_or_else(|| format!("\"{argument}\" is not a number of rows from 1 to 18"))
}

/// Counts all boards with each step, and prints the times of the last four. The gain of a step is the time of the step
/// before, divided by its own.
///
/// # Errors
/// Returns an error if a total is not the published one, or if nothing can be written to `output`.
pub(crate) fn table(most: usize, output: &mut impl Write) -> io::Result<()> {
    let heading: Vec<_> = STEPS.iter().map(|(name, _)| format!("{name:>12}  gain")).collect();
    writeln!(output, " N   solutions{}", heading.concat())?;
    let mut times = [Duration::ZERO; STEPS.len()];
    for size in 1..=most {
        let board = Board::new(size).map_err(io::Error::other)?;
        let (is_shown, mut before) = (size + 4 > most, None);
        let mut row = vec![format!("{size:2}{:12}", published::total(board).unwrap_or_default())];
        for (&(name, count), time) in STEPS.iter().zip(&mut times) {
            if *time * GROWTH > LIMIT {
                row.push(format!("{:>12}      ", "-"));
                before = None;
                continue;
            }
            let begin = Instant::now();
            *time = Duration::MAX;
            // The shortest of several times is the least disturbed by other programs.
            while *time == Duration::MAX || is_shown && begin.elapsed() < Duration::from_millis(100) {
                let start = Instant::now();
                let solutions = count(size);
                *time = start.elapsed().min(*time);
                if Verdict::new(board, solutions.into()) != Verdict::Matches {
                    return Err(io::Error::other(format!("{name} counts {solutions} solutions for N = {size}")));
                }
            }
            let gain = before.replace(*time).map(|before| before.as_secs_f64() / time.as_secs_f64());
            let gain = gain.map_or(String::new(), |gain| format!("{gain:.1}"));
            row.push(format!("{:>12}{gain:>6}", format!("{time:.2?}")));
        }
        if is_shown {
            writeln!(output, "{}", row.concat())?;
        }
    }
    Ok(())
}
