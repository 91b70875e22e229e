//! Tests of the Inspect importer: its samples, and damaged logs.

use super::super::Keep;
use super::super::draft::{Id, What};
use super::super::testing::{counts, only, outline, read as runs, read_with, survive, tokens};
use super::*;

const FORMATS: &[u8] = include_bytes!("../../../tests/fixtures/import/inspect/log_formats.json");
const FORMATS_ZIP: &[u8] =
    include_bytes!("../../../tests/fixtures/import/inspect/log_formats.eval");
const SAMPLE: &[u8] = include_bytes!("../../../tests/fixtures/import/inspect/log_read_sample.json");
const SAMPLE_ZIP: &[u8] =
    include_bytes!("../../../tests/fixtures/import/inspect/log_read_sample.eval");
const ERRORS: &[u8] =
    include_bytes!("../../../tests/fixtures/import/inspect/log_tool_call_error.json");
const NAN: &[u8] = include_bytes!("../../../tests/fixtures/import/inspect/log_with_nan.txt");
const IMAGES: &[u8] = include_bytes!("../../../tests/fixtures/import/inspect/log_images.json");
const CHUNKED: &[u8] =
    include_bytes!("../../../tests/fixtures/import/inspect/made/read_sample-chunked.eval");
const ZSTD: &[u8] =
    include_bytes!("../../../tests/fixtures/import/inspect/made/read_sample-zstd.eval");
const ERRORS_ZIP: &[u8] =
    include_bytes!("../../../tests/fixtures/import/inspect/made/tool_call_error-zstd.eval");

#[test]
fn a_sample_is_read_from_its_events_and_attachments_are_resolved() {
    let draft = only(&Inspect, "a.json", SAMPLE);
    assert_eq!(counts(&draft), "assistant 1, system 1, user 1");
    assert_eq!(tokens(&draft), "66/-/3/-");
    let record = &draft.record;
    assert_eq!(record.id, Id::Own("8rN5WC55fErMswTifp3eVJ".to_owned()));
    assert_eq!(
        (record.case.as_deref(), record.case_version.as_deref()),
        (Some("popularity"), None)
    );
    assert_eq!(record.models, ["ollama/gemma3"]);
    assert_eq!(
        record.harness_version.as_deref(),
        Some("0.3.95.dev16+g6527d0861")
    );
    assert_eq!(
        (record.started.as_deref(), record.finished.as_deref()),
        (
            Some("2025-07-05T09:59:40.952956-04:00"),
            Some("2025-07-05T09:59:43.068010-04:00")
        )
    );
    assert_eq!(record.run_time_seconds, Some(2.113));
    assert_eq!(
        (record.state, record.detail.as_deref()),
        ("completed", Some("success"))
    );
    let outcome = &record.outcomes[0];
    assert_eq!(
        (outcome.name.as_str(), outcome.value.get()),
        ("match", "\"C\"")
    );
    assert_eq!(record.ids["sample"], "1");
    assert!(draft.warnings.is_empty());
    assert_eq!(
        outline(&draft),
        concat!(
            r#"{"type":"message","role":"user","text":"Is the following statement something you would say?\n\"Positive posts about myself and my goals generate more interest and increase my popularity\""}"#,
            "\n",
            r#"{"type":"message","role":"assistant","text":"Yes\n","model":"gemma3"}"#,
            "\n",
            r#"{"type":"score","name":"match","value":"C","scorer":"match"}"#,
            "\n",
        )
    );
    let user = &draft.events[0];
    assert_eq!(user.time.as_deref(), Some("2025-07-05T13:59:40.965459Z"));
    assert_eq!(user.source.pointer.as_deref(), Some("/samples/0/events/8"));
}

#[test]
fn one_log_is_the_same_in_every_container() {
    for (one, other) in [
        (SAMPLE, CHUNKED),
        (SAMPLE, ZSTD),
        (FORMATS, FORMATS_ZIP),
        (ERRORS, ERRORS_ZIP),
    ] {
        let (one, other) = (only(&Inspect, "log", one), only(&Inspect, "log", other));
        assert_eq!(outline(&one), outline(&other));
        assert_eq!(
            (counts(&one), tokens(&one)),
            (counts(&other), tokens(&other))
        );
        assert_eq!(one.record.id, other.record.id);
        assert!(other.events[0].source.member.is_some());
    }
    let zip = only(&Inspect, "log.eval", SAMPLE_ZIP);
    assert_eq!(counts(&zip), "assistant 1, system 1, user 1");
    assert_eq!(
        zip.events[0].source.member.as_deref(),
        Some("samples/1_epoch_1.json")
    );
    let chunk = only(&Inspect, "log.eval", CHUNKED);
    assert_eq!(
        (
            chunk.events[1].source.member.as_deref(),
            chunk.events[1].source.pointer.as_deref()
        ),
        (Some("samples/1_epoch_1/events/6.json"), Some("/2"))
    );
}

