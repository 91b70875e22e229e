//! The comparison of runs: its page, and the data of each run.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use base::diagnostics::text::{beginning, capitalized};
use formats::model::archive::Archive;
use formats::model::fields;
use formats::model::findings::Findings;
use formats::model::run::{Metric, Number};
use formats::model::tape::Tape;

use super::row::{RunRow, row};
use super::run::CheckedRun;
use super::{Cell, format, task};
use super::{decisions, outcomes};
use base::links;

mod tape;

pub use tape::{Divergence, TapeData};

/// Number of newest runs on the page, to choose from.
const ROWS: usize = 20;
/// Maximum characters of a field.
const FIELD: usize = 300;
/// Headings of the parts of a comparison.
const PARTS: [&str; 3] = ["What was run", "How it ended", "Where it ran"];
/// Maximum number of visual checks.
const CHECKS: usize = 200;
/// Maximum characters of a writeup.
pub const WRITEUP: usize = 2_000;

#[derive(Debug, Serialize)]
pub struct ComparePage {
    pub rows: Vec<RunRow>,
}

pub fn page(archive: &Archive, findings: &[Findings]) -> ComparePage {
    let root = links::root(links::COMPARE);
    let runs = archive.runs.iter().zip(findings).take(ROWS);
    ComparePage {
        rows: runs
            .map(|(entry, findings)| row(archive, entry, findings, &root, &[]))
            .collect(),
    }
}

/// The manifest, which the script loads first: the location of each run, and values that all runs share.
#[derive(Debug, Serialize)]
pub struct CompareManifest {
    /// The first [`key`] and the name of each part.
    parts: Vec<(String, String)>,
    /// The fields of a run in groups, in the order of [`RunData::fields`].
    groups: Vec<FieldGroup>,
    /// The names of [`RunData::metrics`].
    metrics: Vec<String>,
}

/// Fields under a heading.
#[derive(Debug, Serialize)]
struct FieldGroup {
    name: &'static str,
    fields: Vec<ComparedField>,
}

#[derive(Debug, Serialize)]
struct ComparedField {
    name: &'static str,
    /// Whether it belongs to the task: runs that differ in it are not comparable.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    task: bool,
}

impl CompareManifest {
    /// The manifest of these parts, each with its first key and its name.
    pub fn new(parts: Vec<(String, String)>) -> Self {
        let groups = (0..).zip(PARTS).map(|(part, name)| {
            let fields = fields::labeled(|field| field.compared).into_iter();
            let fields = fields.filter(|(_, label)| label.place / 10 == part);
            let fields = fields.map(|(field, label)| ComparedField {
                name: label.name,
                task: field.is_task,
            });
            FieldGroup {
                name,
                fields: fields.collect(),
            }
        });
        let metrics = Metric::ALL.iter().map(|metric| capitalized(metric.name()));
        let counted = ["Events", "Failures", "Annotations"].map(str::to_owned);
        Self {
            parts,
            groups: groups.collect(),
            metrics: metrics.chain(counted).collect(),
        }
    }
}

/// The key of a run, and of its further tapes, counted from 1: `a~2` is the second tape of `a`.
pub fn key(slug: &str, tape: usize) -> Cow<'_, str> {
    match tape {
        0 => slug.into(),
        tape => format!("{slug}~{}", tape + 1).into(),
    }
}

/// The data of a run for comparisons.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RunData<'a> {
    /// Path of its folder below `runs/`, if different from its key.
    #[serde(skip_serializing_if = "Option::is_none")]
    folder: Option<Cow<'a, str>>,
    /// What was asked.
    task: String,
    /// How it ended and what it took.
    verdict: String,
    /// Whether its case is not known to be a task ([`Archive::is_comparable`]).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    label: bool,
    /// Why it does not count, if it does not: `void` or `disqualified`.
    #[serde(skip_serializing_if = "Option::is_none")]
    excluded: Option<String>,
    model: String,
    harness: String,
    /// The date on which it finished.
    date: String,
    /// First part of its id.
    id: String,
    /// The fields of all groups; null if unknown.
    fields: Vec<Option<String>>,
    metrics: Vec<MetricData>,
    checks: Vec<CheckData>,
    /// Name with scorer, and value of each outcome.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    outcomes: Vec<(String, String)>,
    tapes: Vec<TapeSummary>,
    tape: Option<TapeData<'a>>,
    writeup: Option<Writeup>,
}

/// The part of a [`RunData`] that the comparison of trials reads again.
#[derive(Debug, Deserialize)]
pub struct FirstTape<'a> {
    pub tape: Option<TapeData<'a>>,
}

