//! The rows that the script of the page of runs shows when somebody asks for some of them only.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::model::archive::{Archive, Entry};
use crate::model::findings::Findings;
use crate::view::row::row;
use crate::view::{Badge, Cell, DisplayTime, Link};

/// A row: its cells by the names that the columns of the table have (`data-col`).
#[derive(Debug, Serialize)]
pub struct Row<'a> {
    /// The run's part of addresses.
    slug: String,
    /// Kinds of its annotations.
    kinds: Vec<&'a String>,
    /// What is next to a cell in small print.
    small: BTreeMap<&'static str, String>,
    /// What a cell is sorted by, where that is not what it shows: its `data-v`.
    order: BTreeMap<&'static str, String>,
    #[serde(flatten)]
    cells: BTreeMap<&'static str, CellValue>,
}

/// What a cell shows, as the pages have it.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum CellValue {
    Link(Link),
    DisplayTime(DisplayTime),
    Badge(Badge),
    Cell(Cell),
}

/// The row of a run.
#[must_use]
pub fn of<'a>(archive: &Archive, entry: &Entry, findings: &'a Findings) -> Row<'a> {
    let row = row(archive, entry, findings, "", &[]);
    let run = Link::new(row.label, row.href);
    let rating = row.rating_order.map(|order| order.to_string());
    Row {
        slug: row.slug,
        kinds: findings.annotations.0.keys().collect(),
        small: [("case", row.version)].into(),
        order: [
            ("rating", rating.unwrap_or_default()),
            ("time", row.seconds),
        ]
        .into(),
        cells: [
            ("run", CellValue::Link(run)),
            ("finished", CellValue::DisplayTime(row.finished)),
            ("case", CellValue::Link(row.case)),
            ("variant", CellValue::Cell(row.variant)),
            ("model", CellValue::Link(row.model)),
            ("harness", CellValue::Link(row.harness)),
            ("state", CellValue::Badge(row.state)),
            ("rating", CellValue::Badge(row.rating)),
            ("cost", CellValue::Cell(row.comparable_cost)),
            ("time", CellValue::Cell(row.run_time)),
            ("events", CellValue::Cell(row.events)),
            ("annotations", CellValue::Cell(row.annotations)),
            ("threads", CellValue::Cell(row.threads)),
        ]
        .into(),
    }
}
