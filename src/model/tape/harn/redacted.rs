//! Names what Harn's recorder removed from an event: it leaves `<redacted:pattern:length>` there.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::model::tape::Event;

const START: &str = "<redacted:";
/// Bytes of a text that are searched.
const SEARCHED: usize = 64 * 1024;
/// Texts of an event that are searched.
const TEXTS: usize = 16;
/// Bytes that a mark takes at most.
const MARK: usize = 120;
/// Patterns that are listed.
const LISTED: usize = 5;

/// Adds a fact that names what was removed.
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

/// The pattern of a mark, of which `rest` is what comes after its start.
fn pattern(rest: &str) -> Option<&str> {
    let end = rest.bytes().take(MARK).position(|byte| byte == b'>')?;
    let (pattern, length) = rest[..end].rsplit_once(':')?;
    let is_mark = !pattern.is_empty()
        && !length.is_empty()
        && length.bytes().all(|byte| byte.is_ascii_digit())
        && !pattern.contains(['<', '"', '\n']);
    is_mark.then_some(pattern)
}
