//! Withholding values that a marker would make invalid, the effect of `--all`, and encoded values.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use runpress::api::author::{self, RedactionRequest, RedactionTarget, Refusal};
use runpress::api::diagnostics::Diagnostic;
use runpress::api::site::Overrides;
use serde_json::{Value, json};

use crate::full_run::whole;
use crate::support::{FIRST, FIRST_SLUG, TestSite, codes, event, tree};

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
    let mut errors = outcome.diagnostics.iter().filter(|it| it.is_error());
    errors
        .next()
        .map(|it| format!("{} {}", it.code.name, it.message))
}

/// Withholds each value of a file in a site of its own. Returns the values that were withheld, and those that were refused.
fn tried(file: &str) -> (Vec<String>, Vec<String>) {
    let text = whole().text(&format!("{FIRST}/{file}"));
    let mut found = Vec::new();
    if file.ends_with(".json") {
        leaves(&serde_json::from_str(&text).expect("JSON"), "", &mut found);
    } else {
        for line in text.lines() {
            leaves(&serde_json::from_str(line).expect("JSON"), "", &mut found);
        }
    }
    found.sort();
    found.dedup_by(|a, b| a.0 == b.0);
    let (mut withheld, mut refused) = (Vec::new(), Vec::new());
    // Skips pointers that contain the value.
    found.retain(|(pointer, quote)| !pointer.contains(quote.as_str()));
    for (pointer, quote) in found {
        let site = whole();
        let target = RedactionTarget::Quote {
            quote: quote.clone(),
            event: None,
            file: Some(file.to_owned()),
            pointer: Some(pointer.clone()),
        };
        match redact(&site, target) {
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
                assert!(!site.path(&format!("{FIRST}/redactions.jsonl")).exists());
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
    let path = format!("{FIRST}/run-record.json");
    let mut record: Value = serde_json::from_str(&site.text(&path)).expect("JSON");
    record["status"]["state"] = json!("canceled");
    site.write(&path, record.to_string());
    assert_eq!(site.check().not_published, 1);
    let target = RedactionTarget::Quote {
        quote: "canceled".to_owned(),
        event: None,
        file: Some("run-record.json".to_owned()),
        pointer: Some("/status/state".to_owned()),
    };
    assert!(redact(&site, target).is_ok());
    assert_eq!(site.check().not_published, 1);
}

#[test]
fn all_withholds_what_a_check_reports_as_an_error_and_nothing_else() {
    let site = whole();
    let allowed = key();
    let secret = allowed.replace("x7Kq2", "B4mNq");
    let log = format!("{FIRST}/events.jsonl");
    let mail = "j.kowalska@lindenhof-clinic.de";
    let lines = [
        event(60, "agent", &format!("\"message\":\"the key {secret}\"")),
        event(
            61,
            "agent",
            &format!("\"message\":\"ask {mail} in /home/jkowalska/x\""),
        ),
    ];
    site.write(&log, format!("{}{}\n", site.text(&log), lines.join("\n")));
    // Allowed at this place.
    let review = format!("{FIRST}/writeup.md");
    site.replace(
        &review,
        "It works",
        &format!("It printed {allowed} and works"),
    );
    // Never published.
    site.write(
        &format!("{FIRST}/implementation/.env"),
        format!("K={secret}9\n"),
    );
    site.write(
        &format!("{FIRST}/implementation/notes.txt"),
        format!("{}\n", secret.replace("B4mNq", "Zt9Rw")),
    );
    let settings = site.text("site.toml");
    site.write("site.toml", format!("{settings}\n[secrets]\npersonal = \"error\"\n[[secrets.allow]]\npath = \"writeup.md\"\nrule = \"github-pat\"\nreason = \"revoked\"\n"));
    let errors = site
        .check()
        .diagnostics
        .iter()
        .filter(|it| it.is_error())
        .count();
    assert_eq!(errors, 2);
    let done = redact(&site, RedactionTarget::All).expect("redactions");
    assert!(done.contains("added 2 redactions"), "{done}");
    assert!(!done.contains("remain"), "{done}");
    assert_eq!(has_errors(&site), None);
    assert!(!codes(&site.check()).contains(&"secret.unused-allowance"));
    let list = site.text(&format!("{FIRST}/redactions.jsonl"));
    assert!(
        list.lines().all(|line| line.contains("\"events.jsonl\"")),
        "{list}"
    );
    assert!(list.contains("\"personal\""), "{list}");
    let _ = site.publish();
    let page = site.text(&format!("public/runs/{FIRST_SLUG}/index.html"));
    assert!(page.contains(&allowed) && page.contains("/home/jkowalska"));
    assert!(!page.contains(&secret) && !page.contains(mail));
}

#[test]
fn home_directories_are_withheld_by_all_where_they_are_errors() {
    let site = whole();
    let log = format!("{FIRST}/events.jsonl");
    let line = event(60, "agent", "\"message\":\"in /home/jkowalska/x\"");
    site.write(&log, format!("{}{line}\n", site.text(&log)));
    let settings = site.text("site.toml");
    site.write(
        "site.toml",
        format!("{settings}\n[secrets]\npaths = \"error\"\n"),
    );
    assert!(has_errors(&site).is_some());
    redact(&site, RedactionTarget::All).expect("redactions");
    assert_eq!(has_errors(&site), None);
}

#[test]
fn a_secret_in_the_name_of_a_file_is_counted_as_one_that_remains() {
    let site = whole();
    site.write(
        &format!("{FIRST}/{}.trace.jsonl", key()),
        site.bytes(&format!("{FIRST}/run.trace.jsonl")),
    );
    let done = redact(&site, RedactionTarget::All).expect("an answer");
    assert!(done.contains("nothing to withhold"), "{done}");
    assert!(
        done.contains("1 secret remains that cannot be withheld"),
        "{done}"
    );
    assert!(!done.contains(&key()), "{done}");
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
        let log = format!("{FIRST}/events.jsonl");
        let line = |at, text: &str| event(at, "agent", &format!("\"message\":{}", json!(text)));
        let encoded = line(61, &format!("see {text} there"));
        site.write(
            &log,
            format!("{}{}\n{encoded}\n", site.text(&log), line(60, VALUE)),
        );
        let target = RedactionTarget::Quote {
            quote: VALUE.to_owned(),
            event: Some(5),
            file: Some("events.jsonl".to_owned()),
            pointer: None,
        };
        redact(&site, target).expect("redactions");
        let list = format!("{FIRST}/redactions.jsonl");
        let all = site.text(&list);
        assert_eq!(all.lines().count(), 2, "{text}: {all}");
        assert_eq!(has_errors(&site), None, "{text}");
        let _ = site.publish();
        let published = site.text(&format!("public/runs/{FIRST_SLUG}/events.jsonl"));
        let last = published.lines().last().expect("a line");
        assert_eq!(last.matches("[withheld: secret, ").count(), 1, "{last}");
        assert!(!last.contains(&text[8..20]), "{last}");
        // Without the redaction, the final check reports it.
        let first = all.lines().next().expect("a line").to_owned();
        site.write(&list, first + "\n");
        assert!(
            codes(&site.check()).contains(&"redaction.remains"),
            "{text}"
        );
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
    site.remove(&format!("{FIRST}/run.tape.annotations.jsonl"));
    site.write(
        &format!("{FIRST}/run.tape"),
        tape(blake3::hash(text.as_bytes()).to_hex().as_str()),
    );
    let mismatch = |site: &TestSite| codes(&site.check()).contains(&"tape.payload-mismatch");
    assert!(!mismatch(&site));
    let target = RedactionTarget::Quote {
        quote: "itself".to_owned(),
        event: Some(7),
        file: Some("run.tape".to_owned()),
        pointer: None,
    };
    redact(&site, target).expect("a redaction");
    assert!(!mismatch(&site));
    site.remove(&format!("{FIRST}/redactions.jsonl"));
    site.write(&format!("{FIRST}/run.tape"), tape(&"0".repeat(64)));
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
    let log = format!("{FIRST}/events.jsonl");
    let line = event(60, "agent", &format!("\"message\":\"m\",\"{}\":1", key()));
    site.write(&log, format!("{}{line}\n", site.text(&log)));
    assert!(has_errors(&site).is_some());
    let target = RedactionTarget::Quote {
        quote: key(),
        event: Some(5),
        file: Some("events.jsonl".to_owned()),
        pointer: None,
    };
    redact(&site, target).expect("a redaction");
    assert_eq!(has_errors(&site), None);
    let _ = site.publish();
    let published = site.text(&format!("public/runs/{FIRST_SLUG}/events.jsonl"));
    assert!(
        published.contains("\"[withheld: secret, 40 characters]\":1"),
        "{published}"
    );
}
