//! Knows site.toml: every key, its type and its default.

use schemars::JsonSchema;

use crate::diagnostics::Severity;
use crate::url::HttpUrl;

mod read;
mod shape;

pub use read::parse;

/// The file's name in the site's root.
pub const FILE_NAME: &str = "site.toml";

const KIB: u64 = 1024;
const MIB: u64 = 1024 * KIB;
const GIB: u64 = 1024 * MIB;

/// All settings of a site; every key may be left out. The default is what an empty site.toml means.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema)]
#[schemars(default, deny_unknown_fields, transform = shape::sections)]
pub struct Config {
    /// What the site is called, and where it will stand.
    pub site: Site,
    /// What is read and written.
    pub build: Build,
    /// What may be published.
    pub policy: Policy,
    /// How long tapes are laid out.
    pub timeline: Timeline,
    /// `[files] workspace`: the folders under which agents saw the working tree.
    #[schemars(rename = "files", schema_with = "shape::files")]
    pub workspace: Vec<String>,
    /// `[feeds] items`: entries in JSON Feed and Atom.
    #[schemars(rename = "feeds", schema_with = "shape::feeds")]
    pub feed_items: usize,
    /// Sizes over which input is refused or cut.
    pub limits: Limits,
    /// `[[nav]]`: further links in the site's header.
    pub nav: Vec<NavLink>,
}

/// `[site]`
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema)]
#[schemars(default, deny_unknown_fields)]
pub struct Site {
    /// Shown in the header of every page.
    pub title: String,
    /// One or two sentences.
    pub description: String,
    /// Where the site will stand; ends with `/`. Absolute feeds and canonical links need it.
    #[schemars(schema_with = "shape::base_url")]
    pub base_url: Option<HttpUrl>,
    /// BCP 47 tag of the site's own words.
    pub language: String,
    /// Who publishes.
    #[schemars(with = "String")]
    pub author: Option<String>,
    /// A line at the top of every page, for example "sample data".
    #[schemars(with = "String")]
    pub notice: Option<String>,
}

/// `[build]`
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema)]
#[schemars(default, deny_unknown_fields)]
pub struct Build {
    /// Content roots, relative to the site's root.
    pub content: Vec<String>,
    /// The output folder, relative to the site's root.
    pub out: String,
    /// Whether the page shell and the style sheets are minified.
    pub minify: bool,
}

/// `[policy]`
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema)]
#[schemars(default, deny_unknown_fields, transform = shape::policy)]
pub struct Policy {
    /// Whether a completed run needs a writeup and a rating.
    pub require_review: bool,
    /// Whether invalid runs are set aside instead of stopping the publication.
    #[schemars(rename = "on_invalid", with = "String")]
    pub quarantine: bool,
    /// Severity of a sidecar whose digest disagrees with its tape.
    #[schemars(with = "String")]
    pub stale_annotations: Severity,
    /// Hosts that a playable build may be framed from.
    #[schemars(inner(regex(pattern = shape::HOST), length(max = 253)))]
    pub embed_hosts: Vec<String>,
    /// Whether event logs, tapes and sidecars can be downloaded.
    pub publish_events: bool,
    /// Whether `implementation/` can be downloaded.
    pub publish_implementation: bool,
    /// Licence of the data.
    #[schemars(with = "String")]
    pub licence: Option<String>,
}

/// `[timeline]`
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema)]
#[schemars(default, deny_unknown_fields)]
pub struct Timeline {
    /// Events on one page.
    #[schemars(range(min = 1))]
    pub page_size: usize,
    /// A gap longer than this, in seconds, is folded on the strip and marked on the timeline.
    #[schemars(range(min = 1))]
    pub gap_seconds: u64,
}

/// `[limits]`, in bytes unless it says otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema)]
#[schemars(default, deny_unknown_fields)]
pub struct Limits {
    /// One line of a JSON Lines file.
    #[schemars(schema_with = "shape::size")]
    pub line: u64,
    /// Lines of the event logs, tapes, sidecars and action logs of one run, together.
    #[schemars(range(min = 1))]
    pub lines: usize,
    /// One file.
    #[schemars(schema_with = "shape::size")]
    pub file: u64,
    /// One file that is held whole: a record, a sidecar, a transcript, a state or an action log of review threads, a
    /// file of the working tree that a thread is about.
    #[schemars(schema_with = "shape::size")]
    pub document: u64,
    /// A writeup or a page of prose.
    #[schemars(schema_with = "shape::size")]
    pub writeup: u64,
    /// What a page shows of one event; the rest stands in a file of its own.
    #[schemars(schema_with = "shape::size")]
    pub inline: u64,
    /// One page of a run.
    #[schemars(schema_with = "shape::size")]
    pub page: u64,
    /// All pages and files of a run.
    #[schemars(schema_with = "shape::size")]
    pub run: u64,
}

impl Limits {
    /// [`Self::inline`] as a length.
    #[must_use]
    pub fn inline(&self) -> usize {
        usize::try_from(self.inline).unwrap_or(usize::MAX)
    }

    /// [`Self::page`] as a length.
    #[must_use]
    pub fn page(&self) -> usize {
        usize::try_from(self.page).unwrap_or(usize::MAX)
    }
}

/// One entry of `[[nav]]`.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct NavLink {
    /// The words of the link.
    #[schemars(length(min = 1))]
    pub title: String,
    /// `http(s)` or a path of the site.
    #[schemars(schema_with = "shape::link")]
    pub url: String,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            site: Site::default(),
            build: Build::default(),
            policy: Policy::default(),
            timeline: Timeline::default(),
            workspace: ["/work", "/workspace"].map(str::to_owned).to_vec(),
            feed_items: 50,
            limits: Limits::default(),
            nav: Vec::new(),
        }
    }
}

impl Default for Site {
    fn default() -> Self {
        Self {
            title: "Agent runs".to_owned(),
            description: "Published runs of AI agents.".to_owned(),
            base_url: None,
            language: "en".to_owned(),
            author: None,
            notice: None,
        }
    }
}

impl Default for Build {
    fn default() -> Self {
        Self {
            content: vec!["content".to_owned()],
            out: "public".to_owned(),
            minify: true,
        }
    }
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            require_review: false,
            quarantine: false,
            stale_annotations: Severity::Error,
            embed_hosts: Vec::new(),
            publish_events: true,
            publish_implementation: false,
            licence: None,
        }
    }
}

impl Default for Timeline {
    fn default() -> Self {
        Self {
            page_size: 500,
            gap_seconds: 60,
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            line: 64 * MIB,
            lines: 1_000_000,
            file: GIB,
            document: 64 * MIB,
            writeup: 256 * KIB,
            inline: 64 * KIB,
            page: 64 * MIB,
            run: 4 * GIB,
        }
    }
}
