//! Finished items. A script of the agent runs its tools itself, so only these rows have the outcome of each. Items of other
//! calls, messages and reasoning are written twice, here and as an item for the model.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::value::RawValue;

use formats::trace::{EditKind, ExitCodeFrom, Role};

use super::super::draft::{EventContent, ToolCall, ToolResult};
use super::super::raw_json;
use super::super::row::Row;
use super::duplicates::Speaker;
use super::items::joined;
use super::patch::FileChange;
use super::thread::RolloutReader;

/// Tools of which a finished command is the outcome.
const SHELLS: [&str; 5] = [
    "exec_command",
    "local_shell",
    "shell",
    "shell_command",
    "unified_exec",
];

impl RolloutReader {
    /// Reads a finished item.
    pub(super) fn completed(&mut self, item: &Row<'_>) {
        let start = self.draft.events.len();
        let kind = item.text("type").replace('_', "").to_ascii_lowercase();
        match kind.as_str() {
            "usermessage" => {
                let (text, _) = joined(item, "content");
                self.message(Role::User, &text);
                self.add_text_form(Speaker::User, true, start);
            }
            "agentmessage" => {
                let (text, _) = joined(item, "content");
                self.message(Role::Assistant, &text);
                self.add_text_form(Speaker::Assistant, true, start);
            }
            "plan" => self.note("plan", item.name("text")),
            "commandexecution" => self.command(item),
            "filechange" => self.changes(item),
            "mcptoolcall" | "dynamictoolcall" => self.server_tool(item),
            // Only a script has no other row for each of its tools.
            "websearch" if self.runs_a_script() => self.tool_of_script(item, "web_search"),
            "imageview" if self.runs_a_script() => self.tool_of_script(item, "view_image"),
            "collabagenttoolcall" if self.runs_a_script() => {
                self.tool_of_script(item, &item.text("tool"));
            }
            "contextcompaction" => self.compacted("context_compacted", ""),
            "hookprompt" => self.draft.withhold("injectedContext", 1),
            "reasoning"
            | "websearch"
            | "imageview"
            | "imagegeneration"
            | "enteredreviewmode"
            | "exitedreviewmode"
            | "collabagenttoolcall"
            | "subagentactivity"
            | "sleep" => self.draft.withhold("bookkeeping", 1),
            _ => self
                .draft
                .unknown_row(&format!("item_completed {}", item.text("type"))),
        }
    }

    /// A call with its result, unless the log has the call of this item as one of the model.
    fn command(&mut self, item: &Row<'_>) {
        let ok = outcome(&item.text("status"));
        let code = item.integer("exit_code");
        let known = item.name("id").filter(|id| self.calls.contains(id));
        let open = self.open_shells();
        if known.is_some() || !open.is_empty() {
            let call = known.or_else(|| self.shell_of(item, open));
            self.screen_outcomes
                .extend(call.map(|call| (call, (ok, code))));
            self.draft.withhold("bookkeeping", 1);
            return;
        }
        let mut arguments = BTreeMap::from([("cmd", script(item, "command"))]);
        let folder = item.text("cwd");
        let folder = folder.strip_prefix("file://").unwrap_or(&folder);
        let is_elsewhere = !self
            .draft
            .identity
            .workspaces
            .iter()
            .any(|known| known == folder);
        if is_elsewhere && !folder.is_empty() {
            arguments.insert("workdir", folder.to_owned());
        }
        let streams = || item.text("stdout") + item.text("stderr");
        let text = item.word("aggregated_output").unwrap_or_else(streams);
        let result = ToolResult {
            ok: code.map(|code| code == 0).or(ok),
            exit_code: code,
            exit_code_from: code.map(|_| ExitCodeFrom::Field),
            text: Some(text.into_owned()).filter(|text| !text.is_empty()),
            ..ToolResult::default()
        };
        let arguments = serde_json::value::to_raw_value(&arguments).ok();
        self.call_with_result(item, "exec_command", arguments, result);
    }

