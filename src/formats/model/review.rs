//! A review: ratings, checklist and prose.

use schemars::JsonSchema;
use serde::Serialize;

words! {
    /// The badge of a run, best first: a Test Cabinet tier, or the grade for a whole game in a game jam (formats.md A.v). `great`
    /// and `broken` are both.
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
    /// Values of a `rating` line, best first; `passable` was added later.
    pub const TIERS: [Self; 5] = [
        Self::Flawless,
        Self::Great,
        Self::Passable,
        Self::Scuffed,
        Self::Broken,
    ];

    /// Values of a graded `review` line, best first.
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

/// A checked review.
#[derive(Debug, Clone)]
pub struct Review {
    /// The badge of the run: the worst of all ratings or, without ratings, the grade of the item `overall`; `None` if unrated.
    pub rating: Option<Rating>,
    /// `rating.<domain>` lines in order; `None` for an unrecognized value.
    pub domains: Vec<(String, Option<Rating>)>,
    /// `review.<item>` lines in order.
    pub checklist: Vec<ChecklistItem>,
    /// The prose, Markdown, trimmed.
    pub body: String,
}

/// One item of the checklist.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ChecklistItem {
    /// Its id; sub-items are `<item>.<sub>`.
    pub id: String,
    /// `pass`, `fail`, `na` or a grade, as written.
    pub status: String,
    /// Note of the reviewer.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub note: Option<String>,
}

impl ChecklistItem {
    /// The grade of its status; `pass`, `fail` and `na` have none (formats.md A.v).
    pub fn grade(&self) -> Option<Rating> {
        Rating::among(&Rating::GRADES, &self.status)
    }

    /// The points of a graded status, out of 10.
    pub fn points(&self) -> Option<u8> {
        [10, 8, 5, 2, 0]
            .into_iter()
            .zip(Rating::GRADES)
            .find_map(|(points, grade)| (self.grade() == Some(grade)).then_some(points))
    }

    /// Whether it grades a whole game in a game jam.
    pub fn is_overall(&self) -> bool {
        self.id == "overall"
    }
}
