//! Knows `run.json`: one run whole, its record verbatim.

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::value::RawValue;

use crate::config::Config;
use crate::diagnostics::{Diagnostic, json};
use crate::model::FileDigest;
use crate::model::annotation::Sidecar;
use crate::model::reconciliation::Reconciliation;
use crate::model::review::{Rating, Review};
use crate::model::tape::{Format, Tape};
use crate::model::threads::{Thread, Threads};
use crate::model::transcript::{Conversation, Withheld};
use crate::render::Html;
use crate::view::links;

use super::SCHEMA_VERSION;
use super::annotations::AnnotationDocument;
use super::archive::address;
use super::reconciliation::ReconciliationDocument;
use super::report::HarnReport;

/// The document.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RunDocument<'a> {
    schema_version: u32,
    slug: &'a str,
    url: String,
    record: &'a RawValue,
    review: Option<ReviewDocument<'a>>,
    tapes: Vec<TapeDocument<'a>>,
    reconciliation: Option<ReconciliationDocument<'a>>,
    annotations: Vec<AnnotationDocument<'a>>,
    threads: Option<ThreadsDocument<'a>>,
    transcript: Option<TranscriptDocument<'a>>,
    files: Vec<FileDocument<'a>>,
    diagnostics: Vec<json::Entry<'a>>,
}

#[derive(Debug, Serialize)]
struct ReviewDocument<'a> {
    rating: Option<&'static str>,
    ratings: Vec<DomainDocument<'a>>,
    checklist: Vec<ItemDocument<'a>>,
    markdown: &'a str,
    html: &'a str,
}

#[derive(Debug, Serialize)]
struct DomainDocument<'a> {
    domain: &'a str,
    rating: Option<&'static str>,
}

#[derive(Debug, Serialize)]
struct ItemDocument<'a> {
    id: &'a str,
    status: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'a str>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct TapeDocument<'a> {
    file: &'a str,
    format: &'static str,
    events: usize,
    content_hash: &'a str,
    sidecar: Option<SidecarDocument<'a>>,
}

#[derive(Debug, Serialize)]
struct SidecarDocument<'a> {
    file: &'a str,
    header: &'a RawValue,
    report: HarnReport<'a>,
}

#[derive(Debug, Serialize)]
struct FileDocument<'a> {
    path: &'a str,
    bytes: u64,
    blake3: &'a str,
}

/// The public part of the transcript.
#[derive(Debug, Serialize)]
struct TranscriptDocument<'a> {
    id: Option<&'a str>,
    state: &'a str,
    messages: Vec<MessageDocument<'a>>,
    events: Vec<AsideDocument<'a>>,
    assets: Vec<AssetDocument<'a>>,
    withheld: WithheldDocument,
    #[serde(rename = "withheldEvents")]
    withheld_events: WithheldDocument,
}

/// A public event that is no turn.
#[derive(Debug, Serialize)]
struct AsideDocument<'a> {
    kind: &'a str,
    role: &'a str,
    text: &'a str,
}

/// A turn with its public blocks as written.
#[derive(Debug, Serialize)]
struct MessageDocument<'a> {
    role: &'a str,
    content: Vec<&'a RawValue>,
}

/// A public asset and where its file stands, relative to the site's root.
#[derive(Debug, Serialize)]
struct AssetDocument<'a> {
    id: &'a str,
    name: &'a str,
    path: Option<String>,
}

#[derive(Debug, Serialize)]
struct WithheldDocument {
    internal: usize,
    private: usize,
}

impl From<Withheld> for WithheldDocument {
    fn from(withheld: Withheld) -> Self {
        Self {
            internal: withheld.internal,
            private: withheld.private,
        }
    }
}

/// The channel's state after all actions.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ThreadsDocument<'a> {
    resource: Option<&'a str>,
    annotation_count: usize,
    entry_count: usize,
    annotations: Vec<ThreadDocument<'a>>,
}

/// A thread as written.
#[derive(Debug)]
struct ThreadDocument<'a> {
    members: Vec<(&'a str, &'a RawValue)>,
    entries: Vec<&'a RawValue>,
}

impl Serialize for ThreadDocument<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (key, value) in &self.members {
            map.serialize_entry(key, value)?;
        }
        map.serialize_entry("entries", &self.entries)?;
        map.end()
    }
}

/// What the document is made of.
#[derive(Debug)]
pub struct Sources<'a> {
    /// Settings.
    pub config: &'a Config,
    /// The run's address.
    pub slug: &'a str,
    /// Its record as written.
    pub record: &'a str,
    /// Its review, and that as HTML.
    pub review: Option<(&'a Review, &'a Html)>,
    /// How far its logs agree with its record.
    pub reconciliation: Option<&'a Reconciliation>,
    /// Its tapes.
    pub tapes: &'a [Tape<'a>],
    /// Their sidecars.
    pub sidecars: &'a [Option<Sidecar<'a>>],
    /// The public part of its transcript.
    pub conversation: Option<&'a Conversation<'a>>,
    /// Its review threads.
    pub threads: Option<&'a Threads<'a>>,
    /// Its files.
    pub files: &'a [FileDigest],
    /// What was noticed in it.
    pub diagnostics: &'a [Diagnostic],
}

