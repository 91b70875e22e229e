//! The part of a run page that depends on other runs. If this and the run are unchanged, the page is up to date.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;

use super::archive::{Archive, MetricRanges};
use super::time::Moment;
use crate::decisions::Decision;
use base::links::Slug;

/// The place of a run in the archive, as shown on its page.
#[derive(Debug, Clone, Default, Serialize)]
pub struct ArchiveContext {
    /// The run's own address.
    pub slug: Slug,
    /// Its label in lists.
    pub label: String,
    /// Address of its case.
    pub case: String,
    /// Title of its case, which the task of a run may be.
    pub case_title: Option<Arc<str>>,
    /// What its case is, in a sentence.
    pub case_description: Option<Arc<str>>,
    /// Address of its model.
    pub model: String,
    /// Address of its harness.
    pub harness: String,
    /// The next newer run of the same case.
    pub newer: Option<Neighbor>,
    /// The next older run of the same case.
    pub older: Option<Neighbor>,
    /// Whether its case is known to be a task ([`Archive::is_comparable`]).
    pub is_comparable: bool,
    /// The value ranges of comparable runs, including this one.
    pub ranges: MetricRanges,
    /// Runs that its record refers to, by id: the slug, if the archive has the run.
    pub named: BTreeMap<String, Option<Slug>>,
    /// [`Archive::is_small`]
    pub is_small: bool,
    /// What the publishers of the site decided about it, in order.
    pub decisions: Vec<Arc<Decision>>,
}

/// A link to another run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Neighbor {
    /// Its address.
    pub slug: Slug,
    pub model: String,
    pub harness: String,
    /// When it was published, or else finished, if known.
    pub at: Option<Moment>,
}

impl ArchiveContext {
    /// The context of the run at `index` of the archive, whose record refers to runs with these ids.
    pub fn of<'a>(
        archive: &Archive,
        index: usize,
        named: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let entry = &archive.runs[index];
        let neighbor = |index: Option<usize>| {
            let entry = &archive.runs[index?];
            Some(Neighbor {
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
            case_title: archive.cases[entry.case].text.title.clone(),
            case_description: archive.cases[entry.case].text.description.clone(),
            model: archive.models[entry.model].slug.clone(),
            harness: archive.harnesses[entry.harness].slug.clone(),
            is_comparable: archive.is_comparable(entry),
            newer: neighbor(entry.newer),
            older: neighbor(entry.older),
            ranges: archive.ranges(entry).cloned().unwrap_or_default(),
            named: named
                .into_iter()
                .map(|id| (id.to_owned(), address(id)))
                .collect(),
            is_small: archive.is_small(),
            decisions: entry.decisions.clone(),
        }
    }
}
