//! How far several annotators of a tape agree: the feed, and the section of the run page.

use serde_json::{Value, json};

use crate::crawl::problems;
use crate::support::{FIRST, FIRST_SLUG, HEADER, TestSite, annotation, described, lines};

const SIDECAR: &str = "events.jsonl.annotations.jsonl";
const FEED: &str = "feeds/agreement.json";
const SECTION: &str = "section[aria-labelledby=moments] > details";

/// Annotations by author, event and kind; a number after the event is the end of a span.
fn annotated(annotations: &[(&str, &str, &str)]) -> TestSite {
    let site = TestSite::base();
    let annotations = annotations
        .iter()
        .zip(1..)
        .map(|((author, events, kind), id)| {
            let (first, last) = events.split_once("..").unwrap_or((events, events));
            let event = first.parse().expect("a number");
            let mut more = format!(r#""span":{{"start_event_id":{first},"end_event_id":{last}}}"#);
            if !author.is_empty() {
                more += &format!(r#","author":{author}"#);
            }
            annotation(&format!("a-{id}"), event, kind, &more)
        });
    let all: Vec<String> = std::iter::once(HEADER.to_owned())
        .chain(annotations)
        .collect();
    site.write(&format!("{FIRST}/{SIDECAR}"), lines(&all));
    assert_eq!(described(&site.publish()), [""; 0]);
    assert_eq!(problems(&site.published()), [""; 0]);
    site
}

const ANN: &str = r#"{"id":"ann","kind":"human"}"#;
const BEN: &str = r#"{"id":"ben <b>","kind":"human","surface":"ide"}"#;
const SCAN: &str = r#"{"id":"ann","kind":"system"}"#;

fn rounded(kappa: &Value) -> String {
    kappa
        .as_f64()
        .map_or_else(|| "null".to_owned(), |kappa| format!("{kappa:.4}"))
}

#[test]
fn annotators_are_compared_over_all_events_by_their_sets_of_kinds() {
    let site = annotated(&[
        (ANN, "0", "correct"),
        (BEN, "0", "correct"),
        (BEN, "2", "note"),
        (ANN, "2", "incorrect"),
        (SCAN, "1..3", "marker"),
        (ANN, "3", "note"),
        ("", "3", "note"),
        (r#"{"kind":"human"}"#, "3", "note"),
    ]);
    let feed = site.json(FEED);
    let tape = &feed["tapes"][0];
    assert_eq!(feed["tapes"].as_array().map(Vec::len), Some(1));
    assert_eq!(tape["events"], 4);
    assert_eq!(tape["unnamedAnnotations"], 2);
    // People first; the same name is another annotator as a program.
    let annotators = json!([
        {"id": "ann", "kind": "human", "annotations": 3},
        {"id": "ben <b>", "kind": "human", "annotations": 2},
        {"id": "ann", "kind": "system", "annotations": 1},
    ]);
    assert_eq!(tape["annotators"], annotators);
    let pairs = tape["pairs"].as_array().expect("pairs");
    let of: Vec<_> = pairs
        .iter()
        .map(|pair| {
            json!([
                pair["annotators"],
                pair["both"],
                pair["same"],
                pair["only"],
                rounded(&pair["kappa"])
            ])
        })
        .collect();
    let expected = [
        // 2 of 4 classes are equal, 4 of 16 by chance: correct, none twice, note.
        json!([[0, 1], 2, 1, [1, 0], "0.3333"]),
        // None is equal, 1 of 16 by chance: none.
        json!([[0, 2], 2, 0, [1, 1], "-0.0667"]),
        json!([[1, 2], 1, 0, [1, 2], "-0.1429"]),
    ];
    assert_eq!(of, expected);
    let kinds: Vec<_> = pairs[0]["kinds"]
        .as_array()
        .expect("kinds")
        .iter()
        .map(|it| {
            json!([
                it["kind"],
                it["both"],
                it["only"],
                it["neither"],
                rounded(&it["kappa"])
            ])
        })
        .collect();
    let expected = [
        json!(["correct", 1, [0, 0], 3, "1.0000"]),
        json!(["incorrect", 0, [1, 0], 3, "0.0000"]),
        json!(["note", 0, [1, 1], 2, "-0.3333"]),
    ];
    assert_eq!(kinds, expected);
    let expected = json!([
        {"event_id": 0, "end_event_id": 0, "kinds": [["correct"], ["correct"], []]},
        {"event_id": 1, "end_event_id": 1, "kinds": [[], [], ["marker"]]},
        {"event_id": 2, "end_event_id": 2, "kinds": [["incorrect"], ["note"], ["marker"]]},
        {"event_id": 3, "end_event_id": 3, "kinds": [["note"], [], ["marker"]]},
    ]);
    assert_eq!(tape["disagreements"], expected);

    let page = site.first_page();
    let summary = page.texts(&format!("{SECTION} > summary"));
    assert_eq!(summary, ["Agreement of annotators 3 annotators, 4 events"]);
    let groups = page.texts(&format!("{SECTION} .group"));
    assert_eq!(
        groups[0],
        "ann (human) and ben <b> (human): the same kinds for 1 of 2 events that both annotate; κ 0.33, n = 4"
    );
    assert_eq!(
        groups[1],
        "ann (human) and ann (system): the same kinds for 0 of 2 events that both annotate; κ −0.07, n = 4"
    );
    let differ = page.texts(&format!("{SECTION} li"));
    assert_eq!(
        differ[0],
        "event 2: incorrect by ann; note by ben <b>; marker by ann"
    );
    assert_eq!(differ[1], "event 3: note by ann; marker by ann");
    assert_eq!(differ.len(), 2);
    let link = page.all(&format!("{SECTION} li a"))[0].attr("href");
    assert_eq!(link, Some("#e-2"));
    assert!(
        page.texts(&format!("{SECTION} p"))[0]
            .contains("2 annotations without the name of an author")
    );
}

#[test]
fn several_kinds_on_one_event_are_one_class() {
    let site = annotated(&[
        (ANN, "1", "marker"),
        (ANN, "0..1", "correct"),
        (BEN, "1..2", "correct"),
    ]);
    let feed = site.json(FEED);
    let pair = &feed["tapes"][0]["pairs"][0];
    assert_eq!((&pair["both"], &pair["same"]), (&json!(1), &json!(0)));
    // By kind, both call event 1 correct.
    let correct = json!(["correct", 1, [1, 1], 1]);
    let kind = &pair["kinds"][0];
    assert_eq!(
        json!([kind["kind"], kind["both"], kind["only"], kind["neither"]]),
        correct
    );
    let page = site.first_page();
    let differ = page.texts(&format!("{SECTION} li"));
    assert_eq!(
        differ,
        ["event 1: correct and marker by ann; correct by ben <b>"]
    );
}

#[test]
fn kappa_is_undefined_where_all_events_are_in_one_class() {
    let site = annotated(&[(ANN, "0..3", "note"), (BEN, "0..3", "note")]);
    let feed = site.json(FEED);
    let tape = &feed["tapes"][0];
    assert_eq!(tape["pairs"][0]["kappa"], Value::Null);
    assert_eq!(tape["pairs"][0]["kinds"][0]["kappa"], Value::Null);
    assert_eq!(tape["pairs"][0]["same"], 4);
    assert_eq!(tape["disagreements"], json!([]));
    let page = site.first_page();
    let group = &page.texts(&format!("{SECTION} .group"))[0];
    assert!(
        group.ends_with("κ is undefined, since both give all events the same kinds, n = 4"),
        "{group}"
    );
    assert_eq!(
        page.texts(&format!("{SECTION} > p"))[1],
        "They differ on no event that several annotate."
    );
}

#[test]
fn one_author_agrees_with_no_one() {
    let site = annotated(&[(ANN, "0", "note"), ("", "0", "note")]);
    let none = json!({"schemaVersion": 1, "statistic": "Cohen's kappa", "tapes": []});
    assert_eq!(site.json(FEED), none);
    assert!(site.first_page().all(SECTION).is_empty());
    let unread = site.text(&format!("public/runs/{FIRST_SLUG}/index.html"));
    assert!(!unread.contains("κ"));
}

#[test]
fn of_many_annotators_those_with_the_most_annotations_are_compared() {
    let authors: Vec<String> = (0..12)
        .map(|number| format!(r#"{{"id":"a-{number:02}","kind":"agent"}}"#))
        .collect();
    let mut all = Vec::new();
    for (number, author) in authors.iter().enumerate() {
        // The last four have two annotations each.
        for event in ["0", "3"].into_iter().take(if number < 8 { 1 } else { 2 }) {
            all.push((author.as_str(), event, "note"));
        }
    }
    let site = annotated(&all);
    let feed = site.json(FEED);
    let tape = &feed["tapes"][0];
    assert_eq!(tape["omittedAnnotators"], 4);
    let names: Vec<_> = tape["annotators"]
        .as_array()
        .expect("annotators")
        .iter()
        .map(|it| &it["id"])
        .collect();
    assert_eq!(
        names,
        [
            "a-00", "a-01", "a-02", "a-03", "a-08", "a-09", "a-10", "a-11"
        ]
    );
    assert_eq!(tape["pairs"].as_array().map(Vec::len), Some(28));
    let page = site.first_page();
    assert_eq!(page.all(&format!("{SECTION} .group")).len(), 6);
    let words = page.texts(&format!("{SECTION} > p"));
    assert!(
        words[0].contains("Only the 8 with the most annotations are compared."),
        "{}",
        words[0]
    );
    assert_eq!(words[1], "22 more pairs in the data.");
}
