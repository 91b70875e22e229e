//! The outline of a schema without its texts: a line for each key, with its type and other constraints.

use std::collections::BTreeSet;

use serde_json::Value;

/// Keywords with text for people, or with the identity of the document.
const WORDS: [&str; 6] = [
    "$comment",
    "$id",
    "$schema",
    "description",
    "examples",
    "title",
];

/// One line per place in the schema, sorted: `$.runs[].slug: string; required`.
pub(super) fn outline(schema: &Value) -> String {
    let mut lines = BTreeSet::new();
    add(&mut lines, "$", schema, false);
    lines.into_iter().map(|line| line + "\n").collect()
}

fn add(lines: &mut BTreeSet<String>, path: &str, schema: &Value, required: bool) {
    let mut said = Vec::new();
    let Value::Object(keywords) = schema else {
        lines.insert(format!("{path}: {schema}"));
        return;
    };
    for (keyword, value) in keywords {
        match (keyword.as_str(), value) {
            (word, _) if WORDS.contains(&word) => {}
            // Each required key says so on its own line.
            ("required", _) if keywords.contains_key("properties") => {}
            ("properties", Value::Object(properties)) => {
                for (key, property) in properties {
                    let required = keywords
                        .get("required")
                        .and_then(Value::as_array)
                        .is_some_and(|keys| keys.contains(&Value::from(key.as_str())));
                    add(lines, &format!("{path}.{key}"), property, required);
                }
            }
            ("$defs" | "patternProperties", Value::Object(schemas)) => {
                for (name, schema) in schemas {
                    let path = if keyword == "$defs" {
                        name.clone()
                    } else {
                        format!("{path}./{name}/")
                    };
                    add(lines, &path, schema, false);
                }
            }
            ("items", schema) => add(lines, &format!("{path}[]"), schema, false),
            ("additionalProperties", schema) => add(lines, &format!("{path}.*"), schema, false),
            ("not" | "if" | "then" | "else" | "contains" | "propertyNames", schema) => {
                add(lines, &format!("{path} {keyword}"), schema, false);
            }
            ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(schemas)) => {
                for (number, schema) in schemas.iter().enumerate() {
                    add(lines, &format!("{path} {keyword} {number}"), schema, false);
                }
            }
            ("$ref", Value::String(target)) => {
                said.push(target.trim_start_matches("#/$defs/").to_owned());
            }
            ("type", Value::String(name)) => said.insert(0, name.clone()),
            ("type", Value::Array(names)) => {
                let names: Vec<_> = names.iter().filter_map(Value::as_str).collect();
                said.insert(0, names.join(" or "));
            }
            _ => said.push(format!("{keyword} {value}")),
        }
    }
    if required {
        said.push("required".to_owned());
    }
    // A key in `required` that no property describes.
    if let (Some(Value::Array(keys)), Some(Value::Object(properties))) =
        (keywords.get("required"), keywords.get("properties"))
    {
        let unknown = keys
            .iter()
            .filter_map(Value::as_str)
            .filter(|key| !properties.contains_key(*key));
        said.extend(unknown.map(|key| format!("requires {key}")));
    }
    if said.is_empty() {
        lines.insert(format!("{path}:"));
    } else {
        lines.insert(format!("{path}: {}", said.join("; ")));
    }
}
