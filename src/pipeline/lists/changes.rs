//! Writes the pages of the ledger, and a page at each address that a run has left.

use std::collections::BTreeMap;

use crate::diagnostics::Diagnostic;
use crate::links;
use crate::view::changes;
use crate::view::chrome::{PageInfo, Script};
use crate::view::former::{self, FormerAddress};

use super::Lists;

pub(super) fn write(lists: &Lists<'_>) -> Result<(), Diagnostic> {
    let ledger = &lists.outcome.ledger;
    let runs = lists.archive().runs.iter();
    let runs = runs.map(|entry| (links::run(&entry.slug), entry.run.id.clone()));
    let quarantined = lists.outcome.quarantine_pages.iter();
    let quarantined = quarantined.map(|run| (run.page.clone(), String::new()));
    let mut pages: BTreeMap<String, String> = runs.chain(quarantined).collect();
    let former = former::pages(ledger, &mut pages);
    for (path, view) in changes::pages(ledger, &pages) {
        let info = PageInfo {
            path,
            title: "Changes".to_owned(),
            description: "Runs that each build of this site added, changed or withdrew.".to_owned(),
            ..PageInfo::default()
        };
        lists.page("changes.html", &info, &view)?;
    }
    for (path, page) in former {
        let info = PageInfo {
            path,
            section: Some("runs/index.html".to_owned()),
            ..PageInfo::default()
        };
        match page {
            FormerAddress::Moved(page) => {
                let info = PageInfo {
                    title: "Moved run".to_owned(),
                    description: "This run was published here.".to_owned(),
                    canonical: page.canonical.clone(),
                    scripts: &[Script::Timeline],
                    ..info
                };
                lists.page("moved.html", &info, &page)?;
            }
            FormerAddress::Withdrawn(page) => {
                let info = PageInfo {
                    title: "Withdrawn run".to_owned(),
                    description: "This run was published here and has been withdrawn.".to_owned(),
                    ..info
                };
                lists.page("withdrawn.html", &info, &page)?;
            }
        }
    }
    Ok(())
}
