//! Several studies side by side: the counts that they have in common, and their means.

use crate::app::bench::study::{Study, Timing};
use crate::app::output::words::plural;
use std::collections::HashMap;

/// The rows of one count, each with the number of its study.
pub(crate) type SharedCount<'a> = Vec<(usize, &'a Timing)>;

/// Returns the counts that at least two studies have, in the order of the first one.
///
/// Counts with different kernels are different counts, unless every study has only one kernel for each engine. Then
/// each kernel is the best of its machine, and the kernels do not matter.
pub(crate) fn shared_counts(studies: &[Study]) -> Vec<SharedCount<'_>> {
    let has_one_kernel = |study: &Study| {
        let mut kernels = HashMap::new();
        study.rows.iter().all(|row| *kernels.entry(&row.engine).or_insert(&row.kernel) == &row.kernel)
    };
    let one_kernel = studies.iter().all(has_one_kernel);
    let (mut counts, mut places) = (Vec::new(), HashMap::new());
    for (number, row) in
        studies.iter().enumerate().flat_map(|(number, study)| study.rows.iter().map(move |row| (number, row)))
    {
        let kernel = Some(&row.kernel).filter(|_| !one_kernel);
        let place = *places.entry((&row.engine, kernel, row.board, row.threads)).or_insert(counts.len());
        if place == counts.len() {
            counts.push(SharedCount::new());
        }
        // A repeated row of a study is ignored.
        if counts[place].last().is_none_or(|(other, _)| *other != number) {
            counts[place].push((number, row));
        }
    }
    counts.retain(|rows| rows.len() > 1);
    counts
}

/// Returns a title, and for each study the geometric mean of its speeds relative to the first study. The mean is over
/// the counts that all studies have; without such a count, returns `None`.
pub(crate) fn geometric_means(studies: &[Study]) -> Option<(String, Vec<f64>)> {
    let mut counts = shared_counts(studies);
    counts.retain(|rows| rows.len() == studies.len() && studies.iter().all(|study| study.score.is_none()));
    let mean = |index: usize| {
        let logarithms = counts.iter().map(|rows| (rows[0].1.seconds / rows[index].1.seconds).ln());
        (logarithms.sum::<f64>() / counts.len() as f64).exp()
    };
    let title = format!("geometric mean of {}", plural(counts.len(), "count"));
    (!counts.is_empty()).then(|| (title, (0..studies.len()).map(mean).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::bench::study::tests::{study, timing};

    #[test]
    fn the_mean_of_a_study_is_that_of_the_counts_that_all_have() {
        let times = |seconds: &[f64]| {
            let rows = seconds.iter().zip(1..).map(|(&time, threads)| timing("a", threads, &[time])).collect();
            Study { rows, ..study() }
        };
        let mut studies = vec![times(&[8.0, 4.0, 1.0]), times(&[2.0, 4.0])];
        assert_eq!(geometric_means(&studies).unwrap(), ("geometric mean of 2 counts".to_owned(), vec![1.0, 2.0]));
        studies.push(times(&[16.0]));
        assert_eq!(geometric_means(&studies).unwrap().1, [1.0, 4.0, 0.5]);
        studies.push(times(&[]));
        assert_eq!(geometric_means(&studies), None);
    }
}
