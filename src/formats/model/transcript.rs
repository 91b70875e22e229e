//! The public part of a transcript: turns, events, assets, and counts of withheld parts. The page and the feed both use this, so
//! neither publishes what the other hides.

mod assets;
mod disclosure;
mod nested;
mod quoted;
mod visibility;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use crate::transcript::{Transcript, TranscriptMessage};

use super::Verbatim;

pub use crate::transcript::TranscriptEvent;
pub use assets::{AssetContent, AssetFile, InlineContent, PublicAsset, asset_file, is_transcript};
pub use quoted::TranscriptSearch;

use visibility::PrivacyReason;

/// The public part of a transcript.
#[derive(Debug)]
pub struct Conversation<'a> {
    pub id: Option<String>,
    /// `active`, `archived`, `forked`, `abandoned`, as written.
    pub state: String,
    /// Turns with at least one public block, in reading order.
    pub turns: Vec<Turn<'a>>,
    /// Public events that are not turns, in file order.
    pub other_events: Vec<TranscriptEvent<'a>>,
    /// Public assets, in order.
    pub assets: Vec<PublicAsset<'a>>,
    /// Number of withheld blocks.
    pub withheld: WithheldCounts,
    /// Number of public blocks with unrecognized types, of which only the type is published.
    pub unrecognized: usize,
    pub withheld_events: WithheldCounts,
    pub withheld_assets: WithheldCounts,
    /// JSON pointers of public blocks that refer to an asset missing from the transcript.
    pub missing_assets: Vec<String>,
    /// JSON pointers of public blocks that contain their file inline, which is not published.
    pub inline: Vec<String>,
    /// Whether a summary of earlier turns is withheld, since it may repeat private text.
    pub summary_withheld: bool,
}

/// How many are not published.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Withheld")]
pub struct WithheldCounts {
    /// Number of `internal` ones.
    pub internal: usize,
    /// Number of `private` ones.
    // Those of unrecognized visibility and reasoning of any visibility are among them.
    pub private: usize,
    /// Of the `internal` ones, how many are internal because of their whole message; absent if none is.
    #[serde(skip_serializing_if = "WithheldReasons::is_none")]
    pub reasons: WithheldReasons,
}

/// How many are internal because of their whole message.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Reasons")]
pub struct WithheldReasons {
    /// In a message that Harn marks as the result of a tool.
    pub tool_results: usize,
    /// In a directive to the model.
    pub directives: usize,
    /// In a message of the assistant that Harn did not publish.
    pub unpublished: usize,
    /// Next to the result of a tool.
    pub next_to_tool_results: usize,
}

impl WithheldReasons {
    fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

#[derive(Debug)]
pub struct Turn<'a> {
    pub role: String,
    pub parts: Vec<TurnPart<'a>>,
}

/// A public block.
#[derive(Debug)]
pub struct TurnPart<'a> {
    pub published: PublicValue<'a>,
    /// The content for the page.
    pub content: PartContent,
    /// Whether its text continues the previous part: streamed messages are cut anywhere, even within words.
    pub continues: bool,
    /// JSON pointer to it in the transcript.
    pub pointer: String,
}

