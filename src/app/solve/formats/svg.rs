//! One SVG picture of all solutions, several boards in a row.

use super::{Found, Layout};
use crate::app::output::document::Format;

/// The side of a square.
const SQUARE: usize = 40;
/// The space around a board.
const MARGIN: usize = 20;
/// The space between a board and the one below it, for the heading.
const CAPTION: usize = 30;
/// The width that boards side by side keep to, unless one is wider.
const WIDTH: usize = 1600;
/// A queen on the unit square, its base at the bottom: five points and a band, drawn for this program.
const QUEEN: &str = "M.22.84H.78V.76H.22ZM.25.7H.75L.88.32L.69.5L.64.22L.5.46L.36.22L.31.5L.12.32Z\
     M.12.28a.04.04 0 1 0 .001 0ZM.36.16a.04.04 0 1 0 .001 0ZM.64.16a.04.04 0 1 0 .001 0ZM.88.28a.04.04 0 1 0 .001 0Z";

/// The boards are kept until the last has come, because the first line has the size of the picture.
pub(super) struct Svg {
    layout: Layout,
    boards: Vec<String>,
}

impl Svg {
    pub(super) fn new(layout: Layout) -> Self {
        Self { layout, boards: Vec::new() }
    }
}

impl Format<Found> for Svg {
    fn item(&mut self, found: &Found) -> String {
        let queen = |(row, column): (usize, &usize)| {
            format!("<use href=\"#queen\" x=\"{}\" y=\"{}\"/>", column * SQUARE, row * SQUARE)
        };
        let queens: String = found.columns.iter().enumerate().map(queen).collect();
        let heading = found.heading();
        let shown = if self.layout.many { format!("<text y=\"-9\">{heading}</text>") } else { String::new() };
        self.boards.push(format!("<title>{heading}: {:?}</title>{shown}<use href=\"#board\"/>{queens}", found.columns));
        String::new()
    }

    fn tail(&self, _complete: bool) -> String {
        let Layout { size, many, .. } = self.layout;
        let side = size * SQUARE;
        let (across, down) = (side + MARGIN, side + if many { CAPTION } else { MARGIN });
        let in_a_row = (WIDTH / across).clamp(1, self.boards.len().max(1));
        let rows = self.boards.len().div_ceil(in_a_row);
        let (width, height) = (in_a_row * across + MARGIN, rows * down + MARGIN);
        let place = |(index, board): (usize, &String)| {
            let (x, y) = (MARGIN + index % in_a_row * across, index / in_a_row * down + down - side);
            format!("<g transform=\"translate({x} {y})\">{board}</g>\n")
        };
        let boards: String = self.boards.iter().enumerate().map(place).collect();
        format!(
            "\
<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
             font-family=\"sans-serif\" font-size=\"16\">
<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>
<defs>
<pattern id=\"squares\" width=\"{0}\" height=\"{0}\" patternUnits=\"userSpaceOnUse\">\
<rect width=\"{0}\" height=\"{0}\" fill=\"#f0d9b5\"/>\
<path d=\"M{SQUARE} 0h{SQUARE}v{SQUARE}h-{0}v{SQUARE}h{SQUARE}z\" fill=\"#b58863\"/></pattern>
<rect id=\"board\" width=\"{side}\" height=\"{side}\" fill=\"url(#squares)\" stroke=\"#4a3524\"/>
<path id=\"queen\" d=\"{QUEEN}\" transform=\"scale({SQUARE})\" fill=\"#1b1b1b\"/>
</defs>
{boards}</svg>
",
            2 * SQUARE
        )
    }
}
