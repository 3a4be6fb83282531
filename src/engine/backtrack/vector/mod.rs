//! The vector kernels: the tree below a node, many nodes at a time.
//!
//! - `search` is the algorithm, written once over the operations of a vector;
//! - `lanes` says what those operations are;
//! - `avx512`, `avx2` and `portable` have them for an instruction set each, and for none in particular.

mod lanes;
mod portable;
mod search;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;

use super::node::Node;
use super::scalar;
use crate::board::Board;
use crate::cancel::{Cancel, Cancelled};
use crate::engine::Kernel;

/// A search with one kernel, and what it needs: it belongs to one thread.
pub(super) trait Search {
    /// The number of solutions that contain the placement `node`, which must have rows enough.
    fn count(&mut self, node: Node, cancel: &Cancel) -> Result<u128, Cancelled>;

    /// The nodes visited in all searches: those that passed the look-ahead, and those with two rows left.
    fn nodes(&self) -> u64;
}

/// The search of a kernel for the nodes of a board; `None` for the scalar kernel, which is none.
pub(super) fn search(kernel: Kernel, board: Board) -> Option<Box<dyn Search>> {
    assert!(kernel.is_supported(), "a kernel is chosen among those that the CPU supports");
    match kernel {
        Kernel::Portable => Some(Box::new(portable::Portable::new(board))),
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the CPU supports it.
        #[expect(unsafe_code, reason = "a call into what is compiled for the CPU")]
        Kernel::Avx2 => Some(unsafe { avx2::search(board) }),
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the CPU supports it.
        #[expect(unsafe_code, reason = "a call into what is compiled for the CPU")]
        Kernel::Avx512 => Some(unsafe { avx512::search(board) }),
        _ => None,
    }
}

/// The number of solutions that contain the placement `node`: with few rows left, by the scalar kernel.
pub(super) fn count(search: &mut dyn Search, node: Node, cancel: &Cancel) -> Result<u128, Cancelled> {
    if (node.rows_left() as usize) < search::FEWEST_ROWS {
        scalar::count(node, &mut (), cancel)
    } else {
        search.count(node, cancel)
    }
}
