//! Selects the public assets of a transcript, and detects their types.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;

use crate::json::{JsonKind, Node};
use crate::model::FileDigest;
use crate::private::{any_word, is_compaction_id, is_spelled, is_summary_kind, names_type_or_role};
use crate::transcript::TranscriptAsset;
use base::pictures::{self, ImageSize};

use super::WithheldCounts;
use super::quoted::TranscriptSearch;
use super::visibility::{PrivacyReason, stated_visibility};

#[derive(Debug)]
pub struct PublicAsset<'a> {
    pub id: String,
    /// `blob` or another word, as written.
    pub kind: String,
    pub name: String,
    /// Path of its file, relative to the run directory.
    pub path: Option<String>,
    /// Its inline content in the transcript.
    pub inline: InlineContent<'a>,
    /// JSON pointer to it in the transcript.
    pub pointer: String,
    /// Its file, once it is read and may be published; assets with the same file share it.
    pub file: Option<Arc<AssetFile>>,
}

/// The bytes of a public asset.
#[derive(Debug)]
pub struct AssetFile {
    /// Its name next to the run page: its BLAKE3, with the extension of its detected media type.
    pub name: String,
    /// Whether browsers show it as an image.
    pub image: bool,
    /// The image size, if its header has it.
    pub size: Option<ImageSize>,
    pub content: AssetContent,
}

#[derive(Debug)]
pub enum AssetContent {
    /// Bytes from the transcript.
    Bytes(Vec<u8>),
    /// A file of the run directory.
    File(FileDigest),
}

/// The inline content of an asset, under `data`.
#[derive(Debug, Default)]
pub enum InlineContent<'a> {
    #[default]
    None,
    Bytes(Cow<'a, [u8]>),
    /// An object, an array or a number: its content is unknown, so it is withheld.
    Withheld,
}

impl AssetFile {
    /// Its size in bytes.
    pub fn bytes(&self) -> u64 {
        match &self.content {
            AssetContent::Bytes(bytes) => bytes.len() as u64,
            AssetContent::File(digest) => digest.published_bytes(),
        }
    }
}

/// The public assets; the others are counted. An asset with a duplicate id replaces the earlier one and moves to the end.
pub(super) fn public<'a>(
    assets: Vec<TranscriptAsset<'a>>,
    withheld: &mut WithheldCounts,
) -> Vec<PublicAsset<'a>> {
    let mut seen = BTreeSet::new();
    let mut last: Vec<TranscriptAsset<'_>> = assets
        .into_iter()
        .rev()
        .filter(|asset| asset.id.is_empty() || seen.insert(asset.id.clone()))
        .collect();
    last.reverse();
    last.retain(|asset| match disclosed(asset) {
        Ok(()) => true,
        Err(hidden) => {
            hidden.count(withheld);
            false
        }
    });
    last.into_iter().map(public_asset).collect()
}

/// Whether an asset is public, or why not. A compaction snapshot embeds the whole earlier transcript, including private events.
fn disclosed(asset: &TranscriptAsset<'_>) -> Result<(), PrivacyReason> {
    let members = asset.node.members();
    let is_id = |key: &str| is_spelled(key, "id");
    if any_word(&members, names_type_or_role, is_summary_kind)
        || any_word(&members, is_id, is_compaction_id)
    {
        return Err(PrivacyReason::Private);
    }
    stated_visibility(&members).unwrap_or(Err(PrivacyReason::Internal))
}

