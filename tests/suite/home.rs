//! The home page and the wall: the first run, what a person wrote about it, and all runs as pictures.

use crate::support::{Run, TestSite, annotation, first};

#[test]
fn the_home_page_says_what_the_site_is_once_and_leads_to_a_run_and_to_a_comparison() {
    let site = TestSite::base();
    site.write("content/pages/index.md", "Welcome, reader.\n");
    site.publish();
    let home = site.page("index.html");
    assert_eq!(home.texts("h1").len(), 1);
    let links = home.texts(".hero a.button");
    assert_eq!(links, ["Read a run", "Compare models"]);
    let first = home.all(".hero a.button")[0].attr("href");
    assert!(
        first.is_some_and(|href| href.starts_with("runs/")),
        "{first:?}"
    );
    assert_eq!(
        home.all(".first-run").len(),
        0,
        "no moment has an annotation"
    );
    home.says("Welcome, reader.");
    // With one case, models are compared on its page.
    assert_eq!(home.all(".hero a[href='cases/pong/index.html']").len(), 1);
    assert_eq!(crate::crawl::problems(&site.published()), [""; 0]);
}

#[test]
fn the_first_run_is_the_newest_that_a_person_annotated() {
    let site = TestSite::base();
    let events = site.text(&first("events.jsonl"));
    let note = |author: &str, words: &str| {
        let fields =
            format!("\"evidence\":\"{words}\",\"author\":{{\"id\":\"x\",\"kind\":\"{author}\"}}");
        let header = "{\"type\":\"header\",\"schema_version\":1}";
        format!("{header}\n{}\n", annotation("a", 2, "note", &fields))
    };
    for (folder, id, finished, author) in [
        ("new", "0000000a-1", "2026-08-03T10:00:00Z", "agent"),
        ("old", "0000000b-1", "2026-08-02T10:00:00Z", "human"),
    ] {
        site.run(folder, &Run::new(id).at("2026-08-01T10:00:00Z", finished));
        let run = format!("content/runs/{folder}");
        site.write(&format!("{run}/events.jsonl"), &events);
        let words = format!("Said by {author}.");
        site.write(
            &format!("{run}/events.jsonl.annotations.jsonl"),
            note(author, &words),
        );
    }
    site.publish();
    let home = site.page("index.html");
    assert_eq!(
        home.texts(".said-first li > p:last-child"),
        ["Said by human."]
    );
    let href = home.one(".said-first a").attr("href").expect("an address");
    let run = home
        .one(".first-run > figcaption a")
        .attr("href")
        .expect("an address");
    assert_eq!(href.split('#').next(), Some(run));
    assert!(run.contains("0000000b"), "{run}");
    // The colors of its strip are named in a legend.
    let key = home.texts(".first-run .legend li");
    assert!(key.contains(&"read".to_owned()), "{key:?}");
    let colors = home.all(".first-run svg path").len();
    assert_eq!(key.len(), colors, "{key:?}");
    let others = home.texts("section[aria-labelledby=said] li");
    assert!(
        others.iter().all(|text| !text.contains("Said by human.")),
        "{others:?}"
    );
}

#[test]
fn a_wall_shows_every_run_as_a_picture_as_wide_as_the_run_was_long() {
    let site = TestSite::base();
    let half = Run::new("0000000b-1").record();
    let half = half.replace("\"runTimeSeconds\": 600", "\"runTimeSeconds\": 306.25");
    site.write("content/runs/b/run-record.json", half);
    site.run("c", &Run::new("0000000c-1").state("timed_out"));
    site.publish();
    for (page, runs) in [("index.html", 3), ("cases/pong/index.html", 3)] {
        let page = site.page(page);
        assert_eq!(page.all("ul.wall > li > a[href] > svg.glyph").len(), runs);
        let widths = page.attrs("ul.wall svg", "width");
        assert!(
            widths.contains(&"100%".to_owned()) && widths.contains(&"50%".to_owned()),
            "{widths:?}"
        );
        assert_eq!(page.all(".real input[type=checkbox]").len(), 1);
        let all = page.texts("ul.wall > li").join(" ");
        assert!(all.contains("timed") && all.contains("completed"), "{all}");
    }
}

#[test]
fn a_picture_on_a_wall_is_named_by_its_task_or_where_all_have_one_by_its_model() {
    let site = TestSite::base();
    site.publish();
    let words = |path: &str| site.page(path).texts(".wall small")[0].clone();
    let on_case = words("cases/pong/index.html");
    assert!(on_case.starts_with("completed · "), "{on_case}");
    assert_eq!(words("index.html"), on_case);
    let name = |path: &str| site.page(path).texts(".wall a > span")[0].clone();
    assert!(name("cases/pong/index.html").ends_with("sample/lark-1"));
    assert!(name("index.html").ends_with("pong"));
}
