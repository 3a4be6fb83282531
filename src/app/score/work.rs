//! The scored work: the same counts, by the same plans, on every machine and in every version with the same major and
//! minor number.

use crate::Board;
use crate::engine::backtrack::Backtrack;
use crate::engine::two_color::TwoColor;
use crate::engine::{CountingEngine, Kernel, Settings, SymmetryReduction};
use crate::run::Job;
use clap::ValueEnum;
use std::fmt;

/// The version of the work. Scores of different versions do not compare.
pub(super) const VERSION: &str = concat!(env!("CARGO_PKG_VERSION_MAJOR"), ".", env!("CARGO_PKG_VERSION_MINOR"));

/// The number of timed runs of each count. They take about two minutes.
pub(super) const REPETITIONS: usize = 11;

/// The number of threads from which on a size is chosen. Each board takes about six times as long as the one before.
const MEDIUM_FROM: usize = 8;
const LARGE_FROM: usize = 48;

/// The sizes of the boards that all threads count. Scores of different sizes do not compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Size {
    /// For up to 7 threads
    Small,
    /// For 8 to 47 threads
    Medium,
    /// For 48 threads and more
    Large,
    /// Gives no score, but is over in a moment
    #[value(hide = true)]
    Test,
}

impl Size {
    /// Returns the size for a number of threads.
    pub(super) fn of(threads: usize) -> Self {
        match threads {
            LARGE_FROM.. => Size::Large,
            MEDIUM_FROM.. => Size::Medium,
            _ => Size::Small,
        }
    }

    /// Returns the name on the command line and in results.
    pub(super) fn name(self) -> &'static str {
        match self {
            Size::Small => "small",
            Size::Medium => "medium",
            Size::Large => "large",
            Size::Test => "test",
        }
    }

    /// Returns the board of a figure. On one thread it is the same in every size, so that these figures compare between
    /// all machines.
    fn board(self, figure: Figure, on: On) -> Board {
        let [counting, portable, branches] = match (self, on) {
            (Size::Test, _) => [8, 8, 8],
            (_, On::One) => [18, 18, 15],
            (Size::Small, On::All) => [20, 19, 16],
            (Size::Medium, On::All) => [21, 20, 17],
            (Size::Large, On::All) => [22, 21, 18],
        };
        let size = match figure {
            Figure::Counting => counting,
            Figure::Portable => portable,
            Figure::Branches => branches,
        };
        Board::new(size).expect("these boards can be counted")
    }
}

/// A kind of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Figure {
    /// The two-color engine with the best kernel of the CPU.
    Counting,
    /// The two-color engine with the portable kernel, which is the same code on every architecture.
    Portable,
    /// The scalar backtracker: little but branches, which cannot be predicted.
    Branches,
}

impl Figure {
    pub(super) const ALL: [Figure; 3] = [Figure::Counting, Figure::Portable, Figure::Branches];

    /// Returns the name in results.
    pub(super) fn name(self) -> &'static str {
        match self {
            Figure::Counting => "counting",
            Figure::Portable => "portable",
            Figure::Branches => "branches",
        }
    }

    fn engine(self) -> &'static dyn CountingEngine {
        match self {
            Figure::Counting | Figure::Portable => &TwoColor,
            Figure::Branches => &Backtrack,
        }
    }

    /// Returns the settings. They leave nothing open that the engine chooses for a machine or a number of threads, except
    /// the best kernel.
    fn settings(self) -> Settings {
        let kernel = match self {
            Figure::Counting => self.engine().kernels()[0],
            Figure::Portable => Kernel::Portable,
            Figure::Branches => Kernel::Scalar,
        };
        let settings = Settings { kernel: Some(kernel), ..Settings::default() };
        match self {
            Figure::Counting | Figure::Portable => settings,
            // Hundreds of threads have enough units.
            Figure::Branches => Settings { symmetry: Some(SymmetryReduction::Mirror), split_rows: Some(3), ..settings },
        }
    }
}

/// The threads that a figure is measured on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum On {
    One,
    All,
}

impl On {
    /// Returns the name in results.
    pub(super) fn name(self) -> &'static str {
        match self {
            On::One => "one",
            On::All => "all",
        }
    }
}

/// A figure, and the threads that it is measured on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) figure: Figure,
    pub(super) on: On,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let threads = match self.on {
            On::One => "one thread",
            On::All => "all threads",
        };
        write!(f, "{} on {threads}", self.figure.name())
    }
}

