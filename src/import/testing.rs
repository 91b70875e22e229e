//! What the tests of importers share: a draft as lines of text, and logs that are broken in many ways.

use serde_json::Value;

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

/// Every run of some files.
pub(super) fn runs(
    importer: &dyn Importer,
    files: &[(&str, &[u8])],
    options: &Options,
) -> Vec<Result<Draft, Problem>> {
    let mut runs = Vec::new();
    importer.read(&Source::of(files), options, &mut |run| runs.push(run));
    runs
}

/// The only run of some files.
pub(super) fn run(importer: &dyn Importer, files: &[(&str, &[u8])]) -> Draft {
    let mut runs = runs(importer, files, &Options::default());
    assert_eq!(runs.len(), 1, "{runs:?}");
    runs.remove(0).expect("a run")
}

/// Each event as its JSON.
pub(super) fn json(draft: &Draft) -> Vec<String> {
    let text = |event| serde_json::to_string(event).expect("JSON");
    draft.events.iter().map(text).collect()
}

/// Each event as its type and what tells it apart: `call Bash t1`, `result t1 false`, `user Hello`.
pub(super) fn brief(draft: &Draft) -> Vec<String> {
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

/// What upstream's reader makes of a sample, in the words of `brief`: messages, reasoning, calls and results.
pub(super) fn expected(json: &[u8]) -> Vec<String> {
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

/// The same of a draft.
pub(super) fn comparable(draft: &Draft) -> Vec<String> {
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

/// Counts of a run, in the words of the facts about the samples: user, assistant, reasoning, calls, results, failed.
pub(super) fn counts(draft: &Draft) -> [usize; 6] {
    use crate::formats::trace::Role;
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

/// Uncached, cached, output and reasoning tokens.
pub(super) fn tokens(draft: &Draft) -> [Option<u64>; 4] {
    let tokens = draft.record.tokens;
    [
        tokens.uncached_input,
        tokens.cached_input,
        tokens.output,
        tokens.reasoning,
    ]
}

/// Reads a log of lines that is cut, doubled, in another order, or holds values of other types: nothing panics, and every event
/// is one line of JSON.
pub(super) fn survives(importer: &dyn Importer, name: &str, log: &[u8]) {
    let read = |bytes: &[u8]| {
        for run in runs(importer, &[(name, bytes)], &Options::default())
            .into_iter()
            .flatten()
        {
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
            for pointer in pointers(&value) {
                let mut broken = value.clone();
                let odd = "\"an odd value\"";
                if let Some(place) = broken.pointer_mut(&pointer) {
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

/// A pointer to every value.
fn pointers(value: &Value) -> Vec<String> {
    let mut found = vec![String::new()];
    let children: Vec<(String, &Value)> = match value {
        Value::Object(members) => members
            .iter()
            .map(|(key, value)| (key.clone(), value))
            .collect(),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .map(|(at, item)| (at.to_string(), item))
            .collect(),
        _ => Vec::new(),
    };
    for (key, child) in children {
        let key = key.replace('~', "~0").replace('/', "~1");
        found.extend(
            pointers(child)
                .into_iter()
                .map(|below| format!("/{key}{below}")),
        );
    }
    found
}
