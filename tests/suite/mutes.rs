//! Muted events: they are shown, but count as a failure nowhere.

use serde_json::Value;

use crate::support::{FIRST, Page, TestSite, annotation, copy, event, fixture, lines, span};

/// A site with cards and stories whose first run has these events and annotations.
fn with(events: &[String], annotations: &[String]) -> TestSite {
    let site = TestSite::base();
    site.write("site.toml", "[site]\nstories = \"all\"\n");
    site.write_first("events.jsonl", lines(events));
    site.annotate(annotations).publish();
    site
}

fn failed(second: u32, command: &str) -> String {
    event(
        second,
        "command",
        &format!("\"command\":\"{command}\",\"exitCode\":1,\"isSuccess\":false"),
    )
}

fn log() -> Vec<String> {
    vec![
        failed(0, "flaky test"),
        event(1, "agent", "\"message\":\"Again.\""),
        failed(2, "another flake"),
        event(3, "error", "\"message\":\"A known flake\""),
        failed(4, "real failure"),
        event(5, "agent", "\"message\":\"Done.\""),
    ]
}

fn mutes() -> Vec<String> {
    vec![
        annotation("m", 0, "mute", "\"evidence\":\"known flake\""),
        annotation("s", 1, "mute", &span(1, 3)),
    ]
}

fn tape(site: &TestSite) -> Value {
    site.first_run()["tapes"][0].clone()
}

#[test]
fn a_muted_failure_is_shown_but_not_counted() {
    let site = with(&log(), &mutes());
    let page = site.first_page();
    let main = page.main();
    let caption = "6 events, over 10 min 12 s, the last event after 5 s, 1 failure";
    assert!(main.contains(caption), "{main}");
    for word in ["2 failures", "3 failures", "4 failures"] {
        assert!(!main.contains(word), "{word}");
    }
    assert!(main.contains("flaky test") && main.contains("A known flake"));
    assert_eq!(
        page.all("li.e.fail").len(),
        4,
        "the timeline shows what failed"
    );
    let written = tape(&site).to_string();
    assert!(!written.contains("\"failures\":4"), "{written}");
}

#[test]
fn the_first_failure_of_a_story_is_not_a_muted_one() {
    let site = with(&log(), &mutes());
    let story = Page::parse(&site.first_text("story/index.html"));
    let frames = story.texts(".frame h2");
    let first: Vec<_> = frames
        .iter()
        .filter(|title| title.contains("First failure"))
        .collect();
    assert_eq!(first.len(), 1, "{frames:?}");
    assert!(first[0].contains("event 4"), "{first:?}");
}

#[test]
fn search_lists_no_muted_failure() {
    let words = |site: &TestSite| {
        let files = site.published().into_iter();
        let texts = files.filter(|(path, _)| path.starts_with("search/texts"));
        let texts: String = texts
            .map(|(_, bytes)| String::from_utf8_lossy(&bytes).into_owned())
            .collect();
        texts
    };
    let muted = words(&with(&log(), &mutes()));
    assert!(muted.contains("real failure"));
    assert!(!muted.contains("another flake") && !muted.contains("A known flake"));
}

#[test]
fn an_alternative_shows_its_suggested_fix_in_the_story() {
    let site = with(
        &log(),
        &[
            annotation(
                "a",
                4,
                "alternative",
                "\"evidence\":\"use X\",\"suggested_fix\":{\"command\":\"npm ci\"}",
            ),
            annotation(
                "b",
                2,
                "alternative",
                "\"evidence\":\"use Y\",\"suggested_fix\":\"npm <install>\"",
            ),
        ],
    );
    let story = Page::parse(&site.first_text("story/index.html"));
    let fixes = story.texts(".frame > p code");
    assert_eq!(fixes, ["npm <install>", "{\"command\":\"npm ci\"}"]);
}

#[test]
fn the_list_of_anchors_to_crystallize_names_the_events_of_a_span() {
    let site = with(
        &log(),
        &[
            annotation(
                "c",
                2,
                "crystallize_here",
                "\"evidence\":\"wrap\",\"span\":{\"start_event_id\":2,\"end_event_id\":4}",
            ),
            annotation("d", 5, "crystallize_here", "\"evidence\":\"one\""),
        ],
    );
    let page = site.page("annotations/crystallize-here/index.html");
    let said = page.texts(".glimpses a");
    for expected in ["events 2 to 4", "event 5"] {
        assert!(
            said.iter().any(|text| text.starts_with(expected)),
            "{said:?}"
        );
    }
}

#[test]
fn a_story_begins_with_the_failure_that_nobody_muted() {
    let site = TestSite::base();
    copy(&fixture("cases/muted-failure"), &site.path(FIRST));
    site.write("site.toml", "[site]\nstories = \"all\"\n");
    site.publish();
    site.first_page().says(", 1 failure,");
    let story = Page::parse(&site.first_text("story/index.html"));
    let failures: Vec<String> = story
        .texts(".frame h2")
        .into_iter()
        .filter(|title| title.contains("First failure"))
        .collect();
    assert!(
        failures.iter().all(|title| title.contains("event 1")),
        "{failures:?}"
    );
    assert_eq!(story.texts(".frame > p code"), ["{\"command\":\"npm ci\"}"]);
}
