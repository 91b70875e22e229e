//! An address stays with its run. Earlier versions gave one address to several runs, one after the other: each is reported as
//! itself, and the next build is not blocked.

use std::collections::BTreeMap;

use runpress::api::site::Overrides;
use serde_json::{Value, json};

use super::{LEDGER, ids, newest};
use crate::support::{Run, TestSite, codes, fixture, messages};

const SLUG: &str = "pong-codex-sample-lark-1-run-1";

fn gone(site: &TestSite, folder: &str) {
    std::fs::remove_dir_all(site.path(&format!("content/runs/{folder}"))).expect("a folder");
}

fn keep_going(site: &TestSite) {
    let overrides = Overrides {
        keep_going: true,
        ..Overrides::default()
    };
    assert!(site.build_with(&overrides).published);
}

/// A site on which first `run-1` and then `run-2` had the address [`SLUG`].
fn handed_on() -> TestSite {
    let site = TestSite::empty();
    site.run("one", &Run::new("run-1"));
    site.publish();
    gone(&site, "one");
    site.run("two", &Run::new("run-2"));
    site.publish();
    readdress(&site, "pong-codex-sample-lark-1-run-2", SLUG);
    site.publish();
    site
}

/// Replaces an address in the ledger, which then has no owners of other addresses, like one of an earlier version.
fn readdress(site: &TestSite, from: &str, to: &str) {
    let path = format!("public/{LEDGER}");
    let text = site.text(&path).replace(from, to);
    let mut ledger: Value = serde_json::from_str(&text).expect("JSON");
    ledger
        .as_object_mut()
        .expect("an object")
        .remove("addresses");
    site.write(&path, ledger.to_string());
}

/// The address of each published run, by id.
fn addresses(site: &TestSite) -> BTreeMap<String, String> {
    let feed = site.json("feeds/runs.json");
    let runs = feed["runs"].as_array().expect("runs");
    let text = |run: &Value, key: &str| run[key].as_str().expect("a text").to_owned();
    runs.iter()
        .map(|run| (text(run, "id"), text(run, "slug")))
        .collect()
}

fn main_text(site: &TestSite, slug: &str) -> String {
    site.page(&format!("runs/{slug}/index.html")).main()
}

#[test]
fn the_address_of_a_withdrawn_run_shows_that_it_was_withdrawn() {
    let site = TestSite::bare().overlay(&fixture("cases/addresses/native"));
    assert_eq!(codes(&site.publish()), [""; 0]);
    let before = addresses(&site);
    assert_eq!(before.len(), 3);
    let first = &before["2026-03-01-nightly"];
    gone(&site, "r1");
    let list = "[[run]]\nid = \"2026-03-01-nightly\"\nreason = \"The timer was wrong.\"\n";
    site.write("content/withdrawn.toml", list);
    site.publish();
    let text = main_text(&site, first);
    assert!(text.contains("This run was withdrawn"), "{text}");
    assert!(text.contains("The timer was wrong."), "{text}");
    let mut after = addresses(&site);
    after.insert("2026-03-01-nightly".to_owned(), first.clone());
    assert_eq!(after, before);
}

#[test]
fn a_run_that_started_earlier_takes_no_address_of_another_run() {
    let site = TestSite::bare().overlay(&fixture("cases/addresses/native"));
    site.publish();
    let before = addresses(&site);
    let record = site.text("content/runs/r1/run-record.json");
    let earlier = record.replace("2026-03-01", "2026-01-05");
    site.write("content/runs/r0/run-record.json", earlier);
    site.publish();
    let mut after = addresses(&site);
    assert!(after.remove("2026-01-05-nightly").is_some());
    assert_eq!(after, before);
}

#[test]
fn an_imported_thread_keeps_its_address_when_one_of_the_same_minute_is_added() {
    let site = TestSite::empty();
    let import = |thread: &str| {
        let file = format!("rollout-019f9000-{thread}.jsonl");
        let file = fixture("cases/addresses/imported").join(file);
        let file = file.to_str().expect("UTF-8");
        let ran = site.runpress(&["import", file, "--case", "paddle"]);
        assert_eq!(ran.status, Some(0), "{}", ran.stderr);
        assert_eq!(codes(&site.publish()), [""; 0]);
    };
    import("bbbb-7000-8000-000000000002");
    let before = addresses(&site);
    import("aaaa-7000-8000-000000000001");
    let after = addresses(&site);
    assert_eq!(after.len(), 2);
    for (id, slug) in before {
        assert_eq!(after[&id], slug);
    }
}

