//! Reads past the colors and titles of a terminal, whose codes stand between the parts of a prompt.

use std::ops::Range;

use memchr::memchr2;

/// The escape character, with which the codes of a terminal begin.
const ESCAPE: u8 = 0x1b;

/// Maximum bytes before and after a position that are read.
const NEAR: usize = 512;

/// Stands for the beginning of the title of a terminal, which often is a prompt: the character that Unicode has for it.
pub(super) const TITLE: char = '\u{9d}';

/// Spellings of the escape character after backslashes, in JSON and in programming languages.
const ESCAPES: [&str; 5] = ["u001b", "x1b", "033", "e", "E"];

/// The line around a position without the codes of a terminal.
pub(super) struct PlainLine {
    pub(super) text: String,
    /// Where the characters around that position are in it.
    pub(super) at: Range<usize>,
    /// The place of each byte of the text, and of its end, in the recorded one.
    places: Vec<usize>,
}

impl PlainLine {
    /// Reads the line around a range; `None` if it has no codes, or if the range is in one.
    pub(super) fn around(text: &str, at: Range<usize>) -> Option<Self> {
        let near = text.ceil_char_boundary(at.start.saturating_sub(NEAR));
        let end = text.floor_char_boundary(text.len().min(at.end + NEAR));
        memchr2(ESCAPE, b'\\', &text.as_bytes()[near..end])?;
        let start = text[near..at.start].rfind('\n').map(|line| near + line);
        let start = start.unwrap_or(near);
        let end = text[at.end..end]
            .find('\n')
            .map_or(end, |line| at.end + line);
        let mut plain = Self {
            text: String::new(),
            at: 0..0,
            places: Vec::new(),
        };
        let mut from = start;
        while let Some((code, is_title)) = next_code(&text[..end], from) {
            plain.copy(text, from..code.start, &at);
            if is_title {
                plain
                    .places
                    .resize(plain.text.len() + TITLE.len_utf8(), code.start);
                plain.text.push(TITLE);
            }
            from = code.end;
        }
        if from == start {
            return None;
        }
        plain.copy(text, from..end, &at);
        plain.places.push(end);
        (!plain.at.is_empty()).then_some(plain)
    }

    fn copy(&mut self, text: &str, part: Range<usize>, at: &Range<usize>) {
        if part.contains(&at.start) && at.end <= part.end {
            let start = self.text.len() + (at.start - part.start);
            self.at = start..start + at.len();
        }
        self.text.push_str(&text[part.clone()]);
        self.places.extend(part);
    }

    /// The range in the recorded text.
    pub(super) fn recorded(&self, range: Range<usize>) -> Range<usize> {
        // The codes after the last character are no part of it.
        self.places[range.start]..self.places[range.end - 1] + 1
    }
}

/// The first code of a terminal from a position on, and whether it begins a title.
fn next_code(text: &str, from: usize) -> Option<(Range<usize>, bool)> {
    let mut at = from;
    loop {
        let start = at + memchr2(ESCAPE, b'\\', &text.as_bytes()[at..])?;
        let rest = &text[start..];
        let escapes = rest.len() - rest.trim_start_matches('\\').len();
        let spelled = &rest[escapes..];
        let length = if escapes == 0 {
            Some(1)
        } else {
            let mut known = ESCAPES.iter();
            let known = known.find(|known| {
                let start = spelled.get(..known.len());
                start.is_some_and(|start| start.eq_ignore_ascii_case(known))
            });
            known.map(|known| escapes + known.len())
        };
        if let Some(length) = length
            && let Some((sequence, is_title)) = sequence(&rest[length..])
        {
            return Some((start..start + length + sequence, is_title));
        }
        at = start + escapes.max(1);
    }
}

/// The length of what follows the escape character in a code, and whether it begins a title.
fn sequence(rest: &str) -> Option<(usize, bool)> {
    let is_parameter = |c: char| c.is_ascii_digit() || matches!(c, ';' | ':' | '?');
    let parameters = |rest: &str| rest.len() - rest.trim_start_matches(is_parameter).len();
    if let Some(rest) = rest.strip_prefix('[') {
        let length = parameters(rest);
        let is_whole = rest[length..].starts_with(|c: char| matches!(c, '@'..='~'));
        return is_whole.then_some((1 + length + 1, false));
    }
    let length = parameters(rest.strip_prefix(']')?);
    (length > 0).then_some((1 + length, true))
}
