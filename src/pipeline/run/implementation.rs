//! Publishes the working tree of a run as one archive, and never as files of the site: no page, image or script of a recorded run
//! may be served as part of the site.

use std::io::{self, Write};

use flate2::{Compression, GzBuilder};
use tar::{Builder, EntryType, Header};

use base::diagnostics::Diagnostic;
use content::load::RunFiles;
use formats::model::implementation::ImplementationFile;
use pages::view::run::IMPLEMENTATION_ARCHIVE;

use super::CheckedRun;
use super::files::{RunStage, StageError};

/// Fixed, because a different level produces different bytes.
const LEVEL: u32 = 6;

/// Writes the archive, if there are files to publish. Reproducible: without times and owners, and in path order.
pub(super) fn write(run: &CheckedRun<'_>, files: &mut RunStage<'_>) -> Result<(), StageError> {
    let implementation = &run.inspection.implementation.files;
    if implementation.is_empty() {
        return Ok(());
    }
    let path = run.own_file(IMPLEMENTATION_ARCHIVE);
    // Every file was read before, and packing them takes longest.
    if files.is_dry_run() {
        return files.planned(&path, 0);
    }
    let mut refused = None;
    let written = files.stream(&path, |out| {
        let out = GzBuilder::new().write(out, Compression::new(LEVEL));
        let mut archive = Builder::new(out);
        for file in implementation {
            if let Some(problem) = append(&mut archive, run.files, file)? {
                refused = Some(problem);
                return Err(io::Error::other("a file was changed"));
            }
        }
        archive.into_inner()?.finish().map(drop)
    });
    refused.map_or(written, |problem| Err(StageError::Site(problem)))
}

/// Appends a file; returns the problem if it changed since its digest was computed.
fn append(
    archive: &mut Builder<impl Write>,
    files: &RunFiles,
    file: &ImplementationFile,
) -> io::Result<Option<Diagnostic>> {
    let mut reader = match files.working_reader(&file.digest) {
        Ok(reader) => reader,
        Err(problem) => return Ok(Some(problem)),
    };
    let mut header = Header::new_gnu();
    header.set_entry_type(EntryType::Regular);
    header.set_size(file.digest.published_bytes());
    header.set_mode(if file.executable { 0o755 } else { 0o644 });
    header.set_uid(0);
    header.set_gid(0);
    header.set_mtime(0);
    archive.append_data(&mut header, &file.digest.path, &mut reader)?;
    Ok(reader.finish().err())
}
