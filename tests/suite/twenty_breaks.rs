//! A site broken in twenty ways at once: every report has each problem with its code and place.

use serde_json::Value;

use crate::full_run::furnish;
use crate::reports::{json, reports};
use crate::support::{TestSite, contains, entries, fixture_text, rows};

/// Ways to break a run: the file, the code and severity of the problem, a text that occurs once in the file (or nothing for its
/// end), and what is written instead. `«` marks the expected place, and is not written.
const BREAKS: &str = r#"
run-record.json | record.similarity-out-of-range | error | 0.9731 | «9.731
run-record.json | record.invalid-timestamp | error | "2026-03-01T10:00:00Z" | «"yesterday é"
run-record.json | record.missing-field | error | {⏎    "testCaseSlug": "pong", | «{
run-record.json | record.syntax | error | "status": | «status:
run-record.json | record.wrong-type | error | "Debian GNU/Linux 12", "containerImage": "test-cabinet/codex:latest" | "模型𝔪é", "containerImage": «7
events.jsonl | events.unknown-type | warning | | {"timestamp":"2026-03-01T10:01:00Z","message":"模é","type":«"hologram"}⏎
events.jsonl | events.wrong-type | warning | "exitCode":1 | "exitCode":«"1"
events.jsonl | events.invalid-timestamp | warning | | {"timestamp":«"noon","type":"list"}⏎
events.jsonl.annotations.jsonl | sidecar.malformed-line | error | "event_id":1, | "event_id":«-1,
events.jsonl.annotations.jsonl | annotation.invalid-span | error | "end_event_id":3 | "end_event_id":«77
events.jsonl.annotations.jsonl | sidecar.unsupported-version | error | "schema_version":1 | "schema_version":«2
run.tape | tape.duplicate-seq | warning | "seq":2 | "seq":«1
run.tape | tape.malformed-record | error | "seq":2 | "seq":«"2"
run.tape.annotations.jsonl | annotation.unknown-kind | warning | "kind":"note" | "kind":«"nota"
transcript.json | transcript.syntax | error | "messages":[⏎ | "messages":[«messages⏎
transcript.json | transcript.wrong-type | error | "id":"tr" | "id":«[1]
annotations.json | threads.missing-field | error | {"id":"a", | «{"id":"b","turnId":"t1","resource":"src/a.ts","entries":[]},⏎{"id":"a",
annotations.actions.jsonl | threads.syntax | error | | «half⏎
writeup.md | review.unknown-rating | warning | rating: great | rating: «grand
writeup.md | review.unsafe-link | warning | It works | é «[It](javascript:works)
"#;

/// The expected place of a break.
struct Expected {
    folder: String,
    path: String,
    line: usize,
    column: usize,
    code: &'static str,
    severity: &'static str,
}

impl Expected {
    fn place(&self) -> String {
        format!("{}:{}:{}", self.path, self.line, self.column)
    }
}

/// A site with a run for each break.
fn broken() -> (TestSite, Vec<Expected>) {
    let site = TestSite::bare();
    // An event that is broken does not follow from the raw log, either.
    site.write(
        "site.toml",
        "[site]\nbase_url = \"https://runs.example.org/\"\n[policy]\nraw_audit = \"off\"\n",
    );
    let record = fixture_text("base/content/runs/first/run-record.json");
    let mut expected = Vec::new();
    for (number, [file, code, severity, from, to]) in rows(BREAKS).into_iter().enumerate() {
        let folder = format!("content/runs/r{number:02}");
        furnish(&site, &folder);
        site.write(
            &format!("{folder}/run-record.json"),
            record.replace("4f1c2d3e-8a60", &format!("{number:08x}-8a60")),
        );
        let path = format!("{folder}/{file}");
        let text = site.text(&path);
        let marked = if from.is_empty() {
            text + to
        } else {
            assert_eq!(text.matches(from).count(), 1, "{from} in {path}");
            text.replace(from, to)
        };
        let before = marked.split('«').next().expect("a mark");
        let last = before.rsplit('\n').next().unwrap_or_default();
        expected.push(Expected {
            line: before.matches('\n').count() + 1,
            column: last.chars().count() + 1,
            code,
            severity,
            folder,
            path: path.clone(),
        });
        site.write(&path, marked.replace('«', ""));
    }
    (site, expected)
}

#[test]
fn twenty_breaks_at_once_are_reported_with_code_and_place_in_all_five_reports() {
    let (site, expected) = broken();
    for command in ["check", "build"] {
        let ran = reports(&site, command).exits(1);
        assert_eq!(ran.stdout, "", "the reports are in files");
        let report = json(&site, "json");
        let found: Vec<String> = entries(&report["diagnostics"])
            .iter()
            .map(|d| {
                let [severity, code, path] = ["severity", "code", "path"].map(|key| &d[key]);
                format!("{severity} {code} {path}:{}:{}", d["line"], d["column"]).replace('"', "")
            })
            .collect();
        let wanted = expected.iter();
        let wanted = wanted.map(|e| format!("{} {} {}", e.severity, e.code, e.place()));
        let wanted: Vec<String> = wanted.collect();
        assert_eq!(found, wanted);
        let (human, github, junit) = (site.text("human"), site.text("github"), site.text("junit"));
        assert_eq!(github.lines().count(), expected.len(), "{github}");
        let sarif = json(&site, "sarif");
        for e in &expected {
            in_human(&human, e);
            in_github(&github, e);
            in_sarif(&sarif, e);
            in_junit(&junit, e);
        }
    }
}

fn in_human(human: &str, e: &Expected) {
    let title = format!("{}[{}]", e.severity, e.code);
    let place = e.place();
    let is_told = |block: &str| {
        block.starts_with(&title) && block.lines().any(|line| line.trim_end().ends_with(&place))
    };
    assert!(
        human.split("\n\n").any(is_told),
        "{title} at {place} in\n{human}"
    );
}

fn in_github(github: &str, e: &Expected) {
    let begin = format!(
        "::{} file={},line={},col={},title={}::",
        e.severity, e.path, e.line, e.column, e.code
    );
    assert!(
        github.lines().any(|line| line.starts_with(&begin)),
        "{begin} in\n{github}"
    );
}

fn in_sarif(sarif: &Value, e: &Expected) {
    let results = sarif["runs"][0]["results"].as_array().expect("an array");
    let is_told = |result: &&Value| {
        let place = &result["locations"][0]["physicalLocation"];
        result["ruleId"] == e.code
            && result["level"] == e.severity
            && place["artifactLocation"]["uri"] == e.path
            && place["region"]["startLine"] == e.line
            && place["region"]["startColumn"] == e.column
    };
    assert_eq!(
        results.iter().filter(is_told).count(),
        1,
        "{} {} in\n{sarif:#}",
        e.code,
        e.place()
    );
}

fn in_junit(junit: &str, e: &Expected) {
    let class = format!("classname=\"{}\"", e.folder);
    let case = junit
        .split("<testcase ")
        .find(|case| case.contains(&class))
        .unwrap_or_else(|| panic!("{class} in\n{junit}"));
    contains(case, format!("{}: {}[{}]", e.place(), e.severity, e.code));
    let failure = format!("type=\"{}\"", e.code);
    assert_eq!(
        case.contains("<failure ") && case.contains(&failure),
        e.severity == "error",
        "{case}"
    );
    assert_eq!(
        case.contains("<system-out>"),
        e.severity != "error",
        "{case}"
    );
}
