//! One fixture and one snapshot per diagnostic code: tests/fixtures/codes/<code>/ is copied over the base site, and the output
//! of the binary is compared with tests/snapshots/codes/<code>.snap.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

use rayon::prelude::*;
use runpress::api::diagnostics::{Code, Severity, codes};

use crate::shards::broken;
use crate::support::{
    FIRST, Ran, Run, TestSite, assert_snapshot, first, fixture, redacted, runpress_in,
};
use crate::verify;

/// Files kept open while the binary runs.
pub(crate) type Held = Vec<File>;

/// How to trigger a code: setup that a folder of files cannot hold, and the command.
struct Set {
    prepare: fn(&TestSite) -> Held,
    arguments: &'static [&'static str],
    /// The exit status of the command.
    status: i32,
}

const CHECK: &[&str] = &["check", "-v"];
impl Set {
    fn new(
        prepare: fn(&TestSite) -> Held,
        arguments: &'static [&'static str],
        status: i32,
    ) -> Self {
        Self {
            prepare,
            arguments,
            status,
        }
    }
}
const BUILD: &[&str] = &["build", "-v"];

/// Codes that need more than fixture files.
fn set(code: &str) -> Set {
    let plain = |arguments, status| Set::new(nothing, arguments, status);
    match code {
        "content.unreadable" => Set::new(pipe_for_an_event_log, CHECK, 1),
        "content.symlink" => Set::new(event_log_that_is_a_link_out, CHECK, 1),
        "content.linked-folder" => Set::new(linked_folder, CHECK, 0),
        "publish.foreign-folder" => Set::new(foreign_output, BUILD, 2),
        "publish.inside-content" => plain(&["build", "-v", "--out", "content/public"], 2),
        "publish.locked" => Set::new(locked_output, BUILD, 2),
        "publish.io" => Set::new(file_in_the_way, &["build", "-v", "--out", "way/public"], 2),
        "publish.over-budget" => Set::new(large_file, CHECK, 1),
        "publish.flat-folders" => Set::new(thirty_runs, CHECK, 0),
        "publish.duplicate-path" | "template.render" => plain(BUILD, 2),
        "ledger.unreadable" | "ledger.run-folders" => plain(CHECK, 2),
        "ledger.no-site" => plain(&["build", "-v", "--previous", "published"], 2),
        "content.no-base" => plain(&["check", "-v", "--base", "content/runs"], 2),
        "annotation.invalid-finding" => plain(&["annotate", FIRST, "--from", "findings.jsonl"], 1),
        _ if code.starts_with("shard.") || code.starts_with("merge.") => {
            let broken = broken::named(code);
            Set::new(broken.prepare, broken.arguments, 2)
        }
        _ if code.starts_with("verify.") => {
            let sample = verify::samples::named(code);
            Set::new(sample.prepare, sample.arguments, sample.status)
        }
        _ if code.starts_with("import.") => import(code),
        _ if code.starts_with("secret.") => secret(code),
        _ => {
            let is_error = codes::find(code).is_some_and(|code| code.severity == Severity::Error);
            let family = code.split('.').next().unwrap_or_default();
            let stops = matches!(
                code,
                "content.missing-root" | "rules.invalid" | "rules.expression"
            );
            let status = match family {
                _ if stops => 2,
                "config" | "template" if is_error => 2,
                _ => i32::from(is_error),
            };
            plain(CHECK, status)
        }
    }
}

