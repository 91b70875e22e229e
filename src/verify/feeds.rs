//! Compares the feeds with their schemas and with `feeds/index.json`.

use std::collections::BTreeMap;

use jsonschema::Validator;
use rayon::prelude::*;
use serde::Deserialize;
use serde_json::Value;

use base::diagnostics::text::{quoted, visible};
use base::diagnostics::{Diagnostic, Place, codes};
use pages::schema::{self, SchemaSubject};

use super::copy::{SiteCopy, missing};

/// The list of feeds.
pub(crate) const INDEX: &str = "feeds/index.json";
/// The path of `run.json` in the table of schemas.
const RUN: &str = "runs/<slug>/run.json";
/// Maximum violations that are reported for one document or line.
const MOST: usize = 3;
/// Maximum lines of one feed that are reported.
const LINES: usize = 20;

/// The documents of the feeds over all runs, by path. A feed of lines is an array.
pub(crate) type Documents = BTreeMap<String, Value>;

#[derive(Debug, Deserialize)]
struct Index {
    feeds: Vec<Feed>,
}

#[derive(Debug, Deserialize)]
struct Feed {
    path: String,
    bytes: u64,
    blake3: String,
}

/// Checks all feeds, and returns those that can be read.
pub(crate) fn check(copy: &SiteCopy, problems: &mut Vec<Diagnostic>) -> Documents {
    let index = copy.read_some(INDEX, problems);
    if index.is_none() {
        problems.push(missing(INDEX));
    }
    let index: Option<Index> = index.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    for feed in index.iter().flat_map(|index| &index.feeds) {
        match copy.read_some(&feed.path, problems) {
            None => problems.push(missing(&feed.path)),
            Some(bytes) => problems.extend(changed(
                &feed.path,
                &bytes,
                feed.bytes,
                &feed.blake3,
                "`feeds/index.json` lists",
            )),
        }
    }
    let published = schema::ALL.iter().filter_map(|entry| match entry.subject {
        SchemaSubject::Feed(path) if path != RUN => Some((path, entry)),
        _ => None,
    });
    let read = published.par_bridge().filter_map(|(path, entry)| {
        let mut found = Vec::new();
        let bytes = copy.read_some(path, &mut found)?;
        let validator = validator(entry);
        let document = if path.ends_with("jsonl") {
            Value::Array(lines(path, &bytes, validator.as_ref(), &mut found))
        } else {
            document(path, &bytes, validator.as_ref(), &mut found)?
        };
        Some((path.to_owned(), document, found))
    });
    let mut documents = Documents::new();
    for (path, document, found) in read.collect::<Vec<_>>() {
        documents.insert(path, document);
        problems.extend(found);
    }
    documents
}

/// The schema of `run.json`.
pub(crate) fn run_validator() -> Option<Validator> {
    let is_run = |entry: &&schema::SchemaEntry| entry.subject == SchemaSubject::Feed(RUN);
    schema::ALL.iter().find(is_run).and_then(validator)
}

fn validator(entry: &schema::SchemaEntry) -> Option<Validator> {
    let schema = serde_json::from_str(&entry.document()).ok()?;
    jsonschema::draft202012::new(&schema).ok()
}

/// The problem of a file whose size or digest differs from those that are listed.
pub(crate) fn changed(
    path: &str,
    bytes: &[u8],
    size: u64,
    blake3: &str,
    listed: &str,
) -> Option<Diagnostic> {
    let found = blake3::hash(bytes).to_hex();
    if bytes.len() as u64 == size && found.as_str() == blake3 {
        return None;
    }
    Some(codes::VERIFY_CHANGED_FEED.at(
        Place::file(path),
        format!(
            "{} has {} bytes with the BLAKE3 `{found}`, and {listed} {size} bytes with `{}`",
            quoted(path),
            bytes.len(),
            visible(blake3)
        ),
        "One of the two files was changed after the build. Get the site from the publisher again.",
    ))
}

fn lines(
    path: &str,
    bytes: &[u8],
    validator: Option<&Validator>,
    problems: &mut Vec<Diagnostic>,
) -> Vec<Value> {
    let mut values = Vec::new();
    let mut broken = 0;
    for (line, number) in bytes.split_inclusive(|byte| *byte == b'\n').zip(1..) {
        let place = Place {
            line: Some(number),
            ..Place::file(path)
        };
        let before = problems.len();
        values.extend(value(&place, line, validator, problems));
        if problems.len() > before {
            broken += 1;
            if broken > LINES {
                problems.truncate(before);
            }
        }
    }
    values
}

/// Reads a document and compares it with its schema.
pub(crate) fn document(
    path: &str,
    bytes: &[u8],
    validator: Option<&Validator>,
    problems: &mut Vec<Diagnostic>,
) -> Option<Value> {
    value(&Place::file(path), bytes, validator, problems)
}

fn value(
    place: &Place,
    bytes: &[u8],
    validator: Option<&Validator>,
    problems: &mut Vec<Diagnostic>,
) -> Option<Value> {
    let what = match place.line {
        Some(line) => format!("Line {line} of {}", quoted(&place.path)),
        None => quoted(&place.path),
    };
    let help = "It was changed after the build, or built by another version of runpress: verify a site with the version that built it.";
    let value: Value = match serde_json::from_slice(bytes) {
        Ok(value) => value,
        Err(error) => {
            let message = format!("{what} is not JSON: {error}");
            problems.push(codes::VERIFY_INVALID_FEED.at(place.clone(), message, help));
            return None;
        }
    };
    let errors = validator.into_iter().flat_map(|it| it.iter_errors(&value));
    for error in errors.take(MOST) {
        // The error itself would quote the value.
        let message = format!(
            "{what} does not match its schema at `{}`",
            visible(error.schema_path().as_str())
        );
        let place = place.clone().pointing(error.instance_path().as_str());
        problems.push(codes::VERIFY_INVALID_FEED.at(place, message, help));
    }
    Some(value)
}
