//! Tests of the SWE-agent importer: its samples, and damaged trajectories.

use super::super::testing::{counts, only, outline, survive, tokens};
use super::*;

const RUN: &[u8] =
    include_bytes!("../../../tests/fixtures/import/swe-agent/6e44b9__sweagenttestrepo-1c2844.traj");
const DEMO: &[u8] =
    include_bytes!("../../../tests/fixtures/import/swe-agent/function_calling_simple.traj");
const FLAG: &[u8] = include_bytes!("../../../tests/fixtures/import/swe-agent/networking_1.traj");

#[test]
fn steps_have_the_names_and_ids_of_the_calls_in_the_history() {
    let draft = only(&SweAgent, "6e44b9__sweagenttestrepo-1c2844.traj", RUN);
    assert_eq!(
        counts(&draft),
        "assistant 5, calls 5, results 5, system 1, unflagged 5, user 1"
    );
    assert_eq!(tokens(&draft), "7141/-/243/-");
    let record = &draft.record;
    assert_eq!(
        record.case.as_deref(),
        Some("6e44b9__sweagenttestrepo-1c2844")
    );
    assert_eq!(record.cost, Some(0.019_520_000_000_000_006));
    assert_eq!(
        (record.state, record.detail.as_deref()),
        ("completed", Some("submitted"))
    );
    assert_eq!((record.started.as_ref(), record.models.len()), (None, 0));
    assert_eq!(record.outcomes[0].value.get(), "true");
    let outline = outline(&draft);
    for line in [
        r#"{"type":"tool_call","name":"find_file","call":"call_fJuazlMUN5fQDQ73G6XSpYpx","argumentsText":"find_file missing_colon.py"}"#,
        r#"{"type":"tool_call","name":"bash","call":"s4","argumentsText":"submit"}"#,
    ] {
        assert!(outline.contains(line), "{outline}");
    }
    let first = &draft.events[1].source;
    assert_eq!(first.pointer.as_deref(), Some("/trajectory/0/thought"));
}

#[test]
fn a_demonstration_is_read_from_its_history() {
    let draft = only(&SweAgent, "function_calling_simple.traj", DEMO);
    assert_eq!(
        counts(&draft),
        "assistant 5, calls 5, results 5, system 1, unflagged 5, user 1"
    );
    assert_eq!(tokens(&draft), "-/-/-/-");
    assert_eq!(draft.record.state, "");
    assert!(draft.record.outcomes.is_empty());
    assert!(outline(&draft).contains(
        r#""name":"find_file","call":"call_PbWErNIge3YTrli3fiVvmIid","arguments":{"file_name":"missing_colon.py"}"#
    ));
}

#[test]
fn zeros_of_a_run_that_was_not_counted_are_unknown() {
    let draft = only(&SweAgent, "networking_1.traj", FLAG);
    assert_eq!(
        counts(&draft),
        "assistant 4, calls 4, results 4, system 1, unflagged 4, user 1"
    );
    assert_eq!(
        (tokens(&draft).as_str(), draft.record.cost),
        ("-/-/-/-", None)
    );
    assert_eq!(
        draft.identity.workspaces,
        ["/__Users__talora__LLM_CTF_Dataset_Dev__2013__CSAW-Quals__misc__Networking-1"]
    );
}

#[test]
fn rows_of_a_demonstration_are_no_part_of_a_run_and_other_attempts_are_noted() {
    let log = r#"{"environment":"main","info":{"exit_status":"submitted (exit_cost)","submission":null},"attempts":[{},{}],
      "history":[{"role":"user","content":"like this","is_demo":true},{"role":"assistant","content":"so","is_demo":true},{"role":"user","content":"Do it"}],
      "trajectory":[{"thought":"","response":"I do","action":"ls\n","observation":"a"},{"thought":"","response":"","action":"","observation":"Exited"}]}"#;
    let draft = only(&SweAgent, "a.traj", log.as_bytes());
    assert_eq!(
        outline(&draft),
        concat!(
            r#"{"type":"message","role":"user","text":"Do it"}"#,
            "\n",
            r#"{"type":"note","kind":"demonstration","text":"2 messages of a demonstration are not part of the run"}"#,
            "\n",
            r#"{"type":"message","role":"assistant","text":"I do"}"#,
            "\n",
            r#"{"type":"tool_call","name":"bash","call":"s0","argumentsText":"ls"}"#,
            "\n",
            r#"{"type":"tool_result","call":"s0","text":"a"}"#,
            "\n",
            r#"{"type":"note","kind":"environment","text":"Exited"}"#,
            "\n",
            r#"{"type":"note","kind":"attempts","text":"The run is the best of 2 attempts"}"#,
            "\n",
        )
    );
    assert_eq!(draft.record.state, "limit_exceeded");
    assert_eq!(
        draft.record.detail.as_deref(),
        Some("submitted (exit_cost)")
    );
    assert_eq!(draft.record.outcomes[0].value.get(), "false");
}

#[test]
fn no_change_of_a_value_stops_the_importer() {
    for bytes in [RUN, DEMO, FLAG] {
        survive(&SweAgent, &[("a.traj", bytes)]);
    }
}