/// A secret in the writeup, assembled here so that no host reports a file of the repository as a leak.
fn secret(code: &str) -> Set {
    let leaks: fn(&TestSite) -> Held = match code {
        "secret.llm" => |site| leak(site, &["sk-", "ant-api03-", &random(93), "AA"]),
        "secret.cloud" => |site| leak(site, &["GOCS", "PX-", &random(28)]),
        "secret.vcs" => |site| leak(site, &["gh", "p_", &random(36)]),
        "secret.chat" => |site| {
            leak(
                site,
                &["https://hooks.slack", ".com/services/", &random(44)],
            )
        },
        "secret.payment" => |site| leak(site, &["sk_", "live_", &random(24)]),
        "secret.database" => {
            |site| leak(site, &["postgres://app:", &random(20), "@db.acme.io/app"])
        }
        "secret.private-key" => |site| {
            let (begin, end) = ("-----BEGIN ", "-----END ");
            let kind = ["RSA PRIV", "ATE KEY-----\n"].concat();
            leak(site, &[begin, &kind, &random(64), "\n", end, &kind])
        },
        "secret.session" => |site| leak(site, &["Authorization: Bearer ", &random(40)]),
        "secret.token" => |site| leak(site, &["datadog_api_key = ", &random(40)]),
        "secret.generic" => |site| leak(site, &["service_token: ", &random(24)]),
        "secret.personal" => |site| leak(site, &["Ask petra.nowak", "@acme.io."]),
        "secret.path" => |site| {
            leak(
                site,
                &["See /home/", "mkowalski/app and /home/", "mkowalski/lib."],
            )
        },
        _ => return Set::new(nothing, CHECK, 0),
    };
    let is_error = !matches!(code, "secret.personal" | "secret.path");
    Set::new(leaks, CHECK, i32::from(is_error))
}

fn leak(site: &TestSite, parts: &[&str]) -> Held {
    site.append(&first("writeup.md"), &format!("\n{}\n", parts.concat()));
    Vec::new()
}

/// This many characters that look random but are always the same.
fn random(count: usize) -> String {
    let hash = blake3::hash(b"a seed").to_hex();
    let digits = hash.as_str().as_bytes().iter().cycle().enumerate();
    let letters = b"Kq7ZxT2mVbW9LnRfYc4HsJdG8eP0aUo5";
    let character = |(at, digit): (usize, &u8)| {
        char::from(letters[(usize::from(*digit) + at * 7) % letters.len()])
    };
    digits.map(character).take(count).collect()
}

/// The command that triggers an import code, usually with a single log.
fn import(code: &str) -> Set {
    const LOGS: &[&str] = &["import", "logs", "-v", "--case", "parse"];
    const FAILS: &[&str] = &[
        "import",
        "logs/session.log",
        "--from-command",
        "sh -c 'echo KeyError: messages >&2; exit 3'",
    ];
    const PRINTS: &[&str] = &["import", "logs/session.jsonl", "--from-command", "cat"];
    // The command refuses damaged copies.
    const CHECKS: &[&str] = &[
        "import",
        "logs",
        "--check-adapter",
        "sh -c 'cmp -s \"$0\" logs/session.jsonl && cat \"$0\"'",
    ];
    const UPDATE: &[&str] = &["import", "logs", "-v", "--case", "parse", "--update"];
    const FOREIGN: &[&str] = &["import", "logs", "--case", "parse", "--out", "other"];
    const IN_THE_WAY: &[&str] = &["import", "logs", "--case", "parse", "--out", "way/runs"];
    let plain = |arguments| Set::new(nothing, arguments, 1);
    match code {
        "import.unreadable-file" => plain(&["import", "gone.jsonl"]),
        "import.invalid-file" => plain(&["import", "logs/half.json", "--format", "inspect"]),
        "import.invalid-archive" => plain(&["import", "logs/cut.eval"]),
        "import.too-large" => Set::new(bomb, &["import", "bomb.zst", "--format", "codex"], 1),
        "import.unknown-format" => plain(&["import", "logs/log.json"]),
        "import.ambiguous-format" => plain(&["import", "logs/mixed.jsonl"]),
        "import.wrong-format" => plain(&["import", "logs/session.jsonl", "--format", "codex"]),
        "import.unsupported-version" => {
            plain(&["import", "logs/trajectory.json", "--format", "atif"])
        }
        "import.native-file" => plain(&["import", "logs/session.trace.jsonl"]),
        "import.failed-command" => plain(FAILS),
        "import.invalid-line" => plain(PRINTS),
        "import.nonconforming-adapter" => plain(CHECKS),
        "import.missing-case" => plain(&["import", "logs/session.jsonl"]),
        "import.changed" => Set::new(longer_session, LOGS, 1),
        "import.not-a-continuation" => Set::new(shorter_session, UPDATE, 1),
        "import.foreign-run" => plain(FOREIGN),
        "import.cannot-write" => Set::new(file_in_the_way, IN_THE_WAY, 1),
        "import.cut-text" => Set::new(long_message, LOGS, 0),
        "import.skipped-entry" => Set::new(link_beside_a_log, LOGS, 0),
        "import.duplicate-run"
        | "import.cut-line"
        | "import.lower-bound"
        | "import.part-of-a-thread"
        | "import.totals-differ"
        | "import.unreadable-entry"
        | "import.unpublishable" => Set::new(nothing, LOGS, 0),
        _ => plain(LOGS),
    }
}

