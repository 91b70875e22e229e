//! Writes the texts of search results, in files small enough to load one for a single result.

use base::diagnostics::Diagnostic;
use pages::render::parts::{PartBoundaries, PartSizes};

use super::reuse::ListStage;

/// Text numbers reserved per file.
pub(super) const SLOTS: usize = 256;
/// Bytes of texts after which an item ends, so that a long list gets several copies of its head.
const ITEM_BYTES: usize = 24_000;

/// The path of a numbered file of a list: a folder has at most 1,000 of them.
pub(super) fn file_path(name: &str, file: usize) -> String {
    format!("search/{name}-{}/{}.js", file / 1_000, file % 1_000)
}

/// Texts in `search/<name>-<folder>/<file>.js`. The number of a text encodes its file and its position in it.
pub(super) struct TextFiles<'a> {
    stage: &'a ListStage<'a>,
    function: &'static str,
    sizes: PartSizes,
    name: String,
    /// Number of files, with the one in `json`.
    files: usize,
    /// Texts in the last file.
    slots: usize,
    cut: PartBoundaries,
    json: Vec<u8>,
}

impl<'a> TextFiles<'a> {
    /// Texts for the function `runpress.<function>` of the scripts.
    pub(super) const fn new(
        stage: &'a ListStage<'a>,
        function: &'static str,
        sizes: PartSizes,
        name: String,
    ) -> Self {
        Self {
            stage,
            function,
            sizes,
            name,
            files: 0,
            slots: 0,
            cut: PartBoundaries::sized(function, sizes),
            json: Vec::new(),
        }
    }

    /// Adds an item of `texts` texts and returns the number of the first.
    pub(super) fn push(&mut self, key: &str, json: &[u8], texts: usize) -> Result<u32, Diagnostic> {
        let is_full = self.slots + texts > SLOTS;
        if is_full {
            self.cut = PartBoundaries::sized(self.function, self.sizes);
        }
        if self.cut.begins(key, json.len()) {
            self.finish()?;
            self.json = format!("runpress.{}([\n", self.function).into_bytes();
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

    /// Adds texts under a head, which itself counts as `own` texts. A large list is split into several items, each with the head.
    /// Returns the number of the first item, and of each text.
    pub(super) fn push_all(
        &mut self,
        key: &str,
        head: &[u8],
        own: usize,
        all: &[Vec<u8>],
    ) -> Result<(u32, Vec<u32>), Diagnostic> {
        let mut left = all;
        let mut first = None;
        let mut numbers = Vec::with_capacity(all.len());
        while first.is_none() || !left.is_empty() {
            let mut item = [b"[", head].concat();
            let mut taken = 0;
            while taken < left.len()
                && taken + own < SLOTS
                && (taken == 0 || item.len() < ITEM_BYTES)
            {
                item.push(b',');
                item.extend_from_slice(&left[taken]);
                taken += 1;
            }
            item.push(b']');
            let number = self.push(key, &item, own + taken)?;
            first.get_or_insert(number);
            numbers.extend((number..).skip(own).take(taken));
            left = &left[taken..];
        }
        Ok((first.unwrap_or_default(), numbers))
    }

    /// Writes the last file.
    pub(super) fn finish(&mut self) -> Result<(), Diagnostic> {
        if self.json.is_empty() {
            return Ok(());
        }
        self.json.extend_from_slice(b"\n])\n");
        let path = file_path(&self.name, self.files - 1);
        self.stage.write(&path, &std::mem::take(&mut self.json))
    }
}
