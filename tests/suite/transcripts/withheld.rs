//! Nothing private is published: every byte of the output, the console and the reports is searched.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use serde_json::json;

use super::secrets::{broken, full_of_secrets, with_files};
use super::{SENTINEL, asset, assets, conversation, document, transcript, with};
use crate::support::{TestSite, codes, first};

const FORMATS: [&str; 6] = ["human", "json", "github", "sarif", "junit", "markdown"];

/// Places of a word in the output, on the console and in the reports of check and build.
pub(super) fn places_of(site: &TestSite, word: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut look = |place: String, bytes: &[u8]| {
        if String::from_utf8_lossy(bytes).contains(word) {
            found.push(place);
        }
    };
    let ran = site.runpress("check -v");
    look("the console".to_owned(), ran.stderr.as_bytes());
    look("standard output".to_owned(), ran.stdout.as_bytes());
    let reports = FORMATS.map(|format| format!("--report={format}={format}.out"));
    let reports: Vec<&str> = reports.iter().map(String::as_str).collect();
    for arguments in [&["check", "-v"][..], &["build", "-v", "--keep-going"]] {
        let ran = site.runpress(&[arguments, &reports].concat());
        look(
            format!("{arguments:?} on the console"),
            ran.stderr.as_bytes(),
        );
        for format in FORMATS {
            look(
                format!("{arguments:?}, {format} report"),
                &site.bytes(&format!("{format}.out")),
            );
        }
    }
    if site.path("public").exists() {
        for (path, bytes) in site.published() {
            look(path.clone(), path.as_bytes());
            look(path, &bytes);
        }
    }
    found
}

#[test]
fn nothing_that_is_not_public_leaves_a_transcript() {
    let site = with_files(format!("{:#}\n", full_of_secrets()));
    // Two events repeat no turn, and a public block contains base64.
    let noted = [
        "transcript.event-disagrees",
        "transcript.event-disagrees",
        "transcript.inline-content",
    ];
    assert_eq!(codes(&site.publish()), noted);
    for word in [
        "user",
        "assistant",
        "plan",
        "title",
        "name",
        "asset",
        "tool",
        "argument",
        "result",
        "inline",
    ] {
        assert!(
            !places_of(&site, &format!("PUBLIC-{word}")).is_empty(),
            "{word} is published"
        );
    }
    assert_eq!(places_of(&site, SENTINEL), [""; 0]);
    let withheld = &document(&site)["withheld"];
    assert_eq!(*withheld, json!({ "internal": 21, "private": 75 }));
    site.first_page()
        .says("the summary of earlier turns, because it may repeat private parts");
}

#[test]
fn nothing_of_a_transcript_with_errors_is_published_or_in_any_report() {
    let mut leaks = Vec::new();
    for (name, transcript) in broken() {
        let site = with_files(transcript);
        site.write("site.toml", "[limits]\nfile = 65536\n");
        site.write_first("SENTINEL-folder/file", "");
        site.write_first("SENTINEL-large", "x".repeat(70_000));
        site.write("elsewhere", SENTINEL);
        let place = site.path(&first("SENTINEL-link"));
        symlink(site.path("elsewhere"), place).expect("a link");
        let made = Command::new("mkfifo")
            .arg(site.path(&first("SENTINEL-pipe")))
            .status()
            .expect("mkfifo runs");
        assert!(made.success());
        let outcome = site.check();
        assert!(!codes(&outcome).is_empty(), "{name} is noticed");
        let places = places_of(&site, SENTINEL).into_iter();
        leaks.extend(places.map(|place| format!("{name}: {place}")));
    }
    assert!(leaks.is_empty(), "{leaks:#?}");
}

