//! Solutions, symmetries, pictures, methods and the trace.

use crate::arguments::{Squares, board, run_error, seconds, setup, solution, value_error};
use crate::watch::{caught, watched};
use nqueens::classic::{self, Contestant, Line, Measurement, Method, Outcome, Step};
use nqueens::symmetry::Symmetry;
use nqueens::{Engine, Solution, Verdict, classic::Picture, published};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};

/// The number of rows searched between two checks for signals.
const PATIENCE: u32 = 1 << 20;

fn to_python<'py>(py: Python<'py>, solution: &Solution) -> PyResult<Bound<'py, PyTuple>> {
    PyTuple::new(py, solution.columns())
}

/// An iterator over the solutions of a board in lexicographic order, each a tuple of columns.
#[pyclass(module = "nqueens_count._native")]
pub(crate) struct Solutions {
    search: nqueens::Solutions,
    fundamental: bool,
}

#[pymethods]
impl Solutions {
    #[new]
    fn new(size: usize, queens: Squares, blocked: Squares, fundamental: bool) -> PyResult<Self> {
        Ok(Self { search: setup(size, queens, blocked)?.solutions(), fundamental })
    }

    fn __next__<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        caught(|| {
            loop {
                let mut looks = 0;
                let stop = || {
                    looks += 1;
                    looks > PATIENCE
                };
                match py.detach(|| self.search.next_unless(stop)) {
                    Ok(Some(found)) if self.fundamental && !found.is_fundamental() => {}
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
        let bytes: Vec<u8> = py.detach(|| {
            let columns = classic::construct(size).unwrap_or_default();
            columns.into_iter().flat_map(|column| (column as u64).to_ne_bytes()).collect()
        });
        Ok(PyBytes::new(py, &bytes))
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

/// The fields of a `Step` but its number.
#[derive(IntoPyObject)]
pub(crate) struct StepFields<'py> {
    kind: &'static str,
    row: Option<usize>,
    column: Option<usize>,
    queen: Option<usize>,
    line: Option<String>,
    free: Option<Bound<'py, PyTuple>>,
    solution: Option<u64>,
    text: String,
    queens: Bound<'py, PyTuple>,
    columns: Bound<'py, PyTuple>,
    antidiagonals: Bound<'py, PyTuple>,
    diagonals: Bound<'py, PyTuple>,
}

/// An iterator over the steps of a search.
#[pyclass(module = "nqueens_count._native")]
pub(crate) struct Trace(classic::Trace);

#[pymethods]
impl Trace {
    #[new]
    fn new(size: usize, method: &str, queens: Squares, blocked: Squares) -> PyResult<Self> {
        let method: Method = method.parse().map_err(value_error)?;
        let trace = classic::Trace::of(method, setup(size, queens, blocked)?);
        trace.map(Self).ok_or_else(|| value_error(format!("the method {method} has no steps")))
    }

    fn __next__<'py>(&mut self, py: Python<'py>) -> PyResult<Option<StepFields<'py>>> {
        caught(|| {
            let Some(step) = self.0.next() else { return Ok(None) };
            let (row, column) = match step {
                Step::Blocked { row, column }
                | Step::Compare { row, column, .. }
                | Step::Conflict { row, column, .. }
                | Step::Place { row, column }
                | Step::Mark { row, column }
                | Step::Unmark { row, column }
                | Step::Remove { row, column } => (Some(row), Some(column)),
                Step::Free { row, .. } | Step::Backtrack { row } => (Some(row), None),
                _ => (None, None),
            };
            let (queen, line) = match step {
                Step::Conflict { queen, line, .. } => (Some(queen), Some(line.to_string())),
                Step::Compare { queen, .. } => (Some(queen), None),
                _ => (None, None),
            };
            let free = match step {
                Step::Free { columns, .. } => {
                    let free: Vec<u32> = (0..u32::BITS).filter(|column| columns >> column & 1 == 1).collect();
                    Some(PyTuple::new(py, free)?)
                }
                _ => None,
            };
            let solution = if let Step::Solution { number } = step { Some(number) } else { None };
            let position = self.0.position();
            let flags = |line| PyTuple::new(py, position.flags(line));
            Ok(Some(StepFields {
                kind: step.kind(),
                row,
                column,
                queen,
                line,
                free,
                solution,
                text: step.describe(position.board()),
                queens: PyTuple::new(py, position.queens())?,
                columns: flags(Line::Column)?,
                antidiagonals: flags(Line::AntiDiagonal)?,
                diagonals: flags(Line::Diagonal)?,
            }))
        })
    }
}

/// Returns a board with given queens and blocked squares in a line, as the program's documents have it.
#[pyfunction]
pub(crate) fn setup_in_line(size: usize, queens: Squares, blocked: Squares) -> PyResult<String> {
    caught(|| Ok(setup(size, queens, blocked)?.to_string().replace('\n', "/")))
}

/// Returns the page that plays a trace, as the texts before and after the trace.
#[pyfunction]
pub(crate) fn player_page(size: usize) -> PyResult<(String, String)> {
    caught(|| Ok(classic::player_page(board(size)?)))
}

/// A number of visits: exact, or an estimate.
#[derive(IntoPyObject)]
enum Visits {
    Exact(u64),
    Expected(f64),
}

/// The fields of a `Cost` but the method's name and the size of the board.
#[derive(IntoPyObject)]
pub(crate) struct CostFields {
    visited: Option<u64>,
    visits: Option<&'static str>,
    kernel: Option<&'static str>,
    outcome: String,
    expected_visits: Option<Visits>,
    tests: Option<u64>,
    solutions: Option<u128>,
    seconds: Option<f64>,
}

/// Measures a textbook method, or an engine with a kernel: its best one, unless the method names another.
#[pyfunction]
pub(crate) fn cost(py: Python<'_>, method: &str, size: usize, limit: Option<f64>) -> PyResult<CostFields> {
    let (board, limit) = (board(size)?, seconds(limit)?);
    let (contestant, visits, kernel) = if let Ok(method) = method.parse::<Method>() {
        let visits = if method.is_backtracking() { "nodes" } else { "candidates" };
        (Contestant::Method(method), Some(visits), None)
    } else {
        let (engine, kernel) = method.split_once(' ').unwrap_or((method, ""));
        let engine: Engine = engine.parse().map_err(value_error)?;
        let best = engine.kernels()[0];
        let kernel = if kernel.is_empty() { best } else { kernel.parse().map_err(value_error)? };
        (Contestant::Engine(engine, kernel), (engine == Engine::Backtrack).then_some("nodes"), Some(kernel.name()))
    };
    let measured = watched(py, None, |cancel, _share| contestant.measure(board, limit, cancel, &|_| ()))?;
    let Measurement { visited, tests, seconds, outcome } = measured.map_err(run_error)?;
    let (outcome, solutions) = match outcome {
        Outcome::Finished(found) => (Verdict::compare(found, published::total(board)).to_string(), Some(found)),
        Outcome::Stopped => ("not finished".to_owned(), None),
        Outcome::Refused(error) => return Err(run_error(error)),
    };
    let is_finished = solutions.is_some();
    let visited = visited.filter(|_| is_finished);
    let expected = contestant.expected_visits(board);
    Ok(CostFields {
        visited,
        visits: visits.filter(|_| !is_finished || visited.is_some()),
        kernel,
        outcome,
        expected_visits: expected.map(|expected| visited.map_or(Visits::Expected(expected), Visits::Exact)),
        tests: tests.filter(|_| is_finished),
        solutions,
        seconds: is_finished.then_some(seconds),
    })
}
