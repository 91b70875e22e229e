//! The integration tests: small sites go in, console text, pages and feeds come out. See tests/README.md.
#![allow(
    clippy::case_sensitive_file_extension_comparisons,
    reason = "the names are those that runpress writes"
)]

mod annotations;
mod archive;
mod cli;
mod codes;
mod crawl;
mod determinism;
mod events;
mod feeds;
mod harn;
mod hostile;
mod house;
mod pagination;
mod publishing;
mod quarantine;
mod reconciliation;
mod records;
mod reports;
mod sidecars;
mod sizes;
mod support;
mod threads;
mod transcripts;
mod writeups;
