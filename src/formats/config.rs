//! Site.toml: every key, with its type, default and reader.

use schemars::JsonSchema;
use serde::Serialize;

use base::diagnostics::{Code, Severity};
use base::links::RunFolders;
use base::url::HttpUrl;

mod downloads;
mod hosts;
mod pattern;
mod read;
mod shape;

use read::{ConfigReader, ConfigTable, TomlValue};

pub use downloads::Downloads;
pub use hosts::{HOSTS, Host};
pub use pattern::Pattern;
pub use read::{parse, places_of};

/// The name of the file in the site's root.
pub const FILE_NAME: &str = "site.toml";

const KIB: u64 = 1024;
const MIB: u64 = 1024 * KIB;
const GIB: u64 = 1024 * MIB;

/// Declares a table of site.toml: the name, field, type, default and reader of each key.
macro_rules! table {
    ($(#[$attr:meta])* $name:ident {
        $($(#[$key_attr:meta])* $key:literal => $field:ident: $type:ty = $default:expr, $read:expr;)+
    }) => {
        #[derive(Debug, Clone, PartialEq, Eq, JsonSchema)]
        #[schemars(deny_unknown_fields)]
        $(#[$attr])*
        pub struct $name {
            $($(#[$key_attr])* #[schemars(rename = $key)] pub $field: $type,)+
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $default,)+ }
            }
        }

        impl ConfigTable for $name {
            const KEYS: &'static [&'static str] = &[$($key),+];

            fn read(&mut self, reader: &mut ConfigReader<'_>, key: &str, value: &TomlValue<'_>) {
                match key {
                    $($key => $read(reader, key, value, &mut self.$field),)+
                    _ => {}
                }
            }
        }
    };
}

table! {
    /// All settings of a site; every key is optional. The defaults are those of an empty site.toml.
    #[schemars(default)]
    Config {
        /// The name and the address of the site.
        "site" => site: Site = Site::default(), ConfigReader::table;
        /// Content, output folder and minification.
        "build" => build: Build = Build::default(), ConfigReader::table;
        /// Which runs and files are published.
        "policy" => policy: Policy = Policy::default(), ConfigReader::table;
        /// The search for secrets in what is published.
        "secrets" => secrets: Secrets = Secrets::default(), ConfigReader::table;
        /// Layout of timelines.
        "timeline" => timeline: Timeline = Timeline::default(), ConfigReader::table;
        /// The working tree of agents.
        "files" => files: Files = Files::default(), ConfigReader::table;
        /// What counts as a success of a run.
        "cells" => cells: SuccessRule = SuccessRule::default(), ConfigReader::table;
        /// The feeds of the site.
        "feeds" => feeds: Feeds = Feeds::default(), ConfigReader::table;
        /// How the site is cited.
        "citation" => citation: Citation = Citation::default(), ConfigReader::table;
        /// Where the site is published.
        "publish" => publish: Publish = Publish::default(), ConfigReader::table;
        /// What the site may take.
        "budget" => budget: Budget = Budget::default(), ConfigReader::table;
        /// Limits on the size of input and output.
        "limits" => limits: Limits = Limits::default(), ConfigReader::table;
        /// `[[expect]]`: problems of runs that are there on purpose.
        "expect" => expect: Vec<Expectation> = Vec::new(), ConfigReader::list;
        /// `[[nav]]`: further links in the site's header.
        "nav" => nav: Vec<NavLink> = Vec::new(), ConfigReader::list;
        /// `[[import]]`: the cases of logs that do not name theirs, for `runpress import`.
        "import" => import: Vec<ImportRule> = Vec::new(), ConfigReader::list;
    }
}

table! {
    /// `[site]`
    #[schemars(default, transform = shape::site)]
    Site {
        /// Shown in the header of every page.
        "title" => title: String = "Agent runs".to_owned(), ConfigReader::string;
        /// One or two sentences.
        "description" => description: String = "Published runs of AI agents.".to_owned(), ConfigReader::string;
        /// The address of the site; ends with `/`. Absolute feeds and canonical links need it.
        #[schemars(schema_with = "shape::base_url")]
        "base_url" => base_url: Option<HttpUrl> = None, ConfigReader::base_url;
        /// BCP 47 tag of the site's own words.
        "language" => language: String = "en".to_owned(), ConfigReader::string;
        /// The publisher.
        #[schemars(with = "String")]
        "author" => author: Option<String> = None, ConfigReader::optional;
        /// A line at the top of every page, for example "sample data".
        #[schemars(with = "String")]
        "notice" => notice: Option<String> = None, ConfigReader::optional;
        /// Which runs have a story: a page with one quote for each moment.
        #[schemars(with = "String")]
        "stories" => stories: RunSelection = RunSelection::Annotated, ConfigReader::word;
        /// Which runs have a card: a picture for previews of links. Cases have one unless it is `none`.
        #[schemars(with = "String")]
        "cards" => cards: RunSelection = RunSelection::None, ConfigReader::word;
    }
}

words! {
    /// The runs that get an optional file.
    RunSelection {
        /// Every run.
        All = "all",
        /// Runs with annotations.
        Annotated = "annotated",
        /// No run.
        None = "none",
    }
}

impl RunSelection {
    /// Whether a run gets the file.
    pub const fn includes(self, is_annotated: bool) -> bool {
        match self {
            Self::All => true,
            Self::Annotated => is_annotated,
            Self::None => false,
        }
    }
}

table! {
    /// `[build]`
    #[schemars(default)]
    Build {
        /// Content roots, relative to the site's root.
        "content" => content: Vec<String> = vec!["content".to_owned()], ConfigReader::strings;
        /// The output folder, relative to the site's root.
        "out" => out: String = "public".to_owned(), ConfigReader::string;
        /// Whether the page shell and the style sheets are minified.
        "minify" => minify: bool = true, ConfigReader::boolean;
    }
}

table! {
    /// `[policy]`
    #[schemars(default, transform = shape::policy)]
    Policy {
        /// Whether a completed run needs a writeup and a rating.
        "require_review" => require_review: bool = false, ConfigReader::boolean;
        /// Whether invalid runs are quarantined instead of stopping the publication.
        #[schemars(with = "String")]
        "on_invalid" => quarantine: bool = false, ConfigReader::on_invalid;
        /// Severity of a sidecar whose hash does not match its tape.
        #[schemars(with = "String")]
        "stale_annotations" => stale_annotations: Severity = Severity::Error, ConfigReader::severity;
        /// Severity of events that do not follow from the raw log, or `off`.
        #[schemars(with = "String")]
        "raw_audit" => raw_audit: Option<Severity> = Some(Severity::Warning), ConfigReader::optional_severity;
        /// Hosts whose playable builds may be embedded.
        #[schemars(inner(regex(pattern = shape::HOST), length(max = 253)))]
        "embed_hosts" => embed_hosts: Vec<String> = Vec::new(), ConfigReader::hosts;
        /// Whether event logs, tapes and sidecars can be downloaded.
        "publish_events" => publish_events: bool = true, ConfigReader::boolean;
        /// Whether reasoning in event logs and traces is published.
        "publish_reasoning" => publish_reasoning: bool = true, ConfigReader::boolean;
        /// Whether raw logs can be downloaded: all that the harness printed, reasoning included.
        "publish_raw" => publish_raw: bool = false, ConfigReader::boolean;
        /// Whether the images that a record declares as proofs or as media of its showcase are shown.
        "publish_pictures" => publish_pictures: bool = true, ConfigReader::boolean;
        /// Whether `implementation/` can be downloaded.
        "publish_implementation" => publish_implementation: bool = false, ConfigReader::boolean;
        /// License of the data.
        #[schemars(with = "String")]
        "licence" => licence: Option<String> = None, ConfigReader::optional;
        /// Canary of a benchmark: a string by which its data can be found in training data.
        #[schemars(with = "String")]
        "canary" => canary: Option<String> = None, ConfigReader::optional;
    }
}

table! {
    /// `[secrets]`
    #[schemars(default, transform = shape::secrets)]
    Secrets {
        /// Whether everything that is published is searched for secrets.
        "scan" => scan: bool = true, ConfigReader::boolean;
        /// What personal data is: e-mail addresses, IP addresses and phone numbers.
        #[schemars(with = "String")]
        "personal" => personal: FindingLevel = FindingLevel::Off, ConfigReader::word;
        /// What home directories with the names of people are.
        #[schemars(with = "String")]
        "paths" => paths: FindingLevel = FindingLevel::Note, ConfigReader::word;
        /// `[[secrets.allow]]`: findings that may be published.
        "allow" => allow: Vec<Allowance> = Vec::new(), ConfigReader::list;
    }
}

words! {
    /// How an optional finding is reported.
    FindingLevel {
        /// Not searched for.
        Off = "off",
        /// A note.
        Note = "note",
        /// An error.
        Error = "error",
    }
}

impl FindingLevel {
    /// The severity of a finding; `None` if it is not searched for.
    pub const fn severity(self) -> Option<Severity> {
        match self {
            Self::Off => None,
            Self::Note => Some(Severity::Note),
            Self::Error => Some(Severity::Error),
        }
    }
}

table! {
    /// One entry of `[[secrets.allow]]`: findings that may be published. All of the conditions must hold.
    #[schemars(transform = shape::allowance)]
    Allowance {
        /// The fingerprint of one finding.
        #[schemars(with = "String")]
        "fingerprint" => fingerprint: Option<String> = None, ConfigReader::optional;
        /// The name of a rule.
        #[schemars(with = "String")]
        "rule" => rule: Option<String> = None, ConfigReader::optional;
        /// Pattern of the path of a file: `*` is any name, `**` any folders. It fits a path that ends so.
        #[schemars(with = "String")]
        "path" => path: Option<Pattern> = None, ConfigReader::pattern;
        /// Why it may be published.
        #[schemars(length(min = 1))]
        "reason" => reason: String = String::new(), ConfigReader::string;
    }
}

table! {
    /// One entry of `[[expect]]`: a problem of a run that is there on purpose. It is a note, which shows the reason.
    #[schemars(transform = shape::expectation)]
    Expectation {
        /// The code of the problem.
        #[schemars(with = "String")]
        "code" => code: Option<&'static Code> = None, ConfigReader::code;
        /// The id of the run, or its directory.
        #[schemars(length(min = 1))]
        "run" => run: String = String::new(), ConfigReader::string;
        /// Why the problem is expected.
        #[schemars(length(min = 1))]
        "reason" => reason: String = String::new(), ConfigReader::string;
    }
}

impl Expectation {
    /// Whether a problem can be expected: one that is found in the files next to a record, and that is no error of itself. What the search
    /// for secrets finds cannot, nor what prevents a run from being read.
    pub fn includes(code: &Code) -> bool {
        const FAMILIES: [&str; 10] = [
            "annotation",
            "events",
            "implementation",
            "raw",
            "review",
            "sidecar",
            "tape",
            "threads",
            "trace",
            "transcript",
        ];
        code.severity == Severity::Warning && FAMILIES.contains(&code.family())
    }

    /// Whether it is about the run with this id in this directory.
    pub fn is_of(&self, id: &str, folder: &str) -> bool {
        self.run == id || self.run.trim_end_matches('/') == folder
    }

    /// `Expected: forged on purpose.`
    pub fn sentence(&self) -> String {
        let words: Vec<_> = self.reason.split_whitespace().collect();
        let reason = words.join(" ");
        let end = if reason.ends_with(['.', '!', '?']) {
            ""
        } else {
            "."
        };
        format!("Expected: {reason}{end}")
    }
}

table! {
    /// `[timeline]`
    #[derive(Copy)]
    #[schemars(default)]
    Timeline {
        /// Events on one page.
        #[schemars(range(min = 1))]
        "page_size" => page_size: usize = 500, ConfigReader::count;
        /// A gap longer than this, in seconds, is folded on the strip and marked on the timeline.
        #[schemars(range(min = 1))]
        "gap_seconds" => gap_seconds: u64 = 60, ConfigReader::seconds;
    }
}

table! {
    /// `[files]`
    #[schemars(default)]
    Files {
        /// The folder or folders of the working tree, as agents saw it.
        #[schemars(schema_with = "shape::one_or_more")]
        "workspace" => workspace: Vec<String> = ["/work", "/workspace"].map(str::to_owned).to_vec(), ConfigReader::one_or_more;
    }
}

table! {
    /// `[cells]`: what counts as a success when the trials of a cell are counted. By default a completed run.
    #[schemars(default)]
    SuccessRule {
        /// The name of the outcome that decides, instead of the state of the run. A run without it is counted as unknown.
        #[schemars(with = "String")]
        "outcome" => outcome: Option<String> = None, ConfigReader::optional;
        /// The scorer of that outcome. Without it, a run in which several scorers have such an outcome is counted as unknown.
        #[schemars(with = "String")]
        "scorer" => scorer: Option<String> = None, ConfigReader::optional;
        /// The smallest value of that outcome that is a success; `true` is 1.
        #[schemars(with = "f64")]
        "at_least" => at_least: Threshold = Threshold(1.0), ConfigReader::threshold;
    }
}

/// A finite number.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Threshold(f64);

/// A finite number equals itself.
impl Eq for Threshold {}

impl Threshold {
    pub const fn value(self) -> f64 {
        self.0
    }
}

table! {
    /// `[feeds]`
    #[derive(Copy)]
    #[schemars(default)]
    Feeds {
        /// Entries in JSON Feed and Atom.
        #[schemars(range(min = 1))]
        "items" => items: usize = 50, ConfigReader::count;
    }
}

table! {
    /// `[limits]`, in bytes unless stated otherwise.
    #[derive(Copy)]
    #[schemars(default)]
    Limits {
        /// One line of a JSON Lines file.
        #[schemars(schema_with = "shape::size")]
        "line" => line: u64 = 64 * MIB, ConfigReader::size;
        /// Lines of the event logs, tapes, sidecars and action logs of one run, together.
        #[schemars(range(min = 1))]
        "lines" => lines: usize = 1_000_000, ConfigReader::count;
        /// One file.
        #[schemars(schema_with = "shape::size")]
        "file" => file: u64 = GIB, ConfigReader::size;
        /// Largest file that is read into memory whole: a record, a sidecar, a transcript, a state or an action log of review threads, a
        /// file of the working tree that a thread is about.
        #[schemars(schema_with = "shape::size")]
        "document" => document: u64 = 64 * MIB, ConfigReader::size;
        /// Total size of the files of one run that are held in memory: a record, event logs, tapes, payloads, sidecars, a transcript, review
        /// threads. Runs that are read in parallel share it.
        #[schemars(schema_with = "shape::size")]
        "memory" => memory: u64 = 256 * MIB, ConfigReader::size;
        /// A writeup or a page of prose.
        #[schemars(schema_with = "shape::size")]
        "writeup" => writeup: u64 = 256 * KIB, ConfigReader::size;
        /// Bytes of an event's content shown on a page; the full content is in a separate file.
        #[schemars(schema_with = "shape::size")]
        "inline" => inline: u64 = 64 * KIB, ConfigReader::size;
        /// One page of a run.
        #[schemars(schema_with = "shape::size")]
        "page" => page: u64 = 64 * MIB, ConfigReader::size;
        /// All pages and files of a run.
        #[schemars(schema_with = "shape::size")]
        "run" => run: u64 = 4 * GIB, ConfigReader::size;
    }
}

table! {
    /// `[citation]`
    #[schemars(default)]
    Citation {
        /// The authors: `Family, Given` is a person, and any other name an organization. By default `[site] author`.
        "authors" => authors: Vec<String> = Vec::new(), ConfigReader::strings;
        /// The DOI of the data, such as `10.5281/zenodo.1234`.
        #[schemars(with = "String", regex(pattern = shape::DOI))]
        "doi" => doi: Option<String> = None, ConfigReader::doi;
    }
}

table! {
    /// `[publish]`
    #[schemars(default, transform = shape::publish)]
    Publish {
        /// The host, whose limits a site must keep.
        #[schemars(with = "String")]
        "host" => host: Option<&'static Host> = None, ConfigReader::host;
        /// Where the folders of runs are: `runs/<slug>/` or, for hosts with a limit on the entries of a folder,
        /// `runs/<prefix>/<slug>/`. Fixed once a site is published, so that addresses do not change.
        #[schemars(with = "String")]
        "run_folders" => run_folders: RunFolders = RunFolders::Flat, ConfigReader::word;
        /// How event logs, tapes and sidecars are published: as files, or not at all.
        #[schemars(with = "String")]
        "downloads" => downloads: Downloads = Downloads::Files, ConfigReader::downloads;
        /// The address to which the folder `downloads/` of the site is copied, for example of a bucket; ends with `/`. With it,
        /// downloads are in that folder and not beside the pages of runs.
        #[schemars(schema_with = "shape::base_url")]
        "files_base_url" => files_base_url: Option<HttpUrl> = None, ConfigReader::base_url;
        /// Whether each run has a `run.md`, for programs and terminals. By default on sites with fewer than 2,000 runs.
        #[schemars(with = "bool")]
        "markdown" => markdown: Option<bool> = None, ConfigReader::optional_boolean;
        /// Whether the site has `SHA256SUMS`, the checksums of all its files.
        "checksums" => checksums: bool = false, ConfigReader::boolean;
    }
}

table! {
    /// `[budget]`: what a site may take. Each key replaces the limit of the host.
    #[derive(Copy)]
    #[schemars(default)]
    Budget {
        /// Files of the site.
        #[schemars(with = "usize", range(min = 1))]
        "files" => files: Option<u64> = None, ConfigReader::optional_count;
        /// Bytes of all files.
        #[schemars(schema_with = "shape::size")]
        "bytes" => bytes: Option<u64> = None, ConfigReader::optional_size;
        /// Bytes of one file.
        #[schemars(schema_with = "shape::size")]
        "file" => file: Option<u64> = None, ConfigReader::optional_size;
        /// Files and folders in one folder.
        #[schemars(with = "usize", range(min = 1))]
        "entries" => entries: Option<u64> = None, ConfigReader::optional_count;
    }
}

impl Site {
    /// The absolute address of a path of the site, if the site has a `base_url`.
    pub fn address(&self, path: &str) -> Option<String> {
        Some(format!("{}{path}", self.base_url.as_ref()?.as_str()))
    }
}

impl Timeline {
    pub fn gap_milliseconds(&self) -> i64 {
        i64::try_from(self.gap_seconds)
            .unwrap_or(i64::MAX)
            .saturating_mul(1000)
    }
}

impl Config {
    /// The authors that a citation names.
    pub fn authors(&self) -> Vec<&str> {
        let named = self.citation.authors.iter();
        let named = named
            .map(|author| author.trim())
            .filter(|it| !it.is_empty());
        let named: Vec<_> = named.collect();
        if named.is_empty() {
            return self.site.author.iter().map(String::as_str).collect();
        }
        named
    }

    /// The limits of the site: the budget, or else the limits of the host.
    pub fn site_limits(&self) -> Budget {
        let host = self
            .publish
            .host
            .map_or_else(Budget::default, |host| host.limits);
        Budget {
            files: self.budget.files.or(host.files),
            bytes: self.budget.bytes.or(host.bytes),
            file: self.budget.file.or(host.file),
            entries: self.budget.entries.or(host.entries),
        }
    }
}

impl Limits {
    /// [`Self::inline`] as a length.
    pub fn inline(&self) -> usize {
        usize::try_from(self.inline).unwrap_or(usize::MAX)
    }

    /// [`Self::page`] as a length.
    pub fn page(&self) -> usize {
        usize::try_from(self.page).unwrap_or(usize::MAX)
    }
}

table! {
    /// One entry of `[[nav]]`.
    NavLink {
        /// The words of the link.
        #[schemars(length(min = 1))]
        "title" => title: String = String::new(), ConfigReader::string;
        /// `http(s)` or a path of the site.
        #[schemars(schema_with = "shape::link")]
        "url" => url: String = String::new(), ConfigReader::string;
    }
}

table! {
    /// One entry of `[[import]]`: what is said of logs whose path fits.
    #[schemars(default, transform = shape::import)]
    ImportRule {
        /// Pattern of the path: `*` is any name, `**` any folders. It fits a path that ends so.
        #[schemars(with = "String", length(min = 1))]
        "path" => path: Option<Pattern> = None, ConfigReader::pattern;
        /// Name of the case.
        #[schemars(with = "String")]
        "case" => case: Option<String> = None, ConfigReader::optional;
        /// Version of the case.
        #[schemars(with = "String")]
        "case_version" => case_version: Option<String> = None, ConfigReader::optional;
        /// Variant of the case.
        #[schemars(with = "String")]
        "variant" => variant: Option<String> = None, ConfigReader::optional;
    }
}
