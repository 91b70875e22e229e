//! (edge) The build cache on disk. An unreadable or damaged cache is treated as missing.
//!
//! A cache is one file: a head, which is read first, pieces in any order, and a body with the place of each piece. Everything is
//! verified against its digest. A cache belongs to one output folder and one build of the program. The few bytes that locate
//! head and body are replaced in one write.

use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use base::files::{Folder, OpenFile, Stamp};

use super::publish::HashingWriter;

/// The cache folder in the root of a site.
pub const FOLDER: &str = ".runpress";
/// The version of the cache format. The cache also has a digest of the program that wrote it, since a different program
/// renders different pages.
const MAGIC: &[u8; 8] = b"runpres1";
/// Maximum bytes of a head, a body or a piece.
const MOST: u64 = 1 << 31;
/// Bytes of the file header: magic, program, and the places of head and body.
const HEADER: usize = 8 + 32 + 2 * PLACE;
const PLACE: usize = 8 + 8 + DIGEST;
/// Bytes of the digest of a piece: enough to find damage.
const DIGEST: usize = 16;

/// Place and digest of a piece.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CachePiece {
    at: u64,
    bytes: u64,
    digest: [u8; DIGEST],
}

fn piece_digest(digest: &blake3::Hash) -> [u8; DIGEST] {
    let bytes = digest.as_bytes().first_chunk();
    bytes.copied().unwrap_or_default()
}

impl CachePiece {
    /// Size in bytes.
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let (at, rest) = bytes.split_first_chunk()?;
        let (bytes, rest) = rest.split_first_chunk()?;
        Some(Self {
            at: u64::from_le_bytes(*at),
            bytes: u64::from_le_bytes(*bytes),
            digest: rest.try_into().ok()?,
        })
    }

    fn write(&self, into: &mut Vec<u8>) {
        into.extend(self.at.to_le_bytes());
        into.extend(self.bytes.to_le_bytes());
        into.extend(self.digest);
    }
}

/// Now, in nanoseconds since 1970-01-01 UTC. Files written later may differ from what was scanned.
pub fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| i64::try_from(since.as_nanos()).unwrap_or(0))
}

/// Now, after waiting at least one file system clock tick since `then`, so that later writes get a newer time.
pub fn now_after(then: i64) -> i64 {
    let passed = now().saturating_sub(then);
    let left = Stamp::TICK.saturating_sub(passed).clamp(0, Stamp::TICK);
    std::thread::sleep(Duration::from_nanos(left.unsigned_abs()));
    now()
}

/// Where a cache may be: a file in one of several folders, the best first.
#[derive(Debug)]
pub struct CachePlaces {
    pub folders: Vec<PathBuf>,
    pub file_name: String,
}

/// Reads the cache of an earlier build.
#[derive(Debug)]
pub struct CacheReader {
    path: PathBuf,
    file: Mutex<File>,
    program: [u8; 32],
    head: CachePiece,
    body: CachePiece,
}

/// Why a cache cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CacheFault {
    Missing,
    /// With the reason, as a clause.
    Unopened(String),
    /// Written by a different program.
    OtherProgram,
    Damaged,
}

impl CacheReader {
    /// Opens the cache of an output folder, if this program wrote one.
    pub fn open(places: &CachePlaces, program: &str) -> Option<Self> {
        let at = |folder: &PathBuf| Self::at(folder, &places.file_name, program);
        places.folders.iter().find_map(at)
    }

    fn at(folder: &Path, name: &str, program: &str) -> Option<Self> {
        // The folder may be part of untrusted content, so no link is followed.
        let parent = Folder::open(folder.parent()?).ok()?;
        let opened = parent.folder(Path::new(folder.file_name()?)).ok()?;
        Self::open_in(&opened, name, program)
            .ok()
            .map(|reader| Self {
                path: folder.join(name),
                ..reader
            })
    }

    /// Opens a cache file in a folder, if it was written by this program.
    pub fn open_in(folder: &Folder, name: &str, program: &str) -> Result<Self, CacheFault> {
        let opened = folder.file(Path::new(name));
        let opened = opened.map_err(|fault| CacheFault::Unopened(fault.reason()))?;
        let OpenFile {
            mut file,
            meta,
            linked,
        } = opened.ok_or(CacheFault::Missing)?;
        if linked.is_some() {
            return Err(CacheFault::Unopened("it is a link".to_owned()));
        }
        let mut header = [0; HEADER];
        if !meta.is_file() || file.read_exact(&mut header).is_err() {
            return Err(CacheFault::Damaged);
        }
        let places = || {
            let rest = header.strip_prefix(MAGIC)?;
            let (program, rest) = rest.split_first_chunk::<32>()?;
            let (head, body) = rest.split_at_checked(PLACE)?;
            Some((*program, CachePiece::read(head)?, CachePiece::read(body)?))
        };
        let (writer, head, body) = places().ok_or(CacheFault::Damaged)?;
        let program = *blake3::hash(program.as_bytes()).as_bytes();
        if writer != program {
            return Err(CacheFault::OtherProgram);
        }
        Ok(Self {
            path: folder.path().join(name),
            file: Mutex::new(file),
            program,
            head,
            body,
        })
    }

