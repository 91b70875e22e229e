//! The command line: all commands and options, with their help.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use runpress::api::import::Keep;
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
const COULD_NOT_RUN: u8 = 2;

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
        output: Output,
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
        output: Output,
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
        input: Input,
        #[command(flatten)]
        places: Places,
    },
    /// Check everything without writing anything
    Check {
        #[command(flatten)]
        input: Input,
        #[command(flatten)]
        places: Places,
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
        input: Input,
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
    /// Import logs of other systems as run folders
    Import(Import),
    /// Write one run as one HTML file, to send to somebody
    Share(Share),
    /// Annotate an event of a run
    Annotate(Annotate),
    /// Write down a decision about a run: whether it counts, or which outcome is corrected
    Decide(Decide),
    /// Withhold a text or a file of a run
    Redact(Redact),
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
pub(crate) struct Input {
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
    pub(crate) report: Vec<Report>,
    /// Show the time of each step and the size of each kind of file
    #[arg(long)]
    pub(crate) timings: bool,
}

/// Where the site is, and where it was.
#[derive(Debug, Args)]
pub(crate) struct Places {
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
pub(crate) struct Output {
    #[command(flatten)]
    pub(crate) input: Input,
    /// Output folder [default: `[build] out` of site.toml]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    places: Places,
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

impl Output {
    pub(crate) fn overrides(&self) -> Overrides {
        Overrides {
            out: self.out.clone(),
            fresh: self.fresh,
            export: self.export.clone().map(Export::Parquet),
            records: self.records.clone(),
            ..self.places.overrides()
        }
    }
}

impl Places {
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
    /// Head that the ledger must have
    #[arg(long, value_name = "HEX")]
    pub(crate) expected_head: Option<String>,
    /// Earlier copy that this one must continue
    #[arg(long, value_name = "DIR|URL")]
    pub(crate) since: Option<String>,
    /// Copy only N runs of the site at an address, chosen at random
    #[arg(long, value_name = "N")]
    pub(crate) sample: Option<usize>,
    /// Keep the copy of the site at an address in this folder, and continue it
    #[arg(long, value_name = "DIR")]
    pub(crate) keep: Option<PathBuf>,
    /// Report format: human, json, github or sarif; `=FILE` writes a file (repeatable)
    #[arg(long, value_name = "FORMAT[=FILE]", value_parser = verify_report)]
    pub(crate) report: Vec<Report>,
}

#[derive(Debug, Args)]
pub(crate) struct Import {
    /// Log, or folder of logs; sources are never changed
    #[arg(value_name = "PATH", required_unless_present = "list")]
    pub(crate) paths: Vec<PathBuf>,
    /// Format of the logs [default: known by their content]
    #[arg(long, value_name = "NAME")]
    pub(crate) format: Option<String>,
    /// Command that prints the runs of a path; see the page "Write an adapter"
    #[arg(long, value_name = "CMD", conflicts_with = "format")]
    pub(crate) from_command: Option<String>,
    /// Check such a command on the samples in PATH; import nothing
    #[arg(long, value_name = "CMD", conflicts_with_all = ["from_command", "format", "out", "update", "dry_run"])]
    pub(crate) check_adapter: Option<String>,
    /// Seconds that a command may take for a file
    #[arg(long, value_name = "SECONDS", default_value_t = 120, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub(crate) time_limit: u64,
    /// Folder for the run folders [default: `runs` in the first content root]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Name of the case, if the log has none
    #[arg(long, value_name = "NAME", value_parser = name)]
    pub(crate) case: Option<String>,
    /// Version of the case, if the log has none
    #[arg(long, value_name = "V", value_parser = name)]
    pub(crate) case_version: Option<String>,
    /// Case of a run of Inspect: its task, or each sample
    #[arg(long, value_name = "WHAT", default_value = "task", value_parser = ["task", "sample"])]
    pub(crate) case_per: String,
    /// Variant of the case [default: base]
    #[arg(long, value_name = "V", value_parser = name)]
    pub(crate) variant: Option<String>,
    /// Model, if the log has none
    #[arg(long, value_name = "ID", value_parser = name)]
    pub(crate) model: Option<String>,
    /// Harness, if the log has none
    #[arg(long, value_name = "NAME", value_parser = name)]
    pub(crate) harness: Option<String>,
    /// Copy what is left out by default: prompts, images, files, tracebacks, paths, identity
    #[arg(long, value_name = "WHAT", value_delimiter = ',', value_parser = import::keep)]
    pub(crate) keep: Vec<Keep>,
    /// Leave out readable reasoning
    #[arg(long)]
    pub(crate) no_reasoning: bool,
    /// Replace runs whose log changed
    #[arg(long)]
    pub(crate) update: bool,
    /// Show what would be imported; write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Report format
    #[arg(long, value_name = "FORMAT", default_value = "human", value_parser = ["human", "json"])]
    pub(crate) report: String,
    /// List the formats
    #[arg(long, conflicts_with = "paths")]
    pub(crate) list: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Share {
    /// Log, `-` for a log on standard input, or run folder
    #[arg(value_name = "LOG")]
    pub(crate) log: PathBuf,
    /// The file to write, `-` for standard output [default: named after the run, in the current directory]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Replace an existing file
    #[arg(long)]
    pub(crate) force: bool,
    /// Withhold every secret that is found in the log
    #[arg(long)]
    pub(crate) redact: bool,
    /// Id of the run, if the log has several
    #[arg(long, value_name = "ID")]
    pub(crate) run: Option<String>,
    /// Format of the log [default: known by its content]
    #[arg(long, value_name = "NAME")]
    pub(crate) format: Option<String>,
    /// Name of the case, if the log has none [default: session]
    #[arg(long, value_name = "NAME", value_parser = name)]
    pub(crate) case: Option<String>,
    /// Model, if the log has none
    #[arg(long, value_name = "ID", value_parser = name)]
    pub(crate) model: Option<String>,
    /// Harness, if the log has none
    #[arg(long, value_name = "NAME", value_parser = name)]
    pub(crate) harness: Option<String>,
    /// Copy what is left out by default: prompts, images, files, tracebacks, paths, identity
    #[arg(long, value_name = "WHAT", value_delimiter = ',', value_parser = import::keep)]
    pub(crate) keep: Vec<Keep>,
    /// Leave out readable reasoning
    #[arg(long)]
    pub(crate) no_reasoning: bool,
}

#[derive(Debug, Args)]
#[command(group(
    clap::ArgGroup::new("verb")
        .required(true)
        .args(["void", "disqualify", "restore", "include", "rescore"])
))]
pub(crate) struct Decide {
    /// Run: path of its folder, id, or slug
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
    /// The run does not count, because something outside of it went wrong
    #[arg(long)]
    pub(crate) void: bool,
    /// The run does not count, because it broke a rule
    #[arg(long)]
    pub(crate) disqualify: bool,
    /// Take back an earlier `void` or `disqualify`
    #[arg(long)]
    pub(crate) restore: bool,
    /// The run counts
    #[arg(long)]
    pub(crate) include: bool,
    /// Correct an outcome: its name and the value that counts
    #[arg(long, value_name = "NAME=VALUE", value_parser = name_and_value)]
    pub(crate) rescore: Option<(String, String)>,
    /// Why, in plain text
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: String,
    /// Number of the event that shows it
    #[arg(long, value_name = "N")]
    pub(crate) event: Option<u64>,
    /// Id of the rule that it is about
    #[arg(long, value_name = "ID")]
    pub(crate) rule: Option<String>,
    /// Name or handle of the author, published with the decision [default: `[site] author`]
    #[arg(long, value_name = "ID", value_parser = author_id)]
    pub(crate) author: Option<String>,
    /// Kind of author
    #[arg(long, value_name = "KIND", default_value = "human", value_parser = ["human", "agent", "system"])]
    pub(crate) author_kind: String,
}

fn name_and_value(text: &str) -> Result<(String, String), String> {
    let parts = text
        .split_once('=')
        .filter(|(name, _)| !name.trim().is_empty());
    let (name, value) = parts.ok_or("write it as `name=value`")?;
    Ok((name.to_owned(), value.to_owned()))
}

#[derive(Debug, Args)]
pub(crate) struct Annotate {
    /// Run: path of its folder, id, or slug
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
    /// Tape, such as `events.jsonl`; required if the run has several
    #[arg(long, value_name = "FILE")]
    pub(crate) tape: Option<String>,
    /// Event number
    #[arg(
        long,
        value_name = "N",
        required_unless_present_any = ["from", "rehash", "validate"],
        allow_negative_numbers = true
    )]
    pub(crate) event: Option<u64>,
    /// `correct`, `incorrect`, `alternative`, `note`, `marker`, `mute`, `hypothesis`, `friction` or `crystallize_here`
    #[arg(long, value_name = "KIND", required_unless_present_any = ["from", "rehash", "validate"])]
    pub(crate) kind: Option<String>,
    /// What you observed, in Markdown
    #[arg(long, value_name = "TEXT")]
    pub(crate) evidence: Option<String>,
    /// Exact words of the event, to detect when the tape changes
    #[arg(long, value_name = "TEXT")]
    pub(crate) quote: Option<String>,
    /// Last event of the span
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) span_end: Option<u64>,
    /// Status of a hypothesis: `active`, `verifying`, `confirmed`, `disproven` or `stale`
    #[arg(long, value_name = "STATUS")]
    pub(crate) hypothesis_status: Option<String>,
    /// Kind of friction; `runpress explain annotation.friction-kind-unknown` lists them
    #[arg(long, value_name = "KIND")]
    pub(crate) friction_kind: Option<String>,
    /// Name or handle of the author, published with the annotation [default: no author]
    #[arg(long, value_name = "ID", value_parser = author_id)]
    pub(crate) author: Option<String>,
    /// Kind of author
    #[arg(
        long,
        value_name = "KIND",
        requires = "author",
        default_value = "human",
        value_parser = ["human", "agent", "system"]
    )]
    pub(crate) author_kind: String,
    /// Findings of a scanner, as JSON Lines; `-` reads standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["rehash", "validate", "event", "kind", "evidence", "quote", "span_end", "hypothesis_status", "friction_kind", "author"])]
    pub(crate) from: Option<PathBuf>,
    /// Review the annotations of a changed tape, and update the hash in the sidecar
    #[arg(long, conflicts_with_all = ["event", "kind", "evidence", "quote", "span_end", "hypothesis_status", "friction_kind", "author"])]
    pub(crate) rehash: bool,
    /// With `--rehash`: the tape before the change, for comparison
    #[arg(long, value_name = "FILE", requires = "rehash", conflicts_with_all = ["event", "kind"])]
    pub(crate) before: Option<PathBuf>,
    /// Print Harn's validation report of the sidecar as JSON; write nothing
    #[arg(long, conflicts_with_all = ["rehash", "event", "kind", "evidence", "quote", "span_end", "hypothesis_status", "friction_kind", "author"])]
    pub(crate) validate: bool,
}

