//! The search: the tree of the scalar kernel, visited many nodes at a time, one in each lane of a vector.
//!
//! Every row of the tree has a stack of nodes (in [`Level`]). A row is *expanded* while its stack lasts and the next
//! one has room: its nodes are the parents, their children go on the stack of the row below. Parents are held in
//! registers, in four *streams* of a vector each, so that the steps of one need not wait for those of another. A step
//! takes the lowest free square of every lane, makes the child that has a queen there, and appends the children that
//! are worth visiting to the stack below, packed together. A lane whose parent has no free square left is refilled from
//! the stack, so that every lane works in every step.
//!
//! ```text
//! count(node):                                 expand(row):
//!     push node on the stack of its row            while the stack of row has nodes and the one below has room:
//!     loop:                                            for each stream:
//!         if the stack of row is high: expand(row)         queen = lowest free square of every lane
//!         else if a higher row's stack is high:            child = parent with the queen, one row further down
//!             row = the nearest of those                   append the children worth visiting to the stack below
//!         else if a stack is not empty:                    give lanes without free squares new parents
//!             drain the one nearest the top, a vector of parents at a time, with lanes that idle
//!         else: return the solutions
//! ```
//!
//! A child is worth visiting if it [survives](Child::survives): if some of the next rows, and near the end every free
//! column, have a free square left. A child with two rows left is not put on a stack: [`Child::last_two_rows`] counts
//! its solutions on the spot.

// A vector operation is fast only if it is inlined into a function that is compiled for its instruction set.
#![allow(unsafe_code, clippy::inline_always)]

use super::super::{NodeCounter, scalar};
use super::lanes::{Lanes, Word};
use crate::cancel::{Cancel, Cancelled};
use crate::engine::kernel::{Kernel, Task, Token};
use crate::tree::Node;

/// The number of parent streams. With fewer, steps wait for each other; more do not fit the registers.
const STREAMS: usize = 4;

/// A stack of this many vectors is *high*: its row is expanded.
const HIGH: usize = 16;

/// A row is not expanded further when the stack below has this many vectors. All stacks together then fit the
/// second-level cache.
const FULL: usize = 192;

/// The length of a stack's memory, in vectors. Those after `FULL` take the children of the last round, and a write that
/// crosses the end.
const ROOM: usize = FULL + STREAMS + 2;

/// Returns the length of a stack's memory in words, for nodes with `rows` rows left below a node with at most
/// `most_rows`. A small board's stack has no more than the nodes that the row can have, which saves a small count more
/// time than its search takes; children with two rows left are not put on a stack.
const fn stack_words<L: Lanes>(rows: usize, most_rows: usize) -> usize {
    if rows < 3 {
        return 0;
    }
    // A node has as many free columns as rows left, hence at most so many children.
    let (mut most_nodes, mut parent) = (1, most_rows);
    while parent > rows && most_nodes <= ROOM * L::LANES {
        most_nodes *= parent;
        parent -= 1;
    }
    let words = most_nodes + L::LANES;
    if words < ROOM * L::LANES { words } else { ROOM * L::LANES }
}

/// The most vectors of children that one vector of parents has: one for each column of the widest words.
const MOST_CHILDREN: usize = 32;

// The room that `Scratch::count` relies on.
const _: () = assert!(HIGH >= 2 * STREAMS, "the streams can be filled and one round of steps made");
const _: () = assert!(HIGH <= FULL && FULL + STREAMS < ROOM, "a row can be expanded, with a vector's room to spare");
const _: () = assert!(HIGH + MOST_CHILDREN < ROOM, "a vector of parents can be drained, with a vector's room to spare");

/// A node with fewer rows left is not worth a vector.
pub(super) const FEWEST_ROWS: usize = 4;

/// The scratch memory of a search: the stacks, by the number of rows that their nodes have left.
pub(super) struct Scratch<L: Lanes, const SETUP: bool> {
    token: L::Token,
    /// Setups only: for each number of rows left, the columns in which the queen of the next row may stand.
    open: Vec<u32>,
    levels: Vec<Level<L>>,
    /// The nodes visited: the nodes put on a stack, and the nodes with two rows left.
    nodes: u64,
}

/// The nodes of one row that wait to be expanded.
struct Level<L: Lanes> {
    /// The columns in use, and the squares attacked from the left and from the right: [`stack_words`] each.
    stacks: [Vec<L::Word>; 3],
    /// The number of nodes on the stacks.
    height: usize,
    streams: [Stream<L>; STREAMS],
    /// True while a parent in the streams has a free square left.
    live: bool,
}

