//! The documents of site search: short texts, each with a title and an address.

use std::sync::Arc;

use serde::{Serialize, Serializer};

use crate::view::annotations::{KIND_COUNT, kind_word};
use crate::view::timeline::Layout;
use crate::view::{format, task};
use base::links;
use formats::model::archive::{ArchiveEntry, ArchiveGroup, GroupBy};
use formats::model::findings::{CardText, Findings};
use formats::model::slug;
use formats::model::tape::{Family, Tape};
use formats::model::words;

/// Indexed characters of a writeup.
pub const WRITEUP: usize = 1_000;
/// Indexed characters of a page of prose.
pub const PROSE: usize = 30_000;
/// Indexed distinct messages of failed events, per run.
const MESSAGES: usize = 8;
/// Indexed characters of such a message.
const MESSAGE: usize = 160;
/// Indexed prompts per run: the first messages of its user.
const PROMPTS: usize = 4;
/// Indexed characters of a prompt, and of the agent's last message.
const SPEECH: usize = 240;
/// Bytes of the details of state and validation.
const DETAIL: usize = 300;
/// The kind of a text, in the order of the results. Kinds before `Run` have weighted words; the others belong to runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(into = "usize")]
pub enum SearchKind {
    Case,
    Model,
    Harness,
    Page,
    Run,
    Failure,
    Annotation,
    Writeup,
    Message,
}

impl SearchKind {
    /// Number of kinds.
    pub const COUNT: usize = 9;
}

impl From<SearchKind> for usize {
    fn from(kind: SearchKind) -> Self {
        kind as Self
    }
}

/// A text that belongs to no run, as the script reads it.
#[derive(Debug, Clone, Serialize)]
pub struct SearchDocument(
    pub SearchKind,
    /// Title.
    pub String,
    /// Subject.
    pub String,
    /// Address, relative to the site's root.
    pub String,
    /// Text.
    pub String,
);

/// The head of all texts of a run, as the script reads it; also the result for the run itself.
#[derive(Debug, Serialize)]
pub struct SearchRun(
    /// Folder.
    pub String,
    /// Title.
    pub String,
    /// Tone of the state badge.
    pub &'static str,
    /// How it ended, with what, and when.
    pub String,
    /// Subject of its writeup.
    pub String,
    /// Other words that find it: for how it ended, and its whole id.
    #[serde(skip)]
    pub String,
);

/// A text of a run, as the script reads it. The first value is the type.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum SearchText {
    /// Address in the folder of the run, subject and text.
    Failure(&'static str, String, String, String),
    /// A message of the user or the agent, with the same values.
    Message(&'static str, String, String, String),
    /// An annotation, of which the script loads the card.
    #[serde(serialize_with = "card_number")]
    Annotation {
        /// Number of the card within its kind, times the number of kinds, plus the kind.
        card: u64,
        /// Its kind, its text and its events.
        words: [String; 3],
    },
    /// Plain text.
    Writeup(&'static str, String),
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes fields by reference"
)]
fn card_number<S: Serializer>(card: &u64, _: &[String; 3], to: S) -> Result<S::Ok, S::Error> {
    to.serialize_u64(*card)
}

/// What an event says: address in the folder of the run, subject and text.
pub type EventText = (String, String, String);

/// The manifest, which the script loads first.
#[derive(Debug, Serialize)]
pub struct SearchManifest<'a> {
    /// First term and name of each part of the index.
    pub parts: &'a [(String, String)],
    /// Number of indexed texts.
    pub documents: usize,
    /// Number of cases, and the first of them.
    pub cases: (usize, Vec<SearchDocument>),
    /// Kinds of annotations, as in the names of card files.
    pub kinds: Vec<String>,
}

impl SearchText {
    pub const fn kind(&self) -> SearchKind {
        match self {
            Self::Failure(..) => SearchKind::Failure,
            Self::Message(..) => SearchKind::Message,
            Self::Annotation { .. } => SearchKind::Annotation,
            Self::Writeup(..) => SearchKind::Writeup,
        }
    }

