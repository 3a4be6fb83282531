//! Pinning: keeps each thread on one CPU.

use nqueens::run::Job;
use std::sync::Arc;

/// Assigns threads to CPUs, physical cores first; with more threads than CPUs, in turn.
pub(crate) struct Pinner {
    cpus: Arc<[usize]>,
}

impl Pinner {
    /// Finds the CPUs that this process may use.
    ///
    /// # Errors
    /// If the system does not support pinning or refuses it; the reason.
    pub(crate) fn new() -> Result<Self, String> {
        let cpus = physical_first(&system::cpus()?);
        // Only an attempt shows whether pinning is allowed. A thread of its own leaves this one unpinned.
        let all = cpus.clone();
        let trial = std::thread::Builder::new().spawn(move || all.into_iter().try_for_each(system::pin));
        trial.map_err(|error| error.to_string())?.join().map_err(|_| "the probing thread panicked".to_owned())??;
        Ok(Self { cpus: cpus.into() })
    }

    /// Returns the number of CPUs.
    pub(crate) fn cpus(&self) -> usize {
        self.cpus.len()
    }

    /// Pins the threads of these counts.
    pub(crate) fn pin(&self, jobs: &mut [Job]) {
        for job in jobs {
            let cpus = Arc::clone(&self.cpus);
            // A CPU that was taken away since leaves the thread where it is: slower perhaps, but not wrong.
            job.begin_thread = Some(Arc::new(move |index| drop(system::pin(cpus[index % cpus.len()]))));
        }
    }
}

/// A logical CPU and its core: the numbers of the package and of the core in it.
type Cpu = (usize, (usize, usize));

/// Orders CPUs so that one of each core comes before a second one of any.
fn physical_first(cpus: &[Cpu]) -> Vec<usize> {
    let rank =
        |(index, (cpu, core)): (usize, &Cpu)| (cpus[..index].iter().filter(|(_, other)| other == core).count(), *cpu);
    let mut ranked: Vec<_> = cpus.iter().enumerate().map(rank).collect();
    ranked.sort_unstable();
    ranked.into_iter().map(|(_, cpu)| cpu).collect()
}

#[cfg(target_os = "linux")]
mod system {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

    /// Returns the CPUs that this process may use, with their cores.
    pub(super) fn cpus() -> Result<Vec<super::Cpu>, String> {
        let allowed = sched_getaffinity(None).map_err(|error| error.to_string())?;
        let allowed = (0..CpuSet::MAX_CPU).filter(|&cpu| allowed.is_set(cpu));
        Ok(allowed.map(|cpu| (cpu, core(cpu))).collect())
    }

    /// Pins this thread to a CPU.
    pub(super) fn pin(cpu: usize) -> Result<(), String> {
        let mut set = CpuSet::new();
        set.set(cpu);
        sched_setaffinity(None, &set).map_err(|error| error.to_string())
    }

    /// Returns the package and the core of a CPU. Where the system does not name them, the CPU counts as a core.
    fn core(cpu: usize) -> (usize, usize) {
        let number = |name: &str| {
            let file = format!("/sys/devices/system/cpu/cpu{cpu}/topology/{name}");
            std::fs::read_to_string(file).ok()?.trim().parse().ok()
        };
        number("physical_package_id").zip(number("core_id")).unwrap_or((usize::MAX, cpu))
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    const UNSUPPORTED: &str = "it is supported on Linux only";

    pub(super) fn cpus() -> Result<Vec<super::Cpu>, String> {
        Err(UNSUPPORTED.to_owned())
    }

    pub(super) fn pin(_cpu: usize) -> Result<(), String> {
        Err(UNSUPPORTED.to_owned())
    }
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
        let pinner = Pinner::new().unwrap();
        assert_eq!(pinner.cpus(), nqueens::run::logical_cpus());
        let mut jobs = [Job::new(nqueens::Board::new(8).unwrap())];
        pinner.pin(&mut jobs);
        let begin = jobs[0].begin_thread.clone().unwrap();
        let cpus = std::thread::spawn(move || {
            begin(0);
            nqueens::run::logical_cpus()
        });
        assert_eq!(cpus.join().unwrap(), 1);
    }
}
