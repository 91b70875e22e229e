//! Screen events of a rollout: mostly duplicates of items, plus the outcomes and token usage of turns.

use formats::trace::Role;

use super::super::draft::EventContent;
use super::super::row::Row;
use super::super::usage::InclusiveTokens;
use super::duplicates::Speaker;
use super::thread::{RolloutReader, TotalsRow};

impl RolloutReader {
    /// Reads a screen event.
    pub(super) fn event(&mut self, event: &Row<'_>) {
        let start = self.draft.events.len();
        match &*event.text("type") {
            "user_message" => {
                self.message(Role::User, &event.text("message"));
                self.add_text_form(Speaker::User, true, start);
            }
            "agent_message" => {
                self.message(Role::Assistant, &event.text("message"));
                self.add_text_form(Speaker::Assistant, true, start);
            }
            "agent_reasoning" => {
                let text = event.first(["text", "message"]);
                self.reasoning(&text.unwrap_or_default(), true, None);
                self.add_text_form(Speaker::Reasoning, true, start);
            }
            "token_count" => self.token_count(event),
            "task_started" | "turn_started" => {
                self.turn += 1;
                self.ended = None;
            }
            "task_complete" | "turn_complete" => self.complete(event),
            "turn_aborted" => {
                let reason = event.text("reason");
                let state = match &*reason {
                    "interrupted" | "replaced" | "review_ended" => "canceled",
                    "budget_limited" => "limit_exceeded",
                    _ => "",
                };
                self.ended = Some((state, format!("turn_aborted: {reason}")));
                self.note("interrupted", event.name("reason"));
            }
            "thread_rolled_back" => {
                let turns = event.count("num_turns").unwrap_or_default();
                self.rollbacks.push((start, turns));
                self.note("rolled back", Some(format!("{turns} turns")));
            }
            "context_compacted" => self.compacted("context_compacted", ""),
            "error" | "stream_error" => {
                let message = event.text("message").into_owned();
                self.push(None, None, EventContent::error(message));
            }
            "exec_command_end" => self.add_screen_outcome(event, None),
            "patch_apply_end" => self.add_screen_outcome(event, event.flag("success")),
            "mcp_tool_call_end" => {
                let failed = ["result.Ok.is_error", "result.Ok.isError"];
                let failed = event.has("result.Err") || failed.iter().any(|key| event.is_true(key));
                self.add_screen_outcome(event, event.row("result").map(|_| !failed));
            }
            "item_completed" => match event.row("item") {
                Some(item) => self.completed(&item),
                None => self.draft.unknown_row("item_completed"),
            },
            kind if is_bookkeeping(kind) => self.draft.withhold("bookkeeping", 1),
            kind => self.draft.unknown_row(kind),
        }
    }

    fn complete(&mut self, event: &Row<'_>) {
        let message = event.string("error");
        let message = message.or_else(|| Some(event.row("error")?.text("message")));
        let state = if message.is_some() {
            "harness_error"
        } else {
            "completed"
        };
        self.ended = Some((state, event.text("type").into_owned()));
        if let Some(message) = message {
            self.push(None, None, EventContent::error(message.into_owned()));
        }
    }

    fn add_screen_outcome(&mut self, event: &Row<'_>, ok: Option<bool>) {
        if let Some(call) = event.name("call_id") {
            self.screen_outcomes
                .insert(call, (ok, event.integer("exit_code")));
        }
    }

    fn token_count(&mut self, event: &Row<'_>) {
        self.draft
            .withhold("rateLimits", u64::from(event.has("rate_limits")));
        let total = InclusiveTokens::of_codex(event.row("info.total_token_usage"));
        let last = InclusiveTokens::of_codex(event.row("info.last_token_usage"));
        self.count(TotalsRow::Screen, total, last);
    }

    /// Merges a compaction, which is written in up to three rows.
    pub(super) fn compacted(&mut self, kind: &str, summary: &str) {
        if !summary.trim().is_empty() {
            self.prompt("compactionSummaries", summary.to_owned());
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
            EventContent::Compaction {
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
    matches!(
        kind,
        "agent_message_content_delta"
            | "agent_message_delta"
            | "agent_reasoning_delta"
            | "agent_reasoning_raw_content_delta"
            | "collab_agent_interaction_begin"
            | "collab_agent_spawn_begin"
            | "collab_close_begin"
            | "collab_resume_begin"
            | "collab_waiting_begin"
            | "dynamic_tool_call_begin"
            | "exec_command_begin"
            | "exec_command_output_delta"
            | "image_generation_begin"
            | "mcp_tool_call_begin"
            | "patch_apply_begin"
            | "plan_delta"
            | "reasoning_content_delta"
            | "reasoning_raw_content_delta"
            | "web_search_begin"
            | "agent_reasoning_raw_content"
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
