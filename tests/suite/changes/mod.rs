//! Changes from build to build: the ledger, its pages, and the pages of withdrawn runs.

mod addresses;
mod fresh;
mod moved;
mod parts;
mod redacted;

use runpress::api::site::Overrides;
use serde_json::{Value, json};

use crate::support::{
    FIRST, FIRST_SLUG, HEADER, Run, TestSite, annotation, codes, described, differences, lines,
    messages, words,
};

const LEDGER: &str = "feeds/changes.json";
const OTHER: &str = "pong-codex-sample-lark-1-0000000b";

/// The base run and another one, published.
fn site() -> TestSite {
    let site = TestSite::base();
    site.run("other", &Run::new("0000000b-1"));
    site.publish();
    site
}

/// The latest entry of the ledger.
fn newest(site: &TestSite) -> Value {
    site.json(LEDGER)["builds"][0].clone()
}

fn ids(list: &Value) -> Vec<&str> {
    let list = list.as_array().expect("a list");
    list.iter()
        .map(|run| run["id"].as_str().expect("an id"))
        .collect()
}

#[test]
fn the_first_build_begins_the_ledger_and_the_same_content_adds_nothing() {
    let site = site();
    let before = site.published();
    let ledger = site.json(LEDGER);
    let state = &ledger["builds"][0]["state"];
    assert!(state.is_string());
    assert_eq!(
        ledger["builds"],
        json!([{
            "build": 1, "runs": 2, "added": [], "returned": [], "withdrawn": [],
            "quarantined": [], "changed": [], "state": state
        }])
    );
    assert_eq!(ledger["runs"].as_array().map(Vec::len), Some(2));
    let again = site.publish();
    assert!(again.changes().is_none());
    assert_eq!(differences(&before, &site.published()), [""; 0]);
    let page = site.page("changes/index.html");
    assert!(page.main().contains("The ledger begins here, with 2 runs"));
}

#[test]
fn white_space_in_a_record_is_no_change() {
    let site = site();
    let path = "content/runs/other/run-record.json";
    let record: Value = serde_json::from_str(&site.text(path)).expect("JSON");
    let wide = serde_json::to_string_pretty(&record).expect("JSON");
    site.write(path, wide);
    assert!(site.publish().changes().is_none());
}

#[test]
fn a_new_run_is_added_and_a_removed_one_is_withdrawn_with_a_page_in_its_place() {
    let site = site();
    std::fs::remove_dir_all(site.path("content/runs/other")).expect("a folder");
    site.run("new", &Run::new("0000000c-1"));
    site.publish();
    let build = newest(&site);
    assert_eq!((&build["build"], &build["runs"]), (&json!(2), &json!(2)));
    assert_eq!(ids(&build["added"]), ["0000000c-1"]);
    assert_eq!(ids(&build["withdrawn"]), ["0000000b-1"]);
    let address = format!("runs/{OTHER}/index.html");
    let page = site.page(&address);
    assert!(
        page.main().contains("This run was withdrawn"),
        "{}",
        page.main()
    );
    assert!(page.main().contains("No reason was given"));
    let changes = site.page("changes/index.html");
    let link = format!("../{address}");
    assert!(
        changes
            .all("main a")
            .iter()
            .any(|a| a.attr("href") == Some(link.as_str()))
    );
    for feed in ["runs.json", "runs.csv", "feed.json"] {
        assert!(
            !site
                .text(&format!("public/feeds/{feed}"))
                .contains("0000000b-1"),
            "{feed}"
        );
    }
    assert!(!site.text("public/sitemap.xml").contains(OTHER));

    // A reason is shown as soon as there is one; it is not a change of the archive.
    let list = format!("[[run]]\nid = \"{OTHER}\"\nreason = \"It ran <b>twice</b>.\"\n");
    site.write("content/withdrawn.toml", list);
    let outcome = site.publish();
    assert_eq!(codes(&outcome), [""; 0]);
    assert!(outcome.changes().is_none());
    let text = site.page(&address).main();
    assert!(text.contains("It ran <b>twice</b>."), "{text}");
    assert_eq!(
        site.json(LEDGER)["withdrawn"][0]["reason"],
        "It ran <b>twice</b>."
    );

    // The run comes back.
    site.remove("content/withdrawn.toml");
    site.run("other", &Run::new("0000000b-1"));
    site.publish();
    assert_eq!(ids(&newest(&site)["returned"]), ["0000000b-1"]);
    assert_eq!(site.json(LEDGER)["withdrawn"], json!([]));
    assert!(!site.page(&address).main().contains("withdrawn"));
}

