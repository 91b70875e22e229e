//! What must hold of the parsers whatever they are given: one function per format, from bytes to assertions.
//!
//! The fuzz targets run these over inputs that a fuzzer finds, the test suite runs them over the samples of the
//! repository and over generated documents. A function panics when a promise is broken and says nothing otherwise.

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

/// A target: its name, and what it does with an input.
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

/// A byte order mark.
pub const MARK: &[u8] = b"\xef\xbb\xbf";

/// An input with a byte order mark before it, unless it has one.
#[must_use]
pub fn marked(bytes: &[u8]) -> Option<Vec<u8>> {
    (!bytes.starts_with(MARK)).then(|| [MARK, bytes].concat())
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
