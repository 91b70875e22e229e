//! The command line: all commands and options, with their help.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use runpress::api::site::{Export, Overrides};
use runpress::api::url::{HttpUrl, with_ascii_host};

pub(crate) mod author;
pub(crate) mod build;
pub(crate) mod console;
pub(crate) mod import;
pub(crate) mod lookup;
pub(crate) mod paths;
#[cfg(feature = "serve")]
pub(crate) mod serve;
pub(crate) mod shard;
pub(crate) mod share;
pub(crate) mod shell;
#[cfg(feature = "verify")]
pub(crate) mod verify;

/// The content has errors; nothing was published.
const CONTENT_ERRORS: u8 = 1;
/// Usage, site.toml, I/O or templates.
pub(crate) const COULD_NOT_RUN: u8 = 2;

/// The heading in the help of options that all commands share.
const GLOBAL: &str = "Global options";

/// Turns a folder of recorded agent runs into a website and feeds.
#[derive(Debug, Parser)]
#[command(
    name = "runpress",
    version = env!("RUNPRESS_VERSION"),
    arg_required_else_help = true,
    max_term_width = 100
)]
pub(crate) struct Cli {
    /// Folder that contains site.toml [default: the current directory, or its nearest parent with one]
    #[arg(long, global = true, help_heading = GLOBAL, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,
    /// When to use color
    #[arg(long, global = true, help_heading = GLOBAL, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: Color,
    /// Also show notes
    #[arg(short, long, global = true, help_heading = GLOBAL, conflicts_with = "quiet")]
    pub(crate) verbose: bool,
    /// Show problems only
    #[arg(short, long, global = true, help_heading = GLOBAL)]
    pub(crate) quiet: bool,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Check everything and build the site
    #[command(mut_arg("records", |it| it.requires("shard")))]
    Build {
        #[command(flatten)]
        output: OutputOptions,
        /// Make only the runs of one of N shards, for `merge`; `auto` reads what the job runner sets
        #[arg(
            long,
            value_name = "K/N|auto",
            conflicts_with_all = ["export", "base"],
            requires = "out"
        )]
        shard: Option<String>,
        /// Number of shards for `--shard auto`, where the job runner does not set it
        #[arg(long, value_name = "N", requires = "shard")]
        shards: Option<u32>,
    },
    /// Build the site of the parts that `build --shard` wrote
    Merge {
        /// Folder of a part; all parts, in any order
        #[arg(value_name = "PART", required = true)]
        parts: Vec<PathBuf>,
        #[command(flatten)]
        output: OutputOptions,
    },
    /// Check everything and write a dataset for another platform; the site is not built
    #[cfg_attr(
        not(feature = "parquet"),
        allow(dead_code, reason = "parsed all the same, and refused")
    )]
    Export {
        /// `huggingface`: a dataset repository for the Hugging Face Hub
        #[arg(value_name = "FORMAT", value_parser = ["huggingface"])]
        format: String,
        /// New, empty or earlier folder of the export
        #[arg(value_name = "DIR")]
        folder: PathBuf,
        #[command(flatten)]
        input: InputOptions,
        #[command(flatten)]
        site: SiteOptions,
    },
    /// Check everything without writing anything
    Check {
        #[command(flatten)]
        input: InputOptions,
        #[command(flatten)]
        site: SiteOptions,
    },
    /// Verify a copy of a published site
    Verify(Verify),
    /// Build and serve locally; rebuild and reload on changes
    #[cfg_attr(
        not(feature = "serve"),
        allow(dead_code, reason = "parsed all the same, and refused")
    )]
    Serve {
        #[command(flatten)]
        input: InputOptions,
        /// Port on 127.0.0.1; 0 picks any [default: 4000, or the next free one]
        #[arg(long, value_name = "N")]
        port: Option<u16>,
    },
    /// Create a site with one sample run
    New {
        /// New or empty folder
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
    /// Import logs of other systems as run directories
    Import(import::Import),
    /// Write one run as one HTML file, to send to somebody
    Share(share::Share),
    /// Annotate an event of a run
    Annotate(author::Annotate),
    /// Write down a decision about a run: whether it counts, or which outcome is corrected
    Decide(author::Decide),
    /// Withhold a text or a file of a run
    Redact(author::Redact),
    /// Print what an auditor needs to check a redaction
    RevealProof {
        /// Run: path of its folder, id, or slug
        #[arg(value_name = "RUN")]
        run: String,
        /// Id of the redaction, such as `r1`
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Print rows of the raw log of a run with the events that they translate to; never published
    Raw {
        /// Run: path of its folder, id, or slug
        #[arg(value_name = "RUN")]
        run: String,
        /// Only the row of this event
        #[arg(long, value_name = "N")]
        event: Option<u64>,
    },
    /// List or print the JSON Schemas of inputs and feeds
    Schema {
        /// Name such as `run-record`; omit to list all schemas
        #[arg(value_name = "NAME")]
        name: Option<String>,
    },
    /// Explain a diagnostic, with a bad and a good example
    Explain {
        /// Code such as `record.missing-field`; omit to list all codes
        #[arg(value_name = "CODE")]
        code: Option<String>,
    },
    /// Print a shell completion script
    Completions {
        /// Shell
        #[arg(value_name = "SHELL")]
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write one per command
    Man {
        /// Output folder
        #[arg(value_name = "DIR")]
        folder: Option<PathBuf>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct InputOptions {
    /// Content root, instead of those in site.toml (repeatable)
    #[arg(long, value_name = "DIR")]
    pub(crate) content: Vec<PathBuf>,
    /// Number of threads [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) jobs: Option<u16>,
    /// Include pages marked `draft = true`
    #[arg(long)]
    pub(crate) drafts: bool,
    /// Publish the valid runs and quarantine the rest
    #[arg(long)]
    pub(crate) keep_going: bool,
    /// Treat warnings and quarantined runs as errors
    #[arg(long, value_name = "WHAT", value_parser = ["warnings"])]
    pub(crate) deny: Option<String>,
    /// Report format: human, json, github, sarif, junit or markdown; `=FILE` writes a file (repeatable)
    #[arg(long, value_name = "FORMAT[=FILE]", value_parser = report)]
    pub(crate) report: Vec<ReportOption>,
    /// Show the time of each step and the size of each kind of file
    #[arg(long)]
    pub(crate) timings: bool,
}

/// Where the site is, and where it was.
#[derive(Debug, Args)]
pub(crate) struct SiteOptions {
    /// Public URL of the site [default: `[site] base_url` of site.toml]
    #[arg(long, value_name = "URL", value_parser = base_url)]
    pub(crate) base_url: Option<HttpUrl>,
    /// Earlier site to compare with [default: the site in the output folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) previous: Option<PathBuf>,
    /// Root of the site before the change, for the Markdown report
    #[arg(long, value_name = "DIR")]
    pub(crate) base: Option<PathBuf>,
    /// Address of the root's files, for links in the Markdown report
    #[arg(long, value_name = "URL", value_parser = base_url)]
    pub(crate) source_url: Option<HttpUrl>,
}

/// What is written, and what it is made of.
#[derive(Debug, Args)]
pub(crate) struct OutputOptions {
    #[command(flatten)]
    pub(crate) input: InputOptions,
    /// Output folder [default: `[build] out` of site.toml]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    site: SiteOptions,
    /// Ignore the cache and the earlier site, except its ledger
    #[arg(long)]
    fresh: bool,
    /// Export runs, events and annotations as Parquet
    #[arg(long, value_name = "parquet=DIR", value_parser = export)]
    export: Option<PathBuf>,
    /// Removed; only its error is left
    #[arg(long, hide = true, value_parser = plan)]
    plan: Option<PathBuf>,
    /// Records of runs whose content is not on this machine
    #[arg(long, value_name = "DIR")]
    records: Option<PathBuf>,
}

fn plan(_: &str) -> Result<PathBuf, &'static str> {
    Err(
        "the option was removed; `rclone sync --checksum` and `aws s3 sync` upload only what changed",
    )
}

impl OutputOptions {
    pub(crate) fn overrides(&self) -> Overrides {
        Overrides {
            out: self.out.clone(),
            fresh: self.fresh,
            export: self.export.clone().map(Export::Parquet),
            records: self.records.clone(),
            ..self.site.overrides()
        }
    }
}

impl SiteOptions {
    pub(crate) fn overrides(&self) -> Overrides {
        Overrides {
            base_url: self.base_url.clone(),
            previous: self.previous.clone(),
            base: self.base.clone(),
            source_url: self.source_url.clone(),
            ..Overrides::default()
        }
    }
}

#[derive(Debug, Args)]
#[cfg_attr(
    not(feature = "verify"),
    allow(dead_code, reason = "parsed all the same, and refused")
)]
pub(crate) struct Verify {
    /// Folder or address of the site
    #[arg(value_name = "DIR|URL")]
    pub(crate) place: String,
    /// Also compare with this content root (repeatable)
    #[arg(long, value_name = "DIR")]
    pub(crate) content: Vec<PathBuf>,
    /// Expected head of the ledger, as an earlier verification printed it
    #[arg(long, value_name = "HEX")]
    pub(crate) expected_head: Option<String>,
    /// Earlier copy, or its address, that this one must continue
    #[arg(long, value_name = "DIR|URL")]
    pub(crate) since: Option<String>,
    /// Copy only N runs from an address, chosen at random
    #[arg(long, value_name = "N")]
    pub(crate) sample: Option<usize>,
    /// Keep the copy of an address in this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) keep: Option<PathBuf>,
    /// Report format: human, json, github or sarif; `=FILE` writes a file (repeatable)
    #[arg(long, value_name = "FORMAT[=FILE]", value_parser = verify_report)]
    pub(crate) report: Vec<ReportOption>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    Human,
    Json,
    Github,
    Sarif,
    Junit,
    Markdown,
}

/// A requested report; printed to standard output if it has no file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ReportOption {
    pub(crate) format: ReportFormat,
    pub(crate) file: Option<PathBuf>,
}

