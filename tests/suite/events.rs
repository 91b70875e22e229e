//! Event logs: every type is shown, and every line keeps its number whatever its content.

use crate::support::{
    FIRST_SLUG, Page, TestSite, annotation, codes, event, lacks, lines, message, messages,
    messages_of, rows, words,
};

/// The base site with another event log and an annotation on its event `at`, published.
fn published(log: impl AsRef<[u8]>, at: u64) -> (TestSite, Vec<&'static str>) {
    let site = TestSite::base();
    site.log(log)
        .annotate(&[annotation("here", at, "note", "")]);
    let codes = codes(&site.publish());
    (site, codes)
}

fn kinds(page: &Page) -> Vec<String> {
    page.texts("ol.tape li.e p:first-child > b")
}

#[test]
fn success_is_the_rule_and_only_exceptions_are_stated() {
    let log = [
        event(
            0,
            "command",
            r#""command":"a","exitCode":0,"isSuccess":true"#,
        ),
        event(
            1,
            "command",
            r#""command":"b","exitCode":0,"isSuccess":false"#,
        ),
        event(
            2,
            "command",
            r#""command":"c","exitCode":2,"isSuccess":false"#,
        ),
        event(3, "command", r#""command":"d""#),
        event(4, "error", r#""message":"alone""#),
        event(5, "command", r#""command":"e","isSuccess":false"#),
        event(6, "error", r#""message":"of the command before it""#),
    ];
    let (site, _) = published(lines(&log), 5);
    let page = site.first_page();
    for (at, end) in [
        (0, "command a"),
        (1, "b failed exit code 0"),
        (2, "c failed exit code 2"),
        (3, "command d"),
    ] {
        let shown = words(page.one(&format!("#e-{at}")));
        assert!(shown.ends_with(end), "{shown}");
    }
    let tied = page.attrs("li.e.tied", "id");
    assert_eq!(tied, ["e-6"], "a failed command and its error are one unit");
}

#[test]
fn a_message_is_shown_as_markdown_and_its_source_has_every_character() {
    let said = "## Plan\n\n- **first** run `a < b`\n\n```js\nlet x = '*';\n```\nsnake_case_name";
    let (site, _) = published(lines(&[message(0, said)]), 0);
    let page = site.first_page();
    let code = ["`a < b`", "```js let x = '*'; ```"];
    assert_eq!(page.texts("#e-0 .md code"), code);
    assert_eq!(page.texts("#e-0 .md strong"), ["## Plan", "**first**"]);
    assert_eq!(page.one("#e-0 .md").text().collect::<String>(), said);
    assert_eq!(page.all(".written input").len(), 1);
}

#[test]
fn every_type_of_event_is_shown_with_what_it_holds() {
    let events = rows(
        r#"
agent | "message":"I begin." | I begin.
reasoning | "message":"Why not?" | Why not?
command | "command":"npm test","workingDirectory":"/workspace/app","exitCode":2,"isSuccess":false | npm test; /workspace/app; exit code 2; failed
read | "path":"src/a.js","startLine":10,"endLine":20,"isSuccess":true | src/a.js; 10–20
write | "path":"src/b.js","startLine":7 | src/b.js; lines 7
search | "query":"TODO","path":"src" | TODO; in src
list | | list
list | "path":"/workspace" | /workspace
skill | "path":"skills/x.md","skillName":"packing" | skills/x.md; packing
orchestration | "action":"subagent_failed","subagentId":"s-1","subagentName":"reviewer" | subagent_failed; s-1; reviewer; failed
error | "message":"It broke.","code":"E1" | It broke.; E1
warning | "message":"It creaks." | It creaks.
system | "stage":"probe_harness","status":"failed","message":"no answer" | probe_harness; failed; no answer
usage | "tokens":{"output":12},"cost":0.10 | "output":12; 0.10
gg | "event":{"phase":"plan"} | "phase":"plan"
unknown | "raw":"not JSON at all" | not JSON at all
unknown | "raw":{"deep":[1,2]} | "deep":[1,2]
unknown | "raw":null | unknown
"#,
    );
    let log = (0..)
        .zip(&events)
        .map(|(at, [kind, fields, _])| event(at, kind, fields));
    let (site, codes) = published(lines(&log.collect::<Vec<_>>()), 0);
    assert_eq!(codes, [""; 0]);
    let page = site.first_page();
    let expected: Vec<_> = events.iter().map(|[kind, ..]| *kind).collect();
    assert_eq!(kinds(&page), expected);
    for (at, [kind, _, shown]) in events.iter().enumerate() {
        let text = words(page.one(&format!("#e-{at}")));
        for part in shown.split("; ") {
            assert!(text.contains(part), "{kind} shows {part}: {text}");
        }
    }
    // What is not said to have failed is not shown as failed.
    assert_eq!(
        page.attrs("li.e.fail", "id"),
        ["e-2", "e-9", "e-10", "e-12"]
    );
}

#[test]
fn optional_fields_may_be_null() {
    let fields = r#""command":"ls","workingDirectory":null,"exitCode":null,"isSuccess":null,"sessionId":null"#;
    let (site, codes) = published(lines(&[event(0, "command", fields)]), 0);
    assert_eq!(codes, [""; 0]);
    assert_eq!(site.first_page().all("li.e.fail").len(), 0);
}

#[test]
fn an_annotation_after_a_broken_line_still_points_at_its_event() {
    let good = |n: u32| message(n, &format!("message {n}"));
    let surrogate = event(1, "agent", r#""message":"\ud800""#);
    for (what, line, code) in [
        (
            "a half-written line",
            &b"{\"timestamp\":\"2026-03-01T10:00:01Z\",\"type\":\"ag"[..],
            "events.unparsable-line",
        ),
        (
            "an unknown type",
            event(1, "telepathy", r#""message":"hm""#).as_bytes(),
            "events.unknown-type",
        ),
        (
            "no type",
            b"{\"timestamp\":\"2026-03-01T10:00:01Z\"}",
            "events.unknown-type",
        ),
        (
            "a missing key",
            event(1, "read", "").as_bytes(),
            "events.missing-field",
        ),
        (
            "a wrong type",
            event(1, "agent", "\"message\":7").as_bytes(),
            "events.wrong-type",
        ),
        (
            "bytes that are not UTF-8",
            b"{\"timestamp\":\"2026-03-01T10:00:01Z\",\"type\":\"agent\",\"message\":\"caf\xe9\"}",
            "events.unparsable-line",
        ),
        (
            "half a surrogate pair",
            surrogate.as_bytes(),
            "events.wrong-type",
        ),
        ("an array", b"[1,2]", "events.wrong-type"),
        ("words", b"Killed", "events.unparsable-line"),
    ] {
        let rest = format!("\n\n{}\n{}", good(2), good(3));
        let log = [good(0).as_bytes(), b"\n", line, rest.as_bytes()].concat();
        let (site, codes) = published(log, 3);
        assert_eq!(codes, [code], "{what}");
        let page = site.first_page();
        assert_eq!(
            kinds(&page).join(" "),
            "agent unknown agent agent",
            "{what}"
        );
        let annotated = words(page.one("li.e:has(#a-here)"));
        assert!(annotated.contains("message 3"), "{what}: {annotated}");
        assert_eq!(
            site.first_run()["annotations"][0]["target"]["seq"],
            3,
            "{what}"
        );
    }
}

#[test]
fn carriage_returns_a_byte_order_mark_and_blank_lines_change_nothing() {
    let plain = messages(3);
    let hash = blake3::hash(plain.as_bytes()).to_hex();
    for (what, log) in [
        ("nothing", plain.clone()),
        ("carriage returns", plain.replace('\n', "\r\n")),
        (
            "blank lines",
            format!("\n\n{}\n \t\n", plain.replace('\n', "\n\n")),
        ),
        ("no line break at the end", plain.trim_end().to_owned()),
        (
            "all of that",
            format!("\r\n{}", plain.replace('\n', "\r\n\r\n").trim_end()),
        ),
        ("a byte order mark", format!("\u{feff}{plain}")),
    ] {
        let (site, codes) = published(log, 2);
        assert_eq!(codes, [""; 0], "{what}");
        let page = site.first_page();
        let shown = page.texts("ol.tape > li.e .md:not(aside *)");
        assert_eq!(shown, ["message 0", "message 1", "message 2"], "{what}");
        let annotated = words(page.one("li.e:has(#a-here) .was .md"));
        assert_eq!(annotated, "message 2", "{what}");
        if what != "a byte order mark" {
            assert_eq!(
                site.first_run()["tapes"][0]["contentHash"],
                hash.as_str(),
                "{what}"
            );
        }
    }
}

#[test]
fn the_target_of_an_annotation_is_named_by_the_digest_of_its_line() {
    let log = [message(0, "a"), event(1, "read", r#""path":"b""#)];
    let (site, _) = published(log.join("\r\n"), 1);
    let digest = blake3::hash(log[1].as_bytes()).to_hex();
    let target = serde_json::json!({"seq": 1, "kind": "read", "digest": digest.as_str()});
    assert_eq!(site.first_run()["annotations"][0]["target"], target);
}

#[test]
fn long_pauses_are_marked_and_times_count_from_the_first_event() {
    let log = [message(0, "a"), message(30, "b"), message(3600, "c")];
    let (site, _) = published(lines(&log), 0);
    let page = site.first_page();
    let gap = "59 min 30 s without an event, until 2026-03-01 11:00:00 UTC";
    assert_eq!(page.texts("ol.tape > li.gap"), [gap]);
    let times = "li.e p:first-child > a + i";
    assert_eq!(page.texts(times), ["0:00", "0:30", "1:00:00"]);
    assert_eq!(
        page.attrs(times, "data-start"),
        ["2026-03-01T10:00:00.000Z"]
    );
    assert_eq!(page.attrs(times, "data-ms"), ["000000000"]);
    assert!(page.all(times)[0].value().attr("data-start").is_some());
    site.write("site.toml", "[timeline]\ngap_seconds = 20\n")
        .publish();
    assert_eq!(site.first_page().all("ol.tape > li.gap").len(), 2);
}

#[test]
fn a_time_that_runs_backwards_is_said_at_its_event_and_once_for_the_tape() {
    let log = [
        message(0, "a"),
        message(600, "b"),
        message(10, "c"),
        message(601, "d"),
    ];
    let (site, _) = published(lines(&log), 0);
    let page = site.first_page();
    let back = "9 min 50 s earlier than the event before";
    assert_eq!(page.texts("li.e i.back"), [back]);
    // The last event comes a second after the latest one, not ten minutes.
    assert_eq!(page.all("ol.tape > li.gap").len(), 1);
    let said = "Recorded times run backwards at 1 event, first at event 2.";
    assert_eq!(page.main().matches(said).count(), 1);
}

#[test]
fn an_event_without_a_readable_time_keeps_its_place() {
    let odd = r#"{"timestamp":"10:00","type":"agent","message":"b"}"#.to_owned();
    let (site, codes) = published(lines(&[message(5, "a"), odd, message(1, "c")]), 1);
    assert_eq!(codes, ["events.invalid-timestamp"]);
    // The order is that of the file, never of the clock.
    let shown = site.first_page().texts("ol.tape > li.e .md:not(aside *)");
    assert_eq!(shown, ["a", "b", "c"]);
}

#[test]
fn content_past_the_limit_is_complete_in_a_separate_file() {
    let site = TestSite::base();
    let text = "é".repeat(400);
    site.write("site.toml", "[limits]\ninline = 100\n")
        .log(lines(&[message(0, "short"), message(1, &text)]))
        .publish();
    let page = site.first_page();
    assert_eq!(words(page.one("#e-1 .md")), "é".repeat(50));
    let hrefs = page.attrs("#e-1 p.rest a", "href");
    assert_eq!(hrefs, [format!("../../runs/{FIRST_SLUG}/text/e-1.txt")]);
    assert_eq!(site.first_text("text/e-1.txt"), text);
}

#[test]
fn an_empty_log_and_no_log_are_shown_as_such() {
    let site = TestSite::base();
    assert_eq!(codes(&site.log("").publish()), [""; 0]);
    assert_eq!(site.first_page().all("ol.tape > li").len(), 0);
    assert_eq!(codes(&site.remove_first("events.jsonl").publish()), [""; 0]);
    site.first_page()
        .says("This run has no event log and no tape.");
}

#[test]
fn terminal_colours_become_classes_and_nothing_else_of_the_terminal_is_kept() {
    let said = "\u{1b}[31mred\u{1b}[0m \u{1b}]0;title\u{7}plain";
    let (site, _) = published(lines(&[message(0, said)]), 0);
    let page = site.first_page();
    // The terminal title is hidden, but marked as removed.
    assert_eq!(words(page.one("#e-0 pre")), "red ␛plain");
    lacks(&words(page.one("#e-0")), "title");
    assert_eq!(page.texts("#e-0 pre span"), ["red"]);
}

#[test]
fn a_value_of_a_wrong_type_in_a_line_is_marked_and_pointed_at() {
    let site = TestSite::base();
    site.log(lines(&[event(
        0,
        "command",
        r#""command":"a","exitCode":"1""#,
    )]));
    let outcome = site.check();
    let place = &outcome.diagnostics[0].place;
    let found = (place.column, place.pointer.as_deref());
    assert_eq!(found, (Some(79), Some("/exitCode")));
}

#[test]
fn a_duplicate_key_in_an_event_is_reported_as_such() {
    let site = TestSite::base();
    site.log(lines(&[event(
        0,
        "agent",
        r#""message":"a","message":"b""#,
    )]));
    lacks(&messages_of(&site.check()).concat(), "wrong type");
}
