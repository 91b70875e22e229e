//! Values of formats that are no contracts: a value of an unexpected type counts as absent, and unknown keys are passed over.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use memchr::memmem;
use serde::de::value::MapAccessDeserializer;
use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::formats::portable::with_whole_pairs;

/// A JSON text with U+FFFD instead of half a surrogate pair, which no string can hold.
pub(super) fn whole_pairs(json: &str) -> Cow<'_, str> {
    let bytes = json.as_bytes();
    if memmem::find(bytes, br"\ud").is_none() && memmem::find(bytes, br"\uD").is_none() {
        return Cow::Borrowed(json);
    }
    with_whole_pairs(json)
}

/// Why a text is no object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// It is another value.
    Other,
    /// It ends too early.
    Cut,
    /// It is no JSON.
    Invalid,
}

impl Fault {
    /// What is wrong, after "The line" or "The file".
    pub const fn words(self) -> &'static str {
        match self {
            Self::Other => "is not a JSON object",
            Self::Cut => "is truncated",
            Self::Invalid => "is not valid JSON",
        }
    }
}

/// Reads an object.
///
/// # Errors
/// What is wrong with the text.
pub(super) fn parse<'t, T: Deserialize<'t>>(text: &'t str) -> Result<T, Fault> {
    match serde_json::from_str::<Object<T>>(text) {
        Ok(Object(Some(value))) => Ok(value),
        Ok(Object(None)) => Err(Fault::Other),
        Err(error) if error.is_eof() => Err(Fault::Cut),
        Err(_) => Err(Fault::Invalid),
    }
}

/// A value of any type, without what is in it.
enum Scalar<'a> {
    Text(Cow<'a, str>),
    Bool(bool),
    Integer(i64),
    Number(f64),
    Other,
}

impl<'de: 'a, 'a> Deserialize<'de> for Scalar<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Scalar<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value")
            }
            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Scalar<'de>, E> {
                Ok(Scalar::Text(Cow::Borrowed(text)))
            }
            fn visit_str<E>(self, text: &str) -> Result<Scalar<'de>, E> {
                Ok(Scalar::Text(Cow::Owned(text.to_owned())))
            }
            fn visit_bool<E>(self, value: bool) -> Result<Scalar<'de>, E> {
                Ok(Scalar::Bool(value))
            }
            fn visit_i64<E>(self, value: i64) -> Result<Scalar<'de>, E> {
                Ok(Scalar::Integer(value))
            }
            fn visit_u64<E>(self, value: u64) -> Result<Scalar<'de>, E> {
                Ok(i64::try_from(value).map_or(Scalar::Other, Scalar::Integer))
            }
            fn visit_f64<E>(self, value: f64) -> Result<Scalar<'de>, E> {
                Ok(Scalar::Number(value))
            }
            fn visit_unit<E>(self) -> Result<Scalar<'de>, E> {
                Ok(Scalar::Other)
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Scalar<'de>, A::Error> {
                skip_map(map).map(|()| Scalar::Other)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Scalar<'de>, A::Error> {
                skip_seq(seq).map(|()| Scalar::Other)
            }
        }
        deserializer.deserialize_any(Any)
    }
}

fn skip_map<'de, A: MapAccess<'de>>(mut map: A) -> Result<(), A::Error> {
    while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
    Ok(())
}

fn skip_seq<'de, A: SeqAccess<'de>>(mut seq: A) -> Result<(), A::Error> {
    while seq.next_element::<IgnoredAny>()?.is_some() {}
    Ok(())
}

/// A string.
#[derive(Debug, Default, Clone)]
pub(super) struct Text<'a>(pub(super) Option<Cow<'a, str>>);

impl Text<'_> {
    /// The string, if there is one that is not empty.
    pub(super) fn get(&self) -> Option<&str> {
        self.0.as_deref().filter(|text| !text.is_empty())
    }

    /// The same as a string of its own.
    pub(super) fn owned(&self) -> Option<String> {
        self.get().map(str::to_owned)
    }

    /// The string, empty when there is none.
    pub(super) fn or_empty(&self) -> &str {
        self.0.as_deref().unwrap_or_default()
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(match Scalar::deserialize(deserializer)? {
            Scalar::Text(text) => Some(text),
            _ => None,
        }))
    }
}

/// `true` or `false`.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Flag(pub(super) Option<bool>);

impl Flag {
    /// Whether it is `true`.
    pub(super) fn is_set(self) -> bool {
        self.0 == Some(true)
    }
}

impl<'de> Deserialize<'de> for Flag {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(match Scalar::deserialize(deserializer)? {
            Scalar::Bool(value) => Some(value),
            _ => None,
        }))
    }
}

/// A whole number.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Count(pub(super) Option<i64>);

