//! The annotated moments of a run: annotations, each with its event and the events around it.

use std::ops::RangeInclusive;

use serde::Serialize;

use crate::view::format;
use crate::view::timeline::{AnnotationView, Layout, annotation_view};
use base::links;
use formats::model::annotation::Annotation;
use formats::model::tape::Tape;
use formats::model::words;
use markup::markdown;

use super::CheckedRun;
use super::agreement::{self, AgreementView};

/// Maximum moments on the page; the others are on the timeline.
const MOST: usize = 40;
/// Maximum characters shown of an annotation.
const EVIDENCE: usize = 420;
/// Maximum characters shown of an event.
const SAYS: usize = 140;

/// The annotated moments, in the order of the tapes.
#[derive(Debug, Default, Serialize)]
pub struct MomentsView {
    pub list: Vec<MomentView>,
    /// `12 more annotated moments on the timeline`, if not all are shown.
    pub more: Option<String>,
    /// How far annotators agree.
    pub agreements: Vec<AgreementView>,
}

/// An annotation with its event, and the events before and after.
#[derive(Debug, Serialize)]
pub struct MomentView {
    /// Its address on the timeline.
    pub href: String,
    /// Class of its kind.
    pub class: &'static str,
    /// Sign of its kind.
    pub sign: &'static str,
    /// The display name of its kind.
    pub kind: String,
    /// Hypothesis status or friction kind.
    pub detail: Option<String>,
    /// Its text, as plain text.
    pub evidence: String,
    pub author: Option<String>,
    /// `events 56 to 69`, if it is about several.
    pub span: Option<String>,
    /// Its tape, if the run has several.
    pub tape: Option<String>,
    /// The event, and the events around it.
    pub events: Vec<MomentEvent>,
}

#[derive(Debug, Serialize)]
pub struct MomentEvent {
    /// Its address on the timeline.
    pub href: String,
    /// Its number.
    pub seq: u64,
    /// Its kind.
    pub word: &'static str,
    pub family: &'static str,
    pub failed: bool,
    /// Its subject.
    pub says: String,
    /// Whether the annotation is about this event.
    pub here: bool,
}

pub(super) fn moments(s: &CheckedRun<'_>) -> MomentsView {
    let path = links::run(&s.entry.slug);
    let mut placed: Vec<(usize, usize, usize, &Annotation<'_>)> = Vec::new();
    for (tape, (_, sidecar, layout)) in s.tapes().enumerate() {
        let annotations = layout.annotations(sidecar);
        placed.extend(annotations.map(|(position, index, it)| (tape, position, index, it)));
    }
    placed.sort_by_key(|(tape, position, index, _)| (*tape, *position, *index));
    let list = placed
        .iter()
        .take(MOST)
        .map(|(tape, position, index, annotation)| {
            let (tape, layout) = (&s.inspection.tapes[*tape], &s.layouts[*tape]);
            let view = annotation_view(layout, &path, annotation, *index, usize::MAX);
            let events = events_around(tape, layout, &path, *position..=*position);
            let href = layout.href(&path, *position, &view.anchor);
            MomentView {
                tape: (s.inspection.tapes.len() > 1).then(|| tape.file.clone()),
                ..moment(view, href, events)
            }
        })
        .collect();
    MomentsView {
        list,
        more: (placed.len() > MOST).then(|| {
            let more = format::count(placed.len() - MOST, "more annotated moment");
            format!("{more} on the timeline")
        }),
        agreements: agreement::agreements(s, &path),
    }
}

fn moment(view: AnnotationView<'_>, href: String, events: Vec<MomentEvent>) -> MomentView {
    MomentView {
        href,
        class: view.class,
        sign: view.sign,
        kind: view.name,
        detail: view.detail.map(|detail| detail.replace('_', " ")),
        evidence: view
            .evidence
            .map_or_else(String::new, |text| markdown::plain(text, EVIDENCE)),
        author: view.author,
        span: view.span.map(|span| span.text),
        tape: None,
        events,
    }
}

/// Some events with the events before and after.
pub fn events_around(
    tape: &Tape<'_>,
    layout: &Layout<'_>,
    path: &str,
    here: RangeInclusive<usize>,
) -> Vec<MomentEvent> {
    let from = here.start().saturating_sub(1);
    tape.events
        .iter()
        .enumerate()
        .skip(from)
        .take(here.end() - from + 2)
        .map(|(at, event)| MomentEvent {
            href: layout.event_href(path, event.seq, at),
            seq: event.seq,
            word: event.kind.word,
            family: event.kind.family.word(),
            failed: event.is_part_of_failure(),
            says: words::summary(event, SAYS),
            here: here.contains(&at),
        })
        .collect()
}
