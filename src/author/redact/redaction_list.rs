//! The lines of `redactions.jsonl`. Existing lines are kept byte for byte, unless the text around their spans is now published
//! differently.

use std::collections::{BTreeMap, BTreeSet};

use crate::Refusal;
use crate::annotate::json;
use base::diagnostics::text::quoted;
use content::discover::RunDirectory;
use formats::redactions::{self, FILE_NAME, Occurrence, Redaction, RewriteError, RewrittenFile};

use super::original_files::OriginalFiles;

/// A redaction in the file, or one that is added to it.
pub(super) struct ListedRedaction {
    pub(super) redaction: Redaction,
    /// The original line; `None` if the redaction is new or changed.
    line: Option<String>,
    pub(super) is_new: bool,
}

/// The redactions of a run.
pub(super) struct RedactionList {
    pub(super) entries: Vec<ListedRedaction>,
    /// The current file; `None` if missing.
    pub(super) old: Option<Vec<u8>>,
}

impl RedactionList {
    /// Reads the existing redactions.
    pub(super) fn read(directory: &RunDirectory) -> Result<Self, Refusal> {
        let old = match base::files::read(&directory.path().join(FILE_NAME)) {
            Ok(bytes) => Some(bytes),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            Err(error) => {
                let shown = quoted(&format!("{}/{FILE_NAME}", directory.shown));
                return Err(Refusal::request(
                    format!("The file {shown} cannot be read: {error}"),
                    "Replace it with a regular, readable file, or remove it.",
                ));
            }
        };
        let shown = format!("{}/{FILE_NAME}", directory.shown);
        let (found, problems) = redactions::parse(&shown, old.as_deref().unwrap_or_default());
        if !problems.is_empty() {
            return Err(Refusal::Content(problems));
        }
        let entries = found.into_iter().map(|(redaction, line)| ListedRedaction {
            redaction,
            line: Some(line.text.into_owned()),
            is_new: false,
        });
        let entries = entries.collect();
        Ok(Self { entries, old })
    }

    /// An unused id: `r` and one more than the highest number in the file.
    pub(super) fn free_id(&self) -> String {
        let number =
            |entry: &ListedRedaction| entry.redaction.id.strip_prefix('r')?.parse::<u64>().ok();
        let highest = self.entries.iter().filter_map(number).max();
        format!("r{}", highest.unwrap_or(0).saturating_add(1))
    }

    pub(super) fn push(&mut self, redaction: Redaction) {
        self.entries.push(ListedRedaction {
            redaction,
            line: None,
            is_new: true,
        });
    }

    /// Removes and returns a redaction.
    pub(super) fn remove(&mut self, id: &str) -> Option<Redaction> {
        let at = self.position(id)?;
        Some(self.entries.remove(at).redaction)
    }

    /// The index of a redaction.
    pub(super) fn position(&self, id: &str) -> Option<usize> {
        let mut entries = self.entries.iter();
        entries.position(|entry| entry.redaction.id == id)
    }

    /// Whether a span overlaps or touches a withheld one.
    pub(super) fn covers(&self, file: &str, found: &Occurrence) -> bool {
        self.entries.iter().any(|entry| {
            let it = &entry.redaction;
            let is_same_text = it.file == file
                && it.pointer == found.pointer
                && (it.whole
                    || if found.event.is_some() && it.event.is_some() {
                        it.event == found.event
                    } else {
                        it.line == found.line
                    });
            let (start, end) = (it.start.unwrap_or(0), it.end.unwrap_or(usize::MAX));
            it.file == file && it.whole
                || is_same_text && found.span.start < end && start < found.span.end
        })
    }

    /// The file with these redactions applied, and the text that each withholds; `None` if the whole file is withheld.
    pub(super) fn rewrite(
        &self,
        file: &str,
        bytes: &[u8],
        is_checked: bool,
    ) -> Result<Option<RewrittenFile>, (usize, RewriteError)> {
        let indices = self.of_file(file);
        if indices.iter().any(|at| self.entries[*at].redaction.whole) {
            return Ok(None);
        }
        let list: Vec<_> = indices
            .iter()
            .map(|at| &self.entries[*at].redaction)
            .collect();
        let rewritten = redactions::rewrite(file, bytes, &list, is_checked);
        rewritten.map(Some).map_err(|fault| match fault {
            RewriteError::Stale(at, _) | RewriteError::Overlap(_, at) => (indices[at], fault),
        })
    }

    /// The indices of the redactions of a file.
    pub(super) fn of_file(&self, file: &str) -> Vec<usize> {
        let all = self.entries.iter().enumerate();
        all.filter(|(_, entry)| entry.redaction.file == file)
            .map(|(at, _)| at)
            .collect()
    }

    /// The files that have redactions.
    pub(super) fn files(&self) -> BTreeSet<String> {
        let files = self
            .entries
            .iter()
            .map(|entry| entry.redaction.file.clone());
        files.collect()
    }

    /// Updates the published text around every redaction, and returns the withheld texts, by index.
    pub(super) fn update_published(
        &mut self,
        originals: &OriginalFiles,
    ) -> Result<BTreeMap<usize, Vec<u8>>, (usize, RewriteError)> {
        let mut values = BTreeMap::new();
        for file in self.files() {
            let indices = self.of_file(&file);
            let Some(bytes) = originals.files.get(&file) else {
                continue;
            };
            let Some(rewritten) = self.rewrite(&file, bytes, false)? else {
                values.extend(indices.iter().map(|at| (*at, bytes.clone())));
                continue;
            };
            let found = indices
                .into_iter()
                .zip(rewritten.published)
                .zip(rewritten.values);
            for ((at, published), value) in found {
                let entry = &mut self.entries[at];
                if entry.redaction.published.as_ref() != Some(&published) {
                    entry.redaction.published = Some(published);
                    entry.line = None;
                }
                values.insert(at, value);
            }
        }
        Ok(values)
    }

    /// The new content of the file.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut text = String::new();
        for entry in &self.entries {
            match &entry.line {
                Some(line) => text.push_str(line),
                None => text.push_str(&json(&entry.redaction)),
            }
            text.push('\n');
        }
        text.into_bytes()
    }
}
