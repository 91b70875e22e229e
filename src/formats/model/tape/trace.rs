//! Converts a trace to a tape. A result belongs to its call, so this keeps the calls so far.

use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};

use crate::events::LogEventKind;
use crate::json::{Node, Str, last};
use crate::model::amounts;
use crate::model::outcome::grade;
use crate::model::run::Number;
use crate::model::time::parse_rfc3339;
use crate::tape::content::{ArgumentKind, about};
use crate::trace::{
    self, EditKind, EventSource, MessagePhase, Role, SubagentAction, TraceEventFields, TraceHeader,
};

use super::log::event_kind;
use super::{
    Event, EventKind, EventOutcome, Family, MADE_FROM, SideTrack, Tape, TapeFormat, TextKind,
    shortened, sum,
};

/// Results over this many lines or bytes are initially collapsed: readers follow the calls.
const MAX_OPEN_LINES: usize = 8;
const MAX_OPEN_BYTES: usize = 800;

/// Tools of common agents in lowercase, with the event type that a call of them has in an event log.
const TOOLS: [(LogEventKind, &[&str]); 7] = [
    (
        LogEventKind::Command,
        &[
            "bash",
            "shell",
            "exec_command",
            "local_shell",
            "terminal",
            "run",
            "run_command",
            "run_ipython",
        ],
    ),
    (LogEventKind::Read, &["read", "view", "open", "read_file"]),
    (
        LogEventKind::Write,
        &[
            "write",
            "edit",
            "multiedit",
            "notebookedit",
            "apply_patch",
            "str_replace_editor",
            "file_editor",
        ],
    ),
    (
        LogEventKind::Search,
        &["grep", "glob", "search", "rg", "find"],
    ),
    (LogEventKind::List, &["ls", "list"]),
    (LogEventKind::Skill, &["skill"]),
    (
        LogEventKind::Orchestration,
        &["task", "agent", "spawn_agent", "delegate"],
    ),
];

/// Tools with which an agent finishes, in lowercase, and the argument that is its last message: those of `OpenHands` and of Inspect.
const FINISHING: [(&str, &str); 2] = [("finish", "message"), ("submit", "answer")];

/// Converts a trace to a tape, event by event.
#[derive(Debug, Default)]
pub struct TraceReader<'a> {
    events: Vec<Event<'a>>,
    /// The calls of each id, by position. Ids may be reused.
    calls: BTreeMap<Cow<'a, str>, Calls>,
    /// Numbers of the events that say that a subagent started, by its id.
    started: BTreeMap<String, u64>,
}

/// The calls of one id.
#[derive(Debug, Default)]
struct Calls {
    /// Calls without a result.
    open: VecDeque<usize>,
    /// The newest call, or the one that got the last result.
    latest: usize,
}

impl<'a> TraceReader<'a> {
    /// Adds the next event.
    pub fn push(&mut self, header: &TraceHeader, event: trace::TraceEvent<'a>) {
        let unknown = event_kind(LogEventKind::Unknown);
        let mut made = Event::new(self.events.len() as u64, event.line, unknown);
        if let Some(fields) = event.fields {
            self.fill(&mut made, header, event.kind, fields);
        } else {
            made.show_line("time");
        }
        self.events.push(shortened(made));
    }

