//! Folders by their paths, for systems where a file cannot be opened from the handle of a folder.

use std::ffi::OsStr;
use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};

use super::{EntryKind, FolderEntry, OpenError, OpenFile, Stamp, is_not_found};

/// A folder by its path, with links resolved.
#[cfg_attr(
    unix,
    allow(dead_code, reason = "tests only ask for files and entries")
)]
#[derive(Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// Opens a folder named by the user; links are followed.
    pub fn open(path: &Path) -> io::Result<Self> {
        let path = path.canonicalize()?;
        if path.is_dir() {
            Ok(Self(path))
        } else {
            Err(ErrorKind::NotADirectory.into())
        }
    }

    /// Opens a folder beneath this one; no name on the way may be a link.
    pub fn folder(&self, below: &Path) -> io::Result<Self> {
        let mut path = self.0.clone();
        for name in below.components() {
            match name {
                Component::Normal(name) => path.push(name),
                Component::CurDir => continue,
                _ => return Err(ErrorKind::InvalidInput.into()),
            }
            if !path.symlink_metadata()?.is_dir() {
                return Err(ErrorKind::NotADirectory.into());
            }
        }
        Ok(Self(path))
    }

    /// Opens a file beneath this folder. A link is followed while it stays beneath the folder. `Ok(None)` if the file is missing.
    /// The result is a regular file or a folder.
    pub fn file(&self, below: &Path) -> Result<Option<OpenFile>, OpenError> {
        let is_inside = |name: Component| matches!(name, Component::Normal(_) | Component::CurDir);
        if !below.components().all(is_inside) {
            return Err(OpenError::Outside);
        }
        let path = self.0.join(below);
        let target = match path.canonicalize() {
            Ok(target) => target,
            Err(error) if !is_not_found(&error) => return Err(OpenError::Io(error)),
            Err(_) if path.is_symlink() => return Err(OpenError::Dangling),
            Err(_) => return Ok(None),
        };
        let at = target
            .strip_prefix(&self.0)
            .map_err(|_| OpenError::Outside)?;
        let meta = target.metadata().map_err(OpenError::Io)?;
        // Opening a pipe would block forever.
        if !meta.is_file() && !meta.is_dir() {
            return Err(OpenError::Io(io::Error::other("it is not a regular file")));
        }
        let file = File::open(&target).map_err(OpenError::Io)?;
        let linked = (path.components().as_path() != target).then(|| at.to_owned());
        let meta = file.metadata().map_err(OpenError::Io)?;
        Ok(Some(OpenFile { file, meta, linked }))
    }

    /// Whether the entry of this name is a link.
    pub fn is_link(&self, name: &Path) -> bool {
        self.0.join(name).is_symlink()
    }

    /// Whether this folder has an entry at this path, of any type.
    pub fn has(&self, below: &Path) -> bool {
        self.0.join(below).symlink_metadata().is_ok()
    }

    /// Type and stamp of the entry at this path; `None` if missing.
    pub fn stat(&self, below: &Path) -> Option<(EntryKind, Stamp)> {
        let meta = self.0.join(below).symlink_metadata().ok()?;
        Some((kind(&meta), Stamp::of(&meta)))
    }

    /// The entries of this folder, unsorted.
    pub fn entries(&self) -> io::Result<Vec<FolderEntry>> {
        let entries = fs::read_dir(&self.0)?.map(|entry| {
            let entry = entry?;
            let meta = entry.path().symlink_metadata()?;
            Ok(FolderEntry {
                name: entry.file_name(),
                kind: kind(&meta),
                stamp: Stamp::of(&meta),
            })
        });
        entries.collect()
    }

    /// The path of the first entry, in this folder or below it, whose name matches `is_it`. Links are not followed.
    pub fn find(&self, is_it: &dyn Fn(&OsStr) -> bool) -> io::Result<Option<PathBuf>> {
        let (mut found, mut folders) = (Vec::new(), Vec::new());
        for entry in fs::read_dir(&self.0)? {
            let entry = entry?;
            let name = entry.file_name();
            if is_it(&name) {
                found.push(name);
            } else if entry.file_type()?.is_dir() {
                folders.push(name);
            }
        }
        if let Some(name) = found.into_iter().min() {
            return Ok(Some(name.into()));
        }
        folders.sort();
        for name in folders {
            if let Some(below) = self.folder(Path::new(&name))?.find(is_it)? {
                return Ok(Some(Path::new(&name).join(below)));
            }
        }
        Ok(None)
    }

    /// Removes everything in this folder except one entry. Links are removed, their targets are not.
    pub fn clear(&self, but: &str) -> io::Result<()> {
        for entry in self.entries()? {
            let path = self.0.join(&entry.name);
            if entry.name == but {
                continue;
            }
            if entry.kind == EntryKind::Folder {
                fs::remove_dir_all(path)?;
            } else {
                fs::remove_file(path)?;
            }
        }
        Ok(())
    }

    /// Creates a folder in this one, unless it exists.
    pub fn make_folder(&self, name: &Path) -> io::Result<()> {
        match fs::create_dir(self.0.join(name)) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error),
            _ => Ok(()),
        }
    }

    /// Moves a file into another folder, atomically replacing a file of that name.
    pub fn move_file(&self, name: &Path, to: &Self) -> io::Result<()> {
        fs::rename(self.0.join(name), to.0.join(name))
    }

    /// Removes the file of this name.
    pub fn remove_file(&self, name: &Path) -> io::Result<()> {
        fs::remove_file(self.0.join(name))
    }

    /// Removes an empty folder in this one.
    pub fn remove_folder(&self, name: &Path) -> io::Result<()> {
        fs::remove_dir(self.0.join(name))
    }
}

fn kind(meta: &Metadata) -> EntryKind {
    if meta.is_dir() {
        EntryKind::Folder
    } else if meta.is_symlink() {
        EntryKind::Link
    } else if meta.is_file() {
        EntryKind::File { executable: false }
    } else {
        EntryKind::Other
    }
}
