//! Tests of the Harbor importer: its samples, and damaged jobs.

use super::super::draft::{Draft, Id};
use super::super::testing::{counts, outline, read as runs, read_with, survive, tokens};
use super::super::{Keep, Options, Problem};
use super::*;

/// The files of the job, by path below its folder.
fn job() -> Vec<(String, Vec<u8>)> {
    let root = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/fixtures/import/harbor/2026-03-01__12-00-00"
    );
    let files = walkdir::WalkDir::new(root).sort_by_file_name().into_iter();
    files
        .map(|entry| entry.expect("a readable folder"))
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| {
            let name = entry.path().strip_prefix(root).expect("below");
            let bytes = std::fs::read(entry.path()).expect("a file");
            (name.to_str().expect("UTF-8").to_owned(), bytes)
        })
        .collect()
}

fn borrowed(files: &[(String, Vec<u8>)]) -> Vec<(&str, &[u8])> {
    files
        .iter()
        .map(|(name, bytes)| (name.as_str(), bytes.as_slice()))
        .collect()
}

fn drafts(runs: Vec<Result<Draft, Problem>>) -> Vec<Draft> {
    runs.into_iter().map(|run| run.expect("a run")).collect()
}

fn rewards(draft: &Draft) -> Vec<String> {
    let outcomes = draft.record.outcomes.iter();
    outcomes
        .map(|outcome| {
            let valid = outcome.valid.expect("it is said");
            format!("{} {} {valid}", outcome.name, outcome.value.get())
        })
        .collect()
}

#[test]
fn every_trial_of_a_job_is_a_run_with_its_rewards_and_the_log_of_its_agent() {
    let files = job();
    let drafts = drafts(runs(&Harbor, &borrowed(&files)));
    let [broken, parser, hello] = drafts.as_slice() else {
        panic!("{} runs", drafts.len());
    };
    let record = &hello.record;
    assert_eq!(
        record.id,
        Id::Own("eb5004ee-091c-5618-8049-9f5ddcfa5df9".to_owned())
    );
    assert_eq!(record.case.as_deref(), Some("hello-world"));
    assert_eq!(
        record.case_version.as_deref(),
        Some("9bfde9e8bed95eb4bb5111a0caa55f979bfde9e8bed95eb4bb5111a0caa55f97")
    );
    assert_eq!(record.models, ["anthropic/claude-haiku-4-5-20251001"]);
    assert_eq!(
        (record.harness.as_deref(), record.harness_version.as_deref()),
        (Some("claude-code"), Some("2.1.173"))
    );
    assert_eq!(record.run_time_seconds, Some(175.0));
    assert_eq!(tokens(hello), "960/0/320/-");
    assert_eq!(record.cost, Some(0.002_559_999_999_999_999_8));
    assert_eq!(
        (record.state, record.detail.as_deref()),
        ("completed", None)
    );
    assert_eq!(rewards(hello), ["reward 1.0 true"]);
    assert_eq!(record.ids["job"], "83661c5a-b8f1-5b06-9f66-1f6ff852d02d");
    assert_eq!(record.ids["jobName"], "2026-03-01__12-00-00");
    assert_eq!(record.ids["dataset"], "hello-world");
    assert_eq!(
        counts(hello),
        "assistant 3, calls 5, results 5, unflagged 5, user 1"
    );
    let agents: Vec<&str> = hello.agents.iter().map(|agent| agent.id.as_str()).collect();
    assert_eq!(agents, ["showcol1", "showcol2"]);
    assert_eq!(
        record.unused,
        ["hello-world__Ab3dE7q/agent/trajectory.json"]
    );

    assert_eq!(
        parser.record.case_version.as_deref(),
        Some("4f7c1a0d9e8b7a6c5d4e3f2a1b0c9d8e7f6a5b4c")
    );
    assert_eq!(tokens(parser), "59525/238848/640/483");
    assert_eq!(
        rewards(parser),
        ["reward 0 true", "tests_passed 3 true", "tests_total 5 true"]
    );
    assert_eq!(
        (parser.record.state, parser.record.detail.as_deref()),
        ("timed_out", Some("AgentTimeoutError"))
    );
    assert_eq!(
        counts(parser),
        "assistant 6, calls 5, errors 1, reasoning 6, results 5, unflagged 5, user 1"
    );

    assert_eq!(counts(broken), "errors 1");
    assert_eq!(broken.record.state, "infrastructure");
    assert_eq!(
        (tokens(broken).as_str(), broken.record.cost),
        ("-/-/-/-", None)
    );
    assert!(broken.record.outcomes.is_empty());
    assert_eq!(
        outline(broken),
        "{\"type\":\"error\",\"message\":\"Environment start timed out after 600.0 seconds\",\"code\":\"EnvironmentStartTimeoutError\"}\n"
    );
    let origin = &broken.events[0].source;
    assert_eq!(
        (origin.file, origin.pointer.as_deref()),
        (0, Some("/exception_info"))
    );
    for draft in &drafts {
        let all = format!("{draft:?}");
        for private in ["sk-e****000", "/home/ci", "site-packages"] {
            assert!(!all.contains(private), "{private}");
        }
    }
}

