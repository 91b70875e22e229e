//! What the site's search looks through: short texts, each with a title and an address.

use serde::Serialize;

use crate::links;
use crate::model::archive::{Entry, Group, GroupBy};
use crate::model::findings::Findings;
use crate::model::tape::Tape;
use crate::model::words;
use crate::view::format;
use crate::view::timeline::{Layout, head};

/// Characters of a writeup that can be searched.
pub const WRITEUP: usize = 1_000;
/// Characters of a page of prose that can be searched.
pub const PROSE: usize = 30_000;
/// Different messages of failed events of a run that can be searched.
const MESSAGES: usize = 8;
/// Characters of such a message.
const MESSAGE: usize = 160;
/// Bytes of what a record says of its state and its validation.
const DETAIL: usize = 300;
/// Bytes of all texts together. What a browser can hold and read in a few seconds is limited; the oldest runs give way.
pub const ALL: usize = 10_000_000;

/// What a text is.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the names say it")]
pub enum Kind {
    Case,
    Model,
    Harness,
    Page,
    Run,
    Writeup,
}

/// A text that can be found.
#[derive(Debug, Serialize)]
pub struct Document {
    kind: Kind,
    title: String,
    text: String,
    /// What it is about.
    about: String,
    /// Where it is, relative to the site's root.
    pub href: String,
    /// How a run ended: the tone of its sign.
    #[serde(skip_serializing_if = "Option::is_none")]
    tone: Option<&'static str>,
}

/// What went wrong in a run. The script makes a text of each.
#[derive(Debug, Serialize)]
pub struct Failures {
    /// The run, in words.
    of: String,
    /// Its folder.
    pub folder: String,
    pub failures: Vec<Failure>,
}

/// Where it is in the folder of the run, what it is of, and what it says.
pub type Failure = (String, String, String);

/// What the script reads first.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Manifest<'a> {
    /// The names of the parts.
    pub parts: Vec<&'a str>,
    /// The parts of annotations that are searched, too: the kind, and the path without the ending.
    pub annotations: Vec<(&'static str, String)>,
    /// How many texts all of them hold.
    pub documents: usize,
    /// Writeups, failures and annotations for which there was no room.
    pub left_out: usize,
}

impl Document {
    /// How much of the room it takes, in bytes.
    #[must_use]
    pub const fn size(&self) -> usize {
        self.title.len() + self.text.len() + self.about.len() + self.href.len()
    }
}

/// A page of prose; `text` is plain.
#[must_use]
pub fn page(title: String, description: Option<&str>, text: String, path: String) -> Document {
    Document {
        kind: Kind::Page,
        title,
        text,
        about: description.unwrap_or_default().to_owned(),
        href: path,
        tone: None,
    }
}

/// A case, a model or a harness; `title` and `text` are those of its prose, plain.
#[must_use]
pub fn group(group_by: GroupBy, group: &Group, title: Option<&str>, text: String) -> Document {
    let kind = match group_by {
        GroupBy::Case => Kind::Case,
        GroupBy::Model => Kind::Model,
        GroupBy::Harness => Kind::Harness,
    };
    let runs = format::count(group.runs.len(), "run");
    let own = title.filter(|title| *title != group.name);
    Document {
        kind,
        title: group.name.clone(),
        text,
        about: own.map_or_else(|| runs.clone(), |title| format!("{title}, {runs}")),
        href: links::group(group_by.folder(), &group.slug),
        tone: None,
    }
}

/// A run.
#[must_use]
pub fn run(entry: &Entry, findings: &Findings) -> Document {
    let subject = &entry.run.subject;
    let text = format!(
        "{}, {}, {}, finished {}, {} {}",
        subject.harness,
        entry.run.state.word,
        format::rating(findings.rating).word,
        format::when(entry.run.finished.as_ref()).date,
        format::count(findings.annotations.total(), "annotation"),
        entry.run.id,
    );
    // What a record says of another end is among the failures.
    let detail = entry.run.state.detail.as_ref();
    let detail = detail.filter(|_| entry.run.state.is_completed());
    let text = detail.map_or(text.clone(), |detail| {
        format!("{text}, {}", words::plain(head(detail, DETAIL)))
    });
    Document {
        kind: Kind::Run,
        title: of(entry),
        text,
        about: String::new(),
        href: links::run(&entry.slug),
        tone: Some(format::state(&entry.run.state).tone),
    }
}

/// The different messages of the first failed events of a run.
#[must_use]
pub fn failures(entry: &Entry, tapes: &[Tape<'_>], layouts: &[Layout<'_>]) -> Vec<Failure> {
    let mut failures: Vec<Failure> = Vec::new();
    let folder = links::run_file(&entry.slug, "").len();
    for (tape, layout) in tapes.iter().zip(layouts) {
        let events = tape.events.iter().enumerate();
        for (position, event) in events.filter(|(_, event)| event.is_failure()) {
            if failures.len() == MESSAGES {
                return failures;
            }
            let says = words::says(event, MESSAGE);
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

/// What went wrong in a run: what its record says of its state and its validation, and the messages of its events.
#[must_use]
pub fn failures_of(entry: &Entry, messages: Vec<Failure>) -> Failures {
    let run = &entry.run;
    let detail = |of: String, anchor: &str, detail: Option<&String>| {
        let says = words::plain(head(detail?, DETAIL));
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
    Failures {
        of: of(entry),
        folder: links::run_file(&entry.slug, ""),
        failures: details.into_iter().flatten().chain(messages).collect(),
    }
}

impl Failures {
    /// How much of the room they take, in bytes.
    #[must_use]
    pub fn size(&self) -> usize {
        let each = self.failures.iter();
        let each = each.map(|(href, of, says)| href.len() + of.len() + says.len());
        self.of.len() + self.folder.len() + each.sum::<usize>()
    }
}

/// A writeup; `text` is plain.
#[must_use]
pub fn writeup(entry: &Entry, findings: &Findings, text: String) -> Document {
    Document {
        kind: Kind::Writeup,
        title: of(entry),
        text,
        about: format!("rated {}", format::rating(findings.rating).word),
        href: format!("{}#writeup", links::run(&entry.slug)),
        tone: None,
    }
}

fn of(entry: &Entry) -> String {
    format!("{} by {}", entry.run.title(), entry.run.subject.model())
}
