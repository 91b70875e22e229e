//! The rules for the lines of a run that no schema can express.

use std::collections::{BTreeMap, BTreeSet};

use base::diagnostics::text::quoted;
use base::diagnostics::{Collector, Diagnostic};
use formats::adapter::AdapterRecord;
use formats::jsonl::Line;
use formats::trace::{Tokens, TraceEventFields, TraceEventKind};

use super::super::time::{LogTime, milliseconds};
use super::nonconformity;

/// A run as a command printed it.
pub(super) struct AdapterRun<'a> {
    line: Line<'a>,
    record: AdapterRecord,
    pub(super) events: Vec<AdapterEvent<'a>>,
}

/// An event with its line.
pub(super) struct AdapterEvent<'a> {
    line: Line<'a>,
    kind: TraceEventKind,
    fields: TraceEventFields<'a>,
}

/// Reports what is wrong with a line.
struct Problems<'p> {
    path: &'p str,
    found: Collector,
}

impl Problems<'_> {
    fn add(&mut self, line: &Line<'_>, pointer: &str, message: String, help: &str) {
        let place = line.place(self.path, pointer);
        self.found.push(nonconformity(place, message, help));
    }
}

impl<'a> AdapterRun<'a> {
    pub(super) fn new(line: Line<'a>, record: AdapterRecord) -> Self {
        Self {
            line,
            record,
            events: Vec::new(),
        }
    }

    pub(super) fn add(
        &mut self,
        line: Line<'a>,
        kind: TraceEventKind,
        fields: TraceEventFields<'a>,
    ) {
        self.events.push(AdapterEvent { line, kind, fields });
    }

    pub(super) fn problems(&self, path: &str) -> Vec<Diagnostic> {
        let mut problems = Problems {
            path,
            found: Collector::default(),
        };
        self.agents(&mut problems);
        self.results(&mut problems);
        self.references(&mut problems);
        self.times(&mut problems);
        self.numbers(&mut problems);
        problems.found.finish(path)
    }

    fn calls(&self) -> impl Iterator<Item = (usize, &str)> {
        let events = self.events.iter().enumerate();
        let calls = events.filter(|(_, event)| event.kind == TraceEventKind::ToolCall);
        calls.filter_map(|(at, event)| Some((at, event.fields.call.as_deref()?)))
    }

    fn agents(&self, problems: &mut Problems<'_>) {
        let known: BTreeSet<&str> = self.record.agents.iter().map(|agent| &*agent.id).collect();
        for AdapterEvent { line, fields, .. } in &self.events {
            let Some(agent) = fields.agent.as_deref() else {
                continue;
            };
            if !known.contains(agent) {
                let message = format!("The record of the run has no agent {}", quoted(agent));
                let help = "List it under `agents` of the record.";
                problems.add(line, "/agent", message, help);
            }
        }
    }

    /// Results come after their calls, one for each.
    fn results(&self, problems: &mut Problems<'_>) {
        let mut later: BTreeMap<&str, usize> = BTreeMap::new();
        for (_, id) in self.calls() {
            *later.entry(id).or_default() += 1;
        }
        // This counts the calls of an id that have no result so far.
        let mut open: BTreeMap<&str, usize> = BTreeMap::new();
        for AdapterEvent { line, kind, fields } in &self.events {
            let Some(id) = fields.call.as_deref() else {
                continue;
            };
            if id.is_empty() {
                let message = "The id of a call is empty".to_owned();
                problems.add(line, "/call", message, "Leave `call` out.");
            } else if *kind == TraceEventKind::ToolCall {
                *open.entry(id).or_default() += 1;
                *later.entry(id).or_default() -= 1;
            } else if *kind == TraceEventKind::ToolResult {
                let (message, help) = match (open.get_mut(id), later.get(id)) {
                    (Some(open @ 1..), _) => {
                        *open -= 1;
                        continue;
                    }
                    (_, Some(1..)) => (
                        format!("The result comes before its call {}", quoted(id)),
                        "Print the events in the order in which they happened.",
                    ),
                    (Some(_), _) => (
                        format!("The call {} has another result already", quoted(id)),
                        "Print one result for each call, and give every call an id of its own.",
                    ),
                    _ => (
                        format!("No call has the id {}", quoted(id)),
                        "Print the call, or leave `call` out of the result.",
                    ),
                };
                problems.add(line, "/call", message, help);
            }
        }
    }

