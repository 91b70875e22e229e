//! Withheld text is in no published byte, and everything else is published as recorded.

use std::io::Read;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::{FIRST, Ran, TestSite, codes, differences, event, lines, tree};

/// Not a key of any service. Contains every kind of character that some format escapes.
const SECRET: &str = "hush-4f1c/\"2d\u{e9}3e&<b>'x";

/// The folder of the run on the site.
const RUN: &str = "public/runs/pong-codex-sample-lark-1-4f1c2d3e";

/// The secret in every form that a program may write.
fn forms() -> Vec<Vec<u8>> {
    let json = |text: &str| {
        let json = serde_json::to_string(text).expect("a string");
        json[1..json.len() - 1].to_owned()
    };
    let ascii = json(SECRET).replace('\u{e9}', "\\u00e9");
    let html = SECRET
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;");
    let percent: String = SECRET
        .bytes()
        .map(|byte| {
            if byte.is_ascii_alphanumeric() || byte == b'-' {
                char::from(byte).to_string()
            } else {
                format!("%{byte:02X}")
            }
        })
        .collect();
    let mut forms = vec![
        SECRET.to_owned(),
        json(SECRET),
        json(&json(SECRET)),
        ascii.clone(),
        ascii
            .replace('<', "\\u003c")
            .replace('>', "\\u003e")
            .replace('&', "\\u0026"),
        percent.to_lowercase(),
        percent,
    ];
    for quote in ["\"", "&quot;", "&#34;"] {
        for apostrophe in ["'", "&#39;", "&#x27;", "&apos;"] {
            forms.push(
                html.replace('"', quote)
                    .replace('\'', apostrophe)
                    .replace("&gt;", ">"),
            );
            forms.push(html.replace('"', quote).replace('\'', apostrophe));
        }
    }
    // None of them contains the beginning alone.
    forms.push("hush-4f1c".to_owned());
    forms.into_iter().map(String::into_bytes).collect()
}

fn is_in(bytes: &[u8]) -> bool {
    forms()
        .iter()
        .any(|form| bytes.windows(form.len()).any(|part| part == form))
}

/// The base site with the secret in every kind of published file.
fn full_of_secrets() -> TestSite {
    let site = TestSite::base();
    let file = |name: &str| format!("{FIRST}/{name}");
    let text = json!(SECRET).to_string();
    let twice = json!(text).to_string();
    let escaped: String = SECRET
        .chars()
        .map(|c| format!("\\u{:04x}", u32::from(c)))
        .collect();
    site.write(
        "site.toml",
        "[site]\nbase_url = \"https://example.org\"\n[policy]\npublish_implementation = true\n",
    );
    site.replace(
        &file("events.jsonl"),
        "\"npm test\"",
        &json!(format!("curl -d {SECRET} x")).to_string(),
    );
    site.replace(
        &file("events.jsonl"),
        "\"One test fails.\"",
        &format!("\"It says {escaped} and {escaped}.\""),
    );
    let old = site.text(&file("events.jsonl"));
    let more = [
        format!(
            r#"{{"timestamp":"2026-03-01T10:00:13Z","type":"unknown","raw":{{{text}:1,"b":[{twice}]}}}}"#
        ),
        format!(
            r#"{{"timestamp":"2026-03-01T10:00:14Z","type":"gg","event":{{"a":{text},"a":2}}}}"#
        ),
        format!("broken {SECRET}"),
    ];
    site.write(
        &file("events.jsonl"),
        format!("{old}{}\r\n", more.join("\r\n")),
    );
    site.replace(
        &file("events.jsonl.annotations.jsonl"),
        "The test was run",
        &format!("{} was run", json!(SECRET).to_string().trim_matches('"')),
    );
    site.write(
        &file("writeup.md"),
        format!("---\nrating: great\n---\n\nIt uses {SECRET}.\n\n`{SECRET}`\n"),
    );
    site.replace(
        &file("run-record.json"),
        "\"the ball never leaves the field\"",
        &text,
    );
    site.replace(
        &file("run-record.json"),
        "\"status\":",
        &format!("\"another\": {{{text}: [{text}]}}, \"status\":"),
    );
    let transcript = json!({"_type": "transcript", "version": 2, "id": "t", "messages": [
        {"role": "user", "content": format!("Take {SECRET}.")},
        {"role": "assistant", "content": [{"type": "text", "visibility": "private", "text": SECRET}]},
    ], "assets": [
        {"id": "a", "visibility": "public", "name": "notes", "storage": {"path": "assets/notes.txt"}},
        {"id": "b", "visibility": "public", "data": format!("inline {SECRET}")},
    ]});
    site.write(&file("transcript.json"), transcript.to_string());
    site.write(&file("assets/notes.txt"), format!("one\n{SECRET}\n"));
    site.write(
        &file("implementation/src/a.ts"),
        format!("// one\nconst a = `{SECRET}`\n"),
    );
    let threads = json!({"annotations": [{"id": "t", "turnId": "1", "origin": {"session": "ahp-session:/1", "turnId": "1"}, "resource": "file:///workspace/src/a.ts",
        "range": {"start": {"line": 1, "character": 0}, "end": {"line": 2, "character": 0}},
        "resolved": false, "entries": [{"id": "e", "text": format!("See {SECRET}.")}]}]});
    site.write(&file("annotations.json"), threads.to_string());
    site.write(&file("log.trace.jsonl"), lines(&[
        r#"{"type":"trace","schemaVersion":1}"#.to_owned(),
        json!({"type": "tool_call", "name": "bash", "call": "1", "arguments": {"command": SECRET}}).to_string(),
        json!({"type": "tool_result", "call": "1", "text": json!({"env": {"KEY": SECRET}}).to_string()}).to_string(),
    ]));
    let payload = format!("stdout {SECRET}\n");
    let hash = blake3::hash(payload.as_bytes()).to_hex();
    let inline = format!("stderr {SECRET}");
    let inline =
        json!({"content_hash": blake3::hash(inline.as_bytes()).to_hex().as_str(), "text": inline});
    site.write(&file("run.tape"), lines(&[
        r#"{"type":"header","version":5,"harn_version":"0.8"}"#.to_owned(),
        json!({"type": "record", "seq": 0, "virtual_time_ms": 0, "monotonic_ms": 0, "kind": {"kind": "process_spawn",
            "program": "ls", "args": [SECRET], "cwd": null, "exit_code": 0, "duration_ms": 1,
            "stdout_payload": {"content_hash": hash.as_str(), "len_bytes": payload.len()}, "stderr_payload": inline}}).to_string(),
    ]));
    site.write(&file(&format!("run.tape.cas/{hash}")), payload);
    site
}

