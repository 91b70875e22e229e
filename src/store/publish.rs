//! (edge) Publishes a site: stages it next to the old one, then swaps it in atomically.
//!
//! Every folder that runpress writes has a marker file, which is also the lock of the build working on it. If a build is
//! interrupted, the old site stays complete, and the next build cleans up.

use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use base::diagnostics::text::quoted;
use base::diagnostics::{Diagnostic, Place, codes};
use base::files::{Folder, Stamp, Tree};
use formats::model::FileDigest;

pub mod checksums;
mod files;
mod journal;
mod ownership;
mod part;
mod sizes;

pub use part::{OutputFile, PART_FILE, examine_kind, overlap};
pub use sizes::{FileCount, SiteSize};

use files::ContentDigest;
pub use files::{LastSite, SiteFiles};

use files::{FileChanges, NewSite, OldSite};
use journal::JournalStep;
use ownership::{
    Lock, ParentFolder, examine, foreign_folder, is_cname, locked, origin_line, unexpected_link,
};
use sizes::{FileCounters, SizeCounter};

/// The file name of the marker in the output folder.
pub const MARKER: &str = ".runpress";
const MARKER_TEXT: &[u8] =
    b"This folder was written by runpress. The next build replaces all of it, so keep no other files here.\n";

/// A new site in progress. If dropped without [`Stage::commit`], it leaves nothing behind.
#[derive(Debug)]
pub struct Stage {
    /// `None` in a dry run.
    folders: Option<StageFolders>,
    files: NewSite,
    counters: FileCounters,
    /// Measures the site, if it has limits.
    size: Option<SizeCounter>,
    /// Changes to the output folder, if its files were replaced one by one.
    replaced: Option<FileChanges>,
}

/// Completes an interrupted replacement of files one by one, and removes other leftovers.
pub fn recover(out: &Path, shown: &str, inputs: &[PathBuf]) -> Result<(), Diagnostic> {
    let (Some(parent), Some(name)) = (out.parent(), out.file_name()) else {
        return Ok(());
    };
    // Follow links only if there is something to do.
    let leftover = out.canonicalize().unwrap_or_else(|_| out.to_owned());
    let parent = leftover.parent().unwrap_or(parent);
    let name = leftover.file_name().unwrap_or(name);
    let is_there = |suffix| {
        let leftover = parent.join(sibling(Path::new(name), suffix));
        leftover.symlink_metadata().is_ok()
    };
    if is_there(STAGING) || is_there(OLD_SITE) {
        drop(Stage::open(out, shown, inputs)?);
    }
    Ok(())
}

const STAGING: &str = ".runpress-staging";
/// The old site, if folders cannot be exchanged.
const OLD_SITE: &str = ".runpress-aside";

/// The name of a runpress folder next to the output folder.
fn sibling(name: &Path, suffix: &str) -> PathBuf {
    let mut sibling = std::ffi::OsString::from(".");
    sibling.push(name);
    sibling.push(suffix);
    PathBuf::from(sibling)
}

/// The folders of a stage.
#[derive(Debug)]
struct StageFolders {
    /// The output folder in diagnostics.
    shown: String,
    /// The output folder, with links resolved.
    out: PathBuf,
    staging: PathBuf,
    /// Name of the staged folder.
    staged: PathBuf,
    /// The parent of both.
    parent_folder: ParentFolder,
    /// Whether the site is only partly replaced, so that the staged files are still needed.
    is_partly_replaced: bool,
    // Locks, released when the process ends, even by a crash.
    _locks: Vec<Lock>,
}

impl Stage {
    /// A stage that writes nothing and reports the same problems as a real one: a check is a dry run of a build.
    pub fn dry_run(out: &Path, shown: &str, inputs: &[PathBuf]) -> Result<Self, Diagnostic> {
        examine(out, shown, inputs, None)?;
        Ok(Self::new(None))
    }

    fn new(folders: Option<StageFolders>) -> Self {
        Self {
            folders,
            files: NewSite::default(),
            counters: FileCounters::default(),
            size: None,
            replaced: None,
        }
    }

    /// Opens a stage for `out`. `inputs` are folders that the output must not touch.
    pub fn open(out: &Path, shown: &str, inputs: &[PathBuf]) -> Result<Self, Diagnostic> {
        Self::open_listed(out, shown, inputs, None)
    }

