//! Types of fields that several rows have. Each is written for programs by serde, and for people by `Display`.

use crate::app::machine::MACHINE;
use crate::app::output::words;
use serde::{Serialize, Serializer};
use std::fmt;
use std::time::Duration;

/// A number of solutions: a string, because it can exceed 2^53.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Solutions(#[serde(serialize_with = "in_digits")] pub(crate) u128);

impl fmt::Display for Solutions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

fn in_digits<S: Serializer>(number: &u128, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(number)
}

/// Declares a type of numbers with the digits that programs read, and the words that people read.
macro_rules! number {
    ($(#[$comment:meta])* $name:ident, $digits:literal, $in_words:expr) => {
        $(#[$comment])*
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct $name(pub(crate) f64);

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let unit = 10_f64.powi($digits);
                // A zero has no sign.
                serializer.serialize_f64((self.0 * unit).round() / unit + 0.0)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&$in_words(self.0))
            }
        }
    };
}

number!(
    /// A time in seconds.
    Seconds, 9, words::time
);
number!(
    /// The time of all cores or of all devices together, in hours.
    Hours, 9, words::ratio
);
number!(
    /// A ratio, with three digits after the point.
    Ratio, 3, words::ratio
);
number!(
    /// A large number that is only known approximately, without digits after the point.
    About, 0, words::about
);

impl Seconds {
    pub(crate) fn of(time: Duration) -> Self {
        Self(time.as_secs_f64())
    }
}

impl Hours {
    pub(crate) fn of_seconds(seconds: f64) -> Self {
        Self(seconds / 3600.0)
    }
}

/// A value that is found when it is written for programs, because the system must be asked.
#[derive(Debug)]
struct Asked<T>(fn() -> T);

impl<T: Serialize> Serialize for Asked<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0().serialize(serializer)
    }
}

/// The CPU's name for itself, on Linux with the numbers of its model: `AMD EPYC (family 26, model 2, stepping 1)`, on
/// ARM implementer, part, variant and revision.
#[derive(Debug, Serialize)]
pub(crate) struct Cpu(Asked<String>);

/// The number of logical CPUs that the process may use.
#[derive(Debug, Serialize)]
pub(crate) struct LogicalCpus(Asked<usize>);

/// The number of physical cores of the machine, at most that of the logical CPUs.
#[derive(Debug, Serialize)]
pub(crate) struct PhysicalCores(Asked<usize>);

/// The version of the program, and the commit it was built from.
#[derive(Debug, Serialize)]
pub(crate) struct Version(&'static str);

pub(crate) const CPU: Cpu = Cpu(Asked(|| MACHINE.cpu.clone()));
pub(crate) const LOGICAL_CPUS: LogicalCpus = LogicalCpus(Asked(|| MACHINE.logical_cpus));
pub(crate) const PHYSICAL_CORES: PhysicalCores = PhysicalCores(Asked(|| MACHINE.physical_cores));
pub(crate) const VERSION: Version = Version(env!("NQUEENS_VERSION"));
