//! (edge) Withholds parts of a run: reads `redactions.jsonl` before all other files, and rewrites their bytes before anything
//! else sees them.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::OnceLock;

use aho_corasick::AhoCorasick;

use super::LoadedFile;
use base::diagnostics::text::quoted;
use base::diagnostics::{Diagnostic, Place, codes};
use formats::json::pointer_part;
use formats::model::{FileDigest, PublishedFile, WithheldPart};
use formats::redactions::{
    self, FileLayout, Redaction, RedactionReason, RewriteError, RewrittenFile,
};
use formats::{events, jsonl, raw, tape, trace};

/// Minimum bytes of a secret to search for; shorter ones match by chance.
const MIN_SECRET: usize = 8;

/// The redactions of a run.
#[derive(Debug, Default)]
pub struct Redactions {
    /// The redactions in the order of the file.
    pub list: Vec<Redaction>,
    /// The bytes of `redactions.jsonl`.
    pub bytes: Vec<u8>,
    pub(super) digest: Option<FileDigest>,
    /// The withheld value of each redaction, once its file is read.
    pub values: Vec<Option<WithheldValue>>,
    /// The place of each redaction in the file.
    places: Vec<Place>,
    /// The positions of the redactions of each file.
    by_file: BTreeMap<String, Vec<usize>>,
    /// Files that are read only if others refer to them.
    files: BTreeMap<String, RedactedFile>,
    /// The withheld secrets that no published file may repeat, prepared when they are first searched for.
    secrets: OnceLock<SearchTexts>,
    /// All withheld texts, which the raw log may not repeat.
    texts: OnceLock<SearchTexts>,
}

/// Withheld texts, and the position of the redaction of each.
#[derive(Debug)]
struct SearchTexts {
    positions: Vec<usize>,
    values: redactions::ValueSearch,
}

/// Reads a file of a run. The number is how many bytes of the run are already in memory.
type ReadFile<'a> = &'a dyn Fn(&str, u64) -> Result<Option<Vec<u8>>, Diagnostic>;

/// A withheld value. `Debug` shows only its length.
#[derive(Clone, PartialEq, Eq)]
pub struct WithheldValue(pub Vec<u8>);

impl fmt::Debug for WithheldValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "WithheldValue({} bytes)", self.0.len())
    }
}

#[derive(Debug)]
pub(super) struct RedactedFile {
    /// The file as recorded, and as published.
    pub(super) digest: FileDigest,
    /// Its published bytes, with markers; one marker if the whole file is withheld.
    pub(super) bytes: Vec<u8>,
    pub(super) whole: bool,
}

/// The size, the hashes and the withheld values of a file before redaction.
#[derive(Debug, Clone, Default)]
pub struct OriginalFile {
    /// Size in bytes.
    pub bytes: u64,
    /// The content hash, and variants that other programs compute; empty if the file is not a tape.
    pub content_hashes: Vec<String>,
    /// Redactions by position, each with its withheld value.
    pub(super) values: Vec<(usize, WithheldValue)>,
}

impl Redactions {
    /// Parses the redactions of a run from the file at `shown`, if it exists.
    pub(super) fn parse(
        shown: &str,
        bytes: Result<Option<Vec<u8>>, Diagnostic>,
    ) -> (Self, Vec<Diagnostic>) {
        let bytes = match bytes {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return (Self::default(), Vec::new()),
            Err(problem) => return (Self::default(), vec![problem]),
        };
        let (found, problems) = redactions::parse(shown, &bytes);
        let places = found.iter().map(|(_, line)| line.place(shown, ""));
        let places = places.map(|place| Place {
            pointer: None,
            ..place
        });
        let mut found = Self {
            places: places.collect(),
            values: vec![None; found.len()],
            digest: Some(FileDigest {
                path: redactions::FILE_NAME.to_owned(),
                bytes: bytes.len() as u64,
                blake3: blake3::hash(&bytes).to_hex().to_string(),
                published: None,
            }),
            list: found.into_iter().map(|(redaction, _)| redaction).collect(),
            bytes,
            ..Self::default()
        };
        for (at, redaction) in found.list.iter().enumerate() {
            let positions = found.by_file.entry(redaction.file.clone());
            positions.or_default().push(at);
        }
        (found, problems)
    }

