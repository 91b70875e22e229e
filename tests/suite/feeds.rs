//! Feeds for programs: the verbatim record, files byte for byte, and consistent lists.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use runpress::api::site::Overrides;

use crate::support::{
    FIRST_ID, FIRST_SLUG, HEADER, Run, SIDECAR, TestSite, annotation, contains, described, each,
    entries, first, parse, raw, sidecar, sleeps,
};

#[test]
fn run_json_holds_the_record_verbatim_to_the_byte() {
    let record = concat!(
        "{\"zeta\":1e-3,\t\"id\" : \"4f1c2d3e-1\",\n   \"startedAt\":\"2026-03-01T10:00:00Z\",\"finishedAt\":\"2026-03-01T10:10:00.500+00:00\",\r\n",
        " \"subject\":{\"testCaseSlug\":\"pong\",\"testCaseVersion\":\"v1\",\"harnessSlug\":\"codex\",\"harnessVersion\":null,\"modelId\":\"m\\u00e9\\/x\",\"variant\":\"base\"},\n",
        " \"metrics\":{\"runTimeSeconds\":6.120E2,\"tokens\":{\"output\":12.0,\"uncachedInput\":18446744073709551615},\"cost\":{\"comparable\":0.10,\"actual\":1e-3}},\n",
        " \"alpha\":{\"b\":[1.50,-0,123456789012345678901234567890],\"a\":\"\\ud83d\\ude80 \u{e9}\"},\n",
        " \"validation\":{\"loaded\":true,\"checks\":[{\"view\":\"t\",\"reached\":true,\"similarity\":0.9700}]},\"status\":{\"state\":\"completed\"}}"
    );
    for (what, before, after) in [
        ("as it is", "", "\n"),
        ("with a byte order mark", "\u{feff}", ""),
        ("between blank lines", "\n\n ", " \r\n"),
    ] {
        let site = TestSite::empty();
        site.write(
            "content/r/run-record.json",
            format!("{before}{record}{after}"),
        );
        site.publish();
        let card = site.text("public/feeds/runs.json");
        let slug = serde_json::from_str::<Value>(&card).expect("JSON")["runs"][0]["slug"]
            .as_str()
            .expect("a slug")
            .to_owned();
        let document = site.text(&format!("public/runs/{slug}/run.json"));
        assert_eq!(raw(&document, "/record"), record, "{what}");
        for (pointer, expected) in [
            ("/runs/0/metrics/runTimeSeconds", "6.120E2"),
            ("/runs/0/metrics/tokens/output", "12.0"),
            (
                "/runs/0/metrics/tokens/uncachedInput",
                "18446744073709551615",
            ),
            ("/runs/0/metrics/tokens/reasoning", "null"),
            ("/runs/0/metrics/cost/comparable", "0.10"),
            ("/runs/0/metrics/cost/actual", "1e-3"),
            ("/runs/0/checks/0/similarity", "0.9700"),
            ("/runs/0/finishedAt", "\"2026-03-01T10:10:00.500+00:00\""),
        ] {
            assert_eq!(raw(&card, pointer), expected, "{what}: {pointer}");
        }
    }
}

