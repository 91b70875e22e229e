//! The comparison of runs: the page without its script, and the data of each run.

use serde_json::{Value, json};

use crate::search;
use crate::support::{
    FIRST_SLUG, Run, TAPE_HEADER, TestSite, each, entries, event, lines, message, tape_record,
};

/// The data that the script finds under a key; null if there is none.
pub(crate) fn data(site: &TestSite, key: &str) -> Value {
    let manifest = search::data(site, "compare/runs", "run");
    let mut known = entries(&manifest["parts"]).iter();
    let part = known.rfind(|part| part[0].as_str().is_some_and(|first| first <= key));
    let Some(part) = part else { return Value::Null };
    let name = part[1].as_str().expect("a name");
    let items = search::data(site, &format!("compare/{name}"), "run");
    let item = entries(&items).iter().find(|item| item[0] == key);
    item.map_or(Value::Null, |item| item[1].clone())
}

/// The data of the base run with this event log and without annotations.
fn of_log(log: &[String]) -> Value {
    let site = TestSite::base();
    site.log(lines(log)).publish();
    data(&site, FIRST_SLUG)
}

/// The metric with this name.
fn metric(site: &TestSite, data: &Value, name: &str) -> Value {
    let manifest = search::data(site, "compare/runs", "run");
    let mut names = entries(&manifest["metrics"]).iter();
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
    site.edit_first(|record| record["metrics"]["tokens"]["cachedInput"] = Value::Null);
    site.publish();
    let data = data(&site, FIRST_SLUG);
    let manifest = search::data(&site, "compare/runs", "run");
    let groups = each(&manifest["groups"], "fields");
    assert_eq!(groups.len(), 3);
    let fields: Vec<&Value> = groups.into_iter().flat_map(entries).collect();
    assert_eq!(entries(&data["fields"]).len(), fields.len());
    let field = |name: &str| {
        let found = fields.iter().position(|field| field["name"] == name);
        data["fields"][found.unwrap_or_else(|| panic!("{name}"))].clone()
    };
    // Runs that differ in one of these are not comparable.
    let task = fields.iter().filter(|field| field["task"] == true);
    let task: Vec<&Value> = task.map(|field| &field["name"]).collect();
    assert_eq!(
        task,
        ["Case", "Version", "Variant", "Orchestrator", "Engine"]
    );
    assert_eq!(field("Case"), "pong");
    assert_eq!(field("Engine"), "none");
    assert_eq!(metric(&site, &data, "Cached input"), Value::Null);
    assert_eq!(metric(&site, &data, "Run time"), json!(612.5));
}

