//! Reads the pictures declared in a record, and keeps files whose bytes are an image.

use std::sync::Arc;

use crate::config::Config;
use crate::diagnostics::Place;
use crate::load::Beside;
use crate::model::details::Details;
use crate::model::transcript::{AssetContent, asset_file};

use super::Inspected;

/// Maximum number of pictures read per run; a record declares a few.
const PICTURES: usize = 40;

/// Reads the proofs and showcase media that are images. A path to a missing file, out of the run directory or to another type is
/// named on the page but not published: the record may have the path on another machine.
pub fn pictures(
    config: &Config,
    beside: Beside<'_>,
    details: &Details<'_>,
    found: &mut Inspected<'_>,
) {
    if !config.policy.publish_pictures {
        return;
    }
    let is_image = |kind: &Option<_>| kind.as_deref() == Some("image");
    let proofs = details.validation.proofs.iter();
    let proofs = proofs.filter(|proof| is_image(&proof.kind) && proof.present != Some(false));
    let media = details.showcase.iter().flat_map(|showcase| &showcase.media);
    let media = media.filter(|media| is_image(&media.kind));
    let declared = proofs
        .filter_map(|proof| proof.dest.as_deref())
        .chain(media.filter_map(|media| media.file.as_deref()));
    let place = Place::file(&beside.directory.shown);
    for path in declared.take(PICTURES) {
        let below_assets = format!("assets/{path}");
        let file = [path, &below_assets]
            .into_iter()
            .find_map(|path| beside.asset(path, &place).ok().flatten());
        let Some(asset) = file.filter(|asset| !asset.is_transcript && !asset.is_withheld) else {
            continue;
        };
        let digest = asset.digest.published_blake3().to_owned();
        let content = match asset.rewritten {
            Some(bytes) => AssetContent::Held(bytes),
            None => AssetContent::File(asset.digest.clone()),
        };
        let file = asset_file(&asset.head, asset.is_text, &digest, content);
        if file.image && file.size.is_some() {
            found.referenced.push(asset.digest);
            found.pictures.insert(path.to_owned(), Arc::new(file));
        }
    }
}
