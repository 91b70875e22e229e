//! Knows Test Cabinet's run record (formats.md A): `run-record.json`, every sub-version of it.
//!
//! There is no version field; a sub-version is told by which keys exist. Absent and null are the same.

use std::borrow::Cow;

use crate::diagnostics::{Diagnostic, Source, codes};

use super::json::Node;
use super::reader::{Need, Number, Object, Reader, ShapeCodes};

/// The file's name in a run directory.
pub const FILE_NAME: &str = "run-record.json";

static SHAPE: ShapeCodes = ShapeCodes {
    missing: &codes::RECORD_MISSING_FIELD,
    wrong_type: &codes::RECORD_WRONG_TYPE,
    duplicate_key: &codes::RECORD_DUPLICATE_KEY,
};

type Text<'a> = Option<Cow<'a, str>>;

/// A record as written. What is `None` was absent, null or (with a problem reported) of a wrong type.
#[derive(Debug, Default)]
pub struct RunRecord<'a> {
    /// Unique run id.
    pub id: Text<'a>,
    /// RFC 3339.
    pub started_at: Text<'a>,
    /// RFC 3339.
    pub finished_at: Text<'a>,
    /// RFC 3339; some feeds carry it, records usually do not.
    pub published_at: Text<'a>,
    /// What was run.
    pub subject: Subject<'a>,
    /// Commit of the orchestrator, `-dirty` when its tree was modified.
    pub test_cabinet_commit: Text<'a>,
    /// Where it ran.
    pub environment: Environment<'a>,
    /// What it took.
    pub metrics: Metrics<'a>,
    /// What was found afterwards.
    pub validation: Validation<'a>,
    /// URL of the generated source.
    pub source_repo: Text<'a>,
    /// URL of the playable build.
    pub playable_build: Text<'a>,
    /// `completed`, `failed`, ...; kept literally.
    pub state: Text<'a>,
    /// Why the run ended as it did.
    pub state_detail: Text<'a>,
}

/// `subject`
#[derive(Debug, Default)]
pub struct Subject<'a> {
    /// Slug of the test case.
    pub test_case_slug: Text<'a>,
    /// Exact version of the test case.
    pub test_case_version: Text<'a>,
    /// `end-to-end` when absent (A.ii).
    pub test_type: Text<'a>,
    /// Absent in the oldest records.
    pub variant: Text<'a>,
    /// Slug of the harness.
    pub harness_slug: Text<'a>,
    /// Version of the harness.
    pub harness_version: Text<'a>,
    /// Opaque model id.
    pub model_id: Text<'a>,
    /// `one-shot` when absent (A.ii).
    pub orchestrator_slug: Text<'a>,
    /// `none` when absent (A.ii).
    pub engine_slug: Text<'a>,
    /// Version of the engine.
    pub engine_version: Text<'a>,
}

/// `environment`
#[derive(Debug, Default)]
pub struct Environment<'a> {
    /// `PRETTY_NAME` or `unknown`.
    pub os: Text<'a>,
    /// A tag or a digest reference, kept as it is.
    pub container_image: Text<'a>,
    /// For example `v22.14.0`.
    pub node_version: Text<'a>,
    /// `apiKey` or `subscription`; no default.
    pub auth_mode: Text<'a>,
}

/// `metrics`
#[derive(Debug, Default)]
pub struct Metrics<'a> {
    /// Wall clock, in seconds.
    pub run_time_seconds: Option<Number<'a>>,
    /// Input that was not served from a cache.
    pub uncached_input: Option<Number<'a>>,
    /// Input that was served from a cache.
    pub cached_input: Option<Number<'a>>,
    /// Output without reasoning.
    pub output: Option<Number<'a>>,
    /// Reasoning.
    pub reasoning: Option<Number<'a>>,
    /// USD at list prices.
    pub comparable_cost: Option<Number<'a>>,
    /// USD charged.
    pub actual_cost: Option<Number<'a>>,
}

