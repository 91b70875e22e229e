//! Transcripts: what is public is shown and passed on, and nothing else ever leaves the file.

use std::os::unix::fs::symlink;
use std::process::Command;

use serde_json::{Value, json};

use crate::crawl::problems;
use crate::support::{FIRST, FIRST_SLUG, TestSite, codes, described};

/// What stands wherever nothing may be published.
const SENTINEL: &str = "SENTINEL";
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR and the rest of the picture";
const FORMATS: [&str; 5] = ["human", "json", "github", "sarif", "junit"];

fn with(transcript: impl AsRef<[u8]>) -> TestSite {
    let site = TestSite::base();
    site.write(&format!("{FIRST}/transcript.json"), transcript);
    site
}

fn transcript(messages: &Value, assets: &Value) -> String {
    let document = json!({
        "_type": "transcript", "version": 2, "id": "tr-1", "state": "archived",
        "messages": messages, "assets": assets,
    });
    format!("{document:#}\n")
}

fn asset(id: &str, visibility: &str, path: &str) -> Value {
    json!({
        "_type": "transcript_asset", "id": id, "kind": "image", "visibility": visibility,
        "name": format!("name of {id}"), "storage": { "path": path },
    })
}

/// The conversation of the base run in run.json.
fn document(site: &TestSite) -> Value {
    site.json(&format!("runs/{FIRST_SLUG}/run.json"))["transcript"].clone()
}

/// Names of the published assets of the base run with their bytes.
fn assets(site: &TestSite) -> Vec<(String, Vec<u8>)> {
    let folder = format!("runs/{FIRST_SLUG}/assets/");
    site.published()
        .into_iter()
        .filter_map(|(path, bytes)| Some((path.strip_prefix(&folder)?.to_owned(), bytes)))
        .collect()
}

