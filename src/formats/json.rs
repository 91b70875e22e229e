//! JSON as text: every value keeps its characters and its offset in the document.
//!
//! `serde_json` does the parsing, one level at a time. Numbers stay as written, duplicate keys are visible, and every problem has
//! a place.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;

use schemars::JsonSchema;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use base::diagnostics::{Place, Source};

use super::portable::with_replaced_surrogates;

/// A string that is borrowed from the document unless it holds an escape.
#[derive(
    Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize, JsonSchema,
)]
#[serde(transparent)]
#[schemars(inline, description = "A string.")]
pub struct Str<'a>(#[serde(borrow)] pub Cow<'a, str>);

impl<'a> Str<'a> {
    /// The string that `json` consists of; `None` if it is not a string.
    pub fn parse(json: &'a str) -> Option<Self> {
        serde_json::from_str(json).ok()
    }

    /// The text.
    pub fn into_inner(self) -> Cow<'a, str> {
        self.0
    }
}

impl std::ops::Deref for Str<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

/// The type of a JSON value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonKind {
    /// `null`
    Null,
    /// `true` or `false`
    Bool,
    Number,
    String,
    Array,
    Object,
}

impl JsonKind {
    /// The kind with its article, for messages.
    pub const fn described(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool => "a boolean",
            Self::Number => "a number",
            Self::String => "a string",
            Self::Array => "an array",
            Self::Object => "an object",
        }
    }
}

/// A value of a document: its characters as written, and its offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Node<'a> {
    /// The characters of the value.
    pub raw: &'a str,
    /// Byte offset in the document.
    pub offset: usize,
}

/// A member of an object.
#[derive(Debug, Clone)]
pub struct Member<'a> {
    /// The key, with escapes resolved.
    pub key: Cow<'a, str>,
    pub value: Node<'a>,
}

impl<'a> Node<'a> {
    /// The outermost value of the document.
    ///
    /// # Errors
    /// Text that is not one JSON value, with line and column.
    pub fn parse(text: &'a str) -> serde_json::Result<Self> {
        let raw: &RawValue = serde_json::from_str(text)?;
        Ok(Self {
            raw: raw.get(),
            offset: raw.get().as_ptr().addr() - text.as_ptr().addr(),
        })
    }

    /// The kind of the value.
    pub fn kind(&self) -> JsonKind {
        match self.raw.as_bytes().first() {
            Some(b'{') => JsonKind::Object,
            Some(b'[') => JsonKind::Array,
            Some(b'"') => JsonKind::String,
            Some(b't' | b'f') => JsonKind::Bool,
            Some(b'n') => JsonKind::Null,
            _ => JsonKind::Number,
        }
    }

    /// The members of an object, in order, including duplicates; empty for anything else. A lone surrogate in a key becomes
    /// U+FFFD.
    pub fn members(&self) -> Vec<Member<'a>> {
        if let Some(members) = self.strict_members() {
            return members;
        }
        if self.kind() != JsonKind::Object {
            return Vec::new();
        }
        // The text has the same length, so offsets in it are valid here.
        let text = with_replaced_surrogates(self.raw);
        let Ok(Members(members)) = serde_json::from_str(&text) else {
            return Vec::new();
        };
        members
            .into_iter()
            .map(|(key, raw)| {
                let start = raw.get().as_ptr().addr() - text.as_ptr().addr();
                Member {
                    key: Cow::Owned(key.0.into_owned()),
                    value: Node {
                        raw: &self.raw[start..start + raw.get().len()],
                        offset: self.offset + start,
                    },
                }
            })
            .collect()
    }

    /// The members of an object; `None` for anything else, or if a key has a lone surrogate, which readers in Rust reject.
    pub fn strict_members(&self) -> Option<Vec<Member<'a>>> {
        let Members(members) = serde_json::from_str(self.raw).ok()?;
        let members = members.into_iter().map(|(key, raw)| Member {
            key: key.0,
            value: self.child(raw),
        });
        Some(members.collect())
    }

    /// The items of an array; empty for anything else.
    pub fn items(&self) -> Vec<Node<'a>> {
        let items: Vec<&RawValue> = serde_json::from_str(self.raw).unwrap_or_default();
        items.into_iter().map(|raw| self.child(raw)).collect()
    }

    /// The text of a string. A lone surrogate becomes U+FFFD.
    pub fn as_str(&self) -> Option<Cow<'a, str>> {
        if self.kind() != JsonKind::String {
            return None;
        }
        self.strict_str().or_else(|| {
            Some(Cow::Owned(
                serde_json::from_str(&with_replaced_surrogates(self.raw)).ok()?,
            ))
        })
    }

    /// The text of a string; `None` if it has a lone surrogate.
    pub fn strict_str(&self) -> Option<Cow<'a, str>> {
        serde_json::from_str(self.raw).map(Str::into_inner).ok()
    }

    /// The value of `true` or `false`.
    pub fn as_bool(&self) -> Option<bool> {
        serde_json::from_str(self.raw).ok()
    }

    /// The value of a non-negative integer in any notation: `12`, `12.0` and `1.2e1` are equal.
    pub fn as_u64(&self) -> Option<u64> {
        // Beyond this, a float cannot represent every integer.
        const EXACT: f64 = 9_007_199_254_740_992.0;
        serde_json::from_str(self.raw).ok().or_else(|| {
            let value = self.as_f64()?;
            let whole = value.fract() == 0.0 && (0.0..=EXACT).contains(&value);
            whole.then(|| format!("{:.0}", value.abs()).parse().ok())?
        })
    }

    /// The value of a number; infinite if out of range for 64 bits.
    pub fn as_f64(&self) -> Option<f64> {
        (self.kind() == JsonKind::Number)
            .then(|| self.raw.parse().ok())
            .flatten()
    }

    /// The value under `key`, if this is an object that has it. Of duplicates the last one counts, as in JSON readers.
    pub fn get(&self, key: &str) -> Option<Node<'a>> {
        last(&self.members(), key)
    }

    /// The string under `key`.
    pub fn get_str(&self, key: &str) -> Option<Cow<'a, str>> {
        self.get(key)?.as_str()
    }

    /// The value at a JSON pointer.
    pub fn find(&self, pointer: &str) -> Option<Node<'a>> {
        pointer.split('/').skip(1).try_fold(*self, |node, part| {
            let part = part.replace("~1", "/").replace("~0", "~");
            match node.kind() {
                JsonKind::Array => node.items().get(part.parse::<usize>().ok()?).copied(),
                _ => node.get(&part),
            }
        })
    }

    /// Its first character, to mark a value that is too long or too private to show.
    pub fn start(self) -> Node<'a> {
        Node {
            raw: &self.raw[..1],
            ..self
        }
    }

    /// Its place in the document `source`.
    pub fn place(&self, source: &Source<'_>) -> Place {
        source.place(self.offset, self.offset + self.raw.len())
    }

    fn child(&self, raw: &'a RawValue) -> Node<'a> {
        let raw = raw.get();
        Node {
            raw,
            offset: self.offset + (raw.as_ptr().addr() - self.raw.as_ptr().addr()),
        }
    }
}

