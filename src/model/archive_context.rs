//! What the page of a run shows of other runs. The page depends on nothing else of the archive: if this and the run are
//! unchanged, so is the page.

use std::collections::BTreeMap;

use super::archive::{Archive, Ranges};
use super::time::Moment;
use crate::links::Slug;

/// A run's place in the archive, as its page shows it.
#[derive(Debug, Clone, Default)]
pub struct ArchiveContext {
    /// The run's own address.
    pub slug: Slug,
    /// What the run is called in lists.
    pub label: String,
    /// Address of its case.
    pub case: String,
    /// Address of its model.
    pub model: String,
    /// Address of its harness.
    pub harness: String,
    /// The next newer run of the same case.
    pub newer: Option<Neighbour>,
    /// The next older run of the same case.
    pub older: Option<Neighbour>,
    /// The ranges of the runs that are comparable with it, itself included.
    pub ranges: Ranges,
    /// The runs that it names itself, by id: their addresses, where the archive has them.
    pub named: BTreeMap<String, Option<Slug>>,
}

/// A run, as another one refers to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Neighbour {
    /// Its address.
    pub slug: Slug,
    /// The model.
    pub model: String,
    /// The harness.
    pub harness: String,
    /// When it was published, or else finished, where known.
    pub at: Option<Moment>,
}

impl ArchiveContext {
    /// The context of the run at `index` of the archive, whose record names the runs of these ids.
    pub fn of<'a>(
        archive: &Archive,
        index: usize,
        named: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let entry = &archive.runs[index];
        let neighbour = |index: Option<usize>| {
            let entry = &archive.runs[index?];
            Some(Neighbour {
                slug: entry.slug.clone(),
                model: entry.run.subject.model().to_owned(),
                harness: entry.run.subject.harness.to_string(),
                at: entry.run.recency().cloned(),
            })
        };
        let address = |id: &str| archive.find(id).map(|entry| entry.slug.clone());
        Self {
            slug: entry.slug.clone(),
            label: entry.label.clone(),
            case: archive.cases[entry.case].slug.clone(),
            model: archive.models[entry.model].slug.clone(),
            harness: archive.harnesses[entry.harness].slug.clone(),
            newer: neighbour(entry.newer),
            older: neighbour(entry.older),
            ranges: archive.ranges(&entry.run).cloned().unwrap_or_default(),
            named: named
                .into_iter()
                .map(|id| (id.to_owned(), address(id)))
                .collect(),
        }
    }
}
