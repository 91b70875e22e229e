//! The input of an importer: the files of one user-given path, with size and digest.

mod archive;
mod compressed;
mod utf16;

use std::cell::RefCell;
use std::fs;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use base::diagnostics::codes::{IMPORT_TOO_LARGE, IMPORT_UNREADABLE_FILE};
use base::files::{self, EntryKind, Folder, OpenFile, Tree};

use super::{Problem, problem};

pub use archive::LogArchive;

/// Maximum bytes of a file, on disk and decompressed.
const LARGEST: u64 = 1 << 30;

/// Bytes of a file that are checked to detect its format.
pub const HEAD: usize = 64 << 10;

/// A file or folder given by the user. Nothing outside it is read, and no link in it is followed.
#[derive(Debug)]
pub struct LogSource {
    location: Rc<Location>,
    is_folder: bool,
    /// Paths of its files with `/`, sorted; for a single file, only its name.
    names: Vec<String>,
    /// The folder of these files, below the location.
    prefix: String,
    /// Their positions in memory.
    indexes: Vec<usize>,
    /// Links and special files, which are skipped.
    skipped: Vec<String>,
    /// Size and digest of the files read so far.
    digests: RefCell<Vec<Option<FileDigest>>>,
}

#[derive(Debug)]
enum Location {
    Folder(Folder),
    File(PathBuf),
    /// The contents of the files, in the order of their names.
    Memory(Vec<Vec<u8>>),
}

/// The published data about a source file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileDigest {
    /// Its size.
    pub bytes: u64,
    /// BLAKE3 of its bytes on disk.
    pub blake3: String,
}

/// A file that was read.
#[derive(Debug)]
pub struct LogFile<'s> {
    /// Position in the source, for `Draft::sources`.
    pub position: usize,
    /// Name, as in `LogSource::names`.
    pub name: &'s str,
    /// Its bytes, decompressed if it is compressed with Zstandard, and in UTF-8 if it is UTF-16.
    pub bytes: Vec<u8>,
}

/// An open file, or its bytes in memory.
trait Stream: Read + Seek {}
impl<T: Read + Seek> Stream for T {}

impl LogSource {
    /// Lists a file, or all files of a folder, without reading any.
    pub fn open(path: &Path) -> Result<Self, Problem> {
        let shown = path.to_string_lossy();
        let meta = fs::metadata(path).map_err(|error| failed(&shown, &error))?;
        if !meta.is_dir() {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let names = vec![name.into_owned()];
            return Ok(Self::new(
                Location::File(path.to_owned()),
                names,
                Vec::new(),
            ));
        }
        let folder = Folder::open(path).map_err(|error| failed(&shown, &error))?;
        let tree = Tree::of(&folder, "").map_err(|error| failed(&shown, &error))?;
        let (mut names, mut skipped) = (Vec::new(), Vec::new());
        tree.each(&mut |path, found| match (found.kind, path) {
            (EntryKind::File { .. }, Some(path)) => names.push(path.to_owned()),
            (EntryKind::Folder, Some(_)) => {}
            (_, Some(path)) => skipped.push(path.to_owned()),
            (_, None) => skipped.push(found.name.to_string_lossy().into_owned()),
        });
        names.sort_unstable();
        Ok(Self::new(Location::Folder(folder), names, skipped))
    }

    /// Files in memory, for tests and fuzz targets. The last of several files with one name wins.
    pub fn of(files: &[(&str, &[u8])]) -> Self {
        let files: std::collections::BTreeMap<_, _> = files.iter().copied().collect();
        let (names, bytes): (Vec<String>, Vec<Vec<u8>>) = files
            .into_iter()
            .map(|(name, bytes)| (name.to_owned(), bytes.to_vec()))
            .unzip();
        Self::new(Location::Memory(bytes), names, Vec::new())
    }

    fn new(location: Location, names: Vec<String>, skipped: Vec<String>) -> Self {
        Self {
            is_folder: match &location {
                Location::Folder(_) => true,
                Location::File(_) => false,
                Location::Memory(files) => files.len() != 1,
            },
            location: Rc::new(location),
            prefix: String::new(),
            indexes: (0..names.len()).collect(),
            digests: RefCell::new(vec![None; names.len()]),
            names,
            skipped,
        }
    }

    /// A subset of the files, with the first `prefix` bytes removed from their names.
    pub(super) fn part(&self, positions: &[usize], prefix: usize) -> Self {
        let first = positions.first().and_then(|at| self.names.get(*at));
        let folder = first
            .and_then(|name| name.get(..prefix))
            .unwrap_or_default();
        let of = |at: &usize| Some(self.names.get(*at)?.strip_prefix(folder)?.to_owned());
        Self {
            location: Rc::clone(&self.location),
            prefix: format!("{}{folder}", self.prefix),
            names: positions.iter().filter_map(of).collect(),
            indexes: positions
                .iter()
                .filter_map(|at| self.indexes.get(*at).copied())
                .collect(),
            is_folder: positions.len() != 1 || prefix > 0,
            skipped: Vec::new(),
            digests: RefCell::new(vec![None; positions.len()]),
        }
    }

    /// The names of the files.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The path of a file relative to the user's path.
    pub(super) fn shown(&self, position: usize) -> Option<String> {
        let name = self.names.get(position)?;
        Some(format!("{}{name}", self.prefix))
    }

