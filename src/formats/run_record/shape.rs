//! What the schema of a run record says beyond the types of its keys.

use schemars::Schema;
use serde_json::{Value, json};

use super::read::STAGES;

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

/// The durations of the stages, which came later: they are described, and refuse nothing.
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

/// Documents of Harn say under `_type` that they are something else (formats.md, contradiction 1).
pub(super) fn this_document(record: &mut Schema) {
    if let Some(Value::Object(properties)) = record.get_mut("properties") {
        properties.insert(
            "_type".to_owned(),
            json!({ "not": { "enum": ["run_record", "transcript"] } }),
        );
    }
}

/// What a record must say, unless its run was imported from a source that did not say it.
pub(super) fn known(record: &mut Schema) {
    let said = |keys: &[&str]| {
        let not_null = keys
            .iter()
            .map(|key| ((*key).to_owned(), json!({ "not": { "type": "null" } })));
        let not_null: serde_json::Map<String, Value> = not_null.collect();
        json!({ "required": keys, "properties": not_null })
    };
    let mut all = said(&["startedAt", "finishedAt", "validation"]);
    all["properties"]["subject"] = said(&["testCaseVersion", "modelId"]);
    all["properties"]["metrics"] = said(&["runTimeSeconds"]);
    let is_imported =
        json!({ "required": ["import"], "properties": { "import": { "type": "object" } } });
    record.insert("if".to_owned(), is_imported);
    record.insert("then".to_owned(), Value::Bool(true));
    record.insert("else".to_owned(), all);
}
