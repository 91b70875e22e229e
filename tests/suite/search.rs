//! Search covers everything that has a page, and its data cannot break out of its script.

mod reader;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use self::reader::{KINDS, index, numbered, searched};
pub(crate) use self::reader::{cards, column, counts, data, rows};
use crate::support::{FIRST_SLUG, Page, Run, TestSite, annotation, entries, event, lines, parse};

/// The kinds of texts, as the index numbers them.
const TEXTS: &str = "case model harness page run failure annotation writeup message";

fn documents(site: &TestSite) -> Vec<[String; 4]> {
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    searched(site)
        .iter()
        .map(|document| ["title", "text", "about", "href"].map(|name| text(&document[name])))
        .collect()
}

#[test]
fn search_finds_runs_groups_prose_writeups_and_annotations() {
    let site = TestSite::base();
    site.write(
        "content/pages/about.md",
        "+++\ntitle = \"About this\"\ndescription = \"Who made it.\"\n+++\n\nSome *words*.\n",
    );
    site.write("content/pages/index.md", "Welcome.\n");
    site.write(
        "content/cases/pong.md",
        "+++\ntitle = \"Pong, the game\"\n+++\n\nA ball.\n",
    );
    site.annotate(&[
        annotation(
            "a",
            2,
            "friction",
            r#""friction_kind":"tool_gap","evidence":"No *ruler* here.""#,
        ),
        annotation("b", 1, "note", ""),
    ]);
    site.publish();
    let kinds: Vec<String> = searched(&site)
        .iter()
        .map(|document| document["kind"].as_str().expect("a kind").to_owned())
        .collect();
    assert_eq!(
        kinds,
        [
            "case",
            "model",
            "harness",
            "page",
            "page",
            "run",
            "failure",
            "message",
            "writeup",
            "annotation"
        ],
        "an annotation without words has none to find"
    );
    let found = documents(&site);
    let expected = [
        [
            "pong",
            "A ball.",
            "Pong, the game, 1 run",
            "cases/pong/index.html",
        ],
        [
            "sample/lark-1",
            "",
            "1 run",
            "models/sample-lark-1/index.html",
        ],
        ["codex", "", "1 run", "harnesses/codex/index.html"],
        [
            "About this",
            "Some words.",
            "Who made it.",
            "about/index.html",
        ],
    ];
    assert_eq!(
        found[..4],
        expected.map(|document| document.map(str::to_owned))
    );
    assert_eq!(found[4][1..], ["Welcome.", "", "index.html"]);
    assert!(
        found[5][0].starts_with("Pong") && found[5][0].ends_with("by sample/lark-1"),
        "{:?}",
        found[5]
    );
    assert!(
        found[5][1].starts_with("completed · 1/2 screens · great")
            && found[5][1].contains(" · codex · "),
        "{:?}",
        found[5]
    );
    assert_eq!(
        found[8][1..],
        [
            "It plays well.".to_owned(),
            "rated great".to_owned(),
            format!("runs/{FIRST_SLUG}/index.html#writeup")
        ]
    );
    assert_eq!(found[9][..2], ["friction: tool gap", "No ruler here."]);
    for [title, .., address] in &found {
        let (path, anchor) = address.split_once('#').unwrap_or((address, ""));
        let page = Page::parse(&site.text(&format!("public/{path}")));
        assert!(!title.is_empty());
        assert!(
            anchor.is_empty() || page.all(&format!("[id='{anchor}']")).len() == 1,
            "{address}"
        );
    }
    let manifest = data(&site, "search/index", "search");
    assert_eq!(entries(&manifest["parts"]).len(), 1);
    assert_eq!(manifest["documents"], 10);
    assert_eq!(manifest["cases"][0], 1);
    assert_eq!(manifest["cases"][1][0][1], "pong");
}

