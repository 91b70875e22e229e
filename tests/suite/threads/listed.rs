//! The page and the feed of all review threads, and their counts in lists and feeds.

use serde_json::{Value, json};

use super::{LINE_1, actions, site, thread};
use crate::support::{FIRST_SLUG, TestSite, codes, contains, fixture};

/// A site with an open thread about turn 3, and a later, resolved one about turn 4 with two entries.
fn two_threads() -> TestSite {
    let first = thread("a", "src/main.ts", LINE_1, &["Why <b>?"]);
    let mut second = thread("b", "src/main.ts", Some([[1, 0], [2, 1]]), &["No.", "Yes."]);
    second["resolved"] = json!(true);
    second["turnId"] = json!("turn-4");
    site(&[first, second])
}

#[test]
fn the_page_lists_all_threads_with_the_newest_first() {
    let site = two_threads();
    assert_eq!(codes(&site.publish()), [""; 0]);
    let page = site.page("threads/index.html");
    page.says("2 threads on 1 run, 1 open, 1 resolved, 3 entries");
    assert_eq!(page.texts("ul.glimpses .badge"), ["resolved", "open"]);
    assert_eq!(
        page.texts("ul.glimpses > li > p:first-child"),
        ["No.", "Why <b>?"]
    );
    let first = site.text("public/threads/index.html");
    contains(&first, format!("runs/{FIRST_SLUG}/index.html#thread-2"));
    contains(
        &site.text("public/annotations/index.html"),
        "threads/index.html",
    );
}

#[test]
fn the_feed_has_each_thread_as_written_with_its_run_and_file() {
    let site = two_threads();
    site.publish();
    let lines = site.json_lines("feeds/threads.jsonl");
    let ids: Vec<_> = lines.iter().map(|line| &line["id"]).collect();
    assert_eq!(ids, ["b", "a"]);
    let run = &site.json("feeds/runs.json")["runs"][0];
    assert_eq!(lines[0]["runId"], run["id"]);
    assert_eq!(lines[0]["file"], "src/main.ts");
    assert_eq!(lines[0]["channel"], Value::Null);
    assert_eq!(lines[0]["resolved"], true);
    assert_eq!(lines[1]["turnId"], "turn-3");
    assert_eq!(
        run["threads"],
        json!({ "resource": null, "annotationCount": 2, "entryCount": 3, "openCount": 1, "resolvedCount": 1 })
    );
}

#[test]
fn a_thread_of_an_earlier_turn_says_that_its_lines_are_from_the_final_file() {
    let site = two_threads();
    site.publish();
    let page = site.first_page();
    assert_eq!(page.main().matches("from the final file").count(), 1);
    page.says("turns after turn-3 may have changed them");
}

#[test]
fn a_site_without_threads_has_an_empty_page_of_them() {
    let site = TestSite::base();
    site.publish();
    site.page("threads/index.html")
        .says("No review threads yet");
    assert_eq!(site.text("public/feeds/threads.jsonl"), "");
}

#[test]
fn threads_are_paged_by_a_hundred() {
    let threads: Vec<_> = (0..101)
        .map(|number| thread(&format!("t{number}"), "src/main.ts", None, &["x"]))
        .collect();
    let site = site(&threads);
    site.publish();
    assert_eq!(
        site.page("threads/index.html")
            .all("ul.glimpses > li")
            .len(),
        100
    );
    assert_eq!(
        site.page("threads/page/2/index.html")
            .all("ul.glimpses > li")
            .len(),
        1
    );
}

#[test]
fn an_envelope_in_a_json_rpc_notification_is_read() {
    let site = site(&[]);
    site.remove_first("annotations.json");
    let log = std::fs::read(fixture("cases/jsonrpc-envelope/annotations.actions.jsonl"));
    site.write_first("annotations.actions.jsonl", log.expect("a fixture"));
    site.write_first("implementation/a.ts", "let a;\n");
    assert_eq!(codes(&site.publish()), [""; 0]);
    assert_eq!(site.first_page().texts("div.thread ol.entries > li"), ["x"]);
    let run = site.first_run();
    assert_eq!(run["threads"]["resource"], "ahp-session:/s/annotations");
}

#[test]
fn problems_in_a_json_rpc_batch_name_their_place() {
    let site = site(&[]);
    let message = |params: Value| json!({ "jsonrpc": "2.0", "method": "action", "params": params });
    let wrong = message(json!({ "channel": "s/annotations", "action": { "type": 3 } }));
    let other = json!({ "jsonrpc": "2.0", "id": 1, "error": { "code": -1 } });
    actions(&site, &[json!([other, wrong]), json!([]), json!([1])]);
    let outcome = site.check();
    let found = codes(&outcome);
    assert_eq!(
        found,
        [
            "threads.no-action",
            "threads.wrong-type",
            "threads.wrong-type"
        ]
    );
    let pointer = outcome.diagnostics[1].place.pointer.as_deref();
    assert_eq!(pointer, Some("/1/params/action/type"));
}
