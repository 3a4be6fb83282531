//! Escapes the characters of untrusted text that a terminal, a browser or a spreadsheet would obey or hide.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Returns the text with a Rust escape such as `\n` or `\u{1b}` for each unprintable character: control characters,
/// line and paragraph ends, characters that change the direction of writing, and invisible characters other than
/// spaces.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    escaped(text, is_printable, |character, out| out.extend(character.escape_default()))
}

/// Returns a JSON document with a JSON escape for each unprintable character, except the line ends between values. The
/// meaning of the document does not change.
pub(crate) fn printable_json(document: &str) -> Cow<'_, str> {
    escaped(
        document,
        |character| character == '\n' || is_printable(character),
        |character, out| {
            for unit in character.encode_utf16(&mut [0; 2]) {
                // Writing to a string cannot fail.
                let _ = write!(out, "\\u{unit:04x}");
            }
        },
    )
}

fn escaped(text: &str, is_good: impl Fn(char) -> bool, escape: impl Fn(char, &mut String)) -> Cow<'_, str> {
    if text.chars().all(&is_good) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(2 * text.len());
    for character in text.chars() {
        if is_good(character) {
            out.push(character);
        } else {
            escape(character, &mut out);
        }
    }
    Cow::Owned(out)
}

/// Returns true if a character needs no escape.
fn is_printable(character: char) -> bool {
    // This leaves quotation marks and backslashes as they are.
    matches!(character, '\'' | '"' | '\\') || character.escape_debug().len() == 1
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::app::fuzz::{fuzz, text};

    /// A text with every kind of character that must be escaped, between ordinary text.
    pub(crate) const HOSTILE: &str = "=cmd|' /C calc'!A0 <script>alert(1)</script> \u{1b}]0;title\u{7}\u{9b}31m\r\n\tfake \
         line\n| a | `b` [c](d) \\ & \"e\" \u{202e}\u{2028}\u{2029}\u{feff}\u{0}\u{7f}\u{ffff} Q\u{eb}\u{5973}\u{738b}\u{1f451}";

    /// Returns true if a text has no unprintable characters except line ends.
    pub(crate) fn is_harmless(text: &str) -> bool {
        text.chars().all(|character| character == '\n' || is_printable(character))
    }

    #[test]
    fn what_cannot_be_seen_becomes_an_escape() {
        for (text, shown) in [
            ("\u{1b}[31m", "\\u{1b}[31m"),
            ("a\nb\r\tc", "a\\nb\\r\\tc"),
            ("\u{7f}\u{85}\u{9b}", "\\u{7f}\\u{85}\\u{9b}"),
            ("\u{202e}txt.exe\u{2066}", "\\u{202e}txt.exe\\u{2066}"),
            ("\u{2028}\u{feff}\u{200b}", "\\u{2028}\\u{feff}\\u{200b}"),
        ] {
            assert_eq!(printable(text), shown);
        }
        for ordinary in ["", "a b", "C:\\temp", "Ångström Владимир 女王 👑 é ملكة", "<&>|`'\""] {
            assert!(matches!(printable(ordinary), Cow::Borrowed(same) if same == ordinary), "{ordinary}");
        }
    }

    #[test]
    fn a_json_document_says_the_same_after_it() {
        let text = serde_json::to_string_pretty(&[HOSTILE, "\u{e0041}"]).unwrap();
        let shown = printable_json(&text);
        assert!(is_harmless(&shown) && !is_harmless(&text), "{shown}");
        assert_eq!(serde_json::from_str::<Vec<String>>(&shown).unwrap(), [HOSTILE, "\u{e0041}"]);
    }

    #[test]
    fn fuzz_nothing_that_cannot_be_seen_is_left() {
        fuzz(500, |random| {
            let shown = printable(&text(random)).into_owned();
            assert!(is_harmless(&shown) && !shown.contains('\n'), "{shown:?}");
            assert_eq!(printable(&shown), shown);
        });
    }
}
