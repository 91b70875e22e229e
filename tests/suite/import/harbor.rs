//! Jobs of Harbor.

use runpress::api::import::{Keep, Problem};

use super::{File, Imported, files_below, import, import_with, keeping, named};

const FORMAT: &str = "harbor";

fn job() -> Vec<File> {
    files_below("import/harbor/2026-03-01__12-00-00")
}

#[test]
fn every_trial_of_a_job_is_a_run_with_its_rewards_and_the_log_of_its_agent() {
    let runs = import(FORMAT, &job()).into_iter();
    let runs: Vec<Imported> = runs.map(|run| run.expect("a run")).collect();
    let [broken, parser, hello] = runs.as_slice() else {
        panic!("{} runs", runs.len());
    };
    hello.states(
        "testCaseSlug modelId harnessSlug harnessVersion runTimeSeconds state detail",
        "hello-world anthropic/claude-haiku-4-5-20251001 claude-code 2.1.173 175.0 completed -",
    );
    hello.states("testCaseVersion job jobName dataset", "9bfde9e8bed95eb4bb5111a0caa55f979bfde9e8bed95eb4bb5111a0caa55f97 83661c5a-b8f1-5b06-9f66-1f6ff852d02d 2026-03-01__12-00-00 hello-world");
    assert_eq!(hello.outcomes(), ["reward 1.0 true"]);
    hello.states(
        "unused",
        r#"["hello-world__Ab3dE7q/agent/trajectory.json"]"#,
    );
    for agent in ["showcol1", "showcol2"] {
        let started = format!("{agent} - ");
        assert!(hello.trace[0].contains(agent), "{started}");
    }
    parser.states(
        "testCaseVersion state detail",
        "4f7c1a0d9e8b7a6c5d4e3f2a1b0c9d8e7f6a5b4c timed_out AgentTimeoutError",
    );
    assert_eq!(
        parser.outcomes(),
        ["reward 0 true", "tests_passed 3 true", "tests_total 5 true"]
    );
    broken.states("state actual outcomes", "infrastructure - -");
    broken.outlines(&[
        r#"{"type":"error","message":"Environment start timed out after 600.0 seconds","code":"EnvironmentStartTimeoutError"}"#
    ]);
    assert_eq!(broken.origin(0), "0 - /exception_info - -");
    for run in &runs {
        for private in ["sk-e****000", "/home/ci", "site-packages"] {
            assert!(!run.text().contains(private), "{private}");
        }
    }
}

#[test]
fn the_trajectory_is_read_where_the_agent_left_no_log_that_can_be_read() {
    let mut files = job();
    files.retain(|(name, _)| name.starts_with("hello-world") && !name.contains("/sessions/"));
    let run = import(FORMAT, &files).remove(0).expect("a run");
    assert_eq!(run.report["messages"]["assistant"], 3);
    assert_eq!(run.report["toolResults"], 5);
    run.states("unused job", "- -");
}

