//! Compares every file with `SHA256SUMS`.

use rayon::prelude::*;
use sha2::{Digest, Sha256};

use base::diagnostics::text::quoted;
use base::diagnostics::{Diagnostic, Place, codes};
use store::publish::checksums::{self, Checksums, PATH, UNLISTED};

use super::copy::{SiteCopy, missing};

/// Compares the files, and returns the digest of `SHA256SUMS`.
pub(crate) fn check(copy: &SiteCopy, problems: &mut Vec<Diagnostic>) -> Option<String> {
    let Some(bytes) = copy.read_some(PATH, problems) else {
        problems.push(codes::VERIFY_NO_CHECKSUMS.at(
            Place::file(PATH),
            "The copy has no `SHA256SUMS`, so changes of pages cannot be found",
            "If the site has none, set `checksums = true` in `[publish]` and build it again.",
        ));
        return None;
    };
    let text = String::from_utf8_lossy(&bytes);
    match checksums::parse(&text) {
        Ok(listed) => compare(copy, &listed, problems),
        Err((line, reason)) => {
            let place = Place {
                line: Some(line),
                ..Place::file(PATH)
            };
            problems.push(codes::VERIFY_INVALID_CHECKSUMS.at(
                place,
                format!("Line {line} of `SHA256SUMS` {reason}"),
                "Get the file again from the publisher; nothing was compared with it.",
            ));
        }
    }
    Some(hexadecimal(&Sha256::digest(&bytes).into()))
}

fn compare(copy: &SiteCopy, listed: &Checksums, problems: &mut Vec<Diagnostic>) {
    let compared = listed.par_iter().filter_map(|(path, sha256)| {
        if copy.left_out.contains(path) {
            return None;
        }
        if !copy.files.contains_key(path) {
            return Some(missing(path));
        }
        let mut hasher = Sha256::new();
        if let Err(problem) = copy.read_pieces(path, |piece| hasher.update(piece)) {
            return Some(problem);
        }
        let found: [u8; 32] = hasher.finalize().into();
        (found != *sha256).then(|| {
            codes::VERIFY_CHANGED_FILE.at(
                Place::file(path),
                format!(
                    "{} has the SHA-256 `{}`, and `SHA256SUMS` lists `{}`",
                    quoted(path),
                    hexadecimal(&found),
                    hexadecimal(sha256)
                ),
                "The file is not what the site was built with. Get it from the publisher.",
            )
        })
    });
    problems.par_extend(compared);
    let unlisted = copy.files.keys().filter(|path| !listed.contains_key(*path));
    for path in unlisted {
        if UNLISTED.contains(&path.as_str()) && is_harmless(copy, path, problems) {
            continue;
        }
        problems.push(codes::VERIFY_UNLISTED_FILE.at(
            Place::file(path),
            format!("{} is not in `SHA256SUMS`", quoted(path)),
            "The site was built without this file. Remove it from the copy.",
        ));
    }
}

/// Whether a file that is never listed has what a build writes into it.
fn is_harmless(copy: &SiteCopy, path: &str, problems: &mut Vec<Diagnostic>) -> bool {
    let bytes = copy.read_some(path, problems);
    bytes.is_none_or(|bytes| checksums::may_be_unlisted(path, &bytes))
}

fn hexadecimal(sha256: &[u8; 32]) -> String {
    blake3::Hash::from_bytes(*sha256).to_hex().to_string()
}