    /// Opens a stage with the listing of the output folder, if there is one.
    pub fn open_listed(
        out: &Path,
        shown: &str,
        inputs: &[PathBuf],
        listing: Option<&Tree>,
    ) -> Result<Self, Diagnostic> {
        let out = examine(out, shown, inputs, listing)?;
        let (Some(parent), Some(name)) = (out.parent(), out.file_name().map(Path::new)) else {
            return Err(foreign_folder(shown));
        };
        let names = [sibling(name, STAGING), sibling(name, OLD_SITE)];
        fs::create_dir_all(parent).map_err(|error| failed(shown, &error))?;
        let parent_folder = ParentFolder::open(parent).map_err(|error| failed(shown, &error))?;
        // A build that could not exchange the folders atomically may have been interrupted between its two renames.
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
        Ok(Self::new(Some(StageFolders {
            shown: shown.to_owned(),
            out,
            staging,
            staged,
            parent_folder,
            is_partly_replaced: false,
            _locks: locks,
        })))
    }

    /// Whether nothing is written or counted, so that file contents need not be rendered.
    pub const fn is_dry_run(&self) -> bool {
        self.folders.is_none() && self.size.is_none()
    }

    /// Reuses files of `known`, a site of an earlier build, that are unchanged.
    pub fn with_last_site(mut self, known: LastSite) -> Self {
        let folders = self.folders.as_ref();
        let folders = folders.filter(|_| !known.files.is_empty());
        self.files.old = folders.and_then(|folders| OldSite::open(&folders.out, known));
        self
    }

    /// Writes one file; `path` is relative to the site's root, with `/`.
    pub fn write(&self, path: &str, bytes: &[u8]) -> Result<(), Diagnostic> {
        self.files.reserve(path)?;
        if let Some(folders) = &self.folders {
            self.put(folders, path, bytes)
                .map_err(|error| write_failed(path, &error))?;
        }
        self.count(path, bytes.len() as u64);
        Ok(())
    }

    /// Reserves the path of a file in a dry run, without its content.
    pub fn plan(&self, path: &str, bytes: u64) -> Result<(), Diagnostic> {
        self.files.reserve(path)?;
        self.count(path, bytes);
        Ok(())
    }

    fn count(&self, path: &str, bytes: u64) {
        self.counters.add(path, bytes);
        if let Some(size) = &self.size {
            size.add(path, bytes);
        }
    }

    /// Counts the sizes of all files except in the folder `elsewhere`, and records files larger than `file`.
    pub fn measure_size(&mut self, file: u64, elsewhere: Option<&'static str>) {
        self.size = Some(SizeCounter::new(file, elsewhere));
    }

    /// The size of the site; `None` if it is not measured.
    pub fn site_size(&self) -> Option<SiteSize> {
        self.size.as_ref().map(SizeCounter::take)
    }

    /// Computes the checksum of each file from now on.
    pub const fn compute_checksums(&mut self) {
        self.files.has_checksums = true;
    }

    /// Writes the checksums of all files of the new site.
    pub fn write_checksums(&self) -> Result<(), Diagnostic> {
        let text = checksums::text(&self.files.checksums());
        self.write(checksums::PATH, text.as_bytes())
    }

    fn put(&self, folders: &StageFolders, path: &str, bytes: &[u8]) -> io::Result<()> {
        if is_cname(path) {
            folders.record_origin(path, bytes)?;
        }
        let digest = ContentDigest::of(bytes, self.files.has_checksums);
        if !self.files.reuse_if_same(path, &digest) {
            let mut file = folders.create(path)?;
            file.write_all(bytes)?;
            self.files
                .record_staged(path, digest, Stamp::of(&file.metadata()?));
        }
        Ok(())
    }

