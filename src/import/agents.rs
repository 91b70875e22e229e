//! Places the events of subagents in a run: one block for each, after the call that started it.

use std::collections::BTreeMap;
use std::vec;

use formats::trace::Action;

use super::draft::{Agent, Draft, Event, EventContent};

/// A subagent and its events.
#[derive(Debug, Default)]
pub(super) struct Block {
    /// The agent. `call` is the call that started it; `parent` is set later.
    pub(super) agent: Agent,
    pub(super) events: Vec<Event>,
    /// How it ended, if the source records it.
    pub(super) ended: Option<Action>,
}

/// The model of an agent, if it has a single one.
pub(super) fn only(mut models: Vec<String>) -> Option<String> {
    models.pop().filter(|_| models.is_empty())
}

/// Inserts each block after its call, in the order of calls; blocks without a call go last. Sets `Draft::agents`.
pub(super) fn weave(draft: &mut Draft, blocks: Vec<Block>) {
    if blocks.is_empty() {
        return;
    }
    let mut rest: Vec<Option<Block>> = blocks.into_iter().map(Some).collect();
    let mut by_call: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, block) in rest.iter().flatten().enumerate() {
        if let Some(call) = &block.agent.call {
            by_call.entry(call.clone()).or_default().push(at);
        }
    }
    let mut out = Vec::new();
    let mut open = vec![std::mem::take(&mut draft.events).into_iter()];
    // Blocks without a call go last.
    let mut unnamed = 0;
    loop {
        let Some(events) = open.last_mut() else {
            let Some(at) = (unnamed..rest.len()).find(|at| rest[*at].is_some()) else {
                break;
            };
            unnamed = at;
            open.extend(rest[at].take().map(|block| begin(draft, block, None)));
            continue;
        };
        let Some(event) = events.next() else {
            open.pop();
            continue;
        };
        let started: Vec<Block> = match &event.what {
            EventContent::ToolCall(call) => {
                call.call.as_ref().and_then(|call| by_call.remove(call))
            }
            _ => None,
        }
        .into_iter()
        .flatten()
        .filter_map(|at| rest[at].take())
        .collect();
        let first = open.len();
        for block in started {
            open.push(begin(draft, block, event.agent.clone()));
        }
        // Reversed, because the top of the stack comes first.
        open[first..].reverse();
        out.push(event);
    }
    draft.events = out;
}

/// Records the agent, and returns its events between its start and end events.
fn begin(draft: &mut Draft, mut block: Block, parent: Option<String>) -> vec::IntoIter<Event> {
    let mark = |action, beside: Option<&Event>| {
        let mut event = Event::new(EventContent::Subagent {
            action,
            id: block.agent.id.clone(),
            name: block.agent.name.clone(),
            call: block.agent.call.clone(),
        });
        if let Some(beside) = beside {
            event.time.clone_from(&beside.time);
            event.local_time.clone_from(&beside.local_time);
            event.source.file = beside.source.file;
            event.source.member.clone_from(&beside.source.member);
            event.source.line = beside.source.line;
        }
        event.agent.clone_from(&parent);
        event
    };
    let started = mark(Action::Started, block.events.first());
    let ended = block.ended.map(|action| mark(action, block.events.last()));
    for event in &mut block.events {
        event.agent = Some(block.agent.id.clone());
    }
    block.agent.parent = parent;
    draft.agents.push(block.agent);
    block.events.insert(0, started);
    block.events.extend(ended);
    block.events.into_iter()
}
