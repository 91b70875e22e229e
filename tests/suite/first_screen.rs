//! The first screen of a run: how it ended, and why. Also the models of a case: how often they complete it.

use serde_json::{Value, json};

use crate::support::{FIRST, FIRST_SLUG, Run, TestSite, event, messages, words};

/// Adds a run of a case, with this change to its record.
fn add(site: &TestSite, id: &str, run: &Run, change: impl Fn(&mut Value)) {
    let mut record: Value = serde_json::from_str(&run.record()).expect("JSON");
    change(&mut record);
    let path = format!("content/runs/{id}/run-record.json");
    site.write(&path, record.to_string());
}

/// The verdict of the first run.
fn verdict(site: &TestSite) -> Vec<String> {
    site.first_page().texts(".verdict li")
}

fn base_with(change: impl Fn(&mut Value)) -> TestSite {
    let site = TestSite::base();
    let path = format!("{FIRST}/run-record.json");
    let mut record: Value = serde_json::from_str(&site.text(&path)).expect("JSON");
    change(&mut record);
    site.write(&path, record.to_string());
    site
}

#[test]
fn the_first_screen_says_what_was_asked_and_what_is_known_of_the_result() {
    let site = base_with(|record| {
        record["metrics"]["runTimeSeconds"] = json!(6680.4);
        record["metrics"]["cost"]["comparable"] = json!(0.368_21);
        record["outcomes"] = json!([
            {"name": "tests_passed", "value": 3}, {"name": "tests_total", "value": 5},
            {"name": "match", "value": "I"}, {"name": "reward", "value": 1.0},
        ]);
        record["validation"]["checks"] = json!([]);
    });
    site.publish();
    let page = site.first_page();
    assert_eq!(page.texts("h1"), ["pong"]);
    let facts = [
        "completed",
        "3/5 tests",
        "scored incorrect (I) by match",
        "great",
        "$0.37 comparable",
        "1 h 51 min",
    ];
    assert_eq!(verdict(&site), facts);
    assert_eq!(
        page.texts(".verdict .bad"),
        ["3/5 tests", "scored incorrect (I) by match"]
    );
    let runs: Value = serde_json::from_str(&site.text("public/feeds/runs.json")).expect("JSON");
    assert_eq!(runs["runs"][0]["verdict"], facts.join(" · "));
    assert_eq!(runs["runs"][0]["task"], "pong");
    let list = site.page("runs/index.html");
    assert_eq!(list.texts("tr[data-run] th a"), ["pong · base"]);
    assert!(
        list.texts("tr[data-run] td")
            .contains(&"3/5 tests, scored incorrect (I) by match".to_owned())
    );
    assert_eq!(
        page.texts(".means li"),
        [
            "completed: how the run ended, not whether its result is right",
            "3/5 tests: 3 of 5 tests passed, as recorded",
            "scored incorrect (I) by match: the scorer match gave I, its grade for “incorrect”",
            "great: the rating of the review",
            "$0.37 comparable: its tokens at list prices, so that runs can be compared",
        ]
    );

    // The title of the case is the task, wherever the run is named.
    site.write(
        "content/cases/pong.md",
        "+++\ntitle = \"Two paddles\"\n+++\nA game.\n",
    );
    site.publish();
    assert_eq!(site.first_page().texts("h1"), ["Two paddles"]);
    let list = site.page("runs/index.html");
    assert_eq!(list.texts("tr[data-run] th a"), ["Two paddles · base"]);
}

#[test]
fn the_task_of_an_imported_run_is_the_first_message_of_its_user_and_its_verdict_what_is_known() {
    let site = base_with(|record| {
        record["import"] = json!({"format": "other"});
        record["status"] = json!({"state": "unknown"});
        record["metrics"] = json!({"tokens": {}, "cost": {}});
        for key in ["validation", "startedAt", "finishedAt"] {
            record.as_object_mut().expect("an object").remove(key);
        }
    });
    let message = "# Task\n\nMake the *parser* faster, please. It takes ten seconds.\n";
    let trace = [
        r#"{"type":"trace","schemaVersion":1}"#.to_owned(),
        json!({"type": "message", "role": "user", "text": message}).to_string(),
    ];
    for file in [
        "events.jsonl",
        "events.jsonl.annotations.jsonl",
        "writeup.md",
    ] {
        site.remove(&format!("{FIRST}/{file}"));
    }
    site.write(&format!("{FIRST}/run.trace.jsonl"), trace.join("\n") + "\n");
    site.publish();
    let page = site.first_page();
    let task = "Make the parser faster, please. It takes ten seconds.";
    assert_eq!(page.texts("h1"), [task]);
    assert_eq!(verdict(&site), ["no outcome recorded"]);
    assert!(page.all("#validation, .why, .excerpt").is_empty());
    assert_eq!(
        site.page("runs/index.html").texts("tr[data-run] th a"),
        [task]
    );
}

