//! `build --fresh`: continues the ledger, and reads nothing else of the earlier site.

use runpress::api::site::Overrides;
use serde_json::json;

use super::{LEDGER, OTHER, build_elsewhere, ids, newest, site};
use crate::support::{FIRST_SLUG, TestSite, differences, tree};

fn fresh() -> Overrides {
    Overrides {
        fresh: true,
        ..Overrides::default()
    }
}

/// Changes a field of the first run and withdraws the other one.
fn edit(site: &TestSite) {
    site.replace_first(
        "run-record.json",
        "\"comparable\": 0.4210",
        "\"comparable\": 0.25",
    )
    .remove("content/runs/other");
}

#[test]
fn a_fresh_build_continues_the_ledger_and_names_changed_fields_without_old_values() {
    let site = site();
    edit(&site);
    assert!(site.build_with(&fresh()).published);
    let build = newest(&site);
    assert_eq!(build["build"], 2);
    let fields = json!([{"pointer": "/metrics/cost"}]);
    assert_eq!(build["changed"][0]["fields"], fields);
    assert_eq!(ids(&build["withdrawn"]), ["0000000b-1"]);
    site.page(&format!("runs/{OTHER}/index.html"))
        .says("This run was withdrawn");
    let before = site.published();
    assert!(site.build_with(&fresh()).changes().is_none());
    assert_eq!(differences(&before, &site.published()), [""; 0]);
}

#[test]
fn a_fresh_build_is_decided_by_the_content_and_the_ledger_alone() {
    let site = site();
    edit(&site);
    build_elsewhere(&site);
    // Even if the earlier pages were modified.
    let document = format!("public/runs/{FIRST_SLUG}/run.json");
    site.replace(&document, "\"comparable\": 0.4210", "\"comparable\": 7")
        .write("public/notes.txt", "left by something else");
    assert!(site.build_with(&fresh()).published);
    let elsewhere = tree(&site.path("elsewhere"));
    assert_eq!(differences(&elsewhere, &site.published()), [""; 0]);
}

#[test]
fn a_fresh_build_handles_a_leftover_stage_and_a_broken_ledger_like_any_other() {
    let site = site();
    site.write(".public.runpress-staging/.runpress", "")
        .write(".public.runpress-staging/runs/x/index.html", "half");
    // What was left is cleared.
    site.runpress("build --fresh -q").ok();
    assert!(!site.path(".public.runpress-staging").exists());
    let path = format!("public/{LEDGER}");
    site.write(&path, "{");
    site.runpress("build --fresh")
        .exits(2)
        .says("ledger.unreadable");
    assert_eq!(site.text(&path), "{");
}
