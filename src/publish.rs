//! [edge out] How a site gets to its place: staged beside the old one, then swapped in at once.
//!
//! A marker file in every folder that runpress writes says so, and is the lock of the build that works
//! on it. Whatever stops a build, the old site stays whole, and the next build clears what was left.

use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use serde::{Serialize, Serializer};

use crate::beneath::{Folder, Stamp, Tree};
use crate::diagnostics::text::quoted;
use crate::diagnostics::{Diagnostic, Place, codes};
use crate::model::FileDigest;
use crate::spool::Spool;

mod by_folder;
mod files;
mod journal;
mod ours;
mod part;
mod plan;
mod weight;
mod written;

pub(crate) use part::{PART_FILE, PartFile, Taken, overlap};
pub use plan::{Manifest, Plan, Planned};
pub use weight::Weight;
pub use written::Written;

use files::Digest;
pub(crate) use files::{KnownSite, SiteFiles};

use files::{Changes, Files, Old};
use journal::Step;
use ours::{Lock, ParentFolder, examine, foreign, is_cname, linked, locked, own_line};

/// The marker's name in the output folder.
pub const MARKER: &str = ".runpress";
const MARKER_TEXT: &[u8] =
    b"This folder was written by runpress. The next build replaces all of it, so keep no other files here.\n";

/// A new site while it is assembled. Dropped without [`Stage::commit`], it leaves nothing behind.
#[derive(Debug)]
pub struct Stage {
    /// `None`: a dry run.
    folders: Option<Folders>,
    files: Files,
    written: written::Counts,
    /// Where files are weighed, if their site has limits.
    scales: Option<weight::Scales>,
    /// What was done to the output folder, when its files were replaced one by one.
    replaced: Option<Changes>,
    /// What the pages of the whole archive are made of, until they are made.
    pub spool: Spool,
}

/// Completes what a build left that was stopped while it replaced the files of a site one by one, and clears the rest.
///
/// # Errors
/// As [`Stage::open`].
pub(crate) fn recover(out: &Path, shown: &str, inputs: &[PathBuf]) -> Result<(), Diagnostic> {
    let (Some(parent), Some(name)) = (out.parent(), out.file_name()) else {
        return Ok(());
    };
    // Links are followed only where there is something to do.
    let leftover = out.canonicalize().unwrap_or_else(|_| out.to_owned());
    let parent = leftover.parent().unwrap_or(parent);
    let name = leftover.file_name().unwrap_or(name);
    let is_there = |suffix| {
        let leftover = parent.join(sibling(Path::new(name), suffix));
        leftover.symlink_metadata().is_ok()
    };
    if is_there(STAGING) || is_there(ASIDE) {
        drop(Stage::open(out, shown, inputs)?);
    }
    Ok(())
}

const STAGING: &str = ".runpress-staging";
/// The old site, where folders cannot be exchanged.
const ASIDE: &str = ".runpress-aside";

/// The name of a folder of ours beside the output folder.
fn sibling(name: &Path, suffix: &str) -> PathBuf {
    let mut sibling = std::ffi::OsString::from(".");
    sibling.push(name);
    sibling.push(suffix);
    PathBuf::from(sibling)
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
    /// Whether the site is only partly replaced, so that what is staged is still needed.
    is_half_way: bool,
    // Held for their locks, which end with the process however it ends.
    _locks: Vec<Lock>,
}

impl Stage {
    /// A stage that writes nothing and still reports what a real one would: a check is a dry run of a build.
    ///
    /// # Errors
    /// The output folder holds something else or overlaps with an input.
    pub fn dry_run(out: &Path, shown: &str, inputs: &[PathBuf]) -> Result<Self, Diagnostic> {
        examine(out, shown, inputs, None)?;
        Ok(Self::new(None))
    }

    fn new(folders: Option<Folders>) -> Self {
        Self {
            folders,
            files: Files::default(),
            written: written::Counts::default(),
            scales: None,
            replaced: None,
            spool: Spool::default(),
        }
    }

    /// Opens a stage for `out`. `inputs` are folders that the output must not touch.
    ///
    /// # Errors
    /// The folder holds something else, overlaps with an input, is being written by another build, or
    /// the system refuses.
    pub fn open(out: &Path, shown: &str, inputs: &[PathBuf]) -> Result<Self, Diagnostic> {
        Self::open_seen(out, shown, inputs, None)
    }

