//! All keys of a record, to report misspelled or newer ones.

use serde::{Deserialize, Serialize};

use crate::json::{JsonKind, Node};
use base::diagnostics::text::nearest;

use super::RunRecord;
use super::object::{RecordObject, RecordShape};

/// A key that is in no recognized version of the format.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnknownKey {
    /// Its path, without array positions: `validation.checks[].similarty`.
    pub path: String,
    /// Byte offset of its value in the document.
    pub offset: usize,
    /// JSON pointer to its value.
    pub pointer: String,
    /// The recognized key of the same object that was probably meant.
    pub near: Option<String>,
}

/// Maximum number of unknown keys reported per record; one with more is a different format.
const MAX_UNKNOWN_KEYS: usize = 100;

const RECORD: &RecordShape = <RunRecord<'static> as RecordObject<'static>>::SHAPE;

/// The unknown keys of a record, each path once, in the order of the document.
pub fn unknown_keys(root: Node<'_>) -> Vec<UnknownKey> {
    let mut found = Vec::new();
    search(root, RECORD, "", "", &mut found);
    found
}

/// The part of a JSON pointer into a record that the format defines: keys of maps and unknown keys are text of the record.
pub fn known_part(pointer: &str) -> &str {
    let mut shape = RECORD;
    let mut end = 0;
    for part in pointer.split('/').skip(1) {
        let below = match shape {
            RecordShape::Any => None,
            RecordShape::List(item) => is_position(part).then_some(*item),
            RecordShape::Object(known) => known
                .iter()
                .flat_map(|keys| keys.iter())
                .find(|(key, _)| *key == part)
                .map(|(_, shape)| *shape),
        };
        let Some(below) = below else {
            break;
        };
        end += 1 + part.len();
        shape = below;
    }
    &pointer[..end]
}

fn is_position(part: &str) -> bool {
    !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit())
}

fn search(
    node: Node<'_>,
    shape: &RecordShape,
    path: &str,
    pointer: &str,
    found: &mut Vec<UnknownKey>,
) {
    match shape {
        RecordShape::Any => {}
        RecordShape::List(shape) => {
            if node.kind() == JsonKind::Array {
                for (index, item) in node.items().into_iter().enumerate() {
                    let path = format!("{path}[]");
                    search(item, shape, &path, &format!("{pointer}/{index}"), found);
                }
            }
        }
        RecordShape::Object(known) => {
            let known = || known.iter().flat_map(|keys| keys.iter());
            if node.kind() != JsonKind::Object {
                return;
            }
            for member in node.members() {
                let shape = known().find(|(key, _)| *key == member.key);
                if matches!(shape, Some((_, RecordShape::Any))) {
                    continue;
                }
                let dot = if path.is_empty() { "" } else { "." };
                let path = format!("{path}{dot}{}", member.key);
                let part = crate::json::pointer_part(&member.key);
                let pointer = format!("{pointer}/{part}");
                if let Some((_, shape)) = shape {
                    search(member.value, shape, &path, &pointer, found);
                } else if found.len() < MAX_UNKNOWN_KEYS
                    && !found.iter().any(|key| key.path == path)
                {
                    found.push(UnknownKey {
                        near: nearest(&member.key, known().map(|(key, _)| *key)).map(str::to_owned),
                        offset: member.value.offset,
                        pointer,
                        path,
                    });
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_keys_are_reported_once_by_path_and_opaque_parts_are_not_searched() {
        let text = r#"{"metrics":{"setupSeconds":1,"setupTimeSeconds":1,"tokens":{"outputs":1}},"codeAnalysis":{"x":1},
            "validation":{"checks":[{"similarty":1},{"similarty":2}],"install":{"attempts":1}},"colour":1}"#;
        let found: Vec<_> = unknown_keys(Node::parse(text).expect("valid"))
            .into_iter()
            .map(|key| (key.path, key.pointer, key.near))
            .collect();
        assert_eq!(
            found,
            [
                (
                    "metrics.setupTimeSeconds".to_owned(),
                    "/metrics/setupTimeSeconds".to_owned(),
                    Some("setupSeconds".to_owned())
                ),
                (
                    "metrics.tokens.outputs".to_owned(),
                    "/metrics/tokens/outputs".to_owned(),
                    Some("output".to_owned())
                ),
                (
                    "validation.checks[].similarty".to_owned(),
                    "/validation/checks/0/similarty".to_owned(),
                    Some("similarity".to_owned())
                ),
                ("colour".to_owned(), "/colour".to_owned(), None),
            ]
        );
    }
}
