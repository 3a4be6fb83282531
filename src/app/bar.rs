//! The progress bar on standard error.

use crate::app::output::words::about_time;
use nqueens::{Cancel, CancelOnDrop, Observer, Plan, UnitResult};
use std::io::{Write as _, stderr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use terminal_size::terminal_size_of;

/// The interval between two draws. A shorter count shows no bar.
const REDRAW: Duration = Duration::from_millis(250);

/// True while there is a bar on the last line. Whoever writes to standard error holds the lock.
static IS_DRAWN: Mutex<bool> = Mutex::new(false);

/// Writes to standard error without disturbing the bar, which is drawn again at its next beat.
pub(crate) fn above_bar(write: impl FnOnce()) {
    let mut is_drawn = locked(&IS_DRAWN);
    if std::mem::take(&mut *is_drawn) {
        draw(|_| String::new());
    }
    write();
}

/// Replaces the line of the bar by the `line` for a width. The cursor stays at the beginning, so that the next draw
/// also erases the `^C` that the terminal echoes. In the background (after `bg`), nothing is drawn, because the line
/// belongs to the shell.
fn draw(line: impl FnOnce(usize) -> String) {
    #[cfg(unix)]
    if rustix::termios::tcgetpgrp(stderr()).is_ok_and(|group| group != rustix::process::getpgrp()) {
        return;
    }
    // The last column stays free, because some terminals go to the next line after it.
    let width = terminal_size_of(stderr()).map_or(80, |(width, _)| usize::from(width.0)) - 1;
    // A console of Windows knows escape sequences only if a program turned them on.
    let blank = if cfg!(windows) { " ".repeat(width) + "\r" } else { "\x1b[2K".to_owned() };
    // An error is ignored: if the bar cannot be shown, neither can a message about that.
    let _ = stderr().write_all(format!("\r{blank}{}\r", line(width)).as_bytes());
}

/// The time left is told only after this share of the time.
const FORETOLD_FROM: f64 = 0.05;

/// The work of a command, its finished part, and the end that the pace of the finished units foretells.
#[derive(Debug)]
struct BarState {
    name: String,
    begun: Instant,
    threads: usize,
    /// All the work; `done` is the finished part.
    all: u64,
    done: u64,
    /// The counted units, their work, and the seconds that their threads took.
    units: usize,
    work: u64,
    seconds: f64,
    /// The expected end; `None` if it is not known yet.
    end: Option<Instant>,
}

impl BarState {
    fn new(name: String) -> Self {
        Self { name, begun: Instant::now(), threads: 1, all: 0, done: 0, units: 0, work: 0, seconds: 0.0, end: None }
    }

    /// Adds a unit that a thread finished at `now`. The end is known once there are as many units as threads.
    fn add(&mut self, work: u64, elapsed: Duration, now: Instant) {
        self.done += work;
        self.units += 1;
        self.work += work;
        self.seconds += elapsed.as_secs_f64();
        if self.units >= self.threads {
            // The units of the other threads are taken to be half done.
            let begun = self.threads.saturating_sub(1) as u64 * (self.work / self.units as u64) / 2;
            let left = self.all.saturating_sub(self.done).saturating_sub(begun);
            let left = self.seconds * left as f64 / (self.work as f64 * self.threads as f64);
            self.end = Duration::try_from_secs_f64(left).ok().and_then(|left| now.checked_add(left));
        }
    }

    /// Returns the time left at `now` in words; an empty text if it is not known.
    fn left_in_words(&self, now: Instant) -> String {
        let left = self.end.map(|end| end.saturating_duration_since(now)).filter(|left| !left.is_zero());
        left.map_or(String::new(), |left| format!(", about {} left", about_time(left.as_secs_f64())))
    }

    /// Returns the bar at `now`, with at most `width` characters.
    fn line(&self, width: usize, now: Instant) -> String {
        let part = |whole: usize| (whole as u128 * u128::from(self.done) / u128::from(self.all.max(1))) as usize;
        let rest = format!("{:>3}%{}", part(100), self.left_in_words(now));
        let room = width.saturating_sub(self.name.len() + " [] ".len() + rest.len());
        let filled = "=".repeat(part(room)) + if part(room) < room { ">" } else { "" };
        let bar = if room == 0 { String::new() } else { format!("[{filled:<room$}] ") };
        format!("{} {bar}{rest}", self.name).chars().take(width).collect()
    }
}

/// A bar that shows the finished work: the work of the counted units, or a share of the whole. It disappears when it
/// is dropped.
#[derive(Debug)]
pub(crate) struct Bar {
    progress: Arc<Mutex<BarState>>,
    /// The thread that draws the bar at each beat, and what ends it.
    painter: Option<(CancelOnDrop, JoinHandle<()>)>,
}

impl Bar {
    /// Creates a bar called `name`. It is drawn only if `visible` is true.
    pub(crate) fn new(name: String, visible: bool) -> Self {
        let progress = Arc::new(Mutex::new(BarState::new(name)));
        let shown = Arc::clone(&progress);
        let over = Cancel::new();
        let end = CancelOnDrop(over.clone());
        let paint = move || {
            while !over.wait(REDRAW) {
                let mut is_drawn = locked(&IS_DRAWN);
                *is_drawn = true;
                draw(|width| locked(&shown).line(width, Instant::now()));
            }
        };
        // If the thread cannot be started, there is no bar, but the work continues.
        let painter = visible.then(|| thread::Builder::new().spawn(paint).ok()).flatten();
        Self { progress, painter: painter.map(|thread| (end, thread)) }
    }

    /// Says which units `threads` threads count, and which of them are left, before the bar observes them.
    pub(crate) fn expect(&self, plan: &Plan, threads: usize, units: &[usize], left: &[usize]) {
        let work = |units: &[usize]| plan.work_of(units.iter().copied());
        let mut progress = locked(&self.progress);
        (progress.all, progress.threads) = (work(units), threads);
        progress.done = progress.all - work(left);
    }

    /// Sets the share of the time that has passed, from 0 to 1.
    pub(crate) fn share(&self, passed: f64) {
        /// The number of steps of a bar that shows a share, because a bar takes whole numbers.
        const WHOLE: f64 = 1e6;
        self.steps((passed * WHOLE) as usize, WHOLE as usize);
        let mut progress = locked(&self.progress);
        let left = Duration::try_from_secs_f64(progress.begun.elapsed().as_secs_f64() * (1.0 / passed - 1.0)).ok();
        let left = left.filter(|_| passed >= FORETOLD_FROM);
        progress.end = left.and_then(|left| Instant::now().checked_add(left));
    }

    /// Sets the number of steps that are done. They do not tell the time left, because they take unequal times.
    pub(crate) fn steps(&self, done: usize, all: usize) {
        let mut progress = locked(&self.progress);
        (progress.done, progress.all) = (done as u64, all as u64);
    }
}

impl Observer for Bar {
    fn unit_done(&self, unit: &UnitResult) {
        locked(&self.progress).add(unit.work, unit.elapsed, Instant::now());
    }

    fn progress(&self, share: f64) {
        self.share(share);
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if let Some((end, painter)) = self.painter.take() {
            drop(end);
            // The thread returns nothing. It can only fail by a panic, which has been reported.
            let _ = painter.join();
            above_bar(|| ());
        }
    }
}

fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nqueens::{Board, Job};

    #[test]
    fn the_bar_fills_with_the_work_of_the_units() {
        let bar = Bar::new("test".into(), false);
        let prepared = Job::new(Board::new(8).unwrap()).prepare(&Cancel::new()).unwrap();
        let units = prepared.units();
        bar.expect(prepared.plan(), 1, &units, &units);
        prepared.count_units(&units, &Cancel::new(), &bar).unwrap();
        let progress = locked(&bar.progress);
        assert_eq!(progress.done, progress.all);
        assert_ne!(progress.done, 0);
    }

    #[test]
    fn the_line_of_a_bar_is_as_long_as_it_may_be() {
        let mut progress = BarState { all: 100, ..BarState::new("N = 8".into()) };
        let mut line = |done, width| {
            progress.done = done;
            progress.line(width, Instant::now())
        };
        assert_eq!(line(0, 25), "N = 8 [>           ]   0%");
        assert_eq!(line(50, 25), "N = 8 [======>     ]  50%");
        assert_eq!(line(100, 25), "N = 8 [============] 100%");
        assert_eq!(line(50, 10), "N = 8  50%");
    }

    /// There are 50 units of a second each, after tables that took a hundred seconds. Half of the work was done before.
    #[test]
    fn the_first_time_left_is_that_of_counting_and_not_of_making_tables() {
        let begun = Instant::now() + Duration::from_secs(100);
        let foretold = |threads: usize| {
            let mut progress = BarState { threads, all: 1000, done: 500, ..BarState::new(String::new()) };
            let told = |unit: usize| {
                let now = begun + Duration::from_secs((unit / threads + 1) as u64);
                progress.add(10, Duration::from_secs(1), now);
                progress.left_in_words(now)
            };
            (0..50).map(told).collect::<Vec<_>>()
        };
        assert_eq!(foretold(1)[..2], [", about 49 s left", ", about 48 s left"]);
        assert_eq!(foretold(2)[..3], ["", ", about 24 s left", ", about 23 s left"]);
        assert_eq!(foretold(1)[49], "", "nothing is left");
    }
}
