//! Tests of the Codex importer: its samples, and damaged logs.

use crate::import::testing::{
    brief, comparable, expected, json, only, read_with, run, sample, survives, tally, tokens,
};
use crate::import::{Id, Keep, Options, Source};

use super::{Codex, read_rollout};

const FIRST: &[u8] = sample!(
    "codex/ccl/sessions/2026/01/02/rollout-2026-01-02T03-04-05-11111111-1111-4111-8111-111111111111.jsonl"
);
const FLAT: &[u8] =
    sample!("codex/ccl/sessions/rollout-44444444-4444-4444-8444-444444444444.jsonl");
const REAL: &[u8] = sample!(
    "codex/localpush/sessions/2026/02/23/rollout-2026-02-23T20-34-25-019c8bfe-ec25-79e0-97d7-bda6a9c575ff.jsonl"
);
const LETTA: &[u8] = sample!("codex/letta-tool-calls/input.jsonl");

/// The run of these rows. Each `T` in a row becomes a time, one second later on each row.
fn of(rows: &[&str]) -> crate::import::Draft {
    only(&Codex, "rollout-x.jsonl", written(rows).as_bytes())
}

fn written(rows: &[&str]) -> String {
    let timed = rows.iter().enumerate().map(|(at, row)| {
        let time = format!("{{\"timestamp\":\"2026-01-01T00:00:{at:02}.000Z\",");
        row.replacen('{', &time, 1) + "\n"
    });
    timed.collect()
}

const META: &str =
    r#"{"type":"session_meta","payload":{"id":"11111111-1111-4111-8111-111111111111"}}"#;

#[test]
fn a_rollout_becomes_the_trace_of_the_documentation() {
    let draft = only(&Codex, "rollout.jsonl", FIRST);
    assert_eq!(
        json(&draft),
        [
            r#"{"time":"2026-01-02T03:04:07.001Z","type":"message","role":"user","text":"List the synthetic files.","source":{"file":0,"line":4}}"#,
            r#"{"time":"2026-01-02T03:04:08.000Z","type":"reasoning","text":"I will inspect the synthetic directory.","summary":true,"source":{"file":0,"line":5,"pointer":"/payload/summary/0"}}"#,
            r#"{"time":"2026-01-02T03:04:09.000Z","type":"tool_call","name":"exec_command","call":"call-structured-001","arguments":{"cmd":"find . -maxdepth 1 -type f"},"source":{"file":0,"line":6}}"#,
            r#"{"time":"2026-01-02T03:04:10.000Z","type":"tool_result","call":"call-structured-001","text":"./alpha.txt\n./beta.txt","source":{"file":0,"line":7}}"#,
            r#"{"time":"2026-01-02T03:04:11.000Z","type":"tool_call","name":"apply_patch","call":"call-custom-001","argumentsText":"*** Begin Patch\n*** Add File: gamma.txt\n+synthetic\n*** End Patch","source":{"file":0,"line":8}}"#,
            r#"{"time":"2026-01-02T03:04:12.000Z","type":"tool_result","call":"call-custom-001","text":"Done!","source":{"file":0,"line":9}}"#,
            r#"{"time":"2026-01-02T03:04:12.000Z","type":"edit","call":"call-custom-001","path":"gamma.txt","change":"create","diff":"+synthetic","source":{"file":0,"line":9}}"#,
            r#"{"time":"2026-01-02T03:04:13.000Z","type":"tool_call","name":"mcp__synthetic__lookup","call":"call-mcp-001","arguments":{"query":"fixture"},"source":{"file":0,"line":10}}"#,
            r#"{"time":"2026-01-02T03:04:14.000Z","type":"tool_result","call":"call-mcp-001","text":"{\"status\":\"ok\"}","source":{"file":0,"line":11}}"#,
            r#"{"time":"2026-01-02T03:04:15.001Z","type":"message","role":"assistant","text":"The synthetic files are alpha.txt and beta.txt.","source":{"file":0,"line":13}}"#,
        ]
    );
    assert_eq!(
        draft.withheld.into_iter().collect::<Vec<_>>(),
        [("encryptedReasoning", 1), ("unknownRows", 1)]
    );
    assert_eq!(draft.unknown_rows["future_synthetic_record"], 1);
    let record = draft.record;
    assert_eq!(
        record.id,
        Id::Own("11111111-1111-4111-8111-111111111111".to_owned())
    );
    assert_eq!(record.models, ["synthetic-model"]);
    assert_eq!(record.harness_version.as_deref(), Some("0.0.0-test"));
    assert_eq!(record.started.as_deref(), Some("2026-01-02T03:04:05.000Z"));
    assert_eq!(record.finished.as_deref(), Some("2026-01-02T03:04:16.000Z"));
    assert_eq!(record.state, "");
    assert_eq!(record.run_time_seconds, None);
    assert_eq!(draft.identity.workspaces, ["/workspace/synthetic-project"]);
}

