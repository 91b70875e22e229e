//! The addresses of the site, and links between pages: relative, with `index.html`.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where the folders of runs are.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum RunFolders {
    /// `runs/<slug>/`
    #[default]
    Flat,
    /// `runs/<prefix>/<slug>/`; the prefix is the first two hexadecimal digits of the slug's BLAKE3.
    Prefixed,
}

impl RunFolders {
    /// The word in site.toml and in the ledger.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Flat => "flat",
            Self::Prefixed => "prefixed",
        }
    }

    /// Whether folders have no prefix.
    pub const fn is_flat(self) -> bool {
        matches!(self, Self::Flat)
    }
}

/// The slug of a run, and where the folder of its page is. Reads as the slug; functions of this module use the folder.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Slug {
    slug: Arc<str>,
    folders: RunFolders,
}

impl Slug {
    /// The slug of a run of a site.
    pub fn new(slug: &str, folders: RunFolders) -> Self {
        let slug = slug.into();
        Self { slug, folders }
    }

    /// The slug alone.
    pub fn shared(&self) -> Arc<str> {
        Arc::clone(&self.slug)
    }

    /// The path below `runs/`: the slug, after the prefix if folders have one.
    pub fn below_runs(&self) -> Cow<'_, str> {
        match self.folders {
            RunFolders::Flat => Cow::Borrowed(&self.slug),
            RunFolders::Prefixed => format!("{}/{}", prefix(&self.slug), self.slug).into(),
        }
    }
}

impl Deref for Slug {
    type Target = str;

    fn deref(&self) -> &str {
        &self.slug
    }
}

impl fmt::Display for Slug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

impl Serialize for Slug {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

fn prefix(slug: &str) -> String {
    blake3::hash(slug.as_bytes()).to_hex()[..2].to_owned()
}

/// The run folder that contains a path, and the rest of the path.
pub fn split_run(path: &str) -> Option<(&str, &str)> {
    let (first, rest) = path.strip_prefix("runs/")?.split_once('/')?;
    let second = rest.split_once('/').map(|(slug, _)| slug);
    let slug = second.filter(|slug| first.len() == 2 && prefix(slug) == first);
    let folder = "runs/".len() + first.len() + slug.map_or(0, |slug| 1 + slug.len());
    // `page` is the folder for further pages of the list of runs.
    (first != "page").then(|| (&path[..folder], &path[folder + 1..]))
}

/// The page of a run. Like all paths here, it is relative to the site's root and uses `/`.
pub fn run(slug: &Slug) -> String {
    run_file(slug, "index.html")
}

/// The story page of a run.
pub fn story(slug: &Slug) -> String {
    run_file(slug, "story/index.html")
}

/// The social card of a page.
pub fn card(page: &str) -> String {
    format!("{}og.png", directory(page))
}

/// A file in the folder of a run page.
pub fn run_file(slug: &Slug, name: &str) -> String {
    format!("runs/{}/{name}", slug.below_runs())
}

/// Page `number` (from 1) of the events of a tape; the first is on the run page itself.
pub fn events(slug: &Slug, prefix: &str, number: usize) -> String {
    if number == 1 {
        return run(slug);
    }
    let folder = prefix
        .strip_suffix('.')
        .map_or_else(String::new, |prefix| format!("{prefix}/"));
    run_file(slug, &format!("events/{folder}{number}/index.html"))
}

/// The folder of the texts of a tape's pages, for scripts: `1.js` has those of the first page.
pub fn event_texts(slug: &Slug, prefix: &str) -> String {
    let below = prefix.replace('.', "/");
    run_file(slug, &format!("events/{below}"))
}

/// The link from one run page to another.
pub fn from_run_to_run(slug: &Slug) -> String {
    let below = slug.below_runs();
    let up = "../".repeat(1 + below.matches('/').count());
    format!("{up}{below}/index.html")
}

/// Page `number` (from 1) of a list.
pub fn list(folder: &str, number: usize) -> String {
    if number == 1 {
        format!("{folder}/index.html")
    } else {
        format!("{folder}/page/{number}/index.html")
    }
}

/// Page of a case, model or harness: `folder` is `cases`, `models` or `harnesses`.
pub fn group(folder: &str, slug: &str) -> String {
    format!("{folder}/{slug}/index.html")
}

/// The page of the trials of a case.
pub fn trials(case: &str) -> String {
    format!("cases/{case}/trials/index.html")
}

/// The page that searches the site.
pub const SEARCH: &str = "search/index.html";

/// The page that compares runs.
pub const COMPARE: &str = "compare/index.html";

/// The index of the site for language models.
pub const LLMS: &str = "llms.txt";

/// A prose page; `index` is the home page.
pub fn prose(slug: &str) -> String {
    format!("{slug}/index.html")
}

/// The relative path from a page to the site's root: `../` for each level, or nothing.
pub fn root(page: &str) -> String {
    "../".repeat(page.matches('/').count())
}

/// The address of a page for links from another one: without the folders that both are in.
pub fn between(from: &str, to: &str) -> String {
    let folders = from.split_inclusive('/').zip(to.split_inclusive('/'));
    let shared = folders.take_while(|(a, b)| a == b && a.ends_with('/'));
    let shared: usize = shared.map(|(folder, _)| folder.len()).sum();
    format!("{}{}", root(&from[shared..]), &to[shared..])
}

/// The directory form of a page's path, for canonical addresses: `runs/x/` for `runs/x/index.html`.
pub fn directory(page: &str) -> &str {
    page.strip_suffix("index.html").unwrap_or(page)
}
