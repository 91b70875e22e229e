//! How the public part of a transcript is written into `run.json`.

use schemars::JsonSchema;
use serde::Serialize;
use serde::ser::{Error, SerializeMap, SerializeSeq, Serializer};

use crate::links;
use crate::model::transcript::{Conversation, Published, Withheld};

use super::raw;

/// The public part of the transcript.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Transcript")]
pub struct TranscriptDocument<'a> {
    /// Its id.
    id: Option<&'a str>,
    /// `active`, `archived`, `forked` or `abandoned`, as written.
    state: &'a str,
    /// The turns in reading order.
    messages: Vec<MessageDocument<'a>>,
    /// Its public events that are no turns, in their order.
    events: Vec<AsideDocument<'a>>,
    /// Its public assets.
    assets: Vec<AssetDocument<'a>>,
    /// Blocks that are withheld.
    withheld: WithheldDocument,
    /// Events that are withheld.
    #[serde(rename = "withheldEvents")]
    withheld_events: WithheldDocument,
}

/// A public event that is no turn.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Event")]
struct AsideDocument<'a> {
    /// Kind of event, as written.
    kind: &'a str,
    /// Role of the speaker, as written.
    role: &'a str,
    /// Its text, plain.
    text: &'a str,
}

/// A turn with its public blocks.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Message")]
struct MessageDocument<'a> {
    /// `user`, `assistant`, `system`, `tool` or `tool_result`, as written.
    role: &'a str,
    /// Its public blocks: objects, or strings that are short for a text block. Of each block, the keys that are
    /// published, as written.
    #[schemars(with = "Vec<serde_json::Value>")]
    content: Vec<BlockDocument<'a>>,
}

/// A public asset and where its file is, relative to the site's root.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Asset")]
struct AssetDocument<'a> {
    /// Its id; blocks refer to it.
    id: &'a str,
    /// Its name or title.
    name: &'a str,
    /// Where its file is, relative to the site's root; null when it has none.
    path: Option<String>,
}

/// How many are not published.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Withheld")]
struct WithheldDocument {
    /// Number of `internal` ones.
    internal: usize,
    /// Number of `private` ones.
    private: usize,
}

impl From<Withheld> for WithheldDocument {
    fn from(withheld: Withheld) -> Self {
        Self {
            internal: withheld.internal,
            private: withheld.private,
        }
    }
}

/// A public block: what may be published of it.
#[derive(Debug, Clone, Copy)]
pub struct BlockDocument<'a>(pub &'a Published<'a>);

impl Serialize for BlockDocument<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Published::Value(written) => {
                let value = raw(written.0).map_err(S::Error::custom)?;
                value.serialize(serializer)
            }
            Published::List(items) => {
                let mut list = serializer.serialize_seq(Some(items.len()))?;
                for item in items {
                    list.serialize_element(&BlockDocument(item))?;
                }
                list.end()
            }
            Published::Object(members) => {
                let mut map = serializer.serialize_map(Some(members.len()))?;
                for (key, value) in members {
                    map.serialize_entry(key, &BlockDocument(value))?;
                }
                map.end()
            }
        }
    }
}

impl<'a> TranscriptDocument<'a> {
    /// Makes the document.
    pub(super) fn new(slug: &str, conversation: &'a Conversation<'a>) -> Self {
        let messages = conversation.turns.iter().map(|turn| MessageDocument {
            role: &turn.role,
            content: turn
                .parts
                .iter()
                .map(|part| BlockDocument(&part.published))
                .collect(),
        });
        let events = conversation.asides.iter().map(|aside| AsideDocument {
            kind: &aside.kind,
            role: &aside.role,
            text: &aside.text,
        });
        let assets = conversation.assets.iter().map(|asset| AssetDocument {
            id: &asset.id,
            name: &asset.name,
            path: asset
                .file
                .as_ref()
                .map(|file| links::run_file(slug, &format!("assets/{}", file.name))),
        });
        Self {
            id: conversation.id.as_deref(),
            state: &conversation.state,
            messages: messages.collect(),
            events: events.collect(),
            assets: assets.collect(),
            withheld: conversation.withheld.into(),
            withheld_events: conversation.withheld_events.into(),
        }
    }
}
