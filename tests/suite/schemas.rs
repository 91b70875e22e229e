//! The JSON Schemas: they are valid, say what is read and published, and refuse what the check refuses.

use std::collections::BTreeSet;
use std::path::Path;

use jsonschema::Validator;
use runpress::config::{self, Config};
use runpress::diagnostics::{Diagnostic, Source};
use runpress::formats::{events, raw, run_record, sidecar, tape, threads, transcript};
use runpress::model::tape::{Tape, from_event};
use runpress::pipeline::Silent;
use runpress::rules;
use runpress::schema::{self, Describes};
use runpress::site::{Overrides, Site};
use serde_json::{Map, Value, json};

use crate::support::{FIRST, TestSite, assert_snapshot, fixture, tree};

fn schema(name: &str) -> Value {
    let entry = schema::find(name).unwrap_or_else(|| panic!("no schema {name}"));
    serde_json::from_str(&entry.document()).expect("JSON")
}

fn compiled(schema: &Value) -> Validator {
    jsonschema::draft202012::new(schema).unwrap_or_else(|error| panic!("{error}: {schema}"))
}

/// Why a schema refuses a document; empty when it does not.
fn refusals(validator: &Validator, document: &Value) -> Vec<String> {
    validator
        .iter_errors(document)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect()
}

/// Calls `see` with every object of a schema or document.
fn walk(value: &mut Value, see: &mut dyn FnMut(&mut Map<String, Value>)) {
    match value {
        Value::Object(object) => {
            see(object);
            object.values_mut().for_each(|value| walk(value, see));
        }
        Value::Array(items) => items.iter_mut().for_each(|value| walk(value, see)),
        _ => {}
    }
}

#[test]
fn every_schema_is_valid_describes_itself_and_holds_all_that_it_refers_to() {
    for entry in schema::ALL {
        let mut schema = schema(entry.name);
        let name = entry.name;
        assert_eq!(
            schema["$schema"], "https://json-schema.org/draft/2020-12/schema",
            "{name}"
        );
        assert!(jsonschema::meta::is_valid(&schema), "{name}");
        assert_eq!(schema["title"], entry.title, "{name}");
        assert!(
            schema["description"]
                .as_str()
                .is_some_and(|text| text.ends_with('.')),
            "{name} says what it is about"
        );
        let defined: BTreeSet<String> = schema["$defs"]
            .as_object()
            .into_iter()
            .flat_map(|defs| defs.keys().map(|key| format!("#/$defs/{key}")))
            .collect();
        let mut used = BTreeSet::new();
        walk(&mut schema, &mut |object| {
            for key in ["$ref", "$dynamicRef"] {
                if let Some(Value::String(target)) = object.get(key) {
                    used.insert(target.clone());
                }
            }
        });
        assert_eq!(used, defined, "{name}: what is used is what is defined");
    }
}

#[test]
fn a_changed_schema_is_seen_in_its_snapshot() {
    for entry in schema::ALL {
        assert_snapshot("schemas", entry.name, &entry.document());
    }
}

#[test]
fn every_key_says_what_it_holds() {
    let mut silent = Vec::new();
    for entry in schema::ALL {
        walk(&mut schema(entry.name), &mut |object| {
            if object.get("type") != Some(&json!("object")) {
                return;
            }
            let properties = object.get("properties").and_then(Value::as_object);
            for (key, property) in properties.into_iter().flatten() {
                let tells_apart = property.get("const").is_some() || property.get("not").is_some();
                if property.get("description").is_none() && !tells_apart {
                    silent.push(format!("{}: {key}", entry.name));
                }
            }
        });
    }
    assert_eq!(silent, [""; 0]);
}

// ---- what is read ----

