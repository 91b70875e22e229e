//! Folders as open handles.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};

use rayon::prelude::*;
use rustix::fs::{
    AtFlags, CWD, Dir, FileType, Mode, OFlags, mkdirat, openat, readlinkat, renameat, statat,
    unlinkat,
};
use rustix::io::Errno;

use super::{EntryKind, FolderEntry, OpenError, OpenFile, Stamp, is_not_found};

/// Maximum number of links in one path, as on Linux.
const MAX_LINKS: usize = 40;

/// An open folder. Everything beneath it is opened from its handle, even if its path changes.
#[derive(Debug)]
pub struct Folder {
    handle: OwnedFd,
    path: PathBuf,
}

impl Folder {
    /// Opens a folder named by the user; links are followed.
    pub fn open(path: &Path) -> io::Result<Self> {
        let flags = TRAVERSE.difference(OFlags::NOFOLLOW);
        Ok(Self {
            handle: openat(CWD, path, flags, Mode::empty())?,
            path: path.to_owned(),
        })
    }

    /// Opens a folder beneath this one; no name on the way may be a link.
    pub fn folder(&self, below: &Path) -> io::Result<Self> {
        let mut folder = Self {
            handle: open_folder(self.handle.as_fd(), OsStr::new("."))?,
            path: self.path.join(below),
        };
        for name in below.components() {
            match name {
                Component::Normal(name) => {
                    folder.handle = open_folder(folder.handle.as_fd(), name)?;
                }
                Component::CurDir => {}
                _ => return Err(ErrorKind::InvalidInput.into()),
            }
        }
        Ok(folder)
    }

    /// Opens a file beneath this folder, without blocking on a pipe. A link is followed while it stays beneath the folder.
    /// `Ok(None)` if the file is missing. The result may be something other than a regular file.
    pub fn file(&self, below: &Path) -> Result<Option<OpenFile>, OpenError> {
        let mut pending = Vec::new();
        self.push_names(below, &mut pending)?;
        let mut opened: Vec<(OsString, OwnedFd)> = Vec::new();
        let mut links = 0;
        while let Some(name) = pending.pop() {
            if name == ".." {
                opened.pop().ok_or(OpenError::Outside)?;
                continue;
            }
            let here = opened
                .last()
                .map_or(self.handle.as_fd(), |(_, handle)| handle.as_fd());
            let found = if pending.is_empty() {
                openat(here, name.as_os_str(), READ, Mode::empty())
            } else {
                open_folder(here, &name)
            };
            let error = match found {
                Ok(handle) if pending.is_empty() => {
                    let file = File::from(handle);
                    let meta = file.metadata().map_err(OpenError::Io)?;
                    let names = opened.iter().map(|(name, _)| name).chain([&name]);
                    let linked = (links > 0).then(|| names.collect());
                    return Ok(Some(OpenFile { file, meta, linked }));
                }
                Ok(handle) => {
                    opened.push((name, handle));
                    continue;
                }
                Err(error) => error,
            };
            let Ok(target) = readlinkat(here, name.as_os_str(), Vec::new()) else {
                return match io::Error::from(error) {
                    error if !is_not_found(&error) => Err(OpenError::Io(not_regular(error))),
                    _ if links == 0 => Ok(None),
                    _ => Err(OpenError::Dangling),
                };
            };
            links += 1;
            if links > MAX_LINKS {
                return Err(OpenError::Io(Errno::LOOP.into()));
            }
            let target = PathBuf::from(OsString::from_vec(target.into_bytes()));
            if target.is_absolute() {
                opened.clear();
            }
            self.push_names(&target, &mut pending)?;
        }
        // The path ends with `..`, so it leads to a folder.
        Err(OpenError::Io(not_regular(Errno::NXIO.into())))
    }

    /// Pushes the names of a path onto `pending`; the last element is the next name.
    fn push_names(&self, path: &Path, pending: &mut Vec<OsString>) -> Result<(), OpenError> {
        let path = if path.is_absolute() {
            self.relative_path(path).ok_or(OpenError::Outside)?
        } else {
            path.to_owned()
        };
        let names = path.components().rev().filter_map(|name| match name {
            Component::Normal(name) => Some(name.to_owned()),
            Component::ParentDir => Some("..".into()),
            _ => None,
        });
        pending.extend(names);
        Ok(())
    }

    /// An absolute path relative to this folder, if it begins with the folder's own path.
    fn relative_path(&self, path: &Path) -> Option<PathBuf> {
        let resolved = self.path.canonicalize().ok();
        [Some(&self.path), resolved.as_ref()]
            .into_iter()
            .flatten()
            .find_map(|folder| path.strip_prefix(folder).ok().map(Path::to_owned))
    }

