//! The memory that is free for a count.

use super::error::{RunError, bytes_in_words, in_words};
use super::system::{self, Version, value_in};
use crate::board::Board;
use crate::engine::{Counter, DeviceRoom, growth};
use std::fs;
use std::path::{Path, PathBuf};

/// Returns on how many threads, at most `threads`, the plan of a board can be made. The plan of a large board takes
/// memory, and allocators reserve address space for each thread. The units need more.
pub(super) fn threads_for_plan(board: Board, threads: usize) -> Result<usize, RunError> {
    let kinds = || {
        let limited = if cfg!(target_os = "linux") { left_of_limits(Path::new("/")) } else { None };
        [(available(), 8 << 20), (limited, 32 << 20)]
    };
    threads_for_plan_in(kinds, board, threads)
}

/// Returns the number of threads. For each kind of memory, `kinds` has the free bytes and the bytes that a thread
/// takes. Small boards need so little that the system is not asked.
fn threads_for_plan_in(
    kinds: impl FnOnce() -> [(Option<u64>, u64); 2],
    board: Board,
    threads: usize,
) -> Result<usize, RunError> {
    if board.size() < 22 {
        return Ok(threads);
    }
    let fitting = |(free, each): (Option<u64>, u64)| Some(((free? / each).saturating_sub(1), free, each));
    match kinds().into_iter().filter_map(fitting).min() {
        Some((0, available, each)) => {
            let (needed, free) = (2 * each, free_in_words(available));
            let message = format!(
                "the plan of N = {board} alone needs about {} of memory, and {free}; free some, and more for the count",
                bytes_in_words(needed)
            );
            Err(RunError::Memory { message, needed })
        }
        Some((fit, ..)) => Ok(usize::try_from(fit).map_or(threads, |fit| threads.min(fit))),
        None => Ok(threads),
    }
}

/// A count that takes at most so many bytes does not ask the system how many are free, which takes longer than the
/// search of a small board.
const LITTLE: u64 = 16 << 20;

/// Checks that the scratch memory of `threads` workers fits in the free memory. Returns the number of further bytes
/// that the workers may share while they count `units`.
pub(super) fn check(counter: &Counter, threads: usize, units: &[usize]) -> Result<u64, RunError> {
    if let Some(room) = counter.device_room.filter(|room| room.workers < threads) {
        let DeviceRoom { each, workers: most } = room;
        let right = if most > 0 { "give as many or fewer, or more devices" } else { "take another device, or the CPU" };
        let (board, needed, room) = (counter.plan.board(), bytes_in_words(each), in_words(most));
        let message = format!(
            "N = {board} takes about {needed} of a device's memory for each thread, and there is room for {room}; {right}"
        );
        return Err(RunError::Memory { message, needed: each.saturating_mul(threads as u64) });
    }
    let needed = counter.scratch_bytes.saturating_mul(threads as u64);
    let is_little = || counter.units.tables(units, u64::MAX).bytes <= LITTLE - needed;
    let (needed, to_share) = if needed <= LITTLE && is_little() {
        (needed, LITTLE - needed)
    } else {
        check_in(available(), counter, threads)?
    };
    // The system may refuse memory that seems free. Asking for it at once makes an error of that, and not the end of
    // the process.
    let has_room =
        |&shared: &u64| growth::has_room(usize::try_from(needed.saturating_add(shared)).unwrap_or(usize::MAX)).is_ok();
    [to_share, 0].into_iter().find(has_room).ok_or_else(|| lacking(counter, threads, None))
}

/// Returns the error for workers that do not get their scratch memory, of which only `available` bytes are free.
pub(super) fn lacking(counter: &Counter, threads: usize, available: Option<u64>) -> RunError {
    let (board, all) = (counter.plan.board(), counter.scratch_bytes.saturating_mul(threads as u64));
    let [needed, each] = [all, counter.scratch_bytes].map(bytes_in_words);
    let (on, free) = (in_words(threads), free_in_words(available));
    let message = format!(
        "N = {board} on {on} needs about {needed} of memory, {each} for each, and {free}; give fewer threads or free some"
    );
    RunError::Memory { message, needed: all }
}

fn free_in_words(available: Option<u64>) -> String {
    available.map_or("the system gives no more".to_owned(), |free| format!("{} are free", bytes_in_words(free)))
}

