//! runpress turns a folder of recorded agent runs into a website and into feeds.
//!
//! # Data flow
//!
//! ```text
//!  site.toml ─► config
//!  the ledger of the previous site ─► Ledger
//!  content/  ─► discover ─► every record (small) ─► Archive: order, slugs, neighbors, ranges
//!                               │
//!                               ▼  each run, in parallel, one at a time per thread, then dropped:
//!               load ─► formats ─► rules ─► model ─► view ─► render ─► publish::Stage
//!                               │
//!                               ▼  kept in memory for each run: findings and diagnostics
//!               Archive + Findings + Ledger ─► lists, tables, feeds, the next ledger ─► publish::Stage
//!                               │
//!                               ▼
//!               no errors: Stage::commit         errors: the stage is dropped, the old site stays
//! ```
//!
//! [`check`] and [`build`] below run the same steps; a check uses a stage that writes nothing. [`pipeline`] has the steps: for all
//! runs in `gather` and `lists`, for one run in `run`. The last two list their artifacts, one function per file.
//! Except for its record, each run is read once, and its pages are staged immediately. If runs are quarantined, the archive and
//! the pages of all other runs are built again without them, since neighbors and ranges may have counted them.
//!
//! [`schema`] lists the JSON Schemas of inputs and feeds. They are derived from the types of
//! [`formats`], [`config`] and [`feeds`]; [`shapes`] holds what a type alone cannot say.
//!
//! [`model::fields`] is the table of the fields of a run: the feeds and exports of all runs, comparisons and the facts on the page
//! of a run are made from it.
//!
//! The [`ledger`], the changes from build to build, is both a feed and an input. It is read back in the shape in which it was
//! written, so one type serves both, and [`view`], [`rules`] and the reports use it like [`model`].
//!
//! [`characters`] is the only list of invisible and reordering characters; everything that shows recorded text uses it.
//!
//! [`author`] writes annotations into the content, through the same formats and rules.
//!
//! Builds are incremental: a build writes a cache, which the next one opens as a [`pipeline::Memory`]. Pages of unchanged runs are
//! reused, and only files that differ are written. [`serve`] serves a site and rebuilds it after every change.
//!
//! # Modules
//!
//! A module uses only the modules in its last column, which are all in rows above it. A test checks the source against this
//! table.
//!
//! | Module | Knows | Uses |
//! |---|---|---|
//! | `characters` | which characters trick a reader | |
//! | `url` | which addresses are links | `characters` |
//! | `pictures` | how large a picture is | `url` |
//! | `links` | the addresses of the site | |
//! | `shapes` | what JSON Schemas have in common | |
//! | `beneath` | (edge) how files are opened without leaving a folder | |
//! | `diagnostics` | codes, places and reports | `characters`, `shapes`, `url` |
//! | `config` | site.toml | `diagnostics`, `links`, `shapes`, `url` |
//! | `formats` | the inputs as they are written | `characters`, `diagnostics`, `shapes` |
//! | `model` | checked data | `characters`, `formats`, `links`, `pictures`, `url` |
//! | `ledger` | what changed from build to build | `diagnostics`, `formats`, `links`, `model`, `shapes` |
//! | `markup` | how text becomes HTML, whatever page it is for | `characters`, `diagnostics`, `model`, `pictures`, `url` |
//! | `secrets` | what must not be published | `characters`, `config`, `diagnostics`, `markup` |
//! | `rules` | the checks of parsed values | `config`, `diagnostics`, `formats`, `ledger`, `links`, `markup`, `model`, `url` |
//! | `cache` | (edge) the build cache on disk | `beneath` |
//! | `discover` | (edge) where the content is | `beneath`, `diagnostics`, `formats`, `model` |
//! | `load` | (edge) the files of a run, redacted, and `load::Beside`: the files that they name | `beneath`, `config`, `diagnostics`, `discover`, `formats`, `model` |
//! | `spool` | (edge) texts kept out of memory | `cache`, `diagnostics`, `model` |
//! | `publish` | (edge) how a site is staged and swapped in | `beneath`, `diagnostics`, `links`, `model`, `spool` |
//! | `inspect` | formats and rules, applied to the files of a run | `config`, `diagnostics`, `formats`, `load`, `markup`, `model`, `pictures`, `rules` |
//! | `feeds` | what machines read | `config`, `diagnostics`, `formats`, `links`, `markup`, `model`, `shapes`, `url` |
//! | `export` | the tables of `--export` | `feeds`, `inspect`, `model` |
//! | `schema` | the JSON Schemas of inputs and feeds | `config`, `diagnostics`, `feeds`, `formats`, `ledger`, `model`, `shapes` |
//! | `view` | what people read: formatted values and drawings that pages share | `config`, `diagnostics`, `ledger`, `links`, `markup`, `model`, `url` |
//! | `render` | how views become bytes | `characters`, `config`, `diagnostics`, `links`, `markup`, `view` |
//! | `assets` | the static files | `render`, `view` |
//! | `site` | (edge) a site: its settings and its own files | `assets`, `beneath`, `cache`, `config`, `diagnostics`, `discover`, `ledger`, `load`, `pictures`, `render`, `secrets`, `url`, `view` |
//! | `pipeline` | the steps of a build | `beneath`, `cache`, `config`, `diagnostics`, `discover`, `export`, `feeds`, `formats`, `inspect`, `ledger`, `links`, `load`, `markup`, `model`, `publish`, `render`, `rules`, `schema`, `secrets`, `site`, `spool`, `url`, `view` |
//! | `lib` | this file: [`check`], [`build`], [`merge`] | `diagnostics`, `pipeline`, `publish`, `site` |
//! | `import` | (edge) how logs of other systems become run folders | `beneath`, `config`, `diagnostics`, `formats`, `model`, `shapes` |
//! | `author` | (edge) how annotations and redactions are written | `beneath`, `config`, `diagnostics`, `discover`, `feeds`, `formats`, `inspect`, `load`, `model`, `pipeline`, `secrets`, `site` |
//! | `serve` | (edge) how a site is shown while it is made | `config`, `diagnostics`, `lib`, `pipeline`, `render`, `site` |
//! | `api` | what is public | `author`, `characters`, `config`, `diagnostics`, `discover`, `feeds`, `formats`, `import`, `inspect`, `ledger`, `links`, `load`, `markup`, `model`, `pictures`, `pipeline`, `publish`, `render`, `rules`, `schema`, `secrets`, `serve`, `site`, `url`, `view` |
//! | `cli` | (edge) the command line | `api`, `lib` |
//! | `main` | (edge) the program | `api`, `cli` |
//!
//! # What is public
//!
//! The functions below, and [`api`]: what the binary, the tests, the benchmarks and the fuzz targets use.
//!
//! # What is absent
//!
//! - Only `beneath` opens files, so that no link or swapped path leads out of their folder.
//! - Only the edges ([`discover`], [`load`], [`cache`], [`publish`], [`spool`], [`site`], [`author`], [`serve`] and the binary) touch
//!   the disk, the environment or the terminal. Files that a tape, a transcript or a thread names are known only after
//!   parsing, so [`inspect`] gets a [`load::Beside`] to read them, and calls no other edge. Only [`author`], [`serve`], the
//!   binary and [`cache`] read a clock; [`cache`] compares it with file times to find unchanged files, never for published
//!   content.
//! - [`formats`] knows nothing of [`model`]; [`model`] knows nothing of serde; templates see pages and [`view`] only.
//! - The only type that a template prints unescaped is [`markup::Html`], and only [`markup`], [`render`] and the
//!   drawings in [`view`] make one.
//! - Recorded text never passes through the minifier: the shell of a page is minified once per depth, with
//!   slots for its content.
//! - [`discover`] sets the order, and all steps keep it: parallel steps collect in input order, maps are sorted.

