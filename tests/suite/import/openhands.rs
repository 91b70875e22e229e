//! Conversations of `OpenHands`, before and after 1.0.

use super::{File, Imported, files_below, import, named, one, run, sample};
use crate::support::entries;

const FORMAT: &str = "openhands";

/// The run of an export with these events.
fn export(events: &[impl AsRef<str>]) -> Imported {
    let events: Vec<&str> = events.iter().map(AsRef::as_ref).collect();
    one(FORMAT, "export.json", format!("[{}]", events.join(",")))
}

#[test]
fn a_conversation_folder_is_read_with_its_state() {
    let run = run(FORMAT, &files_below("import/openhands/v1-made"));
    run.states(
        "modelId state detail startedAt finishedAt localFinished",
        "anthropic/claude-sonnet-4-5 completed finished - - 2026-03-01T12:00:29.250000",
    );
    assert!(run.warnings.is_empty(), "{:?}", run.warnings);
    for line in [
        r#"{"type":"tool_result","call":"call_2","ok":false,"exitCode":1,"exitCodeFrom":"field","text":"1 failed, 4 passed in 0.12s"}"#,
        r#"{"type":"edit","call":"call_3","path":"./calc.py","change":"modify","diff":"@@ -1,2 +1,2 @@\n def add(a, b):\n-    return a - b\n+    return a + b\n"}"#,
        r#"{"type":"tool_result","call":"call_4","ok":false,"text":"Error validating tool 'terminal': command: Field required"}"#,
        r#"{"type":"tool_result","call":"call_5","status":"rejected","text":"Do not push."}"#,
        r#"{"type":"compaction","forgotten":1}"#,
    ] {
        run.has(line);
    }
    for private in ["ci-runner-7", "one test failed"] {
        assert!(!run.text().contains(private), "{private}");
    }
    assert_eq!(run.lines().len() - run.outline().len(), 7, "usage");
    assert_eq!(run.events()[0]["localTime"], "2026-03-01T12:00:01.250000");
    assert_eq!(
        run.origin(0),
        "2 - - - 497537c8-865b-5fa8-9170-239ad40a728f"
    );
}

#[test]
fn an_export_has_the_messages_calls_and_results_that_upstream_expects() {
    let run = one(
        FORMAT,
        "input.json",
        sample("openhands/letta-tool-calls/input.json"),
    );
    run.outlines(&[
        r#"{"type":"message","role":"user","text":"Inspect and update the entry point."}"#,
        r#"{"type":"message","role":"assistant","text":"I'll inspect the workspace first."}"#,
        r#"{"type":"tool_call","name":"terminal","call":"call_oh_1","arguments":{"command":"pwd"}}"#,
        r#"{"type":"tool_result","call":"call_oh_1","ok":true,"text":"/workspace\nready"}"#,
        r#"{"type":"tool_call","name":"file_editor","call":"oh_action-2","arguments":{"path":"src/app.ts","content":"updated"}}"#,
        r#"{"type":"tool_result","call":"oh_action-2","status":"rejected","text":"Edit was not approved."}"#,
        r#"{"type":"message","role":"assistant","text":"I inspected the workspace; the edit was rejected."}"#,
    ]);
}

#[test]
fn events_before_1_0_are_joined_by_their_cause_and_answers_are_counted_once() {
    let run = one(FORMAT, "v0-basic.json", sample("openhands/v0-basic.json"));
    run.states(
        "modelId state actual",
        "claude-3-5-sonnet-20241022 unknown -",
    );
    let edit = r#""path":"/workspace/game_2048.py","change":"create","diff":"@@ -0,0 +1,117 @@\n+import random\n"#;
    assert!(run.text().contains(edit), "{:#?}", run.outline());
}

