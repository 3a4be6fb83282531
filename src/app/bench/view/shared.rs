//! The counts that several studies share: their table and bars as text, and what their charts are drawn from.

use crate::app::bench::study::{Study, Timing};
use crate::app::bench::view::View;
use crate::app::output::chart::{self, Bar};
use crate::app::output::printable;
use crate::app::output::words::{self, plural};
use crate::app::rows::Cell;
use crate::app::rows::text::write_wide;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// The most counts that are drawn.
const MOST_DRAWN: usize = 6;

/// A row of a study, with the number of the study.
pub(crate) type Place<'a> = (usize, &'a Timing);

/// A count that several studies have with the same number of threads.
#[derive(Clone, Debug)]
pub(crate) struct SharedCount<'a> {
    /// The engine, its kernel if the studies have several, and the board.
    pub(crate) name: String,
    pub(crate) board: usize,
    /// The rows of all studies, in the order of these, each number of threads once.
    pub(crate) rows: Vec<Place<'a>>,
}

/// Rows to be drawn as bars, with what they have in common.
pub(super) struct Bars<'a> {
    pub(super) name: String,
    /// The name of the study of the first row.
    first: String,
    /// The label of each row, the number of its study, and the row.
    pub(super) rows: Vec<(String, usize, &'a Timing)>,
}

impl<'a> SharedCount<'a> {
    /// Returns the rows of each number of threads that at least `least` studies have, from few threads to many.
    pub(crate) fn by_threads(&self, least: usize) -> Vec<Vec<Place<'a>>> {
        let mut groups: BTreeMap<usize, Vec<Place<'a>>> = BTreeMap::new();
        for &(study, row) in &self.rows {
            groups.entry(row.threads).or_default().push((study, row));
        }
        groups.into_values().filter(|rows| rows.len() >= least).collect()
    }

    /// Returns a study of this count alone, whose engines are the names of the studies.
    pub(super) fn study(&self, view: &View<'_>) -> Study {
        let row = |&(study, row): &Place<'_>| Timing { engine: view.studies[study].0.to_owned(), ..row.clone() };
        Study { rows: self.rows.iter().map(row).collect(), scaling: Vec::new(), ..view.study.clone() }
    }

    /// Returns the bars of the fewest threads that studies share, and those of each study with all its threads.
    pub(super) fn bars(&self, view: &View<'_>) -> Vec<Bars<'a>> {
        let name = |study: usize| view.studies[study].0.to_owned();
        let Some(few) = self.by_threads(2).into_iter().next() else { return Vec::new() };
        let threads = few[0].1.threads;
        let few = Bars {
            name: format!("{}, {}", self.name, plural(threads, "thread")),
            first: name(few[0].0),
            rows: few.into_iter().map(|(study, row)| (name(study), study, row)).collect(),
        };
        let mut most: Vec<Place<'a>> = Vec::new();
        for &(study, row) in &self.rows {
            match most.last_mut() {
                Some((last, best)) if *last == study => *best = if row.threads > best.threads { row } else { best },
                _ => most.push((study, row)),
            }
        }
        if most.iter().all(|(_, row)| row.threads == threads) {
            return vec![few];
        }
        let label =
            |(study, row): Place<'a>| (format!("{}, {}", name(study), plural(row.threads, "thread")), study, row);
        vec![
            few,
            Bars {
                name: format!("{}, all threads", self.name),
                first: name(most[0].0),
                rows: most.into_iter().map(label).collect(),
            },
        ]
    }
}

impl Bars<'_> {
    /// Returns the speed of a row relative to the first one.
    pub(super) fn times_as_fast(&self, row: &Timing) -> f64 {
        self.rows[0].2.seconds / row.seconds
    }

    /// Returns the title: what the bars show.
    pub(super) fn title(&self) -> String {
        format!("{}: times as fast as {}", self.name, self.first)
    }
}

/// Returns the counts to be drawn, which are those of the largest boards, and the number of the others.
pub(super) fn drawn<'v, 'a>(counts: &'v [SharedCount<'a>]) -> (Vec<&'v SharedCount<'a>>, usize) {
    let mut boards: Vec<usize> = counts.iter().map(|count| count.board).collect();
    boards.sort_unstable_by(|one, other| other.cmp(one));
    let mut all: Vec<&SharedCount<'_>> = match boards.get(MOST_DRAWN) {
        None => counts.iter().collect(),
        Some(beyond) => counts.iter().filter(|count| count.board > *beyond).collect(),
    };
    if all.is_empty() {
        all = counts.iter().filter(|count| count.board == boards[0]).take(MOST_DRAWN).collect();
    }
    let others = counts.len() - all.len();
    (all, others)
}

/// Returns the words for counts that are not drawn.
pub(super) fn not_drawn(others: usize) -> String {
    format!("{} of smaller boards not drawn", plural(others, "count"))
}

/// Writes a table for each count, with a line for each number of threads and a column for each study, and then bars.
pub(crate) fn write_text(view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
    for (index, count) in view.counts.iter().enumerate() {
        let gap = if index > 0 { "\n" } else { "" };
        let groups = count.by_threads(2);
        let first = |study: usize| count.rows.iter().find(|(of, _)| *of == study).map(|(_, row)| *row);
        let studies: Vec<usize> = (0..view.studies.len()).filter(|&study| first(study).is_some()).collect();
        let first_of_all = groups[0][0].0;
        let of = view.studies[first_of_all].0;
        writeln!(out, "{gap}{}: median, and times as fast as {}", printable(&count.name), printable(of))?;
        let line = |group: &Vec<Place<'_>>| {
            let time = |&study: &usize| {
                let row = |study| group.iter().find(|(of, _)| *of == study).map(|(_, row)| row);
                let text = row(study).map(|timed| {
                    // The study of the heading may have no such count.
                    let ratio = row(first_of_all).map_or("-".to_owned(), |of| words::ratio(of.seconds / timed.seconds));
                    format!("{} {ratio:>6}", words::time(timed.seconds))
                });
                let kernel = first(study).map_or("", |row| &row.kernel);
                Cell::optional(format!("{} {kernel}", view.studies[study].0), 0, text)
            };
            let threads = Cell::number("threads", 0, group[0].1.threads);
            std::iter::once(threads).chain(studies.iter().map(time)).collect::<Vec<_>>()
        };
        write_wide(&groups.iter().map(line).collect::<Vec<_>>(), 1, out)?;
    }
    let (counts, others) = drawn(view.counts);
    for bars in counts.iter().flat_map(|count| count.bars(view)) {
        let bar = |(label, _, row): &(String, usize, &Timing)| Bar {
            label: label.clone(),
            value: bars.times_as_fast(row),
            ideal: None,
        };
        let lines = chart::bars(&bars.rows.iter().map(bar).collect::<Vec<_>>());
        write!(out, "\n{}\n{lines}", printable(&bars.title()))?;
    }
    if others > 0 {
        writeln!(out, "\n# {}", not_drawn(others))?;
    }
    Ok(())
}
