//! The rows that the facets of the page of runs show are those that the server wrote.

use serde_json::Value;

use crate::search::data;
use crate::support::{Run, TestSite, below, words};

/// What a cell of the data shows.
fn shown(value: &Value) -> String {
    let text = value.as_str().or(value["text"].as_str());
    text.unwrap_or_else(|| panic!("no cell: {value}"))
        .to_owned()
}

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
    let rows = data(&site, "runs-1", "runs");
    let rows = rows.as_array().expect("rows");
    assert_eq!(
        (rows.len(), data(&site, "runs", "runs")),
        (2, Value::from(1))
    );
    for (row, line) in rows.iter().zip(page.all("main tbody tr")) {
        let cells: Vec<String> = below(line, "th, td").into_iter().map(words).collect();
        let first = |at: usize| shown(&row[at][0]);
        let second = |at: usize| shown(&row[at][1]);
        let expected = [
            second(0),
            first(1)[..10].to_owned(),
            format!("{} {}", second(2), shown(&row[3])),
            shown(&row[4]),
            second(5),
            second(6),
            first(7),
            first(8),
            shown(&row[9]),
            shown(&row[10]),
            shown(&row[11]),
            shown(&row[12]),
            shown(&row[13]),
        ];
        assert_eq!(cells, expected);
        for at in [0, 2, 5, 6] {
            assert!(
                site.path(&format!("public/{}", first(at))).is_file(),
                "{}",
                first(at)
            );
        }
    }
    assert_eq!(rows[1][14], serde_json::json!({"note": 1}));
}
