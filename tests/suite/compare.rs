//! The comparison of runs: the page without its script, and the data of each run.

use serde_json::{Value, json};

use crate::search;
use crate::support::{FIRST, FIRST_SLUG, HEADER, Run, TestSite, event, lines};

/// The data that the script finds under a key; null if there is none.
pub(crate) fn data(site: &TestSite, key: &str) -> Value {
    let manifest = search::data(site, "compare/runs", "run");
    let mut known = manifest["parts"].as_array().expect("parts").iter();
    let part = known.rfind(|part| part[0].as_str().is_some_and(|first| first <= key));
    let Some(part) = part else { return Value::Null };
    let items = search::data(
        site,
        &format!("compare/{}", part[1].as_str().expect("a name")),
        "run",
    );
    let items = items.as_array().expect("items").clone();
    let item = items.iter().find(|item| item[0] == key);
    item.map_or(Value::Null, |item| item[1].clone())
}

/// The metric with this name.
fn metric(site: &TestSite, data: &Value, name: &str) -> Value {
    let manifest = search::data(site, "compare/runs", "run");
    let mut names = manifest["metrics"].as_array().expect("names").iter();
    let at = names.position(|known| known == name);
    data["metrics"][at.unwrap_or_else(|| panic!("{name}"))][0].clone()
}

/// The data of a run's single tape.
fn tapes(file: &str, events: usize, failures: usize, duration: &str) -> Value {
    json!([{"file": file, "events": events, "failures": failures, "duration": duration}])
}

#[test]
fn the_page_explains_itself_and_offers_the_newest_runs() {
    let site = TestSite::base();
    site.publish();
    let page = site.page("compare/index.html");
    assert_eq!(page.texts("h1"), ["Compare runs"]);
    assert!(page.texts("noscript")[0].contains("overview"));
    assert_eq!(page.all("table.runs tr[data-run]").len(), 1);
    let link = site.first_page();
    let href = format!("../../compare/index.html?runs={FIRST_SLUG}");
    assert_eq!(link.all(&format!(".subject a[href='{href}']")).len(), 1);
    assert_eq!(crate::crawl::problems(&site.published()), [""; 0]);
}

#[test]
fn a_run_brings_its_fields_and_unknown_ones_are_null() {
    let site = TestSite::base();
    let record = format!("{FIRST}/run-record.json");
    let text = site.text(&record);
    let start = text.find("\"cachedInput\":").expect("cached input");
    let end = start + text[start..].find(',').expect("an end");
    site.write(
        &record,
        format!("{}\"cachedInput\": null{}", &text[..start], &text[end..]),
    );
    site.publish();
    let data = data(&site, FIRST_SLUG);
    let manifest = search::data(&site, "compare/runs", "run");
    let groups = manifest["groups"].as_array().expect("groups");
    assert_eq!(groups.len(), 3);
    let fields: Vec<&Value> = groups
        .iter()
        .flat_map(|group| group["fields"].as_array().expect("fields"))
        .collect();
    assert_eq!(data["fields"].as_array().map(Vec::len), Some(fields.len()));
    let field = |name: &str| {
        let found = fields.iter().position(|field| field["name"] == name);
        data["fields"][found.unwrap_or_else(|| panic!("{name}"))].clone()
    };
    let task = fields.iter().filter(|field| field["task"] == true);
    let task: Vec<&Value> = task.map(|field| &field["name"]).collect();
    assert_eq!(
        task,
        ["Case", "Version", "Variant", "Orchestrator", "Engine"],
        "runs that differ in one of these are not comparable"
    );
    assert_eq!(field("Case"), "pong");
    assert_eq!(field("Engine"), "none");
    assert_eq!(metric(&site, &data, "Cached input"), Value::Null);
    assert_eq!(metric(&site, &data, "Run time"), json!(612.5));
}

