//! Solutions, symmetries, pictures, methods and the trace.

use crate::arguments::{board, run_error, seconds, solution, threads as number_of_threads, value_error};
use crate::watch::{caught, watched};
use nqueens::classic::{self, Contestant, Line, Measurement, Method, Outcome, Step};
use nqueens::run::on_threads;
use nqueens::symmetry::Symmetry;
use nqueens::{Solution, Verdict, classic::Picture, published, symmetry};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use std::sync::{Mutex, MutexGuard, TryLockError};

/// The number of rows searched between two checks for signals.
const PATIENCE: u32 = 1 << 20;

fn to_python<'py>(py: Python<'py>, solution: &Solution) -> PyResult<Bound<'py, PyTuple>> {
    PyTuple::new(py, solution.columns())
}

pub(crate) fn name(symmetry: Symmetry) -> &'static str {
    match symmetry {
        Symmetry::Identity => "identity",
        Symmetry::QuarterTurn => "quarter-turn",
        Symmetry::HalfTurn => "half-turn",
        Symmetry::ThreeQuarterTurn => "three-quarter-turn",
        Symmetry::MirrorColumns => "mirror-columns",
        Symmetry::MirrorRows => "mirror-rows",
        Symmetry::Transpose => "transpose",
        Symmetry::AntiTranspose => "anti-transpose",
    }
}

/// Takes a search that several threads may share. The call never waits: a signal handler may ask for a step of the
/// search that it interrupted, in the same thread.
fn alone<T>(search: &Mutex<T>) -> PyResult<MutexGuard<'_, T>> {
    match search.try_lock() {
        Ok(search) => Ok(search),
        Err(TryLockError::Poisoned(search)) => Ok(search.into_inner()),
        Err(TryLockError::WouldBlock) => {
            Err(PyRuntimeError::new_err("this search is at work already; wait for it, or begin one of your own"))
        }
    }
}

/// An iterator over the solutions of a board in lexicographic order, each a tuple of columns.
#[pyclass(module = "nqueens._native", frozen)]
pub(crate) struct Solutions {
    search: Mutex<nqueens::Solutions>,
    fundamental: bool,
}

#[pymethods]
impl Solutions {
    #[new]
    fn new(size: usize, fundamental: bool) -> PyResult<Self> {
        Ok(Self { search: Mutex::new(nqueens::solutions(board(size)?)), fundamental })
    }

    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        caught(|| {
            let mut search = alone(&self.search)?;
            let search = &mut *search;
            loop {
                let mut looks = 0;
                let stop = || {
                    looks += 1;
                    looks > PATIENCE
                };
                match py.detach(|| search.next_unless(stop)) {
                    Ok(Some(found)) if self.fundamental && !symmetry::is_fundamental(&found) => {}
                    Ok(found) => return found.map(|found| to_python(py, &found)).transpose(),
                    Err(_stopped) => py.check_signals()?,
                }
            }
        })
    }
}

/// Checks that queens in these columns are a solution.
#[pyfunction]
pub(crate) fn check(columns: Vec<usize>) -> PyResult<()> {
    caught(|| solution(&columns).map(drop))
}

