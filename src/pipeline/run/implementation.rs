//! How the working tree of a run is published: as one archive and never as files of the site, so that no page, picture or
//! script of a recorded run is ever answered as one of the site's.

use std::io::{self, Write};

use flate2::{Compression, GzBuilder};
use tar::{Builder, EntryType, Header};

use crate::diagnostics::Diagnostic;
use crate::load::Beside;
use crate::model::implementation::File;

use super::CheckedRun;
use super::files::{Files, StageError};

/// The archive's name beside the page of its run.
pub(super) const NAME: &str = "implementation.tar.gz";
/// The same everywhere: another level gives other bytes.
const LEVEL: u32 = 6;

/// Writes the archive, where there are files to publish. The same files give the same bytes: no time, no owner, and the order of
/// the paths.
pub(super) fn write(run: &CheckedRun<'_>, files: &mut Files<'_>) -> Result<(), StageError> {
    let implementation = &run.inspected.implementation.files;
    if implementation.is_empty() {
        return Ok(());
    }
    let path = run.own_file(NAME);
    // Every file was read before, and to pack them is what takes longest.
    if files.is_dry_run() {
        return files.planned(&path, 0);
    }
    let mut refused = None;
    let written = files.stream(&path, |out| {
        let out = GzBuilder::new().write(out, Compression::new(LEVEL));
        let mut archive = Builder::new(out);
        for file in implementation {
            if let Some(problem) = append(&mut archive, run.beside(), file)? {
                refused = Some(problem);
                return Err(io::Error::other("a file was changed"));
            }
        }
        archive.into_inner()?.finish().map(drop)
    });
    refused.map_or(written, |problem| Err(StageError::Site(problem)))
}

/// Appends a file; gives the problem when it is not what it was when its digest was taken.
fn append(
    archive: &mut Builder<impl Write>,
    beside: Beside<'_>,
    file: &File,
) -> io::Result<Option<Diagnostic>> {
    let mut reader = match beside.working_reader(&file.digest) {
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
