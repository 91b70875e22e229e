//! Traces: messages and actions of an agent, with tool arguments and results, as a reader sees them.

use scraper::ElementRef;

use crate::support::{
    FIRST, Page, TestSite, annotation, below, codes, described, lines, rows, words,
};

const HEADER: &str = r#"{"type":"trace","schemaVersion":1}"#;
const TRACE: &str = "run.trace.jsonl";

/// The base run with a trace instead of its event log.
fn with(header: &str, events: &[impl AsRef<str>]) -> TestSite {
    let site = TestSite::base();
    site.remove_first("events.jsonl").unannotated();
    let mut all = vec![header];
    all.extend(events.iter().map(AsRef::as_ref));
    site.write_first(TRACE, lines(&all));
    site
}

/// Events with these members, numbered from 0.
fn numbered<'a>(events: impl Iterator<Item = &'a str>) -> Vec<String> {
    let numbered = events.enumerate();
    numbered
        .map(|(seq, members)| format!("{{\"seq\":{seq},{members}}}"))
        .collect()
}

/// The page of a run with these events, which have no problems.
fn page(events: &[impl AsRef<str>]) -> Page {
    let site = with(HEADER, events);
    assert_eq!(described(&site.publish()), [""; 0]);
    site.first_page()
}

fn event(page: &Page, number: usize) -> ElementRef<'_> {
    page.one(&format!("#e-{number}"))
}

fn has(page: &Page, number: usize, class: &str) -> bool {
    let class = format!("#e-{number}.{class}");
    !page.all(&class).is_empty()
}

const CALL: &str =
    r#"{"seq":0,"type":"tool_call","name":"Bash","call":"c1","arguments":{"command":"npm test"}}"#;

#[test]
fn every_type_of_event_is_shown_with_what_it_holds() {
    let events = rows(
        r#"
"type":"message","role":"user","text":"Fix it.","steering":true | user; Fix it.; while the agent worked
"type":"message","role":"assistant","text":"Done.","phase":"final","model":"m-1","images":2 | agent; Done.; final; m-1; left out: 2
"type":"reasoning","text":"Why not?","summary":true | reasoning; Why not?; summary
"type":"tool_call","name":"Read","arguments":{"file_path":"src/a.js","limit":20} | read; src/a.js; tool Read; limit: 20
"type":"tool_call","name":"Grep","arguments":{"pattern":"TODO","path":"src"} | search; TODO; tool Grep
"type":"tool_call","name":"shell","arguments":{"command":["ls","-l"]} | command; ls -l; tool shell
"type":"tool_call","name":"mcp__files__read_file","arguments":{"path":"b.js"} | read; b.js
"type":"tool_call","name":"apply_patch","argumentsText":"*** Begin Patch" | tool_call; apply_patch; *** Begin Patch
"type":"tool_call","name":"web_search","hosted":true,"arguments":{"query":"vitest"},"status":"ok" | tool_call; web_search vitest; run by the provider; status ok
"type":"tool_result","text":"Nobody asked.","truncated":1843 | result; Nobody asked.; bytes left out: 1843
"type":"edit","path":"a.js","to":"b.js","change":"rename" | edit; a.js; to b.js; renamed
"type":"subagent","action":"failed","id":"s1","name":"tester" | subagent; failed; tester; s1
"type":"compaction","trigger":"auto","tokensBefore":90000,"forgotten":12 | compaction; auto; 90000; 12
"type":"score","name":"resolved","value":{"passed":12},"scorer":"verifier" | score; resolved; passed: 12; verifier
"type":"error","message":"It broke.","code":"E1" | error; It broke.; E1
"type":"usage","model":"m-1","cost":0.0123,"tokens":{"uncachedInput":10,"reasoning":4} | usage; uncached input 10; reasoning 4; $0.0123
"type":"note","kind":"turn ended","text":"by the user","localTime":"2026-03-01T10:00:00" | note; turn ended; by the user; 2026-03-01T10:00:00
"type":"unknown","kind":"future_record","turn":3 | unknown; future_record; turn 3
"#,
    );
    let page = page(&numbered(events.iter().map(|[fields, _]| *fields)));
    for (number, [fields, expected]) in events.iter().enumerate() {
        let shown = words(event(&page, number));
        for word in expected.split("; ") {
            assert!(shown.contains(word), "{word} of {fields} in {shown}");
        }
    }
}

