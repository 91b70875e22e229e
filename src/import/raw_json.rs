//! The JSON of logs as text: made readable before parsers see it, and compact where it is copied.

use std::borrow::Cow;

use memchr::memmem;
use serde_json::value::RawValue;

use base::diagnostics::codes::{IMPORT_INVALID_FILE, IMPORT_UNREADABLE_ENTRY};
use base::diagnostics::without_mark;
use formats::json::Node;
use formats::portable::with_replaced_surrogates;

use super::row::{AS_WRITTEN, end_of_string};
use super::{Problem, problem};

/// A JSON text with U+FFFD for each half of a surrogate pair, which no Rust string can hold.
pub fn whole_pairs(json: &str) -> Cow<'_, str> {
    let bytes = json.as_bytes();
    if memmem::find(bytes, br"\ud").is_none() && memmem::find(bytes, br"\uD").is_none() {
        return Cow::Borrowed(json);
    }
    with_replaced_surrogates(json)
}

/// Arguments of a call that are JSON in a string: the object or the array, or else the text.
pub fn arguments(text: &str) -> (Option<Box<RawValue>>, Option<String>) {
    let json = text
        .trim_start()
        .starts_with(['{', '['])
        .then(|| compact(text))
        .flatten();
    let is_text = json.is_none() && !text.trim().is_empty();
    (json, is_text.then(|| text.to_owned()))
}

/// Serializes a value built by an importer.
pub fn json(value: &serde_json::Value) -> Option<Box<RawValue>> {
    serde_json::value::to_raw_value(value).ok()
}

/// An object without the given keys and without null values.
pub fn without(json: &str, left_out: &[&str]) -> Option<Box<RawValue>> {
    map_members(json, |key, value| {
        let is_kept = value.raw != "null" && !left_out.contains(&key);
        is_kept.then_some(value.raw.into())
    })
}

/// An object with other values; members without one are left out.
pub fn map_members<'a>(
    json: &'a str,
    value_of: impl Fn(&str, &Node<'a>) -> Option<Cow<'a, str>>,
) -> Option<Box<RawValue>> {
    let mut object = String::from("{");
    for member in Node::parse(json).ok()?.members() {
        let Some(value) = value_of(&member.key, &member.value) else {
            continue;
        };
        if object.len() > 1 {
            object.push(',');
        }
        object.push_str(&serde_json::to_string(&member.key).ok()?);
        object.push(':');
        object.push_str(&value);
    }
    object.push('}');
    compact(&object)
}

/// The text of a file or a member, prepared for JSON parsers: without a byte order mark, with U+FFFD for half surrogate pairs,
/// with null for what is not a number, and with the names of infinite numbers as strings.
pub fn text<'a>(file: &str, bytes: &'a [u8]) -> Result<Cow<'a, str>, Problem> {
    let bytes = without_mark(bytes);
    let text = std::str::from_utf8(bytes).map_err(|_| {
        problem(
            &IMPORT_INVALID_FILE,
            file,
            "The file is not UTF-8",
            AS_WRITTEN,
        )
    })?;
    let has = |part: &[u8]| memmem::find(bytes, part).is_some();
    let text = whole_pairs(text);
    if has(b"NaN") || has(b"Infinity") {
        return Ok(Cow::Owned(with_numbers(&text)));
    }
    Ok(text)
}

/// Replaces `NaN`, `Infinity` and `-Infinity`, which Python writes and JSON does not have, with null and with strings.
fn with_numbers(mut rest: &str) -> String {
    let mut out = String::with_capacity(rest.len());
    let mut inside = false;
    while let Some(at) = rest.find(['"', '\\', 'N', 'I', '-']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let words = [
            ("NaN", "null"),
            ("Infinity", "\"Infinity\""),
            ("-Infinity", "\"-Infinity\""),
        ];
        let word = words
            .iter()
            .find(|(word, _)| !inside && rest.starts_with(word));
        // An escaped character may have several bytes.
        let escaped = || rest.chars().take(2).map(char::len_utf8).sum();
        let length = match word {
            Some((word, _)) => word.len(),
            None if rest.starts_with('\\') => escaped(),
            None => 1,
        };
        inside ^= rest.starts_with('"');
        out.push_str(word.map_or(&rest[..length], |(_, json)| json));
        rest = &rest[length..];
    }
    out.push_str(rest);
    out
}

