//! Runs that had the same address one after the other: each is reported as itself, and the next build is not blocked.

use runpress::api::site::Overrides;
use serde_json::json;

use super::{LEDGER, ids, newest};
use crate::support::{Run, TestSite, codes, messages};

const SLUG: &str = "pong-codex-sample-lark-1-run";

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
    site
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
