//! The burn-in, which goes on with the self-test for a given time.

use super::checks::{Check, CheckOutcome, settings_of};
use crate::app::failure::Failure;
use nqueens::engine::Settings;
use nqueens::{Board, Cancel, Device, Engine, Job, Kernel, published};
use std::time::Duration;

/// A count that takes this time ends a turn. The time is shorter in tests, so that their turns are short.
const LONG_ENOUGH: Duration = Duration::from_millis(if cfg!(test) { 10 } else { 1000 });

/// The first board of each turn. Smaller ones have too few solutions for a fault to show.
const SMALLEST: usize = 8;

/// Counts until `is_over` returns true, and calls `report` with each check. The engines take turns, each engine with
/// each of its kernels, devices and plans. In each turn the boards grow until a count takes about a second.
///
/// # Errors
/// If `cancel` is set, or `report` returns an error.
pub(super) fn burn_in(
    engines: &[Engine],
    devices: &[Device],
    threads: usize,
    is_over: &dyn Fn() -> bool,
    cancel: &Cancel,
    report: &mut dyn FnMut(Check) -> Result<(), Failure>,
) -> Result<(), Failure> {
    for turn in 0.. {
        for &engine in engines {
            let variants = engine.variants();
            for Settings { kernel, devices, .. } in settings_of(engine, devices) {
                let variant = if kernel == Some(Kernel::Gpu) { variants[0] } else { variants[turn % variants.len()] };
                let settings = Settings { kernel, devices, ..variant };
                for board in boards(engine) {
                    if is_over() {
                        return Ok(());
                    }
                    let job = Job::new(board).engine(engine).most_threads(threads).settings(settings);
                    let check = Check::make(job, cancel)?;
                    if check.outcome() == CheckOutcome::NotMade && board.size() > SMALLEST {
                        // There is not enough memory, and larger boards need more.
                        break;
                    }
                    let is_last = check.counted.as_ref().is_ok_and(|count| count.elapsed >= LONG_ENOUGH);
                    report(check)?;
                    if is_last {
                        break;
                    }
                }
            }
        }
    }
    Ok(())
}

/// Returns the boards whose totals are published and that the engine can count, from small to large.
fn boards(engine: Engine) -> impl Iterator<Item = Board> {
    let boards = (SMALLEST..=engine.largest_board()).filter_map(|size| Board::new(size).ok());
    boards.take_while(|board| published::total(*board).is_some())
}
