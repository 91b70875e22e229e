//! Documents for search engines: the sitemap and robots.txt.

use serde::Serialize;

use crate::summary::Facet;
use base::diagnostics::Diagnostic;
use base::links;

use super::{Lists, PAGES, Page};

pub(super) const PAGE: Page = Page {
    made_of: Some(&[Facet::Cards, Facet::Threads]),
    ..Page::new("machines", &["robots", "sitemap"], write)
};

fn write(lists: &Lists<'_>) -> Result<(), Diagnostic> {
    let base = lists.base();
    let canary = lists.config().policy.canary.as_deref();
    let robots = robots(base, canary);
    lists.stage.write("robots.txt", robots.as_bytes())?;
    if let Some(canary) = canary {
        // In CSV and JSON Lines, another line would be another row.
        for path in ["canary.txt", "feeds/canary.txt"] {
            lists.stage.write(path, format!("{canary}\n").as_bytes())?;
        }
    }
    let Some(base) = base else { return Ok(()) };
    let runs = lists.archive().runs.iter();
    let runs = runs.map(|entry| links::run(&entry.slug));
    let pages = PAGES.iter().flat_map(|page| (page.listed)(lists));
    let pages = pages.chain(runs);
    let addresses: Vec<String> = pages
        .map(|path| format!("{base}{}", links::directory(&path)))
        .collect();
    if addresses.len() <= MAX_ADDRESSES {
        return sitemap(lists, "sitemap.xml", "sitemap.xml", addresses);
    }
    let mut parts = Vec::new();
    for (index, part) in addresses.chunks(MAX_ADDRESSES).enumerate() {
        let path = format!("sitemap-{}.xml", index + 1);
        sitemap(lists, "sitemap.xml", &path, part.to_vec())?;
        parts.push(format!("{base}{path}"));
    }
    sitemap(lists, "sitemap_index.xml", "sitemap.xml", parts)
}

fn sitemap(
    lists: &Lists<'_>,
    template: &str,
    path: &str,
    addresses: Vec<String>,
) -> Result<(), Diagnostic> {
    let xml = lists.renderer.document(template, &Sitemap { addresses })?;
    lists.stage.write(path, &xml)
}

/// Maximum addresses per sitemap, from its format.
const MAX_ADDRESSES: usize = 50_000;

/// A sitemap, or an index of several.
#[derive(Debug, Serialize)]
struct Sitemap {
    addresses: Vec<String>,
}

/// Crawlers that only collect training data, by their documented names.
const TRAINING: [&str; 8] = [
    "AI2Bot",
    "Applebot-Extended",
    "Bytespider",
    "CCBot",
    "ClaudeBot",
    "GPTBot",
    "Google-Extended",
    "meta-externalagent",
];

/// `robots.txt`: allows everything, except that crawlers for training data are blocked if the site has a canary.
fn robots(base: Option<&str>, canary: Option<&str>) -> String {
    let mut text = "User-agent: *\nDisallow:\n".to_owned();
    if let Some(canary) = canary {
        text.push('\n');
        for line in canary.lines() {
            text.push_str(&format!("# {line}\n"));
        }
        for name in TRAINING {
            text.push_str(&format!("User-agent: {name}\n"));
        }
        text.push_str("Disallow: /\n");
    }
    if let Some(base) = base {
        text.push_str(&format!("\nSitemap: {base}sitemap.xml\n"));
    }
    text
}
