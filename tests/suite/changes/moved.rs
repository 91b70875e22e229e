//! Runs whose address changed: a page at the old address leads to the new one.

use runpress::api::site::Overrides;
use serde_json::{Value, json};

use super::{LEDGER, OTHER, newest, site};
use crate::support::{Page, Run, TestSite, codes, differences};

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

fn at(site: &TestSite, slug: &str) -> Page {
    site.page(&format!("runs/{slug}/index.html"))
}

/// The slugs that runs have left.
fn left(site: &TestSite) -> Vec<String> {
    let ledger = site.json(LEDGER);
    let moved = ledger["moved"].as_array().expect("a list");
    let slugs = moved
        .iter()
        .map(|run| run["slug"].as_str().expect("a slug"));
    slugs.map(str::to_owned).collect()
}

#[test]
fn a_run_whose_model_was_corrected_leaves_a_page_that_leads_to_its_new_address() {
    let site = moved();
    let page = at(&site, OTHER);
    let told = page.main();
    assert!(told.contains("This run has moved"), "{told}");
    assert!(
        told.contains("by sample/wren-2 with codex was published") && !told.contains("lark-1"),
        "{told}"
    );
    let link = page
        .all("main a")
        .into_iter()
        .filter_map(|a| a.attr("href"));
    let link: Vec<_> = link.filter(|href| href.contains("wren")).collect();
    assert_eq!(link, [format!("../../runs/{MOVED}/index.html")]);
    assert!(!at(&site, MOVED).main().contains("has moved"));
    assert_eq!(
        page.one("link[rel=canonical]").attr("href"),
        Some(format!("https://runs.example.org/runs/{MOVED}/").as_str())
    );
    assert_eq!(
        page.one("meta[name=robots]").attr("content"),
        Some("noindex")
    );
    assert_eq!(page.all("meta[http-equiv=refresh]").len(), 0);
    assert_eq!(page.all("script:not([src])").len(), 0);
    assert!(!site.text("public/sitemap.xml").contains(OTHER));
    assert!(!site.text("public/feeds/runs.json").contains(OTHER));

    let change = &newest(&site)["changed"][0];
    assert_eq!(change["movedFrom"], OTHER);
    assert_eq!(change["run"]["slug"], MOVED);
    assert_eq!(change["fields"], json!([{"pointer": "/subject/modelId"}]));
    let changes = site.page("changes/index.html").main();
    assert!(
        changes.contains(&format!("Its address was {OTHER}")),
        "{changes}"
    );
}

#[test]
fn the_page_stays_from_build_to_build_and_the_same_content_gives_the_same_bytes() {
    let site = moved();
    let before = site.published();
    assert!(site.publish().changes().is_none());
    assert_eq!(differences(&before, &site.published()), [""; 0]);
    site.run("new", &Run::new("0000000c-1"));
    site.publish();
    assert!(at(&site, OTHER).main().contains("This run has moved"));
}

#[test]
fn every_former_address_of_a_run_leads_to_its_newest() {
    let site = moved();
    correct(&site, "sample/tern-3");
    site.publish();
    assert_eq!(left(&site), [OTHER, MOVED]);
    for slug in [OTHER, MOVED] {
        let html = site.text(&format!("public/runs/{slug}/index.html"));
        assert!(
            html.contains("pong-codex-sample-tern-3-0000000b/index.html"),
            "{html}"
        );
    }
    correct(&site, "sample/lark-1");
    site.publish();
    assert_eq!(left(&site), ["pong-codex-sample-tern-3-0000000b", MOVED]);
    assert!(!at(&site, OTHER).main().contains("has moved"));
}

#[test]
fn a_new_run_does_not_get_a_former_address_of_another_run() {
    let site = moved();
    site.run("heir", &Run::new("0000000b-2"));
    assert_eq!(codes(&site.publish()), ["archive.slug-collision"]);
    assert_eq!(left(&site), [OTHER]);
    assert!(at(&site, OTHER).main().contains("has moved"));
    let heir = "pong-codex-sample-lark-1-0000000b-2";
    assert!(at(&site, heir).main().contains("0000000b-2"));
    std::fs::remove_dir_all(site.path("content/runs/heir")).expect("a folder");
    site.publish();
    assert!(at(&site, OTHER).main().contains("has moved"));
    assert!(at(&site, heir).main().contains("This run was withdrawn"));
    correct(&site, "sample/lark-1");
    site.publish();
    assert!(!at(&site, OTHER).main().contains("has moved"));
}

#[test]
fn a_run_that_was_withdrawn_after_it_moved_has_a_notice_at_every_address() {
    let site = moved();
    std::fs::remove_dir_all(site.path("content/runs/other")).expect("a folder");
    let list = format!("[[run]]\nid = \"{OTHER}\"\nreason = \"It ran twice.\"\n");
    site.write("content/withdrawn.toml", list);
    assert_eq!(
        codes(&site.publish()),
        [""; 0],
        "the old address names it, too"
    );
    for slug in [OTHER, MOVED] {
        let told = at(&site, slug).main();
        assert!(
            told.contains("This run was withdrawn") && told.contains("It ran twice."),
            "{told}"
        );
    }
    correct(&site, "sample/wren-2");
    assert_eq!(codes(&site.publish()), ["withdrawn.still-published"]);
    assert!(at(&site, OTHER).main().contains("This run has moved"));
}

#[test]
fn a_run_that_comes_back_under_another_address_leaves_a_page_at_the_one_it_had() {
    let site = site();
    std::fs::remove_dir_all(site.path("content/runs/other")).expect("a folder");
    site.publish();
    correct(&site, "sample/wren-2");
    site.publish();
    assert_eq!(newest(&site)["returned"][0]["slug"], MOVED);
    assert!(at(&site, OTHER).main().contains("This run has moved"));
}

#[test]
fn a_quarantined_run_has_a_notice_at_its_former_addresses() {
    let site = moved();
    correct(&site, "sample/tern-3");
    site.write("content/runs/other/events.jsonl.annotations.jsonl", "{");
    let aside = Overrides {
        keep_going: true,
        ..Overrides::default()
    };
    assert!(site.build_with(&aside).published);
    for slug in [OTHER, MOVED] {
        let page = at(&site, slug);
        assert!(
            page.main().contains("This run is quarantined"),
            "{slug}: {}",
            page.main()
        );
        assert_eq!(page.all("link[rel=canonical]").len(), 0);
    }
}

#[test]
fn a_ledger_without_former_addresses_is_read_and_continued() {
    let site = site();
    let path = format!("public/{LEDGER}");
    let mut ledger: Value = serde_json::from_str(&site.text(&path)).expect("JSON");
    ledger.as_object_mut().expect("an object").remove("moved");
    site.write(&path, ledger.to_string());
    assert!(site.publish().changes().is_none());
    assert_eq!(left(&site), [""; 0]);
}

#[test]
fn a_ledger_with_a_left_address_outside_the_site_is_refused() {
    let site = moved();
    let path = format!("public/{LEDGER}");
    let mut ledger: Value = serde_json::from_str(&site.text(&path)).expect("JSON");
    ledger["moved"][0]["slug"] = json!("../../escape");
    site.write(&path, ledger.to_string());
    let ran = site.runpress(&["build"]);
    assert_eq!(ran.status, Some(2), "{}", ran.stderr);
    assert!(ran.stderr.contains("ledger.unreadable"), "{}", ran.stderr);
}
