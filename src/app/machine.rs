//! This machine: its CPU, memory, system and load, and the number of threads to use on it.

use crate::app::bench::bounds;
use crate::app::output::words::{grouped, plural};
use crate::run::{logical_cpus, physical_cores};
use serde::{Deserialize, Serialize, Serializer};
use std::sync::LazyLock;
use std::time::{Duration, SystemTime};
use sysinfo::{CpuRefreshKind, MemoryRefreshKind, RefreshKind, System};

/// The part of a [`Machine`] that rows of a report have.
#[derive(Debug)]
struct Host {
    /// The CPU's name for itself, or that of its architecture if it has none.
    cpu: String,
    logical_cpus: usize,
    physical_cores: usize,
}

/// This machine, asked once: `cpuid` is slow in a virtual machine.
static HOST: LazyLock<Host> = LazyLock::new(|| Host {
    cpu: brand().unwrap_or_else(|| std::env::consts::ARCH.to_owned()),
    logical_cpus: logical_cpus(),
    physical_cores: physical_cores(),
});

/// Declares a column of a report that tells a property of this machine. The machine is asked when the column is
/// written, because text for people has no such column.
macro_rules! column {
    ($(#[$doc:meta])* $name:ident: $property:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default)]
        pub(crate) struct $name;

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                HOST.$property.serialize(serializer)
            }
        }
    };
}

column! {
    /// The CPU's name.
    Cpu: cpu
}
column! {
    /// The number of logical CPUs that this process may use.
    LogicalCpus: logical_cpus
}
column! {
    /// The number of physical cores that this process may use.
    PhysicalCores: physical_cores
}

/// Returns the number of threads to count with by default: that of the logical CPUs that this process may use, and
/// under Slurm at most that of the CPUs of its task.
pub(crate) fn default_threads() -> usize {
    least(logical_cpus(), std::env::var("SLURM_CPUS_PER_TASK").ok().as_deref())
}

/// Returns the smaller of two numbers of CPUs. Slurm sets its variable to a positive number; any other value is
/// ignored.
fn least(cpus: usize, slurm: Option<&str>) -> usize {
    match slurm.and_then(|text| text.parse().ok()) {
        Some(given @ 1..) => cpus.min(given),
        _ => cpus,
    }
}

/// A machine, as a part of a study. Properties that the system does not report are `None`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Machine {
    #[serde(deserialize_with = "bounds::text")]
    pub(crate) cpu: String,
    #[serde(deserialize_with = "bounds::text")]
    pub(crate) architecture: String,
    /// The features of the CPU that some kernel uses.
    #[serde(deserialize_with = "bounds::features")]
    pub(crate) features: Vec<String>,
    /// The caches of a core, shared ones included.
    #[serde(deserialize_with = "bounds::caches")]
    pub(crate) caches: Vec<Cache>,
    pub(crate) logical_cpus: usize,
    pub(crate) physical_cores: usize,
    /// The highest clock rate of the CPUs at the time.
    pub(crate) megahertz: Option<u64>,
    pub(crate) memory_bytes: Option<u64>,
    /// The name and version of the operating system.
    #[serde(default, deserialize_with = "bounds::optional_text")]
    pub(crate) system: Option<String>,
    /// The version of the operating system's kernel.
    #[serde(default, deserialize_with = "bounds::optional_text")]
    pub(crate) kernel: Option<String>,
}

/// A cache of a CPU.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Cache {
    pub(crate) level: u8,
    /// `data`, `instructions` or `unified`.
    #[serde(deserialize_with = "bounds::text")]
    pub(crate) kind: String,
    pub(crate) bytes: u64,
}

impl Machine {
    /// Returns this machine.
    pub(crate) fn this() -> Self {
        let parts = RefreshKind::nothing()
            .with_memory(MemoryRefreshKind::nothing().with_ram())
            .with_cpu(CpuRefreshKind::nothing().with_frequency());
        let system = System::new_with_specifics(parts);
        Self {
            cpu: HOST.cpu.clone(),
            architecture: std::env::consts::ARCH.to_owned(),
            features: features(),
            caches: caches(),
            logical_cpus: HOST.logical_cpus,
            physical_cores: HOST.physical_cores,
            megahertz: system.cpus().iter().map(sysinfo::Cpu::frequency).max().filter(|&megahertz| megahertz > 0),
            memory_bytes: Some(system.total_memory()).filter(|&bytes| bytes > 0),
            system: System::long_os_version(),
            kernel: System::kernel_version(),
        }
    }

    /// Returns the CPU's name without what says nothing: trademarks, the clock rate, the number of cores.
    pub(crate) fn short_name(&self) -> String {
        short_name(&self.cpu)
    }

