//! [edge in] How an asset of a transcript is read: twice, piece by piece, first for what it is and then for the site, so
//! that no asset is held, however large and however often it is named.

use std::io::{self, Read};
use std::path::Path;

use super::again::FileReader;
use super::beside::Beside;
use super::confined::{self, SizeLimit, is_hidden};
use super::fault::{CHANGED, Fault};
use super::open;
use super::pieces::PIECE;
use super::run_files::is_reserved;
use crate::beneath::Opened;
use crate::diagnostics::{Diagnostic, Place, codes};
use crate::model::transcript::TranscriptSearch;
use crate::model::{FileDigest, is_plain_path};

/// Bytes of an asset that are kept: the header of a picture is in them.
const HEAD: usize = 1 << 20;

/// What an asset is.
#[derive(Debug)]
pub struct Asset {
    /// Its path below the run directory, its size and its digest.
    pub digest: FileDigest,
    /// Its first bytes.
    pub head: Vec<u8>,
    /// Whether it is text: UTF-8 without a NUL.
    pub is_text: bool,
    /// Whether a transcript is in it.
    pub is_transcript: bool,
    /// Whether all of it is withheld.
    pub is_withheld: bool,
    /// What is published of it, where parts of it are withheld.
    pub rewritten: Option<Vec<u8>>,
}

impl<'a> Beside<'a> {
    /// Reads an asset that a transcript names, relative to the run directory. `Ok(None)`: it is not there.
    ///
    /// # Errors
    /// The path leads out of the run directory, or the file cannot be read or is too large. The message does not
    /// quote the path: it comes from a transcript.
    pub fn asset(self, path: &str, place: &Place) -> Result<Option<Asset>, Diagnostic> {
        let most = SizeLimit::file(self.limits);
        let refused = |fault| reported(fault, most, place);
        let Some(opened) = self.opened(path, most).map_err(refused)? else {
            return Ok(None);
        };
        let linked = opened.linked.as_deref().map(Path::to_string_lossy);
        let mut scan = AssetScan::default();
        if let Some(withheld) = self.redactions.file(linked.as_deref().unwrap_or(path)) {
            scan.piece(&withheld.bytes);
            return Ok(Some(Asset {
                is_text: scan.is_text(),
                is_transcript: scan.transcript.found(),
                is_withheld: withheld.whole,
                digest: withheld.digest.clone(),
                head: scan.head,
                rewritten: Some(withheld.bytes.clone()),
            }));
        }
        // One byte more shows a file that has grown.
        let file = opened.file.take(most.bytes.saturating_add(1));
        if self.redactions.are_searched() {
            let mut bytes = Vec::new();
            let read = { file }.read_to_end(&mut bytes);
            read.map_err(|error| refused(Fault::of(&error)))?;
            self.searched(path, &bytes)?;
            scan.piece(&bytes);
        } else {
            let read = scan.read(file);
            read.map_err(|error| refused(Fault::of(&error)))?;
        }
        let bytes = scan.hasher.count();
        if bytes > most.bytes {
            return Err(refused(Fault::TooLarge(bytes)));
        }
        let blake3 = scan.hasher.finalize().to_hex().to_string();
        Ok(Some(Asset {
            is_text: scan.is_text(),
            is_transcript: scan.transcript.found(),
            is_withheld: self.redactions.is_withheld_copy(&blake3),
            digest: FileDigest {
                path: path.to_owned(),
                bytes,
                blake3,
                published: None,
            },
            head: scan.head,
            rewritten: None,
        }))
    }

