//! Checks the ledger of a copy: its chain, its state, and whether it continues an earlier one.

use std::collections::{BTreeMap, BTreeSet};

use base::diagnostics::text::{quoted, visible};
use base::diagnostics::{Diagnostic, Place, codes};
use content::inspect;
use store::ledger::{self, Ledger, RuleVersion};

use super::copy::SiteCopy;
use super::feeds::Documents;
use super::runs::PublishedRun;
use super::settings::RULES;

/// The chain of the ledger of a copy.
#[derive(Debug)]
pub(crate) struct LedgerChain {
    /// The digest of its newest entry.
    pub(crate) head: String,
    ledger: Ledger,
}

/// What a copy adds to an earlier one.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Continuation {
    /// Builds that changed something.
    pub builds: usize,
    /// Ids of runs that were added, or returned.
    pub added: BTreeSet<String>,
    /// Ids of runs that were changed.
    pub changed: BTreeSet<String>,
    /// Ids of runs that were withdrawn, or quarantined.
    pub withdrawn: BTreeSet<String>,
}

/// Reads the ledger, and compares it with the published runs.
pub(crate) fn read(
    copy: &SiteCopy,
    documents: &Documents,
    runs: &[PublishedRun],
    problems: &mut Vec<Diagnostic>,
) -> Option<LedgerChain> {
    let ledger = ledger(copy, problems)?;
    let place = || Place::file(ledger::PATH);
    let entry_digests = ledger.entry_digests();
    for (index, build) in ledger.builds.iter().enumerate() {
        // Entries of earlier versions have neither.
        if build.state.is_some() && build.previous.as_ref() != entry_digests.get(index + 1) {
            problems.push(codes::VERIFY_BROKEN_CHAIN.at(
                place(),
                format!("Entry {} of the ledger does not follow from the one before", build.build),
                "An entry of the ledger was changed after the next one was written. Get the site from the publisher again.",
            ));
        }
    }
    let changed = |message| {
        let help = "The ledger was changed after the build. Get the site from the publisher again.";
        codes::VERIFY_BROKEN_CHAIN.at(place(), message, help)
    };
    let recorded = documents
        .get(ledger::PATH)
        .map(|document| &document["head"]);
    let recorded = recorded.and_then(|head| head.as_str());
    let newest = ledger.builds.first();
    let is_sample = !copy.left_out.is_empty();
    let is_counted = newest.is_none_or(|build| build.runs == runs.len()) || is_sample;
    if recorded.is_some_and(|head| entry_digests.first().is_none_or(|digest| digest != head))
        || !is_counted
    {
        problems.push(changed(
            "The newest entry of the ledger is not the one of its head, or not of the published runs",
        ));
    }
    let recorded = newest.and_then(|build| build.state.as_ref());
    if recorded.is_some_and(|recorded| *recorded != ledger.state()) {
        problems.push(changed(
            "The runs in the ledger are not those of its newest entry",
        ));
    }
    let published: BTreeSet<(&str, &str)> = runs
        .iter()
        .map(|run| (&*run.run.id, run.slug.as_str()))
        .collect();
    let known = ledger.runs.iter().filter(|run| !run.quarantined);
    let known: BTreeSet<(&str, &str)> = known.map(|run| (&*run.run.id, &*run.run.slug)).collect();
    let differing = published.symmetric_difference(&known);
    for (id, _) in differing.filter(|run| !is_sample || published.contains(*run)) {
        let message = if known.iter().any(|(known, _)| known == id) {
            format!(
                "Run {} is in the ledger, and not published at its address",
                quoted(id)
            )
        } else {
            format!("Run {} is published, and not in the ledger", quoted(id))
        };
        problems.push(
            codes::VERIFY_DIFFERENT_VALUE
                .at(place(), message, "The ledger or the run was changed after the build. Get the site from the publisher again.")
                .of_run(id),
        );
    }
    for run in runs {
        let known = ledger.find(&run.run.id);
        let digests = known.map(|known| known.digests.unpack().record);
        if digests.is_some_and(|digests| digests != inspect::record_digests(&run.record)) {
            problems.push(
                super::compare::differs(
                    Place::file(&run.path).pointing("/record"),
                    "the digests in `feeds/changes.json`",
                )
                .of_run(&run.run.id),
            );
        }
    }
    problems.extend(different_rules(documents, &ledger));
    let head = entry_digests.into_iter().next()?;
    Some(LedgerChain { head, ledger })
}

