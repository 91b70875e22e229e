//! The top-level keys of a JSON value, and of the first row in it.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::value::RawValue;

/// The type of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Top {
    Object,
    Array,
    Other,
}

/// The top-level structure of a JSON value.
#[derive(Debug)]
pub(super) struct Shape {
    pub(super) top: Top,
    /// Keys of an object, or of the first object in an array.
    pub(super) keys: BTreeSet<String>,
    /// String values of some keys.
    texts: BTreeMap<&'static str, String>,
    /// Keys with an array value.
    arrays: BTreeSet<String>,
    /// Keys of the first object in the array named last in `ROWS`.
    row: BTreeSet<String>,
    /// The value of its `kind`.
    pub(super) kind: String,
    /// Whether it has `message.role`.
    pub(super) role: bool,
}

const TEXTS: [&str; 5] = [
    "schema_version",
    "session_id",
    "thread_id",
    "trajectory_format",
    "type",
];
const ROWS: [&str; 2] = ["history", "items"];

type Object<'a> = BTreeMap<Cow<'a, str>, &'a RawValue>;

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    role: Option<&'a RawValue>,
}

impl Shape {
    pub(super) fn has(&self, key: &str) -> bool {
        self.top == Top::Object && self.keys.contains(key)
    }

    pub(super) fn text(&self, key: &str) -> &str {
        self.texts.get(key).map_or("", String::as_str)
    }

    pub(super) fn is_array(&self, key: &str) -> bool {
        self.arrays.contains(key)
    }

    pub(super) fn row_has(&self, keys: &[&str]) -> bool {
        keys.iter().all(|key| self.row.contains(*key))
    }

    pub(super) fn row_is(&self, keys: &[&str]) -> bool {
        self.row.len() == keys.len() && self.row_has(keys)
    }

    /// Whether it looks like a line of a log rather than a document.
    pub(super) fn is_row(&self) -> bool {
        self.has("type") || self.has("timestamp")
    }

    /// Its keys, for a message.
    pub(super) fn seen(&self) -> String {
        let keys = if self.top == Top::Object {
            &self.keys
        } else {
            &self.row
        };
        let named: Vec<String> = keys
            .iter()
            .take(8)
            .map(|key| format!("`{}`", key.chars().take(32).collect::<String>()))
            .collect();
        match (self.top, named.is_empty()) {
            (Top::Other, _) => "no object".to_owned(),
            (_, true) => "no keys".to_owned(),
            (Top::Object, false) => named.join(", "),
            (Top::Array, false) => format!("elements with {}", named.join(", ")),
        }
    }
}

/// Reads a document.
pub(super) fn document(bytes: &[u8]) -> Result<Shape, String> {
    let value: &RawValue = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    Ok(shape(value))
}

/// The first eight lines that can be parsed.
pub(super) fn rows(bytes: &[u8]) -> Vec<Shape> {
    let lines = bytes.split(|byte| *byte == b'\n').take(64);
    let lines = lines.filter(|line| line.trim_ascii().starts_with(b"{"));
    lines
        .filter_map(|line| document(line).ok())
        .take(8)
        .collect()
}

fn shape(value: &RawValue) -> Shape {
    let mut shape = Shape {
        top: Top::Other,
        keys: BTreeSet::new(),
        texts: BTreeMap::new(),
        arrays: BTreeSet::new(),
        row: BTreeSet::new(),
        kind: String::new(),
        role: false,
    };
    let text = value.get();
    if text.starts_with('[') {
        shape.top = Top::Array;
        shape.first(text);
    } else if let Ok(object) = serde_json::from_str::<Object>(text) {
        shape.top = Top::Object;
        for (key, value) in &object {
            if value.get().starts_with('[') {
                shape.arrays.insert(key.to_string());
                if ROWS.contains(&&**key) {
                    shape.first(value.get());
                }
            }
            if let Some(key) = TEXTS.iter().find(|known| *known == key) {
                let text = serde_json::from_str(value.get()).unwrap_or_default();
                shape.texts.insert(key, text);
            }
            if key == "message" {
                let message = serde_json::from_str::<Message>(value.get());
                shape.role = message.is_ok_and(|message| message.role.is_some());
            }
        }
        shape.keys = object.into_keys().map(Cow::into_owned).collect();
    }
    shape
}

impl Shape {
    fn first(&mut self, array: &str) {
        let rows: Vec<&RawValue> = serde_json::from_str(array).unwrap_or_default();
        let mut rows = rows.iter();
        if let Some(row) = rows.find_map(|row| serde_json::from_str::<Object>(row.get()).ok()) {
            let kind = row.get("kind").map(|kind| serde_json::from_str(kind.get()));
            self.kind = kind.and_then(Result::ok).unwrap_or_default();
            self.row = row.into_keys().map(Cow::into_owned).collect();
        }
    }
}
