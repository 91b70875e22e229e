//! The frame of every page: head, header, navigation, footer.

use std::collections::BTreeMap;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::Serialize;
use sha2::{Digest, Sha256};

use formats::config::Config;
use markup::Html;
use markup::escape;

use super::Link;
use base::links;

/// Metadata of a page.
#[derive(Debug, Clone, Default)]
pub struct PageInfo {
    /// Path relative to the site's root.
    pub path: String,
    /// Title without the site's name.
    pub title: String,
    /// One or two sentences.
    pub description: String,
    /// Whether search engines may index it.
    pub listed: bool,
    /// Path of the page that replaces this one, if any.
    pub canonical: Option<String>,
    /// Scripts that the page uses, in order.
    pub scripts: &'static [Script],
    /// Structured data for search engines, as JSON.
    pub json_ld: Option<String>,
    /// Path of its social card, if any.
    pub image: Option<String>,
    /// Address of the same in Markdown, relative to the page, if any.
    pub markdown: Option<&'static str>,
}

impl PageInfo {
    /// A page that search engines may index.
    pub fn listed(
        path: impl Into<String>,
        title: impl Into<String>,
        description: impl Into<String>,
    ) -> Self {
        Self {
            listed: true,
            ..Self::unlisted(path, title, description)
        }
    }

    /// A page that search engines must not index.
    pub fn unlisted(
        path: impl Into<String>,
        title: impl Into<String>,
        description: impl Into<String>,
    ) -> Self {
        Self {
            path: path.into(),
            title: title.into(),
            description: description.into(),
            ..Self::default()
        }
    }

    /// The first segment of its path, which determines its navigation entry.
    pub fn section(&self) -> Option<String> {
        let (folder, _) = self.path.split_once('/')?;
        Some(links::list(folder, 1))
    }
}

/// A built-in script. Each enhances existing content of the page; a page lists the scripts it uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Script {
    /// The table of contents that follows the scroll position.
    Contents,
    /// Shared functions, and search: on every page.
    Search,
    /// Facets over all runs.
    Runs,
    /// The filter of annotations.
    Annotations,
    /// Links into a timeline.
    Timeline,
    /// Filters, keys and the presenter of a timeline.
    Reader,
    /// The playable build of a run.
    Play,
    /// Tables of runs.
    Tables,
    /// The comparison of runs.
    Compare,
}

/// The head of a page. Written after the shell is minified, to keep recorded text in titles unchanged.
#[derive(Debug, Serialize)]
pub struct PageHead {
    /// Title with the site's name.
    pub title: String,
    /// One or two sentences.
    pub description: String,
    /// Absolute address, if the site has a `base_url`.
    pub canonical: Option<String>,
    /// The Content-Security-Policy, for an attribute in double quotes.
    pub csp: Html,
    /// Name of the site.
    pub site_title: String,
    /// Whether search engines may index the page.
    pub listed: bool,
    /// Structured data for search engines.
    pub json_ld: Option<Html>,
    /// Absolute address of the social card, if the site has a `base_url`.
    pub image: Option<String>,
    /// Address of the page in Markdown, relative to the page.
    pub markdown: Option<&'static str>,
    /// Whether the site has an Atom feed.
    pub has_atom: bool,
    /// Addresses of the page's scripts.
    pub scripts: Vec<String>,
    /// Relative path to the site's root.
    pub root: String,
}

/// The frame of a page.
#[derive(Debug, Clone, Serialize)]
pub struct ShellView {
    /// Relative path to the site's root.
    pub root: String,
    /// BCP 47 tag.
    pub language: String,
    /// Name of the site.
    pub site_title: String,
    /// A line at the top of every page.
    pub notice: Option<String>,
    pub nav: Vec<NavItem>,
    /// The publisher.
    pub author: Option<String>,
    /// Licence of the data.
    pub licence: Option<String>,
    /// Canary of the benchmark.
    pub canary: Option<String>,
    /// Addresses of the built-in style sheets and scripts.
    pub assets: AssetLinks,
    /// The placeholder for the head.
    pub head: Html,
    /// The placeholder for the page.
    pub main: Html,
}

/// Addresses of the built-in assets.
#[derive(Debug, Clone, Default, Serialize)]
pub struct AssetLinks {
    /// Style sheets, in order.
    pub styles: Vec<String>,
    /// The files of each script, in order.
    #[serde(skip)]
    pub scripts: BTreeMap<Script, Vec<String>>,
    pub icon: String,
}

