//! What the tests of importers share: runs of a sample, their counts, one line per event, and mutations.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::formats::trace::Role;

use super::loose::without;
use super::{Draft, Importer, Options, Problem, Source, What};

/// What an importer makes of files.
pub fn read(importer: &dyn Importer, files: &[(&str, &[u8])]) -> Vec<Result<Draft, Problem>> {
    read_with(importer, files, &Options::default())
}

/// The same with options.
pub fn read_with(
    importer: &dyn Importer,
    files: &[(&str, &[u8])],
    options: &Options,
) -> Vec<Result<Draft, Problem>> {
    let mut runs = Vec::new();
    importer.read(&Source::of(files), options, &mut |run| runs.push(run));
    runs
}

/// The only run of a file.
pub fn only(importer: &dyn Importer, name: &str, bytes: &[u8]) -> Draft {
    let mut runs = read(importer, &[(name, bytes)]);
    assert_eq!(runs.len(), 1, "{runs:?}");
    runs.remove(0).expect("a run")
}

/// Counts of the main agent, those that are not 0.
pub fn counts(draft: &Draft) -> String {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    let mut calls: Vec<(&str, bool)> = Vec::new();
    for event in draft.events.iter().filter(|event| event.agent.is_none()) {
        let mut count = |what| *counts.entry(what).or_default() += 1;
        match &event.what {
            What::Message { role, .. } => count(match role {
                Role::User => "user",
                Role::Assistant => "assistant",
            }),
            What::Reasoning { .. } => count("reasoning"),
            What::ToolCall(call) => {
                count("calls");
                calls.push((call.call.as_deref().unwrap_or_default(), false));
            }
            What::ToolResult(result) => {
                let id = result.call.as_deref().unwrap_or("-");
                match calls.iter_mut().find(|call| **call == (id, false)) {
                    Some(call) => {
                        call.1 = true;
                        count("results");
                        match result.ok {
                            Some(false) => count("failed"),
                            None if result.status.as_deref() != Some("rejected") => {
                                count("unflagged");
                            }
                            _ => {}
                        }
                    }
                    None => count("orphans"),
                }
            }
            What::Edit { .. } => count("edits"),
            What::Compaction { .. } => count("compactions"),
            What::Error { .. } => count("errors"),
            What::Unknown { .. } => count("unknown"),
            _ => {}
        }
    }
    let unanswered = calls.iter().filter(|call| !call.1).count() as u64;
    counts.insert("unanswered", unanswered);
    let system = draft.withheld.get("systemPrompts").copied();
    counts.insert("system", system.unwrap_or_default());
    counts.retain(|_, count| *count > 0);
    let counts: Vec<String> = counts
        .iter()
        .map(|(what, count)| format!("{what} {count}"))
        .collect();
    counts.join(", ")
}

/// The classes of tokens in the order of the format, `-` for one that is unknown.
pub fn tokens(draft: &Draft) -> String {
    let tokens = draft.record.tokens;
    let classes = [
        tokens.uncached_input,
        tokens.cached_input,
        tokens.output,
        tokens.reasoning,
    ];
    classes
        .map(|class| class.map_or_else(|| "-".to_owned(), |count| count.to_string()))
        .join("/")
}

/// A line for each event but usage.
pub fn outline(draft: &Draft) -> String {
    let mut lines = String::new();
    for event in &draft.events {
        if matches!(event.what, What::Usage { .. }) {
            continue;
        }
        let json = serde_json::value::to_raw_value(event).expect("JSON");
        let shown = without(&json, &["source", "time", "localTime"]).expect("an object");
        lines.push_str(shown.get());
        lines.push('\n');
    }
    lines
}

/// Reads files that are cut, and files whose values are replaced by ones of another type or removed: nothing may panic, and
/// what comes out has its sources.
pub fn survive(importer: &dyn Importer, files: &[(&str, &[u8])]) {
    let check = |index: usize, bytes: &[u8]| {
        let mut files = files.to_vec();
        files[index].1 = bytes;
        for draft in read(importer, &files).into_iter().flatten() {
            let known = draft.sources.len();
            assert!(draft.events.iter().all(|event| event.source.file < known));
            assert!(serde_json::to_string(&draft.events).is_ok());
        }
    };
    for (index, (_, bytes)) in files.iter().enumerate() {
        for end in (0..bytes.len()).step_by(64) {
            check(index, &bytes[..end]);
        }
        let Ok(value) = serde_json::from_slice::<Value>(bytes) else {
            continue;
        };
        let mut pointers = Vec::new();
        walk(&value, String::new(), &mut pointers);
        // Of a large file, some values.
        for pointer in pointers.iter().step_by(1 + pointers.len() / 150) {
            let others = [
                json!(null),
                json!(-7.5),
                json!("x\u{0}y"),
                json!([1, {}, []]),
                json!({"a": [1], "text": 3}),
                json!(true),
            ];
            for other in others {
                let mut changed = value.clone();
                if let Some(place) = changed.pointer_mut(pointer) {
                    *place = other;
                }
                check(index, changed.to_string().as_bytes());
            }
            let mut changed = value.clone();
            if let Some((above, key)) = pointer.rsplit_once('/')
                && let Some(Value::Object(object)) = changed.pointer_mut(above)
            {
                object.remove(key);
                check(index, changed.to_string().as_bytes());
            }
        }
    }
}

fn walk(value: &Value, pointer: String, pointers: &mut Vec<String>) {
    match value {
        Value::Array(items) => {
            for (n, item) in items.iter().enumerate() {
                walk(item, format!("{pointer}/{n}"), pointers);
            }
        }
        Value::Object(members) => {
            for (key, item) in members {
                let key = key.replace('~', "~0").replace('/', "~1");
                walk(item, format!("{pointer}/{key}"), pointers);
            }
        }
        _ => {}
    }
    pointers.push(pointer);
}
