//! `runpress import` on the command line: what it writes, refuses, reports and advises.

use std::fs;

use serde_json::{Value, json};

use crate::support::{Ran, TestSite, codes, described, fixture};

const SESSION: &str = "7d9f0c52-0000-4000-8000-0000000000ff";

/// A Claude Code session: a question, a failed call, an answer.
fn session() -> Vec<Value> {
    let row = |uuid: &str, second: u8, more: Value| {
        let mut row = json!({
            "uuid": uuid, "sessionId": SESSION, "cwd": "/Users/ana.lopez/code/app", "version": "2.1.0",
            "timestamp": format!("2026-03-01T10:00:0{second}.000Z"),
        });
        let more = more.as_object().expect("an object").clone();
        row.as_object_mut().expect("an object").extend(more);
        row
    };
    let said = |content: Value| {
        json!({
            "role": "assistant", "id": format!("msg_{}", content[0]["type"]), "model": "claude-x", "content": content,
            "usage": {"input_tokens": 5, "output_tokens": 7, "cache_read_input_tokens": 11},
        })
    };
    vec![
        row(
            "u1",
            1,
            json!({"type": "user", "parentUuid": null, "message": {"role": "user",
                "content": "Fix /Users/ana.lopez/code/app/src/a.rs, says ana.lopez@example.org <script>alert(1)</script>"}}),
        ),
        row(
            "u2",
            2,
            json!({"type": "assistant", "parentUuid": "u1", "message": said(json!([{"type": "tool_use", "id": "t1",
                "name": "Bash", "input": {"command": "cat /Users/ana.lopez/.netrc"}}]))}),
        ),
        row(
            "u3",
            3,
            json!({"type": "user", "parentUuid": "u2", "message": {"role": "user", "content": [{"type": "tool_result",
                "tool_use_id": "t1", "is_error": true, "content": "ana.lopez: permission denied"}]}}),
        ),
        row(
            "u4",
            4,
            json!({"type": "assistant", "parentUuid": "u3", "message": said(json!([{"type": "text", "text": "I cannot."}]))}),
        ),
    ]
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

fn import(site: &TestSite, more: &[&str]) -> Ran {
    let log = site.path(&format!("logs/{SESSION}.jsonl"));
    let mut arguments = vec!["import", log.to_str().expect("UTF-8")];
    arguments.extend(more);
    site.runpress(&arguments)
}

#[test]
fn a_log_becomes_a_run_that_checks_and_builds_without_names_and_paths() {
    let site = site();
    let ran = import(&site, &["--case", "fix a"]);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("imported  fix-a-7d9f0c52"),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.contains("1 run imported in"), "{}", ran.stderr);
    let outcome = site.publish();
    assert_eq!(codes(&outcome), [""; 0]);
    for (path, bytes) in &site.published() {
        let text = String::from_utf8_lossy(bytes);
        for private in ["ana.lopez", "/Users/", "code/app"] {
            assert!(!text.contains(private), "{private} in {path}");
        }
        let is_page = path.ends_with(".html");
        assert!(!is_page || !text.contains("<script>alert"), "{path}");
    }
    let trace = site.text(&format!("{RUN}/import.trace.jsonl"));
    assert!(trace.contains("Fix ./src/a.rs, says user@host"), "{trace}");
    assert!(trace.contains("cat ~/.netrc"), "{trace}");
    let record: Value =
        serde_json::from_str(&site.text(&format!("{RUN}/run-record.json"))).expect("JSON");
    assert_eq!(record["id"], SESSION);
    assert_eq!(record["import"]["withheld"]["absolutePaths"], 2);
    assert_eq!(
        record["import"]["sources"][0]["name"],
        format!("{SESSION}.jsonl")
    );
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
    assert_eq!(import(&site, &["--case", "fix a"]).status, Some(0));
    let (root, out) = (site.path("."), site.path("other"));
    let [root, out] = [&root, &out].map(|path| path.to_str().expect("UTF-8"));
    let ran = site.runpress(&["import", root, "--case", "fix a", "--out", out]);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    assert_eq!(files("content/runs"), files("other"));
}

