//! Reads a transcript and the files of its public assets.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::diagnostics::{Collector, Diagnostic, Place, Source, codes};

use crate::load::RunFiles;
use formats::model::FileDigest;
use formats::model::transcript::{
    self, AssetContent, AssetFile, InlineContent, asset_file, is_transcript,
};

use crate::rules;

use super::Inspection;

pub(super) fn conversation<'a>(
    files: &'a RunFiles,
    found: &mut Inspection<'a>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let Some(file) = &files.transcript else {
        return;
    };
    let source = Source::file(&file.shown, &file.bytes);
    let (parsed, problems) = formats::transcript::parse(source);
    diagnostics.extend(problems);
    let Some(parsed) = parsed else {
        return;
    };
    diagnostics.extend(rules::transcript::check(&file.shown, &parsed));
    let mut conversation = transcript::public(parsed);
    let mut problems = Collector::default();
    let mut read = BTreeMap::new();
    for asset in &mut conversation.assets {
        let place = Place::file(&file.shown).pointing(&asset.pointer);
        let found = match (std::mem::take(&mut asset.inline), &asset.path) {
            (InlineContent::Bytes(bytes), _) => AssetLookup::inline(bytes.into_owned()),
            (InlineContent::Withheld, _) => AssetLookup::Withheld(
                "its `data` is not a string",
                "Save its bytes as a file and set `storage.path` to it.",
            ),
            // Many assets may name the same file.
            (InlineContent::None, Some(path)) => read
                .entry(path.clone())
                .or_insert_with(|| AssetLookup::file(files, path, &place, &mut found.referenced))
                .clone(),
            (InlineContent::None, None) => continue,
        };
        match found {
            AssetLookup::File(shared) => asset.file = Some(shared),
            AssetLookup::Withheld(why, help) => {
                problems.add(&codes::TRANSCRIPT_ASSET_WITHHELD, || {
                    let message = format!("A public asset is not published: {why}");
                    codes::TRANSCRIPT_ASSET_WITHHELD.at(place, message, help)
                });
            }
            AssetLookup::Missing => problems.add(&codes::TRANSCRIPT_MISSING_ASSET, || {
                codes::TRANSCRIPT_MISSING_ASSET.at(
                    place,
                    "The file of a public asset is missing",
                    "Put the file where `storage.path` says, relative to the run directory.",
                )
            }),
            AssetLookup::Redacted => {}
            AssetLookup::Refused(problem) => {
                problems.add(problem.code, || Diagnostic { place, ..*problem });
            }
        }
    }
    for pointer in &conversation.missing_assets {
        problems.add(&codes::TRANSCRIPT_MISSING_ASSET, || {
            codes::TRANSCRIPT_MISSING_ASSET.at(
                Place::file(&file.shown).pointing(pointer),
                "A public block names an asset that is missing from `assets`",
                "Add the asset to `assets`.",
            )
        });
    }
    for pointer in &conversation.inline {
        problems.add(&codes::TRANSCRIPT_INLINE_CONTENT, || {
            codes::TRANSCRIPT_INLINE_CONTENT.at(
                Place::file(&file.shown).pointing(pointer),
                "A public block contains its file as base64, which is not published",
                "Save the bytes as a file, describe it in `assets`, and name it in the block with `asset_id`.",
            )
        });
    }
    diagnostics.extend(problems.finish(&file.shown));
    found.conversation = Some(conversation);
}

/// The result of looking for the file of an asset.
#[derive(Clone)]
enum AssetLookup {
    File(Arc<AssetFile>),
    /// It is not published: the reason and a fix.
    Withheld(&'static str, &'static str),
    Missing,
    /// A redaction withholds it as a whole.
    Redacted,
    Refused(Box<Diagnostic>),
}

const TRANSCRIPT: AssetLookup = AssetLookup::Withheld(
    "it is a transcript, which may contain private parts",
    "Remove the asset, or make it `internal`.",
);

impl AssetLookup {
    fn inline(bytes: Vec<u8>) -> Self {
        if is_transcript(&bytes) {
            return TRANSCRIPT;
        }
        let digest = blake3::hash(&bytes).to_hex();
        let is_text = std::str::from_utf8(&bytes).is_ok_and(|text| !text.contains('\0'));
        let file = asset_file(&bytes, is_text, &digest, AssetContent::Bytes(Vec::new()));
        Self::File(Arc::new(AssetFile {
            content: AssetContent::Bytes(bytes),
            ..file
        }))
    }

    fn file(files: &RunFiles, path: &str, place: &Place, referenced: &mut Vec<FileDigest>) -> Self {
        let asset = match files.asset(path, place) {
            Ok(Some(asset)) => asset,
            Ok(None) => return Self::Missing,
            Err(problem) => return Self::Refused(Box::new(problem)),
        };
        if asset.is_withheld {
            return Self::Redacted;
        }
        if asset.is_transcript {
            return TRANSCRIPT;
        }
        referenced.push(asset.digest.clone());
        Self::File(Arc::new(asset.into_file()))
    }
}
