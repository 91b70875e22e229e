//! Tests of the Claude Code importer: its samples, and damaged sessions.

use crate::import::testing::{
    brief, comparable, expected, json, only, read_with, run, sample, survives, tally, tokens,
};
use crate::import::{Draft, Id, Keep, Options, Source};

use super::{ClaudeCode, read_session};

const STREAMED: &[u8] =
    sample!("claude-code/made-streamed/7d9f0c52-0000-4000-8000-00000000a001.jsonl");
const NEWER: &[u8] = sample!("claude-code/made-newer/7d9f0c52-0000-4000-8000-00000000c001.jsonl");
const REWIND: &[u8] = sample!("claude-code/ccl-dag_compact_after_rewind.jsonl");

fn one(log: &[u8]) -> Draft {
    only(&ClaudeCode, "session.jsonl", log)
}

/// A session of rows, each the child of the previous one.
fn of(rows: &[&str]) -> Draft {
    one(written(rows).as_bytes())
}

fn written(rows: &[&str]) -> String {
    let framed = rows.iter().enumerate().map(|(at, row)| {
        let parent = at.checked_sub(1).map_or("null".to_owned(), |parent| format!("\"r{parent}\""));
        let frame = format!(
            "{{\"uuid\":\"r{at}\",\"parentUuid\":{parent},\"sessionId\":\"7d9f0c52-0000-4000-8000-00000000d001\",\"timestamp\":\"2026-01-01T00:00:{at:02}.000Z\","
        );
        row.replacen('{', &frame, 1) + "\n"
    });
    framed.collect()
}

