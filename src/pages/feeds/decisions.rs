//! `decisions.json`: what the publishers of a site decided about its runs.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use base::links;
use base::shapes::{self, SCHEMA_VERSION};
use formats::config::Config;
use formats::decisions::{Decision, Verb};
use formats::model::archive::Archive;

use super::archive::address;

/// `decisions.json`: what was decided about runs. Only a site with `decisions.jsonl` has it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DecisionsDocument<'a> {
    /// Version of this format.
    #[schemars(with = "shapes::Version")]
    schema_version: u32,
    /// The decisions in order, oldest first, as they were written.
    decisions: Vec<&'a Decision>,
    /// The runs that do not count, newest run first.
    excluded: Vec<ExcludedRun<'a>>,
}

/// A run that does not count.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ExcludedRun<'a> {
    /// Its id.
    run_id: &'a str,
    /// Its page: absolute when the site has a `base_url`, else relative to its root.
    #[schemars(with = "shapes::PageAddress")]
    url: String,
    /// The decision because of which it does not count: `void` or `disqualify`.
    decision: Verb,
    /// Why, in plain text.
    reason: &'a str,
}

/// Makes `decisions.json`.
pub fn document<'a>(
    config: &Config,
    decisions: &'a [Arc<Decision>],
    archive: &'a Archive,
) -> DecisionsDocument<'a> {
    let excluded = archive.runs.iter().filter_map(|entry| {
        let decision = entry.exclusion()?;
        Some(ExcludedRun {
            run_id: &entry.run.id,
            url: address(config, &links::run(&entry.slug)),
            decision: decision.decision,
            reason: &decision.reason,
        })
    });
    DecisionsDocument {
        schema_version: SCHEMA_VERSION,
        decisions: decisions.iter().map(|decision| &**decision).collect(),
        excluded: excluded.collect(),
    }
}
