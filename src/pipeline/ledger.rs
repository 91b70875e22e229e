//! How a build compares itself with the site that it replaces.

use std::sync::Arc;

use crate::site::Site;
use base::diagnostics;
use formats::model::archive::{Archive, ArchiveEntry};
use formats::model::findings::Findings;
use formats::model::run::Subject;
use formats::portable::portable;
use store::ledger::{self, CurrentRuns, Ledger, LedgerRun, RecordChange, RunNames};

use super::gather::SiteContent;
use super::previous;

/// The ledger of a site with these runs that replaces a site with the ledger `previous`.
pub(super) fn next(
    site: &Site,
    gathered: &SiteContent,
    runs: Vec<Arc<LedgerRun>>,
    previous: Option<&Ledger>,
) -> Ledger {
    let fields = |change: RecordChange<'_>| {
        fields(site, gathered, change).unwrap_or_else(|| ledger::by_digest(change))
    };
    let now = current_runs(site, gathered, runs);
    ledger::next(previous, now, &fields)
}

pub(super) fn current_runs(
    site: &Site,
    gathered: &SiteContent,
    runs: Vec<Arc<LedgerRun>>,
) -> CurrentRuns {
    let directories = gathered.directories.iter();
    let left_out = directories.filter(|directory| directory.is_left_out());
    let withdrawals = gathered.withdrawals.iter().flat_map(|file| &file.list.run);
    CurrentRuns {
        run_folders: site.config.publish.run_folders,
        runs,
        has_unnamed: left_out.clone().any(|directory| directory.id().is_none()),
        quarantined: left_out
            .filter_map(|directory| Some(directory.id()?.to_owned()))
            .collect(),
        addresses: gathered.address_owners(),
        rules: site
            .rules
            .list
            .iter()
            .map(|rule| {
                let version = ledger::RuleVersion {
                    version: rule.version.clone(),
                    digest: rule.digest.clone(),
                };
                (rule.id.clone(), version)
            })
            .collect(),
        reasons: withdrawals
            .map(|run| (run.id.get_ref().clone(), run.reason.get_ref().clone()))
            .collect(),
    }
}

/// How the records of a run differ; `None` if the previous site is incomplete or may not be read.
fn fields(
    site: &Site,
    gathered: &SiteContent,
    change: RecordChange<'_>,
) -> Option<Vec<ledger::FieldChange>> {
    let old = previous::record(site, change.old)?;
    let new = gathered.directory(gathered.archive.find(&change.new.id)?);
    let new = new.load(site)?.ok()?;
    let new = diagnostics::without_mark(&new.bytes);
    let new = std::str::from_utf8(new).ok()?;
    Some(ledger::fields(old.get(), &portable(new)))
}

/// The entries of all runs in the ledger.
pub(super) fn runs(archive: &Archive, findings: &[Findings]) -> Vec<Arc<LedgerRun>> {
    let runs = archive.runs.iter().zip(findings);
    runs.map(|(entry, findings)| Arc::new(ledger_run(entry, findings)))
        .collect()
}

fn ledger_run(entry: &ArchiveEntry, findings: &Findings) -> LedgerRun {
    let subject = &entry.run.subject;
    let known = |name: &Option<Arc<str>>, shown: fn(&Subject) -> &str| {
        name.clone().unwrap_or_else(|| shown(subject).into())
    };
    LedgerRun {
        run: RunNames {
            id: Arc::clone(&entry.run.id),
            slug: entry.slug.shared(),
            test_case_slug: Arc::clone(&subject.case),
            test_case_version: known(&subject.version, Subject::version),
            variant: subject.variant.clone(),
            harness_slug: Arc::clone(&subject.harness),
            model_id: known(&subject.model, Subject::model),
        },
        rating: findings.rating.map(|rating| rating.word().to_owned()),
        quarantined: false,
        digests: findings.digests.clone(),
    }
}
