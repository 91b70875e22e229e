//! Knows how a file of the content is replaced: whole or not at all, and by one writer at a time.
//!
//! Appending to the file in place would be shorter. But a reader may then see half a line (an append that crosses a
//! page of memory is not one step for a reader), a full disk or a crash leaves half a line for good, and a file
//! whose last line has no end needs two changes at once. So the new file is written beside the old one and renamed
//! over it: every reader sees the old file or the new one.
//!
//! A rename makes a lock on the sidecar itself worthless, since the next writer may hold the lock of a file that is
//! gone; a lock file of its own would be left in the content. The run's record is always there and never replaced
//! here, so it carries the lock. Programs that know nothing of the lock are noticed by comparing the file with what
//! was read, right before the rename.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::Path;

use crate::diagnostics::text::quoted;
use crate::discover::RunDirectory;
use crate::formats::run_record;

use super::Refusal;

/// How often a file that others change is read again.
const ATTEMPTS: usize = 20;

/// The name of a new file until it is renamed, around [`RANDOM`] letters and digits: neither a sidecar nor a tape,
/// whatever stops the process.
const PREFIX: &str = ".runpress-";
const SUFFIX: &str = ".tmp";
const RANDOM: usize = 6;

/// Waits for every other writer of the run's sidecars. The lock ends when the file is dropped, or with the process.
pub(super) fn lock(directory: &RunDirectory) -> Result<File, Refusal> {
    let failed = |error: &io::Error| {
        Refusal::request(
            format!(
                "The run {} cannot be locked: {error}",
                quoted(&directory.shown)
            ),
            "Make its `run-record.json` a regular file that you may read.",
        )
    };
    let file =
        File::open(directory.path.join(run_record::FILE_NAME)).map_err(|error| failed(&error))?;
    match file.lock() {
        // A file system without locks: the comparison before the rename still holds.
        Err(error) if error.kind() != ErrorKind::Unsupported => Err(failed(&error)),
        Err(_) => Ok(file),
        Ok(()) => {
            clear(&directory.path);
            Ok(file)
        }
    }
}

/// Removes what writers that were killed left behind. Only who holds the lock may: nobody is about to rename such a
/// file then. One that cannot be removed harms nobody.
fn clear(folder: &Path) {
    let is_leftover = |name: &str| {
        name.strip_prefix(PREFIX)
            .and_then(|rest| rest.strip_suffix(SUFFIX))
            .is_some_and(|random| {
                random.len() == RANDOM && random.bytes().all(|b| b.is_ascii_alphanumeric())
            })
    };
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_str().is_some_and(is_leftover)
            && entry.file_type().is_ok_and(|kind| kind.is_file())
        {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Repeats `attempt` until it says that the file was not changed by others meanwhile.
pub(super) fn settled<T>(
    mut attempt: impl FnMut() -> Result<Option<T>, Refusal>,
) -> Result<T, Refusal> {
    for _ in 0..ATTEMPTS {
        if let Some(done) = attempt()? {
            return Ok(done);
        }
    }
    Err(Refusal::request(
        "Another program keeps changing the sidecar",
        "Stop it and try again; nothing was written.",
    ))
}

/// Puts `new` in the place of `old`, or makes the file when there is no old one; `false` when the file is not what
/// was read.
pub(super) fn replace(
    path: &Path,
    shown: &str,
    old: Option<&[u8]>,
    new: &[u8],
) -> Result<bool, Refusal> {
    exchange(path, old, new).map_err(|error| {
        Refusal::request(
            format!("The file {} could not be written: {error}", quoted(shown)),
            "Correct the permissions or make room; what was there is untouched.",
        )
    })
}

fn exchange(path: &Path, old: Option<&[u8]>, new: &[u8]) -> io::Result<bool> {
    // A link is followed, so that the file behind it is replaced and not the link.
    let path = match old {
        Some(_) => path.canonicalize()?,
        None => path.to_owned(),
    };
    let folder = path.parent().ok_or(ErrorKind::InvalidInput)?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX).suffix(SUFFIX).rand_bytes(RANDOM);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(new)?;
    if old.is_some() {
        // What may not be written may not be replaced either.
        OpenOptions::new().append(true).open(&path)?;
        file.as_file()
            .set_permissions(fs::metadata(&path)?.permissions())?;
    }
    file.as_file().sync_all()?;
    let Some(old) = old else {
        return match file.persist_noclobber(&path) {
            Err(failed) if failed.error.kind() == ErrorKind::AlreadyExists => Ok(false),
            result => result.map(|_| true).map_err(|failed| failed.error),
        };
    };
    if fs::read(&path)? != old {
        return Ok(false);
    }
    file.persist(&path)
        .map(|_| true)
        .map_err(|failed| failed.error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_others_changed_or_made_meanwhile_is_left_to_them() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x.annotations.jsonl");
        let swap = |old: Option<&[u8]>, new: &[u8]| exchange(&path, old, new).expect("a try");
        assert!(swap(None, b"one\n"));
        assert!(!swap(None, b"two\n"), "it was made meanwhile");
        assert!(!swap(Some(b"on"), b"two\n"), "it was changed meanwhile");
        assert_eq!(fs::read(&path).expect("a file"), b"one\n");
        assert!(swap(Some(b"one\n"), b"two\n"));
        assert_eq!(fs::read(&path).expect("a file"), b"two\n");
        let names = fs::read_dir(folder.path()).expect("a folder").count();
        assert_eq!(names, 1, "nothing is left behind");
    }

    #[test]
    fn a_file_that_never_settles_is_given_up() {
        let mut tries = 0;
        let result = settled(|| {
            tries += 1;
            Ok(None::<()>)
        });
        assert!(matches!(result, Err(Refusal::Request { .. })));
        assert_eq!(tries, ATTEMPTS);
    }
}
