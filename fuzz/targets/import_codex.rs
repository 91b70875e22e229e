//! Rollouts of Codex.

/// Reads `bytes` as such a log.
pub fn run(bytes: &[u8]) {
    super::import::check("codex", "rollout.jsonl", bytes);
}
