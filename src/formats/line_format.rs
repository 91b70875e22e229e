//! Lines of Harn's tapes and sidecars: each is an object with a `type`, and only the first is a header.

use serde::Deserialize;

use base::diagnostics::text::quoted;
use base::diagnostics::{Code, Diagnostic, Place};

use super::json::Str;
use super::jsonl::Line;
use super::portable;

/// A format of such lines, with the codes of its problems.
pub(super) struct LineFormat {
    /// The word for a file of the format.
    pub(super) file: &'static str,
    /// The `type` of all lines after the header.
    pub(super) word: &'static str,
    /// The code for an unreadable line.
    pub(super) malformed: &'static Code,
    /// The code for a header after the first line.
    pub(super) second_header: &'static Code,
}

/// The `type` of a line.
#[derive(Deserialize)]
pub(super) struct Tag<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) tag: Option<Str<'a>>,
}

impl LineFormat {
    /// Reads a line after the header.
    pub(super) fn read<'a, T: Deserialize<'a>>(
        &self,
        path: &str,
        line: &Line<'a>,
    ) -> Result<T, Box<Diagnostic>> {
        let Self { file, word, .. } = self;
        let Tag { tag } = self.object(path, line)?;
        let (source, text) = (line.source(path), &*line.text);
        // Computing a place takes longer than reading a line.
        let whole = || source.place(0, text.len());
        Err(Box::new(match tag.as_deref() {
            Some(tag) if tag == *word => {
                let read = self.object(path, line)?;
                return self.check_values(path, line).map(|()| read);
            }
            Some("header") => self.second_header.at(
                whole(),
                format!("This line is a header, and only the first line of a {file} may be one"),
                format!("Keep one header, on the first line, or split the {file} in two."),
            ),
            Some(other) => self.malformed.at(
                whole().pointing("/type"),
                format!("Unknown line type {} in a {file}", quoted(other)),
                format!("A {file} has one `header` line, then `{word}` lines."),
            ),
            None => self.malformed.at(
                whole().pointing("/type"),
                "The line has no `type`",
                format!("Add `\"type\":\"{word}\"`."),
            ),
        }))
    }

    /// Checks all values of a line, including unknown keys: Harn's loader reads them all.
    pub(super) fn check_values(&self, path: &str, line: &Line<'_>) -> Result<(), Box<Diagnostic>> {
        portable::first_rejected(&line.text).map_or(Ok(()), |(problem, range)| {
            let place = line.source(path).place(range.start, range.end);
            let message = format!("The line cannot be read: {}", problem.reason());
            Err(self.invalid(place, message))
        })
    }

    /// Reads a line, whatever its `type`.
    pub(super) fn object<'a, T: Deserialize<'a>>(
        &self,
        path: &str,
        line: &Line<'a>,
    ) -> Result<T, Box<Diagnostic>> {
        line.object(path).map_err(|fault| {
            let message = fault.message();
            self.invalid(fault.place, message)
        })
    }

    fn invalid(&self, place: Place, message: String) -> Box<Diagnostic> {
        let help = format!(
            "Correct the line; as in Harn's own loader, one invalid line invalidates the whole {}.",
            self.file
        );
        Box::new(self.malformed.at(place, message, help))
    }
}