/// Returns the bytes that the workers need and the further bytes that they may share, if this much memory is available.
fn check_in(available: Option<u64>, counter: &Counter, threads: usize) -> Result<(u64, u64), RunError> {
    let needed = counter.scratch_bytes.saturating_mul(threads as u64);
    let Some(free) = available else { return Ok((needed, most_shared(1))) };
    if needed > free {
        return Err(lacking(counter, threads, available));
    }
    // The other half is for a count that begins at the same moment.
    Ok((needed, (free / 2).saturating_sub(needed).min(most_shared(threads))))
}

/// Returns the most bytes that workers share: 256 MiB for each worker, and at most 3 GiB.
pub fn most_shared(threads: usize) -> u64 {
    (threads as u64).saturating_mul(256 << 20).min(3 << 30)
}

/// Returns the number of bytes of memory that this process can still use, or `None` if the system does not say. This is
/// the least of four: the free memory of the machine, what control groups leave, what limits of this process leave, and
/// what a pointer can reach.
pub(super) fn available() -> Option<u64> {
    let root = Path::new("/");
    let left = if cfg!(target_os = "linux") { [left_in_groups(root), left_of_limits(root)] } else { [None; 2] };
    let reachable = (usize::BITS < u64::BITS).then_some(isize::MAX as u64);
    free_on_machine(root).into_iter().chain(left.into_iter().flatten()).chain(reachable).min()
}

/// Returns the number of bytes in a line of a file of `proc`.
fn bytes(file: &str, name: &str) -> Option<u64> {
    Some(value_in(file, name)?.strip_suffix("kB")?.trim_end().parse::<u64>().ok()? << 10)
}

/// Returns the number of bytes that are free on this machine.
#[cfg(any(target_os = "linux", test))]
fn free_on_machine(root: &Path) -> Option<u64> {
    bytes(&fs::read_to_string(root.join("proc/meminfo")).ok()?, "MemAvailable")
}

#[cfg(not(any(target_os = "linux", test)))]
fn free_on_machine(_root: &Path) -> Option<u64> {
    let mut system = sysinfo::System::new();
    system.refresh_memory();
    Some(system.available_memory()).filter(|&bytes| bytes > 0)
}

/// Returns true if the limits of this process leave so many bytes of address space, or it has none.
pub(super) fn is_within_limits(bytes: u64) -> bool {
    cfg!(not(target_os = "linux")) || left_of_limits(Path::new("/")).is_none_or(|half| bytes / 2 <= half)
}

/// Returns half of what the limits of address space and of data leave this process, or `None` if it has no limits. The
/// other half is for memory that allocators reserve but do not use, such as 64 MiB for each thread.
fn left_of_limits(root: &Path) -> Option<u64> {
    let read = |file: &str| fs::read_to_string(root.join("proc/self").join(file)).ok();
    let (limits, status) = (read("limits")?, read("status")?);
    let left = |(limit, used)| {
        // The soft limit is first; the word "unlimited" stands for none.
        let limit = limits.lines().find_map(|line| line.strip_prefix(limit))?.split_whitespace().next()?;
        Some(limit.parse::<u64>().ok()?.saturating_sub(bytes(&status, used)?) / 2)
    };
    [("Max address space", "VmSize"), ("Max data size", "VmData")].into_iter().filter_map(left).min()
}

/// From this number on, a limit in version 1 of control groups means none. The number that stands for none depends on
/// the page size: 2⁶³ less the rest of a page.
const NO_LIMIT: u64 = 1 << 62;

/// Returns the number of bytes that the control groups of this process leave it, or `None` if no group has a limit.
fn left_in_groups(root: &Path) -> Option<u64> {
    system::groups(root, "memory").into_iter().filter_map(left_in_group).min()
}

