//! An SVG picture of how many solutions have a queen on each square.

/// The side of a square, in pixels.
const SQUARE: usize = 64;
/// The space around the board.
const MARGIN: usize = 20;

/// Returns a picture of a board, shaded by how many solutions have a queen on each square, with these numbers.
///
/// ```
/// use nqueens::classic::heat_map;
///
/// let picture = heat_map(&[vec![0, 1, 1, 0], vec![1, 0, 0, 1], vec![1, 0, 0, 1], vec![0, 1, 1, 0]]);
/// assert!(picture.contains("<title>row 0, column 1: 1</title>"));
/// ```
pub fn heat_map(counts: &[Vec<u128>]) -> String {
    let (least, most) = (counts.iter().flatten().min().copied(), counts.iter().flatten().max().copied());
    let (least, most) = (least.unwrap_or(0), most.unwrap_or(0));
    let digits = most.to_string().len();
    // Digits of some fonts are two thirds as wide as high.
    let font = (SQUARE * 4 / (3 * digits)).min(22);
    let square = |row: usize, column: usize, count: u128| {
        let share = (count - least) as f64 / (most - least).max(1) as f64;
        // The colour goes from white to a dark blue. Letters are black until the blue is dark enough for white ones.
        let between = |light: f64, dark: f64| (light + (dark - light) * share).round() as u8;
        let colour = format!("#{:02x}{:02x}{:02x}", between(255.0, 8.0), between(255.0, 69.0), between(255.0, 148.0));
        let ink = if share > 0.7 { "#fff" } else { "#111" };
        format!(
            "<g transform=\"translate({} {})\"><title>row {row}, column {column}: {count}</title><rect width=\"{SQUARE}\" \
             height=\"{SQUARE}\" fill=\"{colour}\" stroke=\"#fff\"/><text x=\"{half}\" y=\"{half}\" dy=\".35em\" fill=\"{ink}\">{count}</text></g>\n",
            MARGIN + column * SQUARE,
            MARGIN + row * SQUARE,
            half = SQUARE / 2,
        )
    };
    let of_row = |(row, counts): (usize, &Vec<u128>)| -> String {
        counts.iter().enumerate().map(|(column, &count)| square(row, column, count)).collect()
    };
    let squares: String = counts.iter().enumerate().map(of_row).collect();
    let board = counts.len() * SQUARE;
    let side = board + 2 * MARGIN;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {side} {side}\" width=\"{side}\" height=\"{side}\" \
         font-family=\"sans-serif\" font-size=\"{font}\" text-anchor=\"middle\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n\
         {squares}<rect x=\"{MARGIN}\" y=\"{MARGIN}\" width=\"{board}\" height=\"{board}\" fill=\"none\" stroke=\"#333\"/>\n\
         </svg>\n"
    )
}
