//! (edge) Opens files and folders beneath a folder: nothing swapped in the meantime can lead out of it.
//!
//! A path that is checked first and opened later may name a different file by then. So each folder on the way is opened from its
//! parent, never through a link, and checks and reads use the open handle. A link to a file is resolved here, name by name, and
//! never leads above the folder.
//!
//! Systems without such handles (non-Unix) check the resolved path and then open it: whoever can write into the content during a
//! build could still swap a file in between.

use std::ffi::OsString;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

#[cfg(unix)]
mod handles;
#[cfg(any(not(unix), test))]
mod paths;
mod stamp;
mod tree;

#[cfg(unix)]
pub use handles::Folder;
#[cfg(not(unix))]
pub use paths::Folder;
pub use stamp::Stamp;
pub use tree::{Tree, TreeEntry};

/// A file that was opened beneath a folder.
#[derive(Debug)]
pub struct OpenFile {
    pub file: File,
    pub meta: Metadata,
    /// Its path from that folder, if a link led to it.
    pub linked: Option<PathBuf>,
}

/// An entry of a folder.
#[derive(Debug)]
pub struct FolderEntry {
    pub name: OsString,
    pub kind: EntryKind,
    pub stamp: Stamp,
}

/// The type of an entry; links are not followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    Folder,
    /// A folder that cannot be listed.
    UnlistableFolder,
    File {
        executable: bool,
    },
    Link,
    Other,
}

impl Folder {
    /// Opens a regular file beneath this folder, if no link leads to it. `None` if it cannot be opened.
    pub fn unlinked_file(&self, below: &Path) -> Option<File> {
        let opened = self.file(below).ok()??;
        (opened.meta.is_file() && opened.linked.is_none()).then_some(opened.file)
    }

    /// BLAKE3 of a regular file beneath this folder, if no link leads to it.
    pub fn digest(&self, below: &Path) -> Option<[u8; 32]> {
        let mut hasher = blake3::Hasher::new();
        hasher.update_reader(self.unlinked_file(below)?).ok()?;
        Some(*hasher.finalize().as_bytes())
    }
}

/// Opens a file that the user named; links are followed. Only a regular file has an end, so pipes and devices are refused
/// instead of waiting for them.
pub fn regular(path: &Path) -> io::Result<File> {
    let refused = || io::Error::other("it is not a regular file");
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, handles::NO_WAIT);
    // Where no option prevents waiting, the type is checked first.
    #[cfg(not(unix))]
    if !std::fs::metadata(path)?.is_file() {
        return Err(refused());
    }
    let file = options.read(true).open(path).map_err(|error| {
        if path.metadata().is_ok_and(|meta| !meta.is_file()) {
            return refused();
        }
        error
    })?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(refused())
    }
}

/// Reads a file that the user named, if it is a regular one.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    regular(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Why a file could not be opened.
#[derive(Debug)]
pub enum OpenError {
    /// An I/O error.
    Io(io::Error),
    /// A link leads out of the folder.
    Outside,
    /// A link leads to nothing.
    Dangling,
}

impl OpenError {
    /// The reason, as a clause.
    pub fn reason(&self) -> String {
        match self {
            Self::Io(error) => error.to_string(),
            Self::Outside => "it is a link that points outside its folder".to_owned(),
            Self::Dangling => "it is a link to a file that does not exist".to_owned(),
        }
    }
}

