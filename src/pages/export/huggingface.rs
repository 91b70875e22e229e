//! A dataset repository for the Hugging Face Hub: tables as Parquet, the tapes as sessions, and a card that names them.

use std::io::{self, Write};

use parquet::errors::ParquetError;
use parquet::file::writer::SerializedFileWriter;

use content::inspect::Inspection;
use formats::config::Config;
use formats::model::archive::{Archive, ArchiveEntry};
use formats::model::cells::{CellSummary, TrialResult};
use formats::model::fields::{FieldKind, FieldValue};
use formats::model::run::Number;
use formats::model::slug::slugify;

use super::{
    ParquetColumn, annotation_columns, annotation_rows, begin, event_columns, event_rows,
    push_rows, table,
};
use crate::view::citation::{self, yaml};
use crate::view::format;
use crate::view::markdown::escaped;

mod session;

pub use session::write as write_session;

/// The card of the dataset.
pub const CARD: &str = "README.md";
pub const RUNS: &str = "runs.parquet";
pub const CELLS: &str = "cells.parquet";
pub const ANNOTATIONS: &str = "annotations.parquet";

/// Bytes after which a file of events ends.
const PART: usize = 64 << 20;

/// Path of the session of a tape of a run; `number` is the place of the tape.
pub fn session_path(entry: &ArchiveEntry, number: usize) -> String {
    let below = entry.slug.below_runs();
    match number {
        0 => format!("traces/{below}.jsonl"),
        _ => format!("traces/{below}.{}.jsonl", number + 1),
    }
}

/// A table of rows of all runs, a group of rows for each.
pub struct DatasetTables<'c> {
    canary: Option<&'c str>,
    annotations: SerializedFileWriter<Vec<u8>>,
    events: SerializedFileWriter<Vec<u8>>,
    /// Number of finished files of events.
    parts: usize,
    pub rows: RowCounts,
}

/// Rows of each table.
#[derive(Debug, Default, Clone, Copy)]
pub struct RowCounts {
    pub runs: usize,
    pub cells: usize,
    pub annotations: usize,
    /// `None` where event logs are not published.
    pub events: Option<usize>,
    pub sessions: usize,
}

/// A finished file.
pub type DatasetFile = (String, Vec<u8>);

impl<'c> DatasetTables<'c> {
    pub fn new(canary: Option<&'c str>) -> Result<Self, ParquetError> {
        Ok(Self {
            canary,
            annotations: begin(&annotation_columns(), canary)?,
            events: begin(&event_columns(), canary)?,
            parts: 0,
            rows: RowCounts::default(),
        })
    }

    /// Adds the annotations of a run and, where they are published, its events. Returns a file of events that is full.
    pub fn add(
        &mut self,
        entry: &ArchiveEntry,
        inspection: &Inspection<'_>,
        with_events: bool,
    ) -> Result<Option<DatasetFile>, ParquetError> {
        let annotated = annotation_rows(entry, inspection);
        self.rows.annotations += annotated.len();
        push_rows(&mut self.annotations, &annotated, &annotation_columns())?;
        if !with_events {
            return Ok(None);
        }
        let events = event_rows(entry, inspection);
        *self.rows.events.get_or_insert(0) += events.len();
        push_rows(&mut self.events, &events, &event_columns())?;
        if self.events.bytes_written() < PART {
            return Ok(None);
        }
        let next = begin(&event_columns(), self.canary)?;
        let full = std::mem::replace(&mut self.events, next);
        self.parts += 1;
        Ok(Some((events_path(self.parts), full.into_inner()?)))
    }

    /// The last files. A table without rows has its columns.
    pub fn finish(self) -> Result<Vec<DatasetFile>, ParquetError> {
        let mut files = vec![(ANNOTATIONS.to_owned(), self.annotations.into_inner()?)];
        if self.rows.events.is_some() {
            files.push((events_path(self.parts + 1), self.events.into_inner()?));
        }
        Ok(files)
    }
}

fn events_path(number: usize) -> String {
    format!("events/{number:05}.parquet")
}

/// A cell with the ends of its interval.
struct CellRow<'a> {
    archive: &'a Archive,
    summary: &'a CellSummary,
    low: Option<&'a Number>,
    high: Option<&'a Number>,
}

/// The table of the cells: the trials of each variant, model and harness.
pub fn cells(
    archive: &Archive,
    cells: &[CellSummary],
    canary: Option<&str>,
) -> Result<Vec<u8>, ParquetError> {
    let number = |value: f64| Number::new(&value.to_string(), value);
    let intervals = cells.iter().map(|summary| summary.tally.interval());
    let intervals = intervals.map(|it| it.map(|it| [number(it.low), number(it.high)]));
    let intervals: Vec<_> = intervals.collect();
    let rows = cells
        .iter()
        .zip(&intervals)
        .map(|(summary, interval)| CellRow {
            archive,
            summary,
            low: interval.as_ref().map(|[low, _]| low),
            high: interval.as_ref().map(|[_, high]| high),
        });
    table(&rows.collect::<Vec<_>>(), &cell_columns(), canary)
}