#[test]
fn a_compressed_rollout_is_the_same_run() {
    let zst = sample!(
        "codex/zst/rollout-2026-01-02T03-04-05-11111111-1111-4111-8111-111111111111.jsonl.zst"
    );
    let compressed = only(&Codex, "rollout.jsonl.zst", zst);
    assert_eq!(
        json(&compressed),
        json(&only(&Codex, "rollout.jsonl", FIRST))
    );
    let both = read_with(
        &Codex,
        &[("rollout.jsonl", FIRST), ("rollout.jsonl.zst", zst)],
        &Options::default(),
    );
    assert_eq!(both.len(), 1, "the plain file counts");
}

#[test]
fn items_without_frames_are_read() {
    let draft = only(&Codex, "rollout.jsonl", FLAT);
    assert_eq!(
        brief(&draft),
        [
            "user Open the synthetic legacy session.",
            "assistant The synthetic legacy session is open."
        ]
    );
    assert_eq!(
        draft.record.started.as_deref(),
        Some("2026-01-04T05:06:07.000Z")
    );
    assert_eq!(draft.record.finished, draft.record.started);
    assert_eq!(draft.events[0].source.line, Some(2));
}

#[test]
fn messages_calls_and_results_come_in_the_order_that_upstream_expects() {
    let draft = only(&Codex, "input.jsonl", LETTA);
    assert_eq!(
        comparable(&draft),
        expected(sample!("codex/letta-tool-calls/expected.json"))
    );
    assert_eq!(draft.withheld["injectedContext"], 1);
}

#[test]
fn the_counts_of_a_real_rollout_are_right() {
    let draft = only(&Codex, "rollout.jsonl", REAL);
    assert_eq!(tally(&draft), [1, 6, 6, 5, 5, 0]);
    assert_eq!(tokens(&draft), "59525/238848/640/483");
    assert_eq!(draft.record.state, "completed");
    assert_eq!(draft.withheld["injectedContext"], 2);
    assert_eq!(draft.withheld["developerPrompts"], 4);
    assert_eq!(
        draft.record.started.as_deref(),
        Some("2026-02-23T19:34:26.098Z")
    );
    assert_eq!(
        draft.record.finished.as_deref(),
        Some("2026-02-23T19:36:02.635Z")
    );
    let usage = brief(&draft).iter().filter(|line| *line == "usage").count();
    assert_eq!(usage, 6, "repeated counts are shown once");
}

#[test]
fn prompts_are_kept_when_asked_for_and_reasoning_is_left_out() {
    let options = Options {
        keep: vec![Keep::Prompts],
        no_reasoning: true,
        ..Options::default()
    };
    let draft = read_with(&Codex, &[("rollout.jsonl", REAL)], &options)
        .remove(0)
        .expect("a run");
    let notes = brief(&draft);
    let of = |kind: &str| notes.iter().filter(|line| line.starts_with(kind)).count();
    assert_eq!(
        (of("note developer prompt"), of("note injected context")),
        (4, 2)
    );
    assert_eq!(of("reasoning"), 0);
    assert_eq!(draft.withheld["reasoning"], 6);
}

#[test]
fn exit_codes_are_read_from_fields_and_from_the_header_only() {
    let result = |output: &str| {
        let call = r#"{"type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{}","call_id":"c"}}"#;
        let output = serde_json::to_string(output).expect("JSON");
        let row = format!(
            r#"{{"type":"response_item","payload":{{"type":"function_call_output","call_id":"c","output":{output}}}}}"#
        );
        brief(&of(&[META, call, &row])).remove(1)
    };
    for (output, brief) in [
        (
            r#"{"output":"x","metadata":{"exit_code":2,"duration_seconds":0.1}}"#,
            "result c false 2 x",
        ),
        (
            "Exit code: 1\nWall time: 0.2 seconds\nOutput:\nno",
            "result c false 1 no",
        ),
        (
            "Exit code: 0\nWall time: 2 seconds\nTotal output lines: 3\nOutput:\nyes",
            "result c true 0 yes",
        ),
        (
            "Chunk ID: a1\nWall time: 0.1 seconds\nProcess exited with code 7\nOriginal token count: 4\nOutput:\n",
            "result c false 7 ",
        ),
        (
            "Wall time: 0.1 seconds\nProcess running with session ID 9\nOutput:\nup",
            "result c running up",
        ),
        (
            "\nExit code: 1\nWall time: 0.2 seconds\nOutput:\n",
            "result c \nExit code: 1\nWall time: 0.2 seconds\nOutput:\n",
        ),
        (
            "Exit code: 1\nOutput:\nno",
            "result c Exit code: 1\nOutput:\nno",
        ),
        (
            "It failed with exit code: 1",
            "result c It failed with exit code: 1",
        ),
    ] {
        assert_eq!(result(output), brief, "{output}");
    }
}