    /// The open calls that a finished command may belong to, with their scripts, in the order of the log.
    fn open_shells(&self) -> Vec<(String, Option<String>)> {
        let is_shell = |name: &&String| SHELLS.contains(&name.as_str());
        let count = self.open.values().filter(is_shell).count();
        // Open calls are near the end: a search from the start would take quadratic time.
        let calls = self.draft.events.iter().rev().filter_map(|event| {
            let EventContent::ToolCall(call) = &event.what else {
                return None;
            };
            let id = call.call.as_ref()?;
            let name = self.open.get(id)?;
            SHELLS
                .contains(&name.as_str())
                .then(|| (id.clone(), script_of(call)))
        });
        let mut calls: Vec<_> = calls.take(count).collect();
        calls.reverse();
        calls
    }

    /// The open call of a finished command whose id the log does not have: the only one, or the first with its script.
    fn shell_of(&self, item: &Row<'_>, mut open: Vec<(String, Option<String>)>) -> Option<String> {
        if open.len() > 1 {
            let script = script(item, "command");
            open.retain(|(call, known)| {
                known.as_deref() == Some(&*script) && !self.screen_outcomes.contains_key(call)
            });
        }
        open.into_iter().next().map(|(call, _)| call)
    }

    fn call_with_result(
        &mut self,
        item: &Row<'_>,
        name: &str,
        arguments: Option<Box<RawValue>>,
        result: ToolResult,
    ) {
        let call = ToolCall {
            name: name.to_owned(),
            call: item.name("id"),
            arguments,
            ..ToolCall::default()
        };
        let result = ToolResult {
            call: item.name("id"),
            status: (item.text("status") == "declined").then(|| "rejected".to_owned()),
            ..result
        };
        self.calls.extend(item.name("id"));
        self.push(None, item.name("id"), EventContent::ToolCall(call));
        self.push(None, item.name("id"), EventContent::ToolResult(result));
    }

    /// An edit of each file, unless a patch of the model has them.
    fn changes(&mut self, item: &Row<'_>) {
        // The edits are sorted by path.
        let changes = item.row("changes").into_iter().flat_map(Row::members);
        let changes: BTreeMap<Cow<'_, str>, Row<'_>> = changes.collect();
        if changes.keys().any(|path| self.has_edit(item, path)) {
            self.draft.withhold("bookkeeping", 1);
            return;
        }
        let status = item.text("status");
        if matches!(&*status, "failed" | "declined") {
            let paths: Vec<String> = changes.keys().map(|path| self.relative(path)).collect();
            let arguments = raw_json::json(&serde_json::json!({ "paths": paths }));
            let result = ToolResult {
                ok: outcome(&status),
                ..ToolResult::default()
            };
            return self.call_with_result(item, "apply_patch", arguments, result);
        }
        for (path, changed) in changes {
            let to = changed.word("move_path").map(|path| self.relative(&path));
            let (change, sign) = match &*changed.text("type") {
                "add" => (EditKind::Create, "+"),
                "delete" => (EditKind::Delete, "-"),
                _ if to.is_some() => (EditKind::Rename, ""),
                _ => (EditKind::Modify, ""),
            };
            let whole = || {
                let content = changed.word("content")?;
                let lines = content.lines().map(|line| format!("{sign}{line}"));
                let lines: Vec<String> = lines.collect();
                Some(lines.join("\n"))
            };
            let edit = EventContent::Edit {
                call: None,
                path: self.relative(&path),
                change,
                to,
                diff: changed.name("unified_diff").or_else(whole),
            };
            self.push(None, item.name("id"), edit);
        }
    }

