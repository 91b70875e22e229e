//! Commitments: what proves later that a span held a text, and says nothing of the text until then.

use super::Redaction;

/// Bytes of the key of a site, and of the salt of a redaction.
pub const KEY: usize = 32;

/// The name of the file with the key, beside site.toml.
pub const KEY_FILE: &str = "redaction.key";

/// The salt of one redaction. Without the key, nothing of another salt can be learned from it.
pub fn salt(key: &[u8; KEY], run: &str, redaction: &Redaction) -> [u8; KEY] {
    blake3::keyed_hash(key, redaction.context(run).as_bytes()).into()
}

/// The commitment to what a redaction withholds.
pub fn commitment(salt: &[u8; KEY], withheld: &[u8]) -> String {
    format!("blake3:{}", blake3::keyed_hash(salt, withheld).to_hex())
}

/// The key in the text of its file.
pub fn parse_key(text: &str) -> Option<[u8; KEY]> {
    Some(blake3::Hash::from_hex(text.trim()).ok()?.into())
}

/// The text of the file of a key.
pub fn key_text(key: [u8; KEY]) -> String {
    format!("{}\n", hex(key))
}

/// Bytes in hexadecimal.
pub fn hex(bytes: [u8; KEY]) -> String {
    blake3::Hash::from_bytes(bytes).to_hex().to_string()
}
