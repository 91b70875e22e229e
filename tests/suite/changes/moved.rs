//! Runs whose address changed: a page at the old address leads to the new one.

use serde_json::{Value, json};

use super::{LEDGER, OTHER, newest, site};
use crate::support::{Page, Run, TestSite, codes, contains, differences, each, lacks};

const ID: &str = "0000000b-1";
const MOVED: &str = "pong-codex-sample-wren-2-0000000b";

/// Corrects the model of the other run.
fn correct(site: &TestSite, model: &str) {
    site.run("other", &Run::new(ID).model(model));
}

/// A site with a run that moved from [`OTHER`] to [`MOVED`].
fn moved() -> TestSite {
    let site = site();
    correct(&site, "sample/wren-2");
    site.publish();
    site
}

/// Expects the page of an address to say that its run has moved.
#[track_caller]
fn has_moved(site: &TestSite, slug: &str) {
    at(site, slug).says("This run has moved");
}

fn at(site: &TestSite, slug: &str) -> Page {
    site.page(&format!("runs/{slug}/index.html"))
}

/// The slugs that runs have left.
fn left(site: &TestSite) -> Vec<String> {
    let ledger = site.json(LEDGER);
    let slugs = each(&ledger["moved"], "slug").into_iter();
    slugs
        .map(|slug| slug.as_str().expect("a slug").to_owned())
        .collect()
}

#[test]
fn a_run_whose_model_was_corrected_leaves_a_page_that_leads_to_its_new_address() {
    let site = moved();
    let page = at(&site, OTHER);
    page.says("This run has moved");
    page.says("by sample/wren-2 with codex was published");
    lacks(&page.main(), "lark-1");
    let mut links = page.attrs("main a", "href");
    links.retain(|href| href.contains("wren"));
    assert_eq!(links, [format!("../../runs/{MOVED}/index.html")]);
    lacks(&at(&site, MOVED).main(), "has moved");
    let canonical = format!("https://runs.example.org/runs/{MOVED}/");
    assert_eq!(page.attrs("link[rel=canonical]", "href"), [canonical]);
    assert_eq!(page.attrs("meta[name=robots]", "content"), ["noindex"]);
    assert_eq!(page.all("meta[http-equiv=refresh]").len(), 0);
    assert_eq!(page.all("script:not([src])").len(), 0);
    for file in ["sitemap.xml", "feeds/runs.json"] {
        lacks(&site.text(&format!("public/{file}")), OTHER);
    }

    let change = &newest(&site)["changed"][0];
    assert_eq!(change["movedFrom"], OTHER);
    assert_eq!(change["run"]["slug"], MOVED);
    assert_eq!(change["fields"], json!([{"pointer": "/subject/modelId"}]));
    site.page("changes/index.html")
        .says(format!("Its address was {OTHER}"));
}

#[test]
fn the_page_stays_from_build_to_build_and_the_same_content_gives_the_same_bytes() {
    let site = moved();
    let before = site.published();
    assert!(site.publish().changes().is_none());
    assert_eq!(differences(&before, &site.published()), [""; 0]);
    site.run("new", &Run::new("0000000c-1")).publish();
    has_moved(&site, OTHER);
}

#[test]
fn every_former_address_of_a_run_leads_to_its_newest() {
    let site = moved();
    correct(&site, "sample/tern-3");
    site.publish();
    assert_eq!(left(&site), [OTHER, MOVED]);
    let newest = "pong-codex-sample-tern-3-0000000b";
    for slug in [OTHER, MOVED] {
        let html = site.text(&format!("public/runs/{slug}/index.html"));
        contains(&html, format!("{newest}/index.html"));
    }
    correct(&site, "sample/lark-1");
    site.publish();
    assert_eq!(left(&site), [newest, MOVED]);
    lacks(&at(&site, OTHER).main(), "has moved");
}

#[test]
fn a_new_run_does_not_get_a_former_address_of_another_run() {
    let site = moved();
    site.run("heir", &Run::new("0000000b-2"));
    assert_eq!(codes(&site.publish()), ["archive.slug-collision"]);
    assert_eq!(left(&site), [OTHER]);
    has_moved(&site, OTHER);
    let heir = "pong-codex-sample-lark-1-0000000b-2";
    at(&site, heir).says("0000000b-2");
    site.remove("content/runs/heir").publish();
    has_moved(&site, OTHER);
    at(&site, heir).says("This run was withdrawn");
    correct(&site, "sample/lark-1");
    site.publish();
    lacks(&at(&site, OTHER).main(), "has moved");
}

#[test]
fn a_run_that_was_withdrawn_after_it_moved_has_a_notice_at_every_address() {
    let site = moved();
    let list = format!("[[run]]\nid = \"{OTHER}\"\nreason = \"It ran twice.\"\n");
    site.remove("content/runs/other")
        .write("content/withdrawn.toml", list);
    assert_eq!(
        codes(&site.publish()),
        [""; 0],
        "the old address names it, too"
    );
    for slug in [OTHER, MOVED] {
        at(&site, slug).says("This run was withdrawn");
        at(&site, slug).says("It ran twice.");
    }
    correct(&site, "sample/wren-2");
    assert_eq!(codes(&site.publish()), ["withdrawn.still-published"]);
    has_moved(&site, OTHER);
}

#[test]
fn a_run_that_comes_back_under_another_address_leaves_a_page_at_the_one_it_had() {
    let site = site();
    site.remove("content/runs/other").publish();
    correct(&site, "sample/wren-2");
    site.publish();
    assert_eq!(newest(&site)["returned"][0]["slug"], MOVED);
    has_moved(&site, OTHER);
}

#[test]
fn a_quarantined_run_has_a_notice_at_its_former_addresses() {
    let site = moved();
    correct(&site, "sample/tern-3");
    site.write("content/runs/other/events.jsonl.annotations.jsonl", "{")
        .keep_going();
    for slug in [OTHER, MOVED] {
        let page = at(&site, slug);
        page.says("This run is quarantined");
        assert_eq!(page.all("link[rel=canonical]").len(), 0);
    }
}

#[test]
fn a_ledger_without_former_addresses_is_read_and_continued() {
    let site = site();
    site.edit(&format!("public/{LEDGER}"), |ledger| {
        ledger.as_object_mut().expect("an object").remove("moved");
    });
    assert!(site.publish().changes().is_none());
    assert_eq!(left(&site), [""; 0]);
}

#[test]
fn a_ledger_with_a_left_address_outside_the_site_is_refused() {
    let site = moved();
    let escape = |ledger: &mut Value| ledger["moved"][0]["slug"] = json!("../../escape");
    site.edit(&format!("public/{LEDGER}"), escape);
    site.runpress("build").exits(2).says("ledger.unreadable");
}
