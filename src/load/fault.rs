//! Why a file was not read.

use crate::beneath;

/// The reason, as a clause, for a file that is not what it was a moment before.
pub(super) const CHANGED: &str = "it changed while it was being read";

/// Why a file was not read.
#[derive(Debug)]
pub(super) enum Fault {
    /// The reason, as a clause.
    Unreadable(String),
    /// It is a link to nothing.
    Dangling,
    /// It is a link that leads out of the folder.
    Outside,
    /// It is a link to a file that is published by rules of its own, or not at all.
    Withheld,
    /// Its size in bytes.
    TooLarge(u64),
    /// One of its lines is too long.
    LongLine(LongLine),
}

impl From<beneath::Fault> for Fault {
    fn from(fault: beneath::Fault) -> Self {
        match fault {
            beneath::Fault::Io(error) => Self::Unreadable(error.to_string()),
            beneath::Fault::Outside => Self::Outside,
            beneath::Fault::Dangling => Self::Dangling,
        }
    }
}

impl Fault {
    pub(super) fn of(error: &std::io::Error) -> Self {
        Self::Unreadable(error.to_string())
    }
}

/// A line that is longer than the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LongLine {
    /// Its number, from 1.
    pub(super) number: u32,
    /// Its length in bytes.
    pub(super) bytes: u64,
}
