//! Knows the Parquet export: runs, events and annotations as tables, partitioned by case, for archives that are queried
//! where they lie.
//!
//! `runs/case=<slug>/runs.parquet` holds the runs of a case; `events/case=<slug>/<run>.parquet` and
//! `annotations/case=<slug>/<run>.parquet` those of one run, so that runs are written side by side. What was not
//! recorded is null. Texts are as recorded: whoever shows them has to escape them.

use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::record::RecordWriter;
use parquet_derive::ParquetRecordWriter;

use crate::inspect::Inspected;
use crate::model::annotation::{Annotation, Sidecar};
use crate::model::archive::Entry;
use crate::model::findings::Findings;
use crate::model::run::Number;
use crate::model::tape::{Event, Outcome, Tape};

/// A run. Times are as recorded; those that end in `_ms` are milliseconds since 1970-01-01 UTC.
#[derive(Debug, ParquetRecordWriter)]
struct RunRow<'a> {
    id: &'a str,
    slug: &'a str,
    test_case_slug: &'a str,
    test_case_version: &'a str,
    test_type: &'a str,
    variant: Option<&'a str>,
    harness_slug: &'a str,
    harness_version: Option<&'a str>,
    model_id: &'a str,
    orchestrator_slug: &'a str,
    engine_slug: &'a str,
    started_at: &'a str,
    finished_at: &'a str,
    started_ms: i64,
    finished_ms: i64,
    state: &'a str,
    rating: Option<&'a str>,
    validation_loaded: bool,
    run_time_seconds: f64,
    uncached_input_tokens: Option<f64>,
    cached_input_tokens: Option<f64>,
    output_tokens: Option<f64>,
    reasoning_tokens: Option<f64>,
    comparable_cost_usd: Option<f64>,
    actual_cost_usd: Option<f64>,
    events: i64,
    annotations: i64,
    threads: Option<i64>,
}

/// An event of a tape.
#[derive(Debug, ParquetRecordWriter)]
struct EventRow<'a> {
    run_id: &'a str,
    tape: &'a str,
    seq: i64,
    at_ms: Option<i64>,
    kind: &'a str,
    family: &'a str,
    succeeded: Option<bool>,
    headline: Option<&'a str>,
    content: Option<String>,
    blake3: String,
}

/// An annotation; `json` is its line as written.
#[derive(Debug, ParquetRecordWriter)]
struct AnnotationRow<'a> {
    run_id: &'a str,
    tape: &'a str,
    id: Option<&'a str>,
    event_id: i64,
    end_event_id: Option<i64>,
    kind: &'a str,
    evidence: Option<&'a str>,
    suggested_fix: Option<&'a str>,
    author_id: Option<&'a str>,
    author_kind: Option<&'a str>,
    author_surface: Option<&'a str>,
    timestamp: Option<&'a str>,
    hypothesis_status: Option<&'a str>,
    friction_kind: Option<&'a str>,
    json: &'a str,
}

/// Path of the table of the runs of a case, by the case's slug.
#[must_use]
pub fn runs_path(case: &str) -> String {
    format!("runs/case={case}/runs.parquet")
}

/// Path of the table of the events of a run.
#[must_use]
pub fn events_path(case: &str, run: &str) -> String {
    format!("events/case={case}/{run}.parquet")
}

/// Path of the table of the annotations of a run.
#[must_use]
pub fn annotations_path(case: &str, run: &str) -> String {
    format!("annotations/case={case}/{run}.parquet")
}

/// The table of runs.
///
/// # Errors
/// Never in practice: it is written into memory.
pub fn runs<'a>(
    runs: impl Iterator<Item = (&'a Entry, &'a Findings)>,
) -> Result<Vec<u8>, ParquetError> {
    let rows: Vec<_> = runs
        .map(|(entry, findings)| run_row(entry, findings))
        .collect();
    table(rows.as_slice())
}

/// The table of the events of a run; `None` when it has none.
///
/// # Errors
/// Never in practice: it is written into memory.
pub fn events(entry: &Entry, inspected: &Inspected<'_>) -> Result<Option<Vec<u8>>, ParquetError> {
    let tapes = inspected.tapes.iter();
    let rows: Vec<_> = tapes
        .flat_map(|tape| {
            tape.events
                .iter()
                .map(|event| event_row(entry, tape, event))
        })
        .collect();
    (!rows.is_empty())
        .then(|| table(rows.as_slice()))
        .transpose()
}

