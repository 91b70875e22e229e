//! Event logs: every type is shown, and every line keeps its number whatever its content.

use crate::support::{
    FIRST, FIRST_SLUG, HEADER, Page, TestSite, annotation, codes, described, event, lines, raw,
    words,
};

/// The base site with another event log and an annotation on its event `at`, published.
fn published(log: impl AsRef<[u8]>, at: u64) -> (TestSite, Vec<&'static str>) {
    let site = TestSite::base();
    site.write(&format!("{FIRST}/events.jsonl"), log);
    site.write(
        &format!("{FIRST}/events.jsonl.annotations.jsonl"),
        lines(&[HEADER, &annotation("here", at, "note", "")]),
    );
    let codes = codes(&site.publish());
    (site, codes)
}

fn kinds(page: &Page) -> Vec<String> {
    page.texts("ol.tape li.e p:first-child > b")
}

#[test]
fn success_is_the_rule_and_only_exceptions_are_stated() {
    let commands = [
        r#""command":"a","exitCode":0,"isSuccess":true"#,
        r#""command":"b","exitCode":0,"isSuccess":false"#,
        r#""command":"c","exitCode":2,"isSuccess":false"#,
        r#""command":"d""#,
    ];
    let mut log: Vec<_> = (0..)
        .zip(commands)
        .map(|(at, fields)| event(at, "command", fields))
        .collect();
    log.push(event(4, "error", r#""message":"alone""#));
    log.push(event(5, "command", r#""command":"e","isSuccess":false"#));
    log.push(event(6, "error", r#""message":"of the command before it""#));
    let (site, _) = published(lines(&log), 5);
    let page = site.first_page();
    let shown = |at: usize| words(page.one(&format!("#e-{at}")));
    assert!(shown(0).ends_with("command a"), "{}", shown(0));
    assert!(shown(1).ends_with("b failed exit code 0"), "{}", shown(1));
    assert!(shown(2).ends_with("c failed exit code 2"), "{}", shown(2));
    assert!(shown(3).ends_with("command d"), "{}", shown(3));
    let tied = page.all("li.e.tied");
    let tied: Vec<_> = tied.iter().filter_map(|e| e.value().id()).collect();
    assert_eq!(tied, ["e-6"], "a failed command and its error are one unit");
}

#[test]
fn a_message_is_shown_as_markdown_and_its_source_has_every_character() {
    let said = "## Plan\n\n- **first** run `a < b`\n\n```js\nlet x = '*';\n```\nsnake_case_name";
    let fields = format!(r#""message":{}"#, serde_json::json!(said));
    let (site, _) = published(lines(&[event(0, "agent", &fields)]), 0);
    let page = site.first_page();
    assert_eq!(
        page.texts("#e-0 .md code"),
        ["`a < b`", "```js let x = '*'; ```"]
    );
    assert_eq!(page.texts("#e-0 .md strong"), ["## Plan", "**first**"]);
    let message = page.one("#e-0 .md");
    assert_eq!(message.text().collect::<String>(), said);
    assert_eq!(page.all(".written input").len(), 1);
}

#[test]
fn every_type_of_event_is_shown_with_what_it_holds() {
    let events = [
        ("agent", r#""message":"I begin.""#, vec!["I begin."]),
        ("reasoning", r#""message":"Why not?""#, vec!["Why not?"]),
        (
            "command",
            r#""command":"npm test","workingDirectory":"/workspace/app","exitCode":2,"isSuccess":false"#,
            vec!["npm test", "/workspace/app", "exit code 2", "failed"],
        ),
        (
            "read",
            r#""path":"src/a.js","startLine":10,"endLine":20,"isSuccess":true"#,
            vec!["src/a.js", "10–20"],
        ),
        (
            "write",
            r#""path":"src/b.js","startLine":7"#,
            vec!["src/b.js", "lines 7"],
        ),
        (
            "search",
            r#""query":"TODO","path":"src""#,
            vec!["TODO", "in src"],
        ),
        ("list", "", vec!["list"]),
        ("list", r#""path":"/workspace""#, vec!["/workspace"]),
        (
            "skill",
            r#""path":"skills/x.md","skillName":"packing""#,
            vec!["skills/x.md", "packing"],
        ),
        (
            "orchestration",
            r#""action":"subagent_failed","subagentId":"s-1","subagentName":"reviewer""#,
            vec!["subagent_failed", "s-1", "reviewer", "failed"],
        ),
        (
            "error",
            r#""message":"It broke.","code":"E1""#,
            vec!["It broke.", "E1"],
        ),
        ("warning", r#""message":"It creaks.""#, vec!["It creaks."]),
        (
            "system",
            r#""stage":"probe_harness","status":"failed","message":"no answer""#,
            vec!["probe_harness", "failed", "no answer"],
        ),
        (
            "usage",
            r#""tokens":{"output":12},"cost":0.10"#,
            vec!["\"output\":12", "0.10"],
        ),
        (
            "gg",
            r#""event":{"phase":"plan"}"#,
            vec!["\"phase\":\"plan\""],
        ),
        (
            "unknown",
            r#""raw":"not JSON at all""#,
            vec!["not JSON at all"],
        ),
        ("unknown", r#""raw":{"deep":[1,2]}"#, vec!["\"deep\":[1,2]"]),
        ("unknown", r#""raw":null"#, vec!["unknown"]),
    ];
    let log: Vec<_> = (0..)
        .zip(&events)
        .map(|(at, (kind, fields, _))| event(at, kind, fields))
        .collect();
    let (site, codes) = published(lines(&log), 0);
    assert_eq!(codes, [""; 0]);
    let page = site.first_page();
    assert_eq!(
        kinds(&page),
        events.iter().map(|(kind, ..)| *kind).collect::<Vec<_>>()
    );
    for (at, (kind, _, shown)) in events.iter().enumerate() {
        let text = words(page.one(&format!("#e-{at}")));
        for part in shown {
            assert!(text.contains(part), "{kind} shows {part}: {text}");
        }
    }
    let failures: Vec<_> = page
        .all("li.e.fail")
        .iter()
        .filter_map(|e| e.value().id().map(str::to_owned))
        .collect();
    assert_eq!(
        failures,
        ["e-2", "e-9", "e-10", "e-12"],
        "what is not said to have failed is not shown as failed"
    );
}

#[test]
fn optional_fields_may_be_null() {
    let log = lines(&[event(
        0,
        "command",
        r#""command":"ls","workingDirectory":null,"exitCode":null,"isSuccess":null,"sessionId":null"#,
    )]);
    let (site, codes) = published(log, 0);
    assert_eq!(codes, [""; 0]);
    assert_eq!(site.first_page().all("li.e.fail").len(), 0);
}

#[test]
fn an_annotation_after_a_broken_line_still_points_at_its_event() {
    let good = |n: u32| event(n, "agent", &format!("\"message\":\"message {n}\""));
    let broken: [(&str, Vec<u8>, &str); 9] = [
        (
            "a half-written line",
            b"{\"timestamp\":\"2026-03-01T10:00:01Z\",\"type\":\"ag".to_vec(),
            "events.unparsable-line",
        ),
        (
            "an unknown type",
            event(1, "telepathy", r#""message":"hm""#).into_bytes(),
            "events.unknown-type",
        ),
        (
            "no type",
            b"{\"timestamp\":\"2026-03-01T10:00:01Z\"}".to_vec(),
            "events.unknown-type",
        ),
        (
            "a missing key",
            event(1, "read", "").into_bytes(),
            "events.missing-field",
        ),
        (
            "a wrong type",
            event(1, "agent", "\"message\":7").into_bytes(),
            "events.wrong-type",
        ),
        (
            "bytes that are not UTF-8",
            b"{\"timestamp\":\"2026-03-01T10:00:01Z\",\"type\":\"agent\",\"message\":\"caf\xe9\"}"
                .to_vec(),
            "events.unparsable-line",
        ),
        (
            "half a surrogate pair",
            event(1, "agent", r#""message":"\ud800""#).into_bytes(),
            "events.wrong-type",
        ),
        ("an array", b"[1,2]".to_vec(), "events.wrong-type"),
        ("words", b"Killed".to_vec(), "events.unparsable-line"),
    ];
    for (what, line, code) in broken {
        let log = [
            good(0).as_bytes(),
            &line,
            b"",
            good(2).as_bytes(),
            good(3).as_bytes(),
        ]
        .join(&b'\n');
        let (site, codes) = published(log, 3);
        assert_eq!(codes, [code], "{what}");
        let page = site.first_page();
        assert_eq!(
            kinds(&page),
            ["agent", "unknown", "agent", "agent"],
            "{what}"
        );
        let annotated = words(page.one("li.e:has(#a-here)"));
        assert!(annotated.contains("message 3"), "{what}: {annotated}");
        assert_eq!(
            raw(&site.first_document(), "/annotations/0/target/seq"),
            "3",
            "{what}"
        );
    }
}

#[test]
fn carriage_returns_a_byte_order_mark_and_blank_lines_change_nothing() {
    let plain: Vec<_> = (0..3)
        .map(|n| event(n, "agent", &format!("\"message\":\"message {n}\"")))
        .collect();
    let (expected, _) = published(lines(&plain), 2);
    let hash = raw(&expected.first_document(), "/tapes/0/contentHash");
    assert_eq!(
        hash,
        format!("\"{}\"", blake3::hash(lines(&plain).as_bytes()).to_hex())
    );
    for (what, log) in [
        ("carriage returns", plain.join("\r\n") + "\r\n"),
        ("blank lines", format!("\n\n{}\n \t\n", plain.join("\n\n"))),
        ("no line break at the end", plain.join("\n")),
        ("all of that", format!("\r\n{}", plain.join("\r\n\r\n"))),
    ] {
        let (site, codes) = published(log, 2);
        assert_eq!(codes, [""; 0], "{what}");
        let page = site.first_page();
        assert_eq!(
            page.texts("ol.tape > li.e .md:not(aside *)"),
            ["message 0", "message 1", "message 2"],
            "{what}"
        );
        assert_eq!(
            words(page.one("li.e:has(#a-here) .was .md")),
            "message 2",
            "{what}"
        );
        assert_eq!(
            raw(&site.first_document(), "/tapes/0/contentHash"),
            hash,
            "{what}"
        );
    }
    let (site, codes) = published(format!("\u{feff}{}", lines(&plain)), 2);
    assert_eq!(codes, [""; 0]);
    assert_eq!(site.first_page().all("ol.tape > li.e").len(), 3);
}

#[test]
fn the_target_of_an_annotation_is_named_by_the_digest_of_its_line() {
    let log = [
        event(0, "agent", r#""message":"a""#),
        event(1, "read", r#""path":"b""#),
    ];
    let (site, _) = published(log.join("\r\n"), 1);
    let expected = blake3::hash(log[1].as_bytes()).to_hex();
    assert_eq!(
        serde_json::from_str::<serde_json::Value>(&raw(
            &site.first_document(),
            "/annotations/0/target"
        ))
        .expect("JSON"),
        serde_json::json!({"seq": 1, "kind": "read", "digest": expected.as_str()})
    );
}

#[test]
fn long_pauses_are_marked_and_times_count_from_the_first_event() {
    let log = [
        event(0, "agent", r#""message":"a""#),
        event(30, "agent", r#""message":"b""#),
        event(3600, "agent", r#""message":"c""#),
    ];
    let (site, _) = published(lines(&log), 0);
    let page = site.first_page();
    assert_eq!(
        page.texts("ol.tape > li.gap"),
        ["59 min 30 s without an event, until 2026-03-01 11:00:00 UTC"]
    );
    let times = |name| {
        let times = page.all("li.e p:first-child > a + i").into_iter();
        let values: Vec<_> = times.map(|time| time.value().attr(name)).collect();
        values
    };
    assert_eq!(
        page.texts("li.e p:first-child > a + i"),
        ["0:00", "0:30", "1:00:00"]
    );
    let start = Some("2026-03-01T10:00:00.000Z");
    assert_eq!(times("data-start"), [start, None, None]);
    assert_eq!(times("data-ms"), [Some("000000000"), None, None]);
    site.write("site.toml", "[timeline]\ngap_seconds = 20\n");
    site.publish();
    assert_eq!(site.first_page().all("ol.tape > li.gap").len(), 2);
}

#[test]
fn a_time_that_runs_backwards_is_said_at_its_event_and_once_for_the_tape() {
    let log = [
        event(0, "agent", r#""message":"a""#),
        event(600, "agent", r#""message":"b""#),
        event(10, "agent", r#""message":"c""#),
        event(601, "agent", r#""message":"d""#),
    ];
    let (site, _) = published(lines(&log), 0);
    let page = site.first_page();
    assert_eq!(
        page.texts("li.e i.back"),
        ["9 min 50 s earlier than the event before"]
    );
    // The last event comes a second after the latest one, not ten minutes.
    assert_eq!(page.all("ol.tape > li.gap").len(), 1);
    let said = "Recorded times run backwards at 1 event, first at event 2.";
    assert_eq!(page.main().matches(said).count(), 1);
}

#[test]
fn an_event_without_a_readable_time_keeps_its_place() {
    let log = [
        event(5, "agent", r#""message":"a""#),
        r#"{"timestamp":"10:00","type":"agent","message":"b"}"#.to_owned(),
        event(1, "agent", r#""message":"c""#),
    ];
    let (site, codes) = published(lines(&log), 1);
    assert_eq!(codes, ["events.invalid-timestamp"]);
    assert_eq!(
        site.first_page().texts("ol.tape > li.e .md:not(aside *)"),
        ["a", "b", "c"],
        "order is that of the file, never of the clock"
    );
}

#[test]
fn content_past_the_limit_is_complete_in_a_separate_file() {
    let site = TestSite::base();
    site.write("site.toml", "[limits]\ninline = 100\n");
    let text = "é".repeat(400);
    site.write(
        &format!("{FIRST}/events.jsonl"),
        lines(&[
            event(0, "agent", r#""message":"short""#),
            event(1, "agent", &format!("\"message\":\"{text}\"")),
        ]),
    );
    site.write(
        &format!("{FIRST}/events.jsonl.annotations.jsonl"),
        lines(&[HEADER]),
    );
    site.publish();
    let page = site.first_page();
    assert_eq!(words(page.one("#e-1 .md")), "é".repeat(50));
    let link = page.one("#e-1 p.rest a");
    assert_eq!(
        link.value().attr("href"),
        Some(format!("../../runs/{FIRST_SLUG}/text/e-1.txt").as_str())
    );
    assert_eq!(
        site.text(&format!("public/runs/{FIRST_SLUG}/text/e-1.txt")),
        text
    );
}

#[test]
fn an_empty_log_and_no_log_are_shown_as_such() {
    let site = TestSite::base();
    site.remove(&format!("{FIRST}/events.jsonl.annotations.jsonl"));
    site.write(&format!("{FIRST}/events.jsonl"), "");
    assert_eq!(codes(&site.publish()), [""; 0]);
    assert_eq!(site.first_page().all("ol.tape > li").len(), 0);
    site.remove(&format!("{FIRST}/events.jsonl"));
    assert_eq!(codes(&site.publish()), [""; 0]);
    assert!(
        site.first_page()
            .main()
            .contains("This run has no event log and no tape.")
    );
}

#[test]
fn terminal_colours_become_classes_and_nothing_else_of_the_terminal_is_kept() {
    let log = lines(&[event(
        0,
        "agent",
        r#""message":"\u001b[31mred\u001b[0m \u001b]0;title\u0007plain""#,
    )]);
    let (site, _) = published(log, 0);
    let page = site.first_page();
    // The terminal title is hidden, but marked as removed.
    assert_eq!(words(page.one("#e-0 pre")), "red ␛plain");
    let shown = words(page.one("#e-0"));
    assert!(!shown.contains("title"), "{shown}");
    assert_eq!(page.texts("#e-0 pre span"), ["red"]);
}

#[test]
fn a_value_of_a_wrong_type_in_a_line_is_marked_and_pointed_at() {
    let site = TestSite::base();
    site.write(
        &format!("{FIRST}/events.jsonl"),
        lines(&[event(0, "command", r#""command":"a","exitCode":"1""#)]),
    );
    site.write(
        &format!("{FIRST}/events.jsonl.annotations.jsonl"),
        lines(&[HEADER]),
    );
    let outcome = site.check();
    let place = &outcome.diagnostics[0].place;
    assert_eq!(
        (place.column, place.pointer.as_deref()),
        (Some(79), Some("/exitCode"))
    );
}

#[test]
fn a_duplicate_key_in_an_event_is_reported_as_such() {
    let site = TestSite::base();
    site.write(
        &format!("{FIRST}/events.jsonl"),
        lines(&[event(0, "agent", r#""message":"a","message":"b""#)]),
    );
    site.write(
        &format!("{FIRST}/events.jsonl.annotations.jsonl"),
        lines(&[HEADER]),
    );
    let outcome = site.check();
    assert!(
        !outcome
            .diagnostics
            .iter()
            .any(|d| d.message.contains("wrong type")),
        "{:?}",
        described(&outcome)
    );
}