#[derive(Args)]
#[command(group = clap::ArgGroup::new("what").required(true).args(["quote", "whole", "finding", "all", "undo"]))]
pub(crate) struct Redact {
    /// Run: path of its folder, id, or slug
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
    /// Event number
    #[arg(long, value_name = "N", requires = "quote")]
    pub(crate) event: Option<u64>,
    /// Tape, such as `events.jsonl`; required if the run has several
    #[arg(long, value_name = "FILE", requires = "event", conflicts_with = "file")]
    pub(crate) tape: Option<String>,
    /// File, as a path from the folder of the run
    #[arg(long, value_name = "FILE", conflicts_with_all = ["event", "finding", "all", "undo"])]
    pub(crate) file: Option<String>,
    /// JSON pointer of the value, such as `/command`
    #[arg(long, value_name = "P", requires = "quote")]
    pub(crate) pointer: Option<String>,
    /// Exact words to withhold; `-` reads standard input
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) quote: Option<String>,
    /// Withhold the whole file
    #[arg(long, requires = "file")]
    pub(crate) whole: bool,
    /// Withhold what a check reported, by its fingerprint
    #[arg(long, value_name = "FINGERPRINT")]
    pub(crate) finding: Option<String>,
    /// Withhold every secret that a check reports
    #[arg(long)]
    pub(crate) all: bool,
    /// Remove a redaction, by its id
    #[arg(long, value_name = "ID", conflicts_with_all = ["reason", "note", "by", "at"])]
    pub(crate) undo: Option<String>,
    /// Why it is withheld [default: by the rule of a finding]
    #[arg(
        long,
        value_name = "REASON",
        required_unless_present_any = ["finding", "all", "undo"],
        value_parser = ["secret", "personal", "copyright", "contamination", "other"]
    )]
    pub(crate) reason: Option<String>,
    /// The reason in words, published; required for `other`
    #[arg(long, value_name = "TEXT")]
    pub(crate) note: Option<String>,
    /// Who withholds it; not published
    #[arg(long, value_name = "NAME")]
    pub(crate) by: Option<String>,
    /// Time, RFC 3339 [default: now]
    #[arg(long, value_name = "TIME")]
    pub(crate) at: Option<String>,
    /// Show what would be withheld; write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// Leaves out the text to withhold.
