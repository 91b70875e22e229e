//! The annotations channel of the Agent Host Protocol (formats.md F and H.5): `annotations.json`, a state or a snapshot, and
//! `annotations.actions.jsonl`, the actions that changed it.
//!
//! Reads both shapes: `turnId` (0.4.0 to 0.8.x) and `origin` (0.9.0). A line of the log is a bare action, an envelope, a JSON-RPC
//! notification whose `params` is an envelope, as on the wire, or a batch of such messages.

use std::borrow::Cow;
use std::collections::BTreeSet;

use base::diagnostics::{Collector, Diagnostic, LazyPlace, Source, codes};

use super::json::{JsonKind, Node};
use super::jsonl;
use super::reader::{DocumentReader, JsonObject, Presence, ShapeCodes, document};

/// The file name of the state in a run directory.
pub const STATE_FILE: &str = "annotations.json";
/// The file name of the action log in a run directory.
pub const ACTIONS_FILE: &str = "annotations.actions.jsonl";
/// Suffix of an annotations channel's URI.
pub const CHANNEL: &str = "/annotations";
/// The JSON-RPC method with which a server reports an action. What a client asks for (`dispatchAction`) has no effect until the
/// server reports it.
const METHOD: &str = "action";

static SHAPE: ShapeCodes = ShapeCodes {
    missing: &codes::THREADS_MISSING_FIELD,
    wrong_type: &codes::THREADS_WRONG_TYPE,
    duplicate_key: &codes::THREADS_DUPLICATE_KEY,
};

/// A state as written.
#[derive(Debug, Default)]
pub struct AnnotationsState<'a> {
    /// URI of the channel, if a snapshot has it.
    pub channel: Option<Cow<'a, str>>,
    /// Actions up to this number are already in the state.
    pub from_seq: Option<u64>,
    /// The threads in order.
    pub annotations: Vec<RecordedThread<'a>>,
}

/// A thread as written, split as far as actions can change it.
#[derive(Debug, Clone)]
pub struct RecordedThread<'a> {
    pub id: String,
    /// Its keys in order, each with its value as written; for `entries`, see [`RecordedThread::entries`].
    pub members: Vec<(String, &'a str)>,
    /// Its entries in order.
    pub entries: Vec<RecordedEntry<'a>>,
    pub location: LazyPlace<'a>,
}

#[derive(Debug, Clone)]
pub struct RecordedEntry<'a> {
    pub id: String,
    /// The entry as written.
    pub raw: &'a str,
}

/// A line of the action log.
#[derive(Debug)]
pub struct ActionEnvelope<'a> {
    /// Its number; bare actions have none.
    pub server_seq: Option<u64>,
    /// Whether it was rejected and has no effect.
    pub rejected: bool,
    /// URI of the channel.
    pub channel: Option<Cow<'a, str>>,
    pub action: ThreadAction<'a>,
    pub location: LazyPlace<'a>,
}

