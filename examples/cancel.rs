//! Shows the progress of a count, and cancels it from another thread: `cargo run --release --example cancel`.

use nqueens::{Board, Cancel, Job, RunError};
use std::error::Error;
use std::thread;
use std::time::Duration;

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let job = Job::new(Board::new(21)?);
    let cancel = Cancel::new();
    // A clone is the same request, and any thread may use it.
    let request = cancel.clone();
    thread::spawn(move || {
        thread::sleep(Duration::from_millis(500));
        request.cancel();
    });
    match job.run_with(&cancel, &|share: f64| eprint!("\r{:.1}% ", 100.0 * share)) {
        Ok(count) => println!("{} solutions", count.total),
        Err(RunError::Cancelled { done, units }) => println!("cancelled after {done} of {units} units"),
        Err(error) => return Err(error.into()),
    }
    Ok(())
}
