//! Build sides and probe sides in the memory of a device.

use super::device::{Array, Queue};
use crate::engine::two_color::sides::{BuildSide, IndexRows, ProbeSide, SlotLayout};
use crate::engine::two_color::tuples::{HalfLine, LineSet, Rank, SquareClass};
use crate::engine::{StopReason, growth};

/// The threads of a team, and the slots of a group.
const TEAM: usize = 32;

/// The rows and columns of the table of diagonals.
const SIDE: usize = 16;

/// The probe sides of both colours on a row block.
#[derive(Debug)]
pub(super) struct DeviceProbes {
    pub(super) sparse: DeviceProbe,
    pub(super) dense: DeviceProbe,
}

/// A probe side.
#[derive(Debug)]
pub(super) struct DeviceProbe {
    pub(super) prefixes: usize,
    /// The length of the prefixes.
    pub(super) depth: usize,
    /// For each prefix three masks: the diagonals of all its queens except the last two, of all except the last, and of
    /// all.
    pub(super) masks: [Array<u64>; 3],
    /// By prefix, its columns, and in the upper half all rows of its records.
    pub(super) lines: Array<u32>,
    /// By prefix, its first segment. After the last prefix, the number of segments.
    pub(super) first_segment: Array<u32>,
    pub(super) segments: usize,
    /// For each segment its list and its first record; one more entry has the number of all records.
    pub(super) starts: Array<[u32; 2]>,
    pub(super) records: Array<u32>,
    /// By list, the rows in the order of the places of a record, four bits each, and from bit 20 on their number.
    pub(super) list_rows: Array<u32>,
    /// By row and column, the bits of the diagonal and of the anti-diagonal.
    pub(super) diagonals: Array<u16>,
    pub(super) rows: usize,
    pub(super) columns: usize,
    /// The most entries of a one-row table.
    pub(super) squares: usize,
    /// The bytes that this side takes, about.
    pub(super) bytes: u64,
}

impl DeviceProbe {
    pub(super) fn new(queue: &Queue, class: &SquareClass, probe: &ProbeSide, lists: usize) -> Result<Self, StopReason> {
        let mut masks: [Vec<u64>; 3] = Default::default();
        let (mut lines, mut first_segment) = (Vec::new(), Vec::new());
        let (mut depth, mut squares) = (0, 0);
        for (prefix, segments) in probe.prefixes() {
            let columns: LineSet = prefix.iter().map(|&[_, column]| column).collect();
            let diagonals = |queens: &[_]| queens.iter().fold(0, |mask, &square| mask | class.diagonals(square));
            depth = prefix.len();
            let prefix_masks = [2, 1, 0].map(|queens| diagonals(&prefix[..depth.saturating_sub(queens)]));
            // If the squares of a segment do not fit one table with those before, the segment begins another table, for
            // the same prefix.
            let mut rows = LineSet::EMPTY;
            for segment in segments.clone() {
                let mut with = rows;
                with |= probe.tail(probe.list(segment));
                let size = |rows: LineSet| 1 + rows.iter().map(|row| class.free_of(row, prefix).len()).sum::<usize>();
                let begins = segment == segments.start || size(with) > queue.device.squares;
                if begins {
                    rows = LineSet::EMPTY;
                    masks.iter_mut().zip(prefix_masks).for_each(|(masks, mask)| masks.push(mask));
                    lines.push(0);
                    first_segment.push(segment as u32);
                }
                rows |= probe.tail(probe.list(segment));
                squares = squares.max(size(rows));
                *lines.last_mut().expect("a prefix has begun") =
                    u32::from(columns.bits()) | u32::from(rows.bits()) << SIDE;
            }
        }
        first_segment.push(probe.segments() as u32);
        let (mut starts, mut records) = (Vec::new(), Vec::new());
        growth::reserve(&mut starts, probe.segments() + 1)?;
        starts.extend(probe.starts().map(|(list, start)| [list, start]));
        growth::reserve(&mut records, probe.all_records().len() + 2)?;
        records.extend(probe.all_records().iter().map(|record| record.bits()).chain([0, 0]));
        let mut diagonals = [0; SIDE * SIDE];
        for row in class.centre_first.iter().copied() {
            for column in class.columns.iter() {
                diagonals[SIDE * row.index() + column.index()] = u16::from_le_bytes(class.diagonal_bits([row, column]));
            }
        }
        let [far_above, above, all] = masks.each_ref().map(|masks| Array::new(queue, masks));
        Ok(Self {
            prefixes: lines.len(),
            depth,
            masks: [far_above?, above?, all?],
            lines: Array::new(queue, &lines)?,
            first_segment: Array::new(queue, &first_segment)?,
            segments: probe.segments(),
            starts: Array::new(queue, &starts)?,
            records: Array::new(queue, &records)?,
            list_rows: Array::new(queue, &(0..lists).map(|list| rows_of(probe.indexes(list))).collect::<Vec<_>>())?,
            diagonals: Array::new(queue, &diagonals)?,
            rows: class.centre_first.len(),
            columns: class.columns.len(),
            squares,
            bytes: 4 * records.len() as u64 + 8 * starts.len() as u64 + 32 * lines.len() as u64,
        })
    }
}

