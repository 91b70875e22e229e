//! Reexports for the binary, the tests, the benchmarks and the fuzz targets, by module. Not a stable interface.

pub mod author {
    pub use author::{
        AuthorKind, DecisionKind, Metadata, NamedAuthor, NewAnnotation, NewDecision,
        RedactionReason, RedactionRequest, RedactionTarget, Refusal, RehashOutcome, Span, annotate,
        annotate_from, decide, own_author, raw, redact, rehash, reveal_proof, starter, undo,
        validate,
    };
}
pub mod characters {
    pub use base::characters::classify;
}
pub mod config {
    pub use formats::config::{Config, FILE_NAME, Pattern, parse};
}
pub mod diagnostics {
    pub use base::diagnostics::{
        Code, Diagnostic, PER_FILE, Place, Severity, SeverityCounts, Source, codes, github, human,
        json, junit, sarif, sort, text, without_mark,
    };
}
pub mod discover {
    pub use content::discover::{RunDirectory, Shard, discover, run_at};
}
pub mod draw {
    pub use pages::draw::{axis, card, density, strip};
}
pub mod feeds {
    pub use pages::feeds::transcript;
}
pub mod formats {
    pub use formats::*;
}
pub mod gate {
    pub use gate::Rules;
}
pub mod import {
    pub use import::*;
}
pub mod inspect {
    pub use content::inspect::{files, record};
}
pub mod ledger {
    pub use store::ledger::BuildChanges;
}
pub mod links {
    pub use base::links::{RunFolders, Slug};
}
pub mod load {
    pub use content::load::{LoadedFile, RunFiles, WorkingFile, prose, record, run};
}
pub mod markup {
    pub use markup::{MarkdownOrigin, markdown};
}
pub mod model {
    pub use formats::model::{review, tape, threads, transcript};
}
pub mod pictures {
    pub use base::pictures::ImageSize;
}
pub mod pipeline {
    pub use pipeline::{NoProgress, Outcome, Progress, SharedRun, share, task_of};
}
pub mod publish {
    pub use store::publish::Stage;
}
pub mod render {
    pub use pages::render::timeline;
}
pub mod rules {
    pub use content::rules::*;
}
pub mod schema {
    pub use pages::schema::{ALL, SchemaSubject, find};
}
pub mod secrets {
    pub use secrets::{Finding, ScanSettings, scan};
}
#[cfg(feature = "serve")]
pub mod serve {
    pub use serve::{Change, PORT, ServeError, Server, Watcher};
}
pub mod site {
    pub use pipeline::site::{Export, Overrides, Site};
}
pub mod url {
    pub use base::url::{HttpUrl, is_host, is_site_path, with_ascii_host};
}
#[cfg(feature = "verify")]
pub mod verify {
    pub use verify::{Continuation, Download, Verification, VerifyOptions, verify};
}
pub mod view {
    pub use pages::view::{format, summary, timeline};
}
