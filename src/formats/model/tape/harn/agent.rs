//! Creates events for an agent's actions on a Harn tape: model requests and tool calls. The meaning of a record depends on
//! earlier records, so this keeps the messages and calls so far.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::model::tape::{
    BlockText, ContentBlock, Event, EventOutcome, ExternalPayload, Family, TextKind,
};
use crate::tape as harn;
use crate::tape::content::ArgumentKind;

use super::Payloads;
use super::payload::{
    CallArguments, MessagePayload, PayloadCache, PayloadPart, Reply, ToolOutcome,
};
use super::payload::{event_type, message, read_once, reply, tool_outcome, without_thinking};

/// Maximum number of changed files in a headline.
const MAX_NAMED_FILES: usize = 3;

/// The state of the tape so far.
pub(super) struct AgentHistory<'p> {
    payloads: &'p Payloads,
    replies: PayloadCache<Reply>,
    results: PayloadCache<ToolOutcome>,
    messages: PayloadCache<MessagePayload>,
    types: PayloadCache<String>,
    /// JSON payloads without thinking.
    without_thinking: PayloadCache<PayloadPart>,
    /// Digests of all message list prefixes sent so far.
    sent: BTreeSet<[u8; 32]>,
    /// Arguments of calls that a model requested, by id. Ids may be reused: the latest call counts.
    requested: BTreeMap<String, CallArguments>,
    /// Arguments of calls without an id, by tool and digest.
    nameless: BTreeMap<(String, String), CallArguments>,
    /// The request shown last: its hash and the number of its event.
    request: Option<(String, u64)>,
    /// The last known content hash of each file, by path.
    files: BTreeMap<String, String>,
}

impl<'p> AgentHistory<'p> {
    pub(super) fn new(payloads: &'p Payloads) -> Self {
        Self {
            payloads,
            replies: PayloadCache::new(),
            results: PayloadCache::new(),
            messages: PayloadCache::new(),
            types: PayloadCache::new(),
            without_thinking: PayloadCache::new(),
            sent: BTreeSet::new(),
            requested: BTreeMap::new(),
            nameless: BTreeMap::new(),
            request: None,
            files: BTreeMap::new(),
        }
    }