/// Returns the rows of indexes in the order of their places.
fn rows_of(indexes: &[IndexRows]) -> u32 {
    let rows_of_index = |index: &IndexRows| match *index {
        IndexRows::One(row) => vec![row],
        // The place in the second row is in the lower bits.
        IndexRows::Two([first, second]) => vec![second, first],
    };
    let rows: Vec<HalfLine> = indexes.iter().flat_map(rows_of_index).collect();
    rows.iter().rev().fold(0, |rows, row| rows << 4 | row.index() as u32) | (rows.len() as u32) << 20
}

/// The build side of one colour on one row set.
#[derive(Debug, Default)]
pub(super) struct DeviceBuild {
    /// The words by group of slots: the first word of each slot of the group, then the second of each, and so on.
    pub(super) words: Array<u64>,
    /// By group of slots, where its words begin, and how many each slot has, a multiple of 8.
    pub(super) groups: Array<[u32; 2]>,
    /// By slot, its rank, or [`NO_RANK`].
    pub(super) ranks: Array<u16>,
    /// The number of slots, a multiple of 32.
    pub(super) slots: usize,
    /// The most words of a slot.
    pub(super) longest: usize,
    /// The most words of a panel.
    pub(super) panel_words: usize,
    scratch: Vec<u64>,
}

/// The rank of an empty slot.
const NO_RANK: u16 = u16::MAX;

impl DeviceBuild {
    pub(super) fn fill(&mut self, queue: &Queue, layout: &SlotLayout, build: &BuildSide) -> Result<(), StopReason> {
        let slots = layout.buckets();
        let words = &mut self.scratch;
        words.clear();
        let mut groups = Vec::with_capacity(slots.len() / TEAM);
        for slots in slots.chunks(TEAM) {
            let bucket = |slot: &Option<Rank>| slot.map_or(&[][..], |rank| build.bucket(rank));
            let length = slots.iter().map(|slot| bucket(slot).len()).max().unwrap_or(0).next_multiple_of(8);
            let start = words.len();
            groups.push([start as u32, length as u32]);
            growth::reserve(words, TEAM * length)?;
            // Words that pad a slot have all bits, as if every queen attacked them.
            words.resize(start + TEAM * length, u64::MAX);
            for (index, slot) in slots.iter().enumerate() {
                for (place, &word) in words.iter_mut().skip(start + index).step_by(TEAM).zip(bucket(slot)) {
                    *place = word;
                }
            }
        }
        let ranks: Vec<u16> = slots.iter().map(|slot| slot.map_or(NO_RANK, |rank| rank.index() as u16)).collect();
        self.slots = slots.len();
        self.longest = groups.iter().map(|group| group[1] as usize).max().unwrap_or(0);
        let first_groups = groups.iter().step_by(queue.device.panel / TEAM);
        let starts: Vec<usize> = first_groups.map(|group| group[0] as usize).chain([words.len()]).collect();
        self.panel_words = starts.windows(2).map(|ends| ends[1] - ends[0]).max().unwrap_or(0);
        self.words.write(queue, words)?;
        self.groups.write(queue, &groups)?;
        self.ranks.write(queue, &ranks)
    }
}
