//! `decisions.jsonl`: which runs count and which outcomes were corrected, as the publishers of a site decided.

use std::sync::Arc;

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

use base::diagnostics::{Diagnostic, Place, Source, codes};
use base::shapes;

use super::json;
use super::jsonl::{self, Line};
use super::model::outcome::Outcome;
use super::sidecar::AuthorKind;

/// The file name in a content root.
pub const FILE_NAME: &str = "decisions.jsonl";

words! {
    /// What was decided about a run.
    #[derive(JsonSchema)]
    #[schemars(rename = "Verb")]
    DecisionKind {
        /// The run counts.
        Include = "include",
        /// The run does not count, because something outside of it went wrong.
        Void = "void",
        /// An outcome is corrected.
        Rescore = "rescore",
        /// The run does not count, because it broke a rule.
        Disqualify = "disqualify",
        /// An earlier `void` or `disqualify` is taken back.
        Restore = "restore",
    }
}

impl DecisionKind {
    /// The decision in the past, as pages say it of a run.
    pub const fn past(self) -> &'static str {
        match self {
            Self::Include => "Included",
            Self::Void => "Void",
            Self::Rescore => "Rescored",
            Self::Disqualify => "Disqualified",
            Self::Restore => "Restored",
        }
    }
}

/// A line of decisions.jsonl: a decision about a run. The record of the run itself never changes.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Decision {
    /// The day it was made, `YYYY-MM-DD`; lines are in order of their days.
    #[serde(deserialize_with = "day")]
    #[schemars(with = "shapes::Day")]
    pub date: Date,
    /// Who made it.
    pub author: NamedAuthor,
    /// Id of the run.
    #[schemars(with = "shapes::Name")]
    pub run: String,
    /// What was decided.
    pub decision: DecisionKind,
    /// Why, in plain text.
    #[schemars(with = "shapes::Name")]
    pub reason: String,
    /// Id of the rule of the site that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<shapes::Name>")]
    pub rule: Option<String>,
    /// Number of the event that shows it, on the run's first tape.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<u64>,
    /// The corrected outcome; of a `rescore`, and of nothing else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Correction>,
    #[serde(skip)]
    pub origin: DecisionOrigin,
}

/// Where a decision was read.
#[derive(Debug, Clone, Default)]
pub struct DecisionOrigin {
    /// The file, as problems name it.
    file: Arc<str>,
    line: u32,
    text: Arc<str>,
}

/// Reads a day, and only in the form in which it is written again.
fn day<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Date, D::Error> {
    let text = String::deserialize(deserializer)?;
    let day = text.parse::<Date>().ok();
    day.filter(|day| day.to_string() == text)
        .ok_or_else(|| D::Error::custom("invalid value: a day is written `YYYY-MM-DD`"))
}

/// The author of a decision or of a finding.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NamedAuthor {
    /// Name or handle.
    #[schemars(with = "shapes::Name")]
    pub id: String,
    /// Kind of author.
    pub kind: AuthorKind,
}

/// A corrected outcome.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Correction {
    /// Name of the outcome in the record.
    #[schemars(with = "shapes::Name")]
    pub name: String,
    /// The value so far: the recorded one, or that of the last correction.
    #[schemars(with = "shapes::Any")]
    pub from: Box<RawValue>,
    /// The value that counts.
    #[schemars(with = "shapes::Any")]
    pub to: Box<RawValue>,
}

impl Decision {
    /// The place of the value at a JSON pointer into its line. Call it only to report a problem.
    pub fn place(&self, pointer: &str) -> Place {
        let DecisionOrigin { file, line, text } = &self.origin;
        json::place(&Source::line(file, *line, text.as_bytes()), text, pointer)
    }

    /// Whether it excludes the run (`Some(true)`), counts it again (`Some(false)`), or neither.
    const fn excludes(&self) -> Option<bool> {
        match self.decision {
            DecisionKind::Void | DecisionKind::Disqualify => Some(true),
            DecisionKind::Include | DecisionKind::Restore => Some(false),
            DecisionKind::Rescore => None,
        }
    }
}

/// The last decision on whether a run counts. `decisions` are all decisions about it, in order.
pub fn last_inclusion_decision(decisions: &[Arc<Decision>]) -> Option<&Decision> {
    let mut last_first = decisions.iter().rev();
    let last = last_first.find(|it| it.excludes().is_some());
    last.map(|last| &**last)
}

