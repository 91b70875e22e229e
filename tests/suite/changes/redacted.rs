//! Text that was removed from a record or a name does not come back in the ledger or on its pages.

use runpress::api::site::Overrides;
use serde_json::{Value, json};

use super::{LEDGER, newest, site};
use crate::support::{FIRST, HEADER, Run, TestSite, annotation, lines, messages, words};

const SECRET: &str = "s3cret-of-the-record";

/// Every published file that repeats the secret.
fn says_secret(site: &TestSite) -> Vec<String> {
    let published = site.published();
    let saying = published.iter().filter(|(_, bytes)| {
        let text = String::from_utf8_lossy(bytes);
        text.contains(SECRET)
    });
    saying.map(|(path, _)| path.clone()).collect()
}

/// Changes the record of the base run.
fn edit(site: &TestSite, change: impl Fn(&mut Value)) {
    let path = format!("{FIRST}/run-record.json");
    let mut record: Value = serde_json::from_str(&site.text(&path)).expect("JSON");
    change(&mut record);
    site.write(&path, record.to_string());
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
    edit(&site, leak);
    site.publish();
    assert!(!says_secret(&site).is_empty(), "it was published");
    site.write(
        &format!("{FIRST}/run-record.json"),
        crate::support::fixture_text("base/content/runs/first/run-record.json"),
    );
    site.publish();
    assert_eq!(says_secret(&site), [""; 0]);
    let fields = newest(&site)["changed"][0]["fields"].clone();
    let pointers: Vec<_> = fields
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|field| field["pointer"].as_str())
        .collect();
    for pointer in [
        "",
        "/status",
        "/status/detail",
        "/codeAnalysis",
        "/toolCalls",
    ] {
        assert!(pointers.contains(&pointer), "{pointer} in {pointers:?}");
    }
    let page = site.page("changes/index.html");
    let told = words(page.all("section.build")[0]);
    assert!(
        told.contains("/status/detail changed") && told.contains("Unrecognized keys changed"),
        "{told}"
    );
}

#[test]
fn texts_in_a_ledger_of_an_earlier_version_are_dropped_when_it_is_read() {
    let site = site();
    edit(&site, |record| record["status"]["detail"] = json!("public"));
    site.publish();
    let path = format!("public/{LEDGER}");
    let mut ledger: Value = serde_json::from_str(&site.text(&path)).expect("JSON");
    ledger["builds"][0]["changed"][0]["fields"] = json!([
        {"pointer": "/status/detail", "before": SECRET, "after": "public"},
        {"pointer": format!("/codeAnalysis/{SECRET}"), "before": 1},
        {"pointer": format!("/{SECRET}"), "before": 1, "after": 2},
        {"pointer": "/metrics/cost/actual", "before": SECRET, "after": 0.5},
        {"pointer": "/status/state", "before": SECRET, "after": "completed"},
    ]);
    site.write(&path, ledger.to_string());
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
    site.run("new", &Run::new("0000000d-1").model(SECRET));
    site.publish();
    site.run("new", &Run::new("0000000d-1").model("sample/wren-2"));
    site.publish();
    let ledger = site.json(LEDGER);
    assert_eq!(ledger["builds"][1]["added"][0]["modelId"], "sample/wren-2");
    assert_eq!(ledger["moved"][0]["modelId"], "sample/wren-2");
    assert!(
        ledger["moved"][0]["slug"]
            .as_str()
            .is_some_and(|slug| slug.contains(SECRET)),
        "the address leads on"
    );
}

const OTHER_RUN: &str = "content/runs/other";
const SIDECAR: &str = "content/runs/other/events.jsonl.annotations.jsonl";

/// The sidecar of a run with one annotation.
fn annotate(site: &TestSite, id: &str) {
    let said = annotation(id, 0, "note", "\"evidence\":\"said\"");
    site.write(SIDECAR, lines(&[HEADER, &said]));
}

fn set_aside(site: &TestSite) {
    let aside = Overrides {
        keep_going: true,
        ..Overrides::default()
    };
    site.write(SIDECAR, "{");
    assert!(site.build_with(&aside).published);
}

fn tape(site: &TestSite, name: &str) {
    let digest = "0".repeat(64);
    let header = r#"{"type":"header","version":1,"harn_version":"0.8.26"}"#;
    let record = format!(
        r#"{{"type":"record","seq":0,"virtual_time_ms":0,"monotonic_ms":0,"kind":{{"kind":"file_read","path":"/workspace/1.ts","content_hash":"{digest}","len_bytes":1}}}}"#
    );
    let tape = lines(&[header, &record]);
    site.write(&format!("{OTHER_RUN}/{name}"), tape);
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
    assert_eq!(
        (&earlier["moreAdded"], &earlier["moreWithdrawn"]),
        (&json!(1), &json!(1))
    );
    let told = words(site.page("changes/index.html").all("section.build")[0]);
    assert!(
        told.contains("1 annotation added: renamed") && told.contains("1 annotation withdrawn"),
        "{told}"
    );
    assert!(site.publish().changes().is_none());
}

