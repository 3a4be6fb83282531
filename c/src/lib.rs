//! The library for C. `nqueens.h` describes its functions.

#![allow(unsafe_code)]

use nqueens::{Board, Cancel, Count, Engine, Job, Kernel, RunError};
use std::error::Error;
use std::ffi::{CStr, c_char, c_int};
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// A count to be made, which any threads may use at the same time.
#[derive(Debug, Default)]
pub struct SharedJob {
    settings: Mutex<Settings>,
    signals: Signals,
}

/// What is to be counted, and how.
#[derive(Clone, Debug, Default)]
struct Settings {
    queens: usize,
    /// The number of threads; 0 stands for one on each CPU.
    threads: usize,
    engine: Option<String>,
    kernel: Option<String>,
}

/// What is said to a count, and what it says. A signal handler may use it, as nothing is locked.
#[derive(Debug, Default)]
pub(crate) struct Signals {
    is_cancelled: AtomicBool,
    /// The bits of the share that is done.
    share: AtomicU64,
}

impl Signals {
    /// Sets the share, unless it is already greater: threads tell theirs in any order.
    pub(crate) fn raise_share(&self, share: f64) {
        // Numbers from 0 on have the same order as their bits.
        self.share.fetch_max(share.to_bits(), Ordering::Relaxed);
    }

    pub(crate) fn share(&self) -> f64 {
        f64::from_bits(self.share.load(Ordering::Relaxed))
    }
}

/// A result of a count. Its texts end with a zero.
#[derive(Debug)]
#[repr(C)]
pub struct Outcome {
    pub(crate) total: [u8; 40],
    verdict: [u8; 16],
    engine: [u8; 16],
    kernel: [u8; 16],
    pub(crate) error: [u8; 512],
    seconds: f64,
    threads: usize,
}

impl SharedJob {
    fn settings(&self) -> MutexGuard<'_, Settings> {
        self.settings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self) -> Result<Count, Box<dyn Error>> {
        self.signals.share.store(0, Ordering::Relaxed);
        let Settings { queens, threads, engine, kernel } = self.settings().clone();
        let mut job = Job::new(Board::new(queens)?);
        if threads != 0 {
            job = job.threads(threads);
        }
        if let Some(engine) = engine {
            job = job.engine(engine.parse::<Engine>()?);
        }
        if let Some(kernel) = kernel {
            job = job.kernel(kernel.parse::<Kernel>()?);
        }
        run(&job, &self.signals)
    }
}

/// Counts in another thread. This one looks at the flag, because a signal handler cannot wake anybody.
pub(crate) fn run(job: &Job, signals: &Signals) -> Result<Count, Box<dyn Error>> {
    if signals.is_cancelled.load(Ordering::Relaxed) {
        return Err(RunError::Cancelled { done: 0, units: 0 }.into());
    }
    let cancel = Cancel::new();
    thread::scope(|scope| {
        let (counting, ended) = channel::<()>();
        let count = thread::Builder::new().spawn_scoped(scope, || {
            // The channel is closed when this thread is over.
            let _counting = counting;
            job.run_with(&cancel, &|done: f64| signals.raise_share(done))
        });
        let count = count.map_err(|error| RunError::pool(1, error))?;
        loop {
            if signals.is_cancelled.load(Ordering::Relaxed) {
                cancel.cancel();
            }
            if ended.recv_timeout(Duration::from_millis(50)) != Err(RecvTimeoutError::Timeout) {
                break;
            }
        }
        let count = count.join().map_err(|_| "the library panicked, and wrote the reason to standard error")?;
        Ok(count?)
    })
}