/// Whether an error means that no file has this name.
pub fn is_not_found(error: &io::Error) -> bool {
    use ErrorKind::{InvalidFilename, InvalidInput, NotADirectory, NotFound};
    matches!(
        error.kind(),
        NotFound | NotADirectory | InvalidFilename | InvalidInput
    )
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Read;
    use std::os::unix::fs::symlink;
    use std::path::Path;

    use tempfile::TempDir;

    use super::{EntryKind, OpenError, handles, paths};

    /// A folder with a sibling, and links of all sorts.
    fn tree() -> TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |path: &str| folder.path().join(path);
        fs::create_dir_all(at("in/deep/er")).expect("folders");
        fs::write(at("secret"), "secret").expect("a file");
        fs::write(at("in/plain"), "plain").expect("a file");
        fs::write(at("in/deep/er/file"), "deep").expect("a file");
        for (target, link) in [
            ("plain", "to-plain"),
            ("to-plain", "to-link"),
            ("deep/er/../../plain", "up-and-down"),
            ("../plain", "deep/up"),
            ("deep/er", "to-folder"),
            ("../secret", "out"),
            ("../../secret", "deep/out"),
            ("../in/plain", "out-and-in"),
            ("deep/er/../../../secret", "way-out"),
            ("nothing", "dangling"),
            ("loop", "loop"),
            ("..", "parent"),
            ("/etc/passwd", "absolute"),
        ] {
            symlink(target, at("in").join(link)).expect("a link");
        }
        let inside = at("in/plain").canonicalize().expect("a path");
        symlink(inside, at("in/absolute-inside")).expect("a link");
        folder
    }

    type Answer = (Result<Option<String>, String>, Option<String>);

    macro_rules! answer {
        ($folder:ty, $root:expr, $path:expr) => {{
            let folder = <$folder>::open($root).expect("a folder");
            let answer: Answer = match folder.file(Path::new($path)) {
                Ok(None) => (Ok(None), None),
                Ok(Some(mut opened)) => {
                    let mut text = String::new();
                    let read = opened.file.read_to_string(&mut text);
                    let linked = opened.linked.map(|at| at.to_string_lossy().into_owned());
                    (
                        read.map(|_| Some(text)).map_err(|_| "folder".to_owned()),
                        linked,
                    )
                }
                Err(OpenError::Outside) => (Err("outside".to_owned()), None),
                Err(OpenError::Dangling) => (Err("dangling".to_owned()), None),
                Err(OpenError::Io(_)) => (Err("refused".to_owned()), None),
            };
            answer
        }};
    }

    #[test]
    fn a_file_is_found_beneath_its_folder_and_no_link_leads_out_of_it() {
        let folder = tree();
        let root = folder.path().join("in");
        let ok = |text: &str| Ok(Some(text.to_owned()));
        let err = |word: &str| Err(word.to_owned());
        let at = |path: &str| Some(path.to_owned());
        for (path, expected) in [
            ("plain", (ok("plain"), None)),
            ("./deep/er/file", (ok("deep"), None)),
            ("gone", (Ok(None), None)),
            ("gone/file", (Ok(None), None)),
            ("plain/file", (Ok(None), None)),
            ("a\0b", (Ok(None), None)),
            ("to-plain", (ok("plain"), at("plain"))),
            ("to-link", (ok("plain"), at("plain"))),
            ("up-and-down", (ok("plain"), at("plain"))),
            ("deep/up", (ok("plain"), at("plain"))),
            ("to-folder/file", (ok("deep"), at("deep/er/file"))),
            ("absolute-inside", (ok("plain"), at("plain"))),
            ("deep", (err("folder"), None)),
            ("out", (err("outside"), None)),
            ("deep/out", (err("outside"), None)),
            ("way-out", (err("outside"), None)),
            ("parent/secret", (err("outside"), None)),
            ("../secret", (err("outside"), None)),
            ("/etc/passwd", (err("outside"), None)),
            ("absolute", (err("outside"), None)),
            ("dangling", (err("dangling"), None)),
            ("loop", (err("refused"), None)),
        ] {
            assert_eq!(answer!(handles::Folder, &root, path), expected, "{path}");
            assert_eq!(answer!(paths::Folder, &root, path), expected, "{path}");
        }
        // Only handles detect a link that leads out and back in: a path that is resolved first ends inside.
        let outside = (err("outside"), None);
        assert_eq!(answer!(handles::Folder, &root, "out-and-in"), outside);
    }

    #[test]
    fn folders_are_opened_without_following_links_and_say_what_is_in_them() {
        let folder = tree();
        let root = folder.path().join("in");
        let of = |name: &str, entries: Vec<super::FolderEntry>| {
            let found = entries.into_iter().find(|entry| entry.name == name);
            found.map(|entry| entry.kind)
        };
        let handles = handles::Folder::open(&root).expect("a folder");
        let paths = paths::Folder::open(&root).expect("a folder");
        for name in ["to-folder", "to-folder/er", "parent", "plain", "gone", ".."] {
            assert!(handles.folder(Path::new(name)).is_err(), "{name}");
            assert!(paths.folder(Path::new(name)).is_err(), "{name}");
        }
        let deep = handles.folder(Path::new("deep/er")).expect("a folder");
        let file = EntryKind::File { executable: false };
        assert_eq!(of("file", deep.entries().expect("entries")), Some(file));
        let stats = [
            handles.stat(Path::new("deep/er/file")),
            paths.stat(Path::new("deep/er/file")),
        ];
        assert_eq!(
            stats.map(|stat| stat.map(|(kind, _)| kind)),
            [Some(file); 2]
        );
        let deep = paths.folder(Path::new("deep/er")).expect("a folder");
        assert_eq!(of("file", deep.entries().expect("entries")), Some(file));
        for (name, is_there, is_link) in [
            ("plain", true, false),
            ("out", true, true),
            ("dangling", true, true),
            ("gone", false, false),
        ] {
            let of_handles = (
                handles.has(Path::new(name)),
                handles.is_link(Path::new(name)),
            );
            let of_paths = (paths.has(Path::new(name)), paths.is_link(Path::new(name)));
            assert_eq!(of_handles, (is_there, is_link), "{name}");
            assert_eq!(of_paths, (is_there, is_link), "{name}");
        }
        for (name, found) in [
            ("file", Some("deep/er/file")),
            ("up", Some("deep/up")),
            ("plain", Some("plain")),
            ("secret", None),
        ] {
            let found = found.map(Into::into);
            let is_it = |other: &std::ffi::OsStr| other == name;
            assert_eq!(handles.find(&is_it).expect("folders"), found, "{name}");
            assert_eq!(paths.find(&is_it).expect("folders"), found, "{name}");
        }
        for (name, kind) in [("deep", EntryKind::Folder), ("out", EntryKind::Link)] {
            assert_eq!(of(name, handles.entries().expect("entries")), Some(kind));
            assert_eq!(of(name, paths.entries().expect("entries")), Some(kind));
        }
    }

    macro_rules! moved {
        ($folder:ty, $root:expr) => {{
            let folder = <$folder>::open($root).expect("a folder");
            let name = Path::new("new");
            folder.make_folder(name).expect("it is made");
            folder.make_folder(name).expect("it is there");
            assert!(folder.make_folder(Path::new("plain/new")).is_err());
            let new = folder.folder(name).expect("a folder");
            folder
                .move_file(Path::new("plain"), &new)
                .expect("it moves");
            let deep = folder.folder(Path::new("deep/er")).expect("a folder");
            fs::write($root.join("deep/er/plain"), "old").expect("a file");
            new.move_file(Path::new("plain"), &deep)
                .expect("it replaces");
            assert_eq!(
                fs::read($root.join("deep/er/plain")).expect("a file"),
                b"plain"
            );
            // The target of a link is not moved.
            folder.move_file(Path::new("out"), &deep).expect("it moves");
            assert!($root.join("deep/er/out").is_symlink());
            deep.remove_file(Path::new("out")).expect("it is removed");
            deep.remove_file(Path::new("plain")).expect("it is removed");
            assert!(deep.remove_file(Path::new("plain")).is_err());
        }};
    }

    #[test]
    fn files_are_moved_from_folder_to_folder_and_replace_what_is_there() {
        for turn in ["handles", "paths"] {
            let tree = tree();
            let root = tree.path().join("in");
            if turn == "handles" {
                moved!(handles::Folder, &root);
            } else {
                moved!(paths::Folder, &root);
            }
            assert!(tree.path().join("secret").exists());
        }
    }

    macro_rules! cleared {
        ($folder:ty, $parent:expr, $root:expr) => {{
            let parent = <$folder>::open($parent).expect("a folder");
            let name = Path::new("in");
            let inside = parent.folder(name).expect("a folder");
            inside.clear("plain").expect("it is cleared");
            assert!($root.join("plain").exists());
            inside.clear("").expect("it is cleared");
            parent.remove_folder(name).expect("it is removed");
        }};
    }

    #[test]
    fn a_folder_is_cleared_without_following_links() {
        for turn in ["handles", "paths"] {
            let folder = tree();
            let root = folder.path().join("in");
            symlink(folder.path(), root.join("deep/er/everything")).expect("a link");
            if turn == "handles" {
                cleared!(handles::Folder, folder.path(), &root);
            } else {
                cleared!(paths::Folder, folder.path(), &root);
            }
            assert!(!root.exists(), "{turn}");
            assert!(folder.path().join("secret").exists(), "{turn}");
        }
    }
}
