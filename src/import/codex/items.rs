//! The items of a rollout: messages, reasoning, tool calls and results.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::value::RawValue;

use formats::trace::{ExitCodeFrom, MessagePhase, Role};

use super::super::draft::{EventContent, ToolCall, ToolResult};
use super::super::raw_json;
use super::super::row::Row;
use super::duplicates::Speaker;
use super::patch;
use super::thread::RolloutReader;
use super::{command_header, finish};

impl RolloutReader {
    pub(super) fn item(&mut self, item: &Row<'_>) {
        match &*item.text("type") {
            "message" => self.message_item(item),
            "reasoning" => self.reasoning_item(item),
            "function_call" => {
                let name = item.text("name");
                let name = match item.word("namespace") {
                    Some(space) if space.starts_with("mcp__") => {
                        format!("{}__{name}", space.trim_end_matches('_'))
                    }
                    Some(space) => format!("{space}.{name}"),
                    None => name.into_owned(),
                };
                self.call(item, name, item.string("arguments"));
            }
            "custom_tool_call" => {
                self.call(item, item.text("name").into_owned(), item.string("input"));
            }
            "tool_search_call" => self.call(item, "tool_search".to_owned(), None),
            "local_shell_call" => self.local_shell(item),
            "web_search_call" => self.hosted(item, "web_search"),
            "image_generation_call" => {
                self.draft.withhold("images", 1);
                self.hosted(item, "image_generation");
            }
            "function_call_output" | "custom_tool_call_output" | "local_shell_call_output" => {
                self.result(item);
            }
            "tool_search_output" => {
                let text = item.raw("tools").map(str::to_owned);
                let result = ToolResult {
                    call: item.name("call_id"),
                    text,
                    ..ToolResult::default()
                };
                self.push(None, item.name("id"), EventContent::ToolResult(result));
            }
            kind @ ("compaction" | "compaction_summary" | "context_compaction") => {
                let encrypted = item.has("encrypted_content");
                self.draft
                    .withhold("compactionSummaries", u64::from(encrypted));
                self.compacted(kind, "");
            }
            "agent_message" => {
                let (text, _) = joined(item, "content");
                self.note("agent message", Some(text));
            }
            "ghost_snapshot" => self.draft.withhold("bookkeeping", 1),
            kind => self.draft.unknown_row(kind),
        }
    }

    fn message_item(&mut self, item: &Row<'_>) {
        let (text, images) = joined(item, "content");
        let role = match &*item.text("role") {
            "user" => Role::User,
            "assistant" => Role::Assistant,
            "system" => return self.prompt("systemPrompts", text),
            "developer" => return self.prompt("developerPrompts", text),
            _ => return self.draft.unknown_row("message"),
        };
        self.draft.withhold("images", images);
        if text.trim().is_empty() && images == 0 {
            return;
        }
        let command = text.trim_start().starts_with("<user_shell_command>");
        if command && role == Role::User {
            return self.note("user shell command", Some(text));
        }
        let start = self.draft.events.len();
        let phase = match &*item.text("phase") {
            "commentary" => Some(MessagePhase::Commentary),
            "final_answer" => Some(MessagePhase::Final),
            _ => None,
        };
        let message = EventContent::Message {
            role,
            text,
            model: None,
            phase,
            steering: false,
            images,
        };
        self.push(None, item.name("id"), message);
        if role == Role::User && item.is_list("content") {
            let texts = item.rows("content").filter_map(|part| part.part_text());
            self.parts
                .insert(start, texts.map(Cow::into_owned).collect());
        }
        let speaker = match role {
            Role::User => Speaker::User,
            Role::Assistant => Speaker::Assistant,
        };
        self.add_text_form(speaker, false, start);
    }

    /// A message that exists only as a screen event.
    pub(super) fn message(&mut self, role: Role, text: &str) {
        if text.trim().is_empty() {
            return;
        }
        let message = EventContent::message(role, text.to_owned(), false, 0);
        self.push(None, None, message);
    }

    fn reasoning_item(&mut self, item: &Row<'_>) {
        let encrypted = item.has("encrypted_content");
        self.draft
            .withhold("encryptedReasoning", u64::from(encrypted));
        let start = self.draft.events.len();
        for (key, summary) in [("summary", true), ("content", false)] {
            if let Some(text) = item.string(key) {
                self.reasoning(&text, summary, Some(format!("/{key}")));
            }
            for (at, part) in item.rows(key).enumerate() {
                let text = part.part_text().unwrap_or_default();
                self.reasoning(&text, summary, Some(format!("/{key}/{at}")));
            }
        }
        self.add_text_form(Speaker::Reasoning, false, start);
    }

    pub(super) fn reasoning(&mut self, text: &str, summary: bool, pointer: Option<String>) {
        if text.trim().is_empty() {
            return;
        }
        let text = text.to_owned();
        self.push(pointer, None, EventContent::Reasoning { text, summary });
    }

    /// A call with its arguments: a text, or else JSON.
    fn call(&mut self, item: &Row<'_>, name: String, text: Option<Cow<'_, str>>) {
        let mut call = call_of(item, name);
        if matches!(call.name.as_str(), "spawn_agent" | "spawn_agents") {
            self.spawns.extend(call.call.clone());
        }
        match &text {
            Some(text) => (call.arguments, call.arguments_text) = raw_json::arguments(text),
            None => call.arguments = item.raw("arguments").and_then(raw_json::compact),
        }
        if call.name == "apply_patch" {
            self.remember_patch(&call, text.unwrap_or_default());
        }
        self.begin(&call);
        self.push(None, item.name("id"), EventContent::ToolCall(call));
    }

