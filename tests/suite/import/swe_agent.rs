//! Trajectories of SWE-agent.

use super::{Imported, one, sample};

const FORMAT: &str = "swe-agent";

fn read(name: &str) -> Imported {
    one(FORMAT, name, sample(&format!("swe-agent/{name}")))
}

#[test]
fn steps_have_the_names_and_ids_of_the_calls_in_the_history() {
    let run = read("6e44b9__sweagenttestrepo-1c2844.traj");
    run.states(
        "testCaseSlug actual state detail startedAt modelId",
        "6e44b9__sweagenttestrepo-1c2844 0.01952 completed submitted - -",
    );
    assert_eq!(run.outcomes(), ["submission true"]);
    for line in [
        r#"{"type":"tool_call","name":"find_file","call":"call_fJuazlMUN5fQDQ73G6XSpYpx","argumentsText":"find_file missing_colon.py"}"#,
        r#"{"type":"tool_call","name":"bash","call":"s4","argumentsText":"submit"}"#,
    ] {
        run.has(line);
    }
    assert_eq!(run.origin(1), "0 - /trajectory/0/thought - -");
}

#[test]
fn a_demonstration_is_read_from_its_history() {
    let run = read("function_calling_simple.traj");
    run.states("state outcomes", "unknown -");
    let call = r#""name":"find_file","call":"call_PbWErNIge3YTrli3fiVvmIid","arguments":{"file_name":"missing_colon.py"}"#;
    assert!(run.text().contains(call), "{:#?}", run.outline());
}

#[test]
fn zeros_of_a_run_that_was_not_counted_are_unknown() {
    let run = read("networking_1.traj");
    assert_eq!((run.tokens() + &run.facts("actual")), "-/-/-/--");
    assert!(
        !run.text().contains("/__Users__talora"),
        "the working folder is replaced"
    );
}

#[test]
fn rows_of_a_demonstration_are_no_part_of_a_run_and_other_attempts_are_noted() {
    let log = r#"{"environment":"main","info":{"exit_status":"submitted (exit_cost)","submission":null},"attempts":[{},{}],
      "history":[{"role":"user","content":"like this","is_demo":true},{"role":"assistant","content":"so","is_demo":true},{"role":"user","content":"Do it"}],
      "trajectory":[{"thought":"","response":"I do","action":"ls\n","observation":"a"},{"thought":"","response":"","action":"","observation":"Exited"}]}"#;
    let run = one(FORMAT, "a.traj", log);
    run.outlines(&[
        r#"{"type":"message","role":"user","text":"Do it"}"#,
        r#"{"type":"note","kind":"demonstration","text":"2 messages of a demonstration are not part of the run"}"#,
        r#"{"type":"message","role":"assistant","text":"I do"}"#,
        r#"{"type":"tool_call","name":"bash","call":"s0","argumentsText":"ls"}"#,
        r#"{"type":"tool_result","call":"s0","text":"a"}"#,
        r#"{"type":"note","kind":"environment","text":"Exited"}"#,
        r#"{"type":"note","kind":"attempts","text":"The run is the best of 2 attempts"}"#,
    ]);
    run.states("state detail", "limit_exceeded submitted (exit_cost)");
    assert_eq!(run.outcomes(), ["submission false"]);
}
