//! Changes to transcripts by a tool call of a Harn tape. As in Harn, these types reject unknown keys.

use std::collections::BTreeMap;
use std::fmt;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Number, Value};

use crate::private::{is_reasoning, marks_reasoning};

/// A change of a transcript.
#[derive(Debug, serde::Deserialize, serde::Serialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "a transcript change is an object with `session_id`, either `fields` or `lifecycle`, and nothing else"
)]
#[schemars(rename = "Change")]
pub enum TranscriptChange {
    /// Fields of a transcript were changed.
    Fields(FieldsChange),
    /// A transcript was opened or closed.
    Lifecycle(LifecycleChange),
}

/// Fields of a transcript that were changed.
#[derive(Debug, serde::Deserialize, serde::Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FieldsChange {
    /// The session of the transcript.
    pub session_id: String,
    /// Each field that was changed.
    pub fields: BTreeMap<String, FieldChange>,
}

/// A transcript that was opened or closed.
#[derive(Debug, serde::Deserialize, serde::Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LifecycleChange {
    /// The session of the transcript.
    pub session_id: String,
    /// `opened` or `closed`.
    pub lifecycle: Lifecycle,
}

/// How a field of a transcript was changed.
#[derive(Debug, serde::Deserialize, serde::Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = describe)]
pub enum FieldChange {
    /// The new value.
    Set(#[schemars(with = "serde_json::Value")] OrderedValue),
    /// Items appended to a list.
    Append(#[schemars(with = "Vec<serde_json::Value>")] Vec<OrderedValue>),
    /// It was removed.
    Remove,
}

/// Whether a transcript was opened or closed.
#[derive(Debug, serde::Deserialize, serde::Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Lifecycle {
    /// It was opened.
    Opened(OpenedTranscript),
    /// It was closed.
    Closed(ClosedTranscript),
}

/// A transcript that was opened.
#[derive(Debug, serde::Deserialize, serde::Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Opened")]
pub struct OpenedTranscript {
    /// `opened`
    pub kind: OpenedTag,
    /// The transcript.
    #[schemars(with = "serde_json::Value")]
    pub transcript: OrderedValue,
}

/// A transcript that was closed.
#[derive(Debug, serde::Deserialize, serde::Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Closed")]
pub struct ClosedTranscript {
    /// `closed`
    pub kind: ClosedTag,
}

/// Marks an opened transcript.
#[derive(Debug, serde::Deserialize, serde::Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum OpenedTag {
    /// Opened.
    Opened,
}

/// Marks a closed transcript.
#[derive(Debug, serde::Deserialize, serde::Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ClosedTag {
    /// Closed.
    Closed,
}

/// Gives each key the description of its change.
fn describe(schema: &mut schemars::Schema) {
    let Some(Value::Array(variants)) = schema.get_mut("oneOf") else {
        return;
    };
    for variant in variants {
        let words = variant.get("description").cloned();
        let keys = variant.get_mut("properties").and_then(Value::as_object_mut);
        for property in keys.into_iter().flat_map(serde_json::Map::values_mut) {
            let mut described = std::mem::take(property);
            if described == Value::Bool(true) {
                described = Value::Object(serde_json::Map::new());
            }
            if let (Some(keys), Some(words)) = (described.as_object_mut(), &words) {
                keys.insert("description".to_owned(), words.clone());
            }
            *property = described;
        }
    }
}

impl TranscriptChange {
    /// Sorts the keys of all values. Returns whether any moved.
    pub(super) fn sort(&mut self) -> bool {
        let mut values: Vec<&mut OrderedValue> = match self {
            Self::Fields(change) => change.fields.values_mut().flat_map(values).collect(),
            Self::Lifecycle(LifecycleChange {
                lifecycle: Lifecycle::Opened(opened),
                ..
            }) => vec![&mut opened.transcript],
            Self::Lifecycle(_) => Vec::new(),
        };
        values
            .iter_mut()
            .fold(false, |changed, value| value.sort() | changed)
    }
}

fn values(change: &mut FieldChange) -> Vec<&mut OrderedValue> {
    match change {
        FieldChange::Set(value) => vec![value],
        FieldChange::Append(items) => items.iter_mut().collect(),
        FieldChange::Remove => Vec::new(),
    }
}