#[test]
fn a_renamed_annotation_is_not_named_when_the_earlier_site_is_elsewhere() {
    let site = named();
    std::fs::rename(site.path("public"), site.path("earlier")).expect("a move");
    annotate(&site, "renamed");
    let ran = site.runpress(&["build", "--previous", "earlier"]);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    assert_eq!(says_secret(&site), [""; 0]);
    assert_eq!(
        newest(&site)["changed"][0]["annotations"]["moreWithdrawn"],
        1
    );
}

#[test]
fn a_tape_that_is_renamed_or_removed_is_counted_and_not_named() {
    let site = site();
    tape(&site, &format!("{SECRET}.tape"));
    site.publish();
    tape(&site, "run.tape");
    site.remove(&format!("{OTHER_RUN}/{SECRET}.tape"));
    site.publish();
    assert_eq!(says_secret(&site), [""; 0]);
    let change = &newest(&site)["changed"][0];
    assert_eq!(
        (&change["files"], &change["moreFiles"]),
        (&json!(["run.tape"]), &json!(1))
    );
    let told = words(site.page("changes/index.html").all("section.build")[0]);
    assert!(told.contains("Files: run.tape and 1 other file"), "{told}");
    site.remove(&format!("{OTHER_RUN}/run.tape"));
    site.publish();
    let told = words(site.page("changes/index.html").all("section.build")[0]);
    assert!(told.contains("Files: 1 other file"), "{told}");
    assert!(!site.text(&format!("public/{LEDGER}")).contains("run.tape"));
}

#[test]
fn a_quarantined_run_leaves_no_name_and_its_return_shows_its_changes() {
    let site = named();
    tape(&site, &format!("{SECRET}.tape"));
    let record = format!("{OTHER_RUN}/run-record.json");
    let plain = site.text(&record);
    let mut said: Value = serde_json::from_str(&plain).expect("JSON");
    leak(&mut said);
    site.write(&record, said.to_string());
    annotate(&site, SECRET);
    site.publish();
    let whole = site.text(SIDECAR);
    set_aside(&site);
    let ledger = site.text(&format!("public/{LEDGER}"));
    assert!(!ledger.contains(SECRET), "{ledger}");
    // Back to the original: nothing has changed.
    site.write(SIDECAR, &whole);
    site.publish();
    assert_eq!(newest(&site)["changed"], json!([]));
    set_aside(&site);
    annotate(&site, "renamed");
    site.remove(&format!("{OTHER_RUN}/{SECRET}.tape"));
    site.write(&record, plain);
    site.publish();
    let change = &newest(&site)["changed"][0];
    assert_eq!(change["annotations"]["added"], json!(["renamed"]));
    assert_eq!(change["annotations"]["moreWithdrawn"], 1);
    assert_eq!(
        (&change["files"], &change["moreFiles"]),
        (&json!([]), &json!(1))
    );
    assert!(
        change["fields"]
            .as_array()
            .is_some_and(|fields| fields.contains(&json!({"pointer": "/toolCalls"}))),
        "{change}"
    );
    assert_eq!(says_secret(&site), [""; 0]);
}

#[test]
fn a_withdrawn_run_leaves_no_names_of_annotations() {
    let site = named();
    std::fs::remove_dir_all(site.path(OTHER_RUN)).expect("a folder");
    site.publish();
    assert_eq!(says_secret(&site), [""; 0]);
}

#[test]
fn names_in_a_ledger_of_an_earlier_version_are_counted_when_it_is_read() {
    let site = named();
    annotate(&site, "renamed");
    site.publish();
    let path = format!("public/{LEDGER}");
    let mut ledger: Value = serde_json::from_str(&site.text(&path)).expect("JSON");
    let change = &mut ledger["builds"][0]["changed"][0];
    change["annotations"] = json!({"added": ["renamed"], "changed": [], "withdrawn": [SECRET]});
    change["files"] = json!([format!("{SECRET}.tape"), "events.jsonl"]);
    ledger["runs"][1]["record"][format!("/{SECRET}")] = json!("0123456789");
    site.write(&path, ledger.to_string());
    site.publish();
    assert_eq!(says_secret(&site), [""; 0]);
    let change = &newest(&site)["changed"][0];
    assert_eq!(change["annotations"]["moreWithdrawn"], 1);
    assert_eq!(
        (&change["files"], &change["moreFiles"]),
        (&json!(["events.jsonl"]), &json!(1))
    );
}
