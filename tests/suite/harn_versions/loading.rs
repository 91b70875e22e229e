//! What the loader accepts and refuses, same as Harn’s own loader.

use runpress::api::diagnostics::Diagnostic;
use runpress::api::formats::tape::parse;
use serde_json::{Value, json};

use super::{FULL, HEADER, alone, hash, inline, sample, tape};
use crate::crawl::problems;
use crate::support::{codes, contains, described, fixture, fixture_text, lines};

#[test]
fn every_sample_has_the_hash_that_harn_computes_or_is_refused_as_by_harn() {
    let expected: Value =
        serde_json::from_str(&fixture_text("harn-tapes/expected-hashes.json")).expect("JSON");
    let files = expected["files"].as_object().expect("files");
    assert_eq!(files.len(), 31);
    for (file, says) in files {
        let bytes = std::fs::read(fixture("harn-tapes").join(file)).expect(file);
        let (tape, found) = parse(file, &bytes);
        let Some(expected) = says["contentHash"].as_str() else {
            assert!(tape.is_none(), "{file} is refused");
            assert!(found.iter().any(Diagnostic::is_error), "{file}");
            continue;
        };
        let tape = tape.unwrap_or_else(|| panic!("{file}: {found:?}"));
        assert_eq!(tape.content_hash, expected, "{file}");
        assert_eq!(json!(tape.header.version), says["version"], "{file}");
        assert_eq!(json!(tape.records.len()), says["records"], "{file}");
        if let Some(other) = says["contentHashOnDiskOrder"].as_str() {
            assert!(tape.other_hashes.iter().any(|hash| hash == other), "{file}");
        }
    }
}

#[test]
fn a_tape_of_every_version_is_published_without_a_problem() {
    for (name, version) in [
        ("v2-testbench", "2"),
        ("v3-metadata", "3"),
        ("v4-full", "4"),
        ("v5-full", "5"),
    ] {
        let site = sample(name);
        assert_eq!(described(&site.publish()), [""; 0], "{name}");
        assert_eq!(problems(&site.published()), [""; 0], "{name}");
        assert_eq!(site.first_page().beside("Tape version"), [version]);
    }
}

#[test]
fn the_sidecar_of_the_newest_version_agrees_with_its_tape() {
    let site = sample(FULL);
    site.publish();
    assert_eq!(site.first_page().beside("Its digest"), ["matches the tape"]);
    let target = &site.first_run()["annotations"][0]["target"];
    assert_eq!(target["kind"], "tool_call");
}

#[test]
fn a_hash_over_keys_in_the_order_of_the_file_agrees_too() {
    let change = json!({ "kind": "tool_call", "call_id": "c", "tool": "t", "args_digest": "d", "after_calls": 1,
        "outcome": inline("x"), "transcript_changes": "changes" });
    let changes = r#"[{"session_id":"s","fields":{"z":{"set":{"b":1,"a":2}}}}]"#;
    let text = tape(&[change]).replace("\"changes\"", changes);
    let (parsed, _) = parse("t", text.as_bytes());
    let parsed = parsed.expect("a tape");
    assert_eq!(parsed.other_hashes.len(), 1);
    for (stated, is_stale) in [
        (&parsed.content_hash, false),
        (&parsed.other_hashes[0], false),
        (&hash("another tape"), true),
    ] {
        let site = alone();
        let header = json!({ "type": "header", "schema_version": 1, "tape_content_hash": stated });
        site.write_first("run.tape", &text)
            .write_first("run.tape.annotations.jsonl", format!("{header}\n"));
        let found = codes(&site.check()).contains(&"annotation.tape-digest-mismatch");
        assert_eq!(found, is_stale, "{stated}");
    }
}

