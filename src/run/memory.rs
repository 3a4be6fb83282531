//! The memory that is free for a count.

use super::error::RunError;
use crate::engine::Counter;
use std::fs;
use std::path::Path;

/// The most memory that workers share, in bytes.
const MOST_SHARED: u64 = 3 << 30;

/// The memory that workers share where the system does not say how much is free, in bytes.
const SHARED_UNSEEN: u64 = 128 << 20;

/// Checks that the scratch memory of `threads` workers fits in the free memory. Returns the number of bytes that they
/// may share besides.
pub fn check(counter: &dyn Counter, threads: usize) -> Result<u64, RunError> {
    let needed = counter.scratch_bytes().saturating_mul(threads as u64);
    match available() {
        None => Ok(SHARED_UNSEEN),
        Some(available) if needed > available => {
            Err(RunError::Memory { board: counter.plan().board(), threads, needed, available })
        }
        Some(available) => Ok(to_share(available, needed)),
    }
}

/// Returns the number of bytes that workers may share: a quarter of those that are available, and no more than are left
/// by those that they need.
fn to_share(available: u64, needed: u64) -> u64 {
    (available / 4).min(available.saturating_sub(needed)).min(MOST_SHARED)
}

/// Returns the number of bytes of memory that this process can still use, or `None` if the system does not say. This is
/// the lower of two limits: the free memory of the machine and the memory left in the control groups of this process.
pub fn available() -> Option<u64> {
    let root = Path::new("/");
    let of_groups = if cfg!(target_os = "linux") { left_in_groups(root) } else { None };
    of_machine(root).into_iter().chain(of_groups).min()
}

/// Returns the number of bytes that are free on this machine.
#[cfg(any(target_os = "linux", test))]
fn of_machine(root: &Path) -> Option<u64> {
    let info = fs::read_to_string(root.join("proc/meminfo")).ok()?;
    let available = info.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    Some(available.trim().strip_suffix("kB")?.trim_end().parse::<u64>().ok()? << 10)
}

#[cfg(not(any(target_os = "linux", test)))]
fn of_machine(_root: &Path) -> Option<u64> {
    let mut system = sysinfo::System::new();
    system.refresh_memory();
    Some(system.available_memory()).filter(|&bytes| bytes > 0)
}

/// A limit from which on version 1 of control groups means that there is none: its own number for that, 2⁶³ less the
/// rest of a page, depends on the size of pages.
const NO_LIMIT: u64 = 1 << 62;

/// A version of control groups: the names of its files.
struct Kind {
    /// The folder of the topmost group.
    top: &'static str,
    limit: &'static str,
    usage: &'static str,
    /// The names of the entries in `memory.stat` that count memory which the system can reclaim.
    reclaimable: &'static [&'static str],
}

const VERSION_1: Kind = Kind {
    top: "sys/fs/cgroup/memory",
    limit: "memory.limit_in_bytes",
    usage: "memory.usage_in_bytes",
    reclaimable: &["total_active_file", "total_inactive_file"],
};

const VERSION_2: Kind = Kind {
    top: "sys/fs/cgroup",
    limit: "memory.max",
    usage: "memory.current",
    reclaimable: &["active_file", "inactive_file", "slab_reclaimable"],
};

/// Returns the number of bytes that the control groups of this process leave it, or `None` if no group has a limit. The
/// lowest value of its own group and all groups above it applies.
///
/// In a container some of these groups may not be visible. Only the visible ones are considered.
fn left_in_groups(root: &Path) -> Option<u64> {
    let groups = fs::read_to_string(root.join("proc/self/cgroup")).ok()?;
    // Each line is "number:controllers:path", with commas between controllers. Version 2 has the number 0 and no
    // controllers.
    let lines = groups.lines().filter_map(|line| {
        let (number, rest) = line.split_once(':')?;
        let (controllers, group) = rest.split_once(':')?;
        let of_memory = controllers.split(',').any(|controller| controller == "memory");
        let kind = if (number, controllers) == ("0", "") { Some(&VERSION_2) } else { of_memory.then_some(&VERSION_1) };
        kind.zip(Some(group.trim_matches('/')))
    });
    let left = |(kind, group): (&Kind, &str)| {
        let top = root.join(kind.top);
        let group = top.join(group);
        group.ancestors().take_while(|folder| folder.starts_with(&top)).filter_map(|folder| kind.left(folder)).min()
    };
    lines.filter_map(left).min()
}

