//! (edge) Reads files in chunks, to hold no more in memory than needed.

use std::io::{self, BufRead, BufReader, Read, Take};

use base::diagnostics::Diagnostic;
use base::diagnostics::text::quoted;
use base::files::OpenError;
use formats::model::FileDigest;

/// The reason, as a clause, for a file that changed between two reads.
pub(super) const CHANGED: &str = "it changed while it was being read";

/// Why a file could not be read.
#[derive(Debug)]
pub(super) enum LoadError {
    /// The reason, as a clause.
    Unreadable(String),
    /// A link to a missing file.
    Dangling,
    /// A link that leads out of the folder.
    Outside,
    /// A link to a file that has its own publishing rules, or is never published.
    Withheld,
    /// Its size in bytes.
    TooLarge(u64),
    /// A line is too long.
    LongLine(LongLine),
}

impl From<OpenError> for LoadError {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::Io(error) => error.into(),
            OpenError::Outside => Self::Outside,
            OpenError::Dangling => Self::Dangling,
        }
    }
}

impl From<io::Error> for LoadError {
    fn from(error: io::Error) -> Self {
        Self::Unreadable(error.to_string())
    }
}

/// A line over the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LongLine {
    /// Its number, from 1.
    pub(super) number: u32,
    /// Its length in bytes.
    pub(super) bytes: u64,
}

/// Bytes per read.
pub(super) const CHUNK: usize = 256 * 1024;
/// Maximum bytes that are allocated because of the size of a file: a sparse file may be mostly holes.
const MAX_PREALLOCATION: u64 = 64 << 20;

/// Reads a whole file of `size` bytes, but at most `limit`. With a limit for lines, stops at the first longer line.
pub(super) fn read_whole(
    file: impl Read,
    size: u64,
    limit: u64,
    line: Option<u64>,
) -> Result<Vec<u8>, LoadError> {
    let mut bytes = Vec::new();
    // Allocating once avoids copies while the vector grows.
    let capacity = usize::try_from(size.min(limit).min(MAX_PREALLOCATION)).unwrap_or(usize::MAX);
    bytes
        .try_reserve_exact(capacity)
        .map_err(|_| out_of_memory())?;
    // One more byte detects a file that has grown.
    let mut file = file.take(limit.saturating_add(1));
    if let Some(line) = line.filter(|line| size > *line) {
        let mut file = BufReader::with_capacity(CHUNK, file);
        for number in 1_u32.. {
            if next_line(&mut file, number, line, &mut bytes)? == 0 {
                break;
            }
        }
    } else {
        file.read_to_end(&mut bytes)?;
        // No line is longer than the file, unless the file has grown.
        if line.is_some_and(|line| bytes.len() as u64 > line) {
            return Err(LoadError::Unreadable(CHANGED.to_owned()));
        }
    }
    match bytes.len() as u64 {
        all if all > limit => Err(LoadError::TooLarge(all)),
        _ => Ok(bytes),
    }
}

/// Calls `each` for every line with its number. Only one line is in memory at a time.
pub(super) fn for_each_line(
    file: impl Read,
    limit: u64,
    mut each: impl FnMut(u32, &[u8]),
) -> Result<(), LoadError> {
    let mut file = BufReader::with_capacity(CHUNK, file);
    let mut line = Vec::new();
    for number in 1_u32.. {
        line.clear();
        if next_line(&mut file, number, limit, &mut line)? == 0 {
            break;
        }
        each(number, line.strip_suffix(b"\n").unwrap_or(&line));
    }
    Ok(())
}

