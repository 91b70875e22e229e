//! The recorded files of a run, which are searched for a value to withhold.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use crate::Refusal;
use base::diagnostics::text::quoted;
use base::files::{EntryKind, Folder};
use content::discover::RunDirectory;
use content::load;
use formats::config::Config;
use formats::{raw, redactions, run_record};

/// Every file of a run directory that may be published, by path. Leaves out hidden files, links, other runs, and `raw.jsonl` unless
/// the site publishes it.
pub(super) struct OriginalFiles {
    pub(super) files: BTreeMap<String, Vec<u8>>,
}

impl OriginalFiles {
    pub(super) fn read(directory: &RunDirectory, config: &Config) -> Result<Self, Refusal> {
        let is_private = |path: &str| {
            path == redactions::FILE_NAME || path == raw::FILE_NAME && !config.policy.publish_raw
        };
        let failed = |path: &str, reason: &str| {
            let shown = quoted(&format!("{}/{path}", directory.shown));
            Refusal::request(
                format!("The file {shown} cannot be read: {reason}"),
                "Replace it with a regular, readable file, or remove it.",
            )
        };
        let run = load::open(directory).map_err(|error| failed("", &error.to_string()))?;
        let mut files = BTreeMap::new();
        let mut folders = vec![String::new()];
        while let Some(folder) = folders.pop() {
            let at = Path::new(&folder);
            if !folder.is_empty() && run.has(&at.join(run_record::FILE_NAME)) {
                continue;
            }
            let opened: Option<Folder> = if folder.is_empty() {
                None
            } else {
                Some(
                    run.folder(at)
                        .map_err(|error| failed(&folder, &error.to_string()))?,
                )
            };
            let entries = opened.as_ref().unwrap_or(&run).entries();
            for entry in entries.map_err(|error| failed(&folder, &error.to_string()))? {
                let Some(name) = entry.name.to_str().filter(|name| !name.starts_with('.')) else {
                    continue;
                };
                let path = if folder.is_empty() {
                    name.to_owned()
                } else {
                    format!("{folder}/{name}")
                };
                match entry.kind {
                    EntryKind::Folder => folders.push(path),
                    EntryKind::File { .. } if entry.stamp.bytes <= config.limits.file => {
                        if is_private(&path) {
                            continue;
                        }
                        let file = run.file(Path::new(&path));
                        let file = file.map_err(|fault| failed(&path, &fault.reason()))?;
                        let Some(mut file) = file else { continue };
                        let mut content = Vec::new();
                        let read = file.file.read_to_end(&mut content);
                        read.map_err(|error| failed(&path, &error.to_string()))?;
                        files.insert(path, content);
                    }
                    _ => {}
                }
            }
        }
        Ok(Self { files })
    }

    /// The content of a file; empty if there is none.
    pub(super) fn bytes(&self, path: &str) -> &[u8] {
        self.files.get(path).map_or(&[], Vec::as_slice)
    }

    pub(super) fn id(&self) -> Option<String> {
        let record = self.files.get(run_record::FILE_NAME)?;
        let text = std::str::from_utf8(base::diagnostics::without_mark(record)).ok()?;
        let root = formats::json::Node::parse(text).ok()?;
        Some(root.get("id")?.as_str()?.into_owned())
    }

    /// The files in which a value can be replaced: texts in UTF-8 and UTF-16. Leaves out pictures, which a marker would only break.
    pub(super) fn texts(&self) -> impl Iterator<Item = (&str, &[u8])> {
        let files = self.files.iter().map(|(path, bytes)| (&**path, &**bytes));
        files.filter(|(path, bytes)| {
            let is_read = redactions::FileLayout::of(path) != redactions::FileLayout::Text;
            let is_utf16 = bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff");
            is_read || is_utf16 || std::str::from_utf8(bytes).is_ok()
        })
    }
}