/// The schemas of a file that is read, by its path.
fn schema_of_input(path: &str) -> Option<&'static str> {
    let name = path.rsplit('/').next().unwrap_or_default();
    Some(match name {
        "run-record.json" => "run-record",
        "events.jsonl" => "events",
        "raw.jsonl" => "raw",
        "transcript.json" => "transcript",
        "annotations.json" => "threads",
        "annotations.actions.jsonl" => "thread-actions",
        "site.toml" => "site",
        _ if name.ends_with(".annotations.jsonl") => "sidecar",
        _ if name.ends_with(".tape") || name.ends_with(".testbench-tape") => "tape",
        _ => return None,
    })
}

/// The documents of a file: itself, or its lines. What is no JSON (or TOML) at all is left out.
fn documents(path: &str, bytes: &[u8]) -> Vec<Value> {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches('\u{feff}');
    if path.ends_with(".toml") {
        return toml::from_str(text).into_iter().collect();
    }
    if path.ends_with(".json") {
        return serde_json::from_str(text).into_iter().collect();
    }
    text.lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect()
}

#[test]
fn every_sample_input_and_every_valid_fixture_is_what_its_schema_says() {
    let mut seen: std::collections::BTreeMap<&str, usize> = std::collections::BTreeMap::new();
    let mut wrong = Vec::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = tree(&root.join("content"));
    files.extend(tree(&fixture("base")));
    files.extend(tree(&fixture("harn")));
    files.insert(
        "site.toml".to_owned(),
        std::fs::read(root.join("site.toml")).expect("site.toml"),
    );
    files.extend(
        tree(&fixture("records"))
            .into_iter()
            .map(|(path, bytes)| (format!("{path}/run-record.json"), bytes)),
    );
    for (path, bytes) in &files {
        let Some(name) = schema_of_input(path) else {
            continue;
        };
        let validator = compiled(&schema(name));
        for document in documents(path, bytes) {
            *seen.entry(name).or_default() += 1;
            for refusal in refusals(&validator, &document) {
                wrong.push(format!("{path} against {name}: {refusal}"));
            }
        }
    }
    assert_eq!(wrong, [""; 0]);
    let inputs = schema::ALL
        .iter()
        .filter(|entry| matches!(entry.describes, Describes::Input(_)));
    for entry in inputs {
        assert!(seen.contains_key(entry.name), "no sample of {}", entry.name);
    }
}

/// A valid document of an input, and what the check says of a changed one.
struct Case {
    schema: &'static str,
    document: Value,
    accepts: fn(&Value) -> bool,
}

fn none_of(problems: &[Diagnostic], codes: &[&str]) -> bool {
    !problems
        .iter()
        .any(|problem| codes.iter().any(|code| problem.code.name.starts_with(code)))
}

fn accepts_record(document: &Value) -> bool {
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

fn accepts_event(document: &Value) -> bool {
    let line = document.to_string();
    let problems = events::read("events.jsonl", line.as_bytes(), |_| {});
    problems.iter().all(|problem| {
        problem.code.name == "events.unknown-type" && !problem.message.contains("has no `type`")
    })
}

fn accepts_raw_line(document: &Value) -> bool {
    raw::read("raw.jsonl", document.to_string().as_bytes())
        .1
        .is_empty()
}

fn accepts_tape_line(document: &Value) -> bool {
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

fn accepts_sidecar_line(document: &Value) -> bool {
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
            "annotation.schema",
        ],
    )
}

fn no_errors(problems: &[Diagnostic]) -> bool {
    !problems.iter().any(Diagnostic::is_error)
}

fn accepts_transcript(document: &Value) -> bool {
    let text = document.to_string();
    no_errors(&transcript::parse(Source::file("t", text.as_bytes())).1)
}

fn accepts_threads(document: &Value) -> bool {
    let text = document.to_string();
    no_errors(&threads::parse_state(Source::file("t", text.as_bytes())).1)
}

fn accepts_action(document: &Value) -> bool {
    let text = document.to_string();
    no_errors(&threads::parse_actions("t", text.as_bytes()).1)
}

fn accepts_settings(document: &Value) -> bool {
    // What is no TOML cannot be told wrong by either.
    toml::to_string(document).is_ok_and(|text| config::parse("site.toml", &text).1.is_empty())
}