#[test]
fn a_changed_run_is_reported_field_by_field() {
    let site = site();
    let record = format!("{FIRST}/run-record.json");
    let text = site
        .text(&record)
        .replacen("\"comparable\": 0.4210", "\"comparable\": 0.250", 1);
    assert!(text.contains("0.250"), "{text}");
    site.write(&record, text);
    site.write(
        &format!("{FIRST}/events.jsonl.annotations.jsonl"),
        lines(&[
            HEADER,
            &annotation("new-one", 0, "note", "\"evidence\":\"said\""),
        ]),
    );
    let outcome = site.publish();
    assert!(outcome.changes().is_some());
    let build = newest(&site);
    let change = &build["changed"][0];
    assert_eq!(change["run"]["slug"], FIRST_SLUG);
    assert_eq!(
        change["fields"],
        json!([{"pointer": "/metrics/cost/comparable", "before": 0.421, "after": 0.25}])
    );
    assert!(
        site.text(&format!("public/{LEDGER}"))
            .contains("\"after\":0.250"),
        "as written"
    );
    assert_eq!(change["annotations"]["added"], json!(["new-one"]));
    let page = site.page("changes/index.html");
    let told = words(page.all("section.build")[0]);
    assert!(
        told.contains("/metrics/cost/comparable: 0.4210 → 0.250"),
        "{told}"
    );
    assert!(told.contains("1 annotation added: new-one"), "{told}");
}

#[test]
fn a_changed_rating_and_a_changed_event_log_are_reported() {
    let site = TestSite::empty();
    site.run("a", &Run::new("0000000a-1"));
    site.write("content/runs/a/events.jsonl", messages(3));
    let review = |word: &str| format!("---\nrating: {word}\n---\n\nSaid.\n");
    site.write("content/runs/a/writeup.md", review("great"));
    site.publish();
    site.write("content/runs/a/events.jsonl", messages(4));
    site.write("content/runs/a/writeup.md", review("passable"));
    site.publish();
    let change = &newest(&site)["changed"][0];
    assert_eq!(
        change["rating"],
        json!({"before": "great", "after": "passable"})
    );
    assert_eq!(change["files"], json!(["events.jsonl", "writeup.md"]));
    assert_eq!(change["fields"], json!([]));
}

#[test]
fn a_quarantined_run_and_its_return_are_reported() {
    let site = site();
    let path = "content/runs/other/events.jsonl.annotations.jsonl";
    site.write("content/runs/other/events.jsonl", messages(2));
    site.publish();
    site.write(path, "{");
    let aside = Overrides {
        keep_going: true,
        ..Overrides::default()
    };
    assert!(site.build_with(&aside).published);
    let build = newest(&site);
    assert_eq!(ids(&build["quarantined"]), ["0000000b-1"]);
    assert_eq!(build["withdrawn"], json!([]));
    // Reported only once while it stays quarantined.
    assert!(site.build_with(&aside).changes().is_none());
    site.remove(path);
    site.publish();
    assert_eq!(ids(&newest(&site)["returned"]), ["0000000b-1"]);
}

