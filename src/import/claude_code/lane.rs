//! A lane of a session: the main line or a subagent.

use std::collections::{BTreeMap, BTreeSet};

use formats::trace::Role;

use super::super::draft::{DraftEvent, EventContent, Origin, RecordDraft, Tokens};
use super::super::row::Row;
use super::super::time::LogTime;
use super::counters::{ByModel, ModelTokens};
use super::tree::{self, RowNode};

/// The place of the current row.
#[derive(Debug, Default, Clone)]
pub(super) struct RowPlace {
    /// Position of its lane.
    pub(super) lane: usize,
    pub(super) file: usize,
    pub(super) line: Option<u64>,
    /// Pointer to the row, in a file that is a single object.
    pub(super) base: String,
    pub(super) time: Option<String>,
    /// Id of the row.
    pub(super) id: Option<String>,
}

impl RowPlace {
    fn event(&self, pointer: &str, what: EventContent) -> DraftEvent {
        let pointer = format!("{}{pointer}", self.base);
        let mut event = DraftEvent::new(what);
        event.source = Origin {
            file: self.file,
            member: None,
            line: self.line,
            pointer: Some(pointer).filter(|pointer| !pointer.is_empty()),
            id: self.id.clone(),
        };
        if let Some(time) = &self.time {
            event.set_time(time);
        }
        event
    }
}

/// One response of the model, which spans several rows.
pub(super) struct Response {
    id: u128,
    /// The tokens of its last row; the output includes reasoning.
    usage: Tokens,
    /// Whether it ends in none of its rows, so that the count of its output is that of its beginning.
    is_open: bool,
    model: Option<String>,
    calls: Vec<String>,
    place: RowPlace,
    /// Number of events after its last row.
    events: usize,
}

/// The events of one agent.
#[derive(Default)]
pub(super) struct Lane {
    /// Id of the agent; empty for the main line.
    pub(super) id: String,
    pub(super) name: Option<String>,
    /// The call that started it.
    pub(super) call: Option<String>,
    /// The hash of the first message.
    pub(super) prompt: Option<u128>,
    pub(super) events: Vec<DraftEvent>,
    pub(super) nodes: Vec<RowNode>,
    pub(super) models: Vec<String>,
    pub(super) started: Option<String>,
    pub(super) finished: Option<String>,
    pub(super) responses: Vec<Response>,
    pub(super) by_response: BTreeMap<u128, usize>,
    /// Messages that the user removed from the queue, with their positions.
    pub(super) removed_from_queue: Vec<(u128, usize)>,
    /// Messages delivered to the agent while it worked.
    pub(super) delivered: BTreeSet<u128>,
    /// Responses with a row without counts of tokens.
    pub(super) uncounted: BTreeSet<u128>,
    /// What is known of all responses.
    pub(super) counts: ResponseCounts,
}

/// What is known of the responses of an agent.
#[derive(Debug, Default)]
pub(super) struct ResponseCounts {
    /// Tokens by model.
    pub(super) models: ByModel,
    pub(super) responses: u64,
    /// Responses whose output was counted before they ended.
    pub(super) open: u64,
    /// Responses without a count of their input, or of their output.
    pub(super) without_input: u64,
    pub(super) without_output: u64,
}

impl Lane {
    pub(super) fn push(&mut self, place: &RowPlace, pointer: &str, what: EventContent) {
        self.events.push(place.event(pointer, what));
    }

    /// Counts omitted images, on the message of the same row or on a new one without text.
    pub(super) fn add_images(&mut self, place: &RowPlace, count: u64) {
        let last = self.events.last_mut().filter(|event| {
            (event.source.file, event.source.line) == (place.file, place.line)
                && event.source.id == place.id
        });
        if let Some(DraftEvent {
            what: EventContent::Message { images, .. },
            ..
        }) = last
        {
            *images += count;
            return;
        }
        let message = EventContent::message(Role::User, String::new(), false, count);
        self.push(place, "", message);
    }

    /// Extends the time range of the lane.
    pub(super) fn add_time(&mut self, time: Option<&str>) {
        let Some(time) = time.filter(|time| LogTime::parse(time).is_some()) else {
            return;
        };
        if self.started.as_deref().is_none_or(|first| time < first) {
            self.started = Some(time.to_owned());
        }
        if self.finished.as_deref().is_none_or(|last| time > last) {
            self.finished = Some(time.to_owned());
        }
    }

