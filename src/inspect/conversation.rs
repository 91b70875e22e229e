//! Reads a transcript and the files of its public assets.

use std::collections::BTreeSet;

use crate::config::Config;
use crate::diagnostics::{Collector, Diagnostic, Place, Source, codes};
use crate::discover::RunDirectory;
use crate::load::{self, Loaded, RunFiles};
use crate::{formats, model};

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
    let (transcript, problems) = formats::transcript::parse(source);
    diagnostics.extend(problems);
    let Some(transcript) = transcript else {
        return;
    };
    let mut conversation = model::transcript::public(transcript);
    let mut problems = Collector::default();
    let mut published = BTreeSet::new();
    for asset in &mut conversation.assets {
        let place = Place::file(&file.shown).pointing(&asset.pointer);
        let Some(path) = &asset.path else { continue };
        match load::asset(directory, path, place.clone(), &config.limits) {
            Ok(Some(loaded)) => {
                if published.insert(loaded.name.clone()) {
                    found.referenced.push(load::digest(&loaded));
                }
                let Loaded { bytes, digest, .. } = loaded;
                asset.file = Some(model::transcript::asset_file(bytes, &digest));
            }
            Ok(None) => problems.add(&codes::TRANSCRIPT_MISSING_ASSET, || {
                codes::TRANSCRIPT_MISSING_ASSET.at(
                    place,
                    "The file of a public asset is not there",
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
