//! Knows what runs are compared by: the page, and what each run brings to it.

use serde::Serialize;

use crate::model::archive::Archive;
use crate::model::findings::Findings;
use crate::model::review::Rating;
use crate::model::run::{Number, Recorded, Step};
use crate::model::tape::Tape;

use super::row::{RunRow, row};
use super::run::Sources;
use super::{Cell, format};
use crate::links;

mod tape;

pub use tape::TapeData;

/// Newest runs on the page, to pick from.
const ROWS: usize = 20;
/// Characters of one field.
const FIELD: usize = 300;
/// Visual checks.
const CHECKS: usize = 200;
/// Characters of a writeup.
pub const WRITEUP: usize = 2_000;

/// The page.
#[derive(Debug, Serialize)]
pub struct ComparePage {
    /// Way to the site's root.
    pub root: String,
    /// The newest runs.
    pub rows: Vec<RunRow>,
}

/// Makes the page.
#[must_use]
pub fn page(archive: &Archive, findings: &[Findings]) -> ComparePage {
    let root = links::root(links::COMPARE);
    let runs = archive.runs.iter().zip(findings).take(ROWS);
    ComparePage {
        rows: runs
            .map(|(entry, findings)| row(archive, entry, findings, &root, &[]))
            .collect(),
        root,
    }
}

/// What a run brings to a comparison.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RunData<'a> {
    slug: String,
    /// Case, variant and version.
    title: String,
    model: String,
    harness: String,
    /// Day on which it finished.
    date: String,
    /// First part of its id.
    id: String,
    groups: Vec<Group>,
    metrics: Vec<Metric>,
    checks: Vec<Check>,
    tapes: Vec<TapeSummary>,
    /// The first of them; each further one has a script of its own.
    tape: Option<TapeData<'a>>,
    writeup: Option<Writeup>,
}

/// Fields under one heading.
#[derive(Debug, Serialize)]
struct Group {
    name: &'static str,
    fields: Vec<Field>,
}

#[derive(Debug, Serialize)]
struct Field {
    name: &'static str,
    /// Null when it is unknown.
    text: Option<String>,
    /// Whether it belongs to the task: runs that differ in it are not comparable.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    task: bool,
}

#[derive(Debug, Serialize)]
struct Metric {
    name: &'static str,
    /// Null when it is unknown.
    value: Option<f64>,
    text: String,
}

#[derive(Debug, Serialize)]
struct Check {
    view: String,
    name: String,
    /// Null when the view was not reached.
    similarity: Option<f64>,
    text: String,
}

#[derive(Debug, Serialize)]
struct TapeSummary {
    file: String,
    events: usize,
    failures: usize,
    /// Null without times.
    duration: Option<String>,
}

