//! JSON of logs that promise nothing: a value of another type than expected is absent, so that one odd value loses
//! nothing beside it.

use std::borrow::Cow;
use std::ops::Deref;

use memchr::memmem;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::formats::json::{Node, Str};
use crate::formats::portable::with_whole_pairs;

use crate::diagnostics::codes::{IMPORT_INVALID_FILE, IMPORT_UNREADABLE_ENTRY};

pub(super) use super::lenient::compact;
use super::{Problem, problem};

/// A value that is absent when it is of another type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Maybe<T>(pub Option<T>);

impl<T> Default for Maybe<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> Deref for Maybe<T> {
    type Target = Option<T>;

    fn deref(&self) -> &Option<T> {
        &self.0
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Maybe<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&'de RawValue>::deserialize(deserializer)?;
        Ok(Self(serde_json::from_str(raw.get()).ok()))
    }
}

/// The values of a list, each unread; empty when it is no list.
pub type List<'a> = Maybe<Vec<&'a RawValue>>;

impl<'a> List<'a> {
    /// The values.
    pub fn items(&self) -> &[&'a RawValue] {
        self.as_deref().unwrap_or_default()
    }
}

impl Maybe<Str<'_>> {
    /// The text, empty when there is none.
    pub fn text(&self) -> &str {
        self.as_ref().map_or("", |text| &**text)
    }

    /// The text, when there is one that is not empty.
    pub fn named(&self) -> Option<String> {
        let text = self.as_ref()?;
        (!text.is_empty()).then(|| text.to_string())
    }
}

/// A value that is written as text or as a number, such as an id.
pub fn word(raw: Option<&RawValue>) -> Option<String> {
    let raw = raw?.get();
    if raw.starts_with('"') {
        return Node::parse(raw).ok()?.as_str().map(Cow::into_owned);
    }
    let first = raw.as_bytes().first()?;
    (first.is_ascii_digit() || *first == b'-').then(|| raw.to_owned())
}

/// Reads a part of a document; what cannot be read is as if it was empty.
pub fn part<'a, T: Deserialize<'a> + Default>(raw: &'a RawValue) -> T {
    serde_json::from_str(raw.get()).unwrap_or_default()
}

/// Arguments of a call that are written as JSON in a string: the JSON, or else the text.
pub fn arguments(text: &str) -> (Option<Box<RawValue>>, Option<String>) {
    let text = text.trim();
    if text.is_empty() {
        return (None, None);
    }
    match compact(text) {
        Some(json) => (Some(json), None),
        None => (None, Some(text.to_owned())),
    }
}

/// JSON of a value that was made here.
pub fn json(value: &serde_json::Value) -> Option<Box<RawValue>> {
    serde_json::value::to_raw_value(value).ok()
}

/// An object without some of its members and without those that are null.
pub fn without(raw: &RawValue, left_out: &[&str]) -> Option<Box<RawValue>> {
    let node = Node::parse(raw.get()).ok()?;
    let mut object = String::from("{");
    for member in node.members() {
        if member.value.raw == "null" || left_out.contains(&member.key.as_ref()) {
            continue;
        }
        if object.len() > 1 {
            object.push(',');
        }
        object.push_str(&serde_json::to_string(&member.key).ok()?);
        object.push(':');
        object.push_str(member.value.raw);
    }
    object.push('}');
    compact(&object)
}

const AS_WRITTEN: &str = "Import the log as its program wrote it.";

/// The text of a file or a member, as readers of JSON want it: without a byte order mark, with U+FFFD instead of half a
/// surrogate pair, and with null instead of numbers that JSON does not have.
///
/// # Errors
/// It is not UTF-8.
pub fn text<'a>(file: &str, bytes: &'a [u8]) -> Result<Cow<'a, str>, Problem> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let text = std::str::from_utf8(bytes).map_err(|_| {
        problem(
            &IMPORT_INVALID_FILE,
            file,
            "The file is not UTF-8",
            AS_WRITTEN,
        )
    })?;
    let has = |part: &[u8]| memmem::find(bytes, part).is_some();
    let text = if has(b"\\ud") || has(b"\\uD") {
        with_whole_pairs(text)
    } else {
        Cow::Borrowed(text)
    };
    if has(b"NaN") || has(b"Infinity") {
        return Ok(Cow::Owned(with_numbers(&text)));
    }
    Ok(text)
}

/// Python writes `NaN`, `Infinity` and `-Infinity`: they become null.
fn with_numbers(mut rest: &str) -> String {
    let mut out = String::with_capacity(rest.len());
    let mut inside = false;
    while let Some(at) = rest.find(['"', '\\', 'N', 'I', '-']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let words = ["NaN", "Infinity", "-Infinity"];
        let word = words
            .iter()
            .find(|word| !inside && rest.starts_with(**word));
        // An escaped character may be of several bytes.
        let escaped = || rest.chars().take(2).map(char::len_utf8).sum();
        let length = match word {
            Some(word) => word.len(),
            None if rest.starts_with('\\') => escaped(),
            None => 1,
        };
        inside ^= rest.starts_with('"');
        out.push_str(word.map_or(&rest[..length], |_| "null"));
        rest = &rest[length..];
    }
    out.push_str(rest);
    out
}

