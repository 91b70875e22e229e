//! Finished items. A script of the agent runs its tools itself, so only these rows have the outcome of each. Items of other
//! calls, messages and reasoning are written twice, here and as an item for the model.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::value::RawValue;

use formats::trace::{Change, ExitCodeFrom, Role};

use super::super::draft::{Call, EventContent, ToolResult};
use super::super::loose;
use super::super::row::Row;
use super::items::joined;
use super::thread::Reader;
use super::twins::Speaker;

/// Tools of which a finished command is the outcome.
const SHELLS: [&str; 5] = [
    "exec_command",
    "local_shell",
    "shell",
    "shell_command",
    "unified_exec",
];

impl Reader {
    /// Reads a finished item.
    pub(super) fn completed(&mut self, item: &Row<'_>) {
        let start = self.draft.events.len();
        let kind = item.text("type").replace('_', "").to_ascii_lowercase();
        match kind.as_str() {
            "usermessage" => {
                let (text, _) = joined(item, "content");
                self.message(Role::User, &text);
                self.say(Speaker::User, true, start);
            }
            "agentmessage" => {
                let (text, _) = joined(item, "content");
                self.message(Role::Assistant, &text);
                self.say(Speaker::Assistant, true, start);
            }
            "plan" => self.note("plan", item.name("text")),
            "commandexecution" => self.command(item),
            "filechange" => self.changes(item),
            "mcptoolcall" | "dynamictoolcall" => self.server_tool(item),
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
            _ => self.unknown(&format!("item_completed {}", item.text("type"))),
        }
    }

    /// A call with its result, unless the log has the call of this item as one of the model.
    fn command(&mut self, item: &Row<'_>) {
        let ok = outcome(&item.text("status"));
        let code = item.integer("exit_code");
        let is_shell = |(_, name): &(&String, &String)| SHELLS.contains(&name.as_str());
        let known = item.name("id").filter(|id| self.calls.contains(id));
        let known = known.or_else(|| {
            let open = self.open.iter().find(is_shell);
            open.map(|(call, _)| call.clone())
        });
        if let Some(call) = known {
            self.verdicts.insert(call, (ok, code));
            self.draft.withhold("bookkeeping", 1);
            return;
        }
        let mut arguments = BTreeMap::from([("cmd", script(item))]);
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

    fn call_with_result(
        &mut self,
        item: &Row<'_>,
        name: &str,
        arguments: Option<Box<RawValue>>,
        result: ToolResult,
    ) {
        let call = Call {
            name: name.to_owned(),
            call: item.name("id"),
            arguments,
            ..Call::default()
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
        let is_patch = |name: &String| name == "apply_patch";
        if self.has_call(item) || self.open.values().any(is_patch) {
            self.draft.withhold("bookkeeping", 1);
            return;
        }
        // The edits are sorted by path.
        let changes = item.row("changes").into_iter().flat_map(Row::members);
        let changes: BTreeMap<Cow<'_, str>, Row<'_>> = changes.collect();
        let status = item.text("status");
        if matches!(&*status, "failed" | "declined") {
            let paths: Vec<String> = changes.keys().map(|path| self.relative(path)).collect();
            let arguments = loose::json(&serde_json::json!({ "paths": paths }));
            let result = ToolResult {
                ok: outcome(&status),
                ..ToolResult::default()
            };
            return self.call_with_result(item, "apply_patch", arguments, result);
        }
        for (path, changed) in changes {
            let to = changed.word("move_path").map(|path| self.relative(&path));
            let (change, sign) = match &*changed.text("type") {
                "add" => (Change::Create, "+"),
                "delete" => (Change::Delete, "-"),
                _ if to.is_some() => (Change::Rename, ""),
                _ => (Change::Modify, ""),
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
        let arguments = item.raw("arguments").and_then(loose::compact);
        let error = item.string("error");
        let error = error.or_else(|| Some(item.row("error")?.text("message")));
        let failed = error.is_some();
        let (text, images) = match (error, item.row("result")) {
            (Some(error), _) => (error.into_owned(), 0),
            (None, Some(result)) => joined(&result, "content"),
            (None, None) => joined(item, "result"),
        };
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

    /// Whether the log has the call of an item as one of the model.
    fn has_call(&self, item: &Row<'_>) -> bool {
        item.word("id").is_some_and(|id| self.calls.contains(&*id))
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

/// The command of an item, without the shell that runs it.
fn script(item: &Row<'_>) -> String {
    let words = item.parts("command").filter_map(|word| word.part_text());
    let words: Vec<Cow<'_, str>> = words.collect();
    let words: Vec<&str> = words.iter().map(|word| &**word).collect();
    match words.as_slice() {
        [shell, "-lc" | "-c", script] if shell.ends_with("sh") => (*script).to_owned(),
        words => words.join(" "),
    }
}