    /// The tape of all events; `file` is its name in the run directory.
    pub fn finish(mut self, file: &str, header: &TraceHeader, content_hash: String) -> Tape<'a> {
        for position in self.calls.values().flat_map(|calls| &calls.open) {
            self.events[*position].fact("result", Some("not recorded"));
        }
        Tape {
            file: file.to_owned(),
            format: TapeFormat::Trace,
            header: header_facts(header),
            ..Tape::of_events(self.events, content_hash)
        }
    }

    fn fill(
        &mut self,
        event: &mut Event<'a>,
        header: &TraceHeader,
        kind: trace::TraceEventKind,
        mut f: TraceEventFields<'a>,
    ) {
        event.at = f.time.as_deref().and_then(parse_rfc3339);
        event.relations.side_track = match (&f.branch, &f.agent) {
            (Some(_), _) => Some(SideTrack::Branch),
            (None, Some(_)) => Some(SideTrack::Subagent),
            (None, None) => None,
        };
        event.relations.parent = f.agent.as_deref().and_then(|id| self.starter(header, id));
        let agent = f.agent.take().map(|id| {
            let name = header.agent(&id).and_then(|agent| agent.name.clone());
            name.map_or_else(|| id.into_inner(), Cow::Owned)
        });
        event.fact("agent", agent);
        event.text_fact("branch", f.branch.take());
        event.fact("turn", f.turn.map(|turn| turn.to_string()));
        event.text_fact("local time", f.local_time.take());
        let files = f.assets.take();
        let names = |files: Vec<Str<'a>>| {
            let names: Vec<&str> = files.iter().map(|name| &**name).collect();
            names.join(", ")
        };
        event.fact("files", files.map(names));
        let origin = f.source.take();
        event.kind = self.content(event, kind, f);
        event.fact(
            "source",
            origin.and_then(|origin| described(header, &origin)),
        );
    }

    fn content(
        &mut self,
        event: &mut Event<'a>,
        kind: trace::TraceEventKind,
        f: TraceEventFields<'a>,
    ) -> EventKind {
        let (word, family) = match kind {
            trace::TraceEventKind::Message => {
                event.text_fact("model", f.model);
                event.fact(
                    "phase",
                    match f.phase {
                        Some(MessagePhase::Commentary) => Some("commentary"),
                        Some(MessagePhase::Final) => Some("final"),
                        None => None,
                    },
                );
                let steering = f.steering.unwrap_or_default();
                event.fact("sent", steering.then_some("while the agent worked"));
                event.omission("images", f.images);
                event.push_text(TextKind::Plain, f.text);
                match f.role {
                    Some(Role::User) => ("user", Family::Speech),
                    _ => ("agent", Family::Speech),
                }
            }
            trace::TraceEventKind::Reasoning => {
                let is_summary = f.summary.unwrap_or_default();
                event.fact("summary", is_summary.then_some("by the provider"));
                event.push_text(TextKind::Plain, f.text);
                ("reasoning", Family::Reasoning)
            }
            trace::TraceEventKind::ToolCall => return self.call(event, f),
            trace::TraceEventKind::ToolResult => {
                let family = self.join(event, f.call.as_ref(), true);
                event.result(f);
                ("result", family.unwrap_or(Family::Other))
            }
            trace::TraceEventKind::Edit => {
                self.join(event, f.call.as_ref(), false);
                event.edit(f);
                ("edit", Family::Write)
            }
            trace::TraceEventKind::Subagent => {
                event.headline = Cow::Borrowed(match f.action {
                    Some(SubagentAction::Completed) => "completed",
                    Some(SubagentAction::Failed) => "failed",
                    _ => "started",
                });
                if f.action == Some(SubagentAction::Failed) {
                    event.outcome = EventOutcome::Failed;
                }
                self.join(event, f.call.as_ref(), false);
                if let Some(id) = &f.id
                    && f.action == Some(SubagentAction::Started)
                {
                    let seq = event.relations.call.unwrap_or(event.seq);
                    self.started.entry(id.to_string()).or_insert(seq);
                }
                event.text_fact("name", f.name);
                event.text_fact("id", f.id);
                ("subagent", Family::Delegation)
            }
            trace::TraceEventKind::Compaction => {
                event.headline = f.trigger.map(Str::into_inner).unwrap_or_default();
                event.fact(
                    "tokens before",
                    f.tokens_before.map(|count| count.to_string()),
                );
                event.fact("events removed", f.forgotten.map(|count| count.to_string()));
                ("compaction", Family::Other)
            }
            trace::TraceEventKind::Score => {
                event.headline = f.name.map(Str::into_inner).unwrap_or_default();
                event.text_fact("scorer", f.scorer);
                if let Some(value) = f.value {
                    event.fact("grade", grade(value.get().trim_matches('"')));
                    event.push(None, TextKind::Json, value.get());
                }
                ("score", Family::Other)
            }
            trace::TraceEventKind::Error => {
                event.text_fact("code", f.code);
                event.push_text(TextKind::Plain, f.message);
                ("error", Family::Error)
            }
            trace::TraceEventKind::Usage => {
                event.usage(f);
                ("usage", Family::Other)
            }
            trace::TraceEventKind::Note | trace::TraceEventKind::Unknown => {
                event.headline = f.kind.map(Str::into_inner).unwrap_or_default();
                event.push_text(TextKind::Plain, f.text);
                let is_note = kind == trace::TraceEventKind::Note;
                (if is_note { "note" } else { "unknown" }, Family::Other)
            }
        };
        EventKind { word, family }
    }

    fn call(&mut self, event: &mut Event<'a>, f: TraceEventFields<'a>) -> EventKind {
        let name = f.name.map(Str::into_inner).unwrap_or_default();
        let mut kind = tool(&name);
        let arguments = f.arguments.map_or("", |arguments| arguments.get());
        event.final_message = final_message(&name, arguments);
        let preferred = (kind.word == "search").then_some(ArgumentKind::Query);
        let about = about(arguments, preferred);
        let says_all =
            about.is_some() && Node::parse(arguments).is_ok_and(|all| all.members().len() == 1);
        let is_command = matches!(about, Some((ArgumentKind::Command, _)));
        let about = about.map(|(_, text)| text);
        if is_command && kind == OTHER {
            kind.family = Family::Command;
        }
        event.headline = match about {
            Some(about) if kind.word != OTHER.word => {
                event.fact("tool", Some(name));
                about
            }
            // Which argument is a command, a path or a query is unknown.
            None => {
                kind.word = OTHER.word;
                name
            }
            Some(about) => Cow::Owned(format!("{name} {about}")),
        };
        event.fact(
            "run by",
            f.hosted.unwrap_or_default().then_some("the provider"),
        );
        event.text_fact("status", f.status);
        // Do not repeat the full headline.
        if !(says_all && event.headline.len() <= super::MAX_HEADLINE_BYTES) {
            event.fold(None, TextKind::Json, arguments);
        }
        event.fold(
            None,
            TextKind::Plain,
            f.arguments_text.map(Str::into_inner).unwrap_or_default(),
        );
        if let Some(id) = f.call {
            let calls = self.calls.entry(id.into_inner()).or_default();
            calls.latest = self.events.len();
            if f.hosted != Some(true) {
                calls.open.push_back(calls.latest);
            }
        }
        kind
    }

    /// Number of the call that started a subagent, or else of the event that says that it started.
    fn starter(&self, header: &TraceHeader, agent: &str) -> Option<u64> {
        let call = header.agent(agent).and_then(|agent| agent.call.as_deref());
        let call = call.and_then(|call| self.calls.get(call));
        let call = call.map(|calls| self.events[calls.latest].seq);
        call.or_else(|| self.started.get(agent).copied())
    }

    /// Links an event to its call, and the call to its result; returns the family of the call.
    fn join(
        &mut self,
        event: &mut Event<'a>,
        id: Option<&Str<'a>>,
        is_result: bool,
    ) -> Option<Family> {
        let calls = self.calls.get_mut(&id?.0)?;
        let answered = if is_result {
            calls.open.pop_front()
        } else {
            None
        };
        calls.latest = answered.unwrap_or(calls.latest);
        let call = &mut self.events[calls.latest];
        if answered.is_some() {
            call.relations.result = Some(event.seq);
        }
        event.relations.call = Some(call.seq);
        Some(call.kind.family)
    }
}

