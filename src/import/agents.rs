//! Places the events of subagents in a run: those of each together, after the call that started it.

use std::collections::BTreeMap;
use std::vec;

use formats::trace::SubagentAction;

use super::draft::{Draft, DraftEvent, EventContent, TraceAgent};

/// A subagent and its events.
#[derive(Debug, Default)]
pub(super) struct SubagentEvents {
    /// The agent. `call` is the call that started it; `parent` is set later.
    pub(super) agent: TraceAgent,
    pub(super) events: Vec<DraftEvent>,
    /// How it ended, if the source records it.
    pub(super) ended: Option<SubagentAction>,
}

/// Inserts each block after its call, in the order of calls; blocks without a call go last. Sets `Draft::agents`.
pub(super) fn insert_subagents(draft: &mut Draft, blocks: Vec<SubagentEvents>) {
    if blocks.is_empty() {
        return;
    }
    let mut rest: Vec<Option<SubagentEvents>> = blocks.into_iter().map(Some).collect();
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
        let started: Vec<SubagentEvents> = match &event.what {
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
        // The order is reversed, because the top of the stack comes first.
        open[first..].reverse();
        out.push(event);
    }
    draft.events = out;
}

/// Records the agent, and returns its events between its start and end events.
fn begin(
    draft: &mut Draft,
    mut block: SubagentEvents,
    parent: Option<String>,
) -> vec::IntoIter<DraftEvent> {
    let mark = |action, neighbor: Option<&DraftEvent>| {
        let mut event = DraftEvent::new(EventContent::Subagent {
            action,
            id: block.agent.id.clone(),
            name: block.agent.name.clone(),
            call: block.agent.call.clone(),
        });
        if let Some(neighbor) = neighbor {
            event.time.clone_from(&neighbor.time);
            event.source.file = neighbor.source.file;
            event.source.member.clone_from(&neighbor.source.member);
            event.source.line = neighbor.source.line;
        }
        event.agent.clone_from(&parent);
        event
    };
    let started = mark(SubagentAction::Started, block.events.first());
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

/// Maximum levels of nested agents.
const LEVELS: usize = 16;

impl Draft {
    /// Moves the events of an inner agent directly after its start.
    pub fn group_agents(&mut self) {
        let agents: BTreeMap<&str, Option<&str>> = self
            .agents
            .iter()
            .map(|agent| (agent.id.as_str(), agent.parent.as_deref()))
            .collect();
        let mut begun: BTreeMap<&str, usize> = BTreeMap::new();
        for (number, event) in self.events.iter().enumerate() {
            if let EventContent::Subagent {
                action: SubagentAction::Started,
                id,
                ..
            } = &event.what
            {
                begun.entry(id).or_insert(number);
            }
        }
        if begun.is_empty() {
            return;
        }
        let keys: Vec<Vec<usize>> = self
            .events
            .iter()
            .enumerate()
            .map(|(number, event)| {
                let mut key = vec![number];
                let mut agent = event.agent.as_deref();
                while let Some(start) = agent.and_then(|id| begun.get(id))
                    && key.len() <= LEVELS
                {
                    key.push(*start);
                    agent = agent.and_then(|id| agents.get(id).copied().flatten());
                }
                key.reverse();
                key
            })
            .collect();
        let events = std::mem::take(&mut self.events);
        let mut keyed: Vec<_> = keys.into_iter().zip(events).collect();
        keyed.sort_by(|a, b| a.0.cmp(&b.0));
        self.events
            .extend(keyed.into_iter().map(|(_, event)| event));
    }
}
