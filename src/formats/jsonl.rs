//! The non-blank lines of a JSON Lines file, with their numbers.

use std::borrow::Cow;

use base::diagnostics::{Place, Source, without_mark};

use super::json;

/// A physical line without its line break.
#[derive(Debug, Clone)]
pub struct Line<'a> {
    /// Its number, from 1.
    pub number: u32,
    /// Its text: borrowed, unless invalid UTF-8 was replaced.
    pub text: Cow<'a, str>,
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
    fn a_trimmed_line_has_no_white_space_around_it_that_json_does_not_know() {
        let text = "\u{a0}{}\u{2003}\n  {} \n\u{3000}\n\u{b}{}\n".as_bytes();
        let found: Vec<_> = lines(text).map(|l| l.trimmed().text.into_owned()).collect();
        assert_eq!(found, ["{}", "  {} ", "", "{}"]);
    }
}