/// A number, null if unknown, and its display text, which marks a lower bound.
type MetricData = (Option<f64>, String);

/// View and name of a check; its similarity, null if the view was not reached; and its display text.
type CheckData = (String, String, Option<f64>, String);

#[derive(Debug, Serialize)]
struct TapeSummary {
    file: String,
    events: usize,
    failures: usize,
    /// Null without times.
    duration: Option<String>,
}

/// The start of a writeup.
#[derive(Debug, Serialize)]
struct Writeup {
    /// Tag and text of each block.
    blocks: Vec<(&'static str, String)>,
    /// Whether the run page has more of it.
    more: bool,
}

/// The data of a run. `writeup` has the blocks of its writeup, and whether there is more.
pub fn data<'a>(
    s: &CheckedRun<'a>,
    writeup: Option<(Vec<(&'static str, String)>, bool)>,
) -> RunData<'a> {
    let run = &s.entry.run;
    let subject = &run.subject;
    let source = s.run_source();
    let folder = Some(s.entry.slug.below_runs());
    RunData {
        folder: folder.filter(|folder| **folder != *s.entry.slug),
        task: beginning(s.task, FIELD).into_owned(),
        verdict: task::non_breaking(&task::verdict_line(&s.verdict())),
        label: !s.archive_context.is_comparable,
        excluded: decisions::exclusion_badge(s.entry).map(|badge| badge.word.to_lowercase()),
        model: beginning(subject.model(), FIELD).into_owned(),
        harness: beginning(&subject.harness, FIELD).into_owned(),
        date: format::when(run.recency()).date,
        id: s.entry.label.clone(),
        fields: fields::labeled(|field| field.compared)
            .iter()
            .map(|(field, _)| {
                Some(beginning(&format::value((field.get)(&source))?, FIELD).into_owned())
            })
            .collect(),
        metrics: metrics(s),
        checks: run
            .validation
            .checks
            .iter()
            .take(CHECKS)
            .map(|check| {
                let similarity = check.compared();
                let cell = format::similarity(similarity, check.detail.as_deref());
                let text = match &cell {
                    Cell::Titled { title, .. } => title,
                    Cell::Plain(text) => text,
                };
                (
                    beginning(&check.view, FIELD).into_owned(),
                    beginning(&check.name, FIELD).into_owned(),
                    similarity.map(Number::value),
                    beginning(text, FIELD).into_owned(),
                )
            })
            .collect(),
        outcomes: outcomes::compared(run)
            .take(CHECKS)
            .map(|(name, value)| {
                (
                    beginning(&name, FIELD).into_owned(),
                    beginning(&value, FIELD).into_owned(),
                )
            })
            .collect(),
        tapes: s
            .inspection
            .tapes
            .iter()
            .map(|tape| TapeSummary {
                file: beginning(&tape.file, FIELD).into_owned(),
                events: tape.events.len(),
                failures: tape.failures(),
                duration: tape.milliseconds().map(format::milliseconds),
            })
            .collect(),
        tape: tape(s, 0),
        writeup: writeup.map(|(blocks, more)| Writeup { blocks, more }),
    }
}

/// The tape at `index` of the run, if there is one.
pub fn tape<'a>(s: &CheckedRun<'a>, index: usize) -> Option<TapeData<'a>> {
    let tape = s.inspection.tapes.get(index).zip(s.layouts.get(index));
    tape.map(|(tape, layout)| tape::tape_data(s.config, tape, layout))
}

fn metrics(s: &CheckedRun<'_>) -> Vec<MetricData> {
    let sidecars = s.inspection.sidecars.iter().flatten();
    let annotations = sidecars.map(|sidecar| sidecar.annotations.len()).sum();
    let tapes = &s.inspection.tapes;
    let has_tapes = !tapes.is_empty();
    let events = tapes.iter().map(|tape| tape.events.len()).sum();
    let failures = tapes.iter().map(Tape::failures).sum();
    let counted = [
        has_tapes.then_some(events),
        has_tapes.then_some(failures),
        Some(annotations),
    ];
    let metrics = Metric::ALL.map(|metric| metric_data(s, metric));
    metrics.into_iter().chain(counted.map(count_data)).collect()
}

fn metric_data(s: &CheckedRun<'_>, metric: Metric) -> MetricData {
    let metrics = &s.entry.run.metrics;
    let text = format::metric(metrics, metric).text().to_owned();
    (metrics.get(metric).map(Number::value), text)
}

#[allow(clippy::cast_precision_loss, reason = "lengths of bars")]
fn count_data(count: Option<usize>) -> MetricData {
    let text = count.map_or_else(String::new, format::grouped);
    (count.map(|count| count as f64), text)
}
