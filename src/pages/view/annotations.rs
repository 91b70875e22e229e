//! Annotations as cards, by kind.

pub mod kinds;

use std::collections::BTreeSet;

use super::task;
use formats::model::annotation::{Annotation, AnnotationKind};
use formats::model::archive::ArchiveEntry;
use formats::model::findings::CardText;
use formats::model::patterns;
use formats::model::tape::Tape;
use formats::model::time;
use formats::model::words;

use super::timeline::Layout;
use super::{DisplayTime, format};
use base::document;
use base::links::{self, Slug};

use kinds::{KINDS, appearance_of, folder, kind_index, part_of};

/// Most events of a span whose patterns count.
const EVENTS: usize = 200;

document! {
    /// An annotation in a list.
    pub struct AnnotationCard(entry: &ArchiveEntry, task: &str, text: CardText)
        let (class, sign) = appearance_of(text.kind);
        let event = text.events();
        let author = text.author.map(|author| match author {
            (Some(id), kind) => format!("{id} ({kind})"),
            (None, kind) => kind,
        });
    {
        /// Its kind, in words.
        pub kind: String = text
            .kind_word
            .unwrap_or_else(|| kind_word(text.kind).replace('_', " ")),
        /// Class of its kind.
        pub class: &'static str = class,
        /// Sign of its kind.
        pub sign: &'static str = sign,
        /// Its evidence as plain text.
        pub evidence: String = text.evidence,
        /// Its address, relative to the site's root.
        pub href: String = links::run_file(&entry.slug, &text.href),
        /// `event 12`, or `events 12 to 17`
        pub event: String = event,
        pub event_kind: String = text.event_kind,
        /// A summary of the event.
        pub says: String = text.says,
        /// Title of the run.
        pub run: String = task::name(&entry.run, task),
        /// Page of the run, relative to the site's root.
        pub run_href: String = links::run(&entry.slug),
        /// The model that ran.
        pub model: String = entry.run.subject.model().to_owned(),
        /// Status of a hypothesis, kind of friction.
        pub group: Option<String> = text.group_word,
        pub author: Option<String> = author,
        /// The case of the run.
        pub case: String = entry.run.subject.case.to_string(),
        /// When it was written.
        pub at: Option<DisplayTime> = text.at.map(format::at),
    }
}

/// What lists show of an annotation. `position` is that of its event, `evidence` its plain text.
pub fn card_text(
    slug: &Slug,
    tape: &Tape<'_>,
    layout: &Layout<'_>,
    index: usize,
    annotation: &Annotation<'_>,
    position: usize,
    evidence: String,
) -> CardText {
    let event = &tape.events[position];
    let kind = kind_index(&annotation.kind);
    let group = match annotation.kind {
        AnnotationKind::Hypothesis => annotation.hypothesis_status,
        AnnotationKind::Friction => annotation.friction_kind.as_deref(),
        _ => None,
    };
    let anchor = layout.annotation_anchor(annotation, index);
    let href = layout.href("index.html", position, &anchor);
    let author = annotation.author.as_ref();
    CardText {
        kind,
        kind_word: (kind == AnnotationKind::KNOWN.len())
            .then(|| annotation.kind.word().replace('_', " ")),
        group: part_of(kind, group),
        group_word: group.map(|group| group.replace('_', " ")),
        evidence,
        href: href[links::run_file(slug, "").len()..].to_owned(),
        event: event.seq,
        last: annotation
            .span
            .map(|(_, end)| end)
            .filter(|end| *end > event.seq),
        event_kind: event.kind.word.replace('_', " "),
        says: words::summary(event, 160),
        author: author.map(|author| (author.id.clone(), author.kind.word().to_owned())),
        at: annotation
            .timestamp
            .as_deref()
            .and_then(time::parse_rfc3339),
        patterns: match annotation.kind {
            AnnotationKind::CrystallizeHere => {
                let last = annotation.span.map_or(event.seq, |(_, end)| end);
                let events = tape.events[position..].iter().take(EVENTS);
                let events = events.take_while(|event| event.seq <= last);
                events.filter_map(patterns::of).collect()
            }
            _ => BTreeSet::new(),
        },
    }
}

/// The word of a kind, by its place.
pub fn kind_word(kind: usize) -> &'static str {
    KINDS[kind].kind
}

/// Number of kinds, including the one for unrecognized kinds.
pub const KIND_COUNT: usize = KINDS.len();

pub fn kind_folders() -> Vec<String> {
    (0..KIND_COUNT).map(folder).collect()
}
