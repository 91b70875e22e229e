//! Lists and tapes that continue over several pages.

use crate::search::data;
use crate::support::{
    FIRST_SLUG, Run, TestSite, annotation, contains, event, lines, message, messages, span, words,
};

/// A site with 250 runs of one case, sorted by number with the newest first.
pub(crate) fn site_of_250_runs() -> TestSite {
    let site = TestSite::empty();
    for n in 0_u32..250 {
        let finished = format!("2026-03-{:02}T{:02}:00:00Z", 1 + n / 24, n % 24);
        let run = Run::new(&format!("{n:08x}-0000"))
            .at("2026-02-01T10:00:00Z", &finished)
            .model(&format!("sample/model-{}", n % 3));
        site.run(&format!("r{n}"), &run);
    }
    site
}

#[test]
fn the_list_of_runs_has_100_rows_a_page_newest_first() {
    let site = site_of_250_runs();
    site.publish();
    let mut shown = Vec::new();
    for (path, rows) in [
        ("runs/index.html", 100),
        ("runs/page/2/index.html", 100),
        ("runs/page/3/index.html", 50),
    ] {
        let page = site.page(path);
        let ids = page.texts("main tbody th small");
        assert_eq!(ids.len(), rows, "{path}");
        shown.extend(ids);
    }
    let expected: Vec<String> = (0..250).rev().map(|n| format!("{n:08x}")).collect();
    assert_eq!(shown, expected);
    assert!(!site.is_published("runs/page/4") && !site.is_published("runs/page/1"));
    let second = site.page("runs/page/2/index.html");
    second.says("Page 2 of 3: runs 101 to 200 of 250");
    assert_eq!(
        second.attrs("a[rel=prev]", "href"),
        ["../../../runs/index.html"]
    );
    assert_eq!(
        second.attrs("a[rel=next]", "href"),
        ["../../../runs/page/3/index.html"]
    );
}

#[test]
fn the_pages_of_a_case_go_on_and_show_every_run_once() {
    let site = site_of_250_runs();
    site.publish();
    let mut shown = Vec::new();
    for path in [
        "cases/pong/index.html",
        "cases/pong/page/2/index.html",
        "cases/pong/page/3/index.html",
    ] {
        let page = site.page(path);
        assert_eq!(page.texts("main tr.group small"), ["250 runs"], "{path}");
        shown.extend(page.texts(".comparison tbody tr:not(.group) th a"));
    }
    let expected: Vec<String> = (0..250).rev().map(|n| format!("{n:08x}")).collect();
    assert_eq!(shown, expected);
    assert!(!site.is_published("cases/pong/page/4"));
}

#[test]
fn a_list_of_exactly_one_page_has_no_pager() {
    let site = TestSite::empty();
    for n in 0..100 {
        site.run(&format!("r{n}"), &Run::new(&format!("{n:08x}-0000")));
    }
    site.publish();
    assert!(!site.is_published("runs/page"));
    assert_eq!(site.page("runs/index.html").all("nav.pager").len(), 0);
}

/// The base run with a log of 1,200 events, and annotations at the boundaries of its pages.
fn long_tape() -> TestSite {
    let site = TestSite::base();
    site.write_first("events.jsonl", messages(1200));
    site.annotate(&[
        annotation("first-of-all", 0, "note", &span(0, 1199)),
        annotation("last-of-one", 499, "note", &span(499, 500)),
        annotation("first-of-two", 500, "note", ""),
        annotation("last", 1199, "note", ""),
    ]);
    site
}

const TWO: &str = "events/2/index.html";
const THREE: &str = "events/3/index.html";

#[test]
fn a_long_tape_continues_in_fixed_blocks() {
    let site = long_tape();
    site.publish();
    let numbers = |path: &str| -> Vec<String> {
        let page = site.page(&format!("runs/{FIRST_SLUG}/{path}"));
        page.attrs("ol.tape > li.e", "id")
    };
    for (path, from, to) in [
        ("index.html", 0, 500),
        (TWO, 500, 1000),
        (THREE, 1000, 1200),
    ] {
        let expected: Vec<String> = (from..to).map(|n| format!("e-{n}")).collect();
        assert_eq!(numbers(path), expected, "{path}");
    }
    assert!(!site.is_published(&format!("runs/{FIRST_SLUG}/events/4")));
    let further = site.page(&format!("runs/{FIRST_SLUG}/{TWO}"));
    let head = further.texts("p.lead, p.badges").join(" ");
    for part in ["sample/lark-1, codex", "completed", "4f1c2d3e-8a60-"] {
        assert!(head.contains(part), "{head}");
    }
    let one = numbers("index.html");
    // More events do not move those that were there.
    site.write_first("events.jsonl", messages(1300)).publish();
    assert_eq!(numbers("index.html"), one);
}

