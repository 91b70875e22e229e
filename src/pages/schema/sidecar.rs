//! Rules of Harn's validator beyond the shape of an annotation: which keys each kind takes.

use schemars::Schema;
use serde_json::{Value, json};

use formats::model::annotation::{FRICTION_KINDS, Kind};

/// Adds the rules to the schema of a sidecar's line. Unrecognized kinds accept all keys.
pub(super) fn add_rules(schema: &mut Schema) {
    let Some(Value::Object(annotation)) = schema.pointer_mut("/$defs/Annotation") else {
        return;
    };
    let others: Vec<_> = Kind::KNOWN
        .iter()
        .filter(|kind| !matches!(kind, Kind::Hypothesis | Kind::Friction))
        .map(Kind::word)
        .collect();
    let null = json!({ "type": "null" });
    let status = json!({ "not": { "type": "null" } });
    let friction = json!({ "enum": FRICTION_KINDS });
    annotation.insert(
        "allOf".to_owned(),
        json!([
            when(&["hypothesis"], &["hypothesis_status"], &status, &null),
            when(&["friction"], &["friction_kind"], &null, &friction),
            when(&others, &[], &null, &null),
        ]),
    );
}

/// The rule for some kinds: required keys, and the schemas of `hypothesis_status` and `friction_kind`.
fn when(kinds: &[&str], required: &[&str], status: &Value, friction: &Value) -> Value {
    let mut then = json!({
        "properties": { "hypothesis_status": status, "friction_kind": friction },
    });
    if !required.is_empty() {
        then["required"] = json!(required);
    }
    json!({ "if": { "properties": { "kind": { "enum": kinds } } }, "then": then })
}
