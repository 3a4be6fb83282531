//! The charts of a study as SVG: the speed-up and the time over the number of threads.

use super::super::words;
use super::{Record, Row};
use std::fmt::Write as _;

/// The colours, light and dark, of every element that is drawn here.
pub(super) const STYLE: &str = include_str!("chart.css");

/// The picture, and in it the plot: small enough for a telephone's screen without being made smaller.
const WIDTH: f64 = 380.0;
const LEFT: f64 = 58.0;
const RIGHT: f64 = 366.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 250.0;
/// The height of a line of the legend, and where the first one is.
const LINE: f64 = 20.0;
const LEGEND: f64 = 304.0;

/// The marks that tell series apart without their colours, drawn around a point.
const MARKS: [&str; 6] = [
    "m-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z",
    "m-4 -4h8v8h-8z",
    "m0 -5l5 9h-10z",
    "m0 -5l5 5l-5 5l-5 -5z",
    "m0 5l5 -9h-10z",
    "m-5 -1.5h3.5v-3.5h3v3.5h3.5v3h-3.5v3.5h-3v-3.5h-3.5z",
];

/// The least and the greatest of several numbers.
type Extent = Option<(f64, f64)>;

/// A chart of one number of each row.
pub(super) struct Chart {
    pub(super) title: &'static str,
    /// The number, and between which two it varied.
    value: fn(&Row) -> Option<(f64, Extent)>,
    tick: fn(f64) -> String,
    /// Whether the best is as many times as there are threads, and is drawn.
    ideal: bool,
}

pub(super) const CHARTS: [Chart; 2] = [
    Chart {
        title: "Times as fast as one thread",
        value: |row| row.speed_up.map(|value| (value, None)),
        tick: |value| value.to_string(),
        ideal: true,
    },
    Chart {
        title: "Median time, with the shortest and the longest",
        value: |row| Some((row.seconds, Some((row.fastest, row.slowest)))),
        tick: |value| words::time(value).replace(".0 ", " "),
        ideal: false,
    },
];

/// All charts, one below the other.
pub(super) fn picture(record: &Record) -> String {
    let heights = CHARTS.each_ref().map(|chart| height(chart, record));
    let whole: f64 = heights.iter().sum();
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" viewBox=\"0 0 {WIDTH} {whole}\" width=\"{}\" height=\"{}\">\n\
         <style>\n{STYLE}</style>\n<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n",
        2.0 * WIDTH,
        2.0 * whole
    );
    let mut above = 0.0;
    for (chart, height) in CHARTS.iter().zip(heights) {
        let drawn = chart.draw(record);
        let _ = writeln!(text, "<g transform=\"translate(0 {above})\">\n{drawn}</g>");
        above += height;
    }
    text + "</svg>"
}

/// A chart for a page, whose style has [`STYLE`].
pub(super) fn inline(chart: &Chart, record: &Record) -> String {
    format!(
        "<svg class=\"plot\" viewBox=\"0 0 {WIDTH} {}\" role=\"img\" aria-label=\"{}\">\n{}</svg>",
        height(chart, record),
        chart.title,
        chart.draw(record)
    )
}

fn height(chart: &Chart, record: &Record) -> f64 {
    let lines = chart.series(record).len() + usize::from(chart.ideal);
    LEGEND + LINE * lines as f64
}

/// A logarithmic axis from one end to the other.
struct Axis {
    least: f64,
    most: f64,
    from: f64,
    to: f64,
}

impl Axis {
    /// An axis that has room for all of these numbers.
    fn of(numbers: impl Iterator<Item = f64> + Clone, from: f64, to: f64) -> Self {
        let (least, most) = (numbers.clone().fold(f64::INFINITY, f64::min), numbers.fold(0.0, f64::max));
        // One number alone stands in the middle.
        let (least, most) = if least < most { (least, most) } else { (most / 2.0, most * 2.0) };
        Self { least, most, from, to }
    }

    fn place(&self, number: f64) -> f64 {
        let share = (number / self.least).ln() / (self.most / self.least).ln();
        self.from + share * (self.to - self.from)
    }