/// Where in the output, on the console and in the reports of check and build a word stands.
fn places_of(site: &TestSite, word: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut look = |place: String, bytes: &[u8]| {
        if String::from_utf8_lossy(bytes).contains(word) {
            found.push(place);
        }
    };
    let ran = site.runpress(&["check", "-v"]);
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
fn the_public_part_of_a_conversation_is_shown_as_plain_text() {
    let site = with(transcript(
        &json!([
            { "role": "user", "content": "Write *pong* for <b>two</b>." },
            { "role": "assistant", "content": [
                { "type": "text", "text": "I will." },
                { "type": "text", "visibility": "internal", "text": SENTINEL },
                { "type": "tool_call", "name": "search", "visibility": "public", "arguments": { "q": "pong" } },
                { "type": "image", "asset_id": "shot", "title": "the field", "visibility": "public" },
                { "type": "image", "asset_id": "hidden", "title": "the plan", "visibility": "public" },
            ] },
            { "role": "tool_result", "content": SENTINEL },
            { "role": "assistant", "content": [{ "type": "reasoning", "visibility": "public", "text": SENTINEL }] },
            { "role": "user", "content": { "content": "Thanks." } },
        ]),
        &json!([
            asset("shot", "public", "assets/shot.png"),
            asset("hidden", "internal", "assets/plan.png")
        ]),
    ));
    site.write(&format!("{FIRST}/assets/shot.png"), PNG);
    site.write(
        &format!("{FIRST}/assets/plan.png"),
        [PNG, SENTINEL.as_bytes()].concat(),
    );
    let outcome = site.publish();
    assert_eq!(codes(&outcome), [""; 0], "{:?}", described(&outcome));
    assert_eq!(problems(&site.published()), [""; 0]);

    let page = site.first_page();
    assert_eq!(
        page.texts("ol.turns > li"),
        [
            "user Write *pong* for <b>two</b>.",
            "assistant I will. <tool_call:search> the field the plan (not published)",
            "user Thanks."
        ]
    );
    assert!(page.all("ol.turns b, ol.turns em").is_empty());
    assert!(page.main().contains("3 turns."), "{}", page.main());
    assert!(
        page.main().contains(
            "Held back: 2 internal blocks are not published; 1 private block is not published."
        ),
        "{}",
        page.main()
    );

    // The picture is published once, named by what it holds.
    let name = format!("{}.png", &blake3_of(&site, "shot.png")[..16]);
    assert_eq!(assets(&site), [(name.clone(), PNG.to_vec())]);
    let image = page.one("ol.turns img");
    let source = image.value().attr("src").unwrap_or_default();
    assert!(source.ends_with(&format!("assets/{name}")), "{source}");
    assert_eq!(image.value().attr("alt"), Some("the field"));
}

/// The digest that run.json gives of an asset.
fn blake3_of(site: &TestSite, name: &str) -> String {
    let run = site.json(&format!("runs/{FIRST_SLUG}/run.json"));
    let files = run["files"].as_array().expect("an array").clone();
    files
        .iter()
        .find(|file| file["path"] == format!("assets/{name}"))
        .and_then(|file| file["blake3"].as_str())
        .unwrap_or_else(|| panic!("{name} is not among the files: {files:?}"))
        .to_owned()
}

#[test]
fn run_json_holds_the_public_blocks_as_written_and_counts_the_rest() {
    let block = json!({ "type": "tool_call", "visibility": "public", "name": "search", "arguments": { "n": 1.50 } });
    let site = with(transcript(
        &json!([
            { "role": "assistant", "content": [block, { "type": "text", "visibility": "private", "text": SENTINEL }] },
            { "role": "user", "content": "plain" },
        ]),
        &json!([
            asset("gone", "public", "assets/gone.png"),
            asset("note", "public", "assets/note.svg"),
            asset("hidden", "internal", "assets/hidden.png"),
        ]),
    ));
    site.write(
        &format!("{FIRST}/assets/note.svg"),
        "<svg onload='alert(1)'/>",
    );
    assert_eq!(codes(&site.publish()), ["transcript.missing-asset"]);
    let name = format!("{}.txt", &blake3_of(&site, "note.svg")[..16]);
    assert_eq!(
        document(&site),
        json!({
            "id": "tr-1", "state": "archived",
            "messages": [
                { "role": "assistant", "content": [block] },
                { "role": "user", "content": ["plain"] },
            ],
            "events": [],
            "assets": [
                { "id": "gone", "name": "name of gone", "path": null },
                { "id": "note", "name": "name of note", "path": format!("runs/{FIRST_SLUG}/assets/{name}") },
            ],
            "withheld": { "internal": 0, "private": 1 },
            "withheldEvents": { "internal": 0, "private": 0 },
        })
    );
    assert_eq!(
        assets(&site).len(),
        1,
        "a picture that could run something is text"
    );
}

#[test]
fn a_run_without_a_transcript_has_no_conversation() {
    let site = TestSite::base();
    site.publish();
    assert!(site.first_page().all("#conversation").is_empty());
    assert!(document(&site).is_null());
}

#[test]
fn a_long_conversation_and_a_long_text_go_on_in_run_json() {
    let turns: Vec<Value> = (0..501)
        .map(|n| json!({ "role": "user", "content": if n == 0 { "long ".repeat(100_000) } else { format!("turn {n}") } }))
        .collect();
    let site = with(transcript(&json!(turns), &json!([])));
    assert_eq!(codes(&site.publish()), [""; 0]);
    let page = site.first_page();
    assert_eq!(page.all("ol.turns > li").len(), 500);
    let first = page.texts("ol.turns > li").remove(0);
    assert!(first.len() < 100_000 && first.contains("The text goes on in run.json."));
    assert!(page.main().contains("1 more turn in run.json."));
    let messages = document(&site)["messages"].as_array().map(Vec::len);
    assert_eq!(messages, Some(501));
}

/// A transcript with a word in every place that is not public, and `PUBLIC-` in those that are.
fn full_of_secrets() -> Value {
    let s = |place: &str| format!("{SENTINEL}-{place}");
    json!({
        "_type": "transcript", "version": 2, "id": "tr-1", "state": "active",
        "summary": s("summary"),
        "metadata": { "note": s("metadata") },
        "messages": [
            { "role": "user", "content": "PUBLIC-user", "metadata": { "m": s("message-metadata") }, "extra": s("message-extra") },
            { "role": "tool_result", "content": s("tool-result"), "tool_use_id": s("tool-use") },
            { "role": "tool_result", "content": [{ "type": "text", "text": s("tool-result-block") }] },
            { "role": "assistant", "reasoning": s("message-reasoning"), "content": [
                { "type": "text", "visibility": "public", "text": "PUBLIC-assistant" },
                { "type": "text", "visibility": "internal", "text": s("internal") },
                { "type": "text", "visibility": "private", "text": s("private") },
                { "type": "text", "visibility": "Public", "text": s("other-case") },
                { "type": "text", "visibility": " public", "text": s("with-space") },
                { "type": "text", "visibility": "everyone", "text": s("unknown") },
                { "type": "text", "visibility": "", "text": s("empty") },
                { "type": "reasoning", "visibility": "public", "text": s("reasoning") },
                { "type": "reasoning", "text": s("reasoning-default") },
                { "type": "private_reasoning", "visibility": "public", "text": s("private-reasoning") },
                { "type": "thinking", "visibility": "public", "thinking": s("thinking") },
                { "type": "thinking_summary", "visibility": "public", "text": s("thinking-summary") },
                { "type": "provider_payload", "visibility": "public", "payload": { "p": s("provider-payload") } },
                { "type": "image", "visibility": "internal", "title": s("image-title"), "asset_id": "internal" },
                { "type": "tool_call", "visibility": "internal", "name": s("tool-name"), "arguments": s("arguments") },
                { "type": "image", "visibility": "public", "asset_id": "internal", "title": "PUBLIC-title" },
            ] },
            { "role": s("role-of-hidden-turn"), "visibility": "internal", "content": [
                { "type": "text", "visibility": "public", "text": s("in-hidden-turn") },
            ] },
        ],
        "events": [
            { "id": s("event-id"), "kind": "message", "role": "user", "visibility": "public", "text": s("event"),
              "blocks": [{ "type": "text", "visibility": "public", "text": s("event-block") }] },
            { "kind": "private_reasoning", "visibility": "private", "text": s("event-reasoning") },
            { "id": s("plan-id"), "kind": "plan", "role": "assistant", "visibility": "public", "text": "PUBLIC-plan",
              "metadata": { "m": s("plan-metadata") }, "reminder": { "body": s("plan-reminder") } },
            { "kind": "compaction", "role": "system", "visibility": "internal", "text": s("compaction-event") },
            { "kind": "thinking_summary", "visibility": "public", "text": s("thinking-event") },
            { "kind": "provider_payload", "visibility": "public", "text": s("payload-event") },
            { "kind": "host_input", "role": "user", "text": s("event-without-visibility") },
            { "kind": "host_input", "role": s("event-role"), "visibility": "PUBLIC", "text": s("event-other-case") },
            { "kind": "host_input", "visibility": "public", "text": s("event-with-hidden-block"),
              "blocks": [{ "type": "text", "visibility": "internal", "text": s("hidden-block") }] },
            { "kind": "tool_result", "visibility": "public", "text": s("derived-event") },
            s("event-that-is-a-string"),
        ],
        "assets": [
            { "id": "internal", "visibility": "internal", "name": s("asset-name"), "title": s("asset-title"),
              "storage": { "path": "assets/SENTINEL-internal.png" }, "data": s("asset-data") },
            { "id": s("asset-id"), "visibility": "private", "storage": { "path": "assets/private.bin" } },
            { "id": s("asset-default"), "storage": { "path": "assets/default.txt" }, "metadata": s("asset-metadata") },
            "assets/bare.txt",
            { "id": "compaction-source-1", "kind": "compaction_source_transcript", "visibility": "public",
              "title": s("compaction-title"), "storage": { "path": "assets/compaction.json" },
              "data": { "messages": [s("compaction")] } },
            { "id": "seen", "visibility": "public", "name": "PUBLIC-name", "storage": { "path": "assets/public.txt" },
              "data": s("public-asset-data"), "metadata": { "m": s("public-asset-metadata") } },
        ],
    })
}

fn with_files(transcript: impl AsRef<[u8]>) -> TestSite {
    let site = with(transcript);
    for file in [
        "SENTINEL-internal.png",
        "private.bin",
        "default.txt",
        "bare.txt",
        "compaction.json",
    ] {
        site.write(
            &format!("{FIRST}/assets/{file}"),
            format!("{SENTINEL} in {file}"),
        );
    }
    site.write(&format!("{FIRST}/assets/public.txt"), "PUBLIC-asset");
    site
}

#[test]
fn nothing_that_is_not_public_leaves_a_transcript() {
    let site = with_files(format!("{:#}\n", full_of_secrets()));
    assert_eq!(codes(&site.publish()), [""; 0]);
    for word in ["user", "assistant", "plan", "title", "name", "asset"] {
        assert!(
            !places_of(&site, &format!("PUBLIC-{word}")).is_empty(),
            "{word} is published"
        );
    }
    assert_eq!(places_of(&site, SENTINEL), [""; 0]);
    let withheld = &document(&site)["withheld"];
    assert_eq!(*withheld, json!({ "internal": 6, "private": 11 }));
    assert!(site.first_page().main().contains(
        "the summary of earlier turns is not published, since it may restate what is private"
    ));
}

/// The transcript full of secrets with errors, each by a name.
fn broken() -> Vec<(&'static str, Vec<u8>)> {
    let whole = format!("{}\n", full_of_secrets());
    let pretty = format!("{:#}\n", full_of_secrets());
    let changed = |key: &str, value: Value| {
        let mut document = full_of_secrets();
        document[key] = value;
        document.to_string().into_bytes()
    };
    let public =
        |path: &str| json!([{ "id": "a", "visibility": "public", "storage": { "path": path } }]);
    vec![
        (
            "cut on one line",
            whole.as_bytes()[..whole.len() - 40].to_vec(),
        ),
        (
            "cut on many lines",
            pretty.as_bytes()[..pretty.len() - 200].to_vec(),
        ),
        (
            "not JSON after a secret",
            whole
                .replacen("SENTINEL-private\"", "SENTINEL-private\" SENTINEL", 1)
                .into_bytes(),
        ),
        (
            "not UTF-8",
            whole
                .replacen("SENTINEL-private", "SENTINEL-\u{1}private", 1)
                .bytes()
                .map(|b| if b == 1 { 0xff } else { b })
                .collect(),
        ),
        ("another document", changed("_type", json!("SENTINEL-type"))),
        ("no type", changed("_type", Value::Null)),
        (
            "another version",
            changed("version", json!("SENTINEL-version")),
        ),
        (
            "an id of a wrong type",
            changed("id", json!({ "id": "SENTINEL" })),
        ),
        (
            "a state of a wrong type",
            changed("state", json!(["SENTINEL"])),
        ),
        (
            "messages of a wrong type",
            changed("messages", json!({ "m": "SENTINEL" })),
        ),
        (
            "messages that are text",
            changed("messages", json!("SENTINEL")),
        ),
        (
            "assets of a wrong type",
            changed("assets", json!("SENTINEL")),
        ),
        (
            "a key that stands twice",
            whole
                .replacen('{', "{\"id\":\"SENTINEL-one\",", 1)
                .into_bytes(),
        ),
        ("a list", format!("[{whole}]").into_bytes()),
        ("a text", b"\"SENTINEL\"".to_vec()),
        (
            "text after the end",
            format!("{whole}SENTINEL").into_bytes(),
        ),
        (
            "deeply nested",
            format!(
                "{{\"_type\":\"transcript\",\"SENTINEL\":{}",
                "[".repeat(5_000)
            )
            .into_bytes(),
        ),
        (
            "an asset outside",
            changed("assets", public("../SENTINEL.png")),
        ),
        (
            "an absolute asset",
            changed("assets", public("/SENTINEL.png")),
        ),
        (
            "an asset that is not there",
            changed("assets", public("assets/SENTINEL.png")),
        ),
        (
            "an asset that is a folder",
            changed("assets", public("SENTINEL-folder")),
        ),
        (
            "an asset that is a pipe",
            changed("assets", public("SENTINEL-pipe")),
        ),
        (
            "an asset that is too large",
            changed("assets", public("SENTINEL-large")),
        ),
        (
            "an asset that leads out",
            changed("assets", public("SENTINEL-link")),
        ),
    ]
}

/// Where something of a transcript with errors can be read.
fn leaks() -> Vec<String> {
    let mut leaks = Vec::new();
    for (name, transcript) in broken() {
        let site = with_files(transcript);
        site.write("site.toml", "[limits]\nfile = 65536\n");
        site.write(&format!("{FIRST}/SENTINEL-folder/file"), "");
        site.write(&format!("{FIRST}/SENTINEL-large"), "x".repeat(70_000));
        site.write("elsewhere", SENTINEL);
        let place = site.path(&format!("{FIRST}/SENTINEL-link"));
        symlink(site.path("elsewhere"), place).expect("a link");
        let made = Command::new("mkfifo")
            .arg(site.path(&format!("{FIRST}/SENTINEL-pipe")))
            .status()
            .expect("mkfifo runs");
        assert!(made.success());
        let outcome = site.check();
        assert!(!codes(&outcome).is_empty(), "{name} is noticed");
        let places = places_of(&site, SENTINEL).into_iter();
        leaks.extend(places.map(|place| format!("{name}: {place}")));
    }
    leaks
}

#[test]
fn nothing_of_a_transcript_with_errors_is_published_or_stands_in_a_report_for_programs() {
    let mut leaks = leaks();
    leaks.retain(|leak| !leak.ends_with("the console") && !leak.ends_with("human report"));
    assert!(leaks.is_empty(), "{leaks:#?}");
}

#[test]
fn nothing_of_a_transcript_with_errors_stands_in_any_report() {
    let leaks = leaks();
    assert!(leaks.is_empty(), "{leaks:#?}");
}

/// Which of the ways to write a block let its text out.
fn let_out(blocks: &[&str]) -> Vec<String> {
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
    leaks
}

#[test]
fn what_is_not_plainly_public_is_held_back() {
    let leaks = let_out(&[
        r#""type":"text","visibility":3,"#,
        r#""type":"text","visibility":["private"],"#,
        r#""type":"text","visibility":{"level":"private"},"#,
        r#""type":"text","visibility":false,"#,
        r#""type":"text","visibility":"private","visibility":"public","#,
        r#""type":"text","visibility":"public","visibility":"private","#,
        r#""type":"reasoning","type":"text","#,
    ]);
    assert!(leaks.is_empty(), "{leaks:#?}");
}

#[test]
fn reasoning_in_another_spelling_is_held_back() {
    let leaks = let_out(&[
        r#""type":["reasoning"],"#,
        r#""type":"Reasoning","visibility":"public","#,
        r#""type":"redacted_thinking","visibility":"public","#,
    ]);
    assert!(leaks.is_empty(), "{leaks:#?}");
}

#[test]
fn private_blocks_inside_a_public_block_are_held_back() {
    let site = with(transcript(
        &json!([{ "role": "assistant", "content": [
            { "type": "tool_result", "visibility": "public", "name": "agent", "content": [
                { "type": "text", "visibility": "private", "text": SENTINEL },
                { "type": "reasoning", "text": SENTINEL },
            ] },
        ] }]),
        &json!([]),
    ));
    site.publish();
    assert_eq!(places_of(&site, SENTINEL), [""; 0]);
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
        symlink("../secret.txt", site.path(&format!("{FIRST}/link.txt"))).expect("a link");
        symlink("..", site.path(&format!("{FIRST}/folder"))).expect("a link");
        let outcome = site.check();
        assert_eq!(codes(&outcome), ["transcript.asset-outside"], "{path}");
        assert_eq!(places_of(&site, SENTINEL), [""; 0], "{path}");
        assert!(assets(&site).is_empty(), "{path}");
    }
    // Nothing is decoded: these are names of files that are not there.
    for path in [
        "%2e%2e/secret.txt",
        "..%2fsecret.txt",
        "file:///etc/hostname",
        "https://example.org/x.png",
    ] {
        let site = with(transcript(&json!([]), &json!([asset("a", "public", path)])));
        site.write("content/runs/secret.txt", SENTINEL);
        site.runpress(&["build", "--keep-going"]);
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
        site.write(&format!("{FIRST}/raw.jsonl"), SENTINEL);
        site.write(&format!("{FIRST}/assets/x"), "");
        symlink(
            "../transcript.json",
            site.path(&format!("{FIRST}/assets/link.json")),
        )
        .expect("a link");
        site.runpress(&["build", "--keep-going"]);
        leaks.extend(
            assets(&site)
                .into_iter()
                .map(|(name, _)| format!("{path} as {name}")),
        );
    }
    assert!(leaks.is_empty(), "{leaks:#?}");
}

