//! Reorders a trace with inner agents, so that the events of each are contiguous.

use std::collections::BTreeMap;

use formats::trace::Action;

use super::draft::{Draft, EventContent};

/// Maximum levels of nested agents.
const LEVELS: usize = 16;

impl Draft {
    /// Moves the events of an inner agent directly after its start.
    pub fn blocks(&mut self) {
        let agents: BTreeMap<&str, Option<&str>> = self
            .agents
            .iter()
            .map(|agent| (agent.id.as_str(), agent.parent.as_deref()))
            .collect();
        let mut begun: BTreeMap<&str, usize> = BTreeMap::new();
        for (number, event) in self.events.iter().enumerate() {
            if let EventContent::Subagent {
                action: Action::Started,
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
