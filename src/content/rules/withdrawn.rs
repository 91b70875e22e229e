//! The rules for withdrawn runs: they are no longer in the content, and were published before.

use base::diagnostics::text::quoted;
use base::diagnostics::{Diagnostic, Source, codes};
use formats::model::archive::Archive;
use formats::withdrawn::Withdrawals;
use store::ledger::Ledger;

/// Checks a list of withdrawn runs against the published runs, and the previously published ones.
#[must_use]
pub fn check(
    source: Source<'_>,
    withdrawals: &Withdrawals,
    archive: &Archive,
    previous: Option<&Ledger>,
) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    for withdrawal in &withdrawals.run {
        let name = withdrawal.id.get_ref().as_str();
        let span = withdrawal.id.span();
        let place = source.place(span.start, span.end);
        let moved = previous.iter().flat_map(|ledger| &ledger.moved);
        let moved = moved.filter(|was| *was.slug == *name).map(|was| &*was.id);
        let moved: Vec<&str> = moved.collect();
        let is = |id: &str, slug: &str| id == name || slug == name || moved.contains(&id);
        // Another run may have the address of a withdrawn one by now.
        let gone = previous.iter().flat_map(|ledger| &ledger.withdrawn);
        let gone = gone.filter(|gone| *gone.run.id == *name || *gone.run.slug == *name);
        let gone: Vec<&str> = gone.map(|gone| &*gone.run.id).collect();
        let is_published = archive.runs.iter().any(|entry| {
            let (id, slug) = (&*entry.run.id, &entry.slug);
            gone.contains(&id) || is(id, slug) && (gone.is_empty() || id == name)
        });
        if is_published {
            problems.push(codes::WITHDRAWN_STILL_PUBLISHED.at(
                place,
                format!(
                    "The run {} is withdrawn here, but still published because its folder exists",
                    quoted(name)
                ),
                "Remove the folder to withdraw the run, or this entry to keep it.",
            ));
            continue;
        }
        let known = previous.is_some_and(|ledger| {
            let runs = ledger.runs.iter().map(|known| &known.run);
            let gone = ledger.withdrawn.iter().map(|withdrawn| &withdrawn.run);
            runs.chain(gone).any(|run| is(&run.id, &run.slug))
        });
        if !known {
            problems.push(codes::WITHDRAWN_UNKNOWN_RUN.at(
                place,
                format!("No earlier build published a run {}, so the reason is not shown anywhere", quoted(name)),
                "Check the id, build over the site that published the run, or name that site with `--previous`.",
            ));
        }
    }
    problems
}
