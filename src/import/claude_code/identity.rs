//! Finds out which session a file is. A fork copies the rows of its original, which keep the id of that session.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::super::raw_json;
use super::super::row::Row;
use super::super::source::LogFile;
use super::tree::{self, RowId};
use super::{PARENT, SESSION};

/// The session of a file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct SessionIdentity {
    /// Its id: that of its own rows, which is also the name of the file.
    pub(super) session: Option<String>,
    /// The session that its first rows were copied from, and its own first row.
    pub(super) copied: Option<ForkPoint>,
}

/// The end of the rows that a fork copied.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ForkPoint {
    /// The session that wrote them.
    pub(super) original: String,
    /// The first row after them.
    pub(super) first_own: RowId,
}

impl SessionIdentity {
    /// Reads a file of rows. Only rows with an id count: others, such as settings, are written again when a session goes on.
    pub(super) fn of(file: &LogFile<'_>) -> Self {
        let base = file.name.rsplit('/').next().unwrap_or(file.name);
        let stem = base
            .split('.')
            .next()
            .filter(|stem| raw_json::is_uuid(stem));
        let Some(session) = own(&file.bytes, stem) else {
            return Self::default();
        };
        Self {
            copied: copied(&file.bytes, &session),
            session: Some(session),
        }
    }
}

fn own(bytes: &[u8], stem: Option<&str>) -> Option<String> {
    let lines = || bytes.rsplit(|byte| *byte == b'\n');
    let named = |line: &[u8]| row(line, |row| row.first(SESSION).map(Cow::into_owned));
    // The own rows of a fork come last.
    let last = lines().find_map(named)?;
    let Some(stem) = stem.filter(|stem| *stem != last) else {
        return Some(last);
    };
    let is_named = lines().filter_map(named).any(|session| session == stem);
    Some(if is_named { stem.to_owned() } else { last })
}

fn copied(bytes: &[u8], session: &str) -> Option<ForkPoint> {
    let mut original = None;
    let mut rows = BTreeSet::new();
    for line in bytes.split(|byte| *byte == b'\n') {
        let found = row(line, |row| {
            let writer = row.first(SESSION)?;
            if writer != session {
                rows.extend(tree::row_id(row.word("uuid")));
                original.get_or_insert(writer.into_owned());
                return None;
            }
            let is_continued = tree::row_id(row.first(PARENT)).is_some_and(|id| rows.contains(&id));
            Some(tree::row_id(row.word("uuid")).filter(|_| is_continued))
        });
        if let Some(first_own) = found {
            // Other sessions in one file, not continued by this one, are no copies.
            return Some(ForkPoint {
                original: original?,
                first_own: first_own?,
            });
        }
    }
    None
}

/// Reads a line with a row that has an id.
fn row<T>(line: &[u8], read: impl FnOnce(&Row<'_>) -> Option<T>) -> Option<T> {
    let row = Row::parse_bytes(line)?;
    row.word("uuid")?;
    read(&row)
}
