//! Tight survivors: one after another, regardless of their slots.

use crate::engine::StopReason;
use crate::engine::growth::grow_to;
use crate::engine::two_color::simd::{MOST_TIGHT_BLOCKS, PLACEMENTS_PER_BLOCK, Planes, SLOTS, Survivors};
use std::ops::Range;

/// The survivors of a prefix, of all chunks of a panel, in as few blocks as have room for them.
#[derive(Debug, Default)]
pub(crate) struct TightSurvivors {
    placements: Vec<u64>,
    /// The slot of each placement in the panel.
    slots: Vec<u16>,
    /// The blocks of a slice, each a chunk of one plane.
    survivors: [Survivors; MOST_TIGHT_BLOCKS],
    planes: Planes,
}

impl TightSurvivors {
    /// Takes the survivors of some chunks. Returns the range of placements of each slice. Slices have nearly equal
    /// numbers of blocks.
    ///
    /// # Errors
    /// When the system refuses memory.
    pub(crate) fn take(
        &mut self,
        chunks: &[Survivors],
    ) -> Result<impl Iterator<Item = Range<usize>> + use<>, StopReason> {
        self.placements.clear();
        for (chunk, survivors) in chunks.iter().enumerate() {
            let before = self.placements.len();
            self.placements.extend_from_slice(survivors.placements());
            grow_to(&mut self.slots, self.placements.len() + 8, 0)?;
            for (slot, ends) in survivors.starts.windows(2).enumerate() {
                // Eight places are written at once, even for no survivor, so that no branch depends on small numbers.
                // The next slot overwrites the excess.
                for first in (ends[0]..ends[1].max(ends[0] + 1)).step_by(8) {
                    self.slots[before + first as usize..][..8].fill((SLOTS * chunk + slot) as u16);
                }
            }
        }
        let all = self.placements.len();
        let blocks = all.div_ceil(PLACEMENTS_PER_BLOCK);
        let step = PLACEMENTS_PER_BLOCK * blocks.div_ceil(blocks.div_ceil(MOST_TIGHT_BLOCKS).max(1)).max(1);
        Ok((0..all).step_by(step).map(move |first| first..all.min(first + step)))
    }

    /// Returns the blocks of a slice, each as survivors of one plane. Writes the slot of each placement to `slots`.
    pub(crate) fn slice(&mut self, range: Range<usize>, slots: &mut [u16]) -> (&[Survivors], &Planes) {
        let placements = &self.placements[range.clone()];
        slots[..placements.len()].copy_from_slice(&self.slots[range]);
        let blocks = placements.len().div_ceil(PLACEMENTS_PER_BLOCK);
        for (block, placements) in placements.chunks(PLACEMENTS_PER_BLOCK).enumerate() {
            self.survivors[block].fill_in_turn(placements);
        }
        self.planes.lay_out(blocks, 1);
        (&self.survivors[..blocks], &self.planes)
    }
}
