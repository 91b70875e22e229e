//! Tests of the mini-swe-agent importer: its samples, and damaged trajectories.

use super::super::testing::{counts, only, outline, read, read_with, survive, tokens};
use super::super::{Keep, Options};
use crate::model::run::Metric;

use super::*;

const LOCAL: &[u8] =
    include_bytes!("../../../tests/fixtures/import/mini-swe-agent/local.traj.json");
const LIMITS: &[u8] =
    include_bytes!("../../../tests/fixtures/import/mini-swe-agent/made-limits.traj.json");
const TOOLS: &[u8] =
    include_bytes!("../../../tests/fixtures/import/mini-swe-agent/made-toolcall.traj.json");

#[test]
fn calls_that_are_values_are_joined_by_id_and_tokens_are_disjoint() {
    let draft = only(&MiniSweAgent, "made-toolcall.traj.json", TOOLS);
    assert_eq!(
        counts(&draft),
        "assistant 2, calls 4, failed 1, reasoning 1, results 3, system 1, unanswered 1, user 1"
    );
    assert_eq!(tokens(&draft), "1388/2112/105/10");
    let record = &draft.record;
    assert_eq!(record.cost, Some(0.0053));
    assert_eq!(record.models, ["deterministic_toolcall"]);
    assert_eq!(record.harness_version.as_deref(), Some("2.4.6"));
    assert_eq!(
        (record.started.as_deref(), record.finished.as_deref()),
        (
            Some("2026-11-22T22:32:19.208508Z"),
            Some("2026-11-22T22:32:19.225821Z")
        )
    );
    assert_eq!(
        (record.state, record.detail.as_deref()),
        ("completed", Some("Submitted"))
    );
    assert_eq!(record.outcomes[0].value.get(), "true");
    assert!(draft.warnings.is_empty());
    let outline = outline(&draft);
    let lines: Vec<&str> = outline.lines().collect();
    assert!(lines[1].contains("Two commands in one turn."), "{outline}");
    assert!(
        lines[3].contains(r#""arguments":{"command":"printf"#),
        "{outline}"
    );
    assert!(
        lines[6].contains(r#""call":"call_2","ok":false,"exitCode":1,"exitCodeFrom":"field""#),
        "{outline}"
    );
    let last = draft.events.last().expect("an event");
    assert_eq!(last.source.pointer.as_deref(), Some("/messages/7/extra"));
}

#[test]
fn a_run_that_reached_its_limit_is_not_completed() {
    let draft = only(&MiniSweAgent, "made-limits.traj.json", LIMITS);
    assert_eq!(
        counts(&draft),
        "assistant 2, calls 2, failed 1, results 2, system 1, user 1"
    );
    assert_eq!(tokens(&draft), "-/-/-/-");
    assert_eq!(draft.record.cost, Some(12.0));
    assert_eq!(draft.record.state, "limit_exceeded");
    assert_eq!(draft.record.outcomes[0].value.get(), "false");
    assert_eq!(draft.identity.workspaces, ["/testbed"]);
}

#[test]
fn a_bare_list_has_its_calls_in_fences_and_its_exit_status_at_the_start_of_a_result() {
    let draft = only(&MiniSweAgent, "local.traj.json", LOCAL);
    assert_eq!(
        counts(&draft),
        "assistant 2, calls 2, results 1, system 1, unanswered 1, user 1"
    );
    let outline = outline(&draft);
    assert!(
        outline.contains(r#"{"type":"tool_call","name":"bash","call":"m2.0","arguments":{"command":"echo 'hello world'"}}"#),
        "{outline}"
    );
    assert!(
        outline.contains(
            r#""call":"m2.0","ok":true,"exitCode":0,"exitCodeFrom":"text","text":"hello world\n"}"#
        ),
        "{outline}"
    );
    assert_eq!(draft.record.outcomes[0].value.get(), "false");
    assert_eq!(draft.record.state, "");
}

#[test]
fn answers_of_the_responses_api_and_words_of_a_person_are_read() {
    let log = r#"{"trajectory_format":"mini-swe-agent-1.1","info":{"exit_status":"ValueError","model_stats":{"instance_cost":0,"api_calls":2}},
      "messages":[{"role":"user","content":"Do it"},
      {"object":"response","output":[{"type":"reasoning","summary":[{"type":"summary_text","text":"Why"}],"encrypted_content":"x"},
        {"type":"message","content":[{"type":"output_text","text":"I look"}]},
        {"type":"function_call","name":"bash","arguments":"{\"command\":\"ls\"}","call_id":"c1"}],
       "usage":{"input_tokens":10,"input_tokens_details":{"cached_tokens":4},"output_tokens":5,"output_tokens_details":{"reasoning_tokens":2}},
       "extra":{"actions":[{"command":"ls","tool_call_id":"c1"}]}},
      {"type":"function_call_output","call_id":"c1","output":"gone","extra":{"returncode":-1,"raw_output":"part","exception_info":"timed out"}},
      {"role":"user","content":"Use tools","extra":{"interrupt_type":"FormatError"}},
      {"role":"user","content":"Interrupted by user: stop","extra":{"interrupt_type":"UserInterruption"}},
      {"role":"exit","content":"Traceback (most recent call last): ...","extra":{"exception_str":"bad","traceback":"frames"}}]}"#;
    let draft = only(&MiniSweAgent, "a.traj.json", log.as_bytes());
    assert_eq!(
        outline(&draft),
        concat!(
            r#"{"type":"message","role":"user","text":"Do it"}"#,
            "\n",
            r#"{"type":"reasoning","text":"Why","summary":true}"#,
            "\n",
            r#"{"type":"message","role":"assistant","text":"I look"}"#,
            "\n",
            r#"{"type":"tool_call","name":"bash","call":"c1","arguments":{"command":"ls"}}"#,
            "\n",
            r#"{"type":"tool_result","call":"c1","ok":false,"status":"error","text":"timed out\npart"}"#,
            "\n",
            r#"{"type":"note","kind":"FormatError","text":"Use tools"}"#,
            "\n",
            r#"{"type":"message","role":"user","text":"Interrupted by user: stop","steering":true}"#,
            "\n",
            r#"{"type":"error","message":"bad"}"#,
            "\n",
        )
    );
    assert_eq!(tokens(&draft), "6/4/3/2");
    // The program counts two calls, and the log has the tokens of one.
    assert!(draft.record.lower_bounds.contains(Metric::Output));
    assert_eq!(draft.record.state, "harness_error");
    assert_eq!(draft.record.cost, Some(0.0));
    assert_eq!(draft.withheld["encryptedReasoning"], 1);
    assert_eq!(draft.withheld["tracebacks"], 1);
}

#[test]
fn prompts_and_reasoning_follow_the_options() {
    let options = Options {
        keep: vec![Keep::Prompts],
        no_reasoning: true,
        ..Options::default()
    };
    let run = read_with(&MiniSweAgent, &[("a.traj.json", TOOLS)], &options).remove(0);
    let draft = run.expect("a run");
    assert!(
        outline(&draft).starts_with(r#"{"type":"note","kind":"system prompt","text":"You are"#)
    );
    assert!(!outline(&draft).contains("Two commands in one turn."));
    assert_eq!(draft.withheld["reasoning"], 1);
}

#[test]
fn of_a_folder_every_trajectory_is_a_run_and_one_that_is_cut_stops_no_other() {
    let files: [(&str, &[u8]); 3] = [
        ("a/a.traj.json", &TOOLS[..400]),
        ("b/b.traj.json", LIMITS),
        ("preds.json", b"{}"),
    ];
    let runs = read(&MiniSweAgent, &files);
    assert_eq!(runs.len(), 2);
    let problem = runs[0].as_ref().expect_err("it is cut");
    assert_eq!(problem.message, "The file ends in the middle of its JSON");
    assert!(runs[1].is_ok());
}

#[test]
fn no_change_of_a_value_stops_the_importer() {
    for bytes in [LOCAL, LIMITS, TOOLS] {
        survive(&MiniSweAgent, &[("a.traj.json", bytes)]);
    }
}
