//! Lists of messages.

/// Reads `bytes` as such a log.
pub fn run(bytes: &[u8]) {
    super::import::check("messages", "run.json", bytes);
}