/// serde reads an array as a struct, key by key, and so does Harn's own loader; a schema asks for the object.
const READ_AS_OBJECTS: [(&str, &str); 2] = [("tape", "/kind"), ("sidecar", "/links/0")];

fn case(schema: &'static str, document: Value, accepts: fn(&Value) -> bool) -> Case {
    Case {
        schema,
        document,
        accepts,
    }
}

/// A record with every key that runpress knows.
fn record() -> Value {
    json!({
        "id": "4f1c2d3e-1",
        "startedAt": "2026-03-01T10:00:00Z",
        "finishedAt": "2026-03-01T10:20:00Z",
        "publishedAt": "2026-03-02T10:20:00Z",
        "subject": {"testCaseSlug": "pong", "testCaseVersion": "v1", "testType": "end-to-end", "variant": "base",
            "harnessSlug": "codex", "harnessVersion": "1", "modelId": "m", "orchestratorSlug": "one-shot",
            "engineSlug": "none", "engineVersion": "1", "ggCapabilitySet": {"a": 1}, "ggSummary": {"a": 1}},
        "tooling": {"testCabinetCommit": "c"},
        "environment": {"os": "o", "containerImage": "i", "nodeVersion": "v22", "authMode": "apiKey"},
        "metrics": {"runTimeSeconds": 1.5, "setupSeconds": 1,
            "tokens": {"uncachedInput": 1, "cachedInput": null, "output": 0, "reasoning": 3},
            "cost": {"comparable": 0.5, "actual": 0}},
        "validation": {"loaded": true, "detail": null,
            "install": {"command": "npm ci", "succeeded": true, "detail": null, "attempts": 2},
            "build": {"command": "npm run build", "succeeded": true, "detail": "d"},
            "checks": [
                {"view": "title", "name": "Title", "reached": true, "similarity": 0.97, "detail": null},
                {"view": "end", "reached": false, "detail": "d"}],
            "proofs": [{"id": "p", "name": "n", "kind": "image", "dest": "d", "present": true, "detail": null}],
            "debugScripts": [{"itemId": "i", "subItemId": null, "title": "t", "categoryTitle": "c", "script": "s",
                "ran": true, "gates": true, "preconditionUnmet": false, "detail": null,
                "verdicts": [{"id": "v", "pass": true,
                    "assertions": [{"label": "l", "pass": true, "expected": 1, "actual": [1]}]}],
                "outputs": [{"id": "o", "name": "n", "kind": "k", "actualPresent": true}]}],
            "asset": {"frames": []}, "voxel": null,
            "adversarial": {"opponent": "o", "submissionTeam": "red", "winner": null, "redScore": 1, "blueScore": 1,
                "ended": "swept", "ticks": 9, "outcome": "draw"},
            "performance": {"correct": true, "totalFuel": 1, "fuelLimit": null,
                "cases": [{"correct": true, "overCeiling": false, "skipped": false}]}},
        "links": {"sourceRepo": "https://git.example.org/x", "playableBuild": null},
        "status": {"state": "completed", "detail": null},
        "gameJamReadme": "r",
        "gameJamPriorEntries": [{"runId": "r", "finishedAt": "2026-03-01T10:00:00Z", "readme": "r"}],
        "toolCalls": {"read": 3},
        "seedCommit": "c",
        "codeAnalysis": {"files": 1},
        "toolchain": {"typecheck": {"ran": true, "succeeded": true}},
        "showcase": {"description": "d", "media": [{"file": "f", "name": "n", "kind": "image"}]},
    })
}

