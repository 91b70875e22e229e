//! Reads a transcript and the files of its public assets.

use std::collections::BTreeSet;

use crate::config::Config;
use crate::diagnostics::{Collector, Diagnostic, Place, Source, codes};
use crate::discover::RunDirectory;
use crate::formats;
use crate::load::{self, Loaded, RunFiles};
use crate::model::transcript::{self, Inline, asset_file, is_transcript};

use super::Inspected;

pub(super) fn conversation<'a>(
    config: &Config,
    directory: &RunDirectory,
    files: &'a RunFiles,
    found: &mut Inspected<'a>,
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
    let mut conversation = transcript::public(parsed);
    let mut problems = Collector::default();
    let mut published = BTreeSet::new();
    for asset in &mut conversation.assets {
        let place = Place::file(&file.shown).pointing(&asset.pointer);
        let loaded = match std::mem::take(&mut asset.inline) {
            Inline::Bytes(bytes) => Ok(Some(Loaded::new(
                String::new(),
                file.shown.clone(),
                bytes.into_owned(),
            ))),
            Inline::Withheld => {
                problems.add(&codes::TRANSCRIPT_ASSET_WITHHELD, || {
                    withheld(
                        place,
                        "its `data` is not a string",
                        "Write its bytes into a file and name the file in `storage.path`.",
                    )
                });
                continue;
            }
            Inline::None => match &asset.path {
                Some(path) => load::asset(directory, path, place.clone(), &config.limits),
                None => continue,
            },
        };
        match loaded {
            Ok(Some(loaded)) if is_transcript(&loaded.bytes) => {
                problems.add(&codes::TRANSCRIPT_ASSET_WITHHELD, || {
                    withheld(
                        place,
                        "it is a transcript, which may hold what is private",
                        "Remove the asset, or make it `internal`.",
                    )
                });
            }
            Ok(Some(loaded)) => {
                if asset.path.is_some() && published.insert(loaded.name.clone()) {
                    found.referenced.push(load::digest(&loaded));
                }
                let Loaded { bytes, digest, .. } = loaded;
                asset.file = Some(asset_file(bytes, &digest));
            }
            Ok(None) => problems.add(&codes::TRANSCRIPT_MISSING_ASSET, || {
                codes::TRANSCRIPT_MISSING_ASSET.at(
                    place,
                    "The file of a public asset is missing",
                    "Put the file where `storage.path` says, relative to the run directory.",
                )
            }),
            Err(problem) => problems.push(problem),
        }
    }
    for pointer in &conversation.undescribed {
        problems.add(&codes::TRANSCRIPT_MISSING_ASSET, || {
            codes::TRANSCRIPT_MISSING_ASSET.at(
                Place::file(&file.shown).pointing(pointer),
                "A public block names an asset that the transcript does not describe",
                "Add the asset to `assets`.",
            )
        });
    }
    diagnostics.extend(problems.finish(&file.shown));
    found.conversation = Some(conversation);
}

fn withheld(place: Place, why: &str, help: &str) -> Diagnostic {
    let message = format!("A public asset is not published: {why}");
    codes::TRANSCRIPT_ASSET_WITHHELD.at(place, message, help)
}
