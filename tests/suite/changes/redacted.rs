//! Text that was removed from a record or a name does not come back in the ledger or on its pages.

use serde_json::{Value, json};

use super::{LEDGER, newest, site, told};
use crate::support::{
    Run, TestSite, annotation, contains, each, entries, fixture_text, lacks, messages, sidecar,
    sleeps,
};

const SECRET: &str = "s3cret-of-the-record";

/// Every published file that repeats the secret.
fn says_secret(site: &TestSite) -> Vec<String> {
    site.published_with(SECRET)
}

fn leak(record: &mut Value) {
    record["status"]["detail"] = json!(SECRET);
    record["validation"]["detail"] = json!(SECRET);
    record["validation"]["build"] = json!({"command": SECRET, "succeeded": true, "detail": SECRET});
    record["environment"]["containerImage"] = json!(SECRET);
    record["subject"]["harnessVersion"] = json!(SECRET);
    record["links"]["sourceRepo"] = json!(format!("https://example.org/{SECRET}"));
    record["codeAnalysis"] = json!({SECRET: {"lines": 1}});
    record["toolCalls"] = json!({SECRET: 3});
    record[SECRET] = json!("unknown");
    record["status"][SECRET] = json!(1);
}

#[test]
fn a_text_that_was_taken_out_of_a_record_is_in_no_file_of_the_next_site() {
    let site = site();
    site.edit_first(leak).publish();
    assert!(!says_secret(&site).is_empty(), "it was published");
    let record = fixture_text("base/content/runs/first/run-record.json");
    site.write_first("run-record.json", record).publish();
    assert_eq!(says_secret(&site), [""; 0]);
    let build = newest(&site);
    let pointers = each(&build["changed"][0]["fields"], "pointer");
    for pointer in [
        "",
        "/status",
        "/status/detail",
        "/codeAnalysis",
        "/toolCalls",
    ] {
        assert!(
            pointers.contains(&&json!(pointer)),
            "{pointer} in {pointers:?}"
        );
    }
    contains(&told(&site), "/status/detail changed");
    contains(&told(&site), "Unrecognized keys changed");
}

#[test]
fn texts_in_a_ledger_of_an_earlier_version_are_dropped_when_it_is_read() {
    let site = site();
    site.edit_first(|record| record["status"]["detail"] = json!("public"))
        .publish();
    site.edit(&format!("public/{LEDGER}"), |ledger| {
        ledger["builds"][0]["changed"][0]["fields"] = json!([
            {"pointer": "/status/detail", "before": SECRET, "after": "public"},
            {"pointer": format!("/codeAnalysis/{SECRET}"), "before": 1},
            {"pointer": format!("/{SECRET}"), "before": 1, "after": 2},
            {"pointer": "/metrics/cost/actual", "before": SECRET, "after": 0.5},
            {"pointer": "/status/state", "before": SECRET, "after": "completed"},
        ]);
    });
    site.publish();
    assert_eq!(says_secret(&site), [""; 0]);
    assert_eq!(
        newest(&site)["changed"][0]["fields"],
        json!([
            {"pointer": ""},
            {"pointer": "/codeAnalysis"},
            {"pointer": "/metrics/cost/actual", "after": 0.5},
            {"pointer": "/status/detail"},
            {"pointer": "/status/state", "after": "completed"},
        ])
    );
}

#[test]
fn a_name_that_was_corrected_is_repeated_in_no_earlier_entry() {
    let site = site();
    for model in [SECRET, "sample/wren-2"] {
        site.run("new", &Run::new("0000000d-1").model(model))
            .publish();
    }
    let ledger = site.json(LEDGER);
    assert_eq!(ledger["builds"][1]["added"][0]["modelId"], "sample/wren-2");
    let moved = &ledger["moved"][0];
    assert_eq!(moved["modelId"], "sample/wren-2");
    // The address leads on.
    contains(moved["slug"].as_str().unwrap_or_default(), SECRET);
}

const OTHER_RUN: &str = "content/runs/other";
const SIDECAR: &str = "content/runs/other/events.jsonl.annotations.jsonl";

/// The sidecar of a run with one annotation.
fn annotate(site: &TestSite, id: &str) {
    let said = annotation(id, 0, "note", "\"evidence\":\"said\"");
    site.write(SIDECAR, sidecar(&[said]));
}

fn set_aside(site: &TestSite) {
    site.write(SIDECAR, "{").keep_going();
}

fn tape(site: &TestSite, name: &str) {
    site.write(&format!("{OTHER_RUN}/{name}"), sleeps([0]));
}

/// A site with a secret in the name of an annotation, which was added in the latest build.
fn named() -> TestSite {
    let site = site();
    site.write(&format!("{OTHER_RUN}/events.jsonl"), messages(2));
    annotate(&site, "first");
    site.publish();
    annotate(&site, SECRET);
    site.publish();
    assert!(!says_secret(&site).is_empty(), "it was published");
    site
}

