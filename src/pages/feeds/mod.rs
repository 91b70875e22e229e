//! The feeds: one struct per document, written by serde, never by a template.

/// Declares a document or a part of one, with its schema.
macro_rules! document {
    ($($document:tt)*) => {
        base::document! {
            #[derive(schemars::JsonSchema)]
            $($document)*
        }
    };
}

pub mod agreement;
pub mod annotations;
pub mod archive;
pub mod atom;
pub mod cells;
pub mod decisions;
pub mod groups;
pub mod json_feed;
pub mod json_ld;
pub mod rules;
pub mod run;
pub mod table;
pub mod threads;
pub mod transcript;

use std::borrow::Cow;
use std::io::{self, Write};

use serde::Serialize;
use serde_json::value::RawValue;

use formats::portable::portable;

/// Writes a document as compact JSON on one line, which is a third smaller.
pub fn write_document(out: &mut dyn Write, document: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, document)?;
    out.write_all(b"\n")
}

/// Adds a document to lines of JSON.
fn push_line(lines: &mut String, document: &impl Serialize) -> serde_json::Result<()> {
    lines.push_str(&serde_json::to_string(document)?);
    lines.push('\n');
    Ok(())
}

/// Writes JSON of the input verbatim, except for values that some readers reject. Every input value enters a feed through this
/// function.
pub fn raw(json: &str) -> serde_json::Result<Cow<'_, RawValue>> {
    Ok(match portable(json) {
        Cow::Borrowed(json) => Cow::Borrowed(serde_json::from_str(json)?),
        Cow::Owned(json) => Cow::Owned(RawValue::from_string(json)?),
    })
}
