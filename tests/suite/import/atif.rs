//! Trajectories in ATIF.

use runpress::api::import::Keep;
use serde_json::Value;

use super::{Imported, expected, import, keeping, named, one, run, run_with, sample};

const FORMAT: &str = "atif";

fn read(trajectory: impl Into<Vec<u8>>) -> Imported {
    one(FORMAT, "trajectory.json", trajectory)
}

#[test]
fn messages_calls_and_results_come_in_the_order_that_upstream_expects() {
    let run = read(sample("atif/letta-tool-calls/input.json"));
    let expected = expected("atif/letta-tool-calls/expected.json");
    let expected: Vec<String> = expected
        .iter()
        .map(|line| line.replace("\n[image]", ""))
        .collect();
    assert_eq!(run.comparable(), expected);
    assert_eq!(run.withheld("images"), 1);
    let missing = "note missing subagent subagents/config.json".to_owned();
    assert!(run.brief().contains(&missing));
    run.states("modelId formatVersion", "example-default-model ATIF-v1.7");
    assert_eq!(run.origin(1), "0 - /steps/1/reasoning_content - -");
}

#[test]
fn the_cases_of_another_implementation_are_read() {
    let cases: Value = serde_json::from_slice(&sample("atif/mira-conformance.json")).expect("JSON");
    let log = |case: usize| cases["cases"][case]["trajectory"].to_string();
    let first = read(log(0));
    first.states("estimated", "-");
    assert_eq!(first.all_withheld(), "tokenIds 2, toolDefinitions 1");
    assert_eq!(read(log(1)).facts("modelId models"), "- -");
    let refused = import(FORMAT, &named([("t.json", &log(3))])).remove(0);
    let problem = refused.expect_err("a version of the future");
    assert!(problem.message.contains("ATIF-v2.0"), "{problem:?}");
}

#[test]
fn system_steps_are_withheld_unless_prompts_are_kept() {
    for (name, system) in [("exmp01", 3), ("exmp03", 1), ("exmp06", 1)] {
        let log = sample(&format!("atif/nemo-{name}.json"));
        assert_eq!(read(log.clone()).withheld("systemPrompts"), system);
        let kept = run_with(
            FORMAT,
            &[("t.json".to_owned(), log)],
            keeping(&[Keep::Prompts]),
        );
        let notes = kept.brief();
        let notes = notes
            .iter()
            .filter(|line| line.starts_with("note system prompt"));
        assert_eq!(notes.count() as u64, system);
    }
}

fn of(steps: &str) -> Imported {
    read(format!(
        r#"{{"schema_version":"ATIF-v1.6","session_id":"s","agent":{{"name":"a"}},"steps":[{steps}]}}"#
    ))
}

#[test]
fn results_join_calls_of_their_step_only_and_failure_is_read_from_flags() {
    let run = of(
        r#"{"source":"agent","message":"","tool_calls":[{"tool_call_id":"c","function_name":"f","arguments":"not json"},{"tool_call_id":"d","function_name":"g","arguments":[1, 2]}],
            "observation":{"results":[{"source_call_id":"c","content":"error","extra":{"tool_result_is_error":true}},{"source_call_id":"elsewhere","content":"x"},{"content":"y"}]}},
           {"source":"agent","message":"","observation":{"results":[{"content":"z"}]},"extra":{"tool_result_metadata":{"raw_tool_result":{"is_error":false}}}}"#,
    );
    run.outlines(&[
        r#"{"type":"tool_call","name":"f","call":"c","argumentsText":"not json"}"#,
        r#"{"type":"tool_call","name":"g","call":"d","arguments":[1,2]}"#,
        r#"{"type":"tool_result","call":"c","ok":false,"text":"error"}"#,
        r#"{"type":"tool_result","text":"x"}"#,
        r#"{"type":"tool_result","text":"y"}"#,
        r#"{"type":"tool_result","ok":true,"text":"z"}"#,
    ]);
}

#[test]
fn steps_of_subagents_are_taken_out_of_the_main_line() {
    let run = of(r#"{"source":"user","message":"go"},
           {"source":"agent","message":"below","model_name":"m","extra":{"is_sidechain":true,"agent_id":"x"}},
           {"source":"agent","message":"copied","is_copied_context":true},
           {"source":"agent","message":"copied","is_copied_context":true},
           {"source":"system","message":"SECRET","extra":{"type":"compaction"}},
           {"source":"agent","message":"done"}"#);
    run.reads(&[
        "user go",
        "note inherited 2 steps of another context",
        "compaction",
        "assistant done",
        "subagent started x",
        "assistant below @agent=x",
    ]);
    assert_eq!(run.withheld("compactionSummaries"), 1);
}

#[test]
fn subagents_are_found_in_the_file_and_beside_it() {
    let inner = r#"{"schema_version":"ATIF-v1.7","trajectory_id":"in","agent":{"name":"helper"},"steps":[{"source":"agent","message":"inside"}]}"#;
    let main = format!(
        r#"{{"schema_version":"ATIF-v1.7","trajectory_id":"out","agent":{{"name":"a","version":"1","extra":{{"cwd":"/w"}}}},"steps":[
            {{"source":"agent","message":"in /w/x","tool_calls":[{{"tool_call_id":"c","function_name":"delegate","arguments":{{}}}},{{"tool_call_id":"d","function_name":"delegate","arguments":{{}}}}],
              "observation":{{"results":[{{"source_call_id":"c","subagent_trajectory_ref":[{{"trajectory_id":"in"}}]}},{{"source_call_id":"d","subagent_trajectory_ref":[{{"trajectory_path":"sub/../x.json"}}]}}]}}}}],
            "subagent_trajectories":[{inner}]}}"#
    );
    let beside = inner
        .replace("inside", "beside")
        .replace(r#""in""#, r#""be""#);
    let files = [("t/x.json", &*beside), ("t/trajectory.json", &main)];
    let run = run(FORMAT, &named(files));
    run.reads(&[
        "assistant in ./x",
        "call delegate c",
        "subagent helper started c in",
        "assistant inside @agent=in",
        "call delegate d",
        "subagent helper started d be",
        "assistant beside @agent=be",
        "result c",
        "result d",
    ]);
    assert_eq!(
        run.origin(3),
        "0 - /subagent_trajectories/0/steps/0/message - -"
    );
    assert_eq!(run.origin(6), "1 - /steps/0/message - -");
}

