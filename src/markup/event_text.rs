//! Renders the text of an event by its kind: as a message in Markdown, JSON, a diff or terminal output.

use formats::model::tape::TextKind;
use pulldown_cmark::{Event, Parser, Tag, TagEnd};

use super::MarkdownOrigin;
use super::code::{has_hunk, push_diff, push_json, push_patch};
use super::escape::push_text;
use super::markdown::{self, MarkdownContext};
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

/// Appends a message as Markdown.
fn push_message(out: &mut String, text: &str, scope: &dyn Fn() -> String) {
    out.push_str("<div class=md>");
    let start = out.len();
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
    if push_with_markup(out, text).is_some() {
        out.push_str("</div>");
        return;
    }
    // The page shows other characters than the message has, so the source follows, collapsed.
    out.truncate(start);
    let context = MarkdownContext {
        scope: &scope(),
        shift: 0,
        origin: MarkdownOrigin::Message,
    };
    out.push_str(markdown::render(text, context).as_str());
    out.push_str("</div><details class=raw><summary>source</summary><pre>");
    if text.starts_with('\n') {
        out.push('\n');
    }
    push_text(out, text);
    out.push_str("</pre></details>");
}

/// Messages with deeper nested elements are left to [`markdown::render`], which flattens them.
const DEPTH: usize = 32;

/// Appends a message with all its characters: the characters of markup are in `i` elements, which the page hides until a reader asks
/// for them. `None` if the message has links, tables or other markup whose text is not that of the source; the caller then drops what
/// was appended.
fn push_with_markup(out: &mut String, text: &str) -> Option<()> {
    // The source up to here is written.
    let mut done = 0;
    let mut depth = 0_usize;
    let mut is_code = false;
    for (event, range) in Parser::new_ext(text, super::OPTIONS).into_offset_iter() {
        match event {
            Event::Start(tag) => {
                push_markers(out, text.get(done..range.start)?, is_code);
                done = range.start;
                depth += 1;
                match &tag {
                    Tag::Paragraph | Tag::HtmlBlock => out.push_str("<p>"),
                    Tag::Heading { .. } => out.push_str("<p><strong>"),
                    Tag::List(None) => out.push_str("<ul>"),
                    Tag::List(Some(1)) => out.push_str("<ol>"),
                    Tag::List(Some(start)) => out.push_str(&format!("<ol start={start}>")),
                    Tag::Item => out.push_str("<li>"),
                    Tag::Strong => out.push_str("<strong>"),
                    Tag::Emphasis => out.push_str("<em>"),
                    Tag::CodeBlock(_) => out.push_str("<pre><code>"),
                    _ => return None,
                }
                is_code |= matches!(tag, Tag::CodeBlock(_));
                if depth > DEPTH {
                    return None;
                }
            }
            Event::End(tag) => {
                push_markers(out, text.get(done..range.end)?, is_code);
                done = range.end;
                depth -= 1;
                is_code = false;
                out.push_str(match tag {
                    TagEnd::Paragraph | TagEnd::HtmlBlock => "</p>",
                    TagEnd::Heading(_) => "</strong></p>",
                    TagEnd::List(false) => "</ul>",
                    TagEnd::List(true) => "</ol>",
                    TagEnd::Item => "</li>",
                    TagEnd::Strong => "</strong>",
                    TagEnd::Emphasis => "</em>",
                    TagEnd::CodeBlock => "</code></pre>",
                    _ => return None,
                });
            }
            // HTML is shown as text.
            Event::Text(words) | Event::Html(words) | Event::InlineHtml(words) => {
                push_markers(out, text.get(done..range.start)?, is_code);
                if text.get(range.clone())? != &*words {
                    return None;
                }
                push_text(out, &words);
                done = range.end;
            }
            Event::Code(words) => {
                push_markers(out, text.get(done..range.start)?, false);
                let source = text.get(range.clone())?;
                let at = source.find(&*words)?;
                out.push_str("<code>");
                push_markers(out, &source[..at], false);
                push_text(out, &words);
                push_markers(out, &source[at + words.len()..], false);
                out.push_str("</code>");
                done = range.end;
            }
            Event::SoftBreak | Event::HardBreak => {
                push_markers(out, text.get(done..range.end)?, false);
                done = range.end;
            }
            _ => return None,
        }
    }
    push_markers(out, text.get(done..)?, false);
    Some(())
}

/// Appends source that is not shown. White space between blocks needs no element.
fn push_markers(out: &mut String, source: &str, is_code: bool) {
    if source.is_empty() {
        return;
    }
    let is_space = source.bytes().all(|byte| byte.is_ascii_whitespace());
    if is_space && !is_code {
        out.push_str(source);
        return;
    }
    out.push_str("<i>");
    push_text(out, source);
    out.push_str("</i>");
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
            let context = MarkdownContext {
                scope: "",
                shift: 0,
                origin: MarkdownOrigin::Message,
            };
            let rendered = markdown::render(text, context);
            let words = |html: &str| html.replace('\n', "");
            assert_eq!(
                words(&html),
                words(&format!("<div class=md>{}</div>", rendered.as_str()))
            );
        }
        for text in [
            "[a](b)",
            "a &amp; b",
            "> a",
            "a | b\n--- | ---\n1 | 2",
            "- [ ] a",
        ] {
            assert!(shown(text).contains("<summary>source</summary>"), "{text}");
        }
    }

    #[test]
    fn a_message_with_common_markup_has_all_its_characters() {
        for text in [
            "*a* and **b**, `c` and `` d ` e ``",
            "# Plan\n\n1. one\n2. two\n   - three\n\n   more\n\n```js\nlet x = '*';\n\n  y();\n```\n\nThe end.\n",
            "3. three\n4. four",
            "    indented\n    code\n\na  \nb\\*",
            "a_b *c*\n===\n\n---x",
            "- a\n\n- b\n",
            "<b>a</b> *b*<br>\n\n<div>\n  c\n</div>\n\n- <!-- d\n\n  e -->\n  f",
        ] {
            let mut out = String::new();
            assert!(push_with_markup(&mut out, text).is_some(), "{text}");
            let mut words = String::new();
            let mut is_tag = false;
            for c in out.chars() {
                match c {
                    '<' => is_tag = true,
                    '>' if is_tag => is_tag = false,
                    c if !is_tag => words.push(c),
                    _ => {}
                }
            }
            assert_eq!(words.replace("&lt;", "<"), text, "{out}");
        }
    }
}
