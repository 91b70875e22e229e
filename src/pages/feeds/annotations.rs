//! The annotation feeds: all annotations, friction as Harn's events, hypotheses, anchors to crystallize, and labels for evaluations.
//!
//! They grow with the archive, so the lines of each run are made when it is read, and joined at the end.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use schemars::{JsonSchema, Schema};
use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use base::shapes;
use formats::json::Node;
use formats::model::annotation::{self, Annotation, AnnotationKind, FRICTION_KINDS, Link, Sidecar};
use formats::model::run::Run;
use formats::model::tape::{Event, Tape};

use super::{push_line, raw};
use base::shapes::SCHEMA_VERSION;

/// `friction.json`: friction of all runs as Harn's `FrictionEvent`s, newest run first.
#[allow(
    dead_code,
    reason = "only its schema is used: the document is written piece by piece"
)]
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub struct FrictionDocument<'a> {
    /// Version of this format.
    #[schemars(with = "shapes::Version")]
    pub schema_version: u32,
    /// Kinds of friction in several runs of a case.
    pub recurring: Vec<Recurrence>,
    /// The events; friction of an unrecognized kind is omitted.
    pub events: Vec<FrictionEvent<'a>>,
}

/// `hypotheses.json`: the hypotheses of all runs, newest run first.
#[allow(
    dead_code,
    reason = "only its schema is used: the document is written piece by piece"
)]
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub struct HypothesesDocument<'a> {
    /// Version of this format.
    #[schemars(with = "shapes::Version")]
    pub schema_version: u32,
    /// How many there are, by status.
    pub counts: BTreeMap<String, usize>,
    /// The annotations.
    pub hypotheses: Vec<AnnotationDocument<'a>>,
}

/// `crystallize.json`: the anchors of all runs, newest run first.
#[allow(
    dead_code,
    reason = "only its schema is used: the document is written piece by piece"
)]
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub struct CrystallizeDocument<'a> {
    /// Version of this format.
    #[schemars(with = "shapes::Version")]
    pub schema_version: u32,
    /// What anchors in several runs of a case have in common: candidates for a tool or a skill.
    pub recurring: Vec<Recurrence>,
    /// The anchors.
    pub anchors: Vec<Anchor<'a>>,
}

/// What annotations of several runs of a case have in common.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Recurrence {
    /// Slug of the case.
    pub case: String,
    /// The kind of friction, or what the events of anchors do: the tool with the beginning of its command, as `command npm run build`, or
    /// with the folder and the extension of its file, as `read spec/*.md`.
    pub pattern: String,
    /// Number of annotations.
    pub count: usize,
    /// Number of runs.
    pub runs: usize,
    /// Where they are, newest run first; at most 20.
    pub places: Vec<RecurrencePlace>,
}

/// The events of an annotation.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RecurrencePlace {
    /// Id of the run.
    #[serde(rename = "runId")]
    pub run_id: String,
    /// The short id of the run, for pages.
    #[serde(skip)]
    pub run: String,
    /// The number of the first event.
    pub event_id: u64,
    /// The number of the last event.
    pub end_event_id: u64,
    /// The address of the annotation, relative to the site's root.
    pub url: String,
}

/// An annotation as written, with the run (in feeds of the archive), the tape and the target.
#[derive(Debug, JsonSchema)]
#[schemars(rename = "Annotation", transform = as_written)]
pub struct AnnotationDocument<'a> {
    #[schemars(skip)]
    members: Vec<(String, Cow<'a, RawValue>)>,
    /// Id of the run, in feeds over all runs.
    #[schemars(rename = "runId", default, with = "String")]
    run_id: Option<&'a str>,
    /// Name of the tape.
    tape: &'a str,
    /// The event that it points at; null when there is none.
    target: Option<Target>,
}

