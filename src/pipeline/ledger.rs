//! How a build compares itself with the site that it replaces.

use std::sync::Arc;

use crate::diagnostics;
use crate::formats::portable::portable;
use crate::ledger::{self, CurrentRuns, Known, Ledger, Named};
use crate::model::archive::Entry;
use crate::model::findings::RunDigests;
use crate::model::review::Rating;
use crate::model::run::Subject;
use crate::site::Site;

use super::gather::Gathered;
use super::previous;

/// The ledger of a site with these runs that replaces a site with the ledger `previous`.
pub(super) fn next(
    site: &Site,
    gathered: &Gathered,
    runs: Vec<Arc<Known>>,
    previous: Option<&Ledger>,
) -> Ledger {
    let directories = gathered.directories.iter();
    let left_out = directories.filter(|directory| directory.is_left_out());
    let withdrawals = gathered.withdrawals.iter().flat_map(|file| &file.list.run);
    let now = CurrentRuns {
        run_folders: site.config.publish.run_folders,
        runs,
        has_unnamed: left_out.clone().any(|directory| directory.id.is_none()),
        quarantined: left_out
            .filter_map(|directory| Some(directory.id.as_ref()?.to_string()))
            .collect(),
        reasons: withdrawals
            .map(|run| (run.id.get_ref().clone(), run.reason.get_ref().clone()))
            .collect(),
    };
    let fields = |before: &Known, after: &Known| {
        fields(site, gathered, before, after).unwrap_or_else(|| ledger::by_digest(before, after))
    };
    ledger::next(previous, now, &fields)
}

/// How the records of a run differ; `None` when the old record is not known, since the previous site is not whole or is
/// not to be read.
fn fields(
    site: &Site,
    gathered: &Gathered,
    before: &Known,
    after: &Known,
) -> Option<Vec<ledger::Field>> {
    let old = previous::record(site, &before.run)?;
    let new = gathered.directory(gathered.archive.find(&after.run.id)?);
    let new = new.load(site)?.ok()?;
    let new = diagnostics::without_mark(&new.bytes);
    let new = std::str::from_utf8(new).ok()?;
    Some(ledger::fields(old.get(), &portable(new)))
}

/// What the ledger knows of a run.
pub(super) fn known(entry: &Entry, rating: Option<Rating>, digests: RunDigests) -> Known {
    let subject = &entry.run.subject;
    let known = |name: &Option<Arc<str>>, shown: fn(&Subject) -> &str| {
        name.clone().unwrap_or_else(|| shown(subject).into())
    };
    Known {
        run: Named {
            id: Arc::clone(&entry.run.id),
            slug: entry.slug.to_string().into(),
            test_case_slug: Arc::clone(&subject.case),
            test_case_version: known(&subject.version, Subject::version),
            variant: subject.variant.clone(),
            harness_slug: Arc::clone(&subject.harness),
            model_id: known(&subject.model, Subject::model),
        },
        rating: rating.map(|rating| rating.word().to_owned()),
        quarantined: false,
        record: digests.record,
        files: digests.files,
        annotations: digests.annotations,
    }
}
