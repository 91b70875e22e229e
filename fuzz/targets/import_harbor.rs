//! Trials of Harbor.

/// Reads `bytes` as such a log.
pub fn run(bytes: &[u8]) {
    super::import::check("harbor", "result.json", bytes);
}
