//! Lenient values for undocumented formats: a value of an unexpected type is absent, and unknown keys are ignored.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

use serde::de::value::MapAccessDeserializer;
use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::formats::json::Str;

/// A scalar that is absent if its type is unexpected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Maybe<T>(pub Option<T>);

/// A string.
pub type Text<'a> = Maybe<Str<'a>>;
/// `true` or `false`.
pub type Flag = Maybe<bool>;
/// A non-negative integer.
pub type Count = Maybe<u64>;
/// A number.
pub type Number = Maybe<f64>;

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

impl<'de, T: OfScalar<'de>> Deserialize<'de> for Maybe<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Scalar::deserialize(deserializer).map(|value| Self(T::of(value)))
    }
}

/// A type that can be read from a scalar.
pub trait OfScalar<'a>: Sized {
    /// The value, if its type matches.
    fn of(value: Scalar<'a>) -> Option<Self>;
}

impl<'de: 'a, 'a> OfScalar<'de> for Str<'a> {
    fn of(value: Scalar<'de>) -> Option<Self> {
        match value {
            Scalar::Text(text) => Some(Self(text)),
            _ => None,
        }
    }
}

impl OfScalar<'_> for String {
    fn of(value: Scalar<'_>) -> Option<Self> {
        Str::of(value).map(|text| text.into_inner().into_owned())
    }
}

impl OfScalar<'_> for bool {
    fn of(value: Scalar<'_>) -> Option<Self> {
        match value {
            Scalar::Bool(value) => Some(value),
            _ => None,
        }
    }
}

impl OfScalar<'_> for i64 {
    fn of(value: Scalar<'_>) -> Option<Self> {
        // Above this, a float cannot represent every integer.
        const EXACT: f64 = 9_007_199_254_740_992.0;
        match value {
            Scalar::Integer(value) => Some(value),
            Scalar::Number(value) if value.fract() == 0.0 && value.abs() < EXACT => {
                format!("{value:.0}").parse().ok()
            }
            _ => None,
        }
    }
}

impl OfScalar<'_> for u64 {
    fn of(value: Scalar<'_>) -> Option<Self> {
        i64::of(value).and_then(|count| Self::try_from(count).ok())
    }
}

impl OfScalar<'_> for f64 {
    #[allow(
        clippy::cast_precision_loss,
        reason = "it is an amount of money or of seconds"
    )]
    fn of(value: Scalar<'_>) -> Option<Self> {
        match value {
            Scalar::Integer(value) => Some(value as Self),
            Scalar::Number(value) => Some(value),
            _ => None,
        }
    }
}

impl Text<'_> {
    /// The text; empty if absent.
    pub fn text(&self) -> &str {
        self.as_deref().unwrap_or_default()
    }

    /// The text, if present and not empty.
    pub fn get(&self) -> Option<&str> {
        self.as_deref().filter(|text| !text.is_empty())
    }

    /// The text as an owned string, if present and not empty.
    pub fn named(&self) -> Option<String> {
        self.get().map(str::to_owned)
    }
}

impl Flag {
    /// Whether it is `true`.
    pub fn is_set(self) -> bool {
        self.0 == Some(true)
    }
}

/// A value that is parsed separately, and absent if it cannot be parsed for any reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Apart<T>(pub Option<T>);

impl<T> Default for Apart<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> Deref for Apart<T> {
    type Target = Option<T>;

    fn deref(&self) -> &Option<T> {
        &self.0
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Apart<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&'de RawValue>::deserialize(deserializer)?;
        Ok(Self(serde_json::from_str(raw.get()).ok()))
    }
}

/// The raw values of a list; empty if it is not a list.
pub type Items<'a> = Apart<Vec<&'a RawValue>>;

impl<'a> Items<'a> {
    /// The values.
    pub fn items(&self) -> &[&'a RawValue] {
        self.as_deref().unwrap_or_default()
    }
}

/// A value of any type, without nested values.
pub enum Scalar<'a> {
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

/// A string, an object, or an array of both.
#[derive(Debug, Default)]
pub enum Content<'a, T> {
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

#[derive(Debug, Clone, Copy)]
pub struct Object<T>(pub Option<T>);

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

/// The objects of an array; other items are ignored.
#[derive(Debug)]
pub struct List<T>(pub Vec<T>);

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_of_another_type_loses_nothing_beside_it() {
        #[derive(Deserialize, Default)]
        #[serde(default)]
        struct Row<'a> {
            #[serde(borrow)]
            name: Text<'a>,
            count: Count,
            rows: Items<'a>,
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
}
