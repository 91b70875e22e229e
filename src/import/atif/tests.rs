//! Tests of the ATIF importer: its samples, the conformance cases of another implementation, and damaged trajectories.

use serde_json::Value;

use crate::import::testing::{
    brief, comparable, expected, json, only, read_with, run, sample, tally, tokens,
};
use crate::import::{Draft, Id, Keep, Options, Source};

use crate::import::testing::outline;
use crate::model::run::Metric;

use super::{Atif, read_trajectory};

const LETTA: &[u8] = sample!("atif/letta-tool-calls/input.json");

fn one(trajectory: &[u8]) -> Draft {
    only(&Atif, "trajectory.json", trajectory)
}

/// The trajectories of the conformance cases of another implementation.
fn cases() -> Vec<Vec<u8>> {
    let cases: Value = serde_json::from_slice(sample!("atif/mira-conformance.json")).expect("JSON");
    let cases = cases["cases"].as_array().expect("cases");
    cases
        .iter()
        .map(|case| case["trajectory"].to_string().into_bytes())
        .collect()
}

#[test]
fn messages_calls_and_results_come_in_the_order_that_upstream_expects() {
    let draft = one(LETTA);
    let expected: Vec<String> = expected(sample!("atif/letta-tool-calls/expected.json"))
        .iter()
        .map(|line| line.replace("\n[image]", ""))
        .collect();
    assert_eq!(comparable(&draft), expected);
    assert_eq!(tally(&draft), [1, 2, 1, 2, 2, 0]);
    assert_eq!(draft.withheld["images"], 1);
    assert!(brief(&draft).contains(&"note missing subagent subagents/config.json".to_owned()));
    assert_eq!(draft.record.models, ["example-default-model"]);
    assert_eq!(tokens(&draft), "-/-/-/-");
    assert_eq!(draft.record.format_version.as_deref(), Some("ATIF-v1.7"));
    assert_eq!(
        draft.record.started.as_deref(),
        Some("2026-08-18T10:00:00Z")
    );
    assert_eq!(
        draft.record.finished.as_deref(),
        Some("2026-08-18T10:00:02Z")
    );
    assert_eq!(
        draft.events[1].source.pointer.as_deref(),
        Some("/steps/1/reasoning_content")
    );
}

#[test]
fn the_cases_of_another_implementation_have_its_numbers() {
    let cases = cases();
    let first = one(&cases[0]);
    assert_eq!(
        first.record.id,
        Id::Own("025B810F-B3A2-4C67-93C0-FE7A142A947A".to_owned())
    );
    assert_eq!(tally(&first), [1, 2, 2, 2, 2, 0]);
    assert_eq!(tokens(&first), "920/200/124/-");
    assert_eq!(first.record.cost, Some(0.00078));
    assert!(!first.record.cost_estimated);
    assert_eq!(first.withheld["tokenIds"], 2);
    assert_eq!(first.withheld["toolDefinitions"], 1);
    let second = one(&cases[1]);
    assert_eq!(tally(&second), [1, 2, 1, 2, 2, 0]);
    assert_eq!(tokens(&second), "290/10/50/-");
    assert_eq!(second.record.cost, Some(0.003));
    assert_eq!(second.record.started, None);
    assert!(second.record.models.is_empty());
    assert_eq!(
        tally(&one(&cases[2])),
        [1, 1, 0, 0, 0, 0],
        "a version of the future"
    );
    let refused = read_with(&Atif, &[("t.json", &cases[3])], &Options::default()).remove(0);
    assert!(
        refused
            .expect_err("a problem")
            .message
            .contains("ATIF-v2.0")
    );
}

#[test]
fn system_steps_are_withheld_unless_prompts_are_kept() {
    for (sample, facts, system) in [
        (&sample!("atif/nemo-exmp01.json")[..], [1, 1, 0, 0, 0, 0], 3),
        (sample!("atif/nemo-exmp03.json"), [1, 1, 0, 0, 0, 0], 1),
        (sample!("atif/nemo-exmp06.json"), [3, 3, 0, 0, 0, 0], 1),
    ] {
        let draft = one(sample);
        assert_eq!(tally(&draft), facts);
        assert_eq!(draft.withheld["systemPrompts"], system);
        let keep = Options {
            keep: vec![Keep::Prompts],
            no_reasoning: false,
            ..Options::default()
        };
        let kept = read_with(&Atif, &[("t.json", sample)], &keep)
            .remove(0)
            .expect("a run");
        let notes = brief(&kept)
            .iter()
            .filter(|line| line.starts_with("note system prompt"))
            .count();
        assert_eq!(notes as u64, system);
    }
    let started = one(sample!("atif/nemo-exmp03.json")).record.started;
    assert_eq!(
        started.as_deref(),
        Some("2026-01-03T00:00:02Z"),
        "the time of a system step"
    );
}

