//! What a build keeps of a run after its pages are made: in memory for the lists, in the cache for the next build, and in a part
//! for a merge.
//!
//! Only the program that wrote a cache or a part reads it, so a changed field needs no new version.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use twox_hash::XxHash3_128;

use base::diagnostics::Diagnostic;
use content::load::Input;
use formats::model::findings::{Findings, Slice, SpooledTexts};
use store::cache::{Piece, Reader};
use store::publish::OutputFile;
use store::spool::Texts;

/// What lists and the outcome of a build need of a run: small, whatever the size of the run. Of a run with an invalid record, only
/// the problems and allowances.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct RunSummary {
    /// Its place among the run directories.
    #[serde(skip)]
    pub(super) directory: usize,
    pub(super) findings: Findings,
    /// Sorted; without those of the record.
    pub(super) problems: Vec<Diagnostic>,
    /// Indices of the allowances of secrets that it needs.
    pub(super) used: BTreeSet<usize>,
    /// Zeros if no pages were made.
    pub(super) facets: Facets,
    /// Size of its input files in bytes.
    pub(super) read: u64,
    /// Whether this build checked it. The results of other runs are those of an earlier build or of a part.
    #[serde(skip)]
    pub(super) is_checked: bool,
    /// Where the cache of this build has it; `None` if no pages were made.
    #[serde(skip)]
    pub(super) cached: Option<RunPieces>,
}

impl RunSummary {
    pub(super) fn of_problem(problem: Diagnostic) -> Self {
        Self {
            problems: vec![problem],
            ..Self::default()
        }
    }

    /// The summary of a run that has no pages, and so no texts.
    pub(super) fn without_texts(mut self) -> Self {
        self.findings.spooled = SpooledTexts::default();
        Self {
            cached: None,
            facets: Facets::default(),
            ..self
        }
    }

    pub(super) fn has_errors(&self) -> bool {
        self.problems.iter().any(Diagnostic::is_error)
    }
}

/// The summaries of all runs, or of those of a shard.
#[derive(Debug)]
pub struct RunSummaries {
    /// Runs of the archive, in its order.
    pub(super) valid: Vec<RunSummary>,
    /// Runs with invalid records.
    pub(super) invalid: Vec<RunSummary>,
}

impl RunSummaries {
    /// Whether runs of the archive turned out to have errors.
    pub fn have_errors(&self) -> bool {
        self.valid.iter().any(RunSummary::has_errors)
    }
}

/// A run in a cache or in a part: its summary, its pages, and everything that they depend on besides the frame.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct CachedRun {
    /// The files of the run directory; `None` if they may change unnoticed, or if no pages were made.
    pub(super) inputs: Option<Vec<Input>>,
    /// A digest of what the page shows of the archive.
    pub(super) archive_context: [u8; 16],
    /// Ids of the runs that it names.
    pub(super) named: Vec<String>,
    pub(super) is_newest: bool,
    /// A digest of the rules that apply to it.
    pub(super) rules: [u8; 32],
    /// Its published files; `None` if no pages were made.
    pub(super) files: Option<Vec<OutputFile>>,
    /// The places in its findings count from the beginning of its texts.
    pub(super) summary: RunSummary,
}

/// Where a cache or a part has a run.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct RunPieces {
    /// The [`CachedRun`].
    pub(super) run: Piece,
    /// Its texts, as spooled.
    pub(super) texts: Piece,
}

impl RunPieces {
    /// Reads the run; `None` if it is damaged.
    pub(super) fn read(&self, reader: &Reader) -> Option<CachedRun> {
        let mut run: CachedRun = postcard::from_bytes(&reader.piece(self.run)?).ok()?;
        let texts = self.texts.bytes();
        let mut places = run.summary.findings.spooled.places();
        places.all(|place| place.is_within(texts)).then_some(())?;
        drop(places);
        Some(run)
    }
}

impl CachedRun {
    /// The summary, if the texts of the run begin at this place of the spool.
    pub(super) fn into_summary(self, cached: Option<RunPieces>, texts: u64) -> RunSummary {
        let mut summary = self.summary;
        summary.findings.spooled = summary.findings.spooled.behind(texts);
        RunSummary { cached, ..summary }
    }
}

/// Digests by [`Facet`].
pub(super) type Facets = [[u8; 8]; Facet::COUNT];

/// The parts of a run that list pages depend on, apart from its record.
#[derive(Debug, Clone, Copy)]
pub(super) enum Facet {
    /// The findings that tables show.
    Listed,
    Lines,
    Friction,
    Hypotheses,
    Anchors,
    Labels,
    Agreement,
    Writeup,
    Failures,
    Messages,
    Compare,
    Newest,
    Cards,
    Threads,
}

impl Facet {
    pub(super) const COUNT: usize = Self::Threads as usize + 1;
}

/// Digests of the facets of a run with these texts.
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
        spooled: SpooledTexts::default(),
        ..findings.clone()
    };
    // Writing plain values into memory cannot fail.
    let listed = postcard::to_stdvec(&listed).unwrap_or_default();
    [
        facet(&[&listed]),
        text(spooled.lines),
        text(spooled.friction),
        text(spooled.hypotheses),
        text(spooled.anchors),
        text(spooled.labels),
        text(spooled.agreement),
        text(spooled.writeup),
        text(spooled.failures),
        text(spooled.messages),
        facet(&compare),
        facet(&newest),
        facet(&cards),
        facet(&threads),
    ]
}

/// Short digest of a facet, which is only compared with that of the last build.
fn facet(texts: &[&[u8]]) -> [u8; 8] {
    digest(texts).first_chunk().copied().unwrap_or_default()
}

/// Digest of several texts. It need not resist forgery: whoever could forge one can write to the cache.
pub(super) fn digest(texts: &[&[u8]]) -> [u8; 16] {
    let mut hasher = XxHash3_128::new();
    for text in texts {
        hasher.write(&(text.len() as u64).to_le_bytes());
        hasher.write(text);
    }
    hasher.finish_128().to_le_bytes()
}
