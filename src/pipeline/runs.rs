//! Takes all runs through [`run`] in parallel, within the limit of memory.

use rayon::prelude::*;

use crate::site::Site;
use base::diagnostics::Diagnostic;
use base::diagnostics::Failure;
use content::load;

use super::Progress;
use super::directories::{Directory, RunStatus};
use super::gather::SiteContent;
use super::memory::{MemoryBudget, catch_panic};
use super::run::{self, SiteOutput};
use super::shard::{self, BuildScope};
use super::summary::{RunSummaries, RunSummary};

/// Checks every run of the scope, and stages its pages as soon as it is read, unless an error already keeps the site from being
/// published.
pub(super) fn stage(
    site: &Site,
    gathered: &SiteContent,
    output: SiteOutput<'_>,
    scope: BuildScope<'_>,
    progress: &dyn Progress,
) -> Result<RunSummaries, Failure> {
    scope.check_content(gathered)?;
    let parts = scope.parts();
    let blocked = !site.config.policy.quarantine && gathered.problems().any(Diagnostic::is_error);
    // Runs with errors are quarantined, or the site is not published: either way its pages are not those of this archive.
    let blocked = blocked || parts.is_some_and(|parts| parts.have_errors(gathered));
    let output = (!blocked).then_some(output);
    let directories = gathered.directories.iter();
    let published = directories.filter(|it| !it.is_never_published() && scope.has(it));
    progress.begin("Runs", Some(published.count()));
    let budget = MemoryBudget::new(site.config.limits.memory);
    gathered.pool.install(|| {
        let archive = &gathered.archive.runs;
        let own = (0..archive.len()).into_par_iter();
        let own = own.filter(|index| scope.has(gathered.directory(&archive[*index])));
        let valid = own.map(|index| {
            let entry = &archive[index];
            let is_newest = index < site.config.feeds.items;
            let adopted = parts.and_then(|parts| {
                let run = parts.adopt(gathered, index, is_newest, output);
                run.transpose()
            });
            let summary = adopted.unwrap_or_else(|| {
                let place = &gathered.directory(entry).place;
                let weight = gathered.roots.of(place).map_or(0, load::memory_size);
                let record = gathered.roots.of(place).map_or(0, load::record_size);
                let _reservation = budget.reserve(weight);
                let summary = catch_panic(place, || run::process(site, gathered, index, output));
                let problem =
                    |problem: Diagnostic| RunSummary::of_problem(problem.of_run(&entry.run.id));
                Ok(RunSummary {
                    read: weight + record,
                    ..summary.unwrap_or_else(|found| Ok(problem(found)))?
                })
            });
            progress.tick();
            Ok(RunSummary {
                directory: entry.directory,
                ..summary?
            })
        });
        // All results are collected before, so that of several failures always the same one is reported.
        let valid = shard::all(valid.collect())?;
        let invalid = gathered.directories.par_iter().enumerate();
        let invalid = invalid.filter(|(_, directory)| {
            matches!(directory.status, RunStatus::Invalid) && scope.has(directory)
        });
        let invalid = invalid.map(|(index, directory)| {
            progress.tick();
            let adopted = parts.and_then(|parts| parts.invalid(directory));
            let summary = adopted.unwrap_or_else(|| check(site, gathered, directory, &budget));
            RunSummary {
                directory: index,
                ..summary
            }
        });
        Ok(RunSummaries {
            valid,
            invalid: invalid.collect(),
        })
    })
}

/// Checks the files of a run with an invalid record.
fn check(
    site: &Site,
    gathered: &SiteContent,
    directory: &Directory,
    budget: &MemoryBudget,
) -> RunSummary {
    let record = match directory.load(site) {
        Some(Ok(record)) => record,
        Some(Err(problem)) => return RunSummary::of_problem(problem),
        None => return RunSummary::default(),
    };
    let place = &directory.place;
    let _reservation = budget.reserve(gathered.roots.of(place).map_or(0, load::memory_size));
    let id = directory.id().unwrap_or_default();
    let checked = catch_panic(place, || {
        let (problems, scanned) = run::check_alone(site, place, &record, id, None, None);
        RunSummary {
            problems,
            used_allowances: scanned.used,
            ..RunSummary::default()
        }
    });
    checked.unwrap_or_else(|problem| RunSummary::of_problem(problem.of_run(id)))
}
