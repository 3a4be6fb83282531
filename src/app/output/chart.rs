//! Bar charts of characters.

use crate::app::output::{printable, words};

/// The length of the longest bar, in characters.
const LENGTH: usize = 40;
/// The length of the longest bar beside labels that leave little room on the line.
const LEAST_LENGTH: usize = 10;
/// The longest labels that leave room for the longest bar and its numbers on a line of 80 characters.
const LONGEST_LABEL: usize = 22;

/// A bar of a chart.
#[derive(Clone, Debug)]
pub(crate) struct Bar {
    pub(crate) label: String,
    pub(crate) value: f64,
    /// The ideal value; the difference to it is drawn too.
    pub(crate) ideal: Option<f64>,
}

/// Returns a line for each bar: its label, the bar, its value, and the value as a percentage of the ideal one.
pub(crate) fn bars(bars: &[Bar]) -> String {
    let longest = |bar: &Bar| bar.ideal.map_or(bar.value, |ideal| bar.value.max(ideal));
    let greatest = bars.iter().map(longest).fold(0.0, f64::max);
    let labels = bars.iter().map(|bar| printable(&bar.label).chars().count()).max().unwrap_or(0);
    let length = LENGTH.saturating_sub(labels.saturating_sub(LONGEST_LABEL)).max(LEAST_LENGTH) as f64;
    let characters = |value: f64| if greatest > 0.0 { (value / greatest * length).round() as usize } else { 0 };
    let line = |bar: &Bar| {
        let (full, whole) = (characters(bar.value), characters(longest(bar)));
        let drawn = "#".repeat(full) + &".".repeat(whole - full);
        let share = bar.ideal.map_or(String::new(), |ideal| format!("  {:.0}%", 100.0 * bar.value / ideal));
        format!("{:<labels$}  {drawn}  {}{share}\n", printable(&bar.label), words::ratio(bar.value))
    };
    bars.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_long_as_their_numbers() {
        let bar = |label: &str, value, ideal| Bar { label: label.to_owned(), value, ideal };
        let text = bars(&[bar("one", 1.0, Some(1.0)), bar("three", 3.0, Some(4.0))]);
        let ten = "#".repeat(10);
        assert_eq!(text, format!("one    {ten}  1.00  100%\nthree  {ten}{ten}{ten}..........  3.00  75%\n"));
        assert_eq!(
            bars(&[bar("more than ideal", 2.0, Some(1.0))]),
            format!("more than ideal  {}  2.00  200%\n", "#".repeat(40))
        );
        assert_eq!(bars(&[bar("none", 0.0, None)]), "none    0.00\n");
        assert_eq!(bars(&[]), "");
        let long = bars(&[bar(&"x".repeat(40), 1.0, Some(1.0))]);
        assert!(long.len() <= 80 && long.contains("######"), "{long}");
    }
}
