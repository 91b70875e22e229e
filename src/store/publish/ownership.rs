//! Detects folders that runpress wrote: it locks, replaces and removes only these, and never through a link.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::{Component, Path, PathBuf};

use base::diagnostics::text::quoted;
use base::diagnostics::{Diagnostic, Place, codes};
use base::files::{Folder, Tree};

use super::{MARKER, failed, journal};

/// The file with the domain of a site, which some hosts write themselves.
const CNAME: &str = "CNAME";
/// Maximum bytes of a marker.
const MARKER_BYTES: u64 = 4096;
/// Folders of a version control working copy.
const REPOSITORIES: [&str; 5] = [".git", ".hg", ".jj", ".svn", ".bzr"];

/// The output folder with links resolved, if a site may be written there. `listing` is what it contains, if known.
pub(super) fn examine(
    out: &Path,
    shown: &str,
    inputs: &[PathBuf],
    listing: Option<&Tree>,
) -> Result<PathBuf, Diagnostic> {
    let out = resolve(out).map_err(|error| failed(shown, &error))?;
    if out.parent().is_none() || out.file_name().is_none() {
        return Err(foreign_folder(shown));
    }
    // An input folder that does not exist yet would be read by the next build.
    for input in inputs.iter().filter_map(|input| resolve(input).ok()) {
        if out.starts_with(&input) || input.starts_with(&out) {
            return Err(codes::PUBLISH_INSIDE_CONTENT.at(
                Place::file(shown),
                "The output folder overlaps with the content, the templates or the static files",
                "Choose an output folder beside the content, for example `public`.",
            ));
        }
    }
    if let Ok(folder) = Folder::open(&out) {
        if marker(&folder).is_none() && !is_empty(&folder) {
            return Err(foreign_folder(shown));
        }
        let found = find_foreign(&folder, listing);
        if let Some(path) = found.map_err(|error| failed(shown, &error))? {
            return Err(foreign_file(shown, &path));
        }
    } else if out.exists() {
        return Err(foreign_folder(shown));
    }
    Ok(out)
}

/// A folder with links resolved, so that the swap replaces the output folder and not a link to it, and with `..` resolved, so
/// that a missing folder cannot hide the target.
pub(super) fn resolve(folder: &Path) -> io::Result<PathBuf> {
    let mut resolved = PathBuf::new();
    for component in std::path::absolute(folder)?.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                resolved.pop();
            }
            other => resolved.push(other),
        }
        // Links are followed as far as folders exist, step by step, as the system does.
        if resolved.symlink_metadata().is_ok() {
            resolved = resolved.canonicalize()?;
        }
    }
    Ok(resolved)
}

/// The marker of a folder that runpress wrote.
fn marker(folder: &Folder) -> Option<File> {
    folder.unlinked_file(Path::new(MARKER))
}

fn is_empty(folder: &Folder) -> bool {
    folder.entries().is_ok_and(|entries| entries.is_empty())
}

/// Whether a file at this path sets the domain of the site. Case is ignored, as in some file systems.
pub(super) fn is_cname(path: &str) -> bool {
    path.eq_ignore_ascii_case(CNAME)
}

/// The marker line for a file that others may also put into a site: it shows that this one came from `static/`.
pub(super) fn origin_line(path: &str, bytes: &[u8]) -> String {
    format!(
        "{path} came from static/: {}\n",
        blake3::hash(bytes).to_hex()
    )
}

/// The path of a file that somebody else put into a runpress folder, and would miss. Reads only names, recursively.
fn find_foreign(folder: &Folder, listing: Option<&Tree>) -> io::Result<Option<PathBuf>> {
    let is_repository = |name: &OsStr| {
        REPOSITORIES
            .iter()
            .any(|repository| name.eq_ignore_ascii_case(repository))
    };
    let found = match listing {
        Some(tree) => tree.find(&is_repository),
        None => folder.find(&is_repository)?,
    };
    Ok(found.or_else(|| foreign_cname(folder)))
}

