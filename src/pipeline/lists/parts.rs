//! Knows how data for the site's own scripts is written: part by part, so that it is never held whole.

use serde::Serialize;

use crate::diagnostics::Diagnostic;
use crate::publish::Stage;
use crate::render::parts::{self, Parts};
use crate::spool;

/// Data that is written to `search/<name>-<number>.js`.
pub(super) struct PartFiles<'a> {
    stage: &'a Stage,
    name: String,
    pub(super) parts: Parts,
}

impl<'a> PartFiles<'a> {
    /// Data for the function `runpress.<function>` of the scripts.
    pub(super) const fn new(stage: &'a Stage, function: &'static str, name: String) -> Self {
        Self {
            stage,
            name,
            parts: Parts::new(function),
        }
    }

    /// Adds an item; `true` when the part before it is full and written.
    pub(super) fn push(&mut self, item: &impl Serialize) -> Result<bool, Diagnostic> {
        let full = self.parts.push(item);
        self.write(full.map_err(|error| spool::refused(&error.into()))?)
    }

    /// Writes the last part; `false` when there is none.
    pub(super) fn finish(&mut self) -> Result<bool, Diagnostic> {
        let last = self.parts.take();
        self.write(last)
    }

    fn write(&self, part: Option<(usize, Vec<u8>)>) -> Result<bool, Diagnostic> {
        let Some((number, bytes)) = part else {
            return Ok(false);
        };
        let path = format!("search/{}-{number}.js", self.name);
        self.stage.write(&path, &bytes).map(|()| true)
    }
}

/// Writes the script that says what the parts hold.
pub(super) fn manifest(
    stage: &Stage,
    (function, path): (&str, &str),
    value: &impl Serialize,
) -> Result<(), Diagnostic> {
    let bytes = parts::manifest(function, value);
    let bytes = bytes.map_err(|error| spool::refused(&error.into()))?;
    stage.write(path, &bytes)
}