#[test]
fn a_trajectory_goes_on_in_the_files_that_it_names() {
    let part = |text: &str, next: &str, tokens: u64| {
        format!(
            r#"{{"schema_version":"ATIF-v1.7","session_id":"s","agent":{{"name":"a"}},"steps":[{{"source":"agent","message":"{text}","metrics":{{"prompt_tokens":{tokens},"completion_tokens":1}}}}],"final_metrics":{{"total_prompt_tokens":{tokens}}},"continued_trajectory_ref":"{next}"}}"#
        )
    };
    let first = part("one", "trajectory.cont-1.json", 10);
    let second = part("two", "gone.json", 20);
    let run_of = |files| run(FORMAT, &named(files));
    let run = run_of([
        ("trajectory.cont-1.json", &*second),
        ("trajectory.json", &first),
    ]);
    run.reads(&[
        "assistant one",
        "usage",
        "note continued trajectory.cont-1.json",
        "assistant two",
        "usage",
        "note missing continuation gone.json",
    ]);
    assert_eq!(run.tokens(), "30/-/2/-");
    assert!(run.lower_bounds().contains("output"));
    let (circle, back) = (part("one", "b.json", 1), part("two", "a.json", 1));
    let run = run_of([("a.json", &*circle), ("b.json", &back)]);
    assert_eq!((run.lines().len(), run.lower_bounds()), (5, String::new()));
}

#[test]
fn the_sum_of_some_steps_is_a_lower_bound() {
    let counted =
        r#"{"source":"agent","message":"x","metrics":{"prompt_tokens":10,"completion_tokens":1}}"#;
    let other = r#"{"source":"agent","message":"x"}"#;
    let without_a_model = r#"{"source":"agent","message":"x","llm_call_count":0}"#;
    for (steps, is_bound) in [
        (vec![counted], false),
        (vec![counted, without_a_model], false),
        (vec![counted, other], true),
    ] {
        let run = of(&steps.join(","));
        assert_eq!(run.tokens(), "10/-/1/-");
        assert_eq!(run.lower_bounds().contains("output"), is_bound, "{steps:?}");
    }
}

#[test]
fn a_sum_over_steps_that_do_not_all_have_a_value_is_a_lower_bound() {
    let step = |metrics: &str| {
        format!(
            r#"{{"source":"agent","message":"x","metrics":{{"prompt_tokens":10,"completion_tokens":1{metrics}}}}}"#
        )
    };
    let all = step(r#","cached_tokens":4,"cost_usd":0.5"#);
    for (other, bounds) in [
        (all.clone(), ""),
        (step(r#","cost_usd":0.5"#), "tokens.cachedInput"),
        (step(r#","cached_tokens":4"#), "cost.actual"),
        (
            step(r#","cached_tokens":"4","cost_usd":"0.5""#),
            "tokens.cachedInput cost.actual",
        ),
    ] {
        let run = of(&[all.clone(), other].join(","));
        assert_eq!(run.lower_bounds(), bounds, "{:?}", run.messages());
    }
}

#[test]
fn steps_that_are_no_objects_are_named_and_sounds_are_no_images() {
    let run = of(
        r#"{"source":"user","message":[{"type":"text","text":"hi"},{"type":"audio","source":{}},{"type":"image","source":{}}]},7,{"source":"agent","message":"a"}"#,
    );
    run.reads(&["user hi", "assistant a"]);
    assert_eq!(run.all_withheld(), "attachments 1, images 1");
    assert_eq!(run.messages(), ["`/steps/1` is not a step"]);
    assert_eq!(run.warnings[0].place.path, "trajectory.json");
}

#[test]
fn what_an_agent_inserted_is_not_what_the_user_said() {
    let texts = [
        "# AGENTS.md instructions for /work\\n\\nBe good.",
        "<environment_context>\\n  <cwd>/work</cwd>\\n</environment_context>",
        "Fix it. <system-reminder>Be good.</system-reminder>",
    ];
    let steps = texts.map(|text| format!(r#"{{"source":"user","message":"{text}"}}"#));
    let run = of(&steps.join(","));
    run.reads(&["user Fix it. "]);
    assert_eq!(run.withheld("injectedContext"), 3);
}
