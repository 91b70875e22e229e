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
            "reasoning hm"
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
            ("unknownRows", 1),
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

/// A response with these tokens: uncached and cached input, output.
fn response(id: &str, tokens: [u64; 3], stop: &str) -> String {
    let [uncached, cached, output] = tokens;
    format!(
        r#"{{"type":"assistant","message":{{"id":"{id}","model":"m","content":[{{"type":"text","text":"ok"}}],"stop_reason":{stop},"usage":{{"input_tokens":{uncached},"cache_read_input_tokens":{cached},"output_tokens":{output}}}}}}}"#
    )
}

/// A state of the counters: cost, and the tokens of the model `m`.
fn counter(session: &str, cost: f64, tokens: [u64; 3]) -> String {
    let [uncached, cached, output] = tokens;
    format!(
        r#"{{"type":"cost-state","sessionId":"7d9f0c52-0000-4000-8000-00000000{session}","totalCostUSD":{cost},"modelUsage":{{"m[1m]":{{"inputTokens":{uncached},"cacheReadInputTokens":{cached},"outputTokens":{output}}},"of-titles":{{"inputTokens":9,"outputTokens":9}}}}}}"#
    )
}

/// A session of rows with ids, and of rows as they are.
fn with_counters(rows: &[&str], counters: &[&str]) -> Draft {
    one((written(rows) + &counters.join("\n")).as_bytes())
}

#[test]
fn counters_that_begin_again_are_added_and_those_that_go_on_are_not() {
    let answer = response("a", [5, 0, 7], "\"end_turn\"");
    let cost = |counters: &[String]| {
        let counters: Vec<&str> = counters.iter().map(String::as_str).collect();
        with_counters(&[&answer], &counters).record.cost
    };
    let at = |cost: f64, output: u64| counter("d001", cost, [5, 0, output]);
    assert_eq!(cost(&[at(0.25, 7), at(0.5, 9)]), Some(0.5), "one program");
    assert_eq!(cost(&[at(0.5, 9), at(0.25, 7)]), Some(0.75), "resumed");
    assert_eq!(cost(&[at(0.5, 9), at(0.75, 7)]), Some(1.25), "by tokens");
    assert_eq!(cost(&[at(0.5, 9), at(0.25, 7), at(0.5, 9)]), Some(1.0));
    let of_original = counter("d00f", 8.0, [5, 0, 7]);
    assert_eq!(cost(&[of_original, at(0.25, 7)]), Some(0.25), "not its own");
    assert_eq!(cost(&[]), None);
}

#[test]
fn a_cost_that_lacks_responses_and_tokens_that_the_log_lacks_are_lower_bounds() {
    let answer = response("a", [5, 3, 7], "\"end_turn\"");
    let bounds = |tokens: [u64; 3]| {
        let draft = with_counters(&[&answer], &[&counter("d001", 0.5, tokens)]);
        draft.record.known_lower_bounds().join(" ")
    };
    assert_eq!(bounds([5, 3, 7]), "");
    assert_eq!(bounds([5, 3, 6]), "cost.actual");
    assert_eq!(bounds([6, 3, 9]), "tokens.uncachedInput tokens.output");
    let unknown = counter("d001", 0.5, [5, 3, 7])
        .replace("modelUsage", "\"hasUnknownModelCost\":true,\"modelUsage")
        .replacen("\"\"has", "\"has", 1);
    assert!(with_counters(&[&answer], &[&unknown]).record.cost_estimated);
}

#[test]
fn the_output_of_unfinished_responses_is_that_of_the_counters_if_they_are_of_the_same_requests() {
    let open = response("a", [5, 3, 1], "null");
    let read = |counter: &str| {
        let draft = with_counters(&[&open], &[counter]);
        (tokens(&draft), draft.record.known_lower_bounds().join(" "))
    };
    let bound = "tokens.output".to_owned();
    assert_eq!(read(""), ("5/3/1/-".to_owned(), bound.clone()));
    let same = counter("d001", 0.5, [5, 3, 40]);
    assert_eq!(read(&same), ("5/3/40/-".to_owned(), String::new()));
    let others = counter("d001", 0.5, [6, 3, 40]);
    let (counted, bounds) = read(&others);
    assert_eq!(counted, "5/3/1/-");
    assert_eq!(bounds, format!("tokens.uncachedInput {bound}"));
}