#[test]
fn annotations_spans_and_the_strip_lead_to_the_right_page() {
    let site = long_tape();
    site.publish();
    let page = |path: &str| site.page(&format!("runs/{FIRST_SLUG}/{path}"));
    let (one, two, three) = (page("index.html"), page(TWO), page(THREE));
    let ids = |page: &crate::support::Page| -> Vec<String> { page.attrs("aside.an", "id") };
    assert_eq!(ids(&one), ["a-first-of-all", "a-last-of-one"]);
    assert_eq!(ids(&two), ["a-first-of-two"]);
    assert_eq!(ids(&three), ["a-last"]);
    let pins = one.attrs("svg.strip a:has(.pin)", "href");
    let at = |page: &str, anchor: &str| format!("{page}#{anchor}");
    assert_eq!(
        pins,
        [
            "#a-first-of-all".to_owned(),
            "#a-last-of-one".to_owned(),
            at(TWO, "a-first-of-two"),
            at(THREE, "a-last")
        ]
    );
    let spans = one.attrs("a.span", "href");
    assert_eq!(spans, [at(THREE, "e-1199"), at(TWO, "e-500")]);
    // The long span is drawn on every page.
    for page in [&two, &three] {
        let covered = page.all("ol.tape > li.e:is(.l0, :has(i.sp.l0))").len();
        assert_eq!(covered, page.all("ol.tape > li.e").len());
    }
    let ticks = one.attrs("svg.strip a[href*='#e-']", "href");
    for tick in &ticks {
        let (_, number) = tick.rsplit_once("#e-").expect("an event");
        let number: u32 = number.parse().expect("a number");
        let expected = match number {
            0..500 => format!("#e-{number}"),
            500..1000 => at(TWO, &format!("e-{number}")),
            _ => at(THREE, &format!("e-{number}")),
        };
        assert_eq!(*tick, expected);
    }
    assert_eq!(ticks.len(), 40, "a strip is divided into places");
}

