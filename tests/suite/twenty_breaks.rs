//! A site broken in twenty ways at once: every report has each problem with its code and place.

use serde_json::Value;

use crate::full_run::furnish;
use crate::support::{TestSite, fixture_text};

/// One way to break a run.
struct Break {
    /// The file of the run.
    file: &'static str,
    /// Text that occurs once in the file; empty means the end of the file.
    from: &'static str,
    /// The replacement; `«` marks the expected place, and is not written.
    to: &'static str,
    /// The expected code.
    code: &'static str,
    severity: &'static str,
}

const fn of(
    file: &'static str,
    from: &'static str,
    to: &'static str,
    code: &'static str,
    severity: &'static str,
) -> Break {
    Break {
        file,
        from,
        to,
        code,
        severity,
    }
}

const RECORD: &str = "run-record.json";
const EVENTS: &str = "events.jsonl";
const NOTES: &str = "events.jsonl.annotations.jsonl";
const TAPE: &str = "run.tape";
const TAPE_NOTES: &str = "run.tape.annotations.jsonl";
const TRANSCRIPT: &str = "transcript.json";
const STATE: &str = "annotations.json";
const ACTIONS: &str = "annotations.actions.jsonl";
const WRITEUP: &str = "writeup.md";

const BREAKS: [Break; 20] = [
    of(
        RECORD,
        "0.9731",
        "«9.731",
        "record.similarity-out-of-range",
        "error",
    ),
    of(
        RECORD,
        "\"2026-03-01T10:00:00Z\"",
        "«\"yesterday é\"",
        "record.invalid-timestamp",
        "error",
    ),
    of(
        RECORD,
        "{\n    \"testCaseSlug\": \"pong\",",
        "«{",
        "record.missing-field",
        "error",
    ),
    of(RECORD, "\"status\":", "«status:", "record.syntax", "error"),
    of(
        RECORD,
        "\"Debian GNU/Linux 12\", \"containerImage\": \"test-cabinet/codex:latest\"",
        "\"模型𝔪é\", \"containerImage\": «7",
        "record.wrong-type",
        "error",
    ),
    of(
        EVENTS,
        "",
        "{\"timestamp\":\"2026-03-01T10:01:00Z\",\"message\":\"模é\",\"type\":«\"hologram\"}\n",
        "events.unknown-type",
        "warning",
    ),
    of(
        EVENTS,
        "\"exitCode\":1",
        "\"exitCode\":«\"1\"",
        "events.wrong-type",
        "warning",
    ),
    of(
        EVENTS,
        "",
        "{\"timestamp\":«\"noon\",\"type\":\"list\"}\n",
        "events.invalid-timestamp",
        "warning",
    ),
    of(
        NOTES,
        "\"event_id\":1,",
        "\"event_id\":«-1,",
        "sidecar.malformed-line",
        "error",
    ),
    of(
        NOTES,
        "\"end_event_id\":3",
        "\"end_event_id\":«77",
        "annotation.invalid-span",
        "error",
    ),
    of(
        NOTES,
        "\"schema_version\":1",
        "\"schema_version\":«2",
        "sidecar.unsupported-version",
        "error",
    ),
    of(
        TAPE,
        "\"seq\":2",
        "\"seq\":«1",
        "tape.duplicate-seq",
        "warning",
    ),
    of(
        TAPE,
        "\"seq\":2",
        "\"seq\":«\"2\"",
        "tape.malformed-record",
        "error",
    ),
    of(
        TAPE_NOTES,
        "\"kind\":\"note\"",
        "\"kind\":«\"nota\"",
        "annotation.unknown-kind",
        "warning",
    ),
    of(
        TRANSCRIPT,
        "\"messages\":[\n",
        "\"messages\":[«messages\n",
        "transcript.syntax",
        "error",
    ),
    of(
        TRANSCRIPT,
        "\"id\":\"tr\"",
        "\"id\":«[1]",
        "transcript.wrong-type",
        "error",
    ),
    of(
        STATE,
        "{\"id\":\"a\",",
        "«{\"id\":\"b\",\"turnId\":\"t1\",\"resource\":\"src/a.ts\",\"entries\":[]},\n{\"id\":\"a\",",
        "threads.missing-field",
        "error",
    ),
    of(ACTIONS, "", "«half\n", "threads.syntax", "error"),
    of(
        WRITEUP,
        "rating: great",
        "rating: «grand",
        "review.unknown-rating",
        "warning",
    ),
    of(
        WRITEUP,
        "It works",
        "é «[It](javascript:works)",
        "review.unsafe-link",
        "warning",
    ),
];

