//! Valid documents of every input that together have every key that runpress recognizes.

use serde_json::{Value, json};

use super::check::{
    accepts_action, accepts_adapter_line, accepts_decision, accepts_event, accepts_finding,
    accepts_raw_line, accepts_record, accepts_redaction, accepts_rules, accepts_settings,
    accepts_sidecar_line, accepts_tape_line, accepts_threads, accepts_trace_line,
    accepts_transcript, accepts_withdrawals,
};
use super::{Case, case};

/// A record with every recognized key.
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
        "outcomes": [{"name": "n", "value": {"a": 1}, "scorer": "s", "kind": "reward", "valid": true, "reason": "r"}],
        "import": {"format": "f"},
        "codeAnalysis": {"files": 1},
        "toolchain": {"typecheck": {"ran": true, "succeeded": true}},
        "showcase": {"description": "d", "media": [{"file": "f", "name": "n", "kind": "image"}]},
    })
}

/// A record in the oldest version.
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

pub(super) fn cases() -> Vec<Case> {
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
    for event in [
        json!({"type": "message", "role": "user", "text": "a", "phase": "final", "steering": true, "images": 1, "model": "m"}),
        json!({"type": "reasoning", "text": "a", "summary": true, "agent": "a", "branch": "b1", "turn": 1,
            "time": "t", "localTime": "t"}),
        json!({"type": "tool_call", "name": "bash", "call": "c", "arguments": {"a": 1}, "argumentsText": "a", "hosted": true,
            "status": "s"}),
        json!({"type": "tool_result", "call": "c", "ok": true, "exitCode": 1, "exitCodeFrom": "text", "text": "a",
            "truncated": 1}),
        json!({"type": "edit", "path": "a", "change": "rename", "to": "b", "diff": "+a"}),
        json!({"type": "subagent", "action": "started", "id": "a", "name": "n", "call": "c"}),
        json!({"type": "compaction", "trigger": "auto", "tokensBefore": 1, "forgotten": 1}),
        json!({"type": "score", "name": "a", "value": {"a": 1}, "scorer": "s"}),
        json!({"type": "error", "message": "a", "code": "c"}),
        json!({"type": "usage", "model": "m", "cost": 0.5, "calls": ["c"],
            "tokens": {"uncachedInput": 1, "cachedInput": 2, "output": 3, "reasoning": 4}}),
        json!({"type": "note", "kind": "a", "text": "b", "source": {"file": 0, "member": "m", "line": 1, "pointer": "/a",
            "id": "i"}}),
        json!({"type": "unknown", "kind": "a"}),
    ] {
        let mut event = event;
        event["seq"] = json!(0);
        cases.push(case("trace", event, accepts_trace_line));
    }
    cases.push(case(
        "trace",
        json!({"type": "trace", "schemaVersion": 1, "importer": {"format": "f", "version": 1},
            "sources": [{"name": "n", "bytes": 1, "blake3": "b"}],
            "agents": [{"id": "a", "name": "n", "parent": "p", "call": "c", "model": "m"}], "withheld": {"prompts": 1}}),
        accepts_trace_line,
    ));
    cases.push(case(
        "adapter",
        json!({"type": "adapter", "schemaVersion": 1, "importer": {"format": "f", "version": 1}}),
        accepts_adapter_line,
    ));
    cases.push(case(
        "adapter",
        json!({"type": "record", "id": "i", "startedAt": "2026-03-01T10:00:00Z", "finishedAt": "2026-03-01T10:20:00Z",
            "subject": {"testCaseSlug": "t", "testCaseVersion": "v", "harnessSlug": "h", "harnessVersion": "1", "modelId": "m"},
            "metrics": {"runTimeSeconds": 1.5, "tokens": {"uncachedInput": 1, "cachedInput": 2, "output": 3, "reasoning": 4},
                "cost": {"actual": 0.5}},
            "status": {"state": "completed", "detail": "d"},
            "outcomes": [{"name": "n", "value": {"a": 1}, "scorer": "s", "valid": true, "reason": "r"}],
            "import": {"formatVersion": "1", "ids": {"a": "b"}, "models": ["m"], "estimated": ["cost"], "lowerBounds": ["cost.actual"]},
            "agents": [{"id": "a", "name": "n", "parent": "p", "call": "c", "model": "m"}],
            "withheld": {"toolDefinitions": 1},
            "private": {"folders": ["/f"], "users": ["u"], "hosts": ["h"]}}),
        accepts_adapter_line,
    ));
    cases.push(case(
        "adapter",
        json!({"type": "tool_result", "seq": 0, "time": "t", "localTime": "t", "agent": "a", "branch": "b", "turn": 1, "call": "c",
            "ok": true, "exitCode": -1, "exitCodeFrom": "field", "status": "s", "text": "t", "images": 1, "truncated": 1,
            "source": {"file": 0, "member": "m", "line": 1, "pointer": "/a", "id": "i"}}),
        accepts_adapter_line,
    ));
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
        json!({"kind": "llm_call", "request_digest": "d", "response": payload, "call_index": 1, "request": payload,
            "messages": [external], "attribution": {"segments": [{"field": "system", "start": 0, "end": 1, "render_id": "r"}],
                "system_bytes": 1, "system_attributed": 1, "prompt_bytes": 1, "prompt_attributed": 1}}),
        json!({"kind": "tool_call", "call_id": "", "tool": "t", "args_digest": "d", "after_calls": 1, "outcome": payload,
            "effects": [{"path": "p", "content": external}, {"path": "q"}], "unservable": "u", "transcript_changes": [
                {"session_id": "s", "fields": {"a": {"set": 1}, "b": {"append": [2]}, "c": "remove"}},
                {"session_id": "s", "lifecycle": {"kind": "opened", "transcript": {}}},
                {"session_id": "s", "lifecycle": {"kind": "closed"}}]}),
        json!({"kind": "cache_lookup", "namespace": "n", "key": "k", "after_calls": 1, "value": payload}),
        json!({"kind": "prompt_render", "render_id": "r", "template_uri": "t", "rendered": external, "spans": external}),
        json!({"kind": "payload_redaction"}),
        json!({"kind": "session_control", "event": payload}),
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
            "script_path": "s", "argv": ["a"], "run": {"recording": "full", "effects_observed": true,
                "state_roots": ["r"], "workspace_root": "w"}}),
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
                "storage": {"path": "p"}, "data": "d", "mime_type": "text/plain"}, "path"],
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
            "origin": {"clientId": "c", "clientSeq": 1}});
        let message = json!({"jsonrpc": "2.0", "method": "action", "params": envelope});
        cases.push(case("thread-actions", json!([message]), accepts_action));
        cases.push(case("thread-actions", message, accepts_action));
        cases.push(case("thread-actions", envelope, accepts_action));
        cases.push(case("thread-actions", action, accepts_action));
    }
    for (reason, note) in [("secret", ""), ("other", "a word of the game's plot")] {
        let span = json!({"id": "r1", "file": "notes/a.txt", "start": 0, "end": 8_589_934_592_u64, "length": 1,
            "reason": reason, "note": note, "by": "kim", "at": "2026-03-01T10:00:00Z",
            "commitment": "blake3:00", "published": "blake3:00"});
        cases.push(case("redactions", span, accepts_redaction));
    }
    let whole = json!({"id": "r1", "file": "a.png", "whole": true, "reason": "copyright"});
    cases.push(case("redactions", whole, accepts_redaction));
    let decided = |decision: &str, more: Value| {
        let mut document = json!({"date": "2026-03-01", "author": {"id": "a", "kind": "human"}, "run": "4f1c",
            "decision": decision, "reason": "r"});
        if let (Value::Object(document), Value::Object(more)) = (&mut document, more) {
            document.extend(more);
        }
        case("decisions", document, accepts_decision)
    };
    cases.push(decided("void", json!({"rule": "r", "event": 3})));
    cases.push(decided(
        "rescore",
        json!({"outcome": {"name": "reward", "from": 0, "to": {"a": 1}}}),
    ));
    cases.push(case(
        "findings",
        json!({"event": 3, "span_end": 4, "kind": "friction", "hypothesis_status": "active",
            "friction_kind": "tool_gap", "evidence": "e", "quote": "q", "author": {"id": "a", "kind": "agent"}}),
        accepts_finding,
    ));
    cases.push(case(
        "withdrawn",
        json!({"run": [{"id": "4f1c", "reason": "r"}, {"id": "x", "reason": "y"}]}),
        accepts_withdrawals,
    ));
    cases.push(case(
        "rules",
        json!({
            "version": "1", "severity": "note", "use": ["tests-unedited"],
            "rule": [
                {"id": "a", "title": "t", "why": "w", "blind": "b", "fix": "f", "severity": "error", "find": "f", "after": "a",
                    "expect": "none", "applies": {"case": ["c"], "variant": ["v"], "model": ["m"], "harness": ["h"]}},
                {"id": "b", "title": "t", "require": "r"},
                {"id": "c", "title": "t", "trials": 3, "files": ["f"]},
            ],
        }),
        accepts_rules,
    ));
    cases.push(case(
        "site",
        json!({
            "site": {"title": "t", "description": "d", "base_url": "https://example.org/", "language": "en",
                "author": "a", "notice": "n"},
            "build": {"content": ["content"], "out": "public", "minify": true},
            "policy": {"require_review": true, "on_invalid": "quarantine", "stale_annotations": "warn",
                "embed_hosts": ["example.org"], "publish_events": true, "publish_reasoning": true, "publish_raw": false, "publish_pictures": true, "publish_implementation": false,
                "licence": "l", "canary": "c"},
            "timeline": {"page_size": 10, "gap_seconds": 10},
            "files": {"workspace": ["/work", "/workspace"]},
            "feeds": {"items": 5},
            "limits": {"line": "64 MiB", "file": 10, "writeup": "1KiB", "inline": "7"},
            "nav": [{"title": "t", "url": "guide/index.html"}],
            "import": [{"path": "logs/**", "case": "c", "case_version": "v1", "variant": "v"}],
        }),
        accepts_settings,
    ));
    cases
}
