//! Tables of runs: data for the scripts, shades of similarity, and the overview.

use crate::support::{FIRST_SLUG, Run, TestSite, below, parse, words};

fn three() -> TestSite {
    let site = TestSite::empty();
    site.run("a", &Run::new("0000000a-1").model("sample/lark 1"))
        .run("b", &Run::new("0000000b-1").model("sample/lark 1"))
        .run(
            "c",
            &Run::new("0000000c-1")
                .model("other")
                .case("todo")
                .state("failed"),
        );
    site
}

#[test]
fn every_row_names_its_run_and_every_column_has_a_unique_name() {
    let site = TestSite::base();
    site.publish();
    for path in ["runs/index.html", "cases/pong/index.html"] {
        let page = site.page(path);
        let row = page.one("tr[data-run]");
        assert_eq!(row.attr("data-run"), Some(FIRST_SLUG), "{path}");
        let heads = "table.runs thead th, table.comparison thead th";
        let mut names = page.attrs(heads, "data-col");
        assert_eq!(names.len(), below(row, "th, td").len(), "{path}");
        names.sort();
        names.dedup();
        assert_eq!(names.len(), below(row, "th, td").len(), "{path}");
        // The run time in seconds.
        page.one("tr[data-run] td[data-v='612.5']");
    }
}

#[test]
fn a_similarity_is_shaded_by_tenths_and_an_unreached_view_is_not() {
    let shades = |similarity: &str, reached: bool| {
        let site = TestSite::empty();
        site.run_with("a", &Run::new("0000000a-1"), |record| {
            record["validation"]["checks"] = parse(&format!(
                r#"[{{"view": "title", "name": "Title", "reached": {reached}, "similarity": {similarity}}}]"#
            ));
        });
        site.publish();
        let page = site.page("cases/pong/index.html");
        let cells = page.all("td.sim").into_iter();
        let cells =
            cells.map(|cell| format!("{} {}", cell.attr("class").unwrap_or(""), words(cell)));
        cells.collect::<Vec<_>>()
    };
    assert_eq!(shades("0", true), ["num sim s0 0.00"]);
    assert_eq!(shades("0.0999", true), ["num sim s0 0.09"]);
    assert_eq!(shades("0.97", true), ["num sim s9 0.97"]);
    assert_eq!(shades("1", true), ["num sim s10 1.00"]);
    assert_eq!(shades("0", false), [""; 0]);
}

#[test]
fn the_overview_has_cases_by_models_and_by_harnesses() {
    let site = three();
    site.publish();
    let page = site.page("overview/index.html");
    assert_eq!(
        page.texts("table.matrix thead th"),
        ["Case", "other", "sample/lark 1", "Case", "codex"]
    );
    let links = "table.matrix tbody td a";
    let [both, none] = ["2 of 2 completed", "0 of 1 completed"];
    assert_eq!(page.texts(links), [both, none, both, none]);
    let todo = "../runs/todo-codex-other-0000000c/index.html";
    assert_eq!(
        page.attrs(links, "href"),
        [
            "../cases/pong/index.html?find=sample/lark%201",
            todo,
            "../cases/pong/index.html?find=codex",
            todo
        ]
    );
    let [good, bad] = ["g-good", "g-bad"];
    let glyphs = page.attrs("table.matrix tbody td i", "class");
    assert_eq!(glyphs, [good, good, bad, good, good, bad]);
    assert_eq!(page.all("table.matrix tbody td .unknown").len(), 2);
    assert!(page.all("table.sparse").is_empty());
    // With five models of a case each, a fifth of the cells has runs.
    for number in 2..5 {
        let run = Run::new(&format!("0000000{number}-1"));
        let run = run.model(&format!("m{number}")).case(&format!("c{number}"));
        site.run(&format!("r{number}"), &run);
    }
    site.publish();
    let page = site.page("overview/index.html");
    assert_eq!(page.all("table.sparse").len(), 1);
    assert_eq!(page.texts("header nav [aria-current=page]"), ["Cases"]);
    let home = site.page("index.html");
    home.one("main section a[href='overview/index.html']");
    assert_eq!(crate::crawl::problems(&site.published()), [""; 0]);
}

#[test]
fn an_overview_without_runs_says_so() {
    let site = TestSite::empty();
    site.publish();
    let main = site.page("overview/index.html").main();
    assert!(main.contains("No runs yet"), "{main}");
}

#[test]
fn an_overview_of_many_cases_continues_on_further_pages() {
    let site = TestSite::empty();
    for number in 0..101 {
        let run = Run::new(&format!("{number:08}-1")).case(&format!("case-{number:03}"));
        site.run(&number.to_string(), &run);
    }
    site.publish();
    let rows = |path: &str| site.page(path).all("table.matrix tbody tr").len();
    assert_eq!(rows("overview/index.html"), 200);
    assert_eq!(rows("overview/page/2/index.html"), 2);
    assert_eq!(
        site.page("overview/page/2/index.html")
            .texts("header nav [aria-current=page]"),
        ["Cases"]
    );
}

#[test]
fn the_page_of_a_model_is_one_table_by_case_and_version_with_the_peers_of_each_run() {
    let site = TestSite::empty();
    let runs = [
        ("a", "todo", "one", 1.0),
        ("b", "pong", "one", 2.0),
        ("c", "pong", "two", 4.0),
        ("d", "pong", "two", 8.0),
        ("e", "pong", "two", 16.0),
    ];
    for (id, case, model, cost) in runs {
        let run = Run::new(&format!("0000000{id}-1")).case(case).model(model);
        site.run_with(id, &run, |record| {
            record["metrics"]["cost"]["comparable"] = cost.into();
            if id == "e" {
                record["subject"]["orchestratorSlug"] = "other".into();
            }
        });
    }
    site.publish();
    let page = site.page("models/one/index.html");
    assert_eq!(page.all("table caption").len(), 1);
    let groups = page.texts("table .group th");
    assert_eq!(groups.len(), 2);
    assert!(
        groups[0].starts_with("pong v1.0.0, variant base 1 run"),
        "{groups:?}"
    );
    assert!(groups[1].starts_with("todo v1.0.0"), "{groups:?}");
    // The runs of the other model are peers, but for that of another orchestrator; the only run of a case has none.
    let ranges = page.all("svg.peers");
    assert_eq!(ranges.len(), 1);
    let dots = below(ranges[0], "path + path")[0].attr("d");
    assert_eq!(dots.map(|dots| dots.matches('M').count()), Some(3));
    assert_eq!(below(ranges[0], "circle").len(), 1);
    assert_eq!(crate::crawl::problems(&site.published()), [""; 0]);
}