/// The ledger has the version and the digest of each rule.
fn different_rules(documents: &Documents, ledger: &Ledger) -> Option<Diagnostic> {
    let list = documents.get(RULES)?["rules"].as_array()?;
    let versions = list.iter().filter_map(|rule| {
        let id = rule["id"].as_str()?.to_owned();
        let version: RuleVersion = serde_json::from_value(rule.clone()).ok()?;
        Some((id, version))
    });
    let versions: BTreeMap<String, RuleVersion> = versions.collect();
    let known = ledger.rules.as_ref();
    let is_same = known.is_some_and(|known| *known == versions);
    (!is_same).then(|| {
        let place = Place::file(RULES).pointing("/rules");
        super::compare::differs(place, "the digests in `feeds/changes.json`")
    })
}

fn ledger(copy: &SiteCopy, problems: &mut Vec<Diagnostic>) -> Option<Ledger> {
    let bytes = copy.read_some(ledger::PATH, problems)?;
    let mut part = |path: &str| {
        if !copy.files.contains_key(path) {
            return Err("is missing".to_owned());
        }
        copy.read(path).map_err(|problem| problem.message)
    };
    match Ledger::parse(&bytes, &mut part) {
        Ok(ledger) => Some(ledger),
        Err(reason) => {
            problems.push(codes::VERIFY_BROKEN_CHAIN.at(
                Place::file(ledger::PATH),
                format!("The ledger cannot be read: {reason}"),
                "Get the site from the publisher again.",
            ));
            None
        }
    }
}

impl LedgerChain {
    /// The problem of a chain with another head.
    pub(crate) fn differs_from(&self, expected: &str) -> Option<Diagnostic> {
        (!self.head.eq_ignore_ascii_case(expected)).then(|| {
            codes::VERIFY_OTHER_HEAD.at(
                Place::file(ledger::PATH),
                format!("The head of the ledger is `{}`, and `{}` was expected", self.head, visible(expected)),
                "The copy is of another state of the site, or its ledger was written anew. `--since` with an earlier copy tells the two apart.",
            )
        })
    }

    /// What this copy adds to an earlier one; a problem if it does not continue it.
    pub(crate) fn continues(
        &self,
        earlier: &SiteCopy,
        problems: &mut Vec<Diagnostic>,
    ) -> Option<Continuation> {
        let mut unreadable = Vec::new();
        let earlier = ledger(earlier, &mut unreadable);
        let digests = self.ledger.entry_digests();
        let before = earlier.as_ref().map(Ledger::entry_digests);
        let before = before.as_ref().and_then(|digests| digests.first());
        let Some(new) = before.and_then(|head| digests.iter().position(|digest| digest == head))
        else {
            problems.push(codes::VERIFY_NOT_CONTINUED.at(
                Place::file(ledger::PATH),
                match before {
                    Some(head) => format!("No entry of the ledger has the digest `{head}`, the head of the earlier copy"),
                    None => "The earlier copy has no ledger that can be read".to_owned(),
                },
                "The history of the site was written anew: what the earlier copy shows may be changed or gone without a trace. Ask the publisher.",
            ));
            return None;
        };
        let mut found = Continuation {
            builds: new,
            ..Continuation::default()
        };
        for build in self.ledger.builds[..new].iter().rev() {
            for run in build.added.iter().chain(&build.returned) {
                found.withdrawn.remove(&*run.id);
                found.added.insert(run.id.to_string());
            }
            for change in &build.changed {
                found.changed.insert(change.run.id.to_string());
            }
            for run in build.withdrawn.iter().chain(&build.quarantined) {
                found.added.remove(&*run.id);
                found.withdrawn.insert(run.id.to_string());
            }
        }
        Some(found)
    }
}
