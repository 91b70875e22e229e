//! Tests of the `OpenHands` importer: its samples, and damaged conversations.

use super::super::testing::{counts, only, outline, read, survive, tokens};
use super::*;

const EXPORT: &[u8] =
    include_bytes!("../../../tests/fixtures/import/openhands/letta-tool-calls/input.json");
const V0: &[u8] = include_bytes!("../../../tests/fixtures/import/openhands/v0-basic.json");
const V0_TALK: &[u8] =
    include_bytes!("../../../tests/fixtures/import/openhands/v0-basic_interactions.json");

/// The files of a conversation folder.
fn folder() -> Vec<(String, Vec<u8>)> {
    files_below("import/openhands/v1-made")
}

fn borrowed(files: &[(String, Vec<u8>)]) -> Vec<(&str, &[u8])> {
    files
        .iter()
        .map(|(name, bytes)| (name.as_str(), bytes.as_slice()))
        .collect()
}

fn run(files: &[(&str, &[u8])]) -> Draft {
    let mut runs = read(&OpenHands, files);
    assert_eq!(runs.len(), 1, "{runs:?}");
    runs.remove(0).expect("a run")
}

#[test]
fn a_conversation_folder_is_read_with_its_state() {
    let draft = run(&borrowed(&folder()));
    assert_eq!(
        counts(&draft),
        "assistant 4, calls 7, compactions 1, edits 1, failed 2, reasoning 1, results 7, system 1, user 1"
    );
    assert_eq!(tokens(&draft), "3750/5500/280/30");
    let record = &draft.record;
    assert_eq!(
        record.id,
        Id::Own("fddcdd9d-a2ff-5765-85b1-2d04c2bc94dc".to_owned())
    );
    assert_eq!(record.models, ["anthropic/claude-sonnet-4-5"]);
    assert_eq!(record.cost, Some(0.028));
    assert_eq!(
        (record.state, record.detail.as_deref()),
        ("completed", Some("finished"))
    );
    assert_eq!(
        (record.started.as_ref(), record.finished.as_ref()),
        (None, None)
    );
    assert_eq!(
        record.local_finished.as_deref(),
        Some("2026-03-01T12:00:29.250000")
    );
    assert_eq!(draft.identity.workspaces, ["/workspace/project"]);
    assert!(draft.warnings.is_empty(), "{:?}", draft.warnings);
    let outline = outline(&draft);
    for line in [
        r#"{"type":"tool_result","call":"call_2","ok":false,"exitCode":1,"exitCodeFrom":"field","text":"1 failed, 4 passed in 0.12s"}"#,
        r#"{"type":"edit","call":"call_3","path":"/workspace/project/calc.py","change":"modify","diff":"@@ -1,2 +1,2 @@\n def add(a, b):\n-    return a - b\n+    return a + b\n"}"#,
        r#"{"type":"tool_result","call":"call_4","ok":false,"text":"Error validating tool 'terminal': command: Field required"}"#,
        r#"{"type":"tool_result","call":"call_5","status":"rejected","text":"Do not push."}"#,
        r#"{"type":"compaction","forgotten":1}"#,
    ] {
        assert!(outline.contains(line), "{outline}");
    }
    assert!(!outline.contains("ci-runner-7") && !outline.contains("one test failed"));
    let usage = draft
        .events
        .iter()
        .filter(|event| matches!(event.what, super::super::What::Usage { .. }));
    assert_eq!(usage.count(), 7);
    let message = &draft.events[0];
    assert_eq!(
        message.local_time.as_deref(),
        Some("2026-03-01T12:00:01.250000")
    );
    assert_eq!((message.source.file, message.source.line), (2, None));
    assert_eq!(
        message.source.id.as_deref(),
        Some("497537c8-865b-5fa8-9170-239ad40a728f")
    );
}

#[test]
fn an_export_has_the_messages_calls_and_results_that_upstream_expects() {
    let draft = only(&OpenHands, "input.json", EXPORT);
    assert_eq!(counts(&draft), "assistant 2, calls 2, results 2, user 1");
    let shape: String = outline(&draft)
        .lines()
        .map(|line| line.replace("\"type\":", "") + "\n")
        .collect();
    assert_eq!(
        shape,
        concat!(
            r#"{"message","role":"user","text":"Inspect and update the entry point."}"#,
            "\n",
            r#"{"message","role":"assistant","text":"I'll inspect the workspace first."}"#,
            "\n",
            r#"{"tool_call","name":"terminal","call":"call_oh_1","arguments":{"command":"pwd"}}"#,
            "\n",
            r#"{"tool_result","call":"call_oh_1","ok":true,"text":"/workspace\nready"}"#,
            "\n",
            r#"{"tool_call","name":"file_editor","call":"oh_action-2","arguments":{"path":"src/app.ts","content":"updated"}}"#,
            "\n",
            r#"{"tool_result","call":"oh_action-2","status":"rejected","text":"Edit was not approved."}"#,
            "\n",
            r#"{"message","role":"assistant","text":"I inspected the workspace; the edit was rejected."}"#,
            "\n",
        )
    );
}

