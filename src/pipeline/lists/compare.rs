//! Writes the page that compares runs, and what its script loads of them.

use crate::diagnostics::Diagnostic;
use crate::links;
use crate::spool;
use crate::view::chrome::{PageInfo, Script};
use crate::view::compare::{self, Manifest};

use super::Lists;
use super::parts::{PartFiles, manifest};

pub(super) fn write(lists: &Lists<'_>) -> Result<(), Diagnostic> {
    let info = PageInfo {
        scripts: &[Script::Tables, Script::Compare],
        ..PageInfo::listed(
            links::COMPARE,
            "Compare runs",
            "Two to four runs side by side.",
        )
    };
    let view = compare::page(lists.archive(), &lists.outcome.findings);
    lists.page("compare.html", &info, &view)?;
    data(lists)
}

/// By address, so that runs of one case are near each other and the script knows where to look for a run.
fn data(lists: &Lists<'_>) -> Result<(), Diagnostic> {
    let mut items: Vec<_> = lists
        .runs_of_data()
        .flat_map(|(entry, findings)| {
            let slices = findings.spooled.compare.iter().enumerate();
            slices.map(|(tape, slice)| (compare::key(&entry.slug, tape), *slice))
        })
        .collect();
    items.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
    let mut files = PartFiles::new(lists.stage, "run", "compare/");
    for (key, slice) in items {
        let item = lists.stage.spool.get(slice);
        let item = item.map_err(|error| spool::refused(&error))?;
        files.push_written(&key, &item)?;
    }
    files.finish()?;
    let found = Manifest::new(files.parts.begun);
    manifest(lists.stage, ("run", "compare/runs.js"), &found)
}
