//! Walks every page of a site like a browser and a reader: no dead links, no missing anchors, nothing from other hosts, nothing
//! inline.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use runpress::api::pipeline::NoProgress;
use runpress::api::site::{Overrides, Site};

use crate::support::{
    FIRST, FIRST_SLUG, HEADER, Page, Run, TestSite, annotation, codes, lines, messages, tree, words,
};

/// The anchors of a page, and its links.
struct Seen {
    ids: BTreeSet<String>,
    links: Vec<String>,
}

/// Every problem of the pages of a site, one per line.
pub(crate) fn problems(files: &BTreeMap<String, Vec<u8>>) -> Vec<String> {
    let mut found = Vec::new();
    let mut pages = BTreeMap::new();
    for (path, bytes) in files.iter().filter(|(path, _)| path.ends_with(".html")) {
        let text = std::str::from_utf8(bytes).unwrap_or_else(|error| panic!("{path}: {error}"));
        let page = Page::parse(text);
        let seen = look(path, &page, &mut found);
        pages.insert(path.as_str(), seen);
    }
    assert!(pages.len() > 3, "{} pages", pages.len());
    for (path, seen) in &pages {
        for link in &seen.links {
            if let Some(problem) = follow(path, link, files, &pages) {
                found.push(format!("{path}: {problem}"));
            }
        }
    }
    let of_programs = |path: &&String| path.ends_with("/run.md") || *path == "llms.txt";
    for path in files.keys().filter(of_programs) {
        let text = String::from_utf8_lossy(&files[path]);
        for link in markdown_links(&text) {
            if let Some(problem) = follow(path, link, files, &pages) {
                found.push(format!("{path}: {problem}"));
            }
        }
    }
    found
}

/// The relative links of lists in Markdown.
fn markdown_links(text: &str) -> impl Iterator<Item = &str> {
    let items = text.lines().filter(|line| line.starts_with("- ["));
    let links = items.flat_map(|line| {
        let starts = line.match_indices("](").map(|(at, _)| at);
        let starts = starts.filter(|at| !line[..*at].ends_with('\\'));
        starts.filter_map(|at| Some(line[at + 2..].split_once(')')?.0))
    });
    links.filter(|link| !link.contains("://"))
}

fn look(path: &str, page: &Page, found: &mut Vec<String>) -> Seen {
    let mut wrong = |problem: String| found.push(format!("{path}: {problem}"));
    let mut seen = Seen {
        ids: BTreeSet::new(),
        links: Vec::new(),
    };
    for element in page.all("*") {
        let name = element.value().name();
        for (attribute, value) in element.value().attrs() {
            let external = value.contains("://") || value.starts_with("//");
            match attribute {
                "id" if !seen.ids.insert(value.to_owned()) => {
                    wrong(format!("the id {value} stands twice"));
                }
                "style" => wrong(format!("an inline style on <{name}>")),
                "href" if name == "a" => {
                    if external {
                        if !value.starts_with("https://") && !value.starts_with("http://") {
                            wrong(format!("a link to {value}"));
                        }
                    } else if !value.starts_with("mailto:") {
                        seen.links.push(value.to_owned());
                    }
                }
                // These identify the page itself; browsers do not load them.
                "href" if name == "link" && element.value().attr("rel") == Some("canonical") => {}
                "href" | "src" | "srcset" | "poster" | "data" | "action" | "xlink:href"
                | "background" | "formaction" => {
                    if external {
                        wrong(format!("<{name} {attribute}> loads {value}"));
                    } else {
                        seen.links.push(value.to_owned());
                    }
                }
                _ if attribute.starts_with("on") => {
                    wrong(format!("a handler {attribute} on <{name}>"));
                }
                _ => {}
            }
        }
        match name {
            "script"
                if element.value().attr("src").is_none()
                    && element.value().attr("type") != Some("application/ld+json") =>
            {
                wrong("an inline script".to_owned());
            }
            "style" | "base" | "iframe" | "object" | "embed" | "form" => {
                wrong(format!("a <{name}>"));
            }
            _ => {}
        }
    }
    for (selector, what) in [
        ("h1", "heading of the first level"),
        ("head > title", "title"),
        (
            "meta[http-equiv='Content-Security-Policy']",
            "content security policy",
        ),
        ("main", "main element"),
    ] {
        let elements = page.all(selector);
        if elements.len() != 1 {
            wrong(format!("{} times a {what}", elements.len()));
        }
        if matches!(selector, "h1" | "head > title")
            && elements.iter().any(|element| words(*element).is_empty())
        {
            wrong(format!("an empty {what}"));
        }
    }
    if page
        .all("html[lang]")
        .iter()
        .all(|html| html.value().attr("lang").is_none_or(str::is_empty))
    {
        wrong("no language".to_owned());
    }
    seen
}

