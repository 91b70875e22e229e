//! The digests of runs, kept out of memory: there are dozens for each run, and few are looked at.

use std::fmt::Debug;
use std::io;

use formats::model::digests::Digests;
use formats::model::findings::{RunDigests, Slice};

/// A store of bytes out of memory.
pub trait Store: Debug + Send + Sync {
    /// Stores bytes.
    fn put(&self, bytes: &[u8]) -> io::Result<Slice>;

    /// Reads bytes back.
    fn get(&self, place: Slice) -> io::Result<Vec<u8>>;
}

/// Why a ledger is not parsed.
#[derive(Debug)]
pub enum Unparsed {
    /// What is wrong with it, as a part of a sentence.
    Content(String),
    /// The store takes or gives back no digests.
    Store(io::Error),
}

impl From<String> for Unparsed {
    fn from(reason: String) -> Self {
        Self::Content(reason)
    }
}

impl From<io::Error> for Unparsed {
    fn from(error: io::Error) -> Self {
        Self::Store(error)
    }
}

/// Digests as a store keeps them: equal ones are the same bytes.
pub fn packed(digests: &RunDigests) -> Vec<u8> {
    let RunDigests {
        record,
        files,
        annotations,
    } = digests;
    // Nothing in them can fail to be written.
    postcard::to_stdvec(&[record, files, annotations]).unwrap_or_default()
}

pub(super) fn unpacked(bytes: &[u8]) -> io::Result<RunDigests> {
    let digests: [Digests; 3] = postcard::from_bytes(bytes).map_err(io::Error::other)?;
    let [record, files, annotations] = digests;
    Ok(RunDigests {
        record,
        files,
        annotations,
    })
}