#[test]
fn a_log_that_grew_is_refused_without_update_and_other_files_stay() {
    let site = site();
    assert_eq!(import(&site, &["--case", "fix a"]).status, Some(0));
    let before = site.text(&format!("{RUN}/import.trace.jsonl"));
    let ran = import(&site, &["--case", "fix a"]);
    assert!(
        ran.stderr.contains("unchanged fix-a-7d9f0c52"),
        "{}",
        ran.stderr
    );
    site.write(&format!("{RUN}/writeup.md"), "Mine.\n");
    let record = site.text(&format!("{RUN}/run-record.json"));
    let record = record.replacen('{', "{\n  \"publishedAt\": \"2026-04-01T00:00:00Z\",", 1);
    site.write(&format!("{RUN}/run-record.json"), record);
    let mut rows = session();
    let mut last = rows[3].clone();
    last["uuid"] = json!("u5");
    last["parentUuid"] = json!("u4");
    last["timestamp"] = json!("2026-03-01T11:00:00.000Z");
    last["message"]["id"] = json!("msg_5");
    last["message"]["content"][0]["text"] = json!("Now I can.");
    rows.push(last);
    site.write(&format!("logs/{SESSION}.jsonl"), lines(&rows));
    let ran = import(&site, &["--case", "fix a"]);
    assert_eq!(ran.status, Some(1));
    assert!(
        ran.stderr.contains("imported before, with other content"),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.contains("--update"), "{}", ran.stderr);
    assert_eq!(site.text(&format!("{RUN}/import.trace.jsonl")), before);
    let dry = import(&site, &["--case", "fix a", "--update", "--dry-run"]);
    assert!(dry.stderr.contains("changed"), "{}", dry.stderr);
    assert_eq!(site.text(&format!("{RUN}/import.trace.jsonl")), before);
    let ran = import(&site, &["--case", "fix a", "--update"]);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("events stayed as they were"),
        "{}",
        ran.stderr
    );
    let after = site.text(&format!("{RUN}/import.trace.jsonl"));
    assert!(after.contains("Now I can."), "{after}");
    assert_eq!(site.text(&format!("{RUN}/writeup.md")), "Mine.\n");
    assert!(
        site.text(&format!("{RUN}/run-record.json"))
            .contains("\"publishedAt\"")
    );
}

#[test]
fn what_cannot_be_imported_is_reported_and_does_not_stop_the_others() {
    let site = site();
    site.write("logs/notes.txt", "just words\n");
    site.write(
        "logs/half.json",
        "{\"schema_version\":\"ATIF-v1.7\",\"steps\":[",
    );
    let logs = site.path("logs");
    let logs = logs.to_str().expect("UTF-8");
    let ran = site.runpress(&["import", logs, "/nowhere/log.jsonl"]);
    assert_eq!(ran.status, Some(1));
    assert!(
        ran.stderr.contains("The source names no case"),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.contains("--case NAME"), "{}", ran.stderr);
    assert!(ran.stderr.contains("/nowhere/log.jsonl"), "{}", ran.stderr);
    assert!(ran.stderr.contains("Skipped 2 files"), "{}", ran.stderr);
    let ran = site.runpress(&["import", "/nowhere", logs, "--case", "fix a"]);
    assert_eq!(ran.status, Some(1));
    assert!(site.path(RUN).is_dir());
    let ran = import(&site, &["--format", "nothing"]);
    assert_eq!(ran.status, Some(2), "{}", ran.stderr);
    let ran = import(&site, &["--keep", "everything"]);
    assert_eq!(ran.status, Some(2), "{}", ran.stderr);
}

#[test]
fn the_report_for_programs_has_the_counts_of_every_run_and_what_failed() {
    let site = site();
    site.write("logs/notes.txt", "just words\n");
    let logs = site.path("logs");
    let logs = logs.to_str().expect("UTF-8");
    let ran = site.runpress(&[
        "import",
        logs,
        "--case",
        "fix a",
        "--dry-run",
        "--report",
        "json",
    ]);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    assert!(!site.path(RUN).exists());
    let report: Value = serde_json::from_str(&ran.stdout).expect("JSON");
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
    let path = fixture("import").join("swe-agent/networking_1.traj");
    let path = path.to_str().expect("UTF-8");
    let ran = site.runpress(&["import", path, "--case", "a", "--out", "content/runs/a"]);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    assert_eq!(site.check().blocking, 0);
    let folder = site.path("content/runs/a");
    let folder = fs::read_dir(folder).expect("a folder").next();
    let folder = folder.expect("a run").expect("a run").path();
    let text = fs::read_to_string(folder.join("run-record.json")).expect("a record");
    let half = text.replacen("\"import\": {", "\"import\": { \"\\ud83d\": 1,", 1);
    assert_ne!(half, text);
    fs::write(folder.join("run-record.json"), half).expect("a file");
    let outcome = site.check();
    assert!(outcome.blocking > 0, "{:?}", described(&outcome));
}