/// A JSON value whose objects keep the order of their keys. The feature `preserve_order` of `serde_json` would do that too, but in
/// the whole program, and schemas are published with sorted keys.
#[derive(Debug, serde::Serialize)]
#[serde(untagged)]
pub enum OrderedValue {
    Null,
    Bool(bool),
    Number(Number),
    String(String),
    Array(Vec<OrderedValue>),
    Object(IndexMap<String, OrderedValue>),
}

/// Placeholder for a model's thinking.
pub(super) const THINKING: &str = "<thinking, not shown>";

/// Whether a member of an object marks the object as reasoning.
fn is_thought((key, value): (&String, &OrderedValue)) -> bool {
    match value {
        OrderedValue::String(word) => marks_reasoning(key, Some(word), None),
        OrderedValue::Bool(mark) => marks_reasoning(key, None, Some(*mark)),
        _ => false,
    }
}

impl OrderedValue {
    /// Replaces thinking at any depth. Returns whether it found any.
    pub(super) fn withhold(&mut self) -> bool {
        match self {
            Self::Array(items) => items
                .iter_mut()
                .fold(false, |changed, item| item.withhold() | changed),
            Self::Object(members) if members.iter().any(is_thought) => {
                *self = Self::String(THINKING.to_owned());
                true
            }
            Self::Object(members) => members.iter_mut().fold(false, |changed, (key, value)| {
                let has_words = matches!(value, Self::String(text) if !text.is_empty())
                    || matches!(value, Self::Array(_) | Self::Object(_));
                if has_words && is_reasoning(key) {
                    *value = Self::String(THINKING.to_owned());
                    return true;
                }
                value.withhold() | changed
            }),
            _ => false,
        }
    }

    fn sort(&mut self) -> bool {
        match self {
            Self::Array(items) => items
                .iter_mut()
                .fold(false, |changed, item| item.sort() | changed),
            Self::Object(members) => {
                let moves = !members.keys().is_sorted();
                members.sort_unstable_keys();
                members
                    .values_mut()
                    .fold(moves, |changed, value| value.sort() | changed)
            }
            _ => false,
        }
    }
}

impl<'de> Deserialize<'de> for OrderedValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OrderedVisitor;

        impl<'de> Visitor<'de> for OrderedVisitor {
            type Value = OrderedValue;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("any JSON value")
            }

            fn visit_unit<E>(self) -> Result<OrderedValue, E> {
                Ok(OrderedValue::Null)
            }

            fn visit_bool<E>(self, value: bool) -> Result<OrderedValue, E> {
                Ok(OrderedValue::Bool(value))
            }

            fn visit_u64<E>(self, value: u64) -> Result<OrderedValue, E> {
                Ok(OrderedValue::Number(value.into()))
            }

            fn visit_i64<E>(self, value: i64) -> Result<OrderedValue, E> {
                Ok(OrderedValue::Number(value.into()))
            }

            fn visit_f64<E: Error>(self, value: f64) -> Result<OrderedValue, E> {
                Number::from_f64(value)
                    .map(OrderedValue::Number)
                    .ok_or_else(|| E::custom("number out of range"))
            }

            fn visit_str<E>(self, value: &str) -> Result<OrderedValue, E> {
                Ok(OrderedValue::String(value.to_owned()))
            }

            fn visit_string<E>(self, value: String) -> Result<OrderedValue, E> {
                Ok(OrderedValue::String(value))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<OrderedValue, A::Error> {
                let mut items = Vec::new();
                while let Some(item) = seq.next_element()? {
                    items.push(item);
                }
                Ok(OrderedValue::Array(items))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<OrderedValue, A::Error> {
                let mut members = IndexMap::new();
                while let Some((key, value)) = map.next_entry()? {
                    // As in `serde_json`, a duplicate key has the first position and the last value.
                    members.insert(key, value);
                }
                Ok(OrderedValue::Object(members))
            }
        }

        deserializer.deserialize_any(OrderedVisitor)
    }
}

pub fn json(changes: &[TranscriptChange]) -> String {
    // Serializing plain data into memory cannot fail.
    serde_json::to_string(changes).unwrap_or_default()
}
