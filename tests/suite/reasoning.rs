//! `publish_reasoning = false`: reasoning in event logs and traces is nowhere on the site, and the page shows its count.

use crate::support::{FIRST_SLUG, TestSite, annotation, codes, contains, event, lines};

const OFF: &str = "[policy]\npublish_reasoning = false\n";
const SECRET: &str = "plovergold";
const LOG: &str = "events.jsonl";
const TRACE: &str = "run.trace.jsonl";

/// An event log and a trace with reasoning in every possible place.
fn site(settings: &str) -> TestSite {
    let site = TestSite::base();
    site.write("site.toml", settings);
    let log = [
        event(0, "agent", r#""message":"I begin.""#),
        event(1, "reasoning", r#""message":"SECRET""#),
        event(2, "gg", r#""event":{"step":1,"thinking":"SECRET"}"#),
        event(
            3,
            "unknown",
            r#""raw":{"type":"reasoning","text":"SECRET"}"#,
        ),
        event(4, "unknown", r#""raw":"thinking: SECRET""#),
        event(5, "thinking", r#""message":"SECRET""#),
        r#"{"timestamp":"t","type":"reasoning","message":"SECRET"#.to_owned(),
        event(7, "unknown", r#""raw":{"step":2}"#),
    ];
    site.log(lines(&log).replace("SECRET", SECRET));
    let trace = [
        r#"{"type":"trace","schemaVersion":1}"#,
        r#"{"seq":0,"type":"reasoning","text":"SECRET"}"#,
        r#"{"seq":1,"type":"tool_call","name":"think","call":"c","arguments":{"query":"SECRET"}}"#,
        r#"{"seq":2,"type":"tool_result","call":"c","text":"noted"}"#,
        r#"{"seq":3,"type":"note","kind":"thinking","text":"SECRET"}"#,
        r#"{"seq":4,"type":"reasoning","txt":"SECRET"}"#,
        r#"{"seq":5,"type":"message","role":"assistant","text":"Done."}"#,
    ];
    site.write_first(TRACE, lines(&trace).replace("SECRET", SECRET));
    site
}

#[test]
fn reasoning_is_published_by_default() {
    let site = site("");
    site.publish();
    let path = |name: &str| format!("runs/{FIRST_SLUG}/{name}");
    let holding = site.published_with(SECRET);
    for name in ["index.html", LOG, TRACE] {
        assert!(holding.contains(&path(name)), "{name} in {holding:?}");
    }
}

#[test]
fn withheld_reasoning_is_in_no_label_of_its_events() {
    let site = site(OFF);
    let span = r#""span":{"start_event_id":0,"end_event_id":7}"#;
    site.annotate(&[annotation("a", 0, "incorrect", span)]);
    site.publish();
    let labels = site.text("public/feeds/labels.jsonl");
    contains(&labels, "I begin.");
    contains(&labels, "\"reasoning\"");
    assert_eq!(site.published_with(SECRET), [""; 0]);
}

#[test]
fn withheld_reasoning_is_in_no_published_byte_and_the_page_counts_it() {
    let site = site(OFF);
    let outcome = site.publish();
    assert!(codes(&outcome).contains(&"events.unknown-type"));
    assert_eq!(site.published_with(SECRET), [""; 0]);
    let page = site.first_page();
    assert_eq!(page.beside("Downloads"), ["run.json"]);
    let main = page.main();
    contains(&main, "8 events, 6 of them without their reasoning");
    contains(&main, "6 events, 4 of them without their reasoning");
    assert!(main.contains("I begin.") && main.contains("Done.") && main.contains("noted"));
    // Everything else stays, and every event keeps its number.
    assert!(main.contains("\"step\":2"), "{main}");
    assert_eq!(page.all("ol.tape li.e").len(), 14);
    assert_eq!(crate::crawl::problems(&site.published()), [""; 0]);
}

#[test]
fn a_log_without_reasoning_can_still_be_downloaded() {
    let site = TestSite::base();
    site.write("site.toml", OFF);
    let log = [
        event(0, "agent", r#""message":"a""#),
        event(1, "unknown", r#""raw":{"a":1}"#),
    ];
    site.log(lines(&log));
    assert_eq!(codes(&site.publish()), [""; 0]);
    assert_eq!(site.first_text(LOG), lines(&log));
}

#[test]
fn a_quote_of_withheld_reasoning_is_not_found() {
    let site = TestSite::base();
    let log = [event(0, "reasoning", r#""message":"why not""#)];
    site.write_first(LOG, lines(&log));
    let quote = annotation("a", 0, "note", r#""metadata":{"quote":"why not"}"#);
    site.annotate(&[quote]);
    assert_eq!(codes(&site.check()), [""; 0]);
    site.write("site.toml", OFF);
    assert_eq!(codes(&site.check()), ["annotation.quote-not-found"]);
}