impl<L: Lanes> Level<L> {
    /// Returns where each stack begins, to read it.
    #[inline(always)]
    fn starts(&self) -> [*const L::Word; 3] {
        let [columns, from_left, from_right] = &self.stacks;
        [columns.as_ptr(), from_left.as_ptr(), from_right.as_ptr()]
    }

    /// Returns where each stack begins, to write it.
    #[inline(always)]
    fn starts_mut(&mut self) -> [*mut L::Word; 3] {
        let [columns, from_left, from_right] = &mut self.stacks;
        [columns.as_mut_ptr(), from_left.as_mut_ptr(), from_right.as_mut_ptr()]
    }
}

/// Parents in registers, one in each lane, with their untried free squares.
#[derive(Clone, Copy)]
struct Stream<L: Lanes> {
    columns: L,
    from_left: L,
    from_right: L,
    free: L,
}

impl<L: Lanes, const SETUP: bool> NodeCounter for Scratch<L, SETUP> {
    fn count(&mut self, node: Node, cancel: &Cancel) -> Result<u128, Cancelled> {
        let rows_left = node.rows_left() as usize;
        if rows_left < FEWEST_ROWS {
            return if SETUP {
                let open: Vec<u32> = self.open[1..=rows_left].iter().rev().copied().collect();
                scalar::count_open(node, &open, cancel)
            } else {
                scalar::count(node, &mut || (), cancel)
            };
        }
        self.token.run(SearchTask { scratch: self, node, cancel })
    }

    fn kernel(&self) -> Kernel {
        L::Token::KERNEL
    }

    fn nodes(&self) -> Option<u64> {
        Some(self.nodes)
    }
}

/// The state of one call of [`Scratch::count`].
struct SearchTask<'a, L: Lanes, const SETUP: bool> {
    scratch: &'a mut Scratch<L, SETUP>,
    node: Node,
    cancel: &'a Cancel,
}

impl<L: Lanes, const SETUP: bool> Task<L::Token> for SearchTask<'_, L, SETUP> {
    type Output = Result<u128, Cancelled>;

    #[inline(always)]
    fn run(self, _: L::Token) -> Self::Output {
        self.scratch.count(self.node, self.cancel)
    }
}

impl<L: Lanes, const SETUP: bool> Scratch<L, SETUP> {
    /// Makes empty stacks for nodes with up to this many rows left, whose queens stand in the `open` columns of each
    /// row of a setup.
    pub(super) fn new(token: L::Token, rows: usize, open: &[u32]) -> Self {
        let zero = L::splat(token, L::Word::default());
        let stream = Stream { columns: zero, from_left: zero, from_right: zero, free: zero };
        let level = |left| {
            let stack = || vec![L::Word::default(); stack_words::<L>(left, rows)];
            Level { stacks: [stack(), stack(), stack()], height: 0, streams: [stream; STREAMS], live: false }
        };
        let open = std::iter::once(0).chain(open.iter().rev().copied()).collect();
        Self { token, open, levels: (0..=rows).map(level).collect(), nodes: 0 }
    }

    /// Returns the bytes that a search for nodes with up to this many rows left takes.
    pub(super) fn bytes(rows: usize) -> usize {
        let stacks = (0..=rows).map(|left| 3 * stack_words::<L>(left, rows) * size_of::<L::Word>());
        stacks.map(|stacks| stacks + size_of::<Level<L>>()).sum()
    }

