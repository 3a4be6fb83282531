//! Charts as SVG. Every panel has the same width, and is as high as what it shows.

use crate::app::output::printable;
use crate::app::output::words::{self, wrapped};
use std::fmt::Write as _;

/// The style sheet of the charts, with light and dark colours.
const STYLE: &str = include_str!("chart.css");

/// The width of a panel, in pixels. It fits the screen of a telephone.
const WIDTH: f64 = 380.0;
/// The edges of the plot.
const LEFT: f64 = 62.0;
const RIGHT: f64 = 366.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 262.0;
/// The left edge of texts.
const MARGIN: f64 = 14.0;
/// The distance from the lower edge of the plot to the first line of the legend.
const LEGEND: f64 = 54.0;
/// The height of a line of the legend, and of a heading of bars.
const LINE: f64 = 17.0;
/// The height of a bar with its label.
const BAR: f64 = 29.0;
/// The most characters of a line of text that fit the width, whatever the font.
const LENGTH: usize = 42;
/// The most characters of a line of the notes, in smaller letters, that fit the width of a panel.
const NOTE: usize = 52;
/// The most lines of a text. Only one that is made to be long has more.
const MOST_LINES: usize = 8;
/// The most ticks of an axis.
const MOST_TICKS: i64 = 12;

/// The marks of series, as paths around a point, as many as there are colours in [`STYLE`].
const MARKS: [&str; 8] = [
    "m-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z",
    "m-4 -4h8v8h-8z",
    "m0 -5l5 9h-10z",
    "m0 -5l5 5l-5 5l-5 -5z",
    "m0 5l5 -9h-10z",
    "m-5 -1.5h3.5v-3.5h3v3.5h3.5v3h-3.5v3.5h-3v-3.5h-3.5z",
    "m-4.5 -4.5h9l-9 9h9z",
    "m-3.5 -5l3.5 3.5l3.5 -3.5l1.5 1.5l-3.5 3.5l3.5 3.5l-1.5 1.5l-3.5 -3.5l-3.5 3.5l-1.5 -1.5l3.5 -3.5l-3.5 -3.5z",
];

/// A panel: its SVG and its height.
pub(super) type Panel = (String, f64);

/// A bar: the number of its colour, its name, its value and its label.
pub(super) type ChartBar = (usize, String, f64, String);

/// A line of a chart: its name and its points.
pub(super) type Series = (String, Vec<(f64, f64)>);

/// An axis: what it shows, and its scale.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Axis {
    /// The size of the board, on a linear scale.
    Board,
    /// The number of threads, on a logarithmic scale of powers of two.
    Threads,
    /// The speed-up, on the same scale.
    SpeedUp,
    /// A time in seconds, on a logarithmic scale of powers of ten.
    Seconds,
}

/// The scale of an axis for the values that are shown: the axis, its ends as numbers or exponents, and their pixels.
struct Scale(Axis, [f64; 2], [f64; 2]);

impl Scale {
    fn of(axis: Axis, values: impl Iterator<Item = f64>, pixels: [f64; 2]) -> Self {
        let ends = |[least, most]: [f64; 2], value: f64| [least.min(value), most.max(value)];
        let [least, most] = values.map(|value| axis.transformed(value)).fold([f64::INFINITY, f64::NEG_INFINITY], ends);
        let [least, most] = match axis {
            Axis::Board => [least - 0.5, most + 0.5],
            _ => [least.floor(), most.ceil().max(least.floor() + 1.0)],
        };
        Self(axis, [least, most], pixels)
    }

    /// Returns the place of a value.
    fn place(&self, value: f64) -> f64 {
        let Scale(axis, [least, most], [from, to]) = self;
        from + (axis.transformed(value) - least) / (most - least) * (to - from)
    }

    /// Returns the places of the ticks, with their labels.
    fn ticks(&self) -> Vec<(f64, String)> {
        let Scale(axis, [least, most], _) = self;
        let step = (most - least) as i64 / MOST_TICKS + 1;
        let tick = |number: i64| match axis {
            Axis::Board => (number as f64, number.to_string()),
            Axis::Threads | Axis::SpeedUp => (2_f64.powi(number as i32), words::short(2_f64.powi(number as i32))),
            Axis::Seconds => (10_f64.powi(number as i32), power_of_ten(number)),
        };
        let numbers = (least.ceil() as i64..=most.floor() as i64).filter(|number| number.rem_euclid(step) == 0);
        numbers.map(tick).map(|(value, label)| (self.place(value), label)).collect()
    }
}

