//! How data for the site's own scripts is written: part by part, so that it is never held whole.

use serde::Serialize;

use crate::diagnostics::Diagnostic;
use crate::render::parts::{Part, Parts, Sizes};
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

    /// The same, with parts of this size.
    pub(super) const fn sized(
        stage: &'a Recorder<'a>,
        (function, sizes): (&'static str, Sizes),
        prefix: &'a str,
    ) -> Self {
        Self {
            stage,
            prefix,
            parts: Parts::sized(function, sizes),
        }
    }

    /// Adds an item that is JSON already. When the part before it is full, that is written: `true`.
    pub(super) fn push_written(&mut self, key: &str, json: &[u8]) -> Result<bool, Diagnostic> {
        let full = self.parts.push_written(key, json);
        self.write(full)
    }

    /// Writes the last part, if there is one.
    pub(super) fn finish(&mut self) -> Result<bool, Diagnostic> {
        let last = self.parts.take();
        self.write(last)
    }

    fn write(&self, part: Option<Part>) -> Result<bool, Diagnostic> {
        let Some((name, bytes)) = part else {
            return Ok(false);
        };
        let path = format!("{}{name}.js", self.prefix);
        self.stage.write(&path, &bytes).map(|()| true)
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