/// A record in the oldest shape.
fn oldest_record() -> Value {
    let mut record = record();
    let keys = [
        "id",
        "startedAt",
        "finishedAt",
        "subject",
        "metrics",
        "validation",
        "links",
        "status",
    ];
    record
        .as_object_mut()
        .expect("an object")
        .retain(|key, _| keys.contains(&key.as_str()));
    record["subject"] = json!({"testCaseSlug": "pong", "testCaseVersion": "v1", "harnessSlug": "codex",
        "harnessVersion": null, "modelId": "m"});
    record["validation"] =
        json!({"loaded": true, "referenceComparisons": [{"view": "title", "similarity": 1}]});
    record
}

fn cases() -> Vec<Case> {
    let mut cases = vec![
        case("run-record", record(), accepts_record),
        case("run-record", oldest_record(), accepts_record),
    ];
    for event in [
        json!({"type": "agent", "message": "a", "sessionId": "s"}),
        json!({"type": "command", "command": "ls", "workingDirectory": "/", "exitCode": 1, "isSuccess": false}),
        json!({"type": "read", "path": "a", "startLine": 1, "endLine": 2}),
        json!({"type": "search", "query": "a"}),
        json!({"type": "list"}),
        json!({"type": "skill", "path": "a", "skillName": "b"}),
        json!({"type": "orchestration", "action": "subagent_started", "subagentId": "a", "subagentName": "b"}),
        json!({"type": "error", "message": "a", "code": "b"}),
        json!({"type": "system", "stage": "teardown", "status": "started", "message": "a"}),
        json!({"type": "usage", "tokens": {}, "cost": 1}),
        json!({"type": "gg", "event": {}}),
        json!({"type": "unknown", "raw": "a"}),
    ] {
        let mut event = event;
        event["timestamp"] = json!("2026-03-01T10:00:00Z");
        cases.push(case("events", event, accepts_event));
    }
    for line in [
        json!({"stream": "stdout", "line": "a"}),
        json!({"stream": "stderr", "text": "a"}),
        json!({"stream": "stderr", "text": "a", "line": ""}),
    ] {
        cases.push(case("raw", line, accepts_raw_line));
    }
    let payload = json!({"content_hash": "h", "text": "t"});
    let external = json!({"content_hash": "h", "len_bytes": 1});
    for kind in [
        json!({"kind": "clock_read", "source": "wall", "value_ms": 1}),
        json!({"kind": "clock_sleep", "duration_ms": 1}),
        json!({"kind": "llm_call", "request_digest": "d", "response": payload}),
        json!({"kind": "file_read", "path": "p", "content_hash": "h", "len_bytes": 1}),
        json!({"kind": "file_write", "path": "p", "content_hash": "h", "len_bytes": 1}),
        json!({"kind": "file_delete", "path": "p"}),
        json!({"kind": "process_spawn", "program": "p", "args": ["a"], "cwd": "/", "exit_code": 0,
            "duration_ms": 1, "stdout_payload": payload, "stderr_payload": external}),
        json!({"kind": "decision_evaluation", "request_digest": "d", "response": external}),
        json!({"kind": "mcp_json_rpc", "server": "s", "method": "m", "request_digest": "d",
            "response_digest": "d", "latency_ms": 1, "request_payload": payload, "response_payload": payload}),
        json!({"kind": "model_job", "job_id": "j", "request_id": "r", "backend": "b", "state": "s",
            "event_kind": "e", "event": payload, "asset_digests": ["a"]}),
        json!({"kind": "quantum", "x": 1}),
    ] {
        let record = json!({"type": "record", "seq": 0, "phase": "user_script", "virtual_time_ms": 0,
            "monotonic_ms": 0, "kind": kind});
        cases.push(case("tape", record, accepts_tape_line));
    }
    cases.push(case(
        "tape",
        json!({"type": "header", "version": 1, "harn_version": "0.8", "started_at_unix_ms": 1,
            "script_path": "s", "argv": ["a"]}),
        accepts_tape_line,
    ));
    for kind in ["note", "hypothesis", "friction", "newer"] {
        let mut note = json!({"type": "annotation", "id": "a", "event_id": 1, "kind": kind, "evidence": "e",
            "suggested_fix": {}, "author": {"id": "a", "kind": "human", "surface": "s"},
            "timestamp": "t", "span": {"start_event_id": 1, "end_event_id": 2},
            "links": [{"label": "l", "url": "https://example.org", "reference": "r"}], "metadata": {"a": 1}});
        match kind {
            "hypothesis" => note["hypothesis_status"] = json!("active"),
            "friction" => note["friction_kind"] = json!("tool_gap"),
            _ => {}
        }
        cases.push(case("sidecar", note, accepts_sidecar_line));
    }
    cases.push(case(
        "sidecar",
        json!({"type": "header", "schema_version": 1, "tape_path": "s", "tape_content_hash": "h",
            "harn_version": "0.8"}),
        accepts_sidecar_line,
    ));
    cases.push(case(
        "transcript",
        json!({"_type": "transcript", "version": 2, "id": "t", "state": "active",
            "messages": [{"role": "user", "visibility": "public",
                "content": [{"type": "text", "visibility": "public", "text": "a"}, "b"]}],
            "assets": [{"id": "a", "kind": "blob", "visibility": "public", "name": "n", "title": "t",
                "storage": {"path": "p"}}, "path"],
            "summary": "s", "metadata": {},
            "events": [{"id": "e", "kind": "plan", "role": "assistant", "visibility": "public", "text": "t"}]}),
        accepts_transcript,
    ));
    let entry = json!({"id": "e", "text": {"markdown": "m"}});
    let thread = json!({"id": "t", "turnId": "1", "resource": "file:///workspace/a",
        "range": {"start": {"line": 0, "character": 0}, "end": {"line": 1, "character": 0}},
        "resolved": false, "entries": [{"id": "e", "text": "plain"}, entry], "_meta": {}});
    let origin = json!({"session": "ahp-session:/1", "chat": "c", "turnId": "1"});
    let newer =
        json!({"id": "u", "origin": origin, "resource": "a", "resolved": true, "entries": []});
    let state = json!({"annotations": [thread, newer]});
    cases.push(case("threads", state.clone(), accepts_threads));
    cases.push(case(
        "threads",
        json!({"resource": "ahp-session:/1/annotations", "fromSeq": 3, "state": state}),
        accepts_threads,
    ));
    for action in [
        json!({"type": "annotations/set", "annotation": newer}),
        json!({"type": "annotations/updated", "annotationId": "a", "turnId": "1", "origin": origin,
            "resource": "r", "range": thread["range"], "resolved": true}),
        json!({"type": "annotations/removed", "annotationId": "a"}),
        json!({"type": "annotations/entrySet", "annotationId": "a", "entry": entry}),
        json!({"type": "annotations/entryRemoved", "annotationId": "a", "entryId": "e"}),
        json!({"type": "annotations/newer", "annotationId": 1}),
    ] {
        let envelope = json!({"channel": "c/annotations", "serverSeq": 1, "action": action,
            "origin": {"clientId": "c", "clientSeq": 1}, "rejectionReason": "r"});
        cases.push(case("thread-actions", envelope, accepts_action));
        cases.push(case("thread-actions", action, accepts_action));
    }
    cases.push(case(
        "site",
        json!({
            "site": {"title": "t", "description": "d", "base_url": "https://example.org/", "language": "en",
                "author": "a", "notice": "n"},
            "build": {"content": ["content"], "out": "public", "minify": true},
            "policy": {"require_review": true, "on_invalid": "quarantine", "stale_annotations": "warn",
                "embed_hosts": ["example.org"], "publish_events": true, "publish_implementation": false,
                "licence": "l"},
            "timeline": {"page_size": 10, "gap_seconds": 10},
            "files": {"workspace": "/workspace"},
            "feeds": {"items": 5},
            "limits": {"line": "64 MiB", "file": 10, "writeup": "1KiB", "inline": "7"},
            "nav": [{"title": "t", "url": "guide/index.html"}],
        }),
        accepts_settings,
    ));
    cases
}