impl Axis {
    fn transformed(self, value: f64) -> f64 {
        match self {
            Axis::Board => value,
            Axis::Threads | Axis::SpeedUp => value.log2(),
            Axis::Seconds => value.log10(),
        }
    }
}

/// Returns a power of ten of seconds in words.
fn power_of_ten(exponent: i64) -> String {
    let thousands = exponent.div_euclid(3).clamp(-3, 0);
    let unit = ["s", "ms", "\u{b5}s", "ns"][thousands.unsigned_abs() as usize];
    format!("{} {unit}", 10_f64.powi((exponent - 3 * thousands) as i32))
}

/// Returns a text that has no meaning in SVG and HTML.
pub(super) fn escape(text: &str) -> String {
    printable(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Returns the lines of a text.
fn lines_of(text: &str, length: usize) -> Vec<String> {
    let mut lines = wrapped(&printable(text), length);
    if lines.len() > MOST_LINES {
        lines.truncate(MOST_LINES);
        lines.push("\u{2026}".to_owned());
    }
    lines
}

/// Returns a picture of all panels, followed by the notes.
pub(super) fn picture(panels: &[Panel], notes: &[String]) -> String {
    let width = WIDTH * panels.len() as f64;
    let notes: Vec<String> = notes.iter().flat_map(|note| lines_of(note, panels.len() * NOTE)).collect();
    let below = panels.iter().map(|(_, height)| *height).fold(0.0, f64::max);
    let height = below + LINE * (notes.len() as f64 + 0.5);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\">\n<style>\n{STYLE}</style>\n<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n"
    );
    for (index, (panel, _)) in panels.iter().enumerate() {
        let _ = writeln!(svg, "<g transform=\"translate({} 0)\">\n{panel}</g>", WIDTH * index as f64);
    }
    for (index, note) in notes.iter().enumerate() {
        text(&mut svg, "quiet note", [MARGIN, below + LINE * (index + 1) as f64], "start", &escape(note));
    }
    svg + "</svg>"
}

/// Adds a text, which is escaped already.
fn text(svg: &mut String, class: &str, [x, y]: [f64; 2], anchor: &str, text: &str) {
    let _ = writeln!(svg, "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{text}</text>");
}

/// Adds the lines of a text, from `y` on. Returns the place of the last.
fn paragraph(svg: &mut String, class: &str, [x, mut y]: [f64; 2], lines: &[String]) -> f64 {
    for (index, line) in lines.iter().enumerate() {
        y += if index > 0 { LINE } else { 0.0 };
        text(svg, class, [x, y], "start", &escape(line));
    }
    y
}

/// Draws bars in groups, each with its heading. `left_out` groups, of smaller boards, are not drawn.
pub(super) fn bars(title: &str, groups: &[(String, Vec<ChartBar>)], left_out: usize) -> Panel {
    let mut svg = String::new();
    let mut y = paragraph(&mut svg, "title", [MARGIN, 18.0], &lines_of(title, LENGTH));
    for (heading, bars) in groups {
        y = paragraph(&mut svg, "quiet", [MARGIN, y + LINE + 3.0], &lines_of(heading, LENGTH));
        let longest = bars.iter().map(|(_, _, value, _)| *value).fold(f64::MIN_POSITIVE, f64::max);
        for (colour, name, value, label) in bars {
            let mut lines = lines_of(name, LENGTH);
            // The label is beside the end of the name, or below it.
            if lines.last().is_some_and(|last| last.chars().count() + label.chars().count() >= LENGTH) {
                lines.push(String::new());
            }
            y = paragraph(&mut svg, "", [MARGIN, y + BAR - 8.0], &lines) + 8.0;
            text(&mut svg, "quiet", [RIGHT, y - 8.0], "end", &escape(label));
            let (class, width) = (colour % MARKS.len(), (RIGHT - MARGIN) * value / longest);
            let bar = format!("x=\"{MARGIN}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"6\"", y - 4.0);
            let _ = writeln!(svg, "<g class=\"s{class}\"><rect class=\"mark\" {bar}/></g>");
        }
    }
    with_what_is_left_out(svg, left_out, "counts, of smaller boards", y)
}

/// Draws lines. Only as many are drawn as there are colours and marks.
pub(super) fn lines(title: &str, x: Axis, y: Axis, mut series: Vec<Series>) -> Panel {
    let left_out = series.len().saturating_sub(MARKS.len());
    series.truncate(MARKS.len());
    let mut svg = String::new();
    text(&mut svg, "title", [MARGIN, 18.0], "start", &escape(title));
    let points = || series.iter().flat_map(|(_, points)| points.iter().copied());
    if points().next().is_none() {
        text(&mut svg, "quiet", [LEFT, 60.0], "start", "One thread was not timed.");
        return (svg, 60.0);
    }
    let ideal = points().map(|(x, _)| x).filter(|_| y == Axis::SpeedUp);
    let x = Scale::of(x, points().map(|(x, _)| x), [LEFT + 8.0, RIGHT - 8.0]);
    let y = Scale::of(y, points().map(|(_, y)| y).chain(ideal), [BOTTOM - 6.0, TOP + 6.0]);
    draw_axes(&mut svg, &x, &y);
    if y.0 == Axis::SpeedUp {
        let [from, to] = x.1.map(|end| y.place(2_f64.powf(end)));
        let _ = writeln!(svg, "<path class=\"ideal\" d=\"M{:.1} {from:.1}L{:.1} {to:.1}\"/>", x.2[0], x.2[1]);
    }
    let mut line = BOTTOM + LEGEND - LINE;
    for (index, ((name, points), mark)) in series.iter().zip(MARKS).enumerate() {
        let places = points.iter().map(|&(px, py)| format!("{:.1} {:.1}", x.place(px), y.place(py)));
        let places: Vec<String> = places.collect();
        line += LINE;
        let legend = format!("M{} {}{mark}", MARGIN + 6.0, line - 4.5);
        let marks: String = places.iter().map(|place| format!("M{place}{mark}")).chain([legend]).collect();
        let own = places.join("L");
        let paths = format!("<path class=\"own\" d=\"M{own}\"/><path class=\"mark\" d=\"{marks}\"/>");
        let _ = writeln!(svg, "<g class=\"s{index}\">{paths}</g>");
        // A study begins a line of its own, unless all fits one.
        let parts: Vec<&str> = if name.chars().count() > LENGTH - 2 { name.split("; ").collect() } else { vec![name] };
        let lines: Vec<String> = parts.iter().flat_map(|part| lines_of(part, LENGTH - 2)).collect();
        line = paragraph(&mut svg, "", [MARGIN + 18.0, line], &lines);
    }
    with_what_is_left_out(svg, left_out, "lines", line)
}

fn draw_axes(svg: &mut String, x: &Scale, y: &Scale) {
    for (at, label) in y.ticks() {
        let _ = writeln!(svg, "<path class=\"grid\" d=\"M{LEFT} {at:.1}H{RIGHT}\"/>");
        text(svg, "quiet", [LEFT - 6.0, at + 4.5], "end", &label);
    }
    for (at, label) in x.ticks() {
        let _ = writeln!(svg, "<path class=\"grid\" d=\"M{at:.1} {TOP}V{BOTTOM}\"/>");
        text(svg, "quiet", [at, BOTTOM + 16.0], "middle", &label);
    }
    let name = if x.0 == Axis::Board { "N" } else { "threads" };
    text(svg, "quiet", [f64::midpoint(LEFT, RIGHT), BOTTOM + 34.0], "middle", name);
}

/// Says how many parts of a chart are not drawn, if there are any, below its last line.
fn with_what_is_left_out(mut svg: String, number: usize, what: &str, mut last: f64) -> Panel {
    if number > 0 {
        last += LINE;
        text(&mut svg, "quiet", [MARGIN, last], "start", &format!("and {number} more {what}"));
    }
    (svg, last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(series: usize, points: &[(f64, f64)]) -> Panel {
        let series = (0..series).map(|number| (format!("series {number}"), points.to_vec())).collect();
        lines("Test", Axis::Board, Axis::Seconds, series)
    }

    #[test]
    fn an_axis_of_times_has_powers_of_ten() {
        let scale = Scale::of(Axis::Seconds, [0.002, 3.0].into_iter(), [0.0, 400.0]);
        let ticks: Vec<(f64, String)> = scale.ticks();
        let labels: Vec<&str> = ticks.iter().map(|(_, label)| label.as_str()).collect();
        assert_eq!(labels, ["1 ms", "10 ms", "100 ms", "1 s", "10 s"]);
        assert!((ticks[1].0 - 100.0).abs() < 1e-6 && (scale.place(10.0) - 400.0).abs() < 1e-6);
        assert!(Scale::of(Axis::Seconds, [1e-9, 1e9].into_iter(), [0.0, 1.0]).ticks().len() <= MOST_TICKS as usize + 1);
    }

    #[test]
    fn one_value_is_in_the_middle_of_an_axis_of_whole_numbers() {
        let scale = Scale::of(Axis::Board, [8.0].into_iter(), [0.0, 100.0]);
        assert_eq!(scale.ticks(), [(50.0, "8".to_owned())]);
    }

    #[test]
    fn no_two_lines_are_alike_and_those_of_smaller_boards_are_left_out() {
        let (svg, _) = drawn(11, &[(8.0, 0.1), (9.0, 0.2)]);
        assert_eq!((svg.matches("<g class=").count(), svg.matches("class=\"own\"").count()), (8, 8));
        assert!(svg.contains(">and 3 more lines<") && svg.contains(">series 7<"), "{svg}");
        assert!(!svg.contains(">series 8<"), "{svg}");
    }

    #[test]
    fn a_picture_is_as_high_as_what_it_shows() {
        let height = |panel: Panel| {
            let svg = picture(&[panel], &[]);
            svg.split_once(" height=\"").unwrap().1.split_once('"').unwrap().0.parse::<f64>().unwrap()
        };
        let bar = (0, "CPU".to_owned(), 1.0, "1".to_owned());
        let of_bars = |number: usize, left_out| bars("Test", &[(String::new(), vec![bar.clone(); number])], left_out);
        assert!(height(of_bars(1, 0)) < 80.0);
        assert!((height(of_bars(3, 1)) - height(of_bars(1, 0)) - 2.0 * BAR - LINE).abs() < 1e-6);
        assert!((height(drawn(8, &[(8.0, 0.1)])) - height(drawn(1, &[(8.0, 0.1)])) - 7.0 * LINE).abs() < 1e-6);
    }

    #[test]
    fn a_text_is_no_element() {
        assert_eq!(escape("<a b=\"c\">&"), "&lt;a b=&quot;c&quot;&gt;&amp;");
    }

    #[test]
    fn names_are_shown_whole_and_only_endless_ones_are_cut() {
        let (long, endless) = ("a machine with a long name ".repeat(5), "x".repeat(1000));
        let names = [format!("{long}1"), format!("{long}2"), endless];
        let panels = [
            bars("Test", &[(String::new(), names.clone().map(|name| (0, name, 1.0, "1".to_owned())).to_vec())], 0),
            lines("Test", Axis::Board, Axis::Seconds, names.map(|name| (name, vec![(1.0, 1.0)])).to_vec()),
        ];
        for (svg, height) in panels {
            let texts: Vec<&str> = svg.split("</text>").filter_map(|part| Some(part.rsplit_once('>')?.1)).collect();
            assert!(texts.iter().all(|text| text.chars().count() <= LENGTH) && height < 700.0, "{svg}");
            let all = texts.join(" ");
            assert!(all.contains(&format!("{long}1")) && all.contains(&format!("{long}2")), "{svg}");
            assert_eq!(texts.iter().filter(|text| **text == "\u{2026}").count(), 1, "{svg}");
        }
    }

    #[test]
    fn a_label_that_does_not_fit_beside_a_name_is_below_it() {
        let places = |name: usize| {
            let bar = (0, "n".repeat(name), 1.0, "l".repeat(10));
            let (svg, _) = bars("", &[(String::new(), vec![bar])], 0);
            let place = |text: &str| {
                svg.split_once(&format!(">{text}")).unwrap().0.rsplit_once(" y=\"").unwrap().1[..4].to_owned()
            };
            [place("n"), place("l")]
        };
        assert!(places(31).windows(2).all(|pair| pair[0] == pair[1]));
        assert!(places(32).windows(2).all(|pair| pair[0] < pair[1]));
    }

    proptest::proptest! {
        #[test]
        fn every_picture_fits_a_page(times in proptest::collection::vec(1e-9..1e9, 1..9), series in 1..20_usize) {
            let points: Vec<(f64, f64)> = times.iter().enumerate().map(|(at, time)| (at as f64, *time)).collect();
            let panels = [0; 3].map(|_| drawn(series, &points));
            let svg = picture(&panels, &vec!["a note ".repeat(30); 30]);
            let size = |name: &str| svg.split_once(name).unwrap().1.split('"').next().unwrap().parse::<f64>().unwrap();
            assert!(size(" width=\"") <= 1140.0 && size(" height=\"") <= 1600.0);
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        }
    }
}
