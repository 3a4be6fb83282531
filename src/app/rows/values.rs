//! Values that people and programs read in different forms.
//!
//! `Display` is the form for people; `Serialize` is the form in JSON and CSV.

use crate::app::output::words;
use serde::{Serialize, Serializer};
use std::fmt;

/// A number of solutions. It is a string in JSON, because it can exceed 2⁵³.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Solutions(pub(crate) u128);

impl fmt::Display for Solutions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for Solutions {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

/// Declares a floating-point type: its form for people, and its digits after the point for programs.
macro_rules! value {
    ($(#[$doc:meta])* $name:ident, to $digits:literal digits, for people $words:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
        pub(crate) struct $name(pub(crate) f64);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let words: fn(f64) -> String = $words;
                f.write_str(&words(self.0))
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_f64((self.0 * 10_f64.powi($digits)).round() / 10_f64.powi($digits))
            }
        }
    };
}

value! {
    /// A time in seconds that a whole command took.
    Seconds, to 6 digits, for people |seconds| format!("{seconds:.3}")
}
value! {
    /// A time in seconds that may be nanoseconds. People read it with a suitable unit.
    Time, to 9 digits, for people words::time
}
value! {
    /// A ratio of two measured values.
    Ratio, to 3 digits, for people words::ratio
}
value! {
    /// A large number that is only known approximately.
    Estimate, to 0 digits, for people words::about
}
