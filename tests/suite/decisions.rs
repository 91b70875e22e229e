//! Decisions about runs: what their pages and feeds say, what `runpress decide` writes, and which lines are refused.

use serde_json::{Value, json};

use crate::support::{FIRST, FIRST_SLUG, Ran, Run, TestSite, codes, described, words};

const ID: &str = "4f1c2d3e-8a60-4d2e-9a51-0c9f6f1f2b11";
const FILE: &str = "content/decisions.jsonl";
const FEED: &str = "feeds/decisions.json";

/// The base site, whose run has an outcome.
fn site() -> TestSite {
    let site = TestSite::base();
    let path = format!("{FIRST}/run-record.json");
    let mut record: Value = serde_json::from_str(&site.text(&path)).expect("JSON");
    record["outcomes"] = json!([
        {"name": "reward", "value": 0.50, "scorer": "verifier"},
        {"name": "answer", "value": "C", "scorer": "match"},
    ]);
    site.write(&path, record.to_string());
    site
}

fn line(date: &str, run: &str, decision: &str, more: Value) -> String {
    let mut line = json!({
        "date": date,
        "author": {"id": "mk", "kind": "human"},
        "run": run,
        "decision": decision,
        "reason": "The <b>network</b> was down.",
    });
    let Value::Object(more) = more else {
        panic!("an object");
    };
    line.as_object_mut().expect("an object").extend(more);
    line.to_string() + "\n"
}

fn decide(site: &TestSite, arguments: &[&str]) -> Ran {
    site.runpress(&[&["decide", FIRST, "--reason", "Because."], arguments].concat())
}

#[test]
fn an_excluded_run_says_so_with_the_reason_and_a_link_to_the_event() {
    let site = site();
    site.write(FILE, line("2026-03-01", ID, "void", json!({"event": 2})));
    assert_eq!(described(&site.publish()), [""; 0]);
    let page = site.first_page();
    let section = page.one("section[aria-labelledby=decisions]");
    assert_eq!(
        words(section),
        "This run does not count Void The <b>network</b> was down. mk (human), 2026-03-01 · event 2"
    );
    let link = page.one("section[aria-labelledby=decisions] a");
    assert_eq!(link.value().attr("href"), Some("#e-2"));
    let case = site.page("cases/pong/index.html");
    assert!(words(case.one("tr[data-run]")).contains("Void"));
    let listed = words(case.one("section[aria-labelledby=decisions] li"));
    assert!(listed.starts_with("Void pong with "), "{listed}");
    let changes = site.page("changes/index.html");
    assert!(changes.main().contains("The <b>network</b> was down."));
    let feed = site.json(FEED);
    assert_eq!(feed["decisions"][0]["event"], json!(2));
    assert_eq!(feed["excluded"][0]["runId"], json!(ID));
    let runs = site.json("feeds/runs.json");
    assert_eq!(runs["runs"][0]["excluded"], json!("void"));
}

#[test]
fn a_restored_run_counts_again_and_keeps_its_history() {
    let site = site();
    let lines = line("2026-03-01", ID, "disqualify", json!({}))
        + &line("2026-03-02", ID, "restore", json!({}));
    site.write(FILE, lines);
    assert_eq!(described(&site.publish()), [""; 0]);
    let page = site.first_page();
    let badges = page.texts("section[aria-labelledby=decisions] .badge");
    assert_eq!(badges, ["Restored", "Disqualified"]);
    assert_eq!(page.texts("#decisions"), ["Decisions"]);
    let feed = site.json(FEED);
    assert_eq!(feed["excluded"], json!([]));
    let runs = site.json("feeds/runs.json");
    assert_eq!(runs["runs"][0].get("excluded"), None);
    // The record is as it was.
    let record = site.json(&format!("runs/{FIRST_SLUG}/run.json"));
    assert_eq!(record["record"]["outcomes"][0]["value"], json!(0.5));
}

