//! Feeds for programs: the verbatim record, files byte for byte, and consistent lists.

use serde_json::{Value, json};

use runpress::api::site::Overrides;

use crate::support::{
    FIRST, FIRST_SLUG, HEADER, Run, TestSite, annotation, fixture_text, lines, raw,
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
    site.write(
        &format!("{FIRST}/events.jsonl.annotations.jsonl"),
        lines(&[HEADER, written]),
    );
    site.publish();
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
    let document: Value = serde_json::from_str(&site.first_document()).expect("JSON");
    let keys: Vec<_> = document
        .as_object()
        .expect("an object")
        .keys()
        .map(String::as_str)
        .collect();
    for key in [
        "schemaVersion",
        "slug",
        "url",
        "record",
        "review",
        "tapes",
        "annotations",
        "threads",
        "transcript",
        "files",
        "diagnostics",
    ] {
        assert!(keys.contains(&key), "{key} is missing: {keys:?}");
    }
    assert_eq!(document["slug"], FIRST_SLUG);
    assert_eq!(
        document["url"],
        format!("https://runs.example.org/runs/{FIRST_SLUG}/")
    );
    assert_eq!(document["review"]["rating"], "great");
    assert_eq!(document["review"]["markdown"], "It plays well.");
    assert_eq!(
        document["review"]["html"].as_str().map(str::trim),
        Some("<p>It plays well.</p>")
    );
    assert_eq!(document["tapes"][0]["events"], 4);
    let files: Vec<_> = document["files"]
        .as_array()
        .expect("files")
        .iter()
        .map(|file| file["path"].as_str().unwrap_or_default())
        .collect();
    assert_eq!(
        files,
        [
            "events.jsonl",
            "events.jsonl.annotations.jsonl",
            "run-record.json",
            "writeup.md"
        ]
    );
    for file in document["files"].as_array().expect("files") {
        let bytes = site.bytes(&format!(
            "{FIRST}/{}",
            file["path"].as_str().expect("a path")
        ));
        assert_eq!(
            (file["bytes"].as_u64(), file["blake3"].as_str()),
            (
                Some(bytes.len() as u64),
                Some(blake3::hash(&bytes).to_hex().as_str())
            )
        );
    }
}

#[test]
fn event_logs_and_sidecars_are_published_byte_for_byte() {
    let site = TestSite::base();
    let odd = "\u{feff}{\"timestamp\":\"2026-03-01T10:00:00Z\",\"type\":\"agent\",\"message\":\"a\"}\r\n\r\n{\"half";
    site.write(&format!("{FIRST}/events.jsonl"), odd);
    site.write(
        &format!("{FIRST}/events.jsonl.annotations.jsonl"),
        format!("# by hand\r\n{HEADER}\n\n"),
    );
    site.publish();
    for name in ["events.jsonl", "events.jsonl.annotations.jsonl"] {
        assert_eq!(
            site.bytes(&format!("public/runs/{FIRST_SLUG}/{name}")),
            site.bytes(&format!("{FIRST}/{name}")),
            "{name}"
        );
    }
}

#[test]
fn events_can_be_kept_from_being_downloaded_while_the_page_shows_them() {
    let site = TestSite::base();
    site.write("site.toml", "[policy]\npublish_events = false\n");
    site.publish();
    let names: Vec<_> = site
        .published()
        .into_keys()
        .filter(|path| path.contains("jsonl") && path.starts_with("runs/"))
        .collect();
    assert_eq!(names, [""; 0]);
    let page = site.first_page();
    assert_eq!(page.all("ol.tape > li.e").len(), 4);
    assert_eq!(page.beside("Downloads"), ["run.json"]);
    assert_eq!(crate::crawl::problems(&site.published()), [""; 0]);
}

/// Runs of several kinds with something to report.
pub(crate) fn several() -> TestSite {
    let site = TestSite::base();
    for n in 0..5 {
        site.run(
            &format!("r{n}"),
            &Run::new(&format!("0000000{n}-1")).at(
                "2026-03-01T00:00:00Z",
                &format!("2026-03-0{}T00:00:00Z", n + 2),
            ),
        );
    }
    site.write("content/runs/r1/events.jsonl", "{\"half\n");
    site.write("content/runs/r2/writeup.md", "No rating.\n");
    site.run(
        "r9",
        &Run::new("00000001-2").at("2026-03-01T00:00:00Z", "2026-03-01T12:00:00Z"),
    );
    site
}

