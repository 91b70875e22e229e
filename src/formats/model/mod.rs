//! The archive after all checks: no strings where a type is more precise. What a feed publishes as it is derives its schema here, so
//! the comments of such types are text of the schema.

use schemars::JsonSchema;
use serde::Serialize;

pub mod agreement;
pub mod amounts;
pub mod annotation;
pub mod archive;
pub mod archive_context;
pub mod cells;
pub mod comparison;
pub mod details;
pub mod digests;
pub mod fields;
pub mod findings;
pub mod implementation;
pub mod outcome;
pub mod patterns;
pub mod reconciliation;
pub mod review;
pub mod rule_result;
pub mod run;
pub mod slug;
pub mod statistics;
pub mod steps;
pub mod tape;
pub mod threads;
pub mod time;
pub mod transcript;
pub mod value;
pub mod words;
pub mod workspace;

/// Input that is published verbatim, as JSON: a record, an annotation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verbatim<'a>(pub &'a str);

/// Path, size and BLAKE3 of a file, to verify a download.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileDigest {
    /// Relative to the run directory; for feeds, to the site's root.
    pub path: String,
    /// Size in bytes.
    pub bytes: u64,
    /// BLAKE3, hexadecimal.
    pub blake3: String,
    /// The published form, if parts of it are withheld.
    pub published: Option<PublishedFile>,
}

/// A span of a file that is withheld, or a whole file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Withheld")]
pub struct WithheldPart {
    /// The id of the redaction.
    pub id: String,
    /// The file.
    pub file: String,
    /// The number of the event, in a log.
    pub event: Option<u64>,
    /// The line of a file of JSON lines, from 1.
    pub line: Option<u32>,
    /// JSON pointer of the value.
    pub pointer: Option<String>,
    /// Characters that are withheld; null for a whole file.
    pub length: Option<usize>,
    /// Why: `secret`, `personal`, `copyright`, `contamination` or `other`.
    pub reason: &'static str,
    /// The reason in words.
    pub note: Option<String>,
    /// When it was withheld.
    pub at: Option<String>,
    /// `blake3:` and the salted commitment to what is withheld.
    pub commitment: Option<String>,
}

/// Size and BLAKE3 of the published form of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublishedFile {
    /// Size in bytes.
    pub bytes: u64,
    /// BLAKE3, hexadecimal.
    pub blake3: String,
}

impl FileDigest {
    /// Size of the published form.
    pub fn published_bytes(&self) -> u64 {
        self.published
            .as_ref()
            .map_or(self.bytes, |file| file.bytes)
    }

    /// BLAKE3 of the published form.
    pub fn published_blake3(&self) -> &str {
        self.published
            .as_ref()
            .map_or(&self.blake3, |file| &file.blake3)
    }
}

/// Whether a path with `/` stays below its start on every system, however it is resolved.
pub fn is_plain_path(path: &str) -> bool {
    let is_name = |part: &str| !matches!(part, "" | "." | "..");
    !path.contains(['\\', '\0']) && path.split('/').all(is_name)
}
