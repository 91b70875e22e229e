//! The keys that a recorder keeps of gg's lines (replay.md 12): they go through types that drop the keys they do not know, so only keys
//! that appear in the event log can be compared before two events are paired.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::digest::{put, put_text};
use crate::{jsonl, replay};

/// Most bytes of all paths, and of one: further keys are not compared.
const MAX_TOTAL_BYTES: usize = 1 << 20;
const MAX_PATH_BYTES: usize = 1 << 10;

/// Paths of the keys that recorded lines have. A path begins with the type of its line.
#[derive(Debug, Default)]
pub(super) struct RecordedKeys {
    paths: BTreeSet<String>,
    bytes: usize,
}

impl RecordedKeys {
    /// The keys that an event log has.
    pub(super) fn new(log: &[u8]) -> Self {
        let mut keys = Self::default();
        for line in jsonl::lines(log) {
            let event = serde_json::from_str::<Map<String, Value>>(&line.text);
            if let Some(line) = event.ok().as_ref().and_then(|event| event.get("event")) {
                keys.add(line, &mut path(line));
            }
        }
        keys
    }

    fn add(&mut self, value: &Value, path: &mut String) {
        match value {
            Value::Object(members) => {
                for (key, value) in members {
                    let length = enter(path, key);
                    if path.len() <= MAX_PATH_BYTES && self.bytes + path.len() <= MAX_TOTAL_BYTES {
                        if !self.paths.contains(path) {
                            self.bytes += path.len();
                            self.paths.insert(path.clone());
                        }
                        self.add(value, path);
                    }
                    path.truncate(length);
                }
            }
            Value::Array(items) => items.iter().for_each(|item| self.add(item, path)),
            _ => (),
        }
    }

    /// Writes these keys of a line. Empty values are left out: types write them, or not, for keys that a line does not have.
    pub(super) fn put(&self, line: &Value, into: &mut Vec<u8>) {
        self.put_value(line, &mut path(line), into);
    }

    fn put_value(&self, value: &Value, path: &mut String, into: &mut Vec<u8>) {
        match value {
            Value::Object(members) => {
                let mut members: Vec<_> = members.iter().collect();
                members.sort_unstable_by_key(|(key, _)| *key);
                into.push(b'{');
                for (key, value) in members {
                    let length = enter(path, key);
                    let has_path = path.len() <= MAX_PATH_BYTES && self.paths.contains(path);
                    if has_path && !replay::is_default(value) {
                        put_text(key, into);
                        self.put_value(value, path, into);
                    }
                    path.truncate(length);
                }
                into.push(b'}');
            }
            Value::Array(items) => {
                into.push(b'[');
                for item in items {
                    self.put_value(item, path, into);
                }
                into.push(b']');
            }
            _ => put(value, into),
        }
    }
}

/// The beginning of the paths of a line.
fn path(line: &Value) -> String {
    let kind = line.get("type").and_then(Value::as_str);
    kind.unwrap_or_default().to_owned()
}

/// Appends a key to a path. Returns its length without the key.
fn enter(path: &mut String, key: &str) -> usize {
    let length = path.len();
    path.push('/');
    path.push_str(key);
    length
}
