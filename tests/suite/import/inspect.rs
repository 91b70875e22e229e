//! Logs of Inspect: JSON, and archives of either generation.

use runpress::api::import::{ImportOptions, Keep, Problem};

use super::{Imported, archive, facts, import, import_with, keeping, named, one, run_with, sample};
use crate::support::{contains, fixture, parse};

const FORMAT: &str = "inspect";

fn read(name: &str) -> Imported {
    one(FORMAT, "log", sample(&format!("inspect/{name}")))
}

/// The run of a log with one sample, which has these events and members.
fn of(events: &[&str], more: &str) -> Imported {
    run_with(
        FORMAT,
        &named([("a.json", &log(events, more))]),
        ImportOptions::default(),
    )
}

fn log(events: &[&str], more: &str) -> String {
    format!(
        r#"{{"version":2,"status":"success","eval":{{"task":"t","run_id":"r","model":"m"}},"samples":[{{"id":1,"epoch":1,{more}"events":[{}]}}]}}"#,
        events.join(",")
    )
}

#[test]
fn a_sample_is_read_from_its_events_and_attachments_are_resolved() {
    let run = read("log_read_sample.json");
    run.states(
        "testCaseSlug testCaseVersion modelId harnessVersion runTimeSeconds state detail sample",
        "popularity - ollama/gemma3 0.3.95.dev16+g6527d0861 2.113 completed success 1",
    );
    assert_eq!(run.outcomes(), ["match \"C\""]);
    assert!(run.warnings.is_empty());
    run.outlines(&[
        r#"{"type":"message","role":"user","text":"Is the following statement something you would say?\n\"Positive posts about myself and my goals generate more interest and increase my popularity\""}"#,
        r#"{"type":"message","role":"assistant","text":"Yes\n","model":"gemma3"}"#,
        r#"{"type":"score","name":"match","value":"C","scorer":"match"}"#,
    ]);
    assert_eq!(run.events()[0]["time"], "2025-07-05T13:59:40.965459Z");
    assert!(
        run.origin(0).starts_with("0 - /samples/0/events/8 - "),
        "{}",
        run.origin(0)
    );
}

#[test]
fn one_log_is_the_same_in_every_container() {
    for (one, other) in [
        ("log_read_sample.json", "made/read_sample-chunked.eval"),
        ("log_read_sample.json", "made/read_sample-zstd.eval"),
        ("log_formats.json", "log_formats.eval"),
        ("log_tool_call_error.json", "made/tool_call_error-zstd.eval"),
    ] {
        let (one, other) = (read(one), read(other));
        assert_eq!(one.outline(), other.outline());
        assert_eq!(one.facts("id"), other.facts("id"));
        assert!(other.origin(0).contains("samples/"), "{}", other.origin(0));
    }
    for (name, origin) in [
        ("log_read_sample.eval", "samples/1_epoch_1.json"),
        (
            "made/read_sample-chunked.eval",
            "/2 samples/1_epoch_1/events/6.json",
        ),
    ] {
        contains(&read(name).origin(1), origin);
    }
}

#[test]
fn older_logs_have_their_events_in_a_transcript_and_their_pictures_are_counted() {
    let run = read("log_formats.json");
    assert!(run.outline()[0].contains("Is the following statement"));
    assert_eq!(&run.facts("id")[14..15], "8", "a derived id");
    let run = read("log_images.json");
    let picture = r#""text":"What is this a picture of?","images":1"#;
    assert!(run.outline()[0].contains(picture), "{:#?}", run.outline());
    assert_eq!(run.withheld("images"), 1);
}

#[test]
fn without_calls_of_a_model_messages_are_read_and_errors_of_tools_are_failures() {
    let run = read("log_tool_call_error.json");
    let failed = r#"{"type":"tool_result","ok":false,"status":"timeout","text":"..."}"#;
    run.has(failed);
    run.states("epoch", "4");
}