/// Every place of a document with the document after each change there: a key removed, another value, a key more.
fn changes(document: &Value) -> Vec<(String, Value, Value)> {
    let values = [
        json!(null),
        json!(true),
        json!(0),
        json!(1),
        json!(-1),
        json!(0.5),
        json!(4_294_967_296_u64),
        json!(""),
        json!(" "),
        json!("text"),
        json!("http://"),
        json!("javascript:alert(1)"),
        json!("mailto:a@example.org"),
        json!("HTTPS://example.org:80/x?y#z"),
        json!("a/../b"),
        json!("2026-03-01 10:00:00.5+01:00"),
        json!("2026-03-01"),
        json!([]),
        json!([null]),
        json!(["x"]),
        json!({}),
        json!({"x": 1}),
    ];
    let mut found = Vec::new();
    let mut places = Vec::new();
    pointers(document, String::new(), &mut places);
    for place in places {
        for value in &values {
            let mut changed = document.clone();
            if let Some(target) = changed.pointer_mut(&place) {
                *target = value.clone();
            }
            found.push((place.clone(), value.clone(), changed));
        }
        if let Some((parent, key)) = place.rsplit_once('/') {
            let mut changed = document.clone();
            if let Some(Value::Object(object)) = changed.pointer_mut(parent) {
                object.remove(&key.replace("~1", "/"));
                found.push((place.clone(), json!("removed"), changed));
            }
        }
        let mut changed = document.clone();
        if let Some(Value::Object(object)) = changed.pointer_mut(&place) {
            object.insert("notAKey".to_owned(), json!(1));
            found.push((place.clone(), json!("a key more"), changed));
        }
    }
    found
}

