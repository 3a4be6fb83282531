//! A page with the charts, all numbers and the JSON documents. It needs no network.

use super::chart::{self, escape};
use super::{NamedStudy, notes, panels};
use crate::app::bench::study::Study;
use crate::app::output::printable_json;
use crate::app::rows::{Cell, Column, cells};
use std::io::{self, Write};

/// The page, with places such as `{{TITLE}}` for its parts.
const PAGE: &str = include_str!("page.html");

/// The columns that need an explanation.
const EXPLANATIONS: [(&str, &str); 3] = [
    ("x first", "times as fast as the first study"),
    ("spread", "the middle half of the times as a share of their median"),
    ("serial", "the share of the work that more threads do not make faster, by Amdahl's law fitted to the medians"),
];

/// Writes the page of studies.
pub(super) fn write(studies: &[NamedStudy], rows: &[Vec<Column>], out: &mut dyn Write) -> io::Result<()> {
    let title = if studies.len() == 1 { "N-Queens benchmark" } else { "N-Queens benchmarks side by side" };
    let notes = notes(studies, true).into_iter().map(|note| format!("<p>{}</p>\n", escape(&note)));
    let charts = panels::all(studies).into_iter().map(|panel| chart::picture(&[panel], &[]) + "\n");
    let has = |name: &str| rows.first().is_some_and(|row| cells(row).any(|(heading, _)| heading.text == name));
    let explanations = EXPLANATIONS.iter().filter(|(name, _)| has(name));
    let explanations = explanations.map(|(name, text)| format!("<p class=\"quiet\"><i>{name}</i>: {text}</p>\n"));
    let document = match studies {
        [NamedStudy { study, .. }] => serde_json::to_string(study)?,
        _ => serde_json::to_string(&studies.iter().map(|named| &named.study).collect::<Vec<&Study>>())?,
    };
    let parts = [
        ("TITLE", title),
        ("TITLE", title),
        ("CHARTS", &charts.collect::<String>()),
        ("TABLE", &table(rows)),
        ("EXPLANATIONS", &explanations.collect::<String>()),
        ("NOTES", &notes.collect::<String>()),
        // Nothing in the document may end the script element around it.
        ("RECORD", &printable_json(&document).replace('<', "\\u003c")),
    ];
    // Places are searched for in the page alone, not in the parts.
    let mut rest = PAGE;
    for (name, part) in parts {
        let place = format!("{{{{{name}}}}}");
        let (before, after) = rest.split_once(&place).expect("the page has these places in this order");
        write!(out, "{before}{part}")?;
        rest = after;
    }
    write!(out, "{rest}")
}