#[test]
fn a_run_without_a_time_comes_last_and_every_feed_has_it() {
    let site = site();
    assert_eq!(import(&site, &["--case", "fix a"]).status, Some(0));
    for sample in ["swe-agent/networking_1.traj", "openhands/v0-basic.json"] {
        let path = fixture("import").join(sample);
        let ran = site.runpress(&["import", path.to_str().expect("UTF-8"), "--case", "later"]);
        assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    }
    let outcome = site.publish();
    assert_eq!(codes(&outcome), [""; 0]);
    let cards = site.json("feeds/runs.json");
    let finished = cards["runs"].as_array().expect("runs").iter();
    let finished: Vec<&Value> = finished.map(|card| &card["finishedAt"]).collect();
    assert_eq!(finished.len(), 3);
    assert!(
        !finished[0].is_null() && finished[1].is_null() && finished[2].is_null(),
        "{finished:?}"
    );
    assert_eq!(site.text("public/feeds/runs.csv").lines().count(), 4);
    let items = site.json("feeds/feed.json");
    assert_eq!(items["items"].as_array().map(Vec::len), Some(3));
    assert_eq!(items["items"][2].get("date_published"), None);
    let list = site.page("runs/index.html").texts("td.nowrap");
    assert_eq!(list[1..], ["unknown", "unknown"]);
    let problems = crate::crawl::problems(&site.published());
    assert_eq!(problems, [""; 0]);
}

#[test]
fn every_sample_becomes_runs_that_build_without_errors() {
    let site = TestSite::empty();
    for folder in ["import", "cases"] {
        let path = fixture(folder);
        site.runpress(&["import", path.to_str().expect("UTF-8"), "--case", "x"]);
    }
    let runs = fs::read_dir(site.path("content/runs")).expect("a folder");
    assert!(runs.count() > 60);
    let outcome = site.publish();
    assert_eq!(outcome.blocking, 0, "{:?}", described(&outcome));
}

fn report(site: &TestSite, paths: &[&str], more: &[&str]) -> (Ran, Value) {
    let mut arguments = vec!["import"];
    arguments.extend(paths);
    arguments.extend(["--report", "json"]);
    arguments.extend(more);
    let ran = site.runpress(&arguments);
    let report = serde_json::from_str(&ran.stdout).unwrap_or_default();
    (ran, report)
}

#[test]
fn a_sum_of_decimals_is_decimal_in_record_pages_and_feeds() {
    let site = TestSite::empty();
    let usage =
        |cost: &str| format!("{{\"input_tokens\":5,\"output_tokens\":2,\"total_cost\":{cost}}}");
    let log = format!(
        "{{\"version\":2,\"status\":\"success\",\"eval\":{{\"task\":\"sums\",\"model\":\"a/b\",\"packages\":{{}}}},\"samples\":[{{\"id\":\"x\",\"epoch\":1,\"uuid\":\"u1\",\"model_usage\":{{\"a/b\":{},\"a/c\":{}}},\"started_at\":\"2026-03-01T10:00:00+00:00\",\"completed_at\":\"2026-03-01T10:00:09+00:00\"}}]}}",
        usage("0.1"),
        usage("0.2")
    );
    site.write("logs/a.json", log);
    let step = |cost: &str, id: u8| {
        format!(
            "{{\"step_id\":{id},\"source\":\"agent\",\"message\":\"m\",\"metrics\":{{\"prompt_tokens\":5,\"completion_tokens\":2,\"cost_usd\":{cost}}}}}"
        )
    };
    let trajectory = format!(
        "{{\"schema_version\":\"ATIF-v1.7\",\"session_id\":\"s\",\"agent\":{{\"name\":\"a\",\"version\":\"1\",\"model_name\":\"m\"}},\"steps\":[{},{}]}}",
        step("0.1", 1),
        step("0.2", 2)
    );
    site.write("logs/b.json", trajectory);
    let logs = site.path("logs");
    let logs = logs.to_str().expect("UTF-8").to_owned();
    let (ran, report) = report(&site, &[&logs], &["--case", "sums"]);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    for run in report["runs"].as_array().expect("runs") {
        assert_eq!(run["cost"].to_string(), "0.3", "{run}");
    }
    assert_eq!(codes(&site.publish()), [""; 0]);
    for (path, bytes) in site.published() {
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains("0.30000000000000004"), "{path}");
    }
    let csv = site.text("public/feeds/runs.csv");
    assert_eq!(csv.matches(",0.3,").count(), 2, "{csv}");
}

