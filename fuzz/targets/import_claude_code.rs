//! Sessions of Claude Code.

/// Reads `bytes` as such a log.
pub fn run(bytes: &[u8]) {
    super::import::check("claude-code", "session.jsonl", bytes);
}
