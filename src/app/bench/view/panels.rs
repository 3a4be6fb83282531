//! The panels of a picture of studies: which charts there are, and of which numbers.

use super::chart::{Axis, Panel, Series, bars, lines};
use super::{NamedStudy, best_first, is_of_scores, means, shared_counts};
use crate::app::bench::score::millions;
use crate::app::bench::study::{Study, Timing};
use crate::app::machine::short_name;
use crate::app::output::words::{self, plural};
use std::collections::BTreeSet;

/// The most bars of a panel with several groups.
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
    let bar = |(colour, named): (usize, &NamedStudy)| {
        let score = named.study.score.as_ref()?;
        let name = if named.name.is_empty() { short_name(&named.study.machine.cpu) } else { named.name.clone() };
        let (threads, speed) = (plural(score.threads, "thread"), millions(score.solutions_per_second));
        Some((colour, name, score.solutions_per_second, format!("{speed}, {threads}, {}", score.quality)))
    };
    let mut shown: Vec<_> = studies.iter().enumerate().filter_map(bar).collect();
    shown.sort_by(|one, other| other.2.total_cmp(&one.2));
    if let [NamedStudy { study: Study { score: Some(score), .. }, .. }] = studies {
        shown.push((1, "on one thread".to_owned(), score.one_thread, millions(score.one_thread)));
    }
    bars(
        "Million solutions per second, all threads",
        &[("two-color with the best kernel, N = 18".to_owned(), shown)],
        0,
    )
}

/// Draws bars of the means, and of the counts of the largest boards that several studies have, each relative to the
/// first one, the best first.
fn shared(studies: &[NamedStudy]) -> Panel {
    let bar = |study: usize, ratio: f64, time: String| {
        (study, studies[study].name.clone(), ratio, time + &words::ratio(ratio))
    };
    let mut groups = Vec::new();
    if let Some((title, means)) = means(studies) {
        groups.push((title, best_first(&means).map(|study| bar(study, means[study], String::new())).collect()));
    }
    let mut counts = shared_counts(studies);
    counts.sort_by_key(|count| std::cmp::Reverse(count.board));
    let (mut number, mut left_out) = (groups.len() * studies.len(), counts.len());
    for count in &counts {
        number += count.rows.len();
        if number > MOST_BARS && !groups.is_empty() {
            break;
        }
        let ratios: Vec<f64> = count.rows.iter().map(|(_, row)| count.rows[0].1.seconds / row.seconds).collect();
        let bar = |place: usize| {
            let (study, row) = count.rows[place];
            bar(study, ratios[place], words::time(row.seconds) + ", ")
        };
        groups.push((count.name.clone(), best_first(&ratios).map(bar).collect()));
        left_out -= 1;
    }
    let is_first = counts.iter().all(|count| count.rows[0].0 == 0);
    let first = if is_first { &*studies[0].name } else { "the first study that has a count" };
    bars(&format!("Times as fast as {first}"), &groups, left_out)
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
