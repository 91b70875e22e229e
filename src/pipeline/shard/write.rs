//! Writes a shard as a part: the folders of its runs, and one file with everything else that a merge needs.

use crate::PROGRAM;
use std::collections::BTreeMap;
use std::path::Path;

use crate::cache::CacheUpdate;
use crate::gather::SiteContent;
use crate::site::Site;
use crate::summary::{RunPieces, RunSummaries, RunSummary};
use base::diagnostics::Failure;
use content::discover::Shard;
use store::cache::{CachePlaces, CacheWriter};
use store::publish::{PART_FILE, Stage};

use super::PartHead;

/// Adds the part file to the stage.
pub(crate) fn write(
    site: &Site,
    gathered: &SiteContent,
    shard: Shard,
    runs: &RunSummaries,
    stage: &Stage,
    cache: Option<&CacheUpdate<'_>>,
) -> Result<(), Failure> {
    let at = cache.map_or(0, CacheUpdate::scanned_at);
    let head = PartHead {
        number: shard.number(),
        count: shard.count(),
        at,
        ..PartHead::of(site, gathered)
    };
    let write = |folder: &Path| {
        let places = CachePlaces {
            folders: vec![folder.to_owned()],
            file_name: PART_FILE.to_owned(),
        };
        let writer = CacheWriter::create(&places, PROGRAM)?;
        let runs = runs.valid.iter().chain(&runs.invalid).map(|run| {
            let shown = gathered.directories[run.directory].place.shown.clone();
            Some((shown, write_run(run, cache, &writer)?))
        });
        let runs: BTreeMap<String, RunPieces> = runs.collect::<Option<_>>()?;
        writer.finish(&head, &runs)
    };
    stage
        .write_with(PART_FILE, write)
        .map_err(|problem| gathered.failed(vec![problem]))
}

fn write_run(
    summary: &RunSummary,
    cache: Option<&CacheUpdate<'_>>,
    writer: &CacheWriter,
) -> Option<RunPieces> {
    let (mut run, texts) = if let Some(pieces) = summary.cached {
        cache?.run_with_texts(pieces)?
    } else {
        (summary.clone(), Vec::new())
    };
    // The cache has the run from before its files were counted.
    run.read = summary.read;
    let texts = writer.put(&texts)?;
    run.write(writer, texts)
}