#[test]
fn events_carry_kind_time_failure_and_command() {
    let data = of_log(&[
        event(
            0,
            "command",
            r#""command":"npm   ci","exitCode":0,"isSuccess":true"#,
        ),
        message(3, "</script>"),
        event(5, "write", r#""path":"src/a.ts""#),
        event(
            6,
            "command",
            r#""command":"npm ci","exitCode":1,"isSuccess":false"#,
        ),
    ]);
    let tape = &data["tape"];
    let kinds = json!([
        ["command", "command", 0],
        ["agent", "speech", 0],
        ["write", "write", 1]
    ]);
    assert_eq!(tape["kinds"], kinds);
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

/// An event log of commands that start at once.
fn commands(commands: impl Iterator<Item = String>) -> Vec<String> {
    let command = |command| event(0, "command", &format!("\"command\":\"{command}\""));
    commands.map(command).collect()
}

#[test]
fn a_long_tape_brings_its_first_10_000_events_and_long_commands_a_digest() {
    let long = "x".repeat(200);
    let data = of_log(&commands((0..10_050).map(|n| format!("{long}{}", n % 7))));
    let tape = &data["tape"];
    assert_eq!(data["tapes"], tapes("events.jsonl", 10_050, 0, "0 s"));
    assert_eq!(entries(&tape["events"]).len(), 30_000);
    let keys = entries(&tape["keys"]);
    assert_eq!(keys.len(), 7, "they differ only after the cut");
    for key in keys {
        assert_eq!(key.as_str().map_or(0, |key| key.chars().count()), 103);
    }
}

#[test]
fn many_different_commands_stop_at_256_kib() {
    let data = of_log(&commands((0..5_000).map(|n| format!("{n:090}"))));
    let bytes = data["tape"].to_string().len();
    assert!(bytes < 400 * 1024, "{bytes} bytes");
    let kept = entries(&data["tape"]["events"]).len() / 3;
    assert!((2_000..3_000).contains(&kept), "{kept}");
}

#[test]
fn a_run_without_a_tape_brings_none() {
    let site = TestSite::empty();
    site.run("a", &Run::new("0000000a-1")).publish();
    let slug = "pong-codex-sample-lark-1-0000000a";
    let data = data(&site, slug);
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
    let page = site.page(&format!("runs/{slug}/index.html"));
    assert_eq!(page.texts(".toc a[href='#timeline']"), ["Steps"]);
}

#[test]
fn a_tape_is_as_long_as_from_its_earliest_to_its_latest_time() {
    let data = of_log(&[
        event(30, "command", r#""command":"a""#),
        event(50, "command", r#""command":"b""#),
        event(10, "command", r#""command":"c""#),
    ]);
    assert_eq!(data["tapes"], tapes("events.jsonl", 3, 0, "40 s"));
    assert_eq!(data["tape"]["events"][7], json!(-400));
}

#[test]
fn a_path_has_the_same_key_however_it_is_written() {
    let read = "/work/a.ts /workspace/a.ts a.ts .//a.ts /workspace/./a.ts".split(' ');
    let listed = "/work /workspace/ . ./ src//lib/ /workspace/src/lib /etc/".split(' ');
    let paths = read
        .map(|path| ("read", path))
        .chain(listed.map(|path| ("list", path)));
    let log = (0..)
        .zip(paths)
        .map(|(at, (kind, path))| event(at, kind, &format!("\"path\":\"{path}\"")));
    let data = of_log(&log.collect::<Vec<_>>());
    assert_eq!(
        data["tape"]["keys"],
        json!(["a.ts", ".", "src/lib", "/etc"])
    );
    assert_eq!(entries(&data["tape"]["events"]).len(), 36);
}

#[test]
fn each_further_tape_is_found_under_its_number() {
    let site = TestSite::base();
    site.write("site.toml", "[timeline]\npage_size = 2\n");
    let digest = "0".repeat(64);
    // An absolute path and its relative path in the working tree are the same file.
    let records = [0, 1, 5].map(|seq| {
        tape_record(seq, &format!(r#"{{"kind":"file_read","path":"/workspace/{seq}.ts","content_hash":"{digest}","len_bytes":1}}"#))
    });
    site.write_first("run.tape", format!("{TAPE_HEADER}\n{}", lines(&records)))
        .publish();
    let data = |key: &str| data(&site, key);
    let first = data(FIRST_SLUG);
    assert_eq!(first["tapes"][0]["file"], "events.jsonl");
    assert_eq!(first["tapes"][1], tapes("run.tape", 3, 0, "0 s")[0]);
    assert_eq!(first["tape"]["prefix"], "");
    let second = data(&format!("{FIRST_SLUG}~2"));
    assert_eq!(second["prefix"], "run.");
    assert_eq!(second["pageSize"], 2);
    assert_eq!(second["keys"], json!(["0.ts", "1.ts", "5.ts"]));
    assert_eq!(
        second["anchors"],
        json!([[2, "run.e-5"]]),
        "its number is not its place"
    );
    assert_eq!(data(&format!("{FIRST_SLUG}~3")), Value::Null);
}

#[test]
fn every_run_of_many_is_found_in_a_part_of_at_most_one_megabyte() {
    let site = TestSite::empty();
    for run in 0..40 {
        let log = commands((0..1_000).map(|n| format!("{run} {n:050}")));
        site.run(&run.to_string(), &Run::new(&format!("{run:08}-1")))
            .write(&format!("content/runs/{run}/events.jsonl"), lines(&log));
    }
    site.publish();
    let parts = entries(&search::data(&site, "compare/runs", "run")["parts"]).len();
    assert!(parts > 2, "{parts}");
    for run in 0..40 {
        let found = data(&site, &format!("pong-codex-sample-lark-1-{run:08}"));
        let key = found["tape"]["keys"][0].as_str().expect("a command");
        assert!(key.starts_with(&format!("{run} ")), "{key}");
    }
    assert_eq!(
        data(&site, "pong-codex-sample-lark-1-00000007x"),
        Value::Null
    );
}
