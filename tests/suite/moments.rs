//! The annotated moments of a run page: the comment next to the event and its neighbors.

use scraper::ElementRef;

use crate::support::{TestSite, below, event, lacks, messages};

fn annotated(annotations: &[String]) -> TestSite {
    let site = TestSite::base();
    let log =
        messages(4) + &event(5, "command", "\"command\":\"npm test\",\"isSuccess\":false") + "\n";
    site.write_first("events.jsonl", log).annotate(annotations);
    site.publish();
    site
}

fn note(id: &str, event: u64, more: &str) -> String {
    format!(r#"{{"type":"annotation","id":"{id}","event_id":{event},"kind":"note"{more}}}"#)
}

/// For each moment: its text, and the numbers of the events shown; the annotated one is in brackets.
fn moments(site: &TestSite) -> Vec<(String, String)> {
    let words = |element: ElementRef<'_>| {
        let text: String = element.text().collect();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let page = site.first_page();
    let moments = page.all(".moments > li").into_iter().map(|moment| {
        let said = below(moment, ".word").into_iter().map(words);
        let numbers = below(moment, ".around li").into_iter().map(|event| {
            let seq: String = below(event, "a").into_iter().map(words).collect();
            if event.value().classes().any(|class| class == "here") {
                format!("[{seq}]")
            } else {
                seq
            }
        });
        (said.collect(), numbers.collect::<Vec<_>>().join(" "))
    });
    moments.collect()
}

#[test]
fn moments_come_in_the_order_of_the_tape_with_the_events_around_them() {
    let site = annotated(&[
        note("late", 4, r#","evidence":"The **tests** fail.""#),
        note("first", 0, r#","evidence":"It begins.""#),
        note(
            "middle",
            2,
            r#","span":{"start_event_id":2,"end_event_id":3},"author":{"id":"r","kind":"human"}"#,
        ),
    ]);
    assert_eq!(
        moments(&site),
        [
            ("✎ note It begins.".to_owned(), "[0] 1".to_owned()),
            (
                "✎ note events 2 to 3 r (human)".to_owned(),
                "1 [2] 3".to_owned()
            ),
            ("✎ note The tests fail.".to_owned(), "3 [4]".to_owned()),
        ]
    );
}

#[test]
fn of_very_many_moments_the_page_shows_the_first_and_counts_the_others() {
    let many: Vec<_> = (0..45).map(|n| note(&format!("n{n}"), n % 5, "")).collect();
    let site = annotated(&many);
    assert_eq!(moments(&site).len(), 40);
    site.first_page()
        .says("5 more annotated moments on the timeline.");
}

#[test]
fn a_run_without_annotations_has_no_moments() {
    let site = TestSite::base();
    site.log(messages(2).as_bytes());
    site.publish();
    lacks(&site.first_page().main(), "Annotated moments");
}
