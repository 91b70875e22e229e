//! The strings of a JSON document with their pointers, in document order. Reads an invalid document as far as possible.

use std::ops::Range;

/// Maximum nesting depth with known pointers.
const DEEPEST: usize = 512;

/// Iterates over the strings of a document.
#[derive(Debug)]
pub struct JsonStrings<'a> {
    text: &'a [u8],
    at: usize,
    open: Vec<Container>,
    /// Current depth of containers beyond [`DEEPEST`].
    deeper: usize,
    is_key: bool,
}

#[derive(Debug)]
enum Container {
    /// With the last key read.
    Object(Range<usize>),
    /// With its first byte, and the number of values so far.
    Array { start: usize, index: usize },
}

/// A value of an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ArrayItem {
    /// The first byte of the array.
    pub array: usize,
    /// The position in the array.
    pub index: usize,
}

impl<'a> JsonStrings<'a> {
    /// The strings of `text` from `at` on.
    pub const fn of(text: &'a [u8], at: usize) -> Self {
        Self {
            text,
            at,
            open: Vec::new(),
            deeper: 0,
            is_key: false,
        }
    }

    /// The next string: its range between the quotes, and whether it is a key.
    pub fn next(&mut self) -> Option<(Range<usize>, bool)> {
        while let Some(byte) = self.text.get(self.at) {
            self.at += 1;
            match byte {
                b'"' => {
                    let range = self.at..end(self.text, self.at);
                    self.at = range.end + 1;
                    let is_key = self.is_key;
                    if is_key
                        && self.deeper == 0
                        && let Some(Container::Object(key)) = self.open.last_mut()
                    {
                        *key = range.clone();
                    }
                    return Some((range, is_key));
                }
                b'{' => self.enter(Container::Object(0..0), true),
                b'[' => {
                    let start = self.at;
                    self.enter(Container::Array { start, index: 0 }, false);
                }
                b'}' | b']' => {
                    self.is_key = false;
                    if self.deeper > 0 {
                        self.deeper -= 1;
                    } else {
                        self.open.pop();
                    }
                }
                b':' => self.is_key = false,
                b',' if self.deeper == 0 => match self.open.last_mut() {
                    Some(Container::Array { index, .. }) => *index += 1,
                    Some(Container::Object(_)) => self.is_key = true,
                    None => {}
                },
                _ => {}
            }
        }
        None
    }

    fn enter(&mut self, container: Container, is_key: bool) {
        self.is_key = is_key;
        if self.open.len() < DEEPEST {
            self.open.push(container);
        } else {
            self.deeper += 1;
        }
    }

    /// The value of the innermost array that the last string is in.
    pub fn item(&self) -> Option<ArrayItem> {
        self.open
            .iter()
            .rev()
            .find_map(|container| match container {
                Container::Array { start, index } if self.deeper == 0 => Some(ArrayItem {
                    array: *start,
                    index: *index,
                }),
                _ => None,
            })
    }

    /// The JSON pointer of the last string.
    pub fn pointer(&self) -> String {
        let mut pointer = String::new();
        for container in &self.open {
            pointer.push('/');
            match container {
                Container::Array { index, .. } => pointer.push_str(&index.to_string()),
                Container::Object(key) => {
                    let raw = String::from_utf8_lossy(&self.text[key.clone()]);
                    let quoted = format!("\"{raw}\"");
                    let key = serde_json::from_str(&quoted).unwrap_or_else(|_| raw.into_owned());
                    pointer.push_str(&key.replace('~', "~0").replace('/', "~1"));
                }
            }
        }
        pointer
    }
}

/// The line that contains a byte.
pub fn line(text: &[u8], at: usize) -> Range<usize> {
    let start = memchr::memrchr(b'\n', &text[..at]).map_or(0, |found| found + 1);
    let end = memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |found| at + found);
    start..end
}

