//! Commitments: they can later prove the text of a span, and reveal nothing of it before.

use super::Redaction;

/// Bytes of a site's key, and of a redaction's salt.
pub const KEY: usize = 32;

/// The key file, next to site.toml.
pub const KEY_FILE: &str = "redaction.key";

/// The salt of a redaction. It reveals nothing of other salts.
pub fn salt(key: &[u8; KEY], run: &str, redaction: &Redaction) -> [u8; KEY] {
    blake3::keyed_hash(key, redaction.context(run).as_bytes()).into()
}

/// The commitment to the withheld bytes of a redaction.
pub fn commitment(salt: &[u8; KEY], withheld: &[u8]) -> String {
    format!("blake3:{}", blake3::keyed_hash(salt, withheld).to_hex())
}

pub fn parse_key(text: &str) -> Option<[u8; KEY]> {
    Some(blake3::Hash::from_hex(text.trim()).ok()?.into())
}

/// The content of a key file.
pub fn key_text(key: [u8; KEY]) -> String {
    format!("{}\n", hex(key))
}

pub fn hex(bytes: [u8; KEY]) -> String {
    blake3::Hash::from_bytes(bytes).to_hex().to_string()
}