    /// The same, where it is known what is in the output folder.
    ///
    /// # Errors
    /// As [`Stage::open`].
    pub(crate) fn open_seen(
        out: &Path,
        shown: &str,
        inputs: &[PathBuf],
        seen: Option<&Tree>,
    ) -> Result<Self, Diagnostic> {
        let out = examine(out, shown, inputs, seen)?;
        let (Some(parent), Some(name)) = (out.parent(), out.file_name().map(Path::new)) else {
            return Err(foreign(shown));
        };
        let names = [sibling(name, STAGING), sibling(name, ASIDE)];
        fs::create_dir_all(parent).map_err(|error| failed(shown, &error))?;
        let parent_folder = ParentFolder::open(parent).map_err(|error| failed(shown, &error))?;
        // A build that could not exchange the folders at once may have been stopped between its two renames.
        if !out.exists() && parent_folder.has_ours(&names[1]) {
            fs::rename(parent.join(&names[1]), &out).map_err(|error| failed(shown, &error))?;
        }
        let mut locks: Vec<Lock> = parent_folder.lock(name, shown)?.into_iter().collect();
        parent_folder.complete(&names[0], &out, shown)?;
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
            is_half_way: false,
            _locks: locks,
        })))
    }

    /// Whether nothing is written or weighed, so that what only fills a file need not be made.
    #[must_use]
    pub const fn is_dry_run(&self) -> bool {
        self.folders.is_none() && self.scales.is_none()
    }

    /// Leaves files as they are that `known`, a site that an earlier build wrote, says to be the same.
    #[must_use]
    pub(crate) fn over(mut self, known: KnownSite) -> Self {
        let folders = self.folders.as_ref();
        let folders = folders.filter(|_| !known.files.is_empty());
        self.files.old = folders.and_then(|folders| Old::look(&folders.out, known));
        self
    }

    /// Writes one file; `path` is relative to the site's root, with `/`.
    ///
    /// # Errors
    /// The system refuses, or the path is taken.
    pub fn write(&self, path: &str, bytes: &[u8]) -> Result<(), Diagnostic> {
        self.files.take(path)?;
        if let Some(folders) = &self.folders {
            self.put(folders, path, bytes)
                .map_err(|error| write_failed(path, &error))?;
        }
        self.count(path, bytes.len() as u64);
        Ok(())
    }

    /// Takes the path of a file in a dry run, where it need not be filled.
    ///
    /// # Errors
    /// The path is taken.
    pub fn plan(&self, path: &str, bytes: u64) -> Result<(), Diagnostic> {
        self.files.take(path)?;
        self.count(path, bytes);
        Ok(())
    }

    fn count(&self, path: &str, bytes: u64) {
        self.written.add(path, bytes);
        if let Some(scales) = &self.scales {
            scales.add(path, bytes);
        }
    }

    /// Weighs every file but those in the folder `elsewhere`, and notes those that are larger than `file`.
    pub(crate) fn weigh(&mut self, file: u64, elsewhere: Option<&'static str>) {
        self.scales = Some(weight::Scales::new(file, elsewhere));
    }

    /// What was weighed; `None` when nothing was.
    pub(crate) fn weight(&self) -> Option<Weight> {
        self.scales.as_ref().map(weight::Scales::take)
    }

    fn put(&self, folders: &Folders, path: &str, bytes: &[u8]) -> io::Result<()> {
        if is_cname(path) {
            folders.own(path, bytes)?;
        }
        let digest = Digest::of(bytes);
        if !self.files.stays(path, &digest) {
            let mut file = folders.create(path)?;
            file.write_all(bytes)?;
            self.files
                .staged(path, digest, Stamp::of(&file.metadata()?));
        }
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
        self.files.take(path)?;
        let failed = |error: io::Error| write_failed(path, &error);
        let file = self.folders.as_ref().map(|folders| folders.create(path));
        // Digests of many small pieces take several times as long as one of a large piece.
        let hashing = Hashing {
            inner: file.transpose().map_err(failed)?,
            hasher: blake3::Hasher::new(),
            bytes: 0,
        };
        let mut writer = BufWriter::with_capacity(BUFFER, hashing);
        let written = fill(&mut writer)
            .and_then(|()| writer.into_inner().map_err(io::IntoInnerError::into_error))
            .map_err(failed)?;
        let digest = written.hasher.finalize();
        if let (Some(folders), Some(file)) = (&self.folders, written.inner) {
            let digest = Digest::Published(Box::new(digest.into()));
            if self.files.stays(path, &digest) {
                fs::remove_file(folders.staging.join(path)).map_err(failed)?;
            } else {
                let meta = file.metadata().map_err(failed)?;
                self.files.staged(path, digest, Stamp::of(&meta));
            }
        }
        self.count(path, written.bytes);
        Ok(FileDigest {
            path: path.to_owned(),
            bytes: written.bytes,
            blake3: digest.to_hex().to_string(),
            published: None,
        })
    }

    /// Leaves files as they are in the site that is replaced: all of them, or none and `false`.
    #[must_use]
    pub(crate) fn keep(&self, paths: &[String]) -> bool {
        let kept = self.files.keep(paths);
        for (path, bytes) in paths.iter().zip(kept.iter().flatten()) {
            self.count(path, *bytes);
        }
        kept.is_some()
    }

    /// The digest of a file of the new site.
    pub(crate) fn digest(&self, path: &str) -> FileDigest {
        let (bytes, digest) = self.files.digest(path);
        FileDigest {
            path: path.to_owned(),
            bytes,
            blake3: blake3::Hash::from_bytes(digest).to_hex().to_string(),
            published: None,
        }
    }

    /// Files and bytes written so far.
    #[must_use]
    pub fn written(&self) -> (u64, u64) {
        self.written.total()
    }

    /// The same by kind of file.
    #[must_use]
    pub fn written_by_kind(&self) -> Vec<Written> {
        self.written.by_kind()
    }

    /// Replaces the old site with the new one; `last` is the file that is in its place last. What is left of the old site is
    /// removed when the stage is dropped.
    ///
    /// # Errors
    /// The system refuses; the old site is then still there, or the next build completes the new one.
    pub fn commit(&mut self, last: &str) -> Result<(), Diagnostic> {
        let Some(folders) = &mut self.folders else {
            return Ok(());
        };
        let changes = self.files.changes(last);
        let changes = changes.filter(|it| it.can_be_single && folders.has_same_marker());
        match &changes {
            Some(changes) => folders.replace(changes)?,
            None => folders.swap(&self.files.kept())?,
        }
        self.replaced = changes;
        Ok(())
    }

    /// How the site looks in its place; `None` when that cannot be seen.
    pub(crate) fn committed(&mut self) -> Option<Committed<'_>> {
        let folder = Folder::open(&self.folders.as_ref()?.out).ok()?;
        let old = self.files.old.take().filter(|_| self.replaced.is_some());
        let tree = match (old, &self.replaced) {
            (Some(old), Some(changes)) => {
                let mut tree = old.tree;
                let paths = changes.paths().chain([MARKER]);
                paths.for_each(|path| tree.look_again(&folder, path));
                tree
            }
            _ => Tree::of(&folder, "").ok()?,
        };
        Some(Committed {
            files: &self.files,
            tree,
        })
    }
}

