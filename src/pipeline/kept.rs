//! What a build keeps of a run after its pages are made, and the shape in which the next build reads it: the same for a run
//! that another machine made.
//!
//! Everything here is written by [`crate::cache`] for the very same program, so a changed field needs no other version.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::cache::Piece;
use crate::diagnostics::{Diagnostic, Excerpt, Place, Severity, codes};
use crate::load::Input;
use crate::model::annotation::Counts;
use crate::model::findings::{
    Digests, Findings, NewestAnnotation, RunDigests, Slice, Spooled, SpooledCard, ThreadCounts,
};
use crate::model::review::Rating;
use crate::publish::SiteFile;
use crate::spool::Spool;

/// What is kept of a run: small, whatever the size of the run.
#[derive(Debug, Default)]
pub(super) struct KeptRun {
    pub(super) findings: Findings,
    /// Sorted.
    pub(super) problems: Vec<Diagnostic>,
    /// `None` when no pages were made, or when they cannot be reused.
    pub(super) left: Option<Left>,
}

/// What is left of a run to the next build.
#[derive(Debug, Clone)]
pub(super) struct Left {
    /// Where its [`RunShape`] is.
    pub(super) piece: Piece,
    /// Digests of what lists are made of, by [`Facet`].
    pub(super) facets: [[u8; 32]; Facet::COUNT],
}

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
    Compare,
    Cards,
}

impl Facet {
    pub(super) const COUNT: usize = Self::Cards as usize + 1;
}

impl KeptRun {
    pub(super) fn of_problem(problem: Diagnostic) -> Self {
        Self {
            problems: vec![problem],
            ..Self::default()
        }
    }

    pub(super) fn has_errors(&self) -> bool {
        self.problems.iter().any(Diagnostic::is_error)
    }
}

/// What is kept of all runs.
#[derive(Debug)]
pub struct StagedRuns {
    /// Of each run of the archive, in order.
    pub(super) valid: Vec<KeptRun>,
    /// Problems of runs whose records are not valid.
    pub(super) others: Vec<Diagnostic>,
    /// Bytes of the files of all runs.
    pub(super) read: u64,
}

impl StagedRuns {
    /// Whether runs of the archive turned out to have errors.
    #[must_use]
    pub fn have_errors(&self) -> bool {
        self.valid.iter().any(KeptRun::has_errors)
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
    pub(super) problems: Vec<Problem>,
    pub(super) runs: usize,
    pub(super) quarantined: usize,
    pub(super) not_published: usize,
    pub(super) blocking: usize,
    /// The id and the path of each run directory.
    pub(super) cases: Vec<(Option<String>, String)>,
    pub(super) files: u64,
    pub(super) bytes: u64,
}

/// What says where the runs are, and what was written.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Body {
    /// A digest of what all pages have in common.
    pub(super) frame: String,
    /// All files of the site, sorted by path.
    pub(super) files: Vec<SiteFile>,
    /// The [`RunShape`] of each run, by the run directory's path in diagnostics.
    pub(super) runs: BTreeMap<String, Piece>,
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
pub(super) struct RunShape<'a> {
    /// What is in the run directory.
    pub(super) inputs: Vec<Input>,
    /// A digest of what the page shows of the archive.
    pub(super) archive_context: [u8; 32],
    /// Ids of the runs that it names.
    pub(super) named: Vec<String>,
    pub(super) is_newest: bool,
    /// Paths of its files from the root of the site.
    pub(super) files: Vec<String>,
    /// Without those of the record.
    pub(super) problems: Vec<Problem>,
    /// As in [`Left`].
    pub(super) facets: [[u8; 32]; Facet::COUNT],
    #[serde(borrow)]
    pub(super) findings: FindingsShape<'a>,
}

/// What lists and feeds need of the run, with the pieces that are spooled while a build runs.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct FindingsShape<'a> {
    rating: Option<usize>,
    events: Option<usize>,
    annotations: BTreeMap<String, usize>,
    /// Channel, threads, entries.
    threads: Option<(Option<String>, usize, usize)>,
    /// Kind, evidence, address and time of each.
    newest: Vec<(String, String, String, Option<i64>)>,
    writeup_html: Option<String>,
    record: DigestList,
    files: DigestList,
    annotated: DigestList,
    #[serde(borrow)]
    lines: Cow<'a, str>,
    #[serde(borrow)]
    friction: Cow<'a, str>,
    #[serde(borrow)]
    hypotheses: Cow<'a, str>,
    #[serde(borrow)]
    anchors: Cow<'a, str>,
    #[serde(borrow)]
    writeup: Cow<'a, str>,
    #[serde(borrow)]
    compare: Vec<Cow<'a, str>>,
    /// Kind, group and card of each annotation.
    #[serde(borrow)]
    cards: Vec<(usize, usize, Cow<'a, str>)>,
}

/// [`Digests`] in order, of which a map is made in one go.
type DigestList = Vec<(String, String)>;

fn list(digests: &Digests) -> DigestList {
    let digests = digests.iter();
    digests
        .map(|(name, it)| (name.clone(), it.clone()))
        .collect()
}

fn map(list: DigestList) -> Digests {
    Arc::new(list.into_iter().collect())
}

