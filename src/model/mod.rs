//! What is true of the archive once it is checked. No serde, no strings where a type says more.

/// Declares an enum whose variants have a word each.
macro_rules! words {
    ($(#[$attr:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal,)+ }) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        $(#[$attr])*
        pub enum $name { $($(#[$doc])* $variant,)+ }

        impl $name {
            /// All of them, in the order in which they are shown.
            pub const ALL: [Self; [$($word),+].len()] = [$(Self::$variant),+];

            /// The word of the format, of pages and of classes.
            pub const fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }
        }
    };
}

pub(crate) mod annotation;
pub(crate) mod archive;
pub(crate) mod archive_context;
pub(crate) mod comparison;
pub(crate) mod details;
pub(crate) mod digests;
pub(crate) mod findings;
pub(crate) mod implementation;
pub(crate) mod outcome;
pub(crate) mod prose;
pub(crate) mod reconciliation;
pub mod review;
pub(crate) mod run;
pub(crate) mod slug;
pub mod tape;
pub mod threads;
pub(crate) mod time;
pub mod transcript;
pub(crate) mod value;
pub(crate) mod words;
pub(crate) mod workspace;
pub(crate) mod written;

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
    /// What is published of it, where parts of it are withheld.
    pub published: Option<PublishedFile>,
}

/// A span of a file that is withheld, or a whole file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Withheld {
    /// The id of the redaction.
    pub id: String,
    /// The file.
    pub file: String,
    /// The event.
    pub event: Option<u64>,
    /// The line of a file of JSON lines.
    pub line: Option<u32>,
    /// The value.
    pub pointer: Option<String>,
    /// Characters; `None` where the whole file is withheld.
    pub length: Option<usize>,
    /// The reason.
    pub reason: &'static str,
    /// The reason in words.
    pub note: Option<String>,
    /// When it was withheld.
    pub at: Option<String>,
    /// The commitment to it.
    pub commitment: Option<String>,
}

/// Size and BLAKE3 of what is published of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublishedFile {
    /// Size in bytes.
    pub bytes: u64,
    /// BLAKE3, hexadecimal.
    pub blake3: String,
}

impl FileDigest {
    /// Size of what is published.
    pub fn published_bytes(&self) -> u64 {
        self.published
            .as_ref()
            .map_or(self.bytes, |file| file.bytes)
    }

    /// BLAKE3 of what is published.
    pub fn published_blake3(&self) -> &str {
        self.published
            .as_ref()
            .map_or(&self.blake3, |file| &file.blake3)
    }
}

/// Whether a path with `/` leads to something below where it begins, on every system and however it is resolved.
pub fn is_plain_path(path: &str) -> bool {
    let is_name = |part: &str| !matches!(part, "" | "." | "..");
    !path.contains(['\\', '\0']) && path.split('/').all(is_name)
}
