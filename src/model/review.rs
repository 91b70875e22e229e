//! What a review says: ratings, checklist and prose.

words! {
    /// What the badge of a run says, best first: a tier of Test Cabinet, or the grade of a game jam's whole game
    /// (formats.md A.v). `great` and `broken` are both.
    #[allow(missing_docs, reason = "the names are those of formats.md A.v")]
    Rating {
        Flawless = "flawless",
        Incredible = "incredible",
        Great = "great",
        Passable = "passable",
        Neutral = "neutral",
        Scuffed = "scuffed",
        Poor = "poor",
        Broken = "broken",
    }
}

impl Rating {
    /// What a `rating` line may say, best first; `passable` came later.
    pub const TIERS: [Self; 5] = [
        Self::Flawless,
        Self::Great,
        Self::Passable,
        Self::Scuffed,
        Self::Broken,
    ];

    /// What a graded `review` line may say, best first.
    pub const GRADES: [Self; 5] = [
        Self::Incredible,
        Self::Great,
        Self::Neutral,
        Self::Poor,
        Self::Broken,
    ];

    /// Reads a tier; case does not matter, quotes are not stripped.
    pub fn tier(text: &str) -> Option<Self> {
        Self::among(&Self::TIERS, text)
    }

    fn among(words: &[Self], text: &str) -> Option<Self> {
        let is = |rating: &&Self| text.eq_ignore_ascii_case(rating.word());
        words.iter().find(is).copied()
    }
}

/// A review, checked.
#[derive(Debug, Clone)]
pub struct Review {
    /// The badge of the run: the worst of all ratings or, without any, the grade of the item `overall`;
    /// `None` is unrated.
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
    /// The grade of its status; `pass`, `fail` and `na` are none (formats.md A.v).
    pub fn grade(&self) -> Option<Rating> {
        Rating::among(&Rating::GRADES, &self.status)
    }

    /// The points of a graded status, of 10.
    pub fn points(&self) -> Option<u8> {
        [10, 8, 5, 2, 0]
            .into_iter()
            .zip(Rating::GRADES)
            .find_map(|(points, grade)| (self.grade() == Some(grade)).then_some(points))
    }

    /// Whether this is the grade of a game jam's whole game.
    pub fn is_overall(&self) -> bool {
        self.id == "overall"
    }
}