/// The published part of a block, with values as written.
#[derive(Debug, PartialEq, Eq)]
pub enum PublicValue<'a> {
    /// A text, a number, true, false or null.
    Value(Verbatim<'a>),
    List(Vec<PublicValue<'a>>),
    /// An object: each key once.
    Object(Vec<(Cow<'a, str>, PublicValue<'a>)>),
}

/// The content of a public block.
#[derive(Debug, PartialEq, Eq)]
pub enum PartContent {
    Text(String),
    /// A reference to an asset.
    Asset {
        id: String,
        label: String,
    },
    /// Anything else, in Harn's own short form: `<tool_call:search>`.
    Label(String),
}

/// Extracts the public part of a transcript.
pub fn public(transcript: Transcript<'_>) -> Conversation<'_> {
    let mut reader = TurnReader::default();
    let turns = transcript.messages.into_iter();
    let turns: Vec<Turn<'_>> = turns
        .map(|message| reader.read(message))
        .filter(|turn| !turn.parts.is_empty())
        .collect();
    let mut withheld_events = WithheldCounts::default();
    let mut other_events = Vec::new();
    for event in transcript.events {
        match disclosure::event(&event).and_then(|()| reader.withheld_texts.check(&event.text)) {
            Ok(()) => other_events.push(event),
            Err(hidden) => hidden.count(&mut withheld_events),
        }
    }
    let described: BTreeSet<&str> = transcript
        .assets
        .iter()
        .map(|asset| asset.id.as_ref())
        .collect();
    let missing_assets = turns
        .iter()
        .flat_map(|turn| &turn.parts)
        .filter(|part| {
            matches!(&part.content, PartContent::Asset { id, .. } if !described.contains(id.as_str()))
        })
        .map(|part| part.pointer.clone())
        .collect();
    let mut withheld_assets = WithheldCounts::default();
    Conversation {
        id: transcript.id.map(Cow::into_owned),
        state: transcript
            .state
            .map_or_else(|| "active".to_owned(), Cow::into_owned),
        turns,
        other_events,
        assets: assets::public(transcript.assets, &mut withheld_assets),
        withheld: reader.withheld,
        unrecognized: reader.unrecognized,
        withheld_events,
        withheld_assets,
        missing_assets,
        inline: reader.inline,
        summary_withheld: transcript.has_summary,
    }
}

/// Texts of messages that are withheld as a whole. Harn repeats such a text in events that are marked public, for example the body
/// of a reminder.
#[derive(Debug, Default)]
struct WithheldTexts(BTreeMap<String, PrivacyReason>);

impl WithheldTexts {
    fn add(&mut self, text: &str, hidden: PrivacyReason) {
        for text in [text.trim(), without_frame(text)] {
            if !text.is_empty() {
                self.0.insert(text.to_owned(), hidden);
            }
        }
    }

    /// Withholds an event that repeats such a text.
    fn check(&self, text: &str) -> Result<(), PrivacyReason> {
        let found = self
            .0
            .get(text.trim())
            .or_else(|| self.0.get(without_frame(text)));
        found.map_or(Ok(()), |hidden| Err(*hidden))
    }
}

/// The text between a first and a last tag, such as `<harn-directive>`.
fn without_frame(text: &str) -> &str {
    let text = text.trim();
    let inner = text
        .strip_prefix('<')
        .and_then(|rest| rest.strip_suffix('>'))
        .and_then(|rest| rest.split_once('>'))
        .and_then(|(_, rest)| rest.rsplit_once("</"));
    inner.map_or(text, |(inner, _)| inner.trim())
}

/// Reads turns, and notes what is not published of them.
#[derive(Debug, Default)]
struct TurnReader {
    withheld: WithheldCounts,
    unrecognized: usize,
    withheld_texts: WithheldTexts,
    inline: Vec<String>,
}

impl TurnReader {
    fn read<'a>(&mut self, message: TranscriptMessage<'a>) -> Turn<'a> {
        let turn = disclosure::TurnSettings::new(&message);
        let mut texts: Vec<Cow<'_, str>> = Vec::new();
        let mut by_message = None;
        let mut parts: Vec<TurnPart<'a>> = Vec::new();
        let mut after_text = false;
        for block in message.blocks {
            match disclosure::block(block.node, turn) {
                Ok(public) => {
                    let text = matches!(public.content, PartContent::Text(_));
                    self.unrecognized += usize::from(!public.recognized);
                    if disclosure::is_inline(block.node) {
                        self.inline.push(block.pointer.clone());
                    }
                    parts.push(TurnPart {
                        continues: text && after_text,
                        published: public.published,
                        content: public.content,
                        pointer: block.pointer,
                    });
                    after_text = text;
                }
                Err(hidden) => {
                    hidden.count(&mut self.withheld);
                    after_text = false;
                    if hidden.applies_to_message() {
                        by_message = Some(hidden);
                        texts.extend(disclosure::text(block.node));
                    }
                }
            }
        }
        if let Some(hidden) = by_message {
            for text in &texts {
                self.withheld_texts.add(text, hidden);
            }
            // Harn writes the texts of a message with spaces between them.
            self.withheld_texts.add(&texts.join(" "), hidden);
            self.withheld_texts.add(&texts.concat(), hidden);
        }
        Turn {
            role: message.role.into_owned(),
            parts,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::private::is_reasoning;
    use crate::transcript::parse;
    use base::diagnostics::Source;

    fn conversation(text: &str) -> Conversation<'_> {
        let (transcript, problems) = parse(Source::file("t", text.as_bytes()));
        assert!(problems.is_empty(), "{problems:?}");
        public(transcript.expect("a transcript"))
    }

    #[test]
    fn shortcuts_have_their_defaults() {
        let text = r#"{"_type":"transcript","messages":[
            {"content":"plain"}, {"role":"assistant","content":{"text":"one block"}},
            {"role":"assistant","content":["bare", {"type":"output_text","content":"c"}, null]},
            {"role":"tool_result","content":"withheld"}, {"role":"assistant","content":null}]}"#;
        let conversation = conversation(text);
        let said: Vec<_> = conversation
            .turns
            .iter()
            .map(|turn| {
                (
                    turn.role.as_str(),
                    turn.parts
                        .iter()
                        .map(|part| &part.content)
                        .collect::<Vec<_>>(),
                )
            })
            .collect();
        let words = |text: &str| PartContent::Text(text.to_owned());
        assert_eq!(
            said,
            [
                ("user", vec![&words("plain")]),
                ("assistant", vec![&words("one block")]),
                (
                    "assistant",
                    vec![
                        &words("bare"),
                        &words("c"),
                        &PartContent::Label("<null>".to_owned())
                    ]
                ),
            ]
        );
        assert_eq!(
            conversation.withheld,
            WithheldCounts {
                internal: 1,
                private: 0,
                ..WithheldCounts::default()
            }
        );
        assert_eq!(conversation.state, "active");
        assert_eq!(conversation.unrecognized, 1);
    }

    #[test]
    fn only_exactly_public_is_public_and_reasoning_never_is() {
        let text = r#"{"_type":"transcript","summary":"s","messages":[{"role":"assistant","content":[
            {"type":"reasoning","visibility":"public","text":"r"}, {"type":"text","visibility":"Public","text":"x"},
            {"type":"text","visibility":"private","text":"x"}, {"type":"tool_call","visibility":"internal","name":"n"},
            {"type":"tool_call","visibility":"public","name":"search"}]},
            {"role":"user","visibility":"internal","content":[{"type":"text","visibility":"public","text":"x"}]}],
            "assets":[{"id":"c","kind":"compaction_source_transcript","visibility":"public","data":"all"},
            {"id":"a","storage":{"path":"x"}}, "bare/path.png", {"id":"p","visibility":"public"}]}"#;
        let conversation = conversation(text);
        assert_eq!(conversation.turns.len(), 1);
        assert_eq!(
            conversation.turns[0].parts[0].content,
            PartContent::Label("<tool_call:search>".to_owned())
        );
        assert_eq!(
            conversation.withheld,
            WithheldCounts {
                internal: 2,
                private: 3,
                ..WithheldCounts::default()
            }
        );
        assert!(conversation.summary_withheld);
        assert_eq!(
            conversation
                .assets
                .iter()
                .map(|asset| asset.id.as_str())
                .collect::<Vec<_>>(),
            ["p"]
        );
    }

    #[test]
    fn what_is_hidden_inside_a_public_block_hides_the_block() {
        let text = r#"{"_type":"transcript","messages":[{"role":"assistant","content":[
            {"type":"tool_result","visibility":"public","content":[{"type":"text","visibility":"private","text":"x"}]},
            {"type":"tool_call","visibility":"public","kind":"reasoning","text":"x"},
            {"type":"text","visibility":null,"text":"x"}, {"type":"text","visibility":3,"text":"x"},
            {"type":"image","visibility":"public","asset_id":"nobody"}]}]}"#;
        let conversation = conversation(text);
        assert_eq!(
            conversation.withheld,
            WithheldCounts {
                internal: 0,
                private: 4,
                ..WithheldCounts::default()
            }
        );
        assert_eq!(conversation.missing_assets, ["/messages/0/content/4"]);
    }

    #[test]
    fn a_word_is_recognized_in_any_spelling() {
        let private = [
            "reasoning",
            "reasoningContent",
            "Chain-Of-Thought",
            "provider payload",
            "redacted_thinking",
            "think",
        ];
        assert!(private.iter().all(|word| is_reasoning(word)));
        let public = ["text", "rethink", "provider", "payload", "cotton"];
        assert!(!public.iter().any(|word| is_reasoning(word)));
    }

    #[test]
    fn the_word_null_is_no_text() {
        let text = r#"{"_type":"transcript","messages":[{"role":"assistant","content":[
            {"type":"text","text":null}, {"type":"text","text":"null"}]}]}"#;
        let conversation = conversation(text);
        let parts = &conversation.turns[0].parts;
        assert_eq!(parts[0].content, PartContent::Text(String::new()));
        assert_eq!(parts[1].content, PartContent::Text("null".to_owned()));
        assert_eq!(conversation.unrecognized, 0);
    }

    #[test]
    fn values_nested_too_deeply_are_not_published() {
        let deep = format!("{}1{}", "[".repeat(80), "]".repeat(80));
        let text = format!(
            r#"{{"_type":"transcript","messages":[{{"role":"assistant","content":[
            {{"type":"tool_call","visibility":"public","name":"n","arguments":{deep}}},
            {{"type":"tool_result","visibility":"public","name":"n","content":{deep}}}]}}]}}"#
        );
        let conversation = conversation(&text);
        assert_eq!(conversation.turns[0].parts.len(), 1);
        let published = format!("{:?}", conversation.turns[0].parts[0].published);
        assert!(!published.contains("Verbatim(\"1\")"), "{published}");
        assert_eq!(conversation.withheld.private, 1);
    }
}
