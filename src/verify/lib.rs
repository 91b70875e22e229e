//! Verifies a copy of a published site, without its content.
//!
//! `checksums` compares every file with `SHA256SUMS`, and `pages` follows the links. `feeds` compares feeds with their schemas and
//! with `feeds/index.json`, and `settings` reads from them how the site was built. `runs` reads each run as it is published, with
//! the readers of a build; `events`, `story` and `run_page` compare its pages with it, and `tables` makes the feeds over all runs
//! again. `chain` reads the ledger, and `inputs` compares with the content. Each difference is a diagnostic. Nothing here writes,
//! except `download`, which copies a site.

mod chain;
mod checksums;
mod compare;
mod copy;
mod download;
mod events;
mod feeds;
mod html;
mod inputs;
mod lists;
mod pages;
mod run_page;
mod runs;
mod settings;
mod story;
mod tables;

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use base::diagnostics::{self, Diagnostic};

pub use chain::Continuation;
use copy::SiteCopy;
pub use download::Download;
use settings::SiteSettings;
use store::publish::checksums::PATH;

/// What a copy is compared with.
#[derive(Debug, Clone, Copy, Default)]
pub struct VerifyOptions<'a> {
    /// Content roots.
    pub content: &'a [PathBuf],
    /// The head of the chain of the ledger.
    pub expected_head: Option<&'a str>,
    /// An earlier copy of the site.
    pub since: Option<&'a Path>,
    /// Files that are not in the copy, because it is a sample.
    pub left_out: Option<&'a BTreeSet<String>>,
}

/// The result of a verification.
#[derive(Debug)]
pub struct Verification {
    pub diagnostics: Vec<Diagnostic>,
    pub files: usize,
    pub bytes: u64,
    pub runs: usize,
    /// Runs whose event logs are not in the copy, so that annotations cannot be compared with events.
    pub runs_without_events: usize,
    /// SHA-256 of `SHA256SUMS`, hexadecimal; `None` without the file.
    pub checksums: Option<String>,
    /// The head of the chain of the ledger; `None` without a ledger.
    pub head: Option<String>,
    /// How the copy continues an earlier one.
    pub continuation: Option<Continuation>,
}

/// Verifies the copy in a folder.
///
/// # Errors
/// A folder cannot be read, or has no site.
pub fn verify(folder: &Path, options: VerifyOptions<'_>) -> io::Result<Verification> {
    let (mut copy, mut problems) = SiteCopy::open(folder)?;
    let is_site = |file| copy.files.contains_key(file);
    if !is_site(PATH) && !is_site(feeds::INDEX) {
        let reason = format!("there is neither `{}` nor `{PATH}`", feeds::INDEX);
        return Err(io::Error::new(io::ErrorKind::NotFound, reason));
    }
    copy.left_out = options.left_out.cloned().unwrap_or_default();
    let checksums = checksums::check(&copy, &mut problems);
    pages::check(&copy, &mut problems);
    let documents = feeds::check(&copy, &mut problems);
    let settings = SiteSettings::of(&documents);
    let runs = runs::read(&copy, &settings, &mut problems);
    tables::check(&copy, &documents, &settings, &runs, &mut problems);
    let chain = chain::read(&copy, &documents, &runs, &mut problems);
    let mut continuation = None;
    if let Some(chain) = &chain {
        if let Some(expected) = options.expected_head {
            problems.extend(chain.differs_from(expected));
        }
        if let Some(since) = options.since {
            let (earlier, _) = SiteCopy::open(since)?;
            continuation = chain.continues(&earlier, &mut problems);
        }
    }
    if !options.content.is_empty() {
        inputs::check(&runs, options.content, &mut problems);
    }
    diagnostics::sort(&mut problems);
    Ok(Verification {
        diagnostics: problems,
        files: copy.files.len(),
        bytes: copy.files.values().sum(),
        runs: runs.len(),
        runs_without_events: runs.iter().filter(|run| run.lines.is_none()).count(),
        checksums,
        head: chain.map(|chain| chain.head),
        continuation,
    })
}