    /// Keeps the files of a patch until its result arrives.
    fn remember_patch(&mut self, call: &ToolCall, text: Cow<'_, str>) {
        let json = call.arguments.as_ref();
        let inner = json.and_then(|json| Row::parse(json.get()).ok());
        let files = patch::read(&inner.map_or(text, |inner| inner.text("input")));
        if let Some(id) = call.call.clone().filter(|_| !files.is_empty()) {
            self.patches.insert(id, files);
        }
    }

    fn local_shell(&mut self, item: &Row<'_>) {
        #[derive(Serialize)]
        struct Arguments<'a> {
            #[serde(skip_serializing_if = "Option::is_none")]
            command: Option<&'a RawValue>,
            #[serde(skip_serializing_if = "Option::is_none")]
            workdir: Option<Cow<'a, str>>,
            #[serde(skip_serializing_if = "Option::is_none")]
            timeout_ms: Option<u64>,
        }
        let action = item.row("action");
        let arguments = action.and_then(|action| {
            let command = action.raw("command");
            let arguments = Arguments {
                command: command.and_then(|raw| serde_json::from_str(raw).ok()),
                workdir: action.word("working_directory"),
                timeout_ms: action.count("timeout_ms"),
            };
            raw_json::compact(&serde_json::to_string(&arguments).ok()?)
        });
        let call = ToolCall {
            call: item.first(["call_id", "id"]).map(Cow::into_owned),
            arguments,
            ..call_of(item, "local_shell".to_owned())
        };
        self.begin(&call);
        self.push(None, item.name("id"), EventContent::ToolCall(call));
    }

    /// Remembers a call, so that its other forms are recognized.
    pub(super) fn begin(&mut self, call: &ToolCall) {
        if let Some(id) = &call.call {
            self.calls.insert(id.clone());
            self.open.insert(id.clone(), call.name.clone());
        }
    }

    /// A call that the provider runs itself.
    fn hosted(&mut self, item: &Row<'_>, name: &str) {
        let call = ToolCall {
            arguments: item.raw("action").and_then(raw_json::compact),
            hosted: true,
            ..call_of(item, name.to_owned())
        };
        self.push(None, item.name("id"), EventContent::ToolCall(call));
    }

    fn result(&mut self, item: &Row<'_>) {
        let wrapped = item.row("output");
        let (text, images) = match &wrapped {
            Some(output) => joined(output, "content"),
            None => joined(item, "output"),
        };
        let success = wrapped.and_then(|output| output.flag("success"));
        self.draft.withhold("images", images);
        let call = item.name("call_id");
        if let Some(call) = &call {
            self.open.remove(call);
        }
        let mut result = ToolResult {
            call: call.clone(),
            images,
            ..ToolResult::default()
        };
        read_output(&mut result, text);
        result.ok = result.exit_code.map(|code| code == 0).or(success);
        let shown = call
            .as_ref()
            .and_then(|call| self.screen_outcomes.remove(call));
        if let Some((ok, code)) = shown {
            finish::set_outcome(&mut result, ok, code);
        }
        let text = result.text.as_deref().unwrap_or_default();
        if let Some(call) = call.as_ref().filter(|call| self.spawns.contains(call))
            && let Ok(result) = Row::parse(text)
            && let Some(thread) = result.first(["agent_id", "thread_id", "new_thread_id"])
        {
            self.started.insert(thread.into_owned(), call.clone());
        }
        let failed = result.ok == Some(false);
        self.push(None, item.name("id"), EventContent::ToolResult(result));
        let files = call.as_ref().and_then(|call| self.patches.remove(call));
        for file in files.into_iter().flatten().filter(|_| !failed) {
            let edit = EventContent::Edit {
                call: call.clone(),
                path: file.path,
                change: file.change,
                to: file.to,
                diff: file.diff,
            };
            self.push(None, None, edit);
        }
    }
}

fn call_of(item: &Row<'_>, name: String) -> ToolCall {
    ToolCall {
        name,
        call: item.name("call_id"),
        status: item.name("status").filter(|status| status != "completed"),
        ..ToolCall::default()
    }
}

/// Exit code and text of a result: from the JSON of older versions, or after the header of a command.
fn read_output(result: &mut ToolResult, text: String) {
    if text.starts_with('{')
        && let Ok(wrapped) = Row::parse(&text)
        && let (Some(output), Some(metadata)) = (wrapped.string("output"), wrapped.row("metadata"))
    {
        result.exit_code = metadata.integer("exit_code");
        result.exit_code_from = result.exit_code.map(|_| ExitCodeFrom::Field);
        result.text = Some(output.into_owned());
        return;
    }
    let Some(header) = command_header::read(&text) else {
        result.text = (!text.is_empty()).then_some(text);
        return;
    };
    result.exit_code = header.exit_code;
    result.exit_code_from = result.exit_code.map(|_| ExitCodeFrom::Text);
    result.status = header.running.then(|| "running".to_owned());
    result.text = Some(header.output.to_owned());
}

/// The texts of a message or a result, one per line, and the number of images.
pub(super) fn joined(row: &Row<'_>, key: &str) -> (String, u64) {
    if !row.is_list(key) {
        let text = row.parts(key).find_map(|part| part.part_text());
        return (text.unwrap_or_default().into_owned(), 0);
    }
    let mut texts = Vec::new();
    let mut images = 0;
    for part in row.rows(key) {
        if part.text("type").contains("image") {
            images += 1;
        } else {
            let text = part.part_text();
            texts.extend(text.filter(|text| !is_mark_of_an_image(text)));
        }
    }
    (texts.join("\n"), images)
}

/// Whether a text only marks the place of an image.
fn is_mark_of_an_image(text: &str) -> bool {
    let text = text.trim();
    let is_open = text.starts_with("<image") && text.ends_with('>') && !text[1..].contains('<');
    is_open || text == "</image>"
}
