//! The non-blank lines of a JSON Lines file, with their numbers, and the objects in them.

use std::borrow::Cow;

use serde::Deserialize;

use base::diagnostics::{Place, Source, without_mark};

use super::json::{self, place_of_error};
use super::reason::{not_an_object, reason};

/// A physical line without its line break.
#[derive(Debug, Clone)]
pub struct Line<'a> {
    /// Its number, from 1.
    pub number: u32,
    /// Its text: borrowed, unless invalid UTF-8 was replaced.
    pub text: Cow<'a, str>,
}

/// Why a line cannot be read.
#[derive(Debug)]
pub struct LineFault {
    /// The value at fault, or the whole line.
    pub place: Place,
    pub cause: LineFaultCause,
}

#[derive(Debug)]
pub enum LineFaultCause {
    /// It is not valid UTF-8.
    Encoding,
    /// It is JSON, but of this type instead of an object.
    NotAnObject(&'static str),
    /// It is not JSON, or an object of other keys and values.
    Json(serde_json::Error),
}

impl LineFault {
    /// The cause, as the end of a sentence about the line.
    pub fn reason(&self) -> String {
        match &self.cause {
            LineFaultCause::Encoding => "it is not valid UTF-8".to_owned(),
            LineFaultCause::NotAnObject(found) => format!("{found} instead of an object"),
            LineFaultCause::Json(error) => reason(error),
        }
    }

    /// The cause as a sentence.
    pub fn message(&self) -> String {
        match &self.cause {
            LineFaultCause::Encoding => "The line is not valid UTF-8".to_owned(),
            _ => format!("The line cannot be read: {}", self.reason()),
        }
    }
}

impl<'a> Line<'a> {
    /// Reads the line as an object. Its strings may borrow from the file, so invalid UTF-8 is a fault.
    ///
    /// # Errors
    /// The line is no such object.
    pub fn object<T: Deserialize<'a>>(&self, path: &str) -> Result<T, Box<LineFault>> {
        let source = self.source(path);
        let fault = |place, cause| Box::new(LineFault { place, cause });
        let Cow::Borrowed(text) = self.text else {
            let replaced = '\u{fffd}';
            let at = self.text.find(replaced).unwrap_or_default();
            let place = source.place(at, at + replaced.len_utf8());
            return Err(fault(place, LineFaultCause::Encoding));
        };
        // A derived type also reads an array, value by value.
        if let Some(found) = not_an_object(text) {
            let place = source.place(0, text.len());
            return Err(fault(place, LineFaultCause::NotAnObject(found)));
        }
        serde_json::from_str(text).map_err(|error| {
            let place = place_of_error::<T>(&source, text, &error);
            fault(place, LineFaultCause::Json(error))
        })
    }
}

impl Line<'_> {
    /// The line as a source for places.
    pub fn source<'s>(&'s self, path: &'s str) -> Source<'s> {
        Source::line(path, self.number, self.text.as_bytes())
    }

    /// The place of the value at a JSON pointer. Call it only to report a problem.
    pub fn place(&self, path: &str, pointer: &str) -> Place {
        json::place(&self.source(path), &self.text, pointer)
    }

    /// The line as Harn's loaders read it: without surrounding white space, including no-break spaces. A line surrounded only by
    /// JSON white space stays whole, so that columns match the file.
    pub fn trimmed(mut self) -> Self {
        let trimmed = self.text.trim();
        if trimmed != self.text.trim_matches([' ', '\t', '\r', '\n']) {
            let start = trimmed.as_ptr().addr() - self.text.as_ptr().addr();
            let range = start..start + trimmed.len();
            self.text = match self.text {
                Cow::Borrowed(text) => Cow::Borrowed(&text[range]),
                Cow::Owned(text) => Cow::Owned(text[range].to_owned()),
            };
        }
        self
    }
}

