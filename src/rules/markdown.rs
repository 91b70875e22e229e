//! Knows which links and images of a Markdown text are not published.

use pulldown_cmark::{Event, Parser, Tag};

use crate::diagnostics::text::quoted;
use crate::diagnostics::{Diagnostic, Place, Source, codes};
use crate::markup::{OPTIONS, image_is_kept, link_is_kept};

/// Warns of every link and image of `text` that is dropped; `source` is the file, `offset` where the text begins
/// in it, `own` whether it is the site's own prose.
#[must_use]
pub fn check(source: Source<'_>, text: &str, offset: usize, own: bool) -> Vec<Diagnostic> {
    if !may_link(text) {
        return Vec::new();
    }
    Parser::new_ext(text, OPTIONS)
        .into_offset_iter()
        .filter_map(|(event, range)| Some((dropped_by(&event, own)?, range)))
        .map(|(destination, range)| {
            dropped(
                source.place(offset + range.start, offset + range.end),
                &destination,
            )
        })
        .collect()
}

/// The destinations that are dropped, for text of a run that stands inside another format.
#[must_use]
pub fn dropped_links(text: &str) -> Vec<String> {
    if !may_link(text) {
        return Vec::new();
    }
    Parser::new_ext(text, OPTIONS)
        .filter_map(|event| dropped_by(&event, false))
        .collect()
}

/// Most texts hold no link; those need no parser.
fn may_link(text: &str) -> bool {
    memchr::memchr2(b'[', b'<', text.as_bytes()).is_some()
}

fn dropped_by(event: &Event<'_>, own: bool) -> Option<String> {
    match event {
        Event::Start(Tag::Link { dest_url, .. }) if !link_is_kept(dest_url, own) => {
            Some(dest_url.to_string())
        }
        Event::Start(Tag::Image { dest_url, .. }) if !image_is_kept(dest_url, own) => {
            Some(dest_url.to_string())
        }
        _ => None,
    }
}

/// The warning about one destination.
#[must_use]
pub fn dropped(place: Place, destination: &str) -> Diagnostic {
    codes::REVIEW_UNSAFE_LINK.at(
        place,
        format!("The link or image to {} is not published", quoted(destination)),
        "Link to an `http`, `https` or `mailto` address, or to an event such as `#e-17`; link to images instead of showing them.",
    )
}
