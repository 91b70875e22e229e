//! Converts text to safe HTML: Markdown, terminal output and recorded text, for every page alike.

pub mod code;
pub mod escape;
pub mod event_text;
mod html;
pub mod markdown;
pub mod outline;

pub mod terminal;

use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd};

use base::pictures::ImageSize;
use base::url::{LinkKind, link_kind};
use formats::model::is_plain_path;

pub use html::Html;

/// Tables, footnotes, strikethrough, task lists and alerts. Never `Options::all()`: metadata blocks
/// take quadratic time.
pub const OPTIONS: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_FOOTNOTES)
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_TASKLISTS)
    .union(Options::ENABLE_GFM);

/// The events of a text in Markdown. Many comments are one line of plain words, which need no parser: starting it would take longer
/// than reading them.
pub fn parse(text: &str) -> impl Iterator<Item = Event<'_>> {
    let line = is_plain_line(text).then(|| {
        let words = CowStr::Borrowed(text.trim_end_matches(' '));
        [
            Event::Start(Tag::Paragraph),
            Event::Text(words),
            Event::End(TagEnd::Paragraph),
        ]
    });
    let parser = line.is_none().then(|| Parser::new_ext(text, OPTIONS));
    let line = line.into_iter().flatten();
    line.chain(parser.into_iter().flatten())
}

/// Whether a text is a paragraph of one line without markup. No block of one line begins with a letter.
fn is_plain_line(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && !text
            .bytes()
            .any(|byte| byte.is_ascii_control() || b"*_`[]<>&\\~|".contains(&byte))
}

/// The source of a text, which decides where its links may lead.
#[derive(Clone, Copy)]
pub enum MarkdownOrigin<'a> {
    /// Prose of the site itself: relative links, images of the site and links to its headings are kept. The function returns the
    /// size of the image at an address, if there is one.
    Site(&'a dyn Fn(&str) -> Option<ImageSize>),
    /// A text of a run. The function returns the address of an event by its number, if there is one. A relative address or another
    /// fragment would lead nowhere on the site.
    Run(&'a dyn Fn(u64) -> Option<String>),
    /// The writeup of a run. It may also cite rules of the site, which are on the same page.
    Writeup(&'a dyn Fn(u64) -> Option<String>),
    /// A recorded message. A number in it is no reference to an event, and its headings are not headings of the page, since they
    /// may begin at any level.
    Message,
    /// The description of a run's showcase.
    Showcase {
        /// The address of an event by its number.
        events: &'a dyn Fn(u64) -> Option<String>,
        /// The published file and the size of an image, by its path.
        image: &'a dyn Fn(&str) -> Option<(String, ImageSize)>,
    },
}

impl std::fmt::Debug for MarkdownOrigin<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Site(_) => "Site",
            Self::Run(_) => "Run",
            Self::Writeup(_) => "Writeup",
            Self::Message => "Message",
            Self::Showcase { .. } => "Showcase",
        })
    }
}

/// The destination of a link as it is published.
#[derive(Debug, PartialEq, Eq)]
pub enum Destination {
    /// A link to another site.
    External,
    /// A link to this address on the site.
    Internal(String),
    /// No link: only its words are published.
    Dropped,
}

/// Decides how the destination of a link is published.
pub fn destination(address: &str, origin: MarkdownOrigin<'_>) -> Destination {
    if let (MarkdownOrigin::Writeup(_), Some(cited)) = (origin, cited_rule(address)) {
        return Destination::Internal(format!("#rule-{}", cited.id));
    }
    match (link_kind(address), origin) {
        (Some(LinkKind::External), _) => Destination::External,
        (Some(_), MarkdownOrigin::Site(_)) => Destination::Internal(address.to_owned()),
        (
            Some(LinkKind::Fragment),
            MarkdownOrigin::Run(events)
            | MarkdownOrigin::Writeup(events)
            | MarkdownOrigin::Showcase { events, .. },
        ) => event_link(address, events).map_or(Destination::Dropped, Destination::Internal),
        _ => Destination::Dropped,
    }
}