/// The last value under a key, as JSON readers choose.
pub fn last<'a>(members: &[Member<'a>], key: &str) -> Option<Node<'a>> {
    let member = members.iter().rfind(|member| member.key == key)?;
    Some(member.value)
}

/// The place of the value at a JSON pointer, or of the whole `text` if there is none. The text is from `source`.
pub fn place(source: &Source<'_>, text: &str, pointer: &str) -> Place {
    let node = Node::parse(text).ok().and_then(|root| root.find(pointer));
    node.map_or_else(|| source.place(0, text.len()), |node| node.place(source))
        .pointing(pointer)
}

/// The place of an error in reading a `T` from a line: the invalid value with its JSON pointer, or else the place from
/// `serde_json`.
pub fn place_of_error<'a, T: Deserialize<'a>>(
    source: &Source<'_>,
    text: &'a str,
    error: &serde_json::Error,
) -> Place {
    value_of_error::<T>(text).map_or_else(
        || source.place_of(error),
        |(node, pointer)| node.place(source).pointing(pointer),
    )
}

/// The value of `text` that does not match `T`, and its JSON pointer. Parses the text a second time, but only to report a
/// problem.
fn value_of_error<'a, T: Deserialize<'a>>(text: &'a str) -> Option<(Node<'a>, String)> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let error = serde_path_to_error::deserialize::<_, T>(&mut deserializer).err()?;
    let pointer: String = error
        .path()
        .iter()
        .filter_map(|segment| match segment {
            serde_path_to_error::Segment::Seq { index } => Some(format!("/{index}")),
            serde_path_to_error::Segment::Map { key } => Some(format!("/{}", pointer_part(key))),
            _ => None,
        })
        .collect();
    let node = Node::parse(text).ok()?.find(&pointer)?;
    (!pointer.is_empty()).then_some((node, pointer))
}

pub fn pointer_part(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// The keys of a type, from its schema.
pub(crate) fn schema_keys<T: JsonSchema>() -> BTreeSet<String> {
    let schema = schemars::schema_for!(T);
    let keys = schema
        .get("properties")
        .and_then(serde_json::Value::as_object);
    keys.into_iter()
        .flatten()
        .map(|(key, _)| key.clone())
        .collect()
}

struct Members<'a>(Vec<(Str<'a>, &'a RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MembersVisitor;

        impl<'de> Visitor<'de> for MembersVisitor {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }

        deserializer.deserialize_map(MembersVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_keep_their_characters_and_offsets() {
        let text = r#" {"a": {"b/c": [1.10, "x\n"]}, "a2": 1e400}"#;
        let root = Node::parse(text).expect("valid");
        let number = root.find("/a/b~1c/0").expect("found");
        assert_eq!(number.raw, "1.10");
        assert_eq!(&text[number.offset..number.offset + 4], "1.10");
        assert_eq!(
            root.find("/a/b~1c/1").and_then(|n| n.as_str()).as_deref(),
            Some("x\n")
        );
        assert_eq!(
            root.find("/a2").and_then(|n| n.as_f64()),
            Some(f64::INFINITY)
        );
        assert_eq!(root.find("/nope"), None);
    }

    #[test]
    fn a_whole_number_is_one_however_it_is_written() {
        let whole = |text| Node::parse(text).expect("valid").as_u64();
        for (text, value) in [
            ("12", Some(12)),
            ("12.0", Some(12)),
            ("1.2e1", Some(12)),
            ("-0", Some(0)),
            ("18446744073709551615", Some(u64::MAX)),
            ("18446744073709551616", None),
            ("1.5", None),
            ("-1", None),
            ("1e999", None),
            ("\"1\"", None),
        ] {
            assert_eq!(whole(text), value, "{text}");
        }
    }

    #[test]
    fn depth_does_not_matter_until_it_is_asked_for() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(Node::parse(&deep).expect("valid").items().len(), 1);
    }
}
