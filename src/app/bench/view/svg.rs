//! The charts of a study as SVG: the speed-up and the time over the number of threads, and the time over the board.
//!
//! Written by hand, because `plotters` 0.3 with its SVG backend cannot do as well (tried with the chart of times). It
//! brings five crates and draws lines, error bars and logarithmic axes in half the code, and without fonts. But its
//! elements have no classes or titles, so that dark colours and an `aria-label` would have to be edited into them;
//! coordinates are whole pixels; and a legend outside the plot, eight marks, dashes by series, letters with a halo and
//! ticks such as `1 min` would still be drawn here.

use crate::app::bench::peers::{PeerTime, by_peer};
use crate::app::bench::study::Timing;
use crate::app::bench::view::axis::{Axis, Scale};
use crate::app::bench::view::{Series, Variable, View};
use crate::app::output::{printable, words};
use std::fmt::Write as _;

/// The style sheet of the charts, with light and dark colours.
pub(super) const STYLE: &str = include_str!("chart.css");

/// The width of a picture, in pixels. It fits the screen of a telephone.
const WIDTH: f64 = 380.0;
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
/// The distance from the middle of a letter to its baseline.
const HALF_A_LETTER: f64 = 3.5;
/// The most lines of a chart that can be told apart.
const MOST_LINES: usize = 12;

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
    /// The lower edge of the plot.
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

/// Returns a picture of all charts, one below the other, followed by the sources and the warnings.
pub(super) fn picture(view: &View<'_>) -> String {
    let charts: f64 = of_picture(view).map(|chart| chart.height(view)).sum();
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
    for chart in of_picture(view) {
        let _ = writeln!(text, "<g transform=\"translate(0 {above})\">\n{}</g>", chart.draw(view));
        above += chart.height(view);
    }
    for note in notes {
        above += NOTE_LINE;
        let _ = writeln!(text, "<text class=\"quiet note\" x=\"14\" y=\"{above}\">{}</text>", escape(&note));
    }
    text + "</svg>"
}

