//! Formats numbers for people.

use std::fmt::Display;
use std::path::Path;

/// Returns a measured time with at most three digits: below a minute in one unit, from then on in two, such as `2h 5m`.
pub(crate) fn time(seconds: f64) -> String {
    time_in_digits(seconds, 3)
}

/// Returns an expected time, which is not known better than to two digits.
pub(crate) fn about_time(seconds: f64) -> String {
    time_in_digits(seconds, 2)
}

/// The units of times below a minute, from the largest on.
pub(crate) const SHORT_UNITS: [&str; 4] = ["s", "ms", "\u{b5}s", "ns"];

/// The units of times from a minute on, and the second, with their names and lengths in seconds. A month is a twelfth
/// of a year.
pub(crate) const UNITS: [(&str, f64); 6] =
    [("s", 1.0), ("m", 60.0), ("h", 3600.0), ("day", 86_400.0), ("month", 2_629_800.0), ("year", 31_557_600.0)];

fn time_in_digits(seconds: f64, digits: u8) -> String {
    const YEAR: f64 = UNITS[5].1;
    // The time is rounded to its digits before the unit is chosen.
    let in_digits = |number: f64| format!("{number:.0$e}", usize::from(digits) - 1);
    let text = in_digits(seconds);
    let (rounded, exponent) = (text.parse::<f64>().unwrap_or(seconds), text.rsplit_once('e'));
    if rounded < 60.0 {
        let exponent = exponent.and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or(0_i32).max(-9);
        let thousands = exponent.div_euclid(3).min(0);
        let places = (i32::from(digits) - 1 - (exponent - 3 * thousands)).max(0) as usize;
        let unit = SHORT_UNITS[thousands.unsigned_abs() as usize];
        return format!("{:.places$} {unit}", rounded / 1000_f64.powi(thousands));
    }
    let named = |(number, name): (f64, &str)| {
        if name.len() == 1 { format!("{number}{name}") } else { plural(number, name) }
    };
    for (at, units) in UNITS.windows(2).enumerate() {
        let [(small, mut step), (large, unit)] = [units[0], units[1]];
        if digits == 2 && seconds >= 10.0 * unit {
            step = unit;
        } else if seconds >= 999.5 * step {
            step *= 10.0;
        }
        let rounded = (seconds / step).round() * step;
        // From a century on, a time has years alone.
        if seconds.max(rounded) < UNITS.get(at + 2).map_or(100.0 * YEAR, |&(_, next)| next) {
            let whole = (rounded / unit).floor();
            let both = [(whole, large), (((rounded - whole * unit) / units[0].1).round(), small)];
            return both.into_iter().filter(|(number, _)| *number > 0.0).map(named).collect::<Vec<_>>().join(" ");
        }
    }
    format!("{} years", count(in_digits(seconds / YEAR).parse().unwrap_or(f64::INFINITY), 1e7))
}

/// Returns a ratio with three significant digits, or all digits before the point if there are more.
pub(crate) fn ratio(ratio: f64) -> String {
    match ratio {
        ..9.995 => format!("{ratio:.2}"),
        ..99.95 => format!("{ratio:.1}"),
        _ => count(ratio, 1e6),
    }
}

/// Returns a number with at most two digits after the point, without trailing zeros.
pub(crate) fn short(number: f64) -> String {
    ((number * 100.0).round() / 100.0).to_string()
}

/// Returns a whole number in groups of three digits, or as a power of ten if it is very large.
pub(crate) fn about(number: f64) -> String {
    count(number, 1e15)
}

/// Returns an estimated number: whole, or from a million on as four digits and a power of ten.
pub(crate) fn estimated(number: f64) -> String {
    if number < 1e6 { grouped(number.round() as u64) } else { format!("{number:.3e}") }
}

/// Returns a whole number in groups of three digits, or as a power of ten from `powers_from` on.
fn count(number: f64, powers_from: f64) -> String {
    if number < powers_from { grouped(number.round() as u64) } else { format!("{number:.1e}") }
}

