//! The annotations that scripts show when somebody filters or searches: the cards, and what each part of them holds, so
//! that a script reads only the parts that it needs.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::model::archive::Entry;
use crate::view::annotations::{Filed, KindCards, SpooledText};
use crate::view::format;

/// What a card is chosen by: places in [`Manifest::cases`], [`Manifest::authors`] and [`KindParts::groups`].
pub type Key = (usize, usize, usize);

/// What a card shows, by the names of [`COLUMNS`].
pub type Row<'a> = (
    Key,
    &'a str,
    String,
    &'a str,
    &'a Option<String>,
    &'a Option<String>,
    &'a str,
    &'a str,
    u64,
    &'a str,
    &'a str,
    Option<&'a str>,
    Option<String>,
);

/// The names of the values of a [`Row`].
const COLUMNS: [&str; 13] = [
    "key",
    "slug",
    "run",
    "model",
    "kind",
    "group",
    "evidence",
    "href",
    "event",
    "event_kind",
    "says",
    "author",
    "at",
];

/// What a script reads first.
#[derive(Debug, Serialize)]
pub struct Manifest {
    /// The names of the values of a card.
    columns: [&'static str; 13],
    /// The cases of the archive.
    cases: Vec<String>,
    /// Who may have written an annotation.
    authors: [&'static str; 4],
    /// The kinds that there are annotations of.
    pub shelves: BTreeMap<&'static str, KindParts>,
}

/// The parts that hold the annotations of a kind.
#[derive(Debug, Serialize)]
pub struct KindParts {
    /// Class of the kind.
    class: &'static str,
    /// Sign of the kind.
    sign: &'static str,
    /// Statuses or kinds of friction; empty for other kinds.
    groups: Vec<String>,
    /// The names of the parts.
    pub names: Vec<String>,
    /// For each part how many annotations of each key it holds, one after the other: case, author, group, number.
    parts: Vec<Vec<usize>>,
}

/// Kinds of authors, and who does not say.
const AUTHORS: [&str; 4] = ["human", "agent", "system", "unnamed"];

impl Manifest {
    /// Without kinds; `cases` are those of the archive, sorted.
    #[must_use]
    pub const fn new(cases: Vec<String>) -> Self {
        Self {
            columns: COLUMNS,
            cases,
            authors: AUTHORS,
            shelves: BTreeMap::new(),
        }
    }

    /// The row of a card.
    #[must_use]
    pub fn row<'a>(&self, entry: &'a Entry, filed: &Filed, text: &'a SpooledText) -> Row<'a> {
        let subject = &entry.run.subject;
        let case = self.cases.binary_search(&subject.case).unwrap_or_default();
        let author = text.author.as_ref();
        let kind = author.and_then(|(_, kind)| AUTHORS.iter().position(|author| author == kind));
        (
            (case, kind.unwrap_or(AUTHORS.len() - 1), filed.spooled.group),
            entry.slug.below_runs(),
            entry.run.title(),
            subject.model(),
            &text.kind,
            &text.group,
            &text.evidence,
            &text.href,
            text.event,
            &text.event_kind,
            &text.says,
            author.and_then(|(id, _)| id.as_deref()),
            text.at.map(|at| format::at(at).text),
        )
    }
}

impl KindParts {
    /// The parts of a kind, before there is one.
    #[must_use]
    pub fn new(listed: &KindCards) -> Self {
        Self {
            class: listed.class,
            sign: listed.sign,
            groups: listed.parts.clone(),
            names: Vec::new(),
            parts: Vec::new(),
        }
    }

    /// Notes what a part holds.
    pub fn note(&mut self, keys: &mut BTreeMap<Key, usize>) {
        let keys = std::mem::take(keys).into_iter();
        let flat = keys.flat_map(|((case, author, group), number)| [case, author, group, number]);
        self.parts.push(flat.collect());
    }
}
