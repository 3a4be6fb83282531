//! The library for a page. An instance counts the units of a plan, one by one, and a page has one instance for each of
//! its workers. The instances share no memory.
//!
//! A function whose argument does not exist returns a value that says so, or it panics: then the instance is of no more
//! use.

// The functions that the page calls are exported by name, which the lint counts as unsafe. The documentation of the
// crate says when functions panic.
#![allow(unsafe_code, clippy::missing_panics_doc)]

pub mod story;

use nqueens::classic::{Line, Method, Step, Trace};
use nqueens::engine::{Counter, Engine, Settings, Worker, auto};
use nqueens::{Board, Cancel, Setup, Solutions, Verdict, published};
use std::cell::{Cell, RefCell};

thread_local! {
    /// The plan prepared last. An instance prepares few plans, so it keeps them all.
    static PREPARED: Cell<Option<&'static Counter>> = const { Cell::new(None) };
    static WORKER: RefCell<Option<Box<dyn Worker>>> = const { RefCell::new(None) };
    static SETUP: Cell<Option<Setup>> = const { Cell::new(None) };
    static SOLUTIONS: RefCell<Option<Solutions>> = const { RefCell::new(None) };
    static COLUMNS: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
    static THROUGH: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
    static TRACE: RefCell<Option<Trace>> = const { RefCell::new(None) };
}

/// The result of a function whose number does not exist or does not fit.
const NONE: u64 = u64::MAX;

/// The number that stands for the fastest engine.
const FASTEST: usize = usize::MAX;

/// Prepares the count of a board of this size with the engine of this number in [`Engine::ALL`], or with the fastest.
/// Returns the number of units; -1 if there is no such board or engine, or if the engine cannot count the board.
#[unsafe(no_mangle)]
pub extern "C" fn prepare(size: usize, engine: usize) -> isize {
    let counter = Board::new(size).ok().and_then(|board| counter(board, engine, &Settings::default()));
    let counter: Option<&'static Counter> = counter.map(|counter| &*Box::leak(Box::new(counter)));
    WORKER.set(counter.and_then(|counter| counter.worker().ok()));
    PREPARED.set(counter);
    counter.map_or(-1, |counter| counter.plan.units().cast_signed())
}

fn counter(board: Board, engine: usize, settings: &Settings) -> Option<Counter> {
    let engine = if engine == FASTEST { auto(board, settings).ok()? } else { *Engine::ALL.get(engine)? };
    engine.prepare(board, settings, &Cancel::new()).ok()
}

fn prepared() -> &'static Counter {
    PREPARED.get().expect("a count was prepared")
}

/// Returns the number by which the sum of all partial counts is divided.
#[unsafe(no_mangle)]
pub extern "C" fn divisor() -> u64 {
    prepared().plan.divisor()
}

/// Returns the number of the engine that counts, in [`Engine::ALL`].
#[unsafe(no_mangle)]
pub extern "C" fn engine() -> usize {
    let chosen = prepared().plan.engine();
    Engine::ALL.iter().position(|&engine| engine == chosen).expect("the engine is one of them")
}

/// Returns the place in memory of the kernel's name.
#[unsafe(no_mangle)]
pub extern "C" fn kernel() -> *const u8 {
    prepared().kernel.name().as_ptr()
}

/// Returns the length of the kernel's name.
#[unsafe(no_mangle)]
pub extern "C" fn kernel_length() -> usize {
    prepared().kernel.name().len()
}

/// Returns the work expected of a unit, relative to the other units.
#[unsafe(no_mangle)]
pub extern "C" fn work(unit: usize) -> f64 {
    prepared().plan.work(unit) as f64
}

/// Returns the partial count of a unit of the plan prepared last. The result is the largest number if the partial count
/// does not fit below it, or is not a multiple of the unit's symmetry factor.
#[unsafe(no_mangle)]
pub extern "C" fn count(unit: usize) -> u64 {
    let factor = u128::from(prepared().plan.factor(unit));
    WORKER.with_borrow_mut(|worker| {
        let partial = worker.as_mut().and_then(|worker| worker.count(unit, &Cancel::new()).ok());
        partial
            .filter(|partial| partial.is_multiple_of(factor))
            .and_then(|partial| partial.try_into().ok())
            .unwrap_or(NONE)
    })
}

/// Returns the verdict on a total: 0 if it matches the published one, 1 if it contradicts that, 2 if none is published,
/// and 3 if the total is impossible.
#[unsafe(no_mangle)]
pub extern "C" fn verdict(size: usize, total: u64) -> u32 {
    match Board::new(size).map(|board| Verdict::new(board, total.into())) {
        Ok(Verdict::Matches) => 0,
        Ok(Verdict::Contradicts) => 1,
        Ok(Verdict::Impossible) => 3,
        _ => 2,
    }
}

/// Returns the published total.
#[unsafe(no_mangle)]
pub extern "C" fn published_total(size: usize) -> u64 {
    let total = Board::new(size).ok().and_then(published::total);
    total.and_then(|total| total.try_into().ok()).unwrap_or(NONE)
}

/// Begins a board with given queens and blocked squares. Returns false if no board has this size.
#[unsafe(no_mangle)]
pub extern "C" fn set_up(size: usize) -> bool {
    SETUP.set(Board::new(size).ok().map(Setup::new));
    SETUP.get().is_some()
}

fn setup() -> Setup {
    SETUP.get().expect("a board was set up")
}

/// Gives a queen. Returns false if it cannot stand there.
#[unsafe(no_mangle)]
pub extern "C" fn give_queen(row: usize, column: usize) -> bool {
    setup().with_queen(row, column).map(|setup| SETUP.set(Some(setup))).is_ok()
}

