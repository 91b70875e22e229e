//! An annotation for display.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::view::format;
use base::url::is_allowed_link;
use formats::model::annotation::{Annotation, AnnotationKind, Sidecar};
use formats::model::time;

use super::Layout;

#[derive(Debug)]
pub struct AnnotationView<'a> {
    /// Its id on the page.
    pub anchor: String,
    /// The word of its kind.
    pub kind: &'a str,
    /// The CSS class of its kind: a recognized kind, or `unknown`.
    pub class: &'static str,
    /// A sign for the kind.
    pub sign: &'static str,
    /// The display name of the kind.
    pub name: String,
    /// Its comment in Markdown.
    pub evidence: Option<&'a str>,
    /// A suggested fix: text (from a JSON string) or JSON.
    pub fix: Option<Cow<'a, str>>,
    /// `reviewer-1 (human) in ide-host`, as far as known.
    pub author: Option<String>,
    /// Its time in UTC, or as written if it cannot be parsed.
    pub timestamp: Option<Cow<'a, str>>,
    /// The events it covers.
    pub span: Option<SpanLink>,
    /// Hypothesis status or friction kind.
    pub detail: Option<&'a str>,
    /// References: text and, if allowed as a link, address.
    pub links: Vec<(String, Option<String>)>,
    /// Its metadata as JSON.
    pub metadata: Option<&'a str>,
    /// The address of its full version, if it is too long for a page.
    pub rest: Option<String>,
}

pub(super) type IndexedAnnotation<'a> = (usize, &'a Annotation<'a>);

pub(super) fn annotations_by_position<'a>(
    layout: &Layout<'_>,
    sidecar: Option<&'a Sidecar<'a>>,
) -> BTreeMap<usize, Vec<IndexedAnnotation<'a>>> {
    let mut by_position: BTreeMap<usize, Vec<IndexedAnnotation<'a>>> = BTreeMap::new();
    for (position, index, annotation) in layout.annotations(sidecar) {
        let here = by_position.entry(position).or_default();
        here.push((index, annotation));
    }
    by_position
}

/// The events that an annotation covers.
#[derive(Debug)]
pub struct SpanLink {
    /// The events, in words.
    pub text: String,
    /// Address of the last event.
    pub href: String,
    /// Their numbers, in the form used by scripts in addresses: `17..21`.
    pub range: String,
}

/// An annotation for display; each of its long texts is truncated to `limit` bytes.
pub fn annotation_view<'a>(
    layout: &Layout<'_>,
    page: &str,
    annotation: &'a Annotation<'a>,
    index: usize,
    limit: usize,
) -> AnnotationView<'a> {
    let (class, sign) = appearance(&annotation.kind);
    // One annotation must not make a page too large for browsers.
    let cut = |text: &'a str| format::truncated(text, limit);
    let long = [
        annotation.evidence.as_deref(),
        annotation.suggested_fix,
        annotation.metadata,
    ];
    let is_cut = long.into_iter().flatten().any(|text| text.len() > limit);
    AnnotationView {
        rest: is_cut.then(|| {
            format!(
                "Only the first {} are shown; the sidecar has the full text.",
                format::bytes(limit as u64)
            )
        }),
        anchor: layout.annotation_anchor(annotation, index),
        kind: annotation.kind.word(),
        class,
        sign,
        name: annotation.kind.word().replace('_', " "),
        evidence: annotation.evidence.as_deref().map(cut),
        fix: annotation
            .suggested_fix
            .map(|raw| match serde_json::from_str::<String>(raw) {
                Ok(text) => Cow::Owned(format::truncated(&text, limit).to_owned()),
                Err(_) => Cow::Borrowed(format::truncated(raw, limit)),
            }),
        author: annotation.author.as_ref().map(|author| {
            let id = author.id.as_deref().unwrap_or("unnamed");
            let surface = author
                .surface
                .as_ref()
                .map_or_else(String::new, |surface| format!(" in {surface}"));
            format!("{id} ({}){surface}", author.kind.word())
        }),
        timestamp: annotation.timestamp.as_deref().map(|text| {
            time::parse_rfc3339(text).map_or(Cow::Borrowed(text), |ms| Cow::Owned(time::utc(ms)))
        }),
        span: annotation.span.and_then(|(start, end)| {
            let position = layout.tape.position_up_to(end)?;
            let last = layout.tape.events.get(position)?.seq;
            Some(SpanLink {
                text: format!("events {start} to {end}"),
                href: layout.event_href(page, last, position),
                range: format!("{start}..{end}"),
            })
        }),
        detail: annotation
            .hypothesis_status
            .or(annotation.friction_kind.as_deref()),
        links: annotation
            .links
            .iter()
            .map(|link| {
                let href = link.url.clone().filter(|url| is_allowed_link(url));
                let url = link.url.as_ref();
                let first = link.label.as_ref().or(url).or(link.reference.as_ref());
                let mut words = first.cloned().unwrap_or_default();
                let more = [url.filter(|_| href.is_none()), link.reference.as_ref()];
                for more in more
                    .into_iter()
                    .flatten()
                    .filter(|more| first != Some(*more))
                {
                    words = format!("{words} ({more})");
                }
                (words, href)
            })
            .collect(),
        metadata: annotation.metadata.map(cut),
    }
}

/// The class and the sign of a kind; sign and name convey it without color.
pub const fn appearance(kind: &AnnotationKind) -> (&'static str, &'static str) {
    match kind {
        AnnotationKind::Correct => ("correct", "✓"),
        AnnotationKind::Incorrect => ("incorrect", "✗"),
        AnnotationKind::Alternative => ("alternative", "⇄"),
        AnnotationKind::Note => ("note", "✎"),
        AnnotationKind::Marker => ("marker", "⚑"),
        AnnotationKind::Mute => ("mute", "⊘"),
        AnnotationKind::Hypothesis => ("hypothesis", "?"),
        AnnotationKind::Friction => ("friction", "≈"),
        AnnotationKind::CrystallizeHere => ("crystallize", "◆"),
        AnnotationKind::Unknown(_) => ("unknown", "•"),
    }
}
