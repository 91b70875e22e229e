//! Incremental lists: a list is reused from the last build if the digest of its inputs did not change.

use std::io::{self, Write};
use std::ops::Deref;
use std::sync::{Mutex, PoisonError};

use crate::site::Site;
use crate::summary::{Facet, Facets, hash_text};
use crate::{CacheUpdate, Outcome, SiteContent};
use base::diagnostics::Diagnostic;
use formats::model::FileDigest;
use store::publish::Stage;

use super::Lists;

/// A stage that records the paths written for a list.
pub(super) struct ListStage<'a> {
    stage: &'a Stage,
    /// The paths written so far; `None` if they are not recorded.
    paths: Option<Mutex<Vec<String>>>,
}

impl<'a> ListStage<'a> {
    /// The stage of all lists, whose paths are recorded list by list.
    pub(super) const fn of_all(stage: &'a Stage) -> Self {
        Self { stage, paths: None }
    }

    const fn of_one(stage: &'a Stage) -> Self {
        Self {
            stage,
            paths: Some(Mutex::new(Vec::new())),
        }
    }

    pub(super) fn write(&self, path: &str, bytes: &[u8]) -> Result<(), Diagnostic> {
        self.note(path);
        self.stage.write(path, bytes)
    }

    pub(super) fn stream(
        &self,
        path: &str,
        fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<FileDigest, Diagnostic> {
        self.note(path);
        if self.stage.is_dry_run() {
            // No template renders it, so a check only needs to know that its path is free.
            return self.stage.stream(path, |_| Ok(()));
        }
        self.stage.stream(path, fill)
    }

    fn note(&self, path: &str) {
        if let Some(paths) = &self.paths {
            let mut paths = paths.lock().unwrap_or_else(PoisonError::into_inner);
            paths.push(path.to_owned());
        }
    }
}

impl Deref for ListStage<'_> {
    type Target = Stage;

    fn deref(&self) -> &Stage {
        self.stage
    }
}

/// Digests of the inputs of lists. A list with other inputs is always rebuilt.
pub(super) struct ListKeys {
    /// Settings, prose, order, records, and the data that tables show of each run.
    common: [u8; 32],
    /// Each facet, over all runs.
    facets: [[u8; 32]; Facet::COUNT],
}

impl ListKeys {
    /// `None` if there is no cache, or if the digests of a run are unknown.
    pub(super) fn new(
        site: &Site,
        gathered: &SiteContent,
        outcome: &Outcome,
        cache: Option<&CacheUpdate<'_>>,
    ) -> Option<Self> {
        let mut common = blake3::Hasher::new();
        common.update(&site.settings());
        common.update(cache?.frame().as_bytes());
        common.update(format!("{:?}", gathered.prose.texts).as_bytes());
        let facets = combined(outcome.facets.as_ref()?);
        common.update(&facets[Facet::Listed as usize]);
        for entry in &gathered.archive.runs {
            common.update(&gathered.directory(entry).digest?);
            common.update(format!("{:?}", entry.decisions).as_bytes());
            for text in [&*entry.slug, &entry.label] {
                hash_text(&mut common, text);
            }
        }
        Some(Self {
            common: common.finalize().into(),
            facets,
        })
    }

    fn key(&self, name: &str, of: &[Facet]) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new();
        hasher.update(name.as_bytes()).update(&self.common);
        for facet in of {
            hasher.update(&self.facets[*facet as usize]);
        }
        hasher.finalize().into()
    }
}

/// One digest of each facet over all runs.
fn combined(runs: &[Facets]) -> [[u8; 32]; Facet::COUNT] {
    let mut hashers: [blake3::Hasher; Facet::COUNT] = Default::default();
    for run in runs {
        for (hasher, facet) in hashers.iter_mut().zip(run) {
            hasher.update(facet);
        }
    }
    hashers.map(|hasher| hasher.finalize().into())
}

impl Lists<'_> {
    /// Writes a list, or returns `None` if its files are up to date. `made_of` names its inputs in addition to the records and
    /// the findings that tables show; without it, the list is always rebuilt.
    pub(super) fn write_unless_cached<T>(
        &self,
        name: &str,
        made_of: Option<&[Facet]>,
        make: impl FnOnce(&Lists<'_>) -> Result<T, Diagnostic>,
    ) -> Result<Option<T>, Diagnostic> {
        let key = self.keys.and_then(|keys| Some(keys.key(name, made_of?)));
        self.write_unless_key_cached(name, key, make)
    }

    /// Like [`Lists::write_unless_cached`], with a digest of all inputs.
    pub(super) fn write_unless_key_cached<T>(
        &self,
        name: &str,
        key: Option<[u8; 32]>,
        make: impl FnOnce(&Lists<'_>) -> Result<T, Diagnostic>,
    ) -> Result<Option<T>, Diagnostic> {
        let cache = self.cache.zip(key);
        if let Some((cache, key)) = cache
            && let Some(paths) = cache.list(name, key)
            && self.stage.reuse_files(paths)
        {
            for path in paths {
                self.stage.note(path);
            }
            cache.add_list(name, key, paths.to_vec());
            return Ok(None);
        }
        let stage = ListStage::of_one(self.stage.stage);
        let lists = Lists {
            stage: &stage,
            ..*self
        };
        let made = make(&lists)?;
        let paths = stage.paths.and_then(|paths| paths.into_inner().ok());
        let paths = paths.unwrap_or_default();
        // This list may be nested in another one.
        for path in &paths {
            self.stage.note(path);
        }
        if let Some((cache, key)) = cache {
            cache.add_list(name, key, paths);
        }
        Ok(Some(made))
    }
}
