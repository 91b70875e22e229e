//! Recorded text is hostile, and always stays text.

mod pages;
mod reports;

use serde_json::{Value, json};

use crate::generate::{Dice, Fill, Json, fill};
use crate::support::{TestSite, codes, lines, parse};

/// Markup, template syntax, terminal sequences, control characters, bidi overrides, line separators and JSON delimiters.
const HOSTILE: &str = concat!(
    "<script>alert(1)</script><img src=x onerror=alert(1)><svg/onload=alert(1)>\"' onmouseover=\"alert(1)\" x='",
    "</title></pre></code></textarea></style></main></body><!-- <![CDATA[ ]]> <iframe src=\"https://evil.example/\"></iframe>",
    "<a href=\"javascript:alert(1)\" onclick=alert(1)>go</a><base href=\"https://evil.example/\"><meta http-equiv=refresh content=0>",
    "{{ 7777*7777 }} {% raw %} {% include \"run.html\" %} {# c #} ${7777*7777} runpress-main-slo\u{200b}t <runpress-slot 0>",
    " \u{1b}[31mred\u{1b}[0m\u{1b}]0;title\u{7}\u{9b}2J \0\u{1}\u{8}\u{7f}\u{85} \u{202e}txt\u{202c}\u{2066}x\u{2069}\u{200f} \u{2028}\u{2029}\u{feff}\u{fffe}",
    " a\u{ad}b\u{200b}c\u{2060}d\u{180e}e\u{3164}f\u{e0100}g\u{e01ef}h\u{e0041}i\u{34f}j\u{fe0f}k\u{200d}l\u{115f}m\u{ffa0}n",
    " \"}],\\\" \\u0022 \\ </script> [md](javascript:alert(1)) ![img](https://evil.example/x.png) <javascript:alert(1)> [r]: https://evil.example/",
    "\n\n[k]: javascript:alert(1)\n\n[k] \r\n# H\r| a |\n|---|\n"
);

/// The same features without harm: the elements and attributes that they produce are allowed on a page.
const HARMLESS: &str = concat!(
    "plain <b>words</b> \u{1b}[31mred\u{1b}[0m \0 \u{202e} *em* `code` `\u{1}` [link](https://example.org/) [dropped](javascript:x)",
    " ![img](https://example.org/x.png)\n\n# H\n\n| a |\n|---|\n| 1 |\n"
);

/// File and folder names cannot contain a slash or NUL, so they get their own text.
const HOSTILE_NAME: &str = "\"><img src=x onerror=alert(1)> {{ 7777*7777 }} '\u{202e}\u{1b}[31m";

/// A site with `text` in every string that it reads.
pub(crate) fn site(text: &str, name: &str) -> TestSite {
    let site = TestSite::empty();
    let folder = format!("content/runs/{name}");
    site.write(
        &format!("{folder}/run-record.json"),
        format!("{:#}", record(text)),
    );
    site.write(&format!("{folder}/events.jsonl"), lines(&events(text)));
    site.write(
        &format!("{folder}/events.jsonl.annotations.jsonl"),
        sidecar(text),
    );
    site.write(&format!("{folder}/{name}.tape"), tape(text));
    site.write(
        &format!("{folder}/{name}.tape.annotations.jsonl"),
        sidecar(text),
    );
    site.write(
        &format!("{folder}/writeup.md"),
        format!(
            "---\nrating.{}: great\nreview.{}: pass {}\n---\n\n{text}\n",
            one_line(text),
            one_line(text),
            one_line(text)
        ),
    );
    let front = format!(
        "+++\ntitle = {}\ndescription = {}\n+++\n\n{text}\n",
        toml(text),
        toml(text)
    );
    for prose in ["pages/about", "pages/index"] {
        site.write(&format!("content/{prose}.md"), &front);
    }
    site.write(&format!("content/cases/{name}.md"), &front);
    site.write(
        "site.toml",
        format!(
            "[site]\ntitle = {0}\ndescription = {0}\nauthor = {0}\nnotice = {0}\nlanguage = \"en\"\nstories = \"all\"\ncards = \"all\"\n[policy]\nlicence = {0}\n[[nav]]\ntitle = {0}\nurl = \"https://example.org/\"\n[timeline]\npage_size = 7\n",
            toml(text)
        ),
    );
    site
}