/// `validation`
#[derive(Debug, Default)]
pub struct Validation<'a> {
    /// Whether the implementation loaded.
    pub loaded: Option<bool>,
    /// Why not.
    pub detail: Text<'a>,
    /// The install step; `None` is "never attempted".
    pub install: Option<Step<'a>>,
    /// The build step; `None` is "never reached".
    pub build: Option<Step<'a>>,
    /// Visual checks, in the record's order.
    pub checks: Vec<Check<'a>>,
    /// Evidence the run left, in the record's order.
    pub proofs: Vec<Proof<'a>>,
}

/// An install or build step.
#[derive(Debug, Default)]
pub struct Step<'a> {
    /// The command line.
    pub command: Text<'a>,
    /// Whether it succeeded.
    pub succeeded: Option<bool>,
    /// What it said.
    pub detail: Text<'a>,
}

/// A visual check.
#[derive(Debug, Default)]
pub struct Check<'a> {
    /// JSON pointer to it.
    pub pointer: String,
    /// Slug of the view; keys the column of a comparison table.
    pub view: Text<'a>,
    /// Name for people; humanised from the view when absent (formats.md, contradiction 12).
    pub name: Text<'a>,
    /// Whether the view was reached; `true` for the oldest records, which only list reached views.
    pub reached: Option<bool>,
    /// 0 to 1.
    pub similarity: Option<Number<'a>>,
    /// Why it was not reached.
    pub detail: Text<'a>,
}

/// A proof (A.ii).
#[derive(Debug, Default)]
pub struct Proof<'a> {
    /// Its id.
    pub id: Text<'a>,
    /// Name for people.
    pub name: Text<'a>,
    /// `image`, `video`, `replay`.
    pub kind: Text<'a>,
    /// Whether it was found.
    pub present: Option<bool>,
    /// More about it.
    pub detail: Text<'a>,
}

/// A record with the tree that its pointers lead through.
#[derive(Debug)]
pub struct Parsed<'a> {
    /// What was written.
    pub record: RunRecord<'a>,
    /// The document.
    pub root: Node<'a>,
    /// What was noticed; when there is an error here, `record` is not complete.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a record. `None` comes with an error that says why nothing could be read.
#[must_use]
pub fn parse(source: Source<'_>) -> (Option<Parsed<'_>>, Vec<Diagnostic>) {
    let bytes = source.text;
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let place = source.place(error.valid_up_to(), error.valid_up_to() + 1);
            let problem = codes::RECORD_NOT_UTF8.at(
                place,
                "The record is not valid UTF-8",
                "Write the file as UTF-8; the marked byte is the first that does not fit.",
            );
            return (None, vec![problem]);
        }
    };
    let root = match Node::parse(text) {
        Ok(root) => root,
        Err(error) => {
            let problem = syntax_error(&source, &error);
            return (None, vec![problem]);
        }
    };
    let mut reader = Reader::new(source, &SHAPE);
    let Some(top) = reader.object(root, "") else {
        return (None, reader.finish());
    };
    if let Some(problem) = wrong_document(&reader, &top, root) {
        return (None, vec![problem]);
    }
    let record = read(&mut reader, &top);
    let diagnostics = reader.finish();
    (
        Some(Parsed {
            record,
            root,
            diagnostics,
        }),
        Vec::new(),
    )
}

fn syntax_error(source: &Source<'_>, error: &serde_json::Error) -> Diagnostic {
    // The first line of a tape or an event log is a whole JSON value of its own, with more after it.
    let first = source
        .text
        .split(|byte| *byte == b'\n')
        .next()
        .unwrap_or_default();
    let first_value = std::str::from_utf8(first)
        .ok()
        .and_then(|line| Node::parse(line).ok());
    if let Some(kind) = first_value.and_then(json_lines_kind) {
        return codes::RECORD_WRONG_DOCUMENT.at(
            source.place(0, first.len()),
            format!("This is {kind}, not a run record"),
            "Put the run's record in `run-record.json` and give this file its own name.",
        );
    }
    codes::RECORD_SYNTAX.at(
        source.place_of(error),
        format!("The record is not valid JSON: {}", reason(error)),
        "Correct the JSON here; a half-written file usually means that the recorder was stopped.",
    )
}

