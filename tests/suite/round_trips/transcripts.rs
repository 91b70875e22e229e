//! Transcripts: each turn is read as written, and exactly its public parts are returned.

use proptest::prelude::*;
use runpress::api::diagnostics::Source;
use runpress::api::formats::transcript::parse;
use runpress::api::model::transcript::{PartContent, public};

use crate::generate::{Dice, Json, dice, holds, object, text};

/// Marks content that must not be returned.
const HIDDEN: &str = "HIDDEN-WORD";

/// A block: its type, its visibility, its text.
#[derive(Debug, Clone)]
struct Block {
    kind: Option<&'static str>,
    visibility: Option<&'static str>,
    words: String,
}

#[derive(Debug, Clone)]
struct Turn {
    role: Option<&'static str>,
    whole: Option<&'static str>,
    blocks: Vec<Block>,
}

fn visibility() -> impl Strategy<Value = Option<&'static str>> {
    prop::option::of(prop::sample::select(vec![
        "public", "public", "internal", "private", "Public", "PUBLIC ", "", "everyone",
    ]))
}

fn block() -> impl Strategy<Value = Block> {
    let kinds = [
        "text",
        "output_text",
        "tool_call",
        "tool_result",
        "reasoning",
        "Thinking_Summary",
        "provider_payload",
        "private_reasoning",
        "chainOfThought",
        "provider payload",
        "analysis",
    ];
    (
        prop::option::of(prop::sample::select(kinds.to_vec())),
        visibility(),
        text(),
    )
        .prop_map(|(kind, visibility, words)| Block {
            kind,
            visibility,
            words,
        })
}

fn turn() -> impl Strategy<Value = Turn> {
    let role = prop::option::of(prop::sample::select(vec![
        "user",
        "assistant",
        "system",
        "tool_result",
    ]));
    let whole = prop_oneof![4 => Just(None), 1 => visibility()];
    (role, whole, prop::collection::vec(block(), 0..4)).prop_map(|(role, whole, blocks)| Turn {
        role,
        whole,
        blocks,
    })
}

impl Turn {
    /// Whether a block of the turn may be shown: all its visibility values are exactly `public`, and it is not reasoning. In a turn of
    /// the user, nothing is public by default next to the result of a tool.
    fn shows(&self, block: &Block) -> bool {
        let of_a_tool = block.kind.is_some_and(|kind| kind.starts_with("tool"));
        let mut kinds = self.blocks.iter().map(|block| block.kind);
        let answers = matches!(self.role, None | Some("user"))
            && kinds.any(|kind| kind == Some("tool_result"));
        let default = if self.role == Some("tool_result") || of_a_tool || answers {
            "internal"
        } else {
            "public"
        };
        let said = self
            .whole
            .filter(|word| *word != "public")
            .or(block.visibility)
            .unwrap_or(default);
        let kind = block.kind.unwrap_or("text").to_lowercase();
        said == "public"
            && !["reasoning", "thinking", "provider", "thought", "analysis"]
                .iter()
                .any(|word| kind.contains(word))
    }

    fn json(&self, dice: &mut Dice) -> Json {
        let blocks = self.blocks.iter().map(|block| {
            let words = if self.shows(block) {
                block.words.clone()
            } else {
                format!("{HIDDEN}{}", block.words)
            };
            object_without_null(
                dice,
                [
                    ("type", block.kind.map(Json::from)),
                    ("visibility", block.visibility.map(Json::from)),
                    ("text", Some(Json::from(words.as_str()))),
                    ("reasoning_content", Some(Json::from(HIDDEN))),
                ],
            )
        });
        let mut blocks: Vec<Json> = blocks.collect();
        // A single block may be written without a list.
        let content = if blocks.len() == 1 && dice.once_in(2) {
            blocks.remove(0)
        } else {
            Json::Array(blocks)
        };
        object_without_null(
            dice,
            [
                ("role", self.role.map(Json::from)),
                ("visibility", self.whole.map(Json::from)),
                ("content", Some(content)),
            ],
        )
    }
}

/// A null visibility does not mean public, so `None` must not be written as null.
fn object_without_null<const N: usize>(
    dice: &mut Dice,
    members: [(&str, Option<Json>); N],
) -> Json {
    let members = members
        .into_iter()
        .filter_map(|(key, value)| Some((key.to_owned(), value?)));
    let mut members: Vec<_> = members.collect();
    dice.shuffle(&mut members);
    Json::Object(members)
}

#[test]
fn exactly_the_public_blocks_of_a_transcript_are_taken_from_it() {
    let transcript = (
        prop::option::of(text()),
        prop::option::of(text()),
        prop::collection::vec(turn(), 0..5),
        any::<bool>(),
    );
    holds(
        400,
        &(transcript, dice()),
        |((id, state, turns, summary), mut dice)| {
            let messages: Vec<Json> = turns.iter().map(|turn| turn.json(&mut dice)).collect();
            let document = object(
                &mut dice,
                [
                    ("_type", Some(Json::from("transcript"))),
                    ("version", Some(Json::from(2_u64))),
                    ("id", id.as_deref().map(Json::from)),
                    ("state", state.as_deref().map(Json::from)),
                    ("summary", summary.then(|| Json::from(HIDDEN))),
                    ("messages", Some(Json::Array(messages))),
                ],
            );
            let text = document.write(&mut dice, false);
            let (read, problems) = parse(Source::file("t", text.as_bytes()));
            assert!(problems.is_empty(), "{problems:?} in {text}");
            let read = read.expect("a transcript");
            let roles: Vec<&str> = read
                .messages
                .iter()
                .map(|message| message.role.as_ref())
                .collect();
            assert_eq!(
                roles,
                turns
                    .iter()
                    .map(|turn| turn.role.unwrap_or("user"))
                    .collect::<Vec<_>>()
            );
            let counts: Vec<usize> = read
                .messages
                .iter()
                .map(|message| message.blocks.len())
                .collect();
            assert_eq!(
                counts,
                turns
                    .iter()
                    .map(|turn| turn.blocks.len())
                    .collect::<Vec<_>>()
            );

            let conversation = public(read);
            assert_eq!(
                (conversation.id.as_ref(), conversation.state.as_str()),
                (id.as_ref(), state.as_deref().unwrap_or("active"))
            );
            assert_eq!(conversation.summary_withheld, summary);
            let expected: Vec<Vec<String>> = turns
                .iter()
                .map(|turn| {
                    turn.blocks
                        .iter()
                        .filter(|block| turn.shows(block))
                        .map(|block| match block.kind {
                            Some(kind @ ("tool_call" | "tool_result")) => {
                                format!("{:?}", PartContent::Label(format!("<{kind}:tool>")))
                            }
                            _ => block.words.clone(),
                        })
                        .collect()
                })
                .filter(|blocks: &Vec<String>| !blocks.is_empty())
                .collect();
            let found: Vec<Vec<String>> = conversation
                .turns
                .iter()
                .map(|turn| {
                    turn.parts
                        .iter()
                        .map(|part| match &part.content {
                            PartContent::Text(words) => words.clone(),
                            content => format!("{content:?}"),
                        })
                        .collect()
                })
                .collect();
            assert_eq!(found, expected, "{text}");
            assert!(
                !format!("{conversation:?}").contains(HIDDEN),
                "{conversation:?}"
            );
        },
    );
}
