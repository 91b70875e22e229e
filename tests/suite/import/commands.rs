//! `runpress import` on the command line: what it writes, refuses, reports and advises.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::support::{
    Ran, TestSite, codes, contains, described, each, entries, fixture, lacks, parse, rows,
};

const SESSION: &str = "7d9f0c52-0000-4000-8000-0000000000ff";

/// A Claude Code session: a question, a failed call, an answer.
fn session() -> Vec<Value> {
    let said = |content: Value| {
        json!({
            "role": "assistant", "id": format!("msg_{}", content[0]["type"]), "model": "claude-x", "content": content,
            "usage": {"input_tokens": 5, "output_tokens": 7, "cache_read_input_tokens": 11},
        })
    };
    let messages = [
        json!({"role": "user", "content": "Fix /Users/ana.lopez/code/app/src/a.rs, says ana.lopez@example.org <script>alert(1)</script>"}),
        said(
            json!([{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "cat /Users/ana.lopez/.netrc"}}]),
        ),
        json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "is_error": true,
            "content": "ana.lopez: permission denied"}]}),
        said(json!([{"type": "text", "text": "I cannot."}])),
    ];
    let row = |(number, message): (usize, Value)| {
        json!({
            "type": message["role"], "uuid": format!("u{number}"), "sessionId": SESSION, "version": "2.1.0",
            "parentUuid": (number > 1).then(|| format!("u{}", number - 1)), "cwd": "/Users/ana.lopez/code/app",
            "timestamp": format!("2026-03-01T10:00:0{number}.000Z"), "message": message,
        })
    };
    (1..).zip(messages).map(row).collect()
}

fn lines(rows: &[Value]) -> String {
    rows.iter().map(|row| format!("{row}\n")).collect()
}

fn site() -> TestSite {
    let site = TestSite::empty();
    site.write(&format!("logs/{SESSION}.jsonl"), lines(&session()));
    site
}

const RUN: &str = "content/runs/fix-a-7d9f0c52";

fn import(site: &TestSite, more: &str) -> Ran {
    site.runpress(&format!("import logs/{SESSION}.jsonl {more}"))
}

/// The folder of the only run.
fn only_run(site: &TestSite, below: &str) -> PathBuf {
    let mut folders = fs::read_dir(site.path(below)).expect("a folder");
    folders.next().expect("a run").expect("a run").path()
}

#[test]
fn a_log_becomes_a_run_that_checks_and_builds_without_names_and_paths() {
    let site = site();
    let ran = import(&site, "--case 'fix a'").ok();
    ran.says("imported  fix-a-7d9f0c52")
        .says("1 run imported in");
    assert_eq!(codes(&site.publish()), [""; 0]);
    for (path, bytes) in &site.published() {
        let text = String::from_utf8_lossy(bytes);
        for private in ["ana.lopez", "/Users/", "code/app"] {
            assert!(!text.contains(private), "{private} in {path}");
        }
        let is_page = path.ends_with(".html");
        assert!(!is_page || !text.contains("<script>alert"), "{path}");
    }
    let trace = site.text(&format!("{RUN}/import.trace.jsonl"));
    contains(&trace, "Fix ./src/a.rs, says user@host");
    contains(&trace, "cat ~/.netrc");
    let record = parse(&site.text(&format!("{RUN}/run-record.json")));
    assert_eq!(record["id"], SESSION);
    assert_eq!(record["import"]["withheld"]["absolutePaths"], 2);
    let source = &record["import"]["sources"][0];
    assert_eq!(source["name"], format!("{SESSION}.jsonl"));
    assert_eq!(record.get("validation"), None);
    let cards = site.json("feeds/runs.json");
    let card = &cards["runs"][0];
    assert_eq!(card["validationLoaded"], Value::Null);
    assert_eq!(card["subject"]["testCaseVersion"], Value::Null);
}

#[test]
fn the_same_log_gives_the_same_bytes_from_a_file_and_from_a_folder_above_it() {
    let site = site();
    let files = |name: &str| {
        ["run-record.json", "import.trace.jsonl"]
            .map(|file| site.bytes(&format!("{name}/fix-a-7d9f0c52/{file}")))
    };
    import(&site, "--case 'fix a'").ok();
    site.runpress("import . --case 'fix a' --out other").ok();
    assert_eq!(files("content/runs"), files("other"));
}

