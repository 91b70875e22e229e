//! Knows which Markdown runpress reads: the dialect, and what may be shown.

use pulldown_cmark::Options;

use crate::url::{LinkKind, link_kind};

/// Tables, footnotes, strikethrough, task lists and alerts. Never `Options::all()`: metadata blocks
/// take quadratic time.
pub const OPTIONS: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_FOOTNOTES)
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_TASKLISTS)
    .union(Options::ENABLE_GFM);

/// Whether a link stays a link. `own` is prose of the site itself; in the text of a run a relative address would
/// lead nowhere on the site.
#[must_use]
pub fn link_is_kept(destination: &str, own: bool) -> bool {
    link_kind(destination).is_some_and(|kind| own || kind != LinkKind::Relative)
}

/// Whether an image may be shown: only files of the same site, since others would tell a third party who reads,
/// and only in prose of the site itself.
#[must_use]
pub fn image_is_kept(destination: &str, own: bool) -> bool {
    own && link_kind(destination) == Some(LinkKind::Relative)
}
