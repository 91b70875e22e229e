//! Harn's annotation sidecar (formats.md D): `<tape>.annotations.jsonl`.

use schemars::JsonSchema;
use serde::de::{Deserializer, Error};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use base::diagnostics::{Collector, Diagnostic, Source, codes};

use super::json::{self, Node, Str};
use super::jsonl::{self, Line};
use super::line_format::LineFormat;
use super::portable::{self, PortabilityProblem};

/// Suffix of a sidecar's file name, after the full name of its tape.
pub const SUFFIX: &str = ".annotations.jsonl";
/// The newest version supported (`ANNOTATION_SCHEMA_VERSION`).
pub const SCHEMA_VERSION: u32 = 1;

const FORMAT: LineFormat = LineFormat {
    file: "sidecar",
    word: "annotation",
    malformed: &codes::SIDECAR_MALFORMED_LINE,
    second_header: &codes::SIDECAR_SECOND_HEADER,
};

/// A line of a sidecar: the first is the header, every other an annotation, as its `type` says. Blank lines and lines
/// that begin with `#` are allowed anywhere. One invalid line invalidates the whole sidecar. Unknown keys are ignored.
#[derive(Debug, JsonSchema)]
#[schemars(tag = "type", rename_all = "snake_case")]
pub enum SidecarLine<'a> {
    /// The first line that is neither blank nor a comment, and no other.
    Header(SidecarHeader),
    /// An annotation of an event.
    Annotation(Annotation<'a>),
}

/// First significant line.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(rename = "Header")]
pub struct SidecarHeader {
    /// Version of the format; the newest that is read is 1.
    #[schemars(range(max = SCHEMA_VERSION))]
    pub schema_version: u32,
    /// The tape that was annotated, relative to the sidecar's folder.
    #[serde(default)]
    pub tape_path: Option<String>,
    /// The content hash of the tape that was annotated. A different hash is an error, or a warning with
    /// `stale_annotations = "warn"`.
    #[serde(default)]
    pub tape_content_hash: Option<String>,
    /// Which Harn wrote it.
    #[serde(default)]
    pub harn_version: Option<String>,
}

/// One annotation, with Harn's defaults: `id`, `links` and `metadata` may be absent but not null.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Annotation<'a> {
    /// Unique id in the file; an annotation without one is identified by its event.
    #[serde(default, borrow)]
    pub id: Str<'a>,
    /// The number of the event that it is about: `seq` of a Harn record; in `events.jsonl` the position of the line,
    /// from 0, blank lines not counted.
    pub event_id: u64,
    /// Kind of annotation: `correct`, `incorrect`, `alternative`, `note`, `marker`, `mute`, `hypothesis`,
    /// `friction` or `crystallize_here`. Any other word is a warning.
    #[serde(borrow, deserialize_with = "kind_word")]
    pub kind: Str<'a>,
    /// The comment, in Markdown.
    #[serde(borrow)]
    pub evidence: Option<Str<'a>>,
    /// What should have happened: any JSON.
    #[serde(borrow)]
    pub suggested_fix: Option<&'a RawValue>,
    /// The author.
    pub author: Option<Author>,
    /// Time of the annotation, RFC 3339 by convention.
    #[serde(borrow)]
    pub timestamp: Option<Str<'a>>,
    /// The events that it covers, if more than its own.
    pub span: Option<Span>,
    /// The status of a hypothesis. Of the listed kinds only `hypothesis` has one.
    pub hypothesis_status: Option<HypothesisStatus>,
    /// Kind of friction; of the listed kinds, only `friction` has one.
    #[serde(borrow)]
    pub friction_kind: Option<Str<'a>>,
    /// Links and references.
    #[serde(default)]
    pub links: Vec<Link>,
    /// Further data of the producer.
    #[serde(default, borrow)]
    pub metadata: Metadata<'a>,
}

impl Annotation<'_> {
    /// Its name in messages: its id, or else the number of its event.
    pub fn label(&self) -> String {
        if self.id.is_empty() {
            format!("ann@event_{}", self.event_id)
        } else {
            self.id.to_string()
        }
    }
}

/// Reads the word of a kind. As serde accepts for the variant of a tagged enum, `{"note": null}` and `{"note": {}}` equal
/// `"note"`.
fn kind_word<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Str<'de>, D::Error> {
    let raw = <&'de RawValue>::deserialize(deserializer)?.get();
    let node = Node { raw, offset: 0 };
    if let Some(word) = node.strict_str() {
        return Ok(Str(word));
    }
    let is_empty = |node: Node<'_>| {
        matches!(node.kind(), json::JsonKind::Null | json::JsonKind::Object)
            && node.members().is_empty()
    };
    match (node.kind(), node.strict_members().as_deref()) {
        (_, Some([member])) if is_empty(member.value) => Ok(Str(member.key.clone())),
        (json::JsonKind::String, _) => {
            Err(D::Error::custom(PortabilityProblem::LoneSurrogate.reason()))
        }
        (kind, _) => {
            let found = kind.described();
            Err(D::Error::custom(format!("{found} instead of a string")))
        }
    }
}

/// An object that is empty when absent, kept as written.
#[derive(Debug, Default, JsonSchema)]
#[schemars(inline)]
pub struct Metadata<'a>(#[schemars(with = "base::shapes::AsWritten")] pub Option<&'a RawValue>);