    /// Returns the number of solutions that contain the placement `node`.
    ///
    /// # Errors
    /// When `cancel` is set.
    ///
    /// # Panics
    /// When fewer than [`FEWEST_ROWS`] rows are left, or more rows or columns than the stacks were made for.
    #[inline(always)]
    fn count(&mut self, node: Node, cancel: &Cancel) -> Result<u128, Cancelled> {
        let top = node.rows_left() as usize;
        assert!((FEWEST_ROWS..self.levels.len()).contains(&top), "there are stacks for the rows of the node");
        let columns = u32::BITS - node.columns.leading_zeros();
        assert!(columns <= L::Word::COLUMNS, "the columns of the node fit the words");
        if node.free() == 0 || SETUP && node.free() & self.open[top] == 0 {
            return Ok(0);
        }
        // A stopped search leaves nodes behind.
        let zero = L::splat(self.token, L::Word::default());
        for level in &mut self.levels {
            level.height = 0;
            if std::mem::replace(&mut level.live, false) {
                level.streams.iter_mut().for_each(|stream| stream.free = zero);
            }
        }
        // The columns in use; the columns beyond the board count as used.
        for (stack, mask) in [!node.columns, node.falling, node.rising].into_iter().enumerate() {
            self.levels[top].stacks[stack][0] = L::Word::from_mask(mask);
        }
        self.levels[top].height = 1;
        self.nodes += 1;

        // The invariant that keeps the stacks within their room: no stack below that of `at` is high. Visiting a row
        // writes only to the stack below it. The row looked at next is either that row or the nearest row further up
        // with a high stack, so that no stack between is high. Hence
        // - a row is expanded when the stack below is not high, and until that stack has `FULL` vectors: the last round
        //   of steps appends at most `STREAMS` more;
        // - a row is drained when no stack is high: one vector of parents appends at most `MOST_CHILDREN` vectors.
        //
        // In either case there is room for one vector beyond the appended ones, which the last write may reach into.
        // A stack with less room than `ROOM` has it for all nodes of its row, and for this vector. Rows with three rows
        // left append nothing, so that `at` stays at 3.
        let mut solutions = 0_u128;
        let mut at = top;
        loop {
            cancel.check()?;
            if self.levels[at].height >= HIGH * L::LANES {
                // SAFETY: the stack of `at` is high, and none below it is.
                solutions += u128::from(unsafe { self.visit::<true>(at) });
                at = (at - 1).max(3);
            } else if let Some(higher) = (at + 1..=top).find(|&rows| self.levels[rows].height >= HIGH * L::LANES) {
                at = higher;
            } else if let Some(shallowest) =
                (3..=top).rev().find(|&rows| self.levels[rows].height > 0 || self.levels[rows].live)
            {
                // SAFETY: no stack is high: neither the stack of `at`, nor a stack above or below it.
                solutions += u128::from(unsafe { self.visit::<false>(shallowest) });
                at = (shallowest - 1).max(3);
            } else {
                return Ok(solutions);
            }
        }
    }

    /// Expands the row with `rows` rows left, or drains it. Returns the solutions found.
    ///
    /// # Safety
    /// The stack below is not high. If `EXPAND` is set, the stack of `rows` must be high.
    #[inline(always)]
    unsafe fn visit<const EXPAND: bool>(&mut self, rows: usize) -> u64 {
        // SAFETY: the caller's promise is what each call needs.
        unsafe {
            match rows {
                0..=2 => unreachable!("children with two rows left are counted on the spot"),
                3 => self.visit_looking::<3, EXPAND>(rows),
                4 => self.visit_looking::<4, EXPAND>(rows),
                5 => self.visit_looking::<5, EXPAND>(rows),
                6 => self.visit_looking::<6, EXPAND>(rows),
                7 => self.visit_looking::<7, EXPAND>(rows),
                8 | 9 => self.visit_looking::<8, EXPAND>(rows),
                10.. => self.visit_looking::<10, EXPAND>(rows),
            }
        }
    }

    /// [`visit`](Self::visit) with a look-ahead. `LOOK` stands for the rows that the parents have left: 8 for 8 and 9,
    /// 10 for 10 and more.
    ///
    /// # Safety
    /// The caller promises what [`visit`](Self::visit) asks for.
    #[inline(always)]
    unsafe fn visit_looking<const LOOK: usize, const EXPAND: bool>(&mut self, rows: usize) -> u64 {
        // SAFETY: the caller's promise is what either call needs.
        unsafe { if EXPAND { self.expand::<LOOK>(rows) } else { self.drain::<LOOK>(rows) } }
    }

    /// Returns the columns in which no queen may stand, with `rows` rows left and in the next two rows.
    #[inline(always)]
    fn closed(&self, rows: usize) -> [L; 3] {
        let closed_in =
            |rows: usize| L::splat(self.token, L::Word::from_mask(if SETUP { !self.open[rows] } else { 0 }));
        [closed_in(rows), closed_in(rows - 1), closed_in(rows - 2)]
    }

