//! Shared by the tests of importers: runs of a sample, their counts, their events as lines of text, and mutations.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::formats::trace::Role;

use super::loose::without;
use super::{Draft, Importer, Options, Problem, Source, What};

/// A sample below `tests/fixtures/import`.
macro_rules! sample {
    ($path:literal) => {
        include_bytes!(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/fixtures/import/",
            $path
        ))
    };
}
pub(super) use sample;

/// Imports some files.
pub fn read(importer: &dyn Importer, files: &[(&str, &[u8])]) -> Vec<Result<Draft, Problem>> {
    read_with(importer, files, &Options::default())
}

/// Imports some files with options.
pub fn read_with(
    importer: &dyn Importer,
    files: &[(&str, &[u8])],
    options: &Options,
) -> Vec<Result<Draft, Problem>> {
    let mut runs = Vec::new();
    importer.read(&Source::of(files), options, &mut |run| runs.push(run));
    runs
}

/// The single run of a file.
pub fn only(importer: &dyn Importer, name: &str, bytes: &[u8]) -> Draft {
    run(importer, &[(name, bytes)])
}

/// The single run of some files.
pub fn run(importer: &dyn Importer, files: &[(&str, &[u8])]) -> Draft {
    let mut runs = read(importer, files);
    assert_eq!(runs.len(), 1, "{runs:?}");
    runs.remove(0).expect("a run")
}

/// Non-zero counts of the main agent.
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
            _ => {}
        }
    }
    let unknown_rows: u64 = draft.unknown_rows.values().sum();
    *counts.entry("unknown").or_default() += unknown_rows;
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

/// The token classes in the order of the format, with `-` for an unknown one.
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

/// One line per event, without usage.
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

/// Reads truncated files, and files with values removed or replaced by another type. Nothing may panic, and the result must
/// have its sources.
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
        // Only some values of a large file.
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

/// Each event as its JSON.
pub fn json(draft: &Draft) -> Vec<String> {
    let text = |event| serde_json::to_string(event).expect("JSON");
    draft.events.iter().map(text).collect()
}

/// Each event as its type and distinguishing fields: `call Bash t1`, `result t1 false`, `user Hello`.
pub fn brief(draft: &Draft) -> Vec<String> {
    let word = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let mut lines = Vec::new();
    for event in json(draft) {
        let event: Value = serde_json::from_str(&event).expect("JSON");
        let mut line = match event["type"].as_str().expect("a type") {
            "message" => word(&event["role"]),
            "tool_call" => "call".to_owned(),
            "tool_result" => "result".to_owned(),
            other => other.to_owned(),
        };
        let keys = [
            "name", "action", "call", "id", "path", "change", "ok", "exitCode", "status", "kind",
            "text", "message", "branch", "agent",
        ];
        for key in keys {
            if let Some(value) = event.get(key) {
                let prefix = match key {
                    "branch" | "agent" => format!("@{key}="),
                    _ => String::new(),
                };
                line += &format!(" {prefix}{}", word(value));
            }
        }
        lines.push(line);
    }
    lines
}

/// The output of the upstream reader for a sample, in the format of `brief`: messages, reasoning, calls and results.
pub fn expected(json: &[u8]) -> Vec<String> {
    let expected: Value = serde_json::from_slice(json).expect("JSON");
    let mut lines = Vec::new();
    for record in expected["records"].as_array().expect("records") {
        let content = record["content"].as_str();
        match record["role"].as_str().expect("a role") {
            "meta" => {}
            "tool" => lines.push(format!(
                "result {}",
                record["tool_call_id"].as_str().expect("an id")
            )),
            role => {
                lines.extend(content.map(|content| format!("{role} {content}")));
                for call in record["tool_calls"].as_array().into_iter().flatten() {
                    let (name, id) = (call["name"].as_str(), call["id"].as_str());
                    lines.push(format!(
                        "call {} {}",
                        name.expect("a name"),
                        id.expect("an id")
                    ));
                }
            }
        }
    }
    lines
}

/// A draft in the format of `expected`.
pub fn comparable(draft: &Draft) -> Vec<String> {
    let lines = draft.events.iter().zip(brief(draft));
    lines
        .filter_map(|(event, line)| match &event.what {
            What::Message { .. } | What::Reasoning { .. } | What::ToolCall(_) => Some(line),
            What::ToolResult(result) => Some(format!(
                "result {}",
                result.call.clone().unwrap_or_default()
            )),
            _ => None,
        })
        .collect()
}

/// Counts of a run, in the order of the facts about the samples: user, assistant, reasoning, calls, results, failed.
pub fn tally(draft: &Draft) -> [usize; 6] {
    let count =
        |is: &dyn Fn(&What) -> bool| draft.events.iter().filter(|event| is(&event.what)).count();
    let said = |by: Role| {
        count(
            &|what| matches!(what, What::Message { role, text, .. } if *role == by && !text.trim().is_empty()),
        )
    };
    [
        said(Role::User),
        said(Role::Assistant),
        count(&|what| matches!(what, What::Reasoning { .. })),
        count(&|what| matches!(what, What::ToolCall(call) if !call.hosted)),
        count(&|what| matches!(what, What::ToolResult(_))),
        count(&|what| matches!(what, What::ToolResult(result) if result.ok == Some(false))),
    ]
}

/// Reads a JSON Lines log that is truncated, duplicated, reordered, or has values of other types. Nothing may panic, and every
/// event must be one line of JSON.
pub fn survives(importer: &dyn Importer, name: &str, log: &[u8]) {
    let read = |bytes: &[u8]| {
        for run in self::read(importer, &[(name, bytes)]).into_iter().flatten() {
            for line in json(&run) {
                assert!(!line.contains('\n'), "{line}");
            }
        }
    };
    let lines: Vec<&[u8]> = log.split_inclusive(|byte| *byte == b'\n').collect();
    for at in 0..lines.len() {
        read(&lines[..at].concat());
        let start: usize = lines[..at].iter().map(|line| line.len()).sum();
        read(&log[..start + lines[at].len() / 2]);
        let mut changed = lines.clone();
        changed.insert(at, lines[at]);
        read(&changed.concat());
        changed = lines.clone();
        changed.swap(at, (at + 3) % lines.len());
        read(&changed.concat());
        for other in [
            "{\"type\":\"of the future\",\"payload\":{}}\n",
            "17\n",
            "[[]]\n",
            "\"text\"\n",
            "{\"type\":[],\"message\":7,\"payload\":[1]}\n",
            "\u{feff}{}\n",
        ] {
            let mut changed = lines.clone();
            changed.insert(at, other.as_bytes());
            read(&changed.concat());
        }
        let Ok(value) = serde_json::from_slice::<Value>(lines[at]) else {
            continue;
        };
        let mut pointers = Vec::new();
        walk(&value, String::new(), &mut pointers);
        for other in [
            "null",
            "7",
            "-1.5",
            "true",
            "\"<text>\"",
            "[]",
            "{}",
            "[[\"a\"],{\"type\":3}]",
            "\"\\ud83d\"",
        ] {
            for pointer in &pointers {
                let mut broken = value.clone();
                let odd = "\"an odd value\"";
                if let Some(place) = broken.pointer_mut(pointer) {
                    *place = Value::String("an odd value".to_owned());
                }
                let broken = broken.to_string().replace(odd, other) + "\n";
                let mut changed = lines.clone();
                changed[at] = broken.as_bytes();
                read(&changed.concat());
            }
        }
    }
    let backwards: Vec<&[u8]> = lines.iter().rev().copied().collect();
    read(&backwards.concat());
}
