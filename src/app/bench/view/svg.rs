//! The charts of a study as SVG: the speed-up and the time over the number of threads, and the time over the board, where
//! times of other programs are thin lines with their names at the ends.
//!
//! Written by hand, because `plotters` 0.3 with its SVG backend cannot do as well (tried with the chart of times). It
//! brings five crates and draws lines, error bars and logarithmic axes in half the code, and without fonts. But its
//! elements have no classes or titles, so that dark colours and an `aria-label` would have to be edited into them;
//! coordinates are whole pixels; and a legend outside the plot, eight marks, dashes by series, names with a halo and
//! ticks such as `1 min` would still be drawn here.

use crate::app::bench::peers::{PeerTime, by_peer};
use crate::app::bench::study::Timing;
use crate::app::bench::view::axis::{Axis, Scale};
use crate::app::bench::view::labels::{self, Area, Placed, Point};
use crate::app::bench::view::shared::{self, SharedCount};
use crate::app::bench::view::{Series, Variable, View, bars};
use crate::app::output::printable;
use crate::app::output::words::{self, wrapped};
use std::fmt::Write as _;

/// The style sheet of the charts, with light and dark colours.
pub(super) const STYLE: &str = include_str!("chart.css");

/// The width of a picture, in pixels. It fits the screen of a telephone.
pub(super) const WIDTH: f64 = 380.0;
/// The left edge of the plot.
const LEFT: f64 = 64.0;
/// The right edge of the plot.
const RIGHT: f64 = 366.0;
/// The upper edge of the plot.
const TOP: f64 = 34.0;
/// The distance from the lower edge of the plot to the first line of the legend.
const LEGEND: f64 = 54.0;
/// The height of a line of the legend.
const LEGEND_LINE: f64 = 20.0;
/// The most characters of a line of notes that fit the width, whatever the font.
const NOTE_LENGTH: usize = 52;
/// The height of a line of notes.
const NOTE_LINE: f64 = 16.0;
/// The fewest boards for which a page has a chart over the boards without being asked.
const FEWEST_BOARDS: usize = 3;
/// The most lines of a chart that can be told apart.
const MOST_LINES: usize = 12;
/// The most names of other programs in a chart.
const MOST_NAMES: usize = 40;
/// The height that a chart has for other programs.
const NAMES: f64 = 140.0;
/// The most characters of a line of a name of another program.
const NAME_LENGTH: usize = 18;
/// The gap between two names side by side.
const NAME_GAP: f64 = 5.0;
/// The width of a character of such a name, whatever the font, and the height of its line.
const CHARACTER: [f64; 2] = [6.0, 11.0];

/// The marks of series, as paths around a point. They tell series apart without colours.
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

/// The least and the greatest of the numbers behind a point.
type Extent = Option<(f64, f64)>;

/// A chart of one number of each row.
pub(super) struct Chart {
    title: &'static str,
    by: Variable,
    /// Returns the number of a row and its extent; `None` if the row has no such number.
    value: fn(&Timing) -> Option<(f64, Extent)>,
    /// Returns the numbers to be labelled on the axis, with their labels.
    ticks: fn(&Axis) -> Vec<(f64, String)>,
    /// True if the number of threads itself is drawn too, as the ideal speed-up.
    ideal: bool,
    /// The lower edge of the plot without other programs.
    bottom: f64,
}

const CHARTS: [Chart; 3] = [
    Chart {
        title: "Times as fast as one thread",
        by: Variable::Threads,
        value: |row| row.speed_up.map(|value| (value, None)),
        ticks: |axis| axis.numbers().into_iter().map(|number| (number, words::short(number))).collect(),
        ideal: true,
        bottom: 250.0,
    },
    Chart {
        title: "Median time, with the shortest and the longest",
        by: Variable::Threads,
        value: |row| Some((row.seconds, Some((row.fastest, row.slowest)))),
        ticks: Axis::times,
        ideal: false,
        bottom: 250.0,
    },
    Chart {
        title: "Time of a whole count, by the size of the board",
        by: Variable::Board,
        value: |row| Some((row.seconds, None)),
        ticks: Axis::times,
        ideal: false,
        bottom: 500.0,
    },
];

