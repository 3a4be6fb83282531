//! One page with the charts and all numbers; it needs no network, and holds the JSON document.

use crate::app::bench::view::svg::{self, escape};
use crate::app::bench::view::{Boards, By, COLUMNS, Peers, Record, View, cells, machine_in_words, serial_fraction};
use crate::app::output::words::plural;
use crate::app::output::{Cell, Column, Detail, printable_json};
use std::io::{self, Write};

/// The page, with places for what is in it.
const PAGE: &str = include_str!("page.html");

/// The page of a study.
pub(super) fn write(view: &View<'_>, out: &mut impl Write) -> io::Result<()> {
    let record = view.record;
    let rows: Vec<Vec<Cell>> = record.rows.iter().map(|row| cells(record, row)).collect();
    fill("N-Queens scaling study", &summary(record), view, (COLUMNS, &rows), &serde_json::to_string(record)?, out)
}

/// The page of several studies, which are shown as one, with a table of them all.
pub(crate) fn write_comparison(
    view: &View<'_>,
    all: (&[Column<'_>], &[Vec<Cell>]),
    out: &mut impl Write,
) -> io::Result<()> {
    let line = |(name, record): &(&str, &Record)| format!("<p><b>{}</b></p>\n{}", escape(name), summary(record));
    let records: Vec<&Record> = view.studies.iter().map(|(_, record)| *record).collect();
    let summaries: Vec<String> = view.studies.iter().map(line).collect();
    let document = serde_json::to_string(&records)?;
    fill("N-Queens scaling studies side by side", &summaries.join("\n"), view, all, &document, out)
}

fn fill(
    title: &str,
    summary: &str,
    view: &View<'_>,
    all: (&[Column<'_>], &[Vec<Cell>]),
    document: &str,
    out: &mut impl Write,
) -> io::Result<()> {
    let charts: Vec<String> = svg::of_page(view).map(|chart| svg::inline(chart, view)).collect();
    let parts = [
        ("TITLE", title),
        ("STYLE", svg::STYLE),
        ("TITLE", title),
        ("SUMMARY", summary),
        ("CHARTS", &charts.join("\n")),
        ("SCALING", &scaling(view)),
        ("TABLE", &tables(view, all)),
        // Nothing in the document may end the script element it stands in.
        ("RECORD", &printable_json(document).replace('<', "\\u003c")),
    ];
    // What is put in is not looked through for further places.
    let mut rest = PAGE;
    for (name, part) in parts {
        let place = format!("{{{{{name}}}}}");
        let (before, after) = rest.split_once(&place).expect("the page has a place for it, in this order");
        write!(out, "{before}{part}")?;
        rest = after;
    }
    write!(out, "{rest}")
}

/// What was measured, where and when; and what is to be thought of it.
fn summary(record: &Record) -> String {
    let pinned = record.pinning().in_words();
    let compiler = record.program.compiler.as_ref().map_or(String::new(), |compiler| format!(", {compiler}"));
    let mut text = format!(
        "<p>{}</p>\n<p class=\"quiet\">nqueens {}{}; {}; each count {}, in turn, after one to warm up; {pinned}</p>\n\
         <p class=\"quiet\"><code>{}</code></p>",
        escape(&machine_in_words(&record.machine)),
        escape(&record.program.version),
        escape(&compiler),
        escape(&record.date),
        plural(record.repetitions, "time"),
        escape(&record.command),
    );
    for warning in &record.warnings {
        text += &["\n<p class=\"warning\">Warning: ", &escape(warning), "</p>"].concat();
    }
    text
}

/// The share of each count that does not get faster, where that is what is shown and several numbers of threads were timed.
fn scaling(view: &View<'_>) -> String {
    if view.by != By::Threads {
        return String::new();
    }
    let lines: Vec<String> = view
        .series(view.by)
        .iter()
        .filter_map(|series| {
            let serial = serial_fraction(view.record, series.rows[0])?;
            Some(format!("<p>{}: {serial}</p>", escape(&series.name)))
        })
        .collect();
    if lines.is_empty() {
        return String::new();
    }
    let lines = lines.join("\n");
    let how = "Amdahl's law, fitted to the medians by least squares.";
    format!("<h2>Serial fractions</h2>\n{lines}\n<p class=\"quiet\">{how}</p>")
}

/// The table of all numbers; that of the boards before it, and that of other programs, where they are asked for.
fn tables(view: &View<'_>, (columns, rows): (&[Column<'_>], &[Vec<Cell>])) -> String {
    let mut tables = Vec::new();
    if view.by == By::Board {
        let boards = Boards::of(view);
        tables.push(table(&boards.columns(), &boards.rows));
    }
    if !view.peers.is_empty() {
        let peers = Peers::of(view.peers);
        tables.push(table(&peers.columns(), &peers.rows));
    }
    tables.push(table(columns, rows));
    tables.join("\n<p></p>\n")
}

fn table(columns: &[Column<'_>], rows: &[Vec<Cell>]) -> String {
    let is_word = |cell: &Cell| matches!(cell, Cell::Text(_));
    let element = |tag: &str, end: &str, is_word: bool, text: &str| {
        let class = if is_word { " class=\"word\"" } else { "" };
        format!("<{tag}{class}>{}</{end}>", escape(text))
    };
    let line = |row: &[Cell], element: &dyn Fn(&Column<'_>, &Cell) -> String| {
        let shown = columns.iter().zip(row).filter(|(column, _)| column.detail <= Detail::Table);
        format!("<tr>{}</tr>\n", shown.map(|(column, cell)| element(column, cell)).collect::<Vec<_>>().concat())
    };
    let heading = |column: &Column<'_>, cell: &Cell| element("th scope=\"col\"", "th", is_word(cell), column.heading);
    let datum = |_: &Column<'_>, cell: &Cell| element("td", "td", is_word(cell), &cell.display("-"));
    let headings = rows.first().map(|row| line(row, &heading));
    let lines = headings.into_iter().chain(rows.iter().map(|row| line(row, &datum)));
    format!("<table>\n{}</table>", lines.collect::<Vec<_>>().concat())
}

#[cfg(test)]
mod tests {
    use crate::app::bench::view::peers::tests::peer;
    use crate::app::bench::view::tests::{record, written};
    use crate::app::bench::view::{By, Kind, Peer, Record, View, write};
    use crate::app::output::Format;
    use crate::app::output::printable::tests::{HOSTILE, is_harmless};

    #[test]
    fn hostile_text_leaves_the_elements_of_pages_and_pictures_as_they_are() {
        let plain = record();
        let mut hostile = plain.clone();
        let texts = hostile.rows.iter_mut().flat_map(|row| [&mut row.engine, &mut row.kernel, &mut row.plan]);
        let scaling = hostile.scaling.iter_mut().flat_map(|one| [&mut one.engine, &mut one.kernel]);
        let others = [&mut hostile.machine.cpu, &mut hostile.date, &mut hostile.command, &mut hostile.program.version];
        texts.chain(scaling).chain(others).for_each(|text| text.push_str(HOSTILE));
        hostile.warnings.iter_mut().for_each(|text| text.push_str(HOSTILE));
        let peers = |text: &str| [Peer { program: text.into(), ..peer(text, 16, 1.0) }];
        for kind in
            [Kind::Svg, Kind::Html].into_iter().chain([Format::Json, Format::Text, Format::Markdown].map(Kind::Rows))
        {
            for by in [By::Threads, By::Board] {
                let written_with = |record: &Record, peers: &[Peer], studies: &[(&str, &Record)]| {
                    let mut out = Vec::new();
                    write(&View { record, by, peers, studies }, kind, &mut out).unwrap();
                    String::from_utf8(out).unwrap()
                };
                // Below the charts are as many lines as there is text.
                let text = written_with(&hostile, &peers(HOSTILE), &[(HOSTILE, &hostile), ("two", &plain)]);
                assert!(is_harmless(&text) && text.contains("busy"), "{text:?}");
                let written = |record: &Record, peers: &[Peer]| written_with(record, peers, &[]);
                let (expected, text) = (written(&plain, &peers("")), written(&hostile, &peers(HOSTILE)));
                assert!(is_harmless(&text), "{text:?}");
                if matches!(kind, Kind::Svg | Kind::Html) {
                    let elements = |text: &str| text.matches('<').count();
                    assert_eq!(elements(&text), elements(&expected), "{text}");
                    assert!(kind == Kind::Html || !text.contains("& "), "{text}");
                }
            }
        }
    }

    #[test]
    fn nothing_in_the_record_becomes_a_part_of_the_page() {
        let text = written(Kind::Html);
        assert!(text.contains("Test &lt;CPU&gt; &amp; Co.") && text.contains("&lt;a&gt;&amp;b.html"), "{text}");
        assert!(!text.contains("<CPU>") && !text.contains("<a>") && !text.contains("{{"), "{text}");
        let (_, after) = text.split_once("id=\"record\">").unwrap();
        let document: serde_json::Value = serde_json::from_str(after.split_once("</script>").unwrap().0).unwrap();
        assert_eq!(document["command"], record().command);
    }
}
