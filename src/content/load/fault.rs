//! Reasons why a file could not be read.

use base::beneath;

/// The reason, as a clause, for a file that changed between two reads.
pub(super) const CHANGED: &str = "it changed while it was being read";

/// Why a file could not be read.
#[derive(Debug)]
pub(super) enum Fault {
    /// The reason, as a clause.
    Unreadable(String),
    /// A link to a missing file.
    Dangling,
    /// A link that leads out of the folder.
    Outside,
    /// A link to a file that has its own publishing rules, or is never published.
    Withheld,
    /// Its size in bytes.
    TooLarge(u64),
    /// A line is too long.
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

/// A line over the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LongLine {
    /// Its number, from 1.
    pub(super) number: u32,
    /// Its length in bytes.
    pub(super) bytes: u64,
}
