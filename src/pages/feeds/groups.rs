//! `cases.json`, `models.json` and `harnesses.json`: all groups, with counts.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use base::links;
use base::shapes;
use formats::config::Config;
use formats::model::archive::{Archive, ArchiveEntry, ArchiveGroup};
use formats::model::findings::Findings;
use formats::model::review::Rating;

use super::archive::address;
use base::shapes::SCHEMA_VERSION;

/// Number of runs by a word of their records.
type Counts<'a> = BTreeMap<&'a str, usize>;

/// Defines a group feed: its document, the object of each group, and the function that makes it.
macro_rules! groups {
    ($(#[$doc:meta])* $feed:ident { $(#[$list_doc:meta])* $list:ident }
     $(#[$group_doc:meta])* $group:ident { $($(#[$key_doc:meta])* $key:ident = $word:expr,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Serialize, JsonSchema)]
        #[serde(rename_all = "camelCase")]
        pub struct $feed<'a> {
            /// Version of this format.
            #[schemars(with = "shapes::Version")]
            schema_version: u32,
            $(#[$list_doc])*
            $list: Vec<$group<'a>>,
        }

        $(#[$group_doc])*
        #[derive(Debug, Serialize, JsonSchema)]
        #[serde(rename_all = "camelCase")]
        struct $group<'a> {
            /// As in the records.
            name: &'a str,
            /// Its slug, used in addresses.
            slug: &'a str,
            /// Its page: absolute when the site has a `base_url`, else relative to its root.
            #[schemars(with = "shapes::PageAddress")]
            url: String,
            /// Its runs.
            runs: Tally<'a>,
            $($(#[$key_doc])* $key: Counts<'a>,)+
        }

        #[doc = concat!("Makes `", stringify!($list), ".json`.")]
        pub fn $list<'a>(
            config: &Config,
            archive: &'a Archive,
            findings: &'a [Findings],
        ) -> $feed<'a> {
            let group = |group: &'a ArchiveGroup| $group {
                name: &group.name,
                slug: &group.slug,
                url: address(config, &links::group(stringify!($list), &group.slug)),
                runs: tally(archive, findings, group),
                $($key: count(archive, group, $word),)+
            };
            $feed {
                schema_version: SCHEMA_VERSION,
                $list: archive.$list.iter().map(group).collect(),
            }
        }
    };
}

groups! {
    /// `cases.json`: the cases, by name.
    CasesDocument {
        /// The cases.
        cases
    }
    /// A case.
    Case {
        /// Runs by version of the case; runs without one are not counted.
        versions = |entry| entry.run.subject.version.as_deref(),
        /// Runs by variant; runs without one are not counted.
        variants = |entry| entry.run.subject.variant.as_deref(),
        /// Runs by model; runs without one are not counted.
        models = |entry| entry.run.subject.model.as_deref(),
        /// Runs by harness.
        harnesses = |entry| Some(&entry.run.subject.harness),
    }
}

groups! {
    /// `models.json`: the models, by id.
    ModelsDocument {
        /// The models.
        models
    }
    /// A model.
    Model {
        /// Runs by case.
        cases = |entry| Some(&entry.run.subject.case),
        /// Runs by harness.
        harnesses = |entry| Some(&entry.run.subject.harness),
    }
}

groups! {
    /// `harnesses.json`: the harnesses, by slug.
    HarnessesDocument {
        /// The harnesses.
        harnesses
    }
    /// A harness.
    Harness {
        /// Runs by version of the harness; runs without one are not counted.
        versions = |entry| entry.run.subject.harness_version.as_deref(),
        /// Runs by case.
        cases = |entry| Some(&entry.run.subject.case),
        /// Runs by model; runs without one are not counted.
        models = |entry| entry.run.subject.model.as_deref(),
    }
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

fn count<'a>(
    archive: &'a Archive,
    group: &ArchiveGroup,
    word: impl Fn(&'a ArchiveEntry) -> Option<&'a str>,
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

fn tally<'a>(archive: &'a Archive, findings: &'a [Findings], group: &ArchiveGroup) -> Tally<'a> {
    let ends = || {
        let runs = group.runs.iter().map(|&index| &archive.runs[index].run);
        runs.filter_map(|run| run.finished.as_ref().map(|at| (at.ms(), at.text())))
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
