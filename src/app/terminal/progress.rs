//! The progress bar on standard error.

use crate::app::output::words::about_time;
use crate::app::terminal::Returning;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use nqueens::run::{Observer, Start, UnitResult};
use std::fmt;
use std::io::{self, Write as _};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// The interval between two draws. A shorter count shows no bar.
const BEAT: Duration = Duration::from_millis(250);

/// The bar that may be visible now.
static NOW: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// True once a bar has been drawn.
static DRAWN: AtomicBool = AtomicBool::new(false);

/// Writes to standard error without disturbing the bar.
pub(crate) fn above_bar(write: impl FnOnce()) {
    let bar = NOW.lock().unwrap_or_else(PoisonError::into_inner).clone();
    match bar {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}

/// Clears the bar's line before a panic message. The panic may come from drawing, so the bar itself is not used.
pub(crate) fn make_room_for_panics() {
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if DRAWN.load(Ordering::Relaxed) {
            // An error is ignored: the panic message matters more.
            let _ = io::stderr().write_all(b"\r\x1b[2K");
        }
        report(panic);
    }));
}

/// A bar that shows the finished work: the work of the counted units, or a share of the whole. It disappears when it
/// is dropped.
#[derive(Debug)]
pub(crate) struct Bar {
    drawn: ProgressBar,
    /// The work that was finished before the bar began. It does not count for the rate.
    before: Arc<AtomicU64>,
    /// The thread that shows the bar after the first interval, unless the sender is dropped before.
    curtain: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Bar {
    /// Creates a bar called `name`. It is drawn only if `visible` is true and standard error can show it.
    pub(crate) fn new(name: String, visible: bool) -> Self {
        let before = Arc::new(AtomicU64::new(0));
        let to_write = Arc::clone(&before);
        let write_left = move |state: &ProgressState, out: &mut dyn fmt::Write| {
            let (done, all) = (state.pos(), state.len().unwrap_or(0));
            // Writing to a string cannot fail.
            let _ = out.write_str(&left_in_words(done, to_write.load(Ordering::Relaxed), all, state.elapsed()));
        };
        let style = ProgressStyle::with_template("{prefix} [{wide_bar}] {percent:>3}%, {left}")
            .expect("the template is well formed")
            .progress_chars("=> ")
            .with_key("left", write_left);
        let drawn =
            ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden()).with_style(style).with_prefix(name);
        let (sender, dropped) = mpsc::channel();
        let bar = drawn.clone();
        let show = move || {
            if dropped.recv_timeout(BEAT) == Err(RecvTimeoutError::Timeout) {
                DRAWN.store(true, Ordering::Relaxed);
                bar.set_draw_target(ProgressDrawTarget::term_like_with_hz(Box::new(Returning::stderr()), 20));
                bar.enable_steady_tick(BEAT);
            }
        };
        *NOW.lock().unwrap_or_else(PoisonError::into_inner) = Some(drawn.clone());
        // If the thread cannot be started, there is no bar, but the work continues.
        let curtain = visible.then(|| thread::Builder::new().spawn(show).ok()).flatten();
        Self { drawn, before, curtain: curtain.map(|thread| (sender, thread)) }
    }

    /// Starts to measure the work. `all` is that of all units, `left` that of the remaining ones.
    fn begin(&self, all: u64, left: u64) {
        self.before.store(all - left, Ordering::Relaxed);
        self.drawn.set_length(all);
        self.drawn.set_position(all - left);
        self.drawn.reset_elapsed();
    }

    /// Sets the share of the work that is done, from 0 to 1.
    pub(crate) fn share(&self, done: f64) {
        /// The length of a bar that shows a share, because it takes whole numbers.
        const WHOLE: u64 = 1_000_000;
        self.drawn.set_length(WHOLE);
        self.drawn.set_position((done * WHOLE as f64) as u64);
    }
}

impl Observer for Bar {
    fn ready(&self, start: &Start<'_>) {
        let work = |units: &[usize]| start.plan.work_of(units.iter().copied());
        self.begin(work(start.units), work(start.left));
    }

    fn unit_done(&self, unit: &UnitResult) -> ControlFlow<()> {
        self.drawn.inc(unit.work);
        ControlFlow::Continue(())
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if let Some((sender, curtain)) = self.curtain.take() {
            drop(sender);
            // The thread returns nothing. It can only fail by a panic, which has been reported.
            let _ = curtain.join();
        }
        self.drawn.finish_and_clear();
        DRAWN.store(false, Ordering::Relaxed);
        *NOW.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

fn left_in_words(done: u64, before: u64, all: u64, elapsed: Duration) -> String {
    match time_left(done.saturating_sub(before), all.saturating_sub(before), elapsed) {
        Some(left) => format!("about {} left", about_time(left.as_secs_f64())),
        None => "time left not known yet".to_owned(),
    }
}

/// Returns the time left, at the rate of the finished work.
fn time_left(done: u64, all: u64, elapsed: Duration) -> Option<Duration> {
    (done > 0).then(|| elapsed.mul_f64(all.saturating_sub(done) as f64 / done as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_fills_with_the_weight_of_the_units() {
        let bar = Bar::new("test".into(), false);
        nqueens::Job::new(nqueens::Board::new(8).unwrap()).run_with(&nqueens::Cancel::new(), &bar).unwrap();
        assert_eq!(Some(bar.drawn.position()), bar.drawn.length());
        assert_ne!(bar.drawn.position(), 0);
    }

    #[test]
    fn the_bar_begins_with_what_is_done() {
        let bar = Bar::new("test".into(), false);
        bar.begin(100, 30);
        assert_eq!((bar.drawn.position(), bar.drawn.length()), (70, Some(100)));
        assert_eq!(bar.before.load(Ordering::Relaxed), 70);
    }

    #[test]
    fn the_bar_fills_with_a_share_of_the_work() {
        let bar = Bar::new("test".into(), false);
        bar.share(0.25);
        assert_eq!(bar.drawn.position() * 4, bar.drawn.length().unwrap());
    }

    #[test]
    fn what_is_left_goes_at_the_rate_of_what_is_done() {
        let elapsed = Duration::from_secs(30);
        assert_eq!(time_left(75, 100, elapsed), Some(Duration::from_secs(10)));
        assert_eq!(time_left(25, 100, elapsed), Some(Duration::from_secs(90)));
        assert_eq!(time_left(100, 100, elapsed), Some(Duration::ZERO));
        assert_eq!(time_left(0, 100, elapsed), None);
    }
}
