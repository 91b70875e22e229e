//! Reports what Harn's recorder redacted in an event: it writes `<redacted:pattern:length>` instead.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::model::tape::Event;

const MARKER_START: &str = "<redacted:";
/// Maximum bytes searched per text.
const MAX_SEARCHED_BYTES: usize = 64 * 1024;
/// Maximum number of texts searched per event.
const MAX_TEXTS: usize = 16;
/// Maximum bytes of a marker.
const MAX_MARKER_BYTES: usize = 120;
/// Maximum number of patterns listed.
const MAX_PATTERNS: usize = 5;

/// Adds a fact that lists the redacted patterns.
pub(super) fn add_fact(event: &mut Event<'_>) {
    let mut found: BTreeMap<&str, usize> = BTreeMap::new();
    for block in event.blocks.iter().take(MAX_TEXTS) {
        let text: &str = &block.text;
        let bytes = &text.as_bytes()[..text.len().min(MAX_SEARCHED_BYTES)];
        for at in memchr::memmem::find_iter(bytes, MARKER_START) {
            if let Some(pattern) = pattern(&text[at + MARKER_START.len()..]) {
                *found.entry(pattern).or_default() += 1;
            }
        }
    }
    if found.is_empty() {
        return;
    }
    let listed = found.iter().take(MAX_PATTERNS);
    let mut words: Vec<_> = listed
        .map(|(pattern, count)| match count {
            1 => (*pattern).to_owned(),
            _ => format!("{pattern} ({count} times)"),
        })
        .collect();
    if found.len() > MAX_PATTERNS {
        words.push("…".to_owned());
    }
    let words = Cow::Owned(words.join(", "));
    event.facts.push(("removed by the recorder:", words));
}

/// The pattern of a marker; `rest` is the text after its prefix.
fn pattern(rest: &str) -> Option<&str> {
    let end = rest
        .bytes()
        .take(MAX_MARKER_BYTES)
        .position(|byte| byte == b'>')?;
    let (pattern, length) = rest[..end].rsplit_once(':')?;
    let is_mark = !pattern.is_empty()
        && !length.is_empty()
        && length.bytes().all(|byte| byte.is_ascii_digit())
        && !pattern.contains(['<', '"', '\n']);
    is_mark.then_some(pattern)
}
