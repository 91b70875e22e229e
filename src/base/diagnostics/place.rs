//! Places in files: line, column and excerpt.

use serde::{Deserialize, Serialize};

use super::text::visible;

/// Characters shown on each side of a problem.
const CONTEXT: usize = 60;

/// The place of a problem. Lines and columns count from 1; a column counts Unicode code points.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// Relative to the site's root, or to its content root outside the site; with `/`.
    pub path: String,
    /// The line, if known.
    pub line: Option<u32>,
    /// The column, if known.
    pub column: Option<u32>,
    /// A JSON pointer into the document, or into the line of a JSON Lines file.
    pub pointer: Option<String>,
    /// The source line, for the terminal only; never written into a file of the site.
    pub excerpt: Option<Excerpt>,
}

/// A piece of a source line with a marked part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Excerpt {
    /// The piece, with control characters replaced, cut around the problem.
    pub text: String,
    /// First byte of the marked part in `text`.
    pub start: usize,
    /// End of the marked part in `text`.
    pub end: usize,
}

impl Place {
    /// A whole file.
    pub fn file(path: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            ..Self::default()
        }
    }

    /// The folders above the file, the outer ones first, and the path itself.
    pub fn folders(&self) -> impl Iterator<Item = &str> {
        let ends = self.path.match_indices('/').map(|(at, _)| at);
        let ends = ends.chain([self.path.len()]);
        ends.map(|end| &self.path[..end])
    }

    /// The same place with a JSON pointer.
    pub fn pointing(mut self, pointer: impl Into<String>) -> Self {
        self.pointer = Some(pointer.into());
        self
    }
}

/// A place that is only computed if it is reported.
#[derive(Debug, Clone)]
pub struct LazyPlace<'a> {
    /// The text.
    pub source: Source<'a>,
    /// Byte offset in the text.
    pub at: usize,
    /// JSON pointer.
    pub pointer: String,
}

impl LazyPlace<'_> {
    pub fn place(&self) -> Place {
        self.source
            .place(self.at, self.at + 1)
            .pointing(self.pointer.as_str())
    }
}

/// The text of a file, or one line of it, in which places are computed.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// The file's path as in [`Place::path`].
    pub path: &'a str,
    pub text: &'a [u8],
    /// The number of the first line of `text`, from 1.
    pub first_line: u32,
}

impl<'a> Source<'a> {
    /// A whole file, without its byte order mark.
    pub fn file(path: &'a str, text: &'a [u8]) -> Self {
        Self {
            path,
            text: without_mark(text),
            first_line: 1,
        }
    }

    /// One line of a file; its places do not require reading the lines before it.
    pub const fn line(path: &'a str, line: u32, text: &'a [u8]) -> Self {
        Self {
            path,
            text,
            first_line: line,
        }
    }

    /// The text as UTF-8, or the place of the first byte that is not.
    pub fn utf8(&self) -> Result<&'a str, Place> {
        std::str::from_utf8(self.text).map_err(|error| {
            let at = error.valid_up_to();
            self.place(at, at + 1)
        })
    }

    /// The help for a text that is not UTF-8: `otherwise`, unless it is known how the text is written.
    pub fn help_for_utf8(&self, otherwise: &'static str) -> &'static str {
        if self.text.starts_with(b"\xFF\xFE") || self.text.starts_with(b"\xFE\xFF") {
            return "It is UTF-16, as Windows PowerShell writes it. Save it as UTF-8: `Get-Content FILE | Set-Content -Encoding utf8 NEW`.";
        }
        otherwise
    }

    /// The place of the bytes `start..end`. Reads all text before them; for many places in one text, use [`Source::walk`].
    pub fn place(&self, start: usize, end: usize) -> Place {
        self.walk().place(start, end)
    }

    /// Computes places one after the other.
    pub const fn walk(self) -> Walk<'a> {
        Walk {
            source: self,
            at: 0,
            line_start: 0,
            newlines: 0,
            chars: 0,
        }
    }

    /// The place of a `serde_json` error in this text.
    pub fn place_of(&self, error: &serde_json::Error) -> Place {
        // serde_json counts columns in bytes; 0 means "before the first byte of the line".
        let mut start = 0;
        for _ in 1..error.line() {
            start += memchr::memchr(b'\n', &self.text[start..]).map_or(0, |at| at + 1);
        }
        let at = (start + error.column().saturating_sub(1)).min(self.text.len());
        self.place(at, at + 1)
    }
}