fn one_line(text: &str) -> String {
    text.replace(['\n', '\r', ':'], " ")
}

/// Text as a basic TOML string.
fn toml(text: &str) -> String {
    json!(text).to_string().replace('\u{7f}', "\\u007F")
}

/// A record with the text in every field that may hold it.
struct Hostile<'a>(&'a str);

impl Fill for Hostile<'_> {
    fn leaf(&mut self, key: &str, schema: &Value) -> Json {
        let kind = schema["type"].as_str().or(schema["type"][0].as_str());
        match (kind, key) {
            (_, "sourceRepo") => Json::from("https://example.org/%22%3E"),
            (_, "playableBuild") => Json::from("https://builds.example.org/?a='b'&c"),
            (Some("string"), _) if !schema["examples"][0].is_null() => {
                schema["examples"][0].clone().into()
            }
            (Some("number" | "integer"), _) => Json::from(1),
            (Some("boolean"), _) => Json::from(false),
            (Some("object"), "toolCalls") => json!({ self.0: 3 }).into(),
            (Some("object"), _) => json!({ self.0: self.0 }).into(),
            _ => Json::from(self.0),
        }
    }
}

fn record(t: &str) -> Value {
    let schema = crate::schemas::schema("run-record");
    let record = fill(&schema, &schema, "", &mut Hostile(t));
    let record = record.write(&mut Dice::simple(), true);
    let mut record = parse(&record);
    record["id"] = json!(format!("4f1c2d3e-{t}"));
    record[t] = json!({ "unknown": t });
    record
}

fn events(t: &str) -> Vec<String> {
    let event = |kind: &str, mut fields: Value| {
        fields["timestamp"] = json!("2026-03-01T10:00:00Z");
        fields["sessionId"] = json!(t);
        fields["type"] = json!(kind);
        fields.to_string()
    };
    vec![
        event("agent", json!({ "message": t })),
        event("reasoning", json!({ "message": t })),
        event(
            "command",
            json!({ "command": t, "workingDirectory": t, "exitCode": 1, "isSuccess": false }),
        ),
        event("read", json!({ "path": t })),
        event("write", json!({ "path": t })),
        event("search", json!({ "query": t, "path": t })),
        event("list", json!({ "path": t })),
        event("skill", json!({ "path": t, "skillName": t })),
        event(
            "orchestration",
            json!({ "action": t, "subagentId": t, "subagentName": t }),
        ),
        event("error", json!({ "message": t, "code": t })),
        event("warning", json!({ "message": t, "code": t })),
        event("system", json!({ "stage": t, "status": t, "message": t })),
        event("usage", json!({ "tokens": { t: t }, "cost": t })),
        event("gg", json!({ "event": { t: t } })),
        event("unknown", json!({ "raw": t })),
        event("unknown", json!({ "raw": { t: [t] } })),
        event(t, json!({ "message": t })),
        json!({ "timestamp": t, "type": "agent", "message": t }).to_string(),
        t.replace(['\n', '\r'], " "),
    ]
}

fn sidecar(t: &str) -> String {
    let kinds = [
        "correct",
        "incorrect",
        "alternative",
        "note",
        "marker",
        "mute",
        "hypothesis",
        "friction",
        "crystallize_here",
        t,
    ];
    let header =
        json!({ "type": "header", "schema_version": 1, "tape_path": t, "harn_version": t })
            .to_string();
    let annotations = kinds.iter().enumerate().map(|(n, kind)| {
        let mut a = json!({
            "type": "annotation", "id": format!("{t}{n}"), "event_id": n, "kind": kind, "evidence": t,
            "suggested_fix": if n % 2 == 0 { json!(format!("--- a\n+++ b\n-{t}\n+{t}\n")) } else { json!({ t: t }) },
            "author": { "id": t, "kind": "human", "surface": t }, "timestamp": t, "span": { "start_event_id": n, "end_event_id": n + 2 },
            "links": [{ "label": t, "url": "https://example.org/?a='b'\u{26}c" }, { "reference": t }, { "label": t, "reference": t }],
            "metadata": { t: t },
        });
        if *kind == "hypothesis" {
            a["hypothesis_status"] = json!("active");
        }
        if *kind == "friction" {
            a["friction_kind"] = json!("tool_gap");
        }
        a.to_string()
    });
    lines(
        &std::iter::once(header)
            .chain(annotations)
            .collect::<Vec<_>>(),
    )
}