#[test]
fn a_run_that_did_not_complete_says_why_with_every_failure_as_a_link() {
    let site = base_with(|record| {
        record["status"] = json!({"state": "failed", "detail": "The session ended <early>."});
        record["validation"]["loaded"] = json!(false);
        record["validation"]["detail"] = json!("ReferenceError: process");
    });
    // One of them is in the words of the validation.
    let says = |at: u32| match at {
        8 => "ReferenceError: process".to_owned(),
        _ => format!("failure {at}"),
    };
    let failed = |at: u32| event(at, "error", &format!("\"message\":\"{}\"", says(at))) + "\n";
    let log: String = messages(4) + &(5..20).map(failed).collect::<String>();
    site.write(&format!("{FIRST}/events.jsonl"), log);
    site.remove(&format!("{FIRST}/events.jsonl.annotations.jsonl"));
    site.publish();
    let page = site.first_page();
    let why = words(page.one(".why"));
    assert!(
        why.starts_with("Why it ended The session ended <early>."),
        "{why}"
    );
    assert!(why.contains("Validation: ReferenceError: process"), "{why}");
    let links = page.all(".why .failures a");
    assert_eq!(links.len(), 15);
    assert!(
        why.contains("15 failures in 19 events, the one named above first, then the latest:"),
        "{why}"
    );
    let latest = (4..19).rev().filter(|number| *number != 7);
    for (link, number) in links.iter().zip([7].into_iter().chain(latest)) {
        assert_eq!(words(*link), format!("#{number}"));
        let href = link.value().attr("href").expect("a link");
        let id = href.strip_prefix('#').expect("a place on this page");
        assert_eq!(page.all(&format!("[id='{id}']")).len(), 1, "{href}");
    }
    // The validation is open if it explains the outcome.
    assert_eq!(
        page.texts(".record details[open] > summary > h3"),
        ["Validation"]
    );
}

#[test]
fn a_completed_run_says_what_did_not_work_and_folds_its_failures() {
    let site = base_with(|record| {
        record["validation"]["checks"] = json!([
            {"view": "title", "name": "Title", "reached": true, "similarity": 0.5, "detail": null},
            {"view": "end", "name": "End", "reached": false, "similarity": null, "detail": null},
        ]);
    });
    site.publish();
    let page = site.first_page();
    assert_eq!(page.texts(".verdict .bad"), ["1/2 screens"]);
    let why = words(page.one(".why"));
    assert!(
        why.starts_with("What did not work Validation: The screen End did not open."),
        "{why}"
    );
    assert!(page.all(".record details[open]").is_empty());

    let fine = base_with(|record| record["validation"]["checks"] = json!([]));
    let log = messages(2) + &event(3, "error", "\"message\":\"once\"") + "\n";
    fine.write(&format!("{FIRST}/events.jsonl"), log);
    fine.remove(&format!("{FIRST}/events.jsonl.annotations.jsonl"));
    fine.publish();
    let page = fine.first_page();
    assert!(page.all(".why").is_empty());
    assert_eq!(page.texts("#glance details .failures li"), ["#2 once"]);
}

