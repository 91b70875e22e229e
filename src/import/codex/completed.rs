//! Finished items. A script of the agent runs its tools itself, so only these rows have the outcome of each. Items of other
//! calls, messages and reasoning are written twice, here and as an item for the model.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

use crate::formats::trace::{Change, ExitCodeFrom, Role};

use super::super::draft::{Call, ToolResult, What};
use super::super::loose::{self, Content};
use super::items::{joined, text_of};
use super::rows::{Changed, Item, Part};
use super::thread::Reader;
use super::twins::Who;

/// Tools of which a finished command is the outcome.
const SHELLS: [&str; 5] = [
    "exec_command",
    "local_shell",
    "shell",
    "shell_command",
    "unified_exec",
];

impl Reader<'_> {
    /// Reads a finished item.
    pub(super) fn completed(&mut self, item: &Item<'_>) {
        let start = self.draft.events.len();
        let kind = item.kind.text().replace('_', "").to_ascii_lowercase();
        match kind.as_str() {
            "usermessage" => {
                let (text, _) = joined(&item.content);
                self.message(Role::User, &text);
                self.say(Who::User, true, start);
            }
            "agentmessage" => {
                let (text, _) = joined(&item.content);
                self.message(Role::Assistant, &text);
                self.say(Who::Assistant, true, start);
            }
            "plan" => self.note("plan", item.text.named()),
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
            _ => self.unknown(&format!("item_completed {}", item.kind.text())),
        }
    }

    /// A call with its result, unless the log has the call of this item as one of the model.
    fn command(&mut self, item: &Item<'_>) {
        let ok = outcome(item.status.text());
        let code = item.exit_code.0;
        let is_shell = |(_, name): &(&String, &String)| SHELLS.contains(&name.as_str());
        let known = item.id.named().filter(|id| self.calls.contains(id));
        let known = known.or_else(|| {
            let open = self.open.iter().find(is_shell);
            open.map(|(call, _)| call.clone())
        });
        if let Some(call) = known {
            self.verdicts.insert(call, (ok, code));
            self.draft.withhold("bookkeeping", 1);
            return;
        }
        let mut arguments = BTreeMap::from([("cmd", script(&item.command))]);
        let folder = item.cwd.text();
        let folder = folder.strip_prefix("file://").unwrap_or(folder);
        let is_elsewhere = !self
            .draft
            .identity
            .workspaces
            .iter()
            .any(|known| known == folder);
        if is_elsewhere && !folder.is_empty() {
            arguments.insert("workdir", folder.to_owned());
        }
        let streams = || [item.stdout.text(), item.stderr.text()].concat();
        let text = item.aggregated_output.named().unwrap_or_else(streams);
        let result = ToolResult {
            ok: code.map(|code| code == 0).or(ok),
            exit_code: code,
            exit_code_from: code.map(|_| ExitCodeFrom::Field),
            text: Some(text).filter(|text| !text.is_empty()),
            ..ToolResult::default()
        };
        let arguments = serde_json::value::to_raw_value(&arguments).ok();
        self.call_with_result(item, "exec_command", arguments, result);
    }

    fn call_with_result(
        &mut self,
        item: &Item<'_>,
        name: &str,
        arguments: Option<Box<RawValue>>,
        result: ToolResult,
    ) {
        let call = Call {
            name: name.to_owned(),
            call: item.id.named(),
            arguments,
            ..Call::default()
        };
        let result = ToolResult {
            call: item.id.named(),
            status: (item.status.get() == Some("declined")).then(|| "rejected".to_owned()),
            ..result
        };
        self.calls.extend(item.id.named());
        self.push(None, item.id.named(), What::ToolCall(call));
        self.push(None, item.id.named(), What::ToolResult(result));
    }

    /// An edit of each file, unless a patch of the model has them.
    fn changes(&mut self, item: &Item<'_>) {
        let is_patch = |name: &String| name == "apply_patch";
        let is_known = item.id.get().is_some_and(|id| self.calls.contains(id));
        if is_known || self.open.values().any(is_patch) {
            self.draft.withhold("bookkeeping", 1);
            return;
        }
        let changes = item
            .changes
            .and_then(|raw| loose::parse::<BTreeMap<String, &RawValue>>(raw.get()).ok())
            .unwrap_or_default();
        if outcome(item.status.text()) == Some(false) || item.status.get() == Some("declined") {
            let paths: Vec<String> = changes.keys().map(|path| self.relative(path)).collect();
            let arguments = loose::json(&serde_json::json!({ "paths": paths }));
            let result = ToolResult {
                ok: outcome(item.status.text()),
                ..ToolResult::default()
            };
            return self.call_with_result(item, "apply_patch", arguments, result);
        }
        for (path, raw) in changes {
            let changed: Changed<'_> = loose::part(raw);
            let to = changed.move_path.get().map(|path| self.relative(path));
            let (change, sign) = match changed.kind.text() {
                "add" => (Change::Create, "+"),
                "delete" => (Change::Delete, "-"),
                _ if to.is_some() => (Change::Rename, ""),
                _ => (Change::Modify, ""),
            };
            let whole = || {
                let lines = changed.content.get()?.lines();
                let lines: Vec<String> = lines.map(|line| format!("{sign}{line}")).collect();
                Some(lines.join("\n"))
            };
            let edit = What::Edit {
                call: None,
                path: self.relative(&path),
                change,
                to,
                diff: changed.unified_diff.named().or_else(whole),
            };
            self.push(None, item.id.named(), edit);
        }
    }

    fn server_tool(&mut self, item: &Item<'_>) {
        if item.id.get().is_some_and(|id| self.calls.contains(id)) {
            self.draft.withhold("bookkeeping", 1);
            return;
        }
        let name = match item.server.get() {
            Some(server) => format!("mcp__{server}__{}", item.tool.text()),
            None => item.tool.text().to_owned(),
        };
        let arguments = item.arguments.and_then(|raw| loose::compact(raw.get()));
        let content = match (&item.error, &item.result) {
            (Content::Object(error), _) => (error.message.text().to_owned(), 0),
            (Content::Text(text), _) => (text.to_string(), 0),
            (_, Content::Object(result)) => joined(&result.content),
            (_, other) => joined(other),
        };
        let (text, images) = content;
        self.draft.withhold("images", images);
        let failed = matches!(&item.error, Content::Object(_) | Content::Text(_));
        let result = ToolResult {
            ok: if failed {
                Some(false)
            } else {
                outcome(item.status.text())
            },
            text: Some(text).filter(|text| !text.is_empty()),
            images,
            ..ToolResult::default()
        };
        self.call_with_result(item, &name, arguments, result);
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
fn script(command: &Content<'_, Part<'_>>) -> String {
    let Content::Items(words) = command else {
        return text_of(command).unwrap_or_default().to_owned();
    };
    let words: Vec<&str> = words.iter().filter_map(text_of).collect();
    match words.as_slice() {
        [shell, "-lc" | "-c", script] if shell.ends_with("sh") => (*script).to_owned(),
        words => words.join(" "),
    }
}
