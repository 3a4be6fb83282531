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
    About, 0, words::ratio
);

impl Seconds {
    pub(crate) fn of(time: Duration) -> Self {
        Self(time.as_secs_f64())
    }
}

/// The CPU's name for itself, which is asked for only when it is written for programs.
#[derive(Debug)]
pub(crate) struct Cpu;

impl Serialize for Cpu {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&MACHINE.cpu)
    }
}

/// The version of the program, and the commit it was built from.
pub(crate) const VERSION: &str = env!("NQUEENS_VERSION");
