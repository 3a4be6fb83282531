//! Threads that stay on a CPU each.

use crate::run::BeginThread;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Pins every thread that begins to a CPU, physical cores first; where there are more threads than CPUs, they are dealt round.
pub(crate) struct Pinning {
    pub(crate) begin: BeginThread,
    /// The CPUs that there are.
    pub(crate) cpus: usize,
    /// True once a thread was left where it was, because its CPU has been taken away meanwhile: slower perhaps, but not wrong.
    failed: Arc<AtomicBool>,
}

impl Pinning {
    /// Returns true if every thread until now is on the CPU that it was given.
    pub(crate) fn held(&self) -> bool {
        !self.failed.load(Ordering::Relaxed)
    }
}

/// Returns what pins threads.
///
/// # Errors
/// When the system does not let threads be pinned, why.
pub(crate) fn pinning() -> Result<Pinning, String> {
    supported::pinning()
}

#[cfg(target_os = "linux")]
mod supported {
    use super::{Pinning, physical_first};
    use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
    use nix::unistd::Pid;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    pub(super) fn pinning() -> Result<Pinning, String> {
        let this = Pid::from_raw(0);
        let allowed = sched_getaffinity(this).map_err(|error| error.to_string())?;
        let allowed = (0..CpuSet::count()).filter(|&cpu| allowed.is_set(cpu).unwrap_or(false));
        let cpus = physical_first(&allowed.map(|cpu| (cpu, core(cpu))).collect::<Vec<_>>());
        // Whether threads may be pinned at all shows on one that has nothing else to do.
        let first = *cpus.first().ok_or("this process has no CPU")?;
        let trial = std::thread::Builder::new().spawn(move || pin(first)).map_err(|error| error.to_string())?;
        trial.join().map_err(|_| "the trial came to no end".to_owned())?.map_err(|error| error.to_string())?;
        Ok(round(cpus))
    }

    /// Pinning that deals threads round to these CPUs.
    pub(super) fn round(cpus: Vec<usize>) -> Pinning {
        let (number, failed) = (cpus.len(), Arc::new(AtomicBool::new(false)));
        let failure = Arc::clone(&failed);
        let begin = Arc::new(move |index| {
            if pin(cpus[index % cpus.len()]).is_err() {
                failure.store(true, Ordering::Relaxed);
            }
        });
        Pinning { begin, cpus: number, failed }
    }

    fn pin(cpu: usize) -> nix::Result<()> {
        let mut set = CpuSet::new();
        set.set(cpu)?;
        sched_setaffinity(Pid::from_raw(0), &set)
    }

    /// The package and the core that a CPU belongs to. Where the system does not say, it is one of its own.
    fn core(cpu: usize) -> (usize, usize) {
        let number = |name: &str| {
            let file = format!("/sys/devices/system/cpu/cpu{cpu}/topology/{name}");
            std::fs::read_to_string(file).ok()?.trim().parse().ok()
        };
        number("physical_package_id").zip(number("core_id")).unwrap_or((usize::MAX, cpu))
    }
}

#[cfg(not(target_os = "linux"))]
mod supported {
    use super::Pinning;

    pub(super) fn pinning() -> Result<Pinning, String> {
        Err("only Linux lets this program do it".to_owned())
    }
}

/// CPUs with their cores, in an order that has one CPU of each core before a second of any.
#[cfg(any(target_os = "linux", test))]
fn physical_first(cpus: &[(usize, (usize, usize))]) -> Vec<usize> {
    let mut places: Vec<(usize, usize)> = cpus
        .iter()
        .enumerate()
        .map(|(index, (cpu, core))| (cpus[..index].iter().filter(|(_, other)| other == core).count(), *cpu))
        .collect();
    places.sort_unstable();
    places.into_iter().map(|(_, cpu)| cpu).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_core_has_a_thread_before_one_has_two() {
        let neighbours = [(0, (0, 0)), (1, (0, 0)), (2, (0, 1)), (3, (0, 1)), (4, (1, 0)), (5, (1, 0))];
        assert_eq!(physical_first(&neighbours), [0, 2, 4, 1, 3, 5]);
        let halves = [(0, (0, 0)), (1, (0, 1)), (2, (0, 0)), (3, (0, 1))];
        assert_eq!(physical_first(&halves), [0, 1, 2, 3]);
        assert!(physical_first(&[]).is_empty());
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_pinned_thread_has_one_cpu() {
        let pinning = pinning().unwrap();
        assert_eq!(pinning.cpus, crate::run::logical_cpus());
        let begin = pinning.begin.clone();
        let cpus = std::thread::spawn(move || {
            begin(0);
            crate::run::logical_cpus()
        });
        assert_eq!(cpus.join().unwrap(), 1);
        assert!(pinning.held());
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_cpu_that_is_not_there_is_noticed() {
        let pinning = supported::round(vec![nix::sched::CpuSet::count() - 1]);
        let begin = pinning.begin.clone();
        std::thread::spawn(move || begin(0)).join().unwrap();
        assert!(!pinning.held());
    }
}
