//! [edge out] Knows how a site gets to its place: staged beside the old one, then swapped in at once.
//!
//! A marker file in every folder that runpress writes says so, and is the lock of the build that works
//! on it. Whatever stops a build, the old site stays whole, and the next build clears what was left.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::diagnostics::text::quoted;
use crate::diagnostics::{Diagnostic, Place, codes};
use crate::model::FileDigest;
use crate::spool::Spool;

mod ours;

use ours::{Lock, ParentFolder, examine, foreign, is_cname, linked, locked, own_line};

/// The marker's name in the output folder.
pub const MARKER: &str = ".runpress";
const MARKER_TEXT: &[u8] =
    b"This folder was written by runpress. The next build replaces all of it, so keep no other files here.\n";

/// A new site while it is assembled. Dropped without [`Stage::swap`], it leaves nothing behind.
#[derive(Debug)]
pub struct Stage {
    /// `None`: a dry run.
    folders: Option<Folders>,
    /// The paths of a dry run; on disk the file system knows them.
    dry_paths: Mutex<BTreeSet<String>>,
    files: AtomicU64,
    bytes: AtomicU64,
    /// What the pages of the whole archive are made of, until they are made.
    pub spool: Spool,
}

/// The folders that a stage works on.
#[derive(Debug)]
struct Folders {
    /// The output folder in diagnostics.
    shown: String,
    /// The output folder, links resolved.
    out: PathBuf,
    staging: PathBuf,
    /// Its name.
    staged: PathBuf,
    /// Where both are.
    parent_folder: ParentFolder,
    // Held for their locks, which end with the process however it ends.
    _locks: Vec<Lock>,
}

/// A file in the output folder that would be written again as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteFile {
    /// Relative to the site's root.
    pub path: String,
    /// Size in bytes.
    pub bytes: u64,
}

impl Stage {
    /// A stage that writes nothing and still reports what a real one would: a check is a dry run of a build.
    ///
    /// # Errors
    /// The output folder holds something else or overlaps with an input.
    pub fn dry_run(out: &Path, shown: &str, inputs: &[PathBuf]) -> Result<Self, Diagnostic> {
        examine(out, shown, inputs)?;
        Ok(Self::new(None))
    }

    fn new(folders: Option<Folders>) -> Self {
        Self {
            folders,
            dry_paths: Mutex::new(BTreeSet::new()),
            files: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            spool: Spool::default(),
        }
    }