/// The event that an annotation points at, to detect a changed tape.
#[derive(Debug, Serialize, JsonSchema)]
struct Target {
    /// Its number in the tape.
    seq: u64,
    /// Kind of the event: `type` of an event log, `kind` of a Harn record, or `unknown`.
    kind: &'static str,
    /// BLAKE3 of the event's line without the line end; of a Harn record, of its compact JSON.
    #[schemars(with = "shapes::Blake3")]
    digest: String,
}

/// The keys of every annotation, as in the sidecar.
fn as_written(schema: &mut Schema) {
    let number =
        json!({ "description": "The number of the event.", "type": "integer", "minimum": 0 });
    let kind = json!({ "description": "Kind of annotation, as written.", "type": "string" });
    for (key, shape) in [("event_id", number), ("kind", kind)] {
        if let Some(properties) = schema.pointer_mut("/properties") {
            properties[key] = shape;
        }
    }
    schema.insert(
        "required".to_owned(),
        json!(["event_id", "kind", "tape", "target"]),
    );
}

/// Requires `runId` in annotations of archive feeds; in `run.json` it is optional.
pub fn name_their_run(schema: &mut Schema) {
    let own = schema.pointer("/properties/runId").is_some();
    let required = if own {
        "/required"
    } else {
        "/$defs/Annotation/required"
    };
    if let Some(Value::Array(required)) = schema.pointer_mut(required) {
        required.push("runId".into());
    }
}

impl Serialize for AnnotationDocument<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (key, value) in &self.members {
            map.serialize_entry(key, value)?;
        }
        if let Some(run_id) = self.run_id {
            map.serialize_entry("runId", run_id)?;
        }
        map.serialize_entry("tape", self.tape)?;
        map.serialize_entry("target", &self.target)?;
        map.end()
    }
}

impl<'a> AnnotationDocument<'a> {
    pub(super) fn new(
        run_id: Option<&'a str>,
        tape: &'a Tape<'a>,
        annotation: &Annotation<'a>,
    ) -> serde_json::Result<Self> {
        let ours =
            |key: &str| matches!(key, "tape" | "target") || (run_id.is_some() && key == "runId");
        let mut written = Node::parse(annotation.verbatim.0)?.members();
        // If an unknown key is duplicated, the last value counts.
        let mut seen = BTreeSet::new();
        written.reverse();
        written.retain(|member| !ours(&member.key) && seen.insert(member.key.clone()));
        written.reverse();
        let members = written.into_iter().map(|member| {
            let value = match member.key.as_ref() {
                "kind" => Cow::Owned(to_raw_value(annotation.kind.word())?),
                _ => raw(member.value.raw)?,
            };
            Ok((member.key.into_owned(), value))
        });
        let members = members.collect::<serde_json::Result<_>>()?;
        let target = tape
            .position(annotation.event)
            .map(|position| &tape.events[position]);
        Ok(Self {
            members,
            run_id,
            tape: &tape.file,
            target: target.map(|event| Target {
                seq: event.seq,
                kind: event.kind.word,
                digest: event.digest(),
            }),
        })
    }
}

