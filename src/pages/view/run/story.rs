//! The story page of a run: a few frames, each with a quote, chosen by fixed rules that the page prints.

use std::ops::RangeInclusive;

use serde::Serialize;

use content::inspect::Inspection;
use formats::config::Config;
use formats::model::amounts;
use formats::model::annotation::{Annotation, AnnotationKind};
use formats::model::run::Run;
use formats::model::tape::{Event, Family, Tape};
use formats::model::words;
use markup::markdown;

use super::{MomentEvent, PictureView, events_around};
use crate::draw::axis::Axis;
use crate::draw::density::{self, COLUMNS, TapeGlyph};
use crate::view::timeline::{Layout, annotation_view};
use crate::view::{Link, format, task};

/// What a story is made of.
#[derive(Debug, Clone, Copy)]
pub struct StorySource<'a> {
    pub config: &'a Config,
    pub run: &'a Run,
    pub task: &'a str,
    pub inspection: &'a Inspection<'a>,
    pub layouts: &'a [Layout<'a>],
}

/// Maximum annotations with a frame.
const MOST: usize = 40;
/// Maximum characters of a quote.
const QUOTE: usize = 420;

/// Maximum events of a span that a frame lists.
const SPAN: usize = 12;
/// Maximum characters of an unrecognized kind.
const KIND: usize = 40;

#[derive(Debug, Serialize)]
pub struct StoryPage {
    /// Case, variant and version.
    pub title: String,
    /// Its model and harness.
    pub subject: String,
    /// The run's page.
    pub run: Link,
    /// `9 frames`
    pub summary: String,
    /// The maximum number of annotations, and the shortest pause with a frame.
    pub rules: (usize, String),
    /// The first tape, which frames refer to.
    pub glyph: Option<TapeGlyph>,
    /// The frames, in the order of the tapes.
    pub frames: Vec<StoryFrame>,
    /// `12 more annotations`
    pub more: Option<String>,
}

#[derive(Debug, Serialize)]
pub struct StoryFrame {
    /// From 1, also in its address: `#f-3`.
    pub number: usize,
    /// Why it was chosen: `Marker · First failure`.
    pub title: String,
    /// Class of the annotation kind; empty without an annotation.
    pub class: &'static str,
    /// Number of the event, and its time since the start.
    pub event: (u64, Option<String>),
    /// Its address on the timeline.
    pub href: String,
    /// Its tape, if the run has several.
    pub file: Option<String>,
    /// The annotation of the event, or the text of the event.
    pub quote: String,
    pub author: Option<String>,
    /// What the annotation suggests instead, plain.
    pub fix: Option<String>,
    /// The event, and the events around it.
    pub events: Vec<MomentEvent>,
    /// In the last frame, an image of the result, with its description.
    pub picture: Option<PictureView>,
    pub shows: String,
    /// A line through the glyph at the event; empty for an event of another tape.
    pub line: String,
}

struct StoryMoment<'a> {
    tape: usize,
    position: usize,
    reasons: Vec<String>,
    /// The annotation with its index in the sidecar.
    annotation: Option<(usize, &'a Annotation<'a>)>,
}