impl std::fmt::Debug for Redact {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Redact")
            .field("run", &self.run)
            .finish_non_exhaustive()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Human,
    Json,
    Github,
    Sarif,
    Junit,
    Markdown,
}

/// A report; printed to standard output if it has no file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Report {
    pub(crate) format: Format,
    pub(crate) file: Option<PathBuf>,
}

fn report(text: &str) -> Result<Report, String> {
    let (format, file) = text
        .split_once('=')
        .map_or((text, None), |(format, file)| (format, Some(file)));
    let format = Format::from_str(format, false).map_err(|_| {
        format!(
            "`{format}` is not a report format; use `human`, `json`, `github`, `sarif`, `junit` or `markdown`"
        )
    })?;
    if file == Some("") {
        return Err("missing file name after `=`".to_owned());
    }
    Ok(Report {
        format,
        file: file.map(PathBuf::from),
    })
}

fn verify_report(text: &str) -> Result<Report, String> {
    match report(text)? {
        Report {
            format: Format::Junit | Format::Markdown,
            ..
        } => Err("use `human`, `json`, `github` or `sarif`".to_owned()),
        report => Ok(report),
    }
}

fn author_id(text: &str) -> Result<String, String> {
    if text.trim().is_empty() {
        return Err("write a name or handle, or omit `--author`".to_owned());
    }
    Ok(text.to_owned())
}

/// Parses a name for a record.
fn name(text: &str) -> Result<String, String> {
    if text.trim().is_empty() {
        return Err("write a name".to_owned());
    }
    Ok(text.to_owned())
}

/// Parses the folder of an export.
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
