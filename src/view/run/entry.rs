//! What a run says of itself: its showcase, and what its entry in a game jam had to differ from.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;

use crate::links;
use crate::markup::Html;
use crate::model::archive_context::ArchiveContext;
use crate::model::details::{self, Details, PriorEntry, Showcase};
use crate::model::transcript::AssetFile;
use crate::view::{Cell, format};

/// How a run presents itself.
#[derive(Debug, Serialize)]
pub struct ShowcaseView {
    /// Its description.
    pub html: Option<Html>,
    /// Pictures and recordings.
    pub media: Vec<MediaView>,
    /// How many more there are.
    pub more: Option<String>,
}

/// A picture or a recording.
#[derive(Debug, Serialize)]
pub struct MediaView {
    /// For people.
    pub name: String,
    /// Its kind.
    pub kind: Cell,
    /// Its file.
    pub file: Option<String>,
    /// The picture, where it is published.
    pub picture: Option<PictureView>,
}

/// A picture that the record declares.
#[derive(Debug, Clone, Serialize)]
pub struct PictureView {
    /// Its file beside the page.
    pub href: String,
    /// In CSS pixels, no higher than a page shows it.
    pub width: u16,
    /// In CSS pixels.
    pub height: u16,
}

/// Height of a picture in a section, in CSS pixels.
const HIGHEST: u16 = 240;

pub(super) fn picture(
    pictures: &BTreeMap<String, Arc<AssetFile>>,
    kind: Option<&str>,
    path: Option<&str>,
) -> Option<PictureView> {
    let file = pictures.get(path.filter(|_| kind == Some("image"))?)?;
    let size = file.size?.no_higher_than(HIGHEST);
    Some(PictureView {
        href: format!("assets/{}", file.name),
        width: size.width,
        height: size.height,
    })
}

/// Earlier entries of the same game jam.
#[derive(Debug, Serialize)]
pub struct GameJamView {
    /// Entries that the run had to differ from.
    pub prior: Vec<PriorView>,
    /// How many more there are.
    pub more: Option<String>,
}

/// An entry that the run had to differ from.
#[derive(Debug, Serialize)]
pub struct PriorView {
    /// The run that made it.
    pub run: Cell,
    /// Its page, where the archive has it.
    pub href: Option<String>,
    /// When it ended.
    pub finished: Cell,
}

/// Entries that are shown.
const PRIOR: usize = 50;
/// Media that are shown.
const MEDIA: usize = 100;

pub(super) fn showcase(
    pictures: &BTreeMap<String, Arc<AssetFile>>,
    showcase: &Showcase<'_>,
    html: Option<Html>,
) -> ShowcaseView {
    ShowcaseView {
        html,
        media: showcase
            .media
            .iter()
            .take(MEDIA)
            .map(|media| MediaView {
                name: details::name([&media.name, &media.file]),
                kind: format::text(media.kind.as_ref()),
                file: media.file.as_deref().map(str::to_owned),
                picture: picture(pictures, media.kind.as_deref(), media.file.as_deref()),
            })
            .collect(),
        more: format::more(showcase.media.len(), MEDIA, "file"),
    }
}

pub(super) fn game_jam(
    around: &ArchiveContext,
    root: &str,
    details: &Details<'_>,
) -> Option<GameJamView> {
    let entries = &details.game_jam_prior_entries;
    if entries.is_empty() {
        return None;
    }
    let view = |entry: &PriorEntry<'_>| {
        let found = entry
            .run_id
            .as_deref()
            .and_then(|id| around.named.get(id)?.as_ref());
        PriorView {
            run: format::text(entry.run_id.as_ref()),
            href: found.map(|slug| format!("{root}{}", links::run(slug))),
            finished: details::finished(entry).map_or_else(
                || Cell::unknown("not recorded"),
                |at| Cell::known(format::when(Some(&at)).text),
            ),
        }
    };
    Some(GameJamView {
        prior: entries.iter().take(PRIOR).map(view).collect(),
        more: format::more(entries.len(), PRIOR, "entry"),
    })
}