document! {
    /// A friction annotation in the shape of Harn's `FrictionEvent`. What a sidecar does not hold is null.
    // Formats.md D.
    pub struct FrictionEvent<'a>(
        run: &'a Run,
        sidecar: &'a Sidecar<'a>,
        annotation: &'a Annotation<'a>,
        kind: &'a str,
        metadata: Cow<'a, RawValue>
    ) {
        /// Version of Harn's shape.
        #[schemars(extend("const" = 1))]
        schema_version: u32 = 1,
        /// The annotation's id, or `annotation_<event>` when it has none.
        id: String = annotation.id.as_deref().map_or_else(|| format!("annotation_{}", annotation.event), str::to_owned),
        /// Kind of friction.
        #[schemars(extend("enum" = FRICTION_KINDS))]
        kind: &'a str = kind,
        /// The tape, as the sidecar's header names it.
        source: Option<&'a str> = sidecar.stated_tape.as_deref(),
        /// Id of the author.
        actor: Option<&'a str> = annotation.author.as_ref().and_then(|author| author.id.as_deref()),
        /// Not in a sidecar.
        #[schemars(with = "()")]
        tenant_id: Option<&'a str> = None,
        /// Not in a sidecar.
        #[schemars(with = "()")]
        task_id: Option<&'a str> = None,
        /// The run's id, which Harn's own export leaves out.
        run_id: &'a str = &run.id,
        /// Not in a sidecar.
        #[schemars(with = "()")]
        workflow_id: Option<&'a str> = None,
        /// Not in a sidecar.
        #[schemars(with = "()")]
        tool: Option<&'a str> = None,
        /// Not in a sidecar.
        #[schemars(with = "()")]
        provider: Option<&'a str> = None,
        /// The evidence, or a sentence that names the annotation and its event.
        redacted_summary: String = friction_summary(annotation),
        /// In USD. Not in a sidecar.
        #[schemars(with = "()")]
        estimated_cost_usd: Option<f64> = None,
        /// In milliseconds. Not in a sidecar.
        #[schemars(with = "()")]
        estimated_time_ms: Option<u64> = None,
        /// Not in a sidecar: empty.
        #[schemars(with = "Vec<String>")]
        recurrence_hints: [&'a str; 0] = [],
        /// Not in a sidecar.
        #[schemars(with = "()")]
        trace_id: Option<&'a str> = None,
        /// Not in a sidecar.
        #[schemars(with = "()")]
        span_id: Option<&'a str> = None,
        /// The annotation's links.
        links: Vec<FrictionLink<'a>> = annotation.links.iter().map(FrictionLink::of).collect(),
        /// Not in a sidecar.
        #[schemars(with = "()")]
        human_hypothesis: Option<&'a str> = None,
        /// The annotation's metadata, as written.
        #[schemars(with = "shapes::AsWritten")]
        metadata: Cow<'a, RawValue> = metadata,
        /// Time of the annotation; empty if it has none. Harn then fills in the time at which it reads the event.
        timestamp: &'a str = annotation.timestamp.as_deref().unwrap_or_default(),
    }
}

fn friction_summary(annotation: &Annotation<'_>) -> String {
    annotation.evidence.as_deref().map_or_else(
        || {
            // As in Harn, the id is empty if the annotation has none.
            let id = annotation.id.as_deref().unwrap_or_default();
            format!("annotation {id} on event {}", annotation.event)
        },
        str::to_owned,
    )
}

document! {
    /// A link of an annotation.
    struct FrictionLink<'a>(link: &'a Link) {
        /// Its label.
        label: Option<&'a str> = link.label.as_deref(),
        /// Its address.
        url: Option<&'a str> = link.url.as_deref(),
        /// Its `reference`.
        trace_id: Option<&'a str> = link.reference.as_deref(),
    }
}

document! {
    /// A place where an annotator says that a pattern is worth a tool or a skill: the events from the first to the last.
    pub struct Anchor<'a>(run: &'a Run, tape: &'a Tape<'a>, annotation: &'a Annotation<'a>, metadata: Cow<'a, RawValue>) {
        /// Id of the run.
        #[serde(rename = "runId")]
        run_id: &'a str = &run.id,
        /// Name of the tape.
        tape: &'a str = &tape.file,
        /// The number of the first event.
        event_id: u64 = annotation.event,
        /// The number of the last event.
        end_event_id: u64 = annotation.span.map_or(annotation.event, |(_, end)| end),
        /// The comment, in Markdown.
        evidence: Option<&'a str> = annotation.evidence.as_deref(),
        /// The author.
        author: Option<Author<'a>> = annotation.author.as_ref().map(Author::of),
        /// The annotation's metadata, as written.
        #[schemars(with = "shapes::AsWritten")]
        metadata: Cow<'a, RawValue> = metadata,
    }
}

