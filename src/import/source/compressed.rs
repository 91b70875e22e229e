//! Zstandard: decompresses all frames of a file, up to a limit.

use std::io::Read;

use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{FrameDecoder, StreamingDecoder};

use crate::{Problem, problem};
use base::diagnostics::codes::IMPORT_INVALID_ARCHIVE;

use super::{LARGEST, too_large};

/// The help for damaged data.
pub(super) const AGAIN: &str = "Copy the file again: it may be cut off.";

/// Bytes that any file may unpack to, however small.
const SMALLEST: u64 = 64 << 20;
/// Maximum ratio of unpacked to packed size. Logs reach 30; only bombs reach hundreds.
const RATIO: u64 = 200;

/// Maximum bytes that this many packed bytes may unpack to.
pub(super) fn limit(packed: u64) -> u64 {
    packed.saturating_mul(RATIO).clamp(SMALLEST, LARGEST)
}

/// Whether the bytes begin like Zstandard.
pub(super) fn is_zstd(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x28, 0xB5, 0x2F, 0xFD])
}

/// Decompresses all frames, or enough of them for `enough` bytes. A truncated rest is then not an error.
pub(super) fn unpack(name: &str, packed: &[u8], enough: usize) -> Result<Vec<u8>, Problem> {
    let limit = limit(packed.len() as u64);
    let mut rest = packed;
    let mut bytes = Vec::new();
    let mut decoder = FrameDecoder::new();
    while !rest.is_empty() && bytes.len() < enough {
        let frame = match StreamingDecoder::new_with_decoder(&mut rest, &mut decoder) {
            Ok(frame) => frame,
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                length,
                ..
            })) => {
                rest = rest.get(length as usize..).unwrap_or_default();
                continue;
            }
            Err(error) => return Err(broken(name, &error)),
        };
        let room = (limit + 1 - bytes.len() as u64).min((enough - bytes.len()) as u64);
        let read = frame.take(room).read_to_end(&mut bytes);
        if bytes.len() as u64 > limit {
            return Err(too_large(name, limit));
        }
        if let Err(error) = read {
            if enough != usize::MAX && !bytes.is_empty() {
                break;
            }
            return Err(broken(name, &error));
        }
    }
    Ok(bytes)
}

fn broken(name: &str, error: &dyn std::fmt::Display) -> Problem {
    let message = format!("The file is not valid Zstandard: {error}");
    problem(&IMPORT_INVALID_ARCHIVE, name, message, AGAIN)
}
