//! The files of the new site: which are staged, and which stay as they are in the output folder.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use twox_hash::XxHash3_128;

use base::diagnostics::Diagnostic;
use base::files::{EntryKind, Folder, Stamp, Tree};

use super::{BUFFER, MARKER, checksums, duplicate_path};

/// A file of a site, as a build wrote it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SiteFile {
    /// Digest of its content.
    pub digest: ContentDigest,
    /// Its stamp in the output folder; `None` if that is not certain.
    pub stamp: Option<Stamp>,
}

/// The digest of a file of a site. Feeds publish BLAKE3 digests, and checksums are SHA-256. Everything else uses XXH3, which is
/// ten times faster.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ContentDigest {
    Blake3([u8; 32]),
    /// XXH3 with 128 bits.
    Xxh3([u8; 16]),
    /// SHA-256, for a site with checksums, and BLAKE3 if a feed publishes it.
    Sha256 {
        sha256: [u8; 32],
        blake3: Option<[u8; 32]>,
    },
}

impl ContentDigest {
    pub(super) fn of(bytes: &[u8], is_listed: bool) -> Self {
        if is_listed {
            return Self::Sha256 {
                sha256: Sha256::digest(bytes).into(),
                blake3: None,
            };
        }
        Self::Xxh3(XxHash3_128::oneshot(bytes).to_le_bytes())
    }

    /// The BLAKE3 of the file; `None` if no feed publishes it.
    pub(super) const fn blake3(&self) -> Option<[u8; 32]> {
        match *self {
            Self::Blake3(blake3) => Some(blake3),
            Self::Xxh3(_) => None,
            Self::Sha256 { blake3, .. } => blake3,
        }
    }

    /// The XXH3 digest of a file in the folder; `None` if it cannot be read.
    pub(super) fn of_file(folder: &Folder, path: &Path) -> Option<Self> {
        xxh3_digest(folder, path).map(Self::Xxh3)
    }

    /// Whether a file in the folder has this digest.
    pub(super) fn is_of(&self, folder: &Folder, path: &Path) -> bool {
        match self {
            Self::Blake3(digest) => folder.digest(path) == Some(*digest),
            Self::Xxh3(digest) => xxh3_digest(folder, path) == Some(*digest),
            Self::Sha256 { sha256, .. } => sha256_digest(folder, path) == Some(*sha256),
        }
    }
}

fn xxh3_digest(folder: &Folder, path: &Path) -> Option<[u8; 16]> {
    let mut hasher = XxHash3_128::new();
    read(folder, path, |piece| hasher.write(piece))?;
    Some(hasher.finish_128().to_le_bytes())
}

fn sha256_digest(folder: &Folder, path: &Path) -> Option<[u8; 32]> {
    let mut hasher = Sha256::new();
    read(folder, path, |piece| hasher.update(piece))?;
    Some(hasher.finalize().into())
}

/// Reads a file in pieces; `None` if it cannot be read.
fn read(folder: &Folder, path: &Path, mut each: impl FnMut(&[u8])) -> Option<()> {
    let mut file = folder.unlinked_file(path)?;
    let mut piece = Vec::with_capacity(BUFFER);
    loop {
        let mut next = file.by_ref().take(BUFFER as u64);
        match next.read_to_end(&mut piece).ok()? {
            0 => return Some(()),
            _ => each(&piece),
        }
        piece.clear();
    }
}

/// The files of a site by path, as a build wrote them.
pub type SiteFiles = BTreeMap<String, SiteFile>;

/// The site in the output folder, as the last build wrote it.
#[derive(Debug, Default)]
pub struct LastSite {
    pub files: SiteFiles,
    /// When the stamps were taken; see [`Stamp::is_racy`].
    pub at: i64,
    /// What was in its folder before the build began.
    pub listing: Option<Tree>,
}

/// The output folder before the build.
#[derive(Debug)]
pub(super) struct OldSite {
    folder: Folder,
    known: LastSite,
    pub(super) tree: Tree,
}

/// The files of the new site so far.
#[derive(Debug, Default)]
pub(super) struct NewSite {
    /// `None` if all files are staged.
    pub(super) old: Option<OldSite>,
    /// Whether the site has checksums.
    pub(super) has_checksums: bool,
    new: Mutex<NewFiles>,
}

/// Files by path; `None` while a file is not written yet.
type NewFiles = BTreeMap<String, Option<NewFile>>;

/// A file of the new site.
#[derive(Debug)]
struct NewFile {
    digest: ContentDigest,
    stamp: Stamp,
    is_staged: bool,
}

/// Changes to the output folder, file by file.
#[derive(Debug, Default)]
pub(super) struct FileChanges {
    /// Files that are staged, new ones first.
    pub(super) staged: Vec<String>,
    /// Files to remove.
    pub(super) gone: Vec<String>,
    /// Folders to remove, inner ones first.
    pub(super) gone_folders: Vec<String>,
    /// Whether these changes can be made one after the other. That is impossible if a file replaces a folder, if a folder is
    /// not writable, or if names differ only in case, which are one name on some systems.
    pub(super) can_be_single: bool,
}