/// What `serde_json` says, without the position that the diagnostic already has.
#[must_use]
pub fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let sentence = text
        .rsplit_once(" at line ")
        .map_or(text.as_str(), |(sentence, _)| sentence);
    crate::diagnostics::text::reason(sentence)
}

fn json_lines_kind(first: Node<'_>) -> Option<&'static str> {
    let is_header = first.get("type").and_then(|t| t.as_str()).as_deref() == Some("header");
    if is_header && first.get("schema_version").is_some() {
        Some("an annotation sidecar")
    } else if is_header && first.get("version").is_some() {
        Some("a Harn tape")
    } else if first.get("type").is_some() && first.get("timestamp").is_some() {
        Some("an event log")
    } else {
        None
    }
}

/// Formats.md, contradiction 1: other documents are told what they are.
fn wrong_document<'a>(reader: &Reader<'a>, top: &Object<'a>, root: Node<'a>) -> Option<Diagnostic> {
    let kind = match top.get("_type").and_then(|value| value.as_str()).as_deref() {
        Some("run_record") => "a Harn run record",
        Some("transcript") => "a Harn transcript",
        _ if top.get("subject").is_none() && top.get("annotations").is_some() => {
            "an annotations state of the Agent Host Protocol"
        }
        _ => return json_lines_kind(root).map(|kind| wrong(reader, root, kind)),
    };
    Some(wrong(reader, root, kind))
}

fn wrong(reader: &Reader<'_>, root: Node<'_>, kind: &str) -> Diagnostic {
    let place = reader.place(
        Node {
            raw: &root.raw[..1],
            ..root
        },
        "",
    );
    codes::RECORD_WRONG_DOCUMENT.at(
        place,
        format!("This is {kind}, not a Test Cabinet run record"),
        "Put a record with `id`, `subject`, `metrics`, `validation` and `status` here.",
    )
}

fn read<'a>(r: &mut Reader<'a>, top: &Object<'a>) -> RunRecord<'a> {
    use Need::{Optional, Required};
    let mut record = RunRecord {
        id: r.string(top, "id", Required),
        started_at: r.string(top, "startedAt", Required),
        finished_at: r.string(top, "finishedAt", Required),
        published_at: r.string(top, "publishedAt", Optional),
        ..RunRecord::default()
    };
    if let Some(subject) = r.child(top, "subject", Required) {
        record.subject = read_subject(r, &subject);
    }
    if let Some(tooling) = r.child(top, "tooling", Optional) {
        record.test_cabinet_commit = r.string(&tooling, "testCabinetCommit", Optional);
    }
    if let Some(environment) = r.child(top, "environment", Optional) {
        record.environment = Environment {
            os: r.string(&environment, "os", Optional),
            container_image: r.string(&environment, "containerImage", Optional),
            node_version: r.string(&environment, "nodeVersion", Optional),
            auth_mode: r.string(&environment, "authMode", Optional),
        };
    }
    if let Some(metrics) = r.child(top, "metrics", Required) {
        record.metrics = read_metrics(r, &metrics);
    }
    if let Some(validation) = r.child(top, "validation", Required) {
        record.validation = read_validation(r, &validation);
    }
    if let Some(links) = r.child(top, "links", Optional) {
        record.source_repo = r.string(&links, "sourceRepo", Optional);
        record.playable_build = r.string(&links, "playableBuild", Optional);
    }
    if let Some(status) = r.child(top, "status", Required) {
        record.state = r.string(&status, "state", Required);
        record.state_detail = r.string(&status, "detail", Optional);
    }
    record
}

