//! Properties of the parsers that hold for any input: one function per format, from bytes to assertions.
//!
//! The fuzz targets run these over inputs that a fuzzer finds, the test suite runs them over the samples of the
//! repository and over generated documents. A function panics if a property does not hold.

pub mod adapter;
pub mod config;
pub mod events;
pub mod html;
pub mod import;
pub mod markdown;
pub mod page;
pub mod places;
pub mod raw;
pub mod redactions;
pub mod rules;
pub mod run_record;
pub mod secrets;
pub mod shared_page;
pub mod sidecar;
pub mod tape;
pub mod threads;
pub mod trace;
pub mod transcript;
pub mod writeup;

/// A target: its name, and the function that checks an input.
pub type Target = (&'static str, fn(&[u8]));

/// Every target, by name.
pub const ALL: &[Target] = &[
    ("adapter", adapter::run),
    ("config", config::run),
    ("events", events::run),
    ("import", import::run),
    ("markdown", markdown::run),
    ("page", page::run),
    ("raw", raw::run),
    ("redactions", redactions::run),
    ("rules", rules::run),
    ("run_record", run_record::run),
    ("secrets", secrets::run),
    ("shared_page", shared_page::run),
    ("sidecar", sidecar::run),
    ("tape", tape::run),
    ("threads", threads::run),
    ("trace", trace::run),
    ("transcript", transcript::run),
    ("writeup", writeup::run),
];

/// The target with this name.
#[must_use]
pub fn find(name: &str) -> Option<Target> {
    ALL.iter().copied().find(|(target, _)| *target == name)
}

/// Adds a byte order mark to an input; `None` if it has one.
#[must_use]
pub fn with_byte_order_mark(bytes: &[u8]) -> Option<Vec<u8>> {
    const MARK: &[u8] = b"\xef\xbb\xbf";
    (!bytes.starts_with(MARK)).then(|| [MARK, bytes].concat())
}

/// What separates the two files of an input.
pub const SEPARATOR: &[u8] = b"\n%%\n";

/// The two files of an input; `None` if it has no [`SEPARATOR`].
#[must_use]
pub fn split(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut parts = bytes.windows(SEPARATOR.len());
    let at = parts.position(|part| part == SEPARATOR)?;
    Some((&bytes[..at], &bytes[at + SEPARATOR.len()..]))
}

/// JSON without the white space between its tokens, everything else as written.
#[must_use]
pub fn compact(json: &str) -> String {
    let (mut out, mut inside, mut escaped) = (String::new(), false, false);
    for c in json.chars() {
        if inside {
            inside = escaped || c != '"';
            escaped = !escaped && c == '\\';
        } else if c.is_ascii_whitespace() {
            continue;
        } else {
            inside = c == '"';
        }
        out.push(c);
    }
    out
}