impl FileChanges {
    /// All paths that change.
    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        let gone = self.gone.iter().chain(&self.gone_folders);
        gone.chain(&self.staged).map(String::as_str)
    }
}

impl OldSite {
    /// Lists the output folder, unless it was listed before and its marker is the same: each build writes a new one. `None` if
    /// the folder cannot be read.
    pub(super) fn open(out: &Path, mut known: LastSite) -> Option<Self> {
        let folder = Folder::open(out).ok()?;
        let (_, marker) = folder.stat(Path::new(MARKER))?;
        let listing = known.listing.take();
        let listing = listing.filter(|tree| cfg!(unix) && tree.file(MARKER) == Some(&marker));
        let tree = match listing {
            Some(tree) => tree,
            None => Tree::of(&folder, "").ok()?,
        };
        Some(Self {
            folder,
            known,
            tree,
        })
    }

    /// The file, if it is still as the last build wrote it, according to its stamp or its digest.
    fn intact(&self, path: &str) -> Option<NewFile> {
        let known = self.known.files.get(path)?;
        let (found, stamp) = (self.tree.file(path)?, known.stamp?);
        let looks_same = *found == stamp && !found.is_racy(self.known.at);
        let has_same_content = || {
            (found.bytes, found.mode) == (stamp.bytes, stamp.mode)
                && known.digest.is_of(&self.folder, Path::new(path))
        };
        (looks_same || has_same_content()).then_some(NewFile {
            digest: known.digest.clone(),
            stamp: *found,
            is_staged: false,
        })
    }
}

impl NewSite {
    fn lock(&self) -> std::sync::MutexGuard<'_, NewFiles> {
        self.new.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reserves a path in the new site.
    pub(super) fn reserve(&self, path: &str) -> Result<(), Diagnostic> {
        let mut new = self.lock();
        let below = format!("{path}/");
        let next = new.range(below.clone()..).next();
        let is_folder = next.is_some_and(|(next, _)| next.starts_with(&below));
        let is_taken = is_folder || folders(path).any(|folder| new.contains_key(folder));
        if is_taken || new.insert(path.to_owned(), None).is_some() {
            return Err(duplicate_path(path));
        }
        Ok(())
    }

    /// The file of the output folder, if it can stay there.
    fn intact(&self, path: &str) -> Option<NewFile> {
        let intact = self.old.as_ref()?.intact(path)?;
        // A site that was built without checksums does not know those of its files.
        let is_known = !self.has_checksums || matches!(intact.digest, ContentDigest::Sha256 { .. });
        is_known.then_some(intact)
    }

    /// Keeps the file of the output folder if it has this content, and returns whether it does.
    pub(super) fn reuse_if_same(&self, path: &str, digest: &ContentDigest) -> bool {
        let intact = self.intact(path);
        let same = intact.filter(|intact| intact.digest == *digest);
        let is_same = same.is_some();
        if is_same {
            self.lock().insert(path.to_owned(), same);
        }
        is_same
    }

    /// Keeps files of the output folder, and returns their sizes. If one of them changed, keeps none and returns `None`.
    pub(super) fn reuse(&self, paths: &[String]) -> Option<Vec<u64>> {
        let intact = paths.iter().map(|path| self.intact(path));
        let intact: Vec<NewFile> = intact.collect::<Option<_>>()?;
        for (index, path) in paths.iter().enumerate() {
            if self.reserve(path).is_err() {
                let mut new = self.lock();
                for path in &paths[..index] {
                    new.remove(path);
                }
                return None;
            }
        }
        let mut new = self.lock();
        let bytes = intact.iter().map(|file| file.stamp.bytes).collect();
        new.extend(paths.iter().cloned().zip(intact.into_iter().map(Some)));
        Some(bytes)
    }

    /// Records a staged file.
    pub(super) fn record_staged(&self, path: &str, digest: ContentDigest, stamp: Stamp) {
        let file = NewFile {
            digest,
            stamp,
            is_staged: true,
        };
        self.lock().insert(path.to_owned(), Some(file));
    }

    /// SHA-256 of each file of the new site, by path. In a dry run, which has no digests, they are zero.
    pub(super) fn checksums(&self) -> BTreeMap<String, [u8; 32]> {
        let new = self.lock();
        let files = new.iter().map(|(path, file)| {
            let sha256 = match file {
                Some(NewFile {
                    digest: ContentDigest::Sha256 { sha256, .. },
                    ..
                }) => *sha256,
                _ => [0; 32],
            };
            (path.clone(), sha256)
        });
        files.collect()
    }

    /// Size and digest of a file of the new site, if it is there.
    pub(super) fn size_and_digest(&self, path: &str) -> Option<(u64, ContentDigest)> {
        let new = self.lock();
        let file = new.get(path)?.as_ref()?;
        Some((file.stamp.bytes, file.digest.clone()))
    }

