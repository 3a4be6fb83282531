//! One SVG picture of all solutions, several boards in a row.

use super::{Found, Layout};
use crate::app::output::document::Format;
use crate::classic::Picture;

/// The side of a square, in pixels.
const SQUARE: usize = 40;

/// The boards are kept until the last has come, because the first line has the size of the picture.
pub(super) struct Svg(Picture);

impl Svg {
    pub(super) fn new(layout: Layout) -> Self {
        Self(Picture::new(layout.size, layout.many))
    }
}

impl Format<Found> for Svg {
    fn item(&mut self, found: &Found) -> String {
        self.0.add(&found.heading(), &found.columns);
        String::new()
    }

    fn tail(&self, _complete: bool) -> String {
        self.0.svg(SQUARE)
    }
}
