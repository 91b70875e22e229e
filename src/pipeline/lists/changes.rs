//! Writes the pages of the ledger, and a page at every former address of a run.

use std::collections::{BTreeMap, BTreeSet};

use crate::diagnostics::Diagnostic;
use crate::links;
use crate::view::changes;
use crate::view::chrome::{PageInfo, Script};
use crate::view::former::{self, FormerAddress};

use super::{Lists, Page};

pub(super) const PAGE: Page = Page {
    name: "changes",
    folders: &["changes"],
    made_of: None,
    listed: |_| Vec::new(),
    write,
};

fn write(lists: &Lists<'_>) -> Result<(), Diagnostic> {
    let ledger = &lists.outcome.ledger;
    // Only these are looked up: the pages of all runs would take as much memory as the runs.
    let named: BTreeSet<&str> = ledger.addressed().map(|run| &*run.slug).collect();
    let runs = lists.archive().runs.iter();
    let runs = runs.filter(|entry| named.contains(&*entry.slug));
    let runs = runs.map(|entry| (links::run(&entry.slug), entry.run.id.to_string()));
    let quarantined = lists.outcome.quarantine_pages.iter();
    let quarantined = quarantined.map(|run| (run.page.clone(), String::new()));
    let mut pages: BTreeMap<String, String> = runs.chain(quarantined).collect();
    let former = former::pages(ledger, &mut pages);
    for (path, view) in changes::pages(ledger, &pages) {
        let what = "Runs that each build of this site added, changed or withdrew.";
        let info = PageInfo {
            listed: false,
            ..PageInfo::listed(path, "Changes", what)
        };
        lists.page("changes.html", &info, &view)?;
    }
    for (path, page) in former {
        let (title, what) = match page {
            FormerAddress::Moved(_) => ("Moved run", "This run was published here."),
            FormerAddress::Withdrawn(_) => (
                "Withdrawn run",
                "This run was published here and has been withdrawn.",
            ),
        };
        let mut info = PageInfo {
            listed: false,
            ..PageInfo::listed(path, title, what)
        };
        match page {
            FormerAddress::Moved(page) => {
                info.canonical.clone_from(&page.canonical);
                info.scripts = &[Script::Timeline];
                lists.page("moved.html", &info, &page)?;
            }
            FormerAddress::Withdrawn(page) => lists.page("withdrawn.html", &info, &page)?,
        }
    }
    Ok(())
}
