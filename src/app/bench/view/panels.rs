//! The panels of a picture of studies: which charts there are, and of which numbers.

use super::chart::{Axis, Panel, Series, bars, lines};
use super::{NamedStudy, is_of_scores, shared_counts};
use crate::app::bench::score::millions;
use crate::app::bench::study::{Study, Timing};
use crate::app::machine::short_name;
use crate::app::output::words::{self, plural};
use std::collections::BTreeSet;

/// The most bars of a panel.
const MOST_BARS: usize = 12;

/// Returns the panels of studies: bars of several studies side by side, the speed-up over the number of threads if
/// there are several, and the time over the size of the board.
pub(super) fn all(studies: &[NamedStudy]) -> Vec<Panel> {
    if is_of_scores(studies) {
        return vec![scores(studies)];
    }
    let mut panels = Vec::new();
    if studies.len() > 1 {
        panels.push(shared(studies));
    }
    let numbers = |number: fn(&Timing) -> usize| {
        studies.iter().flat_map(|named| &named.study.rows).map(number).collect::<BTreeSet<usize>>()
    };
    let threads = numbers(|row| row.threads);
    if threads.len() > 1 {
        let point = |row: &Timing| Some((row.threads as f64, row.speed_up?));
        let series = series(studies, Timing::name, point);
        panels.push(lines("Times as fast as one thread", Axis::Threads, Axis::SpeedUp, series));
    }
    if numbers(|row| row.board).len() > 2 || panels.is_empty() {
        let most = threads.last().copied().unwrap_or(1);
        let point = |row: &Timing| (row.threads == most).then_some((row.board as f64, row.seconds));
        let series = series(studies, |row| format!("{} {}", row.engine, row.kernel), point);
        let title = format!("Time of a whole count on {}", plural(most, "thread"));
        panels.push(lines(&title, Axis::Board, Axis::Seconds, series));
    }
    panels
}

/// Draws a bar for each score, and below a single one that of one thread.
fn scores(studies: &[NamedStudy]) -> Panel {
    let bar = |named: &NamedStudy| {
        let score = named.study.score.as_ref()?;
        let name = if named.name.is_empty() { short_name(&named.study.machine.cpu) } else { named.name.clone() };
        let text = format!("{}, {}", millions(score.solutions_per_second), score.quality);
        Some((name, score.solutions_per_second, text))
    };
    let mut shown: Vec<_> = studies.iter().filter_map(bar).take(MOST_BARS).collect();
    if let [NamedStudy { study: Study { score: Some(score), .. }, .. }] = studies {
        shown.push(("on one thread".to_owned(), score.one_thread, millions(score.one_thread)));
    }
    let groups = [("two-color with the best kernel, N = 18".to_owned(), shown)];
    bars("Million solutions per second, all threads", &groups, studies.len().saturating_sub(MOST_BARS))
}

/// Draws bars of the counts of the largest boards that several studies have.
fn shared(studies: &[NamedStudy]) -> Panel {
    let mut counts = shared_counts(studies);
    counts.sort_by_key(|count| std::cmp::Reverse(count.board));
    let (mut groups, mut number) = (Vec::new(), 0);
    for count in &counts {
        number += count.rows.len();
        if number > MOST_BARS && !groups.is_empty() {
            break;
        }
        let first = count.rows[0].1.seconds;
        let bar = |&(study, row): &(usize, &Timing)| {
            let ratio = first / row.seconds;
            let text = format!("{}, {}", words::time(row.seconds), words::ratio(ratio));
            (studies[study].name.clone(), ratio, text)
        };
        groups.push((count.name.clone(), count.rows.iter().take(MOST_BARS).map(bar).collect()));
    }
    bars(&format!("Times as fast as {}", studies[0].name), &groups, counts.len() - groups.len())
}

/// Groups the rows of all studies into series, those of the largest boards first. `name` names the series of a row, and
/// `point` returns its point.
fn series(
    studies: &[NamedStudy],
    name: impl Fn(&Timing) -> String,
    point: impl Fn(&Timing) -> Option<(f64, f64)>,
) -> Vec<Series> {
    let mut rows: Vec<(&NamedStudy, &Timing)> =
        studies.iter().flat_map(|named| named.study.rows.iter().map(move |row| (named, row))).collect();
    rows.sort_by_key(|(_, row)| (std::cmp::Reverse(row.board), row.threads));
    let mut all: Vec<Series> = Vec::new();
    for (named, row) in rows {
        let Some(point) = point(row) else { continue };
        let name = match &*named.name {
            "" => name(row),
            study => format!("{}; {study}", name(row)),
        };
        match all.iter_mut().find(|(other, _)| *other == name) {
            Some((_, points)) => points.push(point),
            None => all.push((name, vec![point])),
        }
    }
    all
}
