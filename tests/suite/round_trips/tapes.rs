//! Harn tapes: each record is read as written, and the content hash depends on nothing else.

use proptest::collection::vec;
use runpress::api::formats::tape;
use serde_json::{Value, json};

use super::filler;
use crate::generate::{Dice, Json, holds, lines};
use crate::support::parse;

/// The value with the keys of every object in a different order.
fn stirred(dice: &mut Dice, value: Json) -> Json {
    match value {
        Json::Object(members) => {
            let members = members.into_iter();
            let members = members.map(|(key, value)| (key, stirred(dice, value)));
            let mut members: Vec<_> = members.collect();
            dice.shuffle(&mut members);
            Json::Object(members)
        }
        other => other,
    }
}

/// Without unknown keys, and without what is the same as an absent key.
fn essential(value: &mut Value) {
    match value {
        Value::Object(members) => {
            let is_nothing = |value: &Value| value.is_null() || *value == json!([]);
            members.retain(|key, value| !key.starts_with("x-") && !is_nothing(value));
            members.values_mut().for_each(essential);
        }
        Value::Array(items) => items.iter_mut().for_each(essential),
        _ => {}
    }
}

fn line(dice: &mut Dice, document: &Json, kind: &str) -> String {
    let Json::Object(mut members) = document.clone() else {
        unreachable!("an object")
    };
    members.push(("type".to_owned(), Json::from(kind)));
    stirred(dice, Json::Object(members)).write(dice, true)
}

#[test]
fn a_tape_is_read_back_in_every_record_and_its_hash_sees_only_what_it_says() {
    let schema = crate::schemas::schema("tape");
    let fillers = (filler(true), vec(filler(true), 0..5));
    holds(250, &fillers, |(mut first, mut others)| {
        let (header, notes) = first.document(&schema, "/$defs/Header");
        let records = others.iter_mut();
        let records = records.map(|filler| filler.document(&schema, "/$defs/Record").0);
        let records: Vec<Json> = records.collect();
        let [text, again] = [0, 1].map(|_| {
            let dice = &mut first.dice;
            let mut texts = vec![line(dice, &header, "header")];
            texts.extend(records.iter().map(|record| line(dice, record, "record")));
            lines(dice, &texts, false)
        });
        let (read, problems) = tape::parse("t", text.as_bytes());
        assert!(problems.is_empty(), "{problems:?} in {text}");
        let read = read.expect("a tape");
        let found = format!("{:?}", read.header);
        notes.assert_in(&found, &text);
        assert_eq!(
            found.matches(": None").count(),
            notes.absent,
            "{found} in {text}"
        );
        assert_eq!(read.records.len(), records.len(), "{text}");
        let mut hasher = blake3::Hasher::new();
        let mut has_phase = false;
        for (line, record) in read.records.iter().zip(&records) {
            let written = record.write(&mut Dice::simple(), true);
            let mut expected = parse(&written);
            has_phase |= expected.get("phase").is_some();
            if expected.get("phase").is_none() {
                expected["phase"] = json!("user_script");
            }
            let mut found = serde_json::to_value(&line.record).expect("plain data");
            essential(&mut expected);
            essential(&mut found);
            assert_eq!(found, expected, "{text}");
            hasher.update(
                serde_json::to_string(&line.record)
                    .expect("plain data")
                    .as_bytes(),
            );
            hasher.update(b"\n");
        }
        assert_eq!(read.content_hash, hasher.finalize().to_hex().as_str());
        assert!(read.other_hashes.len() >= usize::from(!has_phase));
        let (again, _) = tape::parse("t", again.as_bytes());
        assert_eq!(
            again.expect("a tape").content_hash,
            read.content_hash,
            "{text}"
        );
    });
}
