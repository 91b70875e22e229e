//! Knows the command line: every command and option, with its help.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use runpress::url::HttpUrl;

pub(crate) mod author;
pub(crate) mod build;
pub(crate) mod console;
pub(crate) mod lookup;
pub(crate) mod paths;
pub(crate) mod serve;
pub(crate) mod shell;

/// The content has errors; nothing was published.
const CONTENT_ERRORS: u8 = 1;
/// Usage, site.toml, I/O or templates.
const COULD_NOT_RUN: u8 = 2;

/// Options of every command stand apart in its help.
const GLOBAL: &str = "Options of every command";

/// Turns a folder of recorded agent runs into a website and feeds.
#[derive(Debug, Parser)]
#[command(
    name = "runpress",
    version = env!("RUNPRESS_VERSION"),
    arg_required_else_help = true,
    max_term_width = 100
)]
pub(crate) struct Cli {
    /// The site's root, where site.toml is [default: the current directory or the nearest parent that has one]
    #[arg(long, global = true, help_heading = GLOBAL, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,
    /// When to colour the output
    #[arg(long, global = true, help_heading = GLOBAL, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: Color,
    /// Show notes as well as errors and warnings
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
    /// Check everything, render the site and swap it in
    Build {
        #[command(flatten)]
        input: Input,
        /// The output folder [default: `[build] out` of site.toml]
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
        /// Where the site will stand [default: `[site] base_url` of site.toml]
        #[arg(long, value_name = "URL", value_parser = base_url)]
        base_url: Option<HttpUrl>,
        /// The site to compare with: what it has, this build changes [default: the site in the output folder]
        #[arg(long, value_name = "DIR")]
        previous: Option<PathBuf>,
        /// Read nothing of that site but its ledger: the content and the ledger alone decide what is written
        #[arg(long)]
        fresh: bool,
        /// Write the runs, events and annotations as tables, too, partitioned by case
        #[arg(long, value_name = "parquet=DIR", value_parser = export)]
        export: Option<PathBuf>,
    },
    /// Check everything as a build would, and write nothing
    Check {
        #[command(flatten)]
        input: Input,
        /// Where the site will stand [default: `[site] base_url` of site.toml]
        #[arg(long, value_name = "URL", value_parser = base_url)]
        base_url: Option<HttpUrl>,
        /// The site that the build will be compared with [default: the site in the output folder]
        #[arg(long, value_name = "DIR")]
        previous: Option<PathBuf>,
    },
    /// Build, serve on this machine, and build and show again after every change
    Serve {
        #[command(flatten)]
        input: Input,
        /// The port on 127.0.0.1; 0 takes any [default: 4000, or the next that is free]
        #[arg(long, value_name = "N")]
        port: Option<u16>,
    },
    /// Make a working site with one sample run, ready to build
    New {
        /// A folder that is not there yet, or is empty
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
    /// Say something about an event of a run, in the sidecar of its tape
    Annotate(Annotate),
    /// List or print the JSON Schemas of what is read and published
    Schema {
        /// A name such as `run-record`; without one, all schemas are listed
        #[arg(value_name = "NAME")]
        name: Option<String>,
    },
    /// Say what a diagnostic means, with a bad and a good example
    Explain {
        /// A code such as `record.missing-field`; without one, all codes are listed
        #[arg(value_name = "CODE")]
        code: Option<String>,
    },
    /// Print the completion script of a shell
    Completions {
        /// The shell
        #[arg(value_name = "SHELL")]
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write one of each command into a folder
    Man {
        /// The folder
        #[arg(value_name = "DIR")]
        folder: Option<PathBuf>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Input {
    /// A content root; replaces those of site.toml, and may be given several times
    #[arg(long, value_name = "DIR")]
    pub(crate) content: Vec<PathBuf>,
    /// How many threads work [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) jobs: Option<u16>,
    /// Publish pages whose front matter says `draft = true`
    #[arg(long)]
    pub(crate) drafts: bool,
    /// Publish the valid runs and quarantine the rest
    #[arg(long)]
    pub(crate) keep_going: bool,
    /// Take warnings and quarantined runs as failures
    #[arg(long, value_name = "WHAT")]
    pub(crate) deny: Option<Deny>,
    /// How problems are reported: human, json, github, sarif, junit or markdown, with `=FILE` into a file; may be given several times
    #[arg(long, value_name = "FORMAT[=FILE]", value_parser = report)]
    pub(crate) report: Vec<Report>,
    /// Say how long each step took
    #[arg(long)]
    pub(crate) timings: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Annotate {
    /// The run: the path of its folder, its id, or the last part of its address
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
    /// The tape, for example `events.jsonl`; needed when the run has several
    #[arg(long, value_name = "FILE")]
    pub(crate) tape: Option<String>,
    /// The number of the event
    #[arg(
        long,
        value_name = "N",
        required_unless_present = "rehash",
        allow_negative_numbers = true
    )]
    pub(crate) event: Option<u64>,
    /// `correct`, `incorrect`, `alternative`, `note`, `marker`, `mute`, `hypothesis`, `friction` or `crystallize_here`
    #[arg(long, value_name = "KIND", required_unless_present = "rehash")]
    pub(crate) kind: Option<String>,
    /// What was seen, in Markdown
    #[arg(long, value_name = "TEXT")]
    pub(crate) evidence: Option<String>,
    /// Words of the event, to the letter: they prove that it is the one that is meant
    #[arg(long, value_name = "TEXT")]
    pub(crate) quote: Option<String>,
    /// The last event that it covers
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) span_end: Option<u64>,
    /// Where a hypothesis stands: `active`, `verifying`, `confirmed`, `disproven` or `stale`
    #[arg(long, value_name = "STATUS")]
    pub(crate) hypothesis_status: Option<String>,
    /// What got in the way; `runpress explain annotation.friction-kind-unknown` lists the kinds
    #[arg(long, value_name = "KIND")]
    pub(crate) friction_kind: Option<String>,
    /// Who says it: a name or handle that may be published [default: nobody is named]
    #[arg(long, value_name = "ID", value_parser = author_id)]
    pub(crate) author: Option<String>,
    /// What the author is
    #[arg(
        long,
        value_name = "KIND",
        requires = "author",
        default_value = "human"
    )]
    pub(crate) author_kind: AuthorKind,
    /// After a change of the tape: show what each annotation points at, and write the tape's new hash into the header
    #[arg(long, conflicts_with_all = ["event", "kind", "evidence", "quote", "span_end", "hypothesis_status", "friction_kind", "author"])]
    pub(crate) rehash: bool,
    /// With `--rehash`: the tape as it was, to show what each annotation pointed at before
    #[arg(long, value_name = "FILE", requires = "rehash", conflicts_with_all = ["event", "kind"])]
    pub(crate) before: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AuthorKind {
    Human,
    Agent,
    System,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Deny {
    Warnings,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Human,
    Json,
    Github,
    Sarif,
    Junit,
    Markdown,
}

/// A report; without a file it goes to standard output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Report {
    pub(crate) format: Format,
    pub(crate) file: Option<PathBuf>,
}

fn report(text: &str) -> Result<Report, String> {
    let (format, file) = text
        .split_once('=')
        .map_or((text, None), |(format, file)| (format, Some(file)));
    let format = match format {
        "human" => Format::Human,
        "json" => Format::Json,
        "github" => Format::Github,
        "sarif" => Format::Sarif,
        "junit" => Format::Junit,
        "markdown" => Format::Markdown,
        _ => {
            return Err(format!(
                "`{format}` is not a report format; the formats are `human`, `json`, `github`, `sarif`, `junit` and `markdown`"
            ));
        }
    };
    if file == Some("") {
        return Err("the file's name is missing after `=`".to_owned());
    }
    Ok(Report {
        format,
        file: file.map(PathBuf::from),
    })
}

fn author_id(text: &str) -> Result<String, String> {
    if text.trim().is_empty() {
        return Err("write a name or handle, or leave `--author` out".to_owned());
    }
    Ok(text.to_owned())
}

/// The folder of an export.
fn export(text: &str) -> Result<PathBuf, String> {
    let folder = text
        .strip_prefix("parquet=")
        .filter(|folder| !folder.is_empty())
        .ok_or_else(|| "write `parquet=` and a folder".to_owned())?;
    if cfg!(feature = "parquet") {
        Ok(PathBuf::from(folder))
    } else {
        Err("this program was compiled without it; compile it with `--features parquet`".to_owned())
    }
}

fn base_url(text: &str) -> Result<HttpUrl, String> {
    HttpUrl::base(text)
        .ok_or_else(|| "write `https://example.org/runs/`, without query and fragment, and without `//`, `.` and `..` in its path".to_owned())
}
