//! Digests of a run, with which the next build detects changes.

use crate::load::RunFiles;
use formats::json::{JsonKind, Node, pointer_part};
use formats::model::digests::{DIGITS, Digests, by_known_part};
use formats::model::findings::RunDigests;
use formats::model::implementation::{FOLDER, Implementation};
use formats::{run_record, sidecar};

use super::Inspection;

/// Deeper than any record; values below are hashed as written.
const DEPTH: usize = 64;

/// The digests of a run: of its record, its files and its annotations.
pub fn digests(record: &str, files: &RunFiles, inspection: &Inspection<'_>) -> RunDigests {
    RunDigests {
        record: record_digests(record),
        files: files
            .digests
            .iter()
            .chain(&inspection.raw)
            .filter(|file| {
                !file.path.contains('/')
                    && file.path != run_record::FILE_NAME
                    && !file.path.ends_with(sidecar::SUFFIX)
            })
            .map(|file| (file.path.clone(), short(&file.blake3)))
            .chain(implementation_digest(&inspection.implementation))
            .collect(),
        annotations: annotation_digests(inspection),
    }
}

/// The digests of the fields of a record.
pub fn record_digests(record: &str) -> Digests {
    by_known_part(&field_digests(record))
}

/// One digest for the whole working tree, because it may have many files. `None` if none is published.
fn implementation_digest(implementation: &Implementation) -> Option<(String, String)> {
    let mut hasher = blake3::Hasher::new();
    for file in &implementation.files {
        hash_text(&mut hasher, &file.digest.path);
        hash_text(&mut hasher, &file.digest.blake3);
        hasher.update(&[u8::from(file.executable)]);
    }
    let is_published = !implementation.files.is_empty();
    is_published.then(|| (format!("{FOLDER}/"), short(&hasher.finalize().to_hex())))
}

/// Digests of the fields of a record by JSON pointer, two levels deep: enough to name what changed without the old record.
fn field_digests(record: &str) -> Digests {
    let mut digests = Digests::new();
    let Ok(root) = Node::parse(record) else {
        return digests;
    };
    let mut add = |pointer: String, value: Node<'_>| {
        let mut hasher = blake3::Hasher::new();
        hash_value(&mut hasher, value, 0);
        digests.insert(pointer, short(&hasher.finalize().to_hex()));
    };
    for member in root.members() {
        let pointer = format!("/{}", pointer_part(&member.key));
        let below = member.value.members();
        if below.is_empty() {
            add(pointer, member.value);
            continue;
        }
        for member in below {
            add(
                format!("{pointer}/{}", pointer_part(&member.key)),
                member.value,
            );
        }
    }
    digests
}

/// Hashes a value, ignoring white space and key order.
fn hash_value(hasher: &mut blake3::Hasher, node: Node<'_>, depth: usize) {
    match node.kind() {
        JsonKind::Object if depth < DEPTH => {
            hasher.update(b"{");
            let mut members = node.members();
            members.sort_by(|a, b| a.key.cmp(&b.key));
            for member in members {
                hash_text(hasher, &member.key);
                hash_value(hasher, member.value, depth + 1);
            }
            hasher.update(b"}");
        }
        JsonKind::Array if depth < DEPTH => {
            hasher.update(b"[");
            for item in node.items() {
                hash_value(hasher, item, depth + 1);
            }
            hasher.update(b"]");
        }
        JsonKind::String => hash_text(hasher, &node.as_str().unwrap_or(node.raw.into())),
        _ => {
            hasher.update(node.raw.as_bytes());
            hasher.update(b",");
        }
    }
}

/// Hashes a text with its length first, so that different sequences of texts never collide.
fn hash_text(hasher: &mut blake3::Hasher, text: &str) {
    hasher.update(b"\"");
    hasher.update(&text.len().to_le_bytes());
    hasher.update(text.as_bytes());
}

fn annotation_digests(inspection: &Inspection<'_>) -> Digests {
    let tapes = inspection
        .tapes
        .iter()
        .zip(&inspection.sidecars)
        .enumerate();
    let mut digests = Digests::new();
    for (index, (tape, sidecar)) in tapes {
        for annotation in sidecar.iter().flat_map(|sidecar| &sidecar.annotations) {
            let label = if index == 0 {
                annotation.label.clone()
            } else {
                format!("{}#{}", tape.file, annotation.label)
            };
            let digest = blake3::hash(annotation.verbatim.0.trim().as_bytes());
            digests.insert(label, short(&digest.to_hex()));
        }
    }
    digests
}

fn short(digest: &str) -> String {
    digest.chars().take(DIGITS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_are_text_of_a_record_are_one_digest_that_changes_with_them() {
        let cut = |record: &str| by_known_part(&field_digests(record));
        let one = cut(
            r#"{"toolCalls": {"s3cret": 1}, "s3cret": 2, "metrics": {"s3cret": 3, "cost": 4}}"#,
        );
        let keys: Vec<&str> = one.keys().map(String::as_str).collect();
        assert_eq!(keys, ["", "/metrics", "/metrics/cost", "/toolCalls"]);
        assert_eq!(by_known_part(&one), one);
        for (place, changed) in [
            (
                "/toolCalls",
                r#"{"toolCalls": {"other": 1}, "s3cret": 2, "metrics": {"s3cret": 3, "cost": 4}}"#,
            ),
            (
                "",
                r#"{"toolCalls": {"s3cret": 1}, "s3cret": 5, "metrics": {"s3cret": 3, "cost": 4}}"#,
            ),
            (
                "/metrics",
                r#"{"toolCalls": {"s3cret": 1}, "s3cret": 2, "metrics": {"s3cret": 5, "cost": 4}}"#,
            ),
        ] {
            let changed = cut(changed);
            let differing = one
                .iter()
                .filter(|(key, it)| changed.get(*key) != Some(*it));
            assert_eq!(differing.map(|(key, _)| key).collect::<Vec<_>>(), [place]);
        }
    }

    #[test]
    fn white_space_and_the_order_of_keys_do_not_count() {
        let one = field_digests(r#"{"a": {"b": 1, "c": ["x", null]}, "d": "\u0061"}"#);
        let other = field_digests(r#"{"d":"a","a":{"c":["x",null],"b":1}}"#);
        assert_eq!(one, other);
        for changed in [
            r#"{"d":"a","a":{"c":["x",null],"b":1.0}}"#,
            r#"{"d":"a","a":{"c":["x"],"b":1}}"#,
            r#"{"d":"a","a":{"c":["x","null"],"b":1}}"#,
        ] {
            let changed = field_digests(changed);
            assert_eq!(one.get("/d"), changed.get("/d"));
            assert_ne!(one, changed);
        }
    }
}
