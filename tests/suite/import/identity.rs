//! No text field of any log publishes a home folder or a user, however it is spelled.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use runpress::api::import::{ImportEvent, import};
use serde_json::Value;

/// Samples of every format, below the fixtures. What a folder has besides logs is copied.
const SAMPLES: &[&str] = &[
    "cases/claude-cost",
    "cases/claude-fork",
    "cases/codex-code-mode",
    "cases/codex-injected-context",
    "cases/codex-subagent-counter",
    "cases/codex-usage-records",
    "cases/openhands-acp",
    "import/atif/letta-tool-calls/input.json",
    "import/atif/nemo-exmp06.json",
    "import/claude-code/ccl-representative_messages.jsonl",
    "import/claude-code/ccl-showcase",
    "import/claude-code/made-newer",
    "import/codex/ccl",
    "import/codex/letta-tool-calls/input.jsonl",
    "import/harbor/2026-03-01__12-00-00",
    "import/inspect/log_images.json",
    "import/inspect/log_tool_call_error.json",
    "import/mini-swe-agent/made-limits.traj.json",
    "import/mini-swe-agent/made-toolcall.traj.json",
    "import/openhands/v0-basic.json",
    "import/openhands/v1-made",
    "import/swe-agent/function_calling_simple.traj",
];

/// How many rows of a log, or entries of a list, can differ in their fields.
const ROWS: usize = 400;

/// The documents of a file: its lines, or the whole file.
struct Log {
    path: PathBuf,
    documents: Vec<Value>,
}

fn logs(folder: &Path) -> Vec<Log> {
    let mut logs = Vec::new();
    for entry in walkdir::WalkDir::new(folder).sort_by_file_name() {
        let path = entry.expect("an entry").into_path();
        let ending = path.extension().and_then(|ending| ending.to_str());
        let Some("json" | "jsonl" | "traj") = ending else {
            continue;
        };
        let text = fs::read_to_string(&path).expect("a text");
        let documents: Result<Vec<Value>, _> = match ending {
            Some("jsonl") => text.lines().map(serde_json::from_str).collect(),
            _ => serde_json::from_str(&text).map(|value| vec![value]),
        };
        // A damaged log has its own tests.
        if let Ok(documents) = documents {
            logs.push(Log { path, documents });
        }
    }
    logs
}

/// Visits every text with the path of its field. Entries of lists have one path for each kind of entry.
fn texts(value: &mut Value, path: &str, visit: &mut dyn FnMut(&str, &mut String)) {
    match value {
        Value::String(text) => visit(path, text),
        Value::Array(entries) => {
            for entry in entries.iter_mut().take(ROWS) {
                texts(entry, &format!("{path}/{}", kind(entry)), visit);
            }
        }
        Value::Object(fields) => {
            for (name, field) in fields {
                texts(field, &format!("{path}/{name}"), visit);
            }
        }
        _ => {}
    }
}

/// What kind of entry or row this is, by the keys that formats use.
fn kind(entry: &Value) -> String {
    let names = [
        "type",
        "kind",
        "event",
        "role",
        "source",
        "action",
        "observation",
    ];
    let named = names.iter().filter_map(|name| entry[name].as_str());
    let inner = entry["payload"]["type"].as_str();
    let item = entry["payload"]["item"]["type"].as_str();
    named
        .chain(inner)
        .chain(item)
        .fold("*".to_owned(), |all, name| format!("{all}.{name}"))
}

/// Everything that an import of a folder writes and reports, but not the names of files that the caller chose.
fn published(folder: &Path, out: &Path) -> String {
    let request = super::request(folder.to_owned(), out.to_owned());
    let mut all = String::new();
    import(&request, &mut |said| {
        if let ImportEvent::Run(report, _) = said {
            all += &serde_json::to_string(&report).expect("JSON");
        }
    });
    for entry in walkdir::WalkDir::new(out) {
        let Ok(entry) = entry else { continue };
        all += &entry
            .path()
            .strip_prefix(out)
            .expect("inside")
            .to_string_lossy();
        if entry.file_type().is_file() {
            all += &String::from_utf8_lossy(&fs::read(entry.path()).expect("a file"));
        }
    }
    all
}

/// The fields of a sample that publish one of the spellings, if it is written there.
fn leaks(sample: &str, spellings: &[String]) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let source = crate::support::fixture(sample);
    let logs_in = folder.path().join("logs");
    let place = if source.is_file() {
        source.parent().expect("a folder")
    } else {
        &*source
    };
    for entry in walkdir::WalkDir::new(&source) {
        let path = entry.expect("an entry").into_path();
        if path.is_file() {
            let to = logs_in.join(path.strip_prefix(place).expect("inside"));
            fs::create_dir_all(to.parent().expect("a folder")).expect("a folder");
            fs::copy(&path, to).expect("a copy");
        }
    }
    let mut found = Vec::new();
    for log in logs(&logs_in) {
        let before = fs::read(&log.path).expect("a file");
        let mut fields = BTreeSet::new();
        let each = |documents: &mut [Value], visit: &mut dyn FnMut(&str, &mut String)| {
            for document in documents.iter_mut().take(ROWS) {
                texts(document, &kind(document), visit);
            }
        };
        let mut documents = log.documents.clone();
        each(&mut documents, &mut |path, _| {
            fields.insert(path.to_owned());
        });
        let all = spellings.join("\n");
        for (number, field) in fields.iter().enumerate() {
            // A value of its own, one that follows what was there, and all of them.
            let one = &spellings[number % spellings.len()];
            let ways: [&dyn Fn(&str) -> String; 3] = [
                &|_| one.clone(),
                &|before| format!("{before} {one}"),
                &|before| format!("{before}\n{all}"),
            ];
            for way in ways {
                let mut documents = log.documents.clone();
                each(&mut documents, &mut |path, text| {
                    if path == field {
                        *text = way(text);
                    }
                });
                let texts: Vec<String> = documents.iter().map(Value::to_string).collect();
                fs::write(&log.path, texts.join("\n")).expect("a file");
                let out = folder.path().join("runs");
                let all = published(&logs_in, &out);
                if let Some(at) = all.find("zelda") {
                    let start = all.floor_char_boundary(at.saturating_sub(80));
                    let end = all.ceil_char_boundary((at + 40).min(all.len()));
                    found.push(format!("{sample} {field}: …{}…", &all[start..end]));
                }
                if out.exists() {
                    fs::remove_dir_all(&out).expect("a removal");
                }
            }
        }
        fs::write(&log.path, before).expect("a file");
    }
    found
}

#[test]
fn no_text_field_of_any_log_publishes_a_home_folder_or_a_user() {
    let spellings = fs::read_to_string(crate::support::fixture("spellings.json")).expect("a file");
    let spellings: Vec<String> = serde_json::from_str(&spellings).expect("a list");
    let found: Vec<String> = SAMPLES
        .par_iter()
        .flat_map_iter(|sample| leaks(sample, &spellings))
        .collect();
    assert!(
        found.is_empty(),
        "{} leaks:\n{}",
        found.len(),
        found.join("\n")
    );
}