/// The expected place of a break.
struct Expected {
    folder: String,
    path: String,
    line: usize,
    column: usize,
    code: &'static str,
    severity: &'static str,
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
    for (number, of) in BREAKS.iter().enumerate() {
        let folder = format!("content/runs/r{number:02}");
        furnish(&site, &folder);
        site.write(
            &format!("{folder}/{RECORD}"),
            record.replace("4f1c2d3e-8a60", &format!("{number:08x}-8a60")),
        );
        let path = format!("{folder}/{}", of.file);
        let text = site.text(&path);
        let marked = if of.from.is_empty() {
            text + of.to
        } else {
            assert_eq!(text.matches(of.from).count(), 1, "{} in {path}", of.from);
            text.replace(of.from, of.to)
        };
        let before = marked.split('«').next().expect("a mark");
        let last = before.rsplit('\n').next().unwrap_or_default();
        expected.push(Expected {
            line: before.matches('\n').count() + 1,
            column: last.chars().count() + 1,
            code: of.code,
            severity: of.severity,
            folder,
            path: path.clone(),
        });
        site.write(&path, marked.replace('«', ""));
    }
    (site, expected)
}

fn json(site: &TestSite, path: &str) -> Value {
    serde_json::from_str(&site.text(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn twenty_breaks_at_once_are_reported_with_code_and_place_in_all_five_reports() {
    let (site, expected) = broken();
    for command in ["check", "build"] {
        let formats = ["human", "json", "github", "sarif", "junit"]
            .map(|format| format!("--report={format}={format}"));
        let formats: Vec<&str> = formats.iter().map(String::as_str).collect();
        let ran = site.runpress(&[&[command, "-v"], &formats[..]].concat());
        assert_eq!(ran.status, Some(1), "{}", ran.stderr);
        let report = json(&site, "json");
        let found: Vec<String> = report["diagnostics"]
            .as_array()
            .expect("an array")
            .iter()
            .map(|d| {
                format!(
                    "{} {} {}:{}:{}",
                    d["severity"].as_str().unwrap_or_default(),
                    d["code"].as_str().unwrap_or_default(),
                    d["path"].as_str().unwrap_or_default(),
                    d["line"],
                    d["column"]
                )
            })
            .collect();
        let wanted: Vec<String> = expected
            .iter()
            .map(|e| {
                format!(
                    "{} {} {}:{}:{}",
                    e.severity, e.code, e.path, e.line, e.column
                )
            })
            .collect();
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
    let place = format!("{}:{}:{}", e.path, e.line, e.column);
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
        "{} {}:{}:{} in\n{sarif:#}",
        e.code,
        e.path,
        e.line,
        e.column
    );
}

fn in_junit(junit: &str, e: &Expected) {
    let class = format!("classname=\"{}\"", e.folder);
    let case = junit
        .split("<testcase ")
        .find(|case| case.contains(&class))
        .unwrap_or_else(|| panic!("{class} in\n{junit}"));
    let told = format!(
        "{}:{}:{}: {}[{}]",
        e.path, e.line, e.column, e.severity, e.code
    );
    assert!(case.contains(&told), "{told} in\n{case}");
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