/// Kinds of actions.
#[derive(Debug)]
pub enum ThreadAction<'a> {
    /// Adds or replaces a whole thread.
    Set(RecordedThread<'a>),
    /// Changes some keys of a thread.
    Updated {
        id: String,
        /// The new keys and values, as written.
        members: Vec<(String, &'a str)>,
    },
    Removed {
        id: String,
    },
    /// Adds or replaces an entry.
    EntrySet {
        id: String,
        entry: RecordedEntry<'a>,
    },
    EntryRemoved {
        id: String,
        entry: String,
    },
    /// An unrecognized type; it has no effect.
    Unknown(String),
}

/// Reads a state or a snapshot. Parts with an error are skipped.
#[must_use]
pub fn parse_state(source: Source<'_>) -> (AnnotationsState<'_>, Vec<Diagnostic>) {
    let code = &codes::THREADS_SYNTAX;
    let root = match document(source, code, "file", "Correct the JSON here.") {
        Ok(root) => root,
        Err(problem) => return (AnnotationsState::default(), vec![*problem]),
    };
    let mut r = DocumentReader::allowing_lone_surrogates(source, &SHAPE);
    r.check_portable(root, &codes::THREADS_UNPORTABLE_VALUE);
    let mut state = AnnotationsState::default();
    let Some(top) = r.object(root, "") else {
        return (state, r.finish());
    };
    let holder = if top.get("state").is_some() {
        state.channel = r.string(&top, "resource", Presence::Required);
        state.from_seq = r.whole(&top, "fromSeq", Presence::Required);
        r.child(&top, "state", Presence::Required)
    } else {
        Some(top)
    };
    if let Some(holder) = holder
        && r.value(&holder, "annotations", Presence::Required)
            .is_some()
    {
        for (node, item) in r.items(&holder, "annotations", Presence::Optional) {
            state.annotations.extend(annotation(&mut r, node, &item));
        }
    }
    (state, r.finish())
}

/// Reads an action log, with one message, envelope or bare action per line. Lines with an error are skipped. `own` is the channel of the
/// state, by default the first one seen. Content of other channels and of rejected envelopes is not checked.
#[must_use]
pub fn parse_actions<'a>(
    path: &'a str,
    bytes: &'a [u8],
    own: Option<&str>,
) -> (Vec<ActionEnvelope<'a>>, Vec<Diagnostic>) {
    let mut log = ActionLog {
        channel: own.map(str::to_owned),
        ..ActionLog::default()
    };
    let mut diagnostics = Collector::default();
    for line in jsonl::lines(bytes) {
        let source = line.source(path);
        let Cow::Borrowed(text) = line.text else {
            diagnostics.add(&codes::THREADS_SYNTAX, || {
                codes::THREADS_SYNTAX.at(
                    source.place(0, 1),
                    "The line is not valid UTF-8",
                    "Write the log as UTF-8.",
                )
            });
            continue;
        };
        let source = Source::line(path, line.number, text.as_bytes());
        let help =
            "Correct the line; a truncated last line usually means that the recorder was stopped.";
        let root = match document(source, &codes::THREADS_SYNTAX, "line", help) {
            Ok(root) => root,
            Err(problem) => {
                diagnostics.push(*problem);
                continue;
            }
        };
        let mut r =
            DocumentReader::allowing_lone_surrogates(source, &SHAPE).with_problems(diagnostics);
        if root.kind() == JsonKind::Array {
            for (index, message) in root.items().into_iter().enumerate() {
                log.read(&mut r, message, format!("/{index}"));
            }
        } else {
            log.read(&mut r, root, String::new());
        }
        diagnostics = r.diagnostics;
    }
    if let Some(first) = log.first_skipped {
        diagnostics.add(&codes::THREADS_NO_ACTION, || {
            let messages = match log.skipped {
                1 => "1 JSON-RPC message reports no action, and is skipped".to_owned(),
                count => format!("{count} JSON-RPC messages report no action, and are skipped"),
            };
            codes::THREADS_NO_ACTION.at(first.place(), messages, "No action needed.")
        });
    }
    (log.envelopes, diagnostics.finish(path))
}

/// An action log, as far as it is read.
#[derive(Default)]
struct ActionLog<'a> {
    /// URI of the channel, once it is known.
    channel: Option<String>,
    envelopes: Vec<ActionEnvelope<'a>>,
    /// Number of JSON-RPC messages that report no action.
    skipped: usize,
    /// The first of them.
    first_skipped: Option<LazyPlace<'a>>,
}

impl<'a> ActionLog<'a> {
    /// Reads a message, an envelope or a bare action, and keeps it if it has no errors.
    fn read(&mut self, r: &mut DocumentReader<'a>, node: Node<'a>, pointer: String) {
        let before = r.diagnostics.errors();
        let envelope = self.message(r, node, pointer);
        self.envelopes
            .extend(envelope.filter(|_| r.diagnostics.errors() == before));
    }

    fn message(
        &mut self,
        r: &mut DocumentReader<'a>,
        node: Node<'a>,
        pointer: String,
    ) -> Option<ActionEnvelope<'a>> {
        let top = r.object(node, pointer)?;
        if top.get("jsonrpc").is_some() {
            r.string(&top, "jsonrpc", Presence::Required);
            if r.string(&top, "method", Presence::Optional).as_deref() == Some(METHOD) {
                let params = r.child(&top, "params", Presence::Required)?;
                return self.envelope(r, &params);
            }
            self.skipped += 1;
            self.first_skipped
                .get_or_insert_with(|| r.lazy_place(node, top.pointer.as_str()));
            return None;
        }
        if top.get("action").is_some() {
            return self.envelope(r, &top);
        }
        r.check_portable(node, &codes::THREADS_UNPORTABLE_VALUE);
        Some(ActionEnvelope {
            server_seq: None,
            rejected: false,
            channel: None,
            action: action(r, &top)?,
            location: r.lazy_place(node, top.pointer.as_str()),
        })
    }

    fn envelope(
        &mut self,
        r: &mut DocumentReader<'a>,
        top: &JsonObject<'a>,
    ) -> Option<ActionEnvelope<'a>> {
        let inner = r.child(top, "action", Presence::Required)?;
        let server_seq = r.whole(top, "serverSeq", Presence::Optional);
        let rejected = top.get("rejectionReason").is_some();
        let channel = r.string(top, "channel", Presence::Optional);
        if self.channel.is_none() && !rejected {
            self.channel = channel
                .as_deref()
                .filter(|channel| channel.ends_with(CHANNEL))
                .map(str::to_owned);
        }
        let is_foreign = channel.is_some() && channel.as_deref() != self.channel.as_deref();
        let action = if rejected || is_foreign {
            ThreadAction::Unknown(String::new())
        } else {
            r.check_portable(top.node(), &codes::THREADS_UNPORTABLE_VALUE);
            action(r, &inner)?
        };
        Some(ActionEnvelope {
            server_seq,
            rejected,
            channel,
            action,
            location: r.lazy_place(top.node(), top.pointer.as_str()),
        })
    }
}

