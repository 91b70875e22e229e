//! Writes the pages of problems, and a page for every quarantined run.

use std::collections::BTreeSet;

use crate::diagnostics::Diagnostic;
use crate::links;
use crate::view::chrome::PageInfo;
use crate::view::problems;

use super::{Lists, Page};

pub(super) const PAGE: Page = Page {
    name: "problems",
    folders: &["problems"],
    made_of: None,
    listed: |_| Vec::new(),
    write,
};

fn write(lists: &Lists<'_>) -> Result<(), Diagnostic> {
    let quarantined = &lists.outcome.quarantine_pages;
    let public = lists.gathered.public(lists.outcome);
    // Only runs with problems are named: the names of all runs would take as much memory as the runs.
    let all = public.diagnostics.iter();
    let folders: BTreeSet<&str> = all.flat_map(|problem| problem.place.folders()).collect();
    let entries = lists.archive().runs.iter();
    let entries = entries.map(|entry| (entry, &*lists.gathered.directory(entry).place.shown));
    let named = entries.filter(|(_, shown)| folders.contains(*shown));
    let mut places: problems::Places<'_> = named
        .map(|(entry, shown)| {
            let (title, id) = (entry.run.title(), &entry.label);
            let name = format!("{title} · {} · {id}", entry.run.subject.model());
            (shown, (name, links::run(&entry.slug)))
        })
        .collect();
    for run in quarantined {
        places.insert(&run.path, (run.path.clone(), run.page.clone()));
    }
    let pages = problems::problems_pages(
        &public.diagnostics,
        quarantined,
        (lists.outcome.not_published, public.withheld),
        &places,
    );
    let info = |path: String, title: &str, description: &str| PageInfo {
        listed: false,
        ..PageInfo::listed(path, title, description)
    };
    for (path, view) in pages {
        let words = "All errors, warnings and notes of the build.";
        lists.page("problems.html", &info(path, "Problems", words), &view)?;
    }
    for run in quarantined {
        let words = "This run is not published because its files have errors.";
        let info = info(run.page.clone(), "Quarantined run", words);
        lists.page("quarantined.html", &info, &problems::quarantined_page(run))?;
    }
    Ok(())
}