/// Returns the parts of a score and their counts, for a machine with this number of threads.
pub(super) fn parts(size: Size, threads: usize) -> (Vec<Part>, Vec<Job>) {
    let parts = [On::All, On::One].into_iter().flat_map(|on| Figure::ALL.map(|figure| Part { figure, on }));
    let job = |part: Part| {
        let Part { figure, on } = part;
        let threads = if on == On::All { threads } else { 1 };
        let job = Job::new(size.board(figure, on)).with_engine(figure.engine()).threads(threads);
        (part, job.settings(figure.settings()))
    };
    parts.map(job).unzip()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cancel;
    use crate::published;
    use crate::run::prepare;

    #[test]
    fn a_size_grows_with_the_machine() {
        let sizes = [1, 7, 8, 47, 48, 1024].map(|threads| Size::of(threads).name());
        assert_eq!(sizes, ["small", "small", "medium", "medium", "large", "large"]);
    }

    #[test]
    fn every_figure_is_measured_on_all_threads_and_on_one() {
        for size in [Size::Small, Size::Medium, Size::Large] {
            let (parts, jobs) = parts(size, 5);
            let names: Vec<_> = parts.iter().map(|part| (part.figure.name(), part.on.name())).collect();
            let figures = ["counting", "portable", "branches"];
            assert_eq!(names, [figures.map(|name| (name, "all")), figures.map(|name| (name, "one"))].concat());
            let threads: Vec<_> = jobs.iter().map(|job| job.threads).collect();
            assert_eq!(threads, [5, 5, 5, 1, 1, 1]);
            assert!(jobs.iter().all(|job| published::total(job.board).is_some()));
        }
    }

    /// Otherwise the figures on all threads would depend on how the boards are cut up.
    #[test]
    fn there_are_enough_units_to_keep_every_thread_busy() {
        for (size, threads) in [(Size::Small, 7), (Size::Medium, 47), (Size::Large, 256)] {
            for job in parts(size, threads).1 {
                let counter = prepare(&job, &Cancel::new()).unwrap();
                let plan = counter.plan();
                let mut free_at = vec![0; job.threads];
                for unit in plan.heaviest_first() {
                    *free_at.iter_mut().min().unwrap() += plan.weight(unit);
                }
                let end = free_at.into_iter().max().unwrap() * job.threads as u64;
                let busy = plan.total_weight() as f64 / end as f64;
                assert!(busy > 0.94, "N = {}, {}, {} threads: {busy}", job.board, plan.name(), job.threads);
            }
        }
    }

    /// A score compares with every other of its version. If the work must change, this is for a new minor version.
    #[test]
    fn the_work_of_a_version_is_what_it_was() {
        assert_eq!(VERSION, "0.2", "a new minor version may have other work: write down its own below");
        let mut found: Vec<String> = [Size::Small, Size::Medium, Size::Large]
            .into_iter()
            .flat_map(|size| {
                let (parts, jobs) = parts(size, 256);
                std::iter::zip(parts, jobs).map(move |(part, job)| {
                    let counter = prepare(&job, &Cancel::new()).unwrap();
                    let plan = counter.plan();
                    let size = if part.on == On::One { "any" } else { size.name() };
                    let (figure, board, engine, name) = (part.figure.name(), plan.board(), plan.engine(), plan.name());
                    format!("{size} {figure}: N = {board}, {engine} {name}, {:016x}", plan.fingerprint())
                })
            })
            .collect();
        found.sort_unstable();
        found.dedup();
        assert_eq!(
            found,
            [
                "any branches: N = 15, backtrack mirror-3, 618c9ce87ce0ba02",
                "any counting: N = 18, two-color row-sets-2, 1c99a7ea77f2eb7a",
                "any portable: N = 18, two-color row-sets-2, 1c99a7ea77f2eb7a",
                "large branches: N = 18, backtrack mirror-3, 5d5f2314995582f7",
                "large counting: N = 22, two-color row-sets-2, 82942e75e41e058f",
                "large portable: N = 21, two-color row-sets-2, 32f6a2d8c847c7cb",
                "medium branches: N = 17, backtrack mirror-3, 47db92b9657caf0c",
                "medium counting: N = 21, two-color row-sets-2, 32f6a2d8c847c7cb",
                "medium portable: N = 20, two-color row-sets-2, 7ed6b7308daac94f",
                "small branches: N = 16, backtrack mirror-3, ec6ef048cf31f07e",
                "small counting: N = 20, two-color row-sets-2, 7ed6b7308daac94f",
                "small portable: N = 19, two-color row-sets-2, e48baeeb26bd4358",
            ]
        );
        let kernels = Figure::ALL.map(|figure| figure.settings().kernel);
        assert_eq!(kernels[1..], [Some(Kernel::Portable), Some(Kernel::Scalar)]);
        assert!(Kernel::ALL.iter().rev().find(|kernel| kernel.is_supported()) == kernels[0].as_ref());
    }
}
