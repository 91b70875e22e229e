//! (edge) Reads the redaction key of a site, which its commitments are made with. It is never published.

use std::path::Path;

use super::file_access::unreadable;
use super::redactions::Redactions;
use base::diagnostics::{Diagnostic, Place, codes};
use base::files::Folder;
use formats::redactions::proof::{self, KEY, KEY_FILE};

/// Reads the key of the site at `root`. `Ok(None)` if missing, as in a CI job.
pub fn redaction_key(root: &Path) -> Result<Option<[u8; KEY]>, Diagnostic> {
    let failed = |reason: &str| unreadable(KEY_FILE, reason);
    let folder = Folder::open(root).map_err(|error| failed(&error.to_string()))?;
    let opened = folder
        .file(Path::new(KEY_FILE))
        .map_err(|fault| failed(&fault.reason()))?;
    let Some(opened) = opened else {
        return Ok(None);
    };
    let text = std::io::read_to_string(opened.file).map_err(|error| failed(&error.to_string()))?;
    let invalid = || {
        codes::REDACTION_INVALID_KEY.at(
            Place::file(KEY_FILE),
            "The key of the redactions is not 64 hexadecimal digits",
            "Restore the file; commitments cannot be proved without it.",
        )
    };
    proof::parse_key(&text).map(Some).ok_or_else(invalid)
}

/// A digest to compare the keys of two machines or builds. It reveals nothing of the key.
pub fn redaction_key_digest(root: &Path) -> [u8; 32] {
    match redaction_key(root) {
        Ok(Some(key)) => blake3::derive_key("runpress 2026-11 digest of redaction.key", &key),
        Ok(None) => [0; 32],
        Err(_) => [1; 32],
    }
}

impl Redactions {
    /// Errors for commitments that do not match the withheld parts of `run`, if the site at `root` has its key.
    #[must_use]
    pub fn verify(&self, root: &Path, run: &str) -> Vec<Diagnostic> {
        if self.list.iter().all(|it| it.commitment.is_none()) {
            return Vec::new();
        }
        let key = match redaction_key(root) {
            Ok(Some(key)) => key,
            Ok(None) => return Vec::new(),
            Err(problem) => return vec![problem],
        };
        let all = self.list.iter().zip(&self.values).enumerate();
        all.filter_map(|(at, (redaction, value))| {
            let (stated, value) = (redaction.commitment.as_ref()?, value.as_ref()?);
            let salt = proof::salt(&key, run, redaction);
            let is_same = *stated == proof::commitment(&salt, &value.0);
            (!is_same).then(|| self.stale(at, "its commitment is of another text, run or key"))
        })
        .collect()
    }
}
