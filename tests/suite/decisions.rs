//! Decisions about runs: what their pages and feeds say, what `runpress decide` writes, and which lines are refused.

use serde_json::{Value, json};

use crate::support::{
    FIRST, FIRST_ID, FIRST_SLUG, Ran, Run, TestSite, below, codes, contains, described,
    differences, first, messages_of, parse, words,
};

const FILE: &str = "content/decisions.jsonl";
const FEED: &str = "feeds/decisions.json";

/// The base site, whose run has an outcome.
fn site() -> TestSite {
    let site = TestSite::base();
    site.edit_first(|record| {
        record["outcomes"] = json!([
            {"name": "reward", "value": 0.50, "scorer": "verifier"},
            {"name": "answer", "value": "C", "scorer": "match"},
        ]);
    });
    site
}

fn id(number: usize) -> String {
    format!("{number:08x}-8a60-4d2e-9a51-0c9f6f1f2b11")
}

/// Adds a run like that of the base site, with another id and this change.
fn add(site: &TestSite, number: usize, change: impl FnOnce(&mut Value)) {
    let path = format!("content/runs/t{number}/run-record.json");
    site.write(&path, site.text(&first("run-record.json")));
    site.edit(&path, |record| {
        record["id"] = json!(id(number));
        change(record);
    });
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

/// A decision about the base run.
fn decided(decision: &str) -> String {
    line("2026-03-01", FIRST_ID, decision, json!({}))
}

fn correction(from: Value, to: Value) -> Value {
    let mut decision = json!({"outcome": {"name": "reward"}});
    decision["outcome"]["from"] = from;
    decision["outcome"]["to"] = to;
    decision
}

fn rescored(from: Value, to: Value) -> String {
    line("2026-03-01", FIRST_ID, "rescore", correction(from, to))
}

fn decide(site: &TestSite, arguments: &str) -> Ran {
    site.runpress(&format!("decide {FIRST} --reason Because. {arguments}"))
}

#[test]
fn an_excluded_run_says_so_with_the_reason_and_a_link_to_the_event() {
    let site = site();
    site.write(
        FILE,
        line("2026-03-01", FIRST_ID, "void", json!({"event": 2})),
    );
    assert_eq!(described(&site.publish()), [""; 0]);
    let page = site.first_page();
    let section = "section[aria-labelledby=decisions]";
    let said = "This run does not count Void The <b>network</b> was down. mk (human), 2026-03-01 · event 2";
    assert_eq!(page.texts(section), [said]);
    assert_eq!(page.attrs(&format!("{section} a"), "href"), ["#e-2"]);
    let case = site.page("cases/pong/index.html");
    contains(&words(case.one("tr[data-run]")), "Void");
    let listed = words(case.one(&format!("{section} li")));
    assert!(listed.starts_with("Void pong with "), "{listed}");
    site.page("changes/index.html")
        .says("The <b>network</b> was down.");
    let feed = site.json(FEED);
    assert_eq!(feed["decisions"][0]["event"], 2);
    assert_eq!(feed["excluded"][0]["runId"], FIRST_ID);
    assert_eq!(site.json("feeds/runs.json")["runs"][0]["excluded"], "void");
}

#[test]
fn a_restored_run_counts_again_and_keeps_its_history() {
    let site = site();
    let restored = line("2026-03-02", FIRST_ID, "restore", json!({}));
    site.write(FILE, decided("disqualify") + &restored);
    assert_eq!(described(&site.publish()), [""; 0]);
    let page = site.first_page();
    let badges = page.texts("section[aria-labelledby=decisions] .badge");
    assert_eq!(badges, ["Restored", "Disqualified"]);
    assert_eq!(page.texts("#decisions"), ["Decisions"]);
    assert_eq!(site.json(FEED)["excluded"], json!([]));
    let runs = site.json("feeds/runs.json");
    assert_eq!(runs["runs"][0].get("excluded"), None);
    // The record is as it was.
    assert_eq!(site.first_run()["record"]["outcomes"][0]["value"], 0.5);
}

#[test]
fn corrections_follow_from_the_recorded_value_and_from_each_other() {
    let site = site();
    let first = rescored(json!(0.5), json!(1));
    site.write(FILE, first.clone() + &rescored(json!(1.0), json!(0)));
    assert_eq!(described(&site.publish()), [""; 0]);
    let listed = site
        .first_page()
        .texts("section[aria-labelledby=decisions] li");
    assert!(
        listed[0].starts_with("Rescored reward: 1.0 → 0 "),
        "{listed:?}"
    );
    site.write(FILE, first + &rescored(json!(0.5), json!(0)));
    assert_eq!(codes(&site.check()), ["decisions.wrong-value"]);
}

#[test]
fn a_changed_decision_changes_the_pages_of_its_run_and_no_others() {
    let site = site();
    site.run("other", &Run::new("0000000b-1").case("other"))
        .publish();
    let mut before = site.published();
    site.write(FILE, decided("void")).publish();
    let after = site.published();
    let changed = differences(&before, &after);
    assert!(
        changed.iter().any(|path| path.contains(FIRST_SLUG)),
        "{changed:?}"
    );
    let other = changed.iter().filter(|path| path.contains("0000000b"));
    assert_eq!(other.count(), 0, "{changed:?}");
    site.remove(FILE).publish();
    let restored = site.published();
    before.retain(|path, _| !path.starts_with("feeds/changes"));
    for (path, bytes) in before {
        assert!(restored.get(&path) == Some(&bytes), "{path}");
    }
}

#[test]
fn an_excluded_run_is_counted_apart_and_in_no_range() {
    let site = site();
    for (number, seconds) in [(2, 10), (3, 1000)] {
        add(&site, number, |record| {
            record["metrics"]["runTimeSeconds"] = json!(seconds);
        });
    }
    let seen = || {
        site.publish();
        let case = site.page("cases/pong/index.html");
        let run = site.first_page().main();
        let ranges = [2, 3].map(|runs| run.contains(&format!("{runs} comparable runs")));
        (case.texts("table.reliability td.num")[0].clone(), ranges)
    };
    assert_eq!(seen(), ("3 of 3".to_owned(), [false, true]));
    site.write(FILE, line("2026-03-01", &id(2), "void", json!({})));
    assert_eq!(seen(), ("2 of 2, 1 excluded".to_owned(), [true, false]));
    site.page("overview/index.html")
        .says("2 of 2 completed 1 excluded");
}

#[test]
fn an_excluded_run_is_in_no_plot_and_marked_in_tables_and_comparisons() {
    let site = TestSite::empty();
    for number in 0..4 {
        site.run_with(&number.to_string(), &Run::new(&id(number)), |record| {
            // The last one costs a thousand times as much as the others.
            let cost = if number == 3 { 5000.0 } else { 5.0 };
            record["metrics"]["cost"]["comparable"] = json!(cost);
            record["metrics"]["runTimeSeconds"] = json!(60 * number + 60);
        });
    }
    let seen = || {
        site.publish();
        let case = site.page("cases/pong/index.html");
        let marks = below(case.all("figure.plot")[0], "a").len();
        let note = "1 run does not count and is only in the table.";
        let labels = case.texts("figure.plot svg text");
        let is_wide = labels.iter().any(|text| text.contains("logarithmic"));
        (marks, case.main().contains(note), is_wide)
    };
    assert_eq!(seen(), (4, false, true));
    site.write(FILE, line("2026-03-01", &id(3), "void", json!({})));
    assert_eq!(seen(), (3, true, false));
    let case = site.page("cases/pong/index.html");
    assert_eq!(case.all("table.reliability td.dots circle").len(), 3);
    let wall = case.texts(".wall li");
    assert!(wall.iter().any(|run| run.contains("void")), "{wall:?}");
    for page in ["cases/pong/index.html", "models/sample-lark-1/index.html"] {
        let mut rows = site.page(page).texts("tr[data-run] .c-st");
        rows.retain(|row| row.contains("Void"));
        assert_eq!(rows.len(), 1, "{page}");
        assert!(rows[0].starts_with("excluded, completed"), "{rows:?}");
    }
    // It has one sign, in tables as in the row of its model, and it is not that of a failure.
    for page in ["cases/pong/index.html", "runs/index.html"] {
        let page = site.page(page);
        let excluded = page.all("tr[data-run] a.g-none, tr[data-run] .c-st .badge.b-none");
        assert_eq!(excluded.len(), 2);
        assert_eq!(page.all("tr[data-run] .b-bad").len(), 0);
    }
    assert_eq!(case.all(".glyphs a.g-none").len(), 1);
    let mut compared = site.published();
    compared.retain(|path, _| path.starts_with("compare/"));
    let compared = String::from_utf8(compared.into_values().flatten().collect()).expect("UTF-8");
    assert_eq!(compared.matches(r#""excluded":"void""#).count(), 1);
}

#[test]
fn a_withdrawn_run_keeps_its_decisions_at_its_former_address() {
    let site = site();
    site.run("other", &Run::new("0000000b-1"))
        .write(FILE, decided("void"))
        .publish();
    site.remove(FIRST);
    assert_eq!(described(&site.publish()), [""; 0]);
    site.first_page().says("The <b>network</b> was down.");
    site.page("changes/index.html").says("Void");
}

#[test]
fn a_decision_that_says_what_is_so_already_is_a_warning() {
    for (lines, expected) in [
        (
            decided("void") + &decided("void"),
            "An earlier decision says already that the run is void",
        ),
        (
            decided("include") + &decided("include"),
            "An earlier decision says already that the run is included",
        ),
        (decided("void") + &decided("disqualify"), ""),
        (decided("include") + &decided("void"), ""),
        (
            rescored(json!(0.5), json!(1)) + &rescored(json!(1), json!(1.0)),
            "The value of `reward` is this one already",
        ),
    ] {
        let site = site();
        site.write(FILE, &lines);
        let outcome = site.publish();
        assert_eq!(messages_of(&outcome).join("; "), expected, "{lines}");
        for problem in &outcome.diagnostics {
            assert_eq!(problem.code.name, "decisions.repeated");
            assert_eq!(
                (problem.place.path.as_str(), problem.place.line),
                (FILE, Some(2))
            );
            assert!(problem.place.column.is_some());
        }
        site.runpress("verify public").ok();
    }
    // A value that its scorer does not count is made to count.
    let site = site();
    site.edit_first(|record| record["outcomes"][0]["valid"] = json!(false))
        .write(FILE, rescored(json!(0.5), json!(0.5)));
    assert_eq!(described(&site.publish()), [""; 0]);
}

#[test]
fn the_command_writes_lines_that_a_build_accepts() {
    let site = site();
    let done = decide(&site, "--void --event 2 --author mk").ok();
    assert_eq!(done.stdout, format!("{FILE}:1: {FIRST_ID}: void\n"));
    for more in [
        "--restore",
        "--rescore reward=1",
        "--rescore 'answer=I think: A'",
        "--rescore reward=0",
    ] {
        decide(&site, more).ok();
    }
    let written: Vec<Value> = site.text(FILE).lines().map(parse).collect();
    assert_eq!(written[0]["author"], json!({"id": "mk", "kind": "human"}));
    assert_eq!(
        written[2]["outcome"],
        json!({"name": "reward", "from": 0.5, "to": 1})
    );
    assert_eq!(written[3]["outcome"]["to"], "I think: A");
    assert_eq!(
        written[4]["outcome"],
        json!({"name": "reward", "from": 1, "to": 0})
    );
    assert_eq!(described(&site.publish()), [""; 0]);
}

#[test]
fn the_command_writes_nothing_that_a_build_would_refuse() {
    let site = site();
    for (arguments, says) in [
        (
            "--reason Because. --void --event 410",
            "decisions.unknown-event",
        ),
        ("--reason Because. --restore", "decisions.no-effect"),
        (
            "--reason Because. --rescore reward=0.5",
            "decisions.repeated",
        ),
        (
            "--reason Because. --disqualify --rule no-network",
            "decisions.unknown-rule",
        ),
        (
            "--reason Because. --rescore rewrd=1",
            "Did you mean `reward`?",
        ),
        ("--reason ' ' --void", "decisions.invalid-line"),
        ("--reason Because. --void --restore", "cannot be used with"),
    ] {
        let done = site.runpress(&format!("decide {FIRST} {arguments}"));
        assert_ne!(done.status, Some(0), "{arguments}");
        assert!(done.stderr.contains(says), "{arguments}: {}", done.stderr);
        assert!(!site.path(FILE).exists(), "{arguments}");
    }
}

#[test]
fn trials_count_as_was_decided() {
    let site = site();
    site.write(
        "site.toml",
        "[cells]\noutcome = \"reward\"\nat_least = 1.0\n",
    );
    for number in 2..5 {
        add(&site, number, |record| {
            record["outcomes"][0]["valid"] = json!(number != 4);
        });
    }
    let cell = || {
        site.publish();
        let feed = site.json("feeds/cells.json");
        let cell = &feed["sets"][0]["cells"][0];
        ["trials", "successes", "excluded"].map(|key| cell[key].as_u64())
    };
    assert_eq!(cell(), [Some(3), Some(0), Some(1)]);
    // The scorer itself did not count the fourth; its correction does.
    let corrected = correction(json!(0.5), json!(1));
    let lines = decided("void")
        + &line("2026-03-01", &id(2), "rescore", corrected.clone())
        + &line("2026-03-02", &id(4), "rescore", corrected);
    site.write(FILE, lines);
    assert_eq!(cell(), [Some(3), Some(2), Some(1)]);
    site.page("cases/pong/trials/index.html").says("1 excluded");
}
