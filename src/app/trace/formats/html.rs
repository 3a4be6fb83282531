//! One page that plays a trace: it needs no network, and holds the trace as the JSON document.

use crate::Board;
use crate::app::output::words::plural;
use crate::app::trace::formats::{Format, Sink, open};
use crate::classic::trace::{Step, Until};
use std::io::{self, Write};

/// The page, with places for the title and for the trace.
const PAGE: &str = include_str!("player.html");

/// Writes the page for these steps; `complete` says whether the search came to its end with them.
pub(crate) fn write(board: Board, until: Until, steps: &[Step], complete: bool, mut out: impl Sink) -> io::Result<()> {
    // Nothing in the document could end the script element it stands in: it has no `<`.
    let page = PAGE.replace("{{TITLE}}", &format!("{}, step by step", plural(board.size(), "queen")));
    let (before, after) = page.split_once("{{TRACE}}").expect("the page has a place for the trace");
    out.write_all(before.as_bytes())?;
    let part: &mut dyn Write = &mut out;
    let mut json = open(Format::Json, board, until, part);
    steps.iter().try_for_each(|step| json.step(step))?;
    json.finish(complete, true)?;
    drop(json);
    out.write_all(after.as_bytes())?;
    out.keep();
    out.end()
}