/// The story of a run for the page at `path`, and the picture of its result.
pub fn story(s: StorySource<'_>, path: &str, picture: Option<(PictureView, String)>) -> StoryPage {
    let run = s.run;
    let (mut chosen, left_out) = annotated_moments(s);
    let first = s.inspection.tapes.first();
    for (position, reason) in first.map_or_else(Vec::new, |it| moments_by_rule(s, it)) {
        let same = |it: &&mut StoryMoment<'_>| (it.tape, it.position) == (0, position);
        match chosen.iter_mut().find(same) {
            Some(frame) => frame.reasons.push(reason),
            None => chosen.push(StoryMoment {
                tape: 0,
                position,
                reasons: vec![reason],
                annotation: None,
            }),
        }
    }
    chosen.sort_by_key(|it| (it.tape, it.position, it.annotation.map(|(index, _)| index)));
    let first = first.filter(|tape| !tape.events.is_empty());
    let axis = first.map(|tape| Axis::of(s.config, tape));
    let glyph = axis
        .as_ref()
        .zip(first)
        .map(|(axis, tape)| TapeGlyph::new(&density::columns(axis, tape, COLUMNS)));
    let places: Vec<usize> = axis.as_ref().map_or_else(Vec::new, |axis| {
        density::event_columns(axis, COLUMNS).collect()
    });
    let summary = format::count(chosen.len(), "frame");
    let frames = (1..).zip(chosen).map(|(number, chosen)| StoryFrame {
        number,
        line: line(glyph.as_ref(), &places, &chosen),
        ..frame(s, path, &chosen)
    });
    let mut frames: Vec<StoryFrame> = frames.collect();
    if let (Some(last), Some((mut picture, shows))) = (frames.last_mut(), picture) {
        picture.href.insert_str(0, "../");
        last.picture = Some(picture);
        last.shows = shows;
    }
    StoryPage {
        title: task::name(run, s.task),
        subject: format!("{}, {}", run.subject.model(), run.subject.harness),
        run: Link::new(task::name(run, s.task), "../index.html"),
        summary,
        rules: (
            MOST,
            format::count(
                usize::try_from(s.config.timeline.gap_seconds).unwrap_or(usize::MAX),
                "second",
            ),
        ),
        frames,
        glyph,
        more: format::rest(left_out, 0, "more annotation"),
    }
}

/// Markers and annotations by people; and the number omitted, markers last.
fn annotated_moments(s: StorySource<'_>) -> (Vec<StoryMoment<'_>>, usize) {
    let mut chosen = Vec::new();
    for (tape, (sidecar, layout)) in s.inspection.sidecars.iter().zip(s.layouts).enumerate() {
        let annotations = layout.annotations(sidecar.as_ref());
        let annotations =
            annotations.filter(|(.., it)| it.kind == AnnotationKind::Marker || is_by_person(it));
        chosen.extend(
            annotations.map(|(position, index, annotation)| StoryMoment {
                tape,
                position,
                reasons: vec![reason(annotation)],
                annotation: Some((index, annotation)),
            }),
        );
    }
    let is_other = |it: &StoryMoment<'_>| {
        it.annotation
            .is_some_and(|(_, it)| it.kind != AnnotationKind::Marker)
    };
    chosen.sort_by_key(|it| (is_other(it), it.tape, it.position));
    let left_out = chosen.split_off(chosen.len().min(MOST));
    (chosen, left_out.len())
}

/// Positions on a tape with reasons, in the order of the rules.
fn moments_by_rule(s: StorySource<'_>, tape: &Tape<'_>) -> Vec<(usize, String)> {
    let events = &tape.events;
    let failure = events.iter().position(Event::is_failure);
    let write = events
        .iter()
        .rposition(|event| event.kind.family == Family::Write);
    let shortest = s.config.timeline.gap_milliseconds();
    let pauses = events.windows(2).enumerate().filter_map(|(before, pair)| {
        let pause = pair[1].at?.saturating_sub(pair[0].at?);
        (pause > shortest).then_some((before + 1, pause))
    });
    // The first pause wins a tie.
    let longest = pauses.reduce(|a, b| if b.1 > a.1 { b } else { a });
    let named = |position: Option<usize>, reason: &str| Some((position?, reason.to_owned()));
    let pause = longest.map(|(position, pause)| {
        let pause = format::milliseconds(pause);
        (position, format!("After the longest gap, {pause}"))
    });
    let all = [
        named(failure, "First failure"),
        pause,
        named(write, "Last write"),
        named(events.len().checked_sub(1), "The end"),
    ];
    all.into_iter().flatten().collect()
}

