//! What remains of a run after its pages are made: in memory for the lists, in the cache for the next build, and in a part
//! for a merge.
//!
//! Only the program that wrote a cache or a part reads it, so a changed field needs no new version.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use twox_hash::XxHash3_128;

use base::diagnostics::Diagnostic;
use content::load::RunInput;
use formats::model::findings::{Findings, PackedDigests};
use pages::feeds::annotations::AnnotationLines;
use pages::view::data::search::EventText;
use store::cache::{CachePiece, CacheReader};
use store::publish::OutputFile;

/// What lists and the outcome of a build need of a run: small, whatever the size of the run. Of a run with an invalid record, only
/// the problems and allowances. The cache and a part also have its pages, and all that they depend on besides the frame.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct RunSummary {
    /// Its place among the run directories.
    #[serde(skip)]
    pub(super) directory: usize,
    pub(super) findings: Findings,
    /// Sorted; without those of the record.
    pub(super) problems: Vec<Diagnostic>,
    /// Indices of the allowances of secrets that it needs.
    pub(super) used_allowances: BTreeSet<usize>,
    /// Digests of what lists depend on; zeros if no pages were made.
    pub(super) facets: Facets,
    /// Size of its input files in bytes.
    pub(super) read: u64,
    /// Whether this build checked it. The results of other runs are those of an earlier build or of a part.
    #[serde(skip)]
    pub(super) is_checked: bool,
    /// The place of the run in the cache of this build; `None` if no pages were made.
    #[serde(skip)]
    pub(super) cached: Option<RunPieces>,
    /// The files of the run directory; `None` if they may change unnoticed, or if no pages were made.
    pub(super) inputs: Option<Vec<RunInput>>,
    /// A digest of what the page shows of the archive.
    pub(super) archive_context: [u8; 16],
    /// Ids of the runs that it names.
    pub(super) named: Vec<String>,
    pub(super) is_newest: bool,
    /// A digest of the rules that apply to it.
    pub(super) rules: [u8; 32],
    /// Its published files; `None` if no pages were made.
    pub(super) files: Option<Vec<OutputFile>>,
}

impl RunSummary {
    pub(super) fn of_problem(problem: Diagnostic) -> Self {
        Self {
            problems: vec![problem],
            ..Self::default()
        }
    }

    pub(super) fn has_errors(&self) -> bool {
        self.problems.iter().any(Diagnostic::is_error)
    }

    /// The same without the lists that only the cache needs, which has the run there.
    pub(super) fn in_cache(self, pieces: RunPieces) -> Self {
        Self {
            cached: Some(pieces),
            inputs: None,
            named: Vec::new(),
            files: None,
            ..self
        }
    }
}

/// The summaries of all runs, or of those of a shard.
#[derive(Debug)]
pub(super) struct RunSummaries {
    /// Runs of the archive, in its order.
    pub(super) valid: Vec<RunSummary>,
    /// Runs with invalid records.
    pub(super) invalid: Vec<RunSummary>,
}

impl RunSummaries {
    /// Whether runs of the archive turned out to have errors.
    pub(super) fn have_errors(&self) -> bool {
        self.valid.iter().any(RunSummary::has_errors)
    }
}

/// The place of a run in a cache or a part.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct RunPieces {
    /// The place of its [`RunSummary`].
    pub(super) run: CachePiece,
    /// The place of its [`RunTexts`].
    pub(super) texts: CachePiece,
}

impl RunPieces {
    /// Reads the run; `None` if it is damaged.
    pub(super) fn read(&self, reader: &CacheReader) -> Option<RunSummary> {
        postcard::from_bytes(&reader.piece(self.run)?).ok()
    }
}

/// The texts of a run for feeds and scripts. Those of all runs would take too much memory, so they stay in the cache until they
/// are copied.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct RunTexts {
    /// Lines of the feeds of annotations.
    pub(super) lines: AnnotationLines,
    /// The tapes of the run in `agreement.json`.
    pub(super) agreement: String,
    /// Lines of `threads.jsonl`, the newest thread first.
    pub(super) threads: String,
    /// The beginning of the writeup, as plain text.
    pub(super) writeup: String,
    /// The failures that search finds.
    pub(super) failures: Vec<EventText>,
    /// The messages that search finds.
    pub(super) messages: Vec<EventText>,
    /// The data for comparisons of the run, then of each further tape.
    pub(super) compared: Vec<String>,
}

impl RunTexts {
    pub(super) fn bytes(&self) -> Vec<u8> {
        bytes(self)
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
pub(super) fn facets(findings: &Findings, texts: &RunTexts) -> Facets {
    let listed = Findings {
        digests: PackedDigests::default(),
        cards: Vec::new(),
        thread_cards: Vec::new(),
        newest: Vec::new(),
        quote: None,
        compared: Vec::new(),
        ..findings.clone()
    };
    let lines = &texts.lines;
    let card = |place: &usize| findings.cards.get(*place);
    let (newest, quote) = (
        findings.newest.iter().map(card),
        findings.quote.as_ref().map(card),
    );
    [
        facet(&listed),
        facet(&lines.all),
        facet(&lines.friction),
        facet(&lines.hypotheses),
        facet(&lines.anchors),
        facet(&lines.labels),
        facet(&texts.agreement),
        facet(&texts.writeup),
        facet(&texts.failures),
        facet(&texts.messages),
        facet(&texts.compared),
        facet(&(newest.collect::<Vec<_>>(), quote)),
        facet(&findings.cards),
        facet(&(&texts.threads, &findings.thread_cards)),
    ]
}

/// Short digest of a facet, which is only compared with that of the last build.
fn facet(value: &impl Serialize) -> [u8; 8] {
    let digest = digest(value);
    digest.first_chunk().copied().unwrap_or_default()
}

/// Hashes a text with its length, so that different lists of texts have different digests.
pub(super) fn hash_text(hasher: &mut blake3::Hasher, text: &str) {
    hasher.update(&(text.len() as u64).to_le_bytes());
    hasher.update(text.as_bytes());
}

/// Digest of a value. It need not resist forgery: whoever could forge one can write to the cache.
pub(super) fn digest(value: &impl Serialize) -> [u8; 16] {
    XxHash3_128::oneshot(&bytes(value)).to_le_bytes()
}

fn bytes(value: &impl Serialize) -> Vec<u8> {
    // Writing plain values into memory cannot fail.
    postcard::to_stdvec(value).unwrap_or_default()
}
