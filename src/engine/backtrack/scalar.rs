//! The scalar kernel: the classic bit-mask recursion, one node at a time.
//!
//! The code is kept plain, because it is the baseline of every ratio in this project and the reference that the
//! faster kernels are checked against.

use crate::cancel::{Cancel, Cancelled};
use crate::tree::Node;

/// With at most this many rows left the search no longer looks at its [`Cancel`]. Ten columns are left then, so such a
/// subtree has at most 10!/0! + 10!/1! + … + 10!/10! < 10⁷ nodes. They take less than a tenth of a second, and count
/// far less than 2⁶⁴.
const UNWATCHED_ROWS: u32 = 10;

/// Returns the number of solutions that contain the placement `node`. `visit` is called for the node and every node
/// below it; an empty `visit` costs nothing.
///
/// # Errors
/// When `cancel` is set.
pub(crate) fn count(node: Node, visit: &mut impl FnMut(), cancel: &Cancel) -> Result<u128, Cancelled> {
    visit();
    if node.rows_left() == 0 {
        return Ok(1);
    }
    if node.rows_left() <= UNWATCHED_ROWS {
        return Ok(search(node.columns, node.falling, node.rising, node.free(), visit).into());
    }
    cancel.check()?;
    let mut solutions = 0;
    for (_, child) in node.children() {
        solutions += count(child, visit, cancel)?;
    }
    Ok(solutions)
}

/// Returns the hot loop: each call searches one row, whose free squares are `free`. A child that is a dead end or a
/// solution costs no call.
///
/// The masks are passed one by one to stay in registers; a [`Node`] would go through memory. The number of rows left
/// would make a search take 1.15 times as long, and is not passed either.
fn search(columns: u32, falling: u32, rising: u32, mut free: u32, visit: &mut impl FnMut()) -> u64 {
    let node = Node { columns, falling, rising };
    let mut solutions = 0;
    while free != 0 {
        let queen = free & free.wrapping_neg();
        free ^= queen;
        let child = node.place(queen);
        visit();
        let free_below = child.free();
        if free_below != 0 {
            solutions += search(child.columns, child.falling, child.rising, free_below, visit);
        } else if child.columns == 0 {
            solutions += 1;
        }
    }
    solutions
}

/// Returns the number of solutions that contain the placement `node` and have their other queens in `open` columns, a
/// mask for each row left. This is the plain recursion: [`count`] for a setup.
///
/// # Errors
/// When `cancel` is set.
pub(crate) fn count_open(node: Node, open: &[u32], cancel: &Cancel) -> Result<u128, Cancelled> {
    let Some((&row, below)) = open.split_first() else { return Ok(1) };
    if node.rows_left() > UNWATCHED_ROWS {
        cancel.check()?;
    }
    let mut solutions = 0;
    for (_, child) in node.children_on(row) {
        solutions += count_open(child, below, cancel)?;
    }
    Ok(solutions)
}