fn cell_columns<'a>() -> [ParquetColumn<'a, CellRow<'a>>; 13] {
    columns! { |row|
        case: Text = &*newest(row).run.subject.case;
        version: Text or null = newest(row).run.subject.version.as_deref();
        engine: Text = newest(row).run.subject.engine_label();
        orchestrator: Text = &*newest(row).run.subject.orchestrator;
        variant: Text or null = newest(row).run.subject.variant.as_deref();
        model: Text = newest(row).run.subject.model();
        harness: Text = &*newest(row).run.subject.harness;
        trials: Count = FieldValue::Count(row.summary.tally.trials.into());
        successes: Count = FieldValue::Count(row.summary.tally.successes.into());
        unknown: Count = count(row, TrialResult::Unknown);
        excluded: Count = count(row, TrialResult::Excluded);
        interval_low: Seconds or null = row.low.map(FieldValue::Number);
        interval_high: Seconds or null = row.high.map(FieldValue::Number);
    }
}

fn newest<'a>(row: &CellRow<'a>) -> &'a ArchiveEntry {
    row.summary.cell.entry(row.archive)
}

fn count(row: &CellRow<'_>, result: TrialResult) -> FieldValue<'static> {
    let count = row.summary.count(result);
    FieldValue::Count(i64::try_from(count).unwrap_or(i64::MAX))
}

/// A table of the dataset.
struct DatasetTable {
    name: &'static str,
    path: &'static str,
    rows: usize,
    contents: &'static str,
}

fn tables(rows: RowCounts) -> Vec<DatasetTable> {
    let table = |name, path, rows, contents| DatasetTable {
        name,
        path,
        rows,
        contents,
    };
    let events = rows.events.map(|rows| {
        let contents = "The events of all tapes, in order.";
        table("events", "events/*.parquet", rows, contents)
    });
    let tables = [
        table("runs", RUNS, rows.runs, "A run in each row."),
        table(
            "annotations",
            ANNOTATIONS,
            rows.annotations,
            "What reviewers wrote about events. `run_id`, `tape` and `event_id` name the event.",
        ),
        table(
            "cells",
            CELLS,
            rows.cells,
            "Trials of each variant, model and harness, with successes and the interval of their rate.",
        ),
    ];
    tables.into_iter().chain(events).collect()
}

/// The card: the metadata that the Hub and `datasets` read, then what the dataset holds. Sessions are in no configuration, because
/// `datasets` reads all files of a repository in one format.
pub fn write_card(out: &mut dyn Write, config: &Config, rows: RowCounts) -> io::Result<()> {
    let (site, policy, tables) = (&config.site, &config.policy, tables(rows));
    writeln!(out, "---\npretty_name: {}", yaml(&site.title))?;
    write_license(out, policy.licence.as_deref())?;
    if rows.sessions > 0 {
        writeln!(out, "tags:\n- agent-traces")?;
    }
    writeln!(out, "configs:")?;
    for DatasetTable { name, path, .. } in &tables {
        let default = if *name == "runs" {
            "  default: true\n"
        } else {
            ""
        };
        let path = yaml(path);
        writeln!(
            out,
            "- config_name: {name}\n{default}  data_files:\n  - split: train\n    path: {path}"
        )?;
    }
    let (title, description) = (escaped(&site.title), escaped(&site.description));
    writeln!(out, "---\n\n# {title}\n\n{description}\n")?;
    if let Some(notice) = &site.notice {
        writeln!(out, "> {}\n", escaped(notice))?;
    }
    if let Some(base) = &site.base_url {
        let prefix = if config.publish.run_folders.is_flat() {
            ""
        } else {
            "<prefix>/"
        };
        let base = base.as_str();
        writeln!(
            out,
            "The runs can be read at <{base}>, each at `runs/{prefix}<slug>/`.\n"
        )?;
    }
    writeln!(out, "| Configuration | Rows | Contents |\n|---|--:|---|")?;
    for DatasetTable {
        name,
        rows,
        contents,
        ..
    } in &tables
    {
        writeln!(
            out,
            "| `{name}` | {} | {contents} |",
            format::grouped(*rows)
        )?;
    }
    writeln!(
        out,
        "\nUnknown values are null. Texts of runs are recorded data, not instructions; escape them before display."
    )?;
    if rows.sessions > 0 {
        let sessions = format::count(rows.sessions, "session");
        writeln!(
            out,
            "\n`traces/` has {sessions}, one for each tape, in a format that the trace viewer of the Hub shows."
        )?;
    }
    let authors = config.authors();
    if !authors.is_empty() {
        writeln!(out, "\nPublished by {}.", escaped(&authors.join("; ")))?;
    }
    if let Some(licence) = &policy.licence {
        writeln!(out, "\nLicense of the data: {}.", escaped(licence))?;
    }
    if let Some(canary) = &policy.canary {
        writeln!(out, "\n{canary}")?;
    }
    Ok(())
}

/// The license by the identifiers of the Hub; nothing if the site names none.
fn write_license(out: &mut dyn Write, licence: Option<&str>) -> io::Result<()> {
    let Some(licence) = licence else {
        return Ok(());
    };
    match citation::licenses(licence).as_deref() {
        Some([(_, only)]) => writeln!(out, "license: {only}"),
        Some(several) => {
            writeln!(out, "license:")?;
            let mut several = several.iter();
            several.try_for_each(|(_, license)| writeln!(out, "- {license}"))
        }
        None => writeln!(out, "license: other\nlicense_name: {}", slugify(licence)),
    }
}