document! {
    /// A judgment of a reviewer, with all that the judged events say, so that an evaluation needs no other file.
    pub struct Label<'a>(
        run: &'a Run,
        tape: &'a Tape<'a>,
        annotation: &'a Annotation<'a>,
        digest: String,
        fix: Cow<'a, RawValue>,
        events: Vec<LabeledEvent<'a>>,
        omitted: usize
    ) {
        /// The annotation's id, if it has one.
        id: Option<&'a str> = annotation.id.as_deref(),
        /// The judgment.
        #[schemars(extend("enum" = ["correct", "incorrect", "alternative"]))]
        kind: &'a str = annotation.kind.word(),
        /// Id of the run.
        #[serde(rename = "runId")]
        run_id: &'a str = &run.id,
        /// Slug of its case.
        case: &'a str = &run.subject.case,
        /// Variant of the case; null is unknown.
        variant: Option<&'a str> = run.subject.variant.as_deref(),
        /// The model; null is unknown.
        model: Option<&'a str> = run.subject.model.as_deref(),
        /// Slug of the harness.
        harness: &'a str = &run.subject.harness,
        /// Name of the tape.
        tape: &'a str = &tape.file,
        /// The number of the first event.
        event_id: u64 = annotation.event,
        /// The number of the last event.
        end_event_id: u64 = annotation.span.map_or(annotation.event, |(_, end)| end),
        /// BLAKE3 of the first event, as `target.digest` in `annotations.jsonl`.
        #[schemars(with = "shapes::Blake3")]
        digest: String = digest,
        /// The comment, in Markdown.
        evidence: Option<&'a str> = annotation.evidence.as_deref(),
        /// What should have happened instead, as written: any JSON, null if there is none.
        #[schemars(with = "shapes::Any")]
        suggested_fix: Cow<'a, RawValue> = fix,
        /// The author.
        author: Option<Author<'a>> = annotation.author.as_ref().map(Author::of),
        /// When it was written.
        timestamp: Option<&'a str> = annotation.timestamp.as_deref(),
        /// The judged events, in order, as published: without what is withheld or redacted.
        events: Vec<LabeledEvent<'a>> = events,
        /// How many further events of the span are left out: at most 200 events and about 256 KiB of text are repeated.
        #[serde(rename = "omittedEvents")]
        omitted_events: usize = omitted,
    }
}

document! {
    /// An event that a label is about.
    pub struct LabeledEvent<'a>(event: &'a Event<'a>) {
        /// Its number.
        seq: u64 = event.seq,
        /// Its kind.
        kind: &'static str = event.kind.word,
        /// A command line, a path or a query; empty if its texts say all.
        headline: &'a str = &event.headline,
        /// Its texts: messages, arguments, outputs.
        texts: Vec<&'a str> = event.blocks.iter().map(|block| &*block.text).collect(),
    }
}

/// Maximum events in a label.
const LABELED_EVENTS: usize = 200;
/// Bytes of text after which a label has no further events.
const LABELED_BYTES: usize = 256 << 10;

/// The label of an annotation that judges an event of the tape.
fn label<'a>(
    run: &'a Run,
    tape: &'a Tape<'a>,
    annotation: &'a Annotation<'a>,
) -> serde_json::Result<Option<Label<'a>>> {
    let Some(first) = tape.position(annotation.event) else {
        return Ok(None);
    };
    let end_event_id = annotation.span.map_or(annotation.event, |(_, end)| end);
    let last = tape.position(end_event_id).unwrap_or(first).max(first);
    let mut bytes = 0;
    let events = tape.events[first..=last].iter().take(LABELED_EVENTS);
    let events = events.take_while(|event| {
        let is_shown = bytes < LABELED_BYTES;
        let texts = event.blocks.iter().map(|block| block.text.len());
        bytes += event.headline.len() + texts.sum::<usize>();
        is_shown
    });
    let events: Vec<_> = events.map(LabeledEvent::of).collect();
    let omitted = last + 1 - first - events.len();
    let fix = raw(annotation.suggested_fix.unwrap_or("null"))?;
    let digest = tape.events[first].digest();
    Ok(Some(Label::of(
        run, tape, annotation, digest, fix, events, omitted,
    )))
}

