//! What small sites are made of: run records, event logs, sidecars and tapes.

use serde_json::Value;

use super::{HEADER, TAPE_HEADER};

/// A run record in the original format. Tests can change only what they distinguish.
#[derive(Debug, Clone)]
pub(crate) struct Run {
    pub(crate) id: String,
    pub(crate) started: String,
    pub(crate) finished: String,
    pub(crate) case: String,
    pub(crate) version: String,
    pub(crate) variant: String,
    pub(crate) harness: String,
    pub(crate) model: String,
    pub(crate) state: String,
}

impl Run {
    pub(crate) fn new(id: &str) -> Self {
        Self {
            id: id.to_owned(),
            started: "2026-03-01T10:00:00Z".to_owned(),
            finished: "2026-03-01T10:10:00Z".to_owned(),
            case: "pong".to_owned(),
            version: "v1.0.0".to_owned(),
            variant: "base".to_owned(),
            harness: "codex".to_owned(),
            model: "sample/lark-1".to_owned(),
            state: "completed".to_owned(),
        }
    }

    pub(crate) fn model(mut self, model: &str) -> Self {
        model.clone_into(&mut self.model);
        self
    }

    pub(crate) fn case(mut self, case: &str) -> Self {
        case.clone_into(&mut self.case);
        self
    }

    pub(crate) fn state(mut self, state: &str) -> Self {
        state.clone_into(&mut self.state);
        self
    }

    pub(crate) fn at(mut self, started: &str, finished: &str) -> Self {
        started.clone_into(&mut self.started);
        finished.clone_into(&mut self.finished);
        self
    }

    pub(crate) fn record(&self) -> String {
        let value = serde_json::json!({
            "id": self.id,
            "startedAt": self.started,
            "finishedAt": self.finished,
            "subject": {
                "testCaseSlug": self.case,
                "testCaseVersion": self.version,
                "variant": self.variant,
                "harnessSlug": self.harness,
                "harnessVersion": "0.31.0",
                "modelId": self.model,
            },
            "tooling": { "testCabinetCommit": null },
            "environment": { "os": "unknown", "containerImage": "test-cabinet/codex:latest", "nodeVersion": null },
            "metrics": {
                "runTimeSeconds": 600,
                "tokens": { "uncachedInput": 100, "cachedInput": 200, "output": 30, "reasoning": 4 },
                "cost": { "comparable": 0.25, "actual": 0.25 },
            },
            "validation": {
                "loaded": true,
                "detail": null,
                "install": null,
                "build": null,
                "checks": [{ "view": "title", "name": "Title", "reached": true, "similarity": 0.5, "detail": null }],
            },
            "links": { "sourceRepo": null, "playableBuild": null },
            "status": { "state": self.state, "detail": null },
        });
        format!("{value:#}\n")
    }
}

/// One event of an event log: `at` in seconds after 10:00:00.
pub(crate) fn event(at: u32, kind: &str, fields: &str) -> String {
    let (hours, minutes, seconds) = (10 + at / 3600, at / 60 % 60, at % 60);
    let comma = if fields.is_empty() { "" } else { "," };
    format!(
        "{{\"timestamp\":\"2026-03-01T{hours:02}:{minutes:02}:{seconds:02}Z\",\"type\":\"{kind}\"{comma}{fields}}}"
    )
}

/// A message of the agent, `at` in seconds after 10:00:00.
pub(crate) fn message(at: u32, text: &str) -> String {
    event(at, "agent", &format!("\"message\":{}", Value::from(text)))
}

/// An event log of `count` plain messages, one per second.
pub(crate) fn messages(count: u32) -> String {
    (0..count)
        .map(|n| event(n, "agent", &format!("\"message\":\"message {n}\"")) + "\n")
        .collect()
}

/// An annotation of a sidecar; `fields` follow the kind.
pub(crate) fn annotation(id: &str, event_id: u64, kind: &str, fields: &str) -> String {
    let comma = if fields.is_empty() { "" } else { "," };
    format!(
        "{{\"type\":\"annotation\",\"id\":\"{id}\",\"event_id\":{event_id},\"kind\":\"{kind}\"{comma}{fields}}}"
    )
}

/// The field of an annotation that covers these events.
pub(crate) fn span(start: u64, end: u64) -> String {
    format!(r#""span":{{"start_event_id":{start},"end_event_id":{end}}}"#)
}

/// A sidecar with these annotations.
pub(crate) fn sidecar(annotations: &[impl AsRef<str>]) -> String {
    format!("{HEADER}\n{}", lines(annotations))
}

/// A record of a tape of Harn at 0 ms; `kind` is JSON.
pub(crate) fn tape_record(seq: u64, kind: &str) -> String {
    format!(r#"{{"type":"record","seq":{seq},"virtual_time_ms":0,"monotonic_ms":0,"kind":{kind}}}"#)
}

/// A tape of Harn that sleeps once for each of these numbers.
pub(crate) fn sleeps(numbers: impl IntoIterator<Item = u32>) -> String {
    let record = |seq| {
        format!(
            r#"{{"type":"record","seq":{seq},"virtual_time_ms":{seq},"monotonic_ms":{seq},"kind":{{"kind":"clock_sleep","duration_ms":1}}}}"#
        )
    };
    let records: Vec<String> = numbers.into_iter().map(record).collect();
    format!("{TAPE_HEADER}\n{}", lines(&records))
}

/// The rows of a table: one in each line, with ` | ` between its cells. `⏎` is a line break.
pub(crate) fn rows<const N: usize>(table: &str) -> Vec<[&'static str; N]> {
    let cell = |cell: &str| -> &'static str { cell.trim().replace('⏎', "\n").leak() };
    let lines = table.lines().filter(|line| !line.is_empty());
    let row = |line: &str| {
        let line = format!(" {line} ").replace(" | | ", " |  | ");
        line.split(" | ").map(cell).collect::<Vec<_>>().try_into()
    };
    let rows = lines.map(|line| row(line).unwrap_or_else(|_| panic!("not {N} cells: {line}")));
    rows.collect()
}

/// Joins lines to the text of a file.
pub(crate) fn lines(lines: &[impl AsRef<str>]) -> String {
    lines
        .iter()
        .map(|line| format!("{}\n", line.as_ref()))
        .collect()
}
