//! Replaces files of the content atomically, with one writer at a time.
//!
//! Appending in place would be shorter. But a reader could see half a line, because an append across a memory page is not
//! atomic; a full disk or a crash could leave half a line for good; and a file without a final line end would need two changes
//! at once. So the new file is written next to the old one and renamed over it: readers see either the old file or the new one.
//! Where the system has files without a name, the new file gets one only for the rename, so a killed process leaves nothing.
//!
//! A rename makes a lock on the sidecar itself useless, since the next writer may hold the lock of a deleted file, and a
//! separate lock file would stay in the content. The run's record always exists and is never replaced here, so it carries the
//! lock. To catch programs that do not use the lock, the file is compared with what was read, right before the rename.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use base::diagnostics::text::quoted;
use base::files::{Folder, OpenFile};
use content::discover::RunDirectory;
use content::load;
use formats::run_record;

use super::Refusal;

/// Maximum attempts to write a file that others keep changing.
const ATTEMPTS: usize = 20;

/// Prefix of a temporary file, followed by [`RANDOM`] letters and digits. If the process is killed, no leftover file looks like
/// a sidecar or a tape.
const PREFIX: &str = ".runpress-";
const SUFFIX: &str = ".tmp";
const RANDOM: usize = 6;

/// Timeouts of waiting for a lock.
#[derive(Debug, Clone, Copy)]
struct LockTimeout {
    /// Before the user is notified.
    silent: Duration,
    /// Before giving up.
    most: Duration,
}

const LOCK_TIMEOUT: LockTimeout = LockTimeout {
    silent: Duration::from_secs(1),
    most: Duration::from_secs(30),
};

/// Waits for other writers of the run's sidecars; if that takes long, calls `waiting` with a sentence. The lock is released
/// when the file is dropped or the process ends.
pub(super) fn lock(directory: &RunDirectory, waiting: &dyn Fn(&str)) -> Result<File, Refusal> {
    let name = run_record::FILE_NAME;
    let failed = |reason: &str| {
        Refusal::request(
            format!(
                "The run {} cannot be locked: {reason}",
                quoted(&directory.shown)
            ),
            "Replace its `run-record.json` with a regular, readable file.",
        )
    };
    let run = load::open(directory).map_err(|error| failed(&error.to_string()))?;
    // Opened without blocking on a pipe of this name, which is not a record.
    let file = match run.file(Path::new(name)) {
        Ok(Some(OpenFile { file, meta, .. })) if meta.is_file() => file,
        Ok(Some(_)) => return Err(failed("its record is not a regular file")),
        Ok(None) => return Err(failed("its record no longer exists")),
        Err(fault) => return Err(failed(&fault.reason())),
    };
    let shown = format!("{}/{name}", directory.shown);
    if wait(&file, &shown, LOCK_TIMEOUT, waiting)? {
        remove_leftovers(&directory.path());
    }
    Ok(file)
}

/// Waits for a lock. `false` if the file system has no locks; the comparison before the rename still protects the file.
fn wait(
    file: &File,
    shown: &str,
    timeout: LockTimeout,
    waiting: &dyn Fn(&str),
) -> Result<bool, Refusal> {
    let shown = quoted(shown);
    let began = Instant::now();
    let mut is_reported = false;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(true),
            Err(fs::TryLockError::WouldBlock) => {}
            Err(fs::TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => {
                return Ok(false);
            }
            Err(fs::TryLockError::Error(error)) => {
                return Err(Refusal::request(
                    format!("The file {shown} cannot be locked: {error}"),
                    "Put the content on a file system with locks.",
                ));
            }
        }
        let waited = began.elapsed();
        if waited >= timeout.most {
            return Err(Refusal::request(
                format!(
                    "Another program has locked {shown} for {} seconds",
                    waited.as_secs()
                ),
                "Wait until the other `runpress annotate` ends, or stop it. Nothing was written.",
            ));
        }
        if waited >= timeout.silent && !is_reported {
            waiting(&format!("Waiting for another program to unlock {shown}."));
            is_reported = true;
        }
        thread::sleep(Duration::from_millis(10));
    }
}