    /// Whether the entry of this name is a link.
    pub fn is_link(&self, name: &Path) -> bool {
        statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW)
            .is_ok_and(|stat| kind(&stat) == EntryKind::Link)
    }

    /// Whether this folder has an entry at this path, of any type.
    pub fn has(&self, below: &Path) -> bool {
        statat(&self.handle, below, AtFlags::SYMLINK_NOFOLLOW).is_ok()
    }

    /// Type and stamp of the entry at this path; `None` if missing.
    pub fn stat(&self, below: &Path) -> Option<(EntryKind, Stamp)> {
        let stat = statat(&self.handle, below, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        Some((kind(&stat), Stamp::of_stat(&stat)))
    }

    /// The entries of this folder, unsorted.
    pub fn entries(&self) -> io::Result<Vec<FolderEntry>> {
        let mut entries = Vec::new();
        let listed = openat(&self.handle, ".", LIST, Mode::empty())?;
        for entry in Dir::read_from(listed)? {
            let entry = entry?;
            let name = entry.file_name();
            if matches!(name.to_bytes(), b"." | b"..") {
                continue;
            }
            let stat = match statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) => stat,
                Err(Errno::NOENT) => continue,
                Err(error) => return Err(error.into()),
            };
            entries.push(FolderEntry {
                name: OsStr::from_bytes(name.to_bytes()).to_owned(),
                kind: kind(&stat),
                stamp: Stamp::of_stat(&stat),
            });
        }
        Ok(entries)
    }

    /// The path of the first entry, in this folder or below it, whose name matches `is_it`. Links are not followed. This is fast,
    /// because most systems include the types of entries in the listing of a folder.
    pub fn find(&self, is_it: &dyn Fn(&OsStr) -> bool) -> io::Result<Option<PathBuf>> {
        let listed = openat(&self.handle, ".", LIST, Mode::empty())?;
        let (mut found, mut folders) = (Vec::new(), Vec::new());
        for entry in Dir::read_from(&listed)? {
            let entry = entry?;
            let name = entry.file_name();
            if matches!(name.to_bytes(), b"." | b"..") {
                continue;
            }
            let is_folder = || match entry.file_type() {
                FileType::Unknown => statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW)
                    .is_ok_and(|stat| kind(&stat) == EntryKind::Folder),
                known => known == FileType::Directory,
            };
            let name = OsStr::from_bytes(name.to_bytes());
            if is_it(name) {
                found.push(name.to_owned());
            } else if is_folder() {
                folders.push(name.to_owned());
            }
        }
        // The number of open handles is limited.
        drop(listed);
        if let Some(name) = found.into_iter().min() {
            return Ok(Some(name.into()));
        }
        folders.sort();
        for name in folders {
            let below = match self.folder(Path::new(&name)) {
                Ok(folder) => folder.find(is_it)?,
                Err(error) if is_not_found(&error) => None,
                Err(error) => return Err(error),
            };
            if let Some(below) = below {
                return Ok(Some(Path::new(&name).join(below)));
            }
        }
        Ok(None)
    }

    /// Removes everything in this folder except one entry, in parallel. Links are removed, their targets are not.
    pub fn clear(&self, but: &str) -> io::Result<()> {
        let entries = self.entries()?;
        let entries = entries.par_iter().filter(|entry| entry.name != but);
        entries.try_for_each(|entry| {
            let name = Path::new(&entry.name);
            if entry.kind == EntryKind::Folder {
                self.folder(name)?.clear("")?;
                return self.remove_folder(name);
            }
            self.remove_file(name)
        })
    }

    /// Removes an empty folder in this one.
    pub fn remove_folder(&self, name: &Path) -> io::Result<()> {
        Ok(unlinkat(&self.handle, name, AtFlags::REMOVEDIR)?)
    }

    /// Creates a folder in this one, unless it exists.
    pub fn make_folder(&self, name: &Path) -> io::Result<()> {
        match mkdirat(&self.handle, name, Mode::from_raw_mode(0o777)) {
            Ok(()) | Err(Errno::EXIST) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Moves a file into another folder, atomically replacing a file of that name.
    pub fn move_file(&self, name: &Path, to: &Self) -> io::Result<()> {
        Ok(renameat(&self.handle, name, &to.handle, name)?)
    }

    /// Removes the file of this name.
    pub fn remove_file(&self, name: &Path) -> io::Result<()> {
        Ok(unlinkat(&self.handle, name, AtFlags::empty())?)
    }

    /// The path of this folder when it was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// The flags for a folder on the way to a file. On Linux they need no permission to list the folder.
#[cfg(target_os = "linux")]
const TRAVERSE: OFlags = OFlags::DIRECTORY
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC)
    .union(OFlags::PATH);
#[cfg(not(target_os = "linux"))]
const TRAVERSE: OFlags = OFlags::DIRECTORY
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

const LIST: OFlags = OFlags::DIRECTORY.union(OFlags::CLOEXEC);

/// The flags for reading a file. Opening a pipe or a terminal must not block or take control of it.
const READ: OFlags = OFlags::NOFOLLOW
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);

/// Options of the standard library for opening a file without waiting.
#[allow(clippy::cast_possible_wrap, reason = "these are single low bits")]
pub(super) const NO_WAIT: i32 = OFlags::NONBLOCK.union(OFlags::NOCTTY).bits() as i32;

fn open_folder(here: BorrowedFd<'_>, name: &OsStr) -> rustix::io::Result<OwnedFd> {
    openat(here, name, TRAVERSE, Mode::empty())
}

/// The error for what is no regular file. Systems report different errors for opening a socket.
fn not_regular(error: io::Error) -> io::Error {
    match Errno::from_io_error(&error) {
        Some(Errno::NXIO | Errno::OPNOTSUPP) => io::Error::other("it is not a regular file"),
        _ => error,
    }
}

fn kind(stat: &rustix::fs::Stat) -> EntryKind {
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::Directory => EntryKind::Folder,
        FileType::Symlink => EntryKind::Link,
        FileType::RegularFile => EntryKind::File {
            executable: stat.st_mode & 0o100 != 0,
        },
        _ => EntryKind::Other,
    }
}