fn said(text: &str) -> String {
    let text = serde_json::to_string(text).expect("JSON");
    format!(r#"{{"type":"user","message":{{"role":"user","content":{text}}}}}"#)
}

#[test]
fn rows_of_one_response_are_counted_once() {
    let draft = one(STREAMED);
    assert_eq!(
        brief(&draft),
        [
            "user Make the tests pass.",
            "reasoning Run them first.",
            "assistant I will run the tests.",
            "call Bash toolu_A1",
            "usage",
            "result toolu_A1 false 1 Exit code 1\n1 failing",
            "call Read toolu_B1",
            "call Read toolu_B2",
            "usage",
            "result toolu_B1 1\tmodule.exports = (a, b) => a - b;",
            "result toolu_B2 1\ttest('sum', () => {});",
            "error API Error: 529 Overloaded",
            "call Edit toolu_C1",
            "usage",
            "result toolu_C1 The file has been updated.",
            "edit toolu_C1 /home/ana/demo/sum.js modify",
            "assistant Fixed: the sum subtracted.",
            "usage",
        ]
    );
    assert_eq!(tally(&draft), [1, 2, 1, 4, 4, 1]);
    assert_eq!(tokens(&draft), "1300/3450/322/-");
    assert_eq!(draft.unparsable, 1, "the last line is torn");
    assert_eq!(
        draft.record.id,
        Id::Own("7d9f0c52-0000-4000-8000-00000000a001".to_owned())
    );
    assert_eq!(draft.record.models, ["claude-sonnet-4-5-20250929"]);
    assert_eq!(draft.record.harness_version.as_deref(), Some("2.1.150"));
    assert_eq!(
        draft.record.started.as_deref(),
        Some("2026-04-02T08:00:00.000Z")
    );
    assert_eq!(
        draft.record.finished.as_deref(),
        Some("2026-04-02T08:00:35.000Z")
    );
    assert_eq!(draft.identity.workspaces, ["/home/ana/demo"]);
    let withheld: Vec<_> = draft
        .withheld
        .iter()
        .map(|(what, count)| (*what, *count))
        .collect();
    assert_eq!(
        withheld,
        [("bookkeeping", 1), ("fileContents", 3), ("signatures", 1)]
    );
    assert!(
        json(&draft)[8].contains(r#""calls":["toolu_B1","toolu_B2"]"#),
        "{}",
        json(&draft)[8]
    );
    let edit = &json(&draft)[15];
    assert!(
        edit.ends_with(r#""diff":"@@ -1,1 +1,1 @@\n-module.exports = (a, b) => a - b;\n+module.exports = (a, b) => a + b;","source":{"file":0,"line":13,"pointer":"/toolUseResult","id":"u-5"}}"#),
        "{edit}"
    );
}

#[test]
fn reasoning_is_counted_apart_where_every_response_does() {
    let draft = one(NEWER);
    assert_eq!(tokens(&draft), "454/80300/119/129");
    assert_eq!(tally(&draft), [1, 1, 0, 1, 1, 0]);
    assert_eq!(draft.withheld["encryptedReasoning"], 1);
    assert_eq!(draft.record.harness_version.as_deref(), Some("2.1.241"));
}

#[test]
fn samples_have_the_counts_of_their_facts() {
    for (log, facts, used, models) in [
        (
            &sample!("claude-code/ccl-representative_messages.jsonl")[..],
            [4, 3, 0, 2, 2, 0],
            "218/0/445/-",
            1,
        ),
        (
            sample!("claude-code/ccl-todowrite_examples.jsonl"),
            [2, 3, 0, 3, 3, 0],
            "883/-/328/-",
            1,
        ),
        (
            sample!("claude-code/ccl-session_b.jsonl"),
            [2, 1, 0, 0, 0, 0],
            "20/0/35/-",
            1,
        ),
        (
            sample!("claude-code/simonw-sample_session.jsonl"),
            [2, 2, 0, 2, 2, 0],
            "-/-/-/-",
            0,
        ),
        (
            sample!("claude-code/letta-subagent/input.jsonl"),
            [1, 1, 0, 0, 0, 0],
            "-/-/-/-",
            1,
        ),
        (REWIND, [5, 5, 0, 0, 0, 0], "50/-/25/-", 1),
    ] {
        let draft = one(log);
        assert_eq!(tally(&draft), facts, "{:#?}", brief(&draft));
        assert_eq!(tokens(&draft), used);
        assert_eq!(draft.record.models.len(), models);
    }
}

#[test]
fn messages_calls_and_results_come_in_the_order_that_upstream_expects() {
    let draft = one(sample!("claude-code/letta-tool-call/input.jsonl"));
    assert_eq!(
        comparable(&draft),
        expected(sample!("claude-code/letta-tool-call/expected.json"))
    );
    assert_eq!(tally(&draft)[5], 1);
    let draft = one(sample!("claude-code/letta-subagent/input.jsonl"));
    assert_eq!(
        comparable(&draft),
        expected(sample!("claude-code/letta-subagent/expected.json"))
    );
    assert_eq!(draft.record.ids["agent"], "subagent-fixture");
    assert!(
        draft.agents.is_empty(),
        "a subagent that is alone is the run"
    );
}

#[test]
fn a_rewind_before_a_compaction_is_a_branch() {
    let draft = one(REWIND);
    assert_eq!(
        brief(&draft)
            .into_iter()
            .filter(|line| !line.starts_with("usage"))
            .collect::<Vec<_>>(),
        [
            "user Start",
            "assistant Ready",
            "user First attempt @branch=b1",
            "assistant First answer @branch=b1",
            "user Second attempt",
            "assistant Second answer",
            "user Keep going",
            "assistant Kept going",
            "compaction",
            "user After compaction",
            "assistant Final answer"
        ]
    );
    assert_eq!(draft.withheld["compactionSummaries"], 1);
    assert!(
        json(&draft)
            .concat()
            .contains(r#""trigger":"auto","tokensBefore":150000"#)
    );
}

const MAIN: &[u8] = sample!("claude-code/ccl-showcase/55550000-0000-4000-8000-000000000001.jsonl");
const SHOWCASE: [(&str, &[u8]); 5] = [
    ("5.jsonl", MAIN),
    (
        "5/subagents/agent-showcol1.jsonl",
        sample!(
            "claude-code/ccl-showcase/55550000-0000-4000-8000-000000000001/subagents/agent-showcol1.jsonl"
        ),
    ),
    (
        "5/subagents/agent-showcol1.meta.json",
        sample!(
            "claude-code/ccl-showcase/55550000-0000-4000-8000-000000000001/subagents/agent-showcol1.meta.json"
        ),
    ),
    (
        "5/subagents/agent-showcol2.jsonl",
        sample!(
            "claude-code/ccl-showcase/55550000-0000-4000-8000-000000000001/subagents/agent-showcol2.jsonl"
        ),
    ),
    (
        "5/subagents/agent-showcol2.meta.json",
        sample!(
            "claude-code/ccl-showcase/55550000-0000-4000-8000-000000000001/subagents/agent-showcol2.meta.json"
        ),
    ),
];

#[test]
fn subagents_come_behind_the_calls_that_started_them() {
    let draft = run(&ClaudeCode, &SHOWCASE);
    let of_agents: Vec<String> = brief(&draft)
        .into_iter()
        .filter(|line| line.contains("showcol"))
        .map(|line| {
            line.split(['\n', '#'])
                .next()
                .unwrap_or_default()
                .trim()
                .to_owned()
        })
        .collect();
    assert_eq!(
        of_agents,
        [
            "call Agent toolu_sc_showcol1",
            "subagent general-purpose started toolu_sc_showcol1 showcol1",
            "user Survey src/web and report its layout, with a screenshot. @agent=showcol1",
            "assistant",
            "usage @agent=showcol1",
            "subagent general-purpose completed toolu_sc_showcol1 showcol1",
            "call Agent toolu_sc_showcol2",
            "subagent general-purpose started toolu_sc_showcol2 showcol2",
            "user Survey src/jobs and list its scheduled jobs. @agent=showcol2",
            "call Grep toolu_sc_grep @agent=showcol2",
            "usage @agent=showcol2",
            "result toolu_sc_grep src/jobs/cleanup.py:12:@scheduled(\"0 3 * * *\")",
            "assistant Three scheduled jobs:",
            "usage @agent=showcol2",
            "subagent general-purpose completed toolu_sc_showcol2 showcol2",
            "result toolu_sc_showcol1 The web module renders its pages in a column layout (screenshot attached).",
            "result toolu_sc_showcol2 The jobs module defines three scheduled jobs: cleanup, reindex, report.",
        ]
    );
    assert_eq!(
        tokens(&draft),
        "960/-/320/-",
        "600 of its own, 360 of subagents"
    );
    assert_eq!(draft.sources.len(), 3);
    assert_eq!(
        draft.agents[1].model.as_deref(),
        Some("claude-haiku-4-5-20251001")
    );
    assert_eq!(
        draft.record.finished.as_deref(),
        Some("2026-06-15T10:00:11.000Z")
    );
    let source = Source::of(&SHOWCASE);
    let same = read_session(&source, &[0, 1, 3], &Options::default()).expect("a run");
    assert_eq!(brief(&same), brief(&draft));
}

#[test]
fn a_subagent_is_found_by_its_id_by_its_text_or_by_its_prompt() {
    let task = r#"{"type":"assistant","message":{"id":"m1","model":"x","content":[{"type":"tool_use","id":"t1","name":"Task","input":{"prompt":"Look around","subagent_type":"Explore"}}]}}"#;
    let result = |content: &str, beside: &str| {
        format!(
            r#"{{"type":"user","message":{{"content":[{{"type":"tool_result","tool_use_id":"t1","content":{content}}}]}}{beside}}}"#
        )
    };
    let prompt =
        r#"{"type":"user","isSidechain":true,"agentId":"a9","message":{"content":"Look around"}}"#;
    let wanted = [
        "call Task t1",
        "subagent Explore started t1 a9",
        "user Look around @agent=a9",
    ];
    for (content, beside, ended) in [
        (
            r#""done""#,
            r#","toolUseResult":{"agentId":"a9","status":"completed"}"#,
            true,
        ),
        (
            r#"[{"type":"text","text":"done"},{"type":"text","text":"agentId: a9 (more)"}]"#,
            "",
            false,
        ),
        (r#""done""#, "", false),
    ] {
        let draft = of(&[task, prompt, &result(content, beside)]);
        let lines = brief(&draft);
        assert_eq!(lines[..3], wanted, "{lines:?}");
        assert_eq!(lines[3].starts_with("subagent Explore completed"), ended);
    }
    // The oldest rows name no agent.
    let unnamed = prompt.replace(r#""agentId":"a9","#, "");
    let answer = r#"{"type":"assistant","isSidechain":true,"message":{"id":"m2","content":[{"type":"text","text":"found"}]}}"#;
    let draft = of(&[task, &unnamed, answer, &result(r#""done""#, "")]);
    assert_eq!(
        brief(&draft)[1..4],
        [
            "subagent Explore started t1 r1",
            "user Look around @agent=r1",
            "assistant found @agent=r1"
        ]
    );
}

#[test]
fn an_older_subagent_lies_beside_its_session() {
    let main = written(&[&said("hello")]);
    let beside = r#"{"type":"user","uuid":"x","isSidechain":true,"agentId":"a1","sessionId":"s","message":{"content":"below"}}"#;
    let draft = run(
        &ClaudeCode,
        &[
            ("p/s.jsonl", main.as_bytes()),
            ("p/agent-a1.jsonl", beside.as_bytes()),
        ],
    );
    assert_eq!(
        brief(&draft),
        ["user hello", "subagent started a1", "user below @agent=a1"]
    );
}

#[test]
fn rows_that_a_resumed_session_copied_are_inherited() {
    let first = written(&[&said("one"), &said("two")]);
    let resumed = first.replace("d001", "d002")
        + &written(&[&said("x"), &said("y"), &said("three")])
            .lines()
            .last()
            .expect("a row")
            .replace("d001", "d002");
    let files: [(&str, &[u8]); 2] = [
        ("b.jsonl", first.as_bytes()),
        ("a.jsonl", resumed.as_bytes()),
    ];
    let mut both = read_with(&ClaudeCode, &files, &Options::default());
    assert_eq!(both.len(), 2);
    assert_eq!(
        brief(&both.remove(1).expect("a run")),
        ["user one", "user two"]
    );
    assert_eq!(
        brief(&both.remove(0).expect("a run")),
        ["note inherited 2 rows of another session", "user three"]
    );
    assert_eq!(
        brief(&one(resumed.as_bytes())).len(),
        3,
        "alone it keeps them"
    );
}

#[test]
fn what_the_harness_puts_in_is_withheld() {
    let draft = of(&[
        &said("<local-command-stdout>SECRET</local-command-stdout>"),
        &said(
            "Caveat: The messages below were generated by the user while running local commands. SECRET",
        ),
        &said("<task-notification>SECRET</task-notification>"),
        &said("hello <system-reminder>SECRET</system-reminder>there"),
        &said("<system-reminder>SECRET</system-reminder>"),
        &said(
            "<command-name>/init</command-name><command-message>SECRET</command-message><command-args>now</command-args>",
        ),
        &said("[Request interrupted by user for tool use]"),
        r#"{"type":"user","isMeta":true,"message":{"content":"SECRET"}}"#,
        r#"{"type":"attachment","attachment":{"type":"hook_output","content":"SECRET"}}"#,
        r#"{"type":"system","subtype":"away_summary","content":"SECRET"}"#,
        r#"{"type":"user","message":{"content":[{"type":"image","source":{"data":"SECRET"}},{"type":"text","text":"see"}]}}"#,
        r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","is_error":true,"content":"<tool_use_error>No.</tool_use_error>\n\n<system-reminder>SECRET</system-reminder>\n"}]},"toolUseResult":{"file":{"content":"SECRET"}}}"#,
        r#"{"type":"assistant","message":{"content":[{"type":"redacted_thinking","data":"SECRET"},{"type":"thinking","thinking":"hm","signature":"SECRET"}]}}"#,
        r#"{"type":"of-the-future","text":"SECRET"}"#,
    ]);
    assert!(
        !json(&draft).concat().contains("SECRET"),
        "{:#?}",
        json(&draft)
    );
    assert_eq!(
        brief(&draft),
        [
            "user hello there",
            "note command /init now",
            "note interrupted",
            "note away_summary",
            "user see",
            "result t false No.",
            "reasoning hm",
            "unknown of-the-future"
        ]
    );
    assert!(json(&draft)[4].contains(r#""images":1"#));
    let withheld: Vec<_> = draft.withheld.into_iter().collect();
    assert_eq!(
        withheld,
        [
            ("attachments", 1),
            ("encryptedReasoning", 1),
            ("fileContents", 1),
            ("images", 1),
            ("injectedContext", 6),
            ("metaRows", 1),
            ("signatures", 1),
            ("systemRows", 1),
        ]
    );
}

#[test]
fn prompts_are_kept_when_asked_for_and_reasoning_is_left_out() {
    let options = Options {
        keep: vec![Keep::Prompts],
        no_reasoning: true,
        ..Options::default()
    };
    let log = written(&[
        r#"{"type":"user","isMeta":true,"message":{"content":"meta"}}"#,
        &said("<task-notification>note</task-notification>"),
        r#"{"type":"assistant","message":{"content":[{"type":"thinking","thinking":"hm"}]}}"#,
    ]);
    let draft = read_with(&ClaudeCode, &[("s.jsonl", log.as_bytes())], &options)
        .remove(0)
        .expect("a run");
    assert_eq!(
        brief(&draft),
        [
            "note injected context meta",
            "note injected context <task-notification>note</task-notification>"
        ]
    );
    assert_eq!(draft.withheld["reasoning"], 1);
}

#[test]
fn messages_that_were_queued_appear_once() {
    let draft = of(&[
        r#"{"type":"queue-operation","operation":"enqueue","content":"wait"}"#,
        r#"{"type":"queue-operation","operation":"remove","content":"wait"}"#,
        r#"{"type":"queue-operation","operation":"remove","content":"only here"}"#,
        r#"{"type":"queue-operation","operation":"remove","content":null}"#,
        r#"{"type":"attachment","attachment":{"type":"queued_command","prompt":"wait"}}"#,
    ]);
    assert_eq!(brief(&draft), ["user only here", "user wait"]);
    assert!(
        json(&draft)
            .iter()
            .all(|event| event.contains(r#""steering":true"#))
    );
}

#[test]
fn what_the_stream_prints_has_a_state_and_a_cost() {
    let rows = [
        r#"{"type":"system","subtype":"init","session_id":"7d9f0c52-0000-4000-8000-00000000e001","cwd":"/w"}"#,
        r#"{"type":"assistant","session_id":"7d9f0c52-0000-4000-8000-00000000e001","message":{"id":"m","content":[{"type":"tool_use","id":"t","name":"Task","input":{}}]}}"#,
        r#"{"type":"assistant","parent_tool_use_id":"t","message":{"id":"n","content":[{"type":"text","text":"below"}]}}"#,
        r#"{"type":"result","subtype":"error_max_turns","is_error":true,"total_cost_usd":0.25}"#,
    ];
    let draft = one(rows.join("\n").as_bytes());
    assert_eq!(
        brief(&draft),
        [
            "call Task t",
            "subagent started t t",
            "assistant below @agent=t"
        ]
    );
    assert_eq!(draft.record.state, "limit_exceeded");
    assert_eq!(draft.record.cost, Some(0.25));
    assert_eq!(
        draft.record.id,
        Id::Own("7d9f0c52-0000-4000-8000-00000000e001".to_owned())
    );
}

#[test]
fn an_exported_session_is_the_same_run() {
    let rows: Vec<&str> = std::str::from_utf8(NEWER).expect("UTF-8").lines().collect();
    let export = format!(
        "{{\n  \"loglines\": [\n    {}\n  ]\n}}\n",
        rows.join(",\n    ")
    );
    let exported = only(&ClaudeCode, "session.json", export.as_bytes());
    assert_eq!(brief(&exported), brief(&one(NEWER)));
    assert_eq!(
        exported.events[0].source.pointer.as_deref(),
        Some("/loglines/1")
    );
}

#[test]
fn every_row_of_a_real_session_is_read_alone() {
    for row in [
        &sample!("claude-code/ccl-rows/Bash-tool_result.jsonl")[..],
        sample!("claude-code/ccl-rows/Bash-tool_use.jsonl"),
        sample!("claude-code/ccl-rows/BashOutput-tool_result.jsonl"),
        sample!("claude-code/ccl-rows/Task-tool_result.jsonl"),
        sample!("claude-code/ccl-rows/command_output.jsonl"),
        sample!("claude-code/ccl-rows/file_history_snapshot.jsonl"),
        sample!("claude-code/ccl-rows/queue_operation.jsonl"),
        sample!("claude-code/ccl-rows/summary.jsonl"),
        sample!("claude-code/ccl-rows/system_info.jsonl"),
        sample!("claude-code/ccl-rows/thinking.jsonl"),
        sample!("claude-code/ccl-rows/user_slash_command.jsonl"),
    ] {
        let draft = one(row);
        assert_eq!(draft.unparsable, 0);
        assert!(!draft.events.is_empty() || !draft.withheld.is_empty());
    }
}

#[test]
fn a_broken_session_loses_only_what_is_broken() {
    survives(&ClaudeCode, "session.jsonl", STREAMED);
    survives(&ClaudeCode, "session.jsonl", REWIND);
    let doubled = [STREAMED, b"\n".as_slice(), STREAMED].concat();
    let (once, twice) = (one(STREAMED), one(&doubled));
    assert_eq!(
        brief(&once),
        brief(&twice),
        "a row that is written twice counts once"
    );
    assert_eq!(tokens(&once), tokens(&twice));
    let problem = read_with(&ClaudeCode, &[("x.jsonl", b"[]\n")], &Options::default()).remove(0);
    assert_eq!(problem.expect_err("a problem").place.path, "x.jsonl");
}

#[test]
fn a_session_with_many_forks_subagents_and_folders_takes_time_in_proportion() {
    let mut log = String::new();
    for at in 0..4_000 {
        let session = "7d9f0c52-0000-4000-8000-00000000d001";
        log += &format!(
            r#"{{"type":"user","uuid":"u{at}","parentUuid":"root","sessionId":"{session}","cwd":"/w/{at}","timestamp":"2026-01-01T00:00:00.{at:06}Z","message":{{"content":"one of many"}}}}"#
        );
        log += "\n";
        log += &format!(
            r#"{{"type":"assistant","uuid":"a{at}","isSidechain":true,"agentId":"a{at}","message":{{"id":"m{at}","model":"m{at}","content":[{{"type":"tool_use","id":"t{at}","name":"Task","input":{{"prompt":"p{at}"}}}}]}}}}"#
        );
        log += "\n";
    }
    let log = format!(
        "{}\n{log}",
        r#"{"type":"user","uuid":"root","message":{"content":"go"}}"#
    );
    let draft = one(log.as_bytes());
    assert_eq!(draft.agents.len(), 4_000);
    let branched = draft
        .events
        .iter()
        .filter(|event| event.branch.is_some())
        .count();
    assert_eq!(branched, 3_999, "all but the last");
    assert!(draft.identity.workspaces.len() < 1_000);
}