#[test]
fn a_result_stands_below_its_call_whatever_is_recorded_between_them() {
    let page = page(&[
        CALL,
        r#"{"seq":1,"type":"tool_call","name":"Read","call":"c2","arguments":{"path":"a.js"}}"#,
        r#"{"seq":2,"type":"tool_result","call":"c2","ok":true,"text":"two"}"#,
        r#"{"seq":3,"type":"edit","call":"c2","path":"a.js","change":"modify"}"#,
        r#"{"seq":4,"type":"tool_result","call":"c1","ok":false,"text":"one"}"#,
        r#"{"seq":5,"type":"tool_call","name":"Bash","call":"c3","arguments":{"command":"sleep 9"}}"#,
    ]);
    let tied: Vec<_> = (0..6)
        .filter(|number| has(&page, *number, "tied"))
        .collect();
    assert_eq!(tied, [2, 3, 4]);
    let order = page.attrs("ol.tape li.e", "id");
    assert_eq!(order, ["e-0", "e-4", "e-1", "e-2", "e-3", "e-5"]);
    assert!(page.all("ol.tape p:first-child > i > a").is_empty());
    // A result has the style of its call.
    assert!(has(&page, 2, "f-read") && has(&page, 4, "f-command"));
    assert!(words(event(&page, 5)).contains("result not recorded"));
    assert!(
        !has(&page, 5, "fail"),
        "a call without a result has not failed"
    );
}

