//! Counts a board: `cargo run --release --example count`.

use nqueens::{Board, Job};
use std::error::Error;

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let count = Job::new(Board::new(14)?).run()?;
    println!("N = {}: {} solutions in {:.3?}", count.board, count.total, count.elapsed);
    println!("engine {}, kernel {}; the published count: {}", count.engine, count.kernel, count.verdict());
    Ok(())
}
