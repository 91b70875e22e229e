//! Changes from build to build: the ledger, its pages, and the pages of withdrawn runs.

mod addresses;
mod fresh;
mod moved;
mod parts;
mod redacted;

use runpress::api::site::Overrides;
use serde_json::{Value, json};

use crate::support::{
    FIRST_SLUG, Run, TestSite, annotation, codes, contains, described, differences, each, entries,
    lacks, messages, parse, words,
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

fn ids(list: &Value) -> Vec<&Value> {
    each(list, "id")
}

/// Builds into another folder, from a kept ledger alone.
fn build_elsewhere(site: &TestSite) {
    site.write(
        &format!("kept/{LEDGER}"),
        site.bytes(&format!("public/{LEDGER}")),
    );
    let elsewhere = Overrides {
        out: Some(site.path("elsewhere")),
        previous: Some(site.path("kept")),
        ..Overrides::default()
    };
    assert!(site.build_with(&elsewhere).published);
}

/// What the newest entry on the page of changes says.
fn told(site: &TestSite) -> String {
    words(site.page("changes/index.html").all("section.build")[0])
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
    assert_eq!(entries(&ledger["runs"]).len(), 2);
    assert!(site.publish().changes().is_none());
    assert_eq!(differences(&before, &site.published()), [""; 0]);
    site.page("changes/index.html")
        .says("The ledger begins here, with 2 runs");
}

#[test]
fn white_space_in_a_record_is_no_change() {
    let site = site();
    site.edit("content/runs/other/run-record.json", |_| {});
    assert!(site.publish().changes().is_none());
}

#[test]
fn a_new_run_is_added_and_a_removed_one_is_withdrawn_with_a_page_in_its_place() {
    let site = site();
    site.remove("content/runs/other")
        .run("new", &Run::new("0000000c-1"))
        .publish();
    let build = newest(&site);
    assert_eq!([&build["build"], &build["runs"]], [2, 2]);
    assert_eq!(ids(&build["added"]), ["0000000c-1"]);
    assert_eq!(ids(&build["withdrawn"]), ["0000000b-1"]);
    let address = format!("runs/{OTHER}/index.html");
    let page = site.page(&address);
    page.says("This run was withdrawn");
    page.says("No reason was given");
    let links = site.page("changes/index.html").attrs("main a", "href");
    assert!(links.contains(&format!("../{address}")), "{links:?}");
    for feed in ["runs.json", "runs.csv", "feed.json"] {
        lacks(&site.text(&format!("public/feeds/{feed}")), "0000000b-1");
    }
    lacks(&site.text("public/sitemap.xml"), OTHER);

    // A reason is shown as soon as there is one; it is not a change of the archive.
    let reason = "It ran <b>twice</b>.";
    let list = format!("[[run]]\nid = \"{OTHER}\"\nreason = \"{reason}\"\n");
    let outcome = site.write("content/withdrawn.toml", list).publish();
    assert_eq!(codes(&outcome), [""; 0]);
    assert!(outcome.changes().is_none());
    site.page(&address).says(reason);
    assert_eq!(site.json(LEDGER)["withdrawn"][0]["reason"], reason);

    // The run comes back.
    site.remove("content/withdrawn.toml")
        .run("other", &Run::new("0000000b-1"))
        .publish();
    assert_eq!(ids(&newest(&site)["returned"]), ["0000000b-1"]);
    assert_eq!(site.json(LEDGER)["withdrawn"], json!([]));
    lacks(&site.page(&address).main(), "withdrawn");
}

#[test]
fn a_changed_run_is_reported_field_by_field() {
    let site = site();
    site.replace_first(
        "run-record.json",
        "\"comparable\": 0.4210",
        "\"comparable\": 0.250",
    )
    .annotate(&[annotation("new-one", 0, "note", "\"evidence\":\"said\"")]);
    assert!(site.publish().changes().is_some());
    let change = &newest(&site)["changed"][0];
    assert_eq!(change["run"]["slug"], FIRST_SLUG);
    let fields = json!([{"pointer": "/metrics/cost/comparable", "before": 0.421, "after": 0.25}]);
    assert_eq!(change["fields"], fields);
    // As written.
    contains(&site.text(&format!("public/{LEDGER}")), "\"after\":0.250");
    assert_eq!(change["annotations"]["added"], json!(["new-one"]));
    contains(&told(&site), "/metrics/cost/comparable: 0.4210 → 0.250");
    contains(&told(&site), "1 annotation added: new-one");
}

#[test]
fn a_changed_rating_and_a_changed_event_log_are_reported() {
    let site = TestSite::empty();
    site.run("a", &Run::new("0000000a-1"));
    for (rating, count) in [("great", 3), ("passable", 4)] {
        let review = format!("---\nrating: {rating}\n---\n\nSaid.\n");
        site.write("content/runs/a/events.jsonl", messages(count))
            .write("content/runs/a/writeup.md", review)
            .publish();
    }
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
    site.write("content/runs/other/events.jsonl", messages(2))
        .publish();
    site.write(path, "{").keep_going();
    let build = newest(&site);
    assert_eq!(ids(&build["quarantined"]), ["0000000b-1"]);
    assert_eq!(build["withdrawn"], json!([]));
    // Reported only once while it stays quarantined.
    assert!(site.keep_going().changes().is_none());
    site.remove(path).publish();
    assert_eq!(ids(&newest(&site)["returned"]), ["0000000b-1"]);
}

#[test]
fn a_build_elsewhere_continues_the_ledger_of_the_named_site() {
    let site = site();
    site.run("new", &Run::new("0000000c-1")).replace_first(
        "run-record.json",
        "\"comparable\": 0.4210",
        "\"comparable\": 0.25",
    );
    build_elsewhere(&site);
    let ledger = parse(&site.text(&format!("elsewhere/{LEDGER}")));
    let build = &ledger["builds"][0];
    assert_eq!(ids(&build["added"]), ["0000000c-1"]);
    // Only the ledger was kept, so changes are reported by key.
    let fields = json!([{"pointer": "/metrics/cost"}]);
    assert_eq!(build["changed"][0]["fields"], fields);
}

#[test]
fn a_check_reads_the_ledger_of_the_site_that_is_named_as_the_build_will() {
    let site = site();
    let run = |command: &str| {
        site.runpress(&format!(
            "{command} --previous kept --base-url https://r.example/"
        ))
    };
    let good = site.bytes(&format!("public/{LEDGER}"));
    site.write(&format!("kept/{LEDGER}"), good);
    run("check").ok();
    // For example a login page.
    site.write(&format!("kept/{LEDGER}"), "<!doctype html>");
    site.runpress("check").ok();
    for command in ["check", "build"] {
        run(command).exits(2).says("ledger.unreadable");
    }
}

#[test]
fn a_ledger_that_names_an_address_outside_the_site_is_refused() {
    let site = site();
    let path = format!("public/{LEDGER}");
    let text = site.text(&path).replace(OTHER, "../../escape");
    site.write(&path, text).remove("content/runs/other");
    site.runpress("build").exits(2).says("ledger.unreadable");
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
    site.runpress("build")
        .exits(2)
        .says("`schemaVersion` is `2`");
    assert_eq!(site.text(&path), text);
}

#[test]
fn a_list_of_withdrawn_runs_that_is_a_folder_is_an_error_and_an_empty_text_is_marked() {
    let site = TestSite::base();
    let list = "content/withdrawn.toml";
    site.write(&format!("{list}/x"), "");
    let told = format!(
        "error[content.unreadable] {list} The file `{list}` cannot be read: it is not a regular file"
    );
    assert_eq!(described(&site.check()), [told]);
    site.remove(list);
    for (id, reason, at, what) in [
        ("a-1", " ", "3:10", "a `reason`"),
        ("", "It leaked.", "2:6", "an `id`"),
    ] {
        site.write(
            list,
            format!("[[run]]\nid = \"{id}\"\nreason = \"{reason}\"\n"),
        );
        let told = format!(
            "error[withdrawn.invalid] {list}:{at} The list of withdrawn runs cannot be read: {what} is empty"
        );
        assert_eq!(described(&site.check()), [told]);
    }
}
