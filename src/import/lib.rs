//! (edge) Turns logs of other systems into run directories: `runpress import`.
//!
//! ```text
//!  path ─► sniff ─► LogSource ─► Importer ─► Draft (a record and events) ─► clean ─► written or compared ─► report
//! ```
//!
//! An importer only turns bytes into drafts; it reads rows of JSON with the cursor `Row`. The layout of run directories, the derivation
//! of ids, the replaced names and paths, and the detection of earlier imports are implemented here, once for all formats. A source
//! is never changed or executed. No network, clock or price list is used, so the same bytes give the same files everywhere.
//!
//! For a format without an importer, `command` runs a command of the user for each file, and `adapter` makes drafts of what it
//! prints. `conformance` checks such a command. Only `command` reads a clock, for its time limit.

use base::diagnostics::{Code, Diagnostic, Place};

mod adapter;
mod agents;
mod assets;
mod atif;
mod calls;
mod chat;
mod claude_code;
mod clean;
mod codex;
mod command;
mod conformance;
mod diff;
mod discover;
mod document;
mod draft;
mod harbor;
mod injected;
mod inspect;
mod message_content;
mod messages;
mod mini_swe_agent;
mod openhands;
mod raw_json;
mod report;
mod row;
mod run;
mod shared;
mod shared_page;
mod sniff;
mod source;
mod store;
mod swe_agent;
mod time;
mod usage;

pub use adapter::runs as adapter_runs;
pub use command::Adapter;
pub use conformance::{SampleReport, check as check_adapter};
pub use document::RunDefaults;
pub use draft::{
    AdapterOutcome, Draft, DraftEvent, EventContent, Origin, PrivateNames, RecordDraft,
    RunIdSource, Tokens, TraceAgent,
};
pub use report::{ImportResult, RunReport};
pub use run::{ImportEvent, REPEATED, Request, find, import};
pub use shared_page::{RestoredRun, SharedPage};
pub use source::{FileDigest, HEAD, LogArchive, LogFile, LogSource};

/// Every supported format, in the order of `--list`. Add new ones in the order of atif, harbor, claude-code, codex, inspect,
/// mini-swe-agent, swe-agent, openhands, messages.
pub static IMPORTERS: [Importer; 9] = [
    importer("atif", 1, atif::runs),
    importer("harbor", 1, harbor::runs),
    importer("claude-code", 1, claude_code::runs),
    importer("codex", 1, codex::runs),
    importer("inspect", 1, inspect::runs),
    importer("mini-swe-agent", 1, mini_swe_agent::runs),
    importer("swe-agent", 1, swe_agent::runs),
    importer("openhands", 1, openhands::runs),
    importer("messages", 1, messages::runs),
];

/// An importer of one format.
#[derive(Debug)]
pub struct Importer {
    /// Its name, as in `--format` and in written files.
    pub format: &'static str,
    /// Version of the output of this importer. Increment it whenever the same bytes give different events.
    pub version: u32,
    /// Reads the runs of a source one by one. A run that cannot be read is passed as a problem, and reading continues.
    pub runs: fn(&LogSource, &ImportOptions, EachRun<'_>),
}

impl Importer {
    /// The importer as records and traces name it.
    fn in_trace(&self) -> formats::trace::Importer {
        formats::trace::Importer {
            format: self.format.to_owned(),
            version: self.version,
        }
    }
}

/// Receives each run of a source, and drops it before the next is read.
pub type EachRun<'a> = &'a mut dyn FnMut(Result<Draft, Problem>);

const fn importer(
    format: &'static str,
    version: u32,
    runs: fn(&LogSource, &ImportOptions, EachRun<'_>),
) -> Importer {
    Importer {
        format,
        version,
        runs,
    }
}

/// The user's options for importers.
#[derive(Debug, Clone, Default)]
pub struct ImportOptions {
    /// Content to copy that is left out by default.
    pub keep: Vec<Keep>,
    /// Whether to leave out readable reasoning.
    pub no_reasoning: bool,
    /// Whether each sample of an Inspect log is a case of its own; otherwise its task is the case.
    pub case_per_sample: bool,
}

impl ImportOptions {
    /// Whether to copy this content.
    pub fn keeps(&self, what: Keep) -> bool {
        self.keep.contains(&what)
    }
}

/// Content that is left out or replaced by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// System and developer prompts, injected context, compaction summaries.
    Prompts,
    /// Images and other binary attachments.
    Images,
    /// Contents of files next to an edit; the diff is always copied.
    Files,
    /// Traceback frames; type and message are always copied.
    Tracebacks,
    /// Absolute paths.
    Paths,
    /// User and host names, e-mail addresses, credentials in repository URLs.
    Identity,
}

impl Keep {
    /// All of them, with their names in `--keep`.
    pub const ALL: [(Self, &'static str); 6] = [
        (Self::Prompts, "prompts"),
        (Self::Images, "images"),
        (Self::Files, "files"),
        (Self::Tracebacks, "tracebacks"),
        (Self::Paths, "paths"),
        (Self::Identity, "identity"),
    ];
}

/// The reason that a run was not imported, or only in part.
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
