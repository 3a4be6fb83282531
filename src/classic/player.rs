//! The page that plays a trace in a browser.

use crate::board::Board;

/// The page, with places for the title and for the trace.
const PAGE: &str = include_str!("player.html");

/// Returns the page that plays a trace of `board`, in two parts: before the trace and after it. The trace is a JSON
/// document of the schema `nqueens/trace/1` without the character `<`, so that nothing in it ends the script element
/// around it.
#[expect(clippy::missing_panics_doc, reason = "the page has a place for the trace")]
pub fn player_page(board: Board) -> (String, String) {
    let queens = if board.size() == 1 { "1 queen".to_owned() } else { format!("{board} queens") };
    let page = PAGE.replace("{{TITLE}}", &format!("{queens}, step by step"));
    let (before, after) = page.split_once("{{TRACE}}").expect("the page has a place for the trace");
    (before.to_owned(), after.to_owned())
}