/// The table of the annotations of a run; `None` when it has none.
///
/// # Errors
/// Never in practice: it is written into memory.
pub fn annotations(
    entry: &Entry,
    inspected: &Inspected<'_>,
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
    (!rows.is_empty())
        .then(|| table(rows.as_slice()))
        .transpose()
}

fn table<T>(rows: &[T]) -> Result<Vec<u8>, ParquetError>
where
    for<'r> &'r [T]: RecordWriter<T>,
{
    let properties = WriterProperties::builder()
        .set_compression(parquet::basic::Compression::SNAPPY)
        .build();
    let mut writer = SerializedFileWriter::new(Vec::new(), rows.schema()?, properties.into())?;
    let mut group = writer.next_row_group()?;
    rows.write_to_row_group(&mut group)?;
    group.close()?;
    writer.into_inner()
}

fn run_row<'a>(entry: &'a Entry, findings: &'a Findings) -> RunRow<'a> {
    let run = &entry.run;
    let (subject, metrics) = (&run.subject, &run.metrics);
    let value = |number: Option<&Number>| number.map(|number| number.value);
    let [uncached, cached, output, reasoning] = metrics.tokens().map(|(_, number)| value(number));
    RunRow {
        id: &run.id,
        slug: &entry.slug,
        test_case_slug: &subject.case,
        test_case_version: &subject.version,
        test_type: &subject.test_type,
        variant: subject.variant.as_deref(),
        harness_slug: &subject.harness,
        harness_version: subject.harness_version.as_deref(),
        model_id: &subject.model,
        orchestrator_slug: &subject.orchestrator,
        engine_slug: &subject.engine,
        started_at: &run.started.text,
        finished_at: &run.finished.text,
        started_ms: run.started.ms,
        finished_ms: run.finished.ms,
        state: &run.state.word,
        rating: findings.rating.map(crate::model::review::Rating::word),
        validation_loaded: run.validation.loaded,
        run_time_seconds: metrics.run_time_seconds.value,
        uncached_input_tokens: uncached,
        cached_input_tokens: cached,
        output_tokens: output,
        reasoning_tokens: reasoning,
        comparable_cost_usd: value(metrics.comparable_cost.as_ref()),
        actual_cost_usd: value(metrics.actual_cost.as_ref()),
        events: count(findings.events.unwrap_or_default()),
        annotations: count(findings.annotations.total()),
        threads: findings
            .threads
            .as_ref()
            .map(|threads| count(threads.threads)),
    }
}

fn event_row<'a>(entry: &'a Entry, tape: &'a Tape<'_>, event: &'a Event<'_>) -> EventRow<'a> {
    let blocks = event.blocks.iter();
    let blocks = blocks.flat_map(|block| [block.about.as_ref(), &*block.text]);
    let blocks: Vec<&str> = blocks.filter(|text| !text.is_empty()).collect();
    EventRow {
        run_id: &entry.run.id,
        tape: &tape.file,
        seq: i64::try_from(event.seq).unwrap_or(i64::MAX),
        at_ms: event.at,
        kind: event.kind.word,
        family: event.kind.family.word(),
        succeeded: match event.outcome {
            Outcome::Unstated => None,
            Outcome::Succeeded => Some(true),
            Outcome::Failed => Some(false),
        },
        headline: (!event.headline.is_empty()).then_some(&*event.headline),
        content: (!blocks.is_empty()).then(|| blocks.join("\n")),
        blake3: event.digest(),
    }
}

fn annotation_row<'a>(
    entry: &'a Entry,
    tape: &'a Tape<'_>,
    annotation: &'a Annotation<'_>,
) -> AnnotationRow<'a> {
    let number = |seq: u64| i64::try_from(seq).unwrap_or(i64::MAX);
    let author = annotation.author.as_ref();
    AnnotationRow {
        run_id: &entry.run.id,
        tape: &tape.file,
        id: annotation.id.as_deref(),
        event_id: number(annotation.event),
        end_event_id: annotation.span.map(|(_, end)| number(end)),
        kind: annotation.kind.word(),
        evidence: annotation.evidence.as_deref(),
        suggested_fix: annotation.suggested_fix,
        author_id: author.and_then(|author| author.id.as_deref()),
        author_kind: author.map(|author| author.kind),
        author_surface: author.and_then(|author| author.surface.as_deref()),
        timestamp: annotation.timestamp.as_deref(),
        hypothesis_status: annotation.hypothesis_status,
        friction_kind: annotation.friction_kind.as_deref(),
        json: annotation.verbatim.0,
    }
}

fn count(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
