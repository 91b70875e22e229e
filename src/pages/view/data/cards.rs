//! Annotations that scripts show when a reader filters or searches: the cards, and the content of each file of cards, so that a
//! script loads only the files it needs. Files, and blocks of files, are in chronological order, so that new runs leave older
//! ones unchanged.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::ser::{Serialize, SerializeSeq, Serializer};

use crate::view::annotations::kinds::{appearance_of, part_name, parts_of};
use crate::view::{format, task};
use formats::model::archive::ArchiveEntry;
use formats::model::findings::CardText;

/// The key to filter cards by: indexes in [`CardManifest::cases`], [`AUTHORS`] and [`KindCards::groups`].
pub type CardKey = (usize, usize, usize);

/// Number of cards by key.
#[derive(Debug, Default)]
pub struct CardCounts(BTreeMap<CardKey, usize>);

/// The values that all cards of a run share: folder and title of the run, its model, the index of its case.
pub type SharedCardFields<'a> = (Cow<'a, str>, String, &'a str, usize);

#[derive(Debug)]
pub struct CardRow<'a> {
    /// Index of its author's kind.
    pub author: usize,
    pub text: &'a CardText,
}

/// The manifest, which the script loads first.
#[derive(Debug, Default, serde::Serialize)]
pub struct CardManifest {
    /// Cases with annotations, in the order of their oldest annotated runs.
    cases: Vec<String>,
    #[serde(skip)]
    places: BTreeMap<String, usize>,
    /// The kinds of authors.
    authors: [&'static str; 4],
    /// The kinds with annotations.
    #[serde(rename = "shelves")]
    pub kinds: BTreeMap<&'static str, KindCards>,
}

#[derive(Debug, serde::Serialize)]
pub struct KindCards {
    class: &'static str,
    /// Hypothesis statuses or friction kinds; empty for other kinds.
    groups: Vec<String>,
    /// The counts of each block.
    pub blocks: Vec<String>,
    /// The counts of each file of the last block; those of other blocks are in separate files.
    pub files: Vec<String>,
}

/// Kinds of authors, and the one for unnamed authors.
const AUTHORS: [&str; 4] = ["human", "agent", "system", "unnamed"];

impl CardManifest {
    pub fn new() -> Self {
        Self {
            authors: AUTHORS,
            ..Self::default()
        }
    }

    /// The head of all cards of a run.
    pub fn head<'a>(&mut self, entry: &'a ArchiveEntry, task: &str) -> SharedCardFields<'a> {
        let subject = &entry.run.subject;
        let case = self.places.get(&*subject.case).copied();
        let case = case.unwrap_or_else(|| {
            let place = self.cases.len();
            self.cases.push(subject.case.to_string());
            self.places.insert(subject.case.to_string(), place);
            place
        });
        let title = task::name(&entry.run, task);
        (entry.slug.below_runs(), title, subject.model(), case)
    }
}

impl<'a> CardRow<'a> {
    pub fn new(text: &'a CardText) -> Self {
        let kind = text.author.as_ref().map(|(_, kind)| kind);
        let author = kind.and_then(|kind| AUTHORS.iter().position(|author| author == kind));
        Self {
            author: author.unwrap_or(AUTHORS.len() - 1),
            text,
        }
    }
}

impl Serialize for CardRow<'_> {
    /// Serializes as a list for `cards` in `static/js/core.js`, without trailing empty values.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = self.text;
        let mut row = serializer.serialize_seq(None)?;
        row.serialize_element(&self.author)?;
        row.serialize_element(&text.group)?;
        row.serialize_element(&text.evidence)?;
        row.serialize_element(&text.href)?;
        match text.last {
            Some(last) => row.serialize_element(&format!("{} to {last}", text.event))?,
            None => row.serialize_element(&text.event)?,
        }
        row.serialize_element(&text.event_kind)?;
        row.serialize_element(&text.says)?;
        let last = [
            text.at.map(|at| format::at(at).text),
            text.author.as_ref().and_then(|(id, _)| id.clone()),
            text.group_word.clone(),
            text.kind_word.clone(),
        ];
        let some = last.iter().rposition(Option::is_some);
        for value in last.iter().take(some.map_or(0, |some| some + 1)) {
            row.serialize_element(value)?;
        }
        row.end()
    }
}

impl KindCards {
    /// A kind without cards.
    pub fn new(kind: usize) -> Self {
        let (class, _) = appearance_of(kind);
        let parts = 0..=parts_of(kind).len();
        Self {
            class,
            groups: parts.filter_map(|part| part_name(kind, part)).collect(),
            blocks: Vec::new(),
            files: Vec::new(),
        }
    }

    /// Counts as numbers: for each key the gap to the previous one, and the count.
    pub fn numbers(&self, CardCounts(counts): &CardCounts) -> impl Iterator<Item = usize> {
        let groups = self.groups.len().max(1);
        let mut before = 0;
        counts
            .iter()
            .flat_map(move |((case, author, group), number)| {
                let key = (case * AUTHORS.len() + author) * groups + group;
                let gap = key - before;
                before = key;
                [gap, *number]
            })
    }
}

impl CardCounts {
    pub fn add(&mut self, key: CardKey) {
        *self.0.entry(key).or_default() += 1;
    }

    /// Adds other counts.
    pub fn append(&mut self, Self(counts): Self) {
        for (key, number) in counts {
            *self.0.entry(key).or_default() += number;
        }
    }
}