fn public_asset(asset: TranscriptAsset<'_>) -> PublicAsset<'_> {
    let name = match &asset.name {
        Some(name) => name.as_ref(),
        None if asset.id.is_empty() => "asset",
        None => &asset.id,
    };
    PublicAsset {
        name: name.to_owned(),
        kind: asset.kind.into_owned(),
        id: asset.id.into_owned(),
        inline: match &asset.path {
            Some(_) => InlineContent::None,
            None => inline(asset.node),
        },
        path: asset.path.map(Cow::into_owned),
        pointer: asset.pointer,
        file: None,
    }
}

/// The bytes under `data`: decoded from a `data:` URL, or from base64 if the media type is not text; else the text itself.
fn inline(asset: Node<'_>) -> InlineContent<'_> {
    let Some(data) = asset
        .get("data")
        .filter(|data| data.kind() != JsonKind::Null)
    else {
        return InlineContent::None;
    };
    let Some(text) = data.as_str().filter(|_| data.kind() == JsonKind::String) else {
        return InlineContent::Withheld;
    };
    let media_type = asset.get_str("mime_type");
    let is_text = media_type.is_none_or(|media_type| {
        media_type.starts_with("text/") || media_type.contains("json") || media_type.contains("xml")
    });
    let address = text
        .strip_prefix("data:")
        .and_then(|rest| rest.split_once(','));
    let encoded = match address {
        Some((kind, body)) if kind.ends_with(";base64") => Some(body),
        _ => (!is_text).then_some(text.as_ref()),
    };
    let bytes = encoded.and_then(|encoded| base64(encoded.as_bytes()));
    InlineContent::Bytes(match (bytes, text) {
        (Some(bytes), _) => Cow::Owned(bytes),
        (None, Cow::Borrowed(text)) => Cow::Borrowed(text.as_bytes()),
        (None, Cow::Owned(text)) => Cow::Owned(text.into_bytes()),
    })
}

/// Whether bytes are a transcript, or a document of Harn that embeds one, with more than the public part. The text of a URL, or
/// of base64 that is published undecoded, is also checked decoded.
pub fn is_transcript(bytes: &[u8]) -> bool {
    let found = |bytes: &[u8]| {
        let mut search = TranscriptSearch::default();
        search.read(bytes);
        search.found()
    };
    let is_address = bytes
        .get(..5)
        .is_some_and(|head| head.eq_ignore_ascii_case(b"data:"));
    let body = match bytes.iter().position(|byte| *byte == b',') {
        Some(comma) if is_address => &bytes[comma + 1..],
        _ => bytes,
    };
    found(bytes)
        || (is_address && found(&percent_encoding::percent_decode(body).collect::<Vec<u8>>()))
        || base64(body).is_some_and(|bytes| found(&bytes))
}

/// Decodes base64, ignoring white space.
fn base64(text: &[u8]) -> Option<Vec<u8>> {
    let text: Vec<u8> = text
        .iter()
        .copied()
        .filter(|byte| !byte.is_ascii_whitespace())
        .collect();
    BASE64_STANDARD.decode(text).ok()
}

/// Names a file by its actual type, detected from its first bytes and whether all of it is text. Only images that cannot run
/// scripts are shown as images; text of any kind, including SVG and HTML, is published as plain text.
pub fn asset_file(head: &[u8], is_text: bool, digest: &str, content: AssetContent) -> AssetFile {
    let (ending, image) = match head {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => ("png", true),
        [0xff, 0xd8, 0xff, ..] => ("jpg", true),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => ("gif", true),
        _ if head.starts_with(b"RIFF") && head.get(8..12) == Some(&b"WEBP"[..]) => ("webp", true),
        _ if is_text => ("txt", false),
        _ => ("bin", false),
    };
    AssetFile {
        name: format!("{}.{ending}", digest.get(..16).unwrap_or(digest)),
        image,
        size: if image { pictures::size(head) } else { None },
        content,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_by_what_it_is() {
        let named = |bytes: &[u8]| {
            let is_text = std::str::from_utf8(bytes).is_ok();
            let content = AssetContent::Bytes(bytes.to_vec());
            let file = asset_file(bytes, is_text, "0123456789abcdef0123", content);
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

    #[test]
    fn the_data_of_an_asset_is_decoded_where_it_is_encoded() {
        let held = |asset: &str| match inline(Node::parse(asset).expect("JSON")) {
            InlineContent::None => "nothing".to_owned(),
            InlineContent::Withheld => "withheld".to_owned(),
            InlineContent::Bytes(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        };
        for (asset, bytes) in [
            (r#"{"mime_type":"image/png","data":"aGVs\nbG8="}"#, "hello"),
            (r#"{"data":"data:image/png;base64,aGVsbG8="}"#, "hello"),
            (
                r#"{"mime_type":"text/plain","data":"aGVsbG8="}"#,
                "aGVsbG8=",
            ),
            (r#"{"mime_type":"application/json","data":"true"}"#, "true"),
            (
                r#"{"mime_type":"image/png","data":"not base64!"}"#,
                "not base64!",
            ),
            (r#"{"data":"a\u0062"}"#, "ab"),
            (r#"{"data":null}"#, "nothing"),
            (r#"{"data":["a"]}"#, "withheld"),
            (r#""path""#, "nothing"),
        ] {
            assert_eq!(held(asset), bytes, "{asset}");
        }
    }
}
