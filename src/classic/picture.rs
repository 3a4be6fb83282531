//! SVG pictures of boards.

/// The side of a square, in units of the picture.
const SQUARE: usize = 40;
/// The space around a board.
const MARGIN: usize = 20;
/// The space between a board and the one below it, for the heading.
const CAPTION: usize = 30;
/// The largest width of a row of boards, unless a single board is wider.
const WIDTH: usize = 1600;
/// A queen on the unit square, its base at the bottom: five points and a band, drawn for this program.
const QUEEN: &str = "M.22.84H.78V.76H.22ZM.25.7H.75L.88.32L.69.5L.64.22L.5.46L.36.22L.31.5L.12.32Z\
     M.12.28a.04.04 0 1 0 .001 0ZM.36.16a.04.04 0 1 0 .001 0ZM.64.16a.04.04 0 1 0 .001 0ZM.88.28a.04.04 0 1 0 .001 0Z";

/// One SVG picture of solutions of boards of one size, several boards in a row.
///
/// ```
/// use nqueens::classic::Picture;
///
/// let mut picture = Picture::new(4, false);
/// picture.add("", &[1, 3, 0, 2]);
/// assert!(picture.svg(40).contains("<svg"));
/// ```
#[derive(Clone, Debug)]
pub struct Picture {
    size: usize,
    has_headings: bool,
    boards: Vec<String>,
}

impl Picture {
    /// Returns a picture without boards. Each board that is added has `size` rows.
    pub fn new(size: usize, has_headings: bool) -> Self {
        Self { size, has_headings, boards: Vec::new() }
    }

    /// Adds the board whose queens stand in these columns, from row 0 on. The heading is the board's title for screen
    /// readers too.
    pub fn add(&mut self, heading: &str, columns: &[usize]) {
        let queen = |(row, column): (usize, &usize)| {
            format!("<use xlink:href=\"#queen\" x=\"{}\" y=\"{}\"/>", column * SQUARE, row * SQUARE)
        };
        let queens: String = columns.iter().enumerate().map(queen).collect();
        let shown = if self.has_headings { format!("<text y=\"-9\">{heading}</text>") } else { String::new() };
        let board =
            format!("<title>{heading}: {columns:?}</title>{shown}<use xlink:href=\"#board-{}\"/>{queens}", self.size);
        self.boards.push(board);
    }

    /// Returns the picture, on which a square has sides of `square` pixels.
    // A page may hold several pictures, so a name means the same in all of them. A browser draws the shapes that a
    // hidden picture defines, but not its patterns. Therefore the dark squares of a row are a dashed line.
    pub fn svg(&self, square: usize) -> String {
        let side = self.size * SQUARE;
        let (across, down) = (side + MARGIN, side + if self.has_headings { CAPTION } else { MARGIN });
        let in_a_row = (WIDTH / across).clamp(1, self.boards.len().max(1));
        let rows = self.boards.len().div_ceil(in_a_row);
        let (width, height) = (in_a_row * across + MARGIN, rows * down + MARGIN);
        let pixels = |units: usize| units * square / SQUARE;
        let place = |(index, board): (usize, &String)| {
            let (x, y) = (MARGIN + index % in_a_row * across, index / in_a_row * down + down - side);
            format!("<g transform=\"translate({x} {y})\">{board}</g>\n")
        };
        let dashes = |row: usize| {
            let (x, y) = ((row + 1) % 2 * SQUARE, row * SQUARE + SQUARE / 2);
            format!("M{x} {y}H{side}")
        };
        let dark: String = (0..self.size).map(dashes).collect();
        let boards: String = self.boards.iter().enumerate().map(place).collect();
        format!(
            "\
<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" \
             viewBox=\"0 0 {width} {height}\" width=\"{1}\" height=\"{2}\" \
             font-family=\"sans-serif\" font-size=\"16\">
<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>
<defs>
<g id=\"board-{0}\"><rect width=\"{side}\" height=\"{side}\" fill=\"#f0d9b5\"/>\
<path d=\"{dark}\" stroke=\"#b58863\" stroke-width=\"{SQUARE}\" stroke-dasharray=\"{SQUARE}\"/>\
<rect width=\"{side}\" height=\"{side}\" fill=\"none\" stroke=\"#4a3524\"/></g>
<path id=\"queen\" d=\"{QUEEN}\" transform=\"scale({SQUARE})\" fill=\"#1b1b1b\"/>
</defs>
{boards}</svg>
",
            self.size,
            pixels(width),
            pixels(height),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_scaled_as_a_whole() {
        let mut picture = Picture::new(4, false);
        picture.add("Solution 1", &[1, 3, 0, 2]);
        let (large, small) = (picture.svg(40), picture.svg(20));
        assert!(large.contains("viewBox=\"0 0 200 200\" width=\"200\" height=\"200\""), "{large}");
        assert!(large.contains("M40 20H160M0 60H160M40 100H160M0 140H160") && !large.contains("url("), "{large}");
        assert_eq!(large.replace("width=\"200\" height=\"200\"", "width=\"100\" height=\"100\""), small);
    }
}
