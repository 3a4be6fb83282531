//! One page that plays a trace: it needs no network, and holds the trace as the JSON document.

use super::NumberedStep;
use crate::Board;
use crate::app::output::document::{Format, Json};
use crate::app::output::words::plural;

/// The page, with places for the title and for the trace.
const PAGE: &str = include_str!("player.html");

pub(super) struct Page {
    before: String,
    after: String,
    // Nothing in the document can end the script element that it stands in: it has no `<`.
    trace: Json,
}

impl Page {
    pub(super) fn new(board: Board, trace: Json) -> Self {
        let page = PAGE.replace("{{TITLE}}", &format!("{}, step by step", plural(board.size(), "queen")));
        let (before, after) = page.split_once("{{TRACE}}").expect("the page has a place for the trace");
        Self { before: before.to_owned(), after: after.to_owned(), trace }
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
