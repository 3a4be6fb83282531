//! This machine: its CPUs, what disturbs measurements on it, and the number of threads to use on it.

use crate::app::output::words::{plural, ratio};
use nqueens::machine::{cpu_model, cpus, logical_cpus};
use std::env::consts::ARCH;
use std::fs;
use std::sync::LazyLock;

/// This machine, about which the system is asked only once.
pub(crate) static MACHINE: LazyLock<Machine> = LazyLock::new(|| Machine {
    cpu: cpu_model().unwrap_or_else(|| ARCH.to_owned()),
    logical_cpus: logical_cpus(),
    cpus: cpus(),
});

/// Returns the number of threads to count with by default. This is the number of logical CPUs that this process may
/// use, but at most the number that a batch system granted.
pub(crate) fn default_threads() -> usize {
    granted_threads().unwrap_or_else(nqueens::machine::default_threads)
}

/// Returns this number if a batch system has granted CPUs. Without a grant, the system need not be asked for its CPUs.
pub(crate) fn granted_threads() -> Option<usize> {
    let of_condor = || cpus_of_condor(&fs::read_to_string(std::env::var_os("_CONDOR_MACHINE_AD")?).ok()?);
    let granted = granted(|name| std::env::var(name).ok()).into_iter().chain(of_condor()).min();
    granted.map(|granted| granted.min(nqueens::machine::default_threads()))
}

/// Returns the number of CPUs of a slot from the text of HTCondor's machine ad, the file that its variable
/// `_CONDOR_MACHINE_AD` names: <https://htcondor.readthedocs.io/en/latest/users-manual/env-of-job.html>.
fn cpus_of_condor(ad: &str) -> Option<usize> {
    let mut attributes = ad.lines().filter_map(|line| line.split_once('='));
    let (_, cpus) = attributes.find(|(name, _)| name.trim().eq_ignore_ascii_case("Cpus"))?;
    cpus.trim().parse().ok().filter(|&cpus| cpus > 0)
}

/// The variables in which batch systems tell a job its number of CPUs: Slurm with and without `-c`, Grid Engine, PBS
/// and LSF. Some variables add up the CPUs of several nodes, so a job of this program is taken to be on one node.
/// HTCondor tells it in the [file of the machine](cpus_of_condor).
const GRANTED: [&str; 7] =
    ["SLURM_CPUS_PER_TASK", "SLURM_CPUS_ON_NODE", "NSLOTS", "NCPUS", "PBS_NP", "PBS_NUM_PPN", "LSB_DJOB_NUMPROC"];

/// Returns the smallest number of granted CPUs. A variable that is no positive number is ignored.
fn granted(variable: impl Fn(&str) -> Option<String>) -> Option<usize> {
    // The tasks that `srun` starts on one node, as in "4(x2),1", share its CPUs.
    let tasks = variable("SLURM_STEP_TASKS_PER_NODE");
    let tasks = tasks.and_then(|text| text.split(['(', ',']).next()?.parse().ok()).unwrap_or(1).max(1);
    let granted = GRANTED.into_iter().filter_map(|name| {
        let number = variable(name)?.parse().ok().filter(|&number: &usize| number > 0)?;
        Some(if name == "SLURM_CPUS_ON_NODE" { (number / tasks).max(1) } else { number })
    });
    granted.min()
}

/// A machine.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    /// The CPU's name for itself.
    pub(crate) cpu: String,
    /// The number of logical CPUs that this process may use.
    pub(crate) logical_cpus: usize,
    /// The number of CPUs whose time this process can have, which is fractional if there is a quota.
    pub(crate) cpus: f64,
}

impl Machine {
    /// Returns the number of CPUs in words: "4 CPUs", or "1.50 of 4 CPUs" if there is a quota.
    pub(crate) fn cpus_in_words(&self) -> String {
        let all = plural(self.logical_cpus, "CPU");
        if self.cpus < self.logical_cpus as f64 { format!("{} of {all}", ratio(self.cpus)) } else { all }
    }
}

/// Counters of events that disturb a measurement. A counter only grows; a counter that the system does not have is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counters {
    /// The number of times that a core was slowed down because it was too hot.
    pub(crate) throttled: u64,
    /// The time of all CPUs, idle time included, in ticks of the system.
    pub(crate) ticks: u64,
    /// The part of `ticks` that the host of this virtual machine took away.
    pub(crate) stolen: u64,
}

