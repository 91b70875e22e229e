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

/// Whether an image may be shown: only files of the same site, since others would tell a third party who reads.
#[must_use]
pub fn image_is_kept(destination: &str) -> bool {
    link_kind(destination) == Some(LinkKind::Relative)
}
