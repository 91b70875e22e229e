//! Groups the events of a tape into turns and steps: a message, a call with its result and edits, the work of a subagent.
//!
//! An event belongs to the step of the call that it answers. Usage belongs to the step before it, an error to the failure before
//! it. What a subagent does is a list of steps within the step that started it.

use super::tape::{Event, EventOutcome, Family, Tape};

words! {
    /// What a step is.
    StepKind {
        /// The user or the agent writes.
        Message = "message",
        /// The agent thinks.
        Reasoning = "reasoning",
        /// A program runs.
        Command = "command",
        /// Something is read or searched.
        Read = "read",
        /// Something is changed.
        Write = "write",
        /// Another tool is called.
        Tool = "tool",
        /// Another agent works on a part of the task.
        Subagent = "subagent",
        /// Something went wrong.
        Error = "error",
        /// Something might go wrong.
        Warning = "warning",
        /// Everything else.
        Other = "other",
    }
}

/// Maximum depth of nested work of subagents. Deeper steps join the level above.
const MAX_DEPTH: usize = 6;

/// A step of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Number of the turn, from 1; 0 before the first turn.
    pub turn: usize,
    pub kind: StepKind,
    /// Whether it succeeded, if recorded.
    pub outcome: EventOutcome,
    /// Positions of its events on the tape, in order.
    pub events: Vec<usize>,
    /// The step of the call that started the subagent whose step this is.
    pub parent: Option<usize>,
    /// Time from its first to its last event with a time.
    pub milliseconds: Option<i64>,
    /// Tokens of the model calls that belong to it.
    pub tokens: Option<u64>,
}

/// The steps of a tape, in the order of their first events, and the step of each event.
#[derive(Debug, Default)]
pub struct Steps {
    pub steps: Vec<Step>,
    /// The step of each event, by position.
    pub of_event: Vec<usize>,
}

impl Steps {
    pub fn of(tape: &Tape<'_>) -> Self {
        let events = &tape.events;
        let has_user = events.iter().any(|event| opens_turn(event, true));
        let mut steps = Self {
            steps: Vec::new(),
            of_event: Vec::with_capacity(events.len()),
        };
        // The last step of the main line and of each subagent. A run has few subagents.
        let mut last: Vec<(Option<usize>, usize)> = Vec::new();
        let mut depths: Vec<usize> = Vec::new();
        let mut turn = 0;
        let mut was_opening = false;
        for (position, event) in events.iter().enumerate() {
            let step_of = |seq: Option<u64>| {
                let position = tape.position(seq?)?;
                steps.of_event.get(position).copied()
            };
            let mut parent = step_of(event.relations.parent);
            if let Some(step) = parent
                && depths[step] >= MAX_DEPTH
            {
                parent = steps.steps[step].parent;
            }
            let before = last.iter().find(|(line, _)| *line == parent);
            let before = before.map(|(_, step)| *step);
            let opens = opens_turn(event, has_user);
            // Messages that follow each other open one turn.
            if opens && !was_opening {
                turn += 1;
            }
            was_opening = opens || was_opening && event.is_usage();
            let joined = step_of(event.relations.call).or_else(|| {
                let step = &steps.steps[before?];
                let is_part = event.is_usage()
                    || event.kind.family == Family::Error && step.outcome == EventOutcome::Failed;
                is_part.then_some(before?)
            });
            let step = joined.unwrap_or_else(|| {
                depths.push(parent.map_or(0, |parent| depths[parent] + 1));
                steps.steps.push(Step {
                    turn,
                    kind: kind(event),
                    outcome: EventOutcome::Unstated,
                    events: Vec::new(),
                    parent,
                    milliseconds: None,
                    tokens: None,
                });
                steps.steps.len() - 1
            });
            steps.of_event.push(step);
            steps.steps[step].add(position, event);
            if joined.is_none() || joined == before {
                match last.iter_mut().find(|(line, _)| *line == parent) {
                    Some((_, last)) => *last = step,
                    None => last.push((parent, step)),
                }
            }
        }
        for step in &mut steps.steps {
            step.milliseconds = milliseconds(tape, &step.events);
        }
        for index in 0..steps.steps.len() {
            if let Some(parent) = steps.steps[index].parent {
                steps.steps[parent].kind = StepKind::Subagent;
            }
        }
        steps
    }