pub(crate) fn grouped(number: impl Into<u128>) -> String {
    let digits = number.into().to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Returns seconds of cores as core-hours with three digits, or as a time if they are less than a minute.
pub(crate) fn core_hours(seconds: f64) -> String {
    let hours = format!("{:.2e}", seconds / 3600.0).parse().unwrap_or(0.0_f64);
    match seconds {
        ..60.0 => format!("{} of CPU time", time(seconds)),
        ..3600.0 => format!("{hours:.0$} core-hours", (2.0 - hours.log10().floor()) as usize),
        _ => format!("{} core-hours", ratio(hours)),
    }
}

/// Names the threads that counted and, if any did, the devices: "2 threads and NVIDIA H200 (…)".
pub(crate) fn threads_and_device(threads: usize, device: Option<&str>) -> String {
    let threads = plural(threads, "thread");
    device.map_or_else(|| threads.clone(), |device| format!("{threads} and {device}"))
}

/// Returns the share of a whole in percent, with two digits if it is small. It is 100% only if nothing is left.
pub(crate) fn percent(part: u64, whole: u64) -> String {
    let percent = 100.0 * part as f64 / whole as f64;
    if part >= whole {
        "100%".to_owned()
    } else if part == 0 || percent >= 1.0 {
        format!("{:.1}%", (10.0 * percent).floor() / 10.0)
    } else {
        format!("{percent:.0$}%", (1.0 - percent.log10().floor()) as usize)
    }
}

/// Returns a number of things, with the noun in singular or plural.
pub(crate) fn plural<N: Copy + Display + From<u8> + PartialEq>(number: N, noun: &str) -> String {
    format!("{number} {noun}{}", if number == N::from(1) { "" } else { "s" })
}

/// Returns a number of things in groups of three digits, with the noun in singular or plural.
pub(crate) fn many(number: impl Into<u128>, noun: &str) -> String {
    let number = number.into();
    format!("{} {noun}{}", grouped(number), if number == 1 { "" } else { "s" })
}

/// Returns a command with the paths of ledgers, as a shell takes it.
pub(crate) fn with_ledgers<T: AsRef<Path>>(command: &str, ledgers: &[T]) -> String {
    let paths: Vec<String> = ledgers.iter().map(|path| shell(path.as_ref())).collect();
    format!("`nqueens {command} {}`", paths.join(" "))
}

/// Returns a path as a shell needs it, so that no command takes it for an option. On Windows, PowerShell and cmd both
/// know double quotes.
pub(crate) fn shell(path: &Path) -> String {
    shell_of(path, cfg!(windows))
}

fn shell_of(path: &Path, is_windows: bool) -> String {
    let text = path.display().to_string();
    let text = if text.starts_with('-') && text.len() > 1 { format!("./{text}") } else { text };
    let plain = if is_windows { r"_-./:\+~" } else { "_-./:,=@%+" };
    let is_plain = |character: char| character.is_ascii_alphanumeric() || plain.contains(character);
    let quoted = if is_windows { format!("\"{text}\"") } else { format!("'{}'", text.replace('\'', "'\\''")) };
    if !text.is_empty() && text.chars().all(is_plain) { text } else { quoted }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_one_word_for_a_shell_and_no_option() {
        let words = ["a/24-3.jsonl", "my count.jsonl", "it's", "$HOME", "-x", "-", "\u{e9}"];
        let words = words.map(|path| shell_of(Path::new(path), false));
        assert_eq!(words, ["a/24-3.jsonl", "'my count.jsonl'", "'it'\\''s'", "'$HOME'", "./-x", "-", "'\u{e9}'"]);
        let words = [r"C:\24.jsonl", "my count.jsonl", "it's", "a,b", "-x"];
        let words = words.map(|path| shell_of(Path::new(path), true));
        assert_eq!(words, [r"C:\24.jsonl", "\"my count.jsonl\"", "\"it's\"", "\"a,b\"", "./-x"]);
    }

    #[test]
    fn per_cent_are_never_more_than_there_are() {
        let texts = [(0, 3), (1, 3), (2, 3), (2999, 3000), (3, 3), (0, 0)].map(|(part, whole)| percent(part, whole));
        assert_eq!(texts, ["0.0%", "33.3%", "66.6%", "99.9%", "100%", "100%"]);
    }

    #[test]
    fn small_shares_have_two_digits() {
        let of = |part| percent(part, 1_000_000_000);
        let texts = [0, 1, 18_999, 1_000_000, 9_499_999, 10_000_000, 123_456_789, 999_999_999, 1_000_000_000].map(of);
        assert_eq!(texts, ["0.0%", "0.00000010%", "0.0019%", "0.10%", "0.95%", "1.0%", "12.3%", "99.9%", "100%"]);
    }

    #[test]
    fn times_have_three_digits_and_the_unit_that_suits_them() {
        for (seconds, words) in [
            (0.0, "0.00 s"),
            (59e-9, "59.0 ns"),
            (1.25e-6, "1.25 \u{b5}s"),
            (0.012_34, "12.3 ms"),
            (0.999, "999 ms"),
            (0.999_96, "1.00 s"),
            (999.96e-6, "1.00 ms"),
            (31.26, "31.3 s"),
            (59.94, "59.9 s"),
            (59.96, "1m"),
            (97.4, "1m 37s"),
            (999.4, "16m 39s"),
            (1033.0, "17m 10s"),
            (3599.7, "1h"),
            (7530.0, "2h 6m"),
            (45_240.0, "12h 34m"),
            (86_395.0, "1 day"),
            (216_000.0, "2 days 12h"),
            (260_000.0, "3 days"),
            (5_600_000.0, "2 months 4 days"),
            (31_536_000.0, "11 months 30 days"),
            (31_557_000.0, "11 months 30 days"),
            (31_557_600.0, "1 year"),
            (36.0 * 31_557_600.0, "36 years"),
            (1e9, "31 years 8 months"),
            (6e9, "190 years"),
            (1.203e11, "3,810 years"),
        ] {
            assert_eq!(time(seconds), words);
        }
    }

    #[test]
    fn devices_are_named_beside_the_threads() {
        assert_eq!(threads_and_device(1, None), "1 thread");
        assert_eq!(threads_and_device(2, Some("A")), "2 threads and A");
    }

    #[test]
    fn core_hours_have_three_digits() {
        let texts = [0.0, 0.25, 61.0, 359.9, 1018.8, 3600.0, 4.3e6, 1e9].map(core_hours);
        let hours = ["0.0169", "0.100", "0.283", "1.00", "1,190", "278,000"].map(|hours| format!("{hours} core-hours"));
        assert_eq!(texts[..2], ["0.00 s of CPU time", "250 ms of CPU time"]);
        assert_eq!(texts[2..], hours);
    }

    #[test]
    fn expected_times_have_two_digits() {
        for (seconds, words) in [
            (0.25, "250 ms"),
            (1.2, "1.2 s"),
            (14.2, "14 s"),
            (100.0, "1m 40s"),
            (3000.0, "50m"),
            (7.3e4, "20h"),
            (2.7e5, "3 days 3h"),
            (2.6e6, "30 days"),
            (5.6e6, "2 months 4 days"),
            (2.9e7, "11 months"),
            (3.1e7, "1 year"),
            (4e7, "1 year 3 months"),
            (1e8, "3 years 2 months"),
            (1.1e9, "35 years"),
            (3.1e9, "98 years"),
            (4e9, "130 years"),
            (1.203e11, "3,800 years"),
            (1e30, "3.2e22 years"),
        ] {
            assert_eq!(about_time(seconds), words);
        }
    }

    /// Returns the seconds of a time in words, as a person would read them.
    fn seconds_in(words: &str) -> f64 {
        let words = words.replace(',', "");
        let unit = |name: &str| UNITS.iter().find(|(unit, _)| name.trim_end_matches('s') == unit.trim_end_matches('s'));
        let mut sum = 0.0;
        let mut parts = words.split(' ');
        while let Some(part) = parts.next() {
            let end = part.find(|letter: char| letter.is_ascii_alphabetic()).unwrap_or(part.len());
            let name = if end == part.len() { parts.next().unwrap() } else { &part[end..] };
            sum += part[..end].parse::<f64>().unwrap() * unit(name).unwrap_or_else(|| panic!("{words}")).1;
        }
        sum
    }

    #[test]
    fn times_in_words_are_the_times() {
        // From a minute to a century.
        for step in 0..3000 {
            let seconds = 60.0 * 1.006_f64.powi(step);
            for (in_words, off) in [(time as fn(f64) -> String, 0.045), (about_time, 0.06)] {
                let words = in_words(seconds);
                let ratio = seconds_in(&words) / seconds;
                assert!((ratio - 1.0).abs() < off, "{seconds}: {words}");
            }
        }
    }

    #[test]
    fn estimated_numbers_have_no_more_digits_than_are_known() {
        assert_eq!([0.0, 2056.6, 39_029_188_884.0].map(estimated), ["0", "2,057", "3.903e10"]);
    }

    #[test]
    fn one_thing_has_no_plural() {
        assert_eq!([0, 1, 2].map(|number| plural(number, "unit")), ["0 units", "1 unit", "2 units"]);
        assert_eq!([1_u64, 1000].map(|number| many(number, "step")), ["1 step", "1,000 steps"]);
    }

    #[test]
    fn short_numbers_have_two_digits_behind_the_point_at_most() {
        assert_eq!([1.0, 0.5, 20.0, 0.123_4].map(short), ["1", "0.5", "20", "0.12"]);
    }

    #[test]
    fn large_numbers_are_grouped_or_powers_of_ten() {
        assert_eq!([0_u64, 999, 1000, 4_426_165_368].map(grouped), ["0", "999", "1,000", "4,426,165,368"]);
        assert_eq!([0.0, 9.994, 9.996, 99.94, 99.96].map(ratio), ["0.00", "9.99", "10.0", "99.9", "100"]);
        assert_eq!([1234.4, 1.24e40].map(ratio), ["1,234", "1.2e40"]);
    }
}