/// Returns the charts of a picture: those over the view's variable, and with other programs that over the boards.
fn of_picture(view: &View<'_>) -> impl Iterator<Item = &'static Chart> {
    of_view(view, !view.peers.is_empty())
}

/// Returns the charts of a page: those of a picture, and that over the boards if it has points enough.
pub(super) fn of_page(view: &View<'_>) -> impl Iterator<Item = &'static Chart> {
    let most = view.series(Variable::Board).iter().map(|series| series.rows.len()).max().unwrap_or(0);
    of_view(view, most >= FEWEST_BOARDS || !view.peers.is_empty())
}

/// Returns the charts over the view's variable, and if `boards` is set that over the boards. With a single number of
/// threads there is no chart of speed-ups.
fn of_view(view: &View<'_>, boards: bool) -> impl Iterator<Item = &'static Chart> {
    let by = view.by;
    let mut threads = view.study.rows.iter().map(|row| row.threads);
    let first = threads.next();
    let several = threads.any(|threads| Some(threads) != first);
    let is_shown = move |chart: &&Chart| chart.by == by || (chart.by == Variable::Board && boards);
    CHARTS.iter().filter(is_shown).filter(move |chart| several || !chart.ideal)
}

/// Returns the parts of a picture with their heights: its charts, or if several studies share counts, for each of these
/// bars and a chart.
fn parts(view: &View<'_>) -> Vec<(String, f64)> {
    if view.by == Variable::Board || view.counts.is_empty() {
        return of_picture(view).map(|chart| (chart.draw(view), chart.height(view))).collect();
    }
    let (counts, others) = shared::drawn(view.counts);
    let of_count = |count: &&SharedCount<'_>| {
        let study = count.study(view);
        let view = View { study: &study, counts: &[], ..*view };
        let charts: Vec<_> = of_count(&view)
            .filter(|chart| !chart.ideal)
            .map(|chart| (chart.draw(&view), chart.height(&view)))
            .collect();
        std::iter::once(bars::draw(count, &view)).chain(charts).collect::<Vec<_>>()
    };
    let note = (others > 0).then(|| {
        let note = format!("<text class=\"quiet\" x=\"14\" y=\"12\">{}</text>\n", shared::not_drawn(others));
        (note, LEGEND_LINE)
    });
    counts.iter().flat_map(of_count).chain(note).collect()
}

/// Returns the charts of a count that studies share, whose view is given.
pub(super) fn of_count(view: &View<'_>) -> impl Iterator<Item = &'static Chart> {
    let mut threads = view.study.rows.iter().map(|row| row.threads);
    let first = threads.next();
    let several = threads.any(|threads| Some(threads) != first);
    of_view(view, false).filter(move |_| several)
}

/// Returns a picture of all charts, one below the other, followed by the sources and the warnings.
pub(super) fn picture(view: &View<'_>) -> String {
    let parts = parts(view);
    let charts: f64 = parts.iter().map(|(_, height)| height).sum();
    let notes =
        view.sources().into_iter().chain(view.warnings().into_iter().map(|warning| format!("warning: {warning}")));
    let notes: Vec<String> = notes.flat_map(|note| wrapped(&note, NOTE_LENGTH)).collect();
    let whole = charts + NOTE_LINE * (notes.len() + 1) as f64;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" viewBox=\"0 0 {WIDTH} {whole}\" width=\"{}\" height=\"{}\">\n\
         <style>\n{STYLE}</style>\n<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n",
        2.0 * WIDTH,
        2.0 * whole
    );
    let mut above = 0.0;
    for (part, height) in parts {
        let _ = writeln!(text, "<g transform=\"translate(0 {above})\">\n{part}</g>");
        above += height;
    }
    for note in notes {
        above += NOTE_LINE;
        let _ = writeln!(text, "<text class=\"quiet note\" x=\"14\" y=\"{above}\">{}</text>", escape(&note));
    }
    text + "</svg>"
}

/// Returns a chart as an element of a page whose style sheet includes [`STYLE`].
pub(super) fn inline(chart: &Chart, view: &View<'_>) -> String {
    format!(
        "<svg class=\"plot\" viewBox=\"0 0 {WIDTH} {}\" role=\"img\" aria-label=\"{}\">\n{}</svg>",
        chart.height(view),
        chart.title,
        chart.draw(view)
    )
}

impl Chart {
    /// Returns the series that have points, with the numbers of their colours, and true if some were left out: of too
    /// many series over the threads, those of the smaller boards.
    fn series<'a>(&self, view: &View<'a>) -> (Vec<(usize, Series<'a>)>, bool) {
        let mut all = view.series(self.by);
        all.retain(|series| series.rows.iter().any(|row| (self.value)(row).is_some()));
        let number = all.len();
        if self.by == Variable::Threads && number > MOST_LINES {
            let mut boards: Vec<usize> = all.iter().map(|series| series.rows[0].board).collect();
            boards.sort_unstable_by(|one, other| other.cmp(one));
            // The first board whose series are too many is left out with all smaller ones, unless it is the largest.
            let beyond = boards[MOST_LINES];
            let least = boards.iter().copied().filter(|&board| board > beyond).min().unwrap_or(boards[0]);
            all.retain(|series| series.rows[0].board >= least);
        }
        let fewer = all.len() < number;
        // A study has the same colour in the charts of all counts.
        let of_study = |series: &Series<'_>| view.studies.iter().position(|(name, _)| *name == series.rows[0].engine);
        let all = all.into_iter().enumerate();
        (all.map(|(place, series)| (of_study(&series).unwrap_or(place), series)).collect(), fewer)
    }

    /// Returns the times of other programs, which are drawn over the boards only.
    fn peers<'a>(&self, view: &View<'a>) -> &'a [PeerTime] {
        if self.by == Variable::Board { view.peers } else { &[] }
    }

    fn height(&self, view: &View<'_>) -> f64 {
        let (peers, (series, fewer)) = (self.peers(view), self.series(view));
        let others = [fewer, self.ideal, !peers.is_empty(), by_peer(peers).len() > MOST_NAMES];
        let lines = series.len() + others.into_iter().filter(|one| *one).count();
        self.bottom(view) + LEGEND + LEGEND_LINE * lines as f64
    }

    /// Returns the lower edge of the plot.
    fn bottom(&self, view: &View<'_>) -> f64 {
        if self.peers(view).is_empty() { self.bottom } else { self.bottom + NAMES }
    }

    fn draw(&self, view: &View<'_>) -> String {
        let ((series, fewer), peers, bottom) = (self.series(view), self.peers(view), self.bottom(view));
        let rows = || series.iter().flat_map(|(_, series)| series.rows.iter().copied());
        let mut text = format!("<text x=\"14\" y=\"18\" font-weight=\"bold\">{}</text>\n", self.title);
        if series.is_empty() {
            let _ = writeln!(text, "<text class=\"quiet\" x=\"{LEFT}\" y=\"60\">One thread was not timed.</text>");
            return text;
        }
        let measured = rows().map(|row| self.by.of(row)).chain(peers.iter().map(|peer| peer.board));
        let mut places: Vec<usize> = measured.collect();
        places.sort_unstable();
        places.dedup();
        if self.by == Variable::Board {
            places = (places[0]..=places[places.len() - 1]).collect();
        }
        let scale = if self.by == Variable::Board { Scale::Linear } else { Scale::Logarithmic };
        let x = Axis::of(scale, places.iter().map(|&place| place as f64), [LEFT + 12.0, RIGHT - 12.0]);
        let measured = rows().filter_map(|row| (self.value)(row));
        let extent = measured.flat_map(|(value, between)| between.map_or([value, value], |(low, high)| [low, high]));
        let best = places.iter().filter(|_| self.ideal).map(|&threads| threads as f64);
        let others = peers.iter().map(|peer| peer.seconds);
        let y = Axis::of(Scale::Logarithmic, extent.chain(best).chain(others), [bottom - 8.0, TOP + 8.0]);
        self.axes(&mut text, &x, &y, &places, bottom);
        let lines: Vec<_> =
            series.iter().map(|(number, series)| (*number, self.points(&series.rows, &x, &y))).collect();
        let peers: Vec<(Vec<String>, Vec<Point>)> = by_peer(peers)
            .into_iter()
            .map(|peer| {
                let points = peer.iter().map(|time| (x.place(time.board as f64), y.place(time.seconds)));
                let PeerTime { program, machine, .. } = peer[0];
                ([wrapped(program, NAME_LENGTH), wrapped(machine, NAME_LENGTH)].concat(), points.collect())
            })
            .collect();
        for (_, points) in &peers {
            other_line(&mut text, points);
        }
        let own: Vec<Vec<Point>> =
            lines.iter().map(|(_, points)| points.iter().map(|&(x, y, _)| (x, y)).collect()).collect();
        names(&mut text, &peers, &own, Area { left: LEFT + 1.0, top: TOP, right: RIGHT, bottom });
        for (number, points) in &lines {
            line(&mut text, *number, points);
        }
        self.legend(&mut text, (&series, fewer), peers.len(), bottom);
        text
    }

    fn axes(&self, text: &mut String, x: &Axis, y: &Axis, places: &[usize], bottom: f64) {
        for (tick, label) in (self.ticks)(y) {
            let at = y.place(tick);
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
        for &place in places {
            let at = x.place(place as f64);
            let _ = writeln!(text, "<path class=\"grid\" d=\"M{at:.1} {TOP}V{bottom}\"/>");
            if at - last > 24.0 {
                let _ = writeln!(
                    text,
                    "<text class=\"quiet\" x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{place}</text>",
                    bottom + 18.0
                );
                last = at;
            }
        }
        let (middle, below) = (f64::midpoint(LEFT, RIGHT), bottom + 36.0);
        let name = if self.by == Variable::Board { "N" } else { "threads" };
        let _ =
            writeln!(text, "<text class=\"quiet\" x=\"{middle}\" y=\"{below}\" text-anchor=\"middle\">{name}</text>");
        if self.ideal {
            let from = places.iter().map(|&threads| threads as f64);
            let points: Vec<String> =
                from.map(|threads| format!("{:.1} {:.1}", x.place(threads), y.place(threads))).collect();
            let _ = writeln!(text, "<path class=\"ideal\" d=\"M{}\"/>", points.join("L"));
        }
    }

    /// Returns the places of the points, and the ends of their extents.
    fn points(&self, rows: &[&Timing], x: &Axis, y: &Axis) -> Vec<(f64, f64, Extent)> {
        let point = |row: &&Timing| {
            let (value, between) = (self.value)(row)?;
            let between = between.map(|(low, high)| (y.place(low), y.place(high)));
            Some((x.place(self.by.of(row) as f64), y.place(value), between))
        };
        rows.iter().filter_map(point).collect()
    }

    fn legend(&self, text: &mut String, (series, fewer): (&[(usize, Series<'_>)], bool), peers: usize, bottom: f64) {
        let (from, to) = (LEFT - 36.0, LEFT - 16.0);
        let named = |text: &mut String, at: f64, name: &str| {
            let _ = writeln!(text, "<text x=\"{}\" y=\"{}\">{}</text>", LEFT - 6.0, at + 4.5, escape(name));
        };
        let mut places = (0..).map(|place| bottom + LEGEND + LEGEND_LINE * f64::from(place));
        for ((number, series), at) in series.iter().zip(&mut places) {
            line(text, *number, &[(from, at, None), (to, at, None)]);
            named(text, at, &series.name);
        }
        if fewer && let Some(at) = places.next() {
            let _ = writeln!(
                text,
                "<text class=\"quiet\" x=\"14\" y=\"{}\">and smaller boards, not drawn</text>",
                at + 4.5
            );
        }
        if self.ideal
            && let Some(at) = places.next()
        {
            let _ = writeln!(text, "<path class=\"ideal\" d=\"M{from} {at}H{to}\"/>");
            named(text, at, "one for each thread");
        }
        if peers > 0
            && let Some(at) = places.next()
        {
            other_line(text, &[(from, at), (to, at)]);
            named(text, at, "other programs, as published");
        }
        if peers > MOST_NAMES
            && let Some(at) = places.next()
        {
            let more = peers - MOST_NAMES;
            let _ = writeln!(
                text,
                "<text class=\"quiet\" x=\"14\" y=\"{}\">{more} of them without a name</text>",
                at + 4.5
            );
        }
    }
}

/// Draws the times of another program: a thin line with small points.
fn other_line(text: &mut String, points: &[Point]) {
    let through: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1} {y:.1}")).collect();
    let dots: Vec<String> = points.iter().map(|(x, y)| format!("M{x:.1} {y:.1}h0")).collect();
    let _ = writeln!(
        text,
        "<path class=\"other\" d=\"M{}\"/><path class=\"other dot\" d=\"{}\"/>",
        through.join("L"),
        dots.concat()
    );
}

/// Writes the names of other programs beside the ends of their lines. They keep off each other, and if possible off the
/// lines, of which those of this program are the important ones.
fn names(text: &mut String, peers: &[(Vec<String>, Vec<Point>)], own: &[Vec<Point>], within: Area) {
    let segments = |points: &[Point], important: bool| -> Vec<labels::Segment> {
        // A point alone is a line too.
        let points = if points.len() == 1 { [points, points].concat() } else { points.to_vec() };
        points.windows(2).map(|ends| (ends[0], ends[1], important)).collect()
    };
    let others = peers.iter().flat_map(|(_, points)| segments(points, false));
    let lines: Vec<_> = own.iter().flat_map(|points| segments(points, true)).chain(others).collect();
    let texts = peers.iter().take(MOST_NAMES).filter_map(|(name, points)| Some((name, *points.last()?)));
    let texts: Vec<(&Vec<String>, Point)> = texts.collect();
    let size = |lines: &[String]| {
        let longest = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
        (CHARACTER[0] * longest as f64 + NAME_GAP, CHARACTER[1] * lines.len() as f64)
    };
    let sizes: Vec<(Point, Point)> = texts.iter().map(|(lines, end)| (*end, size(lines))).collect();
    let placed = labels::place(&sizes, &lines, within);
    for (from, to) in placed.iter().flatten().filter_map(|placed| placed.leader) {
        let _ = writeln!(text, "<path class=\"leader\" d=\"M{:.1} {:.1}L{:.1} {:.1}\"/>", from.0, from.1, to.0, to.1);
    }
    for ((lines, end), placed) in texts.iter().zip(&placed) {
        let Some(Placed { area, .. }) = placed else { continue };
        // A name to the left of the end is aligned with it.
        let (x, anchor) = if area.right < end.0 { (area.right, "end") } else { (area.left, "start") };
        for class in ["halo name", "name"] {
            for (index, line) in lines.iter().enumerate() {
                let foot = area.top + CHARACTER[1] * (index as f64 + 0.8);
                let line = escape(line);
                let _ = writeln!(
                    text,
                    "<text class=\"{class}\" x=\"{x:.1}\" y=\"{foot:.1}\" text-anchor=\"{anchor}\">{line}</text>"
                );
            }
        }
    }
}

/// Draws points and a line through them in the colour and with the mark of series `number`. From the ninth series on
/// the lines are dashed.
fn line(text: &mut String, number: usize, points: &[(f64, f64, Extent)]) {
    let through: Vec<String> = points.iter().map(|(x, y, _)| format!("{x:.1} {y:.1}")).collect();
    let mark = MARKS[number % MARKS.len()];
    let dashes = [" ", " stroke-dasharray=\"7 3\" ", " stroke-dasharray=\"2 2\" "][(number / MARKS.len()).min(2)];
    let _ =
        writeln!(text, "<g class=\"{}\"><path class=\"own\"{dashes}d=\"M{}\"/>", class_of(number), through.join("L"));
    for (x, y, between) in points {
        if let Some((low, high)) = between {
            let _ = writeln!(text, "<path class=\"own\" d=\"M{x:.1} {low:.1}V{high:.1}\"/>");
        }
        let _ = writeln!(text, "<path class=\"mark\" d=\"M{x:.1} {y:.1}{mark}\"/>");
    }
    text.push_str("</g>\n");
}

/// Returns the class of the elements of series `number`, which has its colour.
pub(super) fn class_of(number: usize) -> String {
    format!("s{}", number % MARKS.len())
}

/// Escapes a text for an element or an attribute. Control characters, which XML does not allow even as references, are
/// replaced.
pub(super) fn escape(text: &str) -> String {
    printable(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::bench::peers::tests::peer;
    use crate::app::bench::study::Study;
    use crate::app::bench::study::tests::study;
    use crate::app::bench::view::Form;
    use crate::app::bench::view::tests::written;

    /// The picture of a study.
    fn shown(study: &Study, by: Variable, peers: &[PeerTime]) -> String {
        picture(&View { study, by, peers, studies: &[("", study)], counts: &[] })
    }

    #[test]
    fn the_picture_has_a_line_for_each_series_in_each_chart() {
        let text = written(Form::Svg);
        assert!(text.starts_with("<svg ") && text.ends_with("</svg>\n"));
        for class in ["s0", "s1"] {
            // One in the plot and one in the legend, of each chart.
            assert_eq!(text.matches(&format!("<g class=\"{class}\">")).count(), 4, "{class}");
        }
        assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
    }

    #[test]
    fn one_number_of_threads_can_be_drawn_too() {
        let mut study = study();
        study.rows.retain(|row| row.threads == 2);
        for row in &mut study.rows {
            (row.speed_up, row.efficiency) = (None, None);
        }
        let text = shown(&study, Variable::Threads, &[]);
        assert!(text.contains("Median time") && !text.contains("NaN") && !text.contains("inf"), "{text}");
        assert!(!text.contains("Times as fast as one thread"), "there is nothing to compare: {text}");
        study.rows[0].threads = 4;
        let text = shown(&study, Variable::Threads, &[]);
        assert!(text.contains("Times as fast as one thread") && text.contains("One thread was not timed."), "{text}");
    }

    #[test]
    fn the_picture_says_where_its_numbers_come_from_and_what_is_wrong_with_them() {
        let study = Study { warnings: vec!["too <hot>".to_owned(); 2], ..study() };
        let text = shown(&study, Variable::Board, &[]);
        assert!(text.contains(">Test &lt;CPU&gt; &amp; Co., 4 logical CPUs, nqueens 1.2.3,</text>"), "{text}");
        assert!(text.contains(">command: nqueens bench --export &lt;a&gt;&amp;b.html</text>"), "{text}");
        assert!(text.contains(">2026-01-02T03:04:05Z</text>"), "{text}");
        assert_eq!(text.matches(">warning: too &lt;hot&gt;</text>").count(), 2, "{text}");
        let height: f64 = text.split("viewBox=\"0 0 380 ").nth(1).unwrap().split('"').next().unwrap().parse().unwrap();
        let last: f64 = text.rsplit("y=\"").next().unwrap().split('"').next().unwrap().parse().unwrap();
        assert!(last < height, "the last line stands at {last} of {height}");
    }

    /// The y of each point of a line, from the path through them.
    fn heights(text: &str, class: &str) -> Vec<f64> {
        let path = text.split(&format!("<g class=\"{class}\"><path class=\"own\" d=\"M")).nth(1).unwrap();
        let points = path.split('"').next().unwrap().split('L');
        points.map(|point| point.split(' ').nth(1).unwrap().parse().unwrap()).collect()
    }

    #[test]
    fn over_the_boards_there_is_a_line_for_each_engine_and_a_named_one_for_each_other_program() {
        let mut study = study();
        for (row, board) in study.rows.iter_mut().zip([16, 16, 17, 16, 17, 18]) {
            (row.board, row.threads) = (board, 2);
        }
        study.rows[1].threads = 1;
        let peers = [peer("A < B", 16, 1.0), peer("C", 20, 100.0)];
        let text = shown(&study, Variable::Board, &peers);
        assert!(text.contains(">two-color avx2, 2 threads</text>"), "{text}");
        assert_eq!(heights(&text, "s0").len(), 2, "the count with fewer threads is not shown");
        let two_color = heights(&text, "s1");
        assert!(
            two_color.len() == 3 && two_color[0] < two_color[2],
            "the times are 0.2, 0.1 and 0.05 s: {two_color:?}"
        );
        for name in [">A &lt; B</text>", ">C</text>"] {
            // Its halo and itself.
            assert_eq!(text.matches(name).count(), 2, "{text}");
        }
        // A line for each, and one in the legend. The peer with the same time as the backtracker stands as high.
        let lines: Vec<&str> = text.split("<path class=\"other\" d=\"M").skip(1).collect();
        assert_eq!(lines.len(), 3, "{text}");
        let height: f64 = lines[0].split('"').next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        assert!((height - heights(&text, "s0")[0]).abs() < 0.11, "{height}");
        assert!(text.contains(">other programs, as published</text>"), "{text}");
        let without = shown(&study, Variable::Board, &[]);
        assert!(!without.contains("class=\"other\"") && !without.contains(">20</text>"), "{without}");
        assert!(text.contains(">19</text>"), "the boards between are named too: {text}");
    }

    #[test]
    fn a_page_has_the_chart_over_the_boards_where_there_are_enough() {
        let mut study = study();
        let charts = |study: &Study| {
            let view = View { study, by: Variable::Threads, peers: &[], studies: &[], counts: &[] };
            of_page(&view).map(|chart| chart.by == Variable::Board).collect::<Vec<_>>()
        };
        assert_eq!(charts(&study), [false, false]);
        for (row, board) in study.rows.iter_mut().zip([16, 17, 18, 16, 17, 18]) {
            row.board = board;
        }
        assert_eq!(charts(&study), [false, false], "with the most threads there is one board each");
        study.rows.iter_mut().for_each(|row| row.threads = 2);
        assert_eq!(charts(&study), [false, true], "with one number of threads there is no speed-up");
    }

    #[test]
    fn of_very_many_lines_the_last_are_drawn() {
        let mut study = study();
        let row = study.rows[0].clone();
        study.rows = (1..=30).map(|board| Timing { board, ..row.clone() }).collect();
        let text = shown(&study, Variable::Threads, &[]);
        assert!(text.contains("N = 30<") && text.contains("N = 19<") && !text.contains("N = 18<"), "{text}");
        assert!(text.contains("and smaller boards, not drawn"), "{text}");

        // Of two studies none is left out for the other, and over the boards no line is.
        let of = |study: &str, board| Timing { engine: study.to_owned(), board, ..row.clone() };
        study.rows = ["a", "b"]
            .into_iter()
            .flat_map(|study| (1..=10).map(move |board| (study, board)))
            .map(|(study, board)| of(study, board))
            .collect();
        let text = shown(&study, Variable::Threads, &[]);
        for (line, drawn) in
            [("a avx2, N = 10<", true), ("b avx2, N = 10<", true), ("a avx2, N = 5<", true), ("a avx2, N = 4<", false)]
        {
            assert_eq!(text.contains(line), drawn, "{line}: {text}");
        }
        study.rows = (0..30).map(|study| of(&study.to_string(), 1 + study)).collect();
        let text = shown(&study, Variable::Board, &[]);
        assert!(text.contains(">0 avx2, 1 thread<") && text.contains(">29 avx2, 1 thread<"), "{text}");
    }

    #[test]
    fn nothing_in_a_text_is_taken_for_an_element() {
        assert_eq!(escape("<a href=\"b\">&"), "&lt;a href=&quot;b&quot;&gt;&amp;");
    }
}
