//! Knows what is true of the archive once it is checked. No serde, no strings where a type says more.

pub mod annotation;
pub mod archive;
pub mod comparison;
pub mod details;
pub mod findings;
pub mod implementation;
pub mod prose;
pub mod reconciliation;
pub mod review;
pub mod run;
pub mod slug;
pub mod surroundings;
pub mod tape;
pub mod threads;
pub mod time;
pub mod transcript;
pub mod value;
pub mod words;
pub mod workspace;

/// Text that must go out as it came in: a record, an annotation. JSON of the input, unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verbatim<'a>(pub &'a str);

/// Path, size and BLAKE3 of a file: what a reader needs to check a download.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileDigest {
    /// Relative to the run directory; of a feed, to the site's root.
    pub path: String,
    /// Size in bytes.
    pub bytes: u64,
    /// BLAKE3, hexadecimal.
    pub blake3: String,
}