    /// The head, which is read first.
    pub fn head(&self) -> Option<Vec<u8>> {
        self.piece(self.head)
    }

    /// The body, which has the places of the pieces.
    pub fn body(&self) -> Option<Vec<u8>> {
        self.piece(self.body)
    }

    /// A piece, if its digest matches.
    pub fn piece(&self, piece: CachePiece) -> Option<Vec<u8>> {
        let file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        read_piece(&file, piece)
    }
}

fn read_piece(mut file: &File, piece: CachePiece) -> Option<Vec<u8>> {
    file.seek(SeekFrom::Start(piece.at)).ok()?;
    // In a damaged file, the length may be any number.
    let most = piece.bytes.min(MOST);
    let mut bytes = Vec::with_capacity(usize::try_from(most.min(1 << 16)).unwrap_or_default());
    file.take(most).read_to_end(&mut bytes).ok()?;
    (piece_digest(&blake3::hash(&bytes)) == piece.digest).then_some(bytes)
}

/// Writes a cache. Readers see no change before [`CacheWriter::finish`].
#[derive(Debug)]
pub struct CacheWriter {
    target: CacheFile,
    program: [u8; 32],
    /// Offset of the next piece.
    end: Mutex<u64>,
}

#[derive(Debug)]
enum CacheFile {
    /// A new file, and its final name.
    New(NamedTempFile, String),
    /// The file of the last build: new pieces are appended, reused ones are not written again.
    Same(File),
    /// A temporary file, which the system always removes.
    Unnamed(File),
}

impl CacheFile {
    fn file(&self) -> &File {
        match self {
            Self::New(file, _) => file.as_file(),
            Self::Same(file) | Self::Unnamed(file) => file,
        }
    }
}

impl CacheWriter {
    /// Begins a cache in the first writable folder. `None` if no folder is writable; the next build is then a full one.
    pub fn create(places: &CachePlaces, program: &str) -> Option<Self> {
        let mut folders = places.folders.iter();
        let file = folders.find_map(|folder| temporary(folder).ok())?;
        Some(Self {
            target: CacheFile::New(file, places.file_name.clone()),
            program: *blake3::hash(program.as_bytes()).as_bytes(),
            end: Mutex::new(HEADER as u64),
        })
    }

    /// A file that no build reads again, for a build that cannot write a cache.
    pub fn unnamed() -> Option<Self> {
        Some(Self {
            target: CacheFile::Unnamed(tempfile::tempfile().ok()?),
            program: [0; 32],
            end: Mutex::new(HEADER as u64),
        })
    }

    /// Appends to the cache of the last build, of which `used` bytes are still in use. `None` if less than half of it is, or if
    /// the file was replaced.
    pub fn append_to(reader: &CacheReader, used: u64) -> Option<Self> {
        let file = File::options().read(true).write(true).open(&reader.path);
        let (file, read) = (file.ok()?, reader.file.lock().ok()?);
        let (meta, before) = (file.metadata().ok()?, read.metadata().ok()?);
        let is_same = Stamp::of(&meta) == Stamp::of(&before) && !reader.path.is_symlink();
        (is_same && meta.len() / 2 <= used).then(|| Self {
            target: CacheFile::Same(file),
            program: reader.program,
            end: Mutex::new(meta.len()),
        })
    }

    /// Adds a piece; `None` if it cannot be written.
    pub fn put(&self, bytes: &[u8]) -> Option<CachePiece> {
        let digest = piece_digest(&blake3::hash(bytes));
        let bytes_of_piece = bytes.len() as u64;
        let mut end = self.end.lock().unwrap_or_else(PoisonError::into_inner);
        let at = *end;
        self.write(at, bytes).ok()?;
        *end += bytes_of_piece;
        Some(CachePiece {
            at,
            bytes: bytes_of_piece,
            digest,
        })
    }

    /// Serializes `value` as a piece without buffering it; `None` if it cannot be written.
    pub fn stream(&self, value: &impl Serialize) -> Option<CachePiece> {
        let mut end = self.end.lock().unwrap_or_else(PoisonError::into_inner);
        let mut file = self.target.file();
        file.seek(SeekFrom::Start(*end)).ok()?;
        let writer = BufWriter::with_capacity(1 << 16, HashingWriter::new(Some(file)));
        let written = postcard::to_io(value, writer).ok()?.into_inner().ok()?;
        let piece = CachePiece {
            at: *end,
            bytes: written.bytes,
            digest: piece_digest(&written.hasher.finalize()),
        };
        *end += piece.bytes;
        Some(piece)
    }

    /// Reads a piece back, if its digest matches.
    pub fn piece(&self, piece: CachePiece) -> Option<Vec<u8>> {
        let _end = self.end.lock().unwrap_or_else(PoisonError::into_inner);
        read_piece(self.target.file(), piece)
    }

    /// Whether the file is long enough to have this piece.
    pub fn has(&self, piece: CachePiece) -> bool {
        let end = *self.end.lock().unwrap_or_else(PoisonError::into_inner);
        let last = piece.at.checked_add(piece.bytes);
        last.is_some_and(|last| last <= end)
    }

