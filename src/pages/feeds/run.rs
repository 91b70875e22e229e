//! `run.json`: a whole run, its record verbatim.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use base::diagnostics::json as problems;
use base::links;
use base::shapes;
use formats::audit::Audit;
use formats::config::Downloads;
use formats::model::annotation::{HarnReport, Sidecar};
use formats::model::reconciliation::Reconciliation;
use formats::model::review::{ChecklistItem, Rating, Review};
use formats::model::rule_result::RuleResult;
use formats::model::steps::{Step, Steps};
use formats::model::tape::{EventOutcome, Tape};
use formats::model::threads::Threads;
use formats::model::{FileDigest, WithheldPart};
use markup::Html;

use crate::view::run::CheckedRun;
use crate::view::timeline::Layout;

use super::annotations::AnnotationDocument;
use super::archive::{RatingWord, TierWord, address};
use super::raw;
use super::threads::ThreadDocument;
use super::transcript::TranscriptDocument;
use base::shapes::SCHEMA_VERSION;

/// `run.json`: all data of one run. Keys are in camelCase, except in objects that are copied from an input.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunDocument<'a> {
    /// Version of this format.
    #[schemars(with = "shapes::Version")]
    schema_version: u32,
    /// Slug of the run, used in its address.
    slug: &'a str,
    /// Canary of the benchmark; absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    canary: Option<&'a str>,
    /// Its page: absolute when the site has a `base_url`, else relative to its root.
    #[schemars(with = "shapes::PageAddress")]
    url: String,
    /// The run record as written, with unknown keys and all digits.
    #[schemars(with = "shapes::AsWritten")]
    record: Cow<'a, RawValue>,
    /// The review.
    review: Option<ReviewDocument<'a>>,
    /// Its tapes: the event log first, then the others by name.
    tapes: Vec<TapeDocument<'a>>,
    /// The steps of its tapes, in order: a message, a call with its result, the work of a subagent.
    #[schemars(with = "Vec<StepDocument<'a>>")]
    steps: AllSteps<'a>,
    /// How far its logs agree with its record.
    reconciliation: Option<&'a Reconciliation>,
    /// Whether its events follow from its raw log; null where `[policy] raw_audit` is `off`.
    audit: Option<&'a Audit>,
    /// What the rules of the site that apply to it say of it, in the order of the rules; absent without rules.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rules: Vec<&'a RuleResult>,
    /// The annotations of all its sidecars, in their order.
    annotations: Vec<AnnotationDocument<'a>>,
    /// Its review threads.
    threads: Option<ThreadsDocument<'a>>,
    /// The public part of its transcript.
    transcript: Option<TranscriptDocument<'a>>,
    /// Every file of its directory that runpress reads, published or not, including those that other files refer to. If the
    /// implementation is published, also every file of its archive.
    files: Vec<FileDocument<'a>>,
    /// What of the files is withheld; absent where nothing is.
    #[serde(skip_serializing_if = "<[WithheldPart]>::is_empty")]
    withheld: &'a [WithheldPart],
    /// Problems of its files.
    diagnostics: Vec<problems::DiagnosticEntry<'a>>,
}

document! {
    /// A review: `writeup.md`.
    #[schemars(rename = "Review")]
    struct ReviewDocument<'a>(review: &'a Review, html: &'a Html) {
        /// The worst of all ratings, or without any the grade of the item `overall`; null is unrated.
        #[schemars(with = "Option<RatingWord>")]
        rating: Option<&'static str> = review.rating.map(Rating::word),
        /// Ratings of domains, in the order of the file.
        ratings: Vec<DomainDocument<'a>> = review.domains.iter().map(|(domain, rating)| DomainDocument::of(domain, *rating)).collect(),
        /// The checklist, in the order of the file.
        checklist: &'a [ChecklistItem] = &review.checklist,
        /// The text as written, in Markdown.
        markdown: &'a str = &review.body,
        /// The text as the page shows it, already filtered.
        html: &'a str = html.as_str(),
    }
}

document! {
    /// The rating of a domain.
    #[schemars(rename = "DomainRating")]
    struct DomainDocument<'a>(domain: &'a str, rating: Option<Rating>) {
        /// The domain.
        domain: &'a str = domain,
        /// Rating; null if unrecognized.
        #[schemars(with = "Option<TierWord>")]
        rating: Option<&'static str> = rating.map(Rating::word),
    }
}

