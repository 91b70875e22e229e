//! The annotations that scripts show when somebody filters or searches: the cards, and what each file of them holds, so that a
//! script reads only the files that it needs. Files, and the blocks of them, are in the order of time: newer runs leave older ones
//! as they are.

use std::collections::BTreeMap;

use serde::ser::{Serialize, SerializeSeq, Serializer};

use crate::model::archive::Entry;
use crate::view::annotations::SpooledText;
use crate::view::format;

/// What a card is chosen by: places in [`Manifest::cases`], [`AUTHORS`] and [`Shelf::groups`].
pub type Key = (usize, usize, usize);

/// How many cards of each key there are.
#[derive(Debug, Default)]
pub struct Counts(BTreeMap<Key, usize>);

/// What the cards of a run and a kind have in common: folder and title of the run, its model, its case.
pub type Head<'a> = (&'a str, String, &'a str, usize);

/// What a card shows.
#[derive(Debug)]
pub struct Row<'a> {
    /// Kind of its author.
    pub author: usize,
    /// Its part of the kind.
    pub group: usize,
    /// What it says.
    pub text: &'a SpooledText,
}

/// What a script reads first.
#[derive(Debug, Default, serde::Serialize)]
pub struct Manifest {
    /// The cases that have annotations, in the order in which the oldest runs had them.
    cases: Vec<String>,
    #[serde(skip)]
    places: BTreeMap<String, usize>,
    /// Who may have written an annotation.
    authors: [&'static str; 4],
    /// The kinds that there are annotations of.
    pub shelves: BTreeMap<&'static str, Shelf>,
}

/// The annotations of a kind.
#[derive(Debug, serde::Serialize)]
pub struct Shelf {
    /// Class of the kind.
    class: &'static str,
    /// Sign of the kind.
    sign: &'static str,
    /// Statuses or kinds of friction; empty for other kinds.
    groups: Vec<String>,
    /// What each block holds.
    pub blocks: Vec<String>,
    /// What each file of the last block holds; what those of the others hold is in files of their own.
    pub files: Vec<String>,
}

/// Kinds of authors, and who does not say.
const AUTHORS: [&str; 4] = ["human", "agent", "system", "unnamed"];

impl Manifest {
    /// Without kinds.
    #[must_use]
    pub fn new() -> Self {
        Self {
            authors: AUTHORS,
            ..Self::default()
        }
    }

    /// What all cards of a run have in common.
    pub fn head<'a>(&mut self, entry: &'a Entry) -> Head<'a> {
        let subject = &entry.run.subject;
        let case = self.places.get(&*subject.case).copied();
        let case = case.unwrap_or_else(|| {
            let place = self.cases.len();
            self.cases.push(subject.case.to_string());
            self.places.insert(subject.case.to_string(), place);
            place
        });
        let title = entry.run.title();
        (entry.slug.below_runs(), title, subject.model(), case)
    }
}

impl<'a> Row<'a> {
    /// A card of that part of its kind.
    #[must_use]
    pub fn new(group: usize, text: &'a SpooledText) -> Self {
        let kind = text.author.as_ref().map(|(_, kind)| kind);
        let author = kind.and_then(|kind| AUTHORS.iter().position(|author| author == kind));
        Self {
            author: author.unwrap_or(AUTHORS.len() - 1),
            group,
            text,
        }
    }
}

impl Serialize for Row<'_> {
    /// A list, as `cards` in `static/js/core.js` reads it. What is empty at its end is left out.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = self.text;
        let mut row = serializer.serialize_seq(None)?;
        row.serialize_element(&self.author)?;
        row.serialize_element(&self.group)?;
        row.serialize_element(&text.evidence)?;
        row.serialize_element(&text.href)?;
        row.serialize_element(&text.event)?;
        row.serialize_element(&text.event_kind)?;
        row.serialize_element(&text.says)?;
        let last = [
            text.at.map(|at| format::at(at).text),
            text.author.as_ref().and_then(|(id, _)| id.clone()),
            text.group.clone(),
            text.kind.clone(),
        ];
        let some = last.iter().rposition(Option::is_some);
        for value in last.iter().take(some.map_or(0, |some| some + 1)) {
            row.serialize_element(value)?;
        }
        row.end()
    }
}

impl Shelf {
    /// A kind, before there is a card.
    #[must_use]
    pub fn new((class, sign, groups): (&'static str, &'static str, Vec<String>)) -> Self {
        Self {
            class,
            sign,
            groups,
            blocks: Vec::new(),
            files: Vec::new(),
        }
    }

    /// Counts as numbers: for each key the distance from the one before it, and how many there are.
    pub fn numbers(&self, Counts(counts): &Counts) -> impl Iterator<Item = usize> {
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

impl Counts {
    /// Counts one card.
    pub fn add(&mut self, key: Key) {
        *self.0.entry(key).or_default() += 1;
    }

    /// Adds other counts.
    pub fn append(&mut self, Self(counts): Self) {
        for (key, number) in counts {
            *self.0.entry(key).or_default() += number;
        }
    }
}
