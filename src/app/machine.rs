//! What machine this is, and what it is doing.

use crate::app::bench::view::{Cache, Machine};
use crate::run::{logical_cpus, physical_cores};
use std::sync::LazyLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use sysinfo::{CpuRefreshKind, MemoryRefreshKind, RefreshKind, System};

/// What every row of a report says of the machine. It is asked for once: a virtual machine answers slowly.
#[derive(Debug)]
pub(crate) struct Host {
    /// The CPU's own name for itself, or that of its architecture where it has none.
    pub(crate) cpu: String,
    pub(crate) logical_cpus: usize,
    pub(crate) physical_cores: usize,
}

pub(crate) static HOST: LazyLock<Host> = LazyLock::new(|| Host {
    cpu: brand().unwrap_or_else(|| std::env::consts::ARCH.to_owned()),
    logical_cpus: logical_cpus(),
    physical_cores: physical_cores(),
});

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fn brand() -> Option<String> {
    let brand = raw_cpuid::CpuId::new().get_processor_brand_string()?;
    let name = brand.as_str().trim();
    (!name.is_empty()).then(|| name.to_owned())
}

#[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
fn brand() -> Option<String> {
    None
}

/// Asks the machine what it is.
pub(crate) fn machine() -> Machine {
    let what = RefreshKind::nothing()
        .with_memory(MemoryRefreshKind::nothing().with_ram())
        .with_cpu(CpuRefreshKind::nothing().with_frequency());
    let system = System::new_with_specifics(what);
    Machine {
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

/// The features of the CPU that some kernel here uses, of those that it has.
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

/// Elsewhere the kernels use what every CPU of the architecture has.
#[cfg(not(target_arch = "x86_64"))]
fn features() -> Vec<String> {
    Vec::new()
}

/// The caches of a core, those that it shares with others too.
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

/// The time that all CPUs have given this process.
#[cfg(unix)]
pub(crate) fn cpu_time() -> Option<Duration> {
    nix::time::clock_gettime(nix::time::ClockId::CLOCK_PROCESS_CPUTIME_ID).ok().map(Duration::from)
}

#[cfg(not(unix))]
pub(crate) fn cpu_time() -> Option<Duration> {
    None
}

/// How many programs have wanted a CPU, on average over the last minute.
pub(crate) fn load() -> Option<f64> {
    (!cfg!(windows)).then(|| System::load_average().one)
}

/// What goes on besides, as counters that only grow. What the system does not say is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counters {
    /// How often a core was slowed down because it was too hot.
    pub(crate) throttled: u64,
    /// The time that all CPUs spent on anything, waiting included, and of it what the host of this virtual machine took away:
    /// in the ticks of the system.
    pub(crate) ticks: u64,
    pub(crate) stolen: u64,
}

impl Counters {
    pub(crate) fn now() -> Self {
        let throttled = (0..).map_while(|cpu| {
            let file = format!("/sys/devices/system/cpu/cpu{cpu}/thermal_throttle/core_throttle_count");
            std::fs::read_to_string(file).ok()?.trim().parse::<u64>().ok()
        });
        let [ticks, stolen] = std::fs::read_to_string("/proc/stat").map_or([0, 0], |text| ticks(&text));
        Self { throttled: throttled.sum(), ticks, stolen }
    }

    /// What has been added since.
    pub(crate) fn since(self, before: Self) -> Self {
        Self {
            throttled: self.throttled.saturating_sub(before.throttled),
            ticks: self.ticks.saturating_sub(before.ticks),
            stolen: self.stolen.saturating_sub(before.stolen),
        }
    }
}

/// All ticks and the stolen ones, from `/proc/stat`. Its first line ends with the time of guests, which is in that of users too.
fn ticks(stat: &str) -> [u64; 2] {
    let first = stat.lines().next().unwrap_or_default();
    let numbers: Vec<u64> = first.split_whitespace().skip(1).take(8).filter_map(|word| word.parse().ok()).collect();
    [numbers.iter().sum(), numbers.get(7).copied().unwrap_or(0)]
}

/// Date and time, UTC, as ISO 8601 has them.
pub(crate) fn date() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    date_of(now)
}

/// The date so many seconds after 1970 began.
fn date_of(seconds: u64) -> String {
    const YEARS_400: u64 = 146_097;
    // Years that begin in March end with the leap day: days in eras of 400 years, from 0000-03-01 on.
    let days = seconds / 86_400 + 719_468;
    let (era, day_of_era) = (days / YEARS_400, days % YEARS_400);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = 400 * era + year_of_era + u64::from(month <= 2);
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As `date -u -d @SECONDS +%FT%TZ` has them.
    #[test]
    fn dates_are_those_of_the_calendar() {
        let seconds = [0, 951_782_399, 951_782_400, 951_868_800, 1_709_164_800, 1_767_225_599, 4_107_542_400];
        let dates = [
            "1970-01-01T00:00:00Z",
            "2000-02-28T23:59:59Z",
            "2000-02-29T00:00:00Z",
            "2000-03-01T00:00:00Z",
            "2024-02-29T00:00:00Z",
            "2025-12-31T23:59:59Z",
            "2100-03-01T00:00:00Z",
        ];
        assert_eq!(seconds.map(date_of), dates);
    }

    #[test]
    fn stolen_ticks_are_the_eighth_number() {
        let stat = "cpu  10 1 5 80 2 0 1 7 3 0\ncpu0 10 1 5 80 2 0 1 7 3 0\n";
        assert_eq!(ticks(stat), [106, 7]);
        assert_eq!(ticks(""), [0, 0]);
    }

    #[test]
    fn this_machine_is_one() {
        let machine = machine();
        assert!(!machine.cpu.is_empty() && machine.logical_cpus > 0, "{machine:?}");
        assert!(machine.caches.iter().all(|cache| cache.level > 0 && cache.bytes > 1000), "{machine:?}");
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