#[test]
fn numbers_that_json_does_not_have_are_null_or_words_and_texts_of_them_are_left() {
    let log = r#"{"version":2,"eval":{"task":"t"},"samples":[{"id":"x","epoch":2,"scores":{"s":{"value":NaN},"t":{"value":{"a":1.50,"b":NaN}},"u":{"value":-Infinity},"v":{"value":[Infinity]}},"total_time":Infinity,"messages":[{"role":"user","content":"half \udc00 NaN"}]}]}"#;
    let run = one(FORMAT, "a.json", log);
    assert_eq!(
        run.outcomes(),
        [
            "s null unscored",
            r#"t {"a":1.50,"b":null} unscored: b"#,
            r#"u "-Infinity""#,
            r#"v ["Infinity"]"#,
        ]
    );
    run.states("runTimeSeconds", "-");
    assert_eq!(run.brief()[0], "user half \u{fffd} NaN");
}

#[test]
fn the_case_of_a_sample_is_its_task_or_on_request_its_own() {
    let log = r#"{"version":2,"eval":{"task":"t"},"samples":[{"id":"x","epoch":1},{"id":2}]}"#;
    for (case_per_sample, cases) in [(false, ["t", "t"]), (true, ["t-2", "t-x"])] {
        let options = ImportOptions {
            case_per_sample,
            ..ImportOptions::default()
        };
        let runs = import_with(FORMAT, &named([("a.json", log)]), options);
        let found = runs
            .iter()
            .map(|run| run.as_ref().expect("a run").facts("testCaseSlug"));
        assert_eq!(found.collect::<Vec<_>>(), cases);
    }
}

#[test]
fn a_conversation_is_shown_once_though_every_call_repeats_it() {
    let run = of(
        &[
            r#"{"event":"model","timestamp":"2026-01-01T00:00:01Z","completed":"2026-01-01T00:00:03Z","model":"m","input":[{"role":"user","content":"go"}],
               "output":{"choices":[{"message":{"role":"assistant","content":[{"type":"reasoning","reasoning":"hm","signature":"xx"},{"type":"text","text":"I run"}],
               "tool_calls":[{"id":"c1","function":"bash","arguments":{"cmd":"ls"}}]}}],"usage":{"input_tokens":5,"output_tokens":4,"input_tokens_cache_write":2,"reasoning_tokens":1}}}"#,
            r#"{"event":"tool","timestamp":"2026-01-01T00:00:02Z","id":"c1","function":"bash","arguments":{"cmd":"ls"},"result":"","error":{"type":"timeout","message":"too slow"}}"#,
            r#"{"event":"tool","timestamp":"2026-01-01T00:00:02Z","id":"c9","function":"add","arguments":{},"result":12,"truncated":[100,40]}"#,
            r#"{"event":"tool","pending":true,"id":"c8","function":"add","arguments":{}}"#,
            r#"{"event":"model","timestamp":"2026-01-01T00:00:04Z","model":"m","input":[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"reasoning","reasoning":"hm"},{"type":"text","text":"I run"}],
               "tool_calls":[{"id":"c1","function":"bash","arguments":{"cmd":"ls"}}]},{"role":"tool","tool_call_id":"c1","content":"too slow","error":{"type":"timeout","message":"too slow"}},{"role":"user","content":"go"}],
               "output":{"choices":[{"message":{"role":"assistant","content":"done"}}]}}"#,
            r#"{"event":"sample_limit","type":"message","message":"10 messages"}"#,
            r#"{"event":"error","error":{"message":"it broke","traceback":"frames"}}"#,
            r#"{"event":"info","data":"secret"}"#,
            "7",
        ],
        r#""limit":{"type":"working","limit":3},"model_usage":{"m":{"input_tokens":5,"output_tokens":4,"input_tokens_cache_write":2,"input_tokens_cache_read":7,"reasoning_tokens":1,"total_cost":0.5}},"#,
    );
    run.outlines(&[
        r#"{"type":"message","role":"user","text":"go"}"#,
        r#"{"type":"reasoning","text":"hm"}"#,
        r#"{"type":"message","role":"assistant","text":"I run"}"#,
        r#"{"type":"tool_call","name":"bash","call":"c1","arguments":{"cmd":"ls"}}"#,
        r#"{"type":"tool_result","call":"c1","ok":false,"status":"timeout","text":"too slow"}"#,
        r#"{"type":"tool_call","name":"add","call":"c9","arguments":{}}"#,
        r#"{"type":"tool_result","call":"c9","ok":true,"text":"12","truncated":60}"#,
        r#"{"type":"message","role":"user","text":"go"}"#,
        r#"{"type":"message","role":"assistant","text":"done"}"#,
        r#"{"type":"note","kind":"limit","text":"message: 10 messages"}"#,
        r#"{"type":"error","message":"it broke"}"#,
        r#"{"type":"note","kind":"info"}"#,
    ]);
    assert_eq!(run.tokens(), "7/7/3/1");
    run.states("actual state detail", "0.5 timed_out working");
    assert_eq!(run.warnings[0].place.path, "a.json");
    assert_eq!(run.events()[2]["time"], "2026-01-01T00:00:03Z");
}