/// The reason that a link of the page at `from` is dead.
fn follow(
    from: &str,
    link: &str,
    files: &BTreeMap<String, Vec<u8>>,
    pages: &BTreeMap<&str, Seen>,
) -> Option<String> {
    let (address, fragment) = link
        .split_once('#')
        .map_or((link, None), |(address, fragment)| {
            (address, Some(fragment))
        });
    let address = address.split('?').next().unwrap_or_default();
    let target = if address.is_empty() {
        from.to_owned()
    } else {
        let mut parts: Vec<&str> = if address.starts_with('/') {
            Vec::new()
        } else {
            from.split('/').collect()
        };
        parts.pop();
        for part in address.trim_start_matches('/').split('/') {
            match part {
                "." => {}
                ".." => {
                    if parts.pop().is_none() {
                        return Some(format!("{link} leads out of the site"));
                    }
                }
                part => parts.push(part),
            }
        }
        decoded(&parts.join("/"))
    };
    if !files.contains_key(&target) {
        return Some(format!("{link} leads to no file"));
    }
    let is_range = fragment.is_some_and(|fragment| fragment.contains(".."));
    match fragment.filter(|_| !is_range) {
        Some(fragment)
            if !pages
                .get(target.as_str())
                .is_some_and(|page| page.ids.contains(&decoded(fragment))) =>
        {
            Some(format!("{link} leads to no place on {target}"))
        }
        _ => None,
    }
}

fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let hex = text
            .get(at + 1..at + 3)
            .filter(|_| bytes[at] == b'%')
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        out.push(hex.unwrap_or(bytes[at]));
        at += if hex.is_some() { 3 } else { 1 };
    }
    String::from_utf8(out).expect("UTF-8")
}

#[test]
fn every_link_of_the_demo_site_leads_somewhere_and_nothing_comes_from_elsewhere() {
    let out = tempfile::tempdir().expect("a temporary folder");
    let overrides = Overrides {
        out: Some(out.path().join("site")),
        ..Overrides::default()
    };
    let demo =
        Site::open(Path::new(env!("CARGO_MANIFEST_DIR")), &overrides).expect("the demo site");
    let outcome = runpress::build(&demo, &NoProgress).expect("a build").0;
    assert!(outcome.published);
    assert_eq!(problems(&tree(&out.path().join("site"))), [""; 0]);
}

#[test]
fn every_link_of_a_site_of_250_runs_leads_somewhere() {
    let site = crate::pagination::site_of_250_runs();
    site.publish();
    assert_eq!(problems(&site.published()), [""; 0]);
}

#[test]
fn every_link_of_a_small_site_leads_somewhere_whatever_it_lacks() {
    let site = TestSite::empty();
    site.publish();
    assert_eq!(problems(&site.published()), [""; 0], "no runs");
    site.run("only", &Run::new("9b02c4aa-1"));
    site.publish();
    assert_eq!(
        problems(&site.published()),
        [""; 0],
        "one run without any tape"
    );
}

#[test]
fn every_link_of_a_site_with_a_base_address_leads_somewhere() {
    let site = TestSite::base();
    site.write("site.toml", "[site]\nbase_url = \"https://runs.example.org/\"\n[[nav]]\ntitle = \"Elsewhere\"\nurl = \"https://example.org/\"\n");
    site.publish();
    assert_eq!(problems(&site.published()), [""; 0]);
    let canonical = site.first_page();
    let canonical = canonical.one("link[rel=canonical]");
    let expected = format!(
        "https://runs.example.org/runs/{}/",
        crate::support::FIRST_SLUG
    );
    assert_eq!(canonical.value().attr("href"), Some(expected.as_str()));
}