/// Expects that the text of none of these blocks is published.
#[track_caller]
fn assert_withheld(blocks: &[&str]) {
    let mut leaks = Vec::new();
    for extra in blocks {
        let site = with(format!(
            "{{\"_type\":\"transcript\",\"version\":2,\"messages\":[{{\"role\":\"assistant\",\"content\":[\"PUBLIC\",{{{extra}\"text\":\"{SENTINEL}\"}}]}}]}}"
        ));
        let places = places_of(&site, SENTINEL);
        if !places.is_empty() {
            leaks.push(format!("{extra} {places:?}"));
        }
    }
    assert!(leaks.is_empty(), "{leaks:#?}");
}

#[test]
fn content_that_is_not_plainly_public_is_withheld() {
    assert_withheld(&[
        r#""type":"text","visibility":3,"#,
        r#""type":"text","visibility":["private"],"#,
        r#""type":"text","visibility":{"level":"private"},"#,
        r#""type":"text","visibility":false,"#,
        r#""type":"text","visibility":"private","visibility":"public","#,
        r#""type":"text","visibility":"public","visibility":"private","#,
        r#""type":"reasoning","type":"text","#,
    ]);
}

#[test]
fn reasoning_in_another_spelling_is_withheld() {
    assert_withheld(&[
        r#""type":["reasoning"],"#,
        r#""type":"Reasoning","visibility":"public","#,
        r#""type":"redacted_thinking","visibility":"public","#,
        r#""type":"thought","#,
        r#""type":"chain_of_thought","#,
        r#""type":"Chain Of Thought","#,
        r#""type":"chainOfThought","#,
        r#""type":"analysis","#,
        r#""type":"providerPayload","#,
        r#""type":"provider payload","#,
        r#""type":"PROVIDER-PAYLOAD","visibility":"public","#,
        r#""thought":true,"#,
        r#""channel":"analysis","#,
    ]);
}

#[test]
fn calls_of_tools_and_their_results_are_internal_unless_the_block_says_public() {
    assert_withheld(&[
        r#""type":"tool_call","name":"SENTINEL","#,
        r#""type":"tool_result","name":"SENTINEL","#,
        r#""type":"Tool-Result","#,
        r#""type":"tool_use","#,
        r#""type":"functionCall","#,
        r#""type":"text","tool_use_id":"c","#,
    ]);
    let site = conversation(&json!([
        { "role": "user", "content": [{ "type": "tool_result", "name": "read", "content": SENTINEL }] },
        { "role": "tool", "content": SENTINEL },
        { "role": "tool_result", "content": [
            { "type": "tool_result", "visibility": "public", "name": "read", "content": "42 lines" },
        ] },
    ]));
    assert_eq!(codes(&site.publish()), [""; 0]);
    let written = document(&site);
    assert_eq!(written["withheld"], json!({ "internal": 2, "private": 0 }));
    assert_eq!(
        written["messages"],
        json!([{ "role": "tool_result", "content": [
            { "type": "tool_result", "visibility": "public", "name": "read", "content": "42 lines" },
        ] }])
    );
}

#[test]
fn only_listed_keys_of_listed_block_types_are_published() {
    let site = conversation(&json!([{ "role": "assistant", "content": [
            { "type": "text", "visibility": "public", "text": "a", "reasoning_content": SENTINEL, "future": SENTINEL },
            { "type": "widget", "visibility": "public", "text": SENTINEL },
            { "type": "output_text", "content": 1.50, "logprobs": [SENTINEL] },
            { "type": "file", "name": "f", "file_data": SENTINEL, "url": SENTINEL },
            { "type": "tool_call", "visibility": "public", "id": "c", "name": "n", "arguments": { "thinking": SENTINEL, "n": 1.50 },
              "provider_payload": SENTINEL },
        ] }]));
    assert_eq!(codes(&site.publish()), ["transcript.inline-content"]);
    assert_eq!(
        document(&site)["messages"][0]["content"],
        json!([
            { "type": "text", "visibility": "public", "text": "a" },
            { "type": "widget", "visibility": "public" },
            { "type": "output_text", "content": 1.50 },
            { "type": "file", "name": "f" },
            { "type": "tool_call", "visibility": "public", "id": "c", "name": "n", "arguments": { "n": 1.50 } },
        ])
    );
    assert_eq!(places_of(&site, SENTINEL), [""; 0]);
    site.first_page()
        .says("Withheld: all but the type of 1 block of an unrecognized type.");
}