fn frame(s: StorySource<'_>, path: &str, chosen: &StoryMoment<'_>) -> StoryFrame {
    let tape = &s.inspection.tapes[chosen.tape];
    let layout: &Layout<'_> = &s.layouts[chosen.tape];
    let event = &tape.events[chosen.position];
    let view = chosen
        .annotation
        .map(|(index, annotation)| annotation_view(layout, path, annotation, index, usize::MAX));
    let text = view.as_ref().and_then(|view| view.evidence);
    let text = text.map(|text| markdown::plain(text, QUOTE));
    let quote = text.filter(|text| !text.is_empty());
    let start = tape.first_time();
    let times = event.at.zip(start);
    let clock = times.map(|(at, start)| amounts::clock(at.saturating_sub(start)));
    StoryFrame {
        number: 0,
        line: String::new(),
        picture: None,
        shows: String::new(),
        title: chosen.reasons.join(" · "),
        class: view.as_ref().map_or("", |view| view.class),
        event: (event.seq, clock),
        href: match &view {
            Some(view) => layout.href(path, chosen.position, &view.anchor),
            None => layout.event_href(path, event.seq, chosen.position),
        },
        file: (s.inspection.tapes.len() > 1).then(|| tape.file.clone()),
        fix: view
            .as_ref()
            .and_then(|view| view.fix.as_deref())
            .map(|fix| words::excerpt(fix, QUOTE)),
        author: view
            .filter(|_| quote.is_some())
            .and_then(|view| view.author),
        events: frame_events(s, path, chosen, quote.is_none()),
        quote: quote.unwrap_or_else(|| words::summary(quoted_event(s, chosen), QUOTE)),
    }
}

/// The event of a frame and the events around it. A text that is the quote of the frame is not repeated.
fn frame_events(
    s: StorySource<'_>,
    path: &str,
    chosen: &StoryMoment<'_>,
    is_own_text: bool,
) -> Vec<MomentEvent> {
    let tape = &s.inspection.tapes[chosen.tape];
    let layout = &s.layouts[chosen.tape];
    let mut events = events_around(tape, layout, path, event_range(layout, chosen));
    let quoted = quoted_event(s, chosen).seq;
    let same = events.iter_mut().find(|it| is_own_text && it.seq == quoted);
    if let Some(event) = same {
        event.says.clear();
    }
    events
}

/// The positions of the events that an annotation covers, or of the event itself.
fn event_range(layout: &Layout<'_>, chosen: &StoryMoment<'_>) -> RangeInclusive<usize> {
    let span = chosen
        .annotation
        .and_then(|(_, annotation)| annotation.span);
    let ends = span.and_then(|(first, last)| layout.position(first).zip(layout.position(last)));
    let ends = ends.filter(|(first, last)| (*first..=*last).contains(&chosen.position));
    let (first, last) = ends.unwrap_or((chosen.position, chosen.position));
    first..=last.min(first + SPAN - 1)
}

fn line(glyph: Option<&TapeGlyph>, places: &[usize], chosen: &StoryMoment<'_>) -> String {
    let place = places.get(chosen.position).filter(|_| chosen.tape == 0);
    glyph
        .zip(place)
        .map_or_else(String::new, |(glyph, column)| {
            format!("M{} 0V{}", column * glyph.columns / COLUMNS, glyph.height)
        })
}

fn is_by_person(annotation: &Annotation<'_>) -> bool {
    let author = annotation.author.as_ref();
    author.is_none_or(|author| author.kind.word() == "human")
}

/// `Marker`, `Annotation: hypothesis, confirmed, events 2 to 4`
fn reason(annotation: &Annotation<'_>) -> String {
    let mut reason = "Marker".to_owned();
    if annotation.kind != AnnotationKind::Marker {
        let kind = annotation.kind.word().replace('_', " ");
        reason = format!("Annotation: {}", words::excerpt(&kind, KIND));
    }
    if let Some(status) = annotation.hypothesis_status {
        reason = format!("{reason}, {status}");
    }
    if let Some((first, last)) = annotation.span {
        reason = format!("{reason}, events {first} to {last}");
    }
    reason
}

/// The event that speaks for a moment without an annotation: its error, if it failed.
fn quoted_event<'a>(s: StorySource<'a>, chosen: &StoryMoment<'_>) -> &'a Event<'a> {
    let tape = &s.inspection.tapes[chosen.tape];
    match &tape.events[chosen.position] {
        event if event.has_failed() => {
            let steps = &s.layouts[chosen.tape].steps;
            steps.failure(tape, chosen.position).cause
        }
        event => event,
    }
}
