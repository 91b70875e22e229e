//! Invalid runs are quarantined: all others are published, and no list, table or feed contains the invalid ones.

use runpress::api::site::Overrides;

use crate::support::{
    FIRST, HEADER, Run, TestSite, annotation, codes, described, lines, messages, words,
};

/// Words that only the broken runs contain. The run with the duplicate id is recognized by its model.
const MARKS: [&str; 4] = ["half-written", "deadbeef", "sample/stale", "impostor"];

/// Three good runs, a broken record, a broken sidecar and a duplicate id.
fn site() -> TestSite {
    let site = TestSite::empty();
    for n in 1..=3 {
        site.run(
            &format!("good-{n}"),
            &Run::new(&format!("0000000{n}-1"))
                .at("2026-03-01T00:00:00Z", &format!("2026-03-0{n}T00:00:00Z")),
        );
    }
    let record = Run::new("0badc0de-1").model("sample/half-written").record();
    site.write(
        "content/runs/record/run-record.json",
        record.replace("\"metrics\"", "metrics"),
    );
    let stale = Run::new("deadbeef-1")
        .model("sample/stale")
        .at("2026-03-01T00:00:00Z", "2026-03-02T12:00:00Z")
        .record();
    site.write(
        "content/runs/sidecar/run-record.json",
        stale.replace("\"uncachedInput\": 100", "\"uncachedInput\": 987654321"),
    );
    site.write("content/runs/sidecar/events.jsonl", messages(2));
    site.write(
        "content/runs/sidecar/events.jsonl.annotations.jsonl",
        lines(&[
            HEADER,
            &annotation("a", 99, "note", "\"evidence\":\"half-written words\""),
        ]),
    );
    site.write(
        "content/runs/sidecar/writeup.md",
        "---\nrating: great\n---\n\nA half-written review.\n",
    );
    site.run("twin", &Run::new("00000001-1").model("sample/impostor"));
    site
}

/// Paths of the placeholder pages of quarantined runs.
fn quarantined_pages(site: &TestSite) -> Vec<String> {
    let problems = site.page("problems/index.html");
    let links = problems.all("section[aria-labelledby=quarantined] li a");
    links
        .iter()
        .map(|a| {
            a.value()
                .attr("href")
                .unwrap_or_default()
                .replace("../", "")
        })
        .collect()
}

#[test]
fn keep_going_publishes_the_good_runs_and_nothing_of_the_others() {
    let site = site();
    let ran = site.runpress(&["build", "--keep-going"]);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("3 runs, 3 quarantined"),
        "{}",
        ran.stderr
    );
    let mut allowed = quarantined_pages(&site);
    assert_eq!(allowed.len(), 3);
    allowed.extend([
        "problems/index.html".to_owned(),
        "feeds/diagnostics.json".to_owned(),
    ]);
    for (path, bytes) in site.published() {
        if allowed.contains(&path) {
            continue;
        }
        let text = String::from_utf8(bytes).expect("UTF-8");
        for mark in MARKS
            .iter()
            .chain(&["987,654,321", "987654321", "0badc0de"])
        {
            assert!(!text.contains(mark), "{mark} is in {path}");
        }
    }
    let runs = site.json("feeds/runs.json");
    let ids: Vec<_> = runs["runs"]
        .as_array()
        .expect("runs")
        .iter()
        .map(|run| run["id"].as_str().unwrap_or_default())
        .collect();
    assert_eq!(ids, ["00000003-1", "00000002-1", "00000001-1"]);
    assert_eq!(site.json("feeds/index.json")["runs"], 3);
    assert_eq!(
        site.json("feeds/diagnostics.json")["summary"],
        serde_json::json!({"errors": 3, "warnings": 0, "notes": 0, "runs": 3, "quarantined": 3, "withheld": 0})
    );
    assert_eq!(crate::crawl::problems(&site.published()), [""; 0]);
}

