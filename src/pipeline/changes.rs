//! Knows how a build compares itself with the site that it replaces, and how the ledger and its pages are written.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::diagnostics::{self, Diagnostic, Place, codes};
use crate::formats::portable::portable;
use crate::ledger::{self, Known, Ledger, Named, Now};
use crate::load;
use crate::model::archive::Entry;
use crate::model::findings::Findings;
use crate::site::Site;
use crate::view::chrome::{PageInfo, Script};
use crate::view::left::{self, Left};
use crate::view::{changes, links};

use super::Gathered;
use super::lists::Lists;

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

impl Gathered {
    /// The ledger after this build.
    pub(super) fn ledger(&self, site: &Site, findings: &[Findings]) -> Ledger {
        let runs = self.archive.runs.iter().zip(findings);
        let runs = runs
            .map(|(entry, findings)| known(entry, findings))
            .collect();
        let aside = (0..self.directories.len()).filter(|index| {
            self.candidates[*index].is_none() && !self.not_published.contains(index)
        });
        let has_unnamed = aside.clone().any(|index| self.ids[index].is_none());
        let quarantined = aside.filter_map(|index| self.ids[index].clone()).collect();
        let withdrawals = self.withdrawals.iter().flat_map(|(.., list)| &list.run);
        let reasons = withdrawals
            .map(|run| (run.id.get_ref().clone(), run.reason.get_ref().clone()))
            .collect();
        let now = Now {
            runs,
            quarantined,
            has_unnamed,
            reasons,
        };
        let fields = |before: &Known, after: &Known| {
            self.fields(site, before, after)
                .unwrap_or_else(|| ledger::by_digest(before, after))
        };
        ledger::next(self.previous.as_ref(), now, &fields)
    }

    /// How the records of a run differ; `None` when the old record is not known, since the previous site is not whole or is
    /// not to be read.
    fn fields(&self, site: &Site, before: &Known, after: &Known) -> Option<Vec<ledger::Field>> {
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
        let folder = site.previous();
        let path = links::run_file(&before.run.slug, "run.json");
        let old = load::published(folder, "", &path, &site.config.limits).ok()??;
        let old: Document<'_> = serde_json::from_slice(&old).ok()?;
        // Another run may have had the address since.
        let identity: Identity = serde_json::from_str(old.record.get()).ok()?;
        if identity.id != before.run.id {
            return None;
        }
        let entry = self.archive.find(&after.run.id)?;
        let new = self.records[entry.directory].as_ref()?;
        let new = std::str::from_utf8(diagnostics::without_mark(&new.bytes)).ok()?;
        Some(ledger::fields(old.record.get(), &portable(new)))
    }
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

impl Lists<'_> {
    /// The pages of the ledger, and a page at each address that a run has left.
    pub(super) fn changes(&self) -> Result<(), Diagnostic> {
        let ledger = &self.outcome.ledger;
        let archive = self.archive();
        let runs = archive.runs.iter();
        let runs = runs.map(|entry| (links::run(&entry.slug), entry.run.id.clone()));
        let aside = self.gathered.quarantined.iter();
        let aside = aside.map(|run| (run.page.clone(), String::new()));
        let mut pages: BTreeMap<String, String> = runs.chain(aside).collect();
        let left = left::pages(ledger, &mut pages);
        for (path, view) in changes::pages(ledger, &pages) {
            let info = PageInfo {
                path,
                title: "Changes".to_owned(),
                description: "What each build of this site added, changed and withdrew.".to_owned(),
                listed: false,
                ..PageInfo::default()
            };
            self.page("changes.html", &info, &view)?;
        }
        for (path, page) in left {
            let info = PageInfo {
                path,
                section: Some("runs/index.html".to_owned()),
                listed: false,
                ..PageInfo::default()
            };
            match page {
                Left::Moved(page) => {
                    let info = PageInfo {
                        title: "Moved run".to_owned(),
                        description: "This run was published here.".to_owned(),
                        canonical: page.canonical.clone(),
                        scripts: &[Script::Timeline],
                        ..info
                    };
                    self.page("moved.html", &info, &page)?;
                }
                Left::Withdrawn(page) => {
                    let info = PageInfo {
                        title: "Withdrawn run".to_owned(),
                        description: "This run was published here and has been withdrawn."
                            .to_owned(),
                        ..info
                    };
                    self.page("withdrawn.html", &info, &page)?;
                }
            }
        }
        Ok(())
    }
}
