//! Renders the text of an event by its kind: as a message in Markdown, JSON, a diff or terminal output.

use formats::model::tape::TextKind;

use super::Origin;
use super::code::{has_hunk, push_diff, push_json, push_patch};
use super::escape::push_text;
use super::markdown::{self, Context};
use super::terminal::push_terminal;

/// Appends the text of an event. `scope` is a prefix for ids.
pub fn push(out: &mut String, text: &str, kind: TextKind, scope: &dyn Fn() -> String) {
    if kind == TextKind::Prose && !has_escape(text) && !has_hunk(text) {
        return push_message(out, text, scope);
    }
    out.push_str("<pre>");
    // A line break right after the tag would be dropped by the browser.
    if text.starts_with('\n') {
        out.push('\n');
    }
    match kind {
        TextKind::Plain | TextKind::Prose if has_hunk(text) && !has_escape(text) => {
            push_diff(out, text);
        }
        TextKind::Plain | TextKind::Prose => push_terminal(out, text),
        TextKind::Json => push_json(out, text),
        TextKind::Diff => push_patch(out, text),
    }
    out.push_str("</pre>");
}

/// Appends a message. Where Markdown takes characters away, the source follows, collapsed.
fn push_message(out: &mut String, text: &str, scope: &dyn Fn() -> String) {
    out.push_str("<div class=md>");
    if is_plain(text) {
        for (index, paragraph) in text.trim().split("\n\n").enumerate() {
            if index > 0 {
                out.push_str("</p>\n");
            }
            out.push_str("<p>");
            push_text(out, paragraph.trim_matches('\n'));
        }
        out.push_str("</p></div>");
        return;
    }
    let context = Context {
        scope: &scope(),
        shift: 0,
        origin: Origin::Message,
    };
    out.push_str(markdown::render(text, context).as_str());
    out.push_str("</div><details class=raw><summary>source</summary><pre>");
    if text.starts_with('\n') {
        out.push('\n');
    }
    push_text(out, text);
    out.push_str("</pre></details>");
}

/// Whether a text is paragraphs without markup, so that Markdown shows all its characters.
fn is_plain(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_word = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_alphanumeric);
    let is_markup = |(at, byte): (usize, &u8)| match byte {
        b'*' | b'`' | b'<' | b'&' | b'\\' | b'~' | b'\t' | b'\r' => true,
        // Within a word it is a letter.
        b'_' => !(at > 0 && is_word(at - 1) && is_word(at + 1)),
        // Brackets are a link only with an address or a definition.
        b']' => matches!(bytes.get(at + 1), Some(b'(' | b':' | b'[')),
        b'[' => matches!(bytes.get(at + 1), Some(b'^')),
        b' ' => matches!(bytes.get(at + 1), Some(b' ' | b'\n')),
        _ => false,
    };
    // A list, a heading, a quotation and the like begin with another character.
    let is_words = |line: &str| {
        let after = line.trim_start_matches(|c: char| c.is_ascii_digit());
        let is_item = after.len() < line.len() && after.starts_with(['.', ')']);
        let first = line.chars().next();
        !is_item && first.is_none_or(|c| c.is_alphanumeric() || c == '[' || c == '(')
    };
    !text.is_empty() && !bytes.iter().enumerate().any(is_markup) && text.lines().all(is_words)
}

fn has_escape(text: &str) -> bool {
    memchr::memchr(0x1b, text.as_bytes()).is_some()
}

/// The size of a text on a page, in bytes.
pub fn size(text: &str, kind: TextKind) -> usize {
    let mut out = String::with_capacity(text.len() + text.len() / 2);
    push(&mut out, text, kind, &String::new);
    out.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_has_its_source_only_if_markdown_takes_something_away() {
        let shown = |text: &str| {
            let mut out = String::new();
            push(&mut out, text, TextKind::Prose, &String::new);
            out
        };
        for text in [
            "Plain words.\nOf two lines.\n\nAnd a paragraph [with brackets].",
            "snake_case | 3 > 2 = true",
            "(see below)",
            "12 files",
        ] {
            let html = shown(text);
            assert!(!html.contains("<pre>"), "{html}");
            // What the renderer makes of it has the same words.
            let context = Context {
                scope: "",
                shift: 0,
                origin: Origin::Message,
            };
            let rendered = markdown::render(text, context);
            let words = |html: &str| html.replace('\n', "");
            assert_eq!(
                words(&html),
                words(&format!("<div class=md>{}</div>", rendered.as_str()))
            );
        }
        for text in [
            "*a*",
            "- a",
            "1. a",
            "# a",
            "a\n===",
            "[a](b)",
            "a  \nb",
            "_a_",
            "a &amp; b",
            "> a",
        ] {
            assert!(shown(text).contains("<summary>source</summary>"), "{text}");
        }
    }
}