#[test]
fn several_tapes_of_one_run_have_anchors_of_their_own() {
    let site = TestSite::base();
    let tape: Vec<String> = std::iter::once(r#"{"type":"header","version":1,"harn_version":"0.8.26"}"#.to_owned())
        .chain((0..4).map(|seq| {
            format!("{{\"type\":\"record\",\"seq\":{seq},\"virtual_time_ms\":{seq},\"monotonic_ms\":0,\"kind\":{{\"kind\":\"clock_sleep\",\"duration_ms\":1}}}}")
        }))
        .collect();
    for name in [
        "run.tape",
        "Run 2.tape",
        "7.tape",
        "timeline.tape",
        "模型.tape",
    ] {
        site.write(&format!("{FIRST}/{name}"), lines(&tape));
        site.write(
            &format!("{FIRST}/{name}.annotations.jsonl"),
            lines(&[
                HEADER.to_owned(),
                annotation(
                    "a-1",
                    2,
                    "note",
                    "\"span\":{\"start_event_id\":2,\"end_event_id\":3}",
                ),
                annotation("", 2, "note", ""),
                annotation("", 2, "note", ""),
            ]),
        );
    }
    site.write("site.toml", "[timeline]\npage_size = 3\n");
    site.write(&format!("{FIRST}/events.jsonl"), messages(7));
    let outcome = site.publish();
    assert_eq!(crate::support::codes(&outcome), [""; 0]);
    assert_eq!(problems(&site.published()), [""; 0]);
    assert_eq!(site.first_page().all("ol.tape").len(), 6);
}

/// The base site with two annotations with these ids on its first event.
fn labelled(ids: [&str; 2]) -> TestSite {
    let site = TestSite::base();
    let all = [
        HEADER.to_owned(),
        annotation(ids[0], 0, "note", ""),
        annotation(ids[1], 0, "note", ""),
    ];
    site.write(
        &format!("{FIRST}/events.jsonl.annotations.jsonl"),
        lines(&all),
    );
    site
}

#[test]
fn annotations_whose_ids_differ_only_in_case_and_place_have_anchors_of_their_own() {
    let site = labelled(["x-1", "X"]);
    site.publish();
    assert_eq!(problems(&site.published()), [""; 0]);
}

#[test]
fn an_annotation_id_that_looks_like_an_anchor_of_another_tape_gets_a_distinct_anchor() {
    let site = labelled(["e-0", "a-1"]);
    let tape = "{\"type\":\"header\",\"version\":1,\"harn_version\":\"1\"}\n{\"type\":\"record\",\"seq\":0,\"virtual_time_ms\":0,\"monotonic_ms\":0,\"kind\":{\"kind\":\"clock_sleep\",\"duration_ms\":1}}\n";
    site.write(&format!("{FIRST}/a.tape"), tape);
    site.publish();
    assert_eq!(problems(&site.published()), [""; 0]);
}

#[test]
fn the_page_for_unknown_addresses_links_from_the_path_of_the_base_address() {
    let site = TestSite::base();
    site.write(
        "site.toml",
        "[site]\nbase_url = \"https://example.org/a/b\"\n",
    );
    site.publish();
    let page = site.page("404.html");
    for link in page.all("a[href], link[href], script[src]") {
        let address = link
            .value()
            .attr("href")
            .or(link.value().attr("src"))
            .unwrap_or_default();
        let rest = address.strip_prefix("/a/b/");
        let is_there = rest.is_some_and(|rest| site.path(&format!("public/{rest}")).is_file());
        assert!(
            is_there || address.starts_with('#') || address.starts_with("https://example.org/a/b/"),
            "{address}"
        );
    }
}

#[test]
fn a_tape_with_the_name_of_a_file_of_the_site_does_not_take_its_place() {
    let site = TestSite::base();
    let tape = "{\"type\":\"header\",\"version\":1,\"harn_version\":\"1\"}\n";
    for name in [
        "events.tape",
        "text.tape",
        "index.tape",
        "run.json.tape",
        "events.jsonl.tape",
    ] {
        site.write(&format!("{FIRST}/{name}"), tape);
    }
    site.publish();
    assert_eq!(problems(&site.published()), [""; 0]);
}

#[test]
fn footnotes_of_two_annotations_have_anchors_of_their_own() {
    let site = TestSite::base();
    let note = r#""evidence":"One[^b].\n\n[^b]: two""#;
    let other = r#""evidence":"One[^c].\n\n[^c]: two""#;
    let all = [
        HEADER.to_owned(),
        annotation("x", 0, "note", note),
        annotation("x-fn-b", 0, "note", other),
    ];
    site.write(
        &format!("{FIRST}/events.jsonl.annotations.jsonl"),
        lines(&all),
    );
    site.publish();
    assert_eq!(problems(&site.published()), [""; 0]);
}

#[test]
fn a_heading_of_the_sites_own_prose_does_not_take_an_id_of_the_page() {
    let site = TestSite::base();
    site.write("content/pages/guide.md", "# Main\n\n## Main\n");
    site.write(
        "content/pages/index.md",
        "# Newest\n\n# Said\n\n# Overview\n",
    );
    site.write("content/cases/pong.md", "# Set 1\n");
    site.publish();
    assert_eq!(problems(&site.published()), [""; 0]);
}

#[test]
fn links_to_events_in_reviews_and_evidence_lead_to_the_page_that_has_them() {
    let site = TestSite::base();
    site.write("site.toml", "[timeline]\npage_size = 2\n");
    site.write(
        &format!("{FIRST}/writeup.md"),
        "---\nrating: great\n---\n\nSee [the test](#e-2).\n",
    );
    let far = annotation("a", 3, "note", r#""evidence":"See [the start](#e-0).""#);
    site.write(
        &format!("{FIRST}/events.jsonl.annotations.jsonl"),
        lines(&[HEADER, &far]),
    );
    site.publish();
    assert_eq!(problems(&site.published()), [""; 0]);
}

#[test]
fn links_to_missing_places_are_dropped_with_a_warning_and_keep_their_text() {
    let site = TestSite::base();
    site.write(
        &format!("{FIRST}/writeup.md"),
        "---\nrating: great\n---\n\n# Sound\n\nSee [sound](#sound) and [later](#e-99).\n",
    );
    let outcome = site.publish();
    assert_eq!(codes(&outcome), ["review.unsafe-link"; 2]);
    assert_eq!(problems(&site.published()), [""; 0]);
    let page = site.first_page();
    assert!(
        page.main().contains("See sound and later."),
        "{}",
        page.main()
    );
    assert_eq!(page.texts(".prose a"), [""; 0]);
}

#[test]
fn a_link_to_an_event_is_one_to_the_tape_that_the_text_is_about_on_the_page_that_has_it() {
    let site = TestSite::base();
    site.write("site.toml", "[timeline]\npage_size = 2\n");
    site.write(
        &format!("{FIRST}/writeup.md"),
        "---\nrating: great\n---\n\nSee [the last](#e-3).\n",
    );
    site.write(
        &format!("{FIRST}/events.jsonl.annotations.jsonl"),
        lines(&[
            HEADER,
            &annotation(
                "a",
                3,
                "note",
                r#""evidence":"See [the start](#e-0) and [this](#e-3).""#,
            ),
        ]),
    );
    let record = |seq: u32| {
        format!(
            "{{\"type\":\"record\",\"seq\":{seq},\"virtual_time_ms\":0,\"monotonic_ms\":0,\"kind\":{{\"kind\":\"clock_sleep\",\"duration_ms\":1}}}}"
        )
    };
    let tape = [
        r#"{"type":"header","version":1,"harn_version":"1"}"#.to_owned(),
        record(0),
        record(1),
        record(2),
    ];
    site.write(&format!("{FIRST}/run.tape"), lines(&tape));
    site.write(
        &format!("{FIRST}/run.tape.annotations.jsonl"),
        lines(&[
            HEADER,
            &annotation("b", 0, "note", r#""evidence":"See [another](#e-2).""#),
        ]),
    );
    assert_eq!(codes(&site.publish()), [""; 0]);
    assert_eq!(problems(&site.published()), [""; 0]);
    let hrefs = |page: &Page, selector: &str| -> Vec<String> {
        let links = page.all(selector);
        links
            .into_iter()
            .filter_map(|link| link.value().attr("href").map(str::to_owned))
            .collect()
    };
    let first = site.first_page();
    assert!(hrefs(&first, ".prose a")[0].ends_with("events/2/index.html#e-3"));
    // The name of the tape is in the address of its further pages, and before the number in its anchors.
    let other = hrefs(&first, "[id='run.e-0'] .md a");
    assert!(
        other.len() == 1 && other[0].contains("run") && other[0].ends_with("#run.e-2"),
        "{other:?}"
    );
    let second = site.page(&format!("runs/{FIRST_SLUG}/events/2/index.html"));
    let back = hrefs(&second, "#e-3 .md a");
    assert!(
        back.len() == 2 && back[0].ends_with("index.html#e-0") && back[1].ends_with("#e-3"),
        "{back:?}"
    );
}
