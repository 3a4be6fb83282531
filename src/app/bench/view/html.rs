//! A page with the charts, all numbers and the JSON document. It needs no network.

use crate::app::bench::study::Study;
use crate::app::bench::view::rows::{BoardRow, PeerRow, TimingRow};
use crate::app::bench::view::svg::{self, escape};
use crate::app::bench::view::{Variable, View, bars, shared};
use crate::app::output::printable_json;
use crate::app::output::words::plural;
use crate::app::rows::{Cell, Row};
use std::io::{self, Write};

/// The page, with places such as `{{TITLE}}` for its parts.
const PAGE: &str = include_str!("page.html");

/// Writes the page of a study.
pub(super) fn write(view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
    let document = serde_json::to_string(view.study)?;
    let rows = TimingRow::all(view.study);
    fill("N-Queens scaling study", &summary(view.study), view, &rows, &document, out)
}

/// Writes the page of several studies, with `rows` as the table of all numbers.
pub(crate) fn write_comparison(view: &View<'_>, rows: &[impl Row], out: &mut dyn Write) -> io::Result<()> {
    let named = |(name, study): &(&str, &Study)| format!("<p><b>{}</b></p>\n{}", escape(name), summary(study));
    let studies: Vec<&Study> = view.studies.iter().map(|(_, study)| *study).collect();
    let summaries: Vec<String> = view.studies.iter().map(named).collect();
    let document = serde_json::to_string(&studies)?;
    fill("N-Queens scaling studies side by side", &summaries.join("\n"), view, rows, &document, out)
}

