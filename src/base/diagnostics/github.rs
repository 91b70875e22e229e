//! GitHub workflow commands, which annotate the lines of a pull request.

use std::fmt::Write;

use crate::characters::replace_hidden;

use super::{Diagnostic, Severity};

/// One command per problem.
pub fn render(diagnostics: &[Diagnostic]) -> String {
    let mut out = String::new();
    for diagnostic in diagnostics {
        let command = match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "notice",
        };
        let place = &diagnostic.place;
        // Writing to a string cannot fail.
        let _ = write!(out, "::{command} file={}", property(&place.path));
        if let Some(line) = place.line {
            let _ = write!(out, ",line={line}");
        }
        if let Some(column) = place.column {
            let _ = write!(out, ",col={column}");
        }
        let text = format!("{}. {}", diagnostic.message, diagnostic.help);
        let _ = writeln!(
            out,
            ",title={}::{}",
            property(diagnostic.code.name),
            message(&text)
        );
    }
    out
}

/// Escapes the text after the second `::`: percent signs and line breaks would end it.
fn message(text: &str) -> String {
    replace_hidden(text)
        .replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// Escapes a property value: commas and colons would also end it.
fn property(text: &str) -> String {
    message(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use crate::diagnostics::{Place, codes};

    #[test]
    fn values_cannot_end_a_command() {
        let place = Place {
            line: Some(3),
            column: Some(14),
            ..Place::file("a,b:c%\nd/run-record.json")
        };
        let problem = codes::RECORD_EMPTY_NAME.at(place, "one\r\n::error::two", "Help.");
        assert_eq!(
            super::render(&[problem]),
            "::error file=a%2Cb%3Ac%25%0Ad/run-record.json,line=3,col=14,title=record.empty-name::one%0D%0A::error::two. Help.\n"
        );
    }
}