/// Removes temporary files of killed writers. Only the holder of the lock may do so, because then nobody is about to rename
/// one. A file that cannot be removed does no harm.
fn remove_leftovers(folder: &Path) {
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

/// Repeats `attempt` until nobody else changed the file in the meantime.
pub(super) fn retry_while_changed<T>(
    mut attempt: impl FnMut() -> Result<Option<T>, Refusal>,
) -> Result<T, Refusal> {
    for _ in 0..ATTEMPTS {
        if let Some(done) = attempt()? {
            return Ok(done);
        }
    }
    Err(Refusal::request(
        "Another program keeps changing the sidecar",
        "Stop it and try again. Nothing was written.",
    ))
}

/// Replaces `old` with `new` in a file of the run, or creates the file if there is no old one. `false` if the file no longer
/// has the content that was read.
pub(super) fn replace(
    directory: &RunDirectory,
    name: &str,
    old: Option<&[u8]>,
    new: &[u8],
) -> Result<bool, Refusal> {
    let failed = |reason: &str| {
        let shown = format!("{}/{name}", directory.shown);
        Refusal::request(
            format!("The file {} could not be written: {reason}", quoted(&shown)),
            "Correct the permissions or free disk space. The previous file is unchanged.",
        )
    };
    let path = match old {
        Some(_) => real_path(directory, name).map_err(|reason| failed(&reason))?,
        None => directory.path().join(name),
    };
    replace_if_same(&path, old, new).map_err(|error| failed(&error.to_string()))
}

/// The real path of a file of the run. Links are followed, so that the target is replaced and not the link.
fn real_path(directory: &RunDirectory, name: &str) -> Result<PathBuf, String> {
    let run = load::open(directory).map_err(|error| error.to_string())?;
    let opened = run.file(Path::new(name)).map_err(|fault| fault.reason())?;
    let linked = opened.and_then(|opened| opened.linked);
    Ok(directory.path().join(linked.unwrap_or_else(|| name.into())))
}

/// The current content of a file; `None` if it is no longer a regular file.
fn current_content(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Ok(None);
    };
    let Some(mut file) = Folder::open(folder)?.unlinked_file(Path::new(name)) else {
        return Ok(None);
    };
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// Replaces `old` with `new` in a file, or creates the file if there is no old one. `false` if the file no longer has the
/// content that was read.
pub(super) fn replace_if_same(path: &Path, old: Option<&[u8]>, new: &[u8]) -> io::Result<bool> {
    let folder = path.parent().ok_or(ErrorKind::InvalidInput)?;
    #[cfg(target_os = "linux")]
    if let Some(file) = unnamed_file(folder) {
        return replace_by_unnamed(&file, path, old, new);
    }
    let file = builder().tempfile_in(folder)?;
    if !write(file.as_file(), path, old, new)? {
        return Ok(false);
    }
    let renamed = match old {
        Some(_) => file.persist(path),
        None => file.persist_noclobber(path),
    };
    match renamed {
        Err(failed) if old.is_none() && failed.error.kind() == ErrorKind::AlreadyExists => {
            Ok(false)
        }
        result => result.map(|_| true).map_err(|failed| failed.error),
    }
}

/// Writes `new` into the file that is to replace `old` at `path`. `false` if the file at `path` no longer has the content that
/// was read.
fn write(mut file: &File, path: &Path, old: Option<&[u8]>, new: &[u8]) -> io::Result<bool> {
    file.write_all(new)?;
    if old.is_some() {
        if current_content(path)?.as_deref() != old {
            return Ok(false);
        }
        // A read-only file must not be replaced either.
        OpenOptions::new().append(true).open(path)?;
        file.set_permissions(fs::metadata(path)?.permissions())?;
    }
    file.sync_all()?;
    Ok(old.is_none() || current_content(path)?.as_deref() == old)
}

/// The names and permissions of temporary files.
fn builder() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX).suffix(SUFFIX).rand_bytes(RANDOM);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder
}

/// A file without a name, which the system removes if the process is killed. `None` if the file system has no such files, or
/// `/proc` is not there to name them.
#[cfg(target_os = "linux")]
fn unnamed_file(folder: &Path) -> Option<File> {
    use rustix::fs::{Mode, OFlags, open};
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    let file = File::from(open(folder, flags, Mode::from_raw_mode(0o666)).ok()?);
    proc_path(&file).try_exists().ok()?.then_some(file)
}