    /// Round numbers on it, not more than fit.
    fn ticks(&self) -> Vec<f64> {
        let decades = (self.least.log10().floor() as i32)..=(self.most.log10().ceil() as i32);
        let steps: &[&[f64]] = &[&[1.0, 2.0, 5.0], &[1.0]];
        let ticks = |steps: &[f64]| -> Vec<f64> {
            let all = decades.clone().flat_map(|decade| steps.iter().map(move |step| step * 10_f64.powi(decade)));
            all.filter(|tick| (self.least * 0.999..=self.most * 1.001).contains(tick)).collect()
        };
        steps.iter().map(|steps| ticks(steps)).find(|ticks| ticks.len() <= 8).unwrap_or_default()
    }
}

impl Chart {
    /// The series with anything to draw, and their numbers, which are those of their colours.
    fn series<'a>(&self, record: &'a Record) -> Vec<(usize, &'a [Row])> {
        record.series().enumerate().filter(|(_, rows)| rows.iter().any(|row| (self.value)(row).is_some())).collect()
    }

    fn draw(&self, record: &Record) -> String {
        let series = self.series(record);
        let rows = || series.iter().flat_map(|(_, rows)| rows.iter());
        let mut text = format!("<text x=\"14\" y=\"18\" font-weight=\"bold\">{}</text>\n", self.title);
        if series.is_empty() {
            let _ = writeln!(text, "<text class=\"quiet\" x=\"{LEFT}\" y=\"60\">One thread was not timed.</text>");
            return text;
        }
        let mut threads: Vec<usize> = rows().map(|row| row.threads).collect();
        threads.sort_unstable();
        threads.dedup();
        let x = Axis::of(threads.iter().map(|&threads| threads as f64), LEFT + 12.0, RIGHT - 12.0);
        let measured = rows().filter_map(|row| (self.value)(row));
        let extent = measured.flat_map(|(value, between)| between.map_or([value, value], |(low, high)| [low, high]));
        let best = threads.iter().filter(|_| self.ideal).map(|&threads| threads as f64);
        let y = Axis::of(extent.chain(best), BOTTOM - 8.0, TOP + 8.0);
        self.axes(&mut text, &x, &y, &threads);
        for (number, rows) in &series {
            line(&mut text, *number, &self.points(rows, &x, &y));
        }
        self.legend(&mut text, &series);
        text
    }

    fn axes(&self, text: &mut String, x: &Axis, y: &Axis, threads: &[usize]) {
        for tick in y.ticks() {
            let (at, label) = (y.place(tick), (self.tick)(tick));
            let _ = writeln!(
                text,
                "<path class=\"grid\" d=\"M{LEFT} {at:.1}H{RIGHT}\"/><text class=\"quiet\" x=\"{}\" y=\"{:.1}\" \
                 text-anchor=\"end\">{label}</text>",
                LEFT - 6.0,
                at + 4.5
            );
        }
        // Labels closer than this would run into each other.
        let mut last = f64::NEG_INFINITY;
        for &threads in threads {
            let at = x.place(threads as f64);
            let _ = writeln!(text, "<path class=\"grid\" d=\"M{at:.1} {TOP}V{BOTTOM}\"/>");
            if at - last > 24.0 {
                let _ = writeln!(
                    text,
                    "<text class=\"quiet\" x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{threads}</text>",
                    BOTTOM + 18.0
                );
                last = at;
            }
        }
        let middle = f64::midpoint(LEFT, RIGHT);
        let _ = writeln!(
            text,
            "<text class=\"quiet\" x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">threads</text>",
            BOTTOM + 36.0
        );
        if self.ideal {
            let from = threads.iter().map(|&threads| threads as f64);
            let points: Vec<String> =
                from.map(|threads| format!("{:.1} {:.1}", x.place(threads), y.place(threads))).collect();
            let _ = writeln!(text, "<path class=\"ideal\" d=\"M{}\"/>", points.join("L"));
        }
    }

    /// Where the numbers are, and what they varied between.
    fn points(&self, rows: &[Row], x: &Axis, y: &Axis) -> Vec<(f64, f64, Extent)> {
        let point = |row: &Row| {
            let (value, between) = (self.value)(row)?;
            let between = between.map(|(low, high)| (y.place(low), y.place(high)));
            Some((x.place(row.threads as f64), y.place(value), between))
        };
        rows.iter().filter_map(point).collect()
    }

    fn legend(&self, text: &mut String, series: &[(usize, &[Row])]) {
        let mut at = LEGEND;
        for (number, rows) in series {
            line(text, *number, &[(LEFT - 30.0, at, None), (LEFT - 10.0, at, None)]);
            let _ = writeln!(text, "<text x=\"{LEFT}\" y=\"{}\">{}</text>", at + 4.5, escape(&rows[0].name()));
            at += LINE;
        }
        if self.ideal {
            let (from, to) = (LEFT - 30.0, LEFT - 10.0);
            let _ = writeln!(
                text,
                "<path class=\"ideal\" d=\"M{from} {at}H{to}\"/><text x=\"{LEFT}\" y=\"{}\">one for each thread</text>",
                at + 4.5
            );
        }
    }
}

