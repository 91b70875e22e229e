//! Takes all runs through [`run`], in parallel, and holds no more of them at once than there is room for.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use crate::diagnostics::Diagnostic;
use crate::diagnostics::Failure;
use crate::load;
use crate::site::Site;

use super::Progress;
use super::budget::{Budget, catch_panic};
use super::directories::{Directory, Status};
use super::gather::Gathered;
use super::kept::{KeptRun, StagedRuns};
use super::run::{self, Output};

/// Checks every run, and stages its pages as soon as it is read, unless an error already keeps the site from being published.
///
/// # Errors
/// The site cannot be written, or a template cannot be rendered.
pub fn stage(
    site: &Site,
    gathered: &Gathered,
    output: Output<'_>,
    progress: &dyn Progress,
) -> Result<StagedRuns, Failure> {
    let blocked = !site.config.policy.quarantine && gathered.problems().any(Diagnostic::is_error);
    let output = (!blocked).then_some(output);
    let directories = gathered.directories.iter();
    let published = directories.filter(|directory| !directory.is_never_published());
    progress.begin("Runs", published.count());
    let budget = Budget::new(site.config.limits.memory);
    let read = AtomicU64::new(0);
    gathered.pool.install(|| {
        let entries = gathered.archive.runs.par_iter().enumerate();
        let runs = entries.map(|(index, entry)| {
            let directory = gathered.directory(entry);
            let place = &directory.place;
            let weight = gathered.roots.of(place).map_or(0, load::weight);
            let record = gathered.roots.of(place).map_or(0, load::record_size);
            read.fetch_add(weight + record, Ordering::Relaxed);
            let _share = budget.take(weight);
            let kept = catch_panic(place, || run::process(site, gathered, index, output));
            progress.tick();
            kept.unwrap_or_else(|problem| Ok(KeptRun::of_problem(problem.of_run(&entry.run.id))))
        });
        // Collected first, so that of several failures always the same one is reported.
        let runs: Vec<Result<KeptRun, Diagnostic>> = runs.collect();
        let valid = runs.into_iter().collect::<Result<_, _>>();
        let valid = valid.map_err(|problem| vec![problem])?;
        let invalid = gathered.directories.par_iter();
        let invalid = invalid.filter(|directory| matches!(directory.status, Status::Invalid));
        let others: Vec<(Vec<Diagnostic>, BTreeSet<usize>)> = invalid
            .map(|directory| {
                progress.tick();
                check(site, gathered, directory, &budget)
            })
            .collect();
        let (others, used): (Vec<_>, Vec<_>) = others.into_iter().unzip();
        Ok(StagedRuns {
            valid,
            others: others.into_iter().flatten().collect(),
            used: used.into_iter().flatten().collect(),
            read: read.load(Ordering::Relaxed),
        })
    })
}

/// Checks the files beside a record that is not valid.
fn check(
    site: &Site,
    gathered: &Gathered,
    directory: &Directory,
    budget: &Budget,
) -> (Vec<Diagnostic>, BTreeSet<usize>) {
    let record = match directory.load(site) {
        Some(Ok(record)) => record,
        Some(Err(problem)) => return (vec![problem], BTreeSet::new()),
        None => return Default::default(),
    };
    let place = &directory.place;
    let _share = budget.take(gathered.roots.of(place).map_or(0, load::weight));
    let problems = catch_panic(place, || {
        let id = directory.id.as_deref().unwrap_or_default();
        let (problems, scanned) = run::alone(site, place, &record, (id, None), None);
        (problems, scanned.used)
    });
    let (problems, used) = problems.unwrap_or_else(|problem| (vec![problem], BTreeSet::new()));
    let problems = problems.into_iter();
    let problems = match &directory.id {
        Some(id) => problems.map(|problem| problem.of_run(id)).collect(),
        None => problems.collect(),
    };
    (problems, used)
}