#![allow(
    rustdoc::private_intra_doc_links,
    reason = "the links work in the documentation with private items, which is the one to read"
)]

pub mod api;
mod assets;
mod author;
mod beneath;
mod cache;
mod characters;
mod config;
mod diagnostics;
mod discover;
#[cfg(feature = "parquet")]
mod export;
mod feeds;
mod formats;
mod import;
mod inspect;
mod ledger;
mod links;
mod load;
mod markup;
mod model;
mod pictures;
mod pipeline;
mod publish;
mod render;
mod rules;
mod schema;
mod secrets;
#[cfg(feature = "serve")]
mod serve;
mod shapes;
mod site;
mod spool;
mod url;
mod view;

use std::path::PathBuf;

use diagnostics::Diagnostic;
pub use diagnostics::Failure;
use pipeline::{Gathered, KnownRecords, Memory, Notes, Outcome, Output, Parts, Progress, Share};
use publish::Stage;
use site::Site;

/// Checks everything and writes nothing.
pub fn check(site: &Site, progress: &dyn Progress) -> Result<Outcome, Failure> {
    examine_kind(site)?;
    let open = || Stage::dry_run(&site.out, &site.shown(&site.out), &site.inputs());
    stage_site(site, progress, &open, (None, &[])).map(|staged| staged.outcome)
}

