//! Pinning: keeps each thread on one CPU.

use nqueens::run::{Job, affinity_mask};
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
        let cpus = physical_first(&affinity_mask().ok_or(UNSUPPORTED)?);
        // Only an attempt shows whether pinning is allowed. A thread of its own leaves this one unpinned.
        let all = cpus.clone();
        let trial = std::thread::Builder::new().spawn(move || all.into_iter().try_for_each(pin));
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
            job.begin_thread = Some(Arc::new(move |index| drop(pin(cpus[index % cpus.len()]))));
        }
    }
}

/// Orders CPUs, given with their cores, so that one of each core comes before a second one of any. A CPU whose core is
/// not known counts as one.
fn physical_first(cpus: &[(usize, Option<String>)]) -> Vec<usize> {
    let rank = |(index, (cpu, core)): (usize, &(usize, Option<String>))| {
        (cpus[..index].iter().filter(|(_, other)| core.is_some() && other == core).count(), *cpu)
    };
    let mut ranked: Vec<_> = cpus.iter().enumerate().map(rank).collect();
    ranked.sort_unstable();
    ranked.into_iter().map(|(_, cpu)| cpu).collect()
}

/// The reason where the system does not name the CPUs.
const UNSUPPORTED: &str = "it is supported on Linux only, where /proc names the CPUs";

/// Pins this thread to a CPU.
#[cfg(target_os = "linux")]
fn pin(cpu: usize) -> Result<(), String> {
    if cpu >= rustix::thread::CpuSet::MAX_CPU {
        return Err(format!("CPU {cpu} is beyond those that can be named"));
    }
    let mut set = rustix::thread::CpuSet::new();
    set.set(cpu);
    rustix::thread::sched_setaffinity(None, &set).map_err(|error| error.to_string())
}

#[cfg(not(target_os = "linux"))]
fn pin(_cpu: usize) -> Result<(), String> {
    Err(UNSUPPORTED.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_core_has_a_thread_before_one_has_two() {
        let ordered = |cores: &[Option<&str>]| {
            let cpus: Vec<_> = cores.iter().map(|core| core.map(str::to_owned)).enumerate().collect();
            physical_first(&cpus)
        };
        assert_eq!(ordered(&["0-1", "0-1", "2-3", "2-3", "4-5", "4-5"].map(Some)), [0, 2, 4, 1, 3, 5]);
        assert_eq!(ordered(&["0,2", "1,3", "0,2", "1,3"].map(Some)), [0, 1, 2, 3]);
        assert_eq!(ordered(&[None, None, Some("2-3"), Some("2-3")]), [0, 1, 2, 3]);
        assert!(ordered(&[]).is_empty());
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