    /// The text of a payload; a missing payload is listed with its label and subject.
    pub(super) fn payload_text<'a>(
        &self,
        event: &mut Event<'a>,
        label: &'static str,
        about: &str,
        payload: harn::Payload<'a>,
    ) -> Option<BlockText<'a>> {
        let (content_hash, len_bytes) = match payload {
            harn::Payload::Inline { text, .. } => return Some(BlockText::Own(text.0)),
            harn::Payload::External {
                content_hash,
                len_bytes,
            } => (content_hash, len_bytes),
        };
        if let Some(text) = self.payloads.get(&content_hash) {
            return Some(BlockText::Payload(Arc::clone(text), content_hash));
        }
        event.external.push(ExternalPayload {
            label,
            about: about.to_owned(),
            content_hash,
            len_bytes,
        });
        None
    }

    /// Adds a file that a program read or wrote.
    pub(super) fn file(&mut self, event: &mut Event<'_>, path: String, hash: &str, bytes: u64) {
        self.note_file(&path, hash);
        event.headline = Cow::Owned(path);
        event.fact("bytes", Some(bytes.to_string()));
        event.digest_fact("hash", hash);
    }

    /// Records the content hash of a file; returns whether it was already known.
    fn note_file(&mut self, path: &str, content_hash: &str) -> bool {
        let known = self.files.insert(path.to_owned(), content_hash.to_owned());
        known.is_some()
    }

    pub(super) fn forget_file(&mut self, path: &str) {
        self.files.remove(path);
    }

    /// Adds the response of a model.
    pub(super) fn response<'a>(&mut self, event: &mut Event<'a>, payload: harn::Payload<'a>) {
        let Some(text) = self.payload_text(event, "response", "", payload) else {
            return;
        };
        let Some(reply) = read_once(&text, &mut self.replies, reply) else {
            return event.text("response", text);
        };
        let words = reply.text.iter();
        let words = words.map(|part| part.block(None, TextKind::Plain));
        event.blocks.extend(words);
        let summary = reply.summary.iter();
        let summary = summary.map(|part| part.block(Some("thinking summary"), TextKind::Plain));
        event.blocks.extend(summary);
        for (id, name, arguments) in &reply.calls {
            let block = match arguments {
                Some(arguments) => arguments.part.block(Some("calls"), TextKind::Json),
                None => PayloadPart::of("").block(Some("calls"), TextKind::Json),
            };
            event.blocks.push(ContentBlock {
                about: Cow::Owned(name.clone()),
                ..block
            });
            self.request_tool(id, name, arguments.as_ref());
        }
        event.tokens = reply.tokens;
        for (name, value) in &reply.facts {
            event.fact(name, Some(value.clone()));
        }
    }

    /// Records the arguments of a tool call that a model requests.
    fn request_tool(&mut self, id: &str, tool: &str, arguments: Option<&CallArguments>) {
        match (id, arguments) {
            ("", Some(arguments)) => {
                let key = (tool.to_owned(), arguments.digest.clone());
                self.nameless
                    .entry(key)
                    .or_insert_with(|| arguments.clone());
            }
            ("", None) => {}
            (id, Some(arguments)) => {
                self.requested.insert(id.to_owned(), arguments.clone());
            }
            (id, None) => {
                self.requested.remove(id);
            }
        }
    }

    /// The arguments of a call that a model requested. Without an id, only the digest identifies the call.
    fn requested(&mut self, id: &str, tool: &str, args_digest: &str) -> Option<CallArguments> {
        if !id.is_empty() {
            return self.requested.remove(id);
        }
        let key = (tool.to_owned(), args_digest.to_owned());
        self.nameless.get(&key).cloned()
    }

    /// Adds the messages of a request that no earlier call has sent.
    pub(super) fn messages<'a>(&mut self, event: &mut Event<'a>, messages: Vec<harn::Payload<'a>>) {
        let mut chain = [0; 32];
        let mut known = 0_usize;
        for payload in messages {
            let mut hasher = blake3::Hasher::new();
            hasher
                .update(&chain)
                .update(payload.content_hash().as_bytes());
            chain = *hasher.finalize().as_bytes();
            if !self.sent.insert(chain) {
                known += 1;
                continue;
            }
            let Some(text) = self.payload_text(event, "new message", "", payload) else {
                continue;
            };
            let new = read_once(&text, &mut self.messages, |text| Some(message(text)));
            // A message with only tool calls has no text; the calls are events.
            let new = new.filter(|new| !new.text.text.is_empty());
            if let Some(new) = new {
                event.blocks.push(ContentBlock {
                    about: Cow::Owned(new.about.clone()),
                    folded: true,
                    ..new.text.block(Some(new.label), new.kind)
                });
            }
        }
        let known = (known > 0).then(|| known.to_string());
        event.fact("messages of earlier calls", known);
    }

    /// Adds the request without its messages, unless it is the same as in the previous call.
    pub(super) fn request<'a>(
        &mut self,
        event: &mut Event<'a>,
        payload: Option<harn::Payload<'a>>,
    ) {
        let Some(payload) = payload else { return };
        if let Some((hash, seq)) = &self.request
            && hash == payload.content_hash()
        {
            return event.fact("settings as in event", Some(seq.to_string()));
        }
        self.request = Some((payload.content_hash().to_owned(), event.seq));
        let label = "request without messages";
        if let Some(text) = self.payload_text(event, label, "", payload) {
            event.folded(label, text);
        }
    }

    /// Adds a tool call: its subject, its arguments and its outcome.
    pub(super) fn tool<'a>(
        &mut self,
        event: &mut Event<'a>,
        id: String,
        tool: &str,
        args_digest: &str,
        outcome: harn::Payload<'a>,
        effects: Vec<harn::Effect<'a>>,
    ) -> Family {
        let requested = self.requested(&id, tool, args_digest);
        event.fact("id", Some(id).filter(|id| !id.is_empty()));
        let arguments = self.outcome(event, outcome, requested);
        if arguments.is_none() {
            event.digest_fact("digest of the arguments", args_digest);
        }
        let about = arguments.and_then(|arguments| arguments.about);
        let is_command = matches!(about, Some((ArgumentKind::Command, _)));
        let family = family(tool, is_command, !effects.is_empty());
        let mut headline = tool.to_owned();
        if let Some((_, text)) = &about {
            headline.extend([" ", text]);
        } else {
            for effect in effects.iter().take(MAX_NAMED_FILES) {
                headline.extend([" ", &effect.path]);
            }
        }
        event.headline = Cow::Owned(headline);
        event.files = effects.iter().map(|effect| effect.path.clone()).collect();
        if let Some((ArgumentKind::Path, path)) = about
            && !event.files.contains(&path)
        {
            event.files.push(path);
        }
        for effect in effects {
            self.effect(event, effect);
        }
        family
    }

    /// Adds an outcome below the arguments, and returns the arguments.
    fn outcome<'a>(
        &mut self,
        event: &mut Event<'a>,
        payload: harn::Payload<'a>,
        requested: Option<CallArguments>,
    ) -> Option<CallArguments> {
        let text = self.payload_text(event, "outcome", "", payload);
        let text = text.unwrap_or(BlockText::Own(Cow::Borrowed("")));
        let result = read_once(&text, &mut self.results, tool_outcome);
        let recorded = result.as_ref().and_then(|it| it.arguments.clone());
        let arguments = recorded.or(requested);
        let shown = arguments.iter();
        let shown = shown.map(|arguments| arguments.part.block(Some("arguments"), TextKind::Json));
        event.blocks.extend(shown);
        let Some(result) = result else {
            event.text("outcome", self.strip_thinking(text));
            return arguments;
        };
        let (outcome, label) = if result.succeeded {
            (EventOutcome::Succeeded, "result")
        } else {
            (EventOutcome::Failed, "error")
        };
        event.outcome = outcome;
        for (name, value) in &result.facts {
            event.fact(name, Some(value.clone()));
        }
        let blocks = result.result.iter();
        let blocks = blocks.map(|(kind, part)| part.block(Some(label), *kind));
        event.blocks.extend(blocks);
        arguments
    }

    /// Adds a session event, initially collapsed.
    pub(super) fn session<'a>(&mut self, event: &mut Event<'a>, payload: harn::Payload<'a>) {
        let text = self.folded(event, "event", payload);
        let what = text.and_then(|text| read_once(&text, &mut self.types, event_type));
        event.headline = Cow::Owned(what.map_or_else(String::new, |what| what.to_string()));
    }

    /// Adds a JSON payload under a label, without thinking; a missing payload is listed.
    pub(super) fn payload<'a>(
        &mut self,
        event: &mut Event<'a>,
        label: &'static str,
        payload: harn::Payload<'a>,
    ) {
        if let Some(text) = self.payload_text(event, label, "", payload) {
            event.text(label, self.strip_thinking(text));
        }
    }

    /// Adds a payload, initially collapsed. Returns the text as recorded.
    pub(super) fn folded<'a>(
        &mut self,
        event: &mut Event<'a>,
        label: &'static str,
        payload: harn::Payload<'a>,
    ) -> Option<BlockText<'a>> {
        let text = self.payload_text(event, label, "", payload)?;
        event.folded(label, self.strip_thinking(text.clone()));
        Some(text)
    }

    /// A payload without thinking.
    fn strip_thinking<'a>(&mut self, text: BlockText<'a>) -> BlockText<'a> {
        match read_once(&text, &mut self.without_thinking, without_thinking) {
            Some(part) => BlockText::Payload(Arc::clone(&part.text), part.name.clone()),
            None => text,
        }
    }

    fn effect<'a>(&mut self, event: &mut Event<'a>, effect: harn::Effect<'a>) {
        let Some(payload) = effect.content else {
            self.forget_file(&effect.path);
            event.blocks.push(ContentBlock {
                about: Cow::Owned(effect.path),
                ..PayloadPart::of("").block(Some("deleted file"), TextKind::Plain)
            });
            return;
        };
        let label = if self.note_file(&effect.path, payload.content_hash()) {
            "edited file"
        } else {
            "written file"
        };
        let part = match self.payload_text(event, label, &effect.path, payload) {
            Some(BlockText::Payload(text, name)) => PayloadPart { text, name },
            Some(BlockText::Own(text)) => PayloadPart::of(&text),
            None => return,
        };
        event.blocks.push(ContentBlock {
            about: Cow::Owned(effect.path),
            ..part.block(Some(label), TextKind::Plain)
        });
    }
}