fn fill(
    title: &str,
    summary: &str,
    view: &View<'_>,
    rows: &[impl Row],
    document: &str,
    out: &mut dyn Write,
) -> io::Result<()> {
    let parts = [
        ("TITLE", title),
        ("STYLE", svg::STYLE),
        ("TITLE", title),
        ("SUMMARY", summary),
        ("CHARTS", &charts(view)),
        ("SCALING", &scaling(view)),
        ("TABLE", &tables(view, rows)),
        // Nothing in the document may end the script element around it.
        ("RECORD", &printable_json(document).replace('<', "\\u003c")),
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

/// Returns the charts of a view, or if several studies share counts, the bars and charts of each count.
fn charts(view: &View<'_>) -> String {
    let section = |title: &str, charts: Vec<String>| {
        let (title, charts) = (escape(title), charts.join("\n"));
        format!("<section class=\"charts\" aria-label=\"{title}\">\n{charts}\n</section>\n")
    };
    let (counts, others) = shared::drawn(view.counts);
    if counts.is_empty() || view.by == Variable::Board {
        return section("Charts", svg::of_page(view).map(|chart| svg::inline(chart, view)).collect());
    }
    let mut text = String::new();
    for count in counts {
        let study = count.study(view);
        let view = View { study: &study, counts: &[], ..*view };
        let charts = svg::of_count(&view).map(|chart| svg::inline(chart, &view));
        let charts = std::iter::once(bars::inline(count, &view)).chain(charts).collect();
        text += &["<h2>", &escape(&count.name), "</h2>\n", &section(&count.name, charts)].concat();
    }
    if others > 0 {
        text += &["<p class=\"quiet\">", &shared::not_drawn(others), "</p>\n"].concat();
    }
    text
}

/// Returns the machine, the program, the conditions and the warnings of a study.
fn summary(study: &Study) -> String {
    let compiler = study.program.compiler.as_ref().map_or(String::new(), |compiler| format!(", {compiler}"));
    let mut text = format!(
        "<p>{}</p>\n<p class=\"quiet\">nqueens {}{}; {}; each count {}, in turn, after one to warm up; {}</p>\n\
         <p class=\"quiet\"><code>{}</code></p>",
        escape(&study.machine.in_words()),
        escape(&study.program.version),
        escape(&compiler),
        escape(&study.date),
        plural(study.repetitions, "time"),
        study.pinning().in_words(),
        escape(&study.command),
    );
    for warning in &study.warnings {
        text += &["\n<p class=\"warning\">Warning: ", &escape(warning), "</p>"].concat();
    }
    text
}

/// Returns the serial fractions of a view over the threads.
fn scaling(view: &View<'_>) -> String {
    if view.by != Variable::Threads {
        return String::new();
    }
    let series = view.series(view.by).into_iter();
    let fractions = series.filter_map(|series| Some((series.name, view.study.serial_fraction(series.rows[0])?)));
    let lines: Vec<String> = fractions.map(|(name, serial)| format!("<p>{}: {serial}</p>", escape(&name))).collect();
    if lines.is_empty() {
        return String::new();
    }
    let lines = lines.join("\n");
    let how = "Amdahl's law, fitted to the medians by least squares.";
    format!("<h2>Serial fractions</h2>\n{lines}\n<p class=\"quiet\">{how}</p>")
}

/// Returns the table of `rows`, after those of the boards and of other programs if the view has them.
fn tables(view: &View<'_>, rows: &[impl Row]) -> String {
    let mut tables = Vec::new();
    if view.by == Variable::Board {
        tables.push(table(&BoardRow::all(view)));
    }
    if !view.peers.is_empty() {
        tables.push(table(&PeerRow::all(view.peers)));
    }
    tables.push(table(rows));
    tables.join("\n<p></p>\n")
}

fn table(rows: &[impl Row]) -> String {
    let mut text = "<table>\n".to_owned();
    for (index, row) in rows.iter().enumerate() {
        let cells = row.cells();
        let line = |tag: &str, attributes: &str, text: fn(&Cell) -> &str| {
            let element = |cell: &Cell| {
                let class = if cell.is_number() { "" } else { " class=\"word\"" };
                format!("<{tag}{attributes}{class}>{}</{tag}>", escape(text(cell)))
            };
            format!("<tr>{}</tr>\n", cells.iter().map(element).collect::<String>())
        };
        if index == 0 {
            text += &line("th", " scope=\"col\"", Cell::heading);
        }
        text += &line("td", "", Cell::text);
    }
    text + "</table>"
}

#[cfg(test)]
mod tests {
    use crate::app::bench::peers::PeerTime;
    use crate::app::bench::peers::tests::peer;
    use crate::app::bench::study::Study;
    use crate::app::bench::study::tests::study;
    use crate::app::bench::view::tests::written;
    use crate::app::bench::view::{Form, Variable, View, write};
    use crate::app::output::Format;
    use crate::app::output::printable::tests::{HOSTILE, is_harmless};

    #[test]
    fn hostile_text_leaves_the_elements_of_pages_and_pictures_as_they_are() {
        let plain = study();
        let mut hostile = plain.clone();
        let texts = hostile.rows.iter_mut().flat_map(|row| [&mut row.engine, &mut row.kernel, &mut row.plan]);
        let scaling = hostile.scaling.iter_mut().flat_map(|one| [&mut one.engine, &mut one.kernel]);
        let others = [&mut hostile.machine.cpu, &mut hostile.date, &mut hostile.command, &mut hostile.program.version];
        texts.chain(scaling).chain(others).for_each(|text| text.push_str(HOSTILE));
        hostile.warnings.iter_mut().for_each(|text| text.push_str(HOSTILE));
        let peers = |text: &str| [PeerTime { program: text.into(), ..peer(text, 16, 1.0) }];
        for form in
            [Form::Svg, Form::Html].into_iter().chain([Format::Json, Format::Text, Format::Markdown].map(Form::Rows))
        {
            for by in [Variable::Threads, Variable::Board] {
                let written_with = |study: &Study, peers: &[PeerTime], studies: &[(&str, &Study)]| {
                    let mut out = Vec::new();
                    write(&View { study, by, peers, studies, counts: &[] }, form, &mut out).unwrap();
                    String::from_utf8(out).unwrap()
                };
                // The number of lines of notes depends on the length of the text.
                let text = written_with(&hostile, &peers(HOSTILE), &[(HOSTILE, &hostile), ("two", &plain)]);
                assert!(is_harmless(&text) && text.contains("busy"), "{text:?}");
                let written = |study: &Study, peers: &[PeerTime]| written_with(study, peers, &[]);
                // A name of as many lines.
                let harmless: String = HOSTILE.chars().map(|one| if one.is_whitespace() { ' ' } else { 'x' }).collect();
                let (expected, text) = (written(&plain, &peers(&harmless)), written(&hostile, &peers(HOSTILE)));
                assert!(is_harmless(&text), "{text:?}");
                if matches!(form, Form::Svg | Form::Html) {
                    let elements = |text: &str| text.matches('<').count();
                    assert_eq!(elements(&text), elements(&expected), "{text}");
                    assert!(form == Form::Html || !text.contains("& "), "{text}");
                }
            }
        }
    }

    #[test]
    fn nothing_in_the_record_becomes_a_part_of_the_page() {
        let text = written(Form::Html);
        assert!(text.contains("Test &lt;CPU&gt; &amp; Co.") && text.contains("&lt;a&gt;&amp;b.html"), "{text}");
        assert!(!text.contains("<CPU>") && !text.contains("<a>") && !text.contains("{{"), "{text}");
        let (_, after) = text.split_once("id=\"record\">").unwrap();
        let document: serde_json::Value = serde_json::from_str(after.split_once("</script>").unwrap().0).unwrap();
        assert_eq!(document["command"], study().command);
    }
}
