//! What was taken out of a record or a name does not come back in the ledger or on its pages.

use serde_json::{Value, json};

use super::{LEDGER, newest, site};
use crate::support::{FIRST, Run, TestSite, words};

const SECRET: &str = "s3cret-of-the-record";

/// Every published byte that could repeat a secret.
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