impl<'de: 'a, 'a> Deserialize<'de> for Metadata<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&'a RawValue>::deserialize(deserializer)?;
        if raw.get().starts_with('{') {
            Ok(Self(Some(raw)))
        } else {
            Err(serde::de::Error::custom(
                "invalid type: metadata must be an object",
            ))
        }
    }
}

/// The author of an annotation.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
pub struct Author {
    /// Name or handle.
    #[serde(default)]
    pub id: Option<String>,
    /// Kind of author.
    pub kind: AuthorKind,
    /// Name of the tool in which it was written.
    #[serde(default)]
    pub surface: Option<String>,
}

words! {
    /// Kind of author.
    #[derive(JsonSchema)]
    AuthorKind {
        /// A person.
        Human = "human",
        /// A program driven by a model.
        Agent = "agent",
        /// Any other program.
        System = "system",
    }
}

words! {
    /// The status of a hypothesis.
    #[derive(JsonSchema)]
    HypothesisStatus {
        /// Proposed; not checked yet.
        Active = "active",
        /// Being checked.
        Verifying = "verifying",
        /// Confirmed.
        Confirmed = "confirmed",
        /// Disproven.
        Disproven = "disproven",
        /// Outdated, because its subject has changed.
        Stale = "stale",
    }
}

/// A range of events, both ends inclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub struct Span {
    /// The first event; it must be the annotation's own.
    pub start_event_id: u64,
    /// The last event; not before the first, and not after the last of the tape.
    pub end_event_id: u64,
}

/// A reference to something elsewhere.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct Link {
    /// The words of the link.
    #[serde(default)]
    pub label: Option<String>,
    /// An address. Readers can follow an absolute `http`, `https` or `mailto` address; any other is shown as text.
    #[serde(default)]
    pub url: Option<String>,
    /// Anything that is not an address: a trace id, a ticket.
    #[serde(default)]
    pub reference: Option<String>,
}

#[derive(Debug)]
pub struct AnnotationLine<'a> {
    /// The line; its text is the annotation as written.
    pub line: Line<'a>,
    pub annotation: Annotation<'a>,
}

/// A sidecar as written.
#[derive(Debug)]
pub struct Sidecar<'a> {
    pub header: SidecarHeader,
    /// The header's line.
    pub header_line: Line<'a>,
    /// The annotations in file order.
    pub annotations: Vec<AnnotationLine<'a>>,
}

/// Reads a sidecar. As in Harn's loader, one bad line rejects the whole file, but every bad line is reported.
#[must_use]
pub fn parse<'a>(path: &str, bytes: &'a [u8]) -> (Option<Sidecar<'a>>, Vec<Diagnostic>) {
    let mut diagnostics = Collector::default();
    let mut header: Option<(SidecarHeader, Line<'a>)> = None;
    let mut annotations = Vec::new();
    let significant = jsonl::lines(bytes)
        .map(Line::trimmed)
        .filter(|line| !line.text.is_empty() && !line.text.trim_start().starts_with('#'));
    for (index, line) in significant.enumerate() {
        let source = line.source(path);
        let result = if index == 0 {
            parse_header(path, &line).map(|found| header = Some((found, line.clone())))
        } else {
            FORMAT.read(path, &line).map(|annotation| {
                annotations.push(AnnotationLine {
                    line: line.clone(),
                    annotation,
                });
            })
        };
        match (result, Node::parse(&line.text)) {
            (Err(problem), _) => diagnostics.push(*problem),
            (Ok(()), Ok(root)) => {
                let code = &codes::SIDECAR_UNPORTABLE_VALUE;
                portable::check(&source, root, &[], code, &mut diagnostics);
            }
            (Ok(()), Err(_)) => {}
        }
    }
    if header.is_none() && !diagnostics.has_errors() {
        diagnostics.push(codes::SIDECAR_EMPTY.at(
            Source::file(path, bytes).place(0, 0),
            "The sidecar has no header",
            "Begin the sidecar with `{\"type\":\"header\",\"schema_version\":1}`, or remove the file.",
        ));
    }
    let sidecar = header
        .filter(|_| !diagnostics.has_errors())
        .map(|(header, header_line)| Sidecar {
            header,
            header_line,
            annotations,
        });
    (sidecar, diagnostics.finish(path))
}

fn parse_header(path: &str, line: &Line<'_>) -> Result<SidecarHeader, Box<Diagnostic>> {
    let (source, text) = (&line.source(path), &*line.text);
    let root = Node::parse(text).ok();
    let tag = root.and_then(|root| root.get("type"));
    if root.is_some() && tag.and_then(|tag| tag.as_str()).as_deref() != Some("header") {
        return Err(Box::new(codes::SIDECAR_MISSING_HEADER.at(
            source.place(0, text.len()),
            "The first line of the sidecar is not a header",
            "Begin the sidecar with `{\"type\":\"header\",\"schema_version\":1}`; only blank lines and `#` comments may come before it.",
        )));
    }
    let header: SidecarHeader = FORMAT.object(path, line)?;
    if header.schema_version > SCHEMA_VERSION {
        return Err(Box::new(codes::SIDECAR_UNSUPPORTED_VERSION.at(
            json::place(source, text, "/schema_version"),
            format!(
                "The sidecar has schema version `{}`; the newest supported version is `{SCHEMA_VERSION}`",
                header.schema_version
            ),
            "Use a newer runpress, or write the sidecar in version 1.",
        )));
    }
    FORMAT.check_values(path, line).map(|()| header)
}
