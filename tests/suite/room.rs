//! Limits of a single run: on its page, the shared tables, the disk and memory. All other runs are always published.

use std::fmt::Write as _;

use serde_json::json;

use crate::crawl::problems;
use crate::support::{
    FIRST_SLUG, Run, TAPE_HEADER, TestSite, annotation, codes, contains, described, each, entries,
    event, lines, message, messages, tape_record, words,
};

/// A site with one good run, and the base run, which is broken.
fn beside_a_good_run(settings: &str) -> TestSite {
    let site = TestSite::base();
    site.write("site.toml", settings);
    site.run("good", &Run::new("0000000a-1"));
    site
}

/// Builds with `--keep-going` and returns the codes. Asserts that only the good run is published.
fn quarantined(site: &TestSite) -> Vec<&'static str> {
    let outcome = site.keep_going();
    assert_eq!((outcome.runs, outcome.quarantined), (1, 1));
    site.page("runs/index.html").says("0000000a");
    codes(&outcome)
}

#[test]
fn content_that_grows_when_it_is_escaped_takes_four_times_the_limit_at_most() {
    let limit = 4_096;
    for (name, text) in [
        ("controls", "\\u0001".repeat(limit)),
        ("marks", "\\u202e".repeat(limit)),
        ("markup", "<".repeat(limit)),
        ("colors", "\\u001b[1mx\\u001b[31my".repeat(limit / 11)),
        (
            "additions",
            format!("@@ -1,1 +1,4096 @@\\n{}", "+\\n".repeat(limit / 2)),
        ),
    ] {
        let site = TestSite::base();
        site.write("site.toml", format!("[limits]\ninline = {limit}\n"));
        let log = |text: &str| event(0, "agent", &format!("\"message\":\"{text}\"")) + "\n";
        site.log(log("x")).publish();
        let empty = site.first_text("index.html").len();
        site.log(log(&text)).publish();
        let more = site.first_text("index.html").len() - empty;
        // The summary of a fold repeats 120 characters of it.
        assert!(more < 4 * limit + 4_000, "{name}: {more}");
        // What is cut is in a file.
        let rest = site.first_page().texts("p.rest a");
        let whole = site.is_published(&format!("runs/{FIRST_SLUG}/text/e-0.txt"));
        assert_eq!(rest.len() == 1, whole, "{name}");
        assert_eq!(problems(&site.published()), [""; 0], "{name}");
    }
}