fn report(text: &str) -> Result<ReportOption, String> {
    let (format, file) = text
        .split_once('=')
        .map_or((text, None), |(format, file)| (format, Some(file)));
    let format = ReportFormat::from_str(format, false).map_err(|_| {
        format!(
            "`{format}` is not a report format; use `human`, `json`, `github`, `sarif`, `junit` or `markdown`"
        )
    })?;
    if file == Some("") {
        return Err("missing file name after `=`".to_owned());
    }
    Ok(ReportOption {
        format,
        file: file.map(PathBuf::from),
    })
}

fn verify_report(text: &str) -> Result<ReportOption, String> {
    match report(text)? {
        ReportOption {
            format: ReportFormat::Junit | ReportFormat::Markdown,
            ..
        } => Err("use `human`, `json`, `github` or `sarif`".to_owned()),
        report => Ok(report),
    }
}

fn export(text: &str) -> Result<PathBuf, String> {
    let folder = text
        .strip_prefix("parquet=")
        .filter(|folder| !folder.is_empty())
        .ok_or_else(|| "write `parquet=` and a folder".to_owned())?;
    if cfg!(feature = "parquet") {
        Ok(PathBuf::from(folder))
    } else {
        Err(
            "this build of runpress has no Parquet support; compile it with `--features parquet`"
                .to_owned(),
        )
    }
}

