//! What `runpress import` reads from logs of Codex: threads in several files, finished items, token records, injected context
//! and counters of subagents.

use serde_json::{Value, json};

use crate::support::{Ran, TestSite, fixture};

const FIRST: &str = "rollout-2026-09-06T08-00-01-019f9000-1111-7000-8000-00000000aa01.jsonl";
const SECOND: &str = "rollout-2026-09-06T09-00-13-019f9000-1111-7000-8000-00000000aa01_019f9000-2222-7000-8000-00000000bb02.jsonl";

fn case(name: &str) -> String {
    let path = fixture("cases").join(name);
    path.to_str().expect("UTF-8").to_owned()
}

fn import(site: &TestSite, path: &str, more: &[&str]) -> (Ran, Value) {
    let mut arguments = vec!["import", path, "--case", "paddle", "--report", "json"];
    arguments.extend(more);
    let ran = site.runpress(&arguments);
    let report = serde_json::from_str(&ran.stdout).expect("a report");
    (ran, report)
}

/// The only run of an import.
fn only(site: &TestSite, path: &str, more: &[&str]) -> Value {
    let (ran, mut report) = import(site, path, more);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    let runs = report["runs"].as_array_mut().expect("runs");
    assert_eq!(runs.len(), 1, "{}", ran.stderr);
    assert_eq!(report["skipped"], json!([]));
    report["runs"][0].take()
}

fn tokens(uncached: u64, cached: u64, output: u64, reasoning: u64) -> Value {
    json!({"uncached": uncached, "cached": cached, "output": output, "reasoning": reasoning})
}

fn thread(file: &str) -> String {
    case(&format!("codex-continued/sessions/2026/09/06/{file}"))
}

