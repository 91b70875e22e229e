//! Run records of every version: each field of the schema is read as written.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::strategy::Strategy;
use runpress::api::diagnostics::Source;
use runpress::api::formats::run_record::parse;
use serde_json::Value;

use crate::generate::{Dice, Fill, Json, dice, fill, holds, json, number, object, text};

/// Makes a record, and notes each of its values.
struct Record {
    dice: Dice,
    texts: Vec<String>,
    numbers: Vec<String>,
    values: Vec<Json>,
    /// Each key with the debug format of its value, and how often the record has both.
    written: BTreeMap<(String, String), usize>,
}

impl Record {
    fn note(&mut self, key: &str, value: String) {
        *self.written.entry((key.to_owned(), value)).or_default() += 1;
    }

    fn pick<T: Clone>(dice: &mut Dice, values: &[T]) -> T {
        values[dice.roll(values.len())].clone()
    }

    fn flag(&mut self, key: &str) -> Json {
        let flag = self.dice.once_in(2);
        self.note(key, format!("Some({flag})"));
        Json::Bool(flag)
    }

    /// A value that is passed on verbatim.
    fn verbatim(&mut self, key: &str, value: &Json) -> Json {
        let raw = value.write(&mut self.dice, true).trim().to_owned();
        self.note(key, format!("Some(Node {{ raw: {raw:?}, "));
        Json::Written(raw)
    }
}

impl Fill for Record {
    fn has(&mut self, key: &str) -> bool {
        // Only the record of an imported run may lack some keys.
        key == "import" || self.dice.once_in(2)
    }

    fn items(&mut self) -> usize {
        self.dice.roll(3)
    }

    fn leaf(&mut self, key: &str, schema: &Value) -> Json {
        let kind = schema["type"].as_str().or(schema["type"][0].as_str());
        match kind {
            // Its schema says only that it is an object.
            _ if key == "toolchain" => {
                let typecheck = [("ran", "typecheckRan"), ("succeeded", "typecheckSucceeded")];
                let typecheck = typecheck.map(|(key, field)| (key, Some(self.flag(field))));
                let typecheck = object(&mut self.dice, typecheck);
                object(&mut self.dice, [("typecheck", Some(typecheck))])
            }
            Some("string") => {
                let text = Self::pick(&mut self.dice, &self.texts);
                self.note(key, format!("Some({text:?})"));
                Json::Text(text)
            }
            Some("boolean") => self.flag(key),
            Some("number" | "integer") => {
                let literal = Self::pick(&mut self.dice, &self.numbers);
                self.note(key, format!("Some(Number {{ literal: {literal:?}, "));
                Json::Written(literal)
            }
            Some("object") if schema.get("additionalProperties").is_some() => {
                let names: BTreeMap<_, _> = (7_u64..)
                    .zip(&self.texts)
                    .map(|(n, text)| (text.clone(), n))
                    .collect();
                let calls = names.into_iter().map(|(name, count)| {
                    self.note(&name, format!("Number {{ literal: \"{count}\", "));
                    (name, Json::from(count))
                });
                Json::Object(calls.collect())
            }
            Some("object") => {
                let value = Self::pick(&mut self.dice, &self.values);
                let members = Json::Object(vec![("any".to_owned(), value)]);
                self.verbatim(key, &members)
            }
            _ => {
                let value = Self::pick(&mut self.dice, &self.values);
                self.verbatim(key, &value)
            }
        }
    }

    fn object(&mut self, members: Vec<(&str, Option<Json>)>) -> Json {
        object(&mut self.dice, members)
    }
}

/// `harnessVersion` as `harness_version`.
fn field(key: &str) -> String {
    let letters = key.chars().map(|c| match c {
        'A'..='Z' => format!("_{}", c.to_ascii_lowercase()),
        c => c.to_string(),
    });
    letters.collect()
}

#[test]
fn a_record_is_read_back_in_every_field_however_it_is_written() {
    let schema = crate::schemas::schema("run-record");
    let values = vec(json(), 4).prop_map(|values| {
        // Null is the same as an absent key.
        let known = values.into_iter().filter(|value| *value != Json::Null);
        known.chain([Json::Bool(true)]).collect::<Vec<_>>()
    });
    let values = (vec(text(), 6), vec(number(), 6), values, dice());
    holds(300, &values, |(texts, numbers, values, dice)| {
        let written = BTreeMap::new();
        let mut record = Record {
            dice,
            texts,
            numbers,
            values,
            written,
        };
        let document = fill(&schema, &schema, "", &mut record);
        let text = document.write(&mut record.dice, false);
        let mark = if record.dice.once_in(4) {
            "\u{feff}"
        } else {
            ""
        };
        let text = format!("{mark}{text}");
        let (read, problems) = parse(Source::file("r", text.as_bytes()));
        let read = read.unwrap_or_else(|| panic!("{problems:?} in {text}"));
        assert!(
            read.diagnostics.is_empty(),
            "{:?} in {text}",
            read.diagnostics
        );
        let read = format!("{:?}", read.record);
        for ((key, value), count) in &record.written {
            // A stage or a tool is a name with its number.
            let places = [
                format!(" {}: {value}", field(key)),
                format!("({key:?}, {value}"),
            ];
            let found: usize = places
                .iter()
                .map(|place| read.matches(place.as_str()).count())
                .sum();
            assert_eq!(found, *count, "{key} {value} in {text}: {read}");
        }
        let known = [
            "Some(\"",
            "Some(Number ",
            "Some(Node ",
            "Some(true)",
            "Some(false)",
        ];
        let found: usize = known.iter().map(|value| read.matches(value).count()).sum();
        let fields = record
            .written
            .iter()
            .filter(|((_, value), _)| value.starts_with("Some("));
        assert_eq!(
            found,
            fields.map(|(_, count)| count).sum::<usize>(),
            "{text}: {read}"
        );
    });
}
