//! A schema and the check agree: for every change to a valid document, both accept it or both refuse it.

mod cases;
mod check;

use runpress::api::schema::{self, SchemaSubject};
use serde_json::{Value, json};

use super::{compiled, refusals, schema};
use cases::cases;

/// A valid document of an input, and the result of the check for a changed one.
struct Case {
    schema: &'static str,
    document: Value,
    accepts: fn(&Value) -> bool,
}

/// serde and Harn's own loader also read an array as a struct; a schema requires an object.
const READ_AS_OBJECTS: [(&str, &str); 6] = [
    ("adapter", "/import"),
    ("adapter", "/metrics/cost"),
    ("adapter", "/private"),
    ("tape", "/kind"),
    ("sidecar", "/links/0"),
    ("rules", "/rule/0/applies"),
];

fn case(schema: &'static str, document: Value, accepts: fn(&Value) -> bool) -> Case {
    Case {
        schema,
        document,
        accepts,
    }
}

/// Every change at every place of a document: a removed key, another value, an additional key.
fn changes(document: &Value) -> Vec<(String, Value, Value)> {
    let values = [
        json!(null),
        json!(true),
        json!(0),
        json!(1),
        json!(-1),
        json!(0.5),
        json!(4_294_967_296_u64),
        json!(""),
        json!(" "),
        json!("text"),
        json!("http://"),
        json!("javascript:alert(1)"),
        json!("mailto:a@example.org"),
        json!("HTTPS://example.org:80/x?y#z"),
        json!("a/../b"),
        json!("2026-03-01 10:00:00.5+01:00"),
        json!("2026-03-01"),
        json!([]),
        json!([null]),
        json!(["x"]),
        json!({}),
        json!({"x": 1}),
    ];
    let mut found = Vec::new();
    let mut places = Vec::new();
    pointers(document, String::new(), &mut places);
    for place in places {
        for value in &values {
            let mut changed = document.clone();
            if let Some(target) = changed.pointer_mut(&place) {
                *target = value.clone();
            }
            found.push((place.clone(), value.clone(), changed));
        }
        if let Some((parent, key)) = place.rsplit_once('/') {
            let mut changed = document.clone();
            if let Some(Value::Object(object)) = changed.pointer_mut(parent) {
                object.remove(&key.replace("~1", "/"));
                found.push((place.clone(), json!("removed"), changed));
            }
        }
        let mut changed = document.clone();
        if let Some(Value::Object(object)) = changed.pointer_mut(&place) {
            object.insert("notAKey".to_owned(), json!(1));
            found.push((place.clone(), json!("a key more"), changed));
        }
    }
    found
}

fn pointers(value: &Value, place: String, found: &mut Vec<String>) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                pointers(value, format!("{place}/{key}"), found);
            }
        }
        Value::Array(items) => {
            for (index, value) in items.iter().enumerate() {
                pointers(value, format!("{place}/{index}"), found);
            }
        }
        _ => {}
    }
    found.push(place);
}

#[test]
fn a_schema_refuses_exactly_what_the_check_refuses_for_its_shape() {
    let mut wrong = Vec::new();
    let mut tally: std::collections::BTreeMap<&str, (usize, usize)> =
        std::collections::BTreeMap::new();
    for case in cases() {
        let validator = compiled(&schema(case.schema));
        assert!((case.accepts)(&case.document), "{}", case.document);
        assert_eq!(
            refusals(&validator, &case.document),
            [""; 0],
            "{}: {}",
            case.schema,
            case.document
        );
        for (place, value, changed) in changes(&case.document) {
            let as_object =
                value.is_array() && READ_AS_OBJECTS.contains(&(case.schema, place.as_str()));
            let is_toml = ["site", "withdrawn", "rules"].contains(&case.schema);
            if as_object || (is_toml && toml::to_string(&changed).is_err()) {
                continue;
            }
            let checked = (case.accepts)(&changed);
            let refused = refusals(&validator, &changed);
            let counts = tally.entry(case.schema).or_default();
            *(if checked {
                &mut counts.0
            } else {
                &mut counts.1
            }) += 1;
            if checked != refused.is_empty() {
                wrong.push(format!(
                    "{}: {place} = {value}: the check {}, the schema {refused:?}; {}",
                    case.schema,
                    if checked { "accepts it" } else { "refuses it" },
                    case.document,
                ));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    for entry in schema::ALL {
        if matches!(entry.subject, SchemaSubject::Input(_)) {
            let (accepted, refused) = tally.get(entry.name).copied().unwrap_or_default();
            assert!(
                accepted > 10 && refused > 10,
                "{}: {accepted} accepted, {refused} refused",
                entry.name
            );
        }
    }
}
