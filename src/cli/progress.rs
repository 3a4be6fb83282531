//! The progress bar on standard error.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use nqueens::Board;
use nqueens::engine::Plan;
use nqueens::run::Progress;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A count that ends sooner shows no bar, and a bar is redrawn as often.
const BEAT: Duration = Duration::from_millis(250);

/// A bar that fills with the weight of the units counted. It vanishes when it is dropped.
#[derive(Debug)]
pub(crate) struct Bar {
    drawn: ProgressBar,
    visible: bool,
    weight_done: AtomicU64,
}

impl Bar {
    pub(crate) fn new(board: Board, visible: bool) -> Self {
        let target = if visible { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let style = ProgressStyle::with_template("{prefix} [{bar:40}] {percent:>3}%, {elapsed} so far, {left}")
            .expect("the template is well formed")
            .progress_chars("=> ")
            .with_key("left", time_left);
        let drawn = ProgressBar::with_draw_target(None, target).with_style(style).with_prefix(format!("N = {board}"));
        Self { drawn, visible, weight_done: AtomicU64::new(0) }
    }
}

/// The time left, if the rest goes at the rate of what has been done.
fn time_left(state: &ProgressState, out: &mut dyn fmt::Write) {
    let done = state.pos() as f64;
    let left = state.len().unwrap_or(0) as f64 - done;
    // Nobody is there to hear of an error: the text goes to a string.
    let _ = if done > 0.0 {
        write!(out, "about {:#} left", indicatif::HumanDuration(state.elapsed().mul_f64(left / done)))
    } else {
        write!(out, "time left not known yet")
    };
}

impl Progress for Bar {
    fn begin(&self, plan: &Plan) {
        if self.visible {
            self.drawn.set_length(plan.total_weight());
            self.drawn.enable_steady_tick(BEAT);
        }
    }

    fn unit_done(&self, plan: &Plan, unit: usize) {
        let weight = plan.weight(unit);
        let done = self.weight_done.fetch_add(weight, Ordering::Relaxed) + weight;
        if self.visible && self.drawn.elapsed() >= BEAT {
            self.drawn.set_position(done);
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.drawn.finish_and_clear();
    }
}
