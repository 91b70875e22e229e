//! What pages share: formatted values and sections. A page with its template is in `pipeline/lists` or `pipeline/run`.

pub mod annotations;
pub mod audit;
pub mod chrome;
pub mod citation;
pub mod compare;
pub mod contribution;
pub mod data;
pub mod decisions;
pub mod discussion;
pub mod format;
pub mod markdown;
pub mod matrix;
pub mod outcomes;
pub mod peers;
pub mod reconciliation;
pub mod reliability;
pub mod row;
pub mod rules;
pub mod run;
pub mod section_budget;
pub mod summary;
pub mod task;
pub mod timeline;
pub mod tree;
pub mod trials;
pub mod wall;

use serde::Serialize;

use base::links;
use formats::model::archive::{ArchiveGroup, GroupBy};

/// A value that may be unknown, which is never 0. Templates see plain values as strings, since tables have many.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub enum Cell {
    /// A known value.
    Plain(String),
    /// A known value with a title, or an unknown one.
    Titled {
        /// The text shown; "—" if unknown.
        text: String,
        /// A longer form, or why it is unknown.
        title: String,
        known: bool,
    },
}

impl Cell {
    /// A known value.
    pub fn known(text: impl Into<String>) -> Self {
        Self::Plain(text.into())
    }

    /// A known value with a longer form.
    pub fn titled(text: impl Into<String>, title: impl Into<String>) -> Self {
        Self::Titled {
            text: text.into(),
            title: title.into(),
            known: true,
        }
    }

    /// An unknown value, with the reason.
    pub fn unknown(reason: impl Into<String>) -> Self {
        Self::Titled {
            text: "—".to_owned(),
            title: reason.into(),
            known: false,
        }
    }

    pub fn text(&self) -> &str {
        match self {
            Self::Plain(text) | Self::Titled { text, .. } => text,
        }
    }
}

/// A word with a color and a shape.
#[derive(Debug, Clone, Serialize)]
pub struct Badge {
    pub word: String,
    /// The word of the format, if different.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// `good`, `fair`, `poor`, `bad` or `none`; for a rating `r1` to `r8`.
    pub tone: &'static str,
}

impl Badge {
    pub fn new(word: impl Into<String>, tone: &'static str) -> Self {
        let (word, code) = (word.into(), None);
        Self { word, code, tone }
    }
}

#[derive(Debug, Clone, Serialize)]
pub struct Link {
    pub text: String,
    /// The address, relative to the page.
    pub href: String,
}

impl Link {
    pub fn new(text: impl Into<String>, href: impl Into<String>) -> Self {
        let (text, href) = (text.into(), href.into());
        Self { text, href }
    }

    /// A link to the page of a case, a model or a harness, from a page whose path to the root of the site is `root`.
    pub fn to_group(group_by: GroupBy, group: &ArchiveGroup, root: &str) -> Self {
        let path = links::group(group_by.folder(), &group.slug);
        Self::new(group.name.as_str(), format!("{root}{path}"))
    }
}

#[derive(Debug, Clone, Serialize)]
pub struct DisplayTime {
    /// For programs.
    pub iso: String,
    /// In full: `2026-03-01 10:00:00 UTC`.
    pub text: String,
    /// The date only.
    pub date: String,
}

impl DisplayTime {
    /// An unknown time: `iso` is empty.
    pub fn unknown() -> Self {
        Self {
            iso: String::new(),
            text: "unknown".to_owned(),
            date: "unknown".to_owned(),
        }
    }
}

/// A name and its value.
#[derive(Debug, Clone, Serialize)]
pub struct Fact {
    pub name: String,
    pub value: Cell,
    /// Whether it is a known digest, a command or the like.
    pub code: bool,
}

impl Fact {
    pub fn new(name: &str, value: Cell) -> Self {
        Self {
            name: name.to_owned(),
            value,
            code: false,
        }
    }

    /// A fact that is a digest, a command or the like.
    pub fn code(name: &str, value: Cell) -> Self {
        Self {
            code: matches!(value, Cell::Plain(_)),
            ..Self::new(name, value)
        }
    }
}