fn tape(t: &str) -> String {
    let payload =
        || json!({ "content_hash": blake3::hash(t.as_bytes()).to_hex().as_str(), "text": t });
    let packed = |value: Value| {
        let text = value.to_string();
        json!({ "content_hash": blake3::hash(text.as_bytes()).to_hex().as_str(), "text": text })
    };
    let mut all = vec![
        json!({ "type": "header", "version": 5, "harn_version": t, "script_path": t, "argv": [t, t],
            "run": { "recording": "full", "effects_observed": true, "state_roots": [t], "workspace_root": t } }),
    ];
    let kinds = [
        json!({ "kind": "llm_call", "request_digest": t, "response": payload() }),
        json!({
            "kind": "llm_call", "request_digest": t, "response": packed(json!({ "text": t, "thinking_summary": t, "model": t,
                "provider": t, "stop_reason": t, "tool_calls": [{ "id": "c", "name": t, "arguments": { "path": t } }] })),
            "call_index": 1, "request": payload(), "messages": [payload(), packed(json!({ "role": t, "content": t })),
                packed(json!({ "role": "user", "content": [{ "type": t, "text": t }, { "type": "thinking" }] }))],
        }),
        json!({
            "kind": "tool_call", "call_id": "c", "tool": t, "args_digest": t, "after_calls": 1,
            "outcome": packed(json!({ "kind": "categorized", "message": t, "category": t })),
            "effects": [{ "path": t, "content": payload() }, { "path": t }], "unservable": t,
            "transcript_changes": [{ "session_id": t, "fields": { t: { "set": t } } }],
        }),
        json!({
            "kind": "tool_call", "call_id": t, "tool": t, "args_digest": t, "after_calls": 1,
            "outcome": packed(json!({ "kind": "ok", "value": { "ok": true, "tool_name": t, "arguments": { "command": t },
                "rendered_result": t, "mutation_status": t } })),
        }),
        json!({ "kind": "cache_lookup", "namespace": t, "key": t, "after_calls": 1, "value": payload() }),
        json!({ "kind": "prompt_render", "render_id": t, "template_uri": t, "rendered": payload(), "spans": payload() }),
        json!({ "kind": "payload_redaction" }),
        json!({ "kind": "session_control", "event": packed(json!({ "type": t })) }),
        json!({ "kind": "file_read", "path": t, "content_hash": t, "len_bytes": 1 }),
        json!({ "kind": "file_write", "path": t, "content_hash": t, "len_bytes": 1 }),
        json!({ "kind": "file_delete", "path": t }),
        json!({
            "kind": "process_spawn", "program": t, "args": [t], "cwd": t, "exit_code": 1, "duration_ms": 1, "stdout_payload": payload(),
            "stderr_payload": payload(),
        }),
        json!({ "kind": "decision_evaluation", "request_digest": t, "response": payload() }),
        json!({
            "kind": "mcp_json_rpc", "server": t, "method": t, "request_digest": t, "response_digest": t, "latency_ms": 1,
            "request_payload": payload(), "response_payload": payload(),
        }),
        json!({ "kind": "model_job", "job_id": t, "request_id": t, "backend": t, "state": t, "event_kind": t, "event": payload(), "asset_digests": [t] }),
        json!({ "kind": t }),
        json!({ "kind": "clock_sleep", "duration_ms": 1 }),
        json!({ "kind": "clock_sleep", "duration_ms": 1 }),
        json!({ "kind": "clock_sleep", "duration_ms": 1 }),
    ];
    for (seq, kind) in kinds.into_iter().enumerate() {
        all.push(json!({ "type": "record", "seq": seq, "virtual_time_ms": 0, "monotonic_ms": 0, "kind": kind }));
    }
    lines(&all.iter().map(Value::to_string).collect::<Vec<_>>())
}

fn hostile() -> TestSite {
    let site = site(HOSTILE, HOSTILE_NAME);
    let outcome = site.publish();
    let expected = [
        "annotation.unknown-kind",
        "events.invalid-timestamp",
        "events.unknown-type",
        "events.unparsable-line",
        "sidecar.other-tape",
        "tape.unknown-kind",
    ];
    for code in expected {
        assert!(
            codes(&outcome).contains(&code),
            "{code} is not reported: {:?}",
            codes(&outcome)
        );
    }
    site
}
