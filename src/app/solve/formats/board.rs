//! Boards of `Q` and `.`, a line for each row.

use super::{Found, Layout};
use crate::app::output::document::Format;

pub(super) struct Boards(pub(super) Layout);

impl Format<Found> for Boards {
    fn item(&mut self, found: &Found) -> String {
        let mut text = String::new();
        if self.0.many {
            let blank = if found.number > 1 { "\n" } else { "" };
            text = format!("{blank}{}\n", found.heading());
        }
        let size = found.columns.len();
        for &queen in &found.columns {
            for column in 0..size {
                text.push(if column == queen { 'Q' } else { '.' });
                text.push(if column + 1 == size { '\n' } else { ' ' });
            }
        }
        text
    }
}
