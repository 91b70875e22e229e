//! The kinds of the site's own prose.

use std::ffi::OsStr;

use super::archive::GroupBy;

/// The kind of a prose file, by its folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProseKind {
    /// `pages/`: a page of its own.
    Page,
    /// `cases/`, `models/` or `harnesses/`: shown on the page of a case, model or harness.
    Group(GroupBy),
}

impl ProseKind {
    /// The kind of the prose in a folder of a content root.
    pub fn of_folder(name: &OsStr) -> Option<Self> {
        let group_by = GroupBy::ALL.into_iter().find(|by| name == by.folder());
        let page = || (name == "pages").then_some(Self::Page);
        group_by.map(Self::Group).or_else(page)
    }
}