    fn server_tool(&mut self, item: &Row<'_>) {
        if self.has_call(item) {
            self.draft.withhold("bookkeeping", 1);
            return;
        }
        let tool = item.text("tool");
        let name = match item.word("server") {
            Some(server) => format!("mcp__{server}__{tool}"),
            None => tool.into_owned(),
        };
        let arguments = item.raw("arguments").and_then(raw_json::compact);
        let error = item.string("error");
        let error = error.or_else(|| Some(item.row("error")?.text("message")));
        let failed = error.is_some();
        let (text, images) = match (error, item.row("result")) {
            (Some(error), _) => (error.into_owned(), 0),
            (None, Some(result)) => joined(&result, "content"),
            (None, None) if item.is_list("content_items") => joined(item, "content_items"),
            (None, None) => joined(item, "result"),
        };
        let failed = failed || item.flag("success") == Some(false);
        self.draft.withhold("images", images);
        let result = ToolResult {
            ok: if failed {
                Some(false)
            } else {
                outcome(&item.text("status"))
            },
            text: Some(text).filter(|text| !text.is_empty()),
            images,
            ..ToolResult::default()
        };
        self.call_with_result(item, &name, arguments, result);
    }

    /// Whether a script is open, which runs its tools itself.
    fn runs_a_script(&self) -> bool {
        self.open.values().any(|name| name == "exec")
    }

    /// A call without a result of its own, whose arguments are the other values of its item.
    fn tool_of_script(&mut self, item: &Row<'_>, name: &str) {
        if self.has_call(item) {
            self.draft.withhold("bookkeeping", 1);
            return;
        }
        let call = ToolCall {
            name: name.to_owned(),
            call: item.name("id"),
            arguments: raw_json::without(item.json(), &["id", "status", "tool", "type"]),
            ..ToolCall::default()
        };
        self.calls.extend(item.name("id"));
        self.push(None, item.name("id"), EventContent::ToolCall(call));
    }

    /// Whether the log has the call of an item as one of the model.
    fn has_call(&self, item: &Row<'_>) -> bool {
        item.word("id").is_some_and(|id| self.calls.contains(&*id))
    }

    /// Whether a patch of the model changes a file: that of the item itself, or an open one.
    fn has_edit(&self, item: &Row<'_>, path: &str) -> bool {
        let path = self.relative(path);
        let id = item.name("id");
        let is_in_a_patch = |file: &FileChange| self.relative(&file.path) == path;
        self.patches.values().flatten().any(is_in_a_patch)
            || self.has_call(item)
                && self
                    .draft
                    .events
                    .iter()
                    .rev()
                    .any(|event| match &event.what {
                        EventContent::Edit {
                            call, path: edited, ..
                        } => call.is_some() && *call == id && self.relative(edited) == path,
                        _ => false,
                    })
    }

    /// A path from the working folder of the thread.
    fn relative(&self, path: &str) -> String {
        let folders = self.draft.identity.workspaces.iter();
        let mut below = folders.filter_map(|folder| path.strip_prefix(folder)?.strip_prefix('/'));
        below.next().unwrap_or(path).to_owned()
    }
}

/// Whether an item succeeded; `None` if it was declined, or still runs.
fn outcome(status: &str) -> Option<bool> {
    match status {
        "completed" => Some(true),
        "failed" => Some(false),
        _ => None,
    }
}

/// The script of a call of a shell.
fn script_of(call: &ToolCall) -> Option<String> {
    let arguments = Row::parse(call.arguments.as_ref()?.get()).ok()?;
    let key = ["cmd", "command"]
        .into_iter()
        .find(|key| arguments.has(key))?;
    Some(script(&arguments, key))
}

/// The command below a key, without the shell that runs it.
fn script(row: &Row<'_>, key: &str) -> String {
    let words = row.parts(key).filter_map(|word| word.part_text());
    let words: Vec<Cow<'_, str>> = words.collect();
    let words: Vec<&str> = words.iter().map(|word| &**word).collect();
    match words.as_slice() {
        [shell, "-lc" | "-c", script] if shell.ends_with("sh") => (*script).to_owned(),
        words => words.join(" "),
    }
}
