//! `runpress import` on the command line: what it writes, refuses and reports.

use std::fs;

use serde_json::{Value, json};

use crate::support::{TestSite, codes, described, fixture};

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

fn import(site: &TestSite, more: &[&str]) -> crate::support::Ran {
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