#[test]
fn a_log_that_grew_is_refused_without_update_and_other_files_stay() {
    let site = site();
    let trace = || site.text(&format!("{RUN}/import.trace.jsonl"));
    let record = format!("{RUN}/run-record.json");
    import(&site, "--case 'fix a'").ok();
    let before = trace();
    import(&site, "--case 'fix a'").says("unchanged fix-a-7d9f0c52");
    site.write(&format!("{RUN}/writeup.md"), "Mine.\n");
    let published = "{\n  \"publishedAt\": \"2026-04-01T00:00:00Z\",";
    site.write(&record, site.text(&record).replacen('{', published, 1));
    let mut rows = session();
    let mut last = rows[3].clone();
    last["uuid"] = json!("u5");
    last["parentUuid"] = json!("u4");
    last["timestamp"] = json!("2026-03-01T11:00:00.000Z");
    last["message"]["id"] = json!("msg_5");
    last["message"]["content"][0]["text"] = json!("Now I can.");
    rows.push(last);
    site.write(&format!("logs/{SESSION}.jsonl"), lines(&rows));
    let ran = import(&site, "--case 'fix a'").exits(1);
    ran.says("imported before, with other content")
        .says("--update");
    assert_eq!(trace(), before);
    import(&site, "--case 'fix a' --update --dry-run").says("changed");
    assert_eq!(trace(), before);
    let ran = import(&site, "--case 'fix a' --update").ok();
    ran.says("events stayed as they were");
    contains(&trace(), "Now I can.");
    assert_eq!(site.text(&format!("{RUN}/writeup.md")), "Mine.\n");
    contains(&site.text(&record), "\"publishedAt\"");
}

#[test]
fn what_cannot_be_imported_is_reported_and_does_not_stop_the_others() {
    let site = site();
    site.write("logs/notes.txt", "just words\n").write(
        "logs/half.json",
        "{\"schema_version\":\"ATIF-v1.7\",\"steps\":[",
    );
    let ran = site.runpress("import logs /nowhere/log.jsonl").exits(1);
    ran.says("The source names no case").says("--case NAME");
    ran.says("/nowhere/log.jsonl").says("Skipped 2 files");
    site.runpress("import /nowhere logs --case 'fix a'")
        .exits(1);
    assert!(site.path(RUN).is_dir());
    import(&site, "--format nothing").exits(2);
    import(&site, "--keep everything").exits(2);
}

#[test]
fn the_report_for_programs_has_the_counts_of_every_run_and_what_failed() {
    let site = site();
    site.write("logs/notes.txt", "just words\n");
    let line = "import logs --case 'fix a' --dry-run --report json";
    let report = site.runpress(line).ok().json();
    assert!(!site.path(RUN).exists());
    let run = &report["runs"][0];
    for (key, expected) in [
        ("format", json!("claude-code")),
        ("folder", json!("fix-a-7d9f0c52")),
        ("result", json!("new")),
        ("messages", json!({"user": 1, "assistant": 1, "system": 0})),
        ("toolCalls", json!(1)),
        ("failedCalls", json!(1)),
        ("unanswered", json!(0)),
        ("started", json!("2026-03-01T10:00:01.000Z")),
    ] {
        assert_eq!(run[key], expected, "{key} in {run}");
    }
    assert_eq!(report["failed"], json!([]));
    assert_eq!(report["skipped"][0]["source"], "notes.txt");
}

#[test]
fn a_run_whose_import_cannot_be_read_is_never_left_out_in_silence() {
    let site = site();
    let log = fixture("import/swe-agent/networking_1.traj");
    site.runpress(&format!(
        "import {} --case a --out content/runs/a",
        log.display()
    ))
    .ok();
    assert_eq!(site.check().blocking, 0);
    let record = only_run(&site, "content/runs/a").join("run-record.json");
    let text = fs::read_to_string(&record).expect("a record");
    let half = text.replacen("\"import\": {", "\"import\": { \"\\ud83d\": 1,", 1);
    assert_ne!(half, text);
    fs::write(record, half).expect("a file");
    let outcome = site.check();
    assert!(outcome.blocking > 0, "{:?}", described(&outcome));
}

#[test]
fn a_run_without_a_time_comes_last_and_every_feed_has_it() {
    let site = site();
    import(&site, "--case 'fix a'").ok();
    for sample in ["swe-agent/networking_1.traj", "openhands/v0-basic.json"] {
        let path = fixture("import").join(sample);
        site.runpress(&format!("import {} --case later", path.display()))
            .ok();
    }
    assert_eq!(codes(&site.publish()), [""; 0]);
    let cards = site.json("feeds/runs.json");
    let finished = each(&cards["runs"], "finishedAt").into_iter();
    let is_known: Vec<bool> = finished.map(|end| !end.is_null()).collect();
    assert_eq!(is_known, [true, false, false]);
    assert_eq!(site.text("public/feeds/runs.csv").lines().count(), 4);
    let items = site.json("feeds/feed.json");
    assert_eq!(entries(&items["items"]).len(), 3);
    assert_eq!(items["items"][2].get("date_published"), None);
    let list = site.page("runs/index.html").texts("td.nowrap");
    assert_eq!(list[1..], ["unknown", "unknown"]);
    assert_eq!(crate::crawl::problems(&site.published()), [""; 0]);
}

#[test]
fn every_sample_becomes_runs_that_build_without_errors() {
    let site = TestSite::empty();
    for folder in ["import", "cases"] {
        site.runpress(&format!("import {} --case x", fixture(folder).display()));
    }
    let runs = fs::read_dir(site.path("content/runs")).expect("a folder");
    assert!(runs.count() > 60);
    let outcome = site.publish();
    assert_eq!(outcome.blocking, 0, "{:?}", described(&outcome));
}

