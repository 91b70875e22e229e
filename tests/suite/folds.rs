//! Folds on a timeline: muted spans and repetition are folded, but nothing that failed or is annotated.

use crate::support::{Page, TestSite, annotation, event, lines, message, span};

/// The first page of the base site with these events and annotations.
fn page(log: &[String], annotations: &[String]) -> Page {
    let site = TestSite::base();
    site.log(lines(log)).annotate(annotations).publish();
    site.first_page()
}

fn command(at: u32, text: &str, ok: bool) -> String {
    let fields = format!(r#""command":"{text}","isSuccess":{ok}"#);
    event(at, "command", &fields)
}

fn anchors(page: &Page, selector: &str) -> String {
    page.attrs(selector, "id").join(" ")
}

const LINES: &str = ".tape > .fold > details > summary";
const FOLDED: &str = ".tape > .fold > details > ol > .e";
const OPEN: &str = ".tape > .e";

#[test]
fn four_commands_that_differ_in_numbers_are_one_line_and_keep_their_anchors() {
    let duels = (0..5).map(|at| command(at, &format!("duel.mjs --seed {}", at + 8), true));
    let log: Vec<_> = duels.chain([command(5, "npm test", true)]).collect();
    let page = page(&log, &[]);
    assert_eq!(
        page.texts(LINES),
        ["command duel.mjs --seed 8…12 ×5, all ok 0–4"]
    );
    assert_eq!(anchors(&page, FOLDED), "e-0 e-1 e-2 e-3 e-4");
    assert_eq!(anchors(&page, OPEN), "e-5");
}

fn read(at: u32, name: &str) -> String {
    event(at, "read", &format!(r#""path":"src/{name}.js""#))
}

#[test]
fn three_of_a_kind_other_words_and_what_an_agent_says_are_not_folded() {
    let mut log: Vec<_> = (0..3).map(|at| command(at, "ls", true)).collect();
    log.extend([read(3, "a"), read(4, "b"), read(5, "c")]);
    log.extend((6..12).map(|at| message(at, "again")));
    let page = page(&log, &[]);
    assert_eq!(page.all("li.fold").len(), 0);
    assert_eq!(page.all(OPEN).len(), 12);
}

#[test]
fn what_is_before_the_first_turn_is_one_line_and_so_are_four_reads() {
    let stage = |at| {
        event(
            at,
            "system",
            &format!(r#""stage":"stage {at}","status":"completed""#),
        )
    };
    let mut log: Vec<_> = (0..5).map(stage).collect();
    log.push(message(5, "I read."));
    log.extend(
        (6..)
            .zip(["a", "b", "c", "d", "b"])
            .map(|(at, name)| read(at, name)),
    );
    log.push(event(11, "list", r#""path":"src""#));
    let page = page(&log, &[]);
    let expected = [
        "setup, 5 events 0–4",
        "6 reads a.js, b.js, c.js, d.js, src 6–11",
    ];
    assert_eq!(page.texts(LINES), expected);
    assert_eq!(anchors(&page, OPEN), "e-5");
}

#[test]
fn a_failure_or_an_annotation_ends_a_repetition_and_is_never_in_it() {
    let log = (0..12).map(|at| command(at, &format!("duel {at}"), at != 4));
    let page = page(
        &log.collect::<Vec<_>>(),
        &[annotation("here", 9, "note", "")],
    );
    let expected = [
        "command duel 0…3 ×4, all ok 0–3",
        "command duel 5…8 ×4, all ok 5–8",
    ];
    assert_eq!(page.texts(LINES), expected);
    assert_eq!(anchors(&page, OPEN), "e-4 e-9 e-10 e-11");
}

#[test]
fn a_command_without_an_outcome_is_not_said_to_be_ok() {
    let log = (0..4).map(|at| event(at, "command", r#""command":"ls""#));
    let page = page(&log.collect::<Vec<_>>(), &[]);
    assert_eq!(page.texts(LINES), ["command ls ×4 0–3"]);
}

#[test]
fn a_muted_span_is_folded_with_its_reason_but_not_its_failures_and_other_annotations() {
    let step = |at| command(at, &format!("step {}", "x".repeat(at as usize)), at != 5);
    let log: Vec<_> = (0..11).map(step).collect();
    let mute = format!(
        r#"{},"evidence":"**Noise** of <b>retries</b>.""#,
        span(1, 9)
    );
    let notes = [
        annotation("quiet", 1, "mute", &mute),
        annotation("here", 7, "note", ""),
    ];
    let page = page(&log, &notes);
    let lines = page.texts(LINES);
    assert_eq!(lines.len(), 2, "{lines:?}");
    for (line, count, events) in [(&lines[0], 4, "1–4"), (&lines[1], 2, "8–9")] {
        let start = format!("⊘ {count} muted events: Noise of");
        assert!(line.starts_with(&start) && line.ends_with(events), "{line}");
    }
    assert_eq!(anchors(&page, FOLDED), "e-1 e-2 e-3 e-4 e-8 e-9");
    assert_eq!(anchors(&page, OPEN), "e-0 e-5 e-6 e-7 e-10");
    assert_eq!(page.all("aside.an-mute").len(), 1);
}