/// A site in its place. It is written as its [`SiteFile`]s, which are never held.
#[derive(Debug)]
pub(crate) struct Committed<'a> {
    files: &'a Files,
    /// Everything that is there.
    pub(crate) tree: Tree,
}

impl Serialize for Committed<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.files.settle(&self.tree, to)
    }
}

/// What is in an output folder; `None` when that cannot be seen.
pub(crate) fn look(out: &Path) -> Option<Tree> {
    Tree::of(&Folder::open(out).ok()?, "").ok()
}

impl Folders {
    fn create(&self, path: &str) -> io::Result<File> {
        let target = self.staging.join(path);
        match File::create_new(&target) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                target.parent().map_or(Ok(()), fs::create_dir_all)?;
                File::create_new(&target)
            }
            other => other,
        }
    }

    /// Puts a file of another folder of ours, such as the old site, into the new one too; both share their place on the disk where the file system can do that,
    /// since nothing that is published is ever changed in place.
    fn link(&self, out: &Path, path: &str) -> io::Result<()> {
        let (from, to) = (out.join(path), self.staging.join(path));
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

    /// Whether the marker of the new site says what that of the old one says.
    fn has_same_marker(&self) -> bool {
        let read = |folder: &Path| fs::read(folder.join(MARKER)).ok();
        read(&self.staging).is_some_and(|new| Some(new) == read(&self.out))
    }

    /// Replaces the files that changed, one by one.
    fn replace(&mut self, changes: &Changes) -> Result<(), Diagnostic> {
        if self.out.is_symlink() {
            return Err(linked(&self.shown, &self.out));
        }
        let moves = changes.staged.iter().cloned().map(Step::Move);
        let mut steps: Vec<Step> = moves.collect();
        let last = steps.pop();
        steps.extend(changes.gone.iter().cloned().map(Step::Remove));
        let folders = changes.gone_folders.iter().cloned();
        steps.extend(folders.map(Step::RemoveFolder));
        steps.extend(last);
        if steps.is_empty() {
            return Ok(());
        }
        journal::write(&self.staging, &steps).map_err(|error| failed(&self.shown, &error))?;
        self.is_half_way = true;
        self.parent_folder
            .complete(&self.staged, &self.out, &self.shown)?;
        self.is_half_way = false;
        Ok(())
    }

    /// Says in the marker whose file that is, before it is there.
    fn own(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        let marker = self.staging.join(MARKER);
        let mut marker = File::options().append(true).open(marker)?;
        marker.write_all(own_line(path, bytes).as_bytes())
    }

    /// Exchanges the whole sites; the new one has the files of the old one that stay.
    fn swap(&self, kept: &[String]) -> Result<(), Diagnostic> {
        for path in kept {
            self.link(&self.out, path)
                .map_err(|error| write_failed(path, &error))?;
        }
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
        if !self.is_half_way {
            let _ = self.parent_folder.remove(&self.staged);
        }
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

fn write_failed(path: &str, error: &io::Error) -> Diagnostic {
    match error.kind() {
        ErrorKind::AlreadyExists | ErrorKind::IsADirectory | ErrorKind::NotADirectory => {
            taken_twice(path)
        }
        _ => failed(path, error),
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
