//! The input formats as written: bytes in, typed values and problems out, no I/O.

/// Declares an enum with a word for each variant.
macro_rules! words {
    ($(#[$attr:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal,)+ }) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        #[derive(serde::Serialize, serde::Deserialize)]
        $(#[$attr])*
        pub enum $name { $($(#[$doc])* #[serde(rename = $word)] $variant,)+ }

        impl $name {
            /// All variants, in display order.
            pub const ALL: [Self; [$($word),+].len()] = [$(Self::$variant),+];

            /// The word used in the format, on pages and in CSS classes.
            pub const fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }
        }

        impl $crate::Words for $name {
            const WORDS: &'static [(&'static str, Self)] = &[$(($word, Self::$variant)),+];
        }
    };
}

/// An enum with a word for each variant.
trait Words: Copy + 'static {
    /// The words, in display order.
    const WORDS: &'static [(&'static str, Self)];
}

pub mod adapter;
pub mod atif_scan;
pub mod audit;
pub mod config;
pub mod decimal;
pub mod decisions;
pub mod event_line;
pub mod events;
pub mod json;
pub mod jsonl;
mod line_format;
pub mod model;
pub mod page;
pub mod portable;
pub mod private;
pub mod raw;
pub mod reader;
pub mod reason;
pub mod redactions;
pub mod replay;
pub mod rule_file;
pub mod run_record;
pub mod scanner_findings;
pub mod sidecar;
pub mod single_file;
pub mod tape;
pub mod threads;
pub mod time;
pub mod trace;
pub mod transcript;
pub mod withdrawn;
pub mod writeup;

/// The files of a run directory whose names the formats give. Other names, such as those of tapes, are chosen by people.
pub const RUN_FILES: [&str; 7] = [
    run_record::FILE_NAME,
    events::FILE_NAME,
    raw::FILE_NAME,
    writeup::FILE_NAME,
    transcript::FILE_NAME,
    threads::STATE_FILE,
    threads::ACTIONS_FILE,
];
