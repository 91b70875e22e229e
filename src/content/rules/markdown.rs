//! Reports links and images of a Markdown text that are not published.

use pulldown_cmark::{Event, Parser, Tag};

use base::diagnostics::text::quoted;
use base::diagnostics::{Collector, Diagnostic, Place, Source, codes};
use markup::{Destination, MarkdownOrigin, OPTIONS, destination, is_image_allowed};

/// Warns of every dropped link and image of `text`. `source` is the file, `offset` the start of the text in it.
#[must_use]
pub fn check(
    source: Source<'_>,
    text: &str,
    offset: usize,
    origin: MarkdownOrigin<'_>,
) -> Vec<Diagnostic> {
    if !may_link(text) {
        return Vec::new();
    }
    let mut problems = Collector::default();
    for (event, range) in Parser::new_ext(text, OPTIONS).into_offset_iter() {
        if let Some(destination) = dropped_destination(&event, origin) {
            problems.add(&codes::REVIEW_UNSAFE_LINK, || {
                let place = source.place(offset + range.start, offset + range.end);
                dropped_link(place, &destination)
            });
        }
    }
    problems.finish(source.path)
}

/// The links of a text with their places. `source` is the file, `offset` the start of the text in it.
pub fn links(source: Source<'_>, text: &str, offset: usize) -> Vec<(String, Place)> {
    let events = Parser::new_ext(text, OPTIONS).into_offset_iter();
    events
        .filter_map(|(event, range)| match event {
            Event::Start(Tag::Link { dest_url, .. }) => {
                let place = source.place(offset + range.start, offset + range.end);
                Some((dest_url.to_string(), place))
            }
            _ => None,
        })
        .collect()
}

/// Maximum bytes checked of a text inside another format. Pages show less of it, and the parser needs many times the size in
/// memory.
const MAX_CHECKED: usize = 256 * 1024;

/// The dropped destinations, for text of a run inside another format.
pub fn dropped_links(text: &str, origin: MarkdownOrigin<'_>) -> Vec<String> {
    let text = &text[..text.floor_char_boundary(MAX_CHECKED.min(text.len()))];
    if !may_link(text) {
        return Vec::new();
    }
    Parser::new_ext(text, OPTIONS)
        .filter_map(|event| dropped_destination(&event, origin))
        .collect()
}

/// Whether a text may have links. Most have none, and need no parser.
fn may_link(text: &str) -> bool {
    memchr::memchr2(b'[', b'<', text.as_bytes()).is_some()
}

fn dropped_destination(event: &Event<'_>, origin: MarkdownOrigin<'_>) -> Option<String> {
    let (address, dropped) = match event {
        Event::Start(Tag::Link { dest_url, .. }) => (
            dest_url,
            destination(dest_url, origin) == Destination::Dropped,
        ),
        Event::Start(Tag::Image { dest_url, .. }) => {
            (dest_url, !is_image_allowed(dest_url, origin))
        }
        _ => return None,
    };
    dropped.then(|| address.to_string())
}

/// The warning for one destination.
pub fn dropped_link(place: Place, destination: &str) -> Diagnostic {
    codes::REVIEW_UNSAFE_LINK.at(
        place,
        format!("The link or image to {} is not published", quoted(destination)),
        "Link to an `http`, `https` or `mailto` address, or to an event such as `#e-17`; link to images instead of showing them.",
    )
}