#[test]
fn a_build_elsewhere_continues_the_ledger_of_the_named_site() {
    let site = site();
    site.run("new", &Run::new("0000000c-1"));
    let ledger = site.bytes(&format!("public/{LEDGER}"));
    // Only the ledger was kept, so changes are reported by key.
    site.write(&format!("kept/{LEDGER}"), ledger);
    let record = format!("{FIRST}/run-record.json");
    let text = site
        .text(&record)
        .replacen("\"comparable\": 0.4210", "\"comparable\": 0.25", 1);
    site.write(&record, text);
    let elsewhere = Overrides {
        out: Some(site.path("elsewhere")),
        previous: Some(site.path("kept")),
        ..Overrides::default()
    };
    assert!(site.build_with(&elsewhere).published);
    let told: Value =
        serde_json::from_str(&site.text(&format!("elsewhere/{LEDGER}"))).expect("JSON");
    assert_eq!(ids(&told["builds"][0]["added"]), ["0000000c-1"]);
    assert_eq!(
        told["builds"][0]["changed"][0]["fields"],
        json!([{"pointer": "/metrics/cost"}])
    );
}

#[test]
fn a_check_reads_the_ledger_of_the_site_that_is_named_as_the_build_will() {
    let site = site();
    let arguments = |command| {
        [
            command,
            "--previous",
            "kept",
            "--base-url",
            "https://r.example/",
        ]
    };
    let good = site.bytes(&format!("public/{LEDGER}"));
    site.write(&format!("kept/{LEDGER}"), good);
    let ran = site.runpress(&arguments("check"));
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    // For example a login page.
    site.write(&format!("kept/{LEDGER}"), "<!doctype html>");
    assert_eq!(site.runpress(&["check"]).status, Some(0));
    for command in ["check", "build"] {
        let ran = site.runpress(&arguments(command));
        assert_eq!(ran.status, Some(2), "{command}: {}", ran.stderr);
        assert!(ran.stderr.contains("ledger.unreadable"), "{}", ran.stderr);
    }
}

#[test]
fn a_ledger_that_names_an_address_outside_the_site_is_refused() {
    let site = site();
    let path = format!("public/{LEDGER}");
    let text = site.text(&path).replace(OTHER, "../../escape");
    site.write(&path, text);
    std::fs::remove_dir_all(site.path("content/runs/other")).expect("a folder");
    let ran = site.runpress(&["build"]);
    assert_eq!(ran.status, Some(2), "{}", ran.stderr);
    assert!(ran.stderr.contains("ledger.unreadable"), "{}", ran.stderr);
    assert!(!site.path("escape").exists());
}

#[test]
fn a_ledger_of_a_newer_version_is_refused_and_kept() {
    let site = site();
    let path = format!("public/{LEDGER}");
    let text = site
        .text(&path)
        .replacen("\"schemaVersion\":1", "\"schemaVersion\":2", 1);
    site.write(&path, &text);
    let ran = site.runpress(&["build"]);
    assert_eq!(ran.status, Some(2), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("`schemaVersion` is `2`"),
        "{}",
        ran.stderr
    );
    assert_eq!(site.text(&path), text);
}

#[test]
fn a_list_of_withdrawn_runs_that_is_a_folder_is_an_error_and_an_empty_text_is_marked() {
    let site = TestSite::base();
    site.write("content/withdrawn.toml/x", "");
    let outcome = site.check();
    assert_eq!(
        described(&outcome),
        [
            "error[content.unreadable] content/withdrawn.toml The file `content/withdrawn.toml` cannot be read: it is not a regular file"
        ]
    );
    std::fs::remove_dir_all(site.path("content/withdrawn.toml")).expect("a folder");
    for (id, reason, told) in [
        (
            "a-1",
            " ",
            ":3:10 The list of withdrawn runs cannot be read: a `reason` is empty",
        ),
        (
            "",
            "It leaked.",
            ":2:6 The list of withdrawn runs cannot be read: an `id` is empty",
        ),
    ] {
        site.write(
            "content/withdrawn.toml",
            format!("[[run]]\nid = \"{id}\"\nreason = \"{reason}\"\n"),
        );
        assert_eq!(
            described(&site.check()),
            [format!(
                "error[withdrawn.invalid] content/withdrawn.toml{told}"
            )]
        );
    }
}
