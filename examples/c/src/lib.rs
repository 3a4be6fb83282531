//! The library for C. `nqueens.h` describes its functions.

#![allow(unsafe_code)]

use nqueens::{Board, Cancel, Job, RunError};
use std::ffi::{c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// The size of a text, in bytes, with the zero at its end.
const TEXT: usize = 512;

/// Counts, and writes the total or the reason why there is none.
///
/// # Safety
/// `progress` may be called with `data`, and `text` is the address of [`TEXT`] bytes that may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nqueens_count(
    queens: usize,
    threads: usize,
    progress: Option<unsafe extern "C" fn(f64, *mut c_void) -> c_int>,
    data: *mut c_void,
    text: *mut c_char,
) -> c_int {
    // SAFETY: the caller says that this call is allowed.
    let stops = progress.map(|progress| move |share| unsafe { progress(share, data) != 0 });
    let (code, words) = answer(|| {
        let job = Job::new(Board::new(queens)?);
        count(&if threads == 0 { job } else { job.threads(threads) }, stops)
    });
    let length = (0..TEXT).rev().find(|&end| words.is_char_boundary(end)).unwrap_or(0);
    // SAFETY: the caller gives room for `TEXT` bytes, and the length is less.
    unsafe {
        text.copy_from_nonoverlapping(words.as_ptr().cast(), length);
        text.add(length).write(0);
    }
    code
}

/// Returns the code and the text of a count.
pub(crate) fn answer(count: impl FnOnce() -> Result<u128, RunError>) -> (c_int, String) {
    // A panic must not reach C.
    match catch_unwind(AssertUnwindSafe(count)) {
        Ok(Ok(total)) => (0, total.to_string()),
        Ok(Err(error @ RunError::Cancelled { .. })) => (1, error.to_string()),
        Ok(Err(error @ RunError::WrongTotal { .. })) => (3, error.to_string()),
        Ok(Err(error)) => (2, error.to_string()),
        Err(_) => (2, "the library panicked, and wrote the reason to standard error".to_owned()),
    }
}

/// Counts until the function `stops`, and returns a total that was compared with the published one.
pub(crate) fn count(job: &Job, stops: Option<impl Fn(f64) -> bool>) -> Result<u128, RunError> {
    // A quick count is over before it could be asked whether to go on.
    let Some(stops) = stops.filter(|_| !job.is_quick()) else { return job.run()?.checked_total() };
    let (cancel, share) = (Cancel::new(), AtomicU64::new(0));
    thread::scope(|scope| {
        let (counting, ended) = channel::<()>();
        let count = thread::Builder::new().spawn_scoped(scope, || {
            // The channel is closed when this thread is over.
            let _counting = counting;
            job.run_with(&cancel, &|done: f64| share.store(done.to_bits(), Ordering::Relaxed))
        });
        let count = count.map_err(|error| RunError::pool(1, error))?;
        while ended.recv_timeout(Duration::from_millis(50)) == Err(RecvTimeoutError::Timeout) {
            if !cancel.is_cancelled() && stops(f64::from_bits(share.load(Ordering::Relaxed))) {
                cancel.cancel();
            }
        }
        count.join().unwrap_or_else(|panic| resume_unwind(panic))?.checked_total()
    })
}

/// Returns the version of the library.
#[unsafe(no_mangle)]
pub extern "C" fn nqueens_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}
