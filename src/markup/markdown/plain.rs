//! The plain text of Markdown, without markup.

use pulldown_cmark::{Event, TagEnd};

use super::super::parse;

/// Bytes of Markdown read per character of plain text: a word may be a link with a long address.
const MARKUP: usize = 64;

/// The text on one line, cut at `limit` characters.
pub fn plain(text: &str, limit: usize) -> String {
    // The parser reads the whole text before its first event, and needs many times its size in memory.
    let text = &text[..text.floor_char_boundary(limit.saturating_mul(MARKUP).min(text.len()))];
    let mut out = String::new();
    for event in parse(text) {
        match event {
            Event::Text(text) | Event::Code(text) => out.push_str(&text),
            Event::SoftBreak | Event::HardBreak if !out.ends_with(' ') => out.push(' '),
            // The end of an inline element does not end a word.
            Event::End(end) if !out.ends_with(' ') && !is_inline(end) => out.push(' '),
            _ => {}
        }
        if out.len() > limit * 4 {
            break;
        }
    }
    let words = out.trim();
    words.char_indices().nth(limit).map_or_else(
        || words.to_owned(),
        |(end, _)| format!("{}…", words[..end].trim_end()),
    )
}

const fn is_inline(end: TagEnd) -> bool {
    matches!(
        end,
        TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link | TagEnd::Image
    )
}
