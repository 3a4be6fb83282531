//! Bar charts of characters.

use crate::app::output::{printable, words};

/// The length of the longest bar, in characters.
const LENGTH: f64 = 40.0;

/// A bar of a chart.
#[derive(Clone, Debug)]
pub(crate) struct Bar {
    pub(crate) label: String,
    pub(crate) value: f64,
    /// The ideal value; the difference to it is drawn too.
    pub(crate) ideal: Option<f64>,
}

/// Returns a line for each bar: its label, the bar and its value.
pub(crate) fn bars(bars: &[Bar]) -> String {
    let longest = |bar: &Bar| bar.ideal.map_or(bar.value, |ideal| bar.value.max(ideal));
    let greatest = bars.iter().map(longest).fold(0.0, f64::max);
    let labels = bars.iter().map(|bar| printable(&bar.label).chars().count()).max().unwrap_or(0);
    let characters = |value: f64| if greatest > 0.0 { (value / greatest * LENGTH).round() as usize } else { 0 };
    let line = |bar: &Bar| {
        let (full, whole) = (characters(bar.value), characters(longest(bar)));
        let drawn = "#".repeat(full) + &".".repeat(whole - full);
        format!("{:<labels$}  {drawn}  {}\n", printable(&bar.label), words::ratio(bar.value))
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
        assert_eq!(text, format!("one    {ten}  1.00\nthree  {ten}{ten}{ten}..........  3.00\n"));
        assert_eq!(
            bars(&[bar("more than ideal", 2.0, Some(1.0))]),
            format!("more than ideal  {}  2.00\n", "#".repeat(40))
        );
        assert_eq!(bars(&[bar("none", 0.0, None)]), "none    0.00\n");
        assert_eq!(bars(&[]), "");
    }
}
