//! Writes the public assets of the transcript and the images declared in the record, each once, under content-based names.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use formats::model::FileDigest;
use formats::model::transcript::AssetContent;

use super::files::{RunStage, StageError};
use super::{CheckedRun, path};

pub(super) fn write(run: &CheckedRun<'_>, files: &mut RunStage<'_>) -> Result<(), StageError> {
    let conversation = run.inspection.conversation.iter();
    let pictures = &run.inspection.pictures;
    let pictures = pictures.proofs.values().chain(pictures.showcase.values());
    let assets: BTreeMap<&str, &AssetContent> = conversation
        .flat_map(|conversation| &conversation.assets)
        .filter_map(|asset| asset.file.as_deref())
        .chain(pictures.map(Arc::as_ref))
        .map(|file| (file.name.as_str(), &file.content))
        .collect();
    for (name, content) in assets {
        let path = path(run, &format!("assets/{name}"));
        match content {
            AssetContent::Bytes(bytes) => files.write(&path, bytes)?,
            AssetContent::File(digest) => copy(run, files, &path, digest)?,
        }
    }
    Ok(())
}

/// Copies an asset in chunks.
fn copy(
    run: &CheckedRun<'_>,
    files: &mut RunStage<'_>,
    path: &str,
    digest: &FileDigest,
) -> Result<(), StageError> {
    if files.is_dry_run() {
        return files.planned(path, digest.bytes);
    }
    let asset = run.files.asset_reader(digest);
    let mut asset = asset.map_err(StageError::Run)?;
    files.stream(path, |out| io::copy(&mut asset, out).map(drop))?;
    asset.finish().map_err(StageError::Run)
}
