//! What a build keeps of a run after its pages are made, and the shape in which the next build reads it: the same for a run
//! that another machine made.
//!
//! Everything here is written by [`store::cache`] for the very same program, so a changed field needs no other version.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use twox_hash::XxHash3_128;

use base::beneath::{Found, Kind, Stamp};
use base::diagnostics::{Diagnostic, junit};
use content::load::Input;
use formats::model::findings::{Findings, Slice, Spooled};
use formats::model::run::Run;
use formats::run_record::UnknownKey;
use store::cache::Piece;
use store::publish::SiteFiles;
use store::spool::Texts;

/// The records of the last build, so that those whose files look the same are not read again.
#[derive(Debug, Default)]
pub struct KnownRecords {
    /// By the paths of their run directories in diagnostics.
    pub(super) records: BTreeMap<String, CachedRecord>,
    /// When their files were looked at, as of [`Stamp::is_racy`].
    pub(super) at: i64,
}

/// A record that can be one of the archive, or is never published, and everything that was noticed in it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct CachedRecord {
    pub(super) stamp: Stamp,
    /// BLAKE3 of the file.
    pub(super) digest: [u8; 32],
    pub(super) id: Option<Arc<str>>,
    /// `None`: it is never published.
    pub(super) run: Option<Arc<Run>>,
    pub(super) problems: Vec<Diagnostic>,
    pub(super) unknown_keys: Vec<UnknownKey>,
}

impl CachedRecord {
    /// Whether it is the record in this file, which was looked at after `at`.
    pub(super) fn is_of(&self, found: &Found, at: i64) -> bool {
        matches!(found.kind, Kind::File { .. })
            && found.stamp == self.stamp
            && !found.stamp.is_racy(at)
    }
}

/// What is kept of a run: small, whatever the size of the run.
#[derive(Debug, Default)]
pub(super) struct KeptRun {
    /// For lists and feeds.
    pub(super) findings: Findings,
    pub(super) account: Account,
}

/// What the outcome of a build needs of a run.
#[derive(Debug, Default)]
pub(super) struct Account {
    /// Sorted.
    pub(super) problems: Vec<Diagnostic>,
    /// Indices of the allowances of secrets that it needs.
    pub(super) used: BTreeSet<usize>,
    /// `None` when no pages were made.
    pub(super) left: Option<Left>,
    /// Digests of what lists are made of; zeros when there is no [`Left`].
    pub(super) facets: Facets,
    /// Bytes of its files.
    pub(super) read: u64,
}

/// What is left of a run to the next build.
#[derive(Debug, Clone)]
pub(super) struct Left {
    /// Where its [`CachedRun`] is.
    pub(super) piece: Piece,
    /// How large its texts are, in bytes.
    pub(super) texts: u64,
    /// A digest of its data for comparisons.
    pub(super) compare: [u8; 8],
}

impl Left {
    pub(super) const fn of(piece: Piece, facets: &Facets, texts: u64) -> Self {
        Self {
            piece,
            texts,
            compare: facets[Facet::Compare as usize],
        }
    }
}

/// Digests by [`Facet`].
pub(super) type Facets = [[u8; 8]; Facet::COUNT];

/// What a list may be made of, beside the record.
#[derive(Debug, Clone, Copy)]
pub(super) enum Facet {
    /// What tables show of every run.
    Listed,
    Lines,
    Friction,
    Hypotheses,
    Anchors,
    Writeup,
    Failures,
    Compare,
    Newest,
    Cards,
    Threads,
}

impl Facet {
    pub(super) const COUNT: usize = Self::Threads as usize + 1;
}

impl KeptRun {
    pub(super) fn of_problem(problem: Diagnostic) -> Self {
        let account = Account {
            problems: vec![problem],
            ..Account::default()
        };
        Self {
            findings: Findings::default(),
            account,
        }
    }
}

impl Account {
    pub(super) fn has_errors(&self) -> bool {
        self.problems.iter().any(Diagnostic::is_error)
    }
}

/// What is kept of all runs.
#[derive(Debug)]
pub struct StagedRuns {
    /// The runs of the share, by their places in the archive.
    pub(super) valid: Vec<usize>,
    /// Of each of them.
    pub(super) findings: Vec<Findings>,
    /// Of each of them.
    pub(super) accounts: Vec<Account>,
    /// Of the runs whose records are not valid.
    pub(super) others: Vec<OtherRun>,
}

/// What is kept of a run whose record is not valid.
#[derive(Debug)]
pub(super) struct OtherRun {
    /// Its place among the directories.
    pub(super) directory: usize,
    pub(super) problems: Vec<Diagnostic>,
    /// Indices of the allowances of secrets that it needs.
    pub(super) used: BTreeSet<usize>,
}