#[test]
fn the_trajectory_is_read_where_the_agent_left_no_log_that_can_be_read() {
    let files: Vec<_> = job()
        .into_iter()
        .filter(|(name, _)| name.starts_with("hello-world") && !name.contains("/sessions/"))
        .collect();
    let drafts = drafts(runs(&Harbor, &borrowed(&files)));
    assert_eq!(drafts.len(), 1);
    assert_eq!(
        counts(&drafts[0]),
        "assistant 3, calls 5, results 5, unflagged 5, user 1"
    );
    assert!(drafts[0].record.unused.is_empty());
    assert!(!drafts[0].record.ids.contains_key("job"));
}

/// A trial in a folder of its own, with more files.
fn trial(result: &str, more: &[(&str, &str)]) -> Vec<Result<Draft, Problem>> {
    let result = format!(r#"{{"trial_name":"t__1","task_name":"t","task_checksum":"c",{result}}}"#);
    let mut files = vec![("t__1/result.json", result.as_bytes())];
    files.extend(more.iter().map(|(name, text)| (*name, text.as_bytes())));
    runs(&Harbor, &files)
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
        let draft = trial(&exception(kind), &[]).remove(0).expect("a run");
        assert_eq!(
            (draft.record.state, rewards(&draft)),
            (
                state,
                vec![format!("reward 1 {valid}"), format!("bad null {valid}")]
            ),
            "{kind}"
        );
        let reason = draft.record.outcomes[0].reason.as_deref();
        assert_eq!(reason, (!valid).then_some(kind));
        assert_eq!(draft.withheld["tracebacks"], 1);
    }
    let result = format!(
        r#"{{"trial_name":"t","task_checksum":"c",{}}}"#,
        exception("X")
    );
    let options = Options {
        keep: vec![Keep::Tracebacks],
        no_reasoning: false,
        ..Options::default()
    };
    let run = read_with(&Harbor, &[("result.json", result.as_bytes())], &options).remove(0);
    assert!(outline(&run.expect("a run")).contains(r#""message":"m\nframes""#));
}

#[test]
fn rewards_of_a_trial_without_them_are_read_from_its_files() {
    let json = ("t__1/verifier/reward.json", r#"{"a":0.5,"b":2}"#);
    let text = ("t__1/verifier/reward.txt", " 1.50\n");
    let both = trial(r#""verifier_result":null"#, &[json, text])
        .remove(0)
        .expect("a run");
    assert_eq!(rewards(&both), ["a 0.5 true", "b 2 true"]);
    let one = trial(r#""verifier_result":null"#, &[text])
        .remove(0)
        .expect("a run");
    assert_eq!(rewards(&one), ["reward 1.50 true"]);
    for (text, value, reason) in [
        ("NaN", "null", Some("unscored")),
        ("-inf", "\"-Infinity\"", None),
        (".5", "0.5", None),
    ] {
        let runs = trial(
            r#""verifier_result":null"#,
            &[("t__1/verifier/reward.txt", text)],
        );
        let outcome = &runs[0].as_ref().expect("a run").record.outcomes[0];
        assert_eq!(
            (outcome.value.get(), outcome.reason.as_deref()),
            (value, reason)
        );
    }
    let none = trial(
        r#""verifier_result":null"#,
        &[("t__1/verifier/reward.txt", "high")],
    );
    let none = none[0].as_ref().expect("a run");
    assert!(none.record.outcomes.is_empty());
    assert_eq!(none.unparsable, 1);
    let result = r#""verifier_result":{"rewards":{"a":NaN,"b":Infinity,"c":1}}"#;
    let not_finite = trial(result, &[]).remove(0).expect("a run");
    assert_eq!(
        rewards(&not_finite),
        ["a null true", "b \"Infinity\" true", "c 1 true"]
    );
}

#[test]
fn steps_are_one_trace_and_their_tokens_are_added() {
    let log = |text: &str| {
        format!(
            r#"{{"schema_version":"ATIF-v1.7","session_id":"s","agent":{{"name":"terminus","version":"2"}},"steps":[{{"step_id":1,"source":"agent","message":"{text}"}}]}}"#
        )
    };
    let (one, two) = (log("first"), log("second"));
    let result = r#""id":"x","step_results":[{"step_name":"b","agent_result":{"n_input_tokens":10,"n_cache_tokens":4,"n_output_tokens":3,"cost_usd":0.5},"verifier_result":{"rewards":{"r":1}}},
      {"step_name":"a","agent_result":{"n_input_tokens":1,"n_cache_tokens":null,"n_output_tokens":2,"cost_usd":0.25},"exception_info":{"exception_type":"AgentTimeoutError","exception_message":"late"}},7]"#;
    let files = [
        ("t__1/steps/a/agent/trajectory.json", two.as_str()),
        ("t__1/steps/b/agent/trajectory.json", one.as_str()),
    ];
    let draft = trial(result, &files).remove(0).expect("a run");
    assert_eq!(
        outline(&draft),
        concat!(
            r#"{"type":"note","kind":"step","text":"b"}"#,
            "\n",
            r#"{"type":"message","role":"assistant","text":"first"}"#,
            "\n",
            r#"{"type":"note","kind":"step","text":"a"}"#,
            "\n",
            r#"{"type":"message","role":"assistant","text":"second"}"#,
            "\n",
            r#"{"type":"error","message":"late","code":"AgentTimeoutError"}"#,
            "\n",
        )
    );
    assert_eq!(tokens(&draft), "7/4/5/-");
    assert_eq!(draft.record.cost, Some(0.75));
    assert_eq!(draft.record.state, "timed_out");
    assert_eq!(rewards(&draft), ["b/r 1 true"]);
    let files: Vec<usize> = draft.events.iter().map(|event| event.source.file).collect();
    assert_eq!(files, [0, 0, 1, 1, 2]);
}

#[test]
fn zeros_of_an_agent_that_worked_are_unknown_and_a_trial_that_runs_is_reported() {
    let zeros = r#""agent_result":{"n_input_tokens":0,"n_cache_tokens":0,"n_output_tokens":0,"cost_usd":null}"#;
    let log = r#"{"schema_version":"ATIF-v1.7","agent":{"name":"a","version":"1"},"steps":[{"step_id":1,"source":"agent","message":"hi"}]}"#;
    let draft = trial(zeros, &[("t__1/agent/trajectory.json", log)])
        .remove(0)
        .expect("a run");
    assert_eq!(tokens(&draft), "-/-/-/-");
    let draft = trial(zeros, &[]).remove(0).expect("a run");
    assert_eq!(tokens(&draft), "0/0/0/-");
    let runs = trial(
        "\"id\":\"x\"",
        &[
            ("u__2/config.json", r#"{"trial_name":"u__2"}"#),
            ("config.json", "{\"job_name\":\"j\"}"),
        ],
    );
    let problem = runs[1].as_ref().expect_err("it runs");
    assert_eq!(problem.place.path, "u__2/config.json");
    assert_eq!(
        problem.message,
        "The trial has no `result.json`: it is running, or was stopped"
    );
    assert_eq!(runs.len(), 2);
}

#[test]
fn no_change_of_a_value_stops_the_importer() {
    let files: Vec<_> = job()
        .into_iter()
        .filter(|(name, _)| !name.contains("/agent/") && name.starts_with("fix-parser"))
        .collect();
    survive(&Harbor, &borrowed(&files));
}
