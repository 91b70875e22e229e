//! Any document in any equivalent spelling is read as intended.

mod events;
mod raw;
mod records;
mod sidecars;
mod tapes;
mod threads;
mod transcripts;
mod writeups;

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::Value;

use crate::generate::{Dice, Fill, Json, dice, json, number, object, strict_object, text};

/// Makes documents of a schema, and notes each of their values.
#[derive(Debug)]
struct Filler {
    dice: Dice,
    texts: Vec<String>,
    numbers: Vec<String>,
    integers: Vec<u64>,
    values: Vec<Json>,
    /// Whether serde reads the document: numbers are in their ranges, and null is only where the schema allows it.
    is_typed: bool,
    /// The type of an event and its other required keys.
    event: Option<(&'static str, &'static [&'static str])>,
    notes: Notes,
}

/// The values of a document.
#[derive(Debug, Default)]
struct Notes {
    /// Each key with the debug format of its value, and how often the document has both.
    written: BTreeMap<(String, String), usize>,
    /// How many keys that may be null are absent or null.
    absent: usize,
}

fn filler(is_typed: bool) -> impl Strategy<Value = Filler> {
    // Null is the same as an absent key.
    let known = |values: Vec<Json>| values.into_iter().filter(|value| *value != Json::Null);
    let values = vec(json(), 4).prop_map(move |values| known(values).chain([Json::Bool(true)]));
    let pools = (vec(text(), 6), vec(number(), 6), vec(any::<u64>(), 6));
    (pools, values, dice()).prop_map(move |((texts, numbers, integers), values, dice)| Filler {
        dice,
        texts,
        numbers,
        integers,
        values: values.collect(),
        is_typed,
        event: None,
        notes: Notes::default(),
    })
}

/// `harnessVersion` as `harness_version`.
fn field(key: &str) -> String {
    let letters = key.chars().map(|c| match c {
        'A'..='Z' => format!("_{}", c.to_ascii_lowercase()),
        c => c.to_string(),
    });
    if key == "type" {
        "kind".to_owned()
    } else {
        letters.collect()
    }
}

/// The debug format without the types around a value, and with a comma after each value.
fn plain(debug: &str) -> String {
    let types = ["Some(", "Str(", "RawValue(", "Metadata(", ")"];
    let values = types
        .iter()
        .fold(debug.to_owned(), |text, name| text.replace(name, ""));
    values.replace(" }", ",")
}

impl Notes {
    /// Expects each value at its key in the debug format of what was read.
    fn assert_in(&self, read: &str, document: &str) {
        let debug = plain(read);
        for ((key, value), count) in &self.written {
            // A stage or a tool is a name with its number.
            let places = [
                plain(&format!(" {}: {value}", field(key))),
                plain(&format!("({key:?}, {value}")),
            ];
            let found = places.iter().map(|place| debug.matches(place).count());
            // A key that is absent may have the same value by default.
            assert!(
                found.sum::<usize>() >= *count,
                "{key} {value} in {document}: {read}"
            );
        }
    }
}

impl Filler {
    fn note(&mut self, key: &str, value: String) {
        let written = &mut self.notes.written;
        *written.entry((key.to_owned(), value)).or_default() += 1;
    }

    /// Notes a list of texts instead of each of them.
    fn note_list(&mut self, key: &str, items: &[Json]) {
        let texts = items.iter().filter_map(|item| match item {
            Json::Text(text) => Some(text),
            _ => None,
        });
        let texts: Vec<&String> = texts.collect();
        for text in &texts {
            let at = (key.to_owned(), format!("{text:?}"));
            *self.notes.written.get_mut(&at).expect("a note") -= 1;
        }
        if !texts.is_empty() {
            self.note(key, format!("{texts:?}"));
        }
    }

    fn pick<T: Clone>(dice: &mut Dice, values: &[T]) -> T {
        values[dice.roll(values.len())].clone()
    }

    /// A document of a definition of a schema, and its values.
    fn document(&mut self, schema: &Value, definition: &str) -> (Json, Notes) {
        let place = schema.pointer(definition).expect("a definition");
        let document = crate::generate::fill(schema, place, "", self);
        (document, std::mem::take(&mut self.notes))
    }

    fn flag(&mut self, key: &str) -> Json {
        let flag = self.dice.once_in(2);
        self.note(key, format!("Some({flag})"));
        Json::Bool(flag)
    }

    /// A number with the ends that a schema gives it.
    fn integer(&mut self, key: &str, schema: &Value) -> Json {
        let integer = Self::pick(&mut self.dice, &self.integers);
        let written = match (schema["minimum"].as_i64(), schema["maximum"].as_u64()) {
            (Some(0), None) => integer.to_string(),
            (_, Some(most)) => (integer % (most + 1)).to_string(),
            _ => integer.cast_signed().to_string(),
        };
        self.note(key, format!("{written},"));
        Json::Written(written)
    }

    /// A value that is passed on verbatim.
    fn verbatim(&mut self, key: &str, value: &Json) -> Json {
        let raw = value.write(&mut self.dice, true).trim().to_owned();
        let note = if self.is_typed {
            format!("{raw},")
        } else {
            format!("Some(Node {{ raw: {raw:?}, ")
        };
        self.note(key, note);
        Json::Written(raw)
    }
}

fn may_be_null(shape: &Value) -> bool {
    let is_null = |shape: &Value| shape["type"] == "null";
    let types = shape["type"].as_array().into_iter().flatten();
    let shapes = shape["anyOf"].as_array().into_iter().flatten();
    let keywords = ["type", "$ref", "anyOf", "oneOf", "const"];
    types.chain(shapes).any(|of| of == "null" || is_null(of))
        || !keywords.iter().any(|keyword| shape.get(keyword).is_some())
}

impl Fill for Filler {
    fn has(&mut self, key: &str) -> bool {
        let is_required = self
            .event
            .is_some_and(|(_, required)| required.contains(&key));
        // Only the record of an imported run may lack some keys.
        key == "import" || is_required || self.dice.once_in(2)
    }

    fn items(&mut self) -> usize {
        self.dice.roll(3)
    }

    fn choose(&mut self, shapes: &[Value]) -> usize {
        if !self.is_typed {
            return 0;
        }
        // An unrecognized kind has no fields that are read.
        let is_known = |shape: &Value| {
            shape["type"] != "null" && shape["properties"]["kind"].get("not").is_none()
        };
        let known: Vec<usize> = (0..shapes.len())
            .filter(|at| is_known(&shapes[*at]))
            .collect();
        Self::pick(&mut self.dice, &known)
    }

    fn leaf(&mut self, key: &str, schema: &Value) -> Json {
        if let Some(word) = schema["const"].as_str() {
            let name = word[..1].to_uppercase() + &word[1..];
            self.note(key, format!("{name},"));
            return Json::from(word);
        }
        let kind = schema["type"].as_str().or(schema["type"][0].as_str());
        match (kind, key, self.event) {
            (_, "type", Some((name, _))) => {
                self.note(key, format!("{name:?}"));
                Json::from(name)
            }
            // Their schemas say only that they are objects.
            (_, "toolchain", _) => {
                let typecheck = [("ran", "typecheckRan"), ("succeeded", "typecheckSucceeded")];
                let typecheck = typecheck.map(|(key, field)| (key, Some(self.flag(field))));
                let typecheck = object(&mut self.dice, typecheck);
                object(&mut self.dice, [("typecheck", Some(typecheck))])
            }
            (_, "fields", _) => {
                let [name, other] = [0, 1].map(|_| Self::pick(&mut self.dice, &self.texts));
                let [set, item] = [0, 1].map(|_| Self::pick(&mut self.dice, &self.values));
                let change = |key: &str, value| Json::Object(vec![(key.to_owned(), value)]);
                let append = change("append", Json::Array(vec![item]));
                let changes = [
                    (name, change("set", set)),
                    (other + "+", append),
                    ("x".to_owned(), Json::from("remove")),
                ];
                Json::Object(changes.into())
            }
            (Some("string"), ..) => {
                let text = Self::pick(&mut self.dice, &self.texts);
                self.note(key, format!("{text:?}"));
                Json::Text(text)
            }
            (Some("boolean"), ..) => self.flag(key),
            (Some("integer"), ..) if self.is_typed => self.integer(key, schema),
            (Some("number" | "integer"), ..) => {
                let literal = Self::pick(&mut self.dice, &self.numbers);
                self.note(key, format!("Some(NumberLiteral {{ literal: {literal:?}, "));
                Json::Written(literal)
            }
            (Some("object"), ..) if schema.get("additionalProperties").is_some() => {
                let names: BTreeMap<_, _> = self.texts.iter().cloned().zip(7_u64..).collect();
                let calls = names.into_iter().map(|(name, count)| {
                    self.note(&name, format!("NumberLiteral {{ literal: \"{count}\", "));
                    (name, Json::from(count))
                });
                Json::Object(calls.collect())
            }
            (Some("object"), ..) => {
                let value = Self::pick(&mut self.dice, &self.values);
                self.verbatim(key, &Json::Object(vec![("any".to_owned(), value)]))
            }
            _ => {
                let value = Self::pick(&mut self.dice, &self.values);
                self.verbatim(key, &value)
            }
        }
    }

    fn object(&mut self, place: &Value, members: Vec<(&str, Option<Json>)>) -> Json {
        if !self.is_typed {
            return object(&mut self.dice, members);
        }
        let mut written = Vec::new();
        for (key, value) in members {
            if let Some(Json::Array(items)) = &value {
                self.note_list(key, items);
            }
            let may_be_null = may_be_null(&place["properties"][key]);
            self.notes.absent += usize::from(value.is_none() && may_be_null);
            let null = (may_be_null && self.dice.once_in(2)).then_some(Json::Null);
            written.push((key, value.or(null)));
        }
        if place["additionalProperties"] == false {
            let members = written.into_iter();
            let members = members.filter_map(|(key, value)| Some((key.to_owned(), value?)));
            return Json::Object(members.collect());
        }
        strict_object(&mut self.dice, written)
    }
}
