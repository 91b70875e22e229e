//! Reads the key of a site, or creates it.

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::Path;

use crate::Refusal;
use content::load;
use formats::redactions::proof::{KEY, KEY_FILE, key_text};

/// The key, and whether it is new.
pub(super) fn open(root: &Path) -> Result<([u8; KEY], bool), Refusal> {
    if let Some(key) = load::redaction_key(root)? {
        return Ok((key, false));
    }
    let failed = |reason: &str| {
        Refusal::request(
            format!("The file `{KEY_FILE}` could not be created: {reason}"),
            "Make the folder of site.toml writable.",
        )
    };
    let mut key = [0; KEY];
    getrandom::fill(&mut key).map_err(|error| failed(&error.to_string()))?;
    match write(&root.join(KEY_FILE), &key_text(key)) {
        Ok(()) => Ok((key, true)),
        // Another process created it in the meantime.
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            let key = load::redaction_key(root)?.ok_or_else(|| failed(&error.to_string()))?;
            Ok((key, false))
        }
        Err(error) => Err(failed(&error.to_string())),
    }
}

/// Whether the `.gitignore` next to the key lists it.
pub(super) fn is_ignored(root: &Path) -> bool {
    let lines = fs::read_to_string(root.join(".gitignore")).unwrap_or_default();
    lines.lines().any(|line| {
        let line = line.trim().trim_start_matches('/');
        line == KEY_FILE || line == "*.key"
    })
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}
