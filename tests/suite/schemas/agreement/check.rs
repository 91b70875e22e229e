//! Whether the check accepts the shape of a document, ignoring rules that a schema cannot express.

use runpress::api::config::{self, Config};
use runpress::api::diagnostics::{Diagnostic, Source};
use runpress::api::formats::{
    adapter, decisions, events, raw, redactions, rule_file, run_record, scanner_findings, sidecar,
    tape, threads, trace, transcript, withdrawn,
};
use runpress::api::model::tape::{Tape, from_event};
use runpress::api::rules;
use serde_json::Value;

fn none_of(problems: &[Diagnostic], codes: &[&str]) -> bool {
    !problems
        .iter()
        .any(|problem| codes.iter().any(|code| problem.code.name.starts_with(code)))
}

pub(super) fn accepts_record(document: &Value) -> bool {
    let text = document.to_string();
    let source = Source::file("run-record.json", text.as_bytes());
    let (parsed, mut problems) = run_record::parse(source);
    if let Some(parsed) = &parsed {
        problems.extend(parsed.diagnostics.iter().cloned());
        problems.extend(rules::record::check(source, parsed));
    }
    problems
        .iter()
        .all(|problem| !problem.is_error() || problem.code.name == "record.finished-before-start")
}

pub(super) fn accepts_event(document: &Value) -> bool {
    let line = document.to_string();
    let problems = events::read("events.jsonl", line.as_bytes(), |_| {});
    problems.iter().all(|problem| {
        problem.code.name == "events.unknown-type" && !problem.message.contains("has no `type`")
    })
}

pub(super) fn accepts_trace_line(document: &Value) -> bool {
    let header = "{\"type\":\"trace\",\"schemaVersion\":1}\n";
    let line = document.to_string();
    let text = if document["type"] == "trace" {
        line
    } else {
        format!("{header}{line}\n")
    };
    let (_, problems) = trace::read("a.trace.jsonl", text.as_bytes(), |_, _| {});
    problems.iter().all(|problem| {
        problem.code.name == "events.unknown-type" && !problem.message.contains("has no `type`")
    })
}

pub(super) fn accepts_adapter_line(document: &Value) -> bool {
    let header = "{\"type\":\"adapter\",\"schemaVersion\":1,\"importer\":{\"format\":\"f\",\"version\":1}}\n";
    let line = document.to_string();
    let text = if document["type"] == "adapter" {
        line
    } else {
        format!("{header}{{\"type\":\"record\"}}\n{line}\n")
    };
    let (_, problems) = adapter::read("log (output)", text.as_bytes(), |_, _| {});
    problems.is_empty()
}

pub(super) fn accepts_raw_line(document: &Value) -> bool {
    raw::read("raw.jsonl", document.to_string().as_bytes())
        .1
        .is_empty()
}

pub(super) fn accepts_tape_line(document: &Value) -> bool {
    let header = "{\"type\":\"header\",\"version\":1,\"harn_version\":\"0.8\"}\n";
    let is_header = ["argv", "harn_version"]
        .iter()
        .any(|key| document.get(key).is_some());
    let line = document.to_string();
    let text = if is_header {
        line
    } else {
        format!("{header}{line}\n")
    };
    tape::parse("run.tape", text.as_bytes()).1.is_empty()
}

pub(super) fn accepts_sidecar_line(document: &Value) -> bool {
    let header = "{\"type\":\"header\",\"schema_version\":1}\n";
    let is_header =
        document.get("tape_path").is_some() || document.get("tape_content_hash").is_some();
    let line = document.to_string();
    let text = if is_header {
        line
    } else {
        format!("{header}{line}\n")
    };
    let (read, mut problems) = sidecar::parse("s", text.as_bytes());
    let mut events_read = Vec::new();
    let log = "{\"timestamp\":\"t\",\"type\":\"list\"}\n".repeat(3);
    let _ = events::read("e", log.as_bytes(), |event| {
        events_read.push(from_event(event, events_read.len() as u64));
    });
    let tape = Tape::of_events(events_read, String::new());
    if let Some(read) = read {
        let checked = rules::sidecar::check(&Config::default(), "s", "s", read, &tape);
        problems.extend(checked.diagnostics);
    }
    none_of(
        &problems,
        &[
            "sidecar.malformed-line",
            "sidecar.missing-header",
            "sidecar.unsupported-version",
            "annotation.hypothesis",
            "annotation.friction",
        ],
    )
}

fn no_errors(problems: &[Diagnostic]) -> bool {
    !problems.iter().any(Diagnostic::is_error)
}

pub(super) fn accepts_transcript(document: &Value) -> bool {
    let text = document.to_string();
    no_errors(&transcript::parse(Source::file("t", text.as_bytes())).1)
}

pub(super) fn accepts_threads(document: &Value) -> bool {
    let text = document.to_string();
    no_errors(&threads::parse_state(Source::file("t", text.as_bytes())).1)
}

pub(super) fn accepts_action(document: &Value) -> bool {
    let text = document.to_string();
    no_errors(&threads::parse_actions("t", text.as_bytes(), None).1)
}

pub(super) fn accepts_settings(document: &Value) -> bool {
    // Neither can reject a document that is not expressible in TOML.
    toml::to_string(document).is_ok_and(|text| config::parse("site.toml", &text).1.is_empty())
}

pub(super) fn accepts_redaction(document: &Value) -> bool {
    let text = document.to_string();
    redactions::parse("redactions.jsonl", text.as_bytes())
        .1
        .is_empty()
}

pub(super) fn accepts_rules(document: &Value) -> bool {
    toml::to_string(document).is_ok_and(|text| {
        let source = Source::file("rules/a.toml", text.as_bytes());
        rule_file::parse(source).is_ok()
    })
}

pub(super) fn accepts_decision(document: &Value) -> bool {
    let text = document.to_string();
    decisions::parse("decisions.jsonl", text.as_bytes())
        .1
        .is_empty()
}

pub(super) fn accepts_finding(document: &Value) -> bool {
    let text = document.to_string();
    scanner_findings::parse("findings.jsonl", text.as_bytes())
        .1
        .is_empty()
}

pub(super) fn accepts_withdrawals(document: &Value) -> bool {
    toml::to_string(document).is_ok_and(|text| {
        let source = Source::file("withdrawn.toml", text.as_bytes());
        withdrawn::parse(source).1.is_empty()
    })
}
