//! (edge) Reads transcript assets in chunks, and twice: first to detect their type, then to copy them to the site. Memory use
//! does not depend on their size, or on how often they are named.

use std::io::{self, Read};
use std::path::Path;

use super::chunks::{CHANGED, CHUNK, FileReader, LoadError};
use super::file_access::{self, SizeLimit, is_hidden};
use super::open;
use super::run_files::{RunFiles, is_reserved};
use base::diagnostics::{Diagnostic, Place, codes};
use base::files::OpenFile;
use formats::model::implementation::FOLDER;
use formats::model::transcript::{AssetContent, AssetFile, TranscriptSearch, asset_file};
use formats::model::{FileDigest, is_plain_path};

/// Bytes kept from the start of an asset, which include an image header.
const HEAD: usize = 1 << 20;

/// An asset of a transcript, or a picture of a record.
#[derive(Debug)]
pub struct LoadedAsset {
    /// Its path below the run directory, its size and its digest.
    pub digest: FileDigest,
    /// Its first bytes.
    pub head: Vec<u8>,
    /// Whether it is text: UTF-8 without a NUL.
    pub is_text: bool,
    /// Whether it contains a transcript.
    pub is_transcript: bool,
    /// Whether it is withheld as a whole.
    pub is_withheld: bool,
    /// The published bytes, if parts of it are withheld.
    pub rewritten: Option<Vec<u8>>,
}

impl LoadedAsset {
    /// The asset as it is published. Unchanged files are copied later.
    pub fn into_file(self) -> AssetFile {
        let digest = self.digest.published_blake3().to_owned();
        let content = match self.rewritten {
            Some(bytes) => AssetContent::Bytes(bytes),
            None => AssetContent::File(self.digest),
        };
        asset_file(&self.head, self.is_text, &digest, content)
    }
}

impl RunFiles {
    /// Reads an asset named in a transcript, relative to the run directory. `Ok(None)` if missing.
    ///
    /// # Errors
    /// The path leads out of the run directory, or the file cannot be read or is too large. The message does not quote the path,
    /// because it comes from a transcript.
    pub fn asset(&self, path: &str, place: &Place) -> Result<Option<LoadedAsset>, Diagnostic> {
        if Path::new(path).starts_with(FOLDER) {
            return Err(asset_problem(
                LoadError::Withheld,
                SizeLimit::file(&self.limits),
                place,
            ));
        }
        self.picture(path, place)
    }

    /// Reads a picture that a record declares, relative to the run directory: like an asset, but it may lie in `implementation/`.
    /// `Ok(None)` if missing.
    pub fn picture(&self, path: &str, place: &Place) -> Result<Option<LoadedAsset>, Diagnostic> {
        let limit = SizeLimit::file(&self.limits);
        let refused = |fault| asset_problem(fault, limit, place);
        let Some(opened) = self.open_asset(path, limit).map_err(refused)? else {
            return Ok(None);
        };
        let linked = opened.linked.as_deref().map(Path::to_string_lossy);
        let mut scan = AssetScan::default();
        if let Some(withheld) = self.redactions.file(linked.as_deref().unwrap_or(path)) {
            scan.push(&withheld.bytes);
            return Ok(Some(LoadedAsset {
                is_text: scan.is_text(),
                is_transcript: scan.transcript.found(),
                is_withheld: withheld.whole,
                digest: withheld.digest.clone(),
                head: scan.head,
                rewritten: Some(withheld.bytes.clone()),
            }));
        }
        // One more byte detects a file that has grown.
        let mut file = opened.file.take(limit.bytes.saturating_add(1));
        if self.redactions.has_secrets() {
            let mut bytes = Vec::new();
            let read = file.read_to_end(&mut bytes);
            read.map_err(|error| refused(error.into()))?;
            self.check_secrets(path, &bytes)?;
            scan.push(&bytes);
        } else {
            scan.read(file).map_err(|error| refused(error.into()))?;
        }
        let bytes = scan.hasher.count();
        if bytes > limit.bytes {
            return Err(refused(LoadError::TooLarge(bytes)));
        }
        let blake3 = scan.hasher.finalize().to_hex().to_string();
        Ok(Some(LoadedAsset {
            is_text: scan.is_text(),
            is_transcript: scan.transcript.found(),
            is_withheld: self.redactions.is_withheld_copy(&blake3),
            digest: FileDigest {
                path: path.to_owned(),
                bytes,
                blake3,
                published: None,
            },
            head: scan.head,
            rewritten: None,
        }))
    }

