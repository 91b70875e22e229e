//! Knows a line of a Harn tape as a whole, before it is known what it holds: its `type`, and that all of it is JSON
//! that Harn reads.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use crate::formats::json::Str;

/// The `type` of a line. Reading it reads every value of the line, those of unknown keys too: like Harn, it refuses
/// half a surrogate pair, a number that no 64 bits hold, and nesting that is too deep, wherever they are.
#[derive(Debug, Default)]
pub(super) struct Tag<'a>(pub(super) Option<Str<'a>>);

impl<'de: 'a, 'a> Deserialize<'de> for Tag<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TagVisitor;

        impl<'de> Visitor<'de> for TagVisitor {
            type Value = Tag<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Tag<'de>, A::Error> {
                let mut tag = Tag::default();
                while let Some(key) = map.next_key::<Str<'de>>()? {
                    if &*key == "type" {
                        tag.0 = Some(map.next_value()?);
                    } else {
                        map.next_value::<Value>()?;
                    }
                }
                Ok(tag)
            }
        }

        deserializer.deserialize_map(TagVisitor)
    }
}

/// A value that is read and forgotten.
struct Value;

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ValueVisitor;

        impl<'de> Visitor<'de> for ValueVisitor {
            type Value = Value;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("any JSON value")
            }

            fn visit_unit<E>(self) -> Result<Value, E> {
                Ok(Value)
            }

            fn visit_bool<E>(self, _: bool) -> Result<Value, E> {
                Ok(Value)
            }

            fn visit_u64<E>(self, _: u64) -> Result<Value, E> {
                Ok(Value)
            }

            fn visit_i64<E>(self, _: i64) -> Result<Value, E> {
                Ok(Value)
            }

            fn visit_f64<E>(self, _: f64) -> Result<Value, E> {
                Ok(Value)
            }

            fn visit_str<E>(self, _: &str) -> Result<Value, E> {
                Ok(Value)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
                while seq.next_element::<Value>()?.is_some() {}
                Ok(Value)
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
                while map.next_entry::<Str<'de>, Value>()?.is_some() {}
                Ok(Value)
            }
        }

        deserializer.deserialize_any(ValueVisitor)
    }
}
