//! Enums whose values have names, on the command line and in files, and values that are stored as text.

/// Implements `Display` and `FromStr` for an enum that has `ALL` and `name`, and declares the error for any other name.
///
/// In the text of the error, `{0:?}` is what was given, and `{names}` are the names with the separator between them.
macro_rules! named {
    ($type:ident, $error:ident, $text:literal, $separator:literal) => {
        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl std::str::FromStr for $type {
            type Err = $error;

            fn from_str(name: &str) -> Result<Self, $error> {
                Self::ALL
                    .iter()
                    .copied()
                    .find(|named| named.name() == name)
                    .ok_or_else(|| $error(name.chars().take(100).collect()))
            }
        }

        $crate::names::stored_as_text!($type);

        #[doc = concat!("Error returned when no [`", stringify!($type), "`] has the name.")]
        ///
        /// ```
        /// # use nqueens::{classic::*, *};
        #[doc = concat!("assert!(\"no name\".parse::<", stringify!($type), ">().is_err());")]
        /// ```
        #[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
        #[error($text, names = $type::ALL.iter().map(|named| named.name()).collect::<Vec<_>>().join($separator))]
        pub struct $error(String);
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
