//! Adopts the files of a part into the site, and checks each against its digest.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use base::diagnostics::text::quoted;
use base::diagnostics::{Diagnostic, Place, codes};
use base::files::{Folder, Stamp};

use super::files::ContentDigest;
use super::ownership::resolve;
use super::{MARKER, Stage, StageFolders, failed, write_failed};

/// The file that describes a part.
pub const PART_FILE: &str = "part.runpress";

/// A file of a new site, as a cache or a part lists it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct OutputFile {
    /// Relative to the root of the site and of the part.
    pub path: String,
    pub bytes: u64,
    digest: ContentDigest,
}

/// Whether two folders are the same, or one contains the other.
pub fn overlap(one: &Path, other: &Path) -> bool {
    match (resolve(one), resolve(other)) {
        (Ok(one), Ok(other)) => one.starts_with(&other) || other.starts_with(&one),
        _ => false,
    }
}

/// Refuses to replace a site, recognized by the path of its ledger, by a part, or a part by a site.
pub fn examine_kind(
    out: &Path,
    shown: &str,
    writes_part: bool,
    ledger: &str,
) -> Result<(), Diagnostic> {
    let has = |path: &str| out.join(path).symlink_metadata().is_ok();
    let is_ours = has(MARKER);
    let (message, help) = if writes_part && is_ours && has(ledger) {
        (
            "contains a site",
            "Choose another `--out` for the part: it would replace the site and its ledger.",
        )
    } else if !writes_part && is_ours && has(PART_FILE) {
        (
            "contains a part",
            "Choose another output folder: a build would replace the part.",
        )
    } else {
        return Ok(());
    };
    Err(codes::PUBLISH_FOREIGN_FOLDER.at(
        Place::file(shown),
        format!("The folder {} {message}", quoted(shown)),
        help,
    ))
}

impl Stage {
    /// Size and digest of files of the new site; `None` if one is missing.
    pub fn output_files(&self, paths: &[String]) -> Option<Vec<OutputFile>> {
        let files = paths.iter().map(|path| {
            let (bytes, digest) = self.files.size_and_digest(path)?;
            let path = path.clone();
            Some(OutputFile {
                path,
                bytes,
                digest,
            })
        });
        files.collect()
    }

    /// Adopts files from a part: hard-linked if the file system supports it, else copied. Returns the path of a file that was
    /// modified, if there is one.
    pub fn adopt_files(
        &self,
        part: &Path,
        files: &[OutputFile],
    ) -> Result<Option<String>, Diagnostic> {
        let mode = self.folders.as_ref().map_or(Ok(0), StageFolders::mode);
        let mode = mode.map_err(|error| failed(MARKER, &error))?;
        for file in files {
            self.files.reserve(&file.path)?;
            if let Some(folders) = &self.folders
                && !self.files.reuse_if_same(&file.path, &file.digest)
            {
                let linked = folders.link_checked(part, file, mode);
                match linked.map_err(|error| write_failed(&file.path, &error))? {
                    Some(stamp) => self
                        .files
                        .record_staged(&file.path, file.digest.clone(), stamp),
                    None => return Ok(Some(file.path.clone())),
                }
            }
            self.count(&file.path, file.bytes);
        }
        Ok(None)
    }

    /// Adopts a file that `write` creates in the staging folder.
    pub fn write_with(
        &self,
        path: &str,
        write: impl FnOnce(&Path) -> Option<()>,
    ) -> Result<(), Diagnostic> {
        let Some(folders) = &self.folders else {
            return Ok(());
        };
        self.files.reserve(path)?;
        let file = || {
            write(&folders.staging).ok_or_else(|| io::Error::other("it cannot be written"))?;
            // A temporary file is readable by its owner only; the part may be read by others.
            let marker = fs::metadata(folders.staging.join(MARKER))?;
            fs::set_permissions(folders.staging.join(path), marker.permissions())?;
            let folder = Folder::open(&folders.staging)?;
            let digest = ContentDigest::of_file(&folder, Path::new(path));
            let digest = digest.ok_or_else(|| io::Error::other("it cannot be read back"))?;
            Ok((digest, fs::metadata(folders.staging.join(path))?))
        };
        let (digest, meta) = file().map_err(|error| failed(path, &error))?;
        self.files.record_staged(path, digest, Stamp::of(&meta));
        self.count(path, meta.len());
        Ok(())
    }
}

impl StageFolders {
    /// The mode of new files of the site: what the user mask of this build leaves.
    fn mode(&self) -> io::Result<u32> {
        let marker = fs::symlink_metadata(self.staging.join(MARKER))?;
        Ok(Stamp::of(&marker).mode)
    }

    /// Puts a file of a part into the stage; `None` if it is missing or unreadable, or if its size or digest differs.
    fn link_checked(&self, part: &Path, file: &OutputFile, mode: u32) -> io::Result<Option<Stamp>> {
        let (from, to) = (part.join(&file.path), self.staging.join(&file.path));
        if let Err(error) = self.link(part, &file.path) {
            return File::open(&from).map_or(Ok(None), |_| Err(error));
        }
        if Stamp::of(&fs::symlink_metadata(&to)?).mode != mode {
            // The shard had a different user mask, so a web server may not be able to read its files.
            fs::remove_file(&to)?;
            io::copy(&mut File::open(&from)?, &mut File::create_new(&to)?)?;
        }
        // Checked at its new path: the names in the part may change in the meantime.
        let folder = Folder::open(&self.staging)?;
        let is_same = file.digest.is_of(&folder, Path::new(&file.path));
        let meta = fs::symlink_metadata(&to)?;
        if meta.len() == file.bytes && is_same {
            return Ok(Some(Stamp::of(&meta)));
        }
        fs::remove_file(&to)?;
        Ok(None)
    }
}