/// Every file below a folder, including the members of archives.
fn unpacked(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    for (path, bytes) in tree(folder) {
        if path.ends_with(".gz") {
            let mut text = Vec::new();
            let read = flate2::read::GzDecoder::new(&*bytes).read_to_end(&mut text);
            read.expect("an archive");
            files.push((format!("{path}, unpacked"), text));
        }
        files.push((path, bytes));
    }
    files
}

/// Runs the program, and asserts that it never prints the secret.
fn quiet(site: &TestSite, arguments: &[&str]) -> Ran {
    let ran = site.runpress(arguments);
    let said = format!("{}{}", ran.stdout, ran.stderr);
    assert!(!is_in(said.as_bytes()), "{arguments:?}: {said}");
    ran
}

fn redact(site: &TestSite, more: &[&str]) -> Ran {
    let arguments = [&["redact", FIRST, "--reason", "secret"], more].concat();
    quiet(site, &arguments)
}

#[test]
fn a_withheld_secret_is_in_no_byte_of_the_site_the_cache_or_the_terminal() {
    let site = full_of_secrets();
    // Before the redaction it is everywhere, which shows that the test can find it.
    let _ = site.publish();
    let found = unpacked(&site.path("public"));
    let with = found.iter().filter(|(_, bytes)| is_in(bytes)).count();
    assert!(with > 12, "{with}");
    let ran = redact(
        &site,
        &["--event", "2", "--tape", "events.jsonl", "--quote", SECRET],
    );
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    assert!(
        ran.stdout.contains("more occurrences are withheld with it"),
        "{}",
        ran.stdout
    );
    for arguments in [
        &["check", "-v"][..],
        &["check", "--report", "json"],
        &["check", "--report", "sarif"],
        &["build", "-v"],
        &["build", "-v", "--fresh"],
    ] {
        let ran = quiet(&site, arguments);
        assert_eq!(ran.status, Some(0), "{arguments:?}: {}", ran.stderr);
    }
    for folder in ["public", ".runpress"] {
        for (path, bytes) in unpacked(&site.path(folder)) {
            assert!(!is_in(&bytes), "{folder}/{path}");
        }
    }
    assert!(!is_in(&site.bytes(&format!("{FIRST}/redactions.jsonl"))));
    // All other text is as recorded, line by line.
    let recorded = site.text(&format!("{FIRST}/events.jsonl"));
    let published = site.text(&format!("{RUN}/events.jsonl"));
    assert_eq!(recorded.lines().count(), published.lines().count());
    for (recorded, published) in recorded.lines().zip(published.lines()) {
        assert_eq!(
            recorded == published,
            !published.contains("[withheld: secret, "),
            "{published}"
        );
    }
}

