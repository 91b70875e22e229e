//! An address stays with its run. Earlier versions gave one address to several runs, one after the other: each is reported as
//! itself, and the next build is not blocked.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{LEDGER, ids, newest};
use crate::support::{Run, TestSite, codes, contains, entries, fixture, messages, parse};

const SLUG: &str = "pong-codex-sample-lark-1-run-1";

fn gone(site: &TestSite, folder: &str) {
    site.remove(&format!("content/runs/{folder}"));
}

/// A site on which first `run-1` and then `run-2` had the address [`SLUG`].
fn handed_on() -> TestSite {
    let site = TestSite::empty();
    site.run("one", &Run::new("run-1")).publish();
    gone(&site, "one");
    site.run("two", &Run::new("run-2")).publish();
    readdress(&site, "pong-codex-sample-lark-1-run-2", SLUG);
    site.publish();
    site
}

/// Replaces an address in the ledger, which then has no owners of other addresses, like one of an earlier version.
fn readdress(site: &TestSite, from: &str, to: &str) {
    site.edit(&format!("public/{LEDGER}"), |ledger| {
        *ledger = parse(&ledger.to_string().replace(from, to));
        ledger
            .as_object_mut()
            .expect("an object")
            .remove("addresses");
    });
}

/// The address of each entry of a feed, by a key.
fn slugs(site: &TestSite, feed: &str, key: &str) -> BTreeMap<String, String> {
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let document = site.json(&format!("feeds/{feed}.json"));
    let all = entries(&document[feed]).iter();
    all.map(|entry| (text(&entry[key]), text(&entry["slug"])))
        .collect()
}

/// The address of each published run, by id.
fn addresses(site: &TestSite) -> BTreeMap<String, String> {
    slugs(site, "runs", "id")
}

/// What `content/withdrawn.toml` says of a run.
fn withdrawn(id: &str, reason: &str) -> String {
    format!("[[run]]\nid = \"{id}\"\nreason = \"{reason}\"\n")
}

fn says(site: &TestSite, slug: &str, words: &str) {
    site.page(&format!("runs/{slug}/index.html")).says(words);
}

#[test]
fn the_address_of_a_withdrawn_run_shows_that_it_was_withdrawn() {
    let site = TestSite::bare().overlay(&fixture("cases/addresses/native"));
    assert_eq!(codes(&site.publish()), [""; 0]);
    let before = addresses(&site);
    assert_eq!(before.len(), 3);
    let (id, reason) = ("2026-03-01-nightly", "The timer was wrong.");
    gone(&site, "r1");
    site.write("content/withdrawn.toml", withdrawn(id, reason))
        .publish();
    says(&site, &before[id], "This run was withdrawn");
    says(&site, &before[id], reason);
    let mut after = addresses(&site);
    after.insert(id.to_owned(), before[id].clone());
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
        let folder = fixture("cases/addresses/imported");
        let file = folder.join(format!("rollout-019f9000-{thread}.jsonl"));
        site.runpress(&format!("import {} --case paddle", file.display()))
            .ok();
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
        .run("two", &Run::new("run-002"))
        .publish();
    let former = "pong-codex-sample-lark-1-run";
    readdress(&site, "pong-codex-sample-lark-1-run-001", former);
    assert_eq!(codes(&site.publish()), [""; 0]);
    assert_eq!(addresses(&site)["run-001"], former);
    gone(&site, "one");
    site.publish();
    says(&site, former, "This run was withdrawn");
    // A corrected run gets a new address, and its old one again if the correction is taken back.
    let corrected = "pong-codex-sample-wren-2-run-001";
    for (model, address, left) in [
        ("sample/wren-2", corrected, former),
        ("sample/lark-1", former, corrected),
    ] {
        site.run("one", &Run::new("run-001").model(model)).publish();
        assert_eq!(addresses(&site)["run-001"], address);
        says(&site, left, "This run has moved");
    }
}

#[test]
fn a_model_keeps_its_address_when_one_with_the_same_slug_comes_or_goes() {
    let site = TestSite::empty();
    let slugs = || slugs(&site, "models", "name");
    site.run("one", &Run::new("run-1").model("open-gpt-5-4"))
        .run("two", &Run::new("run-2").model("open/gpt-5.4"))
        .publish();
    let before = slugs();
    assert_eq!(before["open-gpt-5-4"], "open-gpt-5-4");
    // A ledger of an earlier version does not say whose the addresses are.
    readdress(&site, "", "");
    gone(&site, "one");
    site.publish();
    assert_eq!(slugs()["open/gpt-5.4"], before["open/gpt-5.4"]);
    site.run("one", &Run::new("run-1").model("open-gpt-5-4"))
        .run("three", &Run::new("run-3").model("open gpt 5 4"))
        .publish();
    let mut after = slugs();
    assert!(after.remove("open gpt 5 4").is_some());
    assert_eq!(after, before);
}

