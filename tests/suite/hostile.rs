//! Recorded text is hostile: whatever it holds, it stays text.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::support::{FIRST, HEADER, Page, TestSite, annotation, codes, event, lines, tree};

/// Markup, template syntax, terminal sequences, controls, bidi overrides, line separators and breakers of JSON.
const HOSTILE: &str = concat!(
    "<script>alert(1)</script><img src=x onerror=alert(1)><svg/onload=alert(1)>\"' onmouseover=\"alert(1)\" x='",
    "</title></pre></code></textarea></style></main></body><!-- <![CDATA[ ]]> <iframe src=\"https://evil.example/\"></iframe>",
    "<a href=\"javascript:alert(1)\" onclick=alert(1)>go</a><base href=\"https://evil.example/\"><meta http-equiv=refresh content=0>",
    "{{ 7777*7777 }} {% raw %} {% include \"run.html\" %} {# c #} ${7777*7777} runpress-main-slo\u{200b}t",
    " \u{1b}[31mred\u{1b}[0m\u{1b}]0;title\u{7}\u{9b}2J \0\u{1}\u{8}\u{7f}\u{85} \u{202e}txt\u{202c}\u{2066}x\u{2069}\u{200f} \u{2028}\u{2029}\u{feff}\u{fffe}",
    " a\u{ad}b\u{200b}c\u{2060}d\u{180e}e\u{3164}f\u{e0100}g\u{e01ef}h\u{e0041}i\u{34f}j\u{fe0f}k\u{200d}l\u{115f}m\u{ffa0}n",
    " \"}],\\\" \\u0022 \\ </script> [md](javascript:alert(1)) ![img](https://evil.example/x.png) <javascript:alert(1)> [r]: https://evil.example/",
    "\n\n[k]: javascript:alert(1)\n\n[k] \r\n# H\r| a |\n|---|\n"
);

/// The same features, harmless: what these give may stand on a page.
const HARMLESS: &str = concat!(
    "plain <b>words</b> \u{1b}[31mred\u{1b}[0m \0 \u{202e} *em* `code` `\u{1}` [link](https://example.org/) [dropped](javascript:x)",
    " ![img](https://example.org/x.png)\n\n# H\n\n| a |\n|---|\n| 1 |\n"
);

/// A file name or folder name cannot hold a slash or a NUL, so it gets a text of its own.
const HOSTILE_NAME: &str = "\"><img src=x onerror=alert(1)> {{ 7777*7777 }} '\u{202e}\u{1b}[31m";

/// A site with `text` in every string that it reads.
fn site(text: &str, name: &str) -> TestSite {
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
            "[site]\ntitle = {0}\ndescription = {0}\nauthor = {0}\nnotice = {0}\nlanguage = \"en\"\n[policy]\nlicence = {0}\n[[nav]]\ntitle = {0}\nurl = \"https://example.org/\"\n[timeline]\npage_size = 7\n",
            toml(text)
        ),
    );
    site
}

fn one_line(text: &str) -> String {
    text.replace(['\n', '\r', ':'], " ")
}

/// Text as a basic string of TOML.
fn toml(text: &str) -> String {
    json!(text).to_string().replace('\u{7f}', "\\u007F")
}

