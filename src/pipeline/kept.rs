//! What a build keeps of a run after its pages are made, and the shape in which the next build reads it: the same for a run
//! that another machine made.
//!
//! Everything here is written by [`crate::cache`] for the very same program, so a changed field needs no other version.

mod records;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use twox_hash::XxHash3_128;

use crate::cache::Piece;
use crate::diagnostics::{Diagnostic, Excerpt, Place, Severity, codes};
use crate::load::Input;
use crate::model::annotation::Counts;
use crate::model::findings::{
    Findings, NewestAnnotation, Slice, Spooled, SpooledAnnotation, SpooledCard, ThreadCounts,
};
use crate::model::review::Rating;
use crate::publish::SiteFiles;
use crate::spool::Texts;

pub use records::KnownRecords;
pub(super) use records::{RecordParts, RecordShape, Streamed};

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
    /// Where its [`RunShape`] is.
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
pub(super) struct Head<Cases = Vec<(Option<String>, String)>> {
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
    pub(super) problems: Vec<Problem>,
    pub(super) runs: usize,
    pub(super) quarantined: usize,
    pub(super) not_published: usize,
    pub(super) blocking: usize,
    /// The id and the path of each run directory.
    pub(super) cases: Cases,
    pub(super) files: u64,
    pub(super) bytes: u64,
    /// Where the [`RecordShape`]s are, with the paths of their run directories in diagnostics.
    pub(super) records: Piece,
}

/// What says where the runs are, and what was written.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Body<Files = SiteFiles, Runs = BTreeMap<String, (Piece, u64)>> {
    /// A digest of what all pages have in common.
    pub(super) frame: String,
    /// All files of the site.
    pub(super) files: Files,
    /// The [`RunShape`] of each run and how large its texts are, by the run directory's path in diagnostics.
    pub(super) runs: Runs,
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
pub(super) struct RunShape {
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
    pub(super) problems: Vec<Problem>,
    /// Indices of the allowances of secrets that it needs.
    pub(super) used: BTreeSet<usize>,
    /// As in [`Account`].
    pub(super) facets: Facets,
    /// Where its texts are in the cache, and how large they are.
    pub(super) texts: (u64, u64),
    pub(super) findings: FindingsShape,
}

/// What lists and feeds need of the run. Places of texts are among those of the run.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct FindingsShape {
    rating: Option<usize>,
    events: Option<usize>,
    density: Option<String>,
    annotations: [u32; 10],
    threads: Option<ThreadCountsShape>,
    writeup_html: Option<String>,
    digests: TextPlace,
    lines: TextPlace,
    friction: TextPlace,
    hypotheses: TextPlace,
    anchors: TextPlace,
    thread_lines: TextPlace,
    thread_cards: Vec<TextPlace>,
    writeup: TextPlace,
    failures: TextPlace,
    compare: Vec<TextPlace>,
    newest: Vec<AnnotationShape>,
    quote: Option<AnnotationShape>,
    /// Kind, group and card of each annotation.
    cards: Vec<(usize, usize, TextPlace)>,
}

#[derive(Debug, Serialize, Deserialize)]
struct ThreadCountsShape {
    channel: Option<String>,
    threads: usize,
    entries: usize,
    open: usize,
}

/// Time and place of a [`SpooledAnnotation`].
type AnnotationShape = (Option<i64>, TextPlace);

/// Kind, evidence, address and time of a [`NewestAnnotation`].
type NewestShape = (String, String, String, Option<i64>);

/// An annotation as it is spooled.
pub(super) fn newest_text(of: NewestAnnotation) -> Vec<u8> {
    let shape: NewestShape = (of.kind, of.evidence, of.href, of.at);
    // Nothing in it can fail to be written.
    postcard::to_stdvec(&shape).unwrap_or_default()
}

