//! The schemas of the annotations channel (formats.md F and H.5) as written. The reader keeps threads as text, since actions
//! replace them key by key, so the shapes it checks are defined here.

use schemars::{JsonSchema, Schema};
use serde_json::{Value, json};

/// The state of the channel, or a snapshot of it. Keys that are not listed are kept.
#[derive(Debug, JsonSchema)]
#[schemars(untagged, transform = chosen_by_state)]
pub enum Threads {
    /// A snapshot, recognized by `state`.
    Snapshot(Snapshot),
    /// A bare state.
    State(State),
}

/// The state of a channel at a sequence number.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub struct Snapshot {
    /// URI of the channel: that of the session, with `/annotations`.
    pub resource: String,
    /// The state.
    pub state: State,
    /// Actions up to this number are in the state already.
    pub from_seq: u64,
}

/// All threads.
#[derive(Debug, JsonSchema)]
pub struct State {
    /// The threads in the order in which they were opened.
    pub annotations: Vec<Thread>,
}

/// A thread about a place in a file.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "camelCase", transform = in_a_turn)]
pub struct Thread {
    /// Unique id in the channel.
    pub id: String,
    /// The turn it belongs to, before version 0.9.0 of the protocol. One of `turnId` and `origin` is required.
    pub turn_id: Option<String>,
    /// Session and turn, since version 0.9.0.
    pub origin: Option<Origin>,
    /// URI of the file. What remains without `file://` and the workspace is a path below `implementation/`.
    pub resource: String,
    /// The place in the file; a thread without one is about the whole file.
    pub range: Option<Range>,
    /// Whether the thread is resolved.
    pub resolved: bool,
    /// The entries, in order. A thread without entries is a warning.
    pub entries: Vec<ThreadEntry>,
}

/// A session, and the turn in it.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub struct Origin {
    /// URI of the session.
    pub session: String,
    /// The turn.
    pub turn_id: Option<String>,
}

/// A range of text.
#[derive(Debug, JsonSchema)]
pub struct Range {
    /// Its first character.
    pub start: Position,
    /// The character after its last.
    pub end: Position,
}

/// A place in a text.
#[derive(Debug, JsonSchema)]
pub struct Position {
    /// The line, from 0.
    pub line: u64,
    /// The character in the line, from 0.
    pub character: u64,
}

/// An entry of a thread. The protocol records neither its author nor its time.
#[derive(Debug, JsonSchema)]
pub struct ThreadEntry {
    /// Unique id in the thread.
    pub id: String,
    /// The text.
    pub text: Text,
}

/// Plain text, or Markdown.
#[derive(Debug, JsonSchema)]
#[schemars(untagged)]
pub enum Text {
    /// Plain text, without markup.
    Plain(String),
    /// Markdown.
    Markdown {
        /// The text.
        markdown: String,
    },
}

/// A line of the log: a JSON-RPC message or a batch of them, an envelope, or a bare action.
#[derive(Debug, JsonSchema)]
#[schemars(untagged, transform = chosen_by_kind)]
pub enum ActionLine {
    /// A batch of messages, recognized as an array.
    Batch(Vec<Message>),
    /// A message, recognized by `jsonrpc`.
    Message(Message),
    /// An envelope, recognized by `action`.
    Envelope(Envelope),
    /// An action without an envelope; it always applies.
    Action(Action),
}

/// A JSON-RPC message, as on the wire. Messages of other methods than `action` are skipped.
#[derive(Debug, JsonSchema)]
#[schemars(transform = with_params_of_an_action)]
pub struct Message {
    /// Version of JSON-RPC.
    pub jsonrpc: String,
    /// The method; responses have none.
    pub method: Option<String>,
    /// The envelope, if the method is `action`.
    pub params: Envelope,
}

/// An action, as the server sent it.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub struct Envelope {
    /// URI of the channel. Actions of other channels change nothing.
    pub channel: Option<String>,
    /// The action.
    pub action: Action,
    /// Its number. An action that a snapshot has already changes nothing.
    pub server_seq: Option<u64>,
    /// The sender; absent for the server.
    pub origin: Option<Value>,
    /// Why the server refused it; if present, the action changes nothing.
    pub rejection_reason: Option<Value>,
}

