//! The number of threads that a machine can run.

use super::system::{self, Version};
use std::fs;
use std::path::Path;
use std::time::Duration;

/// The largest number of threads of a count.
pub(super) const MOST_THREADS: usize = 1024;

/// Returns the number of logical CPUs that this process may use: the CPUs of the machine, limited by the affinity mask
/// and, on Linux, by the quotas of this process's control group and of the groups above.
pub fn logical_cpus() -> usize {
    let cpus = num_cpus::get();
    cpu_quota().map_or(cpus, |quota| (1..cpus).find(|&fewer| fewer as f64 >= quota).unwrap_or(cpus))
}

/// Returns the number of threads to count with unless another is asked for: one for each logical CPU, at most
/// `MOST_THREADS`.
pub fn default_threads() -> usize {
    logical_cpus().min(MOST_THREADS)
}

/// Returns the share of the time of all CPUs that the control groups leave this process, as a number of CPUs; `None` if
/// no group has a quota.
fn cpu_quota() -> Option<f64> {
    quota_in_groups(Path::new("/"))
}

fn quota_in_groups(root: &Path) -> Option<f64> {
    let quotas = system::groups(root, "cpu").into_iter().filter_map(|(version, folder)| {
        let read = |file: &str| fs::read_to_string(folder.join(file)).ok();
        let limit = match version {
            Version::One => format!("{} {}", read("cpu.cfs_quota_us")?.trim(), read("cpu.cfs_period_us")?),
            Version::Two => read("cpu.max")?,
        };
        // Version 2 writes the word "max" if there is no quota, and version 1 a negative number.
        let (quota, period) = limit.trim().split_once(' ')?;
        let cpus = quota.parse::<f64>().ok()? / period.parse::<f64>().ok()?;
        (cpus > 0.0 && cpus.is_finite()).then_some(cpus)
    });
    quotas.reduce(f64::min)
}

/// Returns the number of CPUs whose time this process can have. It is fractional if there is a quota.
pub fn cpus() -> f64 {
    let all = logical_cpus() as f64;
    cpu_quota().map_or(all, |quota| quota.min(all))
}

/// Returns the CPU time of this thread; `None` if the system does not report it.
pub(super) fn thread_cpu_time() -> Option<Duration> {
    #[cfg(all(unix, feature = "ledger"))]
    return rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime).try_into().ok();
    #[cfg(not(all(unix, feature = "ledger")))]
    None
}

/// Returns the CPU time of this process, over all its threads; `None` if the system does not report it.
pub fn process_cpu_time() -> Option<Duration> {
    #[cfg(all(unix, feature = "ledger"))]
    return rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime).try_into().ok();
    #[cfg(not(all(unix, feature = "ledger")))]
    None
}

/// Returns the name that the CPU gives itself, on Linux with the numbers of its model: `AMD EPYC (family 26, model 2,
/// stepping 1)`. A CPU without a name is called by its architecture. `None` if the system reports neither.
pub fn cpu_model() -> Option<String> {
    #[cfg(target_os = "linux")]
    return model_in(&fs::read_to_string("/proc/cpuinfo").ok()?);
    #[cfg(not(target_os = "linux"))]
    {
        let mut system = sysinfo::System::new();
        system.refresh_cpu_all();
        system.cpus().first().map(|cpu| cpu.brand().trim().to_owned()).filter(|name| !name.is_empty())
    }
}

/// Returns the name and the numbers of the first CPU from the text of `/proc/cpuinfo`.
#[cfg(target_os = "linux")]
fn model_in(cpuinfo: &str) -> Option<String> {
    /// The numbers of a model, first for x86-64 and then for ARM.
    const NUMBERS: [&str; 7] =
        ["cpu family", "model", "stepping", "CPU implementer", "CPU part", "CPU variant", "CPU revision"];
    let number = |field: &&str| Some(format!("{} {}", field.rsplit(' ').next()?, system::value_in(cpuinfo, field)?));
    let (name, numbers) =
        (system::value_in(cpuinfo, "model name"), NUMBERS.iter().filter_map(number).collect::<Vec<_>>());
    if numbers.is_empty() {
        return name;
    }
    Some(format!("{} ({})", name.as_deref().unwrap_or(std::env::consts::ARCH), numbers.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::system::tests::root;

    #[test]
    fn every_cpu_that_this_process_may_use_gets_a_thread() {
        let granted = std::thread::available_parallelism().unwrap().get();
        assert!((granted..=num_cpus::get()).contains(&logical_cpus()));
        assert_eq!(default_threads(), logical_cpus());
        assert!((logical_cpus() as f64 - cpus()).abs() < 1.0);
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
        assert_eq!(quota(&[own, job("300000 100000\n"), slice]), Some(1.5), "that of a group above");
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
    #[cfg(target_os = "linux")]
    fn a_cpu_is_called_by_its_name_and_its_numbers() {
        let x86 = "processor\t: 0\ncpu family\t: 25\nmodel\t\t: 1\nmodel name\t: AMD EPYC\nstepping\t: 0\n\n\
                   processor\t: 1\nmodel\t\t: 9\n";
        assert_eq!(model_in(x86).unwrap(), "AMD EPYC (family 25, model 1, stepping 0)");
        let nameless = x86.replace("AMD EPYC", "");
        assert_eq!(
            model_in(&nameless).unwrap(),
            format!("{} (family 25, model 1, stepping 0)", std::env::consts::ARCH)
        );
        let arm =
            "CPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x3\nCPU part\t: 0xd40\nCPU revision\t: 1\n";
        assert!(model_in(arm).unwrap().ends_with("(implementer 0x41, part 0xd40, variant 0x3, revision 1)"));
        assert_eq!(model_in("model name: ARM\n").as_deref(), Some("ARM"));
        assert_eq!(model_in(""), None);
        assert_eq!(cpu_model(), model_in(&fs::read_to_string("/proc/cpuinfo").unwrap()));
    }

    #[test]
    #[cfg(all(unix, feature = "ledger"))]
    fn cpu_time_grows_with_work() {
        let (before, of_thread) = (process_cpu_time().unwrap(), thread_cpu_time().unwrap());
        let start = std::time::Instant::now();
        while start.elapsed() < Duration::from_millis(20) {}
        assert!(process_cpu_time().unwrap() > before && thread_cpu_time().unwrap() > of_thread);
    }
}
