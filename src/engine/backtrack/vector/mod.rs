//! The vector kernels, which visit the tree below a node many nodes at a time.
//!
//! - `search` is the algorithm, written once over the operations of a vector;
//! - `lanes` declares those operations;
//! - `avx512`, `avx2`, `neon` and `portable` implement them, each for an instruction set.

mod lanes;
mod portable;
mod search;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;

use super::NodeCounter;
use crate::engine::kernel::{SupportedKernel, Token, match_kernel};
use lanes::{Lanes, Word as _};
use search::Scratch;

/// The token of an instruction set that has vectors for the search.
trait Vectors: Token {
    /// The vectors whose words have 16 bits; [`Wide`](Self::Wide) if the instruction set has none.
    type Narrow: Lanes<Token = Self>;
    /// The vectors whose words have 32 bits.
    type Wide: Lanes<Token = Self>;
}

/// Makes a search for nodes with up to `rows` rows left and up to `columns` columns, used or not, whose queens stand in
/// the `open` columns of each row. Returns `None` for the scalar kernel.
pub(super) fn search(
    kernel: SupportedKernel,
    rows: usize,
    columns: usize,
    open: Option<&[u32]>,
) -> Option<Box<dyn NodeCounter>> {
    fn new<K: Vectors>(token: K, rows: usize, columns: usize, open: Option<&[u32]>) -> Box<dyn NodeCounter> {
        if let Some(open) = open {
            // Setups use wide lanes only, which saves the compiler half of these loops.
            Box::new(Scratch::<K::Wide, true>::new(token, rows, open))
        } else if columns <= <K::Narrow as Lanes>::Word::COLUMNS as usize {
            Box::new(Scratch::<K::Narrow, false>::new(token, rows, &[]))
        } else {
            Box::new(Scratch::<K::Wide, false>::new(token, rows, &[]))
        }
    }
    match_kernel!(kernel, token => Some(new(token, rows, columns, open)), scalar => None)
}

/// Returns the bytes that a search for nodes with up to `rows` rows left takes, estimated.
pub(super) fn scratch_bytes(kernel: SupportedKernel, rows: usize) -> u64 {
    fn bytes<K: Vectors>(_: K, rows: usize) -> usize {
        Scratch::<K::Wide, false>::bytes(rows)
    }
    match_kernel!(kernel, token => bytes(token, rows), scalar => 0) as u64
}

#[cfg(test)]
mod tests {
    use super::super::plan::{ALL_OPEN, units};
    use super::super::scalar;
    use super::*;
    use crate::board::{Board, tests::board};
    use crate::cancel::{Cancel, Cancelled};
    use crate::engine::Kernel;
    use crate::fuzz::{at, fuzz, list, within};
    use crate::tree::Node;

    /// Returns the vector kernels that this CPU has.
    fn kernels() -> impl Iterator<Item = (Kernel, SupportedKernel)> {
        let vectors = Kernel::ALL.iter().copied().filter(|&kernel| kernel != Kernel::Scalar);
        vectors.filter_map(|kernel| Some((kernel, kernel.detect()?)))
    }

    /// Searches of all kernels for the rows, with so many columns and with the most that there can be, which need wider
    /// lanes.
    fn searches_below(rows: usize, columns: usize) -> impl Iterator<Item = (Kernel, Box<dyn NodeCounter>)> {
        kernels().flat_map(move |(kernel, supported)| {
            let widths = if columns > 16 { vec![columns] } else { vec![columns, Board::MAX_SIZE] };
            widths.into_iter().map(move |columns| (kernel, search(supported, rows, columns, None).unwrap()))
        })
    }

    fn searches(size: usize) -> impl Iterator<Item = (Kernel, Box<dyn NodeCounter>)> {
        searches_below(size, size)
    }

    /// Returns a placement with `rows_left` rows left, made by choosing a square in each row.
    fn placement(size: usize, choices: &[usize], rows_left: u32) -> Node {
        let mut node = Node::root(board(size));
        for &choice in choices {
            if node.rows_left() <= rows_left || node.free() == 0 {
                break;
            }
            node = node.child(node.free(), choice as u32 % node.free().count_ones());
        }
        node
    }

