//! Reports what Harn's recorder redacted in an event, where it leaves `<redacted:pattern:length>`.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::model::tape::Event;

const START: &str = "<redacted:";
/// Maximum bytes searched per text.
const SEARCHED: usize = 64 * 1024;
/// Maximum number of texts searched per event.
const TEXTS: usize = 16;
/// Maximum bytes of a marker.
const MARK: usize = 120;
/// Maximum number of patterns listed.
const LISTED: usize = 5;

/// Adds a fact that lists the redacted patterns.
pub(super) fn name(event: &mut Event<'_>) {
    let mut found: BTreeMap<&str, usize> = BTreeMap::new();
    for block in event.blocks.iter().take(TEXTS) {
        let text: &str = &block.text;
        let bytes = &text.as_bytes()[..text.len().min(SEARCHED)];
        for at in memchr::memmem::find_iter(bytes, START) {
            if let Some(pattern) = pattern(&text[at + START.len()..]) {
                *found.entry(pattern).or_default() += 1;
            }
        }
    }
    if found.is_empty() {
        return;
    }
    let listed = found.iter().take(LISTED);
    let mut words: Vec<_> = listed
        .map(|(pattern, count)| match count {
            1 => (*pattern).to_owned(),
            _ => format!("{pattern} ({count} times)"),
        })
        .collect();
    if found.len() > LISTED {
        words.push("…".to_owned());
    }
    let words = Cow::Owned(words.join(", "));
    event.facts.push(("removed by the recorder:", words));
}

/// The pattern of a marker; `rest` is the text after its prefix.
fn pattern(rest: &str) -> Option<&str> {
    let end = rest.bytes().take(MARK).position(|byte| byte == b'>')?;
    let (pattern, length) = rest[..end].rsplit_once(':')?;
    let is_mark = !pattern.is_empty()
        && !length.is_empty()
        && length.bytes().all(|byte| byte.is_ascii_digit())
        && !pattern.contains(['<', '"', '\n']);
    is_mark.then_some(pattern)
}
