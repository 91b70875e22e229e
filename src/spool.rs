//! [edge out] How to hold what grows with the archive outside of memory: in a temporary file without a name, which the
//! system removes whatever happens.

use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::{Mutex, PoisonError};

use tempfile::SpooledTempFile;

use crate::diagnostics::{Diagnostic, Place, codes};
use crate::model::findings::Slice;

/// What fits into memory stays there; most archives never need the file.
const IN_MEMORY: usize = 16 << 20;

/// Pieces of text, written by many threads in any order and read back by their places.
#[derive(Debug)]
pub struct Spool(Mutex<Pieces>);

#[derive(Debug)]
struct Pieces {
    file: SpooledTempFile,
    end: u64,
}

impl Default for Spool {
    fn default() -> Self {
        Self(Mutex::new(Pieces {
            file: SpooledTempFile::new(IN_MEMORY),
            end: 0,
        }))
    }
}

impl Spool {
    /// Keeps a piece and returns its place.
    ///
    /// # Errors
    /// The system refuses to write a temporary file.
    pub fn put(&self, bytes: &[u8]) -> Result<Slice, Diagnostic> {
        if bytes.is_empty() {
            return Ok(Slice::default());
        }
        let mut pieces = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = pieces.end;
        let written = pieces
            .file
            .seek(SeekFrom::Start(at))
            .and_then(|_| pieces.file.write_all(bytes));
        written.map_err(|error| refused(&error))?;
        pieces.end += bytes.len() as u64;
        Ok(Slice {
            at,
            bytes: bytes.len(),
        })
    }

    /// Reads a piece back.
    ///
    /// # Errors
    /// The temporary file cannot be read.
    pub fn get(&self, slice: Slice) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; slice.bytes];
        if !bytes.is_empty() {
            let mut pieces = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            pieces.file.seek(SeekFrom::Start(slice.at))?;
            pieces.file.read_exact(&mut bytes)?;
        }
        Ok(bytes)
    }
}

/// The problem that temporary files cannot be used.
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
    fn pieces_come_back_as_they_were_put_even_past_what_memory_holds() {
        let spool = Spool::default();
        let large = vec![7; IN_MEMORY];
        let pieces: [&[u8]; 4] = [b"first", &large, b"", b"last"];
        let slices: Vec<Slice> = pieces
            .iter()
            .map(|piece| spool.put(piece).expect("room"))
            .collect();
        for (piece, slice) in pieces.iter().zip(slices).rev() {
            assert!(spool.get(slice).expect("readable") == *piece);
        }
    }
}
