//! All annotations of an archive: their page by kind, and their feeds.

use serde_json::{Value, json};

use crate::crawl::problems;
use crate::search::{cards, counts, data};
use crate::support::{
    FIRST, FIRST_SLUG, HEADER, Run, TestSite, annotation, codes, copy, event, lines,
};

const SIDECAR: &str = "events.jsonl.annotations.jsonl";

fn annotated(annotations: &[String]) -> TestSite {
    let site = TestSite::base();
    let mut all = vec![HEADER.to_owned()];
    all.extend_from_slice(annotations);
    site.write(&format!("{FIRST}/{SIDECAR}"), lines(&all));
    assert_eq!(
        codes(&site.publish())
            .into_iter()
            .filter(|code| *code != "annotation.unknown-kind")
            .collect::<Vec<_>>(),
        Vec::<&str>::new()
    );
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
        annotation("f", 3, "friction", r#""friction_kind":"tool_gap""#),
        annotation(
            "k",
            1,
            "crystallize_here",
            r#""span":{"start_event_id":1,"end_event_id":3}"#,
        ),
        annotation("p", 0, "praise", ""),
    ]
}

#[test]
fn the_page_defines_every_kind_and_shows_what_there_is_of_it() {
    let site = annotated(&one_of_each());
    let page = site.page("annotations/index.html");
    assert_eq!(
        page.texts("section.shelf > p > code"),
        [
            "correct",
            "incorrect",
            "alternative",
            "note",
            "marker",
            "mute",
            "hypothesis",
            "friction",
            "crystallize_here",
            "unknown"
        ]
    );
    assert!(page.texts(".lead")[0].contains("10 annotations on 1 run"));
    let card = &page.texts("section[aria-labelledby=correct] .glimpses li")[0];
    assert!(card.contains("Reads first."), "{card}");
    // The section names the kind.
    assert!(card.contains("event 0, agent "), "{card}");
    assert!(card.contains("I will read the task first."), "{card}");
    assert!(!card.contains("correct"), "{card}");
    assert_eq!(
        page.texts("section[aria-labelledby=hypothesis] .parts li"),
        ["confirmed 1"]
    );
    assert_eq!(
        page.texts("section[aria-labelledby=friction] .parts li"),
        ["tool gap 1"]
    );
    assert!(page.texts("section[aria-labelledby=unknown] li")[0].contains("praise"));
    let href = page
        .one("section[aria-labelledby=friction] .ah a")
        .attr("href");
    assert_eq!(href, Some(&*format!("../runs/{FIRST_SLUG}/index.html#a-f")));
    assert_eq!(problems(&site.published()), Vec::<String>::new());
}

#[test]
fn a_page_without_annotations_still_defines_the_kinds_and_says_how_to_begin() {
    let site = TestSite::base();
    site.remove(&format!("{FIRST}/{SIDECAR}"));
    site.publish();
    let page = site.page("annotations/index.html");
    assert_eq!(page.texts("section.shelf > p > code").len(), 9);
    assert!(page.texts(".empty")[0].contains("events.jsonl.annotations.jsonl"));
    assert!(!site.published().contains_key("annotations/note/index.html"));
    let empty = |name: &str| site.json(&format!("feeds/{name}.json"));
    for (feed, list) in [("friction", "events"), ("crystallize", "anchors")] {
        let none = json!({"schemaVersion": 1, "recurring": [], list: []});
        assert_eq!(empty(feed), none);
    }
    assert_eq!(empty("hypotheses")["counts"]["active"], 0);
}