fn read_subject<'a>(r: &mut Reader<'a>, subject: &Object<'a>) -> Subject<'a> {
    use Need::{Optional, Required};
    Subject {
        test_case_slug: r.string(subject, "testCaseSlug", Required),
        test_case_version: r.string(subject, "testCaseVersion", Required),
        test_type: r.string(subject, "testType", Optional),
        variant: r.string(subject, "variant", Optional),
        harness_slug: r.string(subject, "harnessSlug", Required),
        harness_version: r.string(subject, "harnessVersion", Optional),
        model_id: r.string(subject, "modelId", Required),
        orchestrator_slug: r.string(subject, "orchestratorSlug", Optional),
        engine_slug: r.string(subject, "engineSlug", Optional),
        engine_version: r.string(subject, "engineVersion", Optional),
    }
}

fn read_metrics<'a>(r: &mut Reader<'a>, metrics: &Object<'a>) -> Metrics<'a> {
    use Need::{Optional, Required};
    let mut read = Metrics {
        run_time_seconds: r.number(metrics, "runTimeSeconds", Required),
        ..Metrics::default()
    };
    if let Some(tokens) = r.child(metrics, "tokens", Required) {
        read.uncached_input = r.number(&tokens, "uncachedInput", Optional);
        read.cached_input = r.number(&tokens, "cachedInput", Optional);
        read.output = r.number(&tokens, "output", Optional);
        read.reasoning = r.number(&tokens, "reasoning", Optional);
    }
    if let Some(cost) = r.child(metrics, "cost", Required) {
        read.comparable_cost = r.number(&cost, "comparable", Optional);
        read.actual_cost = r.number(&cost, "actual", Optional);
    }
    read
}

fn read_validation<'a>(r: &mut Reader<'a>, validation: &Object<'a>) -> Validation<'a> {
    use Need::{Optional, Required};
    let mut checks = Vec::new();
    for (item, pointer) in r.items(validation, "checks", Optional) {
        let Some(check) = r.object(item, pointer.clone()) else {
            continue;
        };
        let reached = r.boolean(&check, "reached", Required);
        checks.push(Check {
            pointer,
            view: r.string(&check, "view", Required),
            name: r.string(&check, "name", Optional),
            // A view that was not reached has nothing to compare.
            similarity: r.number(
                &check,
                "similarity",
                if reached == Some(false) {
                    Optional
                } else {
                    Required
                },
            ),
            reached,
            detail: r.string(&check, "detail", Optional),
        });
    }
    for (item, pointer) in r.items(validation, "referenceComparisons", Optional) {
        let Some(comparison) = r.object(item, pointer.clone()) else {
            continue;
        };
        checks.push(Check {
            pointer,
            view: r.string(&comparison, "view", Required),
            reached: Some(true),
            similarity: r.number(&comparison, "similarity", Required),
            ..Check::default()
        });
    }
    let mut proofs = Vec::new();
    for (item, pointer) in r.items(validation, "proofs", Optional) {
        let Some(proof) = r.object(item, pointer) else {
            continue;
        };
        proofs.push(Proof {
            id: r.string(&proof, "id", Optional),
            name: r.string(&proof, "name", Optional),
            kind: r.string(&proof, "kind", Optional),
            present: r.boolean(&proof, "present", Optional),
            detail: r.string(&proof, "detail", Optional),
        });
    }
    Validation {
        loaded: r.boolean(validation, "loaded", Required),
        detail: r.string(validation, "detail", Optional),
        install: read_step(r, validation, "install"),
        build: read_step(r, validation, "build"),
        checks,
        proofs,
    }
}

fn read_step<'a>(r: &mut Reader<'a>, validation: &Object<'a>, key: &str) -> Option<Step<'a>> {
    let step = r.child(validation, key, Need::Optional)?;
    Some(Step {
        command: r.string(&step, "command", Need::Required),
        succeeded: r.boolean(&step, "succeeded", Need::Required),
        detail: r.string(&step, "detail", Need::Optional),
    })
}
