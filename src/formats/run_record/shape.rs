//! Rules of a run record's schema beyond the types of its keys.

use schemars::Schema;
use serde_json::{Value, json};

use super::read::STAGES;

/// A view that was not reached has nothing to compare; every other view does.
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

/// The durations of the stages, added in a later version: described, but never required or rejected.
pub(super) fn stages(metrics: &mut Schema) {
    if let Some(Value::Object(properties)) = metrics.get_mut("properties") {
        for (key, _) in STAGES {
            let duration = json!({
                "description": "Duration of a stage, in seconds; null is \"not reported\".",
                "anyOf": [{ "type": ["number", "null"], "minimum": 0 }, true],
            });
            properties.insert((*key).to_owned(), duration);
        }
    }
}

/// Documents of Harn name their type in `_type` (formats.md, contradiction 1).
pub(super) fn this_document(record: &mut Schema) {
    if let Some(Value::Object(properties)) = record.get_mut("properties") {
        properties.insert(
            "_type".to_owned(),
            json!({ "not": { "enum": ["run_record", "transcript"] } }),
        );
    }
}

/// Keys required in a record, unless its run was imported from a source that did not record them.
pub(super) fn known(record: &mut Schema) {
    let required = |keys: &[&str]| {
        let not_null = keys
            .iter()
            .map(|key| ((*key).to_owned(), json!({ "not": { "type": "null" } })));
        let not_null: serde_json::Map<String, Value> = not_null.collect();
        json!({ "required": keys, "properties": not_null })
    };
    let mut all = required(&["startedAt", "finishedAt", "validation"]);
    all["properties"]["subject"] = required(&["testCaseVersion", "modelId"]);
    all["properties"]["metrics"] = required(&["runTimeSeconds"]);
    let is_imported =
        json!({ "required": ["import"], "properties": { "import": { "type": "object" } } });
    record.insert("if".to_owned(), is_imported);
    record.insert("then".to_owned(), Value::Bool(true));
    record.insert("else".to_owned(), all);
}
