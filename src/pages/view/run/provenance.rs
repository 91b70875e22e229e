//! The provenance section of a run page: identity, files, tapes and the record.

use serde::Serialize;

use crate::view::audit::{self, AuditView};
use crate::view::citation;
use crate::view::reconciliation::{self, LogComparisonView};
use crate::view::tree::{self, Tree};
use crate::view::{Badge, Fact, Link, format, task};
use base::document;
use base::links;
use formats::config::Downloads;
use formats::json::{JsonKind, Node};
use formats::model::annotation::{HarnProblem, Sidecar};
use formats::model::fields::{self, RunField};
use formats::model::tape::{Tape, TapeFormat};
use formats::model::value::JsonExcerpt;
use formats::model::{FileDigest, WithheldPart};
use markup::{Html, escape};

use super::CheckedRun;

/// Maximum bytes of the record shown as written.
const RECORD: usize = 1024 * 1024;
/// File name of the archive of the files that the agent left, next to the run page.
pub const IMPLEMENTATION_ARCHIVE: &str = "implementation.tar.gz";
/// Maximum files listed: a working tree may have thousands, and `run.json` lists all.
const MAX_FILES: usize = 100;

document! {
    /// The provenance of a run.
    pub struct ProvenanceView(s: &CheckedRun<'_>)
        let source = s.run_source();
        // An importer knows nothing of the defaults of a record, nor of most of its keys.
        let record = s.entry.run.is_imported.then(|| Node::parse(s.record).ok()).flatten();
        let is_shown = |field: &RunField| record.is_none_or(|record| is_stated(record, field.path));
        let facts = fields::labeled(|field| field.fact);
        let facts = facts.into_iter().filter(|(field, _)| is_shown(field)).map(|(field, label)| {
            let value = format::value((field.get)(&source));
            let value = format::text(value.as_ref());
            if field.is_code {
                Fact::code(label.name, value)
            } else {
                Fact::new(label.name, value)
            }
        });
        let gg = [
            ("Input of gg", s.details.subject.gg_capability_set),
            ("gg’s report of its session", s.details.subject.gg_summary),
        ];
        let is_published = s.config.publish.downloads != Downloads::None;
    {
        /// Identity, environment and tooling.
        pub facts: Vec<Fact> = facts.collect(),
        /// The configuration and session of the harness gg.
        pub gg: Vec<(&'static str, Tree)> = gg
            .into_iter()
            .filter_map(|(title, value)| Some((title, tree::tree(&JsonExcerpt::of(value?)))))
            .collect(),
        /// The source that the run was imported from.
        pub import: Option<Tree> = s
            .details
            .import
            .map(|import| tree::tree(&JsonExcerpt::of(import))),
        /// The input files, except those of the archive, which are listed separately.
        pub files: Vec<FileView> = s
            .digests
            .iter()
            .filter(|file| s.archive.is_none() || !s.inspection.implementation.contains(&file.path))
            .map(FileView::of)
            .collect(),
        /// Withheld parts of these files.
        pub withheld: Vec<WithheldView> = s
            .withheld
            .iter()
            .map(|it| WithheldView::of(s, it))
            .collect(),
        /// Whether any downloadable file differs from the recorded one.
        pub is_rewritten: bool = is_published
            && (s.digests.iter())
                .any(|file| file.published.is_some() && s.downloads.contains(&file.path)),
        /// Whether any files are not published on this site.
        pub is_unpublished: bool = !is_published && !s.downloads.is_empty(),
        /// The archive of the files that the agent left, if published.
        pub implementation: Option<ImplementationView> = s
            .archive
            .map(|bytes| ImplementationView::of(s, bytes)),
        pub tapes: Vec<TapeView> = s
            .inspection
            .tapes
            .iter()
            .zip(&s.inspection.sidecars)
            .map(|(tape, sidecar)| TapeView::of(tape, sidecar.as_ref(), is_published))
            .collect(),
        /// The comparison of logs and record.
        pub reconciliation: Vec<LogComparisonView> = s
            .inspection
            .reconciliation
            .as_ref()
            .map(reconciliation::rows)
            .unwrap_or_default(),
        /// Whether its events follow from its raw output.
        pub audit: Option<AuditView> = audit::audit(s, usize::MAX),
        /// The record as written.
        pub record: Html = escape::text(format::truncated(s.displayed_record, RECORD)),
        /// Whether it is truncated; run.json has all of it.
        pub record_cut: bool = s.displayed_record.len() > RECORD,
        /// How to cite the run.
        pub citation: String = citation::sentence(s),
        /// The same as BibTeX.
        pub bibtex: String = citation::bibtex(s),
        /// Whether it has a social card.
        pub card: bool = s.has_card(),
        /// The card as a Markdown image that links to the run, if the site has a `base_url`.
        pub badge: Option<String> = badge(s),
        /// Licence of the data.
        pub licence: Option<String> = s.config.policy.licence.clone(),
    }
}

/// Whether a record has a value at a path such as `subject.engineSlug`.
fn is_stated(record: Node<'_>, path: &str) -> bool {
    let value = record.find(&format!("/{}", path.replace('.', "/")));
    value.is_some_and(|value| value.kind() != JsonKind::Null)
}

document! {
    /// An input file.
    pub struct FileView(file: &FileDigest) {
        pub path: String = file.path.clone(),
        pub size: String = format::bytes(file.published_bytes()),
        /// Its digest.
        pub blake3: String = file.published_blake3().to_owned(),
        /// Size and digest of the recorded file, if parts of it are withheld.
        pub recorded: Option<(String, String)> = (file.published.is_some())
            .then(|| (format::bytes(file.bytes), file.blake3.clone())),
    }
}

document! {
    /// The archive of the files that the agent left.
    pub struct ImplementationView(s: &CheckedRun<'_>, bytes: u64)
        let implementation = &s.inspection.implementation;
        let count = implementation.files.len();
    {
        pub archive: Link = Link::new(IMPLEMENTATION_ARCHIVE, s.own_href(IMPLEMENTATION_ARCHIVE)),
        pub size: String = format::bytes(bytes),
        /// `34 files`
        pub count: String = format::count(count, "file"),
        /// Total size of the files.
        pub unpacked: String = format::bytes(implementation.bytes()),
        /// Excluded entries: `2 hidden files or folders and 1 link`.
        pub left_out: Option<String> = (implementation.left_out.total() > 0).then(|| implementation.left_out.words()),
        /// The first files.
        pub files: Vec<FileView> = implementation
            .files
            .iter()
            .take(MAX_FILES)
            .map(|file| FileView::of(&file.digest))
            .collect(),
        /// Number of further files, if not all are listed.
        pub more: Option<String> = format::more(count, MAX_FILES, "file"),
    }
}

document! {
    /// A withheld span of a file, or a withheld file.
    pub struct WithheldView(s: &CheckedRun<'_>, withheld: &WithheldPart)
        let tape = s
            .inspection
            .tapes
            .iter()
            .position(|tape| tape.file == withheld.file);
        let layout = tape.and_then(|at| s.layouts.get(at));
        let page = links::run(&s.entry.slug);
        let href = withheld
            .event
            .and_then(|event| layout?.numbered_href(&page, event));
        let place = match (withheld.event, withheld.line) {
            (Some(event), _) => format!("event {event}"),
            (None, Some(line)) => format!("line {line}"),
            (None, None) => String::new(),
        };
    {
        pub file: String = withheld.file.clone(),
        /// The event or the line; an event is a link.
        pub event: Link = href.map_or_else(
            || Link::new(place.clone(), ""),
            |href| Link::new(&place, href),
        ),
        /// The value.
        pub pointer: String = withheld.pointer.clone().unwrap_or_default(),
        pub reason: String = match &withheld.note {
            Some(note) => format!("{}: {note}", withheld.reason),
            None => withheld.reason.to_owned(),
        },
        /// `48 characters`
        pub length: String = withheld.length.map_or_else(
            || "the whole file".to_owned(),
            |length| format::count(length, "character"),
        ),
        /// The date.
        pub at: String = withheld.at.clone().unwrap_or_default(),
        /// The commitment to the withheld text.
        pub commitment: String = withheld.commitment.clone().unwrap_or_default(),
    }
}

document! {
    /// The identity of a tape, and the validation of its sidecar.
    pub struct TapeView(tape: &Tape<'_>, sidecar: Option<&Sidecar<'_>>, is_published: bool) {
        pub file: String = tape.file.clone(),
        /// `event log`, `Harn tape` or `trace`.
        pub format: &'static str = match tape.format {
            TapeFormat::Events => "event log",
            TapeFormat::Harn => "Harn tape",
            TapeFormat::Trace => "trace",
        },
        pub content_hash: String = tape.content_hash.clone(),
        /// A note about its published parts, if needed.
        pub holds: Option<&'static str> = match tape.format {
            _ if tape.withheld > 0 => Some(WITHHELD_NOTE),
            TapeFormat::Events => None,
            _ if !is_published => None,
            TapeFormat::Harn => Some(HARN_NOTE),
            TapeFormat::Trace => Some(TRACE_NOTE),
        },
        /// Facts of its header, each name with all its values.
        pub header: Vec<(&'static str, Vec<String>)> = header(&tape.header),
        pub sidecar: Option<SidecarView> = sidecar.map(|sidecar| {
            let stale = sidecar
                .report
                .problems
                .iter()
                .any(|p| matches!(p, HarnProblem::TapeDigestMismatch { .. }));
            let digest = match (&sidecar.stated_hash, stale) {
                (None, _) => Badge::new("not stated", "none"),
                (Some(_), true) => Badge::new("differs from the tape", "bad"),
                (Some(_), false) => Badge::new("matches the tape", "good"),
            };
            let problems = sidecar.report.problems.len();
            let problems = if problems == 0 {
                "no problems".to_owned()
            } else {
                format::count(problems, "problem")
            };
            SidecarView {
                file: sidecar.file.clone(),
                digest,
                report: format!(
                    "{} checked, {problems}",
                    format::count(sidecar.report.annotations_checked, "annotation")
                ),
                kinds: sidecar
                    .report
                    .kind_counts
                    .iter()
                    .map(|(kind, count)| (kind.to_owned(), count))
                    .collect(),
            }
        }),
    }
}

#[derive(Debug, Serialize)]
pub struct SidecarView {
    pub file: String,
    /// Whether the digest in its header matches the tape.
    pub digest: Badge,
    /// `8 annotations checked, no problems`
    pub report: String,
    /// Number of annotations of each kind.
    pub kinds: Vec<(String, usize)>,
}

const HARN_NOTE: &str = "A Harn tape is published as it was recorded. It may contain prompts, messages, model responses, tool results, file contents, command lines and paths, except what the recorder itself omitted or removed.";

const WITHHELD_NOTE: &str =
    "This site withholds reasoning. The file is not published, because it contains some.";
const TRACE_NOTE: &str = "A trace is published as it was recorded. It may contain messages, reasoning, arguments and results of tools, diffs and paths, except what its writer left out.";

/// `[![pong by lark](https://…/og.png)](https://…/)`
fn badge(s: &CheckedRun<'_>) -> Option<String> {
    let page = links::run(&s.entry.slug);
    let card = s.has_card().then(|| links::card(&page))?;
    let card = s.config.site.address(&card)?;
    let page = s.config.site.address(links::directory(&page))?;
    let mut escaped = String::new();
    for c in task::title(&s.entry.run, s.task).chars() {
        if c.is_ascii_punctuation() {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    Some(format!("[![{escaped}]({card})]({page})"))
}

/// The facts of a header. Those of one name follow each other, as those of several sources do, and become one.
fn header(facts: &[(&'static str, String)]) -> Vec<(&'static str, Vec<String>)> {
    let same_name = facts.chunk_by(|(name, _), (next, _)| name == next);
    let fact = |facts: &[(&'static str, String)]| {
        let (name, _) = facts.first()?;
        let values = facts.iter().map(|(_, value)| value.clone());
        Some((*name, values.collect()))
    };
    same_name.filter_map(fact).collect()
}