#[test]
fn an_asset_path_that_leads_out_of_the_run_reads_nothing() {
    for path in [
        "../secret.txt",
        "assets/../../secret.txt",
        "../first/../secret.txt",
        "/etc/hostname",
        "assets/./public.txt",
        "assets//public.txt",
        "..\\secret.txt",
        "",
        "link.txt",
        "folder/secret.txt",
    ] {
        let site = with_files(transcript(&json!([]), &json!([asset("a", "public", path)])));
        site.write("content/runs/secret.txt", SENTINEL);
        symlink("../secret.txt", site.path(&first("link.txt"))).expect("a link");
        symlink("..", site.path(&first("folder"))).expect("a link");
        let outcome = site.check();
        assert_eq!(codes(&outcome), ["transcript.asset-outside"], "{path}");
        assert_eq!(places_of(&site, SENTINEL), [""; 0], "{path}");
        assert!(assets(&site).is_empty(), "{path}");
    }
    // Nothing is decoded: these are names of missing files.
    for path in [
        "%2e%2e/secret.txt",
        "..%2fsecret.txt",
        "file:///etc/hostname",
        "https://example.org/x.png",
    ] {
        let site = with(transcript(&json!([]), &json!([asset("a", "public", path)])));
        site.write("content/runs/secret.txt", SENTINEL);
        site.runpress("build --keep-going");
        let outcome = site.check();
        let found = codes(&outcome);
        assert!(
            found == ["transcript.missing-asset"] || found == ["transcript.asset-outside"],
            "{path}: {found:?}"
        );
        assert!(assets(&site).is_empty(), "{path}");
    }
}

#[test]
fn an_asset_is_never_a_file_of_the_run_that_is_not_published_as_such() {
    let mut leaks = Vec::new();
    for path in [
        "transcript.json",
        "assets/link.json",
        "raw.jsonl",
        "events.jsonl",
    ] {
        let mut document = full_of_secrets();
        document["assets"] = json!([asset("a", "public", path)]);
        let site = with(document.to_string());
        site.write("site.toml", "[policy]\npublish_events = false\n");
        site.write_first("raw.jsonl", SENTINEL);
        site.write_first("assets/x", "");
        symlink("../transcript.json", site.path(&first("assets/link.json"))).expect("a link");
        site.runpress("build --keep-going");
        leaks.extend(
            assets(&site)
                .into_iter()
                .map(|(name, _)| format!("{path} as {name}")),
        );
    }
    assert!(leaks.is_empty(), "{leaks:#?}");
}

#[test]
fn an_unreadable_asset_is_reported_with_its_cause_where_it_is_named() {
    let named = transcript(&json!([]), &json!([asset("a", "public", "assets/drawn")]));
    let folder = with(&named);
    fs::create_dir_all(folder.path(&first("assets/drawn"))).expect("a folder");
    let large = with(&named);
    large.write_first("assets/drawn", vec![b'x'; 70_000]);
    large.write("site.toml", "[limits]\nfile = \"64 KiB\"\n");
    for (site, code, words) in [
        (
            folder,
            "content.unreadable",
            "The file of a public asset cannot be read: it is not a regular file",
        ),
        (
            large,
            "content.too-large",
            "The file of a public asset has 70000 bytes",
        ),
    ] {
        let outcome = site.check();
        assert_eq!(codes(&outcome), [code]);
        let problem = outcome.diagnostics.iter().find(|d| d.code.name == code);
        let problem = problem.expect("the problem");
        assert!(problem.message.starts_with(words), "{}", problem.message);
        assert!(
            !problem.message.contains("drawn"),
            "it is a value of the transcript"
        );
        assert_eq!(problem.place.path, first("transcript.json"));
        assert_eq!(problem.place.pointer.as_deref(), Some("/assets/0"));
        assert!(!problem.help.contains("transcript"), "{}", problem.help);
    }
}