impl Kind {
    /// Returns the number of bytes that a group leaves its processes, or `None` if it has no limit.
    fn left(&self, folder: &Path) -> Option<u64> {
        let number = |name: &str| fs::read_to_string(folder.join(name)).ok()?.trim().parse::<u64>().ok();
        // Without a limit, version 2 has the word "max" and version 1 a number larger than any memory. Then what is used
        // does not matter, and the kernel is not asked to add it up.
        let limit = number(self.limit).filter(|&limit| limit < NO_LIMIT)?;
        let reclaimable = fs::read_to_string(folder.join("memory.stat")).map_or(0, |stat| {
            let numbers = stat.lines().filter_map(|line| line.split_once(' '));
            let given_up = numbers.filter(|(name, _)| self.reclaimable.contains(name));
            given_up.filter_map(|(_, bytes)| bytes.trim().parse::<u64>().ok()).sum()
        });
        Some(limit.saturating_sub(number(self.usage).unwrap_or(0).saturating_sub(reclaimable)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates a root folder with these files.
    fn root(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        root
    }

    fn left(files: &[(&str, &str)]) -> Option<u64> {
        left_in_groups(root(files).path())
    }

    /// Slurm and systemd make no namespace, so the limit may be that of any group above.
    #[test]
    fn the_group_that_leaves_least_counts_wherever_it_is() {
        let inner = "sys/fs/cgroup/system.slice/slurmstepd.scope/job_7/step_0";
        let files = |job: &'static str, slice: &'static str| {
            [
                ("proc/self/cgroup", "0::/system.slice/slurmstepd.scope/job_7/step_0\n".to_owned()),
                (&*format!("{inner}/memory.max"), "max\n".to_owned()),
                (&*format!("{inner}/memory.current"), "50\n".to_owned()),
                ("sys/fs/cgroup/system.slice/slurmstepd.scope/job_7/memory.max", job.to_owned()),
                ("sys/fs/cgroup/system.slice/slurmstepd.scope/job_7/memory.current", "60\n".to_owned()),
                ("sys/fs/cgroup/system.slice/memory.max", slice.to_owned()),
                ("sys/fs/cgroup/system.slice/memory.current", "900\n".to_owned()),
            ]
            .map(|(path, text)| (path.to_owned(), text))
        };
        let left = |job, slice| {
            let files = files(job, slice);
            left(&files.each_ref().map(|(path, text)| (&**path, &**text)))
        };
        assert_eq!(left("1000\n", "max\n"), Some(940));
        assert_eq!(left("1000\n", "1000\n"), Some(100));
        assert_eq!(left("max\n", "1000\n"), Some(100));
        assert_eq!(left("max\n", "800\n"), Some(0), "more is used than the limit allows by now");
        assert_eq!(left("max\n", "max\n"), None);
    }

    #[test]
    fn a_part_of_the_memory_is_shared() {
        const GIB: u64 = 1 << 30;
        assert_eq!(to_share(8 * GIB, GIB), 2 * GIB);
        assert_eq!(to_share(8 * GIB, 7 * GIB), GIB);
        assert_eq!(to_share(8 * GIB, 8 * GIB), 0);
        assert_eq!(to_share(1000 * GIB, GIB), MOST_SHARED);
    }

    #[test]
    fn the_free_memory_of_a_machine_is_read() {
        let of = |text| of_machine(root(&[("proc/meminfo", text)]).path());
        assert_eq!(of("MemTotal:  100 kB\nMemFree: 5 kB\nMemAvailable:       7 kB\n"), Some(7 << 10));
        assert_eq!(of("MemTotal:  100 kB\n"), None);
    }

    #[test]
    fn what_can_be_given_up_is_not_in_the_way() {
        let stat = "anon 100\nfile 700\nshmem 50\nactive_file 300\ninactive_file 350\nslab_reclaimable 20\n";
        let files = [
            ("proc/self/cgroup", "0::/\n"),
            ("sys/fs/cgroup/memory.max", "1000\n"),
            ("sys/fs/cgroup/memory.current", "900\n"),
            ("sys/fs/cgroup/memory.stat", stat),
        ];
        assert_eq!(left(&files), Some(1000 - (900 - 670)));
    }

    /// The path is the host's, the folder is the container's.
    #[test]
    fn a_container_has_the_limit_that_it_can_see() {
        let files = [
            ("proc/self/cgroup", "0::/docker/0123abc\n"),
            ("sys/fs/cgroup/memory.max", "1000\n"),
            ("sys/fs/cgroup/memory.current", "400\n"),
        ];
        assert_eq!(left(&files), Some(600));
    }

    #[test]
    fn version_1_has_limits_as_well() {
        let cgroup = "12:cpuset:/\n5:cpu,memory:/slurm/job_7\n0::/init.scope\n";
        let files = [
            ("proc/self/cgroup", cgroup),
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"),
            ("sys/fs/cgroup/memory/memory.usage_in_bytes", "7000\n"),
            ("sys/fs/cgroup/memory/slurm/job_7/memory.limit_in_bytes", "1000\n"),
            ("sys/fs/cgroup/memory/slurm/job_7/memory.usage_in_bytes", "500\n"),
            ("sys/fs/cgroup/memory/slurm/job_7/memory.stat", "total_active_file 30\ntotal_inactive_file 40\n"),
        ];
        assert_eq!(left(&files), Some(570));
        assert_eq!(left(&files[1..3]), None, "no group is known");
        assert_eq!(left(&[("proc/self/cgroup", "5:memory:/\n"), files[1], files[2]]), None, "no group has a limit");
    }

    #[test]
    fn where_nothing_is_said_nothing_is_known() {
        assert_eq!(left(&[]), None);
        assert_eq!(left(&[("proc/self/cgroup", "nonsense\n::\n0::\n")]), None);
        assert_eq!(left(&[("proc/self/cgroup", "0::/a\n"), ("sys/fs/cgroup/a/memory.max", "much\n")]), None);
    }
}
