//! The progress bar on standard error.

use crate::app::output::words::about_time;
use crate::app::terminal::Returning;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use nqueens::run::{Observer, Pace, Start, UnitResult};
use std::fmt;
use std::io::{self, Write as _};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

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

/// The least share of a whole after which the time left is told.
const FORETOLD_FROM: f64 = 0.05;

/// The end of a count, foretold by the pace of its finished units.
#[derive(Debug, Default)]
struct Forecast {
    threads: usize,
    /// The work that is not done.
    left: u64,
    pace: Pace,
    /// The expected end; `None` if it is not known yet.
    end: Option<Instant>,
}

impl Forecast {
    /// Adds a unit that a thread finished at `now`. The end is known once there is one for each thread.
    fn add(&mut self, work: u64, elapsed: Duration, cpu_time: Option<Duration>, now: Instant) {
        self.left = self.left.saturating_sub(work);
        self.pace.add(work, elapsed.as_secs_f64(), cpu_time.map(|time| time.as_secs_f64()));
        if self.pace.units >= self.threads {
            // The units of the other threads are taken to be half done.
            let begun = self.threads.saturating_sub(1) as u64 * (self.pace.work / self.pace.units as u64) / 2;
            let left = self.pace.seconds(self.left.saturating_sub(begun), self.threads);
            let left = left.and_then(|left| Duration::try_from_secs_f64(left).ok());
            self.end = left.and_then(|left| now.checked_add(left));
        }
    }

    /// Returns the time left at `now` in words; nothing if it is not known.
    fn left_in_words(&self, now: Instant) -> String {
        let left = self.end.map(|end| end.saturating_duration_since(now)).filter(|left| !left.is_zero());
        left.map_or(String::new(), |left| format!(", about {} left", about_time(left.as_secs_f64())))
    }
}

/// A bar that shows the finished work: the work of the counted units, or a share of the whole. It disappears when it
/// is dropped.
#[derive(Debug)]
pub(crate) struct Bar {
    drawn: ProgressBar,
    forecast: Arc<Mutex<Forecast>>,
    /// The thread that shows the bar after the first interval, unless the sender is dropped before.
    curtain: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Bar {
    /// Creates a bar called `name`. It is drawn only if `visible` is true and standard error can show it.
    pub(crate) fn new(name: String, visible: bool) -> Self {
        let forecast = Arc::new(Mutex::new(Forecast::default()));
        let shown = Arc::clone(&forecast);
        let write_rest = move |state: &ProgressState, out: &mut dyn fmt::Write| {
            let percent = 100 * u128::from(state.pos()) / u128::from(state.len().unwrap_or(0).max(1));
            let left = locked(&shown).left_in_words(Instant::now());
            // Writing to a string cannot fail.
            let _ = write!(out, "{percent:>3}%{left}");
        };
        let style = ProgressStyle::with_template("{prefix} [{wide_bar}] {rest}")
            .expect("the template is well formed")
            .progress_chars("=> ")
            .with_key("rest", write_rest);
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
        Self { drawn, forecast, curtain: curtain.map(|thread| (sender, thread)) }
    }

    /// Starts to measure the work. `all` is that of all units, `left` that of the remaining ones.
    fn begin(&self, all: u64, left: u64, threads: usize) {
        *locked(&self.forecast) = Forecast { threads, left, ..Forecast::default() };
        self.drawn.set_length(all);
        self.drawn.set_position(all - left);
    }

    /// Sets the share of the time that has passed, from 0 to 1.
    pub(crate) fn share(&self, passed: f64) {
        /// The length of a bar that shows a share, because it takes whole numbers.
        const WHOLE: f64 = 1e6;
        self.steps((passed * WHOLE) as usize, WHOLE as usize);
        let left = Duration::try_from_secs_f64(self.drawn.elapsed().as_secs_f64() * (1.0 / passed - 1.0)).ok();
        let left = left.filter(|_| passed >= FORETOLD_FROM);
        locked(&self.forecast).end = left.and_then(|left| Instant::now().checked_add(left));
    }

    /// Sets the number of steps that are done, which do not tell the time left because they take unequal times.
    pub(crate) fn steps(&self, done: usize, all: usize) {
        self.drawn.set_length(all as u64);
        self.drawn.set_position(done as u64);
    }
}

impl Observer for Bar {
    fn ready(&self, start: &Start<'_>) {
        let work = |units: &[usize]| start.plan.work_of(units.iter().copied());
        self.begin(work(start.units), work(start.left), start.threads);
    }

    fn unit_done(&self, unit: &UnitResult) -> ControlFlow<()> {
        locked(&self.forecast).add(unit.work, unit.elapsed, unit.cpu_time, Instant::now());
        self.drawn.inc(unit.work);
        ControlFlow::Continue(())
    }

    fn takes_cpu_time(&self) -> bool {
        self.curtain.is_some()
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

fn locked(forecast: &Mutex<Forecast>) -> MutexGuard<'_, Forecast> {
    forecast.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_fills_with_the_work_of_the_units() {
        let bar = Bar::new("test".into(), false);
        nqueens::Job::new(nqueens::Board::new(8).unwrap()).run_with(&nqueens::Cancel::new(), &bar).unwrap();
        assert_eq!(Some(bar.drawn.position()), bar.drawn.length());
        assert_ne!(bar.drawn.position(), 0);
    }

    #[test]
    fn the_bar_begins_with_what_is_done() {
        let bar = Bar::new("test".into(), false);
        bar.begin(100, 30, 1);
        assert_eq!((bar.drawn.position(), bar.drawn.length()), (70, Some(100)));
        assert_eq!(locked(&bar.forecast).left, 30);
    }

    /// Of 50 units of a second on two threads, after tables that took a hundred seconds.
    #[test]
    fn the_first_time_left_is_that_of_counting_and_not_of_making_tables() {
        let begun = Instant::now() + Duration::from_secs(100);
        let foretold = |threads: usize| {
            let mut forecast = Forecast { threads, left: 500, ..Forecast::default() };
            let told = |unit: usize| {
                let now = begun + Duration::from_secs((unit / threads + 1) as u64);
                forecast.add(10, Duration::from_secs(1), None, now);
                forecast.left_in_words(now)
            };
            (0..50).map(told).collect::<Vec<_>>()
        };
        assert_eq!(foretold(1)[..2], [", about 49 s left", ", about 48 s left"]);
        assert_eq!(foretold(2)[..3], ["", ", about 24 s left", ", about 23 s left"]);
        assert_eq!(foretold(1)[49], "", "nothing is left");
    }
}