    /// Names of skipped links and special files.
    pub fn skipped(&self) -> &[String] {
        &self.skipped
    }

    /// Whether this is a folder, even with a single file.
    pub fn is_folder(&self) -> bool {
        self.is_folder
    }

    /// The position of a file.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.names
            .binary_search_by(|known| known.as_str().cmp(name))
            .ok()
    }

    /// Size and digest of a file that was read.
    pub fn known(&self, position: usize) -> Option<FileDigest> {
        self.digests.borrow().get(position).cloned().flatten()
    }

    /// Size and digest of a file, which is read for it unless it was read before.
    pub(super) fn digest(&self, position: usize) -> Result<FileDigest, Problem> {
        if let Some(known) = self.known(position) {
            return Ok(known);
        }
        let mut hasher = blake3::Hasher::new();
        hasher
            .update_reader(self.stream(position)?)
            .map_err(|error| failed(&self.names[position], &error))?;
        Ok(self.remember(position, hasher.count(), hasher.finalize()))
    }

    /// Reads a whole file.
    pub fn read(&self, position: usize) -> Result<LogFile<'_>, Problem> {
        let name = self.name(position)?;
        let mut stream = self.stream(position)?;
        let size = stream.seek(SeekFrom::End(0)).unwrap_or_default();
        stream.rewind().map_err(|error| failed(name, &error))?;
        let size = usize::try_from(size.min(LARGEST)).unwrap_or_default();
        let mut bytes = Vec::with_capacity(size + 1);
        stream
            .take(LARGEST + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| failed(name, &error))?;
        if bytes.len() as u64 > LARGEST {
            return Err(too_large(name, LARGEST));
        }
        self.remember(position, bytes.len() as u64, blake3::hash(&bytes));
        if compressed::is_zstd(&bytes) {
            bytes = compressed::unpack(name, &bytes, usize::MAX)?;
        }
        Ok(LogFile {
            position,
            name,
            bytes: utf16::to_utf8(bytes),
        })
    }

    /// The beginning of a file, decompressed: at most [`HEAD`] bytes. A shorter file is returned whole.
    pub fn head(&self, position: usize) -> Result<Vec<u8>, Problem> {
        let name = self.name(position)?;
        let mut bytes = Vec::new();
        // Zstandard decodes whole blocks of at most 128 KiB.
        let mut stream = self.stream(position)?.take(4 * HEAD as u64);
        stream
            .read_to_end(&mut bytes)
            .map_err(|error| failed(name, &error))?;
        if compressed::is_zstd(&bytes) {
            // Text of UTF-16 may have half as many bytes in UTF-8.
            bytes = compressed::unpack(name, &bytes, 2 * HEAD)?;
        }
        bytes = utf16::to_utf8(bytes);
        bytes.truncate(HEAD);
        Ok(bytes)
    }

    /// Opens a ZIP archive without loading it into memory.
    pub fn archive(&self, position: usize) -> Result<LogArchive<'_>, Problem> {
        let name = self.name(position)?;
        let bytes = self.digest(position)?.bytes;
        LogArchive::open(name, position, self.stream(position)?, bytes)
    }

    fn name(&self, position: usize) -> Result<&str, Problem> {
        let name = self.names.get(position).map(String::as_str);
        name.ok_or_else(|| failed("", &io::ErrorKind::NotFound.into()))
    }

    fn remember(&self, position: usize, bytes: u64, hash: blake3::Hash) -> FileDigest {
        let digest = FileDigest {
            bytes,
            blake3: hash.to_hex().to_string(),
        };
        if let Some(known) = self.digests.borrow_mut().get_mut(position) {
            *known = Some(digest.clone());
        }
        digest
    }

    fn stream(&self, position: usize) -> Result<Box<dyn Stream + '_>, Problem> {
        let name = self.name(position)?;
        let open = |opened: io::Result<fs::File>| -> Result<Box<dyn Stream + '_>, Problem> {
            let file = opened.map_err(|error| failed(name, &error))?;
            Ok(Box::new(io::BufReader::with_capacity(HEAD, file)))
        };
        match &*self.location {
            Location::Memory(files) => Ok(Box::new(Cursor::new(
                files
                    .get(self.indexes[position])
                    .map_or(&[][..], Vec::as_slice),
            ))),
            Location::File(path) => open(files::regular(path)),
            Location::Folder(folder) => open(
                match folder.file(Path::new(&format!("{}{name}", self.prefix))) {
                    Ok(Some(OpenFile {
                        file,
                        meta,
                        linked: None,
                    })) if meta.is_file() => Ok(file),
                    Ok(_) => Err(io::ErrorKind::NotFound.into()),
                    Err(fault) => Err(io::Error::other(fault.reason())),
                },
            ),
        }
    }
}

fn failed(name: &str, error: &io::Error) -> Problem {
    let message = format!("The file could not be read: {error}");
    let help = "Check the path and its permissions.";
    problem(&IMPORT_UNREADABLE_FILE, name, message, help)
}

fn too_large(name: &str, limit: u64) -> Problem {
    let message = format!("The file holds more than {} MiB", limit >> 20);
    let help = "Import a part of it, or a shorter session.";
    problem(&IMPORT_TOO_LARGE, name, message, help)
}