impl FindingsShape<'_> {
    /// Digests of what lists are made of, by [`Facet`].
    pub(super) fn facets(&self) -> [[u8; 32]; Facet::COUNT] {
        let listed = (
            (self.rating, self.events, &self.annotations, &self.threads),
            (&self.newest, &self.writeup_html),
        );
        let text = |text: &str| blake3::hash(text.as_bytes()).into();
        [
            digest_of(&listed),
            text(&self.lines),
            text(&self.friction),
            text(&self.hypotheses),
            text(&self.anchors),
            text(&self.writeup),
            digest_of(&self.compare),
            digest_of(&self.cards),
        ]
    }

    /// `None` when a piece cannot be read back.
    pub(super) fn of(findings: &Findings, spool: &Spool) -> Option<Self> {
        let piece = |slice: Slice| {
            let bytes = spool.get(slice).ok()?;
            String::from_utf8(bytes).ok().map(Cow::Owned)
        };
        let spooled = &findings.spooled;
        let cards = spooled.cards.iter();
        let newest = findings.newest.iter().cloned();
        let threads = findings.threads.as_ref();
        Some(Self {
            rating: findings
                .rating
                .and_then(|rating| Rating::ALL.iter().position(|known| *known == rating)),
            events: findings.events,
            annotations: findings.annotations.0.clone(),
            threads: threads.map(|it| (it.channel.clone(), it.threads, it.entries)),
            newest: newest
                .map(|it| (it.kind, it.evidence, it.href, it.at))
                .collect(),
            writeup_html: findings.writeup_html.clone(),
            record: list(&findings.digests.record),
            files: list(&findings.digests.files),
            annotated: list(&findings.digests.annotations),
            lines: piece(spooled.lines)?,
            friction: piece(spooled.friction)?,
            hypotheses: piece(spooled.hypotheses)?,
            anchors: piece(spooled.anchors)?,
            writeup: piece(spooled.writeup)?,
            compare: spooled
                .compare
                .iter()
                .map(|slice| piece(*slice))
                .collect::<Option<_>>()?,
            cards: cards
                .map(|it| Some((it.kind, it.group, piece(it.card)?)))
                .collect::<Option<_>>()?,
        })
    }

    /// The findings, with their pieces in another spool.
    ///
    /// # Errors
    /// The system refuses to write a temporary file.
    pub(super) fn into_findings(self, spool: &Spool) -> Result<Findings, Diagnostic> {
        let put = |piece: &str| spool.put(piece.as_bytes());
        let card = |(kind, group, card): (usize, usize, Cow<'_, str>)| {
            let card = put(&card)?;
            Ok(SpooledCard { kind, group, card })
        };
        let newest = self.newest.into_iter();
        Ok(Findings {
            rating: self
                .rating
                .and_then(|rating| Rating::ALL.get(rating))
                .copied(),
            events: self.events,
            annotations: Counts(self.annotations),
            threads: self
                .threads
                .map(|(channel, threads, entries)| ThreadCounts {
                    channel,
                    threads,
                    entries,
                }),
            spooled: Spooled {
                lines: put(&self.lines)?,
                friction: put(&self.friction)?,
                hypotheses: put(&self.hypotheses)?,
                anchors: put(&self.anchors)?,
                cards: self
                    .cards
                    .into_iter()
                    .map(card)
                    .collect::<Result<_, Diagnostic>>()?,
                writeup: put(&self.writeup)?,
                compare: self
                    .compare
                    .iter()
                    .map(|piece| put(piece))
                    .collect::<Result<_, _>>()?,
            },
            newest: newest
                .map(|(kind, evidence, href, at)| NewestAnnotation {
                    kind,
                    evidence,
                    href,
                    at,
                })
                .collect(),
            writeup_html: self.writeup_html,
            digests: RunDigests {
                record: map(self.record),
                files: map(self.files),
                annotations: map(self.annotated),
            },
        })
    }
}

fn digest_of(value: &impl Serialize) -> [u8; 32] {
    // Nothing in it can fail to be written.
    blake3::hash(&postcard::to_stdvec(value).unwrap_or_default()).into()
}

/// A [`Diagnostic`].
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Problem {
    code: String,
    severity: usize,
    path: String,
    line: Option<u32>,
    column: Option<u32>,
    pointer: Option<String>,
    /// Text, and where the marked part begins and ends.
    excerpt: Option<(String, usize, usize)>,
    message: String,
    help: String,
    run: Option<String>,
}

const SEVERITIES: [Severity; 3] = [Severity::Error, Severity::Warning, Severity::Note];

impl From<&Diagnostic> for Problem {
    fn from(problem: &Diagnostic) -> Self {
        let place = problem.place.clone();
        let severity = SEVERITIES.iter().position(|it| *it == problem.severity);
        Self {
            code: problem.code.name.to_owned(),
            severity: severity.unwrap_or_default(),
            path: place.path,
            line: place.line,
            column: place.column,
            pointer: place.pointer,
            excerpt: place.excerpt.map(|it| (it.text, it.start, it.end)),
            message: problem.message.clone(),
            help: problem.help.clone(),
            run: problem.run.clone(),
        }
    }
}

impl Problem {
    /// `None` when this was not made of a diagnostic.
    pub(super) fn diagnostic(self) -> Option<Diagnostic> {
        let excerpt = match self.excerpt {
            Some((text, start, end)) => {
                text.get(start..end)?;
                Some(Excerpt { text, start, end })
            }
            None => None,
        };
        Some(Diagnostic {
            code: codes::find(&self.code)?,
            severity: *SEVERITIES.get(self.severity)?,
            place: Place {
                path: self.path,
                line: self.line,
                column: self.column,
                pointer: self.pointer,
                excerpt,
            },
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
