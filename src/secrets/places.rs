//! Maps secrets to their places: by pointer in JSON strings, by bytes in other texts.

use std::ops::Range;

use super::search::{SecretSpan, TextFormat};
use super::strings::{JsonStrings, StringCursor, line};

/// Maximum total length of all pointers in a file, in bytes; four times the file size if that is more.
const POINTERS: usize = 1 << 20;

/// The part of a secret in one string, or in a text file.
#[derive(Debug)]
pub struct SecretPart {
    pub span: SecretSpan,
    /// The pointer of the string; `None` in a text.
    pub pointer: Option<String>,
    /// Whether the string is a key.
    pub is_key: bool,
    /// The bytes in the decoded string, or in the file.
    pub range: Range<usize>,
    /// The length in characters.
    pub characters: usize,
}

/// The parts of the secrets of a file, in file order.
pub fn parts(format: TextFormat, text: &[u8], spans: Vec<SecretSpan>) -> Vec<SecretPart> {
    let mut parts = Vec::new();
    if format == TextFormat::Text {
        parts.extend(spans.into_iter().map(|span| in_text(text, span)));
        return parts;
    }
    let mut pointer_bytes = POINTERS.max(4 * text.len());
    let mut spans = spans.into_iter().peekable();
    while let Some(first) = spans.peek() {
        let bounds = match format {
            TextFormat::JsonLines => line(text, first.range.start),
            _ => 0..text.len(),
        };
        let mut of_document = Vec::new();
        while let Some(next) = spans.next_if(|next| next.range.start < bounds.end) {
            of_document.push(next);
        }
        in_strings(text, &bounds, of_document, &mut pointer_bytes, &mut parts);
    }
    parts.sort_by_key(|part| part.span.range.start);
    parts
}

fn in_text(text: &[u8], span: SecretSpan) -> SecretPart {
    let range = span.range.clone();
    SecretPart {
        characters: String::from_utf8_lossy(&text[range.clone()])
            .chars()
            .count(),
        pointer: None,
        is_key: false,
        range,
        span,
    }
}

/// `pointer_bytes` limits the length of all pointers: a key of a megabyte is in the pointer of every string below it.
fn in_strings(
    text: &[u8],
    bounds: &Range<usize>,
    spans: Vec<SecretSpan>,
    pointer_bytes: &mut usize,
    parts: &mut Vec<SecretPart>,
) {
    let mut strings = JsonStrings::of(&text[..bounds.end], bounds.start);
    let mut is_placed = vec![false; spans.len()];
    let mut first = 0;
    while let Some((string, is_key)) = strings.next() {
        first += spans[first..]
            .iter()
            .take_while(|span| span.range.end <= string.start)
            .count();
        if first == spans.len() {
            break;
        }
        let mut decoded = StringCursor::of(&text[string.clone()]);
        let here = spans[first..].iter().zip(&mut is_placed[first..]);
        for (span, is_placed) in here.take_while(|(span, _)| span.range.start < string.end) {
            let pointer = strings.pointer();
            if pointer.len() > *pointer_bytes {
                break;
            }
            *pointer_bytes -= pointer.len();
            *is_placed = true;
            let overlap = span.range.start.max(string.start)..span.range.end.min(string.end);
            decoded.go(overlap.start - string.start);
            let (start, before) = (decoded.bytes, decoded.characters);
            decoded.go(overlap.end - string.start);
            parts.push(SecretPart {
                pointer: Some(pointer),
                is_key,
                range: start..decoded.bytes,
                characters: decoded.characters - before,
                span: SecretSpan {
                    rule: span.rule,
                    is_first: span.is_first && overlap.start == span.range.start,
                    range: overlap,
                },
            });
        }
    }
    // Other spans are in numbers, or in invalid JSON.
    let rest = spans.into_iter().zip(is_placed);
    parts.extend(
        rest.filter(|(_, is_placed)| !is_placed)
            .map(|(span, _)| in_text(text, span)),
    );
}
