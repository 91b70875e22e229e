//! Knows what stands around every page: head, header, navigation, footer.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::config::Config;
use crate::render::Html;

use super::{Link, links};

/// What every page says about itself.
#[derive(Debug, Clone)]
pub struct PageInfo {
    /// Path relative to the site's root.
    pub path: String,
    /// Title without the site's name.
    pub title: String,
    /// One or two sentences.
    pub description: String,
    /// Path of the navigation entry that this page belongs to.
    pub section: Option<String>,
    /// Whether search engines may list it.
    pub listed: bool,
    /// Scripts that the page has use for, in order.
    pub scripts: &'static [Script],
    /// About how large the page is, in bytes, besides its frame.
    pub size_hint: usize,
}

/// A built-in script. Each enhances what already stands on the page; a page names those that it has use for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Script {
    /// Links into a timeline.
    Timeline,
    /// The playable build of a run.
    Play,
    /// Tables of runs.
    Tables,
    /// The comparison of runs.
    Compare,
}

/// Head of a page; written after the shell is minified, so that recorded text in titles stays as it is.
#[derive(Debug, Serialize)]
pub struct HeadView {
    /// Title with the site's name.
    pub title: String,
    /// One or two sentences.
    pub description: String,
    /// Absolute address, when the site's is known.
    pub canonical: Option<String>,
    /// The Content-Security-Policy.
    pub csp: String,
    /// Name of the site.
    pub site_title: String,
    /// Whether search engines may list the page.
    pub listed: bool,
    /// Addresses of the page's scripts.
    pub scripts: Vec<String>,
    /// Way to the site's root.
    pub root: String,
}

/// The frame of a page.
#[derive(Debug, Clone, Serialize)]
pub struct ShellView {
    /// Way to the site's root.
    pub root: String,
    /// BCP 47 tag.
    pub language: String,
    /// Name of the site.
    pub site_title: String,
    /// A line at the top of every page.
    pub notice: Option<String>,
    /// The navigation.
    pub nav: Vec<NavItem>,
    /// Who publishes.
    pub author: Option<String>,
    /// Licence of the data.
    pub licence: Option<String>,
    /// Addresses of the built-in style sheets and scripts.
    pub assets: AssetLinks,
    /// Where the head goes.
    pub head: Html,
    /// Where the page goes.
    pub main: Html,
}

/// Addresses of the built-in assets.
#[derive(Debug, Clone, Default, Serialize)]
pub struct AssetLinks {
    /// Style sheets, in order.
    pub styles: Vec<String>,
    /// Scripts that pages ask for.
    #[serde(skip)]
    pub scripts: BTreeMap<Script, String>,
    /// The icon.
    pub icon: String,
}

/// One entry of the navigation.
#[derive(Debug, Clone, Serialize)]
pub struct NavItem {
    /// The words.
    pub text: String,
    /// The address.
    pub href: String,
    /// Whether the page belongs here.
    pub current: bool,
}

/// Entries of the navigation: words, and a path of the site or an absolute address.
#[must_use]
pub fn navigation(config: &Config, prose: &[Link]) -> Vec<Link> {
    let entry = |text: &str, href: &str| Link {
        text: text.to_owned(),
        href: href.to_owned(),
    };
    let mut entries = vec![
        entry("Runs", "runs/index.html"),
        entry("Overview", "overview/index.html"),
        entry("Annotations", "annotations/index.html"),
    ];
    entries.extend(prose.iter().cloned());
    entries.push(entry("Problems", "problems/index.html"));
    entries.extend(config.nav.iter().map(|link| entry(&link.title, &link.url)));
    entries
}

/// The head of a page.
#[must_use]
pub fn head(config: &Config, assets: &AssetLinks, page: &PageInfo, root: &str) -> HeadView {
    let site = &config.site;
    let title = if page.title.is_empty() {
        site.title.clone()
    } else {
        format!("{} – {}", page.title, site.title)
    };
    HeadView {
        title,
        description: page.description.clone(),
        canonical: site
            .base_url
            .as_ref()
            .filter(|_| page.listed)
            .map(|base| format!("{}{}", base.as_str(), links::directory(&page.path))),
        csp: content_security_policy(config),
        site_title: site.title.clone(),
        listed: page.listed,
        scripts: page
            .scripts
            .iter()
            .filter_map(|script| assets.scripts.get(script))
            .map(|path| format!("{root}{path}"))
            .collect(),
        root: root.to_owned(),
    }
}

/// No inline script or style, nothing from elsewhere but frames of the hosts that the site allows.
fn content_security_policy(config: &Config) -> String {
    let hosts: Vec<String> = config
        .policy
        .embed_hosts
        .iter()
        .map(|host| format!("https://{host}"))
        .collect();
    let frames = if hosts.is_empty() {
        "'none'".to_owned()
    } else {
        hosts.join(" ")
    };
    format!(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; \
         media-src 'self'; frame-src {frames}; base-uri 'none'; form-action 'none'"
    )
}