fn table(rows: &[Vec<Column>]) -> String {
    let line = |row: &[Column], tag: &str, attributes: &str, text: fn(Cell<'_>) -> String| {
        let element = |cell: Cell<'_>| {
            let class = if cell.0.is_number { "" } else { " class=\"word\"" };
            // On a narrow screen, the names of the columns are beside their values.
            let name = if tag == "td" { format!(" data-name=\"{}\"", escape(&cell.0.text)) } else { String::new() };
            format!("<{tag}{attributes}{class}{name}>{}</{tag}>", escape(&text(cell)))
        };
        format!("<tr>{}</tr>\n", cells(row).map(element).collect::<String>())
    };
    let head = rows.first().map(|row| line(row, "th", " scope=\"col\"", |(heading, _)| heading.text.to_string()));
    let body = rows.iter().map(|row| line(row, "td", "", |(_, text)| text.unwrap_or("-").to_owned()));
    format!("<table>\n{}</table>", head.into_iter().chain(body).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::super::{Form, NamedStudy, write};
    use crate::app::bench::study::Study;
    use crate::app::bench::study::tests::study;
    use crate::app::output::Format;
    use crate::app::output::printable::tests::{HOSTILE, is_harmless};

    fn written(studies: &[(&str, &Study)], form: Form) -> String {
        let named = |(name, study): &(&str, &Study)| NamedStudy { name: (*name).to_owned(), study: (*study).clone() };
        let mut out = Vec::new();
        write(&studies.iter().map(named).collect::<Vec<_>>(), form, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn hostile_text_leaves_the_elements_of_pages_and_pictures_as_they_are() {
        let plain = study();
        let mut hostile = plain.clone();
        let texts = hostile.rows.iter_mut().flat_map(|row| [&mut row.engine, &mut row.kernel]);
        let others = [&mut hostile.machine.cpu, &mut hostile.date, &mut hostile.command, &mut hostile.program.version];
        texts.chain(others).for_each(|text| text.push_str(HOSTILE));
        hostile.warnings.iter_mut().for_each(|text| text.push_str(HOSTILE));
        for form in
            [Form::Svg, Form::Html, Form::Rows(Format::Json), Form::Rows(Format::Text), Form::Rows(Format::Markdown)]
        {
            let text = written(&[(HOSTILE, &hostile), ("two", &plain), (HOSTILE, &hostile)], form);
            assert!(is_harmless(&text), "{text:?}");
            let text = written(&[("", &hostile)], form);
            assert!(is_harmless(&text) && text.contains("two-color"), "{text:?}");
            if matches!(form, Form::Html) {
                // A chart has a text for each line.
                let elements = |text: &str| text.replace("<text ", "").replace("</text>", "").matches('<').count();
                assert_eq!(elements(&text), elements(&written(&[("", &plain)], form)), "{text}");
            }
            assert!(form != Form::Svg || !text.contains("& "), "{text}");
        }
    }

    #[test]
    fn nothing_in_the_record_becomes_a_part_of_the_page() {
        let text = written(&[("", &study())], Form::Html);
        assert!(text.contains("Test &lt;CPU&gt; &amp; Co.") && text.contains("&lt;a&gt;&amp;b.html"), "{text}");
        assert!(!text.contains("<CPU>") && !text.contains("<a>") && !text.contains("{{"), "{text}");
        let (_, after) = text.split_once("id=\"record\">").unwrap();
        let document: serde_json::Value = serde_json::from_str(after.split_once("</script>").unwrap().0).unwrap();
        assert_eq!(document["command"], study().command);
    }

    #[test]
    fn what_makes_the_numbers_doubtful_is_in_every_form_of_a_file() {
        let json = written(&[("", &study())], Form::Rows(Format::Json));
        let csv = written(&[("", &study())], Form::Rows(Format::Csv));
        assert!(json.contains("too <hot>") && csv.contains("too <hot> | too | busy"), "{csv}");
        assert!(written(&[("", &study())], Form::Html).contains("<p>warning when measured: too &lt;hot&gt;<"));
        let text = written(&[("", &study())], Form::Rows(Format::Markdown));
        let source = "Test &lt;CPU&gt; &amp; Co., 4 CPUs, nqueens 1.2.3, 2026-01-02T03:04:05Z";
        let notes = "- 3 timed runs: nqueens bench --output &lt;a&gt;&amp;b.html\n- warning when measured: too &lt;hot&gt;\n- warning when measured: too \\| busy\n";
        assert!(text.ends_with(&format!("\n\n- {source}\n{notes}")), "{text}");
    }

    #[test]
    fn csv_has_a_line_for_each_row_and_the_machine_in_it() {
        let text = written(&[("", &study())], Form::Rows(Format::Csv));
        let mut reader = ::csv::Reader::from_reader(text.as_bytes());
        let headers = reader.headers().unwrap().clone();
        let rows: Vec<_> = reader.records().map(Result::unwrap).collect();
        let column = |key: &str| headers.iter().position(|header| header == key).unwrap();
        assert_eq!(rows.len(), 6);
        assert_eq!((&rows[1][column("threads")], &rows[1][column("seconds")]), ("2", "0.55"));
        assert_eq!((&rows[5][column("cpu_seconds")], &rows[5][column("cpu")]), ("", "Test <CPU> & Co."));
    }

    #[test]
    fn a_page_explains_the_columns_that_its_table_has() {
        let scored = crate::app::bench::study::tests::scored();
        let explained = |studies: &[(&str, &Study)]| {
            let text = written(studies, Form::Html);
            let (table, below) = text.split_once("</table>").unwrap();
            let names: Vec<String> =
                below.split("<i>").skip(1).map(|part| part.split_once('<').unwrap().0.to_owned()).collect();
            assert!(names.iter().all(|name| table.contains(&format!(">{name}</th>"))), "{names:?}");
            names.join(", ")
        };
        assert_eq!(explained(&[("", &study())]), "spread, serial");
        assert_eq!(explained(&[("a", &study()), ("b", &study())]), "x first, spread, serial");
        assert_eq!(explained(&[("", &scored)]), "x first");
    }

    #[test]
    fn the_best_is_first_among_bars_and_each_has_its_threads() {
        let mut fast = crate::app::bench::study::tests::scored();
        let slow = fast.clone();
        fast.score.as_mut().unwrap().solutions_per_second *= 3.0;
        fast.score.as_mut().unwrap().threads = 64;
        let text = written(&[("slow", &slow), ("fast", &fast)], Form::Svg);
        let place = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part} is missing: {text}"));
        assert!(place(">fast<") < place(">slow<"));
        assert!(place("6,000, 64 threads, good") < place("2,000, 2 threads, good"));
        let text =
            written(&[("slow", &study()), ("fast", &Study { rows: study().rows.split_off(3), ..study() })], Form::Svg);
        assert!(text.contains(">geometric mean of 3 counts<"), "{text}");
    }
}