    /// Writes one file in chunks, and returns its size and digest.
    pub fn stream(
        &self,
        path: &str,
        fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<FileDigest, Diagnostic> {
        self.files.reserve(path)?;
        let failed = |error: io::Error| write_failed(path, &error);
        let file = self.folders.as_ref().map(|folders| folders.create(path));
        // Hashing many small chunks takes several times as long as hashing a large one.
        let hashing = HashingWriter {
            sha256: self.files.has_checksums.then(Sha256::new),
            ..HashingWriter::new(file.transpose().map_err(failed)?)
        };
        let mut writer = BufWriter::with_capacity(BUFFER, hashing);
        let written = fill(&mut writer)
            .and_then(|()| writer.into_inner().map_err(io::IntoInnerError::into_error))
            .map_err(failed)?;
        let digest = written.hasher.finalize();
        if let (Some(folders), Some(file)) = (&self.folders, written.inner) {
            let blake3 = digest.into();
            let digest = match written.sha256 {
                Some(sha256) => ContentDigest::Sha256 {
                    sha256: sha256.finalize().into(),
                    blake3: Some(blake3),
                },
                None => ContentDigest::Blake3(blake3),
            };
            if self.files.reuse_if_same(path, &digest) {
                fs::remove_file(folders.staging.join(path)).map_err(failed)?;
            } else {
                let meta = file.metadata().map_err(failed)?;
                self.files.record_staged(path, digest, Stamp::of(&meta));
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

    /// Reuses files of the site that is being replaced: all of them, or none and `false`.
    pub fn reuse_files(&self, paths: &[String]) -> bool {
        let sizes = self.files.reuse(paths);
        for (path, bytes) in paths.iter().zip(sizes.iter().flatten()) {
            self.count(path, *bytes);
        }
        sizes.is_some()
    }

    /// The digest of a file of the new site.
    pub fn digest(&self, path: &str) -> FileDigest {
        let file = self.files.size_and_digest(path);
        let (bytes, digest) = file.map_or((0, None), |(bytes, digest)| (bytes, digest.blake3()));
        let digest = blake3::Hash::from_bytes(digest.unwrap_or_default());
        FileDigest {
            path: path.to_owned(),
            bytes,
            blake3: digest.to_hex().to_string(),
            published: None,
        }
    }

    /// Files and bytes written so far.
    pub fn written(&self) -> (u64, u64) {
        self.counters.total()
    }

    /// Files and bytes written so far, by kind of file.
    pub fn written_by_kind(&self) -> Vec<FileCount> {
        self.counters.by_kind()
    }

    /// Replaces the old site with the new one; `last` is the file to replace last. Leftovers of the old site are removed when the
    /// stage is dropped.
    pub fn commit(&mut self, last: &str) -> Result<(), Diagnostic> {
        let Some(folders) = &mut self.folders else {
            return Ok(());
        };
        // A folder without runs, such as an export, needs no folder for them; this fails if it is not empty.
        let _ = fs::remove_dir(folders.staging.join("runs"));
        let changes = self.files.changes(last);
        let changes = changes.filter(|it| it.can_be_single && folders.has_same_marker());
        match &changes {
            Some(changes) => folders.replace(changes)?,
            None => folders.swap(&self.files.reused_paths())?,
        }
        self.replaced = changes;
        Ok(())
    }

    /// The files of the new site as committed, and the listing of its folder; `None` if that cannot be listed.
    pub fn committed_files(&mut self) -> Option<(SiteFiles, Tree)> {
        let folder = Folder::open(&self.folders.as_ref()?.out).ok()?;
        let old = self.files.old.take().filter(|_| self.replaced.is_some());
        let tree = match (old, &self.replaced) {
            (Some(old), Some(changes)) => {
                let mut tree = old.tree;
                let paths = changes.paths().chain([MARKER]);
                paths.for_each(|path| tree.refresh(&folder, path));
                tree
            }
            _ => Tree::of(&folder, "").ok()?,
        };
        Some((self.files.site_files(&tree), tree))
    }
}

/// The listing of an output folder; `None` if it cannot be read.
pub fn list_output(out: &Path) -> Option<Tree> {
    Tree::of(&Folder::open(out).ok()?, "").ok()
}

impl StageFolders {
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

    /// Puts a file of another runpress folder, such as the old site, into the new one too. Uses a hard link if the file system
    /// can, since published files are never changed in place.
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

    /// Whether the markers of the new and the old site are equal.
    fn has_same_marker(&self) -> bool {
        let read = |folder: &Path| fs::read(folder.join(MARKER)).ok();
        read(&self.staging).is_some_and(|new| Some(new) == read(&self.out))
    }

    /// Replaces changed files one by one.
    fn replace(&mut self, changes: &FileChanges) -> Result<(), Diagnostic> {
        if self.out.is_symlink() {
            return Err(unexpected_link(&self.shown, &self.out));
        }
        let moves = changes.staged.iter().cloned().map(JournalStep::Move);
        let mut steps: Vec<JournalStep> = moves.collect();
        let last = steps.pop();
        steps.extend(changes.gone.iter().cloned().map(JournalStep::Remove));
        let folders = changes.gone_folders.iter().cloned();
        steps.extend(folders.map(JournalStep::RemoveFolder));
        steps.extend(last);
        if steps.is_empty() {
            return Ok(());
        }
        journal::write(&self.staging, &steps).map_err(|error| failed(&self.shown, &error))?;
        self.is_partly_replaced = true;
        self.parent_folder
            .complete(&self.staged, &self.out, &self.shown)?;
        self.is_partly_replaced = false;
        Ok(())
    }

    /// Records in the marker that a file came from `static/`, before the file exists.
    fn record_origin(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        let marker = self.staging.join(MARKER);
        let mut marker = File::options().append(true).open(marker)?;
        marker.write_all(origin_line(path, bytes).as_bytes())
    }

    /// Exchanges the whole sites; the new one gets the `reused` files of the old one.
    fn swap(&self, reused: &[String]) -> Result<(), Diagnostic> {
        for path in reused {
            self.link(&self.out, path)
                .map_err(|error| write_failed(path, &error))?;
        }
        if self.out.is_symlink() {
            return Err(unexpected_link(&self.shown, &self.out));
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

    /// Without an atomic exchange of folders, the site is missing for an instant; the next build fixes an interruption.
    fn two_renames(&self) -> io::Result<()> {
        let mut old_site = self.staging.clone();
        old_site.set_extension("runpress-aside");
        fs::rename(&self.out, &old_site)?;
        if let Err(error) = fs::rename(&self.staging, &self.out) {
            fs::rename(&old_site, &self.out)?;
            return Err(error);
        }
        fs::rename(&old_site, &self.staging)
    }
}

impl Drop for StageFolders {
    /// The stage's name now belongs to a site that was not committed, or to the old one. Failing to remove it does no harm.
    fn drop(&mut self) {
        if !self.is_partly_replaced {
            let _ = self.parent_folder.remove(&self.staged);
        }
    }
}

/// Creates the folder of runs in a part of an ext4 file system without recent deletions. For every new file, ext4 searches all
/// files deleted in the same block group in the last minutes. After a rebuild that is the whole old site, and a build becomes
/// many times slower. If a folder's parent is marked as the top of a hierarchy, its name selects the group, so it is created
/// under a unique name. Other file systems reject or ignore the mark, and the folder is created with its first file.
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
    let unique = staging.join(format!("runs.{}", std::process::id()));
    if fs::create_dir(&unique).is_ok() && fs::rename(&unique, staging.join("runs")).is_err() {
        let _ = fs::remove_dir(&unique);
    }
    let _ = ioctl_setflags(&directory, flags);
}

/// Bytes per write.
const BUFFER: usize = 64 * 1024;

/// Hashes and counts bytes while they are written, or without writing them.
pub(crate) struct HashingWriter<W> {
    inner: Option<W>,
    pub(crate) hasher: blake3::Hasher,
    /// For a site with checksums.
    sha256: Option<Sha256>,
    pub(crate) bytes: u64,
}

impl<W> HashingWriter<W> {
    pub(crate) fn new(inner: Option<W>) -> Self {
        Self {
            inner,
            hasher: blake3::Hasher::new(),
            sha256: None,
            bytes: 0,
        }
    }
}

impl<W: Write> Write for HashingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self
            .inner
            .as_mut()
            .map_or(Ok(bytes.len()), |inner| inner.write(bytes))?;
        self.hasher.update(&bytes[..count]);
        if let Some(sha256) = &mut self.sha256 {
            sha256.update(&bytes[..count]);
        }
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
            duplicate_path(path)
        }
        _ => failed(path, error),
    }
}

fn duplicate_path(path: &str) -> Diagnostic {
    codes::PUBLISH_DUPLICATE_PATH.at(
        Place::file(path),
        format!("Two outputs have the path {}", quoted(path)),
        "Rename the file in `static/` that has this path.",
    )
}

fn failed(shown: &str, error: &io::Error) -> Diagnostic {
    codes::PUBLISH_IO.at(
        Place::file(shown),
        format!("The output could not be written: {error}"),
        "Free disk space, correct the permissions or choose another `--out`. The previous output is unchanged.",
    )
}