#[test]
fn a_patch_gives_an_edit_for_each_file_unless_it_failed() {
    let patch = "*** Begin Patch\\n*** Update File: a.rs\\n*** Move to: b.rs\\n@@ fn x\\n-a\\n+b\\n*** End of File\\n*** Delete File: c\\n*** Add File: d\\n+1\\n*** End Patch";
    let call = format!(
        r#"{{"type":"response_item","payload":{{"type":"function_call","name":"apply_patch","arguments":"{{\"input\":\"{}\"}}","call_id":"p"}}}}"#,
        patch.replace('\\', "\\\\")
    );
    let result = |code: i64| {
        format!(
            r#"{{"type":"response_item","payload":{{"type":"function_call_output","call_id":"p","output":"Exit code: {code}\nWall time: 0 seconds\nOutput:\ndone"}}}}"#
        )
    };
    let draft = of(&[META, &call, &result(0)]);
    assert_eq!(
        brief(&draft)[1..],
        [
            "result p true 0 done",
            "edit p a.rs rename",
            "edit p c delete",
            "edit p d create"
        ]
    );
    assert!(
        json(&draft)[2].contains(r#""to":"b.rs","diff":"@@ fn x\n-a\n+b""#),
        "{:?}",
        json(&draft)[2]
    );
    assert_eq!(
        brief(&of(&[META, &call, &result(1)]))[1..],
        ["result p false 1 done"]
    );
}

#[test]
fn an_event_for_the_screen_counts_only_where_it_has_no_twin() {
    let draft = of(&[
        META,
        r#"{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"injected"}]}}"#,
        r#"{"type":"event_msg","payload":{"type":"user_message","message":"hello"}}"#,
        r#"{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"hello"}]}}"#,
        r#"{"type":"event_msg","payload":{"type":"agent_reasoning","text":"one"}}"#,
        r#"{"type":"event_msg","payload":{"type":"agent_reasoning","text":"two"}}"#,
        r#"{"type":"response_item","payload":{"type":"reasoning","summary":[{"type":"summary_text","text":"one"},{"type":"summary_text","text":"two"}]}}"#,
        r#"{"type":"event_msg","payload":{"type":"agent_message","message":"only here"}}"#,
        r#"{"type":"event_msg","payload":{"type":"token_count","info":null}}"#,
        r#"{"type":"event_msg","payload":{"type":"agent_message","message":"far"}}"#,
        r#"{"type":"event_msg","payload":{"type":"turn_diff"}}"#,
        r#"{"type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"far"}]}}"#,
    ]);
    assert_eq!(
        brief(&draft),
        [
            "user hello",
            "reasoning one",
            "reasoning two",
            "assistant only here",
            "assistant far"
        ]
    );
    assert_eq!(draft.withheld["injectedContext"], 1);
}

#[test]
fn undone_turns_are_a_branch() {
    let user = |text: &str| {
        format!(r#"{{"type":"event_msg","payload":{{"type":"user_message","message":"{text}"}}}}"#)
    };
    let agent = |text: &str| {
        format!(r#"{{"type":"event_msg","payload":{{"type":"agent_message","message":"{text}"}}}}"#)
    };
    let undo = r#"{"type":"event_msg","payload":{"type":"thread_rolled_back","num_turns":1}}"#;
    let rows = [
        user("one"),
        agent("1"),
        user("two"),
        agent("2"),
        undo.to_owned(),
        user("three"),
        agent("3"),
    ];
    let rows: Vec<&str> = std::iter::once(META)
        .chain(rows.iter().map(String::as_str))
        .collect();
    assert_eq!(
        brief(&of(&rows)),
        [
            "user one",
            "assistant 1",
            "user two @branch=b1",
            "assistant 2 @branch=b1",
            "note rolled back 1 turns",
            "user three",
            "assistant 3"
        ]
    );
}

#[test]
fn the_end_of_the_last_turn_is_the_state() {
    let ended = |row: &str| {
        let draft = of(&[META, row]);
        (draft.record.state, draft.record.detail.unwrap_or_default())
    };
    assert_eq!(
        ended(
            r#"{"type":"event_msg","payload":{"type":"turn_complete","error":{"message":"no"}}}"#
        ),
        ("harness_error", "turn_complete".to_owned())
    );
    assert_eq!(
        ended(
            r#"{"type":"event_msg","payload":{"type":"turn_aborted","reason":"budget_limited"}}"#
        ),
        ("limit_exceeded", "turn_aborted: budget_limited".to_owned())
    );
    assert_eq!(
        ended(r#"{"type":"event_msg","payload":{"type":"task_started"}}"#),
        ("", String::new())
    );
}

#[test]
fn tokens_that_are_a_full_window_do_not_count() {
    let count = |input: u64, total: u64| {
        format!(
            r#"{{"type":"event_msg","payload":{{"type":"token_count","info":{{"total_token_usage":{{"input_tokens":{input},"cached_input_tokens":{},"output_tokens":{},"reasoning_output_tokens":0,"total_tokens":{total}}}}}}}}}"#,
            input / 2,
            input / 10
        )
    };
    let draft = of(&[META, &count(100, 110), &count(0, 258_400)]);
    assert_eq!(tokens(&draft), "50/50/10/0");
    assert_eq!(tokens(&of(&[META])), "-/-/-/-");
}

#[test]
fn a_thread_that_was_started_by_a_call_is_a_subagent_of_its_run() {
    let main = written(&[
        META,
        r#"{"type":"response_item","payload":{"type":"function_call","name":"spawn_agent","arguments":"{}","call_id":"s"}}"#,
        r#"{"type":"response_item","payload":{"type":"function_call_output","call_id":"s","output":"{\"agent_id\":\"22222222-2222-4222-8222-222222222222\"}"}}"#,
        r#"{"type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":10,"cached_input_tokens":0,"output_tokens":5,"reasoning_output_tokens":1}}}}"#,
    ]);
    let child = written(&[
        r#"{"type":"session_meta","payload":{"id":"22222222-2222-4222-8222-222222222222","session_id":"11111111-1111-4111-8111-111111111111","source":{"subagent":{"thread_spawn":{"parent_thread_id":"11111111-1111-4111-8111-111111111111","agent_role":"worker"}}}}}"#,
        r#"{"type":"event_msg","payload":{"type":"agent_message","message":"below"}}"#,
        r#"{"type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":7,"cached_input_tokens":2,"output_tokens":3,"reasoning_output_tokens":0}}}}"#,
        r#"{"type":"event_msg","payload":{"type":"task_complete"}}"#,
    ]);
    let files: [(&str, &[u8]); 2] = [("a.jsonl", main.as_bytes()), ("b.jsonl", child.as_bytes())];
    let draft = run(&Codex, &files);
    assert_eq!(
        brief(&draft),
        [
            "call spawn_agent s",
            "subagent worker started s 22222222-2222-4222-8222-222222222222",
            "assistant below @agent=22222222-2222-4222-8222-222222222222",
            "subagent worker completed s 22222222-2222-4222-8222-222222222222",
            r#"result s {"agent_id":"22222222-2222-4222-8222-222222222222"}"#
        ]
    );
    assert_eq!(draft.agents.len(), 1);
    assert_eq!(draft.sources, [0, 1]);
    assert_eq!(draft.events[2].source.file, 1);
    assert_eq!(tokens(&draft), "15/2/7/1");
    let alone = only(&Codex, "b.jsonl", child.as_bytes());
    assert_eq!(
        alone.record.id,
        Id::Own("22222222-2222-4222-8222-222222222222".to_owned())
    );
    let source = Source::of(&files);
    let same = read_rollout(&source, &[1, 0], &Options::default()).expect("a run");
    assert_eq!(brief(&same), brief(&draft));
}

#[test]
fn lines_of_the_parent_are_inherited() {
    let own = r#"{"type":"event_msg","payload":{"type":"agent_message","message":"old"}}"#;
    let count = r#"{"type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":10,"cached_input_tokens":0,"output_tokens":5,"reasoning_output_tokens":1}}}}"#;
    let more = r#"{"type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":30,"cached_input_tokens":5,"output_tokens":9,"reasoning_output_tokens":2}}}}"#;
    let fork = r#"{"type":"session_meta","payload":{"id":"33333333-3333-4333-8333-333333333333","forked_from_id":"11111111-1111-4111-8111-111111111111"}}"#;
    let new = r#"{"type":"event_msg","payload":{"type":"agent_message","message":"new"}}"#;
    let parent = written(&[META, own, count]);
    let forked = written(&[fork, META, own, count, new, more]);
    let files: [(&str, &[u8]); 2] = [
        ("a.jsonl", parent.as_bytes()),
        ("b.jsonl", forked.as_bytes()),
    ];
    let mut both = read_with(&Codex, &files, &Options::default());
    assert_eq!(both.len(), 2, "a fork is a run of its own");
    let draft = both.remove(1).expect("a run");
    assert_eq!(
        brief(&draft),
        [
            "note inherited 3 lines of thread 11111111-1111-4111-8111-111111111111",
            "assistant new"
        ]
    );
    assert_eq!(tokens(&draft), "15/5/3/1");
    let early = forked.replace("00:00:00.000Z", "00:00:03.000Z");
    let alone = only(&Codex, "b.jsonl", early.as_bytes());
    assert_eq!(brief(&alone), brief(&draft), "the times say it, too");
}

#[test]
fn private_keys_are_not_copied() {
    let draft = of(&[
        r#"{"type":"session_meta","payload":{"id":"x","base_instructions":{"text":"SECRET"},"git":{"repository_url":"SECRET"},"dynamic_tools":[{"name":"SECRET"}]}}"#,
        r#"{"type":"turn_context","payload":{"user_instructions":"SECRET","model":"m"}}"#,
        r#"{"type":"response_item","payload":{"type":"local_shell_call","call_id":"c","status":"completed","action":{"type":"exec","command":["ls"],"env":{"KEY":"SECRET"}}}}"#,
        r#"{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_image","image_url":"data:SECRET"},{"type":"input_text","text":"look"}]}}"#,
        r#"{"type":"response_item","payload":{"type":"reasoning","summary":[],"encrypted_content":"SECRET"}}"#,
        r#"{"type":"event_msg","payload":{"type":"token_count","info":null,"rate_limits":{"plan_type":"SECRET"}}}"#,
        r#"{"type":"compacted","payload":{"message":"SECRET","replacement_history":["SECRET"]}}"#,
        r#"{"type":"event_msg","payload":{"type":"context_compacted"}}"#,
        r#"{"type":"response_item","payload":{"type":"image_generation_call","result":"SECRET","status":"completed"}}"#,
        r#"{"type":"world_state","payload":{"all":"SECRET"}}"#,
    ]);
    assert!(
        !json(&draft).concat().contains("SECRET"),
        "{:#?}",
        json(&draft)
    );
    assert!(json(&draft)[0].contains(r#""arguments":{"command":["ls"]}"#));
    assert_eq!(
        brief(&draft),
        [
            "call local_shell c",
            "user look",
            "compaction",
            "call image_generation"
        ]
    );
    let withheld: Vec<_> = draft.withheld.into_iter().collect();
    assert_eq!(
        withheld,
        [
            ("bookkeeping", 1),
            ("compactionSummaries", 1),
            ("encryptedReasoning", 1),
            ("images", 2),
            ("instructions", 2),
            ("rateLimits", 1),
            ("toolDefinitions", 1),
        ]
    );
}

#[test]
fn a_broken_rollout_loses_only_what_is_broken() {
    let mut bytes = FIRST.to_vec();
    bytes.truncate(FIRST.len() - 40);
    let draft = only(&Codex, "rollout.jsonl", &bytes);
    assert_eq!(draft.events.len(), 10);
    assert_eq!(draft.unparsable, 1);
    assert_eq!(draft.warnings[0].place.line, Some(14));
    assert_eq!(draft.warnings[0].message, "The line is truncated");
    survives(&Codex, "rollout.jsonl", FIRST);
    survives(&Codex, "rollout.jsonl", FLAT);
}

#[test]
fn a_file_that_is_no_rollout_is_reported() {
    let mut runs = read_with(&Codex, &[("x.jsonl", b"{\"a\":1}\n")], &Options::default());
    let problem = runs.remove(0).expect_err("a problem");
    assert_eq!(problem.place.path, "x.jsonl");
}

#[test]
fn half_a_pair_does_not_lose_a_row() {
    let row = r#"{"type":"event_msg","payload":{"type":"agent_message","message":"a \ud83d b"}}"#;
    assert_eq!(brief(&of(&[META, row])), ["assistant a \u{fffd} b"]);
}