/// Returns the eight images of a solution.
#[pyfunction]
pub(crate) fn symmetries(py: Python<'_>, columns: Vec<usize>) -> PyResult<Vec<Bound<'_, PyTuple>>> {
    caught(|| {
        let solution = solution(&columns)?;
        Symmetry::ALL.iter().map(|symmetry| to_python(py, &symmetry.apply(&solution))).collect()
    })
}

/// Returns true if a solution is the first of its orbit.
#[pyfunction]
pub(crate) fn is_fundamental(columns: Vec<usize>) -> PyResult<bool> {
    caught(|| Ok(symmetry::is_fundamental(&solution(&columns)?)))
}

/// Returns an SVG picture of boards of one size, each with a heading and the columns of the queens in its first rows.
#[pyfunction]
pub(crate) fn svg(size: usize, boards: Vec<(String, Vec<usize>)>, square: usize) -> PyResult<String> {
    caught(|| {
        let mut picture = Picture::new(board(size)?.size(), boards.len() > 1);
        for (heading, columns) in &boards {
            picture.add(heading, columns);
        }
        Ok(picture.svg(square))
    })
}

/// Returns an SVG picture of the counts by square.
#[pyfunction]
pub(crate) fn heat_map(counts: Vec<Vec<u128>>) -> PyResult<String> {
    caught(|| Ok(classic::heat_map(&counts)))
}

/// Returns the columns of the constructed solution of any board, each as 8 bytes.
#[pyfunction]
pub(crate) fn construct(py: Python<'_>, size: usize) -> PyResult<Bound<'_, PyBytes>> {
    caught(|| {
        let columns = classic::constructed(size, 0..size).into_iter().flatten();
        PyBytes::new_with(py, 8 * size, |bytes| {
            py.detach(|| {
                for (place, column) in bytes.chunks_exact_mut(8).zip(columns) {
                    place.copy_from_slice(&(column as u64).to_ne_bytes());
                }
            });
            Ok(())
        })
    })
}

/// Returns true if queens in these columns are a solution. Columns that are a solution only when numbered from 1 are an
/// error: false would be right, but easily misunderstood.
#[pyfunction]
pub(crate) fn is_solution(py: Python<'_>, columns: Vec<usize>) -> PyResult<bool> {
    caught(|| {
        let from_0 = || columns.iter().map(|column| column.checked_sub(1)).collect::<Option<Vec<_>>>();
        let (is_solution, is_one_from_1) = py.detach(|| {
            let is_solution = classic::is_solution(&columns);
            (is_solution, !is_solution && from_0().is_some_and(|columns| classic::is_solution(&columns)))
        });
        if is_one_from_1 {
            return Err(value_error(
                "columns are numbered from 0, and these are a solution if they are numbered from 1; \
                 give [column - 1 for column in columns]",
            ));
        }
        Ok(is_solution)
    })
}

type StepFields = (
    &'static str,
    (Option<usize>, Option<usize>),
    (Option<usize>, Option<String>),
    Option<u64>,
    String,
    Vec<usize>,
    (Vec<bool>, Vec<bool>, Vec<bool>),
);

/// An iterator over the steps of a search, each a tuple: the kind, the square, the attacking queen and its line, the
/// number of the solution, the sentence, the queens, and the flags of columns, anti-diagonals and diagonals.
#[pyclass(module = "nqueens._native", frozen)]
pub(crate) struct Trace(Mutex<classic::Trace>);

#[pymethods]
impl Trace {
    #[new]
    fn new(size: usize) -> PyResult<Self> {
        Ok(Self(Mutex::new(classic::Trace::new(board(size)?))))
    }

    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&self) -> PyResult<Option<StepFields>> {
        caught(|| {
            let mut search = alone(&self.0)?;
            let Some(step) = search.next() else { return Ok(None) };
            let (square, attacker, number) = match step {
                Step::Conflict { row, column, queen, line } => {
                    ((Some(row), Some(column)), (Some(queen), Some(line.to_string())), None)
                }
                Step::Place { row, column } | Step::Mark { row, column } | Step::Unmark { row, column } => {
                    ((Some(row), Some(column)), (None, None), None)
                }
                Step::Backtrack { row } => ((Some(row), None), (None, None), None),
                Step::Solution { number } => ((None, None), (None, None), Some(number)),
                _ => ((None, None), (None, None), None),
            };
            let position = search.position();
            let flags = |line| position.flags(line).to_vec();
            let arrays = (flags(Line::Column), flags(Line::AntiDiagonal), flags(Line::Diagonal));
            let sentence = step.describe(position.board());
            Ok(Some((step.kind(), square, attacker, number, sentence, position.queens().to_vec(), arrays)))
        })
    }
}

/// Returns the page that plays a trace, as the texts before and after the trace.
#[pyfunction]
pub(crate) fn player_page(size: usize) -> PyResult<(String, String)> {
    caught(|| Ok(classic::player_page(board(size)?)))
}

fn method(name: &str) -> PyResult<Method> {
    name.parse().map_err(value_error)
}

type CostFields = (Option<u64>, Option<u64>, u128, f64, String);

/// Measures a textbook method, or an engine with a kernel. Returns the candidates or nodes visited, the tests if it
/// makes any, the solutions, the seconds and the verdict; `None` if it is stopped at the limit.
#[pyfunction]
pub(crate) fn cost(
    py: Python<'_>,
    name: &str,
    kernel: Option<&str>,
    size: usize,
    limit: Option<f64>,
) -> PyResult<Option<CostFields>> {
    let (board, limit) = (board(size)?, seconds(limit)?);
    let contestant = match kernel {
        None => Contestant::Method(method(name)?),
        Some(kernel) => {
            let engine = name.parse().map_err(value_error)?;
            Contestant::Engine(engine, kernel.parse().map_err(value_error)?)
        }
    };
    let measured = watched(py, None, |cancel, _share| contestant.measure(board, limit, cancel, &|_| ()))?;
    let Measurement { visited, tests, seconds, outcome } = measured.map_err(run_error)?;
    match outcome {
        Outcome::Finished(solutions) => {
            let verdict = Verdict::compare(solutions, published::total(board)).to_string();
            Ok(Some((visited, tests, solutions, seconds, verdict)))
        }
        // An exception that stopped the method has been raised.
        Outcome::Stopped => Ok(None),
        Outcome::Refused(error) => Err(run_error(error)),
    }
}

/// Returns the number of candidates or nodes that a textbook method visits. The number of candidates is exact below
/// 2⁵³; the number of nodes is an estimate.
#[pyfunction]
pub(crate) fn expected_visits(method: &str, size: usize) -> PyResult<f64> {
    caught(|| Ok(self::method(method)?.expected_visits(board(size)?)))
}

/// Returns true if a textbook method visits nodes, and false if it visits candidates.
#[pyfunction]
pub(crate) fn is_backtracking(method: &str) -> PyResult<bool> {
    Ok(self::method(method)?.is_backtracking())
}

/// Counts the nodes of the backtracking tree by rows.
#[pyfunction]
#[pyo3(signature = (size, *, threads, progress))]
pub(crate) fn nodes_per_row(
    py: Python<'_>,
    size: usize,
    threads: Option<usize>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Vec<u64>> {
    let (board, threads) = (board(size)?, number_of_threads(threads));
    let counted = watched(py, progress, |cancel, share| {
        on_threads(threads, || classic::nodes_per_row(board, cancel, &|done| share.raise_to(done)))
    })?;
    // Only an exception stops the count, and has been raised already.
    counted.map_err(run_error)?.map_err(value_error)
}
