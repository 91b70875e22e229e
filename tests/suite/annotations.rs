//! All annotations of an archive: their page by kind, and their feeds.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::crawl::problems;
use crate::search::{cards, counts, data};
use crate::support::{
    FIRST, FIRST_ID, FIRST_SLUG, Run, SIDECAR, TestSite, annotation, codes, contains, copy, each,
    entries, first, lacks, lines, messages, sidecar, span,
};

const TOOL_GAP: &str = r#""friction_kind":"tool_gap""#;

fn annotated(annotations: &[impl AsRef<str>]) -> TestSite {
    let site = TestSite::base();
    site.annotate(annotations);
    let mut codes = codes(&site.publish());
    codes.retain(|code| *code != "annotation.unknown-kind");
    assert_eq!(codes, [""; 0]);
    site
}

fn one_of_each() -> Vec<String> {
    vec![
        annotation("c", 0, "correct", r#""evidence":"Reads **first**.""#),
        annotation("i", 2, "incorrect", ""),
        annotation("a", 2, "alternative", ""),
        annotation("n", 1, "note", ""),
        annotation("m", 1, "marker", ""),
        annotation("u", 1, "mute", ""),
        annotation("h", 3, "hypothesis", r#""hypothesis_status":"confirmed""#),
        annotation("f", 3, "friction", TOOL_GAP),
        annotation("k", 1, "crystallize_here", &span(1, 3)),
        annotation("p", 0, "praise", ""),
    ]
}

#[test]
fn the_page_defines_every_kind_and_shows_what_there_is_of_it() {
    let site = annotated(&one_of_each());
    let page = site.page("annotations/index.html");
    let kinds = "correct incorrect alternative note marker mute hypothesis friction crystallize_here unknown";
    assert_eq!(page.texts("section.shelf > p > code").join(" "), kinds);
    contains(&page.texts(".lead")[0], "10 annotations on 1 run");
    let card = &page.texts("section[aria-labelledby=correct] .glimpses li")[0];
    contains(card, "Reads first.");
    contains(card, "event 0, agent ");
    contains(card, "I will read the task first.");
    // The section names the kind.
    lacks(card, "correct");
    for (section, part) in [("hypothesis", "confirmed 1"), ("friction", "tool gap 1")] {
        let parts = page.texts(&format!("section[aria-labelledby={section}] .parts li"));
        assert_eq!(parts, [part]);
    }
    contains(
        &page.texts("section[aria-labelledby=unknown] li")[0],
        "praise",
    );
    let hrefs = page.attrs("section[aria-labelledby=friction] .ah a", "href");
    assert_eq!(hrefs, [format!("../runs/{FIRST_SLUG}/index.html#a-f")]);
    assert_eq!(problems(&site.published()), [""; 0]);
}

#[test]
fn a_page_without_annotations_still_defines_the_kinds_and_says_how_to_begin() {
    let site = TestSite::base();
    site.unannotated().publish();
    let page = site.page("annotations/index.html");
    assert_eq!(page.texts("section.shelf > p > code").len(), 9);
    contains(&page.texts(".empty")[0], SIDECAR);
    assert!(!site.is_published("annotations/note/index.html"));
    let empty = |name: &str| site.json(&format!("feeds/{name}.json"));
    for (feed, list) in [("friction", "events"), ("crystallize", "anchors")] {
        let none = json!({"schemaVersion": 1, "recurring": [], list: []});
        assert_eq!(empty(feed), none);
    }
    assert_eq!(empty("hypotheses")["counts"]["active"], 0);
    let manifest = data(&site, "search/annotations", "annotations");
    assert_eq!(manifest["shelves"], json!({}), "there is nothing to filter");
}

#[test]
fn a_kind_with_very_many_annotations_continues_over_pages_and_its_parts_stay_together() {
    let many = (0..230).map(|number: u64| {
        let status = if number.is_multiple_of(2) {
            "stale"
        } else {
            "active"
        };
        let status = format!(r#""hypothesis_status":"{status}""#);
        annotation(&format!("h-{number}"), number % 4, "hypothesis", &status)
    });
    let site = annotated(&many.collect::<Vec<_>>());
    for (page, count) in [
        ("", 6),
        ("hypothesis/", 100),
        ("hypothesis/page/2/", 100),
        ("hypothesis/page/3/", 30),
    ] {
        let page = site.page(&format!("annotations/{page}index.html"));
        assert_eq!(page.all(".glimpses > li").len(), count);
    }
    let second = site.page("annotations/hypothesis/page/2/index.html");
    assert_eq!(second.texts("h2"), ["Active continued", "Stale"]);
    let first = site.page("annotations/hypothesis/index.html");
    let newest = first.all(".board > section > .glimpses > li").len();
    assert_eq!(newest, 6, "of a status");
    assert_eq!(first.texts(".board summary"), ["All 100"]);
    // The column says the status.
    lacks(&first.texts(".board .ah a").concat(), "active");
    assert_eq!(first.texts(".parts li"), ["active 115", "stale 115"]);
    let parts = ["index.html#active", "page/2/index.html#stale"];
    let parts = parts.map(|part| format!("../../annotations/hypothesis/{part}"));
    assert_eq!(first.attrs(".parts a", "href"), parts);
    assert_eq!(problems(&site.published()), [""; 0]);
}

/// Adds a run with the events of the base run and these annotations.
fn add(site: &TestSite, folder: &str, annotations: &[String]) {
    let run = Run::new("77777777-0000-4000-8000-000000000000");
    site.run(
        folder,
        &run.at("2026-06-01T10:00:00Z", "2026-06-01T10:10:00Z"),
    );
    let log = format!("content/runs/{folder}/events.jsonl");
    site.write(&log, site.bytes(&first("events.jsonl")));
    site.write(
        &format!("content/runs/{folder}/{SIDECAR}"),
        sidecar(annotations),
    );
}

#[test]
fn annotations_of_the_newest_run_come_first() {
    let site = annotated(&[annotation("old", 0, "note", r#""evidence":"old""#)]);
    add(
        &site,
        "newer",
        &[annotation("new", 0, "note", r#""evidence":"new""#)],
    );
    site.publish();
    let page = site.page("annotations/index.html");
    let said = page.texts("section[aria-labelledby=note] li > p:first-child");
    assert_eq!(said, ["new", "old"]);
    let feed = Value::Array(site.json_lines("feeds/annotations.jsonl"));
    assert_eq!(each(&feed, "id"), ["new", "old"]);
}

#[test]
fn annotations_jsonl_holds_every_annotation_as_written_with_its_run_and_its_target() {
    let written = r#"{"type":"annotation","id":"x","event_id":2,"kind":"note","metadata":{"n":1.50},"mine":"kept","runId":"forged","target":"forged"}"#;
    let site = annotated(&[written]);
    let events = site.text(&first("events.jsonl"));
    let digest = blake3::hash(events.lines().nth(2).expect("event 2").as_bytes()).to_hex();
    let line = r#"{"type":"annotation","id":"x","event_id":2,"kind":"note","metadata":{"n":1.50},"mine":"kept","runId":"4f1c2d3e-8a60-4d2e-9a51-0c9f6f1f2b11","tape":"events.jsonl","target":{"seq":2,"kind":"command","digest":"#;
    let feed = site.text("public/feeds/annotations.jsonl");
    assert_eq!(feed, format!("{line}\"{digest}\"}}}}\n"));
}

#[test]
fn friction_is_exported_as_harn_writes_it_with_run_and_without_made_up_times() {
    let site = TestSite::base();
    let full = r#""friction_kind":"missing_context","evidence":"No *brief*.","author":{"id":"ann","kind":"human"},"timestamp":"2026-03-02T08:00:00Z","links":[{"label":"log","url":"https://example.org/","reference":"t-9"}],"metadata":{"a":1}"#;
    let header = r#"{"type":"header","schema_version":1,"tape_path":"events.jsonl"}"#;
    let all = [
        header,
        &annotation("f-1", 2, "friction", full),
        &annotation("n", 0, "note", ""),
        &annotation("", 3, "friction", TOOL_GAP),
    ];
    site.write_first(SIDECAR, lines(&all)).publish();
    let nothing = json!({"tenant_id": null, "task_id": null, "workflow_id": null, "tool": null, "provider": null, "estimated_cost_usd": null, "estimated_time_ms": null, "trace_id": null, "span_id": null, "human_hypothesis": null, "recurrence_hints": []});
    let with = |mut event: Value| {
        let fields = event.as_object_mut().expect("an object");
        fields.extend(nothing.as_object().expect("an object").clone());
        event
    };
    assert_eq!(
        site.json("feeds/friction.json")["events"],
        json!([
            with(json!({
                "schema_version": 1, "id": "f-1", "kind": "missing_context", "source": "events.jsonl", "actor": "ann",
                "run_id": FIRST_ID, "redacted_summary": "No *brief*.",
                "links": [{"label": "log", "url": "https://example.org/", "trace_id": "t-9"}], "metadata": {"a": 1}, "timestamp": "2026-03-02T08:00:00Z"
            })),
            with(json!({
                "schema_version": 1, "id": "annotation_3", "kind": "tool_gap", "source": "events.jsonl", "actor": null,
                "run_id": FIRST_ID, "redacted_summary": "annotation  on event 3",
                "links": [], "metadata": {}, "timestamp": ""
            })),
        ])
    );
}

#[test]
fn hypotheses_and_anchors_have_feeds_of_their_own() {
    let site = annotated(&one_of_each());
    let feed = site.json("feeds/hypotheses.json");
    let counts = json!({"active": 0, "verifying": 0, "confirmed": 1, "disproven": 0, "stale": 0});
    assert_eq!(feed["counts"], counts);
    assert_eq!(each(&feed["hypotheses"], "id"), ["h"]);
    assert_eq!(feed["hypotheses"][0]["target"]["kind"], "agent");
    assert_eq!(
        site.json("feeds/crystallize.json")["anchors"],
        json!([{
            "runId": FIRST_ID, "tape": "events.jsonl", "event_id": 1, "end_event_id": 3,
            "evidence": null, "author": null, "metadata": {}
        }])
    );
    let index = site.json("feeds/index.json");
    let paths = each(&index["feeds"], "path");
    for name in
        "annotations.jsonl friction.json hypotheses.json crystallize.json labels.jsonl".split(' ')
    {
        assert!(
            paths.contains(&&json!(format!("feeds/{name}"))),
            "{name}: {paths:?}"
        );
    }
}

#[test]
fn what_recurs_in_several_runs_of_a_case_is_in_the_feeds_and_on_the_pages() {
    let anchor = annotation("a", 1, "crystallize_here", &span(1, 3));
    let site = annotated(&[anchor, annotation("f", 2, "friction", TOOL_GAP)]);
    let recurring = |feed: &str| site.json(&format!("feeds/{feed}.json"))["recurring"].clone();
    for feed in ["crystallize", "friction"] {
        assert_eq!(recurring(feed), json!([]), "one run is no recurrence");
    }
    copy(&site.path(FIRST), &site.path("content/runs/second"));
    site.replace(
        "content/runs/second/run-record.json",
        "4f1c2d3e-8a60",
        "5e2d3c4b-8a60",
    )
    .publish();
    let found = recurring("crystallize");
    assert!(!entries(&found).is_empty());
    for pattern in entries(&found) {
        assert_eq!(
            (&pattern["case"], &pattern["count"]),
            (&json!("pong"), &json!(2))
        );
        assert_eq!(pattern["runs"], 2);
        assert_eq!(pattern["places"][1]["end_event_id"], 3);
    }
    let found = recurring("friction");
    assert_eq!(found[0]["pattern"], "tool_gap");
    assert_eq!(entries(&found[0]["places"]).len(), 2);
    for (page, pattern) in [("friction", "tool gap"), ("crystallize-here", "command ")] {
        let page = site.page(&format!("annotations/{page}/index.html"));
        let cells = page.texts("table td");
        assert!(cells[0].starts_with(pattern), "{cells:?}");
        assert_eq!(cells[1], "2 annotations on 2 runs");
        assert!(page.all("table td a").len() >= 2);
    }
}

#[test]
fn a_label_has_all_that_its_events_say() {
    let fix = r#""suggested_fix":{"tool":"grep"},"author":{"id":"ada","kind":"human"},"timestamp":"2026-03-02T08:00:00Z""#;
    let site = annotated(&[
        annotation("c", 0, "correct", r#""evidence":"Reads **first**.""#),
        annotation("a", 1, "alternative", &format!("{},{fix}", span(1, 3))),
        annotation("n", 1, "note", ""),
    ]);
    let labels = Value::Array(site.json_lines("feeds/labels.jsonl"));
    assert_eq!(each(&labels, "kind"), ["correct", "alternative"]);
    assert_eq!(
        labels[0]["events"][0]["texts"],
        json!(["I will read the task first."])
    );
    let alternative = &labels[1];
    assert_eq!(alternative["case"], "pong");
    assert_eq!(alternative["suggested_fix"], json!({"tool": "grep"}));
    assert_eq!(alternative["author"]["id"], "ada");
    assert_eq!(
        [&alternative["event_id"], &alternative["end_event_id"]],
        [1, 3]
    );
    assert_eq!(each(&alternative["events"], "seq"), [1, 2, 3]);
    assert_eq!(alternative["omittedEvents"], 0);
    let first = &site.json_lines("feeds/annotations.jsonl")[0];
    assert_eq!(labels[0]["digest"], first["target"]["digest"]);
}

#[test]
fn labels_of_long_spans_stay_small() {
    let site = TestSite::base();
    site.log(messages(1_000));
    site.annotate(&[annotation("a", 0, "incorrect", &span(0, 999))])
        .publish();
    let label = &site.json_lines("feeds/labels.jsonl")[0];
    assert_eq!(entries(&label["events"]).len(), 200);
    assert_eq!(label["omittedEvents"], 800);
}

#[test]
fn a_quarantined_run_says_nothing_in_lists_and_feeds() {
    let site = annotated(&[annotation("first", 0, "note", "")]);
    let broken = annotation("bad", 900, "note", "");
    add(
        &site,
        "broken",
        &[broken, annotation("gone", 0, "note", "")],
    );
    site.settings("[policy]\non_invalid = \"quarantine\"")
        .publish();
    let feed = Value::Array(site.json_lines("feeds/annotations.jsonl"));
    assert_eq!(each(&feed, "id"), ["first"]);
}

#[test]
fn hypotheses_are_on_a_board_with_a_column_for_every_status() {
    let site = annotated(&one_of_each());
    let page = site.page("annotations/hypothesis/index.html");
    let statuses = "Active Verifying Confirmed Disproven Stale";
    assert_eq!(page.texts(".board > section > h2").join(" "), statuses);
    page.one(".board > section[aria-labelledby=confirmed] li");
    assert_eq!(page.texts(".board > section > p:last-child"), ["None."; 4]);
    assert_eq!(problems(&site.published()), [""; 0]);
    let friction = site.page("annotations/friction/index.html");
    assert_eq!(friction.all(".board").len(), 0);
}

#[test]
fn a_card_says_of_which_case_it_is_and_who_wrote_it() {
    let by = |id: &str, kind: &str| {
        let author = format!(r#""author":{{"id":"x","kind":"{kind}"}}"#);
        annotation(id, 1, "note", &author)
    };
    let unnamed = annotation("c", 1, "note", "");
    let site = annotated(&[by("a", "human"), by("b", "agent"), unnamed]);
    let page = site.page("annotations/note/index.html");
    let said = page.texts(".glimpses > li > p:last-child");
    assert!(said.iter().all(|said| said.starts_with("pong · ")));
    let by = said
        .iter()
        .map(|said| said.split_once("; ").map_or("", |(_, by)| by));
    let expected = ["annotated by x (human)", "annotated by x (agent)", ""];
    assert_eq!(by.collect::<Vec<_>>(), expected);
}

#[test]
fn the_data_of_the_filter_has_what_the_cards_of_the_pages_show() {
    let site = annotated(&one_of_each());
    let manifest = data(&site, "search/annotations", "annotations");
    assert_eq!(manifest["cases"], json!(["pong"]));
    assert_eq!(
        manifest["authors"],
        json!(["human", "agent", "system", "unnamed"])
    );
    let shelves = manifest["shelves"].as_object().expect("shelves");
    assert_eq!(shelves.len(), 10);
    assert_eq!(shelves["note"]["groups"], json!([]));
    // An annotation without an author: last author of the only case, third of the groups.
    assert_eq!(shelves["note"]["blocks"], json!(["DB"]));
    assert_eq!(shelves["note"]["files"], json!(["DB"]));
    let block = counts(&shelves["hypothesis"]["blocks"][0]);
    assert_eq!(block, BTreeMap::from([(3 * 6 + 2, 1)]));
    assert_eq!(shelves["hypothesis"]["groups"][2], "confirmed");
    assert_eq!(
        cards(&site, "correct")[0].2,
        json!({
            "key": [0, 3, 0], "slug": FIRST_SLUG, "run": "pong · base · v1.0.0", "model": "sample/lark-1",
            "kind": null, "group": null, "evidence": "Reads first.", "href": "index.html#a-c", "event": 0,
            "event_kind": "agent", "says": "I will read the task first.", "author": null, "at": null
        })
    );
    assert_eq!(shelves["correct"]["class"], "correct");
    assert_eq!(cards(&site, "unknown").len(), 1);
    assert_eq!(cards(&site, "friction")[0].2["group"], "tool gap");
}

#[test]
fn the_data_of_very_many_annotations_is_in_small_files_and_says_what_each_holds() {
    let long = "wide <b> words ".repeat(60);
    let many = (0..3_600).map(|number| {
        let kind = if number > 1_800 { "agent" } else { "human" };
        let more = format!(r#""evidence":"{number} {long}\u2028","author":{{"kind":"{kind}"}}"#);
        annotation(&format!("n-{number}"), number % 4, "note", &more)
    });
    let site = annotated(&many.collect::<Vec<_>>());
    let manifest = data(&site, "search/annotations", "annotations");
    let note = &manifest["shelves"]["note"];
    let cards = cards(&site, "note");
    let blocks = entries(&note["blocks"]);
    assert!(blocks.len() > 1, "{manifest}");
    let older = (0..blocks.len() - 1).map(|block| {
        let path = format!("search/annotations-note/{block}");
        entries(&data(&site, &path, "annotations")).to_vec()
    });
    let held: Vec<Vec<Value>> = older.chain([entries(&note["files"]).to_vec()]).collect();
    for (block, files) in blocks.iter().zip(&held) {
        let mut sums = BTreeMap::new();
        for (key, number) in files.iter().flat_map(counts) {
            *sums.entry(key).or_insert(0) += number;
        }
        assert_eq!(counts(block), sums);
    }
    for (file, held) in held.concat().iter().enumerate() {
        for (key, number) in counts(held) {
            let of = cards
                .iter()
                .filter(|(at, _, card)| *at == file && card["key"] == json!([0, key, 0]));
            assert_eq!(of.count(), number);
        }
    }
    let sums = held.iter().flatten().flat_map(counts);
    assert_eq!(sums.map(|(_, number)| number).sum::<usize>(), 3_600);
    assert_eq!(cards.len(), 3_600);
    let card = &cards[0].2;
    let [slug, href] = ["slug", "href"].map(|name| card[name].as_str().expect("a text"));
    let shown = site.page("annotations/note/page/36/index.html");
    let last = shown.attrs(".glimpses .ah a", "href").pop();
    assert_eq!(last, Some(format!("../../../../runs/{slug}/{href}")));
}