/// Checks everything and, unless the content has errors, updates the site in the output folder. Reuses the cache of the last
/// build; the result is byte for byte the same as a build from scratch.
///
/// With a shard in the options, checks and renders only the runs of that shard, and writes them to the output folder as a part,
/// even if they have errors.
pub fn build(site: &Site, progress: &dyn Progress) -> Result<(Outcome, Replaced), Failure> {
    prepare(site)?;
    let memory = Memory::open(site);
    // Missing records do not change the content. The build reports them.
    if site.has_records()
        && let Some(outcome) = memory.unchanged(site)
    {
        return Ok((outcome, Replaced::default()));
    }
    build_over(site, progress, (memory, &[]))
}

/// Merges parts into a site, byte for byte the same as one build. Needs the records and the prose, and the content of runs
/// whose pages change because other runs are quarantined.
pub fn merge(
    site: &Site,
    parts: &[PathBuf],
    progress: &dyn Progress,
) -> Result<(Outcome, Replaced), Failure> {
    prepare(site)?;
    build_over(site, progress, (Memory::open(site), parts))
}

/// Refuses to replace a site by a part, which would lose its ledger, or a part by a site.
fn examine_kind(site: &Site) -> Result<(), Failure> {
    let kind = (site.options.shard.is_some(), ledger::PATH);
    publish::examine_kind(&site.out, &site.shown(&site.out), kind).map_err(|problem| vec![problem])
}

/// Recovers from an interrupted build, and checks that the output can be written.
fn prepare(site: &Site) -> Result<(), Failure> {
    examine_kind(site)?;
    publish::recover(&site.out, &site.shown(&site.out), &site.inputs())
        .map_err(|problem| vec![problem])?;
    #[cfg(feature = "parquet")]
    pipeline::examine_export(site).map_err(|problem| vec![problem])?;
    Ok(())
}

/// Builds the site from parts or content, reusing the last build; without it if its cache turns out to be damaged.
fn build_over(
    site: &Site,
    progress: &dyn Progress,
    (memory, parts): (Memory, &[PathBuf]),
) -> Result<(Outcome, Replaced), Failure> {
    let failure = match replace(site, progress, (&memory, parts)) {
        Err(failure) => failure,
        built => return built,
    };
    match memory.without_damage() {
        Some(memory) => replace(site, progress, (&memory, parts)),
        None => Err(failure),
    }
}

/// Stages the site and replaces the old one.
fn replace(
    site: &Site,
    progress: &dyn Progress,
    (memory, parts): (&Memory, &[PathBuf]),
) -> Result<(Outcome, Replaced), Failure> {
    let (shown, inputs) = (site.shown(&site.out), site.inputs());
    let open = || memory.with_seen(|seen| Stage::open_seen(&site.out, &shown, &inputs, seen));
    let StagedSite {
        mut gathered,
        mut outcome,
        mut stages,
        notes,
    } = stage_site(site, progress, &open, (Some(memory), parts))?;
    let (step, last) = match site.options.shard {
        Some(_) => ("Replacing the part", publish::PART_FILE),
        None => ("Replacing the site", ledger::PATH),
    };
    if outcome.publishes(site) || site.options.shard.is_some() {
        progress.begin(step, None);
        for stage in &mut stages {
            stage.commit(last).map_err(|problem| vec![problem])?;
        }
        outcome.published = true;
        // The site is published, so threads that cannot be replaced are no failure.
        let _ = gathered.release(site);
        if let Some(notes) = notes {
            // If the cache cannot be written, the next build is a full one.
            let _ = notes.leave(site, &gathered, &mut outcome, &mut stages[0]);
        }
    }
    Ok((outcome, Replaced { _stages: stages }))
}

