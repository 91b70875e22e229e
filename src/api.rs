//! Reexports for the binary, the tests, the benchmarks and the fuzz targets, by module. Everything else is private to the
//! crate, so that the compiler reports unused code. Not a stable interface.

#![allow(missing_docs, reason = "each is documented where it comes from")]

pub mod author {
    pub use crate::author::{
        AnnotationAuthor, Metadata, NewAnnotation, Outcome, Reason, Redact, Refusal, Span, Target,
        annotate, redact, rehash, reveal_proof, starter, undo, validate,
    };
}
pub mod characters {
    pub use crate::characters::each;
}
pub mod config {
    pub use crate::config::{Config, FILE_NAME, parse};
}
pub mod diagnostics {
    pub use crate::diagnostics::{
        Code, Diagnostic, PER_FILE, Place, Severity, SeverityCounts, Source, codes, github, human,
        json, junit, sarif, sort, text, without_mark,
    };
}
pub mod discover {
    pub use crate::discover::{RunDirectory, Shard, discover};
}
pub mod feeds {
    pub use crate::feeds::{report, transcript};
}
pub mod formats {
    pub use crate::formats::{
        events, json, page, raw, reader, redactions, run_record, sidecar, tape, threads, trace,
        transcript, withdrawn, writeup,
    };
}
pub mod import {
    pub use crate::import::*;
}
pub mod inspect {
    pub use crate::inspect::{files, record};
}
pub mod ledger {
    pub use crate::ledger::Build;
}
pub mod links {
    pub use crate::links::{RunFolders, Slug};
}
pub mod load {
    pub use crate::load::{Beside, Loaded, Redactions, WorkingFile, prose, record, run};
}
pub mod markup {
    pub use crate::markup::{Origin, markdown};
}
pub mod model {
    pub use crate::model::{review, tape, threads, transcript};
}
pub mod pictures {
    pub use crate::pictures::Size;
}
pub mod pipeline {
    pub use crate::pipeline::{NoProgress, Outcome, Progress};
}
pub mod publish {
    pub use crate::publish::Stage;
}
pub mod render {
    pub use crate::render::{card, timeline};
}
pub mod rules {
    pub use crate::rules::{markdown, record, review, sidecar, tape, threads, trace};
}
pub mod schema {
    pub use crate::schema::{ALL, Describes, find};
}
pub mod secrets {
    pub use crate::secrets::{Finding, Settings, scan, scan_name};
}
#[cfg(feature = "serve")]
pub mod serve {
    pub use crate::serve::{Change, NotServed, PORT, Server, Watcher};
}
pub mod site {
    pub use crate::site::{Overrides, Site};
}
pub mod url {
    pub use crate::url::{HttpUrl, is_host, is_site_path, with_ascii_host};
}
pub mod view {
    pub use crate::view::{axis, card, density, format, strip, summary, timeline};
}
