//! How text becomes HTML, whatever page it is for: which Markdown runpress reads, and what may be shown.

pub mod code;
pub mod escape;
mod html;
pub mod markdown;
pub mod outline;
pub mod recorded;
pub mod terminal;

use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd};

use base::pictures::Size;
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

/// What is in a text in Markdown. Many comments are one line of plain words, which need no parser: it takes longer to start
/// than to read them.
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

/// Where a text comes from, which decides what its links may be.
#[derive(Clone, Copy)]
pub enum Origin<'a> {
    /// Prose of the site itself: relative links, images of the site and links to its headings are kept. It gives the size of
    /// a picture by its address, where there is such a picture.
    Site(&'a dyn Fn(&str) -> Option<Size>),
    /// A text of a run, which gives the address of an event by its number, where there is such an event. A
    /// relative address or another fragment would lead nowhere on the site.
    Run(&'a dyn Fn(u64) -> Option<String>),
    /// The writeup of a run, which may cite rules of the site as well. They are on the same page.
    Writeup(&'a dyn Fn(u64) -> Option<String>),
    /// A message of a recording. A number in it is no reference to an event, and its headings are none of the page: they begin and
    /// skip levels as they like.
    Message,
    /// The description of a run's showcase, which gives the published file and the size of an image by its path.
    Showcase {
        /// As for other texts of a run.
        events: &'a dyn Fn(u64) -> Option<String>,
        /// The image at a path.
        image: &'a dyn Fn(&str) -> Option<(String, Size)>,
    },
}

impl std::fmt::Debug for Origin<'_> {
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

/// What becomes of the destination of a link.
#[derive(Debug, PartialEq, Eq)]
pub enum Destination {
    /// To another site.
    External,
    /// To this address on the site.
    Internal(String),
    /// Dropped; the words stay.
    Dropped,
}

/// Judges the destination of a link.
pub fn destination(address: &str, origin: Origin<'_>) -> Destination {
    if let (Origin::Writeup(_), Some(cited)) = (origin, cited_rule(address)) {
        return Destination::Internal(format!("#rule-{}", cited.id));
    }
    match (link_kind(address), origin) {
        (Some(LinkKind::External), _) => Destination::External,
        (Some(_), Origin::Site(_)) => Destination::Internal(address.to_owned()),
        (
            Some(LinkKind::Fragment),
            Origin::Run(events) | Origin::Writeup(events) | Origin::Showcase { events, .. },
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

/// `#e-17` and `#e-17..21`, to wherever the event is.
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
pub fn image_is_kept(address: &str, origin: Origin<'_>) -> bool {
    link_kind(address) == Some(LinkKind::Relative)
        && match origin {
            Origin::Site(_) => true,
            Origin::Run(_) | Origin::Writeup(_) | Origin::Message => false,
            Origin::Showcase { image, .. } => {
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