#[test]
fn an_annotation_is_copied_as_written() {
    let written = r#"{ "event_id":2,"kind" : "note","type":"annotation","newer":{"z":1.10,"a":2},"id":"x","links":[] ,"metadata":{"n":1e2}}"#;
    let site = TestSite::base();
    site.annotate(&[written]).publish();
    let document = site.first_document();
    for (key, expected) in [
        ("event_id", "2"),
        ("newer", r#"{"z":1.10,"a":2}"#),
        ("metadata", r#"{"n":1e2}"#),
        ("links", "[]"),
        ("tape", "\"events.jsonl\""),
    ] {
        assert_eq!(
            raw(&document, &format!("/annotations/0/{key}")),
            expected,
            "{key}"
        );
    }
    assert_eq!(raw(&document, "/tapes/0/sidecar/header"), HEADER);
}

#[test]
fn run_json_has_the_shape_that_is_promised() {
    let site = TestSite::base();
    site.publish();
    let document = site.first_run();
    for key in "schemaVersion slug url record review tapes annotations threads transcript files diagnostics".split(' ') {
        assert!(document.get(key).is_some(), "{key} is missing: {document}");
    }
    assert_eq!(document["slug"], FIRST_SLUG);
    let url = format!("https://runs.example.org/runs/{FIRST_SLUG}/");
    assert_eq!(document["url"], url);
    let review = &document["review"];
    assert_eq!(review["rating"], "great");
    assert_eq!(review["markdown"], "It plays well.");
    assert_eq!(
        review["html"].as_str().map(str::trim),
        Some("<p>It plays well.</p>")
    );
    assert_eq!(document["tapes"][0]["events"], 4);
    let files = ["events.jsonl", SIDECAR, "run-record.json", "writeup.md"];
    assert_eq!(each(&document["files"], "path"), files);
    for (file, name) in entries(&document["files"]).iter().zip(files) {
        let bytes = site.bytes(&first(name));
        assert_eq!(file["bytes"], bytes.len());
        assert_eq!(file["blake3"], blake3::hash(&bytes).to_hex().as_str());
    }
}

#[test]
fn event_logs_and_sidecars_are_published_byte_for_byte() {
    let site = TestSite::base();
    let odd = "\u{feff}{\"timestamp\":\"2026-03-01T10:00:00Z\",\"type\":\"agent\",\"message\":\"a\"}\r\n\r\n{\"half";
    site.write_first("events.jsonl", odd)
        .write_first(SIDECAR, format!("# by hand\r\n{HEADER}\n\n"))
        .publish();
    for name in ["events.jsonl", SIDECAR] {
        assert_eq!(site.first_text(name), site.text(&first(name)), "{name}");
    }
}

#[test]
fn events_can_be_kept_from_being_downloaded_while_the_page_shows_them() {
    let site = TestSite::base();
    site.write("site.toml", "[policy]\npublish_events = false\n")
        .publish();
    let mut names = site.published();
    names.retain(|path, _| path.contains("jsonl") && path.starts_with("runs/"));
    assert_eq!(names.len(), 0);
    let page = site.first_page();
    assert_eq!(page.all("ol.tape > li.e").len(), 4);
    assert_eq!(page.beside("Downloads"), ["run.json"]);
    assert_eq!(crate::crawl::problems(&site.published()), [""; 0]);
}

/// Runs of several kinds with something to report.
pub(crate) fn several() -> TestSite {
    let site = TestSite::base();
    let add = |folder: &str, id: &str, end: &str| {
        site.run(folder, &Run::new(id).at("2026-03-01T00:00:00Z", end));
    };
    for n in 0..5 {
        let end = format!("2026-03-0{}T00:00:00Z", n + 2);
        add(&format!("r{n}"), &format!("0000000{n}-1"), &end);
    }
    add("r9", "00000001-2", "2026-03-01T12:00:00Z");
    site.write("content/runs/r1/events.jsonl", "{\"half\n");
    site.write("content/runs/r2/writeup.md", "No rating.\n");
    site
}

#[test]
fn the_two_lists_of_runs_hold_the_same_cards_newest_first() {
    let site = several();
    site.publish();
    let runs = site.json("feeds/runs.json");
    assert_eq!(entries(&runs["runs"]), site.json_lines("feeds/runs.jsonl"));
    let ends: Vec<_> = each(&runs["runs"], "finishedAt")
        .iter()
        .map(|end| end.as_str())
        .collect();
    assert_eq!(ends.len(), 7);
    assert!(ends.is_sorted_by(|one, next| one >= next), "{ends:?}");
    let first = entries(&runs["runs"])
        .iter()
        .find(|run| run["slug"] == FIRST_SLUG);
    let first = first.expect("the base run");
    assert_eq!(
        first["annotations"],
        json!({"count": 1, "kinds": {"note": 1}})
    );
    assert_eq!(first["events"], 4);
    assert_eq!(first["rating"], "great");
    assert_eq!(first["threads"], Value::Null);
}

#[test]
fn the_index_lists_every_feed_with_its_size_and_digest() {
    let site = several();
    site.publish();
    let index = site.json("feeds/index.json");
    assert_eq!([&index["schemaVersion"], &index["runs"]], [1, 7]);
    let mut files = site.published();
    files.retain(|path, _| {
        path.starts_with("feeds/") && !path.ends_with(".html") && path != "feeds/index.json"
    });
    for feed in entries(&index["feeds"]) {
        let path = feed["path"].as_str().expect("a path");
        let bytes = files.remove(path).unwrap_or_else(|| panic!("{path}"));
        assert_eq!(feed["bytes"], bytes.len(), "{path}");
        assert_eq!(
            feed["blake3"],
            blake3::hash(&bytes).to_hex().as_str(),
            "{path}"
        );
    }
    assert!(
        files.is_empty(),
        "every file in feeds/ is listed: {:?}",
        files.keys()
    );
}

#[test]
fn the_published_diagnostics_are_the_json_report_of_check_and_of_build() {
    let site = several();
    for command in ["check", "build"] {
        site.runpress(&format!("{command} --report json={command}.json"))
            .ok();
    }
    let published = site.text("public/feeds/diagnostics.json");
    assert_eq!(site.text("check.json"), published);
    assert_eq!(site.text("build.json"), published);
    let report = parse(&published);
    assert_eq!(
        report["summary"],
        json!({"errors": 0, "warnings": 2, "notes": 1, "runs": 7, "quarantined": 0, "withheld": 0})
    );
    let problems = &report["diagnostics"];
    let codes = [
        "events.unparsable-line",
        "review.unknown-rating",
        "archive.slug-collision",
    ];
    assert_eq!(each(problems, "code"), codes);
    assert_eq!(
        each(problems, "run"),
        ["00000001-1", "00000002-1", "00000001-2"]
    );
    assert_eq!(problems[0]["severity"], "warning");
    assert_eq!(problems[0]["path"], "content/runs/r1/events.jsonl");
    assert_eq!(problems[0]["line"], 1);
    for key in ["column", "pointer", "message", "help"] {
        assert!(problems[0].get(key).is_some(), "{key}");
    }
}

#[test]
fn check_and_build_notice_the_same() {
    for (path, text) in [
        (first(SIDECAR), "{"),
        (first("run-record.json"), "{\"id\": 1}"),
        (
            "content/pages/x.md".to_owned(),
            "+++\ntitel = 1\n+++\n[a](javascript:x)",
        ),
        (first("writeup.md"), "---\nrating: epic\nreview.a: b\n"),
    ] {
        let site = TestSite::base();
        site.write(&path, text);
        for keep_going in [false, true] {
            let overrides = Overrides {
                keep_going,
                ..Overrides::default()
            };
            let checked = described(&site.check_with(&overrides));
            assert!(!checked.is_empty(), "{path}");
            let built = described(&site.build_with(&overrides));
            assert_eq!(checked, built, "{path}, keep_going {keep_going}");
        }
    }
}

#[test]
fn the_json_feed_has_what_json_feed_1_1_asks_for() {
    let site = several();
    site.settings("title = \"Runs\"\nauthor = \"An Author\"\n[feeds]\nitems = 3")
        .publish();
    let feed = site.json("feeds/feed.json");
    for (key, value) in [
        ("version", "https://jsonfeed.org/version/1.1"),
        ("title", "Runs"),
        ("home_page_url", "https://runs.example.org/"),
        ("feed_url", "https://runs.example.org/feeds/feed.json"),
    ] {
        assert_eq!(feed[key], value, "{key}");
    }
    assert_eq!(feed["authors"], json!([{"name": "An Author"}]));
    let items = entries(&feed["items"]);
    assert_eq!(items.len(), 3);
    for item in items {
        let text = |key: &str| item[key].as_str().unwrap_or_default();
        assert!(
            text("url").starts_with("https://runs.example.org/runs/"),
            "{item}"
        );
        assert!(text("date_published").ends_with('Z'), "{item}");
        assert!(
            item["content_html"].is_string() || item["content_text"].is_string(),
            "{item}"
        );
    }
    let ids: BTreeSet<_> = items
        .iter()
        .map(|item| item["id"].as_str().expect("an id"))
        .collect();
    assert_eq!(ids.len(), 3);
    site.write("site.toml", "").publish();
    let feed = site.json("feeds/feed.json");
    let items = entries(&feed["items"]);
    assert_eq!(items.len(), 7);
    let reviewed = items
        .iter()
        .find(|item| item["id"] == FIRST_ID)
        .expect("the base run");
    contains(
        reviewed["content_html"].as_str().expect("HTML"),
        "It plays well.",
    );
    // Without an address there is none to give.
    assert!(feed.get("home_page_url").is_none() && reviewed.get("url").is_none());
}

#[test]
fn the_annotation_feed_names_the_tape_of_every_annotation() {
    let site = TestSite::base();
    let note = sidecar(&[annotation("b", 7, "note", "")]);
    site.write_first("run.tape", sleeps([7]))
        .write_first("run.tape.annotations.jsonl", note)
        .publish();
    let document = site.first_run();
    assert_eq!(
        each(&document["annotations"], "tape"),
        ["events.jsonl", "run.tape"]
    );
    let compact = r#"{"seq":7,"phase":"user_script","virtual_time_ms":7,"monotonic_ms":7,"kind":{"kind":"clock_sleep","duration_ms":1}}"#;
    let digest = blake3::hash(compact.as_bytes()).to_hex();
    let target = json!({"seq": 7, "kind": "clock_sleep", "digest": digest.as_str()});
    assert_eq!(document["annotations"][1]["target"], target);
}

#[test]
fn run_json_tells_what_was_noticed_in_the_record_too() {
    let site = TestSite::base();
    site.edit_first(|record| record["toolCalls"] = json!(3))
        .write_first("raw.jsonl", "{}\n")
        .publish();
    let found = site.first_run();
    assert_eq!(
        each(&found["diagnostics"], "code"),
        ["raw.missing-field", "record.wrong-type"]
    );
}
