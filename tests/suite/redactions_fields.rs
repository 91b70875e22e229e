//! Withholding values that a marker would make invalid, the effect of `--all`, and encoded values.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use runpress::api::author::{self, RedactionRequest, RedactionTarget, Refusal};
use runpress::api::diagnostics::Diagnostic;
use runpress::api::site::Overrides;
use serde_json::{Value, json};

use crate::full_run::whole;
use crate::support::{
    FIRST, TestSite, codes, contains, event, first, lacks, lines, message, parse, tree,
};

fn key() -> String {
    format!("{}_{}", "ghp", "x7Kq2mPz9LwTn4Rb8VcJ3hYd6FsG1aQeXoWk")
}

fn redact(site: &TestSite, target: RedactionTarget) -> Result<String, Refusal> {
    let asked = RedactionRequest {
        target,
        reason: None,
        note: None,
        by: None,
        at: Some("2026-03-05T10:00:00Z".to_owned()),
        dry_run: false,
    };
    let folder = site.path(FIRST).to_string_lossy().into_owned();
    let opened = site.open(&Overrides::default());
    author::redact(&opened, &folder, &asked, &|_| {}).map(|done| done.text())
}

/// A text in a line of a file of the base run.
fn quote(text: &str, file: &str, event: u64) -> RedactionTarget {
    RedactionTarget::Quote {
        quote: text.to_owned(),
        event: Some(event),
        file: Some(file.to_owned()),
        pointer: None,
    }
}

/// The value at a pointer of a document of the base run.
fn value(text: &str, file: &str, pointer: &str) -> RedactionTarget {
    RedactionTarget::Quote {
        quote: text.to_owned(),
        event: None,
        file: Some(file.to_owned()),
        pointer: Some(pointer.to_owned()),
    }
}

/// The strings and numbers of a document with their pointers.
fn leaves(value: &Value, pointer: &str, found: &mut Vec<(String, String)>) {
    match value {
        Value::Object(members) => {
            for (key, value) in members {
                leaves(value, &format!("{pointer}/{key}"), found);
            }
        }
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                leaves(item, &format!("{pointer}/{at}"), found);
            }
        }
        Value::String(text) if !text.is_empty() => {
            found.push((pointer.to_owned(), text.clone()));
        }
        Value::Number(number) => found.push((pointer.to_owned(), number.to_string())),
        _ => {}
    }
}

fn has_errors(site: &TestSite) -> Option<String> {
    let outcome = site.check();
    let error = outcome.diagnostics.iter().find(|it| it.is_error())?;
    Some(format!("{} {}", error.code.name, error.message))
}

/// Withholds each value of a file in a site of its own. Returns the values that were withheld, and those that were refused.
fn tried(file: &str) -> (Vec<String>, Vec<String>) {
    let text = whole().text(&first(file));
    let mut found = Vec::new();
    if file.ends_with(".json") {
        leaves(&parse(&text), "", &mut found);
    } else {
        text.lines()
            .for_each(|line| leaves(&parse(line), "", &mut found));
    }
    found.sort();
    found.dedup_by(|a, b| a.0 == b.0);
    let (mut withheld, mut refused) = (Vec::new(), Vec::new());
    // Skips pointers that contain the value.
    found.retain(|(pointer, quote)| !pointer.contains(quote.as_str()));
    for (pointer, quote) in found {
        let site = whole();
        match redact(&site, value(&quote, file, &pointer)) {
            Ok(_) => {
                let error = has_errors(&site);
                assert_eq!(error, None, "{file}{pointer} {quote:?}");
                withheld.push(pointer);
            }
            Err(refusal) => {
                let help: Vec<String> = match &refusal {
                    Refusal::Content(problems) => problems
                        .iter()
                        .map(|it: &Diagnostic| it.help.clone())
                        .collect(),
                    other => vec![format!("{other:?}")],
                };
                let is_clear = |it: &String| {
                    it.starts_with("Nothing was withheld") || it.contains("Write another id")
                };
                assert!(help.iter().all(is_clear), "{file}{pointer}: {help:?}");
                assert!(!site.path(&first("redactions.jsonl")).exists());
                refused.push(pointer);
            }
        }
    }
    (withheld, refused)
}

