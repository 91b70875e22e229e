//! Tool results, and what the harness recorded with them: exit codes, edits, subagents.

use std::borrow::Cow;

use formats::trace::{EditKind, ExitCodeFrom, SubagentAction};

use super::super::Keep;
use super::super::draft::{EventContent, ToolResult};
use super::super::row::Row;
use super::inserted_text::{self, Notification};
use super::lane::RowPlace;
use super::messages::joined;
use super::session::Session;

impl Session {
    pub(super) fn result(
        &mut self,
        row: &Row<'_>,
        block: &Row<'_>,
        place: &RowPlace,
        pointer: &str,
    ) {
        let content: Vec<Row<'_>> = block.parts("content").collect();
        let (text, images) = joined(&content);
        self.draft.withhold("images", images);
        let mut result = ToolResult {
            call: block.name("tool_use_id"),
            ok: block.flag("is_error").map(|failed| !failed),
            images,
            ..ToolResult::default()
        };
        if block.is_true("is_error") {
            result.exit_code = exit_code(&text);
            result.exit_code_from = result.exit_code.map(|_| ExitCodeFrom::Text);
        }
        let recorded = row.row("toolUseResult");
        if let Some(recorded) = &recorded {
            self.read_recorded(recorded, &mut result);
        }
        self.link(recorded.as_ref(), content.last(), &result);
        let shown = if self.options.keeps(Keep::Prompts) {
            &*text
        } else {
            let (shown, reminders) = inserted_text::without_last_reminders(&text);
            self.draft.withhold("injectedContext", reminders);
            shown
        };
        let refused = shown.trim();
        let refused = refused
            .strip_prefix("<tool_use_error>")
            .and_then(|rest| rest.strip_suffix("</tool_use_error>"));
        let shown = refused.unwrap_or(shown);
        result.text = (!shown.is_empty()).then(|| shown.to_owned());
        let call = result.call.clone();
        self.push(place, pointer, EventContent::ToolResult(result));
        if let Some(edit) = recorded.and_then(|recorded| edit(&recorded, call)) {
            self.push(place, "/toolUseResult", edit);
        }
    }

    /// Reads what the harness recorded about a result.
    fn read_recorded(&mut self, recorded: &Row<'_>, result: &mut ToolResult) {
        for key in ["originalFile", "file"] {
            self.draft
                .withhold("fileContents", u64::from(recorded.has(key)));
        }
        if recorded.is_true("interrupted") {
            result.status = Some("interrupted".to_owned());
        }
        if recorded.word("shellId").is_some() {
            result.status = recorded.name("status").filter(|status| status == "running");
            if let Some(code) = recorded.integer("exitCode") {
                result.exit_code = Some(code);
                result.exit_code_from = Some(ExitCodeFrom::Field);
                result.ok = Some(code == 0);
            }
        }
    }

    /// Links a result to its subagent, which the harness or the last block of the result names.
    fn link(&mut self, recorded: Option<&Row<'_>>, last: Option<&Row<'_>>, result: &ToolResult) {
        let Some(call) = result.call.clone() else {
            return;
        };
        let named = recorded.and_then(|recorded| recorded.name("agentId"));
        let named = named.or_else(|| {
            let text = last?.part_text()?;
            let rest = text.trim_start().strip_prefix("agentId: ")?;
            let id = rest
                .split(|c: char| !c.is_alphanumeric() && c != '-' && c != '_')
                .next()?;
            (!id.is_empty()).then(|| id.to_owned())
        });
        let ended = if result.ok == Some(false) {
            Some(SubagentAction::Failed)
        } else {
            recorded.and_then(|recorded| action(&recorded.text("status")))
        };
        if let Some(recorded) = recorded {
            if let Some(task) = recorded.row("task") {
                self.set_end([task.word("task_id"), None], &task.text("status"));
            } else if recorded.word("task_type").is_some() {
                // This is the result of a call that stops a task.
                self.set_end([recorded.word("task_id"), None], "stopped");
            }
        }
        let has_tokens = recorded.is_some_and(|it| it.count("totalTokens").is_some());
        if (named.is_some() || has_tokens) && self.tasks.contains_key(&call) {
            self.started.insert(call.clone());
        }
        if let Some(agent) = named {
            self.links.insert(agent, (call, ended));
        }
    }

    /// Reads how background agents ended from a text of the harness.
    pub(super) fn read_notifications(&mut self, text: &str) {
        for Notification { task, call, status } in inserted_text::notifications(text) {
            self.set_end([task, call].map(|id| id.map(Cow::Borrowed)), status);
        }
    }

    /// Notes how a task in the background ended, by its id and by that of its call. It may be no agent: then no agent has its id.
    pub(super) fn set_end(&mut self, ids: [Option<Cow<'_, str>>; 2], status: &str) {
        let Some(action) = action(status) else { return };
        for id in ids.into_iter().flatten() {
            self.ends.insert(id.into_owned(), action);
        }
    }
}

/// How an agent ended, by the word of the harness.
fn action(status: &str) -> Option<SubagentAction> {
    match status {
        "completed" | "success" => Some(SubagentAction::Completed),
        "failed" | "error" | "cancelled" | "canceled" | "killed" | "stopped" | "interrupted"
        | "timeout" => Some(SubagentAction::Failed),
        _ => None,
    }
}

/// The code in a result that begins with a line `Exit code 1`.
fn exit_code(text: &str) -> Option<i64> {
    let line = text.strip_prefix("Exit code ")?.split('\n').next()?;
    line.bytes()
        .all(|byte| byte.is_ascii_digit())
        .then(|| line.parse().ok())?
}

/// The file change recorded by the harness.
fn edit(recorded: &Row<'_>, call: Option<String>) -> Option<EventContent> {
    let path = recorded.name("filePath")?;
    let is_new = recorded.text("type") == "create";
    let hunks = recorded.rows("structuredPatch");
    let mut hunks = hunks.filter(Row::is_object).peekable();
    if hunks.peek().is_none() && !is_new {
        return None;
    }
    let mut diff = Vec::new();
    for hunk in hunks {
        let number = |key| hunk.count(key).unwrap_or_default();
        let (old, new) = (number("oldStart"), number("newStart"));
        let (removed, added) = (number("oldLines"), number("newLines"));
        diff.push(format!("@@ -{old},{removed} +{new},{added} @@").into());
        diff.extend(hunk.rows("lines").filter_map(|line| line.as_str()));
    }
    Some(EventContent::Edit {
        call,
        path,
        change: if is_new {
            EditKind::Create
        } else {
            EditKind::Modify
        },
        to: None,
        diff: (!diff.is_empty()).then(|| diff.join("\n")),
    })
}
