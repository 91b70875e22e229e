//! Withheld text is in no published byte, and everything else is published as recorded.

use std::io::Read;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::{
    FIRST, HEADER, Ran, SIDECAR, TestSite, annotation, codes, contains, differences, each, entries,
    event, first, lacks, lines, message, parse, tree,
};

/// Not a key of any service. Contains every kind of character that some format escapes.
const SECRET: &str = "hush-4f1c/\"2d\u{e9}3e&<b>'x";

/// The options that withhold it in a command of the log.
const IN_LOG: [&str; 6] = ["--event", "2", "--tape", "events.jsonl", "--quote", SECRET];

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
    site.replace_first(
        "events.jsonl",
        "\"npm test\"",
        &json!(format!("curl -d {SECRET} x")).to_string(),
    );
    site.replace_first(
        "events.jsonl",
        "\"One test fails.\"",
        &format!("\"It says {escaped} and {escaped}.\""),
    );
    let more = [
        event(
            13,
            "unknown",
            &format!(r#""raw":{{{text}:1,"b":[{twice}]}}"#),
        ),
        event(14, "gg", &format!(r#""event":{{"a":{text},"a":2}}"#)),
        format!("broken {SECRET}"),
    ];
    site.append(&first("events.jsonl"), &lines(&more).replace('\n', "\r\n"));
    let said = format!("{} was run", text.trim_matches('"'));
    site.replace_first(SIDECAR, "The test was run", &said);
    site.write_first(
        "writeup.md",
        format!("---\nrating: great\n---\n\nIt uses {SECRET}.\n\n`{SECRET}`\n"),
    );
    let detail = "\"the ball never leaves the field\"";
    site.replace_first("run-record.json", detail, &text);
    let status = format!("\"another\": {{{text}: [{text}]}}, \"status\":");
    site.replace_first("run-record.json", "\"status\":", &status);
    let transcript = json!({"_type": "transcript", "version": 2, "id": "t", "messages": [
        {"role": "user", "content": format!("Take {SECRET}.")},
        {"role": "assistant", "content": [{"type": "text", "visibility": "private", "text": SECRET}]},
    ], "assets": [
        {"id": "a", "visibility": "public", "name": "notes", "storage": {"path": "assets/notes.txt"}},
        {"id": "b", "visibility": "public", "data": format!("inline {SECRET}")},
    ]});
    site.write_first("transcript.json", transcript.to_string());
    site.write_first("assets/notes.txt", format!("one\n{SECRET}\n"));
    site.write_first(
        "implementation/src/a.ts",
        format!("// one\nconst a = `{SECRET}`\n"),
    );
    let threads = json!({"annotations": [{"id": "t", "turnId": "1", "origin": {"session": "ahp-session:/1", "turnId": "1"}, "resource": "file:///workspace/src/a.ts",
        "range": {"start": {"line": 1, "character": 0}, "end": {"line": 2, "character": 0}},
        "resolved": false, "entries": [{"id": "e", "text": format!("See {SECRET}.")}]}]});
    site.write_first("annotations.json", threads.to_string());
    site.write_first("log.trace.jsonl", lines(&[
        r#"{"type":"trace","schemaVersion":1}"#.to_owned(),
        json!({"type": "tool_call", "name": "bash", "call": "1", "arguments": {"command": SECRET}}).to_string(),
        json!({"type": "tool_result", "call": "1", "text": json!({"env": {"KEY": SECRET}}).to_string()}).to_string(),
    ]));
    let payload = format!("stdout {SECRET}\n");
    let hash = blake3::hash(payload.as_bytes()).to_hex();
    let inline = format!("stderr {SECRET}");
    let inline =
        json!({"content_hash": blake3::hash(inline.as_bytes()).to_hex().as_str(), "text": inline});
    site.write_first("run.tape", lines(&[
        r#"{"type":"header","version":5,"harn_version":"0.8"}"#.to_owned(),
        json!({"type": "record", "seq": 0, "virtual_time_ms": 0, "monotonic_ms": 0, "kind": {"kind": "process_spawn",
            "program": "ls", "args": [SECRET], "cwd": null, "exit_code": 0, "duration_ms": 1,
            "stdout_payload": {"content_hash": hash.as_str(), "len_bytes": payload.len()}, "stderr_payload": inline}}).to_string(),
    ]));
    site.write_first(&format!("run.tape.cas/{hash}"), payload);
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
    site.publish();
    let found = unpacked(&site.path("public"));
    let with = found.iter().filter(|(_, bytes)| is_in(bytes)).count();
    assert!(with > 12, "{with}");
    let ran = redact(&site, &IN_LOG).ok();
    ran.prints("more occurrences are withheld with it");
    for arguments in [
        &["check", "-v"][..],
        &["check", "--report", "json"],
        &["check", "--report", "sarif"],
        &["build", "-v"],
        &["build", "-v", "--fresh"],
    ] {
        quiet(&site, arguments).ok();
    }
    for folder in ["public", ".runpress"] {
        for (path, bytes) in unpacked(&site.path(folder)) {
            assert!(!is_in(&bytes), "{folder}/{path}");
        }
    }
    assert!(!is_in(&site.bytes(&first("redactions.jsonl"))));
    // All other text is as recorded, line by line.
    let recorded = site.text(&first("events.jsonl"));
    let published = site.first_text("events.jsonl");
    assert_eq!(recorded.lines().count(), published.lines().count());
    for (recorded, published) in recorded.lines().zip(published.lines()) {
        let is_withheld = published.contains("[withheld: secret, ");
        assert_eq!(recorded != published, is_withheld, "{published}");
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
        let annotate =
            format!("annotate {FIRST} --tape {file} --event {event} --kind note --evidence x");
        site.runpress(&annotate).ok();
        let hashes = || format!("{:?}", each(&site.first_run()["tapes"], "contentHash"));
        site.publish();
        let before = hashes();
        let more = ["--event", event, "--tape", file, "--quote", SECRET];
        redact(&site, &more).ok();
        let outcome = site.publish();
        assert!(!codes(&outcome).contains(&"annotation.tape-digest-mismatch"));
        assert!(!codes(&outcome).contains(&"tape.payload-mismatch"));
        assert_eq!(before, hashes());
    }
}

#[test]
fn the_page_and_run_json_list_what_is_withheld_with_both_digests() {
    let site = full_of_secrets();
    let at = ["--at", "2026-03-05T10:00:00Z"];
    redact(&site, &[&IN_LOG[..], &at].concat()).ok();
    site.publish();
    let document = site.first_run();
    let list = site.text(&first("redactions.jsonl"));
    let withheld = entries(&document["withheld"]);
    assert_eq!(withheld.len(), list.lines().count());
    for redaction in withheld {
        assert_eq!(redaction["at"], at[1]);
        assert!(redaction["commitment"].is_string());
    }
    let mut files = entries(&document["files"]).iter();
    let log = files.find(|file| file["path"] == "events.jsonl");
    let log = log.expect("the log");
    let hash = |text: String| blake3::hash(text.as_bytes()).to_hex().to_string();
    let recorded = site.text(&first("events.jsonl"));
    assert_eq!(log["recorded"]["blake3"], hash(recorded));
    assert_eq!(log["blake3"], hash(site.first_text("events.jsonl")));
    let page = site.first_page();
    let rows = page.texts("#withheld + div tbody tr");
    assert_eq!(rows.len(), withheld.len());
    let links = page.all("#withheld + div tbody a");
    assert!(links.len() >= 5, "{}", links.len());
    page.says("not as recorded");
    assert_eq!(crate::crawl::problems(&site.published()), [""; 0]);
}

#[test]
fn a_file_is_withheld_whole_under_every_name_that_it_has() {
    let site = full_of_secrets();
    let copy = site.bytes(&first("assets/notes.txt"));
    site.write_first("assets/copy.txt", copy);
    site.replace_first("transcript.json", "inline ", "x");
    let copy = json!({"id": "c", "visibility": "public", "storage": {"path": "assets/copy.txt"}});
    site.edit(&first("transcript.json"), |transcript| {
        let assets = transcript["assets"].as_array_mut();
        assets.expect("assets").push(copy);
    });
    for file in [
        "assets/notes.txt",
        "log.trace.jsonl",
        "implementation/src/a.ts",
        "events.jsonl",
        "run.tape",
    ] {
        redact(&site, &["--file", file, "--whole"]).ok();
    }
    site.publish();
    for gone in [
        "events.jsonl",
        "events.jsonl.annotations.jsonl",
        "run.tape",
        "log.trace.jsonl",
        "implementation.tar.gz",
    ] {
        assert!(!site.path(RUN).join(gone).exists(), "{gone}");
    }
    for (path, bytes) in unpacked(&site.path(&format!("{RUN}/assets"))) {
        assert!(!bytes.starts_with(b"one\n"), "{path}");
    }
}

#[test]
fn a_redaction_can_be_removed_and_tried_without_writing() {
    let site = full_of_secrets();
    let list = first("redactions.jsonl");
    let ran = redact(&site, &[&IN_LOG[..], &["--dry-run"]].concat());
    ran.prints("would add");
    assert!(!site.path(&list).exists() && !site.path("redaction.key").exists());
    let ran = redact(&site, &IN_LOG);
    ran.prints("Created redaction.key");
    ran.prints("`.gitignore`");
    let before = site.text(&list);
    let ran = quiet(&site, &["redact", FIRST, "--undo", "r1"]);
    ran.prints("removed 1 redaction");
    let after = site.text(&list);
    assert_eq!(after.lines().count() + 1, before.lines().count());
    assert!(codes(&site.check()).contains(&"redaction.remains"));
    redact(&site, &IN_LOG).ok();
    lacks(&codes(&site.check()).join(" "), "redaction.");
}

#[test]
fn a_commitment_is_proved_with_its_salt_and_is_not_one_of_another_text() {
    let site = full_of_secrets();
    redact(&site, &IN_LOG).ok();
    let list = site.text(&first("redactions.jsonl"));
    let list: Vec<Value> = list.lines().map(parse).collect();
    let at = list.iter().find(|it| it["file"] == "writeup.md");
    let at = at.expect("one of the review");
    let id = at["id"].as_str().expect("an id");
    let ran = quiet(&site, &["reveal-proof", FIRST, id]).ok();
    let said = |name: &str| {
        let line = ran.stdout.lines().find_map(|line| line.strip_prefix(name));
        line.expect("a line").trim().to_owned()
    };
    let salt = blake3::Hash::from_hex(said("Salt:")).expect("a salt");
    let commitment = blake3::keyed_hash(salt.as_bytes(), SECRET.as_bytes()).to_hex();
    assert_eq!(said("Commitment:"), commitment.as_str());
    assert_eq!(at["commitment"], format!("blake3:{commitment}"));
    // The same text in another file proves nothing about this one.
    let same = list.iter();
    let same = same.filter(|it| it["commitment"] == at["commitment"]);
    assert_eq!(same.count(), 1);
    let key = site.text("redaction.key");
    for (path, bytes) in tree(&site.path("content")) {
        assert!(
            !String::from_utf8_lossy(&bytes).contains(key.trim()),
            "{path}"
        );
    }
    site.write("redaction.key", "0".repeat(64));
    assert!(codes(&site.check()).contains(&"redaction.stale"));
    site.remove("redaction.key");
    assert!(!codes(&site.check()).contains(&"redaction.stale"));
}

#[test]
fn copies_of_a_text_of_eight_bytes_are_withheld_and_those_of_a_shorter_one_are_not() {
    for (text, expected) in [("q7wz81k", 1), ("q7wz81kv", 2)] {
        let site = TestSite::base();
        site.unannotated();
        let said = message(0, &format!("It is {text}."));
        site.write_first("events.jsonl", lines(&[said]));
        site.append(&first("writeup.md"), &format!("\n{text}\n"));
        redact(&site, &["--file", "writeup.md", "--quote", text]).ok();
        let list = site.text(&first("redactions.jsonl"));
        assert_eq!(list.lines().count(), expected, "{list}");
    }
}

#[test]
fn a_redaction_that_says_what_it_withholds_is_an_error() {
    let site = full_of_secrets();
    redact(&site, &["--file", "writeup.md", "--quote", SECRET]).ok();
    let list = site.text(&first("redactions.jsonl"));
    let mut said = parse(list.lines().next().expect("a line"));
    said["note"] = json!(format!("the key {SECRET}"));
    let rest: Vec<_> = list.lines().skip(1).collect();
    site.write_first("redactions.jsonl", format!("{said}\n{}", lines(&rest)));
    let ran = quiet(&site, &["check", "-v"]);
    ran.says("redaction.remains");
}

#[test]
fn what_cannot_be_withheld_is_refused_without_a_word_of_it() {
    let site = full_of_secrets();
    for (more, said) in [
        (
            "--event 0 --tape events.jsonl --quote hush-4f1c-is-not-here",
            "is not in event 0",
        ),
        ("--event 0 --quote SECRET", "several tapes"),
        ("--file nope.txt --quote SECRET", "has no file `nope.txt`"),
        ("--file run-record.json --whole", "cannot be withheld whole"),
        ("--quote SECRET", "No file is named"),
        ("--finding 0123456789abcdef", "is not in the run"),
        (
            "--file writeup.md --quote SECRET --at yesterday",
            "RFC 3339",
        ),
    ] {
        let more: Vec<_> = more
            .split(' ')
            .map(|word| if word == "SECRET" { SECRET } else { word })
            .collect();
        let ran = redact(&site, &more);
        assert!(
            ran.status == Some(2) && ran.stderr.contains(said),
            "{more:?}: {ran:?}"
        );
    }
    assert!(!site.path(&first("redactions.jsonl")).exists());
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
        site.write_first("redactions.jsonl", redaction);
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
    site.write_first(
        "redactions.jsonl",
        format!(
            r#"{{"id":"r1","file":"events.jsonl","event":0,"pointer":"/message","start":7,"end":11,"length":4,"reason":"personal","published":"blake3:{digest}"}}"#
        ),
    );
    assert_eq!(codes(&site.check()), [""; 0]);
    site.replace_first("events.jsonl", "One test fails", "Two tests fail");
    assert_eq!(codes(&site.check()), [""; 0]);
    site.replace_first("events.jsonl", "the task first", "the task later");
    assert!(codes(&site.check()).contains(&"redaction.stale"));
}

#[test]
fn a_second_build_with_a_new_redaction_equals_a_first_build() {
    let site = TestSite::base();
    site.publish();
    let redaction = r#"{"id":"r1","file":"run-record.json","pointer":"/environment/os","start":0,"end":6,"length":6,"reason":"personal"}"#;
    let other = r#"{"id":"r2","file":"events.jsonl","event":0,"pointer":"/message","start":7,"end":11,"length":4,"reason":"personal"}"#;
    for list in [
        lines(&[redaction]),
        lines(&[redaction, other]),
        lines(&[other]),
    ] {
        site.write_first("redactions.jsonl", &list);
        site.publish();
        let second = site.published();
        let anew = TestSite::base();
        anew.write_first("redactions.jsonl", &list);
        anew.publish();
        let mut differing = differences(&second, &anew.published());
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
        let events = site.text(&first("events.jsonl"));
        site.write_first("events.jsonl", format!("{event}\n{events}"));
        let redact = |quote: &str, reason: &str| {
            let options = format!("--event 0 --quote '{quote}' --reason {reason}");
            site.runpress(&format!("redact {FIRST} {options}")).ok();
        };
        redact("the words", "copyright");
        redact(key, reason);
        let list = site.text(&first("redactions.jsonl"));
        contains(&list, format!("/raw/{key}/a"));
        let outcome = site.build();
        assert!(outcome.published, "{:?}", codes(&outcome));
        let marker = format!("/raw/[withheld: {reason}, {} characters]/a", key.len());
        contains(&site.first_document(), marker);
        assert_eq!(site.published_with(key), [""; 0]);
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
        site.write_first(
            "writeup.md",
            format!("---\nrating: great\n---\n\nIt printed {written} here.\n"),
        );
        let evidence = json!(format!("It printed {written} here."));
        let note = annotation("x1", 0, "note", &format!("\"evidence\":{evidence}"));
        site.write_first(SIDECAR, lines(&[HEADER, &note]));
        let found = codes(&site.check()).join(" ");
        assert!(
            found.matches("secret.vcs").count() >= 2,
            "{written:?}: {found}"
        );
        site.runpress(&format!("redact {FIRST} --all")).ok();
        let outcome = site.build();
        assert!(outcome.published, "{written:?}: {:?}", codes(&outcome));
        assert_eq!(site.published_with(&key[12..]), [""; 0]);
    }
}
