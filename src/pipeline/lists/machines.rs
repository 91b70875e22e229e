//! Writes the files for search engines: robots.txt, and a sitemap if the site has a `base_url`.

use crate::diagnostics::Diagnostic;
use crate::links;
use crate::view::syndication::{self, MOST, Sitemap};

use super::{Lists, PAGES, Page};
use crate::pipeline::kept::Facet;

pub(super) const PAGE: Page = Page {
    name: "machines",
    folders: &["robots", "sitemap"],
    made_of: Some(&[Facet::Cards, Facet::Threads]),
    listed: |_| Vec::new(),
    write,
};

fn write(lists: &Lists<'_>) -> Result<(), Diagnostic> {
    let base = lists.base();
    let canary = lists.config().policy.canary.as_deref();
    let robots = syndication::robots(base, canary);
    lists.stage.write("robots.txt", robots.as_bytes())?;
    if let Some(canary) = canary {
        // CSV and JSON Lines have no room for it: one more line would be one more row.
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
    if addresses.len() <= MOST {
        return sitemap(lists, "sitemap.xml", "sitemap.xml", addresses);
    }
    let mut parts = Vec::new();
    for (index, part) in addresses.chunks(MOST).enumerate() {
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
