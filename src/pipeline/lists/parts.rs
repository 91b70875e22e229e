//! How data for the site's own scripts is written: part by part, so that it is never held whole.

use serde::Serialize;

use crate::diagnostics::Diagnostic;
use crate::render::parts::{Part, Parts};
use crate::render::script;
use crate::spool;

use super::reuse::Recorder;

/// Data that is written to `<prefix><part>.js`.
pub(super) struct PartFiles<'a> {
    stage: &'a Recorder<'a>,
    prefix: &'a str,
    pub(super) parts: Parts,
}

impl<'a> PartFiles<'a> {
    /// Data for the function `runpress.<function>` of the scripts.
    pub(super) const fn new(
        stage: &'a Recorder<'a>,
        function: &'static str,
        prefix: &'a str,
    ) -> Self {
        Self {
            stage,
            prefix,
            parts: Parts::new(function),
        }
    }

    /// Adds an item. When the part before it is full, that is written; gives its size.
    pub(super) fn push(
        &mut self,
        key: &str,
        item: &impl Serialize,
    ) -> Result<Option<usize>, Diagnostic> {
        let full = self.parts.push(key, item);
        self.write(full.map_err(|error| spool::refused(&error.into()))?)
    }

    /// Adds an item that is JSON already.
    pub(super) fn push_written(
        &mut self,
        key: &str,
        json: &[u8],
    ) -> Result<Option<usize>, Diagnostic> {
        let full = self.parts.push_written(key, json);
        self.write(full)
    }

    /// Writes the last part, if there is one; gives its size.
    pub(super) fn finish(&mut self) -> Result<Option<usize>, Diagnostic> {
        let last = self.parts.take();
        self.write(last)
    }

    fn write(&self, part: Option<Part>) -> Result<Option<usize>, Diagnostic> {
        let Some((name, bytes)) = part else {
            return Ok(None);
        };
        let path = format!("{}{name}.js", self.prefix);
        self.stage.write(&path, &bytes)?;
        Ok(Some(bytes.len()))
    }
}

/// Writes the script that says what the parts hold.
pub(super) fn manifest(
    stage: &Recorder<'_>,
    (function, path): (&str, &str),
    value: &impl Serialize,
) -> Result<(), Diagnostic> {
    let bytes = script::call(function, value);
    let bytes = bytes.map_err(|error| spool::refused(&error.into()))?;
    stage.write(path, &bytes)
}
