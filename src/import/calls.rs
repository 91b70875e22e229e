//! Matches results to calls, with the same rule for every format.

use std::collections::{BTreeMap, BTreeSet};

use super::draft::{Draft, DraftEvent, EventContent};

/// Numbers of calls and results of the main agent, as reported.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
#[allow(
    clippy::struct_field_names,
    reason = "the names are those of the report"
)]
pub struct Calls {
    /// Tool calls.
    pub calls: u64,
    pub results: u64,
    /// Results with a call that failed.
    pub failed: u64,
    /// Results with a call but without a success flag.
    pub without_flag: u64,
    /// Calls without a result, except calls run by the provider.
    pub unanswered: u64,
    /// Results without a call.
    pub orphans: u64,
}

/// A call seen so far.
struct CallState {
    /// Its id in the trace.
    id: String,
    agent: Option<String>,
    branch: Option<String>,
    answered: bool,
    hosted: bool,
}

/// Calls with the same id.
#[derive(Default)]
struct CallsOfId {
    calls: Vec<CallState>,
    /// All calls before this one have a result.
    first: usize,
}

/// Maximum unanswered calls with one id to search for the same agent and branch.
const OPEN: usize = 64;

impl CallsOfId {
    /// Marks the first unanswered call as answered, preferring one of the same agent and branch.
    fn answer(&mut self, agent: Option<&String>, branch: Option<&String>) -> Option<usize> {
        let calls = self.calls.iter().skip(self.first);
        self.first += calls.take_while(|call| call.answered).count();
        let open = self.calls.iter().enumerate().skip(self.first);
        let mut open = open.filter(|(_, call)| !call.answered).take(OPEN);
        let is_near = |(_, call): &(usize, &CallState)| {
            call.agent.as_ref() == agent && call.branch.as_ref() == branch
        };
        let near = open.find(is_near).map(|(at, _)| at);
        let at = near.unwrap_or(self.first);
        self.calls.get_mut(at)?.answered = true;
        Some(at)
    }
}

/// Makes equal call ids unique with `~2`, `~3`. Matches a result to the first unanswered call with its id, removes the id from
/// results without a call, and updates everything else that refers to a call.
pub(super) fn join(draft: &mut Draft) -> Calls {
    let mut counts = Calls::default();
    let mut known: BTreeMap<String, CallsOfId> = BTreeMap::new();
    let mut taken = BTreeSet::new();
    // The call of the last result with an id: an edit comes directly after it.
    let mut last: BTreeMap<String, usize> = BTreeMap::new();
    for event in &mut draft.events {
        let is_main = u64::from(event.agent.is_none());
        let DraftEvent {
            agent,
            branch,
            what,
            ..
        } = event;
        match what {
            EventContent::ToolCall(call) => {
                counts.calls += is_main;
                let Some(id) = call.call.take() else {
                    counts.unanswered += u64::from(!call.hosted) * is_main;
                    continue;
                };
                let same = &mut known.entry(id.clone()).or_default().calls;
                let mut number = same.len() + 1;
                let mut unique = id.clone();
                while !taken.insert(unique.clone()) {
                    number = number.max(2);
                    unique = format!("{id}~{number}");
                    number += 1;
                }
                same.push(CallState {
                    id: unique.clone(),
                    agent: agent.clone(),
                    branch: branch.clone(),
                    answered: false,
                    hosted: call.hosted,
                });
                call.call = Some(unique);
            }
            EventContent::ToolResult(result) => {
                let id = result.call.take();
                let open = id.as_ref().and_then(|id| {
                    let same = known.get_mut(id)?;
                    let at = same.answer(agent.as_ref(), branch.as_ref())?;
                    last.insert(id.clone(), at);
                    Some(same.calls[at].id.clone())
                });
                if open.is_none() {
                    counts.orphans += is_main;
                    continue;
                }
                result.call = open;
                counts.results += is_main;
                let failed =
                    result.ok == Some(false) || result.exit_code.is_some_and(|code| code != 0);
                counts.failed += u64::from(failed) * is_main;
                let is_silent =
                    result.ok.is_none() && result.exit_code.is_none() && result.status.is_none();
                counts.without_flag += u64::from(is_silent) * is_main;
            }
            EventContent::Edit { call, .. } => {
                *call = call.take().and_then(|id| {
                    let calls = &known.get(&id)?.calls;
                    let at = last.get(&id).copied();
                    calls.get(at.unwrap_or(0)).map(|call| call.id.clone())
                });
            }
            EventContent::Subagent { call, .. } => {
                *call = call.take().and_then(|id| newest(&known, &id));
            }
            EventContent::Usage { calls, .. } => {
                *calls = calls.iter().filter_map(|id| newest(&known, id)).collect();
            }
            _ => {}
        }
    }
    for agent in &mut draft.agents {
        agent.call = agent.call.take().and_then(|id| newest(&known, &id));
    }
    let open = known.values().flat_map(|same| &same.calls);
    let open = open.filter(|call| !call.answered && !call.hosted && call.agent.is_none());
    counts.unanswered += open.count() as u64;
    counts
}

fn newest(known: &BTreeMap<String, CallsOfId>, id: &str) -> Option<String> {
    known.get(id)?.calls.last().map(|call| call.id.clone())
}
