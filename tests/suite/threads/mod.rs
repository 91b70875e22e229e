//! Review threads of the Agent Host Protocol: next to the lines that they are about, and in the feeds.

mod listed;
mod places;
mod replayed;

use serde_json::{Value, json};

use crate::support::{Page, TestSite, codes, lines};

const SOURCE: &str = "const ball = 1;\nlet x = a < b && \"<i>\";\nmove(ball);\ndraw();\nstop();\n";

/// The range of the first line.
const LINE_1: Option<[[u32; 2]; 2]> = Some([[0, 0], [0, 1]]);

/// One thread with entries of plain text; `range` is a pair of zero-based positions.
fn thread(id: &str, resource: &str, range: Option<[[u32; 2]; 2]>, texts: &[&str]) -> Value {
    let numbered = (1..).zip(texts);
    let entries = numbered.map(|(number, text)| plain(&number.to_string(), text));
    let entries: Vec<Value> = entries.collect();
    let mut thread = json!({
        "id": id, "turnId": "turn-3", "resource": resource, "resolved": false, "entries": entries,
    });
    if let Some([[line, character], [end, until]]) = range {
        thread["range"] = json!({
            "start": { "line": line, "character": character },
            "end": { "line": end, "character": until },
        });
    }
    thread
}

fn plain(id: &str, text: &str) -> Value {
    json!({ "id": id, "text": text })
}

/// The base run with these threads and two produced files.
fn site(threads: &[Value]) -> TestSite {
    let site = TestSite::base();
    site.write_first(
        "annotations.json",
        format!("{:#}\n", json!({ "annotations": threads })),
    );
    site.write_first("implementation/src/main.ts", SOURCE);
    site.write_first("implementation/a b.ts", "one\ntwo\n");
    site
}

fn actions(site: &TestSite, actions: &[Value]) {
    let all: Vec<String> = actions.iter().map(Value::to_string).collect();
    site.write_first("annotations.actions.jsonl", lines(&all));
}

/// The lines shown with the threads of a page.
fn shown(page: &Page) -> Vec<String> {
    page.texts("div.thread pre")
}

#[test]
fn run_json_holds_the_threads_as_written_and_the_digests_of_what_they_point_at() {
    let mut written = thread("t", "file:///workspace/src/main.ts", LINE_1, &[]);
    written["entries"] =
        json!([{ "id": "1", "text": { "markdown": "*m*" }, "_meta": { "by": "kim" } }]);
    written["_meta"] = json!({ "surface": "ide", "n": 1.50 });
    let site = site(std::slice::from_ref(&written));
    assert_eq!(codes(&site.publish()), [""; 0]);
    let run = site.first_run();
    assert_eq!(
        run["threads"],
        json!({ "resource": null, "annotationCount": 1, "entryCount": 1, "openCount": 1, "resolvedCount": 0,
            "annotations": [written] })
    );
    let paths: Vec<_> = run["files"]
        .as_array()
        .expect("an array")
        .iter()
        .filter_map(|file| file["path"].as_str())
        .collect();
    assert_eq!(
        paths,
        [
            "annotations.json",
            "events.jsonl",
            "events.jsonl.annotations.jsonl",
            "implementation/src/main.ts",
            "run-record.json",
            "writeup.md"
        ]
    );
    assert_eq!(
        site.json("feeds/runs.json")["runs"][0]["threads"]["entryCount"],
        1
    );
}

#[test]
fn a_run_without_threads_has_no_section_of_them() {
    let without = TestSite::base();
    without.publish();
    assert!(without.first_page().all("#threads").is_empty());
    assert!(without.json("feeds/runs.json")["runs"][0]["threads"].is_null());
    let none = site(&[]);
    assert_eq!(codes(&none.publish()), [""; 0]);
    assert!(none.first_page().all("#threads").is_empty());
    assert_eq!(
        none.json("feeds/runs.json")["runs"][0]["threads"]["annotationCount"],
        0
    );
}

#[test]
fn an_invalid_place_or_number_is_reported_and_never_treated_as_missing() {
    let thread = |line: &str| {
        format!(
            "{{\"id\":\"a\",\"turnId\":\"t\",\"resource\":\"a.ts\",\"resolved\":false,\"range\":{{\"start\":{{\"line\":{line},\"character\":0}},\"end\":{{\"line\":9,\"character\":0}}}},\"entries\":[{{\"id\":\"1\",\"text\":\"x\"}}]}}"
        )
    };
    let state = |line: &str, from: &str| {
        format!(
            "{{\"resource\":\"s/annotations\",\"fromSeq\":{from},\"state\":{{\"annotations\":[{}]}}}}",
            thread(line)
        )
    };
    for (text, code) in [
        (state("-1", "1"), "threads.wrong-type"),
        (state("1.5", "1"), "threads.wrong-type"),
        (state("-1", "-1"), "threads.wrong-type"),
        (state("1.0", "2e0"), "threads.missing-resource"),
    ] {
        let site = TestSite::base();
        site.write_first("annotations.json", &text);
        let mut found = codes(&site.check());
        found.dedup();
        assert_eq!(found, [code], "{text}");
    }
}

#[test]
fn two_entries_of_one_id_are_an_error_at_the_second() {
    let site = TestSite::base();
    site.write_first("annotations.json", r#"{"annotations":[{"id":"t","turnId":"u","resource":"file:///workspace/a.js","resolved":false,
"entries":[{"id":"e","text":"one"},{"id":"e","text":"two"}]}]}"#,
    );
    site.write_first("implementation/a.js", "let a;\n");
    assert_eq!(codes(&site.check()), ["threads.duplicate-id"]);
}

#[test]
fn of_equal_keys_of_a_thread_the_last_one_is_published() {
    let site = TestSite::base();
    site.write(
        "content/runs/first/annotations.json",
        r#"{"annotations":[{"id":"t","turnId":"1","resource":"a.ts","resolved":false,"zz":1,"zz":2,"entries":[{"id":"e","text":"x"}]}]}"#,
    );
    site.publish();
    let run = site.first_text("run.json");
    let thread = &run[run.find("\"threads\"").expect("threads")..];
    assert_eq!(thread.matches("\"zz\"").count(), 1, "{thread}");
    assert!(thread.contains("\"zz\":2"), "{thread}");
}
