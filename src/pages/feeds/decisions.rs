//! `decisions.json`: what the publishers of a site decided about its runs.

use std::sync::Arc;

use base::links;
use base::shapes::{self, SCHEMA_VERSION};
use formats::config::Config;
use formats::decisions::{Decision, DecisionKind};
use formats::model::archive::{Archive, ArchiveEntry};

use super::archive::address;

document! {
    /// `decisions.json`: what was decided about runs. Only a site with `decisions.jsonl` has it.
    #[serde(rename_all = "camelCase")]
    pub struct DecisionsDocument<'a>(config: &Config, decisions: &'a [Arc<Decision>], archive: &'a Archive) {
        /// Version of this format.
        #[schemars(with = "shapes::Version")]
        schema_version: u32 = SCHEMA_VERSION,
        /// The decisions in order, oldest first, as they were written.
        decisions: Vec<&'a Decision> = decisions.iter().map(|decision| &**decision).collect(),
        /// The runs that do not count, newest run first.
        excluded: Vec<ExcludedRun<'a>> = archive.runs.iter().filter_map(|entry| Some(ExcludedRun::of(config, entry, entry.exclusion()?))).collect(),
    }
}

document! {
    /// A run that does not count.
    #[serde(rename_all = "camelCase")]
    struct ExcludedRun<'a>(config: &Config, entry: &'a ArchiveEntry, decision: &'a Decision) {
        /// Its id.
        run_id: &'a str = &entry.run.id,
        /// Its page: absolute when the site has a `base_url`, else relative to its root.
        #[schemars(with = "shapes::PageAddress")]
        url: String = address(config, &links::run(&entry.slug)),
        /// The decision because of which it does not count: `void` or `disqualify`.
        decision: DecisionKind = decision.decision,
        /// Why, in plain text.
        reason: &'a str = &decision.reason,
    }
}