fn nothing(_: &TestSite) -> Held {
    Vec::new()
}

/// Zstandard frames of 128 KiB of zeros in four bytes each, 640 times.
fn bomb(site: &TestSite) -> Held {
    let mut bytes = vec![0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x38];
    for last in (0..640).map(|block| u8::from(block == 639)) {
        bytes.extend([0x02 | last, 0x00, 0x10, 0x00]);
    }
    site.write("bomb.zst", bytes);
    Vec::new()
}

fn longer_session(site: &TestSite) -> Held {
    site.runpress("import logs --case parse").ok();
    let more = r#"{"type":"user","uuid":"u-3","parentUuid":"u-2","message":{"role":"user","content":"And the tests?"}}"#;
    site.append("logs/session.jsonl", &format!("{more}\n"));
    Vec::new()
}

fn shorter_session(site: &TestSite) -> Held {
    site.runpress("import logs --case parse").ok();
    let session = site.text("logs/session.jsonl");
    let first = session.lines().next().expect("a line");
    site.write("logs/session.jsonl", format!("{first}\n"));
    Vec::new()
}

fn long_message(site: &TestSite) -> Held {
    let text = "long ".repeat(1_700_000);
    let row = format!(
        r#"{{"type":"user","uuid":"u-1","sessionId":"s-1","message":{{"role":"user","content":"{text}"}}}}"#
    );
    site.write("logs/session.jsonl", row + "\n");
    Vec::new()
}

fn large_file(site: &TestSite) -> Held {
    site.write("static/film.bin", vec![0; 26 << 20]);
    Vec::new()
}

fn thirty_runs(site: &TestSite) -> Held {
    for n in 0..30 {
        site.run(&format!("r{n}"), &Run::new(&format!("{n:08x}-0000")));
    }
    Vec::new()
}

fn link_beside_a_log(site: &TestSite) -> Held {
    let [log, link] = ["session", "link"].map(|name| site.path(&format!("logs/{name}.jsonl")));
    symlink(log, link).expect("a link");
    Vec::new()
}

fn pipe_for_an_event_log(site: &TestSite) -> Held {
    site.unannotated().remove_first("events.jsonl");
    let made = Command::new("mkfifo")
        .arg(site.path(&first("events.jsonl")))
        .status();
    assert!(made.expect("mkfifo runs").success());
    Vec::new()
}

fn event_log_that_is_a_link_out(site: &TestSite) -> Held {
    let path = first("events.jsonl");
    site.write("elsewhere.jsonl", site.bytes(&path))
        .unannotated()
        .remove(&path);
    symlink(site.path("elsewhere.jsonl"), site.path(&path)).expect("a link");
    Vec::new()
}

fn linked_folder(site: &TestSite) -> Held {
    site.write("archive/old/run-record.json", "{}");
    symlink(site.path("archive"), site.path("content/runs/old")).expect("a link");
    Vec::new()
}

fn foreign_output(site: &TestSite) -> Held {
    site.write("public/letter.txt", "mine");
    Vec::new()
}

fn locked_output(site: &TestSite) -> Held {
    site.publish();
    let marker = File::open(site.path("public/.runpress")).expect("a marker");
    marker.lock().expect("a lock");
    // A build without changes writes nothing.
    site.write("content/pages/more.md", "More.\n");
    vec![marker]
}

fn file_in_the_way(site: &TestSite) -> Held {
    site.write("way", "a file where a folder should be");
    Vec::new()
}

fn all() -> Vec<&'static str> {
    // No input triggers an internal error: a panic would be fixed. The tests of `pipeline::memory` cover it.
    let names = codes::all().map(|code| code.name);
    names
        .filter(|code| *code != "content.internal-error")
        .collect()
}

/// The output of the binary for the fixture of a code, and its exit status.
struct Console {
    code: &'static str,
    status: i32,
    stdout: String,
    text: String,
}