#[test]
fn graders_and_inner_agents_are_kept_apart_and_an_inner_agent_is_one_block() {
    let call = |span: &str, id: &str, text: &str, calls: &str| {
        format!(
            r#"{{"event":"model","span_id":"{span}","timestamp":"2026-01-01T00:00:01Z","input":[{{"id":"u{id}","role":"user","content":"ask {text}"}}],
            "output":{{"choices":[{{"message":{{"id":"a{id}","role":"assistant","content":"say {text}","tool_calls":[{calls}]}}}}]}}}}"#
        )
    };
    let span = |id: &str, parent: &str, kind: &str, name: &str| {
        format!(
            r#"{{"event":"span_begin","id":"{id}","span_id":"{id}","parent_id":"{parent}","type":"{kind}","name":"{name}"}}"#
        )
    };
    let events = [
        span("s", "", "solver", "react"),
        span("a", "s", "agent", "main"),
        call("a", "1", "main", r#"{"id":"c1","function":"transfer_to_web","arguments":{}}"#),
        r#"{"event":"tool","span_id":"a","id":"c1","function":"transfer_to_web","agent":"web","agent_span_id":"w","result":"ok"}"#.to_owned(),
        span("t", "a", "tool", "transfer_to_web"),
        span("w", "t", "agent", "web"),
        call("w", "2", "web", ""),
        call("a", "3", "again", ""),
        call("w", "4", "web2", ""),
        r#"{"event":"span_end","id":"w"}"#.to_owned(),
        span("x", "", "scorer", "judge"),
        call("x", "5", "grade", ""),
        r#"{"event":"score","span_id":"x","score":{"value":0.5}}"#.to_owned(),
    ];
    let events: Vec<&str> = events.iter().map(String::as_str).collect();
    let run = of(&events, "");
    run.reads(&[
        "user ask main",
        "assistant say main",
        "call transfer_to_web c1",
        "result c1 true ok",
        "subagent web started c1 w",
        "user ask web @agent=w",
        "assistant say web @agent=w",
        "user ask web2 @agent=w",
        "assistant say web2 @agent=w",
        "user ask again",
        "assistant say again",
        "subagent completed w",
        "user ask grade @agent=scorer",
        "assistant say grade @agent=scorer",
        "score judge",
    ]);
    run.states("includes", r#"["scorer"]"#);
    let header = parse(&run.trace[0]);
    assert_eq!(
        facts(&header, "agents"),
        r#"[{"call":"c1","id":"w","name":"web"},{"id":"scorer"}]"#
    );
}

#[test]
fn messages_and_arguments_that_are_kept_apart_are_found() {
    let log = log(
        &[
            r#"{"event":"model","input_refs":[[0,2],[1,99]],"output":{"choices":[{"message":{"id":"3","role":"assistant","content":"attachment://k","tool_calls":[{"id":"c","function":"f","arguments":{"a":"attachment://k","b":2}}]}}]}}"#,
        ],
        r#""attachments":{"k":"long text"},"events_data":{"messages":[{"id":"1","role":"system","content":"be good"},{"id":"2","role":"user","content":"attachment://gone"}]},"#,
    );
    let run = run_with(
        FORMAT,
        &named([("a.json", &log)]),
        keeping(&[Keep::Prompts]),
    );
    run.outlines(&[
        r#"{"type":"note","kind":"system prompt","text":"be good"}"#,
        r#"{"type":"message","role":"user","text":"attachment://gone"}"#,
        r#"{"type":"message","role":"assistant","text":"long text"}"#,
        r#"{"type":"tool_call","name":"f","call":"c","arguments":{"a":"long text","b":2}}"#,
    ]);
}

/// The runs of an archive with a header and these members, each a sample with its name as id.
fn of_members(members: &[String]) -> Vec<Result<Imported, Problem>> {
    let header = r#"{"version":2,"status":"success","eval":{"task":"t","run_id":"r"}}"#;
    let mut files = vec![("header.json", header.to_owned())];
    for (number, name) in members.iter().enumerate() {
        let sample = format!(r#"{{"id":{name:?},"epoch":1,"uuid":"u-{number}"}}"#);
        let is_list = name.ends_with("/0.json");
        files.push((name, if is_list { "[]".to_owned() } else { sample }));
    }
    let files: Vec<(&str, &[u8])> = files
        .iter()
        .map(|(name, text)| (*name, text.as_bytes()))
        .collect();
    import(FORMAT, &[("a.eval".to_owned(), archive(&files))])
}

/// The samples of runs, and the problems of the others.
fn samples(runs: &[Result<Imported, Problem>]) -> Vec<String> {
    let sample = |run: &Result<Imported, Problem>| match run {
        Ok(run) => run.facts("sample epoch state"),
        Err(problem) => problem.message.clone(),
    };
    runs.iter().map(sample).collect()
}

#[test]
fn a_sample_is_found_whatever_its_id() {
    let ids = [
        "evals/id_1",
        "a/b/c d",
        "../up",
        "..",
        "back\\slash",
        "ünï/☃",
        "x_epoch_3",
        "x_epoch_3/y",
        "x_epoch_3/sample",
        "samples/1",
        "",
        "_epoch_",
        "7",
    ];
    for ending in [".json", "/sample.json"] {
        let mut members = ids.map(|id| format!("samples/{id}_epoch_1{ending}"));
        members.sort();
        let mut found = samples(&of_members(&members));
        found.sort();
        assert_eq!(found, members.map(|name| format!("{name} 1 completed")));
    }
}

#[test]
fn samples_whose_ids_are_paths_are_runs() {
    for (name, scores) in [
        ("some.eval", &["C", "C", "I"][..]),
        ("all.eval", &["C", "I"]),
    ] {
        let path = fixture("cases/inspect-ids-with-slash").join(name);
        let log = std::fs::read(path).expect("a log");
        let runs = import(FORMAT, &[(name.to_owned(), log)]);
        let score = |run: &Result<Imported, Problem>| {
            let outcome = run.as_ref().expect("a run").outcomes().remove(0);
            outcome.split('"').nth(1).expect("a score").to_owned()
        };
        let mut found: Vec<String> = runs.iter().map(score).collect();
        found.sort_unstable();
        assert_eq!(found, scores, "{name}");
    }
}

#[test]
fn a_member_that_is_no_sample_or_cannot_be_read_is_named() {
    let members = [
        "samples/a/b_epoch_1/messages/0.json",
        "samples/a/b_epoch_1/events/0.json",
        "samples/c_epoch_1/sample.json",
        "samples/c_epoch_1/messages/0.json",
        "samples/c_epoch_1/events/1.json",
        "samples/c_epoch_1/skeleton.json",
        "samples/plain.json",
        "samples/notes.txt",
    ];
    let runs = of_members(&members.map(str::to_owned));
    assert_eq!(
        samples(&runs),
        [
            "The sample `a/b_epoch_1` has no `sample.json`",
            "The member `samples/notes.txt` is not a sample",
            "samples/plain.json 1 completed",
            "samples/c_epoch_1/sample.json 1 completed",
        ]
    );
    let run = runs[3].as_ref().expect("a run");
    assert_eq!(run.report["unparsable"], 1);
    assert_eq!(
        run.warnings[0].message,
        "The member `samples/c_epoch_1/events/1.json` is not a list"
    );
}

#[test]
fn attempts_that_failed_are_branches_and_answers_of_other_models_are_noted() {
    let run = of(
        &[
            r#"{"event":"model","model":"a/big","input":[{"id":"m","role":"user","content":"Go."}],"output":{"choices":[{"message":{"id":"n","role":"assistant","content":"Done."}}],"fallback":{"model":"a/big","fallback_model":"a/small"},"usage":{"input_tokens":1,"output_tokens":2,"total_cost":0.1}}}"#,
        ],
        concat!(
            r#""error_retries":[{"message":"Connection reset","traceback":"Traceback ...","traceback_ansi":"...","events":["#,
            r#"{"event":"model","input":[{"id":"m","role":"user","content":"Go."}],"output":{"choices":[{"message":{"id":"o","role":"assistant","content":"Wait."}}]}}]},"#,
            r#"{"message":"Timeout","events":[{"event":"error","error":{"message":"Timeout"}}]}],"#,
            r#""model_fallbacks":[{"model":"a/big","fallback_model":"a/small","count":3}],"model_usage":{"a/big":{"input_tokens":1,"total_cost":0.1},"a/small":{"input_tokens":2,"total_cost":0.2}},"#,
        ),
    );
    run.reads(&[
        "user Go. @branch=b1",
        "assistant Wait. @branch=b1",
        "error Connection reset @branch=b1",
        "error Timeout @branch=b2",
        "user Go.",
        "assistant Done.",
        "usage",
        "note model fallback 3 calls to a/big got the answer of a/small",
    ]);
    assert_eq!(run.withheld("tracebacks"), 1);
    run.states("actual", "0.3");
    assert_eq!(facts(&run.events()[6], "model cost"), "a/small 0.1");
    contains(&run.origin(0), " /samples/0/error_retries/0/events/0 ");
}

#[test]
fn messages_that_a_solver_adds_are_not_words_of_the_user() {
    let run = of(
        &[],
        r#""messages":[{"id":"1","role":"user","source":"input","content":"Solve it."},
            {"id":"2","role":"assistant","content":"No."},{"id":"3","role":"user","content":"Please go on."},
            {"id":"4","role":"user","source":"operator","content":"Try again."},
            {"id":"5","role":"user","content":"[CONTEXT COMPACTION SUMMARY] ...","metadata":{"summary":true}}],"#,
    );
    run.reads(&[
        "user Solve it.",
        "assistant No.",
        "note environment Please go on.",
        "user Try again.",
    ]);
    assert_eq!(run.withheld("compactionSummaries"), 1);
}

#[test]
fn a_sum_over_models_that_do_not_all_have_a_value_is_a_lower_bound() {
    let of = |other: &str| {
        let usage =
            r#"{"input_tokens":10,"output_tokens":5,"input_tokens_cache_read":7,"total_cost":0.5}"#;
        let run = of(
            &[],
            &format!(r#""model_usage":{{"a":{usage},"b":{other}}},"#),
        );
        (run.tokens(), run.lower_bounds())
    };
    let read = |tokens: &str, bounds: &str| (tokens.to_owned(), bounds.to_owned());
    assert_eq!(
        of(r#"{"input_tokens":1,"output_tokens":2}"#),
        read("11/7/7/-", "tokens.cachedInput cost.actual")
    );
    assert_eq!(
        of(r#"{"input_tokens":1,"output_tokens":2,"input_tokens_cache_read":0,"total_cost":0}"#),
        read("11/7/7/-", "")
    );
}

#[test]
fn the_error_of_a_sample_without_events_and_times_that_are_left_out_are_shown() {
    let run = of(
        &[],
        r#""error":{"message":"Boom","traceback":"frames"},"started_at":"2026-03-01T10:00:00","completed_at":"soon","total_time":-5,"#,
    );
    run.reads(&["error Boom"]);
    assert_eq!(run.origin(0), "0 - /samples/0/error - -");
    assert_eq!(
        run.messages(),
        [
            "The start of the run has no time zone, and is left out",
            "The end of the run is not a time, and is left out",
            "The run time is negative, and is left out",
        ]
    );
    let event = r#"{"event":"error","error":{"message":"Boom"}}"#;
    let run = of(&[event], r#""error":{"message":"Boom"},"#);
    assert_eq!(run.brief(), ["error Boom"], "once");
}

#[test]
fn samples_that_a_log_states_and_lacks_and_samples_at_other_paths_are_named() {
    let head: &[u8] = br#"{"version":2,"status":"success","eval":{"task":"t","run_id":"r"},"results":{"total_samples":3}}"#;
    let log = archive(&[
        ("header.json", head),
        ("/samples/2_epoch_1.json", br#"{"id":2,"epoch":1}"#),
        ("samples/1_epoch_1.json", br#"{"id":1,"epoch":1}"#),
        ("samples\\3_epoch_1.json", br#"{"id":3,"epoch":1}"#),
    ]);
    let mut runs = import(FORMAT, &[("a.eval".to_owned(), log)]);
    let run = runs.pop().expect("a run").expect("a run");
    assert!(run.messages().is_empty(), "{:?}", run.messages());
    let named: Vec<String> = runs
        .into_iter()
        .map(|run| run.expect_err("a member").message)
        .collect();
    assert_eq!(
        named,
        [
            "The member `/samples/2_epoch_1.json` is not at the path of a sample",
            "The member `samples\\3_epoch_1.json` is not at the path of a sample"
        ]
    );
    let whole = r#"{"version":2,"status":"success","eval":{"task":"t"},"results":{"total_samples":3},"samples":[{"id":1,"epoch":1}]}"#;
    let run = one(FORMAT, "a.json", whole);
    assert_eq!(run.messages(), ["The log states 3 samples and holds 1"]);
    let stopped = whole.replace("success", "error");
    assert!(one(FORMAT, "a.json", stopped).messages().is_empty());
}

#[test]
fn every_sample_and_epoch_is_a_run_in_their_order() {
    let log = r#"{"version":2,"status":"cancelled","eval":{"task":"t"},"samples":[{"id":10,"epoch":1},{"id":2,"epoch":2,"error":{"message":"x","traceback":"y"}},7,{"id":2,"epoch":1,"scores":{}}]}"#;
    assert_eq!(
        samples(&import(FORMAT, &named([("a.json", log)]))),
        [
            "`/samples/2` is not a sample",
            "2 1 completed",
            "10 1 canceled",
            "2 2 harness_error"
        ]
    );
}

#[test]
fn a_log_that_is_newer_or_cut_or_holds_no_samples_is_refused() {
    let refused = |log: &[u8]| {
        let run = import(FORMAT, &[("a.eval".to_owned(), log.to_vec())]).remove(0);
        run.expect_err("a problem")
    };
    for name in ["log_read_sample.json", "log_read_sample.eval"] {
        drop(refused(&sample(&format!("inspect/{name}"))[..900]));
    }
    let problem = refused(br#"{"version":4,"eval":{},"status":"success","samples":[{}]}"#);
    assert_eq!(
        problem.message,
        "The log has version 4; the newest that is read is 3"
    );
    let problem = refused(&sample("inspect/log_with_nan.txt"));
    assert_eq!(problem.message, "The log holds no samples");
    let problem = of_members(&[]).remove(0).expect_err("no samples");
    assert_eq!(problem.message, "The log holds no samples");
    assert!(!problem.help.contains("log-samples"), "{problem:?}");
    let unlogged = br#"{"version":2,"status":"success","eval":{"config":{"log_samples":false}}}"#;
    let problem = refused(unlogged);
    assert!(
        problem.help.contains("without `--no-log-samples`"),
        "{problem:?}"
    );
}