fn action<'a>(r: &mut DocumentReader<'a>, object: &JsonObject<'a>) -> Option<ThreadAction<'a>> {
    use Presence::Required;
    let kind = r.string(object, "type", Required)?;
    Some(match kind.as_ref() {
        "annotations/set" => {
            let node = r.value(object, "annotation", Required)?;
            ThreadAction::Set(annotation(r, node, &object.pointer_to("annotation"))?)
        }
        "annotations/updated" => {
            let id = r.string(object, "annotationId", Required)?.into_owned();
            check_anchor(r, object);
            r.boolean(object, "resolved", Presence::Optional);
            let known = ["turnId", "origin", "resource", "range", "resolved"];
            // The reference implementation would write null; here it counts as missing.
            let members = object
                .keys()
                .filter(|key| known.contains(key))
                .filter_map(|key| Some((key.to_owned(), object.get(key)?.raw)))
                .collect();
            ThreadAction::Updated { id, members }
        }
        "annotations/removed" => ThreadAction::Removed {
            id: r.string(object, "annotationId", Required)?.into_owned(),
        },
        "annotations/entrySet" => {
            let id = r.string(object, "annotationId", Required)?.into_owned();
            let node = r.value(object, "entry", Required)?;
            ThreadAction::EntrySet {
                id,
                entry: entry(r, node, &object.pointer_to("entry"))?,
            }
        }
        "annotations/entryRemoved" => ThreadAction::EntryRemoved {
            id: r.string(object, "annotationId", Required)?.into_owned(),
            entry: r.string(object, "entryId", Required)?.into_owned(),
        },
        other => ThreadAction::Unknown(other.to_owned()),
    })
}

fn annotation<'a>(
    r: &mut DocumentReader<'a>,
    node: Node<'a>,
    pointer: &str,
) -> Option<RecordedThread<'a>> {
    use Presence::Required;
    let before = r.diagnostics.errors();
    let object = r.object(node, pointer)?;
    let id = r.string(&object, "id", Required);
    r.string(&object, "resource", Required);
    r.boolean(&object, "resolved", Required);
    check_anchor(r, &object);
    if object.get("turnId").is_none() && object.get("origin").is_none() {
        r.value(&object, "turnId", Required);
    }
    let mut entries = Vec::new();
    if r.value(&object, "entries", Required).is_some() {
        for (node, pointer) in r.items(&object, "entries", Presence::Optional) {
            entries.extend(entry(r, node, &pointer));
        }
    }
    // Of duplicate keys the last one counts, and only it is published.
    let mut seen = BTreeSet::new();
    let mut members: Vec<_> = node
        .members()
        .into_iter()
        .rev()
        .filter(|m| seen.insert(m.key.clone()))
        .map(|m| (m.key.into_owned(), m.value.raw))
        .collect();
    members.reverse();
    let location = r.lazy_place(node, pointer);
    let broken = r.diagnostics.errors() > before;
    (!broken).then(|| RecordedThread {
        id: id.unwrap_or_default().into_owned(),
        members,
        entries,
        location,
    })
}

/// Checks the keys that locate a thread, wherever they occur.
fn check_anchor<'a>(r: &mut DocumentReader<'a>, object: &JsonObject<'a>) {
    r.string(object, "turnId", Presence::Optional);
    r.string(object, "resource", Presence::Optional);
    if let Some(origin) = r.child(object, "origin", Presence::Optional) {
        r.string(&origin, "session", Presence::Required);
        r.string(&origin, "turnId", Presence::Optional);
    }
    if let Some(range) = r.child(object, "range", Presence::Optional) {
        for end in ["start", "end"] {
            if let Some(position) = r.child(&range, end, Presence::Required) {
                r.whole(&position, "line", Presence::Required);
                r.whole(&position, "character", Presence::Required);
            }
        }
    }
}

fn entry<'a>(
    r: &mut DocumentReader<'a>,
    node: Node<'a>,
    pointer: &str,
) -> Option<RecordedEntry<'a>> {
    let object = r.object(node, pointer)?;
    let id = r.string(&object, "id", Presence::Required)?.into_owned();
    let text = r.value(&object, "text", Presence::Required)?;
    if text.kind() == JsonKind::String {
        r.string(&object, "text", Presence::Required)?;
    } else {
        let text = r.child(&object, "text", Presence::Required)?;
        r.string(&text, "markdown", Presence::Required)?;
    }
    Some(RecordedEntry { id, raw: node.raw })
}