    /// Opens an asset again, to copy it unchanged.
    pub fn asset_reader<'a>(
        &'a self,
        expected: &'a FileDigest,
    ) -> Result<FileReader<'a>, Diagnostic> {
        let place = Place::file(&self.directory.shown);
        let changed = failed(&place, CHANGED);
        if let Some(withheld) = self.redactions.file(&expected.path) {
            return Ok(FileReader::new(&*withheld.bytes, expected, changed));
        }
        let limit = SizeLimit::file(&self.limits);
        match self.open_asset(&expected.path, limit) {
            Ok(Some(opened)) => Ok(FileReader::new(opened.file, expected, changed)),
            Ok(None) => Err(changed),
            Err(fault) => Err(asset_problem(fault, limit, &place)),
        }
    }

    fn open_asset(&self, path: &str, limit: SizeLimit) -> Result<Option<OpenFile>, LoadError> {
        if !is_plain_path(path) {
            return Err(LoadError::Outside);
        }
        let run = open(&self.directory)?;
        let below = Path::new(path);
        // A link in `implementation/` must not lead to another part of the run, such as its transcript.
        let is_of_tree = below.starts_with(FOLDER) && below != Path::new(FOLDER);
        let allows = |at: &Path| {
            if is_of_tree {
                at.starts_with(FOLDER)
            } else {
                !is_reserved(&run, at)
            }
        };
        if is_hidden(below) || !allows(below) {
            return Err(LoadError::Withheld);
        }
        match file_access::open(&run, below, limit, &allows) {
            Err(LoadError::Dangling) => Ok(None),
            opened => opened,
        }
    }
}

/// The problem of an asset that cannot be read.
fn asset_problem(fault: LoadError, limit: SizeLimit, place: &Place) -> Diagnostic {
    match fault {
        LoadError::Outside => codes::TRANSCRIPT_ASSET_OUTSIDE.at(
            place.clone(),
            "The path of the asset is outside the run directory",
            "Write a path inside the run directory, without `..`.",
        ),
        LoadError::Withheld => codes::TRANSCRIPT_ASSET_OUTSIDE.at(
            place.clone(),
            "The asset is a hidden file, or a file that the run publishes under its own name or never publishes",
            "Put assets into a separate folder, for example `assets/`.",
        ),
        LoadError::TooLarge(size) => codes::CONTENT_TOO_LARGE.at(
            place.clone(),
            format!("The file of a public asset has {size} bytes; the limit is {}", limit.bytes),
            format!("Make it smaller, or raise `{}` in `[limits]`.", limit.key),
        ),
        LoadError::Unreadable(reason) => failed(place, &reason),
        LoadError::Dangling | LoadError::LongLine(_) => failed(place, CHANGED),
    }
}

fn failed(place: &Place, reason: &str) -> Diagnostic {
    codes::CONTENT_UNREADABLE.at(
        place.clone(),
        format!("The file of a public asset cannot be read: {reason}"),
        "Set `storage.path` to a regular, readable file, or remove the asset.",
    )
}

/// Properties of an asset, collected while it is read.
#[derive(Default)]
struct AssetScan {
    hasher: blake3::Hasher,
    head: Vec<u8>,
    transcript: TranscriptSearch,
    is_binary: bool,
    /// The start of a character that continues in the next chunk.
    partial: Vec<u8>,
}

impl AssetScan {
    fn read(&mut self, mut file: impl Read) -> io::Result<()> {
        let mut chunk = vec![0; CHUNK];
        loop {
            match file.read(&mut chunk) {
                Ok(0) => return Ok(()),
                Ok(count) => self.push(&chunk[..count]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn push(&mut self, chunk: &[u8]) {
        self.hasher.update(chunk);
        let missing = HEAD - self.head.len();
        self.head
            .extend_from_slice(&chunk[..missing.min(chunk.len())]);
        self.transcript.read(chunk);
        if self.is_binary {
            return;
        }
        self.partial.extend_from_slice(chunk);
        let read = std::mem::take(&mut self.partial);
        match std::str::from_utf8(&read) {
            Ok(text) => self.is_binary = text.contains('\0'),
            Err(error) if error.error_len().is_none() => {
                let (whole, partial) = read.split_at(error.valid_up_to());
                self.is_binary = whole.contains(&0);
                self.partial = partial.to_vec();
            }
            Err(_) => self.is_binary = true,
        }
    }

    fn is_text(&self) -> bool {
        !self.is_binary && self.partial.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scan(chunks: &[&[u8]]) -> AssetScan {
        let mut scan = AssetScan::default();
        for chunk in chunks {
            scan.push(chunk);
        }
        scan
    }

    #[test]
    fn text_is_distinguished_from_bytes_wherever_a_chunk_ends() {
        assert!(scan(&[b"", b"a\xc3", b"\xa9b"]).is_text());
        assert!(!scan(&[b"a\xc3"]).is_text(), "half a character");
        assert!(!scan(&[b"a", b"\xc3b"]).is_text());
        assert!(!scan(&[b"a\0\xc3", b"\xa9"]).is_text());
        assert!(scan(&[]).is_text());
    }
}
