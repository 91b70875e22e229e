//! Exports of `OpenHands`, of both generations.

/// Reads `bytes` as such a log.
pub fn run(bytes: &[u8]) {
    super::import::check("openhands", "export.json", bytes);
}
