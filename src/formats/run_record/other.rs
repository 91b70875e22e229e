//! Documents that have the name of a run record but are something else (formats.md, contradiction 1).

use crate::json::Node;
use crate::reader::{DocumentReader, JsonObject};
use crate::reason::reason;
use base::diagnostics::{Diagnostic, Source, codes};

/// The problem of a text that is not one JSON value: often a JSON Lines log.
pub(super) fn syntax_error(source: &Source<'_>, error: &serde_json::Error) -> Diagnostic {
    // The first line of a tape or a log is a JSON value of its own, with more after it. A sidecar may begin with comments.
    let mut at = 0;
    for line in source.text.split_inclusive(|byte| *byte == b'\n') {
        let text = std::str::from_utf8(line).unwrap_or_default().trim();
        if text.is_empty() || text.starts_with('#') {
            at += line.len();
            continue;
        }
        if let Some(kind) = Node::parse(text).ok().and_then(line_kind) {
            return codes::RECORD_WRONG_DOCUMENT.at(
                source.place(at, at + line.len()),
                format!("This is {kind}, not a run record"),
                "Save the run record as `run-record.json`, and rename this file.",
            );
        }
        break;
    }
    codes::RECORD_SYNTAX.at(
        source.place_of(error),
        format!("The record is not valid JSON: {}", reason(error)),
        "Correct the JSON here; a truncated file usually means that the recorder was stopped.",
    )
}

/// The problem of a JSON object that is a different document.
pub(super) fn wrong_document<'a>(
    reader: &DocumentReader<'a>,
    top: &JsonObject<'a>,
    root: Node<'a>,
) -> Option<Diagnostic> {
    let is_record = top
        .get("subject")
        .is_some_and(|subject| subject.get("testCaseSlug").is_some());
    let snapshot = top.get("record").filter(|_| top.get("subject").is_none());
    if let Some(record) = snapshot.filter(|record| record.get("subject").is_some()) {
        return Some(codes::RECORD_WRONG_DOCUMENT.at(
            reader.place(record.start(), "/record"),
            "This is a run document of a Test Cabinet snapshot; the run record is under `record`",
            "Save only the value of `record` as `run-record.json`.",
        ));
    }
    let kind = match root.get_str("_type").as_deref() {
        Some("run_record") => "a Harn run record",
        Some("transcript") => "a Harn transcript",
        _ if is_record => return None,
        _ if top.get("subject").is_none() && top.get("annotations").is_some() => {
            "an annotations state of the Agent Host Protocol"
        }
        _ if top.get("resource").is_some()
            && top
                .get("state")
                .is_some_and(|state| state.get("annotations").is_some()) =>
        {
            "a snapshot of an annotations state of the Agent Host Protocol"
        }
        _ => line_kind(root)?,
    };
    Some(codes::RECORD_WRONG_DOCUMENT.at(
        reader.place(root.start(), ""),
        format!("This is {kind}, not a Test Cabinet run record"),
        "Save a record with `id`, `subject`, `metrics`, `validation` and `status` under this name.",
    ))
}

/// The kind of a log line.
fn line_kind(line: Node<'_>) -> Option<&'static str> {
    let kind = line.get_str("type");
    let channel = line.get_str("channel");
    let action = |kind: &str| kind.starts_with("annotations/");
    if kind.as_deref() == Some("header") && line.get("schema_version").is_some() {
        Some("an annotation sidecar")
    } else if kind.as_deref() == Some("header") && line.get("version").is_some() {
        Some("a Harn tape")
    } else if channel.is_some_and(|channel| channel.ends_with("/annotations"))
        || kind.as_deref().is_some_and(action)
    {
        Some("a log of annotation actions of the Agent Host Protocol")
    } else if kind.is_some() && line.get("timestamp").is_some() {
        Some("an event log")
    } else if matches!(line.get_str("stream").as_deref(), Some("stdout" | "stderr")) {
        Some("the raw output of a harness (`raw.jsonl`)")
    } else {
        None
    }
}