/// Draws points with a line through them. When all colours and marks are used up, the lines are dashed.
fn line(text: &mut String, number: usize, points: &[(f64, f64, Extent)]) {
    let through: Vec<String> = points.iter().map(|(x, y, _)| format!("{x:.1} {y:.1}")).collect();
    let colour = number % MARKS.len();
    let dashes = [" ", " stroke-dasharray=\"7 3\" ", " stroke-dasharray=\"2 2\" "][(number / MARKS.len()).min(2)];
    let _ = writeln!(text, "<g class=\"s{colour}\"><path class=\"own\"{dashes}d=\"M{}\"/>", through.join("L"));
    for (x, y, between) in points {
        if let Some((low, high)) = between {
            let _ = writeln!(text, "<path class=\"own\" d=\"M{x:.1} {low:.1}V{high:.1}\"/>");
        }
        let _ = writeln!(text, "<path class=\"mark\" d=\"M{x:.1} {y:.1}{}\"/>", MARKS[colour]);
    }
    text.push_str("</g>\n");
}

/// Text as it stands in an element or in an attribute.
pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::super::Kind;
    use super::super::tests::{record, written};
    use super::*;

    #[test]
    fn the_picture_has_a_line_for_each_series_in_each_chart() {
        let text = written(Kind::Svg);
        assert!(text.starts_with("<svg ") && text.ends_with("</svg>\n"));
        for class in ["s0", "s1"] {
            // One in the plot and one in the legend, of each chart.
            assert_eq!(text.matches(&format!("<g class=\"{class}\">")).count(), 4, "{class}");
        }
        assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
    }

    #[test]
    fn one_number_of_threads_can_be_drawn_too() {
        let mut record = record();
        record.rows.retain(|row| row.threads == 2);
        for row in &mut record.rows {
            (row.speed_up, row.efficiency) = (None, None);
        }
        let text = picture(&record);
        assert!(text.contains("One thread was not timed.") && !text.contains("NaN") && !text.contains("inf"), "{text}");
    }

    #[test]
    fn axes_go_by_factors_and_have_few_ticks() {
        let axis = Axis::of([1.0, 4.0, 16.0].into_iter(), 0.0, 100.0);
        assert!((axis.place(4.0) - 50.0).abs() < 1e-9);
        assert_eq!(axis.ticks(), [1.0, 2.0, 5.0, 10.0]);
        let axis = Axis::of([1e-3, 1e3].into_iter(), 0.0, 100.0);
        assert_eq!(axis.ticks().len(), 7);
    }

    #[test]
    fn nothing_in_a_text_is_taken_for_an_element() {
        assert_eq!(escape("<a href=\"b\">&"), "&lt;a href=&quot;b&quot;&gt;&amp;");
    }
}
