//! A line for each solution: `[3, 6, 2, 7, 1, 4, 0, 5]`.

use super::Found;
use crate::app::output::document::Format;

pub(super) struct Lists;

impl Format<Found> for Lists {
    fn item(&mut self, found: &Found) -> String {
        match found.orbit_size {
            None => format!("{:?}\n", found.columns),
            Some(size) => format!("{:?} orbit of {size}\n", found.columns),
        }
    }
}