/// A trial in a folder of its own, with more files.
fn trial(result: &str, more: &[(&str, &str)]) -> Vec<Result<Imported, Problem>> {
    let result = format!(r#"{{"trial_name":"t__1","task_name":"t","task_checksum":"c",{result}}}"#);
    let mut files = named([("t__1/result.json", &result)]);
    files.extend(more.iter().flat_map(|file| named([*file])));
    import(FORMAT, &files)
}

fn only(result: &str, more: &[(&str, &str)]) -> Imported {
    trial(result, more).remove(0).expect("a run")
}

#[test]
fn rewards_do_not_count_where_something_else_than_the_agent_ended_the_trial() {
    let exception = |kind: &str| {
        format!(
            r#""exception_info":{{"exception_type":"{kind}","exception_message":"m","exception_traceback":"frames"}},"verifier_result":{{"rewards":{{"reward":1,"bad":null}}}}"#
        )
    };
    for (kind, state, valid) in [
        ("ContextWindowExceededError", "limit_exceeded", true),
        ("AgentSafetyRefusalError", "unknown", true),
        ("VerifierTimeoutError", "infrastructure", false),
        ("RateLimitError", "infrastructure", false),
        ("CancelledError", "canceled", false),
        ("NonZeroAgentExitCodeError", "harness_error", false),
        ("ZeroDivisionError", "harness_error", false),
    ] {
        let run = only(&exception(kind), &[]);
        assert_eq!(run.facts("state"), state, "{kind}");
        let outcomes = if valid {
            ["reward 1 true", "bad null true unscored"].map(str::to_owned)
        } else {
            ["reward 1", "bad null"].map(|outcome| format!("{outcome} false {kind}"))
        };
        assert_eq!(run.outcomes(), outcomes, "{kind}");
        assert_eq!(run.withheld("tracebacks"), 1);
    }
    let result = format!(
        r#"{{"trial_name":"t","task_checksum":"c",{}}}"#,
        exception("X")
    );
    let files = named([("result.json", &result)]);
    let run = import_with(FORMAT, &files, keeping(&[Keep::Tracebacks])).remove(0);
    let run = run.expect("a run");
    assert!(run.text().contains(r#""message":"m\nframes""#));
}

#[test]
fn rewards_of_a_trial_without_them_are_read_from_its_files() {
    let json = ("t__1/verifier/reward.json", r#"{"a":0.5,"b":2}"#);
    let text = |text| ("t__1/verifier/reward.txt", text);
    let without = r#""verifier_result":null"#;
    let not_finite = r#""verifier_result":{"rewards":{"a":NaN,"b":Infinity,"c":1}}"#;
    for (result, files, outcomes) in [
        (
            without,
            &[json, text(" 1.50\n")][..],
            &["a 0.5 true", "b 2 true"][..],
        ),
        (without, &[text(" 1.50\n")], &["reward 1.50 true"]),
        (without, &[text("NaN")], &["reward null true unscored"]),
        (without, &[text("-inf")], &["reward \"-Infinity\" true"]),
        (without, &[text(".5")], &["reward 0.5 true"]),
        (without, &[text("high")], &[]),
        (
            not_finite,
            &[],
            &["a null true unscored", "b \"Infinity\" true", "c 1 true"],
        ),
    ] {
        let run = only(result, files);
        assert_eq!(run.outcomes(), outcomes, "{result} {files:?}");
        assert_eq!(run.report["unparsable"], u64::from(outcomes.is_empty()));
    }
}

#[test]
fn steps_are_one_trace_and_their_tokens_are_added() {
    let log = |text: &str| {
        format!(
            r#"{{"schema_version":"ATIF-v1.7","session_id":"s","agent":{{"name":"terminus","version":"2"}},"steps":[{{"step_id":1,"source":"agent","message":"{text}"}}]}}"#
        )
    };
    let result = r#""id":"x","step_results":[{"step_name":"b","agent_result":{"n_input_tokens":10,"n_cache_tokens":4,"n_output_tokens":3,"cost_usd":0.5},"verifier_result":{"rewards":{"r":1}}},
      {"step_name":"a","agent_result":{"n_input_tokens":1,"n_cache_tokens":null,"n_output_tokens":2,"cost_usd":0.25},"exception_info":{"exception_type":"AgentTimeoutError","exception_message":"late"}},7]"#;
    let (first, second) = (log("first"), log("second"));
    let files = [
        ("t__1/steps/a/agent/trajectory.json", second.as_str()),
        ("t__1/steps/b/agent/trajectory.json", first.as_str()),
    ];
    let run = only(result, &files);
    run.reads(&[
        "note step b",
        "assistant first",
        "note step a",
        "assistant second",
        "error late",
    ]);
    assert_eq!(run.tokens(), "7/4/5/-");
    run.states("actual state", "0.75 timed_out");
    assert_eq!(run.outcomes(), ["b/r 1 true"]);
    let files: String = (0..5).map(|event| run.origin(event).remove(0)).collect();
    assert_eq!(files, "00112");
}

#[test]
fn a_sum_over_steps_that_lack_a_result_is_a_lower_bound_and_a_time_that_is_left_out_is_named() {
    let of = |second: &str| {
        let result = format!(
            r#""started_at":"2026-03-01T10:00:00Z","finished_at":"2026-03-01T09:00:00Z","step_results":[{{"step_name":"a","agent_result":{{"n_input_tokens":5,"n_cache_tokens":1,"n_output_tokens":2,"cost_usd":0.5}}}},{{"step_name":"b","agent_result":{second}}}]"#
        );
        only(&result, &[])
    };
    let run = of("null");
    assert_eq!(run.tokens(), "4/1/2/-");
    assert_eq!(
        run.lower_bounds(),
        "tokens.uncachedInput tokens.cachedInput tokens.output cost.actual"
    );
    let late = "The run ends before it starts, so its end is left out";
    assert!(run.messages().contains(&late), "{:?}", run.messages());
    let run = of(r#"{"n_input_tokens":5,"n_output_tokens":2,"cost_usd":0.5}"#);
    assert_eq!(run.lower_bounds(), "tokens.cachedInput");
    let run = of(r#"{"n_input_tokens":5,"n_cache_tokens":1,"n_output_tokens":2,"cost_usd":0.5}"#);
    assert_eq!((&*run.lower_bounds(), run.messages()), ("", vec![late]));
}

#[test]
fn zeros_of_an_agent_that_worked_are_unknown_and_a_trial_that_runs_is_reported() {
    let zeros = r#""agent_result":{"n_input_tokens":0,"n_cache_tokens":0,"n_output_tokens":0,"cost_usd":null}"#;
    let log = r#"{"schema_version":"ATIF-v1.7","agent":{"name":"a","version":"1"},"steps":[{"step_id":1,"source":"agent","message":"hi"}]}"#;
    let worked = only(zeros, &[("t__1/agent/trajectory.json", log)]);
    assert_eq!(worked.tokens(), "-/-/-/-");
    assert_eq!(only(zeros, &[]).tokens(), "0/0/0/-");
    let more = [
        ("u__2/config.json", r#"{"trial_name":"u__2"}"#),
        ("config.json", "{\"job_name\":\"j\"}"),
        ("result.json", r#"{"n_total_trials":2,"stats":{}}"#),
    ];
    let mut runs = trial("\"id\":\"x\"", &more);
    assert_eq!(runs.len(), 2, "{runs:?}");
    let problem = runs.remove(1).expect_err("it runs");
    assert_eq!(problem.place.path, "u__2/config.json");
    assert_eq!(
        problem.message,
        "The trial has no `result.json`: it is running, or was stopped"
    );
}
