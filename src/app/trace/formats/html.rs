//! One page that plays a trace: it needs no network, and holds the trace as the JSON document.

use super::NumberedStep;
use crate::Board;
use crate::app::output::document::{Format, Json};
use crate::classic::player_page;

pub(super) struct Page {
    before: String,
    after: String,
    // Nothing in the document can end the script element that it stands in: it has no `<`.
    trace: Json,
}

impl Page {
    pub(super) fn new(board: Board, trace: Json) -> Self {
        let (before, after) = player_page(board);
        Self { before, after, trace }
    }
}

impl Format<NumberedStep> for Page {
    fn head(&self) -> String {
        self.before.clone() + &Format::<NumberedStep>::head(&self.trace)
    }

    fn item(&mut self, step: &NumberedStep) -> String {
        self.trace.item(step)
    }

    fn tail(&self, complete: bool) -> String {
        Format::<NumberedStep>::tail(&self.trace, complete) + &self.after
    }
}
