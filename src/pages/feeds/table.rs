//! `runs.csv`: the cards of all runs as one flat table.

use std::borrow::Cow;
use std::io::{self, Write};

use csv::{QuoteStyle, Terminator, WriterBuilder};

use base::links;
use formats::config::Config;
use formats::model::archive::Archive;
use formats::model::fields::{self, FieldValue};
use formats::model::findings::Findings;

use super::archive::{RunCard, address, text};

/// Columns that were added later: they are last, so that those before them keep their positions.
const LAST: &str = "links outcomes metrics.lowerBounds task verdict caseIsGiven audit excluded";

/// Writes `runs.csv` (RFC 4180). Every text is quoted, in case a spreadsheet expects a different separator; numbers are not, and
/// a value that was not recorded is an empty field.
pub fn write_runs(
    out: &mut dyn Write,
    config: &Config,
    archive: &Archive,
    findings: &[Findings],
) -> io::Result<()> {
    let mut csv = WriterBuilder::new()
        .terminator(Terminator::CRLF)
        .quote_style(QuoteStyle::Never)
        .from_writer(out);
    let columns = fields::fields_of(fields::CSV, "", LAST);
    csv.write_record(columns.iter().map(|field| quoted(field.column_name())))?;
    for (entry, findings) in archive.runs.iter().zip(findings) {
        let url = address(config, &links::run(&entry.slug));
        let source = RunCard::of(&url, entry, findings).source;
        csv.write_record(columns.iter().map(|field| cell(&(field.get)(&source))))?;
    }
    csv.flush()
}

fn cell(value: &FieldValue<'_>) -> String {
    match value {
        FieldValue::Number(number) => number.text().to_owned(),
        FieldValue::Count(count) => count.to_string(),
        FieldValue::Flag(flag) => flag.to_string(),
        value => text(value).map_or_else(String::new, |text| quoted(&harmless(&text))),
    }
}

/// A text in quotes, with quotes in it doubled.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

/// A text that no spreadsheet evaluates as a formula: prefixed with an apostrophe if it could begin one.
fn harmless(text: &str) -> Cow<'_, str> {
    if text.starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠', '\t', '\r', '\n']) {
        Cow::Owned(format!("'{text}"))
    } else {
        Cow::Borrowed(text)
    }
}

#[cfg(test)]
mod tests {
    use super::harmless;

    #[test]
    fn what_a_spreadsheet_would_compute_is_made_text() {
        for text in ["=1+1", "+1", "-cmd", "@SUM(A1)", "\t=1", "\r=1", "\n=1"] {
            assert_eq!(harmless(text), format!("'{text}"));
        }
        assert_eq!(harmless("pong"), "pong");
    }
}
