//! Bars of the counts that studies share, as SVG: one for each study, as long as it is fast.

use crate::app::bench::view::View;
use crate::app::bench::view::shared::{Bars, SharedCount};
use crate::app::bench::view::svg::{WIDTH, class_of, escape};
use crate::app::output::words::{self, wrapped};
use std::fmt::Write as _;

/// The left and the right edge of the bars.
const EDGES: [f64; 2] = [14.0, 366.0];
/// The height of a line of text.
const LINE: f64 = 18.0;
/// The height of a bar.
const BAR: f64 = 9.0;
/// The most characters of a line of a name, beside the time.
const NAME_LENGTH: usize = 36;
/// The most characters of a line of a title.
const TITLE_LENGTH: usize = 46;

/// Draws the bars of a count; returns them and their height.
pub(super) fn draw(count: &SharedCount<'_>, view: &View<'_>) -> (String, f64) {
    let (mut text, mut y) = (String::new(), 4.0);
    for bars in count.bars(view) {
        group(&mut text, &mut y, &bars);
    }
    (text, y)
}

fn group(text: &mut String, y: &mut f64, bars: &Bars<'_>) {
    let [left, right] = EDGES;
    for line in wrapped(&bars.title(), TITLE_LENGTH) {
        *y += LINE;
        let _ = writeln!(text, "<text x=\"{left}\" y=\"{y}\" font-weight=\"bold\">{}</text>", escape(&line));
    }
    *y += 4.0;
    let fastest = bars.rows.iter().map(|(_, _, row)| row.seconds).fold(f64::INFINITY, f64::min);
    for (label, study, row) in &bars.rows {
        for (index, line) in wrapped(label, NAME_LENGTH).iter().enumerate() {
            *y += LINE;
            let _ = writeln!(text, "<text x=\"{left}\" y=\"{y}\">{}</text>", escape(line));
            if index == 0 {
                let ratio = words::ratio(bars.times_as_fast(row));
                let time = words::time(row.seconds);
                let _ = writeln!(
                    text,
                    "<text x=\"{right}\" y=\"{y}\" text-anchor=\"end\"><tspan class=\"quiet\">{time}</tspan>\u{a0} {ratio}</text>"
                );
            }
        }
        let (top, width) = (*y + 4.0, (right - left) * fastest / row.seconds);
        let _ = writeln!(
            text,
            "<g class=\"{}\"><rect class=\"mark\" x=\"{left}\" y=\"{top}\" width=\"{width:.1}\" height=\"{BAR}\"/></g>",
            class_of(*study)
        );
        *y += 4.0 + BAR;
    }
    *y += LINE;
}

/// Returns the bars of a count as an element of a page.
pub(super) fn inline(count: &SharedCount<'_>, view: &View<'_>) -> String {
    let (text, height) = draw(count, view);
    let label = escape(&count.name);
    format!("<svg class=\"plot\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{label}\">\n{text}</svg>")
}
