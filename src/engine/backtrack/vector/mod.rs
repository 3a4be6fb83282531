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
use super::rows::Rows;
use super::scalar;
use crate::cancel::{Cancel, Cancelled};
use crate::engine::Kernel;

/// A search with one kernel, and what it needs: it belongs to one thread.
pub(super) trait Search {
    /// The number of solutions that contain the placement `node`, which must have rows enough; they are the last of `rows`.
    fn count(&mut self, node: Node, rows: &Rows, cancel: &Cancel) -> Result<u128, Cancelled>;

    /// The nodes visited in all searches: those that passed the look-ahead, and those with two rows left.
    fn nodes(&self) -> u64;
}

/// The search of a kernel for nodes with up to so many columns left; `None` for the scalar kernel, which is none.
pub(super) fn search(kernel: Kernel, columns: usize) -> Option<Box<dyn Search>> {
    assert!(kernel.is_supported(), "a kernel is chosen among those that the CPU supports");
    match kernel {
        Kernel::Portable => Some(Box::new(portable::Portable::new(columns))),
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the CPU supports it.
        #[expect(unsafe_code, reason = "a call into what is compiled for the CPU")]
        Kernel::Avx2 => Some(unsafe { avx2::search(columns) }),
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the CPU supports it.
        #[expect(unsafe_code, reason = "a call into what is compiled for the CPU")]
        Kernel::Avx512 => Some(unsafe { avx512::search(columns) }),
        _ => None,
    }
}

/// The bytes that a search takes, about.
pub(super) fn scratch_bytes(kernel: Kernel, columns: usize) -> u64 {
    // Lanes of a vector, at most, and their width.
    let vector = match kernel {
        Kernel::Scalar => return 0,
        Kernel::Avx512 => 64,
        Kernel::Avx2 | Kernel::Portable => 32,
    };
    (search::STACK_VECTORS * vector * (columns + 1)) as u64
}

/// The number of solutions that contain the placement `node`, whose rows are the last of `rows`: with few left, by the scalar
/// kernel.
pub(super) fn count(
    search: &mut dyn Search,
    node: Node,
    rows: &Rows,
    cancel: &Cancel,
) -> Result<u128, Cancelled> {
    if (node.rows_left() as usize) < search::FEWEST_ROWS {
        scalar::count_in(node, rows, &mut (), cancel)
    } else {
        search.count(node, rows, cancel)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The vector kernels that this CPU has.
    fn kernels() -> impl Iterator<Item = Kernel> {
        Kernel::ALL.iter().copied().filter(|&kernel| kernel != Kernel::Scalar && kernel.is_supported())
    }

    fn board(size: usize) -> Board {
        Board::new(size).unwrap()
    }

    /// A placement of the first rows of a board, by the choices of a square in each, until so many rows are left.
    fn placement(size: usize, choices: &[usize], rows_left: u32) -> Node {
        let mut node = Node::root(board(size));
        for &choice in choices {
            let free = node.free().count_ones() as usize;
            if node.rows_left() <= rows_left || free == 0 {
                break;
            }
            node = node.children().nth(choice % free).unwrap().1;
        }
        node
    }

    proptest! {
        /// Below any placement every kernel finds what the scalar kernel does, one after another with the same scratch.
        #[test]
        fn kernels_agree_on_any_placement(
            size in 1_usize..=32,
            placements in prop::collection::vec((prop::collection::vec(0_usize..32, 32), 0_u32..=11), 1..6),
        ) {
            for kernel in kernels() {
                let mut search = search(kernel, board(size)).unwrap();
                for (choices, rows_left) in &placements {
                    let node = placement(size, choices, *rows_left);
                    let found = count(&mut *search, node, &Cancel::new());
                    prop_assert_eq!(found, scalar::count(node, &mut (), &Cancel::new()), "{}, {:?}", kernel, node);
                }
            }
        }
    }

    /// A board of 13 rows fills the stacks of narrow vectors, one of 14 those of wide ones; 17 columns do not fit 16 bits.
    #[test]
    fn kernels_agree_on_whole_boards() {
        for kernel in kernels() {
            for size in 1..=14 {
                let root = Node::root(board(size));
                let found = count(&mut *search(kernel, board(size)).unwrap(), root, &Cancel::new());
                assert_eq!(found.ok(), crate::published::total(board(size)), "{kernel}, N = {size}");
            }
            let node = placement(17, &[3, 7, 2], 0);
            let found = count(&mut *search(kernel, board(17)).unwrap(), node, &Cancel::new());
            assert_eq!(found, scalar::count(node, &mut (), &Cancel::new()), "{kernel}, N = 17");
        }
    }

    /// The look-ahead keeps the same nodes however many are looked at together, and fewer than there are.
    #[test]
    fn every_kernel_visits_the_same_nodes() {
        for size in 5..=13 {
            let root = Node::root(board(size));
            let visited = |kernel| {
                let mut search = search(kernel, board(size)).unwrap();
                count(&mut *search, root, &Cancel::new()).unwrap();
                search.nodes()
            };
            let expected = visited(Kernel::Portable);
            assert!(kernels().all(|kernel| visited(kernel) == expected), "N = {size}");
            let mut all = 0_u64;
            scalar::count(root, &mut all, &Cancel::new()).unwrap();
            assert!(expected < all, "N = {size}: {expected} of {all}");
        }
    }

    /// A search that was stopped leaves its stacks as they are; the next begins anew.
    #[test]
    fn a_search_that_was_stopped_leaves_nothing_behind() {
        for kernel in kernels() {
            let mut search = search(kernel, board(16)).unwrap();
            let cancel = Cancel::new();
            let root = Node::root(board(16));
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    std::thread::sleep(std::time::Duration::from_millis(20));
                    cancel.cancel();
                });
                assert_eq!(search.count(root, &cancel), Err(Cancelled), "{kernel}");
            });
            let node = placement(16, &[0, 5, 3, 1], 0);
            let found = search.count(node, &Cancel::new());
            assert_eq!(found, scalar::count(node, &mut (), &Cancel::new()), "{kernel}");
        }
    }
}