#[test]
fn a_last_line_that_was_cut_off_is_left_out_with_a_warning() {
    let sleep = |ms| json!({ "kind": "clock_sleep", "duration_ms": ms });
    let text = tape(&[sleep(1), sleep(2)]);
    let half = &text[..text.len() - 20];
    for (what, text, code, events) in [
        ("whole", text.clone(), "", 2),
        (
            "without its last line break",
            text.trim_end().to_owned(),
            "",
            2,
        ),
        ("cut off", half.to_owned(), "tape.torn-line", 1),
        (
            "cut off, then a line break",
            format!("{half}\n"),
            "tape.malformed-record",
            0,
        ),
        (
            "cut off, then blanks",
            format!("{half}\n  "),
            "tape.malformed-record",
            0,
        ),
        (
            "a comment at the end",
            format!("{text}# end"),
            "tape.torn-line",
            2,
        ),
        (
            "a second header at the end",
            format!("{text}{HEADER}"),
            "tape.second-header",
            0,
        ),
        (
            "a header that is cut off",
            HEADER[..20].to_owned(),
            "tape.malformed-record",
            0,
        ),
    ] {
        let site = alone();
        let outcome = site.write_first("run.tape", text).build();
        assert_eq!(codes(&outcome).join(", "), code, "{what}");
        assert_eq!(outcome.published, events > 0, "{what}");
        if outcome.published {
            let shown = site.first_page().all("ol.tape > li.e").len();
            assert_eq!(shown, events, "{what}");
        }
    }
    let site = alone();
    let mut bytes = tape(&[sleep(1)]).into_bytes();
    bytes.extend(b"{\"type\":\"record\",\"seq\":1,\"caf\xc3");
    let outcome = site.write_first("run.tape", bytes).check();
    assert_eq!(codes(&outcome), ["tape.torn-line"], "within a character");
}

#[test]
fn a_newer_version_is_refused_for_its_number_whatever_else_it_holds() {
    for header in [
        r#"{"type":"header","version":6,"harn_version":"1"}"#,
        r#"{"type":"header","version":6,"run":{"recording":"later"}}"#,
    ] {
        let site = alone();
        let found = described(&site.write_first("run.tape", lines(&[header])).check());
        assert_eq!(found.len(), 1, "{found:?}");
        contains(
            &found[0],
            "The tape has version `6`; the newest supported version is `5`",
        );
    }
}

#[test]
fn what_harn_refuses_in_a_record_is_refused() {
    let record = r#"{"type":"record","seq":0,"virtual_time_ms":0,"monotonic_ms":0,"kind":{"kind":"payload_redaction"}}"#;
    let deep = format!("\"newer\":{}{}", "[".repeat(200), "]".repeat(200));
    for (what, more) in [
        ("a phase that is null", "\"phase\":null"),
        ("half a surrogate pair", r#""newer":"\ud83d""#),
        ("half a pair in a key", r#""\ud83d":1"#),
        ("a number without end", "\"newer\":1e999"),
        ("values too deep", &deep),
        ("messages that are null", ""),
    ] {
        let line = if more.is_empty() {
            let call = r#""kind":"llm_call","request_digest":"d","response":{"content_hash":"h","text":""},"messages":null"#;
            record.replace(r#""kind":"payload_redaction""#, call)
        } else {
            record.replace("\"seq\":0", &format!("\"seq\":0,{more}"))
        };
        let text = lines(&[HEADER, &line]);
        let (tape, found) = parse("t", text.as_bytes());
        assert!(tape.is_none(), "{what}");
        assert_eq!(found.len(), 1, "{what}: {found:?}");
        assert_eq!(found[0].code.name, "tape.malformed-record", "{what}");
        if what == "a phase that is null" {
            contains(&found[0].message, "null instead of a string");
        }
    }
}

#[test]
fn white_space_of_unicode_around_a_record_does_not_count() {
    let record = r#"{"type":"record","seq":0,"phase":"user_script","virtual_time_ms":0,"monotonic_ms":0,"kind":{"kind":"payload_redaction"}}"#;
    let hash = |text: String| {
        let (tape, problems) = parse("t", text.as_bytes());
        assert!(problems.is_empty(), "{problems:?}");
        tape.expect("a tape").content_hash
    };
    let plain = hash(format!("{HEADER}\n{record}\n"));
    let spaced = format!("{HEADER}\n\u{a0}{record}\u{2003}\n\u{a0}\n\u{b}\n");
    assert_eq!(hash(spaced), plain);
    assert_eq!(hash(format!("{HEADER}\n{record}\u{a0}")), plain);
}