/// Breaks a text into lines of at most `most` characters, between words where possible.
fn wrapped(text: &str, most: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut length = 0;
    for word in text.split_whitespace() {
        // A word that is too long is broken into parts that fill a line each.
        for part in word.chars().collect::<Vec<_>>().chunks(most) {
            if length > 0 && length + 1 + part.len() > most {
                lines.push(String::new());
                length = 0;
            }
            let gap = (length > 0).then_some(' ');
            length += usize::from(length > 0) + part.len();
            if let Some(line) = lines.last_mut() {
                line.extend(gap.iter().chain(part));
            }
        }
    }
    lines
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
        (all.into_iter().enumerate().collect(), fewer)
    }

    /// Returns the times of other programs, which are drawn over the boards only.
    fn peers<'a>(&self, view: &View<'a>) -> &'a [PeerTime] {
        if self.by == Variable::Board { view.peers } else { &[] }
    }

    fn height(&self, view: &View<'_>) -> f64 {
        let (peers, (series, fewer)) = (self.peers(view), self.series(view));
        let one = [fewer, self.ideal, !peers.is_empty()].into_iter().filter(|one| *one).count();
        let lines = series.len() + one + by_peer(peers).len();
        self.bottom + LEGEND + LEGEND_LINE * lines as f64
    }

    fn draw(&self, view: &View<'_>) -> String {
        let ((series, fewer), peers) = (self.series(view), self.peers(view));
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
        let y = Axis::of(Scale::Logarithmic, extent.chain(best).chain(others), [self.bottom - 8.0, TOP + 8.0]);
        self.axes(&mut text, &x, &y, &places);
        let mut taken = Vec::new();
        for (number, series) in &series {
            let points = self.points(&series.rows, &x, &y);
            taken.extend(points.iter().map(|&(x, y, _)| (x, y)));
            line(&mut text, *number, &points);
        }
        for (letter, peers) in by_peer(peers) {
            for peer in peers {
                let place = beside(&taken, (x.place(peer.board as f64), y.place(peer.seconds)));
                lettered(&mut text, letter, place);
                taken.push(place);
            }
        }
        self.legend(&mut text, (&series, fewer), peers);
        text
    }

    fn axes(&self, text: &mut String, x: &Axis, y: &Axis, places: &[usize]) {
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
            let _ = writeln!(text, "<path class=\"grid\" d=\"M{at:.1} {TOP}V{}\"/>", self.bottom);
            if at - last > 24.0 {
                let _ = writeln!(
                    text,
                    "<text class=\"quiet\" x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{place}</text>",
                    self.bottom + 18.0
                );
                last = at;
            }
        }
        let (middle, below) = (f64::midpoint(LEFT, RIGHT), self.bottom + 36.0);
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

    fn legend(&self, text: &mut String, (series, fewer): (&[(usize, Series<'_>)], bool), peers: &[PeerTime]) {
        let (from, to) = (LEFT - 36.0, LEFT - 16.0);
        let named = |text: &mut String, at: f64, name: &str| {
            let _ = writeln!(text, "<text x=\"{}\" y=\"{}\">{}</text>", LEFT - 6.0, at + 4.5, escape(name));
        };
        let mut places = (0..).map(|place| self.bottom + LEGEND + LEGEND_LINE * f64::from(place));
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
        if !peers.is_empty()
            && let Some(at) = places.next()
        {
            let _ = writeln!(text, "<text class=\"quiet\" x=\"14\" y=\"{}\">other programs:</text>", at + 4.5);
        }
        for ((letter, peers), at) in by_peer(peers).into_iter().zip(places) {
            lettered(text, letter, (f64::midpoint(from, to), at));
            let threads =
                peers[0].threads.map_or(String::new(), |threads| format!(", {}", words::plural(threads, "thread")));
            named(text, at, &format!("{}, {}{threads}", peers[0].program, peers[0].machine));
        }
    }
}

/// Returns the place for a letter: at the height of its point, moved sideways as little as keeps it off the taken
/// places.
fn beside(taken: &[(f64, f64)], (x, y): (f64, f64)) -> (f64, f64) {
    let is_free = |place: &f64| taken.iter().all(|other| (other.0 - place).abs() >= 8.0 || (other.1 - y).abs() >= 10.0);
    let places = [0.0, 8.0, -8.0, 16.0, -16.0].map(|aside| x + aside);
    (places.into_iter().find(is_free).unwrap_or(x), y)
}

/// Draws a letter in place of a point, with a halo that covers the lines behind it.
fn lettered(text: &mut String, letter: char, (x, y): (f64, f64)) {
    let foot = y + HALF_A_LETTER;
    for class in ["halo", "peer"] {
        let _ = writeln!(
            text,
            "<text class=\"{class}\" x=\"{x:.1}\" y=\"{foot:.1}\" text-anchor=\"middle\">{letter}</text>"
        );
    }
}

/// Draws points and a line through them in the colour and with the mark of series `number`. From the ninth series on
/// the lines are dashed.
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
        picture(&View { study, by, peers, studies: &[("", study)] })
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
        assert!(text.contains(">2026-01-02T03:04:05Z</text>"), "{text}");
        assert_eq!(text.matches(">warning: too &lt;hot&gt;</text>").count(), 2, "{text}");
        let height: f64 = text.split("viewBox=\"0 0 380 ").nth(1).unwrap().split('"').next().unwrap().parse().unwrap();
        let last: f64 = text.rsplit("y=\"").next().unwrap().split('"').next().unwrap().parse().unwrap();
        assert!(last < height, "the last line stands at {last} of {height}");
    }

    #[test]
    fn lines_are_broken_between_words() {
        assert_eq!(wrapped("a bc  def ghij", 6), ["a bc", "def", "ghij"]);
        assert_eq!(wrapped("ab cdefghijklm n", 4), ["ab", "cdef", "ghij", "klm", "n"]);
        assert_eq!(wrapped("", 4), [""]);
    }

    /// The y of each point of a line, from the path through them.
    fn heights(text: &str, class: &str) -> Vec<f64> {
        let path = text.split(&format!("<g class=\"{class}\"><path class=\"own\" d=\"M")).nth(1).unwrap();
        let points = path.split('"').next().unwrap().split('L');
        points.map(|point| point.split(' ').nth(1).unwrap().parse().unwrap()).collect()
    }

    #[test]
    fn over_the_boards_there_is_a_line_for_each_engine_and_a_letter_for_each_other_program() {
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
        for legend in [">A &lt; B, Old &amp; slow, 1 thread</text>", ">C, Old &amp; slow, 1 thread</text>"] {
            assert!(text.contains(legend), "{text}");
        }
        // A point and a line of the legend for each.
        let letters = text.split("class=\"peer\"").skip(1).map(|letter| letter.split(['>', '<']).nth(1).unwrap());
        assert_eq!(letters.collect::<String>(), "abab", "{text}");
        // The peer with the same time as the backtracker stands as high.
        let foot = text.split("class=\"peer\"").nth(1).unwrap().split("y=\"").nth(1).unwrap();
        let foot: f64 = foot.split('"').next().unwrap().parse().unwrap();
        assert!((foot - HALF_A_LETTER - heights(&text, "s0")[0]).abs() < 0.11, "{foot}");
        let without = shown(&study, Variable::Board, &[]);
        assert!(!without.contains("class=\"peer\"") && !without.contains(">20</text>"), "{without}");
        assert!(text.contains(">19</text>"), "the boards between are named too: {text}");
    }

    #[test]
    fn a_page_has_the_chart_over_the_boards_where_there_are_enough() {
        let mut study = study();
        let charts = |study: &Study| {
            let view = View { study, by: Variable::Threads, peers: &[], studies: &[] };
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
    fn letters_stand_beside_what_is_there() {
        assert_eq!(beside(&[(50.0, 20.0)], (50.0, 40.0)), (50.0, 40.0));
        assert_eq!(beside(&[(50.0, 20.0)], (50.0, 22.0)), (58.0, 22.0));
        assert_eq!(beside(&[(50.0, 20.0), (57.0, 20.0)], (50.0, 22.0)), (42.0, 22.0));
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