/// The remains of the replaced site, removed on drop.
#[derive(Debug, Default)]
#[must_use]
pub struct Replaced {
    _stages: Vec<Stage>,
}

/// A site that has not replaced the old one yet.
struct StagedSite<'a> {
    gathered: Gathered,
    outcome: Outcome,
    /// The site, and the export if requested.
    stages: Vec<Stage>,
    /// Notes for the cache of the next build.
    notes: Option<Notes<'a>>,
}

/// Builds the site in a stage. A check is a build whose stage writes nothing, so both always give the same result. So do a build
/// and a merge, which differ only in where the pages of runs come from.
fn stage_site<'a>(
    site: &Site,
    progress: &dyn Progress,
    open_stage: &dyn Fn() -> Result<Stage, Diagnostic>,
    (memory, parts): (Option<&'a Memory>, &[PathBuf]),
) -> Result<StagedSite<'a>, Failure> {
    // All records and prose: they are small, and the order of the runs depends on them.
    let content = memory.map_or_else(
        || (site.look(), KnownRecords::default()),
        |memory| memory.content(site),
    );
    let mut gathered = Gathered::gather(site, content, progress)?;
    let navigation = gathered.navigation();
    let renderer = site
        .renderer(&navigation)
        .map_err(|problem| gathered.failed(vec![problem]))?;
    let parts = match parts {
        [] => None,
        folders => Some(Parts::open(site, &gathered, folders)?),
    };
    let share = Share::of(site, parts.as_ref());

    // Each run: load, parse, check, model, view, render, stage.
    let (stage, notes, runs) = loop {
        let stage = open_stage().map_err(|problem| gathered.failed(vec![problem]))?;
        let recalled =
            memory.map(|memory| memory.recall(site, site.frame(&navigation), share.looked_at()));
        let (notes, known) = recalled.unzip();
        let mut stage = stage.over(known.unwrap_or_default());
        pipeline::weigh(site, &mut stage);
        stage.spool = notes.as_ref().map_or_else(Default::default, Notes::spool);
        let output = Output {
            stage: &stage,
            renderer: &renderer,
            notes: notes.as_ref(),
        };
        let runs = pipeline::stage_runs(site, &gathered, (output, share), progress)
            .map_err(|failure| gathered.failed(failure))?;
        if let Share::Shard(shard) = share {
            // Only the merge, with all parts, knows which runs are quarantined and which pages that changes.
            pipeline::write_part(site, &gathered, (shard, &runs), (&stage, notes.as_ref()))?;
            break (stage, notes, runs);
        }
        if !site.config.policy.quarantine || !runs.have_errors() {
            break (stage, notes, runs);
        }
        // Neighbors and ranges may have counted invalid runs, so all pages are rendered again.
        gathered = gathered.without_invalid(site, runs);
    };
    gathered.condense(site)?;
    if let Share::Shard(shard) = share {
        let outcome = pipeline::part_outcome(site, &gathered, (shard, runs), &stage);
        return Ok(StagedSite {
            gathered,
            outcome,
            stages: vec![stage],
            notes,
        });
    }
    drop(parts);

    // Lists, tables and feeds of all runs.
    let mut outcome = Outcome::of(site, &gathered, runs, &stage.spool)?;
    if outcome.publishes(site) {
        let output = Output {
            stage: &stage,
            renderer: &renderer,
            notes: notes.as_ref(),
        };
        pipeline::publish_lists(site, &gathered, &outcome, output, progress).map_err(
            |mut failure| {
                failure.extend(outcome.diagnostics.iter().cloned());
                failure
            },
        )?;
        outcome.weigh(site, &stage);
    }
    #[cfg(feature = "parquet")]
    let export = pipeline::export(site, &gathered, &outcome, progress)?;
    #[cfg(not(feature = "parquet"))]
    let export = None;
    // Lists and feeds are written, so nothing reads the findings of runs any more.
    outcome.findings = Vec::new();
    outcome.list_cases(&gathered);
    Ok(StagedSite {
        gathered,
        outcome,
        stages: std::iter::once(stage).chain(export).collect(),
        notes,
    })
}
