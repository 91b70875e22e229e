//! runpress turns a folder of recorded agent runs into a website and into feeds.
//!
//! # The way of the data
//!
//! ```text
//!  site.toml ─► config
//!  the ledger of the site that is replaced ─► Ledger
//!  content/  ─► discover ─► every record (small) ─► Archive: order, slugs, neighbours, ranges
//!                               │
//!                               ▼  each run, in parallel, one at a time per thread, then forgotten:
//!               load ─► formats ─► rules ─► model ─► view ─► render ─► publish::Stage
//!                               │
//!                               ▼  what is kept of a run is small: Findings and diagnostics
//!               Archive + Findings + Ledger ─► lists, tables, feeds, the next ledger ─► publish::Stage
//!                               │
//!                               ▼
//!               no errors: Stage::swap           errors: the stage is dropped, the old site stays
//! ```
//!
//! [`check`] and [`build`] below are the same story, rehearsed and played; [`pipeline`] holds its steps.
//! The common path is optimistic: every run is read once and its pages are staged at once. When runs turn
//! out invalid and are to be quarantined, the archive is made again without them and the pass repeats,
//! since neighbours and ranges may have counted them.
//!
//! Beside the way of the data, [`schema`] lists the JSON Schemas of inputs and feeds. They are derived from the types of
//! [`formats`], [`config`] and [`feeds`]; [`shapes`] holds what a type alone cannot say.
//!
//! The [`ledger`] is a feed and an input at once: what changed from build to build. Its shape is read back as it was written, so
//! there is one type for both, and [`view`], [`rules`] and the reports look at it as they look at [`model`].
//!
//! [`characters`] is the one list of characters that trick a reader; whatever shows recorded text asks it.
//!
//! [`author`] is the way back: it writes annotations into the content, through the same formats and rules.
//!
//! [`serve`] shows a site while it is made. It calls [`rebuild`], the same build with a [`pipeline::Memory`]: runs that are as they
//! were are taken over from the site that is replaced, by links to the same files, and everything else is made as always.
//!
//! # What is absent
//!
//! - Files are opened in one way, by `beneath`: no link and no swapped path leads out of the folder that they belong to.
//! - Only the edges ([`discover`], [`load`], [`inspect`] through it, [`publish`], [`spool`], [`site`], [`author`], [`serve`] and the
//!   binary) touch the disk, the environment or the terminal. Only [`author`], [`serve`] and the binary read a clock, and [`load`]
//!   the times of files to know what [`rebuild`] need not read again: never for what is published.
//! - [`formats`] knows nothing of [`model`]; [`model`] knows nothing of serde; templates see [`view`] only.
//! - The only type that a template prints unescaped is [`render::Html`], and only [`render`] makes one.
//! - Recorded text never passes through the minifier: the shell of a page is minified once per depth, with
//!   slots for what stands in it.
//! - Order is born in [`discover`] and kept: parallel steps collect in input order, maps are sorted.

pub mod assets;
pub mod author;
mod beneath;
pub mod characters;
pub mod config;
pub mod diagnostics;
pub mod discover;
#[cfg(feature = "parquet")]
pub mod export;
pub mod feeds;
pub mod formats;
pub mod inspect;
pub mod ledger;
pub mod load;
pub mod markup;
pub mod model;
pub mod pictures;
pub mod pipeline;
pub mod publish;
pub mod render;
pub mod rules;
pub mod schema;
#[cfg(feature = "serve")]
pub mod serve;
pub mod shapes;
pub mod site;
pub mod spool;
pub mod url;
pub mod view;

use diagnostics::Diagnostic;
use pipeline::{Gathered, Memory, Outcome, Output, Progress, Traces};
use publish::Stage;
use site::Site;

/// Why nothing could be done: usage, site.toml, I/O or templates. Exit status 2.
pub type Failure = Vec<Diagnostic>;

/// Checks everything and writes nothing.
///
/// # Errors
/// The content or the site's own files cannot be read at all.
pub fn check(site: &Site, progress: &dyn Progress) -> Result<Outcome, Failure> {
    let open = || Stage::rehearse(&site.out, &site.shown(&site.out), &site.inputs());
    rehearse_or_build(site, progress, &open, None).map(|made| made.outcome)
}

