//! The rows that the facets of the page of runs show are those that the server wrote.

use crate::search;
use crate::support::{Run, TestSite, below, words};

/// The columns of the table.
const COLUMNS: [&str; 13] = [
    "run",
    "finished",
    "case",
    "variant",
    "model",
    "harness",
    "state",
    "rating",
    "cost",
    "time",
    "events",
    "annotations",
    "threads",
];

#[test]
fn the_data_of_the_facets_has_the_cells_of_the_table_in_its_order() {
    let site = TestSite::base();
    site.run(
        "other",
        &Run::new("9b02c4aa-1")
            .state("timed_out")
            .at("2026-03-02T10:00:00Z", "2026-03-02T10:10:00Z"),
    );
    site.publish();
    let page = site.page("runs/index.html");
    let rows = search::rows(&site);
    assert_eq!(rows.len(), 2);
    for (row, line) in rows.iter().zip(page.all("main tbody tr")) {
        let cells: Vec<String> = below(line, "th, td").into_iter().map(words).collect();
        let expected = COLUMNS.map(|name| {
            let cell = &row[name];
            let text = ["date", "word", "text"].map(|name| cell[name].as_str());
            let text = text.into_iter().flatten().next().or(cell.as_str());
            let text = text.expect("a text");
            let small = row["small"][name].as_str().map(|small| format!(" {small}"));
            // A run is named by its case and variant; its own name is in small print.
            match name {
                "run" => format!(
                    "pong · {} {text}",
                    row["variant"].as_str().expect("a variant")
                ),
                _ => format!("{text}{}", small.unwrap_or_default()),
            }
        });
        assert_eq!(cells, expected);
        for name in ["run", "case", "model", "harness"] {
            let href = row[name]["href"].as_str().expect("an address");
            assert!(site.path(&format!("public/{href}")).is_file(), "{href}");
        }
    }
    let heads = page.all("main th[data-col]").into_iter();
    let names: Vec<_> = heads
        .filter_map(|head| head.value().attr("data-col"))
        .collect();
    assert_eq!(names, COLUMNS);
    assert_eq!(rows[1]["kinds"], serde_json::json!(["note"]));
}