#[test]
fn only_a_flag_or_an_exit_code_makes_a_failure() {
    let results = [
        (r#""ok":true"#, false),
        (r#""ok":false"#, true),
        (r#""text":"Error: failed""#, false),
        (r#""exitCode":0"#, false),
        (r#""ok":true,"exitCode":0"#, false),
        (r#""exitCode":1"#, true),
        (r#""ok":true,"exitCode":1"#, true),
        (r#""status":"interrupted""#, false),
    ];
    let page = page(&results.map(|(members, _)| format!("{{\"type\":\"tool_result\",{members}}}")));
    for (number, (members, has_failed)) in results.iter().enumerate() {
        let outcome = below(event(&page, number), "p:first-child > .bad");
        let outcome = outcome.first().map(|outcome| words(*outcome));
        let expected = has_failed.then_some("failed");
        assert_eq!(outcome.as_deref(), expected, "{members}");
    }
}

#[test]
fn the_page_counts_a_failed_call_once_and_shows_its_exit_code() {
    let page = page(&[
        CALL,
        r#"{"seq":1,"type":"tool_result","call":"c1","ok":false,"exitCode":3,"exitCodeFrom":"text","text":"no"}"#,
    ]);
    page.says("2 events, 1 failure");
    assert!(words(event(&page, 1)).contains("exit code 3 (from the text)"));
}

#[test]
fn steps_ran_in_parallel_only_if_the_order_of_the_log_says_so() {
    let at = |second: u32, members: &str| {
        format!(r#""time":"2026-03-01T10:00:{second:02}.000Z",{members}"#)
    };
    let call = |second, id: &str| {
        let members = format!(r#""type":"tool_call","name":"Bash","call":"{id}""#);
        at(second, &members)
    };
    let result = |second, id: &str| {
        let members = format!(r#""type":"tool_result","call":"{id}","ok":true"#);
        at(second, &members)
    };
    let events = [
        call(0, "c1"),
        call(1, "c2"),
        result(5, "c1"),
        result(6, "c2"),
        // The log has these after all results, so their clock is another one.
        call(2, "c3"),
        result(8, "c3"),
        at(7, r#""type":"message","role":"assistant","text":"Done.""#),
        r#""time":"2026-03-01T10:00:06.990Z","type":"message","role":"assistant","text":"Really.""#
            .to_owned(),
    ];
    let site = with(HEADER, &numbered(events.iter().map(String::as_str)));
    site.publish();
    let page = site.first_page();
    let order = page.attrs("ol.tape li.e", "id");
    assert_eq!(order[..4], ["e-0", "e-2", "e-1", "e-3"]);
    for (number, label) in [
        (1, "in parallel"),
        (4, "4 s earlier than the event before"),
        (6, "1 s earlier than the event before"),
        (7, "<0.1 s earlier than the event before"),
    ] {
        let labels = below(event(&page, number), "i.back");
        let labels: Vec<String> = labels.into_iter().map(words).collect();
        assert_eq!(labels, [label], "event {number}");
    }
    assert_eq!(page.all("i.back").len(), 4);
}

#[test]
fn results_of_one_id_go_to_the_first_call_without_one() {
    let call = |seq: u32| CALL.replace("\"seq\":0", &format!("\"seq\":{seq}"));
    let result = r#"{"type":"tool_result","call":"c1","ok":true}"#;
    let site = with(
        HEADER,
        &[call(0).as_str(), &call(1), result, result, result],
    );
    assert_eq!(codes(&site.publish()), ["trace.duplicate-call"]);
    let page = site.first_page();
    let order = page.attrs("ol.tape li.e", "id");
    assert_eq!(order, ["e-0", "e-2", "e-1", "e-3", "e-4"]);
    // A second result belongs to the last answered call, and comes directly after the first one.
    assert!(has(&page, 4, "tied"));
}

#[test]
fn branches_and_subagents_are_beside_the_line_that_went_on() {
    let header =
        r#"{"type":"trace","schemaVersion":1,"agents":[{"id":"a1","name":"tester","call":"c1"}]}"#;
    let site = with(
        header,
        &[
            r#"{"seq":0,"type":"message","role":"assistant","text":"main"}"#,
            r#"{"seq":1,"type":"message","role":"assistant","text":"left","branch":"b1"}"#,
            r#"{"seq":2,"type":"message","role":"assistant","text":"test","agent":"a1"}"#,
        ],
    );
    assert_eq!(described(&site.publish()), [""; 0]);
    let page = site.first_page();
    assert!(has(&page, 1, "branch") && has(&page, 2, "sub"));
    assert!(!has(&page, 0, "branch") && !has(&page, 0, "sub"));
    assert!(words(event(&page, 1)).contains("branch b1"));
    assert!(words(event(&page, 2)).contains("agent tester"));
}

#[test]
fn a_long_result_is_folded_and_a_short_one_is_not() {
    let long = "line\\n".repeat(9);
    let texts = ["one\\ntwo\\n", &long];
    let page = page(&texts.map(|text| format!(r#"{{"type":"tool_result","text":"{text}"}}"#)));
    assert!(below(event(&page, 0), "details").is_empty());
    assert_eq!(
        words(below(event(&page, 1), "details > summary")[0]),
        "line 45 B"
    );
}

#[test]
fn arguments_that_the_headline_shows_in_full_are_not_repeated() {
    let page = page(&[
        CALL,
        r#"{"seq":1,"type":"tool_call","name":"Bash","arguments":{"command":"ls","timeout":9}}"#,
    ]);
    assert!(below(event(&page, 0), "pre").is_empty());
    let arguments = below(event(&page, 1), "code.args");
    assert_eq!(words(arguments[0]), "timeout: 9");
}

#[test]
fn a_diff_is_shown_as_one_with_and_without_hunks() {
    let page = page(&[
        r#"{"seq":0,"type":"edit","path":"a","change":"modify","diff":"@@ -1 +1 @@\n-old\n+new\n"}"#,
        r#"{"seq":1,"type":"edit","path":"b","change":"create","diff":"+<b>\n+two"}"#,
    ]);
    let marked = |number: usize, tag: &str| -> Vec<String> {
        let lines = below(event(&page, number), &format!("pre > {tag}"));
        lines.into_iter().map(words).collect()
    };
    assert_eq!(
        (marked(0, "del"), marked(0, "ins")),
        (vec!["-old".to_owned()], vec!["+new".to_owned()])
    );
    assert_eq!(marked(1, "ins"), ["+<b>", "+two"]);
}

#[test]
fn a_call_does_not_name_a_result_that_only_a_usage_parts_from_it() {
    let page = page(&[
        CALL,
        r#"{"seq":1,"type":"usage","tokens":{"output":3}}"#,
        r#"{"seq":2,"type":"tool_result","call":"c1","ok":true,"text":"one"}"#,
    ]);
    assert!(has(&page, 2, "tied"));
    let links = below(event(&page, 0), "p:first-child > i > a");
    assert_eq!(links.len(), 0);
}

#[test]
fn steps_group_calls_with_results_and_the_work_of_a_subagent_on_the_page_and_in_the_feed() {
    let header =
        r#"{"type":"trace","schemaVersion":1,"agents":[{"id":"a1","name":"tester","call":"c1"}]}"#;
    let site = with(
        header,
        &[
            r#"{"seq":0,"type":"message","role":"user","text":"Test it."}"#,
            r#"{"seq":1,"type":"tool_call","name":"Agent","call":"c1","arguments":{}}"#,
            r#"{"seq":2,"type":"tool_call","name":"Bash","call":"c2","arguments":{"command":"ls"},"time":"2026-03-01T10:00:02Z"}"#,
            r#"{"seq":3,"type":"usage","tokens":{"uncachedInput":2,"output":3}}"#,
            r#"{"seq":4,"type":"message","role":"assistant","text":"I test.","agent":"a1"}"#,
            r#"{"seq":5,"type":"tool_result","call":"c2","exitCode":1,"time":"2026-03-01T10:00:04Z"}"#,
            r#"{"seq":6,"type":"tool_result","call":"c1","ok":true,"text":"It works."}"#,
            r#"{"seq":7,"type":"message","role":"user","text":"And now?"}"#,
        ],
    );
    assert_eq!(described(&site.publish()), [""; 0]);
    let run = site.first_run();
    assert_eq!(
        run["steps"],
        serde_json::json!([
            {"turn": 1, "events": [0], "kind": "message"},
            {"turn": 1, "events": [1, 6], "kind": "subagent", "outcome": "succeeded"},
            {"turn": 1, "events": [2, 3, 5], "kind": "command", "outcome": "failed", "durationMs": 2000, "tokens": 5},
            {"turn": 1, "events": [4], "kind": "message", "within": 1},
            {"turn": 2, "events": [7], "kind": "message"},
        ])
    );
    let page = site.first_page();
    let order = page.attrs("ol.tape li.e", "id");
    assert_eq!(
        order,
        ["e-0", "e-1", "e-4", "e-6", "e-2", "e-3", "e-5", "e-7"]
    );
    assert_eq!(
        page.texts("li.fold.sub > details > summary"),
        ["subagent tester, completed, 1 event 4–4"]
    );
    assert_eq!(page.texts("li.fold.sub ol > li .md"), ["I test."]);
    assert_eq!(page.texts("#e-2 > p > small"), ["2 s · 5 tokens"]);
    assert!(has(&page, 3, "u") && has(&page, 5, "tied") && has(&page, 6, "tied"));
}

#[test]
fn a_fact_is_shown_where_it_changes() {
    let message =
        |model| format!(r#""type":"message","role":"assistant","model":"{model}","text":"Hello.""#);
    let messages = ["m-1", "m-1", "m-2", "m-1"].map(message);
    let page = page(&numbered(messages.iter().map(String::as_str)));
    let models = [0, 1, 2, 3].map(|number| words(event(&page, number)).contains("model "));
    assert_eq!(models, [true, false, true, true]);
}

#[test]
fn provenance_lists_the_sources_and_an_event_names_its_line() {
    let header = r#"{"type":"trace","schemaVersion":1,"importer":{"format":"codex","version":1},"sources":[{"name":"rollout.jsonl","bytes":2664,"blake3":"6bfc"},{"name":"sub/agent.jsonl","bytes":10,"blake3":"47ba"}],"withheld":{"encryptedReasoning":3}}"#;
    let site = with(
        header,
        &[
            r#"{"seq":0,"type":"note","kind":"a","source":{"file":0,"line":41,"pointer":"/payload"}}"#,
            r#"{"seq":1,"type":"note","kind":"b","source":{"file":1,"line":2}}"#,
        ],
    );
    assert_eq!(described(&site.publish()), [""; 0]);
    let page = site.first_page();
    let source = |number: usize| page.attrs(&format!("#e-{number} b[title]"), "title");
    assert_eq!(source(0), ["line 41 of rollout.jsonl /payload"]);
    assert_eq!(source(1), ["line 2 of agent.jsonl"]);
    page.says("codex");
    page.says("rollout.jsonl, 2664 bytes, BLAKE3 6bfc");
    page.says("encryptedReasoning: 3");
}

#[test]
fn a_line_that_cannot_be_read_keeps_its_number_and_is_shown_as_it_is() {
    let site = with(
        HEADER,
        &[
            CALL,
            r#"{"seq":1,"type":"tool_result","call":"c1","ok":"#,
            r#"{"seq":2,"type":"mesage","role":"user","text":"a"}"#,
            r#"{"seq":3,"type":"message","role":"robot","text":"a"}"#,
            r#"{"seq":4,"type":"message","role":"user"}"#,
            r#"{"seq":5,"type":"note","kind":"a","time":"10:00"}"#,
            r#"{"seq":6,"type":"message","role":"user","text":"last"}"#,
        ],
    );
    let outcome = site.publish();
    assert_eq!(
        codes(&outcome),
        [
            "events.unparsable-line",
            "events.unknown-type",
            "events.wrong-type",
            "events.missing-field",
            "events.invalid-timestamp"
        ]
    );
    let page = site.first_page();
    assert_eq!(page.all("ol.tape li.e").len(), 7);
    assert!(words(event(&page, 3)).contains("robot"));
    assert!(words(event(&page, 6)).contains("last"));
}

#[test]
fn a_trace_without_a_valid_header_is_not_published_and_its_events_are_checked() {
    for [first, code] in rows(
        r#"
{"seq":0,"type":"note","kind":"a"} | trace.missing-header
{"type":"trace"} | trace.invalid-header
{"type":"trace","schemaVersion":2} | trace.unsupported-version
"#,
    ) {
        let site = with(first, &[r#"{"seq":0,"type":"hologram"}"#]);
        let outcome = site.build();
        assert!(!outcome.published);
        assert_eq!(codes(&outcome), [code, "events.unknown-type"]);
    }
    let site = TestSite::base();
    site.write_first(TRACE, "");
    assert_eq!(codes(&site.build()), ["trace.missing-header"]);
}

#[test]
fn the_content_hash_is_over_the_lines_after_the_header() {
    let events = [CALL, r#"{"seq":1,"type":"note","kind":"a"}"#];
    let expected = blake3::hash(lines(&events).as_bytes()).to_hex().to_string();
    let header = r#"{"type":"trace","schemaVersion":1,"importer":{"format":"x","version":9}}"#;
    for text in [
        lines(&[HEADER, events[0], events[1]]),
        lines(&[header, events[0], "", events[1]]),
        lines(&[HEADER, events[0], events[1]]).replace('\n', "\r\n"),
        format!("\u{feff}\n{HEADER}\n{}\n{}", events[0], events[1]),
    ] {
        let site = with(HEADER, &[""; 0]);
        site.write_first(TRACE, &text);
        site.publish();
        let run = site.first_run();
        assert_eq!(
            run["tapes"][0]["contentHash"],
            expected.as_str(),
            "{text:?}"
        );
        assert_eq!(run["tapes"][0]["format"], "trace");
        assert_eq!(site.first_text(TRACE), text);
    }
}

#[test]
fn annotate_writes_a_sidecar_of_a_trace_that_a_new_header_leaves_valid() {
    let site = with(
        HEADER,
        &[
            CALL,
            r#"{"seq":1,"type":"tool_result","call":"c1","ok":true,"text":"green"}"#,
        ],
    );
    site.runpress(&format!(
        "annotate {FIRST} --event 1 --kind note --evidence 'All tests pass.' --quote green"
    ))
    .ok();
    let importer = r#"{"type":"trace","schemaVersion":1,"importer":{"format":"x","version":2}}"#;
    site.replace_first(TRACE, HEADER, importer);
    assert_eq!(described(&site.publish()), [""; 0]);
    let page = site.first_page();
    assert!(words(event(&page, 1)).contains("All tests pass."));

    site.replace_first(TRACE, "green", "greener");
    assert!(codes(&site.check()).contains(&"annotation.tape-digest-mismatch"));
    site.runpress(&format!("annotate {FIRST} --rehash")).ok();
    assert_eq!(described(&site.check()), [""; 0]);
}

#[test]
fn a_sidecar_points_at_events_by_position() {
    let site = with(HEADER, &[CALL]);
    let header = r#"{"type":"header","schema_version":1,"tape_path":"run.trace.jsonl"}"#;
    site.write_first(
        &format!("{TRACE}.annotations.jsonl"),
        lines(&[
            header,
            &annotation("a", 0, "note", ""),
            &annotation("b", 1, "note", ""),
        ]),
    );
    assert_eq!(codes(&site.build()), ["annotation.unknown-event-id"]);
}

#[test]
fn recorded_text_stays_text_in_every_field() {
    let hostile = "<script>alert(1)</script>";
    let header = HEADER.replace('}', &format!(",\"agents\":[{{\"id\":\"{hostile}\",\"name\":\"{hostile}\"}}],\"withheld\":{{\"{hostile}\":1}}}}"));
    let all = [
        r#""type":"message","role":"user","text":"X","agent":"X","branch":"X""#,
        r#""type":"tool_call","name":"X","arguments":{"command":"X","X":"X"},"argumentsText":"X","status":"X""#,
        r#""type":"tool_result","text":"X","status":"X""#,
        r#""type":"edit","path":"X","to":"X","change":"rename","diff":"+X""#,
        r#""type":"score","name":"X","value":"X","scorer":"X""#,
        r#""type":"note","kind":"X","text":"X","localTime":"X""#,
    ]
    .map(|members| format!("{{{}}}", members.replace('X', hostile)));
    let site = with(&header, &all);
    assert_eq!(described(&site.publish()), [""; 0]);
    let page = site.first_page();
    assert!(page.all("ol.tape script, #provenance script").is_empty());
    assert!(words(event(&page, 0)).contains(hostile));
}

#[test]
fn a_call_that_names_no_file_is_a_tool_call_and_its_edit_is_not() {
    let page = page(&[
        r#"{"seq":0,"type":"tool_call","name":"apply_patch","call":"c1","argumentsText":"*** Begin Patch"}"#,
        r#"{"seq":1,"type":"tool_result","call":"c1","ok":true}"#,
        r#"{"seq":2,"type":"edit","call":"c1","path":"src/a.js","change":"modify"}"#,
    ]);
    assert!(has(&page, 0, "f-write") && has(&page, 1, "f-write"));
    let kind = |number: usize| words(below(event(&page, number), "p:first-child > b")[0]);
    assert_eq!([kind(0), kind(1), kind(2)], ["tool_call", "result", "edit"]);
}

#[test]
fn of_the_facts_about_a_failure_only_its_exit_code_is_red_and_comes_first() {
    let page = page(&[
        CALL,
        r#"{"seq":1,"type":"tool_result","call":"c1","ok":false,"exitCode":2,"localTime":"2026-03-01T10:00:00"}"#,
        r#"{"seq":2,"type":"tool_call","call":"c2","name":"look"}"#,
        r#"{"seq":3,"type":"tool_result","call":"c2","ok":false,"localTime":"2026-03-01T10:00:01"}"#,
    ]);
    let facts = |number: usize, which: &str| -> Vec<String> {
        let facts = below(event(&page, number), which);
        facts.into_iter().map(words).collect()
    };
    assert_eq!(facts(1, "i.x"), ["exit code 2"]);
    assert_eq!(facts(1, "p:first-child > i")[0], "exit code 2");
    assert_eq!(facts(3, "i.x"), [""; 0]);
    assert_eq!(facts(3, "i"), ["local time 2026-03-01T10:00:01"]);
}

#[test]
fn empty_arguments_are_shown_and_not_folded() {
    let page =
        page(&[r#"{"seq":0,"type":"tool_call","call":"c1","name":"finish","arguments":{}}"#]);
    assert!(below(event(&page, 0), "details").is_empty());
    page.says("Times since the first event are not known.");
}