#[test]
fn the_index_has_each_text_under_all_of_its_words_and_under_no_others() {
    let site = TestSite::demo();
    site.publish();
    let texts = numbered(&site);
    let mut expected: BTreeMap<String, BTreeSet<(usize, usize)>> = BTreeMap::new();
    for (number, text) in &texts {
        let kind = TEXTS.split(' ').position(|kind| text["kind"] == kind);
        let all = ["title", "about", "text"].map(|name| text[name].as_str().expect("text"));
        let all = all.join(" ").to_lowercase();
        let words = all.split(|c: char| !c.is_alphabetic() && !c.is_ascii_digit());
        // The words of other scripts have their own tests.
        for word in words.filter(|word| !word.is_empty() && word.is_ascii()) {
            let word = word[..word.len().min(40)].to_owned();
            let texts = expected.entry(word).or_default();
            texts.insert((kind.expect("a kind"), *number));
        }
    }
    let mut found = index(&site);
    assert!(texts.len() > 200 && expected.len() > 2_000);
    found.retain(|term, _| term.is_ascii());
    let without_others = |term: &String| !found.contains_key(term);
    let lost: Vec<_> = expected
        .keys()
        .filter(|term| without_others(term))
        .collect();
    assert!(lost.is_empty(), "{lost:?}");
    // A run and a failure are also found by other words for how it ended.
    let forms = "timed timeout time limit crashed crash catastrophic harness error failed failure hung stuck no output exceeded reached";
    // A run is found by each part of its id, of which its address has only some.
    let runs = site.json("feeds/runs.json");
    let ids = runs["runs"].as_array().expect("runs").iter();
    let ids: BTreeSet<String> = ids
        .flat_map(|run| {
            let id = run["id"].as_str().expect("an id").to_lowercase();
            id.split(|c: char| !c.is_alphanumeric())
                .map(str::to_owned)
                .collect::<Vec<_>>()
        })
        .collect();
    for (term, texts) in &expected {
        if ids.contains(term) || forms.split(' ').any(|form| form == term) {
            assert!(found[term].is_superset(texts), "{term}");
        } else {
            assert_eq!(&found[term], texts, "{term}");
        }
    }
}

#[test]
fn the_texts_of_older_runs_keep_their_files_when_a_run_is_added() {
    let site = TestSite::empty();
    let day = |n: usize| format!("2026-03-{n:02}T10:00:00Z");
    let add = |n: usize| {
        let run = Run::new(&format!("{n:08x}-1")).at(&day(n), &day(n));
        let words = "The wheel turns. ".repeat(50);
        site.write(&format!("content/runs/{n}/run-record.json"), run.record());
        site.write(
            &format!("content/runs/{n}/writeup.md"),
            format!("---\nrating: great\n---\n\n{words}\n"),
        );
    };
    (1..25).for_each(add);
    site.publish();
    let files = || {
        let all = site.published().into_iter();
        let all = all.filter(|(path, _)| path.starts_with("search/texts-"));
        all.collect::<BTreeMap<_, _>>()
    };
    let before = files();
    add(25);
    site.publish();
    let after = files();
    let kept = before
        .iter()
        .filter(|(path, bytes)| after.get(*path) == Some(*bytes));
    assert!(before.len() > 1, "{}", before.len());
    assert!(kept.count() + 1 >= before.len());
}

#[test]
fn search_finds_why_a_run_ended_and_each_message_of_its_failed_events_once() {
    let site = TestSite::empty();
    let record = Run::new("0000000a-1").state("timed_out").record();
    let mut record = parse(&record);
    record["status"]["detail"] = json!("One hour is over.");
    record["validation"]["detail"] = json!("No dist folder.");
    site.write("content/runs/a/run-record.json", record.to_string());
    let errors = (0..30).map(|n| {
        let words = if n < 20 { 0 } else { n };
        event(n, "error", &format!("\"message\":\"error {words}\""))
    });
    site.write(
        "content/runs/a/events.jsonl",
        lines(&errors.collect::<Vec<_>>()),
    );
    site.publish();
    let found: Vec<_> = searched(&site)
        .into_iter()
        .filter(|document| document["kind"] == "failure")
        .collect();
    let titles: Vec<_> = found.iter().filter_map(|it| it["title"].as_str()).collect();
    assert_eq!(
        titles[..4],
        [
            "One hour is over.",
            "No dist folder.",
            "error 0",
            "error 20"
        ]
    );
    assert_eq!(titles.len(), 2 + 8, "{titles:?}");
    let about = found[0]["about"].as_str().expect("text");
    assert!(about.starts_with("timed out, the end of pong"), "{about}");
    for document in &found {
        let address = document["href"].as_str().expect("an address");
        let (path, anchor) = address.split_once('#').unwrap_or((address, ""));
        let page = site.page(path);
        let is_there = anchor.is_empty() || page.all(&format!("[id='{anchor}']")).len() == 1;
        assert!(is_there, "{address}");
    }
    let manifest = data(&site, "search/index", "search");
    assert_eq!(manifest["documents"], searched(&site).len());
}