/// The non-blank lines of a file, without a leading byte order mark.
pub fn lines(bytes: &[u8]) -> impl Iterator<Item = Line<'_>> {
    let bytes = without_mark(bytes);
    // Checking the whole file once is much faster than checking each line.
    let whole = std::str::from_utf8(bytes).ok();
    let mut start = 0;
    let mut number = 0;
    std::iter::from_fn(move || {
        while start < bytes.len() {
            let from = start;
            let end = memchr::memchr(b'\n', &bytes[from..]).map_or(bytes.len(), |at| from + at);
            start = end + 1;
            number += 1;
            let line = &bytes[from..end];
            let end = from + line.strip_suffix(b"\r").unwrap_or(line).len();
            if bytes[from..end].iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            let text = whole.map_or_else(
                || String::from_utf8_lossy(&bytes[from..end]),
                |whole| Cow::Borrowed(&whole[from..end]),
            );
            return Some(Line { number, text });
        }
        None
    })
}

/// A line of a file that is read in chunks, without its line feed; `None` if blank.
pub fn line(number: u32, bytes: &[u8]) -> Option<Line<'_>> {
    let bytes = if number == 1 {
        without_mark(bytes)
    } else {
        bytes
    };
    let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return None;
    }
    let text = String::from_utf8_lossy(bytes);
    Some(Line { number, text })
}

/// BLAKE3 over each non-blank line after the first `skipped`, trailing CR removed, followed by LF.
pub fn hash(bytes: &[u8], skipped: usize) -> String {
    let mut hasher = blake3::Hasher::new();
    let (mut rest, mut seen) = (without_mark(bytes), 0);
    while !rest.is_empty() {
        let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        let (line, after) = rest.split_at(end);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if !line.iter().all(u8::is_ascii_whitespace) {
            if seen >= skipped {
                hasher.update(line);
                hasher.update(b"\n");
            }
            seen += 1;
        }
        rest = after.get(1..).unwrap_or_default();
    }
    hasher.finalize().to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_lines_count_but_are_not_given() {
        let found: Vec<_> = lines(b"\xef\xbb\xbfa\r\n \n\nb\xff")
            .map(|l| {
                let exact = matches!(l.text, Cow::Borrowed(_));
                (l.number, l.text.into_owned(), exact)
            })
            .collect();
        assert_eq!(
            found,
            [
                (1, "a".to_owned(), true),
                (4, "b\u{fffd}".to_owned(), false)
            ]
        );
    }

    #[test]
    fn a_line_is_an_object_of_a_type_or_has_a_fault_at_its_place() {
        #[derive(Debug, Deserialize)]
        #[allow(dead_code, reason = "only read")]
        struct Fields<'a> {
            key: &'a str,
            #[serde(default)]
            number: u8,
        }
        let text = b"{\"key\":\"a\"}\n[\"a\",1]\n{\"key\":\"\xff\"}\n{\"key\":\"a\",\"number\":-1}\n{\"key\":";
        let read = lines(text).map(|line| line.object::<Fields<'_>>("f"));
        let faults: Vec<_> = read
            .map(|read| {
                read.err()
                    .map(|fault| (fault.place.line, fault.place.column, fault.reason()))
            })
            .collect();
        let fault =
            |line, column, reason: &str| Some((Some(line), Some(column), reason.to_owned()));
        assert_eq!(
            faults,
            [
                None,
                fault(2, 1, "an array instead of an object"),
                fault(3, 9, "it is not valid UTF-8"),
                fault(
                    4,
                    21,
                    "the number `-1` instead of a whole number that is not negative"
                ),
                fault(5, 7, "it ends where a value is expected"),
            ]
        );
    }

    #[test]
    fn a_trimmed_line_has_no_white_space_around_it_that_json_does_not_know() {
        let text = "\u{a0}{}\u{2003}\n  {} \n\u{3000}\n\u{b}{}\n".as_bytes();
        let found: Vec<_> = lines(text).map(|l| l.trimmed().text.into_owned()).collect();
        assert_eq!(found, ["{}", "  {} ", "", "{}"]);
    }
}
