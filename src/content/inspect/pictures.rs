//! Reads the pictures declared in a record, and keeps files whose bytes are an image.

use std::sync::Arc;

use crate::load::{LoadedFile, RunFiles};
use crate::rules;
use base::diagnostics::text::quoted;
use base::diagnostics::{Collector, Diagnostic, Place, Source, codes};
use formats::config::Config;
use formats::model::details;
use formats::model::implementation::FOLDER;
use formats::model::transcript::AssetFile;
use formats::model::{FileDigest, is_plain_path};
use formats::run_record::{self, RunRecord};
use markup::markdown;

use super::Inspection;

/// Maximum number of pictures read per run; a record declares a few.
const PICTURES: usize = 40;

/// Reads the proofs and showcase media that are images, and the images in the description of the showcase. A file of another type is
/// named on the page but not published; a missing one is reported.
pub fn pictures(
    config: &Config,
    files: &RunFiles,
    record: &LoadedFile,
    details: &RunRecord<'_>,
    found: &mut Inspection<'_>,
) -> Vec<Diagnostic> {
    if !config.policy.publish_pictures {
        return Vec::new();
    }
    let is_image = |kind: &Option<_>| kind.as_deref() == Some("image");
    let proofs = details.validation.proofs.iter().enumerate();
    let proofs = proofs.filter(|(_, proof)| is_image(&proof.kind) && proof.present != Some(false));
    let proofs = proofs.filter_map(|(index, proof)| {
        let pointer = format!("/validation/proofs/{index}/dest");
        Some((false, proof.dest.as_deref()?.to_owned(), pointer))
    });
    let media = details.showcase.iter().flat_map(|showcase| &showcase.media);
    let media = media.enumerate().filter(|(_, media)| is_image(&media.kind));
    let media = media.filter_map(|(index, media)| {
        let pointer = format!("/showcase/media/{index}/file");
        Some((true, media.file.as_deref()?.to_owned(), pointer))
    });
    let described = details::description(details).map_or_else(Vec::new, markdown::images);
    let described = described
        .into_iter()
        .map(|path| (true, path, "/showcase/description".to_owned()));
    let mut missing = Vec::new();
    for (of_showcase, path, pointer) in proofs.chain(media).chain(described).take(PICTURES) {
        let pictures = if of_showcase {
            &mut found.pictures.showcase
        } else {
            &mut found.pictures.proofs
        };
        if pictures.contains_key(&path) {
            continue;
        }
        match picture(files, &path, of_showcase) {
            PictureLookup::Image(file, digest) => {
                pictures.insert(path, file);
                found.referenced.push(digest);
            }
            PictureLookup::Other => {}
            PictureLookup::Missing => missing.push((path, pointer)),
        }
    }
    missing_pictures(record, missing)
}

/// The result of looking for a declared picture.
enum PictureLookup {
    Image(Arc<AssetFile>, FileDigest),
    /// A file that is not published as a picture.
    Other,
    Missing,
}

/// Looks where Test Cabinet puts pictures first, then in the run directory and its `assets/` (formats.md A).
fn picture(files: &RunFiles, path: &str, of_showcase: bool) -> PictureLookup {
    let tree = if of_showcase {
        format!("{FOLDER}/showcase/{path}")
    } else {
        format!("{FOLDER}/{path}")
    };
    let below_assets = format!("assets/{path}");
    let place = Place::file(&files.directory.shown);
    let mut is_file = false;
    let found = [&*tree, path, &below_assets].into_iter().find_map(|path| {
        let read = files.picture(path, &place);
        is_file |= read.is_err() && is_plain_path(path);
        read.ok().flatten()
    });
    let Some(asset) = found else {
        return if is_file {
            PictureLookup::Other
        } else {
            PictureLookup::Missing
        };
    };
    if asset.is_transcript || asset.is_withheld {
        return PictureLookup::Other;
    }
    let digest = asset.digest.clone();
    let file = asset.into_file();
    if file.image && file.size.is_some() {
        PictureLookup::Image(Arc::new(file), digest)
    } else {
        PictureLookup::Other
    }
}

fn missing_pictures(record: &LoadedFile, missing: Vec<(String, String)>) -> Vec<Diagnostic> {
    if missing.is_empty() {
        return Vec::new();
    }
    let source = Source::file(&record.shown, &record.bytes);
    let (parsed, _) = run_record::parse(source);
    let mut problems = Collector::default();
    for (path, pointer) in missing {
        problems.add(&codes::RECORD_MISSING_PICTURE, || {
            let place = parsed.as_ref().map_or_else(
                || Place::file(&record.shown).pointing(&pointer),
                |parsed| rules::record::place(source, parsed, &pointer),
            );
            codes::RECORD_MISSING_PICTURE.at(
                place,
                format!("The picture {} is missing", quoted(&path)),
                if pointer.starts_with("/showcase") {
                    "Put the file into `implementation/showcase/`, or into `assets/` of the run directory."
                } else {
                    "Put the file at this path below `implementation/`, or into `assets/` of the run directory."
                },
            )
        });
    }
    problems.finish(&record.shown)
}
