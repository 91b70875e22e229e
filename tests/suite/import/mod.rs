//! `runpress import`: logs go in, run directories come out.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use runpress::api::import::{
    ImportEvent, ImportOptions, Keep, Problem, Request, RunDefaults, find,
};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::support::{fixture, parse};

mod adapter;
mod atif;
mod claude_code;
mod clean;
mod codex;
mod commands;
mod damage;
mod facts;
#[cfg(unix)]
mod guide;
mod harbor;
mod identity;
mod inspect;
mod large;
mod messages;
mod mini_swe_agent;
mod openhands;
mod sniff;
mod source;
mod swe_agent;

/// A file of a log: its name and its bytes.
type File = (String, Vec<u8>);

/// An imported run.
#[derive(Debug)]
struct Imported {
    /// The file and the problem of everything unusual in its log.
    warnings: Vec<Problem>,
    report: Value,
    /// `run-record.json`.
    record: Value,
    /// The lines of `import.trace.jsonl`; the first is its header.
    trace: Vec<String>,
    record_text: String,
    /// The files in `assets/`, by name.
    assets: BTreeMap<String, Vec<u8>>,
}

/// The bytes of a sample below `tests/fixtures/import`.
fn sample(path: &str) -> Vec<u8> {
    fs::read(fixture("import").join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The files below a folder of the fixtures.
fn files_below(folder: &str) -> Vec<File> {
    let root = fixture(folder);
    let entries = walkdir::WalkDir::new(&root).sort_by_file_name().into_iter();
    let files = entries.map(|entry| entry.expect("a readable folder"));
    let files = files.filter(|entry| entry.file_type().is_file());
    let named = files.map(|entry| {
        let name = entry.path().strip_prefix(&root).expect("below");
        let bytes = fs::read(entry.path()).expect("a file");
        (name.to_str().expect("UTF-8").to_owned(), bytes)
    });
    named.collect()
}

/// A ZIP archive of files.
fn archive(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in members {
        let options = zip::write::SimpleFileOptions::default()
            .compression_method(zip::CompressionMethod::Deflated);
        writer.start_file(*name, options).expect("a member");
        writer.write_all(bytes).expect("bytes");
    }
    writer.finish().expect("an archive").into_inner()
}

/// Names logs.
fn named<const N: usize>(files: [(&str, &str); N]) -> Vec<File> {
    files
        .map(|(name, text)| (name.to_owned(), text.into()))
        .into()
}

/// Options that keep content.
fn keeping(keep: &[Keep]) -> ImportOptions {
    ImportOptions {
        keep: keep.to_vec(),
        ..ImportOptions::default()
    }
}

/// Imports a path into a folder. Runs without a case get the case `case`.
fn request(path: PathBuf, out: PathBuf) -> Request {
    Request {
        paths: vec![path],
        format: None,
        adapter: None,
        out,
        defaults: RunDefaults {
            case: Some("case".to_owned()),
            ..RunDefaults::default()
        },
        rules: Vec::new(),
        options: ImportOptions::default(),
        update: false,
        dry_run: false,
    }
}

/// Imports files of a format: a file alone, or the folder of several.
fn import_with(
    format: &str,
    files: &[File],
    options: ImportOptions,
) -> Vec<Result<Imported, Problem>> {
    let folder = tempfile::tempdir().expect("a folder");
    let logs = folder.path().join("logs");
    for (name, bytes) in files {
        let path = logs.join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, bytes).expect("a file");
    }
    let path = match files {
        [(name, _)] if !name.contains('/') => logs.join(name),
        _ => logs,
    };
    let request = Request {
        format: Some(find(format).expect("a format")),
        options,
        ..request(path, folder.path().join("runs"))
    };
    let mut runs = Vec::new();
    runpress::api::import::import(&request, &mut |said| match said {
        ImportEvent::Run(report, warnings) => {
            let report = serde_json::to_value(report).expect("JSON");
            let folder = request
                .out
                .join(report["folder"].as_str().expect("a folder"));
            runs.push(Ok(Imported::read(&folder, report, warnings)));
        }
        ImportEvent::Failed(problem) | ImportEvent::Skipped(problem) => runs.push(Err(problem)),
        _ => {}
    });
    runs
}

fn import(format: &str, files: &[File]) -> Vec<Result<Imported, Problem>> {
    import_with(format, files, ImportOptions::default())
}

/// The only run of some files.
fn run_with(format: &str, files: &[File], options: ImportOptions) -> Imported {
    let mut runs = import_with(format, files, options);
    assert_eq!(runs.len(), 1, "{runs:?}");
    runs.remove(0).expect("a run")
}

fn run(format: &str, files: &[File]) -> Imported {
    run_with(format, files, ImportOptions::default())
}

/// The only run of a file.
fn one(format: &str, name: &str, log: impl Into<Vec<u8>>) -> Imported {
    run(format, &[(name.to_owned(), log.into())])
}

impl Imported {
    fn read(folder: &Path, report: Value, warnings: Vec<Problem>) -> Self {
        let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap_or_default();
        let (record, trace) = (read("run-record.json"), read("import.trace.jsonl"));
        let assets = fs::read_dir(folder.join("assets")).into_iter().flatten();
        let assets = assets.map(|entry| {
            let entry = entry.expect("an entry");
            let name = entry.file_name().into_string().expect("UTF-8");
            (name, fs::read(entry.path()).expect("a file"))
        });
        Self {
            warnings,
            report,
            record: parse(&record),
            trace: trace.lines().map(str::to_owned).collect(),
            record_text: record,
            assets: assets.collect(),
        }
    }

    /// Everything that was written as text.
    fn text(&self) -> String {
        format!("{}{}", self.record_text, self.trace.join("\n"))
    }

    /// The lines of the events.
    fn lines(&self) -> &[String] {
        self.trace.get(1..).unwrap_or_default()
    }

    fn events(&self) -> Vec<Value> {
        let lines = self.lines().iter();
        lines.map(|line| parse(line)).collect()
    }

    /// Each event but usage as JSON, without number, times and source.
    fn outline(&self) -> Vec<String> {
        let events = self.events().into_iter().zip(self.lines());
        let events = events.filter(|(event, _)| event["type"] != "usage");
        let shown = events.map(|(event, line)| {
            let (_, line) = line.split_once(',').expect("a number");
            let end = line.rfind(",\"source\":{").expect("a source");
            let mut line = format!("{{{}}}", &line[..end]);
            for key in ["time", "localTime"] {
                if let Some(time) = event[key].as_str() {
                    line = line.replacen(&format!(",\"{key}\":\"{time}\""), "", 1);
                }
            }
            line
        });
        shown.collect()
    }

    /// Each event as its type and distinguishing fields: `call Bash t1`, `result t1 false`, `user Hello`.
    fn brief(&self) -> Vec<String> {
        let brief = |event: &Value| {
            let mut line = match event["type"].as_str().expect("a type") {
                "message" => word(&event["role"]),
                "tool_call" => "call".to_owned(),
                "tool_result" => "result".to_owned(),
                other => other.to_owned(),
            };
            for key in [
                "name", "action", "call", "id", "path", "change", "ok", "exitCode", "status",
                "kind", "text", "message", "branch", "agent",
            ] {
                if let Some(value) = event.get(key) {
                    let is_where = matches!(key, "branch" | "agent");
                    let prefix = if is_where {
                        format!("@{key}=")
                    } else {
                        String::new()
                    };
                    line += &format!(" {prefix}{}", word(value));
                }
            }
            line
        };
        self.events().iter().map(brief).collect()
    }

    /// Expects these events, in the form of `brief`.
    #[track_caller]
    fn reads(&self, events: &[&str]) {
        assert_eq!(self.brief(), events);
    }

    /// Expects these events, in the form of `outline`.
    #[track_caller]
    fn outlines(&self, events: &[&str]) {
        assert_eq!(self.outline(), events);
    }

    /// Expects these values of keys of the record.
    #[track_caller]
    fn states(&self, keys: &str, values: &str) {
        assert_eq!(self.facts(keys), values);
    }

    /// Expects an event in the form of `outline`.
    #[track_caller]
    fn has(&self, event: &str) {
        let outline = self.outline();
        assert!(outline.iter().any(|line| line == event), "{outline:#?}");
    }

    /// The file, line, pointer, member and id of the source of an event.
    fn origin(&self, event: usize) -> String {
        facts(
            &self.events()[event]["source"],
            "file line pointer member id",
        )
    }

    /// Values of the record by their keys, with `-` for absent ones: `facts("id state")`.
    fn facts(&self, keys: &str) -> String {
        facts(&self.record, keys)
    }

    /// The token classes: uncached and cached input, output, reasoning.
    fn tokens(&self) -> String {
        let tokens = &self.record["metrics"]["tokens"];
        facts(tokens, "uncachedInput cachedInput output reasoning").replace(' ', "/")
    }

    /// The paths of the metrics that are lower bounds.
    fn lower_bounds(&self) -> String {
        let bounds = self.record["import"]["lowerBounds"].as_array();
        let bounds: Vec<String> = bounds.into_iter().flatten().map(word).collect();
        bounds.join(" ")
    }

    /// The messages of its warnings.
    fn messages(&self) -> Vec<&str> {
        let warnings = self.warnings.iter();
        warnings.map(|problem| problem.message.as_str()).collect()
    }

    /// How often content of a kind was left out.
    fn withheld(&self, what: &str) -> u64 {
        self.report["withheld"][what].as_u64().unwrap_or_default()
    }

    /// What was left out: `images 2, metaRows 1`.
    fn all_withheld(&self) -> String {
        let withheld = self.report["withheld"].as_object().into_iter().flatten();
        let withheld: Vec<String> = withheld
            .map(|(what, count)| format!("{what} {count}"))
            .collect();
        withheld.join(", ")
    }

    /// The outcomes in the words of the source: name, value, whether it is valid, reason.
    fn outcomes(&self) -> Vec<String> {
        #[derive(serde::Deserialize)]
        struct Record {
            #[serde(default)]
            outcomes: Vec<BTreeMap<String, Box<RawValue>>>,
        }
        let record: Record = serde_json::from_str(&self.record_text).expect("JSON");
        let outcome = |outcome: &BTreeMap<String, Box<RawValue>>| {
            let word = |key| Some(outcome.get(key)?.get().trim_matches('"'));
            let value = outcome.get("value").map(|value| value.get());
            let words = [word("name"), value, word("valid"), word("reason")];
            words.into_iter().flatten().collect::<Vec<_>>().join(" ")
        };
        record.outcomes.iter().map(outcome).collect()
    }

    /// Messages, reasoning, calls and results in the format of `expected`.
    fn comparable(&self) -> Vec<String> {
        let events = self.events().into_iter().zip(self.brief());
        let lines = events.filter_map(|(event, line)| match event["type"].as_str()? {
            "message" | "reasoning" | "tool_call" => Some(line),
            "tool_result" => Some(format!("result {}", word(&event["call"]))),
            _ => None,
        });
        lines.collect()
    }
}

/// The output of the upstream reader for a sample.
fn expected(path: &str) -> Vec<String> {
    let expected: Value = serde_json::from_slice(&sample(path)).expect("JSON");
    let mut lines = Vec::new();
    for record in expected["records"].as_array().expect("records") {
        match record["role"].as_str().expect("a role") {
            "meta" => {}
            "tool" => lines.push(format!("result {}", word(&record["tool_call_id"]))),
            role => {
                let content = record["content"].as_str();
                lines.extend(content.map(|content| format!("{role} {content}")));
                for call in record["tool_calls"].as_array().into_iter().flatten() {
                    lines.push(format!(
                        "call {} {}",
                        word(&call["name"]),
                        word(&call["id"])
                    ));
                }
            }
        }
    }
    lines
}

/// A text without its quotes, any other value as JSON.
fn word(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// The first value of each key, at any depth of objects; `-` for absent ones.
fn facts(value: &Value, keys: &str) -> String {
    fn search<'a>(value: &'a Value, key: &str) -> Option<&'a Value> {
        let object = value.as_object()?;
        let deeper = || object.values().find_map(|value| search(value, key));
        object.get(key).or_else(deeper)
    }
    let found = keys
        .split(' ')
        .map(|key| search(value, key).filter(|value| !value.is_null()));
    let words: Vec<String> = found
        .map(|value| value.map_or("-".to_owned(), word))
        .collect();
    words.join(" ")
}