#[test]
fn public_events_that_are_no_turn_stand_beside_the_turns() {
    let site = with(
        r#"{"_type":"transcript","version":2,"messages":[{"role":"user","content":"Go."}],"events":[
            {"kind":"message","role":"user","visibility":"public","text":"Go."},
            {"kind":"plan","role":"assistant","visibility":"public","text":"First look, then write."},
            {"kind":"suspension","role":"system","visibility":"public","text":""},
            {"kind":"compaction","role":"system","visibility":"internal","text":"was 40 turns"},
            {"kind":"worker_note","visibility":"private","text":"no"}]}"#,
    );
    assert_eq!(codes(&site.publish()), [""; 0]);
    let page = site.first_page();
    assert_eq!(
        page.texts("ul.turns > li"),
        [
            "plan, assistant First look, then write.",
            "suspension, system"
        ]
    );
    let held = page.texts("section[aria-labelledby=conversation] > p.quiet:last-child");
    assert_eq!(
        held,
        ["Held back: 1 internal event is not published; 1 private event is not published."]
    );
    let transcript = &site.json(&format!("runs/{FIRST_SLUG}/run.json"))["transcript"];
    assert_eq!(
        transcript["events"],
        serde_json::json!([
            {"kind": "plan", "role": "assistant", "text": "First look, then write."},
            {"kind": "suspension", "role": "system", "text": ""},
        ])
    );
    assert_eq!(
        transcript["withheldEvents"],
        serde_json::json!({"internal": 1, "private": 1})
    );
}