/// The error of `export` in a program compiled without the feature `parquet`.
#[cfg(not(feature = "parquet"))]
pub(crate) fn no_export() -> u8 {
    console::refuse(
        "this build of runpress has no Parquet support",
        "Compile it with `--features parquet`.",
    );
    COULD_NOT_RUN
}

/// The error of `verify` in a program compiled without the feature `verify`.
#[cfg(not(feature = "verify"))]
pub(crate) fn no_verifier() -> u8 {
    console::refuse(
        "this build of runpress cannot verify sites",
        "Compile it with `--features verify`, or run `sha256sum --check --quiet SHA256SUMS` in the folder of the site.",
    );
    COULD_NOT_RUN
}

/// The error of `serve` in a program compiled without the feature `serve`.
#[cfg(not(feature = "serve"))]
pub(crate) fn no_server() -> u8 {
    console::refuse(
        "this build of runpress has no server",
        "Compile it with `--features serve`, or run `runpress build` and open the pages from the output folder.",
    );
    COULD_NOT_RUN
}

fn base_url(text: &str) -> Result<HttpUrl, String> {
    HttpUrl::base(text)
        .ok_or_else(|| with_ascii_host(text).map_or_else(|| "use a URL such as `https://example.org/runs/`, without query, fragment, or `//`, `.` and `..` in its path".to_owned(), |ascii| format!("use the ASCII form of the host: `{ascii}`")))
}