#[test]
fn an_annotation_that_is_renamed_or_removed_is_counted_and_not_named() {
    let site = named();
    annotate(&site, "renamed");
    site.publish();
    assert_eq!(says_secret(&site), [""; 0]);
    assert_eq!(
        newest(&site)["changed"][0]["annotations"],
        json!({"added": ["renamed"], "changed": [], "withdrawn": [], "moreWithdrawn": 1})
    );
    let earlier = &site.json(LEDGER)["builds"][1]["changed"][0]["annotations"];
    assert_eq!([&earlier["moreAdded"], &earlier["moreWithdrawn"]], [1, 1]);
    contains(&told(&site), "1 annotation added: renamed");
    contains(&told(&site), "1 annotation withdrawn");
    assert!(site.publish().changes().is_none());
}

#[test]
fn a_renamed_annotation_is_not_named_when_the_earlier_site_is_elsewhere() {
    let site = named();
    std::fs::rename(site.path("public"), site.path("earlier")).expect("a move");
    annotate(&site, "renamed");
    site.runpress("build --previous earlier").ok();
    assert_eq!(says_secret(&site), [""; 0]);
    let annotations = &newest(&site)["changed"][0]["annotations"];
    assert_eq!(annotations["moreWithdrawn"], 1);
}

#[test]
fn a_tape_that_is_renamed_or_removed_is_counted_and_not_named() {
    let site = site();
    tape(&site, &format!("{SECRET}.tape"));
    site.publish();
    tape(&site, "run.tape");
    site.remove(&format!("{OTHER_RUN}/{SECRET}.tape")).publish();
    assert_eq!(says_secret(&site), [""; 0]);
    let change = &newest(&site)["changed"][0];
    assert_eq!(change["files"], json!(["run.tape"]));
    assert_eq!(change["moreFiles"], 1);
    contains(&told(&site), "Files: run.tape and 1 other file");
    site.remove(&format!("{OTHER_RUN}/run.tape")).publish();
    contains(&told(&site), "Files: 1 other file");
    lacks(&site.text(&format!("public/{LEDGER}")), "run.tape");
}

#[test]
fn a_quarantined_run_leaves_no_name_and_its_return_shows_its_changes() {
    let site = named();
    tape(&site, &format!("{SECRET}.tape"));
    let record = format!("{OTHER_RUN}/run-record.json");
    let plain = site.text(&record);
    site.edit(&record, leak);
    annotate(&site, SECRET);
    site.publish();
    let whole = site.text(SIDECAR);
    set_aside(&site);
    lacks(&site.text(&format!("public/{LEDGER}")), SECRET);
    // Back to the original: nothing has changed.
    site.write(SIDECAR, &whole).publish();
    assert_eq!(newest(&site)["changed"], json!([]));
    set_aside(&site);
    annotate(&site, "renamed");
    site.remove(&format!("{OTHER_RUN}/{SECRET}.tape"))
        .write(&record, plain)
        .publish();
    let change = &newest(&site)["changed"][0];
    assert_eq!(change["annotations"]["added"], json!(["renamed"]));
    assert_eq!(change["annotations"]["moreWithdrawn"], 1);
    assert_eq!(change["files"], json!([]));
    assert_eq!(change["moreFiles"], 1);
    let fields = entries(&change["fields"]);
    assert!(
        fields.contains(&json!({"pointer": "/toolCalls"})),
        "{change}"
    );
    assert_eq!(says_secret(&site), [""; 0]);
}

#[test]
fn a_withdrawn_run_leaves_no_names_of_annotations() {
    let site = named();
    site.remove(OTHER_RUN).publish();
    assert_eq!(says_secret(&site), [""; 0]);
}

#[test]
fn names_in_a_ledger_of_an_earlier_version_are_counted_when_it_is_read() {
    let site = named();
    annotate(&site, "renamed");
    site.publish();
    site.edit(&format!("public/{LEDGER}"), |ledger| {
        let change = &mut ledger["builds"][0]["changed"][0];
        change["annotations"] = json!({"added": ["renamed"], "changed": [], "withdrawn": [SECRET]});
        change["files"] = json!([format!("{SECRET}.tape"), "events.jsonl"]);
        ledger["runs"][1]["record"][format!("/{SECRET}")] = json!("0123456789");
    });
    site.publish();
    assert_eq!(says_secret(&site), [""; 0]);
    let change = &newest(&site)["changed"][0];
    assert_eq!(change["annotations"]["moreWithdrawn"], 1);
    assert_eq!(change["files"], json!(["events.jsonl"]));
    assert_eq!(change["moreFiles"], 1);
}