#[test]
fn corrections_follow_from_the_recorded_value_and_from_each_other() {
    let rescore = |from: Value, to: Value| {
        let outcome = json!({"outcome": {"name": "reward", "from": from, "to": to}});
        line("2026-03-01", ID, "rescore", outcome)
    };
    let site = site();
    site.write(
        FILE,
        rescore(json!(0.5), json!(1)) + &rescore(json!(1.0), json!(0)),
    );
    assert_eq!(described(&site.publish()), [""; 0]);
    let listed = site
        .first_page()
        .texts("section[aria-labelledby=decisions] li");
    let first = &listed[0];
    assert!(first.starts_with("Rescored reward: 1.0 → 0 "), "{first}");
    site.write(
        FILE,
        rescore(json!(0.5), json!(1)) + &rescore(json!(0.5), json!(0)),
    );
    assert_eq!(codes(&site.check()), ["decisions.wrong-value"]);
}

#[test]
fn a_changed_decision_changes_the_pages_of_its_run_and_no_others() {
    let site = site();
    site.run("other", &Run::new("0000000b-1").case("other"));
    site.publish();
    let before = site.published();
    site.write(FILE, line("2026-03-01", ID, "void", json!({})));
    site.publish();
    let after = site.published();
    let is_changed = |path: &&String| before.get(*path) != after.get(*path);
    let changed: Vec<&String> = after.keys().filter(is_changed).collect();
    assert!(
        changed.iter().any(|path| path.contains(FIRST_SLUG)),
        "{changed:?}"
    );
    let other = changed.iter().filter(|path| path.contains("0000000b"));
    assert_eq!(other.count(), 0, "{changed:?}");
    site.remove(FILE);
    site.publish();
    let changes = "feeds/changes";
    let restored = site.published();
    let same = before.iter().filter(|(path, _)| !path.starts_with(changes));
    for (path, bytes) in same {
        assert!(restored.get(path) == Some(bytes), "{path}");
    }
}

#[test]
fn an_excluded_run_is_counted_apart_and_in_no_range() {
    let site = site();
    for (number, seconds) in [(2, 10), (3, 1000)] {
        let mut record: Value =
            serde_json::from_str(&site.text(&format!("{FIRST}/run-record.json"))).expect("JSON");
        record["id"] = json!(format!("{number:08x}-8a60-4d2e-9a51-0c9f6f1f2b11"));
        record["metrics"]["runTimeSeconds"] = json!(seconds);
        site.write(
            &format!("content/runs/t{number}/run-record.json"),
            record.to_string(),
        );
    }
    let seen = || {
        site.publish();
        let case = site.page("cases/pong/index.html");
        let run = site.first_page().main();
        let ranges = [2, 3].map(|runs| run.contains(&format!("{runs} comparable runs")));
        (case.texts("table.reliability td.num")[0].clone(), ranges)
    };
    assert_eq!(seen(), ("3 of 3".to_owned(), [false, true]));
    let shortest = "00000002-8a60-4d2e-9a51-0c9f6f1f2b11";
    site.write(FILE, line("2026-03-01", shortest, "void", json!({})));
    assert_eq!(seen(), ("2 of 2, 1 excluded".to_owned(), [true, false]));
    let matrix = site.page("overview/index.html");
    assert!(
        matrix.main().contains("2 of 2 completed 1 excluded"),
        "{}",
        matrix.main()
    );
}

