//! The arithmetic of the benchmark `units`. `tests/library/sampling.rs` tests it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

/// Returns the indices at the middles of `number` equal steps through the cumulated `sizes`: each index is drawn in
/// proportion to its size. An index may be drawn several times if its size exceeds a step.
pub(crate) fn at_equal_steps(sizes: &[f64], number: usize) -> Vec<usize> {
    let step = sizes.iter().sum::<f64>() / number as f64;
    let (mut drawn, mut sum) = (Vec::with_capacity(number), 0.0);
    for (index, size) in sizes.iter().enumerate() {
        sum += size;
        while drawn.len() < number && (drawn.len() as f64 + 0.5) * step < sum {
            drawn.push(index);
        }
    }
    drawn
}

/// Returns the share of the time that `threads` threads are busy. Each thread takes the next of `units`, given by their
/// seconds, when it is free. Before the units comes the work of one thread alone, and then the work of all together.
pub(crate) fn busy_share(units: &[f64], alone: f64, together: f64, threads: u32) -> f64 {
    let begin = Duration::from_secs_f64(alone + together / f64::from(threads));
    let mut free_at: BinaryHeap<Reverse<Duration>> = (0..threads).map(|_| Reverse(begin)).collect();
    let mut end = begin;
    for &seconds in units {
        let Reverse(free) = free_at.pop().expect("there is a thread");
        let done = free + Duration::from_secs_f64(seconds);
        end = end.max(done);
        free_at.push(Reverse(done));
    }
    (alone + together + units.iter().sum::<f64>()) / (end.as_secs_f64() * f64::from(threads))
}