fn of(steps: &str) -> Draft {
    one(format!(r#"{{"schema_version":"ATIF-v1.6","session_id":"s","agent":{{"name":"a"}},"steps":[{steps}]}}"#).as_bytes())
}

#[test]
fn results_join_calls_of_their_step_only_and_failure_is_read_from_flags() {
    let draft = of(
        r#"{"source":"agent","message":"","tool_calls":[{"tool_call_id":"c","function_name":"f","arguments":"not json"},{"tool_call_id":"d","function_name":"g","arguments":[1, 2]}],
            "observation":{"results":[{"source_call_id":"c","content":"error","extra":{"tool_result_is_error":true}},{"source_call_id":"elsewhere","content":"x"},{"content":"y"}]}},
           {"source":"agent","message":"","observation":{"results":[{"content":"z"}]},"extra":{"tool_result_metadata":{"raw_tool_result":{"is_error":false}}}}"#,
    );
    assert_eq!(
        brief(&draft),
        [
            "call f c",
            "call g d",
            "result c false error",
            "result x",
            "result y",
            "result true z"
        ]
    );
    assert!(json(&draft)[0].contains(r#""argumentsText":"not json""#));
    assert!(json(&draft)[1].contains(r#""arguments":[1,2]"#));
}

#[test]
fn steps_of_subagents_are_taken_out_of_the_main_line() {
    let draft = of(r#"{"source":"user","message":"go"},
           {"source":"agent","message":"below","model_name":"m","extra":{"is_sidechain":true,"agent_id":"x"}},
           {"source":"agent","message":"copied","is_copied_context":true},
           {"source":"agent","message":"copied","is_copied_context":true},
           {"source":"system","message":"SECRET","extra":{"type":"compaction"}},
           {"source":"agent","message":"done"}"#);
    assert_eq!(
        brief(&draft),
        [
            "user go",
            "note inherited 2 steps of another context",
            "compaction",
            "assistant done",
            "subagent started x",
            "assistant below @agent=x"
        ]
    );
    assert_eq!(draft.withheld["compactionSummaries"], 1);
}

#[test]
fn subagents_are_found_in_the_file_and_beside_it() {
    let inner = r#"{"schema_version":"ATIF-v1.7","trajectory_id":"in","agent":{"name":"helper"},"steps":[{"source":"agent","message":"inside"}]}"#;
    let main = format!(
        r#"{{"schema_version":"ATIF-v1.7","trajectory_id":"out","agent":{{"name":"a","version":"1","extra":{{"cwd":"/w"}}}},"steps":[
            {{"source":"agent","message":"","tool_calls":[{{"tool_call_id":"c","function_name":"delegate","arguments":{{}}}},{{"tool_call_id":"d","function_name":"delegate","arguments":{{}}}}],
              "observation":{{"results":[{{"source_call_id":"c","subagent_trajectory_ref":[{{"trajectory_id":"in"}}]}},{{"source_call_id":"d","subagent_trajectory_ref":[{{"trajectory_path":"sub/../sub/x.json"}}]}}]}}}}],
            "subagent_trajectories":[{inner}]}}"#
    );
    let beside = inner
        .replace("inside", "beside")
        .replace(r#""in""#, r#""be""#);
    let files: [(&str, &[u8]); 3] = [
        ("t/sub/x.json", beside.as_bytes()),
        ("t/trajectory.json", main.as_bytes()),
        ("t/other.json", b"{}"),
    ];
    let draft = run(&Atif, &files);
    assert_eq!(
        brief(&draft),
        [
            "call delegate c",
            "subagent helper started c in",
            "assistant inside @agent=in",
            "call delegate d",
            "subagent helper started d be",
            "assistant beside @agent=be",
            "result c",
            "result d"
        ]
    );
    let origins: Vec<_> = draft
        .events
        .iter()
        .map(|event| {
            (
                event.source.file,
                event.source.pointer.clone().unwrap_or_default(),
            )
        })
        .collect();
    assert_eq!(
        origins[2],
        (0, "/subagent_trajectories/0/steps/0/message".to_owned())
    );
    assert_eq!(origins[5], (1, "/steps/0/message".to_owned()));
    assert_eq!(draft.identity.workspaces, ["/w"]);
    let source = Source::of(&files);
    let same = read_trajectory(&source, &[1, 2], &Options::default()).expect("a run");
    assert_eq!(brief(&same), brief(&draft));
}

#[test]
fn a_trajectory_goes_on_in_the_files_that_it_names() {
    let part = |text: &str, next: &str, tokens: u64| {
        format!(
            r#"{{"schema_version":"ATIF-v1.7","session_id":"s","agent":{{"name":"a"}},"steps":[{{"source":"agent","message":"{text}","metrics":{{"prompt_tokens":{tokens},"completion_tokens":1}}}}],"final_metrics":{{"total_prompt_tokens":{tokens}}}{next}}}"#
        )
    };
    let first = part(
        "one",
        r#","continued_trajectory_ref":"trajectory.cont-1.json""#,
        10,
    );
    let second = part("two", r#","continued_trajectory_ref":"gone.json""#, 20);
    let draft = run(
        &Atif,
        &[
            ("trajectory.cont-1.json", second.as_bytes()),
            ("trajectory.json", first.as_bytes()),
        ],
    );
    assert_eq!(
        brief(&draft),
        [
            "assistant one",
            "usage",
            "note continued trajectory.cont-1.json",
            "assistant two",
            "usage",
            "note missing continuation gone.json"
        ]
    );
    assert_eq!(tokens(&draft), "30/-/2/-");
    assert!(draft.record.lower_bounds.contains(Metric::Output));
    let circle = part("one", r#","continued_trajectory_ref":"b.json""#, 1);
    let back = part("two", r#","continued_trajectory_ref":"a.json""#, 1);
    let draft = run(
        &Atif,
        &[("a.json", circle.as_bytes()), ("b.json", back.as_bytes())],
    );
    assert_eq!(brief(&draft).len(), 5);
    assert!(!draft.record.lower_bounds.contains(Metric::Output));
}

#[test]
fn the_sum_of_some_steps_is_a_lower_bound() {
    let metrics = r#""metrics":{"prompt_tokens":10,"completion_tokens":1}"#;
    let step = |more: &str| format!(r#"{{"source":"agent","message":"x"{more}}}"#);
    let counted = step(&format!(",{metrics}"));
    let all = of(&counted);
    assert!(!all.record.lower_bounds.contains(Metric::Output));
    let without_a_model = of(&[&*counted, &step(r#","llm_call_count":0"#)].join(","));
    assert!(!without_a_model.record.lower_bounds.contains(Metric::Output));
    let some = of(&[&*counted, &step("")].join(","));
    assert_eq!(tokens(&some), "10/-/1/-");
    assert!(some.record.lower_bounds.contains(Metric::Output));
}

#[test]
fn what_an_agent_inserted_is_not_what_the_user_said() {
    let step =
        |id: u8, text: &str| format!(r#"{{"step_id":{id},"source":"user","message":"{text}"}}"#);
    let steps = [
        step(1, "# AGENTS.md instructions for /work\\n\\nBe good."),
        step(
            2,
            "<environment_context>\\n  <cwd>/work</cwd>\\n</environment_context>",
        ),
        step(3, "Fix it. <system-reminder>Be good.</system-reminder>"),
    ];
    let draft = of(&steps.join(","));
    assert_eq!(
        outline(&draft),
        concat!(
            r#"{"type":"message","role":"user","text":"Fix it. "}"#,
            "\n"
        )
    );
    assert_eq!(draft.withheld["injectedContext"], 3);
}

#[test]
fn a_broken_trajectory_never_panics() {
    for cut in (0..LETTA.len()).step_by(7) {
        drop(read_with(
            &Atif,
            &[("t.json", &LETTA[..cut])],
            &Options::default(),
        ));
    }
    crate::import::testing::survives(&Atif, "t.json", &cases()[1]);
    crate::import::testing::survives(
        &Atif,
        "t.json",
        serde_json::from_slice::<Value>(LETTA)
            .expect("JSON")
            .to_string()
            .as_bytes(),
    );
}
