//! The difference between two sites, for incremental uploads.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde::Serialize;

use crate::beneath::{self, Folder, Kind, Tree, is_gone};

use super::MARKER;
use super::ours::resolve;
use crate::diagnostics::text::{quoted, visible};
use crate::diagnostics::{Diagnostic, Place, codes};

/// Size and BLAKE3 of each file of a site, by path.
#[derive(Debug, Default, PartialEq, Eq)]
struct Manifest(BTreeMap<String, (u64, [u8; 32])>);

/// The changes that turn the earlier site into this one.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Plan {
    schema_version: u32,
    /// New files.
    added: Vec<Planned>,
    /// Files whose content changed.
    changed: Vec<Planned>,
    /// Deleted files, with their old size and digest.
    removed: Vec<Planned>,
}

/// A file of a plan.
#[derive(Debug, Serialize, PartialEq, Eq, PartialOrd, Ord)]
struct Planned {
    /// Relative to the site's root, with `/`.
    path: String,
    /// Size in bytes.
    bytes: u64,
    /// BLAKE3, hexadecimal.
    blake3: String,
}

impl Manifest {
    /// Reads every file of a site. A missing folder gives an empty manifest.
    fn of(site: &Path) -> io::Result<Self> {
        let folder = match Folder::open(site) {
            Err(error) if is_gone(&error) => return Ok(Self::default()),
            opened => opened?,
        };
        let mut files = Vec::new();
        let mut sealed = false;
        Tree::of(&folder, MARKER)?.each(&mut |path, found| match (path, found.kind) {
            (Some(path), Kind::File { .. }) => files.push((path.to_owned(), found.stamp.bytes)),
            (_, Kind::Sealed) => sealed = true,
            _ => {}
        });
        let unreadable = |path: &str| io::Error::other(format!("{path} cannot be read"));
        if sealed {
            return Err(unreadable("a folder in it"));
        }
        let files = files.into_par_iter().map(|(path, bytes)| {
            let digest = folder.digest(Path::new(&path));
            let digest = digest.ok_or_else(|| unreadable(&path))?;
            Ok((path, (bytes, digest)))
        });
        files.collect::<io::Result<_>>().map(Self)
    }

    /// The changes since an earlier site.
    fn since(&self, before: &Self) -> Plan {
        let planned = |(path, (bytes, digest)): (&String, &(u64, [u8; 32]))| Planned {
            path: path.clone(),
            bytes: *bytes,
            blake3: blake3::Hash::from_bytes(*digest).to_hex().to_string(),
        };
        let new = self
            .0
            .iter()
            .filter(|(path, _)| !before.0.contains_key(*path));
        let other = |(path, file): &(&String, &(u64, [u8; 32]))| {
            before.0.get(*path).is_some_and(|old| old != *file)
        };
        let gone = before
            .0
            .iter()
            .filter(|(path, _)| !self.0.contains_key(*path));
        Plan {
            schema_version: 1,
            added: new.map(planned).collect(),
            changed: self.0.iter().filter(other).map(planned).collect(),
            removed: gone.map(planned).collect(),
        }
    }
}

/// The file of a plan, and the earlier site. Opened before the build: if the plan could not be written after it, the
/// changes would be in no plan, since the next build compares with the new site.
#[derive(Debug)]
pub struct PlanFile {
    file: File,
    path: PathBuf,
    is_new: bool,
    before: Manifest,
}

impl PlanFile {
    /// Opens the file, and reads the earlier site.
    pub fn open(path: &Path, site: &Path, previous: &Path) -> Result<Self, Diagnostic> {
        let shown = path.to_string_lossy();
        let refused = |why: &str, help: &str| {
            let shown = visible(&shown);
            let message = format!("The plan cannot be written to {}: {why}", quoted(&shown));
            codes::PUBLISH_PLAN.at(Place::file(&*shown), message, help)
        };
        let is_inside = |folder: PathBuf| resolve(path).is_ok_and(|path| path.starts_with(folder));
        if resolve(site).is_ok_and(is_inside) {
            let why = "it would be inside the site";
            return Err(refused(why, "Choose a file outside of the output folder."));
        }
        let before = Manifest::of(previous).map_err(|error| {
            let help = "Make the earlier site readable, or pass a copy of it with `--previous`.";
            refused(&format!("the earlier site cannot be read: {error}"), help)
        })?;
        let is_new = fs::symlink_metadata(path).is_err_and(|error| is_gone(&error));
        let file = beneath::output(path).map_err(|error| {
            let help = "Choose a file in an existing, writable folder.";
            refused(&error.to_string(), help)
        })?;
        let path = path.to_owned();
        Ok(Self {
            file,
            path,
            is_new,
            before,
        })
    }

    /// Writes the changes that turn the earlier site into the new one.
    pub fn write(mut self, site: &Path) -> io::Result<()> {
        let mut json = serde_json::to_vec_pretty(&Manifest::of(site)?.since(&self.before))?;
        json.push(b'\n');
        // Not for pipes and devices.
        if self.file.metadata()?.is_file() {
            self.file.set_len(0)?;
        }
        self.file.write_all(&json)?;
        self.is_new = false;
        Ok(())
    }
}

impl Drop for PlanFile {
    /// A build that publishes nothing leaves no plan.
    fn drop(&mut self) {
        if self.is_new {
            let _ = fs::remove_file(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest(files: &[(&str, &[u8])]) -> Manifest {
        let files = files.iter().map(|(path, bytes)| {
            let digest = blake3::hash(bytes).into();
            ((*path).to_owned(), (bytes.len() as u64, digest))
        });
        Manifest(files.collect())
    }

    #[test]
    fn a_plan_has_what_is_new_what_changed_and_what_is_gone() {
        let before = manifest(&[("a", b"1"), ("b", b"2"), ("d", b"4")]);
        let after = manifest(&[("a", b"1"), ("b", b"3"), ("c", b"2")]);
        let plan = after.since(&before);
        let paths = |files: &[Planned]| {
            files
                .iter()
                .map(|file| file.path.clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            [
                paths(&plan.added),
                paths(&plan.changed),
                paths(&plan.removed)
            ],
            [["c"], ["b"], ["d"]]
        );
        assert_eq!(plan.added[0].blake3, blake3::hash(b"2").to_hex().as_str());
    }

    #[test]
    fn a_site_that_is_not_there_has_no_files() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        assert_eq!(
            Manifest::of(&folder.path().join("none"))?,
            Manifest::default()
        );
        std::fs::create_dir(folder.path().join("runs"))?;
        std::fs::write(folder.path().join("runs/index.html"), "<p>")?;
        std::fs::write(folder.path().join(MARKER), "ours")?;
        assert_eq!(
            Manifest::of(folder.path())?,
            manifest(&[("runs/index.html", b"<p>")])
        );
        Ok(())
    }
}
