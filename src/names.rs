//! Enums whose values have names, on the command line and in files, and values that are stored as text.

/// Error returned when nothing of a kind, such as an engine or a textbook method, has the name.
///
/// ```
/// use nqueens::Engine;
///
/// let error = "abacus".parse::<Engine>().unwrap_err();
/// assert_eq!(error.to_string(), "no engine is named \"abacus\"; the engines are backtrack, two-color");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no {kind} is named {given:?}; the {kind}s are {}", names.join(", "))]
pub struct NameError {
    /// What has no such name.
    pub(crate) kind: &'static str,
    /// The beginning of what was given.
    pub(crate) given: String,
    pub(crate) names: Vec<&'static str>,
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
            type Err = $crate::names::NameError;

            fn from_str(name: &str) -> Result<Self, Self::Err> {
                Self::ALL.iter().copied().find(|named| named.name() == name).ok_or_else(|| $crate::names::NameError {
                    kind: $kind,
                    given: name.chars().take(100).collect(),
                    names: Self::ALL.iter().map(|named| named.name()).collect(),
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
