//! [edge in] Knows how a file is read piece by piece, so that no more of it is held than is needed.

use std::io::{BufRead, BufReader, Read};

use super::fault::{Fault, LongLine};

/// Bytes that are read at once.
pub(super) const PIECE: usize = 256 * 1024;
/// Bytes for which room is made before it is known that the file holds anything but holes.
const TRUSTED: u64 = 64 << 20;

/// Reads a whole file of `size` bytes, of which no more than `limit` are taken. With a limit for a line, it stops to hold
/// anything as soon as a line is longer.
pub(super) fn whole(
    mut file: impl Read,
    size: u64,
    limit: u64,
    line: Option<u64>,
) -> Result<Vec<u8>, Fault> {
    let length = |bytes: u64| usize::try_from(bytes).unwrap_or(usize::MAX);
    let mut bytes = Vec::new();
    let (mut number, mut start, mut seen) = (1, 0, 0);
    loop {
        // Room is made first: read into it, nothing is copied or cleared.
        let room = length(size.min(limit)).saturating_sub(bytes.len());
        let trusted = bytes.len() as u64 >= TRUSTED || size <= TRUSTED;
        let room = if trusted { room } else { room.min(PIECE) };
        bytes.try_reserve(room).map_err(|_| too_much())?;
        let mut piece = file.by_ref().take(PIECE as u64);
        let count = piece
            .read_to_end(&mut bytes)
            .map_err(|error| Fault::of(&error))?;
        if count == 0 {
            return Ok(bytes);
        }
        let all = bytes.len() as u64;
        if all > limit {
            return Err(Fault::TooLarge(all));
        }
        // No line is longer than the whole.
        if let Some(most) = line.filter(|most| all > *most) {
            for end in memchr::memchr_iter(b'\n', &bytes[seen..]) {
                let end = seen + end;
                let length = (end - start) as u64;
                if length > most {
                    return Err(Fault::LongLine(LongLine {
                        number,
                        bytes: length,
                    }));
                }
                (number, start) = (number.saturating_add(1), end + 1);
            }
            seen = bytes.len();
            let open = all - start as u64;
            if open > most {
                drop(bytes);
                let rest = rest_of_line(BufReader::with_capacity(PIECE, file))?;
                return Err(Fault::LongLine(LongLine {
                    number,
                    bytes: open + rest,
                }));
            }
        }
    }
}

/// How many bytes come before the end of a line.
fn rest_of_line(mut file: impl BufRead) -> Result<u64, Fault> {
    let mut count = 0;
    loop {
        let piece = file.fill_buf().map_err(|error| Fault::of(&error))?;
        if let Some(end) = memchr::memchr(b'\n', piece) {
            return Ok(count + end as u64);
        }
        let read = piece.len();
        if read == 0 {
            return Ok(count);
        }
        count += read as u64;
        file.consume(read);
    }
}

/// Gives `each` every line of a file with its number, and what it read to `seen`. No more than one line is held.
pub(super) fn lines(
    file: impl Read,
    limit: u64,
    mut seen: impl FnMut(&[u8]),
    mut each: impl FnMut(u32, &[u8]),
) -> Result<(), Fault> {
    let mut file = BufReader::with_capacity(PIECE, file);
    let mut line = Vec::new();
    for number in 1_u32.. {
        line.clear();
        let ended = next_line(&mut file, limit, &mut line)?;
        if line.is_empty() {
            break;
        }
        let length = (line.len() - usize::from(ended)) as u64;
        if length > limit {
            let rest = if ended { 0 } else { rest_of_line(file)? };
            let bytes = length + rest;
            return Err(Fault::LongLine(LongLine { number, bytes }));
        }
        seen(&line);
        each(number, line.strip_suffix(b"\n").unwrap_or(&line));
    }
    Ok(())
}

/// Reads on to the end of a line, or past the limit of one; says whether the line ended.
fn next_line(file: &mut impl BufRead, limit: u64, line: &mut Vec<u8>) -> Result<bool, Fault> {
    loop {
        let piece = file.fill_buf().map_err(|error| Fault::of(&error))?;
        let end = memchr::memchr(b'\n', piece);
        let read = end.map_or(piece, |end| &piece[..=end]);
        line.try_reserve(read.len()).map_err(|_| too_much())?;
        line.extend_from_slice(read);
        let count = read.len();
        file.consume(count);
        if end.is_some() || count == 0 || line.len() as u64 > limit {
            return Ok(end.is_some());
        }
    }
}

fn too_much() -> Fault {
    Fault::Unreadable("there is not enough memory to hold it".to_owned())
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    /// Gives one byte at a time, so that lines end anywhere in a piece.
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
        let long = |text: &[u8]| match whole(OneByteReader(text), text.len() as u64, 1_000, Some(3))
        {
            Ok(bytes) => Err(bytes),
            Err(Fault::LongLine(line)) => Ok((line.number, line.bytes)),
            Err(fault) => panic!("{fault:?}"),
        };
        assert_eq!(long(b"abc\nabc"), Err(b"abc\nabc".to_vec()));
        assert_eq!(long(b"abc\n\nabcd\nx"), Ok((3, 4)));
        assert_eq!(long(b"abc\nabcdefg"), Ok((2, 7)));
        let all = whole(&b"ab\nabcd\n"[..], 8, 1_000, Some(3));
        assert!(matches!(
            all,
            Err(Fault::LongLine(LongLine {
                number: 2,
                bytes: 4
            }))
        ));
        // Far more than there is memory for.
        let endless = io::repeat(0).take(1 << 32);
        let read = whole(endless, 1 << 32, 1 << 40, Some(1 << 20));
        assert!(matches!(
            read,
            Err(Fault::LongLine(LongLine {
                number: 1,
                bytes: 0x1_0000_0000
            }))
        ));
    }

    #[test]
    fn a_file_that_grows_is_not_read_past_the_limit() {
        let read = whole(io::repeat(b'\n'), 10, 1_000, None);
        assert!(matches!(read, Err(Fault::TooLarge(size)) if size > 1_000));
    }

    #[test]
    fn lines_are_given_one_by_one() {
        let text = b"a\r\n\nbc\nd";
        let (mut all, mut found) = (Vec::new(), Vec::new());
        let read = lines(
            OneByteReader(text),
            2,
            |bytes| all.extend_from_slice(bytes),
            |number, line| found.push((number, line.to_vec())),
        );
        assert!(read.is_ok() && all == text);
        let expected: [(u32, &[u8]); 4] = [(1, b"a\r"), (2, b""), (3, b"bc"), (4, b"d")];
        assert_eq!(
            found,
            expected.map(|(number, line)| (number, line.to_vec()))
        );
        let read = lines(&b"a\nbcde\nf"[..], 2, |_| (), |_, _| ());
        assert!(matches!(
            read,
            Err(Fault::LongLine(LongLine {
                number: 2,
                bytes: 4
            }))
        ));
    }
}