#[test]
fn events_before_1_0_are_joined_by_their_cause_and_answers_are_counted_once() {
    let draft = only(&OpenHands, "v0-basic.json", V0);
    assert_eq!(
        counts(&draft),
        "assistant 2, calls 2, edits 1, results 1, unanswered 1, unflagged 1, user 1"
    );
    assert_eq!(tokens(&draft), "4650/3482/1312/-");
    assert_eq!(draft.record.models, ["claude-3-5-sonnet-20241022"]);
    assert_eq!((draft.record.state, draft.record.cost), ("unknown", None));
    assert!(outline(&draft).contains(
        r#""path":"/workspace/game_2048.py","change":"create","diff":"@@ -0,0 +1,117 @@\n+import random\n"#
    ), "{}", outline(&draft));
    let draft = only(&OpenHands, "v0-basic_interactions.json", V0_TALK);
    assert_eq!(counts(&draft), "assistant 2, calls 1, unanswered 1, user 3");
    assert_eq!(tokens(&draft), "169/2304/10/-");
}

#[test]
fn exit_status_errors_and_the_last_state_of_events_before_1_0_are_read() {
    let log = r#"[{"id":1,"timestamp":"2025-01-27T22:44:56","source":"agent","action":"run","args":{"command":"ls","thought":"I look","hidden":false},"llm_metrics":{"accumulated_cost":0.5,"accumulated_token_usage":{"prompt_tokens":10,"completion_tokens":3,"cache_read_tokens":4}}},
      {"id":2,"source":"agent","observation":"run","cause":1,"content":"gone","extras":{"metadata":{"exit_code":2,"username":"ana","hostname":"box","working_dir":"/work"}}},
      {"id":3,"source":"agent","action":"run","args":{"command":"sleep 9"}},
      {"id":4,"source":"environment","observation":"error","cause":3,"content":"broke"},
      {"id":5,"source":"environment","observation":"error","content":"no model","extras":{"error_id":"STATUS"}},
      {"id":6,"source":"agent","action":"condensation","args":{"forgotten_events_start_id":1,"forgotten_events_end_id":4,"summary":"secret"}},
      {"id":7,"source":"environment","observation":"agent_state_changed","content":"","extras":{"agent_state":"stopped"}},
      {"id":8,"source":"user","action":"recall","args":{}},null,{"id":9}]"#;
    let draft = only(&OpenHands, "x.json", log.as_bytes());
    assert_eq!(
        outline(&draft),
        concat!(
            r#"{"type":"message","role":"assistant","text":"I look"}"#,
            "\n",
            r#"{"type":"tool_call","name":"run","call":"oh_1","arguments":{"command":"ls"}}"#,
            "\n",
            r#"{"type":"tool_result","call":"oh_1","ok":false,"exitCode":2,"exitCodeFrom":"field","text":"gone"}"#,
            "\n",
            r#"{"type":"tool_call","name":"run","call":"oh_3","arguments":{"command":"sleep 9"}}"#,
            "\n",
            r#"{"type":"tool_result","call":"oh_3","ok":false,"text":"broke"}"#,
            "\n",
            r#"{"type":"error","message":"no model","code":"STATUS"}"#,
            "\n",
            r#"{"type":"compaction","forgotten":4}"#,
            "\n",
        )
    );
    assert_eq!(tokens(&draft), "6/4/3/-");
    assert_eq!(draft.record.cost, Some(0.5));
    assert_eq!(
        (draft.record.state, draft.record.detail.as_deref()),
        ("canceled", Some("stopped"))
    );
    assert_eq!(
        (
            draft.identity.users.as_slice(),
            draft.identity.hosts.as_slice()
        ),
        (&["ana".to_owned()][..], &["box".to_owned()][..])
    );
    let problems: Vec<&str> = draft
        .warnings
        .iter()
        .map(|problem| problem.message.as_str())
        .collect();
    assert_eq!(
        problems,
        [
            "`/8` is not an event",
            "`/9` is not an action or an observation"
        ]
    );
}

