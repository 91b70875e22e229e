//! Findings of scanners as annotations: all of a file or none, and each only once.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::Stdio;

use serde_json::{Value, json};

use super::{SHORT_SIDECAR, SIDECAR, TAPE, annotate, harn, written};
use crate::support::{FIRST, Ran, TestSite, annotation, command, fixture_text, tree};

const FILE: &str = "findings.jsonl";

/// A site with the sample findings.
fn site() -> TestSite {
    let site = TestSite::base();
    site.write(FILE, fixture_text("findings/findings.jsonl"));
    site
}

fn import(site: &TestSite) -> Ran {
    annotate(site, &["--from", FILE])
}

fn finding(event: u64, evidence: &str) -> Value {
    json!({"event": event, "kind": "note", "evidence": evidence, "author": {"id": "scan", "kind": "system"}})
}

/// Imports from standard input.
fn piped(site: &TestSite, bytes: &[u8]) -> Ran {
    let mut child = command()
        .args(["--color", "never", "annotate", FIRST, "--from", "-"])
        .current_dir(site.root())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let mut stdin = child.stdin.take().expect("standard input");
    stdin.write_all(bytes).expect("a reader");
    drop(stdin);
    let output = child.wait_with_output().expect("an end");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    Ran {
        status: output.status.code(),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    }
}

#[test]
fn each_finding_becomes_an_annotation_and_the_same_file_adds_nothing_more() {
    let site = site();
    let before = site.text(SIDECAR);
    let ran = import(&site);
    assert_eq!((ran.status, ran.stderr.as_str()), (Some(0), ""));
    let name = "content/runs/first/events.jsonl.annotations.jsonl";
    assert_eq!(
        ran.stdout,
        format!(
            "{name}:3: ann-2-incorrect\n  event 2, command: npm test\n\
             {name}:4: ann-2-friction\n  event 2, command: npm test\n  to event 3, agent: One test fails.\n\
             {name}:5: ann-0-hypothesis\n  event 0, agent: I will read the task first.\n\
             {name}: 3 added, 0 already there\n"
        )
    );
    assert!(site.text(SIDECAR).starts_with(&before));
    let lines = written(&site);
    let friction = &lines[2].1;
    assert_eq!(friction["event_id"], 2);
    assert_eq!(friction["evidence"], "Nothing says which test fails.");
    assert_eq!(
        friction["span"],
        json!({"start_event_id": 2, "end_event_id": 3})
    );
    assert_eq!(friction["friction_kind"], "missing_context");
    assert_eq!(friction["metadata"], json!({"quote": "npm test"}));
    assert_eq!(
        friction["author"],
        json!({"id": "scan-1", "kind": "system", "surface": "cli"})
    );
    assert_eq!(lines[3].1["hypothesis_status"], "active");

    let after = tree(site.root());
    let ran = import(&site);
    assert_eq!(
        (ran.status, ran.stdout, ran.stderr),
        (
            Some(0),
            format!("{name}: 0 added, 3 already there\n"),
            String::new()
        )
    );
    assert_eq!(tree(site.root()), after);
    let checked = site.runpress(&["check", "--deny", "warnings"]);
    assert_eq!(checked.status, Some(0), "{}", checked.stderr);
}