#[test]
fn every_value_of_a_record_is_withheld_or_refused_with_what_to_do() {
    let (withheld, refused) = tried("run-record.json");
    for field in ["/environment/os", "/validation/install/command"] {
        assert!(withheld.iter().any(|it| it == field), "{withheld:?}");
    }
    for field in ["/id", "/links/sourceRepo"] {
        assert!(refused.iter().any(|it| it == field), "{refused:?}");
    }
}

#[test]
fn every_value_of_the_other_files_is_withheld_or_refused_with_what_to_do() {
    for file in [
        "events.jsonl",
        "run.tape",
        "run.trace.jsonl",
        "transcript.json",
        "annotations.json",
        "annotations.actions.jsonl",
        "events.jsonl.annotations.jsonl",
    ] {
        let (withheld, refused) = tried(file);
        assert!(!withheld.is_empty(), "{file}: {refused:?}");
    }
}

#[test]
fn a_run_that_is_never_published_stays_so_when_its_state_is_withheld() {
    let site = whole();
    site.edit_first(|record| record["status"]["state"] = json!("canceled"));
    assert_eq!(site.check().not_published, 1);
    let target = value("canceled", "run-record.json", "/status/state");
    assert!(redact(&site, target).is_ok());
    assert_eq!(site.check().not_published, 1);
}

#[test]
fn all_withholds_what_a_check_reports_as_an_error_and_nothing_else() {
    let site = whole();
    let allowed = key();
    let secret = allowed.replace("x7Kq2", "B4mNq");
    let mail = "j.kowalska@lindenhof-clinic.de";
    let log = [
        message(60, &format!("the key {secret}")),
        message(61, &format!("ask {mail} in /home/jkowalska/x")),
    ];
    site.append(&first("events.jsonl"), &lines(&log));
    // Allowed at this place.
    let review = format!("It printed {allowed} and works");
    site.replace_first("writeup.md", "It works", &review);
    // Never published.
    site.write_first("implementation/.env", format!("K={secret}9\n"));
    let another = secret.replace("B4mNq", "Zt9Rw");
    site.write_first("implementation/notes.txt", another + "\n");
    site.settings("[secrets]\npersonal = \"error\"\n[[secrets.allow]]\npath = \"writeup.md\"\nrule = \"github-pat\"\nreason = \"revoked\"");
    let found = site.check().diagnostics;
    assert_eq!(found.iter().filter(|it| it.is_error()).count(), 2);
    let done = redact(&site, RedactionTarget::All).expect("redactions");
    contains(&done, "added 2 redactions");
    lacks(&done, "remain");
    assert_eq!(has_errors(&site), None);
    assert!(!codes(&site.check()).contains(&"secret.unused-allowance"));
    let list = site.text(&first("redactions.jsonl"));
    assert!(
        list.lines().all(|line| line.contains("\"events.jsonl\"")),
        "{list}"
    );
    assert!(list.contains("\"personal\""), "{list}");
    site.publish();
    let page = site.first_text("index.html");
    assert!(page.contains(&allowed) && page.contains("/home/jkowalska"));
    assert!(!page.contains(&secret) && !page.contains(mail));
}

#[test]
fn home_directories_are_withheld_by_all_where_they_are_errors() {
    let site = whole();
    let line = message(60, "in /home/jkowalska/x") + "\n";
    site.append(&first("events.jsonl"), &line);
    site.settings("[secrets]\npaths = \"error\"");
    assert!(has_errors(&site).is_some());
    redact(&site, RedactionTarget::All).expect("redactions");
    assert_eq!(has_errors(&site), None);
}

#[test]
fn a_secret_in_the_name_of_a_file_is_counted_as_one_that_remains() {
    let site = whole();
    let trace = site.bytes(&first("run.trace.jsonl"));
    site.write_first(&format!("{}.trace.jsonl", key()), trace);
    let done = redact(&site, RedactionTarget::All).expect("an answer");
    contains(&done, "nothing to withhold");
    contains(&done, "1 secret remains that cannot be withheld");
    lacks(&done, key());
}

