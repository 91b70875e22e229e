//! The rules for events of a trace beyond their shape: their numbers and references.

use std::collections::BTreeSet;

use base::diagnostics::text::quoted;
use base::diagnostics::{Collector, Diagnostic, codes};
use formats::json::Str;
use formats::trace::{TraceEvent, TraceEventFields, TraceEventKind, TraceHeader};

/// Checks a trace, event by event.
#[derive(Debug)]
pub struct TraceCheck<'a> {
    path: &'a str,
    /// Ids of calls so far.
    calls: BTreeSet<String>,
    /// Events so far.
    position: u64,
    problems: Collector,
}

impl<'a> TraceCheck<'a> {
    /// A check of the file with the path `path` in diagnostics.
    pub fn new(path: &'a str) -> Self {
        Self {
            path,
            calls: BTreeSet::new(),
            position: 0,
            problems: Collector::default(),
        }
    }

    /// Checks the next event.
    pub fn event(&mut self, header: &TraceHeader, event: &TraceEvent<'_>) {
        let position = self.position;
        self.position += 1;
        let Some(fields) = &event.fields else { return };
        if let Some(seq) = fields.seq.filter(|seq| *seq != position) {
            self.problems.add(&codes::TRACE_WRONG_NUMBER, || {
                codes::TRACE_WRONG_NUMBER.at(
                    event.line.place(self.path, "/seq"),
                    format!("The event has the number `{seq}`, but its position is `{position}`"),
                    "Number the events after the header 0, 1, 2, … without a gap; look for lost lines.",
                )
            });
        }
        if event.kind == TraceEventKind::ToolCall {
            let id = fields.call.as_deref();
            if id.is_some_and(|id| !self.calls.insert(id.to_owned())) {
                self.problems.add(&codes::TRACE_DUPLICATE_CALL, || {
                    codes::TRACE_DUPLICATE_CALL.at(
                        event.line.place(self.path, "/call"),
                        format!("Duplicate call id {}", quoted(id.unwrap_or_default())),
                        "Give each call a unique id, for example with the suffix `~2`.",
                    )
                });
            }
        }
        if let Some((pointer, message, help)) = self.dangling(header, event.kind, fields) {
            self.problems.add(&codes::TRACE_DANGLING_REFERENCE, || {
                let place = event.line.place(self.path, &pointer);
                codes::TRACE_DANGLING_REFERENCE.at(place, message, help)
            });
        }
    }

    /// The first dangling reference of an event: place, message and fix.
    fn dangling(
        &self,
        header: &TraceHeader,
        kind: TraceEventKind,
        fields: &TraceEventFields<'_>,
    ) -> Option<(String, String, &'static str)> {
        let agent = fields.agent.as_deref();
        if let Some(id) = agent.filter(|id| header.agent(id).is_none()) {
            let message = format!("The header lists no agent {}", quoted(id));
            let help = "List the agent under `agents` in the header.";
            return Some(("/agent".to_owned(), message, help));
        }
        let file = fields.source.as_ref().map(|source| source.file);
        let is_listed = |file: &u64| *file < header.sources.len() as u64;
        if let Some(file) = file.filter(|file| !is_listed(file)) {
            let message = format!("The header lists no source `{file}`");
            let help = "Use the position of a file in `sources` of the header, from 0.";
            return Some(("/source/file".to_owned(), message, help));
        }
        if kind == TraceEventKind::ToolCall {
            return None;
        }
        let paid = fields.calls.iter().flatten().enumerate();
        let paid = paid.map(|(at, id)| (format!("/calls/{at}"), id));
        let call = fields.call.iter().map(|id| ("/call".to_owned(), id));
        let unknown = |(_, id): &(String, &Str<'_>)| !self.calls.contains(&***id);
        let (pointer, id) = call.chain(paid).find(unknown)?;
        let message = format!("No earlier call has the id {}", quoted(id));
        Some((
            pointer,
            message,
            "Use the `call` of an earlier `tool_call`, or leave the key out.",
        ))
    }

    /// The problems found.
    #[must_use]
    pub fn finish(self) -> Vec<Diagnostic> {
        self.problems.finish(self.path)
    }
}