#[test]
fn exit_status_errors_and_the_last_state_of_events_before_1_0_are_read() {
    let log = r#"[{"id":1,"timestamp":"2025-01-27T22:44:56","source":"agent","action":"run","args":{"command":"ls","thought":"I look","hidden":false},"llm_metrics":{"accumulated_cost":0.5,"accumulated_token_usage":{"prompt_tokens":10,"completion_tokens":3,"cache_read_tokens":4}}},
      {"id":2,"source":"agent","observation":"run","cause":1,"content":"gone from ana@box","extras":{"metadata":{"exit_code":2,"username":"ana","hostname":"box","working_dir":"/work"}}},
      {"id":3,"source":"agent","action":"run","args":{"command":"sleep 9"}},
      {"id":4,"source":"environment","observation":"error","cause":3,"content":"broke"},
      {"id":5,"source":"environment","observation":"error","content":"no model","extras":{"error_id":"STATUS"}},
      {"id":6,"source":"agent","action":"condensation","args":{"forgotten_events_start_id":1,"forgotten_events_end_id":4,"summary":"secret"}},
      {"id":7,"source":"environment","observation":"agent_state_changed","content":"","extras":{"agent_state":"stopped"}},
      {"id":8,"source":"user","action":"recall","args":{}},null,{"id":9}]"#;
    let run = one(FORMAT, "x.json", log);
    run.outlines(&[
        r#"{"type":"message","role":"assistant","text":"I look"}"#,
        r#"{"type":"tool_call","name":"run","call":"oh_1","arguments":{"command":"ls"}}"#,
        r#"{"type":"tool_result","call":"oh_1","ok":false,"exitCode":2,"exitCodeFrom":"field","text":"gone from user@host"}"#,
        r#"{"type":"tool_call","name":"run","call":"oh_3","arguments":{"command":"sleep 9"}}"#,
        r#"{"type":"tool_result","call":"oh_3","ok":false,"text":"broke"}"#,
        r#"{"type":"error","message":"no model","code":"STATUS"}"#,
        r#"{"type":"compaction","forgotten":4}"#,
    ]);
    assert_eq!(run.tokens(), "6/4/3/-");
    run.states("actual state detail", "0.5 canceled stopped");
    let unreadable = [
        "`/8` is not an event",
        "`/9` is not an action or an observation",
    ];
    for (problem, message) in run.warnings.iter().zip(unreadable) {
        assert_eq!(problem.message, message);
    }
}