#[test]
fn a_withheld_value_is_found_and_withheld_in_base64_and_in_addresses_too() {
    const VALUE: &str = "hush-4f1c/2d\u{e9}3e&x";
    let percent = "hush-4f1c%2f2d%c3%a93e%26x";
    let mut texts = vec![
        percent.to_owned(),
        percent
            .to_uppercase()
            .replace("HUSH-4F1C", "hush-4f1c")
            .replace("2D", "2d")
            .replace("3E", "3e")
            .replace("26X", "26x"),
    ];
    for before in ["", "a", "ab"] {
        let text = format!("{before}{VALUE} and more");
        texts.push(STANDARD.encode(&text));
        texts.push(STANDARD.encode(format!("{before}{VALUE}")));
        texts.push(URL_SAFE_NO_PAD.encode(&text));
    }
    for text in texts {
        let site = whole();
        let log = [
            message(60, VALUE),
            message(61, &format!("see {text} there")),
        ];
        site.append(&first("events.jsonl"), &lines(&log));
        redact(&site, quote(VALUE, "events.jsonl", 5)).expect("redactions");
        let list = first("redactions.jsonl");
        let all = site.text(&list);
        assert_eq!(all.lines().count(), 2, "{text}: {all}");
        assert_eq!(has_errors(&site), None, "{text}");
        site.publish();
        let published = site.first_text("events.jsonl");
        let last = published.lines().last().expect("a line");
        assert_eq!(last.matches("[withheld: secret, ").count(), 1, "{last}");
        assert!(!last.contains(&text[8..20]), "{last}");
        // Without the redaction, the final check reports it.
        let line = all.lines().next().expect("a line").to_owned();
        site.write(&list, line + "\n");
        let found = codes(&site.check());
        assert!(found.contains(&"redaction.remains"), "{text}");
    }
}

#[test]
fn the_hash_of_a_payload_is_checked_unless_a_redaction_is_of_it() {
    let text = "says [withheld: secret, 3 characters] itself";
    let tape = |hash: &str| {
        let record = json!({"type": "record", "seq": 7, "virtual_time_ms": 0, "monotonic_ms": 0, "kind": {"kind": "process_spawn",
            "program": "ls", "args": [], "cwd": null, "exit_code": 0, "duration_ms": 1,
            "stdout_payload": {"content_hash": hash, "text": text}, "stderr_payload": {"content_hash": blake3::hash(b"").to_hex().as_str(), "text": ""}}});
        format!("{{\"type\":\"header\",\"version\":1,\"harn_version\":\"0.8\"}}\n{record}\n")
    };
    let site = whole();
    site.remove_first("run.tape.annotations.jsonl");
    let hash = blake3::hash(text.as_bytes()).to_hex();
    site.write_first("run.tape", tape(&hash));
    let mismatch = |site: &TestSite| codes(&site.check()).contains(&"tape.payload-mismatch");
    assert!(!mismatch(&site));
    redact(&site, quote("itself", "run.tape", 7)).expect("a redaction");
    assert!(!mismatch(&site));
    site.remove_first("redactions.jsonl");
    site.write_first("run.tape", tape(&"0".repeat(64)));
    assert!(
        mismatch(&site),
        "a marker in the recorded text is no redaction"
    );
    assert!(
        tree(&site.path("content"))
            .keys()
            .all(|path| !path.contains("redactions"))
    );
}

#[test]
fn the_name_of_a_field_is_withheld_by_event_and_quote() {
    let site = whole();
    let line = event(60, "agent", &format!("\"message\":\"m\",\"{}\":1", key()));
    site.append(&first("events.jsonl"), &(line + "\n"));
    assert!(has_errors(&site).is_some());
    redact(&site, quote(&key(), "events.jsonl", 5)).expect("a redaction");
    assert_eq!(has_errors(&site), None);
    site.publish();
    let published = site.first_text("events.jsonl");
    contains(&published, "\"[withheld: secret, 40 characters]\":1");
}
