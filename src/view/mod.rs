//! Knows what a reader sees: one struct per page, fields already formatted. Templates see nothing else.

pub mod catalogue;
pub mod chrome;
pub mod format;
pub mod home;
pub mod links;
pub mod problems;
pub mod row;
pub mod run;
pub mod strip;
pub mod timeline;

use serde::Serialize;

/// A value that may be unknown; unknown is never 0.
#[derive(Debug, Clone, Serialize)]
pub struct Cell {
    /// What is shown; "—" when unknown.
    pub text: String,
    /// Why it is unknown, or a longer form; shown as a title.
    pub title: Option<String>,
    /// Whether there is a value.
    pub known: bool,
    /// What it sorts by; empty when unknown.
    pub sort: String,
}

impl Cell {
    /// A known value.
    #[must_use]
    pub fn known(text: impl Into<String>, sort: impl Into<String>) -> Self {
        Self { text: text.into(), title: None, known: true, sort: sort.into() }
    }

    /// An unknown value, and why it is.
    #[must_use]
    pub fn unknown(reason: impl Into<String>) -> Self {
        Self { text: "—".to_owned(), title: Some(reason.into()), known: false, sort: String::new() }
    }
}

/// A word with a colour and a shape.
#[derive(Debug, Clone, Serialize)]
pub struct Badge {
    /// The word of the format.
    pub word: String,
    /// `good`, `fair`, `poor`, `bad` or `none`.
    pub tone: &'static str,
}

/// Words that lead somewhere.
#[derive(Debug, Clone, Serialize)]
pub struct Link {
    /// The words.
    pub text: String,
    /// The address, relative to the page.
    pub href: String,
}

/// A moment.
#[derive(Debug, Clone, Serialize)]
pub struct When {
    /// For machines.
    pub iso: String,
    /// In full: `2026-03-01 10:00:00 UTC`.
    pub text: String,
    /// Only the day.
    pub date: String,
}

/// A name and what it is.
#[derive(Debug, Clone, Serialize)]
pub struct Fact {
    /// The name.
    pub name: String,
    /// The value.
    pub value: Cell,
    /// Whether it is a digest, a command or the like.
    pub code: bool,
}
