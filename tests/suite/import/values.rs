//! What `runpress import` reads as it was recorded: every sample of an archive, decimal sums, infinite scores.

use serde_json::{Value, json};

use crate::support::{Ran, TestSite, codes, fixture};

fn report(site: &TestSite, paths: &[&str], more: &[&str]) -> (Ran, Value) {
    let mut arguments = vec!["import"];
    arguments.extend(paths);
    arguments.extend(["--report", "json"]);
    arguments.extend(more);
    let ran = site.runpress(&arguments);
    let report = serde_json::from_str(&ran.stdout).unwrap_or_default();
    (ran, report)
}

fn case(name: &str) -> String {
    let path = fixture("cases").join(name);
    path.to_str().expect("UTF-8").to_owned()
}

#[test]
fn samples_whose_ids_are_paths_are_runs() {
    let site = TestSite::empty();
    for (file, scores) in [
        ("some.eval", &["C", "C", "I"][..]),
        ("all.eval", &["C", "I"]),
    ] {
        let path = case(&format!("inspect-ids-with-slash/{file}"));
        let (ran, report) = report(&site, &[&path], &["--dry-run"]);
        assert_eq!(ran.status, Some(0), "{}", ran.stderr);
        let runs = report["runs"].as_array().expect("runs");
        let mut found: Vec<&str> = runs
            .iter()
            .map(|run| run["outcomes"][0]["value"].as_str().expect("a score"))
            .collect();
        found.sort_unstable();
        assert_eq!(found, scores, "{file}");
        assert_eq!(
            (&report["failed"], &report["skipped"]),
            (&json!([]), &json!([]))
        );
    }
    let path = case("inspect-ids-with-slash/some.eval");
    site.runpress(&["import", &path]);
    assert_eq!(site.publish().blocking, 0);
    let runs = site.json("feeds/runs.json");
    assert_eq!(runs["runs"].as_array().map(Vec::len), Some(3));
}

#[test]
fn a_sum_of_decimals_is_decimal_in_record_pages_and_feeds() {
    let site = TestSite::empty();
    let usage =
        |cost: &str| format!("{{\"input_tokens\":5,\"output_tokens\":2,\"total_cost\":{cost}}}");
    let log = format!(
        "{{\"version\":2,\"status\":\"success\",\"eval\":{{\"task\":\"sums\",\"model\":\"a/b\",\"packages\":{{}}}},\"samples\":[{{\"id\":\"x\",\"epoch\":1,\"uuid\":\"u1\",\"scores\":{{\"s\":{{\"value\":Infinity}},\"t\":{{\"value\":NaN}}}},\"model_usage\":{{\"a/b\":{},\"a/c\":{}}},\"started_at\":\"2026-03-01T10:00:00+00:00\",\"completed_at\":\"2026-03-01T10:00:09+00:00\"}}]}}",
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
    let mut runs = report["runs"].as_array().expect("runs").iter();
    let run = runs.find(|run| run["format"] == "inspect");
    let folder = run.expect("a run")["folder"].as_str().expect("a folder");
    let record: Value =
        serde_json::from_str(&site.text(&format!("content/runs/{folder}/run-record.json")))
            .expect("JSON");
    assert_eq!(
        record["outcomes"],
        json!([
            {"name": "s", "value": "Infinity", "kind": "score"},
            {"name": "t", "value": null, "kind": "score", "reason": "unscored"},
        ])
    );
}

#[test]
fn a_conversation_with_another_agent_shows_its_last_state() {
    let site = TestSite::empty();
    let path = case("openhands-acp");
    let (ran, report) = report(&site, &[&path], &["--case", "x"]);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    let run = &report["runs"][0];
    assert_eq!(
        (&run["toolCalls"], &run["failedCalls"]),
        (&json!(3), &json!(1))
    );
    assert_eq!(codes(&site.publish()), [""; 0]);
    let folder = run["folder"].as_str().expect("a folder");
    let trace = site.text(&format!("content/runs/{folder}/import.trace.jsonl"));
    for part in [
        r#""name":"`npm test`""#,
        r#""command":"ls -la""#,
        r#""type":"edit","#,
        r#""path":"./paddle.ts""#,
    ] {
        assert!(trace.contains(part), "{part}: {trace}");
    }
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
