//! Lists of messages, as programs that call a model write them.

use serde_json::json;

use super::{Imported, expected, import, keeping, named, one, run_with, sample};
use runpress::api::import::Keep;

const FORMAT: &str = "messages";

fn read(name: &str) -> Imported {
    one(FORMAT, name, sample(&format!("messages/{name}")))
}

#[test]
fn calls_are_answered_by_their_ids_in_any_order() {
    let run = read("made-tools.json");
    run.states(
        "testCaseSlug harnessSlug modelId startedAt finishedAt",
        "sample-parser messages sample-model 2026-03-01T10:00:00Z 2026-03-01T10:00:12.5Z",
    );
    run.reads(&[
        "user Fix the parser.",
        "reasoning Two files at once.",
        "call bash call_1",
        "call bash call_2",
        "usage",
        "result call_2 no such file",
        "result call_1 return -1",
        "assistant It returns None now.",
    ]);
    assert!(run.text().contains(r#""argumentsText":"cat b.py""#));
    assert_eq!(run.tokens(), "40/60/20/10");
    assert_eq!(
        run.lower_bounds().split(' ').count(),
        4,
        "an answer has no count, which its zeros mean"
    );
    assert_eq!(
        run.all_withheld(),
        "developerPrompts 1, images 1, toolDefinitions 1"
    );
    assert_eq!(run.origin(2), "0 - /messages/2/tool_calls/0 - -");
}

#[test]
fn a_request_and_its_response_are_a_conversation() {
    let run = read("made-responses.json");
    run.reads(&[
        "user List the files.",
        "reasoning One command is enough.",
        "call shell call_1",
        "result call_1 a.py",
        "call web_search ws_1 completed",
        "assistant There is one file.",
    ]);
    run.states("modelId", "sample-model");
    assert_eq!(run.tokens(), "50/0/12/8");
    assert_eq!(run.report["unanswered"], 0, "the provider ran the search");
    assert_eq!(run.all_withheld(), "encryptedReasoning 1, systemPrompts 1");
}

#[test]
fn blocks_of_a_message_are_reasoning_calls_and_results() {
    let run = read("made-blocks.json");
    run.reads(&[
        "user Run the tests.",
        "reasoning The tests come first.",
        "assistant I run them.",
        "call bash toolu_1",
        "usage",
        "result toolu_1 false 1 failed",
        "assistant One test fails.",
    ]);
    assert_eq!(run.tokens(), "15/200/40/-");
    assert_eq!(run.withheld("injectedContext"), 1);
}

#[test]
fn tools_of_the_provider_are_calls_and_blocks_of_unknown_types_are_left_out() {
    let log = json!({"messages": [
        {"role": "user", "content": [{"type": "text", "text": "hi"}, {"type": "new", "text": "secret"}]},
        {"role": "assistant", "content": [
            {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"q": 1}},
            {"type": "web_search_tool_result", "tool_use_id": "s", "content": []},
            {"type": "new", "text": "secret"},
            {"type": "text", "text": "done"},
        ]},
    ]});
    let run = one(FORMAT, "a.json", log.to_string());
    run.reads(&["user hi", "assistant done", "call web_search s"]);
    assert!(run.text().contains(r#""arguments":{"q":1},"hosted":true"#));
    assert!(!run.text().contains("secret"));
    assert_eq!(run.all_withheld(), "providerPayloads 3");
}

#[test]
fn a_conversation_that_is_in_a_file_twice_is_imported_once_and_the_message_says_so() {
    let line = r#"{"messages":[{"role":"user","content":"hi"}]}"#;
    let file = format!("{line}\n{line}\n");
    let mut runs = import(FORMAT, &named([("a.jsonl", &*file)]));
    let problem = runs.pop().expect("a copy").expect_err("the same id");
    assert_eq!(
        problem.message,
        "An earlier run of the same log has the same id"
    );
    assert!(runs.pop().expect("a run").is_ok());
}

#[test]
fn each_line_with_a_conversation_is_a_run_that_keeps_its_id() {
    let text = String::from_utf8(sample("messages/openai-fine-tuning.jsonl")).expect("UTF-8");
    let ids = |text: &str| {
        let runs = import(FORMAT, &named([("a.jsonl", text)]));
        let runs: Vec<Imported> = runs.into_iter().map(|run| run.expect("a run")).collect();
        let told = |run: &Imported| {
            (
                run.facts("id"),
                run.brief().len(),
                run.withheld("systemPrompts"),
            )
        };
        runs.iter().map(told).collect::<Vec<_>>()
    };
    let all = ids(&text);
    let counts: Vec<_> = all
        .iter()
        .map(|(_, events, prompts)| (*events, *prompts))
        .collect();
    assert_eq!(counts, [(2, 1), (8, 1), (2, 0)]);
    let (_, rest) = text.split_once('\n').expect("lines");
    assert_eq!(ids(rest), all[1..], "a line above does not change the ids");

    let broken = format!("{text}{{\"messages\":[{{\"role\":\"user\"\n");
    let mut runs = import(FORMAT, &named([("a.jsonl", &broken)]));
    let problem = runs.pop().expect("four").expect_err("the last line");
    assert_eq!(
        (problem.code.name, problem.place.line),
        ("import.invalid-file", Some(4))
    );
    assert_eq!(runs.len(), 3);
}

#[test]
fn a_session_trace_of_hugging_face_has_its_harness_and_its_calls() {
    let run = read("huggingface-session.jsonl");
    run.states("harnessSlug session", "my-agent abc123");
    run.reads(&[
        "user what time is it?",
        "call get_time t1",
        "result t1 2026-07-01T15:00:00Z",
        "assistant it is 15:00 UTC",
    ]);
    assert_eq!(run.origin(1), "0 3 /message/toolCalls/0 - -");

    let session = |id: &str| {
        format!(
            "{{\"type\":\"session\",\"harness\":\"h\",\"id\":\"{id}\"}}\n\
             {{\"type\":\"message\",\"message\":{{\"role\":\"user\",\"content\":\"{id}\",\"timestamp\":1772359200123}}}}\n"
        )
    };
    let id = "5f3d0a30-0000-4000-8000-00000000a001";
    let two = session("one") + &session(id);
    let runs = import(FORMAT, &named([("a.jsonl", &two)]));
    let runs: Vec<String> = runs
        .into_iter()
        .map(|run| run.expect("a run").facts("id startedAt"))
        .collect();
    assert_eq!(runs.len(), 2);
    assert_eq!(runs[1], format!("{id} 2026-03-01T10:00:00.123Z"));
}

#[test]
fn a_trajectory_of_letta_reads_as_letta_says() {
    let run = read("letta-pi-tool-calls.json");
    assert_eq!(
        run.comparable(),
        expected("messages/letta-pi-tool-calls.json")
    );
    run.states("harnessSlug modelId", "pi claude-sonnet-5");
    assert_eq!(run.report["resultsWithoutFlag"], 0);
    assert!(!run.text().contains("/home/user"), "{}", run.text());

    let made_up = |diagnostics: &str| {
        let log = format!(
            r#"{{"records":[{{"role":"meta","source":"x"}},
              {{"role":"user","content":"a","timestamp":"2026-01-01T00:00:00.000Z"}},
              {{"role":"observation","content":"b","timestamp":"2026-01-01T00:00:15.000Z"}}],"diagnostics":{diagnostics}}}"#
        );
        one(FORMAT, "a.json", log)
    };
    for diagnostics in ["[]", r#"[{"code":"timestamps_synthesized"}]"#] {
        let run = made_up(diagnostics);
        run.reads(&["user a", "note environment b"]);
        assert!(!run.text().contains("2026"), "made-up times are no times");
    }
}

