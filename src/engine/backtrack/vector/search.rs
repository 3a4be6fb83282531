//! The search: the tree of the scalar kernel, visited as many nodes at a time as a vector has lanes.
//!
//! Every row of the tree has a stack of nodes (in [`Level`]), and the stack of a row is *expanded* as long as it lasts and
//! the next one has room: its nodes are the parents, their children go on the stack of the row below. Parents are held in
//! registers, four *streams* of a vector each, so that the steps of one need not wait for those of another. A step takes
//! the lowest free square of every lane, makes the child that has a queen there, and appends the children that are worth
//! visiting to the stack below, packed together. A lane whose parent has no free square left is refilled from the stack:
//! so every lane works in every step.
//!
//! A child is worth visiting if it [survives](Child::survives): if some of the next rows, and near the end every free column, have a
//! free square left. A child with two rows left is not put on a stack: [`Child::last_two_rows`] counts its solutions on the spot.
//!
//! The rows are expanded from the top down as long as their stacks are high; then the search goes up to the nearest row
//! whose stack is high again. Where no stack is, the one nearest the top is *drained*, a vector at a time, with lanes that
//! idle.

// What is compiled for an instruction set must be inlined into a function that is.
#![allow(unsafe_code, clippy::inline_always)]

use super::super::node::Node;
use super::super::rows::{Rows, Step};
use super::lanes::{Lanes, Word, words};
use crate::cancel::{Cancel, Cancelled};

/// How many streams of parents are in flight. Fewer wait for each other; more do not fit the registers.
const STREAMS: usize = 4;
/// A row is expanded when its stack has as many vectors; twice the streams at least.
const HIGH: usize = 16;
/// A row is not expanded further when the stack below has as many vectors: all of them fit the second-level cache.
const FULL: usize = 192;
/// What a stack holds at most, in vectors: a last round of steps, and a vector that is written across the end.
///
/// A stack grows only while the row above it is visited. It is expanded when every stack below is lower than [`HIGH`], and until this one
/// is [`FULL`]; it is drained when no stack is high, and a vector of parents has at most 32 vectors of children.
const ROOM: usize = FULL + STREAMS + 2;

/// The vectors of the three stacks of a row.
pub(super) const STACK_VECTORS: usize = 3 * ROOM;

/// The most rows beyond the next one that a visit looks at.
const MOST_AHEAD: usize = 4;

/// The rows beyond the next one that are looked at when a parent has so many rows left.
fn rows_ahead(rows: usize) -> usize {
    match rows {
        ..=6 => rows - 2,
        7 => 2,
        8 | 9 => 1,
        _ => 0,
    }
}

/// A node with fewer rows to fill is not worth a vector.
pub(super) const FEWEST_ROWS: usize = 4;

/// What a thread needs to search: the stacks, by the number of rows that their nodes have left.
pub(super) struct Scratch<L: Lanes> {
    levels: Vec<Level<L>>,
    /// The nodes visited: those that were put on a stack, and those with two rows left.
    pub(super) nodes: u64,
}

/// The nodes of one row that wait to be expanded.
struct Level<L: Lanes> {
    /// The used columns of each, the squares attacked from the left, and from the right.
    stacks: [Vec<L::Word>; 3],
    height: usize,
    streams: [Stream<L>; STREAMS],
    /// Whether a parent in the streams has a free square left.
    live: bool,
    below: Below<L>,
}

/// What lies below a row, where the next ones need not be those of the board: rows with a queen are left out, and queens
/// outside the tree attack squares.
#[derive(Clone, Copy)]
struct Below<L: Lanes> {
    /// Whether all rows that a visit looks at follow each other and nothing is attacked from outside the tree.
    plain: bool,
    /// How far the next row is, and what is attacked there from outside the tree: the children's row.
    gap: L::Shift,
    falling: L,
    rising: L,
    /// How far from there the rows are that follow it, and what is attacked in each from outside the tree.
    ahead: [(L::Shift, L); MOST_AHEAD],
}

/// Parents in a register, and their free squares that are left to try.
#[derive(Clone, Copy)]
struct Stream<L: Lanes> {
    columns: L,
    from_left: L,
    from_right: L,
    free: L,
}

impl<L: Lanes> Scratch<L> {
    /// Empty stacks for nodes with up to this many rows left.
    ///
    /// # Safety
    /// The CPU must support the instruction set of `L`.
    #[inline(always)]
    pub(super) unsafe fn new(rows: usize) -> Self {
        let level = || {
            // SAFETY: the caller vouches for the CPU.
            let zero = unsafe { L::splat(L::Word::default()) };
            let stream = Stream { columns: zero, from_left: zero, from_right: zero, free: zero };
            let stack = || vec![L::Word::default(); ROOM * L::LANES];
            // SAFETY: as above.
            let below = unsafe { Below::new(&Rows::ALL, 0) };
            Level { stacks: [stack(), stack(), stack()], height: 0, streams: [stream; STREAMS], live: false, below }
        };
        Self { levels: (0..=rows).map(|_| level()).collect(), nodes: 0 }
    }

