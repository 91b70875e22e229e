//! Knows lines: the non-blank lines of a JSON Lines file with their numbers.

use std::borrow::Cow;

use crate::diagnostics::without_mark;

/// One physical line without its line break.
#[derive(Debug, Clone)]
pub struct Line<'a> {
    /// Its number, from 1.
    pub number: u32,
    /// Its text; bytes that are not UTF-8 are replaced, and `exact` says so.
    pub text: Cow<'a, str>,
    /// Whether `text` is what the file holds.
    pub exact: bool,
}

/// The lines of a file that hold more than white space. A byte order mark before the first is dropped.
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
            let exact = matches!(text, Cow::Borrowed(_));
            return Some(Line {
                number,
                text,
                exact,
            });
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_lines_count_but_are_not_given() {
        let found: Vec<_> = lines(b"\xef\xbb\xbfa\r\n \n\nb\xff")
            .map(|l| (l.number, l.text.into_owned(), l.exact))
            .collect();
        assert_eq!(
            found,
            [
                (1, "a".to_owned(), true),
                (4, "b\u{fffd}".to_owned(), false)
            ]
        );
    }
}
