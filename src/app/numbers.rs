//! Parses numbers and times on the command line.

use std::ops::RangeInclusive;
use std::time::Duration;

/// Returns a parser for whole numbers in a range.
pub(crate) fn whole(range: RangeInclusive<u64>) -> impl Fn(&str) -> Result<u64, String> + Clone {
    move |text| {
        let number = text.parse().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| format!("give a whole number from {} to {}", range.start(), range.end()))
    }
}

/// Parses a time: numbers with units, or a number of seconds.
pub(crate) fn time(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let time = seconds.or_else(|| humantime::parse_duration(text).ok());
    time.filter(|time| !time.is_zero()).ok_or_else(|| "give a time such as 90s, 1m30s, 2h or 250ms".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_in_their_range_or_it_is_said_what_would_be_right() {
        let threads = whole(1..=1024);
        for (text, number) in [("1", 1), ("1024", 1024), ("+8", 8), ("007", 7)] {
            assert_eq!(threads(text), Ok(number), "{text}");
        }
        for text in ["", "abc", "1.5", "1,2", "0x10", "-", "1e3", "\u{663}", "0", "-1", "1025", "18446744073709551616"]
        {
            assert_eq!(threads(text), Err("give a whole number from 1 to 1024".to_owned()), "{text}");
        }
    }

    #[test]
    fn times_have_units_or_are_seconds() {
        let texts = ["90s", "45", "1.5", "1m30s", "30m", "2h", "1.5h", "1h 30m 15s 250ms"];
        let milliseconds = [90_000, 45_000, 1500, 90_000, 1_800_000, 7_200_000, 5_400_000, 5_415_250];
        assert_eq!(texts.map(time), milliseconds.map(|milliseconds| Ok(Duration::from_millis(milliseconds))));
        for bad in ["", "s", ".", "soon", "-5", "-5s", "5 x", "1m30", "NaN", "inf", "1e300", "0", "0h", "0m0s"] {
            assert_eq!(time(bad), Err("give a time such as 90s, 1m30s, 2h or 250ms".to_owned()), "{bad}");
        }
    }
}