#[test]
fn lines_that_were_abandoned_are_branches() {
    let event = |id: &str, parent: &str| {
        let parent = match parent {
            "" => String::new(),
            parent => format!(r#""parent_id":"{parent}","#),
        };
        format!(
            r#"{{"kind":"MessageEvent","id":"{id}",{parent}"source":"user","llm_message":{{"role":"user","content":"{id}"}}}}"#
        )
    };
    let events = [
        ("a", "__root__"),
        ("b", ""),
        ("c", ""),
        ("d", "a"),
        ("e", "b"),
        ("f", "d"),
    ];
    let events = events.map(|(id, parent)| event(id, parent)).join(",");
    let run = one(FORMAT, "x.json", format!("{{\"items\":[{events}]}}"));
    run.reads(&[
        "user a",
        "user b @branch=b1",
        "user c @branch=b1",
        "user d",
        "user e @branch=b2",
        "user f",
    ]);
}

#[test]
fn a_command_that_still_runs_is_no_failure() {
    for (extra, expected) in [
        (
            r#""is_error":false,"exit_code":-1,"timeout":true"#,
            "result running ",
        ),
        (r#""is_error":true,"exit_code":-1"#, "result false "),
        (r#""is_error":false,"exit_code":3"#, "result false 3 "),
        (r#""is_error":false,"exit_code":"2""#, "result "),
        (r#""is_error":true,"exit_code":"0""#, "result false "),
        (r#""kind":"Other""#, "result "),
    ] {
        let event = format!(
            r#"{{"kind":"ObservationEvent","id":"o","tool_call_id":"c","observation":{{"content":[],{extra}}}}}"#
        );
        assert_eq!(export(&[event]).brief(), [expected], "{extra}");
    }
}

#[test]
fn several_conversations_of_a_folder_are_several_runs() {
    let folder = files_below("import/openhands/v1-made");
    let both = ["one", "two"].iter().flat_map(|name| {
        let files = folder.iter();
        files.map(move |(path, bytes)| (format!("{name}/{path}"), bytes.clone()))
    });
    let runs = import(FORMAT, &both.collect::<Vec<File>>());
    assert_eq!(runs.len(), 2);
    let run = runs[0].as_ref().expect("a run");
    assert_eq!(entries(&run.record["import"]["sources"]).len(), 19);
    let copy = runs[1].as_ref().expect_err("the same id");
    assert_eq!(copy.code.name, "import.duplicate-run");
    let empty = import(FORMAT, &named([("a.json", "{}")])).remove(0);
    assert!(empty.is_err(), "no conversation");
}

#[test]
fn the_last_event_of_a_call_by_another_agent_counts() {
    let run = run(FORMAT, &files_below("cases/openhands-acp"));
    run.outlines(&[
        r#"{"type":"message","role":"user","text":"List the files and make the paddle wider."}"#,
        r#"{"type":"tool_call","name":"`ls -la`","call":"t1","arguments":{"command":"ls -la","description":"List files"}}"#,
        r#"{"type":"tool_result","call":"t1","ok":true,"text":"paddle.ts"}"#,
        r#"{"type":"tool_call","name":"Edit paddle.ts","call":"t2","arguments":{"file_path":"./paddle.ts","old_string":"w=8","new_string":"w=12"}}"#,
        r#"{"type":"tool_result","call":"t2","ok":true,"text":"The file has been updated."}"#,
        r#"{"type":"edit","call":"t2","path":"./paddle.ts","change":"modify","diff":"@@ -1 +1 @@\n-w=8\n\\ No newline at end of file\n+w=12\n\\ No newline at end of file\n"}"#,
        r#"{"type":"tool_call","name":"`npm test`","call":"t3","arguments":{"command":"npm test"}}"#,
        r#"{"type":"tool_result","call":"t3","ok":false,"status":"failed","text":"1 failed"}"#,
        r#"{"type":"message","role":"assistant","text":"Done."}"#,
    ]);
    for (event, time, id) in [(1, "03", "e3"), (2, "04", "e4")] {
        let event = &run.events()[event];
        assert_eq!(
            event["localTime"],
            format!("2026-08-20T10:00:{time}.123456")
        );
        assert_eq!(event["source"]["id"], id);
    }
    // The placeholder for an unknown model is no model.
    run.states("modelId models state", "- - completed");
}

#[test]
fn calls_by_another_agent_are_read_with_any_content_and_without_an_end() {
    let run = export(&[
        r#"{"kind":"ACPToolCallEvent","id":"1","source":"agent","tool_call_id":"a","title":"Write","status":"pending"}"#,
        r#"{"kind":"ACPToolCallEvent","id":"2","source":"agent","tool_call_id":"b","title":"Read","status":"in_progress","content":[{"type":"content","content":{"type":"text","text":"half"}}]}"#,
        r#"{"kind":"ACPToolCallEvent","id":"3","source":"agent","tool_call_id":"a","title":"Write two","status":"completed","raw_input":{"n":2},"content":[{"type":"diff","path":"new.ts","newText":"a\n"},{"type":"diff","path":"old.ts","oldText":"a\n","newText":"b\n"},{"type":"content","content":{"type":"text","text":"ok"}}]}"#,
        r#"{"kind":"ACPToolCallEvent","id":"4","source":"agent","tool_call_id":"c","title":"Run","status":"failed","raw_output":{"code":1},"content":[{"type":"diff","path":"no.ts","newText":"x"}],"is_error":true}"#,
    ]);
    run.outlines(&[
        r#"{"type":"tool_call","name":"Write two","call":"a","arguments":{"n":2}}"#,
        r#"{"type":"tool_call","name":"Read","call":"b"}"#,
        r#"{"type":"tool_result","call":"b","status":"in_progress","text":"half"}"#,
        r#"{"type":"tool_result","call":"a","ok":true,"text":"ok"}"#,
        r#"{"type":"edit","call":"a","path":"new.ts","change":"create","diff":"@@ -0,0 +1 @@\n+a\n"}"#,
        r#"{"type":"edit","call":"a","path":"old.ts","change":"modify","diff":"@@ -1 +1 @@\n-a\n+b\n"}"#,
        r#"{"type":"tool_call","name":"Run","call":"c"}"#,
        r#"{"type":"tool_result","call":"c","ok":false,"status":"failed","text":"{\"code\":1}"}"#,
    ]);
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
        r#"{{"id":"0a1b2c3d-0000-4000-8000-000000000009","agent":{{"llm":{{"model":"a/model","api_key":"private"}}}},"workspace":{{"working_dir":"/srv/app"}},"secret_registry":{{"x":"private"}},"execution_status":"running","stats":{}}}"#,
        stats(60, "0.05")
    );
    let mut events = vec![
        r#"{"kind":"MessageEvent","id":"1","parent_id":"__root__","source":"user","llm_message":{"role":"user","content":[{"type":"text","text":"Go to /srv/app/x."}]}}"#.to_owned(),
        update(1, "full_state", &full),
        r#"{"kind":"MessageEvent","id":"2","parent_id":"1","source":"agent","llm_message":{"role":"assistant","content":[{"type":"text","text":"Done."}]}}"#.to_owned(),
        update(2, "stats", &stats(100, "0.2")),
        update(3, "execution_status", "\"finished\""),
    ];
    let run = export(&events);
    run.states(
        "id actual modelId state detail",
        "0a1b2c3d-0000-4000-8000-000000000009 0.3 a/model completed finished",
    );
    assert_eq!(run.tokens(), "60/40/15/5");
    // Updates of the state are on no branch.
    run.reads(&["user Go to ./x.", "assistant Done.", "note status finished"]);
    assert!(!run.text().contains("private"));
    // Counters that begin again add up.
    events.push(update(4, "stats", &stats(50, "0.02")));
    let run = export(&events);
    assert_eq!(
        (run.tokens() + " " + &run.facts("actual")),
        "70/80/30/10 0.32"
    );
}

#[test]
fn agents_that_count_cached_input_apart_have_all_of_their_input() {
    let state = r#"{"agent":{"kind":"ACPAgent","acp_model":"a/other"},"stats":{"usage_to_metrics":{"acp-managed":{"accumulated_cost":0.30000000000000004,"costs":[{"cost":0.1},{"cost":0.2}],"accumulated_token_usage":{"prompt_tokens":3,"completion_tokens":90,"cache_read_tokens":2000,"cache_write_tokens":100}}}}}"#;
    let files = [
        ("c/base_state.json", state),
        ("c/events/event-00000-1.json", MESSAGE),
    ];
    let run = run(FORMAT, &named(files));
    assert_eq!(run.tokens(), "103/2000/90/-");
    run.states("actual modelId", "0.3 a/other");
}

const MESSAGE: &str = r#"{"kind":"MessageEvent","id":"1","source":"user","llm_message":{"role":"user","content":"Go."}}"#;

#[test]
fn what_the_framework_tells_the_model_is_not_what_the_user_says() {
    let texts = [
        "Fix the function 'f'.",
        "Your previous response was blocked by the model's content filter. Please continue.",
        "Parameter 'path' is expected to be an integer.",
        "Function 'x' not found in available tools: []",
        "The task appears incomplete (iteration 1, predicted success likelihood: 20.0%).",
    ];
    let run = export(&texts.map(|text| MESSAGE.replace("Go.", text)));
    run.reads(&["user Fix the function 'f'."]);
    assert_eq!(run.withheld("injectedContext"), 4);
}

#[test]
fn counters_of_the_older_generation_that_begin_again_add_up() {
    let event = |id: u64, input: u64, cost: &str| {
        format!(
            r#"{{"id":{id},"source":"agent","action":"run","args":{{"command":"ls"}},"llm_metrics":{{"accumulated_cost":{cost},"accumulated_token_usage":{{"prompt_tokens":{input},"completion_tokens":10,"cache_read_tokens":0}}}}}}"#
        )
    };
    let run = export(&[
        event(1, 50, "0.1"),
        event(2, 100, "0.2"),
        event(3, 30, "0.1"),
    ]);
    assert_eq!(run.tokens(), "130/0/20/-");
    run.states("actual", "0.3");
}

#[test]
fn a_file_among_the_events_that_has_no_number_is_counted() {
    let files = ["event-00000-1.json", "other.json", ".eventlog.lock"];
    let files = files.map(|name| (format!("c/events/{name}"), MESSAGE.into()));
    let run = run(FORMAT, &files);
    assert_eq!(run.report["unparsable"], 1);
    assert_eq!(run.warnings[0].place.path, "events/other.json");
}

#[test]
fn the_role_of_a_message_decides_and_unknown_roles_are_left_out() {
    let message = |id: usize, source: &str, role: &str| {
        format!(
            r#"{{"kind":"MessageEvent","id":"m{id}","source":"{source}","llm_message":{{"role":"{role}","content":"{source} {role}"}}}}"#
        )
    };
    let run = export(&[
        message(0, "user", "user"),
        message(1, "agent", "assistant"),
        message(2, "user", "system"),
        message(3, "agent", "developer"),
        message(4, "user", "critic"),
        message(5, "agent", "System"),
    ]);
    run.reads(&["user user user", "assistant agent assistant"]);
    let withheld = "developerPrompts 1, systemPrompts 1, unknownRows 2";
    assert_eq!(run.all_withheld(), withheld);
    let older = r#"[{"id":1,"source":"agent","action":"message","args":{"content":"said"}},{"id":2,"source":"critic","action":"message","args":{"content":"secret"}}]"#;
    let run = one(FORMAT, "x.json", older);
    run.reads(&["assistant said"]);
    assert_eq!(run.all_withheld(), "unknownRows 1");
}

/// A conversation with these metrics of models, as files.
fn with_metrics(metrics: &str) -> Imported {
    let state = format!(r#"{{"id":"c","stats":{{"usage_to_metrics":{{{metrics}}}}}}}"#);
    let event = r#"{"kind":"MessageEvent","id":"m","source":"user","llm_message":{"role":"user","content":"hi"}}"#;
    run(
        FORMAT,
        &named([
            ("base_state.json", &state),
            ("events/event-00000-m.json", event),
            ("events/event-00001-n.json", "[]"),
        ]),
    )
}

#[test]
fn a_sum_over_models_that_do_not_all_have_a_value_is_a_lower_bound() {
    const ALL: &str =
        r#""prompt_tokens":10,"completion_tokens":2,"cache_read_tokens":4,"reasoning_tokens":1"#;
    const SOME: &str = r#""prompt_tokens":5,"completion_tokens":2"#;
    const NONE: &str = r#""prompt_tokens":0,"completion_tokens":0"#;
    for (cost, other, tokens, bounds) in [
        ("0.5", ALL, "12/8/2/2", ""),
        ("0.0", ALL, "12/8/2/2", "cost.actual"),
        ("0.5", SOME, "11/4/4/-", "tokens.cachedInput"),
        ("0.0", NONE, "6/4/1/1", ""),
    ] {
        let metrics = [("a", "0.25", ALL), ("b", cost, other)].map(|(name, cost, usage)| {
            format!(
                r#""{name}":{{"accumulated_cost":{cost},"accumulated_token_usage":{{{usage}}}}}"#
            )
        });
        let run = with_metrics(&metrics.join(","));
        assert_eq!((&*run.tokens(), &*run.lower_bounds()), (tokens, bounds));
    }
}

#[test]
fn values_that_are_no_numbers_and_files_without_events_are_named() {
    let run = with_metrics(
        r#""a":{"accumulated_cost":"0.5","accumulated_token_usage":{"prompt_tokens":"7","completion_tokens":2}}"#,
    );
    assert_eq!(run.tokens(), "-/-/2/-");
    assert_eq!(
        run.messages(),
        [
            "`accumulated_cost` is not a number, so it is unknown",
            "`accumulated_token_usage.prompt_tokens` is not a number, so it is unknown",
            "The file holds no event",
        ]
    );
}