#[test]
fn an_excluded_run_is_in_no_plot_and_marked_in_tables_and_comparisons() {
    let site = TestSite::empty();
    let id = |number: usize| format!("{number:08x}-8a60-4d2e-9a51-0c9f6f1f2b11");
    for number in 0..4 {
        let mut record: Value =
            serde_json::from_str(&Run::new(&id(number)).record()).expect("JSON");
        // The last one costs a thousand times as much as the others.
        let cost = if number == 3 { 5000.0 } else { 5.0 };
        record["metrics"]["cost"]["comparable"] = json!(cost);
        record["metrics"]["runTimeSeconds"] = json!(60 * number + 60);
        site.write(
            &format!("content/runs/{number}/run-record.json"),
            record.to_string(),
        );
    }
    let seen = || {
        site.publish();
        let case = site.page("cases/pong/index.html");
        let marks = case.all("figure.plot")[0]
            .descendants()
            .filter(|node| node.value().as_element().is_some_and(|it| it.name() == "a"));
        let note = "1 run does not count and is only in the table.";
        let is_wide = case
            .texts("figure.plot svg text")
            .iter()
            .any(|text| text.contains("logarithmic"));
        (marks.count(), case.main().contains(note), is_wide)
    };
    assert_eq!(seen(), (4, false, true));
    site.write(FILE, line("2026-03-01", &id(3), "void", json!({})));
    assert_eq!(seen(), (3, true, false));
    let case = site.page("cases/pong/index.html");
    assert_eq!(case.all("table.reliability td.dots circle").len(), 3);
    assert!(
        case.texts(".wall li")
            .iter()
            .any(|run| run.contains("void")),
        "{:?}",
        case.texts(".wall li")
    );
    for page in ["cases/pong/index.html", "models/sample-lark-1/index.html"] {
        let rows = site.page(page).texts("tr[data-run] .c-st");
        let marked: Vec<_> = rows.iter().filter(|row| row.contains("Void")).collect();
        assert_eq!(marked.len(), 1, "{page}: {rows:?}");
        assert!(marked[0].starts_with("excluded, completed"), "{marked:?}");
    }
    // It has one sign, in tables as in the row of its model, and it is not that of a failure.
    for page in ["cases/pong/index.html", "runs/index.html"] {
        let page = site.page(page);
        let excluded = page.all("tr[data-run] a.g-none, tr[data-run] .c-st .badge.b-none");
        assert_eq!(excluded.len(), 2);
        assert_eq!(page.all("tr[data-run] .b-bad").len(), 0);
    }
    assert_eq!(case.all(".glyphs a.g-none").len(), 1);
    let compared = site.published();
    let data = compared
        .iter()
        .filter(|(path, _)| path.starts_with("compare/"));
    let excluded = data.map(|(_, bytes)| {
        String::from_utf8_lossy(bytes)
            .matches(r#""excluded":"void""#)
            .count()
    });
    assert_eq!(excluded.sum::<usize>(), 1);
}

#[test]
fn a_withdrawn_run_keeps_its_decisions_at_its_former_address() {
    let site = site();
    site.run("other", &Run::new("0000000b-1"));
    site.write(FILE, line("2026-03-01", ID, "void", json!({})));
    site.publish();
    std::fs::remove_dir_all(site.path(FIRST)).expect("a folder");
    assert_eq!(described(&site.publish()), [""; 0]);
    let page = site.page(&format!("runs/{FIRST_SLUG}/index.html"));
    assert!(page.main().contains("The <b>network</b> was down."));
    assert!(site.page("changes/index.html").main().contains("Void"));
}

#[test]
fn a_decision_that_says_what_is_so_already_is_a_warning() {
    let correction =
        |from: Value, to: Value| json!({"outcome": {"name": "reward", "from": from, "to": to}});
    let decided = |verb: &str| line("2026-03-01", ID, verb, json!({}));
    for (lines, expected) in [
        (
            [decided("void"), decided("void")],
            ["An earlier decision says already that the run is void"].as_slice(),
        ),
        (
            [decided("include"), decided("include")],
            &["An earlier decision says already that the run is included"],
        ),
        ([decided("void"), decided("disqualify")], &[]),
        ([decided("include"), decided("void")], &[]),
        (
            [
                line(
                    "2026-03-01",
                    ID,
                    "rescore",
                    correction(json!(0.5), json!(1)),
                ),
                line(
                    "2026-03-01",
                    ID,
                    "rescore",
                    correction(json!(1), json!(1.0)),
                ),
            ],
            &["The value of `reward` is this one already"],
        ),
    ] {
        let site = site();
        site.write(FILE, lines.concat());
        let outcome = site.publish();
        let found: Vec<&str> = outcome
            .diagnostics
            .iter()
            .map(|it| it.message.as_str())
            .collect();
        assert_eq!(found, expected, "{lines:?}");
        assert!(outcome.diagnostics.iter().all(|it| {
            it.code.name == "decisions.repeated"
                && it.place.path == FILE
                && it.place.line == Some(2)
                && it.place.column.is_some()
        }));
        let verified = site.runpress(&["verify", "public"]);
        assert_eq!(verified.status, Some(0), "{}", verified.stderr);
    }
    // A value that its scorer does not count is made to count.
    let site = site();
    let path = format!("{FIRST}/run-record.json");
    let mut record: Value = serde_json::from_str(&site.text(&path)).expect("JSON");
    record["outcomes"][0]["valid"] = json!(false);
    site.write(&path, record.to_string());
    let same = correction(json!(0.5), json!(0.5));
    site.write(FILE, line("2026-03-01", ID, "rescore", same));
    assert_eq!(described(&site.publish()), [""; 0]);
}

#[test]
fn the_command_writes_lines_that_a_build_accepts() {
    let site = site();
    let done = decide(&site, &["--void", "--event", "2", "--author", "mk"]);
    assert_eq!(done.status, Some(0), "{}", done.stderr);
    assert_eq!(done.stdout, format!("{FILE}:1: {ID}: void\n"));
    assert_eq!(decide(&site, &["--restore"]).status, Some(0));
    assert_eq!(decide(&site, &["--rescore", "reward=1"]).status, Some(0));
    assert_eq!(
        decide(&site, &["--rescore", "answer=I think: A"]).status,
        Some(0)
    );
    assert_eq!(decide(&site, &["--rescore", "reward=0"]).status, Some(0));
    let written: Vec<Value> = site
        .text(FILE)
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(written[0]["author"], json!({"id": "mk", "kind": "human"}));
    assert_eq!(
        written[2]["outcome"],
        json!({"name": "reward", "from": 0.5, "to": 1})
    );
    assert_eq!(written[3]["outcome"]["to"], json!("I think: A"));
    assert_eq!(
        written[4]["outcome"],
        json!({"name": "reward", "from": 1, "to": 0})
    );
    assert_eq!(described(&site.publish()), [""; 0]);
}

#[test]
fn the_command_writes_nothing_that_a_build_would_refuse() {
    let site = site();
    let refused: [(&[&str], &str); 7] = [
        (&["--void", "--event", "410"], "decisions.unknown-event"),
        (&["--restore"], "decisions.no-effect"),
        (&["--rescore", "reward=0.5"], "decisions.repeated"),
        (
            &["--disqualify", "--rule", "no-network"],
            "decisions.unknown-rule",
        ),
        (&["--rescore", "rewrd=1"], "Did you mean `reward`?"),
        (&["--void", "--reason", " "], "decisions.invalid-line"),
        (&["--void", "--restore"], "cannot be used with"),
    ];
    for (arguments, says) in refused {
        let done = site.runpress(&[&["decide", FIRST], arguments, reason(arguments)].concat());
        assert_ne!(done.status, Some(0), "{arguments:?}");
        assert!(done.stderr.contains(says), "{arguments:?}: {}", done.stderr);
        assert!(!site.path(FILE).exists(), "{arguments:?}");
    }
}

fn reason(arguments: &[&str]) -> &'static [&'static str] {
    if arguments.contains(&"--reason") {
        &[]
    } else {
        &["--reason", "Because."]
    }
}

