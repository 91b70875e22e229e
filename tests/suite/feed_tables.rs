//! Tables and counts for download, and the page that documents every feed.

use serde_json::{Value, json};

use crate::feeds::several;
use crate::support::{Run, TestSite, contains, entries};

/// The fields of a CSV line without quoted line breaks.
fn fields(line: &str) -> Vec<String> {
    let (mut fields, mut quoted) = (vec![String::new()], false);
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            c => fields.last_mut().expect("a field").push(c),
        }
    }
    fields
}

#[test]
fn the_table_of_runs_holds_what_the_cards_hold() {
    let site = several();
    site.publish();
    let text = site.text("public/feeds/runs.csv");
    assert!(text.ends_with("\r\n"));
    let mut lines = text.split_terminator("\r\n").map(fields);
    let heads = lines.next().expect("a heading");
    let runs = site.json("feeds/runs.json");
    let cards = entries(&runs["runs"]);
    let rows: Vec<_> = lines.collect();
    assert_eq!(rows.len(), cards.len());
    for (row, card) in rows.iter().zip(cards) {
        assert_eq!(row.len(), heads.len());
        for (head, field) in heads.iter().zip(row) {
            let folders = [
                "",
                "/subject",
                "/metrics",
                "/metrics/tokens",
                "/metrics/cost",
                "/links",
            ];
            let value = match head.as_str() {
                "annotations" => &card["annotations"]["count"],
                "threads" => &card["threads"]["annotationCount"],
                "threadEntries" => &card["threads"]["entryCount"],
                "threadsOpen" => &card["threads"]["openCount"],
                "threadsResolved" => &card["threads"]["resolvedCount"],
                _ => {
                    let name = |folder: &str| match folder {
                        "/metrics/cost" => head.trim_end_matches("Cost").to_owned(),
                        _ => head.clone(),
                    };
                    let find = |folder: &&str| card.pointer(&format!("{folder}/{}", name(folder)));
                    folders.iter().find_map(find).unwrap_or(&Value::Null)
                }
            };
            let same = match value {
                Value::Null => field.is_empty(),
                Value::String(text) => field == text,
                // The table keeps the digits of the record; a parsed number does not.
                Value::Number(number) => field.parse().ok() == number.as_f64(),
                Value::Bool(yes) => field.parse() == Ok(*yes),
                _ => false,
            };
            assert!(same, "{head}: {field} is not {value}");
        }
    }
}

#[test]
fn no_field_of_the_table_of_runs_begins_a_formula() {
    let site = TestSite::empty();
    let evil = Run::new("=1+1-x").model("@SUM(A1)").case("+pong");
    site.run("evil", &evil.state("-cmd|' /C calc'!A0"))
        .publish();
    let text = site.text("public/feeds/runs.csv");
    for field in fields(text.lines().nth(1).expect("a run")) {
        assert!(!field.starts_with(['=', '+', '-', '@', '\t']), "{field}");
    }
    contains(&text, "\"'=1+1-x\",");
    contains(&text, ",\"'@SUM(A1)\",");
}

#[test]
fn every_text_of_the_table_of_runs_is_quoted_and_no_number_is() {
    let site = TestSite::empty();
    let run = Run::new("a;b\t\"c\"").model("1.5").state("NaN");
    site.run("odd", &run).publish();
    let text = site.text("public/feeds/runs.csv");
    let row = text.lines().nth(1).expect("a run");
    assert!(row.starts_with("\"a;b\t\"\"c\"\"\",\""), "{row}");
    for part in [",\"1.5\",", ",\"NaN\",", ",0.25,0.25,true,"] {
        contains(row, part);
    }
}

#[test]
fn cases_models_and_harnesses_are_counted() {
    let site = several();
    let other = Run::new("zz-1").case("another").state("failed").model("m");
    site.run("z", &other).publish();
    let cases = site.json("feeds/cases.json");
    assert_eq!(cases["cases"][0]["name"], "another");
    let pong = &cases["cases"][1];
    assert_eq!(pong["url"], "https://runs.example.org/cases/pong/");
    assert_eq!(
        pong["runs"],
        json!({"count": 7, "states": {"completed": 7}, "ratings": {"great": 1}, "annotations": 1,
               "firstFinishedAt": "2026-03-01T10:10:12Z", "lastFinishedAt": "2026-03-06T00:00:00Z"})
    );
    assert_eq!(pong["models"], json!({"sample/lark-1": 7}));
    assert_eq!(pong["harnesses"], json!({"codex": 7}));
    let models = site.json("feeds/models.json");
    let model = &models["models"][0];
    assert_eq!(model["cases"], json!({"another": 1}));
    assert_eq!(model["runs"]["states"], json!({"failed": 1}));
    let harnesses = site.json("feeds/harnesses.json");
    let harness = &harnesses["harnesses"][0];
    assert_eq!(harness["cases"], json!({"another": 1, "pong": 7}));
    assert_eq!(harness["runs"]["count"], 8);
}

#[test]
fn the_page_of_feeds_tells_about_every_feed_with_the_address_of_the_site() {
    let site = several();
    for base in [Some("https://runs.example.org/"), None] {
        if base.is_none() {
            site.write("site.toml", "");
        }
        site.publish();
        assert_eq!(crate::crawl::problems(&site.published()), [""; 0]);
        let page = site.page("feeds/index.html");
        let index = site.json("feeds/index.json");
        let mut expected = vec!["index.json".to_owned()];
        for feed in entries(&index["feeds"]) {
            let path = feed["path"].as_str().expect("a path");
            expected.push(path.trim_start_matches("feeds/").to_owned());
            assert_ne!(path, "feeds/index.html");
            let digest = feed["blake3"].as_str().expect("a digest");
            // Empty feeds have the same digest.
            let digests = page.all(&format!("main code[title='{digest}']"));
            assert!(!digests.is_empty(), "{path}");
        }
        assert_eq!(page.texts("main tbody th"), expected);
        assert_eq!(page.texts("main details > summary"), expected);
        let address = base.unwrap_or("https://example.org/");
        for (name, example) in expected[1..].iter().zip(page.texts("main details[id]")) {
            contains(&example, format!("{address}feeds/{name}"));
        }
        assert_eq!(expected.contains(&"atom.xml".to_owned()), base.is_some());
        let is_without = page.main().contains("built without its address");
        assert_eq!(is_without, base.is_none());
        assert_eq!(page.all("footer a[href='../feeds/index.html']").len(), 1);
    }
}
