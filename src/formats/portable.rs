//! Valid JSON that some readers reject, and its replacement: lone surrogates, numbers out of range for a 64-bit float, and deep
//! nesting.
//!
//! A replacement has the length of the original, so offsets and places stay valid.

use std::borrow::Cow;
use std::ops::Range;

use base::diagnostics::{Code, Collector, Source};

use super::json::Node;

/// Maximum nesting that is published. Readers stop at 128 levels, and a feed adds a few of its own.
const MAX_LEVELS: usize = 96;
/// Maximum nesting that `serde_json` reads, and therefore Harn.
const MAX_SERDE_LEVELS: usize = 127;

/// Why readers reject a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PortabilityProblem {
    /// A `\u` escape for a lone surrogate.
    LoneSurrogate,
    /// A number out of range for 64-bit floats.
    OutOfRange,
    /// An object or array that is nested too deeply.
    TooDeep,
}

impl PortabilityProblem {
    /// What is wrong with a line, as a clause. Quotes nothing, as the value may be private.
    pub const fn reason(self) -> &'static str {
        match self {
            Self::LoneSurrogate => "a `\\u` escape that is half of a surrogate pair",
            Self::OutOfRange => "a number that is too large for a 64-bit float",
            Self::TooDeep => "a value that is nested too deeply",
        }
    }

    /// What is wrong with a value, and what to do.
    const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::LoneSurrogate => (
                "A `\\u` escape is half of a surrogate pair",
                "Write the whole pair, or remove the escape; U+FFFD is published instead.",
            ),
            Self::OutOfRange => (
                "The number is too large for a 64-bit float",
                "Write a smaller number, or a string of its digits; null is published instead.",
            ),
            Self::TooDeep => (
                "The value is nested more than 96 levels deep",
                "Flatten the value; it is published empty.",
            ),
        }
    }

    /// The part of a rejected text to mark.
    pub const fn marked(self, range: Range<usize>) -> Range<usize> {
        match self {
            Self::TooDeep => range.start..range.start + 1,
            _ => range,
        }
    }

    /// Overwrites what readers reject.
    fn replace(self, text: &mut [u8]) {
        match self {
            Self::LoneSurrogate => text.copy_from_slice(b"\\ufffd"),
            // Every number out of range has at least five characters, as `2e308` has.
            Self::OutOfRange => {
                text.fill(b' ');
                text[..4].copy_from_slice(b"null");
            }
            Self::TooDeep => {
                let end = text.len() - 1;
                text[1..end].fill(b' ');
            }
        }
    }
}

