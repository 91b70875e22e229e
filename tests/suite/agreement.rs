//! How far several annotators of a tape agree: the feed, and the section of the run page.

use serde_json::{Value, json};

use crate::crawl::problems;
use crate::support::{TestSite, annotation, contains, described, each, entries, lacks, span};

const FEED: &str = "feeds/agreement.json";
const SECTION: &str = "section[aria-labelledby=moments] > details";

fn annotated(annotations: &[(&str, &str, &str)]) -> TestSite {
    let site = TestSite::base();
    let annotations = annotations.iter().zip(1..);
    let annotations = annotations.map(|((author, events, kind), id)| {
        let (start, end) = events.split_once("..").unwrap_or((events, events));
        let [start, end] = [start, end].map(|event| event.parse().expect("a number"));
        let mut more = span(start, end);
        if !author.is_empty() {
            more += &format!(r#","author":{author}"#);
        }
        annotation(&format!("a-{id}"), start, kind, &more)
    });
    site.annotate(&annotations.collect::<Vec<_>>());
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
        .map_or("null".to_owned(), |kappa| format!("{kappa:.4}"))
}

/// These members of each entry of a list, with kappa rounded.
fn members(list: &Value, keys: &[&str]) -> Vec<Value> {
    let member = |entry: &Value, key: &str| match key {
        "kappa" => json!(rounded(&entry[key])),
        _ => entry[key].clone(),
    };
    let entry = |entry| keys.iter().map(|key| member(entry, key)).collect();
    entries(list).iter().map(entry).collect()
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
    assert_eq!(entries(&feed["tapes"]).len(), 1);
    assert_eq!(tape["events"], 4);
    assert_eq!(tape["unnamedAnnotations"], 2);
    // People first; the same name is another annotator as a program.
    let annotators = json!([
        {"id": "ann", "kind": "human", "annotations": 3},
        {"id": "ben <b>", "kind": "human", "annotations": 2},
        {"id": "ann", "kind": "system", "annotations": 1},
    ]);
    assert_eq!(tape["annotators"], annotators);
    let expected = [
        // 2 of 4 classes are equal, 4 of 16 by chance: correct, none twice, note.
        json!([[0, 1], 2, 1, [1, 0], "0.3333"]),
        // None is equal, 1 of 16 by chance: none.
        json!([[0, 2], 2, 0, [1, 1], "-0.0667"]),
        json!([[1, 2], 1, 0, [1, 2], "-0.1429"]),
    ];
    let keys = ["annotators", "both", "same", "only", "kappa"];
    assert_eq!(members(&tape["pairs"], &keys), expected);
    let expected = [
        json!(["correct", 1, [0, 0], 3, "1.0000"]),
        json!(["incorrect", 0, [1, 0], 3, "0.0000"]),
        json!(["note", 0, [1, 1], 2, "-0.3333"]),
    ];
    let keys = ["kind", "both", "only", "neither", "kappa"];
    assert_eq!(members(&tape["pairs"][0]["kinds"], &keys), expected);
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
    let expected = [
        "ann (human) and ben <b> (human): the same kinds for 1 of 2 events that both annotate; κ 0.33, n = 4",
        "ann (human) and ann (system): the same kinds for 0 of 2 events that both annotate; κ −0.07, n = 4",
    ];
    assert_eq!(groups[..2], expected);
    let differ = page.texts(&format!("{SECTION} li"));
    let expected = [
        "event 2: incorrect by ann; note by ben <b>; marker by ann",
        "event 3: note by ann; marker by ann",
    ];
    assert_eq!(differ, expected);
    assert_eq!(page.attrs(&format!("{SECTION} li a"), "href")[0], "#e-2");
    let words = &page.texts(&format!("{SECTION} p"))[0];
    contains(words, "2 annotations without the name of an author");
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
    let kinds = members(&pair["kinds"], &["kind", "both", "only", "neither"]);
    assert_eq!(kinds[0], json!(["correct", 1, [1, 1], 1]));
    let differ = site.first_page().texts(&format!("{SECTION} li"));
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
    let end = "κ is undefined, since both give all events the same kinds, n = 4";
    assert!(group.ends_with(end), "{group}");
    let words = page.texts(&format!("{SECTION} > p"));
    assert_eq!(words[1], "They differ on no event that several annotate.");
}

#[test]
fn one_author_agrees_with_no_one() {
    let site = annotated(&[(ANN, "0", "note"), ("", "0", "note")]);
    let none = json!({"schemaVersion": 1, "statistic": "Cohen's kappa", "tapes": []});
    assert_eq!(site.json(FEED), none);
    assert!(site.first_page().all(SECTION).is_empty());
    lacks(&site.first_text("index.html"), "κ");
}

#[test]
fn of_many_annotators_those_with_the_most_annotations_are_compared() {
    let author = |number| format!(r#"{{"id":"a-{number:02}","kind":"agent"}}"#);
    let authors: Vec<String> = (0..12).map(author).collect();
    // The last four have two annotations each.
    let first = authors.iter().map(|author| (&**author, "0", "note"));
    let second = authors[8..].iter().map(|author| (&**author, "3", "note"));
    let site = annotated(&first.chain(second).collect::<Vec<_>>());
    let feed = site.json(FEED);
    let tape = &feed["tapes"][0];
    assert_eq!(tape["omittedAnnotators"], 4);
    let names = [0, 1, 2, 3, 8, 9, 10, 11].map(|number| format!("a-{number:02}"));
    assert_eq!(each(&tape["annotators"], "id"), names.each_ref());
    assert_eq!(entries(&tape["pairs"]).len(), 28);
    let page = site.first_page();
    assert_eq!(page.all(&format!("{SECTION} .group")).len(), 6);
    let words = page.texts(&format!("{SECTION} > p"));
    contains(
        &words[0],
        "Only the 8 with the most annotations are compared.",
    );
    assert_eq!(words[1], "22 more pairs in the data.");
}
