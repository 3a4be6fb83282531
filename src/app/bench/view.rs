//! The output for studies: a table in one of the formats of [rows] and, in text, the means below it. The JSON of a
//! single study is the study itself, and the text of a single score is the line to quote.

use crate::app::bench::score;
use crate::app::bench::side_by_side::geometric_means;
use crate::app::bench::study::Study;
use crate::app::bench::tables;
use crate::app::output::words;
use crate::app::output::{Sink, printable, printable_json};
use crate::app::rows::{Format, Kind, Report};
use std::io;

/// The name and version of the JSON document of several studies.
const KIND: Kind = Kind::Many("nqueens/compare/1");

/// Writes studies side by side, or one alone.
pub(crate) fn write(studies: &[Study], format: Format, mut output: impl Sink) -> io::Result<()> {
    let alone = match studies {
        [study] if format == Format::Json => Some(json(study)?),
        [study] if format == Format::Text => score::quoted(study).map(|line| printable(&line).into_owned()),
        _ => None,
    };
    if let Some(alone) = alone {
        writeln!(output, "{alone}")?;
        // An incomplete file is kept, because the study took long to measure.
        output.keep();
        return output.end();
    }
    let mut report = Report::open(format, KIND, output);
    report.fitted(&tables::rows_of_studies(studies))?;
    if format == Format::Text
        && let Some((title, means)) = geometric_means(studies)
    {
        let mut best_first: Vec<_> = means.iter().zip(studies).collect();
        best_first.sort_by(|one, other| other.0.total_cmp(one.0));
        report.text(&format!("\n{title}, x first\n"))?;
        for (&mean, study) in best_first {
            report.text(&format!("{:>7}  {}\n", words::ratio(mean), printable(&study.name)))?;
        }
    }
    report.finish(true)
}

/// Returns a study as JSON, with each of its rows in one line.
fn json(study: &Study) -> serde_json::Result<String> {
    let rows = study.rows.iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>()?.join(",\n");
    let without = serde_json::to_string_pretty(&Study { rows: Vec::new(), ..study.clone() })?;
    // A string cannot contain this, because its quotation marks are escaped.
    let whole = without.replacen("\"rows\": []", &format!("\"rows\": [\n{rows}\n  ]"), 1);
    Ok(printable_json(&whole).into_owned())
}
