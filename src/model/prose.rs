//! Knows where the site's own prose belongs.

/// Which folder a piece of prose is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProseKind {
    /// `pages/`: a page of its own.
    Page,
    /// `cases/`: shown on a case's page.
    Case,
    /// `models/`: shown on a model's page.
    Model,
    /// `harnesses/`: shown on a harness's page.
    Harness,
}

impl ProseKind {
    /// All kinds, with the name of their folder in a content root.
    pub const ALL: [(Self, &str); 4] = [
        (Self::Page, "pages"),
        (Self::Case, "cases"),
        (Self::Model, "models"),
        (Self::Harness, "harnesses"),
    ];
}