impl StagedRuns {
    /// Whether runs of the archive turned out to have errors.
    pub fn have_errors(&self) -> bool {
        self.accounts.iter().any(Account::has_errors)
    }
}

/// What is read first: whether nothing changed at all, and what the build then reports.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Head {
    /// A digest of the settings, templates and static files.
    pub(super) settings: [u8; 32],
    /// A digest of how the content roots looked, and when.
    pub(super) inputs: Option<[u8; 32]>,
    pub(super) inputs_at: i64,
    /// A digest of how the output folder looked, and when.
    pub(super) outputs: Option<[u8; 32]>,
    pub(super) outputs_at: i64,
    /// Whether a build of the same content over this site would give the same ledger and the same problems.
    pub(super) is_settled: bool,
    pub(super) problems: Vec<Diagnostic>,
    pub(super) runs: usize,
    pub(super) quarantined: usize,
    pub(super) not_published: usize,
    pub(super) blocking: usize,
    pub(super) cases: Vec<junit::Case>,
    pub(super) files: u64,
    pub(super) bytes: u64,
    /// Where the records are.
    pub(super) records: Piece,
}

/// What says where the runs are, and what was written.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Body {
    /// A digest of what all pages have in common.
    pub(super) frame: String,
    /// All files of the site.
    pub(super) files: SiteFiles,
    /// The [`CachedRun`] of each run and how large its texts are, by the run directory's path in diagnostics.
    pub(super) runs: BTreeMap<String, (Piece, u64)>,
    /// The lists, by name.
    pub(super) lists: BTreeMap<String, KnownList>,
}

/// A list: a digest of everything that it was made of, and its files.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct KnownList {
    pub(super) key: [u8; 32],
    pub(super) paths: Vec<String>,
}

/// The pages of a run, and everything beside the frame that they depend on.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct CachedRun {
    /// What is in the run directory; `None` when that may change unseen.
    pub(super) inputs: Option<Vec<Input>>,
    /// A digest of what the page shows of the archive.
    pub(super) archive_context: [u8; 16],
    /// Ids of the runs that it names.
    pub(super) named: Vec<String>,
    pub(super) is_newest: bool,
    /// Paths of its files from the root of the site.
    pub(super) files: Vec<String>,
    /// Without those of the record.
    pub(super) problems: Vec<Diagnostic>,
    /// Indices of the allowances of secrets that it needs.
    pub(super) used: BTreeSet<usize>,
    /// As in [`Account`].
    pub(super) facets: Facets,
    /// Where its texts are in the cache, and how large they are.
    pub(super) texts: (u64, u64),
    pub(super) findings: Findings,
}

/// Digests of what lists are made of, by [`Facet`]; `texts` are those of the run.
pub(super) fn facets(findings: &Findings, texts: &Texts) -> Facets {
    let spooled = &findings.spooled;
    let text = |slice: Slice| facet(&[texts.get(slice)]);
    let compare: Vec<_> = spooled.compare.iter().map(|it| texts.get(*it)).collect();
    let cards = spooled.cards.iter();
    let sorted: Vec<_> = cards.clone().map(|it| (it.kind, it.group)).collect();
    let sorted = postcard::to_stdvec(&sorted).unwrap_or_default();
    let newest = spooled.newest.iter().chain(&spooled.quote);
    let newest: Vec<_> = newest.map(|it| texts.get(it.text)).collect();
    let cards: Vec<_> = [sorted.as_slice()]
        .into_iter()
        .chain(cards.map(|it| texts.get(it.card)))
        .collect();
    let lines = std::iter::once(&spooled.thread_lines);
    let threads = lines.chain(&spooled.threads);
    let threads: Vec<_> = threads.map(|it| texts.get(*it)).collect();
    let listed = Findings {
        spooled: Spooled::default(),
        ..findings.clone()
    };
    // Nothing in it can fail to be written.
    let listed = postcard::to_stdvec(&listed).unwrap_or_default();
    [
        facet(&[&listed]),
        text(spooled.lines),
        text(spooled.friction),
        text(spooled.hypotheses),
        text(spooled.anchors),
        text(spooled.writeup),
        text(spooled.failures),
        facet(&compare),
        facet(&newest),
        facet(&cards),
        facet(&threads),
    ]
}

/// A digest of a facet: there are many, and it need only show a change.
fn facet(texts: &[&[u8]]) -> [u8; 8] {
    digest(texts).first_chunk().copied().unwrap_or_default()
}

/// One digest of several texts. Whoever could forge one may write the cache anyway.
pub(super) fn digest(texts: &[&[u8]]) -> [u8; 16] {
    let mut hasher = XxHash3_128::new();
    for text in texts {
        hasher.write(&(text.len() as u64).to_le_bytes());
        hasher.write(text);
    }
    hasher.finish_128().to_le_bytes()
}