fn record(t: &str) -> Value {
    json!({
        "id": format!("4f1c2d3e-{t}"), "startedAt": "2026-03-01T10:00:00Z", "finishedAt": "2026-03-01T10:10:00Z",
        "subject": {
            "testCaseSlug": t, "testCaseVersion": t, "testType": t, "variant": t, "harnessSlug": t, "harnessVersion": t,
            "modelId": t, "orchestratorSlug": t, "engineSlug": t, "engineVersion": t,
        },
        "tooling": { "testCabinetCommit": t },
        "environment": { "os": t, "containerImage": t, "nodeVersion": t, "authMode": t },
        "metrics": { "runTimeSeconds": 1, "tokens": { "output": 1 }, "cost": {} },
        "validation": {
            "loaded": false, "detail": t,
            "install": { "command": t, "succeeded": true, "detail": t }, "build": { "command": t, "succeeded": false, "detail": t },
            "checks": [{ "view": t, "name": t, "reached": false, "similarity": 0, "detail": t }],
            "proofs": [{ "id": t, "name": t, "kind": t, "present": true, "detail": t }],
        },
        "links": { "sourceRepo": "https://example.org/%22%3E", "playableBuild": "https://builds.example.org/?a='b'&c" },
        "status": { "state": t, "detail": t },
        t: { "unknown": t },
    })
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

/// Every pair of element and attribute on the pages of a site; an element without attributes has an empty one.
fn vocabulary(site: &TestSite) -> BTreeSet<(String, String)> {
    let mut found = BTreeSet::new();
    for (_, page) in pages(site) {
        for element in page.all("*") {
            let name = element.value().name().to_owned();
            found.insert((name.clone(), String::new()));
            found.extend(
                element
                    .value()
                    .attrs()
                    .map(|(attribute, _)| (name.clone(), attribute.to_owned())),
            );
        }
    }
    found
}

fn pages(site: &TestSite) -> Vec<(String, Page)> {
    let html = tree(&site.path("public"))
        .into_iter()
        .filter(|(path, _)| path.ends_with(".html"));
    html.map(|(path, bytes)| {
        (
            path,
            Page::parse(std::str::from_utf8(&bytes).expect("UTF-8")),
        )
    })
    .collect()
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

#[test]
fn hostile_text_adds_no_element_and_no_attribute_to_any_page() {
    let clean = site(HARMLESS, "plain name");
    clean.publish();
    let known = vocabulary(&clean);
    let hostile = vocabulary(&hostile());
    let added: Vec<_> = hostile.difference(&known).collect();
    assert!(added.is_empty(), "{added:?}");
    assert!(known.len() > 60, "{} pairs", known.len());
}

#[test]
fn hostile_text_brings_no_script_no_handler_no_address_and_no_foreign_image() {
    let site = hostile();
    assert_eq!(crate::crawl::problems(&site.published()), [""; 0]);
    let own: BTreeSet<String> = tree(&site.path("public/assets")).into_keys().collect();
    for (path, page) in pages(&site) {
        for script in page.all("script") {
            if script.attr("type") == Some("application/ld+json") {
                let data: Result<Value, _> = serde_json::from_str(&script.inner_html());
                assert!(data.is_ok(), "{path}: {data:?}");
                continue;
            }
            let source = script.attr("src").unwrap_or_default();
            let name = source.rsplit('/').next().unwrap_or_default();
            assert!(own.contains(name), "{path}: a script from {source:?}");
            assert_eq!(script.inner_html(), "", "{path}: an inline script");
        }
    }
    for (path, page) in pages(&site) {
        for element in page.all("*") {
            for (attribute, value) in element.value().attrs() {
                assert!(!attribute.starts_with("on"), "{path}: {attribute}");
                let value: String = value
                    .chars()
                    .filter(|c| !c.is_whitespace() && !c.is_control())
                    .collect();
                let is_address = matches!(attribute, "href" | "src" | "action" | "data-play");
                assert!(
                    !is_address || !value.to_lowercase().starts_with("javascript:"),
                    "{path}: {value}"
                );
                assert!(
                    !is_address || !value.contains("evil.example"),
                    "{path}: {value}"
                );
            }
        }
    }
}

#[test]
fn no_invisible_and_no_reordering_character_is_left_in_any_page_or_data_of_a_script() {
    let shown = |path: &str| {
        path.ends_with(".html")
            || path.ends_with(".xml")
            || (path.ends_with(".js") && !path.starts_with("assets/"))
    };
    let published = hostile().published();
    let scripts = published
        .keys()
        .filter(|path| shown(path) && path.ends_with(".js"));
    assert!(scripts.count() > 5);
    for (path, bytes) in published.iter().filter(|(path, _)| shown(path)) {
        let text = std::str::from_utf8(bytes).expect("UTF-8");
        for (at, c) in text.char_indices() {
            let hidden = (c.is_control() && !matches!(c, '\n' | '\t'))
                || matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
                    | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fffe}' | '\u{e0000}'..='\u{e0fff}');
            let around: String = text[..at]
                .chars()
                .rev()
                .take(60)
                .collect::<Vec<_>>()
                .into_iter()
                .rev()
                .collect();
            assert!(!hidden, "{path}: {} after {around}", c.escape_unicode());
        }
    }
}

#[test]
fn reports_for_programs_hold_no_character_that_a_terminal_follows() {
    let site = TestSite::base();
    let name = "\u{202e}\u{ad}\u{200b}\u{e0100}x";
    site.write(
        &format!("content/runs/{name}/run-record.json"),
        json!({ "id": name, name: 1 }).to_string(),
    );
    for format in ["json", "sarif", "junit", "github", "markdown", "human"] {
        let ran = site.runpress(&["check", "--report", format]);
        let text = ran.stdout + &ran.stderr;
        assert!(text.contains("record.missing-field"), "{format}: {text}");
        let hidden = text
            .chars()
            .find(|c| (c.is_control() && *c != '\n') || name.trim_end_matches('x').contains(*c));
        assert_eq!(hidden, None, "{format}: {text:?}");
        if format == "json" {
            assert!(
                text.contains("content/runs/\\u202e\\u00ad\\u200b\\udb40\\udd00x/"),
                "{text}"
            );
        }
    }
}

#[test]
fn template_syntax_in_recorded_text_is_never_computed() {
    let site = hostile();
    for (path, bytes) in site.published() {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        assert!(!text.contains("60481729"), "{path} holds the product");
    }
    let shown = pages(&site)
        .iter()
        .filter(|(_, page)| {
            page.html
                .root_element()
                .text()
                .collect::<String>()
                .contains("{{ 7777*7777 }}")
        })
        .count();
    assert!(shown > 8, "the text is shown as it is on {shown} pages");
}

#[test]
fn feeds_give_hostile_text_back_exactly() {
    let site = hostile();
    for (path, bytes) in site.published() {
        if path.ends_with(".json") {
            serde_json::from_slice::<Value>(&bytes)
                .unwrap_or_else(|error| panic!("{path}: {error}"));
        }
    }
    let runs = site.json("feeds/runs.json");
    let card = &runs["runs"][0];
    let slug = card["slug"].as_str().expect("a slug");
    assert!(
        slug.bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'),
        "{slug}"
    );
    for key in [
        "testCaseSlug",
        "testCaseVersion",
        "testType",
        "variant",
        "harnessSlug",
        "harnessVersion",
        "modelId",
        "orchestratorSlug",
        "engineSlug",
    ] {
        assert_eq!(card["subject"][key], HOSTILE, "{key}");
    }
    assert_eq!(
        (&card["state"], &card["checks"][0]["name"]),
        (&json!(HOSTILE), &json!(HOSTILE))
    );
    let document = site.json(&format!("runs/{slug}/run.json"));
    assert_eq!(document["record"], record(HOSTILE));
    for (n, annotation) in document["annotations"]
        .as_array()
        .expect("annotations")
        .iter()
        .take(10)
        .enumerate()
    {
        assert_eq!(annotation["evidence"], HOSTILE);
        assert_eq!(annotation["id"], format!("{HOSTILE}{n}"));
        assert_eq!(annotation["author"]["surface"], HOSTILE);
        assert_eq!(annotation["metadata"][HOSTILE], HOSTILE);
    }
    let feed = site.json("feeds/feed.json");
    assert_eq!(feed["title"], HOSTILE);
    assert_eq!(feed["items"][0]["id"], format!("4f1c2d3e-{HOSTILE}"));
    let html = feed["items"][0]["content_html"]
        .as_str()
        .expect("the writeup");
    assert!(
        !html.contains("<script") && !html.contains("<img") && !html.contains("href=\"javascript"),
        "{html}"
    );
    assert_eq!(site.json("feeds/index.json")["site"]["notice"], HOSTILE);
    let lines: Vec<Value> = site
        .text("public/feeds/runs.jsonl")
        .split('\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_str(line).expect("a line of JSON"))
        .collect();
    assert_eq!(Value::Array(lines), runs["runs"]);
    let folder = format!("content/runs/{HOSTILE_NAME}");
    for name in [
        "events.jsonl".to_owned(),
        "events.jsonl.annotations.jsonl".to_owned(),
        format!("{HOSTILE_NAME}.tape"),
    ] {
        assert_eq!(
            site.bytes(&format!("public/runs/{slug}/{name}")),
            site.bytes(&format!("{folder}/{name}")),
            "{name}"
        );
    }
}

#[test]
fn nothing_of_hostile_text_steers_the_terminal() {
    let site = site(HOSTILE, HOSTILE_NAME);
    for (arguments, what) in [
        (&["check", "-v"][..], "notes and warnings"),
        (&["build", "-v", "--report", "human"][..], "a report"),
    ] {
        let ran = site.runpress(arguments);
        assert_eq!(ran.status, Some(0), "{}", ran.stderr);
        let printed = format!("{}{}", ran.stdout, ran.stderr);
        assert!(printed.contains("events.unknown-type"), "{what}: {printed}");
        let steering: BTreeSet<char> = printed
            .chars()
            .filter(|c| (c.is_control() && *c != '\n') || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}'))
            .collect();
        assert!(steering.is_empty(), "{what}: {steering:?}");
    }
}

#[test]
fn hostile_text_in_broken_input_is_reported_without_steering_the_terminal() {
    let site = TestSite::base();
    let path = format!("{FIRST}/run-record.json");
    let quoted = json!(format!("\u{1b}[31m\u{202e}\u{7}{}", "x".repeat(5000))).to_string();
    site.replace(&path, "\"2026-03-01T10:00:00Z\"", &quoted);
    site.replace(&path, "\"https://git.example.org/runs/4f1c2d3e\"", &quoted);
    site.write(
        &format!("{FIRST}/writeup.md"),
        "---\nrating: \u{1b}[2J\u{202e}\n---\n\ntext [a](javascript:\u{1b}]0;x\u{7})\n",
    );
    let ran = site.runpress(&["check", "-v"]);
    assert_eq!(ran.status, Some(1));
    assert!(
        ran.stderr.contains("record.invalid-timestamp")
            && ran.stderr.contains("review.unknown-rating"),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stderr
            .chars()
            .all(|c| c == '\n' || (!c.is_control() && !matches!(c, '\u{202a}'..='\u{202e}'))),
        "{:?}",
        ran.stderr
    );
    assert!(
        ran.stderr.lines().all(|line| line.chars().count() < 400),
        "a long value is cut"
    );
}

#[test]
fn deep_nesting_is_no_reason_to_stop() {
    let deep = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
    let site = TestSite::base();
    site.replace(
        &format!("{FIRST}/run-record.json"),
        "\"links\": {",
        &format!("\"deep\": {deep},\n  \"links\": {{"),
    );
    site.write(
        &format!("{FIRST}/events.jsonl"),
        lines(&[
            event(0, "gg", &format!("\"event\":{deep}")),
            event(1, "agent", "\"message\":\"a\""),
        ]),
    );
    // Harn refuses a deeper value in a sidecar.
    let note = format!(
        "\"metadata\":{{\"deep\":{}{}}},\"evidence\":\"{}\"",
        "[".repeat(125),
        "]".repeat(125),
        "> ".repeat(50_000) + &"[".repeat(50_000)
    );
    site.write(
        &format!("{FIRST}/events.jsonl.annotations.jsonl"),
        lines(&[HEADER, &annotation("a", 1, "note", &note)]),
    );
    site.write(
        &format!("{FIRST}/writeup.md"),
        format!("---\nrating: great\n---\n\n{}\n", "*_".repeat(60_000)),
    );
    let ran = site.runpress(&["build"]);
    assert_eq!(
        ran.status,
        Some(0),
        "{}",
        &ran.stderr.chars().take(2000).collect::<String>()
    );
}

#[test]
fn words_of_site_toml_that_look_like_a_slot_are_words() {
    for word in ["runpress-main-slot", "<title>runpress-head-slot</title>"] {
        let site = TestSite::base();
        site.write(
            "site.toml",
            format!("[site]\ntitle = \"{word}\"\nnotice = \"{word}\"\nauthor = \"{word}\"\n"),
        );
        let ran = site.runpress(&["build"]);
        assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    }
}

#[test]
fn the_words_of_an_image_of_the_sites_own_hold_no_markup() {
    let site = TestSite::base();
    site.write("content/pages/guide.md", "![a \u{202e}b](icon.png)\n");
    site.write("static/guide/icon.png", "x");
    site.publish();
    let page = site.page("guide/index.html");
    let alt = page
        .one("main img")
        .value()
        .attr("alt")
        .unwrap_or_default()
        .to_owned();
    assert!(!alt.contains('<') && !alt.contains('\u{202e}'), "{alt}");
}
