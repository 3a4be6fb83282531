//! The number of threads that a machine can run.

use super::groups::{self, Version};
use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::time::Duration;

/// The largest number of threads of a count.
pub const MOST_THREADS: usize = 1024;

/// Returns the number of logical CPUs that this process may use: those of the machine, limited by its affinity mask
/// and, on Linux, by the quotas of its control group and of those above it.
pub fn logical_cpus() -> usize {
    let cpus = num_cpus::get();
    cpu_quota().map_or(cpus, |quota| cpus.min(quota.ceil() as usize))
}

/// Returns the share of the time of all CPUs that the control groups of this process leave it, as a number of CPUs;
/// `None` if none has a quota.
pub fn cpu_quota() -> Option<f64> {
    quota_in_groups(Path::new("/"))
}

fn quota_in_groups(root: &Path) -> Option<f64> {
    groups::lowest(root, "cpu", |version, folder| {
        let read = |file: &str| fs::read_to_string(folder.join(file)).ok();
        let limit = match version {
            Version::One => format!("{} {}", read("cpu.cfs_quota_us")?.trim(), read("cpu.cfs_period_us")?),
            Version::Two => read("cpu.max")?,
        };
        // Without a quota, version 2 has the word "max" and version 1 a negative number.
        let (quota, period) = limit.trim().split_once(' ')?;
        let cpus = quota.parse::<f64>().ok()? / period.parse::<f64>().ok()?;
        (cpus > 0.0 && cpus.is_finite()).then_some(cpus)
    })
}

/// Returns the number of physical cores that this process may use: those of the CPUs in its affinity mask, at most
/// [`logical_cpus`]. If the system does not say which cores these are, the number of cores of the machine is used.
pub fn physical_cores() -> usize {
    cores_of_affinity_mask().unwrap_or_else(num_cpus::get_physical).clamp(1, logical_cpus().max(1))
}

/// Returns the CPU time of this thread; `None` if the system does not report it.
pub(crate) fn cpu_time() -> Option<Duration> {
    #[cfg(all(unix, feature = "ledger"))]
    return rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime).try_into().ok();
    #[cfg(not(all(unix, feature = "ledger")))]
    None
}

/// Returns the model of the CPU as it names itself; `None` if the system does not report it.
pub fn cpu_model() -> Option<String> {
    #[cfg(target_os = "linux")]
    return value_in_file("/proc/cpuinfo", "model name");
    #[cfg(not(target_os = "linux"))]
    {
        let mut system = sysinfo::System::new();
        system.refresh_cpu_all();
        system.cpus().first().map(|cpu| cpu.brand().trim().to_owned()).filter(|name| !name.is_empty())
    }
}

/// Returns the value of the first line `name: value` or `name=value` of a file.
pub fn value_in_file(file: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(file).ok()?;
    let value = |line: &str| Some(line.strip_prefix(name)?.trim_start().strip_prefix([':', '='])?.trim().to_owned());
    text.lines().find_map(value).filter(|value| !value.is_empty())
}

/// Returns the number of cores of the CPUs in the affinity mask, if the system names them.
fn cores_of_affinity_mask() -> Option<usize> {
    let cores: Option<HashSet<String>> = affinity_mask()?.into_iter().map(|(_, core)| core).collect();
    Some(cores?.len())
}

/// Returns the CPUs in the affinity mask, each with the CPUs of its core if the system names them. `None` on systems
/// other than Linux.
pub fn affinity_mask() -> Option<Vec<(usize, Option<String>)>> {
    let mask = value_in_file("/proc/thread-self/status", "Cpus_allowed_list")?;
    let core =
        |cpu: usize| fs::read_to_string(format!("/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list")).ok();
    Some(cpus_of_list(&mask)?.into_iter().map(|cpu| (cpu, core(cpu))).collect())
}

/// Reads a list of CPUs such as `0-3,8`.
fn cpus_of_list(list: &str) -> Option<Vec<usize>> {
    let mut cpus = Vec::new();
    for run in list.trim().split(',') {
        let (from, to) = run.split_once('-').unwrap_or((run, run));
        cpus.extend(from.parse::<usize>().ok()?..=to.parse().ok()?);
    }
    Some(cpus)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::groups::tests::root;

    #[test]
    fn lists_of_cpus_are_read() {
        assert_eq!(cpus_of_list("\t0-3,8\n"), Some(vec![0, 1, 2, 3, 8]));
        assert_eq!(cpus_of_list("5"), Some(vec![5]));
        assert_eq!(cpus_of_list(""), None);
        assert_eq!(cpus_of_list("0-x"), None);
    }

    #[test]
    fn the_lowest_quota_of_all_groups_applies() {
        let quota = |files: &[(&str, &str)]| quota_in_groups(root(files).path());
        assert_eq!(quota(&[]), None);
        let own = ("proc/self/cgroup", "1:memory:/x\n0::/slice/job\n");
        let job = |limit| ("sys/fs/cgroup/slice/job/cpu.max", limit);
        let slice = ("sys/fs/cgroup/slice/cpu.max", "150000 100000\n");
        let top = ("sys/fs/cgroup/cpu.max", "400000 100000\n");
        assert_eq!(quota(&[own, job("max 100000\n")]), None);
        assert_eq!(quota(&[own, job("max 100000\n"), slice, top]), Some(1.5));
        assert_eq!(quota(&[own, job("50000 100000\n"), slice, top]), Some(0.5));
        for nonsense in ["", "max", "much 100000", "100000 0", "0 100000", "-1 100000"] {
            assert_eq!(quota(&[own, job(nonsense)]), None, "{nonsense}");
        }
        let own = ("proc/self/cgroup", "3:cpu,cpuacct:/a/b\n0::/x\n");
        let at = |folder: &str, quota| {
            [(format!("{folder}/cpu.cfs_quota_us"), quota), (format!("{folder}/cpu.cfs_period_us"), "100000\n")]
        };
        for top in ["sys/fs/cgroup/cpu", "sys/fs/cgroup/cpu,cpuacct"] {
            let files =
                [at(&format!("{top}/a/b"), "-1\n"), at(&format!("{top}/a"), "100000\n"), at(top, "300000\n")].concat();
            let files: Vec<_> = files.iter().map(|(path, text)| (&**path, *text)).chain([own]).collect();
            assert_eq!(quota(&files), Some(1.0), "{top}");
        }
    }

    #[test]
    fn there_is_a_core_and_a_logical_cpu_for_each() {
        assert!((1..=logical_cpus()).contains(&physical_cores()));
    }
}
