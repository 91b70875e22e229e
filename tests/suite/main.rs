//! The integration tests: small sites go in, console text, pages and feeds come out. See tests/README.md.
#![allow(
    clippy::case_sensitive_file_extension_comparisons,
    reason = "the names are those that runpress writes"
)]

mod agreement;
mod annotations;
mod architecture;
mod archive;
mod audit;
mod author;
mod author_new;
mod author_rehash;
mod canary;
mod cards;
mod cells;
mod changes;
mod citations;
mod cli;
mod codes;
mod compare;
mod crawl;
mod decisions;
mod determinism;
mod downloads;
mod events;
mod expected;
mod facets;
mod features;
mod feed_tables;
mod feeds;
mod first_screen;
mod folds;
mod full_run;
#[path = "../../fuzz/targets/mod.rs"]
#[allow(
    unreachable_pub,
    reason = "the module is a crate of its own for the fuzzer"
)]
mod fuzz_targets;
mod fuzzing;
mod generate;
mod growth;
mod harn;
mod harn_versions;
mod home;
mod hostile;
mod house;
mod implementation;
mod import;
mod incremental;
mod linked;
mod markup;
mod misspelled;
mod moments;

mod mutate;
mod mutations;
mod mutes;
mod navigation;
mod outcomes;
mod pagination;
mod pictures;
mod plots;
mod portable;
mod publishing;
mod quarantine;
mod readers;
mod reasoning;
mod reconciliation;
mod records;
mod redactions;
mod redactions_fields;
mod reports;
mod room;
mod round_trips;
mod rules;
mod schemas;
mod scripts;
mod search;
mod secrets;
#[cfg(feature = "serve")]
mod serve;
mod settings;
mod shards;
mod share;
mod sidecars;
mod sizes;
mod stated_hashes;
mod story;
mod support;
mod syndication;
mod tables;
mod theme;
mod threads;
mod traces;
mod transcripts;
mod twenty_breaks;
mod verify;
mod words;
mod writeups;