/// Calls `found` for everything in a JSON text that some reader rejects, in order. Skips the inside of values that are nested too
/// deeply.
pub fn scan(json: &str, levels: usize, mut found: impl FnMut(PortabilityProblem, Range<usize>)) {
    let bytes = json.as_bytes();
    let mut at = 0;
    let mut depth = 0;
    let mut deep = None;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'{' | b'[' => {
                depth += 1;
                if depth > levels && deep.is_none() {
                    deep = Some((depth, at));
                }
            }
            b'}' | b']' => {
                if let Some((_, start)) = deep.filter(|(opened, _)| *opened == depth) {
                    found(PortabilityProblem::TooDeep, start..at + 1);
                    deep = None;
                }
                depth = depth.saturating_sub(1);
            }
            b'"' => {
                at = string(bytes, at + 1, |half| {
                    if deep.is_none() {
                        found(PortabilityProblem::LoneSurrogate, half);
                    }
                });
                continue;
            }
            b'-' | b'0'..=b'9' => {
                let in_number =
                    |byte: &u8| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
                let end = at
                    + bytes[at..]
                        .iter()
                        .take_while(|byte| in_number(byte))
                        .count();
                if deep.is_none() && is_out_of_range(&json[at..end]) {
                    found(PortabilityProblem::OutOfRange, at..end);
                }
                at = end;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
}

/// Scans a string from after its opening quote to after its closing one, and finds lone surrogates.
fn string(bytes: &[u8], mut at: usize, mut half: impl FnMut(Range<usize>)) -> usize {
    while let Some(step) = memchr::memchr2(b'"', b'\\', bytes.get(at..).unwrap_or_default()) {
        at += step;
        if bytes[at] == b'"' {
            return at + 1;
        }
        at += match escaped(bytes, at) {
            Some(0xd800..=0xdbff) if matches!(escaped(bytes, at + 6), Some(0xdc00..=0xdfff)) => 12,
            Some(0xd800..=0xdfff) => {
                half(at..at + 6);
                6
            }
            Some(_) => 6,
            None => 2,
        };
    }
    bytes.len()
}

/// The code unit of a `\u` escape.
fn escaped(bytes: &[u8], at: usize) -> Option<u16> {
    let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// Integers of up to this many digits are in range.
const MAX_PLAIN_DIGITS: usize = 300;

fn is_out_of_range(number: &str) -> bool {
    (number.len() > MAX_PLAIN_DIGITS || number.contains(['e', 'E']))
        && serde_json::from_str::<f64>(number).map_or(true, f64::is_infinite)
}

/// The first part of a valid JSON text that `serde_json`, and therefore Harn, rejects.
pub fn first_rejected(json: &str) -> Option<(PortabilityProblem, Range<usize>)> {
    let mut first = None;
    if may_be_rejected(json.as_bytes()) {
        scan(json, MAX_SERDE_LEVELS, |problem, range| {
            first.get_or_insert((problem, range));
        });
    }
    first
}

/// Bytes scanned per step: few enough to count in a byte.
const CHUNK: usize = 128;

/// Whether a text must be scanned at all. Few log lines must be, so the inner loop is written for vectorization.
#[allow(
    clippy::needless_bitwise_bool,
    reason = "a branch for each byte would take as long as the scan"
)]
fn may_be_rejected(json: &[u8]) -> bool {
    let (mut opened, mut digits) = (0, 0);
    for start in (0..json.len()).step_by(CHUNK) {
        let piece = &json[start..(start + CHUNK).min(json.len())];
        // The byte after each; the last byte of the text has none, and cannot match.
        let next = &json[start + 1..(start + CHUNK + 1).min(json.len())];
        let (mut suspicious, mut opened_here, mut digits_here) = (false, 0_u8, 0_u8);
        for (byte, next) in piece.iter().zip(next) {
            let is_digit = byte.is_ascii_digit();
            suspicious |=
                ((*byte == b'\\') & (*next == b'u')) | (is_digit & (*next | 0x20 == b'e'));
            opened_here += u8::from(*byte | 0x20 == b'{');
            digits_here += u8::from(is_digit);
        }
        if suspicious && (start..start + piece.len()).any(|at| may_be_rejected_at(json, at)) {
            return true;
        }
        opened += usize::from(opened_here);
        digits += usize::from(digits_here);
    }
    opened > MAX_SERDE_LEVELS || digits > MAX_PLAIN_DIGITS
}

/// The start of a number is looked for in so many bytes before its exponent. Few numbers are longer.
const MAX_NUMBER_BYTES: usize = 32;

/// Whether a surrogate or the last digit before an exponent may be here. Many ids look like an exponent, as in `59f40e06`, but a
/// number follows a separator.
fn may_be_rejected_at(json: &[u8], at: usize) -> bool {
    match json[at..] {
        [b'\\', b'u', b'd' | b'D', ..] => true,
        [b'0'..=b'9', b'e' | b'E', b'0'..=b'9' | b'+' | b'-', ..] => {
            let before = &json[at.saturating_sub(MAX_NUMBER_BYTES)..at];
            let is_inside = |byte: &u8| byte.is_ascii_digit() || b"+-.eE".contains(byte);
            let first = before.iter().rfind(|byte| !is_inside(byte));
            first.is_none_or(|byte| b":,[ \t\r\n".contains(byte))
        }
        _ => false,
    }
}

/// The same JSON in a form that every reader accepts.
pub fn portable(json: &str) -> Cow<'_, str> {
    replaced(json, |_| true)
}

/// The same JSON with U+FFFD instead of every lone surrogate.
pub fn with_replaced_surrogates(json: &str) -> Cow<'_, str> {
    replaced(json, |problem| problem == PortabilityProblem::LoneSurrogate)
}

fn replaced(json: &str, wanted: impl Fn(PortabilityProblem) -> bool) -> Cow<'_, str> {
    let mut bytes: Option<Vec<u8>> = None;
    scan(json, MAX_LEVELS, |problem, range| {
        if wanted(problem) {
            let bytes = bytes.get_or_insert_with(|| json.as_bytes().to_vec());
            problem.replace(&mut bytes[range]);
        }
    });
    // Only whole values and escapes are overwritten, with ASCII.
    bytes
        .and_then(|bytes| String::from_utf8(bytes).ok())
        .map_or(Cow::Borrowed(json), Cow::Owned)
}

