//! Screen events of a rollout: mostly duplicates of items, plus the outcomes and token usage of turns.

use crate::formats::trace::Role;

use super::super::draft::What;
use super::super::loose::Content;
use super::rows::Payload;
use super::thread::{Counted, Reader, Sums, total};
use super::twins::Who;

impl Reader<'_> {
    /// Reads a screen event.
    pub(super) fn event(&mut self, event: &Payload<'_>) {
        let start = self.draft.events.len();
        let text = || event.text.get().or_else(|| event.message.get());
        match event.kind.text() {
            "user_message" => {
                self.message(Role::User, event.message.text());
                self.say(Who::User, true, start);
            }
            "agent_message" => {
                self.message(Role::Assistant, event.message.text());
                self.say(Who::Assistant, true, start);
            }
            "agent_reasoning" => {
                self.reasoning(text().unwrap_or_default(), true, None);
                self.say(Who::Reasoning, true, start);
            }
            "token_count" => self.token_count(event),
            "task_started" | "turn_started" => {
                self.turn += 1;
                self.ended = None;
            }
            "task_complete" | "turn_complete" => self.complete(event),
            "turn_aborted" => {
                let reason = event.reason.text();
                let state = match reason {
                    "interrupted" | "replaced" | "review_ended" => "canceled",
                    "budget_limited" => "limit_exceeded",
                    _ => "",
                };
                self.ended = Some((state, format!("turn_aborted: {reason}")));
                self.note("interrupted", event.reason.named());
            }
            "thread_rolled_back" => {
                let turns = event.num_turns.0.unwrap_or_default();
                self.undone.push((start, turns));
                self.note("rolled back", Some(format!("{turns} turns")));
            }
            "context_compacted" => self.compacted("context_compacted", ""),
            "error" | "stream_error" => {
                let message = event.message.named().unwrap_or_default();
                self.push(
                    None,
                    None,
                    What::Error {
                        message,
                        code: None,
                    },
                );
            }
            "exec_command_end" => self.verdict(event, None),
            "patch_apply_end" => self.verdict(event, event.success.0),
            "mcp_tool_call_end" => {
                let ended = event.result.0.as_ref();
                let failed = ended.is_some_and(|ended| {
                    let flagged = ended.ok.0.as_ref();
                    ended.err.is_some() || flagged.is_some_and(|flagged| flagged.is_error.is_set())
                });
                self.verdict(event, ended.map(|_| !failed));
            }
            "item_completed" => match &event.item.0 {
                Some(item) => self.completed(item),
                None => self.unknown("item_completed"),
            },
            kind if is_bookkeeping(kind) => self.draft.withhold("bookkeeping", 1),
            kind => self.unknown(kind),
        }
    }

    fn complete(&mut self, event: &Payload<'_>) {
        let message = match &event.error {
            Content::Text(text) => Some(text.to_string()),
            Content::Object(error) => Some(error.message.named().unwrap_or_default()),
            _ => None,
        };
        let state = if message.is_some() {
            "harness_error"
        } else {
            "completed"
        };
        self.ended = Some((state, event.kind.text().to_owned()));
        if let Some(message) = message {
            self.push(
                None,
                None,
                What::Error {
                    message,
                    code: None,
                },
            );
        }
    }

    fn verdict(&mut self, event: &Payload<'_>, ok: Option<bool>) {
        if let Some(call) = event.call_id.named() {
            self.verdicts.insert(call, (ok, event.exit_code.0));
        }
    }

    fn token_count(&mut self, event: &Payload<'_>) {
        self.draft
            .withhold("rateLimits", u64::from(event.rate_limits.is_some()));
        if let Some(info) = &event.info.0 {
            let last = Sums::of(info.last_token_usage.0.as_ref());
            self.count(Counted::Screen, total(info), last);
        }
    }

    /// Merges a compaction, which is written in up to three rows.
    pub(super) fn compacted(&mut self, kind: &str, summary: &str) {
        if !summary.trim().is_empty() {
            self.withhold_prompt("compactionSummaries", summary.to_owned());
        }
        let (at, kinds) = &mut self.compaction;
        let is_same = *at == self.draft.events.len() && !kinds.iter().any(|known| known == kind);
        if is_same && !kinds.is_empty() {
            kinds.push(kind.to_owned());
            return;
        }
        self.push(
            None,
            None,
            What::Compaction {
                trigger: None,
                tokens_before: None,
                forgotten: None,
            },
        );
        self.compaction = (self.draft.events.len(), vec![kind.to_owned()]);
    }
}

/// Whether screen events of this kind duplicate others, or have no information about the run.
fn is_bookkeeping(kind: &str) -> bool {
    kind.ends_with("_begin")
        || kind.ends_with("_delta")
        || matches!(
            kind,
            "agent_reasoning_raw_content"
                | "agent_reasoning_section_break"
                | "web_search_end"
                | "view_image_tool_call"
                | "background_event"
                | "deprecation_notice"
                | "entered_review_mode"
                | "exited_review_mode"
                | "item_started"
                | "mcp_startup_complete"
                | "mcp_startup_update"
                | "plan_update"
                | "session_configured"
                | "shutdown_complete"
                | "thread_goal_updated"
                | "thread_name_updated"
                | "thread_settings_applied"
                | "turn_diff"
                | "warning"
        )
}
