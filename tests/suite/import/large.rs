//! `runpress import` of large and hostile logs: time and memory are proportional to their size, or the log is refused.
//!
//! `benches/imports.py` does the same with a release build, logs of 200 MB and a million rows.
#![cfg(unix)]

use std::fmt::Write as _;
use std::io::{Cursor, Write as _};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::{Ran, TestSite, codes, each, entries, lines, tree};

/// The CPU limit of an import, in seconds; a development build takes a few.
const SECONDS: u32 = 60;
const SESSION: &str = "7d9f0c52-0000-4000-8000-00000000aaaa";

/// Imports a path of a site within a minute of CPU and a limit of memory in MiB.
fn import(site: &TestSite, path: &str, mebibytes: u32) -> Ran {
    let limits = format!("ulimit -t {SECONDS}; ulimit -d {}", mebibytes << 10);
    let output = Command::new("sh")
        .args(["-c", &format!("{limits}; exec \"$0\" \"$@\"")])
        .arg(env!("CARGO_BIN_EXE_runpress"))
        .args(["--color", "never", "--root"])
        .arg(site.root())
        .arg("import")
        .arg(site.path(path))
        .args(["--case", "large", "--report", "json"])
        .output()
        .expect("a shell");
    Ran::new(path, output)
}

/// The single run of a report.
fn run(ran: Ran) -> Value {
    let mut report = ran.ok().json();
    assert_eq!(entries(&report["runs"]).len(), 1, "{report}");
    report["runs"][0].take()
}

/// The error of a failed import.
fn refused(ran: Ran) -> String {
    let report = ran.exits(1).json();
    let message = report["failed"][0]["message"].as_str();
    message.unwrap_or_else(|| panic!("{report}")).to_owned()
}

/// Imports a log within 512 MiB of memory.
#[track_caller]
fn imports(name: &str, log: String) {
    let site = TestSite::empty();
    site.write("log.jsonl", log);
    let ran = import(&site, "log.jsonl", 512);
    assert_eq!(ran.status, Some(0), "{name}: {}", ran.stderr);
}

fn time(index: usize) -> String {
    let (minutes, seconds) = (index / 60, index % 60);
    let (hours, minutes) = (minutes / 60, minutes % 60);
    format!(
        "2026-03-{:02}T{:02}:{minutes:02}:{seconds:02}Z",
        1 + hours / 24,
        hours % 24
    )
}

fn claude(index: usize, kind: &str, content: &Value) -> Value {
    let parent = index.checked_sub(1).map(|parent| format!("u{parent}"));
    json!({
        "type": kind, "uuid": format!("u{index}"), "parentUuid": parent, "sessionId": SESSION, "timestamp": time(index),
        "message": {"role": kind, "id": format!("m{index}"), "content": content},
    })
}

fn codex(index: usize, kind: &str, payload: &Value) -> Value {
    json!({"timestamp": time(index), "type": kind, "payload": payload})
}

/// A call and its result, as two rows.
type Turn = fn(usize, &str) -> [Value; 2];

const TURNS: [(&str, Turn); 2] = [
    ("claude-code", |index, text| {
        let id = format!("t{index}");
        let call =
            json!([{"type": "tool_use", "id": id, "name": "Bash", "input": {"command": "make"}}]);
        let result = json!([{"type": "tool_result", "tool_use_id": id, "content": text}]);
        let call = claude(2 * index, "assistant", &call);
        [call, claude(2 * index + 1, "user", &result)]
    }),
    ("codex", |index, text| {
        let id = format!("t{index}");
        let call = json!({"type": "function_call", "name": "shell", "call_id": id, "arguments": "{\"command\":\"make\"}"});
        let result = json!({"type": "function_call_output", "call_id": id, "output": text});
        let call = codex(2 * index, "response_item", &call);
        [call, codex(2 * index + 1, "response_item", &result)]
    }),
];

/// A session with this number of calls, all with the same result.
fn session(format: &str, turn: Turn, turns: usize, result: &str) -> String {
    let mut log = String::new();
    if format == "codex" {
        let meta = json!({"id": SESSION, "timestamp": time(0)});
        let _ = writeln!(log, "{}", codex(0, "session_meta", &meta));
    }
    for row in (0..turns).flat_map(|index| turn(index, result)) {
        let _ = writeln!(log, "{row}");
    }
    log
}