#[test]
fn a_session_around_a_list_names_the_run() {
    let run = read("letta-hermes.json");
    run.states(
        "session modelId startedAt",
        "hermes-session-0001 gpt-5.2 2026-07-02T13:46:41.25Z",
    );
    run.reads(&[
        "user Check the current directory.",
        "reasoning The user wants the working directory; run pwd.",
        "call terminal call_hermes_1",
        "result call_hermes_1 .",
        "assistant You are in ..",
    ]);
}

#[test]
fn calls_without_ids_are_answered_in_their_order() {
    let log = json!([
        {"role": "user", "content": "Add."},
        {"role": "assistant", "content": null, "function_call": {"name": "add", "arguments": "{\"a\":1}"}},
        {"role": "function", "name": "add", "content": "2"},
        {"role": "assistant", "tool_calls": [{"name": "one", "args": {"x": 1}}, {"function": {"name": "two"}}, {}]},
        {"role": "tool", "content": "first"},
        {"role": "tool", "content": "second"},
        {"role": "critic", "content": "unknown"},
        7,
    ]);
    let run = one(FORMAT, "a.json", log.to_string());
    let id = "m0./3.tool_calls.0".replace('/', "");
    assert_eq!(
        run.brief(),
        [
            "user Add.".to_owned(),
            "call add m0.1".to_owned(),
            "result m0.1 2".to_owned(),
            format!("call one {id}"),
            "call two m0.3.tool_calls.1".to_owned(),
            "call unknown m0.3.tool_calls.2".to_owned(),
            format!("result {id} first"),
            "result m0.3.tool_calls.1 second".to_owned(),
        ]
    );
    assert_eq!(run.report["unknownRows"]["critic"], 1);
    assert_eq!(run.report["unparsable"], 1);
}

#[test]
fn prompts_are_kept_where_they_are_asked_for() {
    let files = [("a.json".to_owned(), sample("messages/made-tools.json"))];
    let run = run_with(FORMAT, &files, keeping(&[Keep::Prompts]));
    assert_eq!(
        run.brief()[0],
        "note developer prompt Sample content: be brief."
    );
}
