//! Formats numbers for people.

use std::fmt::Display;
use std::path::Path;

/// The units of times, as scripts/results.py has them: the time from which a longer unit is used, the length of the unit
/// in seconds, and its name.
const UNITS: [(f64, f64, &str); 8] = [
    (1e-6, 1e-9, "ns"),
    (1e-3, 1e-6, "\u{b5}s"),
    (1.0, 1e-3, "ms"),
    (600.0, 1.0, "s"),
    (7200.0, 60.0, "min"),
    (172_800.0, 3600.0, "h"),
    (86_400_000.0, 86_400.0, "days"),
    (f64::INFINITY, 31_557_600.0, "years"),
];

/// Returns a measured time with three digits.
pub(crate) fn time(seconds: f64) -> String {
    time_in_digits(seconds, 3)
}

/// Returns an expected time, which is not known better than to two digits.
pub(crate) fn about_time(seconds: f64) -> String {
    time_in_digits(seconds, 2)
}

fn time_in_digits(seconds: f64, digits: i32) -> String {
    let rounded = |number: f64| format!("{number:.0$e}", digits as usize - 1).parse().unwrap_or(number);
    // The time is rounded before the unit is chosen. A time of 0 is in seconds.
    let chosen = if seconds > 0.0 { rounded(seconds) } else { 1.0 };
    let (_, unit, name) = UNITS.into_iter().find(|(end, ..)| chosen < *end).unwrap_or(UNITS[7]);
    let number = rounded(seconds / unit);
    if number >= 1000.0 {
        return format!("{} {name}", count(number, 1e7));
    }
    let places = (f64::from(digits) - 1.0 - number.log10().floor()).clamp(0.0, f64::from(digits) - 1.0);
    format!("{number:.0$} {name}", places as usize)
}

/// Returns a ratio with three significant digits, or all digits before the point if there are more.
pub(crate) fn ratio(ratio: f64) -> String {
    match ratio {
        ..9.995 => format!("{ratio:.2}"),
        ..99.95 => format!("{ratio:.1}"),
        _ => count(ratio, 1e6),
    }
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

/// Returns seconds of cores as core-hours, or as a time if they are less than an hour.
pub(crate) fn core_hours(seconds: f64) -> String {
    if seconds < 3600.0 {
        format!("{} of CPU time", time(seconds))
    } else {
        format!("{} core-hours", ratio(seconds / 3600.0))
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
    fn times_have_their_digits_and_the_unit_that_suits_them() {
        for (seconds, measured, expected) in [
            (0.0, "0.00 s", "0.0 s"),
            (59e-9, "59.0 ns", "59 ns"),
            (1.26e-6, "1.26 \u{b5}s", "1.3 \u{b5}s"),
            (0.012_34, "12.3 ms", "12 ms"),
            (0.999_96, "1.00 s", "1.0 s"),
            (999.96e-6, "1.00 ms", "1.0 ms"),
            (97.4, "97.4 s", "97 s"),
            (599.6, "9.99 min", "10 min"),
            (1033.0, "17.2 min", "17 min"),
            (7530.0, "2.09 h", "2.1 h"),
            (260_000.0, "3.01 days", "3.0 days"),
            (31_300_000.0, "362 days", "360 days"),
            (1e9, "31.7 years", "32 years"),
            (1.203e11, "3,810 years", "3,800 years"),
            (1e30, "3.2e22 years", "3.2e22 years"),
        ] {
            assert_eq!((&*time(seconds), &*about_time(seconds)), (measured, expected));
        }
    }

    #[test]
    fn devices_are_named_beside_the_threads() {
        assert_eq!(threads_and_device(1, None), "1 thread");
        assert_eq!(threads_and_device(2, Some("A")), "2 threads and A");
    }

    #[test]
    fn core_hours_have_three_digits() {
        let texts = [0.25, 1018.8, 3600.0, 4.3e6].map(core_hours);
        assert_eq!(texts, ["250 ms of CPU time", "17.0 min of CPU time", "1.00 core-hours", "1,194 core-hours"]);
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
    fn large_numbers_are_grouped_or_powers_of_ten() {
        assert_eq!([0_u64, 999, 1000, 4_426_165_368].map(grouped), ["0", "999", "1,000", "4,426,165,368"]);
        assert_eq!([0.0, 9.994, 9.996, 99.94, 99.96].map(ratio), ["0.00", "9.99", "10.0", "99.9", "100"]);
        assert_eq!([1234.4, 1.24e40].map(ratio), ["1,234", "1.2e40"]);
    }
}