    /// The redactions as published with the run.
    pub fn to_published(&self) -> Vec<WithheldPart> {
        let keys = WithheldKeys::of(self);
        let list = self.list.iter();
        list.map(|it| WithheldPart {
            id: it.id.clone(),
            file: it.file.clone(),
            event: it.event,
            line: it.line,
            pointer: it.pointer.as_deref().map(|pointer| keys.masked(pointer)),
            length: it.length.filter(|_| !it.whole),
            reason: it.reason.word(),
            note: it.note.clone(),
            at: it.at.clone(),
            commitment: it.commitment.clone(),
        })
        .collect()
    }

    /// Whether there are no redactions.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The positions of a file's redactions.
    fn positions(&self, path: &str) -> &[usize] {
        self.by_file.get(path).map_or(&[], Vec::as_slice)
    }

    /// Whether any part of the value at `pointer` is withheld. `line` is the number of the line, and `event` that of its event.
    pub fn changes(&self, file: &str, line: u32, event: u64, pointer: &str) -> bool {
        self.positions(file).iter().any(|position| {
            let redaction = &self.list[*position];
            let is_line = match redaction.event {
                Some(redacted) => redacted == event,
                None => redaction.line == Some(line),
            };
            let redacted = redaction.pointer.as_deref();
            is_line && redacted.is_none_or(|redacted| redacted == pointer)
        })
    }

    /// Whether a file is withheld as a whole.
    pub fn is_whole(&self, path: &str) -> bool {
        self.positions(path).iter().any(|at| self.list[*at].whole)
    }

    /// Applies the redactions of a file directly in the run directory; `None` if it is withheld as a whole.
    pub(super) fn apply(
        &mut self,
        name: String,
        shown: String,
        bytes: Vec<u8>,
    ) -> Result<Option<LoadedFile>, Diagnostic> {
        let positions = self.positions(&name).to_vec();
        if positions.is_empty() {
            return Ok(Some(LoadedFile::new(name, shown, bytes)));
        }
        let (rewritten, whole) = self.rewrite(&name, &bytes, &positions)?;
        let values = rewritten.values.into_iter().map(WithheldValue);
        let values: Vec<_> = positions.into_iter().zip(values).collect();
        self.set_values(&values);
        if whole {
            return Ok(None);
        }
        let digest = blake3::hash(&bytes).to_hex().to_string();
        Ok(Some(LoadedFile {
            recorded: Some(Box::new(OriginalFile {
                bytes: bytes.len() as u64,
                content_hashes: content_hashes(&name, &bytes, &digest),
                values,
            })),
            bytes: rewritten.bytes,
            digest,
            name,
            shown,
        }))
    }

    /// Takes over the withheld values of a file that was read before these redactions were parsed.
    pub(super) fn adopt_values(&mut self, file: &LoadedFile) {
        if let Some(recorded) = &file.recorded {
            self.set_values(&recorded.values);
        }
    }

    fn set_values(&mut self, values: &[(usize, WithheldValue)]) {
        for (at, value) in values {
            if let Some(known) = self.values.get_mut(*at) {
                *known = Some(value.clone());
            }
        }
        self.secrets = OnceLock::new();
        self.texts = OnceLock::new();
    }

    fn rewrite(
        &self,
        path: &str,
        bytes: &[u8],
        positions: &[usize],
    ) -> Result<(RewrittenFile, bool), Diagnostic> {
        if let Some(whole) = positions.iter().find(|at| self.list[**at].whole) {
            if let Some(other) = positions.iter().find(|at| *at != whole) {
                return Err(self.overlap(*whole, *other));
            }
            let marker = self.list[*whole].marker().into_bytes();
            let rewritten = RewrittenFile {
                bytes: marker,
                values: vec![bytes.to_vec()],
                published: vec![String::new()],
            };
            return Ok((rewritten, true));
        }
        let list: Vec<_> = positions.iter().map(|at| &self.list[*at]).collect();
        let rewritten = redactions::rewrite(path, bytes, &list, true);
        let rewritten = rewritten.map_err(|fault| match fault {
            RewriteError::Stale(at, why) => self.stale(positions[at], why),
            RewriteError::Overlap(a, b) => self.overlap(positions[a], positions[b]),
        })?;
        Ok((rewritten, false))
    }