    pub fn turns(&self) -> usize {
        self.steps.last().map_or(0, |step| step.turn)
    }

    /// The failure of the event at `position`.
    pub fn failure<'e, 't>(&self, tape: &'e Tape<'t>, position: usize) -> StepFailure<'e, 't> {
        let step = self.of_event.get(position).map(|step| &self.steps[*step]);
        let events = step.map_or(&[][..], |step| &step.events);
        let event = &tape.events[position];
        let call = events.first().map(|first| &tape.events[*first]);
        let after = events.partition_point(|other| *other <= position);
        let later = events[after..].iter().map(|other| &tape.events[*other]);
        let parts = later.take_while(|other| !other.is_failure());
        let cause = parts.filter(|other| other.repeats_failure).last();
        StepFailure {
            call: call.filter(|_| event.kind.family != Family::Error),
            cause: cause.unwrap_or(event),
        }
    }
}

/// A failed step in two of its events, which may be the same.
#[derive(Debug)]
pub struct StepFailure<'e, 't> {
    /// What was tried; `None` for an error of its own.
    pub call: Option<&'e Event<'t>>,
    /// The event that says most about why it failed.
    pub cause: &'e Event<'t>,
}

/// Marks the events that belong to the failure of an event before them in their step. An error that follows an error is a
/// failure of its own, since nothing says that they have the same cause.
pub fn mark_repeated_failures(tape: &mut Tape<'_>) {
    let failures = tape.events.iter().filter(|event| event.has_failed());
    if failures.count() < 2 {
        return;
    }
    for step in Steps::of(tape).steps {
        let mut follows_error = None;
        for position in step.events {
            let event = &mut tape.events[position];
            if event.is_part_of_failure() {
                let is_error = event.kind.family == Family::Error;
                event.repeats_failure =
                    follows_error.is_some_and(|follows_error| !(follows_error && is_error));
                follows_error = Some(is_error);
            }
        }
    }
}

impl Step {
    fn add(&mut self, position: usize, event: &Event<'_>) {
        if event.kind.word == "subagent" {
            self.kind = StepKind::Subagent;
        }
        if event.kind.family == Family::Error || event.outcome == EventOutcome::Failed {
            self.outcome = EventOutcome::Failed;
        } else if self.outcome == EventOutcome::Unstated {
            self.outcome = event.outcome;
        }
        if let Some(tokens) = event.tokens {
            self.tokens = Some(self.tokens.unwrap_or_default().saturating_add(tokens));
        }
        self.events.push(position);
    }
}

/// Whether a turn begins with this event: with a message of the user, or of the agent on a tape without messages of users.
fn opens_turn(event: &Event<'_>, has_user: bool) -> bool {
    let is_message = event.kind.family == Family::Speech && event.relations.side_track.is_none();
    is_message && (!has_user || event.kind.word == "user")
}

fn kind(event: &Event<'_>) -> StepKind {
    match event.kind.family {
        Family::Speech => StepKind::Message,
        Family::Reasoning => StepKind::Reasoning,
        Family::Command => StepKind::Command,
        Family::Read => StepKind::Read,
        Family::Write => StepKind::Write,
        Family::Delegation if event.kind.word != "skill" => StepKind::Subagent,
        Family::Tool | Family::Delegation => StepKind::Tool,
        Family::Error => StepKind::Error,
        Family::Warning => StepKind::Warning,
        Family::Other => StepKind::Other,
    }
}

fn milliseconds(tape: &Tape<'_>, positions: &[usize]) -> Option<i64> {
    // Usage is written when the response of the model is complete, which is no time of the tool.
    let times = positions.iter().filter_map(|position| {
        let event = &tape.events[*position];
        event.at.filter(|_| !event.is_usage())
    });
    let (first, last) = (times.clone().min()?, times.max()?);
    (last > first).then(|| last.saturating_sub(first))
}
