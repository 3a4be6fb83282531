//! The picture of a search: the board and the three arrays after a step, as lines of text.

use console::Style;
use nqueens::board::Line;
use nqueens::classic::{Position, Step};

/// The look of a piece of text, as [`Style::from_dotted_str`] reads it.
pub(super) type Look = &'static str;

pub(super) const PLAIN: Look = "";
/// For what matters less.
pub(super) const FAINT: Look = "dim";
const QUEEN: Look = "bold";
const ATTACKED: Look = "yellow";
/// For the square or the flags of any step but a conflict.
pub(super) const GOOD: Look = "green.bright.bold.reverse";
/// For the square, the queen and the flag of a conflict.
pub(super) const BAD: Look = "red.bright.bold.reverse";

/// A line of a picture: pieces of text, each with its look.
#[derive(Default)]
pub(super) struct TextLine(pub(super) Vec<(String, Look)>);

impl TextLine {
    pub(super) fn plain(text: impl Into<String>) -> Self {
        Self(vec![(text.into(), PLAIN)])
    }

    pub(super) fn push(&mut self, text: impl Into<String>, look: Look) {
        self.0.push((text.into(), look));
    }

    /// Returns at most `width` characters with their looks, for a terminal.
    pub(super) fn styled(&self, width: usize) -> String {
        let mut left = width;
        let piece = |(text, look): &(String, Look)| {
            let shown: String = text.chars().take(left).collect();
            left -= shown.chars().count();
            Style::from_dotted_str(look).apply_to(shown).to_string()
        };
        self.0.iter().map(piece).collect()
    }

    /// Returns the text without its looks.
    pub(super) fn text(&self) -> String {
        let text: String = self.0.iter().map(|(text, _)| text.as_str()).collect();
        text.trim_end().to_owned()
    }
}

/// The state of a search after a step.
#[derive(Clone, Copy)]
pub(super) struct TextPicture<'a> {
    pub(super) position: &'a Position,
    /// The last step made; `None` before the first.
    pub(super) step: Option<&'a Step>,
}

impl TextPicture<'_> {
    /// Returns the square of the last step and its look.
    fn square(&self) -> Option<((usize, usize), Look)> {
        match *self.step? {
            Step::Conflict { row, column, .. } => Some(((row, column), BAD)),
            Step::Place { row, column } | Step::Mark { row, column } | Step::Unmark { row, column } => {
                Some(((row, column), GOOD))
            }
            _ => None,
        }
    }

    /// Returns the board: queens, the squares that they attack, and the square of the last step.
    pub(super) fn board(&self) -> impl Iterator<Item = TextLine> {
        let size = self.position.board().size();
        let width = if size > 10 { 3 } else { 2 };
        let mut numbers = TextLine::plain("   ");
        (0..size).for_each(|column| numbers.push(format!("{column:>width$}"), FAINT));
        let attacker = if let Some(&Step::Conflict { queen, .. }) = self.step { Some(queen) } else { None };
        let row = move |row: usize| {
            let mut line = TextLine(vec![(format!("{row:>3}"), FAINT)]);
            for column in 0..size {
                let queen = self.position.queens().get(row) == Some(&column);
                let (mark, mut look) = match (queen, self.position.is_attacked(row, column)) {
                    (true, _) if attacker == Some(row) => ("Q", BAD),
                    (true, _) => ("Q", QUEEN),
                    (false, true) => ("x", ATTACKED),
                    (false, false) => (".", PLAIN),
                };
                if let Some((square, now)) = self.square()
                    && square == (row, column)
                {
                    look = now;
                }
                line.push(" ".repeat(width - 1), PLAIN);
                line.push(mark, look);
            }
            line
        };
        std::iter::once(numbers).chain((0..size).map(row))
    }

    /// Returns the three arrays, each with the indices above the flags (1 is marked), broken where the screen ends.
    pub(super) fn arrays(&self, screen: usize) -> Vec<TextLine> {
        const NAMES: usize = 18;
        let board = self.position.board();
        let last = board.size() - 1;
        let (square, line) = match self.step {
            Some(&Step::Conflict { row, column, line, .. }) => (Some((row, column)), Some(line)),
            Some(&(Step::Mark { row, column } | Step::Unmark { row, column })) => (Some((row, column)), None),
            _ => (None, None),
        };
        // A conflict touches the flag that it found marked, and other steps touch the flags that they changed.
        let touched = |array: Line, index: usize| {
            let (row, column) = square?;
            let met = line.is_none_or(|line| line == array) && array.index(board, row, column) == index;
            met.then_some(if line.is_some() { BAD } else { GOOD })
        };
        let width = (2 * last).to_string().len() + 1;
        let mut lines = Vec::new();
        for (name, array) in [
            ("column".to_owned(), Line::Column),
            ("row + column".to_owned(), Line::AntiDiagonal),
            (format!("row - column + {last}"), Line::Diagonal),
        ] {
            let in_a_line = (screen.saturating_sub(NAMES) / width).max(1);
            let flags: Vec<(usize, bool)> = self.position.flags(array).iter().copied().enumerate().collect();
            for (part, flags) in flags.chunks(in_a_line).enumerate() {
                let mut indices = TextLine::plain(" ".repeat(NAMES));
                let mut marks = TextLine::plain(format!("{:<NAMES$}", if part == 0 { &*name } else { "" }));
                for &(index, flag) in flags {
                    indices.push(format!("{index:>width$}"), FAINT);
                    marks.push(" ".repeat(width - 1), PLAIN);
                    let look = touched(array, index).unwrap_or(if flag { QUEEN } else { PLAIN });
                    marks.push(if flag { "1" } else { "." }, look);
                }
                lines.extend([indices, marks]);
            }
        }
        lines
    }
}