    /// Reads the files with redactions that are not yet `known`. `read` gets a path and the bytes of the run in memory.
    pub(super) fn read_referenced(
        &mut self,
        known: &dyn Fn(&str) -> bool,
        in_memory: &mut u64,
        read: ReadFile<'_>,
    ) -> Vec<Diagnostic> {
        let mut problems = Vec::new();
        // Problems are reported in the order of the redactions.
        let first = self.by_file.iter().filter(|(path, _)| !known(path));
        let mut paths: Vec<_> = first.map(|(path, of)| (of[0], path.clone())).collect();
        paths.sort_unstable();
        for (_, path) in paths {
            let positions = self.positions(&path).to_vec();
            let is_private = FileLayout::of(&path) == FileLayout::Private;
            let bytes = match read(&path, *in_memory) {
                Ok(Some(bytes)) if !is_private => bytes,
                Ok(_) => {
                    problems.push(self.unknown_file(positions[0], is_private));
                    continue;
                }
                Err(problem) => {
                    problems.push(problem);
                    continue;
                }
            };
            match self.rewrite(&path, &bytes, &positions) {
                Ok((rewritten, whole)) => {
                    let values = rewritten.values.into_iter().map(WithheldValue);
                    self.set_values(&positions.into_iter().zip(values).collect::<Vec<_>>());
                    *in_memory += rewritten.bytes.len() as u64;
                    let digest = FileDigest {
                        path: path.clone(),
                        bytes: bytes.len() as u64,
                        blake3: blake3::hash(&bytes).to_hex().to_string(),
                        published: Some(published(&rewritten.bytes)),
                    };
                    let file = RedactedFile {
                        digest,
                        bytes: rewritten.bytes,
                        whole,
                    };
                    self.files.insert(path, file);
                }
                Err(problem) => problems.push(problem),
            }
        }
        problems
    }

    /// The redacted form of a file that others refer to; `None` if it has no redactions.
    pub(super) fn file(&self, path: &str) -> Option<&RedactedFile> {
        self.files.get(path)
    }

    /// Whether a wholly withheld file has this digest: copies of it under other names are withheld, too.
    pub(super) fn is_withheld_copy(&self, digest: &str) -> bool {
        self.files
            .values()
            .any(|file| file.whole && file.digest.blake3 == digest)
    }

    /// Whether there are withheld secrets, for which other files of the run must be searched.
    pub(super) fn has_secrets(&self) -> bool {
        !self.secrets().positions.is_empty()
    }

    fn secrets(&self) -> &SearchTexts {
        self.secrets.get_or_init(|| {
            self.search_texts(|redaction| redaction.reason == RedactionReason::Secret)
        })
    }

    /// The withheld texts of some redactions.
    fn search_texts(&self, of: impl Fn(&Redaction) -> bool) -> SearchTexts {
        let values = self.list.iter().zip(&self.values).enumerate();
        let texts = values.filter_map(|(at, (redaction, value))| {
            let WithheldValue(bytes) = value.as_ref()?;
            let is_searched = of(redaction) && !redaction.whole && bytes.len() >= MIN_SECRET;
            is_searched.then(|| (at, String::from_utf8_lossy(bytes)))
        });
        let (positions, texts): (Vec<_>, Vec<_>) = texts.unzip();
        SearchTexts {
            positions,
            values: redactions::ValueSearch::new(texts.iter().map(AsRef::as_ref)),
        }
    }

    /// Errors for redactions that reveal a withheld secret themselves: in the pointer, the note or the file name.
    pub(super) fn check_list(&self) -> Vec<Diagnostic> {
        let keys = WithheldKeys::of(self);
        let all = self.list.iter().zip(&self.places);
        all.filter_map(|(redaction, place)| {
            let pointer = redaction.pointer.as_deref().unwrap_or_default();
            let pointer = keys.masked(pointer);
            let pointer = pointer.replace("~1", "/").replace("~0", "~");
            let note = redaction.note.as_deref().unwrap_or_default();
            let texts = [pointer.as_str(), note, &redaction.file].join("\n");
            let found = self.find_secret("", "", texts.as_bytes())?;
            Some(Diagnostic {
                // An excerpt would show it.
                place: Place {
                    excerpt: None,
                    ..place.clone()
                },
                help: "Leave it out of `note`; without `pointer`, a span counts the bytes of the line as written.".to_owned(),
                ..found
            })
        })
        .collect()
    }

    /// An error if the published form of a file contains a withheld secret. The raw log repeats what other files have, so it may contain
    /// no withheld text at all.
    pub fn find_secret(&self, path: &str, shown: &str, bytes: &[u8]) -> Option<Diagnostic> {
        let texts = if path == raw::FILE_NAME {
            self.texts.get_or_init(|| self.search_texts(|_| true))
        } else {
            self.secrets()
        };
        let (at, place) = texts.values.first_in(path, bytes)?;
        let id = quoted(&self.list[texts.positions[at]].id);
        Some(codes::REDACTION_REMAINS.at(
            Place {
                line: place.line,
                column: place.line.map(|_| 1),
                pointer: place.pointer,
                ..Place::file(shown)
            },
            format!("A value that redaction {id} withholds also occurs here"),
            "Withhold it here too with `runpress redact`.",
        ))
    }

