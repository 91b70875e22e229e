//! Writes the files for search engines: robots.txt, and a sitemap if the site has a `base_url`.

use crate::diagnostics::Diagnostic;
use crate::links;
use crate::model::archive::GroupBy;
use crate::view::catalogue::page_count;
use crate::view::syndication::{self, MOST, Sitemap};

use super::{Lists, threads};
use crate::pipeline::prose::Text;

pub(super) fn write(lists: &Lists<'_>) -> Result<(), Diagnostic> {
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
    let pages = listed(lists).into_iter();
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

/// The pages that search engines may list.
fn listed(lists: &Lists<'_>) -> Vec<String> {
    let archive = lists.archive();
    let pages = |folder: &str, rows: usize| {
        let folder = folder.to_owned();
        (1..=page_count(rows)).map(move |number| links::list(&folder, number))
    };
    let mut listed = vec!["index.html".to_owned(), "feeds/index.html".to_owned()];
    listed.push(links::COMPARE.to_owned());
    listed.extend(pages("runs", archive.runs.len()));
    listed.extend(pages("overview", archive.cases.len()));
    for group_by in GroupBy::ALL {
        listed.extend(pages(group_by.folder(), archive.groups(group_by).len()));
        for group in archive.groups(group_by) {
            let folder = format!("{}/{}", group_by.folder(), group.slug);
            listed.extend(pages(&folder, group.runs.len()));
        }
    }
    listed.push(links::list("annotations", 1));
    listed.extend(lists.catalogue.paths());
    let threads = lists.findings().iter();
    let threads = threads.map(|found| found.spooled.threads.len()).sum();
    listed.extend(pages(threads::FOLDER, threads));
    listed.extend(lists.gathered.prose.pages().map(Text::page));
    listed.extend(archive.runs.iter().map(|entry| links::run(&entry.slug)));
    listed
}