/// A domain file that differs from the one the last build took from `static/`.
fn foreign_cname(folder: &Folder) -> Option<PathBuf> {
    let mut marker_text = String::new();
    if let Some(marker) = marker(folder) {
        // An unreadable marker has no lines.
        let _ = marker.take(MARKER_BYTES).read_to_string(&mut marker_text);
    }
    let is_ours = |name: &str| {
        let mut bytes = Vec::new();
        let file = folder.unlinked_file(Path::new(name));
        let is_read = file.is_some_and(|mut file| file.read_to_end(&mut bytes).is_ok());
        is_read && marker_text.contains(&format!("\n{}", origin_line(name, &bytes)))
    };
    let mut names: Vec<OsString> = folder
        .entries()
        .into_iter()
        .flatten()
        .map(|entry| entry.name)
        .filter(|name| name.to_str().is_some_and(is_cname))
        .collect();
    names.sort();
    let foreign = names
        .into_iter()
        .find(|name| !name.to_str().is_some_and(is_ours));
    foreign.map(PathBuf::from)
}

/// The lock of a folder. Released explicitly: closing the file does not release it while a process just started by another thread
/// still has a copy.
#[derive(Debug)]
pub(super) struct Lock(File);

impl Drop for Lock {
    fn drop(&mut self) {
        // If this fails, the lock ends with the file.
        let _ = self.0.unlock();
    }
}

/// Locks a runpress folder.
fn lock_marker(marker: File, shown: &str) -> Result<Lock, Diagnostic> {
    match marker.try_lock() {
        Ok(()) => Ok(Lock(marker)),
        Err(fs::TryLockError::WouldBlock) => Err(locked(shown)),
        Err(fs::TryLockError::Error(error)) => Err(failed(shown, &error)),
    }
}

/// The parent of the output folder, for entries with names from runpress.
#[derive(Debug)]
pub(super) struct ParentFolder(Folder);

impl ParentFolder {
    pub(super) fn open(parent: &Path) -> io::Result<Self> {
        Folder::open(parent).map(Self)
    }

    /// Whether this name is a folder that runpress wrote.
    pub(super) fn has_ours(&self, name: &Path) -> bool {
        let folder = self.0.folder(name);
        folder.is_ok_and(|folder| marker(&folder).is_some())
    }

    /// Locks the folder with this name, if runpress wrote it.
    pub(super) fn lock(&self, name: &Path, shown: &str) -> Result<Option<Lock>, Diagnostic> {
        let folder = self.0.folder(name).ok();
        let marker = folder.and_then(|folder| marker(&folder));
        marker.map(|marker| lock_marker(marker, shown)).transpose()
    }

    /// Completes the interrupted replacement of a site that was staged under this name; does nothing if the journal is
    /// incomplete.
    pub(super) fn complete(
        &self,
        staged: &Path,
        out: &Path,
        shown: &str,
    ) -> Result<(), Diagnostic> {
        let Ok(staging) = self.0.folder(staged) else {
            return Ok(());
        };
        let steps = marker(&staging).and_then(|_| journal::read(&staging));
        let (Some(steps), Ok(out)) = (steps, Folder::open(out)) else {
            return Ok(());
        };
        // Whoever scanned the folder before must see from its marker that it changed.
        if let Some(marker) = marker(&out) {
            let _ = marker
                .metadata()
                .and_then(|meta| marker.set_permissions(meta.permissions()));
        }
        journal::follow(&steps, &staging, &out)
            .and_then(|()| journal::forget(&staging))
            .map_err(|error| partly_replaced(shown, &error))
    }

    /// Removes leftovers of an interrupted build under this name.
    pub(super) fn clear(&self, name: &Path, shown: &str) -> Result<(), Diagnostic> {
        if !self.0.has(name) {
            return Ok(());
        }
        if self.0.is_link(name) {
            return Err(unexpected_link(shown, name));
        }
        let Ok(folder) = self.0.folder(name) else {
            return Err(foreign_folder(shown));
        };
        let lock = match marker(&folder) {
            Some(marker) => Some(lock_marker(marker, shown)?),
            None if is_empty(&folder) => None,
            None => return Err(foreign_folder(shown)),
        };
        let found =
            find_foreign(&folder, None).map_err(|error| cannot_remove(shown, name, &error))?;
        if let Some(path) = found {
            return Err(foreign_file(&name.to_string_lossy(), &path));
        }
        self.remove(name)
            .map_err(|error| cannot_remove(shown, name, &error))?;
        drop(lock);
        Ok(())
    }

