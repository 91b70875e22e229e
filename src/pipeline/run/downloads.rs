//! Writes event logs, tapes and sidecars, byte for byte as they were checked, or compresses them for their pack.

use std::io::Write;

use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};

use crate::config::Downloads;
use crate::diagnostics::Diagnostic;
use crate::load::{Loaded, RunFiles};
use crate::model::findings::Member;
use crate::model::tape::Tape;
use crate::site::Site;
use crate::spool::Texts;

use super::files::{Files, StageError};
use super::{CheckedRun, unwritten};

/// Fixed, because a different level produces different bytes.
const LEVEL: u32 = 6;

pub(super) fn write(run: &CheckedRun<'_>, files: &mut Files<'_>) -> Result<(), StageError> {
    if run.site.config.publish.downloads != Downloads::Files {
        return Ok(());
    }
    // Recorded files stay unchanged, so the canary has its own file.
    if let Some(canary) = &run.site.config.policy.canary {
        let canary = format!("{canary}\n");
        files.write(&run.own_file("canary.txt"), canary.as_bytes())?;
    }
    downloads(run.site, run.files, &run.inspected.tapes)
        .try_for_each(|file| files.write(&run.own_file(&file.name), &file.bytes))
}

/// The files for the pack of the run.
pub(super) fn members(
    run: &CheckedRun<'_>,
    is_dry_run: bool,
    texts: &mut Texts,
) -> Result<Vec<Member>, Diagnostic> {
    if run.site.config.publish.downloads != Downloads::Packed {
        return Ok(Vec::new());
    }
    downloads(run.site, run.files, &run.inspected.tapes)
        .map(|file| {
            let bytes = if is_dry_run {
                &[]
            } else {
                file.bytes.as_slice()
            };
            member(&file.name, bytes, texts)
        })
        .collect()
}

/// Compresses a file for a pack.
pub(in crate::pipeline) fn member(
    name: &str,
    bytes: &[u8],
    texts: &mut Texts,
) -> Result<Member, Diagnostic> {
    let mut compressed = DeflateEncoder::new(Vec::new(), Compression::new(LEVEL));
    let written = compressed.write_all(bytes);
    let compressed = written.and_then(|()| compressed.finish());
    let compressed = compressed.map_err(|error| unwritten(name, &error))?;
    let mut crc = Crc::new();
    crc.update(bytes);
    Ok(Member {
        file: name.to_owned(),
        bytes: bytes.len() as u64,
        blake3: blake3::hash(bytes).into(),
        crc32: crc.sum(),
        at: texts.put(&compressed),
    })
}

pub(super) fn names(site: &Site, files: &RunFiles, tapes: &[Tape<'_>]) -> Vec<String> {
    downloads(site, files, tapes)
        .map(|file| file.name.clone())
        .collect()
}

fn downloads<'a>(
    site: &Site,
    files: &'a RunFiles,
    tapes: &[Tape<'_>],
) -> impl Iterator<Item = &'a Loaded> {
    let publishes = site.config.policy.publish_events;
    let is_withheld = |file: &Loaded| {
        tapes
            .iter()
            .any(|tape| tape.file == file.name && tape.withheld > 0)
    };
    let logs = files.events.iter().chain(&files.tapes);
    logs.chain(&files.sidecars)
        .filter(move |file| publishes && !is_withheld(file))
}