/// Returns the code and the outcome of a count.
pub(crate) fn outcome(counted: Result<Count, Box<dyn Error>>) -> (c_int, Outcome) {
    let nothing = Outcome {
        total: [0; 40],
        verdict: [0; 16],
        engine: [0; 16],
        kernel: [0; 16],
        error: [0; 512],
        seconds: 0.0,
        threads: 0,
    };
    match counted {
        Ok(count) => {
            let wrong = count.checked_total().err().map(|error| error.to_string());
            let outcome = Outcome {
                total: text(&count.total.to_string()),
                verdict: text(&count.verdict().to_string()),
                engine: text(count.engine.name()),
                kernel: text(count.kernel.name()),
                error: text(wrong.as_deref().unwrap_or_default()),
                seconds: count.elapsed.as_secs_f64(),
                threads: count.threads,
            };
            (if wrong.is_some() { 3 } else { 0 }, outcome)
        }
        Err(error) => {
            let is_cancelled = matches!(error.downcast_ref(), Some(RunError::Cancelled { .. }));
            (if is_cancelled { 1 } else { 2 }, Outcome { error: text(&error.to_string()), ..nothing })
        }
    }
}

/// Returns a text that ends with a zero, shortened if it has to be.
fn text<const SIZE: usize>(words: &str) -> [u8; SIZE] {
    let length = (0..SIZE).rev().find(|&end| words.is_char_boundary(end)).unwrap_or(0);
    let mut text = [0; SIZE];
    text[..length].copy_from_slice(&words.as_bytes()[..length]);
    text
}

/// Returns a name of C, or `None` for `auto` and NULL.
///
/// # Safety
/// `name` is NULL or a text that ends with a zero.
unsafe fn named(name: *const c_char) -> Option<String> {
    // SAFETY: the caller says that this is a text.
    let name = (!name.is_null()).then(|| unsafe { CStr::from_ptr(name) })?;
    Some(name.to_string_lossy().into_owned()).filter(|name| name != "auto")
}

/// Returns a job, which [`nqueens_free`] ends.
#[unsafe(no_mangle)]
pub extern "C" fn nqueens_new(queens: usize) -> *mut SharedJob {
    let settings = Mutex::new(Settings { queens, ..Settings::default() });
    Box::into_raw(Box::new(SharedJob { settings, ..SharedJob::default() }))
}

/// Ends a job.
///
/// # Safety
/// `job` is NULL or of [`nqueens_new`], and nobody uses it now or later.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nqueens_free(job: *mut SharedJob) {
    if !job.is_null() {
        // SAFETY: a box of this crate made it, and nobody else has it.
        drop(unsafe { Box::from_raw(job) });
    }
}

/// Sets the number of threads.
#[unsafe(no_mangle)]
pub extern "C" fn nqueens_set_threads(job: Option<&SharedJob>, threads: usize) {
    if let Some(job) = job {
        job.settings().threads = threads;
    }
}

/// Sets the engine.
///
/// # Safety
/// `engine` is NULL or a text that ends with a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nqueens_set_engine(job: Option<&SharedJob>, engine: *const c_char) {
    if let Some(job) = job {
        // SAFETY: the caller says the same.
        job.settings().engine = unsafe { named(engine) };
    }
}

/// Sets the kernel.
///
/// # Safety
/// `kernel` is NULL or a text that ends with a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nqueens_set_kernel(job: Option<&SharedJob>, kernel: *const c_char) {
    if let Some(job) = job {
        // SAFETY: the caller says the same.
        job.settings().kernel = unsafe { named(kernel) };
    }
}

/// Counts, and returns a code. Without a result, nothing is counted.
#[unsafe(no_mangle)]
pub extern "C" fn nqueens_run(job: Option<&SharedJob>, result: Option<&mut MaybeUninit<Outcome>>) -> c_int {
    let Some(result) = result else { return 2 };
    let counted = job.map_or_else(|| Err("the job is NULL; give one of nqueens_new".into()), SharedJob::run);
    let (code, outcome) = outcome(counted);
    result.write(outcome);
    code
}

/// Cancels a job, for good.
#[unsafe(no_mangle)]
pub extern "C" fn nqueens_cancel(job: Option<&SharedJob>) {
    if let Some(job) = job {
        job.signals.is_cancelled.store(true, Ordering::Relaxed);
    }
}

/// Returns the share of the count that is done.
#[unsafe(no_mangle)]
pub extern "C" fn nqueens_share(job: Option<&SharedJob>) -> f64 {
    job.map_or(0.0, |job| job.signals.share())
}

/// Returns the version of the library.
#[unsafe(no_mangle)]
pub extern "C" fn nqueens_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}