#[test]
fn a_sum_of_decimals_is_decimal_in_record_pages_and_feeds() {
    let site = TestSite::empty();
    let usage = |cost: f64| json!({"input_tokens": 5, "output_tokens": 2, "total_cost": cost});
    let log = json!({"version": 2, "status": "success", "eval": {"task": "sums", "model": "a/b", "packages": {}}, "samples": [
        {"id": "x", "epoch": 1, "uuid": "u1", "model_usage": {"a/b": usage(0.1), "a/c": usage(0.2)},
         "started_at": "2026-03-01T10:00:00+00:00", "completed_at": "2026-03-01T10:00:09+00:00"}]});
    let step = |cost: f64, id: u8| {
        json!({"step_id": id, "source": "agent", "message": "m", "metrics":
        {"prompt_tokens": 5, "completion_tokens": 2, "cost_usd": cost}})
    };
    let agent = json!({"name": "a", "version": "1", "model_name": "m"});
    let trajectory = json!({"schema_version": "ATIF-v1.7", "session_id": "s", "agent": agent, "steps": [step(0.1, 1), step(0.2, 2)]});
    site.write("logs/a.json", log.to_string())
        .write("logs/b.json", trajectory.to_string());
    let report = site
        .runpress("import logs --report json --case sums")
        .ok()
        .json();
    for run in entries(&report["runs"]) {
        assert_eq!(run["cost"].to_string(), "0.3", "{run}");
    }
    assert_eq!(codes(&site.publish()), [""; 0]);
    assert_eq!(site.published_with("0.30000000000000004"), [""; 0]);
    let csv = site.text("public/feeds/runs.csv");
    assert_eq!(csv.matches(",0.3,").count(), 2, "{csv}");
}

#[test]
fn times_with_any_number_of_digits_are_kept() {
    let site = TestSite::empty();
    let times = ["2026-03-01T10:00:00.1234567890123Z", "9999-12-31T23:59:00Z"];
    let rows = times.map(|time| {
        json!({"type": "user", "uuid": time, "sessionId": "7d9f0c52-0000-4000-8000-0000000000fe", "timestamp": time,
            "message": {"role": "user", "content": time}})
    });
    site.write("logs/a.jsonl", lines(&rows));
    let report = site
        .runpress("import logs/a.jsonl --report json --case x")
        .ok()
        .json();
    let run = &report["runs"][0];
    assert_eq!([&run["started"], &run["finished"]], times);
    assert_eq!(codes(&site.publish()), [""; 0]);
}

fn printed(name: &str) -> String {
    fixture("cases/printed-sessions")
        .join(name)
        .display()
        .to_string()
}

#[test]
fn what_a_program_printed_is_named_with_the_place_of_its_log_whatever_format_is_named() {
    let site = TestSite::empty();
    for [file, format, words, place] in rows(
        "
codex-exec.jsonl | codex | `codex exec --json` printed | ~/.codex/sessions/**/rollout-*019f9000-3333-7000-8000-00000000cc01.jsonl
result.json | claude-code | `claude -p --output-format json` printed | ~/.claude/projects/*/5d000000-0000-4000-8000-000000000201.jsonl
",
    ) {
        let path = printed(file);
        for more in ["", &format!("--format {format}"), "--format atif"] {
            let ran = site.runpress(&format!("import {path} --case x {more}")).exits(1);
            ran.says(words).says(place);
            lacks(&ran.stderr, "Name the format");
        }
    }
}

#[test]
fn a_named_format_that_does_not_fit_leads_back_to_the_recognized_one() {
    let site = TestSite::empty();
    site.write("logs/a.jsonl", "{\"a\":1}\n{\"b\":2}\n");
    let ran = site.runpress("import logs/a.jsonl --case x");
    ran.says("runpress import --list");
    lacks(&ran.stderr, "--format");
    for format in ["codex", "atif"] {
        let ran = site.runpress(&format!("import logs/a.jsonl --case x --format {format}"));
        lacks(&ran.exits(1).stderr, "Name the format");
    }
}

#[test]
fn a_log_in_utf_16_is_read_and_its_digest_is_that_of_the_file() {
    let path = printed("utf-16.jsonl");
    let bytes = fs::read(&path).expect("a log");
    let site = TestSite::empty();
    for more in ["", "--format claude-code --update"] {
        site.runpress(&format!("import {path} --case x {more}"))
            .ok();
    }
    let folder = only_run(&site, "content/runs");
    let read = |name: &str| fs::read_to_string(folder.join(name)).expect("a file");
    let trace = read("import.trace.jsonl");
    contains(&trace, "Grüße aus Köln.");
    contains(&trace, "\"line\":2");
    let record = parse(&read("run-record.json"));
    let source = &record["import"]["sources"][0];
    assert_eq!(source["bytes"], bytes.len());
    assert_eq!(source["blake3"], blake3::hash(&bytes).to_hex().as_str());
}
