//! Updating a sidecar for a changed tape: what is shown, what is written, and when nothing is.

use crate::support::{FIRST, HEADER, Ran, TestSite, annotation, event, lines};

const SIDECAR: &str = "content/runs/first/events.jsonl.annotations.jsonl";
const TAPE: &str = "content/runs/first/events.jsonl";

fn rehash(site: &TestSite, arguments: &[&str]) -> Ran {
    site.runpress(&[&["annotate", "--rehash", FIRST], arguments].concat())
}

fn log(says: &[&str]) -> String {
    let events: Vec<String> = says
        .iter()
        .zip(0..)
        .map(|(says, at)| event(at, "agent", &format!("\"message\":\"{says}\"")))
        .collect();
    lines(&events)
}

/// A log of three events with a sidecar that has its hash.
fn site(annotations: &[String]) -> TestSite {
    let site = TestSite::base();
    site.write(TAPE, log(&["one", "two", "three"]));
    let all = [&[HEADER.to_owned()], annotations].concat();
    site.write(SIDECAR, lines(&all));
    let ran = rehash(&site, &[]);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    site
}

#[test]
fn a_sidecar_without_a_hash_gets_one_and_every_other_byte_stays() {
    let site = TestSite::base();
    for (header, from, to) in [
        (
            HEADER,
            "_version\":1}",
            "_version\":1,\"tape_content_hash\":\"HASH\"}",
        ),
        (
            "{ \"type\": \"header\",\"schema_version\":1 }  ",
            "1 }",
            "1 ,\"tape_content_hash\":\"HASH\"}",
        ),
        (
            "{\"tape_content_hash\" : null,\"type\":\"header\",\"schema_version\":1}",
            "null",
            "\"HASH\"",
        ),
        (
            "{\"type\":\"header\",\"tape_content_hash\":\"00\\u0030\",\"schema_version\":1}",
            "\"00\\u0030\"",
            "\"HASH\"",
        ),
    ] {
        let before = format!(
            "\u{feff}# by hand\r\n\r\n{header}\r\n  # spaced\n{}",
            annotation("a", 2, "note", "")
        );
        site.write(SIDECAR, &before);
        let ran = rehash(&site, &[]);
        assert_eq!((ran.status, ran.stderr.as_str()), (Some(0), ""), "{header}");
        let hash = "2574e3c085c809454f0ccacfe95d361ad702af0ecea7ee20bf4f5fc5065f0883";
        assert_eq!(
            ran.stdout,
            format!(
                "{SIDECAR}: the hash is now {hash}; the annotations point at\n  a (note)\n    event 2, command: npm test\n"
            )
        );
        assert_eq!(
            site.text(SIDECAR),
            before.replacen(from, &to.replace("HASH", hash), 1)
        );
        assert_eq!(
            site.runpress(&["check", "--deny", "warnings"]).status,
            Some(0)
        );
    }
}

#[test]
fn a_hash_that_agrees_is_said_to_agree_and_nothing_is_written() {
    let site = site(&[annotation("a", 1, "note", "")]);
    let before = site.text(SIDECAR);
    let changed = std::fs::metadata(site.path(SIDECAR))
        .and_then(|meta| meta.modified())
        .expect("a time");
    let ran = rehash(&site, &[]);
    assert_eq!((ran.status, ran.stderr.as_str()), (Some(0), ""));
    assert_eq!(
        ran.stdout,
        format!("{SIDECAR}: the hash matches the tape; nothing was written\n")
    );
    assert_eq!(site.text(SIDECAR), before);
    let after = std::fs::metadata(site.path(SIDECAR))
        .and_then(|meta| meta.modified())
        .expect("a time");
    assert_eq!(changed, after);
}

#[test]
fn after_a_change_every_annotation_is_shown_with_its_event_and_the_check_is_clean() {
    let site = site(&[
        annotation(
            "a",
            1,
            "note",
            r#""evidence":"Says **two**.\nAnd no more.""#,
        ),
        annotation("", 2, "incorrect", ""),
    ]);
    site.write(TAPE, log(&["one", "two", "four"]));
    let checked = site.runpress(&["check"]);
    assert_eq!(checked.status, Some(1));
    assert!(
        checked.stderr.contains("run `runpress annotate --rehash`"),
        "{}",
        checked.stderr
    );
    let ran = rehash(&site, &[]);
    assert_eq!((ran.status, ran.stderr.as_str()), (Some(0), ""));
    let (_, shown) = ran.stdout.split_once('\n').expect("lines");
    assert_eq!(
        shown,
        "  a (note): Says **two**. And no more.\n    event 1, agent: two\n  ann@event_2 (incorrect)\n    event 2, agent: four\n"
    );
    assert_eq!(
        site.runpress(&["check", "--deny", "warnings"]).status,
        Some(0)
    );
}

