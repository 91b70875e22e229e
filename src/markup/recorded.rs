//! Renders the text of an event by its kind: as prose, JSON, a diff or terminal output.

use formats::model::tape::TextKind;

use super::code::{has_hunk, push_diff, push_json, push_patch};
use super::prose::push_prose;
use super::terminal::push_terminal;

/// Appends the text of an event.
pub fn push(out: &mut String, text: &str, kind: TextKind) {
    match kind {
        TextKind::Plain if has_hunk(text) && !has_escape(text) => push_diff(out, text),
        TextKind::Prose if has_escape(text) || has_hunk(text) => {
            push(out, text, TextKind::Plain);
        }
        TextKind::Prose => push_prose(out, text),
        TextKind::Plain => push_terminal(out, text),
        TextKind::Json => push_json(out, text),
        TextKind::Diff => push_patch(out, text),
    }
}

fn has_escape(text: &str) -> bool {
    memchr::memchr(0x1b, text.as_bytes()).is_some()
}

/// The size of a text on a page, in bytes.
pub fn size(text: &str, kind: TextKind) -> usize {
    let mut out = String::with_capacity(text.len() + text.len() / 2);
    push(&mut out, text, kind);
    out.len()
}