    /// Returns a line of words.
    pub(crate) fn in_words(&self) -> String {
        let cores = plural(self.physical_cores, "physical core");
        let mut words = vec![self.cpu.clone(), format!("{} on {cores}", plural(self.logical_cpus, "logical CPU"))];
        words.extend(self.megahertz.map(|megahertz| format!("{megahertz} MHz")));
        let caches = self.caches.iter().filter(|cache| cache.kind != "instructions");
        words.extend(caches.map(|cache| format!("L{} {} KiB", cache.level, grouped(cache.bytes >> 10))));
        words.extend(self.memory_bytes.map(|bytes| format!("{:.1} GiB of memory", bytes as f64 / f64::from(1 << 30))));
        words.extend(self.system.clone());
        words.extend(self.kernel.as_ref().map(|kernel| format!("kernel {kernel}")));
        words.join(", ")
    }
}

/// Shortens the name that a CPU has for itself.
fn short_name(cpu: &str) -> String {
    let plain = ["(R)", "(r)", "(TM)", "(tm)", "\u{ae}", "\u{2122}"]
        .iter()
        .fold(cpu.to_owned(), |name, mark| name.replace(mark, " "));
    let end = ["@", " w/ ", " with "].iter().filter_map(|end| plain.find(end)).min().unwrap_or(plain.len());
    let is_ordinal = |word: &str| word.starts_with(|first: char| first.is_ascii_digit()) && word.ends_with("th");
    let says_nothing = |word: &&str| {
        ["CPU", "Processor", "processor", "Gen"].contains(word)
            || word.ends_with("-Core")
            || word.ends_with("-Cores")
            || is_ordinal(word)
    };
    let words: Vec<&str> = plain[..end].split_whitespace().filter(|word| !says_nothing(word)).collect();
    if words.is_empty() { cpu.to_owned() } else { words.join(" ") }
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fn brand() -> Option<String> {
    let brand = raw_cpuid::CpuId::new().get_processor_brand_string()?;
    let name = brand.as_str().trim();
    (!name.is_empty()).then(|| name.to_owned())
}

#[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
fn brand() -> Option<String> {
    use sysinfo::{CpuRefreshKind, RefreshKind, System};
    let system = System::new_with_specifics(RefreshKind::nothing().with_cpu(CpuRefreshKind::nothing()));
    let name = system.cpus().first()?.brand().trim();
    (!name.is_empty()).then(|| name.to_owned())
}

/// Returns the features of this CPU that some kernel uses.
#[cfg(target_arch = "x86_64")]
fn features() -> Vec<String> {
    macro_rules! present {
        ($($name:tt),*) => { [$(($name, is_x86_feature_detected!($name))),*] };
    }
    let all = present!(
        "popcnt",
        "bmi1",
        "bmi2",
        "avx2",
        "gfni",
        "avx512f",
        "avx512bw",
        "avx512vbmi",
        "avx512vbmi2",
        "avx512bitalg",
        "avx512vnni"
    );
    all.iter().filter(|(_, present)| *present).map(|(name, _)| (*name).to_owned()).collect()
}

/// Returns none: on other architectures the kernels use only features that every CPU has.
#[cfg(not(target_arch = "x86_64"))]
fn features() -> Vec<String> {
    Vec::new()
}

/// Returns the caches of a core, shared ones included.
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fn caches() -> Vec<Cache> {
    let parameters = raw_cpuid::CpuId::new().get_cache_parameters();
    let cache = |cache: raw_cpuid::CacheParameter| {
        let kind = match cache.cache_type() {
            raw_cpuid::CacheType::Data => "data",
            raw_cpuid::CacheType::Instruction => "instructions",
            raw_cpuid::CacheType::Unified => "unified",
            _ => return None,
        };
        let line = cache.physical_line_partitions() * cache.coherency_line_size();
        let bytes = (cache.associativity() * line * cache.sets()) as u64;
        Some(Cache { level: cache.level(), kind: kind.to_owned(), bytes })
    };
    parameters.into_iter().flatten().filter_map(cache).collect()
}

#[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
fn caches() -> Vec<Cache> {
    Vec::new()
}

/// Returns the CPU time of this process, over all its threads; `None` if the system does not report it.
#[cfg(unix)]
pub(crate) fn cpu_time() -> Option<Duration> {
    nix::time::clock_gettime(nix::time::ClockId::CLOCK_PROCESS_CPUTIME_ID).ok().map(Duration::from)
}

#[cfg(not(unix))]
pub(crate) fn cpu_time() -> Option<Duration> {
    None
}

/// Returns the load average over the last minute; `None` if the system has none.
pub(crate) fn load() -> Option<f64> {
    (!cfg!(windows)).then(|| System::load_average().one)
}

/// Counters of events that disturb a measurement. They only grow; those that the system does not have are 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counters {
    /// Times that a core was slowed down because it was too hot.
    pub(crate) throttled: u64,
    /// The time of all CPUs, idle time included, in ticks of the system.
    pub(crate) ticks: u64,
    /// The part of `ticks` in which a CPU had nothing to do.
    pub(crate) idle: u64,
    /// The part of `ticks` that the host of this virtual machine took away.
    pub(crate) stolen: u64,
}

