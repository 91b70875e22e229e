//! The schema of a Harn transcript (formats.md E). Harn's import checks next to nothing, and runpress accepts what Harn accepts,
//! so most of this describes without rejecting.

use schemars::JsonSchema;
use serde_json::Value;

/// A transcript of a session, version 2. Only its public part is published.
///
/// Keys that are not listed, `summary` among them, are never published. Of a public block, only listed keys of
/// listed types are.
#[derive(Debug, JsonSchema)]
pub struct Transcript {
    /// Identifies the document as a transcript.
    #[schemars(rename = "_type", extend("const" = "transcript"))]
    pub tag: String,
    /// Version of the format; any other than 2 is a warning.
    #[schemars(extend("examples" = [2]))]
    pub version: Option<Value>,
    /// Its id.
    pub id: Option<String>,
    /// `active`, `archived`, `forked` or `abandoned`; `active` when absent.
    #[schemars(extend("examples" = ["active", "archived", "forked", "abandoned"]))]
    pub state: Option<String>,
    /// The turns in reading order.
    pub messages: Option<Vec<Message>>,
    /// Events other than turns, not in chronological order.
    pub events: Option<Vec<Event>>,
    /// Descriptors of what is too large for a turn.
    pub assets: Option<Vec<Asset>>,
}

/// A turn. Other keys, such as those of providers, are not published.
#[derive(Debug, JsonSchema)]
#[schemars(transform = describe_only)]
pub struct Message {
    /// `user`, `assistant`, `system`, `tool` or `tool_result`; `user` when absent.
    pub role: Option<Value>,
    /// A text, a block, or an array of blocks. A block is an object with a `type` (`text` when absent) and a
    /// `visibility`: `public`, `internal` or `private`. Without one a block is public; the call of a tool and its result
    /// are internal.
    pub content: Option<Value>,
    /// Not part of Harn's format: any value other than `public` withholds the whole turn.
    pub visibility: Option<Value>,
}

/// An event. Events of kind `message` and `tool_result` repeat the turns.
#[derive(Debug, JsonSchema)]
#[schemars(transform = describe_only)]
pub struct Event {
    /// Kind of event: `plan`, `compaction` and others.
    pub kind: Option<Value>,
    /// Role of the speaker.
    pub role: Option<Value>,
    /// `public`, `internal` or `private`; `private` when absent.
    pub visibility: Option<Value>,
    /// Plain text.
    pub text: Option<Value>,
}

/// A descriptor of something large, or only its path.
#[derive(Debug, JsonSchema)]
#[schemars(transform = describe_only)]
pub struct Asset {
    /// Its id; blocks refer to it.
    pub id: Option<Value>,
    /// Kind of asset; `blob` when absent.
    pub kind: Option<Value>,
    /// `public`, `internal` or `private`; `internal` when absent.
    pub visibility: Option<Value>,
    /// Its name.
    pub name: Option<Value>,
    /// Its title, shown where there is no name.
    pub title: Option<Value>,
    /// `path`: where its bytes are, relative to the run directory. It must stay inside it.
    pub storage: Option<Value>,
    /// Content of an asset without a file: a text, base64, or a `data:` URL. A value that is not a string is not published.
    pub data: Option<Value>,
    /// Media type of `data`. If it is not text, `data` is base64.
    pub mime_type: Option<Value>,
}

/// Accepts a value of any type, and keeps the descriptions of keys for readers.
fn describe_only(schema: &mut schemars::Schema) {
    schema.remove("type");
}
