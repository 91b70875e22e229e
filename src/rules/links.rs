//! Checks that internal links of the site's own prose have a target.

use std::collections::BTreeSet;

use pulldown_cmark::{Event, Parser, Tag};

use crate::diagnostics::text::quoted;
use crate::diagnostics::{Diagnostic, Place, Source, codes};
use crate::links::{RunFolders, Slug};
use crate::markup::OPTIONS;
use crate::model::archive::{Archive, GroupBy};
use crate::url::{LinkKind, link_kind, resolve};

use super::pages::RESERVED;

/// An internal link or image of the site's own prose.
#[derive(Debug)]
pub struct Internal {
    /// Path of the page with the link.
    page: String,
    address: String,
    place: Place,
}

/// The possible targets of links.
#[derive(Debug)]
pub struct Targets<'a> {
    /// Paths of prose pages and static files.
    pub files: BTreeSet<String>,
    runs: BTreeSet<Slug>,
    /// Pages with a folder of their own: `cases`, `models` or `harnesses`, and the slug.
    groups: BTreeSet<(&'static str, &'a str)>,
}

/// The internal links and images of a text. `page` is the path of its page, `offset` the start of the text in the file.
pub fn internal(source: Source<'_>, text: &str, offset: usize, page: &str) -> Vec<Internal> {
    let mut places = source.walk();
    Parser::new_ext(text, OPTIONS)
        .into_offset_iter()
        .filter_map(|(event, range)| {
            let Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) = event
            else {
                return None;
            };
            (link_kind(&dest_url) == Some(LinkKind::Relative)).then(|| Internal {
                page: page.to_owned(),
                address: dest_url.into_string(),
                place: places.place(offset + range.start, offset + range.end),
            })
        })
        .collect()
}

/// Warns of links without a target on the site.
#[must_use]
pub fn check(links: &[Internal], targets: &Targets<'_>) -> Vec<Diagnostic> {
    links
        .iter()
        .filter(|link| !leads_somewhere(&link.page, &link.address, targets))
        .map(|link| {
            codes::PAGE_DEAD_LINK.at(
                link.place.clone(),
                format!("Dead link {}: this site has no such page or file", quoted(&link.address)),
                "Link to a page of the site relative to this page, as `../guide/index.html`, or to a file of `static/`.",
            )
        })
        .collect()
}

fn leads_somewhere(page: &str, address: &str, targets: &Targets<'_>) -> bool {
    let path = address.split(['?', '#']).next().unwrap_or_default();
    // A link to the page itself.
    if path.trim().is_empty() {
        return true;
    }
    let folder = path.trim_end().trim_end_matches('/');
    // A link from a page in a folder to the site's root.
    let named = if folder.is_empty() || folder.ends_with("..") || folder.ends_with('.') {
        resolve(page, &format!("{folder}/index.html"))
    } else {
        resolve(page, folder)
    };
    named.is_some_and(|path| targets.have(&path))
}

impl<'a> Targets<'a> {
    /// The files, the runs and groups of the archive, and unpublished runs that have a page to say so.
    pub fn new(
        files: BTreeSet<String>,
        archive: &'a Archive,
        other_runs: impl Iterator<Item = Slug>,
    ) -> Self {
        let groups = GroupBy::ALL.into_iter().flat_map(|group_by| {
            let groups = archive.groups(group_by).iter();
            groups.map(move |group| (group_by.folder(), group.slug.as_str()))
        });
        let runs = archive.runs.iter().map(|entry| entry.slug.clone());
        let runs = runs.chain(other_runs);
        Self {
            files,
            runs: runs.collect(),
            groups: groups.collect(),
        }
    }

    fn have(&self, path: &str) -> bool {
        if self.files.contains(path) || self.files.contains(&format!("{path}/index.html")) {
            return true;
        }
        let (first, rest) = path.split_once('/').unwrap_or((path, ""));
        let second = rest.split('/').next().unwrap_or_default();
        match first {
            "runs" if !matches!(second, "" | "index.html" | "page") => {
                let ends = rest.match_indices('/').map(|(at, _)| at);
                let folders = ends.chain([rest.len()]).take(2).map(|end| &rest[..end]);
                folders.into_iter().any(|folder| self.have_run(folder))
            }
            "cases" | "models" | "harnesses" => self.groups.contains(&(first, second)),
            // Output of the site itself: lists, feeds, schemas, assets.
            _ => RESERVED.contains(&first.split('.').next().unwrap_or(first)),
        }
    }

    /// Whether a run is in this folder below `runs/`.
    fn have_run(&self, folder: &str) -> bool {
        let name = folder.rsplit('/').next().unwrap_or_default();
        let slugs = [RunFolders::Flat, RunFolders::Prefixed].map(|it| Slug::new(name, it));
        let mut runs = slugs.iter().filter(|slug| self.runs.contains(slug));
        runs.any(|slug| slug.below_runs() == folder)
    }
}