/// Computes places in ascending order, each from the one before.
#[derive(Debug, Clone)]
pub struct Walk<'a> {
    source: Source<'a>,
    /// Current byte offset.
    at: usize,
    /// Start of the current line.
    line_start: usize,
    /// Number of line ends before the offset.
    newlines: usize,
    /// Number of characters before the offset on its line.
    chars: usize,
}

impl Walk<'_> {
    /// The place of the bytes `start..end`.
    pub fn place(&mut self, start: usize, end: usize) -> Place {
        let text = self.source.text;
        let start = start.min(text.len());
        self.advance(start);
        // An excerpt shows no more of the line than this.
        let rest = &text[start..text.len().min(start + CONTEXT * 16)];
        let line_end = start + memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        let line = &text[self.line_start..line_end];
        let marked = start - self.line_start..end.clamp(start, line_end) - self.line_start;
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Place {
            path: self.source.path.to_owned(),
            line: Some(self.source.first_line.saturating_add(count(self.newlines))),
            column: Some(count(self.chars).saturating_add(1)),
            pointer: None,
            excerpt: Some(excerpt(line, marked)),
        }
    }

    fn advance(&mut self, to: usize) {
        if to < self.at {
            *self = self.source.walk();
        }
        let skipped = &self.source.text[self.at..to];
        if let Some(last) = memchr::memrchr(b'\n', skipped) {
            self.newlines += memchr::memchr_iter(b'\n', skipped).count();
            self.line_start = self.at + last + 1;
            self.chars = chars(&skipped[last + 1..]);
        } else {
            self.chars += chars(skipped);
        }
        self.at = to;
    }
}

/// The text without a byte order mark.
pub fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text)
}

fn chars(bytes: &[u8]) -> usize {
    // The number of bytes that begin a character: exact for valid UTF-8, harmless otherwise.
    bytes.iter().filter(|byte| (**byte & 0xc0) != 0x80).count()
}

fn excerpt(line: &[u8], marked: std::ops::Range<usize>) -> Excerpt {
    // A character has at most four bytes.
    let bytes = CONTEXT * 4;
    let before = String::from_utf8_lossy(&line[marked.start.saturating_sub(bytes)..marked.start]);
    let inside = String::from_utf8_lossy(&line[marked.start..marked.end.min(marked.start + bytes)]);
    let after = String::from_utf8_lossy(&line[marked.end..line.len().min(marked.end + bytes)]);
    let skip = before.chars().count().saturating_sub(CONTEXT);
    let cut = skip > 0 || marked.start > bytes;
    let mut text = if cut { "…".to_owned() } else { String::new() };
    text.push_str(&visible(&before.chars().skip(skip).collect::<String>()));
    let start = text.len();
    let whole = inside.chars().count() <= CONTEXT && marked.len() <= bytes;
    text.push_str(&visible(&inside.chars().take(CONTEXT).collect::<String>()));
    let end = text.len();
    if !whole {
        text.push('…');
        return Excerpt { text, start, end };
    }
    let tail: String = after
        .trim_end_matches(['\r', '\n'])
        .chars()
        .take(CONTEXT)
        .collect();
    text.push_str(&visible(&tail));
    if line.len() - marked.end > tail.len() + 1 {
        text.push('…');
    }
    Excerpt { text, start, end }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_not_bytes() {
        let source = Source::file("f", "{\n  \"é\": 1\t,x\n}".as_bytes());
        let at = "{\n  \"é\": 1\t,x".len() - 1;
        let place = source.place(at, at + 1);
        assert_eq!((place.line, place.column), (Some(2), Some(11)));
        let excerpt = place.excerpt.expect("an excerpt");
        assert_eq!(&excerpt.text[excerpt.start..excerpt.end], "x");
    }

    #[test]
    fn a_walk_finds_the_same_places_forwards_and_backwards() {
        let text = "é\n{\r\n  \"é\": 1,\n\n  \"b\": [\n2]}";
        let source = Source::file("f", text.as_bytes());
        let mut walk = source.walk();
        let there = 0..text.len();
        for at in there.clone().chain(there.rev()) {
            assert_eq!(walk.place(at, at + 3), source.place(at, at + 3), "{at}");
        }
    }

    #[test]
    fn a_long_line_is_cut_around_the_problem() {
        let line = format!("{}!{}", "a".repeat(100_000), "b".repeat(100_000));
        let place = Source::line("f", 7, line.as_bytes()).place(100_000, 100_001);
        assert_eq!((place.line, place.column), (Some(7), Some(100_001)));
        let excerpt = place.excerpt.expect("an excerpt");
        assert!(excerpt.text.chars().count() < 2 * CONTEXT + 5);
        assert_eq!(&excerpt.text[excerpt.start..excerpt.end], "!");
    }
}