    /// Expands a row while its stack is high enough to refill the streams and the stack below has room.
    ///
    /// # Safety
    /// The stack of the row is high, and the stack below is not.
    #[inline(always)]
    unsafe fn expand<const LOOK: usize>(&mut self, rows: usize) -> u64 {
        let closed = self.closed(rows);
        let (next, this) = self.levels.split_at_mut(rows);
        let (next, this) = (&mut next[rows - 1], &mut this[0]);
        let (from, to) = (this.starts(), next.starts_mut());
        let room = next.stacks[0].len();
        let (mut height, mut written) = (this.height, next.height);
        let before = written;
        let mut steps = 0_u64;
        let mut solutions = 0;
        let mut streams = this.streams;
        // SAFETY: before each round of refills this stack has at least `STREAMS` vectors. A load at its height reaches
        // at most one vector beyond, for which there is room. Before each round of steps the stack below has fewer than
        // `FULL` vectors, hence room for what `STREAMS` vectors append and for one more; with three rows left nothing is
        // appended.
        unsafe {
            for stream in &mut streams {
                stream.refill::<SETUP>(&mut height, from, closed[0]);
            }
            loop {
                for stream in &mut streams {
                    solutions += stream.step::<LOOK, false, SETUP>(&mut written, to, closed);
                    stream.refill::<SETUP>(&mut height, from, closed[0]);
                }
                debug_assert!(LOOK == 3 || written + L::LANES <= room, "there is room for a vector more");
                steps += 1;
                if height < STREAMS * L::LANES || written >= FULL * L::LANES {
                    break;
                }
            }
        }
        this.streams = streams;
        this.height = height;
        this.live = true;
        next.height = written;
        self.nodes += if LOOK == 3 { steps * (STREAMS * L::LANES) as u64 } else { (written - before) as u64 };
        solutions
    }

    /// Takes one vector of parents, or one live stream, and visits all their children.
    ///
    /// # Safety
    /// The stack below is not high.
    #[inline(always)]
    unsafe fn drain<const LOOK: usize>(&mut self, rows: usize) -> u64 {
        let (token, closed) = (self.token, self.closed(rows));
        let (next, this) = self.levels.split_at_mut(rows);
        let (next, this) = (&mut next[rows - 1], &mut this[0]);
        let (from, to) = (this.starts(), next.starts_mut());
        let room = next.stacks[0].len();
        let mut written = next.height;
        let before = written;
        let mut solutions = 0;
        // SAFETY: this stack has a vector's room beyond its height. The stack below has fewer than `HIGH` vectors,
        // hence room for one more than the `MOST_CHILDREN` vectors that a vector of parents can have; with three rows
        // left nothing is appended.
        unsafe {
            let mut stream = if let Some(stream) = this.streams.iter_mut().find(|stream| stream.is_live()) {
                let left = *stream;
                stream.free = L::splat(token, L::Word::default());
                left
            } else {
                this.live = false;
                let nodes = this.height.min(L::LANES);
                this.height -= nodes;
                let [columns, from_left, from_right] = from;
                let top = [columns.add(this.height), from_left.add(this.height), from_right.add(this.height)];
                Stream::first::<SETUP>(token, nodes, top, closed[0])
            };
            while stream.is_live() {
                if LOOK == 3 {
                    self.nodes += (L::LANES - L::count(stream.free.is_zero())) as u64;
                }
                solutions += stream.step::<LOOK, true, SETUP>(&mut written, to, closed);
            }
        }
        debug_assert!(LOOK == 3 || written + L::LANES <= room, "there is room for a vector more");
        next.height = written;
        self.nodes += (written - before) as u64;
        solutions
    }
}

impl<L: Lanes> Stream<L> {
    /// Takes `nodes` nodes with their free squares; the other lanes stay empty.
    ///
    /// # Safety
    /// A vector can be read at each address.
    #[inline(always)]
    unsafe fn first<const SETUP: bool>(token: L::Token, nodes: usize, from: [*const L::Word; 3], closed: L) -> Self {
        // SAFETY: the caller says that a vector can be read.
        let [columns, from_left, from_right] =
            unsafe { [L::load(token, from[0]), L::load(token, from[1]), L::load(token, from[2])] };
        let attacked = columns.or(from_left).or(from_right);
        let attacked = if SETUP { attacked.or(closed) } else { attacked };
        let free = attacked.not().and(L::first(token, nodes));
        Self { columns, from_left, from_right, free }
    }

    #[inline(always)]
    fn is_live(&self) -> bool {
        L::count(self.free.is_zero()) < L::LANES
    }

    /// Takes nodes from the top of the stack for the lanes whose parents have no free square left.
    ///
    /// # Safety
    /// The stack has nodes for all lanes that may need one, and a vector can be read at each of their addresses.
    #[inline(always)]
    unsafe fn refill<const SETUP: bool>(&mut self, height: &mut usize, from: [*const L::Word; 3], closed: L) {
        let empty = self.free.is_zero();
        *height -= L::count(empty);
        // SAFETY: the stack had a node for each empty lane; the caller says that a vector can be read.
        unsafe {
            self.columns = self.columns.expand(empty, from[0].add(*height));
            self.from_left = self.from_left.expand(empty, from[1].add(*height));
            self.from_right = self.from_right.expand(empty, from[2].add(*height));
        }
        let attacked = self.columns.or(self.from_left).or(self.from_right);
        let attacked = if SETUP { attacked.or(closed) } else { attacked };
        self.free = self.free.blend(empty, attacked.not());
    }

