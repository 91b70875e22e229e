//! Markdown in the form in which a reader gets it: without escapes, emphasis, comments and tags, which may be within a key.

use std::borrow::Cow;
use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Parser, Tag, TagEnd};

use markup::OPTIONS;

/// Shorter texts contain no key.
const SHORTEST: usize = 12;
/// Maximum bytes parsed together: the parser needs many times the size of a text in memory.
const LONGEST: usize = 1 << 20;

/// Bytes after the address of a link in which it is looked for, which most titles are shorter than.
const TITLE: usize = 256;

/// Endings of the names of files whose texts are rendered from Markdown.
const NAMES: [&str; 6] = [
    ".md",
    ".markdown",
    ".annotations.jsonl",
    "annotations.json",
    "annotations.actions.jsonl",
    "run-record.json",
];

/// Whether texts in a file of this name are rendered from Markdown.
pub fn has_markdown(name: &str) -> bool {
    NAMES.iter().any(|ending| name.ends_with(ending))
}

/// A text as a reader gets it.
#[derive(Debug, Default)]
pub struct RenderedText {
    /// The text, with a line break after each block.
    pub text: String,
    pieces: Vec<Piece>,
}

/// A part of the text that comes from one place of the source.
#[derive(Debug)]
struct Piece {
    /// The start in the text.
    at: usize,
    source: Range<usize>,
    /// Whether the text and the source are the same.
    is_verbatim: bool,
}

impl RenderedText {
    fn push(&mut self, text: &str, source: Range<usize>, is_verbatim: bool) {
        if text.is_empty() {
            return;
        }
        let at = self.text.len();
        self.text.push_str(text);
        self.pieces.push(Piece {
            at,
            source,
            is_verbatim,
        });
    }

    /// Adds a word whose source is somewhere in `around`.
    fn word(&mut self, markdown: &str, shown: &str, around: Range<usize>) {
        let written = &markdown[around.clone()];
        // Most words are all of it.
        let at = if written == shown {
            Some(0)
        } else {
            written.find(shown)
        };
        match at {
            Some(at) => {
                let start = around.start + at;
                self.push(shown, start..start + shown.len(), true);
            }
            None => self.push(shown, around, false),
        }
    }

    fn line_break(&mut self, source: Range<usize>) {
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.push("\n", source, false);
        }
    }

    /// The range in the source of a part of the text, with all markup between its ends.
    pub fn source(&self, range: &Range<usize>) -> Range<usize> {
        let piece = |at: usize| {
            let next = self.pieces.partition_point(|piece| piece.at <= at);
            next.checked_sub(1).and_then(|index| self.pieces.get(index))
        };
        let start = piece(range.start).map_or(0, |first| {
            let skipped = if first.is_verbatim {
                range.start - first.at
            } else {
                0
            };
            first.source.start + skipped
        });
        let end = piece(range.end.saturating_sub(1)).map_or(0, |last| {
            if last.is_verbatim {
                last.source.start + range.end - last.at
            } else {
                last.source.end
            }
        });
        start..end.max(start)
    }
}

/// Calls `each` with the texts that a reader gets of a text in Markdown, and the start of each in it. Calls nothing if no markup is
/// within a word.
pub fn for_each_text(text: &[u8], is_file: bool, mut each: impl FnMut(&RenderedText, usize)) {
    if text.len() < SHORTEST || !has_markup_in_words(text) {
        return;
    }
    let text = with_valid_characters(text);
    let mut parse = |start: usize| {
        let mut start = start;
        while start < text.len() {
            let end = chunk(&text, start);
            let markdown = &text[start..end];
            for rendered in rendered_texts(markdown) {
                each(&rendered, start);
            }
            start = end;
        }
    };
    // Pages and reviews are shown without white space around them, which could make a block of code of the first line.
    let begins = |from: usize| text.len() - text[from..].trim_start_matches(is_blank).len();
    parse(begins(0));
    if let Some(body) = is_file.then(|| body(&text)).flatten() {
        parse(begins(body));
    }
}

fn is_blank(c: char) -> bool {
    c.is_whitespace() || c == '\u{feff}'
}

/// The start of the text after the front matter, if it has one.
fn body(text: &str) -> Option<usize> {
    let mut at = text.len() - text.trim_start_matches(is_blank).len();
    let mut fence = None;
    for line in text[at..].split_inclusive('\n') {
        at += line.len();
        let line = line.trim_end();
        match fence {
            None if line == "---" || line == "+++" => fence = Some(line),
            None => return None,
            Some(fence) if fence == line => return Some(at),
            Some(_) => {}
        }
    }
    None
}

/// The end of a part of at most [`LONGEST`] bytes, after a line if possible.
fn chunk(text: &str, start: usize) -> usize {
    let most = text.len() - start;
    if most <= LONGEST {
        return text.len();
    }
    let end = text.floor_char_boundary(start + LONGEST);
    text[start..end]
        .rfind('\n')
        .map_or(end, |at| start + at + 1)
}

/// The text with each invalid byte replaced by one of the same length.
fn with_valid_characters(text: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(text) {
        return Cow::Borrowed(text);
    }
    let mut valid = String::with_capacity(text.len());
    for chunk in text.utf8_chunks() {
        valid.push_str(chunk.valid());
        valid.extend(chunk.invalid().iter().map(|_| '?'));
    }
    Cow::Owned(valid)
}

