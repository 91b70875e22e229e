//! Images and file contents that are kept next to a record with `--keep`, from the place of each event in the source.

use std::collections::BTreeMap;
use std::rc::Rc;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;

use super::draft::{Draft, EventContent, Origin};
use super::{ImportOptions, Keep, LogArchive, LogSource, raw_json};

/// A file next to the record that belongs to an event.
#[derive(Debug, PartialEq, Eq)]
pub enum Asset {
    /// An image, with the extension of its format.
    Image(Vec<u8>, &'static str),
    /// The content of a file.
    Text(String),
}

impl Asset {
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Image(bytes, _) => bytes,
            Self::Text(text) => text.as_bytes(),
        }
    }

    /// Its path in the run directory. No part of it comes from the log.
    pub fn path(&self) -> String {
        let extension = match self {
            Self::Image(_, extension) => extension,
            Self::Text(_) => "txt",
        };
        let digest = blake3::hash(self.bytes()).to_hex();
        format!("assets/{}.{extension}", &digest[..32])
    }
}

/// Maximum bytes of an asset.
const LARGEST: usize = 16 << 20;
/// Maximum bytes of all assets of a run.
const ALL: usize = 256 << 20;

/// Keys with the contents of an edited file.
const CONTENTS: [&str; 4] = ["originalFile", "old_content", "new_content", "file_text"];

/// Extracts assets from the places of the events, up to the limits.
pub(super) fn extract(draft: &mut Draft, source: &LogSource, options: &ImportOptions) {
    let (images, files) = (options.keeps(Keep::Images), options.keeps(Keep::Files));
    if !images && !files {
        return;
    }
    let mut places = Places {
        source,
        archive: None,
        text: None,
        document: None,
        taken: BTreeMap::new(),
    };
    let (mut left, mut kept_images, mut kept_files) = (ALL, 0, 0);
    let mut assets = Vec::new();
    for event in &mut draft.events {
        let position = draft.sources.get(event.source.file).copied();
        let Some(position) = position else { continue };
        let (count, wanted): (u64, Finder) = match &event.what {
            EventContent::Message { images: count, .. } if images => (*count, image_of),
            EventContent::ToolResult(result) if images => (result.images, image_of),
            EventContent::Edit { .. } if files => (u64::MAX, text_of),
            _ => continue,
        };
        if count == 0 {
            continue;
        }
        let is_edit = matches!(event.what, EventContent::Edit { .. });
        for asset in places.take(position, &event.source, count, wanted) {
            let size = asset.bytes().len();
            if size > LARGEST || size > left {
                continue;
            }
            left -= size;
            event.assets.push(assets.len());
            assets.push(asset);
        }
        let kept = event.assets.len() as u64;
        match &mut event.what {
            EventContent::Message { images, .. } => *images -= kept.min(*images),
            EventContent::ToolResult(result) => result.images -= kept.min(result.images),
            _ => {}
        }
        let all = if is_edit {
            &mut kept_files
        } else {
            &mut kept_images
        };
        *all += kept;
    }
    draft.assets = assets;
    for (what, kept) in [("images", kept_images), ("fileContents", kept_files)] {
        if let Some(count) = draft.withheld.get_mut(what) {
            *count -= kept.min(*count);
        }
    }
    draft.withheld.retain(|_, count| *count > 0);
}

/// Finds an asset in a value; gets its key, the value and the whole document.
type Finder = fn(&str, &Value, &Value) -> Option<Asset>;

/// The places of a source. Events come in the order of the log, so only the latest file and document are kept in memory.
struct Places<'s> {
    source: &'s LogSource,
    /// The archive of the latest member.
    archive: Option<LogArchive<'s>>,
    text: Option<LoadedText>,
    document: Option<(DocumentPlace, Rc<Value>)>,
    /// Number of assets at a place that belong to earlier events.
    taken: BTreeMap<(usize, Origin, bool), usize>,
}

/// A file, or a member of an archive.
struct LoadedText {
    position: usize,
    member: Option<String>,
    bytes: Vec<u8>,
    /// The end of each line.
    lines: Vec<usize>,
}

/// The file, member and line of a document.
type DocumentPlace = (usize, Option<String>, Option<u64>);

impl<'s> Places<'s> {
    /// Takes up to `count` assets at the place of an event that belong to no earlier event of the same place.
    fn take(&mut self, position: usize, origin: &Origin, count: u64, find: Finder) -> Vec<Asset> {
        let Some(document) = self.document(position, origin) else {
            return Vec::new();
        };
        // A row contains a message and its results; in a document the pointer identifies the event.
        let pointer = match origin.line {
            Some(_) => "",
            None => origin.pointer.as_deref().unwrap_or_default(),
        };
        let Some(value) = document.pointer(pointer) else {
            return Vec::new();
        };
        let mut found = Vec::new();
        walk("", value, &mut |key, value| {
            found.extend(find(key, value, &document));
        });
        let place = Origin {
            pointer: Some(pointer.to_owned()),
            id: None,
            ..origin.clone()
        };
        let is_text = matches!(found.first(), Some(Asset::Text(_)));
        let taken = self.taken.entry((position, place, is_text)).or_default();
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        let rest: Vec<Asset> = found.into_iter().skip(*taken).take(count).collect();
        *taken += rest.len();
        rest
    }