#[test]
fn a_row_of_the_beginning_never_replaces_the_count_of_a_finished_response() {
    let rows = |first: &str, last: &str| tokens(&of(&[first, last]));
    let open = response("a", [5, 3, 1], "null");
    let done = response("a", [5, 3, 40], "\"end_turn\"");
    assert_eq!(rows(&open, &done), "5/3/40/-");
    assert_eq!(rows(&done, &open), "5/3/40/-");
    let draft = of(&[&done, &open]);
    assert_eq!(draft.record.known_lower_bounds(), [""; 0]);
}

#[test]
fn totals_that_lack_a_response_or_a_subagent_are_lower_bounds() {
    let all = [
        "tokens.uncachedInput",
        "tokens.cachedInput",
        "tokens.output",
    ];
    let answer = response("a", [5, 3, 7], "\"end_turn\"");
    let uncounted = r#"{"type":"assistant","message":{"id":"b","model":"m","content":[{"type":"text","text":"ok"}]}}"#;
    let draft = of(&[&answer, uncounted]);
    assert_eq!(draft.record.known_lower_bounds(), all);
    assert_eq!(of(&[uncounted]).record.known_lower_bounds(), [""; 0]);
    let cut = written(&[&answer]) + r#"{"type":"assistant","message":{"id":"b","mod"#;
    assert_eq!(one(cut.as_bytes()).record.known_lower_bounds(), all);
    let task = r#"{"type":"assistant","message":{"id":"c","model":"m","content":[{"type":"tool_use","id":"t","name":"Agent","input":{"prompt":"look"}}],"stop_reason":"tool_use","usage":{"input_tokens":1,"cache_read_input_tokens":0,"output_tokens":1}}}"#;
    let result = r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"done"}]},"toolUseResult":{"agentId":"a7","status":"completed","totalTokens":900}}"#;
    let draft = of(&[task, result]);
    assert_eq!(draft.record.known_lower_bounds(), all);
    assert!(draft.warnings[0].message.contains("1 subagent"));
    let rows = r#"{"type":"user","isSidechain":true,"agentId":"a7","message":{"content":"look"}}"#;
    assert_eq!(
        of(&[task, rows, result]).record.known_lower_bounds(),
        [""; 0]
    );
}

#[test]
fn a_background_agent_ends_as_the_log_says_later() {
    let task = r#"{"type":"assistant","message":{"id":"m1","model":"x","content":[{"type":"tool_use","id":"t1","name":"Agent","input":{"prompt":"Look","subagent_type":"Explore"}}]}}"#;
    let launched = r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"Launched."}]},"toolUseResult":{"isAsync":true,"status":"async_launched","agentId":"a9"}}"#;
    let rows = r#"{"type":"user","isSidechain":true,"agentId":"a9","message":{"content":"Look"}}"#;
    let notice = |status: &str| {
        format!(
            "<task-notification>\n<task-id>a9</task-id>\n<tool-use-id>t1</tool-use-id>\n<status>{status}</status>\n<result>SECRET <status>failed</status></result>\n</task-notification>"
        )
    };
    let user = |text: &str| said(text);
    let queued = |text: &str| {
        let text = serde_json::to_string(text).expect("JSON");
        format!(
            r#"{{"type":"attachment","attachment":{{"type":"queued_command","commandMode":"task-notification","prompt":{text}}}}}"#
        )
    };
    let enqueued = |text: &str| {
        let text = serde_json::to_string(text).expect("JSON");
        format!(r#"{{"type":"queue-operation","operation":"enqueue","content":{text}}}"#)
    };
    let output = |status: &str| {
        format!(
            r#"{{"type":"user","message":{{"content":[{{"type":"tool_result","tool_use_id":"t2","content":"x"}}]}},"toolUseResult":{{"retrieval_status":"success","task":{{"task_id":"a9","task_type":"local_agent","status":"{status}"}}}}}}"#
        )
    };
    let stopped = r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t3","content":"x"}]},"toolUseResult":{"message":"Stopped","task_id":"a9","task_type":"local_agent"}}"#.to_owned();
    let of_stream = r#"{"type":"system","subtype":"task_notification","task_id":"a9","tool_use_id":"t1","status":"failed"}"#.to_owned();
    for (end, wanted) in [
        (user(&notice("completed")), Some("completed")),
        (queued(&notice("failed")), Some("failed")),
        (enqueued(&notice("killed")), Some("failed")),
        (output("completed"), Some("completed")),
        (output("running"), None),
        (stopped, Some("failed")),
        (of_stream, Some("failed")),
        (
            user(
                "<task-notification><task-id>b1</task-id><status>failed</status></task-notification>",
            ),
            None,
        ),
    ] {
        let draft = of(&[task, rows, launched, &end]);
        let lines = brief(&draft);
        let ended = lines.iter().find_map(|line| {
            let line = line.strip_prefix("subagent Explore ")?;
            let word = line.split(' ').next()?;
            (word != "started").then(|| word.to_owned())
        });
        assert_eq!(ended.as_deref(), wanted, "{end} {lines:?}");
        assert!(!json(&draft).concat().contains("SECRET"), "{lines:?}");
    }
    // Without its rows it still has an end.
    let draft = of(&[task, launched, &user(&notice("completed"))]);
    let lines = brief(&draft);
    assert_eq!(
        lines[1..3],
        [
            "subagent Explore started t1 a9",
            "subagent Explore completed t1 a9"
        ]
    );
}