#[test]
fn the_two_lists_of_runs_hold_the_same_cards_newest_first() {
    let site = several();
    site.publish();
    let runs = site.json("feeds/runs.json");
    let lines: Vec<Value> = site
        .text("public/feeds/runs.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(runs["runs"], Value::Array(lines));
    let ends: Vec<_> = runs["runs"]
        .as_array()
        .expect("runs")
        .iter()
        .map(|run| run["finishedAt"].as_str().unwrap_or_default().to_owned())
        .collect();
    assert_eq!(ends.len(), 7);
    assert!(ends.windows(2).all(|pair| pair[0] >= pair[1]), "{ends:?}");
    let first = runs["runs"]
        .as_array()
        .expect("runs")
        .iter()
        .find(|run| run["slug"] == FIRST_SLUG)
        .expect("the base run")
        .clone();
    assert_eq!(
        first["annotations"],
        json!({"count": 1, "kinds": {"note": 1}})
    );
    assert_eq!(
        (&first["events"], &first["rating"], &first["threads"]),
        (&json!(4), &json!("great"), &Value::Null)
    );
}

#[test]
fn the_index_lists_every_feed_with_its_size_and_digest() {
    let site = several();
    site.publish();
    let index = site.json("feeds/index.json");
    assert_eq!(
        (&index["schemaVersion"], &index["runs"]),
        (&json!(1), &json!(7))
    );
    let listed: Vec<String> = index["feeds"]
        .as_array()
        .expect("feeds")
        .iter()
        .map(|feed| feed["path"].as_str().expect("a path").to_owned())
        .collect();
    let mut there: Vec<String> = site
        .published()
        .into_keys()
        .filter(|path| {
            path.starts_with("feeds/") && !path.ends_with(".html") && path != "feeds/index.json"
        })
        .collect();
    let mut sorted = listed.clone();
    sorted.sort();
    there.sort();
    assert_eq!(sorted, there, "every file in feeds/ is listed");
    for feed in index["feeds"].as_array().expect("feeds") {
        let bytes = site.bytes(&format!(
            "public/{}",
            feed["path"].as_str().expect("a path")
        ));
        assert_eq!(feed["bytes"], bytes.len() as u64, "{}", feed["path"]);
        assert_eq!(
            feed["blake3"],
            blake3::hash(&bytes).to_hex().as_str(),
            "{}",
            feed["path"]
        );
    }
}

#[test]
fn the_published_diagnostics_are_the_json_report_of_check_and_of_build() {
    let site = several();
    for command in ["check", "build"] {
        let file = site.path(&format!("{command}.json"));
        let ran = site.runpress(&[command, "--report", &format!("json={}", file.display())]);
        assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    }
    let published = site.text("public/feeds/diagnostics.json");
    assert_eq!(site.text("check.json"), published);
    assert_eq!(site.text("build.json"), published);
    let report = site.json("feeds/diagnostics.json");
    assert_eq!(
        report["summary"],
        json!({"errors": 0, "warnings": 2, "notes": 1, "runs": 7, "quarantined": 0, "withheld": 0})
    );
    let found: Vec<_> = report["diagnostics"]
        .as_array()
        .expect("diagnostics")
        .iter()
        .map(|d| {
            (
                d["code"].as_str().unwrap_or_default(),
                d["run"].as_str().unwrap_or_default(),
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            ("events.unparsable-line", "00000001-1"),
            ("review.unknown-rating", "00000002-1"),
            ("archive.slug-collision", "00000001-2")
        ]
    );
    let first = &report["diagnostics"][0];
    assert_eq!(
        (&first["severity"], &first["path"], &first["line"]),
        (
            &json!("warning"),
            &json!("content/runs/r1/events.jsonl"),
            &json!(1)
        )
    );
    for key in ["column", "pointer", "message", "help"] {
        assert!(first.get(key).is_some(), "{key}");
    }
}

#[test]
fn check_and_build_notice_the_same() {
    for (what, path, text) in [
        (
            "a broken sidecar",
            format!("{FIRST}/events.jsonl.annotations.jsonl"),
            "{",
        ),
        (
            "a broken record",
            format!("{FIRST}/run-record.json"),
            "{\"id\": 1}",
        ),
        (
            "a bad page",
            "content/pages/x.md".to_owned(),
            "+++\ntitel = 1\n+++\n[a](javascript:x)",
        ),
        (
            "a bad writeup",
            format!("{FIRST}/writeup.md"),
            "---\nrating: epic\nreview.a: b\n",
        ),
    ] {
        let site = TestSite::base();
        site.write(&path, text);
        for keep_going in [false, true] {
            let overrides = Overrides {
                keep_going,
                ..Overrides::default()
            };
            let checked = crate::support::described(&site.check_with(&overrides));
            assert!(!checked.is_empty(), "{what}");
            assert_eq!(
                checked,
                crate::support::described(&site.build_with(&overrides)),
                "{what}, keep_going {keep_going}"
            );
        }
    }
}

#[test]
fn the_json_feed_has_what_json_feed_1_1_asks_for() {
    let site = several();
    site.write(
        "site.toml",
        format!(
            "{}title = \"Runs\"\nauthor = \"An Author\"\n[feeds]\nitems = 3\n",
            fixture_text("base/site.toml")
        ),
    );
    site.publish();
    let feed = site.json("feeds/feed.json");
    assert_eq!(feed["version"], "https://jsonfeed.org/version/1.1");
    assert_eq!(feed["title"], "Runs");
    assert_eq!(feed["home_page_url"], "https://runs.example.org/");
    assert_eq!(feed["feed_url"], "https://runs.example.org/feeds/feed.json");
    assert_eq!(feed["authors"], json!([{"name": "An Author"}]));
    let items = feed["items"].as_array().expect("items");
    assert_eq!(items.len(), 3);
    for item in items {
        assert!(
            item["id"].is_string()
                && item["url"]
                    .as_str()
                    .is_some_and(|url| url.starts_with("https://runs.example.org/runs/")),
            "{item}"
        );
        assert!(
            item["content_html"].is_string() || item["content_text"].is_string(),
            "{item}"
        );
        assert!(
            item["date_published"]
                .as_str()
                .is_some_and(|date| date.ends_with('Z')),
            "{item}"
        );
    }
    let ids: std::collections::BTreeSet<_> = items.iter().map(|item| item["id"].as_str()).collect();
    assert_eq!(ids.len(), 3);
    site.write("site.toml", "");
    site.publish();
    let feed = site.json("feeds/feed.json");
    assert_eq!(feed["items"].as_array().map(Vec::len), Some(7));
    let reviewed = feed["items"]
        .as_array()
        .expect("items")
        .iter()
        .find(|item| item["id"].as_str().is_some_and(|id| id.starts_with("4f1c")))
        .expect("the base run");
    assert!(
        reviewed["content_html"]
            .as_str()
            .is_some_and(|html| html.contains("It plays well."))
    );
    assert!(
        feed.get("home_page_url").is_none() && reviewed.get("url").is_none(),
        "without an address there is none to give"
    );
}

#[test]
fn the_annotation_feed_names_the_tape_of_every_annotation() {
    let site = TestSite::base();
    let tape = "{\"type\":\"header\",\"version\":1,\"harn_version\":\"0.8.26\"}\n{\"type\":\"record\",\"seq\":7,\"virtual_time_ms\":0,\"monotonic_ms\":0,\"kind\":{\"kind\":\"clock_sleep\",\"duration_ms\":1}}\n";
    site.write(&format!("{FIRST}/run.tape"), tape);
    site.write(
        &format!("{FIRST}/run.tape.annotations.jsonl"),
        lines(&[HEADER, &annotation("b", 7, "note", "")]),
    );
    site.publish();
    let document: Value = serde_json::from_str(&site.first_document()).expect("JSON");
    let compact = r#"{"seq":7,"phase":"user_script","virtual_time_ms":0,"monotonic_ms":0,"kind":{"kind":"clock_sleep","duration_ms":1}}"#;
    assert_eq!(document["annotations"][0]["tape"], "events.jsonl");
    assert_eq!(document["annotations"][1]["tape"], "run.tape");
    assert_eq!(
        document["annotations"][1]["target"],
        json!({"seq": 7, "kind": "clock_sleep", "digest": blake3::hash(compact.as_bytes()).to_hex().as_str()})
    );
}

#[test]
fn run_json_tells_what_was_noticed_in_the_record_too() {
    let site = TestSite::base();
    site.replace(
        &format!("{FIRST}/run-record.json"),
        "\"id\": \"4f1c2d3e",
        "\"toolCalls\": 3, \"id\": \"4f1c2d3e",
    );
    site.write(&format!("{FIRST}/raw.jsonl"), "{}\n");
    site.publish();
    let document = site.json(&format!("runs/{FIRST_SLUG}/run.json"));
    let found: Vec<_> = document["diagnostics"]
        .as_array()
        .expect("diagnostics")
        .iter()
        .map(|problem| problem["code"].as_str().unwrap_or_default())
        .collect();
    assert_eq!(found, ["raw.missing-field", "record.wrong-type"]);
}
