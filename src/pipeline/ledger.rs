//! Knows how a build compares itself with the site that it replaces.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::diagnostics::{self, Diagnostic, Place, codes};
use crate::formats::portable::portable;
use crate::ledger::{self, Known, Ledger, Named, Now};
use crate::links;
use crate::load;
use crate::model::archive::Entry;
use crate::model::findings::Findings;
use crate::site::Site;

use super::Gathered;

/// The ledger of the site that is replaced; `None` when there is no such site, or it has none yet.
///
/// # Errors
/// Its ledger cannot be read.
pub(super) fn previous(site: &Site) -> Result<Option<Ledger>, Diagnostic> {
    let folder = site.previous();
    let shown = site.shown(folder);
    let limits = &site.config.limits;
    let Some(bytes) = load::published(folder, &shown, ledger::PATH, limits)? else {
        return Ok(None);
    };
    Ledger::parse(&bytes).map(Some).map_err(|reason| {
        codes::LEDGER_UNREADABLE.at(
            Place::file(format!("{shown}/{}", ledger::PATH)),
            format!("The ledger of the previous site cannot be read: {reason}"),
            "Put the file back as runpress wrote it, or remove it to begin a new ledger.",
        )
    })
}

/// The ledger after this build.
pub(super) fn next(site: &Site, gathered: &Gathered, findings: &[Findings]) -> Ledger {
    let runs = gathered.archive.runs.iter().zip(findings);
    let runs = runs
        .map(|(entry, findings)| known(entry, findings))
        .collect();
    let directories = gathered.directories.iter();
    let left_out = directories.filter(|directory| directory.is_left_out());
    let withdrawals = gathered.withdrawals.iter().flat_map(|file| &file.list.run);
    let now = Now {
        runs,
        has_unnamed: left_out.clone().any(|directory| directory.id.is_none()),
        quarantined: left_out
            .filter_map(|directory| directory.id.clone())
            .collect(),
        reasons: withdrawals
            .map(|run| (run.id.get_ref().clone(), run.reason.get_ref().clone()))
            .collect(),
    };
    let fields = |before: &Known, after: &Known| {
        fields(site, gathered, before, after).unwrap_or_else(|| ledger::by_digest(before, after))
    };
    ledger::next(gathered.previous.as_ref(), now, &fields)
}

/// How the records of a run differ; `None` when the old record is not known, since the previous site is not whole or is
/// not to be read.
fn fields(
    site: &Site,
    gathered: &Gathered,
    before: &Known,
    after: &Known,
) -> Option<Vec<ledger::Field>> {
    #[derive(Deserialize)]
    struct Document<'a> {
        #[serde(borrow)]
        record: &'a RawValue,
    }
    #[derive(Deserialize)]
    struct Identity {
        id: String,
    }

    if site.fresh {
        return None;
    }
    let path = links::run_file(&before.run.slug, "run.json");
    let old = load::published(site.previous(), "", &path, &site.config.limits).ok()??;
    let old: Document<'_> = serde_json::from_slice(&old).ok()?;
    // Another run may have had the address since.
    let identity: Identity = serde_json::from_str(old.record.get()).ok()?;
    if identity.id != before.run.id {
        return None;
    }
    let new = gathered.directory(gathered.archive.find(&after.run.id)?);
    let new = diagnostics::without_mark(&new.record.as_ref()?.bytes);
    let new = std::str::from_utf8(new).ok()?;
    Some(ledger::fields(old.record.get(), &portable(new)))
}

fn known(entry: &Entry, findings: &Findings) -> Known {
    let subject = &entry.run.subject;
    let imprint = findings.imprint.clone();
    Known {
        run: Named {
            id: entry.run.id.clone(),
            slug: entry.slug.clone(),
            test_case_slug: subject.case.clone(),
            test_case_version: subject.version.clone(),
            variant: subject.variant.clone(),
            harness_slug: subject.harness.clone(),
            model_id: subject.model.clone(),
        },
        rating: findings.rating.map(|rating| rating.word().to_owned()),
        quarantined: false,
        record: imprint.record,
        files: imprint.files,
        annotations: imprint.annotations,
    }
}
