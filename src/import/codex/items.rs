//! The items of a rollout: messages, reasoning, tool calls and results.

use serde::Serialize;
use serde_json::value::RawValue;

use crate::formats::trace::{ExitCodeFrom, Phase, Role};

use super::super::draft::{Call, ToolResult, What};
use super::super::loose::{self, Content};
use super::patch;
use super::rows::{LocalShell, Named, Part, Payload, Wrapped};
use super::thread::Reader;
use super::twins::Who;
use super::{finish, header};

impl Reader<'_> {
    pub(super) fn item(&mut self, item: &Payload<'_>) {
        match item.kind.text() {
            "message" => self.said_by(item),
            "reasoning" => self.thought(item),
            "function_call" => {
                let name = match item.namespace.get() {
                    Some(space) if space.starts_with("mcp__") => {
                        format!("{}__{}", space.trim_end_matches('_'), item.name.text())
                    }
                    Some(space) => format!("{space}.{}", item.name.text()),
                    None => item.name.text().to_owned(),
                };
                let given = item.arguments.map_or(Content::Absent, |raw| {
                    serde_json::from_str(raw.get()).unwrap_or(Content::Absent)
                });
                self.call(item, name, &given, item.arguments);
            }
            "custom_tool_call" => {
                let name = item.name.text().to_owned();
                let given = item.input.0.clone();
                let given = given.map_or(Content::Absent, |text| Content::Text(text.0));
                self.call(item, name, &given, None);
            }
            "tool_search_call" => {
                self.call(
                    item,
                    "tool_search".to_owned(),
                    &Content::Absent,
                    item.arguments,
                );
            }
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
                let text = item.tools.map(|tools| tools.get().to_owned());
                let result = ToolResult {
                    call: item.call_id.named(),
                    text,
                    ..ToolResult::default()
                };
                self.push(None, item.id.named(), What::ToolResult(result));
            }
            kind @ ("compaction" | "compaction_summary" | "context_compaction") => {
                let sealed = item.encrypted_content.is_some();
                self.draft
                    .withhold("compactionSummaries", u64::from(sealed));
                self.compacted(kind, "");
            }
            "agent_message" => {
                let (text, _) = joined(&item.content);
                self.note("agent message", Some(text));
            }
            "ghost_snapshot" => self.draft.withhold("bookkeeping", 1),
            kind => self.unknown(kind),
        }
    }

    fn said_by(&mut self, item: &Payload<'_>) {
        let (text, images) = joined(&item.content);
        let role = match item.role.text() {
            "user" => Role::User,
            "assistant" => Role::Assistant,
            "system" => return self.withhold_prompt("systemPrompts", text),
            "developer" => return self.withhold_prompt("developerPrompts", text),
            _ => return self.unknown("message"),
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
        let phase = match item.phase.text() {
            "commentary" => Some(Phase::Commentary),
            "final_answer" => Some(Phase::Final),
            _ => None,
        };
        let message = What::Message {
            role,
            text,
            model: None,
            phase,
            steering: false,
            images,
        };
        self.push(None, item.id.named(), message);
        if let (Role::User, Content::Items(parts)) = (role, &item.content) {
            let parts = parts.iter().filter_map(text_of).map(str::to_owned);
            self.parts.insert(start, parts.collect());
        }
        let who = match role {
            Role::User => Who::User,
            Role::Assistant => Who::Assistant,
        };
        self.say(who, false, start);
    }

    /// A message that exists only as a screen event.
    pub(super) fn message(&mut self, role: Role, text: &str) {
        if text.trim().is_empty() {
            return;
        }
        let message = What::Message {
            role,
            text: text.to_owned(),
            model: None,
            phase: None,
            steering: false,
            images: 0,
        };
        self.push(None, None, message);
    }

    fn thought(&mut self, item: &Payload<'_>) {
        let sealed = item.encrypted_content.is_some();
        self.draft.withhold("encryptedReasoning", u64::from(sealed));
        let start = self.draft.events.len();
        for (key, parts, summary) in [
            ("summary", &item.summary, true),
            ("content", &item.content, false),
        ] {
            match parts {
                Content::Text(text) => self.reasoning(text, summary, Some(format!("/{key}"))),
                Content::Items(parts) => {
                    for (at, part) in parts.iter().enumerate() {
                        let text = text_of(part).unwrap_or_default();
                        self.reasoning(text, summary, Some(format!("/{key}/{at}")));
                    }
                }
                _ => {}
            }
        }
        self.say(Who::Reasoning, false, start);
    }

    pub(super) fn reasoning(&mut self, text: &str, summary: bool, pointer: Option<String>) {
        if text.trim().is_empty() {
            return;
        }
        let text = text.to_owned();
        self.push(pointer, None, What::Reasoning { text, summary });
    }

    /// A call with its arguments, as a string or as JSON.
    fn call(
        &mut self,
        item: &Payload<'_>,
        name: String,
        given: &Content<'_, Named<'_>>,
        json: Option<&RawValue>,
    ) {
        let id = item.call_id.named();
        if matches!(name.as_str(), "spawn_agent" | "spawn_agents") {
            self.spawns.extend(id.clone());
        }
        let mut call = Call {
            name,
            call: id,
            status: item.status.named().filter(|status| status != "completed"),
            ..Call::default()
        };
        match given {
            Content::Text(text) => {
                (call.arguments, call.arguments_text) = loose::arguments(text);
            }
            _ => call.arguments = json.and_then(|json| loose::compact(json.get())),
        }
        if call.name == "apply_patch" {
            self.remember_patch(&call, given);
        }
        self.begin(&call);
        self.push(None, item.id.named(), What::ToolCall(call));
    }

    /// Keeps the files of a patch until its result arrives.
    fn remember_patch(&mut self, call: &Call, given: &Content<'_, Named<'_>>) {
        let inner = call
            .arguments
            .as_ref()
            .and_then(|json| loose::parse::<Named<'_>>(json.get()).ok());
        let patch = match (&inner, given) {
            (Some(named), _) => named.input.text(),
            (None, Content::Text(text)) => text,
            _ => "",
        };
        let files = patch::read(patch);
        if let Some(id) = call.call.clone().filter(|_| !files.is_empty()) {
            self.patches.insert(id, files);
        }
    }

    fn local_shell(&mut self, item: &Payload<'_>) {
        #[derive(Serialize)]
        struct Arguments<'a> {
            #[serde(skip_serializing_if = "Option::is_none")]
            command: Option<&'a RawValue>,
            #[serde(skip_serializing_if = "Option::is_none")]
            workdir: Option<&'a str>,
            #[serde(skip_serializing_if = "Option::is_none")]
            timeout_ms: Option<u64>,
        }
        let action = item
            .action
            .and_then(|raw| loose::parse::<LocalShell<'_>>(raw.get()).ok());
        let arguments = action.and_then(|action| {
            let arguments = Arguments {
                command: action.command,
                workdir: action.working_directory.get(),
                timeout_ms: action.timeout_ms.0,
            };
            loose::compact(&serde_json::to_string(&arguments).ok()?)
        });
        let call = Call {
            name: "local_shell".to_owned(),
            call: item.call_id.named().or_else(|| item.id.named()),
            arguments,
            status: item.status.named().filter(|status| status != "completed"),
            ..Call::default()
        };
        self.begin(&call);
        self.push(None, item.id.named(), What::ToolCall(call));
    }

    /// Remembers a call, so that its other forms are recognized.
    pub(super) fn begin(&mut self, call: &Call) {
        if let Some(id) = &call.call {
            self.calls.insert(id.clone());
            self.open.insert(id.clone(), call.name.clone());
        }
    }

    /// A call that the provider runs itself.
    fn hosted(&mut self, item: &Payload<'_>, name: &str) {
        let call = Call {
            name: name.to_owned(),
            call: item.call_id.named(),
            arguments: item.action.and_then(|action| loose::compact(action.get())),
            hosted: true,
            status: item.status.named().filter(|status| status != "completed"),
            ..Call::default()
        };
        self.push(None, item.id.named(), What::ToolCall(call));
    }

    fn result(&mut self, item: &Payload<'_>) {
        let (text, images, success) = match &item.output {
            Content::Object(part) => {
                let (text, images) = joined(&part.content);
                (text, images, part.success.0)
            }
            output => {
                let (text, images) = joined(output);
                (text, images, None)
            }
        };
        self.draft.withhold("images", images);
        let call = item.call_id.named();
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
        let shown = call.as_ref().and_then(|call| self.verdicts.remove(call));
        if let Some((ok, code)) = shown {
            finish::judge(&mut result, ok, code);
        }
        let text = result.text.as_deref().unwrap_or_default();
        if let Some(call) = call.as_ref().filter(|call| self.spawns.contains(call))
            && let Ok(named) = loose::parse::<Named<'_>>(text)
            && let Some(thread) = named.agent_id.named()
        {
            self.started.insert(thread, call.clone());
        }
        let failed = result.ok == Some(false);
        self.push(None, item.id.named(), What::ToolResult(result));
        let files = call.as_ref().and_then(|call| self.patches.remove(call));
        for file in files.into_iter().flatten().filter(|_| !failed) {
            let edit = What::Edit {
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

/// Exit code and text of a result: from the JSON of older versions, or after the header of a command.
fn read_output(result: &mut ToolResult, text: String) {
    if text.starts_with('{')
        && let Ok(wrapped) = loose::parse::<Wrapped<'_>>(&text)
        && let (Some(output), Some(metadata)) = (&wrapped.output.0, &wrapped.metadata.0)
    {
        result.exit_code = metadata.exit_code.0;
        result.exit_code_from = result.exit_code.map(|_| ExitCodeFrom::Field);
        result.text = Some(output.to_string());
        return;
    }
    let Some(header) = header::read(&text) else {
        result.text = (!text.is_empty()).then_some(text);
        return;
    };
    result.exit_code = header.exit_code;
    result.exit_code_from = result.exit_code.map(|_| ExitCodeFrom::Text);
    result.status = header.running.then(|| "running".to_owned());
    result.text = Some(header.output.to_owned());
}

pub(super) fn text_of<'p>(part: &'p Content<'_, Part<'_>>) -> Option<&'p str> {
    match part {
        Content::Text(text) => Some(text),
        Content::Object(part) => part.text.0.as_deref(),
        _ => None,
    }
}

/// The texts of a message or a result, one per line, and the number of images.
pub(super) fn joined(content: &Content<'_, Part<'_>>) -> (String, u64) {
    let Content::Items(parts) = content else {
        return (text_of(content).unwrap_or_default().to_owned(), 0);
    };
    let mut texts = Vec::new();
    let mut images = 0;
    for part in parts {
        match part {
            Content::Object(part) if part.kind.text().contains("image") => images += 1,
            part => texts.extend(text_of(part).filter(|text| !is_mark_of_an_image(text))),
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
