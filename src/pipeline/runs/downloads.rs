//! Knows which files can be downloaded beside the page of a run.

use std::collections::BTreeMap;

use std::io;

use crate::load;
use crate::model::FileDigest;
use crate::model::transcript::AssetContent;
use crate::view::links;

use super::archive;
use super::files::{Files, Unwritten};
use super::output::RunOutput;

impl RunOutput<'_> {
    /// The working tree as one archive, where it is published; gives its size.
    pub(super) fn write_implementation(
        &self,
        files: &mut Files<'_>,
        slug: &str,
    ) -> Result<Option<u64>, Unwritten> {
        let implementation = &self.inspected.implementation;
        if implementation.files.is_empty() {
            return Ok(None);
        }
        let path = links::run_file(slug, archive::NAME);
        let written = archive::write(files.stage, &path, self.directory, implementation)?;
        let bytes = written.bytes;
        files.streamed(&written)?;
        Ok(Some(bytes))
    }

    /// Public assets of the transcript, each once, under names that say what they hold.
    pub(super) fn write_assets(&self, files: &mut Files<'_>, slug: &str) -> Result<(), Unwritten> {
        let assets = self
            .inspected
            .conversation
            .iter()
            .flat_map(|conversation| &conversation.assets);
        let assets: BTreeMap<&str, &AssetContent> = assets
            .filter_map(|asset| asset.file.as_deref())
            .map(|file| (file.name.as_str(), &file.content))
            .collect();
        for (name, content) in assets {
            let path = links::run_file(slug, &format!("assets/{name}"));
            match content {
                AssetContent::Held(bytes) => files.write(&path, bytes)?,
                AssetContent::File(digest) => self.copy_asset(files, &path, digest)?,
            }
        }
        Ok(())
    }

    /// Copies an asset piece by piece.
    fn copy_asset(
        &self,
        files: &mut Files<'_>,
        path: &str,
        digest: &FileDigest,
    ) -> Result<(), Unwritten> {
        if files.stage.rehearses() {
            return files.planned(path, digest.bytes);
        }
        let limits = &self.site.config.limits;
        let mut asset =
            load::asset_reader(self.directory, digest, limits).map_err(Unwritten::Run)?;
        files.stream(path, |out| io::copy(&mut asset, out).map(drop))?;
        asset.finish().map_err(Unwritten::Run)
    }

    /// Event logs, tapes and sidecars, byte for byte as they were checked.
    pub(super) fn write_downloads(
        &self,
        files: &mut Files<'_>,
        slug: &str,
    ) -> Result<Vec<String>, Unwritten> {
        if !self.site.config.policy.publish_events {
            return Ok(Vec::new());
        }
        let downloads = self
            .files
            .events
            .iter()
            .chain(&self.files.tapes)
            .chain(&self.files.sidecars);
        downloads
            .map(|file| {
                files.write(&links::run_file(slug, &file.name), &file.bytes)?;
                Ok(file.name.clone())
            })
            .collect()
    }
}