    pub(super) fn stale(&self, at: usize, why: &str) -> Diagnostic {
        let redaction = &self.list[at];
        codes::REDACTION_STALE.at(
            self.places[at].clone(),
            format!(
                "Redaction {} does not match {}: {why}",
                quoted(&redaction.id),
                quoted(&redaction.place())
            ),
            "Run `runpress redact RUN --undo ID`, then withhold the text again.",
        )
    }

    fn overlap(&self, a: usize, b: usize) -> Diagnostic {
        let id = |at: usize| quoted(&self.list[at].id);
        codes::REDACTION_OVERLAP.at(
            self.places[a.max(b)].clone(),
            format!("Redactions {} and {} overlap", id(a.min(b)), id(a.max(b))),
            "Remove one of the two with `runpress redact RUN --undo ID`.",
        )
    }

    fn unknown_file(&self, at: usize, is_private: bool) -> Diagnostic {
        let (why, help) = if is_private {
            ("is never published", "Remove the redaction.")
        } else {
            (
                "is not in the run directory",
                "Correct the path, or remove the redaction.",
            )
        };
        codes::REDACTION_UNKNOWN_FILE.at(
            self.places[at].clone(),
            format!("The withheld file {} {why}", quoted(&self.list[at].file)),
            help,
        )
    }
}

/// Withheld texts that the pointer of a redaction may contain: keys, and secrets. The published file has their markers instead.
struct WithheldKeys {
    texts: Option<AhoCorasick>,
    /// The marker of each text.
    markers: Vec<String>,
    /// Texts that are too short to be replaced within a key, with their markers.
    short: BTreeMap<String, String>,
}

/// Minimum bytes of a text that is replaced within a key.
const WITHIN_KEY: usize = 4;

impl WithheldKeys {
    fn of(redactions: &Redactions) -> Self {
        let mut texts = BTreeMap::new();
        let mut short = BTreeMap::new();
        for (redaction, value) in redactions.list.iter().zip(&redactions.values) {
            let Some(WithheldValue(value)) = value.as_ref().filter(|_| !redaction.whole) else {
                continue;
            };
            let is_secret =
                redaction.reason == RedactionReason::Secret && value.len() >= MIN_SECRET;
            if redaction.pointer.is_some() && !is_secret {
                continue;
            }
            // Without a pointer, a span is of the text as written, with escapes.
            let written = String::from_utf8_lossy(value).into_owned();
            let read = serde_json::from_str(&format!("\"{written}\""));
            let key: String = read.unwrap_or(written);
            let list = if key.len() < WITHIN_KEY {
                &mut short
            } else {
                &mut texts
            };
            list.insert(pointer_part(&key), pointer_part(&redaction.marker()));
        }
        let (keys, markers): (Vec<String>, Vec<String>) = texts.into_iter().unzip();
        let mut builder = AhoCorasick::builder();
        builder.match_kind(aho_corasick::MatchKind::LeftmostLongest);
        let build = || builder.build(&keys).ok();
        Self {
            texts: (!keys.is_empty()).then(build).flatten(),
            markers,
            short,
        }
    }

    /// A pointer as it is published.
    fn masked(&self, pointer: &str) -> String {
        let parts = pointer.split('/').map(|part| {
            let marker = self.short.get(part);
            marker.map_or(part, String::as_str)
        });
        let parts = parts.collect::<Vec<_>>().join("/");
        match &self.texts {
            Some(texts) => texts.replace_all(&parts, &self.markers),
            None => parts,
        }
    }
}

pub(super) fn published(bytes: &[u8]) -> PublishedFile {
    PublishedFile {
        bytes: bytes.len() as u64,
        blake3: blake3::hash(bytes).to_hex().to_string(),
    }
}

/// The content hashes of a tape before redaction.
fn content_hashes(name: &str, bytes: &[u8], digest: &str) -> Vec<String> {
    match FileLayout::of(name) {
        FileLayout::Events(0) => {
            let count = jsonl::lines(bytes).count();
            vec![events::content_hash(bytes, count, digest)]
        }
        FileLayout::Events(_) => vec![trace::content_hash(bytes)],
        FileLayout::Numbered => {
            let (tape, _) = tape::parse(name, bytes);
            let hashes = tape.map(|tape| (tape.content_hash, tape.other_hashes));
            hashes.map_or_else(Vec::new, |(first, others)| {
                std::iter::once(first).chain(others).collect()
            })
        }
        _ => Vec::new(),
    }
}
