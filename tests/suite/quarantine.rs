//! Invalid runs are quarantined: all others are published, and no list, table or feed contains the invalid ones.

use runpress::api::site::Overrides;

use crate::support::{
    Run, TestSite, annotation, below, codes, differences, each, messages, sidecar, words,
};

/// Words that only the broken runs contain. The run with the duplicate id is recognized by its model.
const MARKS: [&str; 4] = ["half-written", "deadbeef", "sample/stale", "impostor"];

/// Three good runs, a broken record, a broken sidecar and a duplicate id.
fn site() -> TestSite {
    let site = TestSite::empty();
    let run = |id: &str, end: &str| {
        Run::new(id).at("2026-03-01T00:00:00Z", &format!("2026-03-{end}:00:00Z"))
    };
    for n in 1..=3 {
        let run = run(&format!("0000000{n}-1"), &format!("0{n}T00"));
        site.run(&format!("good-{n}"), &run);
    }
    let record = Run::new("0badc0de-1").model("sample/half-written").record();
    site.write(
        "content/runs/record/run-record.json",
        record.replace("\"metrics\"", "metrics"),
    );
    let stale = run("deadbeef-1", "02T12").model("sample/stale");
    site.run_with("sidecar", &stale, |record| {
        record["metrics"]["tokens"]["uncachedInput"] = 987_654_321.into();
    });
    site.write("content/runs/sidecar/events.jsonl", messages(2));
    let note = annotation("a", 99, "note", "\"evidence\":\"half-written words\"");
    site.write(
        "content/runs/sidecar/events.jsonl.annotations.jsonl",
        sidecar(&[note]),
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
    let links = "section[aria-labelledby=quarantined] li a";
    let links = site
        .page("problems/index.html")
        .attrs(links, "href")
        .into_iter();
    links.map(|link| link.replace("../", "")).collect()
}

#[test]
fn keep_going_publishes_the_good_runs_and_nothing_of_the_others() {
    let site = site();
    let ran = site.runpress("build --keep-going").ok();
    ran.says("3 runs, 3 quarantined");
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
    let ids = each(&runs["runs"], "id");
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
    site.runpress("build --keep-going").ok();
    let problems = site.page("problems/index.html");
    for (folder, code) in [
        ("record", "record.syntax"),
        ("sidecar", "annotation.unknown-event-id"),
        ("twin", "archive.duplicate-run-id"),
    ] {
        let path = format!("content/runs/{folder}");
        let mut links = problems
            .all("section[aria-labelledby=quarantined] li")
            .into_iter();
        let link = links.find(|li| words(*li).contains(&path));
        let link = link.unwrap_or_else(|| panic!("{path} is not listed"));
        assert!(words(link).contains("1 error"), "{}", words(link));
        let href = below(link, "a")[0].attr("href").expect("an address");
        let page = site.page(href.trim_start_matches("../"));
        assert_eq!(page.texts("h1"), ["This run is quarantined"]);
        page.says(&path);
        page.says(code);
        assert_eq!(page.attrs("meta[name=robots]", "content"), ["noindex"]);
        problems.says(code);
    }
}

#[test]
fn without_keep_going_nothing_is_published() {
    let site = site();
    site.runpress("build").exits(1);
    assert!(!site.path("public").exists());
}

#[test]
fn the_setting_on_invalid_does_what_keep_going_does() {
    let site = site();
    site.runpress("build --keep-going").ok();
    let option = site.published();
    site.remove("public");
    site.settings("[policy]\non_invalid = \"quarantine\"");
    site.runpress("build").ok();
    assert_eq!(differences(&option, &site.published()), [""; 0]);
}

#[test]
fn denied_warnings_make_quarantined_runs_and_warnings_a_failure() {
    let site = site();
    site.runpress("build --keep-going --deny warnings").exits(1);
    site.runpress("check --keep-going --deny warnings").exits(1);
    site.runpress("check --keep-going").ok();
    let site = TestSite::base();
    site.runpress("check --deny warnings").ok();
    site.write("content/cases/pnog.md", "A case that no run has.\n");
    site.runpress("check").ok();
    site.runpress("check --deny warnings").exits(1);
}

#[test]
fn problems_that_belong_to_no_run_still_stop_the_publication() {
    let site = site();
    site.write("content/pages/runs.md", "A name that the site uses.\n");
    site.runpress("build --keep-going").exits(1);
}

#[test]
fn neighbors_and_ranges_never_count_a_quarantined_run() {
    let site = site();
    site.keep_going();
    let page = site.page("runs/pong-codex-sample-lark-1-00000002/index.html");
    assert_eq!(page.beside("uncached input, tokens"), ["100", "100 to 100"]);
    assert_eq!(
        page.attrs("nav.neighbors a[rel=prev]", "href"),
        ["../../runs/pong-codex-sample-lark-1-00000003/index.html"]
    );
    page.says("Range of the 3 comparable runs");
}

#[test]
fn a_site_with_only_broken_runs_is_empty_and_explains_why() {
    let site = TestSite::empty();
    site.write("content/runs/record/run-record.json", "{");
    let outcome = site.keep_going();
    assert_eq!(
        (outcome.runs, outcome.quarantined, codes(&outcome)),
        (0, 1, vec!["record.syntax"])
    );
    assert_eq!(crate::crawl::problems(&site.published()), [""; 0]);
    site.page("index.html").says("No runs yet");
}

#[test]
fn a_quarantined_run_does_not_take_the_address_of_a_published_one() {
    let site = TestSite::empty();
    site.run("first", &Run::new("4f1c2d3e-1"));
    site.write("content/runs/first/events.jsonl", messages(1));
    site.write(
        "content/runs/first/events.jsonl.annotations.jsonl",
        sidecar(&[annotation("a", 99, "note", "")]),
    );
    site.run("second", &Run::new("4f1c2d3e-2"));
    site.runpress("build --keep-going").ok();
    let page = site.page("runs/pong-codex-sample-lark-1-4f1c2d3e/index.html");
    page.says("4f1c2d3e-2");
}

#[test]
fn quarantined_runs_of_two_content_roots_outside_the_site_have_distinct_paths() {
    let good = Run::new("0000000b-1").record();
    for (second, expected) in [("{", (0, 2)), (good.as_str(), (1, 1))] {
        let (site, one, two) = (TestSite::empty(), TestSite::bare(), TestSite::bare());
        one.write("run/run-record.json", "{");
        two.write("run/run-record.json", second);
        let overrides = Overrides {
            content: vec![one.root().to_owned(), two.root().to_owned()],
            keep_going: true,
            ..Overrides::default()
        };
        let outcome = site.build_with(&overrides);
        assert!(outcome.published);
        assert_eq!((outcome.runs, outcome.quarantined), expected);
    }
}

#[test]
fn a_run_with_a_broken_record_is_counted_like_one_with_a_broken_sidecar() {
    let runs = |file: &str| {
        let site = TestSite::base();
        site.write_first(file, "{");
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