document! {
    /// A tape.
    #[serde(rename_all = "camelCase")]
    #[schemars(rename = "Tape")]
    struct TapeDocument<'a>(tape: &'a Tape<'a>, sidecar: Option<SidecarDocument<'a>>) {
        /// Its name.
        file: &'a str = &tape.file,
        /// `events` for Test Cabinet's event log, `harn` for a Harn tape, `trace` for a trace.
        #[schemars(extend("enum" = ["events", "harn", "trace"]))]
        format: &'static str = tape.format.word(),
        /// Number of events.
        events: usize = tape.events.len(),
        /// Content hash: the `tape_content_hash` for the header of a sidecar.
        #[schemars(with = "shapes::Blake3")]
        content_hash: &'a str = &tape.content_hash,
        /// Its sidecar.
        sidecar: Option<SidecarDocument<'a>> = sidecar,
    }
}

document! {
    /// A step: events that belong together.
    #[serde(rename_all = "camelCase")]
    #[schemars(rename = "Step")]
    struct StepDocument<'a>(tape: &'a Tape<'_>, is_first: bool, steps: &Steps, step: &Step)
    let seq = |position: &usize| tape.events[*position].seq;
    {
        /// Its tape; absent for the first one.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(with = "String")]
        tape: Option<&'a str> = (!is_first).then_some(tape.file.as_str()),
        /// Number of the turn, from 1; 0 before the first. A turn begins with a message of the user, or of the agent on a tape without
        /// messages of a user.
        turn: usize = step.turn,
        /// Numbers of its events.
        events: Vec<u64> = step.events.iter().map(seq).collect(),
        /// What it is.
        #[schemars(extend("enum" = ["message", "reasoning", "command", "read", "write", "tool", "subagent", "error", "warning", "other"]))]
        kind: &'static str = step.kind.word(),
        /// `succeeded` or `failed`; absent if not recorded.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(with = "String", extend("enum" = ["succeeded", "failed"]))]
        outcome: Option<&'static str> = match step.outcome {
            EventOutcome::Succeeded => Some("succeeded"),
            EventOutcome::Failed => Some("failed"),
            EventOutcome::Unstated => None,
        },
        /// Milliseconds from its first to its last event; absent if not known.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(with = "i64")]
        duration_ms: Option<i64> = step.milliseconds,
        /// Tokens of the model calls that belong to it, of all classes; absent if not recorded.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(with = "u64")]
        tokens: Option<u64> = step.tokens,
        /// For the work of a subagent: number of the event that started it.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(with = "u64")]
        within: Option<u64> = step.parent.and_then(|parent| steps.steps[parent].events.first().map(seq)),
    }
}

/// The steps of all tapes. A run has nearly as many as events, so each is made when it is written.
#[derive(Debug)]
pub struct AllSteps<'a> {
    pub tapes: &'a [Tape<'a>],
    pub layouts: &'a [Layout<'a>],
}

impl Serialize for AllSteps<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let tapes = self.tapes.iter().zip(self.layouts).enumerate();
        serializer.collect_seq(tapes.flat_map(|(index, (tape, layout))| {
            let steps = layout.steps.steps.iter();
            steps.map(move |step| StepDocument::of(tape, index == 0, &layout.steps, step))
        }))
    }
}

document! {
    /// A sidecar; its annotations are together with those of other tapes.
    #[schemars(rename = "Sidecar")]
    struct SidecarDocument<'a>(sidecar: &'a Sidecar<'a>, header: Cow<'a, RawValue>) {
        /// Its name.
        file: &'a str = &sidecar.file,
        /// Its header as written.
        #[schemars(with = "shapes::AsWritten")]
        header: Cow<'a, RawValue> = header,
        /// Report of Harn's validator on the sidecar.
        report: &'a HarnReport = &sidecar.report,
    }
}