    /// The number of solutions that contain the placement `node`, which has from [`FEWEST_ROWS`] rows left to as many as
    /// the scratch was made for; they are the last of `rows`.
    ///
    /// # Safety
    /// The CPU must support the instruction set of `L`, and this must be inlined into a function that is compiled for it.
    #[inline(always)]
    pub(super) unsafe fn count(&mut self, node: Node, rows: &Rows, cancel: &Cancel) -> Result<u128, Cancelled> {
        let top = node.rows_left() as usize;
        assert!(
            (FEWEST_ROWS..self.levels.len()).contains(&top),
            "the node has as many rows left as there are stacks for"
        );
        let columns = u32::BITS - node.columns.leading_zeros();
        assert!(columns <= L::Word::COLUMNS, "the columns of the node fit the words");
        if node.free() == 0 {
            return Ok(0);
        }
        for (rows_left, level) in self.levels.iter_mut().enumerate().take(top + 1) {
            // SAFETY: as the caller vouches.
            level.below = unsafe { Below::new(rows, rows_left) };
        }
        for level in &mut self.levels {
            // What a search left behind that was stopped.
            level.height = 0;
            if std::mem::replace(&mut level.live, false) {
                // SAFETY: as the caller vouches.
                level.streams.iter_mut().for_each(|stream| stream.free = unsafe { L::splat(L::Word::default()) });
            }
        }
        let seed = words::<L::Word>(node);
        for (stack, word) in self.levels[top].stacks.iter_mut().zip(seed) {
            stack[0] = word;
        }
        self.levels[top].height = 1;
        self.nodes += 1;

        let mut solutions = 0_u128;
        let mut at = top;
        loop {
            if cancel.is_cancelled() {
                return Err(Cancelled);
            }
            if self.levels[at].height >= HIGH * L::LANES {
                // SAFETY: as the caller vouches.
                solutions += u128::from(unsafe { self.visit(at, true) });
                at = (at - 1).max(3);
            } else if let Some(higher) = (at + 1..=top).find(|&rows| self.levels[rows].height >= HIGH * L::LANES) {
                at = higher;
            } else if let Some(shallowest) =
                (3..=top).rev().find(|&rows| self.levels[rows].height > 0 || self.levels[rows].live)
            {
                // SAFETY: as the caller vouches.
                solutions += u128::from(unsafe { self.visit(shallowest, false) });
                at = (shallowest - 1).max(3);
            } else {
                return Ok(solutions);
            }
        }
    }

    /// Expands a row, or drains it. Returns the solutions found.
    #[inline(always)]
    unsafe fn visit(&mut self, rows: usize, high: bool) -> u64 {
        // SAFETY: as the caller vouches.
        unsafe {
            match rows {
                3 => self.visit_looking::<3>(rows, high),
                4 => self.visit_looking::<4>(rows, high),
                5 => self.visit_looking::<5>(rows, high),
                6 => self.visit_looking::<6>(rows, high),
                7 => self.visit_looking::<7>(rows, high),
                8 | 9 => self.visit_looking::<8>(rows, high),
                _ => self.visit_looking::<10>(rows, high),
            }
        }
    }

    /// See [`Self::visit`]. `LOOK` stands for the rows that the parents have left.
    #[inline(always)]
    unsafe fn visit_looking<const LOOK: usize>(&mut self, rows: usize, high: bool) -> u64 {
        // SAFETY: as the caller vouches.
        unsafe {
            match (high, self.levels[rows].below.plain) {
                (true, true) => self.expand::<LOOK, false>(rows),
                (true, false) => self.expand::<LOOK, true>(rows),
                (false, _) => self.drain::<LOOK>(rows),
            }
        }
    }

