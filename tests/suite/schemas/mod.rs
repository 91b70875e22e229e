//! The JSON Schemas are valid, match the documents, and refuse what the check refuses.

mod agreement;
mod documents;

pub(crate) use documents::schema_of_input;
mod outline;
mod themselves;

use jsonschema::Validator;
use serde_json::{Map, Value};

pub(crate) fn schema(name: &str) -> Value {
    let entry = runpress::api::schema::find(name).unwrap_or_else(|| panic!("no schema {name}"));
    serde_json::from_str(&entry.document()).expect("JSON")
}

fn compiled(schema: &Value) -> Validator {
    jsonschema::draft202012::new(schema).unwrap_or_else(|error| panic!("{error}: {schema}"))
}

/// The reasons that a schema refuses a document; empty if it accepts it.
fn refusals(validator: &Validator, document: &Value) -> Vec<String> {
    validator
        .iter_errors(document)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect()
}

/// Calls `see` with every object of a schema or document.
fn walk(value: &mut Value, see: &mut dyn FnMut(&mut Map<String, Value>)) {
    match value {
        Value::Object(object) => {
            see(object);
            object.values_mut().for_each(|value| walk(value, see));
        }
        Value::Array(items) => items.iter_mut().for_each(|value| walk(value, see)),
        _ => {}
    }
}
