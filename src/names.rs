//! Values that are read from text or made of numbers: what is wrong with those that are refused, enums whose values have
//! names, and values that are stored as text.

use std::fmt::Display;

/// Error returned for what is no value of a type, such as a size that no board has, the name of no engine, or queens
/// that attack each other. It says what is wrong, and what would be right.
///
/// ```
/// use nqueens::{Board, Engine, Solution};
///
/// let error = "abacus".parse::<Engine>().unwrap_err();
/// assert_eq!(error.to_string(), "'abacus' is no engine; give one of backtrack, two-color");
/// let error = Board::new(33).unwrap_err();
/// assert_eq!(error.to_string(), "'33' is no board size; give a whole number from 1 to 32");
/// let error = Solution::new(&[0, 1, 2, 3]).unwrap_err();
/// assert_eq!(error.to_string(), "the queens of rows 0 and 1 attack each other along the same diagonal");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InputError(String);

impl InputError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }

    /// Returns the error for what is no `kind`, with the beginning of it, and with what would be `right`.
    pub(crate) fn no(kind: &str, given: impl Display, right: impl Display) -> Self {
        let given: String = given.to_string().chars().take(100).flat_map(char::escape_debug).collect();
        Self(format!("'{given}' is no {kind}; give {right}"))
    }
}

/// Implements `Display` and `FromStr` for an enum that has `ALL` and `name`, and whose values are called `kind`.
macro_rules! named {
    ($type:ident, $kind:literal) => {
        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl std::str::FromStr for $type {
            type Err = $crate::names::InputError;

            fn from_str(name: &str) -> Result<Self, Self::Err> {
                Self::ALL.iter().copied().find(|named| named.name() == name).ok_or_else(|| {
                    let names: Vec<&str> = Self::ALL.iter().map(|named| named.name()).collect();
                    $crate::names::InputError::no($kind, name, format_args!("one of {}", names.join(", ")))
                })
            }
        }

        $crate::names::stored_as_text!($type);
    };
}
pub(crate) use named;

/// Lets serde store values of a type as their text, if the crate has the feature `serde`.
macro_rules! stored_as_text {
    ($type:ident) => {
        #[cfg(feature = "serde")]
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        #[cfg(feature = "serde")]
        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
                let text = <String as serde::Deserialize>::deserialize(reader)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}
pub(crate) use stored_as_text;
