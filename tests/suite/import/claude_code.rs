//! Sessions of Claude Code: branches, subagents, injected rows, costs and counts of tokens.

mod cases;
mod totals;

use runpress::api::import::{ImportOptions, Keep};
use serde_json::{Value, json};

use super::{File, Imported, expected, files_below, import, named, one, run, run_with, sample};
use crate::support::{contains, entries, parse, rows};

const FORMAT: &str = "claude-code";
const STREAMED: &str = "made-streamed/7d9f0c52-0000-4000-8000-00000000a001.jsonl";
const NEWER: &str = "made-newer/7d9f0c52-0000-4000-8000-00000000c001.jsonl";

fn read(name: &str) -> Imported {
    session(sample(&format!("claude-code/{name}")))
}

fn session(log: impl Into<Vec<u8>>) -> Imported {
    one(FORMAT, "session.jsonl", log)
}

/// A session of rows, each the child of the previous one.
fn of(rows: &[&str]) -> Imported {
    session(written(rows))
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
    json!({"type": "user", "message": {"role": "user", "content": text}}).to_string()
}

/// A session of messages of the user.
fn conversation(texts: &[&str]) -> String {
    let rows: Vec<String> = texts.iter().map(|text| said(text)).collect();
    written(&rows.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn rows_of_one_response_are_counted_once() {
    let run = read(STREAMED);
    run.reads(&[
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
        "edit toolu_C1 ./sum.js modify",
        "assistant Fixed: the sum subtracted.",
        "usage",
    ]);
    run.states(
        "modelId harnessVersion",
        "claude-sonnet-4-5-20250929 2.1.150",
    );
    let withheld = run.all_withheld();
    assert!(
        withheld.ends_with("bookkeeping 1, fileContents 3, signatures 1"),
        "{withheld}"
    );
    assert_eq!(run.events()[8]["calls"], json!(["toolu_B1", "toolu_B2"]));
    let edit = &run.lines()[15];
    assert!(
        edit.ends_with(r#""diff":"@@ -1,1 +1,1 @@\n-module.exports = (a, b) => a - b;\n+module.exports = (a, b) => a + b;","source":{"file":0,"line":13,"pointer":"/toolUseResult","id":"u-5"}}"#),
        "{edit}"
    );
    // The last line is torn, and a row that is written twice counts once.
    assert_eq!(run.report["unparsable"], 1);
    let log = sample(&format!("claude-code/{STREAMED}"));
    let twice = session([&log, &b"\n"[..], &log].concat());
    assert_eq!((twice.brief(), twice.tokens()), (run.brief(), run.tokens()));
}

#[test]
fn reasoning_is_counted_apart_where_every_response_does() {
    let run = read(NEWER);
    assert_eq!(run.tokens(), "454/80300/119/129");
    assert_eq!(run.withheld("encryptedReasoning"), 1);
    run.states("harnessVersion", "2.1.241");
}

#[test]
fn messages_calls_and_results_come_in_the_order_that_upstream_expects() {
    for folder in ["letta-tool-call", "letta-subagent"] {
        let run = read(&format!("{folder}/input.jsonl"));
        let expected = expected(&format!("claude-code/{folder}/expected.json"));
        assert_eq!(run.comparable(), expected);
        if folder == "letta-subagent" {
            // A subagent that is alone is the run.
            run.states("agent", "subagent-fixture");
            assert_eq!(run.report["subagents"], 0);
        }
    }
}

#[test]
fn a_rewind_before_a_compaction_is_a_branch() {
    let run = read("ccl-dag_compact_after_rewind.jsonl");
    let mut lines = run.brief();
    lines.retain(|line| !line.starts_with("usage"));
    assert_eq!(
        lines,
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
    assert_eq!(run.withheld("compactionSummaries"), 1);
    contains(&run.text(), r#""trigger":"auto","tokensBefore":150000"#);
}

#[test]
fn subagents_come_behind_the_calls_that_started_them() {
    let run = run(FORMAT, &files_below("import/claude-code/ccl-showcase"));
    let mut lines = run.brief();
    lines.retain(|line| line.contains("showcol"));
    let first = |line: &String| {
        line.split(['\n', '#'])
            .next()
            .unwrap_or_default()
            .trim()
            .to_owned()
    };
    assert_eq!(
        lines.iter().map(first).collect::<Vec<_>>(),
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
    // 600 of its own, 360 of subagents.
    assert_eq!(run.tokens(), "960/-/320/-");
    assert_eq!(entries(&run.record["import"]["sources"]).len(), 3);
    let header = parse(&run.trace[0]);
    assert_eq!(header["agents"][1]["model"], "claude-haiku-4-5-20251001");
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
        let run = of(&[task, prompt, &result(content, beside)]);
        let lines = run.brief();
        assert_eq!(lines[..3], wanted, "{lines:?}");
        assert_eq!(lines[3].starts_with("subagent Explore completed"), ended);
    }
    // The oldest rows name no agent.
    let unnamed = prompt.replace(r#""agentId":"a9","#, "");
    let answer = r#"{"type":"assistant","isSidechain":true,"message":{"id":"m2","content":[{"type":"text","text":"found"}]}}"#;
    let run = of(&[task, &unnamed, answer, &result(r#""done""#, "")]);
    assert_eq!(
        run.brief()[1..4],
        [
            "subagent Explore started t1 r1",
            "user Look around @agent=r1",
            "assistant found @agent=r1"
        ]
    );
}

#[test]
fn an_older_subagent_lies_beside_its_session() {
    let main = conversation(&["hello"]);
    let beside = r#"{"type":"user","uuid":"x","isSidechain":true,"agentId":"a1","sessionId":"s","message":{"content":"below"}}"#;
    let files = [("p/s.jsonl", &*main), ("p/agent-a1.jsonl", beside)];
    let run = run(FORMAT, &named(files));
    run.reads(&["user hello", "subagent started a1", "user below @agent=a1"]);
}

#[test]
fn rows_that_a_resumed_session_copied_are_inherited() {
    let first = conversation(&["one", "two"]);
    let last = conversation(&["x", "y", "three"]);
    let last = last.lines().last().expect("a row");
    let resumed = format!("{first}{last}").replace("d001", "d002");
    let both = import(
        FORMAT,
        &named([("b.jsonl", &*first), ("a.jsonl", &resumed)]),
    )
    .into_iter();
    let both: Vec<Vec<String>> = both.map(|run| run.expect("a run").brief()).collect();
    let own = vec!["note inherited 2 rows of another session", "user three"];
    assert_eq!(both, [own, vec!["user one", "user two"]]);
    assert_eq!(session(resumed).lines().len(), 3, "alone it keeps them");
}

#[test]
fn what_the_harness_puts_in_is_withheld() {
    let run = of(&[
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
    assert!(!run.text().contains("SECRET"), "{:#?}", run.lines());
    run.reads(&[
        "user hello there",
        "note command /init now",
        "note interrupted",
        "note away_summary",
        "user see",
        "result false No.",
        "reasoning hm",
    ]);
    assert!(run.lines()[4].contains(r#""images":1"#));
    assert_eq!(
        run.all_withheld(),
        "attachments 1, encryptedReasoning 1, fileContents 1, images 1, injectedContext 6, metaRows 1, signatures 1, systemRows 1, unknownRows 1"
    );
}

#[test]
fn prompts_are_kept_when_asked_for_and_reasoning_is_left_out() {
    let options = ImportOptions {
        keep: vec![Keep::Prompts],
        no_reasoning: true,
        ..ImportOptions::default()
    };
    let log = written(&[
        r#"{"type":"user","isMeta":true,"message":{"content":"meta"}}"#,
        &said("<task-notification>note</task-notification>"),
        r#"{"type":"assistant","message":{"content":[{"type":"thinking","thinking":"hm"}]}}"#,
    ]);
    let run = run_with(FORMAT, &named([("s.jsonl", &log)]), options);
    run.reads(&[
        "note injected context meta",
        "note injected context <task-notification>note</task-notification>",
    ]);
    assert_eq!(run.withheld("reasoning"), 1);
}

#[test]
fn messages_that_were_queued_appear_once() {
    let run = of(&[
        r#"{"type":"queue-operation","operation":"enqueue","content":"wait"}"#,
        r#"{"type":"queue-operation","operation":"remove","content":"wait"}"#,
        r#"{"type":"queue-operation","operation":"remove","content":"only here"}"#,
        r#"{"type":"queue-operation","operation":"remove","content":null}"#,
        r#"{"type":"attachment","attachment":{"type":"queued_command","prompt":"wait"}}"#,
    ]);
    run.reads(&["user only here", "user wait"]);
    assert!(
        run.lines()
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
    let run = session(rows.join("\n"));
    run.reads(&[
        "call Task t",
        "subagent started t t",
        "assistant below @agent=t",
    ]);
    run.states(
        "state actual id",
        "limit_exceeded 0.25 7d9f0c52-0000-4000-8000-00000000e001",
    );
}

#[test]
fn an_exported_session_is_the_same_run() {
    let log = String::from_utf8(sample(&format!("claude-code/{NEWER}"))).expect("UTF-8");
    let rows: Vec<&str> = log.lines().collect();
    let rows = rows.join(",\n    ");
    let export = format!("{{\n  \"loglines\": [\n    {rows}\n  ]\n}}\n");
    let exported = one(FORMAT, "session.json", export);
    assert_eq!(exported.brief(), read(NEWER).brief());
    assert!(
        exported.origin(0).starts_with("0 - /loglines/1 "),
        "{}",
        exported.origin(0)
    );
    let problem = import(FORMAT, &named([("x.jsonl", "[]\n")])).remove(0);
    assert_eq!(problem.expect_err("no session").place.path, "x.jsonl");
}

#[test]
fn a_session_with_many_forks_subagents_and_folders_takes_time_in_proportion() {
    let mut log = r#"{"type":"user","uuid":"root","message":{"content":"go"}}"#.to_owned() + "\n";
    for at in 0..4_000 {
        let session = "7d9f0c52-0000-4000-8000-00000000d001";
        log += &format!(
            r#"{{"type":"user","uuid":"u{at}","parentUuid":"root","sessionId":"{session}","cwd":"/w/{at}","timestamp":"2026-01-01T00:00:00.{at:06}Z","message":{{"content":"one of many"}}}}
{{"type":"assistant","uuid":"a{at}","isSidechain":true,"agentId":"a{at}","message":{{"id":"m{at}","model":"m{at}","content":[{{"type":"tool_use","id":"t{at}","name":"Task","input":{{"prompt":"p{at}"}}}}]}}}}
"#
        );
    }
    let run = session(log);
    assert_eq!(run.report["subagents"], 4_000);
    let branched = run
        .lines()
        .iter()
        .filter(|line| line.contains("\"branch\""));
    assert_eq!(branched.count(), 3_999, "all but the last");
}

#[test]
fn a_background_agent_ends_as_the_log_says_later() {
    let row = |row: Value| row.to_string();
    let task = row(
        json!({"type": "assistant", "message": {"id": "m1", "model": "x", "content": [
        {"type": "tool_use", "id": "t1", "name": "Agent", "input": {"prompt": "Look", "subagent_type": "Explore"}}]}}),
    );
    let result = |id: &str, content: &str, more: Value| {
        row(
            json!({"type": "user", "toolUseResult": more, "message": {"content": [
            {"type": "tool_result", "tool_use_id": id, "content": content}]}}),
        )
    };
    let launched = result(
        "t1",
        "Launched.",
        json!({"isAsync": true, "status": "async_launched", "agentId": "a9"}),
    );
    let rows = row(
        json!({"type": "user", "isSidechain": true, "agentId": "a9", "message": {"content": "Look"}}),
    );
    let notice = |status: &str| {
        format!(
            "<task-notification>\n<task-id>a9</task-id>\n<tool-use-id>t1</tool-use-id>\n<status>{status}</status>\n<result>SECRET <status>failed</status></result>\n</task-notification>"
        )
    };
    let queued = json!({"type": "queued_command", "commandMode": "task-notification", "prompt": notice("failed")});
    let output = |status: &str| {
        let task = json!({"task_id": "a9", "task_type": "local_agent", "status": status});
        result(
            "t2",
            "x",
            json!({"retrieval_status": "success", "task": task}),
        )
    };
    let stopped = json!({"message": "Stopped", "task_id": "a9", "task_type": "local_agent"});
    let other =
        "<task-notification><task-id>b1</task-id><status>failed</status></task-notification>";
    for (end, wanted) in [
        (said(&notice("completed")), Some("completed")),
        (
            row(json!({"type": "attachment", "attachment": queued})),
            Some("failed"),
        ),
        (
            row(
                json!({"type": "queue-operation", "operation": "enqueue", "content": notice("killed")}),
            ),
            Some("failed"),
        ),
        (output("completed"), Some("completed")),
        (output("running"), None),
        (result("t3", "x", stopped), Some("failed")),
        (
            row(
                json!({"type": "system", "subtype": "task_notification", "task_id": "a9", "tool_use_id": "t1", "status": "failed"}),
            ),
            Some("failed"),
        ),
        (said(other), None),
    ] {
        let run = of(&[&task, &rows, &launched, &end]);
        let lines = run.brief();
        let ended = lines.iter().find_map(|line| {
            let line = line.strip_prefix("subagent Explore ")?;
            let word = line.split(' ').next()?;
            (word != "started").then_some(word)
        });
        assert_eq!(ended, wanted, "{end} {lines:?}");
        assert!(!run.text().contains("SECRET"), "{lines:?}");
    }
    // Without its rows it still has an end.
    let run = of(&[&task, &launched, &said(&notice("completed"))]);
    let expected = [
        "subagent Explore started t1 a9",
        "subagent Explore completed t1 a9",
    ];
    assert_eq!(run.brief()[1..3], expected);
}

#[test]
fn what_the_log_says_of_the_writer_decides_and_otherwise_the_text() {
    let human = r#""origin":{"kind":"human"},"turnOrigin":"human","promptSource":"typed""#;
    for [more, text, expected] in rows(
        r#"
| Hello <b>SE</b> | user Hello <b>SE</b>
HUMAN | <my-element>words</my-element> | user <my-element>words</my-element>
"turnOrigin":"sdk" | <my-element>words</my-element> | user <my-element>words</my-element>
"origin":{"kind":"unclassified"} | words | user words
"promptSource":"queued" | words | user words
| <my-element>SECRET</my-element> |
| <html><body>words</body></html> | user <html><body>words</body></html>
"origin":{"kind":"peer"} | SECRET |
"origin":{"kind":"of-the-future"} | SECRET |
"origin":"channel" | SECRET |
"origin":{"kind":"human"},"turnOrigin":"task_notification" | SECRET |
"promptSource":"system" | SECRET |
"isVisibleInTranscriptOnly":true | SECRET |
"sourceToolUseID":"toolu_1" | SECRET |
"isSynthetic":true | SECRET |
"toolUseResult":"SECRET" | SECRET |
"toolUseResult":"x" | [Request interrupted by user for tool use] | note interrupted
| <ide_selection>SECRET</ide_selection>fix it | user fix it
HUMAN | fix it⏎<ide_opened_file>SECRET</ide_opened_file> | user fix it
| fix it⏎<user-prompt-submit-hook>SECRET | user fix it
| <session-start-hook>SECRET</session-start-hook> |
| a <system-reminder>x <system-reminder>SECRET</system-reminder> SECRET</system-reminder>b | user a b
| what is <system-reminder> for? | user what is <system-reminder> for?
| <teammate-message teammate_id="a">SECRET</teammate-message> |
| <cross-session-message from="a">SECRET</cross-session-message> |
| <channel source="chat">SECRET</channel> |
| Another Claude session sent a message:⏎SECRET |
| Base directory for this skill: SECRET |
| This session is being continued from a previous conversation. SECRET |
| [SYSTEM NOTIFICATION - NOT USER INPUT] SECRET |
| <local-command-of-the-future>SECRET</local-command-of-the-future> |
"#,
    ) {
        let more = more.replace("HUMAN", human);
        let comma = if more.is_empty() { "" } else { "," };
        let row = format!(
            r#"{{"type":"user",{more}{comma}"message":{{"content":{}}}}}"#,
            json!(text)
        );
        let shown = of(&[&row]).brief().join("; ");
        assert!(!shown.contains("SECRET"), "{row}: {shown}");
        assert_eq!(shown, expected, "{row}");
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
        let run = of(&[row]);
        assert!(!run.text().contains("SECRET"), "{row}");
        assert_eq!(run.withheld("injectedContext"), 1, "{row}");
    }
}

#[test]
fn rows_of_a_fork_are_those_that_name_it() {
    let original = conversation(&["one", "two"]);
    let own = conversation(&["x", "y", "three"]);
    let own = own.lines().last().expect("a row").replace("d001", "d002");
    let fork = format!("{original}{own}\n");
    let name = |id: &str| format!("7d9f0c52-0000-4000-8000-00000000{id}.jsonl");
    let run = one(FORMAT, &name("d002"), fork.clone());
    let events = ["note inherited 2 rows of another session", "user three"];
    run.reads(&events);
    run.states(
        "id startedAt",
        "7d9f0c52-0000-4000-8000-00000000d002 2026-01-01T00:00:02.000Z",
    );
    // The name of the file does not matter if no row has it.
    one(FORMAT, "a.jsonl", fork.clone()).reads(&events);
    let copy = one(FORMAT, &name("d00f"), original.clone());
    copy.states("id", "7d9f0c52-0000-4000-8000-00000000d001");
    // The original went on after the fork began.
    let longer = conversation(&["one", "two", "x", "later", "last"]);
    let files: [File; 2] = [(name("d002"), fork.into()), (name("d001"), longer.into())];
    let both = import(FORMAT, &files).into_iter();
    let mut both: Vec<Vec<String>> = both.map(|run| run.expect("a run").brief()).collect();
    both.sort_by_key(Vec::len);
    assert_eq!(both[0], events);
    assert_eq!(both[1].len(), 5, "{both:?}");
    // Sessions one after the other in a file are no copies.
    let other = conversation(&["three"]);
    let other = other.replace("d001", "d002").replace("\"r0\"", "\"z\"");
    let all = one(FORMAT, "all.jsonl", format!("{original}{other}"));
    assert_eq!(all.lines().len(), 3);
}

#[test]
fn blocks_of_unknown_types_are_counted_in_rows_of_either_writer() {
    let blocks = r#"[{"type":"text","text":"hi"},{"type":"new","text":"secret"},5]"#;
    let user = format!(r#"{{"type":"user","message":{{"content":{blocks}}}}}"#);
    let agent = format!(r#"{{"type":"assistant","message":{{"id":"m","content":{blocks}}}}}"#);
    let run = of(&[&user, &agent]);
    run.reads(&["user hi", "assistant hi"]);
    assert_eq!(run.all_withheld(), "providerPayloads 2");
}
