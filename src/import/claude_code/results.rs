//! Tool results, and what the harness recorded with them: exit codes, edits, subagents.

use crate::formats::trace::{Action, Change, ExitCodeFrom};

use super::super::Keep;
use super::super::draft::{ToolResult, What};
use super::super::loose::{self, Content};
use super::lane::Place;
use super::messages::{blocks, joined, text_of};
use super::noise::{self, Notification};
use super::rows::{Block, Row, ToolUse};
use super::session::Session;

impl Session<'_> {
    pub(super) fn result(
        &mut self,
        row: &Row<'_>,
        block: &Block<'_>,
        at: usize,
        place: &Place,
        pointer: &str,
    ) {
        let (text, images) = joined(&block.content);
        self.draft.withhold("images", images);
        let mut result = ToolResult {
            call: block.tool_use_id.named(),
            ok: block.is_error.0.map(|failed| !failed),
            images,
            ..ToolResult::default()
        };
        if block.is_error.is_set() {
            result.exit_code = exit_code(&text);
            result.exit_code_from = result.exit_code.map(|_| ExitCodeFrom::Text);
        }
        let beside = match &row.tool_use_result {
            Content::Object(beside) => Some(beside),
            _ => None,
        };
        if let Some(beside) = beside {
            self.beside(beside, &mut result);
        }
        self.link(beside.map(|beside| &**beside), block, &result);
        let shown = if self.options.keeps(Keep::Prompts) {
            &*text
        } else {
            let (shown, reminders) = noise::without_last_reminders(&text);
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
        self.lanes[at].push(place, pointer, What::ToolResult(result));
        if let Some(edit) = beside.and_then(|beside| edit(beside, call)) {
            self.lanes[at].push(place, "/toolUseResult", edit);
        }
    }

    /// Reads what the harness recorded about a result.
    fn beside(&mut self, beside: &ToolUse<'_>, result: &mut ToolResult) {
        let contents = u64::from(beside.original_file.is_some()) + u64::from(beside.file.is_some());
        self.draft.withhold("fileContents", contents);
        if beside.interrupted.is_set() {
            result.status = Some("interrupted".to_owned());
        }
        if beside.shell_id.get().is_some() {
            result.status = beside.status.named().filter(|status| status == "running");
            if let Some(code) = beside.exit_code.0 {
                result.exit_code = Some(code);
                result.exit_code_from = Some(ExitCodeFrom::Field);
                result.ok = Some(code == 0);
            }
        }
    }

    /// Links a result to its subagent.
    fn link(&mut self, beside: Option<&ToolUse<'_>>, block: &Block<'_>, result: &ToolResult) {
        let Some(call) = result.call.clone() else {
            return;
        };
        let named = beside
            .and_then(|beside| beside.agent_id.named())
            .or_else(|| {
                let last = blocks(&block.content).into_iter().next_back()?;
                let rest = text_of(last)?.trim_start().strip_prefix("agentId: ")?;
                let id = rest
                    .split(|c: char| !c.is_alphanumeric() && c != '-' && c != '_')
                    .next()?;
                (!id.is_empty()).then(|| id.to_owned())
            });
        let status = beside.and_then(|beside| beside.status.get());
        let ended = if result.ok == Some(false) {
            Some(Action::Failed)
        } else {
            status.and_then(action)
        };
        if let Some(beside) = beside {
            match &beside.task.0 {
                Some(task) => self.ended(task.id.get(), None, task.status.text()),
                // The result of a call that stops a task.
                None if beside.task_type.get().is_some() => {
                    self.ended(beside.task_id.get(), None, "stopped");
                }
                None => {}
            }
        }
        let is_started = named.is_some() || beside.is_some_and(|it| it.total_tokens.is_some());
        if is_started && self.tasks.contains_key(&call) {
            self.started.insert(call.clone());
        }
        if let Some(agent) = named {
            self.links.insert(agent, (call, ended));
        }
    }

    /// Reads how background agents ended from a text of the harness.
    pub(super) fn notified(&mut self, text: &str) {
        for Notification { task, call, status } in noise::notifications(text) {
            self.ended(task, call, status);
        }
    }

    /// Notes how a task in the background ended. It may be no agent: then no agent has its id.
    pub(super) fn ended(&mut self, task: Option<&str>, call: Option<&str>, status: &str) {
        let Some(action) = action(status) else { return };
        for id in [task, call].into_iter().flatten() {
            self.ends.insert(id.to_owned(), action);
        }
    }
}

/// How an agent ended, by the word of the harness.
fn action(status: &str) -> Option<Action> {
    match status {
        "completed" | "success" => Some(Action::Completed),
        "failed" | "error" | "cancelled" | "canceled" | "killed" | "stopped" | "interrupted"
        | "timeout" => Some(Action::Failed),
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
fn edit(beside: &ToolUse<'_>, call: Option<String>) -> Option<What> {
    let path = beside.file_path.named()?;
    let is_new = beside.kind.text() == "create";
    let hunks = &beside.structured_patch.0;
    if hunks.is_empty() && !is_new {
        return None;
    }
    let number = |count: loose::Count| count.0.unwrap_or_default();
    let mut diff = Vec::new();
    for hunk in hunks {
        let (old, new) = (number(hunk.old_start), number(hunk.new_start));
        let (removed, added) = (number(hunk.old_lines), number(hunk.new_lines));
        diff.push(format!("@@ -{old},{removed} +{new},{added} @@"));
        if let Content::Items(lines) = &hunk.lines {
            diff.extend(lines.iter().filter_map(|line| match line {
                Content::Text(line) => Some(line.to_string()),
                _ => None,
            }));
        }
    }
    Some(What::Edit {
        call,
        path,
        change: if is_new {
            Change::Create
        } else {
            Change::Modify
        },
        to: None,
        diff: (!diff.is_empty()).then(|| diff.join("\n")),
    })
}