    /// Edits, subagents and usage name calls of the run.
    fn references(&self, problems: &mut Problems<'_>) {
        let known: BTreeSet<&str> = self.calls().map(|(_, id)| id).collect();
        let mut check = |line: &Line<'_>, pointer: String, id: &str| {
            if !id.is_empty() && !known.contains(id) {
                let message = format!("No call has the id {}", quoted(id));
                problems.add(
                    line,
                    &pointer,
                    message,
                    "Print the call, or leave the id out.",
                );
            }
        };
        for (number, agent) in self.record.agents.iter().enumerate() {
            let id = agent.call.as_deref().unwrap_or_default();
            check(&self.line, format!("/agents/{number}/call"), id);
        }
        for AdapterEvent { line, kind, fields } in &self.events {
            if matches!(kind, TraceEventKind::Edit | TraceEventKind::Subagent) {
                let id = fields.call.as_deref().unwrap_or_default();
                check(line, "/call".to_owned(), id);
            }
            for (number, id) in fields.calls.iter().flatten().enumerate() {
                check(line, format!("/calls/{number}"), id);
            }
        }
    }

    /// Times can be read, and go forward within an agent and a branch.
    fn times(&self, problems: &mut Problems<'_>) {
        let (start, end) = (&self.record.started_at, &self.record.finished_at);
        let moment = |time: &Option<String>| milliseconds(time.as_deref()?);
        for (key, time) in [("/startedAt", start), ("/finishedAt", end)] {
            let time = time.as_deref();
            check_time(&self.line, key, time, problems);
        }
        if let (Some(start), Some(end)) = (moment(start), moment(end))
            && end < start
        {
            let message = "The run ends before it starts".to_owned();
            let help = "Swap the times, or leave both out.";
            problems.add(&self.line, "/finishedAt", message, help);
        }
        let mut last: BTreeMap<(Option<&str>, Option<&str>), i64> = BTreeMap::new();
        for AdapterEvent { line, fields, .. } in &self.events {
            let time = fields.time.as_deref();
            check_time(line, "/time", time, problems);
            let Some(moment) = time.and_then(milliseconds) else {
                continue;
            };
            let lane = (fields.agent.as_deref(), fields.branch.as_deref());
            let before = last.entry(lane).or_insert(moment);
            if moment < *before {
                let message = "The event is earlier than the one before it".to_owned();
                let help = "Print the events in the order in which they happened.";
                problems.add(line, "/time", message, help);
            }
            *before = moment;
        }
    }

    /// What was not counted is absent, and not 0 or an empty text.
    fn numbers(&self, problems: &mut Problems<'_>) {
        let zero = |what: &str| format!("{what} is 0, which means that it was not measured");
        let help = "Leave out what the log does not state.";
        let metrics = &self.record.metrics;
        for (pointer, what, value) in [
            (
                "/metrics/runTimeSeconds",
                "The run time",
                metrics.run_time_seconds,
            ),
            ("/metrics/cost/actual", "The cost", metrics.cost.actual),
        ] {
            match value {
                Some(value) if value < 0.0 => {
                    problems.add(&self.line, pointer, format!("{what} is negative"), help);
                }
                Some(0.0) => problems.add(&self.line, pointer, zero(what), help),
                _ => {}
            }
        }
        if metrics.tokens.as_ref().is_some_and(is_zero) {
            problems.add(
                &self.line,
                "/metrics/tokens",
                zero("The number of tokens"),
                help,
            );
        }
        let subject = &self.record.subject;
        for (key, value) in [
            ("id", &self.record.id),
            ("subject/testCaseSlug", &subject.test_case_slug),
            ("subject/testCaseVersion", &subject.test_case_version),
            ("subject/harnessSlug", &subject.harness_slug),
            ("subject/harnessVersion", &subject.harness_version),
            ("subject/modelId", &subject.model_id),
        ] {
            if value.as_ref().is_some_and(|value| value.trim().is_empty()) {
                problems.add(
                    &self.line,
                    &format!("/{key}"),
                    "The text is empty".to_owned(),
                    help,
                );
            }
        }
        for AdapterEvent { line, fields, .. } in &self.events {
            if fields.tokens.as_ref().is_some_and(is_zero) {
                problems.add(line, "/tokens", zero("The number of tokens"), help);
            }
            for (pointer, what, is_zero) in [
                ("/cost", "The cost", fields.cost == Some(0.0)),
                (
                    "/tokensBefore",
                    "The number of tokens",
                    fields.tokens_before == Some(0),
                ),
                ("/images", "The number of images", fields.images == Some(0)),
                (
                    "/truncated",
                    "The number of bytes",
                    fields.truncated == Some(0),
                ),
            ] {
                if is_zero {
                    problems.add(line, pointer, zero(what), help);
                }
            }
            if fields
                .model
                .as_deref()
                .is_some_and(|model| model.trim().is_empty())
            {
                problems.add(line, "/model", "The text is empty".to_owned(), help);
            }
        }
    }
}

/// Whether a count has classes, and all of them are 0.
fn is_zero(tokens: &Tokens) -> bool {
    let Tokens {
        uncached_input,
        cached_input,
        output,
        reasoning,
    } = tokens;
    let mut known = [uncached_input, cached_input, output, reasoning]
        .into_iter()
        .flatten();
    known.next().is_some_and(|first| *first == 0) && known.all(|count| *count == 0)
}

/// Checks that a time can be read, and is one of a run.
fn check_time(line: &Line<'_>, key: &str, time: Option<&str>, problems: &mut Problems<'_>) {
    let Some(time) = time else { return };
    let read = LogTime::parse(time);
    if !matches!(read, Some(LogTime::Utc(_))) {
        let message = format!("{} is no time of RFC 3339", quoted(time));
        let help = "Write `2026-03-01T10:00:00Z`; a time without a time zone is a `localTime`.";
        problems.add(line, key, message, help);
    } else if time.starts_with("1970-01-01T00:00:00") {
        let message = "The time is second 0 of 1970, which no run has".to_owned();
        problems.add(
            line,
            key,
            message,
            "Leave the time out where there is none.",
        );
    }
}
