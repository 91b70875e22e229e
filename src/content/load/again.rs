//! (edge) Reads a file again, and verifies that it is unchanged.

use std::io::{self, Read, Take};

use base::diagnostics::Diagnostic;
use base::diagnostics::text::quoted;
use formats::model::FileDigest;

/// A file that is read a second time.
pub struct FileReader<'a> {
    file: Take<Box<dyn Read + 'a>>,
    hasher: blake3::Hasher,
    expected: &'a FileDigest,
    /// The problem to report if it changed.
    changed: Box<Diagnostic>,
}

impl<'a> FileReader<'a> {
    pub(super) fn new(file: impl Read + 'a, expected: &'a FileDigest, changed: Diagnostic) -> Self {
        let file: Box<dyn Read + 'a> = Box::new(file);
        Self {
            file: file.take(expected.published_bytes()),
            hasher: blake3::Hasher::new(),
            expected,
            changed: Box::new(changed),
        }
    }

    /// Verifies that the bytes read match the digest.
    pub fn finish(self) -> Result<(), Diagnostic> {
        if self.hasher.finalize().to_hex().as_str() == self.expected.published_blake3() {
            return Ok(());
        }
        Err(*self.changed)
    }
}

impl Read for FileReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer).map_err(|error| {
            let path = quoted(&self.changed.place.path);
            io::Error::new(error.kind(), format!("{path} cannot be read: {error}"))
        })?;
        self.hasher.update(&buffer[..count]);
        Ok(count)
    }
}