/// A call of an unrecognized tool.
const OTHER: EventKind = EventKind {
    word: "tool_call",
    family: Family::Tool,
};

/// The name of a tool in lowercase, without that of the server that offers it.
fn plain_name(name: &str) -> String {
    let server = name
        .strip_prefix("mcp__")
        .and_then(|rest| rest.split_once("__"));
    server.map_or(name, |(_, name)| name).to_ascii_lowercase()
}

/// What an agent says in the arguments of the call with which it finishes.
fn final_message<'a>(tool: &str, arguments: &'a str) -> Option<Cow<'a, str>> {
    let name = plain_name(tool);
    let (_, argument) = FINISHING.iter().find(|(tool, _)| *tool == name)?;
    let members = Node::parse(arguments).ok()?.members();
    let text = last(&members, argument)?.as_str()?;
    (!text.trim().is_empty()).then_some(text)
}

/// The kind of a tool call, by the name of the tool.
fn tool(name: &str) -> EventKind {
    let name = plain_name(name);
    let known = TOOLS
        .iter()
        .find(|(_, names)| names.contains(&name.as_str()));
    known.map_or(OTHER, |(kind, _)| event_kind(*kind))
}

fn header_facts(header: &TraceHeader) -> Vec<(&'static str, String)> {
    let mut facts = Vec::new();
    if let Some(importer) = &header.importer {
        facts.push((
            MADE_FROM,
            format!(
                "{}, by importer version {}",
                importer.format, importer.version
            ),
        ));
    }
    let sources = header.sources.iter();
    facts.extend(sources.map(|file| {
        let fact = format!(
            "{}, {} bytes, BLAKE3 {}",
            file.name, file.bytes, file.blake3
        );
        ("Source", fact)
    }));
    let agents = header.agents.iter();
    facts.extend(agents.map(|agent| {
        let optional = [&agent.name, &agent.model];
        let known = optional.into_iter().flatten().map(String::as_str);
        let words: Vec<_> = std::iter::once(agent.id.as_str()).chain(known).collect();
        ("Agent", words.join(", "))
    }));
    let withheld = header.withheld.iter();
    facts.extend(withheld.map(|(what, count)| ("Left out", format!("{what}: {count}"))));
    facts
}

/// A name with its middle cut out, since log names differ at the start and the end.
fn abbreviated(name: &str) -> Cow<'_, str> {
    let at = |number: usize| name.char_indices().nth(number).map(|(at, _)| at);
    let length = name.chars().count();
    match (at(8), at(length.saturating_sub(14))) {
        (Some(start), Some(end)) if length > 24 => {
            Cow::Owned(format!("{}…{}", &name[..start], &name[end..]))
        }
        _ => Cow::Borrowed(name),
    }
}

