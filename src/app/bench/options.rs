//! The options of `nqueens bench`.

use crate::app::bench::measurement::is_of_same_kind;
use crate::app::failure::{Failure, refused};
use crate::app::machine::default_threads;
use crate::app::numbers::{time, whole};
use crate::app::options::{Choice, OutputOptions, choice};
use nqueens::engine::Settings;
use nqueens::run::MOST_THREADS;
use nqueens::{Board, Engine, Job, Kernel};
use std::collections::BTreeSet;
use std::time::Duration;

/// Measure how many solutions this machine counts in a second
///
/// The score is the number of solutions that all threads together count in a second. Every thread counts the same board
/// by itself, again and again, with the two-color engine and the best kernel of the CPU, so that scores of all machines
/// compare. Beside it is the figure of one thread. The quality of the score says how far it can be trusted, and why:
/// other programs, heat, and times that spread make it worse. A limit on the CPUs of this process makes a smaller
/// machine, not a worse score.
///
/// With --study, every engine counts its boards with 1, 2, 4, ... threads up to the number of CPUs, several times each,
/// with the best kernel of the CPU. The counts take turns, so that whatever else the machine does affects all of them
/// alike. The table has the median of the times, the shortest and the longest, the speed-up over one thread, and the
/// serial fraction, which is the share of the work that more threads do not make faster: Amdahl's law, fitted to the
/// medians. The more CPUs, the longer it takes.
///
/// By default each engine counts those of N = 17, 18 and 20 that take less than ten seconds.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens bench
  nqueens bench --strict --output score.json
  nqueens bench --study --engine two-color --boards 18,20 --threads 1,2,4,8
  nqueens bench --study --output study.json")]
pub(crate) struct Arguments {
    /// Fail, with the reasons, unless the score is quotable; it is written nevertheless
    #[arg(long, conflicts_with = "study", help_heading = "Measurement options")]
    pub(super) strict: bool,

    /// The time that the score takes. It compares with others if it takes a minute.
    #[arg(long, value_name = "TIME", default_value = "1m", hide = true, value_parser = time)]
    pub(super) duration: Duration,

    /// Measure how the speed grows with the number of threads, for every engine, instead of the score
    #[arg(long, help_heading = "Measurement options")]
    pub(super) study: bool,

    #[command(flatten)]
    pub(super) selection: Selection,

    /// The number of timed runs of each count, after one untimed run
    #[arg(long, value_name = "R", default_value = "5", allow_negative_numbers = true, value_parser = whole(1..=1000),
        requires = "study", help_heading = "Options of a study")]
    pub(super) repetitions: u64,

    /// Skip a count whose untimed run takes longer, and larger boards with the same engine, kernel and threads
    /// [default: 10s, or none with --boards]
    ///
    /// Counts that need more memory than is free are then skipped too; without a limit they are an error.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = time, requires = "study",
        help_heading = "Options of a study")]
    pub(super) time_limit: Option<Duration>,

    #[command(flatten)]
    pub(super) printing: OutputOptions,
}

/// The default boards of a study, and the time limit with these boards.
const BOARDS: [usize; 3] = [17, 18, 20];
pub(super) const TIME_LIMIT: Duration = Duration::from_secs(10);

/// The counts of a study.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Options of a study")]
pub(super) struct Selection {
    /// Only these engines; may be repeated
    #[arg(long, requires = "study", value_name = "ENGINE", value_delimiter = ',', value_parser = choice(Engine::ALL))]
    engine: Vec<Choice<Engine>>,

    /// Only these kernels; may be repeated
    #[arg(long, requires = "study", value_name = "KERNEL", value_delimiter = ',', value_parser = choice(Kernel::ALL))]
    kernel: Vec<Choice<Kernel>>,

    /// Only boards of these sizes, such as 16,18 or 8-12,14
    #[arg(long, requires = "study", value_name = "N,...", value_delimiter = ',', allow_hyphen_values = true,
        value_parser = boards)]
    pub(super) boards: Vec<Boards>,

    /// Only these numbers of threads
    #[arg(long, requires = "study", short = 'j', value_name = "T,...", value_delimiter = ',',
        allow_hyphen_values = true, value_parser = whole(1..=MOST_THREADS as u64))]
    threads: Vec<u64>,
}

/// The boards from one size to another.
type Boards = Vec<Board>;

fn boards(text: &str) -> Result<Boards, String> {
    let board = |text: &str| text.trim().parse::<Board>().map_err(|error| error.to_string());
    // A text that begins with a minus sign is a number below zero, not a range.
    let Some((from, to)) = text.split_once('-').filter(|(from, _)| !from.trim().is_empty()) else {
        return Ok(vec![board(text)?]);
    };
    let end = |text| board(text).map_err(|error| format!("{error}, or a range such as 8-12"));
    let (from, to) = (end(from)?, end(to)?);
    if from > to {
        return Err(format!("{from} is beyond {to}; give a range from small to large"));
    }
    Ok((from.size()..=to.size()).filter_map(|size| Board::new(size).ok()).collect())
}