/// The end of the string that begins at `at`.
fn end(text: &[u8], mut at: usize) -> usize {
    while let Some(found) = text
        .get(at..)
        .and_then(|rest| memchr::memchr2(b'"', b'\\', rest))
    {
        at += found;
        if text[at] == b'"' {
            return at;
        }
        at += 2;
    }
    text.len()
}

/// Counts decoded bytes and characters of a string up to a position, which only advances.
#[derive(Debug)]
pub struct StringCursor<'a> {
    raw: &'a [u8],
    at: usize,
    /// Bytes before the place.
    pub bytes: usize,
    /// Characters before the place.
    pub characters: usize,
}

impl<'a> StringCursor<'a> {
    /// The beginning of a string, as written between its quotes.
    pub const fn of(raw: &'a [u8]) -> Self {
        Self {
            raw,
            at: 0,
            bytes: 0,
            characters: 0,
        }
    }

    /// Advances to position `to` of the raw string, or to the end of the escape that contains it.
    pub fn go(&mut self, to: usize) {
        let to = to.min(self.raw.len());
        while self.at < to {
            let byte = self.raw[self.at];
            let (written, bytes) = if byte == b'\\' {
                escape(&self.raw[self.at..])
            } else {
                (1, 1)
            };
            self.characters += usize::from(byte & 0xc0 != 0x80);
            self.bytes += bytes;
            self.at += written;
        }
    }
}

/// The length of an escape, and the UTF-8 length of its character.
fn escape(raw: &[u8]) -> (usize, usize) {
    let unit = |at: usize| {
        let digits = raw.get(at..at + 6)?.strip_prefix(b"\\u")?;
        u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    match unit(0) {
        Some(0xd800..=0xdbff) if unit(6).is_some_and(|low| (0xdc00..=0xdfff).contains(&low)) => {
            (12, 4)
        }
        // Half of a surrogate pair is read as U+FFFD.
        Some(code) => (6, char::from_u32(code).map_or(3, char::len_utf8)),
        None => (2, 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_string_has_the_pointer_that_leads_to_it() {
        let text = br#"{"a":"b","c":[1,"d",{"e/~\u0066":"f,\"{"}],"g":{"h":[]},"i":"j"}"#;
        let mut strings = JsonStrings::of(text, 0);
        let mut found = Vec::new();
        while let Some((range, is_key)) = strings.next() {
            if !is_key {
                let string = String::from_utf8_lossy(&text[range]).into_owned();
                found.push((strings.pointer(), string));
            }
        }
        let expected = [
            ("/a", "b"),
            ("/c/1", "d"),
            ("/c/2/e~1~0f", "f,\\\"{"),
            ("/i", "j"),
        ];
        assert_eq!(found, expected.map(|(a, b)| (a.to_owned(), b.to_owned())));
    }

    #[test]
    fn a_document_that_is_cut_or_deep_is_read_to_its_end() {
        for text in ["{\"a\":\"b", "\"", "{\"a\\", "]]]\"x\"", "\"\\"] {
            let mut strings = JsonStrings::of(text.as_bytes(), 0);
            while let Some((range, _)) = strings.next() {
                assert!(range.end <= text.len());
                strings.pointer();
            }
        }
        let deep = format!("{}\"x\"{},\"y\"", "[".repeat(9000), "]".repeat(9000));
        let mut strings = JsonStrings::of(deep.as_bytes(), 0);
        assert!(strings.next().is_some() && strings.next().is_some());
        assert_eq!(strings.pointer(), "");
    }

    #[test]
    fn places_in_a_decoded_string_count_what_it_holds() {
        let raw = r#"é\n\ud83d\ude00\ud83dx\u00e9/"#;
        let mut decoded = StringCursor::of(raw.as_bytes());
        decoded.go(raw.len() - 1);
        assert_eq!(
            (decoded.bytes, decoded.characters),
            (2 + 1 + 4 + 3 + 1 + 2, 6)
        );
    }
}
