//! Lines of Harn's tapes and sidecars: each is an object with a `type`, and only the first is a header.

use std::borrow::Cow;

use serde::Deserialize;

use base::diagnostics::text::quoted;
use base::diagnostics::{Code, Diagnostic, Place, Source};

use super::json::{Str, place_of_error};
use super::jsonl::Line;
use super::portable;
use super::reason::reason_of_line;

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
        source: &Source<'_>,
        line: &Line<'a>,
    ) -> Result<T, Box<Diagnostic>> {
        let Self { file, word, .. } = self;
        let Cow::Borrowed(text) = line.text else {
            return Err(Box::new(self.malformed.at(
                source.place(0, 1),
                "The line is not valid UTF-8",
                format!("Write the {file} as UTF-8."),
            )));
        };
        let Tag { tag } = serde_json::from_str(text)
            .map_err(|error| self.unreadable::<Tag<'_>>(source, text, &error))?;
        // Computing a place takes longer than reading a line.
        let whole = || source.place(0, text.len());
        Err(Box::new(match tag.as_deref() {
            Some(tag) if tag == *word => {
                let read = serde_json::from_str(text)
                    .map_err(|error| self.unreadable::<T>(source, text, &error))?;
                return self.check_values(source, text).map(|()| read);
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
    pub(super) fn check_values(
        &self,
        source: &Source<'_>,
        text: &str,
    ) -> Result<(), Box<Diagnostic>> {
        portable::first_rejected(text).map_or(Ok(()), |(problem, range)| {
            let place = source.place(range.start, range.end);
            Err(self.invalid(place, problem.reason()))
        })
    }

    /// The problem of a line that is not a `T`.
    pub(super) fn unreadable<'a, T: Deserialize<'a>>(
        &self,
        source: &Source<'_>,
        text: &'a str,
        error: &serde_json::Error,
    ) -> Box<Diagnostic> {
        let place = place_of_error::<T>(source, text, error);
        self.invalid(place, &reason_of_line(text, error))
    }

    fn invalid(&self, place: Place, reason: &str) -> Box<Diagnostic> {
        Box::new(self.malformed.at(
            place,
            format!("The line cannot be read: {reason}"),
            format!(
                "Correct the line; as in Harn's own loader, one invalid line invalidates the whole {}.",
                self.file
            ),
        ))
    }
}
