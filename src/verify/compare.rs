//! Where two JSON documents differ.

use serde_json::Value;

use base::diagnostics::{Diagnostic, Place, codes};

/// What values are compared with, in messages.
pub(crate) const EVENTS: &str = "the published events";
/// Maximum differences that are reported for one document.
const MOST: usize = 10;

/// The problems of a published document that differs from what was made again; `of` is what that was made of.
pub(crate) fn problems(
    place: &Place,
    published: &Value,
    derived: &Value,
    of: &str,
) -> Vec<Diagnostic> {
    let mut pointers = Vec::new();
    differences(published, derived, &mut String::new(), &mut pointers);
    let base = place.pointer.clone().unwrap_or_default();
    let problems = pointers
        .into_iter()
        .map(|pointer| differs(place.clone().pointing(format!("{base}{pointer}")), of));
    problems.collect()
}

/// The problem of a value that differs from what it is made of.
pub(crate) fn differs(place: Place, of: &str) -> Diagnostic {
    let pointer = place.pointer.as_deref().unwrap_or_default();
    let what = match (pointer, place.line) {
        ("", None) => "The file".to_owned(),
        ("", Some(line)) => format!("Line {line}"),
        (pointer, None) => format!("The value at `{}`", shown(pointer)),
        (pointer, Some(line)) => format!("The value at `{}` in line {line}", shown(pointer)),
    };
    codes::VERIFY_DIFFERENT_VALUE.at(
        place,
        format!("{what} is not what {of} say"),
        "One of the two was changed after the build. Get the site from the publisher again.",
    )
}

/// The documents of a feed of lines. A line that is no JSON is left out.
pub(crate) fn json_lines(bytes: &[u8]) -> impl Iterator<Item = Value> {
    let lines = bytes.split_inclusive(|byte| *byte == b'\n');
    lines.filter_map(|line| serde_json::from_slice(line).ok())
}

/// A line of a feed of annotations as `run.json` has it.
pub(crate) fn without_run_id(mut line: Value) -> Value {
    if let Value::Object(members) = &mut line {
        members.remove("runId");
    }
    line
}

/// The beginning of a pointer: keys of a record are recorded text.
fn shown(pointer: &str) -> String {
    let visible = base::diagnostics::text::visible(pointer);
    visible
        .chars()
        .take(80)
        .collect::<String>()
        .replace('`', "'")
}

fn differences(a: &Value, b: &Value, at: &mut String, found: &mut Vec<String>) {
    if a == b || found.len() >= MOST {
        return;
    }
    let length = at.len();
    match (a, b) {
        (Value::Object(one), Value::Object(other)) => {
            let missing = other.keys().filter(|key| !one.contains_key(*key));
            for key in one.keys().chain(missing) {
                at.push('/');
                at.push_str(&key.replace('~', "~0").replace('/', "~1"));
                let (value, null) = (one.get(key), Value::Null);
                differences(
                    value.unwrap_or(&null),
                    other.get(key).unwrap_or(&null),
                    at,
                    found,
                );
                if one.get(key).is_none() != other.get(key).is_none()
                    && found
                        .last()
                        .is_none_or(|last| !last.starts_with(at.as_str()))
                {
                    found.push(at.clone());
                }
                at.truncate(length);
            }
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            for (index, (a, b)) in one.iter().zip(other).enumerate() {
                at.push_str(&format!("/{index}"));
                differences(a, b, at, found);
                at.truncate(length);
            }
        }
        _ => found.push(at.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_deepest_values_that_differ_are_found() {
        let found = |a: Value, b: Value| {
            let mut found = Vec::new();
            differences(&a, &b, &mut String::new(), &mut found);
            found
        };
        let a = json!({ "a": [1, { "b": 2, "c/d": 3 }], "e": null });
        assert_eq!(found(a.clone(), a.clone()), [""; 0]);
        let b = json!({ "a": [1, { "b": 2, "c/d": 4 }], "e": null });
        assert_eq!(found(a.clone(), b), ["/a/1/c~1d"]);
        let b = json!({ "a": [1], "f": 1 });
        assert_eq!(found(a, b), ["/a", "/e", "/f"]);
    }
}