#[test]
fn a_quarantined_run_has_a_page_that_says_so_and_is_listed_among_the_problems() {
    let site = site();
    assert_eq!(site.runpress(&["build", "--keep-going"]).status, Some(0));
    let problems = site.page("problems/index.html");
    for (folder, code) in [
        ("record", "record.syntax"),
        ("sidecar", "annotation.unknown-event-id"),
        ("twin", "archive.duplicate-run-id"),
    ] {
        let path = format!("content/runs/{folder}");
        let link = problems
            .all("section[aria-labelledby=quarantined] li")
            .into_iter()
            .find(|li| words(*li).contains(&path));
        let link = link.unwrap_or_else(|| panic!("{path} is not listed"));
        assert!(words(link).contains("1 error"), "{}", words(link));
        let href = crate::support::below(link, "a")[0]
            .value()
            .attr("href")
            .expect("an address")
            .replace("../", "");
        let page = site.page(&href);
        assert_eq!(page.texts("h1"), ["This run is quarantined"]);
        assert!(
            page.main().contains(&path) && page.main().contains(code),
            "{}",
            page.main()
        );
        assert_eq!(
            page.one("meta[name=robots]").value().attr("content"),
            Some("noindex")
        );
        assert!(problems.main().contains(code));
    }
}

#[test]
fn without_keep_going_nothing_is_published() {
    let site = site();
    let ran = site.runpress(&["build"]);
    assert_eq!(ran.status, Some(1), "{}", ran.stderr);
    assert!(!site.path("public").exists());
}

#[test]
fn the_setting_on_invalid_does_what_keep_going_does() {
    let site = site();
    assert_eq!(site.runpress(&["build", "--keep-going"]).status, Some(0));
    let option = site.published();
    std::fs::remove_dir_all(site.path("public")).expect("a removal");
    let policy = "[policy]\non_invalid = \"quarantine\"\n";
    site.write("site.toml", site.text("site.toml") + policy);
    assert_eq!(site.runpress(&["build"]).status, Some(0));
    assert_eq!(
        crate::support::differences(&option, &site.published()),
        [""; 0]
    );
}

#[test]
fn denied_warnings_make_quarantined_runs_and_warnings_a_failure() {
    let site = site();
    assert_eq!(
        site.runpress(&["build", "--keep-going", "--deny", "warnings"])
            .status,
        Some(1)
    );
    assert_eq!(
        site.runpress(&["check", "--keep-going", "--deny", "warnings"])
            .status,
        Some(1)
    );
    assert_eq!(site.runpress(&["check", "--keep-going"]).status, Some(0));
    let site = TestSite::base();
    assert_eq!(
        site.runpress(&["check", "--deny", "warnings"]).status,
        Some(0)
    );
    site.write("content/cases/pnog.md", "A case that no run has.\n");
    assert_eq!(site.runpress(&["check"]).status, Some(0));
    assert_eq!(
        site.runpress(&["check", "--deny", "warnings"]).status,
        Some(1)
    );
}

#[test]
fn problems_that_belong_to_no_run_still_stop_the_publication() {
    let site = site();
    site.write("content/pages/runs.md", "A name that the site uses.\n");
    assert_eq!(site.runpress(&["build", "--keep-going"]).status, Some(1));
}

#[test]
fn neighbors_and_ranges_never_count_a_quarantined_run() {
    let site = site();
    let overrides = Overrides {
        keep_going: true,
        ..Overrides::default()
    };
    assert!(site.build_with(&overrides).published);
    let page = site.page("runs/pong-codex-sample-lark-1-00000002/index.html");
    assert_eq!(page.beside("uncached input, tokens"), ["100", "100 to 100"]);
    assert_eq!(
        page.one("nav.neighbours a[rel=prev]").value().attr("href"),
        Some("../../runs/pong-codex-sample-lark-1-00000003/index.html")
    );
    assert!(
        page.main().contains("Range of the 3 comparable runs"),
        "{}",
        page.main()
    );
}