/// Returns the number of bytes that a group leaves its processes, or `None` if it has no limit.
fn left_in_group((version, folder): (Version, PathBuf)) -> Option<u64> {
    // The names of two files, and of the entries in `memory.stat` for memory that the system can reclaim.
    let (limit, usage, reclaimable): (_, _, &[&str]) = match version {
        Version::One => {
            ("memory.limit_in_bytes", "memory.usage_in_bytes", &["total_active_file", "total_inactive_file"])
        }
        Version::Two => ("memory.max", "memory.current", &["active_file", "inactive_file", "slab_reclaimable"]),
    };
    let number = |name: &str| fs::read_to_string(folder.join(name)).ok()?.trim().parse::<u64>().ok();
    // Without a limit, version 2 has the word "max" and version 1 a number larger than any memory. The kernel is then
    // not asked to add up the used memory.
    let limit = number(limit).filter(|&limit| limit < NO_LIMIT)?;
    let reclaimable = fs::read_to_string(folder.join("memory.stat")).map_or(0, |stat| {
        let numbers = stat.lines().filter_map(|line| line.split_once(' '));
        let given_up = numbers.filter(|(name, _)| reclaimable.contains(name));
        given_up.filter_map(|(_, bytes)| bytes.trim().parse::<u64>().ok()).sum()
    });
    Some(limit.saturating_sub(number(usage).unwrap_or(0).saturating_sub(reclaimable)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cancel::Cancel;
    use crate::engine::{Engine, Settings};
    use crate::run::system::tests::root;

    fn left(files: &[(&str, &str)]) -> Option<u64> {
        left_in_groups(root(files).path())
    }

    /// Slurm and systemd make no namespace, so that the limit may belong to any group above. In a container the path is
    /// the host's, and the folder is the container's.
    #[test]
    fn the_group_that_leaves_least_counts_wherever_it_is() {
        let own = ("proc/self/cgroup", "0::/slice/job_7/step_0\n");
        let step = [
            ("sys/fs/cgroup/slice/job_7/step_0/memory.max", "max\n"),
            ("sys/fs/cgroup/slice/job_7/step_0/memory.current", "50\n"),
        ];
        for (job, slice, free) in [
            ("1000\n", "max\n", Some(940)),
            ("1000\n", "1000\n", Some(100)),
            ("max\n", "1000\n", Some(100)),
            // By now more is used than the limit allows.
            ("max\n", "800\n", Some(0)),
            ("max\n", "max\n", None),
        ] {
            let above = [
                ("sys/fs/cgroup/slice/job_7/memory.max", job),
                ("sys/fs/cgroup/slice/job_7/memory.current", "60\n"),
                ("sys/fs/cgroup/slice/memory.max", slice),
                ("sys/fs/cgroup/slice/memory.current", "900\n"),
            ];
            assert_eq!(left(&[&[own], &step[..], &above].concat()), free, "{job}{slice}");
        }
        let limit = [("sys/fs/cgroup/memory.max", "1000\n"), ("sys/fs/cgroup/memory.current", "900\n")];
        assert_eq!(left(&[&[("proc/self/cgroup", "0::/docker/0123abc\n")], &limit[..]].concat()), Some(100));
        // Memory that the system can reclaim counts as free.
        let stat = "anon 100\nfile 700\nshmem 50\nactive_file 300\ninactive_file 350\nslab_reclaimable 20\n";
        let stat = ("sys/fs/cgroup/memory.stat", stat);
        assert_eq!(left(&[&[("proc/self/cgroup", "0::/\n"), stat], &limit[..]].concat()), Some(1000 - (900 - 670)));
    }

    fn counter(size: usize) -> Counter {
        Engine::TwoColor.prepare(Board::new(size).unwrap(), &Settings::default(), &Cancel::new()).unwrap()
    }

    /// Two counts that begin at the same moment take no more than there is.
    #[test]
    fn a_count_shares_what_is_needed_and_no_more_than_half_of_the_memory() {
        let counter = counter(20);
        let to_share = |available, threads| check_in(Some(available), &counter, threads).unwrap().1;
        let needed = 4 * counter.scratch_bytes;
        assert_eq!(to_share(needed, 4), 0);
        assert_eq!(to_share(2 * needed + 100, 4), 50);
        assert_eq!([1, 4, 64].map(|threads| to_share(1 << 40, threads)), [256 << 20, 1 << 30, 3 << 30]);
        assert!(check_in(Some(needed - 1), &counter, 4).is_err());
        let units = counter.plan.longest_first();
        let shared = counter.units.tables(&units, u64::MAX).bytes;
        assert!((1 << 20..128 << 20).contains(&shared) && counter.units.tables(&units, shared / 2).bytes <= shared / 2);
    }

    #[test]
    fn the_largest_board_fits_two_gigabytes_for_each_thread() {
        let counter = counter(28);
        assert!(check_in(Some(115 << 30), &counter, 64).is_ok(), "64 CPUs with 128 GB");
        let refused = check_in(Some(60 << 30), &counter, 64).unwrap_err().to_string();
        assert!(refused.starts_with("N = 28 on 64 threads needs about "), "{refused}");
        assert!(refused.contains(" for each, and 60.0 GiB are free; "), "{refused}");
    }

    #[test]
    fn what_the_plan_takes_is_not_said_to_be_what_the_count_takes() {
        let board = |size| Board::new(size).unwrap();
        let plan = |free: Option<u64>, limits: Option<u64>, size| {
            threads_for_plan_in(|| [(free, 8 << 20), (limits, 32 << 20)], board(size), 8)
        };
        let threads = |megabytes: u64| plan(Some(megabytes << 20), None, 24);
        assert_eq!([16, 25, 32, 1 << 20].map(|megabytes| threads(megabytes).unwrap()), [1, 2, 3, 8]);
        assert_eq!(plan(Some(0), None, 21).unwrap(), 8);
        assert_eq!(plan(None, None, 24).unwrap(), 8);
        // Allocators reserve address space for each thread.
        assert_eq!(plan(Some(1 << 40), Some(100 << 20), 24).unwrap(), 2);
        assert!(plan(Some(1 << 40), Some(63 << 20), 24).is_err());
        let refused = threads(15).unwrap_err().to_string();
        let expected = "the plan of N = 24 alone needs about 16.0 MiB of memory, and 15.0 MiB are free; free some, and more for the count";
        assert_eq!(refused, expected);
    }

    #[test]
    fn limits_of_this_process_leave_half_of_what_it_has_not_used() {
        let limits = |space, data| {
            format!(
                "Limit  Soft Limit  Hard Limit  Units\nMax data size  {data}  9 bytes\nMax address space  {space}  unlimited bytes\n"
            )
        };
        let left = |limits: &str| {
            let files = [("proc/self/limits", limits), ("proc/self/status", "VmSize:\t  4 kB\nVmData:\t  1 kB\n")];
            left_of_limits(root(&files).path())
        };
        assert_eq!(left(&limits("6096", "unlimited")), Some(1000));
        assert_eq!(left(&limits("6096", "2024")), Some(500));
        assert_eq!(left(&limits("4000", "unlimited")), Some(0));
        assert_eq!(left(&limits("unlimited", "unlimited")), None);
    }

    #[test]
    fn the_free_memory_of_a_machine_is_read() {
        let of = |text| free_on_machine(root(&[("proc/meminfo", text)]).path());
        assert_eq!(of("MemTotal:  100 kB\nMemFree: 5 kB\nMemAvailable:       7 kB\n"), Some(7 << 10));
        assert_eq!(of("MemTotal:  100 kB\n"), None);
    }

    #[test]
    fn version_1_has_limits_as_well() {
        let cgroup = "12:cpuset:/other\n5:cpu,memory:/slurm/job_7\n0::/init.scope\n";
        let files = [
            ("proc/self/cgroup", cgroup),
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"),
            ("sys/fs/cgroup/memory/memory.usage_in_bytes", "7000\n"),
            ("sys/fs/cgroup/memory/slurm/job_7/memory.limit_in_bytes", "1000\n"),
            ("sys/fs/cgroup/memory/slurm/job_7/memory.usage_in_bytes", "500\n"),
            ("sys/fs/cgroup/memory/slurm/job_7/memory.stat", "total_active_file 30\ntotal_inactive_file 40\n"),
            ("sys/fs/cgroup/memory/other/memory.limit_in_bytes", "100\n"),
            ("sys/fs/cgroup/memory/other/memory.usage_in_bytes", "0\n"),
        ];
        assert_eq!(left(&files), Some(570));
        assert_eq!(left(&files[1..3]), None, "no group is known");
        assert_eq!(left(&[("proc/self/cgroup", "5:memory:/\n"), files[1], files[2]]), None, "no group has a limit");
        // Where nothing is said, nothing is known.
        assert_eq!(left(&[]), None);
        assert_eq!(left(&[("proc/self/cgroup", "nonsense\n::\n0::\n")]), None);
        assert_eq!(left(&[("proc/self/cgroup", "0::/a\n"), ("sys/fs/cgroup/a/memory.max", "much\n")]), None);
    }
}
