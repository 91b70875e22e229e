//! `cases.json`, `models.json` and `harnesses.json`: what exists, with counts.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::config::Config;
use crate::links;
use crate::model::archive::{Archive, Entry, Group};
use crate::model::findings::Findings;
use crate::model::review::Rating;
use crate::shapes;

use super::archive::address;
use crate::shapes::SCHEMA_VERSION;

/// Runs by a word of their records.
type Counts<'a> = BTreeMap<&'a str, usize>;

/// `cases.json`: the cases, by name.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Cases<'a> {
    /// Version of this format.
    #[schemars(with = "shapes::Version")]
    schema_version: u32,
    /// The cases.
    cases: Vec<Case<'a>>,
}

/// `models.json`: the models, by id.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Models<'a> {
    /// Version of this format.
    #[schemars(with = "shapes::Version")]
    schema_version: u32,
    /// The models.
    models: Vec<Model<'a>>,
}

/// `harnesses.json`: the harnesses, by slug.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Harnesses<'a> {
    /// Version of this format.
    #[schemars(with = "shapes::Version")]
    schema_version: u32,
    /// The harnesses.
    harnesses: Vec<Harness<'a>>,
}

/// A case.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Case<'a> {
    /// As in the records.
    name: &'a str,
    /// Its part of addresses on the site.
    slug: &'a str,
    /// Its page: absolute when the site has a `base_url`, else relative to its root.
    #[schemars(with = "shapes::PageAddress")]
    url: String,
    /// Its runs.
    runs: Tally<'a>,
    /// Runs by version of the case.
    versions: Counts<'a>,
    /// Runs by variant; runs without one are not counted.
    variants: Counts<'a>,
    /// Runs by model.
    models: Counts<'a>,
    /// Runs by harness.
    harnesses: Counts<'a>,
}

/// A model.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Model<'a> {
    /// As in the records.
    name: &'a str,
    /// Its part of addresses on the site.
    slug: &'a str,
    /// Its page: absolute when the site has a `base_url`, else relative to its root.
    #[schemars(with = "shapes::PageAddress")]
    url: String,
    /// Its runs.
    runs: Tally<'a>,
    /// Runs by case.
    cases: Counts<'a>,
    /// Runs by harness.
    harnesses: Counts<'a>,
}

/// A harness.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Harness<'a> {
    /// As in the records.
    name: &'a str,
    /// Its part of addresses on the site.
    slug: &'a str,
    /// Its page: absolute when the site has a `base_url`, else relative to its root.
    #[schemars(with = "shapes::PageAddress")]
    url: String,
    /// Its runs.
    runs: Tally<'a>,
    /// Runs by version of the harness; runs without one are not counted.
    versions: Counts<'a>,
    /// Runs by case.
    cases: Counts<'a>,
    /// Runs by model.
    models: Counts<'a>,
}

/// Counts of the runs of a case, a model or a harness.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Tally<'a> {
    /// How many there are.
    count: usize,
    /// By state, as recorded.
    states: Counts<'a>,
    /// By rating; runs that are not rated are not counted.
    ratings: Counts<'a>,
    /// Annotations on them.
    annotations: usize,
    /// When the first of them ended, as recorded; null is unknown.
    #[schemars(with = "Option<shapes::Time>")]
    first_finished_at: Option<&'a str>,
    /// When the last of them ended, as recorded; null is unknown.
    #[schemars(with = "Option<shapes::Time>")]
    last_finished_at: Option<&'a str>,
}

/// Makes `cases.json`.
#[must_use]
pub fn cases<'a>(config: &Config, archive: &'a Archive, findings: &'a [Findings]) -> Cases<'a> {
    let case = |group: &'a Group| Case {
        name: &group.name,
        slug: &group.slug,
        url: address(config, &links::group("cases", &group.slug)),
        runs: tally(archive, findings, group),
        versions: count(archive, group, |entry| Some(entry.run.subject.version())),
        variants: count(archive, group, |entry| entry.run.subject.variant.as_deref()),
        models: count(archive, group, |entry| Some(entry.run.subject.model())),
        harnesses: count(archive, group, |entry| Some(&entry.run.subject.harness)),
    };
    Cases {
        schema_version: SCHEMA_VERSION,
        cases: archive.cases.iter().map(case).collect(),
    }
}

/// Makes `models.json`.
#[must_use]
pub fn models<'a>(config: &Config, archive: &'a Archive, findings: &'a [Findings]) -> Models<'a> {
    let model = |group: &'a Group| Model {
        name: &group.name,
        slug: &group.slug,
        url: address(config, &links::group("models", &group.slug)),
        runs: tally(archive, findings, group),
        cases: count(archive, group, |entry| Some(&entry.run.subject.case)),
        harnesses: count(archive, group, |entry| Some(&entry.run.subject.harness)),
    };
    Models {
        schema_version: SCHEMA_VERSION,
        models: archive.models.iter().map(model).collect(),
    }
}

/// Makes `harnesses.json`.
#[must_use]
pub fn harnesses<'a>(
    config: &Config,
    archive: &'a Archive,
    findings: &'a [Findings],
) -> Harnesses<'a> {
    let harness = |group: &'a Group| Harness {
        name: &group.name,
        slug: &group.slug,
        url: address(config, &links::group("harnesses", &group.slug)),
        runs: tally(archive, findings, group),
        versions: count(archive, group, |entry| {
            entry.run.subject.harness_version.as_deref()
        }),
        cases: count(archive, group, |entry| Some(&entry.run.subject.case)),
        models: count(archive, group, |entry| Some(entry.run.subject.model())),
    };
    Harnesses {
        schema_version: SCHEMA_VERSION,
        harnesses: archive.harnesses.iter().map(harness).collect(),
    }
}

fn count<'a>(
    archive: &'a Archive,
    group: &Group,
    word: impl Fn(&'a Entry) -> Option<&'a str>,
) -> Counts<'a> {
    let mut counts = Counts::new();
    for word in group
        .runs
        .iter()
        .filter_map(|&index| word(&archive.runs[index]))
    {
        *counts.entry(word).or_default() += 1;
    }
    counts
}

fn tally<'a>(archive: &'a Archive, findings: &'a [Findings], group: &Group) -> Tally<'a> {
    let ends = || {
        let runs = group.runs.iter().map(|&index| &archive.runs[index].run);
        runs.filter_map(|run| run.finished.as_ref().map(|at| (at.ms, at.text.as_str())))
    };
    let found = || group.runs.iter().filter_map(|&index| findings.get(index));
    let mut ratings = Counts::new();
    for rating in found().filter_map(|found| found.rating) {
        *ratings.entry(Rating::word(rating)).or_default() += 1;
    }
    Tally {
        count: group.runs.len(),
        states: count(archive, group, |entry| Some(&entry.run.state.word)),
        ratings,
        annotations: found().map(|found| found.annotations.total()).sum(),
        first_finished_at: ends().min().map(|(_, text)| text),
        last_finished_at: ends().max().map(|(_, text)| text),
    }
}