#[test]
fn the_notice_of_a_run_that_was_quarantined_at_once_is_replaced_by_no_other_run() {
    let site = TestSite::empty();
    let sidecar = "content/runs/two/events.jsonl.annotations.jsonl";
    site.run("two", &Run::new("0000000b-2"))
        .write(sidecar, "{")
        .keep_going();
    let address = "pong-codex-sample-lark-1-0000000b";
    says(&site, address, "This run is quarantined");
    let earlier = Run::new("0000000b-1").at("2026-01-01T10:00:00Z", "2026-01-01T10:10:00Z");
    site.run("one", &earlier).keep_going();
    says(&site, address, "This run is quarantined");
    assert_eq!(addresses(&site)["0000000b-1"], format!("{address}-1"));
    site.remove(sidecar).publish();
    assert_eq!(addresses(&site)["0000000b-2"], address);
}

#[test]
fn two_runs_that_were_withdrawn_from_one_address_have_one_page_there() {
    let site = handed_on();
    gone(&site, "two");
    site.publish();
    assert_eq!(entries(&site.json(LEDGER)["withdrawn"]).len(), 2);
    says(&site, SLUG, "This run was withdrawn");
    assert!(site.publish().changes().is_none());
}

#[test]
fn an_entry_links_to_the_page_of_its_own_run_only() {
    let site = handed_on();
    let links = || {
        let page = site.page("changes/index.html");
        page.all(&format!("main a[href='../runs/{SLUG}/index.html']"))
            .len()
    };
    assert_eq!(links(), 1, "the run that was added, not the one before it");
    gone(&site, "two");
    site.publish();
    assert!(links() > 0);
}

#[test]
fn the_reason_for_a_run_whose_address_another_one_has_is_no_contradiction() {
    let site = handed_on();
    let reason = "It was a rehearsal.";
    site.write("content/withdrawn.toml", withdrawn(SLUG, reason));
    assert_eq!(codes(&site.publish()), [""; 0]);
    assert_eq!(site.json(LEDGER)["withdrawn"][0]["reason"], reason);
    site.run("one", &Run::new("run-1"));
    let expected = ["archive.slug-collision", "withdrawn.still-published"];
    assert_eq!(codes(&site.publish()), expected);
}

#[test]
fn a_run_is_compared_with_its_own_record_and_not_with_its_address() {
    let site = TestSite::empty();
    let sidecar = "content/runs/one/events.jsonl.annotations.jsonl";
    site.run("one", &Run::new("run-1"))
        .write("content/runs/one/events.jsonl", messages(2))
        .publish();
    site.write(sidecar, "{")
        .run("two", &Run::new("run-2"))
        .keep_going();
    gone(&site, "two");
    let record = "content/runs/one/run-record.json";
    site.remove(sidecar)
        .replace(record, "\"output\": 30", "\"output\": 1300")
        .publish();
    let build = newest(&site);
    assert_eq!(ids(&build["returned"]), ["run-1"]);
    let fields = json!([{"pointer": "/metrics/tokens"}]);
    assert_eq!(build["changed"][0]["fields"], fields);
}

#[test]
fn a_run_whose_record_cannot_be_read_is_quarantined_and_not_withdrawn() {
    let site = TestSite::empty();
    site.run("one", &Run::new("run-1"))
        .run("two", &Run::new("two-1"))
        .publish();
    site.write("content/runs/one/run-record.json", "{")
        .keep_going();
    let build = newest(&site);
    assert_eq!(ids(&build["quarantined"]), ["run-1"]);
    assert_eq!(build["withdrawn"], json!([]));
    // Does not wait for a run that is known to be withdrawn.
    gone(&site, "two");
    site.write(
        "content/withdrawn.toml",
        withdrawn("two-1", "It ran twice."),
    )
    .keep_going();
    assert_eq!(ids(&newest(&site)["withdrawn"]), ["two-1"]);
    site.run("one", &Run::new("run-1")).publish();
    assert_eq!(ids(&newest(&site)["returned"]), ["run-1"]);
    assert_eq!(newest(&site)["changed"], json!([]));
}

#[test]
fn what_a_withdrawn_run_said_is_not_repeated() {
    let site = TestSite::empty();
    site.run("one", &Run::new("run-1"))
        .run("two", &Run::new("two-1"))
        .publish();
    let record = "content/runs/one/run-record.json";
    site.replace(
        record,
        "\"runTimeSeconds\": 600",
        "\"runTimeSeconds\": 71.12345",
    )
    .publish();
    site.replace(record, "71.12345", "600").publish();
    contains(&site.text(&format!("public/{LEDGER}")), "71.12345");
    gone(&site, "one");
    site.publish();
    assert_eq!(site.published_with("71.12345"), [""; 0]);
    assert!(site.publish().changes().is_none());
}

#[test]
fn a_previous_site_without_a_ledger_is_not_taken_for_the_beginning_of_one() {
    let ran = handed_on().runpress("build --previous content").exits(2);
    ran.says("ledger.no-site")
        .says("has no ledger, `feeds/changes.json`");
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
        contains(&whole, from);
        site.write(&path, whole.replace(from, to));
        site.runpress("build").exits(2).says(told);
    }
}
