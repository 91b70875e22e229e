//! Test Cabinet's run record (formats.md A): `run-record.json`, in all sub-versions.
//!
//! It has no version field; the keys present identify the sub-version. Missing and null are the same.

mod displayed;
mod document;
mod keys;
mod object;
mod other;
mod read;
mod shape;

use base::diagnostics::{Diagnostic, Source, codes};

use super::json::Node;
use super::reader::{DocumentReader, ShapeCodes};

use object::RecordObject;

pub use displayed::displayed;
pub use document::*;
pub use keys::{UnknownKey, known_part, unknown_keys};

/// The file name in a run directory.
pub const FILE_NAME: &str = "run-record.json";

static SHAPE: ShapeCodes = ShapeCodes {
    missing: &codes::RECORD_MISSING_FIELD,
    wrong_type: &codes::RECORD_WRONG_TYPE,
    duplicate_key: &codes::RECORD_DUPLICATE_KEY,
};

/// A record with its document, to resolve pointers.
#[derive(Debug)]
pub struct ParsedRecord<'a> {
    /// The record as written.
    pub record: RunRecord<'a>,
    /// The document.
    pub root: Node<'a>,
    /// Problems found; if one is an error, `record` is incomplete.
    pub diagnostics: Vec<Diagnostic>,
}

fn is_imported(import: Option<Node<'_>>) -> bool {
    import.is_some_and(|import| import.strict_members().is_some())
}

impl RunRecord<'_> {
    /// Whether the run was imported, and may lack what its source did not record.
    pub fn is_imported(&self) -> bool {
        is_imported(self.import)
    }
}

/// Reads a record. `None` comes with an error that explains why it could not be read.
#[must_use]
pub fn parse(source: Source<'_>) -> (Option<ParsedRecord<'_>>, Vec<Diagnostic>) {
    let text = match source.utf8() {
        Ok(text) => text,
        Err(place) => {
            let problem = codes::RECORD_NOT_UTF8.at(
                place,
                "The record is not valid UTF-8",
                source.help_for_utf8("Save the file as UTF-8; the first invalid byte is marked."),
            );
            return (None, vec![problem]);
        }
    };
    let root = match Node::parse(text) {
        Ok(root) => root,
        Err(error) => return (None, vec![other::syntax_error(&source, &error)]),
    };
    let mut reader = DocumentReader::new(source, &SHAPE);
    let Some(top) = reader.object(root, "") else {
        return (None, reader.finish());
    };
    if let Some(problem) = other::wrong_document(&reader, &top, root) {
        return (None, vec![problem]);
    }
    // What the source of an imported run did not record is missing.
    reader.allows_unrecorded = is_imported(top.get("import"));
    let record = RunRecord::read(&mut reader, &top);
    let diagnostics = reader.finish();
    (
        Some(ParsedRecord {
            record,
            root,
            diagnostics,
        }),
        Vec::new(),
    )
}