/// One entry of the navigation.
#[derive(Debug, Clone, Serialize)]
pub struct NavItem {
    pub text: String,
    pub href: String,
    /// Whether the page belongs to this entry.
    pub current: bool,
}

/// Maximum number of prose pages in the navigation; if there are more, they share one entry.
pub const PAGES: usize = 3;

/// The navigation: labels, each with a path of the site or an absolute address.
#[derive(Debug, Clone)]
pub struct Navigation {
    /// The entries in the header.
    pub main: Vec<Link>,
    /// The entries for pages without an entry of their own, by the section of the page.
    owners: BTreeMap<String, String>,
}

impl Navigation {
    /// The address of the navigation entry of a section.
    pub fn entry_of(&self, section: &str) -> Option<&str> {
        let main = self.main.iter().map(|link| link.href.as_str());
        let own = main.into_iter().find(|href| *href == section);
        own.or_else(|| Some(self.owners.get(section)?.as_str()))
    }
}

/// How the header leads to a list of the site.
#[derive(Debug, Clone, Copy)]
pub enum HeaderEntry {
    /// A link with this text, after those with a lower number.
    Link(u8, &'static str),
    /// The link to the list of this name.
    Below(&'static str),
}

/// The navigation of a site with these lists, each with its folder, and these prose pages.
pub fn navigation(
    config: &Config,
    lists: impl IntoIterator<Item = (&'static str, HeaderEntry)>,
    prose: &[Link],
) -> Navigation {
    let mut ranked = BTreeMap::new();
    let mut owners = BTreeMap::new();
    for (folder, entry) in lists {
        let href = links::list(folder, 1);
        match entry {
            HeaderEntry::Link(rank, text) => {
                ranked.insert(rank, Link::new(text, href));
            }
            HeaderEntry::Below(owner) => {
                owners.insert(href, links::list(owner, 1));
            }
        }
    }
    let mut main: Vec<_> = ranked.into_values().collect();
    match prose {
        [first, ..] if prose.len() > PAGES => {
            main.push(Link::new("Docs", first.href.clone()));
            let pages = prose.iter().map(|page| page.href.clone());
            owners.extend(pages.map(|page| (page, first.href.clone())));
        }
        few => main.extend(few.iter().cloned()),
    }
    let own = config.nav.iter();
    main.extend(own.map(|link| Link::new(link.title.clone(), link.url.clone())));
    Navigation { main, owners }
}

/// The head of a page.
pub fn head(
    config: &Config,
    assets: &AssetLinks,
    page: &PageInfo,
    root: &str,
    json_ld: Option<(Html, String)>,
) -> PageHead {
    let (json_ld, source) = json_ld.unzip();
    let site = &config.site;
    let title = match page.title.as_str() {
        "" => site.title.clone(),
        title => format!("{title} – {}", site.title),
    };
    let own = page.listed.then_some(&page.path);
    let canonical = page.canonical.as_ref().or(own);
    PageHead {
        title,
        description: page.description.clone(),
        canonical: canonical.and_then(|path| site.address(links::directory(path))),
        csp: content_security_policy(config, source.as_deref()),
        json_ld,
        image: page.image.as_ref().and_then(|path| site.address(path)),
        markdown: page.markdown,
        site_title: site.title.clone(),
        listed: page.listed,
        has_atom: site.base_url.is_some(),
        scripts: std::iter::once(&Script::Search)
            .chain(page.scripts)
            .filter_map(|script| assets.scripts.get(script))
            .flatten()
            .map(|path| format!("{root}{path}"))
            .collect(),
        root: root.to_owned(),
    }
}

/// The source expression of a script or a style sheet in a Content-Security-Policy.
pub fn source_hash(text: &str) -> String {
    format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(text)))
}

/// Forbids inline scripts and styles, and external content except for frames of allowed hosts.
fn content_security_policy(config: &Config, data: Option<&str>) -> Html {
    let hosts = config.policy.embed_hosts.iter();
    let hosts: Vec<String> = hosts.map(|host| format!("https://{host}")).collect();
    let frames = match hosts.join(" ") {
        hosts if hosts.is_empty() => "'none'".to_owned(),
        hosts => hosts,
    };
    let data = data.map_or_else(String::new, |source| format!(" {source}"));
    let policy = format!(
        "default-src 'none'; script-src 'self'{data}; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; \
         media-src 'self'; frame-src {frames}; base-uri 'none'; form-action 'none'"
    );
    escape::in_double_quotes(&policy)
}