fn pointers(value: &Value, place: String, found: &mut Vec<String>) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                pointers(value, format!("{place}/{key}"), found);
            }
        }
        Value::Array(items) => {
            for (index, value) in items.iter().enumerate() {
                pointers(value, format!("{place}/{index}"), found);
            }
        }
        _ => {}
    }
    found.push(place);
}

#[test]
fn a_schema_refuses_exactly_what_the_check_refuses_for_its_shape() {
    let mut wrong = Vec::new();
    let mut tally: std::collections::BTreeMap<&str, (usize, usize)> =
        std::collections::BTreeMap::new();
    for case in cases() {
        let validator = compiled(&schema(case.schema));
        assert!((case.accepts)(&case.document), "{}", case.document);
        assert_eq!(
            refusals(&validator, &case.document),
            [""; 0],
            "{}: {}",
            case.schema,
            case.document
        );
        for (place, value, changed) in changes(&case.document) {
            let as_object =
                value.is_array() && READ_AS_OBJECTS.contains(&(case.schema, place.as_str()));
            if as_object || (case.schema == "site" && toml::to_string(&changed).is_err()) {
                continue;
            }
            let checked = (case.accepts)(&changed);
            let refused = refusals(&validator, &changed);
            let counts = tally.entry(case.schema).or_default();
            *(if checked {
                &mut counts.0
            } else {
                &mut counts.1
            }) += 1;
            if checked != refused.is_empty() {
                wrong.push(format!(
                    "{}: {place} = {value}: the check {}, the schema {refused:?}; {}",
                    case.schema,
                    if checked { "accepts it" } else { "refuses it" },
                    case.document,
                ));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    for entry in schema::ALL {
        if matches!(entry.describes, Describes::Input(_)) {
            let (accepted, refused) = tally.get(entry.name).copied().unwrap_or_default();
            assert!(
                accepted > 10 && refused > 10,
                "{}: {accepted} accepted, {refused} refused",
                entry.name
            );
        }
    }
}

#[test]
fn the_settings_that_a_schema_names_as_defaults_are_the_defaults() {
    let mut text = String::new();
    let settings = schema("site");
    let sections = settings["properties"].as_object().expect("sections");
    for (section, shape) in sections.iter().filter(|(name, _)| *name != "nav") {
        let shape = shape["$ref"].as_str().map_or(shape, |target| {
            settings
                .pointer(target.trim_start_matches('#'))
                .expect("a definition")
        });
        text.push_str(&format!("[{section}]\n"));
        for (key, property) in shape["properties"].as_object().expect("keys") {
            if let Some(default) = property.get("default") {
                text.push_str(&format!("{key} = {default}\n"));
            }
        }
    }
    assert!(text.lines().count() > 20, "{text}");
    let (config, problems) = config::parse("site.toml", &text);
    assert_eq!((config, problems.len()), (Config::default(), 0), "{text}");
}

// ---- what is published ----

/// The schema of a published document, by its path.
fn schema_of_feed(path: &str) -> Option<&'static str> {
    schema::ALL.iter().find_map(|entry| match entry.describes {
        Describes::Feed(shape) => {
            let same = match shape.split_once("<slug>") {
                Some((before, after)) => path.starts_with(before) && path.ends_with(after),
                None => path == shape,
            };
            same.then_some(entry.name)
        }
        Describes::Input(_) => None,
    })
}

/// The schema with no room for keys that it does not describe, but where it passes on what an input wrote.
fn closed(name: &str) -> Value {
    let mut schema = schema(name);
    walk(&mut schema, &mut |object| {
        if object.get("properties").is_some() && object.get("type") == Some(&json!("object")) {
            object.insert("additionalProperties".to_owned(), json!(false));
        }
    });
    let passes_on = if name == "annotations-line" {
        vec![""]
    } else {
        vec!["/$defs/Annotation", "/$defs/Thread"]
    };
    for place in passes_on {
        if let Some(Value::Object(open)) = schema.pointer_mut(place) {
            open.remove("additionalProperties");
        }
    }
    schema
}

fn check_published(files: &std::collections::BTreeMap<String, Vec<u8>>) -> BTreeSet<&'static str> {
    let mut wrong = Vec::new();
    let mut seen = BTreeSet::new();
    for (path, bytes) in files {
        let own = path.ends_with(".json")
            && !path.starts_with("schema/")
            && path != "feeds/feed.json"
            && (path.starts_with("feeds/") || path.ends_with("/run.json"));
        let Some(name) = schema_of_feed(path) else {
            assert!(!own, "{path} has no schema");
            continue;
        };
        seen.insert(name);
        let validator = compiled(&closed(name));
        let found = documents(path, bytes);
        assert!(!found.is_empty() || bytes.is_empty(), "{path} is no JSON");
        for document in found {
            if own {
                assert_eq!(document["schemaVersion"], 1, "{path}");
            }
            for refusal in refusals(&validator, &document) {
                wrong.push(format!("{path}: {refusal}"));
            }
        }
    }
    assert_eq!(wrong, [""; 0]);
    seen
}

#[test]
fn every_document_of_the_demo_site_is_what_its_schema_says() {
    let out = tempfile::tempdir().expect("a folder");
    let overrides = Overrides {
        out: Some(out.path().join("public")),
        ..Overrides::default()
    };
    let demo =
        Site::open(Path::new(env!("CARGO_MANIFEST_DIR")), &overrides).expect("the demo site");
    let outcome = runpress::build(&demo, &Silent).expect("a build");
    assert!(outcome.published);
    let files = tree(&out.path().join("public"));
    let seen = check_published(&files);
    for entry in schema::ALL {
        if matches!(entry.describes, Describes::Feed(_)) {
            assert!(seen.contains(entry.name), "no document of {}", entry.name);
        }
        assert_eq!(
            files.get(&entry.path()).map(Vec::as_slice),
            Some(entry.document().as_bytes()),
            "{} is published as it is printed",
            entry.path()
        );
    }
    let index: Value = serde_json::from_slice(&files["feeds/index.json"]).expect("JSON");
    for feed in index["feeds"].as_array().expect("feeds") {
        let path = feed["path"].as_str().expect("a path");
        match feed["schema"].as_str() {
            Some(schema) => assert!(files.contains_key(schema), "{path}: {schema}"),
            None => assert_eq!(
                path, "feeds/feed.json",
                "only this follows a standard of its own"
            ),
        }
    }
}

#[test]
fn the_documents_of_odd_sites_are_what_their_schemas_say() {
    let bare = TestSite::base();
    bare.write("site.toml", "");
    let problems = TestSite::base();
    problems.write(
        &format!("{FIRST}/events.jsonl.annotations.jsonl"),
        "{\"type\":\"header\",\"schema_version\":1,\"tape_content_hash\":\"old\"}\n\
         {\"type\":\"annotation\",\"id\":\"a\",\"event_id\":1,\"kind\":\"newer\",\"tape\":1,\"target\":2,\"x\":[1]}\n",
    );
    problems.write("site.toml", "[policy]\nstale_annotations = \"warn\"\n");
    problems.write(
        &format!("{FIRST}/writeup.md"),
        "---\nrating.play: epic\nreview.a: pass well\n---\nText.\n",
    );
    problems.write(
        &format!("{FIRST}/annotations.json"),
        r#"{"annotations":[{"id":"t","turnId":"1","resource":"gone.txt","resolved":false,"entries":[],"extra":1}]}"#,
    );
    for site in [bare, problems, TestSite::empty()] {
        site.publish();
        check_published(&site.published());
    }
}

#[test]
fn the_schema_of_a_feed_refuses_a_document_without_a_key_or_with_a_value_of_another_type() {
    let site = TestSite::base();
    site.publish();
    let mut seen = BTreeSet::new();
    for (path, bytes) in site.published() {
        let Some(name) = schema_of_feed(&path) else {
            continue;
        };
        seen.insert(name);
        let validator = compiled(&schema(name));
        let document = documents(&path, &bytes).remove(0);
        for key in schema(name)["required"].as_array().expect("required keys") {
            let key = key.as_str().expect("a key");
            let mut without = document.clone();
            without.as_object_mut().expect("an object").remove(key);
            assert!(!validator.is_valid(&without), "{path} without {key}");
            let mut wrong = document.clone();
            wrong[key] = json!([[1]]);
            assert!(!validator.is_valid(&wrong), "{path} with another {key}");
        }
    }
    let feeds = schema::ALL
        .iter()
        .filter(|entry| matches!(entry.describes, Describes::Feed(_)));
    assert_eq!(seen.len(), feeds.count(), "every feed was looked at");
}

// ---- the command ----

#[test]
fn the_command_lists_the_schemas_prints_one_and_names_the_nearest_of_an_unknown_one() {
    let site = TestSite::empty();
    let list = site.runpress(&["schema"]);
    assert_eq!((list.status, list.stderr.as_str()), (Some(0), ""));
    assert_snapshot("cli", "schema", &list.stdout);
    let names: Vec<_> = list
        .stdout
        .lines()
        .filter_map(|line| line.split(' ').next())
        .collect();
    let known: Vec<_> = schema::ALL.iter().map(|entry| entry.name).collect();
    assert_eq!(names, known);
    for entry in schema::ALL {
        let printed = site.runpress(&["schema", entry.name]);
        assert_eq!(
            (printed.status, printed.stdout),
            (Some(0), entry.document())
        );
    }
    let unknown = site.runpress(&["schema", "sidcar"]);
    assert_eq!((unknown.status, unknown.stdout.as_str()), (Some(2), ""));
    assert_eq!(
        unknown.stderr,
        "error: there is no schema `sidcar`\n  help: Did you mean `sidecar`?\n"
    );
    let strange = site.runpress(&["schema", "zzz\u{1b}"]);
    assert_eq!(strange.status, Some(2));
    assert!(
        strange
            .stderr
            .contains("`runpress schema` without a name lists them all.")
            && !strange.stderr.contains('\u{1b}'),
        "{}",
        strange.stderr
    );
}
