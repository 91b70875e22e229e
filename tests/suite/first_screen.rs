//! The first screen of a run: how it ended, and why. Also the models of a case: how often they complete it.

use serde_json::{Value, json};

use crate::support::{Run, TestSite, below, contains, event, lacks, lines, messages, words};

/// The verdict of the first run.
fn verdict(site: &TestSite) -> Vec<String> {
    site.first_page().texts(".verdict li")
}

fn base_with(change: impl FnOnce(&mut Value)) -> TestSite {
    let site = TestSite::base();
    site.edit_first(change);
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
    let facts = "completed · 3/5 tests · scored incorrect (I) by match · great · $0.37 comparable · 1 h 51 min";
    assert_eq!(verdict(&site).join(" · "), facts);
    let bad = ["3/5 tests", "scored incorrect (I) by match"];
    assert_eq!(page.texts(".verdict .bad"), bad);
    let runs = site.json("feeds/runs.json");
    assert_eq!(runs["runs"][0]["verdict"], facts);
    assert_eq!(runs["runs"][0]["task"], "pong");
    let list = site.page("runs/index.html");
    assert_eq!(list.texts("tr[data-run] th a"), ["pong · base"]);
    let cells = list.texts("tr[data-run] td");
    assert!(cells.contains(&bad.join(", ")), "{cells:?}");
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
    let case = "+++\ntitle = \"Two paddles\"\n+++\nA game.\n";
    site.write("content/cases/pong.md", case).publish();
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
    let message = json!({"type": "message", "role": "user", "text": message}).to_string();
    site.unannotated()
        .remove_first("events.jsonl")
        .remove_first("writeup.md");
    let trace = lines(&[r#"{"type":"trace","schemaVersion":1}"#, &message]);
    site.write_first("run.trace.jsonl", trace).publish();
    let page = site.first_page();
    let task = "Make the parser faster, please. It takes ten seconds.";
    assert_eq!(page.texts("h1"), [task]);
    assert_eq!(verdict(&site), ["no outcome recorded"]);
    assert!(page.all("#validation, .why, .excerpt").is_empty());
    let list = site.page("runs/index.html");
    assert_eq!(list.texts("tr[data-run] th a"), [task]);
}

#[test]
fn the_last_message_of_an_agent_may_be_an_argument_of_the_call_with_which_it_finishes() {
    for (calls, last) in [
        (
            &[("finish", r#"{"message":"The test *passes* now."}"#)][..],
            "The test passes now. #2",
        ),
        (&[("submit", r#"{"answer":"42"}"#)], "42 #2"),
        // These calls have no message.
        (&[("submit", "{}")], "I begin. #1"),
        (&[("note", r#"{"message":"Halfway."}"#)], "I begin. #1"),
        (
            &[
                ("finish", r#"{"message":"Done."}"#),
                ("finish", r#"{"message":"Now it is."}"#),
            ],
            "Now it is. #3",
        ),
    ] {
        let site = base_with(|record| {
            record["import"] = json!({"format": "other"});
            record["status"] = json!({"state": "unknown"});
            record
                .as_object_mut()
                .expect("an object")
                .remove("validation");
        });
        site.unannotated()
            .remove_first("events.jsonl")
            .remove_first("writeup.md");
        let mut trace = vec![
            r#"{"type":"trace","schemaVersion":1}"#.to_owned(),
            r#"{"seq":0,"type":"message","role":"user","text":"Fix it."}"#.to_owned(),
            r#"{"seq":1,"type":"message","role":"assistant","text":"I begin."}"#.to_owned(),
        ];
        for (at, (name, arguments)) in calls.iter().enumerate() {
            let seq = 2 + at;
            trace.push(format!(
                r#"{{"seq":{seq},"type":"tool_call","name":"{name}","call":"c{seq}","arguments":{arguments}}}"#
            ));
        }
        site.write_first("run.trace.jsonl", lines(&trace)).publish();
        let excerpt = words(site.first_page().one(".excerpt"));
        assert_eq!(excerpt, format!("The agent’s last message: {last}"));
    }
}

fn error(at: u32, says: &str) -> String {
    event(at, "error", &format!("\"message\":\"{says}\"")) + "\n"
}

#[test]
fn a_run_that_did_not_complete_says_why_with_every_failure_as_a_link() {
    let site = base_with(|record| {
        record["status"] = json!({"state": "failed", "detail": "The session ended <early>."});
        record["validation"]["loaded"] = json!(false);
        record["validation"]["detail"] = json!("ReferenceError: process");
    });
    // One of them is in the words of the validation.
    let failed = |at: u32| match at {
        8 => error(at, "ReferenceError: process"),
        _ => error(at, &format!("failure {at}")),
    };
    site.log(messages(4) + &(5..20).map(failed).collect::<String>())
        .publish();
    let page = site.first_page();
    let why = words(page.one(".why"));
    assert!(
        why.starts_with("Why it ended The session ended <early>."),
        "{why}"
    );
    contains(&why, "Validation: ReferenceError: process");
    contains(
        &why,
        "15 failures in 19 events, the one named above first, then the latest:",
    );
    let links = page.all(".why .failures a");
    assert_eq!(links.len(), 15);
    let latest = (4..19).rev().filter(|number| *number != 7);
    for (link, number) in links.iter().zip([7].into_iter().chain(latest)) {
        assert_eq!(words(*link), format!("#{number}"));
        let href = link.value().attr("href").expect("a link");
        let id = href.strip_prefix('#').expect("a place on this page");
        assert_eq!(page.all(&format!("[id='{id}']")).len(), 1, "{href}");
    }
    // The validation is open if it explains the outcome.
    let open = page.texts(".record details[open] > summary > h3");
    assert_eq!(open, ["Validation"]);
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
    let start = "What did not work Validation: The screen End did not open.";
    assert!(why.starts_with(start), "{why}");
    assert!(page.all(".record details[open]").is_empty());

    let fine = base_with(|record| record["validation"]["checks"] = json!([]));
    fine.log(messages(2) + &error(3, "once")).publish();
    let page = fine.first_page();
    assert!(page.all(".why").is_empty());
    assert_eq!(page.texts("#glance details .failures li"), ["#2 once"]);
}

#[test]
fn a_call_and_its_error_are_one_failure_wherever_failures_are_counted() {
    let site = base_with(|record| record["status"]["state"] = json!("failed"));
    let command = |at: u32, line: &str, code: u32| {
        let ok = code == 0;
        let fields = format!("\"command\":\"{line}\",\"exitCode\":{code},\"isSuccess\":{ok}");
        event(at, "command", &fields) + "\n"
    };
    let log = messages(1)
        + &command(1, "npm test", 1)
        + &error(2, "Cannot find module")
        + &error(3, "connection lost")
        + &command(4, "ls", 0)
        + &command(5, "npm run build", 2);
    site.log(log).publish();
    let page = site.first_page();
    let listed = [
        "#5 npm run build",
        "#3 connection lost",
        "#1 npm test: Cannot find module",
    ];
    assert_eq!(page.texts(".why .failures li"), listed);
    contains(
        &words(page.one(".why")),
        "3 failures in 6 events, latest first:",
    );
    assert_eq!(
        page.attrs(".e.fail:not(.uncounted)", "id"),
        ["e-1", "e-3", "e-5"]
    );
    assert_eq!(page.attrs(".tape", "data-failures"), ["3"]);
    // Each event is in one row, and the failures are counted apart.
    let rows = page.texts(".lane .legend li");
    assert_eq!(rows, ["failures 3", "speech 1", "command 3", "error 2"]);
    assert_eq!(page.texts("#timeline small"), ["6 events"]);
    contains(&site.first_text("run.md"), listed.join("\n"));
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
    contains(
        &site.first_text("run.md"),
        "The verifier could not be started. The verifier",
    );
}

/// The words below the strip of a run of 51 events, the last of them without a time: its caption and its last label.
fn axis(end: &str, state: &str, run_time: u32) -> [String; 2] {
    let site = base_with(|record| {
        record["status"]["state"] = json!(state);
        record["finishedAt"] = json!(end);
        record["metrics"]["runTimeSeconds"] = json!(run_time);
    });
    site.log(messages(50) + "{\"type\":\"error\",\"message\":\"too late\"}\n")
        .build();
    let page = site.first_page();
    let label = page.texts("svg.strip > text").pop();
    [
        page.texts("figcaption > p").swap_remove(0),
        label.expect("a label"),
    ]
}

#[test]
fn a_strip_and_its_caption_reach_to_the_end_of_the_run_and_say_how_it_ended() {
    for (end, state, run_time, label) in [
        ("2026-03-01T10:15:00Z", "timed_out", 600, "timed out 15:00"),
        ("2026-03-01T10:00:51Z", "completed", 51, "completed 0:51"),
        (
            "2026-03-01T10:02:03.600Z",
            "completed",
            124,
            "completed 2:04",
        ),
        // The record has another clock: a run that was stopped lasted as long as it says.
        ("2026-03-01T10:00:01Z", "timed_out", 900, "timed out 15:00"),
    ] {
        assert_eq!(axis(end, state, run_time)[1], label);
    }
    let timed_out = axis("2026-03-01T10:15:00Z", "timed_out", 900);
    let caption =
        "51 events, over 15 min, the last event after 49 s, no failure, 1 long gap cut short.";
    assert_eq!(timed_out[0], caption);
    let completed = axis("2026-03-01T10:00:51Z", "completed", 51);
    assert_eq!(completed[0], "51 events, over 51 s, no failure.");
    // The axis ends with the last event: the record has another clock.
    let [caption, label] = axis("2026-03-01T10:00:01Z", "completed", 900);
    assert_eq!(
        caption,
        "51 events, over 49 s, no failure; the run took 15 min."
    );
    assert_ne!(label, "completed 15:00");
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
    contains(
        &none,
        "Neither tokens nor costs nor the run time were recorded.",
    );
    lacks(&none, "This run");
    lacks(&none, "≥");
    let some = metrics(|record| record["metrics"]["cost"]["actual"] = Value::Null);
    contains(&some, "This run");
    lacks(&some, "Neither");
}

#[test]
fn a_case_says_for_each_model_how_often_it_completed_and_at_what_median_cost() {
    let site = TestSite::bare();
    for (day, model, state, cost) in [
        (1, "sample/zebra", "completed", Some(1.0)),
        (2, "sample/ant", "failed", Some(9.0)),
        (3, "sample/ant", "completed", Some(0.5)),
        (4, "sample/ant", "completed", Some(0.2)),
        (5, "sample/ant", "timed_out", None),
    ] {
        let id = format!("a{day}000000-0000-4000-8000-000000000000");
        let [start, end] = ["00", "10"].map(|minute| format!("2026-03-0{day}T10:{minute}:00Z"));
        let run = Run::new(&id).model(model).state(state).at(&start, &end);
        site.run_with(&id, &run, |record| {
            record["metrics"]["cost"]["comparable"] = json!(cost);
        });
    }
    site.publish();
    let page = site.page("cases/pong/index.html");
    let models = page.texts(".reliability tbody th");
    assert_eq!(models, ["sample/ant", "sample/zebra"]);
    let numbers = page.texts(".reliability tbody .num");
    assert_eq!(numbers, ["2 of 4", "$0.35 n = 2", "1 of 1", "$1.00 n = 1"]);
    let titles = page.attrs(".reliability tbody tr:first-child .glyphs a", "title");
    assert_eq!(
        titles.join("; "),
        "failed, 2026-03-02; completed, 2026-03-03; completed, 2026-03-04; timed out, 2026-03-05"
    );
    // A run without a known cost has no mark.
    let row = page.all(".reliability tbody tr")[0];
    let marks = [".dots circle", ".dots path"].map(|marks| below(row, marks).len());
    assert_eq!(marks, [2, 1]);
}

#[test]
fn a_single_run_has_no_row_of_models() {
    let site = TestSite::base();
    site.publish();
    let page = site.page("cases/pong/index.html");
    assert!(page.all(".reliability").is_empty());
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
        let cost = json!(if number < 30 { 0.5 } else { 2.0 });
        site.run_with(&id, &run, |record| {
            record["metrics"]["cost"]["comparable"] = cost;
        });
    }
    site.publish();
    let page = site.page("cases/pong/index.html");
    assert_eq!(page.texts(".reliability .glyphs small"), ["+20"]);
    for (part, count) in [
        (".glyphs a", 40),
        (".dots circle", 2),
        (".dots path", 1),
        (".dots a", 0),
    ] {
        assert_eq!(
            page.all(&format!(".reliability {part}")).len(),
            count,
            "{part}"
        );
    }
}
