//! The library for a page: an instance counts the units of a plan, one by one, and a page has as many instances as it
//! has workers. They share no memory.

use nqueens::engine::{Counter, ENGINES, Settings, Worker};
use nqueens::{Board, Cancel};
use std::cell::{Cell, RefCell};

thread_local! {
    /// The worker of the plan that was prepared last, and the plan's divisor.
    static WORKER: RefCell<Option<Box<dyn Worker>>> = const { RefCell::new(None) };
    static DIVISOR: Cell<u64> = const { Cell::new(1) };
}

/// Prepares the count of a board of this size with the engine of this number in [`ENGINES`]. Returns the number of
/// units; -1 if there is no such board or engine, or the engine cannot count the board.
#[unsafe(no_mangle)]
pub extern "C" fn prepare(size: usize, engine: usize) -> isize {
    let prepared = Board::new(size)
        .ok()
        .zip(ENGINES.get(engine))
        .and_then(|(board, engine)| engine.prepare(board, &Settings::default(), &Cancel::new()).ok());
    // An instance prepares few counts, so it can keep them all.
    let counter: Option<&'static dyn Counter> = prepared.map(|counter| &*Box::leak(counter));
    WORKER.set(counter.map(Counter::worker));
    DIVISOR.set(counter.map_or(1, |counter| counter.plan().divisor()));
    counter.map_or(-1, |counter| counter.plan().units().cast_signed())
}

/// Returns the number by which the sum of all partial counts is divided.
#[unsafe(no_mangle)]
pub extern "C" fn divisor() -> u64 {
    DIVISOR.get()
}

/// Returns the partial count of a unit of the plan that was prepared last; the largest number if there is none, or it is
/// not below that.
#[unsafe(no_mangle)]
pub extern "C" fn count(unit: usize) -> u64 {
    WORKER.with_borrow_mut(|worker| {
        let partial = worker.as_mut().and_then(|worker| worker.count(unit, &Cancel::new()).ok());
        partial.and_then(|partial| partial.try_into().ok()).unwrap_or(u64::MAX)
    })
}
