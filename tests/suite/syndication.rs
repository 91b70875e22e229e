//! Output for feed readers and search engines.

use scraper::Html;

use crate::support::{FIRST_SLUG, Page, Run, TestSite, words};

/// An XML document parsed as HTML: good enough for elements with text.
fn xml(site: &TestSite, path: &str) -> Page {
    let text = site.text(&format!("public/{path}"));
    assert!(
        text.starts_with("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"),
        "{path}"
    );
    let text = text
        .replace("<link ", "<alink ")
        .replace("<title>", "<atitle>")
        .replace("</title>", "</atitle>");
    Page {
        html: Html::parse_document(&text),
    }
}

#[test]
fn the_atom_feed_holds_the_newest_runs_with_their_writeups() {
    let site = TestSite::base();
    site.write("site.toml", "[site]\ntitle = \"A & B\"\nbase_url = \"https://example.org/a/\"\n[policy]\nlicence = \"CC0\"\n[feeds]\nitems = 2\n");
    for (n, day) in [(1, "01"), (2, "02")] {
        let at = format!("2026-03-{day}T12:00:00Z");
        site.run(
            &format!("r{n}"),
            &Run::new(&format!("0000000{n}-1")).at("2026-03-01T00:00:00Z", &at),
        );
    }
    site.publish();
    let feed = xml(&site, "feeds/atom.xml");
    assert_eq!(feed.texts("feed > id"), ["https://example.org/a/"]);
    assert_eq!(feed.texts("feed > atitle"), ["A & B"]);
    assert_eq!(feed.texts("feed > updated"), ["2026-03-02T12:00:00Z"]);
    assert_eq!(feed.texts("rights"), ["CC0"]);
    assert_eq!(
        feed.texts("feed > author > name"),
        ["A & B"],
        "Atom asks for an author"
    );
    assert_eq!(feed.texts("entry > id").len(), 2);
    let tags = feed.all("category").into_iter();
    let tags: Vec<_> = tags.filter_map(|tag| tag.attr("term")).collect();
    assert_eq!(tags[..4], ["pong", "sample/lark-1", "codex", "completed"]);
    site.write(
        "site.toml",
        "[site]\nbase_url = \"https://example.org/a/\"\n",
    );
    site.publish();
    let feed = xml(&site, "feeds/atom.xml");
    let ids = feed.texts("entry > id");
    let first = ids
        .iter()
        .position(|id| *id == format!("https://example.org/a/runs/{FIRST_SLUG}/"));
    assert!(first.is_some(), "{ids:?}");
    assert_eq!(
        feed.texts("content[type=html]"),
        ["<p>It plays well.</p>"],
        "markup stands as text"
    );
    let page = site.page("index.html");
    assert_eq!(
        page.all("link[type='application/atom+xml'][href='feeds/atom.xml']")
            .len(),
        1
    );
}

#[test]
fn hostile_text_leaves_no_element_in_the_atom_feed() {
    let site = TestSite::base();
    let evil = "</title></entry><script>alert(1)</script><![CDATA[ ]]> &amp; \u{1}";
    site.run("evil", &Run::new("9b02c4aa-1").model(evil).state(evil));
    site.write_first("writeup.md", format!("---\nrating: great\n---\n\n{evil}\n"));
    site.publish();
    let text = site.text("public/feeds/atom.xml");
    assert!(
        !text.contains("<script") && !text.contains("<![CDATA[") && !text.contains('\u{1}'),
        "{text}"
    );
    assert_eq!(text.matches("<entry>").count(), 2);
}

#[test]
fn a_site_that_does_not_know_its_address_has_no_absolute_feeds() {
    let site = TestSite::base();
    site.write("site.toml", "");
    site.publish();
    for path in ["feeds/atom.xml", "sitemap.xml"] {
        assert!(!site.is_published(path), "{path}");
    }
    assert_eq!(site.text("public/robots.txt"), "User-agent: *\nDisallow:\n");
    assert_eq!(
        site.page("index.html")
            .all("link[type='application/atom+xml']")
            .len(),
        0
    );
}

#[test]
fn the_sitemap_lists_every_page_that_may_be_listed_and_no_other() {
    let site = crate::pagination::site_of_250_runs();
    site.write("site.toml", "[site]\nbase_url = \"https://example.org/\"\n");
    site.write("content/pages/about.md", "About.\n");
    site.write("content/pages/index.md", "Home.\n");
    site.write_first("x", "");
    site.publish();
    assert_sitemap_is_complete(&site);
    assert_eq!(
        site.text("public/robots.txt"),
        "User-agent: *\nDisallow:\n\nSitemap: https://example.org/sitemap.xml\n"
    );
}

#[test]
fn the_sitemap_lists_every_page_of_an_overview_with_many_columns() {
    let site = TestSite::empty();
    site.write("site.toml", "[site]\nbase_url = \"https://example.org/\"\n");
    for n in 0..60 {
        let run = Run::new(&format!("{n:08x}-0000"))
            .case(&format!("case-{n}"))
            .model(&format!("sample/model-{n}"));
        site.run(&format!("r{n}"), &run);
    }
    site.publish();
    assert!(site.is_published("overview/page/2/index.html"));
    assert_sitemap_is_complete(&site);
}

/// The sitemap has all pages with a canonical address, and no others.
fn assert_sitemap_is_complete(site: &TestSite) {
    let mut listed: Vec<String> = xml(site, "sitemap.xml")
        .all("url > loc")
        .into_iter()
        .map(words)
        .collect();
    let mut pages: Vec<String> = site
        .published()
        .iter()
        .filter(|(path, _)| path.ends_with(".html"))
        .filter_map(|(_, bytes)| {
            let page = Page::parse(&String::from_utf8_lossy(bytes));
            let canonical = page.all("link[rel=canonical]");
            canonical
                .first()
                .and_then(|link| link.attr("href").map(str::to_owned))
        })
        .collect();
    listed.sort();
    pages.sort();
    assert_eq!(listed, pages);
}