    fn scalar_count(node: Node) -> Result<u128, Cancelled> {
        scalar::count(node, &mut || (), &Cancel::new())
    }

    /// Below any placement every kernel finds what the scalar kernel finds, one after another with the same scratch.
    #[test]
    fn fuzz_kernels_agree_on_any_placement() {
        fuzz(256, |random| {
            let size = within(random, 3..33);
            let nodes = list(random, 1..6, |random| {
                let choices = list(random, 32..33, |random| at(random, 512));
                placement(size, &choices, random.below(12))
            });
            // The stacks are no longer than these nodes need.
            let rows = nodes.iter().map(|node| node.rows_left()).max().unwrap() as usize;
            for (kernel, mut search) in searches_below(rows, size) {
                for &node in &nodes {
                    let found = search.count(node, &Cancel::new());
                    assert_eq!(found, scalar_count(node), "{kernel}, {node:?}");
                }
            }
        });
    }

    /// From 11 rows on a board fills the stacks.
    #[test]
    fn kernels_agree_on_whole_boards() {
        for size in 1..=14 {
            for (kernel, mut search) in searches(size) {
                let root = Node::root(board(size));
                let found = search.count(root, &Cancel::new());
                assert_eq!(found.ok(), crate::published::total(board(size)), "{kernel}, N = {size}");
            }
        }
    }

    /// Returns the number of nodes that a search visits below a node, by the rule of `docs/backtrack.md`, in plain sets
    /// of squares.
    fn visited(node: Node) -> u64 {
        let children = node.children().map(|(_, child)| child);
        if node.rows_left() == 3 {
            return children.count() as u64;
        }
        let worth_it = |child: &Node| {
            let left = child.rows_left();
            let ahead = match left {
                ..=6 => 3,
                7 | 8 => 2,
                _ => 1,
            };
            let mut free = vec![child.free()];
            let mut seen = *child;
            for _ in 2..=left {
                // This row gets no queen: nothing more is attacked.
                seen = seen.place(0);
                free.push(seen.free());
            }
            let reached = free.iter().fold(0, |reached, free| reached | free);
            free[..ahead].iter().all(|&free| free != 0) && (left > 5 || child.columns & !reached == 0)
        };
        children.filter(worth_it).map(|child| 1 + visited(child)).sum()
    }

    /// Every kernel looks ahead exactly as far as it should.
    #[test]
    fn every_kernel_visits_the_nodes_that_are_worth_it() {
        for size in 7..=12 {
            let units = units(board(size), &ALL_OPEN, true, 1);
            // The first node of a unit is visited too, if it has a free square and rows enough.
            let expected: u64 = units
                .iter()
                .filter(|unit| unit.free() != 0 && unit.rows_left() as usize >= search::FEWEST_ROWS)
                .map(|unit| 1 + visited(*unit))
                .sum();
            for (kernel, mut search) in searches(size) {
                for unit in &units {
                    search.count(*unit, &Cancel::new()).unwrap();
                }
                assert_eq!(search.nodes(), Some(expected), "{kernel}, N = {size}");
            }
        }
    }

    #[test]
    fn the_stacks_are_in_the_memory_that_is_foreseen() {
        for (kernel, supported) in kernels() {
            for columns in [8, 16, 17, 30] {
                let info = allocation_counter::measure(|| drop(search(supported, columns, columns, None)));
                let foreseen = scratch_bytes(supported, columns);
                let taken = info.bytes_max;
                let is_near = taken <= foreseen + foreseen / 4 && foreseen <= 2 * taken;
                assert!(is_near, "{kernel}: {taken}, not {foreseen}");
            }
        }
    }

    /// A stopped search leaves its stacks as they are; the next search begins anew.
    #[test]
    fn a_search_that_was_stopped_leaves_nothing_behind() {
        for (kernel, mut search) in searches(18) {
            let cancel = Cancel::new();
            let root = Node::root(board(18));
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    std::thread::sleep(std::time::Duration::from_millis(10));
                    cancel.cancel();
                });
                assert_eq!(search.count(root, &cancel), Err(Cancelled), "{kernel}");
            });
            let node = placement(16, &[0, 5, 3, 1], 0);
            assert_eq!(search.count(node, &Cancel::new()), scalar_count(node), "{kernel}");
        }
    }
}