/// The trace of the only run of a site, without its header.
fn events(site: &TestSite, run: &Value) -> Vec<Value> {
    let folder = run["folder"].as_str().expect("a folder");
    let trace = site.text(&format!("content/runs/{folder}/import.trace.jsonl"));
    let lines = trace.lines().skip(1);
    lines
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

#[test]
fn a_thread_in_several_files_is_one_run() {
    let site = TestSite::empty();
    let run = only(&site, &case("codex-continued"), &[]);
    assert_eq!(
        run["messages"],
        json!({"user": 2, "assistant": 2, "system": 0})
    );
    assert_eq!(run["started"], "2026-09-06T08:00:01.000Z");
    assert_eq!(run["finished"], "2026-09-06T09:00:18.000Z");
    let total = tokens(1500, 1000, 70, 20);
    assert_eq!((&run["recorded"], &run["computed"]), (&total, &total));
    assert_eq!(run.get("warnings"), None);
}

#[test]
fn the_second_file_of_a_thread_never_replaces_the_first() {
    let site = TestSite::empty();
    let first = only(&site, &thread(FIRST), &[]);
    assert_eq!(first["tokens"], tokens(800, 200, 40, 10));
    for more in [&[][..], &["--update"]] {
        let (ran, report) = import(&site, &thread(SECOND), more);
        assert_eq!(ran.status, Some(1), "{}", ran.stderr);
        let failed = &report["failed"][0];
        assert_eq!(failed["code"], "import.not-a-continuation");
        let help = failed["help"].as_str().expect("a help");
        assert!(
            help.contains("folder") && !help.contains("--update"),
            "{help}"
        );
    }
    let whole = only(&site, &case("codex-continued"), &["--update"]);
    assert_eq!(
        (&whole["result"], &whole["folder"]),
        (&json!("updated"), &first["folder"])
    );
    assert_eq!(
        whole["messages"],
        json!({"user": 2, "assistant": 2, "system": 0})
    );
    let (ran, report) = import(&site, &thread(FIRST), &["--update"]);
    assert_eq!(
        ran.status,
        Some(1),
        "the half never replaces the whole: {}",
        ran.stderr
    );
    assert_eq!(report["failed"][0]["code"], "import.not-a-continuation");
}

#[test]
fn the_second_file_of_a_thread_alone_names_the_first() {
    let site = TestSite::empty();
    let run = only(&site, &thread(SECOND), &[]);
    let codes: Vec<&Value> = run["warnings"].as_array().into_iter().flatten().collect();
    let missing = codes
        .iter()
        .find(|warning| warning["code"] == "import.part-of-a-thread");
    let message = missing.expect("a warning")["message"]
        .as_str()
        .expect("a message");
    assert!(
        message.contains("rollout-*-019f9000-1111-7000-8000-00000000aa01.jsonl"),
        "{message}"
    );
    let whole = only(&site, &case("codex-continued"), &["--update"]);
    assert_eq!(whole["result"], "updated");
}

#[test]
fn commands_and_edits_of_scripts_are_events_with_their_outcomes() {
    let site = TestSite::empty();
    let run = only(&site, &case("codex-code-mode"), &[]);
    assert_eq!(run["failedCalls"], 1);
    let events = events(&site, &run);
    let commands: Vec<&Value> = events
        .iter()
        .filter(|event| event["type"] == "tool_call" && event["name"] == "exec_command")
        .map(|event| &event["arguments"]["cmd"])
        .collect();
    assert_eq!(commands, ["npm test", "npm test"]);
    let codes: Vec<&Value> = events
        .iter()
        .filter_map(|event| event.get("exitCode"))
        .collect();
    assert_eq!(codes, [&json!(1), &json!(0)]);
    let edits: Vec<&Value> = events
        .iter()
        .filter(|event| event["type"] == "edit")
        .collect();
    assert_eq!(edits.len(), 1);
    assert_eq!(edits[0]["path"], "src/pause.ts");
    let diff = edits[0]["diff"].as_str().expect("a diff");
    assert!(diff.contains("+paused || tick()"), "{diff}");
    assert_eq!(site.publish().blocking, 0);
}

#[test]
fn token_records_are_usage_and_bookkeeping_rows_are_no_events() {
    let site = TestSite::empty();
    let run = only(&site, &case("codex-usage-records"), &[]);
    assert_eq!(
        run["messages"],
        json!({"user": 1, "assistant": 3, "system": 0})
    );
    let total = tokens(1400, 2100, 150, 30);
    assert_eq!((&run["tokens"], &run["computed"]), (&total, &total));
    assert_eq!(run.get("unknownRows"), None);
    assert!(
        events(&site, &run)
            .iter()
            .all(|event| event["type"] != "unknown")
    );
}

#[test]
fn injected_context_is_nowhere_in_the_site() {
    let site = TestSite::empty();
    let run = only(&site, &case("codex-injected-context"), &[]);
    assert_eq!(
        run["messages"],
        json!({"user": 1, "assistant": 1, "system": 0})
    );
    assert_eq!(run["withheld"]["injectedContext"], 4);
    assert_eq!(events(&site, &run)[0]["text"], "Please fix the pause.");
    assert_eq!(site.publish().blocking, 0);
    let folder = run["folder"].as_str().expect("a folder");
    let trace = site.text(&format!("content/runs/{folder}/import.trace.jsonl"));
    assert!(
        !trace.contains("zebra") && !trace.contains("Zebra"),
        "{trace}"
    );
}

#[test]
fn the_counter_of_a_subagent_may_start_at_zero() {
    let site = TestSite::empty();
    let child = "codex-subagent-counter/rollout-2026-09-12T08-00-31-019f9000-1111-7000-8000-00000000ee02.jsonl";
    let alone = only(&site, &case(child), &["--dry-run"]);
    assert_eq!(alone["tokens"], tokens(1000, 29_000, 100, 0));
    let both = only(&site, &case("codex-subagent-counter"), &["--dry-run"]);
    assert_eq!(both["tokens"], tokens(91_000, 4_999_000, 10_200, 0));
}

#[test]
fn rows_that_nobody_knows_are_one_line_of_the_report() {
    let site = TestSite::empty();
    let path = thread(FIRST);
    let log = std::fs::read_to_string(path).expect("a log");
    let odd =
        "{\"timestamp\":\"2026-09-06T08:00:12.000Z\",\"type\":\"of_the_future\",\"payload\":{}}\n";
    let private = "{\"type\":\"/home/ada/x\",\"payload\":{}}\n";
    site.write("logs/rollout.jsonl", [&log, odd, odd, private].concat());
    let (ran, report) = import(&site, "logs/rollout.jsonl", &[]);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    let line = "Left out 3 rows of unknown types: 2 of_the_future (codex), 1 other (codex)";
    assert!(ran.stderr.contains(line), "{}", ran.stderr);
    let run = &report["runs"][0];
    assert_eq!(run["unknownRows"], json!({"of_the_future": 2, "other": 1}));
    assert_eq!(run["withheld"]["unknownRows"], 3);
    assert!(
        events(&site, run)
            .iter()
            .all(|event| event["type"] != "unknown")
    );
}
