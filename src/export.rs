//! The Parquet export: runs, events and annotations as tables, partitioned by case, to query an archive in place.
//!
//! `runs/case=<slug>/runs.parquet` holds the runs of a case. `events/case=<slug>/<run>.parquet` and
//! `annotations/case=<slug>/<run>.parquet` hold the rows of one run, so that runs can be written in parallel. Unrecorded values
//! are null. Texts are as recorded, so escape them before display.

use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::record::RecordWriter;
use parquet_derive::ParquetRecordWriter;

use crate::feeds::archive::outcomes_json;
use crate::inspect::Inspected;
use crate::model::annotation::{Annotation, Sidecar};
use crate::model::archive::Entry;
use crate::model::findings::{Findings, ThreadCounts};
use crate::model::review::Rating;
use crate::model::run::{Metric, Metrics, Number};
use crate::model::tape::{Event, Outcome, Tape};
use crate::model::time::Moment;

/// Declares a table: each column once, with its name, type and expression.
macro_rules! columns {
    (
        $(#[$doc:meta])* $row:ident, $read:ident($($from:ident: $type:ty),+);
        { $(let $known:pat = $of:expr;)* }
        $($column:ident: [$($held:tt)+] = $value:expr,)+
    ) => {
        $(#[$doc])*
        #[derive(Debug, ParquetRecordWriter)]
        struct $row<'a> {
            $($column: $($held)+,)+
        }

        fn $read<'a>($($from: $type),+) -> $row<'a> {
            $(let $known = $of;)*
            $row { $($column: $value,)+ }
        }
    };
}

columns! {
    /// A run. Times are as recorded; those that end in `_ms` are milliseconds since 1970-01-01 UTC.
    RunRow, run_row(entry: &'a Entry, findings: &'a Findings);
    {
        let run = &entry.run;
        let (subject, metrics) = (&run.subject, &run.metrics);
    }
    id: [&'a str] = &run.id,
    slug: [&'a str] = &entry.slug,
    test_case_slug: [&'a str] = &subject.case,
    test_case_version: [Option<&'a str>] = subject.version.as_deref(),
    test_type: [&'a str] = &subject.test_type,
    variant: [Option<&'a str>] = subject.variant.as_deref(),
    harness_slug: [&'a str] = &subject.harness,
    harness_version: [Option<&'a str>] = subject.harness_version.as_deref(),
    model_id: [Option<&'a str>] = subject.model.as_deref(),
    orchestrator_slug: [&'a str] = &subject.orchestrator,
    engine_slug: [&'a str] = &subject.engine,
    started_at: [Option<String>] = run.started.as_ref().map(|at| at.text().to_owned()),
    finished_at: [Option<String>] = run.finished.as_ref().map(|at| at.text().to_owned()),
    started_ms: [Option<i64>] = run.started.as_ref().map(Moment::ms),
    finished_ms: [Option<i64>] = run.finished.as_ref().map(Moment::ms),
    outcomes: [Option<String>] = outcomes_json(run),
    state: [&'a str] = &run.state.word,
    rating: [Option<&'a str>] = findings.rating.map(Rating::word),
    validation_loaded: [Option<bool>] = run.validation.loaded,
    run_time_seconds: [Option<f64>] = value(metrics.get(Metric::RunTime)),
    uncached_input_tokens: [Option<f64>] = value(metrics.get(Metric::UncachedInput)),
    cached_input_tokens: [Option<f64>] = value(metrics.get(Metric::CachedInput)),
    output_tokens: [Option<f64>] = value(metrics.get(Metric::Output)),
    reasoning_tokens: [Option<f64>] = value(metrics.get(Metric::Reasoning)),
    comparable_cost_usd: [Option<f64>] = value(metrics.get(Metric::ComparableCost)),
    actual_cost_usd: [Option<f64>] = value(metrics.get(Metric::ActualCost)),
    lower_bounds: [Option<String>] = lower_bounds(metrics),
    events: [i64] = count(findings.events.unwrap_or_default()),
    annotations: [i64] = count(findings.annotations.total()),
    threads: [Option<i64>] = threads(findings, |threads| threads.threads),
    thread_entries: [Option<i64>] = threads(findings, |threads| threads.entries),
    threads_open: [Option<i64>] = threads(findings, |threads| threads.open),
    threads_resolved: [Option<i64>] = threads(findings, ThreadCounts::resolved),
}

columns! {
    /// An event of a tape.
    EventRow, event_row(entry: &'a Entry, tape: &'a Tape<'_>, event: &'a Event<'_>);
    {
        let blocks = event.blocks.iter().flat_map(|block| [block.about.as_ref(), &*block.text]);
        let blocks = blocks.filter(|text| !text.is_empty()).collect::<Vec<&str>>();
    }
    run_id: [&'a str] = &entry.run.id,
    tape: [&'a str] = &tape.file,
    seq: [i64] = number(event.seq),
    at_ms: [Option<i64>] = event.at,
    kind: [&'a str] = event.kind.word,
    family: [&'a str] = event.kind.family.word(),
    succeeded: [Option<bool>] = match event.outcome {
        Outcome::Unstated => None,
        Outcome::Succeeded => Some(true),
        Outcome::Failed => Some(false),
    },
    headline: [Option<&'a str>] = (!event.headline.is_empty()).then_some(&*event.headline),
    content: [Option<String>] = (!blocks.is_empty()).then(|| blocks.join("\n")),
    blake3: [String] = event.digest(),
}

columns! {
    /// An annotation; `json` is its line as written.
    AnnotationRow, annotation_row(entry: &'a Entry, tape: &'a Tape<'_>, annotation: &'a Annotation<'_>);
    {
        let author = annotation.author.as_ref();
    }
    run_id: [&'a str] = &entry.run.id,
    tape: [&'a str] = &tape.file,
    id: [Option<&'a str>] = annotation.id.as_deref(),
    event_id: [i64] = number(annotation.event),
    end_event_id: [Option<i64>] = annotation.span.map(|(_, end)| number(end)),
    kind: [&'a str] = annotation.kind.word(),
    evidence: [Option<&'a str>] = annotation.evidence.as_deref(),
    suggested_fix: [Option<&'a str>] = annotation.suggested_fix,
    author_id: [Option<&'a str>] = author.and_then(|author| author.id.as_deref()),
    author_kind: [Option<&'a str>] = author.map(|author| author.kind.word()),
    author_surface: [Option<&'a str>] = author.and_then(|author| author.surface.as_deref()),
    timestamp: [Option<&'a str>] = annotation.timestamp.as_deref(),
    hypothesis_status: [Option<&'a str>] = annotation.hypothesis_status,
    friction_kind: [Option<&'a str>] = annotation.friction_kind.as_deref(),
    json: [&'a str] = annotation.verbatim.0,
}

/// Path of the table of the runs of a case, by the case's slug.
pub fn runs_path(case: &str) -> String {
    format!("runs/case={case}/runs.parquet")
}

/// Path of the table of the events of a run.
pub fn events_path(case: &str, run: &str) -> String {
    format!("events/case={case}/{run}.parquet")
}

/// Path of the table of the annotations of a run.
pub fn annotations_path(case: &str, run: &str) -> String {
    format!("annotations/case={case}/{run}.parquet")
}

/// The table of runs.
pub fn runs<'a>(
    runs: impl Iterator<Item = (&'a Entry, &'a Findings)>,
    canary: Option<&str>,
) -> Result<Vec<u8>, ParquetError> {
    let rows: Vec<_> = runs
        .map(|(entry, findings)| run_row(entry, findings))
        .collect();
    table(&rows, canary)
}

/// The table of the events of a run; `None` if it has none.
pub fn events(
    entry: &Entry,
    inspected: &Inspected<'_>,
    canary: Option<&str>,
) -> Result<Option<Vec<u8>>, ParquetError> {
    let tapes = inspected.tapes.iter();
    let rows: Vec<_> = tapes
        .flat_map(|tape| {
            tape.events
                .iter()
                .map(|event| event_row(entry, tape, event))
        })
        .collect();
    (!rows.is_empty()).then(|| table(&rows, canary)).transpose()
}

/// The table of the annotations of a run; `None` if it has none.
pub fn annotations(
    entry: &Entry,
    inspected: &Inspected<'_>,
    canary: Option<&str>,
) -> Result<Option<Vec<u8>>, ParquetError> {
    let annotated = inspected.tapes.iter().zip(&inspected.sidecars);
    let rows: Vec<_> = annotated
        .filter_map(|(tape, sidecar)| Some((tape, sidecar.as_ref()?)))
        .flat_map(|(tape, Sidecar { annotations, .. })| {
            annotations
                .iter()
                .map(|annotation| annotation_row(entry, tape, annotation))
        })
        .collect();
    (!rows.is_empty()).then(|| table(&rows, canary)).transpose()
}

/// Writes a table. The canary is in the key-value metadata of the file, so that no column is added.
fn table<T>(rows: &[T], canary: Option<&str>) -> Result<Vec<u8>, ParquetError>
where
    for<'r> &'r [T]: RecordWriter<T>,
{
    let canary = canary.map(|canary| vec![KeyValue::new("canary".to_owned(), canary.to_owned())]);
    let properties = WriterProperties::builder()
        .set_compression(parquet::basic::Compression::SNAPPY)
        .set_key_value_metadata(canary)
        .build();
    let mut writer = SerializedFileWriter::new(Vec::new(), rows.schema()?, properties.into())?;
    let mut group = writer.next_row_group()?;
    rows.write_to_row_group(&mut group)?;
    group.close()?;
    writer.into_inner()
}

fn threads(findings: &Findings, of: fn(&ThreadCounts) -> usize) -> Option<i64> {
    findings.threads.as_ref().map(|threads| count(of(threads)))
}

/// Paths of the metrics that are lower bounds, separated by spaces.
fn lower_bounds(metrics: &Metrics) -> Option<String> {
    let paths = metrics.lower_bounds.paths();
    (!paths.is_empty()).then(|| paths.join(" "))
}

fn value(number: Option<&Number>) -> Option<f64> {
    number.map(Number::value)
}

fn number(seq: u64) -> i64 {
    i64::try_from(seq).unwrap_or(i64::MAX)
}

fn count(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
