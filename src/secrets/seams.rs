//! Joins consecutive events of one kind: a key may begin in the text of one and end in the next.

use std::ops::Range;

use super::strings::Strings;
use super::views::View;

/// Bytes scanned on each side of a seam.
const SIDE: usize = 256;
/// Bytes scanned where a private key begins.
const KEY: usize = 8 << 10;

/// Maximum bytes of joined texts scanned together.
const LONGEST: usize = 2 * KEY;

/// Calls `each` with the joined ends of texts.
pub fn join(text: &[u8], mut each: impl FnMut(&View)) {
    let mut flush = |view: &mut View| {
        if view.parts() > 1 {
            each(view);
        }
        *view = View::default();
    };
    let mut view = View::default();
    let mut last: Option<(Range<usize>, Kind<'_>, Option<Range<usize>>)> = None;
    let mut start = 0;
    while start < text.len() {
        let end = memchr::memchr(b'\n', &text[start..]).map_or(text.len(), |found| start + found);
        let line = start..end;
        start = end + 1;
        let Some(kind) = kind(&text[line.clone()]) else {
            last = None;
            flush(&mut view);
            continue;
        };
        let mut longest_of_this = None;
        if let Some((line_before, kind_before, longest_before)) = last.take()
            && kind_before == kind
        {
            let before = longest_before.or_else(|| longest(text, &line_before));
            longest_of_this = longest(text, &line);
            if let (Some(before), Some(this)) = (before, &longest_of_this)
                && let Some(side) = side(&text[before.clone()], &text[this.clone()])
            {
                if view.parts() == 0 {
                    view.push(
                        text,
                        before.end.saturating_sub(side).max(before.start)..before.end,
                    );
                }
                view.push(text, this.start..this.end.min(this.start + side));
                if this.len() > side || view.text.len() > LONGEST {
                    flush(&mut view);
                }
            } else {
                flush(&mut view);
            }
        } else {
            flush(&mut view);
        }
        last = Some((line, kind, longest_of_this));
    }
    flush(&mut view);
}

type Kind<'a> = &'a [u8];

/// The type of an event, as written.
fn kind(line: &[u8]) -> Option<Kind<'_>> {
    let seen = &line[..line.len().min(512)];
    let word = ["\"type\":\"", "\"type\": \"", "\"kind\":\"", "\"role\":\""];
    let after = word
        .iter()
        .find_map(|word| Some(memchr::memmem::find(seen, word.as_bytes())? + word.len()))?;
    let end = memchr::memchr(b'"', &seen[after..])?;
    Some(&seen[after..after + end])
}

/// Keys whose values are not text of an event.
const NO_TEXT: [&[u8]; 9] = [
    b"timestamp",
    b"time",
    b"ts",
    b"type",
    b"kind",
    b"role",
    b"id",
    b"uuid",
    b"sessionId",
];

/// The longest text of a line.
fn longest(text: &[u8], line: &Range<usize>) -> Option<Range<usize>> {
    let mut strings = Strings::of(&text[..line.end], line.start);
    let mut longest: Option<Range<usize>> = None;
    let mut is_text = true;
    while let Some((range, is_key)) = strings.next() {
        if is_key {
            is_text = !NO_TEXT.contains(&&text[range]);
            continue;
        }
        let is_longer = longest
            .as_ref()
            .is_none_or(|longest| longest.len() < range.len());
        if is_text && is_longer && !range.is_empty() {
            longest = Some(range);
        }
    }
    longest
}

/// How many bytes of two texts may belong together. `None` if white space or the end of a sentence separates them.
fn side(before: &[u8], after: &[u8]) -> Option<usize> {
    let tail = &before[before.len().saturating_sub(KEY / 2)..];
    if memchr::memmem::find(tail, b"PRIVATE KEY").is_some() || tail.ends_with(b"-----BEGIN") {
        return Some(KEY);
    }
    let (last, first) = (*before.last()?, *after.first()?);
    let is_escape = before.len() > 1 && before[before.len() - 2] == b'\\';
    let is_sentence = last == b'.' && first.is_ascii_uppercase();
    (!is_escape && !is_sentence && is_value(last) && is_value(first)).then_some(SIDE)
}

const fn is_value(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(
            byte,
            b'_' | b'-' | b'.' | b'=' | b'+' | b'/' | b'~' | b':' | b'@'
        )
}