/// Reads a whole document.
///
/// # Errors
/// It is not JSON, or not of the type that every log of the format is of.
pub fn document<'a, T: Deserialize<'a>>(file: &str, text: &'a str) -> Result<T, Problem> {
    serde_json::from_str(text).map_err(|error| {
        let (message, help) = if error.is_eof() {
            let message = "The file ends in the middle of its JSON".to_owned();
            (
                message,
                "Import the log again once it is written to its end.",
            )
        } else {
            (format!("The file cannot be read: {error}"), AS_WRITTEN)
        };
        let mut problem = problem(&IMPORT_INVALID_FILE, file, message, help);
        problem.place.line = u32::try_from(error.line()).ok();
        problem
    })
}

/// A part that could not be read, and where it is.
pub fn odd(file: &str, pointer: &str, what: &str) -> Problem {
    let message = format!("`{pointer}` is not {what}");
    let help = "The rest of the log is imported without it.";
    let mut problem = problem(&IMPORT_UNREADABLE_ENTRY, file, message, help);
    problem.place.pointer = Some(pointer.to_owned());
    problem
}

/// What a message says, in one text, and how many pictures were beside it.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Content {
    /// Its texts, one under the other.
    pub text: String,
    /// Pictures and other media that were left out.
    pub images: u64,
}

impl Content {
    /// Reads what APIs of models call content: a text, or a list of parts.
    pub fn of(raw: Option<&RawValue>) -> Self {
        let mut content = Self::default();
        let Some(raw) = raw else { return content };
        if let Ok(parts) = serde_json::from_str::<Vec<&RawValue>>(raw.get()) {
            for part in parts {
                content.add(part);
            }
        } else {
            content.add(raw);
        }
        content
    }

    /// Adds a text beneath the others.
    pub fn line(&mut self, text: &str) {
        if !(self.text.is_empty() || self.text.ends_with('\n')) {
            self.text.push('\n');
        }
        self.text.push_str(text);
    }

    fn add(&mut self, raw: &RawValue) {
        #[derive(Deserialize, Default)]
        #[serde(default)]
        struct Part<'a> {
            #[serde(borrow, rename = "type")]
            kind: Maybe<Str<'a>>,
            text: Maybe<Str<'a>>,
            image_urls: List<'a>,
        }
        if let Some(text) = Str::parse(raw.get()) {
            self.line(&text);
            return;
        }
        let part: Part<'_> = self::part(raw);
        if let Some(text) = part.text.as_ref() {
            self.line(text);
        } else if ["image", "audio", "video", "file", "document"]
            .iter()
            .any(|media| part.kind.text().contains(media))
        {
            self.images += part.image_urls.items().len().max(1) as u64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_of_another_type_loses_nothing_beside_it() {
        #[derive(Deserialize, Default)]
        #[serde(default)]
        struct Row<'a> {
            #[serde(borrow)]
            name: Maybe<Str<'a>>,
            count: Maybe<u64>,
            rows: List<'a>,
        }
        let row: Row<'_> = serde_json::from_str(r#"{"name":7,"count":3,"rows":{},"more":[1]}"#)
            .expect("it is an object");
        assert_eq!((row.name.text(), *row.count), ("", Some(3)));
        assert_eq!(row.rows.items().len(), 0);
        let row: Row<'_> = serde_json::from_str(r#"{"name":"a","count":-3,"rows":[1,"x"]}"#)
            .expect("it is an object");
        assert_eq!((row.name.text(), *row.count), ("a", None));
        assert_eq!(row.rows.items().len(), 2);
    }

    #[test]
    fn content_is_a_text_or_parts_and_pictures_in_it_are_counted() {
        let content = |json: &str| {
            let raw: &RawValue = serde_json::from_str(json).expect("JSON");
            let content = Content::of(Some(raw));
            (content.text, content.images)
        };
        assert_eq!(content(r#""one""#), ("one".to_owned(), 0));
        let parts = r#"["one",{"type":"text","text":"two"},{"type":"image_url","image_url":{}},7]"#;
        assert_eq!(content(parts), ("one\ntwo".to_owned(), 1));
        let images = r#"[{"type":"image","image_urls":["a","b"]}]"#;
        assert_eq!(content(images), (String::new(), 2));
        assert_eq!(content("null"), (String::new(), 0));
    }

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
        let raw: &RawValue =
            serde_json::from_str(r#"{"a":1,"b":null,"c\"":[2],"d":3}"#).expect("JSON");
        assert_eq!(
            without(raw, &["a"]).expect("JSON").get(),
            r#"{"c\"":[2],"d":3}"#
        );
    }
}