#[test]
fn the_hash_of_a_tape_and_its_annotations_stay_valid() {
    for (file, event) in [
        ("events.jsonl", "2"),
        ("run.tape", "0"),
        ("log.trace.jsonl", "0"),
    ] {
        let site = full_of_secrets();
        let ran = site.runpress(&[
            "annotate",
            FIRST,
            "--tape",
            file,
            "--event",
            event,
            "--kind",
            "note",
            "--evidence",
            "x",
        ]);
        assert_eq!(ran.status, Some(0), "{}", ran.stderr);
        let hash = |site: &TestSite| {
            let document = serde_json::from_str::<Value>(&site.first_document()).expect("JSON");
            document["tapes"]
                .as_array()
                .expect("tapes")
                .iter()
                .map(|tape| tape["contentHash"].clone())
                .collect::<Vec<_>>()
        };
        let _ = site.publish();
        let before = hash(&site);
        let ran = redact(
            &site,
            &["--event", event, "--tape", file, "--quote", SECRET],
        );
        assert_eq!(ran.status, Some(0), "{}", ran.stderr);
        let outcome = site.publish();
        assert!(!codes(&outcome).contains(&"annotation.tape-digest-mismatch"));
        assert!(!codes(&outcome).contains(&"tape.payload-mismatch"));
        assert_eq!(before, hash(&site));
    }
}

#[test]
fn the_page_and_run_json_list_what_is_withheld_with_both_digests() {
    let site = full_of_secrets();
    let ran = redact(
        &site,
        &[
            "--event",
            "2",
            "--tape",
            "events.jsonl",
            "--quote",
            SECRET,
            "--at",
            "2026-03-05T10:00:00Z",
        ],
    );
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    let _ = site.publish();
    let document: Value = serde_json::from_str(&site.first_document()).expect("JSON");
    let list = site.text(&format!("{FIRST}/redactions.jsonl"));
    let withheld = document["withheld"].as_array().expect("a list");
    assert_eq!(withheld.len(), list.lines().count());
    assert!(
        withheld
            .iter()
            .all(|it| it["at"] == "2026-03-05T10:00:00Z" && it["commitment"].is_string())
    );
    let files = document["files"].as_array().expect("files");
    let log = files
        .iter()
        .find(|file| file["path"] == "events.jsonl")
        .expect("the log");
    let hash = |bytes: &[u8]| blake3::hash(bytes).to_hex().to_string();
    assert_eq!(
        log["recorded"]["blake3"],
        hash(&site.bytes(&format!("{FIRST}/events.jsonl")))
    );
    assert_eq!(
        log["blake3"],
        hash(&site.bytes(&format!("{RUN}/events.jsonl")))
    );
    let page = site.first_page();
    let rows = page.texts("#withheld + div tbody tr");
    assert_eq!(rows.len(), withheld.len());
    let links = page.all("#withheld + div tbody a");
    assert!(links.len() >= 5, "{}", links.len());
    assert!(
        page.main().contains("not as recorded"),
        "{}",
        rows.join("\n")
    );
    assert_eq!(crate::crawl::problems(&site.published()), [""; 0]);
}