#[test]
fn a_call_and_its_error_are_one_failure_wherever_failures_are_counted() {
    let site = base_with(|record| record["status"]["state"] = json!("failed"));
    let command = |at: u32, line: &str, code: u32| {
        let fields = format!(
            "\"command\":\"{line}\",\"exitCode\":{code},\"isSuccess\":{}",
            code == 0
        );
        event(at, "command", &fields) + "\n"
    };
    let error = |at: u32, says: &str| event(at, "error", &format!("\"message\":\"{says}\"")) + "\n";
    let log = messages(1)
        + &command(1, "npm test", 1)
        + &error(2, "Cannot find module")
        + &error(3, "connection lost")
        + &command(4, "ls", 0)
        + &command(5, "npm run build", 2);
    site.write(&format!("{FIRST}/events.jsonl"), log);
    site.remove(&format!("{FIRST}/events.jsonl.annotations.jsonl"));
    site.publish();
    let page = site.first_page();
    let listed = [
        "#5 npm run build",
        "#3 connection lost",
        "#1 npm test: Cannot find module",
    ];
    assert_eq!(page.texts(".why .failures li"), listed);
    let why = words(page.one(".why"));
    assert!(
        why.contains("3 failures in 6 events, latest first:"),
        "{why}"
    );
    let counted = page.all(".e.fail:not(.uncounted)");
    let ids: Vec<_> = counted
        .iter()
        .filter_map(|it| it.value().attr("id"))
        .collect();
    assert_eq!(ids, ["e-1", "e-3", "e-5"]);
    assert_eq!(page.one(".tape").value().attr("data-failures"), Some("3"));
    // Each event is in one row, and the failures are counted apart.
    let rows = page.texts(".lane .legend li");
    assert_eq!(rows, ["failures 3", "speech 1", "command 3", "error 2"]);
    assert_eq!(page.texts("#timeline small"), ["6 events"]);
    let text = site.text(&format!("public/runs/{FIRST_SLUG}/run.md"));
    assert!(text.contains(&listed.join("\n")), "{text}");
}

#[test]
fn a_long_reason_begins_on_the_first_screen_and_goes_on_where_it_unfolds() {
    let reason = "The verifier could not be started. ".repeat(40);
    let site = base_with(|record| {
        record["status"] = json!({"state": "harness_error", "detail": reason});
        record["validation"]["detail"] = json!("short");
    });
    site.publish();
    let page = site.first_page();
    let shown = page.texts(".why > p");
    assert!(shown[0].len() < 170 && shown[0].ends_with('…'), "{shown:?}");
    assert_eq!(page.texts(".why > details > p"), [reason.trim()]);
    let text = site.text(&format!("public/runs/{FIRST_SLUG}/run.md"));
    assert!(text.contains("The verifier could not be started. The verifier"));
}

/// The words below the strip of a run of 51 events, and its caption.
fn axis(end: &str, state: &str, run_time: u32) -> Vec<String> {
    let site = base_with(|record| {
        record["status"]["state"] = json!(state);
        record["finishedAt"] = json!(end);
        record["metrics"]["runTimeSeconds"] = json!(run_time);
    });
    let log = messages(50) + "{\"type\":\"error\",\"message\":\"too late\"}\n";
    site.write(&format!("{FIRST}/events.jsonl"), log);
    site.remove(&format!("{FIRST}/events.jsonl.annotations.jsonl"));
    site.build();
    let page = site.first_page();
    let mut words = page.texts("figcaption > p");
    words.extend(page.texts("svg.strip > text"));
    words
}

#[test]
fn a_strip_reaches_to_the_end_of_the_run_and_says_how_it_ended() {
    let last =
        |end: &str, state: &str, run_time| axis(end, state, run_time).pop().unwrap_or_default();
    assert_eq!(
        last("2026-03-01T10:15:00Z", "timed_out", 600),
        "timed out 15:00"
    );
    assert_eq!(
        last("2026-03-01T10:00:51Z", "completed", 51),
        "completed 0:51"
    );
    assert_eq!(
        last("2026-03-01T10:02:03.600Z", "completed", 124),
        "completed 2:04"
    );
    // The record has another clock: a run that was stopped lasted as long as it says.
    assert_eq!(
        last("2026-03-01T10:00:01Z", "timed_out", 900),
        "timed out 15:00"
    );
    assert_ne!(
        last("2026-03-01T10:00:01Z", "completed", 900),
        "completed 15:00"
    );
}

#[test]
fn a_run_without_tokens_costs_and_time_says_so_instead_of_an_empty_table() {
    let metrics = |change: fn(&mut Value)| {
        let site = base_with(change);
        site.publish();
        words(site.first_page().one("section[aria-labelledby=metrics]"))
    };
    let none = metrics(|record| {
        record["import"] = json!({"format": "other"});
        record["metrics"] = json!({"tokens": {}, "cost": {}});
    });
    assert!(
        none.contains("Neither tokens nor costs nor the run time were recorded."),
        "{none}"
    );
    assert!(!none.contains("This run") && !none.contains('≥'), "{none}");
    let some = metrics(|record| record["metrics"]["cost"]["actual"] = Value::Null);
    assert!(
        some.contains("This run") && !some.contains("Neither"),
        "{some}"
    );
}

