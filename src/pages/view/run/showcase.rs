//! A run's own presentation: its showcase, and the game jam entries it had to differ from.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;

use crate::view::{Cell, discussion, format};
use base::links;
use formats::model::archive_context::ArchiveContext;
use formats::model::details::{self, PriorEntry, Showcase};
use formats::model::transcript::AssetFile;
use formats::run_record::RunRecord;
use markup::Html;

/// The showcase of a run.
#[derive(Debug, Serialize)]
pub struct ShowcaseView {
    /// Its description.
    pub html: Option<Html>,
    /// Images and recordings.
    pub media: Vec<MediaView>,
    /// Number of omitted ones.
    pub more: Option<String>,
}

/// An image or a recording.
#[derive(Debug, Serialize)]
pub struct MediaView {
    /// Display name.
    pub name: String,
    pub kind: Cell,
    pub file: Option<String>,
    /// The image, if it is published.
    pub picture: Option<PictureView>,
}

/// An image declared in the record.
#[derive(Debug, Clone, Serialize)]
pub struct PictureView {
    /// Its file, next to the page.
    pub href: String,
    /// Its width in CSS pixels, at the maximum height on a page.
    pub width: u16,
    /// Its height in CSS pixels.
    pub height: u16,
}

/// Maximum height of an image in a section, in CSS pixels.
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
    pub prior: Vec<PriorEntryView>,
    /// Number of omitted ones.
    pub more: Option<String>,
}

/// An entry that the run had to differ from.
#[derive(Debug, Serialize)]
pub struct PriorEntryView {
    pub run: Cell,
    /// Its page, if the archive has the run.
    pub href: Option<String>,
    /// When it ended.
    pub finished: Cell,
    pub readme: Option<Html>,
}

/// Maximum number of entries shown.
const PRIOR: usize = 50;
/// Maximum bytes of all READMEs of earlier entries on a page.
const READMES: usize = 64 * 1024;
/// Maximum number of media shown.
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
    context: &ArchiveContext,
    root: &str,
    details: &RunRecord<'_>,
    markdown: discussion::RenderMarkdown<'_>,
) -> Option<GameJamView> {
    let entries = &details.game_jam_prior_entries;
    if entries.is_empty() {
        return None;
    }
    let mut budget = READMES;
    let mut view = |index: usize, entry: &PriorEntry<'_>| {
        let found = entry
            .run_id
            .as_deref()
            .and_then(|id| context.named.get(id)?.as_ref());
        PriorEntryView {
            run: format::text(entry.run_id.as_ref()),
            href: found.map(|slug| format!("{root}{}", links::run(slug))),
            finished: details::finished(entry).map_or_else(
                || Cell::unknown("not recorded"),
                |at| Cell::known(format::when(Some(&at)).text),
            ),
            readme: entry
                .readme
                .as_deref()
                .filter(|text| !text.trim().is_empty())
                .map(|text| {
                    let shown = format::truncated(text, budget);
                    budget -= shown.len();
                    let scope = format!("j{index}");
                    if shown.len() == text.len() {
                        markdown(&scope, text)
                    } else {
                        let note = "(truncated; run.json has the full text)";
                        markdown(&scope, &format!("{shown}\n\n{note}"))
                    }
                }),
        }
    };
    Some(GameJamView {
        prior: entries
            .iter()
            .take(PRIOR)
            .enumerate()
            .map(|(index, entry)| view(index, entry))
            .collect(),
        more: format::more(entries.len(), PRIOR, "entry"),
    })
}