    /// Calls `found` with all words that match the text, except those of the run.
    pub fn words(&self, SearchRun(.., rated, _): &SearchRun, found: impl FnOnce(&[&str])) {
        match self {
            Self::Failure(_, _, what, says) => {
                let synonyms = synonyms(&[what, says]);
                found(&[says, what, "of", &synonyms]);
            }
            Self::Message(_, _, what, says) => found(&[says, what, "of"]),
            Self::Annotation {
                words: [title, says, events],
                ..
            } => found(&[title, says, events, "of"]),
            Self::Writeup(_, text) => found(&[text, rated]),
        }
    }
}

/// The document of a page of prose; `text` is plain.
pub fn page(
    title: String,
    description: Option<&str>,
    text: String,
    path: String,
) -> SearchDocument {
    let about = description.unwrap_or_default().to_owned();
    SearchDocument(SearchKind::Page, title, about, path, text)
}

/// The document of a case, a model or a harness; `title` and `text` are from its prose, as plain text.
pub fn group(
    group_by: GroupBy,
    group: &ArchiveGroup,
    title: Option<&str>,
    text: String,
) -> SearchDocument {
    let kind = match group_by {
        GroupBy::Case => SearchKind::Case,
        GroupBy::Model => SearchKind::Model,
        GroupBy::Harness => SearchKind::Harness,
    };
    let runs = format::count(group.runs.len(), "run");
    let own = title.filter(|title| *title != group.name);
    SearchDocument(
        kind,
        group.name.clone(),
        own.map_or_else(|| runs.clone(), |title| format!("{title}, {runs}")),
        links::group(group_by.folder(), &group.slug),
        text,
    )
}

pub fn run(entry: &ArchiveEntry, findings: &Findings) -> SearchRun {
    let subject = &entry.run.subject;
    let state = format::state(&entry.run.state);
    let rating = format::rating(findings.rating).word;
    let date = format::when(entry.run.recency()).date;
    let annotations = match findings.annotations.total() {
        0 => String::new(),
        count => format::count(count, "annotation"),
    };
    // The details of other states are among the failures.
    let detail = entry.run.state.detail.as_ref();
    let detail = detail.filter(|_| entry.run.state.is_completed());
    let detail = detail.map_or_else(String::new, |detail| {
        words::plain(format::truncated(detail, DETAIL))
    });
    let ended = match findings.verdict.as_str() {
        "" => &state.word,
        verdict => verdict,
    };
    let id = slug::address_id(&entry.run.id);
    let shown = [ended, &subject.harness, &date, &annotations, &detail, &id];
    let shown = shown.into_iter().filter(|text| !text.is_empty());
    SearchRun(
        links::run_file(&entry.slug, ""),
        task::title(&entry.run, &findings.task),
        format::outcome_badge(entry).tone,
        shown.collect::<Vec<_>>().join(" · "),
        format!("rated {rating}"),
        format!("{} {}", synonyms(&[&entry.run.state.word]), entry.run.id),
    )
}

/// Words for the same way to end: whoever searches for one finds all.
const SYNONYMS: [&[&str]; 6] = [
    &["timed out", "timeout", "time limit"],
    &["crashed", "crash", "catastrophic", "harness error"],
    &["failed", "failure"],
    &["hung", "stuck", "no output"],
    &["limit exceeded", "limit reached", "out of budget"],
    &["canceled", "cancelled", "aborted"],
];

/// The other words for what these texts say of an end.
fn synonyms(texts: &[&str]) -> String {
    let texts: Vec<String> = texts
        .iter()
        .map(|text| text.to_lowercase().replace('_', " "))
        .collect();
    let says = |form: &&str| texts.iter().any(|text| text.contains(*form));
    let groups = SYNONYMS.iter().filter(|forms| forms.iter().any(&says));
    let others = groups.flat_map(|forms| forms.iter().filter(|form| !says(form)));
    others.copied().collect::<Vec<_>>().join(" ")
}

