//! Writes the texts that search leads to, in files that are small enough to be loaded for one result.

use crate::diagnostics::Diagnostic;
use crate::render::parts::{Cut, Sizes};

use super::reuse::Recorder;

/// Texts that a file has numbers for.
pub(super) const SLOTS: usize = 256;
/// Files in a folder.
const IN_FOLDER: usize = 1_000;
const FUNCTION: &str = "search";
const SIZES: Sizes = Sizes {
    most: 32_000,
    enough: 10_000,
    beginners: 4,
};

/// Texts in `search/<name>-<folder>/<file>.js`. The number of a text says where it is: its file, and its place in it.
pub(super) struct Texts<'a> {
    stage: &'a Recorder<'a>,
    name: &'static str,
    /// Files that were begun.
    files: usize,
    /// Texts in the last of them.
    slots: usize,
    cut: Cut,
    json: Vec<u8>,
}

impl<'a> Texts<'a> {
    pub(super) const fn new(stage: &'a Recorder<'a>, name: &'static str) -> Self {
        Self {
            stage,
            name,
            files: 0,
            slots: 0,
            cut: Cut::sized(FUNCTION, SIZES),
            json: Vec::new(),
        }
    }

    /// Adds an item with so many texts; answers the number of the first.
    pub(super) fn push(&mut self, key: &str, json: &[u8], texts: usize) -> Result<u32, Diagnostic> {
        let is_full = self.slots + texts > SLOTS;
        if is_full {
            self.cut = Cut::sized(FUNCTION, SIZES);
        }
        if self.cut.begins(key, json.len()) {
            self.finish()?;
            self.json = format!("runpress.{FUNCTION}([\n").into_bytes();
            self.files += 1;
            self.slots = 0;
        } else {
            self.json.extend_from_slice(b",\n");
        }
        self.json.extend_from_slice(json);
        let number = (self.files - 1) * SLOTS + self.slots;
        self.slots += texts;
        Ok(u32::try_from(number).unwrap_or(u32::MAX))
    }

    /// Writes the last file.
    pub(super) fn finish(&mut self) -> Result<(), Diagnostic> {
        if self.json.is_empty() {
            return Ok(());
        }
        self.json.extend_from_slice(b"\n])\n");
        let file = self.files - 1;
        let path = format!(
            "search/{}-{}/{}.js",
            self.name,
            file / IN_FOLDER,
            file % IN_FOLDER
        );
        self.stage.write(&path, &std::mem::take(&mut self.json))
    }
}
