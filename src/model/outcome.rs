//! Knows the outcomes of a run: what scorers said of it, in their own words. Nothing here ranks, adds or averages them.

use std::borrow::Cow;

use crate::formats::json::Node;
use crate::formats::run_record as record;

/// What a scorer said of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// Name of the outcome, such as `reward`.
    pub name: String,
    /// The value as written, JSON; `None` is unscored.
    pub value: Option<String>,
    /// What gave it.
    pub scorer: Option<String>,
    /// `reward`, `score`, `metric`, `check`, `submission` or another word.
    pub kind: Option<String>,
    /// Whether it counts by the scorer's own rules; `None` is not said.
    pub valid: Option<bool>,
    /// Why it does not count, or has no value.
    pub reason: Option<String>,
}

impl Outcome {
    /// That of a record; `None` without a name.
    #[must_use]
    pub fn of(outcome: &record::Outcome<'_>) -> Option<Self> {
        let text = |text: &record::Text<'_>| text.as_ref().map(ToString::to_string);
        Some(Self {
            name: text(&outcome.name)?,
            value: outcome.value.map(|value| value.raw.to_owned()),
            scorer: text(&outcome.scorer),
            kind: text(&outcome.kind),
            valid: outcome.valid,
            reason: text(&outcome.reason),
        })
    }

    /// The value for people: a string without its quotes, other JSON as written; `None` is unscored.
    #[must_use]
    pub fn words(&self) -> Option<Cow<'_, str>> {
        let value = self.value.as_deref()?;
        let node = Node::parse(value).ok();
        Some(
            node.and_then(|node| node.as_str())
                .unwrap_or(Cow::Borrowed(value)),
        )
    }

    /// The column of a table that it is in: outcomes of different scorers are different things.
    #[must_use]
    pub fn column(&self) -> (&str, Option<&str>) {
        (&self.name, self.scorer.as_deref())
    }
}
