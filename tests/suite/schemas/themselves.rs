//! The schemas themselves: valid, complete, with a description of every key, and printed by the command as published.

use std::collections::BTreeSet;

use runpress::api::config::{self, Config};
use runpress::api::schema;
use serde_json::{Value, json};

use super::outline::outline;
use super::{schema, walk};
use crate::support::{TestSite, assert_snapshot};

#[test]
fn every_schema_is_valid_describes_itself_and_holds_all_that_it_refers_to() {
    for entry in schema::ALL {
        let mut schema = schema(entry.name);
        let name = entry.name;
        assert_eq!(
            schema["$schema"], "https://json-schema.org/draft/2020-12/schema",
            "{name}"
        );
        assert!(jsonschema::meta::is_valid(&schema), "{name}");
        assert_eq!(schema["title"], entry.title, "{name}");
        assert!(
            schema["description"]
                .as_str()
                .is_some_and(|text| text.ends_with('.')),
            "{name} says what it is about"
        );
        let defined: BTreeSet<String> = schema["$defs"]
            .as_object()
            .into_iter()
            .flat_map(|defs| defs.keys().map(|key| format!("#/$defs/{key}")))
            .collect();
        let mut used = BTreeSet::new();
        walk(&mut schema, &mut |object| {
            for key in ["$ref", "$dynamicRef"] {
                if let Some(Value::String(target)) = object.get(key) {
                    used.insert(target.clone());
                }
            }
        });
        assert_eq!(used, defined, "{name}: what is used is what is defined");
    }
}

#[test]
fn a_changed_key_or_type_of_a_schema_is_seen_in_its_snapshot() {
    for entry in schema::ALL {
        assert_snapshot("schemas", entry.name, &outline(&schema(entry.name)));
    }
}

#[test]
fn every_key_type_and_limit_of_a_schema_is_in_its_outline_and_no_words_are() {
    let schema = json!({
        "title": "Words", "type": "object", "required": ["a", "b"], "additionalProperties": false,
        "properties": {
            "a": {"description": "Words.", "type": "array", "minItems": 1, "items": {"$ref": "#/$defs/Item"}},
            "c": {"anyOf": [{"const": 1}, true], "not": {"enum": ["x", null]}},
        },
        "$defs": {"Item": {"type": ["string", "null"], "maxLength": 9}},
    });
    assert_eq!(
        outline(&schema),
        "$.*: false\n$.a: array; minItems 1; required\n$.a[]: Item\n$.c anyOf 0: const 1\n$.c anyOf 1: true\n\
         $.c not: enum [\"x\",null]\n$.c:\n$: object; requires b\nItem: string or null; maxLength 9\n"
    );
}

#[test]
fn every_key_says_what_it_holds() {
    let mut silent = Vec::new();
    for entry in schema::ALL {
        walk(&mut schema(entry.name), &mut |object| {
            if object.get("type") != Some(&json!("object")) {
                return;
            }
            let properties = object.get("properties").and_then(Value::as_object);
            for (key, property) in properties.into_iter().flatten() {
                let tells_apart = property.get("const").is_some() || property.get("not").is_some();
                if property.get("description").is_none() && !tells_apart {
                    silent.push(format!("{}: {key}", entry.name));
                }
            }
        });
    }
    assert_eq!(silent, [""; 0]);
}

#[test]
fn the_settings_that_a_schema_names_as_defaults_are_the_defaults() {
    let mut text = String::new();
    let settings = schema("site");
    let sections = settings["properties"].as_object().expect("sections");
    for (section, shape) in sections
        .iter()
        .filter(|(name, _)| !["nav", "import", "expect"].contains(&name.as_str()))
    {
        let shape = shape["$ref"].as_str().map_or(shape, |target| {
            settings
                .pointer(target.trim_start_matches('#'))
                .expect("a definition")
        });
        text.push_str(&format!("[{section}]\n"));
        for (key, property) in shape["properties"].as_object().expect("keys") {
            if let Some(default) = property.get("default") {
                text.push_str(&format!("{key} = {default}\n"));
            }
        }
    }
    assert!(text.lines().count() > 20, "{text}");
    let (config, problems) = config::parse("site.toml", &text);
    assert_eq!((config, problems.len()), (Config::default(), 0), "{text}");
}

#[test]
fn the_command_lists_the_schemas_prints_one_and_names_the_nearest_of_an_unknown_one() {
    let site = TestSite::empty();
    let list = site.runpress("schema").quiet();
    assert_snapshot("cli", "schema", &list.stdout);
    let names: Vec<_> = list
        .stdout
        .lines()
        .filter_map(|line| line.split(' ').next())
        .collect();
    let known: Vec<_> = schema::ALL.iter().map(|entry| entry.name).collect();
    assert_eq!(names, known);
    for entry in schema::ALL {
        let printed = site.runpress(&["schema", entry.name]);
        assert_eq!(
            (printed.status, printed.stdout),
            (Some(0), entry.document())
        );
    }
    let unknown = site.runpress("schema sidcar");
    assert_eq!((unknown.status, unknown.stdout.as_str()), (Some(2), ""));
    assert_eq!(
        unknown.stderr,
        "error: there is no schema `sidcar`\n  help: Did you mean `sidecar`?\n"
    );
    let strange = site.runpress(&["schema", "zzz\u{1b}"]).exits(2);
    assert!(
        strange
            .stderr
            .contains("Run `runpress schema` to list all names.")
            && !strange.stderr.contains('\u{1b}'),
        "{}",
        strange.stderr
    );
}
