//! The format of a file is recognized by what it holds.

use std::collections::BTreeSet;

use runpress::api::import::{IMPORTERS, ImportEvent, Problem, Request, import as import_all};

use super::{import, request};
use crate::support::{contains, fixture, rows};

/// The error of importing a file below a folder, under a format that it does not have.
fn sniffed(bytes: impl Into<Vec<u8>>) -> Problem {
    let bytes = bytes.into();
    let is_atif = String::from_utf8_lossy(&bytes).contains("ATIF-v1");
    let format = if is_atif { "codex" } else { "atif" };
    let run = import(format, &[("a/file".to_owned(), bytes)]).pop();
    run.expect("a file").expect_err("another format")
}

fn recognized(bytes: impl Into<Vec<u8>>) -> String {
    let message = &sniffed(bytes).message;
    let format = message.strip_prefix("The format was named, and this log is ");
    format.unwrap_or(message).to_owned()
}

#[test]
fn a_format_is_known_by_what_a_file_holds() {
    for [text, format] in rows(
        r#"
{"schema_version":"ATIF-v1.7","steps":[]} | atif
{"trial_name":"a","task_checksum":"b"} | harbor
{"n_total_trials":1,"stats":{}} | harbor
{"version":2,"status":"success","eval":{}} | inspect
{"info":{},"messages":[],"trajectory_format":"mini-swe-agent-1.1"} | mini-swe-agent
[{"role":"system","content":"x"},{"role":"user","content":"y"}] | mini-swe-agent
[{"role":"user","content":"x"},{"role":"assistant","content":"```bash\nls\n```"}] | mini-swe-agent
[{"role":"user","content":"x"},{"role":"assistant","content":"y"}] | messages
[{"role":"user","content":"x"},{"role":"assistant","content":"","tool_calls":[]}] | messages
{"model":"m","messages":[{"role":"user","content":"x"}]} | messages
{"input":"x","output":[{"type":"function_call","name":"n"}]} | messages
{"records":[{"role":"meta","source":"pi"}]} | messages
{"messages":[{"role":"user"}]}⏎{"messages":[{"role":"user"}]}⏎ | messages
{"role":"user","content":"x"}⏎{"role":"assistant","content":"y"}⏎ | messages
{"type":"session","harness":"h","id":"i"}⏎{"type":"message","message":{"role":"user"}}⏎ | messages
{"environment":"x","trajectory":[],"history":[],"info":{}} | swe-agent
{"history":[{"role":"system","agent":"main","content":""}]} | swe-agent
[{"id":"a","kind":"MessageEvent"}] | openhands
{"items":[{"kind":"ActionEvent"}]} | openhands
[{"id":0,"source":"user","action":"message"}] | openhands
{"type":"session_meta","timestamp":"t","payload":{}} | codex
{"id":"a","timestamp":"t"}⏎{"type":"message","role":"user"}⏎ | codex
{"type":"summary","summary":"s","leafUuid":"l"}⏎ | claude-code
{"type":"user","uuid":"u","message":{"role":"user","content":"x"}}⏎ | claude-code
torn{⏎{"type":"user","sessionId":"s"}⏎{"type":"user","sessi | claude-code
"#,
    ) {
        assert_eq!(recognized(text), format, "{text}");
    }
    let marked = "\u{feff}{\n\"steps\":[],\n\"schema_version\":\"ATIF-v1.2\"}";
    assert_eq!(recognized(marked), "atif");
}

/// The formats of the runs in a folder of the fixtures.
fn formats(folder: &str) -> BTreeSet<String> {
    let out = tempfile::tempdir().expect("a folder");
    let request = Request {
        dry_run: true,
        ..request(fixture("import").join(folder), out.path().join("runs"))
    };
    let mut formats = BTreeSet::new();
    import_all(&request, &mut |event| {
        if let ImportEvent::Run(report, _) = event {
            formats.insert(report.format.clone());
        }
    });
    formats
}

#[test]
fn the_samples_of_each_format_are_recognized() {
    for importer in &IMPORTERS {
        let mut formats = formats(importer.format);
        // What another reader makes of a sample, as messages, is next to it.
        if importer.format != "messages" {
            formats.remove("messages");
        }
        assert_eq!(formats, BTreeSet::from([importer.format.to_owned()]));
    }
}

#[test]
fn what_a_program_printed_is_named_with_the_place_of_its_log() {
    let id = "019f9000-3333-7000-8000-00000000cc01";
    let result = r#"{"type":"result","subtype":"success","is_error":false,"session_id":"ID"}"#;
    let codex = "{\"type\":\"thread.started\",\"thread_id\":\"ID\"}\n{\"type\":\"turn.started\"}\n";
    let tail = "{\"type\":\"item.completed\",\"item\":{}}\n{\"type\":\"turn.completed\"}\n";
    let list = format!("[{{\"type\":\"system\",\"session_id\":\"ID\"}},{result}]");
    for (text, words, place) in [
        (codex, "codex exec --json", "rollout-*ID.jsonl"),
        (tail, "codex exec --json", "sessions/**/rollout-*.jsonl"),
        (result, "--output-format json", "projects/*/ID.jsonl"),
        (
            &format!("{result}\n{result}\n"),
            "--output-format json",
            "projects/*/ID.jsonl",
        ),
        (
            &result.replace(',', ",\n"),
            "--output-format json",
            "projects/*/ID.jsonl",
        ),
        (&list, "--output-format json", "stream-json --verbose"),
    ] {
        let problem = sniffed(text.replace("ID", id));
        contains(&problem.message, words);
        contains(&problem.help, place.replace("ID", id));
    }
}

#[test]
fn text_of_windows_is_recognized() {
    let row = "{\"type\":\"user\",\"uuid\":\"u\",\"message\":{\"role\":\"user\"}}\r\n";
    for count in [1, 5_000] {
        let text = row.repeat(count);
        let bytes: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let marked = [&[0xFF, 0xFE], &bytes[..]].concat();
        for bytes in [bytes, marked] {
            assert_eq!(recognized(bytes), "claude-code");
        }
    }
}

#[test]
fn a_log_of_one_line_longer_than_the_head_is_known() {
    let text = "long ".repeat(20_000);
    let row = format!("{{\"type\":\"user\",\"uuid\":\"u\",\"message\":\"{text}\"}}\n");
    assert_eq!(recognized(row), "claude-code");
}

#[test]
fn a_file_of_no_format_gets_an_error_with_the_nearest_one() {
    for [text, words] in rows(
        r#"
{"messages":[]}⏎{"messages":[{"role":"user","content":"x"}]}⏎ | messages is the nearest
{"schema_version":"ATIF-v2.0","steps":[]} | atif is the nearest, but it lacks `schema_version` of `ATIF-v1.`
{"eval":{},"status":"x"} | inspect is the nearest, but it lacks `version`; it has `eval`, `status`
{"_type":"run_record"} | a file of Harn
{"type":"trace","schemaVersion":1}⏎ | The file is a trace
{"type":"header","version":1}⏎{}⏎ | a tape of Harn
{"a":1}⏎{"b":2}⏎ | the first has `a`
nothing | neither JSON nor JSON Lines
[] | no recognized format
12 | no recognized format
"#,
    ) {
        let message = recognized(text);
        assert!(message.contains(words), "{text}: {message}");
    }
    contains(&recognized(""), "neither JSON nor JSON Lines");
    let both = "{\"type\":\"session_meta\"}\n{\"type\":\"user\",\"uuid\":\"u\"}\n";
    let problem = sniffed(both);
    assert_eq!(problem.message, "The file could be claude-code or codex");
    contains(&problem.help, "--format codex");
}