impl Counters {
    pub(crate) fn now() -> Self {
        let throttled = (0..).map_while(|cpu| {
            let file = format!("/sys/devices/system/cpu/cpu{cpu}/thermal_throttle/core_throttle_count");
            fs::read_to_string(file).ok()?.trim().parse::<u64>().ok()
        });
        let [ticks, stolen] = fs::read_to_string("/proc/stat").map_or([0; 2], |text| ticks(&text));
        Self { throttled: throttled.sum(), ticks, stolen }
    }

    /// Returns the increments since `before`.
    pub(crate) fn since(self, before: Self) -> Self {
        Self {
            throttled: self.throttled.saturating_sub(before.throttled),
            ticks: self.ticks.saturating_sub(before.ticks),
            stolen: self.stolen.saturating_sub(before.stolen),
        }
    }
}

/// Returns all ticks and the stolen ones from the text of `/proc/stat`. The times of guests at the end of its first
/// line are left out, because the times of users contain them.
fn ticks(stat: &str) -> [u64; 2] {
    let first = stat.lines().next().unwrap_or_default();
    let numbers: Vec<u64> = first.split_whitespace().skip(1).take(8).filter_map(|word| word.parse().ok()).collect();
    [numbers.iter().sum(), numbers.get(7).copied().unwrap_or(0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cpus_of_a_slot_of_condor_are_in_the_file_of_its_machine() {
        let ad = "CpuBusy = (LoadAvg >= 0.5)\nTotalCpus = 64.0\nCpus = 4\nMemory = 8192\n";
        assert_eq!(cpus_of_condor(ad), Some(4));
        for ad in ["", "Cpus\n", "Cpus = 0\n", "Cpus = many\n", "DetectedCpus = 8\n"] {
            assert_eq!(cpus_of_condor(ad), None, "{ad}");
        }
    }

    #[test]
    fn a_batch_system_can_take_cpus_away_but_not_add_any() {
        let granted_by = |set: &[(&str, &str)]| {
            granted(|name| Some(set.iter().find(|(variable, _)| *variable == name)?.1.to_owned()))
        };
        assert_eq!(granted_by(&[]), None);
        for name in GRANTED {
            assert_eq!(granted_by(&[(name, "3")]), Some(3), "{name}");
            assert_eq!(granted_by(&[(name, "64")]), Some(64), "{name}");
            for nonsense in ["", "0", "-2", "many", "4(x2)", "2.5", " 2"] {
                assert_eq!(granted_by(&[(name, nonsense)]), None, "{name}={nonsense}");
            }
        }
        let [of_task, of_node, tasks] = ["SLURM_CPUS_PER_TASK", "SLURM_CPUS_ON_NODE", "SLURM_STEP_TASKS_PER_NODE"];
        assert_eq!(granted_by(&[(of_task, "2"), (of_node, "6")]), Some(2));
        assert_eq!(granted_by(&[(of_node, "6"), (tasks, "3(x2)")]), Some(2));
        assert_eq!(granted_by(&[(of_node, "6"), (tasks, "2,1")]), Some(3));
        assert_eq!(granted_by(&[(of_node, "2"), (tasks, "4")]), Some(1), "more tasks than CPUs");
        assert_eq!(granted_by(&[(of_node, "6"), (tasks, "many")]), Some(6));
        assert_eq!(granted_by(&[(of_task, "2"), (of_node, "6"), (tasks, "3")]), Some(2));
        assert_eq!(granted_by(&[("NSLOTS", "4"), ("NCPUS", "2"), ("OMP_NUM_THREADS", "1")]), Some(2));
    }

    #[test]
    fn a_quota_is_told_with_the_cpus() {
        let mut machine = Machine { logical_cpus: 4, cpus: 4.0, ..MACHINE.clone() };
        assert_eq!(machine.cpus_in_words(), "4 CPUs");
        machine.cpus = 1.5;
        assert_eq!(machine.cpus_in_words(), "1.50 of 4 CPUs");
    }

    #[test]
    fn stolen_ticks_are_the_eighth_number() {
        let stat = "cpu  10 1 5 80 2 0 1 7 3 0\ncpu0 10 1 5 80 2 0 1 7 3 0\n";
        assert_eq!(ticks(stat), [106, 7]);
        assert_eq!(ticks(""), [0; 2]);
    }
}