/// A tape of calls that were answered by the same payload.
pub(crate) fn answers(count: u64, hash: &str, bytes: usize) -> String {
    let response = format!(r#"{{"content_hash":"{hash}","len_bytes":{bytes}}}"#);
    let call = format!(r#"{{"kind":"llm_call","request_digest":"r","response":{response}}}"#);
    let calls: Vec<String> = (0..count).map(|seq| tape_record(seq, &call)).collect();
    format!("{TAPE_HEADER}\n{}", lines(&calls))
}

#[test]
fn a_payload_that_events_share_is_shown_once_and_only_its_beginning_again() {
    let site = TestSite::base();
    site.write("site.toml", "[timeline]\npage_size = 3\n");
    let payload = "shared, ".repeat(500);
    let hash = blake3::hash(payload.as_bytes()).to_hex().to_string();
    site.write_first("run.tape", answers(6, &hash, payload.len()));
    site.write_first(&format!("run.tape.cas/{hash}"), &payload);
    assert_eq!(codes(&site.publish()), [""; 0]);
    let sizes = |page: &crate::support::Page| -> Vec<usize> {
        let found = page.all("[id^='run.e-'] .md");
        found.into_iter().map(|pre| words(pre).len()).collect()
    };
    let first = sizes(&site.first_page());
    assert_eq!((first.len(), first[0]), (3, payload.trim().len()));
    assert!(first[1..].iter().all(|size| *size <= 1_000), "{first:?}");
    let second = site.page(&format!("runs/{FIRST_SLUG}/events/run/2/index.html"));
    assert!(sizes(&second).iter().all(|size| *size <= 1_000));
    assert_eq!(site.first_text(&format!("text/{hash}.txt")), payload);
    assert_eq!(problems(&site.published()), [""; 0]);
}

/// Review threads about the first line of a file.
fn threads(count: usize, text: &str) -> String {
    let thread = |index: usize| {
        json!({
            "id": format!("t-{index}"), "turnId": "1", "resource": "file:///workspace/a.js", "resolved": false,
            "range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}},
            "entries": [{"id": "e", "text": text}],
        })
    };
    json!({"annotations": (0..count).map(thread).collect::<Vec<_>>()}).to_string()
}

#[test]
fn threads_about_one_long_line_show_its_beginning() {
    let site = TestSite::base();
    site.write_first("implementation/a.js", "x".repeat(200_000));
    site.write_first("annotations.json", threads(20, "Why?"));
    assert_eq!(codes(&site.publish()), [""; 0]);
    let shown = site.first_page().texts("div.thread pre");
    assert_eq!(shown, vec![format!("1 {}…", "x".repeat(300)); 20]);
}

#[test]
fn threads_that_a_page_has_no_room_for_are_counted_and_are_whole_in_run_json() {
    let site = TestSite::base();
    site.settings("[limits]\npage = \"64 KiB\"\ninline = \"1 KiB\"");
    site.write_first("implementation/a.js", "x\n");
    let long = "\"".repeat(3_000);
    site.write_first("annotations.json", threads(40, &long));
    assert_eq!(codes(&site.publish()), [""; 0]);
    let page = site.first_page();
    let shown = page.all("div.thread").len();
    assert!((2..=4).contains(&shown), "{shown}");
    let more = format!("{} more threads", 40 - shown);
    page.says(&more);
    page.says("The text continues in run.json");
    let run = site.first_run();
    let entries = each(&run["threads"]["annotations"], "entries").into_iter();
    assert!(entries.clone().all(|entries| entries[0]["text"] == *long));
    assert_eq!(entries.count(), 40);
}

#[test]
fn a_table_has_columns_for_50_checks_and_counts_the_others() {
    let site = TestSite::empty();
    let checks: Vec<_> = (0..2_000)
        .map(|n| json!({"view": format!("v-{n}"), "name": format!("View {n}"), "reached": n != 3, "similarity": 0.5,
            "detail": if n == 3 { "far ".repeat(1_000).into() } else { serde_json::Value::Null }}))
        .collect();
    site.run_with("many", &Run::new("0000000a-1"), |record| {
        record["validation"]["checks"] = checks.into();
    });
    site.run("b", &Run::new("0000000b-1"));
    site.publish();
    let page = site.page("cases/pong/index.html");
    assert_eq!(page.all("th.check").len(), 50);
    page.says("1,951 more checks");
    for page in ["cases/pong", "models/sample-lark-1", "harnesses/codex"] {
        let page = site.page(&format!("{page}/index.html"));
        let titles = page.attrs("abbr[title]", "title");
        assert!(titles.iter().all(|title| title.len() < 400));
    }
    // The page of the run has fewer checks, too, but the feeds have all of them.
    let run = site.page("runs/pong-codex-sample-lark-1-0000000a/index.html");
    run.says("1,000 more checks");
    let feed = site.json("feeds/runs.json");
    let checks = each(&feed["runs"], "checks").into_iter();
    assert_eq!(
        checks.map(|checks| entries(checks).len()).max(),
        Some(2_000)
    );
}

#[test]
fn a_page_past_the_limit_is_an_error_of_its_run_alone() {
    let site = beside_a_good_run("[limits]\npage = \"200 KiB\"\n");
    let evidence = format!("\"evidence\":\"{}\"", "word ".repeat(100));
    let notes = (0..500).map(|n| annotation(&format!("a-{n}"), 0, "note", &evidence));
    site.log(messages(1)).annotate(&notes.collect::<Vec<_>>());
    assert_eq!(codes(&site.check()), ["publish.page-too-large"]);
    assert!(!site.build().published);
    assert_eq!(quarantined(&site), ["publish.page-too-large"]);
}

/// A check makes no pages of a run that cannot exceed the limit; see `GROWTH` in `src/pipeline/run/files.rs`.
#[test]
fn pages_are_less_than_64_times_as_large_as_the_files_of_their_run() {
    let site = TestSite::base();
    // Each character gets a mark, and again in the source, which follows because of the link.
    let message = format!("[a](https://example.org/) {}", "\u{7f}".repeat(8_000));
    let log: Vec<String> = (0..50)
        .map(|n| crate::support::message(n, &message))
        .collect();
    let log = lines(&log);
    site.log(&log).publish();
    let page = site.first_text("index.html").len();
    assert!((16 * log.len()..64 * log.len()).contains(&page), "{page}");
}

#[test]
fn further_pages_of_a_tape_have_the_limit_of_a_page_too() {
    let site = beside_a_good_run("[limits]\npage = \"100 KiB\"\n[timeline]\npage_size = 2\n");
    let long = "<".repeat(40_000);
    let log = (0..10).map(|n| message(n, if n < 3 { "short" } else { &long }));
    site.log(lines(&log.collect::<Vec<_>>()));
    assert_eq!(quarantined(&site), ["publish.page-too-large"]);
}

#[test]
fn the_files_of_a_run_have_a_limit_together() {
    let site = beside_a_good_run("[limits]\nrun = \"60 KiB\"\n");
    let log = (0..20).map(|n| message(n, &"x".repeat(4_000)));
    site.log(lines(&log.collect::<Vec<_>>()));
    assert_eq!(quarantined(&site), ["publish.run-too-large"]);
}

/// Builds a site with a limit of memory, and returns what is printed.
fn built_within(kilobytes: u32, site: &TestSite, command: &str) -> String {
    let ran = std::process::Command::new("sh")
        .arg("-c")
        .arg(format!(
            "ulimit -d {kilobytes} && exec \"$0\" --root \"$1\" {command}"
        ))
        .arg(env!("CARGO_BIN_EXE_runpress"))
        .arg(site.root())
        .output()
        .expect("a shell");
    let said = [ran.stdout, ran.stderr].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    assert!(ran.status.success(), "{said}");
    said
}

/// A sparse file.
fn sparse(site: &TestSite, path: &str, bytes: u64) {
    site.write(path, "");
    let file = std::fs::OpenOptions::new()
        .write(true)
        .open(site.path(path))
        .expect("a file");
    file.set_len(bytes).expect("a size");
}

#[test]
#[ignore = "slow"]
fn files_of_a_gibibyte_are_refused_or_copied_in_half_of_that_memory() {
    let site = TestSite::empty();
    site.run("good", &Run::new("0000000a-1"));
    let mut bad = Vec::new();
    let files = "events.jsonl raw.jsonl run.tape events.jsonl.annotations.jsonl transcript.json annotations.json \
                 annotations.actions.jsonl writeup.md run-record.json";
    for (n, name) in files.split(' ').enumerate() {
        let folder = format!("bad-{n}");
        site.run(&folder, &Run::new(&format!("0000{n}000-1")));
        sparse(&site, &format!("content/runs/{folder}/{name}"), 1 << 30);
        bad.push(folder);
    }
    site.run("assets", &Run::new("0000000b-1"));
    sparse(&site, "content/runs/assets/assets/one.bin", 256 << 20);
    let asset = |n: usize| json!({"id": format!("a-{n}"), "visibility": "public", "storage": {"path": "assets/one.bin"}});
    let transcript = json!({
        "_type": "transcript", "version": 2, "messages": [{"role": "user", "content": "hello"}],
        "assets": (0..100).map(asset).collect::<Vec<_>>(),
    });
    site.write(
        "content/runs/assets/transcript.json",
        transcript.to_string(),
    );
    let told = built_within(524_288, &site, "build --jobs 2 --keep-going --report json");
    let runs = site.json("feeds/runs.json");
    assert_eq!(entries(&runs["runs"]).len(), 2, "{told}");
    for folder in bad {
        contains(&told, format!("runs/{folder}/"));
    }
    let assets = "runs/pong-codex-sample-lark-1-0000000b";
    let written =
        std::fs::read_dir(site.path(&format!("public/{assets}/assets"))).expect("a folder");
    let sizes: Vec<u64> = written
        .map(|file| file.and_then(|file| file.metadata()).expect("a file").len())
        .collect();
    assert_eq!(sizes, [256 << 20], "assets that name one file share it");
    let run = site.json(&format!("{assets}/run.json"));
    let paths = each(&run["transcript"]["assets"], "path");
    assert_eq!(paths, [paths[0]; 100]);
}

#[test]
fn a_large_asset_is_searched_for_a_transcript_to_its_end_without_being_held() {
    let site = beside_a_good_run("[limits]\ndocument = \"8 KiB\"\n");
    let transcript = json!({
        "_type": "transcript", "version": 2, "messages": [],
        "assets": [{"id": "a", "visibility": "public", "storage": {"path": "assets/a.json"}}],
    });
    site.write_first("transcript.json", transcript.to_string());
    let words = "x".repeat(600_000);
    let document = format!("{{\"words\": \"{words}\"}}");
    site.write_first("assets/a.json", &document);
    assert_eq!(codes(&site.publish()), [""; 0]);
    let document = format!("{{\"words\": \"{words}\", \"_type\": \"transcript\"}}");
    site.write_first("assets/a.json", &document);
    assert_eq!(codes(&site.publish()), ["transcript.asset-withheld"]);
    let published = site.published();
    assert!(published.values().all(|bytes| bytes.len() < 600_000));
}

#[test]
fn a_conversation_that_a_page_has_no_room_for_is_counted_and_is_whole_in_run_json() {
    let site = TestSite::base();
    site.settings("[limits]\npage = \"64 KiB\"\ninline = \"1 KiB\"");
    let block = json!({"type": "text", "visibility": "public", "text": "\"".repeat(3_000)});
    let turn = json!({"role": "user", "content": vec![block; 8]});
    let transcript = json!({"_type": "transcript", "version": 2, "messages": vec![turn; 5]});
    site.write_first("transcript.json", transcript.to_string());
    assert_eq!(codes(&site.publish()), [""; 0]);
    let page = site.first_page();
    assert_eq!(page.all("ol.turns > li.turn").len(), 4);
    page.says("1 more turn");
    page.says("The text continues in run.json");
    assert_eq!(
        entries(&site.first_run()["transcript"]["messages"]).len(),
        5
    );
}

#[test]
fn the_lines_of_a_run_are_counted_over_all_of_its_files() {
    let site = beside_a_good_run("[limits]\nlines = 30\n");
    site.log(messages(20));
    let notes: Vec<String> = (0..20)
        .map(|n| annotation(&format!("a-{n}"), 0, "note", ""))
        .collect();
    site.annotate(&notes[..1]);
    assert_eq!(codes(&site.check()), [""; 0]);
    site.annotate(&notes);
    assert_eq!(quarantined(&site), ["content.too-many-lines"]);
}

#[test]
fn the_files_and_payloads_that_a_run_holds_in_memory_have_a_limit_together() {
    let settings = "[limits]\nmemory = \"60 KiB\"\n[policy]\nraw_audit = \"off\"\n";
    let site = beside_a_good_run(settings);
    // Read line by line.
    let line = "{\"stream\":\"stdout\",\"line\":\"building\"}\n";
    site.write_first("raw.jsonl", line.repeat(4_000));
    let mut tape = format!("{TAPE_HEADER}\n");
    let mut add = |n: u8| {
        let payload = vec![b'a' + n; 20 << 10];
        let hash = blake3::hash(&payload).to_hex();
        site.write_first(&format!("run.tape.cas/{hash}"), &payload);
        let call = json!({"kind": "llm_call", "request_digest": "r",
            "response": {"len_bytes": payload.len(), "content_hash": hash.as_str()}});
        let _ = writeln!(tape, "{}", tape_record(n.into(), &call.to_string()));
        site.write_first("run.tape", &tape);
    };
    add(0);
    add(1);
    assert_eq!(codes(&site.check()), [""; 0]);
    add(2);
    let found = quarantined(&site);
    // A refused file is not also reported as missing.
    assert_eq!(found, ["content.too-large"]);

    site.write("site.toml", settings.replace("60 KiB", "16 KiB"));
    site.remove_first("run.tape.cas").remove_first("run.tape");
    let text = json!({"_type": "transcript", "version": 2,
        "messages": [{"role": "user", "content": "x".repeat(15 << 10)}]});
    site.write_first("transcript.json", text.to_string());
    let outcome = site.check();
    assert_eq!(codes(&outcome), ["content.too-large"]);
    let message = described(&outcome).concat();
    contains(&message, " and other files of the run ");
    contains(&message, "; the limit for both is 16384");
}

#[test]
fn the_default_limits_leave_the_samples_of_this_repository_alone() {
    let codes = codes(&TestSite::demo().check());
    assert!(codes.iter().all(|code| !code.contains("too-")), "{codes:?}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_trace_of_100_results_of_a_mebibyte_needs_no_more_memory_than_such_an_event_log() {
    let text = "hello wo".repeat(1 << 17);
    let log = (0..100).map(|n| event(n, "agent", &format!("\"message\":\"{text}\"")));
    let mut trace = vec![r#"{"type":"trace","schemaVersion":1}"#.to_owned()];
    for n in 0..100 {
        trace.push(json!({"type": "tool_call", "name": "bash", "call": n.to_string()}).to_string());
        let result = json!({"type": "tool_result", "call": n.to_string(), "text": text});
        trace.push(result.to_string());
    }
    for (name, log) in [("events.jsonl", log.collect()), ("run.trace.jsonl", trace)] {
        let site = TestSite::empty();
        site.run("long", &Run::new("0000000a-1"));
        site.write(&format!("content/runs/long/{name}"), lines(&log));
        built_within(307_200, &site, "build --jobs 2");
    }
}
