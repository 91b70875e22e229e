//! Knows the rows that the script of the page of runs shows when somebody asks for some of them only.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::model::archive::{Archive, Entry};
use crate::model::findings::Findings;
use crate::view::row::row;
use crate::view::{Badge, Cell, Link};

/// A row, as short as it can be: an archive has many. The order is that of `runs.js`.
#[derive(Debug, Serialize)]
pub struct Row<'a>(
    /// The run: address relative to the site's root, and what it is called.
    (String, String),
    /// When it finished: for machines, and in full.
    (String, String),
    /// The case: address, name.
    (String, String),
    /// Version of the case.
    String,
    Cell,
    /// The model.
    (String, String),
    /// The harness.
    (String, String),
    /// State: word, tone.
    (String, &'static str),
    /// Rating: word, tone.
    (String, &'static str),
    /// Comparable cost.
    Cell,
    /// Run time.
    Cell,
    /// Events.
    Cell,
    /// Annotations.
    Cell,
    /// Threads.
    Cell,
    /// Annotations by kind.
    &'a BTreeMap<String, usize>,
);

/// The row of a run.
#[must_use]
pub fn of<'a>(archive: &Archive, entry: &Entry, findings: &'a Findings) -> Row<'a> {
    let row = row(archive, entry, findings, "", &[]);
    let link = |link: Link| (link.href, link.text);
    let badge = |badge: Badge| (badge.word, badge.tone);
    Row(
        (row.href, row.label),
        (row.finished.iso, row.finished.text),
        link(row.case),
        row.version,
        row.variant,
        link(row.model),
        link(row.harness),
        badge(row.state),
        badge(row.rating),
        row.comparable_cost,
        row.run_time,
        row.events,
        row.annotations,
        row.threads,
        &findings.annotations.0,
    )
}