/// Appends the next line with its line feed, and returns its length, which is 0 at the end of the file.
fn next_line(
    file: &mut impl BufRead,
    number: u32,
    limit: u64,
    into: &mut Vec<u8>,
) -> Result<usize, LoadError> {
    let before = into.len();
    loop {
        let chunk = file.fill_buf()?;
        let end = memchr::memchr(b'\n', chunk);
        let read = end.map_or(chunk, |end| &chunk[..=end]);
        into.try_reserve(read.len()).map_err(|_| out_of_memory())?;
        into.extend_from_slice(read);
        let count = read.len();
        file.consume(count);
        let length = (into.len() - before - usize::from(end.is_some())) as u64;
        if length > limit {
            let rest = if end.is_some() {
                0
            } else {
                rest_of_line(file)?
            };
            let bytes = length + rest;
            return Err(LoadError::LongLine(LongLine { number, bytes }));
        }
        if end.is_some() || count == 0 {
            return Ok(into.len() - before);
        }
    }
}

/// Number of bytes up to the end of the line.
fn rest_of_line(file: &mut impl BufRead) -> Result<u64, LoadError> {
    let mut count = 0;
    loop {
        let chunk = file.fill_buf()?;
        let end = memchr::memchr(b'\n', chunk);
        let read = end.unwrap_or(chunk.len());
        count += read as u64;
        if end.is_some() || read == 0 {
            return Ok(count);
        }
        file.consume(read);
    }
}

fn out_of_memory() -> LoadError {
    LoadError::Unreadable("there is not enough memory to hold it".to_owned())
}

/// A file that is read a second time, and must still have the digest that the first reading found.
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

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    /// Returns one byte at a time, to test line ends anywhere in a chunk.
    struct OneByteReader<'a>(&'a [u8]);

    impl Read for OneByteReader<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.0
                .take(1)
                .read(buffer)
                .inspect(|count| self.0 = &self.0[*count..])
        }
    }

    #[test]
    fn a_long_line_is_found_wherever_it_is_and_is_not_held() {
        let long = |text: &[u8]| match read_whole(
            OneByteReader(text),
            text.len() as u64,
            1_000,
            Some(3),
        ) {
            Ok(bytes) => Err(bytes),
            Err(LoadError::LongLine(line)) => Ok((line.number, line.bytes)),
            Err(fault) => panic!("{fault:?}"),
        };
        assert_eq!(long(b"abc\nabc"), Err(b"abc\nabc".to_vec()));
        assert_eq!(long(b"abc\n\nabcd\nx"), Ok((3, 4)));
        assert_eq!(long(b"abc\nabcdefg"), Ok((2, 7)));
        let all = read_whole(&b"ab\nabcd\n"[..], 8, 1_000, Some(3));
        assert!(matches!(
            all,
            Err(LoadError::LongLine(LongLine {
                number: 2,
                bytes: 4
            }))
        ));
        // Far more than fits into memory.
        let endless = io::repeat(0).take(1 << 32);
        let read = read_whole(endless, 1 << 32, 1 << 40, Some(1 << 20));
        assert!(matches!(
            read,
            Err(LoadError::LongLine(LongLine {
                number: 1,
                bytes: 0x1_0000_0000
            }))
        ));
    }

    #[test]
    fn a_file_that_grows_is_not_read_past_the_limit() {
        let read = read_whole(io::repeat(b'\n'), 10, 1_000, None);
        assert!(matches!(read, Err(LoadError::TooLarge(size)) if size > 1_000));
    }

    #[test]
    fn lines_are_given_one_by_one() {
        let text = b"a\r\n\nbc\nd";
        let mut found = Vec::new();
        let read = for_each_line(OneByteReader(text), 2, |number, line| {
            found.push((number, line.to_vec()));
        });
        assert!(read.is_ok());
        let expected: [(u32, &[u8]); 4] = [(1, b"a\r"), (2, b""), (3, b"bc"), (4, b"d")];
        assert_eq!(
            found,
            expected.map(|(number, line)| (number, line.to_vec()))
        );
        let read = for_each_line(&b"a\nbcde\nf"[..], 2, |_, _| ());
        assert!(matches!(
            read,
            Err(LoadError::LongLine(LongLine {
                number: 2,
                bytes: 4
            }))
        ));
    }
}
