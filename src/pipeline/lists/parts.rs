//! Writes data for the site's scripts part by part, so it is never in memory as a whole.

use serde::Serialize;

use base::diagnostics::Diagnostic;
use pages::render::parts::{PartSizes, ScriptPart, ScriptParts};
use pages::render::script;

use super::reuse::ListStage;
use super::write_error;

/// Data written to `<prefix><part>.js`.
pub(super) struct PartFiles<'a> {
    stage: &'a ListStage<'a>,
    prefix: &'a str,
    pub(super) parts: ScriptParts,
}

impl<'a> PartFiles<'a> {
    /// Data for the function `runpress.<function>` of the scripts.
    pub(super) const fn new(
        stage: &'a ListStage<'a>,
        function: &'static str,
        prefix: &'a str,
    ) -> Self {
        Self {
            stage,
            prefix,
            parts: ScriptParts::new(function),
        }
    }

    /// Like [`PartFiles::new`], with parts of these sizes.
    pub(super) const fn sized(
        stage: &'a ListStage<'a>,
        function: &'static str,
        sizes: PartSizes,
        prefix: &'a str,
    ) -> Self {
        Self {
            stage,
            prefix,
            parts: ScriptParts::sized(function, sizes),
        }
    }

    /// Adds an item of JSON. Returns `true` if this filled the previous part, which is then written.
    pub(super) fn push_written(&mut self, key: &str, json: &[u8]) -> Result<bool, Diagnostic> {
        let full = self.parts.push_written(key, json);
        self.write(full)
    }

    /// Writes the last part, if any.
    pub(super) fn finish(&mut self) -> Result<bool, Diagnostic> {
        let last = self.parts.take();
        self.write(last)
    }

    fn write(&self, part: Option<ScriptPart>) -> Result<bool, Diagnostic> {
        let Some((name, bytes)) = part else {
            return Ok(false);
        };
        let path = format!("{}{name}.js", self.prefix);
        self.stage.write(&path, &bytes).map(|()| true)
    }
}

/// Writes a value as a script, such as the manifest of the parts.
pub(super) fn write_script(
    stage: &ListStage<'_>,
    function: &str,
    path: &str,
    value: &impl Serialize,
) -> Result<(), Diagnostic> {
    let bytes = script::call(function, value).map_err(write_error(path))?;
    stage.write(path, &bytes)
}
