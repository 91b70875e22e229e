//! Trajectories of mini-swe-agent.

use super::{Imported, Keep, import, named, one, run_with, sample};
use runpress::api::import::ImportOptions;

const FORMAT: &str = "mini-swe-agent";
const TOOLS: &str = "made-toolcall.traj.json";

fn read(name: &str) -> Imported {
    one(FORMAT, name, sample(&format!("mini-swe-agent/{name}")))
}

#[test]
fn calls_that_are_values_are_joined_by_id_and_tokens_are_disjoint() {
    let run = read(TOOLS);
    run.states("modelId harnessVersion startedAt finishedAt state detail", "deterministic_toolcall 2.4.6 2026-11-22T22:32:19.208508Z 2026-11-22T22:32:19.225821Z completed Submitted");
    assert_eq!(run.outcomes(), ["submission true"]);
    assert!(run.warnings.is_empty());
    let outline = run.outline();
    for (at, words) in [
        (1, "Two commands in one turn."),
        (3, r#""arguments":{"command":"printf"#),
        (
            6,
            r#""call":"call_2","ok":false,"exitCode":1,"exitCodeFrom":"field""#,
        ),
    ] {
        assert!(outline[at].contains(words), "{outline:#?}");
    }
    assert_eq!(
        run.origin(run.lines().len() - 1),
        "0 - /messages/7/extra - -"
    );
}

#[test]
fn a_run_that_reached_its_limit_is_not_completed() {
    let run = read("made-limits.traj.json");
    run.states("actual state", "12.0 limit_exceeded");
    assert_eq!(run.outcomes(), ["submission false"]);
    assert!(
        !run.text().contains("/testbed"),
        "the working folder is replaced"
    );
}

#[test]
fn a_bare_list_has_its_calls_in_fences_and_its_exit_status_at_the_start_of_a_result() {
    let run = read("local.traj.json");
    for line in [
        r#"{"type":"tool_call","name":"bash","call":"m2.0","arguments":{"command":"echo 'hello world'"}}"#,
        r#"{"type":"tool_result","call":"m2.0","ok":true,"exitCode":0,"exitCodeFrom":"text","text":"hello world\n"}"#,
    ] {
        run.has(line);
    }
    assert_eq!(run.outcomes(), ["submission false"]);
    run.states("state", "unknown");
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
    let run = one(FORMAT, "a.traj.json", log);
    run.outlines(&[
        r#"{"type":"message","role":"user","text":"Do it"}"#,
        r#"{"type":"reasoning","text":"Why","summary":true}"#,
        r#"{"type":"message","role":"assistant","text":"I look"}"#,
        r#"{"type":"tool_call","name":"bash","call":"c1","arguments":{"command":"ls"}}"#,
        r#"{"type":"tool_result","call":"c1","ok":false,"status":"error","text":"timed out\npart"}"#,
        r#"{"type":"note","kind":"FormatError","text":"Use tools"}"#,
        r#"{"type":"message","role":"user","text":"Interrupted by user: stop","steering":true}"#,
        r#"{"type":"error","message":"bad"}"#,
    ]);
    assert_eq!(run.tokens(), "6/4/3/2");
    let bounds = run.lower_bounds();
    assert!(
        bounds.contains("output"),
        "the log has the tokens of one of two calls: {bounds}"
    );
    run.states("state actual", "harness_error 0.0");
    assert_eq!(run.all_withheld(), "encryptedReasoning 1, tracebacks 1");
}

#[test]
fn prompts_and_reasoning_follow_the_options() {
    let options = ImportOptions {
        keep: vec![Keep::Prompts],
        no_reasoning: true,
        ..ImportOptions::default()
    };
    let log = sample(&format!("mini-swe-agent/{TOOLS}"));
    let run = run_with(FORMAT, &[(TOOLS.to_owned(), log)], options);
    let prompt = r#"{"type":"note","kind":"system prompt","text":"You are"#;
    assert!(run.outline()[0].starts_with(prompt), "{:#?}", run.outline());
    assert!(!run.text().contains("Two commands in one turn."));
    assert_eq!(run.withheld("reasoning"), 1);
}

#[test]
fn of_a_folder_every_trajectory_is_a_run_and_one_that_is_cut_stops_no_other() {
    let whole = sample("mini-swe-agent/made-limits.traj.json");
    let cut = String::from_utf8_lossy(&whole[..400]).into_owned();
    let whole = String::from_utf8(whole).expect("UTF-8");
    let files = [
        ("a/a.traj.json", &*cut),
        ("b/b.traj.json", &whole),
        ("preds.json", "{}"),
    ];
    let runs = import(FORMAT, &named(files));
    assert_eq!(runs.iter().filter(|run| run.is_ok()).count(), 1, "{runs:?}");
    let problem = import(FORMAT, &named([("a.traj.json", &*cut)])).remove(0);
    let problem = problem.expect_err("it is cut");
    assert_eq!(problem.message, "The file ends in the middle of its JSON");
}

#[test]
fn classes_of_tokens_do_not_overlap_and_unknown_ones_are_absent() {
    for (usage, tokens) in [
        (
            r#"{"prompt_tokens":1200,"completion_tokens":30,"prompt_tokens_details":{"cached_tokens":960},"completion_tokens_details":null}"#,
            "240/960/30/-",
        ),
        (r#"{"prompt_tokens":"many"}"#, "-/-/-/-"),
    ] {
        let log = r#"[{"role":"assistant","content":"ok","usage":@}]"#;
        let run = one(FORMAT, "a.traj.json", log.replace('@', usage));
        assert_eq!(run.tokens(), tokens, "{usage}");
    }
}

#[test]
fn only_what_is_known_to_be_the_agent_s_is_published() {
    let run = one(
        FORMAT,
        "run.traj.json",
        r#"{"trajectory_format":"mini-swe-agent-1.1","info":{},"messages":[
            {"role":"system","content":"SECRET"},
            {"role":"user","content":"The task."},
            {"role":"developer","content":"SECRET"},
            {"role":"banana","content":"SECRET"},
            {"type":"new_item","content":"SECRET"},
            {"role":"assistant","content":"The answer."}]}"#,
    );
    assert!(!run.text().contains("SECRET"), "{}", run.text());
    run.reads(&["user The task.", "assistant The answer."]);
    assert_eq!(
        run.all_withheld(),
        "developerPrompts 1, systemPrompts 1, unknownRows 2"
    );
}