    /// Whether this is the file of the last build.
    pub const fn is_appending(&self) -> bool {
        matches!(self.target, CacheFile::Same(_))
    }

    fn write(&self, at: u64, bytes: &[u8]) -> io::Result<()> {
        let mut file = self.target.file();
        file.seek(SeekFrom::Start(at))?;
        file.write_all(bytes)
    }

    /// Replaces the earlier cache with this one.
    pub fn finish(self, head: &impl Serialize, body: &impl Serialize) -> Option<()> {
        let (head, body) = (self.stream(head)?, self.stream(body)?);
        let mut header = Vec::with_capacity(HEADER);
        header.extend(MAGIC);
        header.extend(self.program);
        head.write(&mut header);
        body.write(&mut header);
        // Until this write, the old head and body are valid.
        self.write(0, &header).ok()?;
        match self.target {
            CacheFile::New(file, name) => {
                let place = file.path().with_file_name(name);
                file.persist(place).ok().map(drop)
            }
            CacheFile::Same(_) => Some(()),
            CacheFile::Unnamed(_) => None,
        }
    }
}

/// A temporary file in the cache folder, which is created if missing.
fn temporary(folder: &Path) -> io::Result<NamedTempFile> {
    if !folder.is_dir() {
        fs::create_dir(folder)?;
        // Version control and backups skip the folder.
        fs::write(folder.join(".gitignore"), "*\n")?;
        fs::write(
            folder.join("CACHEDIR.TAG"),
            "Signature: 8a477f597d28d172789f06886806bc55\n# What runpress knows of its last build. It can be removed at any time.\n",
        )?;
    }
    if folder.is_symlink() {
        return Err(io::ErrorKind::NotADirectory.into());
    }
    tempfile::Builder::new().prefix("new-").tempfile_in(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(folder: &Path) -> CachePlaces {
        CachePlaces {
            folders: vec![folder.join(FOLDER)],
            file_name: "build".to_owned(),
        }
    }

    /// What can be read: the head, the body and two pieces.
    fn read(reader: &CacheReader, pieces: [CachePiece; 2]) -> [Option<Vec<u8>>; 4] {
        let [one, two] = pieces;
        [
            reader.head(),
            reader.body(),
            reader.piece(one),
            reader.piece(two),
        ]
    }

    #[test]
    fn a_cache_that_is_cut_or_damaged_anywhere_gives_what_was_written_or_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let places = places(folder.path());
        let writer = CacheWriter::create(&places, "").expect("a cache");
        let pieces = [b"first", b"other"].map(|bytes| writer.put(bytes).expect("room"));
        writer.finish(b"head", b"body").expect("a cache");
        let path = folder.path().join(FOLDER).join("build");
        let whole = fs::read(&path).expect("a file");
        let good = [&b"head"[..], b"body", b"first", b"other"].map(|bytes| Some(bytes.to_vec()));
        let reader = CacheReader::open(&places, "").expect("a cache");
        assert_eq!(read(&reader, pieces), good);
        let cut = (0..whole.len()).map(|end| whole[..end].to_vec());
        let flipped = (0..whole.len()).map(|at| {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x40;
            bytes
        });
        let mut damaged = 0;
        for bytes in cut.chain(flipped) {
            fs::write(&path, bytes).expect("a file");
            let Some(reader) = CacheReader::open(&places, "") else {
                damaged += 1;
                continue;
            };
            let found = read(&reader, pieces);
            for (found, good) in found.iter().zip(&good) {
                assert!(found.is_none() || found == good);
            }
        }
        assert!(damaged > HEADER);
    }

    #[test]
    fn pieces_are_added_to_a_cache_until_most_of_it_is_no_longer_used() {
        let folder = tempfile::tempdir().expect("a folder");
        let places = places(folder.path());
        let writer = CacheWriter::create(&places, "").expect("a cache");
        let kept = writer.put(&[7; 4096]).expect("room");
        writer.finish(b"head", b"body").expect("a cache");
        let reader = CacheReader::open(&places, "").expect("a cache");
        let writer = CacheWriter::append_to(&reader, kept.bytes()).expect("the same");
        assert!(writer.is_appending() && writer.has(kept));
        let added = writer.put(b"added").expect("room");
        assert!(CacheReader::open(&places, "").is_some_and(|reader| reader.head().is_some()));
        writer.finish(b"new head", b"new body").expect("a cache");
        let reader = CacheReader::open(&places, "").expect("a cache");
        assert_eq!(reader.head().expect("a head"), b"new head");
        assert_eq!(reader.piece(kept).expect("a piece"), [7; 4096]);
        assert_eq!(reader.piece(added).expect("a piece"), b"added");
        assert!(CacheWriter::append_to(&reader, 1024).is_none());
        // Another build has replaced it.
        let writer = CacheWriter::create(&places, "").expect("a cache");
        writer.finish(b"", b"").expect("a cache");
        assert!(CacheWriter::append_to(&reader, kept.bytes()).is_none());
    }
}