/// `line 41 of rollout.jsonl`.
fn described(header: &TraceHeader, origin: &EventSource<'_>) -> Option<String> {
    let file = header.sources.get(usize::try_from(origin.file).ok()?)?;
    let name = file.name.rsplit('/').next().filter(|name| !name.is_empty());
    let mut words = Vec::new();
    words.extend(origin.line.map(|line| format!("line {line}")));
    let of = if words.is_empty() { "" } else { "of " };
    words.extend(name.map(|name| format!("{of}{}", abbreviated(name))));
    words.extend(origin.member.as_deref().map(str::to_owned));
    words.extend(origin.pointer.as_deref().map(str::to_owned));
    Some(words.join(" ")).filter(|words| !words.is_empty())
}

impl<'a> Event<'a> {
    fn text_fact(&mut self, name: &'static str, value: Option<Str<'a>>) {
        self.fact(name, value.map(Str::into_inner));
    }

    fn push_text(&mut self, kind: TextKind, value: Option<Str<'a>>) {
        self.push(None, kind, value.map(Str::into_inner).unwrap_or_default());
    }

    /// Adds a text, initially collapsed.
    fn fold(&mut self, label: Option<&'static str>, kind: TextKind, text: impl Into<Cow<'a, str>>) {
        let before = self.blocks.len();
        self.push(label, kind, text);
        if let Some(block) = self.blocks.get_mut(before) {
            block.folded = true;
        }
    }

    fn omission(&mut self, what: &'static str, count: Option<u64>) {
        let count = count.filter(|count| *count > 0);
        self.fact(what, count.map(|count| format!("left out: {count}")));
    }

    fn result(&mut self, f: TraceEventFields<'a>) {
        self.outcome = match (f.ok, f.exit_code) {
            (_, Some(code)) if code != 0 => EventOutcome::Failed,
            (Some(true), _) => EventOutcome::Succeeded,
            (Some(false), _) => EventOutcome::Failed,
            (None, _) => EventOutcome::Unstated,
        };
        self.fact(
            "exit code",
            f.exit_code.map(|code| {
                let from_text = f.exit_code_from == Some(trace::ExitCodeFrom::Text);
                format!("{code}{}", if from_text { " (from the text)" } else { "" })
            }),
        );
        self.text_fact("status", f.status);
        if self.relations.call.is_none() {
            self.text_fact("call", f.call);
        }
        self.omission("images", f.images);
        self.omission("bytes", f.truncated);
        let text = f.text.map(Str::into_inner).unwrap_or_default();
        let is_json = text.starts_with(['{', '[']) && Node::parse(&text).is_ok();
        let kind = if is_json {
            TextKind::Json
        } else {
            TextKind::Plain
        };
        let lines = memchr::memchr_iter(b'\n', text.trim_end().as_bytes()).count() + 1;
        if lines > MAX_OPEN_LINES || text.len() > MAX_OPEN_BYTES {
            self.fold(None, kind, text);
        } else {
            self.push(None, kind, text);
        }
    }

    fn edit(&mut self, f: TraceEventFields<'a>) {
        let path = f.path.map(Str::into_inner).unwrap_or_default();
        if let Some(to) = f.to {
            self.files = vec![path.to_string(), to.to_string()];
            self.text_fact("to", Some(to));
        }
        self.headline = path;
        self.fact(
            "change",
            f.change.map(|change| match change {
                EditKind::Create => "created",
                EditKind::Modify => "modified",
                EditKind::Delete => "deleted",
                EditKind::Rename => "renamed",
            }),
        );
        self.push_text(TextKind::Diff, f.diff);
    }

    fn usage(&mut self, f: TraceEventFields<'a>) {
        self.text_fact("model", f.model);
        if let Some(tokens) = f.tokens {
            let classes = [
                tokens.uncached_input,
                tokens.cached_input,
                tokens.output,
                tokens.reasoning,
            ];
            self.tokens = sum(classes);
            let bounds = f.lower_bounds.unwrap_or_default();
            for (name, key, count) in [
                ("uncached input", "uncachedInput", tokens.uncached_input),
                ("cached input", "cachedInput", tokens.cached_input),
                ("output", "output", tokens.output),
                ("reasoning", "reasoning", tokens.reasoning),
            ] {
                let is_bound = bounds.iter().any(|bound| &*bound.0 == key);
                let mark = if is_bound { "≥ " } else { "" };
                self.fact(name, count.map(|count| format!("{mark}{count}")));
            }
        }
        let dollars = |cost: f64| amounts::dollars(&Number::new(&cost.to_string(), cost));
        self.fact("cost", f.cost.map(dollars));
        self.fact("calls", f.calls.map(|calls| calls.len().to_string()));
    }
}
