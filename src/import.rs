//! [edge] How logs of other systems become run folders: `runpress import`.
//!
//! ```text
//!  path ─► sniff ─► Source ─► Importer ─► Draft (a record and events) ─► clean ─► written or compared ─► report
//! ```
//!
//! An importer turns bytes into drafts and knows nothing else: what a run folder looks like, what ids are derived from, which
//! names and paths are replaced and what was imported before is decided here, once for all formats. A source is never changed
//! and never run; no network, no clock and no price list is asked, so that the same bytes give the same files everywhere.

use crate::diagnostics::{Code, Diagnostic, Place};

mod agents;
mod asset;
mod atif;
mod blocks;
mod calls;
mod claude_code;
mod clean;
mod codex;
mod diff;
mod document;
mod draft;
mod harbor;
mod inspect;
mod keep;
mod loose;
mod mini_swe_agent;
mod openhands;
mod report;
mod run;
mod shared;
mod sniff;
mod source;
mod store;
mod swe_agent;
#[cfg(test)]
mod testing;
mod time;
mod units;
mod usage;

pub use document::Named;
pub use draft::{
    Agent, Draft, Event, Id, Identity, Origin, Outcome, Record, Tokens, What, Withheld,
};
pub use report::{Change, Report};
pub use run::{Request, Said, find, import};
pub use source::{Archive, File, HEAD, Known, Source};

/// Every format that can be imported, in the order of `--list`: add yours in the order of atif, harbor, claude-code, codex, inspect,
/// mini-swe-agent, swe-agent, openhands.
pub static IMPORTERS: &[&dyn Importer] = &[
    &atif::Atif,
    &harbor::Harbor,
    &claude_code::ClaudeCode,
    &codex::Codex,
    &inspect::Inspect,
    &mini_swe_agent::MiniSweAgent,
    &swe_agent::SweAgent,
    &openhands::OpenHands,
];

/// A format that can be imported.
pub trait Importer: Sync {
    /// Its name, as in `--format` and in what is written.
    fn format(&self) -> &'static str;

    /// Version of what this importer makes of a source: one more whenever the same bytes give other events.
    fn version(&self) -> u32 {
        1
    }

    /// Reads the runs of a source, one after the other: `each` takes one and drops it before the next is made. A run that cannot
    /// be read is given as a problem, and the next one is read.
    fn read(
        &self,
        source: &Source,
        options: &Options,
        each: &mut dyn FnMut(Result<Draft, Problem>),
    );
}

/// What the user asked for, as far as importers need to know it.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// What is copied though it is left out by default.
    pub keep: Vec<Keep>,
    /// Whether readable reasoning is left out.
    pub no_reasoning: bool,
    /// Whether each sample of a log of Inspect is a case of its own; else its task is the case.
    pub case_per_sample: bool,
}

impl Options {
    /// Whether this is copied.
    pub fn keeps(&self, what: Keep) -> bool {
        self.keep.contains(&what)
    }
}

/// What is left out or replaced by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// Prompts of the system and of developers, injected context, summaries of compactions.
    Prompts,
    /// Images and other binary attachments.
    Images,
    /// Contents of files beside an edit; the diff is always copied.
    Files,
    /// The frames of tracebacks; type and message are always copied.
    Tracebacks,
    /// Absolute paths.
    Paths,
    /// Names of users and hosts, addresses, credentials in addresses of repositories.
    Identity,
}

impl Keep {
    /// Each with its name in `--keep`.
    pub const ALL: [(Self, &'static str); 6] = [
        (Self::Prompts, "prompts"),
        (Self::Images, "images"),
        (Self::Files, "files"),
        (Self::Tracebacks, "tracebacks"),
        (Self::Paths, "paths"),
        (Self::Identity, "identity"),
    ];
}

/// Why a run was not imported, or not all of it.
pub type Problem = Box<Diagnostic>;

/// A problem of a whole file.
fn problem(
    code: &'static Code,
    file: &str,
    message: impl Into<String>,
    help: impl Into<String>,
) -> Problem {
    Box::new(code.at(Place::file(file), message, help))
}
