//! The outcomes of a run for display: verbatim, each with its scorer and with caveats.

use serde::Serialize;

use crate::view::{Cell, format};
use base::document;
use formats::model::outcome::Outcome;
use formats::model::run::{Metric, Run};

/// Maximum outcomes on a run page; a run has a handful.
const OUTCOMES: usize = 200;
/// Maximum bytes of a value; `run.json` has all of it.
const VALUE: usize = 300;

/// The outcomes of a run.
#[derive(Debug, Serialize)]
pub struct OutcomesView {
    /// The outcomes, in the record's order.
    pub outcomes: Vec<OutcomeView>,
    /// Number of further outcomes.
    pub more: Option<String>,
}

document! {
    pub struct OutcomeView(run: &Run, outcome: &Outcome) {
        pub name: String = cut(&outcome.name),
        pub value: Cell = value(outcome),
        pub scorer: Cell = format::text(outcome.scorer.as_ref()),
        pub kind: Cell = format::text(outcome.kind.as_ref()),
        /// Its caveats.
        pub notes: Vec<String> = notes(run, outcome),
    }
}

/// The outcomes of a run; `None` if its record has none.
pub fn outcomes(run: &Run) -> Option<OutcomesView> {
    let all = &run.outcomes;
    (!all.is_empty()).then(|| OutcomesView {
        outcomes: all
            .iter()
            .take(OUTCOMES)
            .map(|outcome| OutcomeView::of(run, outcome))
            .collect(),
        more: format::more(all.len(), OUTCOMES, "outcome"),
    })
}

/// The value of a run in a table column; `column` is from [`Outcome::column`].
pub fn cell(run: &Run, column: &(String, Option<String>)) -> Cell {
    let column = (column.0.as_str(), column.1.as_deref());
    let found = run
        .outcomes
        .iter()
        .find(|outcome| outcome.column() == column);
    let Some(outcome) = found else {
        return Cell::unknown("this run has no such outcome");
    };
    let notes = notes(run, outcome);
    match value(outcome) {
        Cell::Plain(text) if !notes.is_empty() => {
            Cell::titled(format!("{text} *"), notes.join(", "))
        }
        cell => cell,
    }
}

/// The outcomes of a run for a comparison: name with scorer, and value with caveats.
pub fn compared(run: &Run) -> impl Iterator<Item = (String, String)> {
    run.outcomes.iter().map(|outcome| {
        let scorer = outcome.scorer.as_ref();
        let scorer = scorer.map_or_else(String::new, |scorer| format!(" ({scorer})"));
        let value = outcome.words().unwrap_or("unscored".into());
        let notes = notes(run, outcome);
        let words = std::iter::once(cut(&value)).chain(notes);
        let words: Vec<_> = words.collect();
        (format!("{}{scorer}", outcome.name), words.join(", "))
    })
}

/// The value as recorded, or why it is missing.
pub fn value(outcome: &Outcome) -> Cell {
    outcome.words().map_or_else(
        || Cell::unknown(outcome.reason.as_deref().unwrap_or("unscored")),
        |words| Cell::known(cut(&words)),
    )
}

/// Caveats of an outcome from the record.
fn notes(run: &Run, outcome: &Outcome) -> Vec<String> {
    let mut notes = Vec::new();
    if outcome.valid == Some(false) {
        notes.push("not valid".to_owned());
    }
    if outcome.value.is_some() {
        notes.extend(outcome.reason.as_deref().map(cut));
        let output = run.metrics.get(Metric::Output);
        if output.is_some_and(|output| output.value() == 0.0) {
            notes.push("no output tokens recorded".to_owned());
        }
    }
    notes
}

fn cut(text: &str) -> String {
    let shown = format::truncated(text, VALUE);
    let rest = if shown.len() < text.len() { "…" } else { "" };
    format!("{shown}{rest}")
}
