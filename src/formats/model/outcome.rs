//! The outcomes of a run, as its scorers recorded them. Nothing here ranks, adds or averages them.

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::json::Node;
use crate::run_record as record;

/// The word for a grade of Inspect.
pub fn grade(value: &str) -> Option<&'static str> {
    match value {
        "C" => Some("correct"),
        "I" => Some("incorrect"),
        "P" => Some("partially correct"),
        "N" => Some("no answer"),
        _ => None,
    }
}

/// The result of a scorer for a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// Name of the outcome, such as `reward`.
    pub name: Arc<str>,
    /// The value as written, JSON; `None` if unscored.
    pub value: Option<Arc<str>>,
    pub scorer: Option<Arc<str>>,
    /// `reward`, `score`, `metric`, `check`, `submission` or another word.
    pub kind: Option<Arc<str>>,
    /// Whether it counts by the scorer's own rules; `None` if not recorded.
    pub valid: Option<bool>,
    /// Why it does not count or has no value.
    pub reason: Option<Arc<str>>,
}

impl Outcome {
    /// Reads the outcome of a record; `None` without a name.
    pub fn of(outcome: &record::Outcome<'_>) -> Option<Self> {
        let text = |text: &record::Text<'_>| text.as_deref().map(Arc::from);
        Some(Self {
            name: text(&outcome.name)?,
            value: outcome.value.map(|value| value.raw.into()),
            scorer: text(&outcome.scorer),
            kind: text(&outcome.kind),
            valid: outcome.valid,
            reason: text(&outcome.reason),
        })
    }

    /// The value for display: a string without its quotes, other JSON as written; `None` if unscored.
    pub fn words(&self) -> Option<Cow<'_, str>> {
        let value = self.value.as_deref()?;
        let node = Node::parse(value).ok();
        Some(
            node.and_then(|node| node.as_str())
                .unwrap_or(Cow::Borrowed(value)),
        )
    }

    /// The value as a finite number: `true` is 1 and `false` 0. `None` for anything else.
    pub fn number(&self) -> Option<f64> {
        let node = Node::parse(self.value.as_deref()?).ok()?;
        let flag = node.as_bool().map(|flag| f64::from(u8::from(flag)));
        flag.or_else(|| node.as_f64().filter(|number| number.is_finite()))
    }

    /// Its table column: outcomes of different scorers are not comparable.
    pub fn column(&self) -> (&str, Option<&str>) {
        (&self.name, self.scorer.as_deref())
    }
}