    /// Updates the tokens of a response from its last row.
    pub(super) fn usage(
        &mut self,
        id: u128,
        message: &Row<'_>,
        usage: &Row<'_>,
        calls: Vec<String>,
        place: &RowPlace,
    ) {
        let mut response = Response {
            id,
            usage: counted(usage),
            // Rows that were written before the response ended have a null.
            is_open: message.is_null("stop_reason"),
            model: message.name("model"),
            calls,
            place: place.clone(),
            events: self.events.len(),
        };
        if let Some(at) = self.by_response.get(&response.id) {
            let before = &mut self.responses[*at];
            before.calls.append(&mut response.calls);
            response.calls = std::mem::take(&mut before.calls);
            if response.is_open && !before.is_open {
                response.usage = before.usage;
                response.is_open = false;
            } else if response.is_open == before.is_open {
                // Rows of a response only ever count more output.
                let output = &mut response.usage.output;
                *output = (*output).max(before.usage.output);
            }
            *before = response;
        } else {
            self.by_response.insert(response.id, self.responses.len());
            self.responses.push(response);
        }
    }

    /// Marks branches, removes duplicates, and adds the tokens of each response, to the record as well.
    pub(super) fn finish(&mut self, record: &mut RecordDraft) {
        tree::mark_branches(&self.nodes, &mut self.events);
        let dropped: BTreeSet<usize> = self
            .removed_from_queue
            .iter()
            .filter(|(text, _)| self.delivered.contains(text))
            .map(|(_, at)| *at)
            .collect();
        self.responses.sort_by_key(|response| response.events);
        for response in &self.responses {
            self.counts.add(response);
        }
        let uncounted = self.uncounted.iter();
        let uncounted = uncounted.filter(|id| !self.by_response.contains_key(id));
        let uncounted = uncounted.count() as u64;
        self.counts.without_input += uncounted;
        self.counts.without_output += uncounted;
        self.counts.responses += uncounted;
        let mut responses = std::mem::take(&mut self.responses).into_iter().peekable();
        let mut events = Vec::with_capacity(self.events.len() + responses.len());
        let mut branch = None;
        for (at, event) in std::mem::take(&mut self.events).into_iter().enumerate() {
            while let Some(response) = responses.next_if(|response| response.events <= at) {
                record.add(add(response, branch.clone(), &mut events));
            }
            branch.clone_from(&event.branch);
            if !dropped.contains(&at) {
                events.push(event);
            }
        }
        for response in responses {
            record.add(add(response, branch.clone(), &mut events));
        }
        self.events = events;
    }
}

impl ResponseCounts {
    fn add(&mut self, response: &Response) {
        let tokens = tokens(response.usage);
        self.responses += 1;
        self.open += u64::from(response.is_open);
        self.without_input += u64::from(tokens.uncached_input.is_none());
        self.without_output += u64::from(tokens.output.is_none());
        let reasoning = tokens.reasoning.unwrap_or_default();
        let model = response.model.clone().unwrap_or_default();
        self.models.entry(model).or_default().add(ModelTokens {
            uncached: tokens.uncached_input.unwrap_or_default(),
            cached: tokens.cached_input.unwrap_or_default(),
            output: tokens.output.unwrap_or_default().saturating_add(reasoning),
            reasoning,
        });
    }

    /// Adds the counts of another agent.
    pub(super) fn absorb(&mut self, other: &Self) {
        for (model, tokens) in &other.models {
            self.models.entry(model.clone()).or_default().add(*tokens);
        }
        self.responses += other.responses;
        self.open += other.open;
        self.without_input += other.without_input;
        self.without_output += other.without_output;
    }
}

fn add(response: Response, branch: Option<String>, events: &mut Vec<DraftEvent>) -> Tokens {
    let tokens = tokens(response.usage);
    let what = EventContent::Usage {
        tokens,
        model: response.model,
        cost: None,
        calls: response.calls,
    };
    let mut event = response.place.event("/message/usage", what);
    event.branch = branch;
    if response.is_open {
        event.lower_bounds.push("output");
        let reasoning = tokens.reasoning.map(|_| "reasoning");
        event.lower_bounds.extend(reasoning);
    }
    events.push(event);
    tokens
}

/// The tokens of one row of a response; the output includes reasoning. The client counts tokens written to the cache separately.
fn counted(usage: &Row<'_>) -> Tokens {
    let new = usage.count("input_tokens");
    let written = usage.count("cache_creation_input_tokens");
    Tokens {
        uncached_input: new.or(written).map(|_| {
            new.unwrap_or_default()
                .saturating_add(written.unwrap_or_default())
        }),
        cached_input: usage.count("cache_read_input_tokens"),
        output: usage.count("output_tokens"),
        reasoning: usage.count("output_tokens_details.thinking_tokens"),
    }
}

/// The tokens of one response, with output and reasoning apart.
fn tokens(usage: Tokens) -> Tokens {
    let Tokens {
        output, reasoning, ..
    } = usage;
    Tokens {
        output: output.map(|output| output.saturating_sub(reasoning.unwrap_or_default())),
        reasoning: reasoning.filter(|_| output.is_some()),
        ..usage
    }
}
