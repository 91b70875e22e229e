//! Rewrites `serde_json` errors in plain words: the value found, and the one expected.

use std::borrow::Cow;

use base::diagnostics::text::reason as reason_of_text;

use super::json::{JsonKind, Node};

/// An error of `serde_json`, without the position, which the diagnostic already has.
pub fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let sentence = text
        .rsplit_once(" at line ")
        .map_or(text.as_str(), |(sentence, _)| sentence);
    reason_of_text(&plain(sentence))
}

/// The type of a JSON line with its article; `None` if it is an object.
pub fn not_an_object(line: &str) -> Option<&'static str> {
    if line.trim_ascii_start().starts_with('{') {
        return None;
    }
    let kind = Node::parse(line).ok()?.kind();
    (kind != JsonKind::Object).then(|| kind.described())
}

fn plain(sentence: &str) -> Cow<'_, str> {
    let mismatch = ["invalid type: ", "invalid value: "]
        .iter()
        .find_map(|prefix| sentence.strip_prefix(prefix))
        .and_then(|rest| rest.rsplit_once(", expected "));
    if let Some((found, expected)) = mismatch {
        return Cow::Owned(format!(
            "{} instead of {}",
            what_is(found),
            what_was_expected(expected)
        ));
    }
    // Derived types also read an array, value by value.
    if sentence.starts_with("invalid length ") && sentence.contains(", expected struct ") {
        return Cow::Borrowed("an array instead of an object");
    }
    Cow::Borrowed(match sentence {
        "EOF while parsing a list" => "it ends within an array",
        "EOF while parsing an object" => "it ends within an object",
        "EOF while parsing a string" => "it ends within a string",
        "EOF while parsing a value" => "it ends where a value is expected",
        "expected ident" => "a word that is not `true`, `false` or `null`",
        "expected value" => "an invalid value",
        "invalid escape" => "an invalid escape",
        "invalid unicode code point" => "a `\\u` escape of an invalid character",
        "lone leading surrogate in hex escape" | "unexpected end of hex escape" => {
            "a `\\u` escape that is half of a pair"
        }
        "number out of range" => "a number that is too large",
        "recursion limit exceeded" => "it is nested too deeply",
        "trailing characters" => "more text after the value",
        other => other,
    })
}

fn what_is(found: &str) -> Cow<'_, str> {
    let number = ["integer ", "floating point "]
        .iter()
        .find_map(|prefix| found.strip_prefix(prefix));
    match found {
        _ if number.is_some() => Cow::Owned(format!("the number {}", number.unwrap_or_default())),
        "map" => "an object".into(),
        "sequence" => "an array".into(),
        other if other.starts_with("string ") => "a string".into(),
        other => other.strip_prefix("boolean ").unwrap_or(other).into(),
    }
}

fn what_was_expected(expected: &str) -> &str {
    match expected {
        "i8" | "i16" | "i32" | "i64" => "a whole number",
        "u8" | "u16" | "u64" | "usize" => "a whole number that is not negative",
        "u32" => "a whole number from 0 to 4294967295",
        "f32" | "f64" => "a number",
        "a sequence" => "an array",
        "a map" => "an object",
        "variant identifier" | "string or map" => "a string",
        other
            if ["struct ", "internally tagged enum "]
                .iter()
                .any(|start| other.starts_with(start)) =>
        {
            "an object"
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use crate::jsonl;

    #[derive(Debug, Deserialize)]
    #[allow(dead_code, reason = "only read")]
    struct Fields {
        whole: Option<i64>,
        size: Option<u64>,
        small: Option<u32>,
        text: Option<String>,
        number: Option<f64>,
        list: Option<Vec<bool>>,
        inner: Option<Box<Fields>>,
    }

    #[test]
    fn no_word_of_a_program_is_left_in_a_reason() {
        for (line, expected) in [
            (
                r#"{"whole": "1, expected x"}"#,
                "a string instead of a whole number",
            ),
            (
                r#"{"whole": 1.5}"#,
                "the number `1.5` instead of a whole number",
            ),
            (
                r#"{"size": -1}"#,
                "the number `-1` instead of a whole number that is not negative",
            ),
            (
                r#"{"small": 4294967296}"#,
                "the number `4294967296` instead of a whole number from 0 to 4294967295",
            ),
            (r#"{"text": [1]}"#, "an array instead of a string"),
            (r#"{"number": true}"#, "`true` instead of a number"),
            (r#"{"list": {}}"#, "an object instead of an array"),
            (r#"{"list": [null]}"#, "null instead of a boolean"),
            (r#"{"inner": 1}"#, "the number `1` instead of an object"),
            (r#"{"inner": []}"#, "an array instead of an object"),
            ("[1]", "an array instead of an object"),
            (r#"[1, 2, 3, "x"]"#, "an array instead of an object"),
            ("3", "a number instead of an object"),
            (
                r#"{"text": "\ud800"}"#,
                "a `\\u` escape that is half of a pair",
            ),
            (
                r#"{"text": "\ud800\n"}"#,
                "a `\\u` escape that is half of a pair",
            ),
            (r#"{"text": "\q"}"#, "an invalid escape"),
            (r#"{"text": "x"#, "it ends within a string"),
            (r#"{"text""#, "it ends within an object"),
            (r#"{"list": [true"#, "it ends within an array"),
            (r#"{"text": "#, "it ends where a value is expected"),
            (
                r#"{"text": nul}"#,
                "a word that is not `true`, `false` or `null`",
            ),
            (r#"{"text": x}"#, "an invalid value"),
            ("{} {}", "more text after the value"),
            (r#"{"number": 1e999}"#, "a number that is too large"),
        ] {
            let mut lines = jsonl::lines(line.as_bytes());
            let line = lines.next().expect("a line");
            let fault = line.object::<Fields>("f").expect_err(&line.text);
            assert_eq!(fault.reason(), expected, "{}", line.text);
        }
    }
}