/// The path of an open file without a name.
#[cfg(target_os = "linux")]
fn proc_path(file: &File) -> PathBuf {
    use std::os::fd::AsRawFd;
    PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
}

/// Like [`replace_if_same`], but the new file has a name only once it is complete: for the moment of the rename, or none at all if
/// there is no old file.
#[cfg(target_os = "linux")]
fn replace_by_unnamed(
    file: &File,
    path: &Path,
    old: Option<&[u8]>,
    new: &[u8],
) -> io::Result<bool> {
    use rustix::fs::{AtFlags, CWD, linkat};
    let folder = path.parent().ok_or(ErrorKind::InvalidInput)?;
    if !write(file, path, old, new)? {
        return Ok(false);
    }
    let from = proc_path(file);
    let link =
        |to: &Path| linkat(CWD, &from, CWD, to, AtFlags::SYMLINK_FOLLOW).map_err(io::Error::from);
    if old.is_none() {
        return match link(path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
            result => result.map(|()| true),
        };
    }
    let named = builder().make_in(folder, link)?;
    named
        .persist(path)
        .map(|()| true)
        .map_err(|failed| failed.error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_others_changed_or_made_meanwhile_is_left_to_them() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x.annotations.jsonl");
        let replace =
            |old: Option<&[u8]>, new: &[u8]| replace_if_same(&path, old, new).expect("a try");
        assert!(replace(None, b"one\n"));
        assert!(!replace(None, b"two\n"), "it was made meanwhile");
        assert!(!replace(Some(b"on"), b"two\n"), "it was changed meanwhile");
        assert_eq!(fs::read(&path).expect("a file"), b"one\n");
        assert!(replace(Some(b"one\n"), b"two\n"));
        assert_eq!(fs::read(&path).expect("a file"), b"two\n");
        let names = fs::read_dir(folder.path()).expect("a folder").count();
        assert_eq!(names, 1, "nothing is left behind");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_file_that_is_being_written_has_no_name_that_a_killed_process_would_leave() {
        let folder = tempfile::tempdir().expect("a folder");
        let count = || fs::read_dir(folder.path()).expect("a folder").count();
        let Some(mut file) = unnamed_file(folder.path()) else {
            return;
        };
        file.write_all(b"half").expect("a write");
        assert_eq!(count(), 0);
        let path = folder.path().join("x.annotations.jsonl");
        assert!(replace_by_unnamed(&file, &path, None, b" a line\n").expect("a try"));
        assert_eq!(fs::read(&path).expect("a file"), b"half a line\n");
        assert_eq!(count(), 1);
    }

    #[test]
    fn a_lock_that_is_never_released_is_reported_once_and_given_up() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let lock_holder = File::open(file.path()).expect("a file");
        lock_holder.lock().expect("a lock");
        let reported = std::cell::RefCell::new(Vec::new());
        let waiting = |words: &str| reported.borrow_mut().push(words.to_owned());
        let timeout = LockTimeout {
            silent: Duration::from_millis(30),
            most: Duration::from_millis(150),
        };
        let mine = File::open(file.path()).expect("a file");
        let result = wait(&mine, "runs/a/run-record.json", timeout, &waiting);
        let Err(Refusal::Request { message, .. }) = result else {
            panic!("it was not given up");
        };
        assert!(
            message.starts_with("Another program has locked `runs/a/run-record.json` for "),
            "{message}"
        );
        assert_eq!(
            reported.take(),
            ["Waiting for another program to unlock `runs/a/run-record.json`."]
        );
        drop(lock_holder);
        assert!(matches!(wait(&mine, "", timeout, &waiting), Ok(true)));
        assert_eq!(reported.take(), [""; 0]);
    }

    #[test]
    fn a_file_that_never_settles_is_given_up() {
        let mut tries = 0;
        let result = retry_while_changed(|| {
            tries += 1;
            Ok(None::<()>)
        });
        assert!(matches!(result, Err(Refusal::Request { .. })));
        assert_eq!(tries, ATTEMPTS);
    }
}
