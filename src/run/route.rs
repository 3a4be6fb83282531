//! Routes: ways to count a unit that share no kernel or side, and the choice of the one that checks another.

use super::count::Count;
use super::job::Job;
use crate::engine::{Counter, CountingEngine, Engine, Kernel, Settings};
use std::fmt;

/// A way to count units: an engine, one of its kernels, and its sides, if it has any.
///
/// ```
/// use nqueens::{Board, Cancel, Engine, Job};
///
/// let count = Job::new(Board::new(12)?).engine(Engine::Backtrack).run()?;
/// let route = count.double_check(2, &Cancel::new(), &())?.route;
/// assert_eq!(route.engine, Engine::TwoColor);
/// assert_eq!(route.to_string(), format!("two-color, {} kernel", route.kernel));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Route {
    /// The engine.
    pub engine: Engine,
    /// The kernel.
    pub kernel: Kernel,
    /// True if the engine counts with build side and probe side exchanged.
    pub exchanged: bool,
}

impl Route {
    /// Returns the route of a counter that was prepared with these settings.
    pub(crate) fn of(counter: &dyn Counter, settings: &Settings) -> Self {
        Self { engine: counter.plan().engine(), kernel: counter.kernel(), exchanged: settings.exchanged }
    }
}

impl fmt::Display for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&means(self.engine.name(), self.kernel, self.exchanged))
    }
}

/// Returns an engine and a kernel, or several, in words.
pub fn means(engine: &str, kernel: impl fmt::Display, exchanged: bool) -> String {
    format!("{engine}, {kernel} kernel{}", if exchanged { ", sides exchanged" } else { "" })
}

/// Returns the largest board for which the backtracker, with this kernel, checks a count of the two-color engine.
///
/// Seconds of whole counts on one thread of an AMD EPYC, family 26 model 2, for the backtracker and two-color, with NEON as
/// estimated for a Neoverse V2 of 3 GHz:
///
/// | N | avx512 | avx2 | neon | portable |
/// |---:|---:|---:|---:|---:|
/// | 15 | | | | 0.28, 0.02 |
/// | 16 | | | 0.21, 0.02 | 1.8, 0.04 |
/// | 17 | 0.50, 0.06 | 1.2, 0.07 | | |
/// | 18 | 3.6, 0.15 | 8.7, 0.22 | | |
fn backtrack_up_to(kernel: Kernel) -> usize {
    match kernel {
        Kernel::Avx512 | Kernel::Avx2 => 18,
        Kernel::Neon => 16,
        _ => 15,
    }
}

/// Returns the job that counts again by another route:
///
/// | first | then |
/// |---|---|
/// | two-color, N ≤ 18, with NEON 16, on other CPUs without AVX2 15 | backtrack with its best kernel: totals |
/// | two-color, larger N | two-color with exchanged sides, and another kernel if the CPU has one: units |
/// | backtrack, N ≤ 28 | two-color with its best kernel: totals |
/// | backtrack, larger N, and setups | backtrack with the scalar kernel, or with the best if the first was scalar: units |
///
/// Its kernel is none of those that counted units of the first count, if the CPU has such a kernel.
pub(super) fn second_job(first: &Count) -> Job {
    let (other, largest) = match first.engine {
        Engine::TwoColor => (Engine::Backtrack, backtrack_up_to(Engine::Backtrack.kernels()[0])),
        _ => (Engine::TwoColor, Engine::TwoColor.largest_board()),
    };
    let job = Job::new(first.board);
    if first.board.size() <= largest && first.setup.is_none() {
        return job.engine(other).kernel(other.kernels()[0]);
    }
    let engine = first.engine.counting().expect("an engine counted");
    let plan = engine.settings_of_plan(&first.plan).unwrap_or_default();
    let used = [&[first.kernel], &*first.earlier_kernels].concat();
    job.with_engine(engine).settings(other_route(engine, plan, &used))
}

/// Returns the settings that count units again which were counted with the kernels `used`: that of the engine's routes
/// and kernels which shares least with those. `plan` are the settings of their plan.
///
/// The sides are exchanged if the engine has sides. The kernel is none of `used` if this CPU has such a kernel, else not
/// the first of them. The scalar kernel is preferred: it shares no code with the others, which share their search.
pub(crate) fn other_route(engine: &dyn CountingEngine, plan: Settings, used: &[Kernel]) -> Settings {
    let last_choice =
        |kernel: &Kernel| (used.contains(kernel), used.first() == Some(kernel), *kernel != Kernel::Scalar);
    let kernel = engine.kernels().into_iter().min_by_key(last_choice);
    let exchanged = engine.variants().iter().any(|variant| variant.exchanged);
    Settings { kernel, exchanged, ..plan }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::engine::ENGINES;

    /// Returns the job after a count as another might report it, without counting.
    fn after(size: usize, engine: Engine, kernel: Kernel, plan: &str, earlier_kernels: &[Kernel]) -> Job {
        let mut count = Job::new(Board::new(1).unwrap()).run().unwrap();
        (count.board, count.engine, count.kernel) = (Board::new(size).unwrap(), engine, kernel);
        (count.plan, count.earlier_kernels) = (plan.to_owned(), earlier_kernels.to_vec());
        second_job(&count)
    }

    #[test]
    fn the_route_shares_no_kernel_with_the_first_count() {
        for engine in ENGINES {
            for kernel in engine.kernels() {
                for size in 1..=32 {
                    let plan = if engine.name() == "two-color" { "row-sets-2" } else { "mirror-2" };
                    let again = after(size, engine.engine(), kernel, plan, &[]);
                    let by = again.settings.kernel.expect("a route names its kernel");
                    let second = again.engine.expect("a route names its engine");
                    assert!(second.kernels().contains(&by));
                    if second.name() == engine.name() {
                        let lone = engine.kernels().len() == 1;
                        assert!(by != kernel || lone, "N = {size}, {}, {kernel}", engine.name());
                        assert_eq!(again.settings.exchanged, engine.name() == "two-color");
                    }
                }
            }
        }
    }

    #[test]
    fn the_route_is_chosen_by_what_can_be_afforded() {
        let route = |size, engine, kernel, plan| {
            let job = after(size, engine, kernel, plan, &[]);
            (job.engine.expect("a route names its engine").engine(), job.settings.split_rows)
        };
        let two_color = |size| route(size, Engine::TwoColor, Kernel::Portable, "row-sets-2");
        let largest = backtrack_up_to(Engine::Backtrack.kernels()[0]);
        assert_eq!(two_color(largest), (Engine::Backtrack, None));
        assert_eq!(two_color(largest + 1), (Engine::TwoColor, None));
        let backtrack = |size, kernel| route(size, Engine::Backtrack, kernel, "mirror-2");
        assert_eq!(backtrack(28, Kernel::Scalar), (Engine::TwoColor, None));
        let same_plan = (Engine::Backtrack, Some(2));
        assert_eq!(backtrack(29, Kernel::Scalar), same_plan);
        assert_eq!(backtrack(29, Kernel::Portable), same_plan);
    }

    #[test]
    fn the_route_avoids_the_kernels_of_all_runs_of_a_ledger() {
        let kernels = Engine::TwoColor.kernels();
        let [.., before, last] = kernels[..] else { return };
        let again = after(28, Engine::TwoColor, last, "row-sets-2", &[before, last]);
        assert_eq!(again.settings.kernel, Some(if kernels.len() > 2 { kernels[0] } else { before }));
    }
}
