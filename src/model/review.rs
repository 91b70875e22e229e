//! Knows what a review says: ratings, checklist and prose.

/// A rating of Test Cabinet, best first; `passable` came later (formats.md A.v).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names are those of formats.md A.v")]
pub enum Rating {
    Flawless,
    Great,
    Passable,
    Scuffed,
    Broken,
}

impl Rating {
    /// All ratings, best first.
    pub const ALL: [Self; 5] = [
        Self::Flawless,
        Self::Great,
        Self::Passable,
        Self::Scuffed,
        Self::Broken,
    ];

    /// Reads a rating; case does not matter, quotes are not stripped.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|rating| text.eq_ignore_ascii_case(rating.word()))
    }

    /// The word of the format.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Flawless => "flawless",
            Self::Great => "great",
            Self::Passable => "passable",
            Self::Scuffed => "scuffed",
            Self::Broken => "broken",
        }
    }
}

/// A review, checked.
#[derive(Debug, Clone)]
pub struct Review {
    /// The badge of the run: the worst of all ratings that are given; `None` is unrated.
    pub rating: Option<Rating>,
    /// `rating.<domain>` lines in order; what could not be read is `None`.
    pub domains: Vec<(String, Option<Rating>)>,
    /// `review.<item>` lines in order.
    pub checklist: Vec<Item>,
    /// The prose, Markdown, trimmed.
    pub body: String,
}

/// One item of the checklist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// The item's id; sub-items are `<item>.<sub>`.
    pub id: String,
    /// The status word as written.
    pub status: String,
    /// What follows it.
    pub note: Option<String>,
}

impl Item {
    /// The points of a graded status, of 10; `pass`, `fail` and `na` have none (formats.md A.v).
    #[must_use]
    pub fn points(&self) -> Option<u8> {
        match self.status.to_ascii_lowercase().as_str() {
            "broken" => Some(0),
            "poor" => Some(2),
            "neutral" => Some(5),
            "great" => Some(8),
            "incredible" => Some(10),
            _ => None,
        }
    }

    /// Whether this is the grade of a game jam's whole game.
    #[must_use]
    pub fn is_overall(&self) -> bool {
        self.id == "overall"
    }
}