/// The problem of an unreadable part, with its place.
pub fn unreadable(file: &str, pointer: &str, what: &str) -> Problem {
    let message = format!("`{pointer}` is not {what}");
    let help = "The rest of the log is imported without it.";
    let mut problem = problem(&IMPORT_UNREADABLE_ENTRY, file, message, help);
    problem.place.pointer = Some(pointer.to_owned());
    problem
}

/// A JSON value without white space between tokens, so that it fits on one line. `None` for invalid JSON.
pub fn compact(json: &str) -> Option<Box<RawValue>> {
    let json = whole_pairs(json);
    let mut out = String::with_capacity(json.len());
    let mut rest = &*json;
    while !rest.is_empty() {
        let string = memchr::memchr(b'"', rest.as_bytes()).unwrap_or(rest.len());
        let (between, from) = rest.split_at(string);
        if between.bytes().any(|byte| byte.is_ascii_whitespace()) {
            out.extend(between.chars().filter(|char| !char.is_ascii_whitespace()));
        } else {
            out.push_str(between);
        }
        let (string, after) = from.split_at(end_of_string(from.as_bytes()));
        out.push_str(string);
        rest = after;
    }
    RawValue::from_string(out).ok()
}

pub fn is_uuid(text: &str) -> bool {
    let groups: Vec<&str> = text.split('-').collect();
    groups.iter().map(|group| group.len()).eq([8, 4, 4, 4, 12])
        && groups
            .iter()
            .all(|group| group.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_surrogate_pair_is_a_replacement_character() {
        let read = text("log", br#"{"a":"x\udc00y"}"#).expect("UTF-8");
        assert_eq!(read, r#"{"a":"x\ufffdy"}"#);
        assert!(text("log", b"\xff").is_err());
        assert_eq!(text("log", b"\xef\xbb\xbf{}").expect("UTF-8"), "{}");
    }

    #[test]
    fn arguments_are_json_where_the_text_is() {
        let (json, text) = arguments(" {\"a\": 1} ");
        assert_eq!((json.expect("JSON").get(), text), ("{\"a\":1}", None));
        let (json, text) = arguments("ls -l");
        assert_eq!((json.is_some(), text.as_deref()), (false, Some("ls -l")));
        let json = r#"{"a":1,"b":null,"c\"":[2],"d":3}"#;
        assert_eq!(
            without(json, &["a"]).expect("JSON").get(),
            r#"{"c\"":[2],"d":3}"#
        );
    }

    #[test]
    fn arguments_are_written_on_one_line_and_otherwise_as_they_are() {
        for (json, compacted) in [
            (
                "{ \"a\" : [1,\t2.50 ],\n \"b c\": \" \\\" \\\\\" }",
                "{\"a\":[1,2.50],\"b c\":\" \\\" \\\\\"}",
            ),
            ("[]", "[]"),
            (" \"\" ", "\"\""),
            ("\"ü\\ud83d\"", "\"ü\\ufffd\""),
        ] {
            let made = compact(json).map(|json| json.get().to_owned());
            assert_eq!(made.as_deref(), Some(compacted), "{json}");
        }
        for broken in ["", "\"", "\"\\", "{", "nul"] {
            assert!(compact(broken).is_none(), "{broken}");
        }
        assert!(
            arguments("7").0.is_none(),
            "a text that looks like a number"
        );
        assert!(arguments(" {} ").0.is_some());
    }

    #[test]
    fn a_uuid_has_five_groups() {
        assert!(is_uuid("7d9f0c52-0000-4000-8000-00000000A001"));
        assert!(!is_uuid("7d9f0c52-0000-4000-8000-00000000a00x"));
        assert!(!is_uuid("test_session"));
    }
}
