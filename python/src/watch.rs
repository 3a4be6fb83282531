//! Long computations: they run without the interpreter, Ctrl-C stops them, and a panic becomes an exception.

use nqueens::{Cancel, CancelOnDrop};
use pyo3::exceptions::{PyRuntimeError, PyUserWarning};
use pyo3::prelude::*;
use std::any::Any;
use std::ffi::CString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// The time between two checks of the signals and the progress.
const BEAT: Duration = Duration::from_millis(50);

/// The share of a computation that is done, from 0 to 1, and the warnings that Python has not got yet.
#[derive(Default)]
pub(crate) struct Share(AtomicU64, Mutex<Vec<String>>);

impl Share {
    /// Sets the share, unless it is already greater.
    pub(crate) fn raise_to(&self, share: f64) {
        // Numbers from 0 on have the same order as their bits.
        self.0.fetch_max(share.clamp(0.0, 1.0).to_bits(), Ordering::Relaxed);
    }

    fn get(&self) -> f64 {
        f64::from_bits(self.0.load(Ordering::Relaxed))
    }

    /// Leaves a warning to the caller's thread.
    pub(crate) fn warn(&self, text: String) {
        self.warnings().push(text);
    }

    fn warnings(&self) -> MutexGuard<'_, Vec<String>> {
        self.1.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives the warnings to Python, as `warnings.warn` does. They name the line that called the package: Python shows
    /// a warning once for each line.
    fn pass_warnings(&self, py: Python<'_>) -> PyResult<()> {
        let (category, texts) = (py.get_type::<PyUserWarning>(), std::mem::take(&mut *self.warnings()));
        texts.into_iter().try_for_each(|text| PyErr::warn(py, &category, &CString::new(text)?, callers_level(py)?))
    }
}

/// Returns the stack level of the innermost function that is not of this package.
fn callers_level(py: Python<'_>) -> PyResult<i32> {
    let (mut frame, mut level) = (py.import("sys")?.call_method0("_getframe")?, 1);
    while !frame.is_none() {
        let module = frame.getattr("f_globals")?.call_method1("get", ("__name__",))?;
        if !module.extract::<String>().is_ok_and(|name| name.starts_with("nqueens_count.")) {
            break;
        }
        (frame, level) = (frame.getattr("f_back")?, level + 1);
    }
    Ok(level)
}

/// The threads of a computation, and the function that hears of its progress.
#[derive(FromPyObject)]
pub(crate) struct Execution<'py>(Option<usize>, Option<Bound<'py, PyAny>>);

impl<'py> Execution<'py> {
    /// Returns the number of threads: by default, one for each CPU that this process may use.
    pub(crate) fn threads(&self) -> usize {
        self.0.unwrap_or_else(nqueens::machine::default_threads)
    }

    pub(crate) fn named_threads(&self) -> Option<usize> {
        self.0
    }

    pub(crate) fn progress(&self) -> Option<&Bound<'py, PyAny>> {
        self.1.as_ref()
    }
}

/// Does `work` in another thread, while other Python threads go on. Many times a second, `progress` is called in the
/// caller's thread with the share that is done. The work is asked to stop when `progress` raises an exception, or when
/// a signal's handler does.
///
/// # Errors
/// The exception that stopped the work, or a `RuntimeError` if the work panics or its thread cannot be started.
pub(crate) fn watched<R: Send>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Cancel, &Share) -> R + Send,
) -> PyResult<R> {
    let (cancel, share, over) = (Cancel::new(), Share::default(), Cancel::new());
    let report = |share: f64| progress.map_or(Ok(()), |progress| progress.call1((share,)).map(drop));
    let mut raised = None;
    let done = thread::scope(|scope| {
        let (cancel, share, end) = (&cancel, &share, CancelOnDrop(over.clone()));
        let body = move || {
            let _end = end;
            // This is unwind safe: the state of the work is dropped.
            catch_unwind(AssertUnwindSafe(|| work(cancel, share)))
        };
        let worker = thread::Builder::new()
            .name("nqueens".to_owned())
            .spawn_scoped(scope, body)
            .map_err(|error| PyRuntimeError::new_err(format!("cannot start a thread: {error}")))?;
        let mut is_over = false;
        while !is_over {
            is_over = py.detach(|| over.wait(BEAT));
            if raised.is_none() {
                let passed = py.check_signals().and_then(|()| share.pass_warnings(py));
                raised = passed.and_then(|()| report(share.get())).err();
            }
            if raised.is_some() {
                cancel.cancel();
            }
        }
        let done = py.detach(|| worker.join()).and_then(|done| done);
        done.map_err(|panic| panicked(&*panic))
    });
    match raised {
        Some(error) => Err(error),
        None => done,
    }
}

/// Does work like [`watched`], or in the caller's thread if it takes only a moment.
pub(crate) fn watched_unless<R: Send>(
    is_quick: bool,
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Cancel, &Share) -> R + Send,
) -> PyResult<R> {
    if is_quick { caught(|| Ok(work(&Cancel::new(), &Share::default()))) } else { watched(py, progress, work) }
}

/// Does work that takes only a moment, and returns a panic in it as a `RuntimeError`.
pub(crate) fn caught<R>(work: impl FnOnce() -> PyResult<R>) -> PyResult<R> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(panicked(&*panic)))
}

fn panicked(panic: &(dyn Any + Send)) -> PyErr {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message");
    PyRuntimeError::new_err(format!("the library panicked, which is a bug in it or a fault of the machine: {text}"))
}

/// Panics, for the tests.
#[cfg(debug_assertions)]
#[pyfunction]
#[pyo3(name = "_panic")]
pub(crate) fn _panic(py: Python<'_>, in_another_thread: bool) -> PyResult<()> {
    if in_another_thread { watched(py, None, |_, _| panic!("on purpose")) } else { caught(|| panic!("on purpose")) }
}
