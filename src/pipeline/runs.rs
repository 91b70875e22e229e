//! Takes all runs through [`run`], in parallel, and holds no more of them at once than there is room for.

use std::collections::BTreeSet;

use rayon::prelude::*;

use crate::site::Site;
use base::diagnostics::Diagnostic;
use base::diagnostics::Failure;
use content::load;
use formats::model::findings::Findings;

use super::Progress;
use super::budget::{Budget, catch_panic};
use super::directories::{Directory, Status};
use super::gather::Gathered;
use super::kept::{KeptRun, OtherRun, StagedRuns};
use super::run::{self, Output};
use super::shard::{self, Share};

/// Checks every run of the share, and stages its pages as soon as it is read, unless an error already keeps the site from being
/// published.
pub fn stage(
    site: &Site,
    gathered: &Gathered,
    (output, share): (Output<'_>, Share<'_>),
    progress: &dyn Progress,
) -> Result<StagedRuns, Failure> {
    share.examine(gathered)?;
    let blocked = !site.config.policy.quarantine && gathered.problems().any(Diagnostic::is_error);
    // Then they are quarantined or the site is not published: either way the pages are not those of this archive.
    let blocked = blocked || share.has_errors(gathered);
    let output = (!blocked).then_some(output);
    let directories = gathered.directories.iter();
    let published = directories.filter(|it| !it.is_never_published() && share.has(it));
    progress.begin("Runs", Some(published.count()));
    let budget = Budget::new(site.config.limits.memory);
    gathered.pool.install(|| {
        let archive = &gathered.archive.runs;
        let own =
            (0..archive.len()).filter(|index| share.has(gathered.directory(&archive[*index])));
        let valid: Vec<usize> = own.collect();
        let runs = valid.par_iter().map(|&index| {
            let entry = &archive[index];
            let taken = share.take_over(gathered, index, (site, output));
            let kept = taken.transpose().unwrap_or_else(|| {
                let place = &gathered.directory(entry).place;
                let weight = gathered.roots.of(place).map_or(0, load::weight);
                let record = gathered.roots.of(place).map_or(0, load::record_size);
                let _share = budget.take(weight);
                let kept = catch_panic(place, || run::process(site, gathered, index, output));
                let problem =
                    |problem: Diagnostic| KeptRun::of_problem(problem.of_run(&entry.run.id));
                let mut kept = kept.unwrap_or_else(|found| Ok(problem(found)))?;
                kept.account.read = weight + record;
                Ok(kept)
            });
            progress.tick();
            match kept {
                Ok(kept) => (kept.findings, Ok(kept.account)),
                Err(problem) => (Findings::default(), Err(problem)),
            }
        });
        // Both lists are filled in place: there is no room for another copy of a large archive.
        let (mut findings, mut accounts) = (Vec::new(), Vec::new());
        runs.unzip_into_vecs(&mut findings, &mut accounts);
        // Looked at only now, so that of several failures always the same one is reported.
        let accounts = shard::all(accounts)?;
        let invalid = gathered.directories.par_iter().enumerate();
        let invalid = invalid.filter(|(_, directory)| {
            matches!(directory.status, Status::Invalid) && share.has(directory)
        });
        let others: Vec<OtherRun> = invalid
            .map(|(index, directory)| {
                progress.tick();
                let taken = share.other(directory);
                let (problems, used) =
                    taken.unwrap_or_else(|| check(site, gathered, directory, &budget));
                OtherRun {
                    directory: index,
                    problems,
                    used,
                }
            })
            .collect();
        Ok(StagedRuns {
            valid,
            findings,
            accounts,
            others,
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
