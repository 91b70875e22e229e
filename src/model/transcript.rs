//! Knows what of a transcript is public: turns, assets, and how much is held back.

use std::collections::BTreeSet;

use crate::formats::json::{Kind, Node};
use crate::formats::transcript::{Asset, Block, Transcript};
use crate::pictures::{self, Size};

use super::Verbatim;

/// The public part of a transcript.
#[derive(Debug)]
pub struct Conversation<'a> {
    /// The transcript's id.
    pub id: Option<String>,
    /// `active`, `archived`, `forked`, `abandoned`, as written.
    pub state: String,
    /// Turns with at least one public block, in reading order.
    pub turns: Vec<Turn<'a>>,
    /// Public events that are no turn, in the order of the file.
    pub asides: Vec<Aside>,
    /// Public assets, in order.
    pub assets: Vec<PublicAsset<'a>>,
    /// Blocks that are not published.
    pub withheld: Withheld,
    /// Events that are not published.
    pub withheld_events: Withheld,
    /// JSON pointers of public blocks whose asset the transcript does not describe.
    pub undescribed: Vec<String>,
    /// Whether a summary of earlier turns is held back; it may restate what is private.
    pub summary_withheld: bool,
}

/// A public event that is no turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Aside {
    /// `plan`, `system_reminder`, ...
    pub kind: String,
    /// Who it is of; may be empty.
    pub role: String,
    /// What it says; may be empty.
    pub text: String,
}

/// How many blocks, or events, are held back.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Withheld {
    /// Visibility `internal`.
    pub internal: usize,
    /// Visibility `private`, any that is not known, and reasoning of any visibility.
    pub private: usize,
}

/// A turn.
#[derive(Debug)]
pub struct Turn<'a> {
    /// Who speaks.
    pub role: String,
    /// Its public blocks.
    pub parts: Vec<Part<'a>>,
}

/// A public block.
#[derive(Debug)]
pub struct Part<'a> {
    /// As written.
    pub verbatim: Verbatim<'a>,
    /// What it says.
    pub content: Content,
    /// JSON pointer to it in the transcript.
    pub pointer: String,
}

/// What a public block says.
#[derive(Debug, PartialEq, Eq)]
pub enum Content {
    /// Plain words.
    Text(String),
    /// Something that stands in an asset: its id and a label.
    Asset {
        /// Id of the asset.
        id: String,
        /// A name for it.
        label: String,
    },
    /// Anything else, by Harn's own short form: `<tool_call:search>`.
    Label(String),
}

/// A public asset.
#[derive(Debug)]
pub struct PublicAsset<'a> {
    /// Its id.
    pub id: String,
    /// A name for it.
    pub name: String,
    /// Where its bytes stand, relative to the run directory.
    pub path: Option<String>,
    /// As written.
    pub verbatim: Verbatim<'a>,
    /// JSON pointer to it in the transcript.
    pub pointer: String,
    /// Its file, once it was read and may be published.
    pub file: Option<AssetFile>,
}

