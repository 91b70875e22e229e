//! Knows what the schema of a run record says beyond the types of its keys.

use schemars::Schema;
use serde_json::{Value, json};

/// A view that was not reached has nothing to compare; any other has.
pub(super) fn compared(check: &mut Schema) {
    check.insert(
        "if".to_owned(),
        json!({ "properties": { "reached": { "const": true } } }),
    );
    check.insert(
        "then".to_owned(),
        json!({ "required": ["similarity"], "properties": { "similarity": { "type": "number" } } }),
    );
}

/// Documents of Harn say under `_type` that they are something else (formats.md, contradiction 1).
pub(super) fn this_document(record: &mut Schema) {
    if let Some(Value::Object(properties)) = record.get_mut("properties") {
        properties.insert(
            "_type".to_owned(),
            json!({ "not": { "enum": ["run_record", "transcript"] } }),
        );
    }
}