/// The decision because of which a run does not count, if there is one.
pub fn exclusion(decisions: &[Arc<Decision>]) -> Option<&Decision> {
    last_inclusion_decision(decisions).filter(|last| last.excludes() == Some(true))
}

/// The outcome as it counts, after all corrections in `decisions`; `None` if none corrects it.
pub fn corrected(decisions: &[Arc<Decision>], outcome: &Outcome) -> Option<Outcome> {
    let mut corrections = decisions.iter().rev();
    corrections.find_map(|decision| decision.outcome.as_ref()?.apply(outcome))
}

impl Correction {
    /// The corrected outcome, if `outcome` is the one that it corrects.
    fn apply(&self, outcome: &Outcome) -> Option<Outcome> {
        let is_it = *outcome.name == *self.name;
        is_it.then(|| Outcome {
            value: Some(self.to.get().into()),
            // A corrected value counts by the decision, whatever the scorer said of its own.
            valid: None,
            reason: None,
            ..outcome.clone()
        })
    }

    /// Whether this was the value, as JSON; numbers are equal by their value.
    pub fn is_from(&self, value: Option<&str>) -> bool {
        let value = value.unwrap_or("null");
        let number = |text: &str| text.parse::<f64>().ok();
        let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).ok();
        match (number(self.from.get()), number(value)) {
            (Some(from), Some(value)) => from.total_cmp(&value).is_eq(),
            _ => read(self.from.get()) == read(value),
        }
    }
}

/// Reads the file. Every line that can be read is returned, with the problems of the others.
#[must_use]
pub fn parse(path: &str, bytes: &[u8]) -> (Vec<Decision>, Vec<Diagnostic>) {
    let file: Arc<str> = path.into();
    let mut decisions: Vec<Decision> = Vec::new();
    let mut problems = Vec::new();
    for line in jsonl::lines(bytes) {
        let decision = match line.object::<Decision>(path) {
            Ok(decision) => decision,
            Err(fault) => {
                let reason = fault.reason();
                problems.push(invalid(fault.place, &reason));
                continue;
            }
        };
        if let Some((pointer, reason)) = contradiction(&decision) {
            problems.push(invalid(line.place(path, pointer), reason));
            continue;
        }
        if let Some(last) = decisions.last().filter(|last| last.date > decision.date) {
            problems.push(out_of_order(path, &line, &decision, last));
        }
        decisions.push(Decision {
            origin: DecisionOrigin {
                file: Arc::clone(&file),
                line: line.number,
                text: line.text.into(),
            },
            ..decision
        });
    }
    (decisions, problems)
}

/// What a line says that does not fit together, and where.
fn contradiction(decision: &Decision) -> Option<(&'static str, &'static str)> {
    let is_rescore = decision.decision == DecisionKind::Rescore;
    let texts = [
        ("/run", Some(&decision.run)),
        ("/reason", Some(&decision.reason)),
        ("/author/id", Some(&decision.author.id)),
        ("/rule", decision.rule.as_ref()),
        (
            "/outcome/name",
            decision.outcome.as_ref().map(|it| &it.name),
        ),
    ];
    let is_empty = |text: Option<&String>| text.is_some_and(|text| text.trim().is_empty());
    let empty = texts.into_iter().find(|(_, text)| is_empty(*text));
    match (&decision.outcome, empty) {
        (_, Some((pointer, _))) => Some((pointer, "the text is empty")),
        (None, None) if is_rescore => Some(("", "a `rescore` needs an `outcome`")),
        (Some(_), None) if !is_rescore => Some(("/outcome", "only a `rescore` has an `outcome`")),
        _ => None,
    }
}

fn invalid(place: Place, reason: &str) -> Diagnostic {
    codes::DECISIONS_INVALID_LINE.at(
        place,
        format!("The decision cannot be read: {reason}"),
        "Write one object on each line; `runpress schema decisions` prints their schema.",
    )
}

fn out_of_order(path: &str, line: &Line<'_>, decision: &Decision, last: &Decision) -> Diagnostic {
    codes::DECISIONS_ORDER.at(
        line.place(path, "/date"),
        format!(
            "This decision is of {}, and the one in line {} above it of {}",
            decision.date, last.origin.line, last.date
        ),
        "Order the lines by date: a later decision changes what an earlier one said.",
    )
}