#[test]
fn a_file_is_withheld_whole_under_every_name_that_it_has() {
    let site = full_of_secrets();
    let copy = site.bytes(&format!("{FIRST}/assets/notes.txt"));
    site.write(&format!("{FIRST}/assets/copy.txt"), copy);
    site.replace(&format!("{FIRST}/transcript.json"), "inline ", "x");
    let transcript = site.text(&format!("{FIRST}/transcript.json"));
    let mut transcript: Value = serde_json::from_str(&transcript).expect("JSON");
    let copy = json!({"id": "c", "visibility": "public", "storage": {"path": "assets/copy.txt"}});
    transcript["assets"]
        .as_array_mut()
        .expect("assets")
        .push(copy);
    site.write(&format!("{FIRST}/transcript.json"), transcript.to_string());
    for file in [
        "assets/notes.txt",
        "log.trace.jsonl",
        "implementation/src/a.ts",
        "events.jsonl",
        "run.tape",
    ] {
        let ran = redact(&site, &["--file", file, "--whole"]);
        assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    }
    let _ = site.publish();
    let names: Vec<_> = tree(&site.path(RUN)).into_keys().collect();
    for gone in [
        "events.jsonl",
        "events.jsonl.annotations.jsonl",
        "run.tape",
        "log.trace.jsonl",
        "implementation.tar.gz",
    ] {
        assert!(!names.iter().any(|name| name == gone), "{gone}");
    }
    for (path, bytes) in unpacked(&site.path(&format!("{RUN}/assets"))) {
        assert!(!bytes.starts_with(b"one\n"), "{path}");
    }
}

#[test]
fn a_redaction_can_be_removed_and_tried_without_writing() {
    let site = full_of_secrets();
    let list = format!("{FIRST}/redactions.jsonl");
    let ran = redact(
        &site,
        &[
            "--event",
            "2",
            "--tape",
            "events.jsonl",
            "--quote",
            SECRET,
            "--dry-run",
        ],
    );
    assert!(ran.stdout.contains("would add"), "{}", ran.stdout);
    assert!(!site.path(&list).exists() && !site.path("redaction.key").exists());
    let ran = redact(
        &site,
        &["--event", "2", "--tape", "events.jsonl", "--quote", SECRET],
    );
    assert!(
        ran.stdout.contains("Created redaction.key") && ran.stdout.contains("`.gitignore`"),
        "{}",
        ran.stdout
    );
    let before = site.text(&list);
    let ran = quiet(&site, &["redact", FIRST, "--undo", "r1"]);
    assert!(ran.stdout.contains("removed 1 redaction"), "{}", ran.stdout);
    let after = site.text(&list);
    assert_eq!(after.lines().count() + 1, before.lines().count());
    assert!(codes(&site.check()).contains(&"redaction.remains"));
    let ran = redact(
        &site,
        &["--event", "2", "--tape", "events.jsonl", "--quote", SECRET],
    );
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    assert!(
        !codes(&site.check())
            .iter()
            .any(|code| code.starts_with("redaction."))
    );
}

#[test]
fn a_commitment_is_proved_with_its_salt_and_is_not_one_of_another_text() {
    let site = full_of_secrets();
    let ran = redact(
        &site,
        &["--event", "2", "--tape", "events.jsonl", "--quote", SECRET],
    );
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    let list = site.text(&format!("{FIRST}/redactions.jsonl"));
    let list: Vec<Value> = list
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let at = list
        .iter()
        .find(|it| it["file"] == "writeup.md")
        .expect("one of the review");
    let id = at["id"].as_str().expect("an id");
    let ran = quiet(&site, &["reveal-proof", FIRST, id]);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    let said = |name: &str| {
        let line = ran.stdout.lines().find_map(|line| line.strip_prefix(name));
        line.expect("a line").trim().to_owned()
    };
    let salt: [u8; 32] = blake3::Hash::from_hex(said("Salt:"))
        .expect("a salt")
        .into();
    let commitment = blake3::keyed_hash(&salt, SECRET.as_bytes()).to_hex();
    assert_eq!(said("Commitment:"), commitment.as_str());
    assert_eq!(at["commitment"], format!("blake3:{commitment}"));
    // The same text in another file proves nothing about this one.
    let same = list
        .iter()
        .filter(|it| it["commitment"] == at["commitment"]);
    assert_eq!(same.count(), 1);
    let key = site.text("redaction.key");
    assert!(
        !tree(&site.path("content"))
            .values()
            .any(|bytes| String::from_utf8_lossy(bytes).contains(key.trim()))
    );
    site.write("redaction.key", "0".repeat(64));
    assert!(codes(&site.check()).contains(&"redaction.stale"));
    site.remove("redaction.key");
    assert!(!codes(&site.check()).contains(&"redaction.stale"));
}

