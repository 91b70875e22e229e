//! Knows the annotations that the script of their pages shows when somebody asks for some of them only: the cards, and what
//! each part of them holds, so that the script reads only the parts that it needs.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::model::findings::SpooledCard;
use crate::view::annotations::Card;

/// What a card is chosen by: places in [`Manifest::cases`], [`Manifest::authors`] and [`KindParts::groups`].
pub type Key = (usize, usize, usize);

/// A card and what it is chosen by.
#[derive(Debug, Serialize)]
pub struct Row {
    /// What it is chosen by.
    pub key: Key,
    /// What it shows.
    #[serde(flatten)]
    pub card: Card,
}

/// What the script reads first.
#[derive(Debug, Default, Serialize)]
pub struct Manifest {
    /// The cases of the archive.
    pub cases: Vec<String>,
    /// Who may have written an annotation.
    pub authors: Vec<&'static str>,
    /// The kinds that there are annotations of.
    pub shelves: BTreeMap<&'static str, KindParts>,
}

/// The parts that hold the annotations of a kind.
#[derive(Debug, Default, Serialize)]
pub struct KindParts {
    /// Statuses or kinds of friction; empty for other kinds.
    pub groups: Vec<String>,
    /// The names of the parts.
    pub names: Vec<String>,
    /// For each part how many annotations of each key it holds, one after the other: case, author, group, number.
    pub parts: Vec<Vec<usize>>,
}

/// Kinds of authors, and who does not say.
pub const AUTHORS: [&str; 4] = ["human", "agent", "system", "unnamed"];

impl Manifest {
    /// The key of a card.
    #[must_use]
    pub fn key(&self, filed: &SpooledCard, card: &Card) -> Key {
        let case = self.cases.binary_search(&card.case).unwrap_or_default();
        let kind = card.author_kind.as_deref();
        let author = AUTHORS.iter().position(|author| Some(*author) == kind);
        (case, author.unwrap_or(AUTHORS.len() - 1), filed.group)
    }
}

impl KindParts {
    /// Notes what a part holds.
    pub fn note(&mut self, keys: &mut BTreeMap<Key, usize>) {
        let keys = std::mem::take(keys).into_iter();
        let flat = keys.flat_map(|((case, author, group), number)| [case, author, group, number]);
        self.parts.push(flat.collect());
    }
}
