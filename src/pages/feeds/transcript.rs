//! The public part of a transcript in `run.json`.

use serde::ser::{Error, Serialize, SerializeMap, SerializeSeq, Serializer};

use base::links::{self, Slug};
use formats::model::transcript::{
    Conversation, PublicAsset, PublicValue, TranscriptEvent, Turn, WithheldCounts,
};

use super::raw;

document! {
    /// The public part of the transcript.
    #[schemars(rename = "Transcript")]
    pub struct TranscriptDocument<'a>(slug: &Slug, conversation: &'a Conversation<'a>) {
        /// Its id.
        id: Option<&'a str> = conversation.id.as_deref(),
        /// `active`, `archived`, `forked` or `abandoned`, as written.
        state: &'a str = &conversation.state,
        /// The turns in reading order.
        messages: Vec<MessageDocument<'a>> = conversation.turns.iter().map(MessageDocument::of).collect(),
        /// Its public events that are no turns, in their order.
        events: Vec<AsideDocument<'a>> = conversation.other_events.iter().map(AsideDocument::of).collect(),
        /// Its public assets.
        assets: Vec<AssetDocument<'a>> = conversation.assets.iter().map(|asset| AssetDocument::of(slug, asset)).collect(),
        /// Blocks that are withheld.
        withheld: WithheldCounts = conversation.withheld,
        /// Events that are withheld.
        #[serde(rename = "withheldEvents")]
        withheld_events: WithheldCounts = conversation.withheld_events,
        /// Assets that are withheld.
        #[serde(rename = "withheldAssets")]
        withheld_assets: WithheldCounts = conversation.withheld_assets,
    }
}

document! {
    /// A public event that is no turn.
    #[schemars(rename = "Event")]
    struct AsideDocument<'a>(aside: &'a TranscriptEvent<'a>) {
        /// Kind of event, as written.
        kind: &'a str = &aside.kind,
        /// Role of the speaker, as written.
        role: &'a str = &aside.role,
        /// Its text, plain.
        text: &'a str = &aside.text,
    }
}

document! {
    /// A turn with its public blocks.
    #[schemars(rename = "Message")]
    struct MessageDocument<'a>(turn: &'a Turn<'a>) {
        /// `user`, `assistant`, `system`, `tool` or `tool_result`, as written.
        role: &'a str = &turn.role,
        /// Its public blocks: objects, or strings that are short for a text block. Of each block, the keys that are
        /// published, as written.
        #[schemars(with = "Vec<serde_json::Value>")]
        content: Vec<BlockDocument<'a>> = turn.parts.iter().map(|part| BlockDocument(&part.published)).collect(),
    }
}

document! {
    /// A public asset and where its file is, relative to the site's root.
    #[schemars(rename = "Asset")]
    struct AssetDocument<'a>(slug: &Slug, asset: &'a PublicAsset<'a>) {
        /// Its id; blocks refer to it.
        id: &'a str = &asset.id,
        /// Its name or title.
        name: &'a str = &asset.name,
        /// `image`, `file`, `blob` or another word, as written.
        kind: &'a str = &asset.kind,
        /// Size of its file in bytes; null when it has none.
        bytes: Option<u64> = asset.file.as_ref().map(|file| file.bytes()),
        /// Where its file is, relative to the site's root; null when it has none.
        path: Option<String> = asset.file.as_ref().map(|file| links::run_file(slug, &format!("assets/{}", file.name))),
    }
}

/// The public part of a block.
#[derive(Debug, Clone, Copy)]
pub struct BlockDocument<'a>(pub &'a PublicValue<'a>);

impl Serialize for BlockDocument<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            PublicValue::Value(written) => {
                let value = raw(written.0).map_err(S::Error::custom)?;
                value.serialize(serializer)
            }
            PublicValue::List(items) => {
                let mut list = serializer.serialize_seq(Some(items.len()))?;
                for item in items {
                    list.serialize_element(&BlockDocument(item))?;
                }
                list.end()
            }
            PublicValue::Object(members) => {
                let mut map = serializer.serialize_map(Some(members.len()))?;
                for (key, value) in members {
                    map.serialize_entry(key, &BlockDocument(value))?;
                }
                map.end()
            }
        }
    }
}
