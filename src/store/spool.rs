//! (edge) Keeps data that grows with the archive out of memory: in the build cache, where the next build can reuse it, or
//! in an unnamed temporary file, which the system always removes.

use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tempfile::SpooledTempFile;
use twox_hash::XxHash3_128;

use crate::cache::{Piece, Writer};
use base::diagnostics::{Diagnostic, Place, codes};
use formats::model::findings::Slice;

/// Up to this size, in bytes, texts stay in memory; most archives never need the file.
const IN_MEMORY: usize = 4 << 20;
/// Bytes of the checksum after each text. It is needed because an earlier build may have written the text.
const CHECK: usize = 8;

/// A store of texts, written by many threads in any order and read back by place.
#[derive(Debug, Default)]
pub struct Spool {
    place: Backing,
    /// Whether a text could not be read, or failed its checksum.
    is_damaged: Arc<AtomicBool>,
}

#[derive(Debug)]
enum Backing {
    Temporary(Mutex<(SpooledTempFile, u64)>),
    Cache(Arc<Writer>),
}

impl Default for Backing {
    fn default() -> Self {
        Self::Temporary(Mutex::new((SpooledTempFile::new(IN_MEMORY), 0)))
    }
}

/// Texts of one run, spooled together.
#[derive(Debug, Default)]
pub struct Texts(Vec<u8>);

impl Texts {
    /// Adds a text and returns its place among the texts of the run.
    pub fn put(&mut self, text: &[u8]) -> Slice {
        if text.is_empty() {
            return Slice::default();
        }
        let (at, bytes) = (self.0.len() as u64, text.len());
        self.0.extend_from_slice(text);
        self.0.extend_from_slice(&check(text));
        Slice { at, bytes }
    }

    /// The text at a place.
    pub fn get(&self, slice: Slice) -> &[u8] {
        let text = usize::try_from(slice.at).ok();
        let text = text.and_then(|at| self.0.get(at..)?.get(..slice.bytes));
        text.unwrap_or_default()
    }

    /// All texts with their checksums, as spooled.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

fn check(text: &[u8]) -> [u8; CHECK] {
    let digest = XxHash3_128::oneshot(text).to_le_bytes();
    digest.first_chunk().copied().unwrap_or_default()
}

impl Spool {
    /// A spool in the build cache. A damaged text sets `is_damaged`.
    pub const fn of(cache: Arc<Writer>, is_damaged: Arc<AtomicBool>) -> Self {
        Self {
            place: Backing::Cache(cache),
            is_damaged,
        }
    }

    /// Stores the texts of a run.
    pub fn put(&self, texts: &[u8]) -> Result<Piece, Diagnostic> {
        let at = self.append(texts).map_err(|error| refused(&error))?;
        Ok(Piece::of(at, texts))
    }

    /// Stores a single text.
    pub fn add(&self, text: &[u8]) -> io::Result<Slice> {
        let mut texts = Texts::default();
        let place = texts.put(text);
        Ok(place.behind(self.append(texts.bytes())?))
    }

    fn append(&self, texts: &[u8]) -> io::Result<u64> {
        if texts.is_empty() {
            return Ok(0);
        }
        match &self.place {
            Backing::Cache(cache) => cache.append(texts),
            Backing::Temporary(pieces) => {
                let mut pieces = pieces.lock().unwrap_or_else(PoisonError::into_inner);
                let (file, end) = &mut *pieces;
                let at = *end;
                let written = file.seek(SeekFrom::Start(at));
                let written = written.and_then(|_| file.write_all(texts));
                *end += texts.len() as u64;
                written.map(|()| at)
            }
        }
    }

    /// Reads a text back.
    pub fn get(&self, slice: Slice) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        if slice.bytes == 0 {
            return Ok(bytes);
        }
        bytes.resize(slice.bytes + CHECK, 0);
        match &self.place {
            Backing::Cache(cache) => cache.read(slice.at, &mut bytes),
            Backing::Temporary(pieces) => {
                let mut pieces = pieces.lock().unwrap_or_else(PoisonError::into_inner);
                let (file, _) = &mut *pieces;
                file.seek(SeekFrom::Start(slice.at))
                    .and_then(|_| file.read_exact(&mut bytes))
            }
        }
        .and_then(|()| {
            let (text, expected) = bytes.split_at(slice.bytes);
            if check(text) != *expected {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    "it was changed meanwhile",
                ));
            }
            bytes.truncate(slice.bytes);
            Ok(())
        })
        .inspect_err(|_| self.is_damaged.store(true, Ordering::Relaxed))?;
        Ok(bytes)
    }
}

/// The diagnostic for a temporary file that cannot be used.
pub fn refused(error: &io::Error) -> Diagnostic {
    codes::PUBLISH_IO.at(
        Place::file("."),
        format!("A temporary file could not be used: {error}"),
        "Free space in the folder for temporary files, or set `TMPDIR` to another folder.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_come_back_as_they_were_put_even_past_what_memory_holds() {
        let spool = Spool::default();
        let large = vec![7; IN_MEMORY];
        let runs: [[&[u8]; 2]; 2] = [[b"first", &large], [b"", b"last"]];
        let mut slices = Vec::new();
        for pieces in &runs {
            let mut texts = Texts::default();
            let places = pieces.map(|piece| texts.put(piece));
            let at = spool.put(texts.bytes()).expect("a place").at();
            slices.push(places.map(|place| place.behind(at)));
        }
        for (pieces, slices) in runs.iter().zip(&slices).rev() {
            for (piece, slice) in pieces.iter().zip(slices) {
                assert!(spool.get(*slice).expect("readable") == *piece);
            }
        }
        let is_damaged = || spool.is_damaged.load(Ordering::Relaxed);
        assert!(!is_damaged());
        let elsewhere = slices[0][0].behind(1);
        assert!(spool.get(elsewhere).is_err() && is_damaged());
    }
}
