//! Markdown: the page is safe and complete whatever the text is, and every dropped link is reported.

use runpress::api::markup::MarkdownOrigin;
use runpress::api::markup::markdown::{MarkdownContext, plain, render};
use runpress::api::pictures::ImageSize;
use runpress::api::rules;

use super::html;

/// The events of a log that links may lead to.
fn event(number: u64) -> Option<String> {
    (number < 10).then(|| format!("#e-{number}"))
}

/// Pictures of the site, some of which have a size.
fn size(address: &str) -> Option<ImageSize> {
    (address.len() % 2 == 1).then_some(ImageSize {
        width: 3,
        height: 4,
    })
}

/// Renders `bytes` as text of a run and as prose of the site.
pub fn run(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    self::text(&text);
    site(&text);
}

/// Markdown of a run: a review, a note, an entry of a thread.
pub fn text(text: &str) {
    let origin = MarkdownOrigin::Run(&event);
    let rendered = render(
        text,
        MarkdownContext {
            scope: "w",
            shift: 2,
            origin,
        },
    );
    let found = html::check(rendered.as_str(), html::Author::Run);
    assert!(
        found.ids.iter().all(|id| id.starts_with("fn_w_")),
        "{:?}",
        found.ids
    );
    let dropped = rules::markdown::dropped_links(text, origin);
    let is_reported = !dropped.is_empty() || !rendered.as_str().contains("<span class=noimg>");
    assert!(is_reported, "an image is dropped without a report: {text}");
    let words = plain(text, 160);
    assert!(words.chars().count() <= 161, "{words}");
}

/// Prose of the site itself.
pub fn site(text: &str) {
    let rendered = render(
        text,
        MarkdownContext {
            scope: "",
            shift: 0,
            origin: MarkdownOrigin::Site(&size),
        },
    );
    html::check(rendered.as_str(), html::Author::Site);
}