    /// The files that stay in the output folder.
    pub(super) fn reused_paths(&self) -> Vec<String> {
        paths(&self.lock(), false).collect()
    }

    /// The changes to the output folder, if most of it stays. The file `last` is replaced last.
    pub(super) fn changes(&self, last: &str) -> Option<FileChanges> {
        let old = self.old.as_ref()?;
        let new = self.lock();
        // If most files are new, exchanging the folders is faster.
        let written = || new.values().flatten();
        let staged = written().filter(|file| file.is_staged).count();
        if staged > written().count() - staged {
            return None;
        }
        let mut changes = FileChanges {
            staged: paths(&new, true).collect(),
            ..FileChanges::default()
        };
        // Files come before the pages that refer to them, and pages before the lists that link to them.
        changes.staged.sort_by_cached_key(|path| {
            let place = match path {
                path if path == last => 5,
                path if path == checksums::PATH => 4,
                path if old.tree.file(path).is_none() || path.starts_with("downloads/") => 0,
                path if path == "index.html" || path.starts_with("feeds/") => 3,
                path if path.starts_with("runs/") => 1,
                _ => 2,
            };
            (place, path.clone())
        });
        let folders: BTreeSet<&str> = new.keys().flat_map(|path| folders(path)).collect();
        changes.can_be_single = true;
        old.tree.each(&mut |path, found| {
            let Some(path) = path else {
                changes.can_be_single = false;
                return;
            };
            match found.kind {
                EntryKind::File { .. } if path == MARKER || new.contains_key(path) => {}
                EntryKind::File { .. } => changes.gone.push(path.to_owned()),
                EntryKind::Folder if found.stamp.is_locked() => changes.can_be_single = false,
                EntryKind::Folder if folders.contains(path) => {}
                EntryKind::Folder => changes.gone_folders.push(path.to_owned()),
                EntryKind::UnlistableFolder | EntryKind::Link | EntryKind::Other => {
                    changes.can_be_single = false;
                }
            }
        });
        changes.gone_folders.reverse();
        changes.can_be_single &= {
            let gone = changes.gone.iter().chain(&changes.gone_folders);
            let gone: BTreeSet<String> = gone.map(|path| path.to_lowercase()).collect();
            let mut names = new.keys().map(String::as_str).chain(folders);
            gone.is_empty() || !names.any(|name| gone.contains(&name.to_lowercase()))
        };
        Some(changes)
    }

    /// The files of the new site with their stamps in the output folder.
    pub(super) fn site_files(&self, tree: &Tree) -> SiteFiles {
        let new = self.lock();
        let files = new.iter().filter_map(|(path, file)| {
            let file = file.as_ref()?;
            let now = tree.file(path);
            let site_file = SiteFile {
                digest: file.digest.clone(),
                stamp: now.filter(|now| now.is_moved_from(&file.stamp)).copied(),
            };
            Some((path.clone(), site_file))
        });
        files.collect()
    }
}

/// The folders above a file, the outer ones first.
fn folders(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(at, _)| &path[..at])
}

/// The paths of all staged files, or of all others.
fn paths(new: &NewFiles, staged: bool) -> impl Iterator<Item = String> {
    let is_it =
        move |file: &Option<NewFile>| file.as_ref().is_some_and(|it| it.is_staged) == staged;
    let files = new.iter().filter(move |(_, file)| is_it(file));
    files.map(|(path, _)| path.clone())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn only_files_of_the_output_folder_that_hold_what_was_written_are_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let out = folder.path().join("out");
        fs::create_dir_all(out.join("deep")).expect("folders");
        for path in ["secret", "out/same", "out/edited", "out/deep/file"] {
            fs::write(folder.path().join(path), path).expect("a file");
        }
        let known = |path: &str, bytes: &str, at: &str| {
            let meta = fs::metadata(folder.path().join(at)).ok();
            let file = SiteFile {
                digest: ContentDigest::of(bytes.as_bytes(), false),
                stamp: meta.map(|meta| Stamp::of(&meta)),
            };
            (path.to_owned(), file)
        };
        let files = vec![
            known("../secret", "secret", "secret"),
            known("deep", "", "out/deep"),
            known("deep/file", "out/deep/file", "out/deep/file"),
            known("edited", "as it was", "out/edited"),
            known("gone", "", "out/same"),
            known("same", "out/same", "out/same"),
        ];
        // At this time, all stamps may be out of date.
        fs::write(out.join(MARKER), "").expect("a marker");
        let mut known = LastSite::default();
        known.files.extend(files);
        let old = OldSite::open(&out, known);
        let site = NewSite {
            old,
            ..NewSite::default()
        };
        let keep = |path: &str| site.reuse(&[path.to_owned()]).is_some();
        for path in [
            "../secret",
            "deep",
            "edited",
            "gone",
            "unknown",
            "/etc/passwd",
        ] {
            assert!(!keep(path), "{path}");
        }
        assert!(keep("same") && keep("deep/file"));
        assert!(!keep("same"), "it is taken");
    }
}