impl Selection {
    /// Returns the selected counts. `all` are the engines to take if none is selected. Counts that differ only in the
    /// number of threads are neighbours.
    pub(super) fn jobs(&self, all: &[Engine]) -> Result<Vec<Job>, Failure> {
        let engines = given_or(&self.engine, all.iter().copied().map(Some));
        let kernels = given_or(&self.kernel, [None]);
        let boards = given_or(&self.boards.concat(), BOARDS.into_iter().filter_map(|size| Board::new(size).ok()));
        let threads = BTreeSet::from_iter(given_or(&self.threads, powers_of_two_and(default_threads() as u64)));
        let mut jobs: Vec<Job> = Vec::new();
        for engine in engines {
            for (&board, &kernel) in boards.iter().flat_map(|board| kernels.iter().map(move |kernel| (board, kernel))) {
                let settings = Settings { kernel, ..Settings::default() };
                let job = Job::new(board).engine(engine).threads(1).settings(settings);
                let engine = match job.chosen_engine() {
                    Ok(engine) => engine,
                    Err(error) if !self.engine.is_empty() => return refused(error.to_string()),
                    Err(_) => continue,
                };
                // If no kernel is named, the first one is taken, which is the best.
                let of_device = (engine == Engine::TwoColor).then_some(Kernel::Gpu);
                let mut kernels = engine.kernels().into_iter().chain(of_device);
                let Some(kernel) = kernels.find(|&one| kernel.is_none_or(|named| named == one)) else { continue };
                let job = job.engine(engine).kernel(kernel);
                if !jobs.iter().any(|other| other.board() == board && is_of_same_kind(other, &job)) {
                    jobs.extend(threads.iter().map(|&threads| job.clone().threads(threads as usize)));
                }
            }
        }
        jobs.sort_by_key(Job::board);
        if jobs.is_empty() {
            return refused("no engine selected has such a kernel on this CPU; give another --kernel, or none");
        }
        Ok(jobs)
    }
}

/// Returns the values that were given or, if there are none, the others.
fn given_or<T: Clone>(given: &[T], others: impl IntoIterator<Item = T>) -> Vec<T> {
    if given.is_empty() { others.into_iter().collect() } else { given.to_vec() }
}

/// Returns 1, 2, 4, ... and `last`.
fn powers_of_two_and(last: u64) -> impl Iterator<Item = u64> {
    let powers = std::iter::successors(Some(1), |power| Some(2 * power));
    powers.take_while(move |&power| power < last).chain([last])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::bench::tests::arguments;
    use nqueens::Engine;

    #[test]
    fn threads_double_up_to_all() {
        for (last, numbers) in [(1, &[1][..]), (2, &[1, 2]), (6, &[1, 2, 4, 6]), (64, &[1, 2, 4, 8, 16, 32, 64])] {
            assert_eq!(powers_of_two_and(last).collect::<Vec<_>>(), numbers);
        }
    }

    #[test]
    fn what_is_asked_for_is_measured_once() {
        let jobs = |line: &str| {
            let jobs = arguments(line).selection.jobs(Engine::ALL).unwrap();
            let job = |job: &Job| format!("{} {} {}", job.board(), job.engine_name(), job.thread_count());
            jobs.iter().map(job).collect::<Vec<_>>()
        };
        assert_eq!(
            jobs("bench --study --boards 9,8,9 --engine backtrack --engine auto --threads 2,1,2"),
            ["8 backtrack 1", "8 backtrack 2", "9 backtrack 1", "9 backtrack 2"]
        );
        assert_eq!(
            jobs("bench --study --boards 8 --kernel scalar --threads 1"),
            ["8 backtrack 1"],
            "two-color has no such kernel"
        );
        assert_eq!(jobs("bench --study --boards 8 --kernel scalar --kernel portable --threads 1").len(), 3);
    }

    #[test]
    fn by_default_every_engine_counts_three_boards_unless_it_lacks_the_kernel() {
        let jobs = |line: &str| arguments(line).selection.jobs(Engine::ALL).unwrap();
        let boards: Vec<usize> = jobs("bench --study --threads 1").iter().map(|job| job.board().size()).collect();
        assert_eq!(boards, [17, 17, 18, 18, 20, 20]);
        let jobs = jobs("bench --study --kernel scalar --threads 1");
        assert!(jobs.len() == 3 && jobs.iter().all(|job| job.engine_name() == "backtrack"), "{jobs:?}");
    }

    #[test]
    fn a_board_beyond_an_engine_is_refused_where_the_engine_is_named() {
        let refused =
            arguments("bench --study --boards 8,30 --engine backtrack --engine two-color").selection.jobs(Engine::ALL);
        let Err(Failure::Usage(message)) = refused else { panic!("it cannot be counted") };
        assert!(message.contains("two-color cannot count N = 30") && message.contains("at most 28"), "{message}");
        let jobs = arguments("bench --study --boards 8,30 --threads 1").selection.jobs(Engine::ALL).unwrap();
        let jobs: Vec<_> = jobs.iter().map(|job| (job.board().size(), job.engine_name())).collect();
        assert_eq!(jobs, [(8, "backtrack"), (8, "two-color"), (30, "backtrack")]);
    }

    #[test]
    fn boards_are_given_one_by_one_or_as_ranges() {
        let sizes = |text: &str| boards(text).map(|boards| boards.iter().map(|board| board.size()).collect::<Vec<_>>());
        assert_eq!(sizes("16"), Ok(vec![16]));
        assert_eq!(sizes("8-11"), Ok(vec![8, 9, 10, 11]));
        assert_eq!(sizes("8-8"), Ok(vec![8]));
        for bad in ["", "x", "-3", "3-", "9-8", "8-33", "0-3", "8-9-10"] {
            assert!(sizes(bad).is_err(), "{bad}");
        }
    }
}