/// The bytes of a public asset.
#[derive(Debug)]
pub struct AssetFile {
    /// The name it gets beside the run's page: its BLAKE3 and the ending of its real media type.
    pub name: String,
    /// Whether browsers show it as a picture.
    pub image: bool,
    /// How large the picture is, when its header says so.
    pub size: Option<Size>,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// Whether a block type is reasoning or a provider's payload: never published, whatever its visibility says and
/// however it is spelt. The set of types is open, so words decide.
fn is_never_public(kind: &str) -> bool {
    let kind = kind.to_ascii_lowercase();
    [
        "reasoning",
        "thinking",
        "provider_payload",
        "provider-payload",
        "unknown",
    ]
    .iter()
    .any(|word| kind.contains(word))
}

/// Takes the public part of a transcript.
#[must_use]
pub fn public(transcript: Transcript<'_>) -> Conversation<'_> {
    let mut withheld = Withheld::default();
    let turns: Vec<Turn<'_>> = transcript
        .messages
        .into_iter()
        .map(|message| {
            let blocks = message.blocks.into_iter();
            let parts = blocks
                .filter(|block| is_public(block, &mut withheld))
                .map(part)
                .collect();
            Turn {
                role: message.role.into_owned(),
                parts,
            }
        })
        .filter(|turn| !turn.parts.is_empty())
        .collect();
    let mut withheld_events = Withheld::default();
    let asides = transcript
        .events
        .into_iter()
        .filter(|event| {
            let (kind, visibility) = (&event.kind, &event.visibility);
            is_shown(kind, visibility, event.node, &mut withheld_events)
        })
        .map(|event| Aside {
            kind: event.kind.into_owned(),
            role: event.role.into_owned(),
            text: event.text.into_owned(),
        })
        .collect();
    let described: BTreeSet<String> = transcript
        .assets
        .iter()
        .map(|asset| asset.id.to_string())
        .collect();
    let undescribed = turns
        .iter()
        .flat_map(|turn| &turn.parts)
        .filter(
            |part| matches!(&part.content, Content::Asset { id, .. } if !described.contains(id)),
        )
        .map(|part| part.pointer.clone())
        .collect();
    // An asset with a known id replaces the earlier one and moves to the end.
    let mut assets: Vec<PublicAsset<'_>> = Vec::new();
    for asset in transcript.assets {
        assets.retain(|known| known.id.is_empty() || known.id != asset.id);
        // The snapshot of a compaction embeds the whole earlier transcript, private events included.
        if asset.visibility == "public" && asset.kind != "compaction_source_transcript" {
            assets.push(public_asset(asset));
        }
    }
    Conversation {
        id: transcript.id.map(std::borrow::Cow::into_owned),
        state: transcript
            .state
            .map_or_else(|| "active".to_owned(), std::borrow::Cow::into_owned),
        turns,
        asides,
        assets,
        withheld,
        withheld_events,
        undescribed,
        summary_withheld: transcript.has_summary,
    }
}

fn is_public(block: &Block<'_>, withheld: &mut Withheld) -> bool {
    is_shown(&block.kind, &block.visibility, block.node, withheld)
}

fn is_shown(kind: &str, visibility: &str, node: Node<'_>, withheld: &mut Withheld) -> bool {
    match visibility {
        "public" if !is_never_public(kind) && !holds_hidden(node, 0) => return true,
        "internal" if !is_never_public(kind) => withheld.internal += 1,
        _ => withheld.private += 1,
    }
    false
}

/// Whether something inside a public block is not public itself. What is nested too deeply to be looked at counts
/// as hidden.
fn holds_hidden(node: Node<'_>, depth: usize) -> bool {
    const DEPTH: usize = 32;
    if depth > DEPTH {
        return true;
    }
    match node.kind() {
        Kind::Object => node.members().into_iter().any(|member| {
            let text = member.value.as_str();
            let hidden = match member.key.as_ref() {
                "visibility" => text.as_deref() != Some("public"),
                "type" | "kind" => text.as_deref().is_none_or(is_never_public),
                _ => false,
            };
            hidden || holds_hidden(member.value, depth + 1)
        }),
        Kind::Array => node
            .items()
            .into_iter()
            .any(|item| holds_hidden(item, depth + 1)),
        _ => false,
    }
}

fn part(block: Block<'_>) -> Part<'_> {
    let node = block.node;
    let text = |key: &str| Some(node.get(key)?.as_str()?.into_owned());
    let label = || {
        let named = ["name", "title", "path", "asset_id"]
            .iter()
            .find_map(|key| text(key));
        named.unwrap_or_else(|| block.kind.to_string())
    };
    let content = match block.kind.as_ref() {
        "text" | "output_text" => Content::Text(words(node)),
        "image" | "input_image" | "file" | "document" | "attachment" => {
            let short = if block.kind == "input_image" {
                "image"
            } else {
                &block.kind
            };
            match text("asset_id") {
                Some(id) => Content::Asset { id, label: label() },
                None => Content::Label(format!("<{short}:{}>", label())),
            }
        }
        "tool_call" => Content::Label(format!("<tool_call:{}>", text("name").unwrap_or_default())),
        "tool_result" => {
            let name = text("name").or_else(|| text("tool_use_id"));
            Content::Label(format!("<tool_result:{}>", name.unwrap_or_default()))
        }
        other => Content::Label(format!("<{other}>")),
    };
    Part {
        verbatim: Verbatim(node.raw),
        content,
        pointer: block.pointer,
    }
}

/// The words of a text block: `text` or `content`, or the value itself when it is not an object.
fn words(node: Node<'_>) -> String {
    let value = match node.kind() {
        Kind::Object => node.get("text").or_else(|| node.get("content")),
        _ => Some(node),
    };
    value.map_or_else(String::new, |value| {
        value
            .as_str()
            .map_or_else(|| value.raw.to_owned(), std::borrow::Cow::into_owned)
    })
}

fn public_asset(asset: Asset<'_>) -> PublicAsset<'_> {
    let name = asset
        .name
        .as_deref()
        .unwrap_or_else(|| {
            if asset.id.is_empty() {
                "asset"
            } else {
                &asset.id
            }
        })
        .to_owned();
    PublicAsset {
        id: asset.id.into_owned(),
        name,
        path: asset.path.map(std::borrow::Cow::into_owned),
        verbatim: Verbatim(asset.node.raw),
        pointer: asset.pointer,
        file: None,
    }
}

/// Names a file by what it really is. Only pictures that cannot run anything are shown as pictures; text of
/// any kind, SVG and HTML among it, is published as plain text.
#[must_use]
pub fn asset_file(bytes: Vec<u8>, digest: &str) -> AssetFile {
    let (ending, image) = match bytes.as_slice() {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => ("png", true),
        [0xff, 0xd8, 0xff, ..] => ("jpg", true),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => ("gif", true),
        [
            b'R',
            b'I',
            b'F',
            b'F',
            _,
            _,
            _,
            _,
            b'W',
            b'E',
            b'B',
            b'P',
            ..,
        ] => ("webp", true),
        text if std::str::from_utf8(text).is_ok_and(|text| !text.contains('\0')) => ("txt", false),
        _ => ("bin", false),
    };
    AssetFile {
        name: format!("{}.{ending}", digest.get(..16).unwrap_or(digest)),
        image,
        size: if image { pictures::size(&bytes) } else { None },
        bytes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostics::Source;
    use crate::formats::transcript::parse;

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
            {"role":"tool_result","content":"held back"}, {"role":"assistant","content":null}]}"#;
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
        let words = |text: &str| Content::Text(text.to_owned());
        assert_eq!(
            said,
            [
                ("user", vec![&words("plain")]),
                ("assistant", vec![&words("one block")]),
                (
                    "assistant",
                    vec![&words("bare"), &words("c"), &words("null")]
                ),
            ]
        );
        assert_eq!(
            conversation.withheld,
            Withheld {
                internal: 1,
                private: 0
            }
        );
        assert_eq!(conversation.state, "active");
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
            Content::Label("<tool_call:search>".to_owned())
        );
        assert_eq!(
            conversation.withheld,
            Withheld {
                internal: 2,
                private: 3
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
            {"type":"note","visibility":"public","inner":{"type":"reasoning","text":"x"}},
            {"type":"text","visibility":null,"text":"x"}, {"type":"text","visibility":3,"text":"x"},
            {"type":"image","visibility":"public","asset_id":"nobody"}]}]}"#;
        let conversation = conversation(text);
        assert_eq!(
            conversation.withheld,
            Withheld {
                internal: 0,
                private: 4
            }
        );
        assert_eq!(conversation.undescribed, ["/messages/0/content/4"]);
    }

    #[test]
    fn a_file_is_named_by_what_it_is() {
        let named = |bytes: &[u8]| {
            let file = asset_file(bytes.to_vec(), "0123456789abcdef0123");
            (file.name, file.image)
        };
        assert_eq!(
            named(b"\x89PNG\r\n\x1a\n..."),
            ("0123456789abcdef.png".to_owned(), true)
        );
        assert_eq!(
            named(b"<svg onload=alert(1)>"),
            ("0123456789abcdef.txt".to_owned(), false)
        );
        assert_eq!(
            named(&[0, 159, 146, 150]),
            ("0123456789abcdef.bin".to_owned(), false)
        );
    }
}