/// The output for each code. Runs the binary once per code, on all cores.
static CONSOLES: LazyLock<Vec<Console>> =
    LazyLock::new(|| all().into_par_iter().map(console).collect());

fn console(code: &'static str) -> Console {
    let mut site = TestSite::base();
    let overlay = fixture("codes").join(code);
    if overlay.is_dir() {
        site = site.overlay(&overlay);
    }
    let set = set(code);
    let held = (set.prepare)(&site);
    let ran = site.runpress(set.arguments);
    drop(held);
    let status = ran.status.unwrap_or(-1);
    Console {
        code,
        status,
        stdout: ran.stdout,
        text: format!(
            "$ runpress {}\n{}exit status {status}\n",
            set.arguments.join(" "),
            redacted(&site, &ran.stderr)
        ),
    }
}

#[test]
fn every_code_has_a_fixture_that_gives_it_and_a_snapshot_of_what_is_printed() {
    let mut failures = Vec::new();
    for console in CONSOLES.iter() {
        let (code, text) = (console.code, &console.text);
        let result = catch_unwind(AssertUnwindSafe(|| {
            assert_eq!(
                console.stdout, "",
                "{code}: nothing belongs on standard output"
            );
            let is_given = text.contains(&format!("[{code}]"));
            assert!(is_given, "the fixture of {code} does not give it:\n{text}");
            assert_eq!(
                console.status,
                set(code).status,
                "exit status of {code}:\n{text}"
            );
            assert_snapshot("codes", code, text);
        }));
        if result.is_err() {
            failures.push(code);
        }
    }
    assert!(failures.is_empty(), "see above: {failures:?}");
}

#[test]
fn a_fixture_gives_no_error_but_its_own() {
    for Console { code, text, .. } in CONSOLES.iter() {
        let problems = text.lines().filter_map(|line| {
            line.strip_prefix("error[")
                .or_else(|| line.strip_prefix("warning["))
        });
        let mut others: BTreeSet<&str> =
            problems.filter_map(|rest| rest.split(']').next()).collect();
        others.remove(code);
        // Only reported together with the mismatch that it explains.
        if *code == "annotation.stale-target" {
            others.remove("annotation.tape-digest-mismatch");
        }
        assert!(others.is_empty(), "{code} also gives {others:?}:\n{text}");
    }
}

#[test]
fn every_fixture_and_every_snapshot_belongs_to_a_code_that_exists() {
    let codes: BTreeSet<&str> = all().into_iter().collect();
    for folder in ["codes", "../snapshots/codes"] {
        for entry in fs::read_dir(fixture(folder)).expect("a folder") {
            let name = entry
                .expect("an entry")
                .file_name()
                .into_string()
                .expect("UTF-8");
            let code = name.trim_end_matches(".new").trim_end_matches(".snap");
            assert!(codes.contains(code), "{folder}/{name} is of no code");
        }
    }
}

/// The output of `runpress explain` for each code.
static EXPLANATIONS: LazyLock<Vec<(&'static Code, Ran)>> = LazyLock::new(|| {
    let codes: Vec<_> = codes::all().collect();
    let explain =
        |code: &'static Code| (code, runpress_in(Path::new("."), &["explain", code.name]));
    codes.into_par_iter().map(explain).collect()
});

#[test]
fn every_code_is_explained_with_a_bad_and_a_good_example() {
    for (code, ran) in EXPLANATIONS.iter() {
        assert_eq!(ran.status, Some(0));
        for part in [code.name, code.explanation, "Bad:", "Good:"] {
            ran.prints(part);
        }
        let is_trimmed = ran.stdout.lines().all(|line| line.trim_end() == line);
        assert!(
            is_trimmed,
            "{}: white space at the end of a line",
            code.name
        );
    }
}

#[test]
fn the_bad_example_of_a_missing_slot_misses_a_slot() {
    let site = TestSite::base();
    let bad = codes::find("template.missing-slot").expect("the code").bad;
    let shell = format!("<!doctype html><html lang=\"en\"><head>{{{{ head }}}}</head>{bad}</html>");
    site.write("templates/shell.html", shell);
    site.runpress("check").says("template.missing-slot");
}
