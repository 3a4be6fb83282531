//! Parses numbers and times on the command line.

use std::ops::RangeInclusive;
use std::time::Duration;

/// Returns a parser for whole numbers in a range. If the range ends with `u64::MAX`, larger numbers are read as
/// `u64::MAX`.
pub(crate) fn whole(range: RangeInclusive<u64>) -> impl Fn(&str) -> Result<u64, String> + Clone {
    let (least, most) = range.into_inner();
    let right = match most {
        u64::MAX => format!("give {least} or more"),
        _ => format!("give a number from {least} to {most}"),
    };
    move |text| in_range(text, least..=most).map_err(|wrong| format!("{wrong}; {right}"))
}

/// Reads a whole number in a range, or returns a description of the problem.
pub(crate) fn in_range(text: &str, range: RangeInclusive<u64>) -> Result<u64, &'static str> {
    let text = text.trim();
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err("not a whole number");
    }
    // Digits can only fail to parse if there are too many.
    match digits.parse().unwrap_or(u64::MAX) {
        _ if text.starts_with('-') => Err("too small"),
        number if number < *range.start() => Err("too small"),
        number if number > *range.end() => Err("too large"),
        number => Ok(number),
    }
}

/// The units of time and their lengths in milliseconds, from large to small.
const UNITS: [(&str, f64); 4] = [("h", 3_600_000.0), ("m", 60_000.0), ("s", 1000.0), ("ms", 1.0)];

/// The longest accepted time, in milliseconds.
const TEN_YEARS: f64 = 10.0 * 366.0 * 24.0 * UNITS[0].1;

/// Reads a time: a number of seconds, or numbers with units (h, m, s, ms) from large to small.
pub(crate) fn time(text: &str) -> Result<Duration, String> {
    const RIGHT: &str = "give one such as 90s, 1m30s, 2h or 250ms; a number alone is seconds";
    let milliseconds = milliseconds(text.trim()).ok_or_else(|| format!("not a time; {RIGHT}"))?;
    if milliseconds > TEN_YEARS {
        return Err("too long; give ten years at most".to_owned());
    }
    let time = Duration::from_secs_f64(milliseconds / 1000.0);
    if time.is_zero() { Err(format!("too short; {RIGHT}")) } else { Ok(time) }
}

fn milliseconds(text: &str) -> Option<f64> {
    if let Some(seconds) = decimal(text) {
        return Some(1000.0 * seconds);
    }
    let mut rest = text;
    let mut units = &UNITS[..];
    let mut all = 0.0;
    while !rest.is_empty() {
        let (number, after) = rest.split_at(rest.find(|character: char| character.is_ascii_alphabetic())?);
        let (name, after) =
            after.split_at(after.find(|character: char| !character.is_ascii_alphabetic()).unwrap_or(after.len()));
        let index = units.iter().position(|(unit, _)| *unit == name)?;
        all += decimal(number)? * units[index].1;
        (units, rest) = (&units[index + 1..], after);
    }
    (!text.is_empty()).then_some(all)
}

/// Reads a decimal number without a sign or exponent.
fn decimal(text: &str) -> Option<f64> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    text.parse().ok().filter(|_| plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_in_their_range_or_it_is_said_what_is_wrong() {
        let threads = whole(1..=1024);
        for (text, number) in [("1", 1), ("1024", 1024), (" 7", 7), ("+8", 8), ("007", 7)] {
            assert_eq!(threads(text), Ok(number), "{text}");
        }
        for (wrong, texts) in [
            ("not a whole number", &["", "abc", "1.5", "1,2", "0x10", "--", "-", "1e3", "\u{663}"][..]),
            ("too small", &["0", "-1", "-99999999999999999999999"]),
            ("too large", &["1025", "18446744073709551616", "99999999999999999999999"]),
        ] {
            for text in texts {
                assert_eq!(threads(text), Err(format!("{wrong}; give a number from 1 to 1024")), "{text}");
            }
        }
        let steps = whole(1..=u64::MAX);
        assert_eq!(steps("0"), Err("too small; give 1 or more".to_owned()));
        assert_eq!(steps("99999999999999999999999"), Ok(u64::MAX));
    }

    #[test]
    fn times_have_units_or_are_seconds() {
        for (text, milliseconds) in [
            ("90s", 90_000),
            ("45", 45_000),
            ("1.5", 1500),
            (".25", 250),
            ("1m30s", 90_000),
            ("30m", 1_800_000),
            ("2h", 7_200_000),
            ("1.5h", 5_400_000),
            ("1h30m15s250ms", 5_415_250),
            ("250ms", 250),
            (" 2s ", 2000),
        ] {
            let expected = Duration::from_millis(milliseconds);
            assert_eq!(time(text), Ok(expected), "{text}");
        }
        for bad in
            ["", "s", ".", "soon", "-5", "+5", "-5s", "3d", "2 h", "90S", "1m30", "30s1m", "1s2s", "1e3", "NaN", "inf"]
        {
            assert!(time(bad).unwrap_err().starts_with("not a time; "), "{bad}");
        }
        for long in ["87841h", "1000000h", "1e300".replace("e300", &"0".repeat(300)).as_str()] {
            assert!(time(long).unwrap_err().starts_with("too long; "), "{long}");
        }
        for short in ["0", "0h", "0m0s", "0.0000000001"] {
            assert!(time(short).unwrap_err().starts_with("too short; "), "{short}");
        }
    }
}
