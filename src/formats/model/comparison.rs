//! Groups runs into tables: same case version, engine and orchestrator, split by variant.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::archive::Archive;
use super::outcome::Outcome;

/// Runs of the same version of a case, with the same engine and orchestrator.
#[derive(Debug)]
pub struct ComparableSet {
    /// Index of the case in the archive.
    pub case: usize,
    /// Whether the runs of a variant are known to have had the same task ([`Archive::is_comparable`]).
    pub is_comparable: bool,
    /// Version of the case.
    pub version: String,
    /// Engine, with its version if known.
    pub engine: String,
    pub orchestrator: Arc<str>,
    /// The declared checks of these runs: view and name, in order of first appearance.
    pub checks: Vec<(Arc<str>, Arc<str>)>,
    /// The outcomes of these runs: name and scorer, in order of first appearance.
    pub outcomes: Vec<(String, Option<String>)>,
    /// Variants by name, unknown last, each with its runs, newest first.
    pub variants: Vec<(Option<Arc<str>>, Vec<usize>)>,
}

/// Splits runs (positions in the archive, newest first) into sets. The set with the newest run comes first.
pub fn sets(archive: &Archive, runs: &[usize]) -> Vec<ComparableSet> {
    type Key = (usize, bool, String, String, Arc<str>);
    let mut order: Vec<Key> = Vec::new();
    let mut members: BTreeMap<Key, Vec<usize>> = BTreeMap::new();
    for &index in runs {
        let entry = &archive.runs[index];
        let subject = &entry.run.subject;
        let key = (
            entry.case,
            archive.is_comparable(entry),
            subject.version().to_owned(),
            subject.engine_label(),
            subject.orchestrator.clone(),
        );
        let list = members.entry(key.clone()).or_default();
        if list.is_empty() {
            order.push(key);
        }
        list.push(index);
    }
    order
        .into_iter()
        .map(|key| {
            let runs = members.remove(&key).unwrap_or_default();
            let (case, is_comparable, version, engine, orchestrator) = key;
            ComparableSet {
                case,
                is_comparable,
                version,
                engine,
                orchestrator,
                checks: checks(archive, &runs),
                outcomes: outcomes(archive, &runs),
                variants: variants(archive, runs),
            }
        })
        .collect()
}

fn checks(archive: &Archive, runs: &[usize]) -> Vec<(Arc<str>, Arc<str>)> {
    let mut seen = std::collections::BTreeSet::new();
    let mut checks = Vec::new();
    for &index in runs {
        for check in &archive.runs[index].run.validation.checks {
            if seen.insert(&*check.view) {
                checks.push((check.view.clone(), check.name.clone()));
            }
        }
    }
    checks
}

fn outcomes(archive: &Archive, runs: &[usize]) -> Vec<(String, Option<String>)> {
    let mut seen = std::collections::BTreeSet::new();
    let outcomes = runs
        .iter()
        .flat_map(|&index| &archive.runs[index].run.outcomes);
    let columns = outcomes
        .map(Outcome::column)
        .filter(|column| seen.insert(*column));
    columns
        .map(|(name, scorer)| (name.to_owned(), scorer.map(str::to_owned)))
        .collect()
}

fn variants(archive: &Archive, runs: Vec<usize>) -> Vec<(Option<Arc<str>>, Vec<usize>)> {
    let mut groups: BTreeMap<(bool, Option<Arc<str>>), Vec<usize>> = BTreeMap::new();
    for index in runs {
        let variant = archive.runs[index].run.subject.variant.clone();
        groups
            .entry((variant.is_none(), variant))
            .or_default()
            .push(index);
    }
    groups
        .into_iter()
        .map(|((_, variant), runs)| (variant, runs))
        .collect()
}