    /// Expands a row while its stack is high enough to refill the streams and the one below has room. `GAPS`: what lies
    /// below is not plain.
    #[inline(always)]
    unsafe fn expand<const LOOK: usize, const GAPS: bool>(&mut self, rows: usize) -> u64 {
        let (next, this) = self.levels.split_at_mut(rows);
        let (next, this) = (&mut next[rows - 1], &mut this[0]);
        let (from, to) = (this.stacks.each_ref().map(Vec::as_ptr), next.stacks.each_mut().map(Vec::as_mut_ptr));
        let (mut height, mut written) = (this.height, next.height);
        let before = written;
        let mut steps = 0_u64;
        let mut solutions = 0;
        let mut streams = this.streams;
        let below = this.below;
        // SAFETY: the height of this stack is at least that of four vectors when they are refilled, and a load at the
        // height reaches one vector beyond it at most; the stack below has room for a round of steps and one vector more.
        unsafe {
            for stream in &mut streams {
                stream.refill(&mut height, from);
            }
            loop {
                for stream in &mut streams {
                    solutions += stream.step::<LOOK, GAPS, false>(&mut written, to, &below);
                    stream.refill(&mut height, from);
                }
                debug_assert!(written + L::LANES <= ROOM * L::LANES, "there is room for a vector more");
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

    /// Takes one vector of parents, or one stream that was left, and visits all their children.
    #[inline(always)]
    unsafe fn drain<const LOOK: usize>(&mut self, rows: usize) -> u64 {
        let (next, this) = self.levels.split_at_mut(rows);
        let (next, this) = (&mut next[rows - 1], &mut this[0]);
        let (from, to) = (this.stacks.each_ref().map(Vec::as_ptr), next.stacks.each_mut().map(Vec::as_mut_ptr));
        let mut written = next.height;
        let before = written;
        let mut solutions = 0;
        // SAFETY: a stack has a vector's room beyond its height. The stack below is not high, so that it has room for the
        // children of one vector: no more vectors than a row has squares, which are at most 32.
        unsafe {
            let mut stream = if let Some(stream) = this.streams.iter_mut().find(|stream| stream.is_live()) {
                let left = *stream;
                stream.free = L::splat(L::Word::default());
                left
            } else {
                this.live = false;
                let taken = this.height.min(L::LANES);
                this.height -= taken;
                Stream::first(taken, from.map(|from| from.add(this.height)))
            };
            while stream.is_live() {
                if LOOK == 3 {
                    self.nodes += (L::LANES - L::count(stream.free.is_zero())) as u64;
                }
                solutions += stream.step::<LOOK, true, true>(&mut written, to, &this.below);
            }
        }
        debug_assert!(written + L::LANES <= ROOM * L::LANES, "there is room for a vector more");
        next.height = written;
        self.nodes += (written - before) as u64;
        solutions
    }
}

impl<L: Lanes> Stream<L> {
    /// The first of some nodes, with their free squares; the other lanes have none.
    #[inline(always)]
    unsafe fn first(nodes: usize, from: [*const L::Word; 3]) -> Self {
        // SAFETY: as the caller vouches.
        unsafe {
            let [columns, from_left, from_right] = from.map(|from| L::load(from));
            let none = L::splat(L::Word::default());
            let free = none.blend(L::first(nodes), columns.or(from_left).or(from_right).not());
            Self { columns, from_left, from_right, free }
        }
    }

    #[inline(always)]
    unsafe fn is_live(&self) -> bool {
        // SAFETY: as the caller vouches.
        unsafe { L::count(self.free.is_zero()) < L::LANES }
    }

    /// Takes nodes from the top of the stack for the lanes whose parents have no free square left.
    #[inline(always)]
    unsafe fn refill(&mut self, height: &mut usize, from: [*const L::Word; 3]) {
        // SAFETY: as the caller vouches.
        unsafe {
            let empty = self.free.is_zero();
            *height -= L::count(empty);
            let [columns, from_left, from_right] = from.map(|from| from.add(*height));
            self.columns = self.columns.expand(empty, columns);
            self.from_left = self.from_left.expand(empty, from_left);
            self.from_right = self.from_right.expand(empty, from_right);
            let attacked = self.columns.or(self.from_left).or(self.from_right);
            self.free = self.free.blend(empty, attacked.not());
        }
    }

    /// Takes the lowest free square of every lane for a queen. The children that are worth it go on the stack of the next
    /// row; if they have two rows left, their solutions are counted instead. `GAPS`: what lies below is not plain. `SOME`:
    /// there may be lanes without a free square.
    #[inline(always)]
    unsafe fn step<const LOOK: usize, const GAPS: bool, const SOME: bool>(
        &mut self,
        written: &mut usize,
        to: [*mut L::Word; 3],
        below: &Below<L>,
    ) -> u64 {
        // SAFETY: as the caller vouches.
        unsafe {
            let queen = self.free.lowest();
            self.free = self.free.xor(queen);
            let columns = self.columns.or(queen);
            let (mut from_left, mut from_right) = (self.from_left.or(queen), self.from_right.or(queen));
            if GAPS {
                from_left = from_left.up_by(below.gap).or(below.falling);
                from_right = from_right.down_by(below.gap).or(below.rising);
            } else {
                from_left = from_left.up::<1>();
                from_right = from_right.down::<1>();
            }
            let child = Child::<L, GAPS> { columns, from_left, from_right, below };
            if LOOK == 3 {
                let [one, other] = child.last_two_rows();
                if SOME {
                    let there = queen.meets(queen);
                    return (L::count(L::both(one, there)) + L::count(L::both(other, there))) as u64;
                }
                return (L::count(one) + L::count(other)) as u64;
            }
            let mut kept = child.survives::<LOOK>();
            if SOME {
                kept = L::both(kept, queen.meets(queen));
            }
            columns.compress(kept, to[0].add(*written));
            from_left.compress(kept, to[1].add(*written));
            from_right.compress(kept, to[2].add(*written));
            *written += L::count(kept);
            0
        }
    }
}

impl<L: Lanes> Below<L> {
    /// What lies below a row from which on so many are left, the last of `rows`.
    #[inline(always)]
    unsafe fn new(rows: &Rows, rows_left: usize) -> Self {
        let step = |rows_left: usize| if rows_left == 0 { Step::NEXT } else { rows.step(rows_left as u32) };
        let next = step(rows_left);
        let mut plain = next == Step::NEXT;
        // The row looked at: how far it is from the children's, and what is attacked there.
        let (mut gap, mut falling, mut rising) = (0, 0, 0);
        // SAFETY: the caller vouches for the CPU.
        unsafe {
            let ahead = std::array::from_fn(|row| {
                if rows_left >= 3 && row < rows_ahead(rows_left) {
                    let step = step(rows_left - 1 - row);
                    plain &= step == Step::NEXT;
                    gap += step.gap;
                    falling = falling << step.gap | step.falling;
                    rising = rising >> step.gap | step.rising;
                }
                (L::shift(gap), L::splat(L::Word::of(falling | rising)))
            });
            let [falling, rising] = [next.falling, next.rising].map(|mask| L::splat(L::Word::of(mask)));
            Self { plain, gap: L::shift(next.gap), falling, rising, ahead }
        }
    }
}

/// Children, one in each lane, and what lies below them.
struct Child<'a, L: Lanes, const GAPS: bool> {
    columns: L,
    from_left: L,
    from_right: L,
    below: &'a Below<L>,
}

impl<L: Lanes, const GAPS: bool> Child<'_, L, GAPS> {
    /// The free squares of the children's row.
    #[inline(always)]
    unsafe fn free(&self) -> L {
        // SAFETY: as the caller vouches.
        unsafe { self.columns.or(self.from_left).or(self.from_right).not() }
    }

    /// The free squares of one of the rows after it, as long as no queen stands between.
    #[inline(always)]
    unsafe fn free_ahead<const ROWS: u32>(&self) -> L {
        // SAFETY: as the caller vouches.
        unsafe {
            if GAPS {
                let (gap, attacked) = self.below.ahead[ROWS as usize - 1];
                let (left, right) = (self.from_left.up_by(gap), self.from_right.down_by(gap));
                self.columns.or(attacked).or(left.or(right)).not()
            } else {
                self.columns.or(self.from_left.up::<ROWS>()).or(self.from_right.down::<ROWS>()).not()
            }
        }
    }

    /// The children that are worth visiting, of parents with `LOOK` rows left (8 stands for 8 and 9, 10 for more): each of
    /// the next one, two or three rows has a free square left, the more rows the nearer the end; and with five rows left or
    /// fewer, every free column has a free square in some of them.
    #[inline(always)]
    unsafe fn survives<const LOOK: usize>(&self) -> L::Mask {
        // SAFETY: as the caller vouches.
        unsafe {
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
            L::both(every_row, reached.not().is_zero())
        }
    }

    /// The solutions of children with two rows left, as two masks. There are two free columns, and two ways to put a queen in
    /// each row: the lower column first, or the higher one. Either is a solution if both squares are free and are not on a
    /// diagonal.
    #[inline(always)]
    unsafe fn last_two_rows(&self) -> [L::Mask; 2] {
        // SAFETY: as the caller vouches.
        unsafe {
            let both = self.columns.not();
            let lower = both.lowest();
            let higher = both.xor(lower);
            let diagonal = if GAPS { both.up_by(self.below.ahead[0].0) } else { both.up::<1>() };
            let apart = both.and(diagonal).is_zero();
            let (first, second) = (self.free(), self.free_ahead::<1>());
            let one = L::both(first.meets(lower), second.meets(higher));
            let other = L::both(first.meets(higher), second.meets(lower));
            [L::both(one, apart), L::both(other, apart)]
        }
    }
}