#[test]
fn the_addresses_of_an_earlier_version_stay() {
    let site = TestSite::empty();
    site.run("one", &Run::new("run-001"))
        .run("two", &Run::new("run-002"));
    site.publish();
    let former = "pong-codex-sample-lark-1-run";
    readdress(&site, "pong-codex-sample-lark-1-run-001", former);
    assert_eq!(codes(&site.publish()), [""; 0]);
    assert_eq!(addresses(&site)["run-001"], former);
    gone(&site, "one");
    site.publish();
    assert!(main_text(&site, former).contains("This run was withdrawn"));
    // A corrected run gets a new address, and its old one again if the correction is taken back.
    site.run("one", &Run::new("run-001").model("sample/wren-2"));
    site.publish();
    let corrected = "pong-codex-sample-wren-2-run-001";
    assert_eq!(addresses(&site)["run-001"], corrected);
    assert!(main_text(&site, former).contains("This run has moved"));
    site.run("one", &Run::new("run-001"));
    site.publish();
    assert_eq!(addresses(&site)["run-001"], former);
    assert!(main_text(&site, corrected).contains("This run has moved"));
}

#[test]
fn a_model_keeps_its_address_when_one_with_the_same_slug_comes_or_goes() {
    let site = TestSite::empty();
    let slugs = |site: &TestSite| -> BTreeMap<String, String> {
        let feed = site.json("feeds/models.json");
        let models = feed["models"].as_array().expect("models");
        let text = |model: &Value, key: &str| model[key].as_str().expect("a text").to_owned();
        models
            .iter()
            .map(|model| (text(model, "name"), text(model, "slug")))
            .collect()
    };
    site.run("one", &Run::new("run-1").model("open-gpt-5-4"))
        .run("two", &Run::new("run-2").model("open/gpt-5.4"));
    site.publish();
    let before = slugs(&site);
    assert_eq!(before["open-gpt-5-4"], "open-gpt-5-4");
    // A ledger of an earlier version does not say whose the addresses are.
    readdress(&site, "", "");
    gone(&site, "one");
    site.publish();
    assert_eq!(slugs(&site)["open/gpt-5.4"], before["open/gpt-5.4"]);
    site.run("one", &Run::new("run-1").model("open-gpt-5-4"));
    site.run("three", &Run::new("run-3").model("open gpt 5 4"));
    site.publish();
    let mut after = slugs(&site);
    assert!(after.remove("open gpt 5 4").is_some());
    assert_eq!(after, before);
}

#[test]
fn the_notice_of_a_run_that_was_quarantined_at_once_is_replaced_by_no_other_run() {
    let site = TestSite::empty();
    site.run("two", &Run::new("0000000b-2"));
    site.write("content/runs/two/events.jsonl.annotations.jsonl", "{");
    keep_going(&site);
    let address = "pong-codex-sample-lark-1-0000000b";
    assert!(main_text(&site, address).contains("This run is quarantined"));
    let earlier = Run::new("0000000b-1").at("2026-01-01T10:00:00Z", "2026-01-01T10:10:00Z");
    site.run("one", &earlier);
    keep_going(&site);
    assert!(main_text(&site, address).contains("This run is quarantined"));
    assert_eq!(addresses(&site)["0000000b-1"], format!("{address}-1"));
    site.remove("content/runs/two/events.jsonl.annotations.jsonl");
    site.publish();
    assert_eq!(addresses(&site)["0000000b-2"], address);
}

#[test]
fn two_runs_that_were_withdrawn_from_one_address_have_one_page_there() {
    let site = handed_on();
    gone(&site, "two");
    site.publish();
    assert_eq!(
        site.json(LEDGER)["withdrawn"].as_array().map(Vec::len),
        Some(2)
    );
    let page = site.page(&format!("runs/{SLUG}/index.html"));
    assert!(page.main().contains("This run was withdrawn"));
    assert!(site.publish().changes().is_none());
}

#[test]
fn an_entry_links_to_the_page_of_its_own_run_only() {
    let site = handed_on();
    let link = format!("../runs/{SLUG}/index.html");
    let links = |site: &TestSite| {
        let page = site.page("changes/index.html");
        let all = page.all("main a").into_iter();
        all.filter(|a| a.attr("href") == Some(link.as_str()))
            .count()
    };
    assert_eq!(
        links(&site),
        1,
        "the run that was added, not the one before it"
    );
    gone(&site, "two");
    site.publish();
    assert!(links(&site) > 0);
}