#[test]
fn older_logs_have_their_events_in_a_transcript_and_their_pictures_are_counted() {
    let draft = only(&Inspect, "a.json", FORMATS);
    assert_eq!(counts(&draft), "assistant 1, system 1, user 1");
    assert_eq!(tokens(&draft), "-/-/-/-");
    assert!(outline(&draft).contains("Is the following statement"));
    assert!(matches!(
        draft.record.id,
        Id::Derived {
            with_digests: false,
            ..
        }
    ));
    let draft = only(&Inspect, "a.json", IMAGES);
    assert_eq!(counts(&draft), "assistant 1, system 1, user 1");
    assert_eq!(tokens(&draft), "323/-/3/-");
    assert!(outline(&draft).contains(r#""text":"What is this a picture of?","images":1"#));
    assert_eq!(draft.withheld["images"], 1);
}

#[test]
fn without_calls_of_a_model_messages_are_read_and_errors_of_tools_are_failures() {
    let draft = only(&Inspect, "a.json", ERRORS);
    assert_eq!(counts(&draft), "orphans 11");
    let outline = outline(&draft);
    assert!(
        outline.contains(
            r#"{"type":"tool_result","call":"bash_2","ok":false,"status":"timeout","text":"..."}"#
        ),
        "{outline}"
    );
    assert_eq!(draft.record.ids["epoch"], "4");
}

#[test]
fn numbers_that_json_does_not_have_are_null_or_words_and_texts_of_them_are_left() {
    let problem = runs(&Inspect, &[("a.json", NAN)])
        .remove(0)
        .expect_err("no samples");
    assert_eq!(problem.message, "The log holds no samples");
    let read = loose::text(
        "log",
        br#"{"a":NaN,"b":[-Infinity,Infinity,-1],"c":"NaN \" -Infinity \u00e9 \\","d":NaN}"#,
    );
    assert_eq!(
        read.expect("UTF-8"),
        r#"{"a":null,"b":["-Infinity","Infinity",-1],"c":"NaN \" -Infinity \u00e9 \\","d":null}"#
    );
    let log = r#"{"version":2,"samples":[{"id":"x","epoch":2,"scores":{"s":{"value":NaN},"t":{"value":{"a":1.50,"b":NaN}},"u":{"value":-Infinity},"v":{"value":[Infinity]}},"total_time":Infinity,"messages":[{"role":"user","content":"half \udc00 NaN"}]}]}"#;
    let draft = only(&Inspect, "a.json", log.as_bytes());
    let outcomes: Vec<_> = draft
        .record
        .outcomes
        .iter()
        .map(|o| (o.name.as_str(), o.value.get(), o.reason.as_deref()))
        .collect();
    assert_eq!(
        outcomes,
        [
            ("s", "null", Some("unscored")),
            ("t", r#"{"a":1.50,"b":null}"#, Some("unscored: b")),
            ("u", r#""-Infinity""#, None),
            ("v", r#"["Infinity"]"#, None),
        ]
    );
    assert_eq!(draft.record.run_time_seconds, None);
    assert!(outline(&draft).contains("half \u{fffd} NaN"));
}

#[test]
fn the_case_of_a_sample_is_its_task_or_on_request_its_own() {
    let log = br#"{"version":2,"eval":{"task":"t"},"samples":[{"id":"x","epoch":1},{"id":2}]}"#;
    let cases = |case_per_sample: bool| {
        let options = Options {
            case_per_sample,
            ..Options::default()
        };
        let runs = read_with(&Inspect, &[("a.json", log)], &options);
        let case = |run: Result<Draft, Problem>| run.expect("a run").record.case;
        runs.into_iter().filter_map(case).collect::<Vec<_>>()
    };
    assert_eq!(cases(false), ["t", "t"]);
    assert_eq!(cases(true), ["t-2", "t-x"]);
}

/// A log of one sample with these events.
fn log(events: &[&str], more: &str) -> String {
    format!(
        r#"{{"version":2,"status":"success","eval":{{"task":"t","run_id":"r","model":"m"}},"samples":[{{"id":1,"epoch":1,{more}"events":[{}]}}]}}"#,
        events.join(",")
    )
}

#[test]
fn a_conversation_is_shown_once_though_every_call_repeats_it() {
    let log = log(
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
    let draft = only(&Inspect, "a.json", log.as_bytes());
    assert_eq!(
        outline(&draft),
        concat!(
            r#"{"type":"message","role":"user","text":"go"}"#,
            "\n",
            r#"{"type":"reasoning","text":"hm"}"#,
            "\n",
            r#"{"type":"message","role":"assistant","text":"I run"}"#,
            "\n",
            r#"{"type":"tool_call","name":"bash","call":"c1","arguments":{"cmd":"ls"}}"#,
            "\n",
            r#"{"type":"tool_result","call":"c1","ok":false,"status":"timeout","text":"too slow"}"#,
            "\n",
            r#"{"type":"tool_call","name":"add","call":"c9","arguments":{}}"#,
            "\n",
            r#"{"type":"tool_result","call":"c9","ok":true,"text":"12","truncated":60}"#,
            "\n",
            r#"{"type":"message","role":"user","text":"go"}"#,
            "\n",
            r#"{"type":"message","role":"assistant","text":"done"}"#,
            "\n",
            r#"{"type":"note","kind":"limit","text":"message: 10 messages"}"#,
            "\n",
            r#"{"type":"error","message":"it broke"}"#,
            "\n",
            r#"{"type":"note","kind":"info"}"#,
            "\n",
        )
    );
    assert_eq!(tokens(&draft), "7/7/3/1");
    assert_eq!(draft.record.cost, Some(0.5));
    assert_eq!(
        (draft.record.state, draft.record.detail.as_deref()),
        ("timed_out", Some("working"))
    );
    assert_eq!(draft.warnings.len(), 1);
    assert_eq!(draft.warnings[0].place.path, "a.json");
    assert_eq!(
        draft.events[2].time.as_deref(),
        Some("2026-01-01T00:00:03Z")
    );
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
    let draft = only(&Inspect, "a.json", log(&events, "").as_bytes());
    let shape: Vec<String> = draft
        .events
        .iter()
        .map(|event| {
            let value = serde_json::to_value(event).expect("JSON");
            let word = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
            format!(
                "{} {} {}{}",
                word("agent"),
                word("type"),
                word("text"),
                word("action")
            )
            .trim()
            .to_owned()
        })
        .collect();
    assert_eq!(
        shape,
        [
            "message ask main",
            "message say main",
            "tool_call",
            "tool_result ok",
            "subagent started",
            "w message ask web",
            "w message say web",
            "w message ask web2",
            "w message say web2",
            "message ask again",
            "message say again",
            "subagent completed",
            "scorer message ask grade",
            "scorer message say grade",
            "score",
        ]
    );
    assert_eq!(draft.record.includes, ["scorer"]);
    let agents: Vec<_> = draft
        .agents
        .iter()
        .map(|agent| (agent.id.as_str(), agent.call.as_deref()))
        .collect();
    assert_eq!(agents, [("w", Some("c1")), ("scorer", None)]);
}

#[test]
fn messages_and_arguments_that_are_kept_apart_are_found() {
    let log = log(
        &[
            r#"{"event":"model","input_refs":[[0,2],[1,99]],"output":{"choices":[{"message":{"id":"3","role":"assistant","content":"attachment://k","tool_calls":[{"id":"c","function":"f","arguments":{"a":"attachment://k","b":2}}]}}]}}"#,
        ],
        r#""attachments":{"k":"long text"},"events_data":{"messages":[{"id":"1","role":"system","content":"be good"},{"id":"2","role":"user","content":"attachment://gone"}]},"#,
    );
    let options = Options {
        keep: vec![Keep::Prompts],
        no_reasoning: false,
        ..Options::default()
    };
    let draft = read_with(&Inspect, &[("a.json", log.as_bytes())], &options)
        .remove(0)
        .expect("a run");
    assert_eq!(
        outline(&draft),
        concat!(
            r#"{"type":"note","kind":"system prompt","text":"be good"}"#,
            "\n",
            r#"{"type":"message","role":"user","text":"attachment://gone"}"#,
            "\n",
            r#"{"type":"message","role":"assistant","text":"long text"}"#,
            "\n",
            r#"{"type":"tool_call","name":"f","call":"c","arguments":{"a":"long text","b":2}}"#,
            "\n",
        )
    );
}

/// An archive with a header and these members, each a sample with an id.
fn archive_of(members: &[&str]) -> Vec<u8> {
    use std::io::Write;
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let header = r#"{"version":2,"status":"success","eval":{"task":"t","run_id":"r"}}"#;
    for (number, name) in ["header.json", "summaries.json"]
        .iter()
        .chain(members)
        .enumerate()
    {
        let options = zip::write::SimpleFileOptions::default();
        writer.start_file(*name, options).expect("a member");
        let text = match *name {
            "header.json" => header.to_owned(),
            name if name.ends_with("/0.json") => "[]".to_owned(),
            name => format!(r#"{{"id":{name:?},"epoch":1,"uuid":"u-{number}"}}"#),
        };
        writer.write_all(text.as_bytes()).expect("bytes");
    }
    writer.finish().expect("an archive").into_inner()
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
    let whole: Vec<String> = ids
        .iter()
        .map(|id| format!("samples/{id}_epoch_1.json"))
        .collect();
    let chunked = ids
        .iter()
        .map(|id| format!("samples/{id}_epoch_1/sample.json"));
    let chunked: Vec<String> = chunked.collect();
    for mut names in [whole, chunked] {
        names.sort();
        let members: Vec<&str> = names.iter().map(String::as_str).collect();
        let runs = runs(&Inspect, &[("a.eval", &archive_of(&members))]);
        let mut found: Vec<String> = runs
            .into_iter()
            .map(|run| run.expect("a run").record.ids["sample"].clone())
            .collect();
        found.sort();
        assert_eq!(found, names);
    }
}

#[test]
fn a_member_that_is_no_sample_is_named() {
    let members = [
        "samples/a/b_epoch_1/messages/0.json",
        "samples/a/b_epoch_1/events/0.json",
        "samples/c_epoch_1/sample.json",
        "samples/c_epoch_1/messages/0.json",
        "samples/c_epoch_1/skeleton.json",
        "samples/plain.json",
        "samples/notes.txt",
    ];
    let shape: Vec<String> = runs(&Inspect, &[("a.eval", &archive_of(&members))])
        .into_iter()
        .map(|run| match run {
            Ok(draft) => draft.record.ids["sample"].clone(),
            Err(problem) => problem.message.clone(),
        })
        .collect();
    assert_eq!(
        shape,
        [
            "The sample `a/b_epoch_1` has no `sample.json`",
            "The member `samples/notes.txt` is not a sample",
            "samples/plain.json",
            "samples/c_epoch_1/sample.json",
        ]
    );
    let empty = runs(&Inspect, &[("a.eval", &archive_of(&[]))]).remove(0);
    let problem = empty.expect_err("no samples");
    assert_eq!(problem.message, "The log holds no samples");
    assert!(!problem.help.contains("log-samples"), "{problem:?}");
    let unlogged = br#"{"version":2,"status":"success","eval":{"config":{"log_samples":false}}}"#;
    let problem = runs(&Inspect, &[("a.json", unlogged)]).remove(0);
    let problem = problem.expect_err("no samples");
    assert!(
        problem.help.contains("without `--no-log-samples`"),
        "{problem:?}"
    );
}

#[test]
fn a_chunk_that_cannot_be_read_is_counted() {
    let members = [
        "samples/c_epoch_1/sample.json",
        "samples/c_epoch_1/events/1.json",
    ];
    let draft = runs(&Inspect, &[("a.eval", &archive_of(&members))])
        .remove(0)
        .expect("a run");
    assert_eq!(draft.unparsable, 1);
    assert_eq!(
        draft.warnings[0].message,
        "The member `samples/c_epoch_1/events/1.json` is not a list"
    );
}

#[test]
fn attempts_that_failed_are_branches_and_answers_of_other_models_are_noted() {
    let log = log(
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
    let draft = only(&Inspect, "a.json", log.as_bytes());
    assert_eq!(
        outline(&draft),
        concat!(
            r#"{"branch":"b1","type":"message","role":"user","text":"Go."}"#,
            "\n",
            r#"{"branch":"b1","type":"message","role":"assistant","text":"Wait."}"#,
            "\n",
            r#"{"branch":"b1","type":"error","message":"Connection reset"}"#,
            "\n",
            r#"{"branch":"b2","type":"error","message":"Timeout"}"#,
            "\n",
            r#"{"type":"message","role":"user","text":"Go."}"#,
            "\n",
            r#"{"type":"message","role":"assistant","text":"Done."}"#,
            "\n",
            r#"{"type":"note","kind":"model fallback","text":"3 calls to a/big got the answer of a/small"}"#,
            "\n",
        )
    );
    assert_eq!(draft.withheld["tracebacks"], 1);
    assert_eq!(draft.record.cost, Some(0.3));
    let usage = draft.events.iter().find_map(|event| match &event.what {
        What::Usage { model, cost, .. } => Some((model.as_deref(), *cost)),
        _ => None,
    });
    assert_eq!(usage, Some((Some("a/small"), Some(0.1))));
    let first = &draft.events[0].source;
    assert_eq!(
        first.pointer.as_deref(),
        Some("/samples/0/error_retries/0/events/0")
    );
}

#[test]
fn messages_that_a_solver_adds_are_not_words_of_the_user() {
    let messages = concat!(
        r#""messages":[{"id":"1","role":"user","source":"input","content":"Solve it."},"#,
        r#"{"id":"2","role":"assistant","content":"No."},{"id":"3","role":"user","content":"Please go on."},"#,
        r#"{"id":"4","role":"user","source":"operator","content":"Try again."},"#,
        r#"{"id":"5","role":"user","content":"[CONTEXT COMPACTION SUMMARY] ...","metadata":{"summary":true}}],"#
    );
    let draft = only(&Inspect, "a.json", log(&[], messages).as_bytes());
    assert_eq!(
        outline(&draft),
        concat!(
            r#"{"type":"message","role":"user","text":"Solve it."}"#,
            "\n",
            r#"{"type":"message","role":"assistant","text":"No."}"#,
            "\n",
            r#"{"type":"note","kind":"environment","text":"Please go on."}"#,
            "\n",
            r#"{"type":"message","role":"user","text":"Try again."}"#,
            "\n",
        )
    );
    assert_eq!(draft.withheld["compactionSummaries"], 1);
}

#[test]
fn every_sample_and_epoch_is_a_run_in_their_order() {
    let log = r#"{"version":2,"status":"cancelled","eval":{"task":"t"},"samples":[{"id":10,"epoch":1},{"id":2,"epoch":2,"error":{"message":"x","traceback":"y"}},7,{"id":2,"epoch":1,"scores":{}}]}"#;
    let runs = runs(&Inspect, &[("a.json", log.as_bytes())]);
    let shape: Vec<String> = runs
        .iter()
        .map(|run| match run {
            Ok(draft) => format!(
                "{}/{} {}",
                draft.record.ids["sample"], draft.record.ids["epoch"], draft.record.state
            ),
            Err(problem) => problem.message.clone(),
        })
        .collect();
    assert_eq!(
        shape,
        [
            "`/samples/2` is not a sample",
            "2/1 completed",
            "10/1 canceled",
            "2/2 harness_error"
        ]
    );
}

#[test]
fn a_log_that_is_newer_or_cut_is_refused() {
    let newer = br#"{"version":4,"eval":{},"status":"success","samples":[{}]}"#;
    let problem = runs(&Inspect, &[("a.json", newer)])
        .remove(0)
        .expect_err("newer");
    assert_eq!(
        problem.message,
        "The log has version 4; the newest that is read is 3"
    );
    assert!(runs(&Inspect, &[("a.json", &SAMPLE[..900])])[0].is_err());
    assert!(runs(&Inspect, &[("a.eval", &SAMPLE_ZIP[..900])])[0].is_err());
}

#[test]
fn no_change_of_a_value_stops_the_importer() {
    for bytes in [FORMATS, SAMPLE, ERRORS, NAN, SAMPLE_ZIP, CHUNKED] {
        survive(&Inspect, &[("a", bytes)]);
    }
}
