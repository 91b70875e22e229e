//! The Parquet export: runs, events and annotations as tables, partitioned by case, to query an archive in place.
//!
//! `runs/case=<slug>/runs.parquet` holds the runs of a case. `events/case=<slug>/<run>.parquet` and
//! `annotations/case=<slug>/<run>.parquet` hold the rows of one run, so that runs can be written in parallel. Unrecorded values
//! are null. Texts are as recorded, so escape them before display.

use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;

use crate::feeds::archive::{RunCard, text};
use content::inspect::Inspection;
use formats::model::annotation::{Annotation, Author, Sidecar};
use formats::model::archive::ArchiveEntry;
use formats::model::fields::{self, FieldKind, FieldValue, RunField, RunSource};
use formats::model::findings::Findings;
use formats::model::run::Run;
use formats::model::tape::{Event, EventOutcome, Tape};

/// A column of a table whose rows are made from `T`.
struct ParquetColumn<'a, T> {
    name: String,
    kind: FieldKind,
    is_optional: bool,
    get: fn(&T) -> FieldValue<'a>,
}

/// The columns of runs that come before those in the order of `runs.json`.
const FIRST: &str = "id slug subject startedAt finishedAt startedMs finishedMs outcomes state rating validationLoaded";

/// `comparableCost` as `comparable_cost_usd`.
fn run_column<'a>(field: &'static RunField) -> ParquetColumn<'a, RunSource<'a>> {
    let mut name = String::new();
    for c in field.column_name().chars() {
        if c.is_ascii_uppercase() {
            name.push('_');
        }
        name.push(c.to_ascii_lowercase());
    }
    name.push_str(match field.kind {
        FieldKind::Tokens => "_tokens",
        FieldKind::Dollars => "_usd",
        _ => "",
    });
    ParquetColumn {
        name,
        kind: field.kind,
        is_optional: field.is_optional(),
        get: field.get,
    }
}

/// Declares the columns of a table: name, kind, whether a value may be null, and the value.
macro_rules! columns {
    (|$row:ident| $($name:ident: $kind:ident $(or $null:ident)? = $value:expr;)+) => {
        [$(ParquetColumn {
            name: stringify!($name).to_owned(),
            kind: FieldKind::$kind,
            is_optional: columns!(@is_optional $($null)?),
            get: |$row| FieldValue::from($value),
        }),+]
    };
    (@is_optional) => { false };
    (@is_optional null) => { true };
}

pub mod huggingface;

/// An event or an annotation with its tape and its run.
struct TapeRow<'a, T> {
    run: &'a Run,
    tape: &'a Tape<'a>,
    of: &'a T,
}

fn event_columns<'a>() -> [ParquetColumn<'a, TapeRow<'a, Event<'a>>>; 10] {
    columns! { |row|
        run_id: Text = &*row.run.id;
        tape: Text = &*row.tape.file;
        seq: Count = number(row.of.seq);
        at_ms: Count or null = row.of.at.map(FieldValue::Count);
        kind: Text = row.of.kind.word;
        family: Text = row.of.kind.family.word();
        succeeded: Flag or null = match row.of.outcome {
            EventOutcome::Unstated => None,
            EventOutcome::Succeeded => Some(true),
            EventOutcome::Failed => Some(false),
        };
        headline: Text or null = (!row.of.headline.is_empty()).then_some(&*row.of.headline);
        content: Text or null = content(row.of);
        blake3: Text = row.of.digest();
    }
}

/// `json` is the line as written.
fn annotation_columns<'a>() -> [ParquetColumn<'a, TapeRow<'a, Annotation<'a>>>; 15] {
    columns! { |row|
        run_id: Text = &*row.run.id;
        tape: Text = &*row.tape.file;
        id: Text or null = row.of.id.as_deref();
        event_id: Count = number(row.of.event);
        end_event_id: Count or null = row.of.span.map(|(_, end)| number(end));
        kind: Text = row.of.kind.word();
        evidence: Text or null = row.of.evidence.as_deref();
        suggested_fix: Text or null = row.of.suggested_fix;
        author_id: Text or null = author(row.of).and_then(|author| author.id.as_deref());
        author_kind: Text or null = author(row.of).map(|author| author.kind.word());
        author_surface: Text or null = author(row.of).and_then(|author| author.surface.as_deref());
        timestamp: Text or null = row.of.timestamp.as_deref();
        hypothesis_status: Text or null = row.of.hypothesis_status;
        friction_kind: Text or null = row.of.friction_kind.as_deref();
        json: Text = row.of.verbatim.0;
    }
}

fn event_rows<'a>(
    entry: &'a ArchiveEntry,
    inspection: &'a Inspection<'_>,
) -> Vec<TapeRow<'a, Event<'a>>> {
    let run = &entry.run;
    let tapes = inspection.tapes.iter();
    tapes
        .flat_map(|tape| tape.events.iter().map(move |of| TapeRow { run, tape, of }))
        .collect()
}

fn annotation_rows<'a>(
    entry: &'a ArchiveEntry,
    inspection: &'a Inspection<'_>,
) -> Vec<TapeRow<'a, Annotation<'a>>> {
    let run = &entry.run;
    let tapes = inspection.tapes.iter().zip(&inspection.sidecars);
    tapes
        .filter_map(|(tape, sidecar)| Some((tape, sidecar.as_ref()?)))
        .flat_map(|(tape, Sidecar { annotations, .. })| {
            annotations.iter().map(move |of| TapeRow { run, tape, of })
        })
        .collect()
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

/// The table of runs. Times are as recorded; those that end in `_ms` are milliseconds since 1970-01-01 UTC.
pub fn runs<'a>(
    runs: impl Iterator<Item = (&'a ArchiveEntry, &'a Findings)>,
    canary: Option<&str>,
) -> Result<Vec<u8>, ParquetError> {
    let rows: Vec<_> = runs
        .map(|(entry, findings)| RunCard::of("", entry, findings).source)
        .collect();
    let columns = fields::fields_of(fields::PARQUET, FIRST, "");
    let columns: Vec<_> = columns.iter().copied().map(run_column).collect();
    table(&rows, &columns, canary)
}