#[test]
fn events_carry_kind_time_failure_and_command() {
    let site = TestSite::base();
    site.write(
        &format!("{FIRST}/events.jsonl"),
        lines(&[
            event(
                0,
                "command",
                r#""command":"npm   ci","exitCode":0,"isSuccess":true"#,
            ),
            event(3, "agent", r#""message":"</script>""#),
            event(5, "write", r#""path":"src/a.ts""#),
            event(
                6,
                "command",
                r#""command":"npm ci","exitCode":1,"isSuccess":false"#,
            ),
        ]),
    );
    site.write(
        &format!("{FIRST}/events.jsonl.annotations.jsonl"),
        lines(&[HEADER]),
    );
    site.publish();
    let data = data(&site, FIRST_SLUG);
    let tape = &data["tape"];
    assert_eq!(
        tape["kinds"],
        json!([
            ["command", "command", 0],
            ["agent", "speech", 0],
            ["write", "write", 1]
        ])
    );
    assert_eq!(tape["keys"], json!(["npm ci", "src/a.ts"]));
    let events = [
        [0, 0, 1],
        [2, 30, 0], // Speech is not an action.
        [4, 20, 2],
        [1, 10, 1], // Failed, and white space makes no difference.
    ];
    assert_eq!(tape["events"], json!(events.concat()));
    assert_eq!(data["tapes"], tapes("events.jsonl", 4, 1, "6 s"));
}

#[test]
fn a_long_tape_brings_its_first_10_000_events_and_long_commands_a_digest() {
    let site = TestSite::base();
    let events: Vec<String> = (0..10_050)
        .map(|n| {
            let command = format!("\"command\":\"{}{}\"", "x".repeat(200), n % 7);
            event(0, "command", &command)
        })
        .collect();
    site.write(&format!("{FIRST}/events.jsonl"), lines(&events));
    site.write(
        &format!("{FIRST}/events.jsonl.annotations.jsonl"),
        lines(&[HEADER]),
    );
    site.publish();
    let data = data(&site, FIRST_SLUG);
    let tape = &data["tape"];
    assert_eq!(data["tapes"], tapes("events.jsonl", 10_050, 0, "0 s"));
    assert_eq!(tape["events"].as_array().map(Vec::len), Some(30_000));
    let keys = tape["keys"].as_array().expect("keys");
    assert_eq!(keys.len(), 7, "they differ only after the cut");
    assert!(
        keys.iter()
            .all(|key| key.as_str().is_some_and(|key| key.chars().count() == 103))
    );
}

#[test]
fn many_different_commands_stop_at_256_kib() {
    let site = TestSite::base();
    let events: Vec<String> = (0..5_000)
        .map(|n| event(0, "command", &format!("\"command\":\"{n:090}\"")))
        .collect();
    site.write(&format!("{FIRST}/events.jsonl"), lines(&events));
    site.write(
        &format!("{FIRST}/events.jsonl.annotations.jsonl"),
        lines(&[HEADER]),
    );
    site.publish();
    let tape = &data(&site, FIRST_SLUG)["tape"];
    let bytes = tape.to_string().len();
    assert!(bytes < 400 * 1024, "{bytes} bytes");
    let kept = tape["events"].as_array().map_or(0, Vec::len) / 3;
    assert!((2_000..3_000).contains(&kept), "{kept}");
}

#[test]
fn a_run_without_a_tape_brings_none() {
    let site = TestSite::empty();
    site.run("a", &Run::new("0000000a-1"));
    site.publish();
    let data = data(&site, "pong-codex-sample-lark-1-0000000a");
    assert_eq!(data["tape"], Value::Null);
    assert_eq!(data["tapes"], json!([]));
    for (name, value) in [
        ("Events", Value::Null),
        ("Failures", Value::Null),
        ("Annotations", json!(0.0)),
    ] {
        assert_eq!(metric(&site, &data, name), value, "{name}");
    }
    // No run of the site has a tape, so the list has no column for events.
    let list = site.page("runs/index.html");
    assert!(list.all("th[data-col=events]").is_empty());
    let contents = site
        .page("runs/pong-codex-sample-lark-1-0000000a/index.html")
        .texts(".toc a[href='#timeline']");
    assert_eq!(contents, ["Steps"]);
}

#[test]
fn a_tape_is_as_long_as_from_its_earliest_to_its_latest_time() {
    let site = TestSite::base();
    site.write(
        &format!("{FIRST}/events.jsonl"),
        lines(&[
            event(30, "command", r#""command":"a""#),
            event(50, "command", r#""command":"b""#),
            event(10, "command", r#""command":"c""#),
        ]),
    );
    site.write(
        &format!("{FIRST}/events.jsonl.annotations.jsonl"),
        lines(&[HEADER]),
    );
    site.publish();
    let data = data(&site, FIRST_SLUG);
    assert_eq!(data["tapes"], tapes("events.jsonl", 3, 0, "40 s"));
    assert_eq!(data["tape"]["events"][7], json!(-400));
}

#[test]
fn a_path_has_the_same_key_however_it_is_written() {
    let site = TestSite::base();
    let paths = [
        ("read", "/work/a.ts"),
        ("read", "/workspace/a.ts"),
        ("read", "a.ts"),
        ("read", ".//a.ts"),
        ("read", "/workspace/./a.ts"),
        ("list", "/work"),
        ("list", "/workspace/"),
        ("list", "."),
        ("list", "./"),
        ("list", "src//lib/"),
        ("list", "/workspace/src/lib"),
        ("list", "/etc/"),
    ];
    let log: Vec<String> = (0..)
        .zip(paths)
        .map(|(at, (kind, path))| event(at, kind, &format!("\"path\":\"{path}\"")))
        .collect();
    site.write(&format!("{FIRST}/events.jsonl"), lines(&log));
    site.remove(&format!("{FIRST}/events.jsonl.annotations.jsonl"));
    site.publish();
    let data = data(&site, FIRST_SLUG);
    let keys = json!(["a.ts", ".", "src/lib", "/etc"]);
    assert_eq!(data["tape"]["keys"], keys);
    assert_eq!(data["tape"]["events"].as_array().map(Vec::len), Some(36));
}

#[test]
fn each_further_tape_is_found_under_its_number() {
    let site = TestSite::base();
    site.write("site.toml", "[timeline]\npage_size = 2\n");
    let digest = "0".repeat(64);
    let record = |seq: u64| {
        format!(
            r#"{{"type":"record","seq":{seq},"virtual_time_ms":{seq},"monotonic_ms":{seq},"kind":{{"kind":"file_read","path":"/workspace/{seq}.ts","content_hash":"{digest}","len_bytes":1}}}}"#
        )
    };
    let header = r#"{"type":"header","version":1,"harn_version":"0.8.26"}"#;
    let tape = lines(&[header, &record(0), &record(1), &record(5)]);
    // An absolute path and its relative path in the working tree are the same file.
    site.write(&format!("{FIRST}/run.tape"), tape);
    site.publish();
    let data = data(&site, FIRST_SLUG);
    assert_eq!(data["tapes"][0]["file"], "events.jsonl");
    assert_eq!(data["tapes"][1], tapes("run.tape", 3, 0, "0 s")[0]);
    assert_eq!(data["tape"]["prefix"], "");
    let of_tape = |number: usize| super::compare::data(&site, &format!("{FIRST_SLUG}~{number}"));
    let second = of_tape(2);
    assert_eq!(second["prefix"], "run.");
    assert_eq!(second["pageSize"], 2);
    assert_eq!(second["keys"], json!(["0.ts", "1.ts", "5.ts"]));
    assert_eq!(
        second["anchors"],
        json!([[2, "run.e-5"]]),
        "its number is not its place"
    );
    assert_eq!(of_tape(3), Value::Null);
}

#[test]
fn every_run_of_many_is_found_in_a_part_of_at_most_one_megabyte() {
    let site = TestSite::empty();
    let events = |run: usize| {
        let command = |n: usize| format!("\"command\":\"{run} {n:050}\"");
        let events = (0..1_000).map(move |n| event(0, "command", &command(n)));
        lines(&events.collect::<Vec<_>>())
    };
    for run in 0..40 {
        site.run(&run.to_string(), &Run::new(&format!("{run:08}-1")))
            .write(&format!("content/runs/{run}/events.jsonl"), events(run));
    }
    site.publish();
    let manifest = search::data(&site, "compare/runs", "run");
    let parts = manifest["parts"].as_array().map_or(0, Vec::len);
    assert!(parts > 2, "{parts}");
    for run in 0..40 {
        let found = data(&site, &format!("pong-codex-sample-lark-1-{run:08}"));
        let key = found["tape"]["keys"][0].as_str().expect("a command");
        assert!(key.starts_with(&format!("{run} ")), "{key}");
    }
    let none = "pong-codex-sample-lark-1-00000007x";
    assert_eq!(data(&site, none), Value::Null);
}