/// A rule of the site that a writeup cites.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CitedRule<'a> {
    pub id: &'a str,
    /// Whether the writeup says that the run keeps it.
    pub holds: bool,
}

/// `rule:no-network` says that the run keeps the rule, `rule:!no-network` that it violates it.
pub fn cited_rule(address: &str) -> Option<CitedRule<'_>> {
    let cited = address.trim().strip_prefix("rule:")?;
    let (id, holds) = cited
        .strip_prefix('!')
        .map_or((cited, true), |id| (id, false));
    let is_id = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    (!id.is_empty() && id.chars().all(is_id)).then_some(CitedRule { id, holds })
}

/// The address for `#e-17` or `#e-17..21`.
fn event_link(address: &str, events: &dyn Fn(u64) -> Option<String>) -> Option<String> {
    let numbers = address.trim().strip_prefix("#e-")?;
    let (first, last) = numbers
        .split_once("..")
        .map_or((numbers, None), |(first, last)| (first, Some(last)));
    let mut href = events(first.parse().ok()?)?;
    if let Some(last) = last {
        href.push_str("..");
        href.push_str(&last.parse::<u64>().ok()?.to_string());
    }
    Some(href)
}

/// Whether an image may be shown: only files of the same site, since others would tell a third party who reads,
/// and only in prose of the site itself or in the description of a showcase.
pub fn is_image_allowed(address: &str, origin: MarkdownOrigin<'_>) -> bool {
    link_kind(address) == Some(LinkKind::Relative)
        && match origin {
            MarkdownOrigin::Site(_) => true,
            MarkdownOrigin::Run(_) | MarkdownOrigin::Writeup(_) | MarkdownOrigin::Message => false,
            MarkdownOrigin::Showcase { image, .. } => {
                image_path(address).is_some_and(|path| image(&path).is_some())
            }
        }
}

/// The path of a file below the folder of a text, from the address of an image in the text.
pub fn image_path(address: &str) -> Option<String> {
    if link_kind(address) != Some(LinkKind::Relative) {
        return None;
    }
    let path = address.split(['?', '#']).next()?;
    let path = percent_encoding::percent_decode_str(path)
        .decode_utf8()
        .ok()?;
    let path = path.trim_start_matches("./");
    is_plain_path(path).then(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_line_is_read_as_the_parser_reads_it() {
        let plain = [
            "One line of words.",
            "a",
            "It ends with blanks   ",
            "Signs: 1. # + - = ! ( ) { } ' \" / ? ^ $ % @ https://example.org/ www.example.org a@example.org :x: (c) ...",
            "Wörter – 你好 🚀 \u{202e}\u{a0}",
            "x \u{2028} y \u{85} z",
            "Term : definition",
        ];
        for text in plain {
            assert!(is_plain_line(text), "{text}");
            let parsed: Vec<_> = Parser::new_ext(text, OPTIONS).collect();
            let joined = |events: Vec<Event<'_>>| {
                let mut all: Vec<String> = Vec::new();
                for event in events {
                    match (event, all.last_mut()) {
                        (Event::Text(text), Some(last)) if last.starts_with("Text ") => {
                            last.push_str(&text);
                        }
                        (Event::Text(text), _) => all.push(format!("Text {text}")),
                        (event, _) => all.push(format!("{event:?}")),
                    }
                }
                all
            };
            assert_eq!(joined(parse(text).collect()), joined(parsed), "{text}");
        }
        for text in [
            "",
            " x",
            "1. x",
            "- x",
            "# x",
            "a\nb",
            "a\tb",
            "*a*",
            "a `b`",
            "a &amp; b",
            "<b>",
            "a\\b",
            "a [b](c)",
        ] {
            assert!(!is_plain_line(text), "{text}");
        }
    }
}
