//! The rules for events of a tape beyond their shape (formats.md B and C).

use std::borrow::Cow;
use std::collections::BTreeSet;

use base::diagnostics::text::quoted;
use base::diagnostics::{Collector, Diagnostic, Source, codes};
use formats::json::{self, Node};
use formats::model::tape as model;
use formats::model::time::parse_rfc3339;
use formats::tape::{HarnTape, Payload, RecordKind, RecordLine};

/// Checks the times of an event log or a trace: only events without a readable time are parsed again.
#[must_use]
pub fn check_times(path: &str, tape: &model::Tape<'_>) -> Vec<Diagnostic> {
    let key = match tape.format {
        model::TapeFormat::Trace => "time",
        model::TapeFormat::Events | model::TapeFormat::Harn => "timestamp",
    };
    let mut problems = Collector::default();
    for event in tape.events.iter().filter(|event| event.at.is_none()) {
        let timestamp = Node::parse(&event.source)
            .ok()
            .and_then(|root| root.get(key));
        let Some(text) = timestamp.and_then(|node| node.as_str()) else {
            continue;
        };
        if parse_rfc3339(&text).is_none() {
            problems.add(&codes::EVENTS_INVALID_TIMESTAMP, || {
                let source = Source::line(path, event.line, event.source.as_bytes());
                codes::EVENTS_INVALID_TIMESTAMP.at(
                    json::place(&source, &event.source, &format!("/{key}")),
                    format!("The time {} is not RFC 3339", quoted(&text)),
                    "Write date, time and offset, as in `2026-03-01T10:00:00Z`.",
                )
            });
        }
    }
    problems.finish(path)
}

/// Checks the numbers and inline payloads of a Harn tape. `is_withheld` returns, for the line of a record and the path of a
/// payload, whether its text is redacted and so differs from the recorded one.
#[must_use]
pub fn check_harn(
    path: &str,
    tape: &HarnTape<'_>,
    is_withheld: &dyn Fn(&RecordLine<'_>, &str) -> bool,
) -> Vec<Diagnostic> {
    let mut problems = Collector::default();
    let mut seen = BTreeSet::new();
    for line in &tape.records {
        if !seen.insert(line.record.seq) {
            problems.add(&codes::TAPE_DUPLICATE_SEQ, || {
                codes::TAPE_DUPLICATE_SEQ.at(
                    line.line.place(path, "/seq"),
                    format!("Duplicate record number `{}`", line.record.seq),
                    "Record the tape again; annotations point at events by number.",
                )
            });
        }
        if matches!(line.record.kind, RecordKind::Unknown) {
            problems.add(&codes::TAPE_UNKNOWN_KIND, || {
                codes::TAPE_UNKNOWN_KIND.at(
                    line.line.place(path, "/kind/kind"),
                    "Unknown kind of record; it is shown as `unknown`",
                    "No action needed; a newer Harn may have written it.",
                )
            });
        }
        payloads(&line.record.kind, |pointer, payload| {
            if !is_withheld(line, &pointer) {
                check_inline(path, line, &pointer, payload, &mut problems);
            }
        });
    }
    problems.finish(path)
}

fn check_inline(
    path: &str,
    line: &RecordLine<'_>,
    pointer: &str,
    payload: &Payload<'_>,
    problems: &mut Collector,
) {
    let Payload::Inline { content_hash, text } = payload else {
        return;
    };
    let is_same = || blake3::hash(text.0.as_bytes()).to_hex().as_str() == content_hash;
    if !is_same() {
        problems.add(&codes::TAPE_PAYLOAD_MISMATCH, || {
            codes::TAPE_PAYLOAD_MISMATCH.at(
                line.line
                    .place(path, &format!("/kind/{pointer}/content_hash")),
                format!("The payload `{pointer}` does not match its hash"),
                "Copy the tape from its source again; it was changed after recording.",
            )
        });
    }
}

/// Calls `each` with the payloads of a record and their paths.
pub fn payloads<'t, 'a>(
    kind: &'t RecordKind<'a>,
    mut each: impl FnMut(Cow<'static, str>, &'t Payload<'a>),
) {
    let mut named = |key: &'static str, payload| each(Cow::Borrowed(key), payload);
    match kind {
        RecordKind::LlmCall {
            response,
            request,
            messages,
            ..
        } => {
            named("response", response);
            if let Some(request) = request {
                named("request", request);
            }
            for (i, message) in messages.iter().enumerate() {
                each(Cow::Owned(format!("messages/{i}")), message);
            }
        }
        RecordKind::DecisionEvaluation { response, .. } => named("response", response),
        RecordKind::ProcessSpawn {
            stdout_payload,
            stderr_payload,
            ..
        } => {
            named("stdout_payload", stdout_payload);
            named("stderr_payload", stderr_payload);
        }
        RecordKind::McpJsonRpc {
            request_payload,
            response_payload,
            ..
        } => {
            named("request_payload", request_payload);
            named("response_payload", response_payload);
        }
        RecordKind::ModelJob { event, .. } | RecordKind::SessionControl { event } => {
            named("event", event);
        }
        RecordKind::ToolCall {
            outcome, effects, ..
        } => {
            named("outcome", outcome);
            for (i, effect) in effects.iter().enumerate() {
                if let Some(content) = &effect.content {
                    each(Cow::Owned(format!("effects/{i}/content")), content);
                }
            }
        }
        RecordKind::CacheLookup { value, .. } => {
            if let Some(value) = value {
                named("value", value);
            }
        }
        RecordKind::PromptRender {
            rendered, spans, ..
        } => {
            named("rendered", rendered);
            named("spans", spans);
        }
        RecordKind::ClockRead { .. }
        | RecordKind::ClockSleep { .. }
        | RecordKind::FileRead { .. }
        | RecordKind::FileWrite { .. }
        | RecordKind::FileDelete { .. }
        | RecordKind::PayloadRedaction
        | RecordKind::Unknown => {}
    }
}
