//! Knows the rows that the script of the page of runs shows when somebody asks for some of them only.

use std::collections::BTreeMap;
use std::ops::Not;

use serde::Serialize;

use crate::model::archive::{Archive, Entry};
use crate::model::findings::Findings;
use crate::view::row::row;
use crate::view::{Badge, Cell, Link};

/// A row: its cells by the names that the columns of the table have (`data-col`).
#[derive(Debug, Serialize)]
pub struct Row<'a> {
    /// The run's part of addresses.
    slug: String,
    /// Kinds of its annotations.
    kinds: Vec<&'a String>,
    #[serde(flatten)]
    cells: BTreeMap<&'static str, Shown>,
}

/// What a cell shows.
#[derive(Debug, Default, Serialize)]
struct Shown {
    text: String,
    /// Where it leads, relative to the site's root.
    #[serde(skip_serializing_if = "Option::is_none")]
    href: Option<String>,
    /// Tone of a badge.
    #[serde(skip_serializing_if = "Option::is_none")]
    tone: Option<&'static str>,
    /// A time, for machines.
    #[serde(skip_serializing_if = "Option::is_none")]
    iso: Option<String>,
    /// A longer form, or why it is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(skip_serializing_if = "Not::not")]
    unknown: bool,
    /// What is beside it in small print.
    #[serde(skip_serializing_if = "Option::is_none")]
    small: Option<String>,
    /// What it is sorted by, where that is not the text: as `data-v` on the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    v: Option<String>,
}

impl From<Cell> for Shown {
    fn from(cell: Cell) -> Self {
        match cell {
            Cell::Plain(text) => Self {
                text,
                ..Self::default()
            },
            Cell::Titled { text, title, known } => Self {
                text,
                title: Some(title),
                unknown: !known,
                ..Self::default()
            },
        }
    }
}

impl From<Link> for Shown {
    fn from(link: Link) -> Self {
        Self {
            text: link.text,
            href: Some(link.href),
            ..Self::default()
        }
    }
}

impl From<Badge> for Shown {
    fn from(badge: Badge) -> Self {
        Self {
            text: badge.word,
            tone: Some(badge.tone),
            ..Self::default()
        }
    }
}

/// The row of a run.
#[must_use]
pub fn of<'a>(archive: &Archive, entry: &Entry, findings: &'a Findings) -> Row<'a> {
    let row = row(archive, entry, findings, "", &[]);
    let run = Link {
        text: row.label,
        href: row.href,
    };
    let finished = Shown {
        text: row.finished.date,
        iso: Some(row.finished.iso),
        title: Some(row.finished.text),
        ..Shown::default()
    };
    let order = row.rating_order.map(|order| order.to_string());
    let cells = [
        ("run", run.into()),
        ("finished", finished),
        (
            "case",
            Shown {
                small: Some(row.version),
                ..row.case.into()
            },
        ),
        ("variant", row.variant.into()),
        ("model", row.model.into()),
        ("harness", row.harness.into()),
        ("state", row.state.into()),
        (
            "rating",
            Shown {
                v: Some(order.unwrap_or_default()),
                ..row.rating.into()
            },
        ),
        ("cost", row.comparable_cost.into()),
        (
            "time",
            Shown {
                v: Some(row.seconds),
                ..row.run_time.into()
            },
        ),
        ("events", row.events.into()),
        ("annotations", row.annotations.into()),
        ("threads", row.threads.into()),
    ];
    Row {
        slug: row.slug,
        kinds: findings.annotations.0.keys().collect(),
        cells: cells.into(),
    }
}