#[test]
fn trials_count_as_was_decided() {
    let site = site();
    site.write(
        "site.toml",
        "[cells]\noutcome = \"reward\"\nat_least = 1.0\n",
    );
    let record: Value =
        serde_json::from_str(&site.text(&format!("{FIRST}/run-record.json"))).expect("JSON");
    for number in 2..5 {
        let mut trial = record.clone();
        trial["id"] = json!(format!("{number:08x}-8a60-4d2e-9a51-0c9f6f1f2b11"));
        trial["outcomes"][0]["valid"] = json!(number != 4);
        site.write(
            &format!("content/runs/t{number}/run-record.json"),
            trial.to_string(),
        );
    }
    let cell = |site: &TestSite| {
        site.publish();
        let feed = site.json("feeds/cells.json");
        let cell = &feed["sets"][0]["cells"][0];
        ["trials", "successes", "excluded"].map(|key| cell[key].as_u64())
    };
    assert_eq!(cell(&site), [Some(3), Some(0), Some(1)]);
    let id = |number: u32| format!("{number:08x}-8a60-4d2e-9a51-0c9f6f1f2b11");
    let corrected = json!({"outcome": {"name": "reward", "from": 0.5, "to": 1}});
    // The scorer itself did not count the fourth; its correction does.
    let lines = line("2026-03-01", ID, "void", json!({}))
        + &line("2026-03-01", &id(2), "rescore", corrected.clone())
        + &line("2026-03-02", &id(4), "rescore", corrected);
    site.write(FILE, lines);
    assert_eq!(cell(&site), [Some(3), Some(2), Some(1)]);
    let page = site.page("cases/pong/trials/index.html");
    assert!(page.main().contains("1 excluded"), "{}", page.main());
}
