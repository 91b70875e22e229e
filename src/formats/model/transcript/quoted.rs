//! Analyzes JSON inside text by its quoted pieces. Works for JSON that is truncated, escaped any number of times, or preceded by
//! white space or hidden characters.

use crate::private::{
    is_block_key, is_harn_directive, is_harn_publication, is_reasoning, is_spelled,
    names_type_or_role,
};
use base::characters::is_hidden;

/// Bytes kept of a piece: longer ones are not keys.
const MAX_PIECE_BYTES: usize = 1024;

/// The text without leading white space and hidden characters, if it then begins like JSON.
pub(super) fn json(text: &str) -> Option<&str> {
    let json = text.trim_start_matches(|c: char| c.is_whitespace() || is_hidden(c));
    json.starts_with(['{', '[', '"']).then_some(json)
}

/// Whether JSON has a key for reasoning, or a value that marks reasoning.
pub(super) fn has_reasoning(json: &str) -> bool {
    let mut found = false;
    Pieces::all(json, |key, between, value| {
        found |= is_reasoning(key)
            || (names_type_or_role(key)
                && between.trim_end_matches('[') == ":"
                && is_reasoning(value));
    });
    found
}

/// Whether JSON looks like blocks, and has a visibility that is not public.
pub(super) fn has_hidden_block(json: &str) -> bool {
    let (mut hidden, mut block) = (false, false);
    Pieces::all(json, |key, between, value| {
        hidden |= is_spelled(key, "visibility") && (between, value) != (":", "public");
        hidden |= is_harn_publication(key) && (between, value) != (":", "published");
        hidden |=
            is_harn_directive(key) && !between.starts_with(":[]") && !between.starts_with(":null");
        block |= is_block_key(key);
    });
    hidden && block
}

/// Searches a stream of bytes for a document of Harn that is or embeds a transcript.
#[derive(Default)]
pub struct TranscriptSearch {
    pieces: Pieces,
    found: bool,
}

impl TranscriptSearch {
    pub fn read(&mut self, bytes: &[u8]) {
        let found = &mut self.found;
        self.pieces.read(bytes, &mut |key, between, value| {
            *found |= between == ":"
                && is_spelled(key, "type")
                && (is_spelled(value, "transcript") || is_spelled(value, "runrecord"));
        });
    }

    /// Whether one was found so far.
    pub const fn found(&self) -> bool {
        self.found
    }
}

/// Splits text at its quotes. White space is dropped, and escapes are resolved at any nesting.
#[derive(Default)]
struct Pieces {
    /// The last three pieces. If the middle one begins with a colon, they are a key, the separator and a value.
    last: [Vec<u8>; 3],
    escape: Escape,
}

/// The state of an escape.
#[derive(Default, Clone, Copy)]
enum Escape {
    #[default]
    None,
    /// After backslashes.
    Open,
    /// In the digits of a code point.
    Digits { code: u32, left: u8 },
}

impl Pieces {
    fn all(text: &str, mut seen: impl FnMut(&str, &str, &str)) {
        let mut pieces = Self::default();
        pieces.read(text.as_bytes(), &mut seen);
        // The last two pieces are still open.
        pieces.cut(&mut seen);
        pieces.cut(&mut seen);
    }

    fn read(&mut self, bytes: &[u8], seen: &mut impl FnMut(&str, &str, &str)) {
        for byte in bytes.iter().copied() {
            // ASCII in UTF-16, without its zero bytes, is ASCII.
            if byte != 0 {
                self.byte(byte, seen);
            }
        }
    }

    fn byte(&mut self, byte: u8, seen: &mut impl FnMut(&str, &str, &str)) {
        match (std::mem::take(&mut self.escape), byte) {
            (Escape::None | Escape::Open, b'\\') => self.escape = Escape::Open,
            (Escape::Open, b'u') => self.escape = Escape::Digits { code: 0, left: 4 },
            (Escape::Open, b'b' | b'f' | b'n' | b'r' | b't') => {}
            (Escape::Digits { code, left }, _) if byte.is_ascii_hexdigit() => {
                let digit = char::from(byte).to_digit(16).unwrap_or_default();
                let (code, left) = (code * 16 + digit, left - 1);
                if left > 0 {
                    self.escape = Escape::Digits { code, left };
                } else if code == u32::from(b'\\') {
                    self.escape = Escape::Open;
                } else {
                    let c = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
                    for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                        self.plain(byte, seen);
                    }
                }
            }
            _ => self.plain(byte, seen),
        }
    }

    fn plain(&mut self, byte: u8, seen: &mut impl FnMut(&str, &str, &str)) {
        if matches!(byte, b'"' | b'\'') {
            self.cut(seen);
        } else if !byte.is_ascii_whitespace() && self.last[2].len() < MAX_PIECE_BYTES {
            self.last[2].push(byte);
        }
    }

    fn cut(&mut self, seen: &mut impl FnMut(&str, &str, &str)) {
        let [key, between, value] = &self.last;
        if between.first() == Some(&b':') {
            let [key, between, value] =
                [key, between, value].map(|piece| String::from_utf8_lossy(piece));
            seen(&key, &between, &value);
        }
        self.last.rotate_left(1);
        self.last[2].clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasoning_is_found_in_json_that_is_escaped_or_cut_off() {
        for text in [
            r#"{"reasoning_content":"L"}"#,
            r#"{"reasoning":"L"#,
            r#"{"reasoning":1"#,
            r#"{"a":1} {"thinking" : "L"}"#,
            r#""{\"thought\":\"L\"}""#,
            r#"{"a":"{\"b\":\"{\\\"thought\\\":1}\"}"}"#,
            r#"{"reas\u006fning":"L"}"#,
            r#"{"n":"it's","reasoning":"L"}"#,
            "{'reasoning': 'L'}",
            r#"[{"Type":["reasoning"],"text":"L"}]"#,
        ] {
            assert!(json(text).is_some_and(has_reasoning), "{text}");
        }
        for text in [
            "[info] reasoning: about it",
            r#"{"title":"analysis"}"#,
            r#"["reasoning","b"]"#,
            r#"{"a":"thinking","b":2}"#,
        ] {
            assert!(!json(text).is_some_and(has_reasoning), "{text}");
        }
        assert_eq!(json("\u{feff}\u{a0}\n{}"), Some("{}"));
        assert_eq!(json("a {}"), None);
    }

    #[test]
    fn a_transcript_is_found_wherever_a_piece_ends() {
        let text = "\u{feff}// a\n[{\"data\": {\"_TYPE\" :\n\"transcript\"}}]";
        for at in 0..text.len() {
            let mut search = TranscriptSearch::default();
            let (one, two) = text.as_bytes().split_at(at);
            search.read(one);
            search.read(two);
            assert!(search.found(), "{at}");
        }
    }
}