document! {
    /// The author of an annotation.
    struct Author<'a>(author: &'a annotation::Author) {
        /// Name or handle.
        id: Option<&'a str> = author.id.as_deref(),
        /// Kind of author.
        #[schemars(extend("enum" = ["human", "agent", "system"]))]
        kind: &'a str = author.kind.word(),
        /// Name of the tool in which it was written.
        surface: Option<&'a str> = author.surface.as_deref(),
    }
}

/// The lines that one run adds to each feed, each with its line feed.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct AnnotationLines {
    /// All annotations.
    pub all: String,
    /// Friction of recognized kinds.
    pub friction: String,
    /// Hypotheses.
    pub hypotheses: String,
    /// Anchors.
    pub anchors: String,
    /// Judgments.
    pub labels: String,
}

/// Makes the lines of a run, in the order of its tapes and of each sidecar.
pub fn lines(
    run: &Run,
    tapes: &[Tape<'_>],
    sidecars: &[Option<Sidecar<'_>>],
) -> serde_json::Result<AnnotationLines> {
    let mut lines = AnnotationLines::default();
    for (tape, sidecar) in tapes.iter().zip(sidecars) {
        let Some(sidecar) = sidecar else { continue };
        for annotation in &sidecar.annotations {
            let start = lines.all.len();
            let document = AnnotationDocument::new(Some(&run.id), tape, annotation)?;
            push_line(&mut lines.all, &document)?;
            match annotation.kind {
                AnnotationKind::Hypothesis => lines.hypotheses.push_str(&lines.all[start..]),
                AnnotationKind::Friction => {
                    if let Some(event) = friction_event(run, sidecar, annotation)? {
                        push_line(&mut lines.friction, &event)?;
                    }
                }
                AnnotationKind::CrystallizeHere => {
                    let anchor = Anchor::of(run, tape, annotation, metadata(annotation)?);
                    push_line(&mut lines.anchors, &anchor)?;
                }
                AnnotationKind::Correct
                | AnnotationKind::Incorrect
                | AnnotationKind::Alternative => {
                    if let Some(label) = label(run, tape, annotation)? {
                        push_line(&mut lines.labels, &label)?;
                    }
                }
                _ => {}
            }
        }
    }
    Ok(lines)
}

/// `None` if Harn's export skips the annotation: its friction kind is not one of the nine.
fn friction_event<'a>(
    run: &'a Run,
    sidecar: &'a Sidecar<'a>,
    annotation: &'a Annotation<'a>,
) -> serde_json::Result<Option<FrictionEvent<'a>>> {
    let known = annotation.friction_kind.as_deref();
    let Some(kind) = known.filter(|kind| FRICTION_KINDS.contains(kind)) else {
        return Ok(None);
    };
    let metadata = metadata(annotation)?;
    Ok(Some(FrictionEvent::of(
        run, sidecar, annotation, kind, metadata,
    )))
}

fn metadata<'a>(annotation: &Annotation<'a>) -> serde_json::Result<Cow<'a, RawValue>> {
    raw(annotation.metadata.unwrap_or("{}"))
}

/// Writes `{"schemaVersion": 1, <summary>, "<name>": [one line each]}` from the lines of the runs, without holding the archive in
/// memory.
pub fn write_collection(
    out: &mut dyn Write,
    key: &str,
    summary: &impl Serialize,
    name: &str,
    lines: impl Iterator<Item = io::Result<String>>,
) -> io::Result<()> {
    write!(out, "{{\n  \"schemaVersion\": {SCHEMA_VERSION},\n")?;
    write!(out, "  \"{key}\": ")?;
    serde_json::to_writer(&mut *out, summary)?;
    out.write_all(b",\n")?;
    write!(out, "  \"{name}\": [")?;
    let mut first = true;
    for lines in lines {
        for line in lines?.lines() {
            out.write_all(if first { b"\n    " } else { b",\n    " })?;
            out.write_all(line.as_bytes())?;
            first = false;
        }
    }
    out.write_all(if first { b"]\n}\n" } else { b"\n  ]\n}\n" })
}