    /// Opens a stage for `out`. `inputs` are folders that the output must not touch.
    ///
    /// # Errors
    /// The folder holds something else, overlaps with an input, is being written by another build, or
    /// the system refuses.
    pub fn open(out: &Path, shown: &str, inputs: &[PathBuf]) -> Result<Self, Diagnostic> {
        let out = examine(out, shown, inputs)?;
        let (Some(parent), Some(name)) = (out.parent(), out.file_name()) else {
            return Err(foreign(shown));
        };
        let sibling = |suffix: &str| {
            let mut sibling = std::ffi::OsString::from(".");
            sibling.push(name);
            sibling.push(suffix);
            PathBuf::from(sibling)
        };
        let names = [sibling(".runpress-staging"), sibling(".runpress-aside")];
        let name = Path::new(name);
        fs::create_dir_all(parent).map_err(|error| failed(shown, &error))?;
        let parent_folder = ParentFolder::open(parent).map_err(|error| failed(shown, &error))?;
        // A build that could not exchange the folders at once may have been stopped between its two renames.
        if !out.exists() && parent_folder.has_ours(&names[1]) {
            fs::rename(parent.join(&names[1]), &out).map_err(|error| failed(shown, &error))?;
        }
        let mut locks: Vec<Lock> = parent_folder.lock(name, shown)?.into_iter().collect();
        for leftover in &names {
            parent_folder.clear(leftover, shown)?;
        }
        let [staged, _] = names;
        let staging = parent.join(&staged);
        fs::create_dir(&staging).map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => locked(shown),
            _ => failed(shown, &error),
        })?;
        File::create_new(staging.join(MARKER))
            .and_then(|mut marker| marker.write_all(MARKER_TEXT))
            .map_err(|error| failed(shown, &error))?;
        locks.extend(parent_folder.lock(&staged, shown)?);
        #[cfg(target_os = "linux")]
        spread(&staging);
        Ok(Self::new(Some(Folders {
            shown: shown.to_owned(),
            out,
            staging,
            staged,
            parent_folder,
            _locks: locks,
        })))
    }

    /// Whether nothing is written, so that what only fills a file need not be made.
    #[must_use]
    pub const fn is_dry_run(&self) -> bool {
        self.folders.is_none()
    }

    /// Writes one file; `path` is relative to the site's root, with `/`.
    ///
    /// # Errors
    /// The system refuses, or the path is taken.
    pub fn write(&self, path: &str, bytes: &[u8]) -> Result<(), Diagnostic> {
        if let Some(folders) = self.folders.as_ref().filter(|_| is_cname(path)) {
            folders
                .own(path, bytes)
                .map_err(|error| failed(path, &error))?;
        }
        if let Some(mut file) = self.create(path)? {
            file.write_all(bytes)
                .map_err(|error| failed(path, &error))?;
        }
        self.count(bytes.len() as u64);
        Ok(())
    }

    /// Writes one file piece by piece and says how large it is and what its digest is.
    ///
    /// # Errors
    /// The system refuses, the path is taken, or `fill` fails.
    pub fn stream(
        &self,
        path: &str,
        fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<FileDigest, Diagnostic> {
        // Digests of many small pieces take several times as long as one of a large piece.
        let hashing = Hashing {
            inner: self.create(path)?,
            hasher: blake3::Hasher::new(),
            bytes: 0,
        };
        let mut writer = BufWriter::with_capacity(BUFFER, hashing);
        let writer = fill(&mut writer)
            .and_then(|()| writer.into_inner().map_err(io::IntoInnerError::into_error))
            .map_err(|error| failed(path, &error))?;
        self.count(writer.bytes);
        Ok(FileDigest {
            path: path.to_owned(),
            bytes: writer.bytes,
            blake3: writer.hasher.finalize().to_hex().to_string(),
        })
    }

    /// Takes files over from the site that is replaced: all of them, or none and `false`. They share their place on the disk
    /// where the file system can do that, since nothing that is published is ever changed in place.
    #[must_use]
    pub fn keep(&self, files: &[SiteFile]) -> bool {
        let Some(folders) = &self.folders else {
            return false;
        };
        for (index, file) in files.iter().enumerate() {
            if folders.keep(&file.path).is_err() {
                for file in &files[..index] {
                    let _ = fs::remove_file(folders.staging.join(&file.path));
                }
                return false;
            }
        }
        for file in files {
            self.count(file.bytes);
        }
        true
    }

    /// `None` in a dry run.
    fn create(&self, path: &str) -> Result<Option<File>, Diagnostic> {
        let Some(folders) = &self.folders else {
            let mut paths = self
                .dry_paths
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            let parents = path
                .char_indices()
                .filter(|(_, c)| *c == '/')
                .map(|(at, _)| &path[..at]);
            let taken = parents.into_iter().any(|parent| paths.contains(parent))
                || paths
                    .range(format!("{path}/")..)
                    .next()
                    .is_some_and(|next| next.starts_with(&format!("{path}/")));
            return if taken || !paths.insert(path.to_owned()) {
                Err(taken_twice(path))
            } else {
                Ok(None)
            };
        };
        let target = folders.staging.join(path);
        let result = match File::create_new(&target) {
            Err(error) if error.kind() == ErrorKind::NotFound => target
                .parent()
                .map_or(Ok(()), fs::create_dir_all)
                .and_then(|()| File::create_new(&target)),
            other => other,
        };
        result.map(Some).map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists | ErrorKind::IsADirectory | ErrorKind::NotADirectory => {
                taken_twice(path)
            }
            _ => failed(path, &error),
        })
    }

    fn count(&self, bytes: u64) {
        self.files.fetch_add(1, Ordering::Relaxed);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Files and bytes written so far.
    #[must_use]
    pub fn written(&self) -> (u64, u64) {
        (
            self.files.load(Ordering::Relaxed),
            self.bytes.load(Ordering::Relaxed),
        )
    }

    /// Replaces the old site with the new one. The old one is removed when the stage is dropped.
    ///
    /// # Errors
    /// The system refuses; the old site is then still there.
    pub fn swap(&mut self) -> Result<(), Diagnostic> {
        self.folders.as_mut().map_or(Ok(()), Folders::swap)
    }
}

