//! The number of threads that a machine can run.

use std::collections::HashSet;
use std::fs;

/// The largest number of threads of a count.
pub const MOST_THREADS: usize = 1024;

/// Returns the number of logical CPUs that this process may use: those of the machine, limited by its affinity mask
/// and, on Linux, by the quota of its control group.
pub fn logical_cpus() -> usize {
    num_cpus::get()
}

/// Returns the number of physical cores that this process may use: those of the CPUs in its affinity mask, at most
/// [`logical_cpus`]. If the system does not say which cores these are, the number of cores of the machine is used.
pub fn physical_cores() -> usize {
    cores_of_affinity_mask().unwrap_or_else(num_cpus::get_physical).clamp(1, logical_cpus().max(1))
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

    #[test]
    fn lists_of_cpus_are_read() {
        assert_eq!(cpus_of_list("\t0-3,8\n"), Some(vec![0, 1, 2, 3, 8]));
        assert_eq!(cpus_of_list("5"), Some(vec![5]));
        assert_eq!(cpus_of_list(""), None);
        assert_eq!(cpus_of_list("0-x"), None);
    }

    #[test]
    fn there_is_a_core_and_a_logical_cpu_for_each() {
        assert!((1..=logical_cpus()).contains(&physical_cores()));
    }
}