/// Reports values below a node that are published in another form, except where another problem is already reported.
pub fn check(
    source: &Source<'_>,
    node: Node<'_>,
    reported: &[Range<usize>],
    code: &'static Code,
    problems: &mut Collector,
) {
    scan(node.raw, MAX_LEVELS, |problem, range| {
        let offset = node.offset;
        let range = problem.marked(offset + range.start..offset + range.end);
        if !reported.iter().any(|part| part.contains(&range.start)) {
            problems.add(code, || {
                let (message, help) = problem.words();
                code.at(source.place(range.start, range.end), message, help)
            });
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(json: &str) -> String {
        let text = portable(json);
        assert_eq!(text.len(), json.len(), "{json}");
        serde_json::from_str::<serde_json::Value>(&text).expect("readable");
        text.into_owned()
    }

    #[test]
    fn what_readers_refuse_is_replaced_at_its_length() {
        for (json, expected) in [
            (r#"{"a\ud83d": "\ude00"}"#, r#"{"a\ufffd": "\ufffd"}"#),
            (r#""\ud83d\ude00 \\ud83d""#, r#""\ud83d\ude00 \\ud83d""#),
            (r#""\ud83d\ud83d\ude00""#, r#""\ufffd\ud83d\ude00""#),
            (
                r#"["1e999", 1e999, -1E+400, 1e-999]"#,
                r#"["1e999", null , null   , 1e-999]"#,
            ),
            ("[1.5e308, 2e308]", "[1.5e308, null ]"),
        ] {
            assert_eq!(written(json), expected);
        }
        let digits = "9".repeat(5000);
        assert_eq!(written(&digits).trim_end(), "null");
        let small = format!("0.{}1", "0".repeat(5000));
        assert_eq!(written(&small), small);
    }

    #[test]
    fn what_is_too_deep_is_emptied() {
        let deep = |levels: usize, inside: &str| {
            format!("{}{inside}{}", "[".repeat(levels), "]".repeat(levels))
        };
        let fits = deep(MAX_LEVELS, "1");
        assert_eq!(written(&fits), fits);
        let more = deep(MAX_LEVELS, r#"{"a": "]}", "b": [[]]}, 1e999"#);
        assert_eq!(
            written(&more),
            deep(MAX_LEVELS, r#"{                    }, null "#)
        );
        written(&deep(100_000, ""));
    }

    #[test]
    fn harn_refuses_what_serde_json_refuses() {
        let object = |levels: usize| format!("{}1{}", "[".repeat(levels), "]".repeat(levels));
        for json in [
            object(127),
            object(128),
            r#""\ud83d""#.to_owned(),
            r#"{"\udc00": 1}"#.to_owned(),
            "1e308".to_owned(),
            "1e309".to_owned(),
            "1.7976931348623157e308".to_owned(),
            "1.7976931348623159e308".to_owned(),
            "9".repeat(309),
            "9".repeat(308),
            "-2E308".to_owned(),
            r#"{"e": "3e4 \uD83D\uDE00"}"#.to_owned(),
            r#""\uDE00""#.to_owned(),
            "{\"k\":".repeat(128) + "1" + &"}".repeat(128),
        ] {
            assert_eq!(
                first_rejected(&json).is_some(),
                serde_json::from_str::<serde_json::Value>(&json).is_err(),
                "{json}"
            );
        }
    }

    #[test]
    fn what_is_refused_is_found_at_every_place_of_a_long_line() {
        for before in 0..300 {
            let before = "a".repeat(before);
            let half = format!(r#"{{"k":"{before}\udead"}}"#);
            assert_eq!(
                first_rejected(&half),
                Some((
                    PortabilityProblem::LoneSurrogate,
                    before.len() + 6..before.len() + 12
                ))
            );
            let number = format!(r#"{{"k":["{before}",1e999]}}"#);
            assert_eq!(
                first_rejected(&number),
                Some((
                    PortabilityProblem::OutOfRange,
                    before.len() + 9..before.len() + 14
                ))
            );
            let fine = format!(r#"{{"k":["{before}\u001b",1e9]}}"#);
            assert_eq!(first_rejected(&fine), None);
        }
    }
}
