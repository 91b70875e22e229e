//! The steps of a build, one file each: `gather` reads all records and the prose, `runs` takes every run through `run`, `outcome`
//! sums up, and `lists` writes the pages and feeds of all runs. `cache` lets the next build reuse pages.

mod cache;
mod contribution;
mod directories;
#[cfg(feature = "parquet")]
mod export;
mod gather;
mod hosting;
mod ledger;
mod lists;
mod memory;
mod outcome;
mod previous;
mod prose;
mod public;
mod run;
mod runs;
mod secrets;
mod shard;
mod share;
pub mod site;
mod summary;
mod trials;

pub use gather::SiteContent;
pub use outcome::Outcome;
pub use run::with_redactions;
pub use share::{SharedRun, share, task_of};

use std::path::PathBuf;

use base::diagnostics::{Diagnostic, Failure};
use store::publish::{self, Stage};

use cache::{BuildCache, CacheUpdate, CachedRecords};
use run::SiteOutput;
use shard::{BuildScope, ShardParts};
use site::Site;

/// A digest of the sources of this program: a different one renders different pages.
pub(crate) const PROGRAM: &str = env!("RUNPRESS_SOURCES");

/// Receives the progress of a build.
pub trait Progress: Sync {
    /// A step begins; it will take so many ticks, or cannot be counted.
    fn begin(&self, step: &'static str, ticks: Option<usize>);
    /// One tick of the step is done.
    fn tick(&self);
}

/// Shows no progress.
#[derive(Debug, Clone, Copy)]
pub struct NoProgress;

impl Progress for NoProgress {
    fn begin(&self, _step: &'static str, _ticks: Option<usize>) {}

    fn tick(&self) {}
}

/// Checks everything and writes nothing.
pub fn check(site: &Site, progress: &dyn Progress) -> Result<Outcome, Failure> {
    check_output_folder(site)?;
    let mut outcome = dry_run(site, progress)?.outcome;
    outcome.findings = Vec::new();
    Ok(outcome)
}

/// A build that writes no site. Its other stages have an export, if the options ask for one.
fn dry_run(site: &Site, progress: &dyn Progress) -> Result<StagedSite, Failure> {
    let open = || Stage::dry_run(&site.out, &site.shown(&site.out), &site.inputs());
    let cache = hosting::has_limits(site).then(BuildCache::unnamed);
    let (staged, _) = stage_site(site, progress, &open, cache.as_ref(), &[])?;
    Ok(staged)
}

/// Checks everything and, unless the content has errors, updates the site in the output folder. Reuses the cache of the last
/// build; the result is byte for byte the same as a build from scratch.
///
/// With a shard in the options, checks and renders only the runs of that shard, and writes them to the output folder as a part,
/// even if they have errors.
pub fn build(site: &Site, progress: &dyn Progress) -> Result<(Outcome, ReplacedSite), Failure> {
    prepare_output(site)?;
    let cache = BuildCache::open(site);
    // Missing records do not change the content. The build reports them.
    if site.has_records()
        && let Some(outcome) = cache.unchanged(site)
    {
        return Ok((outcome, ReplacedSite::default()));
    }
    build_over(site, progress, cache, &[])
}

/// Checks everything and, unless the content has errors, writes the export of the options. The site is not built.
#[cfg(feature = "parquet")]
pub fn export_only(
    site: &Site,
    progress: &dyn Progress,
) -> Result<(Outcome, ReplacedSite), Failure> {
    export::check_folder(site).map_err(|problem| vec![problem])?;
    let mut staged = dry_run(site, progress)?;
    // The first stage is that of the site, which writes nothing.
    let mut stages = staged.stages.split_off(1);
    for stage in &mut stages {
        stage
            .commit(store::ledger::PATH)
            .map_err(|problem| vec![problem])?;
    }
    Ok((staged.outcome, ReplacedSite { _stages: stages }))
}

/// Merges parts into a site, byte for byte the same as one build. Needs the records and the prose, and the content of runs
/// whose pages change because other runs are quarantined.
pub fn merge(
    site: &Site,
    parts: &[PathBuf],
    progress: &dyn Progress,
) -> Result<(Outcome, ReplacedSite), Failure> {
    prepare_output(site)?;
    build_over(site, progress, BuildCache::open(site), parts)
}

/// Refuses a base that is not one, and to replace a site by a part, which would lose its ledger, or a part by a site.
fn check_output_folder(site: &Site) -> Result<(), Failure> {
    if let Some(problem) = contribution::base_problem(site) {
        return Err(vec![problem]);
    }
    let writes_part = site.options.shard.is_some();
    let shown = site.shown(&site.out);
    publish::examine_kind(&site.out, &shown, writes_part, store::ledger::PATH)
        .map_err(|problem| vec![problem])
}

/// Recovers from an interrupted build, and checks that the output can be written.
fn prepare_output(site: &Site) -> Result<(), Failure> {
    check_output_folder(site)?;
    publish::recover(&site.out, &site.shown(&site.out), &site.inputs())
        .map_err(|problem| vec![problem])?;
    #[cfg(feature = "parquet")]
    export::check_folder(site).map_err(|problem| vec![problem])?;
    Ok(())
}

/// Builds the site from parts or content, reusing the last build; without it if its cache turns out to be damaged.
fn build_over(
    site: &Site,
    progress: &dyn Progress,
    cache: BuildCache,
    parts: &[PathBuf],
) -> Result<(Outcome, ReplacedSite), Failure> {
    replace(site, progress, &cache, parts).or_else(|failure| match cache.without_damage() {
        Some(cache) => replace(site, progress, &cache, parts),
        None => Err(failure),
    })
}

/// Stages the site and replaces the old one.
fn replace(
    site: &Site,
    progress: &dyn Progress,
    cache: &BuildCache,
    parts: &[PathBuf],
) -> Result<(Outcome, ReplacedSite), Failure> {
    let (shown, inputs) = (site.shown(&site.out), site.inputs());
    let open =
        || cache.with_output_tree(|tree| Stage::open_listed(&site.out, &shown, &inputs, tree));
    let (staged, update) = stage_site(site, progress, &open, Some(cache), parts)?;
    let StagedSite {
        mut gathered,
        mut outcome,
        mut stages,
    } = staged;
    // Lists and feeds are written, so nothing reads the findings of runs anymore.
    outcome.findings = Vec::new();
    let (step, last) = match site.options.shard {
        Some(_) => ("Replacing the part", publish::PART_FILE),
        None => ("Replacing the site", store::ledger::PATH),
    };
    if outcome.publishes(site) || site.options.shard.is_some() {
        progress.begin(step, None);
        for stage in &mut stages {
            stage.commit(last).map_err(|problem| vec![problem])?;
        }
        outcome.published = true;
        // The site is published, so threads that cannot be replaced are no failure.
        let _ = gathered.replace_threads(site);
        if let Some(update) = update {
            // If the cache cannot be written, the next build is a full one.
            let _ = update.finish(site, &gathered, &mut outcome, &mut stages[0]);
        }
    }
    Ok((outcome, ReplacedSite { _stages: stages }))
}

/// The remains of the replaced site, removed on drop.
#[derive(Debug, Default)]
#[must_use]
pub struct ReplacedSite {
    _stages: Vec<Stage>,
}

/// A site that has not replaced the old one yet.
struct StagedSite {
    gathered: SiteContent,
    outcome: Outcome,
    /// The site, and the export if requested.
    stages: Vec<Stage>,
}

/// Builds the site in a stage, and returns the cache for the next build. A check is a build whose stage writes nothing and which
/// makes only the pages that can fail, so both always give the same result. So do a build and a merge, which differ only in where
/// the pages of runs come from.
fn stage_site<'a>(
    site: &Site,
    progress: &dyn Progress,
    open_stage: &dyn Fn() -> Result<Stage, Diagnostic>,
    cache: Option<&'a BuildCache>,
    parts: &[PathBuf],
) -> Result<(StagedSite, Option<CacheUpdate<'a>>), Failure> {
    // All records and prose are read first: they are small, and the order of the runs depends on them.
    let (roots, records) = cache.map_or_else(
        || (site.scan_content(), CachedRecords::default()),
        |cache| cache.content(site),
    );
    let mut gathered = SiteContent::gather(site, roots, records, progress)?;
    let navigation = gathered.navigation();
    let renderer = site
        .renderer(&navigation)
        .map_err(|problem| gathered.failed(vec![problem]))?;
    let parts = match parts {
        [] => None,
        folders => Some(ShardParts::open(site, &gathered, folders)?),
    };
    let scope = match (&parts, site.options.shard) {
        (Some(parts), _) => BuildScope::Parts(parts),
        (None, Some(shard)) => BuildScope::Shard(shard),
        (None, None) => BuildScope::All,
    };

    // Each run is loaded, parsed, checked, rendered and staged.
    let (stage, update, runs) = loop {
        let stage = open_stage().map_err(|problem| gathered.failed(vec![problem]))?;
        let parts_at = parts.as_ref().map(ShardParts::scanned_at);
        let update = cache.map(|cache| cache.update(site, site.frame(&navigation), parts_at));
        let (update, known) = update.unzip();
        let mut stage = stage.with_last_site(known.unwrap_or_default());
        hosting::measure_size(site, &mut stage);
        if site.config.publish.checksums {
            stage.compute_checksums();
        }
        let output = SiteOutput {
            stage: &stage,
            renderer: &renderer,
            cache: update.as_ref(),
        };
        let runs = runs::stage(site, &gathered, output, scope, progress)
            .map_err(|failure| gathered.failed(failure))?;
        if let BuildScope::Shard(shard) = scope {
            // Only the merge, with all parts, knows which runs are quarantined and which pages that changes.
            shard::write(site, &gathered, shard, &runs, &stage, update.as_ref())?;
        } else if site.config.policy.quarantine && runs.have_errors() {
            // Neighbors and ranges may have counted invalid runs, so all pages are rendered again.
            gathered = gathered.without_invalid(site, runs);
            continue;
        }
        break (stage, update, runs);
    };
    gathered.drop_scan(site)?;
    if let BuildScope::Shard(shard) = scope {
        let staged = StagedSite {
            outcome: shard::outcome(site, &gathered, shard, runs, &stage),
            gathered,
            stages: vec![stage],
        };
        return Ok((staged, update));
    }
    drop(parts);

    // Lists, tables and feeds are made of all runs.
    let mut outcome = Outcome::of(site, &gathered, runs);
    if outcome.publishes(site) {
        let output = SiteOutput {
            stage: &stage,
            renderer: &renderer,
            cache: update.as_ref(),
        };
        lists::publish(site, &gathered, &outcome, output, progress).map_err(|mut failure| {
            failure.extend(outcome.diagnostics.iter().cloned());
            failure
        })?;
        if site.config.publish.checksums {
            let listed = stage.write_checksums();
            listed.map_err(|problem| vec![problem])?;
        }
        outcome.check_size(site, &stage);
    }
    #[cfg(feature = "parquet")]
    let export = export::export(site, &gathered, &outcome, progress)?;
    #[cfg(not(feature = "parquet"))]
    let export = None;
    outcome.contribution = contribution::contribution(site, &gathered, &outcome, progress);
    outcome.list_cases(&gathered);
    let staged = StagedSite {
        gathered,
        outcome,
        stages: std::iter::once(stage).chain(export).collect(),
    };
    Ok((staged, update))
}
