//! The library for a page. An instance counts the units of a plan, one by one, and a page has one instance for each of
//! its workers. The instances share no memory.
//!
//! A call is a text: the name of a function and its arguments, with tabs between them. The answer is what the function
//! returns, in JSON, or `!` and why it cannot. Totals and partial counts are texts that end in `n`, because they may have
//! more digits than JavaScript's common numbers. If a function panics, the instance is of no more use.

// The functions that the page calls are exported by name, which the lint counts as unsafe.
#![allow(unsafe_code)]

mod story;

use nqueens::classic::{Method, Step, Trace};
use nqueens::engine::{Counter, Engine, Settings, Worker, auto};
use nqueens::{Board, Cancel, Setup, Solutions, Verdict, published};
use std::cell::{Cell, RefCell};
use std::fmt::Debug;
use std::str::{FromStr, Split};

thread_local! {
    /// The text of a call, and then of its answer.
    static TEXT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    /// The plan prepared last, with the board and the engine for which it was wanted. An instance prepares few plans,
    /// so it keeps them all.
    static PREPARED: Cell<Option<(Board, isize, &'static Counter)>> = const { Cell::new(None) };
    static WORKER: RefCell<Option<Box<dyn Worker>>> = const { RefCell::new(None) };
    static SOLUTIONS: RefCell<Option<Solutions>> = const { RefCell::new(None) };
}

/// The number that stands for the fastest engine.
const FASTEST: isize = -1;

/// A value in JSON, or the reason why there is none.
type Answer = Result<String, String>;

/// Gives the text so many bytes, and returns its place in memory.
#[unsafe(no_mangle)]
pub extern "C" fn text(length: usize) -> *mut u8 {
    TEXT.with_borrow_mut(|text| {
        text.resize(length, 0);
        text.as_mut_ptr()
    })
}

/// Answers the call in the text. The answer is the new text; returns its length.
#[unsafe(no_mangle)]
pub extern "C" fn call() -> usize {
    let answer = answer(&String::from_utf8_lossy(&TEXT.take())).unwrap_or_else(|error| format!("!{error}"));
    let length = answer.len();
    TEXT.set(answer.into_bytes());
    length
}

fn answer(call: &str) -> Answer {
    let mut words = call.split('\t');
    let name = words.next().unwrap_or_default();
    let given = &mut words;
    Ok(match name {
        "prepare" => prepare(take(given)?, take(given)?)?,
        "count" => list(&given.map(count).collect::<Result<Vec<_>, _>>()?),
        "verdict" => verdict(take(given)?, take(given)?),
        "solve" => list(&large(solve(take(given)?)?)),
        "first" => {
            SOLUTIONS.set(Some(take::<Setup>(given)?.solutions()));
            next()
        }
        "next" => next(),
        "tally" => tally(take(given)?),
        "methods" => list(&methods(take(given)?)),
        "trace" => trace(take(given)?, take(given)?, take(given)?)?,
        "attacks" => list(&story::attacks(take(given)?)),
        "choices" => list(&story::choices(take(given)?)),
        "halves" => list(&story::halves(take(given)?, take(given)?, take(given)?)),
        "join" => list(&story::join(take(given)?, take(given)?)),
        "expectedNodes" => list(&(Method::BitMasks.expected_visits(take(given)?) as u64)),
        _ => return Err(format!("there is no function {name}")),
    })
}

/// Returns the next argument.
fn take<T: FromStr>(given: &mut Split<'_, char>) -> Result<T, &'static str> {
    given.next().and_then(|word| word.parse().ok()).ok_or("an argument is wrong")
}

/// Returns numbers, lists and tuples in JSON, and texts without parentheses, quotation marks and control characters. A
/// tuple becomes a list.
fn list(value: &dyn Debug) -> String {
    format!("{value:?}").replace('(', "[").replace(')', "]")
}

/// Writes a large number as JavaScript does.
fn large(number: u128) -> String {
    format!("{number}n")
}

/// Prepares the count of a board with the engine of this number in [`Engine::ALL`], or with the fastest.
fn prepare(board: Board, engine: isize) -> Answer {
    // A count is not prepared twice in a row, because its plan stays in memory.
    let last = PREPARED.get().filter(|last| (last.0, last.1) == (board, engine));
    let counter = if let Some((.., counter)) = last {
        counter
    } else {
        let counter: &Counter = Box::leak(Box::new(counter(board, engine, &Settings::default())?));
        WORKER.set(counter.units.worker().ok());
        PREPARED.set(Some((board, engine, counter)));
        counter
    };
    let plan = &counter.plan;
    let work: Vec<u64> = (0..plan.units()).map(|unit| plan.work(unit)).collect();
    let (divisor, engine, kernel) = (plan.divisor(), plan.engine(), counter.kernel);
    Ok(format!(r#"{{"work":{work:?},"divisor":"{divisor}n","engine":"{engine}","kernel":"{kernel}"}}"#))
}

fn counter(board: Board, engine: isize, settings: &Settings) -> Result<Counter, &'static str> {
    let engine = match engine {
        FASTEST => auto(board, settings).ok(),
        number => Engine::ALL.get(number.cast_unsigned()).copied(),
    };
    let counter = engine.and_then(|engine| engine.prepare(board, settings, &Cancel::new()).ok());
    counter.ok_or("the board cannot be counted")
}

/// Counts a unit of the plan prepared last.
fn count(unit: &str) -> Result<String, String> {
    let number = unit.parse().map_err(|_| "a unit is no number")?;
    let (.., counter) = PREPARED.get().ok_or("no count was prepared")?;
    let ask = |worker: &mut Option<Box<dyn Worker>>| worker.as_mut()?.count(number, &Cancel::new()).ok();
    let partial = WORKER.with_borrow_mut(ask);
    let possible = partial.filter(|partial| partial.is_multiple_of(counter.plan.factor(number).into()));
    possible.map(large).ok_or_else(|| format!("unit {unit} has an impossible partial count"))
}

/// Compares a total with the published one.
fn verdict(board: Board, total: u128) -> String {
    let published = published::total(board).map_or_else(|| "null".to_owned(), |total| list(&large(total)));
    format!(r#"{{"verdict":"{}","published":{published}}}"#, Verdict::new(board, total))
}

/// Returns the number of solutions of a board.
fn solve(setup: Setup) -> Result<u128, &'static str> {
    let settings = Settings { setup: Some(setup).filter(|setup| !setup.is_free()), ..Settings::default() };
    let counter = counter(setup.board(), FASTEST, &settings)?;
    let plan = &counter.plan;
    let sum = counter.units.worker().and_then(|mut worker| {
        (0..plan.units()).map(|unit| worker.count(unit, &Cancel::new())).sum::<Result<u128, _>>()
    });
    Ok(sum.map_err(|_| "the memory does not suffice")? / u128::from(plan.divisor()))
}

/// Returns the columns of the next solution of the board whose first solution was asked for; null after the last.
fn next() -> String {
    let solution = SOLUTIONS.with_borrow_mut(|solutions| solutions.as_mut()?.next());
    solution.map_or_else(|| "null".to_owned(), |solution| list(&solution.columns().collect::<Vec<_>>()))
}

/// Goes through all solutions of a board, and returns their number and, for each square, the number of those with a
/// queen there. It shares no code with the engines.
fn tally(setup: Setup) -> String {
    let size = setup.board().size();
    let mut through = vec![0_u64; size * size];
    let mut solutions = 0;
    for solution in setup.solutions() {
        solution.columns().enumerate().for_each(|(row, column)| through[row * size + column] += 1);
        solutions += 1;
    }
    format!(r#"{{"solutions":"{solutions}n","through":{through:?}}}"#)
}

/// Returns the name of each textbook method, in descending order of visits, and how many candidates or nodes it visits.
/// Nodes are counted, and candidates are calculated.
fn methods(board: Board) -> Vec<(&'static str, u128)> {
    let nodes = Method::BitMasks.effort(board, &Cancel::new()).map_or(0, |effort| effort.visited);
    let visits = |method: Method| {
        if method.is_backtracking() { nodes.into() } else { method.expected_visits(board) as u128 }
    };
    Method::ALL.iter().map(|&method| (method.name(), visits(method))).collect()
}

/// Returns the steps of a textbook method, at most `limit`, and whether they are all.
fn trace(method: Method, setup: Setup, limit: usize) -> Answer {
    let mut trace = Trace::of(method, setup).ok_or("this method has no steps")?;
    let steps: Vec<String> = trace.by_ref().take(limit).map(step).collect();
    Ok(format!(r#"{{"steps":[{}],"complete":{}}}"#, steps.join(","), trace.next().is_none()))
}

/// Returns a step as the program writes it.
fn step(step: Step) -> String {
    let fields = match step {
        Step::Compare { row, column, queen } => format!(r#""row":{row},"column":{column},"queen":{queen}"#),
        Step::Free { row, columns } => format!(r#""row":{row},"columns":{columns}"#),
        Step::Conflict { row, column, queen, line } => {
            format!(r#""row":{row},"column":{column},"queen":{queen},"line":"{line}""#)
        }
        Step::Backtrack { row } => format!(r#""row":{row}"#),
        Step::Solution { number } => format!(r#""number":{number}"#),
        Step::Blocked { row, column }
        | Step::Place { row, column }
        | Step::Mark { row, column }
        | Step::Unmark { row, column }
        | Step::Remove { row, column } => format!(r#""row":{row},"column":{column}"#),
        _ => r#""unknown":true"#.to_owned(),
    };
    format!(r#"{{"kind":"{}",{fields}}}"#, step.kind())
}