#[test]
#[ignore = "slow"]
fn a_session_of_20_megabytes_and_one_of_100_000_rows_are_imported_whole() {
    let long = "A line of what the tests said.\n".repeat(300);
    for (format, turn) in TURNS {
        for (turns, result) in [(2_000, &*long), (50_000, "ok")] {
            let site = TestSite::empty();
            site.write("log.jsonl", session(format, turn, turns, result));
            let run = run(import(&site, "log.jsonl", 256));
            assert_eq!(run["format"], format);
            assert_eq!([&run["toolCalls"], &run["toolResults"]], [turns, turns]);
            assert_eq!([&run["unanswered"], &run["unparsable"]], [0, 0]);
        }
    }
}

#[test]
#[ignore = "slow"]
fn texts_that_once_took_time_with_their_square_take_seconds() {
    let person = |n| format!("/home/person{n}/x person{n}\n");
    for text in [
        (0..20_000).map(person).collect(),
        (0..20_000).map(|n| format!("p{n}@example.org ")).collect(),
        "@".repeat(300_000),
        "a@".repeat(150_000),
        "/home/".repeat(200_000),
        "-home-a".repeat(200_000),
        "/var/folders/".repeat(100_000),
        "<system-reminder>".repeat(50_000),
        "<command-name>".repeat(50_000),
        "\\".repeat(1_000_000),
    ] {
        imports(
            &text[..10],
            format!("{}\n", claude(0, "user", &json!(text))),
        );
    }
}

#[test]
#[ignore = "slow"]
fn rows_that_once_took_time_with_their_square_take_seconds() {
    let count = 20_000;
    let abandoned = |index: usize| {
        let mut row = claude(index, "user", &json!(format!("Try {index}")));
        row["parentUuid"] = json!(format!("u{}", (index / 2 * 2).saturating_sub(1)));
        row
    };
    let call = json!([{"type": "tool_use", "id": "t", "name": "Bash", "input": {}}]);
    let same = |index: usize| claude(index, "assistant", &call);
    let agents = |index: usize| {
        let mut row = claude(index, "user", &json!("Go."));
        row["isSidechain"] = json!(true);
        row["agentId"] = json!(format!("a{index}"));
        row
    };
    let items = |index: usize| {
        let content = json!([{"type": "output_text", "text": index.to_string()}]);
        let payload = json!({"type": "message", "role": "assistant", "content": content});
        codex(index, "response_item", &payload)
    };
    let twins = |index: usize| {
        let payload = json!({"type": "agent_message", "message": index.to_string()});
        codex(index, "event_msg", &payload)
    };
    let all = |row: &dyn Fn(usize) -> Value| {
        let rows = (0..count).map(|index| format!("{}\n", row(index)));
        rows.collect::<String>()
    };
    imports("abandoned", all(&abandoned));
    imports("same ids", all(&same));
    imports("agents", all(&agents));
    imports("twins", all(&items) + &all(&twins));
    imports("broken", all(&|_| items(0)) + &"{\"type\":\n".repeat(count));
}

#[test]
fn what_is_nested_a_hundred_thousand_times_is_a_row_that_cannot_be_read() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let row = claude(1, "user", &json!("DEEP")).to_string();
    let site = TestSite::empty();
    let log = [
        claude(0, "user", &json!("Go.")).to_string(),
        row.replace("\"DEEP\"", &deep),
    ];
    site.write("log.jsonl", lines(&log));
    let run = run(import(&site, "log.jsonl", 256));
    assert_eq!(run["messages"]["user"], 1);
    assert_eq!(run["unparsable"], 1);
}

/// A ZIP archive with these members: name, text, and number of spaces after it.
fn archive(members: &[(&str, &[u8], usize)]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    for (name, text, spaces) in members {
        writer.start_file(*name, options).expect("a member");
        writer.write_all(text).expect("bytes");
        let block = vec![b' '; 1 << 20];
        for _ in 0..*spaces >> 20 {
            writer.write_all(&block).expect("bytes");
        }
    }
    writer.finish().expect("an archive").into_inner()
}

/// A Zstandard frame of a text and this many blocks of 128 KiB of spaces, each in four bytes.
fn zstandard(text: &[u8], blocks: usize) -> Vec<u8> {
    let header = |last: bool, kind: usize, size: usize| {
        (size << 3 | kind << 1 | usize::from(last)).to_le_bytes()[..3].to_vec()
    };
    let mut frame = vec![0x28, 0xB5, 0x2F, 0xFD, 0, 0x38];
    frame.extend(header(false, 0, text.len()));
    frame.extend(text);
    for block in 1..=blocks {
        frame.extend(header(block == blocks, 1, 128 << 10));
        frame.push(b' ');
    }
    frame
}

