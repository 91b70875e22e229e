//! What the site's search looks through: short texts, each with a title and an address.

use serde::Serialize;

use crate::links;
use crate::model::archive::{Entry, Group, GroupBy};
use crate::model::findings::Findings;
use crate::view::format;

/// Characters of a writeup that can be searched.
pub const WRITEUP: usize = 1_000;
/// Characters of a page of prose that can be searched.
pub const PROSE: usize = 30_000;
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
}

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
    /// Writeups and annotations for which there was no room.
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
    Document {
        kind: Kind::Run,
        title: of(entry),
        text,
        about: String::new(),
        href: links::run(&entry.slug),
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
    }
}

fn of(entry: &Entry) -> String {
    format!("{} by {}", entry.run.title(), entry.run.subject.model())
}