    /// Takes the lowest free square of every lane for a queen. The children worth visiting go on the stack of the next
    /// row; if they have two rows left, their solutions are counted instead. With `SOME`, lanes may be without a free
    /// square.
    ///
    /// # Safety
    /// Unless `LOOK` is 3, a vector can be written at `written` words from each address.
    #[inline(always)]
    unsafe fn step<const LOOK: usize, const SOME: bool, const SETUP: bool>(
        &mut self,
        written: &mut usize,
        to: [*mut L::Word; 3],
        closed: [L; 3],
    ) -> u64 {
        let queen = self.free.lowest();
        self.free = self.free.xor(queen);
        let columns = self.columns.or(queen);
        let (from_left, from_right) = (self.from_left.or(queen).up::<1>(), self.from_right.or(queen).down::<1>());
        let child = Child::<L, SETUP> { columns, from_left, from_right, closed: [closed[1], closed[2]] };
        if LOOK == 3 {
            let [one, other] = child.last_two_rows();
            if SOME {
                let there = queen.meets(queen);
                return (L::count(one & there) + L::count(other & there)) as u64;
            }
            return (L::count(one) + L::count(other)) as u64;
        }
        let mut kept = child.survives::<LOOK>();
        if SOME {
            kept = kept & queen.meets(queen);
        }
        // SAFETY: the caller says that a vector can be written.
        unsafe {
            columns.compress(kept, to[0].add(*written));
            from_left.compress(kept, to[1].add(*written));
            from_right.compress(kept, to[2].add(*written));
        }
        *written += L::count(kept);
        0
    }
}

/// Children, one in each lane.
struct Child<L: Lanes, const SETUP: bool> {
    columns: L,
    from_left: L,
    from_right: L,
    /// The columns in which no queen may stand, in the children's row and the next.
    closed: [L; 2],
}

impl<L: Lanes, const SETUP: bool> Child<L, SETUP> {
    /// Returns the free squares of the children's row.
    #[inline(always)]
    fn free(&self) -> L {
        let attacked = self.columns.or(self.from_left).or(self.from_right);
        if SETUP { attacked.or(self.closed[0]) } else { attacked }.not()
    }

    /// Returns the free squares of the `ROWS`-th row after the children's, if no queen is placed between. Squares
    /// closed by a setup are left out of the first two rows only: a look ahead may see too many squares, but not too
    /// few.
    #[inline(always)]
    fn free_ahead<const ROWS: i32>(&self) -> L {
        let attacked = self.columns.or(self.from_left.up::<ROWS>()).or(self.from_right.down::<ROWS>());
        if SETUP && ROWS == 1 { attacked.or(self.closed[1]) } else { attacked }.not()
    }

    /// Returns the children worth visiting, of parents with `LOOK` rows left (8 stands for 8 and 9, 10 for more). The
    /// next one, two or three rows must each have a free square left; the nearer the end, the more rows are checked.
    /// With at most five rows left, every free column must also have a free square in one of these rows.
    #[inline(always)]
    fn survives<const LOOK: usize>(&self) -> L::Mask {
        let rows_left = LOOK - 1;
        let first = self.free();
        if rows_left > 8 {
            return first.meets(first);
        }
        let second = self.free_ahead::<1>();
        let mut least = first.min(second);
        if rows_left > 6 {
            return least.meets(least);
        }
        let third = self.free_ahead::<2>();
        least = least.min(third);
        let every_row = least.meets(least);
        if rows_left > 5 {
            return every_row;
        }
        let mut reached = self.columns.or(first).or(second).or(third);
        if rows_left > 3 {
            reached = reached.or(self.free_ahead::<3>());
        }
        if rows_left > 4 {
            reached = reached.or(self.free_ahead::<4>());
        }
        every_row & reached.not().is_zero()
    }

    /// Returns the solutions of children with two rows left, as two masks. There are two free columns and two ways to
    /// put a queen in each row: the lower column first, or the higher one. Either way is a solution if both squares are
    /// free and are not on a diagonal.
    #[inline(always)]
    fn last_two_rows(&self) -> [L::Mask; 2] {
        let both = self.columns.not();
        let lower = both.lowest();
        let higher = both.xor(lower);
        let apart = both.and(both.up::<1>()).is_zero();
        let (first, second) = (self.free(), self.free_ahead::<1>());
        let one = first.meets(lower) & second.meets(higher);
        let other = first.meets(higher) & second.meets(lower);
        [one & apart, other & apart]
    }
}