    /// The line, the member or the file of an event.
    fn document(&mut self, position: usize, origin: &Origin) -> Option<Rc<Value>> {
        let place = (position, origin.member.clone(), origin.line);
        if let Some((known, document)) = &self.document
            && *known == place
        {
            return Some(Rc::clone(document));
        }
        let text = self.text(position, origin.member.as_deref())?;
        let bytes = match origin.line {
            Some(line) => {
                let line = usize::try_from(line).ok()?.checked_sub(1)?;
                let start = match line.checked_sub(1) {
                    Some(before) => text.lines.get(before)? + 1,
                    None => 0,
                };
                let end = text.lines.get(line).copied();
                text.bytes.get(start..end.unwrap_or(text.bytes.len()))?
            }
            None => &text.bytes,
        };
        let document: Value = serde_json::from_str(&raw_json::text("", bytes).ok()?).ok()?;
        let document = Rc::new(document);
        self.document = Some((place, Rc::clone(&document)));
        Some(document)
    }

    fn text(&mut self, position: usize, member: Option<&str>) -> Option<&LoadedText> {
        let is_it =
            |text: &LoadedText| text.position == position && text.member.as_deref() == member;
        if !self.text.as_ref().is_some_and(is_it) {
            let bytes = match member {
                Some(member) => self.archive(position)?.read(member).ok()?,
                None => self.source.read(position).ok()?.bytes,
            };
            self.text = Some(LoadedText {
                position,
                member: member.map(str::to_owned),
                lines: memchr::memchr_iter(b'\n', &bytes).collect(),
                bytes,
            });
        }
        self.text.as_ref()
    }

    fn archive(&mut self, position: usize) -> Option<&LogArchive<'s>> {
        if self
            .archive
            .as_ref()
            .is_none_or(|archive| archive.position != position)
        {
            self.archive = Some(self.source.archive(position).ok()?);
        }
        self.archive.as_ref()
    }
}

fn walk(key: &str, value: &Value, each: &mut impl FnMut(&str, &Value)) {
    each(key, value);
    match value {
        Value::Array(items) => items.iter().for_each(|item| walk(key, item, each)),
        Value::Object(members) => members
            .iter()
            .for_each(|(key, value)| walk(key, value, each)),
        _ => {}
    }
}

/// An image: a data URI, an attachment that contains one, or base64 next to its media type.
fn image_of(_: &str, value: &Value, document: &Value) -> Option<Asset> {
    match value {
        Value::String(text) => {
            let text = match text.strip_prefix("attachment://") {
                Some(name) => attachment(document, name)?,
                None => text,
            };
            let (kind, data) = text.strip_prefix("data:image/")?.split_once(',')?;
            kind.ends_with(";base64").then(|| image(data)).flatten()
        }
        Value::Object(members) => {
            let kinds = ["media_type", "mediaType", "mime_type", "mimeType"];
            let kind = kinds.iter().find_map(|key| members.get(*key)?.as_str())?;
            let data = members.get("data")?.as_str()?;
            kind.starts_with("image/").then(|| image(data)).flatten()
        }
        _ => None,
    }
}

/// An Inspect attachment: of the sample that is the document, or of any sample in it.
fn attachment<'d>(document: &'d Value, name: &str) -> Option<&'d str> {
    let of = |sample: &'d Value| sample.get("attachments")?.get(name)?.as_str();
    let samples = document.get("samples").and_then(Value::as_array);
    of(document).or_else(|| samples.into_iter().flatten().find_map(of))
}

/// An image in base64. Its first bytes determine the type, not the log.
fn image(data: &str) -> Option<Asset> {
    if data.len() / 4 * 3 > LARGEST {
        return None;
    }
    let bytes = BASE64_STANDARD.decode(data.trim()).ok()?;
    let extension = match &*bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1A, b'\n', ..] => "png",
        [0xFF, 0xD8, 0xFF, ..] => "jpg",
        [b'G', b'I', b'F', b'8', ..] => "gif",
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
        ] => "webp",
        _ => return None,
    };
    Some(Asset::Image(bytes, extension))
}

fn text_of(key: &str, value: &Value, _: &Value) -> Option<Asset> {
    let text = value.as_str().filter(|text| !text.is_empty())?;
    CONTENTS
        .contains(&key)
        .then(|| Asset::Text(text.to_owned()))
}