#[test]
fn what_the_log_says_of_the_writer_decides_and_otherwise_the_text() {
    let of_text = |more: &str, text: &str| {
        let text = serde_json::to_string(text).expect("JSON");
        let row = format!(r#"{{"type":"user"{more},"message":{{"content":{text}}}}}"#);
        let shown = brief(&of(&[&row])).join("; ");
        assert!(!shown.contains("SECRET"), "{row}: {shown}");
        shown
    };
    let human = r#","origin":{"kind":"human"},"turnOrigin":"human","promptSource":"typed""#;
    for (more, text, shown) in [
        ("", "Hello <b>SE</b>", "user Hello <b>SE</b>"),
        (
            human,
            "<my-element>words</my-element>",
            "user <my-element>words</my-element>",
        ),
        (
            r#","turnOrigin":"sdk""#,
            "<my-element>words</my-element>",
            "user <my-element>words</my-element>",
        ),
        (
            r#","origin":{"kind":"unclassified"}"#,
            "words",
            "user words",
        ),
        (r#","promptSource":"queued""#, "words", "user words"),
        ("", "<my-element>SECRET</my-element>", ""),
        (
            "",
            "<html><body>words</body></html>",
            "user <html><body>words</body></html>",
        ),
        (r#","origin":{"kind":"peer"}"#, "SECRET", ""),
        (r#","origin":{"kind":"of-the-future"}"#, "SECRET", ""),
        (r#","origin":"channel""#, "SECRET", ""),
        (
            r#","origin":{"kind":"human"},"turnOrigin":"task_notification""#,
            "SECRET",
            "",
        ),
        (r#","promptSource":"system""#, "SECRET", ""),
        (r#","isVisibleInTranscriptOnly":true"#, "SECRET", ""),
        (r#","sourceToolUseID":"toolu_1""#, "SECRET", ""),
        (r#","isSynthetic":true"#, "SECRET", ""),
        (r#","toolUseResult":"SECRET""#, "SECRET", ""),
        (
            r#","toolUseResult":"x""#,
            "[Request interrupted by user for tool use]",
            "note interrupted",
        ),
        (
            "",
            "<ide_selection>SECRET</ide_selection>fix it",
            "user fix it",
        ),
        (
            human,
            "fix it\n<ide_opened_file>SECRET</ide_opened_file>",
            "user fix it",
        ),
        ("", "fix it\n<user-prompt-submit-hook>SECRET", "user fix it"),
        ("", "<session-start-hook>SECRET</session-start-hook>", ""),
        (
            "",
            "a <system-reminder>x <system-reminder>SECRET</system-reminder> SECRET</system-reminder>b",
            "user a b",
        ),
        (
            "",
            "what is <system-reminder> for?",
            "user what is <system-reminder> for?",
        ),
        (
            "",
            "<teammate-message teammate_id=\"a\">SECRET</teammate-message>",
            "",
        ),
        (
            "",
            "<cross-session-message from=\"a\">SECRET</cross-session-message>",
            "",
        ),
        ("", "<channel source=\"chat\">SECRET</channel>", ""),
        ("", "Another Claude session sent a message:\nSECRET", ""),
        ("", "Base directory for this skill: SECRET", ""),
        (
            "",
            "This session is being continued from a previous conversation. SECRET",
            "",
        ),
        ("", "[SYSTEM NOTIFICATION - NOT USER INPUT] SECRET", ""),
        (
            "",
            "<local-command-of-the-future>SECRET</local-command-of-the-future>",
            "",
        ),
    ] {
        assert_eq!(of_text(more, text), shown, "{more} {text}");
    }
    // Text next to the result of a tool, and messages that were queued by something else.
    for row in [
        r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"x"},{"type":"text","text":"SECRET"}]}}"#,
        r#"{"type":"attachment","attachment":{"type":"queued_command","commandMode":"of-the-future","prompt":"SECRET"}}"#,
        r#"{"type":"attachment","attachment":{"type":"queued_command","prompt":"SECRET","origin":{"kind":"peer"}}}"#,
        r#"{"type":"attachment","attachment":{"type":"queued_command","prompt":"SECRET","isMeta":true}}"#,
        r#"{"type":"queue-operation","operation":"remove","content":"<task-notification>SECRET</task-notification>"}"#,
        r#"{"type":"queue-operation","operation":"remove","content":"SECRET","origin":{"kind":"cron"}}"#,
    ] {
        let draft = of(&[row]);
        assert!(!json(&draft).concat().contains("SECRET"), "{row}");
        assert_eq!(draft.withheld["injectedContext"], 1, "{row}");
    }
}

#[test]
fn rows_of_a_fork_are_those_that_name_it() {
    let original = written(&[&said("one"), &said("two")]);
    let own = written(&[&said("x"), &said("y"), &said("three")]);
    let own = own.lines().last().expect("a row").replace("d001", "d002");
    let fork = format!("{original}{own}\n");
    let name = |id: &str| format!("7d9f0c52-0000-4000-8000-00000000{id}.jsonl");
    let draft = only(&ClaudeCode, &name("d002"), fork.as_bytes());
    let events = ["note inherited 2 rows of another session", "user three"];
    assert_eq!(brief(&draft), events);
    assert_eq!(
        draft.record.id,
        Id::Own("7d9f0c52-0000-4000-8000-00000000d002".to_owned())
    );
    assert_eq!(
        draft.record.started.as_deref(),
        Some("2026-01-01T00:00:02.000Z")
    );
    // The name of the file does not matter if no row has it.
    assert_eq!(
        brief(&only(&ClaudeCode, "a.jsonl", fork.as_bytes())),
        events
    );
    let copy = only(&ClaudeCode, &name("d00f"), original.as_bytes());
    assert_eq!(
        copy.record.id,
        Id::Own("7d9f0c52-0000-4000-8000-00000000d001".to_owned())
    );
    // The original went on after the fork began.
    let longer = written(&[
        &said("one"),
        &said("two"),
        &said("x"),
        &said("later"),
        &said("last"),
    ]);
    let files = [(name("d002"), fork), (name("d001"), longer)];
    let files: Vec<(&str, &[u8])> = files
        .iter()
        .map(|(name, log)| (name.as_str(), log.as_bytes()))
        .collect();
    let both = read_with(&ClaudeCode, &files, &Options::default());
    let both: Vec<Vec<String>> = both
        .into_iter()
        .map(|draft| brief(&draft.expect("a run")))
        .collect();
    assert!(
        both.contains(&events.map(str::to_owned).to_vec()),
        "{both:?}"
    );
    assert!(both.iter().any(|lines| lines.len() == 5), "{both:?}");
    // Sessions one after the other in a file are no copies.
    let other = written(&[&said("three")])
        .replace("d001", "d002")
        .replace("\"r0\"", "\"z\"");
    let two = format!("{original}{other}");
    assert_eq!(
        brief(&only(&ClaudeCode, "all.jsonl", two.as_bytes())).len(),
        3
    );
}
