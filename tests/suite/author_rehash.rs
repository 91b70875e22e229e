//! Updating a sidecar for a changed tape: what is shown, what is written, and when nothing is.

use crate::support::{FIRST, Ran, TestSite, annotation, lines, message, rows};

const SIDECAR: &str = "content/runs/first/events.jsonl.annotations.jsonl";
const TAPE: &str = "content/runs/first/events.jsonl";

fn rehash(site: &TestSite, more: &str) -> Ran {
    site.runpress(&format!("annotate --rehash {FIRST} {more}"))
}

fn log(says: &[&str]) -> String {
    let events: Vec<String> = (0..)
        .zip(says)
        .map(|(at, says)| message(at, says))
        .collect();
    lines(&events)
}

/// A log of three events with a sidecar that has its hash.
fn site(annotations: &[String]) -> TestSite {
    let site = TestSite::base();
    site.log(log(&["one", "two", "three"]))
        .annotate(annotations);
    rehash(&site, "").ok();
    site
}

#[test]
fn a_sidecar_without_a_hash_gets_one_and_every_other_byte_stays() {
    let site = TestSite::base();
    let hash = "2574e3c085c809454f0ccacfe95d361ad702af0ecea7ee20bf4f5fc5065f0883";
    for [header, from, to] in rows(
        r#"
{"type":"header","schema_version":1} | _version":1} | _version":1,"tape_content_hash":"HASH"}
{ "type": "header","schema_version":1 } | 1 } | 1 ,"tape_content_hash":"HASH"}
{"tape_content_hash" : null,"type":"header","schema_version":1} | null | "HASH"
{"type":"header","tape_content_hash":"00\u0030","schema_version":1} | "00\u0030" | "HASH"
"#,
    ) {
        let note = annotation("a", 2, "note", "");
        let before = format!("\u{feff}# by hand\r\n\r\n{header}  \r\n  # spaced\n{note}");
        site.write(SIDECAR, &before);
        let ran = rehash(&site, "").quiet();
        assert_eq!(
            ran.stdout,
            format!(
                "{SIDECAR}: the hash is now {hash}; the annotations point at\n  a (note)\n    event 2, command: npm test\n"
            )
        );
        let after = before.replacen(from, &to.replace("HASH", hash), 1);
        assert_eq!(site.text(SIDECAR), after);
        site.runpress("check --deny warnings").ok();
    }
}

#[test]
fn a_hash_that_agrees_is_said_to_agree_and_nothing_is_written() {
    let site = site(&[annotation("a", 1, "note", "")]);
    let stamp = || {
        std::fs::metadata(site.path(SIDECAR))
            .and_then(|meta| meta.modified())
            .expect("a time")
    };
    let before = (site.text(SIDECAR), stamp());
    let ran = rehash(&site, "").quiet();
    assert_eq!(
        ran.stdout,
        format!("{SIDECAR}: the hash matches the tape; nothing was written\n")
    );
    assert_eq!((site.text(SIDECAR), stamp()), before);
}

#[test]
fn after_a_change_every_annotation_is_shown_with_its_event_and_the_check_is_clean() {
    let evidence = r#""evidence":"Says **two**.\nAnd no more.""#;
    let site = site(&[
        annotation("a", 1, "note", evidence),
        annotation("", 2, "incorrect", ""),
    ]);
    site.write(TAPE, log(&["one", "two", "four"]));
    let checked = site.runpress("check").exits(1);
    checked.says("run `runpress annotate --rehash content/runs/first`");
    let ran = rehash(&site, "").quiet();
    let (_, shown) = ran.stdout.split_once('\n').expect("lines");
    assert_eq!(
        shown,
        "  a (note): Says **two**. And no more.\n    event 1, agent: two\n  ann@event_2 (incorrect)\n    event 2, agent: four\n"
    );
    site.runpress("check --deny warnings").ok();
}

#[test]
fn with_the_earlier_tape_both_events_and_the_new_number_of_a_moved_one_are_shown() {
    let note = |id: &str, event| annotation(id, event, "note", "");
    let site = site(&[note("same", 0), note("moved", 1), note("gone", 2)]);
    let events = site.text(TAPE);
    site.write("old.jsonl", &events);
    let all: Vec<&str> = events.lines().collect();
    site.write(TAPE, lines(&[all[0], &message(9, "new"), all[1]]));
    let ran = rehash(&site, "--before content/runs/first/run-record.json").exits(2);
    ran.says("is not the annotated tape");
    let ran = rehash(&site, "--before old.jsonl").ok();
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
    let ran = rehash(&site, "--before old.jsonl");
    let end = "event 1, agent: two (changed, but these words are the same)\n";
    assert!(ran.stdout.ends_with(end), "{}", ran.stdout);
}

#[test]
fn an_annotation_whose_event_or_quote_is_gone_stops_it() {
    let site = site(&[annotation(
        "q",
        2,
        "note",
        r#""metadata":{"quote":"three"}"#,
    )]);
    site.write(TAPE, log(&["one", "two", "new", "three"]));
    let before = site.text(SIDECAR);
    let ran = rehash(&site, "").exits(1);
    ran.prints("would point at\n  q (note)\n    event 2, agent: new\n");
    ran.says("Event `3` contains it");
    assert!(
        ran.stderr.ends_with("Nothing was written.\n"),
        "{}",
        ran.stderr
    );
    assert_eq!(site.text(SIDECAR), before);
    site.write(TAPE, log(&["one", "two"]));
    let ran = rehash(&site, "").exits(1);
    ran.prints("q (note)\n    no event 2\n");
    ran.says("annotation.unknown-event-id");
    assert_eq!(site.text(SIDECAR), before);
    site.write(TAPE, log(&["one", "two", "new", "three"]));
    site.replace(SIDECAR, "\"event_id\":2", "\"event_id\":3");
    rehash(&site, "").ok();
    site.runpress("check --deny warnings").ok();
}

#[test]
fn a_sidecar_that_cannot_be_rehashed_is_reported() {
    let site = TestSite::base();
    let good = site.text(SIDECAR);
    site.remove(SIDECAR);
    rehash(&site, "").exits(2).says("has no sidecar");
    site.write(SIDECAR, good + "{\n");
    rehash(&site, "").exits(1).says("sidecar.malformed-line");
    for more in ["--event 1", "--kind note", "--author x"] {
        rehash(&site, more).exits(2);
    }
    site.runpress(&format!(
        "annotate {FIRST} --event 1 --kind note --before x"
    ))
    .exits(2);
}