    /// Removes a runpress folder, its marker last: after an interruption, the next build still recognizes the rest. Read-only
    /// folders are removed too: it was a site, and a new one has replaced it.
    pub(super) fn remove(&self, name: &Path) -> io::Result<()> {
        let folder = self.0.folder(name)?;
        match folder.clear(MARKER) {
            #[cfg(unix)]
            Err(error) if error.kind() == ErrorKind::PermissionDenied => {
                make_writable(folder.path());
                folder.clear(MARKER)?;
            }
            result => result?,
        }
        folder.clear("")?;
        self.0.remove_folder(name)
    }
}

/// Makes a folder and all folders in it writable for the owner, as far as possible.
#[cfg(unix)]
fn make_writable(folder: &Path) {
    use std::os::unix::fs::PermissionsExt;
    // A folder comes before its entries, which makes them readable.
    for entry in walkdir::WalkDir::new(folder).into_iter().flatten() {
        if let Ok(meta) = entry.metadata()
            && meta.is_dir()
        {
            let mode = meta.permissions().mode() | 0o700;
            let _ = fs::set_permissions(entry.path(), fs::Permissions::from_mode(mode));
        }
    }
}

pub(super) fn locked(shown: &str) -> Diagnostic {
    codes::PUBLISH_LOCKED.at(
        Place::file(shown),
        "Another build is writing this folder",
        "Wait until it ends.",
    )
}

/// The error for leftovers of an interrupted build, next to the output folder, that cannot be removed.
fn cannot_remove(shown: &str, name: &Path, error: &io::Error) -> Diagnostic {
    let name = name.to_string_lossy();
    codes::PUBLISH_IO.at(
        Place::file(shown),
        format!(
            "The folder {} of an earlier build, next to the output folder, cannot be removed: {error}",
            quoted(&name)
        ),
        "Correct its permissions, or remove it yourself. The previous output is unchanged.",
    )
}

/// The error if some files of a site are replaced, and the next one cannot be.
fn partly_replaced(shown: &str, error: &io::Error) -> Diagnostic {
    codes::PUBLISH_IO.at(
        Place::file(shown),
        format!("Only a part of the site could be replaced: {error}"),
        "Correct the permissions in the output folder and build again, which completes the site; or remove the folder.",
    )
}

/// The error for a link under a name that runpress uses for its folders.
pub(super) fn unexpected_link(shown: &str, name: &Path) -> Diagnostic {
    let name = name.to_string_lossy();
    codes::PUBLISH_FOREIGN_FOLDER.at(
        Place::file(shown),
        format!(
            "{} next to the output folder is a link, which runpress did not create",
            quoted(&name)
        ),
        "Remove the link; its target is unchanged.",
    )
}

/// The error for somebody else's file in a runpress folder.
fn foreign_file(shown: &str, path: &Path) -> Diagnostic {
    let path = path.to_string_lossy();
    let help = if is_cname(&path) {
        "Put the file into `static/`, so that every build writes it, and remove it here."
    } else {
        "Move it out of the folder, or choose another `--out`: a build replaces the whole folder."
    };
    codes::PUBLISH_FOREIGN_FOLDER.at(
        Place::file(shown),
        format!(
            "The folder {} contains {}, which runpress did not write",
            quoted(shown),
            quoted(&path)
        ),
        help,
    )
}

pub(super) fn foreign_folder(shown: &str) -> Diagnostic {
    codes::PUBLISH_FOREIGN_FOLDER.at(
        Place::file(shown),
        format!(
            "The folder {} contains files that runpress did not write",
            quoted(shown)
        ),
        "Choose another `--out`, or empty the folder yourself.",
    )
}