/// The beginning of a writeup.
#[derive(Debug, Serialize)]
struct Writeup {
    /// Tag and text of each block.
    blocks: Vec<(&'static str, String)>,
    /// Whether the page of the run has more of it.
    more: bool,
}

/// What the run brings; `writeup` are the blocks of its writeup and whether there is more.
#[must_use]
pub fn data<'a>(
    s: &Sources<'a>,
    writeup: Option<(Vec<(&'static str, String)>, bool)>,
) -> RunData<'a> {
    let run = &s.entry.run;
    let subject = &run.subject;
    RunData {
        slug: s.entry.slug.clone(),
        title: cut(&run.title(), FIELD),
        model: cut(&subject.model, FIELD),
        harness: cut(&subject.harness, FIELD),
        date: format::when(run.recency()).date,
        id: s.entry.label.clone(),
        groups: groups(s),
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
                Check {
                    view: cut(&check.view, FIELD),
                    name: cut(&check.name, FIELD),
                    similarity: similarity.map(|number| number.value),
                    text: cut(text, FIELD),
                }
            })
            .collect(),
        tapes: s
            .tapes
            .iter()
            .map(|tape| TapeSummary {
                file: cut(&tape.file, FIELD),
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
#[must_use]
pub fn tape<'a>(s: &Sources<'a>, index: usize) -> Option<TapeData<'a>> {
    let tape = s.tapes.get(index).zip(s.layouts.get(index));
    tape.map(|(tape, layout)| tape::tape_data(s.config, tape, layout))
}

fn cut(text: &str, limit: usize) -> String {
    text.char_indices()
        .nth(limit)
        .map_or_else(|| text.to_owned(), |(end, _)| format!("{}…", &text[..end]))
}

fn groups(s: &Sources<'_>) -> Vec<Group> {
    let run = &s.entry.run;
    let (subject, environment) = (&run.subject, &run.environment);
    let field = |name, text: Option<&str>| Field {
        name,
        text: text.map(|text| cut(text, FIELD)),
        task: false,
    };
    let known = |name, text: &str| field(name, Some(text));
    let maybe = |name, text: Option<&String>| field(name, text.map(String::as_str));
    let task = |field: Field| Field {
        task: true,
        ..field
    };
    let step = |name, recorded: &Recorded| {
        let words = |step: &Step| {
            let outcome = if step.succeeded {
                "succeeded"
            } else {
                "failed"
            };
            format!("{outcome}: {}", step.command)
        };
        match recorded {
            Recorded::Step(step) => known(name, &words(step)),
            Recorded::Never => known(name, "did not run"),
            Recorded::Unknown => field(name, None),
        }
    };
    let rating = s.review.and_then(|review| review.rating);
    let loaded = if run.validation.loaded { "yes" } else { "no" };
    let group = |name, fields| Group { name, fields };
    vec![
        group(
            "What was run",
            vec![
                task(known("Case", &subject.case)),
                task(known("Version", &subject.version)),
                task(maybe("Variant", subject.variant.as_ref())),
                known("Kind of test", &subject.test_type),
                known("Model", &subject.model),
                known("Harness", &subject.harness),
                maybe("Version of the harness", subject.harness_version.as_ref()),
                task(known("Orchestrator", &subject.orchestrator)),
                task(known("Engine", &subject.engine_label())),
            ],
        ),
        group(
            "How it ended",
            vec![
                known("State", &run.state.word),
                maybe("Detail", run.state.detail.as_ref()),
                field("Rating", rating.map(Rating::word)),
                known("Loaded", loaded),
                maybe("Not loaded because", run.validation.detail.as_ref()),
                step("Install", &run.validation.install),
                step("Build", &run.validation.build),
                known("Started", &format::when(&run.started).text),
                known("Finished", &format::when(&run.finished).text),
            ],
        ),
        group(
            "Where it ran",
            vec![
                maybe("Operating system", environment.os.as_ref()),
                maybe("Container image", environment.container_image.as_ref()),
                maybe("Node.js", environment.node_version.as_ref()),
                maybe("Authentication", environment.auth_mode.as_ref()),
                maybe(
                    "Test Cabinet commit",
                    environment.test_cabinet_commit.as_ref(),
                ),
            ],
        ),
    ]
}

#[allow(clippy::cast_precision_loss, reason = "lengths of bars")]
fn metrics(s: &Sources<'_>) -> Vec<Metric> {
    let metrics = &s.entry.run.metrics;
    let recorded = |name, number: Option<&Number>, cell: Cell| Metric {
        name,
        value: number.map(|number| number.value),
        text: cell.text().to_owned(),
    };
    let cost = |name, number: &Option<Number>| {
        let number = number.as_ref();
        recorded(name, number, format::cost(number))
    };
    let counted = |name, count: Option<usize>| Metric {
        name,
        value: count.map(|count| count as f64),
        text: count.map_or_else(String::new, |count| format::grouped(&count.to_string())),
    };
    let seconds = &metrics.run_time_seconds;
    let annotations = s.sidecars.iter().flatten();
    // Without a tape nothing is known of them.
    let tapes = Some(s.tapes).filter(|tapes| !tapes.is_empty());
    let events = tapes.map(|tapes| tapes.iter().map(|tape| tape.events.len()).sum());
    let failures = tapes.map(|tapes| tapes.iter().map(Tape::failures).sum());
    let names = ["Uncached input", "Cached input", "Output", "Reasoning"];
    let tokens = names.into_iter().zip(metrics.tokens());
    let tokens = tokens.map(|(name, (_, number))| recorded(name, number, format::tokens(number)));
    tokens
        .chain([
            cost("Comparable cost", &metrics.comparable_cost),
            cost("Actual cost", &metrics.actual_cost),
            recorded("Run time", Some(seconds), format::run_time(seconds)),
            counted("Events", events),
            counted("Failures", failures),
            counted(
                "Annotations",
                Some(annotations.map(|sidecar| sidecar.annotations.len()).sum()),
            ),
        ])
        .collect()
}
