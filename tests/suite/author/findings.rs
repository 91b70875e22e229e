//! Findings of scanners as annotations: all of a file or none, and each only once.

use std::io::Write as _;
use std::process::Stdio;

use serde_json::{Value, json};

use super::{SHORT_SIDECAR, SIDECAR, TAPE, annotate, harn, ids, written};
use crate::support::{
    FIRST, Ran, TestSite, annotation, command, contains, first, fixture_text, lines, parse, rows,
    tree,
};

const FILE: &str = "findings.jsonl";

/// A site with the sample findings.
fn site() -> TestSite {
    let site = TestSite::base();
    site.write(FILE, fixture_text("findings/findings.jsonl"));
    site
}

fn import(site: &TestSite) -> Ran {
    annotate(site, "--from findings.jsonl")
}

/// Expects the counts at the end of the output.
#[track_caller]
fn counts(ran: &Ran, added: usize, known: usize) {
    let end = format!(": {added} added, {known} already there\n");
    assert!(ran.stdout.ends_with(&end), "{ran:?}");
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
    Ran::new("annotate --from -", output)
}

#[test]
fn each_finding_becomes_an_annotation_and_the_same_file_adds_nothing_more() {
    let site = site();
    let before = site.text(SIDECAR);
    let ran = import(&site).quiet();
    assert_eq!(
        ran.stdout,
        format!(
            "{SIDECAR}:3: ann-2-incorrect\n  event 2, command: npm test\n\
             {SIDECAR}:4: ann-2-friction\n  event 2, command: npm test\n  to event 3, agent: One test fails.\n\
             {SIDECAR}:5: ann-0-hypothesis\n  event 0, agent: I will read the task first.\n\
             {SIDECAR}: 3 added, 0 already there\n"
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
    let author = json!({"id": "scan-1", "kind": "system", "surface": "cli"});
    assert_eq!(friction["author"], author);
    assert_eq!(lines[3].1["hypothesis_status"], "active");

    let after = tree(site.root());
    let ran = import(&site).quiet();
    assert_eq!(ran.stdout, format!("{SIDECAR}: 0 added, 3 already there\n"));
    assert_eq!(tree(site.root()), after);
    site.runpress("check --deny warnings").ok();
}

#[test]
fn a_finding_is_there_only_if_event_range_kind_evidence_and_author_are_the_same() {
    let site = TestSite::base();
    let known = finding(2, "Seen.");
    let changed = |key: &str, value: Value| {
        let mut finding = known.clone();
        finding[key] = value;
        finding.to_string()
    };
    let all = [
        known.to_string(),
        changed("event", json!(1)),
        changed("kind", json!("marker")),
        changed("evidence", json!("Seen")),
        changed("author", json!({"id": "scan", "kind": "agent"})),
        changed("author", json!({"id": "scan-2", "kind": "system"})),
        changed("span_end", json!(3)),
        // The same again, in another order of keys and as a range of one event.
        r#"{"author":{"kind":"system","id":"scan"},"evidence":"Seen.","kind":"note","span_end":2,"event":2}"#.to_owned(),
    ];
    site.write(FILE, &all[0]);
    counts(&import(&site), 1, 0);
    site.write(FILE, all.join("\n"));
    counts(&import(&site), 6, 2);
    assert_eq!(
        ids(&site),
        "a-1 ann-2-note ann-1-note ann-2-marker ann-2-note-2 ann-2-note-3 ann-2-note-4 ann-2-note-5"
    );
}

#[test]
fn one_refused_finding_stops_all_and_every_refused_line_is_listed_at_its_value() {
    let table = rows::<3>(
        r#"
{"event":4,"kind":"note","evidence":"No such event."END | annotation.unknown-event-id | :2:10
{"kind":"note","evidence":"No event."END | annotation.invalid-finding | :3:
{"event":-1,"kind":"note","evidence":"x"END | annotation.invalid-finding | :4:10
{"event":1,"kind":"notes","evidence":"x"END | annotation.unknown-kind | :5:19
{"event":1,"span_end":0,"kind":"note","evidence":"x"END | annotation.invalid-span | :6:23
{"event":1,"kind":"note","evidence":"x","quote":"npm test"END | annotation.quote-not-found | :7:49
{"event":1,"kind":"friction","evidence":"x"END | annotation.friction-kind-missing | :8:1
{"event":1,"kind":"note","evidence":"[x](javascript:a)"END | review.unsafe-link | :9:37
{"event":1,"kind":"note","evidence":" "END | annotation.invalid-finding | :10:37
{"event":1,"event":2,"kind":"note","evidence":"x"END | annotation.invalid-finding | :11:
[1,null,"note",null,null,"x",null,{"id":"scan","kind":"system"}] | annotation.invalid-finding | :12:1
{"event":1,"kind":"note","evidence":"x","author":"scan"} | annotation.invalid-finding | :13:50
{"event":1,"kind":"note","evidence":"cut o | annotation.invalid-finding | :14:
"#,
    );
    let lines: Vec<&str> = table.iter().map(|[line, ..]| *line).collect();
    let good = r#"{"event":1,"kind":"note","evidence":"Good."END"#;
    let text = format!("{good}\n{}", lines.join("\n"));
    let text = text.replace("END", r#","author":{"id":"scan","kind":"system"}}"#);
    for with_sidecar in [true, false] {
        let site = TestSite::base();
        if !with_sidecar {
            site.remove(SIDECAR);
        }
        site.write(FILE, &text);
        let before = tree(site.root());
        let ran = import(&site).exits(1);
        assert_eq!(ran.stdout, "");
        let mut listed = Vec::new();
        let mut report = ran.stderr.lines();
        while let Some(line) = report.next() {
            if let Some((_, rest)) = line.split_once('[').filter(|_| line.contains("]: ")) {
                let code = rest.split(']').next().expect("a code");
                listed.push((code, report.next().expect("a place")));
            }
        }
        assert_eq!(listed.len(), table.len(), "{}", ran.stderr);
        for ((code, place), [_, expected, at]) in listed.iter().zip(&table) {
            assert_eq!(code, expected, "{}", ran.stderr);
            contains(place, format!("{FILE}{at}"));
        }
        for sentence in [
            "The finding cannot be read: missing field `event`",
            "The finding cannot be read: it ends within a string",
            "The finding cannot be read: an array instead of an object",
            "Did you mean `note`?",
            "`runpress schema findings` prints their schema.",
        ] {
            ran.says(sentence);
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
    let (one, two) = (finding(1, "One."), finding(3, &long));
    let text = format!("\u{feff}\r\n{one}\r\n \t\r\n{two}");
    let ran = piped(&site, text.as_bytes()).quiet();
    ran.prints(":2 (new): ann-1-note\n")
        .prints(":3: ann-3-note\n");
    assert_eq!(written(&site)[1].1["evidence"], json!(long));
    counts(&piped(&site, text.as_bytes()), 0, 2);

    let mut bytes = format!("{}\n", finding(1, "Two.")).into_bytes();
    bytes.extend(b"{\"event\":1,\"kind\":\"note\",\"evidence\":\"\xff\"}\n");
    let before = tree(site.root());
    let ran = piped(&site, &bytes).exits(1);
    ran.says("it is not valid UTF-8").says("<stdin>:2:38");
    let wide: Vec<u8> = "\u{feff}{}\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    piped(&site, &wide).says("It is UTF-16");
    assert_eq!(tree(site.root()), before);
    counts(&piped(&site, b""), 0, 0);
    assert_eq!(tree(site.root()), before);
}

#[test]
fn a_file_without_findings_makes_no_sidecar_and_an_unreadable_one_is_refused() {
    let site = TestSite::base();
    site.remove(SIDECAR).write(FILE, "\n");
    let before = tree(site.root());
    import(&site).quiet();
    for from in ["gone.jsonl", "content"] {
        annotate(&site, &format!("--from {from}"))
            .exits(2)
            .says("cannot be read");
    }
    site.write(FILE, finding(1, "Large.").to_string());
    site.settings("[limits]\ndocument = 64");
    import(&site).exits(2).says("`document` in `[limits]`");
    annotate(&site, &format!("--from {FILE} --event 1")).says("cannot be used with");
    site.write(FILE, "\n")
        .write("site.toml", &before["site.toml"]);
    assert_eq!(tree(site.root()), before);
}

#[test]
fn findings_keep_to_the_tape_that_is_named_and_refuse_one_that_changed() {
    let site = harn(&[TAPE, SHORT_SIDECAR]);
    site.write(FILE, finding(2, "In Harn's own sample.").to_string());
    let run = "content/runs/harn";
    let sidecar = format!("{run}/{SHORT_SIDECAR}");
    let before = site.text(&sidecar);
    let import_to =
        |tape: &str| site.runpress(&format!("annotate {run} --tape {tape} --from {FILE}"));
    import_to(TAPE).quiet();
    let added = site.text(&sidecar);
    assert!(added.starts_with(&before) && added.contains("In Harn's own sample."));
    import_to("other.tape").exits(2);

    let site = self::site();
    site.replace(
        SIDECAR,
        "_version\":1",
        "_version\":1,\"tape_content_hash\":\"00\"",
    );
    import(&site)
        .exits(1)
        .says("annotation.tape-digest-mismatch");
}

#[test]
fn imports_at_the_same_time_add_each_finding_once() {
    let site = site();
    let ran: Vec<Ran> = std::thread::scope(|scope| {
        let all: Vec<_> = (0..4).map(|_| scope.spawn(|| import(&site).ok())).collect();
        all.into_iter()
            .map(|one| one.join().expect("an end"))
            .collect()
    });
    let added = ran.iter().filter(|ran| ran.stdout.contains(": 3 added,"));
    assert_eq!(added.count(), 1, "{ran:?}");
    assert_eq!(written(&site).len(), 4);
}

#[test]
fn a_secret_in_a_finding_stops_the_build_as_in_any_annotation() {
    let site = TestSite::base();
    let secret = ["gh", "p_", "Kq7ZxT2mVbW9LnRfYc4HsJdG8eP0aUo5KxZ1"].concat();
    let finding = finding(1, &format!("The token {secret} is printed."));
    site.write(FILE, finding.to_string());
    import(&site).ok();
    site.runpress("check").exits(1).says("secret.vcs");
}

#[test]
fn existing_problems_do_not_stop_findings_and_old_annotations_without_an_author_are_others() {
    let site = site();
    let old = annotation("p-1", 2, "praise", r#""evidence":"Old.""#);
    site.append(SIDECAR, &(old + "\n"));
    counts(&import(&site), 3, 0);
}

#[test]
fn matches_of_a_report_of_atif_scan_are_notes_at_the_events_made_of_their_places() {
    const TRACE: &str = "import.trace.jsonl";
    let site = TestSite::base();
    let source = json!({"name": "trajectory.json", "bytes": 2, "blake3": "0".repeat(64)});
    let header = json!({"type": "trace", "schemaVersion": 1, "importer": {"format": "atif", "version": 1}, "sources": [source]});
    let mut trace = vec![header.to_string()];
    let pointers = [
        "1/message",
        "1/tool_calls/0",
        "1/observation/results/0",
        "10/message",
    ];
    for (seq, pointer) in pointers.iter().enumerate() {
        let source = json!({"file": 0, "pointer": format!("/steps/{pointer}")});
        let event = json!({"seq": seq, "type": "message", "role": "assistant", "text": "Yes.", "source": source});
        trace.push(event.to_string());
    }
    site.write_first(TRACE, lines(&trace));
    let none = Value::Null;
    let at = |step: u64, channel: &str, call: &Value, observation: &Value| json!({"step": step, "step_id": step + 1, "channel": channel, "call": call, "observation": observation, "span": null});
    let message = at(1, "message", &none, &none);
    let found = |id: &str, kind: &str, status: &str, expected: Value, evidence: Value| json!({"id": id, "kind": kind, "status": status, "severity": "low", "expected_by": expected, "evidence": evidence});
    let report = |inputs: usize| {
        let call = json!([
            at(1, "command", &json!(0), &none),
            at(1, "observation", &none, &json!(0))
        ]);
        let assessments = json!([
            found("a.call", "detector", "match", json!([]), call),
            found(
                "a.step",
                "detector",
                "match",
                json!([]),
                json!([at(1, "metadata", &none, &none)])
            ),
            found("a.rule", "rule", "match", json!([]), json!([message])),
            found(
                "a.allowed",
                "detector",
                "match",
                json!(["policy"]),
                json!([message])
            ),
            // Step 2 has no event, and step 1 is not a part of step 10.
            found(
                "a.nowhere",
                "detector",
                "match",
                json!([]),
                json!([at(2, "message", &none, &none)])
            ),
            found(
                "a.missed",
                "detector",
                "no_match",
                json!([]),
                json!([message])
            ),
        ]);
        let checks = json!({"a.call": {"title": "A *call*", "severity": "low"}, "a.nowhere": {"title": "No\u{1b}where"}});
        let input = json!({"assessments": assessments, "score": 1});
        json!({"schema_version": 4, "scanner_version": "0.7.3", "checks": checks, "inputs": vec![input; inputs]}).to_string()
    };
    site.write(FILE, report(1));
    let run = || annotate(&site, &format!("--from {FILE} --tape {TRACE}"));
    let ran = run().quiet();
    let end = format!("{TRACE}.annotations.jsonl: 3 added, 0 already there\n");
    assert!(ran.stdout.ends_with(&end), "{}", ran.stdout);
    ran.prints("not added, since it has no event: No␛where (a.nowhere)\n");
    assert_eq!(ran.stdout.matches("not added").count(), 1);
    let notes = site.text(&first(&format!("{TRACE}.annotations.jsonl")));
    let notes = notes.lines().skip(1).map(parse);
    let of = notes.map(|it| {
        json!([
            it["event_id"],
            it["kind"],
            it["evidence"],
            it["author"]["id"]
        ])
    });
    let expected = [
        json!([1, "note", "A *call* (`a.call`, severity low).", "atif-scan"]),
        json!([2, "note", "A *call* (`a.call`, severity low).", "atif-scan"]),
        json!([0, "note", "a.step (`a.step`, severity low).", "atif-scan"]),
    ];
    assert_eq!(of.collect::<Vec<_>>(), expected);
    counts(&run(), 0, 3);

    let lacking = r#"{"scanner_version":"1","inputs":[]}"#.to_owned();
    for (text, reason) in [
        (report(2), "it is about 2 trajectories"),
        (lacking, "missing field `checks`"),
    ] {
        site.write(FILE, text);
        run()
            .exits(1)
            .says("error[annotation.invalid-finding]")
            .says(reason);
    }
}
