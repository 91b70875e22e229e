//! The facets of the page of runs show the same rows as the page itself.

use serde_json::json;

use crate::search;
use crate::support::{Run, TestSite, below, entries, words};

#[test]
fn the_data_of_the_facets_has_the_cells_of_the_table_in_its_order() {
    let site = TestSite::base();
    let other = Run::new("9b02c4aa-1").state("timed_out");
    site.run(
        "other",
        &other.at("2026-03-02T10:00:00Z", "2026-03-02T10:10:00Z"),
    )
    .publish();
    let page = site.page("runs/index.html");
    let columns = page.attrs("main th[data-col]", "data-col");
    assert!(columns.len() > 9, "{columns:?}");
    let rows = search::rows(&site);
    assert_eq!(rows.len(), 2);
    for (row, line) in rows.iter().zip(page.all("main tbody tr")) {
        let cells: Vec<String> = below(line, "th, td").into_iter().map(words).collect();
        let expected = columns.iter().map(|name| {
            let cell = &row[name];
            let text = ["date", "word", "text"].map(|name| cell[name].as_str());
            let text = text.into_iter().flatten().next().or(cell.as_str());
            let text = text.expect("a text");
            let small = row["small"][name].as_str().map(|small| format!(" {small}"));
            // A run is named by its task and variant; its own name is in small print.
            match name.as_str() {
                "run" => format!("{} {text}", cell["title"].as_str().expect("a title")),
                _ => format!("{text}{}", small.unwrap_or_default()),
            }
        });
        assert_eq!(cells, expected.collect::<Vec<_>>());
        for name in ["run", "case", "model", "harness"] {
            let href = row[name]["href"].as_str().expect("an address");
            assert!(site.path(&format!("public/{href}")).is_file(), "{href}");
        }
    }
    assert_eq!(rows[1]["kinds"], json!(["note"]));
}

/// Adds runs of these models, one second after the other.
fn add(site: &TestSite, models: impl Iterator<Item = String>) {
    for (n, model) in models.enumerate() {
        let end = format!("2026-03-01T10:{:02}:{:02}Z", n / 60, n % 60);
        let run = Run::new(&format!("{n:08x}-1")).model(&model);
        site.run(&n.to_string(), &run.at("2026-03-01T09:00:00Z", &end));
    }
}

#[test]
fn a_column_has_the_place_or_the_rank_of_each_run_from_the_oldest_on() {
    let site = TestSite::empty();
    add(&site, (0..60).map(|n| format!("sample/m{n}")));
    for n in 60..70 {
        // At the time of another run.
        let end = format!("2026-03-01T10:00:{:02}Z", n - 60);
        let run = Run::new(&format!("{n:08x}-1")).model(&format!("sample/m{n}"));
        site.run(&n.to_string(), &run.at("2026-03-01T09:00:00Z", &end));
    }
    site.publish();
    let manifest = search::data(&site, "search/runs", "runs");
    let rows = search::rows(&site);
    let column = |name: &str| {
        let column = search::data(&site, &format!("search/runs-{name}"), "runs");
        search::column(&column, 70)
    };
    let (models, days) = (column("model"), column("finished"));
    let values = &manifest["columns"]["model"];
    assert_eq!(entries(&values["counts"]).len(), 70);
    for (at, row) in rows.iter().rev().enumerate() {
        assert_eq!(values["values"][models[at]], row["model"]);
    }
    assert!(
        days.is_sorted() && days[0] == 1 && days[69] == 60,
        "{days:?}"
    );
    // All runs have the same case.
    let cases = search::data(&site, "search/runs-case", "runs");
    assert_eq!(cases, json!([0, 70]));
    assert_eq!(column("case"), [0; 70]);
}

#[test]
fn runs_are_ordered_by_comparable_cost_and_not_by_what_was_charged() {
    let site = TestSite::empty();
    for (n, comparable, actual) in [(0, 0.2, 0.3), (1, 0.1, 0.9)] {
        let finished = format!("2026-03-01T10:00:0{n}Z");
        let run = Run::new(&format!("0000000{n}-1")).at("2026-03-01T09:00:00Z", &finished);
        let cost = json!({ "comparable": comparable, "actual": actual });
        site.run_with(&n.to_string(), &run, |record| {
            record["metrics"]["cost"] = cost;
        });
    }
    site.publish();
    let column = search::data(&site, "search/runs-cost", "runs");
    assert_eq!(search::column(&column, 2), [2, 1]);
}

#[test]
fn a_column_of_few_or_of_many_values_is_read_as_it_was_written() {
    for values in [1, 2, 3, 4, 5, 9, 10, 86] {
        let site = TestSite::empty();
        let of = |n: usize| format!("m{}", n * 7 % values);
        add(&site, (0..90).map(of));
        site.publish();
        let column = search::data(&site, "search/runs-model", "runs");
        let places = search::column(&column, 90);
        let manifest = search::data(&site, "search/runs", "runs");
        for (n, place) in places.into_iter().enumerate() {
            let model = &manifest["columns"]["model"]["values"][place]["text"];
            assert_eq!(*model, of(n), "{values}: {column}");
        }
    }
}

#[test]
fn ids_that_begin_with_eight_hexadecimal_digits_take_five_characters_and_others_are_whole() {
    let site = TestSite::empty();
    let ids = "00000000-1 ffffffff-1 Sample-Pong 9B02C4AA-1 4f1c2d3e-8a60 4f1c2d3e-9b71 +1c2d3e4-1 deadbeef";
    for (id, n) in ids.split(' ').zip(1..) {
        let day = format!("2026-03-{n:02}T10:00:00Z");
        site.run(
            &n.to_string(),
            &Run::new(id).at("2026-02-01T09:00:00Z", &day),
        );
    }
    site.publish();
    let text = search::data(&site, "search/runs-run", "runs");
    let expected = "XAAAAAAM2X_ sample XNu9!x 4f1c2d3e-8a60 4f1c2d3e-9b71 +1c2d3e4 X7tcw?";
    assert_eq!(text, expected);
}