/// Words in tool names, and the family of such tools.
const TOOLS: [(Family, &[&str]); 3] = [
    (
        Family::Write,
        &[
            "write", "edit", "patch", "create", "delete", "remove", "move", "rename", "mkdir",
            "replace", "insert",
        ],
    ),
    (
        Family::Read,
        &[
            "read", "list", "ls", "search", "grep", "glob", "find", "view", "cat", "open", "fetch",
        ],
    ),
    (
        Family::Command,
        &["run", "exec", "bash", "shell", "command", "process", "test"],
    ),
];

/// The family of a tool: by its effects, else its arguments, else its name.
fn family(tool: &str, is_command: bool, has_effects: bool) -> Family {
    if has_effects {
        return Family::Write;
    }
    if is_command {
        return Family::Command;
    }
    let known = |word: &str| {
        let found = TOOLS.iter().find(|(_, words)| words.contains(&word));
        found.map(|(family, _)| *family)
    };
    let name = tool.strip_prefix("process:").map_or(tool, |_| "process");
    let mut spaced = String::with_capacity(name.len());
    for c in name.chars() {
        if c.is_ascii_uppercase() {
            spaced.push(' ');
        }
        spaced.push(c.to_ascii_lowercase());
    }
    spaced
        .split(|c: char| !c.is_ascii_alphanumeric())
        .find_map(known)
        .unwrap_or(Family::Tool)
}