    /// Opens an asset once more, to copy it as it was.
    ///
    /// # Errors
    /// It cannot be opened any more.
    pub fn asset_reader(self, expected: &'a FileDigest) -> Result<FileReader<'a>, Diagnostic> {
        let place = Place::file(&self.directory.shown);
        let changed = failed(&place, CHANGED);
        if let Some(withheld) = self.redactions.file(&expected.path) {
            return Ok(FileReader::new(&*withheld.bytes, expected, changed));
        }
        let most = SizeLimit::file(self.limits);
        match self.opened(&expected.path, most) {
            Ok(Some(opened)) => Ok(FileReader::new(opened.file, expected, changed)),
            Ok(None) => Err(changed),
            Err(fault) => Err(reported(fault, most, &place)),
        }
    }

    fn opened(self, path: &str, most: SizeLimit) -> Result<Option<Opened>, Fault> {
        if !is_plain_path(path) {
            return Err(Fault::Outside);
        }
        let run = open(self.directory).map_err(|error| Fault::of(&error))?;
        let below = Path::new(path);
        if is_hidden(below) || is_reserved(&run, below) {
            return Err(Fault::Withheld);
        }
        let allows = |at: &Path| !is_reserved(&run, at);
        match confined::open(&run, below, most, &allows) {
            Err(Fault::Dangling) => Ok(None),
            opened => opened,
        }
    }
}

/// Says why an asset is not read.
fn reported(fault: Fault, most: SizeLimit, place: &Place) -> Diagnostic {
    match fault {
        Fault::Outside => codes::TRANSCRIPT_ASSET_OUTSIDE.at(
            place.clone(),
            "The path of the asset is outside the run directory",
            "Write a path inside the run directory, without `..`.",
        ),
        Fault::Withheld => codes::TRANSCRIPT_ASSET_OUTSIDE.at(
            place.clone(),
            "The asset is a hidden file, or a file that the run publishes under its own name or never publishes",
            "Put assets into a separate folder, for example `assets/`.",
        ),
        Fault::TooLarge(size) => codes::CONTENT_TOO_LARGE.at(
            place.clone(),
            format!("The file of a public asset has {size} bytes; the limit is {}", most.bytes),
            format!("Make it smaller, or raise `{}` in `[limits]`.", most.key),
        ),
        Fault::Unreadable(reason) => failed(place, &reason),
        Fault::Dangling | Fault::LongLine(_) => failed(place, CHANGED),
    }
}

fn failed(place: &Place, reason: &str) -> Diagnostic {
    codes::CONTENT_UNREADABLE.at(
        place.clone(),
        format!("The file of a public asset cannot be read: {reason}"),
        "Set `storage.path` to a regular, readable file, or remove the asset.",
    )
}

/// What is noticed of an asset while it is read.
#[derive(Default)]
struct AssetScan {
    hasher: blake3::Hasher,
    head: Vec<u8>,
    transcript: TranscriptSearch,
    is_binary: bool,
    /// The beginning of a character that the next piece ends.
    open: Vec<u8>,
}

impl AssetScan {
    fn read(&mut self, mut file: impl Read) -> io::Result<()> {
        let mut piece = vec![0; PIECE];
        loop {
            match file.read(&mut piece) {
                Ok(0) => return Ok(()),
                Ok(count) => self.piece(&piece[..count]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn piece(&mut self, piece: &[u8]) {
        self.hasher.update(piece);
        let room = HEAD - self.head.len();
        self.head.extend_from_slice(&piece[..room.min(piece.len())]);
        self.transcript.read(piece);
        if self.is_binary {
            return;
        }
        self.open.extend_from_slice(piece);
        let read = std::mem::take(&mut self.open);
        match std::str::from_utf8(&read) {
            Ok(text) => self.is_binary = text.contains('\0'),
            Err(error) if error.error_len().is_none() => {
                let (whole, open) = read.split_at(error.valid_up_to());
                self.is_binary = whole.contains(&0);
                self.open = open.to_vec();
            }
            Err(_) => self.is_binary = true,
        }
    }

    fn is_text(&self) -> bool {
        !self.is_binary && self.open.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scan(pieces: &[&[u8]]) -> AssetScan {
        let mut scan = AssetScan::default();
        for piece in pieces {
            scan.piece(piece);
        }
        scan
    }

    #[test]
    fn text_is_distinguished_from_bytes_wherever_a_chunk_ends() {
        assert!(scan(&[b"", b"a\xc3", b"\xa9b"]).is_text());
        assert!(!scan(&[b"a\xc3"]).is_text(), "half a character");
        assert!(!scan(&[b"a", b"\xc3b"]).is_text());
        assert!(!scan(&[b"a\0\xc3", b"\xa9"]).is_text());
        assert!(scan(&[]).is_text());
    }
}
