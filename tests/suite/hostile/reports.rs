//! Hostile text in feeds, in reports and on the terminal.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{HOSTILE, HOSTILE_NAME, hostile, record, site};
use crate::support::{TestSite, annotation, contains, entries, event, lines, message, parse};

#[test]
fn reports_for_programs_hold_no_character_that_a_terminal_follows() {
    let site = TestSite::base();
    let name = "\u{202e}\u{ad}\u{200b}\u{e0100}x";
    site.write(
        &format!("content/runs/{name}/run-record.json"),
        json!({ "id": name, name: 1 }).to_string(),
    );
    for format in ["json", "sarif", "junit", "github", "markdown", "human"] {
        let ran = site.runpress(&format!("check --report {format}"));
        let text = ran.stdout + &ran.stderr;
        assert!(text.contains("record.missing-field"), "{format}: {text}");
        let hidden = text
            .chars()
            .find(|c| (c.is_control() && *c != '\n') || name.trim_end_matches('x').contains(*c));
        assert_eq!(hidden, None, "{format}: {text:?}");
        if format == "json" {
            contains(&text, "content/runs/\\u202e\\u00ad\\u200b\\udb40\\udd00x/");
        }
    }
}

#[test]
fn feeds_give_hostile_text_back_exactly() {
    let site = hostile();
    for (path, bytes) in site.published() {
        if path.ends_with(".json") {
            serde_json::from_slice::<Value>(&bytes)
                .unwrap_or_else(|error| panic!("{path}: {error}"));
        }
    }
    let runs = site.json("feeds/runs.json");
    let card = &runs["runs"][0];
    let slug = card["slug"].as_str().expect("a slug");
    assert!(
        slug.bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'),
        "{slug}"
    );
    for key in [
        "testCaseSlug",
        "testCaseVersion",
        "testType",
        "variant",
        "harnessSlug",
        "harnessVersion",
        "modelId",
        "orchestratorSlug",
        "engineSlug",
    ] {
        assert_eq!(card["subject"][key], HOSTILE, "{key}");
    }
    assert_eq!(
        (&card["state"], &card["checks"][0]["name"]),
        (&json!(HOSTILE), &json!(HOSTILE))
    );
    let document = site.json(&format!("runs/{slug}/run.json"));
    assert_eq!(document["record"], record(HOSTILE));
    for (n, annotation) in entries(&document["annotations"])
        .iter()
        .take(10)
        .enumerate()
    {
        assert_eq!(annotation["evidence"], HOSTILE);
        assert_eq!(annotation["id"], format!("{HOSTILE}{n}"));
        assert_eq!(annotation["author"]["surface"], HOSTILE);
        assert_eq!(annotation["metadata"][HOSTILE], HOSTILE);
    }
    let feed = site.json("feeds/feed.json");
    assert_eq!(feed["title"], HOSTILE);
    assert_eq!(feed["items"][0]["id"], format!("4f1c2d3e-{HOSTILE}"));
    let html = feed["items"][0]["content_html"]
        .as_str()
        .expect("the writeup");
    let forbidden =
        "script, img, svg, iframe, base, meta, [onclick], [onmouseover], [href^=javascript]";
    let forbidden = scraper::Selector::parse(forbidden).expect("a selector");
    let fragment = scraper::Html::parse_fragment(html);
    assert_eq!(fragment.select(&forbidden).count(), 0, "{html}");
    assert_eq!(site.json("feeds/index.json")["site"]["notice"], HOSTILE);
    let lines: Vec<Value> = site
        .text("public/feeds/runs.jsonl")
        .split('\n')
        .filter(|line| !line.is_empty())
        .map(|line| parse(line))
        .collect();
    assert_eq!(Value::Array(lines), runs["runs"]);
    let folder = format!("content/runs/{HOSTILE_NAME}");
    for name in [
        "events.jsonl".to_owned(),
        "events.jsonl.annotations.jsonl".to_owned(),
        format!("{HOSTILE_NAME}.tape"),
    ] {
        assert_eq!(
            site.bytes(&format!("public/runs/{slug}/{name}")),
            site.bytes(&format!("{folder}/{name}")),
            "{name}"
        );
    }
}

#[test]
fn nothing_of_hostile_text_steers_the_terminal() {
    let site = site(HOSTILE, HOSTILE_NAME);
    for (arguments, what) in [
        (&["check", "-v"][..], "notes and warnings"),
        (&["build", "-v", "--report", "human"][..], "a report"),
    ] {
        let ran = site.runpress(arguments).ok();
        let printed = format!("{}{}", ran.stdout, ran.stderr);
        assert!(printed.contains("events.unknown-type"), "{what}: {printed}");
        let steering: BTreeSet<char> = printed
            .chars()
            .filter(|c| (c.is_control() && *c != '\n') || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}'))
            .collect();
        assert!(steering.is_empty(), "{what}: {steering:?}");
    }
}

#[test]
fn hostile_text_in_broken_input_is_reported_without_steering_the_terminal() {
    let site = TestSite::base();
    let quoted = json!(format!("\u{1b}[31m\u{202e}\u{7}{}", "x".repeat(5000))).to_string();
    let writeup = "---\nrating: \u{1b}[2J\u{202e}\n---\n\ntext [a](javascript:\u{1b}]0;x\u{7})\n";
    site.replace_first("run-record.json", "\"2026-03-01T10:00:00Z\"", &quoted)
        .replace_first(
            "run-record.json",
            "\"https://git.example.org/runs/4f1c2d3e\"",
            &quoted,
        )
        .write_first("writeup.md", writeup);
    let ran = site.runpress("check -v").exits(1);
    ran.says("record.invalid-timestamp")
        .says("review.unknown-rating");
    let steers = |c: char| c != '\n' && (c.is_control() || matches!(c, '\u{202a}'..='\u{202e}'));
    assert!(!ran.stderr.contains(steers), "{:?}", ran.stderr);
    let is_cut = ran.stderr.lines().all(|line| line.chars().count() < 400);
    assert!(is_cut, "a long value is cut");
}

#[test]
fn deep_nesting_is_no_reason_to_stop() {
    let nested = |depth| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let deep = nested(200_000);
    let site = TestSite::base();
    let links = format!("\"deep\": {deep},\n  \"links\": {{");
    // Harn refuses deeper nesting in a sidecar.
    let evidence = "> ".repeat(50_000) + &"[".repeat(50_000);
    let note = format!(
        "\"metadata\":{{\"deep\":{}}},\"evidence\":\"{evidence}\"",
        nested(125)
    );
    site.replace_first("run-record.json", "\"links\": {", &links)
        .log(lines(&[
            event(0, "gg", &format!("\"event\":{deep}")),
            message(1, "a"),
        ]))
        .annotate(&[annotation("a", 1, "note", &note)])
        .write_first(
            "writeup.md",
            format!("---\nrating: great\n---\n\n{}\n", "*_".repeat(60_000)),
        );
    let ran = site.runpress("build");
    let said: String = ran.stderr.chars().take(2000).collect();
    assert_eq!(ran.status, Some(0), "{said}");
}
