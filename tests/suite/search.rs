//! What search looks through: everything that has a page, and nothing that can leave its script.

use serde_json::{Value, json};

use crate::support::{FIRST, FIRST_SLUG, HEADER, Page, Run, TestSite, annotation, event, lines};

/// The value that a file of data hands over.
pub(crate) fn data(site: &TestSite, path: &str, function: &str) -> Value {
    let text = site.text(&format!("public/{path}.js"));
    let value = text
        .strip_prefix(&format!("runpress.{function}("))
        .and_then(|rest| rest.strip_suffix(")\n"))
        .unwrap_or_else(|| panic!("{path} is no call of {function}"));
    assert!(!value.contains(['<', '\u{2028}', '\u{2029}']), "{path}");
    serde_json::from_str(value).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The items of each of these parts.
pub(crate) fn parts(
    site: &TestSite,
    (prefix, names): (&str, &Value),
    function: &str,
) -> Vec<Vec<Value>> {
    let names = names.as_array().expect("names").iter();
    let part = |name: &Value| {
        let path = format!("{prefix}{}", name.as_str().expect("a name"));
        let bytes = site.bytes(&format!("public/{path}.js")).len();
        assert!(bytes <= 1_000_000, "{path}: {bytes}");
        let items = data(site, &path, function);
        items.as_array().expect("items").clone()
    };
    names.map(part).collect()
}

/// The annotations of a file of data, by the names of their values.
pub(crate) fn named(site: &TestSite, rows: &[Value]) -> Vec<Value> {
    let manifest = data(site, "search/annotations", "annotations");
    let columns = manifest["columns"].as_array().expect("columns");
    let names = || columns.iter().map(|name| name.as_str().expect("a name"));
    let row = |row: &Value| {
        let values = row.as_array().expect("values");
        assert_eq!(values.len(), columns.len());
        names()
            .zip(values.clone())
            .map(|(name, value)| (name.to_owned(), value))
            .collect()
    };
    rows.iter().map(row).map(Value::Object).collect()
}

/// An item as the script takes it apart: the failures of a run are one.
fn apart(item: Value) -> Vec<Value> {
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    let Some(failures) = item["failures"].as_array() else {
        return vec![item];
    };
    let failure = |failure: &Value| {
        json!({
            "kind": "failure",
            "title": failure[2],
            "text": "",
            "about": format!("{} of {}", text(&failure[1]), text(&item["of"])),
            "href": text(&item["folder"]) + &text(&failure[0]),
        })
    };
    failures.iter().map(failure).collect()
}

/// What search looks through.
fn searched(site: &TestSite) -> Vec<Value> {
    let manifest = data(site, "search/index", "search");
    let items = parts(site, ("search/search-", &manifest["parts"]), "search").concat();
    let mut all: Vec<Value> = items.into_iter().flat_map(apart).collect();
    for file in manifest["annotations"].as_array().expect("files") {
        let rows = parts(site, ("", &json!([file[1]])), "annotations").concat();
        let rows = named(site, &rows).into_iter();
        all.extend(rows.filter(|row| row["evidence"] != "").map(|row| {
            let text = |name: &str| row[name].as_str().unwrap_or_default();
            let kind = file[0].as_str().expect("a kind");
            json!({
                "kind": "annotation",
                "title": format!("{kind}: {}", text("group")),
                "text": row["evidence"],
                "about": format!("event {} of {}", row["event"], text("run")),
                "href": format!("runs/{}/{}", text("slug"), text("href")),
            })
        }));
    }
    all
}

/// The rows that facets choose from.
pub(crate) fn rows(site: &TestSite) -> Vec<Value> {
    let names = data(site, "search/runs", "runs");
    parts(site, ("search/runs-", &names), "runs").concat()
}

fn documents(site: &TestSite) -> Vec<[String; 4]> {
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    searched(site)
        .iter()
        .map(|document| ["title", "text", "about", "href"].map(|name| text(&document[name])))
        .collect()
}

#[test]
fn search_finds_runs_groups_prose_writeups_and_annotations() {
    let site = TestSite::base();
    site.write(
        "content/pages/about.md",
        "+++\ntitle = \"About this\"\ndescription = \"Who made it.\"\n+++\n\nSome *words*.\n",
    );
    site.write("content/pages/index.md", "Welcome.\n");
    site.write(
        "content/cases/pong.md",
        "+++\ntitle = \"Pong, the game\"\n+++\n\nA ball.\n",
    );
    site.write(
        &format!("{FIRST}/events.jsonl.annotations.jsonl"),
        lines(&[
            HEADER.to_owned(),
            annotation(
                "a",
                2,
                "friction",
                r#""friction_kind":"tool_gap","evidence":"No *ruler* here.""#,
            ),
            annotation("b", 1, "note", ""),
        ]),
    );
    site.publish();
    let kinds: Vec<String> = searched(&site)
        .iter()
        .map(|document| document["kind"].as_str().expect("a kind").to_owned())
        .collect();
    assert_eq!(
        kinds,
        [
            "case",
            "model",
            "harness",
            "page",
            "page",
            "run",
            "failure",
            "writeup",
            "annotation"
        ],
        "an annotation without words has none to find"
    );
    let found = documents(&site);
    let expected = [
        [
            "pong",
            "A ball.",
            "Pong, the game, 1 run",
            "cases/pong/index.html",
        ],
        [
            "sample/lark-1",
            "",
            "1 run",
            "models/sample-lark-1/index.html",
        ],
        ["codex", "", "1 run", "harnesses/codex/index.html"],
        [
            "About this",
            "Some words.",
            "Who made it.",
            "about/index.html",
        ],
    ];
    assert_eq!(
        found[..4],
        expected.map(|document| document.map(str::to_owned))
    );
    assert_eq!(found[4][1..], ["Welcome.", "", "index.html"]);
    assert!(
        found[5][0].contains("pong") && found[5][0].ends_with("by sample/lark-1"),
        "{:?}",
        found[5]
    );
    assert!(
        found[5][1].contains("codex, completed, great"),
        "{:?}",
        found[5]
    );
    assert_eq!(
        found[7][1..],
        [
            "It plays well.".to_owned(),
            "rated great".to_owned(),
            format!("runs/{FIRST_SLUG}/index.html#writeup")
        ]
    );
    assert_eq!(found[8][..2], ["friction: tool gap", "No ruler here."]);
    for [title, .., address] in &found {
        let (path, anchor) = address.split_once('#').unwrap_or((address, ""));
        let page = Page::parse(&site.text(&format!("public/{path}")));
        assert!(!title.is_empty());
        assert!(
            anchor.is_empty() || page.all(&format!("[id='{anchor}']")).len() == 1,
            "{address}"
        );
    }
    let manifest = data(&site, "search/index", "search");
    assert_eq!(manifest["parts"].as_array().map(Vec::len), Some(1));
    assert_eq!(
        (&manifest["documents"], &manifest["leftOut"]),
        (&json!(9), &json!(0))
    );
}

#[test]
fn search_finds_why_a_run_ended_and_each_message_of_its_failed_events_once() {
    let site = TestSite::empty();
    let record = Run::new("0000000a-1").state("timed_out").record();
    let mut record: Value = serde_json::from_str(&record).expect("JSON");
    record["status"]["detail"] = json!("One hour is over.");
    record["validation"]["detail"] = json!("No dist folder.");
    site.write("content/runs/a/run-record.json", record.to_string());
    let errors = (0..30).map(|n| {
        let words = if n < 20 { 0 } else { n };
        event(n, "error", &format!("\"message\":\"error {words}\""))
    });
    site.write(
        "content/runs/a/events.jsonl",
        lines(&errors.collect::<Vec<_>>()),
    );
    site.publish();
    let found: Vec<_> = searched(&site)
        .into_iter()
        .filter(|document| document["kind"] == "failure")
        .collect();
    let titles: Vec<_> = found.iter().filter_map(|it| it["title"].as_str()).collect();
    assert_eq!(
        titles[..4],
        [
            "One hour is over.",
            "No dist folder.",
            "error 0",
            "error 20"
        ]
    );
    assert_eq!(titles.len(), 2 + 8, "{titles:?}");
    let about = found[0]["about"].as_str().expect("text");
    assert!(about.starts_with("timed out, the end of pong"), "{about}");
    for document in &found {
        let address = document["href"].as_str().expect("an address");
        let (path, anchor) = address.split_once('#').unwrap_or((address, ""));
        let page = site.page(path);
        let is_there = anchor.is_empty() || page.all(&format!("[id='{anchor}']")).len() == 1;
        assert!(is_there, "{address}");
    }
    let manifest = data(&site, "search/index", "search");
    assert_eq!(manifest["documents"], searched(&site).len());
}

#[test]
fn text_cannot_leave_the_script_that_holds_it() {
    let site = TestSite::base();
    let evil = "</script><script>alert(1)</script>\u{2028}\u{2029}";
    site.run(
        "evil",
        &Run::new("9b02c4aa-1")
            .model(evil)
            .state(evil)
            .case("case </script>"),
    );
    site.publish();
    assert_eq!(rows(&site).len(), 2);
    let titles: Vec<String> = documents(&site)
        .into_iter()
        .map(|[title, ..]| title)
        .collect();
    let shown = "</script><script>alert(1)</script>\u{fffd}\u{fffd}";
    assert!(titles.iter().any(|title| title == shown), "{titles:?}");
}

#[test]
fn unpublished_content_cannot_be_found() {
    let site = TestSite::base();
    site.write(
        "content/pages/secret.md",
        "+++\ndraft = true\n+++\n\nUnfinished words.\n",
    );
    site.run(
        "gone",
        &Run::new("9b02c4aa-1")
            .state("canceled")
            .model("sample/withdrawn"),
    );
    site.publish();
    let all = format!("{:?} {:?}", searched(&site), rows(&site));
    assert!(!all.contains("Unfinished") && !all.contains("withdrawn"));
}

#[test]
fn a_site_without_runs_has_an_index_of_what_there_is() {
    let site = TestSite::empty();
    site.publish();
    assert_eq!(
        data(&site, "search/index", "search"),
        json!({"parts": [], "annotations": [], "documents": 0, "leftOut": 0})
    );
    assert_eq!(data(&site, "search/runs", "runs"), json!([]));
}

#[test]
fn every_page_loads_the_search_script_and_404_loads_it_from_the_root() {
    let site = TestSite::base();
    site.write(
        "site.toml",
        "[site]\nbase_url = \"https://example.org/a/b\"\n",
    );
    site.publish();
    for (path, bytes) in site.published() {
        if !path.ends_with(".html") {
            continue;
        }
        let page = Page::parse(&String::from_utf8(bytes).expect("UTF-8"));
        let scripts: Vec<_> = page
            .all("script[defer]")
            .iter()
            .filter_map(|script| script.value().attr("src").map(str::to_owned))
            .collect();
        let root = if path == "404.html" {
            "/a/b/".to_owned()
        } else {
            "../".repeat(path.matches('/').count())
        };
        for (src, name) in scripts.iter().zip(["core", "search"]) {
            let expected = format!("{root}assets/{name}.");
            assert!(src.starts_with(&expected), "{path}: {scripts:?}");
        }
        assert!(scripts.len() >= 2, "{path}: {scripts:?}");
    }
    for file in ["minisearch.js", "minisearch.LICENSE.txt"] {
        assert!(site.path(&format!("public/search/{file}")).is_file());
    }
}