#[test]
fn a_kind_with_very_many_annotations_continues_over_pages_and_its_parts_stay_together() {
    let statuses = ["stale", "active"];
    let many: Vec<String> = (0..230)
        .map(|number| {
            let status = statuses[number % 2];
            annotation(
                &format!("h-{number}"),
                number as u64 % 4,
                "hypothesis",
                &format!(r#""hypothesis_status":"{status}""#),
            )
        })
        .collect();
    let site = annotated(&many);
    let count = |path: &str| site.page(path).all(".glimpses > li").len();
    assert_eq!(count("annotations/index.html"), 6);
    assert_eq!(count("annotations/hypothesis/index.html"), 100);
    assert_eq!(count("annotations/hypothesis/page/2/index.html"), 100);
    assert_eq!(count("annotations/hypothesis/page/3/index.html"), 30);
    let second = site.page("annotations/hypothesis/page/2/index.html");
    assert_eq!(second.texts("h2"), ["Active continued", "Stale"]);
    let first = site.page("annotations/hypothesis/index.html");
    let newest = first.all(".board > section > .glimpses > li").len();
    assert_eq!(newest, 6, "of a status");
    assert_eq!(first.texts(".board summary"), ["All 100"]);
    assert!(
        !first.texts(".board .ah a").concat().contains("active"),
        "the column says it"
    );
    assert_eq!(first.texts(".parts li"), ["active 115", "stale 115"]);
    let hrefs: Vec<_> = first
        .all(".parts a")
        .iter()
        .filter_map(|link| link.attr("href").map(str::to_owned))
        .collect();
    assert_eq!(
        hrefs,
        [
            "../../annotations/hypothesis/index.html#active",
            "../../annotations/hypothesis/page/2/index.html#stale"
        ]
    );
    assert_eq!(problems(&site.published()), Vec::<String>::new());
}

#[test]
fn annotations_of_the_newest_run_come_first() {
    let site = annotated(&[annotation("old", 0, "note", r#""evidence":"old""#)]);
    let run = Run::new("77777777-0000-4000-8000-000000000000")
        .at("2026-06-01T10:00:00Z", "2026-06-01T10:10:00Z");
    site.run("newer", &run);
    site.write(
        "content/runs/newer/events.jsonl",
        site.bytes(&format!("{FIRST}/events.jsonl")),
    );
    site.write(
        &format!("content/runs/newer/{SIDECAR}"),
        lines(&[HEADER, &annotation("new", 0, "note", r#""evidence":"new""#)]),
    );
    site.publish();
    let said = site
        .page("annotations/index.html")
        .texts("section[aria-labelledby=note] li > p:first-child");
    assert_eq!(said, ["new", "old"]);
    let feed = site.text("public/feeds/annotations.jsonl");
    let ids: Vec<String> = feed
        .lines()
        .map(|line| {
            let line: Value = serde_json::from_str(line).expect("JSON");
            line["id"].as_str().expect("an id").to_owned()
        })
        .collect();
    assert_eq!(ids, ["new", "old"]);
}

#[test]
fn annotations_jsonl_holds_every_annotation_as_written_with_its_run_and_its_target() {
    let written = r#"{"type":"annotation","id":"x","event_id":2,"kind":"note","metadata":{"n":1.50},"mine":"kept","runId":"forged","target":"forged"}"#;
    let site = annotated(&[written.to_owned()]);
    let feed = site.text("public/feeds/annotations.jsonl");
    let events = site.text(&format!("{FIRST}/events.jsonl"));
    let line = events.lines().nth(2).expect("event 2");
    let digest = blake3::hash(line.as_bytes()).to_hex();
    assert_eq!(
        feed,
        format!(
            "{}{}\n",
            r#"{"type":"annotation","id":"x","event_id":2,"kind":"note","metadata":{"n":1.50},"mine":"kept","runId":"4f1c2d3e-8a60-4d2e-9a51-0c9f6f1f2b11","tape":"events.jsonl","target":{"seq":2,"kind":"command","digest":""#,
            format_args!("{digest}\"}}}}")
        )
    );
}

#[test]
fn friction_is_exported_as_harn_writes_it_with_run_and_without_made_up_times() {
    let site = TestSite::base();
    let full = annotation(
        "f-1",
        2,
        "friction",
        r#""friction_kind":"missing_context","evidence":"No *brief*.","author":{"id":"ann","kind":"human"},"timestamp":"2026-03-02T08:00:00Z","links":[{"label":"log","url":"https://example.org/","reference":"t-9"}],"metadata":{"a":1}"#,
    );
    let bare = annotation("", 3, "friction", r#""friction_kind":"tool_gap""#);
    site.write(
        &format!("{FIRST}/{SIDECAR}"),
        lines(&[
            r#"{"type":"header","schema_version":1,"tape_path":"events.jsonl"}"#,
            &full,
            &annotation("n", 0, "note", ""),
            &bare,
        ]),
    );
    site.publish();
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
                "run_id": "4f1c2d3e-8a60-4d2e-9a51-0c9f6f1f2b11", "redacted_summary": "No *brief*.",
                "links": [{"label": "log", "url": "https://example.org/", "trace_id": "t-9"}], "metadata": {"a": 1}, "timestamp": "2026-03-02T08:00:00Z"
            })),
            with(json!({
                "schema_version": 1, "id": "annotation_3", "kind": "tool_gap", "source": "events.jsonl", "actor": null,
                "run_id": "4f1c2d3e-8a60-4d2e-9a51-0c9f6f1f2b11", "redacted_summary": "annotation  on event 3",
                "links": [], "metadata": {}, "timestamp": ""
            })),
        ])
    );
}

#[test]
fn hypotheses_and_anchors_have_feeds_of_their_own() {
    let site = annotated(&one_of_each());
    let hypotheses = site.json("feeds/hypotheses.json");
    assert_eq!(
        hypotheses["counts"],
        json!({"active": 0, "verifying": 0, "confirmed": 1, "disproven": 0, "stale": 0})
    );
    assert_eq!(hypotheses["hypotheses"].as_array().map(Vec::len), Some(1));
    assert_eq!(hypotheses["hypotheses"][0]["id"], "h");
    assert_eq!(hypotheses["hypotheses"][0]["target"]["kind"], "agent");
    assert_eq!(
        site.json("feeds/crystallize.json")["anchors"],
        json!([{
            "runId": "4f1c2d3e-8a60-4d2e-9a51-0c9f6f1f2b11", "tape": "events.jsonl", "event_id": 1, "end_event_id": 3,
            "evidence": null, "author": null, "metadata": {}
        }])
    );
    let index = site.json("feeds/index.json");
    let paths: Vec<&str> = index["feeds"]
        .as_array()
        .expect("feeds")
        .iter()
        .filter_map(|feed| feed["path"].as_str())
        .collect();
    for name in [
        "annotations.jsonl",
        "friction.json",
        "hypotheses.json",
        "crystallize.json",
        "labels.jsonl",
    ] {
        assert!(paths.contains(&&*format!("feeds/{name}")), "{paths:?}");
    }
}

#[test]
fn what_recurs_in_several_runs_of_a_case_is_in_the_feeds_and_on_the_pages() {
    let anchor = annotation(
        "a",
        1,
        "crystallize_here",
        r#""span":{"start_event_id":1,"end_event_id":3}"#,
    );
    let friction = annotation("f", 2, "friction", r#""friction_kind":"tool_gap""#);
    let site = annotated(&[anchor, friction]);
    for feed in ["crystallize", "friction"] {
        let feed = site.json(&format!("feeds/{feed}.json"));
        assert_eq!(feed["recurring"], json!([]), "one run is no recurrence");
    }
    let (first, second) = (FIRST, "content/runs/second");
    copy(&site.path(first), &site.path(second));
    site.replace(
        &format!("{second}/run-record.json"),
        "4f1c2d3e-8a60",
        "5e2d3c4b-8a60",
    );
    site.publish();
    let found = site.json("feeds/crystallize.json")["recurring"].clone();
    let patterns: Vec<_> = found.as_array().expect("patterns").iter().collect();
    assert!(!patterns.is_empty());
    for pattern in patterns {
        assert_eq!(
            (&pattern["case"], &pattern["count"]),
            (&json!("pong"), &json!(2))
        );
        assert_eq!(pattern["runs"], 2);
        assert_eq!(pattern["places"][1]["end_event_id"], 3);
    }
    let found = &site.json("feeds/friction.json")["recurring"];
    assert_eq!(found[0]["pattern"], "tool_gap");
    assert_eq!(found[0]["places"].as_array().map(Vec::len), Some(2));
    for (page, pattern) in [("friction", "tool gap"), ("crystallize-here", "command ")] {
        let page = site.page(&format!("annotations/{page}/index.html"));
        let cells = page.texts("table td");
        assert!(cells[0].starts_with(pattern), "{cells:?}");
        assert_eq!(cells[1], "2 annotations on 2 runs");
        let links = page.all("table td a");
        assert!(links.len() >= 2);
    }
}

#[test]
fn a_label_has_all_that_its_events_say() {
    let site = annotated(&[
        annotation("c", 0, "correct", r#""evidence":"Reads **first**.""#),
        annotation(
            "a",
            1,
            "alternative",
            r#""span":{"start_event_id":1,"end_event_id":3},"suggested_fix":{"tool":"grep"},"author":{"id":"ada","kind":"human"},"timestamp":"2026-03-02T08:00:00Z""#,
        ),
        annotation("n", 1, "note", ""),
    ]);
    let lines = site.text("public/feeds/labels.jsonl");
    let labels: Vec<serde_json::Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let kinds: Vec<_> = labels.iter().map(|label| label["kind"].as_str()).collect();
    assert_eq!(kinds, [Some("correct"), Some("alternative")]);
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
    let events = alternative["events"].as_array().expect("events");
    let seqs: Vec<_> = events.iter().map(|event| event["seq"].as_u64()).collect();
    assert_eq!(seqs, [Some(1), Some(2), Some(3)]);
    assert_eq!(alternative["omittedEvents"], 0);
    let all = site.text("public/feeds/annotations.jsonl");
    let first: serde_json::Value =
        serde_json::from_str(all.lines().next().expect("a line")).expect("JSON");
    assert_eq!(labels[0]["digest"], first["target"]["digest"]);
}

#[test]
fn labels_of_long_spans_stay_small() {
    let site = TestSite::base();
    let log: Vec<String> = (0..1_000)
        .map(|second| event(second, "agent", r#""message":"m""#))
        .collect();
    site.write(&format!("{FIRST}/events.jsonl"), lines(&log));
    let span = r#""span":{"start_event_id":0,"end_event_id":999}"#;
    site.write(
        &format!("{FIRST}/events.jsonl.annotations.jsonl"),
        lines(&[HEADER.to_owned(), annotation("a", 0, "incorrect", span)]),
    );
    site.publish();
    let label: serde_json::Value =
        serde_json::from_str(&site.text("public/feeds/labels.jsonl")).expect("one line");
    assert_eq!(label["events"].as_array().map(Vec::len), Some(200));
    assert_eq!(label["omittedEvents"], 800);
}

#[test]
fn a_quarantined_run_says_nothing_in_lists_and_feeds() {
    let site = annotated(&[annotation("first", 0, "note", "")]);
    let run = Run::new("77777777-0000-4000-8000-000000000000");
    site.run("broken", &run);
    site.write(
        "content/runs/broken/events.jsonl",
        site.bytes(&format!("{FIRST}/events.jsonl")),
    );
    site.write(
        &format!("content/runs/broken/{SIDECAR}"),
        lines(&[
            HEADER,
            &annotation("bad", 900, "note", ""),
            &annotation("gone", 0, "note", ""),
        ]),
    );
    site.write(
        "site.toml",
        "[site]\nbase_url = \"https://runs.example.org/\"\n[policy]\non_invalid = \"quarantine\"\n",
    );
    site.publish();
    let feed = site.text("public/feeds/annotations.jsonl");
    assert_eq!(feed.lines().count(), 1, "{feed}");
    assert!(feed.contains("\"first\""));
}

#[test]
fn hypotheses_are_on_a_board_with_a_column_for_every_status() {
    let site = annotated(&one_of_each());
    let page = site.page("annotations/hypothesis/index.html");
    assert_eq!(
        page.texts(".board > section > h2"),
        ["Active", "Verifying", "Confirmed", "Disproven", "Stale"]
    );
    assert_eq!(
        page.all(".board > section[aria-labelledby=confirmed] li")
            .len(),
        1
    );
    assert_eq!(page.texts(".board > section > p:last-child"), ["None."; 4]);
    assert_eq!(problems(&site.published()), [""; 0]);
    assert_eq!(
        site.page("annotations/friction/index.html")
            .all(".board")
            .len(),
        0
    );
}

#[test]
fn a_card_says_of_which_case_it_is_and_who_wrote_it() {
    let by = |id: &str, kind: &str| {
        annotation(
            id,
            1,
            "note",
            &format!("\"author\":{{\"id\":\"x\",\"kind\":\"{kind}\"}}"),
        )
    };
    let site = annotated(&[
        by("a", "human"),
        by("b", "agent"),
        annotation("c", 1, "note", ""),
    ]);
    let page = site.page("annotations/note/index.html");
    let said = page.texts(".glimpses > li > p:last-child");
    let by: Vec<_> = said
        .iter()
        .map(|said| said.split_once("; ").map(|(_, by)| by))
        .collect();
    assert_eq!(
        by,
        [
            Some("annotated by x (human)"),
            Some("annotated by x (agent)"),
            None
        ]
    );
    assert!(said.iter().all(|said| said.starts_with("pong · ")));
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
    assert_eq!(
        counts(&shelves["hypothesis"]["blocks"][0]),
        std::collections::BTreeMap::from([(3 * 6 + 2, 1)])
    );
    assert_eq!(shelves["hypothesis"]["groups"][2], "confirmed");
    let row = &cards(&site, "correct")[0].2;
    assert_eq!(
        row,
        &json!({
            "key": [0, 3, 0],
            "slug": FIRST_SLUG,
            "run": "pong · base · v1.0.0",
            "model": "sample/lark-1",
            "kind": null,
            "group": null,
            "evidence": "Reads first.",
            "href": "index.html#a-c",
            "event": 0,
            "event_kind": "agent",
            "says": "I will read the task first.",
            "author": null,
            "at": null
        })
    );
    assert_eq!(shelves["correct"]["class"], "correct");
    assert_eq!(cards(&site, "unknown").len(), 1);
    let friction = &cards(&site, "friction")[0].2;
    assert_eq!(friction["group"], "tool gap");
}

#[test]
fn the_data_of_very_many_annotations_is_in_small_files_and_says_what_each_holds() {
    let long = "wide <b> words ".repeat(60);
    let many: Vec<String> = (0..3_600)
        .map(|number| {
            let kind = ["human", "agent"][usize::from(number > 1_800)];
            let more =
                format!(r#""evidence":"{number} {long}\u2028","author":{{"kind":"{kind}"}}"#);
            annotation(&format!("n-{number}"), number % 4, "note", &more)
        })
        .collect();
    let site = annotated(&many);
    let manifest = data(&site, "search/annotations", "annotations");
    let note = &manifest["shelves"]["note"];
    let cards = cards(&site, "note");
    let blocks = note["blocks"].as_array().expect("blocks");
    assert!(blocks.len() > 1, "{manifest}");
    let list = |files: &Value| files.as_array().expect("files").clone();
    let older = (0..blocks.len() - 1).map(|block| {
        let path = format!("search/annotations-note/{block}");
        list(&data(&site, &path, "annotations"))
    });
    let held: Vec<Vec<Value>> = older.chain([list(&note["files"])]).collect();
    for (block, files) in blocks.iter().zip(&held) {
        let mut sums = std::collections::BTreeMap::new();
        for (key, number) in files.iter().flat_map(counts) {
            *sums.entry(key).or_insert(0) += number;
        }
        assert_eq!(counts(block), sums);
    }
    for (file, held) in held.concat().iter().enumerate() {
        for (key, number) in counts(held) {
            let of = cards.iter().filter(|(at, _, _)| *at == file);
            let of = of.filter(|(.., card)| card["key"] == json!([0, key, 0]));
            assert_eq!(of.count(), number);
        }
    }
    let sums = held.iter().flatten().flat_map(counts);
    assert_eq!(sums.map(|(_, number)| number).sum::<usize>(), 3_600);
    assert_eq!(cards.len(), 3_600);
    let shown = site.page("annotations/note/page/36/index.html");
    let href = |row: &Value| {
        let [slug, href] = ["slug", "href"].map(|name| row[name].as_str().expect("a text"));
        format!("../../../../runs/{slug}/{href}")
    };
    assert_eq!(
        shown
            .all(".glimpses .ah a")
            .last()
            .and_then(|link| link.attr("href")),
        cards.first().map(|(.., card)| href(card)).as_deref()
    );
}

#[test]
fn without_annotations_there_is_nothing_to_filter() {
    let site = TestSite::base();
    site.remove(&format!("{FIRST}/{SIDECAR}"));
    site.publish();
    let manifest = data(&site, "search/annotations", "annotations");
    assert_eq!(manifest["shelves"], json!({}));
}