#[test]
fn text_cannot_leave_the_script_that_holds_it() {
    let site = TestSite::base();
    let evil = "</script><script>alert(1)</script>\u{2028}\u{2029}";
    site.run(
        "evil",
        &Run::new("9b02c4aa-1")
            .model(evil)
            .state(evil)
            .case("case </script>"),
    );
    site.publish();
    assert_eq!(rows(&site).len(), 2);
    let titles: Vec<String> = documents(&site)
        .into_iter()
        .map(|[title, ..]| title)
        .collect();
    let shown = "</script><script>alert(1)</script>\u{fffd}\u{fffd}";
    assert!(titles.iter().any(|title| title == shown), "{titles:?}");
}

#[test]
fn unpublished_content_cannot_be_found() {
    let site = TestSite::base();
    site.write(
        "content/pages/secret.md",
        "+++\ndraft = true\n+++\n\nUnfinished words.\n",
    );
    site.run(
        "gone",
        &Run::new("9b02c4aa-1")
            .state("canceled")
            .model("sample/withdrawn"),
    );
    site.publish();
    let all = format!("{:?} {:?}", searched(&site), rows(&site));
    assert!(!all.contains("Unfinished") && !all.contains("withdrawn"));
}

#[test]
fn a_site_without_runs_has_an_index_of_what_there_is() {
    let site = TestSite::empty();
    site.publish();
    assert_eq!(
        data(&site, "search/index", "search"),
        json!({"parts": [], "documents": 0, "cases": [0, []], "kinds": KINDS})
    );
    let runs = data(&site, "search/runs", "runs");
    assert_eq!((&runs["total"], &runs["letters"]), (&json!(0), &json!([])));
}

#[test]
fn every_page_loads_the_search_script_and_404_loads_it_from_the_root() {
    let site = TestSite::base();
    site.write(
        "site.toml",
        "[site]\nbase_url = \"https://example.org/a/b\"\n",
    );
    site.publish();
    for (path, bytes) in site.published() {
        if !path.ends_with(".html") {
            continue;
        }
        let page = Page::parse(&String::from_utf8(bytes).expect("UTF-8"));
        let scripts = page.attrs("script[defer]", "src");
        let root = if path == "404.html" {
            "/a/b/".to_owned()
        } else {
            "../".repeat(path.matches('/').count())
        };
        for (src, name) in scripts.iter().zip(["core", "search"]) {
            let expected = format!("{root}assets/{name}.");
            assert!(src.starts_with(&expected), "{path}: {scripts:?}");
        }
        assert!(scripts.len() >= 2, "{path}: {scripts:?}");
    }
    for file in ["find", "rows"] {
        assert!(site.path(&format!("public/search/{file}.js")).is_file());
    }
}

#[test]
fn prompts_last_messages_and_the_ways_to_end_are_found() {
    let site = TestSite::base();
    site.run("b", &Run::new("0000000b-1").state("timed_out"));
    site.run("c", &Run::new("0000000c-1"));
    site.write(
        "content/runs/c/run.trace.jsonl",
        lines(&[
            r#"{"type":"trace","schemaVersion":1}"#,
            r#"{"seq":0,"type":"message","role":"user","text":"Please untangle the scheduler."}"#,
            r#"{"seq":1,"type":"message","role":"assistant","text":"I begin with quokkas."}"#,
            r#"{"seq":2,"type":"message","role":"assistant","text":"All wombats are sorted."}"#,
        ]),
    );
    site.run("d", &Run::new("0000000d-1"));
    site.write(
        "content/runs/d/run.trace.jsonl",
        lines(&[
            r#"{"type":"trace","schemaVersion":1}"#,
            r#"{"seq":0,"type":"message","role":"assistant","text":"I look for numbats."}"#,
            r#"{"seq":1,"type":"tool_call","name":"finish","call":"c","arguments":{"message":"No bilbies are left."}}"#,
        ]),
    );
    site.publish();
    let index = index(&site);
    let kinds_of = |term: &str| -> Vec<&str> {
        let found = index.get(term).into_iter().flatten();
        let name = |kind: &usize| TEXTS.split(' ').nth(*kind).expect("a kind");
        found.map(|(kind, _)| name(kind)).collect()
    };
    assert!(kinds_of("untangle").contains(&"message"));
    assert_eq!(kinds_of("wombats"), ["message"]);
    assert_eq!(kinds_of("bilbies"), ["message"]);
    for earlier in ["quokkas", "numbats"] {
        assert!(
            !index.contains_key(earlier),
            "only the last message of the agent is indexed, not {earlier}"
        );
    }
    for word in ["timeout", "timed", "limit"] {
        assert_eq!(kinds_of(word), ["run"], "{word}");
    }
}
