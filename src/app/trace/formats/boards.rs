//! A numbered line for each step, and below it the board and the three arrays.

use super::NumberedStep;
use super::text::Text;
use crate::Board;
use crate::app::output::document::Format;
use crate::app::trace::picture::{Picture, TextLine};
use crate::classic::Position;

/// The width of the arrays, in characters.
const WIDTH: usize = 80;

pub(super) struct Boards {
    position: Position,
    lines: Text,
}

impl Boards {
    pub(super) fn new(board: Board) -> Self {
        Self { position: Position::new(board), lines: Text(board) }
    }
}

impl Format<NumberedStep> for Boards {
    fn item(&mut self, step: &NumberedStep) -> String {
        self.position.apply(&step.step);
        let picture = Picture { position: &self.position, step: Some(&step.step) };
        let board = picture.board().chain([TextLine::default()]).chain(picture.arrays(WIDTH));
        let lines: Vec<String> = board.map(|line| line.text()).collect();
        format!("{}{}\n\n", self.lines.item(step), lines.join("\n"))
    }
}