document! {
    /// A file of the run's directory.
    #[schemars(rename = "File")]
    struct FileDocument<'a>(file: &'a FileDigest, url: Option<String>) {
        /// Its path in the run's directory.
        path: &'a str = &file.path,
        /// Size in bytes, of what is published where parts of it are withheld.
        bytes: u64 = file.published_bytes(),
        /// BLAKE3 of these bytes.
        #[schemars(with = "shapes::Blake3")]
        blake3: &'a str = file.published_blake3(),
        /// Where it can be downloaded, if the site has a `files_base_url`.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(with = "String")]
        url: Option<String> = url,
        /// The file as it was recorded, where parts of it are withheld.
        #[serde(skip_serializing_if = "Option::is_none")]
        recorded: Option<RecordedDocument<'a>> = file.published.as_ref().map(|_| RecordedDocument::of(file)),
    }
}

document! {
    /// A file as it was recorded.
    #[schemars(rename = "RecordedFile")]
    struct RecordedDocument<'a>(file: &'a FileDigest) {
        /// Its size in bytes.
        bytes: u64 = file.bytes,
        /// BLAKE3 of its bytes.
        #[schemars(with = "shapes::Blake3")]
        blake3: &'a str = &file.blake3,
    }
}

document! {
    /// The channel's state after all actions.
    #[serde(rename_all = "camelCase")]
    #[schemars(rename = "Threads")]
    struct ThreadsDocument<'a>(threads: &'a Threads<'a>, annotations: Vec<ThreadDocument<'a>>) {
        /// URI of the channel, if recorded.
        resource: Option<&'a str> = threads.channel.as_deref(),
        /// Threads.
        annotation_count: usize = threads.threads.len(),
        /// Entries of all threads.
        entry_count: usize = threads.entry_count(),
        /// Threads that are open.
        open_count: usize = threads.open_count(),
        /// Threads that are resolved.
        resolved_count: usize = threads.threads.len() - threads.open_count(),
        /// The threads as written.
        annotations: Vec<ThreadDocument<'a>> = annotations,
    }
}

pub fn document<'a>(s: &CheckedRun<'a>) -> serde_json::Result<RunDocument<'a>> {
    let mut annotations = Vec::new();
    let mut tapes = Vec::new();
    for (tape, sidecar) in s.inspection.tapes.iter().zip(&s.inspection.sidecars) {
        let sidecar = match sidecar {
            Some(sidecar) => {
                for annotation in &sidecar.annotations {
                    annotations.push(AnnotationDocument::new(None, tape, annotation)?);
                }
                let header = raw(sidecar.header.0)?;
                Some(SidecarDocument::of(sidecar, header))
            }
            None => None,
        };
        tapes.push(TapeDocument::of(tape, sidecar));
    }
    let review = s.inspection.review.as_ref();
    let threads = match &s.inspection.threads {
        Some(threads) => {
            let written = threads.threads.iter().map(ThreadDocument::new);
            let written = written.collect::<serde_json::Result<_>>()?;
            Some(ThreadsDocument::of(threads, written))
        }
        None => None,
    };
    let conversation = s.inspection.conversation.as_ref();
    Ok(RunDocument {
        steps: AllSteps {
            tapes: &s.inspection.tapes,
            layouts: s.layouts,
        },
        schema_version: SCHEMA_VERSION,
        slug: &s.entry.slug,
        canary: s.config.policy.canary.as_deref(),
        url: address(s.config, &links::run(&s.entry.slug)),
        record: raw(s.record)?,
        review: review.map(|review| ReviewDocument::of(review, s.writeup)),
        tapes,
        reconciliation: s.inspection.reconciliation.as_ref(),
        audit: s.inspection.audit.as_ref(),
        rules: s
            .rules
            .iter()
            .filter(|result| !s.site_rules.is_about_trials(&result.rule))
            .collect(),
        annotations,
        threads,
        transcript: conversation
            .map(|conversation| TranscriptDocument::of(&s.entry.slug, conversation)),
        files: s
            .digests
            .iter()
            .map(|file| FileDocument::of(file, download(s, file)))
            .collect(),
        withheld: s.withheld,
        diagnostics: s
            .problems
            .iter()
            .map(problems::DiagnosticEntry::of)
            .collect(),
    })
}

/// The download address of a file; `None` if it is next to the document, or not published.
fn download(s: &CheckedRun<'_>, file: &FileDigest) -> Option<String> {
    let publish = &s.config.publish;
    let is_elsewhere = publish.files_base_url.is_some() && publish.downloads == Downloads::Files;
    let is_published = is_elsewhere && s.downloads.contains(&file.path);
    is_published.then(|| publish.address("", &s.own_file(&file.path)))
}