#[test]
fn a_site_with_only_broken_runs_is_empty_and_explains_why() {
    let site = TestSite::empty();
    site.write("content/runs/record/run-record.json", "{");
    let overrides = Overrides {
        keep_going: true,
        ..Overrides::default()
    };
    let outcome = site.build_with(&overrides);
    assert!(outcome.published);
    assert_eq!(
        (outcome.runs, outcome.quarantined, codes(&outcome)),
        (0, 1, vec!["record.syntax"])
    );
    assert_eq!(crate::crawl::problems(&site.published()), [""; 0]);
    assert!(site.page("index.html").main().contains("No runs yet"));
}

#[test]
fn a_quarantined_run_does_not_take_the_address_of_a_published_one() {
    let site = TestSite::empty();
    site.run("first", &Run::new("4f1c2d3e-1"));
    site.write("content/runs/first/events.jsonl", messages(1));
    site.write(
        "content/runs/first/events.jsonl.annotations.jsonl",
        lines(&[HEADER, &annotation("a", 99, "note", "")]),
    );
    site.run("second", &Run::new("4f1c2d3e-2"));
    let ran = site.runpress(&["build", "--keep-going"]);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    let page = site.page("runs/pong-codex-sample-lark-1-4f1c2d3e/index.html");
    assert!(page.main().contains("4f1c2d3e-2"), "{}", page.main());
}

#[test]
fn quarantined_runs_of_two_content_roots_outside_the_site_have_distinct_paths() {
    for second in ["{", ""] {
        let (site, one, two) = (TestSite::empty(), TestSite::bare(), TestSite::bare());
        one.write("run/run-record.json", "{");
        let good = Run::new("0000000b-1").record();
        two.write(
            "run/run-record.json",
            if second.is_empty() {
                good.as_str()
            } else {
                second
            },
        );
        let overrides = Overrides {
            content: vec![one.root().to_owned(), two.root().to_owned()],
            keep_going: true,
            ..Overrides::default()
        };
        let outcome = site.build_with(&overrides);
        assert!(outcome.published);
        let expected = if second.is_empty() { (1, 1) } else { (0, 2) };
        assert_eq!(
            (outcome.runs, outcome.quarantined),
            expected,
            "{:?}",
            described(&outcome)
        );
    }
}

#[test]
fn a_run_with_a_broken_record_is_counted_like_one_with_a_broken_sidecar() {
    let runs = |file: &str| {
        let site = TestSite::base();
        site.write(&format!("{FIRST}/{file}"), "{");
        site.check().runs
    };
    assert_eq!(
        runs("run-record.json"),
        runs("events.jsonl.annotations.jsonl")
    );
}

#[test]
fn a_canceled_run_does_not_hide_the_problems_of_a_published_run_with_its_id() {
    let site = TestSite::empty();
    site.run("good", &Run::new("00000001-1"));
    let odd = |folder: &str| {
        let record = format!("content/runs/{folder}/run-record.json");
        site.replace(
            &record,
            "\"metrics\"",
            "\"toolCalls\": \"many\", \"metrics\"",
        );
    };
    odd("good");
    site.publish();
    let shown = |site: &TestSite| {
        let feed = site.json("feeds/diagnostics.json");
        let list = feed["diagnostics"].as_array().expect("a list").iter();
        let of_runs = list.filter(|problem| problem["run"] == "00000001-1");
        let paths = of_runs.map(|problem| problem["path"].as_str().unwrap_or_default().to_owned());
        paths.collect::<Vec<_>>()
    };
    let before = shown(&site);
    assert!(!before.is_empty());
    site.run("canceled", &Run::new("00000001-1").state("canceled"));
    odd("canceled");
    site.publish();
    assert_eq!(shown(&site), before);
    assert!(
        !site
            .text("public/feeds/diagnostics.json")
            .contains("canceled"),
        "its own are not shown"
    );
}
