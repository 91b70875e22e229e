//! The difference between two sites, for incremental uploads.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use rayon::prelude::*;
use serde::Serialize;

use crate::beneath::{Folder, Kind, Tree, is_gone};

use super::MARKER;

/// Size and BLAKE3 of each file of a site, by path.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Manifest(BTreeMap<String, (u64, [u8; 32])>);

/// The changes that turn the earlier site into this one.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    schema_version: u32,
    /// New files.
    pub added: Vec<Planned>,
    /// Files whose content changed.
    pub changed: Vec<Planned>,
    /// Deleted files, with their old size and digest.
    pub removed: Vec<Planned>,
}

/// A file of a plan.
#[derive(Debug, Serialize, PartialEq, Eq, PartialOrd, Ord)]
pub struct Planned {
    /// Relative to the site's root, with `/`.
    pub path: String,
    /// Size in bytes.
    pub bytes: u64,
    /// BLAKE3, hexadecimal.
    pub blake3: String,
}

impl Manifest {
    /// Reads every file of a site. A missing folder gives an empty manifest.
    ///
    /// # Errors
    /// A folder or a file cannot be read.
    pub fn of(site: &Path) -> io::Result<Self> {
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
    #[must_use]
    pub fn since(&self, before: &Self) -> Plan {
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