/// Blocks a square. Returns false if the square does not exist or has a queen.
#[unsafe(no_mangle)]
pub extern "C" fn block(row: usize, column: usize) -> bool {
    setup().with_blocked(row, column).map(|setup| SETUP.set(Some(setup))).is_ok()
}

/// Returns the number of solutions of the board that was set up.
#[unsafe(no_mangle)]
pub extern "C" fn solve() -> u64 {
    let setup = setup();
    let settings = Settings { setup: Some(setup).filter(|setup| !setup.is_free()), ..Settings::default() };
    let counter = counter(setup.board(), FASTEST, &settings).expect("a board that can be set up can be counted");
    let plan = &counter.plan;
    let sum = counter.worker().and_then(|mut worker| {
        (0..plan.units()).map(|unit| worker.count(unit, &Cancel::new())).sum::<Result<u128, _>>()
    });
    sum.ok().and_then(|sum| (sum / u128::from(plan.divisor())).try_into().ok()).unwrap_or(NONE)
}

/// Goes to the first solution of the board that was set up, or to the next one. Returns false if there is none.
#[unsafe(no_mangle)]
pub extern "C" fn next_solution(first: bool) -> bool {
    let solution = SOLUTIONS.with_borrow_mut(|solutions| {
        if first {
            *solutions = Some(setup().solutions());
        }
        solutions.as_mut().and_then(Iterator::next)
    });
    let found = solution.is_some();
    COLUMNS.set(solution.map_or_else(Vec::new, |solution| solution.columns().collect()));
    found
}

/// Returns the column of the queen of a row of the last solution.
#[unsafe(no_mangle)]
pub extern "C" fn column(row: usize) -> usize {
    COLUMNS.with_borrow(|columns| columns[row])
}

/// Goes through all solutions of the board that was set up, and returns their number. It shares no code with the
/// engines.
#[unsafe(no_mangle)]
pub extern "C" fn tally() -> u64 {
    let size = setup().board().size();
    let mut through = vec![0; size * size];
    let mut solutions = 0;
    for solution in setup().solutions() {
        solution.columns().enumerate().for_each(|(row, column)| through[row * size + column] += 1);
        solutions += 1;
    }
    THROUGH.set(through);
    solutions
}

/// Returns how many of the solutions of the last tally have a queen on this square, numbered row by row.
#[unsafe(no_mangle)]
pub extern "C" fn through(square: usize) -> u64 {
    THROUGH.with_borrow(|through| through[square])
}

/// Returns the number of textbook methods.
#[unsafe(no_mangle)]
pub extern "C" fn methods() -> usize {
    Method::ALL.len()
}

/// Returns the place in memory of a textbook method's name, by the method's number in [`Method::ALL`].
#[unsafe(no_mangle)]
pub extern "C" fn method(method: usize) -> *const u8 {
    Method::ALL[method].name().as_ptr()
}

/// Returns the length of the name of a textbook method.
#[unsafe(no_mangle)]
pub extern "C" fn method_length(method: usize) -> usize {
    Method::ALL[method].name().len()
}

/// Returns the number of candidates or nodes that a textbook method visits, by its number in [`Method::ALL`]. Nodes are
/// counted, and candidates are calculated.
#[unsafe(no_mangle)]
pub extern "C" fn visits(method: usize, size: usize) -> f64 {
    let Some((method, board)) = Method::ALL.get(method).copied().zip(Board::new(size).ok()) else { return f64::NAN };
    if method.is_backtracking() {
        Method::BitMasks.effort(board, &Cancel::new()).map_or(f64::NAN, |effort| effort.visited as f64)
    } else {
        method.expected_visits(board)
    }
}

/// Begins the trace of a textbook method, by its number in [`Method::ALL`], on the board that was set up. Returns false
/// if the method does not backtrack.
#[unsafe(no_mangle)]
pub extern "C" fn begin_trace(method: usize) -> bool {
    TRACE.set(Method::ALL.get(method).and_then(|&method| Trace::of(method, setup())));
    TRACE.with_borrow(Option::is_some)
}

/// Returns the next step of the trace. From the lowest bits on, it holds the kind (4 bits, 0 at the end), the row, the
/// column, the row of a queen (5 bits each) and the line (2 bits). Free squares have their columns in place of all
/// after the row.
#[unsafe(no_mangle)]
pub extern "C" fn next_step() -> u32 {
    let step = TRACE.with_borrow_mut(|trace| trace.as_mut().and_then(Iterator::next));
    let packed = |kind: usize, row: usize, column: usize, queen: usize, line: usize| {
        kind | row << 4 | column << 9 | queen << 14 | line << 19
    };
    let packed = match step {
        Some(Step::Place { row, column }) => packed(1, row, column, 0, 0),
        Some(Step::Mark { row, column }) => packed(2, row, column, 0, 0),
        Some(Step::Conflict { row, column, queen, line }) => {
            let line = match line {
                Line::Column => 0,
                Line::AntiDiagonal => 1,
                _ => 2,
            };
            packed(3, row, column, queen, line)
        }
        Some(Step::Unmark { row, column }) => packed(4, row, column, 0, 0),
        Some(Step::Backtrack { row }) => packed(5, row, 0, 0, 0),
        Some(Step::Solution { .. }) => packed(6, 0, 0, 0, 0),
        Some(Step::Blocked { row, column }) => packed(7, row, column, 0, 0),
        Some(Step::Compare { row, column, queen }) => packed(8, row, column, queen, 0),
        Some(Step::Free { row, columns }) => packed(9, row, columns as usize, 0, 0),
        Some(Step::Remove { row, column }) => packed(10, row, column, 0, 0),
        _ => 0,
    };
    u32::try_from(packed).expect("a board on the page has at most 20 columns")
}