#[test]
fn copies_of_a_text_of_eight_bytes_are_withheld_and_those_of_a_shorter_one_are_not() {
    for (text, expected) in [("q7wz81k", 1), ("q7wz81kv", 2)] {
        let site = TestSite::base();
        site.remove(&format!("{FIRST}/events.jsonl.annotations.jsonl"));
        let said = event(0, "agent", &format!(r#""message":"It is {text}.""#));
        site.write(&format!("{FIRST}/events.jsonl"), lines(&[said]));
        let writeup = format!("{FIRST}/writeup.md");
        site.write(&writeup, format!("{}\n{text}\n", site.text(&writeup)));
        let ran = redact(&site, &["--file", "writeup.md", "--quote", text]);
        assert_eq!(ran.status, Some(0), "{}", ran.stderr);
        let list = site.text(&format!("{FIRST}/redactions.jsonl"));
        assert_eq!(list.lines().count(), expected, "{list}");
    }
}

#[test]
fn a_redaction_that_says_what_it_withholds_is_an_error() {
    let site = full_of_secrets();
    let ran = redact(&site, &["--file", "writeup.md", "--quote", SECRET]);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    let list = site.text(&format!("{FIRST}/redactions.jsonl"));
    let mut said: Value = serde_json::from_str(list.lines().next().expect("a line")).expect("JSON");
    said["note"] = json!(format!("the key {SECRET}"));
    let rest: Vec<_> = list.lines().skip(1).collect();
    site.write(
        &format!("{FIRST}/redactions.jsonl"),
        format!("{said}\n{}", lines(&rest)),
    );
    let ran = quiet(&site, &["check", "-v"]);
    assert!(ran.stderr.contains("redaction.remains"), "{}", ran.stderr);
}

#[test]
fn what_cannot_be_withheld_is_refused_without_a_word_of_it() {
    let site = full_of_secrets();
    for (more, said) in [
        (
            &[
                "--event",
                "0",
                "--tape",
                "events.jsonl",
                "--quote",
                "hush-4f1c is not here",
            ][..],
            "is not in event 0",
        ),
        (&["--event", "0", "--quote", SECRET], "several tapes"),
        (
            &["--file", "nope.txt", "--quote", SECRET],
            "has no file `nope.txt`",
        ),
        (
            &["--file", "run-record.json", "--whole"],
            "cannot be withheld whole",
        ),
        (&["--quote", SECRET], "No file is named"),
        (&["--finding", "0123456789abcdef"], "is not in the run"),
        (
            &[
                "--file",
                "writeup.md",
                "--quote",
                SECRET,
                "--at",
                "yesterday",
            ],
            "RFC 3339",
        ),
    ] {
        let ran = redact(&site, more);
        assert!(
            ran.status == Some(2) && ran.stderr.contains(said),
            "{more:?}: {}",
            ran.stderr
        );
    }
    assert!(!site.path(&format!("{FIRST}/redactions.jsonl")).exists());
}

#[test]
fn nothing_of_a_run_is_published_with_a_redaction_that_does_not_match() {
    for redaction in [
        r#"{"id":"r1","file":"events.jsonl","event":9,"pointer":"/message","start":0,"end":5,"length":5,"reason":"secret"}"#,
        r#"{"id":"r1","file":"run-record.json","pointer":"/nope","start":0,"end":5,"length":5,"reason":"secret"}"#,
        r#"{"id":"r1","file":"assets/gone.txt","whole":true,"reason":"secret"}"#,
        "{",
    ] {
        let site = TestSite::base();
        site.write(&format!("{FIRST}/redactions.jsonl"), redaction);
        let outcome = site.build();
        assert!(!outcome.published, "{redaction}");
        assert!(codes(&outcome)[0].starts_with("redaction."), "{redaction}");
        site.write("site.toml", "[policy]\non_invalid = \"quarantine\"\n");
        let outcome = site.build();
        assert!(outcome.published && outcome.runs == 0, "{redaction}");
    }
}

#[test]
fn a_change_of_the_text_around_a_span_is_an_error_and_a_change_elsewhere_is_not() {
    let site = TestSite::base();
    let digest =
        blake3::hash(b"\"I will [withheld: personal, 4 characters] the task first.\"").to_hex();
    site.write(
        &format!("{FIRST}/redactions.jsonl"),
        format!(
            r#"{{"id":"r1","file":"events.jsonl","event":0,"pointer":"/message","start":7,"end":11,"length":4,"reason":"personal","published":"blake3:{digest}"}}"#
        ),
    );
    let events = format!("{FIRST}/events.jsonl");
    assert_eq!(codes(&site.check()), [""; 0]);
    site.replace(&events, "One test fails", "Two tests fail");
    assert_eq!(codes(&site.check()), [""; 0]);
    site.replace(&events, "the task first", "the task later");
    assert!(codes(&site.check()).contains(&"redaction.stale"));
}

#[test]
fn a_second_build_with_a_new_redaction_equals_a_first_build() {
    let site = TestSite::base();
    let _ = site.publish();
    let redaction = r#"{"id":"r1","file":"run-record.json","pointer":"/environment/os","start":0,"end":6,"length":6,"reason":"personal"}"#;
    let other = r#"{"id":"r2","file":"events.jsonl","event":0,"pointer":"/message","start":7,"end":11,"length":4,"reason":"personal"}"#;
    for list in [
        lines(&[redaction]),
        lines(&[redaction, other]),
        lines(&[other]),
    ] {
        site.write(&format!("{FIRST}/redactions.jsonl"), &list);
        let _ = site.publish();
        let second = tree(&site.path("public"));
        let first = TestSite::base();
        first.write(&format!("{FIRST}/redactions.jsonl"), &list);
        let _ = first.publish();
        let mut differing = differences(&second, &tree(&first.path("public")));
        // Only the second site contains the changes since the last build.
        differing.retain(|path| !path.contains("changes") && !path.contains("feeds/index"));
        assert_eq!(differing, [""; 0], "{list}");
    }
}

#[test]
fn a_pointer_through_a_withheld_key_is_published_with_its_marker() {
    for (key, reason) in [("Maria Kowalska", "personal"), ("hush-4f1c-2d3e", "secret")] {
        let site = TestSite::base();
        let event = json!({ "type": "unknown", "timestamp": "2026-03-01T10:00:59Z", "raw": { key: { "a": "the words" } } });
        let events = format!("{FIRST}/events.jsonl");
        site.write(&events, format!("{event}\n{}", site.text(&events)));
        let redact = |quote: &str, reason: &str| {
            let ran = site.runpress(&[
                "redact", FIRST, "--event", "0", "--quote", quote, "--reason", reason,
            ]);
            assert_eq!(ran.status, Some(0), "{ran:?}");
        };
        redact("the words", "copyright");
        redact(key, reason);
        let list = site.text(&format!("{FIRST}/redactions.jsonl"));
        assert!(list.contains(&format!("/raw/{key}/a")), "{list}");
        let outcome = site.build();
        assert!(outcome.published, "{:?}", codes(&outcome));
        let marker = format!("/raw/[withheld: {reason}, {} characters]/a", key.len());
        assert!(site.text(&format!("{RUN}/run.json")).contains(&marker));
        for (path, bytes) in tree(&site.path("public")) {
            let holds = bytes.windows(key.len()).any(|part| part == key.as_bytes());
            assert!(!holds, "{path}");
        }
    }
}

#[test]
fn a_key_that_only_readers_see_is_withheld_with_the_markup_in_it() {
    let key = ["gh", "p_", "q8Zr4Lm2Xw7Nc5Vb9Ks1Tj6Hd3Fg0Py2Ru4E"].concat();
    for written in [
        key.replacen('_', "\\_", 1),
        key.replacen('p', "**p**", 1),
        key.replacen('_', "&#95;", 1),
        key.replacen('8', "<!-- a -->8", 1),
        key.replacen('8', "\u{200b}8", 1),
        key.replacen('8', "\08", 1),
    ] {
        let site = TestSite::base();
        site.write(
            &format!("{FIRST}/writeup.md"),
            format!("---\nrating: great\n---\n\nIt printed {written} here.\n"),
        );
        let evidence = json!({ "type": "annotation", "id": "x1", "event_id": 0, "kind": "note", "evidence": format!("It printed {written} here.") });
        site.write(
            &format!("{FIRST}/events.jsonl.annotations.jsonl"),
            format!(
                "{}{evidence}\n",
                lines(&[r#"{"type":"header","schema_version":1}"#])
            ),
        );
        let found = codes(&site.check()).join(" ");
        assert!(
            found.matches("secret.vcs").count() >= 2,
            "{written:?}: {found}"
        );
        let ran = site.runpress(&["redact", FIRST, "--all"]);
        assert_eq!(ran.status, Some(0), "{ran:?}");
        let outcome = site.build();
        assert!(outcome.published, "{written:?}: {:?}", codes(&outcome));
        for (path, bytes) in tree(&site.path("public")) {
            let rest = &key.as_bytes()[12..];
            assert!(
                !bytes.windows(rest.len()).any(|part| part == rest),
                "{path}"
            );
        }
    }
}