#[test]
fn with_the_earlier_tape_both_events_and_the_new_number_of_a_moved_one_are_shown() {
    let site = site(&[
        annotation("same", 0, "note", ""),
        annotation("moved", 1, "note", ""),
        annotation("gone", 2, "note", ""),
    ]);
    site.write("old.jsonl", site.text(TAPE));
    let events = site.text(TAPE);
    let all: Vec<&str> = events.lines().collect();
    let new = event(9, "agent", "\"message\":\"new\"");
    site.write(TAPE, lines(&[all[0], &new, all[1]]));
    let ran = rehash(&site, &["--before", "content/runs/first/run-record.json"]);
    assert_eq!(ran.status, Some(2));
    assert!(
        ran.stderr.contains("is not the annotated tape"),
        "{}",
        ran.stderr
    );
    let ran = rehash(&site, &["--before", "old.jsonl"]);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    let (_, shown) = ran.stdout.split_once('\n').expect("lines");
    assert_eq!(
        shown,
        concat!(
            "  same (note)\n    event 0, agent: one (unchanged)\n",
            "  moved (note)\n    before: event 1, agent: two\n    now: event 1, agent: new\n    The event moved to 2.\n",
            "  gone (note)\n    before: event 2, agent: three\n    now: event 2, agent: two\n    The event was changed or removed.\n",
        )
    );
}

#[test]
fn an_event_that_was_changed_out_of_sight_is_said_to_be_changed() {
    let site = site(&[annotation("a", 1, "note", "")]);
    site.write("old.jsonl", site.text(TAPE));
    site.replace(TAPE, "10:00:01Z", "10:00:01.5Z");
    let ran = rehash(&site, &["--before", "old.jsonl"]);
    assert!(
        ran.stdout
            .ends_with("event 1, agent: two (changed, but these words are the same)\n"),
        "{}",
        ran.stdout
    );
}

#[test]
fn an_annotation_whose_event_or_quote_is_gone_stops_it() {
    let quoting = |words: &str| {
        annotation(
            "q",
            2,
            "note",
            &format!("\"metadata\":{{\"quote\":\"{words}\"}}"),
        )
    };
    let site = site(&[quoting("three")]);
    site.write(TAPE, log(&["one", "two", "new", "three"]));
    let before = site.text(SIDECAR);
    let ran = rehash(&site, &[]);
    assert_eq!(ran.status, Some(1));
    assert!(
        ran.stdout
            .contains("would point at\n  q (note)\n    event 2, agent: new\n"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stderr.contains("Event `3` contains it"),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stderr.ends_with("Nothing was written.\n"),
        "{}",
        ran.stderr
    );
    assert_eq!(site.text(SIDECAR), before);
    site.write(TAPE, log(&["one", "two"]));
    let ran = rehash(&site, &[]);
    assert_eq!(ran.status, Some(1));
    assert!(
        ran.stdout.contains("q (note)\n    no event 2\n"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stderr.contains("annotation.unknown-event-id"),
        "{}",
        ran.stderr
    );
    assert_eq!(site.text(SIDECAR), before);
    site.write(TAPE, log(&["one", "two", "new", "three"]));
    site.replace(SIDECAR, "\"event_id\":2", "\"event_id\":3");
    assert_eq!(rehash(&site, &[]).status, Some(0));
    assert_eq!(
        site.runpress(&["check", "--deny", "warnings"]).status,
        Some(0)
    );
}

#[test]
fn a_sidecar_that_cannot_be_rehashed_is_reported() {
    let site = TestSite::base();
    let good = site.text(SIDECAR);
    site.remove(SIDECAR);
    let ran = rehash(&site, &[]);
    assert_eq!(ran.status, Some(2));
    assert!(ran.stderr.contains("has no sidecar"), "{}", ran.stderr);
    site.write(SIDECAR, good + "{\n");
    let ran = rehash(&site, &[]);
    assert_eq!(ran.status, Some(1));
    assert!(
        ran.stderr.contains("sidecar.malformed-line"),
        "{}",
        ran.stderr
    );
    for arguments in [
        &["--event", "1"][..],
        &["--kind", "note"],
        &["--author", "x"],
    ] {
        assert_eq!(rehash(&site, arguments).status, Some(2), "{arguments:?}");
    }
    let ran = site.runpress(&[
        "annotate", FIRST, "--event", "1", "--kind", "note", "--before", "x",
    ]);
    assert_eq!(ran.status, Some(2));
}