/// An action; `type` gives its kind. An action of an unrecognized type is ignored, with a note.
#[derive(Debug, JsonSchema)]
#[schemars(tag = "type", rename_all_fields = "camelCase", transform = open)]
pub enum Action {
    /// Adds a thread, or replaces the one with its id.
    #[schemars(rename = "annotations/set")]
    Set {
        /// The thread.
        annotation: Thread,
    },
    /// Sets the keys that are present and not null.
    #[schemars(rename = "annotations/updated")]
    Updated {
        /// Id of the thread.
        annotation_id: String,
        /// The turn it belongs to, before version 0.9.0 of the protocol.
        turn_id: Option<String>,
        /// Session and turn, since version 0.9.0.
        origin: Option<Origin>,
        /// URI of the file.
        resource: Option<String>,
        /// The place in the file.
        range: Option<Range>,
        /// Whether the thread is resolved.
        resolved: Option<bool>,
    },
    /// Removes a thread.
    #[schemars(rename = "annotations/removed")]
    Removed {
        /// Id of the thread.
        annotation_id: String,
    },
    /// Adds an entry, or replaces the one with its id.
    #[schemars(rename = "annotations/entrySet")]
    EntrySet {
        /// Id of the thread.
        annotation_id: String,
        /// The entry.
        entry: ThreadEntry,
    },
    /// Removes an entry.
    #[schemars(rename = "annotations/entryRemoved")]
    EntryRemoved {
        /// Id of the thread.
        annotation_id: String,
        /// Id of the entry.
        entry_id: String,
    },
    /// An unrecognized action.
    Unknown,
}

fn open(schema: &mut Schema) {
    base::shapes::allow_unknown_tags(schema, "type", "Unknown");
}

fn chosen_by_state(schema: &mut Schema) {
    chosen_by(schema, "state");
}

/// The first shape applies to arrays, the second if `jsonrpc` is present, the third if `action` is.
fn chosen_by_kind(schema: &mut Schema) {
    let Some(Value::Array(shapes)) = schema.remove("anyOf") else {
        return;
    };
    let [batch, message, envelope, action] = shapes.as_slice() else {
        return;
    };
    schema.insert("if".to_owned(), json!({ "type": "array" }));
    schema.insert("then".to_owned(), batch.clone());
    let or_action = json!({ "if": is_present("action"), "then": envelope, "else": action });
    let or_envelope = json!({ "if": is_present("jsonrpc"), "then": message, "else": or_action });
    schema.insert("else".to_owned(), or_envelope);
}

/// The parameters of other methods have any shape.
fn with_params_of_an_action(schema: &mut Schema) {
    let Some(Value::Object(properties)) = schema.get_mut("properties") else {
        return;
    };
    let any = json!({ "description": "The envelope, if the method is `action`." });
    let Some(params) = properties.insert("params".to_owned(), any) else {
        return;
    };
    if let Some(Value::Array(required)) = schema.get_mut("required") {
        required.retain(|key| key != "params");
    }
    let is_action =
        json!({ "required": ["method"], "properties": { "method": { "const": "action" } } });
    let has_envelope = json!({ "required": ["params"], "properties": { "params": params } });
    schema.insert("if".to_owned(), is_action);
    schema.insert("then".to_owned(), has_envelope);
}

/// Applies the first of two shapes if the key is present, so that the second cannot accept its errors.
fn chosen_by(schema: &mut Schema, key: &str) {
    let Some(Value::Array(shapes)) = schema.remove("anyOf") else {
        return;
    };
    let [first, second] = shapes.as_slice() else {
        return;
    };
    schema.insert("if".to_owned(), is_present(key));
    schema.insert("then".to_owned(), first.clone());
    schema.insert("else".to_owned(), second.clone());
}

fn in_a_turn(schema: &mut Schema) {
    schema.insert(
        "anyOf".to_owned(),
        json!([is_present("turnId"), is_present("origin")]),
    );
}

/// A key that is present and not null.
fn is_present(key: &str) -> Value {
    json!({ "required": [key], "properties": { key: { "not": { "type": "null" } } } })
}
