//! One SVG picture of all solutions, several boards in a row.

use crate::app::solve::formats::{Found, Layout, Report, Sink};
use std::io;

/// The side of a square.
const SQUARE: usize = 40;
/// The space around a board, and for the line above it.
const MARGIN: usize = 20;
const CAPTION: usize = 30;
/// The width that boards side by side are to keep to.
const WIDTH: usize = 1600;
/// A queen on the unit square, its base at the bottom: five points and a band, drawn for this program.
const QUEEN: &str = "M.22.84H.78V.76H.22ZM.25.7H.75L.88.32L.69.5L.64.22L.5.46L.36.22L.31.5L.12.32Z\
     M.12.28a.04.04 0 1 0 .001 0ZM.36.16a.04.04 0 1 0 .001 0ZM.64.16a.04.04 0 1 0 .001 0ZM.88.28a.04.04 0 1 0 .001 0Z";

/// The size of the picture is in its first line, so the boards are kept until the last has come.
pub(super) struct Svg<W> {
    layout: Layout,
    out: W,
    boards: Vec<String>,
}

impl<W: Sink> Svg<W> {
    pub(super) fn new(layout: Layout, out: W) -> Self {
        Self { layout, out, boards: Vec::new() }
    }
}

impl<W: Sink> Report for Svg<W> {
    fn solution(&mut self, found: Found<'_>) -> io::Result<()> {
        let queens =
            found.columns.iter().enumerate().map(|(row, column)| {
                format!("<use href=\"#queen\" x=\"{}\" y=\"{}\"/>", column * SQUARE, row * SQUARE)
            });
        let orbit = found.orbit_size.map_or(String::new(), |size| format!(" (orbit of {size})"));
        let caption = format!("Solution {}{orbit}", found.number);
        let shown = if self.layout.many { format!("<text y=\"-9\">{caption}</text>") } else { String::new() };
        let queens: String = queens.collect();
        self.boards.push(format!("<title>{caption}: {:?}</title>{shown}<use href=\"#board\"/>{queens}", found.columns));
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn finish(&mut self, complete: bool) -> io::Result<()> {
        let Layout { size, many, .. } = self.layout;
        let side = size * SQUARE;
        let (across, down) = (side + MARGIN, side + if many { CAPTION } else { MARGIN });
        let in_a_row = (WIDTH / across).clamp(1, self.boards.len().max(1));
        let rows = self.boards.len().div_ceil(in_a_row);
        let (width, height) = (in_a_row * across + MARGIN, rows * down + MARGIN);
        let out = &mut self.out;
        if !self.boards.is_empty() {
            out.keep();
        }
        writeln!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
             font-family=\"sans-serif\" font-size=\"16\">"
        )?;
        writeln!(out, "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>")?;
        writeln!(out, "<defs>")?;
        writeln!(
            out,
            "<pattern id=\"squares\" width=\"{0}\" height=\"{0}\" patternUnits=\"userSpaceOnUse\">\
             <rect width=\"{0}\" height=\"{0}\" fill=\"#f0d9b5\"/>\
             <path d=\"M{SQUARE} 0h{SQUARE}v{SQUARE}h-{0}v{SQUARE}h{SQUARE}z\" fill=\"#b58863\"/></pattern>",
            2 * SQUARE
        )?;
        writeln!(
            out,
            "<rect id=\"board\" width=\"{side}\" height=\"{side}\" fill=\"url(#squares)\" stroke=\"#4a3524\"/>"
        )?;
        writeln!(out, "<path id=\"queen\" d=\"{QUEEN}\" transform=\"scale({SQUARE})\" fill=\"#1b1b1b\"/>")?;
        writeln!(out, "</defs>")?;
        for (index, board) in self.boards.iter().enumerate() {
            let (x, y) = (MARGIN + index % in_a_row * across, index / in_a_row * down + down - side);
            writeln!(out, "<g transform=\"translate({x} {y})\">{board}</g>")?;
        }
        writeln!(out, "</svg>")?;
        out.finish(complete)
    }
}