#[test]
fn the_reason_for_a_run_whose_address_another_one_has_is_no_contradiction() {
    let site = handed_on();
    let list = |name: &str| format!("[[run]]\nid = \"{name}\"\nreason = \"It was a rehearsal.\"\n");
    site.write("content/withdrawn.toml", list(SLUG));
    assert_eq!(codes(&site.publish()), [""; 0]);
    assert_eq!(
        site.json(LEDGER)["withdrawn"][0]["reason"],
        "It was a rehearsal."
    );
    site.run("one", &Run::new("run-1"));
    assert_eq!(
        codes(&site.publish()),
        ["archive.slug-collision", "withdrawn.still-published"]
    );
}

#[test]
fn a_run_is_compared_with_its_own_record_and_not_with_its_address() {
    let site = TestSite::empty();
    let sidecar = "content/runs/one/events.jsonl.annotations.jsonl";
    site.run("one", &Run::new("run-1"));
    site.write("content/runs/one/events.jsonl", messages(2));
    site.publish();
    site.write(sidecar, "{");
    site.run("two", &Run::new("run-2"));
    keep_going(&site);
    gone(&site, "two");
    site.remove(sidecar);
    site.replace(
        "content/runs/one/run-record.json",
        "\"output\": 30",
        "\"output\": 1300",
    );
    site.publish();
    let build = newest(&site);
    assert_eq!(ids(&build["returned"]), ["run-1"]);
    assert_eq!(
        build["changed"][0]["fields"],
        json!([{"pointer": "/metrics/tokens"}])
    );
}

#[test]
fn a_run_whose_record_cannot_be_read_is_quarantined_and_not_withdrawn() {
    let site = TestSite::empty();
    site.run("one", &Run::new("run-1"))
        .run("two", &Run::new("two-1"));
    site.publish();
    let record = site.text("content/runs/one/run-record.json");
    site.write("content/runs/one/run-record.json", "{");
    keep_going(&site);
    let build = newest(&site);
    assert_eq!(ids(&build["quarantined"]), ["run-1"]);
    assert_eq!(build["withdrawn"], json!([]));
    // Does not wait for a run that is known to be withdrawn.
    gone(&site, "two");
    site.write(
        "content/withdrawn.toml",
        "[[run]]\nid = \"two-1\"\nreason = \"It ran twice.\"\n",
    );
    keep_going(&site);
    assert_eq!(ids(&newest(&site)["withdrawn"]), ["two-1"]);
    site.write("content/runs/one/run-record.json", record);
    site.publish();
    assert_eq!(ids(&newest(&site)["returned"]), ["run-1"]);
    assert_eq!(newest(&site)["changed"], json!([]));
}

#[test]
fn what_a_withdrawn_run_said_is_not_repeated() {
    let site = TestSite::empty();
    site.run("one", &Run::new("run-1"))
        .run("two", &Run::new("two-1"));
    site.publish();
    site.replace(
        "content/runs/one/run-record.json",
        "\"runTimeSeconds\": 600",
        "\"runTimeSeconds\": 71.12345",
    );
    site.publish();
    site.replace("content/runs/one/run-record.json", "71.12345", "600");
    site.publish();
    assert!(site.text(&format!("public/{LEDGER}")).contains("71.12345"));
    gone(&site, "one");
    site.publish();
    let held: Vec<_> = site
        .published()
        .into_iter()
        .filter(|(_, bytes)| bytes.windows(8).any(|part| part == b"71.12345"))
        .map(|(path, _)| path)
        .collect();
    assert_eq!(held, [""; 0]);
    assert!(site.publish().changes().is_none());
}

#[test]
fn a_previous_site_without_a_ledger_is_not_taken_for_the_beginning_of_one() {
    let site = handed_on();
    let ran = site.runpress(&["build", "--previous", "content"]);
    assert_eq!(ran.status, Some(2), "{}", ran.stderr);
    assert!(ran.stderr.contains("ledger.no-site"), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("has no ledger, `feeds/changes.json`"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_ledger_that_contradicts_itself_is_refused() {
    let site = handed_on();
    let path = format!("public/{LEDGER}");
    let whole = site.text(&path);
    for (from, to, told) in [
        (
            "\"id\":\"run-1\"",
            "\"id\":\"run-2\"",
            "duplicate run `run-2`",
        ),
        (
            "\"build\":2",
            "\"build\":18446744073709551615",
            "is not the number of a build",
        ),
    ] {
        assert!(whole.contains(from), "{whole}");
        site.write(&path, whole.replace(from, to));
        let ran = site.runpress(&["build"]);
        assert_eq!(ran.status, Some(2), "{}", ran.stderr);
        assert!(ran.stderr.contains(told), "{}", ran.stderr);
    }
}