/// Checks everything and, unless the content has errors, puts the new site in the place of the old one.
///
/// # Errors
/// The content or the site's own files cannot be read at all, or the site cannot be written.
pub fn build(site: &Site, progress: &dyn Progress) -> Result<Outcome, Failure> {
    build_with(site, None, progress).map(|(outcome, _)| outcome)
}

/// The site that was replaced. It is removed when this is dropped.
#[derive(Debug)]
#[must_use]
pub struct Replaced {
    _stages: Vec<Stage>,
}

/// The same as [`build`], byte for byte, for a process that builds a site again and again: what `memory` knows to be as it was
/// is not made again. The site that it replaces can be removed later, when nobody waits.
///
/// # Errors
/// As [`build`].
pub fn rebuild(
    site: &Site,
    memory: &mut Memory,
    progress: &dyn Progress,
) -> Result<(Outcome, Replaced), Failure> {
    build_with(site, Some(memory), progress)
}

fn build_with(
    site: &Site,
    memory: Option<&mut Memory>,
    progress: &dyn Progress,
) -> Result<(Outcome, Replaced), Failure> {
    let open = || Stage::open(&site.out, &site.shown(&site.out), &site.inputs());
    let mut made = rehearse_or_build(site, progress, &open, memory.as_deref())?;
    if made.outcome.publishes(site) {
        progress.begin("Putting it in place", 1);
        let spool = std::mem::take(&mut made.stages[0].spool);
        for stage in &mut made.stages {
            stage.swap().map_err(|problem| vec![problem])?;
        }
        made.outcome.published = true;
        if let Some(memory) = memory {
            memory.learn(&made.gathered, made.traces, &made.outcome.findings, spool);
        }
    }
    let replaced = Replaced {
        _stages: made.stages,
    };
    Ok((made.outcome, replaced))
}

/// A site that has not been put in its place yet.
struct Made {
    gathered: Gathered,
    traces: Traces,
    outcome: Outcome,
    /// The site, and an export where one was asked for.
    stages: Vec<Stage>,
}

/// A check is a build that writes nowhere: so both always give the same answer.
fn rehearse_or_build(
    site: &Site,
    progress: &dyn Progress,
    open: &dyn Fn() -> Result<Stage, Diagnostic>,
    memory: Option<&Memory>,
) -> Result<Made, Failure> {
    let mut gathered = Gathered::gather(site, memory.is_some(), progress)?;
    let renderer = site
        .renderer(&gathered)
        .map_err(|failure| gathered.failed(failure))?;
    let open = |gathered: &Gathered| open().map_err(|problem| gathered.failed(vec![problem]));
    let pass = |gathered: &Gathered, stage: &Stage| {
        let output = Output {
            stage,
            renderer: &renderer,
            memory,
        };
        gathered
            .pass(site, output, progress)
            .map_err(|failure| gathered.failed(failure))
    };
    let mut stage = open(&gathered)?;
    let mut passed = pass(&gathered, &stage)?;
    while gathered.quarantine(site, &passed) {
        drop(stage);
        stage = open(&gathered)?;
        passed = pass(&gathered, &stage)?;
    }
    let traces = passed.traces();
    let mut outcome = gathered.outcome(site, passed);
    #[cfg_attr(
        not(feature = "parquet"),
        allow(unused_mut, reason = "an export is a stage, too")
    )]
    let mut stages = vec![stage];
    if outcome.publishes(site) {
        gathered
            .publish_lists(site, &outcome, (&stages[0], &renderer), progress)
            .map_err(|mut failure| {
                failure.extend(outcome.diagnostics.iter().cloned());
                failure
            })?;
        (outcome.files, outcome.bytes) = stages[0].written();
        #[cfg(feature = "parquet")]
        stages.extend(gathered.export(site, &outcome, progress)?);
    }
    Ok(Made {
        gathered,
        traces,
        outcome,
        stages,
    })
}
