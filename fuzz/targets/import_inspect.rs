//! Logs of Inspect, as documents and as archives.

/// Reads `bytes` as such a log.
pub fn run(bytes: &[u8]) {
    super::import::check("inspect", "log.eval", bytes);
}
