//! Replaces strings inside JSON text and nothing else: numbers keep their digits, and keys their order.

use std::borrow::Cow;

/// Calls `f` with every string of a valid JSON text, including keys. Returns the text without white space between values if it
/// changed.
pub(super) fn strings(json: &str, f: &mut dyn FnMut(&str) -> Option<String>) -> Option<String> {
    let mut out = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(at) = rest.find(['"', ' ', '\n', '\r', '\t']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        if !rest.starts_with('"') {
            rest = rest.trim_start();
            continue;
        }
        let (string, after) = rest.split_at(end(rest));
        rest = after;
        let decoded = if string.contains('\\') {
            // Half of a surrogate pair cannot be decoded, and is kept.
            serde_json::from_str(string).ok().map(Cow::Owned)
        } else {
            string
                .get(1..string.len().saturating_sub(1))
                .map(Cow::Borrowed)
        };
        let decoded: Option<Cow<'_, str>> = decoded;
        let changed = decoded.and_then(|text| f(&text));
        let changed = changed.and_then(|text| serde_json::to_string(&text).ok());
        out.push_str(changed.as_deref().unwrap_or(string));
    }
    out.push_str(rest);
    (out != json).then_some(out)
}

/// The end of the string that begins here.
fn end(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}