/// Makes the document.
///
/// # Errors
/// Never in practice: what is passed on as written was parsed before.
pub fn document<'a>(s: &Sources<'a>) -> serde_json::Result<RunDocument<'a>> {
    let mut annotations = Vec::new();
    let mut tapes = Vec::new();
    for (tape, sidecar) in s.tapes.iter().zip(s.sidecars) {
        let sidecar = match sidecar {
            Some(sidecar) => {
                for annotation in &sidecar.annotations {
                    annotations.push(AnnotationDocument::new(None, tape, annotation)?);
                }
                let header = serde_json::from_str(sidecar.header.0)?;
                Some(SidecarDocument {
                    file: &sidecar.file,
                    header,
                    report: HarnReport::from(&sidecar.report),
                })
            }
            None => None,
        };
        tapes.push(TapeDocument {
            file: &tape.file,
            format: match tape.format {
                Format::Events => "events",
                Format::Harn => "harn",
            },
            events: tape.events.len(),
            content_hash: &tape.content_hash,
            sidecar,
        });
    }
    Ok(RunDocument {
        schema_version: SCHEMA_VERSION,
        slug: s.slug,
        url: address(s.config, &links::run(s.slug)),
        record: serde_json::from_str(s.record)?,
        review: s.review.map(|(review, html)| review_document(review, html)),
        tapes,
        reconciliation: s.reconciliation.map(ReconciliationDocument::from),
        annotations,
        threads: s.threads.map(threads_document).transpose()?,
        transcript: s
            .conversation
            .map(|conversation| transcript_document(s.slug, conversation))
            .transpose()?,
        files: s
            .files
            .iter()
            .map(|file| FileDocument {
                path: &file.path,
                bytes: file.bytes,
                blake3: &file.blake3,
            })
            .collect(),
        diagnostics: s.diagnostics.iter().map(json::Entry::from).collect(),
    })
}

fn transcript_document<'a>(
    slug: &str,
    conversation: &'a Conversation<'a>,
) -> serde_json::Result<TranscriptDocument<'a>> {
    let messages = conversation
        .turns
        .iter()
        .map(|turn| {
            let content = turn
                .parts
                .iter()
                .map(|part| serde_json::from_str(part.verbatim.0));
            Ok(MessageDocument {
                role: &turn.role,
                content: content.collect::<serde_json::Result<_>>()?,
            })
        })
        .collect::<serde_json::Result<_>>()?;
    let assets = conversation.assets.iter().map(|asset| AssetDocument {
        id: &asset.id,
        name: &asset.name,
        path: asset
            .file
            .as_ref()
            .map(|file| links::run_file(slug, &format!("assets/{}", file.name))),
    });
    Ok(TranscriptDocument {
        id: conversation.id.as_deref(),
        state: &conversation.state,
        messages,
        assets: assets.collect(),
        events: conversation
            .asides
            .iter()
            .map(|aside| AsideDocument {
                kind: &aside.kind,
                role: &aside.role,
                text: &aside.text,
            })
            .collect(),
        withheld: conversation.withheld.into(),
        withheld_events: conversation.withheld_events.into(),
    })
}

fn threads_document<'a>(threads: &'a Threads<'a>) -> serde_json::Result<ThreadsDocument<'a>> {
    let annotations = threads
        .threads
        .iter()
        .map(thread_document)
        .collect::<serde_json::Result<_>>()?;
    Ok(ThreadsDocument {
        resource: threads.channel.as_deref(),
        annotation_count: threads.threads.len(),
        entry_count: threads.entry_count(),
        annotations,
    })
}

fn thread_document<'a>(thread: &'a Thread<'a>) -> serde_json::Result<ThreadDocument<'a>> {
    let entries: Vec<&RawValue> = thread
        .written
        .entries
        .iter()
        .map(|entry| serde_json::from_str(entry.raw))
        .collect::<serde_json::Result<_>>()?;
    let members = thread
        .written
        .members
        .iter()
        .filter(|(key, _)| key != "entries")
        .map(|(key, raw)| Ok((key.as_str(), serde_json::from_str(raw)?)))
        .collect::<serde_json::Result<_>>()?;
    Ok(ThreadDocument { members, entries })
}

fn review_document<'a>(review: &'a Review, html: &'a Html) -> ReviewDocument<'a> {
    ReviewDocument {
        rating: review.rating.map(Rating::word),
        ratings: review
            .domains
            .iter()
            .map(|(domain, rating)| DomainDocument {
                domain,
                rating: rating.map(Rating::word),
            })
            .collect(),
        checklist: review
            .checklist
            .iter()
            .map(|item| ItemDocument {
                id: &item.id,
                status: &item.status,
                note: item.note.as_deref(),
            })
            .collect(),
        markdown: &review.body,
        html: html.as_str(),
    }
}