impl Counters {
    /// Reads the counters.
    pub(crate) fn now() -> Self {
        let throttled = (0..).map_while(|cpu| {
            let file = format!("/sys/devices/system/cpu/cpu{cpu}/thermal_throttle/core_throttle_count");
            std::fs::read_to_string(file).ok()?.trim().parse::<u64>().ok()
        });
        let [ticks, idle, stolen] = std::fs::read_to_string("/proc/stat").map_or([0; 3], |text| ticks(&text));
        Self { throttled: throttled.sum(), ticks, idle, stolen }
    }

    /// Returns the increments since `before`.
    pub(crate) fn since(self, before: Self) -> Self {
        Self {
            throttled: self.throttled.saturating_sub(before.throttled),
            ticks: self.ticks.saturating_sub(before.ticks),
            idle: self.idle.saturating_sub(before.idle),
            stolen: self.stolen.saturating_sub(before.stolen),
        }
    }
}

/// Returns all ticks, the idle and the stolen ones from the text of `/proc/stat`. The time of guests, at the end of its
/// first line, is part of that of users already.
fn ticks(stat: &str) -> [u64; 3] {
    let first = stat.lines().next().unwrap_or_default();
    let numbers: Vec<u64> = first.split_whitespace().skip(1).take(8).filter_map(|word| word.parse().ok()).collect();
    let at = |place: usize| numbers.get(place).copied().unwrap_or(0);
    // A CPU that waits for a disk is idle too.
    [numbers.iter().sum(), at(3) + at(4), at(7)]
}

/// Returns the number of CPUs of the machine, which may be more than [`logical_cpus`]; `None` if the system does not
/// report it.
pub(crate) fn cpus_of_machine() -> Option<usize> {
    std::fs::read_to_string("/proc/stat").ok().map(|stat| cpus(&stat)).filter(|&cpus| cpus > 0)
}

/// Returns the number of CPUs from the text of `/proc/stat`, which has a line for each after one for all.
fn cpus(stat: &str) -> usize {
    stat.lines().filter(|line| line.starts_with("cpu") && !line.starts_with("cpu ")).count()
}

/// Returns the date and time, UTC, in ISO 8601.
pub(crate) fn date() -> String {
    humantime::format_rfc3339_seconds(SystemTime::now()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slurm_can_take_cpus_away_but_not_add_any() {
        assert_eq!(least(8, None), 8);
        assert_eq!(least(8, Some("3")), 3);
        assert_eq!(least(8, Some("64")), 8);
        for nonsense in ["", "0", "-2", "many"] {
            assert_eq!(least(8, Some(nonsense)), 8, "{nonsense}");
        }
    }

    #[test]
    fn a_machine_is_described_by_what_is_known_of_it() {
        let words = "Test <CPU> & Co., 4 logical CPUs on 2 physical cores, L1 48 KiB, 4.0 GiB of memory";
        assert_eq!(crate::app::bench::study::tests::study().machine.in_words(), words);
    }

    #[test]
    fn a_short_name_is_that_of_the_model() {
        for (cpu, short) in [
            ("AMD EPYC", "AMD EPYC"),
            ("AMD EPYC 9755 128-Core Processor", "AMD EPYC 9755"),
            ("AMD Ryzen 7 7840U w/ Radeon  780M Graphics", "AMD Ryzen 7 7840U"),
            ("Intel(R) Xeon(R) Processor", "Intel Xeon"),
            ("Intel(R) Xeon(R) CPU E5-2680 v4 @ 2.40GHz", "Intel Xeon E5-2680 v4"),
            ("13th Gen Intel(R) Core(TM) i9-13900K", "Intel Core i9-13900K"),
            ("aarch64", "aarch64"),
            ("CPU @ 3 GHz", "CPU @ 3 GHz"),
        ] {
            assert_eq!(short_name(cpu), short);
        }
    }

    #[test]
    fn stolen_ticks_are_the_eighth_number() {
        let stat = "cpu  10 1 5 80 2 0 1 7 3 0\ncpu0 10 1 5 80 2 0 1 7 3 0\n";
        assert_eq!(ticks(stat), [106, 82, 7]);
        assert_eq!(ticks(""), [0; 3]);
    }

    #[test]
    fn this_machine_is_one() {
        let machine = Machine::this();
        assert!(!machine.cpu.is_empty() && machine.logical_cpus > 0, "{machine:?}");
        assert!(machine.caches.iter().all(|cache| cache.level > 0 && cache.bytes > 1000), "{machine:?}");
    }

    #[test]
    fn every_cpu_of_the_machine_has_a_line() {
        assert_eq!(cpus("cpu  10 1 5 80\ncpu0 10 1 5 80\ncpu12 0 0 0 0\nintr 1\n"), 2);
        assert_eq!(cpus(""), 0);
        assert!(cpus_of_machine().is_none_or(|cpus| cpus >= logical_cpus()));
    }

    #[test]
    #[cfg(unix)]
    fn cpu_time_grows_with_work() {
        let before = cpu_time().unwrap();
        let start = std::time::Instant::now();
        while start.elapsed() < Duration::from_millis(20) {}
        assert!(cpu_time().unwrap() > before);
    }
}