#[test]
fn failures_are_those_of_the_whole_tape_and_each_link_says_how_many_are_on_its_page() {
    let site = TestSite::base();
    let log: Vec<_> = (0..1_200)
        .map(|at| match at {
            3 | 700 | 701 => event(at, "error", r#""message":"m""#),
            _ => message(at, "m"),
        })
        .collect();
    site.log(lines(&log)).publish();
    for path in ["index.html", TWO] {
        let page = site.page(&format!("runs/{FIRST_SLUG}/{path}"));
        let tape = page.one("ol.tape");
        assert_eq!(tape.attr("data-failures"), Some("3"));
        let links = page.texts("nav.pages li a");
        assert!(links[0].ends_with("499, 1 failure"), "{links:?}");
        assert!(links[1].ends_with("999, 2 failures"), "{links:?}");
        assert!(links[2].ends_with("1,199"), "{links:?}");
    }
}

#[test]
fn the_pages_of_a_tape_are_linked_with_each_other() {
    let site = long_tape();
    site.publish();
    let two = site.page(&format!("runs/{FIRST_SLUG}/{TWO}"));
    assert_eq!(
        two.texts("nav.pages li a"),
        [
            "events 0 to 499",
            "events 500 to 999",
            "events 1,000 to 1,199"
        ]
    );
    let here = two.texts("nav.pages a[aria-current=page], nav.pages summary");
    assert_eq!(here, ["events 500 to 999 of 1,200", "events 500 to 999"]);
    let around = two.texts("nav.pages p a");
    assert_eq!(around, ["First", "Previous", "Next", "Last"]);
    assert_eq!(two.texts(".toc > nav:first-child a"), ["Run", "Record"]);
    assert!(two.texts("h1")[0].ends_with("events 500–999"));
    let address = |path: &str| format!("../../../../runs/{FIRST_SLUG}/{path}");
    assert_eq!(two.attrs("a[rel=prev]", "href"), [address("index.html")]);
    assert_eq!(two.attrs("a[rel=next]", "href"), [address(THREE)]);
}

#[test]
fn a_tape_of_exactly_one_page_has_no_further_page() {
    let site = TestSite::base();
    site.write_first("events.jsonl", messages(500));
    site.publish();
    assert!(!site.is_published(&format!("runs/{FIRST_SLUG}/events")));
}

#[test]
fn the_list_of_problems_is_paged() {
    let site = TestSite::base();
    // For one file, 100 problems of a code are listed, and one more counts the rest.
    site.write_first("events.jsonl", "x\n".repeat(250));
    for (folder, lines) in [("second", 120), ("third", 48)] {
        site.run(folder, &Run::new(&format!("0000000{lines}-{folder}")));
        site.write(
            &format!("content/runs/{folder}/events.jsonl"),
            "x\n".repeat(lines),
        );
    }
    site.publish();
    let rows = |path: &str| site.page(path).all("ul.problems > li").len();
    let pages = ["index.html", "page/2/index.html", "page/3/index.html"];
    let pages = pages.map(|page| rows(&format!("problems/{page}")));
    assert_eq!(pages, [100, 100, 50]);
    let first = site.page("problems/index.html");
    let folded = first.all("details > ul.problems > li");
    assert_eq!(folded.len(), 97, "three of a kind stand for the others");
    assert_eq!(
        first.texts("h2 a"),
        ["pong · base · v1.0.0 · sample/lark-1 · 4f1c2d3e"],
        "the problems stand by run"
    );
    assert_eq!(crate::crawl::problems(&site.published()), [""; 0]);
}

#[test]
fn the_pages_of_a_tape_are_named_by_the_numbers_of_their_events() {
    let site = TestSite::base();
    site.write("site.toml", "[timeline]\npage_size = 2\n");
    site.publish();
    let words = site.first_page().texts("nav.pages a[aria-current=page]");
    assert!(
        words.iter().all(|text| text.starts_with("events 0 to 1")),
        "{words:?} stand over the events 0 and 1"
    );
}

#[test]
fn annotations_close_to_each_other_are_one_mark_with_their_number() {
    let site = TestSite::base();
    site.write_first("events.jsonl", messages(100));
    let notes = [("a", 10), ("b", 11), ("c", 11), ("d", 60)];
    let notes = notes.map(|(id, at)| annotation(id, at, "note", "\"evidence\":\"Seen.\""));
    site.annotate(&notes).publish();
    let page = site.first_page();
    assert_eq!(page.texts("svg.strip a:has(.pin) text"), ["3", "✎"]);
    let legend = page.texts(".glance .legend li");
    assert_eq!(legend[0], "annotations 4");
    let caption = page.texts(".glance figcaption > p");
    contains(&caption[0], "4 annotations on 3 events");
    let help = page.texts(".glance figcaption .quiet");
    assert!(help[0].contains("Gold: annotations"), "{help:?}");
    assert!(!help[0].contains("Framed"), "{help:?}");
}

#[test]
fn a_model_of_several_pages_begins_with_its_cases() {
    let site = site_of_250_runs();
    for n in 0_u32..40 {
        let run = Run::new(&format!("{:08x}-0000", 1000 + n)).model("sample/model-0");
        site.run(&format!("more-{n}"), &run);
    }
    site.publish();
    let first = site.page("models/sample-model-0/index.html");
    assert_eq!(first.texts(".matrix tbody th"), ["pong"]);
    let cell = first.texts(".matrix td");
    assert!(cell[0].starts_with("+112 "), "{cell:?}");
    assert!(cell[0].ends_with("124 of 124 completed"), "{cell:?}");
    let second = site.page("models/sample-model-0/page/2/index.html");
    assert!(second.all(".matrix").is_empty());
    let other = site.page("models/sample-model-1/index.html");
    assert!(other.all(".matrix").is_empty());
}

#[test]
fn scripts_can_search_the_texts_of_all_pages_of_a_tape() {
    let site = long_tape();
    let long = format!("{}end", "very ".repeat(1_000));
    let mut events = messages(1_199);
    events.push_str(&event(1_199, "agent", &format!("\"message\":\"{long}\"")));
    events.push('\n');
    site.write_first("events.jsonl", events);
    site.publish();
    for (number, path, total) in [(1, "index.html", 500), (2, TWO, 500), (3, THREE, 200)] {
        let address = format!("runs/{FIRST_SLUG}/{path}");
        let page = site.page(&address);
        let tape = page.one("ol.tape");
        let attribute = |name| tape.attr(name).unwrap_or_default().to_owned();
        let folder = attribute("data-texts");
        assert_eq!(folder, format!("runs/{FIRST_SLUG}/events/"));
        let places = [attribute("data-page"), attribute("data-pages")];
        assert_eq!(places, [number.to_string(), "3".to_owned()]);
        let texts = data(&site, &format!("{folder}{number}"), "run");
        assert_eq!(texts["href"], address.as_str());
        assert_eq!(texts["cut"], number == 3, "only the last event is long");
        let events = texts["events"].as_array().expect("events");
        assert_eq!(events.len(), total);
        for pair in events {
            let [id, text] = [0, 1].map(|at| pair[at].as_str().expect("text"));
            let event = words(page.one(&format!("li[id='{id}']")));
            let says = text.lines().nth(1).expect("what it says");
            assert!(event.contains(says[..says.len().min(1_900)].trim()), "{id}");
            assert!(text.len() <= 2_000, "{id}");
        }
    }
    let short = TestSite::base();
    short.publish();
    assert!(short.first_page().all("[data-texts]").is_empty());
    assert!(!short.is_published(&format!("runs/{FIRST_SLUG}/events")));
}
