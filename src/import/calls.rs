//! Matches results to calls, with the same rule for every format.

use std::collections::{BTreeMap, BTreeSet};

use super::draft::{Draft, Event, What};

/// Numbers of calls and results of the main agent, as reported.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
#[allow(
    clippy::struct_field_names,
    reason = "the names are those of the report"
)]
pub struct Calls {
    /// Tool calls.
    pub calls: u64,
    /// Results with a call.
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
struct Known {
    /// Its id in the trace.
    id: String,
    agent: Option<String>,
    branch: Option<String>,
    answered: bool,
    hosted: bool,
}

/// Calls with the same id.
#[derive(Default)]
struct Same {
    calls: Vec<Known>,
    /// All calls before this one have a result.
    first: usize,
}

/// Maximum unanswered calls with one id to search for the same agent and branch.
const OPEN: usize = 64;

impl Same {
    /// Marks the first unanswered call as answered, preferring one of the same agent and branch.
    fn answer(&mut self, agent: Option<&String>, branch: Option<&String>) -> Option<usize> {
        let calls = self.calls.iter().skip(self.first);
        self.first += calls.take_while(|call| call.answered).count();
        let open = self.calls.iter().enumerate().skip(self.first);
        let mut open = open.filter(|(_, call)| !call.answered).take(OPEN);
        let is_near = |(_, call): &(usize, &Known)| {
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
    let mut known: BTreeMap<String, Same> = BTreeMap::new();
    let mut taken = BTreeSet::new();
    // The call of the last result with an id: an edit comes directly after it.
    let mut last: BTreeMap<String, usize> = BTreeMap::new();
    for event in &mut draft.events {
        let is_main = u64::from(event.agent.is_none());
        let Event {
            agent,
            branch,
            what,
            ..
        } = event;
        match what {
            What::ToolCall(call) => {
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
                same.push(Known {
                    id: unique.clone(),
                    agent: agent.clone(),
                    branch: branch.clone(),
                    answered: false,
                    hosted: call.hosted,
                });
                call.call = Some(unique);
            }
            What::ToolResult(result) => {
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
            What::Edit { call, .. } => {
                *call = call.take().and_then(|id| {
                    let calls = &known.get(&id)?.calls;
                    let at = last.get(&id).copied();
                    calls.get(at.unwrap_or(0)).map(|call| call.id.clone())
                });
            }
            What::Subagent { call, .. } => {
                *call = call.take().and_then(|id| newest(&known, &id));
            }
            What::Usage { calls, .. } => {
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

fn newest(known: &BTreeMap<String, Same>, id: &str) -> Option<String> {
    known.get(id)?.calls.last().map(|call| call.id.clone())
}

#[cfg(test)]
mod tests {
    use super::{Calls, join};
    use crate::formats::trace::Change;
    use crate::import::draft::{Call, Draft, Origin, ToolResult, What};

    fn call(draft: &mut Draft, id: &str) {
        let call = Call {
            name: "bash".to_owned(),
            call: Some(id.to_owned()),
            ..Call::default()
        };
        draft.push(Origin::default(), What::ToolCall(call));
    }

    fn result(draft: &mut Draft, id: Option<&str>, ok: Option<bool>) {
        let result = ToolResult {
            call: id.map(str::to_owned),
            ok,
            ..ToolResult::default()
        };
        draft.push(Origin::default(), What::ToolResult(result));
    }

    fn edit(draft: &mut Draft, id: &str) {
        let edit = What::Edit {
            call: Some(id.to_owned()),
            path: "a".to_owned(),
            change: Change::Modify,
            to: None,
            diff: None,
        };
        draft.push(Origin::default(), edit);
    }

    fn ids(draft: &Draft) -> Vec<&str> {
        let ids = draft.events.iter().map(|event| match &event.what {
            What::ToolCall(call) => call.call.as_deref(),
            What::ToolResult(result) => result.call.as_deref(),
            What::Edit { call, .. } => call.as_deref(),
            _ => None,
        });
        ids.map(|id| id.unwrap_or("-")).collect()
    }

    #[test]
    fn calls_with_one_id_are_told_apart_and_answered_in_order() {
        let mut draft = Draft::default();
        call(&mut draft, "c");
        call(&mut draft, "c~2");
        call(&mut draft, "c");
        result(&mut draft, Some("c"), Some(true));
        edit(&mut draft, "c");
        result(&mut draft, Some("c"), Some(false));
        edit(&mut draft, "c");
        result(&mut draft, Some("c"), None);
        result(&mut draft, Some("gone"), None);
        result(&mut draft, None, None);
        let counts = join(&mut draft);
        assert_eq!(
            ids(&draft),
            ["c", "c~2", "c~3", "c", "c", "c~3", "c~3", "-", "-", "-"]
        );
        let expected = Calls {
            calls: 3,
            results: 2,
            failed: 1,
            without_flag: 0,
            unanswered: 1,
            orphans: 3,
        };
        assert_eq!(counts, expected);
    }

    #[test]
    fn a_result_belongs_to_a_call_of_its_agent_and_branch_where_there_is_one() {
        let mut draft = Draft::default();
        call(&mut draft, "c");
        call(&mut draft, "c");
        draft.events[1].branch = Some("b1".to_owned());
        result(&mut draft, Some("c"), None);
        draft.events[2].branch = Some("b1".to_owned());
        join(&mut draft);
        assert_eq!(ids(&draft), ["c", "c~2", "c~2"]);
    }
}
