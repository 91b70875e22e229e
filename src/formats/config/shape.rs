//! Schemas of values of site.toml that cannot be derived from their Rust types.

use schemars::{Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};

use super::Expectation;
use base::diagnostics::codes;
use base::shapes::HTTP_ADDRESS;

/// As [`base::url::is_host`], without the limit on the length.
pub(super) const HOST: &str =
    r"^[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?(\.[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?)*$";

/// As [`super::read`] accepts a DOI; an empty string means none.
pub(super) const DOI: &str = r"^(10\.[0-9]{4,9}(\.[0-9]+)*/[A-Za-z0-9:/_;.()\[\]-]+)?$";

/// A string, or a list of strings.
pub(super) fn one_or_more(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": ["string", "array"], "items": { "type": "string" } })
}

/// As [`base::url::HttpUrl::base`]; an empty string means no URL.
pub(super) fn base_url(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "string",
        "pattern": format!("^({HTTP_ADDRESS})?$"),
        "not": { "pattern": "[?#]" },
        "examples": ["https://example.org/runs/"],
    })
}

/// A link in the header: a URL, or a path that [`base::url::is_site_path`] accepts.
pub(super) fn link(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "string",
        "anyOf": [
            { "pattern": format!("^{HTTP_ADDRESS}$") },
            { "pattern": r"^(?!/)(?!(.*/)?\.\.(/|$))[A-Za-z0-9_./#-]+$" },
        ],
        "examples": ["guide/index.html", "https://example.org/"],
    })
}

/// A number of bytes, or text with a unit.
pub(super) fn size(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "anyOf": [
            { "type": "integer", "minimum": 1 },
            { "type": "string", "pattern": r"^\s*0*[1-9][0-9]*\s*(B|KiB|MiB|GiB)?\s*$" },
        ],
        "examples": ["64 MiB"],
    })
}

/// The words for keys that the type holds as booleans or severities.
pub(super) fn policy(schema: &mut Schema) {
    choice(schema, "on_invalid", &["fail", "quarantine"]);
    choice(schema, "stale_annotations", &["error", "warn"]);
    choice(schema, "raw_audit", &["warning", "error", "off"]);
}

/// The names of [`super::HOSTS`]; by default no host.
pub(super) fn publish(schema: &mut Schema) {
    let names = super::HOSTS.each_ref().map(|host| host.name);
    set(schema, "host", "enum", json!(names));
    choice(schema, "run_folders", &["flat", "prefixed"]);
    choice(schema, "downloads", &["files", "none"]);
}

/// The words of [`super::FindingLevel`].
pub(super) fn secrets(schema: &mut Schema) {
    choice(schema, "personal", &["off", "note", "error"]);
    choice(schema, "paths", &["note", "off", "error"]);
}

/// Requires a reason and a condition.
pub(super) fn allowance(schema: &mut Schema) {
    schema.insert("required".to_owned(), json!(["reason"]));
    let conditions = ["fingerprint", "rule", "path"].map(|key| json!({ "required": [key] }));
    schema.insert("anyOf".to_owned(), json!(conditions));
}

/// Requires all keys, and a code that can be expected.
pub(super) fn expectation(schema: &mut Schema) {
    schema.insert("required".to_owned(), json!(["code", "run", "reason"]));
    let codes = codes::all().filter(|code| Expectation::includes(code));
    let mut names: Vec<_> = codes.map(|code| code.name).collect();
    names.sort_unstable();
    set(schema, "code", "enum", json!(names));
}

/// The words of [`super::RunSelection`].
pub(super) fn site(schema: &mut Schema) {
    choice(schema, "stories", &["annotated", "all", "none"]);
    choice(schema, "cards", &["none", "annotated", "all"]);
}

/// A key with a choice of words; the first is the default.
fn choice(schema: &mut Schema, key: &str, words: &[&str]) {
    set(schema, key, "enum", json!(words));
    set(schema, key, "default", json!(words[0]));
}

fn set(schema: &mut Schema, key: &str, keyword: &str, value: Value) {
    if let Some(property) = schema.pointer_mut(&format!("/properties/{key}")) {
        property[keyword] = value;
    }
}

/// Requires only the path of an entry.
pub(super) fn import(rule: &mut Schema) {
    rule.insert("required".to_owned(), json!(["path"]));
    if let Some(path) = rule
        .pointer_mut("/properties/path")
        .and_then(Value::as_object_mut)
    {
        path.remove("default");
    }
}