/// The table of the events of a run; `None` if it has none.
pub fn events(
    entry: &ArchiveEntry,
    inspection: &Inspection<'_>,
    canary: Option<&str>,
) -> Result<Option<Vec<u8>>, ParquetError> {
    let rows = event_rows(entry, inspection);
    (!rows.is_empty())
        .then(|| table(&rows, &event_columns(), canary))
        .transpose()
}

/// The table of the annotations of a run; `None` if it has none.
pub fn annotations(
    entry: &ArchiveEntry,
    inspection: &Inspection<'_>,
    canary: Option<&str>,
) -> Result<Option<Vec<u8>>, ParquetError> {
    let rows = annotation_rows(entry, inspection);
    (!rows.is_empty())
        .then(|| table(&rows, &annotation_columns(), canary))
        .transpose()
}

/// Writes a table.
fn table<T>(
    rows: &[T],
    columns: &[ParquetColumn<'_, T>],
    canary: Option<&str>,
) -> Result<Vec<u8>, ParquetError> {
    let mut writer = begin(columns, canary)?;
    push_rows(&mut writer, rows, columns)?;
    writer.into_inner()
}

/// Begins a table. The canary is in the key-value metadata of the file, so that no column is added.
fn begin<T>(
    columns: &[ParquetColumn<'_, T>],
    canary: Option<&str>,
) -> Result<SerializedFileWriter<Vec<u8>>, ParquetError> {
    let canary = canary.map(|canary| vec![KeyValue::new("canary".to_owned(), canary.to_owned())]);
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_key_value_metadata(canary)
        .build();
    let types = columns
        .iter()
        .map(|column| Ok(Arc::new(column.column_type()?)));
    let schema = Type::group_type_builder("rust_schema")
        .with_fields(types.collect::<Result<_, ParquetError>>()?)
        .build()?;
    SerializedFileWriter::new(Vec::new(), schema.into(), properties.into())
}

/// Adds rows to a table, as a group.
fn push_rows<T>(
    writer: &mut SerializedFileWriter<Vec<u8>>,
    rows: &[T],
    columns: &[ParquetColumn<'_, T>],
) -> Result<(), ParquetError> {
    if rows.is_empty() {
        return Ok(());
    }
    let mut group = writer.next_row_group()?;
    for column in columns {
        let Some(mut writer) = group.next_column()? else {
            break;
        };
        let values: Vec<_> = rows.iter().map(column.get).collect();
        let is_known = |value: &FieldValue<'_>| i16::from(!matches!(value, FieldValue::Unknown));
        let levels: Vec<_> = values.iter().map(is_known).collect();
        let levels = column.is_optional.then_some(&levels[..]);
        let (mut texts, mut numbers, mut counts, mut flags) = (vec![], vec![], vec![], vec![]);
        for value in &values {
            match value {
                FieldValue::Number(number) => numbers.push(number.value()),
                FieldValue::Count(count) => counts.push(*count),
                FieldValue::Flag(flag) => flags.push(*flag),
                value => texts.extend(text(value).map(|text| ByteArray::from(&*text))),
            }
        }
        match writer.untyped() {
            ColumnWriter::ByteArrayColumnWriter(to) => to.write_batch(&texts, levels, None),
            ColumnWriter::DoubleColumnWriter(to) => to.write_batch(&numbers, levels, None),
            ColumnWriter::Int64ColumnWriter(to) => to.write_batch(&counts, levels, None),
            ColumnWriter::BoolColumnWriter(to) => to.write_batch(&flags, levels, None),
            _ => Ok(0),
        }?;
        writer.close()?;
    }
    group.close()?;
    Ok(())
}

impl<T> ParquetColumn<'_, T> {
    fn column_type(&self) -> Result<Type, ParquetError> {
        let (physical, logical) = match self.kind {
            FieldKind::Flag => (Physical::BOOLEAN, None),
            FieldKind::Count => (Physical::INT64, None),
            FieldKind::Seconds | FieldKind::Tokens | FieldKind::Dollars => (Physical::DOUBLE, None),
            _ => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        };
        let repetition = if self.is_optional {
            Repetition::OPTIONAL
        } else {
            Repetition::REQUIRED
        };
        Type::primitive_type_builder(&self.name, physical)
            .with_logical_type(logical)
            .with_repetition(repetition)
            .build()
    }
}

fn content(event: &Event<'_>) -> Option<String> {
    let blocks = event.blocks.iter();
    let blocks = blocks.flat_map(|block| [block.about.as_ref(), &*block.text]);
    let blocks: Vec<&str> = blocks.filter(|text| !text.is_empty()).collect();
    (!blocks.is_empty()).then(|| blocks.join("\n"))
}

fn author<'a>(annotation: &'a Annotation<'_>) -> Option<&'a Author> {
    annotation.author.as_ref()
}

fn number(seq: u64) -> FieldValue<'static> {
    FieldValue::Count(i64::try_from(seq).unwrap_or(i64::MAX))
}
