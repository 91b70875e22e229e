//! Finishes a rollout: removes duplicates, marks undone turns and fills the record.

use std::collections::BTreeSet;

use base::diagnostics::text::counted;
use formats::model::run::Metric;
use formats::trace::{ExitCodeFrom, Role, SubagentAction};

use super::super::Keep;
use super::super::draft::{DraftEvent, EventContent, Origin, RunIdSource, ToolResult};
use super::super::shared::prompt_kind;
use super::super::{injected, time};
use super::duplicates::{self, Speaker};
use super::thread::{RolloutReader, Thread};

impl RolloutReader {
    /// `file` is the name of the rollout, for messages.
    pub(super) fn finish(mut self, file: &str) -> Thread {
        let dropped = self.duplicates();
        self.branches(&dropped);
        for event in &mut self.draft.events {
            if let EventContent::ToolResult(result) = &mut event.what
                && let Some(call) = &result.call
                && let Some((ok, code)) = self.screen_outcomes.remove(call)
            {
                set_outcome(result, ok, code);
            }
        }
        let mut dropped = dropped.into_iter();
        self.draft.events.retain(|_| dropped.next() != Some(true));
        self.inherited_note();
        self.record(file)
    }

    /// The events to drop: screen events with a duplicate, and context injected by Codex.
    fn duplicates(&mut self) -> Vec<bool> {
        let paired = duplicates::pair(&self.text_forms, &self.draft.events);
        let mut dropped = vec![false; self.draft.events.len()];
        let shows_users = self
            .text_forms
            .iter()
            .any(|form| form.is_event && form.speaker == Speaker::User);
        // Tools that redact a log may leave other texts in the two forms of one message.
        let mut differing: BTreeSet<usize> = self
            .text_forms
            .iter()
            .zip(&paired)
            .filter(|(form, has_duplicate)| {
                form.is_event && form.speaker == Speaker::User && !**has_duplicate
            })
            .map(|(form, _)| form.row)
            .collect();
        for (form, has_duplicate) in self.text_forms.iter().zip(paired) {
            if form.is_event {
                for at in form.events.clone().filter(|_| has_duplicate) {
                    dropped[at] = true;
                }
            } else if form.speaker == Speaker::User && !has_duplicate {
                for at in form.events.clone() {
                    let event = &mut self.draft.events[at];
                    let EventContent::Message { text, images, .. } = &mut event.what else {
                        continue;
                    };
                    // If the log says what users wrote, everything else is not theirs.
                    let parts = self.parts.remove(&at).unwrap_or_else(|| vec![text.clone()]);
                    let read = parts.iter().map(|part| injected::words(part));
                    let (words, counts): (Vec<_>, Vec<u64>) = read.unzip();
                    let words: Vec<_> = words.into_iter().flatten().collect();
                    let count: u64 = counts.into_iter().sum();
                    let has_words = !shows_users
                        && (*images > 0 || words.iter().any(|words| !words.trim().is_empty()));
                    if has_words && count == 0 {
                        continue;
                    }
                    if count == 0 && *images == 0 && differing.remove(&(form.row + 1)) {
                        dropped[at] = true;
                        continue;
                    }
                    if self.options.keeps(Keep::Prompts) {
                        let text = std::mem::take(text);
                        event.what = EventContent::note(prompt_kind("injectedContext"), Some(text));
                    } else if has_words {
                        *text = words.join("\n");
                        self.draft.withhold("injectedContext", count);
                    } else {
                        dropped[at] = true;
                        self.draft.withhold("injectedContext", 1);
                    }
                }
            }
        }
        if self.options.no_reasoning {
            let mut count = 0;
            for (event, dropped) in self.draft.events.iter().zip(&mut dropped) {
                if matches!(event.what, EventContent::Reasoning { .. }) && !*dropped {
                    *dropped = true;
                    count += 1;
                }
            }
            self.draft.withhold("reasoning", count);
        }
        dropped
    }

    /// Marks the events of undone turns as branches.
    fn branches(&mut self, dropped: &[bool]) {
        // These are the events of the current line, and where its turns begin.
        let (mut living, mut turns): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
        let mut rollbacks = std::mem::take(&mut self.rollbacks).into_iter().peekable();
        let mut branches = 0;
        for (at, dropped) in dropped.iter().enumerate() {
            while let Some((_, count)) = rollbacks.next_if(|(before, _)| *before == at) {
                let count = usize::try_from(count).unwrap_or(usize::MAX);
                let kept = turns.len().saturating_sub(count);
                let Some(first) = turns.drain(kept..).next() else {
                    continue;
                };
                branches += 1;
                for event in living.drain(first..) {
                    self.draft.events[event].branch = Some(format!("b{branches}"));
                }
            }
            let role = match &self.draft.events[at].what {
                EventContent::Message { role, .. } => Some(*role),
                _ => None,
            };
            if role == Some(Role::User) && !dropped {
                turns.push(living.len());
            }
            living.push(at);
        }
    }

    fn inherited_note(&mut self) {
        if self.inherited == 0 {
            return;
        }
        let parent = self.head.as_ref().and_then(|head| head.parent.clone());
        let lines = self.inherited;
        let of = parent.map_or_else(String::new, |parent| format!(" of thread {parent}"));
        let text = format!("{lines} lines{of}");
        let mut event = DraftEvent::new(EventContent::note("inherited", Some(text)));
        event.source = Origin {
            line: Some(1),
            ..Origin::default()
        };
        if let Some(time) = &self.first_time {
            event.set_time(time);
        }
        self.draft.events.insert(0, event);
    }

    fn record(mut self, file: &str) -> Thread {
        let own_tokens = self.own_tokens();
        let record = &mut self.draft.record;
        record.harness = Some("codex".to_owned());
        record.started = self.first_time;
        let head = self.head.unwrap_or_default();
        // A subagent has the session of its root.
        let own = match head.parent {
            Some(_) => record.ids.get("thread"),
            None => record
                .ids
                .get("session")
                .or_else(|| record.ids.get("thread")),
        };
        record.id = RunIdSource::of_session(own.cloned(), None, record.started.clone());
        if let Some(tokens) = own_tokens {
            record.tokens = tokens.disjoint();
        }
        let unreadable_lines = self.unreadable_lines;
        let mut ended = None;
        if let Some((state, detail)) = self.ended {
            record.state = state;
            record.detail = Some(detail);
            ended = match state {
                "" => None,
                "completed" => Some(SubagentAction::Completed),
                _ => Some(SubagentAction::Failed),
            };
        }
        if self.is_exec {
            record.run_time_seconds =
                time::seconds_between(record.started.as_deref(), record.finished.as_deref());
        }
        if unreadable_lines > 0 {
            let lines = counted(unreadable_lines, "unreadable line");
            let why = format!("the log has {lines} after its last count of tokens");
            self.draft.lower_bound(file, &Metric::TOKENS, &why);
        }
        Thread {
            draft: self.draft,
            ended,
            started: self.started,
        }
    }
}

/// Sets the outcome shown on the screen, if the result itself has none.
pub(super) fn set_outcome(result: &mut ToolResult, ok: Option<bool>, exit_code: Option<i64>) {
    if result.exit_code.is_none() && result.status.is_none() {
        result.exit_code = exit_code;
        result.exit_code_from = exit_code.map(|_| ExitCodeFrom::Field);
    }
    result.ok = match result.exit_code {
        Some(0) => ok.or(Some(true)),
        Some(_) => Some(false),
        None => result.ok.or(ok),
    };
}