#[test]
#[ignore = "slow"]
fn bombs_get_an_error_with_little_memory_and_logs_beside_them_are_imported() {
    let site = TestSite::empty();
    let said = json!({"type": "message", "role": "user", "content": "Go."});
    let log = session("codex", TURNS[1].1, 0, "")
        + &lines(&[codex(1, "response_item", &said).to_string()]);
    site.write("logs/fine/rollout.jsonl", &log);
    let zip = archive(&[("header.json", b"{", 100 << 20)]);
    let zst = zstandard(log.as_bytes(), 8_000);
    assert!(
        zip.len() < 200_000 && zst.len() < 40_000,
        "{} {}",
        zip.len(),
        zst.len()
    );
    let many: Vec<String> = (0..8)
        .map(|n| format!("samples/{n}_epoch_1.json"))
        .collect();
    let mut members: Vec<(&str, &[u8], usize)> =
        vec![("header.json", b"{\"version\":2,\"eval\":{}}", 0)];
    members.extend(many.iter().map(|name| (&**name, &b"{"[..], 60 << 20)));
    let inner = archive(&[("header.json", b"{", 60 << 20)]);
    let zips = archive(&[("header.json", &inner, 0)]);
    let zsts = zstandard(&zstandard(&zstandard(log.as_bytes(), 400), 1), 1);
    for (path, bytes, words) in [
        ("logs/zip/log.eval", zip, "more than 64 MiB"),
        ("logs/zst/rollout.jsonl.zst", zst, "more than 64 MiB"),
        ("logs/zips/log.eval", zips, "not UTF-8"),
        ("logs/zsts/rollout.jsonl.zst", zsts, "not text"),
    ] {
        site.write(path, bytes);
        let message = refused(import(&site, path, 640));
        assert!(message.contains(words), "{path}: {message}");
    }
    let report = import(&site, "logs", 640).json();
    assert_eq!(
        each(&report["runs"], "source"),
        ["fine/rollout.jsonl"],
        "{report}"
    );
    // Only one member is in memory at a time.
    site.write("many/log.eval", archive(&members));
    import(&site, "many/log.eval", 640).exits(1);
}

#[test]
fn no_link_and_no_name_of_a_member_leads_out_of_what_was_named() {
    let site = TestSite::empty();
    let [secret, said] =
        ["SECRET", "Go."].map(|text| format!("{}\n", claude(0, "user", &json!(text))));
    site.write("secret.jsonl", &secret)
        .write("outside/secret.jsonl", &secret)
        .write("logs/a.jsonl", said);
    std::fs::create_dir(site.path("logs/a")).expect("a folder");
    for (target, link) in [
        ("../secret.jsonl", "link.jsonl"),
        ("../outside", "folder"),
        (".", "loop"),
        ("/nowhere", "dangling.jsonl"),
        ("../../outside", "a/subagents"),
    ] {
        symlink(target, site.path(&format!("logs/{link}"))).expect("a link");
    }
    let report = import(&site, "logs", 256).json();
    assert_eq!(entries(&report["runs"]).len(), 1, "{report}");
    let skipped = [
        "a/subagents",
        "dangling.jsonl",
        "folder",
        "link.jsonl",
        "loop",
    ];
    assert_eq!(each(&report["skipped"], "source"), skipped);
    import(&site, "logs/a.jsonl", 256);
    // A name in an archive is not used as a path: nothing is unpacked to disk.
    let sample = br#"{"id":1,"epoch":1,"input":"Go.","target":"","messages":[],"scores":{}}"#;
    let header = br#"{"version":2,"status":"success","eval":{"task":"t","model":"m"}}"#;
    let bytes = archive(&[
        ("header.json", header, 0),
        ("samples/1_epoch_1.json", sample, 0),
        ("samples/../../../escaped_epoch_1.json", sample, 0),
        ("/escaped.json", b"x", 0),
        ("..\\escaped.json", b"x", 0),
    ]);
    site.write("log.eval", bytes);
    import(&site, "log.eval", 256);
    let folders = [
        "content/runs/large-",
        "content/runs/t-",
        "logs/",
        "outside/",
    ];
    let files = ["secret.jsonl", "log.eval", "site.toml"];
    for (path, bytes) in tree(site.root()) {
        let is_inside = folders.iter().any(|folder| path.starts_with(folder));
        assert!(is_inside || files.contains(&&*path), "{path}");
        let is_run = path.starts_with("content/");
        assert!(
            !is_run || !String::from_utf8_lossy(&bytes).contains("SECRET"),
            "{path}"
        );
    }
    assert!(!Path::new("/escaped.json").exists());
    assert_eq!(codes(&site.publish()), [""; 0]);
}
