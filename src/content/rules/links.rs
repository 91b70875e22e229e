//! Checks that internal links of the site's own prose have a target.

use std::collections::{BTreeMap, BTreeSet};

use percent_encoding::percent_decode_str;
use pulldown_cmark::{Event, Parser, Tag};

use base::diagnostics::text::quoted;
use base::diagnostics::{Diagnostic, Place, Source, codes};
use base::links::{RunFolders, Slug};
use base::url::{LinkKind, link_kind, resolve};
use formats::model::archive::{Archive, GroupBy};
use markup::OPTIONS;

/// Prefix of the ids of a text that is a part of its page: on the home page and on the pages of cases, models and harnesses.
pub const SCOPE: &str = "about";

/// Ids that the templates of those pages have.
const GENERATED: [&str; 10] = [
    "about-this",
    "cases",
    "empty",
    "main",
    "moments",
    "newest",
    "overview",
    "runs",
    "said",
    "wall",
];

/// An internal link or image of the site's own prose.
#[derive(Debug)]
pub struct InternalLink {
    /// Path of the page with the link.
    page: String,
    address: String,
    place: Place,
}

/// The possible targets of links.
#[derive(Debug)]
pub struct LinkTargets<'a> {
    /// Paths of prose pages and static files.
    pub files: BTreeSet<String>,
    /// The ids of each text, by the path of its page.
    pub ids: BTreeMap<String, &'a BTreeSet<String>>,
    /// The site's own templates, which may have further ids.
    pub templates: Vec<&'a str>,
    /// First path segments that the site uses itself.
    pub reserved: BTreeSet<&'a str>,
    runs: BTreeSet<Slug>,
    /// Pages with a folder of their own: `cases`, `models` or `harnesses`, and the slug.
    groups: BTreeSet<(&'static str, &'a str)>,
}

/// The internal links and images of a text. `page` is the path of its page, `offset` the start of the text in the file.
pub fn internal_links(
    source: Source<'_>,
    text: &str,
    offset: usize,
    page: &str,
) -> Vec<InternalLink> {
    let mut places = source.walk();
    Parser::new_ext(text, OPTIONS)
        .into_offset_iter()
        .filter_map(|(event, range)| {
            let Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) = event
            else {
                return None;
            };
            let kind = link_kind(&dest_url);
            matches!(kind, Some(LinkKind::Relative | LinkKind::Fragment)).then(|| InternalLink {
                page: page.to_owned(),
                address: dest_url.into_string(),
                place: places.place(offset + range.start, offset + range.end),
            })
        })
        .collect()
}

/// Warns of links without a target on the site.
#[must_use]
pub fn check(links: &[InternalLink], targets: &LinkTargets<'_>) -> Vec<Diagnostic> {
    links
        .iter()
        .filter_map(|link| {
            let address = quoted(&link.address);
            let Some(page) = target(&link.page, &link.address, targets) else {
                return Some(codes::PAGE_DEAD_LINK.at(
                    link.place.clone(),
                    format!("Dead link {address}: this site has no such page or file"),
                    "Link to a page of the site relative to this page, as `../guide/index.html`, or to a file of `static/`.",
                ));
            };
            let (_, fragment) = link.address.trim().split_once('#')?;
            let fragment = percent_decode_str(fragment).decode_utf8_lossy();
            let help = match targets.missing_id(&page, &fragment)? {
                MissingId::WithScope(id) => format!("Link to {}.", quoted(&format!("#{id}"))),
                MissingId::Nowhere => "Link to the id of a heading: its words in lower case with hyphens, as `#first-steps`.".to_owned(),
            };
            Some(codes::PAGE_DEAD_LINK.at(
                link.place.clone(),
                format!("Dead link {address}: the page {} has no such heading", quoted(&page)),
                help,
            ))
        })
        .collect()
}

/// The path that a link leads to; `None` if nothing is there.
fn target(page: &str, address: &str, targets: &LinkTargets<'_>) -> Option<String> {
    let path = address.split(['?', '#']).next().unwrap_or_default();
    // A link to the page itself.
    if path.trim().is_empty() {
        return Some(page.to_owned());
    }
    let folder = path.trim_end().trim_end_matches('/');
    // A link from a page in a folder to the site's root.
    let named = if folder.is_empty() || folder.ends_with("..") || folder.ends_with('.') {
        resolve(page, &format!("{folder}/index.html"))
    } else {
        resolve(page, folder)
    }?;
    if !targets.contains(&named) {
        return None;
    }
    let index = format!("{named}/index.html");
    Some(if targets.ids.contains_key(&index) {
        index
    } else {
        named
    })
}

/// Why a page has no element of an id.
enum MissingId {
    /// A heading has the id after the prefix of its page.
    WithScope(String),
    Nowhere,
}

impl<'a> LinkTargets<'a> {
    /// The targets are the files, the runs and groups of the archive, and the unpublished runs that have a page.
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
            ids: BTreeMap::new(),
            templates: Vec::new(),
            runs: runs.collect(),
            groups: groups.collect(),
            reserved: BTreeSet::new(),
        }
    }

    /// Whether a page of prose has no element of this id. Pages without prose have ids of events and other generated ones.
    fn missing_id(&self, page: &str, id: &str) -> Option<MissingId> {
        let ids = self.ids.get(page)?;
        // What follows `:~:` selects text, and browsers scroll to the top for `#` and `#top`.
        let id = id.split(":~:").next().unwrap_or_default();
        let is_generated = id == "main"
            || !is_prose_page(page) && (GENERATED.contains(&id) || id.starts_with("set-"));
        let attribute = format!("id=\"{id}\"");
        let in_template = || self.templates.iter().any(|text| text.contains(&attribute));
        if id.is_empty()
            || id.eq_ignore_ascii_case("top")
            || is_generated
            || ids.contains(id)
            || in_template()
        {
            return None;
        }
        let scoped = format!("{SCOPE}-{id}");
        Some(if ids.contains(&scoped) {
            MissingId::WithScope(scoped)
        } else {
            MissingId::Nowhere
        })
    }

    fn contains(&self, path: &str) -> bool {
        if self.files.contains(path) || self.files.contains(&format!("{path}/index.html")) {
            return true;
        }
        let (first, rest) = path.split_once('/').unwrap_or((path, ""));
        let second = rest.split('/').next().unwrap_or_default();
        match first {
            "runs" if !matches!(second, "" | "index.html" | "page") => {
                let ends = rest.match_indices('/').map(|(at, _)| at);
                let folders = ends.chain([rest.len()]).take(2).map(|end| &rest[..end]);
                folders.into_iter().any(|folder| self.contains_run(folder))
            }
            "cases" | "models" | "harnesses" => self.groups.contains(&(first, second)),
            // Output of the site itself: lists, feeds, schemas, assets.
            _ => self
                .reserved
                .contains(first.split('.').next().unwrap_or(first)),
        }
    }

    /// Whether a run is in this folder below `runs/`.
    fn contains_run(&self, folder: &str) -> bool {
        let name = folder.rsplit('/').next().unwrap_or_default();
        let slugs = [RunFolders::Flat, RunFolders::Prefixed].map(|it| Slug::new(name, it));
        let mut runs = slugs.iter().filter(|slug| self.runs.contains(slug));
        runs.any(|slug| slug.below_runs() == folder)
    }
}

/// Whether a page has nothing but prose.
fn is_prose_page(page: &str) -> bool {
    let folder = page.split('/').next();
    page != "index.html" && GroupBy::ALL.iter().all(|by| folder != Some(by.folder()))
}