/// What [`newest_text`] was made of; `None` when it was made of none.
pub(super) fn newest_annotation(text: &[u8]) -> Option<NewestAnnotation> {
    let (kind, evidence, href, at): NewestShape = postcard::from_bytes(text).ok()?;
    Some(NewestAnnotation {
        kind,
        evidence,
        href,
        at,
    })
}

const fn annotation_shape(of: &SpooledAnnotation) -> AnnotationShape {
    (of.at, place(of.text))
}

/// A [`Slice`].
type TextPlace = (u64, usize);

const fn place(slice: Slice) -> TextPlace {
    (slice.at, slice.bytes)
}

/// Digests of what lists are made of, by [`Facet`]; `texts` are those of the run.
pub(super) fn facets(findings: &Findings, texts: &Texts) -> Facets {
    let spooled = &findings.spooled;
    let text = |slice: Slice| facet(&[texts.get(slice)]);
    let compare: Vec<_> = spooled.compare.iter().map(|it| texts.get(*it)).collect();
    let cards = spooled.cards.iter();
    let sorted: Vec<_> = cards.clone().map(|it| (it.kind(), it.group())).collect();
    let sorted = postcard::to_stdvec(&sorted).unwrap_or_default();
    let newest = spooled.newest.iter().chain(&spooled.quote);
    let newest: Vec<_> = newest.map(|it| texts.get(it.text)).collect();
    let cards: Vec<_> = [sorted.as_slice()]
        .into_iter()
        .chain(cards.map(|it| texts.get(it.card())))
        .collect();
    let lines = std::iter::once(&spooled.thread_lines);
    let threads = lines.chain(&spooled.threads);
    let threads: Vec<_> = threads.map(|it| texts.get(*it)).collect();
    [
        FindingsShape::listed(findings),
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

impl FindingsShape {
    fn listed(findings: &Findings) -> [u8; 8] {
        let without = Findings {
            spooled: Spooled::default(),
            ..findings.clone()
        };
        // Nothing in it can fail to be written.
        facet(&[&postcard::to_stdvec(&Self::of(&without)).unwrap_or_default()])
    }

    pub(super) fn of(findings: &Findings) -> Self {
        let spooled = &findings.spooled;
        let cards = spooled.cards.iter();
        let threads = findings.threads.as_ref();
        Self {
            rating: findings
                .rating
                .and_then(|rating| Rating::ALL.iter().position(|known| *known == rating)),
            events: findings.events,
            density: findings.density.as_deref().map(str::to_owned),
            annotations: findings.annotations.0,
            threads: threads.map(|it| ThreadCountsShape {
                channel: it.channel.clone(),
                threads: it.threads,
                entries: it.entries,
                open: it.open,
            }),
            writeup_html: findings.writeup_html.as_deref().map(str::to_owned),
            digests: place(spooled.digests),
            lines: place(spooled.lines),
            friction: place(spooled.friction),
            hypotheses: place(spooled.hypotheses),
            anchors: place(spooled.anchors),
            thread_lines: place(spooled.thread_lines),
            thread_cards: spooled.threads.iter().map(|it| place(*it)).collect(),
            writeup: place(spooled.writeup),
            failures: place(spooled.failures),
            compare: spooled.compare.iter().map(|it| place(*it)).collect(),
            newest: spooled.newest.iter().map(annotation_shape).collect(),
            quote: spooled.quote.as_ref().map(annotation_shape),
            cards: cards
                .map(|it| (it.kind(), it.group(), place(it.card())))
                .collect(),
        }
    }

    /// The findings, of a run with so many bytes of texts; `None` when a place is not among them.
    pub(super) fn into_findings(self, texts: u64) -> Option<Findings> {
        let slice = |(at, bytes): TextPlace| {
            let end = at.checked_add(u64::try_from(bytes).ok()?)?;
            (end <= texts).then_some(Slice { at, bytes })
        };
        let card = |(kind, group, card): (usize, usize, TextPlace)| {
            SpooledCard::new((kind, group), slice(card)?)
        };
        let annotation = |(at, text): AnnotationShape| {
            let text = slice(text)?;
            Some(SpooledAnnotation { at, text })
        };
        let quote = match self.quote {
            Some(quote) => Some(annotation(quote)?),
            None => None,
        };
        Some(Findings {
            rating: self
                .rating
                .and_then(|rating| Rating::ALL.get(rating))
                .copied(),
            events: self.events,
            density: self.density.map(Into::into),
            annotations: Counts(self.annotations),
            threads: self.threads.map(|it| {
                Box::new(ThreadCounts {
                    channel: it.channel,
                    threads: it.threads,
                    entries: it.entries,
                    open: it.open,
                })
            }),
            spooled: Spooled {
                digests: slice(self.digests)?,
                lines: slice(self.lines)?,
                friction: slice(self.friction)?,
                hypotheses: slice(self.hypotheses)?,
                anchors: slice(self.anchors)?,
                thread_lines: slice(self.thread_lines)?,
                threads: self
                    .thread_cards
                    .into_iter()
                    .map(slice)
                    .collect::<Option<_>>()?,
                cards: self.cards.into_iter().map(card).collect::<Option<_>>()?,
                writeup: slice(self.writeup)?,
                failures: slice(self.failures)?,
                compare: self.compare.into_iter().map(slice).collect::<Option<_>>()?,
                newest: self
                    .newest
                    .into_iter()
                    .map(annotation)
                    .collect::<Option<_>>()?,
                quote,
            },
            writeup_html: self.writeup_html.map(Into::into),
        })
    }
}

/// A [`Diagnostic`].
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Problem {
    code: String,
    severity: usize,
    place: PlaceShape,
    message: String,
    help: String,
    run: Option<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct PlaceShape {
    path: String,
    line: Option<u32>,
    column: Option<u32>,
    pointer: Option<String>,
    /// Text, and where the marked part begins and ends.
    excerpt: Option<(String, usize, usize)>,
}

impl From<&Place> for PlaceShape {
    fn from(place: &Place) -> Self {
        let place = place.clone();
        Self {
            path: place.path,
            line: place.line,
            column: place.column,
            pointer: place.pointer,
            excerpt: place.excerpt.map(|it| (it.text, it.start, it.end)),
        }
    }
}

impl PlaceShape {
    /// `None` when this was not made of a place.
    fn place(self) -> Option<Place> {
        let excerpt = match self.excerpt {
            Some((text, start, end)) => {
                text.get(start..end)?;
                Some(Excerpt { text, start, end })
            }
            None => None,
        };
        Some(Place {
            path: self.path,
            line: self.line,
            column: self.column,
            pointer: self.pointer,
            excerpt,
        })
    }
}

const SEVERITIES: [Severity; 3] = [Severity::Error, Severity::Warning, Severity::Note];

impl From<&Diagnostic> for Problem {
    fn from(problem: &Diagnostic) -> Self {
        let severity = SEVERITIES.iter().position(|it| *it == problem.severity);
        Self {
            code: problem.code.name.to_owned(),
            severity: severity.unwrap_or_default(),
            place: PlaceShape::from(&problem.place),
            message: problem.message.clone(),
            help: problem.help.clone(),
            run: problem.run.clone(),
        }
    }
}

impl Problem {
    pub(super) fn is_error(&self) -> bool {
        SEVERITIES.get(self.severity) == Some(&Severity::Error)
    }

    /// `None` when this was not made of a diagnostic.
    pub(super) fn diagnostic(self) -> Option<Diagnostic> {
        Some(Diagnostic {
            code: codes::find(&self.code)?,
            severity: *SEVERITIES.get(self.severity)?,
            place: self.place.place()?,
            message: self.message,
            help: self.help,
            run: self.run,
        })
    }
}

/// The problems of a shape; `None` when one was not made of a diagnostic.
pub(super) fn diagnostics(problems: &[Problem]) -> Option<Vec<Diagnostic>> {
    problems.iter().cloned().map(Problem::diagnostic).collect()
}