/// The first messages of the user and the last one of the agent, on each tape.
pub fn messages(
    entry: &ArchiveEntry,
    tapes: &[Tape<'_>],
    layouts: &[Layout<'_>],
) -> Vec<EventText> {
    let folder = links::run_file(&entry.slug, "").len();
    let mut messages = Vec::new();
    for (tape, layout) in tapes.iter().zip(layouts) {
        let spoken = tape.events.iter().enumerate().filter(|(_, event)| {
            let speaks = event.kind.family == Family::Speech || event.final_message.is_some();
            speaks && event.relations.side_track.is_none()
        });
        let (prompts, answers): (Vec<_>, Vec<_>) =
            spoken.partition(|(_, event)| event.kind.word == "user");
        let prompts = prompts.into_iter().take(PROMPTS).map(|it| (it, "prompt"));
        let last = answers
            .into_iter()
            .next_back()
            .map(|it| (it, "last message"));
        for ((position, event), subject) in prompts.chain(last) {
            let says = match &event.final_message {
                Some(message) => words::excerpt(message, SPEECH),
                None => words::summary(event, SPEECH),
            };
            if !says.is_empty() {
                let href = layout.event_href("index.html", event.seq, position);
                messages.push((href[folder..].to_owned(), subject.to_owned(), says));
            }
        }
    }
    messages
}

/// The first distinct messages of failed events of a run.
pub fn failures(
    entry: &ArchiveEntry,
    tapes: &[Tape<'_>],
    layouts: &[Layout<'_>],
) -> Vec<EventText> {
    let mut failures: Vec<EventText> = Vec::new();
    let folder = links::run_file(&entry.slug, "").len();
    for (tape, layout) in tapes.iter().zip(layouts) {
        let events = tape.events.iter().enumerate();
        for (position, event) in events.filter(|(_, event)| event.is_part_of_failure()) {
            if failures.len() == MESSAGES {
                return failures;
            }
            let says = words::summary(event, MESSAGE);
            if says.is_empty() || failures.iter().any(|(.., known)| *known == says) {
                continue;
            }
            let href = layout.event_href("index.html", event.seq, position);
            let href = href[folder..].to_owned();
            failures.push((href, format!("event {}", event.seq), says));
        }
    }
    failures
}

/// The failures of a run: details of its state and validation, and messages of its events.
pub fn failures_of(
    entry: &ArchiveEntry,
    messages: Vec<EventText>,
) -> impl Iterator<Item = SearchText> {
    let run = &entry.run;
    let detail = |of: String, anchor: &str, detail: Option<&Arc<str>>| {
        let says = words::plain(format::truncated(detail?, DETAIL));
        (!says.is_empty()).then(|| (format!("index.html{anchor}"), of, says))
    };
    let state = format::state(&run.state).word;
    let ended = run.state.detail.as_ref();
    let ended = ended.filter(|_| !run.state.is_completed());
    let details = [
        detail(format!("{state}, the end"), "", ended),
        detail(
            "validation".to_owned(),
            "#validation",
            run.validation.detail.as_ref(),
        ),
    ];
    let all = details.into_iter().flatten().chain(messages);
    all.map(|(href, of, says)| SearchText::Failure("f", href, of, says))
}

/// The text of an annotation with this card number; `None` if it has no evidence.
pub fn annotation(number: u32, text: CardText) -> Option<SearchText> {
    let events = text.events();
    let words = text.kind_word;
    let words = words.unwrap_or_else(|| kind_word(text.kind).replace('_', " "));
    let title = text.group_word.map(|group| format!("{words}: {group}"));
    let says = Some(text.evidence).filter(|text| !text.is_empty())?;
    Some(SearchText::Annotation {
        card: u64::from(number) * KIND_COUNT as u64 + text.kind as u64,
        words: [title.unwrap_or(words), says, events],
    })
}