/// Whether markup may be within a long word, or in an address: only then does a reader get other words than those of the source.
fn has_markup_in_words(text: &[u8]) -> bool {
    if memchr::memchr3(b'<', b'&', b'[', text).is_some() {
        return true;
    }
    let is_markup = |word: &[u8], at: usize| match word[at] {
        b'\\' | b'*' | b'`' | b'~' => true,
        b'_' => {
            let is_letter = |at: Option<usize>| {
                at.and_then(|at| word.get(at))
                    .is_some_and(u8::is_ascii_alphanumeric)
            };
            !is_letter(at.checked_sub(1)) || !is_letter(Some(at + 1))
        }
        _ => false,
    };
    let mut words = text.split(u8::is_ascii_whitespace);
    words.any(|word| word.len() >= SHORTEST && (0..word.len()).any(|at| is_markup(word, at)))
}

/// The texts of a text in Markdown: pages show raw HTML as text, search and feeds leave it out, and addresses of links are
/// texts, too.
fn rendered_texts(markdown: &str) -> Vec<RenderedText> {
    let mut without_html = RenderedText::default();
    let mut with_html = RenderedText::default();
    let mut has_html = false;
    let mut all = Vec::new();
    let parser = Parser::new_ext(markdown, OPTIONS);
    let definitions = parser.reference_definitions().iter();
    for (_, definition) in definitions {
        all.extend(address(markdown, &definition.dest, &definition.span));
    }
    for (event, source) in parser.into_offset_iter() {
        if let Event::Html(html) | Event::InlineHtml(html) = &event {
            has_html = true;
            with_html.word(markdown, html, source);
            continue;
        }
        if let Event::Start(
            Tag::Link {
                link_type: LinkType::Inline | LinkType::Autolink | LinkType::Email,
                dest_url,
                ..
            }
            | Tag::Image {
                link_type: LinkType::Inline,
                dest_url,
                ..
            },
        ) = &event
        {
            all.extend(address(markdown, dest_url, &source));
        }
        for rendered in [&mut without_html, &mut with_html] {
            match &event {
                Event::Text(text) | Event::Code(text) => {
                    rendered.word(markdown, text, source.clone());
                }
                Event::SoftBreak | Event::HardBreak => rendered.line_break(source.clone()),
                Event::End(end) if !is_inline(*end) => {
                    rendered.line_break(source.end..source.end);
                }
                _ => {}
            }
        }
    }
    if has_html {
        all.push(with_html);
    }
    all.push(without_html);
    all
}

/// The address of a link, if the end of the source does not have it in the same spelling.
fn address(markdown: &str, address: &str, source: &Range<usize>) -> Option<RenderedText> {
    let written = markdown.get(source.clone())?;
    let end = written.len().saturating_sub(address.len() + TITLE);
    let is_plain = written[written.ceil_char_boundary(end)..].contains(address);
    let mut rendered = RenderedText::default();
    rendered.push(address, source.clone(), false);
    (!is_plain).then_some(rendered)
}

const fn is_inline(end: TagEnd) -> bool {
    matches!(
        end,
        TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link | TagEnd::Image
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The texts of a text, each with the source of one of its words.
    fn sources(markdown: &str, word: &str) -> Vec<String> {
        let mut found = Vec::new();
        for_each_text(markdown.as_bytes(), true, |rendered, start| {
            if let Some(at) = rendered.text.find(word) {
                let source = rendered.source(&(at..at + word.len()));
                found.push(markdown[start + source.start..start + source.end].to_owned());
            }
        });
        found.dedup();
        found
    }

    #[test]
    fn a_word_is_read_without_the_markup_in_it_and_has_a_place_in_the_source() {
        for written in [
            r"key\_of-a-word",
            "key&#95;of-a-word",
            "key&lowbar;of-a-word",
            "k**ey**_of-a-word",
            "k**ey_of-a-wo**rd",
            "key_of<!-- of --><b>-a-</b>word",
            "key_`of-a`-word",
            "~~key~~_of-a-word",
            "[key](https://example.org)_of-a-word",
            "![key](a.png)_of-a-word",
        ] {
            for text in [
                format!("It is {written}, as printed."),
                format!("---\ntitle: <!--\n---\n\n    {written}\n"),
                format!("+++\ntitle = \"```\"\n+++\n- a\n- {written}\n"),
            ] {
                // The markup at both ends of a word does not belong to it.
                let found = sources(&text, "key_of-a-word").pop().expect(&text);
                assert!(
                    written.contains(&found) && found.len() + 2 >= 13,
                    "{found} of {text}"
                );
            }
        }
        assert_eq!(
            sources(
                "[here](https://example.org/key\\_of-a-word)",
                "key_of-a-word"
            ),
            ["[here](https://example.org/key\\_of-a-word)"]
        );
    }

    #[test]
    fn blocks_and_lines_are_no_word_and_plain_text_needs_no_parser() {
        assert!(sources("key\\_of\n-a-word-of-words", "key_of-a").is_empty());
        assert!(sources("key\\_of-a\n\n-word-of-words", "key_of-a-word").is_empty());
        assert!(!has_markup_in_words(
            b"a plain_text_of_words, with * and short \\_words"
        ));
        assert!(has_markup_in_words(b"a word __such__-as-this"));
    }
}
