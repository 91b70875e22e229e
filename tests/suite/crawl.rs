//! Walks every page of a site like a browser and a reader: no dead links, no missing anchors, nothing from other hosts, nothing
//! inline.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use runpress::api::pipeline::NoProgress;
use runpress::api::site::{Overrides, Site};

use crate::support::{
    FIRST_SLUG, Page, Run, TestSite, annotation, codes, messages, sidecar, sleeps, span, tree,
    words,
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
        let (name, of) = (element.value().name(), |attribute| {
            element.value().attr(attribute)
        });
        for (attribute, value) in element.value().attrs() {
            let external = value.contains("://") || value.starts_with("//");
            match attribute {
                "id" if !seen.ids.insert(value.to_owned()) => {
                    wrong(format!("the id {value} stands twice"));
                }
                "style" => wrong(format!("an inline style on <{name}>")),
                "href"
                    if name == "a"
                        && (value.starts_with("https://") || value.starts_with("http://")) => {}
                "href" if name == "a" && external => wrong(format!("a link to {value}")),
                "href" if name == "a" && value.starts_with("mailto:") => {}
                // These identify the page itself; browsers do not load them.
                "href" if name == "link" && of("rel") == Some("canonical") => {}
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
            "script" if of("src").is_none() && of("type") != Some("application/ld+json") => {
                wrong("an inline script".to_owned());
            }
            "style" | "base" | "iframe" | "object" | "embed" | "form" => {
                wrong(format!("a <{name}>"));
            }
            _ => {}
        }
    }
    for selector in [
        "h1",
        "head > title",
        "meta[http-equiv='Content-Security-Policy']",
        "main",
    ] {
        let elements = page.all(selector);
        if elements.len() != 1 {
            wrong(format!("{} times {selector}", elements.len()));
        }
        let has_words = matches!(selector, "h1" | "head > title");
        if has_words && elements.iter().any(|element| words(*element).is_empty()) {
            wrong(format!("an empty {selector}"));
        }
    }
    if page.attrs("html", "lang").iter().all(String::is_empty) {
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
    let (address, fragment) = link.split_once('#').unwrap_or((link, ""));
    let address = address.split('?').next().unwrap_or_default();
    let target = if address.is_empty() {
        from.to_owned()
    } else {
        let mut parts: Vec<&str> = from.split('/').collect();
        parts.pop();
        if address.starts_with('/') {
            parts.clear();
        }
        for part in address.trim_start_matches('/').split('/') {
            match part {
                ".." if parts.pop().is_none() => {
                    return Some(format!("{link} leads out of the site"));
                }
                "." | ".." => {}
                part => parts.push(part),
            }
        }
        decoded(&parts.join("/"))
    };
    if !files.contains_key(&target) {
        return Some(format!("{link} leads to no file"));
    }
    let is_range = fragment.contains("..");
    let page = pages.get(target.as_str());
    let has_place = || page.is_some_and(|page| page.ids.contains(&decoded(fragment)));
    (link.contains('#') && !is_range && !has_place())
        .then(|| format!("{link} leads to no place on {target}"))
}

fn decoded(text: &str) -> String {
    percent_encoding::percent_decode_str(text)
        .decode_utf8()
        .expect("UTF-8")
        .into_owned()
}

/// Publishes a site, and expects all its links to lead somewhere.
fn publish_whole(site: &TestSite) {
    site.publish();
    assert_eq!(problems(&site.published()), [""; 0]);
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
    publish_whole(&crate::pagination::site_of_250_runs());
}

#[test]
fn every_link_of_a_small_site_leads_somewhere_whatever_it_lacks() {
    let site = TestSite::empty();
    publish_whole(&site);
    // One run without any tape.
    site.run("only", &Run::new("9b02c4aa-1"));
    publish_whole(&site);
}

#[test]
fn every_link_of_a_site_with_a_base_address_leads_somewhere() {
    let site = TestSite::base();
    site.settings("[[nav]]\ntitle = \"Elsewhere\"\nurl = \"https://example.org/\"");
    publish_whole(&site);
    let canonical = site.first_page().attrs("link[rel=canonical]", "href");
    assert_eq!(
        canonical,
        [format!("https://runs.example.org/runs/{FIRST_SLUG}/")]
    );
}

#[test]
fn several_tapes_of_one_run_have_anchors_of_their_own() {
    let site = TestSite::base();
    let notes = [
        annotation("a-1", 2, "note", &span(2, 3)),
        annotation("", 2, "note", ""),
        annotation("", 2, "note", ""),
    ];
    for name in ["run", "Run 2", "7", "timeline", "模型"] {
        site.write_first(&format!("{name}.tape"), sleeps(0..4))
            .write_first(&format!("{name}.tape.annotations.jsonl"), sidecar(&notes));
    }
    site.write("site.toml", "[timeline]\npage_size = 3\n")
        .write_first("events.jsonl", messages(7));
    assert_eq!(codes(&site.publish()), [""; 0]);
    assert_eq!(problems(&site.published()), [""; 0]);
    assert_eq!(site.first_page().all("ol.tape").len(), 6);
}

/// The base site with two annotations with these ids on its first event.
fn labelled(ids: [&str; 2]) -> TestSite {
    let site = TestSite::base();
    site.annotate(&ids.map(|id| annotation(id, 0, "note", "")));
    site
}

#[test]
fn annotations_whose_ids_differ_only_in_case_and_place_have_anchors_of_their_own() {
    publish_whole(&labelled(["x-1", "X"]));
}

#[test]
fn an_annotation_id_that_looks_like_an_anchor_of_another_tape_gets_a_distinct_anchor() {
    let site = labelled(["e-0", "a-1"]);
    site.write_first("a.tape", sleeps([0]));
    publish_whole(&site);
}

#[test]
fn the_page_for_unknown_addresses_links_from_the_path_of_the_base_address() {
    let site = TestSite::base();
    site.write(
        "site.toml",
        "[site]\nbase_url = \"https://example.org/a/b\"\n",
    )
    .publish();
    let page = site.page("404.html");
    let links = page.attrs("a[href], link[href]", "href");
    for link in links.iter().chain(&page.attrs("script[src]", "src")) {
        let rest = link.strip_prefix("/a/b/");
        let is_there = rest.is_some_and(|rest| site.path(&format!("public/{rest}")).is_file());
        let is_own = link.starts_with('#') || link.starts_with("https://example.org/a/b/");
        assert!(is_there || is_own, "{link}");
    }
}

#[test]
fn a_tape_with_the_name_of_a_file_of_the_site_does_not_take_its_place() {
    let site = TestSite::base();
    for name in ["events", "text", "index", "run.json", "events.jsonl"] {
        site.write_first(&format!("{name}.tape"), sleeps([]));
    }
    publish_whole(&site);
}

#[test]
fn footnotes_of_two_annotations_have_anchors_of_their_own() {
    let site = TestSite::base();
    site.annotate(&[
        annotation("x", 0, "note", r#""evidence":"One[^b].\n\n[^b]: two""#),
        annotation("x-fn-b", 0, "note", r#""evidence":"One[^c].\n\n[^c]: two""#),
    ]);
    publish_whole(&site);
}

#[test]
fn a_heading_of_the_sites_own_prose_does_not_take_an_id_of_the_page() {
    let site = TestSite::base();
    site.write("content/pages/guide.md", "# Main\n\n## Main\n")
        .write(
            "content/pages/index.md",
            "# Newest\n\n# Said\n\n# Overview\n",
        )
        .write("content/cases/pong.md", "# Set 1\n");
    publish_whole(&site);
}

#[test]
fn links_to_missing_places_are_dropped_with_a_warning_and_keep_their_text() {
    let site = TestSite::base();
    site.write_first(
        "writeup.md",
        "---\nrating: great\n---\n\n# Sound\n\nSee [sound](#sound) and [later](#e-99).\n",
    );
    assert_eq!(codes(&site.publish()), ["review.unsafe-link"; 2]);
    assert_eq!(problems(&site.published()), [""; 0]);
    let page = site.first_page();
    page.says("See sound and later.");
    assert_eq!(page.texts(".prose a"), [""; 0]);
}

#[test]
fn a_link_to_an_event_is_one_to_the_tape_that_the_text_is_about_on_the_page_that_has_it() {
    let site = TestSite::base();
    let evidence = r#""evidence":"See [the start](#e-0) and [this](#e-3).""#;
    let another = annotation("b", 0, "note", r#""evidence":"See [another](#e-2).""#);
    site.write("site.toml", "[timeline]\npage_size = 2\n")
        .write_first(
            "writeup.md",
            "---\nrating: great\n---\n\nSee [the last](#e-3).\n",
        )
        .annotate(&[annotation("a", 3, "note", evidence)])
        .write_first("run.tape", sleeps(0..3))
        .write_first("run.tape.annotations.jsonl", sidecar(&[another]));
    assert_eq!(codes(&site.publish()), [""; 0]);
    assert_eq!(problems(&site.published()), [""; 0]);
    let first = site.first_page();
    assert!(first.attrs(".prose a", "href")[0].ends_with("events/2/index.html#e-3"));
    // The name of the tape is in the address of its further pages, and before the number in its anchors.
    let other = first.attrs("[id='run.e-0'] .md a", "href");
    assert!(
        other.len() == 1 && other[0].contains("run") && other[0].ends_with("#run.e-2"),
        "{other:?}"
    );
    let second = site.page(&format!("runs/{FIRST_SLUG}/events/2/index.html"));
    let back = second.attrs("#e-3 .md a", "href");
    assert!(
        back.len() == 2 && back[0].ends_with("index.html#e-0") && back[1].ends_with("#e-3"),
        "{back:?}"
    );
}
