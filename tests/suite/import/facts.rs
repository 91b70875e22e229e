//! Imports of the samples agree with facts that were counted by an independent program.

use std::fs;
use std::path::{Path, PathBuf};

use runpress::api::import::{ImportEvent, Request, RunReport, import};
use serde_json::{Value, json};

use crate::support::{entries, parse};

/// Facts that differ from the import, each with the reason: sample, run, key.
const OTHER: &[(&str, usize, &str, &str)] = &[
    (
        "claude-code/ccl-showcase/55550000-0000-4000-8000-000000000001.jsonl",
        0,
        "tokens.uncached",
        "the fact leaves out the subagents, which are part of the run",
    ),
    (
        "claude-code/ccl-showcase/55550000-0000-4000-8000-000000000001.jsonl",
        0,
        "tokens.output",
        "the fact leaves out the subagents, which are part of the run",
    ),
    (
        "harbor/2026-03-01__12-00-00",
        1,
        "errors",
        "the exception that ended the trial is an error beside those of the log",
    ),
];

/// A list of trajectories in one document; each is imported as a file.
const VECTORS: &str = "atif/mira-conformance.json";

/// Removes the binary rounding error of costs that are sums.
fn rounded(cost: f64) -> f64 {
    (cost * 1e10).round() / 1e10
}

fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/import")
}

fn reports(path: &Path) -> Vec<Value> {
    let out = tempfile::tempdir().expect("a folder");
    let request = Request {
        dry_run: true,
        ..super::request(path.to_owned(), out.path().join("runs"))
    };
    let mut runs: Vec<Box<RunReport>> = Vec::new();
    // Missing runs then differ from the facts.
    import(&request, &mut |said| {
        if let ImportEvent::Run(report, _) = said {
            runs.push(report);
        }
    });
    assert!(
        !out.path().join("runs").exists(),
        "a dry run writes nothing"
    );
    let json = |report| serde_json::to_value(report).expect("JSON");
    runs.into_iter().map(json).collect()
}

fn vectors(path: &Path) -> Vec<Value> {
    let list: Value = serde_json::from_slice(&fs::read(path).expect("a file")).expect("JSON");
    let folder = tempfile::tempdir().expect("a folder");
    let cases = entries(&list["cases"]).iter();
    let each = cases.flat_map(|case| {
        let path = folder.path().join("trajectory.json");
        fs::write(&path, case["trajectory"].to_string()).expect("a file");
        reports(&path)
    });
    each.collect()
}

/// A time without regard to its offset; as written if it has none.
fn moment(value: &Value) -> Value {
    let text = value.as_str().unwrap_or_default();
    let parsed = text.parse::<jiff::Timestamp>().ok();
    parsed.map_or(Value::Null, |at| json!(at.as_microsecond()))
}

fn differences(sample: &str, fact: &Value, report: &Value, at: usize) -> Vec<String> {
    let mut found = Vec::new();
    let mut compare = |key: &str, fact: &Value, said: &Value| {
        let is_known = OTHER
            .iter()
            .any(|(other, run, name, _)| *other == sample && *run == at && *name == key);
        if fact != said && !is_known {
            found.push(format!(
                "{sample} run {at}: {key} is {said}, the fact {fact}"
            ));
        }
    };
    // In a Harbor trial, messages are in the log of its agent.
    let native = fact["native"].as_object().map(|logs| logs.values().next());
    let log = native.unwrap_or(Some(fact));
    for key in ["user", "assistant", "system"] {
        let said = log.map_or(json!(0), |log| log["messages"][key].clone());
        compare(key, &said, &report["messages"][key]);
    }
    for key in ["uncached", "cached", "output", "reasoning"] {
        compare(
            &format!("tokens.{key}"),
            &fact["tokens"][key],
            &report["tokens"][key],
        );
    }
    for key in [
        "reasoning",
        "toolCalls",
        "toolResults",
        "failedCalls",
        "resultsWithoutFlag",
        "unanswered",
        "orphanResults",
        "subagents",
        "branches",
        "compactions",
        "images",
        "errors",
        "unparsable",
    ] {
        if let Some(said) = log.and_then(|log| log.get(key)) {
            compare(key, said, &report[key]);
        }
    }
    compare(
        "cost",
        &json!(fact["cost"].as_f64().map(rounded)),
        &json!(report["cost"].as_f64().map(rounded)),
    );
    for key in ["started", "finished"] {
        compare(key, &moment(&fact[key]), &moment(&report[key]));
    }
    // Ids that are not guaranteed to be unique are not used: the run id is then a UUID of version 8.
    let id = fact["id"].as_str().unwrap_or_default();
    let is_short = id.len() == 22 && id.chars().all(char::is_alphanumeric);
    let is_unique = id.len() == 36 || is_short;
    if is_unique {
        compare("id", &fact["id"], &report["id"]);
    } else {
        compare(
            "id",
            &json!("8"),
            &json!(report["id"].as_str().and_then(|id| id.get(14..15))),
        );
    }
    let outcomes = |of: &Value| {
        let one = |outcome: &Value| {
            let value = &outcome["value"];
            json!([
                outcome["name"],
                value.as_f64().map_or(value.clone(), |value| json!(value))
            ])
        };
        let list = of["outcomes"].as_array().into_iter().flatten();
        let list = list.filter(|outcome| outcome["name"] != "submission");
        list.map(one).collect::<Value>()
    };
    compare("outcomes", &outcomes(fact), &outcomes(report));
    found
}

#[test]
fn every_sample_is_imported_as_its_facts_say() {
    let facts = fs::read_to_string(samples().join("facts.json")).expect("facts");
    let facts = parse(&facts);
    let (mut found, mut compared) = (Vec::new(), 0);
    for (sample, fact) in facts.as_object().expect("samples") {
        let path = samples().join(sample);
        if !path.exists() {
            found.push(format!("{sample} is missing"));
            continue;
        }
        let runs = fact["runs"].as_array().or(fact["trials"].as_array());
        let runs = runs.map_or(&[][..], Vec::as_slice);
        // The last one has an unsupported version.
        let runs = if sample == VECTORS { &runs[..3] } else { runs };
        let reports = if sample == VECTORS {
            vectors(&path)
        } else {
            reports(&path)
        };
        if reports.len() != runs.len() {
            found.push(format!(
                "{sample}: {} runs, the fact {}",
                reports.len(),
                runs.len()
            ));
            continue;
        }
        for (at, (fact, report)) in runs.iter().zip(&reports).enumerate() {
            found.extend(differences(sample, fact, report, at));
            compared += 1;
        }
    }
    assert!(found.is_empty(), "{} runs\n{}", compared, found.join("\n"));
}
