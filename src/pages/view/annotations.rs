//! Annotations as cards, by kind.

pub mod kinds;

use serde::{Deserialize, Serialize};

use formats::model::annotation::{Annotation, Kind};
use formats::model::archive::Entry;
use formats::model::tape::Tape;
use formats::model::time;
use formats::model::words;

use super::timeline::Layout;
use super::{DisplayTime, format};
use base::links::{self, Slug};

use kinds::{KINDS, appearance_of, folder, kind_index, part_name, part_of, parts_of};

/// What a card shows of an annotation itself. It waits in the spool until all runs are known.
#[derive(Debug, Serialize, Deserialize)]
pub struct SpooledText {
    /// Its kind, where that is not known.
    pub kind: Option<String>,
    /// Status of a hypothesis, kind of friction.
    pub group: Option<String>,
    /// What it says, as plain text.
    pub evidence: String,
    /// Where it is, relative to the folder of its run.
    pub href: String,
    /// Number of the event.
    pub event: u64,
    /// Number of the last event, if it covers several.
    pub last: Option<u64>,
    pub event_kind: String,
    /// What the event says.
    pub says: String,
    /// Who wrote it: the id, and what they are.
    pub author: Option<(Option<String>, String)>,
    /// When it was written, in milliseconds since 1970.
    pub at: Option<i64>,
}

impl SpooledText {
    /// `event 2` or `events 2 to 4`.
    pub fn events(&self) -> String {
        match self.last {
            Some(last) => format!("events {} to {last}", self.event),
            None => format!("event {}", self.event),
        }
    }
}

/// An annotation in a list.
#[derive(Debug, Serialize)]
pub struct Card {
    /// Its kind, in words.
    pub kind: String,
    /// Class of its kind.
    pub class: &'static str,
    /// Sign of its kind.
    pub sign: &'static str,
    /// What it says, as plain text.
    pub evidence: String,
    /// Where it is, relative to the site's root.
    pub href: String,
    /// `event 12`, or `events 12 to 17`
    pub event: String,
    pub event_kind: String,
    /// What the event says.
    pub says: String,
    /// Title of the run.
    pub run: String,
    /// Page of the run, relative to the site's root.
    pub run_href: String,
    /// The model that ran.
    pub model: String,
    /// Status of a hypothesis, kind of friction.
    pub group: Option<String>,
    /// Who wrote it.
    pub author: Option<String>,
    /// `human`, `agent` or `system`, when it says so.
    pub author_kind: Option<String>,
    /// The case of the run.
    pub case: String,
    /// When it was written.
    pub at: Option<DisplayTime>,
}

/// What a card says of an annotation, and the kind and group that it is filed under; `position` is that of its event,
/// `evidence` what it says as plain text.
pub fn spooled_text(
    slug: &Slug,
    (tape, layout): (&Tape<'_>, &Layout<'_>),
    (index, annotation): (usize, &Annotation<'_>),
    position: usize,
    evidence: String,
) -> (SpooledText, usize, usize) {
    let event = &tape.events[position];
    let kind = kind_index(&annotation.kind);
    let group = match annotation.kind {
        Kind::Hypothesis => annotation.hypothesis_status,
        Kind::Friction => annotation.friction_kind.as_deref(),
        _ => None,
    };
    let anchor = layout.annotation_anchor(annotation, index);
    let href = layout.href("index.html", position, &anchor);
    let author = annotation.author.as_ref();
    let text = SpooledText {
        kind: (kind == Kind::KNOWN.len()).then(|| annotation.kind.word().replace('_', " ")),
        group: group.map(|group| group.replace('_', " ")),
        evidence,
        href: href[links::run_file(slug, "").len()..].to_owned(),
        event: event.seq,
        last: annotation
            .span
            .map(|(_, end)| end)
            .filter(|end| *end > event.seq),
        event_kind: event.kind.word.replace('_', " "),
        says: words::says(event, 160),
        author: author.map(|author| (author.id.clone(), author.kind.word().to_owned())),
        at: annotation
            .timestamp
            .as_deref()
            .and_then(time::parse_rfc3339),
    };
    (text, kind, part_of(kind, group))
}

/// The card of an annotation of that kind and run.
pub fn card(entry: &Entry, kind: usize, text: SpooledText) -> Card {
    let (class, sign) = appearance_of(kind);
    let event = text.events();
    let (author, author_kind) = text.author.map_or((None, None), |(id, kind)| {
        let author = id.map_or_else(|| kind.clone(), |id| format!("{id} ({kind})"));
        (Some(author), Some(kind))
    });
    Card {
        kind: text
            .kind
            .unwrap_or_else(|| KINDS[kind].kind.replace('_', " ")),
        class,
        sign,
        evidence: text.evidence,
        href: links::run_file(&entry.slug, &text.href),
        event,
        event_kind: text.event_kind,
        says: text.says,
        run: entry.run.title(),
        run_href: links::run(&entry.slug),
        model: entry.run.subject.model().to_owned(),
        group: text.group,
        author,
        author_kind,
        case: entry.run.subject.case.to_string(),
        at: text.at.map(format::at),
    }
}

/// The word of a kind, by its place.
pub fn kind_word(kind: usize) -> &'static str {
    KINDS[kind].kind
}

/// How many kinds there are, with that of what is not known.
pub const KIND_COUNT: usize = KINDS.len();

pub fn kind_folders() -> Vec<String> {
    (0..KIND_COUNT).map(folder).collect()
}

/// Class and sign of a kind, and its parts in the order of the group of a card.
pub fn shelf(kind: usize) -> (&'static str, &'static str, Vec<String>) {
    let (class, sign) = appearance_of(kind);
    let parts = 0..=parts_of(kind).len();
    let parts = parts.filter_map(|part| part_name(kind, part));
    (class, sign, parts.collect())
}
