//! runpress turns a folder of recorded agent runs into a website and into feeds.
//!
//! # The way of the data
//!
//! ```text
//!  site.toml ─► config
//!  content/  ─► discover ─► every record (small) ─► Archive: order, slugs, neighbours, ranges
//!                               │
//!                               ▼  each run, in parallel, one at a time per thread, then forgotten:
//!               load ─► formats ─► rules ─► model ─► view ─► render ─► publish::Stage
//!                               │
//!                               ▼  what is kept of a run is small: Findings and diagnostics
//!               Archive + Findings ─► lists, tables, feeds ─► publish::Stage
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
//! [`author`] is the way back: it writes annotations into the content, through the same formats and rules.
//!
//! # What is absent
//!
//! - Only the edges ([`discover`], [`load`], [`inspect`] through it, [`publish`], [`spool`], [`site`], [`author`] and the binary) touch
//!   the disk, the environment or the terminal. Only [`author`] and the binary read a clock, never for what is published.
//! - [`formats`] knows nothing of [`model`]; [`model`] knows nothing of serde; templates see [`view`] only.
//! - The only type that a template prints unescaped is [`render::Html`], and only [`render`] makes one.
//! - Recorded text never passes through the minifier: the shell of a page is minified once per depth, with
//!   slots for what stands in it.
//! - Order is born in [`discover`] and kept: parallel steps collect in input order, maps are sorted.

pub mod assets;
pub mod author;
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
pub mod pipeline;
pub mod publish;
pub mod render;
pub mod rules;
pub mod schema;
pub mod serve;
pub mod shapes;
pub mod site;
pub mod spool;
pub mod url;
pub mod view;

use diagnostics::Diagnostic;
use pipeline::{Gathered, Outcome, Progress};
use publish::Stage;
use site::Site;

/// Why nothing could be done: usage, site.toml, I/O or templates. Exit status 2.
pub type Failure = Vec<Diagnostic>;

/// Checks everything and writes nothing.
///
/// # Errors
/// The content or the site's own files cannot be read at all.
pub fn check(site: &Site, progress: &dyn Progress) -> Result<Outcome, Failure> {
    rehearse_or_build(site, progress, &|| {
        Stage::rehearse(&site.out, &site.shown(&site.out), &site.inputs())
    })
    .map(|(outcome, _)| outcome)
}

/// Checks everything and, unless the content has errors, puts the new site in the place of the old one.
///
/// # Errors
/// The content or the site's own files cannot be read at all, or the site cannot be written.
pub fn build(site: &Site, progress: &dyn Progress) -> Result<Outcome, Failure> {
    let (mut outcome, stages) = rehearse_or_build(site, progress, &|| {
        Stage::open(&site.out, &site.shown(&site.out), &site.inputs())
    })?;
    if outcome.publishes(site) {
        progress.begin("Putting it in place", 1);
        for stage in stages {
            stage.swap().map_err(|problem| vec![problem])?;
        }
        outcome.published = true;
    }
    Ok(outcome)
}

/// A check is a build that writes nowhere: so both always give the same answer.
fn rehearse_or_build(
    site: &Site,
    progress: &dyn Progress,
    open: &dyn Fn() -> Result<Stage, Diagnostic>,
) -> Result<(Outcome, Vec<Stage>), Failure> {
    let mut gathered = Gathered::gather(site, progress)?;
    let renderer = site
        .renderer(&gathered)
        .map_err(|failure| gathered.failed(failure))?;
    let open = |gathered: &Gathered| open().map_err(|problem| gathered.failed(vec![problem]));
    let mut stage = open(&gathered)?;
    let mut pass = gathered
        .pass(site, (&stage, &renderer), progress)
        .map_err(|failure| gathered.failed(failure))?;
    while gathered.quarantine(site, &pass) {
        drop(stage);
        stage = open(&gathered)?;
        pass = gathered
            .pass(site, (&stage, &renderer), progress)
            .map_err(|failure| gathered.failed(failure))?;
    }
    let mut outcome = gathered.outcome(site, pass);
    if outcome.publishes(site) {
        gathered
            .publish_lists(site, &outcome, (&stage, &renderer), progress)
            .map_err(|mut failure| {
                failure.extend(outcome.diagnostics.iter().cloned());
                failure
            })?;
        (outcome.files, outcome.bytes) = stage.written();
        #[cfg(feature = "parquet")]
        if let Some(export) = gathered.export(site, &outcome, progress)? {
            return Ok((outcome, vec![stage, export]));
        }
    }
    Ok((outcome, vec![stage]))
}
