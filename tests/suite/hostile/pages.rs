//! Hostile text on pages and in the data of scripts.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{HARMLESS, hostile, site};
use crate::support::{Page, TestSite, tree};

/// Every pair of element and attribute on the pages of a site; for an element without attributes, the attribute is empty.
fn vocabulary(site: &TestSite) -> BTreeSet<(String, String)> {
    let mut found = BTreeSet::new();
    for (_, page) in pages(site) {
        for element in page.all("*") {
            let attributes = element.value().attrs().map(|(attribute, _)| attribute);
            let name = element.value().name();
            found.extend(
                attributes
                    .chain([""])
                    .map(|attribute| (name.to_owned(), attribute.to_owned())),
            );
        }
    }
    found
}

fn pages(site: &TestSite) -> Vec<(String, Page)> {
    let mut html = site.published();
    html.retain(|path, _| path.ends_with(".html"));
    let page = |(path, bytes)| (path, Page::parse(&String::from_utf8(bytes).expect("UTF-8")));
    html.into_iter().map(page).collect()
}

#[test]
fn hostile_text_adds_no_element_and_no_attribute_to_any_page() {
    let clean = site(HARMLESS, "plain name");
    clean.publish();
    let known = vocabulary(&clean);
    let hostile = vocabulary(&hostile());
    let added: Vec<_> = hostile.difference(&known).collect();
    assert!(added.is_empty(), "{added:?}");
    assert!(known.len() > 60, "{} pairs", known.len());
}

#[test]
fn hostile_text_brings_no_script_no_handler_no_address_and_no_foreign_image() {
    let site = hostile();
    assert_eq!(crate::crawl::problems(&site.published()), [""; 0]);
    let own: BTreeSet<String> = tree(&site.path("public/assets")).into_keys().collect();
    for (path, page) in pages(&site) {
        for script in page.all("script") {
            if script.attr("type") == Some("application/ld+json") {
                let data: Result<Value, _> = serde_json::from_str(&script.inner_html());
                assert!(data.is_ok(), "{path}: {data:?}");
                continue;
            }
            let source = script.attr("src").unwrap_or_default();
            let name = source.rsplit('/').next().unwrap_or_default();
            assert!(own.contains(name), "{path}: a script from {source:?}");
            assert_eq!(script.inner_html(), "", "{path}: an inline script");
        }
    }
    for (path, page) in pages(&site) {
        for element in page.all("*") {
            for (attribute, value) in element.value().attrs() {
                assert!(!attribute.starts_with("on"), "{path}: {attribute}");
                let value: String = value
                    .chars()
                    .filter(|c| !c.is_whitespace() && !c.is_control())
                    .collect();
                let is_address = matches!(attribute, "href" | "src" | "action" | "data-play");
                assert!(
                    !is_address || !value.to_lowercase().starts_with("javascript:"),
                    "{path}: {value}"
                );
                assert!(
                    !is_address || !value.contains("evil.example"),
                    "{path}: {value}"
                );
            }
        }
    }
}

#[test]
fn no_invisible_and_no_reordering_character_is_left_in_any_page_or_data_of_a_script() {
    let shown = |path: &str| {
        path.ends_with(".html")
            || path.ends_with(".xml")
            || (path.ends_with(".js") && !path.starts_with("assets/"))
    };
    let published = hostile().published();
    let scripts = published
        .keys()
        .filter(|path| shown(path) && path.ends_with(".js"));
    assert!(scripts.count() > 5);
    for (path, bytes) in published.iter().filter(|(path, _)| shown(path)) {
        let text = std::str::from_utf8(bytes).expect("UTF-8");
        for (at, c) in text.char_indices() {
            let hidden = (c.is_control() && !matches!(c, '\n' | '\t'))
                || matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
                    | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fffe}' | '\u{e0000}'..='\u{e0fff}');
            let around: String = text[..at]
                .chars()
                .rev()
                .take(60)
                .collect::<Vec<_>>()
                .into_iter()
                .rev()
                .collect();
            assert!(!hidden, "{path}: {} after {around}", c.escape_unicode());
        }
    }
}

#[test]
fn template_syntax_in_recorded_text_is_never_computed() {
    let site = hostile();
    for (path, bytes) in site.published() {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        assert!(!text.contains("60481729"), "{path} holds the product");
    }
    let shown = pages(&site)
        .iter()
        .filter(|(_, page)| {
            page.html
                .root_element()
                .text()
                .collect::<String>()
                .contains("{{ 7777*7777 }}")
        })
        .count();
    assert!(shown > 8, "the text is shown as it is on {shown} pages");
}

#[test]
fn words_of_site_toml_that_look_like_a_slot_are_words() {
    for word in ["runpress-main-slot", "<title>runpress-head-slot</title>"] {
        let site = TestSite::base();
        let settings =
            format!("[site]\ntitle = \"{word}\"\nnotice = \"{word}\"\nauthor = \"{word}\"\n");
        site.write("site.toml", settings).runpress("build").ok();
    }
}

#[test]
fn the_words_of_an_image_of_the_sites_own_hold_no_markup() {
    let site = TestSite::base();
    site.write("content/pages/guide.md", "![a \u{202e}b](icon.png)\n")
        .write("static/guide/icon.png", "x")
        .publish();
    let alt = site.page("guide/index.html").attrs("main img", "alt");
    assert_eq!(alt.len(), 1);
    assert!(!alt[0].contains(['<', '\u{202e}']), "{alt:?}");
}
