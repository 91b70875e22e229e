//! `build --fresh`: continues the ledger, and reads nothing else of the earlier site.

use std::fs;

use runpress::api::site::Overrides;
use serde_json::json;

use super::{LEDGER, OTHER, ids, newest, site};
use crate::support::{FIRST, FIRST_SLUG, TestSite, differences, tree};

fn fresh() -> Overrides {
    Overrides {
        fresh: true,
        ..Overrides::default()
    }
}

/// Changes a field of the first run and withdraws the other one.
fn edit(site: &TestSite) {
    let record = format!("{FIRST}/run-record.json");
    site.replace(&record, "\"comparable\": 0.4210", "\"comparable\": 0.25");
    fs::remove_dir_all(site.path("content/runs/other")).expect("a folder");
}

#[test]
fn a_fresh_build_continues_the_ledger_and_names_changed_fields_without_old_values() {
    let site = site();
    edit(&site);
    assert!(site.build_with(&fresh()).published);
    let build = newest(&site);
    assert_eq!(build["build"], 2);
    assert_eq!(
        build["changed"][0]["fields"],
        json!([{"pointer": "/metrics/cost"}])
    );
    assert_eq!(ids(&build["withdrawn"]), ["0000000b-1"]);
    let page = site.page(&format!("runs/{OTHER}/index.html")).main();
    assert!(page.contains("This run was withdrawn"), "{page}");
    let before = site.published();
    assert!(site.build_with(&fresh()).changes().is_none());
    assert_eq!(differences(&before, &site.published()), [""; 0]);
}

#[test]
fn a_fresh_build_is_decided_by_the_content_and_the_ledger_alone() {
    let site = site();
    edit(&site);
    let ledger = site.bytes(&format!("public/{LEDGER}"));
    site.write(&format!("kept/{LEDGER}"), ledger);
    let elsewhere = Overrides {
        out: Some(site.path("elsewhere")),
        previous: Some(site.path("kept")),
        ..Overrides::default()
    };
    assert!(site.build_with(&elsewhere).published);
    // Even if the earlier pages were modified.
    let document = format!("public/runs/{FIRST_SLUG}/run.json");
    site.replace(&document, "\"comparable\": 0.4210", "\"comparable\": 7");
    site.write("public/notes.txt", "left by something else");
    assert!(site.build_with(&fresh()).published);
    assert_eq!(
        differences(&tree(&site.path("elsewhere")), &site.published()),
        [""; 0]
    );
}

#[test]
fn a_fresh_build_handles_a_leftover_stage_and_a_broken_ledger_like_any_other() {
    let site = site();
    site.write(".public.runpress-staging/.runpress", "")
        .write(".public.runpress-staging/runs/x/index.html", "half");
    assert_eq!(
        site.runpress(&["build", "--fresh", "-q"]).status,
        Some(0),
        "what was left is cleared"
    );
    assert!(!site.path(".public.runpress-staging").exists());
    let path = format!("public/{LEDGER}");
    site.write(&path, "{");
    let ran = site.runpress(&["build", "--fresh"]);
    assert_eq!(ran.status, Some(2), "{}", ran.stderr);
    assert!(ran.stderr.contains("ledger.unreadable"), "{}", ran.stderr);
    assert_eq!(site.text(&path), "{");
}