#[test]
fn times_with_any_number_of_digits_are_kept() {
    let site = TestSite::empty();
    let row = |time: &str, text: &str| {
        format!(
            "{{\"type\":\"user\",\"uuid\":\"{text}\",\"sessionId\":\"7d9f0c52-0000-4000-8000-0000000000fe\",\"timestamp\":\"{time}\",\"message\":{{\"role\":\"user\",\"content\":\"{text}\"}}}}\n"
        )
    };
    let log = row("2026-03-01T10:00:00.1234567890123Z", "a") + &row("9999-12-31T23:59:00Z", "b");
    site.write("logs/a.jsonl", log);
    let log = site.path("logs/a.jsonl");
    let (ran, report) = report(&site, &[log.to_str().expect("UTF-8")], &["--case", "x"]);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    let run = &report["runs"][0];
    assert_eq!(run["started"], "2026-03-01T10:00:00.1234567890123Z");
    assert_eq!(run["finished"], "9999-12-31T23:59:00Z");
    assert_eq!(codes(&site.publish()), [""; 0]);
}

fn printed(name: &str) -> String {
    let path = fixture("cases").join("printed-sessions").join(name);
    path.to_str().expect("UTF-8").to_owned()
}

#[test]
fn what_a_program_printed_is_named_with_the_place_of_its_log_whatever_format_is_named() {
    let site = TestSite::empty();
    for (file, format, words) in [
        (
            "codex-exec.jsonl",
            "codex",
            [
                "`codex exec --json` printed",
                "~/.codex/sessions/**/rollout-*019f9000-3333-7000-8000-00000000cc01.jsonl",
            ],
        ),
        (
            "result.json",
            "claude-code",
            [
                "`claude -p --output-format json` printed",
                "~/.claude/projects/*/5d000000-0000-4000-8000-000000000201.jsonl",
            ],
        ),
    ] {
        let path = printed(file);
        for more in [&[][..], &["--format", format], &["--format", "atif"]] {
            let ran = site.runpress(&[&["import", &path, "--case", "x"], more].concat());
            assert_eq!(ran.status, Some(1), "{}", ran.stderr);
            for words in words {
                assert!(ran.stderr.contains(words), "{words}: {}", ran.stderr);
            }
            assert!(!ran.stderr.contains("Name the format"), "{}", ran.stderr);
        }
    }
}

#[test]
fn a_named_format_that_does_not_fit_leads_back_to_the_recognized_one() {
    let site = TestSite::empty();
    site.write("logs/a.jsonl", "{\"a\":1}\n{\"b\":2}\n");
    let path = site.path("logs/a.jsonl");
    let path = path.to_str().expect("UTF-8");
    let ran = site.runpress(&["import", path, "--case", "x"]);
    assert!(
        ran.stderr.contains("runpress import --list"),
        "{}",
        ran.stderr
    );
    assert!(!ran.stderr.contains("--format"), "{}", ran.stderr);
    for format in ["codex", "atif"] {
        let ran = site.runpress(&["import", path, "--case", "x", "--format", format]);
        assert_eq!(ran.status, Some(1));
        assert!(!ran.stderr.contains("Name the format"), "{}", ran.stderr);
    }
}

#[test]
fn a_log_in_utf_16_is_read_and_its_digest_is_that_of_the_file() {
    let path = printed("utf-16.jsonl");
    let bytes = std::fs::read(&path).expect("a log");
    let site = TestSite::empty();
    for more in [&[][..], &["--format", "claude-code", "--update"]] {
        let ran = site.runpress(&[&["import", &path, "--case", "x"], more].concat());
        assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    }
    let folder = std::fs::read_dir(site.path("content/runs"))
        .expect("a folder")
        .next();
    let folder = folder.expect("a run").expect("a run").path();
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("a file");
    let trace = read("import.trace.jsonl");
    assert!(trace.contains("Grüße aus Köln."), "{trace}");
    assert!(trace.contains("\"line\":2"), "{trace}");
    let record: Value = serde_json::from_str(&read("run-record.json")).expect("JSON");
    let source = &record["import"]["sources"][0];
    assert_eq!(source["bytes"], bytes.len());
    assert_eq!(source["blake3"], blake3::hash(&bytes).to_hex().as_str());
}