#[test]
fn lines_that_were_abandoned_are_branches() {
    let event = |id: &str, parent: Option<&str>| {
        let parent = parent
            .map(|parent| format!(r#""parent_id":"{parent}","#))
            .unwrap_or_default();
        format!(
            r#"{{"kind":"MessageEvent","id":"{id}",{parent}"source":"user","llm_message":{{"role":"user","content":"{id}"}}}}"#
        )
    };
    let events = [
        event("a", Some("__root__")),
        event("b", None),
        event("c", None),
        event("d", Some("a")),
        event("e", Some("b")),
        event("f", Some("d")),
    ];
    let log = format!("{{\"items\":[{}]}}", events.join(","));
    let draft = only(&OpenHands, "x.json", log.as_bytes());
    let branches: Vec<Option<&str>> = draft
        .events
        .iter()
        .map(|event| event.branch.as_deref())
        .collect();
    assert_eq!(
        branches,
        [None, Some("b1"), Some("b1"), None, Some("b2"), None]
    );
}

#[test]
fn a_command_that_still_runs_is_no_failure() {
    let result = |extra: &str| {
        let log = format!(
            r#"[{{"kind":"ObservationEvent","id":"o","tool_call_id":"c","observation":{{"content":[],{extra}}}}}]"#
        );
        let draft = only(&OpenHands, "x.json", log.as_bytes());
        outline(&draft)
    };
    assert!(
        result(r#""is_error":false,"exit_code":-1,"timeout":true"#)
            .contains(r#""status":"running""#)
    );
    assert!(!result(r#""is_error":false,"exit_code":-1,"timeout":true"#).contains("ok"));
    assert!(result(r#""is_error":true,"exit_code":-1"#).contains(r#""ok":false,"text""#));
    assert!(result(r#""is_error":false,"exit_code":3"#).contains(r#""ok":false,"exitCode":3"#));
    assert!(!result(r#""kind":"Other""#).contains("ok"));
}

#[test]
fn several_conversations_of_a_folder_are_several_runs() {
    let files = folder();
    let mut both = Vec::new();
    for name in ["one", "two"] {
        for (path, bytes) in &files {
            both.push((format!("{name}/{path}"), bytes.clone()));
        }
    }
    let runs = read(&OpenHands, &borrowed(&both));
    assert_eq!(runs.len(), 2);
    assert!(
        runs.iter()
            .all(|run| run.as_ref().is_ok_and(|draft| draft.sources.len() == 19))
    );
}

#[test]
fn no_change_of_a_value_stops_the_importer() {
    for bytes in [EXPORT, V0, V0_TALK] {
        survive(&OpenHands, &[("a.json", bytes)]);
    }
    let files = folder();
    survive(&OpenHands, &borrowed(&files));
    let runs = read(&OpenHands, &[("a.json", b"{}")]);
    assert!(runs[0].is_err());
}

/// The files below a folder of the fixtures.
fn files_below(folder: &str) -> Vec<(String, Vec<u8>)> {
    let root = format!("{}/tests/fixtures/{folder}", env!("CARGO_MANIFEST_DIR"));
    let files = walkdir::WalkDir::new(&root).sort_by_file_name().into_iter();
    files
        .map(|entry| entry.expect("a readable folder"))
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| {
            let name = entry.path().strip_prefix(&root).expect("below");
            let bytes = std::fs::read(entry.path()).expect("a file");
            (name.to_str().expect("UTF-8").to_owned(), bytes)
        })
        .collect()
}

/// An export of these events.
fn export(events: &[&str]) -> Draft {
    only(
        &OpenHands,
        "export.json",
        format!("[{}]", events.join(",")).as_bytes(),
    )
}

#[test]
fn the_last_event_of_a_call_by_another_agent_counts() {
    let draft = run(&borrowed(&files_below("cases/openhands-acp")));
    assert_eq!(
        outline(&draft),
        concat!(
            r#"{"type":"message","role":"user","text":"List the files and make the paddle wider."}"#,
            "\n",
            r#"{"type":"tool_call","name":"`ls -la`","call":"t1","arguments":{"command":"ls -la","description":"List files"}}"#,
            "\n",
            r#"{"type":"tool_result","call":"t1","ok":true,"text":"paddle.ts"}"#,
            "\n",
            r#"{"type":"tool_call","name":"Edit paddle.ts","call":"t2","arguments":{"file_path":"/workspace/project/paddle.ts","old_string":"w=8","new_string":"w=12"}}"#,
            "\n",
            r#"{"type":"tool_result","call":"t2","ok":true,"text":"The file has been updated."}"#,
            "\n",
            r#"{"type":"edit","call":"t2","path":"/workspace/project/paddle.ts","change":"modify","diff":"@@ -1 +1 @@\n-w=8\n\\ No newline at end of file\n+w=12\n\\ No newline at end of file\n"}"#,
            "\n",
            r#"{"type":"tool_call","name":"`npm test`","call":"t3","arguments":{"command":"npm test"}}"#,
            "\n",
            r#"{"type":"tool_result","call":"t3","ok":false,"status":"failed","text":"1 failed"}"#,
            "\n",
            r#"{"type":"message","role":"assistant","text":"Done."}"#,
            "\n",
        )
    );
    let times: Vec<_> = draft.events[1..3]
        .iter()
        .map(|event| (event.local_time.as_deref(), event.source.id.as_deref()))
        .collect();
    assert_eq!(
        times,
        [
            (Some("2026-08-20T10:00:03.123456"), Some("e3")),
            (Some("2026-08-20T10:00:04.123456"), Some("e4")),
        ]
    );
    // What stands for an unknown model is none.
    assert!(draft.record.models.is_empty());
    assert_eq!(draft.record.state, "completed");
}

#[test]
fn calls_by_another_agent_are_read_with_any_content_and_without_an_end() {
    let draft = export(&[
        r#"{"kind":"ACPToolCallEvent","id":"1","source":"agent","tool_call_id":"a","title":"Write","status":"pending"}"#,
        r#"{"kind":"ACPToolCallEvent","id":"2","source":"agent","tool_call_id":"b","title":"Read","status":"in_progress","content":[{"type":"content","content":{"type":"text","text":"half"}}]}"#,
        r#"{"kind":"ACPToolCallEvent","id":"3","source":"agent","tool_call_id":"a","title":"Write two","status":"completed","raw_input":{"n":2},"content":[{"type":"diff","path":"new.ts","newText":"a\n"},{"type":"diff","path":"old.ts","oldText":"a\n","newText":"b\n"},{"type":"content","content":{"type":"text","text":"ok"}}]}"#,
        r#"{"kind":"ACPToolCallEvent","id":"4","source":"agent","tool_call_id":"c","title":"Run","status":"failed","raw_output":{"code":1},"content":[{"type":"diff","path":"no.ts","newText":"x"}],"is_error":true}"#,
    ]);
    assert_eq!(
        outline(&draft),
        concat!(
            r#"{"type":"tool_call","name":"Write two","call":"a","arguments":{"n":2}}"#,
            "\n",
            r#"{"type":"tool_call","name":"Read","call":"b"}"#,
            "\n",
            r#"{"type":"tool_result","call":"b","status":"in_progress","text":"half"}"#,
            "\n",
            r#"{"type":"tool_result","call":"a","ok":true,"text":"ok"}"#,
            "\n",
            r#"{"type":"edit","call":"a","path":"new.ts","change":"create","diff":"@@ -0,0 +1 @@\n+a\n"}"#,
            "\n",
            r#"{"type":"edit","call":"a","path":"old.ts","change":"modify","diff":"@@ -1 +1 @@\n-a\n+b\n"}"#,
            "\n",
            r#"{"type":"tool_call","name":"Run","call":"c"}"#,
            "\n",
            r#"{"type":"tool_result","call":"c","ok":false,"status":"failed","text":"{\"code\":1}"}"#,
            "\n",
        )
    );
}

#[test]
fn an_export_has_its_state_in_its_events() {
    let stats = |input: u64, cost: &str| {
        format!(
            r#"{{"usage_to_metrics":{{"agent":{{"accumulated_cost":{cost},"accumulated_token_usage":{{"prompt_tokens":{input},"completion_tokens":20,"cache_read_tokens":40,"reasoning_tokens":5}}}},"condenser":{{"accumulated_cost":0.1}}}}}}"#
        )
    };
    let update = |id: u64, key: &str, value: &str| {
        format!(
            r#"{{"kind":"ConversationStateUpdateEvent","id":"s{id}","source":"environment","parent_id":"1","key":"{key}","value":{value}}}"#
        )
    };
    let full = format!(
        r#"{{"id":"0a1b2c3d-0000-4000-8000-000000000009","agent":{{"llm":{{"model":"a/model","api_key":"private"}}}},"workspace":{{"working_dir":"/home/ana/app"}},"secret_registry":{{"x":"private"}},"execution_status":"running","stats":{}}}"#,
        stats(60, "0.05")
    );
    let (first, second, third) = (
        update(1, "full_state", &full),
        update(2, "stats", &stats(100, "0.2")),
        update(3, "execution_status", "\"finished\""),
    );
    let events = [
        r#"{"kind":"MessageEvent","id":"1","parent_id":"__root__","source":"user","llm_message":{"role":"user","content":[{"type":"text","text":"Go."}]}}"#,
        &first,
        r#"{"kind":"MessageEvent","id":"2","parent_id":"1","source":"agent","llm_message":{"role":"assistant","content":[{"type":"text","text":"Done."}]}}"#,
        &second,
        &third,
    ];
    let draft = export(&events);
    let record = &draft.record;
    assert_eq!(
        record.id,
        Id::Own("0a1b2c3d-0000-4000-8000-000000000009".to_owned())
    );
    assert_eq!(tokens(&draft), "60/40/15/5");
    assert_eq!(record.cost, Some(0.3));
    assert_eq!(record.models, ["a/model"]);
    assert_eq!(
        (record.state, record.detail.as_deref()),
        ("completed", Some("finished"))
    );
    assert_eq!(draft.identity.workspaces, ["/home/ana/app"]);
    // Updates of the state are on no branch.
    assert!(draft.events.iter().all(|event| event.branch.is_none()));
    assert!(!format!("{draft:?}").contains("private"));
    // Counters that begin again add up.
    let fourth = update(4, "stats", &stats(50, "0.02"));
    let draft = export(&[&events[..], &[&fourth]].concat());
    assert_eq!(tokens(&draft), "70/80/30/10");
    assert_eq!(draft.record.cost, Some(0.32));
}

#[test]
fn agents_that_count_cached_input_apart_have_all_of_their_input() {
    let state = r#"{"agent":{"kind":"ACPAgent","acp_model":"a/other"},"stats":{"usage_to_metrics":{"acp-managed":{"accumulated_cost":0.30000000000000004,"costs":[{"cost":0.1},{"cost":0.2}],"accumulated_token_usage":{"prompt_tokens":3,"completion_tokens":90,"cache_read_tokens":2000,"cache_write_tokens":100}}}}}"#;
    let message = r#"{"kind":"MessageEvent","id":"1","source":"user","llm_message":{"role":"user","content":"Go."}}"#;
    let draft = run(&[
        ("c/base_state.json", state.as_bytes()),
        ("c/events/event-00000-1.json", message.as_bytes()),
    ]);
    assert_eq!(tokens(&draft), "103/2000/90/-");
    assert_eq!(draft.record.cost, Some(0.3));
    assert_eq!(draft.record.models, ["a/other"]);
}

#[test]
fn what_the_framework_tells_the_model_is_not_what_the_user_says() {
    let said = |text: &str| {
        format!(
            r#"{{"kind":"MessageEvent","id":"{}","source":"user","llm_message":{{"role":"user","content":[{{"type":"text","text":"{text}"}}]}}}}"#,
            text.len()
        )
    };
    let texts = [
        "Fix the function 'f'.",
        "Your previous response was blocked by the model's content filter. Please continue.",
        "Parameter 'path' is expected to be an integer.",
        "Function 'x' not found in available tools: []",
        "The task appears incomplete (iteration 1, predicted success likelihood: 20.0%).",
    ]
    .map(said);
    let draft = export(&texts.each_ref().map(String::as_str));
    assert_eq!(counts(&draft), "user 1");
    assert_eq!(draft.withheld["injectedContext"], 4);
}

#[test]
fn counters_of_the_older_generation_that_begin_again_add_up() {
    let event = |id: u64, input: u64, cost: &str| {
        format!(
            r#"{{"id":{id},"source":"agent","action":"run","args":{{"command":"ls"}},"llm_metrics":{{"accumulated_cost":{cost},"accumulated_token_usage":{{"prompt_tokens":{input},"completion_tokens":10,"cache_read_tokens":0}}}}}}"#
        )
    };
    let events = [
        event(1, 50, "0.1"),
        event(2, 100, "0.2"),
        event(3, 30, "0.1"),
    ];
    let draft = export(&events.each_ref().map(String::as_str));
    assert_eq!(tokens(&draft), "130/0/20/-");
    assert_eq!(draft.record.cost, Some(0.3));
}

#[test]
fn a_file_among_the_events_that_has_no_number_is_counted() {
    let message = br#"{"kind":"MessageEvent","id":"1","source":"user","llm_message":{"role":"user","content":"Go."}}"#;
    let draft = run(&[
        ("c/events/event-00000-1.json", message),
        ("c/events/other.json", message),
        ("c/events/.eventlog.lock", b""),
    ]);
    assert_eq!(draft.unparsable, 1);
    assert_eq!(draft.warnings[0].place.path, "c/events/other.json");
}