impl Count {
    /// The number, unless it is negative.
    pub(super) fn get(self) -> Option<u64> {
        self.0.and_then(|count| u64::try_from(count).ok())
    }
}

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // Beyond it a float does not tell neighbors apart.
        const EXACT: f64 = 9_007_199_254_740_992.0;
        Ok(Self(match Scalar::deserialize(deserializer)? {
            Scalar::Integer(value) => Some(value),
            Scalar::Number(value) if value.fract() == 0.0 && value.abs() < EXACT => {
                format!("{value:.0}").parse().ok()
            }
            _ => None,
        }))
    }
}

/// A number.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Number(pub(super) Option<f64>);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(match Scalar::deserialize(deserializer)? {
            #[allow(
                clippy::cast_precision_loss,
                reason = "it is an amount of money or of seconds"
            )]
            Scalar::Integer(value) => Some(value as f64),
            Scalar::Number(value) => Some(value),
            _ => None,
        }))
    }
}

/// A string, an object, or an array of both.
#[derive(Debug, Default)]
pub(super) enum Content<'a, T> {
    /// Something else.
    #[default]
    Absent,
    Text(Cow<'a, str>),
    Items(Vec<Content<'a, T>>),
    Object(Box<T>),
}

impl<'de: 'a, 'a, T: Deserialize<'de>> Deserialize<'de> for Content<'a, T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Any<T> {
            type Value = Content<'de, T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value")
            }
            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Content::Text(Cow::Borrowed(text)))
            }
            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Content::Text(Cow::Owned(text.to_owned())))
            }
            fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
                Ok(Content::Absent)
            }
            fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
                Ok(Content::Absent)
            }
            fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
                Ok(Content::Absent)
            }
            fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
                Ok(Content::Absent)
            }
            fn visit_unit<E>(self) -> Result<Self::Value, E> {
                Ok(Content::Absent)
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                let object = T::deserialize(MapAccessDeserializer::new(map))?;
                Ok(Content::Object(Box::new(object)))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let mut items = Vec::new();
                while let Some(item) = seq.next_element()? {
                    items.push(item);
                }
                Ok(Content::Items(items))
            }
        }
        deserializer.deserialize_any(Any(PhantomData))
    }
}

/// An object.
#[derive(Debug, Clone, Copy)]
pub(super) struct Object<T>(pub(super) Option<T>);

impl<T> Default for Object<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(match Content::deserialize(deserializer)? {
            Content::Object(object) => Some(*object),
            _ => None,
        }))
    }
}

/// The objects of an array; other items are passed over.
#[derive(Debug)]
pub(super) struct List<T>(pub(super) Vec<T>);

impl<T> Default for List<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Content::Items(items) = Content::deserialize(deserializer)? else {
            return Ok(Self::default());
        };
        let objects = items.into_iter().filter_map(|item| match item {
            Content::Object(object) => Some(*object),
            _ => None,
        });
        Ok(Self(objects.collect()))
    }
}

/// A JSON value without white space between its tokens, so that it stays on one line. `None` for what is no JSON.
pub(super) fn compact(json: &str) -> Option<Box<RawValue>> {
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

/// Where a string ends that begins a JSON text.
fn end_of_string(text: &[u8]) -> usize {
    let mut at = 1;
    while let Some(found) = text
        .get(at..)
        .and_then(|rest| memchr::memchr2(b'"', b'\\', rest))
    {
        at += found;
        if text[at] == b'"' {
            return at + 1;
        }
        at += 2;
    }
    text.len()
}

/// The JSON value of a string of arguments, when that is an object or an array.
pub(super) fn arguments(text: &str) -> Option<Box<RawValue>> {
    text.trim_start()
        .starts_with(['{', '['])
        .then(|| compact(text))?
}

/// Seconds from one time to another, when both are times and in order.
pub(super) fn seconds_between(start: Option<&str>, end: Option<&str>) -> Option<f64> {
    let start: jiff::Timestamp = start?.parse().ok()?;
    let end: jiff::Timestamp = end?.parse().ok()?;
    let seconds = end.duration_since(start).as_secs_f64();
    (seconds >= 0.0).then_some(seconds)
}

/// Whether a text is a UUID.
pub(super) fn is_uuid(text: &str) -> bool {
    let groups: Vec<&str> = text.split('-').collect();
    groups.iter().map(|group| group.len()).eq([8, 4, 4, 4, 12])
        && groups
            .iter()
            .all(|group| group.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use super::{arguments, compact, is_uuid};

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
        assert!(arguments("7").is_none(), "a text that looks like a number");
        assert!(arguments(" {} ").is_some());
    }

    #[test]
    fn a_uuid_has_five_groups() {
        assert!(is_uuid("7d9f0c52-0000-4000-8000-00000000A001"));
        assert!(!is_uuid("7d9f0c52-0000-4000-8000-00000000a00x"));
        assert!(!is_uuid("test_session"));
    }
}