impl Folders {
    fn keep(&self, path: &str) -> io::Result<()> {
        let (from, to) = (self.out.join(path), self.staging.join(path));
        let link = || match fs::hard_link(&from, &to) {
            Err(error)
                if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::AlreadyExists) =>
            {
                Err(error)
            }
            Err(_) => fs::copy(&from, &to).map(|_| ()),
            linked => linked,
        };
        match link() {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                to.parent().map_or(Ok(()), fs::create_dir_all)?;
                link()
            }
            other => other,
        }
    }

    /// Says in the marker whose file that is, before it is there.
    fn own(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        let marker = self.staging.join(MARKER);
        let mut marker = File::options().append(true).open(marker)?;
        marker.write_all(own_line(path, bytes).as_bytes())
    }

    fn swap(&mut self) -> Result<(), Diagnostic> {
        if self.out.is_symlink() {
            return Err(linked(&self.shown, &self.out));
        }
        let result = if self.out.exists() {
            self.exchange()
        } else {
            fs::rename(&self.staging, &self.out)
        };
        result.map_err(|error| failed(&self.shown, &error))
    }

    #[cfg(target_os = "linux")]
    fn exchange(&self) -> io::Result<()> {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        match renameat_with(CWD, &self.staging, CWD, &self.out, RenameFlags::EXCHANGE) {
            Err(
                rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS | rustix::io::Errno::NOTSUP,
            ) => self.two_renames(),
            other => other.map_err(io::Error::from),
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn exchange(&self) -> io::Result<()> {
        self.two_renames()
    }

    /// Where folders cannot be exchanged there is an instant without a site; the next build fixes it.
    fn two_renames(&self) -> io::Result<()> {
        let mut aside = self.staging.clone();
        aside.set_extension("runpress-aside");
        fs::rename(&self.out, &aside)?;
        if let Err(error) = fs::rename(&self.staging, &self.out) {
            fs::rename(&aside, &self.out)?;
            return Err(error);
        }
        fs::rename(&aside, &self.staging)
    }
}

impl Drop for Folders {
    /// What is left under the name of the stage is a site that was not put in its place, or the old one; failing to remove it
    /// does no harm.
    fn drop(&mut self) {
        let _ = self.parent_folder.remove(&self.staged);
    }
}

/// Makes the folder of the runs in a part of an ext4 file system where nothing was deleted lately. For every new
/// file ext4 looks through all files that were deleted in the same block group in the last minutes; after a
/// rebuild that is the whole old site, and a build becomes many times slower. A folder whose parent is marked
/// as the top of a hierarchy gets a group by its name, so it is born under a name of its own. Other file
/// systems refuse the mark or ignore it, and the folder is made when the first file needs it.
#[cfg(target_os = "linux")]
fn spread(staging: &Path) {
    use rustix::fs::{IFlags, ioctl_getflags, ioctl_setflags};
    let Ok(directory) = File::open(staging) else {
        return;
    };
    let Ok(flags) = ioctl_getflags(&directory) else {
        return;
    };
    if ioctl_setflags(&directory, flags | IFlags::TOPDIR).is_err() {
        return;
    }
    let born = staging.join(format!("runs.{}", std::process::id()));
    if fs::create_dir(&born).is_ok() && fs::rename(&born, staging.join("runs")).is_err() {
        let _ = fs::remove_dir(&born);
    }
    let _ = ioctl_setflags(&directory, flags);
}

/// Bytes that are written at once.
const BUFFER: usize = 64 * 1024;

/// A file, if it is written at all, with the digest of what went into it.
struct Hashing {
    inner: Option<File>,
    hasher: blake3::Hasher,
    bytes: u64,
}

impl Write for Hashing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self
            .inner
            .as_mut()
            .map_or(Ok(bytes.len()), |inner| inner.write(bytes))?;
        self.hasher.update(&bytes[..count]);
        self.bytes += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.as_mut().map_or(Ok(()), Write::flush)
    }
}

fn taken_twice(path: &str) -> Diagnostic {
    codes::PUBLISH_DUPLICATE_PATH.at(
        Place::file(path),
        format!("Two outputs have the path {}", quoted(path)),
        "Rename the file in `static/` that has this path.",
    )
}

fn failed(shown: &str, error: &io::Error) -> Diagnostic {
    codes::PUBLISH_IO.at(
        Place::file(shown),
        format!("The site could not be written: {error}"),
        "Free disk space, correct the permissions or choose another `--out`. The previous site is unchanged.",
    )
}