#[test]
fn the_caption_of_a_strip_has_the_time_that_its_axis_has() {
    let caption = |end: &str, state: &str, run_time| axis(end, state, run_time).swap_remove(0);
    assert_eq!(
        caption("2026-03-01T10:15:00Z", "timed_out", 900),
        "51 events, over 15 min, the last event after 49 s, no failure, 1 long gap cut short."
    );
    assert_eq!(
        caption("2026-03-01T10:00:51Z", "completed", 51),
        "51 events, over 51 s, no failure."
    );
    // The axis ends with the last event: the record has another clock.
    assert_eq!(
        caption("2026-03-01T10:00:01Z", "completed", 900),
        "51 events, over 49 s, no failure; the run took 15 min."
    );
}

#[test]
fn a_case_says_for_each_model_how_often_it_completed_and_at_what_median_cost() {
    let site = TestSite::bare();
    let runs = [
        ("a1", "sample/zebra", "completed", Some(1.0)),
        ("a2", "sample/ant", "failed", Some(9.0)),
        ("a3", "sample/ant", "completed", Some(0.5)),
        ("a4", "sample/ant", "completed", Some(0.2)),
        ("a5", "sample/ant", "timed_out", None),
    ];
    for (day, (id, model, state, cost)) in (1..).zip(runs) {
        let id = format!("{id}000000-0000-4000-8000-000000000000");
        let finished = format!("2026-03-0{day}T10:10:00Z");
        let run = Run::new(&id)
            .model(model)
            .state(state)
            .at(&format!("2026-03-0{day}T10:00:00Z"), &finished);
        add(&site, &id, &run, |record| {
            record["metrics"]["cost"]["comparable"] = json!(cost);
        });
    }
    site.publish();
    let page = site.page("cases/pong/index.html");
    assert_eq!(
        page.texts(".reliability tbody th"),
        ["sample/ant", "sample/zebra"]
    );
    assert_eq!(
        page.texts(".reliability tbody .num"),
        ["2 of 4", "$0.35 n = 2", "1 of 1", "$1.00 n = 1"]
    );
    let glyphs = page.all(".reliability tbody tr:first-child .glyphs a");
    let titles: Vec<_> = glyphs
        .iter()
        .filter_map(|glyph| glyph.value().attr("title"))
        .collect();
    assert_eq!(
        titles,
        [
            "failed, 2026-03-02",
            "completed, 2026-03-03",
            "completed, 2026-03-04",
            "timed out, 2026-03-05"
        ]
    );
    // A run without a known cost has no mark.
    let row = page.all(".reliability tbody tr")[0];
    let marks = crate::support::below(row, ".dots circle").len();
    let crosses = crate::support::below(row, ".dots path").len();
    assert_eq!((marks, crosses), (2, 1));
}

#[test]
fn a_single_run_has_no_row_of_models() {
    let site = TestSite::base();
    site.publish();
    assert!(
        site.page("cases/pong/index.html")
            .all(".reliability")
            .is_empty()
    );
}

#[test]
fn many_runs_of_a_model_have_few_signs_and_every_cost_but_no_more_than_a_mark_at_a_place() {
    let site = TestSite::bare();
    for number in 0..60 {
        let id = format!("{number:08x}-0000-4000-8000-000000000000");
        let finished = format!("2026-03-01T10:{number:02}:00Z");
        let run = Run::new(&id)
            .state(if number == 0 { "failed" } else { "completed" })
            .at("2026-03-01T09:00:00Z", &finished);
        add(&site, &id, &run, |record| {
            record["metrics"]["cost"]["comparable"] = json!(if number < 30 { 0.5 } else { 2.0 });
        });
    }
    site.publish();
    let page = site.page("cases/pong/index.html");
    assert_eq!(page.texts(".reliability .glyphs small"), ["+20"]);
    assert_eq!(page.all(".reliability .glyphs a").len(), 40);
    assert_eq!(page.all(".reliability .dots circle").len(), 2);
    assert_eq!(page.all(".reliability .dots path").len(), 1);
    assert!(page.all(".reliability .dots a").is_empty());
}
