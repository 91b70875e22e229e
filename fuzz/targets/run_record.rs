//! Run records: white space, a byte order mark and unknown keys change nothing; what is read has no error.

use runpress::api::diagnostics::Source;
use runpress::api::formats::run_record::{FILE_NAME, RunRecord, parse};
use runpress::api::inspect;
use runpress::api::load::LoadedFile;

use super::{compact, places, with_byte_order_mark};

/// A file as [`runpress::api::load`] returns it.
fn loaded(bytes: &[u8]) -> LoadedFile {
    LoadedFile::new(FILE_NAME.to_owned(), FILE_NAME.to_owned(), bytes.to_vec())
}

/// Reads `bytes` as a run record.
pub fn run(bytes: &[u8]) {
    let record = inspect::record(&loaded(bytes));
    places::check(bytes, &record.diagnostics);
    assert_eq!(
        record.run.is_some(),
        !places::has_errors(&record.diagnostics),
        "{record:?}"
    );
    if let Some(run) = &record.run {
        assert_eq!(Some(&run.id), record.id.as_ref());
        assert!(!run.id.trim().is_empty() && !run.subject.case.trim().is_empty());
    }
    if let Some(marked) = with_byte_order_mark(bytes) {
        let same = inspect::record(&loaded(&marked));
        assert_eq!(
            places::shown(&same.diagnostics),
            places::shown(&record.diagnostics)
        );
    }
    let (Some(parsed), _) = parse(Source::file(FILE_NAME, bytes)) else {
        return;
    };
    let compact = compact(parsed.root.raw);
    let (again, problems) = parse(Source::file(FILE_NAME, compact.as_bytes()));
    let again = again.unwrap_or_else(|| panic!("{problems:?} in {compact}"));
    assert_eq!(debug_text(&again.record), debug_text(&parsed.record));
    let codes = |found: &[runpress::api::diagnostics::Diagnostic]| {
        found
            .iter()
            .map(|d| (d.code.name, d.place.pointer.clone()))
            .collect::<Vec<_>>()
    };
    assert_eq!(codes(&again.diagnostics), codes(&parsed.diagnostics));
}

/// The debug text of a record, without white space and the offsets of values that are kept as written.
fn debug_text(record: &RunRecord<'_>) -> String {
    let shown = format!("{record:?}")
        .replace("\\n", "")
        .replace("\\r", "")
        .replace("\\t", "");
    let mut parts = shown.split("offset: ");
    let first = parts.next().unwrap_or_default().to_owned();
    let rest = parts.map(|part| part.trim_start_matches(|c: char| c.is_ascii_digit()));
    let whole = rest.fold(first, |whole, part| whole + part);
    whole.split_whitespace().collect()
}