#[test]
fn a_finding_is_there_only_if_event_range_kind_evidence_and_author_are_the_same() {
    let site = TestSite::base();
    let known = finding(2, "Seen.");
    let changed = |key: &str, value: Value| {
        let mut finding = known.clone();
        finding[key] = value;
        finding
    };
    let all = [
        known.clone(),
        changed("event", json!(1)),
        changed("kind", json!("marker")),
        changed("evidence", json!("Seen")),
        changed("author", json!({"id": "scan", "kind": "agent"})),
        changed("author", json!({"id": "scan-2", "kind": "system"})),
        changed("span_end", json!(3)),
    ];
    site.write(FILE, format!("{known}\n"));
    assert!(
        import(&site)
            .stdout
            .ends_with(": 1 added, 0 already there\n")
    );
    let mut text = String::new();
    for finding in &all {
        writeln!(text, "{finding}").expect("a text");
    }
    // The same again, in another order of keys and as a range of one event.
    text += r#"{"author":{"kind":"system","id":"scan"},"evidence":"Seen.","kind":"note","span_end":2,"event":2}"#;
    site.write(FILE, text);
    let ran = import(&site);
    assert!(
        ran.stdout.ends_with(": 6 added, 2 already there\n"),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
    let ids: Vec<_> = written(&site)
        .into_iter()
        .map(|(_, a)| a["id"].clone())
        .collect();
    assert_eq!(
        ids,
        [
            "a-1",
            "ann-2-note",
            "ann-1-note",
            "ann-2-marker",
            "ann-2-note-2",
            "ann-2-note-3",
            "ann-2-note-4",
            "ann-2-note-5"
        ]
    );
}

#[test]
fn one_refused_finding_stops_all_and_every_refused_line_is_listed_at_its_value() {
    for with_sidecar in [true, false] {
        let site = TestSite::base();
        if !with_sidecar {
            site.remove(SIDECAR);
        }
        let ending = r#","author":{"id":"scan","kind":"system"}}"#;
        let lines = [
            format!(r#"{{"event":1,"kind":"note","evidence":"Good."{ending}"#),
            format!(r#"{{"event":4,"kind":"note","evidence":"No such event."{ending}"#),
            format!(r#"{{"kind":"note","evidence":"No event."{ending}"#),
            format!(r#"{{"event":-1,"kind":"note","evidence":"x"{ending}"#),
            format!(r#"{{"event":1,"kind":"notes","evidence":"x"{ending}"#),
            format!(r#"{{"event":1,"span_end":0,"kind":"note","evidence":"x"{ending}"#),
            format!(r#"{{"event":1,"kind":"note","evidence":"x","quote":"npm test"{ending}"#),
            format!(r#"{{"event":1,"kind":"friction","evidence":"x"{ending}"#),
            format!(r#"{{"event":1,"kind":"note","evidence":"[x](javascript:a)"{ending}"#),
            format!(r#"{{"event":1,"kind":"note","evidence":" "{ending}"#),
            format!(r#"{{"event":1,"event":2,"kind":"note","evidence":"x"{ending}"#),
            r#"[1,null,"note",null,null,"x",null,{"id":"scan","kind":"system"}]"#.to_owned(),
            r#"{"event":1,"kind":"note","evidence":"x","author":"scan"}"#.to_owned(),
            r#"{"event":1,"kind":"note","evidence":"cut o"#.to_owned(),
        ];
        site.write(FILE, lines.join("\n"));
        let before = tree(site.root());
        let ran = import(&site);
        assert_eq!((ran.status, ran.stdout.as_str()), (Some(1), ""));
        let places = [
            ("annotation.unknown-event-id", ":2:10"),
            ("annotation.invalid-finding", ":3:"),
            ("annotation.invalid-finding", ":4:10"),
            ("annotation.unknown-kind", ":5:19"),
            ("annotation.invalid-span", ":6:23"),
            ("annotation.quote-not-found", ":7:49"),
            ("annotation.friction-kind-missing", ":8:1"),
            ("review.unsafe-link", ":9:37"),
            ("annotation.invalid-finding", ":10:37"),
            ("annotation.invalid-finding", ":11:"),
            ("annotation.invalid-finding", ":12:1"),
            ("annotation.invalid-finding", ":13:50"),
            ("annotation.invalid-finding", ":14:"),
        ];
        let mut listed = Vec::new();
        let mut report = ran.stderr.lines();
        while let Some(line) = report.next() {
            if let Some((_, rest)) = line.split_once('[').filter(|_| line.contains("]: ")) {
                let code = rest.split(']').next().expect("a code");
                let place = report.next().expect("a place");
                listed.push((code.to_owned(), place.to_owned()));
            }
        }
        assert_eq!(listed.len(), places.len(), "{}", ran.stderr);
        for ((code, place), (expected, at)) in listed.iter().zip(places) {
            assert_eq!(code, expected, "{}", ran.stderr);
            assert!(
                place.contains(&format!("{FILE}{at}")),
                "{at}: {}",
                ran.stderr
            );
        }
        for sentence in [
            "The finding cannot be read: missing field `event`",
            "The finding cannot be read: it ends within a string",
            "The finding cannot be read: an array instead of an object",
            "Did you mean `note`?",
            "`runpress schema findings` prints their schema.",
        ] {
            assert!(ran.stderr.contains(sentence), "{sentence}: {}", ran.stderr);
        }
        assert!(ran.stderr.ends_with("Nothing was written.\n"));
        assert_eq!(tree(site.root()), before);
    }
}

#[test]
fn standard_input_blank_lines_a_mark_windows_line_ends_and_long_lines_are_read() {
    let site = TestSite::base();
    site.remove(SIDECAR);
    let long = "long ".repeat(400_000);
    let text = format!(
        "\u{feff}\r\n{}\r\n \t\r\n{}",
        finding(1, "One."),
        finding(3, &long)
    );
    let ran = piped(&site, text.as_bytes());
    assert_eq!((ran.status, ran.stderr.as_str()), (Some(0), ""));
    assert!(
        ran.stdout.contains(":2 (new): ann-1-note\n"),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.contains(":3: ann-3-note\n"), "{}", ran.stdout);
    assert_eq!(written(&site)[1].1["evidence"], json!(long));
    let again = piped(&site, text.as_bytes());
    assert!(again.stdout.ends_with(": 0 added, 2 already there\n"));

    let mut bytes = format!("{}\n", finding(1, "Two.")).into_bytes();
    bytes.extend(b"{\"event\":1,\"kind\":\"note\",\"evidence\":\"\xff\"}\n");
    let before = tree(site.root());
    let ran = piped(&site, &bytes);
    assert_eq!(ran.status, Some(1));
    assert!(
        ran.stderr.contains("it is not valid UTF-8"),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.contains("<stdin>:2:38"), "{}", ran.stderr);
    let wide: Vec<u8> = "\u{feff}{}\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    assert!(piped(&site, &wide).stderr.contains("It is UTF-16"));
    assert_eq!(tree(site.root()), before);
    assert!(
        piped(&site, b"")
            .stdout
            .ends_with(": 0 added, 0 already there\n")
    );
    assert_eq!(tree(site.root()), before);
}

#[test]
fn a_file_without_findings_makes_no_sidecar_and_an_unreadable_one_is_refused() {
    let site = TestSite::base();
    site.remove(SIDECAR).write(FILE, "\n");
    let before = tree(site.root());
    let ran = import(&site);
    assert_eq!((ran.status, ran.stderr.as_str()), (Some(0), ""));
    for (from, status) in [("gone.jsonl", 2), ("content", 2)] {
        let ran = annotate(&site, &["--from", from]);
        assert_eq!(ran.status, Some(status), "{}", ran.stderr);
        assert!(ran.stderr.contains("cannot be read"), "{}", ran.stderr);
    }
    site.write(FILE, finding(1, "Large.").to_string());
    site.write(
        "site.toml",
        site.text("site.toml") + "\n[limits]\ndocument = 64\n",
    );
    let ran = import(&site);
    assert_eq!(ran.status, Some(2), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("`document` in `[limits]`"),
        "{}",
        ran.stderr
    );
    let both = annotate(&site, &["--from", FILE, "--event", "1"]);
    assert!(
        both.stderr.contains("cannot be used with"),
        "{}",
        both.stderr
    );
    site.remove(FILE);
    let mut after = tree(site.root());
    after.insert("site.toml".to_owned(), before["site.toml"].clone());
    after.insert(FILE.to_owned(), b"\n".to_vec());
    assert_eq!(after, before);
}

#[test]
fn findings_keep_to_the_tape_that_is_named_and_refuse_one_that_changed() {
    let site = harn(&[TAPE, SHORT_SIDECAR]);
    site.write(FILE, finding(2, "In Harn's own sample.").to_string());
    let run = "content/runs/harn";
    let sidecar = format!("{run}/{SHORT_SIDECAR}");
    let before = site.text(&sidecar);
    let ran = site.runpress(&["annotate", run, "--tape", TAPE, "--from", FILE]);
    assert_eq!((ran.status, ran.stderr.as_str()), (Some(0), ""));
    let added = site.text(&sidecar);
    assert!(added.starts_with(&before) && added.contains("In Harn's own sample."));
    let missing = site.runpress(&["annotate", run, "--tape", "other.tape", "--from", FILE]);
    assert_eq!(missing.status, Some(2), "{}", missing.stderr);

    let site = self::site();
    site.replace(
        SIDECAR,
        "_version\":1",
        "_version\":1,\"tape_content_hash\":\"00\"",
    );
    let stale = import(&site);
    assert_eq!(stale.status, Some(1));
    assert!(
        stale.stderr.contains("annotation.tape-digest-mismatch"),
        "{}",
        stale.stderr
    );
}

#[test]
fn imports_at_the_same_time_add_each_finding_once() {
    let site = site();
    let ran: Vec<Ran> = std::thread::scope(|scope| {
        let all: Vec<_> = (0..4).map(|_| scope.spawn(|| import(&site))).collect();
        all.into_iter()
            .map(|one| one.join().expect("an end"))
            .collect()
    });
    assert!(ran.iter().all(|ran| ran.status == Some(0)), "{ran:?}");
    let added = ran
        .iter()
        .filter(|ran| ran.stdout.contains(": 3 added,"))
        .count();
    assert_eq!(added, 1, "{ran:?}");
    assert_eq!(written(&site).len(), 4);
}

#[test]
fn a_secret_in_a_finding_stops_the_build_as_in_any_annotation() {
    let site = TestSite::base();
    let secret = ["gh", "p_", "Kq7ZxT2mVbW9LnRfYc4HsJdG8eP0aUo5KxZ1"].concat();
    site.write(
        FILE,
        finding(1, &format!("The token {secret} is printed.")).to_string(),
    );
    assert_eq!(import(&site).status, Some(0));
    let checked = site.runpress(&["check"]);
    assert_eq!(checked.status, Some(1));
    assert!(checked.stderr.contains("secret.vcs"), "{}", checked.stderr);
}

#[test]
fn existing_problems_do_not_stop_findings_and_old_annotations_without_an_author_are_others() {
    let site = site();
    let old = annotation("p-1", 2, "praise", r#""evidence":"Old.""#);
    site.write(SIDECAR, site.text(SIDECAR) + &old + "\n");
    let ran = import(&site);
    assert!(
        ran.stdout.ends_with(": 3 added, 0 already there\n"),
        "{}",
        ran.stderr
    );
}

#[test]
fn matches_of_a_report_of_atif_scan_are_notes_at_the_events_made_of_their_places() {
    const TRACE: &str = "import.trace.jsonl";
    let site = TestSite::base();
    let source = json!({"name": "trajectory.json", "bytes": 2, "blake3": "0".repeat(64)});
    let header = json!({"type": "trace", "schemaVersion": 1, "importer": {"format": "atif", "version": 1}, "sources": [source]});
    let mut trace = format!("{header}\n");
    let pointers = [
        "/steps/1/message",
        "/steps/1/tool_calls/0",
        "/steps/1/observation/results/0",
        "/steps/10/message",
    ];
    for (seq, pointer) in pointers.iter().enumerate() {
        let event = json!({"seq": seq, "type": "message", "role": "assistant", "text": "Yes.", "source": {"file": 0, "pointer": pointer}});
        writeln!(trace, "{event}").expect("a text");
    }
    site.write(&format!("{FIRST}/{TRACE}"), trace);
    let at = |step: u64, channel: &str, call: Value, observation: Value| json!({"step": step, "step_id": step + 1, "channel": channel, "call": call, "observation": observation, "span": null});
    let found = |id: &str, kind: &str, expected: Value, evidence: Value| json!({"id": id, "kind": kind, "status": "match", "severity": "low", "expected_by": expected, "evidence": evidence});
    let none = || json!(null);
    let mut missed = found(
        "a.missed",
        "detector",
        json!([]),
        json!([at(1, "message", none(), none())]),
    );
    missed["status"] = json!("no_match");
    let report = |inputs: usize| {
        let assessments = json!([
            found(
                "a.call",
                "detector",
                json!([]),
                json!([
                    at(1, "command", json!(0), none()),
                    at(1, "observation", none(), json!(0))
                ])
            ),
            found(
                "a.step",
                "detector",
                json!([]),
                json!([at(1, "metadata", none(), none())])
            ),
            found(
                "a.rule",
                "rule",
                json!([]),
                json!([at(1, "message", none(), none())])
            ),
            found(
                "a.allowed",
                "detector",
                json!(["policy"]),
                json!([at(1, "message", none(), none())])
            ),
            // Step 2 has no event, and step 1 is not a part of step 10.
            found(
                "a.nowhere",
                "detector",
                json!([]),
                json!([at(2, "message", none(), none())])
            ),
            missed,
        ]);
        let checks = json!({"a.call": {"title": "A *call*", "severity": "low"}, "a.nowhere": {"title": "No\u{1b}where"}});
        let input = json!({"assessments": assessments, "score": 1});
        json!({"schema_version": 4, "scanner_version": "0.7.3", "checks": checks, "inputs": vec![input; inputs]}).to_string()
    };
    site.write(FILE, report(1));
    let run = || annotate(&site, &["--from", FILE, "--tape", TRACE]);
    let ran = run();
    assert_eq!((ran.status, ran.stderr.as_str()), (Some(0), ""));
    let end = format!("{TRACE}.annotations.jsonl: 3 added, 0 already there\n");
    assert!(ran.stdout.ends_with(&end), "{}", ran.stdout);
    let refused = ran
        .stdout
        .lines()
        .find(|line| line.starts_with("not added"));
    assert_eq!(
        refused,
        Some("not added, since it has no event: No␛where (a.nowhere)")
    );
    let sidecar = site.text(&format!("{FIRST}/{TRACE}.annotations.jsonl"));
    let notes: Vec<Value> = sidecar
        .lines()
        .skip(1)
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let of: Vec<_> = notes
        .iter()
        .map(|note| {
            json!([
                note["event_id"],
                note["kind"],
                note["evidence"],
                note["author"]["id"]
            ])
        })
        .collect();
    let expected = [
        json!([1, "note", "A *call* (`a.call`, severity low).", "atif-scan"]),
        json!([2, "note", "A *call* (`a.call`, severity low).", "atif-scan"]),
        json!([0, "note", "a.step (`a.step`, severity low).", "atif-scan"]),
    ];
    assert_eq!(of, expected);
    let again = run();
    assert!(
        again.stdout.ends_with(": 0 added, 3 already there\n"),
        "{}",
        again.stdout
    );

    for (text, reason) in [
        (report(2), "it is about 2 trajectories"),
        (
            r#"{"scanner_version":"1","inputs":[]}"#.to_owned(),
            "missing field `checks`",
        ),
    ] {
        site.write(FILE, text);
        let ran = run();
        assert_eq!(ran.status, Some(1));
        assert!(
            ran.stderr.contains("error[annotation.invalid-finding]"),
            "{}",
            ran.stderr
        );
        assert!(ran.stderr.contains(reason), "{}", ran.stderr);
    }
}
